/* AVX2: the dense routines four doubles at a time, and the sparse routines. A short
 * last block is read under a mask, which touches no memory beyond the row. */
#include "vec/vec.h"

#if defined(__x86_64__) && defined(__AVX2__)

#include <immintrin.h>
#include <string.h>

#define BLOCK_BYTES 32
#define PANEL_ROWS  4
#define PANEL_VECS  2
#define TILE_ROWS   4
#include "vec/vec_block.h"

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

static VEC_INLINE vec_f64 vec_head_f64(const double *p, size_t count)
{
    return _mm256_maskload_pd(p, _mm256_cvtepi32_epi64(vec_mask4(count)));
}

static VEC_INLINE vec_f64 vec_head_f32f64(const float *p, size_t count)
{
    return _mm256_cvtps_pd(_mm_maskload_ps(p, vec_mask4(count)));
}

static VEC_INLINE double vec_sum(vec_f64 s)
{
    __m128d b = _mm_add_pd(_mm256_castpd256_pd128(s), _mm256_extractf128_pd(s, 1));
    return _mm_cvtsd_f64(_mm_add_sd(b, _mm_unpackhi_pd(b, b)));
}

#define ROW  double
#define TYPE f64
#define VEC_SAME_TYPE
#include "vec/vec_dense.h"

#define ROW  float
#define TYPE f32f64
#include "vec/vec_dense.h"

/* Sparse rows: eight places a turn, their eight running sums in two registers. Scattered numbers are fetched by single loads. In a short last block the places past
 * the end read as 0, so w[0] is fetched for them (it exists) and then cleared: it may be a NaN. */

static VEC_INLINE vec_f64 vec_pick4_f64(const double *w, const uint32_t *idx)
{
    __m128d low = _mm_loadh_pd(_mm_load_sd(w + idx[0]), w + idx[1]);
    __m128d high = _mm_loadh_pd(_mm_load_sd(w + idx[2]), w + idx[3]);
    return _mm256_insertf128_pd(_mm256_castpd128_pd256(low), high, 1);
}

/* The doubles at the last places of a row, count of them, and zeros up to eight. */
static VEC_INLINE void vec_picklast_f64(vec_f64 picked[2], const double *w, const uint32_t *idx,
                                        size_t count)
{
    uint32_t last[8];
    __m256i on = vec_mask8(count);
    _mm256_storeu_si256((__m256i *)last, _mm256_maskload_epi32((const int *)idx, on));
    __m256i on0 = _mm256_cvtepi32_epi64(_mm256_castsi256_si128(on));
    __m256i on1 = _mm256_cvtepi32_epi64(_mm256_extracti128_si256(on, 1));
    picked[0] = _mm256_and_pd(_mm256_castsi256_pd(on0), vec_pick4_f64(w, last));
    picked[1] = _mm256_and_pd(_mm256_castsi256_pd(on1), vec_pick4_f64(w, last + 4));
}

/* A sparse row of TYPE with doubles. */
#define VEC_SPARSE_DOT(TYPE, ROW)                                                         \
    double hsp__vec_avx2_sparse_dot_##TYPE(const uint32_t *idx, const ROW *v, size_t nnz, \
                                           const double *w)                               \
    {                                                                                     \
        vec_f64 s0 = (vec_f64){0}, s1 = (vec_f64){0};                                     \
        for (; nnz >= 8; nnz -= 8, idx += 8, v += 8) {                                    \
            s0 = s0 + vec_load_##TYPE(v) * vec_pick4_f64(w, idx);                         \
            s1 = s1 + vec_load_##TYPE(v + 4) * vec_pick4_f64(w, idx + 4);                 \
        }                                                                                 \
        if (nnz > 0) {                                                                    \
            vec_f64 picked[2];                                                            \
            vec_picklast_f64(picked, w, idx, nnz);                                        \
            s0 = s0 + vec_head_##TYPE(v, nnz) * picked[0];                                \
            size_t rest = nnz > 4 ? nnz - 4 : 0;                                          \
            s1 = s1 + vec_head_##TYPE(v + 4, rest) * picked[1];                           \
        }                                                                                 \
        return vec_sum(s0 + s1);                                                          \
    }

VEC_SPARSE_DOT(f64, double)
VEC_SPARSE_DOT(f32f64, float)

double hsp__vec_avx2_ones_dot_f64(const uint32_t *idx, size_t nnz, const double *w)
{
    vec_f64 s0 = (vec_f64){0}, s1 = (vec_f64){0};
    for (; nnz >= 8; nnz -= 8, idx += 8) {
        s0 += vec_pick4_f64(w, idx);
        s1 += vec_pick4_f64(w, idx + 4);
    }
    if (nnz > 0) {
        vec_f64 picked[2];
        vec_picklast_f64(picked, w, idx, nnz);
        s0 += picked[0];
        s1 += picked[1];
    }
    return vec_sum(s0 + s1);
}

/* Updates of scattered numbers, four at a time: the places of a row differ, so the four loads may
 * precede the four stores. One to three last places are done as three, without a branch on how
 * many: a missing one repeats the first, and as all loads precede all stores it stores the same
 * number again. (A loop over them is mispredicted once a row and took half as long again on rows of
 * uneven length.) */

static VEC_INLINE void vec_put4_f64(double *y, const uint32_t *idx, vec_f64 v)
{
    __m128d low = _mm256_castpd256_pd128(v), high = _mm256_extractf128_pd(v, 1);
    _mm_storel_pd(y + idx[0], low);
    _mm_storeh_pd(y + idx[1], low);
    _mm_storel_pd(y + idx[2], high);
    _mm_storeh_pd(y + idx[3], high);
}

/* y[place] += term(k) for the last `count` < 4 places k of a row. */
#define VEC_PUT_LAST(y, idx, count, term)                                                        \
    if (count > 0) {                                                                             \
        size_t k1 = count > 1 ? 1 : 0, k2 = count > 2 ? 2 : 0;                                   \
        double y0 = y[idx[0]] + term(0), y1 = y[idx[k1]] + term(k1), y2 = y[idx[k2]] + term(k2); \
        y[idx[0]] = y0, y[idx[k1]] = y1, y[idx[k2]] = y2;                                        \
    }

#define VEC_TERM_SPARSE(k) a *(double)v[k]
#define VEC_TERM_ONES(k)   a

#define VEC_SPARSE_AXPY(TYPE, ROW)                                                               \
    void hsp__vec_avx2_sparse_axpy_##TYPE(double a, const uint32_t *restrict idx,                \
                                          const ROW *restrict v, size_t nnz, double *restrict y) \
    {                                                                                            \
        for (; nnz >= 4; nnz -= 4, idx += 4, v += 4) {                                           \
            vec_f64 old = vec_pick4_f64(y, idx);                                                 \
            vec_put4_f64(y, idx, old + a * vec_load_##TYPE(v));                                  \
        }                                                                                        \
        VEC_PUT_LAST(y, idx, nnz, VEC_TERM_SPARSE);                                              \
    }

VEC_SPARSE_AXPY(f64, double)
VEC_SPARSE_AXPY(f32f64, float)

void hsp__vec_avx2_ones_axpy_f64(double a, const uint32_t *restrict idx, size_t nnz,
                                 double *restrict y)
{
    for (; nnz >= 4; nnz -= 4, idx += 4)
        vec_put4_f64(y, idx, vec_pick4_f64(y, idx) + a);
    VEC_PUT_LAST(y, idx, nnz, VEC_TERM_ONES);
}

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
                                 const int32_t *base, const int32_t *least, int32_t *c,
                                 uint16_t *reach)
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
            const unsigned word = 0xffu & ~(unsigned)_mm256_movemask_ps((__m256)below);
            uint16_t *both = &reach[i * HSP__VEC_BYTE_WORDS + j / 16];
            *both = (uint16_t)(j % 16 ? *both | word << 8 : word);
            if (word) hits |= 1u << i;
        }
    }
    return hits;
}

void hsp__vec_avx2_byte_dots(size_t bytes, const uint8_t *a, const int8_t *const *b, size_t count,
                             int32_t *out)
{
    for (size_t j = 0; j < count; j++) {
        __m256i sum[2] = {_mm256_setzero_si256(), _mm256_setzero_si256()};
        for (size_t k = 0; k < bytes; k += 32)
            for (size_t h = 0; h < 2; h++) {
                const __m128i x = _mm_loadu_si128((const __m128i *)(a + k + 16 * h));
                const __m128i y = _mm_loadu_si128((const __m128i *)(b[j] + k + 16 * h));
                sum[h] = _mm256_add_epi32(
                    sum[h], _mm256_madd_epi16(_mm256_cvtepu8_epi16(x), _mm256_cvtepi8_epi16(y)));
            }
        const vec_i32 all = (vec_i32)_mm256_add_epi32(sum[0], sum[1]);
        out[j] = 0;
        for (size_t l = 0; l < 8; l++)
            out[j] += all[l];
    }
}

static const hsp__vec_table vec_avx2_table = {.name = "avx2",
                                              VEC_BLOCK_ROUTINES,
                                              VEC_DENSE_ROUTINES,
                                              VEC_SPARSE_ROUTINES,
                                              .common_bits = vec_common_bits,
                                              .byte_tile = hsp__vec_avx2_byte_tile,
                                              .byte_dots = hsp__vec_avx2_byte_dots};

const hsp__vec_table *const hsp__vec_avx2 = &vec_avx2_table;

#else

const hsp__vec_table *const hsp__vec_avx2 = NULL;

#endif
