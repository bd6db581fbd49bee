/* The support vector machine of all classes at once, after Crammer and Singer.
 *
 * Problem. Rows x_i in R^d of classes y_i in 1..k, costs c_i >= 0; a scorer s_m(x) = <w_m, x> + b_m
 * a class:
 *
 *     minimise  P(W, b) = sum_m ||w_m||^2 / 2 + sum_i c_i max(0, 1 + max_{m != y_i} s_m - s_{y_i})
 *
 * with b = 0 (offset none), with sum_m b_m^2 / 2 added to P (regularized), or with b in no penalty
 * (free). Two classes: the best is w_2 = w / 2 = -w_1 with w the binary hinge machine of costs 2 c
 * (problem.h), and P is half of that machine's.
 *
 * Dual. A row has weights A_i in R^k with A_im <= 0 for m != y_i, A_iy <= c_i and sum_m A_im = 0;
 * A_iy = the sum of the p_im = -A_im says how hard the row pulls, p_im against whom.
 *
 *     maximise  D(A) = sum_i A_{i y_i} - sum_m ||u_m||^2 / 2,      u_m = sum_i A_im x_i
 *
 * (regularized: less sum_m t_m^2 / 2; free: t_m = 0; t_m = sum_i A_im). D <= P always. At W = u
 * (and b = t, regularized) the gap is a sum over rows of numbers that are not negative,
 *
 *     P - D = sum_i g_i,      g_i = c_i loss_i - sum_{m != y_i} p_im (1 + s_m - s_{y_i})
 *
 * so that every row knows its share of what is missing.
 *
 * Step. Row i with all others held: with q = ||x_i||^2 (+ 1, regularized) the best A_i is
 * A_im = C_m - max(0, z_m - beta) / q, C_m = c_i for m = y_i and else 0, z_m = s_m + [m != y_i]
 * + q (C_m - A_im), and beta such that the A_im add up to 0: a projection on a simplex, exact after
 * a few sums over the classes. The weights of all classes lie side by side: a row costs one walk
 * over its places for all scores and one for all changes.
 *
 * Rounds. All rows are scored (in parallel); those with more than a small part of the mean of the
 * g_i are active, and are stepped through in shuffled order until little is left of their sum; a
 * row whose share has become small drops out. Then again.
 *
 * Offset free. A proximal method in b: a round minimises P + (rho / 2) ||b - b0||^2, which is the
 * problem with a regularized offset around b0 (b = b0 + t / rho), then b0 moves to b. For the dual
 * value t must be 0: the pulls from class to class are a flow, which is scaled down until as much
 * goes into each class as comes out of it (crammer_balance). As t goes to 0 so does the scaling.
 *
 * Guarantee. D never falls in a step; the method converges, in practice linearly. It stops by the
 * gap (P - D) / P of W = u recomputed from A, never by its own sums.
 *
 * Cost. O(k) numbers a place of a row to score it, and again to change it; memory n k for A, d k
 * for the weights.
 *
 * Papers. K. Crammer, Y. Singer, On the algorithmic implementation of multiclass kernel-based
 * vector machines, JMLR 2 (2001). S. S. Keerthi, S. Sundararajan, K.-W. Chang, C.-J. Hsieh,
 * C.-J. Lin, A sequential dual method for large scale multi-class linear SVMs, KDD (2008).
 * C. Michelot, A finite algorithm for finding the projection of a point onto the canonical simplex
 * of R^n, JOTA 50 (1986). E. E. Osborne, On pre-conditioning of matrices, JACM 7 (1960). */
#include "learn/crammer.h"

#include <math.h>
#include <string.h>

#include "base/context.h"
#include "base/error.h"
#include "base/memory.h"
#include "base/random.h"
#include "base/threads.h"
#include "data/data.h"
#include "vec/vec.h"

#define CRAMMER_BLOCK 8  /* columns come in blocks of a cache line */
#define CRAMMER_ALIGN 64 /* bytes */

typedef struct crammer {
    hsp_context *ctx;
    const hsp__crammer *p;
    const hsp__vec_table *vec;
    const hsp_view *view;
    uint64_t n, d;
    uint32_t k;
    size_t columns;     /* k, rounded up to whole blocks */
    uint32_t *identity; /* d: 0, 1, 2 ... for dense rows */
    double *w;          /* d * columns: the weights of all classes side by side */
    double *b;          /* columns: the offsets */
    double *dual;       /* n * k: A */
    double *share;      /* n: g_i, as last scored */
    double *scratch;    /* parts * columns */
    double *losses;     /* parts: of each, the sum of c loss */
    uint64_t parts;     /* of the rows */
    void *w_block;      /* what was allocated for w */
} crammer;

/* ---- Rows and the weights beside each other -------------------------------------------------- */

static double crammer_cost(const hsp__crammer *p, uint64_t i)
{
    const double c = p->cost[p->view->labels[i]];
    return p->row_weight ? c * p->row_weight[i] : c;
}

/* <w_m, x_i> for all classes. */
static void crammer_dots(const crammer *work, const double *w, uint64_t i, double *out)
{
    const hsp_view *view = work->view;
    const hsp__row x = hsp__view_row(view, i);
    const size_t n = (size_t)x.count, columns = work->columns;
    const uint32_t *places = view->storage == HSP_DENSE ? work->identity : x.indices;
    if (!x.values)
        work->vec->ones_dots_f64(places, n, w, columns, columns, out);
    else if (view->precision == HSP_FLOAT32)
        work->vec->sparse_dots_f32f64(places, x.values, n, w, columns, columns, out);
    else
        work->vec->sparse_dots_f64(places, x.values, n, w, columns, columns, out);
}

/* w_m += a_m x_i for `many` columns from where `a` and `w` point. */
static void crammer_add(const crammer *work, const double *a, uint64_t i, double *w, size_t many)
{
    const hsp_view *view = work->view;
    const hsp__row x = hsp__view_row(view, i);
    const size_t n = (size_t)x.count, columns = work->columns;
    const uint32_t *places = view->storage == HSP_DENSE ? work->identity : x.indices;
    if (!x.values)
        work->vec->ones_axpys_f64(a, places, n, w, columns, many);
    else if (view->precision == HSP_FLOAT32)
        work->vec->sparse_axpys_f32f64(a, places, x.values, n, w, columns, many);
    else
        work->vec->sparse_axpys_f64(a, places, x.values, n, w, columns, many);
}

static double crammer_square(const crammer *work, uint64_t i)
{
    const hsp__row x = hsp__view_row(work->view, i);
    if (!x.values) return (double)x.count;
    return work->view->precision == HSP_FLOAT32
               ? work->vec->sqnorm_f32f64(x.values, (size_t)x.count)
               : work->vec->sqnorm_f64(x.values, (size_t)x.count);
}

/* ---- Sums over all rows ---------------------------------------------------------------------- */

typedef struct crammer_combine {
    const crammer *work;
    const double *dual; /* n * k */
    double *u;          /* d * columns */
} crammer_combine;

/* A block of classes: all rows, in order. */
static void crammer_combine_block(void *user, uint64_t block)
{
    const crammer_combine *job = user;
    const crammer *work = job->work;
    const uint32_t first = (uint32_t)(block * CRAMMER_BLOCK), k = work->k;
    const uint32_t count = k - first < CRAMMER_BLOCK ? k - first : CRAMMER_BLOCK;
    for (uint64_t i = 0; i < work->n; i++) {
        double a[CRAMMER_BLOCK] = {0};
        int any = 0;
        for (uint32_t m = 0; m < count; m++) {
            a[m] = job->dual[i * k + first + m];
            any |= a[m] != 0;
        }
        if (any) crammer_add(work, a, i, job->u + first, CRAMMER_BLOCK);
    }
}

/* u = sum_i A_i x_i. */
static void crammer_weights(const crammer *work, const double *dual, double *u)
{
    crammer_combine job = {work, dual, u};
    memset(u, 0, work->d * work->columns * sizeof *u);
    hsp__tasks_run(work->ctx, work->columns / CRAMMER_BLOCK, crammer_combine_block, &job);
}

/* t = sum_i A_i. */
static void crammer_pulls(const crammer *work, const double *dual, double *t)
{
    for (uint32_t m = 0; m < work->k; m++)
        t[m] = 0;
    for (uint64_t i = 0; i < work->n; i++)
        for (uint32_t m = 0; m < work->k; m++)
            t[m] += dual[i * work->k + m];
}

/* The loss of a row of class y with these scores. */
static double crammer_loss(const double *s, uint32_t k, uint32_t y)
{
    double best = -HUGE_VAL;
    for (uint32_t m = 0; m < k; m++)
        if (m != y && s[m] > best) best = s[m];
    const double loss = 1 + best - s[y];
    return loss > 0 || isnan(loss) ? loss : 0;
}

/* g_i of a row with these scores. */
static double crammer_share(const double *s, const double *a, uint32_t k, uint32_t y, double c)
{
    double sum = c * crammer_loss(s, k, y);
    for (uint32_t m = 0; m < k; m++)
        if (m != y) sum += a[m] * (1 + s[m] - s[y]);
    return sum;
}

static void crammer_score_part(void *user, uint64_t part)
{
    crammer *work = user;
    const uint32_t k = work->k;
    const uint64_t to = hsp__part(work->n, work->parts, part + 1);
    double *s = work->scratch + part * work->columns, losses = 0;
    for (uint64_t i = hsp__part(work->n, work->parts, part); i < to; i++) {
        const uint32_t y = work->view->labels[i];
        const double c = crammer_cost(work->p, i);
        crammer_dots(work, work->w, i, s);
        for (uint32_t m = 0; m < k; m++)
            s[m] += work->b[m];
        if (c > 0) losses += c * crammer_loss(s, k, y);
        if (work->share) work->share[i] = crammer_share(s, work->dual + i * k, k, y, c);
    }
    work->losses[part] = losses;
}

/* Score all rows with w and b: the sum of c loss; share[i] becomes g_i. */
static double crammer_score(crammer *work)
{
    double sum = 0;
    hsp__tasks_run(work->ctx, work->parts, crammer_score_part, work);
    for (uint64_t part = 0; part < work->parts; part++)
        sum += work->losses[part];
    return sum;
}

/* ---- Feasible dual weights ------------------------------------------------------------------- */

/* A row into its box: pulls >= 0 that add up to c at most. */
static void crammer_clip(double *a, uint32_t k, uint32_t y, double c)
{
    double sum = 0;
    for (uint32_t m = 0; m < k; m++) {
        if (m == y || !(a[m] < 0) || !(c > 0)) a[m] = 0;
        sum -= a[m];
    }
    if (sum > c) {
        const double factor = c / sum;
        sum = 0;
        for (uint32_t m = 0; m < k; m++) {
            a[m] = isinf(a[m]) ? 0 : a[m] * factor;
            sum -= a[m];
        }
        if (sum > c) sum = c; /* a last bit */
    }
    a[y] = sum;
}

/* The flow of pulls between classes: flow[y * k + m] = sum of p_im over the rows of class y. */
static void crammer_flow(const crammer *work, const double *dual, double *flow)
{
    const uint32_t k = work->k;
    for (uint32_t e = 0; e < k * k; e++)
        flow[e] = 0;
    for (uint64_t i = 0; i < work->n; i++) {
        const uint32_t y = work->view->labels[i];
        for (uint32_t m = 0; m < k; m++)
            if (m != y) flow[y * k + m] -= dual[i * k + m];
    }
}

/* Only what lies on a circle can be balanced: what comes back nowhere goes. */
static void crammer_circles(double *flow, unsigned char *reach, uint32_t k)
{
    for (uint32_t e = 0; e < k * k; e++)
        reach[e] = flow[e] > 0;
    for (uint32_t v = 0; v < k; v++)
        for (uint32_t i = 0; i < k; i++)
            for (uint32_t j = 0; reach[i * k + v] && j < k; j++)
                reach[i * k + j] |= reach[v * k + j];
    for (uint32_t i = 0; i < k; i++)
        for (uint32_t j = 0; j < k; j++)
            if (!reach[j * k + i]) flow[i * k + j] = 0;
}

#define CRAMMER_SWEEPS 10000

/* Numbers e_m such that flow_ym e_y / e_m is balanced: one class after the other. */
static void crammer_level(const double *flow, double *e, uint32_t k)
{
    for (uint32_t m = 0; m < k; m++)
        e[m] = 1;
    for (int sweep = 0; sweep < CRAMMER_SWEEPS; sweep++) {
        double off = 0;
        for (uint32_t v = 0; v < k; v++) {
            double out = 0, in = 0;
            for (uint32_t m = 0; m < k; m++) {
                out += flow[v * k + m] * (e[v] / e[m]);
                in += flow[m * k + v] * (e[m] / e[v]);
            }
            if (!(out > 0 && in > 0)) continue;
            off = fmax(off, fabs(out - in) / (out + in));
            e[v] *= sqrt(in / out);
        }
        if (!(off > 1e-15)) return;
    }
}

/* Offset free: scale pulls down until t = 0. */
static hsp_status crammer_balance(const crammer *work, double *dual, hsp_error *err)
{
    const uint32_t k = work->k;
    const hsp_allocator *memory = &work->ctx->allocator;
    double *flow = hsp__new(memory, (uint64_t)k * k + k, sizeof *flow);
    unsigned char *reach = hsp__new(memory, (uint64_t)k * k, 1);
    hsp_status status = flow && reach ? HSP_OK : hsp__fail_memory(err);
    if (!status) {
        double *e = flow + (uint64_t)k * k, most = 0;
        crammer_flow(work, dual, flow);
        crammer_circles(flow, reach, k);
        crammer_level(flow, e, k);
        for (uint32_t y = 0; y < k; y++)
            for (uint32_t m = 0; m < k; m++)
                if (flow[y * k + m] > 0) most = fmax(most, e[y] / e[m]);
        for (uint32_t y = 0; y < k; y++)
            for (uint32_t m = 0; m < k; m++)
                flow[y * k + m] = flow[y * k + m] > 0 ? e[y] / e[m] / most : 0;
        for (uint64_t i = 0; i < work->n; i++) {
            const uint32_t y = work->view->labels[i];
            for (uint32_t m = 0; m < k; m++)
                if (m != y) dual[i * k + m] *= flow[y * k + m];
            crammer_clip(dual + i * k, k, y, crammer_cost(work->p, i));
        }
    }
    hsp__free(memory, flow);
    hsp__free(memory, reach);
    return status;
}

static hsp_status crammer_feasible(const crammer *work, double *dual, hsp_error *err)
{
    for (uint64_t i = 0; i < work->n; i++)
        crammer_clip(dual + i * work->k, work->k, work->view->labels[i], crammer_cost(work->p, i));
    return work->p->offset == HSP__OFFSET_FREE ? crammer_balance(work, dual, err) : HSP_OK;
}

/* ---- Judging --------------------------------------------------------------------------------- */

static void *crammer_array(const crammer *work, uint64_t count, size_t size, int *failed)
{
    void *array = hsp__new(&work->ctx->allocator, count, size);
    *failed |= !array;
    return array;
}

/* The first whole cache line of a block that is one longer than needed. */
static double *crammer_align(void *block)
{
    return (void *)((char *)block + (-(uintptr_t)block & (CRAMMER_ALIGN - 1)));
}

/* What judging and solving both need. Free it even after a failure. */
static hsp_status crammer_open(crammer *work, hsp_context *ctx, const hsp__crammer *p,
                               hsp_error *err)
{
    const hsp_view *view = p->view;
    int failed = 0;
    *work = (crammer){.ctx = ctx, .p = p, .vec = hsp__vec(), .view = view, .k = view->classes};
    work->n = view->rows;
    work->d = view->cols;
    work->columns = ((size_t)work->k + CRAMMER_BLOCK - 1) / CRAMMER_BLOCK * CRAMMER_BLOCK;
    const uint64_t each = work->n ? hsp_view_stored(view) / work->n : 0;
    work->parts = hsp__parts(work->n, (each + 2) * work->columns * sizeof(double) / 2);
    if (work->d > UINT64_MAX / work->columns || work->n > UINT64_MAX / work->columns)
        return hsp__fail_memory(err);
    work->w_block =
        crammer_array(work, work->d * work->columns + CRAMMER_BLOCK, sizeof(double), &failed);
    work->b = crammer_array(work, work->columns, sizeof *work->b, &failed);
    work->scratch = crammer_array(work, work->parts * work->columns, sizeof(double), &failed);
    work->losses = crammer_array(work, work->parts, sizeof *work->losses, &failed);
    if (view->storage == HSP_DENSE)
        work->identity = crammer_array(work, work->d, sizeof *work->identity, &failed);
    if (failed) return hsp__fail_memory(err);
    work->w = crammer_align(work->w_block);
    for (uint32_t j = 0; work->identity && j < work->d; j++)
        work->identity[j] = j;
    return HSP_OK;
}

static void crammer_close(crammer *work)
{
    const hsp_allocator *memory = &work->ctx->allocator;
    hsp__free(memory, work->w_block);
    hsp__free(memory, work->b);
    hsp__free(memory, work->scratch);
    hsp__free(memory, work->losses);
    hsp__free(memory, work->identity);
}

/* Weights class after class, from side by side and back. */
static void crammer_apart(const crammer *work, const double *beside, double *w)
{
    for (uint32_t m = 0; m < work->k; m++)
        for (uint64_t j = 0; j < work->d; j++)
            w[m * work->d + j] = beside[j * work->columns + m];
}

static void crammer_beside(const crammer *work, const double *w, double *beside)
{
    for (uint32_t m = 0; m < work->k; m++)
        for (uint64_t j = 0; j < work->d; j++)
            beside[j * work->columns + m] = w[m * work->d + j];
}

/* sum ||w_m||^2 / 2, and the offsets' part of it where they have one. */
static double crammer_penalty(const crammer *work, const double *w, const double *b)
{
    double sum = work->vec->sqnorm_f64(w, (size_t)work->d * work->columns), own = 0;
    for (uint32_t m = 0; work->p->offset == HSP__OFFSET_REGULARIZED && m < work->k; m++)
        own += b[m] * b[m];
    return (sum + own) / 2;
}

static double crammer_gain(const crammer *work, const double *dual)
{
    double sum = 0;
    for (uint64_t i = 0; i < work->n; i++)
        sum += dual[i * work->k + work->view->labels[i]];
    return sum;
}

/* D of a feasible A with its u and t. */
static double crammer_dual(const crammer *work, const double *dual, const double *u,
                           const double *t)
{
    return crammer_gain(work, dual) - crammer_penalty(work, u, t);
}

static void crammer_verdict(double primal, double dual, hsp__verdict *out)
{
    out->primal = primal;
    out->dual = dual;
    out->gap = primal > dual ? (primal - dual) / primal : 0;
    if (!isfinite(primal) || isnan(dual)) out->gap = 1;
}

hsp_status hsp__crammer_judge(hsp_context *ctx, const hsp__crammer *p, const double *w,
                              const double *b, double *dual, double *u, hsp_error *err,
                              hsp__verdict *out)
{
    crammer work;
    hsp_status status = crammer_open(&work, ctx, p, err);
    if (!status) status = crammer_feasible(&work, dual, err);
    if (!status) {
        crammer_weights(&work, dual, work.w);
        crammer_pulls(&work, dual, work.b);
        const double value = crammer_dual(&work, dual, work.w, work.b);
        crammer_apart(&work, work.w, u);
        crammer_beside(&work, w, work.w);
        for (uint32_t m = 0; m < work.k; m++)
            work.b[m] = b[m];
        const double losses = crammer_score(&work);
        crammer_verdict(crammer_penalty(&work, work.w, work.b) + losses, value, out);
    }
    crammer_close(&work);
    return status;
}

/* ---- A row ----------------------------------------------------------------------------------- */

typedef struct crammer_run {
    crammer work;
    const hsp__goal *goal;
    double *square;        /* n: q */
    uint64_t *order;       /* the active rows */
    uint64_t count;        /* of them */
    double *s, *next;      /* columns each: scores, and the change of A */
    double *center;        /* columns: b0, offset free */
    double *t;             /* columns */
    double *even, *even_u; /* n * k and d * columns, offset free: A balanced, and its u */
    double *own_dual;
    void *even_block;
    double pull; /* q has this on top of ||x||^2: 1 / rho; 0: no offset */
    int waited;  /* rounds since b0 moved */
    uint64_t looked, passes, updates;
    int stopped;
    hsp_stop stop;
    hsp__verdict verdict;
} crammer_run;

/* beta with sum of max(0, z_m - beta) = mass: throw out what lies below the level that all that are
 * left would have, until nothing does. */
static double crammer_level_of(const double *z, uint32_t k, double mass)
{
    double beta = -HUGE_VAL;
    for (uint32_t left = k, count;; left = count) {
        double sum = 0;
        count = 0;
        for (uint32_t m = 0; m < k; m++) {
            sum += z[m] > beta ? z[m] : 0;
            count += z[m] > beta;
        }
        if (count == 0 || (count >= left && beta > -HUGE_VAL)) return beta;
        beta = (sum - mass) / count;
    }
}

/* The best A_i for the scores in run->s; run->next becomes its change. Is there any? */
static int crammer_solve_row(crammer_run *run, uint64_t i, uint32_t y, double c)
{
    const uint32_t k = run->work.k;
    const double q = run->square[i];
    double *a = run->work.dual + i * k, *z = run->next, sum = 0;
    int changed = 0;
    for (uint32_t m = 0; m < k; m++)
        z[m] = run->s[m] + 1 - q * a[m];
    z[y] += q * c - 1;
    const double beta = crammer_level_of(z, k, q * c);
    for (uint32_t m = 0; m < k; m++)
        if (m != y) sum += z[m] > beta ? (z[m] - beta) / q : 0;
    /* rounding of large z against a small q c is no reason to leave the box */
    const int full = !(z[y] > beta) || sum > c;
    const double factor = full && sum > 0 ? c / sum : 1;
    if (full) sum = 0;
    for (uint32_t m = 0; m < k; m++) {
        if (m == y) continue;
        const double to = z[m] > beta ? (beta - z[m]) / q * factor : 0;
        if (full) sum -= to;
        changed |= to != a[m];
        z[m] = to - a[m];
        a[m] = to;
    }
    if (sum > c) sum = c;
    z[y] = sum - a[y];
    changed |= z[y] != 0;
    a[y] = sum;
    return changed;
}

/* A row of zeros without offset: its scores are 0 whatever the weights; any full pull is best. */
static void crammer_fill_row(crammer_run *run, uint64_t i, uint32_t y, double c)
{
    const uint32_t k = run->work.k;
    double *a = run->work.dual + i * k;
    for (uint32_t m = 0; m < k; m++)
        a[m] = 0;
    a[y] = c;
    a[y == 0] = -c;
}

/* One step, if the row's share of the gap is above `least`: the share. */
static double crammer_visit(crammer_run *run, uint64_t i, double least)
{
    crammer *work = &run->work;
    const uint32_t k = work->k, y = work->view->labels[i];
    const double c = crammer_cost(work->p, i);
    crammer_dots(work, work->w, i, run->s);
    for (uint32_t m = 0; m < k; m++)
        run->s[m] += work->b[m];
    const double share = crammer_share(run->s, work->dual + i * k, k, y, c);
    if (!(share > least)) return share;
    if (!(run->square[i] > 0)) {
        crammer_fill_row(run, i, y, c);
    } else if (crammer_solve_row(run, i, y, c)) {
        crammer_add(work, run->next, i, work->w, work->columns);
        for (uint32_t m = 0; m < k; m++)
            work->b[m] += run->pull * run->next[m];
        run->updates++;
    }
    return share;
}

/* ---- Rounds ---------------------------------------------------------------------------------- */

#define CRAMMER_SMALL  0.1  /* rows with less than this part of the mean share rest */
#define CRAMMER_LEFT   0.2  /* a round ends when so much of its gap is left, */
#define CRAMMER_INNER  20   /* or after so many passes over its rows */
#define CRAMMER_CHUNK  4096 /* rows between two looks at the clock */
#define CRAMMER_STALLS 500  /* rounds without a smaller gap: this is as near as rounding allows */
#define CRAMMER_WAIT   6    /* rounds that the offsets may wait for the rows */
#define CRAMMER_OPEN   0.05 /* so small a part of the gap in the rows: the rest is in the offsets */

static void crammer_tick(crammer_run *run, uint64_t rows)
{
    hsp_stop why;
    run->looked += rows;
    if (run->stopped) return;
    if (run->goal->watch && hsp__watch_tick(run->goal->watch, rows, run->goal->report, &why)) {
        run->stopped = 1;
        run->stop = why;
    } else if (run->goal->max_passes && run->looked >= run->goal->max_passes * run->work.n) {
        run->stopped = 1;
        run->stop = HSP_STOP_PASSES;
    }
}

/* A pass over the active rows: the sum of the shares as they were met. Rows with at most `least`
 * drop out. */
static double crammer_pass(crammer_run *run, double least)
{
    hsp__random random;
    double sum = 0;
    uint64_t kept = 0, at = 0;
    hsp__random_seed(&random, run->goal->seed, ++run->passes);
    hsp__random_shuffle(&random, run->order, run->count);
    while (at < run->count && !run->stopped) {
        const uint64_t to = run->count - at < CRAMMER_CHUNK ? run->count : at + CRAMMER_CHUNK;
        const uint64_t from = at;
        for (; at < to; at++) {
            const uint64_t i = run->order[at];
            const double share = crammer_visit(run, i, least);
            sum += share;
            run->order[kept] = i;
            kept += share > least;
        }
        crammer_tick(run, to - from);
    }
    run->count = kept;
    return sum;
}

/* Choose the active rows by their shares, and step through them until most of those is gone. */
static void crammer_round(crammer_run *run)
{
    const uint64_t n = run->work.n;
    double gap = 0;
    for (uint64_t i = 0; i < n; i++)
        gap += run->work.share[i];
    /* offset free: how well t = 0 is met depends on the rows too */
    const int exact = run->work.p->offset == HSP__OFFSET_FREE;
    const double enough = exact ? 0 : run->goal->gap * run->verdict.primal / 2;
    const double until = fmax(CRAMMER_LEFT * gap, enough);
    const double least = CRAMMER_SMALL * fmax(fmin(gap, until / CRAMMER_LEFT), 0) / (double)n;
    run->count = 0;
    for (uint64_t i = 0; i < n; i++)
        if (run->work.share[i] > least) run->order[run->count++] = i;
    for (int pass = 0; pass < CRAMMER_INNER && run->count && !run->stopped; pass++)
        if (!(crammer_pass(run, least) > until)) return;
}

/* ---- The whole ------------------------------------------------------------------------------- */

/* Offset free: D of A balanced, in its own arrays. */
static hsp_status crammer_measure_free(crammer_run *run, hsp_error *err, double *value)
{
    crammer *work = &run->work;
    memcpy(run->even, work->dual, work->n * work->k * sizeof *run->even);
    hsp_status status = crammer_feasible(work, run->even, err);
    if (status) return status;
    crammer_weights(work, run->even, run->even_u);
    *value = crammer_dual(work, run->even, run->even_u, NULL);
    return HSP_OK;
}

/* Score all rows and judge. `fresh`: with the weights made anew from A, as the verdict that counts
 * must be. */
static hsp_status crammer_measure(crammer_run *run, int fresh, hsp_error *err)
{
    crammer *work = &run->work;
    double value = 0;
    hsp_status status = HSP_OK;
    if (fresh) crammer_weights(work, work->dual, work->w);
    crammer_pulls(work, work->dual, run->t);
    for (uint32_t m = 0; m < work->k; m++)
        work->b[m] = run->center[m] + run->pull * run->t[m];
    if (work->p->offset == HSP__OFFSET_FREE)
        status = crammer_measure_free(run, err, &value);
    else
        value = crammer_dual(work, work->dual, work->w, work->b);
    if (status) return status;
    const double losses = crammer_score(work);
    crammer_verdict(crammer_penalty(work, work->w, work->b) + losses, value, &run->verdict);
    crammer_tick(run, work->n);
    return HSP_OK;
}

/* b0 moves to b, and b as far again, unless most of the gap is the rows' still. Where rows have
 * little left to do and the gap is all in t, rho is too large: half of it. */
static void crammer_recenter(crammer_run *run)
{
    const double missing = run->verdict.primal - run->verdict.dual;
    double open = 0;
    for (uint64_t i = 0; i < run->work.n; i++)
        open += run->work.share[i];
    if (open > missing / 2 && ++run->waited < CRAMMER_WAIT) return;
    run->waited = 0;
    if (open < CRAMMER_OPEN * missing) {
        for (uint64_t i = 0; i < run->work.n; i++)
            run->square[i] += run->pull;
        run->pull *= 2;
    }
    for (uint32_t m = 0; m < run->work.k; m++) {
        run->center[m] += run->pull * run->t[m];
        run->work.b[m] = run->center[m] + run->pull * run->t[m];
    }
}

static hsp_status crammer_rounds(crammer_run *run, hsp_error *err)
{
    double best = HUGE_VAL;
    int stalls = 0;
    hsp_status status = crammer_measure(run, 1, err);
    while (!status && !run->stopped) {
        const int free_offset = run->work.p->offset == HSP__OFFSET_FREE;
        if (run->verdict.gap <= run->goal->gap) {
            status = crammer_measure(run, 1, err);
            if (!status && run->verdict.gap <= run->goal->gap) {
                run->stopped = 1;
                run->stop = HSP_STOP_CONVERGED;
                return HSP_OK;
            }
        }
        stalls = run->verdict.gap < best ? 0 : stalls + 1;
        best = fmin(best, run->verdict.gap);
        if (status || run->stopped || stalls > CRAMMER_STALLS) break;
        if (free_offset) crammer_recenter(run);
        crammer_round(run);
        if (!run->stopped) status = crammer_measure(run, 0, err);
    }
    if (!status) status = crammer_measure(run, 1, err);
    if (!run->stopped) run->stop = HSP_STOP_PASSES;
    if (!status && run->verdict.gap <= run->goal->gap) run->stop = HSP_STOP_CONVERGED;
    return status;
}

static hsp_status crammer_start(crammer_run *run, hsp_context *ctx, const hsp__crammer *p,
                                hsp__crammer_solution *s, hsp_error *err)
{
    crammer *work = &run->work;
    int failed = 0;
    hsp_status status = crammer_open(work, ctx, p, err);
    if (status) return status;
    const uint64_t n = work->n, weights = work->d * work->columns + CRAMMER_BLOCK;
    if (!s->dual) run->own_dual = crammer_array(work, n * work->k, sizeof(double), &failed);
    work->dual = s->dual ? s->dual : run->own_dual;
    work->share = crammer_array(work, n, sizeof *work->share, &failed);
    run->square = crammer_array(work, n, sizeof *run->square, &failed);
    run->order = crammer_array(work, n, sizeof *run->order, &failed);
    run->s = crammer_array(work, 4 * work->columns, sizeof *run->s, &failed);
    if (p->offset == HSP__OFFSET_FREE) {
        run->even = crammer_array(work, n * work->k, sizeof *run->even, &failed);
        run->even_block = crammer_array(work, weights, sizeof(double), &failed);
    }
    if (failed) return hsp__fail_memory(err);
    if (run->even_block) run->even_u = crammer_align(run->even_block);
    run->next = run->s + work->columns;
    run->center = run->next + work->columns;
    run->t = run->center + work->columns;
    for (uint64_t i = 0; i < n; i++)
        crammer_clip(work->dual + i * work->k, work->k, work->view->labels[i], crammer_cost(p, i));
    return HSP_OK;
}

/* q of all rows, and what an offset adds to it. */
static hsp_status crammer_squares(crammer_run *run, hsp_error *err)
{
    const uint64_t n = run->work.n;
    double sum = 0;
    for (uint64_t i = 0; i < n; i++)
        sum += run->square[i] = crammer_square(&run->work, i);
    if (!isfinite(sum))
        return hsp__fail(err, HSP_BAD_DATA, "the rows are too long: their squares overflow");
    if (run->work.p->offset == HSP__OFFSET_REGULARIZED) run->pull = 1;
    if (run->work.p->offset == HSP__OFFSET_FREE) run->pull = sum > 0 ? sum / (double)n : 1;
    for (uint64_t i = 0; i < n; i++)
        run->square[i] += run->pull;
    return HSP_OK;
}

static void crammer_hand_over(const crammer_run *run, hsp__crammer_solution *s)
{
    const crammer *work = &run->work;
    const uint32_t k = work->k;
    crammer_apart(work, work->w, s->w);
    for (uint32_t m = 0; m < k; m++)
        s->b[m] = work->b[m];
    if (s->dual && run->even) memcpy(s->dual, run->even, work->n * k * sizeof *s->dual);
    const double *dual = run->even ? run->even : work->dual;
    s->support = 0;
    for (uint64_t i = 0; i < work->n; i++)
        s->support += dual[i * k + work->view->labels[i]] != 0;
    s->primal = run->verdict.primal;
    s->dual_value = run->verdict.dual;
    s->gap = run->verdict.gap;
    s->passes = (run->looked + work->n - 1) / (work->n ? work->n : 1);
    s->updates = run->updates;
    s->stop = run->stop;
}

hsp_status hsp__crammer_solve(hsp_context *ctx, const hsp__crammer *p, const hsp__goal *goal,
                              hsp_error *err, hsp__crammer_solution *s)
{
    const hsp_allocator *memory = &ctx->allocator;
    crammer_run run = {.goal = goal};
    hsp_status status = crammer_start(&run, ctx, p, s, err);
    if (!status) status = crammer_squares(&run, err);
    if (!status) {
        for (uint32_t m = 0; p->offset == HSP__OFFSET_FREE && m < run.work.k; m++)
            run.center[m] = s->b[m];
        status = crammer_rounds(&run, err);
    }
    if (!status) crammer_hand_over(&run, s);
    hsp__free(memory, run.own_dual);
    hsp__free(memory, run.work.share);
    hsp__free(memory, run.square);
    hsp__free(memory, run.order);
    hsp__free(memory, run.s);
    hsp__free(memory, run.even);
    hsp__free(memory, run.even_block);
    crammer_close(&run.work);
    return status;
}
