/* The lightest separator, as the mistake bounds of winnow ask for it (docs/winnow.md).
 *
 * balanced: k <= (ln 2N - H) / (eta g/V - ln cosh eta) is low where V/g is:
 *
 *     minimise sum |v_j|    with    y <v, x> >= 1                    (x with the column of ones)
 *
 * winnow2: k is about (K S/ln alpha) ln Z, and K S = (2 + delta) W / (1 - delta (b - 1)), W the
 * total weight and b the threshold once the two sides are 1 apart. A quotient of linear functions
 * is made linear by scaling v so that the divisor is 1 [Charnes, Cooper 1962]:
 *
 *     minimise sum v_j      with    v >= 0,   <v, x> >= b on positive rows,
 *                                             alpha <v, x> <= b - 1 on negative ones
 *
 * which has an answer exactly if the bound applies to any separator. winnow1: v must be 0 on
 * negative rows, so columns that are on there have no weight, and <v, x> >= 1 on positive ones.
 *
 * The program begins with some rows; its answer is tried on all, and the worst join, by the dual
 * simplex method, until none is wrong: most rows never enter. A variable that helps no row is left
 * out. The answer is CLP's, to nine digits: whoever uses it looks at what it does on the rows. */
#include <float.h>
#include <limits.h>
#include <stdlib.h>

#include "base/base.h"
#include "learn/lp/lp_clp.h"
#include "learn/watch.h"
#include "prove/prove.h"

#define MIN_L1_SEPARATOR_BATCH   400  /* rows that join at once */
#define MIN_L1_SEPARATOR_WRONG   1e-7 /* a row this far off joins */
#define MIN_L1_SEPARATOR_STEPS   200  /* of the simplex method between two looks at the clock */
#define MIN_L1_SEPARATOR_SECONDS 15

typedef struct min_l1_separator_wrong {
    double by;
    uint64_t row;
} min_l1_separator_wrong;

typedef struct min_l1_separator_state {
    hsp__prove *prove;
    const hsp__winnow_run *run;
    const hsp_view *view;
    int *up, *down; /* cols + 1: the variables that add to v_j and take away; -1: none */
    int count;      /* of variables */
    double *v;      /* cols + 1 */
    min_l1_separator_wrong *wrong; /* rows */
    hsp__clp *lp;
    hsp_context *ctx; /* with a limit of time */
} min_l1_separator_state;

/* What entries of the row are multiplied by in its inequality, and what that is to reach. */
static double min_l1_separator_factor(const min_l1_separator_state *t, uint64_t i)
{
    const int up = t->prove->data.y[i] > 0;
    return t->run->variant == HSP__WINNOW_BALANCED ? (up ? 1 : -1) : up ? 1 : -t->run->alpha;
}

static double min_l1_separator_goal(const min_l1_separator_state *t, uint64_t i)
{
    return t->run->variant == HSP__WINNOW_BALANCED || t->prove->data.y[i] < 0;
}

/* ---- Variables ------------------------------------------------------------------------------- */

/* Which would help a row, and which hurt a negative one of winnow1. */
static void min_l1_separator_mark(min_l1_separator_state *t)
{
    const int balanced = t->run->variant == HSP__WINNOW_BALANCED;
    const uint64_t d = t->run->cols;
    for (uint64_t j = 0; j <= d; j++)
        t->up[j] = t->down[j] = -1;
    for (uint64_t i = 0; i < t->view->rows; i++) {
        const hsp__row row = hsp__view_row(t->view, i);
        for (uint64_t k = 0; k < row.count; k++) {
            if (!(hsp__row_value(t->view, &row, k) > 0)) continue;
            const uint64_t j = hsp__row_column(&row, k);
            if (t->prove->data.y[i] > 0)
                t->up[j] = 0;
            else
                t->down[j] = 0;
        }
    }
    for (uint64_t j = 0; j < d && !balanced; j++) {
        if (t->run->variant == HSP__WINNOW_1 && t->down[j] == 0) t->up[j] = -1;
        t->down[j] = -1;
    }
    if (balanced && t->run->constant) t->up[d] = t->down[d] = 0;
    if (!balanced) t->down[d] = 0; /* the threshold */
    for (uint64_t j = 0; j <= d; j++) {
        if (t->up[j] == 0) t->up[j] = t->count++;
        if (t->down[j] == 0) t->down[j] = t->count++;
    }
}

static hsp_status min_l1_separator_begin(min_l1_separator_state *t, hsp_error *err)
{
    hsp__scratch *scratch = &t->prove->scratch;
    const uint64_t d = t->run->cols, count = (uint64_t)t->count;
    double *lower = hsp__scratch_new(scratch, count, sizeof *lower);
    double *upper = hsp__scratch_new(scratch, count, sizeof *upper);
    double *cost = hsp__scratch_new(scratch, count, sizeof *cost);
    if (scratch->failed) return hsp__fail_memory(err);
    for (uint64_t k = 0; k < count; k++) {
        upper[k] = DBL_MAX;
        cost[k] = 1;
    }
    if (t->run->variant != HSP__WINNOW_BALANCED) cost[t->down[d]] = 0;
    if (t->run->variant == HSP__WINNOW_1) lower[t->down[d]] = upper[t->down[d]] = 1;
    return hsp__clp_new(t->ctx, t->count, lower, upper, cost, err, &t->lp);
}

/* ---- Rows ------------------------------------------------------------------------------------ */

/* The first `count` of t->wrong join. */
static hsp_status min_l1_separator_join(min_l1_separator_state *t, uint64_t count, hsp_error *err)
{
    hsp__scratch scratch = {.memory = &t->prove->ctx->allocator};
    uint64_t room = 0;
    for (uint64_t r = 0; r < count; r++)
        room += 2 * (hsp__view_row(t->view, t->wrong[r].row).count + 1);
    int *starts = hsp__scratch_new(&scratch, count + 1, sizeof *starts), at = 0;
    int *columns = hsp__scratch_raw(&scratch, room, sizeof *columns);
    double *values = hsp__scratch_raw(&scratch, room, sizeof *values);
    double *lower = hsp__scratch_new(&scratch, count, sizeof *lower);
    double *upper = hsp__scratch_new(&scratch, count, sizeof *upper);
    const hsp_status status = scratch.failed ? hsp__fail_memory(err) : HSP_OK;
    for (uint64_t r = 0; !status && r < count; r++) {
        const uint64_t i = t->wrong[r].row;
        const hsp__row row = hsp__view_row(t->view, i);
        const double factor = min_l1_separator_factor(t, i);
        for (uint64_t k = 0; k <= row.count; k++) { /* the last is the constant column */
            const uint64_t j = k < row.count ? hsp__row_column(&row, k) : t->run->cols;
            const double value =
                k < row.count ? factor * hsp__row_value(t->view, &row, k) : t->prove->data.y[i];
            const int of[2] = {t->up[j], t->down[j]};
            for (int side = 0; side < 2 && value != 0; side++) {
                if (of[side] < 0) continue;
                columns[at] = of[side];
                values[at++] = side ? -value : value;
            }
        }
        starts[r + 1] = at;
        assert((uint64_t)at <= room);
        lower[r] = min_l1_separator_goal(t, i);
        upper[r] = DBL_MAX;
    }
    if (!status) hsp__clp_add_rows(t->lp, (int)count, lower, upper, starts, columns, values);
    hsp__scratch_free(&scratch);
    return status;
}

static int min_l1_separator_order(const void *one, const void *other)
{
    const min_l1_separator_wrong *a = one, *b = other;
    if (a->by != b->by) return a->by > b->by ? -1 : 1;
    return a->row < b->row ? -1 : a->row > b->row;
}

/* The rows that are wrong, the worst first; how many. */
static uint64_t min_l1_separator_look(min_l1_separator_state *t)
{
    uint64_t count = 0;
    for (uint64_t i = 0; i < t->view->rows; i++) {
        if (t->run->variant == HSP__WINNOW_1 && t->prove->data.y[i] < 0) continue;
        const hsp__row row = hsp__view_row(t->view, i);
        double sum = 0;
        for (uint64_t k = 0; k < row.count; k++)
            sum += t->v[hsp__row_column(&row, k)] * hsp__row_value(t->view, &row, k);
        const double by = min_l1_separator_goal(t, i) - min_l1_separator_factor(t, i) * sum -
                          t->prove->data.y[i] * t->v[t->run->cols];
        if (!(by <= MIN_L1_SEPARATOR_WRONG)) t->wrong[count++] = (min_l1_separator_wrong){by, i};
    }
    assert(count <= t->view->rows);
    qsort(t->wrong, count, sizeof *t->wrong, min_l1_separator_order);
    return count;
}

/* ---- The whole ------------------------------------------------------------------------------- */

static hsp__min_l1 min_l1_separator_solve(min_l1_separator_state *t)
{
    hsp__clp_outcome outcome = HSP__CLP_LIMIT;
    uint64_t steps = 0;
    while (outcome == HSP__CLP_LIMIT) {
        outcome = hsp__clp_solve(t->lp, 0, MIN_L1_SEPARATOR_STEPS, NULL);
        if (hsp__progress(t->ctx, "looking for the lightest separator", "steps",
                          steps += MIN_L1_SEPARATOR_STEPS, 0, NULL))
            return HSP__MIN_L1_LATE;
    }
    if (outcome != HSP__CLP_OPTIMAL) return HSP__MIN_L1_NONE;
    const double *values = hsp__clp_values(t->lp);
    for (uint64_t j = 0; j <= t->run->cols; j++)
        t->v[j] = (t->up[j] < 0 ? 0 : values[t->up[j]]) - (t->down[j] < 0 ? 0 : values[t->down[j]]);
    return HSP__MIN_L1_FOUND;
}

static hsp_status min_l1_separator_find(min_l1_separator_state *t, hsp_error *err,
                                        hsp__min_l1 *outcome)
{
    const uint64_t n = t->view->rows;
    uint64_t count = n < MIN_L1_SEPARATOR_BATCH ? n : MIN_L1_SEPARATOR_BATCH;
    min_l1_separator_mark(t);
    HSP__TRY(min_l1_separator_begin(t, err));
    for (uint64_t r = 0; r < count; r++)
        t->wrong[r].row = r * n / count;
    *outcome = HSP__MIN_L1_FOUND;
    for (int begun = 0; count && *outcome == HSP__MIN_L1_FOUND; begun = 1) {
        HSP__TRY(min_l1_separator_join(
            t, count < MIN_L1_SEPARATOR_BATCH ? count : MIN_L1_SEPARATOR_BATCH, err));
        if (!begun) HSP__TRY(hsp__clp_begin(t->lp, err));
        *outcome = min_l1_separator_solve(t);
        count = min_l1_separator_look(t);
    }
    return HSP_OK;
}

hsp_status hsp__prove_min_l1(hsp__prove *prove, const hsp__winnow_run *run, hsp_error *err,
                             double *v, hsp__min_l1 *outcome)
{
    hsp__scratch *scratch = &prove->scratch;
    const hsp_view *view = prove->data.rows;
    hsp__stop stop;
    hsp_context own = hsp__stop_open(&stop, prove->ctx);
    hsp__stop_limit(&own, MIN_L1_SEPARATOR_SECONDS);
    *outcome = HSP__MIN_L1_UNKNOWN;
    if (hsp__clp_ready(NULL) || !view->rows || run->cols > INT_MAX / 4 ||
        hsp_view_stored(view) > INT_MAX / 4)
        return HSP_OK;
    min_l1_separator_state t = {.prove = prove,
                                .run = run,
                                .view = view,
                                .up = hsp__scratch_new(scratch, run->cols + 1, sizeof *t.up),
                                .down = hsp__scratch_new(scratch, run->cols + 1, sizeof *t.down),
                                .v = v,
                                .wrong = hsp__scratch_raw(scratch, view->rows, sizeof *t.wrong),
                                .ctx = &own};
    const hsp_status status =
        scratch->failed ? hsp__fail_memory(err) : min_l1_separator_find(&t, err, outcome);
    hsp__clp_free(t.lp);
    return status;
}
