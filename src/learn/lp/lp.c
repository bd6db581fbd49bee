/* Linear programming: some separator when there is one, the reason when there is none.
 *
 * Problem. Rows x_i in R^d with labels y_i in {-1, +1}: find w, b with y_i (<w, x_i> + b) > 0 for
 * all i. With soft: the least sum c_i max(0, 1 - y_i (<w, x_i> + b)), whether a separator exists or
 * not.
 *
 * Method. Programs for COIN-OR CLP, refined in long double: lp_separate.c and lp_point.c;
 * lp_soften.c for the least slack.
 *
 * Guarantee. "Separates": every row was checked, with a bound on the rounding of its score. "Not
 * separable": the run's evidence, a point common to both hulls of at most d + 2 rows, solved for in
 * long double. Where the classes are nearer to each other than the arithmetic resolves, the outcome
 * says so (stop passes), and nothing is claimed.
 *
 * Cost. A few linear programs over a growing part of the rows.
 *
 * Papers. O. Mangasarian, Linear and nonlinear separation of patterns by linear programming,
 * Operations Research 13 (1965). */
#include <math.h>
#include <string.h>

#include "base/context.h"
#include "base/error.h"
#include "base/memory.h"
#include "learn/option_helpers.h"
#include "learn/learner.h"
#include "learn/lp/lp.h"
#include "learn/shared_options.h"
#include "vec/vec.h"

static const hsp_option lp_options[] = {
    {"offset", HSP_OPTION_CHOICE, "free", 0, 0, "free|none", NULL,
     "offset b: free, or none: hyperplanes through the origin"},
    {"soft", HSP_OPTION_FLAG, NULL, 0, 0, NULL, NULL,
     "minimise the total slack, so that there is always a model"},
    {"weight", HSP_OPTION_LIST, NULL, 0, 0, NULL, "CLASS=W",
     "with --soft: factor on the slack of a class; balanced: as if all classes had the same size"},
    HSP__OPTION_ROW_WEIGHT,
    HSP__OPTION_MAX_SECONDS,
    HSP__OPTION_NORMALIZE,
    HSP__OPTION_SCALE,
    HSP__OPTION_TIE,
    {"multiclass", HSP_OPTION_CHOICE, "ovr", 0, 0, "ovr|ovo", NULL,
     "more than two classes: one-vs-rest, or one-vs-one"},
    HSP__OPTION_POSITIVE,
    HSP__OPTION_CLASSES,
};

/* For reports: it is not to be chosen by name. */
static const hsp__solver lp_solver = {.name = "clp", .summary = "linear programming"};

static hsp_status lp_check(const hsp_options *options, hsp__plan *plan, hsp_error *err)
{
    plan->hard = !hsp_options_flag(options, "soft");
    plan->offset = hsp__option_is(options, "offset", "none") ? HSP__OFFSET_NONE : HSP__OFFSET_FREE;
    plan->solver = lp_solver.name;
    plan->loss = &hsp__hinge;
    plan->C = plan->unscaled = 1;
    if (hsp_options_list_count(options, "weight") && plan->hard)
        return hsp__fail_at(err, HSP_USAGE, "--weight", 0, 0,
                            "class weights have no effect without --soft (no errors are allowed); "
                            "remove them, or use --soft");
    return hsp__clp_ready(err);
}

/* Explain an outcome that is not what one might hope for. */
static void lp_log_outcome(const hsp__train *train, const hsp__task *task)
{
    const hsp__names *names = &train->prepared.data->class_names;
    const uint32_t positive = task->list ? task->pair[1] : task->problem.positive;
    const int rest = train->count > 1 && !task->list;
    const char *left = hsp__names_get(names, positive);
    const char *right = rest ? "the rest" : hsp__names_get(names, task->list ? task->pair[0] : 0);
    const hsp_stop stop = task->solution.stop;
    if (stop == HSP_STOP_INSEPARABLE && rest)
        hsp__log(train->ctx, HSP_LOG_NOTE, "no separator of '%.80s' from the rest was found", left);
    if (stop == HSP_STOP_PASSES && train->plan.hard)
        hsp__log(train->ctx, HSP_LOG_WARNING,
                 "whether a hyperplane separates '%.80s' from '%.80s' is not known: the classes "
                 "are closer than double precision can resolve",
                 left, right);
    if (stop == HSP_STOP_PASSES && !train->plan.hard)
        hsp__log(
            train->ctx, HSP_LOG_WARNING,
            "the linear program for '%.80s' and '%.80s' was solved less precisely than required",
            left, right);
}

/* Margin and support vectors. */
static void lp_measure(const hsp__train *train, const hsp__lp_answer *answer, hsp__task *task)
{
    const double nan = (double)NAN;
    const hsp__problem *p = &task->problem;
    const hsp_view *view = p->view;
    const double norm = sqrt(hsp__vec()->sqnorm_f64(answer->w, (size_t)view->cols));
    double least = HUGE_VAL;
    for (uint64_t i = 0; i < view->rows; i++)
        least = fmin(least, hsp__problem_y(p, i) * hsp__row_score(view, i, answer->w, answer->b));
    task->kkt = (hsp__kkt){.stationarity = nan,
                           .primal = nan,
                           .dual = nan,
                           .complementarity = nan,
                           .margin = norm > 0 ? least / norm : nan,
                           .inverse_norm = 1 / norm};
    for (uint64_t i = 0; !train->plan.hard && i < view->rows; i++)
        task->kkt.support += answer->a[i] > 0;
}

static hsp_status lp_fit(hsp__train *train, hsp_context *ctx, hsp__task *task, int report,
                         hsp_error *err)
{
    hsp__solution *s = &task->solution;
    const uint64_t n = task->problem.view->rows;
    const int hard = train->plan.hard;
    hsp__problem p = task->problem;
    p.hard = 0; /* the programs say themselves what is demanded */
    hsp__lp_answer answer = {.w = s->w, .a = hsp__new(&ctx->allocator, n, sizeof *answer.a)};
    hsp_status status = answer.a ? HSP_OK : hsp__fail_memory(err);
    if (!status)
        status = hard ? hsp__lp_separate(ctx, &p, &train->watch, report, err, &answer)
                      : hsp__lp_soften(ctx, &p, &train->watch, report, err, &answer);
    if (status) {
        hsp__free(&ctx->allocator, answer.a);
        return status;
    }
    task->solver = &lp_solver;
    s->b = answer.b;
    s->stop = answer.stop;
    s->passes = answer.rounds;
    s->updates = answer.steps;
    s->primal = answer.primal;
    s->dual_value = answer.dual_value;
    lp_measure(train, &answer, task);
    if (hard && s->stop != HSP_STOP_CONVERGED) {
        task->gap_unknown = 1;
        s->primal = s->dual_value = (double)NAN;
    }
    if (!hard || s->stop == HSP_STOP_INSEPARABLE)
        s->dual = answer.a;
    else
        hsp__free(&ctx->allocator, answer.a);
    lp_log_outcome(train, task);
    return HSP_OK;
}

const hsp__learner hsp__learn_lp = {
    .table = {"lp", "a separator by linear programming, or the evidence that there is none",
              lp_options, sizeof lp_options / sizeof *lp_options},
    .hypothesis = "linear",
    .in_turn = 1,
    .check = lp_check,
    .fit = lp_fit};
