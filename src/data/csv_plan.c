/* What kind of CSV file this is, by its first records: the separator, whether the first record holds
 * names, and which columns hold words. The sample's size is fixed, so that the answer depends on the
 * file alone. Then what becomes of each column: by the options and the sample when an encoding is
 * made, by the encoding when one is given. */
#include <stdio.h>

#include "base/base.h"
#include "base/decimal.h"
#include "data/csv.h"
#include "data/formats.h"

#define PLAN_SAMPLE  ((size_t)256 << 10)
#define PLAN_RECORDS 100 /* that separators are tried on */

static const struct {
    const char *word;
    char separator;
} plan_separators[] = {{"comma", ','}, {"semicolon", ';'}, {"tab", '\t'},
                       {"pipe", '|'},  {"\\t", '\t'},      {"space", HSP__CSV_SPACES}};

enum {
    PLAN_NUMBER = 1, /* a number was seen in this column */
    PLAN_WORD = 2,   /* something that is neither a number nor missing was seen */
    PLAN_AGAIN = 4   /* the first record's text was seen again */
};

/* What the first records of a file show. */
typedef struct plan_sample {
    const char *file;
    char *text; /* size bytes, padded */
    size_t size;
    int whole;    /* it is the whole file */
    size_t begin; /* of the first record: behind a mark */
    char separator;
    int header;       /* the first record holds names */
    hsp__text first;  /* the fields of the first record, each with a NUL behind it */
    uint64_t *starts; /* count: of those fields */
    uint64_t starts_room;
    uint32_t count;             /* columns */
    unsigned char *flags;       /* count, of PLAN_..., the records after the first */
    unsigned char *first_flags; /* count, of the first record */
    size_t first_end;           /* where the first record ends */
    uint64_t first_lines;       /* and how many lines it has */
    double record_bytes;        /* of a record, on average */
    hsp__text unquoted;         /* scratch */
} plan_sample;

static void plan_sample_free(const hsp_allocator *memory, plan_sample *sample)
{
    hsp__free(memory, sample->text);
    hsp__free(memory, sample->starts);
    hsp__free(memory, sample->flags);
    hsp__free(memory, sample->first_flags);
    hsp__text_free(&sample->first);
    hsp__text_free(&sample->unquoted);
}

/* Field i of the first record. */
static const char *plan_first(const plan_sample *sample, uint32_t i)
{
    return sample->first.data + sample->starts[i];
}

/* ---- The sample ------------------------------------------------------------------------------ */

static hsp_status plan_load(hsp_context *ctx, hsp__source *source, size_t want, plan_sample *sample,
                            hsp_error *err)
{
    const char *bytes;
    HSP__TRY(hsp__source_peek(source, want, err, &bytes, &sample->size));
    sample->whole = sample->size < want;
    char *text = hsp__resize(&ctx->allocator, sample->text, sample->size + HSP__BLOCK_PADDING, 1);
    if (!text) return hsp__fail_memory(err);
    sample->text = text;
    if (sample->size) memcpy(text, bytes, sample->size);
    memset(text + sample->size, 0, HSP__BLOCK_PADDING);
    sample->begin = sample->size >= 3 && memcmp(text, "\xef\xbb\xbf", 3) == 0 ? 3 : 0;
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

static hsp__csv_cursor plan_cursor(plan_sample *sample, char separator)
{
    hsp__csv_cursor cursor = hsp__csv_begin(
        sample->text + sample->begin, sample->size - sample->begin, separator, &sample->unquoted);
    cursor.file = sample->file;
    return cursor;
}

/* Is the record that ended at the cursor all there? The end of a sample cuts one. */
static int plan_complete(const plan_sample *sample, const hsp__csv_cursor *cursor)
{
    return sample->whole || cursor->at < cursor->end || cursor->at[-1] == '\n';
}

/* How many fields the records have with this separator; 0 if they do not agree or quotes are out
 * of place. *first gets the number of the first record alone. */
static uint64_t plan_fields(plan_sample *sample, char separator, uint64_t *first)
{
    hsp__csv_cursor cursor = plan_cursor(sample, separator);
    hsp__csv_field field = {0};
    *first = 0;
    for (int record = 0; record < PLAN_RECORDS && hsp__csv_skip_blank(&cursor); record++) {
        uint64_t fields = 0;
        do {
            if (hsp__csv_next(&cursor, &field, NULL)) return 0;
            fields++;
        } while (!field.last);
        if (record == 0)
            *first = fields;
        else if (fields != *first && plan_complete(sample, &cursor))
            return 0;
    }
    return *first;
}

/* How many columns of an encoding become features. */
static uint64_t plan_features(const hsp_encoding *encoding)
{
    uint64_t features = 0;
    for (uint32_t i = 0; i < encoding->names.count; i++)
        features += hsp__encoding_width(&encoding->columns[i]) > 0;
    return features;
}

/* The separator: as told, or as the encoding's file had it if that fits, or the one that gives every
 * record the same number of fields, the more the better; if none does, the one that cuts the first
 * record into the most. */
static hsp_status plan_choose_separator(plan_sample *sample, int tabs, const hsp_options *options,
                                        const hsp_encoding *encoding, hsp_error *err)
{
    uint64_t first, most = 1, most_first = 1;
    const char *told = hsp_options_text(options, "separator");
    for (size_t i = 0; i < sizeof plan_separators / sizeof *plan_separators; i++) {
        sample->separator = plan_separators[i].separator;
        if (strcmp(told, plan_separators[i].word) == 0) return HSP_OK;
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
    sample->separator = tabs ? '\t' : encoding ? encoding->separator : ',';
    if (tabs ||
        (encoding && plan_fields(sample, encoding->separator, &first) >= plan_features(encoding)))
        return HSP_OK;
    char best = ',', best_first = ',';
    for (const char *c = ",;\t|"; *c; c++) {
        const uint64_t fields = plan_fields(sample, *c, &first);
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
static int plan_enough(plan_sample *sample)
{
    hsp__csv_cursor cursor = plan_cursor(sample, sample->separator);
    hsp__csv_field field;
    for (int record = 0; record < 2; record++) {
        if (sample->whole) return 1;
        if (!hsp__csv_skip_blank(&cursor)) return 0;
        do
            if (hsp__csv_next(&cursor, &field, NULL)) return !cursor.unclosed;
        while (!field.last);
        if (!plan_complete(sample, &cursor)) return 0;
    }
    return 1;
}

/* ---- The records ----------------------------------------------------------------------------- */

static unsigned char plan_flag(const char *text, size_t size)
{
    double value;
    hsp__decimal_result result;
    if (hsp__csv_is_missing(text, size)) return 0;
    if (hsp__decimal_f64(text, text + size, &value, &result) != text + size) return PLAN_WORD;
    return PLAN_NUMBER; /* inf and 1e999 too: reading says what is wrong with them */
}

/* Keep the fields of the first record. */
static hsp_status plan_keep_first(const hsp_allocator *memory, hsp__csv_cursor *cursor,
                                  plan_sample *sample, hsp_error *err)
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
    if (!sample->flags || !sample->first_flags || sample->first.failed)
        return hsp__fail_memory(err);
    for (uint32_t i = 0; i < sample->count; i++)
        sample->first_flags[i] = plan_flag(plan_first(sample, i), strlen(plan_first(sample, i)));
    return HSP_OK;
}

/* What one more record shows of each column. 0 when it is cut short or not well formed; reading
 * will come to it and say so. */
static int plan_see_record(hsp__csv_cursor *cursor, plan_sample *sample)
{
    hsp__csv_field field = {0};
    for (uint64_t i = 0; !field.last; i++) {
        if (hsp__csv_next(cursor, &field, NULL)) return 0;
        if (field.last && !plan_complete(sample, cursor)) return 0;
        if (i >= sample->count) continue;
        const char *first = plan_first(sample, (uint32_t)i);
        int again = strlen(first) == field.size && memcmp(first, field.text, field.size) == 0;
        sample->flags[i] |=
            (unsigned char)(plan_flag(field.text, field.size) | (again ? PLAN_AGAIN : 0));
    }
    return 1;
}

/* ---- The header ------------------------------------------------------------------------------ */

static int plan_first_holds(const plan_sample *sample, const char *name, size_t size)
{
    for (uint32_t i = 0; i < sample->count; i++) {
        const char *first = plan_first(sample, i);
        if (strlen(first) == size && memcmp(first, name, size) == 0 &&
            sample->first_flags[i] == PLAN_WORD)
            return 1;
    }
    return 0;
}

/* Does an option name a column by what stands in the first record? */
static int plan_named(const plan_sample *sample, const hsp_options *options)
{
    static const char *const lists[] = {"categorical", "ignore", "ordinal"};
    const char *label = hsp_options_text(options, "label");
    if (strcmp(label, "last") != 0 && strcmp(label, "none") != 0 &&
        plan_first_holds(sample, label, strlen(label)))
        return 1;
    for (size_t k = 0; k < 3; k++)
        for (size_t i = 0; i < hsp_options_list_count(options, lists[k]); i++) {
            const char *item = hsp_options_list_item(options, lists[k], i);
            if (plan_first_holds(sample, item, k == 2 ? strcspn(item, "=") : strlen(item)))
                return 1;
        }
    return 0;
}

/* The name of column i: the header's, or c1, c2, ... */
static const char *plan_column_name(const plan_sample *sample, uint32_t i, int header,
                                    char number[16])
{
    const char *name = header ? plan_first(sample, i) : "";
    snprintf(number, 16, "c%u", i + 1);
    return *name ? name : number;
}

static hsp_status plan_find_header(const hsp_allocator *memory, plan_sample *sample,
                                   const hsp_options *options, const hsp_encoding *encoding,
                                   hsp_error *err)
{
    const char *told = hsp_options_text(options, "header");
    sample->header = strcmp(told, "yes") == 0;
    if (strcmp(told, "auto") != 0) return HSP_OK;
    if (encoding) { /* one that has names: are most of the columns it needs named here? */
        uint64_t found = 0;
        for (uint32_t i = 0; i < sample->count; i++) {
            char number[16];
            const char *name = plan_column_name(sample, i, 1, number);
            const uint32_t column = hsp__names_find(&encoding->names, name, strlen(name));
            found += column != HSP__NAME_NONE && hsp__encoding_width(&encoding->columns[column]);
        }
        sample->header = encoding->header && found * 2 >= plan_features(encoding);
        return HSP_OK;
    }
    sample->header = plan_named(sample, options);
    for (uint32_t i = 0; !sample->header && i < sample->count; i++)
        sample->header =
            sample->first_flags[i] == PLAN_WORD && (sample->flags[i] & ~PLAN_AGAIN) == PLAN_NUMBER;
    if (sample->header) return HSP_OK;
    /* words, all different, of which none comes again in its column: of a table without rows, one
     * record of nothing but words is a header too */
    hsp__names names;
    hsp__names_init(&names, memory);
    int done = 1, all_names = 1;
    for (uint32_t i = 0; done && all_names && i < sample->count; i++) {
        uint32_t number;
        const char *first = plan_first(sample, i);
        done = hsp__names_add(&names, first, strlen(first), &number);
        all_names = done && number == i && sample->first_flags[i] == PLAN_WORD &&
                    !(sample->flags[i] & PLAN_AGAIN);
    }
    hsp__names_free(&names);
    sample->header = all_names;
    return done ? HSP_OK : hsp__fail_memory(err);
}

/* Look at the beginning of the source, without consuming it; plan_sample_free ends it, also after a
 * failure. */
static hsp_status plan_detect(hsp_context *ctx, hsp__source *source, int tabs,
                              const hsp_options *options, const hsp_encoding *encoding,
                              hsp_error *err, plan_sample *sample)
{
    size_t want = PLAN_SAMPLE;
    sample->file = source->name;
    hsp__text_init(&sample->unquoted, &ctx->allocator);
    hsp__text_init(&sample->first, &ctx->allocator);
    do {
        HSP__TRY(plan_load(ctx, source, want, sample, err));
        HSP__TRY(plan_choose_separator(sample, tabs, options, encoding, err));
        want *= 4;
    } while (!plan_enough(sample));
    hsp__csv_cursor cursor = plan_cursor(sample, sample->separator);
    if (!hsp__csv_skip_blank(&cursor))
        return hsp__fail_at(err, HSP_BAD_DATA, sample->file, 0, 0, "there is nothing in this file");
    const char *begin = cursor.at;
    HSP__TRY(plan_keep_first(&ctx->allocator, &cursor, sample, err));
    sample->first_end = (size_t)(cursor.at - sample->text);
    sample->first_lines = cursor.line - 1;
    const char *end = cursor.at;
    double records = 1;
    for (; hsp__csv_skip_blank(&cursor) && plan_see_record(&cursor, sample); records++)
        end = cursor.at;
    sample->record_bytes = (double)(end - begin) / records;
    if (sample->unquoted.failed) return hsp__fail_memory(err);
    return plan_find_header(&ctx->allocator, sample, options, encoding, err);
}

/* ---- Columns by name ------------------------------------------------------------------------- */

void hsp__csv_plan_free(const hsp_allocator *memory, hsp__csv_plan *plan)
{
    hsp__free(memory, plan->columns);
    hsp__free(memory, plan->cell_columns);
    hsp__names_free(&plan->names);
    hsp_encoding_free(plan->encoding);
}

const char *hsp__csv_name(const hsp__csv_plan *plan, uint32_t j)
{
    return hsp__names_get(&plan->names, j);
}

void hsp__csv_plan_keep(hsp__csv_plan *plan, hsp__reading reading)
{
    plan->reading = reading;
    plan->precision = hsp__keep_precision(reading.keep);
}

/* A new encoding with the file's columns. */
static hsp_status plan_name_columns(hsp_context *ctx, const plan_sample *sample, hsp_error *err,
                                    hsp_encoding **out)
{
    uint32_t renamed = 0, last = 0;
    hsp_encoding *encoding = *out = hsp__encoding_new(&ctx->allocator);
    if (!encoding) return hsp__fail_memory(err);
    for (uint32_t i = 0; i < sample->count; i++) {
        char number[16];
        const char *name = plan_column_name(sample, i, sample->header, number);
        if (!hsp__encoding_add(encoding, name, strlen(name))) return hsp__fail_memory(err);
        if (strcmp(hsp__names_get(&encoding->names, i), name) == 0) continue;
        renamed++;
        last = i;
    }
    if (renamed)
        hsp__log(ctx, HSP_LOG_NOTE,
                 "%s: %u column name(s) appear twice and were changed; column %u is now '%s'",
                 sample->file, renamed, last + 1, hsp__names_get(&encoding->names, last));
    return HSP_OK;
}

/* The column that a user means by `word`: its name, or its number from 1. */
static hsp_status plan_find(const hsp__names *names, const char *word, size_t size,
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
    return hsp__fail(err, HSP_USAGE,
                     "%s: there is no column '%s' (the file has %u columns; the first is '%s', "
                     "the last '%s')",
                     option, hsp__quote(word, size, quoted), names->count, hsp__names_get(names, 0),
                     hsp__names_get(names, names->count - 1));
}

/* The label's column by the option; HSP__NAME_NONE for none. */
static hsp_status plan_find_label(const hsp__names *names, const char *word, hsp_error *err,
                                  uint32_t *column)
{
    *column = names->count - 1;
    if (strcmp(word, "last") == 0) return HSP_OK;
    *column = HSP__NAME_NONE;
    if (strcmp(word, "none") == 0) return HSP_OK;
    return plan_find(names, word, strlen(word), "label", err, column);
}

/* What the sample says of the whole file. */
static void plan_take_sample(hsp__csv_plan *plan, const plan_sample *sample)
{
    plan->file = sample->file;
    plan->separator = sample->separator;
    plan->header = sample->header;
    plan->data_at = sample->header ? sample->first_end : sample->begin;
    plan->data_line = sample->header ? sample->first_lines : 0;
    plan->record_bytes = sample->record_bytes;
    plan->count = sample->count;
}

hsp_status hsp__csv_find_columns(hsp_context *ctx, hsp__source *source, int tabs,
                                 const hsp_options *options, const char *group, hsp_error *err,
                                 hsp__csv_plan *plan, uint32_t *label_column,
                                 uint32_t *group_column)
{
    plan_sample sample = {0};
    hsp_encoding *named = NULL;
    *group_column = HSP__NAME_NONE;
    hsp_status status = plan_detect(ctx, source, tabs, options, NULL, err, &sample);
    if (!status) status = plan_name_columns(ctx, &sample, err, &named);
    if (!status)
        status =
            plan_find_label(&named->names, hsp_options_text(options, "label"), err, label_column);
    if (!status && group)
        status = plan_find(&named->names, group, strlen(group), "group", err, group_column);
    plan_take_sample(plan, &sample);
    hsp_encoding_free(named);
    plan_sample_free(&ctx->allocator, &sample);
    return status;
}

/* ---- Making an encoding ---------------------------------------------------------------------- */

/* The values A<B<C of an ordinal column. */
static hsp_status plan_add_order(hsp__names *values, const char *item, const char *order,
                                 hsp_error *err)
{
    for (const char *p = order;; p++) {
        size_t size = strcspn(p, "<");
        const char *next = p + size;
        while (size && *p == ' ') {
            p++;
            size--;
        }
        while (size && p[size - 1] == ' ')
            size--;
        uint32_t number, before = values->count;
        if (!size)
            return hsp__fail(err, HSP_USAGE, "ordinal: '%s' has an empty value in its order", item);
        if (!hsp__names_add(values, p, size, &number)) return hsp__fail_memory(err);
        if (number != before)
            return hsp__fail(err, HSP_USAGE, "ordinal: '%s' has a value twice", item);
        if (!*next) return HSP_OK;
        p = next;
    }
}

/* The kinds that the options say; `told` marks their columns: two options about one contradict each
 * other. */
static hsp_status plan_set_kinds(hsp_encoding *encoding, const hsp_options *options,
                                 unsigned char *told, hsp_error *err)
{
    static const struct {
        const char *option;
        hsp__column_kind kind;
    } lists[] = {{"ignore", HSP__COLUMN_IGNORED},
                 {"categorical", HSP__COLUMN_CATEGORY},
                 {"ordinal", HSP__COLUMN_ORDINAL}};
    uint32_t column;
    HSP__TRY(plan_find_label(&encoding->names, hsp_options_text(options, "label"), err, &column));
    if (column != HSP__NAME_NONE) {
        told[column] = 1;
        encoding->columns[column].kind = HSP__COLUMN_LABEL;
    }
    for (size_t k = 0; k < sizeof lists / sizeof *lists; k++)
        for (size_t i = 0; i < hsp_options_list_count(options, lists[k].option); i++) {
            const char *item = hsp_options_list_item(options, lists[k].option, i);
            const int ordinal = lists[k].kind == HSP__COLUMN_ORDINAL;
            const size_t size = ordinal ? strcspn(item, "=") : strlen(item);
            if (ordinal && !item[size])
                return hsp__fail(err, HSP_USAGE, "ordinal: '%s' is not of the form COLUMN=A<B<C",
                                 item);
            HSP__TRY(plan_find(&encoding->names, item, size, lists[k].option, err, &column));
            if (told[column]++)
                return hsp__fail(err, HSP_USAGE, "%s: column '%s' is used by another option",
                                 lists[k].option, hsp__names_get(&encoding->names, column));
            encoding->columns[column].kind = lists[k].kind;
            if (ordinal)
                HSP__TRY(
                    plan_add_order(&encoding->columns[column].values, item, item + size + 1, err));
        }
    return HSP_OK;
}

static hsp_status plan_make(hsp_context *ctx, const plan_sample *sample, const hsp_options *options,
                            hsp__csv_plan *plan, hsp_error *err)
{
    HSP__TRY(plan_name_columns(ctx, sample, err, &plan->encoding));
    hsp_encoding *encoding = plan->encoding;
    plan->missing = (hsp__missing)hsp__missing_of(hsp_options_text(options, "missing"));
    encoding->separator = sample->separator;
    encoding->header = sample->header;
    encoding->missing = plan->missing;
    for (uint32_t i = 0; i < sample->count; i++) {
        const int flags = sample->flags[i] | (sample->header ? 0 : sample->first_flags[i]);
        encoding->columns[i].kind = flags & PLAN_WORD ? HSP__COLUMN_CATEGORY : HSP__COLUMN_NUMBER;
    }
    unsigned char *told = hsp__new(&ctx->allocator, sample->count, 1);
    hsp_status status = told ? plan_set_kinds(encoding, options, told, err) : hsp__fail_memory(err);
    hsp__free(&ctx->allocator, told);
    HSP__TRY(status);
    for (uint32_t j = 0; j < plan->count; j++)
        plan->columns[j] = (hsp__csv_column){encoding->columns[j].kind, j, 0, HSP__NAME_NONE};
    return hsp__names_copy(&plan->names, &encoding->names) ? HSP_OK : hsp__fail_memory(err);
}

/* ---- Applying an encoding -------------------------------------------------------------------- */

/* Match columns by name; every feature must be there. */
static hsp_status plan_match_names(hsp_context *ctx, hsp__csv_plan *plan, hsp_error *err)
{
    const hsp_encoding *encoding = plan->encoding;
    uint32_t known = 0;
    for (uint32_t i = 0; i < encoding->names.count; i++) {
        const char *name = hsp__names_get(&encoding->names, i);
        uint32_t j = hsp__names_find(&plan->names, name, strlen(name));
        hsp__column_kind kind = encoding->columns[i].kind;
        known += j != HSP__NAME_NONE;
        if (j != HSP__NAME_NONE)
            plan->columns[j] = (hsp__csv_column){kind, i, 0, HSP__NAME_NONE};
        else if (kind != HSP__COLUMN_LABEL && kind != HSP__COLUMN_IGNORED)
            return hsp__fail_at(err, HSP_BAD_DATA, plan->file, 0, 0,
                                "there is no column '%s', which the encoding needs", name);
    }
    if (known < plan->count)
        hsp__log(ctx, HSP_LOG_NOTE,
                 "%s: %u column(s) that the encoding does not know were left out", plan->file,
                 plan->count - known);
    return HSP_OK;
}

/* Match columns by position; only the label may be away. */
static hsp_status plan_match_positions(hsp__csv_plan *plan, hsp_error *err)
{
    const hsp_encoding *encoding = plan->encoding;
    const uint32_t columns = encoding->names.count;
    uint32_t label = 0;
    while (label < columns && encoding->columns[label].kind != HSP__COLUMN_LABEL)
        label++;
    const int away = label < columns && plan->count == columns - 1;
    if (plan->count != columns && !away)
        return hsp__fail_at(err, HSP_BAD_DATA, plan->file, plan->data_line + 1, 0,
                            "found %u columns, expected %u%s as in the encoding", plan->count,
                            columns, label < columns ? " (one less without labels)" : "");
    for (uint32_t i = 0, j = 0; i < columns; i++) {
        if (away && i == label) continue;
        plan->columns[j++] = (hsp__csv_column){encoding->columns[i].kind, i, 0, HSP__NAME_NONE};
    }
    return HSP_OK;
}

static hsp_status plan_apply(hsp_context *ctx, const plan_sample *sample,
                             const hsp_options *options, const hsp_encoding *encoding,
                             hsp__csv_plan *plan, hsp_error *err)
{
    hsp_encoding *named = NULL;
    plan->given = 1;
    HSP__TRY(hsp__encoding_copy(&ctx->allocator, encoding, err, &plan->encoding));
    hsp_status status = plan_name_columns(ctx, sample, err, &named);
    if (!status && !hsp__names_copy(&plan->names, &named->names)) status = hsp__fail_memory(err);
    hsp_encoding_free(named);
    HSP__TRY(status);
    for (uint32_t j = 0; j < plan->count; j++)
        plan->columns[j] = (hsp__csv_column){HSP__COLUMN_IGNORED, 0, 0, HSP__NAME_NONE};
    HSP__TRY(sample->header && encoding->header ? plan_match_names(ctx, plan, err)
                                                : plan_match_positions(plan, err));
    if (hsp_options_is_set(options, "label")) { /* overrides the encoding's label column */
        uint32_t label;
        HSP__TRY(plan_find_label(&plan->names, hsp_options_text(options, "label"), err, &label));
        for (uint32_t j = 0; j < plan->count; j++)
            if (plan->columns[j].kind == HSP__COLUMN_LABEL)
                plan->columns[j].kind = HSP__COLUMN_IGNORED;
        if (label != HSP__NAME_NONE && plan->columns[label].kind != HSP__COLUMN_IGNORED)
            return hsp__fail(err, HSP_USAGE, "label: column '%s' is a feature by the encoding",
                             hsp__csv_name(plan, label));
        if (label != HSP__NAME_NONE) plan->columns[label].kind = HSP__COLUMN_LABEL;
    }
    /* the encoding says what to do about missing values; leaving rows out, or refusing, goes with
     * any */
    plan->missing = encoding->missing;
    if (hsp_options_is_set(options, "missing"))
        plan->missing = (hsp__missing)hsp__missing_of(hsp_options_text(options, "missing"));
    if (plan->missing != encoding->missing && plan->missing != HSP__MISSING_DROP &&
        plan->missing != HSP__MISSING_ERROR)
        return hsp__fail(err, HSP_USAGE, "missing: the encoding was made with '%s', not '%s'",
                         hsp__missing_word(encoding->missing), hsp__missing_word(plan->missing));
    /* means that somebody wrote by hand may be too large for the numbers at hand */
    for (uint32_t i = 0; plan->missing == HSP__MISSING_MEAN &&
                         plan->reading.keep != HSP__KEEP_DOUBLE && i < encoding->names.count;
         i++) {
        if (isfinite((float)encoding->columns[i].mean)) continue;
        if (plan->reading.keep == HSP__KEEP_SINGLE && plan->reading.watch == HSP__WATCH_NONE)
            return hsp__fail_at(err, HSP_BAD_DATA, plan->file, 0, 0,
                                "the mean of column '%s' in the encoding does not fit 32 bits",
                                hsp__names_get(&encoding->names, i));
        hsp__csv_plan_keep(plan,
                           (hsp__reading){HSP__KEEP_DOUBLE, HSP__WATCH_NONE, HSP__REWRITE_NONE});
    }
    return HSP_OK;
}

/* ---- Both ------------------------------------------------------------------------------------ */

/* Number the cells of a row: the features' columns, in the encoding's order. */
static hsp_status plan_number_cells(hsp_context *ctx, hsp__csv_plan *plan, hsp_error *err)
{
    const hsp_encoding *encoding = plan->encoding;
    uint32_t *cell_of = hsp__new(&ctx->allocator, encoding->names.count, sizeof *cell_of);
    plan->cell_columns =
        hsp__new(&ctx->allocator, encoding->names.count, sizeof *plan->cell_columns);
    if (!cell_of || !plan->cell_columns) {
        hsp__free(&ctx->allocator, cell_of);
        return hsp__fail_memory(err);
    }
    for (uint32_t i = 0; i < encoding->names.count; i++) {
        hsp__column_kind kind = encoding->columns[i].kind;
        if (kind == HSP__COLUMN_IGNORED || kind == HSP__COLUMN_LABEL) continue;
        plan->cell_columns[plan->cells] = i;
        cell_of[i] = plan->cells++;
    }
    for (uint32_t j = 0; j < plan->count; j++) {
        hsp__csv_column *column = &plan->columns[j];
        column->cell = cell_of[column->encoded];
        plan->labelled |= column->kind == HSP__COLUMN_LABEL;
        if (column->kind == HSP__COLUMN_LABEL || column->kind == HSP__COLUMN_CATEGORY)
            column->words = plan->words++;
    }
    hsp__free(&ctx->allocator, cell_of);
    if (plan->cells) return HSP_OK;
    return hsp__fail_at(err, HSP_BAD_DATA, plan->file, 0, 0,
                        "no column is left for features: all %u are the label or ignored",
                        plan->count);
}

/* The names of some columns, the first ten of a kind. */
static void plan_list(hsp__text *text, const hsp__csv_plan *plan, hsp__column_kind kind,
                      const char *what)
{
    uint32_t found = 0;
    for (uint32_t j = 0; j < plan->count; j++) {
        if (plan->columns[j].kind != kind || found++ >= 10) continue;
        if (found == 1) hsp__text_printf(text, "; %s: ", what);
        hsp__text_printf(text, "%s%.40s", found > 1 ? ", " : "", hsp__csv_name(plan, j));
    }
    if (found > 10) hsp__text_printf(text, " and %u more", found - 10);
}

/* Tell the user what was found, so that a wrong guess is seen. */
static hsp_status plan_tell(hsp_context *ctx, const hsp__csv_plan *plan, hsp_error *err)
{
    if (!ctx->log) return HSP_OK;
    const char own[2] = {plan->separator, 0}, *separator = own;
    for (size_t i = sizeof plan_separators / sizeof *plan_separators; i-- > 0;)
        if (plan_separators[i].separator == plan->separator) separator = plan_separators[i].word;
    hsp__text text;
    hsp__text_init(&text, &ctx->allocator);
    hsp__text_printf(&text, "separator %s%s; %s; %u column%s", separator,
                     plan->separator == HSP__CSV_SPACES ? "s" : "",
                     plan->header ? "names in the first line" : "no names in the first line",
                     plan->count, plan->count == 1 ? "" : "s");
    plan_list(&text, plan, HSP__COLUMN_LABEL, "label");
    if (!plan->labelled) hsp__text_puts(&text, "; no label");
    plan_list(&text, plan, HSP__COLUMN_CATEGORY, "categories");
    plan_list(&text, plan, HSP__COLUMN_ORDINAL, "ordered");
    plan_list(&text, plan, HSP__COLUMN_IGNORED, "ignored");
    hsp_status status = text.failed ? hsp__fail_memory(err) : HSP_OK;
    if (!status) hsp__log(ctx, HSP_LOG_NOTE, "%s: %s", plan->file, text.data);
    hsp__text_free(&text);
    return status;
}

hsp_status hsp__csv_plan_make(hsp_context *ctx, hsp__source *source, int tabs,
                              const hsp_options *options, hsp__reading reading,
                              const hsp_encoding *encoding, hsp_error *err, hsp__csv_plan *plan)
{
    plan_sample sample = {0};
    hsp_status status = plan_detect(ctx, source, tabs, options, encoding, err, &sample);
    plan_take_sample(plan, &sample);
    hsp__csv_plan_keep(plan, reading);
    hsp__names_init(&plan->names, &ctx->allocator);
    plan->columns = hsp__new(&ctx->allocator, plan->count, sizeof *plan->columns);
    if (!status && !plan->columns) status = hsp__fail_memory(err);
    if (!status)
        status = encoding ? plan_apply(ctx, &sample, options, encoding, plan, err)
                          : plan_make(ctx, &sample, options, plan, err);
    plan_sample_free(&ctx->allocator, &sample);
    if (!status) status = plan_number_cells(ctx, plan, err);
    return status ? status : plan_tell(ctx, plan, err);
}
