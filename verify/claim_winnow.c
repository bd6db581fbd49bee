/* Claim 3, Winnow: a run, replayed, makes as many mistakes as certified, and no more than its
 * theorems allow.
 *
 * Weights are alpha^e, e the sum of y x over the updates (winnow1: 0 once it was demoted); balanced
 * Winnow scores with alpha^e - alpha^-e. Powers are enclosed, exactly where they are whole
 * multiples of 2^-HSV_BITS. The bounds are for a separator v: what v's columns gain is at most what
 * the total weight allows them (docs/winnow.md has the steps). They have logarithms of rational
 * numbers in them, which are enclosed; a bound is taken at its lower end. */
#include <stdlib.h>

#include "full.h"

enum { WINNOW_1, WINNOW_2, WINNOW_BALANCED };

typedef struct winnow_run {
    int variant, unit, tie; /* unit: a column of ones, the last; tie: negative, positive, mistake */
    mpq_t *alpha, *theta, *clip;
    size_t columns;
    mpz_t *e;       /* columns: exponents, over the rows' scale */
    mpz_t *lo, *hi; /* columns: what a value is multiplied by, over 2^HSV_BITS */
    mpz_t *log;     /* 2: ln alpha, over 2^HSV_BITS */
    mpz_t *ends;    /* 4: -clip, 0, 1, 1 + clip over the rows' scale, the clip rounded down */
    mpz_t *z;       /* 8, to work with */
    hsv_point v;    /* the separator */
} winnow_run;

/* ---- The run --------------------------------------------------------------------------------- */

/* alpha^e, e = above / scale, over 2^HSV_BITS. */
static void winnow_power(hsv_checker *c, winnow_run *r, const mpz_t e, mpz_t lo, mpz_t hi)
{
    mpz_t *z = r->z;
    mpz_abs(z[0], e);
    if (mpz_divisible_p(z[0], *c->scale)) {
        mpz_divexact(z[0], z[0], *c->scale);
        const size_t bits = mpz_sizeinbase(mpq_numref(*r->alpha), 2);
        if (mpz_cmp_ui(z[0], 1000000) > 0) hsv_reject(c, "a weight is too large, or too small");
        hsv_spend_product(c, bits * mpz_get_ui(z[0]) / 32 + 8);
        mpz_pow_ui(z[1], mpq_numref(*r->alpha), mpz_get_ui(z[0]));
        mpz_pow_ui(z[2], mpq_denref(*r->alpha), mpz_get_ui(z[0]));
        if (mpz_sgn(e) < 0) mpz_swap(z[1], z[2]);
        mpz_mul_2exp(z[1], z[1], HSV_BITS);
        mpz_fdiv_q(lo, z[1], z[2]);
        mpz_cdiv_q(hi, z[1], z[2]);
        return;
    }
    hsv_spend(c, 20000);
    mpz_mul_2exp(z[3], *c->scale, HSV_BITS);
    mpz_mul(z[1], z[0], r->log[1]);
    mpz_mul(z[2], z[0], r->log[0]);
    hsv_exp(z[1], z[3], lo, z[4]);
    hsv_exp(z[2], z[3], z[4], hi);
    if (mpz_sgn(e) < 0) return;
    if (!mpz_sgn(lo)) hsv_reject(c, "a weight is too large");
    mpz_set_ui(z[1], 0);
    mpz_setbit(z[1], 2 * HSV_BITS);
    mpz_fdiv_q(z[2], z[1], hi);
    mpz_cdiv_q(hi, z[1], lo);
    mpz_set(lo, z[2]);
}

/* A value, clipped to [0, 1]. */
static mpz_srcptr winnow_value(hsv_checker *c, const winnow_run *r, const hsv_row *row, size_t j)
{
    mpz_srcptr x = row->value[j];
    if (mpz_cmp(x, r->ends[0]) < 0 || mpz_cmp(x, r->ends[3]) > 0)
        hsv_reject(c, "row %zu has a value that is not from 0 to 1", row->number);
    return mpz_sgn(x) < 0 ? r->ends[1] : mpz_cmp(x, r->ends[2]) > 0 ? r->ends[2] : x;
}

/* The score less theta, exactly, as a rational; 0: an exponent is not whole, or too large. */
static int winnow_exactly(hsv_checker *c, winnow_run *r, const hsv_row *row, mpq_t sum)
{
    mpq_t *q = hsv_rationals(c, 2);
    mpq_neg(sum, *r->theta);
    for (size_t k = 0; k < row->count + (size_t)r->unit; k++) {
        const size_t j = k < row->count ? row->column[k] - 1 : r->columns - 1;
        mpz_srcptr x = k < row->count ? winnow_value(c, r, row, k) : *c->scale;
        if (r->variant == WINNOW_1 && !mpz_sgn(r->hi[j])) continue; /* demoted */
        if (!mpz_divisible_p(r->e[j], *c->scale)) return 0;
        mpz_divexact(r->z[0], r->e[j], *c->scale);
        if (mpz_cmpabs_ui(r->z[0], 5000) > 0) return 0;
        const unsigned long power = (unsigned long)labs(mpz_get_si(r->z[0]));
        hsv_spend_product(c, mpz_size(mpq_numref(*r->alpha)) * power + 8);
        mpz_pow_ui(mpq_numref(q[0]), mpq_numref(*r->alpha), power);
        mpz_pow_ui(mpq_denref(q[0]), mpq_denref(*r->alpha), power);
        if (mpz_sgn(r->z[0]) < 0) mpq_inv(q[0], q[0]);
        mpq_inv(q[1], q[0]);
        if (r->variant == WINNOW_BALANCED) mpq_sub(q[0], q[0], q[1]);
        hsv_ratio(q[1], x, *c->scale);
        mpq_mul(q[0], q[0], q[1]);
        mpq_add(sum, sum, q[0]);
    }
    return 1;
}

static int winnow_wrong(hsv_checker *c, hsv_run *run, const hsv_row *row)
{
    winnow_run *r = run->state;
    mpz_t *z = r->z;
    mpz_set_ui(z[0], 0);
    mpz_set_ui(z[1], 0);
    for (size_t j = 0; j < row->count; j++)
        hsv_span_add(z[0], z[1], winnow_value(c, r, row, j), r->lo[row->column[j] - 1],
                     r->hi[row->column[j] - 1]);
    if (r->unit) hsv_span_add(z[0], z[1], *c->scale, r->lo[r->columns - 1], r->hi[r->columns - 1]);
    hsv_spend(c, (row->count + 2) * 60);
    mpz_mul_2exp(z[2], *c->scale, HSV_BITS);
    mpz_mul(z[2], z[2], mpq_numref(*r->theta));
    mpz_mul(z[0], z[0], mpq_denref(*r->theta));
    mpz_mul(z[1], z[1], mpq_denref(*r->theta));
    int low = mpz_cmp(z[0], z[2]), high = mpz_cmp(z[1], z[2]); /* s - theta */
    if (low <= 0 && high >= 0 && low != high) {
        hsv_block *mark = c->blocks;
        mpq_t *sum = hsv_rationals(c, 1);
        if (winnow_exactly(c, r, row, *sum)) low = high = mpq_sgn(*sum);
        hsv_release(c, mark);
    }
    const int equal = r->tie == 2 || r->tie == (row->y < 0); /* is s = theta a mistake? */
    const int under = high < 0 || (high == 0 && equal), above = low > 0 || (low == 0 && equal);
    if (row->y > 0 ? under : above) return 1;
    if (row->y > 0 ? low < 0 || (low == 0 && equal) : high > 0 || (high == 0 && equal))
        hsv_reject(c, "whether row %zu is a mistake cannot be decided", row->number);
    return 0;
}

static void winnow_update(hsv_checker *c, hsv_run *run, const hsv_row *row)
{
    winnow_run *r = run->state;
    for (size_t k = 0; k < row->count + (size_t)r->unit; k++) {
        const size_t j = k < row->count ? row->column[k] - 1 : r->columns - 1;
        mpz_srcptr x = k < row->count ? winnow_value(c, r, row, k) : *c->scale;
        if (!mpz_sgn(x)) continue;
        (row->y > 0 ? mpz_add : mpz_sub)(r->e[j], r->e[j], x);
        if (r->variant == WINNOW_1 && (row->y < 0 || !mpz_sgn(r->hi[j]))) { /* it is out */
            mpz_set_ui(r->lo[j], 0);
            mpz_set_ui(r->hi[j], 0);
            continue;
        }
        winnow_power(c, r, r->e[j], r->lo[j], r->hi[j]);
        if (r->variant != WINNOW_BALANCED) continue;
        mpz_neg(r->z[7], r->e[j]);
        winnow_power(c, r, r->z[7], r->z[5], r->z[6]);
        mpz_sub(r->lo[j], r->lo[j], r->z[6]);
        mpz_sub(r->hi[j], r->hi[j], r->z[5]);
    }
}

/* ---- The bounds ------------------------------------------------------------------------------ */

/* V = sum |v_j| + |b|, and H = ln V - sum |v_j| ln |v_j| / V from above, which is the same in any
 * unit: that of whole numbers is taken. Is one of v_j negative? */
static int winnow_weigh(hsv_checker *c, const winnow_run *r, mpq_t V, mpq_t H)
{
    mpz_t *z = hsv_integers(c, 8);
    int negative = 0;
    mpz_set_ui(z[5], 1);
    mpz_lcm(z[7], *r->v.below, mpq_denref(*r->v.b));
    for (size_t j = 0; j <= r->v.count; j++) {
        const int last = j == r->v.count;
        mpz_divexact(z[0], z[7], last ? mpq_denref(*r->v.b) : *r->v.below);
        mpz_mul(z[0], z[0], last ? mpq_numref(*r->v.b) : r->v.value[j]);
        negative |= mpz_sgn(z[0]) < 0;
        mpz_abs(z[0], z[0]);
        if (!mpz_sgn(z[0])) continue;
        hsv_spend(c, 20000);
        hsv_log(z[0], z[5], z[1], z[2]);
        hsv_span_add(z[3], z[4], z[0], z[1], z[2]);
        mpz_add(z[6], z[6], z[0]);
    }
    if (!mpz_sgn(z[6])) hsv_reject(c, "the separator has no weight");
    mpz_mul_2exp(z[0], z[6], HSV_BITS);
    hsv_ratio(V, z[3], z[0]);
    hsv_log(z[6], z[5], z[1], z[2]);
    mpz_set_ui(z[0], 0);
    mpz_setbit(z[0], HSV_BITS);
    hsv_ratio(H, z[2], z[0]);
    mpq_sub(H, H, V);
    hsv_ratio(V, z[6], z[7]);
    return negative;
}

/* ln of a rational number, at most (way < 0) or at least that. */
static void winnow_log(hsv_checker *c, mpq_t out, const mpq_t of, int way)
{
    mpz_t *z = hsv_integers(c, 3);
    hsv_log(mpq_numref(of), mpq_denref(of), z[0], z[1]);
    mpz_setbit(z[2], HSV_BITS);
    hsv_ratio(out, z[way > 0], z[2]);
}

/* The numbers of the formulas; W is that of the simpler bound E, 0 where it does not apply. */
typedef struct winnow_numbers {
    mpq_t *P, *Q, *V, *H, *N, *bound, *W, *E;
} winnow_numbers;

/* winnow1 and winnow2, <v,x> at least P on positive rows, at most Q on negative ones. From below,
 *     (K S/ln a) (ln Z - 1 - H) + (K - 1) N/(d t)
 * with d = a - 1, S = V/P, s = (P - Q)/P, K = (1 + a)/(a s - d) or a, Z = S d t K/((K - 1) ln a).
 */
static void winnow_bound(hsv_checker *c, const winnow_run *r, winnow_numbers *n)
{
    mpq_t *q = hsv_rationals(c, 9), *one = q, *d = q + 1, *S = q + 2, *K = q + 3, *dt = q + 4;
    mpq_t *low = q + 5, *high = q + 6, *x = q + 7, *apart = q + 8;
    const int two = r->variant == WINNOW_2;
    mpq_set_ui(*one, 1, 1);
    mpq_sub(*d, *r->alpha, *one);
    mpq_mul(*dt, *d, *r->theta);
    mpq_div(*S, *n->V, *n->P);
    mpq_sub(*apart, *n->P, *n->Q);
    mpq_div(*x, *apart, *n->P);
    mpq_mul(*x, *x, *r->alpha);
    mpq_sub(*x, *x, *d); /* a s - d */
    if (two && mpq_sgn(*x) <= 0)
        hsv_reject(c, "alpha is too large for the separator: the least <v,x> of positive rows is "
                      "not above alpha times the largest of negative ones");
    if (!two && mpq_sgn(*n->Q))
        hsv_reject(c, "the separator is not 0 on all negative rows, as winnow1 needs it");
    mpq_add(*K, *r->alpha, *one);
    if (two)
        mpq_div(*K, *K, *x);
    else
        mpq_set(*K, *r->alpha);
    winnow_log(c, *low, *r->alpha, -1);
    winnow_log(c, *high, *r->alpha, 1);
    if (mpq_sgn(*low) <= 0) hsv_reject(c, "alpha is too near to 1");
    mpq_mul(*n->bound, *K, *S);
    mpq_mul(*x, *n->bound, *dt);
    mpq_sub(*K, *K, *one);
    mpq_div(*x, *x, *K);
    mpq_div(*x, *x, *high); /* Z, from below */
    winnow_log(c, *x, *x, -1);
    mpq_sub(*x, *x, *one);
    mpq_sub(*x, *x, *n->H);
    mpq_mul(*n->bound, *n->bound, *x);
    mpq_div(*n->bound, *n->bound, mpq_sgn(*x) < 0 ? *low : *high);
    mpq_mul(*x, *K, *n->N);
    mpq_div(*x, *x, *dt);
    mpq_add(*n->bound, *n->bound, *x);
    if (!two) return;
    /* The same in W and b, the total weight and the threshold once the sides are 1 apart. */
    mpq_div(*n->W, *n->V, *apart);
    mpq_div(*K, *n->P, *apart); /* b */
    mpq_mul(*low, *d, *n->W);
    mpq_mul(*high, *d, *K);
    mpq_mul(*x, *r->theta, *S); /* theta W / b */
    if (mpq_cmp_ui(*low, 1, 2) < 0 || mpq_cmp_ui(*high, 1, 2) > 0 || mpq_cmp_ui(*x, 1, 1) < 0)
        return;
    winnow_log(c, *x, *x, -1);
    mpq_mul(*x, *x, *n->W);
    mpq_mul(*K, *K, *n->N);
    mpq_div(*K, *K, *r->theta);
    mpq_add(*n->E, *x, *K);
    mpq_mul(*n->E, *n->E, *n->W);
    mpq_mul_2exp(*n->E, *n->E, 3);
}

/* balanced, all y s at least g = P: (ln 2N - H)/(ln a g/V - ln C) from below, C = cosh ln a. */
static void winnow_balanced(hsv_checker *c, const winnow_run *r, winnow_numbers *n)
{
    mpq_t *q = hsv_rationals(c, 6), *cosh = q, *ln2n = q + 5;
    mpq_inv(*cosh, *r->alpha);
    mpq_add(*cosh, *cosh, *r->alpha);
    mpq_div_2exp(*cosh, *cosh, 1);
    mpq_div(*n->W, *n->V, *n->P);
    for (int way = -1; way <= 1;
         way += 2) { /* the denominator, from below in q[1], above in q[3] */
        winnow_log(c, q[2 + way], *r->alpha, way);
        mpq_div(q[2 + way], q[2 + way], *n->W);
        winnow_log(c, q[2], *cosh, -way);
        mpq_sub(q[2 + way], q[2 + way], q[2]);
    }
    if (mpq_sgn(q[1]) <= 0) hsv_reject(c, "alpha is too large for the separator's margin");
    mpq_mul_2exp(*ln2n, *n->N, 1);
    winnow_log(c, *ln2n, *ln2n, -1);
    mpq_sub(*n->bound, *ln2n, *n->H);
    mpq_div(*n->bound, *n->bound, q[3]);
    winnow_log(c, q[1], *r->alpha, -1);
    winnow_log(c, q[2], *r->alpha, 1);
    mpq_mul(q[1], q[1], *n->W);
    mpq_mul(q[2], q[2], *n->W);
    if (mpq_cmp_ui(q[1], 1, 2) < 0 || mpq_cmp_ui(q[2], 3, 2) > 0) return;
    mpq_set_ui(q[1], 8, 3);
    mpq_mul(*n->E, *n->W, *n->W);
    mpq_mul(*n->E, *n->E, q[1]);
    mpq_mul(*n->E, *n->E, *ln2n);
}

/* P and Q, V and H of the separator; then the bound. */
static void winnow_separator(hsv_checker *c, winnow_run *r, winnow_numbers *n)
{
    const int balanced = r->variant == WINNOW_BALANCED;
    mpq_t *q = hsv_rationals(c, 1);
    /* the largest <v, x> of negative rows, the least of positive ones, over v.below and scale */
    mpz_t *side = hsv_integers(c, 2);
    int seen[2] = {0, 0};
    for (const hsv_row *row; (row = hsv_next(c, &c->data));) {
        mpz_set_ui(r->z[0], 0);
        for (size_t j = 0; j < row->count; j++) {
            mpz_srcptr x = winnow_value(c, r, row, j);
            if (row->column[j] <= r->v.count)
                mpz_addmul(r->z[0], r->v.value[row->column[j] - 1], x);
        }
        hsv_spend(c, row->count * 30);
        const int up = row->y > 0, order = mpz_cmp(r->z[0], side[up]);
        if (!seen[up] || (up ? order < 0 : order > 0)) mpz_set(side[up], r->z[0]);
        seen[up] = 1;
    }
    if (winnow_weigh(c, r, *n->V, *n->H) && !balanced)
        hsv_reject(c, "the separator has a negative weight");
    mpz_mul(r->z[0], *r->v.below, *c->scale);
    hsv_ratio(*n->P, side[1], r->z[0]);
    hsv_ratio(*n->Q, side[0], r->z[0]);
    mpq_add(*n->P, *n->P, *r->v.b);
    mpq_add(*n->Q, *n->Q, *r->v.b);
    if (!seen[0]) mpq_set_ui(*n->Q, 0, 1);
    mpq_neg(*q, *n->Q);
    if (balanced && seen[0] && (!seen[1] || mpq_cmp(*q, *n->P) < 0)) mpq_set(*n->P, *q);
    if (balanced ? mpq_sgn(*n->P) <= 0 : !seen[1] || mpq_cmp(*n->P, *n->Q) <= 0)
        hsv_reject(c, "the separator does not separate the rows");
    mpq_set_ui(*n->N, (unsigned long)c->data.columns + (unsigned long)r->unit, 1);
    (balanced ? winnow_balanced : winnow_bound)(c, r, n);
}

static void winnow_options(hsv_checker *c, const hsv_json *claim, winnow_run *r)
{
    static const char *const members[] = {"claim,learner,variant,alpha,threshold,separator,clip,"
                                          "tie,order,passes,sequence,total,converged",
                                          "claim,learner,variant,alpha,offset,separator,clip,tie,"
                                          "order,passes,sequence,total,converged"};
    r->variant = hsv_get_choice(c, claim, "variant", "winnow1,winnow2,balanced");
    const int balanced = r->variant == WINNOW_BALANCED;
    hsv_members(c, claim, members[balanced]);
    if (balanced) r->unit = hsv_get_choice(c, claim, "offset", "none,unit");
    r->tie =
        hsv_find(claim, "tie") ? hsv_get_choice(c, claim, "tie", "negative,positive,mistake") : 1;
    hsv_get_number(c, claim, "alpha", *r->alpha);
    hsv_get_number(c, claim, "threshold", *r->theta);
    if (mpq_cmp_ui(*r->alpha, 1, 1) <= 0 || (!balanced && mpq_sgn(*r->theta) <= 0))
        hsv_unreadable(c, "alpha must be above 1, threshold above 0");
    if (hsv_get_number(c, claim, "clip", *r->clip) &&
        (mpq_sgn(*r->clip) < 0 || mpq_cmp_ui(*r->clip, 1, 1000) > 0))
        hsv_unreadable(c, "clip: must be from 0 to 0.001");
    mpz_mul(r->ends[3], *c->scale, mpq_numref(*r->clip));
    mpz_fdiv_q(r->ends[3], r->ends[3], mpq_denref(*r->clip));
    mpz_neg(r->ends[0], r->ends[3]);
    mpz_set(r->ends[2], *c->scale);
    mpz_add(r->ends[3], r->ends[3], r->ends[2]);
    hsv_log(mpq_numref(*r->alpha), mpq_denref(*r->alpha), r->log[0], r->log[1]);
    hsv_point weights = {0}; /* for the limit on columns */
    r->columns = c->data.width + (size_t)r->unit;
    hsv_point_new(c, r->columns, &weights);
    r->e = weights.value;
    r->lo = hsv_integers(c, r->columns);
    r->hi = hsv_integers(c, r->columns);
    for (size_t j = 0; j < r->columns && !balanced; j++) {
        mpz_setbit(r->lo[j], HSV_BITS);
        mpz_setbit(r->hi[j], HSV_BITS);
    }
    hsv_get_separator(c, claim, r->unit, &r->v);
}

void hsv_claim_winnow(hsv_checker *c, const hsv_json *claim)
{
    mpz_t *z = hsv_integers(c, 14);
    mpq_t *q = hsv_rationals(c, 13);
    winnow_run r = {.alpha = q, .theta = q + 1, .clip = q + 2, .log = z, .ends = z + 2, .z = z + 6};
    winnow_numbers n = {q + 3, q + 4, q + 5, q + 6, q + 7, q + 8, q + 9, q + 10};
    hsv_run run = {.wrong = winnow_wrong, .update = winnow_update, .state = &r};
    winnow_options(c, claim, &r);
    const int balanced = r.variant == WINNOW_BALANCED;
    hsv_replay(c, claim, &run);
    winnow_separator(c, &r, &n);
    const char *bound = hsv_show(c, *n.bound, -1);
    mpq_set_ui(q[11], run.total, 1);
    if (mpq_cmp(q[11], *n.bound) > 0)
        hsv_reject(c, "%zu mistakes are more than the bound, %s", run.total, bound);
    hsv_say(c, "mistakes: replayed, Winnow makes %zu mistake%s, within %s, about %s.", run.total,
            HSV_S(run.total),
            balanced ? "(ln 2N - H)/(ln alpha g/V - ln cosh ln alpha)"
                     : "(K S/ln alpha)(ln Z - 1 - H) + (K-1) n/(delta theta)",
            bound);
    if (mpq_sgn(*n.E))
        hsv_say(c, "mistakes: so it is within %s, about %s, where W is about %s.",
                balanced ? "(8/3) W^2 ln 2N" : "8 W^2 ln(theta W/b) + 8 W b n/theta",
                hsv_show(c, *n.E, -1), hsv_show(c, *n.W, -1));
    if (mpq_sgn(*r.clip))
        hsv_say(c, "mistakes: values that leave [0,1] by no more than %s count as 0 and 1.",
                hsv_show(c, *r.clip, 1));
    hsv_say_run(c, claim, NULL);
}
