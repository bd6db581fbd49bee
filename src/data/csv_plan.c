/* What becomes of each column of a CSV file: by the options and its first records (csv_sample.c) when
 * an encoding is made, by the encoding when one is given. */
#include <strings.h>

#include "base/base.h"
#include "base/decimal.h"
#include "data/csv_sample.h"
#include "data/formats.h"

/* ---- Columns by name ------------------------------------------------------------------------- */

void hsp__csv_plan_free(const hsp_allocator *memory, hsp__csv_plan *plan)
{
    hsp__free(memory, plan->columns);
    hsp__free(memory, plan->cell_columns);
    hsp__free(memory, plan->cell_parts);
    hsp__names_free(&plan->names);
    hsp_encoding_free(plan->encoding);
}

int hsp__csv_is_missing(const hsp__csv_plan *plan, uint32_t j, const char *text, size_t size)
{
    const hsp__csv_column *of = &plan->columns[j];
    const hsp__column *column = &plan->encoding->columns[of->encoded];
    const hsp__mark mark = hsp__cell_mark(&plan->encoding->rules, text, size);
    if (mark == HSP__MARK_NONE) return 0;
    if (mark == HSP__MARK_ALWAYS || of->kind == HSP__COLUMN_NUMBER || of->kind == HSP__COLUMN_DATE)
        return 1;
    if (mark == HSP__MARK_NUMBERS) return 0;
    if (mark == HSP__MARK_USUAL && of->kind == HSP__COLUMN_LABEL) return 0;
    const hsp__names *known = of->kind == HSP__COLUMN_LABEL     ? &plan->encoding->classes
                              : of->kind == HSP__COLUMN_ORDINAL ? &column->values
                              : plan->given                     ? &column->values
                                                                : NULL;
    return !known || hsp__names_find(known, text, size) == HSP__NAME_NONE;
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
static hsp_status plan_name_columns(hsp_context *ctx, const hsp__csv_sample *sample, hsp_error *err,
                                    hsp_encoding **out)
{
    uint32_t renamed = 0, last = 0;
    hsp_encoding *encoding = *out = hsp__encoding_new(&ctx->allocator);
    if (!encoding) return hsp__fail_memory(err);
    for (uint32_t i = 0; i < sample->count; i++) {
        char number[16];
        const char *name = hsp__csv_column_name(sample, i, sample->header, number);
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

/* The label's column by the option; HSP__NAME_NONE for none. */
static hsp_status plan_find_label(const hsp__names *names, const char *word, hsp_error *err,
                                  uint32_t *column)
{
    *column = names->count - 1;
    if (strcmp(word, "last") == 0) return HSP_OK;
    *column = 0;
    if (strcmp(word, "first") == 0 && hsp__names_find(names, word, 5) == HSP__NAME_NONE)
        return HSP_OK;
    *column = HSP__NAME_NONE;
    if (strcmp(word, "none") == 0) return HSP_OK;
    return hsp__csv_find_column(names, word, strlen(word), "label", err, column);
}

/* What the sample says of the whole file. */
static void plan_take_sample(hsp__csv_plan *plan, const hsp__csv_sample *sample)
{
    plan->file = sample->file;
    plan->separator = sample->separator;
    plan->header = sample->header;
    plan->data_at = sample->header ? sample->first_end : sample->begin;
    plan->data_line = sample->header ? sample->first_lines : sample->lines;
    plan->record_bytes = sample->record_bytes;
    plan->count = sample->count;
}

/* ---- Several files --------------------------------------------------------------------------- */

/* The beginning of a later file: its first record must be the header of the first file again, or,
 * where that has none, as long. */
static hsp_status plan_begin_part(void *user, hsp_context *ctx, hsp__source *source, hsp_error *err)
{
    const hsp__csv_plan *plan = user;
    const char *first = source->part_names[0];
    hsp__csv_sample sample = {.header = plan->header};
    hsp_encoding *named = NULL;
    hsp__csv_plan part = {0};
    HSP__TRY(hsp__format_check_part(source, err));
    hsp_status status = hsp__csv_sample_first(ctx, source, plan->separator, err, &sample);
    if (!status && sample.count != plan->count)
        status = hsp__fail_at(err, HSP_BAD_DATA, sample.file, 1, 0,
                              "found %u columns, expected %u as in %.200s", sample.count,
                              plan->count, first);
    if (!status && plan->header) status = plan_name_columns(ctx, &sample, err, &named);
    for (uint32_t j = 0; !status && plan->header && j < plan->count; j++) {
        const char *name = hsp__names_get(&named->names, j), *expected = hsp__csv_name(plan, j);
        if (strcmp(name, expected) == 0) continue;
        const int moved = hsp__names_find(&plan->names, name, strlen(name)) != HSP__NAME_NONE;
        status = hsp__fail_at(err, HSP_BAD_DATA, sample.file, 1, 0,
                              "the name of column %u is '%.80s', expected '%.80s' as in %.200s; %s",
                              j + 1, name, expected, first,
                              moved ? "files that are read together need one order of columns"
                                    : "each file needs the same header");
    }
    plan_take_sample(&part, &sample);
    if (!status) status = hsp__csv_skip_header(source, &part, err);
    hsp_encoding_free(named);
    hsp__csv_sample_free(&ctx->allocator, &sample);
    return status;
}

hsp_status hsp__csv_skip_header(hsp__source *source, const hsp__csv_plan *plan, hsp_error *err)
{
    source->lines = plan->data_line;
    return hsp__source_skip(source, plan->data_at, err);
}

/* What to do for each column that an option takes. */
typedef hsp_status (*plan_column_fn)(void *user, uint32_t column, hsp_error *err);

/* The columns that a text names: one whose name it is, or those of a comma list. */
static hsp_status plan_each(const hsp__names *names, const char *text, size_t size,
                            const char *option, plan_column_fn fn, void *user, hsp_error *err)
{
    hsp__text list, item;
    uint32_t column = hsp__names_find(names, text, size);
    if (column != HSP__NAME_NONE) return fn(user, column, err);
    hsp__text_init(&list, &names->memory);
    hsp__text_init(&item, &names->memory);
    hsp__text_add(&list, text, size);
    hsp_status status = HSP_OK;
    for (const char *at = list.data; !status && hsp__comma_next(&at, &item);) {
        status = hsp__csv_find_column(names, item.data, item.size, option, err, &column);
        if (!status) status = fn(user, column, err);
    }
    if (!status && (list.failed || item.failed)) status = hsp__fail_memory(err);
    hsp__text_free(&list);
    hsp__text_free(&item);
    return status;
}

/* --ignore, for those who need a label and a group alone. */
typedef struct plan_used {
    const hsp__names *names;
    uint32_t label, group;
} plan_used;

static hsp_status plan_not_used(void *user, uint32_t column, hsp_error *err)
{
    const plan_used *used = user;
    if (column != used->label || column == used->group) return HSP_OK;
    return hsp__fail_option(err, "--ignore",
                            "column '%s' is the label; name another one with --label",
                            hsp__names_get(used->names, column));
}

hsp_status hsp__csv_find_columns(hsp_context *ctx, hsp__source *source, int tabs,
                                 const hsp_options *options, const char *group, hsp_error *err,
                                 hsp__csv_plan *plan, uint32_t *label_column,
                                 uint32_t *group_column)
{
    hsp__csv_sample sample = {0};
    hsp_encoding *named = NULL;
    *group_column = HSP__NAME_NONE;
    hsp_status status = hsp__csv_sample_take(ctx, source, tabs, options, NULL, err, &sample);
    if (!status) status = plan_name_columns(ctx, &sample, err, &named);
    if (!status)
        status =
            plan_find_label(&named->names, hsp_options_text(options, "label"), err, label_column);
    if (!status && group)
        status =
            hsp__csv_find_column(&named->names, group, strlen(group), "group", err, group_column);
    for (size_t i = 0; !status && i < hsp_options_list_count(options, "ignore"); i++) {
        const char *item = hsp_options_list_item(options, "ignore", i);
        plan_used used = {&named->names, *label_column, *group_column};
        status = plan_each(&named->names, item, strlen(item), "ignore", plan_not_used, &used, err);
    }
    hsp__names_init(&plan->names, &ctx->allocator);
    if (!status && !hsp__names_copy(&plan->names, &named->names)) status = hsp__fail_memory(err);
    plan_take_sample(plan, &sample);
    hsp_encoding_free(named);
    hsp__csv_sample_free(&ctx->allocator, &sample);
    return status;
}

hsp_status hsp__csv_look(hsp_context *ctx, hsp__source *source, int tabs,
                         const hsp_options *options, hsp_error *err, hsp__csv_plan *plan)
{
    hsp__csv_sample sample = {0};
    hsp_encoding *named = NULL;
    hsp_context quiet = hsp__quiet(ctx);
    hsp__names_init(&plan->names, &ctx->allocator);
    hsp_status status = hsp__csv_sample_take(&quiet, source, tabs, options, NULL, err, &sample);
    if (!status) status = plan_name_columns(&quiet, &sample, err, &named);
    if (!status && !hsp__names_copy(&plan->names, &named->names)) status = hsp__fail_memory(err);
    plan_take_sample(plan, &sample);
    source->begin = plan_begin_part;
    source->begin_user = plan;
    hsp_encoding_free(named);
    hsp__csv_sample_free(&ctx->allocator, &sample);
    return status;
}

static hsp__csv_column plan_column(hsp__column_kind kind, uint32_t encoded)
{
    return (hsp__csv_column){.kind = kind, .encoded = encoded, .words = HSP__NAME_NONE};
}

#define PLAN_HASHED 1024 /* features of a hashed column, unless the option says so */

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

/* What an option says about columns. */
typedef struct plan_setting {
    const char *option;
    hsp__column_kind kind;
    const char *item;  /* its text */
    const char *order; /* A<B<C; NULL: not of an ordinal */
    uint32_t hashed;   /* features of a hashed column */
    int ngrams;
    unsigned char *told; /* by column: two options about one contradict each other */
    hsp_encoding *encoding;
} plan_setting;

static hsp_status plan_set_kind(void *user, uint32_t column, hsp_error *err)
{
    const plan_setting *set = user;
    if (set->told[column]++)
        return hsp__fail(err, HSP_USAGE, "%s: column '%s' is used by another option", set->option,
                         hsp__names_get(&set->encoding->names, column));
    set->encoding->columns[column].kind = set->kind;
    set->encoding->columns[column].chosen = set->kind == HSP__COLUMN_CATEGORY;
    set->encoding->columns[column].hashed = set->hashed;
    set->encoding->columns[column].ngrams = set->ngrams;
    if (!set->order) return HSP_OK;
    return plan_add_order(&set->encoding->columns[column].values, set->item, set->order, err);
}

/* The number of features in hash=N or hash=COLUMNS=N. */
static hsp_status plan_hash_features(const char *item, const char *number, hsp_error *err,
                                     uint32_t *features)
{
    uint64_t value = 0;
    hsp__decimal_result result;
    const char *end = number + strlen(number);
    if (hsp__decimal_u64(number, end, &value, &result) != end || result != HSP__DECIMAL_OK ||
        value < 1 || value > HSP__HASH_MOST)
        return hsp__fail(err, HSP_USAGE,
                         "hash: '%s' does not end in a number of features from 1 to %d; write "
                         "COLUMNS=N, or N for all text columns",
                         item, HSP__HASH_MOST);
    *features = (uint32_t)value;
    return HSP_OK;
}

/* The columns that are hashed: named ones, or with a number alone every text column that no other
 * option is about. */
static hsp_status plan_set_hashed(hsp_encoding *encoding, const hsp_options *options,
                                  unsigned char *told, hsp_error *err)
{
    plan_setting set = {.option = "hash",
                        .kind = HSP__COLUMN_HASHED,
                        .ngrams = (int)hsp_options_integer(options, "ngrams"),
                        .told = told,
                        .encoding = encoding};
    uint32_t all = 0;
    for (size_t i = 0; i < hsp_options_list_count(options, "hash"); i++) {
        const char *item = hsp_options_list_item(options, "hash", i), *equals = strrchr(item, '=');
        const int name = hsp__names_find(&encoding->names, item, strlen(item)) != HSP__NAME_NONE;
        set.item = item;
        set.hashed = PLAN_HASHED;
        if (!name && strspn(item, "0123456789") == strlen(item)) {
            HSP__TRY(plan_hash_features(item, item, err, &all));
            continue;
        }
        if (!name && equals) HSP__TRY(plan_hash_features(item, equals + 1, err, &set.hashed));
        const size_t size = !name && equals ? (size_t)(equals - item) : strlen(item);
        HSP__TRY(plan_each(&encoding->names, item, size, "hash", plan_set_kind, &set, err));
    }
    set.hashed = all;
    for (uint32_t j = 0; all && j < encoding->names.count; j++)
        if (encoding->columns[j].kind == HSP__COLUMN_CATEGORY && !told[j])
            HSP__TRY(plan_set_kind(&set, j, err));
    return HSP_OK;
}

/* The kinds that the options say. */
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
            plan_setting set = {.option = lists[k].option,
                                .kind = lists[k].kind,
                                .item = item,
                                .order = ordinal ? item + size + 1 : NULL,
                                .told = told,
                                .encoding = encoding};
            HSP__TRY(plan_each(&encoding->names, item, size, set.option, plan_set_kind, &set, err));
        }
    return plan_set_hashed(encoding, options, told, err);
}

static hsp_status plan_make(hsp_context *ctx, hsp__csv_sample *sample, const hsp_options *options,
                            hsp__csv_plan *plan, hsp_error *err)
{
    HSP__TRY(plan_name_columns(ctx, sample, err, &plan->encoding));
    hsp_encoding *encoding = plan->encoding;
    plan->missing = (hsp__missing)hsp__missing_of(hsp_options_text(options, "missing"));
    encoding->separator = sample->separator;
    encoding->header = sample->header;
    encoding->missing = plan->missing;
    if (!hsp__cell_rules_copy(&encoding->rules, &sample->rules)) return hsp__fail_memory(err);
    for (uint32_t i = 0; i < sample->count; i++) {
        const int flags = sample->flags[i] | (sample->header ? 0 : sample->first_flags[i]);
        /* words that are missing values among numbers are words where there are none */
        const int words = (flags & HSP__SEEN_WORD && !hsp__csv_few_words(sample, i)) ||
                          (flags & (HSP__SEEN_MARK | HSP__SEEN_NUMBER)) == HSP__SEEN_MARK;
        encoding->columns[i].kind = words ? HSP__COLUMN_CATEGORY : HSP__COLUMN_NUMBER;
        encoding->columns[i].percent = (flags & HSP__SEEN_PERCENT) != 0;
    }
    unsigned char *told = hsp__new(&ctx->allocator, sample->count, 1);
    hsp_status status = told ? plan_set_kinds(encoding, options, told, err) : hsp__fail_memory(err);
    if (!status) status = hsp__csv_set_dates(ctx, sample, options, encoding, told, err);
    hsp__free(&ctx->allocator, told);
    HSP__TRY(status);
    for (uint32_t j = 0; j < plan->count; j++) {
        encoding->columns[j].percent &= encoding->columns[j].kind == HSP__COLUMN_NUMBER;
        plan->columns[j] = plan_column(encoding->columns[j].kind, j);
        const int first = !sample->header && sample->first_flags[j] & HSP__SEEN_WORD;
        plan->columns[j].word_line = first ? sample->lines + 1 : sample->word_lines[j];
    }
    return hsp__names_copy(&plan->names, &encoding->names) ? HSP_OK : hsp__fail_memory(err);
}

/* ---- Applying an encoding -------------------------------------------------------------------- */

static hsp_status plan_fail_absent(const hsp__csv_plan *plan, const char *name, hsp_error *err)
{
    const char *alike = hsp__csv_alike(&plan->names, name, strlen(name));
    return hsp__fail_at(err, HSP_BAD_DATA, plan->file, 0, 0,
                        "there is no column '%s', which the encoding needs%s%s%s", name,
                        alike ? "; there is a column '" : "", alike ? alike : "", alike ? "'" : "");
}

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
            plan->columns[j] = plan_column(kind, i);
        else if (kind != HSP__COLUMN_LABEL && kind != HSP__COLUMN_IGNORED)
            return plan_fail_absent(plan, name, err);
    }
    if (known < plan->count)
        hsp__log(ctx, HSP_LOG_NOTE,
                 "%s: %u column(s) that the encoding does not know were left out", plan->file,
                 plan->count - known);
    return HSP_OK;
}

/* The encoding is that of arrays: if the file has one column more, that is the label. */
static void plan_find_extra(hsp__csv_plan *plan)
{
    uint32_t extra = 0, at = 0;
    for (uint32_t j = 0; j < plan->count; j++)
        if (plan->columns[j].kind == HSP__COLUMN_IGNORED) extra++, at = j;
    if (extra == 1 && plan->count == plan->encoding->names.count + 1)
        plan->columns[at].kind = HSP__COLUMN_LABEL;
}

/* Match columns by position; only the label may be away, or there in addition. */
static hsp_status plan_match_positions(hsp__csv_plan *plan, hsp_error *err)
{
    const hsp_encoding *encoding = plan->encoding;
    const uint32_t columns = encoding->names.count;
    uint32_t label = 0;
    while (label < columns && encoding->columns[label].kind != HSP__COLUMN_LABEL)
        label++;
    const int away = label < columns && plan->count == columns - 1;
    const int more = hsp__encoding_is_of_arrays(encoding) && plan->count == columns + 1;
    if (plan->count != columns && !away && !more)
        return hsp__fail_at(err, HSP_BAD_DATA, plan->file, plan->data_line + 1, 0,
                            "found %u columns, expected %u%s as in the encoding", plan->count,
                            columns, label < columns ? " (one less without labels)" : "");
    for (uint32_t i = 0, j = 0; i < columns; i++) {
        if (away && i == label) continue;
        plan->columns[j++] = plan_column(encoding->columns[i].kind, i);
    }
    return HSP_OK;
}

static hsp_status plan_apply(hsp_context *ctx, const hsp__csv_sample *sample,
                             const hsp_options *options, const hsp_encoding *encoding,
                             hsp__csv_plan *plan, hsp_error *err)
{
    hsp_encoding *named = NULL;
    plan->given = 1;
    HSP__TRY(hsp__encoding_copy(&ctx->allocator, encoding, err, &plan->encoding));
    if (!hsp__cell_rules_copy(&plan->encoding->rules, &sample->rules)) return hsp__fail_memory(err);
    hsp_status status = plan_name_columns(ctx, sample, err, &named);
    if (!status && !hsp__names_copy(&plan->names, &named->names)) status = hsp__fail_memory(err);
    hsp_encoding_free(named);
    HSP__TRY(status);
    for (uint32_t j = 0; j < plan->count; j++)
        plan->columns[j] = plan_column(HSP__COLUMN_IGNORED, 0);
    HSP__TRY(sample->header && encoding->header ? plan_match_names(ctx, plan, err)
                                                : plan_match_positions(plan, err));
    if (!hsp_options_is_set(options, "label") && hsp__encoding_is_of_arrays(encoding))
        plan_find_extra(plan);
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
    uint64_t cells = 0;
    for (uint32_t i = 0; i < encoding->names.count; i++)
        cells += hsp__encoding_cells(&encoding->columns[i]);
    plan->cell_columns = hsp__new(&ctx->allocator, cells, sizeof *plan->cell_columns);
    plan->cell_parts = hsp__new(&ctx->allocator, cells, sizeof *plan->cell_parts);
    if (!cell_of || !plan->cell_columns || !plan->cell_parts) {
        hsp__free(&ctx->allocator, cell_of);
        return hsp__fail_memory(err);
    }
    for (uint32_t i = 0; i < encoding->names.count; i++) {
        hsp__column_kind kind = encoding->columns[i].kind;
        if (kind == HSP__COLUMN_IGNORED || kind == HSP__COLUMN_LABEL) continue;
        cell_of[i] = plan->cells;
        for (uint32_t k = 0; k < hsp__encoding_cells(&encoding->columns[i]); k++) {
            plan->cell_columns[plan->cells] = i;
            plan->cell_parts[plan->cells++] = k;
        }
    }
    const int plain =
        encoding->rules.number.decimal == '.' && !hsp__cell_rules_numeric_marks(&encoding->rules);
    for (uint32_t j = 0; j < plan->count; j++) {
        hsp__csv_column *column = &plan->columns[j];
        column->cell = cell_of[column->encoded];
        column->quick = plain && column->kind == HSP__COLUMN_NUMBER &&
                        !encoding->columns[column->encoded].percent;
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
        if (kind == HSP__COLUMN_DATE)
            hsp__text_printf(text, " (%s)",
                             plan->encoding->columns[plan->columns[j].encoded].pattern);
    }
    if (found > 10) hsp__text_printf(text, " and %u more", found - 10);
}

/* Tell the user what was found, so that a wrong guess is seen. */
static hsp_status plan_tell(hsp_context *ctx, const hsp__csv_plan *plan, hsp_error *err)
{
    if (!ctx->log) return HSP_OK;
    const char own[2] = {plan->separator, 0}, *word = hsp__csv_separator_word(plan->separator);
    hsp__text text;
    hsp__text_init(&text, &ctx->allocator);
    hsp__text_printf(&text, "separator %s%s; %s; %u column%s", word ? word : own,
                     plan->separator == HSP__CSV_SPACES ? "s" : "",
                     plan->header ? "names in the first line" : "no names in the first line",
                     plan->count, plan->count == 1 ? "" : "s");
    plan_list(&text, plan, HSP__COLUMN_LABEL, "label");
    if (!plan->labelled) hsp__text_puts(&text, "; no label");
    plan_list(&text, plan, HSP__COLUMN_CATEGORY, "categories");
    plan_list(&text, plan, HSP__COLUMN_ORDINAL, "ordered");
    plan_list(&text, plan, HSP__COLUMN_DATE, "dates");
    plan_list(&text, plan, HSP__COLUMN_HASHED, "hashed");
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
    hsp__csv_sample sample = {0};
    hsp_status status = hsp__csv_sample_take(ctx, source, tabs, options, encoding, err, &sample);
    plan_take_sample(plan, &sample);
    hsp__csv_plan_keep(plan, reading);
    plan->followed = source->provenance != NULL;
    plan->max_categories = (uint64_t)hsp_options_integer(options, "max-categories");
    plan->skip = !plan->followed && strcmp(hsp_options_text(options, "on-error"), "skip") == 0;
    plan->rejects = hsp_options_text(options, "rejects");
    if (!status) status = hsp__rejects_check(plan->rejects, plan->skip, source, err);
    hsp__names_init(&plan->names, &ctx->allocator);
    plan->columns = hsp__new(&ctx->allocator, plan->count, sizeof *plan->columns);
    if (!status && !plan->columns) status = hsp__fail_memory(err);
    if (!status)
        status = encoding ? plan_apply(ctx, &sample, options, encoding, plan, err)
                          : plan_make(ctx, &sample, options, plan, err);
    if (!status && plan->followed && sample.excel)
        status =
            hsp__fail_at(err, HSP_BAD_DATA, plan->file, 1, 0, HSP__CSV_NOT_PLAIN, "a line sep=");
    hsp__csv_sample_free(&ctx->allocator, &sample);
    if (!status) status = plan_number_cells(ctx, plan, err);
    plan->file = source->name;
    source->begin = plan_begin_part;
    source->begin_user = plan;
    for (uint32_t j = 0; !status && plan->followed && j < plan->count; j++)
        if (plan->columns[j].kind == HSP__COLUMN_DATE)
            status = hsp__fail_at(err, HSP_BAD_DATA, plan->file, 0, 0, HSP__CSV_NOT_PLAIN, "dates");
    if (!status && plan->followed && !hsp__cell_rules_plain(&plan->encoding->rules))
        status = hsp__fail_at(err, HSP_BAD_DATA, plan->file, 0, 0, HSP__CSV_NOT_PLAIN,
                              "decimal commas, thousands, percent and currency signs");
    if (!status && plan->followed && plan->encoding->rules.ignore_case)
        status = hsp__fail_at(err, HSP_BAD_DATA, plan->file, 0, 0, HSP__CSV_NOT_PLAIN,
                              "values in upper and lower case (--ignore-case)");
    for (uint32_t j = 0; !status && plan->followed && j < plan->count; j++)
        if (plan->columns[j].kind == HSP__COLUMN_HASHED)
            status = hsp__fail_at(err, HSP_BAD_DATA, plan->file, 0, 0, HSP__CSV_NOT_PLAIN,
                                  "hashed columns");
    return status ? status : plan_tell(ctx, plan, err);
}
