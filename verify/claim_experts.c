/* Claim 3, experts: the checker plays weighted majority by itself, in the order of the
 * file. What it keeps of an expert is h, twice its mistakes (a row where it abstains counts 1, one
 * where it is wrong 2): its weight is beta^(h/2). The sum of weights for and against is enclosed by
 * powers rounded both ways; where that does not decide, it is computed exactly. */
#include "full.h"

#define EXPERTS_BITS   320     /* of the powers */
#define EXPERTS_POWERS 100000  /* that are kept */
#define EXPERTS_EXACT  5000000 /* bits of a sum that is computed exactly */

typedef struct experts_panel {
    size_t columns;
    int negated, tie; /* tie: 0 negative, 1 positive, 2 mistake */
    mpq_t *beta;
    size_t *half;      /* columns: h; the negation's is 2 seen - h */
    char *abstains;    /* columns: a value 0 is no vote */
    size_t silent;     /* how many of them */
    signed char *vote; /* columns: on the row at hand */
    size_t seen;       /* rows so far */
    size_t mistakes;
    size_t powers;
    mpz_t *low, *high; /* powers: of sqrt(beta)^t, over 2^EXPERTS_BITS */
    mpz_t *sum;        /* 2 */
} experts_panel;

/* *low, *high times the root of beta: t even, or beta divided by it again: t odd. */
static void experts_powers(hsv_checker *c, experts_panel *p, size_t passes)
{
    mpz_t *root = hsv_integers(c, 2);
    const size_t needed = 2 * passes * c->data.rows + 1; /* no h is larger */
    const size_t most = needed < EXPERTS_POWERS ? (size_t)needed : EXPERTS_POWERS;
    p->low = hsv_integers(c, most);
    p->high = hsv_integers(c, most);
    mpz_setbit(p->low[0], EXPERTS_BITS);
    mpz_set(p->high[0], p->low[0]);
    mpz_mul_2exp(root[0], mpq_numref(*p->beta), 2 * EXPERTS_BITS);
    mpz_cdiv_q(root[1], root[0], mpq_denref(*p->beta));
    mpz_fdiv_q(root[0], root[0], mpq_denref(*p->beta));
    mpz_sqrt(root[0], root[0]);
    mpz_sub_ui(root[1], root[1], 1); /* the root, rounded up, of n is 1 + floor(root(n - 1)) */
    mpz_sqrt(root[1], root[1]);
    mpz_add_ui(root[1], root[1], 1);
    for (p->powers = 1; p->powers < most && mpz_cmp_ui(p->high[p->powers - 1], 1) > 0;
         p->powers++) {
        const size_t t = p->powers;
        if (t % 2) {
            mpz_mul(p->low[t], p->low[t - 1], root[0]);
            mpz_mul(p->high[t], p->high[t - 1], root[1]);
            mpz_fdiv_q_2exp(p->low[t], p->low[t], EXPERTS_BITS);
            mpz_cdiv_q_2exp(p->high[t], p->high[t], EXPERTS_BITS);
        } else {
            mpz_mul(p->low[t], p->low[t - 2], mpq_numref(*p->beta));
            mpz_mul(p->high[t], p->high[t - 2], mpq_numref(*p->beta));
            mpz_fdiv_q(p->low[t], p->low[t], mpq_denref(*p->beta));
            mpz_cdiv_q(p->high[t], p->high[t], mpq_denref(*p->beta));
        }
    }
}

static size_t experts_least(const experts_panel *p)
{
    size_t least = SIZE_MAX;
    for (size_t j = 0; j < p->columns; j++) {
        const size_t other = 2 * p->seen - p->half[j];
        if (p->half[j] < least) least = p->half[j];
        if (p->negated && other < least) least = other;
    }
    return least;
}

/* One expert with weight sqrt(beta)^t votes v. */
static void experts_vote(experts_panel *p, size_t t, int v)
{
    const size_t last = p->powers - 1;
    mpz_srcptr high = p->high[t < last ? t : last];
    const mpz_t *low = t <= last ? (const mpz_t *)p->low + t : NULL; /* else 0 */
    if (v > 0) {
        if (low) mpz_add(p->sum[0], p->sum[0], *low);
        mpz_add(p->sum[1], p->sum[1], high);
    } else {
        mpz_sub(p->sum[0], p->sum[0], high);
        if (low) mpz_sub(p->sum[1], p->sum[1], *low);
    }
}

/* The sign of A + B sqrt(beta), A the votes with even t, B those with odd t. */
static int experts_exactly(hsv_checker *c, experts_panel *p, size_t least)
{
    hsv_block *mark = c->blocks;
    size_t most = 0;
    for (size_t j = 0; j < p->columns; j++) {
        const size_t t = p->half[j], other = 2 * p->seen - t;
        if (t > most) most = t;
        if (p->negated && other > most) most = other;
    }
    most = most - least + 2;
    if (most * mpz_sizeinbase(mpq_denref(*p->beta), 2) > EXPERTS_EXACT)
        hsv_reject(c, "experts: a vote is too close to be decided");
    hsv_spend(c, 200 * most + most * most * mpz_sizeinbase(mpq_denref(*p->beta), 2) / 64);
    int64_t *votes = hsv_new(c, most + 1, sizeof *votes);
    for (size_t j = 0; j < p->columns; j++) {
        votes[p->half[j] - least] += p->vote[j];
        if (p->negated) votes[2 * p->seen - p->half[j] - least] -= p->vote[j];
    }
    mpz_t *z = hsv_integers(c, 4); /* A and B times a power of the denominator; that power */
    mpz_set_ui(z[2], 1);
    for (size_t t = most - most % 2;; t -= 2) {
        for (int odd = 0; odd < 2; odd++) { /* Horner's way: from the smallest weight on */
            mpz_mul(z[odd], z[odd], mpq_numref(*p->beta));
            mpz_set_si(z[3], t + (size_t)odd <= most ? (long)votes[t + (size_t)odd] : 0);
            mpz_addmul(z[odd], z[3], z[2]);
        }
        mpz_mul(z[2], z[2], mpq_denref(*p->beta));
        if (!t) break;
    }
    hsv_spend_product(c, mpz_size(z[2]) * 8);
    int sign = mpz_sgn(z[0]);
    const int odd = mpz_sgn(z[1]);
    if (sign * odd < 0) { /* A^2 against B^2 beta */
        mpz_mul(z[0], z[0], z[0]);
        mpz_mul(z[0], z[0], mpq_denref(*p->beta));
        mpz_mul(z[1], z[1], z[1]);
        mpz_mul(z[1], z[1], mpq_numref(*p->beta));
        const int larger = mpz_cmp(z[0], z[1]);
        sign = larger > 0 ? sign : larger < 0 ? odd : 0;
    } else if (!sign) {
        sign = odd;
    }
    hsv_release(c, mark);
    return sign;
}

static void experts_row(hsv_checker *c, const hsv_row *row, experts_panel *p)
{
    hsv_spend(c, 40 * (size_t)p->columns * (1 + (size_t)p->negated));
    const size_t least = experts_least(p);
    for (size_t j = 0; j < p->columns; j++)
        p->vote[j] = p->abstains[j] ? 0 : -1;
    for (size_t k = 0; k < row->count; k++)
        p->vote[row->column[k] - 1] = (signed char)(mpz_sgn(row->value[k]));
    mpz_set_ui(p->sum[0], 0);
    mpz_set_ui(p->sum[1], 0);
    for (size_t j = 0; j < p->columns; j++) {
        if (!p->vote[j]) continue;
        experts_vote(p, p->half[j] - least, p->vote[j]);
        if (p->negated) experts_vote(p, 2 * p->seen - p->half[j] - least, -p->vote[j]);
    }
    int sign = mpz_sgn(p->sum[0]);
    if (sign <= 0 && mpz_sgn(p->sum[1]) >= 0 && mpz_cmp(p->sum[0], p->sum[1]) != 0)
        sign = experts_exactly(c, p, least);
    if (!sign) sign = p->tie == 2 ? -row->y : p->tie ? 1 : -1;
    p->mistakes += sign != row->y;
    p->seen++;
    for (size_t j = 0; j < p->columns; j++)
        p->half[j] += (size_t)(1 - row->y * p->vote[j]);
}

static void experts_options(hsv_checker *c, const hsv_json *claim, experts_panel *p)
{
    if (!hsv_get_number(c, claim, "beta", *p->beta) || mpq_sgn(*p->beta) <= 0 ||
        mpq_cmp_ui(*p->beta, 1, 1) >= 0)
        hsv_unreadable(c, "beta must be between 0 and 1");
    p->negated = hsv_get_flag(c, claim, "negated");
    p->tie = hsv_get_choice(c, claim, "tie", "negative,positive,mistake");
    p->columns = c->data.columns;
    if (!p->columns || p->columns > 10000000) hsv_reject(c, "experts: too many columns, or none");
    hsv_spend(c, 40 * (size_t)p->columns);
    p->half = hsv_new(c, p->columns, sizeof *p->half);
    p->abstains = hsv_new(c, p->columns, 1);
    p->vote = hsv_new(c, p->columns, 1);
    if (!hsv_find(claim, "abstain")) return;
    const hsv_json *array = hsv_get(c, claim, "abstain", HSV_ARRAY);
    size_t before = 0;
    for (const hsv_json *value = array->child; value; value = value->next) {
        const size_t column = hsv_count(c, value, "abstain");
        if (column <= before || column > p->columns)
            hsv_unreadable(c, "abstain: columns are from 1 to %zu, ascending", p->columns);
        before = column;
        p->abstains[column - 1] = 1;
        p->silent++;
    }
}

void hsv_claim_experts(hsv_checker *c, const hsv_json *claim)
{
    experts_panel p = {.beta = hsv_rationals(c, 1), .sum = hsv_integers(c, 2)};
    mpq_t *q = hsv_rationals(c, 2);
    hsv_members(c, claim, "claim,learner,beta,negated,abstain,tie,passes,total,best");
    experts_options(c, claim, &p);
    const size_t passes = hsv_get_count(c, claim, "passes");
    if (!passes || passes > 10000) hsv_unreadable(c, "passes: from 1 to 10000");
    experts_powers(c, &p, passes);
    for (size_t pass = 0; pass < passes; pass++)
        for (const hsv_row *row; (row = hsv_next(c, &c->data));)
            experts_row(c, row, &p);
    if (p.mistakes != hsv_get_count(c, claim, "total"))
        hsv_reject(c,
                   "weighted majority makes %zu mistakes on these rows, not as many as certified",
                   p.mistakes);
    const hsv_json *best = hsv_get(c, claim, "best", HSV_OBJECT);
    hsv_members(c, best, "column,negated,mistakes");
    const size_t column = hsv_get_count(c, best, "column"), least = experts_least(&p);
    const int negated = hsv_get_flag(c, best, "negated");
    if (!column || column > p.columns || (negated && !p.negated))
        hsv_unreadable(c, "best: there is no such expert");
    const size_t own = negated ? 2 * p.seen - p.half[column - 1] : p.half[column - 1];
    if (!hsv_get_number(c, best, "mistakes", q[0])) hsv_unreadable(c, "best: mistakes are missing");
    mpq_set_ui(q[1], own, 2);
    mpq_canonicalize(q[1]);
    if (!mpq_equal(q[0], q[1]) || own != least)
        hsv_reject(c, "the best expert, or its number of mistakes, is another");
    /* (2 / (1 + beta))^(2 m) <= N^2 (1 / beta)^h, in whole numbers */
    mpz_t *z = hsv_integers(c, 4);
    mpz_srcptr above = mpq_numref(*p.beta), below = mpq_denref(*p.beta);
    if ((p.mistakes + least) * (mpz_sizeinbase(below, 2) + 2) > 10 * (size_t)EXPERTS_EXACT)
        hsv_reject(c, "experts: the powers that the bound compares are too long");
    mpz_mul_2exp(z[0], below, 1);
    mpz_pow_ui(z[0], z[0], 2 * p.mistakes);
    mpz_pow_ui(z[1], above, least);
    mpz_mul(z[0], z[0], z[1]);
    mpz_add(z[2], above, below);
    mpz_pow_ui(z[2], z[2], 2 * p.mistakes);
    mpz_pow_ui(z[1], below, least);
    mpz_mul(z[2], z[2], z[1]);
    mpz_set_ui(z[3], p.columns * (size_t)(1 + p.negated));
    mpz_mul(z[2], z[2], z[3]);
    mpz_mul(z[2], z[2], z[3]);
    if (mpz_cmp(z[0], z[2]) > 0) hsv_reject(c, "experts: the bound does not hold");
    static const char *const ties[] = {"ties negative", "ties positive", "ties mistakes"};
    hsv_say(c,
            "mistakes: weighted majority of %zu experts (beta %.*s, %s, passes %zu, columns that "
            "may abstain %zu) makes %zu mistakes, the best expert (%s%zu) %s; that is within (m* "
            "ln(1/beta) + ln N) / ln(2/(1+beta)).",
            p.columns * (size_t)(1 + p.negated), (int)hsv_find(claim, "beta")->size,
            hsv_find(claim, "beta")->text, ties[p.tie], passes, p.silent, p.mistakes,
            negated ? "not column " : "column ", column, hsv_show(c, q[1], -1));
}
