/* What becomes of each column: by the options and the sample when an encoding is made, by the
 * encoding when one is given. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/context.h"
#include "base/decimal.h"
#include "base/error.h"
#include "base/memory.h"
#include "data/csv.h"
#include "data/formats.h"

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

/* ---- Names ----------------------------------------------------------------------------------- */

/* Add the file's columns to an empty encoding: by the header's names, or c1, c2, ... */
static hsp_status plan_name_columns(hsp_context *ctx, const char *file,
                                    const hsp__csv_sample *sample, hsp_encoding *encoding,
                                    hsp_error *err)
{
    uint32_t renamed = 0, last = 0;
    for (uint32_t i = 0; i < sample->count; i++) {
        char number[16];
        const char *name = sample->header ? hsp__csv_first(sample, i) : "";
        snprintf(number, sizeof number, "c%u", i + 1);
        if (!*name) name = number;
        if (!hsp__encoding_add(encoding, name, strlen(name))) return hsp__fail_memory(err);
        if (strcmp(hsp__names_get(&encoding->names, i), name) == 0) continue;
        renamed++;
        last = i;
    }
    if (renamed)
        hsp__log(ctx, HSP_LOG_NOTE,
                 "%s: %u column name(s) appear twice and were changed; column %u is now '%s'", file,
                 renamed, last + 1, hsp__names_get(&encoding->names, last));
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

hsp_status hsp__csv_find_columns(hsp_context *ctx, const char *file, const hsp__csv_sample *sample,
                                 const char *label, const char *group, hsp_error *err,
                                 uint32_t *label_column, uint32_t *group_column)
{
    hsp_encoding *named = hsp__encoding_new(&ctx->allocator);
    hsp_status status = named ? HSP_OK : hsp__fail_memory(err);
    *group_column = HSP__NAME_NONE;
    if (!status) status = plan_name_columns(ctx, file, sample, named, err);
    if (!status) status = plan_find_label(&named->names, label, err, label_column);
    if (!status && group)
        status = plan_find(&named->names, group, strlen(group), "group", err, group_column);
    hsp_encoding_free(named);
    return status;
}

/* ---- Making an encoding ---------------------------------------------------------------------- */

/* Give a column a kind by an option; two options about one column contradict each other. */
static hsp_status plan_set_kind(hsp_encoding *encoding, unsigned char *told, const char *word,
                                size_t size, const char *option, hsp__column_kind kind,
                                hsp_error *err, uint32_t *column)
{
    hsp_status status = plan_find(&encoding->names, word, size, option, err, column);
    if (status) return status;
    if (told[*column])
        return hsp__fail(err, HSP_USAGE, "%s: column '%s' is used by another option", option,
                         hsp__names_get(&encoding->names, *column));
    told[*column] = 1;
    encoding->columns[*column].kind = kind;
    return HSP_OK;
}

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

static hsp_status plan_set_ordinals(hsp_encoding *encoding, unsigned char *told,
                                    const hsp_options *options, hsp_error *err)
{
    for (size_t i = 0; i < hsp_options_list_count(options, "ordinal"); i++) {
        uint32_t column;
        const char *item = hsp_options_list_item(options, "ordinal", i);
        size_t size = strcspn(item, "=");
        if (!item[size])
            return hsp__fail(err, HSP_USAGE, "ordinal: '%s' is not of the form COLUMN=A<B<C", item);
        hsp_status status =
            plan_set_kind(encoding, told, item, size, "ordinal", HSP__COLUMN_ORDINAL, err, &column);
        if (!status)
            status = plan_add_order(&encoding->columns[column].values, item, item + size + 1, err);
        if (status) return status;
    }
    return HSP_OK;
}

static hsp_status plan_set_list(hsp_encoding *encoding, unsigned char *told,
                                const hsp_options *options, const char *option,
                                hsp__column_kind kind, hsp_error *err)
{
    for (size_t i = 0; i < hsp_options_list_count(options, option); i++) {
        uint32_t column;
        const char *item = hsp_options_list_item(options, option, i);
        hsp_status status =
            plan_set_kind(encoding, told, item, strlen(item), option, kind, err, &column);
        if (status) return status;
    }
    return HSP_OK;
}

static hsp_status plan_set_label(hsp_encoding *encoding, unsigned char *told,
                                 const hsp_options *options, hsp_error *err)
{
    uint32_t label;
    const char *word = hsp_options_text(options, "label");
    hsp_status status = plan_find_label(&encoding->names, word, err, &label);
    if (status || label == HSP__NAME_NONE) return status;
    told[label] = 1;
    encoding->columns[label].kind = HSP__COLUMN_LABEL;
    return HSP_OK;
}

/* The kinds of all columns: the sample's, then the options'. */
static hsp_status plan_set_kinds(const hsp__csv_sample *sample, const hsp_options *options,
                                 hsp_encoding *encoding, hsp_error *err)
{
    unsigned char *told = hsp__new(&encoding->memory, sample->count, 1);
    if (!told) return hsp__fail_memory(err);
    for (uint32_t i = 0; i < sample->count; i++) {
        int flags = sample->flags[i] | (sample->header ? 0 : sample->first_flags[i]);
        encoding->columns[i].kind =
            flags & HSP__CSV_WORD ? HSP__COLUMN_CATEGORY : HSP__COLUMN_NUMBER;
    }
    hsp_status status = plan_set_label(encoding, told, options, err);
    if (!status)
        status = plan_set_list(encoding, told, options, "ignore", HSP__COLUMN_IGNORED, err);
    if (!status)
        status = plan_set_list(encoding, told, options, "categorical", HSP__COLUMN_CATEGORY, err);
    if (!status) status = plan_set_ordinals(encoding, told, options, err);
    hsp__free(&encoding->memory, told);
    return status;
}

static hsp_status plan_make(hsp_context *ctx, const hsp__csv_sample *sample,
                            const hsp_options *options, hsp__csv_plan *plan, hsp_error *err)
{
    hsp_encoding *encoding = plan->encoding = hsp__encoding_new(&ctx->allocator);
    if (!encoding) return hsp__fail_memory(err);
    plan->missing = (hsp__missing)hsp__missing_of(hsp_options_text(options, "missing"));
    encoding->separator = sample->separator;
    encoding->header = sample->header;
    encoding->missing = plan->missing;
    hsp_status status = plan_name_columns(ctx, plan->file, sample, encoding, err);
    if (!status) status = plan_set_kinds(sample, options, encoding, err);
    if (status) return status;
    for (uint32_t j = 0; j < plan->count; j++)
        plan->columns[j] = (hsp__csv_column){encoding->columns[j].kind, j, 0, HSP__NAME_NONE};
    return hsp__names_copy(&plan->names, &encoding->names) ? HSP_OK : hsp__fail_memory(err);
}

/* ---- Applying an encoding -------------------------------------------------------------------- */

static uint32_t plan_encoded_label(const hsp_encoding *encoding)
{
    uint32_t i = 0;
    while (i < encoding->names.count && encoding->columns[i].kind != HSP__COLUMN_LABEL)
        i++;
    return i < encoding->names.count ? i : HSP__NAME_NONE;
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
    uint32_t columns = encoding->names.count, label = plan_encoded_label(encoding);
    int away = label != HSP__NAME_NONE && plan->count == columns - 1;
    if (plan->count != columns && !away)
        return hsp__fail_at(err, HSP_BAD_DATA, plan->file, plan->data_line + 1, 0,
                            "found %u columns, expected %u%s as in the encoding", plan->count,
                            columns, label != HSP__NAME_NONE ? " (one less without labels)" : "");
    for (uint32_t i = 0, j = 0; i < columns; i++) {
        if (away && i == label) continue;
        plan->columns[j++] = (hsp__csv_column){encoding->columns[i].kind, i, 0, HSP__NAME_NONE};
    }
    return HSP_OK;
}

/* A label option that was set by hand overrides the encoding's label column. */
static hsp_status plan_override_label(const hsp_options *options, hsp__csv_plan *plan,
                                      hsp_error *err)
{
    uint32_t label;
    if (!hsp_options_is_set(options, "label")) return HSP_OK;
    hsp_status status =
        plan_find_label(&plan->names, hsp_options_text(options, "label"), err, &label);
    if (status) return status;
    for (uint32_t j = 0; j < plan->count; j++)
        if (plan->columns[j].kind == HSP__COLUMN_LABEL) plan->columns[j].kind = HSP__COLUMN_IGNORED;
    if (label == HSP__NAME_NONE) return HSP_OK;
    if (plan->columns[label].kind != HSP__COLUMN_IGNORED)
        return hsp__fail(err, HSP_USAGE, "label: column '%s' is a feature by the encoding",
                         hsp__csv_name(plan, label));
    plan->columns[label].kind = HSP__COLUMN_LABEL;
    return HSP_OK;
}

/* The encoding says what to do about missing values; leaving rows out, or refusing, goes with any.
 */
static hsp_status plan_override_missing(const hsp_options *options, hsp__csv_plan *plan,
                                        hsp_error *err)
{
    plan->missing = plan->encoding->missing;
    if (!hsp_options_is_set(options, "missing")) return HSP_OK;
    hsp__missing told = (hsp__missing)hsp__missing_of(hsp_options_text(options, "missing"));
    if (told != plan->missing && told != HSP__MISSING_DROP && told != HSP__MISSING_ERROR)
        return hsp__fail(err, HSP_USAGE, "missing: the encoding was made with '%s', not '%s'",
                         hsp__missing_word(plan->missing), hsp__missing_word(told));
    plan->missing = told;
    return HSP_OK;
}

/* Means that somebody wrote by hand may be too large for the numbers at hand. */
static hsp_status plan_check_means(hsp__csv_plan *plan, hsp_error *err)
{
    if (plan->missing != HSP__MISSING_MEAN || plan->reading.keep == HSP__KEEP_DOUBLE) return HSP_OK;
    for (uint32_t i = 0; i < plan->encoding->names.count; i++) {
        if (isfinite((float)plan->encoding->columns[i].mean)) continue;
        if (plan->reading.keep == HSP__KEEP_SINGLE && plan->reading.watch == HSP__WATCH_NONE)
            return hsp__fail_at(err, HSP_BAD_DATA, plan->file, 0, 0,
                                "the mean of column '%s' in the encoding does not fit 32 bits",
                                hsp__names_get(&plan->encoding->names, i));
        hsp__csv_plan_keep(plan,
                           (hsp__reading){HSP__KEEP_DOUBLE, HSP__WATCH_NONE, HSP__REWRITE_NONE});
    }
    return HSP_OK;
}

static hsp_status plan_apply(hsp_context *ctx, const hsp__csv_sample *sample,
                             const hsp_options *options, const hsp_encoding *encoding,
                             hsp__csv_plan *plan, hsp_error *err)
{
    hsp_encoding *named = hsp__encoding_new(&ctx->allocator);
    hsp_status status = named ? HSP_OK : hsp__fail_memory(err);
    plan->given = 1;
    if (!status) status = hsp__encoding_copy(&ctx->allocator, encoding, err, &plan->encoding);
    if (!status) status = plan_name_columns(ctx, plan->file, sample, named, err);
    if (!status && !hsp__names_copy(&plan->names, &named->names)) status = hsp__fail_memory(err);
    hsp_encoding_free(named);
    if (status) return status;
    for (uint32_t j = 0; j < plan->count; j++)
        plan->columns[j] = (hsp__csv_column){HSP__COLUMN_IGNORED, 0, 0, HSP__NAME_NONE};
    status = sample->header && encoding->header ? plan_match_names(ctx, plan, err)
                                                : plan_match_positions(plan, err);
    if (!status) status = plan_override_label(options, plan, err);
    if (!status) status = plan_override_missing(options, plan, err);
    return status ? status : plan_check_means(plan, err);
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

static const char *plan_separator_word(char separator, char buffer[2])
{
    buffer[0] = separator;
    buffer[1] = 0;
    switch (separator) {
    case ',':
        return "comma";
    case ';':
        return "semicolon";
    case '\t':
        return "tab";
    case '|':
        return "pipe";
    case HSP__CSV_SPACES:
        return "spaces";
    default:
        return buffer;
    }
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
static hsp_status plan_tell(hsp_context *ctx, const hsp__csv_sample *sample,
                            const hsp__csv_plan *plan, hsp_error *err)
{
    if (!ctx->log) return HSP_OK;
    char buffer[2];
    hsp__text text;
    hsp__text_init(&text, &ctx->allocator);
    hsp__text_printf(&text, "separator %s; %s; %u column%s",
                     plan_separator_word(plan->separator, buffer),
                     sample->header ? "names in the first line" : "no names in the first line",
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

hsp_status hsp__csv_plan_make(hsp_context *ctx, const char *file, const hsp__csv_sample *sample,
                              const hsp_options *options, hsp__reading reading,
                              const hsp_encoding *encoding, hsp_error *err, hsp__csv_plan *plan)
{
    plan->file = file;
    plan->separator = sample->separator;
    plan->data_at = sample->data_at;
    plan->data_line = sample->data_line;
    plan->count = sample->count;
    hsp__csv_plan_keep(plan, reading);
    hsp__names_init(&plan->names, &ctx->allocator);
    plan->columns = hsp__new(&ctx->allocator, plan->count, sizeof *plan->columns);
    if (!plan->columns) return hsp__fail_memory(err);
    hsp_status status = encoding ? plan_apply(ctx, sample, options, encoding, plan, err)
                                 : plan_make(ctx, sample, options, plan, err);
    if (!status) status = plan_number_cells(ctx, plan, err);
    return status ? status : plan_tell(ctx, sample, plan, err);
}
