/* Does a separator have every row strictly on its side, exactly?
 *
 * The weights are doubles, and so are the shifts and factors of its scaling: all of them whole
 * numbers over powers of two. So s(x) = sum W_j x_j + B with W_j, B whole numbers over one power of
 * two, and x_j decimals: its sign is that of a whole number. Most rows are so far from the
 * hyperplane that long double with a bound on all errors settles them; only the others are computed
 * with all digits. */
#include "prove/gmp.h"

#ifdef HSP_HAVE_GMP

#include <float.h>
#include <math.h>

#include "base/error.h"

#define SEPARATES_TINY 1e-300L /* error of a number of the file in addition to its rounding */
#define SEPARATES_TICK 256     /* rows computed with all digits between reports of progress */

typedef struct separates {
    const hsp__exact_source *source;
    uint64_t features;
    mpz_t *w;          /* features */
    mpz_t b;           /* both times the same power of two */
    long double *near; /* features: w, and b, to 52 bits */
    long double near_b;
    long double total;   /* sum |near| */
    long double x_error; /* relative error of a value in memory, compared with its decimal */
    /* the row at hand: */
    mpz_t sum, ten, term;
    long digits; /* behind the point */
    int looking; /* for those digits */
} separates;

/* ---- The separator --------------------------------------------------------------------------- */

/* x = y / 2^*power. */
static void separates_add_power(const mpq_t x, mp_bitcnt_t *power)
{
    const mp_bitcnt_t own = mpz_sizeinbase(mpq_denref(x), 2) - 1; /* a power of two it is */
    if (own > *power) *power = own;
}

static void separates_scale(mpz_t to, const mpq_t x, mp_bitcnt_t power)
{
    const mp_bitcnt_t own = mpz_sizeinbase(mpq_denref(x), 2) - 1;
    mpz_mul_2exp(to, mpq_numref(x), power - own);
}

/* factor and shift of a column, all scalings one after the other: x -> factor x - shift. */
static void separates_column(const hsp__exact_separator *of, uint64_t j, mpq_t factor, mpq_t shift)
{
    mpq_t next;
    mpq_init(next);
    mpq_set_ui(factor, 1, 1);
    mpq_set_ui(shift, 0, 1);
    for (int i = 0; i < HSP__MODEL_SCALINGS; i++) {
        if (!of->scalings[i]) continue;
        mpq_set_d(next, hsp_scaling_shift(of->scalings[i], j));
        mpq_add(shift, shift, next);
        mpq_set_d(next, hsp_scaling_factor(of->scalings[i], j));
        mpq_mul(factor, factor, next);
        mpq_mul(shift, shift, next);
    }
    mpq_clear(next);
}

static hsp_status separates_begin(hsp_context *ctx, const hsp__exact_separator *of, separates *m,
                                  hsp_error *err)
{
    const uint64_t d = m->features;
    mpq_t *w = hsp__new_raw(&ctx->allocator, d, sizeof *w), b, factor, shift;
    mp_bitcnt_t power = 0;
    if (!w) return hsp__fail_memory(err);
    mpq_inits(b, factor, shift, NULL);
    mpq_set_d(b, of->b);
    for (uint64_t j = 0; j < d; j++) {
        mpq_init(w[j]);
        mpq_set_d(w[j], of->w[j]);
        separates_column(of, j, factor, shift);
        mpq_mul(shift, shift, w[j]);
        mpq_sub(b, b, shift);
        mpq_mul(w[j], w[j], factor);
        separates_add_power(w[j], &power);
        m->near[j] = (long double)mpq_get_d(w[j]);
        m->total += fabsl(m->near[j]);
    }
    separates_add_power(b, &power);
    m->near_b = (long double)mpq_get_d(b);
    separates_scale(m->b, b, power);
    for (uint64_t j = 0; j < d; j++) {
        separates_scale(m->w[j], w[j], power);
        mpq_clear(w[j]);
    }
    mpq_clears(b, factor, shift, NULL);
    hsp__free(&ctx->allocator, w);
    return HSP_OK;
}

/* ---- Rows ------------------------------------------------------------------------------------ */

/* The sign of s(x), if long double can tell; else 0. */
static int separates_near(const separates *m, uint64_t i)
{
    const hsp_view *view = m->source->view;
    const hsp__row row = hsp__view_row(view, i);
    long double sum = m->near_b, size = fabsl(m->near_b);
    for (uint64_t k = 0; k < row.count; k++) {
        const uint64_t j = hsp__row_column(&row, k);
        if (j >= m->features) continue;
        const long double term = m->near[j] * (long double)hsp__row_value(view, &row, k);
        sum += term;
        size += fabsl(term);
    }
    const long double error =
        size * (m->x_error + 0x1p-50L + (long double)(row.count + 4) * LDBL_EPSILON) +
        (m->total + 1) * SEPARATES_TINY;
    return sum > error ? 1 : sum < -error ? -1 : 0;
}

static void separates_add(void *user, uint64_t column, mpz_t mantissa, long exponent)
{
    separates *m = user;
    if (column >= m->features) return;
    if (m->looking) {
        if (-exponent > m->digits) m->digits = -exponent;
        return;
    }
    mpz_ui_pow_ui(m->ten, 10, (unsigned long)(m->digits + exponent));
    mpz_mul(m->term, mantissa, m->ten);
    mpz_addmul(m->sum, m->term, m->w[column]);
}

static int separates_sign(separates *m, uint64_t i)
{
    m->digits = 0;
    m->looking = 1;
    hsp__exact_row(m->source, i, separates_add, m);
    m->looking = 0;
    mpz_ui_pow_ui(m->ten, 10, (unsigned long)m->digits);
    mpz_mul(m->sum, m->b, m->ten);
    hsp__exact_row(m->source, i, separates_add, m);
    return mpz_sgn(m->sum);
}

static hsp_status separates_rows(hsp_context *ctx, separates *m, hsp_error *err, uint64_t *first,
                                 uint64_t *wrong)
{
    const hsp__exact_source *source = m->source;
    const uint64_t n = source->view->rows;
    uint64_t exactly = 0;
    *first = UINT64_MAX;
    *wrong = 0;
    for (uint64_t i = 0; i < n; i++) {
        if (!source->y[i]) continue;
        int sign = separates_near(m, i);
        if (!sign) {
            sign = separates_sign(m, i);
            hsp_status status = exactly++ % SEPARATES_TICK
                                    ? HSP_OK
                                    : hsp__progress(ctx, "confirming", "rows", i, n, err);
            if (status) return status;
        }
        if (sign == source->y[i]) continue;
        if (!(*wrong)++) *first = i;
    }
    return HSP_OK;
}

hsp_status hsp__exact_separates(hsp_context *ctx, const hsp__exact_source *source,
                                const hsp__exact_separator *of, hsp_error *err, uint64_t *first,
                                uint64_t *wrong)
{
    const hsp_allocator *memory = &ctx->allocator;
    separates m = {.source = source, .features = of->features};
    m.x_error = source->stored                           ? 0
                : source->view->precision == HSP_FLOAT32 ? (long double)FLT_EPSILON
                                                         : (long double)DBL_EPSILON;
    mpz_inits(m.b, m.sum, m.ten, m.term, NULL);
    m.w = hsp__mpz_new(memory, of->features);
    m.near = hsp__new(memory, of->features, sizeof *m.near);
    hsp_status status = m.w && m.near ? HSP_OK : hsp__fail_memory(err);
    if (!status) status = separates_begin(ctx, of, &m, err);
    if (!status) status = separates_rows(ctx, &m, err, first, wrong);
    hsp__mpz_free(memory, m.w, of->features);
    hsp__free(memory, m.near);
    mpz_clears(m.b, m.sum, m.ten, m.term, NULL);
    return status;
}

#else

hsp_status hsp__exact_separates(hsp_context *ctx, const hsp__exact_source *source,
                                const hsp__exact_separator *of, hsp_error *err, uint64_t *first,
                                uint64_t *wrong)
{
    (void)ctx, (void)source, (void)of, (void)first, (void)wrong;
    return hsp__exact_lacking(err);
}

#endif
