/* A template: two multiples added to a vector with its extremes, and the largest of some ratios, for
 * what vec_block.h defines. n is a multiple of HSP__VEC_EXTREMES. Of equal numbers the first counts, and every element
 * is computed by itself: so all instruction sets give the same bits. */
#ifndef HSP_VEC_VEC_EXTREMES_H
#define HSP_VEC_VEC_EXTREMES_H

#include "vec/vec_block.h"

enum { VEC_EXTREMES = BLOCK_BYTES / sizeof(double) };
typedef float vec_extremes_f32 __attribute__((vector_size(BLOCK_BYTES / 2)));
typedef int32_t vec_extremes_i32 __attribute__((vector_size(BLOCK_BYTES / 2)));

static VEC_INLINE vec_block_f64 vec_extremes_load_f32(const float *p)
{
    vec_extremes_f32 x;
    memcpy(&x, p, sizeof x);
    return __builtin_convertvector(x, vec_block_f64);
}

static VEC_INLINE vec_block_f64 vec_extremes_load_f64(const double *p)
{
    return vec_block_load_f64(p);
}

static VEC_INLINE vec_block_f64 vec_extremes_choose(vec_block_i64 which, vec_block_f64 yes,
                                                    vec_block_f64 no)
{
    return (vec_block_f64)((which & (vec_block_i64)yes) | (~which & (vec_block_i64)no));
}

static VEC_INLINE vec_block_f64 vec_extremes_places(void)
{
    vec_block_f64 at = {0};
    for (int l = 0; l < VEC_EXTREMES; l++)
        at[l] = l;
    return at;
}

/* The lane with the smallest number, of equal ones that with the smallest place. */
static VEC_INLINE size_t vec_extremes_least(vec_block_f64 least, vec_block_f64 at, double *value)
{
    int best = 0;
    for (int l = 1; l < VEC_EXTREMES; l++)
        if (least[l] < least[best] || (least[l] == least[best] && at[l] < at[best])) best = l;
    *value = least[best];
    return (size_t)at[best];
}

#define VEC_EXTREMES_STEP(NAME, NUM, LOAD)                                                        \
    static size_t NAME(double *f, double ti, const NUM *ki, double tj, const NUM *kj,             \
                       const double *up, const double *down, size_t n, double *low, double *high) \
    {                                                                                             \
        vec_block_f64 at = vec_extremes_places(), best = at;                                      \
        vec_block_f64 least = (vec_block_f64){0} + (double)INFINITY, most = -least;               \
        for (size_t k = 0; k < n; k += VEC_EXTREMES) {                                            \
            const vec_block_f64 x =                                                               \
                vec_block_load_f64(f + k) + (ti * LOAD(ki + k) + tj * LOAD(kj + k));              \
            const vec_block_f64 u = x + vec_block_load_f64(up + k);                               \
            const vec_block_f64 d = x + vec_block_load_f64(down + k);                             \
            const vec_block_i64 less = u<least, more = d> most;                                   \
            vec_block_store_f64(f + k, x);                                                        \
            least = vec_extremes_choose(less, u, least);                                          \
            best = vec_extremes_choose(less, at, best);                                           \
            most = vec_extremes_choose(more, d, most);                                            \
            at += (double)VEC_EXTREMES;                                                           \
        }                                                                                         \
        *high = most[0];                                                                          \
        for (int l = 1; l < VEC_EXTREMES; l++)                                                    \
            if (most[l] > *high) *high = most[l];                                                 \
        return vec_extremes_least(least, best, low);                                              \
    }

VEC_EXTREMES_STEP(vec_axpy2_extremes_f32, float, vec_extremes_load_f32)
VEC_EXTREMES_STEP(vec_axpy2_extremes_f64, double, vec_extremes_load_f64)

/* In float: which pair is best need not be known to the last bit, and floats divide faster. */
static size_t vec_largest_ratio_f32(const double *f, const double *down, double low, double kii,
                                    const float *ki, const float *diagonal, size_t n, double *gain)
{
    vec_block_f64 places = vec_extremes_places();
    vec_extremes_f32 at = __builtin_convertvector(places, vec_extremes_f32), best = at;
    vec_extremes_f32 most = (vec_extremes_f32){0}, tiny = most + 1e-12F, own = most + (float)kii;
    for (size_t k = 0; k < n; k += VEC_EXTREMES) {
        const vec_block_f64 far = (vec_block_load_f64(f + k) + vec_block_load_f64(down + k)) - low;
        const vec_extremes_f32 d = __builtin_convertvector(far, vec_extremes_f32);
        vec_extremes_f32 row, other;
        memcpy(&row, ki + k, sizeof row);
        memcpy(&other, diagonal + k, sizeof other);
        vec_extremes_f32 curve = (own + other) - 2.0F * row;
        const vec_extremes_i32 flat = curve < tiny;
        curve =
            (vec_extremes_f32)((flat & (vec_extremes_i32)tiny) | (~flat & (vec_extremes_i32)curve));
        const vec_extremes_f32 g = (d * d) / curve;
        const vec_extremes_i32 more = (g > most) & (d > 0.0F);
        most = (vec_extremes_f32)((more & (vec_extremes_i32)g) | (~more & (vec_extremes_i32)most));
        best = (vec_extremes_f32)((more & (vec_extremes_i32)at) | (~more & (vec_extremes_i32)best));
        at += (float)VEC_EXTREMES;
    }
    double value;
    const vec_block_f64 turned = -__builtin_convertvector(most, vec_block_f64);
    const size_t place =
        vec_extremes_least(turned, __builtin_convertvector(best, vec_block_f64), &value);
    *gain = -value;
    return place;
}

static size_t vec_largest_ratio_f64(const double *f, const double *down, double low, double kii,
                                    const double *ki, const double *diagonal, size_t n,
                                    double *gain)
{
    vec_block_f64 at = vec_extremes_places(), best = at, most = {0};
    const vec_block_f64 tiny = most + 1e-12;
    for (size_t k = 0; k < n; k += VEC_EXTREMES) {
        const vec_block_f64 d = (vec_block_load_f64(f + k) + vec_block_load_f64(down + k)) - low;
        vec_block_f64 curve =
            (kii + vec_block_load_f64(diagonal + k)) - 2.0 * vec_block_load_f64(ki + k);
        curve = vec_extremes_choose(curve < tiny, tiny, curve);
        const vec_block_f64 g = (d * d) / curve;
        const vec_block_i64 more = (g > most) & (d > 0.0);
        most = vec_extremes_choose(more, g, most);
        best = vec_extremes_choose(more, at, best);
        at += (double)VEC_EXTREMES;
    }
    double value;
    const size_t place = vec_extremes_least(-most, best, &value);
    *gain = -value;
    return place;
}

#define VEC_EXTREMES_ROUTINES                                                                   \
    .axpy2_extremes_f32 = vec_axpy2_extremes_f32, .axpy2_extremes_f64 = vec_axpy2_extremes_f64, \
    .largest_ratio_f32 = vec_largest_ratio_f32, .largest_ratio_f64 = vec_largest_ratio_f64

#endif
