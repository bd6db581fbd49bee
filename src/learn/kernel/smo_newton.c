/* Newton steps of a working set: all rows between their bounds at once.
 *
 * Steps of two variables converge slowly where kernel rows are nearly dependent: few columns, smooth
 * kernels, a large C. With z = y a, F the rows between their bounds and f = K z - y, the minimum
 * over z_F with sum z kept is z + d,
 *
 *     (K_FF + r) d = -f_F + b,   sum d = 0 (without the equation: b = 0).
 *
 * The step goes there, or to the first bound that it meets; the row that met it leaves F, and the
 * rest goes on. r, a small ridge, is for kernel values that are rounded; as it only makes the model
 * steeper, every step still raises the dual.
 *
 * Cost: |F|^3 / 3 for each bound that is met, and |F| rows of the set's matrix at the end. */
#include "base/base.h"
#include "learn/kernel/smo_set.h"
#include "vec/matrix.h"
#include "vec/vec.h"

enum { NEWTON_LEAST = 2, NEWTON_MOST = 1024, NEWTON_STEPS = 24 };

/* r, of the largest k(x, x): as small as rounded kernel values allow. */
#define NEWTON_SHORT 1e-3 /* steps are to be longer than this */
static const double newton_least_ridge = 1e-7, newton_most_ridge = 1e-1;

typedef struct smo_newton {
    uint64_t count;                 /* of F */
    uint64_t *rows;                 /* MOST: their places in the set */
    double *by;                     /* set size: how far z has moved */
    double *f, *step, *ones, *pull; /* MOST */
    double *matrix, *scratch;
    double ridge;
} smo_newton;

static double newton_k(const hsp__smo_work *w, uint64_t i, uint64_t j)
{
    const uint64_t at = i * w->set.size + j;
    return w->wide ? ((const double *)w->set.k)[at] : (double)((const float *)w->set.k)[at];
}

/* K_FF + r = L L', r made larger until there is such an L. 0: there is none. */
static int newton_factor(hsp__smo_work *w, smo_newton *t)
{
    const size_t n = (size_t)t->count, side = hsp__matrix_side(n);
    for (; t->ridge <= newton_most_ridge; t->ridge *= 10) {
        memset(t->matrix, 0, side * side * sizeof *t->matrix);
        for (size_t i = 0; i < n; i++) {
            for (size_t j = 0; j <= i; j++)
                t->matrix[i * side + j] = newton_k(w, t->rows[i], t->rows[j]);
            t->matrix[i * side + i] += w->set.extra[t->rows[i]] + t->ridge * w->largest;
        }
        if (hsp__matrix_cholesky(w->ctx, t->matrix, n, t->scratch)) return 1;
        if (hsp__stopped(w->ctx)) return 0;
    }
    return 0;
}

/* d, for the rows that are in F now. 0: there is none. */
static int newton_direction(hsp__smo_work *w, smo_newton *t)
{
    const size_t n = (size_t)t->count;
    double sum = 0, ones = 0;
    if (!newton_factor(w, t)) return 0;
    for (size_t i = 0; i < n; i++)
        t->step[i] = -t->f[i], t->ones[i] = 1;
    hsp__matrix_solve(t->matrix, n, t->step);
    if (!w->equation) return 1;
    hsp__matrix_solve(t->matrix, n, t->ones);
    for (size_t i = 0; i < n; i++)
        sum += t->step[i], ones += t->ones[i];
    for (size_t i = 0; i < n; i++)
        t->step[i] -= sum / ones * t->ones[i];
    return 1;
}

/* The part of d, 1 at most, that goes to the first bound, and the row that meets it. */
static double newton_length(const hsp__smo_work *w, const smo_newton *t, uint64_t *first)
{
    const hsp__smo_set *set = &w->set;
    double length = 1;
    *first = t->count;
    for (uint64_t i = 0; i < t->count; i++) {
        const uint64_t row = t->rows[i];
        const double d = set->y[row] * t->step[i], a = set->a[row];
        const double room = d > 0 ? set->c[row] - a : -a; /* signed as d */
        if (d != 0 && room / d < length) length = room / d, *first = i;
    }
    return length;
}

/* Go along d, to its end or to the first bound; rows that are at a bound then leave F. 1: there is
 * more to do. */
static int newton_move(hsp__smo_work *w, smo_newton *t)
{
    const hsp__smo_set *set = &w->set;
    uint64_t kept = 0, first;
    const double length = newton_length(w, t, &first);
    if (length < NEWTON_SHORT && 10 * t->ridge <= newton_most_ridge) {
        t->ridge *= 10; /* the minimum lies far outside: one nearer by */
        return 1;
    }
    memset(t->pull, 0, t->count * sizeof *t->pull);
    for (uint64_t i = 0; i < t->count; i++) {
        const uint64_t row = t->rows[i];
        const double by = length * t->step[i], y = set->y[row];
        set->a[row] = fmin(fmax(set->a[row] + y * by, 0), set->c[row]);
        if (i == first) set->a[row] = y * by > 0 ? set->c[row] : 0;
        t->by[row] += by;
        for (uint64_t j = 0; j < t->count; j++)
            t->pull[j] += by * newton_k(w, row, t->rows[j]);
        t->pull[i] += by * set->extra[row];
    }
    for (uint64_t i = 0; i < t->count; i++) {
        const uint64_t row = t->rows[i];
        if (!(set->a[row] > 0 && set->a[row] < set->c[row])) continue;
        t->rows[kept] = row;
        t->f[kept++] = t->f[i] + t->pull[i];
    }
    t->count = kept;
    return length < 1 && kept >= NEWTON_LEAST;
}

/* f of all rows of the set, by how far those of F moved. */
static void newton_finish(hsp__smo_work *w, const smo_newton *t)
{
    hsp__smo_set *set = &w->set;
    for (uint64_t i = 0; i < set->count; i++) {
        const uint64_t from = i * set->size;
        const double by = t->by[i];
        if (by == 0) continue;
        if (w->wide)
            hsp__vec()->axpy_f64(by, (const double *)set->k + from, set->f, (size_t)set->count);
        else
            hsp__vec()->axpy_f32f64(by, (const float *)set->k + from, set->f, (size_t)set->count);
        set->f[i] += by * set->extra[i];
        set->moved += fabs(by);
        w->s->updates++;
        hsp__smo_set_bounds(set, i);
    }
}

uint64_t hsp__smo_newton_price(const hsp__smo_work *w)
{
    const hsp__smo_set *set = &w->set;
    double free = 0;
    for (uint64_t i = 0; i < set->count; i++)
        free += set->a[i] > 0 && set->a[i] < set->c[i];
    if (!(free >= NEWTON_LEAST && free <= NEWTON_MOST)) return UINT64_MAX;
    /* A step of two variables takes about a nanosecond per row of the set, one of Newton's a
     * twentieth of that times |F|^3, of which several are taken, and the rows of F are added. */
    return (uint64_t)(free + free * free * free / (2 * (double)set->count));
}

hsp_status hsp__smo_newton(hsp__smo_work *w, hsp_error *err)
{
    hsp__smo_set *set = &w->set;
    hsp__scratch scratch = {.memory = &w->ctx->allocator};
    smo_newton t = {.ridge = newton_least_ridge};
    for (uint64_t i = 0; i < set->count; i++)
        t.count += set->a[i] > 0 && set->a[i] < set->c[i];
    if (t.count < NEWTON_LEAST || t.count > NEWTON_MOST) return HSP_OK;
    const size_t side = hsp__matrix_side((size_t)t.count);
    t.rows = hsp__scratch_raw(&scratch, t.count, sizeof *t.rows);
    t.by = hsp__scratch_new(&scratch, set->count, sizeof *t.by);
    t.matrix = hsp__scratch_raw(&scratch, side * side, sizeof *t.matrix);
    t.scratch = hsp__scratch_raw(&scratch, hsp__matrix_scratch((size_t)t.count), sizeof *t.scratch);
    double **all[] = {&t.f, &t.step, &t.ones, &t.pull};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        *all[i] = hsp__scratch_new(&scratch, side, sizeof **all[i]);
    int moved = 0;
    t.count = 0;
    for (uint64_t i = 0; i < set->count && !scratch.failed; i++)
        if (set->a[i] > 0 && set->a[i] < set->c[i]) {
            hsp__smo_need(w, i);
            t.f[t.count] = set->f[i];
            t.rows[t.count++] = i;
        }
    for (int step = 0; step < NEWTON_STEPS && !scratch.failed; step++) {
        if (!newton_direction(w, &t)) break;
        moved = 1;
        if (!newton_move(w, &t)) break;
    }
    if (moved) newton_finish(w, &t);
    const int failed = scratch.failed;
    hsp__scratch_free(&scratch);
    return failed ? hsp__fail_memory(err) : HSP_OK;
}
