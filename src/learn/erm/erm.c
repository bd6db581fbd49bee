#include "learn/erm/erm.h"

#include <math.h>
#include <string.h>

#include "base/context.h"
#include "base/error.h"
#include "base/memory.h"
#include "learn/multiclass/run_pool.h"
#include "learn/option_helpers.h"
#include "learn/erm/evidence.h"
#include "learn/erm/gap.h"
#include "learn/online/pegasos.h"
#include "learn/erm/matvec.h"
#include "learn/erm/solvers.h"
#include "learn/row_weights.h"
#include "vec/vec.h"

/* ---- Options --------------------------------------------------------------------------------- */

hsp_status hsp__erm_plan_read(const hsp_options *options, hsp__erm_plan *plan, hsp_error *err)
{
    if (hsp_options_is_set(options, "C") && hsp_options_is_set(options, "lambda"))
        return hsp__fail_at(
            err, HSP_USAGE, "--lambda", 0, 0,
            "C and lambda set the same thing, C = 1 / (lambda n); give only one of them");
    plan->lambda = hsp_options_is_set(options, "lambda") ? hsp_options_real(options, "lambda") : 0;
    plan->C = hsp_options_is_set(options, "C") ? hsp_options_real(options, "C")
              : plan->lambda > 0               ? 0
                                               : 1;
    plan->penalty = hsp__option_is(options, "penalty", "l1") ? HSP__PENALTY_L1 : HSP__PENALTY_L2;
    plan->offset = hsp__option_is(options, "offset", "free")          ? HSP__OFFSET_FREE
                   : hsp__option_is(options, "offset", "regularized") ? HSP__OFFSET_REGULARIZED
                                                                      : HSP__OFFSET_NONE;
    plan->tie = hsp__option_tie(options);
    plan->gap = hsp_options_real(options, "gap");
    plan->max_seconds = hsp_options_real(options, "max-seconds");
    plan->max_passes = (uint64_t)hsp_options_integer(options, "max-passes");
    plan->seed = (uint64_t)hsp_options_integer(options, "seed");
    plan->solver = hsp_options_text(options, "solver");
    plan->keep_dual = hsp_options_flag(options, "keep-dual");
    plan->in_order = hsp__option_is(options, "order", "cyclic");
    plan->last = hsp__option_is(options, "average", "none");
    return HSP_OK;
}

/* ---- Costs ----------------------------------------------------------------------------------- */

/* The rows' own weights, by class; classes of them. */
static void erm_totals(const hsp__erm *batch, double *totals)
{
    const hsp_view *view = batch->prepared.view;
    const double *weight = batch->prepared.weight;
    for (uint64_t i = 0; i < view->rows; i++)
        totals[view->labels[i]] += weight ? weight[i] : 1;
}

/* Where the rest is of several classes with weights of their own, each row gets its class's. */
static hsp_status erm_weigh_rows(hsp__erm *batch, const double *class_weight, hsp_error *err)
{
    const hsp_view *view = batch->prepared.view;
    const double *own = batch->prepared.weight;
    double *weight = hsp__new_raw(&batch->ctx->allocator, view->rows, sizeof *weight);
    if (!weight) return hsp__fail_memory(err);
    for (uint64_t i = 0; i < view->rows; i++)
        weight[i] = class_weight[view->labels[i]] * (own ? own[i] : 1);
    batch->row_weight = weight;
    return HSP_OK;
}

/* The two costs of every problem. `totals` and `class_weight` have one number a class. */
static void erm_cost(hsp__erm *batch, const double *totals, const double *class_weight,
                     int balanced)
{
    for (uint32_t c = 0; c < batch->count; c++) {
        hsp__erm_task *task = &batch->tasks[c];
        double *cost = task->problem.cost;
        const double with = totals[task->problem.positive], without = batch->total - with;
        cost[0] = cost[1] = batch->C;
        task->lambda = batch->plan->hard ? 1 : 1 / (batch->C * batch->total);
        if (batch->count == 1) {
            cost[0] *= class_weight[0];
            cost[1] *= class_weight[1];
        }
        task->alone = !(with > 0 && without > 0);
        if (batch->plan->at_once && batch->count > 1) {
            cost[1] *= class_weight[c];
            if (balanced && with > 0) cost[1] *= batch->total / (batch->count * with);
            continue;
        }
        if (!balanced || task->alone) continue;
        cost[0] *= batch->total / (2 * without);
        cost[1] *= batch->total / (2 * with);
    }
}

static hsp_status erm_costs(hsp__erm *batch, hsp_error *err)
{
    const hsp__erm_plan *plan = batch->plan;
    const uint32_t classes = batch->prepared.view->classes;
    int balanced;
    double *totals = hsp__new(&batch->ctx->allocator, classes, sizeof *totals);
    double *weight = hsp__new(&batch->ctx->allocator, classes, sizeof *weight);
    hsp_status status = totals && weight ? HSP_OK : hsp__fail_memory(err);
    if (!status)
        status = hsp__row_weights_classes(
            batch->ctx, batch->options, &batch->prepared.data->class_names, err, weight, &balanced);
    if (!status) {
        int uneven = 0;
        erm_totals(batch, totals);
        for (uint32_t c = 0; c < classes; c++) {
            batch->total += totals[c];
            uneven |= weight[c] != 1;
        }
        batch->C = plan->C > 0 ? plan->C : 1 / (plan->lambda * batch->total);
        if (plan->hard) batch->C = 1;
        batch->row_weight = batch->prepared.weight;
        if (uneven && batch->count > 1 && !plan->at_once && !plan->pairs)
            status = erm_weigh_rows(batch, weight, err);
    }
    if (!status && plan->pairs && batch->count > 1)
        status = hsp__erm_kernel_pairs(batch, totals, weight, balanced, err);
    else if (!status)
        erm_cost(batch, totals, weight, balanced);
    hsp__free(&batch->ctx->allocator, totals);
    hsp__free(&batch->ctx->allocator, weight);
    return status;
}

/* ---- One problem ----------------------------------------------------------------------------- */

/* Only one side has rows: an offset alone puts all of them there, at no cost but its own. */
void hsp__erm_alone(const hsp__erm *batch, hsp__erm_task *task)
{
    const double side = hsp__problem_positive(&task->problem, 0) ? 1 : -1;
    const double far = task->problem.loss->zero_from_one ? 1 : 30;
    task->solution.b = batch->plan->offset == HSP__OFFSET_NONE ? 0 : side * far;
    task->solution.stop = HSP_STOP_CONVERGED;
}

static hsp_status erm_evidence(hsp__erm *batch, hsp_context *ctx, hsp__erm_task *task,
                               hsp_error *err)
{
    uint64_t *origin = NULL;
    hsp_status status =
        hsp__prepare_origin(ctx, batch->given, batch->options, &batch->prepared, err, &origin);
    if (!status)
        status = hsp__evidence_new(ctx, &task->problem, &batch->prepared.data->class_names,
                                   task->solution.dual, origin, err, &task->evidence);
    hsp__free(&ctx->allocator, origin);
    return status;
}

/* A bound below 0 says nothing, for D(0) = 0. With E = sum e(a) and U = ||u||^2 the weights t a
 * have D(t a) >= t E - t^2 U / 2, which is best at t = E / U. */
static void erm_shorten(hsp_context *ctx, const hsp__problem *p, double *a, double *u,
                        hsp__gap_values *verdict)
{
    const double U = hsp__vec()->sqnorm_f64(u, (size_t)p->view->cols);
    const double E = verdict->dual + U / 2;
    const double t = E > 0 && U > 0 ? fmin(1, E / U) : 0;
    if (!(verdict->dual < 0) || p->penalty != HSP__PENALTY_L2) return;
    for (uint64_t i = 0; i < p->view->rows; i++)
        a[i] *= t;
    for (uint64_t j = 0; j < p->view->cols; j++)
        u[j] *= t;
    verdict->dual = fmax(0, hsp__gap_dual(ctx, p, a, u));
    verdict->gap = hsp__gap_relative(verdict->primal, verdict->dual);
}

hsp_status hsp__erm_unjudged(const hsp_context *ctx, hsp__erm_task *task)
{
    task->unjudged = 1;
    if (task->solution.stop == HSP_STOP_CONVERGED) hsp__watch_stopped(ctx, &task->solution.stop);
    task->solution.primal = task->solution.gap = (double)NAN;
    task->solution.dual_value = fmax(0, task->solution.dual_value);
    return HSP_OK;
}

/* What the solver hands back is judged once more, whatever it says itself, unless the last that it
 * did was to have this judged: then u, scores and the verdict are the judge's already. A run is
 * said to have converged when its proven gap is what was asked for, and only then. */
static hsp_status erm_judge(hsp__erm *batch, hsp_context *ctx, hsp__erm_task *task, double *u,
                            double *scores, hsp_error *err)
{
    hsp__solution *s = &task->solution;
    hsp__gap_values verdict = {s->primal, s->dual_value, s->gap, s->rounding};
    hsp_status status = HSP_OK;
    if (!s->judged || s->stop != HSP_STOP_CONVERGED)
        status = hsp__gap(ctx, &task->problem, s->w, s->b, s->dual, u, scores, err, &verdict);
    if (status == HSP_CANCELLED) return hsp__erm_unjudged(ctx, task);
    if (status) return status;
    erm_shorten(ctx, &task->problem, s->dual, u, &verdict);
    hsp__gap_kkt(ctx, &task->problem, s->w, s->b, s->dual, u, scores, &task->kkt);
    if (hsp__stopped(ctx)) return hsp__erm_unjudged(ctx, task);
    s->primal = verdict.primal;
    s->dual_value = verdict.dual;
    s->gap = verdict.gap;
    s->rounding = verdict.rounding;
    const int enough = s->gap <= batch->plan->gap;
    if (s->stop == HSP_STOP_CONVERGED && !enough) s->stop = HSP_STOP_PASSES;
    if (s->stop == HSP_STOP_PASSES && enough && !task->problem.hard) s->stop = HSP_STOP_CONVERGED;
    const hsp_view *view = task->problem.view;
    for (uint64_t i = 0; batch->supports && i < view->rows; i++)
        if (s->dual[i] > 0) atomic_store_explicit(&batch->supports[i], 1, memory_order_relaxed);
    for (uint64_t i = 0; batch->count == 1 && i < view->rows; i++) {
        const double score = scores[i] + s->b;
        const uint32_t said = score > 0   ? 1
                              : score < 0 ? 0
                                          : hsp__decide(&score, 1, batch->plan->tie);
        task->mistakes += said != view->labels[i];
    }
    return HSP_OK;
}

/* A last bit that a margin lacks of 1 costs c times as much here: w is made longer by a few. */
static void erm_stretch(const hsp__problem *p, hsp__solution *s)
{
    const double factor = 1 + 0x1p-49;
    for (uint64_t j = 0; j < p->view->cols; j++)
        s->w[j] *= factor;
    s->b *= factor;
}

/* Is what solves the problem without losses the answer to the one with them? Where no dual weight
 * is above its cost, both have the same objective, bound and gap. */
static int erm_hard_answers(const hsp__problem *p, const hsp__solution *s)
{
    if (s->stop != HSP_STOP_CONVERGED) return 0;
    for (uint64_t i = 0; i < p->view->rows; i++)
        if (!(s->dual[i] <= hsp__problem_cost(p, i))) return 0;
    return 1;
}

/* The best of what two solvers found. Are the weights the second's? */
static int erm_best_of(const hsp__problem *p, const hsp__solution *first, double goal,
                       hsp__solution *s)
{
    const int keep = hsp__gap_keep(first, s->primal, s->dual_value);
    if (!(keep & HSP__KEEP_PRIMAL)) {
        memcpy(s->w, first->w, p->view->cols * sizeof *s->w);
        s->b = first->b;
        s->primal = first->primal;
    }
    if (!(keep & HSP__KEEP_DUAL)) {
        memcpy(s->dual, first->dual, p->view->rows * sizeof *s->dual);
        s->dual_value = first->dual_value;
    }
    s->gap = hsp__gap_relative(s->primal, s->dual_value);
    if (s->gap <= goal) s->stop = HSP_STOP_CONVERGED;
    return keep & HSP__KEEP_PRIMAL;
}

/* As the first solver left it, but for a stop that concerns all of them. */
static void erm_restore(const hsp__problem *p, const hsp__solution *first, hsp__solution *s)
{
    memcpy(s->w, first->w, p->view->cols * sizeof *s->w);
    memcpy(s->dual, first->dual, p->view->rows * sizeof *s->dual);
    s->b = first->b;
    s->primal = first->primal;
    s->dual_value = first->dual_value;
    s->gap = first->gap;
    if (s->stop != HSP_STOP_SECONDS && s->stop != HSP_STOP_REQUEST) s->stop = first->stop;
}

/* Another solver goes on from where the first could not, or begins anew without losses (`hard`);
 * what it makes worse is not kept. */
static hsp_status erm_second(hsp_context *ctx, const hsp__solver *second, int hard,
                             hsp__erm_task *task, const hsp__goal *goal, hsp_error *err)
{
    hsp__solution *s = &task->solution, first = *s;
    hsp__problem p = task->problem;

    const uint64_t n = p.view->rows, d = p.view->cols;
    first.w = hsp__new_raw(&ctx->allocator, d, sizeof *first.w);
    first.dual = hsp__new_raw(&ctx->allocator, n, sizeof *first.dual);
    hsp_status status = first.w && first.dual ? HSP_OK : hsp__fail_memory(err);
    if (!status) {
        memcpy(first.w, s->w, d * sizeof *s->w);
        memcpy(first.dual, s->dual, n * sizeof *s->dual);
        p.hard |= hard;
        if (hard) memset(s->w, 0, d * sizeof *s->w);
        if (hard) memset(s->dual, 0, n * sizeof *s->dual);
        status = second->solve(ctx, &p, goal, err, s);
    }
    s->judged = 0; /* weights of both may come back, and of another problem */
    const int answers = !status && hard && erm_hard_answers(&task->problem, s);
    if (answers) erm_stretch(&p, s);
    if (!status && hard && !answers)
        erm_restore(&p, &first, s);
    else if (!status && (s->stop == HSP_STOP_INSEPARABLE || erm_best_of(&p, &first, goal->gap, s)))
        task->solver = second;
    s->passes += first.passes;
    s->updates += first.updates;
    hsp__free(&ctx->allocator, first.w);
    hsp__free(&ctx->allocator, first.dual);
    return status;
}

/* Can the solver get no further, though passes are left (in all: `most`, 0 is any number)? */
static int erm_stuck(const hsp__solution *s, uint64_t most, hsp__goal *goal)
{
    if (s->stop != HSP_STOP_PASSES || (most && s->passes >= most)) return 0;
    if (most) goal->max_passes = most - s->passes;
    return 1;
}

/* Left to choose, a solver that can get no further hands on to the other; and at a cost so high
 * that it is the trouble, the separator without losses may be the answer. */
static hsp_status erm_minimise(hsp__erm *batch, hsp_context *ctx, hsp__erm_task *task,
                               hsp__goal goal, hsp_error *err)
{
    hsp__solution *s = &task->solution;
    hsp__problem hard = task->problem;
    hard.hard = 1;
    const int hinge = !task->problem.hard && task->problem.loss->form == HSP__HINGE;
    const hsp__solver *second = hsp__solver_after(task->solver, &task->problem);
    const hsp__solver *third = hsp__solver_for("auto", &hard);
    const int choose = strcmp(batch->plan->solver, "auto") == 0;
    const uint64_t most = goal.max_passes;
    hsp_status status = task->solver->solve(ctx, &task->problem, &goal, err, s);
    if (!status && choose && hinge && third && erm_stuck(s, most, &goal))
        status = erm_second(ctx, third, 1, task, &goal, err);
    if (!status && choose && second && erm_stuck(s, most, &goal))
        status = erm_second(ctx, second, 0, task, &goal, err);
    return status;
}

/* P of t w with the best offset for it; a regularized one is part of w. */
static hsp_status erm_try(hsp_context *ctx, const hsp__problem *p, const hsp__solution *s, double t,
                          double *w, double *scores, hsp_error *err, double *b, double *primal)
{
    for (uint64_t j = 0; j < p->view->cols; j++)
        w[j] = t > 0 ? t * s->w[j] : 0;
    *b = t > 0 ? t * s->b : 0;
    hsp__matvec_scores(ctx, p->view, w, 0, scores);
    hsp_status status = hsp__gap_offset(ctx, p, scores, err, b);
    if (!status) *primal = hsp__gap_primal(ctx, p, w, *b, scores);
    return status ? status : hsp__stop_status(ctx, err);
}

/* Weights of 0 with the best offset for them cost nothing to find: nothing worse is handed back.
 * What is worse may be too long only, and is tried at a quarter of its length, and so on; P is
 * convex along it. `w` and `scores` are room for d and n numbers. */
static hsp_status erm_no_worse(hsp_context *ctx, const hsp__problem *p, double *w, double *scores,
                               hsp__solution *s, hsp_error *err)
{
    double b, primal, zero, zero_b, best, best_t = 0, best_b;
    if (p->hard || s->stop == HSP_STOP_CONVERGED || hsp__stopped(ctx)) return HSP_OK;
    hsp__matvec_scores(ctx, p->view, s->w, 0, scores);
    const double now = hsp__gap_primal(ctx, p, s->w, s->b, scores);
    hsp_status status = erm_try(ctx, p, s, 0, w, scores, err, &zero_b, &zero);
    if (status == HSP_CANCELLED) return HSP_OK;
    if (status || now <= zero) return status;
    best = zero, best_b = zero_b;
    for (int quarter = 1; quarter <= 100; quarter++) {
        const double t = ldexp(1, -2 * quarter);
        status = erm_try(ctx, p, s, t, w, scores, err, &b, &primal);
        if (status == HSP_CANCELLED) break;
        if (status) return status;
        if (best_t > 0 && !(primal < best)) break;
        if (primal < best) best = primal, best_t = t, best_b = b;
    }
    for (uint64_t j = 0; j < p->view->cols; j++)
        s->w[j] = best_t > 0 ? best_t * s->w[j] : 0;
    s->b = best_b;
    return HSP_OK;
}

/* Solve it, and judge what came of it. s->u and s->scores are room. */
static hsp_status erm_answer(hsp__erm *batch, hsp_context *ctx, uint32_t c, const hsp__goal *goal,
                             hsp_error *err)
{
    hsp__erm_task *task = &batch->tasks[c];
    hsp__solution *s = &task->solution;
    if (batch->start) hsp__erm_start(batch, c, s);
    hsp_status status = erm_minimise(batch, ctx, task, *goal, err);
    if (!status && task->problem.hard) status = hsp__erm_settle(ctx, &task->problem, goal, s, err);
    if (status) return status;
    if (s->stop == HSP_STOP_INSEPARABLE) return erm_evidence(batch, ctx, task, err);
    hsp__stop brief;
    hsp_context last = hsp__stop_brief(&brief, ctx);
    /* rows learnt from in their order make what a stream of them makes, however good that is */
    const int walk = task->solver == &hsp__solver_pegasos && batch->plan->in_order;
    if (!walk) status = erm_no_worse(&last, &task->problem, s->u, s->scores, s, err);
    return status ? status : erm_judge(batch, &last, task, s->u, s->scores, err);
}

static hsp_status erm_solve(hsp__erm *batch, hsp_context *ctx, uint32_t c, int report,
                            hsp_error *err)
{
    hsp__erm_task *task = &batch->tasks[c];
    hsp__solution *s = &task->solution;
    const hsp_view *view = task->problem.view;
    const hsp__goal goal = {.gap = batch->plan->gap,
                            .max_passes = batch->plan->max_passes,
                            .seed = batch->plan->seed,
                            .watch = &batch->watch,
                            .report = report,
                            .in_order = batch->plan->in_order,
                            .last = batch->plan->last};
    /* of several problems, those that were not begun in time are left out */
    if (batch->count > 1 && !task->alone && hsp__tick(ctx) && hsp__watch_stopped(ctx, &s->stop)) {
        task->solver = NULL;
        task->left_out = 1;
        return HSP_OK;
    }
    s->w = batch->weights + c * view->cols;
    s->dual = hsp__new(&ctx->allocator, view->rows, sizeof *s->dual);
    if (!s->dual) return hsp__fail_memory(err);
    if (task->alone) {
        hsp__erm_alone(batch, task);
        return HSP_OK;
    }
    s->u = hsp__new_raw(&ctx->allocator, view->cols, sizeof *s->u);
    s->scores = hsp__new_raw(&ctx->allocator, view->rows, sizeof *s->scores);
    hsp_status status =
        s->u && s->scores ? erm_answer(batch, ctx, c, &goal, err) : hsp__fail_memory(err);
    hsp__free(&ctx->allocator, s->u);
    hsp__free(&ctx->allocator, s->scores);
    s->u = s->scores = NULL;
    atomic_fetch_add(&batch->watch.solved, 1);
    if (!batch->plan->keep_dual && s->stop != HSP_STOP_INSEPARABLE) {
        hsp__free(&ctx->allocator, s->dual);
        s->dual = NULL;
    }
    return status;
}

/* ---- All of them ----------------------------------------------------------------------------- */

static hsp_status erm_part(void *user, uint32_t from, uint32_t to, int report, hsp_error *err)
{
    hsp__erm *batch = user;
    hsp_context quiet = hsp__quiet(batch->ctx);
    hsp_status status = HSP_OK;
    for (uint32_t c = from; !status && c < to; c++)
        status = erm_solve(batch, &quiet, c, report, err);
    return status;
}

/* As many problems as threads: one each. Fewer: one after the other, each with all threads. */
static hsp_status erm_solve_all(hsp__erm *batch, hsp_error *err)
{
    const int threads = hsp_context_threads(batch->ctx);
    hsp_status status = HSP_OK;
    hsp__stop_limit(batch->ctx, batch->plan->max_seconds);
    batch->watch.each = batch->prepared.view->rows;
    if (batch->count > 1 && !batch->plan->at_once) {
        batch->watch.unit = batch->plan->pairs ? "pairs" : "classes";
        batch->watch.problems = batch->count;
    }
    if (batch->plan->kernel) return hsp__erm_kernel_solve(batch, err);
    if (batch->plan->at_once && batch->count > 1) return hsp__erm_crammer(batch, err);
    if (threads > 1 && batch->count >= (uint32_t)threads)
        return hsp__run_pool_run(&batch->watch, threads, batch->count, 1, erm_part, batch, err);
    for (uint32_t c = 0; !status && c < batch->count; c++)
        status = erm_solve(batch, batch->ctx, c, 1, err);
    return status;
}

static hsp_status erm_choose(hsp__erm *batch, hsp_error *err)
{
    if (batch->plan->kernel || (batch->plan->at_once && batch->count > 1)) return HSP_OK;
    for (uint32_t c = 0; c < batch->count; c++) {
        hsp__erm_task *task = &batch->tasks[c];
        if (task->alone) continue;
        if (hsp__tick(batch->ctx)) return hsp__stop_status(batch->ctx, err);
        task->solver = hsp__solver_for(batch->plan->solver, &task->problem);
        if (task->solver) continue;
        if (strcmp(batch->plan->solver, "auto") == 0)
            return hsp__fail(err, HSP_UNSUPPORTED,
                             "no solver supports this combination of options");
        return hsp__fail_at(err, HSP_USAGE, "--solver", 0, 0,
                            "%s does not support this combination of options; use solver auto",
                            batch->plan->solver);
    }
    return HSP_OK;
}

static hsp_status erm_tasks(hsp__erm *batch, hsp_error *err)
{
    const hsp_view *view = batch->prepared.view;
    const hsp__erm_plan *plan = batch->plan;
    batch->count = view->classes > 2 ? view->classes : 1;
    if (plan->pairs && view->classes > 2) {
        if (hsp__pair_count(view->classes) > UINT32_MAX)
            return hsp__fail(err, HSP_USAGE, "%u classes have too many pairs; use --multiclass ovr",
                             (unsigned)view->classes);
        batch->count = (uint32_t)hsp__pair_count(view->classes);
    }
    batch->tasks = hsp__new(&batch->ctx->allocator, batch->count, sizeof *batch->tasks);
    batch->weights = hsp__new(&batch->ctx->allocator, plan->kernel ? 0 : batch->count * view->cols,
                              sizeof *batch->weights);
    if (batch->count > 1 && !plan->at_once)
        batch->supports = hsp__new(&batch->ctx->allocator, view->rows, sizeof *batch->supports);
    if (!batch->tasks || !batch->weights ||
        (batch->count > 1 && !plan->at_once && !batch->supports))
        return hsp__fail_memory(err);
    for (uint32_t c = 0; c < batch->count; c++)
        batch->tasks[c].problem = (hsp__problem){.view = view,
                                                 .positive = batch->count > 1 ? c : 1,
                                                 .loss = plan->loss,
                                                 .penalty = plan->penalty,
                                                 .offset = plan->offset,
                                                 .hard = plan->hard,
                                                 .lambda = plan->lambda};
    hsp_status status = erm_costs(batch, err);
    if (!status && !plan->kernel) status = hsp__gap_norms(batch->ctx, view, err, &batch->norms);
    for (uint32_t c = 0; !status && c < batch->count; c++) {
        if (!batch->tasks[c].list) batch->tasks[c].problem.row_weight = batch->row_weight;
        batch->tasks[c].problem.norms = batch->norms;
    }
    return status ? status : erm_choose(batch, err);
}

static hsp_status erm_prepare(hsp__erm *batch, hsp_error *err)
{
    hsp_context *ctx = batch->ctx;
    hsp_status status = hsp__prepare(ctx, batch->given, batch->options, err, &batch->prepared);
    if (!status) status = hsp__view_hash(ctx, &batch->given->view, err, batch->hash);
    if (status) return status;
    hsp_training *run = &batch->run;
    run->rows = batch->prepared.view->rows;
    run->cols = batch->prepared.view->cols;
    run->nonzeros = batch->prepared.data->nonzeros;
    run->classes = batch->prepared.view->classes;
    run->radius = run->progressive_error = (double)NAN;
    status = erm_tasks(batch, err);
    if (!status && batch->plan->kernel) status = hsp__erm_kernel_prepare(batch, err);
    if (!status && batch->start) status = hsp__erm_start_check(batch, err);
    return status;
}

static void erm_free(hsp__erm *batch)
{
    const hsp_allocator *memory = &batch->ctx->allocator;
    for (uint32_t c = 0; batch->tasks && c < batch->count; c++) {
        hsp__free(memory, batch->tasks[c].solution.dual);
        hsp_evidence_free(batch->tasks[c].evidence);
        hsp__free(memory, batch->tasks[c].list);
        hsp__free(memory, batch->tasks[c].own_weight);
        hsp__free(memory, (void *)(uintptr_t)batch->tasks[c].own.labels);
    }
    hsp__erm_kernel_free(batch);
    if (batch->row_weight != batch->prepared.weight) hsp__free(memory, batch->row_weight);
    hsp__free(memory, batch->tasks);
    hsp__free(memory, batch->weights);
    hsp__free(memory, batch->norms);
    hsp__free(memory, (void *)(uintptr_t)batch->supports);
    hsp__free(memory, batch->all_dual);
    hsp__prepared_free(&batch->prepared);
}

hsp_status hsp__erm_train(hsp_context *ctx, hsp_data *data, const hsp__learner *learner,
                          const hsp_options *options, const hsp__erm_plan *plan,
                          const hsp_model *start, hsp_error *err, hsp_training *run,
                          hsp_model **out)
{
    hsp__erm batch = {.ctx = ctx,
                      .learner = learner,
                      .options = options,
                      .plan = plan,
                      .given = data,
                      .start = start,
                      .watch = {.ctx = ctx}};
    hsp_model *model = NULL;
    hsp_status status = erm_prepare(&batch, err);
    const double begun = hsp__clock();
    if (!status) status = erm_solve_all(&batch, err);
    batch.run.train_seconds = hsp__clock() - begun;
    if (!status) hsp__erm_report(&batch);
    if (!status && batch.run.stop != HSP_STOP_INSEPARABLE)
        status = hsp__erm_model(&batch, err, &model);
    erm_free(&batch);
    if (status) {
        hsp_evidence_free(batch.run.evidence);
        return status;
    }
    if (run)
        *run = batch.run;
    else
        hsp_evidence_free(batch.run.evidence);
    *out = model;
    return HSP_OK;
}
