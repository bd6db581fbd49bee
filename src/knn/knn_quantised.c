/* Many columns: every row is met, but as bytes.
 *
 * A row x is coded as bytes u with low + step u near x, one low and step for all rows and columns;
 * what lies beyond [low, low + 255 step] is clipped, so that one number far out does not make all
 * codes coarse. In units of step, with r the norm of what rounding to bytes left over, and e of
 * what rounding and clipping did (both measured for each row and query, and rounded up),
 *
 *     sqrt(D) - r_x - r_q  <=  ||x - q|| / step  <=  sqrt(D) + e_x + e_q,   D = sum (u_x - u_q)^2,
 *
 * by the triangle inequality, and because clipping brings no two points further apart. D is an
 * integer that is computed without any rounding, as ||u_x||^2 + ||u_q||^2 - 2 <u_x, u_q>: a matrix
 * product of bytes, six times as fast as one of floats where the processor has an instruction for
 * it (vec.h: byte_tile). Data that are small integers (pixels) have r = e = 0.
 *
 * For each query, rows whose lower bound is not beyond the k-th smallest upper bound so far are
 * kept as hits. When there are too many the k-th is looked for again; when that does not help,
 * their distances are computed in double; and so they are at the end, for the few that are left.
 * Only those decide (hsp__knn_pair). Whatever the data, a row's distance is computed at most once:
 * the worst case is a scan.
 *
 * Cosine is half the squared distance of rows scaled to length 1. Rows whose length cannot be
 * trusted (zero, or beyond 1e140) are met one by one.
 *
 * Rows are coded in an order that jumps about, so that rows sorted by class or by time do not come
 * nearer and nearer and each become a hit.
 *
 * Memory: a byte an entry, and per worker a block of queries and their hits. Build: one pass for
 * the range, one for the codes. */
#include <limits.h>
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
#include "vec/vec.h"

enum {
    KNN_QUANTISED_MOST_COLUMNS = 16384, /* sums of this many products fit into 32 bits */
    KNN_QUANTISED_QUERIES = 256, /* at a time: their codes and a panel stay in the second cache */
    KNN_QUANTISED_HIT_BYTES = 16 << 20,
    KNN_QUANTISED_SAMPLE = 2000, /* rows that say where numbers usually lie */
    ROWS = HSP__VEC_BYTE_ROWS,
    COLS = HSP__VEC_BYTE_COLS,
};

/* Bounds on rounding in double, relative or (cosine) absolute: a sum of 16384 terms is off by 2e-12
 * at most. A query may have more columns than the index, and sums over them have a term each that
 * may be off: KNN_QUANTISED_TERM. Squares below the range of double are off by more:
 * KNN_QUANTISED_TINY covers those. Beyond KNN_QUANTISED_HUGE squares overflow, and nothing is
 * claimed. */
#define KNN_QUANTISED_SLACK 1e-11
#define KNN_QUANTISED_TERM  0x1p-50
#define KNN_QUANTISED_TINY  1e-150
#define KNN_QUANTISED_HUGE  1e150

typedef struct knn_quantised_state {
    uint64_t rows, cols, quads, panels;
    uint64_t jump;    /* row of place p: p * jump mod rows */
    int coded;        /* 0: the range of the data defies coding; all rows are met one by one */
    int cosine;       /* rows are scaled to length 1 */
    double low, step; /* codes */
    int8_t *codes;    /* panels * quads * COLS * 4: u - 128, as byte_tile wants it */
    int32_t *base;    /* panels * COLS: -||u||^2 */
    double *error;    /* panels * COLS: r; 0: not coded */
    double *spill;    /* panels * COLS: e */
    double *worst;    /* panels: the largest r */
    uint64_t *odd;    /* rows that are met one by one */
    uint64_t odd_count;
} knn_quantised_state;

static int knn_quantised_fits(hsp__metric metric, const hsp_view *rows)
{
    return (metric == HSP__METRIC_L2 || metric == HSP__METRIC_COSINE) && rows->cols > 0 &&
           rows->cols <= KNN_QUANTISED_MOST_COLUMNS && rows->rows > 0 && rows->rows < UINT32_MAX;
}

/* ---- Codes ----------------------------------------------------------------------------------- */

/* A row's numbers in double, zeros where it has none, times `scale`. */
static void knn_quantised_spread(const hsp_view *view, uint64_t i, double scale, double *to)
{
    const hsp__row row = hsp__view_row(view, i);
    if (row.indices) {
        memset(to, 0, view->cols * sizeof *to);
        for (uint64_t k = 0; k < row.count; k++)
            to[row.indices[k]] = hsp__row_value(view, &row, k) * scale;
    } else if (view->precision == HSP_FLOAT32) {
        const float *from = row.values;
        for (uint64_t k = 0; k < row.count; k++)
            to[k] = (double)from[k] * scale;
    } else {
        const double *from = row.values;
        for (uint64_t k = 0; k < row.count; k++)
            to[k] = from[k] * scale;
    }
}

/* What a row is multiplied by; 0: its length cannot be trusted. */
static double knn_quantised_scale(int cosine, double squares)
{
    if (!cosine) return 1;
    return squares > 1e-280 && squares < 1e280 ? 1 / sqrt(squares) : 0;
}

/* At least the norm of so much in `cols` numbers, each of which rounding left off by 1e-13. */
static double knn_quantised_norm(const knn_quantised_state *own, double squares)
{
    return sqrt(squares) * (1 + KNN_QUANTISED_SLACK) + 1e-12 * sqrt((double)own->cols);
}

/* Bytes of a row, a multiple of four of them; *error is r, *spill is e. */
static void knn_quantised_code(const knn_quantised_state *own, const double *x, uint8_t *u,
                               double *error, double *spill)
{
    const double low = own->low, by = 1 / own->step;
    double rounded = 0, left = 0;
    for (uint64_t k = 0; k < own->cols; k++) {
        const double t = (x[k] - low) * by;
        const double inside = t > 255 ? 255 : t > 0 ? t : 0;
        u[k] = (uint8_t)(int)(inside + 0.5);
        rounded += (inside - u[k]) * (inside - u[k]);
        left += (t - u[k]) * (t - u[k]);
    }
    memset(u + own->cols, 0, 4 * own->quads - own->cols);
    *error = knn_quantised_norm(own, rounded);
    *spill = knn_quantised_norm(own, left);
}

typedef struct knn_quantised_range {
    double low, high;
    int whole; /* integers only */
} knn_quantised_range;

typedef struct knn_quantised_build {
    hsp_context *ctx;
    const hsp__knn_index *near;
    knn_quantised_state *own;
    knn_quantised_range *ranges; /* one a part */
    uint64_t parts;
    atomic_int no_memory;
} knn_quantised_build;

static double knn_quantised_row_scale(const knn_quantised_build *build, uint64_t i)
{
    return knn_quantised_scale(build->own->cosine, build->own->cosine ? build->near->norms[i] : 1);
}

/* Make a range as wide as a row needs. */
static void knn_quantised_widen(const knn_quantised_build *build, uint64_t i,
                                knn_quantised_range *range)
{
    const hsp_view *view = build->near->rows;
    const hsp__row row = hsp__view_row(view, i);
    const double scale = knn_quantised_row_scale(build, i);
    for (uint64_t k = 0; k < row.count; k++) {
        const double x = hsp__row_value(view, &row, k) * scale;
        range->low = x < range->low ? x : range->low;
        range->high = x > range->high ? x : range->high;
        if (x != (double)(int)(x < 1e9 && x > -1e9 ? x : 0.5)) range->whole = 0;
    }
}

static knn_quantised_range knn_quantised_nothing(const knn_quantised_build *build)
{
    if (build->near->rows->storage != HSP_DENSE) return (knn_quantised_range){0, 0, 1};
    return (knn_quantised_range){(double)INFINITY, -(double)INFINITY, 1};
}

static void knn_quantised_measure(void *user, uint64_t part)
{
    knn_quantised_build *build = user;
    const uint64_t rows = build->own->rows, to = hsp__part(rows, build->parts, part + 1);
    knn_quantised_range range = knn_quantised_nothing(build);
    for (uint64_t i = hsp__part(rows, build->parts, part); i < to; i++)
        knn_quantised_widen(build, i, &range);
    build->ranges[part] = range;
}

static int knn_quantised_compare(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* The range of all rows but the one in a hundred that goes furthest, either way; of a sample. */
static knn_quantised_range knn_quantised_usual(const knn_quantised_build *build)
{
    double low[KNN_QUANTISED_SAMPLE] = {0}, high[KNN_QUANTISED_SAMPLE] = {0};
    const uint64_t rows = build->own->rows;
    const uint64_t count = rows < KNN_QUANTISED_SAMPLE ? rows : KNN_QUANTISED_SAMPLE;
    for (uint64_t s = 0; s < count; s++) {
        knn_quantised_range range = knn_quantised_nothing(build);
        knn_quantised_widen(build, hsp__part(rows, count, s), &range);
        low[s] = range.low, high[s] = range.high;
    }
    qsort(low, count, sizeof *low, knn_quantised_compare);
    qsort(high, count, sizeof *high, knn_quantised_compare);
    return (knn_quantised_range){low[count / 100], high[count - 1 - count / 100], 0};
}

/* low and step from all parts' ranges, clipped where that makes codes at least twice as fine. */
static void knn_quantised_plan(const knn_quantised_build *build)
{
    knn_quantised_state *own = build->own;
    knn_quantised_range all = build->ranges[0];
    for (uint64_t p = 1; p < build->parts; p++) {
        const knn_quantised_range *range = &build->ranges[p];
        all.low = range->low < all.low ? range->low : all.low;
        all.high = range->high > all.high ? range->high : all.high;
        all.whole &= range->whole;
    }
    const knn_quantised_range usual = knn_quantised_usual(build);
    if (usual.high - usual.low <= (all.high - all.low) / 2) {
        all.low = usual.low;
        all.high = usual.high;
    }
    const double width = all.high - all.low;
    own->low = all.low;
    own->step = width <= 0 || (all.whole && width <= 255) ? 1 : width / 255;
    own->coded = own->step > 1e-290 && own->step < 1e290;
}

static uint64_t knn_quantised_row_at(const knn_quantised_state *own, uint64_t place)
{
    return place * own->jump % own->rows;
}

/* One row's bytes into its panel. */
static void knn_quantised_store(knn_quantised_state *own, uint64_t place, const uint8_t *u)
{
    const uint64_t panel = place / COLS, j = place % COLS;
    int8_t *to = own->codes + panel * own->quads * COLS * 4 + 4 * j;
    int32_t squares = 0;
    for (uint64_t k = 0; k < 4 * own->quads; k++) {
        to[k / 4 * 4 * COLS + k % 4] = (int8_t)(u[k] - 128);
        squares += u[k] * u[k];
    }
    own->base[place] = -squares;
}

static void knn_quantised_encode(void *user, uint64_t part)
{
    knn_quantised_build *build = user;
    knn_quantised_state *own = build->own;
    const hsp_allocator *memory = &build->ctx->allocator;
    double *x = hsp__new_raw(memory, own->cols, sizeof *x);
    uint8_t *u = hsp__new(memory, 4 * own->quads, 1);
    if (!x || !u) {
        atomic_store(&build->no_memory, 1);
        goto done;
    }
    const uint64_t to = hsp__part(own->panels, build->parts, part + 1);
    for (uint64_t p = hsp__part(own->panels, build->parts, part); p < to; p++) {
        own->worst[p] = 0;
        for (uint64_t place = p * COLS; place < (p + 1) * COLS; place++) {
            const uint64_t row = place < own->rows ? knn_quantised_row_at(own, place) : 0;
            const double scale = knn_quantised_row_scale(build, row);
            own->error[place] = own->spill[place] = 0;
            if (place < own->rows && scale != 0) {
                knn_quantised_spread(build->near->rows, row, scale, x);
                knn_quantised_code(own, x, u, &own->error[place], &own->spill[place]);
            } else {
                memset(u, 0, 4 * own->quads);
            }
            if (own->error[place] > own->worst[p]) own->worst[p] = own->error[place];
            knn_quantised_store(own, place, u);
        }
    }
done:
    hsp__free(memory, x);
    hsp__free(memory, u);
}

static hsp_status knn_quantised_odd(knn_quantised_build *build, hsp_error *err)
{
    knn_quantised_state *own = build->own;
    const hsp_allocator *memory = &build->ctx->allocator;
    uint64_t count = 0;
    for (uint64_t i = 0; i < own->rows; i++)
        count += knn_quantised_row_scale(build, i) == 0;
    own->odd = hsp__new_raw(memory, count, sizeof *own->odd);
    if (!own->odd) return hsp__fail_memory(err);
    for (uint64_t i = 0; i < own->rows; i++)
        if (knn_quantised_row_scale(build, i) == 0) own->odd[own->odd_count++] = i;
    return HSP_OK;
}

static uint64_t knn_quantised_common(uint64_t a, uint64_t b)
{
    while (b) {
        const uint64_t rest = a % b;
        a = b;
        b = rest;
    }
    return a;
}

/* About the golden section of the rows: successive places lie far apart. */
static uint64_t knn_quantised_jump(uint64_t rows)
{
    uint64_t jump = (uint64_t)((double)rows * 0.6180339887498949);
    while (jump > 1 && knn_quantised_common(rows, jump) != 1)
        jump--;
    return jump > 0 ? jump : 1;
}

static hsp_status knn_quantised_codes(knn_quantised_build *build, hsp_error *err)
{
    knn_quantised_state *own = build->own;
    const hsp_allocator *memory = &build->ctx->allocator;
    const uint64_t places = own->panels * COLS;
    own->codes = hsp__new_raw(memory, places * own->quads, 4);
    own->base = hsp__new_raw(memory, places, sizeof *own->base);
    own->error = hsp__new_raw(memory, places, sizeof *own->error);
    own->spill = hsp__new_raw(memory, places, sizeof *own->spill);
    own->worst = hsp__new_raw(memory, own->panels, sizeof *own->worst);
    if (!own->codes || !own->base || !own->error || !own->spill || !own->worst)
        return hsp__fail_memory(err);
    hsp__advise_huge(own->codes, places * own->quads * 4);
    hsp__tasks_run(build->ctx, build->parts, knn_quantised_encode, build);
    if (atomic_load(&build->no_memory)) return hsp__fail_memory(err);
    return knn_quantised_odd(build, err);
}

static void knn_quantised_unmake(hsp_context *ctx, hsp__knn_index *near)
{
    knn_quantised_state *own = near->own;
    if (!own) return;
    hsp__free(&ctx->allocator, own->codes);
    hsp__free(&ctx->allocator, own->base);
    hsp__free(&ctx->allocator, own->error);
    hsp__free(&ctx->allocator, own->spill);
    hsp__free(&ctx->allocator, own->worst);
    hsp__free(&ctx->allocator, own->odd);
    hsp__free(&ctx->allocator, own);
    near->own = NULL;
}

static hsp_status knn_quantised_build_all(hsp_context *ctx, hsp__knn_index *near, hsp_error *err)
{
    const hsp_allocator *memory = &ctx->allocator;
    knn_quantised_state *own = near->own = hsp__new(memory, 1, sizeof *own);
    if (!own) return hsp__fail_memory(err);
    own->rows = near->rows->rows;
    own->cols = near->rows->cols;
    own->quads = (own->cols + 3) / 4;
    own->panels = (own->rows + COLS - 1) / COLS;
    own->jump = knn_quantised_jump(own->rows);
    own->cosine = near->plan.metric == HSP__METRIC_COSINE;
    knn_quantised_build build = {.ctx = ctx, .near = near, .own = own};
    build.parts = hsp__parts(own->rows, own->cols * 4);
    build.ranges = hsp__new(memory, build.parts, sizeof *build.ranges);
    if (!build.ranges) return hsp__fail_memory(err);
    hsp__tasks_run(ctx, build.parts, knn_quantised_measure, &build);
    knn_quantised_plan(&build);
    hsp__free(memory, build.ranges);
    return own->coded ? knn_quantised_codes(&build, err) : HSP_OK;
}

/* ---- Bounds ---------------------------------------------------------------------------------- */

/* A row that may be among the nearest: its distance is in [near, far]; once computed, both are it.
 */
typedef struct knn_quantised_hit {
    double near, far;
    uint64_t row;
} knn_quantised_hit;

typedef struct knn_quantised_query {
    uint64_t guest, skip;
    knn_quantised_hit *hits; /* room for work->most */
    uint64_t count;
    int odd;       /* cannot be coded: meets all rows one by one */
    double reach;  /* no row that is further is among the k nearest */
    double inside; /* the same in units of step, with r_q */
    double error;  /* r_q */
    double spill;  /* e_q */
    double tail;   /* what columns that the index does not have add to squared distances */
    double slack;  /* KNN_QUANTISED_SLACK, and what the query's own columns add to it */
    int64_t bias;  /* D = bias - c, with c of the tile */
} knn_quantised_query;

/* The reach in units of step, at least, with r_q. */
static void knn_quantised_inside(const knn_quantised_state *own, knn_quantised_query *query)
{
    const double reach = query->reach, slack = query->slack;
    double squares;
    if (own->cosine) {
        squares = 2 * (reach + slack);
    } else {
        const double far = reach * (1 + slack) + KNN_QUANTISED_TINY;
        squares = far * far;
    }
    squares = squares * (1 + slack) - query->tail * (1 - slack);
    if (isnan(squares)) squares = (double)INFINITY; /* the tail is too: nothing is left out */
    query->inside = sqrt(squares > 0 ? squares : 0) / own->step + query->error;
}

/* The least c of a tile that is not too far, for rows with r up to `worst`. */
static int32_t knn_quantised_least(const knn_quantised_query *query, double worst)
{
    const double most =
        (query->inside + worst) * (query->inside + worst) * (1 + KNN_QUANTISED_SLACK);
    if (!(most < INT32_MAX)) return INT32_MIN;
    const int64_t least = query->bias - (int64_t)most;
    return least < INT32_MIN ? INT32_MIN : least > INT32_MAX ? INT32_MAX : (int32_t)least;
}

/* From a bound in the index's columns to one of the distance. */
static double knn_quantised_distance(const knn_quantised_state *own,
                                     const knn_quantised_query *query, double bound, double slack)
{
    const double squares = bound * bound + query->tail;
    if (own->cosine) return squares / 2 + slack;
    return sqrt(squares) * (1 + slack) + (slack < 0 ? -KNN_QUANTISED_TINY : KNN_QUANTISED_TINY);
}

/* A hit's bounds from its D. */
static knn_quantised_hit knn_quantised_bounds(const knn_quantised_state *own,
                                              const knn_quantised_query *query, uint64_t place,
                                              int32_t c)
{
    const double root = sqrt((double)(query->bias - c)), error = query->error + own->error[place];
    const double low = (root > error ? root - error : 0) * own->step;
    const double high = (root + query->spill + own->spill[place]) * own->step;
    knn_quantised_hit hit = {
        .near = 0, .far = (double)INFINITY, .row = knn_quantised_row_at(own, place)};
    if (low < KNN_QUANTISED_HUGE && query->tail < KNN_QUANTISED_HUGE)
        hit.near = knn_quantised_distance(own, query, low, -query->slack);
    if (high < KNN_QUANTISED_HUGE && query->tail < KNN_QUANTISED_HUGE)
        hit.far = knn_quantised_distance(own, query, high, query->slack);
    return hit;
}

/* ---- Hits ------------------------------------------------------------------------------------ */

typedef struct knn_quantised_work {
    hsp_context *ctx;
    const knn_quantised_state *own;
    const hsp__knn_guests *guests;
    const uint64_t *skip;
    hsp__neighbor *out;
    uint64_t k, most; /* hits of a query at most */
    uint64_t group, groups;
    atomic_uint_fast64_t next;
    atomic_int no_memory;
} knn_quantised_work;

/* Scratch of a worker. */
typedef struct knn_quantised_bench {
    knn_quantised_query *queries; /* group */
    knn_quantised_hit *hits;      /* group * most */
    double *far;                  /* most */
    hsp__neighbor *heap;          /* k */
    uint8_t *codes;               /* group * 4 * quads, group a multiple of ROWS */
    double *row;                  /* cols */
} knn_quantised_bench;

/* The k-th smallest (from 0) of `count` numbers, which it rearranges. */
static double knn_quantised_select(double *x, uint64_t count, uint64_t k)
{
    uint64_t from = 0, to = count - 1;
    while (from < to) {
        const double pivot = x[from + (to - from) / 2];
        uint64_t i = from, j = to;
        for (;;) {
            while (x[i] < pivot)
                i++;
            while (x[j] > pivot)
                j--;
            if (i >= j) break;
            const double t = x[i];
            x[i++] = x[j];
            x[j--] = t;
        }
        if (k <= j)
            to = j;
        else
            from = j + 1;
    }
    return x[k];
}

static void knn_quantised_settle(const knn_quantised_work *work, knn_quantised_query *query,
                                 knn_quantised_hit *hit)
{
    hit->near = hit->far = hsp__knn_pair(work->guests, query->guest, hit->row);
}

/* Leave out hits that are too far by the upper bounds of the others. */
static void knn_quantised_tighten(const knn_quantised_work *work, knn_quantised_bench *bench,
                                  knn_quantised_query *query)
{
    uint64_t kept = 0;
    if (query->count < work->k) return;
    for (uint64_t h = 0; h < query->count; h++)
        bench->far[h] = query->hits[h].far;
    const double reach = knn_quantised_select(bench->far, query->count, work->k - 1);
    if (reach < query->reach) query->reach = reach;
    for (uint64_t h = 0; h < query->count; h++)
        if (query->hits[h].near <= query->reach) query->hits[kept++] = query->hits[h];
    query->count = kept;
    knn_quantised_inside(work->own, query);
}

/* The k nearest hits by computed distance, nearest first. */
static void knn_quantised_decide(const knn_quantised_work *work, knn_quantised_bench *bench,
                                 knn_quantised_query *query)
{
    hsp__knn_heap heap = {.at = bench->heap, .k = work->k};
    for (uint64_t h = 0; h < query->count; h++) {
        knn_quantised_hit *hit = &query->hits[h];
        if (hit->near != hit->far) knn_quantised_settle(work, query, hit);
        hsp__knn_offer(&heap, hit->near, hit->row);
    }
    query->count = heap.count;
    hsp__knn_sort(&heap);
    for (uint64_t h = 0; h < query->count; h++) {
        const hsp__neighbor one = bench->heap[h];
        query->hits[h] = (knn_quantised_hit){one.distance, one.distance, one.row};
    }
    if (query->count == work->k && query->hits[work->k - 1].far < query->reach)
        query->reach = query->hits[work->k - 1].far;
    knn_quantised_inside(work->own, query);
}

static void knn_quantised_add(const knn_quantised_work *work, knn_quantised_bench *bench,
                              knn_quantised_query *query, knn_quantised_hit hit)
{
    if (hit.row == query->skip || hit.near > query->reach) return;
    query->hits[query->count++] = hit;
    if (query->count < work->most) return;
    knn_quantised_tighten(work, bench, query);
    if (query->count > work->most / 4 * 3) knn_quantised_decide(work, bench, query);
}

/* ---- Finding --------------------------------------------------------------------------------- */

/* Spread a guest out over the index's columns; query->tail is what lies beyond. */
static void knn_quantised_guest(const knn_quantised_work *work, knn_quantised_query *query,
                                double *row)
{
    const hsp__knn_guests *guests = work->guests;
    const knn_quantised_state *own = work->own;
    const uint64_t q = query->guest;
    const double scale = knn_quantised_scale(own->cosine, own->cosine ? guests->norms[q] : 1);
    query->odd = scale == 0;
    query->tail = 0;
    query->slack =
        KNN_QUANTISED_SLACK + KNN_QUANTISED_TERM * (double)hsp__view_row(guests->view, q).count;
    if (guests->spread) {
        for (uint64_t k = 0; k < own->cols; k++)
            row[k] = guests->spread[q * own->cols + k] * scale;
        query->tail = guests->tail[q] * scale * scale;
        return;
    }
    memset(row, 0, own->cols * sizeof *row);
    for (uint64_t e = guests->starts[q]; e < guests->starts[q + 1]; e++) {
        const double x = guests->values[e] * scale;
        if (guests->indices[e] < own->cols)
            row[guests->indices[e]] = x;
        else
            query->tail += x * x;
    }
}

static void knn_quantised_start(const knn_quantised_work *work, knn_quantised_bench *bench,
                                uint64_t r, uint64_t guest)
{
    const knn_quantised_state *own = work->own;
    knn_quantised_query *query = &bench->queries[r];
    uint8_t *u = bench->codes + r * 4 * own->quads;
    *query =
        (knn_quantised_query){.guest = guest, .skip = HSP__KNN_NONE, .reach = (double)INFINITY};
    query->hits = bench->hits + r * work->most;
    if (work->skip) query->skip = work->skip[guest];
    knn_quantised_guest(work, query, bench->row);
    knn_quantised_code(own, bench->row, u, &query->error, &query->spill);
    for (uint64_t k = 0; k < 4 * own->quads; k++)
        query->bias += u[k] * (u[k] - 256);
    knn_quantised_inside(own, query);
    for (uint64_t o = 0; o < (query->odd ? own->rows : own->odd_count); o++) {
        knn_quantised_hit hit = {.row = query->odd ? o : own->odd[o]};
        if (hit.row == query->skip) continue;
        knn_quantised_settle(work, query, &hit);
        knn_quantised_add(work, bench, query, hit);
    }
}

/* A few queries against a panel. */
static void knn_quantised_meet(const knn_quantised_work *work, knn_quantised_bench *bench,
                               uint64_t r, uint64_t some, uint64_t panel)
{
    const knn_quantised_state *own = work->own;
    const uint8_t *rows[ROWS];
    int32_t least[ROWS], c[ROWS * COLS];
    for (uint64_t i = 0; i < ROWS; i++) {
        const uint64_t at = r + (i < some ? i : some - 1);
        rows[i] = bench->codes + at * 4 * own->quads;
        least[i] = i < some && !bench->queries[at].odd
                       ? knn_quantised_least(&bench->queries[at], own->worst[panel])
                       : INT32_MAX;
    }
    const unsigned hits =
        hsp__vec()->byte_tile(own->quads, rows, own->codes + panel * own->quads * COLS * 4,
                              own->base + panel * COLS, least, c);
    for (uint64_t i = 0; hits >> i; i++) {
        knn_quantised_query *query = &bench->queries[r + i];
        if (!(hits >> i & 1) || i >= some || query->odd) continue;
        for (uint64_t j = 0; j < COLS; j++) {
            const uint64_t place = panel * COLS + j;
            if (c[i * COLS + j] < least[i] || place >= own->rows) continue;
            if (own->error[place] == 0) continue; /* an odd row: met already */
            knn_quantised_add(work, bench, query,
                              knn_quantised_bounds(own, query, place, c[i * COLS + j]));
        }
    }
}

/* Every row. No query should come to this, but none may go without an answer. */
static void knn_quantised_all(const knn_quantised_work *work, knn_quantised_bench *bench,
                              knn_quantised_query *query)
{
    query->count = 0;
    query->reach = (double)INFINITY;
    for (uint64_t row = 0; row < work->own->rows; row++) {
        knn_quantised_hit hit = {.row = row};
        if (row == query->skip) continue;
        knn_quantised_settle(work, query, &hit);
        knn_quantised_add(work, bench, query, hit);
    }
    knn_quantised_decide(work, bench, query);
}

static void knn_quantised_group(const knn_quantised_work *work, knn_quantised_bench *bench,
                                uint64_t group)
{
    const uint64_t from = group * work->group, left = work->guests->count - from;
    const uint64_t count = left < work->group ? left : work->group;
    for (uint64_t r = 0; r < count; r++)
        knn_quantised_start(work, bench, r, from + r);
    for (uint64_t panel = 0; panel < work->own->panels && !hsp__tick(work->ctx); panel++)
        for (uint64_t r = 0; r < count; r += ROWS)
            knn_quantised_meet(work, bench, r, count - r < ROWS ? count - r : ROWS, panel);
    for (uint64_t r = 0; r < count && !hsp__tick(work->ctx); r++) {
        knn_quantised_query *query = &bench->queries[r];
        knn_quantised_tighten(work, bench, query);
        knn_quantised_decide(work, bench, query);
        if (query->count < work->k) knn_quantised_all(work, bench, query);
        for (uint64_t h = 0; h < query->count; h++)
            work->out[query->guest * work->k + h] =
                (hsp__neighbor){query->hits[h].near, query->hits[h].row};
    }
}

static void knn_quantised_worker(void *user, int worker)
{
    knn_quantised_work *work = user;
    const hsp_allocator *memory = &work->ctx->allocator;
    knn_quantised_bench bench = {0};
    (void)worker;
    bench.queries = hsp__new(memory, work->group, sizeof *bench.queries);
    bench.hits = hsp__new_raw(memory, work->group * work->most, sizeof *bench.hits);
    bench.far = hsp__new_raw(memory, work->most, sizeof *bench.far);
    bench.heap = hsp__new_raw(memory, work->k, sizeof *bench.heap);
    bench.codes = hsp__new(memory, work->group * work->own->quads, 4);
    bench.row = hsp__new_raw(memory, work->own->cols, sizeof *bench.row);
    if (!bench.queries || !bench.hits || !bench.far || !bench.heap || !bench.codes || !bench.row)
        atomic_store(&work->no_memory, 1);
    while (!atomic_load(&work->no_memory)) {
        const uint64_t group = atomic_fetch_add(&work->next, 1);
        if (group >= work->groups) break;
        knn_quantised_group(work, &bench, group);
    }
    hsp__free(memory, bench.queries);
    hsp__free(memory, bench.hits);
    hsp__free(memory, bench.far);
    hsp__free(memory, bench.heap);
    hsp__free(memory, bench.codes);
    hsp__free(memory, bench.row);
}

static hsp_status knn_quantised_find(hsp_context *ctx, const hsp__knn_guests *guests,
                                     const uint64_t *skip, uint64_t k, hsp_error *err,
                                     hsp__neighbor *out)
{
    const knn_quantised_state *own = guests->near->own;
    /* When much of the rows is asked for, there is little to leave out. */
    if (!own->coded || k > own->rows / 4)
        return hsp__knn_brute_force.find(ctx, guests, skip, k, err, out);
    knn_quantised_work work = {.ctx = ctx, .own = own, .guests = guests, .skip = skip, .out = out};
    work.k = k;
    work.most = 2 * k + 64;
    uint64_t group = (guests->count + 15) / 16;
    const uint64_t room = KNN_QUANTISED_HIT_BYTES / (work.most * sizeof(knn_quantised_hit));
    group = group > KNN_QUANTISED_QUERIES ? KNN_QUANTISED_QUERIES : group;
    group = group > room ? room : group;
    work.group = group < ROWS ? ROWS : group / ROWS * ROWS;
    work.groups = (guests->count + work.group - 1) / work.group;
    int workers = hsp_context_threads(ctx);
    if ((uint64_t)workers > work.groups) workers = (int)work.groups;
    if (workers > 0) hsp__workers_run(ctx, workers, knn_quantised_worker, &work);
    return atomic_load(&work.no_memory) ? hsp__fail_memory(err) : HSP_OK;
}

const hsp__knn_index_type hsp__knn_quantised = {.kind = HSP__KNN_QUANTISED,
                                                .name = "product",
                                                .most_columns = KNN_QUANTISED_MOST_COLUMNS,
                                                .fits = knn_quantised_fits,
                                                .build = knn_quantised_build_all,
                                                .unmake = knn_quantised_unmake,
                                                .find = knn_quantised_find};
