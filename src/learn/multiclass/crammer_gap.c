/* How near to the best the machine of all classes is, and the sums over all rows that it takes;
 * crammer.c says what the letters mean. */
#include "learn/multiclass/crammer_work.h"

#include <assert.h>
#include <math.h>
#include <string.h>

#include "base/stop.h"
#include "data/data.h"

/* ---- Rows and the weights interleaved -------------------------------------------------- */

double hsp__crammer_cost(const hsp__crammer *p, uint64_t i)
{
    const double c = p->cost[p->view->labels[i]];
    return p->row_weight ? c * p->row_weight[i] : c;
}

void hsp__crammer_dots(const hsp__crammer_work *work, const double *w, uint64_t i, double *out)
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

void hsp__crammer_add(const hsp__crammer_work *work, const double *a, uint64_t i, double *w,
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

typedef struct crammer_gap_combine {
    const hsp__crammer_work *work;
    const double *dual; /* n * k */
    double *u;          /* d * columns */
} crammer_gap_combine;

/* A block of classes: all rows, in order. */
static void crammer_gap_combine_block(void *user, uint64_t block)
{
    const crammer_gap_combine *job = user;
    const hsp__crammer_work *work = job->work;
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
        if (any) hsp__crammer_add(work, a, i, job->u + first, CRAMMER_BLOCK);
    }
}

void hsp__crammer_weights(const hsp__crammer_work *work, const double *dual, double *u)
{
    crammer_gap_combine job = {work, dual, u};
    memset(u, 0, work->d * work->columns * sizeof *u);
    hsp__tasks_run(work->ctx, work->columns / CRAMMER_BLOCK, crammer_gap_combine_block, &job);
}

void hsp__crammer_pulls(const hsp__crammer_work *work, const double *dual, double *t)
{
    for (uint32_t m = 0; m < work->k; m++)
        t[m] = 0;
    for (uint64_t i = 0; i < work->n; i++)
        for (uint32_t m = 0; m < work->k; m++)
            t[m] += dual[i * work->k + m];
}

/* 1 + the best other score - that of class y: the loss, where it is above 0. */
static double crammer_gap_short(const double *s, uint32_t k, uint32_t y)
{
    assert(k > 1 && y < k);
    double best = -HUGE_VAL;
    for (uint32_t m = 0; m < y; m++)
        best = s[m] > best ? s[m] : best;
    for (uint32_t m = y + 1; m < k; m++)
        best = s[m] > best ? s[m] : best;
    return 1 + best - s[y];
}

static double crammer_gap_loss(const double *s, uint32_t k, uint32_t y)
{
    const double loss = crammer_gap_short(s, k, y);
    return loss > 0 || isnan(loss) ? loss : 0;
}

double hsp__crammer_share(const double *s, const double *a, uint32_t k, uint32_t y, double c)
{
    double sum = c * crammer_gap_loss(s, k, y);
    for (uint32_t m = 0; a[y] != 0 && m < k; m++)
        if (m != y) sum += a[m] * (1 + s[m] - s[y]);
    return sum;
}

static void crammer_gap_score_part(void *user, uint64_t part)
{
    hsp__crammer_work *work = user;
    const uint32_t k = work->k;
    const uint64_t to = hsp__part(work->n, work->parts, part + 1);
    double *s = work->scratch + part * work->columns, losses = 0, doubts = 0;
    for (uint64_t i = hsp__part(work->n, work->parts, part); i < to; i++) {
        const uint32_t y = work->view->labels[i];
        const double c = hsp__crammer_cost(work->p, i);
        if (i % CRAMMER_TICK == 0 && hsp__tick(work->ctx)) return;
        hsp__crammer_dots(work, work->w, i, s);
        for (uint32_t m = 0; m < k; m++)
            s[m] += work->b[m];
        if (c > 0) losses += c * crammer_gap_loss(s, k, y);
        if (c > 0 && work->doubts) { /* each of two scores is off as in gap.h */
            const double raw = crammer_gap_short(s, k, y), reach = hsp__gap_row_norm(work->view, i);
            const uint64_t count = hsp__view_row(work->view, i).count;
            const double off =
                2 * hsp__gap_gamma(count) * work->size * reach +
                4 * hsp__gap_gamma(0) * (fabs(raw) + fabs(s[y]) + fabs(work->b[y]) + 1);
            doubts += c * (raw + off > 0 ? off : 0);
        }
        if (work->share) work->share[i] = hsp__crammer_share(s, work->dual + i * k, k, y, c);
    }
    work->losses[part] = losses;
    if (work->doubts) work->doubts[part] = doubts;
}

double hsp__crammer_score(hsp__crammer_work *work)
{
    double sum = 0;
    hsp__tasks_run(work->ctx, work->parts, crammer_gap_score_part, work);
    for (uint64_t part = 0; part < work->parts; part++)
        sum += work->losses[part];
    return sum;
}

/* ---- Feasible dual weights ------------------------------------------------------------------- */

void hsp__crammer_clip(double *a, uint32_t k, uint32_t y, double c)
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
typedef struct crammer_gap_walk {
    const double *flow;
    uint64_t k;
    uint32_t *mark;         /* k: of which walk a class is; 0: none yet */
    uint32_t *next, *stack; /* k each: where a class goes on; the way to where the walk is */
    uint32_t *order;        /* k: classes, in the order in which they were left */
    uint64_t left;          /* of them */
} crammer_gap_walk;

/* All that can be reached from a class through classes without a mark; `back`: against the flow. */
static void crammer_gap_walk_from(crammer_gap_walk *walk, uint32_t root, uint32_t mark, int back)
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
static void crammer_gap_circles(double *flow, uint32_t *scratch, uint64_t k)
{
    uint32_t *first = scratch + 4 * k;
    crammer_gap_walk walk = {flow, k, scratch, scratch + k, scratch + 2 * k, scratch + 3 * k, 0};
    memset(walk.mark, 0, k * sizeof *walk.mark);
    for (uint32_t c = 0; c < k; c++)
        crammer_gap_walk_from(&walk, c, 1, 0);
    memcpy(first, walk.order, k * sizeof *first);
    memset(walk.mark, 0, k * sizeof *walk.mark);
    walk.left = 0;
    for (uint64_t c = k; c-- > 0;)
        crammer_gap_walk_from(&walk, first[c], first[c] + 1, 1);
    for (uint64_t i = 0; i < k; i++)
        for (uint64_t j = 0; j < k; j++)
            if (walk.mark[i] != walk.mark[j]) flow[i * k + j] = 0;
}

#define CRAMMER_GAP_SWEEPS 10000

/* Numbers e_m such that flow_ym e_y / e_m is balanced: one class after the other. */
static void crammer_gap_level(const double *flow, double *e, uint64_t k)
{
    for (uint64_t m = 0; m < k; m++)
        e[m] = 1;
    for (int sweep = 0; sweep < CRAMMER_GAP_SWEEPS; sweep++) {
        double off = 0;
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
        if (!(off > 1e-15)) return;
    }
}

/* Offset free: scale pulls down until t = 0. */
static hsp_status crammer_gap_balance(const hsp__crammer_work *work, double *dual, hsp_error *err)
{
    const uint64_t k = work->k;
    hsp__scratch scratch = {.memory = &work->ctx->allocator};
    double *flow = hsp__scratch_new(&scratch, k * k, sizeof *flow), most = 0;
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
    crammer_gap_circles(flow, walks, k);
    crammer_gap_level(flow, e, k);
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
        hsp__crammer_clip(dual + i * k, work->k, (uint32_t)y, hsp__crammer_cost(work->p, i));
    }
    hsp__scratch_free(&scratch);
    return HSP_OK;
}

hsp_status hsp__crammer_feasible(const hsp__crammer_work *work, double *dual, hsp_error *err)
{
    for (uint64_t i = 0; i < work->n; i++)
        hsp__crammer_clip(dual + i * work->k, work->k, work->view->labels[i],
                          hsp__crammer_cost(work->p, i));
    return work->p->offset == HSP__OFFSET_FREE ? crammer_gap_balance(work, dual, err) : HSP_OK;
}

/* ---- Judging --------------------------------------------------------------------------------- */

void *hsp__crammer_lines(hsp__crammer_work *work, uint64_t count, size_t size)
{
    char *block = hsp__scratch_new(&work->memory, count + CRAMMER_ALIGN / size, size);
    if (!block) return NULL;
    hsp__advise_huge(block, count * size + CRAMMER_ALIGN);
    return block + (-(uintptr_t)block & (CRAMMER_ALIGN - 1));
}

hsp_status hsp__crammer_open(hsp__crammer_work *work, hsp_context *ctx, const hsp__crammer *p,
                             hsp_error *err)
{
    const hsp_view *view = p->view;
    hsp__scratch *memory = &work->memory;
    const size_t k = view->classes,
                 columns = (k + CRAMMER_BLOCK - 1) / CRAMMER_BLOCK * CRAMMER_BLOCK;
    *work = (hsp__crammer_work){.ctx = ctx,
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
    work->w = hsp__crammer_lines(work, work->d * columns, sizeof *work->w);
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

void hsp__crammer_apart(const hsp__crammer_work *work, const double *beside, double *w)
{
    for (uint32_t m = 0; m < work->k; m++)
        for (uint64_t j = 0; j < work->d; j++)
            w[m * work->d + j] = beside[j * work->columns + m];
}

double hsp__crammer_penalty(const hsp__crammer_work *work, const double *w, const double *b)
{
    double sum = work->vec->sqnorm_f64(w, (size_t)work->d * work->columns), own = 0;
    for (uint32_t m = 0; work->p->offset == HSP__OFFSET_REGULARIZED && m < work->k; m++)
        own += b[m] * b[m];
    assert(!(sum < 0) && !(own < 0));
    return (sum + own) / 2;
}

double hsp__crammer_dual(const hsp__crammer_work *work, const double *dual, const double *u,
                         const double *t)
{
    double sum = 0;
    for (uint64_t i = 0; i < work->n; i++)
        sum += dual[i * work->k + work->view->labels[i]];
    return sum - hsp__crammer_penalty(work, u, t);
}

void hsp__crammer_values(double primal, double dual, hsp__gap_values *out)
{
    out->primal = primal;
    out->dual = dual;
    out->gap = primal > dual ? (primal - dual) / primal : 0;
    if (!isfinite(primal) || isnan(dual)) out->gap = 1;
    out->rounding = 0;
}

/* How far D as it was computed may be above that of feasible weights. u_m is off by a share of what
 * it sums up. Offset free: t is not quite 0; the flow of pulls is a sum of cycles and of paths that
 * carry no more than sum |t_m| / 2 through k - 1 classes at most, and without the paths t = 0. */
static double crammer_gap_dual_off(const hsp__crammer_work *work, const double *dual,
                                   const double *t, double penalty)
{
    const uint64_t k = work->k;
    const double gamma = hsp__gap_gamma(work->n + k);
    double total = 0, reach = 0, longest = 0, apart = 0;
    for (uint64_t i = 0; i < work->n; i++) {
        const double norm = hsp__gap_row_norm(work->view, i);
        if (i % CRAMMER_TICK == 0 && hsp__tick(work->ctx)) break;
        for (uint64_t m = 0; m < k; m++) {
            total += fabs(dual[i * k + m]);
            reach += fabs(dual[i * k + m]) * norm;
        }
        longest = fmax(longest, norm);
    }
    for (uint64_t m = 0; m < k; m++)
        apart += fabs(t[m]);
    apart += gamma * total;
    double gain = gamma * total, off = gamma * (reach + total);
    if (work->p->offset == HSP__OFFSET_FREE) {
        gain += (double)k * apart;
        off += (double)k * apart * longest;
    }
    return gain + hsp__gap_gamma(work->d * k) * penalty + off * (sqrt(2 * penalty) + off);
}

hsp_status hsp__crammer_gap(hsp_context *ctx, const hsp__crammer *p, const double *w,
                            const double *b, double *dual, double *u, hsp_error *err,
                            hsp__gap_values *out)
{
    hsp__crammer_work work;
    hsp_status status = hsp__crammer_open(&work, ctx, p, err);
    if (!status) work.doubts = hsp__scratch_new(&work.memory, work.parts, sizeof *work.doubts);
    if (!status && !work.doubts) status = hsp__fail_memory(err);
    if (!status) status = hsp__crammer_feasible(&work, dual, err);
    if (!status) {
        double most = 0;
        hsp__crammer_weights(&work, dual, work.w);
        hsp__crammer_pulls(&work, dual, work.b);
        const double value = hsp__crammer_dual(&work, dual, work.w, work.b);
        const double down =
            crammer_gap_dual_off(&work, dual, work.b, hsp__crammer_penalty(&work, work.w, work.b));
        hsp__crammer_apart(&work, work.w, u);
        for (uint32_t m = 0; m < work.k; m++) {
            const double *own = w + m * work.d;
            for (uint64_t j = 0; j < work.d; j++)
                work.w[j * work.columns + m] = own[j];
            work.b[m] = b[m];
            most = fmax(most, work.vec->sqnorm_f64(own, (size_t)work.d));
        }
        work.size = sqrt(most);
        const double losses = hsp__crammer_score(&work);
        const double penalty = hsp__crammer_penalty(&work, work.w, work.b);
        double up = hsp__gap_gamma(work.d * work.k) * penalty + hsp__gap_gamma(work.n) * losses;
        for (uint64_t part = 0; part < work.parts; part++)
            up += work.doubts[part];
        hsp__crammer_values(penalty + losses + up, value - down, out);
        if (isfinite(out->primal) && out->primal > 0) out->rounding = (up + down) / out->primal;
        status = hsp__stop_status(ctx, err);
    }
    hsp__scratch_free(&work.memory);
    return status;
}
