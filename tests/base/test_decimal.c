/* Reading is compared with strtof and strtod, which glibc rounds correctly, and on midpoints with
 * the answer known from how they were made. Printing is in test_decimal_print.c. */
#include "base/decimal_vector.h"

#include <float.h>
#include <locale.h>
#include <math.h>
#include <sys/mman.h>
#include <unistd.h>

#include "../check.h"
#include "bits.h"

#define ROOM 16384 /* the longest text a test reads */

static hsp__decimal_widest widest; /* of the readers where nobody asks */

/* ---- Reading, against a known answer ----------------------------------------------------------*/

/* text (length n) with padding that would continue any number, were it looked at. */
static const char *padded(const char *text, size_t n)
{
    static char buffer[ROOM + HSP__DECIMAL_PADDING];
    static const char *const junk[] = {"7", ".", "e9", "9.9e9", "-", "\xff"};
    const char *fill = junk[n % 6];
    memcpy(buffer, text, n);
    for (size_t i = 0, k = strlen(fill); i < HSP__DECIMAL_PADDING; i++)
        buffer[n + i] = fill[i % k];
    return buffer;
}

/* Not 0 as written, though it reads as 0? */
static int tiny(const char *text, size_t n, int zero)
{
    for (size_t i = 0; zero && i < n && (text[i] | 0x20) != 'e'; i++)
        if (text[i] >= '1' && text[i] <= '9') return 1;
    return 0;
}

/* Losses are the business of tells_what_is_lost. */
static hsp__decimal_result reason(hsp__decimal_result r)
{
    return r > HSP__DECIMAL_TINY ? HSP__DECIMAL_OK : r;
}

#ifdef HSP__DECIMAL_VECTOR
/* Does the vector reader take text[0..n), whatever stands before and behind it? */
static int by_vector(const char *text, size_t n, hsp__decimal_short *s)
{
    static char buffer[ROOM + 2 * HSP__DECIMAL_BEFORE];
    static const char junk[] = {'7', '.', ':', '-', ' ', '0'};
    for (size_t i = 0; i < HSP__DECIMAL_BEFORE; i++)
        buffer[i] = buffer[HSP__DECIMAL_BEFORE + n + i] = junk[(n + i) % sizeof junk];
    memcpy(buffer + HSP__DECIMAL_BEFORE, text, n);
    return hsp__decimal_ending(buffer + HSP__DECIMAL_BEFORE, buffer + HSP__DECIMAL_BEFORE + n, s);
}
#endif

/* All of text[0..n) reads as the float32 of these bits, by both contracts, and by vectors if it is
 * short enough. */
static void expect_f32(const char *text, size_t n, float want)
{
    hsp__decimal_result right = isinf(want) ? HSP__DECIMAL_OVERFLOW : HSP__DECIMAL_OK, r;
    const char *p = padded(text, n);
    float got;
    CHECK_NOTE(hsp__decimal_f32(p, p + n, &got, &r) == p + n, "%.60s", text);
    CHECK_NOTE(bits_f32(got) == bits_f32(want) && r == right, "%.60s: %a", text, (double)got);
    right = tiny(text, n, want == 0) ? HSP__DECIMAL_TINY : right;
    CHECK_NOTE(hsp__decimal_f32_padded(p, p + n, &got, &widest, &r) == p + n, "%.60s", text);
    r = reason(r);
    CHECK_NOTE(bits_f32(got) == bits_f32(want) && r == right, "%.60s: %a", text, (double)got);
#ifdef HSP__DECIMAL_VECTOR
    hsp__decimal_short s;
    if (by_vector(text, n, &s) && hsp__decimal_short_f32(&s, &got, &widest))
        CHECK_NOTE(bits_f32(got) == bits_f32(want), "%.60s: %a", text, (double)got);
#endif
}

static void expect_f64(const char *text, size_t n, double want)
{
    hsp__decimal_result right = isinf(want) ? HSP__DECIMAL_OVERFLOW : HSP__DECIMAL_OK, r;
    const char *p = padded(text, n);
    double got;
    CHECK_NOTE(hsp__decimal_f64(p, p + n, &got, &r) == p + n, "%.60s", text);
    CHECK_NOTE(bits_f64(got) == bits_f64(want) && r == right, "%.60s: %a", text, got);
    right = tiny(text, n, want == 0) ? HSP__DECIMAL_TINY : right;
    CHECK_NOTE(hsp__decimal_f64_padded(p, p + n, &got, &widest, &r) == p + n, "%.60s", text);
    r = reason(r);
    CHECK_NOTE(bits_f64(got) == bits_f64(want) && r == right, "%.60s: %a", text, got);
}

static void same_as_libc(const char *text)
{
    size_t n = strlen(text);
    expect_f32(text, n, strtof(text, NULL));
    expect_f64(text, n, strtod(text, NULL));
}

static char *put_random_digits(char *p, int n)
{
    int zeros = test_random_below(8) == 0 ? test_random_below(n + 1) : 0;
    for (int i = 0; i < n; i++)
        *p++ = i < zeros ? '0' : (char)('0' + test_random_below(10));
    return p;
}

static void random_text(char *p)
{
    static const int lengths[] = {0, 1, 1, 1, 2, 3, 5, 7, 8, 9, 12, 15, 16, 17, 18, 19, 20, 21, 30};
    int whole = lengths[test_random_below(19)], fraction = lengths[test_random_below(19)];
    if (whole + fraction == 0) whole = 1;
    if (test_random_below(3) == 0) *p++ = "+-"[test_random_below(2)];
    p = put_random_digits(p, whole);
    if (fraction || test_random_below(2)) *p++ = '.';
    p = put_random_digits(p, fraction);
    int shape = test_random_below(4);
    if (shape > 0) {
        int range = shape == 1 ? 10 : shape == 2 ? 50 : 360;
        *p++ = "eE"[test_random_below(2)];
        p +=
            sprintf(p, test_random_below(4) ? "%d" : "%+04d", test_random_below(2 * range) - range);
    }
    *p = '\0';
}

static void reads_random_texts_as_libc(void)
{
    char text[128];
    for (int i = 0; i < 1000000; i++) {
        random_text(text);
        same_as_libc(text);
    }
}

static void reads_every_power_of_ten(void)
{
    static const char *const heads[] = {"1",
                                        "9",
                                        "18446744073709551615",
                                        "0.00000012",
                                        "4.94",
                                        "9999999999999999999",
                                        "1.7976931348623157",
                                        "9007199254740993"};
    char text[64];
    for (int q = -420; q <= 420; q++)
        for (int h = 0; h < 8; h++) {
            sprintf(text, "%se%d", heads[h], q);
            same_as_libc(text);
        }
}

/* What real columns look like: short fixed-point numbers. */
static void reads_short_numbers(void)
{
    char text[64];
    for (int whole = 0; whole < 12; whole++)
        for (int places = 0; places < 19; places++)
            for (int i = 0; i < 200; i++) {
                char *p = text;
                if (i & 1) *p++ = '-';
                p = put_random_digits(p, whole);
                if (places || i & 2) *p++ = '.';
                p = put_random_digits(p, places);
                *p = '\0';
                if (whole + places) same_as_libc(text);
            }
}

/* ---- Reading the hardest numbers --------------------------------------------------------------*/

/* The digits of text, which is d.ddde+xx with zeros to spare at the end, one unit of the last
 * place lower. */
static void one_lower(char *text)
{
    char *p = strchr(text, 'e') - 1;
    for (; *p == '0' || *p == '.'; p--)
        if (*p == '0') *p = '9';
    --*p;
}

static void one_higher(char *text)
{
    strchr(text, 'e')[-1]++; /* the last digit is one of the spare zeros */
}

/* text without its last digits, n of them left, behind the dot. */
static void cut_digits(char *out, const char *text, int n)
{
    sprintf(out, "%.*s%s", n + 2, text, strchr(text, 'e'));
}

static void midpoint_f32(uint32_t low)
{
    char exact[256], text[256];
    double a = (double)from_bits_f32(low);
    double half = low >= 0x00800000 ? ldexp(1, (int)(low >> 23) - 151) : ldexp(1, -150);
    sprintf(exact, "%.150e", a + half);
    float below = from_bits_f32(low), above = from_bits_f32(low + 1);
    expect_f32(exact, strlen(exact), low & 1 ? above : below);
    strcpy(text, exact);
    one_higher(text);
    expect_f32(text, strlen(text), above);
    strcpy(text, exact);
    one_lower(text);
    expect_f32(text, strlen(text), below);
    for (int n = 6; n < 26; n++) {
        cut_digits(text, exact, n);
        same_as_libc(text);
    }
}

static void reads_midpoints_of_floats(void)
{
    midpoint_f32(0);
    midpoint_f32(0x007fffff); /* largest denormal */
    midpoint_f32(0x00800000);
    midpoint_f32(0x7f7fffff); /* largest finite: the next is infinity */
    for (int i = 0; i < 12000; i++)
        midpoint_f32((uint32_t)test_random_below(0x7f800000));
    for (int i = 0; i < 500; i++) {
        midpoint_f32((uint32_t)test_random_below(0x00800000));
        midpoint_f32((uint32_t)test_random_below(255) << 23);
        midpoint_f32(((uint32_t)test_random_below(254) << 23) + 0x007fffff);
    }
}

/* Decimals so near to a midpoint of floats that a double cannot tell them from it. */
static void reads_near_midpoints_of_floats(void)
{
    char text[64];
    for (int i = 0; i < 20000; i++) {
        uint32_t low = 0x38000000 + (uint32_t)test_random_below(0x0d000000); /* 3e-5 to 5e5 */
        double middle = ((double)from_bits_f32(low) + (double)from_bits_f32(low + 1)) / 2;
        for (int places = 6; places < 20; places++) {
            sprintf(text, "%.*f", places, middle);
            same_as_libc(text);
        }
    }
}

#if LDBL_MANT_DIG >= 54 && LDBL_MIN_EXP < -1076

static void midpoint_f64(uint64_t low)
{
    static char exact[2048], text[2048];
    int field = (int)(low >> 52);
    long double half = ldexpl(1, field ? field - 1076 : -1075);
    sprintf(exact, "%.790Le", (long double)from_bits_f64(low) + half);
    double below = from_bits_f64(low), above = from_bits_f64(low + 1);
    expect_f64(exact, strlen(exact), low & 1 ? above : below);
    strcpy(text, exact);
    one_higher(text);
    expect_f64(text, strlen(text), above);
    strcpy(text, exact);
    one_lower(text);
    expect_f64(text, strlen(text), below);
    for (int n = 14; n < 26; n++) {
        cut_digits(text, exact, n);
        same_as_libc(text);
    }
}

static void reads_midpoints_of_doubles(void)
{
    midpoint_f64(0);
    midpoint_f64(1);
    midpoint_f64(UINT64_C(0x000fffffffffffff));
    midpoint_f64(UINT64_C(0x0010000000000000));
    midpoint_f64(UINT64_C(0x7fefffffffffffff));
    for (int i = 0; i < 3000; i++)
        midpoint_f64(test_random() % (UINT64_C(0x7ff) << 52));
    for (int i = 0; i < 200; i++) {
        midpoint_f64(test_random() >> 12);
        midpoint_f64((uint64_t)test_random_below(2047) << 52);
        midpoint_f64(((uint64_t)test_random_below(2046) << 52) + (UINT64_MAX >> 12));
    }
}

#endif

static void reads_edges_as_libc(void)
{
    static const char *const texts[] = {
        "0", "-0", "+0", "0.", ".0", "-.5", "5.", "000", "0e5", "0e999999999999999999999", "-0e-9",
        "4.9406564584124654e-324", "2.4703282292062327e-324", "2.4703282292062328e-324", "5e-324",
        "2.5e-324", "2.4e-324", "7.4109846876186981e-324", "7.4109846876186982e-324",
        "2.2250738585072011e-308", "2.2250738585072014e-308", "2.225073858507201136e-308",
        "1.7976931348623157e308", "1.7976931348623158e308", "1.7976931348623159e308",
        "17976931348623158079e289", "17976931348623158080e289", "1e308", "1e309", "-1e309",
        "1.4012984643248170e-45", "7.0064923216240853e-46", "7.0064923216240854e-46",
        "7.0064923216240861e-46", "1.1754943508222875e-38", "1.1754942807573642e-38",
        "3.4028234663852886e38", "3.4028235677973365e38", "3.4028235677973366e38",
        "3.4028235677973367e38", "3.4028236e38", "340282356779733661637539395458142568447",
        "340282356779733661637539395458142568448", "9007199254740991", "9007199254740992",
        "9007199254740993", "9007199254740994", "9007199254740995", "9007199254740993.0",
        "9007199254740993.00000000000000000000", "9007199254740993.00000000000000000001",
        "900719925474099300000000000000000000e-20", "9007199254740992.99999999999999999999",
        "18014398509481986", "18014398509481990", "16777215", "16777216", "16777217", "16777218",
        "16777219", "16777217.0", "16777217.000000001", "16777216.999999999", "33554434",
        "33554438", "8388608.5", "8388609.5", "8388609.49999999", "8388609.50000001",
        "1e99999999999999999999999999", "1e-99999999999999999999999999", "1e+5", "1E-5",
        "1.00000017881393432617187499", "1.000000178813934326171875",
        "1.00000017881393432617187501", "12345678901234567890123456789012345678901234567890e-50",
        "0.00000000000000000000000000000000000000000000000000012345678901234567890e53",
        /* 2^64 + 1 before the dot is dropped */
        "1844674.4073709551617", "-184467.44073709551617",
        /* powers of two that are just missed by the first 128 bits of the power of ten */
        "298023223876953125e-25", "1490116119384765625e-26", "7450580596923828125e-27"};
    for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++)
        same_as_libc(texts[i]);
}

/* head, n times c, tail */
static const char *stretched(const char *head, int n, char c, const char *tail)
{
    static char text[ROOM];
    size_t k = strlen(head);
    memcpy(text, head, k);
    memset(text + k, c, (size_t)n);
    strcpy(text + k + n, tail);
    return text;
}

static void reads_very_long_numbers(void)
{
    char tail[32];
    for (int n = 1; n < 1000; n++) {
        same_as_libc(stretched("9007199254740993.", n, '0', "1"));
        same_as_libc(stretched("9007199254740993.", n, '0', ""));
        same_as_libc(stretched("9007199254740992.", n, '9', ""));
        sprintf(tail, "1e%d", n);
        same_as_libc(stretched("0.", n, '0', tail));
        same_as_libc(stretched("-", n, '0', "1.5"));
        sprintf(tail, "e%d", -n);
        same_as_libc(stretched("1", n, '0', tail));
    }
    same_as_libc(stretched("0.", 10000, '0', "123e10001"));
    same_as_libc(stretched("12", 10000, '0', "e-10300"));
    same_as_libc(stretched("1", 10000, '7', ""));
    same_as_libc(stretched("16777217.", 10000, '0', "1"));
    same_as_libc(stretched("16777217.", 10000, '0', "0"));
    same_as_libc(stretched("", 10000, '0', ".25"));
    same_as_libc(stretched("1e", 9000, '0', "7"));
    same_as_libc(stretched("1e-", 9000, '9', ""));
    for (int i = 0; i < 20; i++) {
        char text[12000], *p = put_random_digits(text, 5000);
        *p++ = '.';
        p = put_random_digits(p, 5000);
        sprintf(p, "e%d", -5000 + test_random_below(400));
        same_as_libc(text);
    }
}

/* ---- Reading what is no plain number ----------------------------------------------------------*/

typedef struct reason_case {
    const char *text;
    int used;
    hsp__decimal_result reason;
} reason_case;

static const reason_case reason_cases[] = {
    {"", 0, HSP__DECIMAL_NONE},
    {"-", 0, HSP__DECIMAL_NONE},
    {".", 0, HSP__DECIMAL_NONE},
    {"+.", 0, HSP__DECIMAL_NONE},
    {"e5", 0, HSP__DECIMAL_NONE},
    {".e5", 0, HSP__DECIMAL_NONE},
    {"--1", 0, HSP__DECIMAL_NONE},
    {"+-1", 0, HSP__DECIMAL_NONE},
    {" 1", 0, HSP__DECIMAL_NONE},
    {"abc", 0, HSP__DECIMAL_NONE},
    {"nan", 3, HSP__DECIMAL_NAN},
    {"-NaN", 4, HSP__DECIMAL_NAN},
    {"nan(12)", 3, HSP__DECIMAL_NAN},
    {"nano", 0, HSP__DECIMAL_NONE},
    {"na", 0, HSP__DECIMAL_NONE},
    {"inf", 3, HSP__DECIMAL_INF},
    {"+INF,", 4, HSP__DECIMAL_INF},
    {"-Infinity 3", 9, HSP__DECIMAL_INF},
    {"infinit", 0, HSP__DECIMAL_NONE},
    {"infinityx", 0, HSP__DECIMAL_NONE},
    {"info", 0, HSP__DECIMAL_NONE},
    {"inf_", 0, HSP__DECIMAL_NONE},
    {"inf2", 0, HSP__DECIMAL_NONE},
    {"1e400", 5, HSP__DECIMAL_OVERFLOW},
    {"-1e400x", 6, HSP__DECIMAL_OVERFLOW},
    {"1e", 1, HSP__DECIMAL_OK},
    {"1e+", 1, HSP__DECIMAL_OK},
    {"1e-x", 1, HSP__DECIMAL_OK},
    {"1.5e", 3, HSP__DECIMAL_OK},
    {"1.5.2", 3, HSP__DECIMAL_OK},
    {"0x1p3", 1, HSP__DECIMAL_OK},
    {"1,5", 1, HSP__DECIMAL_OK},
    {"3:1", 1, HSP__DECIMAL_OK},
    {"1e5e5", 3, HSP__DECIMAL_OK},
    {"12 13", 2, HSP__DECIMAL_OK},
    {"1.-", 2, HSP__DECIMAL_OK},
    {"\xb1", 0, HSP__DECIMAL_NONE},
};

static void expect_reason(const reason_case *c)
{
    size_t n = strlen(c->text);
    const char *p = padded(c->text, n), *used = p + c->used;
    hsp__decimal_result r;
    double d;
    float f;
    CHECK_NOTE(hsp__decimal_f64(p, p + n, &d, &r) == used && r == c->reason, "%s", c->text);
    CHECK_NOTE(hsp__decimal_f64_padded(p, p + n, &d, &widest, &r) == used && reason(r) == c->reason,
               "%s", c->text);
    CHECK_NOTE(hsp__decimal_f32(p, p + n, &f, &r) == used && r == c->reason, "%s", c->text);
    CHECK_NOTE(hsp__decimal_f32_padded(p, p + n, &f, &widest, &r) == used && reason(r) == c->reason,
               "%s", c->text);
    if (r == HSP__DECIMAL_NAN) CHECK(isnan(d) && isnan(f));
    if (r == HSP__DECIMAL_NONE) CHECK(bits_f64(d) == 0 && bits_f32(f) == 0);
    if (r == HSP__DECIMAL_INF || r == HSP__DECIMAL_OVERFLOW) {
        CHECK(isinf(d) && isinf(f));
        CHECK(!signbit(d) == (*p != '-') && !signbit(f) == (*p != '-'));
    }
}

static void says_what_is_there(void)
{
    for (size_t i = 0; i < sizeof reason_cases / sizeof reason_cases[0]; i++)
        expect_reason(&reason_cases[i]);
}

static void f32_overflows_before_f64(void)
{
    const char *text = "1e39";
    hsp__decimal_result r;
    float f;
    double d;
    CHECK(hsp__decimal_f32(text, text + 4, &f, &r) == text + 4 && r == HSP__DECIMAL_OVERFLOW);
    CHECK(hsp__decimal_f64(text, text + 4, &d, &r) == text + 4 && r == HSP__DECIMAL_OK);
}

static void tells_what_became_zero(void)
{
    static const struct {
        const char *text;
        int single, twice; /* is it lost? */
    } cases[] = {{"1e-45", 0, 0},  {"7e-46", 1, 0}, {"-1e-150", 1, 0},         {"1e-400", 1, 1},
                 {"2e-324", 1, 1}, {"0", 0, 0},     {"0.000", 0, 0},           {"0e-500", 0, 0},
                 {"-0", 0, 0},     {"1e-30", 0, 0}, {"0.0000001e-99999", 1, 1}};
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        const size_t n = strlen(cases[i].text);
        const char *p = padded(cases[i].text, n);
        hsp__decimal_result one, two, plain;
        float f;
        double d;
        CHECK(hsp__decimal_f32_told(p, p + n, &f, &widest, &one) == p + n);
        CHECK(hsp__decimal_f32_padded(p, p + n, &f, &widest, &two) == p + n && one == two);
        CHECK_NOTE((one == HSP__DECIMAL_TINY) == cases[i].single, "%s", cases[i].text);
        CHECK(hsp__decimal_f32(p, p + n, &f, &plain) == p + n && plain == HSP__DECIMAL_OK);
        CHECK(hsp__decimal_f64_told(p, p + n, &d, &widest, &one) == p + n);
        CHECK(hsp__decimal_f64_padded(p, p + n, &d, &widest, &two) == p + n && one == two);
        CHECK_NOTE((one == HSP__DECIMAL_TINY) == cases[i].twice, "%s", cases[i].text);
        CHECK(hsp__decimal_f64(p, p + n, &d, &plain) == p + n && plain == HSP__DECIMAL_OK);
    }
}

static int digits_of(const char *text, int wide, int quick)
{
    const size_t n = strlen(text);
    const char *p = padded(text, n);
    hsp__decimal_widest digits = HSP__DECIMAL_SHORT;
    hsp__decimal_result r;
    float f;
    double d;
    if (wide && quick) hsp__decimal_f64_padded(p, p + n, &d, &digits, &r);
    if (wide && !quick) hsp__decimal_f64_told(p, p + n, &d, &digits, &r);
    if (!wide && quick) hsp__decimal_f32_padded(p, p + n, &f, &digits, &r);
    if (!wide && !quick) hsp__decimal_f32_told(p, p + n, &f, &digits, &r);
    return hsp__decimal_widest_digits(digits);
}

static void counts_significant_digits(void)
{
    static const struct {
        const char *text;
        int single, twice;
    } cases[] = {{"0", 6, 6},
                 {"12.5", 6, 6},
                 {"0.000001234", 6, 6},
                 {"12.500000000", 6, 6},
                 {"1.234567", 7, 7},
                 {"-0.1234567800", 8, 8},
                 {"9999999", 6, 6}, /* a whole number that a float holds */
                 {"16777216", 6, 6},
                 {"16777217", 8, 8},
                 {"1700000001", 10, 10},
                 {"1700000000", 6, 6},
                 {"1.7000000e9", 6, 6},
                 {"0.12345678901234567", 17, 17},
                 {"1234567890123456789", 19, 19},
                 {"12345678901234567890.00", 19, 19},
                 {"12345678901234567891", 20, 20},
                 {"0.1000000000000000000000000000", 6, 6},
                 {"100000000000000000000000.01", 20, 20},
                 {"1e-40", 20, 6}, /* below the normal floats */
                 {"1e-310", 20, 20},
                 {"1e-400", 20, 20},
                 {"0e-400", 6, 6},
                 {"word", 6, 6}};
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++)
        for (int quick = 0; quick < 2; quick++) {
            CHECK_NOTE(digits_of(cases[i].text, 0, quick) == cases[i].single, "%s", cases[i].text);
            CHECK_NOTE(digits_of(cases[i].text, 1, quick) == cases[i].twice, "%s", cases[i].text);
        }
}

/* 7 to 45 digits, the dot before, among or behind them, with zeros before and behind. The digits
 * inside are zeros or any. */
static void counts_digits_wherever_the_dot_is(void)
{
    for (int n = 7; n <= 45; n++)
        for (int dot = -12; dot <= n; dot++)
            for (int way = 0; way < 8; way++) {
                char digits[64], text[128];
                for (int i = 0; i < n; i++)
                    digits[i] = way & 1 && i < n - 1 ? '0' : (char)('1' + (i * 7 + n) % 9);
                digits[0] = '1';
                digits[n] = '\0';
                const char *before = way & 2 ? "000" : dot <= 0 && way & 1 ? "" : "0";
                if (dot <= 0)
                    snprintf(text, sizeof text, "%s.%.*s%s", before, -dot, "000000000000", digits);
                else
                    snprintf(text, sizeof text, "%s%.*s.%s", before, dot, digits, digits + dot);
                if (way & 4) strcat(text, "000");
                const int want = n < 20 ? n : 20, whole = dot == n && atof(text) <= 0x1p24;
                for (int quick = 0; quick < 2; quick++)
                    for (int wide = 0; wide < 2; wide++)
                        CHECK_NOTE(digits_of(text, wide, quick) == want ||
                                       (whole && digits_of(text, wide, quick) == 6),
                                   "%s: %d digits", text, digits_of(text, wide, quick));
            }
}

/* What no float holds, and what no double holds. */
static void tells_what_is_lost(void)
{
    static const struct {
        const char *text;
        hsp__decimal_result single, twice;
    } cases[] = {{"0", HSP__DECIMAL_OK, HSP__DECIMAL_OK},
                 {"16777216", HSP__DECIMAL_OK, HSP__DECIMAL_OK},
                 {"16777217", HSP__DECIMAL_LOSSY, HSP__DECIMAL_LOSSY},
                 {"-16777217.0", HSP__DECIMAL_LOSSY, HSP__DECIMAL_LOSSY},
                 {"16777218", HSP__DECIMAL_OK, HSP__DECIMAL_OK},
                 {"16777217.25", HSP__DECIMAL_OK, HSP__DECIMAL_OK},
                 {"1700000001", HSP__DECIMAL_LOSSY, HSP__DECIMAL_LOSSY},
                 {"1e10", HSP__DECIMAL_OK, HSP__DECIMAL_OK},
                 {"9007199254740993", HSP__DECIMAL_ROUNDED, HSP__DECIMAL_ROUNDED},
                 {"9007199254740992", HSP__DECIMAL_OK, HSP__DECIMAL_OK},
                 {"12345678901234567", HSP__DECIMAL_ROUNDED, HSP__DECIMAL_ROUNDED},
                 {"12345678901234568", HSP__DECIMAL_LOSSY, HSP__DECIMAL_LOSSY},
                 {"12345678901234567890", HSP__DECIMAL_ROUNDED, HSP__DECIMAL_ROUNDED},
                 {"123456789012345678901", HSP__DECIMAL_ROUNDED, HSP__DECIMAL_ROUNDED},
                 {"1e23", HSP__DECIMAL_LOSSY, HSP__DECIMAL_LOSSY},
                 {"1e39", HSP__DECIMAL_OVERFLOW, HSP__DECIMAL_LOSSY},
                 {"1.2e-38", HSP__DECIMAL_OK, HSP__DECIMAL_OK},
                 {"1.1e-38", HSP__DECIMAL_LOSSY, HSP__DECIMAL_LOSSY},
                 {"1e-50", HSP__DECIMAL_TINY, HSP__DECIMAL_LOSSY},
                 {"1e-310", HSP__DECIMAL_TINY, HSP__DECIMAL_LOSSY},
                 {"1e-400", HSP__DECIMAL_TINY, HSP__DECIMAL_TINY}};
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        const size_t n = strlen(cases[i].text);
        const char *p = padded(cases[i].text, n);
        hsp__decimal_result one, two, both;
        float f;
        double d, mixed;
        CHECK(hsp__decimal_f32_padded(p, p + n, &f, &widest, &one) == p + n);
        CHECK(hsp__decimal_f64_padded(p, p + n, &d, &widest, &two) == p + n);
        CHECK(hsp__decimal_mixed_padded(p, p + n, &mixed, &widest, &both) == p + n);
        CHECK_NOTE(one == cases[i].single && two == cases[i].twice, "%s", cases[i].text);
        CHECK_NOTE(both == two, "%s", cases[i].text);
        CHECK_NOTE(mixed == (one == HSP__DECIMAL_OK ? (double)f : d), "%s", cases[i].text);
    }
}

/* Reading right before memory that must not be touched; a fault is the failure. */
static void stays_inside_the_buffer(void)
{
    size_t page = (size_t)sysconf(_SC_PAGESIZE);
    char *map = mmap(NULL, 2 * page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    CHECK(map != MAP_FAILED && mprotect(map + page, page, PROT_NONE) == 0);
    if (check_failures) return;
    static const char *const edges[] = {
        "",   "-", "1e", "1e-",     "n",        "-na", "i",          "inf",
        "1.", ".", "in", "infinit", "12345678", "nan", "1.12345678", "1234567.123456789012345"};
    char text[128];
    for (int i = 0; i < 20000; i++) {
        random_text(text);
        const char *s = i < 16 ? edges[i] : text;
        size_t n = strlen(s);
        char *strict = map + page - n, *loose = map + page - HSP__DECIMAL_PADDING - n;
        hsp__decimal_result r1, r2;
        double d1, d2;
        float f1, f2;
        uint64_t u1, u2;
        memset(loose, '7', n + HSP__DECIMAL_PADDING);
        memcpy(loose, s, n);
        const char *after = hsp__decimal_f64_padded(loose, loose + n, &d2, &widest, &r2);
        const char *after32 = hsp__decimal_f32_padded(loose, loose + n, &f2, &widest, &r2);
        const char *after_u = hsp__decimal_u64_padded(loose, loose + n, &u2, &r2);
        memcpy(strict, s, n);
        CHECK(hsp__decimal_f64(strict, strict + n, &d1, &r1) - strict == after - loose);
        CHECK(hsp__decimal_f32(strict, strict + n, &f1, &r1) - strict == after32 - loose);
        CHECK(hsp__decimal_u64(strict, strict + n, &u1, &r1) - strict == after_u - loose);
        CHECK((bits_f64(d1) == bits_f64(d2) && bits_f32(f1) == bits_f32(f2)) || isnan(d1));
        CHECK(u1 == u2 && r1 == r2);
    }
    munmap(map, 2 * page);
}

static void reads_unsigned_integers(void)
{
    static const struct {
        const char *text;
        int used;
        hsp__decimal_result reason;
        uint64_t value;
    } cases[] = {
        {"0", 1, HSP__DECIMAL_OK, 0},
        {"123", 3, HSP__DECIMAL_OK, 123},
        {"12345:6", 5, HSP__DECIMAL_OK, 12345},
        {"1234567", 7, HSP__DECIMAL_OK, 1234567},
        {"12345678", 8, HSP__DECIMAL_OK, 12345678},
        {"123456789 ", 9, HSP__DECIMAL_OK, 123456789},
        {"18446744073709551615", 20, HSP__DECIMAL_OK, UINT64_MAX},
        {"18446744073709551616", 20, HSP__DECIMAL_OVERFLOW, UINT64_MAX},
        {"19999999999999999999", 20, HSP__DECIMAL_OVERFLOW, UINT64_MAX},
        {"20000000000000000000", 20, HSP__DECIMAL_OVERFLOW, UINT64_MAX},
        {"30000000000000000000", 20, HSP__DECIMAL_OVERFLOW, UINT64_MAX},
        {"99999999999999999999", 20, HSP__DECIMAL_OVERFLOW, UINT64_MAX},
        {"100000000000000000000.", 21, HSP__DECIMAL_OVERFLOW, UINT64_MAX},
        {"000000000000000000000000000018446744073709551614", 48, HSP__DECIMAL_OK, UINT64_MAX - 1},
        {"00000000000000000000000000000", 29, HSP__DECIMAL_OK, 0},
        {"", 0, HSP__DECIMAL_NONE, 0},
        {"-1", 0, HSP__DECIMAL_NONE, 0},
        {"x", 0, HSP__DECIMAL_NONE, 0},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        size_t n = strlen(cases[i].text);
        const char *p = padded(cases[i].text, n), *used = p + cases[i].used;
        hsp__decimal_result r;
        uint64_t v;
        CHECK_NOTE(hsp__decimal_u64(p, p + n, &v, &r) == used, "%s", p);
        CHECK_NOTE(r == cases[i].reason && v == cases[i].value, "%s", p);
        CHECK_NOTE(hsp__decimal_u64_padded(p, p + n, &v, &r) == used, "%s", p);
        CHECK_NOTE(r == cases[i].reason && v == cases[i].value, "%s", p);
    }
}

/* ---- Locale -----------------------------------------------------------------------------------*/

static void ignores_the_locale(void)
{
    static const char *const names[] = {"de_DE.UTF-8", "de_DE.utf8",  "de_DE",      "fr_FR.UTF-8",
                                        "es_ES.UTF-8", "it_IT.UTF-8", "nl_NL.UTF-8"};
    bool comma = false;
    for (size_t i = 0; i < sizeof names / sizeof names[0] && !comma; i++)
        comma = setlocale(LC_ALL, names[i]) && *localeconv()->decimal_point == ',';
    if (!comma) printf("   (no locale with a decimal comma here: checked in the C locale only)\n");

    char text[HSP__DECIMAL_MAX];
    hsp__decimal_print_f64(-1234.5, text);
    CHECK_TEXT(text, "-1234.5");
    hsp__decimal_print_f32(1.5e-9F, text);
    CHECK_TEXT(text, "1.5e-9");
    expect_f64("0.1234567890123456789", 21, 0.1234567890123456789);
    expect_f32("-1234.5", 7, -1234.5F);
    hsp__decimal_result r;
    double v;
    const char *p = "1,5";
    CHECK(hsp__decimal_f64(p, p + 3, &v, &r) == p + 1 && v == 1);
    setlocale(LC_ALL, "C");
}

#ifdef HSP__DECIMAL_VECTOR
/* Every number of this form is taken, and nothing else. */
static void takes_short_numbers_by_vectors(void)
{
    static const char *const refused[] = {"",
                                          "-",
                                          "--1",
                                          "+1",
                                          ".",
                                          "-.",
                                          "1.2.3",
                                          "..1",
                                          "1e5",
                                          "1 2",
                                          "nan",
                                          "0x10",
                                          "1,5",
                                          "1:5",
                                          "1/2",
                                          "1-2",
                                          "1#",
                                          "1.5\r",
                                          "\x80\x31",
                                          "1.\xb9",
                                          "1234567890.12345",
                                          "0.12345678901234"};
    char text[32];
    hsp__decimal_short s;
    for (size_t i = 0; i < sizeof refused / sizeof *refused; i++)
        CHECK_NOTE(!by_vector(refused[i], strlen(refused[i]), &s), "%s", refused[i]);
    for (unsigned whole = 0; whole <= 14; whole++)
        for (unsigned behind = 0; whole + behind <= 14; behind++)
            for (int form = 0; form < 4; form++) { /* with a sign; with a dot */
                size_t n = 0;
                uint64_t w = 0;
                if (form & 1) text[n++] = '-';
                for (unsigned i = 0; i < whole + behind; i++) {
                    if (i == whole && form & 2) text[n++] = '.';
                    const unsigned digit = (7 * i + 3 * whole + behind) % 10;
                    text[n++] = (char)('0' + digit);
                    w = 10 * w + digit;
                }
                if (behind == 0 && form & 2) text[n++] = '.';
                text[n] = 0;
                const unsigned digits = whole + behind, front = form & 2 ? whole : digits;
                const int right = digits > 0;
                CHECK_NOTE(by_vector(text, n, &s) == right, "%s", text);
                if (!right) continue;
                CHECK_NOTE(s.w == w && s.scale == digits - front, "%s", text);
                CHECK_NOTE(s.negative == (form & 1), "%s", text);
            }
}

static void finds_colons_and_blanks(void)
{
    char text[64];
    for (int c = 0; c < 256; c++)
        for (int i = 0; i < 64; i += 9) {
            memset(text, '5', sizeof text);
            text[i] = (char)c;
            const uint64_t want = c == ':' || c <= ' ' ? UINT64_C(1) << i : 0;
            CHECK_NOTE(hsp__decimal_stops(text) == want, "byte %d at %d", c, i);
        }
}
#endif

int main(void)
{
    RUN(reads_edges_as_libc);
    RUN(reads_short_numbers);
    RUN(reads_every_power_of_ten);
    RUN(reads_midpoints_of_floats);
    RUN(reads_near_midpoints_of_floats);
#if LDBL_MANT_DIG >= 54 && LDBL_MIN_EXP < -1076
    RUN(reads_midpoints_of_doubles);
#endif
    RUN(reads_very_long_numbers);
    RUN(reads_random_texts_as_libc);
    RUN(says_what_is_there);
    RUN(f32_overflows_before_f64);
    RUN(tells_what_became_zero);
    RUN(counts_significant_digits);
    RUN(counts_digits_wherever_the_dot_is);
    RUN(tells_what_is_lost);
    RUN(stays_inside_the_buffer);
    RUN(reads_unsigned_integers);
#ifdef HSP__DECIMAL_VECTOR
    RUN(takes_short_numbers_by_vectors);
    RUN(finds_colons_and_blanks);
#endif
    RUN(ignores_the_locale);
    return check_done();
}
