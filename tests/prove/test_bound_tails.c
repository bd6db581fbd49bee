/* Binomial tails and their inverses: published values, another program's, and the definitions. */
#include <math.h>

#include "check.h"
#include "prove/bound.h"

/* P(X <= m), term by term. */
static long double direct_tail(int n, int m, long double p)
{
    long double sum = 0;
    for (int k = 0; k <= m; k++) {
        long double term = 1;
        for (int i = 1; i <= k; i++)
            term = term * (long double)(n - k + i) / (long double)i;
        sum += term * powl(p, k) * powl(1 - p, n - k);
    }
    return sum;
}

/* Two-sided 95% intervals as printed in tables of Clopper and Pearson's limits. */
static void published(void)
{
    static const struct {
        uint64_t n, m;
        double low, high;
    } printed[] = {{10, 0, 0, 0.3085},      {10, 1, 0.0025, 0.4450},   {10, 5, 0.1871, 0.8129},
                   {20, 1, 0.0013, 0.2487}, {20, 10, 0.2720, 0.7280},  {30, 3, 0.0211, 0.2653},
                   {50, 5, 0.0333, 0.2181}, {100, 10, 0.0490, 0.1762}, {100, 50, 0.3983, 0.6017},
                   {10, 10, 0.6915, 1}};
    for (size_t i = 0; i < sizeof printed / sizeof *printed; i++) {
        const double high = hsp_binomial_upper(printed[i].n, printed[i].m, 0.025);
        const double low = hsp_binomial_lower(printed[i].n, printed[i].m, 0.025);
        CHECK_NOTE(fabs(high - printed[i].high) <= 0.00005001, "case %zu: %g", i, high);
        CHECK_NOTE(fabs(low - printed[i].low) <= 0.00005001, "case %zu: %g", i, low);
    }
}

/* Quantiles of the beta distribution by SciPy 1.10, good to about nine digits. */
static void another_program(void)
{
    static const struct {
        uint64_t n, m;
        double delta, high, low;
    } cases[] = {{1, 0, 0.05, 0.95, 0},
                 {100, 0, 0.05, 0.0295130496070399, 0},
                 {1000, 3, 0.01, 0.0100097919917077, 0.000436386564076127},
                 {600, 54, 0.05, 0.111588681928742, 0.0714842547512972},
                 {1000000, 1000, 0.05, 0.00105357487745444, 0.00094858377859362},
                 {1000000000, 5, 1e-6, 2.54126257644183e-08, 1.69063001945312e-10},
                 {50, 49, 0.05, 0.998974660132768, 0.908601869280303},
                 {7, 6, 1e-10, 0.999999999985714, 0.0156120092717752},
                 {20000, 7431, 1e-12, 0.395810409624332, 0.347717947409826}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const double high = hsp_binomial_upper(cases[i].n, cases[i].m, cases[i].delta);
        const double low = hsp_binomial_lower(cases[i].n, cases[i].m, cases[i].delta);
        CHECK_NOTE(fabs(high - cases[i].high) <= 1e-8 * cases[i].high, "case %zu: %.15g", i, high);
        CHECK_NOTE(fabs(low - cases[i].low) <= 1e-8 * cases[i].low, "case %zu: %.15g", i, low);
    }
}

/* At the bound the tail is delta, on the safe side, and just inside it is more. */
static void definition(void)
{
    static const double deltas[] = {0.9, 0.05, 1e-3, 1e-9};
    for (int n = 1; n <= 40; n += 3)
        for (int m = 0; m < n; m++)
            for (int d = 0; d < 4; d++) {
                const double delta = deltas[d];
                const double high = hsp_binomial_upper((uint64_t)n, (uint64_t)m, delta);
                const double low = hsp_binomial_lower((uint64_t)n, (uint64_t)(n - m), delta);
                const double inside = high * (1 - 1e-9) - 1e-9 * (1 - high);
                CHECK_NOTE(direct_tail(n, m, high) <= (long double)delta, "%d %d %g", n, m, delta);
                CHECK_NOTE(direct_tail(n, m, inside) > (long double)delta, "%d %d %g", n, m, delta);
                /* n - m or more of probability low: m or fewer of probability 1 - low */
                CHECK_NOTE(direct_tail(n, m, 1 - (long double)low) <=
                               (long double)delta * (1 + 1e-8L),
                           "%d %d %g", n, m, delta);
                CHECK_NOTE(fabs(high + low - 1) <= 1e-9, "%d %d %g: %.15g %.15g", n, m, delta, high,
                           low);
            }
}

/* Whatever p is, the bound lies below it with probability delta at most: exactly summed. */
static void coverage(void)
{
    static const int sizes[] = {1, 2, 7, 25, 60};
    for (int s = 0; s < 5; s++)
        for (double p = 0.01; p < 1; p += 0.0317) {
            const int n = sizes[s];
            long double missed = 0, before = 0;
            for (int m = 0; m <= n; m++) {
                const long double tail = m == n ? 1 : direct_tail(n, m, p);
                if (hsp_binomial_upper((uint64_t)n, (uint64_t)m, 0.1) < p) missed += tail - before;
                before = tail;
            }
            CHECK_NOTE(missed <= 0.1L, "n = %d, p = %g: missed %Lg", n, p, missed);
        }
}

static void limits(void)
{
    CHECK(hsp_binomial_upper(0, 0, 0.05) == 1);
    CHECK(hsp_binomial_lower(0, 0, 0.05) == 0);
    CHECK(hsp_binomial_upper(9, 9, 0.05) == 1);
    CHECK(hsp_binomial_lower(9, 0, 0.05) == 0);
    CHECK(isnan(hsp_binomial_upper(3, 4, 0.05)) && isnan(hsp_binomial_lower(3, 4, 0.05)));
    CHECK(isnan(hsp_binomial_upper(3, 1, 0)) && isnan(hsp_binomial_lower(3, 1, 1)));
    CHECK(isnan(hsp_binomial_upper(3, 1, (double)NAN)));
    CHECK(fabs(hsp_binomial_upper(1, 0, 1e-300) - 1) <= 1e-15);
    CHECK(hsp_binomial_upper(1000, 0, 1e-300) <= 1 - exp(-690.8 / 1000));
    CHECK(hsp_binomial_upper(10, 3, 0.999999) > 0 && hsp_binomial_upper(10, 3, 0.999999) < 0.3);
    /* confidences far below the smallest double */
    CHECK(fabs(hsp__binomial_upper(100000, 0, -5000) - -expm1(-0.05)) <= 1e-9);
    CHECK(hsp__binomial_upper(10, 0, -1e6) == 1);
    CHECK(hsp__binomial_upper(UINT64_C(1) << 60, 0, -3) > 0);
}

static void monotone(void)
{
    for (uint64_t n = 1; n <= 200; n += 7)
        for (uint64_t m = 0; m < n; m += 3) {
            const double at = hsp_binomial_upper(n, m, 0.05);
            CHECK(at < hsp_binomial_upper(n, m + 1, 0.05));
            CHECK(at > hsp_binomial_upper(n + 1, m, 0.05));
            CHECK(at < hsp_binomial_upper(n, m, 0.04));
            CHECK(at > (double)m / (double)n);
            CHECK(hsp_binomial_lower(n, m + 1, 0.05) < (double)(m + 1) / (double)n);
            /* the cruder ones are above it */
            const double chernoff = hsp__kl_upper((double)m / (double)n, log(20) / (double)n);
            CHECK(at <= chernoff * (1 + 1e-9));
            CHECK(chernoff <= (double)m / (double)n + sqrt(log(20) / (2 * (double)n)) + 1e-12);
        }
}

static void two_coins(void)
{
    for (double q = 0; q < 1; q += 0.0625)
        for (double c = 1e-9; c < 10; c *= 7) {
            const double p = hsp__kl_upper(q, c);
            CHECK(p >= q && p <= 1);
            CHECK_NOTE(p > 1 - 1e-9 || fabs(hsp__kl(q, p) - c) <= 1e-6 * c + 1e-12, "%g %g: %g", q,
                       c, p);
        }
    CHECK(hsp__kl_upper(1, 0.1) == 1);
    CHECK(fabs(hsp__kl_upper(0, 0.1) - (1 - exp(-0.1))) <= 1e-12);
    CHECK(hsp__kl(0.3, 0.3) == 0);
}

static void counting(void)
{
    CHECK(fabs(hsp__log_choose(10, 3) - log(120)) <= 1e-12);
    CHECK(fabs(hsp__log_choose(60, 30) - log(118264581564861424.0)) <= 1e-12);
    CHECK(hsp__log_choose(5, 0) == 0 && hsp__log_choose(5, 5) == 0);
    CHECK(fabs(hsp__log_sauer(2, 10) - log(1 + 10 + 45)) <= 1e-11);
    CHECK(fabs(hsp__log_sauer(7, 5) - 5 * log(2)) <= 1e-12);
    CHECK(fabs(hsp__log_sauer(5, 5) - 5 * log(2)) <= 1e-12);
    /* few terms from the first and many from the last: the same sum, and never below it */
    double power = 0;
    long double sum = 1, term = 1;
    for (int i = 1; i <= 300; i++) {
        term = term * (long double)(2000 - i + 1) / i;
        sum += term;
    }
    power = (double)logl(sum);
    CHECK(hsp__log_sauer(300, 2000) >= power);
    CHECK(hsp__log_sauer(300, 2000) <= power * (1 + 1e-11));
    CHECK(hsp__log_sauer(1e6, 1.5e6) >= 1.5e6 * log(2) * (1 - 1e-9));
}

int main(void)
{
    RUN(published);
    RUN(another_program);
    RUN(definition);
    RUN(coverage);
    RUN(limits);
    RUN(monotone);
    RUN(two_coins);
    RUN(counting);
    return check_done();
}
