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
#include "base/decimal.h"
#include "base/error.h"
#include "base/memory.h"
#include "learn/option_helpers.h"
#include "learn/erm/evidence.h"
#include "learn/learner.h"
#include "learn/lp/lp.h"
#include "learn/training_error.h"
#include "learn/build_model.h"
#include "learn/prepare.h"
#include "learn/shared_options.h"
#include "learn/row_weights.h"
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

typedef struct lp_work {
    hsp_context *ctx;
    const hsp_options *options;
    hsp_data *given;
    hsp__prepared prepared;
    hsp__watch watch;
    hsp_training run;
    char hash[HSP__HASH_TEXT];
    int soft, balanced;
    uint32_t scorers;
    double *class_weight;    /* classes */
    double *w;               /* scorers * d */
    double *b;               /* scorers */
    double *a;               /* n */
    double *weight;          /* n: of the rows, with that of their class */
    unsigned char *supports; /* n: 1, some problem gave it a dual weight */
} lp_work;

/* ---- One problem of two classes -------------------------------------------------------------- */

/* What was not what one might hope for, in words. */
static void lp_log_outcome(const lp_work *work, uint32_t positive, hsp_stop stop)
{
    const hsp__names *names = &work->prepared.data->class_names;
    const char *left = hsp__names_get(names, positive);
    const char *right = work->scorers > 1 ? "the rest" : hsp__names_get(names, 0);
    if (stop == HSP_STOP_INSEPARABLE && work->scorers > 1)
        hsp__log(work->ctx, HSP_LOG_NOTE, "no separator of '%.80s' from the rest was found", left);
    if (stop == HSP_STOP_PASSES && !work->soft)
        hsp__log(work->ctx, HSP_LOG_WARNING,
                 "whether a hyperplane separates '%.80s' from '%.80s' is not known: the classes "
                 "are closer than double precision can resolve",
                 left, right);
    if (stop == HSP_STOP_PASSES && work->soft)
        hsp__log(
            work->ctx, HSP_LOG_WARNING,
            "the linear program for '%.80s' and '%.80s' was solved less precisely than required",
            left, right);
}

/* The weights of rows and classes, once for all problems. */
static hsp_status lp_weigh(lp_work *work, hsp_error *err)
{
    const hsp_view *view = work->prepared.view;
    const double *own = work->prepared.weight;
    hsp_status status =
        hsp__row_weights_classes(work->ctx, work->options, &work->prepared.data->class_names, err,
                                 work->class_weight, &work->balanced);
    for (uint64_t i = 0; !status && i < view->rows; i++)
        work->weight[i] = (own ? own[i] : 1) * work->class_weight[view->labels[i]];
    return status;
}

/* The two costs of a problem: 1, or with balanced such that both sides weigh the same. */
static void lp_cost(const lp_work *work, hsp__problem *p)
{
    double total[2] = {0, 0};
    for (uint64_t i = 0; i < p->view->rows; i++)
        total[hsp__problem_positive(p, i)] += work->weight[i];
    for (int side = 0; side < 2; side++)
        p->cost[side] =
            work->balanced && total[side] > 0 ? (total[0] + total[1]) / (2 * total[side]) : 1;
}

/* Objective, margin and support vectors of problem s. */
static void lp_count(lp_work *work, const hsp__problem *p, uint32_t s, const hsp__lp_answer *answer)
{
    hsp_convergence *optimum = &work->run.optimum;
    const hsp_view *view = p->view;
    const double norm = sqrt(hsp__vec()->sqnorm_f64(answer->w, (size_t)view->cols));
    double least = HUGE_VAL;
    work->run.stop = hsp__stop_of(work->run.stop, answer->stop == HSP_STOP_PASSES
                                                      ? HSP_STOP_STALLED /* there is no limit */
                                                      : answer->stop);
    work->run.passes += answer->rounds;
    work->run.updates += answer->steps;
    optimum->objective += answer->primal;
    optimum->dual_objective += answer->dual_value;
    optimum->scaled_objective += answer->primal;
    optimum->scaled_dual_objective += answer->dual_value;
    optimum->inverse_norm = fmin(optimum->inverse_norm, 1 / norm);
    for (uint64_t i = 0; i < view->rows; i++)
        least = fmin(least, hsp__problem_y(p, i) * hsp__row_score(view, i, answer->w, answer->b));
    if (norm > 0 && !(least / norm >= optimum->margin)) {
        optimum->margin = least / norm;
        if (work->scorers > 1) optimum->margin_class = s;
    }
    for (uint64_t i = 0; work->soft && i < view->rows; i++) {
        if (!(answer->a[i] > 0)) continue;
        optimum->support_sum++;
        optimum->support_vectors += !work->supports[i];
        work->supports[i] = 1;
    }
}

static hsp_status lp_evidence(lp_work *work, const hsp__problem *p, hsp_error *err)
{
    uint64_t *origin = NULL;
    hsp_status status =
        hsp__prepare_origin(work->ctx, work->given, work->options, &work->prepared, err, &origin);
    if (!status)
        status = hsp__evidence_new(work->ctx, p, &work->prepared.data->class_names, work->a, origin,
                                   err, &work->run.evidence);
    hsp__free(&work->ctx->allocator, origin);
    return status;
}

static hsp_status lp_solve(lp_work *work, uint32_t s, hsp_error *err)
{
    hsp__problem p = {.view = work->prepared.view,
                      .positive = work->scorers == 1 ? 1 : s,
                      .row_weight = work->weight,
                      .loss = &hsp__hinge,
                      .offset = hsp__option_is(work->options, "offset", "none") ? HSP__OFFSET_NONE
                                                                                : HSP__OFFSET_FREE};
    lp_cost(work, &p);
    hsp__lp_answer answer = {.w = work->w + s * p.view->cols, .a = work->a};
    hsp_status status = work->soft ? hsp__lp_soften(work->ctx, &p, &work->watch, 1, err, &answer)
                                   : hsp__lp_separate(work->ctx, &p, &work->watch, 1, err, &answer);
    if (status) return status;
    work->b[s] = answer.b;
    lp_count(work, &p, s, &answer);
    lp_log_outcome(work, p.positive, answer.stop);
    return answer.stop == HSP_STOP_INSEPARABLE ? lp_evidence(work, &p, err) : HSP_OK;
}

static hsp_status lp_solve_all(lp_work *work, hsp_error *err)
{
    const double start = hsp__clock(), limit = hsp_options_real(work->options, "max-seconds");
    hsp_status status = HSP_OK;
    hsp__stop_limit(work->ctx, limit);
    uint32_t done = 0;
    while (!status && done < work->scorers) {
        if (work->run.stop > HSP_STOP_PASSES) break; /* told to stop, or not separable */
        status = lp_solve(work, done++, err);
    }
    work->run.train_seconds = hsp__clock() - start;
    hsp_convergence *optimum = &work->run.optimum;
    const double apart = optimum->objective - optimum->dual_objective;
    optimum->gap = isnan(apart) ? (double)NAN : apart > 0 ? apart / optimum->objective : 0;
    const int cut = work->run.stop == HSP_STOP_INSEPARABLE || done < work->scorers;
    if (cut || (!work->soft && work->run.stop != HSP_STOP_CONVERGED))
        optimum->objective = optimum->dual_objective = optimum->scaled_objective =
            optimum->scaled_dual_objective = optimum->gap = optimum->margin =
                optimum->inverse_norm = (double)NAN;
    return status;
}

/* ---- From data to model ---------------------------------------------------------------------- */

static hsp_status lp_prepare(lp_work *work, hsp_error *err)
{
    const hsp_allocator *memory = &work->ctx->allocator;
    hsp_status status = hsp__prepare(work->ctx, work->given, work->options, err, &work->prepared);
    if (!status) status = hsp__view_hash(work->ctx, &work->given->view, err, work->hash);
    if (status) return status;
    const hsp_view *view = work->prepared.view;
    const double nan = (double)NAN;
    work->soft = hsp_options_flag(work->options, "soft");
    work->scorers = view->classes == 2 ? 1 : view->classes;
    work->run = (hsp_training){.rows = view->rows,
                               .cols = view->cols,
                               .nonzeros = work->prepared.data->nonzeros,
                               .classes = view->classes,
                               .stop = HSP_STOP_CONVERGED,
                               .training_error = nan,
                               .progressive_error = nan,
                               .radius = nan,
                               .optimum = {.solver = "clp",
                                           .lambda = nan,
                                           .C = nan,
                                           .margin = nan,
                                           .margin_class = UINT32_MAX,
                                           .margin_other = UINT32_MAX,
                                           .inverse_norm = HUGE_VAL,
                                           .stationarity = nan,
                                           .primal_feasibility = nan,
                                           .dual_feasibility = nan,
                                           .complementarity = nan}};
    work->w = hsp__new(memory, work->scorers * view->cols, sizeof *work->w);
    work->b = hsp__new(memory, work->scorers, sizeof *work->b);
    work->a = hsp__new(memory, view->rows, sizeof *work->a);
    work->weight = hsp__new(memory, view->rows, sizeof *work->weight);
    work->class_weight = hsp__new(memory, view->classes, sizeof *work->class_weight);
    work->supports = hsp__new(memory, view->rows, sizeof *work->supports);
    if (!work->w || !work->b || !work->a || !work->weight || !work->class_weight || !work->supports)
        return hsp__fail_memory(err);
    return lp_weigh(work, err);
}

static hsp_status lp_measure(lp_work *work, hsp_model *model, hsp_error *err)
{
    hsp__stop brief;
    hsp_context last = hsp__stop_brief(&brief, work->ctx);
    uint64_t wrong = 0;
    const hsp_status status =
        hsp__training_error_linear(&last, model, work->prepared.view, err, &wrong);
    return hsp__training_error_report(status, wrong, model, err, &work->run);
}

/* Whoever asked the run to stop wants its model: from here on nobody is asked. */
static hsp_status lp_model(lp_work *work, hsp_error *err, hsp_model **out)
{
    hsp__prepared *prepared = &work->prepared;
    hsp_context unasked = hsp__stop_none(work->ctx);
    hsp__model_spec outcome =
        hsp__model_spec_of(&hsp__learn_lp, work->options, &work->prepared, work->hash, &work->run);
    outcome.tie = hsp__option_tie(work->options);
    const uint64_t d = prepared->view->cols;
    hsp_model *model = NULL;
    hsp_status status = hsp__build_model_begin(&unasked, &outcome, work->scorers, d, err, &model);
    if (status) return status;
    memcpy(model->weights, work->w, work->scorers * d * sizeof *work->w);
    memcpy(model->offsets, work->b, work->scorers * sizeof *work->b);
    status = hsp__build_model_end(&outcome, model, err);
    if (!status) status = lp_measure(work, model, err);
    if (status)
        hsp_model_free(model);
    else
        *out = model;
    return status;
}

static void lp_free(lp_work *work)
{
    const hsp_allocator *memory = &work->ctx->allocator;
    hsp__prepared_free(&work->prepared);
    hsp__free(memory, work->w);
    hsp__free(memory, work->b);
    hsp__free(memory, work->a);
    hsp__free(memory, work->weight);
    hsp__free(memory, work->class_weight);
    hsp__free(memory, work->supports);
}

static hsp_status lp_train(hsp_context *ctx, hsp_data *data, const hsp_options *options,
                           const hsp_model *start, hsp_error *err, hsp_training *run,
                           hsp_model **out)
{
    (void)start; /* a program has no use for it */
    lp_work work = {.ctx = ctx, .options = options, .given = data, .watch = {.ctx = ctx}};
    hsp_model *model = NULL;
    if (hsp_options_list_count(options, "weight") && !hsp_options_flag(options, "soft"))
        return hsp__fail_at(err, HSP_USAGE, "--weight", 0, 0,
                            "class weights have no effect without --soft (no errors are allowed); "
                            "remove them, or use --soft");
    hsp_status status = hsp__clp_ready(err);
    if (!status) status = lp_prepare(&work, err);
    if (!status) status = lp_solve_all(&work, err);
    if (!status && work.run.stop != HSP_STOP_INSEPARABLE) status = lp_model(&work, err, &model);
    lp_free(&work);
    if (status || !run) {
        hsp_evidence_free(work.run.evidence);
        work.run.evidence = NULL;
    }
    if (status) return status;
    if (run) *run = work.run;
    *out = model;
    return HSP_OK;
}

const hsp__learner hsp__learn_lp = {
    .table = {"lp", "a separator by linear programming, or the evidence that there is none",
              lp_options, sizeof lp_options / sizeof *lp_options},
    .hypothesis = "linear",
    .train = lp_train};
