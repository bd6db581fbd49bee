/* The specification in C: vec.h says what is computed, this file is how, and every other table is
 * tested against it bit for bit. The inner loops run over independent running sums, so a compiler
 * that knows its machine may still turn them into wide instructions. */
#include "vec/vec.h"

#include <math.h>

enum { D = HSP__VEC_DENSE_SUMS, S = HSP__VEC_SPARSE_SUMS };

/* The fold of L running sums of n terms: in halves. Sums that got no term are +0 and change
 * nothing: a short row leaves the steps out that would only add those. */
static float scalar_fold_f32(float *s, size_t L, size_t n)
{
    while (L / 2 >= n && L > 1)
        L /= 2;
    for (size_t half = L / 2; half > 0; half /= 2)
        for (size_t j = 0; j < half; j++)
            s[j] += s[j + half];
    return s[0];
}

static double scalar_fold_f64(double *s, size_t L, size_t n)
{
    while (L / 2 >= n && L > 1)
        L /= 2;
    for (size_t half = L / 2; half > 0; half /= 2)
        for (size_t j = 0; j < half; j++)
            s[j] += s[j + half];
    return s[0];
}

/* A sum of n terms in L running sums; `term` is the term number k. This is the only place that says
 * where a term goes. */
#define SCALAR_SUM(num, type, L, n, term)  \
    num s[L] = {0};                        \
    size_t i = 0;                          \
    for (; i + (L) <= (n); i += (L))       \
        for (size_t j = 0; j < (L); j++) { \
            size_t k = i + j;              \
            s[j] += (term);                \
        }                                  \
    for (size_t k = i; k < (n); k++)       \
        s[k - i] += (term);                \
    return scalar_fold_##type(s, (L), (n))

static double scalar_dot_f64(const double *x, const double *w, size_t n)
{
    SCALAR_SUM(double, f64, D, n, x[k] * w[k]);
}

static double scalar_dot_f32f64(const float *x, const double *w, size_t n)
{
    SCALAR_SUM(double, f64, D, n, (double)x[k] * w[k]);
}

static double scalar_sqdist_f64(const double *x, const double *w, size_t n)
{
    SCALAR_SUM(double, f64, D, n, (x[k] - w[k]) * (x[k] - w[k]));
}

static double scalar_sqdist_f32f64(const float *x, const double *w, size_t n)
{
    SCALAR_SUM(double, f64, D, n, ((double)x[k] - w[k]) * ((double)x[k] - w[k]));
}

static double scalar_sqnorm_f64(const double *x, size_t n)
{
    SCALAR_SUM(double, f64, D, n, x[k] * x[k]);
}

static double scalar_sqnorm_f32f64(const float *x, size_t n)
{
    SCALAR_SUM(double, f64, D, n, (double)x[k] * (double)x[k]);
}

static double scalar_norm1_f64(const double *x, size_t n)
{
    SCALAR_SUM(double, f64, D, n, fabs(x[k]));
}

static double scalar_norminf_f64(const double *x, size_t n)
{
    double most = 0;
    for (size_t k = 0; k < n; k++) {
        if (isnan(x[k])) return x[k];
        most = fabs(x[k]) > most ? fabs(x[k]) : most;
    }
    return most;
}

static void scalar_axpy_f64(double a, const double *restrict x, double *restrict y, size_t n)
{
    for (size_t k = 0; k < n; k++)
        y[k] += a * x[k];
}

static void scalar_axpy_f32f64(double a, const float *restrict x, double *restrict y, size_t n)
{
    for (size_t k = 0; k < n; k++)
        y[k] += a * (double)x[k];
}

static void scalar_scale_f64(double a, double *x, size_t n)
{
    for (size_t k = 0; k < n; k++)
        x[k] *= a;
}

static double scalar_sparse_dot_f64(const uint32_t *idx, const double *v, size_t nnz,
                                    const double *w)
{
    SCALAR_SUM(double, f64, S, nnz, v[k] * w[idx[k]]);
}

static double scalar_sparse_dot_f32f64(const uint32_t *idx, const float *v, size_t nnz,
                                       const double *w)
{
    SCALAR_SUM(double, f64, S, nnz, (double)v[k] * w[idx[k]]);
}

/* One vector after the other: a dot product with every stride-th number, from the c-th on. */
static double scalar_one_of_f64(const uint32_t *idx, const double *v, size_t nnz, const double *w,
                                size_t stride)
{
    SCALAR_SUM(double, f64, S, nnz, v[k] * w[idx[k] * stride]);
}
static double scalar_one_of_f32f64(const uint32_t *idx, const float *v, size_t nnz, const double *w,
                                   size_t stride)
{
    SCALAR_SUM(double, f64, S, nnz, (double)v[k] * w[idx[k] * stride]);
}
static double scalar_one_of_ones(const uint32_t *idx, size_t nnz, const double *w, size_t stride)
{
    SCALAR_SUM(double, f64, S, nnz, w[idx[k] * stride]);
}
static void scalar_sparse_dots_f64(const uint32_t *idx, const double *v, size_t nnz,
                                   const double *w, size_t stride, size_t many, double *out)
{
    for (size_t c = 0; c < many; c++)
        out[c] = scalar_one_of_f64(idx, v, nnz, w + c, stride);
}
static void scalar_sparse_dots_f32f64(const uint32_t *idx, const float *v, size_t nnz,
                                      const double *w, size_t stride, size_t many, double *out)
{
    for (size_t c = 0; c < many; c++)
        out[c] = scalar_one_of_f32f64(idx, v, nnz, w + c, stride);
}
static void scalar_ones_dots_f64(const uint32_t *idx, size_t nnz, const double *w, size_t stride,
                                 size_t many, double *out)
{
    for (size_t c = 0; c < many; c++)
        out[c] = scalar_one_of_ones(idx, nnz, w + c, stride);
}

static void scalar_sparse_axpys_f64(const double *restrict a, const uint32_t *restrict idx,
                                    const double *restrict v, size_t nnz, double *restrict y,
                                    size_t stride, size_t many)
{
    for (size_t k = 0; k < nnz; k++)
        for (size_t c = 0; c < many; c++)
            y[idx[k] * stride + c] += a[c] * v[k];
}
static void scalar_sparse_axpys_f32f64(const double *restrict a, const uint32_t *restrict idx,
                                       const float *restrict v, size_t nnz, double *restrict y,
                                       size_t stride, size_t many)
{
    for (size_t k = 0; k < nnz; k++)
        for (size_t c = 0; c < many; c++)
            y[idx[k] * stride + c] += a[c] * (double)v[k];
}
static void scalar_ones_axpys_f64(const double *restrict a, const uint32_t *restrict idx,
                                  size_t nnz, double *restrict y, size_t stride, size_t many)
{
    for (size_t k = 0; k < nnz; k++)
        for (size_t c = 0; c < many; c++)
            y[idx[k] * stride + c] += a[c];
}

static float scalar_one_of_f32(const uint32_t *idx, const float *v, size_t nnz, const float *w,
                               size_t stride)
{
    SCALAR_SUM(float, f32, S, nnz, v[k] * w[idx[k] * stride]);
}
static float scalar_one_of_ones_f32(const uint32_t *idx, size_t nnz, const float *w, size_t stride)
{
    SCALAR_SUM(float, f32, S, nnz, w[idx[k] * stride]);
}
static void scalar_sparse_dots_f32(const uint32_t *idx, const float *v, size_t nnz, const float *w,
                                   size_t stride, size_t many, float *out)
{
    for (size_t c = 0; c < many; c++)
        out[c] = scalar_one_of_f32(idx, v, nnz, w + c, stride);
}
static void scalar_ones_dots_f32(const uint32_t *idx, size_t nnz, const float *w, size_t stride,
                                 size_t many, float *out)
{
    for (size_t c = 0; c < many; c++)
        out[c] = scalar_one_of_ones_f32(idx, nnz, w + c, stride);
}
static void scalar_sparse_axpys_f32(const float *restrict a, const uint32_t *restrict idx,
                                    const float *restrict v, size_t nnz, float *restrict y,
                                    size_t stride, size_t many)
{
    for (size_t k = 0; k < nnz; k++)
        for (size_t c = 0; c < many; c++)
            y[idx[k] * stride + c] += a[c] * v[k];
}
static void scalar_ones_axpys_f32(const float *restrict a, const uint32_t *restrict idx, size_t nnz,
                                  float *restrict y, size_t stride, size_t many)
{
    for (size_t k = 0; k < nnz; k++)
        for (size_t c = 0; c < many; c++)
            y[idx[k] * stride + c] += a[c];
}

static double scalar_ones_dot_f64(const uint32_t *idx, size_t nnz, const double *w)
{
    SCALAR_SUM(double, f64, S, nnz, w[idx[k]]);
}

static void scalar_sparse_axpy_f64(double a, const uint32_t *restrict idx, const double *restrict v,
                                   size_t nnz, double *restrict y)
{
    for (size_t k = 0; k < nnz; k++)
        y[idx[k]] += a * v[k];
}

static void scalar_sparse_axpy_f32f64(double a, const uint32_t *restrict idx,
                                      const float *restrict v, size_t nnz, double *restrict y)
{
    for (size_t k = 0; k < nnz; k++)
        y[idx[k]] += a * (double)v[k];
}

static void scalar_ones_axpy_f64(double a, const uint32_t *restrict idx, size_t nnz,
                                 double *restrict y)
{
    for (size_t k = 0; k < nnz; k++)
        y[idx[k]] += a;
}

/* The template of the others, at the width of the smallest registers there are. */
#define BLOCK_BYTES 16
#define PANEL_ROWS  4
#define PANEL_VECS  2
#include "vec/vec_block.h"
#include "vec/vec_positive.h"
#include "vec/vec_outer.h"
#include "vec/vec_solve.h"
#include "vec/vec_extremes.h"

/* Four rows of four columns at a time: sixteen running sums, which is what plain registers hold. */
static void scalar_tile_f64(size_t k, const double *a, const double *b, double *c, size_t stride)
{
    for (size_t tile = 0; tile < HSP__VEC_TILE_ROWS * HSP__VEC_TILE_COLS / 16; tile++) {
        const size_t i = tile % 2 * 4, j = tile / 2 * 4;
        double s[4][4] = {{0}};
        for (size_t l = 0; l < k; l++) {
            const double *al = a + l * HSP__VEC_TILE_ROWS + i, *bl = b + l * HSP__VEC_TILE_COLS + j;
            for (size_t r = 0; r < 4; r++)
                for (size_t q = 0; q < 4; q++)
                    s[r][q] += al[r] * bl[q];
        }
        for (size_t r = 0; r < 4; r++)
            for (size_t q = 0; q < 4; q++)
                c[(i + r) * stride + j + q] += s[r][q];
    }
}

static unsigned scalar_byte_tile(size_t quads, const uint8_t *const *a, const int8_t *b,
                                 const int32_t *base, const int32_t *least, int32_t *c)
{
    enum { C = HSP__VEC_BYTE_COLS };
    unsigned hits = 0;
    for (size_t i = 0; i < HSP__VEC_BYTE_ROWS; i++) {
        int32_t sum[C] = {0}, hit = 0;
        for (size_t k = 0; k < 4 * quads; k++)
            for (size_t j = 0; j < C; j++)
                sum[j] += a[i][k] * b[k / 4 * 4 * C + 4 * j + k % 4];
        for (size_t j = 0; j < C; j++) {
            c[i * C + j] = base[j] + 2 * sum[j];
            hit |= c[i * C + j] >= least[i];
        }
        hits |= (unsigned)hit << i;
    }
    return hits;
}

#define SCALAR(routine) .routine = scalar_##routine

const hsp__vec_table hsp__vec_scalar = {
    .name = "scalar",
    SCALAR(dot_f64),
    SCALAR(dot_f32f64),
    SCALAR(sqdist_f64),
    SCALAR(sqdist_f32f64),
    SCALAR(sqnorm_f64),
    SCALAR(sqnorm_f32f64),
    SCALAR(norm1_f64),
    SCALAR(norminf_f64),
    SCALAR(axpy_f64),
    SCALAR(axpy_f32f64),
    SCALAR(scale_f64),
    SCALAR(sparse_dot_f64),
    SCALAR(sparse_dot_f32f64),
    SCALAR(sparse_axpy_f64),
    SCALAR(sparse_axpy_f32f64),
    SCALAR(sparse_dots_f64),
    SCALAR(sparse_dots_f32f64),
    SCALAR(ones_dots_f64),
    SCALAR(sparse_axpys_f64),
    SCALAR(sparse_axpys_f32f64),
    SCALAR(ones_axpys_f64),
    SCALAR(sparse_dots_f32),
    SCALAR(ones_dots_f32),
    SCALAR(sparse_axpys_f32),
    SCALAR(ones_axpys_f32),
    SCALAR(ones_dot_f64),
    SCALAR(ones_axpy_f64),
    VEC_BLOCK_ROUTINES,
    VEC_OUTER_ROUTINES,
    VEC_POSITIVE_ROUTINES,
    VEC_SOLVE_ROUTINES,
    .common_bits = vec_common_bits,
    VEC_EXTREMES_ROUTINES,
    SCALAR(tile_f64),
    SCALAR(byte_tile),
};
