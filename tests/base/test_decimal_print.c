/* Decimals printed: the form, and the shortest text that reads back, by libc and by our reading. */
#include "base/decimal.h"

#include <math.h>
#include <stdbool.h>

#include "../check.h"
#include "bits.h"

static void prints_integers(void)
{
    char got[HSP__DECIMAL_MAX], want[HSP__DECIMAL_MAX];
    for (int i = 0; i < 300000; i++) {
        uint64_t v = test_random() >> test_random_below(64);
        if (i < 60) v = i < 20 ? (uint64_t)i : UINT64_MAX / (uint64_t)i;
        sprintf(want, "%llu", (unsigned long long)v);
        CHECK(hsp__decimal_print_u64(v, got) == strlen(want));
        CHECK_TEXT(got, want);
        sprintf(want, "%lld", (long long)v);
        CHECK(hsp__decimal_print_i64((int64_t)v, got) == strlen(want));
        CHECK_TEXT(got, want);
    }
    for (uint64_t ten = 1; ten <= UINT64_MAX / 10; ten *= 10)
        for (uint64_t v = ten - 1; v <= ten + 1; v++) {
            sprintf(want, "%llu", (unsigned long long)v);
            hsp__decimal_print_u64(v, got);
            CHECK_TEXT(got, want);
        }
    CHECK(hsp__decimal_print_i64(INT64_MIN, got) == 20);
    CHECK_TEXT(got, "-9223372036854775808");
}

static void prints_in_this_form(void)
{
    static const struct {
        double value;
        const char *f64, *f32;
    } cases[] = {
        {0, "0", "0"},
        {-0.0, "-0", "-0"},
        {3, "3", "3"},
        {-12, "-12", "-12"},
        {0.5, "0.5", "0.5"},
        {0.1, "0.1", "0.1"},
        {0.0234, "0.0234", "0.0234"},
        {-0.0001, "-0.0001", "-0.0001"},
        {0.00001, "1e-5", "1e-5"},
        {1e-7, "1e-7", "1e-7"},
        {-1.25e-7, "-1.25e-7", "-1.25e-7"},
        {1.5e20, "1.5e20", "1.5e20"},
        {123456.75, "123456.75", "123456.75"},
        {16777216, "16777216", "16777216"},
        {16777218, "16777218", "16777218"},
        {1e15, "1000000000000000", "1000000000000000"},
        {1e16, "1e16", "1e16"},
        {9007199254740992, "9007199254740992", "9007199000000000"},
        {1e22, "1e22", "1e22"},
        {1e23, "1e23", "1e23"},
        {2e-44, "2e-44", "2e-44"},
        {0.30000000000000004, "0.30000000000000004", "0.3"},
        {3.4028234663852886e38, "3.4028234663852886e38", "3.4028235e38"},
        {-2.2250738585072014e-308, "-2.2250738585072014e-308", "-0"},
        {1.7976931348623157e308, "1.7976931348623157e308", "inf"},
        {5e-324, "5e-324", "0"},
        {9.5367431640625e-07, "9.5367431640625e-7", "9.536743e-7"},
        {(double)INFINITY, "inf", "inf"},
        {-(double)INFINITY, "-inf", "-inf"},
        {(double)NAN, "nan", "nan"},
        {-(double)NAN, "nan", "nan"},
    };
    char got[HSP__DECIMAL_MAX];
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        CHECK(hsp__decimal_print_f64(cases[i].value, got) == strlen(cases[i].f64));
        CHECK_TEXT(got, cases[i].f64);
        CHECK(hsp__decimal_print_f32((float)cases[i].value, got) == strlen(cases[i].f32));
        CHECK_TEXT(got, cases[i].f32);
    }
}

static void round_trip_f32(uint32_t bits)
{
    char text[HSP__DECIMAL_MAX];
    hsp__decimal_result r;
    float back;
    size_t n = hsp__decimal_print_f32(from_bits_f32(bits), text);
    CHECK_NOTE(n < HSP__DECIMAL_MAX && text[n] == '\0', "%08x", bits);
    CHECK_NOTE(hsp__decimal_f32(text, text + n, &back, &r) == text + n, "%s", text);
    CHECK_NOTE(bits_f32(back) == bits, "%08x %s", bits, text);
}

static void round_trip_f64(uint64_t bits)
{
    char text[HSP__DECIMAL_MAX];
    hsp__decimal_result r;
    double back;
    size_t n = hsp__decimal_print_f64(from_bits_f64(bits), text);
    CHECK_NOTE(n < HSP__DECIMAL_MAX && text[n] == '\0', "%llx", (unsigned long long)bits);
    CHECK_NOTE(hsp__decimal_f64(text, text + n, &back, &r) == text + n, "%s", text);
    CHECK_NOTE(bits_f64(back) == bits, "%llx %s", (unsigned long long)bits, text);
}

static void prints_what_reads_back(void)
{
    for (int i = 0; i < 3000000; i++) {
        uint64_t bits = test_random();
        if ((bits >> 52 & 0x7ff) != 0x7ff) round_trip_f64(bits);
        uint32_t bits32 = (uint32_t)(bits >> 3);
        if ((bits32 >> 23 & 0xff) != 0xff) round_trip_f32(bits32);
    }
    for (uint64_t field = 0; field < 0x7ff; field++)
        for (uint64_t i = 0; i < 4; i++) {
            round_trip_f64((field << 52) + i);
            round_trip_f64((field << 52) + (UINT64_MAX >> 12) - i);
        }
    for (uint32_t field = 0; field < 0xff; field++)
        for (uint32_t i = 0; i < 4; i++) {
            round_trip_f32(field << 23 | i);
            round_trip_f32((field << 23) + (0x007fffff - i));
        }
}

/* The significant digits of text, and how many they are. */
static int significant(const char *text, char *digits)
{
    int n = 0, kept = 0;
    for (; *text && *text != 'e'; text++) {
        if (*text < '0' || *text > '9' || (n == 0 && *text == '0')) continue;
        digits[n++] = *text;
        if (*text != '0') kept = n;
    }
    digits[kept] = '\0';
    return kept;
}

static bool reads_as_f64(const char *text, double v)
{
    return strtod(text, NULL) == v;
}

static bool reads_as_f32(const char *text, double v)
{
    return strtof(text, NULL) == (float)v;
}

/* The printed digits of v > 0 are the closest of their count, if that one reads back as v, and no
 * decimal with one digit less does, neither the closest one nor its neighbours. */
static void expect_shortest(const char *printed, double v, bool (*reads_as)(const char *, double))
{
    char digits[64], closest[64], text[64];
    int n = significant(printed, digits);
    sprintf(text, "%.*e", n - 1, v);
    significant(text, closest);
    CHECK_NOTE(strcmp(digits, closest) == 0 || !reads_as(text, v), "%s, not %s", printed, text);
    if (n == 1) return;
    sprintf(text, "%.*e", n - 2, v);
    CHECK_NOTE(!reads_as(text, v), "%s, shorter %s", printed, text);
    char *last = strchr(text, 'e') - 1;
    if (*last == '.') last--;
    char keep = *last;
    if (keep < '9') *last = (char)(keep + 1);
    CHECK_NOTE(!reads_as(text, v), "%s, shorter %s", printed, text);
    if (keep > '0') *last = (char)(keep - 1);
    CHECK_NOTE(!reads_as(text, v), "%s, shorter %s", printed, text);
}

static void expect_shortest_f64(uint64_t bits)
{
    char text[HSP__DECIMAL_MAX];
    if (bits >> 52 == 0x7ff || bits == 0) return;
    hsp__decimal_print_f64(from_bits_f64(bits), text);
    expect_shortest(text, from_bits_f64(bits), reads_as_f64);
}

static void expect_shortest_f32(uint32_t bits)
{
    char text[HSP__DECIMAL_MAX];
    if (bits >> 23 == 0xff || bits == 0) return;
    hsp__decimal_print_f32(from_bits_f32(bits), text);
    expect_shortest(text, (double)from_bits_f32(bits), reads_as_f32);
}

static void prints_the_shortest(void)
{
    for (uint32_t i = 0; i < 2000; i++) { /* the smallest denormals have the fewest digits */
        expect_shortest_f64(i);
        expect_shortest_f32(i);
    }
    for (uint64_t field = 1; field < 0x7ff; field++) { /* all powers of two */
        expect_shortest_f64(field << 52);
        expect_shortest_f32((uint32_t)(field % 0xff) << 23);
    }
    for (int i = 0; i < 150000; i++) {
        uint64_t bits = test_random() >> 1;
        expect_shortest_f64(bits);
        expect_shortest_f32((uint32_t)(bits >> 32));
        expect_shortest_f64(bits_f64((double)(bits >> 40) / 1000.0));
        expect_shortest_f32(bits_f32((float)(bits >> 46) / 1000.0F));
        if (i % 8) continue;
        expect_shortest_f64(bits & UINT64_MAX >> 12);
        expect_shortest_f32((uint32_t)bits & UINT32_MAX >> 9);
    }
}

int main(void)
{
    RUN(prints_integers);
    RUN(prints_in_this_form);
    RUN(prints_what_reads_back);
    RUN(prints_the_shortest);
    return check_done();
}
