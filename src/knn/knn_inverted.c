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
#include <stdatomic.h>
#include <stdlib.h>

#include "base/base.h"
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

/* Number the lists. 0: no memory. */
static int knn_inverted_columns(hsp__knn_index *near, knn_inverted_state *own)
{
    uint64_t *counts = hsp__new(&near->allocator, own->cols, sizeof *counts);
    own->list = hsp__scratch_raw(&near->memory, own->cols, sizeof *own->list);
    if (!counts || !own->list) {
        hsp__free(&near->allocator, counts);
        return 0;
    }
    for (uint64_t i = 0; i < own->rows; i++) {
        const hsp__row row = hsp__view_row(near->rows, i);
        for (uint64_t k = 0; k < row.count; k++)
            counts[row.indices[k]]++;
    }
    /* how many rows must have a column for it to be common, so that not too many are */
    uint64_t bar = own->rows / KNN_INVERTED_OFTEN;
    for (;; bar += bar / 8 + 1) {
        uint64_t above = 0;
        for (uint64_t c = 0; c < own->cols; c++)
            above += counts[c] > bar;
        if (above <= KNN_INVERTED_COMMON) break;
    }
    for (uint64_t c = 0; c < own->cols; c++)
        own->list[c] = counts[c] > bar ? -2 - (int32_t)own->commons++
                       : counts[c]     ? (int32_t)own->lists++
                                       : KNN_INVERTED_NONE;
    hsp__free(&near->allocator, counts);
    return 1;
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

static int knn_inverted_compare(const void *a, const void *b)
{
    const uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
    return (x > y) - (x < y);
}

/* Room for a block's entries; where each list begins. */
static int knn_inverted_room(const knn_inverted_build *build, knn_inverted_block *block,
                             hsp__scratch *memory)
{
    const hsp_view *view = build->near->rows;
    const int32_t *lists = build->own->list;
    const uint64_t wide =
        (block->count + KNN_INVERTED_LOOK - 1) / KNN_INVERTED_LOOK * KNN_INVERTED_LOOK;
    uint64_t entries = 0, common = 0, at = 0;
    for (uint64_t i = 0; i < block->count; i++) {
        const hsp__row row = hsp__view_row(view, block->from + i);
        for (uint64_t k = 0; k < row.count; k++)
            ++*(lists[row.indices[k]] >= 0 ? &entries : &common);
    }
    block->places = build->own->lists;
    if (entries < block->places / KNN_INVERTED_THIN) { /* a table of the few lists that it has */
        uint32_t *table = block->table = hsp__scratch_raw(memory, entries, sizeof *table);
        for (uint64_t i = 0; table && i < block->count; i++) {
            const hsp__row row = hsp__view_row(view, block->from + i);
            for (uint64_t k = 0; k < row.count; k++)
                if (lists[row.indices[k]] >= 0) table[at++] = (uint32_t)lists[row.indices[k]];
        }
        if (table) qsort(table, at, sizeof *table, knn_inverted_compare);
        block->places = 0;
        for (uint64_t e = 0; e < at; e++)
            if (!e || table[e] != table[block->places - 1]) table[block->places++] = table[e];
    }
    block->starts = hsp__scratch_new(memory, block->places + 1, sizeof *block->starts);
    block->common = hsp__scratch_new(memory, wide, sizeof *block->common);
    block->less = hsp__scratch_new(memory, wide, sizeof *block->less);
    block->common_starts = hsp__scratch_new(memory, block->count + 1, sizeof(uint32_t));
    block->rows = hsp__scratch_raw(memory, entries, sizeof *block->rows);
    block->values = hsp__scratch_raw(memory, entries, sizeof *block->values);
    block->common_columns = hsp__scratch_raw(memory, common, sizeof *block->common_columns);
    block->common_values = hsp__scratch_raw(memory, common, sizeof *block->common_values);
    if (memory->failed) return 0;
    for (uint64_t i = 0; i < block->count; i++) {
        const hsp__row row = hsp__view_row(view, block->from + i);
        for (uint64_t k = 0; k < row.count; k++) {
            const int32_t list = lists[row.indices[k]];
            if (list >= 0) block->starts[knn_inverted_place(block, (uint32_t)list) + 1]++;
        }
    }
    for (uint64_t l = 0; l < block->places; l++)
        block->starts[l + 1] += block->starts[l];
    return 1;
}

/* One row's entries; next[p] is where the list at place p goes on. */
static void knn_inverted_row(const knn_inverted_build *build, knn_inverted_block *block, uint64_t i,
                             uint32_t *next)
{
    const hsp_view *view = build->near->rows;
    const knn_inverted_state *own = build->own;
    const hsp__row row = hsp__view_row(view, block->from + i);
    const double all =
        own->cosine ? build->near->norms[block->from + i] : hsp__knn_square(view, block->from + i);
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
    const hsp_allocator *memory = &build->near->allocator;
    uint32_t *next = NULL;
    if (knn_inverted_room(build, block, &build->near->parts[b]))
        next = hsp__new_raw(memory, block->places, sizeof *next);
    if (!next) {
        atomic_store(&build->no_memory, 1);
        return;
    }
    memcpy(next, block->starts, block->places * sizeof *next);
    for (uint64_t i = 0; i < block->count; i++)
        knn_inverted_row(build, block, i, next);
    hsp__free(memory, next);
}

static hsp_status knn_inverted_make(hsp_context *ctx, hsp__knn_index *near, hsp_error *err)
{
    const uint64_t rows = near->rows->rows;
    const uint64_t blocks = (rows + KNN_INVERTED_BLOCK - 1) / KNN_INVERTED_BLOCK;
    knn_inverted_state *own = near->own = hsp__scratch_new(&near->memory, 1, sizeof *own);
    if (!own || !hsp__knn_parts(near, blocks)) return hsp__fail_memory(err);
    knn_inverted_build build = {.near = near, .own = own};
    double longest = 0;
    own->rows = rows;
    own->cols = near->rows->cols;
    own->cosine = near->plan.metric == HSP__METRIC_COSINE;
    own->blocks = blocks;
    for (uint64_t i = 0; !own->cosine && i < rows; i++)
        longest = fmax(longest, hsp__knn_square(near->rows, i));
    own->scale = longest > 1e-200 && longest < 1e200 ? 1 / sqrt(longest) : 0;
    own->block = hsp__scratch_new(&near->memory, blocks, sizeof *own->block);
    if (!own->block || !knn_inverted_columns(near, own)) return hsp__fail_memory(err);
    for (uint64_t b = 0; b < blocks; b++) {
        const uint64_t from = b * KNN_INVERTED_BLOCK, left = rows - from;
        own->block[b].from = from;
        own->block[b].count = left < KNN_INVERTED_BLOCK ? left : KNN_INVERTED_BLOCK;
    }
    hsp__tasks_try(ctx, blocks, knn_inverted_fill, &build);
    return atomic_load(&build.no_memory) ? hsp__fail_memory(err) : hsp__stop_status(ctx, err);
}

/* ---- Finding --------------------------------------------------------------------------------- */

/* A query on its way, and what a worker needs. */
typedef struct knn_inverted_query {
    const knn_inverted_state *own;
    const hsp__knn_guests *guests;
    uint64_t guest, skip;
    double scale;      /* what numbers are multiplied by; 0: all rows are met one by one */
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
    const knn_inverted_state *own = query->own;
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
    const double distance = hsp__knn_pair(query->guests, query->guest, row);
    hsp__knn_offer(&query->heap, distance, row);
    knn_inverted_least(query);
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

/* Rows of a block: first those with the largest sums, whose distances make the reach short for the
 * others; then all that the bound does not leave out. */
static void knn_inverted_meet(knn_inverted_query *query, const knn_inverted_block *block)
{
    const hsp__knn_guests *guests = query->guests;
    const knn_inverted_state *own = query->own;
    const float norm = query->common_norm, *less = block->less, *common = block->common;
    float *sums = query->sums, floor = -(float)INFINITY;
    memset(sums, 0, KNN_INVERTED_BLOCK * sizeof *sums);
    for (uint64_t e = guests->starts[query->guest]; e < guests->starts[query->guest + 1]; e++) {
        const uint64_t column = guests->indices[e];
        const int32_t list = column < own->cols ? own->list[column] : KNN_INVERTED_NONE;
        if (list < 0) continue;
        const uint64_t place = knn_inverted_place(block, (uint32_t)list);
        if (place == block->places) continue;
        const float q = (float)(guests->values[e] * query->scale);
        const uint32_t to = block->starts[place + 1];
        for (uint32_t p = block->starts[place]; p < to; p++)
            sums[block->rows[p]] += q * block->values[p];
    }
    if (query->skip - block->from < block->count)
        sums[query->skip - block->from] = -(float)INFINITY;
    query->best.count = 0;
    for (uint64_t i = 0; i < block->count; i++) {
        const float score = sums[i] - less[i];
        if (!(score > floor)) continue;
        hsp__knn_offer(&query->best, -(double)score, i);
        if (query->best.count == query->best.k) floor = -(float)query->best.at[0].distance;
    }
    for (uint64_t h = 0; h < query->best.count; h++) {
        const uint64_t i = query->best.at[h].row;
        if (sums[i] + knn_inverted_rest(query, block, i) - less[i] < query->least) continue;
        knn_inverted_offer(query, block->from + i);
        sums[i] = -(float)INFINITY; /* not again */
    }
    for (uint64_t at = 0; at < block->count; at += KNN_INVERTED_LOOK) {
        int any = 0;
        for (int j = 0; j < KNN_INVERTED_LOOK; j++)
            any |= (sums + at)[j] + norm * (common + at)[j] - (less + at)[j] >= query->least;
        if (!any) continue;
        for (uint64_t i = at; i < at + KNN_INVERTED_LOOK && i < block->count; i++) {
            if (sums[i] + norm * common[i] - less[i] < query->least) continue;
            if (sums[i] + knn_inverted_rest(query, block, i) - less[i] < query->least) continue;
            if (sums[i] >= -1e30F) knn_inverted_offer(query, block->from + i);
        }
    }
}

/* q_C, the norms, and how far sums may be off. */
static void knn_inverted_start(knn_inverted_query *query)
{
    const hsp__knn_guests *guests = query->guests;
    const knn_inverted_state *own = query->own;
    const uint64_t from = guests->starts[query->guest], to = guests->starts[query->guest + 1];
    double all = 0, common = 0;
    for (uint64_t e = from; e < to; e++)
        all += guests->values[e] * guests->values[e];
    const double scale = knn_inverted_scale(own, all);
    query->squares = own->cosine ? 1 : all * scale * scale;
    query->scale = query->squares < 1e12 ? scale : 0;
    if (query->scale == 0) return;
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
}

static hsp_status knn_inverted_answer(const hsp__knn_search *search, uint64_t from, uint64_t count,
                                      hsp_error *err)
{
    const knn_inverted_state *own = search->guests->near->own;
    hsp__scratch memory = {.memory = &search->ctx->allocator};
    knn_inverted_query query = {.own = own, .guests = search->guests};
    query.sums = hsp__scratch_raw(&memory, KNN_INVERTED_BLOCK, sizeof *query.sums);
    query.best.at = hsp__scratch_raw(&memory, search->k, sizeof *query.best.at);
    query.best.k = search->k;
    for (uint64_t g = from; !memory.failed && g < from + count && !hsp__tick(search->ctx); g++) {
        query.guest = g;
        query.skip = hsp__knn_skip(search, g);
        query.heap = (hsp__knn_heap){.at = search->out + g * search->k, .k = search->k};
        knn_inverted_start(&query);
        knn_inverted_least(&query);
        for (uint64_t i = 0; query.scale == 0 && i < own->rows; i++) /* zero, or out of range */
            if (i != query.skip) knn_inverted_offer(&query, i);
        for (uint64_t b = 0; query.scale != 0 && b < own->blocks; b++)
            knn_inverted_meet(&query, &own->block[b]);
        hsp__knn_sort(&query.heap);
    }
    hsp__scratch_free(&memory);
    return memory.failed ? hsp__fail_memory(err) : HSP_OK;
}

static hsp_status knn_inverted_find(hsp__knn_search *search, hsp_error *err)
{
    const knn_inverted_state *own = search->guests->near->own;
    /* When much of the rows is asked for, there is little to leave out. */
    if ((!own->cosine && own->scale == 0) || search->k > own->rows / 4)
        return hsp__knn_brute_force.find(search, err);
    return hsp__knn_run(search, 16, knn_inverted_answer, err);
}

const hsp__knn_index_type hsp__knn_inverted = {.kind = HSP__KNN_INVERTED,
                                               .name = "inverted",
                                               .fits = knn_inverted_fits,
                                               .build = knn_inverted_make,
                                               .find = knn_inverted_find};
