#include "learn/erm/fit.h"

#include <assert.h>
#include <math.h>
#include <string.h>

#include "base/context.h"
#include "base/error.h"
#include "base/memory.h"
#include "base/stop.h"
#include "learn/erm/gap.h"
#include "learn/erm/hard_margin.h"
#include "learn/erm/matvec.h"
#include "learn/erm/solvers.h"
#include "learn/online/pegasos.h"
#include "vec/vec.h"

/* A bound below 0 says nothing, for D(0) = 0. With E = sum e(a) and U = ||u||^2 the weights t a
 * have D(t a) >= t E - t^2 U / 2, which is best at t = E / U. */
static void fit_shorten(hsp_context *ctx, const hsp__problem *p, double *a, double *u,
                        hsp__gap_values *values)
{
    const double U = hsp__vec()->sqnorm_f64(u, (size_t)p->view->cols);
    const double E = values->dual + U / 2;
    const double t = E > 0 && U > 0 ? fmin(1, E / U) : 0;
    if (!(values->dual < 0) || p->penalty != HSP__PENALTY_L2) return;
    for (uint64_t i = 0; i < p->view->rows; i++)
        a[i] *= t;
    for (uint64_t j = 0; j < p->view->cols; j++)
        u[j] *= t;
    values->dual = fmax(0, hsp__gap_dual(ctx, p, a, u));
    values->gap = hsp__gap_relative(values->primal, values->dual);
}

void hsp__fit_gap_unknown(const hsp_context *ctx, hsp__task *task)
{
    task->gap_unknown = 1;
    if (task->solution.stop == HSP_STOP_CONVERGED) hsp__watch_stopped(ctx, &task->solution.stop);
    task->solution.primal = task->solution.gap = (double)NAN;
    task->solution.dual_value = fmax(0, task->solution.dual_value);
}

/* Compute the gap of what the solver returned, unless its last act was to do so: then u, scores and
 * values are there. A run has converged only if its proven gap is what was asked for. */
static hsp_status fit_compute_gap(hsp_context *ctx, double goal, hsp__task *task, hsp_error *err)
{
    hsp__solution *s = &task->solution;
    hsp__gap_values values = {s->primal, s->dual_value, s->gap, s->rounding};
    hsp_status status = HSP_OK;
    if (!s->gap_known || s->stop != HSP_STOP_CONVERGED)
        status = hsp__gap(ctx, &task->problem, s->w, s->b, s->dual, s->u, s->scores, err, &values);
    if (status && status != HSP_CANCELLED) return status;
    if (!status) {
        fit_shorten(ctx, &task->problem, s->dual, s->u, &values);
        hsp__gap_kkt(ctx, &task->problem, s->w, s->b, s->dual, s->u, s->scores, &task->kkt);
    }
    if (status || hsp__stopped(ctx)) {
        hsp__fit_gap_unknown(ctx, task);
        return HSP_OK;
    }
    s->primal = values.primal;
    s->dual_value = values.dual;
    s->gap = values.gap;
    s->rounding = values.rounding;
    const int enough = s->gap <= goal;
    if (s->stop == HSP_STOP_CONVERGED && !enough) s->stop = HSP_STOP_PASSES;
    if (s->stop == HSP_STOP_PASSES && enough && !task->problem.hard) s->stop = HSP_STOP_CONVERGED;
    return HSP_OK;
}

/* A last bit that a margin lacks of 1 costs c times as much here: w is made longer by a few. */
static void fit_stretch(const hsp__problem *p, hsp__solution *s)
{
    const double factor = 1 + 0x1p-49;
    for (uint64_t j = 0; j < p->view->cols; j++)
        s->w[j] *= factor;
    s->b *= factor;
}

/* Is what solves the problem without losses the answer to the one with them? Where no dual weight
 * is above its cost, both have the same objective, bound and gap. */
static int fit_hard_answers(const hsp__problem *p, const hsp__solution *s)
{
    if (s->stop != HSP_STOP_CONVERGED) return 0;
    for (uint64_t i = 0; i < p->view->rows; i++)
        if (!(s->dual[i] <= hsp__problem_cost(p, i))) return 0;
    return 1;
}

/* The best of what two solvers found. Are the weights the second's? */
static int fit_best_of(const hsp__problem *p, const hsp__solution *first, double goal,
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
static void fit_restore(const hsp__problem *p, const hsp__solution *first, hsp__solution *s)
{
    memcpy(s->w, first->w, p->view->cols * sizeof *s->w);
    memcpy(s->dual, first->dual, p->view->rows * sizeof *s->dual);
    s->b = first->b;
    s->primal = first->primal;
    s->dual_value = first->dual_value;
    s->gap = first->gap;
    if (s->stop != HSP_STOP_SECONDS && s->stop != HSP_STOP_REQUEST) s->stop = first->stop;
}

/* Another solver goes on from where the first could not, or starts again without losses (`hard`);
 * what it makes worse is not kept. */
static hsp_status fit_second(hsp_context *ctx, const hsp__solver *second, int hard, hsp__task *task,
                             const hsp__goal *goal, hsp_error *err)
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
    s->gap_known = 0; /* weights of both may come back, and of another problem */
    const int answers = !status && hard && fit_hard_answers(&task->problem, s);
    if (answers) fit_stretch(&p, s);
    if (!status && hard && !answers)
        fit_restore(&p, &first, s);
    else if (!status && (s->stop == HSP_STOP_INSEPARABLE || fit_best_of(&p, &first, goal->gap, s)))
        task->solver = second;
    s->passes += first.passes;
    s->updates += first.updates;
    hsp__free(&ctx->allocator, first.w);
    hsp__free(&ctx->allocator, first.dual);
    return status;
}

/* Can the solver get no further, though passes are left (in all: `most`, 0 is any number)? */
static int fit_stuck(const hsp__solution *s, uint64_t most, hsp__goal *goal)
{
    if (s->stop != HSP_STOP_PASSES || (most && s->passes >= most)) return 0;
    if (most) goal->max_passes = most - s->passes;
    return 1;
}

/* Left to choose, a solver that can get no further hands on to the other; and at a cost so high
 * that it is the trouble, the separator without losses may be the answer. */
static hsp_status fit_go_on(hsp_context *ctx, hsp__task *task, hsp__goal goal, hsp_error *err)
{
    hsp__solution *s = &task->solution;
    hsp__problem hard = task->problem;
    hard.hard = 1;
    const int hinge = !task->problem.hard && task->problem.loss->form == HSP__HINGE;
    const hsp__solver *second = hsp__solver_after(task->solver, &task->problem);
    const hsp__solver *third = hinge ? hsp__solver_for("auto", &hard) : NULL;
    const uint64_t most = goal.max_passes;
    hsp_status status = HSP_OK;
    if (third && fit_stuck(s, most, &goal)) status = fit_second(ctx, third, 1, task, &goal, err);
    if (!status && second && fit_stuck(s, most, &goal))
        status = fit_second(ctx, second, 0, task, &goal, err);
    return status;
}

/* P of t w with the best offset for it; a regularized one is part of w. */
static hsp_status fit_try(hsp_context *ctx, const hsp__problem *p, const hsp__solution *s, double t,
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
static hsp_status fit_no_worse(hsp_context *ctx, const hsp__problem *p, double *w, double *scores,
                               hsp__solution *s, hsp_error *err)
{
    double b, primal, zero, zero_b, best, best_t = 0, best_b;
    if (p->hard || s->stop == HSP_STOP_CONVERGED || hsp__stopped(ctx)) return HSP_OK;
    hsp__matvec_scores(ctx, p->view, s->w, 0, scores);
    const double now = hsp__gap_primal(ctx, p, s->w, s->b, scores);
    hsp_status status = fit_try(ctx, p, s, 0, w, scores, err, &zero_b, &zero);
    if (status == HSP_CANCELLED) return HSP_OK;
    if (status || now <= zero) return status;
    best = zero, best_b = zero_b;
    for (int quarter = 1; quarter <= 100; quarter++) {
        const double t = ldexp(1, -2 * quarter);
        status = fit_try(ctx, p, s, t, w, scores, err, &b, &primal);
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

hsp_status hsp__fit_finish(hsp_context *ctx, const hsp__goal *goal, int choose, hsp__task *task,
                           hsp_error *err)
{
    hsp__solution *s = &task->solution;
    assert(task->solver && s->w && s->dual && s->u && s->scores);
    hsp_status status = choose ? fit_go_on(ctx, task, *goal, err) : HSP_OK;
    if (!status && task->problem.hard)
        status = hsp__hard_margin_settle(ctx, &task->problem, goal, s, err);
    if (status || s->stop == HSP_STOP_INSEPARABLE) return status;
    hsp__stop brief;
    hsp_context last = hsp__stop_brief(&brief, ctx);
    /* rows in the order of the file give the result of a stream, whatever its objective */
    const int stream = task->solver == &hsp__solver_pegasos && goal->in_order;
    if (!stream) status = fit_no_worse(&last, &task->problem, s->u, s->scores, s, err);
    return status ? status : fit_compute_gap(&last, goal->gap, task, err);
}

hsp_status hsp__fit_choose(const char *name, hsp__task *task, hsp_error *err)
{
    task->solver = hsp__solver_for(name, &task->problem);
    assert(!task->solver || task->solver->suits(&task->problem));
    if (task->solver) return HSP_OK;
    if (strcmp(name, "auto") == 0)
        return hsp__fail(err, HSP_UNSUPPORTED, "no solver supports this combination of options");
    return hsp__fail_at(err, HSP_USAGE, "--solver", 0, 0,
                        "%s does not support this combination of options; use solver auto", name);
}

/* ---- For other modules ----------------------------------------------------------------------- */

void hsp__fitted_free(hsp__fitted *fitted)
{
    if (fitted->w) hsp__free(&fitted->memory, fitted->w);
    if (fitted->dual) hsp__free(&fitted->memory, fitted->dual);
    fitted->w = fitted->dual = NULL;
}

hsp_status hsp__fit_problem(hsp_context *ctx, const hsp__problem *p, const hsp__fit_limits *limits,
                            hsp_error *err, hsp__fitted *out)
{
    const hsp_allocator *memory = &ctx->allocator;
    const uint64_t n = p->view->rows, d = p->view->cols;
    hsp__stop stop;
    hsp_context own = hsp__stop_open(&stop, ctx);
    hsp__watch watch = {.ctx = &own, .each = n};
    const hsp__goal goal = {.gap = limits->gap,
                            .max_passes = limits->max_passes,
                            .seed = limits->seed,
                            .watch = &watch,
                            .report = 1};
    hsp__task task = {.problem = *p};
    hsp__solution *s = &task.solution;
    double *norms = NULL;
    *out = (hsp__fitted){.memory = *memory};
    s->w = out->w = hsp__new(memory, d, sizeof *s->w);
    s->dual = out->dual = hsp__new(memory, n, sizeof *s->dual);
    s->u = hsp__new_raw(memory, d, sizeof *s->u);
    s->scores = hsp__new_raw(memory, n, sizeof *s->scores);
    hsp_status status = s->w && s->dual && s->u && s->scores ? HSP_OK : hsp__fail_memory(err);
    if (!status && !p->norms) status = hsp__gap_norms(&own, p->view, err, &norms);
    if (norms) task.problem.norms = norms;
    hsp__stop_limit(&own, limits->max_seconds);
    if (!status) status = hsp__fit_choose("auto", &task, err);
    if (!status) status = task.solver->solve(&own, &task.problem, &goal, err, s);
    if (!status) status = hsp__fit_finish(&own, &goal, 1, &task, err);
    hsp__free(memory, s->u);
    hsp__free(memory, s->scores);
    hsp__free(memory, norms);
    out->b = s->b;
    out->primal = s->primal;
    out->dual_value = s->dual_value;
    out->gap = s->gap;
    out->stop = s->stop;
    if (!status && hsp__stopped(&own) == HSP__STOP_REQUESTED) status = hsp__stop_status(&own, err);
    return status;
}
