/* From multipliers of many rows to multipliers of few, with the same sums.
 *
 * A solver's common point of two hulls has as many multipliers a > 0 as rows that it gets wrong, often
 * thousands; a vertex of {a >= 0: M a = r} (lp_point.c) has no more than M has equations. As in the
 * crossover from an interior point to a vertex of a linear program, rows are taken one after the
 * other, those with the largest multipliers first. B, m by m, consists of the columns of M that
 * rows in the basis have, and of unit vectors that none has replaced yet. For the next row, with
 * v = B^-1 M_j:
 *
 * - a unit vector that v needs is replaced by the row, which keeps its multiplier; or
 * - the row is a combination of the rows in the basis. Its multiplier is moved to theirs, a_B + t v,
 *   until it is 0, or until one of theirs is 0: then the row takes that one's place.
 *
 * So all stay positive, and each row costs m^2 operations; least squares without the ones that
 * depend on others (lp_point.c) would cost m^3 for every one that turns negative.
 *
 * Then M_B a_B = r is solved again by B^-1 in double precision, with residuals in long double, until
 * these are rounding. B^-1 is kept as a matrix; when it has been changed often, and before that end,
 * it is computed again from its rows.
 *
 * Guarantee: none. What comes out is where lp_point.c starts, which checks it.
 * [N. Megiddo, On finding primal- and dual-optimal bases, ORSA J. Computing 3, 1991.] */
#include <stdlib.h>

#include "base/base.h"
#include "learn/lp/lp.h"
#include "vec/vec.h"

#define LP_REDUCE_WORK    4e10  /* operations, at most */
#define LP_REDUCE_SIDE    4096  /* equations, at most: B^-1 has 128 MB */
#define LP_REDUCE_PIVOT   1e-9  /* of the largest entry of v: smaller ones are rounding */
#define LP_REDUCE_LESS    1e-12 /* what a multiplier may lack at 0, for a larger pivot */
#define LP_REDUCE_AGAIN   200   /* replacements, besides 2 m, until B^-1 is computed again */
#define LP_REDUCE_REFINED 20    /* steps of the refinement, at most */
#define LP_REDUCE_NONE    UINT64_MAX

typedef struct lp_reduce_state {
    hsp_context *ctx; /* once it is stopped, nothing below is what it should be */
    const hsp__problem *p;
    const int *exponents; /* d: of the columns */
    const uint64_t *rows;
    uint64_t count;     /* of rows */
    uint64_t equations; /* m: columns met, and one or two sums */
    uint64_t *place;    /* d: the equation of a column, + 1; 0: not met */
    long double *a;     /* count */
    double *inverse;    /* m * m: B^-1, column after column */
    uint64_t *basis;    /* m: the row that column i of B is of; LP_REDUCE_NONE: a unit vector */
    double *column;     /* m: M_j */
    double *v;          /* m: B^-1 M_j */
    uint64_t changes;   /* of B since B^-1 was computed from its rows */
} lp_reduce_state;

/* column = M_j. */
static void lp_reduce_fill(const lp_reduce_state *t, uint64_t j)
{
    const hsp_view *view = t->p->view;
    const hsp__row row = hsp__view_row(view, t->rows[j]);
    const double y = hsp__problem_y(t->p, t->rows[j]);
    const int one = t->p->offset == HSP__OFFSET_NONE || !hsp__problem_positive(t->p, t->rows[j]);
    memset(t->column, 0, t->equations * sizeof *t->column);
    for (uint64_t k = 0; k < row.count; k++) {
        const uint64_t c = hsp__row_column(&row, k), at = t->place[c];
        if (at) t->column[at - 1] = y * ldexp(hsp__row_value(view, &row, k), -t->exponents[c]);
    }
    t->column[t->equations - (one ? 1 : 2)] = 1;
}

/* v = B^-1 x. */
static void lp_reduce_solve(const lp_reduce_state *t, const double *x)
{
    const hsp__vec_table *vec = hsp__vec();
    const uint64_t m = t->equations;
    memset(t->v, 0, m * sizeof *t->v);
    for (uint64_t k = 0; k < m; k++)
        if (x[k] != 0) vec->axpy_f64(x[k], t->inverse + k * m, t->v, (size_t)m);
}

/* Column `at` of B becomes M_j, whose B^-1 M_j is in v. */
static void lp_reduce_replace(lp_reduce_state *t, uint64_t at, uint64_t j)
{
    const hsp__vec_table *vec = hsp__vec();
    const uint64_t m = t->equations;
    assert(at < m && t->v[at] != 0);
    for (uint64_t k = 0; k < m; k++) {
        double *column = t->inverse + k * m;
        const double factor = column[at] / t->v[at];
        if (factor == 0) continue;
        vec->axpy_f64(-factor, t->v, column, (size_t)m);
        column[at] = factor;
    }
    t->basis[at] = j;
    t->changes++;
}

/* Row j joins the basis in place of a unit vector; 0: it depends on the rows there. v is B^-1 M_j. */
static int lp_reduce_join(lp_reduce_state *t, uint64_t j)
{
    const uint64_t m = t->equations;
    uint64_t best = m;
    double most = 0;
    lp_reduce_fill(t, j);
    lp_reduce_solve(t, t->column);
    for (uint64_t i = 0; i < m; i++)
        most = fmax(most, fabs(t->v[i]));
    most *= LP_REDUCE_PIVOT;
    for (uint64_t i = 0; i < m; i++)
        if (t->basis[i] == LP_REDUCE_NONE && fabs(t->v[i]) > most) most = fabs(t->v[best = i]);
    if (best < m) lp_reduce_replace(t, best, j);
    return best < m;
}

/* Row j depends on the rows of the basis by v: its multiplier goes to them, or it takes the place
 * of the one that is 0 first. */
static void lp_reduce_move(lp_reduce_state *t, uint64_t j)
{
    const uint64_t m = t->equations;
    const double all = (double)t->a[j];
    double most = 0, limit = all, share = all;
    uint64_t out = m;
    for (uint64_t i = 0; i < m; i++)
        most = fmax(most, fabs(t->v[i]));
    most *= LP_REDUCE_PIVOT;
    for (uint64_t i = 0; i < m; i++) /* how far, if all may lack a little */
        if (t->basis[i] != LP_REDUCE_NONE && t->v[i] < -most)
            limit = fmin(limit, ((double)t->a[t->basis[i]] + LP_REDUCE_LESS) / -t->v[i]);
    for (uint64_t i = 0; limit < all && i < m; i++) { /* of those in the way, the largest pivot */
        if (t->basis[i] == LP_REDUCE_NONE || !(t->v[i] < -most)) continue;
        const double ratio = (double)t->a[t->basis[i]] / -t->v[i];
        if (ratio <= limit && (out == m || t->v[i] < t->v[out])) out = i, share = ratio;
    }
    for (uint64_t i = 0; i < m; i++) {
        if (t->basis[i] == LP_REDUCE_NONE) continue;
        long double *a = &t->a[t->basis[i]];
        *a = fmaxl(*a + (long double)(share * t->v[i]), 0);
    }
    t->a[j] = (long double)(all - share);
    if (out == m) return;
    t->a[t->basis[out]] = 0;
    lp_reduce_replace(t, out, j);
}

/* B^-1 from the rows of the basis. A row that depends on the others now leaves it. */
static void lp_reduce_again(lp_reduce_state *t, uint64_t *list)
{
    const uint64_t m = t->equations;
    memcpy(list, t->basis, m * sizeof *list);
    memset(t->inverse, 0, m * m * sizeof *t->inverse);
    for (uint64_t i = 0; i < m; i++) {
        t->inverse[i * m + i] = 1;
        t->basis[i] = LP_REDUCE_NONE;
    }
    for (uint64_t i = 0; i < m && !hsp__tick(t->ctx); i++)
        if (list[i] != LP_REDUCE_NONE && !lp_reduce_join(t, list[i])) lp_reduce_move(t, list[i]);
    t->changes = 0;
}

/* a_B from M_B a_B = r. */
static void lp_reduce_refine(lp_reduce_state *t, long double *r)
{
    const uint64_t m = t->equations, sums = t->p->offset == HSP__OFFSET_NONE ? 1 : 2;
    double before = HUGE_VAL;
    for (int step = 0; step < LP_REDUCE_REFINED && !hsp__tick(t->ctx); step++) {
        double most = 0;
        for (uint64_t e = 0; e < m; e++)
            r[e] = e + sums < m ? 0 : 2 / (long double)sums;
        for (uint64_t i = 0; i < m; i++) {
            if (t->basis[i] == LP_REDUCE_NONE || hsp__tick(t->ctx)) continue;
            lp_reduce_fill(t, t->basis[i]);
            for (uint64_t e = 0; e < m; e++)
                r[e] -= t->a[t->basis[i]] * (long double)t->column[e];
        }
        for (uint64_t e = 0; e < m; e++)
            most = fmax(most, fabs(t->column[e] = (double)r[e]));
        if (!(most < before / 2)) break;
        before = most;
        lp_reduce_solve(t, t->column);
        for (uint64_t i = 0; i < m; i++)
            if (t->basis[i] != LP_REDUCE_NONE) t->a[t->basis[i]] += (long double)t->v[i];
    }
    for (uint64_t j = 0; j < t->count; j++) /* that were 0 */
        t->a[j] = fmaxl(t->a[j], 0);
}

/* ---- Which rows, in which order -------------------------------------------------------------- */

typedef struct lp_reduce_row {
    double a;
    uint64_t j;
} lp_reduce_row;

static int lp_reduce_by_size(const void *left, const void *right)
{
    const lp_reduce_row *one = left, *other = right;
    if (one->a != other->a) return one->a > other->a ? -1 : 1;
    return one->j < other->j ? -1 : one->j > other->j;
}

/* Number the columns that the rows have. */
static void lp_reduce_meet(lp_reduce_state *t)
{
    const hsp_view *view = t->p->view;
    uint64_t met = 0;
    for (uint64_t j = 0; j < t->count && !hsp__tick(t->ctx); j++) {
        if (!(t->a[j] > 0)) continue;
        const hsp__row row = hsp__view_row(view, t->rows[j]);
        for (uint64_t k = 0; k < row.count; k++) {
            uint64_t *place = &t->place[hsp__row_column(&row, k)];
            if (!*place && hsp__row_value(view, &row, k) != 0) *place = ++met;
        }
    }
    t->equations = met + (t->p->offset == HSP__OFFSET_NONE ? 1 : 2);
}

hsp_status hsp__lp_reduce(hsp_context *ctx, const hsp__problem *p, const int *exponents,
                          const uint64_t *rows, uint64_t count, long double *a, hsp_error *err)
{
    hsp__scratch scratch = {.memory = &ctx->allocator};
    lp_reduce_state t = {
        .ctx = ctx, .p = p, .exponents = exponents, .rows = rows, .count = count, .a = a};
    uint64_t used = 0;
    t.place = hsp__scratch_new(&scratch, p->view->cols, sizeof *t.place);
    lp_reduce_row *order = hsp__scratch_raw(&scratch, count, sizeof *order);
    if (!scratch.failed) lp_reduce_meet(&t);
    for (uint64_t j = 0; !scratch.failed && j < count; j++)
        if (a[j] > 0) order[used++] = (lp_reduce_row){(double)a[j], j};
    const uint64_t m = t.equations;
    const int few = used <= m || m > LP_REDUCE_SIDE ||
                    (double)(used + 4 * m) * (double)m * (double)m > LP_REDUCE_WORK;
    if (!scratch.failed && !few) {
        t.inverse = hsp__scratch_raw(&scratch, m * m, sizeof *t.inverse);
        t.basis = hsp__scratch_raw(&scratch, m, sizeof *t.basis);
        t.column = hsp__scratch_raw(&scratch, m, sizeof *t.column);
        t.v = hsp__scratch_raw(&scratch, m, sizeof *t.v);
    }
    uint64_t *list = few ? NULL : hsp__scratch_raw(&scratch, m, sizeof *list);
    long double *r = few ? NULL : hsp__scratch_raw(&scratch, m, sizeof *r);
    hsp_status status = scratch.failed ? hsp__fail_memory(err) : HSP_OK;
    if (!status && !few) {
        qsort(order, used, sizeof *order, lp_reduce_by_size);
        memset(t.basis, 0xff, m * sizeof *t.basis); /* none */
        lp_reduce_again(&t, list);
        for (uint64_t k = 0; k < used && !hsp__tick(ctx); k++) {
            if (!lp_reduce_join(&t, order[k].j)) lp_reduce_move(&t, order[k].j);
            if (t.changes > 2 * m + LP_REDUCE_AGAIN) lp_reduce_again(&t, list);
        }
        lp_reduce_again(&t, list);
        lp_reduce_refine(&t, r);
        status = hsp__stop_status(ctx, err);
    }
    hsp__scratch_free(&scratch);
    return status;
}
