/* Sparse rows: by the columns they share.
 *
 * Cosine and l2 need <x, q> for every row x, and most of its terms are zeros. For each column there
 * is a list of the rows that have it; a query walks the lists of its own columns and adds up. But a
 * few columns (the words that every text has) are most of the walking and little of the sum: their
 * lists are not kept. With C those common columns,
 *
 *     <x, q>  <=  sum over the other columns of x_j q_j  +  ||x_C|| ||q_C||,
 *
 * by Cauchy and Schwarz, which leaves out nearly all rows; for those that it does not the sum over
 * C is made, from a list of their common entries; and for those that are still not too far the
 * distance is computed by hsp__knn_pair, which alone decides.
 *
 * Sums are in float: rows are scaled (cosine: to length 1; l2: all by one factor, so that the
 * longest has length 1), so a sum of t terms is off by at most t 2^-23 ||q||, which is added to all
 * bounds. Distances come from products as 1 - <x, q> (cosine) and ||x||^2 - 2 <x, q> + ||q||^2.
 *
 * Rows are kept in blocks, whose sums stay in the cache. A block whose rows have few of the columns
 * knows the lists that it has by a sorted table of their numbers, so that blocks times columns is
 * no measure of anything. Memory: the entries of the data once more. Cost of a query: the lists of
 * its columns, and a look at every row's sum. */
#include <math.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "base/context.h"
#include "base/error.h"
#include "base/memory.h"
#include "base/stop.h"
#include "base/threads.h"
#include "knn/knn_index_type.h"

enum {
    KNN_INVERTED_BLOCK = 16384, /* rows whose sums are made at a time: numbered by 16 bits */
    KNN_INVERTED_COMMON = 128,  /* common columns at most: numbered by 8 bits */
    KNN_INVERTED_OFTEN = 32,    /* a common column is in more than one row of this many */
    KNN_INVERTED_LOOK = 16,     /* sums that are compared at a time */
    KNN_INVERTED_THIN = 2, /* a block of fewer entries than one for this many lists has a table */
    KNN_INVERTED_NONE = -1,
};

#define KNN_INVERTED_SLACK 1e-11 /* more than products of scaled rows in double are off by */
#define KNN_INVERTED_FLOAT 0x1p-22

/* Lists of the rows of a block. */
typedef struct knn_inverted_block {
    uint64_t from, count; /* rows */
    uint64_t places;      /* lists that it has room for */
    uint32_t *table;      /* places: the numbers of the lists, ascending; NULL: all there are */
    uint32_t *starts;     /* places + 1 */
    uint16_t *rows;       /* entries: from `from` on, ascending within a list */
    float *values;
    float *common; /* count, rounded up to KNN_INVERTED_LOOK: ||x_C|| */
    float *less;   /* the same: l2: ||x||^2 / 2; infinitely negative: always to be looked at */
    uint32_t *common_starts; /* count + 1 */
    uint8_t *common_columns;
    float *common_values;
} knn_inverted_block;

typedef struct knn_inverted_state {
    uint64_t rows, cols, lists, commons, blocks;
    int32_t *list; /* cols: number of the column's list; common columns: -2 - number; none: -1 */
    double scale;  /* l2: what numbers are multiplied by */
    int cosine;
    knn_inverted_block *block;
} knn_inverted_state;

static int knn_inverted_fits(hsp__metric metric, const hsp_view *rows)
{
    return (metric == HSP__METRIC_COSINE || metric == HSP__METRIC_L2) &&
           rows->storage != HSP_DENSE && rows->rows > 0 && rows->rows < UINT32_MAX &&
           rows->cols < INT32_MAX && hsp_view_stored(rows) < UINT32_MAX;
}

/* ---- Building -------------------------------------------------------------------------------- */

typedef struct knn_inverted_build {
    hsp_context *ctx;
    const hsp__knn_index *near;
    knn_inverted_state *own;
    atomic_int no_memory;
} knn_inverted_build;

/* What a row or a query of that squared length is multiplied by; 0: not to be trusted. */
static double knn_inverted_scale(const knn_inverted_state *own, double squares)
{
    if (!own->cosine) return own->scale;
    return squares > 1e-280 && squares < 1e280 ? 1 / sqrt(squares) : 0;
}

static double knn_inverted_squares(const hsp__knn_index *near, uint64_t i)
{
    if (near->norms) return near->norms[i];
    const hsp__row row = hsp__view_row(near->rows, i);
    double sum = 0;
    for (uint64_t k = 0; k < row.count; k++) {
        const double x = hsp__row_value(near->rows, &row, k);
        sum += x * x;
    }
    return sum;
}

/* How many rows must have a column for it to be common, so that not too many are. */
static uint64_t knn_inverted_bar(const uint64_t *counts, uint64_t cols, uint64_t rows)
{
    for (uint64_t bar = rows / KNN_INVERTED_OFTEN;; bar += bar / 8 + 1) {
        uint64_t above = 0;
        for (uint64_t c = 0; c < cols; c++)
            above += counts[c] > bar;
        if (above <= KNN_INVERTED_COMMON) return bar;
    }
}

/* Number the lists. */
static hsp_status knn_inverted_columns(knn_inverted_build *build, hsp_error *err)
{
    const hsp_view *view = build->near->rows;
    knn_inverted_state *own = build->own;
    uint64_t *counts = hsp__new(&build->ctx->allocator, own->cols, sizeof *counts);
    own->list = hsp__new_raw(&build->ctx->allocator, own->cols, sizeof *own->list);
    if (!counts || !own->list) {
        hsp__free(&build->ctx->allocator, counts);
        return hsp__fail_memory(err);
    }
    for (uint64_t i = 0; i < own->rows; i++) {
        const hsp__row row = hsp__view_row(view, i);
        for (uint64_t k = 0; k < row.count; k++)
            counts[row.indices[k]]++;
    }
    const uint64_t bar = knn_inverted_bar(counts, own->cols, own->rows);
    for (uint64_t c = 0; c < own->cols; c++) {
        own->list[c] = KNN_INVERTED_NONE;
        if (counts[c] > bar)
            own->list[c] = -2 - (int32_t)own->commons++;
        else if (counts[c])
            own->list[c] = (int32_t)own->lists++;
    }
    hsp__free(&build->ctx->allocator, counts);
    return HSP_OK;
}

/* Where a list is in a block; `places` when it is not. */
static inline uint64_t knn_inverted_place(const knn_inverted_block *block, uint32_t list)
{
    if (!block->table) return list;
    uint64_t from = 0, to = block->places;
    while (from < to) {
        const uint64_t middle = from + (to - from) / 2;
        if (block->table[middle] < list)
            from = middle + 1;
        else
            to = middle;
    }
    return from < block->places && block->table[from] == list ? from : block->places;
}

/* How many entries a block has in lists, and how many in common columns. */
static void knn_inverted_count(const knn_inverted_build *build, const knn_inverted_block *block,
                               uint64_t *listed, uint64_t *common)
{
    *listed = *common = 0;
    for (uint64_t i = 0; i < block->count; i++) {
        const hsp__row row = hsp__view_row(build->near->rows, block->from + i);
        for (uint64_t k = 0; k < row.count; k++)
            ++*(build->own->list[row.indices[k]] >= 0 ? listed : common);
    }
}

static int knn_inverted_compare(const void *a, const void *b)
{
    const uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
    return (x > y) - (x < y);
}

/* The lists that a block has, which are few of all. */
static int knn_inverted_table(const knn_inverted_build *build, knn_inverted_block *block,
                              uint64_t entries)
{
    uint32_t *table = hsp__new_raw(&build->ctx->allocator, entries, sizeof *table);
    uint64_t at = 0;
    if (!table) return 0;
    block->table = table;
    for (uint64_t i = 0; i < block->count; i++) {
        const hsp__row row = hsp__view_row(build->near->rows, block->from + i);
        for (uint64_t k = 0; k < row.count; k++) {
            const int32_t list = build->own->list[row.indices[k]];
            if (list >= 0) table[at++] = (uint32_t)list;
        }
    }
    qsort(table, at, sizeof *table, knn_inverted_compare);
    block->places = 0;
    for (uint64_t e = 0; e < at; e++)
        if (!e || table[e] != table[block->places - 1]) table[block->places++] = table[e];
    return 1;
}

/* Where each list begins. */
static void knn_inverted_starts(const knn_inverted_build *build, knn_inverted_block *block)
{
    for (uint64_t i = 0; i < block->count; i++) {
        const hsp__row row = hsp__view_row(build->near->rows, block->from + i);
        for (uint64_t k = 0; k < row.count; k++) {
            const int32_t list = build->own->list[row.indices[k]];
            if (list >= 0) block->starts[knn_inverted_place(block, (uint32_t)list) + 1]++;
        }
    }
    for (uint64_t l = 0; l < block->places; l++)
        block->starts[l + 1] += block->starts[l];
}

static int knn_inverted_room(const knn_inverted_build *build, knn_inverted_block *block)
{
    const hsp_allocator *memory = &build->ctx->allocator;
    const uint64_t wide =
        (block->count + KNN_INVERTED_LOOK - 1) / KNN_INVERTED_LOOK * KNN_INVERTED_LOOK;
    uint64_t entries, common;
    knn_inverted_count(build, block, &entries, &common);
    block->places = build->own->lists;
    if (entries < block->places / KNN_INVERTED_THIN && !knn_inverted_table(build, block, entries))
        return 0;
    block->starts = hsp__new(memory, block->places + 1, sizeof *block->starts);
    block->common = hsp__new(memory, wide, sizeof *block->common);
    block->less = hsp__new(memory, wide, sizeof *block->less);
    block->common_starts = hsp__new(memory, block->count + 1, sizeof *block->common_starts);
    block->rows = hsp__new_raw(memory, entries, sizeof *block->rows);
    block->values = hsp__new_raw(memory, entries, sizeof *block->values);
    block->common_columns = hsp__new_raw(memory, common, sizeof *block->common_columns);
    block->common_values = hsp__new_raw(memory, common, sizeof *block->common_values);
    if (!block->starts || !block->common || !block->less || !block->common_starts || !block->rows ||
        !block->values || !block->common_columns || !block->common_values)
        return 0;
    knn_inverted_starts(build, block);
    return 1;
}

/* One row's entries; next[p] is where the list at place p goes on. */
static void knn_inverted_row(const knn_inverted_build *build, knn_inverted_block *block, uint64_t i,
                             uint32_t *next)
{
    const hsp_view *view = build->near->rows;
    const knn_inverted_state *own = build->own;
    const hsp__row row = hsp__view_row(view, block->from + i);
    const double all = knn_inverted_squares(build->near, block->from + i);
    const double scale = knn_inverted_scale(own, all);
    uint32_t at = block->common_starts[i];
    double squares = 0;
    for (uint64_t k = 0; k < row.count; k++) {
        const int32_t list = own->list[row.indices[k]];
        const double x = hsp__row_value(view, &row, k) * scale;
        if (list >= 0) {
            const uint32_t to = next[knn_inverted_place(block, (uint32_t)list)]++;
            block->rows[to] = (uint16_t)i;
            block->values[to] = (float)x;
        } else {
            block->common_columns[at] = (uint8_t)(-2 - list);
            block->common_values[at++] = (float)x;
            squares += x * x;
        }
    }
    block->common_starts[i + 1] = at;
    block->common[i] = (float)(sqrt(squares) * (1 + KNN_INVERTED_FLOAT));
    if (!own->cosine) block->less[i] = (float)(all * scale * scale / 2);
    if (scale == 0 && all != 0) block->less[i] = -(float)INFINITY;
}

static void knn_inverted_fill(void *user, uint64_t b)
{
    knn_inverted_build *build = user;
    knn_inverted_block *block = &build->own->block[b];
    const hsp_allocator *memory = &build->ctx->allocator;
    uint32_t *next = NULL;
    if (knn_inverted_room(build, block)) next = hsp__new_raw(memory, block->places, sizeof *next);
    if (next) {
        memcpy(next, block->starts, block->places * sizeof *next);
        for (uint64_t i = 0; i < block->count; i++)
            knn_inverted_row(build, block, i, next);
    } else {
        atomic_store(&build->no_memory, 1);
    }
    hsp__free(memory, next);
}

static void knn_inverted_unmake(hsp_context *ctx, hsp__knn_index *near)
{
    const hsp_allocator *memory = &ctx->allocator;
    knn_inverted_state *own = near->own;
    if (!own) return;
    for (uint64_t b = 0; own->block && b < own->blocks; b++) {
        knn_inverted_block *block = &own->block[b];
        hsp__free(memory, block->table);
        hsp__free(memory, block->starts);
        hsp__free(memory, block->rows);
        hsp__free(memory, block->values);
        hsp__free(memory, block->common);
        hsp__free(memory, block->less);
        hsp__free(memory, block->common_starts);
        hsp__free(memory, block->common_columns);
        hsp__free(memory, block->common_values);
    }
    hsp__free(memory, own->block);
    hsp__free(memory, own->list);
    hsp__free(memory, own);
    near->own = NULL;
}

static hsp_status knn_inverted_make(hsp_context *ctx, hsp__knn_index *near, hsp_error *err)
{
    const hsp_allocator *memory = &ctx->allocator;
    knn_inverted_state *own = near->own = hsp__new(memory, 1, sizeof *own);
    if (!own) return hsp__fail_memory(err);
    knn_inverted_build build = {.ctx = ctx, .near = near, .own = own};
    double longest = 0;
    own->rows = near->rows->rows;
    own->cols = near->rows->cols;
    own->cosine = near->plan.metric == HSP__METRIC_COSINE;
    own->blocks = (own->rows + KNN_INVERTED_BLOCK - 1) / KNN_INVERTED_BLOCK;
    for (uint64_t i = 0; !own->cosine && i < own->rows; i++) {
        const double squares = knn_inverted_squares(near, i);
        longest = squares > longest ? squares : longest;
    }
    own->scale = longest > 1e-200 && longest < 1e200 ? 1 / sqrt(longest) : 0;
    hsp_status status = knn_inverted_columns(&build, err);
    if (status) return status;
    own->block = hsp__new(memory, own->blocks, sizeof *own->block);
    if (!own->block) return hsp__fail_memory(err);
    for (uint64_t b = 0; b < own->blocks; b++) {
        own->block[b].from = b * KNN_INVERTED_BLOCK;
        const uint64_t left = own->rows - own->block[b].from;
        own->block[b].count = left < KNN_INVERTED_BLOCK ? left : KNN_INVERTED_BLOCK;
    }
    hsp__tasks_run(ctx, own->blocks, knn_inverted_fill, &build);
    return atomic_load(&build.no_memory) ? hsp__fail_memory(err) : HSP_OK;
}

/* ---- Finding --------------------------------------------------------------------------------- */

typedef struct knn_inverted_work {
    hsp_context *ctx;
    const knn_inverted_state *own;
    const hsp__knn_guests *guests;
    const uint64_t *skip;
    uint64_t k, step, tasks; /* step: guests of a task */
    hsp__neighbor *out;
    atomic_uint_fast64_t next;
    atomic_int no_memory;
} knn_inverted_work;

/* A query on its way, and what a worker needs. */
typedef struct knn_inverted_query {
    const knn_inverted_work *work;
    uint64_t guest, skip;
    double squares;    /* scaled ||q||^2; cosine: 1 */
    double off;        /* what sums in float may be off by */
    float common_norm; /* at least ||q_C|| */
    float least;       /* a row whose product cannot reach it is too far */
    hsp__knn_heap heap, best;
    float *sums;                       /* KNN_INVERTED_BLOCK */
    float common[KNN_INVERTED_COMMON]; /* q_C */
} knn_inverted_query;

/* Rows with <x, q> - less below this are further than the reach. */
static void knn_inverted_least(knn_inverted_query *query)
{
    const knn_inverted_state *own = query->work->own;
    const double reach = hsp__knn_reach(&query->heap);
    double least;
    if (own->cosine) {
        least = 1 - reach - KNN_INVERTED_SLACK;
    } else {
        const double far = reach * own->scale * (1 + KNN_INVERTED_SLACK);
        least =
            (query->squares * (1 - KNN_INVERTED_SLACK) - far * far * (1 + KNN_INVERTED_SLACK)) / 2;
    }
    least -= query->off;
    query->least =
        least > -1e30 ? (float)(least - fabs(least) * KNN_INVERTED_FLOAT) : -(float)INFINITY;
}

static void knn_inverted_offer(knn_inverted_query *query, uint64_t row)
{
    const double distance = hsp__knn_pair(query->work->guests, query->guest, row);
    hsp__knn_offer(&query->heap, distance, row);
    knn_inverted_least(query);
}

/* The sums over the columns that have lists. */
static void knn_inverted_sum(knn_inverted_query *query, const knn_inverted_block *block,
                             double scale)
{
    const hsp__knn_guests *guests = query->work->guests;
    const knn_inverted_state *own = query->work->own;
    float *sums = query->sums;
    memset(sums, 0, KNN_INVERTED_BLOCK * sizeof *sums);
    for (uint64_t e = guests->starts[query->guest]; e < guests->starts[query->guest + 1]; e++) {
        const uint64_t column = guests->indices[e];
        const int32_t list = column < own->cols ? own->list[column] : KNN_INVERTED_NONE;
        if (list < 0) continue;
        const uint64_t place = knn_inverted_place(block, (uint32_t)list);
        if (place == block->places) continue;
        const float q = (float)(guests->values[e] * scale);
        const uint32_t to = block->starts[place + 1];
        for (uint32_t p = block->starts[place]; p < to; p++)
            sums[block->rows[p]] += q * block->values[p];
    }
}

/* The common columns of a row. */
static float knn_inverted_rest(const knn_inverted_query *query, const knn_inverted_block *block,
                               uint64_t i)
{
    float sum = 0;
    for (uint32_t e = block->common_starts[i]; e < block->common_starts[i + 1]; e++)
        sum += query->common[block->common_columns[e]] * block->common_values[e];
    return sum;
}

/* Those with the largest sums first, whose distances make the reach short for the others. */
static void knn_inverted_first(knn_inverted_query *query, const knn_inverted_block *block)
{
    float *sums = query->sums, floor = -(float)INFINITY;
    query->best.count = 0;
    for (uint64_t i = 0; i < block->count; i++) {
        const float score = sums[i] - block->less[i];
        if (!(score > floor)) continue;
        hsp__knn_offer(&query->best, -(double)score, i);
        if (query->best.count == query->best.k) floor = -(float)query->best.at[0].distance;
    }
    for (uint64_t h = 0; h < query->best.count; h++) {
        const uint64_t i = query->best.at[h].row;
        const float rest = knn_inverted_rest(query, block, i);
        if (sums[i] + rest - block->less[i] < query->least) continue;
        knn_inverted_offer(query, block->from + i);
        sums[i] = -(float)INFINITY; /* not again */
    }
}

/* All rows that the bound does not leave out. */
static void knn_inverted_look(knn_inverted_query *query, const knn_inverted_block *block)
{
    const float norm = query->common_norm;
    for (uint64_t at = 0; at < block->count; at += KNN_INVERTED_LOOK) {
        const float *sums = query->sums + at, *common = block->common + at,
                    *less = block->less + at;
        int any = 0;
        for (int j = 0; j < KNN_INVERTED_LOOK; j++)
            any |= sums[j] + norm * common[j] - less[j] >= query->least;
        if (!any) continue;
        for (uint64_t i = at; i < at + KNN_INVERTED_LOOK && i < block->count; i++) {
            if (query->sums[i] + norm * block->common[i] - block->less[i] < query->least) continue;
            if (query->sums[i] + knn_inverted_rest(query, block, i) - block->less[i] < query->least)
                continue;
            if (query->sums[i] >= -1e30F) knn_inverted_offer(query, block->from + i);
        }
    }
}

/* q_C, the norms, and how far sums may be off; what to multiply by, 0 when that cannot be said. */
static double knn_inverted_start(knn_inverted_query *query)
{
    const hsp__knn_guests *guests = query->work->guests;
    const knn_inverted_state *own = query->work->own;
    const uint64_t from = guests->starts[query->guest], to = guests->starts[query->guest + 1];
    double all = 0, common = 0;
    for (uint64_t e = from; e < to; e++)
        all += guests->values[e] * guests->values[e];
    const double scale = knn_inverted_scale(own, all);
    query->squares = own->cosine ? 1 : all * scale * scale;
    if (scale == 0 || !(query->squares < 1e12)) return 0;
    memset(query->common, 0, sizeof query->common);
    for (uint64_t e = from; e < to; e++) {
        const uint64_t column = guests->indices[e];
        const double x = guests->values[e] * scale;
        if (column >= own->cols || own->list[column] >= KNN_INVERTED_NONE) continue;
        query->common[-2 - own->list[column]] = (float)x;
        common += x * x;
    }
    query->common_norm = (float)(sqrt(common) * (1 + KNN_INVERTED_FLOAT));
    /* Terms, the common part, the comparison itself; numbers too small for floats. */
    query->off = (double)(to - from + 16) * KNN_INVERTED_FLOAT * (sqrt(query->squares) + 1) + 1e-30;
    return scale;
}

static void knn_inverted_find_one(knn_inverted_query *query)
{
    const knn_inverted_state *own = query->work->own;
    const double scale = knn_inverted_start(query);
    query->heap.count = 0;
    knn_inverted_least(query);
    if (scale == 0) { /* zero, or out of range: every row */
        for (uint64_t i = 0; i < own->rows; i++)
            if (i != query->skip) knn_inverted_offer(query, i);
    }
    for (uint64_t b = 0; scale != 0 && b < own->blocks; b++) {
        const knn_inverted_block *block = &own->block[b];
        knn_inverted_sum(query, block, scale);
        if (query->skip - block->from < block->count)
            query->sums[query->skip - block->from] = -(float)INFINITY;
        knn_inverted_first(query, block);
        knn_inverted_look(query, block);
    }
    hsp__knn_sort(&query->heap);
}

static void knn_inverted_worker(void *user, int worker)
{
    knn_inverted_work *work = user;
    const hsp_allocator *memory = &work->ctx->allocator;
    knn_inverted_query query = {.work = work};
    (void)worker;
    query.sums = hsp__new_raw(memory, KNN_INVERTED_BLOCK, sizeof *query.sums);
    query.best.at = hsp__new_raw(memory, work->k, sizeof *query.best.at);
    query.best.k = query.heap.k = work->k;
    if (!query.sums || !query.best.at) atomic_store(&work->no_memory, 1);
    while (!atomic_load(&work->no_memory)) {
        const uint64_t task = atomic_fetch_add(&work->next, 1);
        if (task >= work->tasks) break;
        const uint64_t from = task * work->step, left = work->guests->count - from;
        for (uint64_t g = from; g < from + (left < work->step ? left : work->step); g++) {
            query.guest = g;
            query.skip = work->skip ? work->skip[g] : HSP__KNN_NONE;
            query.heap.at = work->out + g * work->k;
            if (!hsp__tick(work->ctx)) knn_inverted_find_one(&query);
        }
    }
    hsp__free(memory, query.sums);
    hsp__free(memory, query.best.at);
}

static hsp_status knn_inverted_find(hsp_context *ctx, const hsp__knn_guests *guests,
                                    const uint64_t *skip, uint64_t k, hsp_error *err,
                                    hsp__neighbor *out)
{
    const knn_inverted_state *own = guests->near->own;
    /* When much of the rows is asked for, there is little to leave out. */
    if ((!own->cosine && own->scale == 0) || k > own->rows / 4)
        return hsp__knn_brute_force.find(ctx, guests, skip, k, err, out);
    knn_inverted_work work = {.ctx = ctx, .own = own, .guests = guests, .skip = skip, .k = k};
    work.out = out;
    work.step = 16;
    work.tasks = (guests->count + work.step - 1) / work.step;
    int workers = hsp_context_threads(ctx);
    if ((uint64_t)workers > work.tasks) workers = (int)work.tasks;
    if (workers > 0) hsp__workers_run(ctx, workers, knn_inverted_worker, &work);
    return atomic_load(&work.no_memory) ? hsp__fail_memory(err) : HSP_OK;
}

const hsp__knn_index_type hsp__knn_inverted = {.kind = HSP__KNN_INVERTED,
                                               .name = "inverted",
                                               .fits = knn_inverted_fits,
                                               .build = knn_inverted_make,
                                               .unmake = knn_inverted_unmake,
                                               .find = knn_inverted_find};
