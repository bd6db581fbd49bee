/* What a CSV file had that its user should hear of: missing values, words never seen before. */
#include "base/context.h"
#include "base/error.h"
#include "base/text.h"
#include "data/csv.h"
#include "data/formats.h"

/* "age 3, job 17", the first ten columns that have any; returns the total. */
static uint64_t csv_warnings_list(const hsp__csv_plan *plan, const uint64_t *counts,
                                  hsp__text *text)
{
    uint64_t total = 0;
    uint32_t listed = 0;
    for (uint32_t j = 0; j < plan->count; j++) {
        total += counts[j];
        if (!counts[j] || listed++ >= 10) continue;
        hsp__text_printf(text, "%s%.30s %llu", listed > 1 ? ", " : "", hsp__csv_name(plan, j),
                         (unsigned long long)counts[j]);
    }
    if (listed > 10) hsp__text_printf(text, " and %u more columns", listed - 10);
    return total;
}

/* Missing values: an error, or a word to the user. */
static hsp_status csv_warnings_missing(hsp_context *ctx, const hsp__csv_plan *plan,
                                       const hsp__csv_counts *all, uint64_t rows, hsp__text *text,
                                       hsp_error *err)
{
    uint64_t total = csv_warnings_list(plan, all->missing, text);
    if (!total) return HSP_OK;
    if (text->failed) return hsp__fail_memory(err);
    if (plan->missing == HSP__MISSING_ERROR)
        return hsp__fail_at(err, HSP_BAD_DATA, plan->file, all->missing_line, all->missing_column,
                            "found %llu missing value%s, the first one here (%s); use %s",
                            (unsigned long long)total, total == 1 ? "" : "s", text->data,
                            plan->given ? "--missing drop to leave their rows out"
                                        : "--missing drop, mean or indicator");
    if (plan->missing != HSP__MISSING_DROP)
        hsp__log(ctx, HSP_LOG_NOTE, "%s: %llu missing value%s (%s), treated by '%s'", plan->file,
                 (unsigned long long)total, total == 1 ? "" : "s", text->data,
                 hsp__missing_word(plan->missing));
    if (all->dropped)
        hsp__log(ctx, HSP_LOG_NOTE,
                 "%s: %llu of %llu rows were left out because of missing values (%s)", plan->file,
                 (unsigned long long)all->dropped, (unsigned long long)(all->dropped + rows),
                 text->data);
    return HSP_OK;
}

static hsp_status csv_warnings_unseen(hsp_context *ctx, const hsp__csv_plan *plan,
                                      const hsp__csv_counts *all, hsp__text *text, hsp_error *err)
{
    uint64_t total;
    text->size = 0;
    total = csv_warnings_list(plan, all->unseen, text);
    if (text->failed) return hsp__fail_memory(err);
    if (total)
        hsp__log(ctx, HSP_LOG_WARNING, "%s: %llu value%s not in the encoding (%s) and became 0",
                 plan->file, (unsigned long long)total, total == 1 ? " is" : "s are", text->data);
    return HSP_OK;
}

/* Missing values under an encoding whose column had none, and so has no indicator. */
static void csv_warnings_unindicated(hsp_context *ctx, const hsp__csv_plan *plan,
                                     const hsp__csv_counts *all)
{
    uint64_t total = 0;
    uint32_t where = 0;
    if (!plan->given || plan->missing != HSP__MISSING_INDICATOR) return;
    for (uint32_t j = 0; j < plan->count; j++) {
        const hsp__column *column = &plan->encoding->columns[plan->columns[j].encoded];
        if (!all->missing[j] || column->indicator || plan->columns[j].kind == HSP__COLUMN_LABEL)
            continue;
        total += all->missing[j];
        where = j;
    }
    if (total)
        hsp__log(ctx, HSP_LOG_WARNING,
                 "%s: %llu missing values became zeros, because their columns (such as '%s') had "
                 "none in the data of the encoding",
                 plan->file, (unsigned long long)total, hsp__csv_name(plan, where));
}

hsp_status hsp__csv_tell(hsp_context *ctx, const hsp__csv_plan *plan, const hsp__csv_counts *counts,
                         uint64_t rows, hsp_error *err)
{
    hsp__text text;
    hsp__text_init(&text, &ctx->allocator);
    hsp_status status = csv_warnings_missing(ctx, plan, counts, rows, &text, err);
    if (!status) status = csv_warnings_unseen(ctx, plan, counts, &text, err);
    if (!status) csv_warnings_unindicated(ctx, plan, counts);
    if (!status)
        hsp__losses_tell(ctx, plan->file, plan->precision, &plan->reading, &counts->losses,
                         counts->losses.rounded
                             ? hsp__csv_name(plan, (uint32_t)counts->losses.column - 1)
                             : NULL);
    if (!status && !rows)
        status = hsp__fail_at(err, HSP_BAD_DATA, plan->file, 0, 0,
                              counts->dropped ? "every row has a missing value: none is left"
                                              : "the file has a header line but no rows (with "
                                                "--header no, the first line is a row)");
    hsp__text_free(&text);
    return status;
}
