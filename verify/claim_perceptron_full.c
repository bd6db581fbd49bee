/* Claim 3, the perceptron with all its options, which the core's does not have: kernels, orders,
 * offsets, ties, margins to reach, rows that are not separable. A run, replayed, makes as many
 * updates as certified, and no more than its theorem allows.
 *
 * All is about x~ = (x, c), w~ = (w, b / c): ||w~||^2 = ||w||^2 + b^2 / c^2, ||x~||^2 <= R^2 + c^2.
 * Only c^2 is needed, which is rational. w and b are kept divided by the rate. A soft run has a
 * coordinate of its own for each row, Delta there and 0 elsewhere. */
#include "full.h"

typedef struct hsv_perceptron {
    hsv_point w, other; /* the sum of y x over the updates, w = rate sum; the separator w*, b* */
    mpq_t *rate, *tau, *goal; /* goal = tau / rate */
    mpq_t *c2, *turn;         /* c^2 of the offset; sum of y over the updates: b = rate c^2 turn */
    mpq_t *radius2, *reach;   /* R^2, enclosed; R~^2 + 2 tau / rate, from below */
    mpq_t *least, *soft2,
        *q;  /* min y s*(x), enclosed; Delta^2 of a soft run, or 0; 3 to work with */
    int tie; /* a score of 0 is: 0 negative, 1 positive, 2 a mistake */
} hsv_perceptron;

static void replay_update(hsv_checker *c, hsv_run *run, const hsv_row *row)
{
    run->update(c, run, row);
    run->total++;
    if (++run->counts[row->number - 1] > run->most) run->most++;
    run->clean = 0;
}

/* In the order of the file, pass after pass, or by a sequence: the rows that were updated, one after
 * another, each of which has to be a mistake when it is its turn. */
void hsv_replay(hsv_checker *c, const hsv_json *claim, hsv_run *run)
{
    const int sequence = hsv_get_choice(c, claim, "order", "cyclic,sequence");
    if (hsv_find(claim, "passes")) run->passes = hsv_get_count(c, claim, "passes");
    if (sequence != (hsv_find(claim, "sequence") != NULL) || (!sequence && !run->passes))
        hsv_unreadable(c, "a run in the order \"cyclic\" has passes, \"sequence\" a sequence");
    run->counts = hsv_new(c, c->data.rows, sizeof *run->counts);
    const hsv_json *array = sequence ? hsv_get(c, claim, "sequence", HSV_ARRAY) : NULL;
    hsv_row *rows = array ? hsv_new(c, c->data.rows, sizeof *rows) : NULL; /* those named */
    for (const hsv_json *value = array ? array->child : NULL; value; value = value->next) {
        const size_t number = hsv_count(c, value, "sequence");
        if (!number || number > c->data.rows)
            hsv_reject(c, "row %zu is named, but there are %zu", number, c->data.rows);
        rows[number - 1].number = number;
    }
    for (const hsv_row *row; array && (row = hsv_next(c, &c->data));)
        if (rows[row->number - 1].number) hsv_row_copy(c, row, rows + row->number - 1);
    for (const hsv_json *value = array ? array->child : NULL; value; value = value->next) {
        const hsv_row *row = rows + hsv_count(c, value, "sequence") - 1;
        if (!run->wrong(c, run, row))
            hsv_reject(c, "update %zu is of row %zu, which was no mistake then", run->total + 1,
                       row->number);
        replay_update(c, run, row);
    }
    for (size_t pass = 0; !sequence && pass < run->passes && !run->clean; pass++) {
        run->clean = 1;
        for (const hsv_row *row; (row = hsv_next(c, &c->data));)
            if (run->wrong(c, run, row)) replay_update(c, run, row);
    }
    if (run->total != hsv_get_count(c, claim, "total"))
        hsv_reject(c, "the run makes %zu updates, not as many as certified", run->total);
    if (run->passes && run->most > run->passes)
        hsv_reject(c, "a row was updated %zu times in %zu passes", run->most, run->passes);
    if (!hsv_find(claim, "converged") || !hsv_get_flag(c, claim, "converged")) return;
    for (const hsv_row *row; !run->clean && (row = hsv_next(c, &c->data));)
        if (run->wrong(c, run, row))
            hsv_reject(c, "the run had not converged: row %zu would be updated", row->number);
    hsv_say(c, "mistakes: the run had converged: no row would be updated any more.");
}

/* Is y s(x) <= 0 in training? With a target tau: < tau. Without one, a tie may be no mistake. */
static int claim_perceptron_full_wrong(hsv_checker *c, hsv_run *run, const hsv_row *row)
{
    hsv_perceptron *p = run->state;
    mpq_t *q = p->q;
    mpq_mul(*p->w.b, *p->c2, *p->turn);
    hsv_point_margin(c, &p->w, row, q[0], q[1]);
    mpq_set_ui(q[2], run->counts[row->number - 1], 1); /* the row's own coordinate */
    mpq_mul(q[2], q[2], *p->soft2);
    mpq_sub(q[2], *p->goal, q[2]);
    const int low = mpq_cmp(q[0], q[2]), high = mpq_cmp(q[1], q[2]);
    const int equal = !mpq_sgn(*p->goal) && (p->tie == 2 || p->tie == (row->y < 0));
    if (high < 0 || (high == 0 && equal)) return 1;
    if (low < 0 || (low == 0 && equal))
        hsv_reject(c, "whether row %zu is a mistake cannot be decided", row->number);
    return 0;
}

static void claim_perceptron_full_update(hsv_checker *c, hsv_run *run, const hsv_row *row)
{
    hsv_perceptron *p = run->state;
    mpq_set_ui(p->q[0], 1, 1);
    hsv_point_add(c, &p->w, row, mpq_numref(p->q[0]));
    (row->y > 0 ? mpq_add : mpq_sub)(*p->turn, *p->turn, p->q[0]);
}

/* c^2 and R~^2 + 2 tau / rate, which has Delta^2 of a soft run in it, from below. */
static void claim_perceptron_full_constants(hsv_checker *c, const hsv_json *claim,
                                            hsv_perceptron *p)
{
    const int offset = hsv_get_choice(c, claim, "offset", "none,unit,append,r2");
    mpq_set_ui(*p->rate, 1, 1);
    mpq_set_ui(*p->c2, offset == 1, 1);
    hsv_get_number(c, claim, "rate", *p->rate);
    hsv_get_number(c, claim, "margin_target", *p->tau);
    if (mpq_sgn(*p->rate) <= 0 || mpq_sgn(*p->tau) < 0)
        hsv_unreadable(c, "rate must be above 0, margin_target not below");
    p->tie = 2;
    if (hsv_find(claim, "tie"))
        p->tie = hsv_get_choice(c, claim, "tie", "negative,positive,mistake");
    if (hsv_get_number(c, claim, "constant", *p->c2) != (offset == 2))
        hsv_unreadable(c, "a constant belongs to offset append, and to no other");
    if (offset == 2) mpq_mul(*p->c2, *p->c2, *p->c2);
    if (hsv_get_number(c, claim, "soft", *p->soft2) && mpq_sgn(*p->soft2) <= 0)
        hsv_unreadable(c, "soft must be above 0");
    mpq_mul(*p->soft2, *p->soft2, *p->soft2);
    for (const hsv_row *row; (row = hsv_next(c, &c->data));) {
        hsv_row_norm2(c, p->w.space, row, p->q[0], p->q[1]);
        for (int i = 0; i < 2; i++)
            if (mpq_cmp(p->q[i], p->radius2[i]) > 0) mpq_set(p->radius2[i], p->q[i]);
    }
    if (offset == 3 && !mpq_equal(p->radius2[0], p->radius2[1]))
        hsv_reject(c, "R^2 is not known exactly");
    if (offset == 3) mpq_set(*p->c2, p->radius2[0]);
    if (offset && !mpq_sgn(*p->c2)) hsv_reject(c, "the offset's constant is 0");
    mpq_div(*p->goal, *p->tau, *p->rate);
    mpq_add(*p->reach, *p->goal, *p->goal);
    mpq_add(*p->reach, *p->reach, p->radius2[0]);
    mpq_add(*p->reach, *p->reach, *p->c2);
    mpq_add(*p->reach, *p->reach, *p->soft2);
}

/* The number of a point's term i: a column, or a row. */
static size_t claim_perceptron_full_term(const hsv_point *p, size_t i)
{
    return i >= p->count ? SIZE_MAX : p->space ? p->rows[i].number : i + 1;
}

/* Is every number of the model within `within` of rate w, and its b of rate c^2 turn? */
static void claim_perceptron_full_model(hsv_checker *c, const hsv_json *model, hsv_perceptron *p)
{
    hsv_point m = {.space = p->w.space};
    mpq_t *q = p->q;
    size_t i = 0, k = 0;
    mpq_set_ui(q[0], 0, 1);
    hsv_members(c, model, p->w.space ? "rows,b,within" : "w,b,within");
    hsv_get_number(c, model, "within", q[0]);
    hsv_point_read(c, model, 1, &m);
    mpq_set(q[1], *m.b);
    mpq_mul(q[2], *p->c2, *p->turn);
    for (;;) {
        mpq_mul(q[2], q[2], *p->rate);
        mpq_sub(q[1], q[1], q[2]);
        mpq_abs(q[1], q[1]);
        if (mpq_cmp(q[1], q[0]) > 0) hsv_reject(c, "the run does not end with the model");
        const size_t own = claim_perceptron_full_term(&p->w, i),
                     given = claim_perceptron_full_term(&m, k);
        if (own == given && own == SIZE_MAX) break;
        mpq_set_ui(q[1], 0, 1);
        mpq_set_ui(q[2], 0, 1);
        if (given <= own) hsv_ratio(q[1], m.value[k++], *m.below);
        if (own <= given) hsv_ratio(q[2], p->w.value[i++], *p->w.below);
    }
    hsv_say_model(c, model);
}

/* ||w~*||^2, from below, into q[0]. */
static void claim_perceptron_full_length(hsv_checker *c, hsv_perceptron *p)
{
    hsv_point_norm2(c, &p->other, p->q[0], p->q[1]);
    mpq_mul(p->q[1], *p->other.b, *p->other.b);
    if (mpq_sgn(*p->c2)) mpq_div(p->q[1], p->q[1], *p->c2);
    mpq_add(p->q[0], p->q[0], p->q[1]);
}

/* Rows that need not be separable: with a margin g > 0 of the separator's scores and what each row
 * lacks of it, D^2 = sum of max(0, g - y s*(x))^2. */
static void claim_perceptron_full_inseparable(hsv_checker *c, const hsv_json *claim, hsv_run *run,
                                              hsv_perceptron *p)
{
    mpq_t *q = hsv_rationals(c, 7); /* k g^2, B, D^2, g; 3 to work with */
    const int soft = mpq_sgn(*p->soft2) > 0;
    if (!hsv_get_number(c, claim, "functional_margin", q[3]) || mpq_sgn(q[3]) <= 0)
        hsv_unreadable(c, "functional_margin must be there and above 0");
    if (!soft && !run->passes)
        hsv_unreadable(c, "the bound for rows that need not be separable needs passes");
    for (const hsv_row *row; (row = hsv_next(c, &c->data));) {
        hsv_point_margin(c, &p->other, row, p->q[0], p->q[1]);
        mpq_sub(p->q[0], q[3], p->q[1]);
        if (mpq_sgn(p->q[0]) <= 0) continue;
        mpq_mul(p->q[0], p->q[0], p->q[0]);
        mpq_add(q[2], q[2], p->q[0]);
    }
    claim_perceptron_full_length(c, p);
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
    /* k g^2 <= (sqrt(B) + sqrt(D^2))^2, B = (R~^2 + 2 tau / rate) ||w*||^2 */
    mpq_sub(q[5], q[0], q[1]);
    mpq_sub(q[5], q[5], q[2]);
    const int more = mpq_sgn(q[5]) > 0;
    mpq_mul(q[5], q[5], q[5]);
    mpq_mul(q[6], q[1], q[2]);
    mpq_mul_2exp(q[6], q[6], 2);
    if (more && mpq_cmp(q[5], q[6]) > 0)
        hsv_reject(c, "%zu updates are more than the bound", run->total);
    hsv_root_up(q[1], q[1]);
    hsv_root_up(q[2], q[2]);
    mpq_add(q[1], q[1], q[2]);
    mpq_div(q[1], q[1], q[3]);
    mpq_mul(q[1], q[1], q[1]);
    hsv_say_bound(c, run->total,
                  soft ? "(R~^2 + Delta^2 + 2 tau/rate) (||w*||^2 + D^2/Delta^2) / g^2"
                       : "((sqrt(R~^2 + 2 tau/rate) ||w~*|| + D) / g)^2, of rows that need not be "
                         "separable,",
                  q[1]);
}

/* k <= (R~^2 + 2 tau / rate) ||w~*||^2 / (min y s*)^2 */
static void claim_perceptron_full_bound(hsv_checker *c, const hsv_run *run, hsv_perceptron *p)
{
    mpq_t *q = p->q;
    for (const hsv_row *row; (row = hsv_next(c, &c->data));) {
        hsv_point_margin(c, &p->other, row, q[0], q[1]);
        for (int i = 0; i < 2; i++)
            if (row->number == 1 || mpq_cmp(q[i], p->least[i]) < 0) mpq_set(p->least[i], q[i]);
    }
    if (mpq_sgn(p->least[0]) <= 0) hsv_reject(c, "the separator does not separate the rows");
    claim_perceptron_full_length(c, p);
    mpq_mul(q[0], q[0], *p->reach);
    mpq_div(q[0], q[0], p->least[1]);
    mpq_div(q[0], q[0], p->least[1]);
    mpq_set_ui(q[1], run->total, 1);
    if (mpq_cmp(q[1], q[0]) > 0) hsv_reject(c, "%zu updates are more than the bound", run->total);
    hsv_say_bound(c, run->total, HSV_BOUND, q[0]);
}

void hsv_perceptron_claim(hsv_checker *c, const hsv_json *claim)
{
    mpq_t *q = hsv_rationals(c, 14);
    hsv_perceptron p = {.q = q, .rate = q + 3, .tau = q + 4, .goal = q + 5, .c2 = q + 6};
    p.soft2 = q + 7, p.turn = q + 8, p.reach = q + 9, p.radius2 = q + 10, p.least = q + 12;
    hsv_run run = {
        .wrong = claim_perceptron_full_wrong, .update = claim_perceptron_full_update, .state = &p};
    hsv_members(c, claim,
                "claim,learner,offset,constant,rate,margin_target,tie,kernel,order,passes,"
                "sequence,total,model,converged,separator,functional_margin,soft");
    p.w.space = p.other.space = hsv_get_space(c, claim);
    hsv_point_new(c, c->data.width, &p.w);
    if (!p.w.space) mpz_set(*p.w.below, *c->scale);
    claim_perceptron_full_constants(c, claim, &p);
    hsv_get_separator(c, claim, mpq_sgn(*p.c2) > 0, &p.other);
    hsv_replay(c, claim, &run);
    if (hsv_find(claim, "model"))
        claim_perceptron_full_model(c, hsv_get(c, claim, "model", HSV_OBJECT), &p);
    if (hsv_find(claim, "functional_margin") || hsv_find(claim, "soft"))
        claim_perceptron_full_inseparable(c, claim, &run, &p);
    else
        claim_perceptron_full_bound(c, &run, &p);
    hsv_say_run(c, claim, p.w.space);
}
