/* Claim 3, the perceptron: the updates per row rebuild w and b, and are no more than the bounds
 * say.
 *
 * All is about x~ = (x, c), w~ = (w, b / c): ||w~||^2 = ||w||^2 + b^2 / c^2, ||x~||^2 <= R^2 + c^2.
 * Only c^2 is needed, which is rational. */
#include "check1.h"

typedef struct mistakes_run {
    hsv1_kernel *kernel;
    hsv1_list updates;
    hsv1_point sum;    /* of count y x; w = rate sum */
    hsv1_scorer other; /* the separator w*, b* */
    mpz_t *work;      /* 3 */
    mpz_t *radius;    /* 2: R^2, enclosed */
    mpz_t *least;     /* 2: min y s*(x), enclosed, over other.below */
    mpz_t *lack;      /* sum of max(0, g - y s*(x))^2, from below, over other.below squared */
    mpz_t *goal;      /* g, over other.below */
    int any;          /* a row was seen */
    mpq_t *rate, *tau, *c2, *turn; /* turn = sum of count y */
    mpq_t *soft2;                  /* Delta^2 of a soft run; 0: it is not */
    mpq_t *reach;                  /* 2: R~^2 + 2 tau / rate, enclosed */
    uint64_t total, most;          /* most: of one row */
} mistakes_run;

static void mistakes_row(hsv1_checker *c, const hsv1_row *row, void *with)
{
    mistakes_run *m = with;
    mpz_t *w = m->work;
    hsv1_norm2(c, m->kernel, row, w[0], w[1]);
    for (int i = 0; i < 2; i++)
        if (!m->any || mpz_cmp(w[i], m->radius[i]) > 0) mpz_set(m->radius[i], w[i]);
    hsv1_scorer_score(c, &m->other, row, w[0], w[1]);
    if (row->y < 0) {
        mpz_swap(w[0], w[1]);
        mpz_neg(w[0], w[0]);
        mpz_neg(w[1], w[1]);
    }
    for (int i = 0; i < 2; i++)
        if (!m->any || mpz_cmp(w[i], m->least[i]) < 0) mpz_set(m->least[i], w[i]);
    m->any = 1;
    if (mpz_cmp(w[1], *m->goal) < 0) {
        mpz_sub(w[2], *m->goal, w[1]);
        mpz_addmul(*m->lack, w[2], w[2]);
    }
}

typedef struct mistakes_end {
    hsv1_scorer scorer;
    const hsv1_list *updates;
    size_t next;      /* of the updates */
    mpz_t *work;      /* 2 */
    mpz_t *own;       /* what an update adds to its own row: Delta^2, over scorer.below ... */
    mpz_srcptr widen; /* ... times this, the denominator of Delta^2 */
    mpz_t *goal;      /* tau / rate over the same, rounded up */
    int target;       /* tau > 0 */
} mistakes_end;

static void mistakes_end_row(hsv1_checker *c, const hsv1_row *row, void *with)
{
    mistakes_end *e = with;
    hsv1_scorer_score(c, &e->scorer, row, e->work[0], e->work[1]);
    mpz_ptr score = e->work[row->y > 0 ? 0 : 1];
    if (row->y < 0) mpz_neg(score, score);
    mpz_mul(score, score, e->widen);
    if (e->next < e->updates->count && e->updates->index[e->next] == row->number)
        mpz_addmul(score, e->updates->value[e->next++], *e->own);
    if (e->target ? mpz_cmp(score, *e->goal) < 0 : mpz_sgn(score) <= 0)
        hsv1_reject(c, "the run did not converge: row %llu is not where it should be",
                   (unsigned long long)row->number);
}

/* The last w, b, divided by the rate, on every row. */
static void mistakes_converged(hsv1_checker *c, mistakes_run *m)
{
    mistakes_end e = {.scorer.point = m->sum,
                      .updates = &m->updates,
                      .work = hsv1_integers(c, 2),
                      .own = hsv1_integers(c, 1),
                      .widen = mpq_denref(*m->soft2),
                      .goal = hsv1_integers(c, 1)};
    mpq_t *q = hsv1_rationals(c, 1);
    e.scorer.b = hsv1_rationals(c, 1);
    mpq_mul(*e.scorer.b, *m->c2, *m->turn);
    hsv1_scorer_finish(c, &e.scorer);
    e.target = mpq_sgn(*m->tau) > 0;
    mpq_div(*q, *m->tau, *m->rate);
    mpz_mul(*e.own, *e.scorer.below, mpq_numref(*m->soft2));
    mpz_mul(*e.goal, *e.scorer.below, mpq_numref(*q));
    mpz_mul(*e.goal, *e.goal, e.widen);
    mpz_cdiv_q(*e.goal, *e.goal, mpq_denref(*q));
    hsv1_each_row(c, &c->data, mistakes_end_row, &e);
}

uint64_t hsv1_get_updates(hsv1_checker *c, const hsv1_json *claim, hsv1_list *list)
{
    uint64_t total = 0;
    hsv1_get_list(c, claim, "updates", list);
    for (size_t i = 0; i < list->count; i++) {
        if (mpz_cmp_ui(*list->below, 1) != 0 || mpz_sgn(list->value[i]) <= 0 ||
            mpz_sizeinbase(list->value[i], 2) > 50)
            hsv1_unreadable(c, "updates: counts are whole numbers from 1");
        total += mpz_get_ui(list->value[i]); /* no count has more than 50 bits: it cannot wrap */
        if (total > HSV1_MOST) hsv1_reject(c, "the updates of the rows are more than 10^15");
    }
    if (total != hsv1_get_count(c, claim, "total"))
        hsv1_reject(c, "the updates of the rows add up to %llu, not to the total",
                   (unsigned long long)total);
    return total;
}

static void mistakes_options(hsv1_checker *c, const hsv1_json *claim, mistakes_run *m)
{
    mpq_set_ui(*m->rate, 1, 1);
    if (hsv1_find(claim, "rate")) hsv1_get_number(c, claim, "rate", *m->rate);
    if (hsv1_find(claim, "margin_target")) hsv1_get_number(c, claim, "margin_target", *m->tau);
    if (mpq_sgn(*m->rate) <= 0 || mpq_sgn(*m->tau) < 0)
        hsv1_unreadable(c, "rate must be above 0, margin_target not below");
    if (hsv1_find(claim, "soft")) {
        hsv1_get_number(c, claim, "soft", *m->soft2);
        if (mpq_sgn(*m->soft2) <= 0) hsv1_unreadable(c, "soft must be above 0");
        mpq_mul(*m->soft2, *m->soft2, *m->soft2);
    }
    m->kernel = hsv1_kernel_read(c, claim, 0);
    m->total = hsv1_get_updates(c, claim, &m->updates);
    for (size_t i = 0; i < m->updates.count; i++)
        if (mpz_get_ui(m->updates.value[i]) > m->most) m->most = mpz_get_ui(m->updates.value[i]);
}

/* c^2, once R^2 is known, and R~^2 + 2 tau / rate; a soft run's R~^2 has Delta^2 in it. */
static void mistakes_constant(hsv1_checker *c, const hsv1_json *claim, mistakes_run *m)
{
    const int offset = hsv1_get_choice(c, claim, "offset", "none unit append r2");
    mpz_t *below = hsv1_integers(c, 1);
    mpq_t *q = hsv1_rationals(c, 2);
    hsv1_norm2_below(c, m->kernel, *below);
    hsv1_ratio(q[0], m->radius[0], *below);
    hsv1_ratio(q[1], m->radius[1], *below);
    if ((offset == 2) != (hsv1_find(claim, "constant") != NULL))
        hsv1_unreadable(c, "a constant belongs to offset append, and to no other");
    mpq_set_ui(*m->c2, offset == 1, 1);
    if (offset == 2) hsv1_get_number(c, claim, "constant", *m->c2);
    if (offset == 2) mpq_mul(*m->c2, *m->c2, *m->c2);
    if (offset == 3 && !mpq_equal(q[0], q[1])) hsv1_reject(c, "R^2 is not known exactly");
    if (offset == 3) mpq_set(*m->c2, q[0]);
    if (offset && !mpq_sgn(*m->c2)) hsv1_reject(c, "the offset's constant is 0");
    mpq_div(m->reach[0], *m->tau, *m->rate);
    mpq_add(m->reach[0], m->reach[0], m->reach[0]);
    mpq_add(m->reach[0], m->reach[0], *m->c2);
    mpq_add(m->reach[0], m->reach[0], *m->soft2);
    mpq_add(m->reach[1], m->reach[0], q[1]);
    mpq_add(m->reach[0], m->reach[0], q[0]);
}

/* ||w~||^2 of w with this squared length, and b. */
static void mistakes_length(const mistakes_run *m, mpq_t out, const mpq_t norm, const mpq_t b)
{
    mpq_set_ui(out, 0, 1);
    if (mpq_sgn(*m->c2)) {
        mpq_mul(out, b, b);
        mpq_div(out, out, *m->c2);
    }
    mpq_add(out, out, norm);
}

/* ||w~||^2 <= k (rate^2 R~^2 + 2 rate tau), divided by rate^2; w~ of a soft run has Delta count for
 * each row. */
static void mistakes_growth(hsv1_checker *c, mistakes_run *m)
{
    mpq_t *q = hsv1_rationals(c, 4);
    hsv1_point_norm(c, &m->sum);
    mpq_mul(q[0], *m->c2, *m->turn);
    mistakes_length(m, q[1], m->sum.norm[1], q[0]);
    for (size_t i = 0; i < m->updates.count; i++)
        mpz_addmul(mpq_numref(q[3]), m->updates.value[i], m->updates.value[i]);
    mpq_mul(q[3], q[3], *m->soft2);
    mpq_add(q[1], q[1], q[3]);
    mpq_set_ui(q[2], m->total, 1);
    mpq_mul(q[2], q[2], m->reach[0]);
    if (mpq_cmp(q[1], q[2]) > 0) hsv1_reject(c, "w is longer than updates on mistakes can make it");
}

/* Is |x - rate y| <= within? */
static void mistakes_near(hsv1_checker *c, const mpq_t x, const mpq_t y, const mistakes_run *m,
                          const mpq_t within)
{
    hsv1_block *mark = hsv1_mark(c);
    mpq_t *q = hsv1_rationals(c, 1);
    mpq_mul(*q, y, *m->rate);
    mpq_sub(*q, x, *q);
    mpq_abs(*q, *q);
    if (mpq_cmp(*q, within) > 0) hsv1_reject(c, "the updates do not rebuild the model");
    hsv1_release(c, mark);
}

static void mistakes_model(hsv1_checker *c, const hsv1_json *model, mistakes_run *m)
{
    hsv1_list list = {0};
    mpq_t *q = hsv1_rationals(c, 4);
    size_t k = 0;
    hsv1_members(c, model, m->kernel ? "rows b within" : "w b within");
    if (hsv1_find(model, "within")) hsv1_get_number(c, model, "within", q[0]);
    if (mpq_sgn(q[0]) < 0) hsv1_unreadable(c, "within: must not be below 0");
    if (hsv1_find(model, "b")) hsv1_get_number(c, model, "b", q[1]);
    mpq_mul(q[2], *m->c2, *m->turn);
    mistakes_near(c, q[1], q[2], m, q[0]);
    const char *within = mpq_sgn(q[0]) ? hsv1_show(c, q[0], 1) : NULL;
    hsv1_get_list(c, model, m->kernel ? "rows" : "w", &list);
    for (size_t i = 0; i < m->sum.count || k < list.count;) {
        const uint64_t at = i == m->sum.count ? UINT64_MAX
                            : m->kernel       ? m->updates.index[i]
                                              : (uint64_t)i + 1;
        const uint64_t given = k < list.count ? list.index[k] : UINT64_MAX;
        mpq_set_ui(q[1], 0, 1);
        mpq_set_ui(q[2], 0, 1);
        if (given <= at) hsv1_ratio(q[1], list.value[k++], *list.below);
        if (at <= given) hsv1_ratio(q[2], m->sum.value[i++], *m->sum.below);
        mistakes_near(c, q[1], q[2], m, q[0]);
    }
    hsv1_say(c, "mistakes: the updates of the rows rebuild the model%s%s.",
            within ? ", each of its numbers within " : " exactly", within ? within : "");
}

static void mistakes_bound(hsv1_checker *c, mistakes_run *m)
{
    mpq_t *q = hsv1_rationals(c, 3);
    if (mpz_sgn(m->least[0]) <= 0) hsv1_reject(c, "the separator does not separate the rows");
    mistakes_length(m, q[0], m->other.point.norm[0], *m->other.b);
    mpq_mul(q[0], q[0], m->reach[0]);
    hsv1_ratio(q[1], m->least[1], *m->other.below);
    mpq_mul(q[1], q[1], q[1]);
    mpq_div(q[0], q[0], q[1]);
    mpq_set_ui(q[2], m->total, 1);
    if (mpq_cmp(q[2], q[0]) > 0)
        hsv1_reject(c, "%llu updates are more than the bound, %s", (unsigned long long)m->total,
                   hsv1_show(c, q[0], -1));
    hsv1_say(c,
            "mistakes: the perceptron's %llu updates are within the bound (R~^2 + 2 tau/rate) "
            "||w*||^2 / min(y s*)^2 = %s of the separator.",
            (unsigned long long)m->total, hsv1_show(c, q[0], -1));
}

/* The separator with y (g - y s*) / Delta in each row's own coordinate has margin g there: k <=
 * R~^2
 * (||w*||^2 + D^2 / Delta^2) / g^2. */
static void mistakes_soft(hsv1_checker *c, mistakes_run *m, const mpq_t goal)
{
    mpq_t *q = hsv1_rationals(c, 3);
    mpz_t *below = hsv1_integers(c, 1);
    mpz_mul(*below, *m->other.below, *m->other.below);
    hsv1_ratio(q[0], *m->lack, *below);
    mpq_div(q[0], q[0], *m->soft2);
    mistakes_length(m, q[1], m->other.point.norm[0], *m->other.b);
    mpq_add(q[0], q[0], q[1]);
    mpq_mul(q[0], q[0], m->reach[0]);
    mpq_div(q[0], q[0], goal);
    mpq_div(q[0], q[0], goal);
    mpq_set_ui(q[2], m->total, 1);
    if (mpq_cmp(q[2], q[0]) > 0)
        hsv1_reject(c, "%llu updates are more than the bound of a soft run, %s",
                   (unsigned long long)m->total, hsv1_show(c, q[0], -1));
    hsv1_say(c,
            "mistakes: the soft perceptron's %llu updates are within (R~^2 + Delta^2 + 2 tau/rate) "
            "(||w*||^2 + D^2/Delta^2) / g^2 = %s.",
            (unsigned long long)m->total, hsv1_show(c, q[0], -1));
}

/* k g^2 <= (sqrt(B) + sqrt(D^2))^2 with B = (R~^2 + 2 tau / rate) ||w*||^2. */
static void mistakes_inseparable(hsv1_checker *c, const hsv1_json *claim, mistakes_run *m,
                                 const mpq_t goal)
{
    mpq_t *q = hsv1_rationals(c, 6);
    mpz_t *below = hsv1_integers(c, 1);
    const uint64_t passes = hsv1_get_count(c, claim, "passes");
    if (m->most > passes)
        hsv1_reject(c, "a row was learnt from %llu times in %llu passes",
                   (unsigned long long)m->most, (unsigned long long)passes);
    mistakes_length(m, q[0], m->other.point.norm[0], *m->other.b);
    mpq_mul(q[0], q[0], m->reach[0]); /* B */
    mpz_mul(*below, *m->other.below, *m->other.below);
    hsv1_ratio(q[1], *m->lack, *below);
    mpq_set_ui(q[2], passes, 1);
    mpq_mul(q[1], q[1], q[2]); /* D^2 */
    mpq_set_ui(q[2], m->total, 1);
    mpq_mul(q[2], q[2], goal);
    mpq_mul(q[2], q[2], goal); /* k g^2 */
    mpq_sub(q[3], q[2], q[0]);
    mpq_sub(q[3], q[3], q[1]);
    mpq_mul(q[4], q[0], q[1]);
    mpq_set_ui(q[5], 4, 1);
    mpq_mul(q[4], q[4], q[5]); /* 4 B D^2 */
    mpq_mul(q[5], q[3], q[3]);
    if (mpq_sgn(q[3]) > 0 && mpq_cmp(q[5], q[4]) > 0)
        hsv1_reject(c, "%llu updates are more than the bound for data that is not separable",
                   (unsigned long long)m->total);
    hsv1_root_up(q[0], q[0]);
    hsv1_root_up(q[1], q[1]);
    mpq_add(q[0], q[0], q[1]);
    mpq_div(q[0], q[0], goal);
    mpq_mul(q[0], q[0], q[0]);
    hsv1_say(
        c,
        "mistakes: the perceptron's %llu updates in %llu passes are within ((R~ ||w*|| + D)/g)^2 "
        "= %s, the bound for data that need not be separable.",
        (unsigned long long)m->total, (unsigned long long)passes, hsv1_show(c, q[0], -1));
}

static void mistakes_perceptron(hsv1_checker *c, const hsv1_json *claim)
{
    mpq_t *q = hsv1_rationals(c, 9);
    mistakes_run m = {.work = hsv1_integers(c, 3),
                      .radius = hsv1_integers(c, 2),
                      .least = hsv1_integers(c, 2),
                      .lack = hsv1_integers(c, 1),
                      .goal = hsv1_integers(c, 1),
                      .rate = q,
                      .tau = q + 1,
                      .c2 = q + 2,
                      .turn = q + 3,
                      .reach = q + 4,
                      .soft2 = q + 8};
    const hsv1_json *functional = hsv1_find(claim, "functional_margin");
    hsv1_members(c, claim,
                "claim learner offset constant rate margin_target kernel updates total model "
                "converged separator functional_margin passes soft");
    mistakes_options(c, claim, &m);
    hsv1_scorer_read(c, claim, m.kernel, &m.other);
    if (functional) {
        hsv1_number(c, functional, "functional_margin", q[6]);
        if (mpq_sgn(q[6]) <= 0) hsv1_unreadable(c, "functional_margin must be above 0");
        hsv1_scorer_widen(c, &m.other, mpq_denref(q[6]));
        mpz_divexact(*m.goal, *m.other.below, mpq_denref(q[6]));
        mpz_mul(*m.goal, *m.goal, mpq_numref(q[6]));
    } else if (hsv1_find(claim, "passes") || mpq_sgn(*m.soft2)) {
        hsv1_unreadable(c, "passes and soft belong to a functional_margin");
    }
    if (mpq_sgn(*m.soft2) && hsv1_find(claim, "passes"))
        hsv1_unreadable(c, "the bound of a soft run is for any number of passes");
    hsv1_each_row(c, &c->data, mistakes_row, &m);
    mistakes_constant(c, claim, &m);
    if (!mpq_sgn(*m.c2) && mpq_sgn(*m.other.b)) hsv1_reject(c, "b must be 0 without an offset");
    hsv1_point_sum(c, &m.updates, m.kernel, &m.sum);
    for (size_t i = 0; i < m.updates.count; i++) {
        mpq_set_z(q[7], m.updates.value[i]);
        (m.updates.y[i] > 0 ? mpq_add : mpq_sub)(*m.turn, *m.turn, q[7]);
    }
    mistakes_growth(c, &m);
    const hsv1_json *model = hsv1_find(claim, "model");
    if (model) mistakes_model(c, model, &m);
    if (hsv1_find(claim, "converged") && hsv1_get_flag(c, claim, "converged")) {
        mistakes_converged(c, &m);
        hsv1_say(c, "mistakes: the run had converged.");
    }
    hsv1_point_norm(c, &m.other.point);
    if (mpq_sgn(*m.soft2))
        mistakes_soft(c, &m, q[6]);
    else if (functional)
        mistakes_inseparable(c, claim, &m, q[6]);
    else
        mistakes_bound(c, &m);
}

void hsv1_claim_mistakes(hsv1_checker *c, const hsv1_json *claim)
{
    static hsv1_claim *const learners[] = {mistakes_perceptron, hsv1_claim_winnow, hsv1_claim_experts};
    learners[hsv1_get_choice(c, claim, "learner", "perceptron winnow experts")](c, claim);
}
