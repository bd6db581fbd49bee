/* Tails of the binomial distribution, and what inverts them.
 *
 * ln of one probability, C(n, k) p^k q^(n-k), by Stirling's series around its deviance: the large
 * terms, k ln(k / np) and (n-k) ln((n-k) / nq), are taken together with what cancels them, so that
 * the result is good to about 1e-13 for any n (C. Loader, Fast and accurate computation of binomial
 * probabilities, 2000, has the idea). The tail below k <= np is that probability times a falling
 * series, summed until its terms no longer count: about sqrt(n p q) of them.
 *
 * The bounds: C. Clopper, E. Pearson, The use of confidence or fiducial limits illustrated in the
 * case of the binomial, Biometrika 26 (1934). Both go over probabilities by bisection, down to
 * neighbouring doubles, and return the end that errs on the safe side; the comparison itself
 * allows TAIL_SLACK for rounding, in the same direction. */
#include <assert.h>
#include <math.h>

#include "prove/bound.h"

#define TAIL_SLACK 1e-11 /* relative: how far the logarithm of a tail may be off */
#define TAIL_EXACT 16    /* factorials below this are multiplied out */

/* ln n! - ((n + 1/2) ln n - n + ln sqrt(2 pi)), for n >= 1. */
static double tail_stirling(double n)
{
    if (n < TAIL_EXACT) {
        double product = 1;
        for (int k = 2; k <= (int)n; k++)
            product *= k;
        return log(product) - ((n + 0.5) * log(n) - n + 0.91893853320467274178);
    }
    const double z = 1 / (n * n);
    return (1.0 / 12 - (1.0 / 360 - (1.0 / 1260 - (1.0 / 1680 - z / 1188) * z) * z) * z) / n;
}

/* x ln(x / y) + y - x, x = y + more: how much less likely x is than y. */
static double tail_deviance(double y, double more)
{
    const double d = more / y;
    if (fabs(d) < 0.5) return y * ((1 + d) * log1p(d) - d);
    return (y + more) * log1p(d) - more;
}

/* ln of C(n, k) p^k (1 - p)^(n - k). */
static double tail_term(double n, double k, double p)
{
    assert(0 <= k && k <= n && p > 0 && p < 1);
    const double q = 1 - p;
    if (k == 0) return n * log1p(-p);
    if (k == n) return n * log(p);
    return tail_stirling(n) - tail_stirling(k) - tail_stirling(n - k) -
           tail_deviance(n * p, k - n * p) - tail_deviance(n * q, n * p - k) -
           0.5 * log(2 * 3.14159265358979323846 * k * ((n - k) / n));
}

/* ln P(X <= m) for m <= np, where terms fall towards 0; `up`: ln P(X >= m) for m >= np. */
static double tail_sum(double n, double m, double p, int up)
{
    const double odds = up ? p / (1 - p) : (1 - p) / p;
    double term = 1, sum = 1;
    for (double left = up ? n - m : m; left > 0 && term > sum * 1e-18; left--) {
        term *= left / (n - left + 1) * odds;
        sum += term;
    }
    return tail_term(n, m, p) + log(sum);
}

double hsp__binomial_tail(uint64_t n, uint64_t m, double p)
{
    const double all = (double)n, some = (double)m;
    if (m >= n || p <= 0) return 0;
    if (p >= 1) return -HUGE_VAL;
    if (some <= all * p) return tail_sum(all, some, p, 0);
    return log1p(-fmin(1, exp(tail_sum(all, some + 1, p, 1))));
}

/* ln P(X >= m), m > 0. */
static double tail_at_least(uint64_t n, uint64_t m, double p)
{
    const double all = (double)n, some = (double)m;
    if (p <= 0) return -HUGE_VAL;
    if (p >= 1) return 0;
    if (some >= all * p) return tail_sum(all, some, p, 1);
    return log1p(-fmin(1, exp(tail_sum(all, some - 1, p, 0))));
}

/* Bisection, down to neighbouring doubles: the largest p whose lower tail is not below `least`,
 * rounded up; `up`: the smallest whose upper tail is not, rounded down. */
static double tail_bisect(uint64_t n, uint64_t m, double least, int up)
{
    double low = 0, high = 1;
    for (;;) {
        /* small probabilities, too, are reached in few steps */
        const double p = low == 0         ? (high > 1e-300 ? high / 1024 : 0)
                         : high > 4 * low ? sqrt(low) * sqrt(high)
                                          : low + (high - low) / 2;
        if (!(p > low && p < high)) return up ? low : high;
        const double tail = up ? tail_at_least(n, m, p) : hsp__binomial_tail(n, m, p);
        if ((tail > least) != up)
            low = p;
        else
            high = p;
    }
}

double hsp__binomial_upper(uint64_t n, uint64_t m, double log_delta)
{
    assert(log_delta <= 0);
    return m >= n ? 1 : tail_bisect(n, m, log_delta + TAIL_SLACK * log_delta, 0);
}

double hsp_binomial_upper(uint64_t rows, uint64_t mistakes, double delta)
{
    if (mistakes > rows || !(delta > 0 && delta < 1)) return (double)NAN;
    return hsp__binomial_upper(rows, mistakes, log(delta));
}

double hsp_binomial_lower(uint64_t rows, uint64_t mistakes, double delta)
{
    if (mistakes > rows || !(delta > 0 && delta < 1)) return (double)NAN;
    if (mistakes == 0) return 0;
    return tail_bisect(rows, mistakes, log(delta) * (1 + TAIL_SLACK), 1);
}

/* ---- Two coins ---- */

double hsp__kl(double q, double p)
{
    assert(q >= 0 && q <= 1 && p >= 0 && p <= 1);
    double sum = 0;
    if (q > 0) sum += q * log(q / p);
    if (q < 1) sum += (1 - q) * log((1 - q) / (1 - p));
    return q == p ? 0 : sum;
}

double hsp__kl_upper(double q, double c)
{
    double low = q, high = 1;
    if (!(q < 1)) return 1;
    if (q < 0) low = q = 0;
    if (q == 0) return fmin(1, -expm1(-c) * (1 + 0x1p-50));
    for (;;) {
        const double p = low + (high - low) / 2;
        if (!(p > low && p < high)) return high;
        if (hsp__kl(q, p) <= c * (1 + TAIL_SLACK) + 1e-15)
            low = p;
        else
            high = p;
    }
}

/* ---- Counting ---- */

#define TAIL_FEW 200 /* terms that are simply added */

/* ln of the sum of C(n, i), i = 0 .. d. Few terms are added from the first, which grow by
 * (n - i + 1) / i; what grows too large is kept as a power. Many are added from the last, which
 * fall while i < n / 2; beyond that the sum is at least half of 2^n, and 2^n will do. Rounded up.
 */
double hsp__log_sauer(double d, double n)
{
    double term = 1, sum = 1, power = 0;
    assert(d >= 0 && n >= 0);
    if (n <= d || (d > TAIL_FEW && n <= 2 * d)) return n * 0.69314718055994530942;
    if (d > TAIL_FEW) {
        for (double i = d; i > 0 && term > sum * 1e-18; i--) {
            term *= i / (n - i + 1);
            sum += term;
        }
        return (hsp__log_choose(n, d) + log(sum)) * (1 + 1e-12);
    }
    for (int i = 1; i <= (int)d; i++) {
        term *= (n - i + 1) / i;
        sum += term;
        if (sum > 1e280) {
            power += log(sum);
            term /= sum;
            sum = 1;
        }
    }
    return (power + log(sum)) * (1 + 1e-13);
}

double hsp__log_choose(double n, double k)
{
    if (!(k > 0 && k < n)) return 0;
    /* C(n, k) = P(X = k) / (p^k q^(n-k)) with p = k / n, where the deviances vanish */
    const double p = k / n;
    return tail_stirling(n) - tail_stirling(k) - tail_stirling(n - k) -
           0.5 * log(2 * 3.14159265358979323846 * k * (1 - p)) - k * log(p) - (n - k) * log1p(-p);
}
