/* Multipliers of a common point, exactly.
 *
 * Given rows that are thought to have one point in common (a linear program's basis), the
 * multipliers are the solution of  sum a y x = 0, sum a y = 0  (with an offset), which is unique up
 * to a factor when no fewer rows will do. Each equation is made whole by a power of ten of its own.
 *
 * Method [J. Dixon, Exact solution of linear equations using p-adic expansions, Numer. Math. 40,
 * 1982]. Modulo a prime p of 61 bits, elimination finds which equations and which multipliers are
 * independent: all but one, which becomes 1. Of the square system A z = r the inverse C modulo p is
 * computed once; then z = z_0 + z_1 p + z_2 p^2 + ... with z_t = C r_t mod p, r_{t+1} = (r_t - A
 * z_t) / p. Enough of these digits determine the fractions (the continued fraction of each, over a
 * common denominator).
 *
 * Guarantee. What is handed out satisfies every equation, tried in whole numbers, and is positive:
 * how it was found does not matter. */
#include "base/base.h"
#include "prove/gmp.h"

#ifdef HSP_HAVE_GMP

#include "prove/prove.h"

#define COMMON_PRIME   UINT64_C(2305843009213693951) /* 2^61 - 1 */
#define COMMON_ENTRIES ((uint64_t)1 << 23)           /* of the equations, at most */
#define COMMON_WORK    4e9                           /* operations modulo p, at most */

__extension__ typedef unsigned __int128 common_wide;

typedef struct common {
    hsp_context *ctx;
    hsp__mpz_scratch numbers;
    uint64_t count; /* rows: unknowns */
    uint64_t equations;
    mpz_t *e;            /* equations * count */
    uint64_t rank;       /* count - 1, or it is given up */
    uint64_t *pivot_row; /* rank: an equation */
    uint64_t *pivot_col; /* rank: an unknown */
    uint64_t free_col;   /* the one that is 1 */
    uint64_t *inverse;   /* rank * rank: C */
    mpz_t *z;            /* rank: the digits so far */
    mpz_t *r;            /* rank */
    mpz_t *a;            /* count: multipliers */
} common;

/* ---- Modulo p -------------------------------------------------------------------------------- */

static uint64_t common_mul(uint64_t a, uint64_t b)
{
    const common_wide c = (common_wide)a * b;
    const uint64_t sum = (uint64_t)(c & COMMON_PRIME) + (uint64_t)(c >> 61);
    return sum >= COMMON_PRIME ? sum - COMMON_PRIME : sum;
}

static uint64_t common_inverse(uint64_t a)
{
    uint64_t result = 1;
    for (uint64_t power = COMMON_PRIME - 2; power; power >>= 1, a = common_mul(a, a))
        if (power & 1) result = common_mul(result, a);
    return result;
}

/* row -= factor * pivot from column `from` on. */
static void common_subtract(uint64_t *row, const uint64_t *pivot, uint64_t factor, uint64_t from,
                            uint64_t to)
{
    for (uint64_t j = from; factor && j < to; j++) {
        const uint64_t less = common_mul(factor, pivot[j]);
        row[j] = row[j] >= less ? row[j] - less : row[j] + COMMON_PRIME - less;
    }
}

/* Which equations and unknowns are independent. 0: no memory. */
static int common_pivots(common *m)
{
    const uint64_t n = m->count;
    uint64_t *e = hsp__scratch_raw(&m->numbers.scratch, m->equations * n, sizeof *e);
    uint64_t *order = hsp__scratch_raw(&m->numbers.scratch, m->equations, sizeof *order);
    if (m->numbers.scratch.failed) return 0;
    for (uint64_t i = 0; i < m->equations * n; i++)
        e[i] = mpz_fdiv_ui(m->e[i], COMMON_PRIME);
    for (uint64_t i = 0; i < m->equations; i++)
        order[i] = i;
    m->free_col = n;
    for (uint64_t j = 0; j < n; j++) {
        uint64_t at = m->rank;
        while (at < m->equations && e[order[at] * n + j] == 0)
            at++;
        if (at == m->equations) {
            m->free_col = m->free_col == n ? j : n + 1;
            continue;
        }
        const uint64_t row = order[at];
        order[at] = order[m->rank];
        order[m->rank] = row;
        const uint64_t inverse = common_inverse(e[row * n + j]);
        for (uint64_t i = m->rank + 1; i < m->equations; i++)
            common_subtract(e + order[i] * n, e + row * n, common_mul(e[order[i] * n + j], inverse),
                            j, n);
        m->pivot_row[m->rank] = row;
        m->pivot_col[m->rank++] = j;
    }
    return 1;
}

/* C = A^-1 modulo p, by Gauss and Jordan. 0: no memory. */
static int common_invert(common *m)
{
    const uint64_t k = m->rank, wide = 2 * k;
    uint64_t *work = hsp__scratch_new(&m->numbers.scratch, k * wide, sizeof *work);
    if (!work) return 0;
    for (uint64_t i = 0; i < k; i++) {
        for (uint64_t j = 0; j < k; j++)
            work[i * wide + j] =
                mpz_fdiv_ui(m->e[m->pivot_row[i] * m->count + m->pivot_col[j]], COMMON_PRIME);
        work[i * wide + k + i] = 1;
    }
    for (uint64_t p = 0; p < k; p++) {
        uint64_t at = p;
        while (at + 1 < k && work[at * wide + p] == 0)
            at++;
        for (uint64_t j = 0; at != p && j < wide; j++) {
            const uint64_t kept = work[p * wide + j];
            work[p * wide + j] = work[at * wide + j];
            work[at * wide + j] = kept;
        }
        assert(work[p * wide + p] != 0); /* the pivots are independent */
        const uint64_t inverse = common_inverse(work[p * wide + p]);
        for (uint64_t j = p; j < wide; j++)
            work[p * wide + j] = common_mul(work[p * wide + j], inverse);
        for (uint64_t i = 0; i < k; i++)
            if (i != p)
                common_subtract(work + i * wide, work + p * wide, work[i * wide + p], p, wide);
    }
    for (uint64_t i = 0; i < k; i++)
        memcpy(m->inverse + i * k, work + i * wide + k, k * sizeof *work);
    return 1;
}

/* ---- Digits ---------------------------------------------------------------------------------- */

/* One more digit of z; `power` is p^t. `residue` and `digit` (rank) are scratch. */
static void common_lift(common *m, mpz_t power, uint64_t *residue, uint64_t *digit)
{
    const uint64_t k = m->rank;
    for (uint64_t i = 0; i < k; i++)
        residue[i] = mpz_fdiv_ui(m->r[i], COMMON_PRIME);
    for (uint64_t i = 0; i < k; i++) {
        common_wide sum = 0;
        for (uint64_t j = 0; j < k; j++)
            sum += common_mul(m->inverse[i * k + j], residue[j]);
        digit[i] = (uint64_t)(sum % COMMON_PRIME);
        mpz_addmul_ui(m->z[i], power, digit[i]);
    }
    for (uint64_t i = 0; i < k; i++) {
        mpz_t *row = m->e + m->pivot_row[i] * m->count;
        for (uint64_t j = 0; j < k; j++)
            if (mpz_sgn(row[m->pivot_col[j]]))
                mpz_submul_ui(m->r[i], row[m->pivot_col[j]], digit[j]);
        mpz_divexact_ui(m->r[i], m->r[i], COMMON_PRIME);
    }
    mpz_mul_ui(power, power, COMMON_PRIME);
}

/* The fraction num / den with the least terms that is `value` modulo `modulus`: both below
 * `limit`. 0: none. */
static int common_fraction(const mpz_t value, const mpz_t modulus, const mpz_t limit, mpz_t num,
                           mpz_t den)
{
    mpz_t r0, s0, q;
    mpz_init_set(r0, modulus);
    mpz_init_set_ui(s0, 0);
    mpz_init(q);
    mpz_set(num, value);
    mpz_set_ui(den, 1);
    while (mpz_cmp(num, limit) > 0) {
        mpz_fdiv_q(q, r0, num);
        mpz_submul(r0, q, num);
        mpz_swap(r0, num);
        mpz_submul(s0, q, den);
        mpz_swap(s0, den);
    }
    if (mpz_sgn(den) < 0) {
        mpz_neg(den, den);
        mpz_neg(num, num);
    }
    const int small = mpz_sgn(den) > 0 && mpz_cmp(den, limit) <= 0;
    mpz_clears(r0, s0, q, NULL);
    return small;
}

/* From digits to whole multipliers over a common denominator. */
static int common_guess(common *m, const mpz_t power)
{
    mpz_t limit, value, num, den, all;
    mpz_inits(limit, value, num, den, all, NULL);
    mpz_sqrt(limit, power);
    mpz_fdiv_q_2exp(limit, limit, 1);
    mpz_set_ui(all, 1);
    int known = 1;
    for (uint64_t i = 0; known && i < m->rank; i++) {
        mpz_mul(value, m->z[i], all);
        mpz_fdiv_r(value, value, power);
        mpz_sub(num, power, value); /* a small negative number? */
        if (mpz_cmp(num, limit) <= 0) {
            mpz_neg(m->a[m->pivot_col[i]], num);
            continue;
        }
        known = common_fraction(value, power, limit, num, den);
        mpz_set(m->a[m->pivot_col[i]], num);
        if (mpz_cmp_ui(den, 1) == 0) continue;
        mpz_mul(all, all, den);
        known &= mpz_cmp(all, limit) <= 0;
        for (uint64_t j = 0; j < i; j++)
            mpz_mul(m->a[m->pivot_col[j]], m->a[m->pivot_col[j]], den);
    }
    mpz_set(m->a[m->free_col], all);
    mpz_clears(limit, value, num, den, all, NULL);
    return known;
}

/* Do the multipliers satisfy every equation? */
static int common_holds(const common *m)
{
    mpz_t sum;
    int holds = 1;
    mpz_init(sum);
    for (uint64_t i = 0; holds && i < m->equations; i++) {
        mpz_set_ui(sum, 0);
        for (uint64_t j = 0; j < m->count; j++)
            if (mpz_sgn(m->e[i * m->count + j])) mpz_addmul(sum, m->e[i * m->count + j], m->a[j]);
        holds = mpz_sgn(sum) == 0;
    }
    mpz_clear(sum);
    return holds;
}

/* *found: multipliers are in m->a. */
static hsp_status common_solve(common *m, uint64_t most, hsp_error *err, int *found)
{
    if (!common_pivots(m)) return hsp__fail_memory(err);
    if (m->rank + 1 != m->count || m->free_col >= m->count) return HSP_OK; /* none, or many */
    hsp__scratch *scratch = &m->numbers.scratch;
    const uint64_t k = m->rank;
    uint64_t *residue = hsp__scratch_raw(scratch, k, sizeof *residue);
    uint64_t *digit = hsp__scratch_raw(scratch, k, sizeof *digit);
    mpz_t *power = hsp__mpz_new(&m->numbers, 1);
    m->inverse = hsp__scratch_new(scratch, k * k, sizeof *m->inverse);
    m->z = hsp__mpz_new(&m->numbers, k);
    m->r = hsp__mpz_new(&m->numbers, k);
    m->a = hsp__mpz_new(&m->numbers, m->count);
    if (scratch->failed || !common_invert(m)) return hsp__fail_memory(err);
    mpz_set_ui(*power, 1);
    for (uint64_t i = 0; i < k; i++)
        mpz_neg(m->r[i], m->e[m->pivot_row[i] * m->count + m->free_col]);
    /* 61 bits are 18 digits, half of them the denominator's */
    const uint64_t last = 4 + most / (k + 1) / 9;
    for (uint64_t t = 1, ask = 2; t <= last && !*found; t++) {
        common_lift(m, *power, residue, digit);
        if (t < ask && t < last) continue;
        ask = t + t / 2 + 1;
        if (common_guess(m, *power) && common_holds(m)) {
            *found = 1;
            for (uint64_t j = 0; j < m->count; j++)
                *found &= mpz_sgn(m->a[j]) >= 0;
            return HSP_OK;
        }
        HSP__TRY(hsp__progress(m->ctx, "proving", "digits", t, 0, err));
    }
    return HSP_OK;
}

/* ---- Equations ------------------------------------------------------------------------------- */

/* One equation a column, in least terms; the last is that of the offset. */
static hsp_status common_fill(common *m, const hsp__exact_source *source, const uint64_t *rows,
                              int offset, hsp_error *err)
{
    hsp__exact_matrix matrix;
    mpz_t divisor;
    HSP__TRY(hsp__exact_matrix_read(&m->numbers, source, rows, m->count, err, &matrix));
    mpz_init(divisor);
    for (uint64_t c = 0; c < matrix.cols + (offset ? 1 : 0); c++) {
        mpz_t *e = m->e + m->equations * m->count;
        mpz_set_ui(divisor, 0);
        for (uint64_t i = 0; i < m->count; i++) {
            if (c == matrix.cols)
                mpz_set_ui(e[i], 1);
            else
                mpz_set(e[i], matrix.x[i * matrix.cols + c]);
            if (source->y[rows[i]] < 0) mpz_neg(e[i], e[i]);
            mpz_gcd(divisor, divisor, e[i]);
        }
        if (mpz_sgn(divisor) == 0) continue; /* nobody has this column */
        for (uint64_t i = 0; i < m->count; i++)
            mpz_divexact(e[i], e[i], divisor);
        m->equations++;
    }
    mpz_clear(divisor);
    return HSP_OK;
}

hsp_status hsp__exact_common(hsp_context *ctx, const hsp__exact_source *source,
                             const uint64_t *rows, uint64_t count, int offset, uint64_t most,
                             hsp_error *err, hsp__separation *to, int *found)
{
    const uint64_t equations = source->view->cols + 1;
    common m = {.ctx = ctx, .count = count, .numbers.scratch.memory = &ctx->allocator};
    *found = 0;
    if (count < 1 || count > COMMON_ENTRIES / equations) return HSP_OK;
    if ((double)equations * (double)count * (double)count > COMMON_WORK) return HSP_OK;
    m.pivot_row = hsp__scratch_new(&m.numbers.scratch, count, sizeof *m.pivot_row);
    m.pivot_col = hsp__scratch_new(&m.numbers.scratch, count, sizeof *m.pivot_col);
    m.e = hsp__mpz_new(&m.numbers, equations * count);
    hsp_status status = m.numbers.scratch.failed ? hsp__fail_memory(err)
                                                 : common_fill(&m, source, rows, offset, err);
    if (!status) status = common_solve(&m, most, err, found);
    if (!status && *found) {
        mpz_t divisor;
        mpz_init(divisor);
        for (uint64_t i = 0; i < count; i++)
            mpz_gcd(divisor, divisor, m.a[i]);
        for (uint64_t i = 0; i < count; i++)
            mpz_divexact(m.a[i], m.a[i], divisor);
        mpz_clear(divisor);
        to->kind = HSP__SEPARABILITY_COMMON;
        hsp__exact_write_multipliers(to, rows, m.a, count);
    }
    hsp__mpz_free(&m.numbers);
    return status;
}

#else

hsp_status hsp__exact_common(hsp_context *ctx, const hsp__exact_source *source,
                             const uint64_t *rows, uint64_t count, int offset, uint64_t most,
                             hsp_error *err, hsp__separation *to, int *found)
{
    (void)ctx, (void)source, (void)rows, (void)count, (void)offset, (void)most, (void)to;
    (void)found;
    return hsp__exact_lacking(err);
}

#endif
