/* Claim 3, Winnow: p promotions and q demotions within the bounds of its theorems.
 *
 * A disjunction of k columns: a promotion multiplies, by alpha, the weight of some column of the
 * disjunction, at most theta before it; the total weight starts at d and never falls below 0.
 * Logarithms are avoided by comparing powers.
 *
 * A separator v of known weight: what v's columns gain is at most what the total weight allows them
 * (docs/certificates.md has the steps). The bounds have logarithms of rational numbers in them,
 * which are enclosed; a bound is taken at its lower end. */
#include "check1.h"

#define WINNOW_BITS 20000000 /* of a power that is computed */

typedef struct winnow_rows {
    const uint32_t *column; /* of the disjunction */
    size_t count;
} winnow_rows;

static void winnow_row(hsv1_checker *c, const hsv1_row *row, void *with)
{
    const winnow_rows *w = with;
    int any = 0;
    for (size_t j = 0, i = 0; j < row->count; j++) {
        if (mpz_cmp(row->value[j], *c->scale) != 0)
            hsv1_reject(c, "row %llu has a value that is not 0 or 1",
                       (unsigned long long)row->number);
        while (i < w->count && w->column[i] < row->column[j])
            i++;
        any |= i < w->count && w->column[i] == row->column[j];
    }
    if (any != (row->y > 0))
        hsv1_reject(c, "row %llu is not what the disjunction says", (unsigned long long)row->number);
}

/* alpha^n <= theta^k? */
static int winnow_powers(hsv1_checker *c, const mpq_t alpha, uint64_t n, const mpq_t theta,
                         uint64_t k)
{
    mpz_t *z = hsv1_integers(c, 4);
    if ((mpz_sizeinbase(mpq_numref(alpha), 2) + mpz_sizeinbase(mpq_denref(alpha), 2)) >
            WINNOW_BITS / (n + 1) ||
        (mpz_sizeinbase(mpq_numref(theta), 2) + mpz_sizeinbase(mpq_denref(theta), 2)) >
            WINNOW_BITS / (k + 1))
        hsv1_reject(c, "the powers that the bound compares are too long");
    mpz_pow_ui(z[0], mpq_numref(alpha), n);
    mpz_pow_ui(z[1], mpq_denref(alpha), n);
    mpz_pow_ui(z[2], mpq_numref(theta), k);
    mpz_pow_ui(z[3], mpq_denref(theta), k);
    mpz_mul(z[0], z[0], z[3]);
    mpz_mul(z[1], z[1], z[2]);
    return mpz_cmp(z[0], z[1]) <= 0;
}

static void winnow_disjunction(hsv1_checker *c, const hsv1_json *array, winnow_rows *rows)
{
    uint32_t *column = hsv1_new(c, array->count, sizeof *column), before = 0;
    if (!array->count) hsv1_unreadable(c, "disjunction: no column");
    for (const hsv1_json *value = array->child; value; value = value->next) {
        const uint64_t number = hsv1_count(c, value, "disjunction");
        if (number <= before || number > c->data.columns)
            hsv1_unreadable(c, "disjunction: columns are from 1 to %u, ascending",
                           (unsigned)c->data.columns);
        column[rows->count++] = before = (uint32_t)number;
    }
    rows->column = column;
}

/* ---- Formulas -------------------------------------------------------------------------------- */

/* ln of a rational number, at most (way < 0) or at least that. */
static void winnow_log(hsv1_checker *c, mpq_t out, const mpq_t of, int way)
{
    mpz_t *z = hsv1_integers(c, 3);
    hsv1_log(mpq_numref(of), mpq_denref(of), z[0], z[1]);
    mpz_setbit(z[2], HSV1_BITS);
    hsv1_ratio(out, z[way > 0], z[2]);
}

/* Works a formula out, operators behind what they are about. Letters are the numbers x; + - * /
 * take the last two, < and > are logarithms, rounded down or up, =y keeps the last one as y. */
static void winnow_work(hsv1_checker *c, mpq_t *x, const char *formula)
{
    mpq_t *last = hsv1_rationals(c, 8); /* the first is not used */
    for (const char *f = formula; *f; f++)
        if (*f == '=') {
            mpq_set(x[(unsigned char)*++f], *last--);
        } else if (*f == '<' || *f == '>') {
            winnow_log(c, *last, *last, *f == '<' ? -1 : 1);
        } else if (*f >= '0' && *f <= '9') {
            mpq_set_ui(*++last, (unsigned long)(*f - '0'), 1);
        } else if (*f == '+' || *f == '-' || *f == '*' || *f == '/') {
            last--;
            (*f == '+'   ? mpq_add
             : *f == '-' ? mpq_sub
             : *f == '*' ? mpq_mul
                         : mpq_div)(last[0], last[0], last[1]);
        } else if (*f != ' ') {
            mpq_set(*++last, x[(unsigned char)*f]);
        }
}

/* ---- A separator of known weight ------------------------------------------------------------- */

typedef struct winnow_sides {
    hsv1_scorer v;
    mpz_t *ends; /* 4: -clip, 0, 1, 1 + clip over the rows' scale, the clip rounded down */
    mpz_t *sum;
    mpz_t *side; /* 2: the largest s of negative rows, the least of positive ones, ... */
    int seen[2]; /* ... if there are any; over v.below */
} winnow_sides;

static void winnow_side_row(hsv1_checker *c, const hsv1_row *row, void *with)
{
    winnow_sides *w = with;
    mpz_set_ui(*w->sum, 0);
    for (size_t j = 0; j < row->count; j++) {
        mpz_srcptr x = row->value[j];
        if (mpz_cmp(x, w->ends[0]) < 0 || mpz_cmp(x, w->ends[3]) > 0)
            hsv1_reject(c, "row %llu has a value that is not from 0 to 1",
                       (unsigned long long)row->number);
        if (mpz_cmp(x, w->ends[1]) < 0) x = w->ends[1];
        if (mpz_cmp(x, w->ends[2]) > 0) x = w->ends[2];
        if (row->column[j] <= w->v.point.count)
            mpz_addmul(*w->sum, w->v.point.value[row->column[j] - 1], x);
    }
    mpz_mul(*w->sum, *w->sum, *w->v.factor);
    mpz_add(*w->sum, *w->sum, *w->v.b_over);
    const int up = row->y > 0, order = mpz_cmp(*w->sum, w->side[up]);
    if (!w->seen[up] || (up ? order < 0 : order > 0)) mpz_set(w->side[up], *w->sum);
    w->seen[up] = 1;
}

/* V = sum |v_j| + |b| over v.below, and H = ln V - sum |v_j| ln |v_j| / V from above, which is the
 * same in any unit: that of whole numbers is taken. Is one of v_j negative? */
static int winnow_weigh(hsv1_checker *c, const winnow_sides *w, mpq_t *x)
{
    mpz_t *z = hsv1_integers(c, 7);
    int negative = 0;
    mpz_set_ui(z[5], 1);
    for (size_t j = 0; j <= w->v.point.count; j++) {
        mpz_set(z[0], *w->v.b_over);
        if (j < w->v.point.count) {
            mpz_mul(z[0], w->v.point.value[j], *w->v.factor);
            mpz_mul(z[0], z[0], *c->scale);
        }
        negative |= mpz_sgn(z[0]) < 0;
        mpz_abs(z[0], z[0]);
        if (!mpz_sgn(z[0])) continue;
        hsv1_log(z[0], z[5], z[1], z[2]);
        hsv1_span_add(z[3], z[4], z[0], z[1], z[2]);
        mpz_add(z[6], z[6], z[0]);
    }
    if (!mpz_sgn(z[6])) hsv1_reject(c, "the separator has no weight");
    mpz_mul_2exp(z[0], z[6], HSV1_BITS);
    mpq_set_z(x['V'], z[6]);
    hsv1_ratio(x['h'], z[3], z[0]);
    winnow_work(c, x, "V>h-=H");
    hsv1_ratio(x['V'], z[6], *w->v.below);
    return negative;
}

/* winnow1 and winnow2, <v,x> at least P on positive rows, at most Q on negative ones. From below,
 *     B = (K S/ln a) (ln Z - 1 - H) + (K - 1) n/(d t)
 * with S = V/P, s = (P - Q)/P, Z = S d t K/((K - 1) ln a). */
static void winnow_bound(hsv1_checker *c, int two, mpq_t *x)
{
    winnow_work(c, x, "VP/=S PQ-P/=s as*d-=r a<=l a>=u");
    if (two && mpq_sgn(x['r']) <= 0)
        hsv1_reject(c, "alpha is too large for the separator: the least <v,x> of positive rows is "
                      "not above alpha times the largest of negative ones");
    if (!two && mpq_sgn(x['Q']))
        hsv1_reject(c, "the separator is not 0 on all negative rows, as winnow1 needs it");
    if (mpq_sgn(x['l']) <= 0) hsv1_reject(c, "alpha is too near to 1");
    winnow_work(c, x, two ? "a1+r/=K" : "a=K");
    winnow_work(c, x, "KS*dt**K1-/u/<1-H-KS**=B");
    winnow_work(c, x, mpq_sgn(x['B']) < 0 ? "Bl/=B" : "Bu/=B");
    winnow_work(c, x, "BK1-n*dt*/+=B");
    if (!two) return;
    /* The same in W and b, the total weight and the threshold once the sides are 1 apart. */
    winnow_work(c, x, "VPQ-/=W PPQ-/=b dW*=l db*=u tS*=z");
    if (mpq_cmp_ui(x['l'], 1, 2) >= 0 && mpq_cmp_ui(x['u'], 1, 2) <= 0 &&
        mpq_cmp_ui(x['z'], 1, 1) >= 0)
        winnow_work(c, x, "8W*z<W*bn*t/+*=E");
}

/* balanced, all y s at least g: B = (ln 2N - H)/(ln a g/V - ln C) from below, C = cosh ln a. */
static void winnow_balanced(hsv1_checker *c, mpq_t *x)
{
    winnow_work(c, x, "a1a/+2/=C a<gV/*C>-=l a>gV/*C<-=u");
    if (mpq_sgn(x['l']) <= 0) hsv1_reject(c, "alpha is too large for the separator's margin");
    winnow_work(c, x, "2N*<H-u/=B Vg/=W a<W*=l a>W*=u");
    if (mpq_cmp_ui(x['l'], 1, 2) >= 0 && mpq_cmp_ui(x['u'], 3, 2) <= 0)
        winnow_work(c, x, "8W*W*3/2N*<*=E");
}

static void winnow_separator(hsv1_checker *c, const hsv1_json *claim, int variant, mpq_t *x)
{
    const int balanced = variant == 2;
    const int unit = balanced && hsv1_get_choice(c, claim, "offset", "none unit");
    winnow_sides w = {
        .ends = hsv1_integers(c, 4), .sum = hsv1_integers(c, 1), .side = hsv1_integers(c, 2)};
    if (hsv1_find(claim, "clip")) hsv1_get_number(c, claim, "clip", x['c']);
    if (mpq_sgn(x['c']) < 0 || mpq_cmp_ui(x['c'], 1, 1000) > 0)
        hsv1_unreadable(c, "clip: must be from 0 to 0.001");
    mpz_mul(w.ends[3], *c->scale, mpq_numref(x['c']));
    mpz_fdiv_q(w.ends[3], w.ends[3], mpq_denref(x['c']));
    mpz_neg(w.ends[0], w.ends[3]);
    mpz_set(w.ends[2], *c->scale);
    mpz_add(w.ends[3], w.ends[3], w.ends[2]);
    hsv1_scorer_read(c, claim, NULL, &w.v);
    if (!unit && mpq_sgn(*w.v.b)) hsv1_reject(c, "b must be 0 without an offset");
    hsv1_each_row(c, &c->data, winnow_side_row, &w);
    if (winnow_weigh(c, &w, x) && !balanced) hsv1_reject(c, "the separator has a negative weight");
    hsv1_ratio(x['P'], w.side[1], *w.v.below);
    hsv1_ratio(x['Q'], w.side[0], *w.v.below);
    mpq_neg(x['g'], x['Q']);
    if (!w.seen[0] || (w.seen[1] && mpq_cmp(x['P'], x['g']) < 0)) mpq_set(x['g'], x['P']);
    if (balanced ? mpq_sgn(x['g']) <= 0 : !w.seen[1] || mpq_cmp(x['P'], x['Q']) <= 0)
        hsv1_reject(c, "the separator does not separate the rows");
    mpq_set_ui(x['N'], (unsigned long)c->data.columns + (unsigned long)unit, 1);
    if (balanced)
        winnow_balanced(c, x);
    else
        winnow_bound(c, variant, x);
    const char *bound = hsv1_show(c, x['B'], -1);
    const unsigned long total = mpz_get_ui(mpq_numref(x['k']));
    if (mpq_cmp(x['k'], x['B']) > 0)
        hsv1_reject(c, "%lu mistakes are more than the bound, %s", total, bound);
    hsv1_say(c, "mistakes: Winnow's %lu mistakes are within %s = %s of the separator, %s = %s.",
            total,
            balanced ? "(ln 2N - H)/(ln alpha g/V - ln cosh ln alpha)"
                     : "(K S/ln alpha)(ln Z - 1 - H) + (K-1) n/(delta theta)",
            bound, balanced ? "V/g" : "S", hsv1_show(c, x[balanced ? 'W' : 'S'], -1));
    if (mpq_sgn(x['E']))
        hsv1_say(c, "mistakes: so they are within %s = %s, where W = %s.",
                balanced ? "(8/3) W^2 ln 2N" : "8 W^2 ln(theta W/b) + 8 W b n/theta",
                hsv1_show(c, x['E'], -1), hsv1_show(c, x['W'], -1));
    if (mpq_sgn(x['c']))
        hsv1_say(c, "mistakes: values that leave [0,1] by no more than %s count as 0 and 1.",
                hsv1_show(c, x['c'], 1));
}

/* ---- The claim ------------------------------------------------------------------------------- */

void hsv1_claim_winnow(hsv1_checker *c, const hsv1_json *claim)
{
    static const char *const members[] = {
        "claim learner variant alpha threshold disjunction updates total",
        "claim learner variant alpha threshold separator clip updates total",
        "claim learner variant alpha offset separator clip updates total"};
    winnow_rows rows = {0};
    hsv1_list list = {0};
    hsv1_point sum = {0};
    uint64_t p = 0;
    mpq_t *x = hsv1_rationals(c, 128); /* by their letters */
    const int variant = hsv1_get_choice(c, claim, "variant", "winnow1 winnow2 balanced");
    const int separator = hsv1_find(claim, "separator") != NULL, balanced = variant == 2;
    hsv1_members(c, claim, members[balanced ? 2 : separator]);
    hsv1_get_number(c, claim, "alpha", x['a']);
    if (!balanced) hsv1_get_number(c, claim, "threshold", x['t']);
    if (mpq_cmp_ui(x['a'], 1, 1) <= 0 || (!balanced && mpq_sgn(x['t']) <= 0) ||
        (!balanced && !separator && mpq_cmp_ui(x['t'], 1, 1) < 0))
        hsv1_unreadable(c, "alpha must be above 1, threshold at least 1 (with a separator above 0)");
    if (!balanced && !separator)
        winnow_disjunction(c, hsv1_get(c, claim, "disjunction", HSV1_ARRAY), &rows);
    const uint64_t total = hsv1_get_updates(c, claim, &list), k = rows.count;
    hsv1_point_sum(c, &list, NULL, &sum); /* for the classes of these rows */
    for (size_t i = 0; i < list.count; i++)
        if (list.y[i] > 0) p += mpz_get_ui(list.value[i]);
    const uint64_t q = total - p;
    mpq_set_ui(x['n'], c->data.columns, 1);
    mpq_set_ui(x['k'], total, 1);
    mpq_set_ui(x['p'], p, 1);
    mpq_set_ui(x['q'], q, 1);
    winnow_work(c, x, "a1-=d");
    /* The total weight stays above 0: whatever the labels are, this many demotions can be. */
    if (!balanced) winnow_work(c, x, variant ? "na*dt*/ap*+=D" : "nt/dp*+=D");
    if (!balanced && mpq_cmp(x['q'], x['D']) > 0)
        hsv1_reject(c, "%llu demotions are more than can be", (unsigned long long)q);
    if (balanced || separator) {
        winnow_separator(c, claim, variant, x);
        return;
    }
    hsv1_each_row(c, &c->data, winnow_row, &rows);
    if (p > k && !winnow_powers(c, x['a'], p - k, x['t'], k))
        hsv1_reject(c, "%llu promotions are more than k (1 + log theta)", (unsigned long long)p);
    hsv1_say(c,
            "mistakes: every label is the disjunction of %zu columns; Winnow's %llu promotions are "
            "within k(1 + log theta / log alpha), its %llu demotions within %s, so that its %llu "
            "mistakes are within Littlestone's bound.",
            rows.count, (unsigned long long)p, (unsigned long long)q, hsv1_show(c, x['D'], -1),
            (unsigned long long)total);
}
