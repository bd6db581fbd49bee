/* The specification in C: vec.h says what is computed, this file is how, and every other table is
 * tested against it bit for bit. The inner loops run over independent running sums, so a compiler
 * that knows its machine may still turn them into wide instructions. */
#include "vec/vec.h"

#include <math.h>

enum { D = HSP__VEC_DENSE_SUMS, S = HSP__VEC_SPARSE_SUMS };

/* The fold of L running sums of n terms: in halves. Sums that got no term are +0 and change
 * nothing: a short row leaves the steps out that would only add those. */
static double scalar_fold(double *s, size_t L, size_t n)
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
#define SCALAR_SUM(L, n, term)             \
    double s[L] = {0};                     \
    size_t i = 0;                          \
    for (; i + (L) <= (n); i += (L))       \
        for (size_t j = 0; j < (L); j++) { \
            size_t k = i + j;              \
            s[j] += (term);                \
        }                                  \
    for (size_t k = i; k < (n); k++)       \
        s[k - i] += (term);                \
    return scalar_fold(s, (L), (n))

/* Rows of one type. */
#define SCALAR_ROWS(TYPE, ROW)                                                                 \
    static double vec_dot_##TYPE(const ROW *x, const double *w, size_t n)                      \
    {                                                                                          \
        SCALAR_SUM(D, n, (double)x[k] * w[k]);                                                 \
    }                                                                                          \
    static double vec_sqdist_##TYPE(const ROW *x, const double *w, size_t n)                   \
    {                                                                                          \
        SCALAR_SUM(D, n, ((double)x[k] - w[k]) * ((double)x[k] - w[k]));                       \
    }                                                                                          \
    static double vec_sqnorm_##TYPE(const ROW *x, size_t n)                                    \
    {                                                                                          \
        SCALAR_SUM(D, n, (double)x[k] * (double)x[k]);                                         \
    }                                                                                          \
    static void vec_axpy_##TYPE(double a, const ROW *restrict x, double *restrict y, size_t n) \
    {                                                                                          \
        for (size_t k = 0; k < n; k++)                                                         \
            y[k] += a * (double)x[k];                                                          \
    }                                                                                          \
    static double vec_sparse_dot_##TYPE(const uint32_t *idx, const ROW *v, size_t nnz,         \
                                        const double *w)                                       \
    {                                                                                          \
        SCALAR_SUM(S, nnz, (double)v[k] * w[idx[k]]);                                          \
    }                                                                                          \
    static void vec_sparse_axpy_##TYPE(double a, const uint32_t *restrict idx,                 \
                                       const ROW *restrict v, size_t nnz, double *restrict y)  \
    {                                                                                          \
        for (size_t k = 0; k < nnz; k++)                                                       \
            y[idx[k]] += a * (double)v[k];                                                     \
    }

SCALAR_ROWS(f64, double)
SCALAR_ROWS(f32f64, float)

static double vec_norm1_f64(const double *x, size_t n)
{
    SCALAR_SUM(D, n, fabs(x[k]));
}

static double vec_norminf_f64(const double *x, size_t n)
{
    double most = 0;
    for (size_t k = 0; k < n; k++) {
        if (isnan(x[k])) return x[k];
        most = fabs(x[k]) > most ? fabs(x[k]) : most;
    }
    return most;
}

static void vec_scale_f64(double a, double *x, size_t n)
{
    for (size_t k = 0; k < n; k++)
        x[k] *= a;
}

static double vec_ones_dot_f64(const uint32_t *idx, size_t nnz, const double *w)
{
    SCALAR_SUM(S, nnz, w[idx[k]]);
}

static void vec_ones_axpy_f64(double a, const uint32_t *restrict idx, size_t nnz,
                              double *restrict y)
{
    for (size_t k = 0; k < nnz; k++)
        y[idx[k]] += a;
}

/* The template of the others, at the width of the smallest registers there are. */
#define BLOCK_BYTES 16
#define PANEL_ROWS  4
#define PANEL_VECS  2
#define TILE_ROWS   4
#include "vec/vec_block.h"

static unsigned scalar_byte_tile(size_t quads, const uint8_t *const *a, const int8_t *b,
                                 const int32_t *base, const int32_t *least, int32_t *c,
                                 uint16_t *reach)
{
    enum { C = HSP__VEC_BYTE_COLS };
    unsigned hits = 0;
    for (size_t i = 0; i < HSP__VEC_BYTE_ROWS; i++) {
        int32_t sum[C] = {0};
        unsigned hit = 0;
        for (size_t k = 0; k < 4 * quads; k++)
            for (size_t j = 0; j < C; j++)
                sum[j] += a[i][k] * b[k / 4 * 4 * C + 4 * j + k % 4];
        for (size_t v = 0; v < HSP__VEC_BYTE_WORDS; v++) {
            unsigned word = 0;
            for (size_t j = 16 * v; j < 16 * v + 16; j++) {
                c[i * C + j] = base[j] + 2 * sum[j];
                word |= (unsigned)(c[i * C + j] >= least[i]) << j % 16;
            }
            reach[i * HSP__VEC_BYTE_WORDS + v] = (uint16_t)word;
            hit |= word;
        }
        hits |= (hit ? 1u : 0u) << i;
    }
    return hits;
}

static void scalar_byte_dots(size_t bytes, const uint8_t *a, const int8_t *const *b, size_t count,
                             int32_t *out)
{
    for (size_t j = 0; j < count; j++) {
        int32_t sum = 0;
        for (size_t k = 0; k < bytes; k++)
            sum += a[k] * b[j][k];
        out[j] = sum;
    }
}

const hsp__vec_table hsp__vec_scalar = {.name = "scalar",
                                        VEC_BLOCK_ROUTINES,
                                        VEC_DENSE_ROUTINES,
                                        .sparse_dot_f64 = vec_sparse_dot_f64,
                                        .sparse_dot_f32f64 = vec_sparse_dot_f32f64,
                                        .sparse_axpy_f64 = vec_sparse_axpy_f64,
                                        .sparse_axpy_f32f64 = vec_sparse_axpy_f32f64,
                                        .ones_dot_f64 = vec_ones_dot_f64,
                                        .ones_axpy_f64 = vec_ones_axpy_f64,
                                        .common_bits = vec_common_bits,
                                        .byte_tile = scalar_byte_tile,
                                        .byte_dots = scalar_byte_dots};
