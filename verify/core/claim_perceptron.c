/* Claim 3, the perceptron: a run in the order of the file, replayed, makes as many updates as
 * certified, and no more than its theorem allows. (Other runs: verify/claim_perceptron_full.c.)
 *
 * With the offset "unit" all is about x~ = (x, 1), w~ = (w, b): R~^2 = R^2 + 1. w and b are kept
 * divided by the rate, which changes no sign. */
#include <string.h>

#include "core.h"

/* Rows with y s(x) <= 0 are mistakes, and added to w. */
static size_t perceptron_pass(hsv_checker *c, hsv_point *w, int unit, int update, mpq_t *q)
{
    size_t mistakes = 0;
    mpq_set_ui(q[2], 1, 1);
    for (const hsv_row *row; (row = hsv_next(c, &c->data));) {
        hsv_point_margin(c, w, row, q[0], q[1]);
        if (mpq_sgn(q[0]) > 0) continue;
        mistakes++;
        if (!update) continue;
        hsv_point_add(c, w, row, mpq_numref(q[2]));
        if (unit) (row->y > 0 ? mpq_add : mpq_sub)(*w->b, *w->b, q[2]);
    }
    return mistakes;
}

/* Is every number of the model within `within` of rate w, and its b of rate b? */
static void perceptron_model(hsv_checker *c, const hsv_json *model, const hsv_point *w,
                             const mpq_t rate)
{
    hsv_point m = {0};
    mpq_t *q = hsv_rationals(c, 3);
    hsv_members(c, model, "w,b,within");
    hsv_get_number(c, model, "within", q[0]);
    hsv_point_read(c, model, 1, &m);
    mpq_set(q[1], *m.b);
    mpq_set(q[2], *w->b);
    for (size_t j = 0;; j++) {
        mpq_mul(q[2], q[2], rate);
        mpq_sub(q[1], q[1], q[2]);
        mpq_abs(q[1], q[1]);
        if (mpq_cmp(q[1], q[0]) > 0) hsv_reject(c, "the run does not end with the model");
        if (j >= m.count && j >= w->count) break;
        mpq_set_ui(q[1], 0, 1);
        mpq_set_ui(q[2], 0, 1);
        if (j < m.count) hsv_ratio(q[1], m.value[j], *m.below);
        if (j < w->count) hsv_ratio(q[2], w->value[j], *w->below);
    }
    hsv_say_model(c, model);
}

void hsv_say_model(hsv_checker *c, const hsv_json *model)
{
    const hsv_json *within = hsv_find(model, "within");
    hsv_say(c, "mistakes: the run ends with the weights of the claim, each number within %.*s.",
            within ? (int)within->size : 1, within ? within->text : "0");
}

/* What run it was, in the words of its claim, which were all read before. */
void hsv_say_run(hsv_checker *c, const hsv_json *claim, const hsv_space *space)
{
    size_t room = 1;
    for (const hsv_json *v = claim->child; v; v = v->next)
        room += v->size + 32;
    char *text = hsv_new(c, room, 1), *to = text;
    for (const hsv_json *v = claim->child; v; v = v->next)
        if (v->size && strcmp(v->key, "claim") != 0 && strcmp(v->key, "note") != 0)
            to += sprintf(to, "%s%s%s %.*s", to > text ? ", " : "", v->key,
                          strcmp(v->key, "passes") != 0 ? "" : " at most", HSV_TEXT(v));
    hsv_say(c, "mistakes: that run%s has %s.", space ? space->name : "", text);
}

void hsv_say_bound(hsv_checker *c, size_t total, const char *is, const mpq_t bound)
{
    mpz_t *whole = hsv_integers(c, 1);
    mpz_fdiv_q(*whole, mpq_numref(bound), mpq_denref(bound));
    char *most = mpz_get_str(hsv_new(c, mpz_sizeinbase(*whole, 10) + 2, 1), 10, *whole);
    hsv_say(c, "mistakes: the perceptron's updates, replayed, number %zu; %s allows at most %s.",
            total, is, most);
}

/* k <= R~^2 ||w~*||^2 / (min y s*)^2 */
static void perceptron_bound(hsv_checker *c, hsv_point *other, int unit, size_t total)
{
    mpq_t *q = hsv_rationals(c, 4), *radius2 = q + 2, *least = q + 3;
    for (const hsv_row *row; (row = hsv_next(c, &c->data));) {
        hsv_squares(c, row->value, row->count, *c->scale, q[0], q[1]);
        if (mpq_cmp(q[0], *radius2) > 0) mpq_set(*radius2, q[0]);
        hsv_point_margin(c, other, row, q[0], q[1]);
        if (row->number == 1 || mpq_cmp(q[0], *least) < 0) mpq_set(*least, q[0]);
    }
    if (mpq_sgn(*least) <= 0) hsv_reject(c, "the separator does not separate the rows");
    hsv_point_norm2(c, other, q[0], q[1]);
    mpq_mul(q[1], *other->b, *other->b);
    mpq_add(q[0], q[0], q[1]);
    mpq_set_ui(q[1], (unsigned long)unit, 1);
    mpq_add(*radius2, *radius2, q[1]);
    mpq_mul(q[0], q[0], *radius2);
    mpq_div(q[0], q[0], *least);
    mpq_div(q[0], q[0], *least);
    mpq_set_ui(q[1], total, 1);
    if (mpq_cmp(q[1], q[0]) > 0) hsv_reject(c, "%zu updates are more than the bound", total);
    hsv_say_bound(c, total, HSV_BOUND, q[0]);
}

void hsv_claim_perceptron(hsv_checker *c, const hsv_json *claim)
{
    static const char members[] =
        "claim,learner,offset,rate,margin_target,order,passes,total,model,converged,separator";
    hsv_point w = {0}, other = {0};
    mpq_t *q = hsv_rationals(c, 5), *rate = q + 3, *tau = q + 4;
    size_t total = 0, mistakes = 1;
    const int offset = hsv_get_choice(c, claim, "offset", "none,unit,append,r2");
    const int order = hsv_get_choice(c, claim, "order", "cyclic,sequence");
    hsv_get_number(c, claim, "margin_target", *tau);
    if (offset > 1 || order || mpq_sgn(*tau) || hsv_stray(c, claim, members)) {
        if (!c->more) hsv_beyond(c, "this kind of run");
        c->more->perceptron(c, claim);
        return;
    }
    mpq_set_ui(*rate, 1, 1);
    hsv_get_number(c, claim, "rate", *rate);
    const size_t passes = hsv_get_count(c, claim, "passes");
    if (mpq_sgn(*rate) <= 0 || !passes) hsv_unreadable(c, "rate and passes must be above 0");
    hsv_get_separator(c, claim, offset, &other);
    hsv_point_new(c, c->data.width, &w);
    mpz_set(*w.below, *c->scale);
    for (size_t pass = 0; pass < passes && mistakes; pass++)
        total += mistakes = perceptron_pass(c, &w, offset, 1, q);
    if (total != hsv_get_count(c, claim, "total"))
        hsv_reject(c, "the run makes %zu updates, not as many as certified", total);
    if (hsv_find(claim, "converged") && hsv_get_flag(c, claim, "converged")) {
        if (mistakes && perceptron_pass(c, &w, offset, 0, q))
            hsv_reject(c, "the run had not converged: rows would be updated");
        hsv_say(c, "mistakes: the run had converged: no row would be updated any more.");
    }
    if (hsv_find(claim, "model"))
        perceptron_model(c, hsv_get(c, claim, "model", HSV_OBJECT), &w, *rate);
    perceptron_bound(c, &other, offset, total);
    hsv_say_run(c, claim, NULL);
}
