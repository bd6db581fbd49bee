/* Claims 1 and 2: separable, with the interval of the widest margin; not separable.
 *
 * Low: a separator's own margin. High, and the proof that there is none: multipliers a >= 0 with
 * u = sum a y x, A = sum a and, with an offset, sum a y = 0. Any unit w and b with margin g have
 * g A <= sum a y (<w, x> + b) = <w, u> <= ||u||. */
#include "core.h"

/* "rows 3, 5 and 8", or "rows 3, 5, 8, ... (433 rows)". */
static const char *separable_rows(hsv_checker *c, const hsv_list *list)
{
    const size_t n = list->count, shown = n > 12 ? 3 : n;
    char *text = hsv_new(c, 400, 1), *to = text + sprintf(text, "row%s", n > 1 ? "s" : "");
    for (size_t i = 0; i < shown; i++)
        to += sprintf(to, "%s %zu", !i ? "" : i + 1 == n ? " and" : ",", list->index[i]);
    if (shown < n) sprintf(to, ", ... (%zu rows)", n);
    return text;
}

/* ||u||^2 <= bound^2 A^2? The rows, in words. */
static const char *separable_multipliers(hsv_checker *c, const hsv_json *claim, hsv_space *space,
                                         int offset, const mpq_t bound)
{
    hsv_list list = {0};
    hsv_point u = {.space = space};
    mpz_t *sum = hsv_integers(c, 2);
    mpq_t *q = hsv_rationals(c, 3);
    hsv_get_list(c, claim, "multipliers", &list);
    hsv_point_sum(c, &list, &u);
    for (size_t i = 0; i < list.count; i++) {
        if (mpz_sgn(list.value[i]) <= 0)
            hsv_reject(c, "the multiplier of row %zu is not above 0", list.index[i]);
        mpz_add(sum[0], sum[0], list.value[i]);
        (list.y[i] > 0 ? mpz_add : mpz_sub)(sum[1], sum[1], list.value[i]);
    }
    if (!list.count) hsv_reject(c, "there is no multiplier");
    if (offset && mpz_sgn(sum[1]))
        hsv_reject(c, "the multipliers of the two classes have different sums");
    hsv_point_norm2(c, &u, q[0], q[1]);
    hsv_ratio(q[2], sum[0], *list.below);
    mpq_mul(q[2], q[2], bound);
    mpq_mul(q[2], q[2], q[2]);
    if (mpq_sgn(bound) < 0 || mpq_cmp(q[1], q[2]) > 0)
        hsv_reject(c, "the multipliers do not show it: the sum of a y x is too long");
    return separable_rows(c, &list);
}

void hsv_claim_separable(hsv_checker *c, const hsv_json *claim)
{
    hsv_members(c, claim, "claim,offset,kernel,separator,margin,multipliers");
    mpq_t *q = hsv_rationals(c, 5), *least = q + 4;
    hsv_space *space = c->more ? c->more->space(c, claim) : NULL;
    hsv_point w = {.space = space};
    const int offset = hsv_get_flag(c, claim, "offset");
    const hsv_json *margin = hsv_find(claim, "margin");
    if (margin) hsv_members(c, margin, "low,high");
    const hsv_json *high = margin ? hsv_find(margin, "high") : NULL;
    if (!high != !hsv_find(claim, "multipliers"))
        hsv_unreadable(c, "multipliers belong to a margin with a high end");
    hsv_get_separator(c, claim, offset, &w);
    for (const hsv_row *row; (row = hsv_next(c, &c->data));) {
        hsv_point_margin(c, &w, row, q[0], q[1]);
        if (mpq_sgn(q[0]) <= 0)
            hsv_reject(c, "row %zu is not on its side: y s(x) > 0 is not so", row->number);
        if (row->number == 1 || mpq_cmp(q[0], *least) < 0) mpq_set(*least, q[0]);
    }
    hsv_say(c,
            c->data.rows == 1 ? "separable%s: the %s has the %zu row strictly on its side."
                              : "separable%s: the %s puts all %zu rows strictly on their sides.",
            space ? space->name : "",
            offset ? "separator (w, b)" : "separator w, through the origin,", c->data.rows);
    if (!margin) return;
    if (!hsv_get_number(c, margin, "low", q[0])) hsv_unreadable(c, "margin: low is missing");
    hsv_point_norm2(c, &w, q[2], q[3]);
    if (!mpq_sgn(q[3])) hsv_reject(c, "w = 0 has no margin");
    mpq_mul(q[1], *least, *least);
    mpq_mul(q[2], q[0], q[0]);
    mpq_mul(q[2], q[2], q[3]); /* low^2 ||w||^2 <= (min y s)^2 */
    if (mpq_sgn(q[0]) < 0 || mpq_cmp(q[2], q[1]) > 0)
        hsv_reject(c, "the separator's margin is below the certified low end");
    const hsv_json *low = hsv_find(margin, "low");
    const char *where = offset ? "" : " through the origin";
    if (!high) hsv_say(c, "the widest margin%s is at least %.*s.", where, HSV_TEXT(low));
    if (!high) return;
    hsv_number(c, high, "high", q[1]);
    const char *rows = separable_multipliers(c, claim, space, offset, q[1]);
    hsv_say(c, "the widest margin%s is in [%.*s, %.*s]; the upper end is from %s.", where,
            HSV_TEXT(low), HSV_TEXT(high), rows);
}

void hsv_claim_inseparable(hsv_checker *c, const hsv_json *claim)
{
    hsv_members(c, claim, "claim,offset,kernel,multipliers,epsilon");
    hsv_space *space = c->more ? c->more->space(c, claim) : NULL;
    const int offset = hsv_get_flag(c, claim, "offset");
    const hsv_json *epsilon = hsv_find(claim, "epsilon");
    mpq_t *q = hsv_rationals(c, 1);
    hsv_get_number(c, claim, "epsilon", *q);
    const char *rows = separable_multipliers(c, claim, space, offset, *q);
    const char *where = offset ? "" : " through the origin", *name = space ? space->name : "";
    if (!epsilon)
        hsv_say(c, "not separable%s%s: with multipliers a > 0 on %s, sum a y x = 0%s.", where, name,
                rows,
                offset ? " and sum a y = 0: a point of both classes' convex hulls"
                       : ": 0 is in the convex hull of the y x");
    else
        hsv_say(c,
                "no separator%s%s has a margin above %.*s, by multipliers on %s (which does not "
                "say that there is none).",
                where, name, HSV_TEXT(epsilon), rows);
}
