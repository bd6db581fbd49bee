/* AVX2: the dense routines eight floats or four doubles at a time, and the sparse routines. A short
 * last block is read under a mask, which touches no memory beyond the row. */
#include "vec/vec.h"

#if defined(__x86_64__) && defined(__AVX2__)

#include <immintrin.h>
#include <string.h>

#include "vec/vec_simd.h"

typedef __m256 vec_f32;
typedef __m256d vec_f64;

enum { VEC_WIDTH_f32 = 8, VEC_WIDTH_f64 = 4 };

/* Read at 32 - count: `count` lanes on, the rest off, for a count below 32. */
#define ON4  -1, -1, -1, -1
#define OFF4 0, 0, 0, 0
static const int32_t vec_lanes[40] = {ON4, ON4, ON4, ON4, ON4, ON4, ON4, ON4, OFF4, OFF4};

static VEC_INLINE __m256i vec_mask8(size_t count)
{
    return _mm256_loadu_si256((const __m256i *)(vec_lanes + 32 - count));
}

static VEC_INLINE __m128i vec_mask4(size_t count)
{
    return _mm_loadu_si128((const __m128i *)(vec_lanes + 32 - count));
}

static VEC_INLINE vec_f32 vec_load_f32(const float *p)
{
    return _mm256_loadu_ps(p);
}

static VEC_INLINE vec_f64 vec_load_f64(const double *p)
{
    return _mm256_loadu_pd(p);
}

static VEC_INLINE vec_f64 vec_load_f32f64(const float *p)
{
    return _mm256_cvtps_pd(_mm_loadu_ps(p));
}

static VEC_INLINE vec_f32 vec_head_f32(const float *p, size_t count)
{
    return _mm256_maskload_ps(p, vec_mask8(count));
}

static VEC_INLINE vec_f64 vec_head_f64(const double *p, size_t count)
{
    return _mm256_maskload_pd(p, _mm256_cvtepi32_epi64(vec_mask4(count)));
}

static VEC_INLINE vec_f64 vec_head_f32f64(const float *p, size_t count)
{
    return _mm256_cvtps_pd(_mm_maskload_ps(p, vec_mask4(count)));
}

static VEC_INLINE vec_f32 vec_set1_f32(float a)
{
    return _mm256_set1_ps(a);
}

static VEC_INLINE vec_f32 vec_add_f32(vec_f32 a, vec_f32 b)
{
    return _mm256_add_ps(a, b);
}

static VEC_INLINE vec_f32 vec_mul_f32(vec_f32 a, vec_f32 b)
{
    return _mm256_mul_ps(a, b);
}

static VEC_INLINE void vec_store_f32(float *p, vec_f32 a)
{
    _mm256_storeu_ps(p, a);
}

static VEC_INLINE vec_f32 vec_abs_f32(vec_f32 x)
{
    return _mm256_andnot_ps(_mm256_set1_ps(-0.0f), x);
}

static VEC_INLINE vec_f32 vec_add_product_f32(vec_f32 s, vec_f32 x, vec_f32 w)
{
    return _mm256_add_ps(s, _mm256_mul_ps(x, w));
}

static VEC_INLINE vec_f32 vec_add_sqdiff_f32(vec_f32 s, vec_f32 x, vec_f32 w)
{
    vec_f32 d = _mm256_sub_ps(x, w);
    return _mm256_add_ps(s, _mm256_mul_ps(d, d));
}

static VEC_INLINE vec_f32 vec_add_square_f32(vec_f32 s, vec_f32 x)
{
    return _mm256_add_ps(s, _mm256_mul_ps(x, x));
}

static VEC_INLINE vec_f32 vec_add_abs_f32(vec_f32 s, vec_f32 x)
{
    return _mm256_add_ps(s, vec_abs_f32(x));
}

/* Magnitudes compare as the integers of their bits, with every NaN above infinity: the larger one
 * wins, and a NaN stays. */
static VEC_INLINE vec_f32 vec_max_abs_f32(vec_f32 s, vec_f32 x)
{
    return _mm256_castsi256_ps(
        _mm256_max_epu32(_mm256_castps_si256(s), _mm256_castps_si256(vec_abs_f32(x))));
}

static VEC_INLINE float vec_sum_f32(vec_f32 s)
{
    __m128 b = _mm_add_ps(_mm256_castps256_ps128(s), _mm256_extractf128_ps(s, 1));
    b = _mm_add_ps(b, _mm_movehl_ps(b, b));
    return _mm_cvtss_f32(_mm_add_ss(b, _mm_movehdup_ps(b)));
}

static VEC_INLINE vec_f64 vec_set1_f64(double a)
{
    return _mm256_set1_pd(a);
}

static VEC_INLINE vec_f64 vec_add_f64(vec_f64 a, vec_f64 b)
{
    return _mm256_add_pd(a, b);
}

static VEC_INLINE vec_f64 vec_mul_f64(vec_f64 a, vec_f64 b)
{
    return _mm256_mul_pd(a, b);
}

static VEC_INLINE void vec_store_f64(double *p, vec_f64 a)
{
    _mm256_storeu_pd(p, a);
}

static VEC_INLINE vec_f64 vec_abs_f64(vec_f64 x)
{
    return _mm256_andnot_pd(_mm256_set1_pd(-0.0), x);
}

static VEC_INLINE vec_f64 vec_add_product_f64(vec_f64 s, vec_f64 x, vec_f64 w)
{
    return _mm256_add_pd(s, _mm256_mul_pd(x, w));
}

static VEC_INLINE vec_f64 vec_add_sqdiff_f64(vec_f64 s, vec_f64 x, vec_f64 w)
{
    vec_f64 d = _mm256_sub_pd(x, w);
    return _mm256_add_pd(s, _mm256_mul_pd(d, d));
}

static VEC_INLINE vec_f64 vec_add_square_f64(vec_f64 s, vec_f64 x)
{
    return _mm256_add_pd(s, _mm256_mul_pd(x, x));
}

static VEC_INLINE vec_f64 vec_add_abs_f64(vec_f64 s, vec_f64 x)
{
    return _mm256_add_pd(s, vec_abs_f64(x));
}

/* AVX2 has no maximum of 64-bit integers: compare, then choose. */
static VEC_INLINE vec_f64 vec_max_abs_f64(vec_f64 s, vec_f64 x)
{
    vec_f64 a = vec_abs_f64(x);
    __m256i more = _mm256_cmpgt_epi64(_mm256_castpd_si256(a), _mm256_castpd_si256(s));
    return _mm256_blendv_pd(s, a, _mm256_castsi256_pd(more));
}

static VEC_INLINE double vec_sum_f64(vec_f64 s)
{
    __m128d b = _mm_add_pd(_mm256_castpd256_pd128(s), _mm256_extractf128_pd(s, 1));
    return _mm_cvtsd_f64(_mm_add_sd(b, _mm_unpackhi_pd(b, b)));
}

#define ROW  float
#define NUM  float
#define TYPE f32
#define OPS  f32
#define VEC_SAME_TYPE
#include "vec/vec_dense.h"

#define ROW  double
#define NUM  double
#define TYPE f64
#define OPS  f64
#define VEC_SAME_TYPE
#include "vec/vec_dense.h"

#define ROW  float
#define NUM  double
#define TYPE f32f64
#define OPS  f64
#include "vec/vec_dense.h"

/* Sparse rows: eight places a turn, their eight running sums in one register of floats or two of
 * doubles. Scattered numbers are fetched by single loads. In a short last block the places past
 * the end read as 0, so w[0] is fetched for them (it exists) and then cleared: it may be a NaN. */

static VEC_INLINE __m128 vec_pick4_f32(const float *w, const uint32_t *idx)
{
    __m128 a = _mm_load_ss(w + idx[0]);
    a = _mm_insert_ps(a, _mm_load_ss(w + idx[1]), 0x10);
    a = _mm_insert_ps(a, _mm_load_ss(w + idx[2]), 0x20);
    return _mm_insert_ps(a, _mm_load_ss(w + idx[3]), 0x30);
}

static VEC_INLINE vec_f32 vec_pick8_f32(const float *w, const uint32_t *idx)
{
    __m128 low = vec_pick4_f32(w, idx), high = vec_pick4_f32(w, idx + 4);
    return _mm256_insertf128_ps(_mm256_castps128_ps256(low), high, 1);
}

static VEC_INLINE vec_f64 vec_pick4_f64(const double *w, const uint32_t *idx)
{
    __m128d low = _mm_loadh_pd(_mm_load_sd(w + idx[0]), w + idx[1]);
    __m128d high = _mm_loadh_pd(_mm_load_sd(w + idx[2]), w + idx[3]);
    return _mm256_insertf128_pd(_mm256_castpd128_pd256(low), high, 1);
}

/* The last places of a row, count of them, and zeros up to eight. */
static VEC_INLINE void vec_last8(uint32_t last[8], const uint32_t *idx, size_t count)
{
    __m256i places = _mm256_maskload_epi32((const int *)idx, vec_mask8(count));
    _mm256_storeu_si256((__m256i *)last, places);
}

float hsp__vec_avx2_sparse_dot_f32(const uint32_t *idx, const float *v, size_t nnz, const float *w)
{
    vec_f32 s = vec_set1_f32(0);
    for (; nnz >= 8; nnz -= 8, idx += 8, v += 8)
        s = vec_add_product_f32(s, vec_load_f32(v), vec_pick8_f32(w, idx));
    if (nnz > 0) {
        uint32_t last[8];
        vec_last8(last, idx, nnz);
        vec_f32 on = _mm256_castsi256_ps(vec_mask8(nnz));
        vec_f32 picked = _mm256_and_ps(on, vec_pick8_f32(w, last));
        s = vec_add_product_f32(s, vec_head_f32(v, nnz), picked);
    }
    return vec_sum_f32(s);
}

float hsp__vec_avx2_ones_dot_f32(const uint32_t *idx, size_t nnz, const float *w)
{
    vec_f32 s = vec_set1_f32(0);
    for (; nnz >= 8; nnz -= 8, idx += 8)
        s = vec_add_f32(s, vec_pick8_f32(w, idx));
    if (nnz > 0) {
        uint32_t last[8];
        vec_last8(last, idx, nnz);
        vec_f32 on = _mm256_castsi256_ps(vec_mask8(nnz));
        s = vec_add_f32(s, _mm256_and_ps(on, vec_pick8_f32(w, last)));
    }
    return vec_sum_f32(s);
}

/* The doubles at the last places of a row, count of them, and zeros up to eight. */
static VEC_INLINE void vec_picklast_f64(vec_f64 picked[2], const double *w, const uint32_t *idx,
                                        size_t count)
{
    uint32_t last[8];
    vec_last8(last, idx, count);
    __m256i on = vec_mask8(count);
    __m256i on0 = _mm256_cvtepi32_epi64(_mm256_castsi256_si128(on));
    __m256i on1 = _mm256_cvtepi32_epi64(_mm256_extracti128_si256(on, 1));
    picked[0] = _mm256_and_pd(_mm256_castsi256_pd(on0), vec_pick4_f64(w, last));
    picked[1] = _mm256_and_pd(_mm256_castsi256_pd(on1), vec_pick4_f64(w, last + 4));
}

/* A sparse row of TYPE with doubles. */
#define VEC_SPARSE_DOT(TYPE, ROW)                                                            \
    double hsp__vec_avx2_sparse_dot_##TYPE(const uint32_t *idx, const ROW *v, size_t nnz,    \
                                           const double *w)                                  \
    {                                                                                        \
        vec_f64 s0 = vec_set1_f64(0), s1 = vec_set1_f64(0);                                  \
        for (; nnz >= 8; nnz -= 8, idx += 8, v += 8) {                                       \
            s0 = vec_add_product_f64(s0, vec_load_##TYPE(v), vec_pick4_f64(w, idx));         \
            s1 = vec_add_product_f64(s1, vec_load_##TYPE(v + 4), vec_pick4_f64(w, idx + 4)); \
        }                                                                                    \
        if (nnz > 0) {                                                                       \
            vec_f64 picked[2];                                                               \
            vec_picklast_f64(picked, w, idx, nnz);                                           \
            s0 = vec_add_product_f64(s0, vec_head_##TYPE(v, nnz), picked[0]);                \
            size_t rest = nnz > 4 ? nnz - 4 : 0;                                             \
            s1 = vec_add_product_f64(s1, vec_head_##TYPE(v + 4, rest), picked[1]);           \
        }                                                                                    \
        return vec_sum_f64(vec_add_f64(s0, s1));                                             \
    }

VEC_SPARSE_DOT(f64, double)
VEC_SPARSE_DOT(f32f64, float)

double hsp__vec_avx2_ones_dot_f64(const uint32_t *idx, size_t nnz, const double *w)
{
    vec_f64 s0 = vec_set1_f64(0), s1 = vec_set1_f64(0);
    for (; nnz >= 8; nnz -= 8, idx += 8) {
        s0 = vec_add_f64(s0, vec_pick4_f64(w, idx));
        s1 = vec_add_f64(s1, vec_pick4_f64(w, idx + 4));
    }
    if (nnz > 0) {
        vec_f64 picked[2];
        vec_picklast_f64(picked, w, idx, nnz);
        s0 = vec_add_f64(s0, picked[0]);
        s1 = vec_add_f64(s1, picked[1]);
    }
    return vec_sum_f64(vec_add_f64(s0, s1));
}

/* Updates of scattered numbers, four at a time: the places of a row differ, so the four loads may
 * precede the four stores. One to three last places are done as three, without a branch on how
 * many: a missing one repeats the first, and as all loads precede all stores it stores the same
 * number again. (A loop over them is mispredicted once a row and took half as long again on rows of
 * uneven length.) */

static VEC_INLINE void vec_put4_f32(float *y, const uint32_t *idx, __m128 v)
{
    int lane1 = _mm_extract_ps(v, 1), lane2 = _mm_extract_ps(v, 2), lane3 = _mm_extract_ps(v, 3);
    _mm_store_ss(y + idx[0], v);
    memcpy(y + idx[1], &lane1, sizeof lane1);
    memcpy(y + idx[2], &lane2, sizeof lane2);
    memcpy(y + idx[3], &lane3, sizeof lane3);
}

static VEC_INLINE void vec_put4_f64(double *y, const uint32_t *idx, vec_f64 v)
{
    __m128d low = _mm256_castpd256_pd128(v), high = _mm256_extractf128_pd(v, 1);
    _mm_storel_pd(y + idx[0], low);
    _mm_storeh_pd(y + idx[1], low);
    _mm_storel_pd(y + idx[2], high);
    _mm_storeh_pd(y + idx[3], high);
}

/* y[place] += term(k) for the last `count` < 4 places k of a row. */
#define VEC_PUT_LAST(NUM, y, idx, count, term)                                                \
    if (count > 0) {                                                                          \
        size_t k1 = count > 1 ? 1 : 0, k2 = count > 2 ? 2 : 0;                                \
        NUM y0 = y[idx[0]] + term(0), y1 = y[idx[k1]] + term(k1), y2 = y[idx[k2]] + term(k2); \
        y[idx[0]] = y0, y[idx[k1]] = y1, y[idx[k2]] = y2;                                     \
    }

#define VEC_TERM_SPARSE_F32(k) a *v[k]
#define VEC_TERM_SPARSE_F64(k) a *(double)v[k]
#define VEC_TERM_ONES(k)       a

void hsp__vec_avx2_sparse_axpy_f32(float a, const uint32_t *restrict idx, const float *restrict v,
                                   size_t nnz, float *restrict y)
{
    __m128 va = _mm_set1_ps(a);
    for (; nnz >= 4; nnz -= 4, idx += 4, v += 4) {
        __m128 old = vec_pick4_f32(y, idx);
        vec_put4_f32(y, idx, _mm_add_ps(old, _mm_mul_ps(va, _mm_loadu_ps(v))));
    }
    VEC_PUT_LAST(float, y, idx, nnz, VEC_TERM_SPARSE_F32);
}

#define VEC_SPARSE_AXPY(TYPE, ROW)                                                               \
    void hsp__vec_avx2_sparse_axpy_##TYPE(double a, const uint32_t *restrict idx,                \
                                          const ROW *restrict v, size_t nnz, double *restrict y) \
    {                                                                                            \
        vec_f64 va = vec_set1_f64(a);                                                            \
        for (; nnz >= 4; nnz -= 4, idx += 4, v += 4) {                                           \
            vec_f64 old = vec_pick4_f64(y, idx);                                                 \
            vec_put4_f64(y, idx, vec_add_product_f64(old, va, vec_load_##TYPE(v)));              \
        }                                                                                        \
        VEC_PUT_LAST(double, y, idx, nnz, VEC_TERM_SPARSE_F64);                                  \
    }

VEC_SPARSE_AXPY(f64, double)
VEC_SPARSE_AXPY(f32f64, float)

void hsp__vec_avx2_ones_axpy_f32(float a, const uint32_t *restrict idx, size_t nnz,
                                 float *restrict y)
{
    __m128 va = _mm_set1_ps(a);
    for (; nnz >= 4; nnz -= 4, idx += 4)
        vec_put4_f32(y, idx, _mm_add_ps(vec_pick4_f32(y, idx), va));
    VEC_PUT_LAST(float, y, idx, nnz, VEC_TERM_ONES);
}

void hsp__vec_avx2_ones_axpy_f64(double a, const uint32_t *restrict idx, size_t nnz,
                                 double *restrict y)
{
    vec_f64 va = vec_set1_f64(a);
    for (; nnz >= 4; nnz -= 4, idx += 4)
        vec_put4_f64(y, idx, vec_add_f64(vec_pick4_f64(y, idx), va));
    VEC_PUT_LAST(double, y, idx, nnz, VEC_TERM_ONES);
}

/* Two sparse rows, eight places of each at once. All 64 pairs are compared; then the block whose
 * last place is smaller (or both, if equal) is done, for the other row's next places are larger
 * still. So every pair of places meets at most once, and matches come in ascending order. A short
 * last block is filled up with its own last place: what matches a copy matches the original too,
 * and the copies' lanes are dropped. */

typedef struct {
    __m256i places;
    uint32_t last; /* the largest of them */
    unsigned on;   /* bit j: lane j is a place, not a copy */
} vec_block;

static VEC_INLINE vec_block vec_block_load(const uint32_t *idx, size_t count)
{
    if (count >= 8) return (vec_block){_mm256_loadu_si256((const __m256i *)idx), idx[7], 0xff};
    __m256i on = vec_mask8(count), last = _mm256_set1_epi32((int)idx[count - 1]);
    __m256i some = _mm256_maskload_epi32((const int *)idx, on);
    return (vec_block){_mm256_blendv_epi8(last, some, on), idx[count - 1], (1u << count) - 1};
}

/* Bit j: lane j of a equals some lane of b. */
static VEC_INLINE unsigned vec_block_in(__m256i a, __m256i b)
{
    __m256i c = _mm256_permute2x128_si256(b, b, 1); /* halves swapped */
    __m256i hit = _mm256_or_si256(_mm256_cmpeq_epi32(a, b), _mm256_cmpeq_epi32(a, c));
#define VEC_TURN(order)                                                                \
    hit = _mm256_or_si256(hit, _mm256_cmpeq_epi32(a, _mm256_shuffle_epi32(b, order))); \
    hit = _mm256_or_si256(hit, _mm256_cmpeq_epi32(a, _mm256_shuffle_epi32(c, order)))
    VEC_TURN(0x39);
    VEC_TURN(0x4e);
    VEC_TURN(0x93);
    return (unsigned)_mm256_movemask_ps(_mm256_castsi256_ps(hit));
}

size_t hsp__vec_avx2_ones_ones_dot(const uint32_t *ai, size_t an, const uint32_t *bi, size_t bn)
{
    size_t shared = 0;
    for (size_t i = 0, j = 0; i < an && j < bn;) {
        vec_block a = vec_block_load(ai + i, an - i), b = vec_block_load(bi + j, bn - j);
        shared += (size_t)__builtin_popcount(vec_block_in(a.places, b.places) & a.on);
        i += a.last <= b.last ? 8 : 0;
        j += b.last <= a.last ? 8 : 0;
    }
    return shared;
}

#define VEC_SPARSE_SPARSE_DOT(TYPE, ROW)                                                        \
    double hsp__vec_avx2_sparse_sparse_dot_##TYPE(const uint32_t *ai, const ROW *av, size_t an, \
                                                  const uint32_t *bi, const ROW *bv, size_t bn) \
    {                                                                                           \
        double sum = 0;                                                                         \
        for (size_t i = 0, j = 0; i < an && j < bn;) {                                          \
            vec_block a = vec_block_load(ai + i, an - i), b = vec_block_load(bi + j, bn - j);   \
            unsigned in_a = vec_block_in(a.places, b.places) & a.on;                            \
            unsigned in_b = in_a ? vec_block_in(b.places, a.places) & b.on : 0;                 \
            for (; in_a; in_a &= in_a - 1, in_b &= in_b - 1)                                    \
                sum += (double)av[i + (size_t)__builtin_ctz(in_a)] *                            \
                       (double)bv[j + (size_t)__builtin_ctz(in_b)];                             \
            i += a.last <= b.last ? 8 : 0;                                                      \
            j += b.last <= a.last ? 8 : 0;                                                      \
        }                                                                                       \
        return sum;                                                                             \
    }

VEC_SPARSE_SPARSE_DOT(f32, float)
VEC_SPARSE_SPARSE_DOT(f64, double)

#define MANY      4
#define TILE_ROWS 4
#include "vec/vec_tile.h"

#define BLOCK_BYTES 32
#define PANEL_ROWS  4
#define PANEL_VECS  2
#include "vec/vec_block.h"
#include "vec/vec_half.h"
#include "vec/vec_solve.h"
#include "vec/vec_pair.h"
#include "vec/vec_runs.h"

/* Four rows by eight columns: the bytes of a column are widened to 16 bits, and the sums of its
 * first and of its last two products run apart. (The instruction that multiplies bytes directly
 * clips its sums.) */
static VEC_INLINE void vec_byte_sums(size_t quads, const uint8_t *const *a, const int8_t *b,
                                     __m256i out[HSP__VEC_BYTE_ROWS])
{
    __m256i sum[HSP__VEC_BYTE_ROWS][2];
    for (size_t i = 0; i < HSP__VEC_BYTE_ROWS; i++)
        sum[i][0] = sum[i][1] = _mm256_setzero_si256();
    for (size_t k = 0; k < quads; k++, b += 4 * HSP__VEC_BYTE_COLS) {
        const __m256i low = _mm256_cvtepi8_epi16(_mm_loadu_si128((const __m128i *)b));
        const __m256i high = _mm256_cvtepi8_epi16(_mm_loadu_si128((const __m128i *)(b + 16)));
        for (size_t i = 0; i < HSP__VEC_BYTE_ROWS; i++) {
            const __m128i four = _mm_cvtepu8_epi16(_mm_loadu_si32(a[i] + 4 * k));
            const __m256i row = _mm256_broadcastq_epi64(four);
            sum[i][0] = _mm256_add_epi32(sum[i][0], _mm256_madd_epi16(row, low));
            sum[i][1] = _mm256_add_epi32(sum[i][1], _mm256_madd_epi16(row, high));
        }
    }
    for (size_t i = 0; i < HSP__VEC_BYTE_ROWS; i++)
        out[i] = _mm256_permute4x64_epi64(_mm256_hadd_epi32(sum[i][0], sum[i][1]), 0xd8);
}

unsigned hsp__vec_avx2_byte_tile(size_t quads, const uint8_t *const *a, const int8_t *b,
                                 const int32_t *base, const int32_t *least, int32_t *c)
{
    unsigned hits = 0;
    for (size_t j = 0; j < HSP__VEC_BYTE_COLS; j += 8) {
        const __m256i from = _mm256_loadu_si256((const __m256i *)(base + j));
        __m256i sum[HSP__VEC_BYTE_ROWS];
        vec_byte_sums(quads, a, b + 4 * j, sum);
        for (size_t i = 0; i < HSP__VEC_BYTE_ROWS; i++) {
            const __m256i value = _mm256_add_epi32(from, _mm256_add_epi32(sum[i], sum[i]));
            const __m256i below = _mm256_cmpgt_epi32(_mm256_set1_epi32(least[i]), value);
            _mm256_storeu_si256((__m256i *)(c + i * HSP__VEC_BYTE_COLS + j), value);
            if (_mm256_movemask_epi8(below) != -1) hits |= 1u << i;
        }
    }
    return hits;
}

static const hsp__vec_table vec_avx2_table = {
    .name = "avx2",
    VEC_DENSE_ROUTINES,
    VEC_MANY_ROUTINES,
    VEC_BLOCK_ROUTINES,
    VEC_RUNS_ROUTINES,
    VEC_HALF_ROUTINES,
    VEC_SOLVE_ROUTINES,
    VEC_PAIR_ROUTINES,
    VEC_SPARSE_ROUTINES,
    .meet_counts = vec_meet_counts,
    .tile_f64 = vec_tile_f64,
    .byte_tile = hsp__vec_avx2_byte_tile,
};

const hsp__vec_table *const hsp__vec_avx2 = &vec_avx2_table;

#else

const hsp__vec_table *const hsp__vec_avx2 = NULL;

#endif
