/* Enclosures in whole numbers, rounded outwards. */
#include "full.h"

void hsv_span_add(mpz_t out_lo, mpz_t out_hi, const mpz_t factor, const mpz_t lo, const mpz_t hi)
{
    const int turned = mpz_sgn(factor) < 0;
    mpz_addmul(out_lo, factor, turned ? hi : lo);
    mpz_addmul(out_hi, factor, turned ? lo : hi);
}

void hsv_span_multiply(mpz_t lo, mpz_t hi, const mpz_t lo2, const mpz_t hi2, mpz_t *work)
{
    if (!mpz_cmp(lo, hi) && !mpz_cmp(lo2, hi2)) {
        mpz_mul(lo, lo, lo2);
        mpz_set(hi, lo);
        return;
    }
    mpz_mul(work[0], lo, lo2);
    mpz_mul(work[1], lo, hi2);
    mpz_mul(work[2], hi, lo2);
    mpz_mul(work[3], hi, hi2);
    mpz_set(lo, work[0]);
    mpz_set(hi, work[0]);
    for (int i = 1; i < 4; i++) {
        if (mpz_cmp(work[i], lo) < 0) mpz_set(lo, work[i]);
        if (mpz_cmp(work[i], hi) > 0) mpz_set(hi, work[i]);
    }
}

void hsv_span_power(mpz_t lo, mpz_t hi, unsigned long n)
{
    const int below = mpz_sgn(lo)<0, above = mpz_sgn(hi)> 0;
    mpz_pow_ui(lo, lo, n);
    mpz_pow_ui(hi, hi, n);
    if (n % 2 || !below) return;
    /* An even power: the end that is further from 0 is the higher one. */
    if (mpz_cmp(lo, hi) > 0) mpz_swap(lo, hi);
    if (above) mpz_set_ui(lo, 0);
}

/* exp(-t 2^-bits) for 0 <= t <= 2^(bits-1), in multiples of 2^-bits: at most (way < 0) or at least
 * that. The series alternates with terms that fall, so that a sum that ends with a negative term is
 * too low, one that ends with a positive term too high; each term is known from both sides. */
static void interval_series(mpz_t sum, const mpz_t t, mp_bitcnt_t bits, int way)
{
    mpz_t low, high;
    mpz_inits(low, high, NULL);
    mpz_setbit(low, bits);
    mpz_set(high, low);
    mpz_set(sum, low);
    for (unsigned long k = 1; mpz_cmp_ui(high, 1) > 0 || (k % 2 == 0) != (way < 0); k++) {
        mpz_mul(low, low, t);
        mpz_fdiv_q_2exp(low, low, bits);
        mpz_fdiv_q_ui(low, low, k);
        mpz_mul(high, high, t);
        mpz_cdiv_q_2exp(high, high, bits);
        mpz_cdiv_q_ui(high, high, k);
        if (k % 2)
            mpz_sub(sum, sum, way < 0 ? high : low);
        else
            mpz_add(sum, sum, way < 0 ? low : high);
    }
    mpz_clears(low, high, NULL);
}

/* t = above / below is halved `halvings` times, then the result is squared as often. */
static void interval_exp(mpz_t out, const mpz_t above, const mpz_t below, int way)
{
    const mp_bitcnt_t bits = HSV_BITS + 32;
    mpz_t t;
    unsigned long halvings = 0;
    mpz_init(t);
    mpz_mul_ui(t, below, HSV_BITS);
    if (mpz_cmp(above, t) >= 0) { /* below 2^-HSV_BITS */
        mpz_set_ui(out, way > 0);
        mpz_clear(t);
        return;
    }
    mpz_mul_2exp(t, above, 1);
    while (mpz_cmp(t, below) > 0) {
        mpz_cdiv_q_2exp(t, t, 1);
        halvings++;
    }
    mpz_mul_2exp(t, above, bits - halvings);
    (way < 0 ? mpz_cdiv_q : mpz_fdiv_q)(t, t, below);
    interval_series(out, t, bits, way);
    for (; halvings; halvings--) {
        mpz_mul(out, out, out);
        (way < 0 ? mpz_fdiv_q_2exp : mpz_cdiv_q_2exp)(out, out, bits);
    }
    (way < 0 ? mpz_fdiv_q_2exp : mpz_cdiv_q_2exp)(out, out, bits - HSV_BITS);
    mpz_clear(t);
}

void hsv_exp(const mpz_t above, const mpz_t below, mpz_t lo, mpz_t hi)
{
    interval_exp(lo, above, below, -1);
    interval_exp(hi, above, below, 1);
}

/* 2 atanh(above / below), from 0 to 1/3, in multiples of 2^-bits: at most (way < 0) or at least
 * that. It is twice the sum of t^k / k, k odd. Each power is at most a ninth of the one before:
 * what comes behind one of a unit or less is less than a unit together. */
static void interval_atanh(mpz_t sum, const mpz_t above, const mpz_t below, mp_bitcnt_t bits,
                           int way)
{
    mpz_t t, power, term;
    mpz_inits(t, power, term, NULL);
    mpz_mul_2exp(t, above, bits);
    (way < 0 ? mpz_fdiv_q : mpz_cdiv_q)(t, t, below);
    mpz_set(power, t);
    mpz_set_ui(sum, way > 0);
    for (unsigned long k = 1;; k += 2) {
        (way < 0 ? mpz_fdiv_q_ui : mpz_cdiv_q_ui)(term, power, k);
        mpz_add(sum, sum, term);
        if (mpz_cmp_ui(power, 1) <= 0) break;
        for (int i = 0; i < 2; i++) {
            mpz_mul(power, power, t);
            (way < 0 ? mpz_fdiv_q_2exp : mpz_cdiv_q_2exp)(power, power, bits);
        }
    }
    mpz_mul_2exp(sum, sum, 1);
    mpz_clears(t, power, term, NULL);
}

/* ln x = k ln 2 + ln m, x = 2^k m, 1 <= m < 2; ln m = 2 atanh((m - 1) / (m + 1)), as that of 2. */
void hsv_log(const mpz_t above, const mpz_t below, mpz_t lo, mpz_t hi)
{
    const mp_bitcnt_t bits = HSV_BITS + 32;
    mpz_t m[2], n[2];
    mpz_inits(m[0], m[1], n[0], n[1], NULL);
    long k = (long)mpz_sizeinbase(above, 2) - (long)mpz_sizeinbase(below, 2);
    for (;; k--) { /* at most twice: the sizes are right but for one bit */
        mpz_mul_2exp(m[0], above, k < 0 ? (mp_bitcnt_t)-k : 0);
        mpz_mul_2exp(m[1], below, k > 0 ? (mp_bitcnt_t)k : 0);
        if (mpz_cmp(m[0], m[1]) >= 0) break;
    }
    mpz_sub(n[0], m[0], m[1]);
    mpz_add(n[1], m[0], m[1]);
    interval_atanh(lo, n[0], n[1], bits, -1);
    interval_atanh(hi, n[0], n[1], bits, 1);
    mpz_set_ui(m[0], 1);
    mpz_set_ui(m[1], 3);
    interval_atanh(n[0], m[0], m[1], bits, -1);
    interval_atanh(n[1], m[0], m[1], bits, 1);
    mpz_set_si(m[0], k);
    hsv_span_add(lo, hi, m[0], n[0], n[1]);
    mpz_fdiv_q_2exp(lo, lo, bits - HSV_BITS);
    mpz_cdiv_q_2exp(hi, hi, bits - HSV_BITS);
    mpz_clears(m[0], m[1], n[0], n[1], NULL);
}

/* sqrt(p / q) = sqrt(p q 4^64) / (q 2^64) */
void hsv_root_up(mpq_t out, const mpq_t square)
{
    mpz_t root, rest;
    mpz_inits(root, rest, NULL);
    mpz_mul(root, mpq_numref(square), mpq_denref(square));
    mpz_mul_2exp(root, root, 128);
    mpz_sqrtrem(root, rest, root);
    if (mpz_sgn(rest)) mpz_add_ui(root, root, 1);
    mpz_mul_2exp(rest, mpq_denref(square), 64);
    hsv_ratio(out, root, rest);
    mpz_clears(root, rest, NULL);
}
