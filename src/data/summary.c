/* What is in a data set.
 *
 * One pass over the rows takes norms and a 128-bit hash of each row; the passes of columns.h take
 * the columns' figures and hashes. Equal hashes only nominate: rows are then compared number by
 * number within a bucket of equal hashes, and columns are compared in one more pass over the rows,
 * so that every count is exact for the values in memory. Zeros, stored or not, and of either sign,
 * are equal. Decimals that are equal are equal in memory; where the converse need not hold,
 * summary_exact.c looks at the file again. Memory: 56 bytes per row and a few accumulators per column.
 */
#include <stdatomic.h>
#include <stdlib.h>

#include "base/base.h"
#include "base/checksum.h"
#include "base/decimal.h"
#include "data/data.h"
#include "data/decimals.h"
#include "data/sweep.h"

#define HSP__SUMMARY_ALONE UINT64_MAX

struct hsp_summary {
    hsp_allocator memory;
    hsp_totals totals;
    uint32_t classes;
    uint64_t *class_counts;      /* classes */
    hsp_column_summary *columns; /* totals.cols */
    uint64_t *same; /* totals.rows: the first row that has the same values in memory, which may be
                       itself; HSP__SUMMARY_ALONE: no other row has them */
};

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
        summary_part all = {.norm_min = HUGE_VAL};
        for (uint64_t part = 0; part < rows.parts; part++) {
            const summary_part *next = &rows.of_part[part];
            all.norm_min = fmin(all.norm_min, next->norm_min);
            all.norm_max = fmax(all.norm_max, next->norm_max);
            all.norm_sum += next->norm_sum / (double)n;
            totals->nonzeros += next->nonzeros;
            totals->empty_rows += next->empty;
        }
        totals->norm_min = n ? all.norm_min : 0;
        totals->norm_mean = n ? all.norm_sum : 0;
        totals->norm_max = all.norm_max;
        if (n && totals->cols)
            totals->density = (double)totals->nonzeros / ((double)n * (double)totals->cols);
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
    HSP__GIVE(hsp__while(err, status, "describing the rows", NULL), summary, hsp_summary_free, out);
}

/* ---- Confirmed on the decimals of the file ------------------------------------------------ */

/* What a summary says to be equal, confirmed on the decimals of the file.
 *
 * Two decimals can have the same rounding in memory; so rows, columns and constants that are equal
 * there are candidates only. The file is read again, and the decimals of every candidate, without
 * what does not change their value ("1.50" is "15e-1"), go into a SHA-256: candidates with the same
 * one are equal. A decimal that is not 0 can also become 0 in memory; such decimals are counted as
 * what they are.
 *
 * Memory: 48 bytes per row that is equal to another in memory, 112 per column that is. */

#define EXACT_DIGEST 32

/* A row or a column that is equal to others in memory: to all of the same group. */
typedef struct exact_candidate {
    uint64_t group, number;
    unsigned char digest[EXACT_DIGEST];
} exact_candidate;

/* What is known of a column so far. */
typedef struct exact_column {
    uint64_t nonzeros;
    char *first; /* the first of them, of a candidate for a constant; or NULL */
    size_t first_size;
    int differs;      /* one of them is not the first */
    hsp__sha256 *sha; /* of a candidate for a duplicate; NULL: it is none */
} exact_column;

typedef struct exact {
    hsp__scratch scratch;
    const hsp_view *view;
    hsp_summary *summary;
    exact_candidate *rows; /* row_count */
    uint64_t row_count, row_next;
    exact_column *columns; /* cols */
    uint64_t *entry;       /* cols: 1 + the entry of the row at hand that is in this column, or 0 */
    uint64_t nonzeros, empty_rows;
} exact;

/* ---- Reading --------------------------------------------------------------------------------- */

static void exact_add(hsp__sha256 *sha, uint64_t place, const hsp__decimal_value *value)
{
    const struct {
        uint64_t place;
        int64_t sign, exponent;
    } head = {place, value->sign, value->exponent};
    hsp__sha256_add(sha, &head, sizeof head);
    for (const char *p = value->from, *dot; p < value->to; p = dot + 1) {
        dot = memchr(p, '.', (size_t)(value->to - p));
        if (!dot) dot = value->to;
        hsp__sha256_add(sha, p, (size_t)(dot - p));
    }
    hsp__sha256_add(sha, ";", 1);
}

/* A value other than 0. `sha`: of its row, or NULL. */
static hsp_status exact_value(exact *m, uint64_t i, uint64_t j, const char *text, size_t size,
                              hsp__sha256 *sha, hsp_error *err)
{
    const hsp__decimal_value value = hsp__decimal_value_of(text, size);
    exact_column *column = &m->columns[j];
    if (sha) exact_add(sha, j, &value);
    if (column->sha) exact_add(column->sha, i, &value);
    column->nonzeros++;
    m->nonzeros++;
    if (!m->summary->columns[j].constant || column->differs) return HSP_OK;
    if (column->first) {
        const hsp__decimal_value first = hsp__decimal_value_of(column->first, column->first_size);
        column->differs = !hsp__decimal_value_same(&first, &value);
        return HSP_OK;
    }
    column->first = hsp__scratch_raw(&m->scratch, size, 1);
    column->first_size = size;
    if (!column->first) return hsp__fail_memory(err);
    memcpy(column->first, text, size);
    return HSP_OK;
}

/* The values in memory, each as the file has it; those that no number of the file stands for (a
 * category, a mean that fills a gap) are what they are. Then the numbers that became 0. */
static hsp_status exact_row(void *user, uint64_t i, const hsp__decimal_entry *entries,
                            uint64_t count, hsp_error *err)
{
    exact *m = user;
    const hsp__row row = hsp__view_row(m->view, i);
    const uint64_t before = m->nonzeros;
    const int candidate = m->summary->same[i] != HSP__SUMMARY_ALONE;
    hsp__sha256 sha = {0}, *of_row = candidate ? &sha : NULL;
    hsp_status status = HSP_OK;
    char text[HSP__DECIMAL_MAX];
    if (of_row) hsp__sha256_init(of_row);
    for (uint64_t e = 0; e < count; e++)
        m->entry[entries[e].column] = e + 1;
    for (uint64_t k = 0; !status && k < row.count; k++) {
        const uint64_t j = hsp__row_column(&row, k), e = m->entry[j];
        const double v = hsp__row_value(m->view, &row, k);
        if (v == 0) continue;
        m->entry[j] = 0;
        if (e) {
            status = exact_value(m, i, j, entries[e - 1].text, entries[e - 1].size, of_row, err);
        } else {
            const size_t size = m->view->precision == HSP_FLOAT32
                                    ? hsp__decimal_print_f32((float)v, text)
                                    : hsp__decimal_print_f64(v, text);
            status = exact_value(m, i, j, text, size, of_row, err);
        }
    }
    for (uint64_t e = 0; !status && e < count; e++) {
        const uint64_t j = entries[e].column;
        if (m->entry[j] && hsp__decimal_value_of(entries[e].text, entries[e].size).sign)
            status = exact_value(m, i, j, entries[e].text, entries[e].size, of_row, err);
        m->entry[j] = 0;
    }
    m->empty_rows += m->nonzeros == before;
    if (!of_row) return status;
    exact_candidate *to = &m->rows[m->row_next++];
    to->group = m->summary->same[i];
    to->number = i;
    hsp__sha256_end(of_row, to->digest);
    return status;
}

/* ---- What it shows --------------------------------------------------------------------------- */

static int exact_compare(const void *left, const void *right)
{
    const exact_candidate *a = left, *b = right;
    if (a->group != b->group) return a->group < b->group ? -1 : 1;
    const int order = memcmp(a->digest, b->digest, EXACT_DIGEST);
    if (order) return order;
    return a->number < b->number ? -1 : a->number > b->number;
}

/* The end of the run of equal candidates that begins at `from`. */
static uint64_t exact_run(const exact_candidate *candidates, uint64_t count, uint64_t from)
{
    uint64_t to = from + 1;
    while (to < count && candidates[to].group == candidates[from].group &&
           memcmp(candidates[to].digest, candidates[from].digest, EXACT_DIGEST) == 0)
        to++;
    return to;
}

static void exact_count_rows(exact *m)
{
    hsp_totals *totals = &m->summary->totals;
    const uint32_t *labels = m->view->labels;
    totals->duplicate_rows = totals->contradictory_rows = 0;
    qsort(m->rows, m->row_count, sizeof *m->rows, exact_compare);
    for (uint64_t from = 0, to; from < m->row_count; from = to) {
        int mixed = 0;
        to = exact_run(m->rows, m->row_count, from);
        for (uint64_t k = from; labels && k < to; k++)
            mixed |= labels[m->rows[k].number] != labels[m->rows[from].number];
        totals->duplicate_rows += to - from - 1;
        if (mixed) totals->contradictory_rows += to - from;
    }
    totals->nonzeros = m->nonzeros;
    totals->empty_rows = m->empty_rows;
    if (totals->rows && totals->cols)
        totals->density = (double)m->nonzeros / ((double)totals->rows * (double)totals->cols);
}

static hsp_status exact_count_columns(exact *m, hsp_error *err)
{
    hsp_totals *totals = &m->summary->totals;
    uint64_t count = 0;
    exact_candidate *all = hsp__scratch_new(&m->scratch, totals->cols, sizeof *all);
    if (!all) return hsp__fail_memory(err);
    totals->empty_columns = totals->constant_columns = totals->duplicate_columns = 0;
    for (uint64_t j = 0; j < totals->cols; j++) {
        hsp_column_summary *to = &m->summary->columns[j];
        const exact_column *column = &m->columns[j];
        if (column->sha) {
            all[count].group = to->duplicate_of < 0 ? j : (uint64_t)to->duplicate_of;
            all[count].number = j;
            hsp__sha256_end(column->sha, all[count++].digest);
        }
        to->nonzeros = column->nonzeros;
        to->constant = to->constant && (!column->nonzeros ||
                                        (column->nonzeros == totals->rows && !column->differs));
        to->duplicate_of = -1;
        totals->empty_columns += column->nonzeros == 0;
        totals->constant_columns += to->constant && column->nonzeros;
    }
    qsort(all, count, sizeof *all, exact_compare);
    for (uint64_t from = 0, to; from < count; from = to) {
        to = exact_run(all, count, from);
        for (uint64_t k = from + 1; k < to; k++) {
            hsp_column_summary *column = &m->summary->columns[all[k].number];
            column->duplicate_of = (int64_t)all[from].number;
            totals->duplicate_columns += !column->constant;
        }
    }
    return HSP_OK;
}

/* ---- From the beginning ---------------------------------------------------------------------- */

static hsp_status exact_candidates(exact *m, hsp_error *err)
{
    const hsp_summary *summary = m->summary;
    for (uint64_t i = 0; i < m->view->rows; i++)
        m->row_count += summary->same[i] != HSP__SUMMARY_ALONE;
    m->rows = hsp__scratch_raw(&m->scratch, m->row_count, sizeof *m->rows);
    m->columns = hsp__scratch_new(&m->scratch, m->view->cols, sizeof *m->columns);
    m->entry = hsp__scratch_new(&m->scratch, m->view->cols, sizeof *m->entry);
    for (uint64_t j = 0; !m->scratch.failed && j < m->view->cols; j++) {
        const int64_t first = summary->columns[j].duplicate_of;
        const uint64_t pair[2] = {j, (uint64_t)first};
        for (int p = 0; first >= 0 && p < 2; p++) {
            exact_column *column = &m->columns[pair[p]];
            if (column->sha) continue;
            column->sha = hsp__scratch_raw(&m->scratch, 1, sizeof *column->sha);
            if (column->sha) hsp__sha256_init(column->sha);
        }
    }
    return m->scratch.failed ? hsp__fail_memory(err) : HSP_OK;
}

hsp_status hsp_summary_confirm(hsp_context *ctx, hsp_summary *summary, hsp_data *data,
                               const char *path, const hsp_options *options, hsp_error *err)
{
    HSP__NEED(err, ctx, summary, data);
    exact m = {.scratch = {.memory = &ctx->allocator}, .summary = summary};
    int there = 0;
    if (summary->totals.exact) return HSP_OK;
    hsp_status status = hsp__decimals_there(ctx, path, err, &there);
    if (status || !there) return status;
    status = hsp_data_view(ctx, data, err, &m.view);
    if (!status) status = exact_candidates(&m, err);
    if (!status) status = hsp__decimals_read(ctx, path, options, data, exact_row, &m, err);
    if (!status) status = exact_count_columns(&m, err);
    if (!status) exact_count_rows(&m);
    if (!status) summary->totals.exact = 1;
    hsp__scratch_free(&m.scratch);
    return status;
}
