/* Claim 5: which labels no exact optimum changes. P is ||w||^2 / 2 plus something convex, so that
 * an optimum w* has ||w - w*||^2 <= 2 (P - D): <w*, x> is within rho(x) = sqrt(2 (P - D)) ||x||. */
#include "full.h"

typedef struct stable_rows {
    hsv_problem problem;
    mpq_t *gap2;  /* 2 (P - D) */
    mpq_t *ends;  /* 2: the offset is between them */
    mpq_t *slope; /* 2: of the losses, at the ends */
    mpq_t *b;     /* of the model; the point's own is 0 here */
    mpq_t *q;     /* 6 */
} stable_rows;

/* q[0], q[1]: what <w*, x> can be; q[2], q[3]: <w, x>, enclosed. */
static void stable_scores(hsv_checker *c, stable_rows *s, const hsv_row *row)
{
    mpq_t *q = s->q;
    hsv_point_score(c, &s->problem.w, row, q[2], q[3]);
    hsv_row_norm2(c, s->problem.w.space, row, q[0], q[1]);
    mpq_set_ui(q[0], 1, 1);
    if (s->problem.offset == 2) mpq_add(q[1], q[1], q[0]);
    mpq_mul(q[1], q[1], *s->gap2);
    hsv_root_up(q[4], q[1]);
    mpq_sub(q[0], q[2], q[4]);
    mpq_add(q[1], q[3], q[4]);
}

/* Adds a term of the derivative of the losses by b where <w, x> + b is v: the largest (way > 0) or
 * the smallest. y = -1 is y = 1 seen from the other side. */
static void stable_slope(stable_rows *s, mpq_t sum, int y, mpq_t v, int way)
{
    mpq_t *one = s->q + 5;
    mpq_set_ui(*one, 1, 1);
    if (y < 0) mpq_neg(v, v);
    mpq_sub(v, *one, v);                             /* 1 - y v */
    const int sign = mpq_sgn(v), kink = way * y < 0; /* at 0: is the loss's slope taken? */
    if (sign < 0 || (!sign && !kink)) return;
    if (!s->problem.squared) mpq_set(v, *one);
    mpq_mul(v, v, s->problem.cost[y > 0]);
    (y > 0 ? mpq_sub : mpq_add)(sum, sum, v);
}

void hsv_claim_stable(hsv_checker *c, const hsv_json *claim)
{
    mpq_t *q = hsv_rationals(c, 12);
    stable_rows s = {.gap2 = q, .ends = q + 1, .slope = q + 3, .b = q + 5, .q = q + 6};
    const int test = hsv_get_choice(c, claim, "file", "data,test");
    hsv_table *table = test ? &hsv_full_of(c)->test : &c->data;
    if (!table->name) hsv_unreadable(c, "the certificate has no test file");
    hsv_optimal(c, claim, HSV_OPTIMAL_MEMBERS ",file,offset_interval,may_change", &s.problem);
    if (mpq_sgn(s.problem.q[0]) > 0) mpq_mul_2exp(*s.gap2, s.problem.q[0], 1);
    const int free = s.problem.offset == 0;
    if (free != (hsv_find(claim, "offset_interval") != NULL))
        hsv_unreadable(c, "an offset_interval belongs to the free offset, and to no other");
    mpq_swap(*s.b, *s.problem.w.b);
    mpq_set(s.ends[0], *s.b);
    mpq_set(s.ends[1], *s.b);
    if (free) {
        const hsv_json *pair = hsv_get(c, claim, "offset_interval", HSV_ARRAY);
        if (pair->count != 2) hsv_unreadable(c, "offset_interval: expected [low, high]");
        hsv_number(c, pair->child, "offset_interval", s.ends[0]);
        hsv_number(c, pair->child->next, "offset_interval", s.ends[1]);
        for (const hsv_row *row; (row = hsv_next(c, &c->data));) {
            stable_scores(c, &s, row);
            mpq_add(s.q[4], s.q[1], s.ends[0]); /* the low end, scores as high as can be */
            stable_slope(&s, s.slope[0], row->y, s.q[4], 1);
            mpq_add(s.q[4], s.q[0], s.ends[1]);
            stable_slope(&s, s.slope[1], row->y, s.q[4], -1);
        }
        if (mpq_sgn(s.slope[0]) >= 0 || mpq_sgn(s.slope[1]) <= 0)
            hsv_reject(c, "the optimal offset may be outside of the certified interval");
    }
    const hsv_json *array = hsv_get(c, claim, "may_change", HSV_ARRAY);
    size_t *numbers = hsv_new(c, array->count + 1, sizeof *numbers), count = 0, next = 0;
    for (const hsv_json *value = array->child; value; value = value->next) {
        numbers[count] = hsv_count(c, value, "may_change");
        if (numbers[count] <= (count ? numbers[count - 1] : 0) || numbers[count] > table->rows)
            hsv_unreadable(c, "may_change: rows are from 1 to %zu, ascending", table->rows);
        count++;
    }
    for (const hsv_row *row; (row = hsv_next(c, table));) {
        if (next < count && numbers[next] == row->number) {
            next++;
            continue;
        }
        stable_scores(c, &s, row);
        for (int i = 0; i < 2; i++) { /* what the exact optimum can say, and what this model says */
            mpq_add(s.q[i], s.q[i], s.ends[i]);
            mpq_add(s.q[2 + i], s.q[2 + i], *s.b);
        }
        /* the ends of a free offset are not reached */
        const int positive = mpq_sgn(s.q[0]) + free > 0 && mpq_sgn(s.q[2]) > 0;
        const int negative = mpq_sgn(s.q[1]) - free < 0 && mpq_sgn(s.q[3]) < 0;
        if (!positive && !negative) hsv_reject(c, "the label of row %zu may change", row->number);
    }
    hsv_say(c,
            "stable: the labels of at least %zu of the %zu row%s of %s are those of every exact "
            "optimum; nothing is shown of the other %zu.",
            table->rows - count, table->rows, HSV_S(table->rows), table->name, count);
}
