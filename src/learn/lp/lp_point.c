/* A point common to both hulls, to the rounding of long double.
 *
 * Multipliers a >= 0 of the rows are wanted with  M a = r,  where M has an equation a column of the
 * data (y_i x_ij, scaled by powers of two to at most 1) and two that add up the classes. Prices of
 * a linear program solve that to about nine digits, and miss multipliers that are smaller. From
 * there
 *
 *     minimise ||M a - r||^2    with    a >= 0
 *
 * is solved in long double by the active set method: least squares over the multipliers above 0 (by
 * Householder's reflections with pivoting of columns, which also finds those that depend on
 * others); what turns negative is left out; when all are positive, the row that the residual points
 * at most joins.
 *
 * What is small relative to a column's largest entry may be all that the rows in use have there: rows at
 * 1e-12 and -1e-12 do not meet because others are at 1e6. So when the residual is nothing but
 * rounding relative to the columns, the equations are scaled again, each by the rows in use, and the
 * solution is refined. A point is common only if the residual of every equation is rounding relative to
 * the terms a_i x_ij that were added up in that equation; else nothing is claimed.
 *
 * Cost: (columns met) * (multipliers above 0)^2 a step, few steps.
 * [C. Lawson, R. Hanson, Solving Least Squares Problems, 1974, chapter 23: NNLS.] */
#include <float.h>

#include "base/base.h"
#include "learn/lp/lp.h"

#define LP_POINT_ENTRIES ((uint64_t)1 << 23) /* of M, at most: 128 MB */
#define LP_POINT_WORK    2e10                /* operations a step, at most */
#define LP_POINT_RANK    0x1p-56L            /* a column shorter than this depends on others */
#define LP_POINT_REFINED 30     /* steps after the equations were scaled again, at most */
#define LP_POINT_NOTHING 1e-18L /* multipliers below this share of the largest may go */

typedef struct lp_point_state {
    hsp_context *ctx; /* once it is stopped, nothing below is what it should be */
    const hsp__problem *p;
    const int *exponents; /* d: of the columns */
    int *own;             /* d: of the columns, over the rows in use */
    int refine;           /* the equations are scaled by `own` */
    const uint64_t *rows;
    uint64_t count;     /* of rows */
    long double *a;     /* count */
    uint64_t *in;       /* count: the multipliers above 0, `used` of them */
    uint64_t used;      /* */
    uint64_t equations; /* columns met by those, and 2 (offset none: 1) */
    uint64_t *place;    /* d: the equation of a column, + 1; 0: not met */
    uint64_t room;      /* of m */
    long double *m;     /* used columns of `equations` each: M, then its reflections */
    long double *r;     /* d + 2: the residual, */
    long double *size;  /* d + 2: and the sum of |terms| of each equation */
    long double *z;     /* count: the solution, in the order of `in` */
    long double *beta;  /* count: of the reflections */
} lp_point_state;

static int lp_point_sums(const lp_point_state *t)
{
    return t->p->offset == HSP__OFFSET_NONE ? 1 : 2;
}

static long double lp_point_entry(const lp_point_state *t, const hsp__row *row, uint64_t k)
{
    const double x = hsp__row_value(t->p->view, row, k);
    const int *exponents = t->refine ? t->own : t->exponents;
    return ldexpl((long double)x, -exponents[hsp__row_column(row, k)]);
}

/* Number the columns that the rows in use have. */
static void lp_point_meet(lp_point_state *t)
{
    uint64_t met = 0;
    memset(t->place, 0, t->p->view->cols * sizeof *t->place);
    for (uint64_t u = 0; u < t->used && !hsp__tick(t->ctx); u++) {
        const hsp__row row = hsp__view_row(t->p->view, t->rows[t->in[u]]);
        for (uint64_t k = 0; k < row.count; k++) {
            const uint64_t j = hsp__row_column(&row, k);
            const double x = hsp__row_value(t->p->view, &row, k);
            int exponent;
            if (x == 0) continue;
            (void)frexp(x, &exponent);
            if (!t->place[j] || exponent > t->own[j]) t->own[j] = exponent;
            if (!t->place[j]) t->place[j] = ++met;
        }
    }
    t->equations = met + (uint64_t)lp_point_sums(t);
}

/* The equation that row i's multiplier is added up in. */
static uint64_t lp_point_sum_of(const lp_point_state *t, uint64_t i)
{
    assert(t->equations >= (uint64_t)lp_point_sums(t) && i < t->count);
    const uint64_t last = t->equations - 1;
    return lp_point_sums(t) == 2 && hsp__problem_positive(t->p, t->rows[i]) ? last - 1 : last;
}

/* r = right side - M a, size = |right side| + |M| a. */
static void lp_point_residual(const lp_point_state *t)
{
    for (uint64_t e = 0; e < t->equations; e++)
        t->r[e] = t->size[e] = 0;
    for (int s = 0; s < lp_point_sums(t); s++) {
        const uint64_t e = t->equations - 1 - (uint64_t)s;
        t->r[e] = t->size[e] = lp_point_sums(t) == 2 ? 1 : 2;
    }
    for (uint64_t u = 0; u < t->used && !hsp__tick(t->ctx); u++) {
        const uint64_t i = t->in[u];
        const hsp__row row = hsp__view_row(t->p->view, t->rows[i]);
        const long double ay = (long double)hsp__problem_y(t->p, t->rows[i]) * t->a[i];
        for (uint64_t k = 0; k < row.count; k++) {
            const uint64_t at = t->place[hsp__row_column(&row, k)];
            const long double term = ay * lp_point_entry(t, &row, k);
            if (!at) continue;
            t->r[at - 1] -= term;
            t->size[at - 1] += fabsl(term);
        }
        t->r[lp_point_sum_of(t, i)] -= t->a[i];
        t->size[lp_point_sum_of(t, i)] += t->a[i];
    }
}

/* ---- Least squares over the multipliers in use ----------------------------------------------- */

static long double lp_point_squares(const long double *x, uint64_t from, uint64_t to)
{
    long double sum = 0;
    for (uint64_t e = from; e < to; e++)
        sum += x[e] * x[e];
    return sum;
}

/* Bring the longest column that is left to place k. */
static void lp_point_pivot(lp_point_state *t, uint64_t k)
{
    assert(k < t->used && t->used <= t->count);
    uint64_t best = k;
    long double most = -1;
    for (uint64_t u = k; u < t->used; u++) {
        const long double squares = lp_point_squares(t->m + u * t->equations, k, t->equations);
        if (squares > most) most = squares, best = u;
    }
    if (best == k) return;
    const uint64_t i = t->in[k];
    t->in[k] = t->in[best];
    t->in[best] = i;
    long double *one = t->m + k * t->equations, *other = t->m + best * t->equations;
    for (uint64_t e = 0; e < t->equations; e++) {
        const long double swap = one[e];
        one[e] = other[e];
        other[e] = swap;
    }
}

/* x -= beta v <v, x>, where v is column k from place k on, with v_k kept in `head`. */
static void lp_point_reflect(const lp_point_state *t, uint64_t k, long double head, long double *x)
{
    assert(k < t->equations);
    const long double *v = t->m + k * t->equations;
    long double dot = head * x[k];
    for (uint64_t e = k + 1; e < t->equations; e++)
        dot += v[e] * x[e];
    dot *= t->beta[k];
    x[k] -= dot * head;
    for (uint64_t e = k + 1; e < t->equations; e++)
        x[e] -= dot * v[e];
}

/* z: least squares of M z = r over those in use. r is overwritten. Multipliers that depend on
 * others go out of use: are there none? */
static int lp_point_least_squares(lp_point_state *t)
{
    uint64_t rank = 0;
    memset(t->m, 0, t->equations * t->used * sizeof *t->m);
    for (uint64_t u = 0; u < t->used && !hsp__tick(t->ctx); u++) { /* M */
        long double *column = t->m + u * t->equations;
        const hsp__row row = hsp__view_row(t->p->view, t->rows[t->in[u]]);
        const long double y = (long double)hsp__problem_y(t->p, t->rows[t->in[u]]);
        for (uint64_t k = 0; k < row.count; k++) {
            const uint64_t at = t->place[hsp__row_column(&row, k)];
            if (at) column[at - 1] = y * lp_point_entry(t, &row, k);
        }
        column[lp_point_sum_of(t, t->in[u])] = 1;
    }
    for (; rank < t->used && rank < t->equations; rank++) {
        lp_point_pivot(t, rank);
        long double *v = t->m + rank * t->equations;
        const long double length = sqrtl(lp_point_squares(v, rank, t->equations));
        if (length <= LP_POINT_RANK || hsp__tick(t->ctx)) break;
        const long double end = v[rank] > 0 ? -length : length, head = v[rank] - end;
        t->beta[rank] = -1 / (end * head);
        for (uint64_t u = rank + 1; u < t->used && !hsp__tick(t->ctx); u++)
            lp_point_reflect(t, rank, head, t->m + u * t->equations);
        lp_point_reflect(t, rank, head, t->r);
        v[rank] = end;
    }
    for (uint64_t u = rank; u < t->used; u++)
        t->a[t->in[u]] = 0;
    const int independent = t->used == rank;
    t->used = rank;
    for (uint64_t k = rank; k-- > 0;) {
        long double sum = t->r[k];
        for (uint64_t u = k + 1; u < rank; u++)
            sum -= t->m[u * t->equations + k] * t->z[u];
        t->z[k] = sum / t->m[k * t->equations + k];
    }
    return independent;
}

/* ---- The active set -------------------------------------------------------------------------- */

/* Go from a towards a + z as far as all stay positive; what comes to 0 goes out of use. Was it all
 * the way? */
static int lp_point_move(lp_point_state *t)
{
    assert(t->used <= t->count);
    long double share = 1;
    uint64_t kept = 0, first = t->used;
    for (uint64_t u = 0; u < t->used; u++) {
        const long double a = t->a[t->in[u]];
        if (a + t->z[u] > 0 || -a / t->z[u] >= share) continue;
        share = -a / t->z[u];
        first = u;
    }
    for (uint64_t u = 0; u < t->used; u++) {
        const uint64_t i = t->in[u];
        t->a[i] += share * t->z[u];
        if (u != first && t->a[i] > 0)
            t->in[kept++] = i;
        else
            t->a[i] = 0;
    }
    const int all = kept == t->used;
    t->used = kept;
    return all;
}

/* The row that lessens the residual most joins, at 0; none: 0. */
static int lp_point_join(lp_point_state *t)
{
    uint64_t best = t->count;
    long double most = 0;
    for (uint64_t i = 0; i < t->count && !hsp__tick(t->ctx); i++) {
        if (t->a[i] > 0) continue;
        const hsp__row row = hsp__view_row(t->p->view, t->rows[i]);
        const long double y = (long double)hsp__problem_y(t->p, t->rows[i]);
        long double pull = t->r[lp_point_sum_of(t, i)], squares = 1;
        for (uint64_t k = 0; k < row.count; k++) {
            const uint64_t at = t->place[hsp__row_column(&row, k)];
            const long double entry = at ? lp_point_entry(t, &row, k) : 0;
            if (at) pull += y * entry * t->r[at - 1];
            squares += entry * entry;
        }
        if (t->refine) pull /= sqrtl(squares); /* entries may be far above 1 */
        if (pull > most) most = pull, best = i;
    }
    if (best == t->count) return 0;
    t->in[t->used++] = best;
    return 1;
}

/* The most that an equation is off, in units of the rounding that is to be expected; of its own
 * terms, or of the columns as they are scaled. */
static long double lp_point_off(const lp_point_state *t, int own)
{
    const long double limit = 0x1p-60L * (long double)(t->used + 8);
    long double most = t->used > 0 ? 0 : HUGE_VALL;
    for (uint64_t e = 0; e < t->equations; e++) {
        const long double off = fabsl(t->r[e]);
        if (off > 0) most = fmaxl(most, off / (own ? t->size[e] : 1) / limit);
    }
    return most;
}

/* One step: least squares, and what it leaves. `end`: nothing more can change, or M is beyond
 * reason. */
static hsp_status lp_point_step(lp_point_state *t, hsp_error *err, int *end)
{
    const uint64_t entries = t->equations * (t->used + 1);
    *end = entries > LP_POINT_ENTRIES || (double)entries * (double)t->used > LP_POINT_WORK;
    if (*end) return HSP_OK;
    if (!hsp__reserve(&t->ctx->allocator, (void **)&t->m, &t->room, entries, sizeof *t->m))
        return hsp__fail_memory(err);
    const int independent = lp_point_least_squares(t);
    HSP__TRY(hsp__stop_status(t->ctx, err));
    const int whole = lp_point_move(t) && independent;
    lp_point_residual(t);
    *end = whole && !lp_point_join(t);
    return hsp__stop_status(t->ctx, err);
}

static hsp_status lp_point_solve(lp_point_state *t, hsp_error *err, int *found)
{
    int end = 0, near = 0;
    long double before = HUGE_VALL;
    /* Equations scaled by the columns, until their residual is rounding relative to those. */
    for (uint64_t step = 0, steps = 30 + t->used;; step++) {
        lp_point_meet(t);
        lp_point_residual(t);
        HSP__TRY(hsp__stop_status(t->ctx, err));
        near = lp_point_off(t, 0) <= 1;
        if (near || end || step == steps) break;
        HSP__TRY(lp_point_step(t, err, &end));
    }
    if (!near) return HSP_OK;
    /* Equations scaled by the rows in use, until their residual is rounding relative to their
     * terms. */
    t->refine = 1;
    end = 0;
    for (int step = 0; step < LP_POINT_REFINED; step++) {
        lp_point_meet(t);
        lp_point_residual(t);
        HSP__TRY(hsp__stop_status(t->ctx, err));
        const long double off = lp_point_off(t, 1);
        *found = off <= 1;
        if (*found || (end && !(off < before / 2))) return HSP_OK;
        before = off;
        HSP__TRY(lp_point_step(t, err, &end));
    }
    return HSP_OK;
}

/* Multipliers that are rounding themselves go, if the rest does without them. */
static void lp_point_trim(lp_point_state *t, double *a)
{
    long double most = 0;
    uint64_t kept = 0;
    for (uint64_t u = 0; u < t->used; u++)
        most = fmaxl(most, t->a[t->in[u]]);
    for (uint64_t i = 0; i < t->count; i++)
        a[i] = (double)t->a[i];
    for (uint64_t u = 0; u < t->used; u++)
        if (t->a[t->in[u]] > LP_POINT_NOTHING * most) t->in[kept++] = t->in[u];
    assert(kept <= t->used);
    if (kept == t->used) return;
    t->used = kept;
    lp_point_meet(t);
    lp_point_residual(t);
    if (hsp__stopped(t->ctx) || !(lp_point_off(t, 1) <= 1)) return;
    memset(a, 0, t->count * sizeof *a);
    for (uint64_t u = 0; u < t->used; u++)
        a[t->in[u]] = (double)t->a[t->in[u]];
}

hsp_status hsp__lp_common_point(hsp_context *ctx, const hsp__problem *p, const int *exponents,
                                const uint64_t *rows, uint64_t count, double *a, hsp_error *err,
                                int *found)
{
    const uint64_t d = p->view->cols;
    hsp__scratch scratch = {.memory = &ctx->allocator};
    lp_point_state t = {.ctx = ctx, .p = p, .exponents = exponents, .rows = rows, .count = count};
    *found = 0;
    t.a = hsp__scratch_new(&scratch, count, sizeof *t.a);
    t.in = hsp__scratch_raw(&scratch, count, sizeof *t.in);
    t.z = hsp__scratch_raw(&scratch, count, sizeof *t.z);
    t.beta = hsp__scratch_raw(&scratch, count, sizeof *t.beta);
    t.place = hsp__scratch_raw(&scratch, d, sizeof *t.place);
    t.own = hsp__scratch_raw(&scratch, d, sizeof *t.own);
    t.r = hsp__scratch_raw(&scratch, d + 2, sizeof *t.r);
    t.size = hsp__scratch_raw(&scratch, d + 2, sizeof *t.size);
    hsp_status status = scratch.failed ? hsp__fail_memory(err) : HSP_OK;
    for (uint64_t i = 0; !status && i < count; i++)
        t.a[i] = a[i] > 0 ? (long double)a[i] : 0;
    if (!status) status = hsp__lp_reduce(ctx, p, exponents, rows, count, t.a, err);
    for (uint64_t i = 0; !status && i < count; i++)
        if (t.a[i] > 0) t.in[t.used++] = i;
    if (!status && t.used) status = lp_point_solve(&t, err, found);
    if (!status && *found) lp_point_trim(&t, a);
    hsp__free(&ctx->allocator, t.m);
    hsp__scratch_free(&scratch);
    return status;
}
