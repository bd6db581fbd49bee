/* Claims 4 and 5: how far an objective is from its least value, by a dual point; and which labels
 * that leaves no doubt about.
 *
 *     P(w, b) = ||w||^2 / 2 (+ b^2 / 2) + sum c loss(y s(x))
 *     D(a) = sum a (- a^2 / 4c) - ||u||^2 / 2 (- t^2 / 2),  u = sum a y x,  t = sum a y
 *
 * D(a) <= P(w, b) for all w, b and feasible a. P is ||w||^2 / 2 plus something convex, so that an
 * optimum w* has ||w - w*||^2 <= 2 (P - D). */
#include "check1.h"

enum { OPTIMAL_FREE, OPTIMAL_NONE, OPTIMAL_REGULARIZED };

typedef struct optimal_problem {
    hsv1_kernel *kernel;
    int squared, offset;
    mpq_t *cost; /* 2: of negative and of positive rows */
    hsv1_scorer scorer;
    mpz_t *work;   /* 4 */
    mpz_t *losses; /* 2, of negative and positive rows, from above, over scorer.below (squared) */
    mpq_t *gap;    /* P - D, from above */
    mpq_t *primal; /* from above */
} optimal_problem;

static void optimal_row(hsv1_checker *c, const hsv1_row *row, void *with)
{
    optimal_problem *p = with;
    const int side = row->y > 0;
    hsv1_scorer_score(c, &p->scorer, row, p->work[0], p->work[1]);
    /* 1 - y s, at most */
    if (side)
        mpz_sub(p->work[0], *p->scorer.below, p->work[0]);
    else
        mpz_add(p->work[0], *p->scorer.below, p->work[1]);
    if (mpz_sgn(p->work[0]) <= 0) return;
    if (p->squared)
        mpz_addmul(p->losses[side], p->work[0], p->work[0]);
    else
        mpz_add(p->losses[side], p->losses[side], p->work[0]);
}

static void optimal_primal(hsv1_checker *c, optimal_problem *p)
{
    mpq_t *q = hsv1_rationals(c, 2);
    mpz_t *below = hsv1_integers(c, 1);
    hsv1_each_row(c, &c->data, optimal_row, p);
    hsv1_point_norm(c, &p->scorer.point);
    mpq_set(*p->primal, p->scorer.point.norm[1]);
    if (p->offset == OPTIMAL_REGULARIZED) {
        mpq_mul(q[0], *p->scorer.b, *p->scorer.b);
        mpq_add(*p->primal, *p->primal, q[0]);
    }
    mpq_div_2exp(*p->primal, *p->primal, 1);
    mpz_set(*below, *p->scorer.below);
    if (p->squared) mpz_mul(*below, *below, *below);
    for (int side = 0; side < 2; side++) {
        hsv1_ratio(q[0], p->losses[side], *below);
        mpq_mul(q[0], q[0], p->cost[side]);
        mpq_add(*p->primal, *p->primal, q[0]);
    }
}

/* Sums over the dual weights: a and, for the squared loss, a^2, by class. 0 <= a <= c. */
static void optimal_sums(hsv1_checker *c, const optimal_problem *p, const hsv1_list *list,
                         mpz_t *sums, mpz_t *squares)
{
    mpz_t *most = hsv1_integers(c, 2);
    for (int side = 0; side < 2; side++) {
        mpz_mul(most[side], mpq_numref(p->cost[side]), *list->below);
        mpz_fdiv_q(most[side], most[side], mpq_denref(p->cost[side]));
    }
    for (size_t i = 0; i < list->count; i++) {
        const int side = list->y[i] > 0;
        if (mpz_sgn(list->value[i]) < 0 || (!p->squared && mpz_cmp(list->value[i], most[side]) > 0))
            hsv1_reject(c, "the dual weight of row %llu is not between 0 and its cost",
                       (unsigned long long)list->index[i]);
        mpz_add(sums[side], sums[side], list->value[i]);
        if (p->squared) mpz_addmul(squares[side], list->value[i], list->value[i]);
    }
}

/* D(a), from below. */
static void optimal_dual(hsv1_checker *c, const hsv1_json *claim, optimal_problem *p, mpq_t dual)
{
    hsv1_list list = {0};
    hsv1_point u = {0};
    mpz_t *sums = hsv1_integers(c, 2), *squares = hsv1_integers(c, 2), *below = hsv1_integers(c, 1);
    mpq_t *q = hsv1_rationals(c, 2);
    hsv1_get_list(c, claim, "dual", &list);
    hsv1_point_sum(c, &list, p->kernel, &u);
    optimal_sums(c, p, &list, sums, squares);
    hsv1_point_norm(c, &u);
    mpz_sub(*below, sums[1], sums[0]);
    hsv1_ratio(q[0], *below, *list.below); /* t */
    if (p->offset == OPTIMAL_FREE && mpq_sgn(q[0]))
        hsv1_reject(c, "the sum of a y over the dual weights is not 0");
    mpq_set(dual, u.norm[1]);
    if (p->offset == OPTIMAL_REGULARIZED) {
        mpq_mul(q[0], q[0], q[0]);
        mpq_add(dual, dual, q[0]);
    }
    mpq_div_2exp(dual, dual, 1);
    mpz_mul(*below, *list.below, *list.below);
    for (int side = 0; side < 2; side++) {
        hsv1_ratio(q[0], squares[side], *below);
        mpq_div(q[0], q[0], p->cost[side]);
        mpq_div_2exp(q[0], q[0], 2);
        mpq_add(dual, dual, q[0]);
    }
    mpz_add(*below, sums[0], sums[1]);
    hsv1_ratio(q[0], *below, *list.below);
    mpq_sub(dual, q[0], dual);
}

#define OPTIMAL_MEMBERS "claim kernel loss offset cost separator dual gap"

static void optimal_check(hsv1_checker *c, const hsv1_json *claim, optimal_problem *p)
{
    static const char *const sides[2] = {"negative", "positive"};
    const hsv1_json *cost = hsv1_get(c, claim, "cost", HSV1_OBJECT);
    mpq_t *q = hsv1_rationals(c, 6);
    p->cost = q, p->gap = q + 2, p->primal = q + 3;
    p->work = hsv1_integers(c, 4);
    p->losses = hsv1_integers(c, 2);
    p->kernel = hsv1_kernel_read(c, claim, 0);
    p->squared = hsv1_get_choice(c, claim, "loss", "hinge squared.hinge");
    p->offset = hsv1_get_choice(c, claim, "offset", "free none regularized");
    hsv1_members(c, cost, "negative positive");
    for (int side = 0; side < 2; side++) {
        hsv1_get_number(c, cost, sides[side], p->cost[side]);
        if (mpq_sgn(p->cost[side]) <= 0) hsv1_unreadable(c, "costs must be above 0");
    }
    hsv1_scorer_read(c, claim, p->kernel, &p->scorer);
    if (p->offset == OPTIMAL_NONE && mpq_sgn(*p->scorer.b))
        hsv1_reject(c, "b must be 0 without an offset");
    optimal_primal(c, p);
    optimal_dual(c, claim, p, q[4]);
    mpq_sub(*p->gap, *p->primal, q[4]);
    hsv1_get_number(c, claim, "gap", q[5]);
    if (mpq_cmp(*p->gap, q[5]) > 0)
        hsv1_reject(c, "the objective is %s, the dual value %s: the gap is larger than certified",
                   hsv1_show(c, *p->primal, 1), hsv1_show(c, q[4], -1));
    const hsv1_json *gap = hsv1_find(claim, "gap");
    const hsv1_json *costs[2] = {hsv1_find(cost, "negative"), hsv1_find(cost, "positive")};
    hsv1_say(
        c,
        "optimal: the objective of this separator%s (%s loss, offset %s, costs %.*s and %.*s of "
        "negative and positive rows) is at most %s, and at most %.*s above the least there is.",
        hsv1_kernel_name(c, claim, " in the feature space of "), hsv1_get_text(c, claim, "loss"),
        hsv1_get_text(c, claim, "offset"), (int)costs[0]->size, costs[0]->text, (int)costs[1]->size,
        costs[1]->text, hsv1_show(c, *p->primal, 1), (int)gap->size, gap->text);
}

void hsv1_claim_optimal(hsv1_checker *c, const hsv1_json *claim)
{
    optimal_problem p = {0};
    hsv1_members(c, claim, OPTIMAL_MEMBERS);
    optimal_check(c, claim, &p);
}

/* ---- Claim 5 --------------------------------------------------------------------------------- */

typedef struct stable_rows {
    optimal_problem *problem;
    mpz_t *reach; /* r = sqrt(2 gap), rounded up, over 2^reach_bits */
    mp_bitcnt_t reach_bits;
    mpz_t *norm_below;  /* of ||x||^2 */
    mpz_t *below;       /* one denominator for all that follows */
    mpz_t *score_widen; /* from scorer.point's scores */
    mpz_t *reach_widen; /* from r ||x|| */
    mpz_t *ends;        /* 2: the offset's, over below */
    mpz_t *b;           /* over below */
    mpz_t *work;        /* 6 */
    mpz_t *slope;       /* 4: at the ends, by class */
    const uint64_t *may_change;
    size_t may_count, next;
} stable_rows;

/* work[0], work[1]: what <w*, x> can be; work[2], work[3]: <w, x>, enclosed; all over below. */
static void stable_scores(hsv1_checker *c, stable_rows *s, const hsv1_row *row)
{
    mpz_t *w = s->work;
    hsv1_norm2(c, s->problem->kernel, row, w[0], w[1]);
    if (s->problem->offset == OPTIMAL_REGULARIZED) mpz_add(w[1], w[1], *s->norm_below);
    mpz_mul(w[1], w[1], *s->norm_below);
    mpz_mul_2exp(w[1], w[1], 128); /* ||x|| over norm_below 2^64 */
    mpz_sqrtrem(w[0], w[2], w[1]);
    if (mpz_sgn(w[2])) mpz_add_ui(w[0], w[0], 1);
    mpz_mul(w[0], w[0], *s->reach);
    mpz_mul(w[4], w[0], *s->reach_widen);
    hsv1_point_score(c, &s->problem->scorer.point, row, w[2], w[3]);
    mpz_mul(w[2], w[2], *s->score_widen);
    mpz_mul(w[3], w[3], *s->score_widen);
    mpz_sub(w[0], w[2], w[4]);
    mpz_add(w[1], w[3], w[4]);
}

/* A term of the derivative of the losses by b where <w, x> + b is v, without its cost: the largest
 * (way > 0) or the smallest. */
static void stable_slope(const stable_rows *s, mpz_t sum, int y, mpz_t v, int way)
{
    /* y = -1 is y = 1 seen from the other side: the slope is minus that at -v. */
    if (y < 0) mpz_neg(v, v);
    mpz_sub(v, *s->below, v); /* 1 - y v */
    const int sign = mpz_sgn(v),
              kink = way * y < 0; /* at 1 - y v = 0: is the loss's slope taken? */
    if (sign < 0 || (!sign && !kink)) return;
    if (!s->problem->squared) mpz_set_ui(v, 1);
    if (y > 0)
        mpz_sub(sum, sum, v);
    else
        mpz_add(sum, sum, v);
}

static void stable_offset_row(hsv1_checker *c, const hsv1_row *row, void *with)
{
    stable_rows *s = with;
    mpz_t *w = s->work;
    const int side = row->y > 0;
    stable_scores(c, s, row);
    mpz_add(w[5], w[1], s->ends[0]); /* the low end, scores as high as can be */
    stable_slope(s, s->slope[side], row->y, w[5], 1);
    mpz_add(w[5], w[0], s->ends[1]);
    stable_slope(s, s->slope[2 + side], row->y, w[5], -1);
}

/* Is every optimal b between the ends? */
static void stable_offset(hsv1_checker *c, stable_rows *s)
{
    mpq_t *q = hsv1_rationals(c, 3);
    hsv1_each_row(c, &c->data, stable_offset_row, s);
    for (int end = 0; end < 2; end++) {
        mpq_set_ui(q[2], 0, 1);
        for (int side = 0; side < 2; side++) {
            mpq_set_z(q[0], s->slope[2 * end + side]);
            mpq_mul(q[0], q[0], s->problem->cost[side]);
            mpq_add(q[2], q[2], q[0]);
        }
        if (end ? mpq_sgn(q[2]) <= 0 : mpq_sgn(q[2]) >= 0)
            hsv1_reject(c, "the optimal offset may be %s the certified interval",
                       end ? "above" : "below");
    }
}

static void stable_row(hsv1_checker *c, const hsv1_row *row, void *with)
{
    stable_rows *s = with;
    mpz_t *w = s->work;
    if (s->next < s->may_count && s->may_change[s->next] == row->number) {
        s->next++;
        return;
    }
    stable_scores(c, s, row);
    for (int i = 0; i < 2; i++) { /* what the exact optimum can say, and what this model says */
        mpz_add(w[i], w[i], s->ends[i]);
        mpz_add(w[2 + i], w[2 + i], *s->b);
    }
    const int free = s->problem->offset == OPTIMAL_FREE; /* its ends are not reached */
    const int positive = mpz_sgn(w[0]) + free > 0 && mpz_sgn(w[2]) > 0;
    const int negative = mpz_sgn(w[1]) - free < 0 && mpz_sgn(w[3]) < 0;
    if (!positive && !negative)
        hsv1_reject(c, "the label of row %llu may change", (unsigned long long)row->number);
}

/* r >= sqrt(2 gap), about 64 bits of it, over a power of two. */
static void stable_reach(stable_rows *s)
{
    mpq_srcptr gap = *s->problem->gap;
    const long size =
        (long)mpz_sizeinbase(mpq_denref(gap), 2) - (long)mpz_sizeinbase(mpq_numref(gap), 2);
    s->reach_bits = (mp_bitcnt_t)(size > 0 ? size / 2 : 0) + 64;
    mpz_mul_2exp(*s->reach, mpq_numref(gap), 2 * s->reach_bits + 1);
    mpz_cdiv_q(*s->reach, *s->reach, mpq_denref(gap));
    mpz_sqrt(*s->reach, *s->reach);
    mpz_add_ui(*s->reach, *s->reach, mpq_sgn(gap) > 0);
}

/* One denominator for scores, reaches and offsets. */
static void stable_denominators(hsv1_checker *c, stable_rows *s, mpq_t *ends)
{
    const hsv1_scorer *scorer = &s->problem->scorer;
    mpz_t *reach_below = hsv1_integers(c, 1);
    hsv1_norm2_below(c, s->problem->kernel, *s->norm_below);
    mpz_mul_2exp(*reach_below, *s->norm_below, s->reach_bits + 64);
    mpz_lcm(*s->below, *reach_below, *scorer->below);
    mpz_lcm(*s->below, *s->below, mpq_denref(ends[0]));
    mpz_lcm(*s->below, *s->below, mpq_denref(ends[1]));
    mpz_divexact(*s->reach_widen, *s->below, *reach_below);
    mpz_divexact(*s->score_widen, *s->below, *scorer->point.score_below);
    for (int i = 0; i < 2; i++) {
        mpz_divexact(s->ends[i], *s->below, mpq_denref(ends[i]));
        mpz_mul(s->ends[i], s->ends[i], mpq_numref(ends[i]));
    }
    mpz_divexact(*s->b, *s->below, mpq_denref(*scorer->b));
    mpz_mul(*s->b, *s->b, mpq_numref(*scorer->b));
}

static void stable_may_change(hsv1_checker *c, const hsv1_json *claim, uint64_t rows, stable_rows *s)
{
    const hsv1_json *array = hsv1_get(c, claim, "may_change", HSV1_ARRAY);
    uint64_t *numbers = hsv1_new(c, array->count, sizeof *numbers), before = 0;
    for (const hsv1_json *value = array->child; value; value = value->next) {
        const uint64_t number = hsv1_count(c, value, "may_change");
        if (number <= before || number > rows)
            hsv1_unreadable(c, "may_change: rows are from 1 to %llu, ascending",
                           (unsigned long long)rows);
        numbers[s->may_count++] = before = number;
    }
    s->may_change = numbers;
}

void hsv1_claim_stable(hsv1_checker *c, const hsv1_json *claim)
{
    optimal_problem p = {0};
    mpz_t *z = hsv1_integers(c, 19);
    mpq_t *ends = hsv1_rationals(c, 2);
    stable_rows s = {.problem = &p,
                     .reach = z,
                     .norm_below = z + 1,
                     .below = z + 2,
                     .score_widen = z + 3,
                     .reach_widen = z + 4,
                     .ends = z + 5,
                     .b = z + 7,
                     .work = z + 8,
                     .slope = z + 14};
    hsv1_members(c, claim, OPTIMAL_MEMBERS " file offset_interval may_change");
    const int test = hsv1_get_choice(c, claim, "file", "data test");
    if (test && !c->has_test) hsv1_unreadable(c, "the certificate has no test file");
    hsv1_table *table = test ? &c->test : &c->data;
    optimal_check(c, claim, &p);
    if (mpq_sgn(*p.gap) < 0) mpq_set_ui(*p.gap, 0, 1);
    if ((p.offset == OPTIMAL_FREE) != (hsv1_find(claim, "offset_interval") != NULL))
        hsv1_unreadable(c, "an offset_interval belongs to the free offset, and to no other");
    mpq_set(ends[0], *p.scorer.b);
    mpq_set(ends[1], *p.scorer.b);
    if (p.offset == OPTIMAL_FREE) {
        const hsv1_json *pair = hsv1_get(c, claim, "offset_interval", HSV1_ARRAY);
        if (pair->count != 2) hsv1_unreadable(c, "offset_interval: expected [low, high]");
        hsv1_number(c, pair->child, "offset_interval", ends[0]);
        hsv1_number(c, pair->child->next, "offset_interval", ends[1]);
    }
    stable_reach(&s);
    stable_denominators(c, &s, ends);
    stable_may_change(c, claim, table->rows, &s);
    if (p.offset == OPTIMAL_FREE) stable_offset(c, &s);
    hsv1_each_row(c, table, stable_row, &s);
    hsv1_say(c,
            "stable: the labels of %llu of the %llu rows of %s are those of every exact optimum; "
            "%zu may change.",
            (unsigned long long)(table->rows - s.may_count), (unsigned long long)table->rows,
            table->name, s.may_count);
}
