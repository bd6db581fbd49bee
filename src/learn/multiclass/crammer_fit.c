#include "base/base.h"
#include "learn/multiclass/crammer.h"

#include "learn/erm/erm.h"
#include "vec/vec.h"

#define CRAMMER_FIT_ROUNDS 3 /* of solving and computing the gap */

/* Only a name: the figures of all classes are those of the first task. */
static const hsp__solver crammer_fit_solver = {.name = "crammer-singer",
                                               .summary = "all classes at once"};

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
    for (uint64_t i = 0; i < p->view->rows && !hsp__tick(ctx); i++) {
        /* How far the row is in, and its share of what is missing (crammer.c), relative to its
         * cost. */
        const uint32_t y = p->view->labels[i];
        const double cost = p->cost[y] * (p->row_weight ? p->row_weight[i] : 1);
        const double own = hsp__row_score(p->view, i, w + y * d, b[y]), a = dual[i * k + y];
        double best = -HUGE_VAL, pulled = 0, sum = 0;
        for (uint32_t m = 0; m < k; m++) {
            sum += dual[i * k + m];
            if (m == y) continue;
            const double s = hsp__row_score(p->view, i, w + m * d, b[m]);
            best = fmax(best, s);
            pulled -= dual[i * k + m] * (1 + s - own);
        }
        if (!(cost > 0)) continue;
        const double margin = own - best;
        kkt->least = fmin(kkt->least, margin);
        kkt->dual = fmax(kkt->dual, fabs(sum) / cost);
        kkt->complementarity = fmax(kkt->complementarity, fmax(0, 1 - margin) - pulled / cost);
        if (!(a > 0)) continue;
        kkt->support++;
        const double lacks = margin > 1 ? a / cost : (cost - a) / cost; /* as in gap_kkt_rows */
        if (fabs(margin - 1) <= fmax(lacks, 1e-6))
            kkt->on++;
        else if (margin < 1)
            (*(margin < 0 ? &kkt->wrong : &kkt->inside))++;
    }
    hsp__gap_margin(hsp__gap_length(w, all), kkt); /* of the weights of all classes together */
}

static hsp_status crammer_fit_solve(hsp__train *train, const hsp__crammer *p, double *b, double *u,
                                    double *dual, hsp_error *err)
{
    const hsp__plan *plan = &train->plan;
    const uint64_t n = p->view->rows;
    const uint32_t k = train->count;
    hsp__goal goal = hsp__erm_goal(train, &train->tasks[0], 1);
    hsp__crammer_solution s = {.w = train->weights, .b = b, .dual = dual};
    hsp__gap_values values = {.gap = 1};
    uint64_t passes = 0, updates = 0;
    hsp__stop brief;
    hsp_context last = *train->ctx;
    int gap_known = 1;
    for (uint32_t c = 0; train->start && c < k;
         c++) { /* dual weights of a model of the same data */
        hsp__solution start = {.w = train->weights + c * p->view->cols,
                               .dual = hsp__new(&train->ctx->allocator, n, sizeof *start.dual)};
        if (!start.dual) break; /* a start is a help, not a need */
        hsp__warm_start(train, &train->tasks[c], &start);
        b[c] = start.b;
        for (uint64_t i = 0; i < n; i++)
            dual[i * k + c] = hsp__problem_y(&train->tasks[c].problem, i) * start.dual[i];
        hsp__free(&train->ctx->allocator, start.dual);
    }
    /* The solver stops by the gap as computed; the full computation adds rounding errors: if that is
     * too much, the solver goes on from where it is, to a gap that leaves room for it. */
    for (int round = 0; round < CRAMMER_FIT_ROUNDS; round++) {
        HSP__TRY(hsp__crammer_solve(train->ctx, p, &goal, err, &s));
        last = hsp__stop_grace(&brief, train->ctx);
        hsp_status status = hsp__crammer_gap(&last, p, s.w, s.b, s.dual, u, err, &values);
        if (status && status != HSP_CANCELLED) return status;
        gap_known = !status;
        passes += s.passes;
        if (goal.log) goal.log->before = passes;
        updates += s.updates;
        goal.gap = plan->gap - 2 * values.rounding;
        if (!gap_known || s.stop != HSP_STOP_CONVERGED || values.gap <= plan->gap ||
            !(goal.gap > 0))
            break;
    }
    hsp__task *task = &train->tasks[0];
    task->solver = &crammer_fit_solver;
    task->solution = (hsp__solution){.primal = values.primal,
                                     .dual_value = values.dual,
                                     .gap = values.gap,
                                     .rounding = values.rounding,
                                     .passes = passes,
                                     .updates = updates,
                                     .stop = s.stop};
    if (s.stop == HSP_STOP_CONVERGED && !(values.gap <= plan->gap))
        task->solution.stop = HSP_STOP_PASSES;
    if (gap_known) crammer_fit_kkt(&last, p, s.w, s.b, s.dual, u, &task->kkt);
    if (hsp__stopped(&last)) hsp__fit_gap_unknown(&last, task);
    hsp__pass_log_end(train->ctx, goal.log, passes, task->solution.primal,
                      task->solution.dual_value);
    for (uint32_t c = 0; c < train->count; c++)
        train->tasks[c].solution.b = b[c];
    return HSP_OK;
}

hsp_status hsp__crammer_fit(hsp__train *train, hsp_error *err)
{
    const hsp_view *view = train->prepared.view;
    const uint32_t k = train->count;
    hsp__scratch scratch = {.memory = &train->ctx->allocator};
    double *cost = hsp__scratch_new(&scratch, k, sizeof *cost);
    double *b = hsp__scratch_new(&scratch, k, sizeof *b);
    double *u = hsp__scratch_raw(&scratch, k * view->cols, sizeof *u);
    double *dual = hsp__scratch_new(&scratch, k * view->rows, sizeof *dual);
    hsp_status status = scratch.failed ? hsp__fail_memory(err) : HSP_OK;
    for (uint32_t c = 0; !status && c < k; c++)
        cost[c] = train->tasks[c].problem.cost[1];
    const hsp__crammer p = {.view = view,
                            .cost = cost,
                            .row_weight = train->prepared.weight,
                            .offset = train->plan.offset};
    hsp__stop_limit(train->ctx, train->plan.max_seconds);
    if (!status) status = crammer_fit_solve(train, &p, b, u, dual, err);
    for (uint32_t c = 0; !status && train->plan.keep_dual && c < k; c++) {
        double *amounts = hsp__new_raw(&train->ctx->allocator, view->rows, sizeof *amounts);
        for (uint64_t i = 0; amounts && i < view->rows; i++)
            amounts[i] = dual[i * k + c];
        train->tasks[c].amounts = amounts;
        if (!amounts) status = hsp__fail_memory(err);
    }
    hsp__scratch_free(&scratch);
    return status;
}
