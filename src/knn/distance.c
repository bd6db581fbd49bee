/* The distances that decide (knn_index_type.h has their order), queries made ready for them, and
 * the nearest so far. */
#include <float.h>

#include "base/base.h"
#include "kernel/block.h"
#include "knn/knn_index_type.h"
#include "vec/vec.h"

/* ---- Squares that leave the range of doubles --------------------------------------------------
 */

#define DISTANCE_SMALL 0x1p-1000 /* of sums of squares: what underflowed in them is nothing */

/* The largest |x - y| of two rows, which may be infinite; or with a `scale`, the sum of
 * ((x - y) * 2^scale)^2. */
static double distance_slowly(const hsp_view *a, uint64_t i, const hsp_view *b, uint64_t j,
                              const int *scale)
{
    const hsp__row p = hsp__view_row(a, i), q = hsp__view_row(b, j);
    double most = 0, sum = 0;
    for (uint64_t s = 0, t = 0; s < p.count || t < q.count;) {
        const uint64_t cp = s < p.count ? hsp__row_column(&p, s) : UINT64_MAX;
        const uint64_t cq = t < q.count ? hsp__row_column(&q, t) : UINT64_MAX;
        const double x = cp <= cq ? hsp__row_value(a, &p, s) : 0;
        const double y = cq <= cp ? hsp__row_value(b, &q, t) : 0;
        /* the difference of huge numbers leaves the range too */
        const double d = !scale       ? fabs(x - y)
                         : *scale < 0 ? ldexp(x, *scale) - ldexp(y, *scale)
                                      : ldexp(x - y, *scale);
        most = d > most ? d : most;
        sum += d * d;
        s += cp <= cq, t += cq <= cp;
    }
    return scale ? sum : most;
}

/* From the sum of squares to the distance of guest q and row i. */
static double distance_root(const hsp__knn_guests *g, uint64_t q, uint64_t i, double sum)
{
    if (sum >= DISTANCE_SMALL && isfinite(sum)) return sqrt(sum);
    const double most = distance_slowly(g->view, q, g->near->rows, i, NULL);
    int power = DBL_MAX_EXP + 1, scale;
    if (most == 0) return 0;
    if (isfinite(most)) frexp(most, &power);
    scale = -power; /* then the largest is about 1 */
    return ldexp(sqrt(distance_slowly(g->view, q, g->near->rows, i, &scale)), power);
}

/* ---- Sums over columns ----------------------------------------------------------------------- */

/* Entry k of a row of floats, doubles, or ones. */
typedef enum distance_kind { DISTANCE_ONES, DISTANCE_SINGLE, DISTANCE_WIDE } distance_kind;

static inline double distance_entry(const void *values, distance_kind kind, uint64_t k)
{
    if (kind == DISTANCE_ONES) return 1;
    return kind == DISTANCE_SINGLE ? (double)((const float *)values)[k]
                                   : ((const double *)values)[k];
}

/* One more place, where the rows have x and y. Of cosine, the inner product. */
static inline double distance_add(double sum, hsp__metric metric, double x, double y)
{
    const double d = fabs(x - y);
    if (metric == HSP__METRIC_L2) return sum + d * d;
    if (metric == HSP__METRIC_L1) return sum + d;
    if (metric == HSP__METRIC_LINF) return d > sum ? d : sum;
    return metric == HSP__METRIC_HAMMING ? sum + (d != 0) : sum + x * y;
}

/* Dense rows. l1 in the order of src/vec, which has no routine for it: 32 running sums that fold in
 * halves. Here and below metric and kind are constants wherever this is called, and what depends on
 * them goes away. */
__attribute__((always_inline)) static inline double distance_dense(hsp__metric metric,
                                                                   distance_kind kind,
                                                                   const void *x, const double *y,
                                                                   size_t n)
{
    double s[HSP__VEC_DENSE_SUMS] = {0}, most = 0;
    uint64_t count = 0;
    size_t k = 0;
    if (metric == HSP__METRIC_L1) {
        for (; k + HSP__VEC_DENSE_SUMS <= n; k += HSP__VEC_DENSE_SUMS)
            for (size_t j = 0; j < HSP__VEC_DENSE_SUMS; j++)
                s[j] += fabs(y[k + j] - distance_entry(x, kind, k + j));
        for (size_t j = 0; k + j < n; j++)
            s[j] += fabs(y[k + j] - distance_entry(x, kind, k + j));
        for (size_t half = HSP__VEC_DENSE_SUMS / 2; half; half /= 2)
            for (size_t j = 0; j < half; j++)
                s[j] += s[j + half];
        return s[0];
    }
    for (; k < n; k++)
        if (metric == HSP__METRIC_LINF)
            most = distance_add(most, metric, y[k], distance_entry(x, kind, k));
        else
            count += y[k] != distance_entry(x, kind, k);
    return metric == HSP__METRIC_LINF ? most : (double)count;
}

/* Sparse rows side by side. */
static inline double distance_merge(hsp__metric metric, distance_kind kind, const hsp__row *x,
                                    const uint32_t *yi, const double *y, uint64_t n)
{
    const int alone = metric != HSP__METRIC_COSINE; /* does what one row alone stores count? */
    uint64_t s = 0, t = 0;
    double sum = 0;
    while (s < x->count && t < n) {
        const uint32_t a = x->indices[s], b = yi[t];
        if (a == b) {
            sum = distance_add(sum, metric, distance_entry(x->values, kind, s), y[t]);
            s++, t++;
        } else if (a < b) {
            if (alone) sum = distance_add(sum, metric, distance_entry(x->values, kind, s), 0);
            s++;
        } else {
            if (alone) sum = distance_add(sum, metric, 0, y[t]);
            t++;
        }
    }
    for (; alone && s < x->count; s++)
        sum = distance_add(sum, metric, distance_entry(x->values, kind, s), 0);
    for (; alone && t < n; t++)
        sum = distance_add(sum, metric, 0, y[t]);
    return sum;
}

static double distance_cosine(double xx, double xy, double yy)
{
    if (xx == 0 || yy == 0) return xx == yy ? 0 : 1;
    const double both = xx * yy;
    double length = sqrt(both);
    if (!(both > 0x1p-1000) || !isfinite(both)) {
        /* out of the range of doubles: powers of two apart, so that the root of a square is exact
         * here too */
        int a, b;
        const double x = frexp(xx, &a), y = frexp(yy, &b);
        const int odd = (a + b) & 1;
        length = ldexp(sqrt(odd ? 2 * x * y : x * y), (a + b - odd) / 2);
    }
    const double d = 1 - xy / length;
    return d > 0 ? d : 0;
}

/* By the kind of the rows: a constant for FN. */
#define DISTANCE_KINDS(kind, FN, METRIC, ...)                               \
    ((kind) == DISTANCE_ONES     ? FN(METRIC, DISTANCE_ONES, __VA_ARGS__)   \
     : (kind) == DISTANCE_SINGLE ? FN(METRIC, DISTANCE_SINGLE, __VA_ARGS__) \
                                 : FN(METRIC, DISTANCE_WIDE, __VA_ARGS__))

/* Not inlined: what the one needs of registers the other would have to save. */
__attribute__((noinline)) static double distance_of_sparse(const hsp__knn_guests *g, uint64_t q,
                                                           uint64_t i)
{
    const hsp__knn_index *near = g->near;
    const hsp__row x = hsp__view_row(near->rows, i);
    const uint64_t from = g->starts[q], n = g->starts[q + 1] - from;
    const uint32_t *yi = g->indices + from;
    const double *y = g->values + from;
    const distance_kind kind = near->rows->storage == HSP_ONES        ? DISTANCE_ONES
                               : near->rows->precision == HSP_FLOAT32 ? DISTANCE_SINGLE
                                                                      : DISTANCE_WIDE;
    switch (near->plan.metric) {
    case HSP__METRIC_L2:
        return distance_root(g, q, i,
                             DISTANCE_KINDS(kind, distance_merge, HSP__METRIC_L2, &x, yi, y, n));
    case HSP__METRIC_L1:
        return DISTANCE_KINDS(kind, distance_merge, HSP__METRIC_L1, &x, yi, y, n);
    case HSP__METRIC_LINF:
        return DISTANCE_KINDS(kind, distance_merge, HSP__METRIC_LINF, &x, yi, y, n);
    case HSP__METRIC_HAMMING:
        return DISTANCE_KINDS(kind, distance_merge, HSP__METRIC_HAMMING, &x, yi, y, n);
    default:
        return distance_cosine(
            near->norms[i], DISTANCE_KINDS(kind, distance_merge, HSP__METRIC_COSINE, &x, yi, y, n),
            g->norms[q]);
    }
}

__attribute__((noinline)) static double distance_of_dense(const hsp__knn_guests *g, uint64_t q,
                                                          uint64_t i)
{
    const hsp__knn_index *near = g->near;
    const hsp__vec_table *vec = hsp__vec();
    const int single = near->rows->precision == HSP_FLOAT32;
    const size_t n = (size_t)near->rows->cols, at = i * near->rows->stride;
    const void *x = single ? (const void *)((const float *)near->rows->values + at)
                           : (const void *)((const double *)near->rows->values + at);
    const double *y = g->spread + q * n, tail = g->tail[q];
    const distance_kind kind = single ? DISTANCE_SINGLE : DISTANCE_WIDE;
    switch (near->plan.metric) {
    case HSP__METRIC_L2:
        return distance_root(
            g, q, i, tail + (single ? vec->sqdist_f32f64(x, y, n) : vec->sqdist_f64(x, y, n)));
    case HSP__METRIC_L1:
        return DISTANCE_KINDS(kind, distance_dense, HSP__METRIC_L1, x, y, n) + tail;
    case HSP__METRIC_LINF:
        return fmax(DISTANCE_KINDS(kind, distance_dense, HSP__METRIC_LINF, x, y, n), tail);
    case HSP__METRIC_HAMMING:
        return DISTANCE_KINDS(kind, distance_dense, HSP__METRIC_HAMMING, x, y, n) + tail;
    default:
        return distance_cosine(
            near->norms[i], single ? vec->dot_f32f64(x, y, n) : vec->dot_f64(x, y, n), g->norms[q]);
    }
}

double hsp__knn_pair(const hsp__knn_guests *guests, uint64_t q, uint64_t i)
{
    assert(guests->near->plan.metric != HSP__METRIC_KERNEL);
    return guests->starts ? distance_of_sparse(guests, q, i) : distance_of_dense(guests, q, i);
}

double hsp__knn_root(const hsp__knn_guests *guests, uint64_t q, uint64_t i, double sum)
{
    return distance_root(guests, q, i, guests->tail[q] + sum);
}

double hsp__knn_square(const hsp_view *rows, uint64_t i)
{
    const hsp__row row = hsp__view_row(rows, i);
    double sum = 0;
    if (rows->storage == HSP_DENSE)
        return rows->precision == HSP_FLOAT32
                   ? hsp__vec()->sqnorm_f32f64(row.values, (size_t)row.count)
                   : hsp__vec()->sqnorm_f64(row.values, (size_t)row.count);
    for (uint64_t k = 0; k < row.count; k++) {
        const double x = hsp__row_value(rows, &row, k);
        sum += x * x;
    }
    return sum;
}

/* ---- Kernels --------------------------------------------------------------------------------- */

/* Where little is left of two large numbers, rounding may be all of it: rows that are the same are
 * at 0. */
#define DISTANCE_LITTLE 1e-9

/* The last bits of a value may depend on which side of a block has more rows. So the index's always
 * has: it is filled up with its last row. */
hsp_status hsp__knn_kernel_block(hsp_context *ctx, const hsp__knn_guests *guests, uint64_t from,
                                 uint64_t count, uint64_t at, uint64_t some, double *out,
                                 uint64_t ld, hsp_error *err)
{
    uint64_t few[HSP__KNN_GUESTS + 1];
    hsp__kernel_rows rows = *guests->kernel;
    rows.road = &guests->road;
    const hsp__kernel_pick a = {.rows = &rows, .from = from, .count = count};
    hsp__kernel_pick b = {.rows = guests->near->kernel, .from = at, .count = some};
    if (some <= count) {
        b.list = few;
        b.count = count + 1;
        for (uint64_t r = 0; r <= count; r++)
            few[r] = at + (r < some ? r : some - 1);
    }
    hsp_status status = hsp__kernel_block_f64(ctx, &a, &b, out, ld, err);
    for (uint64_t g = 0; !status && g < count; g++)
        for (uint64_t r = 0; r < some; r++) {
            const double qq = guests->selves[from + g], xx = guests->near->selves[at + r];
            const double square = (qq - 2 * out[g * ld + r]) + xx;
            const int little = square < DISTANCE_LITTLE * (fabs(qq) + fabs(xx));
            const int same =
                !(square > 0) ||
                (little && hsp__view_same_rows(guests->view, from + g, guests->near->rows, at + r));
            out[g * ld + r] = same ? 0 : sqrt(square);
        }
    return status;
}

/* ---- Guests ---------------------------------------------------------------------------------- */

#define DISTANCE_SQUARE_LEAST 0x1p-1010 /* of a squared norm: what underflowed in it is nothing */

hsp_status hsp__knn_check_squares(const double *squares, const hsp_view *rows, uint64_t first,
                                  hsp_error *err)
{
    for (uint64_t i = 0; i < rows->rows; i++) {
        const hsp__row row = hsp__view_row(rows, i);
        const int large = !isfinite(squares[i]);
        int sound = !large && squares[i] >= DISTANCE_SQUARE_LEAST;
        if (!sound && !large) { /* or all its numbers are 0 */
            uint64_t k = 0;
            while (k < row.count && hsp__row_value(rows, &row, k) == 0)
                k++;
            sound = k == row.count;
        }
        if (sound) continue;
        return hsp__fail(err, HSP_BAD_DATA,
                         "row %llu is too %s for cosines: its squared norm is %s",
                         (unsigned long long)(first + i + 1), large ? "large" : "small",
                         large ? "not finite" : "below the range of doubles");
    }
    return HSP_OK;
}

/* To an index of dense rows: its columns side by side, and what other columns add. */
static void guests_spread(hsp__knn_guests *guests)
{
    const hsp__metric metric = guests->near->plan.metric;
    const hsp__metric beyond = metric == HSP__METRIC_COSINE ? HSP__METRIC_L2 : metric;
    const uint64_t cols = guests->near->rows->cols;
    guests->spread = hsp__scratch_new(&guests->memory, guests->count * cols, sizeof(double));
    guests->tail = hsp__scratch_new(&guests->memory, guests->count, sizeof(double));
    for (uint64_t q = 0; !guests->memory.failed && q < guests->count; q++) {
        const hsp__row row = hsp__view_row(guests->view, q);
        for (uint64_t k = 0; k < row.count; k++) {
            const uint64_t column = hsp__row_column(&row, k);
            const double x = hsp__row_value(guests->view, &row, k);
            if (column < cols)
                guests->spread[q * cols + column] = x;
            else
                guests->tail[q] = distance_add(guests->tail[q], beyond, x, 0);
        }
    }
}

/* To an index of sparse rows: the entries other than 0. */
static void guests_gather(hsp__knn_guests *guests)
{
    uint64_t stored = 0;
    for (uint64_t q = 0; q < guests->count; q++)
        stored += hsp__view_row(guests->view, q).count;
    guests->starts = hsp__scratch_new(&guests->memory, guests->count + 1, sizeof *guests->starts);
    guests->indices = hsp__scratch_raw(&guests->memory, stored, sizeof *guests->indices);
    guests->values = hsp__scratch_raw(&guests->memory, stored, sizeof *guests->values);
    for (uint64_t q = 0, at = 0; !guests->memory.failed && q < guests->count; q++) {
        const hsp__row row = hsp__view_row(guests->view, q);
        for (uint64_t k = 0; k < row.count; k++) {
            const double x = hsp__row_value(guests->view, &row, k);
            if (x == 0) continue;
            guests->indices[at] = (uint32_t)hsp__row_column(&row, k);
            guests->values[at++] = x;
        }
        guests->starts[q + 1] = at;
    }
}

hsp_status hsp__knn_guests_init(hsp__knn_guests *guests, hsp_context *ctx,
                                const hsp__knn_index *near, const hsp_view *queries, uint64_t first,
                                hsp_error *err)
{
    const uint64_t cols = near->rows->cols;
    *guests = (hsp__knn_guests){.near = near, .count = queries->rows, .view = queries};
    guests->first = first;
    guests->memory.memory = &ctx->allocator;
    hsp_status status = HSP_OK;
    if (near->plan.metric == HSP__METRIC_KERNEL) {
        guests->road = hsp__kernel_road_of(near->kernel);
        guests->road.wide = 1;
        guests->selves = hsp__scratch_raw(&guests->memory, guests->count, sizeof(double));
        if (guests->selves)
            status = hsp__kernel_rows_new(ctx, near->plan.kernel, guests->view, NULL, err,
                                          &guests->kernel);
        for (uint64_t q = 0; guests->kernel && q < guests->count; q++)
            guests->selves[q] = hsp__kernel_self(guests->kernel, q);
    } else if (near->rows->storage == HSP_DENSE) {
        guests_spread(guests);
    } else {
        guests_gather(guests);
    }
    if (near->plan.metric == HSP__METRIC_COSINE)
        guests->norms = hsp__scratch_new(&guests->memory, guests->count, sizeof(double));
    if (!status && guests->memory.failed) status = hsp__fail_memory(err);
    for (uint64_t q = 0; !status && guests->norms && q < guests->count; q++) {
        if (guests->spread)
            guests->norms[q] =
                hsp__vec()->sqnorm_f64(guests->spread + q * cols, (size_t)cols) + guests->tail[q];
        else
            for (uint64_t k = guests->starts[q]; k < guests->starts[q + 1]; k++)
                guests->norms[q] += guests->values[k] * guests->values[k];
    }
    if (!status && guests->norms)
        status = hsp__knn_check_squares(guests->norms, guests->view, first, err);
    if (status) hsp__knn_guests_free(guests, ctx);
    return status;
}

void hsp__knn_guests_free(hsp__knn_guests *guests, hsp_context *ctx)
{
    hsp__scratch_free(&guests->memory);
    hsp__kernel_rows_free(ctx, guests->kernel);
    *guests = (hsp__knn_guests){0};
}

/* ---- Searches -------------------------------------------------------------------------------- */

static hsp_status search_answer(const hsp__knn_search *search, uint64_t task, hsp_error *err)
{
    const uint64_t from = task * search->step, left = search->guests->count - from;
    return search->answer(search, from, left < search->step ? left : search->step, err);
}

static void search_task(void *user, uint64_t task)
{
    hsp__knn_search *search = user;
    const hsp_status status = search_answer(search, task, NULL);
    if (status) atomic_store(&search->failed, (int)status);
}

hsp_status hsp__knn_run(hsp__knn_search *search, uint64_t step, hsp__knn_answer *answer,
                        hsp_error *err)
{
    const uint64_t tasks = (search->guests->count + step - 1) / step;
    hsp_status status = HSP_OK;
    search->step = step;
    search->answer = answer;
    hsp__tasks_run(search->ctx, tasks, search_task, search);
    const int failed = atomic_load(&search->failed);
    if (failed == HSP_NO_MEMORY) return hsp__fail_memory(err);
    /* The first task that failed, once more and alone: now it says why. */
    for (uint64_t task = 0; failed && !status && task < tasks; task++)
        status = search_answer(search, task, err);
    return status;
}

/* ---- The nearest so far ---------------------------------------------------------------------- */

/* Let what is at `hole` sink to its place. */
static void distance_sink(hsp__knn_heap *heap, uint64_t hole, hsp__neighbor what)
{
    for (;;) {
        uint64_t child = 2 * hole + 1;
        if (child >= heap->count) break;
        if (child + 1 < heap->count &&
            hsp__nearer(heap->at[child].distance, heap->at[child].row, &heap->at[child + 1]))
            child++;
        if (!hsp__nearer(what.distance, what.row, &heap->at[child])) break;
        heap->at[hole] = heap->at[child];
        hole = child;
    }
    heap->at[hole] = what;
}

void hsp__knn_offer(hsp__knn_heap *heap, double distance, uint64_t row)
{
    const hsp__neighbor one = {distance, row};
    if (heap->count == heap->k) {
        if (hsp__nearer(distance, row, &heap->at[0])) distance_sink(heap, 0, one);
        return;
    }
    uint64_t hole = heap->count++;
    while (hole &&
           hsp__nearer(heap->at[(hole - 1) / 2].distance, heap->at[(hole - 1) / 2].row, &one)) {
        heap->at[hole] = heap->at[(hole - 1) / 2];
        hole = (hole - 1) / 2;
    }
    heap->at[hole] = one;
}

void hsp__knn_sort(hsp__knn_heap *heap)
{
    while (heap->count > 1) {
        const hsp__neighbor furthest = heap->at[0];
        const hsp__neighbor last = heap->at[--heap->count];
        distance_sink(heap, 0, last);
        heap->at[heap->count] = furthest;
    }
}
