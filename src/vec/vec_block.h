/* A template: the inner loop of the matrix product and the exponential, over arrays. The including
 * file is compiled for its instructions and defines
 *
 *     BLOCK_BYTES   bytes of a register          PANEL_ROWS, PANEL_VECS   the tile of a product: so
 *                                                many rows by this many registers, all held at once
 *
 * Everything is plain arithmetic on vectors of the compiler's own, in an order that does not depend
 * on the width: so all instruction sets give the same bits. */
#ifndef HSP_VEC_VEC_BLOCK_H
#define HSP_VEC_VEC_BLOCK_H

#include <math.h>
#include <stdint.h>
#include <string.h>

#include "vec/vec_simd.h"

typedef float vec_block_f32 __attribute__((vector_size(BLOCK_BYTES)));
typedef double vec_block_f64 __attribute__((vector_size(BLOCK_BYTES)));
typedef int32_t vec_block_i32 __attribute__((vector_size(BLOCK_BYTES)));
typedef uint32_t vec_block_u32 __attribute__((vector_size(BLOCK_BYTES)));
typedef int64_t vec_block_i64 __attribute__((vector_size(BLOCK_BYTES)));
typedef uint64_t vec_block_u64 __attribute__((vector_size(BLOCK_BYTES)));

/* One register at a time: an array that is copied whole would live in memory. */
#define VEC_BLOCK_MOVES(TYPE, NUM)                                            \
    static VEC_INLINE vec_block_##TYPE vec_block_load_##TYPE(const NUM *p)    \
    {                                                                         \
        vec_block_##TYPE x;                                                   \
        memcpy(&x, p, sizeof x);                                              \
        return x;                                                             \
    }                                                                         \
    static VEC_INLINE void vec_block_store_##TYPE(NUM *p, vec_block_##TYPE x) \
    {                                                                         \
        memcpy(p, &x, sizeof x);                                              \
    }

VEC_BLOCK_MOVES(f32, float)
VEC_BLOCK_MOVES(f64, double)

#define VEC_PANEL_EACH(i, v)                \
    VEC_UNROLL                              \
    for (size_t i = 0; i < PANEL_ROWS; i++) \
        VEC_UNROLL                          \
    for (size_t v = 0; v < PANEL_VECS; v++)

/* c[i][j] += sum over k of a[i][k] * b[k][j], one running sum an element that begins at c. The mul
 * and the add are separate instructions: where a processor adds and multiplies side by side that
 * costs nothing, and a machine without fused ones gives the same bits. */
#define VEC_PANEL(TYPE, NUM)                                                              \
    static void vec_panel_##TYPE(size_t depth, const NUM *const *a, const NUM *b, NUM *c, \
                                 size_t stride)                                           \
    {                                                                                     \
        enum { W = BLOCK_BYTES / sizeof(NUM) };                                           \
        vec_block_##TYPE s[PANEL_ROWS][PANEL_VECS];                                       \
        const NUM *row[PANEL_ROWS];                                                       \
        VEC_UNROLL                                                                        \
        for (size_t i = 0; i < PANEL_ROWS; i++)                                           \
            row[i] = a[i];                                                                \
        VEC_PANEL_EACH(i, v) s[i][v] = vec_block_load_##TYPE(c + i * stride + v * W);     \
        for (size_t k = 0; k < depth; k++, b += PANEL_VECS * W) {                         \
            vec_block_##TYPE x[PANEL_VECS];                                               \
            VEC_UNROLL                                                                    \
            for (size_t v = 0; v < PANEL_VECS; v++)                                       \
                x[v] = vec_block_load_##TYPE(b + v * W);                                  \
            VEC_PANEL_EACH(i, v) s[i][v] += row[i][k] * x[v];                             \
        }                                                                                 \
        VEC_PANEL_EACH(i, v) vec_block_store_##TYPE(c + i * stride + v * W, s[i][v]);     \
    }

VEC_PANEL(f32, float)
VEC_PANEL(f64, double)

/* exp: x = n log 2 + r, |r| <= log(2) / 2; exp(r) by its series, 2^n by its exponent. Below about
 * -708 (-87) the result is 0 where the true one is no normal number, above 709 (88) infinite. */
static VEC_INLINE vec_block_f64 vec_exp_block_f64(vec_block_f64 x)
{
    const double magic = 0x1.8p52;
    vec_block_f64 t = x * 0x1.71547652b82fep0 + magic;
    vec_block_f64 n = t - magic;
    vec_block_f64 r = (x - n * 0x1.62e42fee00000p-1) - n * 0x1.a39ef35793c76p-33;
    vec_block_f64 p = r * (1.0 / 6227020800.0) + 1.0 / 479001600.0;
    p = p * r + 1.0 / 39916800.0;
    p = p * r + 1.0 / 3628800.0;
    p = p * r + 1.0 / 362880.0;
    p = p * r + 1.0 / 40320.0;
    p = p * r + 1.0 / 5040.0;
    p = p * r + 1.0 / 720.0;
    p = p * r + 1.0 / 120.0;
    p = p * r + 1.0 / 24.0;
    p = p * r + 1.0 / 6.0;
    p = p * r + 0.5;
    p = (p * r) * r + r;
    p = p + 1.0;
    vec_block_u64 e = ((vec_block_u64)t << 52) + (vec_block_u64)((vec_block_f64){0} + 1.0);
    vec_block_f64 y = p * (vec_block_f64)e;
    vec_block_i64 low = x<-708.0, high = x> 709.0;
    vec_block_i64 infinite = high & (vec_block_i64)((vec_block_f64){0} + (double)INFINITY);
    return (vec_block_f64)(((vec_block_i64)y & ~low & ~high) | infinite);
}

static VEC_INLINE vec_block_f32 vec_exp_block_f32(vec_block_f32 x)
{
    const float magic = 0x1.8p23F;
    vec_block_f32 t = x * 0x1.715476p0F + magic;
    vec_block_f32 n = t - magic;
    vec_block_f32 r = (x - n * 0x1.62e4p-1F) - n * 0x1.7f7d1cp-20F;
    vec_block_f32 p = r * (1.0F / 5040.0F) + 1.0F / 720.0F;
    p = p * r + 1.0F / 120.0F;
    p = p * r + 1.0F / 24.0F;
    p = p * r + 1.0F / 6.0F;
    p = p * r + 0.5F;
    p = (p * r) * r + r;
    p = p + 1.0F;
    vec_block_u32 e = ((vec_block_u32)t << 23) + (vec_block_u32)((vec_block_f32){0} + 1.0F);
    vec_block_f32 y = p * (vec_block_f32)e;
    vec_block_i32 low = x<-87.0F, high = x> 88.0F;
    vec_block_i32 infinite = high & (vec_block_i32)((vec_block_f32){0} + (float)INFINITY);
    return (vec_block_f32)(((vec_block_i32)y & ~low & ~high) | infinite);
}

#define VEC_EXP(TYPE, NUM)                       \
    static void vec_exp_##TYPE(NUM *x, size_t n) \
    {                                            \
        enum { W = BLOCK_BYTES / sizeof(NUM) };  \
        vec_block_##TYPE y;                      \
        for (; n >= W; n -= W, x += W) {         \
            memcpy(&y, x, sizeof y);             \
            y = vec_exp_block_##TYPE(y);         \
            memcpy(x, &y, sizeof y);             \
        }                                        \
        if (n == 0) return;                      \
        y = (vec_block_##TYPE){0};               \
        memcpy(&y, x, n * sizeof *x);            \
        y = vec_exp_block_##TYPE(y);             \
        memcpy(x, &y, n * sizeof *x);            \
    }

VEC_EXP(f32, float)
VEC_EXP(f64, double)

#define VEC_GAUSS(TYPE, NUM, INT)                                                                 \
    static VEC_INLINE vec_block_##TYPE vec_gauss_block_##TYPE(                                    \
        vec_block_##TYPE x, vec_block_##TYPE squares, NUM own, NUM c)                             \
    {                                                                                             \
        const vec_block_##TYPE far = (own + squares) - (NUM)2 * x, turned = c * far;              \
        const vec_block_##INT apart = far > (NUM)0;                                               \
        return vec_exp_block_##TYPE((vec_block_##TYPE)((vec_block_##INT)turned & apart));         \
    }                                                                                             \
    static void vec_gauss_##TYPE(NUM *x, const NUM *squares, NUM own, NUM c, size_t n)            \
    {                                                                                             \
        enum { W = BLOCK_BYTES / sizeof(NUM) };                                                   \
        vec_block_##TYPE y = {0}, z = {0};                                                        \
        for (; n >= W; n -= W, x += W, squares += W)                                              \
            vec_block_store_##TYPE(x, vec_gauss_block_##TYPE(vec_block_load_##TYPE(x),            \
                                                             vec_block_load_##TYPE(squares), own, \
                                                             c));                                 \
        if (n == 0) return;                                                                       \
        memcpy(&y, x, n * sizeof *x);                                                             \
        memcpy(&z, squares, n * sizeof *x);                                                       \
        y = vec_gauss_block_##TYPE(y, z, own, c);                                                 \
        memcpy(x, &y, n * sizeof *x);                                                             \
    }

VEC_GAUSS(f32, float, i32)
VEC_GAUSS(f64, double, i64)

/* Finite: the exponent is not all ones. */
#define VEC_FINITE(TYPE, NUM, INT, SIGNED, EXPONENT)                                   \
    static int vec_finite_##TYPE(const NUM *x, size_t n)                               \
    {                                                                                  \
        enum { W = BLOCK_BYTES / sizeof(NUM) };                                        \
        vec_block_##INT bad = {0}, tail = {0};                                         \
        SIGNED any = 0;                                                                \
        for (; n >= W; n -= W, x += W)                                                 \
            bad |= ((vec_block_##INT)vec_block_load_##TYPE(x) & EXPONENT) == EXPONENT; \
        memcpy(&tail, x, n * sizeof *x);                                               \
        bad |= (tail & EXPONENT) == EXPONENT;                                          \
        for (size_t l = 0; l < W; l++)                                                 \
            any |= bad[l];                                                             \
        return !any;                                                                   \
    }

VEC_FINITE(f32, float, i32, int32_t, 0x7f800000)
VEC_FINITE(f64, double, i64, int64_t, 0x7ff0000000000000)

typedef uint8_t vec_block_u8 __attribute__((vector_size(BLOCK_BYTES)));

static void vec_ones_counts(const uint32_t *idx, size_t nnz, const uint8_t *spread, float *counts)
{
    enum { REGISTERS = HSP__VEC_COUNTS / BLOCK_BYTES };
    vec_block_u8 sum[REGISTERS] = {{0}}, x;
    for (size_t k = 0; k < nnz; k++) {
        const uint8_t *at = spread + (size_t)idx[k] * HSP__VEC_COUNTS;
        VEC_UNROLL
        for (size_t r = 0; r < REGISTERS; r++) {
            memcpy(&x, at + r * BLOCK_BYTES, sizeof x);
            sum[r] += x;
        }
    }
    uint8_t bytes[HSP__VEC_COUNTS]; /* the sums themselves stay in registers */
    VEC_UNROLL
    for (size_t r = 0; r < REGISTERS; r++)
        memcpy(bytes + r * BLOCK_BYTES, &sum[r], sizeof sum[r]);
    for (size_t j = 0; j < HSP__VEC_COUNTS; j++)
        counts[j] = bytes[j];
}

#define VEC_BLOCK_ROUTINES                                                               \
    .panel_f32 = vec_panel_f32, .panel_f64 = vec_panel_f64, .panel_rows = PANEL_ROWS,    \
    .panel_cols_f32 = PANEL_VECS * BLOCK_BYTES / sizeof(float),                          \
    .panel_cols_f64 = PANEL_VECS * BLOCK_BYTES / sizeof(double), .exp_f32 = vec_exp_f32, \
    .exp_f64 = vec_exp_f64, .gauss_f32 = vec_gauss_f32, .gauss_f64 = vec_gauss_f64,      \
    .finite_f32 = vec_finite_f32, .finite_f64 = vec_finite_f64, .ones_counts = vec_ones_counts

#endif
