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
#include <stdatomic.h>
#include <stdlib.h>

#include "base/base.h"
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

/* Bytes of a row, a multiple of four of them; *error is r, *spill is e: at least, since rounding
 * left each of the numbers off by up to 1e-13. */
static void knn_quantised_code(const knn_quantised_state *own, const double *x, uint8_t *u,
                               double *error, double *spill)
{
    const double low = own->low, by = 1 / own->step;
    const double off = 1e-12 * sqrt((double)own->cols);
    double rounded = 0, left = 0;
    for (uint64_t k = 0; k < own->cols; k++) {
        const double t = (x[k] - low) * by;
        const double inside = t > 255 ? 255 : t > 0 ? t : 0;
        u[k] = (uint8_t)(int)(inside + 0.5);
        rounded += (inside - u[k]) * (inside - u[k]);
        left += (t - u[k]) * (t - u[k]);
    }
    memset(u + own->cols, 0, 4 * own->quads - own->cols);
    *error = sqrt(rounded) * (1 + KNN_QUANTISED_SLACK) + off;
    *spill = sqrt(left) * (1 + KNN_QUANTISED_SLACK) + off;
}

typedef struct knn_quantised_range {
    double low, high;
    int whole; /* integers only */
} knn_quantised_range;

typedef struct knn_quantised_build {
    hsp__knn_index *near;
    knn_quantised_state *own;
    knn_quantised_range *ranges; /* one a part */
    uint64_t parts;
    atomic_int no_memory;
} knn_quantised_build;

static double knn_quantised_row_scale(const knn_quantised_build *build, uint64_t i)
{
    return knn_quantised_scale(build->own->cosine, build->own->cosine ? build->near->norms[i] : 1);
}

/* The range of some rows. */
static knn_quantised_range knn_quantised_measure(const knn_quantised_build *build, uint64_t from,
                                                 uint64_t to)
{
    const hsp_view *view = build->near->rows;
    const int dense = view->storage == HSP_DENSE;
    knn_quantised_range range = {dense ? (double)INFINITY : 0, dense ? -(double)INFINITY : 0,
                                 .whole = 1};
    for (uint64_t i = from; i < to; i++) {
        const hsp__row row = hsp__view_row(view, i);
        const double scale = knn_quantised_row_scale(build, i);
        for (uint64_t k = 0; k < row.count; k++) {
            const double x = hsp__row_value(view, &row, k) * scale;
            range.low = x < range.low ? x : range.low;
            range.high = x > range.high ? x : range.high;
            if (x != (double)(int)(x < 1e9 && x > -1e9 ? x : 0.5)) range.whole = 0;
        }
    }
    return range;
}

static void knn_quantised_part(void *user, uint64_t part)
{
    const knn_quantised_build *build = user;
    const uint64_t rows = build->own->rows;
    build->ranges[part] = knn_quantised_measure(build, hsp__part(rows, build->parts, part),
                                                hsp__part(rows, build->parts, part + 1));
}

static int knn_quantised_compare(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* low and step from all parts' ranges, clipped where that makes codes at least twice as fine: to the
 * range of all rows but the one in a hundred that goes furthest, either way; of a sample. */
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
    double low[KNN_QUANTISED_SAMPLE] = {0}, high[KNN_QUANTISED_SAMPLE] = {0};
    const uint64_t count = own->rows < KNN_QUANTISED_SAMPLE ? own->rows : KNN_QUANTISED_SAMPLE;
    for (uint64_t s = 0; s < count; s++) {
        const uint64_t row = hsp__part(own->rows, count, s);
        const knn_quantised_range range = knn_quantised_measure(build, row, row + 1);
        low[s] = range.low, high[s] = range.high;
    }
    qsort(low, count, sizeof *low, knn_quantised_compare);
    qsort(high, count, sizeof *high, knn_quantised_compare);
    const double first = low[count / 100], last = high[count - 1 - count / 100];
    if (last - first <= (all.high - all.low) / 2) {
        all.low = first;
        all.high = last;
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

/* The codes of some panels. */
static void knn_quantised_encode(void *user, uint64_t part)
{
    knn_quantised_build *build = user;
    knn_quantised_state *own = build->own;
    hsp__scratch memory = {.memory = &build->near->allocator};
    double *x = hsp__scratch_raw(&memory, own->cols, sizeof *x);
    uint8_t *u = hsp__scratch_new(&memory, 4 * own->quads, 1);
    if (memory.failed) atomic_store(&build->no_memory, 1);
    const uint64_t to = memory.failed ? 0 : COLS * hsp__part(own->panels, build->parts, part + 1);
    for (uint64_t place = COLS * hsp__part(own->panels, build->parts, part); place < to; place++) {
        const uint64_t row = place < own->rows ? knn_quantised_row_at(own, place) : 0;
        const double scale = knn_quantised_row_scale(build, row);
        double *worst = &own->worst[place / COLS];
        if (place % COLS == 0) *worst = 0;
        own->error[place] = own->spill[place] = 0;
        if (place < own->rows && scale != 0) {
            knn_quantised_spread(build->near->rows, row, scale, x);
            knn_quantised_code(own, x, u, &own->error[place], &own->spill[place]);
        } else {
            memset(u, 0, 4 * own->quads);
        }
        if (own->error[place] > *worst) *worst = own->error[place];
        int8_t *panel = own->codes + place / COLS * own->quads * COLS * 4 + 4 * (place % COLS);
        int32_t squares = 0;
        for (uint64_t k = 0; k < 4 * own->quads; k++) {
            panel[k / 4 * 4 * COLS + k % 4] = (int8_t)(u[k] - 128);
            squares += u[k] * u[k];
        }
        own->base[place] = -squares;
    }
    hsp__scratch_free(&memory);
}

/* About the golden section of the rows, and without a common divisor with them: successive places
 * lie far apart. */
static uint64_t knn_quantised_jump(uint64_t rows)
{
    uint64_t jump = (uint64_t)((double)rows * 0.6180339887498949);
    for (; jump > 1; jump--) {
        uint64_t a = rows, b = jump;
        while (b) {
            const uint64_t rest = a % b;
            a = b;
            b = rest;
        }
        if (a == 1) break;
    }
    return jump > 0 ? jump : 1;
}

static hsp_status knn_quantised_make(hsp_context *ctx, hsp__knn_index *near, hsp_error *err)
{
    hsp__scratch *memory = &near->memory;
    knn_quantised_state *own = near->own = hsp__scratch_new(memory, 1, sizeof *own);
    if (!own) return hsp__fail_memory(err);
    own->rows = near->rows->rows;
    own->cols = near->rows->cols;
    own->quads = (own->cols + 3) / 4;
    own->panels = (own->rows + COLS - 1) / COLS;
    own->jump = knn_quantised_jump(own->rows);
    own->cosine = near->plan.metric == HSP__METRIC_COSINE;
    knn_quantised_build build = {.near = near, .own = own};
    build.parts = hsp__parts(own->rows, own->cols * 4);
    build.ranges = hsp__new(memory->memory, build.parts, sizeof *build.ranges);
    if (!build.ranges) return hsp__fail_memory(err);
    hsp__tasks_run(ctx, build.parts, knn_quantised_part, &build);
    knn_quantised_plan(&build);
    hsp__free(memory->memory, build.ranges);
    if (!own->coded) return HSP_OK;
    const uint64_t places = own->panels * COLS;
    own->codes = hsp__scratch_raw(memory, places * own->quads, 4);
    own->base = hsp__scratch_raw(memory, places, sizeof *own->base);
    own->error = hsp__scratch_raw(memory, places, sizeof *own->error);
    own->spill = hsp__scratch_raw(memory, places, sizeof *own->spill);
    own->worst = hsp__scratch_raw(memory, own->panels, sizeof *own->worst);
    if (memory->failed) return hsp__fail_memory(err);
    hsp__advise_huge(own->codes, places * own->quads * 4);
    hsp__tasks_run(ctx, build.parts, knn_quantised_encode, &build);
    uint64_t odd = 0;
    for (uint64_t i = 0; i < own->rows; i++)
        odd += knn_quantised_row_scale(&build, i) == 0;
    own->odd = hsp__scratch_raw(memory, odd, sizeof *own->odd);
    if (!own->odd || atomic_load(&build.no_memory)) return hsp__fail_memory(err);
    for (uint64_t i = 0; i < own->rows; i++)
        if (knn_quantised_row_scale(&build, i) == 0) own->odd[own->odd_count++] = i;
    return HSP_OK;
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

/* Hits of a query at most, before they are thinned out. */
static uint64_t knn_quantised_most(uint64_t k)
{
    return 2 * k + 64;
}

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

/* Some queries on their way, and what that needs. */
typedef struct knn_quantised_work {
    const hsp__knn_search *search;
    const knn_quantised_state *own;
    uint64_t k, most;             /* most: hits of a query at most */
    knn_quantised_query *queries; /* count, rounded up to ROWS */
    knn_quantised_hit *hits;      /* count * most */
    double *far;                  /* most */
    hsp__neighbor *heap;          /* k */
    uint8_t *codes;               /* count, rounded up, * 4 * quads */
    double *row;                  /* cols */
} knn_quantised_work;

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
    hit->near = hit->far = hsp__knn_pair(work->search->guests, query->guest, hit->row);
}

/* Leave out hits that are too far by the upper bounds of the others. */
static void knn_quantised_tighten(const knn_quantised_work *work, knn_quantised_query *query)
{
    uint64_t kept = 0;
    if (query->count < work->k) return;
    for (uint64_t h = 0; h < query->count; h++)
        work->far[h] = query->hits[h].far;
    const double reach = knn_quantised_select(work->far, query->count, work->k - 1);
    if (reach < query->reach) query->reach = reach;
    for (uint64_t h = 0; h < query->count; h++)
        if (query->hits[h].near <= query->reach) query->hits[kept++] = query->hits[h];
    query->count = kept;
    knn_quantised_inside(work->own, query);
}

/* The k nearest hits by computed distance, nearest first. */
static void knn_quantised_decide(const knn_quantised_work *work, knn_quantised_query *query)
{
    hsp__knn_heap heap = {.at = work->heap, .k = work->k};
    for (uint64_t h = 0; h < query->count; h++) {
        knn_quantised_hit *hit = &query->hits[h];
        if (hit->near != hit->far) knn_quantised_settle(work, query, hit);
        hsp__knn_offer(&heap, hit->near, hit->row);
    }
    query->count = heap.count;
    hsp__knn_sort(&heap);
    for (uint64_t h = 0; h < query->count; h++) {
        const hsp__neighbor one = work->heap[h];
        query->hits[h] = (knn_quantised_hit){one.distance, one.distance, one.row};
    }
    if (query->count == work->k && query->hits[work->k - 1].far < query->reach)
        query->reach = query->hits[work->k - 1].far;
    knn_quantised_inside(work->own, query);
}

static void knn_quantised_add(const knn_quantised_work *work, knn_quantised_query *query,
                              knn_quantised_hit hit)
{
    if (hit.row == query->skip || hit.near > query->reach) return;
    query->hits[query->count++] = hit;
    if (query->count < work->most) return;
    knn_quantised_tighten(work, query);
    if (query->count > work->most / 4 * 3) knn_quantised_decide(work, query);
}

/* Every row without a code, or all of them, one by one. */
static void knn_quantised_meet_odd(const knn_quantised_work *work, knn_quantised_query *query,
                                   int all)
{
    const knn_quantised_state *own = work->own;
    for (uint64_t o = 0; o < (all ? own->rows : own->odd_count); o++) {
        knn_quantised_hit hit = {.row = all ? o : own->odd[o]};
        if (hit.row == query->skip) continue;
        knn_quantised_settle(work, query, &hit);
        knn_quantised_add(work, query, hit);
    }
}

/* ---- Finding --------------------------------------------------------------------------------- */

/* Spread a guest out over the index's columns; query->tail is what lies beyond. */
static void knn_quantised_guest(const knn_quantised_work *work, knn_quantised_query *query,
                                double *row)
{
    const hsp__knn_guests *guests = work->search->guests;
    const knn_quantised_state *own = work->own;
    const uint64_t q = query->guest;
    const double scale = knn_quantised_scale(own->cosine, own->cosine ? guests->norms[q] : 1);
    query->odd = scale == 0;
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

static void knn_quantised_start(const knn_quantised_work *work, uint64_t r, uint64_t guest)
{
    const knn_quantised_state *own = work->own;
    knn_quantised_query *query = &work->queries[r];
    uint8_t *u = work->codes + r * 4 * own->quads;
    *query = (knn_quantised_query){.guest = guest, .reach = (double)INFINITY};
    query->hits = work->hits + r * work->most;
    query->skip = hsp__knn_skip(work->search, guest);
    knn_quantised_guest(work, query, work->row);
    knn_quantised_code(own, work->row, u, &query->error, &query->spill);
    for (uint64_t k = 0; k < 4 * own->quads; k++)
        query->bias += u[k] * (u[k] - 256);
    knn_quantised_inside(own, query);
    knn_quantised_meet_odd(work, query, query->odd);
}

/* A few queries against a panel. */
static void knn_quantised_meet(const knn_quantised_work *work, uint64_t r, uint64_t some,
                               uint64_t panel)
{
    const knn_quantised_state *own = work->own;
    const uint8_t *rows[ROWS];
    int32_t least[ROWS], c[ROWS * COLS];
    for (uint64_t i = 0; i < ROWS; i++) {
        const uint64_t at = r + (i < some ? i : some - 1);
        rows[i] = work->codes + at * 4 * own->quads;
        least[i] = i < some && !work->queries[at].odd
                       ? knn_quantised_least(&work->queries[at], own->worst[panel])
                       : INT32_MAX;
    }
    const unsigned hits =
        hsp__vec()->byte_tile(own->quads, rows, own->codes + panel * own->quads * COLS * 4,
                              own->base + panel * COLS, least, c);
    for (uint64_t i = 0; hits >> i; i++) {
        knn_quantised_query *query = &work->queries[r + i];
        if (!(hits >> i & 1) || i >= some || query->odd) continue;
        for (uint64_t j = 0; j < COLS; j++) {
            const uint64_t place = panel * COLS + j;
            if (c[i * COLS + j] < least[i] || place >= own->rows) continue;
            if (own->error[place] == 0) continue; /* an odd row: met already */
            knn_quantised_add(work, query,
                              knn_quantised_bounds(own, query, place, c[i * COLS + j]));
        }
    }
}

static hsp_status knn_quantised_answer(const hsp__knn_search *search, uint64_t from, uint64_t count,
                                       hsp_error *err)
{
    const knn_quantised_state *own = search->guests->near->own;
    const uint64_t k = search->k, wide = (count + ROWS - 1) / ROWS * ROWS;
    hsp__scratch memory = {.memory = &search->ctx->allocator};
    knn_quantised_work work = {.search = search, .own = own, .k = k, .most = knn_quantised_most(k)};
    work.queries = hsp__scratch_new(&memory, wide, sizeof *work.queries);
    work.hits = hsp__scratch_raw(&memory, count * work.most, sizeof *work.hits);
    work.far = hsp__scratch_raw(&memory, work.most, sizeof *work.far);
    work.heap = hsp__scratch_raw(&memory, k, sizeof *work.heap);
    work.codes = hsp__scratch_new(&memory, wide * own->quads, 4);
    work.row = hsp__scratch_raw(&memory, own->cols, sizeof *work.row);
    if (memory.failed) count = 0;
    for (uint64_t r = 0; r < count; r++)
        knn_quantised_start(&work, r, from + r);
    for (uint64_t panel = 0; count && panel < own->panels && !hsp__tick(search->ctx); panel++)
        for (uint64_t r = 0; r < count; r += ROWS)
            knn_quantised_meet(&work, r, count - r < ROWS ? count - r : ROWS, panel);
    for (uint64_t r = 0; r < count && !hsp__tick(search->ctx); r++) {
        knn_quantised_query *query = &work.queries[r];
        knn_quantised_tighten(&work, query);
        knn_quantised_decide(&work, query);
        if (query->count < k) {
            /* Every row. No query should come to this, but none may go without an answer. */
            query->count = 0;
            query->reach = (double)INFINITY;
            knn_quantised_meet_odd(&work, query, 1);
            knn_quantised_decide(&work, query);
        }
        for (uint64_t h = 0; h < query->count; h++)
            search->out[query->guest * k + h] =
                (hsp__neighbor){query->hits[h].near, query->hits[h].row};
    }
    hsp__scratch_free(&memory);
    return memory.failed ? hsp__fail_memory(err) : HSP_OK;
}

static hsp_status knn_quantised_find(hsp__knn_search *search, hsp_error *err)
{
    const knn_quantised_state *own = search->guests->near->own;
    /* When much of the rows is asked for, there is little to leave out. */
    if (!own->coded || search->k > own->rows / 4) return hsp__knn_brute_force.find(search, err);
    const uint64_t most = knn_quantised_most(search->k);
    const uint64_t room = KNN_QUANTISED_HIT_BYTES / (most * sizeof(knn_quantised_hit));
    uint64_t group = (search->guests->count + 15) / 16;
    group = group > KNN_QUANTISED_QUERIES ? KNN_QUANTISED_QUERIES : group;
    group = group > room ? room : group;
    return hsp__knn_run(search, group < ROWS ? ROWS : group / ROWS * ROWS, knn_quantised_answer,
                        err);
}

const hsp__knn_index_type hsp__knn_quantised = {.kind = HSP__KNN_QUANTISED,
                                                .name = "product",
                                                .most_columns = KNN_QUANTISED_MOST_COLUMNS,
                                                .fits = knn_quantised_fits,
                                                .build = knn_quantised_make,
                                                .find = knn_quantised_find};
