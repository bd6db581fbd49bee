#include "learn/train_report.h"

#include <assert.h>
#include <math.h>

#include "base/context.h"
#include "learn/multiclass/reduce.h"

/* The largest, where a figure that is not known makes the whole unknown. */
static double report_most(double all, double one)
{
    return isnan(one) ? one : fmax(all, one);
}

/* A problem's figures join those of all. The passes of a learner that solves its problems in turn
 * are linear programs, which add up. */
static void report_add(hsp__train *train, uint32_t c, hsp_convergence *to)
{
    hsp_training *run = &train->run;
    hsp__task *task = &train->tasks[c];
    const hsp__solution *s = &task->solution;
    const hsp__kkt *kkt = &task->kkt;
    /* a solver ends at the limit, or where no step gets further */
    const int left = !train->plan.max_passes || s->passes < train->plan.max_passes;
    const int stalled = train->plan.solver && s->stop == HSP_STOP_PASSES && left;
    run->stop = hsp__stop_of(run->stop, stalled ? HSP_STOP_STALLED : s->stop);
    if (train->learner->in_turn)
        run->passes += s->passes;
    else if (s->passes > run->passes)
        run->passes = s->passes;
    run->updates += s->updates;
    run->mistakes_last_pass += task->last_mistakes;
    run->radius = fmax(run->radius, task->radius);
    if (task->evidence && !run->evidence) {
        run->evidence = task->evidence;
        task->evidence = NULL;
    }
    if (!task->solver) return;
    to->solver = task->solver->name;
    to->objective += s->primal * task->lambda;
    to->dual_objective += s->dual_value * task->lambda;
    to->scaled_objective += s->primal;
    to->scaled_dual_objective += s->dual_value;
    to->support_sum += kkt->support;
    to->on_margin += kkt->on;
    to->inside += kkt->inside;
    to->wrong_side += kkt->wrong;
    to->inverse_norm = fmin(to->inverse_norm, kkt->inverse_norm);
    if (!(kkt->margin >= to->margin) && !isnan(kkt->margin)) {
        to->margin = kkt->margin;
        if (task->list) {
            to->margin_class = task->pair[0];
            to->margin_other = task->pair[1];
        } else if (train->supports) {
            to->margin_class = c;
        }
    }
    to->rounding = fmax(to->rounding, s->rounding);
    to->stationarity = report_most(to->stationarity, kkt->stationarity);
    to->primal_feasibility = report_most(to->primal_feasibility, kkt->primal);
    to->dual_feasibility = report_most(to->dual_feasibility, kkt->dual);
    to->complementarity = report_most(to->complementarity, kkt->complementarity);
}

/* The figures of one point: margins and residuals. */
static void report_forget_point(hsp_convergence *to)
{
    to->objective = to->scaled_objective = (double)NAN;
    to->margin = to->inverse_norm = (double)NAN;
    to->margin_class = to->margin_other = UINT32_MAX;
    to->stationarity = to->primal_feasibility = (double)NAN;
    to->dual_feasibility = to->complementarity = (double)NAN;
}

/* Problems count in the scale of C (problem.h), reports in that of lambda; pairs of classes share C
 * or lambda, not both. */
static void report_rescale(const hsp__train *train, hsp_convergence *to)
{
    const hsp__plan *plan = &train->plan;
    const double gap = to->objective - to->dual_objective;
    to->gap = isnan(to->objective)   ? (double)NAN
              : isinf(to->objective) ? 1
              : gap > 0              ? gap / to->objective
                                     : 0;
    to->lambda = to->C = (double)NAN;
    if (train->kernel.kernel && hsp_kernel_is_indefinite(train->kernel.kernel)) {
        to->dual_objective = to->scaled_dual_objective = (double)NAN; /* it bounds nothing */
        to->gap = 1;
    }
    if (plan->hard || plan->unscaled) return;
    to->C = train->tasks[0].C;
    to->lambda = train->tasks[0].lambda;
    for (uint32_t c = 1; c < train->count; c++) {
        if (train->tasks[c].lambda != to->lambda) to->lambda = (double)NAN;
        if (train->tasks[c].C != to->C) to->C = (double)NAN;
    }
    if (plan->lambda > 0) to->lambda = plan->lambda; /* as it was given */
}

void hsp__train_report(hsp__train *train)
{
    hsp_training *run = &train->run;
    hsp_convergence *to = &run->convergence;
    uint32_t left_out = 0, gap_unknown = 0;
    assert(train->count && train->tasks);
    to->margin = (double)NAN;
    to->margin_class = to->margin_other = UINT32_MAX;
    to->inverse_norm = HUGE_VAL;
    if (train->plan.solver) to->solver = "none"; /* of problems that need none */
    for (uint32_t c = 0; c < train->count; c++) {
        report_add(train, c, to);
        left_out += train->tasks[c].left_out != 0;
        gap_unknown += train->tasks[c].gap_unknown != 0;
    }
    const int inseparable = run->stop == HSP_STOP_INSEPARABLE;
    if (left_out && !inseparable)
        hsp__log(train->ctx, HSP_LOG_WARNING,
                 "the run was stopped after %u of %u %s; the others have no weights yet",
                 (unsigned)(train->count - left_out), (unsigned)train->count,
                 hsp__reduce_pairs(train) ? "pairs of classes" : "classes");
    if (!train->plan.solver) { /* nothing was minimised */
        *to = (hsp_convergence){0};
        return;
    }
    /* Stopped before all problems were solved, or before their figures were known. The sum of the
     * bounds is a bound all the same: that of any problem is 0 at least. */
    if (left_out || gap_unknown || inseparable) report_forget_point(to);
    to->support_vectors = train->supports ? 0 : to->support_sum;
    for (uint64_t i = 0; train->supports && i < train->prepared.view->rows; i++)
        to->support_vectors += train->supports[i];
    assert(to->support_vectors <= train->prepared.view->rows);
    if (!inseparable) {
        report_rescale(train, to);
        return;
    }
    to->lambda = to->C = to->dual_objective = to->scaled_dual_objective = (double)NAN;
    to->gap = to->rounding = (double)NAN;
}
