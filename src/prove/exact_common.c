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
 * Cost. k^3 operations modulo p, then k^2 a digit, of which there are as many as the multipliers have
 * together with their denominator. Equations whose numbers are below 2^55 or so, as most are, keep
 * their r_t in 128 bits: |r_t| stays below k max |A| (others: in numbers of any length). Rows are
 * divided among the threads; whole numbers are the same in any order.
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
#define COMMON_PARTS   8                             /* that rows are divided into */
#define COMMON_FEW     64                            /* rows that one part does */
#define COMMON_SUMS    32  /* products of numbers modulo p that 128 bits have room for */
#define COMMON_ASK     8   /* after one digit more for each this many, they are tried */
#define COMMON_TICK    256 /* numbers, or rows of few, between two ticks */

__extension__ typedef unsigned __int128 common_wide;
__extension__ typedef __int128 common_signed;

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
    mpz_t *a;            /* count: multipliers */
    mpz_t *r;            /* rank: r_t, or */
    int64_t *small;      /* rank * rank: A; NULL: its numbers are too long, and */
    common_signed *wide; /* rank: r_t */
    mpz_t *power;        /* p^t */
    uint64_t *residue;   /* rank: r_t modulo p */
    uint64_t *digit;     /* rank: z_t */
} common;

/* The rows of a matrix modulo p that a pivot row is taken from. */
typedef struct common_sweep {
    const common *m;
    uint64_t *e;           /* the matrix */
    const uint64_t *order; /* its rows; NULL: in turn */
    uint64_t from, rows;   /* rows from..rows-1 of the order, */
    uint64_t columns, at;  /* in columns `at` and on (order NULL: in all), */
    uint64_t pivot;        /* by this row */
} common_sweep;

/* Rows are worth several threads, or they are not. */
static uint64_t common_parts(uint64_t rows)
{
    return rows < COMMON_FEW ? 1 : COMMON_PARTS;
}

/* ---- Modulo p -------------------------------------------------------------------------------- */

static uint64_t common_mul(uint64_t a, uint64_t b)
{
    const common_wide c = (common_wide)a * b;
    const uint64_t sum = (uint64_t)(c & COMMON_PRIME) + (uint64_t)(c >> 61);
    return sum >= COMMON_PRIME ? sum - COMMON_PRIME : sum;
}

/* Any number modulo p = 2^61 - 1: the sum of its digits in base 2^61. */
static uint64_t common_rest(common_wide a)
{
    return ((uint64_t)(a & COMMON_PRIME) + (uint64_t)(a >> 61 & COMMON_PRIME) +
            (uint64_t)(a >> 122)) %
           COMMON_PRIME;
}

static uint64_t common_inverse(uint64_t a)
{
    uint64_t result = 1;
    for (uint64_t power = COMMON_PRIME - 2; power; power >>= 1, a = common_mul(a, a))
        if (power & 1) result = common_mul(result, a);
    return result;
}

/* Each row loses the multiple of the pivot row that makes its number in column `at` 0. */
static void common_sweep_part(void *user, uint64_t part)
{
    const common_sweep *w = user;
    const uint64_t count = w->rows - w->from, parts = common_parts(count);
    const uint64_t end = w->from + hsp__part(count, parts, part + 1);
    const uint64_t *pivot = w->e + w->pivot * w->columns;
    for (uint64_t k = w->from + hsp__part(count, parts, part); k < end; k++) {
        const uint64_t i = w->order ? w->order[k] : k;
        uint64_t *row = w->e + i * w->columns, factor = row[w->at];
        if (i == w->pivot || factor == 0) continue;
        if (!w->order) row[w->at] = 0; /* its place is taken by the inverse's column */
        for (uint64_t j = w->order ? w->at : 0; j < w->columns; j++) {
            const uint64_t less = common_mul(factor, pivot[j]);
            row[j] = row[j] >= less ? row[j] - less : row[j] + COMMON_PRIME - less;
        }
    }
}

/* The pivot row times a number that makes its entry `at` 1; then the sweep. 0: stopped. */
static int common_sweep_run(common_sweep *w)
{
    uint64_t *pivot = w->e + w->pivot * w->columns;
    const uint64_t inverse = common_inverse(pivot[w->at]);
    if (!w->order) pivot[w->at] = 1;
    for (uint64_t j = w->order ? w->at : 0; j < w->columns; j++)
        pivot[j] = common_mul(pivot[j], inverse);
    if (hsp__tick(w->m->ctx)) return 0;
    return hsp__tasks_try(w->m->ctx, common_parts(w->rows - w->from), common_sweep_part, w);
}

/* Which equations and unknowns are independent. */
static hsp_status common_pivots(common *m, hsp_error *err)
{
    const uint64_t n = m->count;
    uint64_t *e = hsp__scratch_raw(&m->numbers.scratch, m->equations * n, sizeof *e);
    uint64_t *order = hsp__scratch_raw(&m->numbers.scratch, m->equations, sizeof *order);
    if (m->numbers.scratch.failed) return hsp__fail_memory(err);
    for (uint64_t i = 0; i < m->equations * n; i++) {
        if (i % COMMON_TICK == 0 && hsp__tick(m->ctx)) break;
        e[i] = mpz_fdiv_ui(m->e[i], COMMON_PRIME);
    }
    HSP__TRY(hsp__stop_status(m->ctx, err));
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
        m->pivot_row[m->rank] = row;
        m->pivot_col[m->rank++] = j;
        common_sweep sweep = {.m = m,
                              .e = e,
                              .order = order,
                              .from = m->rank,
                              .rows = m->equations,
                              .columns = n,
                              .at = j,
                              .pivot = row};
        if (!common_sweep_run(&sweep)) return hsp__stop_status(m->ctx, err);
    }
    return HSP_OK;
}

/* C = A^-1 modulo p, in its place, by Gauss and Jordan. The pivots are on the diagonal: that is the
 * order in which common_pivots found them. */
static hsp_status common_invert(common *m, hsp_error *err)
{
    const uint64_t k = m->rank;
    for (uint64_t i = 0; i < k && !hsp__tick(m->ctx); i++)
        for (uint64_t j = 0; j < k; j++)
            m->inverse[i * k + j] =
                mpz_fdiv_ui(m->e[m->pivot_row[i] * m->count + m->pivot_col[j]], COMMON_PRIME);
    HSP__TRY(hsp__stop_status(m->ctx, err));
    for (uint64_t p = 0; p < k; p++) {
        common_sweep sweep = {
            .m = m, .e = m->inverse, .rows = k, .columns = k, .at = p, .pivot = p};
        assert(m->inverse[p * k + p] != 0);
        if (!common_sweep_run(&sweep)) return hsp__stop_status(m->ctx, err);
    }
    return HSP_OK;
}

/* ---- Digits ---------------------------------------------------------------------------------- */

/* A as words, and r_0, if r_t then always fits in 128 bits. */
static hsp_status common_shorten(common *m, hsp_error *err)
{
    const uint64_t k = m->rank;
    size_t bits = 0, more = 1;
    while (k >> more)
        more++;
    for (uint64_t i = 0; i < k; i++)
        for (uint64_t j = 0; j < m->count; j++) {
            const size_t own = mpz_sizeinbase(m->e[m->pivot_row[i] * m->count + j], 2);
            if (own > bits) bits = own;
        }
    if (bits + more + 61 + 2 > 127) return HSP_OK; /* |r| + k max |A| p, with a bit to spare */
    int64_t *small = hsp__scratch_raw(&m->numbers.scratch, k * k, sizeof *small);
    m->wide = hsp__scratch_raw(&m->numbers.scratch, k, sizeof *m->wide);
    if (m->numbers.scratch.failed) return hsp__fail_memory(err);
    for (uint64_t i = 0; i < k; i++) {
        mpz_t *row = m->e + m->pivot_row[i] * m->count;
        m->wide[i] = -(common_signed)mpz_get_si(row[m->free_col]);
        for (uint64_t j = 0; j < k; j++)
            small[i * k + j] = mpz_get_si(row[m->pivot_col[j]]);
    }
    m->small = small;
    return HSP_OK;
}

/* z_t, and z = z_0 + z_1 p + ... */
static void common_digit_part(void *user, uint64_t part)
{
    const common *m = user;
    const uint64_t k = m->rank, parts = common_parts(k), end = hsp__part(k, parts, part + 1);
    for (uint64_t i = hsp__part(k, parts, part); i < end; i++) {
        const uint64_t *row = m->inverse + i * k;
        uint64_t sum = 0;
        for (uint64_t j = 0; j < k;) {
            common_wide some = sum;
            for (const uint64_t last = k - j < COMMON_SUMS ? k : j + COMMON_SUMS; j < last; j++)
                some += (common_wide)row[j] * m->residue[j];
            sum = common_rest(some);
        }
        m->digit[i] = sum;
        mpz_addmul_ui(m->z[i], *m->power, sum);
    }
}

/* r_{t+1} = (r_t - A z_t) / p, and its residue. */
static void common_residue_part(void *user, uint64_t part)
{
    const common *m = user;
    const uint64_t k = m->rank, parts = common_parts(k), end = hsp__part(k, parts, part + 1);
    for (uint64_t i = hsp__part(k, parts, part); i < end; i++) {
        if (m->small) {
            common_signed sum = m->wide[i];
            for (uint64_t j = 0; j < k; j++)
                sum -= (common_signed)m->small[i * k + j] * (common_signed)m->digit[j];
            assert(sum % (common_signed)COMMON_PRIME == 0);
            m->wide[i] = sum / (common_signed)COMMON_PRIME;
            const common_signed rest = m->wide[i] % (common_signed)COMMON_PRIME;
            m->residue[i] = (uint64_t)(rest < 0 ? rest + (common_signed)COMMON_PRIME : rest);
            continue;
        }
        mpz_t *row = m->e + m->pivot_row[i] * m->count;
        for (uint64_t j = 0; j < k; j++)
            if (mpz_sgn(row[m->pivot_col[j]]))
                mpz_submul_ui(m->r[i], row[m->pivot_col[j]], m->digit[j]);
        mpz_divexact_ui(m->r[i], m->r[i], COMMON_PRIME);
        m->residue[i] = mpz_fdiv_ui(m->r[i], COMMON_PRIME);
    }
}

/* One more digit of z. 0: stopped. */
static int common_lift(common *m)
{
    const uint64_t parts = common_parts(m->rank);
    if (!hsp__tasks_try(m->ctx, parts, common_digit_part, m)) return 0;
    if (!hsp__tasks_try(m->ctx, parts, common_residue_part, m)) return 0;
    mpz_mul_ui(*m->power, *m->power, COMMON_PRIME);
    return 1;
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
static int common_guess(common *m)
{
    mpz_t *power = m->power;
    mpz_t limit, value, num, den, all;
    mpz_inits(limit, value, num, den, all, NULL);
    mpz_sqrt(limit, *power);
    mpz_fdiv_q_2exp(limit, limit, 1);
    mpz_set_ui(all, 1);
    int known = 1;
    for (uint64_t i = 0; known && i < m->rank && !hsp__tick(m->ctx); i++) {
        mpz_mul(value, m->z[i], all);
        mpz_fdiv_r(value, value, *power);
        mpz_sub(num, *power, value); /* a small negative number? */
        if (mpz_cmp(num, limit) <= 0) {
            mpz_neg(m->a[m->pivot_col[i]], num);
            continue;
        }
        known = common_fraction(value, *power, limit, num, den);
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
    for (uint64_t i = 0; holds && i < m->equations && !hsp__tick(m->ctx); i++) {
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
    HSP__TRY(common_pivots(m, err));
    if (m->rank + 1 != m->count || m->free_col >= m->count) return HSP_OK; /* none, or many */
    hsp__scratch *scratch = &m->numbers.scratch;
    const uint64_t k = m->rank;
    m->residue = hsp__scratch_raw(scratch, k, sizeof *m->residue);
    m->digit = hsp__scratch_raw(scratch, k, sizeof *m->digit);
    m->power = hsp__mpz_new(&m->numbers, 1);
    m->inverse = hsp__scratch_raw(scratch, k * k, sizeof *m->inverse);
    m->z = hsp__mpz_new(&m->numbers, k);
    m->r = hsp__mpz_new(&m->numbers, k);
    m->a = hsp__mpz_new(&m->numbers, m->count);
    if (scratch->failed) return hsp__fail_memory(err);
    HSP__TRY(common_invert(m, err));
    HSP__TRY(common_shorten(m, err));
    mpz_set_ui(*m->power, 1);
    for (uint64_t i = 0; i < k; i++) {
        mpz_neg(m->r[i], m->e[m->pivot_row[i] * m->count + m->free_col]);
        m->residue[i] = mpz_fdiv_ui(m->r[i], COMMON_PRIME);
    }
    /* 61 bits are 18 digits, half of them the denominator's */
    const uint64_t last = 4 + most / (k + 1) / 9;
    for (uint64_t t = 1, ask = 2; t <= last && !*found; t++) {
        if (!common_lift(m)) break;
        if (t < ask && t < last) continue;
        ask = t + t / COMMON_ASK + 1;
        if (common_guess(m) && common_holds(m) && !hsp__stopped(m->ctx)) {
            *found = 1;
            for (uint64_t j = 0; j < m->count; j++)
                *found &= mpz_sgn(m->a[j]) >= 0;
            return HSP_OK;
        }
        HSP__TRY(hsp__progress(m->ctx, "proving", "digits", t, 0, err));
    }
    return hsp__stop_status(m->ctx, err);
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
    hsp__stop stop;
    hsp_context own = hsp__stop_open(&stop, ctx);
    common m = {.ctx = &own, .count = count, .numbers.scratch.memory = &ctx->allocator};
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
