/* Short decimals whose end is known, by vector instructions that every x86-64 has: all sixteen bytes
 * before the end at once, without a branch on sign, number of digits or place of the dot, which in
 * real columns are hard to predict. Nothing depends on the number before, so that the processor
 * works on several numbers at a time (measured: decision 28). The results are those of decimal.h's
 * readers.
 *
 * HSP__DECIMAL_VECTOR is defined where it exists. */
#ifndef HSP_BASE_DECIMAL_VECTOR_H
#define HSP_BASE_DECIMAL_VECTOR_H

#include "base/decimal.h"

#if defined(__SSE2__)
#define HSP__DECIMAL_VECTOR 1

#include <emmintrin.h>

#define HSP__DECIMAL_BEFORE 16 /* readable bytes that hsp__decimal_ending needs before the end */

/* [k], k in 0 to 16: 16 - k bytes of 0, then ones. */
static const unsigned char hsp__decimal_last[32] = {
    0,    0,    0,    0,    0,    0,    0,    0,    0,    0,    0,    0,    0,    0,    0,    0,
    0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff};

/* A mask of the last k of sixteen bytes. */
static inline __m128i hsp__decimal_last_bytes(unsigned k)
{
    return _mm_loadu_si128((const __m128i *)(const void *)(hsp__decimal_last + k));
}

static inline uint64_t hsp__decimal_stops16(const char *p)
{
    const __m128i x = _mm_loadu_si128((const __m128i *)(const void *)p);
    const __m128i blank = _mm_cmpeq_epi8(_mm_min_epu8(x, _mm_set1_epi8(' ')), x);
    return (unsigned)_mm_movemask_epi8(_mm_or_si128(_mm_cmpeq_epi8(x, _mm_set1_epi8(':')), blank));
}

/* The bytes of [p, p + 64) that are a colon, a space, or below a space (newline, tab, 0): bit i for
 * byte i. */
static inline uint64_t hsp__decimal_stops(const char *p)
{
    return hsp__decimal_stops16(p) | hsp__decimal_stops16(p + 16) << 16 |
           hsp__decimal_stops16(p + 32) << 32 | hsp__decimal_stops16(p + 48) << 48;
}

/* The number that is all of [p, end): [-] digits [. digits], 15 bytes at most without the sign, at
 * least one digit. 0: it is something else, or longer. */
static inline int hsp__decimal_ending(const char *p, const char *end, hsp__decimal_short *s)
{
    const unsigned minus = *p == '-';
    const size_t size = (size_t)(end - p) - minus;
    if (__builtin_expect(size - 1 >= 15, 0)) return 0;
    const unsigned length = (unsigned)size;
    const __m128i text = _mm_loadu_si128((const __m128i *)(const void *)(end - 16));
    const __m128i digits = _mm_sub_epi8(text, _mm_set1_epi8('0'));
    const __m128i is_digit = _mm_cmpeq_epi8(_mm_min_epu8(digits, _mm_set1_epi8(9)), digits);
    const __m128i is_dot = _mm_cmpeq_epi8(text, _mm_set1_epi8('.'));
    const unsigned ours = 0xffffu << (16 - length) & 0xffffu;
    const unsigned others = ~(unsigned)_mm_movemask_epi8(is_digit) & ours;
    const unsigned dots = (unsigned)_mm_movemask_epi8(is_dot) & ours;
    /* the place of the dot, of 1 to 15; 0: none */
    const unsigned dot = (unsigned)__builtin_ctz(dots | 0x10000) & 15;
    if (__builtin_expect(others != dots || (dots & (dots - 1)) != 0 || dots == ours, 0)) return 0;
    /* What is before the dot moves over it. */
    const __m128i number = _mm_and_si128(digits, hsp__decimal_last_bytes(length));
    const __m128i behind = hsp__decimal_last_bytes(15 - dot);
    __m128i x = _mm_or_si128(_mm_and_si128(behind, number),
                             _mm_andnot_si128(behind, _mm_slli_si128(number, 1)));
    /* Neighbours are joined: to pairs, to fours, to eights. */
    x = _mm_add_epi16(_mm_mullo_epi16(_mm_and_si128(x, _mm_set1_epi16(0xff)), _mm_set1_epi16(10)),
                      _mm_srli_epi16(x, 8));
    x = _mm_madd_epi16(x, _mm_set1_epi32(1 << 16 | 100));
    x = _mm_packs_epi32(x, x);
    x = _mm_madd_epi16(x, _mm_set1_epi32(1 << 16 | 10000));
    const uint64_t halves = (uint64_t)_mm_cvtsi128_si64(x);
    s->w = (halves & UINT32_MAX) * 100000000 + (halves >> 32);
    s->scale = dot ? 15 - dot : 0;
    s->negative = minus;
    return 1;
}

#endif
#endif
