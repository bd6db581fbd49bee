/* The dense routines for one instruction set and one type of row: a template, included by
 * vec_avx2.c and vec_avx512.c, once for rows of doubles and once for rows of floats. Before
 * inclusion:
 *
 *     ROW   type of a row's elements             TYPE   the name's ending: f64 or f32f64
 *
 * and the instruction set has defined VEC_WIDTH, the number of doubles in a register, vec_sum (the
 * fold of one register), and for both types vec_head_TYPE (the first `count` elements, 0 < count <
 * 32, all of the register if count is more, and +0 in the others, without touching memory beyond).
 *
 * The 32 running sums are VEC_K registers, and one turn of a loop is 32 elements: element i always
 * meets lane i mod 32, and the fold by registers is the first part of the fold in halves. */
#ifndef HSP_VEC_VEC_DENSE_H
#define HSP_VEC_VEC_DENSE_H

#define VEC_K            (HSP__VEC_DENSE_SUMS / (size_t)VEC_WIDTH)
#define VEC_PASTE_(a, b) a##_##b
#define VEC_PASTE(a, b)  VEC_PASTE_(a, b)
#define FN(routine)      VEC_PASTE(vec_##routine, TYPE)

/* The statement for each j below VEC_K, written out: with a loop, compilers keep s[] in memory. */
#define VEC_FOR(j, statement)     \
    do {                          \
        VEC_TURN(j, 0, statement) \
        VEC_TURN(j, 1, statement) \
        VEC_TURN(j, 2, statement) \
        VEC_TURN(j, 3, statement) \
        VEC_TURN(j, 4, statement) \
        VEC_TURN(j, 5, statement) \
        VEC_TURN(j, 6, statement) \
        VEC_TURN(j, 7, statement) \
    } while (0)
#define VEC_TURN(j, turn, statement)          \
    if (turn < VEC_K) {                       \
        enum { j = turn < VEC_K ? turn : 0 }; \
        statement;                            \
    }

static VEC_INLINE vec_f64 vec_add_product(vec_f64 s, vec_f64 x, vec_f64 w)
{
    return s + x * w;
}

static VEC_INLINE vec_f64 vec_add_sqdiff(vec_f64 s, vec_f64 x, vec_f64 w)
{
    return s + (x - w) * (x - w);
}

static VEC_INLINE vec_f64 vec_add_square(vec_f64 s, vec_f64 x)
{
    return s + x * x;
}

static VEC_INLINE vec_i64 vec_abs_bits(vec_f64 x)
{
    return (vec_i64)x & INT64_MAX;
}

static VEC_INLINE vec_f64 vec_add_abs(vec_f64 s, vec_f64 x)
{
    return s + (vec_f64)vec_abs_bits(x);
}

/* Magnitudes compare as the integers of their bits, with every NaN above infinity: the larger one
 * wins, and a NaN stays. */
static VEC_INLINE vec_f64 vec_max_abs(vec_f64 s, vec_f64 x)
{
    const vec_i64 own = (vec_i64)s, other = vec_abs_bits(x), more = other > own;
    return (vec_f64)((other & more) | (own & ~more));
}

/* The fold in halves: registers first, then the lanes of the one that is left. */
static VEC_INLINE double vec_fold(vec_f64 *s)
{
    VEC_FOR(j, if (j < VEC_K / 2) s[j] += s[(j + VEC_K / 2) % VEC_K]);
    VEC_FOR(j, if (j < VEC_K / 4) s[j] += s[(j + VEC_K / 4) % VEC_K]);
    VEC_FOR(j, if (j < VEC_K / 8) s[j] += s[(j + VEC_K / 8) % VEC_K]);
    return vec_sum(s[0]);
}

#endif

/* s[j] = step(s[j], x) over a row. */
static VEC_INLINE void FN(run1)(vec_f64 *s, const ROW *x, size_t n,
                                vec_f64 (*step)(vec_f64, vec_f64))
{
    VEC_FOR(j, s[j] = (vec_f64){0});
    for (; n >= HSP__VEC_DENSE_SUMS; n -= HSP__VEC_DENSE_SUMS, x += HSP__VEC_DENSE_SUMS)
        VEC_FOR(j, s[j] = step(s[j], FN(load)(x + j * VEC_WIDTH)));
    VEC_FOR(j, if (n > j * VEC_WIDTH) s[j] =
                   step(s[j], FN(head)(x + j * VEC_WIDTH, n - j * VEC_WIDTH)));
}

/* s[j] = step(s[j], x, w) over a row and a vector. */
static VEC_INLINE void FN(run2)(vec_f64 *s, const ROW *x, const double *w, size_t n,
                                vec_f64 (*step)(vec_f64, vec_f64, vec_f64))
{
    VEC_FOR(j, s[j] = (vec_f64){0});
    for (; n >= HSP__VEC_DENSE_SUMS; n -= HSP__VEC_DENSE_SUMS) {
        VEC_FOR(j, s[j] = step(s[j], FN(load)(x + j * VEC_WIDTH), vec_load_f64(w + j * VEC_WIDTH)));
        x += HSP__VEC_DENSE_SUMS;
        w += HSP__VEC_DENSE_SUMS;
    }
    VEC_FOR(j,
            if (n > j * VEC_WIDTH) s[j] = step(s[j], FN(head)(x + j * VEC_WIDTH, n - j * VEC_WIDTH),
                                               vec_head_f64(w + j * VEC_WIDTH, n - j * VEC_WIDTH)));
}

static double FN(dot)(const ROW *x, const double *w, size_t n)
{
    vec_f64 s[VEC_K];
    FN(run2)(s, x, w, n, vec_add_product);
    return vec_fold(s);
}

static double FN(sqdist)(const ROW *x, const double *w, size_t n)
{
    vec_f64 s[VEC_K];
    FN(run2)(s, x, w, n, vec_add_sqdiff);
    return vec_fold(s);
}

static double FN(sqnorm)(const ROW *x, size_t n)
{
    vec_f64 s[VEC_K];
    FN(run1)(s, x, n, vec_add_square);
    return vec_fold(s);
}

/* The last elements go one by one: a masked store took longer, for what reads y next cannot be
 * served from it. */
static void FN(axpy)(double a, const ROW *x, double *y, size_t n)
{
    size_t i = 0;
    for (; i + 2 * VEC_WIDTH <= n; i += 2 * VEC_WIDTH) {
        const vec_f64 y0 = vec_load_f64(y + i) + a * FN(load)(x + i);
        const vec_f64 y1 = vec_load_f64(y + i + VEC_WIDTH) + a * FN(load)(x + i + VEC_WIDTH);
        vec_store_f64(y + i, y0);
        vec_store_f64(y + i + VEC_WIDTH, y1);
    }
    if (i + VEC_WIDTH <= n) {
        vec_store_f64(y + i, vec_load_f64(y + i) + a * FN(load)(x + i));
        i += VEC_WIDTH;
    }
    for (; i < n; i++)
        y[i] += a * (double)x[i];
}

#ifdef VEC_SAME_TYPE /* rows of doubles */

static double vec_norm1_f64(const double *x, size_t n)
{
    vec_f64 s[VEC_K];
    FN(run1)(s, x, n, vec_add_abs);
    return vec_fold(s);
}

static double vec_norminf_f64(const double *x, size_t n)
{
    vec_f64 s[VEC_K];
    FN(run1)(s, x, n, vec_max_abs);
    VEC_UNROLL
    for (size_t j = 1; j < VEC_K; j++)
        s[0] = vec_max_abs(s[0], s[j]);
    double lane[VEC_WIDTH];
    vec_store_f64(lane, s[0]);
    return hsp__vec_scalar.norminf_f64(lane, VEC_WIDTH);
}

static void vec_scale_f64(double a, double *x, size_t n)
{
    size_t i = 0;
    for (; i + VEC_WIDTH <= n; i += VEC_WIDTH)
        vec_store_f64(x + i, a * vec_load_f64(x + i));
    for (; i < n; i++)
        x[i] *= a;
}

#undef VEC_SAME_TYPE
#endif

#undef ROW
#undef TYPE
