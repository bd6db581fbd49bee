/* Widest margins worked by hand: the answer of each is on paper, and why. */
#include <math.h>

#include "learn/margins.h"

static hsp_context *ctx;

typedef struct paper {
    margin_set set;
    const char *learner;
    const char *words[MARGIN_WORDS];
    double w[MARGIN_COLS], b;
    double a[MARGIN_ROWS]; /* dual weights; all zero: the paper does not say */
    double objective;      /* of the whole: P, or ||w||^2/2 when hard */
    double C;              /* P = C n J; 0: hard, P = J */
} paper;

/* Dense and sparse, both precisions: the paper's numbers, to the gap that was asked for. */
static void check_paper(const paper *p)
{
    const char *words[MARGIN_WORDS + 2] = {"gap=1e-10", "keep-dual=yes"};
    long double a[MARGIN_ROWS];
    double known = 0;
    memcpy(words + 2, p->words, sizeof p->words);
    for (int i = 0; i < p->set.n; i++)
        known += p->a[i];
    for (int way = 0; way < 4; way++) {
        margin_set s = p->set;
        s.sparse = way & 1, s.single = way >> 1;
        margin_run r = margin_train(ctx, &s, p->learner, words);
        CHECK_NOTE(r.status == HSP_OK && r.model, "%s", r.err.message);
        if (!r.model) continue;
        CHECK_NOTE(r.run.stop == HSP_STOP_CONVERGED, "%s at gap %g", hsp_stop_name(r.run.stop),
                   r.run.convergence.gap);
        for (int j = 0; j < s.d; j++)
            CHECK_NOTE(fabs(hsp_model_weights(r.model, 0)[j] - p->w[j]) <= 1e-4,
                       "w[%d] is %g, not %g", j, hsp_model_weights(r.model, 0)[j], p->w[j]);
        CHECK_NOTE(fabs(hsp_model_offset(r.model, 0) - p->b) <= 1e-4, "b is %g, not %g",
                   hsp_model_offset(r.model, 0), p->b);
        margin_dual(&s, r.model, 0, a);
        for (int i = 0; known > 0 && i < s.n; i++)
            CHECK_NOTE(fabsl(a[i] - p->a[i]) <= 1e-4L, "a[%d] is %Lg, not %g", i, a[i], p->a[i]);
        const double scale = p->C > 0 ? p->C * s.n : 1;
        CHECK_NOTE(fabs(r.run.convergence.objective * scale - p->objective) <= 1e-8 * p->objective,
                   "the objective is %.12g, not %.12g", r.run.convergence.objective * scale,
                   p->objective);
        margin_free(&r);
    }
}

/* ---- Two points ------------------------------------------------------------------------------ */

/* (0, 1) is negative, (1, 0) positive. The widest strip between two points is across the line that
 * joins them: w = (1, -1), b = 0, margin 1/sqrt 2, half their distance; w = a (1, 0) - a (0, 1), so
 * a = 1. */
static const margin_set axes = {.n = 2, .d = 2, .x = {{0, 1}, {1, 0}}, .label = {0, 1}};

static void two_points_hard(void)
{
    check_paper(&(paper){axes, "svm", {"hard=yes"}, {1, -1}, 0, {1, 1}, 1, 0});
}

/* No a needs more than 1, so that C = 1 and C = 100 change nothing. */
static void two_points_with_large_C(void)
{
    check_paper(&(paper){axes, "svm", {"C=1"}, {1, -1}, 0, {1, 1}, 1, 1});
    check_paper(&(paper){axes, "svm", {"C=100"}, {1, -1}, 0, {1, 1}, 1, 100});
}

/* C = 1/2 binds both: a = 1/2, w = (1/2, -1/2). The losses 1/2 - b and 1/2 + b add up to 1 for
 * every b in [-1/2, 1/2]; the middle is 0. P = 1/4 + 1/2. */
static void two_points_with_small_C(void)
{
    check_paper(&(paper){axes, "svm", {"C=0.5"}, {0.5, -0.5}, 0, {0.5, 0.5}, 0.75, 0.5});
}

/* -1 and 1 on a line, no offset, squared hinge: w^2/2 + 2C(1-w)^2 is least at w = 4C/(1+4C). C = 1:
 * w = 4/5, P = 8/25 + 2/25, a = 2C(1-w) = 2/5. */
static const margin_set line = {.n = 2, .d = 1, .x = {{-1}, {1}}, .label = {0, 1}};

static void two_points_squared(void)
{
    check_paper(&(paper){
        line, "svm", {"C=1", "loss=squared", "offset=none"}, {0.8}, 0, {0.4, 0.4}, 0.4, 1});
    check_paper(&(paper){line, "svm", {"C=1", "loss=squared"}, {0.8}, 0, {0.4, 0.4}, 0.4, 1});
}

/* Logistic: w = 2C / (1 + exp w). With w = 1, C = (1 + e)/2; a = w/2, P = 1/2 + 2C log(1 + 1/e). */
static void two_points_logistic(void)
{
    const double C = (1 + exp(1)) / 2;
    char cost[40];
    snprintf(cost, sizeof cost, "C=%.17g", C);
    check_paper(
        &(paper){line, "logistic", {cost}, {1}, 0, {0.5, 0.5}, 0.5 + 2 * C * log1p(exp(-1)), C});
}

/* 1 is positive, 3 negative, offset regularised: as if (1, 1) and (3, 1) and no offset. Hard would
 * be w = -1, b = 2: P = 5/2; a: w = a1 - 3 a2 = -1, b = a1 - a2 = 2, a = (7/2, 3/2). C = 10 does
 * not bind. */
static void two_points_with_offset_regularized(void)
{
    const margin_set s = {.n = 2, .d = 1, .x = {{1}, {3}}, .label = {1, 0}};
    check_paper(&(paper){s, "svm", {"C=10", "offset=regularized"}, {-1}, 2, {3.5, 1.5}, 2.5, 10});
}

/* ---- Three points ---------------------------------------------------------------------------- */

/* The origin is negative, (2, 0) and (0, 2) positive. The nearest point of the segment between them
 * is (1, 1): w = (1, 1), b = -1, margin 1/sqrt 2; a = 1 for the origin, 1/2 for the others. */
static void three_points_hard(void)
{
    const margin_set s = {.n = 3, .d = 2, .x = {{0, 0}, {2, 0}, {0, 2}}, .label = {0, 1, 1}};
    check_paper(&(paper){s, "svm", {"hard=yes"}, {1, 1}, -1, {1, 0.5, 0.5}, 1, 0});
    check_paper(&(paper){s, "svm", {"C=1"}, {1, 1}, -1, {1, 0.5, 0.5}, 1, 1});
}

/* 0 is negative, 2 and 5 positive: 5 lies behind 2 and has no say. w = 1, b = -1. */
static void three_points_on_a_line(void)
{
    const margin_set s = {.n = 3, .d = 1, .x = {{0}, {2}, {5}}, .label = {0, 1, 1}};
    check_paper(&(paper){s, "svm", {"hard=yes"}, {1}, -1, {0.5, 0.5, 0}, 0.5, 0});
}

/* 0 and 2 negative, 1 positive: no separator, and 1 is the middle of the other two. */
static void three_points_not_separable(void)
{
    const margin_set s = {.n = 3, .d = 1, .x = {{0}, {1}, {2}}, .label = {0, 1, 0}};
    static const char *const words[] = {"hard=yes", NULL};
    static const double multipliers[] = {0.5, 1, 0.5};
    margin_run r = margin_train(ctx, &s, "svm", words);
    CHECK(r.status == HSP_OK && !r.model && r.run.stop == HSP_STOP_INSEPARABLE);
    CHECK(r.run.evidence && r.run.evidence->count == 3);
    for (int i = 0; r.run.evidence && i < 3 && r.run.evidence->count == 3; i++)
        CHECK(fabs(r.run.evidence->multiplier[i] - multipliers[i]) <= 1e-9);
    margin_free(&r);
}

/* ---- Four points ----------------------------------------------------------------------------- */

/* The separator w = 1, b = 0 is the widest between -1 and 1. Four positive points before it: -1 is
 * on the wrong side by 1, loss 2; 3/2 is beyond the margin, loss 0; 1/4 is on the right side but
 * inside, loss 3/4; 0 is on the boundary, loss 1. Their mean is 15/16. */
static void four_points_and_the_hinge(void)
{
    static const char *const words[] = {"hard=yes", "gap=1e-12", NULL};
    static const double at[] = {-1, 1.5, 0.25, 0}, losses[] = {2, 0, 0.75, 1};
    double total = 0;
    margin_run r = margin_train(ctx, &line, "svm", words);
    CHECK_NOTE(r.status == HSP_OK && r.model, "%s", r.err.message);
    if (!r.model) return;
    for (int i = 0; i <= 4; i++) {
        margin_set s = {.n = 1, .d = 1, .x = {{i < 4 ? at[i] : 0}}, .label = {1}};
        if (i == 4)
            for (s.n = 0; s.n < 4; s.n++)
                s.x[s.n][0] = at[s.n], s.label[s.n] = 1;
        hsp_evaluation e = {.size = sizeof e};
        hsp_data *data = margin_data(ctx, &s);
        CHECK(hsp_evaluate(ctx, r.model, data, NULL, &e, NULL) == HSP_OK);
        CHECK_NOTE(fabs(e.hinge_loss - (i < 4 ? losses[i] : total / 4)) <= 1e-6, "point %d: %g",
                   i + 1, e.hinge_loss);
        if (i == 4) CHECK(e.beyond == 1 && e.within == 3);
        total += i < 4 ? losses[i] : 0;
        hsp_data_free(data);
    }
    margin_free(&r);
}

int main(void)
{
    if (!mkdtemp(margin_folder) || hsp_context_new(NULL, &ctx)) return 1;
    RUN(two_points_hard);
    RUN(two_points_with_large_C);
    RUN(two_points_with_small_C);
    RUN(two_points_squared);
    RUN(two_points_logistic);
    RUN(two_points_with_offset_regularized);
    RUN(three_points_hard);
    RUN(three_points_on_a_line);
    RUN(three_points_not_separable);
    RUN(four_points_and_the_hinge);
    hsp_context_free(ctx);
    rmdir(margin_folder);
    return check_done();
}
