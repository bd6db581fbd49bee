/* What kind of CSV file this is, by its first records: the separator, whether the first record holds
 * names, and what the cells of each column look like. The sample's size is fixed, so that the answer
 * depends on the file alone. */
#include <stdio.h>
#include <strings.h>

#include "base/base.h"
#include "base/decimal.h"
#include "data/csv_sample.h"

#define SAMPLE_BYTES   ((size_t)256 << 10)
#define SAMPLE_RECORDS 100 /* that separators are tried on */
#define SAMPLE_MOST    9   /* numbers for each word in a column of numbers with errors */

static const struct {
    const char *word;
    char separator;
} sample_separators[] = {{"comma", ','}, {"semicolon", ';'}, {"tab", '\t'},
                         {"pipe", '|'},  {"\\t", '\t'},      {"space", HSP__CSV_SPACES}};

void hsp__csv_sample_free(const hsp_allocator *memory, hsp__csv_sample *sample)
{
    hsp__free(memory, sample->text);
    hsp__free(memory, sample->starts);
    hsp__free(memory, sample->flags);
    hsp__free(memory, sample->first_flags);
    hsp__free(memory, sample->numbers);
    hsp__free(memory, sample->words);
    hsp__free(memory, sample->word_lines);
    hsp__text_free(&sample->first);
    hsp__text_free(&sample->unquoted);
    hsp__text_free(&sample->plain);
    hsp__cell_rules_free(&sample->rules);
}

const char *hsp__csv_first(const hsp__csv_sample *sample, uint32_t i)
{
    return sample->first.data + sample->starts[i];
}

/* ---- The sample ------------------------------------------------------------------------------ */

/* Spreadsheets write and understand a first line "sep=;": what follows begins behind it. */
static void sample_find_excel_line(hsp__csv_sample *sample)
{
    const char *line = sample->text + sample->begin, *end = sample->text + sample->size;
    if (end - line < 6 || strncasecmp(line, "sep=", 4) != 0) return;
    const char *behind = line + 5 + (line[5] == '\r');
    if (strchr("\"\r\n", line[4]) || behind >= end || *behind != '\n') return;
    sample->excel = line[4];
    sample->lines = 1;
    sample->begin = (size_t)(behind + 1 - sample->text);
}

static hsp_status sample_load(hsp_context *ctx, hsp__source *source, size_t want,
                              hsp__csv_sample *sample, hsp_error *err)
{
    const char *bytes;
    sample->live = source->live;
    if (source->live) { /* one line more than last time */
        HSP__TRY(hsp__source_peek_line(source, sample->size, err, &bytes, &sample->size));
        sample->whole = source->at_end && sample->size == source->ahead_to - source->ahead_from;
    } else {
        HSP__TRY(hsp__source_peek(source, want, err, &bytes, &sample->size));
        sample->whole = sample->size < want;
    }
    char *text = hsp__resize(&ctx->allocator, sample->text, sample->size + HSP__BLOCK_PADDING, 1);
    if (!text) return hsp__fail_memory(err);
    sample->text = text;
    if (sample->size) memcpy(text, bytes, sample->size);
    memset(text + sample->size, 0, HSP__BLOCK_PADDING);
    sample->begin = sample->size >= 3 && memcmp(text, "\xef\xbb\xbf", 3) == 0 ? 3 : 0;
    sample_find_excel_line(sample);
    if (sample->size >= 2 && (memcmp(text, "\xff\xfe", 2) == 0 || memcmp(text, "\xfe\xff", 2) == 0))
        return hsp__fail_at(err, HSP_BAD_DATA, sample->file, 1, 1,
                            "this is UTF-16 text, expected UTF-8 (iconv -f UTF-16 -t UTF-8)");
    const char *lone = memchr(text, '\r', sample->size);
    if (lone && lone + 1 < text + sample->size && !memchr(text, '\n', sample->size))
        return hsp__fail_at(err, HSP_BAD_DATA, sample->file, 1, 1,
                            "lines end in carriage returns alone, expected newlines "
                            "(tr '\\r' '\\n')");
    return HSP_OK;
}

static hsp__csv_cursor sample_cursor(hsp__csv_sample *sample, char separator)
{
    hsp__csv_cursor cursor = hsp__csv_begin(
        sample->text + sample->begin, sample->size - sample->begin, separator, &sample->unquoted);
    cursor.file = sample->file;
    cursor.line += sample->lines;
    return cursor;
}

/* Is the record that ended at the cursor all there? The end of a sample cuts one. */
static int sample_complete(const hsp__csv_sample *sample, const hsp__csv_cursor *cursor)
{
    return sample->whole || cursor->at < cursor->end || cursor->at[-1] == '\n';
}

/* How many fields the records have with this separator; 0 if they do not agree or quotes are out
 * of place. *first gets the number of the first record alone. */
static uint64_t sample_fields(hsp__csv_sample *sample, char separator, uint64_t *first)
{
    hsp__csv_cursor cursor = sample_cursor(sample, separator);
    hsp__csv_field field = {0};
    *first = 0;
    for (int record = 0; record < SAMPLE_RECORDS && hsp__csv_skip_blank(&cursor); record++) {
        uint64_t fields = 0;
        do {
            if (hsp__csv_next(&cursor, &field, NULL)) return 0;
            fields++;
        } while (!field.last);
        if (record == 0)
            *first = fields;
        else if (fields != *first && sample_complete(sample, &cursor))
            return 0;
    }
    return *first;
}

/* How many columns of an encoding become features. */
static uint64_t sample_features(const hsp_encoding *encoding)
{
    uint64_t features = 0;
    for (uint32_t i = 0; i < encoding->names.count; i++)
        features += hsp__encoding_width(&encoding->columns[i]) > 0;
    return features;
}

/* The separator: as told, or as the encoding's file had it if that fits, or the one that gives every
 * record the same number of fields, the more the better; if none does, the one that cuts the first
 * record into the most. */
static hsp_status sample_choose_separator(hsp__csv_sample *sample, int tabs,
                                          const hsp_options *options, const hsp_encoding *encoding,
                                          hsp_error *err)
{
    uint64_t first, most = 1, most_first = 1;
    const char *told = hsp_options_text(options, "separator");
    for (size_t i = 0; i < sizeof sample_separators / sizeof *sample_separators; i++) {
        sample->separator = sample_separators[i].separator;
        if (strcmp(told, sample_separators[i].word) == 0) return HSP_OK;
    }
    if (strcmp(told, "auto") != 0) {
        const unsigned char c = (unsigned char)told[0];
        const int letter = (c >= '0' && c <= '9') || ((c | 0x20) >= 'a' && (c | 0x20) <= 'z');
        if (!c || told[1] || letter || c >= 0x80 || strchr("\"\r\n.+-", c))
            return hsp__fail(err, HSP_USAGE,
                             "separator '%s' is not comma, semicolon, tab, space, pipe, auto, or "
                             "one character that no number or word holds",
                             told);
        sample->separator = (char)c;
        return HSP_OK;
    }
    if (sample->excel) {
        sample->separator = sample->excel;
        return HSP_OK;
    }
    sample->separator = tabs ? '\t' : encoding ? encoding->separator : ',';
    if (tabs || (encoding &&
                 sample_fields(sample, encoding->separator, &first) >= sample_features(encoding)))
        return HSP_OK;
    char best = ',', best_first = ',';
    for (const char *c = ",;\t|"; *c; c++) {
        const uint64_t fields = sample_fields(sample, *c, &first);
        if (fields > most) {
            most = fields;
            best = *c;
        }
        if (first > most_first) {
            most_first = first;
            best_first = *c;
        }
    }
    sample->separator = most > 1 ? best : best_first;
    return HSP_OK;
}

/* Does the sample hold at least two records? Enough too is the whole file, or one in which a quote
 * is out of place: reading will say so. */
static int sample_enough(hsp__csv_sample *sample)
{
    hsp__csv_cursor cursor = sample_cursor(sample, sample->separator);
    hsp__csv_field field;
    for (int record = 0; record < (sample->live ? 1 : 2); record++) {
        if (sample->whole) return 1;
        if (!hsp__csv_skip_blank(&cursor)) return 0;
        do
            if (hsp__csv_next(&cursor, &field, NULL)) return !cursor.unclosed;
        while (!field.last);
        if (!sample_complete(sample, &cursor)) return 0;
    }
    return 1;
}

/* ---- The records ----------------------------------------------------------------------------- */

static unsigned char sample_flag(hsp__csv_sample *sample, const char *text, size_t size)
{
    double value;
    hsp__decimal_result result;
    const hsp__mark mark = hsp__cell_mark(&sample->rules, text, size);
    if (mark >= HSP__MARK_USUAL) return 0;
    if (mark == HSP__MARK_NUMBERS) return HSP__SEEN_MARK;
    if (sample->written) {
        const unsigned char percent = memchr(text, '%', size) ? HSP__SEEN_PERCENT : 0;
        return hsp__cell_number(&sample->rules, text, size, &sample->plain)
                   ? HSP__SEEN_NUMBER | percent
                   : HSP__SEEN_WORD;
    }
    if (hsp__decimal_f64(text, text + size, &value, &result) != text + size) return HSP__SEEN_WORD;
    return HSP__SEEN_NUMBER; /* inf and 1e999 too: reading says what is wrong with them */
}

/* Is a field of the first record one that could be a name? */
static int sample_is_word(unsigned char flags)
{
    return (flags & (HSP__SEEN_WORD | HSP__SEEN_MARK)) != 0;
}

/* Keep the fields of the first record. */
static hsp_status sample_keep_first(const hsp_allocator *memory, hsp__csv_cursor *cursor,
                                    hsp__csv_sample *sample, hsp_error *err)
{
    hsp__csv_field field = {0};
    uint64_t count = 0;
    do {
        HSP__TRY(hsp__csv_next(cursor, &field, err));
        if (memchr(field.text, 0, field.size))
            return hsp__fail_at(err, HSP_BAD_DATA, cursor->file, field.line, field.column,
                                "found a NUL byte: this is not text");
        if (count == UINT32_MAX - 1 || !hsp__reserve(memory, &sample->starts, &sample->starts_room,
                                                     count + 1, sizeof *sample->starts))
            return hsp__fail_memory(err);
        sample->starts[count++] = sample->first.size;
        hsp__text_add(&sample->first, field.text, field.size);
        hsp__text_add(&sample->first, "", 1);
    } while (!field.last);
    sample->count = (uint32_t)count;
    sample->flags = hsp__new(memory, count, 1);
    sample->first_flags = hsp__new(memory, count, 1);
    sample->numbers = hsp__new(memory, count, sizeof *sample->numbers);
    sample->words = hsp__new(memory, count, sizeof *sample->words);
    sample->word_lines = hsp__new(memory, count, sizeof *sample->word_lines);
    if (!sample->flags || !sample->first_flags || !sample->numbers || !sample->words ||
        !sample->word_lines || sample->first.failed)
        return hsp__fail_memory(err);
    for (uint32_t i = 0; i < sample->count; i++)
        sample->first_flags[i] =
            sample_flag(sample, hsp__csv_first(sample, i), strlen(hsp__csv_first(sample, i)));
    return HSP_OK;
}

/* What one more record shows of each column. 0 when it is cut short or not well formed; reading
 * will come to it and say so. */
static int sample_see_record(hsp__csv_cursor *cursor, hsp__csv_sample *sample)
{
    hsp__csv_field field = {0};
    for (uint64_t i = 0; !field.last; i++) {
        if (hsp__csv_next(cursor, &field, NULL)) return 0;
        if (field.last && !sample_complete(sample, cursor)) return 0;
        if (i >= sample->count) continue;
        const char *first = hsp__csv_first(sample, (uint32_t)i);
        int again = strlen(first) == field.size && memcmp(first, field.text, field.size) == 0;
        const unsigned char seen = sample_flag(sample, field.text, field.size);
        sample->numbers[i] += (seen & HSP__SEEN_NUMBER) != 0;
        if (seen & HSP__SEEN_WORD && !sample->words[i]++) sample->word_lines[i] = field.line;
        sample->flags[i] |= (unsigned char)(seen | (again ? HSP__SEEN_AGAIN : 0));
    }
    return 1;
}

/* ---- The header ------------------------------------------------------------------------------ */

static int sample_first_holds(const hsp__csv_sample *sample, const char *name, size_t size)
{
    for (uint32_t i = 0; i < sample->count; i++) {
        const char *first = hsp__csv_first(sample, i);
        if (strlen(first) == size && memcmp(first, name, size) == 0 &&
            sample_is_word(sample->first_flags[i]))
            return 1;
    }
    return 0;
}

/* Does an option name a column by what stands in the first record? */
static int sample_named(hsp__csv_sample *sample, const hsp_options *options)
{
    static const char *const lists[] = {"categorical", "ignore", "ordinal", "date", "hash"};
    const char *label = hsp_options_text(options, "label");
    if (strcmp(label, "last") != 0 && strcmp(label, "none") != 0 &&
        sample_first_holds(sample, label, strlen(label)))
        return 1;
    int named = 0;
    for (size_t k = 0; k < sizeof lists / sizeof *lists; k++)
        for (size_t i = 0; i < hsp_options_list_count(options, lists[k]); i++) {
            const char *item = hsp_options_list_item(options, lists[k], i), *at = item;
            named |= sample_first_holds(sample, item, strlen(item));
            while (!named && hsp__comma_next(&at, &sample->plain)) {
                const size_t size = k < 2 ? sample->plain.size : strcspn(sample->plain.data, "=:");
                named = sample_first_holds(sample, sample->plain.data, size);
            }
        }
    return named;
}

const char *hsp__csv_column_name(const hsp__csv_sample *sample, uint32_t i, int header,
                                 char number[16])
{
    const char *name = header ? hsp__csv_first(sample, i) : "";
    snprintf(number, 16, "c%u", i + 1);
    return *name ? name : number;
}

static hsp_status sample_find_header(const hsp_allocator *memory, hsp__csv_sample *sample,
                                     const hsp_options *options, const hsp_encoding *encoding,
                                     hsp_error *err)
{
    const char *told = hsp_options_text(options, "header");
    sample->header = strcmp(told, "yes") == 0;
    if (strcmp(told, "auto") != 0) return HSP_OK;
    const int arrays = encoding && hsp__encoding_is_of_arrays(encoding) && !encoding->header;
    if (encoding &&
        !arrays) { /* one that has names: are most of the columns it needs named here? */
        uint64_t found = 0;
        for (uint32_t i = 0; i < sample->count; i++) {
            char number[16];
            const char *name = hsp__csv_column_name(sample, i, 1, number);
            const uint32_t column = hsp__names_find(&encoding->names, name, strlen(name));
            found += column != HSP__NAME_NONE && hsp__encoding_width(&encoding->columns[column]);
        }
        sample->header = encoding->header && found * 2 >= sample_features(encoding);
        return HSP_OK;
    }
    sample->header = sample_named(sample, options);
    if (sample->plain.failed) return hsp__fail_memory(err);
    for (uint32_t i = 0; !sample->header && i < sample->count; i++)
        sample->header = sample_is_word(sample->first_flags[i]) &&
                         (sample->flags[i] & HSP__SEEN_NUMBER) &&
                         (!(sample->flags[i] & HSP__SEEN_WORD) || hsp__csv_few_words(sample, i));
    if (sample->header) return HSP_OK;
    /* words, all different, of which none comes again in its column: of a table without rows, one
     * record of nothing but words is a header too */
    hsp__names names;
    hsp__names_init(&names, memory);
    int done = 1, all_names = 1;
    for (uint32_t i = 0; done && all_names && i < sample->count; i++) {
        uint32_t number;
        const char *first = hsp__csv_first(sample, i);
        done = hsp__names_add(&names, first, strlen(first), &number);
        all_names = done && number == i && sample_is_word(sample->first_flags[i]) &&
                    !(sample->flags[i] & HSP__SEEN_AGAIN);
    }
    hsp__names_free(&names);
    sample->header = all_names;
    return done ? HSP_OK : hsp__fail_memory(err);
}

static void sample_open(hsp_context *ctx, const hsp__source *source, hsp__csv_sample *sample)
{
    sample->file = source->part_names[source->part];
    hsp__text_init(&sample->unquoted, &ctx->allocator);
    hsp__text_init(&sample->first, &ctx->allocator);
    hsp__text_init(&sample->plain, &ctx->allocator);
    hsp__cell_rules_init(&sample->rules, &ctx->allocator);
}

/* Keep the first record; the cursor, which stands at the sample's beginning, goes behind it. */
static hsp_status sample_take_first(hsp_context *ctx, hsp__csv_cursor *cursor,
                                    hsp__csv_sample *sample, hsp_error *err)
{
    if (!hsp__csv_skip_blank(cursor))
        return hsp__fail_at(err, HSP_BAD_DATA, sample->file, 0, 0, "there is nothing in this file");
    HSP__TRY(sample_keep_first(&ctx->allocator, cursor, sample, err));
    sample->first_end = (size_t)(cursor->at - sample->text);
    sample->first_lines = cursor->line - 1;
    return HSP_OK;
}

hsp_status hsp__csv_sample_first(hsp_context *ctx, hsp__source *source, char separator,
                                 hsp_error *err, hsp__csv_sample *sample)
{
    size_t want = SAMPLE_BYTES;
    sample_open(ctx, source, sample);
    sample->separator = separator;
    do {
        HSP__TRY(sample_load(ctx, source, want, sample, err));
        want *= 4;
    } while (!sample_enough(sample));
    hsp__csv_cursor cursor = sample_cursor(sample, separator);
    return sample_take_first(ctx, &cursor, sample, err);
}

hsp_status hsp__csv_sample_take(hsp_context *ctx, hsp__source *source, int tabs,
                                const hsp_options *options, const hsp_encoding *encoding,
                                hsp_error *err, hsp__csv_sample *sample)
{
    size_t want = SAMPLE_BYTES;
    sample_open(ctx, source, sample);
    if (encoding && !hsp__cell_rules_copy(&sample->rules, &encoding->rules))
        return hsp__fail_memory(err);
    HSP__TRY(hsp__cell_rules_set(&sample->rules, options, err));
    sample->written = !hsp__cell_rules_plain(&sample->rules);
    sample->skip = strcmp(hsp_options_text(options, "on-error"), "skip") == 0;
    do {
        HSP__TRY(sample_load(ctx, source, want, sample, err));
        HSP__TRY(sample_choose_separator(sample, tabs, options, encoding, err));
        want *= 4;
    } while (!sample_enough(sample));
    hsp__csv_cursor cursor = sample_cursor(sample, sample->separator);
    hsp__csv_skip_blank(&cursor);
    const char *begin = cursor.at;
    HSP__TRY(sample_take_first(ctx, &cursor, sample, err));
    const char *end = cursor.at;
    double records = 1;
    for (; hsp__csv_skip_blank(&cursor); records++) {
        const hsp__csv_cursor before = cursor;
        if (!sample_see_record(&cursor, sample)) {
            if (!sample->skip) break;
            cursor = before;
            hsp__csv_skip_record(&cursor);
        }
        end = cursor.at;
    }
    sample->record_bytes = (double)(end - begin) / records;
    if (sample->unquoted.failed || sample->plain.failed) return hsp__fail_memory(err);
    return sample_find_header(&ctx->allocator, sample, options, encoding, err);
}

hsp__csv_cursor hsp__csv_sample_begin(hsp__csv_sample *sample)
{
    hsp__csv_cursor cursor = sample_cursor(sample, sample->separator);
    if (sample->header && hsp__csv_skip_blank(&cursor)) hsp__csv_skip_record(&cursor);
    return cursor;
}

int hsp__csv_sample_cell(hsp__csv_sample *sample, hsp__csv_cursor *cursor, uint32_t column,
                         hsp__csv_field *cell)
{
    while (hsp__csv_skip_blank(cursor)) {
        const hsp__csv_cursor before = *cursor;
        int bad = hsp__csv_next(cursor, cell, NULL) != HSP_OK;
        uint32_t j = 0;
        for (; !bad && j < column && !cell->last; j++)
            bad = hsp__csv_next(cursor, cell, NULL) != HSP_OK;
        const int found = !bad && j == column && (!cell->last || sample_complete(sample, cursor));
        sample->plain.size = 0; /* the rest of the record may write over the cell */
        if (found) hsp__text_add(&sample->plain, cell->text, cell->size);
        *cursor = before;
        hsp__csv_skip_record(cursor);
        if (!found) continue;
        cell->text = sample->plain.data;
        return !sample->plain.failed;
    }
    return 0;
}

int hsp__csv_few_words(const hsp__csv_sample *sample, uint32_t i)
{
    return sample->skip && sample->numbers[i] >= SAMPLE_MOST * sample->words[i];
}

const char *hsp__csv_separator_word(char separator)
{
    const char *word = NULL;
    for (size_t i = sizeof sample_separators / sizeof *sample_separators; i-- > 0;)
        if (sample_separators[i].separator == separator) word = sample_separators[i].word;
    return word;
}

/* ---- Columns by name ------------------------------------------------------------------------- */

const char *hsp__csv_alike(const hsp__names *names, const char *word, size_t size)
{
    for (uint32_t j = 0; j < names->count; j++)
        if (hsp__names_size(names, j) == size &&
            strncasecmp(hsp__names_get(names, j), word, size) == 0)
            return hsp__names_get(names, j);
    return NULL;
}

hsp_status hsp__csv_find_column(const hsp__names *names, const char *word, size_t size,
                                const char *option, hsp_error *err, uint32_t *column)
{
    char quoted[HSP__QUOTED];
    uint64_t number = 0;
    hsp__decimal_result result;
    *column = hsp__names_find(names, word, size);
    if (*column != HSP__NAME_NONE) return HSP_OK;
    if (hsp__decimal_u64(word, word + size, &number, &result) == word + size &&
        result == HSP__DECIMAL_OK && number >= 1 && number <= names->count) {
        *column = (uint32_t)number - 1;
        return HSP_OK;
    }
    const char *alike = hsp__csv_alike(names, word, size);
    if (alike)
        return hsp__fail(err, HSP_USAGE, "%s: there is no column '%s'; did you mean '%s'?", option,
                         hsp__quote(word, size, quoted), alike);
    return hsp__fail(err, HSP_USAGE,
                     "%s: there is no column '%s' (the file has %u columns; the first is '%s', "
                     "the last '%s')",
                     option, hsp__quote(word, size, quoted), names->count, hsp__names_get(names, 0),
                     hsp__names_get(names, names->count - 1));
}
