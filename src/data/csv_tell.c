/* What a user should hear about a CSV file once all of it was read: missing values, words that the
 * encoding does not know. */
#include "base/context.h"
#include "base/error.h"
#include "data/csv_block.h"

/* Add the workers' counts up into the first worker's. */
void hsp__csv_add_counts(hsp__csv_reader *reader)
{
    hsp__csv_worker *first = &reader->workers[0];
    for (int i = 1; i < reader->count; i++) {
        first->dropped += reader->workers[i].dropped;
        for (uint32_t j = 0; j < reader->plan.count; j++) {
            first->missing[j] += reader->workers[i].missing[j];
            first->unseen[j] += reader->workers[i].unseen[j];
        }
    }
}

/* "age 3, job 17", the first ten columns that have any; returns the total. */
static uint64_t csv_list_counts(const hsp__csv_reader *reader, const uint64_t *counts,
                                hsp__text *text)
{
    uint64_t total = 0;
    uint32_t listed = 0;
    for (uint32_t j = 0; j < reader->plan.count; j++) {
        total += counts[j];
        if (!counts[j] || listed++ >= 10) continue;
        hsp__text_printf(text, "%s%.30s %llu", listed > 1 ? ", " : "",
                         hsp__csv_name(&reader->plan, j), (unsigned long long)counts[j]);
    }
    if (listed > 10) hsp__text_printf(text, " and %u more columns", listed - 10);
    return total;
}

/* Missing values: an error, or a word to the user. */
static hsp_status csv_tell_missing(hsp__csv_reader *reader, const hsp__csv_plan *plan,
                                   hsp__text *text, hsp_error *err)
{
    const hsp__csv_worker *all = &reader->workers[0];
    uint64_t total = csv_list_counts(reader, all->missing, text);
    if (!total) return HSP_OK;
    if (text->failed) return hsp__fail_memory(err);
    if (plan->missing == HSP__MISSING_ERROR)
        return hsp__fail_at(err, HSP_BAD_DATA, plan->file, reader->missing_line + plan->data_line,
                            reader->missing_column,
                            "found %llu missing values, here the first (%s); say %s",
                            (unsigned long long)total, text->data,
                            plan->given ? "--missing drop to leave their rows out"
                                        : "what to do: --missing drop, mean or indicator");
    if (plan->missing != HSP__MISSING_DROP)
        hsp__log(reader->ctx, HSP_LOG_NOTE, "%s: %llu missing values (%s), treated by '%s'",
                 plan->file, (unsigned long long)total, text->data,
                 hsp__missing_word(plan->missing));
    if (all->dropped)
        hsp__log(reader->ctx, HSP_LOG_NOTE,
                 "%s: %llu of %llu rows were left out for their missing values (%s)", plan->file,
                 (unsigned long long)all->dropped,
                 (unsigned long long)(all->dropped + reader->table.rows), text->data);
    return HSP_OK;
}

static hsp_status csv_tell_unseen(hsp__csv_reader *reader, const hsp__csv_plan *plan,
                                  hsp__text *text, hsp_error *err)
{
    uint64_t total;
    text->size = 0;
    total = csv_list_counts(reader, reader->workers[0].unseen, text);
    if (text->failed) return hsp__fail_memory(err);
    if (total)
        hsp__log(reader->ctx, HSP_LOG_WARNING,
                 "%s: %llu values were not seen when the encoding was made (%s); they became zeros",
                 plan->file, (unsigned long long)total, text->data);
    return HSP_OK;
}

/* Missing values under an encoding whose column had none, and so has no indicator. */
static void csv_tell_unindicated(hsp__csv_reader *reader, const hsp__csv_plan *plan)
{
    uint64_t total = 0;
    uint32_t where = 0;
    if (!plan->given || plan->missing != HSP__MISSING_INDICATOR) return;
    for (uint32_t j = 0; j < plan->count; j++) {
        const hsp__column *column = &plan->encoding->columns[plan->columns[j].encoded];
        if (!reader->workers[0].missing[j] || column->indicator ||
            plan->columns[j].kind == HSP__COLUMN_LABEL)
            continue;
        total += reader->workers[0].missing[j];
        where = j;
    }
    if (total)
        hsp__log(reader->ctx, HSP_LOG_WARNING,
                 "%s: %llu missing values became zeros: their columns (such as '%s') had none when "
                 "the encoding was made",
                 plan->file, (unsigned long long)total, hsp__csv_name(plan, where));
}

hsp_status hsp__csv_tell(hsp__csv_reader *reader, hsp_error *err)
{
    hsp__text text;
    hsp__text_init(&text, &reader->ctx->allocator);
    const hsp__csv_plan *plan = &reader->plan;
    uint64_t dropped = reader->workers[0].dropped;
    hsp_status status = csv_tell_missing(reader, plan, &text, err);
    if (!status) status = csv_tell_unseen(reader, plan, &text, err);
    if (!status) csv_tell_unindicated(reader, plan);
    if (!status && !reader->table.rows)
        status = hsp__fail_at(err, HSP_BAD_DATA, plan->file, 0, 0,
                              dropped ? "every row has a missing value: none is left"
                                      : "there are names in the first line, and no rows");
    hsp__text_free(&text);
    return status;
}
