/* What is in a data set.
 *
 * One pass over the rows takes norms and a 128-bit hash of each row; the passes of columns.h take
 * the columns' figures and hashes. Equal hashes only nominate: rows are then compared number by
 * number within a bucket of equal hashes, and columns are compared in one more pass over the rows,
 * so that every count is exact for the values in memory. Zeros, stored or not, and of either sign,
 * are equal. Decimals that are equal are equal in memory; where the converse need not hold,
 * summary_exact.c looks at the file again. Memory: 56 bytes per row and a few accumulators per column.
 */
#include <math.h>
#include <stdatomic.h>
#include <stdlib.h>

#include "base/context.h"
#include "base/error.h"
#include "base/memory.h"
#include "base/scratch.h"
#include "base/stop.h"
#include "base/threads.h"
#include "data/columns.h"
#include "data/data.h"
#include "data/summary.h"
#include "data/sweep.h"

#define SUMMARY_TICK 4096 /* rows between two ticks */

void hsp_summary_free(hsp_summary *summary)
{
    if (!summary) return;
    hsp_allocator memory = summary->memory;
    hsp__free(&memory, summary->class_counts);
    hsp__free(&memory, summary->columns);
    hsp__free(&memory, summary->same);
    hsp__free(&memory, summary);
}

const hsp_totals *hsp_summary_totals(const hsp_summary *summary)
{
    return summary ? &summary->totals : NULL;
}

uint64_t hsp_summary_class_count(const hsp_summary *summary, uint32_t class_index)
{
    return summary && class_index < summary->classes ? summary->class_counts[class_index] : 0;
}

const hsp_column_summary *hsp_summary_column(const hsp_summary *summary, uint64_t column)
{
    return summary && column < summary->totals.cols ? &summary->columns[column] : NULL;
}

/* ---- Rows ------------------------------------------------------------------------------------ */

typedef struct summary_key {
    uint64_t hash[2], row;
} summary_key;

typedef struct summary_part {
    double norm_min, norm_max, norm_sum;
    uint64_t nonzeros, empty;
} summary_part;

typedef struct summary_rows {
    const hsp_view *view;
    uint64_t parts;
    summary_part *of_part; /* parts */
    summary_key *keys;     /* rows */
} summary_rows;

static void summary_rows_part(void *user, uint64_t part)
{
    summary_rows *rows = user;
    const hsp_view *view = rows->view;
    summary_part all = {.norm_min = HUGE_VAL};
    uint64_t to = hsp__part(view->rows, rows->parts, part + 1);
    for (uint64_t i = hsp__part(view->rows, rows->parts, part); i < to; i++) {
        hsp__row row = hsp__view_row(view, i);
        summary_key key = {{0, 0}, i};
        uint64_t nonzeros = 0;
        for (uint64_t k = 0; k < row.count; k++) {
            double v = hsp__row_value(view, &row, k);
            if (v == 0) continue;
            hsp__hash_entry(hsp__row_column(&row, k), v, key.hash);
            nonzeros++;
        }
        double norm = nonzeros ? hsp__row_norm(view, &row) : 0;
        all.norm_min = norm < all.norm_min ? norm : all.norm_min;
        all.norm_max = norm > all.norm_max ? norm : all.norm_max;
        all.norm_sum += norm;
        all.nonzeros += nonzeros;
        all.empty += nonzeros == 0;
        rows->keys[i] = key;
    }
    rows->of_part[part] = all;
}

static void summary_rows_end(const summary_rows *rows, hsp_totals *totals)
{
    summary_part all = {.norm_min = HUGE_VAL};
    for (uint64_t part = 0; part < rows->parts; part++) {
        const summary_part *next = &rows->of_part[part];
        all.norm_min = fmin(all.norm_min, next->norm_min);
        all.norm_max = fmax(all.norm_max, next->norm_max);
        all.norm_sum += next->norm_sum / (double)totals->rows;
        all.nonzeros += next->nonzeros;
        all.empty += next->empty;
    }
    totals->nonzeros = all.nonzeros;
    totals->empty_rows = all.empty;
    if (!totals->rows) return;
    totals->norm_min = all.norm_min;
    totals->norm_mean = all.norm_sum;
    totals->norm_max = all.norm_max;
    if (totals->cols)
        totals->density = (double)all.nonzeros / ((double)totals->rows * (double)totals->cols);
}

/* ---- Equal rows ------------------------------------------------------------------------------ */

static int summary_compare(const void *left, const void *right)
{
    const summary_key *a = left, *b = right;
    if (a->hash[0] != b->hash[0]) return a->hash[0] < b->hash[0] ? -1 : 1;
    if (a->hash[1] != b->hash[1]) return a->hash[1] < b->hash[1] ? -1 : 1;
    return a->row < b->row ? -1 : a->row > b->row;
}

typedef struct summary_twins {
    const hsp_view *view;
    summary_key *keys;       /* rows, bucket by bucket */
    uint64_t buckets;        /* a power of two */
    int shift;               /* a bucket is the hash's top bits */
    uint64_t *starts;        /* buckets + 1 */
    uint64_t *duplicate;     /* buckets: rows equal to an earlier one */
    uint64_t *contradictory; /* buckets: rows equal to one of another class */
    uint64_t *same;          /* rows: as in hsp_summary */
} summary_twins;

/* The rows equal to keys[0] among keys[0..count) are counted; the others, in their order, move to
 * the front. Returns how many those are. */
static uint64_t summary_take_equals(summary_twins *twins, uint64_t bucket, summary_key *keys,
                                    uint64_t count)
{
    const uint32_t *labels = twins->view->labels;
    uint64_t others = 0, first = keys[0].row, equal = 1;
    int mixed = 0;
    for (uint64_t k = 1; k < count; k++) {
        if (hsp__view_same_rows(twins->view, first, twins->view, keys[k].row)) {
            equal++;
            twins->same[first] = twins->same[keys[k].row] = first;
            mixed |= labels && labels[keys[k].row] != labels[first];
        } else {
            keys[others++] = keys[k];
        }
    }
    twins->duplicate[bucket] += equal - 1;
    if (mixed) twins->contradictory[bucket] += equal;
    return others;
}

static void summary_twins_bucket(void *user, uint64_t bucket)
{
    summary_twins *twins = user;
    summary_key *keys = twins->keys + twins->starts[bucket];
    uint64_t count = twins->starts[bucket + 1] - twins->starts[bucket];
    if (count > 1) qsort(keys, count, sizeof *keys, summary_compare);
    for (uint64_t from = 0, to; from < count; from = to) {
        for (to = from + 1; to < count && keys[to].hash[0] == keys[from].hash[0] &&
                            keys[to].hash[1] == keys[from].hash[1];
             to++) {
        }
        for (uint64_t left = to - from; left > 1;)
            left = summary_take_equals(twins, bucket, keys + from, left);
    }
}

/* Move the keys into their buckets; twins->starts becomes where each begins. */
static void summary_bucket_keys(hsp_context *ctx, summary_twins *twins, const summary_key *keys,
                                uint64_t rows)
{
    uint64_t *starts = twins->starts;
    for (uint64_t i = 0; i < rows; i++) {
        if (i % SUMMARY_TICK == 0) hsp__tick(ctx);
        starts[(keys[i].hash[0] >> twins->shift) + 1]++;
    }
    for (uint64_t b = 0; b < twins->buckets; b++)
        starts[b + 1] += starts[b];
    for (uint64_t i = 0; i < rows; i++) {
        if (i % SUMMARY_TICK == 0) hsp__tick(ctx);
        twins->keys[starts[keys[i].hash[0] >> twins->shift]++] = keys[i];
    }
    for (uint64_t b = twins->buckets; b > 0; b--)
        starts[b] = starts[b - 1];
    starts[0] = 0;
}

static hsp_status summary_look_at_rows(hsp_context *ctx, hsp_data *data, hsp_summary *summary,
                                       hsp_error *err)
{
    hsp_totals *totals = &summary->totals;
    const uint64_t n = totals->rows;
    hsp__scratch scratch = {.memory = &ctx->allocator};
    summary_rows rows = {.view = &data->view, .parts = hsp__sweep_parts(data)};
    summary_twins twins = {.view = &data->view, .buckets = 2, .shift = 63, .same = summary->same};
    for (; twins.buckets < 4096 && twins.buckets * 256 < n; twins.buckets *= 2)
        twins.shift--;
    rows.of_part = hsp__scratch_new(&scratch, rows.parts, sizeof *rows.of_part);
    rows.keys = hsp__scratch_raw(&scratch, n, sizeof *rows.keys);
    twins.keys = hsp__scratch_raw(&scratch, n, sizeof *twins.keys);
    twins.starts = hsp__scratch_new(&scratch, twins.buckets + 1, sizeof *twins.starts);
    twins.duplicate = hsp__scratch_new(&scratch, twins.buckets, sizeof *twins.duplicate);
    twins.contradictory = hsp__scratch_new(&scratch, twins.buckets, sizeof *twins.contradictory);
    hsp_status status = scratch.failed ? hsp__fail_memory(err) : HSP_OK;
    if (!status)
        status = hsp__sweep(ctx, "measuring rows", n, rows.parts, summary_rows_part, &rows, err);
    if (!status) {
        summary_rows_end(&rows, totals);
        for (uint64_t i = 0; i < n; i++)
            twins.same[i] = HSP__SUMMARY_ALONE;
        summary_bucket_keys(ctx, &twins, rows.keys, n);
        status =
            hsp__sweep(ctx, "comparing rows", n, twins.buckets, summary_twins_bucket, &twins, err);
    }
    for (uint64_t b = 0; !status && b < twins.buckets; b++) {
        totals->duplicate_rows += twins.duplicate[b];
        totals->contradictory_rows += twins.contradictory[b];
    }
    hsp__scratch_free(&scratch);
    return status;
}

/* ---- Equal columns --------------------------------------------------------------------------- */

typedef struct summary_columns {
    const hsp_view *view;
    const hsp__column_figures *figures; /* cols */
    uint64_t parts;
    int64_t *twin;         /* cols: the earlier column nominated as equal, or -1 */
    atomic_uchar *refuted; /* cols: it is not */
} summary_columns;

/* A column and its twin have as many non-zeros each: they are equal if the twin has every non-zero
 * of the column. */
static void summary_columns_part(void *user, uint64_t part)
{
    summary_columns *columns = user;
    const hsp_view *view = columns->view;
    uint64_t to = hsp__part(view->rows, columns->parts, part + 1);
    for (uint64_t i = hsp__part(view->rows, columns->parts, part); i < to; i++) {
        hsp__row row = hsp__view_row(view, i);
        for (uint64_t k = 0; k < row.count; k++) {
            uint64_t j = hsp__row_column(&row, k);
            if (columns->twin[j] < 0) continue;
            double v = hsp__row_value(view, &row, k);
            if (v == 0 || v == hsp__view_entry(view, i, (uint64_t)columns->twin[j])) continue;
            atomic_store_explicit(&columns->refuted[j], 1, memory_order_relaxed);
        }
    }
}

/* Nominate for every column among order[0..count) the first with the same figures, by a table of
 * open addressing (slots: a power of two above count, holding column + 1). Returns how many got
 * one. */
static uint64_t summary_nominate(summary_columns *columns, const uint64_t *order, uint64_t count,
                                 uint64_t *slots, uint64_t mask)
{
    uint64_t nominated = 0;
    for (uint64_t s = 0; s <= mask; s++)
        slots[s] = 0;
    for (uint64_t k = 0; k < count; k++) {
        const hsp__column_figures *figures = &columns->figures[order[k]];
        uint64_t at = hsp__hash_mix(figures->hash[0], 0x9E3779B97F4A7C15u) & mask;
        for (; slots[at]; at = (at + 1) & mask) {
            const hsp__column_figures *other = &columns->figures[slots[at] - 1];
            if (figures->hash[0] == other->hash[0] && figures->hash[1] == other->hash[1] &&
                figures->nonzeros == other->nonzeros)
                break;
        }
        columns->twin[order[k]] = (int64_t)slots[at] - 1;
        nominated += slots[at] != 0;
        if (!slots[at]) slots[at] = order[k] + 1;
    }
    return nominated;
}

/* Nominate and compare until nobody is refuted: a second round happens only if different columns
 * had equal hashes, and then only for those refuted. */
static hsp_status summary_columns_run(hsp_context *ctx, summary_columns *columns, uint64_t *order,
                                      uint64_t *slots, uint64_t mask, hsp_column_summary *to,
                                      hsp_error *err)
{
    const uint64_t cols = columns->view->cols;
    uint64_t count = cols;
    for (uint64_t j = 0; j < cols; j++)
        order[j] = j;
    while (count) {
        if (summary_nominate(columns, order, count, slots, mask))
            HSP__TRY(hsp__sweep(ctx, "comparing columns", columns->view->rows, columns->parts,
                                summary_columns_part, columns, err));
        uint64_t refuted = 0;
        for (uint64_t k = 0; k < count; k++) {
            uint64_t j = order[k];
            if (atomic_load_explicit(&columns->refuted[j], memory_order_relaxed))
                order[refuted++] = j;
            else
                to[j].duplicate_of = columns->twin[j];
            atomic_store_explicit(&columns->refuted[j], 0, memory_order_relaxed);
            columns->twin[j] = -1;
        }
        count = refuted;
    }
    return HSP_OK;
}

static hsp_status summary_look_at_columns(hsp_context *ctx, hsp_data *data, hsp_totals *totals,
                                          hsp_column_summary *to, hsp_error *err)
{
    const uint64_t cols = totals->cols;
    hsp__scratch scratch = {.memory = &ctx->allocator};
    hsp__column_figures *figures = NULL;
    HSP__TRY(hsp__columns(ctx, data, HSP__COLUMNS_MOMENTS | HSP__COLUMNS_HASHES,
                          "measuring columns", err, &figures));
    for (uint64_t j = 0; j < cols; j++) {
        const hsp__column_figures *from = &figures[j];
        to[j] = (hsp_column_summary){.min = from->min,
                                     .max = from->max,
                                     .mean = from->mean,
                                     .stdev = from->stdev,
                                     .nonzeros = from->nonzeros,
                                     .constant = from->min == from->max,
                                     .duplicate_of = -1};
        totals->empty_columns += from->nonzeros == 0;
        totals->constant_columns += to[j].constant && from->nonzeros;
        totals->min = j ? fmin(totals->min, from->min) : from->min;
        totals->max = j ? fmax(totals->max, from->max) : from->max;
    }
    uint64_t room = 4;
    while (room < 2 * cols)
        room *= 2;
    summary_columns columns = {
        .view = &data->view, .figures = figures, .parts = hsp__sweep_parts(data)};
    uint64_t *order = hsp__scratch_raw(&scratch, cols, sizeof *order);
    uint64_t *slots = hsp__scratch_raw(&scratch, room, sizeof *slots);
    columns.twin = hsp__scratch_raw(&scratch, cols, sizeof *columns.twin);
    columns.refuted = hsp__scratch_new(&scratch, cols, sizeof *columns.refuted);
    hsp_status status = scratch.failed
                            ? hsp__fail_memory(err)
                            : summary_columns_run(ctx, &columns, order, slots, room - 1, to, err);
    for (uint64_t j = 0; j < cols; j++)
        totals->duplicate_columns += to[j].duplicate_of >= 0 && !to[j].constant;
    hsp__scratch_free(&scratch);
    hsp__free(&ctx->allocator, figures);
    return status;
}

/* ---- Classes --------------------------------------------------------------------------------- */

/* In a random order neighbours differ with probability sum n_c (n - n_c) / (n (n - 1)). */
static void summary_look_at_classes(const hsp_view *view, uint64_t *counts, hsp_totals *totals)
{
    if (!view->labels || !view->rows) return;
    const double n = (double)view->rows;
    for (uint64_t i = 0; i < view->rows; i++) {
        counts[view->labels[i]]++;
        totals->class_runs += i == 0 || view->labels[i] != view->labels[i - 1];
    }
    totals->class_runs_expected = 1;
    for (uint32_t c = 0; c < view->classes; c++)
        totals->class_runs_expected += (double)counts[c] * ((double)(view->rows - counts[c]) / n);
}

hsp_status hsp_summary_new(hsp_context *ctx, hsp_data *data, hsp_error *err, hsp_summary **out)
{
    HSP__NEED(err, ctx, data, out);
    const hsp_allocator *memory = &ctx->allocator;
    const hsp_view *view;
    hsp__stop stop;
    hsp_context own = hsp__stop_open(&stop, ctx);
    HSP__TRY(hsp_data_view(&own, data, err, &view));
    hsp_summary *summary = hsp__new(memory, 1, sizeof *summary);
    if (!summary) return hsp__fail_memory(err);
    summary->memory = *memory;
    summary->classes = view->classes;
    summary->totals.rows = view->rows;
    summary->totals.cols = view->cols;
    /* as read, or never rounded: a table with means in its gaps does not say */
    summary->totals.exact = hsp__data_is_exact(data) || (!data->digits && !data->encoding);
    summary->class_counts = hsp__new(memory, view->classes, sizeof *summary->class_counts);
    summary->columns = hsp__new(memory, view->cols, sizeof *summary->columns);
    summary->same = hsp__new_raw(memory, view->rows, sizeof *summary->same);
    hsp_status status = HSP_OK;
    if (!summary->class_counts || !summary->columns || !summary->same)
        status = hsp__fail_memory(err);
    if (!status) summary_look_at_classes(view, summary->class_counts, &summary->totals);
    if (!status) status = summary_look_at_rows(&own, data, summary, err);
    if (!status)
        status = summary_look_at_columns(&own, data, &summary->totals, summary->columns, err);
    if (status)
        hsp_summary_free(summary);
    else
        *out = summary;
    return hsp__while(err, status, "describing the rows", NULL);
}
