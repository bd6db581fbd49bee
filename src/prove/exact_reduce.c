/* Fewer rows for the same point [Caratheodory].
 *
 * With sum a_i c_i = 0, a > 0, c_i = (y x, y) (without an offset: y x), and more rows than the rank
 * of the c_i plus one, there is another solution v of sum v_i c_i = 0, not a multiple of a; a - t v
 * is one for every t, and at the least t with a 0 in it, a row has gone. The c_i are kept in
 * echelon form as they are taken in one by one, each with the combination of rows that it is: the
 * first that comes to 0 gives such a v. */
#include "prove/gmp.h"

#ifdef HSP_HAVE_GMP

#include "base/error.h"

typedef struct reduce {
    const hsp__exact_matrix *rows;
    const signed char *y;
    int offset;
    uint64_t d, high; /* entries of c; rows in use */
    uint64_t *row;    /* high */
    mpq_t *c;         /* high * (d + high): echelon form, and what it is made of */
    mpz_t *a;
} reduce;

static void reduce_load(reduce *m, uint64_t k)
{
    const uint64_t wide = m->d + m->high, i = m->row[k];
    mpq_t *c = m->c + k * wide;
    for (uint64_t j = 0; j < wide; j++)
        mpq_set_ui(c[j], 0, 1);
    for (uint64_t j = 0; j < m->rows->cols; j++)
        mpq_set_z(c[j], m->rows->x[i * m->rows->cols + j]);
    if (m->offset) mpq_set_ui(c[m->d - 1], 1, 1);
    for (uint64_t j = 0; m->y[i] < 0 && j < m->d; j++)
        mpq_neg(c[j], c[j]);
    mpq_set_ui(c[m->d + k], 1, 1);
}

static uint64_t reduce_lead(const reduce *m, uint64_t k)
{
    uint64_t j = 0;
    while (j < m->d && mpq_sgn(m->c[k * (m->d + m->high) + j]) == 0)
        j++;
    return j;
}

/* Clear what earlier rows lead with; 1 when nothing is left. `lead` of the rows before. */
static int reduce_clear(reduce *m, uint64_t k, const uint64_t *lead)
{
    const uint64_t wide = m->d + m->high;
    mpq_t *c = m->c + k * wide, factor, term;
    mpq_inits(factor, term, NULL);
    for (uint64_t p = 0; p < k; p++) {
        mpq_t *by = m->c + p * wide;
        if (mpq_sgn(c[lead[p]]) == 0) continue;
        mpq_div(factor, c[lead[p]], by[lead[p]]);
        for (uint64_t j = 0; j < wide; j++) {
            if (mpq_sgn(by[j]) == 0) continue;
            mpq_mul(term, factor, by[j]);
            mpq_sub(c[j], c[j], term);
        }
    }
    mpq_clears(factor, term, NULL);
    return reduce_lead(m, k) == m->d;
}

/* a <- a - t v, then whole again. v: the last high entries of row k. */
static void reduce_step(reduce *m, uint64_t k)
{
    mpq_t *v = m->c + k * (m->d + m->high) + m->d, t, ratio;
    mpz_t common;
    mpq_inits(t, ratio, NULL);
    mpz_init_set_ui(common, 1);
    int first = 1;
    for (uint64_t i = 0; i <= k; i++) {
        if (mpq_sgn(v[i]) <= 0) continue; /* v[k] is 1: there is one */
        mpq_set_z(ratio, m->a[m->row[i]]);
        mpq_div(ratio, ratio, v[i]);
        if (first || mpq_cmp(ratio, t) < 0) mpq_set(t, ratio);
        first = 0;
    }
    for (uint64_t i = 0; i <= k; i++) {
        mpq_mul(v[i], v[i], t);
        mpz_lcm(common, common, mpq_denref(v[i]));
    }
    for (uint64_t i = 0; i < m->high; i++)
        mpz_mul(m->a[m->row[i]], m->a[m->row[i]], common);
    for (uint64_t i = 0; i <= k; i++) {
        mpz_divexact(mpq_denref(v[i]), common, mpq_denref(v[i]));
        mpz_submul(m->a[m->row[i]], mpq_numref(v[i]), mpq_denref(v[i]));
        mpz_set_ui(mpq_denref(v[i]), 1);
    }
    mpz_set_ui(common, 0);
    for (uint64_t i = 0; i < m->high; i++)
        mpz_gcd(common, common, m->a[m->row[i]]);
    for (uint64_t i = 0; i < m->high; i++)
        mpz_divexact(m->a[m->row[i]], m->a[m->row[i]], common);
    mpq_clears(t, ratio, NULL);
    mpz_clear(common);
}

/* One row fewer, if that is possible: 1. The last dependence is a itself. */
static int reduce_once(reduce *m, uint64_t *lead)
{
    for (uint64_t k = 0; k < m->high; k++) {
        reduce_load(m, k);
        if (!reduce_clear(m, k, lead)) {
            lead[k] = reduce_lead(m, k);
            continue;
        }
        if (k + 1 == m->high) return 0;
        reduce_step(m, k);
        return 1;
    }
    return 0;
}

hsp_status hsp__exact_reduce(hsp_context *ctx, const hsp__exact_matrix *rows, const signed char *y,
                             int offset, mpz_t *a, hsp_error *err)
{
    const hsp_allocator *memory = &ctx->allocator;
    reduce m = {.rows = rows, .y = y, .offset = offset, .a = a};
    m.d = rows->cols + (offset ? 1 : 0);
    uint64_t room = 0;
    for (uint64_t i = 0; i < rows->count; i++)
        room += mpz_sgn(a[i]) != 0;
    m.row = hsp__new(memory, room, sizeof *m.row);
    uint64_t *lead = hsp__new(memory, room, sizeof *lead);
    m.c = hsp__new_raw(memory, room * (m.d + room), sizeof *m.c);
    hsp_status status = m.row && lead && m.c ? HSP_OK : hsp__fail_memory(err);
    for (uint64_t i = 0; !status && i < room * (m.d + room); i++)
        mpq_init(m.c[i]);
    for (int more = 1; !status && more;) {
        m.high = 0;
        for (uint64_t i = 0; i < rows->count; i++)
            if (mpz_sgn(a[i])) m.row[m.high++] = i;
        more = reduce_once(&m, lead);
    }
    for (uint64_t i = 0; !status && i < room * (m.d + room); i++)
        mpq_clear(m.c[i]);
    hsp__free(memory, m.row);
    hsp__free(memory, lead);
    hsp__free(memory, m.c);
    return status;
}

#endif
