/* Linear programming: some separator when there is one, the reason when there is none.
 *
 * Problem. Rows x_i in R^d with labels y_i in {-1, +1}: find w, b with y_i (<w, x_i> + b) > 0 for
 * all i. With soft: the least sum c_i max(0, 1 - y_i (<w, x_i> + b)), whether a separator exists or
 * not.
 *
 * Method. Programs for COIN-OR CLP, refined in long double: lp_separate.c and lp_point.c;
 * and below for the least slack.
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
#include <limits.h>

#include "base/base.h"
#include "learn/erm/gap.h"
#include "learn/erm/matvec.h"
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
        return hsp__fail_option(err, "--weight",
                                "class weights have no effect without --soft (no errors are "
                                "allowed); remove them, or use --soft");
    return hsp__clp_ready(err);
}

/* ---- The least slack --------------------------------------------------------------------------- */

/* The least total slack.
 *
 *     minimise  sum c_i xi_i    with    y_i (<w, x_i> + b) >= 1 - xi_i,    xi_i >= 0
 *
 * A separator has none; where there is none, the dual is solved, which has one row per column of the
 * data and one variable a row:
 *
 *     maximise  sum a_i         with    0 <= a_i <= c_i,   sum a y x = 0,   offset free: sum a y =
 * 0
 *
 * whose prices are -w and -b. Duality makes the answer checkable: the slack of (w, b) is computed
 * from the rows, and for weights no larger than |w_j| no slack is below sum a - sum_j |u_j w_j|,
 * where u = sum a y x is what rounding left. They must agree to one part in a million.
 *
 * There is no penalty, so that w need not be unique, and a single row may pull it far.
 * [K. Bennett, O. Mangasarian, Robust linear programming discrimination of two linearly inseparable
 * sets, Optimization Methods and Software 1, 1992; there the classes have equal weight.] */

#define LP_SOFTEN_STEPS 2000
#define LP_SOFTEN_GAP   1e-6
#define LP_SOFTEN_TICK  256 /* rows between two ticks */

typedef struct lp_soften_state {
    hsp_context *ctx;
    const hsp__problem *p;
    hsp__scratch scratch;
    int *exponents; /* d */
    double *scores; /* n */
    double *u;      /* d */
    hsp__clp *lp;
} lp_soften_state;

/* The dual program, column after column. */
static hsp_status lp_soften_load(lp_soften_state *t, hsp_error *err)
{
    const hsp__problem *p = t->p;
    const uint64_t n = p->view->rows, d = p->view->cols, entries = hsp_view_stored(p->view) + n;
    hsp__scratch *scratch = &t->scratch;
    double *lower = hsp__scratch_new(scratch, n, sizeof *lower);
    double *upper = hsp__scratch_raw(scratch, n, sizeof *upper);
    double *cost = hsp__scratch_raw(scratch, n, sizeof *cost);
    int *starts = hsp__scratch_raw(scratch, n + 1, sizeof *starts);
    int *rows = hsp__scratch_raw(scratch, entries, sizeof *rows);
    double *values = hsp__scratch_raw(scratch, entries, sizeof *values);
    double *zeros = hsp__scratch_new(scratch, d + 1, sizeof *zeros);
    int *none = hsp__scratch_new(scratch, d + 2, sizeof *none), at = 0;
    if (scratch->failed) return hsp__fail_memory(err);
    HSP__TRY(hsp__clp_new(t->ctx, 0, NULL, NULL, NULL, err, &t->lp));
    for (uint64_t i = 0; i < n; i++) {
        if (i % LP_SOFTEN_TICK == 0 && hsp__tick(t->ctx)) return hsp__stop_status(t->ctx, err);
        const hsp__row row = hsp__view_row(p->view, i);
        const double y = hsp__problem_y(p, i);
        starts[i] = at;
        upper[i] = hsp__problem_cost(p, i);
        cost[i] = -1;
        for (uint64_t k = 0; upper[i] > 0 && k < row.count; k++) {
            const uint64_t j = hsp__row_column(&row, k);
            const double x = hsp__row_value(p->view, &row, k);
            if (x == 0) continue;
            rows[at] = (int)j;
            values[at++] = y * ldexp(x, -t->exponents[j]);
        }
        if (p->offset == HSP__OFFSET_NONE) continue;
        rows[at] = (int)d;
        values[at++] = y;
    }
    starts[n] = at;
    hsp__clp_add_rows(t->lp, (int)d + 1, zeros, zeros, none, none, zeros);
    hsp__clp_add_columns(t->lp, (int)n, lower, upper, cost, starts, rows, values);
    return hsp__stop_status(t->ctx, err);
}

/* Both values from the rows themselves. */
static hsp_status lp_soften_values(lp_soften_state *t, hsp_error *err, hsp__lp_answer *answer)
{
    const uint64_t n = t->p->view->rows, d = t->p->view->cols;
    hsp__gap_balance(t->ctx, t->p, answer->a);
    hsp__matvec_scores(t->ctx, t->p->view, answer->w, 0, t->scores);
    HSP__TRY(hsp__gap_offset(t->ctx, t->p, t->scores, err, &answer->b));
    answer->primal = answer->dual_value = 0;
    for (uint64_t i = 0; i < n; i++) {
        const double y = hsp__problem_y(t->p, i), m = y * (t->scores[i] + answer->b);
        answer->primal += hsp__problem_cost(t->p, i) * hsp__hinge_value(m, 1 - m);
        answer->dual_value += answer->a[i];
        t->scores[i] = y * answer->a[i];
    }
    HSP__TRY(hsp__matvec_combine(t->ctx, t->p->view, t->scores, err, t->u));
    for (uint64_t j = 0; j < d; j++)
        answer->dual_value -= fabs(t->u[j] * answer->w[j]);
    if (answer->dual_value < 0) answer->dual_value = 0; /* no slack is below 0 */
    return HSP_OK;
}

static hsp_status lp_soften_solve(lp_soften_state *t, hsp__watch *watch, int report, hsp_error *err,
                                  hsp__lp_answer *answer)
{
    const uint64_t n = t->p->view->rows, d = t->p->view->cols;
    hsp__clp_outcome outcome = HSP__CLP_LIMIT;
    int steps = LP_SOFTEN_STEPS, stopped = 0;
    hsp__lp_exponents(t->ctx, t->p, t->exponents);
    HSP__TRY(lp_soften_load(t, err));
    answer->rounds++;
    while (outcome == HSP__CLP_LIMIT && !stopped) {
        outcome = hsp__clp_solve(t->lp, 1, steps, &answer->steps);
        stopped = hsp__watch_gap(watch, report, "linear programs", answer->rounds, (double)NAN,
                                 (double)NAN, &answer->stop);
        if (steps < INT_MAX / 4) steps *= 2;
    }
    const double *values = hsp__clp_values(t->lp), *prices = hsp__clp_prices(t->lp);
    memcpy(answer->a, values, n * sizeof *values);
    for (uint64_t j = 0; j < d; j++)
        answer->w[j] = ldexp(-prices[j], -t->exponents[j]);
    answer->b = t->p->offset == HSP__OFFSET_NONE ? 0 : -prices[d];
    if (stopped) return HSP_CANCELLED;
    HSP__TRY(lp_soften_values(t, err, answer));
    answer->stop = answer->primal - answer->dual_value <= LP_SOFTEN_GAP * answer->primal
                       ? HSP_STOP_CONVERGED
                       : HSP_STOP_PASSES;
    return HSP_OK;
}

static hsp_status lp_soften(hsp_context *ctx, const hsp__problem *p, hsp__watch *watch, int report,
                            hsp_error *err, hsp__lp_answer *answer)
{
    const uint64_t n = p->view->rows, d = p->view->cols;
    lp_soften_state t = {.ctx = ctx, .p = p, .scratch.memory = &ctx->allocator};
    HSP__TRY(hsp__lp_separate(ctx, p, watch, report, err, answer));
    if (hsp_view_stored(p->view) + n > INT_MAX / 2 || d > INT_MAX / 4)
        return hsp__fail(err, HSP_BAD_DATA, "too many entries for a linear program");
    t.exponents = hsp__scratch_raw(&t.scratch, d, sizeof *t.exponents);
    t.scores = hsp__scratch_raw(&t.scratch, n, sizeof *t.scores);
    t.u = hsp__scratch_raw(&t.scratch, d, sizeof *t.u);
    int done = 0;
    hsp_status status = t.scratch.failed ? hsp__fail_memory(err) : HSP_OK;
    if (!status && hsp__stopped(ctx)) { /* what the weights so far are worth, and no bound yet */
        memset(answer->a, 0, n * sizeof *answer->a);
        status = HSP_CANCELLED;
    }
    if (!status && answer->stop == HSP_STOP_CONVERGED) {
        /* a separator whose margins are all 1 at least has no slack */
        hsp__matvec_scores(ctx, p->view, answer->w, answer->b, t.scores);
        done = !hsp__stopped(ctx);
        for (uint64_t i = 0; done && i < n; i++)
            done = !(hsp__problem_cost(p, i) > 0) || hsp__problem_y(p, i) * t.scores[i] >= 1;
        answer->primal = answer->dual_value = 0;
    }
    if (!status && !done) status = lp_soften_solve(&t, watch, report, err, answer);
    if (status == HSP_CANCELLED) { /* what the weights are worth, if there is time to see */
        hsp__stop brief;
        hsp_context last = hsp__stop_grace(&brief, ctx);
        hsp__watch_stopped(ctx, &answer->stop);
        t.ctx = &last;
        status = lp_soften_values(&t, err, answer);
    }
    if (status == HSP_CANCELLED) {
        answer->primal = (double)NAN;
        answer->dual_value = 0;
        status = HSP_OK;
    }
    hsp__clp_free(t.lp);
    hsp__scratch_free(&t.scratch);
    return status;
}

/* ---- The learner ------------------------------------------------------------------------------ */

/* Explain an outcome that is not what one might hope for. */
static void lp_log_outcome(const hsp__train *train, const hsp__task *task)
{
    const hsp__names *names = &train->prepared.data->class_names;
    const uint32_t positive = task->row_numbers ? task->pair[1] : task->problem.positive;
    const int rest = train->count > 1 && !task->row_numbers;
    const char *left = hsp__names_get(names, positive);
    const char *right =
        rest ? "the rest" : hsp__names_get(names, task->row_numbers ? task->pair[0] : 0);
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
                      : lp_soften(ctx, &p, &train->watch, report, err, &answer);
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
    /* margin and support vectors */
    const double nan = (double)NAN;
    const double norm = sqrt(hsp__vec()->sqnorm_f64(answer.w, (size_t)p.view->cols));
    double least = HUGE_VAL;
    for (uint64_t i = 0; i < n; i++)
        least = fmin(least, hsp__problem_y(&p, i) * hsp__row_score(p.view, i, answer.w, answer.b));
    task->kkt = (hsp__kkt){.stationarity = nan,
                           .primal = nan,
                           .dual = nan,
                           .complementarity = nan,
                           .margin = norm > 0 ? least / norm : nan,
                           .inverse_norm = 1 / norm};
    for (uint64_t i = 0; !hard && i < n; i++)
        task->kkt.support += answer.a[i] > 0;
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
    .sequential = 1,
    .check = lp_check,
    .fit = lp_fit};
