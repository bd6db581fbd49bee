/* The least total slack.
 *
 *     minimise  sum c_i xi_i    with    y_i (<w, x_i> + b) >= 1 - xi_i,    xi_i >= 0
 *
 * A separator has none; where there is none, the dual is solved, which has one row per column of the
 * data and one variable a row:
 *
 *     maximise  sum a_i         with    0 <= a_i <= c_i,   sum a y x = 0,   offset free: sum a y =
 * 0
 *
 * whose prices are -w and -b. Duality makes the answer checkable: the slack of (w, b) is computed
 * from the rows, and for weights no larger than |w_j| no slack is below sum a - sum_j |u_j w_j|,
 * where u = sum a y x is what rounding left. They must agree to one part in a million.
 *
 * There is no penalty, so that w need not be unique, and a single row may pull it far.
 * [K. Bennett, O. Mangasarian, Robust linear programming discrimination of two linearly inseparable
 * sets, Optimization Methods and Software 1, 1992; there the classes have equal weight.] */
#include <limits.h>
#include <math.h>
#include <string.h>

#include "base/context.h"
#include "base/error.h"
#include "base/memory.h"
#include "learn/erm/gap.h"
#include "learn/lp/lp.h"
#include "learn/erm/matvec.h"

#define LP_SOFTEN_STEPS 2000
#define LP_SOFTEN_GAP   1e-6
#define LP_SOFTEN_TICK  256 /* rows between two ticks */

/* The arrays of the dual program, column after column. */
typedef struct lp_soften_state {
    hsp_context *ctx;
    const hsp__problem *p;
    int *exponents; /* d */
    double *lower, *upper, *cost;
    int *starts, *rows;
    double *values;
    double *scores; /* n */
    double *u;      /* d */
    hsp__clp *lp;
} lp_soften_state;

static void lp_soften_fill(lp_soften_state *t)
{
    const uint64_t n = t->p->view->rows, d = t->p->view->cols;
    int at = 0;
    for (uint64_t i = 0; i < n; i++) {
        if (i % LP_SOFTEN_TICK == 0 && hsp__tick(t->ctx)) return;
        const hsp__row row = hsp__view_row(t->p->view, i);
        const double y = hsp__problem_y(t->p, i);
        t->starts[i] = at;
        t->upper[i] = hsp__problem_cost(t->p, i);
        t->cost[i] = -1;
        for (uint64_t k = 0; t->upper[i] > 0 && k < row.count; k++) {
            const uint64_t j = hsp__row_column(&row, k);
            const double x = hsp__row_value(t->p->view, &row, k);
            if (x == 0) continue;
            t->rows[at] = (int)j;
            t->values[at++] = y * ldexp(x, -t->exponents[j]);
        }
        if (t->p->offset == HSP__OFFSET_NONE) continue;
        t->rows[at] = (int)d;
        t->values[at++] = y;
    }
    t->starts[n] = at;
}

static hsp_status lp_soften_load(lp_soften_state *t, hsp_error *err)
{
    const hsp_allocator *memory = &t->ctx->allocator;
    const int n = (int)t->p->view->rows, d = (int)t->p->view->cols;
    double *zeros = hsp__new(memory, (uint64_t)d + 1, sizeof *zeros);
    int *none = hsp__new(memory, (uint64_t)d + 2, sizeof *none);
    hsp_status status = zeros && none ? HSP_OK : hsp__fail_memory(err);
    if (!status) status = hsp__clp_new(t->ctx, 0, NULL, NULL, NULL, err, &t->lp);
    if (!status) {
        lp_soften_fill(t);
        status = hsp__stop_status(t->ctx, err);
    }
    if (!status) {
        hsp__clp_add_rows(t->lp, d + 1, zeros, zeros, none, none, zeros);
        hsp__clp_add_columns(t->lp, n, t->lower, t->upper, t->cost, t->starts, t->rows, t->values);
    }
    hsp__free(memory, zeros);
    hsp__free(memory, none);
    return status;
}

static hsp_status lp_soften_new(lp_soften_state *t, hsp_error *err)
{
    const hsp_allocator *memory = &t->ctx->allocator;
    const uint64_t n = t->p->view->rows, d = t->p->view->cols;
    const uint64_t entries = hsp_view_stored(t->p->view) + n;
    if (entries > INT_MAX / 2 || d > INT_MAX / 4)
        return hsp__fail(err, HSP_BAD_DATA, "too many entries for a linear program");
    t->exponents = hsp__new_raw(memory, d, sizeof *t->exponents);
    t->lower = hsp__new(memory, n, sizeof *t->lower);
    t->upper = hsp__new_raw(memory, n, sizeof *t->upper);
    t->cost = hsp__new_raw(memory, n, sizeof *t->cost);
    t->starts = hsp__new_raw(memory, n + 1, sizeof *t->starts);
    t->rows = hsp__new_raw(memory, entries, sizeof *t->rows);
    t->values = hsp__new_raw(memory, entries, sizeof *t->values);
    t->scores = hsp__new_raw(memory, n, sizeof *t->scores);
    t->u = hsp__new_raw(memory, d, sizeof *t->u);
    if (!t->exponents || !t->lower || !t->upper || !t->cost || !t->starts || !t->rows ||
        !t->values || !t->scores || !t->u)
        return hsp__fail_memory(err);
    return HSP_OK;
}

static void lp_soften_free(lp_soften_state *t)
{
    const hsp_allocator *memory = &t->ctx->allocator;
    hsp__clp_free(t->lp);
    hsp__free(memory, t->exponents);
    hsp__free(memory, t->lower);
    hsp__free(memory, t->upper);
    hsp__free(memory, t->cost);
    hsp__free(memory, t->starts);
    hsp__free(memory, t->rows);
    hsp__free(memory, t->values);
    hsp__free(memory, t->scores);
    hsp__free(memory, t->u);
}

/* Both values from the rows themselves. */
static hsp_status lp_soften_values(lp_soften_state *t, hsp_error *err, hsp__lp_answer *answer)
{
    const uint64_t n = t->p->view->rows, d = t->p->view->cols;
    hsp__gap_balance(t->ctx, t->p, answer->a);
    hsp__matvec_scores(t->ctx, t->p->view, answer->w, 0, t->scores);
    hsp_status status = hsp__gap_offset(t->ctx, t->p, t->scores, err, &answer->b);
    if (status) return status;
    answer->primal = answer->dual_value = 0;
    for (uint64_t i = 0; i < n; i++) {
        const double y = hsp__problem_y(t->p, i), m = y * (t->scores[i] + answer->b);
        answer->primal += hsp__problem_cost(t->p, i) * hsp__hinge_value(m, 1 - m);
        answer->dual_value += answer->a[i];
        t->scores[i] = y * answer->a[i];
    }
    status = hsp__matvec_combine(t->ctx, t->p->view, t->scores, err, t->u);
    for (uint64_t j = 0; !status && j < d; j++)
        answer->dual_value -= fabs(t->u[j] * answer->w[j]);
    if (answer->dual_value < 0) answer->dual_value = 0; /* no slack is below 0 */
    return status;
}

static hsp_status lp_soften_solve(lp_soften_state *t, hsp__watch *watch, int report, hsp_error *err,
                                  hsp__lp_answer *answer)
{
    const uint64_t n = t->p->view->rows, d = t->p->view->cols;
    hsp__clp_outcome outcome = HSP__CLP_LIMIT;
    int steps = LP_SOFTEN_STEPS, stopped = 0;
    hsp__lp_exponents(t->ctx, t->p, t->exponents);
    hsp_status status = lp_soften_load(t, err);
    if (status) return status;
    answer->rounds++;
    while (outcome == HSP__CLP_LIMIT && !stopped) {
        outcome = hsp__clp_solve(t->lp, 1, steps);
        answer->steps += hsp__clp_steps(t->lp);
        stopped = hsp__watch_gap(watch, report, "linear programs", answer->rounds, (double)NAN,
                                 (double)NAN, &answer->stop);
        if (steps < INT_MAX / 4) steps *= 2;
    }
    const double *values = hsp__clp_values(t->lp), *prices = hsp__clp_prices(t->lp);
    memcpy(answer->a, values, n * sizeof *values);
    for (uint64_t j = 0; j < d; j++)
        answer->w[j] = ldexp(-prices[j], -t->exponents[j]);
    answer->b = t->p->offset == HSP__OFFSET_NONE ? 0 : -prices[d];
    if (stopped) return HSP_CANCELLED;
    status = lp_soften_values(t, err, answer);
    if (!status)
        answer->stop = answer->primal - answer->dual_value <= LP_SOFTEN_GAP * answer->primal
                           ? HSP_STOP_CONVERGED
                           : HSP_STOP_PASSES;
    return status;
}

/* The run was stopped: what the weights are worth, if there is time to see. */
static hsp_status lp_soften_stopped(lp_soften_state *t, hsp_error *err, hsp__lp_answer *answer)
{
    hsp_context *ctx = t->ctx;
    hsp__stop brief;
    hsp_context last = hsp__stop_brief(&brief, ctx);
    hsp__watch_stopped(ctx, &answer->stop);
    t->ctx = &last;
    const hsp_status status = lp_soften_values(t, err, answer);
    t->ctx = ctx;
    if (status != HSP_CANCELLED) return status;
    answer->primal = (double)NAN;
    answer->dual_value = 0;
    return HSP_OK;
}

/* A separator whose margins are all 1 at least has no slack. */
static int lp_soften_is_slackless(const hsp__problem *p, const double *scores)
{
    for (uint64_t i = 0; i < p->view->rows; i++)
        if (hsp__problem_cost(p, i) > 0 && !(hsp__problem_y(p, i) * scores[i] >= 1)) return 0;
    return 1;
}

hsp_status hsp__lp_soften(hsp_context *ctx, const hsp__problem *p, hsp__watch *watch, int report,
                          hsp_error *err, hsp__lp_answer *answer)
{
    lp_soften_state t = {.ctx = ctx, .p = p};
    hsp_status status = hsp__lp_separate(ctx, p, watch, report, err, answer);
    if (status) return status;
    int done = 0;
    status = lp_soften_new(&t, err);
    if (!status && hsp__stopped(ctx)) { /* what the weights so far are worth, and no bound yet */
        memset(answer->a, 0, p->view->rows * sizeof *answer->a);
        status = HSP_CANCELLED;
    }
    if (!status && answer->stop == HSP_STOP_CONVERGED) {
        hsp__matvec_scores(ctx, p->view, answer->w, answer->b, t.scores);
        done = !hsp__stopped(ctx) && lp_soften_is_slackless(p, t.scores);
        answer->primal = answer->dual_value = 0;
    }
    if (!status && !done) status = lp_soften_solve(&t, watch, report, err, answer);
    if (status == HSP_CANCELLED) status = lp_soften_stopped(&t, err, answer);
    lp_soften_free(&t);
    return status;
}
