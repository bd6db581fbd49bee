#include "learn/erm/erm.h"

#include "base/base.h"
#include "learn/erm/dcd_group.h"
#include "learn/erm/matvec.h"
#include "learn/erm/newton.h"
#include "learn/erm/solvers.h"
#include "learn/lp/lp.h"
#include "learn/online/pegasos.h"
#include "learn/option_helpers.h"
#include "learn/select/calibrate.h"
#include "vec/vec.h"

#define ERM_SMALL     20000000 /* entries of rows that are not worth being divided */
#define ERM_HANDED_ON 4 /* passes that a second solver has, for each that the first expected */

hsp_status hsp__erm_plan_read(const hsp_options *options, hsp__plan *plan, hsp_error *err)
{
    if (hsp_options_is_set(options, "C") && hsp_options_is_set(options, "lambda"))
        return hsp__fail_option(
            err, "--lambda",
            "C and lambda set the same thing, C = 1 / (lambda n); give only one of them");
    plan->lambda = hsp_options_is_set(options, "lambda") ? hsp_options_real(options, "lambda") : 0;
    plan->C = hsp_options_is_set(options, "C") ? hsp_options_real(options, "C")
              : plan->lambda > 0               ? 0
                                               : 1;
    plan->penalty = hsp__option_is(options, "penalty", "l1") ? HSP__PENALTY_L1 : HSP__PENALTY_L2;
    plan->offset = hsp__option_is(options, "offset", "free")          ? HSP__OFFSET_FREE
                   : hsp__option_is(options, "offset", "regularized") ? HSP__OFFSET_REGULARIZED
                                                                      : HSP__OFFSET_NONE;
    plan->solver = hsp_options_text(options, "solver");
    plan->in_order = hsp__option_is(options, "order", "cyclic");
    plan->last = hsp__option_is(options, "average", "none");
    return HSP_OK;
}

/* Few entries, and nobody asked for a solver: those of one process, some of which have no distributed form,
 * are sooner done with all rows than many processes are with sums over theirs. */
int hsp__erm_sharded(const hsp_data *data, uint64_t entries, const hsp_options *options)
{
    static const char *const unset[] = {"kernel", "approx", "row-weight", "classes"};
    const int one = data->class_names.count <= 2 || hsp__option_text(options, "positive");
    int can = !data->row_weights && !data->of_arrays && !hsp__calibrate_wanted(options);
    for (size_t i = 0; i < sizeof unset / sizeof *unset; i++)
        can &= hsp__option_text(options, unset[i]) == NULL;
    return can && !hsp__option_flag(options, "hard") && !hsp__option_flag(options, "keep-dual") &&
           !hsp__option_is(options, "penalty", "l1") &&
           (hsp__option_is(options, "solver", "newton") ||
            (hsp__option_is(options, "solver", "auto") && entries >= ERM_SMALL)) &&
           (one || hsp__option_is(options, "multiclass", "ovr"));
}

hsp__goal hsp__erm_goal(hsp__train *train, hsp__task *task, int report)
{
    return (hsp__goal){.gap = train->plan.gap,
                       .max_passes = train->plan.max_passes,
                       .seed = train->plan.seed,
                       .watch = &train->watch,
                       .log = train->plan.log_passes ? &task->log : NULL,
                       .report = report,
                       .in_order = train->plan.in_order,
                       .last = train->plan.last,
                       .may_hand_on =
                           train->plan.solver && strcmp(train->plan.solver, "auto") == 0};
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
static hsp_status erm_compute_gap(hsp_context *ctx, double goal, hsp__task *task, hsp_error *err)
{
    hsp__solution *s = &task->solution;
    const hsp__problem *p = &task->problem;
    hsp__gap_values values = {s->primal, s->dual_value, s->gap, s->rounding};
    hsp_status status = HSP_OK;
    const int known = s->stop == HSP_STOP_CONVERGED ? s->known : 0;
    if (!s->gap_known || s->stop != HSP_STOP_CONVERGED)
        status = hsp__gap_with(ctx, p, s->w, s->b, s->dual, known, s->u, s->scores, err, &values);
    if (status && status != HSP_CANCELLED) return status;
    if (!status && values.dual < 0 && p->penalty == HSP__PENALTY_L2) {
        /* A bound below 0 says nothing, for D(0) = 0. With E = sum e(a) and U = ||u||^2 the weights
         * t a have D(t a) >= t E - t^2 U / 2, which is best at t = E / U. */
        const double U = hsp__vec()->sqnorm_f64(s->u, (size_t)p->view->cols);
        const double E = values.dual + U / 2, t = E > 0 && U > 0 ? fmin(1, E / U) : 0;
        for (uint64_t i = 0; i < p->view->rows; i++)
            s->dual[i] *= t;
        for (uint64_t j = 0; j < p->view->cols; j++)
            s->u[j] *= t;
        values.dual = fmax(0, hsp__gap_dual(ctx, p, s->dual, s->u, NULL));
        values.gap = hsp__gap_relative(values.primal, values.dual);
    }
    if (!status) hsp__gap_kkt(ctx, p, s->w, s->b, s->dual, s->u, s->scores, &task->kkt);
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
    if (s->stop == HSP_STOP_PASSES && enough && !p->hard) s->stop = HSP_STOP_CONVERGED;
    return HSP_OK;
}

/* ---- Checkpoints ------------------------------------------------------------------------------ */

typedef struct erm_saved {
    const hsp__problem *p;
    hsp__solution *s;
} erm_saved;

/* What a solver hands back. What of it can be computed again, with the same bits, is not believed. */
static void erm_state(hsp__state *state, void *user)
{
    const erm_saved *saved = user;
    const uint64_t n = saved->p->view->rows, d = saved->p->view->cols;
    hsp__solution *s = saved->s;
    uint64_t from, to;
    hsp__state_bytes(state, s->w, d * sizeof *s->w);
    hsp__state_bytes(state, s->u, d * sizeof *s->u);
    hsp__state_rows(state, s->dual, n, sizeof *s->dual);
    hsp__state_rows(state, s->scores, n, sizeof *s->scores);
    HSP__STATE(state, s->b);
    HSP__STATE(state, s->gap_known);
    HSP__STATE(state, s->primal);
    HSP__STATE(state, s->dual_value);
    HSP__STATE(state, s->gap);
    HSP__STATE(state, s->rounding);
    HSP__STATE(state, s->passes);
    HSP__STATE(state, s->updates);
    HSP__STATE(state, s->slow);
    HSP__STATE(state, s->stop);
    hsp__state_expect(state, (unsigned)s->stop <= HSP_STOP_INSEPARABLE);
    hsp__state_range(state, n, &from, &to);
    for (uint64_t i = from; state->loading && i < to; i++) {
        const double cap =
            hsp__loss_cap(hsp__problem_loss(saved->p), hsp__problem_cost(saved->p, i));
        hsp__state_expect(state, s->dual[i] >= 0 && s->dual[i] <= cap * (1 + 1e-9));
    }
    if (state->loading) s->known = 0;
}

/* Before a solver's turn. *found: a checkpoint has its result, and the solver need not run. */
static hsp_status erm_resume(hsp_context *ctx, const hsp__problem *p, const hsp__goal *goal,
                             hsp_error *err, hsp__solution *s, int *found)
{
    hsp__place *turn = goal->place;
    *found = 0;
    if (!turn) return HSP_OK;
    turn->step += HSP__STEPS;
    const hsp__place result = {turn->task, turn->step + HSP__STEP_RESULT};
    erm_saved saved = {p, s};
    return hsp__checkpoint_load(ctx, &result, erm_state, &saved, err, found);
}

/* After it. */
static hsp_status erm_keep(hsp_context *ctx, const hsp__problem *p, const hsp__goal *goal,
                           hsp_error *err, hsp__solution *s)
{
    const hsp__place *turn = goal->place;
    if (!turn || hsp__stopped(ctx)) return HSP_OK;
    const hsp__place result = {turn->task, turn->step + HSP__STEP_RESULT};
    erm_saved saved = {p, s};
    HSP__TRY(hsp__checkpoint_keep(ctx, &result, erm_state, &saved, err));
    hsp__checkpoint_forget(ctx, &result, turn->step);
    return HSP_OK;
}

/* ---- Solvers after the first ------------------------------------------------------------------ */

/* Another solver goes on from where the first could not, or starts again without losses (`hard`);
 * what it makes worse is not kept. */
static hsp_status erm_second(hsp_context *ctx, const hsp__solver *second, int hard, hsp__task *task,
                             const hsp__goal *goal, hsp_error *err)
{
    hsp__solution *s = &task->solution, first = *s;
    hsp__problem p = task->problem;
    const uint64_t n = p.view->rows, d = p.view->cols;
    hsp__scratch scratch = {.memory = &ctx->allocator};
    first.w = hsp__scratch_raw(&scratch, d, sizeof *first.w);
    first.dual = hsp__scratch_raw(&scratch, n, sizeof *first.dual);
    hsp_status status = scratch.failed ? hsp__fail_memory(err) : HSP_OK;
    int keep = HSP__KEEP_PRIMAL | HSP__KEEP_DUAL;
    if (!status) {
        memcpy(first.w, s->w, d * sizeof *s->w);
        memcpy(first.dual, s->dual, n * sizeof *s->dual);
        p.hard |= hard;
        if (hard) memset(s->w, 0, d * sizeof *s->w);
        if (hard) memset(s->dual, 0, n * sizeof *s->dual);
        hsp__goal rest = *goal;
        rest.may_hand_on = 0;
        if (hard) rest.log = NULL; /* another objective */
        if (rest.log) rest.log->before += first.passes;
        int found;
        status = erm_resume(ctx, &p, &rest, err, s, &found);
        if (!status && !found) {
            status = second->solve(ctx, &p, &rest, err, s);
            if (!status) status = erm_keep(ctx, &p, &rest, err, s);
        }
    }
    s->slow = 0;
    s->gap_known = s->known = 0; /* weights of both may come back, and of another problem */
    /* Is what solves the problem without losses the answer to the one with them? Where no dual weight
     * is above its cost, both have the same objective, bound and gap. */
    int answers = !hard || (!status && s->stop == HSP_STOP_CONVERGED);
    for (uint64_t i = 0; hard && answers && i < n; i++)
        answers = s->dual[i] <= hsp__problem_cost(&task->problem, i);
    if (hard && answers) { /* a last bit that a margin lacks of 1 costs c times as much here */
        for (uint64_t j = 0; j < d; j++)
            s->w[j] *= 1 + 0x1p-49;
        s->b *= 1 + 0x1p-49;
    }
    if (!answers)
        keep = 0;
    else if (s->stop != HSP_STOP_INSEPARABLE)
        keep = hsp__gap_keep(&first, s->primal, s->dual_value);
    if (!status && !(keep & HSP__KEEP_PRIMAL)) {
        memcpy(s->w, first.w, d * sizeof *s->w);
        s->b = first.b;
        s->primal = first.primal;
    }
    if (!status && !(keep & HSP__KEEP_DUAL)) {
        memcpy(s->dual, first.dual, n * sizeof *s->dual);
        s->dual_value = first.dual_value;
    }
    if (!status && !answers) { /* as before, but for a stop that concerns all of them */
        s->gap = first.gap;
        if (s->stop != HSP_STOP_SECONDS && s->stop != HSP_STOP_REQUEST) s->stop = first.stop;
    } else if (!status && s->stop != HSP_STOP_INSEPARABLE) {
        s->gap = hsp__gap_relative(s->primal, s->dual_value);
        if (s->gap <= goal->gap) s->stop = HSP_STOP_CONVERGED;
    }
    if (!status && keep & HSP__KEEP_PRIMAL) task->solver = second;
    s->passes += first.passes;
    s->updates += first.updates;
    hsp__scratch_free(&scratch);
    return status;
}

/* Can the solver get no further, though passes are left (in all: `most`, 0 is any number)? */
static int erm_stuck(const hsp__solution *s, uint64_t most, hsp__goal *goal)
{
    if (s->stop != HSP_STOP_PASSES || (most && s->passes >= most)) return 0;
    if (most) goal->max_passes = most - s->passes;
    return 1;
}

/* The solver expects to take long: another one has four times as many passes. If those are not enough,
 * the first goes on to the end. */
static hsp_status erm_hand_on(hsp_context *ctx, const hsp__goal *goal, hsp__task *task,
                              hsp_error *err)
{
    const hsp__solver *first = task->solver, *second = hsp__solver_after(first, &task->problem);
    hsp__solution *s = &task->solution;
    hsp__goal left = *goal;
    const uint64_t most = ERM_HANDED_ON * s->slow;
    if (!second || !erm_stuck(s, goal->max_passes, &left)) return HSP_OK;
    if (left.max_passes == 0 || left.max_passes > most) left.max_passes = most;
    HSP__TRY(erm_second(ctx, second, 0, task, &left, err));
    left.max_passes = 0;
    if (!erm_stuck(s, goal->max_passes, &left)) return HSP_OK;
    return erm_second(ctx, first, 0, task, &left, err);
}

/* P of t w with the best offset for it; a regularized one is part of w. */
static hsp_status erm_try(hsp_context *ctx, const hsp__problem *p, const hsp__solution *s, double t,
                          double *w, double *scores, hsp_error *err, double *b, double *primal)
{
    for (uint64_t j = 0; j < p->view->cols; j++)
        w[j] = t > 0 ? t * s->w[j] : 0;
    *b = t > 0 ? t * s->b : 0;
    hsp__matvec_scores(ctx, p->view, w, 0, scores);
    HSP__TRY(hsp__gap_offset(ctx, p, scores, err, b));
    *primal = hsp__gap_primal(ctx, p, w, *b, scores, NULL);
    return hsp__stop_status(ctx, err);
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
    const double now = hsp__gap_primal(ctx, p, s->w, s->b, scores, NULL);
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

/* ---- Where a separator is demanded, the last word on whether there is one --------------------- */

/* Linear programming decides: multipliers, or a separator, made as long as m >= 1 asks for: any is
 * better than none. */
static hsp_status erm_ask_lp(hsp_context *ctx, const hsp__problem *p, const hsp__goal *goal,
                             hsp__solution *s, hsp__scratch *scratch, hsp_error *err)
{
    const uint64_t n = p->view->rows, d = p->view->cols;
    double least = HUGE_VAL, *scores = hsp__scratch_raw(scratch, n, sizeof *scores);
    hsp__lp_answer answer = {.w = hsp__scratch_new(scratch, d, sizeof *answer.w),
                             .a = hsp__scratch_new(scratch, n, sizeof *answer.a)};
    if (scratch->failed) return hsp__fail_memory(err);
    HSP__TRY(hsp__lp_separate(ctx, p, goal->watch, goal->report, err, &answer));
    s->stop = answer.stop == HSP_STOP_CONVERGED ? HSP_STOP_PASSES : answer.stop;
    if (answer.stop == HSP_STOP_INSEPARABLE) memcpy(s->dual, answer.a, n * sizeof *s->dual);
    if (answer.stop != HSP_STOP_CONVERGED || !isinf(s->primal)) return HSP_OK;
    hsp__matvec_scores(ctx, p->view, answer.w, answer.b, scores);
    for (uint64_t i = 0; !hsp__stopped(ctx) && i < n; i++)
        least = fmin(least, hsp__problem_y(p, i) * scores[i]);
    const double factor = (1 + 1e-12) / least;
    if (!(least > 0) || !isfinite(factor) || hsp__stopped(ctx)) return HSP_OK;
    for (uint64_t j = 0; j < d; j++)
        s->w[j] = answer.w[j] * factor;
    s->b = answer.b * factor;
    return HSP_OK;
}

/* The solver found no separator: say whether there is one. s->stop becomes HSP_STOP_INSEPARABLE,
 * with multipliers in s->dual, or HSP_STOP_PASSES.
 *
 * A solver that minimises ||w||^2 / 2 comes as near as its arithmetic allows; where classes all but
 * touch, it can end without an answer, or with multipliers that show inseparability to a few digits
 * only. Then its multipliers are solved for once more in longer arithmetic, and if that shows
 * nothing, linear programming decides (lp.h), which checks both of its answers. */
static hsp_status erm_settle(hsp_context *ctx, const hsp__problem *given, const hsp__goal *goal,
                             hsp__solution *s, hsp_error *err)
{
    hsp__problem p = *given;
    const uint64_t n = p.view->rows;
    uint64_t count = 0;
    int found = 0;
    if (s->stop != HSP_STOP_PASSES && s->stop != HSP_STOP_INSEPARABLE) return HSP_OK;
    if (s->stop == HSP_STOP_PASSES && isfinite(s->primal)) return HSP_OK; /* there is one */
    /* a penalty on the offset decides which separator is the best, not whether there is one */
    if (p.offset == HSP__OFFSET_REGULARIZED) p.offset = HSP__OFFSET_FREE;
    hsp__scratch scratch = {.memory = &ctx->allocator};
    int *exponents = hsp__scratch_new(&scratch, p.view->cols, sizeof *exponents);
    uint64_t *rows = hsp__scratch_raw(&scratch, n, sizeof *rows);
    double *some = hsp__scratch_raw(&scratch, n, sizeof *some), most = 0;
    hsp_status status = scratch.failed ? hsp__fail_memory(err) : HSP_OK;
    for (uint64_t i = 0; i < n; i++)
        most = fmax(most, s->dual[i]);
    for (uint64_t i = 0; !status && i < n; i++) {
        if (!(s->dual[i] > 1e-6 * most)) continue;
        some[count] = s->dual[i] / most;
        rows[count++] = i;
    }
    if (count) {
        hsp__lp_exponents(ctx, &p, exponents);
        status = hsp__lp_common_point(ctx, &p, exponents, rows, count, some, err, &found);
    }
    if (status == HSP_CANCELLED) {
        hsp__watch_stopped(ctx, &s->stop);
        status = HSP_OK;
    } else if (!status && found) {
        memset(s->dual, 0, n * sizeof *s->dual);
        for (uint64_t k = 0; k < count; k++)
            s->dual[rows[k]] = some[k];
        s->stop = HSP_STOP_INSEPARABLE;
    } else if (!status && hsp__clp_ready(NULL) == HSP_OK) {
        status = erm_ask_lp(ctx, &p, goal, s, &scratch, err);
    } else {
        s->stop = HSP_STOP_PASSES; /* without linear programming it stays open */
    }
    hsp__scratch_free(&scratch);
    return status;
}

/* ---- All of it -------------------------------------------------------------------------------- */

/* After task->solver has solved task->problem: let other solvers go on where it is stuck
 * (`choose`), settle whether a separator exists where one is demanded, and compute its gap.
 * task->solution has room for u and scores, as for the solver. A request to stop is an outcome,
 * with task->gap_unknown when there was no time for the figures. After HSP_STOP_INSEPARABLE (hard)
 * solution.dual says why no separator exists; else, unless gap_unknown, solution.scores are those of w
 * without b. */
static hsp_status erm_finish(hsp_context *ctx, const hsp__goal *goal, int choose, hsp__task *task,
                             hsp_error *err)
{
    hsp__solution *s = &task->solution;
    const hsp__problem *p = &task->problem;
    assert(task->solver && s->w && s->dual && s->u && s->scores);
    if (s->slow) HSP__TRY(erm_hand_on(ctx, goal, task, err));
    if (choose && !ctx->shard) { /* one solver alone has rows that are divided among ranks */
        /* A solver that can get no further hands on to the other; and at a cost so high that it is
         * the trouble, the separator without losses may be the answer. */
        hsp__problem hard = *p;
        hsp__goal left = *goal;
        hard.hard = 1;
        const int hinge = !p->hard && p->loss->form == HSP__HINGE;
        const hsp__solver *second = hsp__solver_after(task->solver, p);
        const hsp__solver *third = hinge ? hsp__solver_for(ctx, "auto", &hard) : NULL;
        if (third && erm_stuck(s, goal->max_passes, &left))
            HSP__TRY(erm_second(ctx, third, 1, task, &left, err));
        if (second && erm_stuck(s, goal->max_passes, &left))
            HSP__TRY(erm_second(ctx, second, 0, task, &left, err));
    }
    if (p->hard) HSP__TRY(erm_settle(ctx, p, goal, s, err));
    if (s->stop == HSP_STOP_INSEPARABLE) return HSP_OK;
    hsp__stop brief;
    hsp_context last = hsp__stop_grace(&brief, ctx);
    /* rows in the order of the file give the result of a stream, whatever its objective */
    const int stream = task->solver == &hsp__solver_pegasos && goal->in_order;
    if (!stream) HSP__TRY(erm_no_worse(&last, p, s->u, s->scores, s, err));
    return erm_compute_gap(&last, goal->gap, task, err);
}

/* The solver of that name ("auto": the one that suits the data's shape) for the task's problem.
 * HSP_USAGE or HSP_UNSUPPORTED when there is none. */
static hsp_status erm_choose(const hsp_context *ctx, const char *name, hsp__task *task,
                             hsp_error *err)
{
    task->solver = ctx->shard ? &hsp__solver_newton : hsp__solver_for(ctx, name, &task->problem);
    assert(!task->solver || task->solver->suits(&task->problem));
    if (task->solver) return HSP_OK;
    if (strcmp(name, "auto") == 0)
        return hsp__fail(err, HSP_UNSUPPORTED, "no solver supports this combination of options");
    return hsp__fail_option(
        err, "--solver",
        "%s does not support this combination of loss, penalty and offset; use --solver auto",
        name);
}

/* What tasks that are fitted one after the other, or together, use in turn. */
typedef struct erm_room {
    hsp__scratch scratch;
    double *norms, *u; /* as in hsp__problem and hsp__solution */
    double *scores;    /* likewise, n per task: a solver leaves those of its weights there */
} erm_room;

static hsp_status erm_room_new(hsp_context *ctx, const hsp_view *view, uint32_t tasks,
                               hsp_error *err, erm_room *room)
{
    *room = (erm_room){.scratch.memory = &ctx->allocator};
    room->norms = hsp__scratch_raw(&room->scratch, view->rows, sizeof *room->norms);
    room->u = hsp__scratch_raw(&room->scratch, view->cols, sizeof *room->u);
    room->scores = hsp__scratch_raw(&room->scratch, tasks * view->rows, sizeof *room->scores);
    if (room->scratch.failed) return hsp__fail_memory(err);
    hsp__gap_norms(ctx, view, room->norms);
    return HSP_OK;
}

/* Before the solver: where it starts. The task is number c of those that share the room. */
static hsp_status erm_open(hsp__train *train, hsp_context *ctx, const erm_room *room, uint32_t c,
                           hsp__task *task, hsp_error *err)
{
    hsp__solution *s = &task->solution;
    assert(task->problem.view->cols == train->prepared.view->cols && s->w);
    s->dual = hsp__new(&ctx->allocator, task->problem.view->rows, sizeof *s->dual);
    if (!s->dual) return hsp__fail_memory(err);
    s->u = room->u;
    s->scores = room->scores + c * task->problem.view->rows;
    task->problem.norms = room->norms;
    if (train->start) hsp__warm_start(train, task, s);
    return HSP_OK;
}

/* After it: finish, and count what is wrong. */
static hsp_status erm_close(hsp__train *train, hsp_context *ctx, const hsp__goal *goal,
                            hsp__task *task, hsp_error *err)
{
    const hsp_view *view = task->problem.view;
    const int choose = strcmp(train->plan.solver, "auto") == 0;
    hsp__solution *s = &task->solution;
    HSP__TRY(erm_finish(ctx, goal, choose, task, err));
    if (s->stop == HSP_STOP_INSEPARABLE) return HSP_OK;
    hsp__pass_log_end(ctx, goal->log, s->passes, s->primal, s->dual_value);
    if (train->count > 1 && !ctx->shard && !task->row_numbers && !task->gap_unknown &&
        train->count * view->rows <= hsp_view_stored(view)) {
        /* several: keep the scores, which take no more room than the rows */
        task->scores = hsp__new_raw(&ctx->allocator, view->rows, sizeof *task->scores);
        if (!task->scores) return hsp__fail_memory(err);
        memcpy(task->scores, s->scores, view->rows * sizeof *task->scores);
    }
    if (train->count > 1) return HSP_OK;
    /* two classes: the rows that the scorer gets wrong, from the scores at hand */
    task->counted = task->gap_unknown ? -1 : 1;
    for (uint64_t i = 0; task->counted > 0 && i < view->rows; i++) {
        const double score = s->scores[i] + s->b;
        const uint32_t predicted = score > 0   ? 1
                                   : score < 0 ? 0
                                               : hsp__decide(&score, 1, train->plan.tie);
        task->mistakes += predicted != view->labels[i];
    }
    hsp__shard_add(ctx, &task->mistakes, 1);
    return HSP_OK;
}

static void erm_room_free(erm_room *room, uint32_t count, hsp__task *tasks)
{
    for (uint32_t c = 0; c < count; c++) {
        tasks[c].solution.u = tasks[c].solution.scores = NULL;
        tasks[c].problem.norms = NULL;
    }
    hsp__scratch_free(&room->scratch);
}

hsp_status hsp__erm_fit(hsp__train *train, hsp_context *ctx, hsp__task *task, int report,
                        hsp_error *err)
{
    hsp__place place = {.task = (uint32_t)(task - train->tasks)};
    hsp__goal goal = hsp__erm_goal(train, task, report);
    erm_room room;
    goal.place = &place;
    HSP__TRY(erm_choose(ctx, train->plan.solver, task, err));
    hsp_status status = erm_room_new(ctx, task->problem.view, 1, err, &room);
    if (!status) status = erm_open(train, ctx, &room, 0, task, err);
    status = hsp__shard_agree(ctx, status, err);
    int found = 0;
    if (!status) status = erm_resume(ctx, &task->problem, &goal, err, &task->solution, &found);
    if (!status && !found) {
        status = task->solver->solve(ctx, &task->problem, &goal, err, &task->solution);
        if (!status) status = erm_keep(ctx, &task->problem, &goal, err, &task->solution);
    }
    if (!status) status = erm_close(train, ctx, &goal, task, err);
    erm_room_free(&room, 1, task);
    return status;
}

/* ---- Several tasks together ------------------------------------------------------------------- */

uint32_t hsp__erm_group_most(const hsp__train *train)
{
    const hsp__problem *p = &train->tasks[0].problem;
    const int suits = !train->ctx->shard && !train->plan.log_passes && hsp__dcd_group_suits(p) &&
                      hsp__solver_for(train->ctx, train->plan.solver, p) == &hsp__solver_dcd;
    return suits ? HSP__DCD_GROUP_MOST : 1;
}

hsp_status hsp__erm_fit_group(hsp__train *train, hsp_context *ctx, uint32_t count, hsp__task *tasks,
                              int report, hsp_error *err)
{
    const hsp__problem *problems[HSP__DCD_GROUP_MOST];
    hsp__solution *solutions[HSP__DCD_GROUP_MOST];
    const hsp__goal goal = hsp__erm_goal(train, tasks, report);
    erm_room room;
    uint32_t some = 0; /* of those with something to learn: for dcd, as most or all of them are */
    assert(count <= HSP__DCD_GROUP_MOST && !goal.log);
    hsp_status status = erm_room_new(ctx, tasks->problem.view, count, err, &room);
    for (uint32_t c = 0; !status && c < count; c++) {
        if (tasks[c].one_sided) continue;
        status = erm_choose(ctx, train->plan.solver, &tasks[c], err);
        if (!status) status = erm_open(train, ctx, &room, c, &tasks[c], err);
        if (tasks[c].solver != &hsp__solver_dcd) continue;
        problems[some] = &tasks[c].problem;
        solutions[some++] = &tasks[c].solution;
    }
    hsp_status together = HSP_NO_MEMORY; /* or too few */
    hsp__place place = {(uint32_t)(tasks - train->tasks), HSP__STEP_GROUP + count};
    hsp__goal all = goal;
    all.place = &place;
    if (!status && some > 1)
        together = hsp__dcd_group_solve(ctx, some, problems, &all, err, solutions);
    if (together != HSP_NO_MEMORY) status = together;
    for (uint32_t c = 0; !status && c < count; c++) {
        hsp__task *task = &tasks[c];
        if (task->one_sided) continue;
        if (together == HSP_NO_MEMORY || task->solver != &hsp__solver_dcd)
            status = task->solver->solve(ctx, &task->problem, &goal, err, &task->solution);
        if (!status) status = erm_close(train, ctx, &goal, task, err);
    }
    erm_room_free(&room, count, tasks);
    return status;
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
                            .report = 1,
                            .may_hand_on = 1};
    hsp__task task = {.problem = *p};
    hsp__solution *s = &task.solution;
    hsp__scratch scratch = {.memory = memory};
    double *norms = hsp__scratch_raw(&scratch, p->norms ? 0 : n, sizeof *norms);
    *out = (hsp__fitted){.memory = *memory};
    s->w = out->w = hsp__new(memory, d, sizeof *s->w);
    s->dual = out->dual = hsp__new(memory, n, sizeof *s->dual);
    s->u = hsp__scratch_raw(&scratch, d, sizeof *s->u);
    s->scores = hsp__scratch_raw(&scratch, n, sizeof *s->scores);
    hsp_status status = s->w && s->dual && !scratch.failed ? HSP_OK : hsp__fail_memory(err);
    if (!status && !p->norms) {
        hsp__gap_norms(&own, p->view, norms);
        task.problem.norms = norms;
    }
    hsp__stop_limit(&own, limits->max_seconds);
    if (!status) status = erm_choose(&own, "auto", &task, err);
    if (!status) status = task.solver->solve(&own, &task.problem, &goal, err, s);
    if (!status) status = erm_finish(&own, &goal, 1, &task, err);
    hsp__scratch_free(&scratch);
    out->b = s->b;
    out->primal = s->primal;
    out->dual_value = s->dual_value;
    out->gap = s->gap;
    out->stop = s->stop;
    if (!status && hsp__stopped(&own) == HSP__STOP_REQUESTED) status = hsp__stop_status(&own, err);
    return status;
}
