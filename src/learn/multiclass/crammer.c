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
 * Precision. Rows of single-precision numbers are stepped through with weights in single precision
 * until the gap is small; each round starts with weights computed again from A in double, and A, the
 * shares and all values of the gap are in double always.
 *
 * Guarantee. D never falls in a step; the method converges, in practice linearly. Every round W = u
 * is computed again from A and its gap is computed, never by the method's own sums; the (W, b) of least P and the A
 * of greatest D are kept, each for itself, from W = 0 and A = 0 on. The gap (P - D) / P is of
 * those.
 *
 * Cost. O(k) numbers a place of a row to score it, and again to change it; memory 2 n k for A and
 * the best of them (offset free: 3 n k), d k for the weights.
 *
 * Papers. K. Crammer, Y. Singer, On the algorithmic implementation of multiclass kernel-based
 * vector machines, JMLR 2 (2001). S. S. Keerthi, S. Sundararajan, K.-W. Chang, C.-J. Hsieh,
 * C.-J. Lin, A sequential dual method for large scale multi-class linear SVMs, KDD (2008).
 * C. Michelot, A finite algorithm for finding the projection of a point onto the canonical simplex
 * of R^n, JOTA 50 (1986). E. E. Osborne, On pre-conditioning of matrices, JACM 7 (1960). */
#include "learn/multiclass/crammer.h"

#include <assert.h>
#include <math.h>
#include <string.h>

#include "base/context.h"
#include "base/random.h"
#include "data/data.h"
#include "learn/erm/matvec.h"
#include "learn/multiclass/crammer_work.h"

/* ---- A row ----------------------------------------------------------------------------------- */

typedef struct crammer_run {
    hsp__crammer_work work;
    const hsp__goal *goal;
    double *square;        /* n: q */
    uint64_t *order;       /* the active rows */
    uint64_t count;        /* of them */
    double *s, *next;      /* columns each: scores, and the change of A */
    double *center;        /* columns: b0, offset free */
    double *t;             /* columns */
    double *even, *even_u; /* n * k and d * columns, offset free: A balanced, and its u */
    double *kept;          /* n * k: the A of greatest D (offset free: balanced) */
    double pull;           /* q has this on top of ||x||^2: 1 / rho; 0: no offset */
    /* Rounds in single precision: the weights once more, in half the memory. */
    float *single;   /* d * wide; NULL: none */
    float *single_s; /* 2 * wide: scores, and changes */
    size_t wide;     /* k, rounded up to a multiple of CRAMMER_WIDE */
    int waited;      /* rounds since b0 moved */
    uint64_t looked, passes, updates;
    int stopped;
    hsp_stop stop;
    hsp__crammer_solution *to; /* its w and b are those of least P */
    hsp__gap_values now, best; /* of this round's W and A; of those kept */
} crammer_run;

/* beta with sum of max(0, z_m - beta) = mass: throw out what lies below the level that all that are
 * left would have, until nothing does. */
static double crammer_level_of(const double *z, uint32_t k, double mass)
{
    assert(k > 1 && !(mass < 0));
    double beta = z[0];
    for (uint32_t m = 1; m < k; m++)
        beta = z[m] > beta ? z[m] : beta;
    beta -= mass; /* not above the answer: the largest alone would be the whole mass */
    for (uint32_t left = k + 1, count;; left = count) {
        double sum = 0;
        count = 0;
        for (uint32_t m = 0; m < k; m++) {
            sum += z[m] > beta ? z[m] : 0;
            count += z[m] > beta;
        }
        if (count == 0 || count >= left) return beta;
        beta = (sum - mass) / count;
    }
}

/* The best A_i for the scores in run->s; run->next becomes its change. Is there any? */
static int crammer_solve_row(crammer_run *run, uint64_t i, uint32_t y, double c)
{
    const uint32_t k = run->work.k;
    const double q = run->square[i];
    assert(q > 0 && y < k);
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

/* The scores of a row, with offsets, by whichever weights are in use. */
static void crammer_score_row(const crammer_run *run, uint64_t i)
{
    const hsp__crammer_work *work = &run->work;
    const hsp_view *view = work->view;
    double *s = run->s;
    if (run->single) {
        const hsp__row x = hsp__view_row(view, i);
        const uint32_t *places = view->storage == HSP_DENSE ? work->identity : x.indices;
        if (x.values)
            work->vec->sparse_dots_f32(places, x.values, (size_t)x.count, run->single, run->wide,
                                       run->wide, run->single_s);
        else
            work->vec->ones_dots_f32(places, (size_t)x.count, run->single, run->wide, run->wide,
                                     run->single_s);
        for (uint32_t m = 0; m < work->k; m++)
            s[m] = (double)run->single_s[m];
    } else {
        hsp__crammer_dots(work, work->w, i, s);
    }
    for (uint32_t m = 0; m < work->k; m++)
        s[m] += work->b[m];
}

/* The row's change, in run->next, to whichever weights are in use. */
static void crammer_change(crammer_run *run, uint64_t i)
{
    hsp__crammer_work *work = &run->work;
    const hsp_view *view = work->view;
    if (run->single) {
        const hsp__row x = hsp__view_row(view, i);
        const uint32_t *places = view->storage == HSP_DENSE ? work->identity : x.indices;
        float *a = run->single_s + run->wide;
        for (uint32_t m = 0; m < work->k; m++)
            a[m] = (float)run->next[m];
        if (x.values)
            work->vec->sparse_axpys_f32(a, places, x.values, (size_t)x.count, run->single,
                                        run->wide, run->wide);
        else
            work->vec->ones_axpys_f32(a, places, (size_t)x.count, run->single, run->wide,
                                      run->wide);
    } else {
        hsp__crammer_add(work, run->next, i, work->w, work->columns);
    }
    for (uint32_t m = 0; m < work->k; m++)
        work->b[m] += run->pull * run->next[m];
    run->updates++;
}

/* One step, if the row's share of the gap is above `least`: the share. */
static double crammer_visit(crammer_run *run, uint64_t i, double least)
{
    hsp__crammer_work *work = &run->work;
    const uint32_t k = work->k, y = work->view->labels[i];
    const double c = hsp__crammer_cost(work->p, i);
    double *a = work->dual + i * k;
    crammer_score_row(run, i);
    const double share = hsp__crammer_share(run->s, a, k, y, c);
    if (!(share > least)) return share;
    if (run->square[i] > 0) {
        if (crammer_solve_row(run, i, y, c)) crammer_change(run, i);
        return share;
    }
    /* A row of zeros without offset: its scores are 0 whatever the weights; any full pull is best. */
    assert(y < k && !(c < 0));
    memset(a, 0, k * sizeof *a);
    a[y] = c;
    a[y == 0] = -c;
    return share;
}

/* ---- Rounds ---------------------------------------------------------------------------------- */

#define CRAMMER_SMALL  0.1  /* rows with less than this part of the mean share rest */
#define CRAMMER_LEFT   0.2  /* a round ends when so much of its gap is left, */
#define CRAMMER_INNER  20   /* or after this many passes over its rows */
#define CRAMMER_CHUNK  4096 /* rows between two looks at the clock */
#define CRAMMER_STALLS 500  /* rounds without a smaller gap: this is as near as rounding allows */
#define CRAMMER_NARROW 1e-5 /* gaps from here on ask for more than single precision */
#define CRAMMER_FETCH  512  /* places of a row that are fetched ahead */
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
    } else if (run->goal->max_passes && run->work.n &&
               run->looked / run->work.n >= run->goal->max_passes) {
        run->stopped = 1;
        run->stop = HSP_STOP_PASSES;
    }
}

/* A pass over the active rows: the sum of the shares as they were met. Rows with at most `least`
 * drop out. */
static double crammer_pass(crammer_run *run, double least)
{
    const hsp_view *view = run->work.view;
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
            if (at + 2 < run->count) { /* have the row after next on its way from memory */
                const uint64_t next = run->order[at + 2];
                const hsp__row x = hsp__view_row(view, next);
                const uint64_t count = x.count < CRAMMER_FETCH ? x.count : CRAMMER_FETCH;
                const uint64_t bytes = count * hsp__value_bytes(view->precision);
                for (uint64_t byte = 0; x.values && byte < bytes; byte += 64)
                    __builtin_prefetch((const char *)x.values + byte);
                for (uint64_t k = 0; view->storage != HSP_DENSE && k < count; k += 16)
                    __builtin_prefetch(x.indices + k);
                __builtin_prefetch(run->work.dual + next * run->work.k);
            }
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

/* Choose the active rows by their shares, which add up to `gap`, and step through them until most of
 * those is gone. */
static void crammer_round(crammer_run *run, double gap)
{
    const hsp__crammer_work *work = &run->work;
    const uint64_t n = work->n;
    /* offset free: how well t = 0 is met depends on the rows too */
    const int exact = work->p->offset == HSP__OFFSET_FREE;
    const double enough = exact ? 0 : run->goal->gap * run->now.primal / 2;
    const double until = fmax(CRAMMER_LEFT * gap, enough);
    const double least = CRAMMER_SMALL * fmax(fmin(gap, until / CRAMMER_LEFT), 0) / (double)n;
    for (uint64_t j = 0; run->single && j < work->d; j++)
        for (uint32_t m = 0; m < work->k; m++)
            run->single[j * run->wide + m] = (float)work->w[j * work->columns + m];
    run->count = 0;
    for (uint64_t i = 0; i < n; i++)
        if (work->share[i] > least) run->order[run->count++] = i;
    for (int pass = 0; pass < CRAMMER_INNER && run->count && !run->stopped; pass++)
        if (!(crammer_pass(run, least) > until)) return;
}

/* ---- The whole ------------------------------------------------------------------------------- */

/* Make the weights again from A, score all rows, and compute the gap. What is better than all before
 * is kept, the two sides each for itself. */
static hsp_status crammer_measure(crammer_run *run, hsp_error *err)
{
    hsp__crammer_work *work = &run->work;
    const uint64_t bytes = work->n * work->k * sizeof *work->dual;
    double value = 0;
    hsp_status status = HSP_OK;
    hsp__stop brief;
    hsp_context *ctx = work->ctx, last = hsp__stop_brief(&brief, ctx);
    work->ctx = &last;
    hsp__crammer_weights(work, work->dual, work->w);
    hsp__crammer_pulls(work, work->dual, run->t);
    for (uint32_t m = 0; m < work->k; m++)
        work->b[m] = run->center[m] + run->pull * run->t[m];
    if (run->even) { /* offset free: D of A balanced */
        memcpy(run->even, work->dual, bytes);
        status = hsp__crammer_feasible(work, run->even, err);
        if (!status) hsp__crammer_weights(work, run->even, run->even_u);
        if (!status) value = hsp__crammer_dual(work, run->even, run->even_u, NULL);
    } else {
        value = hsp__crammer_dual(work, work->dual, work->w, work->b);
    }
    const double losses = status ? 0 : hsp__crammer_score(work);
    work->ctx = ctx;
    if (!status && !hsp__stopped(&last)) {
        hsp__crammer_values(hsp__crammer_penalty(work, work->w, work->b) + losses, value,
                            &run->now);
        if (run->now.primal < run->best.primal) {
            hsp__crammer_apart(work, work->w, run->to->w);
            memcpy(run->to->b, work->b, work->k * sizeof *work->b);
        }
        if (run->now.dual > run->best.dual)
            memcpy(run->kept, run->even ? run->even : work->dual, bytes);
        hsp__crammer_values(run->now.primal < run->best.primal ? run->now.primal : run->best.primal,
                            run->now.dual > run->best.dual ? run->now.dual : run->best.dual,
                            &run->best);
    }
    crammer_tick(run, work->n);
    return status;
}

static hsp_status crammer_rounds(crammer_run *run, hsp_error *err)
{
    const hsp__crammer_work *work = &run->work;
    double least = HUGE_VAL, total = 0, most = 0, *of = run->t; /* scratch until the first round */
    uint32_t heaviest = 0;
    int stalls = 0;
    /* Before anything is learned: W = 0 and A = 0. Then every row costs c; a free offset that puts
     * all rows into the heaviest class makes that 2 c for all others and nothing for its own. */
    for (uint64_t i = 0; i < work->n; i++)
        of[work->view->labels[i]] += hsp__crammer_cost(work->p, i);
    for (uint32_t m = 0; m < work->k; m++) {
        total += of[m];
        if (of[m] > most) heaviest = m;
        most = fmax(most, of[m]);
    }
    memset(run->to->w, 0, work->k * work->d * sizeof *run->to->w);
    memset(run->to->b, 0, work->k * sizeof *run->to->b);
    const int leans = work->p->offset == HSP__OFFSET_FREE && 2 * (total - most) < total;
    if (leans) run->to->b[heaviest] = 1;
    hsp__crammer_values(leans ? 2 * (total - most) : total, 0, &run->best);
    hsp_status status = crammer_measure(run, err);
    while (!status && !run->stopped && !(run->best.gap <= run->goal->gap)) {
        const int nearer = run->now.gap < least;
        if (run->now.gap < CRAMMER_NARROW || !nearer) run->single = NULL;
        stalls = nearer ? 0 : stalls + 1;
        least = fmin(least, run->now.gap);
        if (stalls > CRAMMER_STALLS) break;
        double open = 0;
        for (uint64_t i = 0; i < work->n; i++)
            open += work->share[i];
        const double missing = run->now.primal - run->now.dual;
        if (work->p->offset == HSP__OFFSET_FREE &&
            (!(open > missing / 2) || ++run->waited >= CRAMMER_WAIT)) {
            /* b0 moves to b, and b as far again, unless most of the gap is the rows' still. Where
             * rows have little left to do and the gap is all in t, rho is too large: half of it. */
            const double more = open < CRAMMER_OPEN * missing ? run->pull : 0;
            for (uint64_t i = 0; more > 0 && i < work->n; i++)
                run->square[i] += more;
            run->waited = 0;
            run->pull += more;
            for (uint32_t m = 0; m < work->k; m++) {
                run->center[m] += run->pull * run->t[m];
                work->b[m] = run->center[m] + run->pull * run->t[m];
            }
        }
        crammer_round(run, open);
        status = crammer_measure(run, err);
    }
    if (!run->stopped) run->stop = HSP_STOP_PASSES;
    if (!status && run->best.gap <= run->goal->gap) run->stop = HSP_STOP_CONVERGED;
    return status;
}

/* Memory, dual weights in their boxes, and q of all rows with what an offset adds to it. */
static hsp_status crammer_start(crammer_run *run, hsp_context *ctx, const hsp__crammer *p,
                                hsp__crammer_solution *s, hsp_error *err)
{
    hsp__crammer_work *work = &run->work;
    hsp__scratch *memory = &work->memory;
    const size_t real = sizeof(double);
    double sum = 0;
    HSP__TRY(hsp__crammer_open(work, ctx, p, err));
    const uint64_t n = work->n, k = work->k;
    work->dual = s->dual ? s->dual : hsp__scratch_new(memory, n * k, real);
    work->share = hsp__scratch_new(memory, n, real);
    run->kept = hsp__scratch_new(memory, n * k, real);
    run->square = hsp__scratch_new(memory, n, real);
    run->order = hsp__scratch_new(memory, n, sizeof *run->order);
    run->s = hsp__scratch_new(memory, work->columns, real);
    run->next = hsp__scratch_new(memory, work->columns, real);
    run->center = hsp__scratch_new(memory, work->columns, real);
    run->t = hsp__scratch_new(memory, work->columns, real);
    if (p->offset == HSP__OFFSET_FREE) {
        run->even = hsp__scratch_new(memory, n * k, real);
        run->even_u = hsp__crammer_lines(work, work->d * work->columns, real);
    }
    if (p->view->storage == HSP_ONES || p->view->precision == HSP_FLOAT32) {
        run->wide = (k + CRAMMER_WIDE - 1) / CRAMMER_WIDE * CRAMMER_WIDE;
        run->single = hsp__crammer_lines(work, work->d * run->wide, sizeof *run->single);
        run->single_s = hsp__scratch_new(memory, 2 * run->wide, sizeof *run->single_s);
    }
    if (memory->failed) return hsp__fail_memory(err);
    for (uint64_t i = 0; i < n; i++) {
        const hsp__row row = hsp__view_row(p->view, i);
        hsp__crammer_clip(work->dual + i * k, work->k, p->view->labels[i], hsp__crammer_cost(p, i));
        sum += run->square[i] = hsp__matvec_sqnorm(p->view, &row);
    }
    if (!isfinite(sum))
        return hsp__fail(err, HSP_BAD_DATA, "the rows are too large: their squared norms overflow");
    if (p->offset == HSP__OFFSET_REGULARIZED) run->pull = 1;
    if (p->offset == HSP__OFFSET_FREE) run->pull = sum > 0 ? sum / (double)n : 1;
    for (uint64_t i = 0; i < n; i++)
        run->square[i] += run->pull;
    for (uint32_t m = 0; p->offset == HSP__OFFSET_FREE && m < k; m++)
        run->center[m] = s->b[m];
    return HSP_OK;
}

hsp_status hsp__crammer_solve(hsp_context *ctx, const hsp__crammer *p, const hsp__goal *goal,
                              hsp_error *err, hsp__crammer_solution *s)
{
    crammer_run run = {.goal = goal, .to = s};
    hsp_status status = crammer_start(&run, ctx, p, s, err);
    if (!status) status = crammer_rounds(&run, err);
    if (!status) {
        const uint64_t n = p->view->rows, k = p->view->classes;
        if (s->dual) memcpy(s->dual, run.kept, n * k * sizeof *s->dual);
        s->support = 0;
        for (uint64_t i = 0; i < n; i++)
            s->support += run.kept[i * k + p->view->labels[i]] != 0;
        assert(s->support <= n);
        s->primal = run.best.primal;
        s->dual_value = run.best.dual;
        s->gap = run.best.gap;
        s->passes = (run.looked + n - 1) / (n ? n : 1);
        s->updates = run.updates;
        s->stop = run.stop;
    }
    hsp__scratch_free(&run.work.memory);
    return status;
}
