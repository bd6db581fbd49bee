/* Perceptron runs worked by hand. Each problem has the data, why the answer is what it is, and the
 * run, one update per line:
 *
 *     {pass, example, score before, {w after}, b after}
 *
 * s = <w, x> + b; an example is wrong when y s <= 0 (s > 0 says the positive class, which is the
 * second in the order of docs/labels.md); the update is w += y x, b += y * (what the option
 * `offset` says). */
#include <math.h>

#include "problem.h"

/* ---- Two points ------------------------------------------------------------------------------ */

/* a = (1, 0) is positive, c = (0, 1) negative. Both have length 1, and (1, -1)/sqrt 2 separates
 * them by 1/sqrt 2, the most that is possible. So at most 1/(1/2) = 2 updates: the run needs
 * exactly 2, and the bound is met with equality. */
#define AXES "+1 1:1\n-1 2:1\n"

static void two_points_without_offset(void)
{
    static const update run[] = {
        {1, 1, 0, {1, 0}, 0},  /* a: the zero separator is wrong on everything */
        {1, 2, 0, {1, -1}, 0}, /* c: still on the boundary, which is a mistake */
    };                         /* pass 2: a scores 1, c scores -1 */
    problem_check(&(problem){.name = "axes.svm",
                             .text = AXES,
                             .options = {"offset=none"},
                             UPDATES(run),
                             .passes = 2,
                             .stop = HSP_STOP_CONVERGED});
}

/* The same two with a rate of 1/2: everything is half as large, nothing else differs. */
static void two_points_at_half_the_rate(void)
{
    outcome o;
    hsp_error err = {0};
    const char *const words[] = {"offset=none", "rate=0.5", NULL}, *const how[] = {NULL};
    CHECK(problem_run("axes.svm", AXES, how, 1, words, 0, &err, &o) == HSP_OK);
    CHECK(o.run.updates == 2 && o.run.passes == 2 && o.run.stop == HSP_STOP_CONVERGED);
    CHECK(hsp_model_weights(o.model, 0)[0] == 0.5 && hsp_model_weights(o.model, 0)[1] == -0.5);
    outcome_free(&o);
}

/* A margin target of 3/2: an update whenever y s < 3/2. Every pass adds a and takes c away, and the
 * scores are 1, 2, ... after passes 1, 2: two passes of updates and one without. Relative to R = 1,
 * "1.5r" is the same target. */
static void two_points_with_a_margin_target(void)
{
    static const update run[] = {
        {1, 1, 0, {1, 0}, 0},
        {1, 2, 0, {1, -1}, 0},
        {2, 1, 1, {2, -1}, 0},  /* a is right, but 1 < 3/2 */
        {2, 2, -1, {2, -2}, 0}, /* c too */
    };                          /* pass 3: 2 and -2 */
    problem p = {.name = "axes.svm",
                 .text = AXES,
                 .options = {"offset=none", "margin-target=1.5"},
                 UPDATES(run),
                 .passes = 3,
                 .stop = HSP_STOP_CONVERGED};
    problem_check(&p);
    p.options[1] = "margin-target=1.5r";
    problem_check(&p);
}

/* p = (3, 4) is positive, q = (1, 1) negative: both in one direction from the origin, so an offset
 * makes life easier. R = |p| = 5. */
#define FAR "+1 1:3 2:4\n-1 1:1 2:1\n"

static void two_points_with_offset_unit(void)
{
    static const update run[] = {
        {1, 1, 0, {3, 4}, 1},
        {1, 2, 8, {2, 3}, 0},  /* q: 3 + 4 + 1 */
        {2, 2, 5, {1, 2}, -1}, /* p: 6 + 12 is right; q: 2 + 3 + 0 */
        {3, 2, 2, {0, 1}, -2}, /* p: 3 + 8 - 1 = 10; q: 1 + 2 - 1 */
    };                         /* pass 4: p: 4 - 2 = 2, q: 1 - 2 = -1 */
    problem p = {.name = "far.svm",
                 .text = FAR,
                 .options = {"offset=unit"},
                 UPDATES(run),
                 .passes = 4,
                 .stop = HSP_STOP_CONVERGED};
    problem_check(&p);
    p.options[0] = "offset=append"; /* a coordinate that is always 1: b is its weight */
    problem_check(&p);
}

/* The appended coordinate is 2: its weight moves by 2 y, so b = 2 * weight moves by 4 y. */
static void two_points_with_2_appended(void)
{
    static const update run[] = {
        {1, 1, 0, {3, 4}, 4},
        {1, 2, 11, {2, 3}, 0}, /* q: 3 + 4 + 4 */
        {2, 2, 5, {1, 2}, -4}, /* p: 18; q: 2 + 3 */
    };                         /* pass 3: p: 11 - 4 = 7, q: 3 - 4 = -1 */
    problem_check(&(problem){.name = "far.svm",
                             .text = FAR,
                             .options = {"offset=append", "constant=2"},
                             UPDATES(run),
                             .passes = 3,
                             .stop = HSP_STOP_CONVERGED});
}

/* b += y R^2 = 25 y. */
static void two_points_with_offset_r2(void)
{
    static const update run[] = {
        {1, 1, 0, {3, 4}, 25},   {1, 2, 32, {2, 3}, 0}, /* q: 3 + 4 + 25 */
        {2, 2, 5, {1, 2}, -25},                         /* p: 18; q: 5 */
        {3, 1, -14, {4, 6}, 0},                         /* p: 3 + 8 - 25 */
        {3, 2, 10, {3, 5}, -25},                        /* q: 4 + 6 */
    }; /* pass 4: p: 9 + 20 - 25 = 4, q: 8 - 25 = -17 */
    problem_check(&(problem){.name = "far.svm",
                             .text = FAR,
                             .options = {"offset=r2"},
                             UPDATES(run),
                             .passes = 4,
                             .stop = HSP_STOP_CONVERGED});
}

/* ---- Averages and votes ---------------------------------------------------------------------- */

/* The two axes once more. The separators after each of the 4 examples are (1, 0), (1, -1), (1, -1),
 * (1, -1); their mean is (1, -3/4). */
static void two_points_averaged(void)
{
    outcome o;
    hsp_error err = {0};
    const char *const words[] = {"offset=none", "average=average", NULL}, *const how[] = {NULL};
    CHECK(problem_run("axes.svm", AXES, how, 1, words, 0, &err, &o) == HSP_OK);
    CHECK(o.run.updates == 2 && o.run.passes == 2);
    CHECK(hsp_model_weights(o.model, 0)[0] == 1 && hsp_model_weights(o.model, 0)[1] == -0.75);
    CHECK(hsp_model_offset(o.model, 0) == 0);
    outcome_free(&o);
}

/* The class of one point in the plane, 0 or 1. */
static uint32_t class_of(const outcome *o, double x1, double x2)
{
    const double point[] = {x1, x2};
    double score = 0;
    uint32_t class_index = HSP_NO_CLASS;
    hsp_view view = hsp_view_dense(HSP_FLOAT64, 1, 2, 2, point);
    CHECK(hsp_model_score(o->ctx, o->model, &view, NULL, &score, &class_index) == HSP_OK);
    return class_index;
}

/* (1, 0) has one vote, (1, -1) three. On (-10, -11) they say -10 and 1: the vote is 3 to 1 for the
 * positive class. The mean (1, -3/4) says -10 + 33/4 < 0 there: a vote is not an average. On (3, 8)
 * they say 3 and -5: 3 to 1 for the negative class. */
static void two_points_vote(void)
{
    hsp_error err = {0};
    outcome vote, mean;
    const char *const votes[] = {"offset=none", "average=vote", NULL}, *const how[] = {NULL};
    const char *const means[] = {"offset=none", "average=average", NULL};
    CHECK(problem_run("axes.svm", AXES, how, 1, votes, 0, &err, &vote) == HSP_OK);
    CHECK(problem_run("axes.svm", AXES, how, 1, means, 0, &err, &mean) == HSP_OK);
    CHECK_TEXT(hsp_model_hypothesis(vote.model), "votes");
    CHECK(class_of(&vote, -10, -11) == 1 && class_of(&mean, -10, -11) == 0);
    CHECK(class_of(&vote, 3, 8) == 0 && class_of(&mean, 3, 8) == 0);
    outcome_free(&vote);
    outcome_free(&mean);
}

/* ---- Bounds ---------------------------------------------------------------------------------- */

/* The bound of a name in a model's audit, with the model itself as the reference; NaN: it does not
 * apply. */
static double bound_of(const char *text, const char *offset, const char *name, uint64_t updates)
{
    outcome o;
    hsp_error err = {0};
    hsp_mistake_bound *bounds = NULL;
    size_t count = 0;
    double bound = NAN;
    const char *const words[] = {offset, NULL}, *const how[] = {NULL};
    CHECK(problem_run("points.svm", text, how, 1, words, 0, &err, &o) == HSP_OK);
    hsp_status status = hsp_audit(o.ctx, o.model, o.data, o.model, &err, &bounds, &count);
    CHECK_NOTE(status == HSP_OK, "%s", err.message);
    for (size_t i = 0; status == HSP_OK && i < count; i++) {
        CHECK_NOTE(!bounds[i].applies || bounds[i].held, "%s: %s", name, bounds[i].name);
        if (strcmp(bounds[i].name, name) != 0 || !bounds[i].applies) continue;
        CHECK(bounds[i].observed == (double)updates);
        bound = bounds[i].bound;
    }
    hsp_mistake_bounds_free(bounds);
    outcome_free(&o);
    return bound;
}

/* The two axes: rows of length 1, w* = (1, -1), y s = 1 for both, |w*|^2 = 2. Both bounds are 2,
 * and the run makes 2 updates: the theorem cannot be improved.
 *
 * p and q with offset r2: w* = (3, 5), b* = -25, y s is 4 and 17. R = 5, so w~* = (3, 5, -5) with
 * |w~*|^2 = 59, and 2 R^2 |w~*|^2 / 4^2 = 50 * 59 / 16 = 184.375, for 5 updates. */
static void bounds_by_hand(void)
{
    CHECK(fabs(bound_of(AXES, "offset=none", "unit", 2) - 2) <= 1e-12);
    CHECK(fabs(bound_of(AXES, "offset=none", "radius", 2) - 2) <= 1e-12);
    CHECK(fabs(bound_of(FAR, "offset=r2", "offset", 5) - 184.375) <= 1e-12 * 184.375);
}

/* ---- Three points ---------------------------------------------------------------------------- */

/* a = (1, 3) is positive, c = (-1, 1) and d = (-2, 3) negative: the three orders that need no luck
 * take three ways to three separators. */
#define TRIANGLE "+1 1:1 2:3\n-1 1:-1 2:1\n-1 1:-2 2:3\n"

static void three_points_in_turn(void)
{
    static const update run[] = {
        {1, 1, 0, {1, 3}, 0},
        {1, 2, 2, {2, 2}, 0},  /* c: -1 + 3 */
        {1, 3, 2, {4, -1}, 0}, /* d: -4 + 6 */
    };                         /* pass 2: 4 - 3 = 1, -4 - 1 = -5, -8 - 3 = -11 */
    problem_check(&(problem){.name = "triangle.svm",
                             .text = TRIANGLE,
                             .options = {"offset=none", "order=cyclic"},
                             UPDATES(run),
                             .passes = 2,
                             .stop = HSP_STOP_CONVERGED});
}

static void three_points_first_mistake(void)
{
    static const update run[] = {
        {0, 1, 0, {1, 3}, 0},
        {0, 2, 2, {2, 2}, 0}, /* a: 10; c: -1 + 3 */
        {0, 2, 0, {3, 1}, 0}, /* a: 8; c: -2 + 2, on the boundary */
    };                        /* a: 6, c: -2, d: -3 */
    problem_check(&(problem){.name = "triangle.svm",
                             .text = TRIANGLE,
                             .options = {"offset=none", "order=first"},
                             UPDATES(run),
                             .stop = HSP_STOP_CONVERGED});
}

static void three_points_worst_mistake(void)
{
    static const update run[] = {
        {0, 1, 0, {1, 3}, 0}, /* y s = 0 for all: the first */
        {0, 3, 7, {3, 0}, 0}, /* y s is 10, -2, -7 */
    };                        /* 3, 3, 6 */
    problem_check(&(problem){.name = "triangle.svm",
                             .text = TRIANGLE,
                             .options = {"offset=none", "order=worst"},
                             UPDATES(run),
                             .stop = HSP_STOP_CONVERGED});
}

/* ---- Movies ---------------------------------------------------------------------------------- */

/* What somebody likes (1) and does not (0), by five questions answered yes or no. The taste behind
 * it: comedy and romance are good, length and subtitles bad. */
#define MOVIES                                      \
    "comedy,romance,action,long,subtitled,liked\n"  \
    "1,0,0,0,0,1\n" /* 1: a comedy */               \
    "0,0,1,1,0,0\n" /* 2: a long action film */     \
    "1,1,0,1,0,1\n" /* 3: a long romantic comedy */ \
    "0,1,0,1,1,0\n" /* 4: a long foreign romance */ \
    "0,1,1,0,0,1\n" /* 5: romance and action */     \
    "1,0,1,1,1,0\n" /* 6: everything but romance */ \
    "0,0,1,0,1,0\n" /* 7: foreign action */         \
    "0,1,0,0,0,1\n" /* 8: a romance */

static const update movies_run[] = {
    {1, 1, 0, {1, 0, 0, 0, 0}, 1},    {1, 2, 1, {1, 0, -1, -1, 0}, 0}, /* only b speaks: 1 */
    {1, 3, 0, {2, 1, -1, 0, 0}, 1},                                    /* 1 - 1 */
    {1, 4, 2, {2, 0, -1, -1, -1}, 0},                                  /* 1 + 0 + 0 + 1 */
    {1, 5, -1, {2, 1, 0, -1, -1}, 1},                                  /* 0 - 1 */
    {1, 6, 1, {1, 1, -1, -2, -2}, 0}, /* 2 + 0 - 1 - 1 + 1; then 7: -1 - 2, right; 8: 1, right */
    {2, 3, 0, {2, 2, -1, -1, -2}, 1}, /* 1: 1, right; 2: -3, right; 3: 1 + 1 - 2 */
    {2, 4, 0, {2, 1, -1, -2, -3}, 0}, /* 2 - 1 - 2 + 1 */
    {2, 5, 0, {2, 2, 0, -2, -3}, 1},  /* 1 - 1; then 6: 2 - 2 - 3 + 1 = -2; 7: -2; 8: 3 */
};                                    /* pass 3: 3, -1, 3, -2, 3, -2, -2, 3 */

static void movies(void)
{
    problem_check(&(problem){.name = "movies.csv",
                             .text = MOVIES,
                             .options = {"offset=unit"},
                             UPDATES(movies_run),
                             .passes = 3,
                             .stop = HSP_STOP_CONVERGED});
}

static double norm_of(const hsp_model *model)
{
    double sum = 0;
    for (uint64_t j = 0; j < hsp_model_features(model); j++)
        sum += hsp_model_weights(model, 0)[j] * hsp_model_weights(model, 0)[j];
    return sqrt(sum);
}

/* From the last line above: y s is 3, 1, 3, 2, 3, 2, 2, 3, so the functional margin is 1, one row
 * is on a margin boundary and seven are beyond; |w|^2 = 4 + 4 + 0 + 4 + 9 = 21, b = 1. */
static void movies_measured(void)
{
    outcome o;
    hsp_error err = {0};
    hsp_evaluation e = {.size = sizeof e};
    uint64_t confusion[4];
    const char *const words[] = {"offset=unit", NULL}, *const how[] = {NULL};
    CHECK(problem_run("movies.csv", MOVIES, how, 1, words, 0, &err, &o) == HSP_OK);
    CHECK(hsp_evaluate(o.ctx, o.model, o.data, &err, &e, confusion) == HSP_OK);
    CHECK(e.n == 8 && e.mistakes == 0 && e.ties == 0 && e.error == 0 && e.accuracy == 1);
    CHECK(confusion[0] == 4 && confusion[1] == 0 && confusion[2] == 0 && confusion[3] == 4);
    CHECK(e.functional_margin == 1 && e.hinge_loss == 0 && e.auc == 1);
    CHECK(e.on == 1 && e.beyond == 7 && e.within == 0);
    CHECK(fabs(e.geometric_margin - 1 / sqrt(21)) <= 1e-15);
    CHECK(fabs(e.origin_distance + 1 / sqrt(21)) <= 1e-15);
    CHECK(fabs(e.margin_distance - 1 / sqrt(21)) <= 1e-15);
    CHECK(fabs(norm_of(o.model) - sqrt(21)) <= 1e-15);
    CHECK_TEXT(hsp_model_feature_name(o.model, 4), "subtitled");
    CHECK_TEXT(hsp_model_class_name(o.model, 1), "1");
    outcome_free(&o);
}

/* Cut after two passes and averaged: the sums of the separators after each of the 16 examples. Of
 * the first weight: 1 1 2 2 2 1 1 1, 1 1 2 2 2 2 2 2 = 25; the others likewise:
 *     romance    0 0 1 0 1 1 1 1, 1 1 2 1 2 2 2 2 = 18
 *     action     0 -1 -1 -1 0 -1 -1 -1, -1 -1 -1 -1 0 0 0 0 = -10
 *     long       0 -1 0 -1 -1 -2 -2 -2, -2 -2 -1 -2 -2 -2 -2 -2 = -24
 *     subtitled  0 0 0 -1 -1 -2 -2 -2, -2 -2 -2 -3 -3 -3 -3 -3 = -29
 *     b          1 0 1 0 1 0 0 0, 0 0 1 0 1 1 1 1 = 8 */
static void movies_averaged(void)
{
    static const double sums[] = {25, 18, -10, -24, -29};
    outcome o;
    hsp_error err = {0};
    const char *const words[] = {"offset=unit", "passes=2", "average=average", NULL};
    const char *const how[] = {NULL};
    CHECK(problem_run("movies.csv", MOVIES, how, 1, words, 0, &err, &o) == HSP_OK);
    CHECK(o.run.updates == 9 && o.run.passes == 2 && o.run.stop == HSP_STOP_PASSES);
    for (int j = 0; j < 5; j++)
        CHECK(hsp_model_weights(o.model, 0)[j] == sums[j] / 16);
    CHECK(hsp_model_offset(o.model, 0) == 0.5);
    outcome_free(&o);
}

/* ---- Spam ------------------------------------------------------------------------------------ */

/* Which of five words a letter has. "free" alone says nothing: it is in two letters of spam and in
 * one that calls to a free lunch at a meeting. One pass of mistakes is enough. */
#define SPAM                                  \
    "free,winner,click,meeting,report,kind\n" \
    "1,1,0,0,0,spam\n"                        \
    "0,0,0,1,1,ham\n"                         \
    "1,0,0,1,0,ham\n"                         \
    "0,1,1,0,0,spam\n"                        \
    "1,0,1,0,1,spam\n"                        \
    "0,0,0,0,1,ham\n"

static void spam(void)
{
    static const update run[] = {
        {1, 1, 0, {1, 1, 0, 0, 0}, 1},    {1, 2, 1, {1, 1, 0, -1, -1}, 0},
        {1, 3, 0, {0, 1, 0, -2, -1}, -1}, /* 1 - 1 */
        {1, 4, 0, {0, 2, 1, -2, -1}, 0},  /* 1 + 0 - 1 */
        {1, 5, 0, {1, 2, 2, -2, 0}, 1},   /* 0 + 1 - 1 */
        {1, 6, 1, {1, 2, 2, -2, -1}, 0},  /* 0 + 1 */
    };                                    /* pass 2: 3, -3, -1, 4, 2, -1 */
    problem_check(&(problem){.name = "spam.csv",
                             .text = SPAM,
                             .options = {"offset=unit"},
                             UPDATES(run),
                             .passes = 2,
                             .stop = HSP_STOP_CONVERGED});
}

/* Without an offset the fourth letter is right at once, since "winner" was in the first. */
static void spam_without_offset(void)
{
    static const update run[] = {
        {1, 1, 0, {1, 1, 0, 0, 0}, 0},
        {1, 2, 0, {1, 1, 0, -1, -1}, 0},
        {1, 3, 0, {0, 1, 0, -2, -1}, 0},
        {1, 5, -1, {1, 1, 1, -2, 0}, 0}, /* 4: 1, right; 5: 0 + 0 - 1 */
        {1, 6, 0, {1, 1, 1, -2, -1}, 0},
    }; /* pass 2: 2, -3, -1, 2, 1, -1 */
    problem_check(&(problem){.name = "spam.csv",
                             .text = SPAM,
                             .options = {"offset=none"},
                             UPDATES(run),
                             .passes = 2,
                             .stop = HSP_STOP_CONVERGED});
}

/* ---- What has no separator ------------------------------------------------------------------- */

/* Exclusive or: the middle of the two positive points is the middle of the two negative ones, so no
 * line parts them. In this order every example of every pass is wrong, and the four updates of a
 * pass add up to nothing: the run is back where it began. */
#define XOR "-1\n+1 2:1\n+1 1:1\n-1 1:1 2:1\n"

static void exclusive_or_never_ends(void)
{
    static const update run[] = {
        {1, 1, 0, {0, 0}, -1}, /* (0, 0) has nothing to give but b */
        {1, 2, -1, {0, 1}, 0}, /* (0, 1) */
        {1, 3, 0, {1, 1}, 1},  /* (1, 0) */
        {1, 4, 3, {0, 0}, 0},  /* (1, 1): back at zero */
        {2, 1, 0, {0, 0}, -1}, {2, 2, -1, {0, 1}, 0}, {2, 3, 0, {1, 1}, 1}, {2, 4, 3, {0, 0}, 0},
        {3, 1, 0, {0, 0}, -1}, {3, 2, -1, {0, 1}, 0}, {3, 3, 0, {1, 1}, 1}, {3, 4, 3, {0, 0}, 0},
    };
    problem_check(&(problem){.name = "xor.svm",
                             .text = XOR,
                             .options = {"offset=unit", "passes=3"},
                             UPDATES(run),
                             .passes = 3,
                             .stop = HSP_STOP_PASSES,
                             .mistakes_last_pass = 4,
                             .training_error = 0.5}); /* all are ties, and ties are negative */
}

/* With "until done" the stated cap ends it, and the answer says that it did not converge. */
static void exclusive_or_stops_at_the_cap(void)
{
    outcome o;
    hsp_error err = {0};
    const char *const words[] = {"offset=unit", "passes=until-converged", "max-passes=50", NULL};
    const char *const how[] = {NULL};
    CHECK(problem_run("xor.svm", XOR, how, 1, words, 0, &err, &o) == HSP_OK);
    CHECK(o.run.stop == HSP_STOP_PASSES && o.run.passes == 50 && o.run.updates == 200);
    CHECK_TEXT(hsp_model_metadata(o.model, "converged"), "false");
    outcome_free(&o);
}

/* One row twice, with both labels. Each pass adds it and takes it away again. */
#define CONTRADICTION "+1 1:1\n-1 1:1\n"

static void opposite_labels_never_end(void)
{
    static const update run[] = {
        {1, 1, 0, {1}, 0}, {1, 2, 1, {0}, 0}, {2, 1, 0, {1}, 0},
        {2, 2, 1, {0}, 0}, {3, 1, 0, {1}, 0}, {3, 2, 1, {0}, 0},
    };
    problem_check(&(problem){.name = "contradiction.svm",
                             .text = CONTRADICTION,
                             .options = {"offset=none", "passes=3"},
                             UPDATES(run),
                             .passes = 3,
                             .stop = HSP_STOP_PASSES,
                             .mistakes_last_pass = 2,
                             .training_error = 0.5});
}

/* With soft 1 each row has a coordinate of its own, of value 1, and the training score is s + (sum
 * of its own updates): after one update each, the first scores 0 + 1, the second 0 - 1. The run is
 * done, though the separator that is kept has only ties to offer. */
static void opposite_labels_end_when_soft(void)
{
    outcome o;
    hsp_error err = {0};
    const char *const words[] = {"offset=none", "soft=1", NULL}, *const how[] = {NULL};
    CHECK(problem_run("contradiction.svm", CONTRADICTION, how, 1, words, 0, &err, &o) == HSP_OK);
    CHECK(o.run.stop == HSP_STOP_CONVERGED && o.run.passes == 2 && o.run.updates == 2);
    CHECK(hsp_model_weights(o.model, 0)[0] == 0 && hsp_model_offset(o.model, 0) == 0);
    CHECK(o.run.training_error == 0.5);
    outcome_free(&o);
}

/* On the boundary is not apart from it. w* = (0, 1) has the first two rows on its boundary and the
 * third below: right where ties are positive, and still no separator, as the first two add up to
 * nothing. The run swings about w* for ever: from w = (-1/2, 1) the first row is wrong by 1/2, from
 * (1/2, 1) the second, and the third is right with -5/4 or -3/4. */
static void on_the_boundary_never_ends(void)
{
    static const update run[] = {
        {1, 3, 0, {-0.5, 1}, 0},    {2, 1, -0.5, {0.5, 1}, 0},  {2, 2, -0.5, {-0.5, 1}, 0},
        {3, 1, -0.5, {0.5, 1}, 0},  {3, 2, -0.5, {-0.5, 1}, 0}, {4, 1, -0.5, {0.5, 1}, 0},
        {4, 2, -0.5, {-0.5, 1}, 0},
    };
    problem_check(&(problem){.name = "boundary.svm",
                             .text = "+1 1:1 2:0\n+1 1:-1 2:0\n-1 1:0.5 2:-1\n",
                             .options = {"offset=none", "tie=pos", "passes=4"},
                             UPDATES(run),
                             .passes = 4,
                             .stop = HSP_STOP_PASSES,
                             .mistakes_last_pass = 2,
                             .training_error = 1.0 / 3});
}

/* ---- A margin that is exponentially small ---------------------------------------------------- */

/* Row i is y (e_i - e_1 - ... - e_(i-1)): right when w_i is above the sum of the weights before it.
 * Weights are whole, so w_i >= 2^(i-1) in the end; and w_5 grows by 1 an update, by row 5 alone:
 * sixteen updates of that row at least, in any order. In turn there are (4^5 - 1)/3. */
#define STEEP               \
    "+1 1:1\n"              \
    "-1 1:1 2:-1\n"         \
    "+1 1:-1 2:-1 3:1\n"    \
    "-1 1:1 2:1 3:1 4:-1\n" \
    "+1 1:-1 2:-1 3:-1 4:-1 5:1\n"

static void steep_rows_take_exponentially_long(void)
{
    static const char *const orders[] = {"order=cyclic", "order=shuffle", "order=first",
                                         "order=worst", "order=random"};
    for (int i = 0; i < 5; i++) {
        outcome o;
        hsp_error err = {0};
        const char *const words[] = {"offset=none", "passes=until-converged", "max-passes=100000",
                                     orders[i], NULL};
        const char *const how[] = {NULL};
        CHECK(problem_run("steep.svm", STEEP, how, 1, words, 0, &err, &o) == HSP_OK);
        CHECK_NOTE(o.run.stop == HSP_STOP_CONVERGED, "%s", orders[i]);
        for (int j = 0; j < 5; j++)
            CHECK_NOTE(hsp_model_weights(o.model, 0)[j] >= 1 << j, "%s: w[%d]", orders[i], j);
        const hsp_row_coefficients said = hsp_model_row_coefficients(o.model);
        double last = 0;
        for (uint64_t k = 0; k < said.count; k++)
            if (said.row[k] == 4) last += said.amount[k];
        CHECK_NOTE(last >= 16 && last == hsp_model_weights(o.model, 0)[4], "%s: %g", orders[i],
                   last);
        if (i == 0) CHECK(o.run.updates == 341);
        outcome_free(&o);
    }
}

/* ---- A row of zeros -------------------------------------------------------------------------- */

/* z = 0 is positive, a = 1 negative. Without offset z always scores 0 and no update moves it. */
#define NOTHING "+1\n-1 1:1\n"

static void zero_row_without_offset(void)
{
    static const update run[] = {
        {1, 1, 0, {0}, 0},  /* z: a mistake that changes nothing */
        {1, 2, 0, {-1}, 0}, /* a */
        {2, 1, 0, {-1}, 0}, /* z, for ever */
        {3, 1, 0, {-1}, 0},
    };
    problem_check(&(problem){.name = "nothing.svm",
                             .text = NOTHING,
                             .options = {"offset=none", "passes=3"},
                             UPDATES(run),
                             .passes = 3,
                             .stop = HSP_STOP_PASSES,
                             .mistakes_last_pass = 1,
                             .training_error = 0.5});
}

/* Where a tie is positive, z is right from the start. */
static void zero_row_where_ties_are_positive(void)
{
    static const update run[] = {{1, 2, 0, {-1}, 0}};
    problem_check(&(problem){.name = "nothing.svm",
                             .text = NOTHING,
                             .options = {"offset=none", "tie=pos"},
                             UPDATES(run),
                             .passes = 2,
                             .stop = HSP_STOP_CONVERGED});
}

/* An offset can do what no weight can. */
static void zero_row_with_offset(void)
{
    static const update run[] = {
        {1, 1, 0, {0}, 1},  /* z */
        {1, 2, 1, {-1}, 0}, /* a: 0 + 1 */
        {2, 1, 0, {-1}, 1}, /* z: b is 0 again */
        {2, 2, 0, {-2}, 0}, /* a: -1 + 1 */
        {3, 1, 0, {-2}, 1}, /* z; a: -2 + 1, right */
    };                      /* pass 4: 1, -1 */
    problem_check(&(problem){.name = "nothing.svm",
                             .text = NOTHING,
                             .options = {"offset=unit"},
                             UPDATES(run),
                             .passes = 4,
                             .stop = HSP_STOP_CONVERGED});
}

/* ---- One class ------------------------------------------------------------------------------- */

static void one_class_only(void)
{
    outcome o;
    hsp_error err = {0};
    const char *const words[] = {"offset=unit", NULL}, *const how[] = {NULL};
    CHECK(problem_run("one.svm", "+1 1:1\n+1 1:2\n", how, 1, words, 0, &err, &o) == HSP_BAD_DATA);
    CHECK(o.model == NULL && strlen(err.message) > 0);
    outcome_free(&o);
}

/* ---- Ties ------------------------------------------------------------------------------------ */

/* The two axes again. Where a tie is positive, a = (1, 0) is right with score 0 and stays there:
 * the separator never hears of it. */
static void ties_are_positive(void)
{
    static const update run[] = {{1, 2, 0, {0, -1}, 0}}; /* pass 2: 0, which is right, and -1 */
    problem_check(&(problem){.name = "axes.svm",
                             .text = AXES,
                             .options = {"offset=none", "tie=pos"},
                             UPDATES(run),
                             .passes = 2,
                             .stop = HSP_STOP_CONVERGED});
}

/* "zero" learns as "neg" does: the boundary is wrong for both classes. */
static void ties_are_neither(void)
{
    static const update run[] = {{1, 1, 0, {1, 0}, 0}, {1, 2, 0, {1, -1}, 0}};
    problem_check(&(problem){.name = "axes.svm",
                             .text = AXES,
                             .options = {"offset=none", "tie=zero"},
                             UPDATES(run),
                             .passes = 2,
                             .stop = HSP_STOP_CONVERGED});
}

/* What (1, 1) is, on the boundary of (1, -1); and, where ties are positive, (1, 0) on that of
 * (0, -1). */
static void ties_in_prediction(void)
{
    static const struct {
        const char *tie;
        double x2;
        uint32_t class_index;
    } cases[] = {{"tie=neg", 1, 0}, {"tie=pos", 0, 1}, {"tie=zero", 1, HSP_NO_CLASS}};
    const char *const how[] = {NULL};
    for (int i = 0; i < 3; i++) {
        outcome o;
        hsp_error err = {0};
        const char *const words[] = {"offset=none", cases[i].tie, NULL};
        CHECK(problem_run("axes.svm", AXES, how, 1, words, 0, &err, &o) == HSP_OK);
        CHECK_NOTE(class_of(&o, 1, cases[i].x2) == cases[i].class_index, "%s", cases[i].tie);
        outcome_free(&o);
    }
}

/* ---- More than two classes ------------------------------------------------------------------- */

/* Three classes, each one axis of space. */
#define CORNER "1 1:1\n2 2:1\n3 3:1\n"

typedef struct three {
    double w[3][3];
    uint64_t updates;
} three;

static void corner_check(const char *multiclass, const char *tie, const three *want)
{
    outcome o;
    hsp_error err = {0};
    const char *const words[] = {"offset=none", multiclass, tie, NULL}, *const how[] = {NULL};
    hsp_status status = problem_run("corner.svm", CORNER, how, 2, words, 0, &err, &o);
    CHECK_NOTE(status == HSP_OK, "%s", err.message);
    if (status == HSP_OK) {
        CHECK(hsp_model_scorers(o.model) == 3);
        CHECK_NOTE(o.run.updates == want->updates, "%llu", (unsigned long long)o.run.updates);
        CHECK(o.run.passes == 2 && o.run.stop == HSP_STOP_CONVERGED && o.run.training_error == 0);
        for (uint32_t c = 0; c < 3; c++)
            for (int j = 0; j < 3; j++)
                CHECK_NOTE(hsp_model_weights(o.model, c)[j] == want->w[c][j], "%s %s: %g",
                           multiclass, tie, hsp_model_weights(o.model, c)[j]);
    }
    outcome_free(&o);
}

/* Native, ties go to the first class: row 1 is right at once. Row 2 is taken for class 1: class 2
 * gets it, class 1 loses it. Row 3 likewise. Pass 2: 0 0 0 (a tie, right), -1 1 0, -1 0 1. */
static void corner_native(void)
{
    corner_check("multiclass=native", "tie=neg", &(three){{{0, -1, -1}, {0, 1, 0}, {0, 0, 1}}, 2});
}

/* Native, a tie is a mistake: row 1 too has to be learned; the best other class is the first of
 * those with equal scores, class 2. Pass 2: 1 -1 0, -1 1 0, -1 0 1. */
static void corner_native_where_ties_are_neither(void)
{
    corner_check("multiclass=native", "tie=zero",
                 &(three){{{1, -1, -1}, {-1, 1, 0}, {0, 0, 1}}, 3});
}

/* One against the rest: each class runs alone and is wrong once on every row: 3 times 3 updates. */
static void corner_one_against_the_rest(void)
{
    corner_check("multiclass=ovr", "tie=neg", &(three){{{1, -1, -1}, {-1, 1, -1}, {-1, -1, 1}}, 9});
}

int main(void)
{
    RUN(two_points_without_offset);
    RUN(two_points_at_half_the_rate);
    RUN(two_points_with_a_margin_target);
    RUN(two_points_with_offset_unit);
    RUN(two_points_with_2_appended);
    RUN(two_points_with_offset_r2);
    RUN(two_points_averaged);
    RUN(two_points_vote);
    RUN(bounds_by_hand);
    RUN(three_points_in_turn);
    RUN(three_points_first_mistake);
    RUN(three_points_worst_mistake);
    RUN(movies);
    RUN(movies_measured);
    RUN(movies_averaged);
    RUN(spam);
    RUN(spam_without_offset);
    RUN(exclusive_or_never_ends);
    RUN(exclusive_or_stops_at_the_cap);
    RUN(opposite_labels_never_end);
    RUN(opposite_labels_end_when_soft);
    RUN(on_the_boundary_never_ends);
    RUN(steep_rows_take_exponentially_long);
    RUN(zero_row_without_offset);
    RUN(zero_row_where_ties_are_positive);
    RUN(zero_row_with_offset);
    RUN(one_class_only);
    RUN(ties_are_positive);
    RUN(ties_are_neither);
    RUN(ties_in_prediction);
    RUN(corner_native);
    RUN(corner_native_where_ties_are_neither);
    RUN(corner_one_against_the_rest);
    return check_done();
}
