#include "learn/kernel/fit_kernel.h"

#include <assert.h>
#include <math.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "base/stop.h"
#include "kernel/kernel_rows.h"
#include "learn/kernel/kernel_erm.h"
#include "learn/kernel/smo.h"

/* With kernel values in double if the problem asks for that, or if floats turn out to be too short. */
static hsp_status fit_kernel_solve(hsp_context *ctx, const hsp__kernel_rows *rows,
                                   const hsp__problem *p, const hsp__goal *goal, uint64_t bytes,
                                   hsp_error *err, hsp__smo_solution *s)
{
    const hsp__smo_source source = {.rows = rows, .n = p->view->rows};
    hsp_status status = HSP_OK;
    for (int wide = hsp__smo_wide(p, goal), again = 1; !status && again; wide = 1) {
        hsp__smo_cache cache = {0};
        status = hsp__smo_cache_init(&cache, ctx, &source, bytes, wide, err);
        if (!status) status = hsp__smo(ctx, p, &cache, goal, err, s);
        hsp__smo_cache_free(&cache);
        again = !wide && s->wants_double && !hsp__stopped(ctx);
    }
    return status;
}

hsp_status hsp__fit_kernel(hsp_context *ctx, const hsp_kernel *kernel, const hsp__problem *p,
                           const hsp__fit_limits *limits, uint64_t bytes, hsp_error *err,
                           hsp__fitted *out)
{
    const hsp_allocator *memory = &ctx->allocator;
    hsp__stop stop;
    hsp_context own = hsp__stop_open(&stop, ctx);
    hsp__watch watch = {.ctx = &own, .each = p->view->rows};
    const hsp__goal goal = {.gap = limits->gap,
                            .max_passes = limits->max_passes,
                            .seed = limits->seed,
                            .watch = &watch,
                            .report = 1};
    hsp__kernel_rows *rows = NULL;
    assert(hsp__smo_suits(hsp__problem_loss(p)) || p->hard);
    hsp__smo_solution s = {.a = hsp__new(memory, p->view->rows, sizeof *s.a),
                           .scores = hsp__new(memory, p->view->rows, sizeof *s.scores)};
    *out = (hsp__fitted){.memory = *memory, .dual = s.a};
    hsp_status status = s.a && s.scores ? HSP_OK : hsp__fail_memory(err);
    hsp__stop_limit(&own, limits->max_seconds);
    if (!status) status = hsp__kernel_rows_new(&own, kernel, p->view, NULL, err, &rows);
    if (!status) status = hsp__kernel_erm_check_size(rows, err);
    if (!status) status = fit_kernel_solve(&own, rows, p, &goal, bytes, err, &s);
    hsp__kernel_rows_free(&own, rows);
    hsp__free(memory, s.scores);
    out->b = s.b;
    out->primal = s.primal;
    out->dual_value = s.dual;
    out->gap = s.gap;
    out->stop = s.stop;
    if (!status && hsp__stopped(&own) == HSP__STOP_REQUESTED) status = hsp__stop_status(&own, err);
    return status;
}
