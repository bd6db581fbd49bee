/* A template: the routines that every instruction set has in the same form. The including file is compiled for its
 * instructions and defines
 *
 *     BLOCK_BYTES   bytes of a register          PANEL_ROWS, PANEL_VECS   the tile of a product: so
 *     TILE_ROWS     rows of three registers      many rows by this many registers, all held at once
 *                   that tile_f64 keeps
 *
 * Everything is plain arithmetic on vectors of the compiler's own, in an order that does not depend
 * on the width: so all instruction sets give the same bits. */
#ifndef HSP_VEC_VEC_BLOCK_H
#define HSP_VEC_VEC_BLOCK_H

#include <math.h>
#include <stdint.h>
#include <string.h>

#include "vec/vec_simd.h"

#define VEC_TYPE(NUM, TYPE, BYTES) typedef NUM vec_##TYPE __attribute__((vector_size(BYTES)))
VEC_TYPE(float, f32, BLOCK_BYTES);
VEC_TYPE(double, f64, BLOCK_BYTES);
VEC_TYPE(uint8_t, u8, BLOCK_BYTES);
VEC_TYPE(int32_t, i32, BLOCK_BYTES);
VEC_TYPE(uint32_t, u32, BLOCK_BYTES);
VEC_TYPE(int64_t, i64, BLOCK_BYTES);
VEC_TYPE(uint64_t, u64, BLOCK_BYTES);
/* as many numbers as a register has doubles */
VEC_TYPE(float, f32_half, BLOCK_BYTES / 2);
VEC_TYPE(int32_t, i32_half, BLOCK_BYTES / 2);
VEC_TYPE(uint32_t, u32_half, BLOCK_BYTES / 2);
VEC_TYPE(int8_t, i8_eighth, BLOCK_BYTES / 8);

enum { VEC_WIDTH = BLOCK_BYTES / 8 }; /* doubles in a register */

/* One register at a time: an array that is copied whole would live in memory. Choose: by lanes that are all ones or all zeros. */
#define VEC_MOVES(TYPE, NUM, INT)                                                                  \
    static VEC_INLINE vec_##TYPE vec_load_##TYPE(const NUM *p)                                     \
    {                                                                                              \
        vec_##TYPE x;                                                                              \
        memcpy(&x, p, sizeof x);                                                                   \
        return x;                                                                                  \
    }                                                                                              \
    static VEC_INLINE void vec_store_##TYPE(NUM *p, vec_##TYPE x)                                  \
    {                                                                                              \
        memcpy(p, &x, sizeof x);                                                                   \
    }                                                                                              \
    static VEC_INLINE vec_##TYPE vec_choose_##TYPE(vec_##INT which, vec_##TYPE yes, vec_##TYPE no) \
    {                                                                                              \
        return (vec_##TYPE)((which & (vec_##INT)yes) | (~which & (vec_##INT)no));                  \
    }

VEC_MOVES(f32, float, i32)
VEC_MOVES(f64, double, i64)
VEC_MOVES(f32_half, float, i32_half)

/* Floats as doubles. (Compilers make two instructions of what one can do.) */
static VEC_INLINE vec_f64 vec_load_f32f64(const float *p)
{
#if BLOCK_BYTES == 64
    return _mm512_cvtps_pd(_mm256_loadu_ps(p));
#elif BLOCK_BYTES == 32
    return _mm256_cvtps_pd(_mm_loadu_ps(p));
#else
    return __builtin_convertvector(vec_load_f32_half(p), vec_f64);
#endif
}

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
        vec_##TYPE s[PANEL_ROWS][PANEL_VECS];                                             \
        const NUM *row[PANEL_ROWS];                                                       \
        VEC_UNROLL                                                                        \
        for (size_t i = 0; i < PANEL_ROWS; i++)                                           \
            row[i] = a[i];                                                                \
        VEC_PANEL_EACH(i, v) s[i][v] = vec_load_##TYPE(c + i * stride + v * W);           \
        for (size_t k = 0; k < depth; k++, b += PANEL_VECS * W) {                         \
            vec_##TYPE x[PANEL_VECS];                                                     \
            VEC_UNROLL                                                                    \
            for (size_t v = 0; v < PANEL_VECS; v++)                                       \
                x[v] = vec_load_##TYPE(b + v * W);                                        \
            VEC_PANEL_EACH(i, v) s[i][v] += row[i][k] * x[v];                             \
        }                                                                                 \
        VEC_PANEL_EACH(i, v) vec_store_##TYPE(c + i * stride + v * W, s[i][v]);           \
    }

VEC_PANEL(f32, float)
VEC_PANEL(f64, double)

/* The same for one row. */
#define VEC_PANEL_ROW(TYPE, NUM)                                                       \
    static void vec_panel_row_##TYPE(size_t depth, const NUM *a, const NUM *b, NUM *c) \
    {                                                                                  \
        enum { W = BLOCK_BYTES / sizeof(NUM) };                                        \
        vec_##TYPE s[PANEL_VECS];                                                      \
        VEC_UNROLL                                                                     \
        for (size_t v = 0; v < PANEL_VECS; v++)                                        \
            s[v] = vec_load_##TYPE(c + v * W);                                         \
        for (size_t k = 0; k < depth; k++, b += PANEL_VECS * W)                        \
            VEC_UNROLL for (size_t v = 0; v < PANEL_VECS; v++) s[v] +=                 \
                a[k] * vec_load_##TYPE(b + v * W);                                     \
        VEC_UNROLL                                                                     \
        for (size_t v = 0; v < PANEL_VECS; v++)                                        \
            vec_store_##TYPE(c + v * W, s[v]);                                         \
    }

VEC_PANEL_ROW(f32, float)
VEC_PANEL_ROW(f64, double)

/* exp: x = n log 2 + r, |r| <= log(2) / 2; exp(r) by its series, 2^n by its exponent. Below about
 * -708 (-87) the result is 0 where the true one is no normal number, above 709 (88) infinite;
 * vec_exp_below is for x below that. */
static VEC_INLINE vec_f64 vec_exp_below_f64(vec_f64 x)
{
    const double magic = 0x1.8p52;
    vec_f64 t = x * 0x1.71547652b82fep0 + magic;
    vec_f64 n = t - magic;
    vec_f64 r = (x - n * 0x1.62e42fee00000p-1) - n * 0x1.a39ef35793c76p-33;
    vec_f64 p = r * (1.0 / 6227020800.0) + 1.0 / 479001600.0;
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
    vec_u64 e = ((vec_u64)t << 52) + (vec_u64)((vec_f64){0} + 1.0);
    vec_f64 y = p * (vec_f64)e;
    vec_i64 low = x < -708.0;
    return (vec_f64)((vec_i64)y & ~low);
}

static VEC_INLINE vec_f64 vec_exp_block_f64(vec_f64 x)
{
    const vec_i64 high = x > 709.0;
    return vec_choose_f64(high, (vec_f64){0} + (double)INFINITY, vec_exp_below_f64(x));
}

static VEC_INLINE vec_f32 vec_exp_below_f32(vec_f32 x)
{
    const float magic = 0x1.8p23F;
    vec_f32 t = x * 0x1.715476p0F + magic;
    vec_f32 n = t - magic;
    vec_f32 r = (x - n * 0x1.62e4p-1F) - n * 0x1.7f7d1cp-20F;
    vec_f32 p = r * (1.0F / 5040.0F) + 1.0F / 720.0F;
    p = p * r + 1.0F / 120.0F;
    p = p * r + 1.0F / 24.0F;
    p = p * r + 1.0F / 6.0F;
    p = p * r + 0.5F;
    p = (p * r) * r + r;
    p = p + 1.0F;
    vec_u32 e = ((vec_u32)t << 23) + (vec_u32)((vec_f32){0} + 1.0F);
    vec_f32 y = p * (vec_f32)e;
    vec_i32 low = x < -87.0F;
    return (vec_f32)((vec_i32)y & ~low);
}

static VEC_INLINE vec_f32 vec_exp_block_f32(vec_f32 x)
{
    const vec_i32 high = x > 88.0F;
    return vec_choose_f32(high, (vec_f32){0} + (float)INFINITY, vec_exp_below_f32(x));
}

#define VEC_EXP(TYPE, NUM)                       \
    static void vec_exp_##TYPE(NUM *x, size_t n) \
    {                                            \
        enum { W = BLOCK_BYTES / sizeof(NUM) };  \
        vec_##TYPE y;                            \
        for (; n >= W; n -= W, x += W) {         \
            memcpy(&y, x, sizeof y);             \
            y = vec_exp_block_##TYPE(y);         \
            memcpy(x, &y, sizeof y);             \
        }                                        \
        if (n == 0) return;                      \
        y = (vec_##TYPE){0};                     \
        memcpy(&y, x, n * sizeof *x);            \
        y = vec_exp_block_##TYPE(y);             \
        memcpy(x, &y, n * sizeof *x);            \
    }

VEC_EXP(f32, float)
VEC_EXP(f64, double)

/* log(1 + e) for e from 0 to 1: with s = e / (2 + e) it is 2 (s + s^3 / 3 + s^5 / 5 ...), s <= 1/3. */
static VEC_INLINE vec_f64 vec_log1p_unit_f64(vec_f64 e)
{
    const vec_f64 s = e / (e + 2.0), z = s * s;
    vec_f64 p = z * (1.0 / 33.0) + 1.0 / 31.0;
    p = p * z + 1.0 / 29.0;
    p = p * z + 1.0 / 27.0;
    p = p * z + 1.0 / 25.0;
    p = p * z + 1.0 / 23.0;
    p = p * z + 1.0 / 21.0;
    p = p * z + 1.0 / 19.0;
    p = p * z + 1.0 / 17.0;
    p = p * z + 1.0 / 15.0;
    p = p * z + 1.0 / 13.0;
    p = p * z + 1.0 / 11.0;
    p = p * z + 1.0 / 9.0;
    p = p * z + 1.0 / 7.0;
    p = p * z + 1.0 / 5.0;
    p = p * z + 1.0 / 3.0;
    const vec_f64 twice = s + s;
    return twice + twice * (z * p);
}

static VEC_INLINE void vec_logistic_block(const double *m, double *slope, double *weight,
                                          double *value)
{
    const vec_f64 x = vec_load_f64(m);
    const vec_i64 positive = x > 0.0;
    const vec_f64 e = vec_exp_below_f64(vec_choose_f64(positive, -x, x));
    const vec_f64 more = 1.0 / (e + 1.0), less = e * more;
    vec_store_f64(slope, vec_choose_f64(positive, less, more));
    if (weight) vec_store_f64(weight, more * less);
    if (value)
        vec_store_f64(value, vec_choose_f64(positive, (vec_f64){0}, -x) + vec_log1p_unit_f64(e));
}

static void vec_logistic_f64(const double *m, size_t n, double *slope, double *weight,
                             double *value)
{
    enum { W = BLOCK_BYTES / sizeof(double) };
    double in[W] = {0}, out[3][W];
    size_t i = 0;
    for (; i + W <= n; i += W)
        vec_logistic_block(m + i, slope + i, weight ? weight + i : NULL, value ? value + i : NULL);
    const size_t left = (n - i) * sizeof(double);
    if (!left) return;
    memcpy(in, m + i, left);
    vec_logistic_block(in, out[0], out[1], out[2]);
    memcpy(slope + i, out[0], left);
    if (weight) memcpy(weight + i, out[1], left);
    if (value) memcpy(value + i, out[2], left);
}

#define VEC_GAUSS(TYPE, NUM, INT)                                                                  \
    static VEC_INLINE vec_##TYPE vec_gauss_block_##TYPE(vec_##TYPE x, vec_##TYPE squares, NUM own, \
                                                        NUM c)                                     \
    {                                                                                              \
        const vec_##TYPE far = (own + squares) - (NUM)2 * x, turned = c * far;                     \
        const vec_##INT apart = far > (NUM)0;                                                      \
        return vec_exp_below_##TYPE((vec_##TYPE)((vec_##INT)turned & apart));                      \
    }                                                                                              \
    static void vec_gauss_##TYPE(NUM *out, const NUM *x, const NUM *squares, NUM own, NUM c,       \
                                 size_t n)                                                         \
    {                                                                                              \
        enum { W = BLOCK_BYTES / sizeof(NUM) };                                                    \
        vec_##TYPE y = {0}, z = {0};                                                               \
        for (; n >= W; n -= W, out += W, x += W, squares += W)                                     \
            vec_store_##TYPE(out, vec_gauss_block_##TYPE(vec_load_##TYPE(x),                       \
                                                         vec_load_##TYPE(squares), own, c));       \
        if (n == 0) return;                                                                        \
        memcpy(&y, x, n * sizeof *x);                                                              \
        memcpy(&z, squares, n * sizeof *x);                                                        \
        y = vec_gauss_block_##TYPE(y, z, own, c);                                                  \
        memcpy(out, &y, n * sizeof *x);                                                            \
    }

VEC_GAUSS(f32, float, i32)
VEC_GAUSS(f64, double, i64)

/* The halves of a register of floats as doubles. */
static VEC_INLINE void vec_widen(vec_f32 x, vec_f64 *low, vec_f64 *high)
{
#if BLOCK_BYTES == 64
    *low = _mm512_cvtps_pd(_mm512_castps512_ps256(x));
    *high = _mm512_cvtps_pd(_mm512_extractf32x8_ps(x, 1));
#elif BLOCK_BYTES == 32
    *low = _mm256_cvtps_pd(_mm256_castps256_ps128(x));
    *high = _mm256_cvtps_pd(_mm256_extractf128_ps(x, 1));
#else
    *low = (vec_f64){(double)x[0], (double)x[1]};
    *high = (vec_f64){(double)x[2], (double)x[3]};
#endif
}

static void vec_gauss_sums_f32(const float *x, size_t stride, const float *squares,
                               const float *own, float c, const double *by, size_t rows, size_t n,
                               double *sums)
{
    enum { W = BLOCK_BYTES / sizeof(float) };
    for (size_t j = 0; j < n; j += W) {
        const vec_f32 square = vec_load_f32(squares + j);
        vec_f64 low = vec_load_f64(sums + j), high = vec_load_f64(sums + j + VEC_WIDTH), a, b;
        for (size_t i = 0; i < rows; i++) {
            vec_widen(vec_gauss_block_f32(vec_load_f32(x + i * stride + j), square, own[i], c), &a,
                      &b);
            low += by[i] * a;
            high += by[i] * b;
        }
        vec_store_f64(sums + j, low);
        vec_store_f64(sums + j + VEC_WIDTH, high);
    }
}

static void vec_gauss_sums_f64(const double *x, size_t stride, const double *squares,
                               const double *own, double c, const double *by, size_t rows, size_t n,
                               double *sums)
{
    for (size_t j = 0; j < n; j += VEC_WIDTH) {
        const vec_f64 square = vec_load_f64(squares + j);
        vec_f64 sum = vec_load_f64(sums + j);
        for (size_t i = 0; i < rows; i++)
            sum += by[i] * vec_gauss_block_f64(vec_load_f64(x + i * stride + j), square, own[i], c);
        vec_store_f64(sums + j, sum);
    }
}

/* Finite: the exponent is not all ones. */
#define VEC_FINITE(TYPE, NUM, INT, SIGNED, EXPONENT)                       \
    static int vec_finite_##TYPE(const NUM *x, size_t n)                   \
    {                                                                      \
        enum { W = BLOCK_BYTES / sizeof(NUM) };                            \
        vec_##INT bad = {0}, tail = {0};                                   \
        SIGNED any = 0;                                                    \
        for (; n >= W; n -= W, x += W)                                     \
            bad |= ((vec_##INT)vec_load_##TYPE(x) & EXPONENT) == EXPONENT; \
        memcpy(&tail, x, n * sizeof *x);                                   \
        bad |= (tail & EXPONENT) == EXPONENT;                              \
        for (size_t l = 0; l < W; l++)                                     \
            any |= bad[l];                                                 \
        return !any;                                                       \
    }

VEC_FINITE(f32, float, i32, int32_t, 0x7f800000)
VEC_FINITE(f64, double, i64, int64_t, 0x7ff0000000000000)

static void vec_ones_counts(const uint32_t *idx, size_t nnz, const uint8_t *spread, float *counts)
{
    enum { REGISTERS = HSP__VEC_COUNTS / BLOCK_BYTES };
    vec_u8 sum[REGISTERS] = {{0}}, x;
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

/* ---- Positive parts ------------------------------------------------------------------------------ */

/* Sums are eight running ones, element i in sum i mod 8, folded in halves: the same bits at any
 * width. The last elements are copied to where eight are, and followed by some with z < 0. */
enum { POSITIVE_ROWS = 8, POSITIVE_REGISTERS = POSITIVE_ROWS / VEC_WIDTH };

/* Eight rows at a time: the last of them, filled up. */
typedef struct vec_positive_tail {
    uint32_t labels[POSITIVE_ROWS];
    double score[POSITIVE_ROWS], move[POSITIVE_ROWS];
    unsigned char on[POSITIVE_ROWS];
} vec_positive_tail;

static void vec_positive_fill(vec_positive_tail *tail, const uint32_t *labels, uint32_t positive,
                              const double *score, const double *move, size_t count)
{
    for (size_t i = 0; i < POSITIVE_ROWS; i++) {
        tail->labels[i] = i < count ? labels[i] : positive;
        tail->score[i] = i < count ? score[i] : 2;
        tail->move[i] = i < count && move ? move[i] : 0;
        tail->on[i] = 0;
    }
}

static double vec_positive_fold(const vec_f64 *sums)
{
    double s[POSITIVE_ROWS];
    memcpy(s, sums, sizeof s);
    for (size_t half = POSITIVE_ROWS / 2; half; half /= 2)
        for (size_t j = 0; j < half; j++)
            s[j] += s[j + half];
    return s[0];
}

static VEC_INLINE vec_i64 vec_positive_positive(const uint32_t *labels, uint32_t positive)
{
    vec_u32_half x;
    memcpy(&x, labels, sizeof x);
    const vec_i32_half same = x == positive;
    return __builtin_convertvector(same, vec_i64);
}

#define VEC_POSITIVE_EACH(r) VEC_UNROLL for (size_t r = 0; r < POSITIVE_REGISTERS; r++)

static void vec_positive_line(const hsp__vec_groups *rows, const double *score, const double *move,
                              double t, size_t n, double sums[2])
{
    const vec_f64 zero = {0}, ones = zero + 1;
    const vec_f64 above = zero + rows->factor[1], below = zero + rows->factor[0];
    vec_f64 slope[POSITIVE_REGISTERS], curve[POSITIVE_REGISTERS];
    const uint32_t *labels = rows->labels;
    vec_positive_tail tail;
    VEC_POSITIVE_EACH(r) slope[r] = curve[r] = zero;
    for (size_t i = 0; i < n; i += POSITIVE_ROWS) {
        if (n - i < POSITIVE_ROWS) {
            vec_positive_fill(&tail, labels, rows->positive, score, move, n - i);
            labels = tail.labels, score = tail.score, move = tail.move;
        }
        VEC_POSITIVE_EACH(r)
        {
            const size_t at = r * VEC_WIDTH;
            const vec_i64 positive = vec_positive_positive(labels + at, rows->positive);
            const vec_f64 c = vec_choose_f64(positive, above, below);
            const vec_f64 y = vec_choose_f64(positive, ones, -ones);
            const vec_f64 by = vec_load_f64(move + at);
            const vec_f64 lack = 1 - y * (vec_load_f64(score + at) + t * by);
            const vec_i64 on = lack > zero;
            slope[r] += vec_choose_f64(on, y * c * (2 * lack) * by, zero);
            curve[r] += vec_choose_f64(on, c * (by * by), zero);
        }
        labels += POSITIVE_ROWS, score += POSITIVE_ROWS, move += POSITIVE_ROWS;
    }
    sums[0] = vec_positive_fold(slope);
    sums[1] = vec_positive_fold(curve);
}

static void vec_positive_step(const hsp__vec_groups *rows, double *score, const double *move,
                              double t, size_t n, unsigned char *on, double sums[2],
                              uint64_t counts[2])
{
    const vec_f64 zero = {0};
    const vec_f64 above = zero + rows->factor[1], below = zero + rows->factor[0];
    vec_f64 loss[POSITIVE_REGISTERS], total[POSITIVE_REGISTERS];
    vec_i64 active[POSITIVE_REGISTERS], turned[POSITIVE_REGISTERS];
    const uint32_t *labels = rows->labels;
    double *const scores = score;
    unsigned char *const ons = on;
    vec_positive_tail tail;
    VEC_POSITIVE_EACH(r) loss[r] = total[r] = zero;
    VEC_POSITIVE_EACH(r) active[r] = turned[r] = (vec_i64){0};
    for (size_t i = 0; i < n; i += POSITIVE_ROWS) {
        if (n - i < POSITIVE_ROWS) {
            vec_positive_fill(&tail, labels, rows->positive, score, move, n - i);
            memcpy(tail.on, on, n - i);
            labels = tail.labels, score = tail.score, on = tail.on;
            if (move) move = tail.move;
        }
        VEC_POSITIVE_EACH(r)
        {
            const size_t at = r * VEC_WIDTH;
            const vec_i64 positive = vec_positive_positive(labels + at, rows->positive);
            const vec_f64 c = vec_choose_f64(positive, above, below);
            vec_f64 s = vec_load_f64(score + at);
            if (move) {
                s += t * vec_load_f64(move + at);
                vec_store_f64(score + at, s);
            }
            const vec_f64 lack = 1 - vec_choose_f64(positive, s, -s);
            const vec_f64 some = vec_choose_f64(lack > zero, lack, zero);
            loss[r] += c * (some * some);
            total[r] += c * (2 * some);
            vec_i8_eighth bytes;
            memcpy(&bytes, on + at, sizeof bytes);
            const vec_i64 was = __builtin_convertvector(bytes, vec_i64);
            const vec_i64 is = (lack > zero) & (c > zero) & 1;
            active[r] += is;
            turned[r] += is ^ was;
            bytes = __builtin_convertvector(is, vec_i8_eighth);
            memcpy(on + at, &bytes, sizeof bytes);
        }
        labels += POSITIVE_ROWS, score += POSITIVE_ROWS, on += POSITIVE_ROWS;
        if (move) move += POSITIVE_ROWS;
    }
    if (n % POSITIVE_ROWS) {
        memcpy(scores + n / POSITIVE_ROWS * POSITIVE_ROWS, tail.score,
               n % POSITIVE_ROWS * sizeof *scores);
        memcpy(ons + n / POSITIVE_ROWS * POSITIVE_ROWS, tail.on, n % POSITIVE_ROWS);
    }
    sums[0] = vec_positive_fold(loss);
    sums[1] = vec_positive_fold(total);
    counts[0] = counts[1] = 0;
    VEC_POSITIVE_EACH(r)
    for (size_t l = 0; l < VEC_WIDTH; l++)
        counts[0] += (uint64_t)active[r][l], counts[1] += (uint64_t)turned[r][l];
}

/* Where the processor counts bits one word at a time. */
static void vec_common_bits(const uint64_t *bits, size_t stride, size_t words, size_t count,
                            uint32_t *counts)
{
    const uint64_t *own = bits + (count - 1) * stride;
    for (size_t j = 0; j < count; j++, bits += stride) {
        int sum = 0;
        for (size_t k = 0; k < words; k++)
            sum += __builtin_popcountll(bits[k] & own[k]);
        counts[j] = (uint32_t)sum;
    }
}

/* ---- Sums of outer products, and eight rows of Cholesky ------------------------------------------ */

/* OUTER_AT_ONCE rows of the tile are held at a time: as many as the registers of that width hold. */
enum {
    OUTER = HSP__VEC_OUTER,
    OUTER_REGISTERS = OUTER / VEC_WIDTH,
    OUTER_AT_ONCE = BLOCK_BYTES >= 64   ? 8
                    : BLOCK_BYTES == 32 ? 4
                                        : 2,
};

#define VEC_OUTER_EACH(i, r)                   \
    VEC_UNROLL                                 \
    for (size_t i = 0; i < OUTER_AT_ONCE; i++) \
        VEC_UNROLL                             \
    for (size_t r = 0; r < OUTER_REGISTERS; r++)

static void vec_outer_some(uint64_t rows, const double *a, const float *b, double *c, size_t side)
{
    vec_f64 sum[OUTER_AT_ONCE][OUTER_REGISTERS];
    VEC_OUTER_EACH(i, r) sum[i][r] = (vec_f64){0};
    for (; rows; rows &= rows - 1) {
        const size_t at = (size_t)__builtin_ctzll(rows) * OUTER;
        vec_f64 x[OUTER_REGISTERS];
        VEC_UNROLL
        for (size_t r = 0; r < OUTER_REGISTERS; r++)
            x[r] = vec_load_f32f64(b + at + r * VEC_WIDTH);
        VEC_OUTER_EACH(i, r) sum[i][r] += a[at + i] * x[r];
    }
    VEC_OUTER_EACH(i, r)
    {
        double *to = c + i * side + r * VEC_WIDTH;
        vec_store_f64(to, vec_load_f64(to) + sum[i][r]);
    }
}

static void vec_outer_f32f64(uint64_t rows, const double *a, const float *b, double *c, size_t side)
{
    for (size_t i = 0; i < OUTER; i += OUTER_AT_ONCE)
        vec_outer_some(rows, a + i, b, c + i * side, side);
}

enum { SOLVE_REGISTERS = HSP__VEC_TILE_ROWS / VEC_WIDTH };

/* Every register of x is finished before the next one begins: what it needs of the earlier ones is
 * in memory near by, and its own sum stays where it is. */
static void vec_solve_f64(size_t n, const double *l, const double *inverse, size_t stride,
                          double *x)
{
    for (size_t j = 0; j < n; j++) {
        const double *line = l + j * stride;
        vec_f64 sum[SOLVE_REGISTERS];
        VEC_UNROLL
        for (size_t r = 0; r < SOLVE_REGISTERS; r++)
            sum[r] = vec_load_f64(x + j * HSP__VEC_TILE_ROWS + r * VEC_WIDTH);
        for (size_t k = 0; k < j; k++) {
            VEC_UNROLL
            for (size_t r = 0; r < SOLVE_REGISTERS; r++)
                sum[r] -= line[k] * vec_load_f64(x + k * HSP__VEC_TILE_ROWS + r * VEC_WIDTH);
        }
        VEC_UNROLL
        for (size_t r = 0; r < SOLVE_REGISTERS; r++)
            vec_store_f64(x + j * HSP__VEC_TILE_ROWS + r * VEC_WIDTH, sum[r] * inverse[j]);
    }
}

/* ---- Extremes ------------------------------------------------------------------------------------ */

/* Two multiples added to a vector with its extremes, and the largest of some ratios. n is a multiple of HSP__VEC_EXTREMES. Of equal numbers
 * the first counts, and every element is computed by itself. */
static VEC_INLINE vec_f64 vec_extremes_places(void)
{
    vec_f64 at = {0};
    for (int l = 0; l < VEC_WIDTH; l++)
        at[l] = l;
    return at;
}

/* The lane with the smallest number, of equal ones that with the smallest place. */
static VEC_INLINE size_t vec_extremes_least(vec_f64 least, vec_f64 at, double *value)
{
    int best = 0;
    for (int l = 1; l < VEC_WIDTH; l++)
        if (least[l] < least[best] || (least[l] == least[best] && at[l] < at[best])) best = l;
    *value = least[best];
    return (size_t)at[best];
}

#define VEC_EXTREMES_STEP(NAME, NUM, LOAD)                                                        \
    static size_t NAME(double *f, double ti, const NUM *ki, double tj, const NUM *kj,             \
                       const double *up, const double *down, size_t n, double *low, double *high) \
    {                                                                                             \
        vec_f64 at = vec_extremes_places(), best = at;                                            \
        vec_f64 least = (vec_f64){0} + (double)INFINITY, most = -least;                           \
        for (size_t k = 0; k < n; k += VEC_WIDTH) {                                               \
            const vec_f64 x = vec_load_f64(f + k) + (ti * LOAD(ki + k) + tj * LOAD(kj + k));      \
            const vec_f64 u = x + vec_load_f64(up + k);                                           \
            const vec_f64 d = x + vec_load_f64(down + k);                                         \
            const vec_i64 less = u<least, more = d> most;                                         \
            vec_store_f64(f + k, x);                                                              \
            least = vec_choose_f64(less, u, least);                                               \
            best = vec_choose_f64(less, at, best);                                                \
            most = vec_choose_f64(more, d, most);                                                 \
            at += (double)VEC_WIDTH;                                                              \
        }                                                                                         \
        *high = most[0];                                                                          \
        for (int l = 1; l < VEC_WIDTH; l++)                                                       \
            if (most[l] > *high) *high = most[l];                                                 \
        return vec_extremes_least(least, best, low);                                              \
    }

VEC_EXTREMES_STEP(vec_axpy2_extremes_f32, float, vec_load_f32f64)
VEC_EXTREMES_STEP(vec_axpy2_extremes_f64, double, vec_load_f64)

/* In float where the rows are: which pair is best need not be known to the last bit, and floats divide faster. */
#define VEC_LARGEST_RATIO(NAME, NUM, TYPE, INT)                                                    \
    static size_t NAME(const double *f, const double *down, double low, double kii, const NUM *ki, \
                       const NUM *diagonal, size_t n, double *gain)                                \
    {                                                                                              \
        const vec_f64 places = vec_extremes_places();                                              \
        vec_##TYPE at = __builtin_convertvector(places, vec_##TYPE), best = at;                    \
        vec_##TYPE most = {0};                                                                     \
        const vec_##TYPE tiny = most + (NUM)1e-12, own = most + (NUM)kii;                          \
        for (size_t k = 0; k < n; k += VEC_WIDTH) {                                                \
            const vec_f64 far = (vec_load_f64(f + k) + vec_load_f64(down + k)) - low;              \
            const vec_##TYPE d = __builtin_convertvector(far, vec_##TYPE);                         \
            vec_##TYPE curve =                                                                     \
                (own + vec_load_##TYPE(diagonal + k)) - (NUM)2 * vec_load_##TYPE(ki + k);          \
            curve = vec_choose_##TYPE(curve < tiny, tiny, curve);                                  \
            const vec_##TYPE g = (d * d) / curve;                                                  \
            const vec_##INT more = (g > most) & (d > (NUM)0);                                      \
            most = vec_choose_##TYPE(more, g, most);                                               \
            best = vec_choose_##TYPE(more, at, best);                                              \
            at += (NUM)VEC_WIDTH;                                                                  \
        }                                                                                          \
        const size_t place = vec_extremes_least(-__builtin_convertvector(most, vec_f64),           \
                                                __builtin_convertvector(best, vec_f64), gain);     \
        *gain = -*gain;                                                                            \
        return place;                                                                              \
    }

VEC_LARGEST_RATIO(vec_largest_ratio_f32, float, f32_half, i32_half)
VEC_LARGEST_RATIO(vec_largest_ratio_f64, double, f64, i64)

/* ---- Many vectors -------------------------------------------------------------------------------- */

/* One sparse row with many vectors at once: a register holds the same running sum of several vectors; the eight running
 * sums of the specification are eight registers. The numbers of a place lie side by side, so that a place costs one load
 * instead of one per vector. VALUES: the parameter of the row's values; TERM(k): the factor of place k. */
#define VEC_DOTS(routine, TYPE, NUM, VALUES, TERM)                                                 \
    static void routine(const uint32_t *idx, VALUES size_t nnz, const NUM *w, size_t stride,       \
                        size_t many, NUM *out)                                                     \
    {                                                                                              \
        for (size_t c = 0; c < many; c += BLOCK_BYTES / sizeof(NUM)) {                             \
            vec_##TYPE s[8] = {{0}};                                                               \
            size_t k = 0;                                                                          \
            for (; k + 8 <= nnz; k += 8) {                                                         \
                VEC_UNROLL                                                                         \
                for (size_t j = 0; j < 8; j++)                                                     \
                    s[j] += TERM(k + j) vec_load_##TYPE(w + idx[k + j] * stride + c);              \
            }                                                                                      \
            VEC_UNROLL                                                                             \
            for (size_t j = 0; j < 8; j++)                                                         \
                if (k + j < nnz) s[j] += TERM(k + j) vec_load_##TYPE(w + idx[k + j] * stride + c); \
            s[0] += s[4], s[1] += s[5], s[2] += s[6], s[3] += s[7];                                \
            s[0] += s[2], s[1] += s[3];                                                            \
            vec_store_##TYPE(out + c, s[0] + s[1]);                                                \
        }                                                                                          \
    }

/* y += a x for many vectors: 16 of them at a time, while there are as many, so that a cache line
 * and its neighbour are written together. */
#define VEC_AXPYS(routine, TYPE, NUM, VALUES, TERM)                                               \
    static void routine(const NUM *a, const uint32_t *idx, VALUES size_t nnz, NUM *y,             \
                        size_t stride, size_t many)                                               \
    {                                                                                             \
        enum { W = BLOCK_BYTES / sizeof(NUM), ALL = 16 / W, HALF = ALL / 2 ? ALL / 2 : 1 };       \
        for (size_t c = 0, width; c < many; c += width) {                                         \
            width = many - c < 16 ? 8 : 16;                                                       \
            vec_##TYPE f[ALL];                                                                    \
            for (size_t j = 0; j < (width == 16 ? ALL : HALF); j++)                               \
                f[j] = vec_load_##TYPE(a + c + j * W);                                            \
            for (size_t k = 0; k < nnz; k++) {                                                    \
                NUM *at = y + idx[k] * stride + c;                                                \
                if (width == 16)                                                                  \
                    VEC_UNROLL for (size_t j = 0; j < ALL; j++)                                   \
                        vec_store_##TYPE(at + j * W, vec_load_##TYPE(at + j * W) + TERM(k) f[j]); \
                else                                                                              \
                    VEC_UNROLL for (size_t j = 0; j < HALF; j++)                                  \
                        vec_store_##TYPE(at + j * W, vec_load_##TYPE(at + j * W) + TERM(k) f[j]); \
            }                                                                                     \
        }                                                                                         \
    }

#define VEC_VALUES(ROW) const ROW *v,
#define VEC_VALUE(k)    (double)v[k] *
#define VEC_SINGLE(k)   v[k] *
#define VEC_NONE
#define VEC_ONE(k)

VEC_DOTS(vec_sparse_dots_f64, f64, double, VEC_VALUES(double), VEC_VALUE)
VEC_DOTS(vec_sparse_dots_f32f64, f64, double, VEC_VALUES(float), VEC_VALUE)
VEC_DOTS(vec_ones_dots_f64, f64, double, VEC_NONE, VEC_ONE)
VEC_DOTS(vec_sparse_dots_f32, f32, float, VEC_VALUES(float), VEC_SINGLE)
VEC_DOTS(vec_ones_dots_f32, f32, float, VEC_NONE, VEC_ONE)
VEC_AXPYS(vec_sparse_axpys_f64, f64, double, VEC_VALUES(double), VEC_VALUE)
VEC_AXPYS(vec_sparse_axpys_f32f64, f64, double, VEC_VALUES(float), VEC_VALUE)
VEC_AXPYS(vec_ones_axpys_f64, f64, double, VEC_NONE, VEC_ONE)
VEC_AXPYS(vec_sparse_axpys_f32, f32, float, VEC_VALUES(float), VEC_SINGLE)
VEC_AXPYS(vec_ones_axpys_f32, f32, float, VEC_NONE, VEC_ONE)

/* ---- The tile of matrix products ----------------------------------------------------------------- */

/* On processors that multiply and add in separate units at once, the product that is rounded before
 * it is added costs no more than a fused one. */

/* TILE_ROWS rows of 3 * VEC_WIDTH columns; a and b point at the first of them. */
static VEC_INLINE void vec_tile_part(size_t k, const double *a, const double *b, double *c,
                                     size_t stride)
{
    vec_f64 s[TILE_ROWS][3];
    memset(s, 0, sizeof s);
    for (; k > 0; k--, a += HSP__VEC_TILE_ROWS, b += HSP__VEC_TILE_COLS) {
        const vec_f64 b0 = vec_load_f64(b), b1 = vec_load_f64(b + VEC_WIDTH),
                      b2 = vec_load_f64(b + 2 * VEC_WIDTH);
        VEC_UNROLL
        for (size_t i = 0; i < TILE_ROWS; i++) {
            s[i][0] += a[i] * b0;
            s[i][1] += a[i] * b1;
            s[i][2] += a[i] * b2;
        }
    }
    VEC_UNROLL
    for (size_t i = 0; i < TILE_ROWS; i++) {
        for (size_t j = 0; j < 3; j++) {
            double *at = c + i * stride + j * VEC_WIDTH;
            vec_store_f64(at, vec_load_f64(at) + s[i][j]);
        }
    }
}

static void vec_tile_f64(size_t k, const double *a, const double *b, double *c, size_t stride)
{
    for (size_t i = 0; i < HSP__VEC_TILE_ROWS; i += TILE_ROWS)
        for (size_t j = 0; j < HSP__VEC_TILE_COLS; j += 3 * VEC_WIDTH)
            vec_tile_part(k, a + i, b + j, c + i * stride + j, stride);
}

#include "vec/vec_lanes.h"

/* The lines of a table that these files make. */
#define VEC_BLOCK_ROUTINES                                                                        \
    .panel_rows = PANEL_ROWS, .panel_cols_f32 = PANEL_VECS * BLOCK_BYTES / sizeof(float),         \
    .panel_cols_f64 = PANEL_VECS * BLOCK_BYTES / sizeof(double), .panel_f32 = vec_panel_f32,      \
    .panel_f64 = vec_panel_f64, .panel_row_f32 = vec_panel_row_f32,                               \
    .panel_row_f64 = vec_panel_row_f64, .exp_f32 = vec_exp_f32, .exp_f64 = vec_exp_f64,           \
    .logistic_f64 = vec_logistic_f64, .gauss_f32 = vec_gauss_f32, .gauss_f64 = vec_gauss_f64,     \
    .gauss_sums_f32 = vec_gauss_sums_f32, .gauss_sums_f64 = vec_gauss_sums_f64,                   \
    .finite_f32 = vec_finite_f32, .finite_f64 = vec_finite_f64, .ones_counts = vec_ones_counts,   \
    .positive_line = vec_positive_line, .positive_step = vec_positive_step,                       \
    .outer_f32f64 = vec_outer_f32f64, .solve_f64 = vec_solve_f64,                                 \
    .axpy2_extremes_f32 = vec_axpy2_extremes_f32, .axpy2_extremes_f64 = vec_axpy2_extremes_f64,   \
    .largest_ratio_f32 = vec_largest_ratio_f32, .largest_ratio_f64 = vec_largest_ratio_f64,       \
    .sparse_dots_f64 = vec_sparse_dots_f64, .sparse_dots_f32f64 = vec_sparse_dots_f32f64,         \
    .ones_dots_f64 = vec_ones_dots_f64, .sparse_axpys_f64 = vec_sparse_axpys_f64,                 \
    .sparse_axpys_f32f64 = vec_sparse_axpys_f32f64, .ones_axpys_f64 = vec_ones_axpys_f64,         \
    .sparse_dots_f32 = vec_sparse_dots_f32, .ones_dots_f32 = vec_ones_dots_f32,                   \
    .sparse_axpys_f32 = vec_sparse_axpys_f32, .ones_axpys_f32 = vec_ones_axpys_f32,               \
    .tile_f64 = vec_tile_f64, .point_squares = vec_point_squares, .box_squares = vec_box_squares, \
    .range_f64 = vec_range_f64, .range_f32f64 = vec_range_f32f64, .code_f64 = vec_code_f64,       \
    .code_f32f64 = vec_code_f32f64

#endif
