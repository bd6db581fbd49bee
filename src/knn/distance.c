/* The distances that decide (knn_index_type.h has their order), and queries made ready for them. */
#include <float.h>
#include <math.h>
#include <string.h>

#include "base/context.h"
#include "base/error.h"
#include "base/memory.h"
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

/* ---- Dense rows ------------------------------------------------------------------------------ */

/* What the vec room has no routine for, in its order: 32 running sums that fold in halves. */
static double distance_fold(double s[HSP__VEC_DENSE_SUMS])
{
    for (size_t half = HSP__VEC_DENSE_SUMS / 2; half; half /= 2)
        for (size_t j = 0; j < half; j++)
            s[j] += s[j + half];
    return s[0];
}

#define DISTANCE_DENSE(TYPE, NUM)                                                                 \
    static double distance_l1_##TYPE(const double *q, const NUM *x, size_t n)                     \
    {                                                                                             \
        double s[HSP__VEC_DENSE_SUMS] = {0};                                                      \
        size_t k = 0;                                                                             \
        for (; k + HSP__VEC_DENSE_SUMS <= n; k += HSP__VEC_DENSE_SUMS)                            \
            for (size_t j = 0; j < HSP__VEC_DENSE_SUMS; j++)                                      \
                s[j] += fabs(q[k + j] - (double)x[k + j]);                                        \
        for (size_t j = 0; k + j < n; j++)                                                        \
            s[j] += fabs(q[k + j] - (double)x[k + j]);                                            \
        return distance_fold(s);                                                                  \
    }                                                                                             \
    static double distance_linf_##TYPE(const double *q, const NUM *x, size_t n)                   \
    {                                                                                             \
        double most = 0;                                                                          \
        for (size_t k = 0; k < n; k++) {                                                          \
            const double d = fabs(q[k] - (double)x[k]);                                           \
            most = d > most ? d : most;                                                           \
        }                                                                                         \
        return most;                                                                              \
    }                                                                                             \
    static double distance_hamming_##TYPE(const double *q, const NUM *x, size_t n)                \
    {                                                                                             \
        uint64_t count = 0;                                                                       \
        for (size_t k = 0; k < n; k++)                                                            \
            count += q[k] != (double)x[k];                                                        \
        return (double)count;                                                                     \
    }                                                                                             \
    static double distance_dense_##TYPE(const hsp__knn_guests *g, uint64_t q, uint64_t i)         \
    {                                                                                             \
        const hsp__knn_index *near = g->near;                                                     \
        const size_t n = (size_t)near->rows->cols;                                                \
        const NUM *x = (const NUM *)near->rows->values + i * near->rows->stride;                  \
        const double *y = g->spread + q * n, tail = g->tail[q];                                   \
        switch (near->plan.metric) {                                                              \
        case HSP__METRIC_L2:                                                                      \
            return distance_root(g, q, i, hsp__vec()->sqdist_##TYPE(x, y, n) + tail);             \
        case HSP__METRIC_L1:                                                                      \
            return distance_l1_##TYPE(y, x, n) + tail;                                            \
        case HSP__METRIC_LINF:                                                                    \
            return fmax(distance_linf_##TYPE(y, x, n), tail);                                     \
        case HSP__METRIC_COSINE:                                                                  \
            return hsp__knn_cosine(near->norms[i], hsp__vec()->dot_##TYPE(x, y, n), g->norms[q]); \
        case HSP__METRIC_HAMMING:                                                                 \
            return distance_hamming_##TYPE(y, x, n) + tail;                                       \
        case HSP__METRIC_KERNEL:                                                                  \
            break;                                                                                \
        }                                                                                         \
        return (double)NAN;                                                                       \
    }

DISTANCE_DENSE(f32f64, float)
DISTANCE_DENSE(f64, double)

/* ---- Sparse rows ----------------------------------------------------------------------------- */

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
    switch (metric) {
    case HSP__METRIC_L2:
        return sum + d * d;
    case HSP__METRIC_L1:
        return sum + d;
    case HSP__METRIC_LINF:
        return d > sum ? d : sum;
    case HSP__METRIC_HAMMING:
        return sum + (d != 0);
    case HSP__METRIC_COSINE:
    case HSP__METRIC_KERNEL:
        break;
    }
    return sum + x * y;
}

/* Both rows side by side. Metric and kind are constants wherever this is called, and what depends
 * on them goes away. */
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

static inline double distance_merge_metric(hsp__metric metric, distance_kind kind,
                                           const hsp__row *x, const uint32_t *yi, const double *y,
                                           uint64_t n)
{
    switch (metric) {
    case HSP__METRIC_L2:
        return distance_merge(HSP__METRIC_L2, kind, x, yi, y, n);
    case HSP__METRIC_L1:
        return distance_merge(HSP__METRIC_L1, kind, x, yi, y, n);
    case HSP__METRIC_LINF:
        return distance_merge(HSP__METRIC_LINF, kind, x, yi, y, n);
    case HSP__METRIC_HAMMING:
        return distance_merge(HSP__METRIC_HAMMING, kind, x, yi, y, n);
    case HSP__METRIC_COSINE:
    case HSP__METRIC_KERNEL:
        break;
    }
    return distance_merge(HSP__METRIC_COSINE, kind, x, yi, y, n);
}

static distance_kind distance_kind_of(const hsp_view *view)
{
    if (view->storage == HSP_ONES) return DISTANCE_ONES;
    return view->precision == HSP_FLOAT32 ? DISTANCE_SINGLE : DISTANCE_WIDE;
}

static double distance_sparse(const hsp__knn_guests *g, uint64_t q, uint64_t i)
{
    const hsp__knn_index *near = g->near;
    const hsp__metric metric = near->plan.metric;
    const hsp__row x = hsp__view_row(near->rows, i);
    const uint64_t from = g->starts[q], n = g->starts[q + 1] - from;
    const uint32_t *yi = g->indices + from;
    const double *y = g->values + from;
    double d;
    switch (distance_kind_of(near->rows)) {
    case DISTANCE_ONES:
        d = distance_merge_metric(metric, DISTANCE_ONES, &x, yi, y, n);
        break;
    case DISTANCE_SINGLE:
        d = distance_merge_metric(metric, DISTANCE_SINGLE, &x, yi, y, n);
        break;
    default:
        d = distance_merge_metric(metric, DISTANCE_WIDE, &x, yi, y, n);
    }
    if (metric == HSP__METRIC_L2) return distance_root(g, q, i, d);
    if (metric != HSP__METRIC_COSINE) return d;
    return hsp__knn_cosine(near->norms[i], d, g->norms[q]);
}

/* sqrt(xx yy), where the product leaves the range of doubles: powers of two apart, so that the root
 * of a square is exact here too. */
static double distance_length(double xx, double yy)
{
    int a, b;
    const double x = frexp(xx, &a), y = frexp(yy, &b);
    const int odd = (a + b) & 1;
    return ldexp(sqrt(odd ? 2 * x * y : x * y), (a + b - odd) / 2);
}

double hsp__knn_cosine(double xx, double xy, double yy)
{
    if (xx == 0 || yy == 0) return xx == yy ? 0 : 1;
    const double both = xx * yy;
    const double length = both > 0x1p-1000 && isfinite(both) ? sqrt(both) : distance_length(xx, yy);
    const double d = 1 - xy / length;
    return d > 0 ? d : 0;
}

double hsp__knn_pair(const hsp__knn_guests *guests, uint64_t q, uint64_t i)
{
    if (guests->starts) return distance_sparse(guests, q, i);
    return guests->near->rows->precision == HSP_FLOAT32 ? distance_dense_f32f64(guests, q, i)
                                                        : distance_dense_f64(guests, q, i);
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

/* Are the two rows the same numbers? */
static int distance_same(const hsp_view *a, uint64_t i, const hsp_view *b, uint64_t j)
{
    const hsp__row p = hsp__view_row(a, i), q = hsp__view_row(b, j);
    for (uint64_t s = 0, t = 0; s < p.count || t < q.count;) {
        const uint64_t cp = s < p.count ? hsp__row_column(&p, s) : UINT64_MAX;
        const uint64_t cq = t < q.count ? hsp__row_column(&q, t) : UINT64_MAX;
        const double x = cp <= cq ? hsp__row_value(a, &p, s) : 0;
        const double y = cq <= cp ? hsp__row_value(b, &q, t) : 0;
        if (x != y) return 0;
        s += cp <= cq, t += cq <= cp;
    }
    return 1;
}

/* Where little is left of two large numbers, rounding may be all of it: rows that are the same are
 * at 0. */
#define DISTANCE_LITTLE 1e-9

static double distance_kernel(const hsp__knn_guests *g, uint64_t q, uint64_t i, double value)
{
    const double qq = g->selves[q], xx = g->near->selves[i];
    const double square = (qq - 2 * value) + xx;
    if (!(square > 0)) return 0;
    if (square < DISTANCE_LITTLE * (fabs(qq) + fabs(xx)) &&
        distance_same(g->view, q, g->near->rows, i))
        return 0;
    return sqrt(square);
}

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
        for (uint64_t r = 0; r < some; r++)
            out[g * ld + r] = distance_kernel(guests, from + g, at + r, out[g * ld + r]);
    return status;
}

/* ---- Guests ---------------------------------------------------------------------------------- */

/* What a number in a column that the index lacks adds. */
static double guests_tail(hsp__metric metric, double tail, double x)
{
    return distance_add(tail, metric == HSP__METRIC_COSINE ? HSP__METRIC_L2 : metric, x, 0);
}

static hsp_status guests_spread(hsp__knn_guests *guests, hsp_context *ctx, hsp_error *err)
{
    const hsp__metric metric = guests->near->plan.metric;
    const uint64_t cols = guests->near->rows->cols;
    guests->spread = cols && guests->count > UINT64_MAX / cols
                         ? NULL
                         : hsp__new(&ctx->allocator, guests->count * cols, sizeof(double));
    guests->tail = hsp__new(&ctx->allocator, guests->count, sizeof(double));
    if (!guests->spread || !guests->tail) return hsp__fail_memory(err);
    for (uint64_t q = 0; q < guests->count; q++) {
        const hsp__row row = hsp__view_row(guests->view, q);
        for (uint64_t k = 0; k < row.count; k++) {
            const uint64_t column = hsp__row_column(&row, k);
            const double x = hsp__row_value(guests->view, &row, k);
            if (column < cols)
                guests->spread[q * cols + column] = x;
            else
                guests->tail[q] = guests_tail(metric, guests->tail[q], x);
        }
    }
    return HSP_OK;
}

static hsp_status guests_gather(hsp__knn_guests *guests, hsp_context *ctx, hsp_error *err)
{
    const hsp_allocator *memory = &ctx->allocator;
    uint64_t stored = 0;
    for (uint64_t q = 0; q < guests->count; q++)
        stored += hsp__view_row(guests->view, q).count;
    guests->starts = hsp__new(memory, guests->count + 1, sizeof *guests->starts);
    guests->indices = hsp__new_raw(memory, stored, sizeof *guests->indices);
    guests->values = hsp__new_raw(memory, stored, sizeof *guests->values);
    if (!guests->starts || !guests->indices || !guests->values) return hsp__fail_memory(err);
    for (uint64_t q = 0, at = 0; q < guests->count; q++) {
        const hsp__row row = hsp__view_row(guests->view, q);
        for (uint64_t k = 0; k < row.count; k++) {
            const double x = hsp__row_value(guests->view, &row, k);
            if (x == 0) continue;
            guests->indices[at] = (uint32_t)hsp__row_column(&row, k);
            guests->values[at++] = x;
        }
        guests->starts[q + 1] = at;
    }
    return HSP_OK;
}

static hsp_status guests_norms(hsp__knn_guests *guests, hsp_context *ctx, hsp_error *err)
{
    const uint64_t cols = guests->near->rows->cols;
    guests->norms = hsp__new(&ctx->allocator, guests->count, sizeof *guests->norms);
    if (!guests->norms) return hsp__fail_memory(err);
    for (uint64_t q = 0; q < guests->count; q++) {
        if (guests->spread)
            guests->norms[q] =
                hsp__vec()->sqnorm_f64(guests->spread + q * cols, (size_t)cols) + guests->tail[q];
        else
            for (uint64_t k = guests->starts[q]; k < guests->starts[q + 1]; k++)
                guests->norms[q] += guests->values[k] * guests->values[k];
    }
    return hsp__knn_check_squares(guests->norms, guests->view, guests->first, err);
}

static hsp_status guests_kernel(hsp__knn_guests *guests, hsp_context *ctx, hsp_error *err)
{
    guests->road = hsp__kernel_road_of(guests->near->kernel);
    guests->road.wide = 1;
    guests->selves = hsp__new(&ctx->allocator, guests->count, sizeof *guests->selves);
    if (!guests->selves) return hsp__fail_memory(err);
    hsp_status status = hsp__kernel_rows_new(ctx, guests->near->plan.kernel, guests->view, NULL,
                                             err, &guests->kernel);
    for (uint64_t q = 0; !status && q < guests->count; q++)
        guests->selves[q] = hsp__kernel_self(guests->kernel, q);
    return status;
}

hsp_status hsp__knn_guests_init(hsp__knn_guests *guests, hsp_context *ctx,
                                const hsp__knn_index *near, const hsp_view *queries, uint64_t first,
                                hsp_error *err)
{
    *guests = (hsp__knn_guests){.near = near, .count = queries->rows, .view = queries};
    guests->first = first;
    hsp_status status = HSP_OK;
    if (near->plan.metric == HSP__METRIC_KERNEL)
        status = guests_kernel(guests, ctx, err);
    else if (near->rows->storage == HSP_DENSE)
        status = guests_spread(guests, ctx, err);
    else
        status = guests_gather(guests, ctx, err);
    if (!status && near->plan.metric == HSP__METRIC_COSINE) status = guests_norms(guests, ctx, err);
    if (status) hsp__knn_guests_free(guests, ctx);
    return status;
}

void hsp__knn_guests_free(hsp__knn_guests *guests, hsp_context *ctx)
{
    const hsp_allocator *memory = &ctx->allocator;
    hsp__free(memory, guests->spread);
    hsp__free(memory, guests->tail);
    hsp__free(memory, guests->starts);
    hsp__free(memory, guests->indices);
    hsp__free(memory, guests->values);
    hsp__free(memory, guests->norms);
    hsp__free(memory, guests->selves);
    hsp__kernel_rows_free(ctx, guests->kernel);
    *guests = (hsp__knn_guests){0};
}
