/* Decimal text to and from binary floating point; see decimal.h for what is promised.
 *
 * Reading finds w and q such that the number lies in [w, w + 1) 10^q, w being its first 19 digits
 * and the interval a point unless there are more of them. Then, cheapest first:
 *
 *   1. w <= 2^53 and |q| <= 22: one floating-point operation on two exact doubles (Clinger 1990).
 *   2. w times the first 128 bits of 10^q brackets the number so tightly that both ends of the
 *      bracket nearly always round to the same float (after Eisel and Lemire, Lemire 2021).
 *   3. If they do not, they round to neighbours: all the digits are compared with the midpoint of
 *      the two as big integers. At most 800 digits matter, so this has a fixed size.
 *
 * Printing is Schubfach (Giulietti 2020) on the same table of powers.
 *
 * A positive finite float is held as its ordinal, the bits it is stored as: ordinals count the
 * floats upwards from zero, through the denormals, and the one after the largest is infinity. So
 * carries, denormals and overflow need no cases of their own. */
#include "base/decimal.h"

#include <assert.h>
#include <math.h>

#include "halfspace_all.h"
#include "generated/decimal_powers.h" /* by tools/decimal_powers.c */

__extension__ typedef unsigned __int128 decimal_u128;

#define DECIMAL_W_DIGITS     19  /* digits that always fit 64 bits */
#define DECIMAL_EXACT_DIGITS 800 /* more than the 767 a midpoint of two doubles can have */

/* A binary format: floats are m 2^e with 0 <= m < 2^(stored + 1), e >= lowest. */
typedef struct decimal_format {
    int stored; /* bits of the stored mantissa */
    int lowest; /* exponent of the smallest positive float, a power of two */
    uint64_t infinity;
} decimal_format;

static const decimal_format decimal_binary32 = {23, -149, UINT64_C(0xff) << 23};
static const decimal_format decimal_binary64 = {52, -1074, UINT64_C(0x7ff) << 52};

/* ---- Scanning ---------------------------------------------------------------------------------*/

/* A number as found in the text; its digits are [first, last), with a dot perhaps among them. */
typedef struct decimal_scan {
    const char *first, *last;
    const char *dot;  /* the dot, or last */
    int64_t exponent; /* as written behind the e; digits past DECIMAL_EXPONENT_ENOUGH are dropped */
    uint64_t w;       /* first 19 significant digits */
    int64_t q;        /* the number is in [w, w + 1) 10^q */
    bool negative;
    bool cut; /* there are more than 19 significant digits */
} decimal_scan;

/* Far above any number of digits in memory, so that 0.(zeros)1e(many) still adds up. */
#define DECIMAL_EXPONENT_ENOUGH INT64_C(100000000000000000)

static inline bool decimal_is_digit(char c)
{
    return (unsigned char)(c - '0') <= 9;
}

/* Append the digits at p to *w, modulo 2^64; returns their end. */
static inline const char *decimal_digits(const char *p, const char *end, uint64_t *w)
{
    uint64_t v = *w;
    while (end - p >= 8) {
        uint64_t x = hsp__decimal_load8(p), others = hsp__decimal_others(x);
        if (others) {
            unsigned n = hsp__decimal_run(others);
            *w = v * hsp__decimal_tens_u32[n] + hsp__decimal_join(x, n);
            return p + n;
        }
        v = v * 100000000 + hsp__decimal_join8(x);
        p += 8;
    }
    for (; p < end && decimal_is_digit(*p); p++)
        v = v * 10 + (uint64_t)(*p - '0');
    *w = v;
    return p;
}

/* The exponent part at p, if a complete one is there; returns its end, or p. */
static const char *decimal_scan_exponent(const char *p, const char *end, int64_t *exponent)
{
    const char *s = p + 1;
    bool negative = s < end && *s == '-';
    if (s < end && (*s == '-' || *s == '+')) s++;
    if (s == end || !decimal_is_digit(*s)) return p;
    int64_t e = 0;
    for (; s < end && decimal_is_digit(*s); s++)
        if (e < DECIMAL_EXPONENT_ENOUGH) e = e * 10 + (*s - '0');
    *exponent = negative ? -e : e;
    return s;
}

/* The power of ten of the last digit before p, p inside the scan's digits. */
static int64_t decimal_power_before(const decimal_scan *s, const char *p)
{
    return s->exponent + (p > s->dot ? s->dot + 1 - p : s->dot - p);
}

/* The first digit that is not 0, or last. */
static const char *decimal_first_nonzero(const decimal_scan *s)
{
    const char *p = s->first;
    while (p < s->last && (*p == '0' || *p == '.'))
        p++;
    return p;
}

/* More than 19 digits were seen and w overflowed, unless enough of them are leading zeros. */
static void decimal_cut(decimal_scan *s)
{
    const char *p = decimal_first_nonzero(s);
    uint64_t w = 0;
    int n = 0;
    for (; p < s->last && n < DECIMAL_W_DIGITS; p++) {
        if (*p == '.') continue;
        w = w * 10 + (uint64_t)(*p - '0');
        n++;
    }
    s->w = w;
    s->q = decimal_power_before(s, p);
    s->cut = p < s->last;
}

/* Find the number at p; returns its end, or p if there is none. */
static inline const char *decimal_scan_number(const char *p, const char *end, decimal_scan *s)
{
    const char *start = p;
    s->negative = p < end && *p == '-';
    if (p < end && (*p == '-' || *p == '+')) p++;

    s->first = p;
    s->w = 0;
    p = s->dot = decimal_digits(p, end, &s->w);
    ptrdiff_t digits = p - s->first, scale = 0;
    if (p < end && *p == '.') {
        p = decimal_digits(p + 1, end, &s->w);
        scale = p - s->dot - 1;
        digits += scale;
    }
    if (digits == 0) return start;
    s->last = p;
    s->exponent = 0;
    if (p < end && (*p | 0x20) == 'e') p = decimal_scan_exponent(p, end, &s->exponent);
    s->q = s->exponent - scale;
    s->cut = false;
    if (digits > DECIMAL_W_DIGITS) decimal_cut(s);
    return p;
}

/* The end of word (lower case) at p in any case, not followed by another letter, digit or
 * underscore; NULL if it is not there. "information" is not an infinity. */
static const char *decimal_word(const char *p, const char *end, const char *word)
{
    for (; *word; word++, p++)
        if (p == end || (*p | 0x20) != *word) return NULL;
    if (p < end) {
        char c = (char)(*p | 0x20);
        if (decimal_is_digit(*p) || (c >= 'a' && c <= 'z') || *p == '_') return NULL;
    }
    return p;
}

/* Why no number starts at p; returns the end of the word, or p. */
static const char *decimal_explain(const char *p, const char *end, bool *negative,
                                   hsp__decimal_result *r)
{
    const char *s = p, *after;
    *negative = s < end && *s == '-';
    if (s < end && (*s == '-' || *s == '+')) s++;
    *r = HSP__DECIMAL_NAN;
    if ((after = decimal_word(s, end, "nan"))) return after;
    *r = HSP__DECIMAL_INF;
    if ((after = decimal_word(s, end, "inf")) || (after = decimal_word(s, end, "infinity")))
        return after;
    *r = HSP__DECIMAL_NONE;
    return p;
}

/* ---- Big integers, as far as comparing with a midpoint needs them
 * ------------------------------*/

/* Both sides of the comparison are nearly equal and stay below 2800 bits: 801 digits of D, or a
 * midpoint above 2^-1076 scaled by 10^1125, shared factors of two removed. */
#define DECIMAL_BIG_WORDS 64

typedef struct decimal_big {
    int n; /* words in use, the last one not zero */
    uint64_t word[DECIMAL_BIG_WORDS];
} decimal_big;

/* a = a * factor + plus */
static void decimal_big_scale(decimal_big *a, uint64_t factor, uint64_t plus)
{
    uint64_t carry = plus;
    for (int i = 0; i < a->n; i++) {
        decimal_u128 t = (decimal_u128)a->word[i] * factor + carry;
        a->word[i] = (uint64_t)t;
        carry = (uint64_t)(t >> 64);
    }
    if (carry == 0) return;
    assert(a->n < DECIMAL_BIG_WORDS);
    a->word[a->n++] = carry;
}

static void decimal_big_times_power_of_5(decimal_big *a, int64_t n)
{
    const uint64_t five27 = UINT64_C(7450580596923828125);
    for (; n >= 27; n -= 27)
        decimal_big_scale(a, five27, 0);
    for (; n > 0; n--)
        decimal_big_scale(a, 5, 0);
}

static void decimal_big_times_power_of_2(decimal_big *a, int64_t n)
{
    decimal_big_scale(a, UINT64_C(1) << n % 64, 0);
    int words = (int)(n / 64);
    if (words == 0 || a->n == 0) return;
    assert(a->n + words <= DECIMAL_BIG_WORDS);
    memmove(a->word + words, a->word, (size_t)a->n * sizeof a->word[0]);
    memset(a->word, 0, (size_t)words * sizeof a->word[0]);
    a->n += words;
}

/* All digits of the number as D, *power such that it equals D 10^*power. Past the digits that can
 * matter, a single 1 stands for "and something more". */
static void decimal_big_digits(const decimal_scan *s, decimal_big *d, int64_t *power)
{
    const char *p = decimal_first_nonzero(s);
    d->n = 0;
    for (int n = 0; p < s->last && n < DECIMAL_EXACT_DIGITS; p++) {
        if (*p == '.') continue;
        decimal_big_scale(d, 10, (uint64_t)(*p - '0'));
        n++;
    }
    *power = decimal_power_before(s, p);
    while (p < s->last && (*p == '0' || *p == '.'))
        p++;
    if (p < s->last) {
        decimal_big_scale(d, 10, 1);
        --*power;
    }
}

/* Compare the number with the midpoint between the float of ordinal low and the next one:
 * D 10^power against (2m + 1) 2^(e - 1). */
static int decimal_compare_midpoint(const decimal_scan *s, uint64_t low, const decimal_format *f)
{
    int64_t field = (int64_t)(low >> f->stored);
    uint64_t m = low & ((UINT64_C(1) << f->stored) - 1);
    if (field > 0) m |= UINT64_C(1) << f->stored;
    int64_t e = f->lowest + (field > 0 ? field - 1 : 0);

    decimal_big digits, middle = {1, {2 * m + 1}};
    int64_t power;
    decimal_big_digits(s, &digits, &power);
    if (power >= 0)
        decimal_big_times_power_of_5(&digits, power);
    else
        decimal_big_times_power_of_5(&middle, -power);
    int64_t twos = power - (e - 1);
    if (twos >= 0)
        decimal_big_times_power_of_2(&digits, twos);
    else
        decimal_big_times_power_of_2(&middle, -twos);
    if (digits.n != middle.n) return digits.n < middle.n ? -1 : 1;
    for (int i = digits.n - 1; i >= 0; i--)
        if (digits.word[i] != middle.word[i]) return digits.word[i] < middle.word[i] ? -1 : 1;
    return 0;
}

/* ---- Rounding ---------------------------------------------------------------------------------*/

/* floor(log2(10^q)); tools/gen-decimal-powers.py proves it for the table's range. */
static inline int decimal_log2_pow10(int q)
{
    return (q * 217706) >> 16;
}

/* w 10^q, w > 0, lies in [u, u + 2) 2^exponent: one unit for what the table cut off, one for the
 * word of the product dropped here. 2^126 <= u <= 2^128 - 2^64. */
typedef struct decimal_product {
    decimal_u128 u;
    int exponent;
} decimal_product;

static inline decimal_product decimal_multiply(uint64_t w, int q)
{
    const uint64_t *power = decimal_powers[q - DECIMAL_POWER_FIRST];
    int zeros = __builtin_clzll(w);
    w <<= zeros;
    decimal_u128 low = (decimal_u128)w * power[1];
    decimal_u128 u = (decimal_u128)w * power[0] + (uint64_t)(low >> 64);
    return (decimal_product){u, decimal_log2_pow10(q) - 63 - zeros};
}

/* The ordinal of u 2^exponent, u >= 2^126, rounded to nearest, a midpoint down. */
static inline uint64_t decimal_round(decimal_u128 u, int exponent, const decimal_format *f)
{
    int top = 126 + (int)(u >> 127);
    int e = exponent + top - f->stored;
    if (e < f->lowest) e = f->lowest;
    int drop = e - exponent;
    if (drop > 128) return 0; /* below half of the smallest float */
    /* drop is at least 126 - 52: a midpoint ends in more than 64 zero bits. */
    decimal_u128 half = (decimal_u128)1 << (drop - 1), rest = u & (half + half - 1);
    uint64_t m = drop < 128 ? (uint64_t)(u >> drop) : 0;
    return m + (rest > half) + ((uint64_t)(e - f->lowest) << f->stored);
}

/* The ordinal of the scanned number, w > 0 and q inside the table. Both ends of its bracket are
 * rounded; the upper end is not in it, so a midpoint there is above the number. */
static inline uint64_t decimal_nearest(const decimal_scan *s, const decimal_format *f)
{
    decimal_product p = decimal_multiply(s->w, (int)s->q);
    uint64_t low = decimal_round(p.u, p.exponent, f);
    /* Nearly always no number ending in 64 zero bits, so no midpoint, is in [u, u + 2). */
    if (!s->cut && (uint64_t)p.u - 1 < UINT64_MAX - 2) return low;
    if (s->cut) p = decimal_multiply(s->w + 1, (int)s->q);
    uint64_t high = decimal_round(p.u + 2, p.exponent, f);
    if (low == high) return low;
    assert(high == low + 1);
    int order = decimal_compare_midpoint(s, low, f);
    return order < 0 || (order == 0 && !(low & 1)) ? low : high;
}

static inline uint64_t decimal_to_ordinal(const decimal_scan *s, const decimal_format *f)
{
    if (s->w == 0 || s->q < DECIMAL_POWER_FIRST) return 0;
    if (s->q > 308) return f->infinity;
    uint64_t ordinal = decimal_nearest(s, f);
    return ordinal < f->infinity ? ordinal : f->infinity;
}

/* Whether the scanned number is one operation on two exact doubles, and its result. */
static inline bool decimal_clinger(const decimal_scan *s, double *v)
{
    if (s->w > UINT64_C(1) << 53 || s->q < -22 || s->q > 22 || s->cut) return false;
    double w = (double)(int64_t)s->w;
    *v = s->q < 0 ? w / hsp__decimal_tens[-s->q] : w * hsp__decimal_tens[s->q];
    return true;
}

/* clang-format off */
static const uint64_t decimal_tens_u64[20] = {
    0, /* so that 0 has one digit */ 10, 100, 1000, 10000, 100000, 1000000, 10000000, 100000000,
    1000000000, 10000000000, 100000000000, 1000000000000, 10000000000000, 100000000000000,
    1000000000000000, 10000000000000000, 100000000000000000, 1000000000000000000,
    UINT64_C(10000000000000000000)};
/* clang-format on */

static inline int decimal_count_digits(uint64_t v)
{
    /* 1233 / 4096 is log10(2), a little low: the guess is right or one short. */
    int guess = ((64 - __builtin_clzll(v | 1)) * 1233) >> 12;
    return guess + (v >= decimal_tens_u64[guess]);
}

int hsp__decimal_widest_digits(hsp__decimal_widest widest)
{
    return decimal_count_digits(widest);
}

void hsp__decimal_widen(uint64_t w, unsigned scale, hsp__decimal_widest *widest)
{
    if (scale == 0 && w <= UINT64_C(1) << 24) return;
    while (w % 10 == 0)
        w /= 10;
    const int digits = decimal_count_digits(w);
    const uint64_t most = digits < 20 ? decimal_tens_u64[digits] - 1 : HSP__DECIMAL_LONG;
    if (most > *widest) *widest = most;
}

/* Is the scanned number more than its first 19 digits, which are in w? */
static bool decimal_is_long(const decimal_scan *s)
{
    const char *first = decimal_first_nonzero(s), *last = s->last;
    if (!s->cut) return false;
    while (last[-1] == '0' || last[-1] == '.')
        last--;
    const bool dot_inside = first < s->dot && s->dot < last;
    return last - first - dot_inside > DECIMAL_W_DIGITS;
}

/* Note the scanned number, which became the float of this ordinal. */
static void decimal_widen(const decimal_scan *s, uint64_t ordinal, const decimal_format *f,
                          hsp__decimal_widest *widest)
{
    if (s->w == 0) return;
    if (decimal_is_long(s) || ordinal < UINT64_C(1) << f->stored)
        *widest = HSP__DECIMAL_LONG;
    else if (s->w > *widest)
        hsp__decimal_widen(s->w, s->q != 0, widest);
}

int hsp__decimal_text(const char *text, double *out)
{
    hsp__decimal_result result;
    const char *end = text ? text + strlen(text) : NULL;
    return text && hsp__decimal_f64(text, end, out, &result) == end && result == HSP__DECIMAL_OK;
}

const char *hsp__decimal_u64(const char *p, const char *end, uint64_t *out, hsp__decimal_result *r)
{
    const char *s = p;
    while (s < end && *s == '0')
        s++;
    uint64_t v = 0;
    const char *after = decimal_digits(s, end, &v);
    *r = after > p ? HSP__DECIMAL_OK : HSP__DECIMAL_NONE;
    /* Twenty digits wrap at most once where the first is 1, and then v falls below 10^19. */
    if (after - s > 20 || (after - s == 20 && (*s > '1' || v < UINT64_C(10000000000000000000)))) {
        v = UINT64_MAX;
        *r = HSP__DECIMAL_OVERFLOW;
    }
    *out = v;
    return after;
}

int hsp__decimal_whole(const char *p, const char *end, int64_t *out)
{
    decimal_scan s;
    if (decimal_scan_number(p, end, &s) != end || p == end || decimal_is_long(&s)) return 0;
    for (; s.q < 0 && s.w % 10 == 0 && s.w; s.q++)
        s.w /= 10;
    if (s.w == 0) s.q = 0;
    for (; s.q > 0; s.q--)
        if (__builtin_mul_overflow(s.w, 10u, &s.w)) return 0;
    if (s.q < 0 || s.w > INT64_MAX) return 0;
    *out = s.negative ? -(int64_t)s.w : (int64_t)s.w;
    return 1;
}

/* ---- Printing ---------------------------------------------------------------------------------*/

static const char decimal_pairs[200] = "00010203040506070809101112131415161718192021222324"
                                       "25262728293031323334353637383940414243444546474849"
                                       "50515253545556575859606162636465666768697071727374"
                                       "75767778798081828384858687888990919293949596979899";

/* Write the n digits of v, n being their count, at buf. */
static void decimal_put_digits(uint64_t v, int n, char *buf)
{
    char *p = buf + n;
    while (v >= 100) {
        memcpy(p -= 2, decimal_pairs + 2 * (v % 100), 2);
        v /= 100;
    }
    if (v >= 10)
        memcpy(p - 2, decimal_pairs + 2 * v, 2);
    else
        p[-1] = (char)('0' + v);
}

size_t hsp__decimal_print_u64(uint64_t v, char *buf)
{
    int n = decimal_count_digits(v);
    decimal_put_digits(v, n, buf);
    buf[n] = '\0';
    return (size_t)n;
}

size_t hsp__decimal_print_i64(int64_t v, char *buf)
{
    if (v >= 0) return hsp__decimal_print_u64((uint64_t)v, buf);
    *buf = '-';
    return 1 + hsp__decimal_print_u64(0 - (uint64_t)v, buf + 1);
}

/* The product of g and c, over 2^128, cut to an integer whose last bit is set if anything was cut:
 * Schubfach's rounding to odd. g is up to 1 above the true power, so the product is less than 2^64
 * too high, and an integer still shows a zero in the word below it. */
static inline uint64_t decimal_round_to_odd(decimal_u128 g, uint64_t c)
{
    decimal_u128 low = (decimal_u128)(uint64_t)g * c;
    decimal_u128 high = (decimal_u128)(uint64_t)(g >> 64) * c + (uint64_t)(low >> 64);
    return (uint64_t)(high >> 64) | ((uint64_t)high != 0);
}

/* digits 10^exponent */
typedef struct decimal_digits10 {
    uint64_t digits;
    int exponent;
} decimal_digits10;

/* The shortest decimal that rounds to m 2^e, the closest of them. lopsided says that the next lower
 * float is only half as far as the next higher one. All is scaled by 4 / 10^k, where 10^k is the
 * largest power of ten not above the distance of the neighbours. */
static decimal_digits10 decimal_shortest(uint64_t m, int e, bool lopsided)
{
    int k = (e * 315653 - (lopsided ? 131008 : 0)) >> 20; /* floor(log10(2^e or 3/4 2^e)) */
    int shift = e + decimal_log2_pow10(-k) + 1;
    const uint64_t *power = decimal_powers[-k - DECIMAL_POWER_FIRST];
    decimal_u128 g = ((decimal_u128)power[0] << 64 | power[1]) + 1;

    uint64_t odd = m & 1; /* an odd m loses ties, so its interval is open */
    uint64_t here = decimal_round_to_odd(g, 4 * m << shift);
    uint64_t lower = decimal_round_to_odd(g, (4 * m - 2 + lopsided) << shift) + odd;
    uint64_t upper = decimal_round_to_odd(g, (4 * m + 2) << shift) - odd;

    uint64_t s = here / 4;
    if (s >= 10) { /* at most one multiple of 10^(k + 1) can be inside */
        uint64_t t = s / 10;
        bool below = lower <= 40 * t, above = 40 * t + 40 <= upper;
        if (below != above) return (decimal_digits10){t + above, k + 1};
    }
    bool below = lower <= 4 * s, above = 4 * s + 4 <= upper;
    if (below != above) return (decimal_digits10){s + above, k};
    uint64_t middle = 4 * s + 2; /* both fit: the closer one, the even one if neither is */
    bool up = here > middle || (here == middle && (s & 1));
    return (decimal_digits10){s + up, k};
}

static void decimal_strip_zeros(decimal_digits10 *d)
{
    while (d->digits % 10000 == 0) {
        d->digits /= 10000;
        d->exponent += 4;
    }
    while (d->digits % 10 == 0) {
        d->digits /= 10;
        d->exponent++;
    }
}

/* Print the float of a format by its ordinal; p points behind the sign. */
static inline char *decimal_put(uint64_t ordinal, const decimal_format *f, char *p)
{
    uint64_t hidden = UINT64_C(1) << f->stored, m = ordinal & (hidden - 1);
    int field = (int)(ordinal >> f->stored);
    if (ordinal >= f->infinity) {
        memcpy(p, m ? "nan" : "inf", 3);
        return p + 3;
    }
    if (field > 0) m |= hidden;
    int e = f->lowest + (field > 0 ? field - 1 : 0);

    /* Neighbours of an integer this small are at most 1 away: its own digits are the shortest. */
    if (m == 0) return p + hsp__decimal_print_u64(0, p);
    if (e <= 0 && e >= -f->stored && (m & ((UINT64_C(1) << -e) - 1)) == 0)
        return p + hsp__decimal_print_u64(m >> -e, p);

    decimal_digits10 d = decimal_shortest(m, e, m == hidden && field > 1);
    decimal_strip_zeros(&d);
    int n = decimal_count_digits(d.digits), top = d.exponent + n - 1;
    if (top >= 0 && top < 16 && d.exponent >= 0) { /* ddd000 */
        decimal_put_digits(d.digits, n, p);
        memset(p + n, '0', (size_t)d.exponent);
        return p + n + d.exponent;
    }
    if (top >= -4 && top < 0) { /* 0.000ddd */
        memcpy(p, "0.000", 5);
        decimal_put_digits(d.digits, n, p + 1 - top);
        return p + 1 - top + n;
    }
    /* the digits before the dot move left: d.dd, or one of them and an exponent */
    const int whole = top >= 0 && top < 16 ? top + 1 : 1;
    decimal_put_digits(d.digits, n, p + 1);
    memmove(p, p + 1, (size_t)whole);
    p[whole] = '.';
    if (top >= 0 && top < 16) return p + n + 1;
    p += n > 1 ? n + 1 : 1;
    *p++ = 'e';
    return p + hsp__decimal_print_i64(top, p);
}

#define DECIMAL_PRINT(TYPE, NUM, BITS, FORMAT)                                      \
    size_t hsp__decimal_print_##TYPE(NUM v, char *buf)                              \
    {                                                                               \
        BITS bits;                                                                  \
        memcpy(&bits, &v, sizeof bits);                                             \
        const BITS ordinal = bits & ((BITS)-1 >> 1);                                \
        char *p = buf;                                                              \
        *p = '-';                                                                   \
        p += bits != ordinal && ordinal <= FORMAT.infinity; /* a nan has no sign */ \
        p = decimal_put(ordinal, &FORMAT, p);                                       \
        *p = '\0';                                                                  \
        return (size_t)(p - buf);                                                   \
    }

DECIMAL_PRINT(f64, double, uint64_t, decimal_binary64)
DECIMAL_PRINT(f32, float, uint32_t, decimal_binary32)

_Static_assert(HSP_NUMBER_MAX >= HSP__DECIMAL_MAX, "room for any number");

char *hsp_number_text(double number, hsp_precision precision, char buffer[HSP_NUMBER_MAX])
{
    if (!buffer) return NULL;
    if (precision == HSP_FLOAT32)
        hsp__decimal_print_f32((float)number, buffer);
    else
        hsp__decimal_print_f64(number, buffer);
    return buffer;
}

/* ---- The readers ------------------------------------------------------------------------------*/

/* OK, LOSSY or ROUNDED, by the double (not negative, finite) that the scanned number rounds to. */
static hsp__decimal_result decimal_loss(const decimal_scan *s, double wide)
{
    if (wide <= 0x1p24)
        return wide == 0 || wide >= (double)FLT_MIN ? HSP__DECIMAL_OK : HSP__DECIMAL_LOSSY;
    if (wide >= 0x1p53) { /* is it another decimal than the one that is printed for its double? */
        uint64_t bits, hidden = UINT64_C(1) << 52;
        memcpy(&bits, &wide, sizeof bits);
        decimal_digits10 here = {s->w, (int)s->q};
        decimal_digits10 printed = decimal_shortest(
            (bits & (hidden - 1)) | hidden, (int)(bits >> 52) - 1075, !(bits & (hidden - 1)));
        decimal_strip_zeros(&here);
        decimal_strip_zeros(&printed);
        if (decimal_is_long(s) || here.digits != printed.digits ||
            here.exponent != printed.exponent)
            return HSP__DECIMAL_ROUNDED;
    }
    const bool held = (double)(float)wide == wide;
    return wide != floor(wide) || held ? HSP__DECIMAL_OK : HSP__DECIMAL_LOSSY;
}

/* The double of the scanned number. */
static double decimal_to_f64(const decimal_scan *s, hsp__decimal_widest *widest,
                             hsp__decimal_result *r)
{
    double v;
    uint64_t bits = decimal_binary64.infinity;
    *r = HSP__DECIMAL_OK;
    if (!decimal_clinger(s, &v)) {
        bits = decimal_to_ordinal(s, &decimal_binary64);
        memcpy(&v, &bits, sizeof v);
        if (bits == decimal_binary64.infinity) *r = HSP__DECIMAL_OVERFLOW;
        if (bits == 0 && s->w != 0) *r = HSP__DECIMAL_TINY;
    }
    decimal_widen(s, bits, &decimal_binary64, widest);
    if (*r == HSP__DECIMAL_OK) *r = decimal_loss(s, v);
    return v;
}

static float decimal_to_f32(const decimal_scan *s, hsp__decimal_widest *widest,
                            hsp__decimal_result *r)
{
    float v;
    double wide;
    uint64_t ordinal = decimal_binary32.infinity, middle = 0;
    *r = HSP__DECIMAL_OK;
    /* A double from decimal_clinger, zero or far inside the range of float, decides the float unless
     * it fell on a midpoint of two floats after a rounding of its own; an integer was not rounded. */
    const bool easy = decimal_clinger(s, &wide);
    if (easy) memcpy(&middle, &wide, sizeof middle);
    if (easy && ((middle & 0x1fffffff) != 0x10000000 || s->q == 0)) {
        v = (float)wide;
    } else {
        ordinal = decimal_to_ordinal(s, &decimal_binary32);
        uint32_t bits = (uint32_t)ordinal;
        memcpy(&v, &bits, sizeof v);
        if (ordinal == decimal_binary32.infinity) *r = HSP__DECIMAL_OVERFLOW;
        if (ordinal == 0 && s->w != 0) *r = HSP__DECIMAL_TINY;
    }
    decimal_widen(s, ordinal, &decimal_binary32, widest);
    if (*r == HSP__DECIMAL_OK && (v >= 0x1p24F || v <= 2 * FLT_MIN)) {
        hsp__decimal_widest unused = HSP__DECIMAL_LONG;
        decimal_to_f64(s, &unused, r);
    }
    return v;
}

/* *out: 0, infinity or NaN where no number starts at p. */
#define DECIMAL_READ(TYPE, NUM)                                                                 \
    const char *hsp__decimal_##TYPE##_told(const char *p, const char *end, NUM *out,            \
                                           hsp__decimal_widest *widest, hsp__decimal_result *r) \
    {                                                                                           \
        decimal_scan s;                                                                         \
        const char *after = decimal_scan_number(p, end, &s);                                    \
        NUM v = 0;                                                                              \
        if (after == p) {                                                                       \
            after = decimal_explain(p, end, &s.negative, r);                                    \
            if (*r == HSP__DECIMAL_INF) v = (NUM)INFINITY;                                      \
            if (*r == HSP__DECIMAL_NAN) v = (NUM)NAN;                                           \
            if (*r == HSP__DECIMAL_NONE) s.negative = false;                                    \
        } else {                                                                                \
            v = decimal_to_##TYPE(&s, widest, r);                                               \
        }                                                                                       \
        *out = s.negative ? -v : v;                                                             \
        return after;                                                                           \
    }                                                                                           \
                                                                                                \
    const char *hsp__decimal_##TYPE(const char *p, const char *end, NUM *out,                   \
                                    hsp__decimal_result *r)                                     \
    {                                                                                           \
        hsp__decimal_widest widest = HSP__DECIMAL_LONG;                                         \
        const char *after = hsp__decimal_##TYPE##_told(p, end, out, &widest, r);                \
        if (*r >= HSP__DECIMAL_TINY) *r = HSP__DECIMAL_OK;                                      \
        return after;                                                                           \
    }

DECIMAL_READ(f64, double)
DECIMAL_READ(f32, float)
