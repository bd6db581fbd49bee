/* Fewer rows for the same point [Caratheodory].
 *
 * With sum a_i c_i = 0, a > 0, c_i = (y x, y) (without an offset: y x), and more rows than the rank
 * of the c_i plus one, there is another solution v of sum v_i c_i = 0, not a multiple of a; a - t v
 * is one for every t, and at the least t with a 0 in it, a row has gone. The c_i are kept in
 * echelon form as they are taken in one by one, each with the combination of rows that it is: the
 * first that comes to 0 gives such a v. */
#include "base/base.h"
#include "prove/gmp.h"

#ifdef HSP_HAVE_GMP

typedef struct reduce {
    const hsp__exact_matrix *rows;
    const signed char *y;
    int offset;
    uint64_t d, high; /* entries of c; rows in use */
    uint64_t *row;    /* high */
    mpq_t *c;         /* high * (d + high): echelon form, and what it is made of */
    mpz_t *a;
} reduce;

/* Row k in echelon form: what earlier rows lead with is cleared. Where it leads; d: nowhere. */
static uint64_t reduce_take(reduce *m, uint64_t k, const uint64_t *lead)
{
    const uint64_t wide = m->d + m->high, i = m->row[k];
    mpq_t *c = m->c + k * wide, factor, term;
    mpq_inits(factor, term, NULL);
    for (uint64_t j = 0; j < wide; j++)
        mpq_set_ui(c[j], j == m->d + k, 1);
    for (uint64_t j = 0; j < m->rows->cols; j++)
        mpq_set_z(c[j], m->rows->x[i * m->rows->cols + j]);
    if (m->offset) mpq_set_ui(c[m->d - 1], 1, 1);
    for (uint64_t j = 0; m->y[i] < 0 && j < m->d; j++)
        mpq_neg(c[j], c[j]);
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
    uint64_t j = 0;
    while (j < m->d && mpq_sgn(c[j]) == 0)
        j++;
    return j;
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

hsp_status hsp__exact_reduce(hsp_context *ctx, const hsp__exact_matrix *rows, const signed char *y,
                             int offset, mpz_t *a, hsp_error *err)
{
    hsp__scratch scratch = {.memory = &ctx->allocator};
    reduce m = {.rows = rows, .y = y, .offset = offset, .d = rows->cols + (offset ? 1 : 0), .a = a};
    uint64_t room = 0;
    for (uint64_t i = 0; i < rows->count; i++)
        room += mpz_sgn(a[i]) != 0;
    m.row = hsp__scratch_new(&scratch, room, sizeof *m.row);
    uint64_t *lead = hsp__scratch_new(&scratch, room, sizeof *lead);
    m.c = hsp__scratch_raw(&scratch, room * (m.d + room), sizeof *m.c);
    if (scratch.failed) {
        hsp__scratch_free(&scratch);
        return hsp__fail_memory(err);
    }
    for (uint64_t i = 0; i < room * (m.d + room); i++)
        mpq_init(m.c[i]);
    for (int more = 1; more;) {
        m.high = 0;
        for (uint64_t i = 0; i < rows->count; i++)
            if (mpz_sgn(a[i])) m.row[m.high++] = i;
        /* one row fewer, if that is possible; the last dependence is a itself */
        more = 0;
        for (uint64_t k = 0; !more && k + 1 < m.high; k++) {
            lead[k] = reduce_take(&m, k, lead);
            if (lead[k] < m.d) continue;
            reduce_step(&m, k);
            more = 1;
        }
    }
    for (uint64_t i = 0; i < room * (m.d + room); i++)
        mpq_clear(m.c[i]);
    hsp__scratch_free(&scratch);
    return HSP_OK;
}

#endif
