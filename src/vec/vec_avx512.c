/* AVX-512 (F, BW, DQ, VL): the dense routines eight doubles at a time. A short
 * last block is read under a mask, which touches no memory beyond the row. */
#include "vec/vec.h"

#if defined(__x86_64__) && defined(__AVX512F__) && defined(__AVX512BW__) && \
    defined(__AVX512DQ__) && defined(__AVX512VL__)

#include <immintrin.h>
#include <string.h>

#define BLOCK_BYTES 64
#define PANEL_ROWS  6
#define PANEL_VECS  4
#define TILE_ROWS   8
#include "vec/vec_block.h"

/* count < 32; a count beyond the register's width sets every bit that the mask keeps. */
static VEC_INLINE __mmask8 vec_mask8(size_t count)
{
    return (__mmask8)((1u << count) - 1);
}

static VEC_INLINE vec_f64 vec_head_f64(const double *p, size_t count)
{
    return _mm512_maskz_loadu_pd(vec_mask8(count), p);
}

static VEC_INLINE vec_f64 vec_head_f32f64(const float *p, size_t count)
{
    return _mm512_cvtps_pd(_mm256_maskz_loadu_ps(vec_mask8(count), p));
}

static VEC_INLINE double vec_sum(vec_f64 s)
{
    __m256d a = _mm256_add_pd(_mm512_castpd512_pd256(s), _mm512_extractf64x4_pd(s, 1));
    __m128d b = _mm_add_pd(_mm256_castpd256_pd128(a), _mm256_extractf128_pd(a, 1));
    return _mm_cvtsd_f64(_mm_add_sd(b, _mm_unpackhi_pd(b, b)));
}

#define ROW  double
#define TYPE f64
#define VEC_SAME_TYPE
#include "vec/vec_dense.h"

#define ROW  float
#define TYPE f32f64
#include "vec/vec_dense.h"

#define VEC_BYTE_VECS (HSP__VEC_BYTE_COLS / 16)
#define VEC_BYTE_EACH(i, v)                         \
    VEC_UNROLL                                      \
    for (size_t i = 0; i < HSP__VEC_BYTE_ROWS; i++) \
        VEC_UNROLL                                  \
    for (size_t v = 0; v < VEC_BYTE_VECS; v++)

/* With VNNI, which sums four products of bytes into a number at once, 64 bytes at a time: not every
 * processor of this table has it. Sums leave their registers only where a row has hits. */
__attribute__((target("avx512vnni"))) static unsigned vec_byte_tile_vnni(
    size_t quads, const uint8_t *const *a, const int8_t *b, const int32_t *base,
    const int32_t *least, int32_t *c, uint16_t *reach)
{
    vec_i32 sum[HSP__VEC_BYTE_ROWS][VEC_BYTE_VECS];
    const uint8_t *row[HSP__VEC_BYTE_ROWS];
    unsigned hits = 0;
    VEC_UNROLL
    for (size_t i = 0; i < HSP__VEC_BYTE_ROWS; i++)
        row[i] = a[i];
    VEC_BYTE_EACH(i, v) sum[i][v] = (vec_i32){0};
    for (size_t k = 0; k < quads; k++, b += 4 * HSP__VEC_BYTE_COLS) {
        __m512i column[VEC_BYTE_VECS];
        VEC_UNROLL
        for (size_t v = 0; v < VEC_BYTE_VECS; v++)
            column[v] = _mm512_loadu_si512(b + 64 * v);
        VEC_UNROLL
        for (size_t i = 0; i < HSP__VEC_BYTE_ROWS; i++) {
            int32_t four;
            memcpy(&four, row[i] + 4 * k, sizeof four);
            const __m512i spread = _mm512_set1_epi32(four);
            VEC_UNROLL
            for (size_t v = 0; v < VEC_BYTE_VECS; v++)
                sum[i][v] = (vec_i32)_mm512_dpbusd_epi32((__m512i)sum[i][v], spread, column[v]);
        }
    }
    VEC_UNROLL
    for (size_t i = 0; i < HSP__VEC_BYTE_ROWS; i++) {
        const __m512i enough = _mm512_set1_epi32(least[i]);
        __mmask16 word[VEC_BYTE_VECS], hit = 0;
        VEC_UNROLL
        for (size_t v = 0; v < VEC_BYTE_VECS; v++) {
            sum[i][v] = (vec_i32)_mm512_loadu_si512(base + 16 * v) + sum[i][v] + sum[i][v];
            word[v] = _mm512_cmpge_epi32_mask((__m512i)sum[i][v], enough);
            hit |= word[v];
        }
        if (!hit) continue;
        hits |= 1u << i;
        VEC_UNROLL
        for (size_t v = 0; v < VEC_BYTE_VECS; v++) {
            _mm512_storeu_si512(c + i * HSP__VEC_BYTE_COLS + 16 * v, (__m512i)sum[i][v]);
            reach[i * HSP__VEC_BYTE_WORDS + v] = word[v];
        }
    }
    return hits;
}

static unsigned vec_byte_tile(size_t quads, const uint8_t *const *a, const int8_t *b,
                              const int32_t *base, const int32_t *least, int32_t *c,
                              uint16_t *reach)
{
    return __builtin_cpu_supports("avx512vnni")
               ? vec_byte_tile_vnni(quads, a, b, base, least, c, reach)
               : hsp__vec_avx2_byte_tile(quads, a, b, base, least, c, reach);
}

/* Two registers of sums as one: lane by lane, pairs of a next to pairs of b. */
static VEC_INLINE __m512i vec_byte_pairs(__m512i a, __m512i b)
{
    return _mm512_add_epi32(_mm512_unpacklo_epi32(a, b), _mm512_unpackhi_epi32(a, b));
}

static VEC_INLINE __m128i vec_byte_fours(__m512i a, __m512i b)
{
    const __m512i both = _mm512_add_epi32(_mm512_unpacklo_epi64(a, b), _mm512_unpackhi_epi64(a, b));
    const __m256i half =
        _mm256_add_epi32(_mm512_castsi512_si256(both), _mm512_extracti64x4_epi64(both, 1));
    return _mm_add_epi32(_mm256_castsi256_si128(half), _mm256_extracti128_si256(half, 1));
}

/* Four rows at a time; where fewer are left, the last one again. */
__attribute__((target("avx512vnni"))) static void vec_byte_dots_vnni(size_t bytes, const uint8_t *a,
                                                                     const int8_t *const *b,
                                                                     size_t count, int32_t *out)
{
    enum { SOME = 4 };
    for (size_t j = 0; j < count; j += SOME) {
        const int8_t *row[SOME];
        __m512i sum[SOME];
        VEC_UNROLL
        for (size_t i = 0; i < SOME; i++) {
            row[i] = b[j + i < count ? j + i : count - 1];
            sum[i] = _mm512_setzero_si512();
        }
        for (size_t k = 0; k < bytes; k += 64) {
            const __m512i x = _mm512_loadu_si512(a + k);
            VEC_UNROLL
            for (size_t i = 0; i < SOME; i++)
                sum[i] = _mm512_dpbusd_epi32(sum[i], x, _mm512_loadu_si512(row[i] + k));
        }
        int32_t four[SOME];
        _mm_storeu_si128((__m128i *)four, vec_byte_fours(vec_byte_pairs(sum[0], sum[1]),
                                                         vec_byte_pairs(sum[2], sum[3])));
        memcpy(out + j, four, (count - j < SOME ? count - j : SOME) * sizeof *four);
    }
}

static void vec_byte_dots(size_t bytes, const uint8_t *a, const int8_t *const *b, size_t count,
                          int32_t *out)
{
    if (__builtin_cpu_supports("avx512vnni"))
        vec_byte_dots_vnni(bytes, a, b, count, out);
    else
        hsp__vec_avx2_byte_dots(bytes, a, b, count, out);
}

/* With the instruction that counts bits, eight words at a time. */
__attribute__((target("avx512vpopcntdq"))) static void vec_common_bits_wide(
    const uint64_t *bits, size_t stride, size_t words, size_t count, uint32_t *counts)
{
    const uint64_t *own = bits + (count - 1) * stride;
    for (size_t j = 0; j < count; j++, bits += stride) {
        __m512i sum = _mm512_setzero_si512();
        for (size_t k = 0; k < words; k += 8) {
            const __m512i both =
                _mm512_and_si512(_mm512_loadu_si512(bits + k), _mm512_loadu_si512(own + k));
            sum = _mm512_add_epi64(sum, _mm512_popcnt_epi64(both));
        }
        counts[j] = (uint32_t)_mm512_reduce_add_epi64(sum);
    }
}

static void vec_common_bits_some(const uint64_t *bits, size_t stride, size_t words, size_t count,
                                 uint32_t *counts)
{
    if (__builtin_cpu_supports("avx512vpopcntdq"))
        vec_common_bits_wide(bits, stride, words, count, counts);
    else
        vec_common_bits(bits, stride, words, count, counts);
}

static const hsp__vec_table vec_avx512_table = {.name = "avx512",
                                                VEC_BLOCK_ROUTINES,
                                                VEC_DENSE_ROUTINES,
                                                VEC_SPARSE_ROUTINES,
                                                .common_bits = vec_common_bits_some,
                                                .byte_tile = vec_byte_tile,
                                                .byte_dots = vec_byte_dots};

const hsp__vec_table *const hsp__vec_avx512 = &vec_avx512_table;

#else

const hsp__vec_table *const hsp__vec_avx512 = NULL;

#endif
