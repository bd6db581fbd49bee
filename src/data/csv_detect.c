/* What kind of CSV file this is, by its first records: the separator, whether the first record
 * holds names, and which columns hold words. The sample's size is fixed, so that the answer depends
 * on the file alone. */
#include <stdio.h>
#include <string.h>

#include "base/context.h"
#include "base/decimal.h"
#include "base/error.h"
#include "base/memory.h"
#include "data/blocks.h"
#include "data/csv.h"

#define DETECT_SAMPLE  ((size_t)256 << 10)
#define DETECT_RECORDS 100 /* that separators are tried on */

/* ---- The sample ------------------------------------------------------------------------------ */

void hsp__csv_sample_free(const hsp_allocator *memory, hsp__csv_sample *sample)
{
    hsp__free(memory, sample->text);
    hsp__free(memory, sample->starts);
    hsp__free(memory, sample->flags);
    hsp__free(memory, sample->first_flags);
    hsp__text_free(&sample->first);
}

const char *hsp__csv_first(const hsp__csv_sample *sample, uint32_t i)
{
    return sample->first.data + sample->starts[i];
}

static hsp_status detect_load(hsp_context *ctx, hsp__source *source, size_t want,
                              hsp__csv_sample *sample, hsp_error *err)
{
    const char *bytes;
    hsp_status status = hsp__source_peek(source, want, err, &bytes, &sample->size);
    if (status) return status;
    sample->whole = sample->size < want;
    char *text = hsp__resize(&ctx->allocator, sample->text, sample->size + HSP__BLOCK_PADDING, 1);
    if (!text) return hsp__fail_memory(err);
    sample->text = text;
    if (sample->size) memcpy(text, bytes, sample->size);
    memset(text + sample->size, 0, HSP__BLOCK_PADDING);
    sample->data_at = sample->size >= 3 && memcmp(text, "\xef\xbb\xbf", 3) == 0 ? 3 : 0;
    if (sample->size >= 2 && (memcmp(text, "\xff\xfe", 2) == 0 || memcmp(text, "\xfe\xff", 2) == 0))
        return hsp__fail_at(err, HSP_BAD_DATA, source->name, 1, 1,
                            "this is UTF-16 text, expected UTF-8 (iconv -f UTF-16 -t UTF-8)");
    const char *lone = memchr(text, '\r', sample->size);
    if (lone && lone + 1 < text + sample->size && !memchr(text, '\n', sample->size))
        return hsp__fail_at(err, HSP_BAD_DATA, source->name, 1, 1,
                            "lines end in carriage returns alone, expected newlines "
                            "(tr '\\r' '\\n')");
    return HSP_OK;
}

static hsp__csv_cursor detect_cursor(const hsp__csv_sample *sample, const char *file,
                                     char separator, hsp__text *unquoted)
{
    const char *from = sample->text + sample->data_at;
    return (hsp__csv_cursor){.at = from,
                             .end = sample->text + sample->size,
                             .line_start = from,
                             .line = 1,
                             .separator = separator,
                             .file = file,
                             .unquoted = unquoted};
}

/* Is the record that ended at the cursor all there? The end of a sample cuts one. */
static int detect_complete(const hsp__csv_sample *sample, const hsp__csv_cursor *cursor)
{
    return sample->whole || cursor->at < cursor->end || cursor->at[-1] == '\n';
}

/* ---- The separator --------------------------------------------------------------------------- */

/* How many fields the records have with this separator; 0 if they do not agree or quotes are out
 * of place. *first gets the number of the first record alone. */
static uint64_t detect_fields(const hsp__csv_sample *sample, char separator, hsp__text *unquoted,
                              uint64_t *first)
{
    hsp__csv_cursor cursor = detect_cursor(sample, "", separator, unquoted);
    hsp__csv_field field = {0};
    *first = 0;
    for (int record = 0; record < DETECT_RECORDS && hsp__csv_skip_blank(&cursor); record++) {
        uint64_t fields = 0;
        do {
            if (hsp__csv_next(&cursor, &field, NULL)) return 0;
            fields++;
        } while (!field.last);
        if (record == 0)
            *first = fields;
        else if (fields != *first && detect_complete(sample, &cursor))
            return 0;
    }
    return *first;
}

/* The separator that gives every record the same number of fields, the more the better; if none
 * does, the one that cuts the first record into the most. */
static char detect_separator(const hsp__csv_sample *sample, hsp__text *unquoted)
{
    const char *candidates = ",;\t|";
    char best = ',', best_first = ',';
    uint64_t most = 1, most_first = 1;
    for (const char *c = candidates; *c; c++) {
        uint64_t first, fields = detect_fields(sample, *c, unquoted, &first);
        if (fields > most) {
            most = fields;
            best = *c;
        }
        if (first > most_first) {
            most_first = first;
            best_first = *c;
        }
    }
    return most > 1 ? best : best_first;
}

static hsp_status detect_told_separator(const char *told, hsp_error *err, char *separator)
{
    static const struct {
        const char *word;
        char separator;
    } words[] = {{"comma", ','}, {"semicolon", ';'},         {"tab", '\t'},
                 {"\\t", '\t'},  {"space", HSP__CSV_SPACES}, {"pipe", '|'}};
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (strcmp(told, words[i].word) == 0) {
            *separator = words[i].separator;
            return HSP_OK;
        }
    unsigned char c = (unsigned char)told[0];
    int letter = (c >= '0' && c <= '9') || ((c | 0x20) >= 'a' && (c | 0x20) <= 'z');
    if (!c || told[1] || letter || c >= 0x80 || strchr("\"\r\n.+-", c))
        return hsp__fail(err, HSP_USAGE,
                         "separator '%s' is not comma, semicolon, tab, space, pipe, auto, or one "
                         "character that no number or word holds",
                         told);
    *separator = (char)c;
    return HSP_OK;
}

/* How many columns of an encoding become features. */
static uint64_t detect_features(const hsp_encoding *encoding)
{
    uint64_t features = 0;
    for (uint32_t i = 0; i < encoding->names.count; i++)
        features += hsp__encoding_width(&encoding->columns[i]) > 0;
    return features;
}

/* The separator: as told, or as the encoding's file had it if that fits, or as it looks. */
static hsp_status detect_choose_separator(hsp__csv_sample *sample, int tabs,
                                          const hsp_options *options, const hsp_encoding *encoding,
                                          hsp__text *unquoted, hsp_error *err)
{
    uint64_t first;
    const char *told = hsp_options_text(options, "separator");
    if (strcmp(told, "auto") != 0) return detect_told_separator(told, err, &sample->separator);
    if (tabs)
        sample->separator = '\t';
    else if (encoding && detect_fields(sample, encoding->separator, unquoted, &first) >=
                             detect_features(encoding))
        sample->separator = encoding->separator;
    else
        sample->separator = detect_separator(sample, unquoted);
    return HSP_OK;
}

/* ---- The columns ----------------------------------------------------------------------------- */

static unsigned char detect_flag(const hsp__csv_field *field)
{
    double value;
    hsp__decimal_result result;
    const char *end = field->text + field->size;
    if (hsp__csv_is_missing(field->text, field->size)) return 0;
    if (hsp__decimal_f64(field->text, end, &value, &result) != end) return HSP__CSV_WORD;
    return HSP__CSV_NUMBER; /* inf and 1e999 too: reading says what is wrong with them */
}

/* Keep the fields of the first record. */
static hsp_status detect_first(const hsp_allocator *memory, hsp__csv_cursor *cursor,
                               hsp__csv_sample *sample, hsp_error *err)
{
    hsp__csv_field field = {0};
    uint64_t count = 0;
    do {
        hsp_status status = hsp__csv_next(cursor, &field, err);
        if (status) return status;
        if (memchr(field.text, 0, field.size))
            return hsp__fail_at(err, HSP_BAD_DATA, cursor->file, field.line, field.column,
                                "found a NUL byte: this is not text");
        void *starts = sample->starts;
        if (count == UINT32_MAX - 1 ||
            !hsp__reserve(memory, &starts, &sample->starts_room, count + 1, sizeof *sample->starts))
            return hsp__fail_memory(err);
        sample->starts = starts;
        sample->starts[count++] = sample->first.size;
        hsp__text_add(&sample->first, field.text, field.size);
        hsp__text_add(&sample->first, "", 1);
    } while (!field.last);
    sample->count = (uint32_t)count;
    sample->flags = hsp__new(memory, count, 1);
    sample->first_flags = hsp__new(memory, count, 1);
    if (!sample->flags || !sample->first_flags || sample->first.failed)
        return hsp__fail_memory(err);
    for (uint32_t i = 0; i < sample->count; i++) {
        const char *text = hsp__csv_first(sample, i);
        sample->first_flags[i] = detect_flag(&(hsp__csv_field){.text = text, .size = strlen(text)});
    }
    return HSP_OK;
}

/* What one more record shows of each column. 0 when it is cut short or not well formed; reading
 * will come to it and say so. */
static int detect_record(hsp__csv_cursor *cursor, hsp__csv_sample *sample)
{
    hsp__csv_field field = {0};
    for (uint64_t i = 0; !field.last; i++) {
        if (hsp__csv_next(cursor, &field, NULL)) return 0;
        if (field.last && !detect_complete(sample, cursor)) return 0;
        if (i >= sample->count) continue;
        const char *first = hsp__csv_first(sample, (uint32_t)i);
        int again = strlen(first) == field.size && memcmp(first, field.text, field.size) == 0;
        sample->flags[i] |= (unsigned char)(detect_flag(&field) | (again ? HSP__CSV_AGAIN : 0));
    }
    return 1;
}

/* ---- The header ------------------------------------------------------------------------------ */

static int detect_first_holds(const hsp__csv_sample *sample, const char *name, size_t size)
{
    for (uint32_t i = 0; i < sample->count; i++) {
        const char *first = hsp__csv_first(sample, i);
        if (strlen(first) == size && memcmp(first, name, size) == 0 &&
            sample->first_flags[i] == HSP__CSV_WORD)
            return 1;
    }
    return 0;
}

/* Does an option name a column by what stands in the first record? */
static int detect_named(const hsp__csv_sample *sample, const hsp_options *options)
{
    static const char *const lists[] = {"categorical", "ignore", "ordinal"};
    const char *label = hsp_options_text(options, "label");
    if (strcmp(label, "last") != 0 && strcmp(label, "none") != 0 &&
        detect_first_holds(sample, label, strlen(label)))
        return 1;
    for (size_t k = 0; k < 3; k++)
        for (size_t i = 0; i < hsp_options_list_count(options, lists[k]); i++) {
            const char *item = hsp_options_list_item(options, lists[k], i);
            size_t size = k == 2 ? strcspn(item, "=") : strlen(item);
            if (detect_first_holds(sample, item, size)) return 1;
        }
    return 0;
}

/* All fields of the first record are words, all different, and none comes again in its column. */
static int detect_all_names(const hsp_allocator *memory, const hsp__csv_sample *sample,
                            int *all_names)
{
    hsp__names names;
    hsp__names_init(&names, memory);
    int done = 1;
    *all_names = 1;
    for (uint32_t i = 0; done && *all_names && i < sample->count; i++) {
        uint32_t number;
        const char *first = hsp__csv_first(sample, i);
        done = hsp__names_add(&names, first, strlen(first), &number);
        *all_names = done && number == i && sample->first_flags[i] == HSP__CSV_WORD &&
                     !(sample->flags[i] & HSP__CSV_AGAIN);
    }
    hsp__names_free(&names);
    return done;
}

/* With an encoding that has names: are most of the columns it needs named here? */
static int detect_encoded(const hsp__csv_sample *sample, const hsp_encoding *encoding)
{
    uint64_t found = 0;
    if (!encoding->header) return 0;
    for (uint32_t i = 0; i < sample->count; i++) {
        char number[16];
        const char *first = hsp__csv_first(sample, i);
        if (!*first) { /* a column without a name is called so */
            snprintf(number, sizeof number, "c%u", i + 1);
            first = number;
        }
        uint32_t column = hsp__names_find(&encoding->names, first, strlen(first));
        found += column != HSP__NAME_NONE && hsp__encoding_width(&encoding->columns[column]);
    }
    return found * 2 >= detect_features(encoding);
}

static hsp_status detect_header(const hsp_allocator *memory, hsp__csv_sample *sample,
                                const hsp_options *options, const hsp_encoding *encoding,
                                hsp_error *err)
{
    const char *told = hsp_options_text(options, "header");
    if (strcmp(told, "auto") != 0)
        sample->header = strcmp(told, "yes") == 0;
    else if (encoding)
        sample->header = detect_encoded(sample, encoding);
    else if (detect_named(sample, options))
        sample->header = 1;
    else { /* one record of nothing but words is a header too: of a table without rows */
        for (uint32_t i = 0; !sample->header && i < sample->count; i++)
            sample->header = sample->first_flags[i] == HSP__CSV_WORD &&
                             (sample->flags[i] & ~HSP__CSV_AGAIN) == HSP__CSV_NUMBER;
        if (!sample->header && !detect_all_names(memory, sample, &sample->header))
            return hsp__fail_memory(err);
    }
    return HSP_OK;
}

/* ---- All together ---------------------------------------------------------------------------- */

/* Go through the sample's records. */
static hsp_status detect_scan(const hsp_allocator *memory, const char *file, hsp__text *unquoted,
                              hsp__csv_sample *sample, size_t *header_end, uint64_t *header_lines,
                              hsp_error *err)
{
    hsp__csv_cursor cursor = detect_cursor(sample, file, sample->separator, unquoted);
    if (!hsp__csv_skip_blank(&cursor))
        return hsp__fail_at(err, HSP_BAD_DATA, file, 0, 0, "there is nothing in this file");
    const char *begin = cursor.at;
    hsp_status status = detect_first(memory, &cursor, sample, err);
    if (status) return status;
    *header_end = (size_t)(cursor.at - sample->text);
    *header_lines = cursor.line - 1;
    const char *end = cursor.at;
    for (sample->records = 1; hsp__csv_skip_blank(&cursor) && detect_record(&cursor, sample);) {
        sample->records++;
        end = cursor.at;
    }
    sample->record_bytes = (size_t)(end - begin);
    return unquoted->failed ? hsp__fail_memory(err) : HSP_OK;
}

/* Does the sample hold at least two records? Enough too is the whole file, or one in which a quote
 * is out of place: reading will say so. */
static int detect_enough(const hsp__csv_sample *sample, hsp__text *unquoted)
{
    hsp__csv_cursor cursor = detect_cursor(sample, "", sample->separator, unquoted);
    hsp__csv_field field;
    for (int record = 0; record < 2; record++) {
        if (sample->whole) return 1;
        if (!hsp__csv_skip_blank(&cursor)) return 0;
        do
            if (hsp__csv_next(&cursor, &field, NULL)) return !cursor.unclosed;
        while (!field.last);
        if (!detect_complete(sample, &cursor)) return 0;
    }
    return 1;
}

hsp_status hsp__csv_detect(hsp_context *ctx, hsp__source *source, int tabs,
                           const hsp_options *options, const hsp_encoding *encoding, hsp_error *err,
                           hsp__csv_sample *sample)
{
    size_t header_end = 0;
    uint64_t header_lines = 0;
    hsp__text unquoted;
    hsp__text_init(&unquoted, &ctx->allocator);
    hsp__text_init(&sample->first, &ctx->allocator);
    hsp_status status;
    size_t want = DETECT_SAMPLE;
    do {
        status = detect_load(ctx, source, want, sample, err);
        if (!status)
            status = detect_choose_separator(sample, tabs, options, encoding, &unquoted, err);
        want *= 4;
    } while (!status && !detect_enough(sample, &unquoted));
    if (!status)
        status = detect_scan(&ctx->allocator, source->name, &unquoted, sample, &header_end,
                             &header_lines, err);
    if (!status) status = detect_header(&ctx->allocator, sample, options, encoding, err);
    if (!status && sample->header) {
        sample->data_at = header_end;
        sample->data_line = header_lines;
    }
    hsp__text_free(&unquoted);
    return status;
}
