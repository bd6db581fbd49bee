/* From solved problems to figures and a model. */
#include <math.h>
#include <string.h>

#include "base/context.h"
#include "base/decimal.h"
#include "base/error.h"
#include "base/memory.h"
#include "learn/erm/erm.h"
#include "learn/training_error.h"
#include "model/ovo_votes.h"

/* ---- Figures --------------------------------------------------------------------------------- */

static void erm_model_add_task(const hsp__erm *batch, uint32_t c, hsp_convergence *to)
{
    const hsp__erm_task *task = &batch->tasks[c];
    const hsp__solution *s = &task->solution;
    const hsp__kkt *kkt = &task->kkt;
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
        if (task->list)
            hsp__pair_classes(batch->prepared.view->classes, c, &to->margin_class,
                              &to->margin_other);
        else if (batch->supports)
            to->margin_class = c;
    }
    to->rounding = fmax(to->rounding, s->rounding);
    to->stationarity = fmax(to->stationarity, kkt->stationarity);
    to->primal_feasibility = fmax(to->primal_feasibility, kkt->primal);
    to->dual_feasibility = fmax(to->dual_feasibility, kkt->dual);
    to->complementarity = fmax(to->complementarity, kkt->complementarity);
}

/* The problems count in the scale of C (problem.h), reports in that of lambda; pairs of classes
 * share C or lambda, not both. */
static void erm_model_rescale(const hsp__erm *batch, hsp_convergence *to)
{
    const double gap = to->objective - to->dual_objective;
    to->gap = isnan(to->objective)   ? (double)NAN
              : isinf(to->objective) ? 1
              : gap > 0              ? gap / to->objective
                                     : 0;
    to->lambda = to->C = (double)NAN;
    if (batch->kernel && hsp_kernel_is_indefinite(batch->kernel->kernel)) {
        to->dual_objective = to->scaled_dual_objective = (double)NAN; /* it bounds nothing */
        to->gap = 1;
    }
    if (batch->plan->hard) return;
    to->C = batch->C;
    to->lambda = batch->tasks[0].lambda;
    for (uint32_t c = 1; c < batch->count; c++)
        if (batch->tasks[c].lambda != to->lambda) to->lambda = (double)NAN;
    if (batch->plan->lambda > 0) to->lambda = batch->plan->lambda; /* as it was given */
    if (batch->plan->lambda > 0 && batch->plan->pairs && batch->count > 1) to->C = (double)NAN;
}

static void erm_model_no_optimum(hsp_convergence *to)
{
    to->lambda = to->C = to->objective = to->dual_objective = (double)NAN;
    to->gap = to->rounding = (double)NAN;
    to->scaled_objective = to->scaled_dual_objective = (double)NAN;
    to->margin = to->inverse_norm = (double)NAN;
    to->margin_class = to->margin_other = UINT32_MAX;
    to->stationarity = to->primal_feasibility = (double)NAN;
    to->dual_feasibility = to->complementarity = (double)NAN;
}

/* The run was stopped before all problems were solved, or before their figures were known. The sum
 * of the bounds is a bound all the same: that of any problem is 0 at least. */
static void erm_model_cut(const hsp__erm *batch, hsp_convergence *to)
{
    uint32_t left_out = 0, unjudged = 0;
    for (uint32_t c = 0; c < batch->count; c++) {
        left_out += batch->tasks[c].left_out != 0;
        unjudged += batch->tasks[c].unjudged != 0;
    }
    if (left_out)
        hsp__log(batch->ctx, HSP_LOG_WARNING,
                 "the run was stopped after %u of %u %s; the others have no weights yet",
                 (unsigned)(batch->count - left_out), (unsigned)batch->count,
                 batch->plan->pairs ? "pairs of classes" : "classes");
    if (!left_out && !unjudged) return;
    to->objective = to->scaled_objective = (double)NAN;
    to->margin = to->inverse_norm = (double)NAN;
    to->margin_class = to->margin_other = UINT32_MAX;
    to->stationarity = to->primal_feasibility = (double)NAN;
    to->dual_feasibility = to->complementarity = (double)NAN;
}

void hsp__erm_report(hsp__erm *batch)
{
    hsp_training *run = &batch->run;
    hsp_convergence *to = &run->optimum;
    to->margin = (double)NAN;
    to->margin_class = to->margin_other = UINT32_MAX;
    to->inverse_norm = HUGE_VAL;
    to->solver = "none"; /* of problems that need no solver */
    run->stop = HSP_STOP_CONVERGED;
    for (uint32_t c = 0; c < batch->count; c++) {
        hsp__erm_task *task = &batch->tasks[c];
        const hsp__solution *s = &task->solution;
        /* a solver ends at the limit, or where no step gets further */
        const int left = !batch->plan->max_passes || s->passes < batch->plan->max_passes;
        run->stop = hsp__stop_of(run->stop,
                                 s->stop == HSP_STOP_PASSES && left ? HSP_STOP_STALLED : s->stop);
        if (s->passes > run->passes) run->passes = s->passes;
        run->updates += s->updates;
        if (!task->solver) continue;
        to->solver = task->solver->name;
        erm_model_add_task(batch, c, to);
        if (!task->evidence || run->evidence) continue;
        run->evidence = task->evidence;
        task->evidence = NULL;
    }
    to->support_vectors = batch->supports ? 0 : to->support_sum;
    for (uint64_t i = 0; batch->supports && i < batch->prepared.view->rows; i++)
        to->support_vectors += batch->supports[i];
    run->training_error = (double)NAN;
    if (run->stop != HSP_STOP_INSEPARABLE) erm_model_cut(batch, to);
    if (run->stop == HSP_STOP_INSEPARABLE)
        erm_model_no_optimum(to);
    else
        erm_model_rescale(batch, to);
}

/* ---- Dual weights ---------------------------------------------------------------------------- */

/* How often row i is added to scorer c. */
static double erm_model_amount(const hsp__erm *batch, uint64_t i, uint32_t c)
{
    const hsp__erm_task *task = &batch->tasks[c];
    if (batch->kernel) return batch->kernel->amounts[c * batch->prepared.view->rows + i];
    if (batch->all_dual) return batch->all_dual[i * batch->count + c];
    if (task->left_out) return 0;
    return hsp__problem_y(&task->problem, i) * task->solution.dual[i];
}

static hsp_status erm_model_keep_dual(const hsp__erm *batch, hsp_model *model, hsp_error *err)
{
    const uint64_t n = batch->prepared.view->rows, *place = batch->prepared.place;
    uint64_t count = 0;
    for (uint32_t c = 0; c < batch->count; c++)
        for (uint64_t i = 0; i < n; i++)
            count += erm_model_amount(batch, i, c) != 0;
    uint64_t *row = hsp__new_raw(&model->memory, count, sizeof *row);
    uint32_t *scorer = hsp__new_raw(&model->memory, count, sizeof *scorer);
    double *amount = hsp__new_raw(&model->memory, count, sizeof *amount);
    model->updates = (hsp_row_coefficients){0, row, scorer, amount}; /* freed with the model */
    if (!row || !scorer || !amount) return hsp__fail_memory(err);
    for (uint64_t i = 0; i < n; i++)
        for (uint32_t c = 0; c < batch->count; c++) {
            const double times = erm_model_amount(batch, i, c);
            if (times == 0) continue;
            const uint64_t k = model->updates.count++;
            row[k] = place ? place[i] : i;
            scorer[k] = c;
            amount[k] = times;
        }
    return HSP_OK;
}

/* ---- The model ------------------------------------------------------------------------------- */

/* The weights change hands: two of them may be as large as the data. */
static hsp_status erm_model_linear(hsp__erm *batch, hsp_context *ctx, hsp__model_spec *outcome,
                                   hsp_error *err, hsp_model **out)
{
    hsp_status status = hsp__build_model_begin(ctx, outcome, batch->count, 0, err, out);
    if (status) return status;
    hsp_model *model = *out;
    for (uint32_t c = 0; c < batch->count; c++)
        model->offsets[c] = batch->tasks[c].solution.b;
    hsp__free(&model->memory, model->weights);
    model->features = batch->prepared.view->cols;
    model->weights = batch->weights;
    batch->weights = NULL;
    return HSP_OK;
}

static hsp_status erm_model_fill(hsp__erm *batch, hsp__model_spec *outcome, hsp_model *model,
                                 hsp_error *err)
{
    hsp__stop brief;
    hsp_context last = hsp__stop_brief(&brief, batch->ctx);
    uint64_t wrong = batch->tasks[0].mistakes;
    hsp_status status = batch->plan->keep_dual ? erm_model_keep_dual(batch, model, err) : HSP_OK;
    if (!status) status = hsp__build_model_end(outcome, model, err);
    if (status) return status;
    if (batch->kernel)
        status = hsp__erm_kernel_mistakes(batch, &last, model, err, &wrong);
    else if (batch->count > 1)
        status = hsp__training_error_linear(&last, model, batch->prepared.view, err, &wrong);
    else if (batch->tasks[0].unjudged)
        status = HSP_CANCELLED;
    return hsp__training_error_report(status, wrong, model, err, &batch->run);
}

hsp_status hsp__erm_model(hsp__erm *batch, hsp_error *err, hsp_model **out)
{
    hsp_context unasked = hsp__stop_none(batch->ctx); /* whoever stopped the run wants its model */
    hsp__model_spec outcome = hsp__model_spec_of(batch->learner, batch->options, &batch->prepared,
                                                 batch->hash, &batch->run);
    outcome.tie = batch->plan->tie;
    outcome.seed = batch->plan->seed;
    hsp_model *model = NULL;
    hsp_status status = batch->kernel
                            ? hsp__erm_kernel_model(batch, &unasked, &outcome, err, &model)
                            : erm_model_linear(batch, &unasked, &outcome, err, &model);
    if (status) return status;
    status = erm_model_fill(batch, &outcome, model, err);
    if (status)
        hsp_model_free(model);
    else
        *out = model;
    return status;
}
