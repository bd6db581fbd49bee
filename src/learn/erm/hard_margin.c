/* Where a separator is demanded, the last word on whether there is one.
 *
 * A solver that minimises ||w||^2 / 2 comes as near as its arithmetic allows; where classes all but
 * touch, it can end without an answer, or with multipliers that show inseparability to a few digits
 * only. Then its multipliers are solved for once more in longer arithmetic, and if that shows
 * nothing, linear programming decides (lp.h), which checks both of its answers. */
#include <math.h>
#include <string.h>

#include "base/context.h"
#include "base/error.h"
#include "base/memory.h"
#include "learn/erm/hard_margin.h"
#include "learn/lp/lp.h"
#include "learn/erm/matvec.h"

/* The multipliers of the solver, made exact in place. */
static hsp_status hard_margin_polish(hsp_context *ctx, const hsp__problem *p, double *a,
                                     hsp_error *err, int *found)
{
    const hsp_allocator *memory = &ctx->allocator;
    const uint64_t n = p->view->rows;
    uint64_t count = 0;
    double most = 0;
    int *exponents = hsp__new(memory, p->view->cols, sizeof *exponents);
    uint64_t *rows = hsp__new_raw(memory, n, sizeof *rows);
    double *some = hsp__new_raw(memory, n, sizeof *some);
    hsp_status status = exponents && rows && some ? HSP_OK : hsp__fail_memory(err);
    for (uint64_t i = 0; i < n; i++)
        most = fmax(most, a[i]);
    for (uint64_t i = 0; !status && i < n; i++) {
        if (!(a[i] > 1e-6 * most)) continue;
        some[count] = a[i] / most;
        rows[count++] = i;
    }
    *found = 0;
    if (!status && count) {
        hsp__lp_exponents(ctx, p, exponents);
        status = hsp__lp_common_point(ctx, p, exponents, rows, count, some, err, found);
    }
    if (!status && *found) {
        memset(a, 0, n * sizeof *a);
        for (uint64_t k = 0; k < count; k++)
            a[rows[k]] = some[k];
    }
    hsp__free(memory, exponents);
    hsp__free(memory, rows);
    hsp__free(memory, some);
    return status;
}

/* A separator, made as long as m >= 1 asks for: any is better than none. */
static hsp_status hard_margin_take(hsp_context *ctx, const hsp__problem *p,
                                   const hsp__lp_answer *answer, hsp__solution *s, hsp_error *err)
{
    const uint64_t n = p->view->rows;
    double least = HUGE_VAL;
    double *scores = hsp__new_raw(&ctx->allocator, n, sizeof *scores);
    if (!scores) return hsp__fail_memory(err);
    hsp__matvec_scores(ctx, p->view, answer->w, answer->b, scores);
    for (uint64_t i = 0; !hsp__stopped(ctx) && i < n; i++)
        least = fmin(least, hsp__problem_y(p, i) * scores[i]);
    hsp__free(&ctx->allocator, scores);
    const double factor = (1 + 1e-12) / least;
    if (!(least > 0) || !isfinite(factor) || hsp__stopped(ctx)) return HSP_OK;
    for (uint64_t j = 0; j < p->view->cols; j++)
        s->w[j] = answer->w[j] * factor;
    s->b = answer->b * factor;
    return HSP_OK;
}

static hsp_status hard_margin_ask_lp(hsp_context *ctx, const hsp__problem *p, const hsp__goal *goal,
                                     hsp__solution *s, hsp_error *err)
{
    hsp__lp_answer answer = {
        .w = hsp__new(&ctx->allocator, p->view->cols, sizeof *answer.w),
        .a = hsp__new(&ctx->allocator, p->view->rows, sizeof *answer.a),
    };
    hsp_status status = answer.w && answer.a ? HSP_OK : hsp__fail_memory(err);
    if (!status) status = hsp__lp_separate(ctx, p, goal->watch, goal->report, err, &answer);
    if (!status) s->stop = answer.stop == HSP_STOP_CONVERGED ? HSP_STOP_PASSES : answer.stop;
    if (!status && answer.stop == HSP_STOP_INSEPARABLE)
        memcpy(s->dual, answer.a, p->view->rows * sizeof *s->dual);
    if (!status && answer.stop == HSP_STOP_CONVERGED && isinf(s->primal))
        status = hard_margin_take(ctx, p, &answer, s, err);
    hsp__free(&ctx->allocator, answer.w);
    hsp__free(&ctx->allocator, answer.a);
    return status;
}

hsp_status hsp__hard_margin_settle(hsp_context *ctx, const hsp__problem *given,
                                   const hsp__goal *goal, hsp__solution *s, hsp_error *err)
{
    hsp__problem p = *given;
    int found;
    if (s->stop != HSP_STOP_PASSES && s->stop != HSP_STOP_INSEPARABLE) return HSP_OK;
    if (s->stop == HSP_STOP_PASSES && isfinite(s->primal)) return HSP_OK; /* there is one */
    /* a penalty on the offset decides which separator is the best, not whether there is one */
    if (p.offset == HSP__OFFSET_REGULARIZED) p.offset = HSP__OFFSET_FREE;
    hsp_status status = hard_margin_polish(ctx, &p, s->dual, err, &found);
    if (status == HSP_CANCELLED) {
        hsp__watch_stopped(ctx, &s->stop);
        return HSP_OK;
    }
    if (!status && found) {
        s->stop = HSP_STOP_INSEPARABLE;
        return HSP_OK;
    }
    if (!status && hsp__clp_ready(NULL) == HSP_OK) return hard_margin_ask_lp(ctx, &p, goal, s, err);
    s->stop = HSP_STOP_PASSES; /* without linear programming it stays open */
    return status;
}
