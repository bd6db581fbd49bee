/* Does a separator have every row strictly on its side, exactly?
 *
 * The weights are doubles, and so are the shifts and factors of its scaling: all of them whole
 * numbers over powers of two. So s(x) = sum W_j x_j + B with W_j, B whole numbers over one power of
 * two, and x_j decimals: its sign is that of a whole number. Most rows are so far from the
 * hyperplane that long double with a bound on all errors settles them; only the others are computed
 * with all digits. */
#include "base/base.h"
#include "prove/gmp.h"

#ifdef HSP_HAVE_GMP

#include <float.h>

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

/* The power of two that a fraction is over. */
static mp_bitcnt_t separates_power(const mpq_t x)
{
    return mpz_sizeinbase(mpq_denref(x), 2) - 1;
}

static hsp_status separates_begin(hsp_context *ctx, const hsp__exact_separator *of, separates *m,
                                  hsp_error *err)
{
    const uint64_t d = m->features;
    mpq_t *w = hsp__new_raw(&ctx->allocator, d, sizeof *w), b, factor, shift, next;
    mp_bitcnt_t power = 0;
    if (!w) return hsp__fail_memory(err);
    mpq_inits(b, factor, shift, next, NULL);
    mpq_set_d(b, of->b);
    for (uint64_t j = 0; j < d; j++) {
        mpq_init(w[j]);
        mpq_set_d(w[j], of->w[j]);
        /* all scalings one after the other: x -> factor x - shift */
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
        mpq_mul(shift, shift, w[j]);
        mpq_sub(b, b, shift);
        mpq_mul(w[j], w[j], factor);
        if (separates_power(w[j]) > power) power = separates_power(w[j]);
        m->near[j] = (long double)mpq_get_d(w[j]);
        m->total += fabsl(m->near[j]);
    }
    if (separates_power(b) > power) power = separates_power(b);
    m->near_b = (long double)mpq_get_d(b);
    mpz_mul_2exp(m->b, mpq_numref(b), power - separates_power(b));
    for (uint64_t j = 0; j < d; j++) {
        mpz_mul_2exp(m->w[j], mpq_numref(w[j]), power - separates_power(w[j]));
        mpq_clear(w[j]);
    }
    mpq_clears(b, factor, shift, next, NULL);
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

hsp_status hsp__exact_separates(hsp_context *ctx, const hsp__exact_source *source,
                                const hsp__exact_separator *of, hsp_error *err, uint64_t *first,
                                uint64_t *wrong)
{
    const uint64_t n = source->view->rows;
    hsp__mpz_scratch numbers = {.scratch.memory = &ctx->allocator};
    separates m = {.source = source,
                   .features = of->features,
                   .w = hsp__mpz_new(&numbers, of->features),
                   .near = hsp__scratch_new(&numbers.scratch, of->features, sizeof *m.near)};
    m.x_error = source->stored                           ? 0
                : source->view->precision == HSP_FLOAT32 ? (long double)FLT_EPSILON
                                                         : (long double)DBL_EPSILON;
    uint64_t exactly = 0;
    mpz_inits(m.b, m.sum, m.ten, m.term, NULL);
    *first = UINT64_MAX;
    *wrong = 0;
    hsp_status status =
        numbers.scratch.failed ? hsp__fail_memory(err) : separates_begin(ctx, of, &m, err);
    for (uint64_t i = 0; !status && i < n; i++) {
        if (!source->y[i]) continue;
        int sign = separates_near(&m, i);
        if (!sign) {
            m.digits = 0;
            m.looking = 1;
            hsp__exact_row(source, i, separates_add, &m);
            m.looking = 0;
            mpz_ui_pow_ui(m.ten, 10, (unsigned long)m.digits);
            mpz_mul(m.sum, m.b, m.ten);
            hsp__exact_row(source, i, separates_add, &m);
            sign = mpz_sgn(m.sum);
            if (exactly++ % SEPARATES_TICK == 0)
                status = hsp__progress(ctx, "confirming", "rows", i, n, err);
        }
        if (sign != source->y[i] && !(*wrong)++) *first = i;
    }
    mpz_clears(m.b, m.sum, m.ten, m.term, NULL);
    hsp__mpz_free(&numbers);
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
