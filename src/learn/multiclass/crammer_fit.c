/* All classes at once (crammer.h), between the driver's problems and its figures. */
#include <math.h>
#include <string.h>

#include "base/context.h"
#include "base/error.h"
#include "base/memory.h"
#include "learn/erm/erm.h"
#include "learn/multiclass/crammer.h"
#include "vec/vec.h"

#define CRAMMER_FIT_ROUNDS 3 /* of solving and judging */

/* Only a name: the figures of all classes are those of the first task. */
static const hsp__solver crammer_fit_solver = {.name = "crammer-singer",
                                               .summary = "all classes at once"};

/* Dual weights that a model of the same data kept. */
static void crammer_fit_start(const hsp__erm *batch, double *dual, double *b)
{
    const uint32_t k = batch->count;
    for (uint32_t c = 0; c < k; c++) {
        hsp__solution s = {
            .w = batch->weights + c * batch->prepared.view->cols,
            .dual = hsp__new(&batch->ctx->allocator, batch->prepared.view->rows, sizeof *s.dual)};
        if (!s.dual) return; /* a start is a help, not a need */
        hsp__erm_start(batch, c, &s);
        b[c] = s.b;
        for (uint64_t i = 0; i < batch->prepared.view->rows; i++)
            dual[i * k + c] = hsp__problem_y(&batch->tasks[c].problem, i) * s.dual[i];
        hsp__free(&batch->ctx->allocator, s.dual);
    }
}

/* How far the row is in, and its share of what is missing (crammer.c), relative to its cost. */
static void crammer_fit_row(const hsp__crammer *p, const double *w, const double *b,
                            const double *dual, uint64_t i, hsp__kkt *kkt)
{
    const uint32_t k = p->view->classes, y = p->view->labels[i];
    const uint64_t d = p->view->cols;
    const double cost = p->cost[y] * (p->row_weight ? p->row_weight[i] : 1);
    const double own = hsp__row_score(p->view, i, w + y * d, b[y]);
    double best = -HUGE_VAL, pulled = 0, sum = 0;
    for (uint32_t m = 0; m < k; m++) {
        sum += dual[i * k + m];
        if (m == y) continue;
        const double s = hsp__row_score(p->view, i, w + m * d, b[m]);
        best = fmax(best, s);
        pulled -= dual[i * k + m] * (1 + s - own);
    }
    if (!(cost > 0)) return;
    const double margin = own - best, a = dual[i * k + y];
    kkt->least = fmin(kkt->least, margin);
    kkt->dual = fmax(kkt->dual, fabs(sum) / cost);
    kkt->complementarity = fmax(kkt->complementarity, fmax(0, 1 - margin) - pulled / cost);
    if (!(a > 0)) return;
    kkt->support++;
    const double lacks = margin > 1 ? a / cost : (cost - a) / cost; /* as in judge_count */
    if (fabs(margin - 1) <= fmax(lacks, 1e-6))
        kkt->on++;
    else if (margin < 1)
        (*(margin < 0 ? &kkt->wrong : &kkt->inside))++;
}

static void crammer_fit_kkt(hsp_context *ctx, const hsp__crammer *p, const double *w,
                            const double *b, const double *dual, const double *u, hsp__kkt *kkt)
{
    const hsp__vec_table *vec = hsp__vec();
    const uint64_t d = p->view->cols;
    const uint32_t k = p->view->classes;
    *kkt = (hsp__kkt){.least = HUGE_VAL};
    const size_t all = (size_t)(k * d);
    const double size = sqrt(fmax(vec->sqnorm_f64(w, all), vec->sqnorm_f64(u, all)));
    if (size > 0) kkt->stationarity = sqrt(vec->sqdist_f64(w, u, all)) / size;
    for (uint64_t i = 0; i < p->view->rows && !hsp__tick(ctx); i++)
        crammer_fit_row(p, w, b, dual, i, kkt);
    hsp__gap_margin(vec->sqnorm_f64(w, all), kkt); /* of the weights of all classes together */
}

static hsp_status crammer_fit_solve(hsp__erm *batch, const hsp__crammer *p, double *b, double *u,
                                    hsp_error *err)
{
    const hsp__erm_plan *plan = batch->plan;
    hsp__goal goal = {.gap = plan->gap,
                      .max_passes = plan->max_passes,
                      .seed = plan->seed,
                      .watch = &batch->watch,
                      .report = 1};
    hsp__crammer_solution s = {.w = batch->weights, .b = b, .dual = batch->all_dual};
    hsp__gap_values verdict = {.gap = 1};
    uint64_t passes = 0, updates = 0;
    hsp__stop brief;
    hsp_context last = *batch->ctx;
    int judged = 1;
    if (batch->start) crammer_fit_start(batch, batch->all_dual, b);
    /* The solver stops on the gap as computed, the verdict adds what rounding may hide: if that is
     * too much, the solver goes on from where it is, to a gap that leaves room for it. */
    for (int round = 0; round < CRAMMER_FIT_ROUNDS; round++) {
        hsp_status status = hsp__crammer_solve(batch->ctx, p, &goal, err, &s);
        if (status) return status;
        last = hsp__stop_brief(&brief, batch->ctx);
        status = hsp__crammer_judge(&last, p, s.w, s.b, s.dual, u, err, &verdict);
        if (status && status != HSP_CANCELLED) return status;
        judged = !status;
        passes += s.passes;
        updates += s.updates;
        goal.gap = plan->gap - 2 * verdict.rounding;
        if (!judged || s.stop != HSP_STOP_CONVERGED || verdict.gap <= plan->gap || !(goal.gap > 0))
            break;
    }
    hsp__erm_task *task = &batch->tasks[0];
    task->solver = &crammer_fit_solver;
    task->solution = (hsp__solution){.primal = verdict.primal,
                                     .dual_value = verdict.dual,
                                     .gap = verdict.gap,
                                     .rounding = verdict.rounding,
                                     .passes = passes,
                                     .updates = updates,
                                     .stop = s.stop};
    if (s.stop == HSP_STOP_CONVERGED && !(verdict.gap <= plan->gap))
        task->solution.stop = HSP_STOP_PASSES;
    if (judged) crammer_fit_kkt(&last, p, s.w, s.b, s.dual, u, &task->kkt);
    if (hsp__stopped(&last)) hsp__erm_unjudged(&last, task);
    for (uint32_t c = 0; c < batch->count; c++)
        batch->tasks[c].solution.b = b[c];
    return HSP_OK;
}

hsp_status hsp__erm_crammer(hsp__erm *batch, hsp_error *err)
{
    const hsp_allocator *memory = &batch->ctx->allocator;
    const hsp_view *view = batch->prepared.view;
    const uint32_t k = batch->count;
    double *cost = hsp__new(memory, k, sizeof *cost), *b = hsp__new(memory, k, sizeof *b);
    double *u = hsp__new_raw(memory, k * view->cols, sizeof *u);
    batch->all_dual = hsp__new(memory, k * view->rows, sizeof *batch->all_dual);
    hsp_status status = cost && b && u && batch->all_dual ? HSP_OK : hsp__fail_memory(err);
    for (uint32_t c = 0; !status && c < k; c++)
        cost[c] = batch->tasks[c].problem.cost[1];
    const hsp__crammer p = {.view = view,
                            .cost = cost,
                            .row_weight = batch->prepared.weight,
                            .offset = batch->plan->offset};
    if (!status) status = crammer_fit_solve(batch, &p, b, u, err);
    hsp__free(memory, cost);
    hsp__free(memory, b);
    hsp__free(memory, u);
    return status;
}
