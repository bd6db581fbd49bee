#include "learn/erm/erm.h"

#include <assert.h>
#include <string.h>

#include "base/context.h"
#include "base/scratch.h"
#include "learn/erm/fit.h"
#include "learn/option_helpers.h"

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

hsp__goal hsp__erm_goal(hsp__train *train, int report)
{
    return (hsp__goal){.gap = train->plan.gap,
                       .max_passes = train->plan.max_passes,
                       .seed = train->plan.seed,
                       .watch = &train->watch,
                       .report = report,
                       .in_order = train->plan.in_order,
                       .last = train->plan.last};
}

hsp_status hsp__erm_fit(hsp__train *train, hsp_context *ctx, hsp__task *task, int report,
                        hsp_error *err)
{
    const hsp_view *view = task->problem.view;
    const hsp__goal goal = hsp__erm_goal(train, report);
    const int choose = strcmp(train->plan.solver, "auto") == 0;
    hsp__solution *s = &task->solution;
    hsp__scratch scratch = {.memory = &ctx->allocator};
    assert(view->cols == train->prepared.view->cols && s->w);
    HSP__TRY(hsp__fit_choose(train->plan.solver, task, err));
    double *norms = hsp__scratch_raw(&scratch, view->rows, sizeof *norms);
    s->dual = hsp__new(&ctx->allocator, view->rows, sizeof *s->dual);
    s->u = hsp__scratch_raw(&scratch, view->cols, sizeof *s->u);
    s->scores = hsp__scratch_raw(&scratch, view->rows, sizeof *s->scores);
    hsp_status status = scratch.failed || !s->dual ? hsp__fail_memory(err) : HSP_OK;
    if (!status) {
        hsp__gap_norms(ctx, view, norms);
        task->problem.norms = norms;
        if (train->start) hsp__warm_start(train, task, s);
        status = task->solver->solve(ctx, &task->problem, &goal, err, s);
    }
    if (!status) status = hsp__fit_finish(ctx, &goal, choose, task, err);
    if (!status && train->count == 1 && s->stop != HSP_STOP_INSEPARABLE) {
        /* two classes: the rows that the scorer gets wrong, from the scores at hand */
        task->counted = task->gap_unknown ? -1 : 1;
        for (uint64_t i = 0; task->counted > 0 && i < view->rows; i++) {
            const double score = s->scores[i] + s->b;
            const uint32_t predicted = score > 0   ? 1
                                       : score < 0 ? 0
                                                   : hsp__decide(&score, 1, train->plan.tie);
            task->mistakes += predicted != view->labels[i];
        }
    }
    hsp__scratch_free(&scratch);
    s->u = s->scores = NULL;
    task->problem.norms = NULL;
    return status;
}
