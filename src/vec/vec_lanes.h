/* Routines of nearest neighbours: distances to points and boxes, sixteen at a time, and numbers as bytes.
 * A part of vec_block.h, which includes it: it is made of that file's vectors, once per instruction set. */
#ifndef HSP_VEC_LANES_H
#define HSP_VEC_LANES_H

#include "vec/vec.h"

/* ---- Distances to points and boxes ------------------------------------------------------------- */

/* Which lanes are at most `limit`, as bits. */
static VEC_INLINE unsigned vec_at_most(vec_f64 x, double limit)
{
#if BLOCK_BYTES == 64
    return _mm512_cmp_pd_mask((__m512d)x, _mm512_set1_pd(limit), _CMP_LE_OQ);
#elif BLOCK_BYTES == 32
    return (unsigned)_mm256_movemask_pd(
        _mm256_cmp_pd((__m256d)x, _mm256_set1_pd(limit), _CMP_LE_OQ));
#else
    unsigned bits = 0;
    for (unsigned l = 0; l < VEC_WIDTH; l++)
        bits |= (unsigned)(x[l] <= limit) << l;
    return bits;
#endif
}

/* The larger of two numbers that are no NaN. */
static VEC_INLINE vec_f64 vec_larger(vec_f64 x, vec_f64 y)
{
#if BLOCK_BYTES == 64
    return (vec_f64)_mm512_max_pd((__m512d)x, (__m512d)y);
#elif BLOCK_BYTES == 32
    return (vec_f64)_mm256_max_pd((__m256d)x, (__m256d)y);
#else
    return vec_choose_f64(x > y, x, y);
#endif
}

/* The smaller of two numbers that are no NaN. */
static VEC_INLINE vec_f64 vec_smaller(vec_f64 x, vec_f64 y)
{
#if BLOCK_BYTES == 64
    return (vec_f64)_mm512_min_pd((__m512d)x, (__m512d)y);
#elif BLOCK_BYTES == 32
    return (vec_f64)_mm256_min_pd((__m256d)x, (__m256d)y);
#else
    return vec_choose_f64(x < y, x, y);
#endif
}

enum { VEC_LANE_VECS = HSP__VEC_LANES / VEC_WIDTH };
#define VEC_LANE_EACH(v) VEC_UNROLL for (size_t v = 0; v < VEC_LANE_VECS; v++)

static VEC_INLINE unsigned vec_lanes_out(const vec_f64 *sum, double limit, double *out)
{
    unsigned bits = 0;
    VEC_LANE_EACH(v)
    {
        vec_store_f64(out + v * VEC_WIDTH, sum[v]);
        bits |= vec_at_most(sum[v], limit) << v * VEC_WIDTH;
    }
    return bits;
}

static unsigned vec_point_squares(size_t cols, const double *points, const double *q, double limit,
                                  double *out)
{
    vec_f64 sum[VEC_LANE_VECS];
    VEC_LANE_EACH(v) sum[v] = (vec_f64){0};
    for (size_t c = 0; c < cols; c++, points += HSP__VEC_LANES) {
        VEC_LANE_EACH(v)
        {
            const vec_f64 d = vec_load_f64(points + v * VEC_WIDTH) - q[c];
            sum[v] += d * d;
        }
    }
    return vec_lanes_out(sum, limit, out);
}

static unsigned vec_box_squares(size_t cols, const double *boxes, const double *q, double limit,
                                double *out)
{
    vec_f64 sum[VEC_LANE_VECS];
    VEC_LANE_EACH(v) sum[v] = (vec_f64){0};
    for (size_t c = 0; c < cols; c++, boxes += 2 * HSP__VEC_LANES) {
        VEC_LANE_EACH(v)
        {
            const vec_f64 below = vec_load_f64(boxes + v * VEC_WIDTH) - q[c];
            const vec_f64 above = q[c] - vec_load_f64(boxes + HSP__VEC_LANES + v * VEC_WIDTH);
            const vec_f64 d = vec_larger(vec_larger(below, above), (vec_f64){0});
            sum[v] += d * d;
        }
    }
    return vec_lanes_out(sum, limit, out);
}

/* ---- Numbers as bytes ---------------------------------------------------------------------------- */

#define VEC_RANGE(TYPE, ROW)                                                                     \
    static int vec_range_##TYPE(const ROW *x, size_t n, double scale, double *low, double *high) \
    {                                                                                            \
        const double round = 0x1.8p52; /* what is added to it and is no integer is rounded */    \
        vec_f64 least = (vec_f64){0} + *low, most = (vec_f64){0} + *high;                        \
        vec_i64 whole = ~(vec_i64){0};                                                           \
        size_t k = 0;                                                                            \
        for (; k + VEC_WIDTH <= n; k += VEC_WIDTH) {                                             \
            const vec_f64 v = vec_load_##TYPE(x + k) * scale;                                    \
            least = vec_smaller(v, least);                                                       \
            most = vec_larger(v, most);                                                          \
            whole &= (v + round) - round == v;                                                   \
        }                                                                                        \
        int integers = 1;                                                                        \
        for (size_t l = 0; l < VEC_WIDTH; l++) {                                                 \
            *low = least[l] < *low ? least[l] : *low;                                            \
            *high = most[l] > *high ? most[l] : *high;                                           \
            integers &= whole[l] != 0;                                                           \
        }                                                                                        \
        for (; k < n; k++) {                                                                     \
            const double v = (double)x[k] * scale;                                               \
            *low = v < *low ? v : *low;                                                          \
            *high = v > *high ? v : *high;                                                       \
            integers &= (v + round) - round == v;                                                \
        }                                                                                        \
        return integers;                                                                         \
    }
VEC_RANGE(f64, double)
VEC_RANGE(f32f64, float)

typedef struct vec_code_sums {
    vec_f64 rounded[VEC_LANE_VECS], left[VEC_LANE_VECS];
    vec_i32_half squares, sum;
} vec_code_sums;

/* HSP__VEC_LANES numbers. */
static VEC_INLINE void vec_code_some(const vec_f64 *x, double low, double by, vec_code_sums *s,
                                     uint8_t *u)
{
    VEC_LANE_EACH(v)
    {
        const vec_f64 t = (x[v] - low) * by;
        const vec_f64 inside = vec_smaller(vec_larger(t, (vec_f64){0}), (vec_f64){0} + 255);
        const vec_i32_half near = __builtin_convertvector(inside + 0.5, vec_i32_half);
        const vec_f64 code = __builtin_convertvector(near, vec_f64);
        const vec_i8_eighth bytes = __builtin_convertvector(near, vec_i8_eighth);
        s->rounded[v] += (inside - code) * (inside - code);
        s->left[v] += (t - code) * (t - code);
        s->squares += near * near;
        s->sum += near;
        memcpy(u + v * VEC_WIDTH, &bytes, sizeof bytes);
    }
}

static VEC_INLINE hsp__vec_code vec_code_end(const vec_code_sums *s)
{
    hsp__vec_code all = {0};
    for (size_t l = 0; l < HSP__VEC_LANES; l++) {
        all.rounded += s->rounded[l / VEC_WIDTH][l % VEC_WIDTH];
        all.left += s->left[l / VEC_WIDTH][l % VEC_WIDTH];
    }
    for (size_t l = 0; l < VEC_WIDTH; l++) {
        all.squares += s->squares[l];
        all.sum += s->sum[l];
    }
    return all;
}

#define VEC_CODE(TYPE, ROW)                                                                \
    static hsp__vec_code vec_code_##TYPE(const ROW *x, size_t n, double scale, double low, \
                                         double by, uint8_t *u)                            \
    {                                                                                      \
        vec_code_sums s = {0};                                                             \
        vec_f64 some[VEC_LANE_VECS];                                                       \
        size_t k = 0;                                                                      \
        for (; k + HSP__VEC_LANES <= n; k += HSP__VEC_LANES) {                             \
            VEC_LANE_EACH(v) some[v] = vec_load_##TYPE(x + k + v * VEC_WIDTH) * scale;     \
            vec_code_some(some, low, by, &s, u + k);                                       \
        }                                                                                  \
        if (k < n) { /* numbers behind the last are `low`, whose byte is 0 */              \
            double last[HSP__VEC_LANES];                                                   \
            uint8_t bytes[HSP__VEC_LANES];                                                 \
            for (size_t l = 0; l < HSP__VEC_LANES; l++)                                    \
                last[l] = k + l < n ? (double)x[k + l] * scale : low;                      \
            VEC_LANE_EACH(v) some[v] = vec_load_f64(last + v * VEC_WIDTH);                 \
            vec_code_some(some, low, by, &s, bytes);                                       \
            memcpy(u + k, bytes, n - k);                                                   \
        }                                                                                  \
        return vec_code_end(&s);                                                           \
    }
VEC_CODE(f64, double)
VEC_CODE(f32f64, float)

#endif
