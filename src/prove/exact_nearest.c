/* The nearest points of two convex hulls, in exact arithmetic.
 *
 * Problem. With an offset: minimise ||p - q|| over p in the hull of the positive rows and q in that
 * of the negative ones; without: minimise ||p|| over the hull of all y x. Both ask for the shortest
 * vector of a polytope, whose corners u are x_i - x_j (i positive, j negative), or y_i x_i.
 *
 * Method [P. Wolfe, Finding the nearest point in a polytope, Math. Programming 11, 1976]. A few
 * corners, affinely independent (a corral), and weights > 0 of them, such that v = sum weight u is
 * the shortest vector of their affine hull. The corner with the least <v, u> joins; then v moves
 * towards the shortest vector of the new affine hull, and where it would leave the corners' own
 * hull, the corner that goes to weight 0 leaves. The length falls with every corner that joins, so
 * no corral comes twice, and the method ends.
 *
 * Guarantee. All numbers are whole: rows times a power of ten, weights over a common denominator.
 * There is no rounding, and nothing is nearly singular. It ends with v = 0 exactly, and the weights
 * are those of a common point; or with <v, u> >= (1 - width/8) <v, v> for all corners: then v
 * separates, and its margin is the widest there is to that share. Only then are v and the weights
 * rounded, to as many bits as keep the width.
 *
 * Cost. A step: the products of v with all rows; and the solution of as many equations as there are
 * corners, by Bareiss' elimination. Numbers have as many digits as rows times corners. */
#include "base/base.h"
#include "prove/gmp.h"

#ifdef HSP_HAVE_GMP

#include "prove/prove.h"

typedef struct nearest {
    hsp_context *ctx;
    hsp__mpz_scratch numbers;
    hsp__exact_matrix rows;
    const signed char *y; /* count */
    int offset;
    double width;
    uint64_t room;         /* corners that fit: d + 2 */
    uint64_t k;            /* corners in the corral */
    uint64_t *plus;        /* room: the positive row of a corner; without an offset, its row */
    uint64_t *minus;       /* room: the negative row */
    mpz_t *u;              /* room * d: corners */
    mpz_t *gram;           /* room * room: their products */
    mpz_t *weight, *aim;   /* room: over the sum of each */
    mpz_t weights, aims;   /* those sums */
    mpz_t *v;              /* d: sum of weight u, times `weights` */
    mpz_t *work, *product; /* room * (room + 1); count: <v, x> */
    mpz_t *share;          /* count: what each row has of the weights */
    mpz_t *w;              /* d: v, rounded */
    mpz_t t, s;
} nearest;

/* ---- Corners --------------------------------------------------------------------------------- */

static void nearest_dot(mpz_t to, mpz_t *a, mpz_t *b, uint64_t d)
{
    mpz_set_ui(to, 0);
    for (uint64_t j = 0; j < d; j++)
        mpz_addmul(to, a[j], b[j]);
}

/* The corner with the least <v, u>; m->t is that product. */
static void nearest_look(nearest *m, mpz_t *v, uint64_t *plus, uint64_t *minus)
{
    const uint64_t n = m->rows.count, d = m->rows.cols;
    uint64_t best[2] = {n, n};
    for (uint64_t i = 0; i < n; i++) {
        const int side = m->offset ? m->y[i] > 0 : 1;
        nearest_dot(m->product[i], v, m->rows.x + i * d, d);
        if (m->y[i] < 0) mpz_neg(m->product[i], m->product[i]);
        if (best[side] == n || mpz_cmp(m->product[i], m->product[best[side]]) < 0) best[side] = i;
    }
    *plus = best[1];
    *minus = best[0];
    mpz_set(m->t, m->product[*plus]);
    if (m->offset) mpz_add(m->t, m->t, m->product[*minus]);
}

static void nearest_join(nearest *m, uint64_t plus, uint64_t minus)
{
    const uint64_t d = m->rows.cols, k = m->k++;
    mpz_t *u = m->u + k * d;
    m->plus[k] = plus;
    m->minus[k] = minus;
    for (uint64_t j = 0; j < d; j++) {
        if (m->offset)
            mpz_sub(u[j], m->rows.x[plus * d + j], m->rows.x[minus * d + j]);
        else if (m->y[plus] > 0)
            mpz_set(u[j], m->rows.x[plus * d + j]);
        else
            mpz_neg(u[j], m->rows.x[plus * d + j]);
    }
    mpz_set_ui(m->weight[k], 0);
    for (uint64_t i = 0; i <= k; i++) {
        nearest_dot(m->gram[k * m->room + i], u, m->u + i * d, d);
        mpz_set(m->gram[i * m->room + k], m->gram[k * m->room + i]);
    }
}

/* ---- The shortest vector of the affine hull -------------------------------------------------- */

/* aim = adj(G + 1 1') 1: the weights, but for their sum. G + 1 1' is positive definite, as the
 * corners are affinely independent, so that no pivot is 0. */
static void nearest_aim(nearest *m)
{
    const uint64_t k = m->k, wide = k + 1;
    mpz_t *a = m->work;
    for (uint64_t i = 0; i < k; i++) {
        for (uint64_t j = 0; j < k; j++)
            mpz_add_ui(a[i * wide + j], m->gram[i * m->room + j], 1);
        mpz_set_ui(a[i * wide + k], 1);
    }
    for (uint64_t p = 0; p + 1 < k; p++)
        for (uint64_t i = p + 1; i < k; i++) {
            for (uint64_t j = p + 1; j < wide; j++) {
                mpz_mul(a[i * wide + j], a[i * wide + j], a[p * wide + p]);
                mpz_submul(a[i * wide + j], a[i * wide + p], a[p * wide + j]);
                if (p) mpz_divexact(a[i * wide + j], a[i * wide + j], a[(p - 1) * wide + p - 1]);
            }
        }
    const uint64_t end = (k - 1) * wide + k - 1; /* the determinant */
    mpz_set_ui(m->aims, 0);
    for (uint64_t i = k; i-- > 0;) {
        mpz_mul(m->aim[i], a[i * wide + k], a[end]);
        for (uint64_t j = i + 1; j < k; j++)
            mpz_submul(m->aim[i], a[i * wide + j], m->aim[j]);
        mpz_divexact(m->aim[i], m->aim[i], a[i * wide + i]);
        mpz_add(m->aims, m->aims, m->aim[i]);
    }
}

/* Whole numbers in the least terms. */
static void nearest_shorten(nearest *m)
{
    mpz_set(m->s, m->weights);
    for (uint64_t i = 0; i < m->k; i++)
        mpz_gcd(m->s, m->s, m->weight[i]);
    if (mpz_cmp_ui(m->s, 1) <= 0) return;
    mpz_divexact(m->weights, m->weights, m->s);
    for (uint64_t i = 0; i < m->k; i++)
        mpz_divexact(m->weight[i], m->weight[i], m->s);
}

/* weight <- weight + theta (aim - weight), theta = p / q the largest that leaves none below 0. */
static void nearest_step(nearest *m)
{
    const uint64_t d = m->rows.cols, room = m->room;
    mpz_t p, q, a, b;
    mpz_inits(p, q, a, b, NULL);
    int first = 1;
    for (uint64_t i = 0; i < m->k; i++) {
        if (mpz_sgn(m->aim[i]) > 0) continue;
        mpz_mul(a, m->weight[i], m->aims); /* a / b: where this one gets to 0 */
        mpz_set(b, a);
        mpz_submul(b, m->aim[i], m->weights);
        mpz_mul(m->s, a, q);
        mpz_mul(m->t, p, b);
        if (!first && mpz_cmp(m->s, m->t) >= 0) continue;
        mpz_set(p, a);
        mpz_set(q, b);
        first = 0;
    }
    mpz_sub(a, q, p);
    mpz_mul(a, a, m->aims);    /* of the weights */
    mpz_mul(b, p, m->weights); /* of the aims */
    for (uint64_t i = 0; i < m->k; i++) {
        mpz_mul(m->weight[i], m->weight[i], a);
        mpz_addmul(m->weight[i], m->aim[i], b);
    }
    mpz_mul(m->weights, m->weights, m->aims);
    mpz_mul(m->weights, m->weights, q);
    for (uint64_t at = m->k; at-- > 0;) { /* who is at 0 leaves; the last one takes its place */
        if (mpz_sgn(m->weight[at])) continue;
        const uint64_t last = --m->k;
        if (at == last) continue;
        m->plus[at] = m->plus[last];
        m->minus[at] = m->minus[last];
        mpz_swap(m->weight[at], m->weight[last]);
        for (uint64_t j = 0; j < d; j++)
            mpz_swap(m->u[at * d + j], m->u[last * d + j]);
        for (uint64_t i = 0; i < last; i++) {
            if (i == at) continue;
            mpz_set(m->gram[at * room + i], m->gram[last * room + i]);
            mpz_set(m->gram[i * room + at], m->gram[last * room + i]);
        }
        mpz_set(m->gram[at * room + at], m->gram[last * room + last]);
    }
    nearest_shorten(m);
    mpz_clears(p, q, a, b, NULL);
}

/* To the shortest vector of the hull of those corners that are left. */
static void nearest_settle(nearest *m)
{
    for (;;) {
        int inside = 1;
        nearest_aim(m);
        for (uint64_t i = 0; i < m->k; i++)
            inside &= mpz_sgn(m->aim[i]) > 0;
        if (inside) break;
        nearest_step(m);
    }
    for (uint64_t i = 0; i < m->k; i++)
        mpz_set(m->weight[i], m->aim[i]);
    mpz_set(m->weights, m->aims);
    nearest_shorten(m);
    for (uint64_t j = 0; j < m->rows.cols; j++) {
        mpz_set_ui(m->v[j], 0);
        for (uint64_t i = 0; i < m->k; i++)
            mpz_addmul(m->v[j], m->weight[i], m->u[i * m->rows.cols + j]);
    }
}

/* ---- What comes out -------------------------------------------------------------------------- */

/* What each row has of the weights, every corner's shifted right by `shift`. */
static void nearest_shares(nearest *m, mp_bitcnt_t shift)
{
    for (uint64_t i = 0; i < m->rows.count; i++)
        mpz_set_ui(m->share[i], 0);
    for (uint64_t i = 0; i < m->k; i++) {
        mpz_fdiv_q_2exp(m->t, m->weight[i], shift);
        mpz_add(m->share[m->plus[i]], m->share[m->plus[i]], m->t);
        if (m->offset) mpz_add(m->share[m->minus[i]], m->share[m->minus[i]], m->t);
    }
}

/* ||sum share y x|| / sum share, rounded up. */
static void nearest_high(nearest *m, hsp__separation *to)
{
    mpz_t square, total, sum;
    const uint64_t d = m->rows.cols;
    mpz_inits(square, total, sum, NULL);
    for (uint64_t i = 0; i < m->rows.count; i++)
        mpz_add(total, total, m->share[i]);
    mpz_mul(total, total, total);
    for (uint64_t j = 0; j < d; j++) {
        mpz_set_ui(sum, 0);
        for (uint64_t i = 0; i < m->rows.count; i++) {
            if (m->y[i] > 0)
                mpz_addmul(sum, m->share[i], m->rows.x[i * d + j]);
            else
                mpz_submul(sum, m->share[i], m->rows.x[i * d + j]);
        }
        mpz_addmul(square, sum, sum);
    }
    to->high.size = 0;
    to->high_value = hsp__exact_format_root(&to->high, square, total, -(long)m->rows.digits, 1);
    mpz_clears(square, total, sum, NULL);
}

/* Weights of `bits` bits, the offset in their middle, and what margin they have, rounded down. 0
 * when they do not separate. */
static int nearest_low(nearest *m, mp_bitcnt_t bits, hsp__separation *to)
{
    const uint64_t d = m->rows.cols;
    const long exponent = -(long)m->rows.digits;
    uint64_t plus, minus;
    size_t most = 0;
    for (uint64_t j = 0; j < d; j++)
        if (mpz_sizeinbase(m->v[j], 2) > most) most = mpz_sizeinbase(m->v[j], 2);
    for (uint64_t j = 0; j < d; j++) {
        mpz_fdiv_q_2exp(m->w[j], m->v[j], most > bits ? most - bits : 0);
        mpz_mul_2exp(m->w[j], m->w[j], 1); /* so that the middle is a whole number */
    }
    nearest_look(m, m->w, &plus, &minus);
    if (mpz_sgn(m->t) <= 0) return 0;
    mpz_t b, square;
    mpz_inits(b, square, NULL);
    if (m->offset) {
        mpz_sub(b, m->product[minus], m->product[plus]);
        mpz_fdiv_q_2exp(b, b, 1);
        mpz_fdiv_q_2exp(m->t, m->t, 1);
    }
    mpz_mul(m->t, m->t, m->t);
    nearest_dot(square, m->w, m->w, d);
    to->low.size = to->w.size = to->b.size = 0;
    to->low_value = hsp__exact_format_root(&to->low, m->t, square, exponent, 0);
    hsp__claim_open(&to->w, NULL, '[');
    for (uint64_t j = 0; j < d; j++) {
        to->weights[j] = mpz_get_d(m->w[j]);
        if (mpz_sgn(m->w[j]) != 0) hsp__exact_write_entry(&to->w, j, m->w[j]);
    }
    hsp__claim_close(&to->w, ']');
    hsp__exact_format_scaled(&to->b, b, exponent);
    to->bias = mpz_get_d(b) * pow(10, (double)exponent);
    mpz_clears(b, square, NULL);
    return 1;
}

static hsp_status nearest_separable(nearest *m, hsp_error *err, hsp__separation *to)
{
    const size_t full = mpz_sizeinbase(m->weights, 2);
    hsp__free(&to->memory, to->weights);
    to->weights = hsp__new(&to->memory, m->rows.cols, sizeof *to->weights);
    if (!to->weights) return hsp__fail_memory(err);
    for (mp_bitcnt_t bits = 48;; bits *= 2) {
        const int whole = bits > full + 64 * (m->rows.digits + 64);
        nearest_shares(m, full > bits ? full - bits : 0);
        const int separates = nearest_low(m, bits, to);
        assert(separates || !whole); /* v itself separates */
        if (!separates) continue;
        nearest_high(m, to);
        if (!whole && to->high_value - to->low_value > 0.9 * m->width * to->high_value) continue;
        hsp__exact_write_multipliers(to, NULL, m->share, m->rows.count);
        to->kind = HSP__SEPARABILITY_SEPARABLE;
        return HSP_OK;
    }
}

/* ---- The method ------------------------------------------------------------------------------ */

static hsp_status nearest_run(nearest *m, uint64_t steps, hsp_error *err, hsp__separation *to)
{
    const double parts = fmin(fmax(8 / m->width, 16), 0x1p50);
    uint64_t plus = m->rows.count, minus = m->rows.count;
    mpz_t *square = hsp__mpz_new(&m->numbers, 1);
    if (!square) return hsp__fail_memory(err);
    for (uint64_t i = m->rows.count; i-- > 0;)
        *(m->y[i] > 0 || !m->offset ? &plus : &minus) = i;
    if (plus == m->rows.count || (m->offset && minus == m->rows.count)) return HSP_OK;
    nearest_join(m, plus, minus);
    mpz_set_ui(m->weight[0], 1);
    mpz_set_ui(m->weights, 1);
    for (uint64_t step = 0; step < steps; step++) {
        nearest_settle(m);
        nearest_dot(*square, m->v, m->v, m->rows.cols);
        if (mpz_sgn(*square) == 0) {
            nearest_shares(m, 0);
            HSP__TRY(hsp__exact_reduce(m->ctx, &m->rows, m->y, m->offset, m->share, err));
            hsp__exact_write_multipliers(to, NULL, m->share, m->rows.count);
            to->kind = HSP__SEPARABILITY_COMMON;
            return HSP_OK;
        }
        nearest_look(m, m->v, &plus, &minus);
        /* is <v, u> >= (1 - width/8) <v, v> for this corner? */
        mpz_mul(m->t, m->t, m->weights);
        mpz_sub(m->t, *square, m->t); /* what is lacking */
        mpz_set_d(m->s, floor(parts));
        mpz_mul(m->s, m->t, m->s);
        if (mpz_sgn(m->t) <= 0 || mpz_cmp(m->s, *square) <= 0) return nearest_separable(m, err, to);
        nearest_join(m, plus, minus);
        HSP__TRY(hsp__progress(m->ctx, "proving", "steps", step + 1, 0, err));
    }
    return HSP_OK;
}

hsp_status hsp__exact_nearest_of(hsp_context *ctx, const hsp__exact_matrix *rows,
                                 const signed char *y, int offset, double width, uint64_t steps,
                                 hsp_error *err, hsp__separation *to)
{
    const uint64_t n = rows->count, d = rows->cols, room = d + 2;
    nearest m = {.ctx = ctx,
                 .numbers.scratch.memory = &ctx->allocator,
                 .rows = *rows,
                 .y = y,
                 .offset = offset,
                 .width = width,
                 .room = room};
    m.plus = hsp__scratch_new(&m.numbers.scratch, room, sizeof *m.plus);
    m.minus = hsp__scratch_new(&m.numbers.scratch, room, sizeof *m.minus);
    m.u = hsp__mpz_new(&m.numbers, room * d);
    m.gram = hsp__mpz_new(&m.numbers, room * room);
    m.weight = hsp__mpz_new(&m.numbers, room);
    m.aim = hsp__mpz_new(&m.numbers, room);
    m.v = hsp__mpz_new(&m.numbers, d);
    m.work = hsp__mpz_new(&m.numbers, room * (room + 1));
    m.product = hsp__mpz_new(&m.numbers, n);
    m.share = hsp__mpz_new(&m.numbers, n);
    m.w = hsp__mpz_new(&m.numbers, d);
    mpz_inits(m.weights, m.aims, m.t, m.s, NULL);
    hsp_status status =
        m.numbers.scratch.failed ? hsp__fail_memory(err) : nearest_run(&m, steps, err, to);
    mpz_clears(m.weights, m.aims, m.t, m.s, NULL);
    hsp__mpz_free(&m.numbers);
    return status;
}

hsp_status hsp__exact_nearest(hsp_context *ctx, const hsp__exact_source *source, int offset,
                              double width, uint64_t steps, hsp_error *err, hsp__separation *to)
{
    hsp__mpz_scratch numbers = {.scratch.memory = &ctx->allocator};
    hsp__exact_matrix rows;
    hsp_status status = hsp__exact_matrix_read(&numbers, source, NULL, 0, err, &rows);
    if (!status)
        status = hsp__exact_nearest_of(ctx, &rows, source->y, offset, width, steps, err, to);
    hsp__mpz_free(&numbers);
    return status;
}

#else

hsp_status hsp__exact_nearest(hsp_context *ctx, const hsp__exact_source *source, int offset,
                              double width, uint64_t steps, hsp_error *err, hsp__separation *to)
{
    (void)ctx, (void)source, (void)offset, (void)width, (void)steps, (void)to;
    return hsp__exact_lacking(err);
}

#endif
