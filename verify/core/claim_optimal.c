/* Claim 4: how far an objective is from its least value, by a dual point.
 *
 *     P(w, b) = ||w||^2 / 2 (+ b^2 / 2) + sum c loss(y s(x))
 *     D(a) = sum a (- a^2 / 4c) - ||u||^2 / 2 (- t^2 / 2),  u = sum a y x,  t = sum a y
 *
 * D(a) <= P(w, b) for all w, b and feasible a. */
#include "core.h"

/* q[0] = P, from above. */
static void optimal_primal(hsv_checker *c, hsv_problem *p)
{
    mpq_t *q = p->q;
    for (const hsv_row *row; (row = hsv_next(c, &c->data));) {
        hsv_point_margin(c, &p->w, row, q[2], q[3]);
        mpq_set_ui(q[3], 1, 1);
        mpq_sub(q[2], q[3], q[2]); /* 1 - y s, at most */
        if (mpq_sgn(q[2]) <= 0) continue;
        if (p->squared) mpq_mul(q[2], q[2], q[2]);
        mpq_mul(q[2], q[2], p->cost[row->y > 0]);
        mpq_add(q[0], q[0], q[2]);
    }
    hsv_point_norm2(c, &p->w, q[2], q[3]);
    mpq_mul(q[2], *p->w.b, *p->w.b);
    if (p->offset == 2) mpq_add(q[3], q[3], q[2]);
    mpq_div_2exp(q[3], q[3], 1);
    mpq_add(q[0], q[0], q[3]);
}

/* q[1] = D, from below. */
static void optimal_dual(hsv_checker *c, const hsv_json *claim, hsv_problem *p)
{
    hsv_list list = {0};
    hsv_point u = {.space = p->w.space};
    mpq_t *q = p->q;
    hsv_get_list(c, claim, "dual", &list);
    hsv_point_sum(c, &list, &u);
    for (size_t i = 0; i < list.count; i++) {
        mpq_srcptr cost = p->cost[list.y[i] > 0];
        hsv_ratio(q[2], list.value[i], *list.below);
        if (mpq_sgn(q[2]) < 0 || (!p->squared && mpq_cmp(q[2], cost) > 0))
            hsv_reject(c, "the dual weight of row %zu is not between 0 and its cost",
                       list.index[i]);
        mpq_add(q[1], q[1], q[2]);
        (list.y[i] > 0 ? mpq_add : mpq_sub)(q[4], q[4], q[2]); /* t */
        mpq_mul(q[3], q[2], q[2]);
        mpq_div(q[3], q[3], cost);
        mpq_div_2exp(q[3], q[3], 2);
        if (p->squared) mpq_sub(q[1], q[1], q[3]);
    }
    if (p->offset == 0 && mpq_sgn(q[4]))
        hsv_reject(c, "the sum of a y over the dual weights is not 0");
    hsv_point_norm2(c, &u, q[2], q[3]);
    mpq_mul(q[4], q[4], q[4]);
    if (p->offset == 2) mpq_add(q[3], q[3], q[4]);
    mpq_div_2exp(q[3], q[3], 1);
    mpq_sub(q[1], q[1], q[3]);
}

/* The claim; p->q[0] is P - D, from above. */
void hsv_optimal(hsv_checker *c, const hsv_json *claim, const char *members, hsv_problem *p)
{
    hsv_members(c, claim, members);
    const hsv_json *cost = hsv_get(c, claim, "cost", HSV_OBJECT);
    p->q = hsv_rationals(c, 5);
    p->cost = hsv_rationals(c, 2);
    p->w.space = c->more ? c->more->space(c, claim) : NULL;
    p->squared = hsv_get_choice(c, claim, "loss", "hinge,squared hinge");
    p->offset = hsv_get_choice(c, claim, "offset", "free,none,regularized");
    hsv_members(c, cost, "negative,positive");
    if (!hsv_get_number(c, cost, "negative", p->cost[0]) ||
        !hsv_get_number(c, cost, "positive", p->cost[1]) || mpq_sgn(p->cost[0]) <= 0 ||
        mpq_sgn(p->cost[1]) <= 0)
        hsv_unreadable(c, "costs of negative and positive rows must be above 0");
    hsv_get_separator(c, claim, p->offset != 1, &p->w);
    optimal_primal(c, p);
    optimal_dual(c, claim, p);
    mpq_sub(p->q[0], p->q[0], p->q[1]);
    if (!hsv_get_number(c, claim, "gap", p->q[1])) hsv_unreadable(c, "the gap is missing");
    if (mpq_cmp(p->q[0], p->q[1]) > 0)
        hsv_reject(c, "the gap between objective and dual value is larger than certified");
    hsv_say(c,
            "optimal: the objective of this separator%s (%s loss, offset %s, costs %.*s and %.*s "
            "of negative and positive rows) is at most %.*s above the least possible.",
            p->w.space ? p->w.space->name : "", hsv_find(claim, "loss")->text,
            hsv_find(claim, "offset")->text, HSV_TEXT(hsv_find(cost, "negative")),
            HSV_TEXT(hsv_find(cost, "positive")), HSV_TEXT(hsv_find(claim, "gap")));
}
