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

#include "base/base.h"
#include "base/random.h"
#include "learn/erm/matvec.h"
#include "vec/vec.h"

#define CRAMMER_BLOCK  8     /* columns come in blocks of a cache line */
#define CRAMMER_ALIGN  64    /* bytes */
#define CRAMMER_TICK   64    /* rows between two ticks */
#define CRAMMER_WIDE   16    /* columns in single precision */
#define CRAMMER_SWEEPS 10000 /* until the pulls are balanced */

typedef struct crammer_work {
    hsp_context *ctx;
    hsp__scratch memory;
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
    double *losses;     /* parts: of each, the sum of c loss, ... */
    double *doubts;     /* ... and of c times what rounding may have taken off a loss */
    double size;        /* of the largest w_m, for that */
    uint64_t parts;     /* of the rows */
    /* Rounds in single precision: the weights once more, in half the memory. */
    float *single;   /* d * wide; NULL: none */
    float *single_s; /* 2 * wide: scores, and changes */
    size_t wide;     /* k, rounded up to a multiple of CRAMMER_WIDE */
} crammer_work;

/* ---- Rows and the weights interleaved -------------------------------------------------- */

static double crammer_cost(const hsp__crammer *p, uint64_t i)
{
    const double c = p->cost[p->view->labels[i]];
    return p->row_weight ? c * p->row_weight[i] : c;
}

/* The scores of a row, with offsets, for all classes; `narrow`: by the weights in single precision. */
static void crammer_score_row(const crammer_work *work, uint64_t i, int narrow, double *s)
{
    const hsp__vec_table *vec = work->vec;
    const hsp_view *view = work->view;
    const hsp__row x = hsp__view_row(view, i);
    const size_t n = (size_t)x.count, columns = work->columns, wide = work->wide;
    const uint32_t *places = view->storage == HSP_DENSE ? work->identity : x.indices;
    if (narrow && x.values)
        vec->sparse_dots_f32(places, x.values, n, work->single, wide, wide, work->single_s);
    else if (narrow)
        vec->ones_dots_f32(places, n, work->single, wide, wide, work->single_s);
    else if (!x.values)
        vec->ones_dots_f64(places, n, work->w, columns, columns, s);
    else if (view->precision == HSP_FLOAT32)
        vec->sparse_dots_f32f64(places, x.values, n, work->w, columns, columns, s);
    else
        vec->sparse_dots_f64(places, x.values, n, work->w, columns, columns, s);
    for (uint32_t m = 0; narrow && m < work->k; m++)
        s[m] = (double)work->single_s[m];
    for (uint32_t m = 0; m < work->k; m++)
        s[m] += work->b[m];
}

/* w_m += a_m x_i for `many` columns from where `a` and `w` point. */
static void crammer_add(const crammer_work *work, const double *a, uint64_t i, double *w,
                        size_t many)
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

/* ---- Sums over all rows ---------------------------------------------------------------------- */

typedef struct crammer_combine {
    const crammer_work *work;
    const double *dual; /* n * k */
    double *u;          /* d * columns */
} crammer_combine;

/* A block of classes: all rows, in order. */
static void crammer_combine_block(void *user, uint64_t block)
{
    const crammer_combine *job = user;
    const crammer_work *work = job->work;
    const uint32_t first = (uint32_t)(block * CRAMMER_BLOCK), k = work->k;
    const uint32_t count = k - first < CRAMMER_BLOCK ? k - first : CRAMMER_BLOCK;
    assert(first < k);
    for (uint64_t i = 0; i < work->n; i++) {
        double a[CRAMMER_BLOCK] = {0};
        int any = 0;
        if (i % CRAMMER_TICK == 0 && hsp__tick(work->ctx)) return;
        for (uint32_t m = 0; m < count; m++) {
            a[m] = job->dual[i * k + first + m];
            any |= a[m] != 0;
        }
        if (any) crammer_add(work, a, i, job->u + first, CRAMMER_BLOCK);
    }
}

/* u = sum_i A_i x_i. */
static void crammer_weights(const crammer_work *work, const double *dual, double *u)
{
    crammer_combine job = {work, dual, u};
    memset(u, 0, work->d * work->columns * sizeof *u);
    hsp__tasks_run(work->ctx, work->columns / CRAMMER_BLOCK, crammer_combine_block, &job);
}

/* t = sum_i A_i. */
static void crammer_pulls(const crammer_work *work, const double *dual, double *t)
{
    for (uint32_t m = 0; m < work->k; m++)
        t[m] = 0;
    for (uint64_t i = 0; i < work->n; i++)
        for (uint32_t m = 0; m < work->k; m++)
            t[m] += dual[i * work->k + m];
}

/* 1 + the best other score - that of class y: the loss, where it is above 0. */
static double crammer_short(const double *s, uint32_t k, uint32_t y)
{
    assert(k > 1 && y < k);
    double best = -HUGE_VAL;
    for (uint32_t m = 0; m < y; m++)
        best = s[m] > best ? s[m] : best;
    for (uint32_t m = y + 1; m < k; m++)
        best = s[m] > best ? s[m] : best;
    return 1 + best - s[y];
}

/* g_i of a row with these scores. */
static double crammer_share(const double *s, const double *a, uint32_t k, uint32_t y, double c)
{
    const double loss = crammer_short(s, k, y);
    double sum = c * (loss > 0 || isnan(loss) ? loss : 0);
    for (uint32_t m = 0; a[y] != 0 && m < k; m++)
        if (m != y) sum += a[m] * (1 + s[m] - s[y]);
    return sum;
}

static void crammer_score_part(void *user, uint64_t part)
{
    crammer_work *work = user;
    const uint32_t k = work->k;
    const uint64_t to = hsp__part(work->n, work->parts, part + 1);
    double *s = work->scratch + part * work->columns, losses = 0, doubts = 0;
    for (uint64_t i = hsp__part(work->n, work->parts, part); i < to; i++) {
        const uint32_t y = work->view->labels[i];
        const double c = crammer_cost(work->p, i);
        if (i % CRAMMER_TICK == 0 && hsp__tick(work->ctx)) return;
        crammer_score_row(work, i, 0, s);
        const double raw = crammer_short(s, k, y);
        if (c > 0) losses += c * (raw > 0 || isnan(raw) ? raw : 0);
        if (c > 0 && work->doubts) { /* each of two scores is off as in gap.h */
            const double reach = hsp__gap_row_norm(work->view, i);
            const uint64_t count = hsp__view_row(work->view, i).count;
            const double off =
                2 * hsp__gap_gamma(count) * work->size * reach +
                4 * hsp__gap_gamma(0) * (fabs(raw) + fabs(s[y]) + fabs(work->b[y]) + 1);
            doubts += c * (raw + off > 0 ? off : 0);
        }
        if (work->share) work->share[i] = crammer_share(s, work->dual + i * k, k, y, c);
    }
    work->losses[part] = losses;
    if (work->doubts) work->doubts[part] = doubts;
}

/* Score all rows with w and b: the sum of c loss; share[i] becomes g_i. */
static double crammer_score_all(crammer_work *work)
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

/* A walk through the flow, depth first. */
typedef struct crammer_walk {
    const double *flow;
    uint64_t k;
    uint32_t *mark;         /* k: of which walk a class is; 0: none yet */
    uint32_t *next, *stack; /* k each: where a class goes on; the way to where the walk is */
    uint32_t *order;        /* k: classes, in the order in which they were left */
    uint64_t left;          /* of them */
} crammer_walk;

/* All that can be reached from a class through classes without a mark; `back`: against the flow. */
static void crammer_walk_from(crammer_walk *walk, uint32_t root, uint32_t mark, int back)
{
    const uint64_t k = walk->k;
    uint64_t depth = 0;
    if (walk->mark[root]) return;
    walk->mark[root] = mark;
    walk->next[root] = 0;
    walk->stack[depth++] = root;
    while (depth) {
        const uint32_t at = walk->stack[depth - 1], to = walk->next[at];
        if (to == k) {
            walk->order[walk->left++] = at;
            depth--;
            continue;
        }
        walk->next[at]++;
        const double pull = back ? walk->flow[to * k + at] : walk->flow[at * k + to];
        if (!(pull > 0) || walk->mark[to]) continue;
        walk->mark[to] = mark;
        walk->next[to] = 0;
        walk->stack[depth++] = to;
    }
}

/* Only what lies on a circle can be balanced: what comes back nowhere goes. Two classes are on one
 * circle when each can be reached from the other, which two walks tell (S. Kosaraju). `scratch` is
 * of 5 k. */
static void crammer_circles(double *flow, uint32_t *scratch, uint64_t k)
{
    uint32_t *first = scratch + 4 * k;
    crammer_walk walk = {flow, k, scratch, scratch + k, scratch + 2 * k, scratch + 3 * k, 0};
    memset(walk.mark, 0, k * sizeof *walk.mark);
    for (uint32_t c = 0; c < k; c++)
        crammer_walk_from(&walk, c, 1, 0);
    memcpy(first, walk.order, k * sizeof *first);
    memset(walk.mark, 0, k * sizeof *walk.mark);
    walk.left = 0;
    for (uint64_t c = k; c-- > 0;)
        crammer_walk_from(&walk, first[c], first[c] + 1, 1);
    for (uint64_t i = 0; i < k; i++)
        for (uint64_t j = 0; j < k; j++)
            if (walk.mark[i] != walk.mark[j]) flow[i * k + j] = 0;
}

/* Offset free: scale pulls down until t = 0. */
static hsp_status crammer_balance(const crammer_work *work, double *dual, hsp_error *err)
{
    const uint64_t k = work->k;
    hsp__scratch scratch = {.memory = &work->ctx->allocator};
    double *flow = hsp__scratch_new(&scratch, k * k, sizeof *flow), most = 0, off = HUGE_VAL;
    double *e = hsp__scratch_new(&scratch, k, sizeof *e);
    uint32_t *walks = hsp__scratch_raw(&scratch, 5 * k, sizeof *walks);
    if (scratch.failed) {
        hsp__scratch_free(&scratch);
        return hsp__fail_memory(err);
    }
    /* flow[y * k + m]: the sum of p_im over the rows of class y */
    for (uint64_t i = 0; i < work->n; i++) {
        const uint64_t y = work->view->labels[i];
        for (uint64_t m = 0; m < k; m++)
            if (m != y) flow[y * k + m] -= dual[i * k + m];
    }
    crammer_circles(flow, walks, k);
    /* numbers e_m such that flow_ym e_y / e_m is balanced: one class after the other */
    for (uint64_t m = 0; m < k; m++)
        e[m] = 1;
    for (int sweep = 0; sweep < CRAMMER_SWEEPS && off > 1e-15; sweep++) {
        off = 0;
        for (uint64_t v = 0; v < k; v++) {
            double out = 0, in = 0;
            for (uint64_t m = 0; m < k; m++) {
                out += flow[v * k + m] * (e[v] / e[m]);
                in += flow[m * k + v] * (e[m] / e[v]);
            }
            if (!(out > 0 && in > 0)) continue;
            off = fmax(off, fabs(out - in) / (out + in));
            e[v] *= sqrt(in / out);
        }
    }
    for (uint64_t y = 0; y < k; y++)
        for (uint64_t m = 0; m < k; m++)
            if (flow[y * k + m] > 0) most = fmax(most, e[y] / e[m]);
    for (uint64_t y = 0; y < k; y++)
        for (uint64_t m = 0; m < k; m++)
            flow[y * k + m] = flow[y * k + m] > 0 ? e[y] / e[m] / most : 0;
    for (uint64_t i = 0; i < work->n; i++) {
        const uint64_t y = work->view->labels[i];
        for (uint64_t m = 0; m < k; m++)
            if (m != y) dual[i * k + m] *= flow[y * k + m];
        crammer_clip(dual + i * k, work->k, (uint32_t)y, crammer_cost(work->p, i));
    }
    hsp__scratch_free(&scratch);
    return HSP_OK;
}

/* All rows into their boxes; offset free: and balanced, t = 0. */
static hsp_status crammer_feasible(const crammer_work *work, double *dual, hsp_error *err)
{
    for (uint64_t i = 0; i < work->n; i++)
        crammer_clip(dual + i * work->k, work->k, work->view->labels[i], crammer_cost(work->p, i));
    return work->p->offset == HSP__OFFSET_FREE ? crammer_balance(work, dual, err) : HSP_OK;
}

/* ---- Judging --------------------------------------------------------------------------------- */

/* Zeros, from the beginning of a cache line on; NULL, and work->memory.failed: none to be had. */
static void *crammer_lines(crammer_work *work, uint64_t count, size_t size)
{
    char *block = hsp__scratch_new(&work->memory, count + CRAMMER_ALIGN / size, size);
    if (!block) return NULL;
    hsp__advise_huge(work->memory.memory, block, count * size + CRAMMER_ALIGN);
    return block + (-(uintptr_t)block & (CRAMMER_ALIGN - 1));
}

/* What the gap and the solver both need. Free work->memory even after a failure. */
static hsp_status crammer_open(crammer_work *work, hsp_context *ctx, const hsp__crammer *p,
                               hsp_error *err)
{
    const hsp_view *view = p->view;
    hsp__scratch *memory = &work->memory;
    const size_t k = view->classes,
                 columns = (k + CRAMMER_BLOCK - 1) / CRAMMER_BLOCK * CRAMMER_BLOCK;
    *work = (crammer_work){.ctx = ctx,
                           .memory.memory = &ctx->allocator,
                           .p = p,
                           .vec = hsp__vec(),
                           .view = view,
                           .n = view->rows,
                           .d = view->cols,
                           .k = view->classes,
                           .columns = columns};
    assert(columns >= k && columns % CRAMMER_BLOCK == 0);
    const uint64_t each = work->n ? hsp_view_stored(view) / work->n : 0;
    work->parts = hsp__parts(work->n, (each + 2) * columns * sizeof(double) / 2);
    if (work->d > UINT64_MAX / columns || work->n > UINT64_MAX / columns)
        return hsp__fail_memory(err);
    work->w = crammer_lines(work, work->d * columns, sizeof *work->w);
    work->b = hsp__scratch_new(memory, columns, sizeof *work->b);
    work->scratch = hsp__scratch_new(memory, work->parts * columns, sizeof(double));
    work->losses = hsp__scratch_new(memory, work->parts, sizeof *work->losses);
    if (view->storage == HSP_DENSE)
        work->identity = hsp__scratch_new(memory, work->d, sizeof *work->identity);
    if (memory->failed) return hsp__fail_memory(err);
    for (uint32_t j = 0; work->identity && j < work->d; j++)
        work->identity[j] = j;
    return HSP_OK;
}

/* Weights class after class, from side by side and back. */
static void crammer_apart(const crammer_work *work, const double *interleaved, double *w)
{
    for (uint32_t m = 0; m < work->k; m++)
        for (uint64_t j = 0; j < work->d; j++)
            w[m * work->d + j] = interleaved[j * work->columns + m];
}

/* sum ||w_m||^2 / 2, and the offsets' part of it where they have one. */
static double crammer_penalty(const crammer_work *work, const double *w, const double *b)
{
    double sum = work->vec->sqnorm_f64(w, (size_t)work->d * work->columns), own = 0;
    for (uint32_t m = 0; work->p->offset == HSP__OFFSET_REGULARIZED && m < work->k; m++)
        own += b[m] * b[m];
    assert(!(sum < 0) && !(own < 0));
    return (sum + own) / 2;
}

/* D of a feasible A with its u and t. */
static double crammer_dual(const crammer_work *work, const double *dual, const double *u,
                           const double *t)
{
    double sum = 0;
    for (uint64_t i = 0; i < work->n; i++)
        sum += dual[i * work->k + work->view->labels[i]];
    return sum - crammer_penalty(work, u, t);
}

static void crammer_values(double primal, double dual, hsp__gap_values *out)
{
    out->primal = primal;
    out->dual = dual;
    out->gap = primal > dual ? (primal - dual) / primal : 0;
    if (!isfinite(primal) || isnan(dual)) out->gap = 1;
    out->rounding = 0;
}

/* ---- A row ----------------------------------------------------------------------------------- */

typedef struct crammer_run {
    crammer_work work;
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

    int waited; /* rounds since b0 moved */
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

/* One step, if the row's share of the gap is above `least`: the share. The row's change goes to
 * whichever weights are in use. */
static double crammer_visit(crammer_run *run, uint64_t i, double least)
{
    crammer_work *work = &run->work;
    const uint32_t k = work->k, y = work->view->labels[i];
    const double c = crammer_cost(work->p, i);
    double *a = work->dual + i * k;
    crammer_score_row(work, i, work->single != NULL, run->s);
    const double share = crammer_share(run->s, a, k, y, c);
    if (!(share > least)) return share;
    if (!(run->square[i] > 0)) {
        /* a row of zeros without offset has the scores 0: any full pull is best */
        assert(y < k && !(c < 0));
        memset(a, 0, k * sizeof *a);
        a[y] = c;
        a[y == 0] = -c;
        return share;
    }
    if (!crammer_solve_row(run, i, y, c)) return share;
    if (work->single) {
        const hsp__row x = hsp__view_row(work->view, i);
        const uint32_t *places = x.indices ? x.indices : work->identity;
        const size_t n = (size_t)x.count, wide = work->wide;
        float *change = work->single_s + wide;
        for (uint32_t m = 0; m < k; m++)
            change[m] = (float)run->next[m];
        if (x.values)
            work->vec->sparse_axpys_f32(change, places, x.values, n, work->single, wide, wide);
        else
            work->vec->ones_axpys_f32(change, places, n, work->single, wide, wide);
    } else {
        crammer_add(work, run->next, i, work->w, work->columns);
    }
    for (uint32_t m = 0; m < k; m++)
        work->b[m] += run->pull * run->next[m];
    run->updates++;
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
    hsp_stop why = HSP_STOP_REQUEST;
    run->looked += rows;
    if (run->stopped) return;
    if (hsp__watch_gap(run->goal->watch, run->goal->report, "passes",
                       run->work.n ? run->looked / run->work.n : 0, run->best.gap, run->goal->gap,
                       &why)) {
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
    const crammer_work *work = &run->work;
    const uint64_t n = work->n;
    /* offset free: how well t = 0 is met depends on the rows too */
    const int exact = work->p->offset == HSP__OFFSET_FREE;
    const double enough = exact ? 0 : run->goal->gap * run->now.primal / 2;
    const double until = fmax(CRAMMER_LEFT * gap, enough);
    const double least = CRAMMER_SMALL * fmax(fmin(gap, until / CRAMMER_LEFT), 0) / (double)n;
    for (uint64_t j = 0; work->single && j < work->d; j++)
        for (uint32_t m = 0; m < work->k; m++)
            work->single[j * work->wide + m] = (float)work->w[j * work->columns + m];
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
    crammer_work *work = &run->work;
    const uint64_t bytes = work->n * work->k * sizeof *work->dual;
    double value = 0;
    hsp_status status = HSP_OK;
    hsp__stop brief;
    hsp_context *ctx = work->ctx, last = hsp__stop_grace(&brief, ctx);
    work->ctx = &last;
    crammer_weights(work, work->dual, work->w);
    crammer_pulls(work, work->dual, run->t);
    for (uint32_t m = 0; m < work->k; m++)
        work->b[m] = run->center[m] + run->pull * run->t[m];
    if (run->even) { /* offset free: D of A balanced */
        memcpy(run->even, work->dual, bytes);
        status = crammer_feasible(work, run->even, err);
        if (!status) crammer_weights(work, run->even, run->even_u);
        if (!status) value = crammer_dual(work, run->even, run->even_u, run->t);
    } else {
        value = crammer_dual(work, work->dual, work->w, work->b);
    }
    const double losses = status ? 0 : crammer_score_all(work);
    work->ctx = ctx;
    if (!status && !hsp__stopped(&last)) {
        crammer_values(crammer_penalty(work, work->w, work->b) + losses, value, &run->now);
        if (run->now.primal < run->best.primal) {
            crammer_apart(work, work->w, run->to->w);
            memcpy(run->to->b, work->b, work->k * sizeof *work->b);
        }
        if (run->now.dual > run->best.dual)
            memcpy(run->kept, run->even ? run->even : work->dual, bytes);
        crammer_values(run->now.primal < run->best.primal ? run->now.primal : run->best.primal,
                       run->now.dual > run->best.dual ? run->now.dual : run->best.dual, &run->best);
        hsp__pass_log_note(ctx, run->goal->log, run->looked / (work->n ? work->n : 1),
                           run->now.primal, run->now.dual);
    }
    crammer_tick(run, work->n);
    return status;
}

static hsp_status crammer_rounds(crammer_run *run, hsp_error *err)
{
    crammer_work *work = &run->work;
    double least = HUGE_VAL, total = 0, most = 0, *of = run->t; /* scratch until the first round */
    uint32_t heaviest = 0;
    int stalls = 0;
    /* Before anything is learned: W = 0 and A = 0. Then every row costs c; a free offset that puts
     * all rows into the heaviest class makes that 2 c for all others and nothing for its own. */
    for (uint64_t i = 0; i < work->n; i++)
        of[work->view->labels[i]] += crammer_cost(work->p, i);
    for (uint32_t m = 0; m < work->k; m++) {
        total += of[m];
        if (of[m] > most) heaviest = m;
        most = fmax(most, of[m]);
    }
    memset(run->to->w, 0, work->k * work->d * sizeof *run->to->w);
    memset(run->to->b, 0, work->k * sizeof *run->to->b);
    const int leans = work->p->offset == HSP__OFFSET_FREE && 2 * (total - most) < total;
    if (leans) run->to->b[heaviest] = 1;
    crammer_values(leans ? 2 * (total - most) : total, 0, &run->best);
    hsp_status status = crammer_measure(run, err);
    while (!status && !run->stopped && !(run->best.gap <= run->goal->gap)) {
        const int nearer = run->now.gap < least;
        if (run->now.gap < CRAMMER_NARROW || !nearer) work->single = NULL;
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
    crammer_work *work = &run->work;
    hsp__scratch *memory = &work->memory;
    const size_t real = sizeof(double);
    double sum = 0;
    HSP__TRY(crammer_open(work, ctx, p, err));
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
        run->even_u = crammer_lines(work, work->d * work->columns, real);
    }
    if (p->view->storage == HSP_ONES || p->view->precision == HSP_FLOAT32) {
        work->wide = (k + CRAMMER_WIDE - 1) / CRAMMER_WIDE * CRAMMER_WIDE;
        work->single = crammer_lines(work, work->d * work->wide, sizeof *work->single);
        work->single_s = hsp__scratch_new(memory, 2 * work->wide, sizeof *work->single_s);
    }
    if (memory->failed) return hsp__fail_memory(err);
    for (uint64_t i = 0; i < n; i++) {
        const hsp__row row = hsp__view_row(p->view, i);
        crammer_clip(work->dual + i * k, work->k, p->view->labels[i], crammer_cost(p, i));
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

/* ---- The gap ----------------------------------------------------------------------------------- */

hsp_status hsp__crammer_gap(hsp_context *ctx, const hsp__crammer *p, const double *w,
                            const double *b, double *dual, double *u, hsp_error *err,
                            hsp__gap_values *out)
{
    crammer_work work;
    hsp_status status = crammer_open(&work, ctx, p, err);
    if (!status) work.doubts = hsp__scratch_new(&work.memory, work.parts, sizeof *work.doubts);
    if (!status && !work.doubts) status = hsp__fail_memory(err);
    if (!status) status = crammer_feasible(&work, dual, err);
    if (!status) {
        double most = 0;
        crammer_weights(&work, dual, work.w);
        crammer_pulls(&work, dual, work.b);
        const double value = crammer_dual(&work, dual, work.w, work.b);
        const double square = crammer_penalty(&work, work.w, work.b);
        /* How far D may be above that of feasible weights. u_m is off by a share of what it sums up.
         * Offset free: t is not quite 0; the flow of pulls is a sum of cycles and of paths that carry
         * at most sum |t_m| / 2 through k - 1 classes, and without the paths t = 0. */
        const uint64_t k = work.k;
        const double gamma = hsp__gap_gamma(work.n + k);
        double total = 0, reach = 0, longest = 0, apart = 0;
        for (uint64_t i = 0; i < work.n; i++) {
            const double norm = hsp__gap_row_norm(work.view, i);
            if (i % CRAMMER_TICK == 0 && hsp__tick(ctx)) break;
            for (uint64_t m = 0; m < k; m++) {
                total += fabs(dual[i * k + m]);
                reach += fabs(dual[i * k + m]) * norm;
            }
            longest = fmax(longest, norm);
        }
        for (uint64_t m = 0; m < k; m++)
            apart += fabs(work.b[m]);
        apart += gamma * total;
        double gain = gamma * total, off = gamma * (reach + total);
        if (p->offset == HSP__OFFSET_FREE) {
            gain += (double)k * apart;
            off += (double)k * apart * longest;
        }
        const double down =
            gain + hsp__gap_gamma(work.d * k) * square + off * (sqrt(2 * square) + off);
        crammer_apart(&work, work.w, u);
        for (uint32_t m = 0; m < work.k; m++) {
            const double *own = w + m * work.d;
            for (uint64_t j = 0; j < work.d; j++)
                work.w[j * work.columns + m] = own[j];
            work.b[m] = b[m];
            most = fmax(most, work.vec->sqnorm_f64(own, (size_t)work.d));
        }
        work.size = sqrt(most);
        const double losses = crammer_score_all(&work);
        const double penalty = crammer_penalty(&work, work.w, work.b);
        double up = hsp__gap_gamma(work.d * work.k) * penalty + hsp__gap_gamma(work.n) * losses;
        for (uint64_t part = 0; part < work.parts; part++)
            up += work.doubts[part];
        crammer_values(penalty + losses + up, value - down, out);
        if (isfinite(out->primal) && out->primal > 0) out->rounding = (up + down) / out->primal;
        status = hsp__stop_status(ctx, err);
    }
    hsp__scratch_free(&work.memory);
    return status;
}
