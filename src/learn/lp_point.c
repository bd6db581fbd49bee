/* A point common to both hulls, to the rounding of long double.
 *
 * CLP's prices solve  M a = r  to about nine digits, where M has a row a column of the data (y_i
 * x_ij, scaled by powers of two to at most 1) and two rows that add up the classes. Rows of the
 * data with a price of 0 are left out, at most d + 2 remain. Gauss-Jordan elimination with complete
 * pivoting in long double solves for the correction, twice; multipliers that come out negative are
 * left out and the rest is solved again. The residual then says whether the hulls meet: if they are
 * delta apart, no multipliers have a residual below delta, so that a residual of rounding only is
 * never found where double precision can represent a separator with some margin.
 *
 * Cost: (columns met) * count^2 operations. */
#include <float.h>
#include <math.h>
#include <string.h>

#include "base/context.h"
#include "base/error.h"
#include "base/memory.h"
#include "learn/lp.h"

#define POINT_ENTRIES ((uint64_t)1 << 23) /* of M, at most: 128 MB */
#define POINT_WORK    2e10                /* operations, at most */
#define POINT_RANK    0x1p-50L            /* a pivot below this is a dependent column */

typedef struct point {
    const hsp__problem *p;
    const int *exponents;
    const uint64_t *rows;
    uint64_t count;     /* of multipliers */
    uint64_t equations; /* columns met, and 2 (offset none: 1) */
    uint64_t *place;    /* d: the equation of a column, + 1; 0: not met */
    long double *m;     /* equations * (count + 1): M and the right side, then eliminated */
    long double *a;     /* count */
    long double *r;     /* equations: the residual */
    unsigned char *out; /* count: left out */
    uint64_t *pivot;    /* equations: the multiplier it was solved for, + 1 */
} point;

static int point_sums(const point *t)
{
    return t->p->offset == HSP__OFFSET_NONE ? 1 : 2;
}

static long double point_entry(const point *t, const hsp__row *row, uint64_t k)
{
    const double x = hsp__row_value(t->p->view, row, k);
    return ldexpl((long double)x, -t->exponents[hsp__row_column(row, k)]);
}

static void point_meet(point *t)
{
    uint64_t met = 0;
    for (uint64_t i = 0; i < t->count; i++) {
        const hsp__row row = hsp__view_row(t->p->view, t->rows[i]);
        for (uint64_t k = 0; k < row.count; k++) {
            const uint64_t j = hsp__row_column(&row, k);
            if (hsp__row_value(t->p->view, &row, k) != 0 && !t->place[j]) t->place[j] = ++met;
        }
    }
    t->equations = met + (uint64_t)point_sums(t);
}

/* The equation that row i's multiplier is added up in. */
static uint64_t point_sum_of(const point *t, uint64_t i)
{
    const uint64_t last = t->equations - 1;
    return point_sums(t) == 2 && hsp__problem_positive(t->p, t->rows[i]) ? last - 1 : last;
}

/* r = right side - M a. */
static void point_residual(const point *t, const long double *a)
{
    for (uint64_t e = 0; e < t->equations; e++)
        t->r[e] = 0;
    for (int s = 0; s < point_sums(t); s++)
        t->r[t->equations - 1 - (uint64_t)s] = point_sums(t) == 2 ? 1 : 2;
    for (uint64_t i = 0; i < t->count; i++) {
        if (a[i] == 0) continue;
        const hsp__row row = hsp__view_row(t->p->view, t->rows[i]);
        const long double ay = (long double)hsp__problem_y(t->p, t->rows[i]) * a[i];
        for (uint64_t k = 0; k < row.count; k++) {
            const uint64_t at = t->place[hsp__row_column(&row, k)];
            if (at) t->r[at - 1] -= ay * point_entry(t, &row, k);
        }
        t->r[point_sum_of(t, i)] -= a[i];
    }
}

static void point_fill(const point *t)
{
    const uint64_t width = t->count + 1;
    memset(t->m, 0, t->equations * width * sizeof *t->m);
    memset(t->pivot, 0, t->equations * sizeof *t->pivot);
    for (uint64_t i = 0; i < t->count; i++) {
        if (t->out[i]) continue;
        const hsp__row row = hsp__view_row(t->p->view, t->rows[i]);
        const long double y = (long double)hsp__problem_y(t->p, t->rows[i]);
        for (uint64_t k = 0; k < row.count; k++) {
            const uint64_t at = t->place[hsp__row_column(&row, k)];
            if (at) t->m[(at - 1) * width + i] = y * point_entry(t, &row, k);
        }
        t->m[point_sum_of(t, i) * width + i] = 1;
    }
    for (uint64_t e = 0; e < t->equations; e++)
        t->m[e * width + t->count] = t->r[e];
}

/* The largest entry left among equations and multipliers without a pivot. */
static long double point_largest(const point *t, uint64_t *equation, uint64_t *multiplier)
{
    const uint64_t width = t->count + 1;
    long double most = 0;
    for (uint64_t e = 0; e < t->equations; e++) {
        if (t->pivot[e]) continue;
        for (uint64_t i = 0; i < t->count; i++) {
            if (fabsl(t->m[e * width + i]) <= most) continue;
            most = fabsl(t->m[e * width + i]);
            *equation = e;
            *multiplier = i;
        }
    }
    return most;
}

/* Solve M da = r by elimination, and add da to a; multipliers without a pivot stay. */
static void point_correct(point *t)
{
    const uint64_t width = t->count + 1;
    point_residual(t, t->a);
    point_fill(t);
    for (uint64_t step = 0; step < t->count && step < t->equations; step++) {
        uint64_t e = 0, i = 0;
        if (point_largest(t, &e, &i) <= POINT_RANK) break;
        long double *own = t->m + e * width;
        t->pivot[e] = i + 1;
        for (uint64_t other = 0; other < t->equations; other++) {
            long double *row = t->m + other * width;
            if (other == e || row[i] == 0) continue;
            const long double factor = row[i] / own[i];
            for (uint64_t k = 0; k < width; k++)
                row[k] -= factor * own[k];
            row[i] = 0;
        }
    }
    for (uint64_t e = 0; e < t->equations; e++) {
        if (!t->pivot[e]) continue;
        const uint64_t i = t->pivot[e] - 1;
        t->a[i] += t->m[e * width + t->count] / t->m[e * width + i];
    }
}

/* Leave out what came out negative; were there any? */
static int point_drop(point *t)
{
    int dropped = 0;
    for (uint64_t i = 0; i < t->count; i++) {
        if (t->a[i] >= 0) continue;
        t->a[i] = 0;
        t->out[i] = 1;
        dropped = 1;
    }
    return dropped;
}

static int point_is_common(const point *t)
{
    const long double limit = 0x1p-60L * (long double)(t->count + 8);
    long double most = 0;
    int some = 0;
    point_residual(t, t->a);
    for (uint64_t e = 0; e < t->equations; e++)
        most = fmaxl(most, fabsl(t->r[e]));
    for (uint64_t i = 0; i < t->count; i++)
        some |= t->a[i] > 0;
    return some && most <= limit;
}

#define POINT_ROUNDS 12

static int point_solve(point *t)
{
    for (int round = 0; round < POINT_ROUNDS; round++) {
        point_correct(t);
        point_correct(t);
        if (point_drop(t)) continue;
        return point_is_common(t);
    }
    return 0;
}

static hsp_status point_make(hsp_context *ctx, point *t, double *a, hsp_error *err, int *found)
{
    const hsp_allocator *memory = &ctx->allocator;
    const double entries = (double)t->equations * (double)(t->count + 1);
    if (entries > (double)POINT_ENTRIES || entries * (double)t->count > POINT_WORK) return HSP_OK;
    t->m = hsp__new_raw(memory, t->equations * (t->count + 1), sizeof *t->m);
    t->a = hsp__new_raw(memory, t->count, sizeof *t->a);
    t->r = hsp__new_raw(memory, t->equations, sizeof *t->r);
    t->pivot = hsp__new_raw(memory, t->equations, sizeof *t->pivot);
    t->out = hsp__new(memory, t->count, sizeof *t->out);
    hsp_status status = t->m && t->a && t->r && t->pivot && t->out ? HSP_OK : hsp__fail_memory(err);
    for (uint64_t i = 0; !status && i < t->count; i++)
        t->a[i] = (long double)a[i];
    if (!status && point_solve(t)) {
        *found = 1;
        for (uint64_t i = 0; i < t->count; i++)
            a[i] = (double)t->a[i];
    }
    hsp__free(memory, t->m);
    hsp__free(memory, t->a);
    hsp__free(memory, t->r);
    hsp__free(memory, t->pivot);
    hsp__free(memory, t->out);
    return status;
}

hsp_status hsp__lp_common_point(hsp_context *ctx, const hsp__problem *p, const int *exponents,
                                const uint64_t *rows, uint64_t count, double *a, hsp_error *err,
                                int *found)
{
    point t = {.p = p, .exponents = exponents, .rows = rows, .count = count};
    *found = 0;
    if (count == 0) return HSP_OK;
    t.place = hsp__new(&ctx->allocator, p->view->cols, sizeof *t.place);
    if (!t.place) return hsp__fail_memory(err);
    point_meet(&t);
    hsp_status status = point_make(ctx, &t, a, err, found);
    hsp__free(&ctx->allocator, t.place);
    return status;
}
