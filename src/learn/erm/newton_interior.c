/* The second-order solver's last resort, for hinge and squared hinge: an interior-point method.
 *
 * Why. Newton's matrix has only the rows inside the corner's rounding (hinge) or with m < 1 (squared
 * hinge). With rows so long that C ||x||^2 is millions, a direction along which no such row extends has
 * next to no curvature, and steps along it are far too long, time and again. Here every row has
 * curvature, and the number of steps hardly depends on the columns' units.
 *
 * Method. With a for a_i / c_i, the conditions of the optimum are
 *
 *     hinge            s = m - 1 + x,      a s = 0,  v x = 0,  v = 1 - a,   all four >= 0
 *     squared hinge    s = m - 1 + a / 2,  a s = 0,                         both >= 0
 *     both             R (w, b) = sum c a y (x, 1)
 *
 * and 0 is replaced by mu > 0, which decreases. A Newton step on these equations has a matrix like
 * that of newton_hessian.c,
 *
 *     H = R + sum c theta x x^T,   hinge: 1 / theta = s / a + x / v,   squared: 1 / theta = s / a + 1/2.
 *
 * Each step has a predictor (mu = 0), a corrector [Mehrotra 1992], and a few directions more that
 * move products far from mu towards it [Gondzio 1996]: each costs a solution with the same factor and
 * two passes, and makes steps much longer.
 *
 * Rows. Those with the smallest m take part, several per column; the others have a = 0. Whenever those
 * that turn out to have m < 1 cost too much, they join.
 *
 * Papers. S. Mehrotra, On the implementation of a primal-dual interior point method, SIAM J. Optim. 2
 * (1992). J. Gondzio, Multiple centrality corrections in a primal-dual method for linear programming,
 * Comput. Optim. Appl. 6 (1996). */
#include <stdlib.h>

#include "base/base.h"
#include "base/paging.h"
#include "learn/erm/matvec.h"
#include "learn/erm/newton.h"
#include "model/model.h"
#include "vec/vec.h"

#define INTERIOR_STEPS  100   /* where they should be twenty or thirty */
#define INTERIOR_MORE   3     /* directions besides predictor and corrector, */
#define INTERIOR_AIM    0.3   /* each for a step longer by this, */
#define INTERIOR_WORTH  0.03  /* and kept if it is longer by this */
#define INTERIOR_SPREAD 10    /* products are moved to within this factor of mu */
#define INTERIOR_SHORT  0.995 /* of the way to where the first variable is 0 */
#define INTERIOR_BAND   0.5   /* rows with m < 1 + this take part, or more of them, */
#define INTERIOR_WIDER  1.5   /* until there are */
#define INTERIOR_LEAST  8     /* of them for each column */
#define INTERIOR_JOIN   0.1   /* of the goal: what rows that take no part may cost */
#define INTERIOR_SNAP   0.1   /* a below this times s is 0, v below this times x is 0, or below */
#define INTERIOR_SNAPS  6     /* this many times a tenth of it */

typedef struct interior_row {
    uint64_t at; /* the row */
    double cost; /* y c */
    double a, v, s, x;
    double da, ds, dx;
    double as, vx;           /* what the products are to change by, */
    double as_more, vx_more; /* and what was added to that last */
    double theta, off;
} interior_row;

typedef struct interior_sums {
    double weight, product, loss, conjugate, step;
} interior_sums;

typedef struct interior {
    hsp__newton *s;
    interior_row *rows; /* count */
    uint64_t count;
    double mu;
    double outside;      /* what rows that take no part cost */
    double step;         /* of the predictor */
    double snap;         /* a is at its bound where it is as near as this; 0: nowhere */
    interior_sums *sums; /* parts, or of a shard HSP__BLOCKS */
    enum { INTERIOR_HERE, INTERIOR_SIDE, INTERIOR_MOVES } pass;
} interior;

/* ---- Passes over the rows -------------------------------------------------------------------- */

/* The longest step up to `most` that keeps x positive. */
static double interior_room(double x, double dx, double most)
{
    return dx < 0 ? fmin(most, -x / dx) : most;
}

static double interior_snapped(const interior_row *row, double snap, int hinge)
{
    if (row->a < snap * row->s) return 0;
    return hinge && row->v < snap * row->x ? 1 : row->a;
}

/* INTERIOR_HERE: theta, the figures, and sum c a y x. INTERIOR_SIDE: the right side, but for what it has
 * of u and w. INTERIOR_MOVES: where the direction delta leads. */
static void interior_rows(const interior *in, uint64_t from, uint64_t to, double *sum,
                          interior_sums *out)
{
    const hsp__newton *s = in->s;
    const hsp_view *view = s->rows;
    const int hinge = s->form == HSP__HINGE, offset = s->dim > s->d;
    *out = (interior_sums){.step = 1 / INTERIOR_SHORT};
    for (uint64_t k = from; k < to; k++) {
        interior_row *row = &in->rows[k];
        hsp__paging_row(&s->ctx->allocator, k);
        const uint64_t at = row->at * s->row_step;
        const double c = fabs(row->cost), y = row->cost < 0 ? -1 : 1, m = y * s->score[row->at];
        if (in->pass == INTERIOR_MOVES) {
            const double move = hsp__row_score(view, at, s->delta, offset ? s->delta[s->d] : 0);
            s->delta_score[row->at] = move;
            row->da = row->theta * (row->off - y * move);
            row->ds = (row->as - row->s * row->da) / row->a;
            out->step = interior_room(row->a, row->da, interior_room(row->s, row->ds, out->step));
            if (!hinge) continue;
            row->dx = (row->vx + row->x * row->da) / row->v;
            out->step = interior_room(row->v, -row->da, interior_room(row->x, row->dx, out->step));
            continue;
        }
        double a = interior_snapped(row, in->snap, hinge);
        if (in->pass == INTERIOR_HERE) {
            const double z = m < 1 ? 1 - m : 0;
            out->weight += c;
            out->product += c * (row->a * row->s + (hinge ? row->v * row->x : 0));
            out->loss += c * (hinge ? z : z * z);
            out->conjugate += c * (a - (hinge ? 0 : a * a / 4));
            row->theta = 1 / (row->s / row->a + (hinge ? row->x / row->v : 0.5));
            s->theta[row->at] = c * row->theta;
        } else {
            const double off = m - 1 + (hinge ? row->x : a / 2) - row->s;
            row->off = row->as / a - (hinge ? row->vx / row->v : 0) - off;
            a = row->theta * row->off;
        }
        if (offset) sum[s->d] += row->cost * a;
        hsp__matvec_add_row(view, at, row->cost * a, sum);
    }
}

static void interior_part(void *user, uint64_t part)
{
    interior *in = user;
    const hsp__newton *s = in->s;
    double *sum = s->sums + part * s->dim;
    if (in->pass != INTERIOR_MOVES) memset(sum, 0, s->dim * sizeof *sum);
    interior_rows(in, hsp__part(in->count, s->parts, part),
                  hsp__part(in->count, s->parts, part + 1), sum, &in->sums[part]);
}

/* The first of our rows, which are in order here, that is not before row `at`. */
static uint64_t interior_find(const interior *in, uint64_t at)
{
    uint64_t low = 0, high = in->count;
    while (low < high) {
        const uint64_t middle = low + (high - low) / 2;
        if (in->rows[middle].at < at)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

static void interior_block(void *user, uint32_t block, uint64_t from, uint64_t to, double *sum)
{
    interior *in = user;
    interior_sums *one = &in->sums[block];
    interior_rows(in, interior_find(in, from), interior_find(in, to), sum, one);
    const double figures[] = {one->weight, one->product, one->loss, one->conjugate};
    if (sum) memcpy(sum + in->s->dim, figures, sizeof figures);
}

/* Of rows that are divided among ranks: the sums of all are those of one part. */
static int interior_run_shard(interior *in)
{
    enum { FIGURES = 4 };
    hsp__newton *s = in->s;
    double step = 1 / INTERIOR_SHORT;
    for (uint32_t block = 0; block < HSP__BLOCKS; block++)
        in->sums[block].step = step;
    if (in->pass == INTERIOR_MOVES)
        hsp__shard_blocks(s->ctx, interior_block, in);
    else
        hsp__newton_sum(s, s->dim + FIGURES, 1, interior_block, in, s->sums);
    for (uint32_t block = 0; block < HSP__BLOCKS; block++)
        step = fmin(step, in->sums[block].step);
    hsp__shard_min(s->ctx, &step, 1);
    const double *figures = s->sums + s->dim;
    in->sums[0] = (interior_sums){figures[0], figures[1], figures[2], figures[3], step};
    return !s->failed;
}

static int interior_run(interior *in, int pass)
{
    in->pass = pass;
    in->s->passes++;
    if (in->s->ctx->shard) return interior_run_shard(in);
    return hsp__tasks_try(in->s->ctx, in->s->parts, interior_part, in);
}

/* The direction for as and vx; returns the longest step along it. */
static double interior_direction(interior *in)
{
    hsp__newton *s = in->s;
    double step = 1 / INTERIOR_SHORT;
    if (!interior_run(in, INTERIOR_SIDE)) return 0;
    for (uint64_t j = 0; j < s->dim; j++)
        s->delta[j] = s->u[j] - (j < s->d ? s->ridge : s->offset_ridge) * s->w[j];
    for (uint64_t part = 0; part < s->parts; part++)
        hsp__vec()->axpy_f64(1, s->sums + part * s->dim, s->delta, (size_t)s->dim);
    hsp__hessian_solve(s, s->delta);
    if (!interior_run(in, INTERIOR_MOVES)) return 0;
    for (uint64_t part = 0; part < s->parts; part++)
        step = fmin(step, in->sums[part].step);
    return step;
}

/* u, theta, mu and the figures where we are. */
static int interior_here(interior *in)
{
    hsp__newton *s = in->s;
    double weight = 0, product = 0;
    if (!interior_run(in, INTERIOR_HERE)) return 0;
    memset(s->u, 0, s->dim * sizeof *s->u);
    uint64_t count = in->count;
    hsp__shard_add(s->ctx, &count, 1);
    s->now = (hsp__newton_state){.active = count, .turned = count};
    for (uint64_t part = 0; part < s->parts; part++) {
        hsp__vec()->axpy_f64(1, s->sums + part * s->dim, s->u, (size_t)s->dim);
        weight += in->sums[part].weight;
        product += in->sums[part].product;
        s->now.loss += in->sums[part].loss;
        s->now.conjugate += in->sums[part].conjugate;
    }
    s->now.loss += in->outside;
    in->mu = product / weight / (s->form == HSP__HINGE ? 2 : 1);
    return 1;
}

/* ---- One step -------------------------------------------------------------------------------- */

/* By how much a product p is to change further so that it is near `target`. */
static double interior_centre(double p, double target)
{
    const double low = target / INTERIOR_SPREAD, high = target * INTERIOR_SPREAD;
    return p < low ? low - p : p > high ? fmax(high - p, -high) : 0;
}

/* A step of t: what the products and their weights sum up to then. */
static void interior_after(const interior *in, uint64_t from, uint64_t to, double sum[2])
{
    const int hinge = in->s->form == HSP__HINGE;
    const double t = in->step;
    double after = 0, weight = 0;
    for (uint64_t k = from; k < to; k++) {
        const interior_row *row = &in->rows[k];
        const double c = fabs(row->cost);
        weight += c;
        after += c * (row->a + t * row->da) * (row->s + t * row->ds);
        if (hinge) after += c * (row->v - t * row->da) * (row->x + t * row->dx);
    }
    sum[0] = after, sum[1] = weight;
}

static void interior_after_block(void *user, uint32_t block, uint64_t from, uint64_t to,
                                 double *sum)
{
    const interior *in = user;
    (void)block;
    interior_after(in, interior_find(in, from), interior_find(in, to), sum);
}

/* The predictor, and from where it leads the mu to aim for; the corrector. */
static double interior_corrected(interior *in, double *target)
{
    const int hinge = in->s->form == HSP__HINGE;
    double sum[2];
    for (uint64_t k = 0; k < in->count; k++) {
        interior_row *row = &in->rows[k];
        row->as = -row->a * row->s;
        row->vx = -row->v * row->x;
    }
    in->step = fmin(1, interior_direction(in));
    if (in->s->ctx->shard)
        hsp__newton_sum(in->s, 2, 1, interior_after_block, in, sum);
    else
        interior_after(in, 0, in->count, sum);
    const double ratio = sum[0] / sum[1] / (hinge ? 2 : 1) / in->mu;
    *target = ratio * ratio * ratio * in->mu;
    for (uint64_t k = 0; k < in->count; k++) {
        interior_row *row = &in->rows[k];
        row->as += *target - row->da * row->ds;
        row->vx += *target + row->da * row->dx;
    }
    return interior_direction(in);
}

/* A further correction, towards a longer step than t. */
static double interior_more(interior *in, double target, double t)
{
    const double to = fmin(1, t + INTERIOR_AIM);
    for (uint64_t k = 0; k < in->count; k++) {
        interior_row *row = &in->rows[k];
        row->as_more = interior_centre((row->a + to * row->da) * (row->s + to * row->ds), target);
        row->vx_more = interior_centre((row->v - to * row->da) * (row->x + to * row->dx), target);
        row->as += row->as_more;
        row->vx += row->vx_more;
    }
    const double next = interior_direction(in);
    if (next >= t) return next;
    for (uint64_t k = 0; k < in->count; k++) {
        interior_row *row = &in->rows[k];
        row->as -= row->as_more;
        row->vx -= row->vx_more;
    }
    return interior_direction(in);
}

static double interior_step(interior *in)
{
    hsp__newton *s = in->s;
    double target;
    hsp__hessian_factor(s);
    double t = interior_corrected(in, &target);
    for (int more = 0; more < INTERIOR_MORE && t < 1 - INTERIOR_WORTH; more++) {
        const double before = t;
        t = interior_more(in, target, t);
        if (t < before + INTERIOR_WORTH) break;
    }
    if (s->failed || hsp__tick_together(s->ctx)) return 0;
    t = fmin(1, INTERIOR_SHORT * t);
    for (uint64_t k = 0; k < in->count; k++) {
        interior_row *row = &in->rows[k];
        row->a += t * row->da;
        row->v -= t * row->da;
        row->s += t * row->ds;
        row->x += t * row->dx;
    }
    hsp__vec()->axpy_f64(t, s->delta, s->w, (size_t)s->dim);
    hsp__newton_scores(s);
    s->updates++;
    return t;
}

/* ---- The method ------------------------------------------------------------------------------ */

/* A row that has z = 1 - m begins. First all of them, with products of the same mu for all that are
 * about as near to the margin; those that join later have an a so small that sum a y x hardly
 * changes. */
static void interior_place(const interior *in, double z, interior_row *row)
{
    const int hinge = in->s->form == HSP__HINGE;
    const double mu = in->mu > 0 ? in->mu : fmax(1, fabs(z));
    if (in->mu > 0) {
        row->a = fmin(0.5, mu / fmax(z, mu));
        row->v = 1 - row->a;
        row->x = z + mu / row->a;
    } else if (hinge) {
        const double root = sqrt(z * z + 4 * mu * mu);
        row->a = 2 * mu / (2 * mu - z + root);
        row->v = 2 * mu / (2 * mu + z + root);
        row->x = mu / row->v;
    } else {
        const double root = sqrt(z * z + 2 * mu);
        row->a = z > 0 ? z + root : 2 * mu / (root - z);
    }
    if (!hinge) row->v = row->x = 1;
    row->s = mu / row->a;
}

static double interior_z(const hsp__newton *s, double cost, uint64_t i)
{
    return 1 - (cost < 0 ? -s->score[i] : s->score[i]);
}

/* What the rows cost that take no part. */
static void interior_outside_block(void *user, uint32_t block, uint64_t from, uint64_t to,
                                   double *sum)
{
    const hsp__newton *s = user;
    double all = 0;
    (void)block;
    for (uint64_t i = from; i < to; i++) {
        const double cost = hsp__newton_cost(s, i), z = interior_z(s, cost, i);
        if (s->theta[i] == 0 && z > 0) all += fabs(cost) * (s->form == HSP__HINGE ? z : z * z);
    }
    *sum = all;
}

static double interior_outside(hsp__newton *s)
{
    double sum = 0;
    if (s->ctx->shard)
        hsp__newton_sum(s, 1, 1, interior_outside_block, s, &sum);
    else
        interior_outside_block(s, 0, 0, s->n, &sum);
    return sum;
}

static int interior_order(const void *a, const void *b)
{
    const uint64_t first = ((const interior_row *)a)->at, second = ((const interior_row *)b)->at;
    return first < second ? -1 : first > second;
}

/* Rows with m < 1 + band take part from now on. */
static void interior_join(interior *in, double band)
{
    hsp__newton *s = in->s;
    for (uint64_t i = 0; i < s->n; i++) {
        const double cost = hsp__newton_cost(s, i), z = interior_z(s, cost, i);
        if (s->theta[i] > 0 || cost == 0 || z <= -band) continue;
        interior_row *row = &in->rows[in->count++];
        *row = (interior_row){.at = i, .cost = cost};
        interior_place(in, z, row);
        s->theta[i] = 1;
    }
    if (s->ctx->shard) qsort(in->rows, in->count, sizeof *in->rows, interior_order);
    in->outside = 0;
}

/* Which rows begin. */
static double interior_band(const hsp__newton *s)
{
    double band = INTERIOR_BAND;
    const uint64_t enough = INTERIOR_LEAST * s->dim < s->all ? INTERIOR_LEAST * s->dim : s->all;
    for (; isfinite(band); band *= INTERIOR_WIDER) {
        uint64_t count = 0;
        for (uint64_t i = 0; i < s->n; i++)
            count += interior_z(s, hsp__newton_cost(s, i), i) > -band;
        hsp__shard_add(s->ctx, &count, 1);
        if (count >= enough) break;
    }
    return band;
}

/* Is the gap small enough? Then multipliers near their bounds go there, as many as it bears. */
static int interior_enough(interior *in, double gap)
{
    hsp__newton_estimates f = hsp__newton_estimate(in->s);
    if (!(f.primal - f.dual <= gap / 2 * f.primal)) return 0;
    in->snap = INTERIOR_SNAP;
    for (int snaps = 0; snaps < INTERIOR_SNAPS && interior_here(in); snaps++, in->snap /= 10) {
        f = hsp__newton_estimate(in->s);
        if (f.primal - f.dual <= 0.9 * gap * f.primal) return 1;
    }
    in->snap = 0;
    return 1;
}

static void interior_solve(interior *in, double gap)
{
    hsp__newton *s = in->s;
    interior_join(in, interior_band(s));
    for (int step = 0; step < INTERIOR_STEPS && interior_here(in); step++) {
        if (interior_enough(in, gap)) return;
        const double primal = hsp__newton_estimate(s).primal;
        if (interior_step(in) == 0) return;
        in->outside = interior_outside(s);
        if (in->outside > INTERIOR_JOIN * gap * primal) interior_join(in, 0);
    }
}

hsp_status hsp__newton_interior(hsp__newton *s, double gap, hsp_error *err)
{
    interior in = {.s = s};
    hsp__scratch scratch = {.memory = &s->ctx->allocator};
    assert(!s->by_matrix && (s->form == HSP__HINGE || s->form == HSP__SQUARED_HINGE));
    in.rows = hsp__scratch_raw(&scratch, s->n, sizeof *in.rows);
    const uint64_t parts = s->ctx->shard ? HSP__BLOCKS : s->parts;
    in.sums = hsp__scratch_raw(&scratch, parts, sizeof *in.sums);
    s->theta = hsp__scratch_new(&scratch, s->n, sizeof *s->theta);
    const hsp_status status =
        hsp__shard_agree(s->ctx, scratch.failed ? hsp__fail_memory(err) : HSP_OK, err);
    if (!status) {
        interior_solve(&in, gap);
        hsp__zero(&s->ctx->allocator, s->a, s->n * sizeof *s->a);
    }
    for (uint64_t k = 0; k < in.count; k++) {
        const interior_row *row = &in.rows[k];
        s->a[row->at] = fabs(row->cost) * interior_snapped(row, in.snap, s->form == HSP__HINGE);
    }
    s->theta = NULL;
    hsp__scratch_free(&scratch);
    return status;
}
