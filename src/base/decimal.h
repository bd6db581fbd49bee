/* Decimal text to and from binary floating point.
 *
 * Reading is correctly rounded (to nearest, ties to even), straight to the type asked for: float32
 * never passes through a rounded float64. Printing gives the shortest decimal that reads back as
 * the same number, the closest one among these. Neither looks at the locale, allocates or touches
 * errno. Both expect the default rounding mode.
 *
 * A number is  [+-] digits [. digits] [(e|E) [+-] digits]  with at least one digit.
 * It ends at the first byte that does not continue it, as for strtod: "1e" reads as 1 and leaves
 * "e", "0x10" reads as 0 and leaves "x10". What may follow a number is the caller's business.
 *
 * Reading comes in two contracts with the same results:
 *
 *   hsp__decimal_f32(p, end, ...)         touches only [p, end)
 *   hsp__decimal_f32_padded(p, end, ...)  touches up to HSP__DECIMAL_PADDING bytes from end on;
 * they must be readable, and their content does not matter
 *
 * The padded ones are inline and made for inner loops. */
#ifndef HSP_BASE_DECIMAL_H
#define HSP_BASE_DECIMAL_H

#include <float.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#define HSP__DECIMAL_PADDING 64 /* readable bytes that the padded readers need from end on */
#define HSP__DECIMAL_MAX     32 /* bytes that any of the printers may write, final NUL included */

typedef enum hsp__decimal_result {
    HSP__DECIMAL_OK,
    HSP__DECIMAL_NONE,     /* no number here */
    HSP__DECIMAL_NAN,      /* the word nan, any case, perhaps signed */
    HSP__DECIMAL_INF,      /* the word inf or infinity, any case, perhaps signed */
    HSP__DECIMAL_OVERFLOW, /* a number that rounds to infinity, or an integer past 64 bits */
    /* Of the padded and the _told readers alone; for the others these are OK: */
    HSP__DECIMAL_TINY,   /* a number that is not 0 and rounds to it */
    HSP__DECIMAL_LOSSY,  /* a number that no float holds as it holds others: whole, beyond 2^24 and
                            not among the floats; or below their normal range; or above it (and
                            then OVERFLOW of the f32 readers) */
    HSP__DECIMAL_ROUNDED /* the same, and a whole number that a double changes: it would be
                            printed with other digits */
} hsp__decimal_result;

/* Read one number at p. Returns the end of what was recognised: of the number (OK, OVERFLOW), of
 * the word (NAN, INF), or p itself (NONE). *out gets the number; NaN for NAN, a signed infinity for
 * INF and OVERFLOW, 0 for NONE. A number too small for the type is rounded to a denormal or to a
 * signed zero, and is OK. */
const char *hsp__decimal_f32(const char *p, const char *end, float *out, hsp__decimal_result *r);
const char *hsp__decimal_f64(const char *p, const char *end, double *out, hsp__decimal_result *r);

/* Is all of the text one finite number? *out gets it; NULL is none. */
int hsp__decimal_text(const char *text, double *out);

/* How many significant digits the decimals read so far have at most, leading and trailing zeros not
 * counted: 10^digits - 1, so that nearly every number is settled by one comparison. Start with
 * HSP__DECIMAL_SHORT: up to 6 digits are not told apart, because decimals of 6 digits or fewer
 * never meet in a float (FLT_DIG), nor does one of them meet a whole number up to 2^24, which is
 * not counted either. HSP__DECIMAL_LONG: 20 digits or more, or a number below the normal range of
 * the type, where fewer digits survive. */
typedef uint64_t hsp__decimal_widest;
#define HSP__DECIMAL_SHORT UINT64_C(999999)
#define HSP__DECIMAL_LONG  UINT64_MAX

/* The same as a number of digits: 6 to 19, or 20 for HSP__DECIMAL_LONG. */
int hsp__decimal_widest_digits(hsp__decimal_widest widest);

/* Note the number w / 10^scale, w > *widest. */
void hsp__decimal_widen(uint64_t w, unsigned scale, hsp__decimal_widest *widest);

/* The same as hsp__decimal_f32 and _f64 with the last three results, for the readers of data; and
 * `widest` is kept. */
const char *hsp__decimal_f32_told(const char *p, const char *end, float *out,
                                  hsp__decimal_widest *widest, hsp__decimal_result *r);
const char *hsp__decimal_f64_told(const char *p, const char *end, double *out,
                                  hsp__decimal_widest *widest, hsp__decimal_result *r);

/* Read the decimal digits at p (no sign) as an unsigned integer. OK, NONE or OVERFLOW; on OVERFLOW
 * *out is UINT64_MAX and all the digits are passed over. */
const char *hsp__decimal_u64(const char *p, const char *end, uint64_t *out, hsp__decimal_result *r);

/* A whole number, exactly, in any decimal notation, which [p, end) is: 1000000, 1e6, 2.5e3. 0: it is
 * none, or does not fit. */
int hsp__decimal_whole(const char *p, const char *end, int64_t *out);

/* Print v at buf, which has room for HSP__DECIMAL_MAX bytes, with a final NUL. Returns the length
 * without the NUL. Plain ("-12", "0.0234") from 1e-4 to below 1e16 in absolute value, with an
 * exponent ("1e-7", "1.5e20") outside; "-0", "inf", "-inf" and "nan" for what is not a plain
 * number. */
size_t hsp__decimal_print_f32(float v, char *buf);
size_t hsp__decimal_print_f64(double v, char *buf);
size_t hsp__decimal_print_u64(uint64_t v, char *buf);
size_t hsp__decimal_print_i64(int64_t v, char *buf);

/* ---- The inline readers ----------------------------------------------------------------------
 *
 * They take the short numbers that nearly all data consists of and hand everything else, from its
 * first byte on, to the strict readers above. Eight digits are converted at a time inside one
 * 64-bit word; a run of fewer than eight costs the same and has no branch on its length, because
 * real columns mix lengths and a mispredicted branch costs more than the arithmetic. */

_Static_assert(FLT_EVAL_METHOD == 0, "double and float arithmetic must round to their own type");

/* 10^0 to 10^22, the powers that are exact in a double. */
static const double hsp__decimal_tens[23] = {1e0,  1e1,  1e2,  1e3,  1e4,  1e5,  1e6,  1e7,
                                             1e8,  1e9,  1e10, 1e11, 1e12, 1e13, 1e14, 1e15,
                                             1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22};

/* The doubles nearest to 10^-0 to 10^-19. */
static const double hsp__decimal_tenths[20] = {1e-0,  1e-1,  1e-2,  1e-3,  1e-4,  1e-5,  1e-6,
                                               1e-7,  1e-8,  1e-9,  1e-10, 1e-11, 1e-12, 1e-13,
                                               1e-14, 1e-15, 1e-16, 1e-17, 1e-18, 1e-19};

static const uint32_t hsp__decimal_tens_u32[9] = {1,      10,      100,      1000,     10000,
                                                  100000, 1000000, 10000000, 100000000};

/* Eight bytes, the first one lowest, each xor '0': a digit becomes its value. */
static inline uint64_t hsp__decimal_load8(const char *p)
{
    uint64_t x;
    memcpy(&x, p, sizeof x);
#if __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
    x = __builtin_bswap64(x);
#endif
    return x ^ UINT64_C(0x3030303030303030);
}

/* The bytes of x (from load8) that are no digits, as their top bits; right up to and including the
 * first of them. Adding 0x76 raises the top bit of every byte above 9, and a carry out of a byte
 * only disturbs bytes after a non-digit. */
static inline uint64_t hsp__decimal_others(uint64_t x)
{
    return ((x + UINT64_C(0x7676767676767676)) | x) & UINT64_C(0x8080808080808080);
}

/* The number of digits before the first of others, which is not 0: 0 to 7. */
static inline unsigned hsp__decimal_run(uint64_t others)
{
    return (unsigned)__builtin_ctzll(others) >> 3;
}

/* The value of eight digits. Neighbours are joined into pairs, then two multiplications sum
 * 10^6 a + 10^4 b + 100 c + d in the upper half of the word. */
static inline uint32_t hsp__decimal_join8(uint64_t x)
{
    const uint64_t mask = UINT64_C(0x000000ff000000ff);
    x = x * 10 + (x >> 8);
    return (uint32_t)(((x & mask) * (UINT64_C(1000000) << 32 | 100) +
                       (x >> 16 & mask) * (UINT64_C(10000) << 32 | 1)) >>
                      32);
}

/* The value of the first n digits of x, n in 0 to 7: they move to the end, zeros come before. */
static inline uint32_t hsp__decimal_join(uint64_t x, unsigned n)
{
    return hsp__decimal_join8(x << 8 << (56 - 8 * n));
}

/* A number without exponent: (-1)^negative w / 10^scale, w < 2^63, scale <= 19. */
typedef struct hsp__decimal_short {
    uint64_t w;
    unsigned scale;
    bool negative;
} hsp__decimal_short;

#define HSP__DECIMAL_EXACT (UINT64_C(1) << 53) /* up to here a double holds every integer */

/* Read a short number at p: at most 7 digits before the dot and 15 after, or one and 19. Returns
 * its end, or NULL if there is something else, or if it seems to run past end. Touches at most 34
 * bytes from p.
 *
 * The sign and a single digit before the dot are branches on purpose: predicted well, as in most
 * files, they let the processor start on what follows before this number is through. */
static inline const char *hsp__decimal_scan_short(const char *p, const char *end,
                                                  hsp__decimal_short *s)
{
    s->negative = false;
    if (*p == '-' || *p == '+') s->negative = *p++ == '-';

    uint64_t x, others, w = (unsigned char)(*p - '0');
    unsigned whole = 1, scale = 0;
    if (w > 9 || (unsigned char)(p[1] - '0') <= 9) {
        others = hsp__decimal_others(x = hsp__decimal_load8(p));
        if (others == 0) return NULL;
        whole = hsp__decimal_run(others);
        w = hsp__decimal_join(x, whole);
        p += whole;
    } else {
        p++;
    }

    if (*p == '.') {
        others = hsp__decimal_others(x = hsp__decimal_load8(++p));
        if (others == 0) {
            if (w >= 1000) return NULL; /* 3 + 15 digits always fit 64 bits */
            const unsigned spare = w == 0 ? 3 : w < 10 ? 2 : 0; /* digits beyond 16 that fit too */
            w = w * 100000000 + hsp__decimal_join8(x);
            others = hsp__decimal_others(x = hsp__decimal_load8(p += scale = 8));
            if (others == 0) {
                w = w * 100000000 + hsp__decimal_join8(x);
                others = hsp__decimal_others(x = hsp__decimal_load8(p += 8));
                scale = 16;
                if (others == 0 || hsp__decimal_run(others) > spare) return NULL;
            }
        }
        unsigned n = hsp__decimal_run(others);
        w = w * hsp__decimal_tens_u32[n] + hsp__decimal_join(x, n);
        p += n;
        scale += n;
    }
    if (whole + scale == 0 || (*p | 0x20) == 'e' || p > end || w > INT64_MAX) return NULL;
    s->w = w;
    s->scale = scale;
    return p;
}

/* w and 10^scale are exact in a double, so their quotient is rounded once: that is the answer. */
static inline const char *hsp__decimal_f64_padded(const char *p, const char *end, double *out,
                                                  hsp__decimal_widest *widest,
                                                  hsp__decimal_result *r)
{
    hsp__decimal_short s;
    const char *q = hsp__decimal_scan_short(p, end, &s);
    if (__builtin_expect(q == NULL || s.w > HSP__DECIMAL_EXACT, 0))
        return hsp__decimal_f64_told(p, end, out, widest, r);
    if (__builtin_expect(s.w > HSP__DECIMAL_SHORT, 0) && s.w > *widest)
        hsp__decimal_widen(s.w, s.scale, widest);
    double v = (double)(int64_t)s.w / hsp__decimal_tens[s.scale];
    *out = s.negative ? -v : v;
    *r = HSP__DECIMAL_OK;
    return q;
}

/* The same as a float. A double near the number rounds on to the right float unless it fell near a
 * midpoint of two floats, which hides on what side of it the decimal is (0: that is so). Near: w was
 * rounded if it has more than 53 bits, the power of ten was, and so is the product (which takes a third
 * of a quotient's time), so that the double is within three units of its last place of the decimal;
 * four are allowed for. A short number is never a denormal float; a large one may be LOSSY (0). */
static inline int hsp__decimal_short_f32(const hsp__decimal_short *s, float *out,
                                         hsp__decimal_widest *widest)
{
    if (__builtin_expect(s->w > HSP__DECIMAL_SHORT, 0) && s->w > *widest)
        hsp__decimal_widen(s->w, s->scale, widest);
    const double v = (double)(int64_t)s->w * hsp__decimal_tenths[s->scale];
    uint64_t bits;
    memcpy(&bits, &v, sizeof bits);
    if (__builtin_expect((bits & 0x1fffffff) - 0x0ffffffc <= 8 || v > 0x1p24, 0)) return 0;
    bits |= (uint64_t)s->negative << 63;
    double signed_v;
    memcpy(&signed_v, &bits, sizeof signed_v);
    *out = (float)signed_v;
    return 1;
}

static inline const char *hsp__decimal_f32_padded(const char *p, const char *end, float *out,
                                                  hsp__decimal_widest *widest,
                                                  hsp__decimal_result *r)
{
    hsp__decimal_short s;
    const char *q = hsp__decimal_scan_short(p, end, &s);
    if (__builtin_expect(q == NULL || !hsp__decimal_short_f32(&s, out, widest), 0))
        return hsp__decimal_f32_told(p, end, out, widest, r);
    *r = HSP__DECIMAL_OK;
    return q;
}

/* A float in a double; the double itself where the float would be LOSSY, ROUNDED or TINY, or does
 * not exist. */
static inline const char *hsp__decimal_mixed_padded(const char *p, const char *end, double *out,
                                                    hsp__decimal_widest *widest,
                                                    hsp__decimal_result *r)
{
    float single;
    const char *q = hsp__decimal_f32_padded(p, end, &single, widest, r);
    *out = (double)single;
    return *r == HSP__DECIMAL_OK ? q : hsp__decimal_f64_told(p, end, out, widest, r);
}

static inline const char *hsp__decimal_u64_padded(const char *p, const char *end, uint64_t *out,
                                                  hsp__decimal_result *r)
{
    uint64_t x = hsp__decimal_load8(p), others = hsp__decimal_others(x);
    if (__builtin_expect(others == 0, 0)) return hsp__decimal_u64(p, end, out, r);
    unsigned n = hsp__decimal_run(others);
    if (__builtin_expect(n == 0 || end - p < (ptrdiff_t)n, 0))
        return hsp__decimal_u64(p, end, out, r);
    *out = hsp__decimal_join(x, n);
    *r = HSP__DECIMAL_OK;
    return p + n;
}

#endif
