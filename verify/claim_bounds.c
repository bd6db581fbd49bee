/* Claim 3, the perceptron on rows that need not be separable: with a margin g > 0 of the
 * separator's scores and what each row lacks of it, D^2 = sum of max(0, g - y s*(x))^2. */
#include "full.h"

typedef struct bounds_lack {
    hsv_perceptron *p;
    mpq_t *goal, *sum; /* g; D^2, from below */
} bounds_lack;

static void bounds_row(hsv_checker *c, const hsv_row *row, void *with)
{
    bounds_lack *b = with;
    mpq_t *q = b->p->q;
    hsv_point_margin(c, &b->p->other, row, q[0], q[1]);
    mpq_sub(q[0], *b->goal, q[1]);
    if (mpq_sgn(q[0]) <= 0) return;
    mpq_mul(q[0], q[0], q[0]);
    mpq_add(*b->sum, *b->sum, q[0]);
}

/* k g^2 <= (sqrt(B) + sqrt(D^2))^2, B = (R~^2 + 2 tau / rate) ||w*||^2: q[0], q[1], q[2] are k g^2,
 * B and D^2. */
static int bounds_hold(hsv_checker *c, mpq_t *q)
{
    mpq_t *r = hsv_rationals(c, 2);
    mpq_sub(r[0], q[0], q[1]);
    mpq_sub(r[0], r[0], q[2]);
    if (mpq_sgn(r[0]) <= 0) return 1;
    mpq_mul(r[0], r[0], r[0]);
    mpq_mul(r[1], q[1], q[2]);
    mpq_mul_2exp(r[1], r[1], 2);
    return mpq_cmp(r[0], r[1]) <= 0;
}

void hsv_perceptron_inseparable(hsv_checker *c, const hsv_json *claim, hsv_run *run,
                                hsv_perceptron *p)
{
    mpq_t *q = hsv_rationals(c, 5);
    bounds_lack lack = {p, q + 3, q + 2};
    const int soft = mpq_sgn(*p->soft2) > 0;
    if (!hsv_get_number(c, claim, "functional_margin", q[3]) || mpq_sgn(q[3]) <= 0)
        hsv_unreadable(c, "functional_margin must be there and above 0");
    if (!soft && !run->passes)
        hsv_unreadable(c, "the bound for rows that need not be separable needs passes");
    hsv_each_row(c, &c->data, bounds_row, &lack);
    hsv_perceptron_length(c, p);
    if (soft) { /* k <= reach (||w*||^2 + D^2 / Delta^2) / g^2 */
        mpq_div(q[2], q[2], *p->soft2);
        mpq_add(q[1], p->q[0], q[2]);
        mpq_set_ui(q[2], 0, 1);
    } else {
        mpq_set_ui(q[4], run->passes, 1);
        mpq_mul(q[2], q[2], q[4]);
        mpq_set(q[1], p->q[0]);
    }
    mpq_mul(q[1], q[1], *p->reach);
    mpq_set_ui(q[0], run->total, 1);
    mpq_mul(q[0], q[0], q[3]);
    mpq_mul(q[0], q[0], q[3]);
    if (!bounds_hold(c, q)) hsv_reject(c, "%zu updates are more than the bound", run->total);
    hsv_root_up(q[1], q[1]);
    hsv_root_up(q[2], q[2]);
    mpq_add(q[1], q[1], q[2]);
    mpq_div(q[1], q[1], q[3]);
    mpq_mul(q[1], q[1], q[1]);
    hsv_say_bound(c, run->total,
                  soft ? "(R~^2 + Delta^2 + 2 tau/rate) (||w*||^2 + D^2/Delta^2) / g^2"
                       : "((sqrt(R~^2 + 2 tau/rate) ||w*|| + D) / g)^2, of rows that need not be "
                         "separable,",
                  q[1]);
}
