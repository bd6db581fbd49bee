/* Ranges, ticks and labels of axes, by hand. */
#include "../check.h"
#include "show/axis.h"

static hsp__ticks ticks;

static int ticks_are(const char *expected)
{
    char all[1024] = "";
    for (int i = 0; i < ticks.count; i++)
        snprintf(all + strlen(all), sizeof all - strlen(all), "%s%s", i ? " " : "", ticks.text[i]);
    if (strcmp(all, expected) != 0) fprintf(stderr, "ticks: %s\n", all);
    return strcmp(all, expected) == 0;
}

static void ticks_by_hand(void)
{
    static const struct {
        double low, high;
        int wanted, log;
        const char *expected;
    } cases[] = {
        {0, 1, 5, 0, "0.0 0.2 0.4 0.6 0.8 1.0"},
        {0.764, 7.136, 7, 0, "1 2 3 4 5 6 7"},
        {-0.04, 1.04, 2, 0, "0.0 0.5 1.0"},
        {-0.8, 0.85, 3, 0, "-0.5 0.0 0.5"}, /* not 0 alone */
        {-30, 25, 6, 0, "-30 -20 -10 0 10 20"},
        {0, 50000, 5, 0, "0 10,000 20,000 30,000 40,000 50,000"},
        {-20000, 10000, 3, 0, "-20,000 -10,000 0 10,000"},
        {0, 4e6, 4, 0, "0 1e6 2e6 3e6 4e6"},
        {0, 3e-7, 3, 0, "0 1e-7 2e-7 3e-7"},
        {-1e300, 1e300, 4, 0, "-1e300 -5e299 0 5e299 1e300"},
        {1e6, 1e6 + 4, 4, 0, "1e6 1.000001e6 1.000002e6 1.000003e6 1.000004e6"},
        {0.01, 100, 9, 1, "0.01 0.1 1 10 100"},
        {1, 20, 9, 1, "1 2 5 10 20"},
        {1e-300, 1e300, 4, 1, "1e-200 1 1e200"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const hsp__axis axis = {.low = cases[i].low, .high = cases[i].high, .log = cases[i].log};
        hsp__axis_ticks(&axis, cases[i].wanted, &ticks);
        CHECK(ticks_are(cases[i].expected));
    }
}

static void categories_are_thinned_out(void)
{
    char letters[] = "a\0b\0c\0d\0e",
         *names[] = {letters, letters + 2, letters + 4, letters + 6, letters + 8};
    const hsp__axis axis = {.low = -0.5, .high = 4.5, .categories = names, .category_count = 5};
    hsp__axis_ticks(&axis, 9, &ticks);
    CHECK(ticks_are("a b c d e"));
    hsp__axis_ticks(&axis, 3, &ticks);
    CHECK(ticks_are("a c e"));
}

/* Whatever the rows are, an axis has a range, places are finite, and ticks lie in it. */
static void every_range_works(void)
{
    static const double values[] = {0,      -0.0,   1,     -1,    5,       1e-320,
                                    1e-300, -1e300, 1e300, 1e308, -1.7e308};
    enum { COUNT = sizeof values / sizeof *values };
    for (int i = 0; i < COUNT; i++)
        for (int j = 0; j < COUNT; j++) {
            hsp__axis axis = {0};
            const double low = fmin(values[i], values[j]), high = fmax(values[i], values[j]);
            hsp__axis_pad(&axis, low, high);
            CHECK(isfinite(axis.low) && isfinite(axis.high) && axis.low < axis.high);
            CHECK(isfinite(hsp__axis_place(&axis, axis.low)));
            CHECK(fabs(hsp__axis_place(&axis, axis.high) - 1) <= 1e-12);
            hsp__axis_ticks(&axis, 6, &ticks);
            for (int t = 0; t < ticks.count; t++) {
                const double place = hsp__axis_place(&axis, ticks.at[t]);
                CHECK(place >= -1e-6 && place <= 1 + 1e-6);
            }
        }
}

static void labels(void)
{
    char label[HSP__LABEL];
    CHECK(strcmp(hsp__label_count(0, label), "0") == 0);
    CHECK(strcmp(hsp__label_count(1234567, label), "1,234,567") == 0);
    CHECK(strcmp(hsp__label_number(-0.0, label), "0") == 0);
    CHECK(strcmp(hsp__label_number(1e-300, label), "1e-300") == 0);
    CHECK(strcmp(hsp__label_number(0.1, label), "0.1") == 0);
}

int main(void)
{
    RUN(ticks_by_hand);
    RUN(categories_are_thinned_out);
    RUN(every_range_works);
    RUN(labels);
    return check_done();
}
