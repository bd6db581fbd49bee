/* Claims 1 and 2: separable, with the interval of the widest margin; not separable.
 *
 * Low: a separator's own margin. High, and the proof that there is none: multipliers a >= 0 with u
 * = sum a y x, A = sum a and, with an offset, sum a y = 0. Any unit w and b with margin g have g A
 * <= sum a y (<w, x> + b) = <w, u> <= ||u||. */
#include "check1.h"

#define SEPARABLE_SHOWN 12  /* so many rows are named */
#define SEPARABLE_TEXT  400 /* and need no more characters */

typedef struct separable_least {
    hsv1_scorer scorer;
    mpz_t *work;  /* 2 */
    mpz_t *least; /* of y s(x), from below, over scorer.below */
    uint64_t row; /* where it is */
} separable_least;

static void separable_row(hsv1_checker *c, const hsv1_row *row, void *with)
{
    separable_least *s = with;
    hsv1_scorer_score(c, &s->scorer, row, s->work[0], s->work[1]);
    mpz_ptr score = s->work[row->y > 0 ? 0 : 1]; /* the worse end */
    if (row->y < 0) mpz_neg(score, score);
    if (mpz_sgn(score) <= 0)
        hsv1_reject(c, "row %llu is not on its side: y s(x) > 0 is not so",
                   (unsigned long long)row->number);
    if (!s->row || mpz_cmp(score, *s->least) < 0) {
        mpz_set(*s->least, score);
        s->row = row->number;
    }
}

/* The rows with a > 0: "rows 3, 5 and 8", or "rows 3, 5, 8, ... (433 rows)". */
static void separable_rows(const hsv1_list *list, char *text, size_t room)
{
    size_t count = 0, said = 0;
    int used = 0;
    for (size_t i = 0; i < list->count; i++)
        count += mpz_sgn(list->value[i]) > 0;
    for (size_t i = 0; i < list->count; i++) {
        if (!mpz_sgn(list->value[i]) || (count > SEPARABLE_SHOWN && said == 3)) continue;
        used += snprintf(text + used, room - (size_t)used, "%s%llu",
                         !said++         ? count > 1 ? "rows " : "row "
                         : said == count ? " and "
                                         : ", ",
                         (unsigned long long)list->index[i]);
    }
    if (said < count) snprintf(text + used, room - (size_t)used, ", ... (%zu rows)", count);
}

/* ||u||^2 and A^2 of the claim's multipliers, from above; the rows, in words. */
static void separable_multipliers(hsv1_checker *c, const hsv1_json *claim, hsv1_kernel *k, int offset,
                                  mpq_t u2, mpq_t a2, char rows[SEPARABLE_TEXT])
{
    hsv1_list list = {0};
    hsv1_point u = {0};
    mpz_t *sum = hsv1_integers(c, 2);
    hsv1_get_list(c, claim, "multipliers", &list);
    hsv1_point_sum(c, &list, k, &u);
    for (size_t i = 0; i < list.count; i++) {
        if (mpz_sgn(list.value[i]) < 0)
            hsv1_reject(c, "the multiplier of row %llu is below 0",
                       (unsigned long long)list.index[i]);
        mpz_add(sum[0], sum[0], list.value[i]);
        mpz_addmul_ui(sum[1], list.value[i], 1);
        if (list.y[i] < 0) mpz_submul_ui(sum[1], list.value[i], 2);
    }
    if (!mpz_sgn(sum[0])) hsv1_reject(c, "no multiplier is above 0");
    if (offset && mpz_sgn(sum[1]))
        hsv1_reject(c, "the multipliers of the two classes have different sums");
    separable_rows(&list, rows, SEPARABLE_TEXT);
    hsv1_point_norm(c, &u);
    mpq_set(u2, u.norm[1]);
    hsv1_ratio(a2, sum[0], *list.below);
    mpq_mul(a2, a2, a2);
}

static void separable_low(hsv1_checker *c, const hsv1_json *margin, separable_least *s)
{
    mpq_t *q = hsv1_rationals(c, 3);
    hsv1_get_number(c, margin, "low", q[0]);
    if (mpq_sgn(q[0]) < 0) hsv1_reject(c, "a margin below 0");
    hsv1_point_norm(c, &s->scorer.point);
    if (!mpq_sgn(s->scorer.point.norm[1])) hsv1_reject(c, "w = 0 has no margin");
    hsv1_ratio(q[1], *s->least, *s->scorer.below);
    mpq_mul(q[1], q[1], q[1]);
    mpq_mul(q[2], q[0], q[0]);
    mpq_mul(q[2], q[2], s->scorer.point.norm[1]);
    if (mpq_cmp(q[2], q[1]) > 0)
        hsv1_reject(c, "the separator's margin is below the certified low end (row %llu)",
                   (unsigned long long)s->row);
}

void hsv1_claim_separable(hsv1_checker *c, const hsv1_json *claim)
{
    hsv1_members(c, claim, "claim offset kernel separator margin multipliers");
    separable_least s = {.work = hsv1_integers(c, 2), .least = hsv1_integers(c, 1)};
    hsv1_kernel *k = hsv1_kernel_read(c, claim, 0);
    const int offset = hsv1_get_flag(c, claim, "offset");
    const hsv1_json *margin = hsv1_find(claim, "margin");
    mpq_t *q = hsv1_rationals(c, 3);
    char rows[SEPARABLE_TEXT] = "";
    hsv1_scorer_read(c, claim, k, &s.scorer);
    if (!offset && mpq_sgn(*s.scorer.b)) hsv1_reject(c, "b must be 0 without an offset");
    hsv1_each_row(c, &c->data, separable_row, &s);
    hsv1_say(c, "separable%s: the %s has all %llu rows strictly on their sides.",
            hsv1_kernel_name(c, claim, " in the feature space of "),
            offset ? "separator (w, b)" : "separator w, through the origin,",
            (unsigned long long)c->data.rows);
    if (margin) {
        hsv1_members(c, margin, "low high");
        separable_low(c, margin, &s);
    }
    if (!margin || !hsv1_find(margin, "high")) {
        if (hsv1_find(claim, "multipliers")) hsv1_unreadable(c, "multipliers without a high end");
        if (margin)
            hsv1_say(c, "the widest margin is at least %.*s.", (int)hsv1_find(margin, "low")->size,
                    hsv1_find(margin, "low")->text);
        return;
    }
    separable_multipliers(c, claim, k, offset, q[1], q[2], rows);
    hsv1_get_number(c, margin, "high", q[0]);
    if (mpq_sgn(q[0]) < 0) hsv1_reject(c, "a margin below 0");
    mpq_mul(q[0], q[0], q[0]);
    mpq_mul(q[2], q[2], q[0]);
    if (mpq_cmp(q[1], q[2]) > 0)
        hsv1_reject(c, "the multipliers show no margin as small as the certified high end");
    hsv1_say(c, "the widest margin%s is in [%.*s, %.*s]; the upper end is from %s.",
            offset ? "" : " through the origin", (int)hsv1_find(margin, "low")->size,
            hsv1_find(margin, "low")->text, (int)hsv1_find(margin, "high")->size,
            hsv1_find(margin, "high")->text, rows);
}

void hsv1_claim_inseparable(hsv1_checker *c, const hsv1_json *claim)
{
    hsv1_members(c, claim, "claim offset kernel multipliers epsilon");
    hsv1_kernel *k = hsv1_kernel_read(c, claim, 0);
    const int offset = hsv1_get_flag(c, claim, "offset");
    const hsv1_json *epsilon = hsv1_find(claim, "epsilon");
    mpq_t *q = hsv1_rationals(c, 3);
    char rows[SEPARABLE_TEXT] = "";
    separable_multipliers(c, claim, k, offset, q[1], q[2], rows);
    if (!epsilon) {
        if (mpq_sgn(q[1]))
            hsv1_reject(c, "the sum of a y x over the multipliers' rows is not shown to be 0");
        hsv1_say(c, "not separable%s: %s have multipliers a > 0 with sum a y x = 0%s%s.",
                hsv1_kernel_name(c, claim, " in the feature space of "), rows,
                offset ? " and sum a y = 0" : "",
                offset ? ": a point of both classes' convex hulls" : "");
        return;
    }
    hsv1_get_number(c, claim, "epsilon", q[0]);
    if (mpq_sgn(q[0]) < 0) hsv1_reject(c, "an epsilon below 0");
    mpq_mul(q[0], q[0], q[0]);
    mpq_mul(q[2], q[2], q[0]);
    if (mpq_cmp(q[1], q[2]) > 0)
        hsv1_reject(c, "the multipliers do not show that margins are at most epsilon");
    hsv1_say(c,
            "no separator%s%s has a margin above %.*s, by multipliers on %s (which does "
            "not say that there is none).",
            offset ? "" : " through the origin",
            hsv1_kernel_name(c, claim, " in the feature space of "), (int)epsilon->size,
            epsilon->text, rows);
}
