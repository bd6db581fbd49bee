/* Kernel support vector machines by working sets.
 *
 * Problem (problem.h, in the kernel's feature space): minimise over a
 *
 *     (1/2) a' Q a - sum e(a),   Q_ij = y_i y_j k(x_i, x_j),   0 <= a_i <= c_i,   sum a_i y_i = 0
 *
 * (squared hinge: no upper bound, and 1 / (2 c_i) is added to k(x_i, x_i); offset regularized: k +
 * 1 and no equation; offset none: no equation).
 *
 * Update. With f_i = sum_j a_j y_j k(x_j, x_i) - y_i, a is optimal iff every f of a row that may
 * move up (a < c of a positive row, a > 0 of a negative one) is at least every f of a row that may
 * move down. A round takes the few hundred rows that violate this most (half of them from the round
 * before), has their rows of the kernel matrix from the cache or computes the missing ones in one
 * block, solves the problem over these rows alone by steps of two variables with second-order
 * selection (the pair with the largest gain), and then brings f of all rows up to date in one
 * product.
 *
 * Guarantee. Every step raises the dual; the run stops on the duality gap, which f gives in O(n).
 *
 * Cost. A round: (rows not cached) * n kernel values, and (rows that moved) * n multiplications.
 *
 * Papers. J. Platt, Fast training of support vector machines using sequential minimal optimization
 * (1999). T. Joachims, Making large-scale SVM learning practical (1999): working sets. R.-E. Fan,
 * P.-H. Chen, C.-J. Lin, Working set selection using second order information, JMLR 6 (2005). Z.
 * Wen et al., ThunderSVM, JMLR 19 (2018): large working sets, half of them kept. */
#include "learn/smo.h"

#include <math.h>
#include <string.h>

#include "base/context.h"
#include "base/error.h"
#include "base/memory.h"
#include "base/threads.h"
#include "learn/judge.h"
#include "learn/smo_cache.h"
#include "vec/vec.h"

enum { SMO_SET = 1024, SMO_PARTS = 64 };

typedef struct smo {
    hsp_context *ctx;
    const hsp__problem *p;
    const hsp__goal *goal;
    hsp__smo_solution *s;
    hsp__smo_cache cache;
    uint64_t n;
    int equation;          /* sum a y = 0 holds and is kept */
    double one;            /* added to every kernel value: offset regularized */
    double *f;             /* n */
    double *extra;         /* n: added to k(x_i, x_i); NULL: nothing */
    uint64_t size;         /* of a working set, at most */
    uint64_t count;        /* of the one at hand */
    uint64_t *set;         /* size: its rows; those that stay in the next one keep their place */
    unsigned char *is_new; /* size: it was not in the set before */
    unsigned char *in;     /* n: while a set is chosen: 1, new in it; 2, stays in it */
    float **lines;         /* size: their rows of the kernel matrix */
    double *moved;         /* size: y times what a changed by */
    /* The problem over the set alone: */
    double *k;                            /* count * count */
    double *la, *lf, *ly, *lc, *diagonal; /* count */
    double shift;                         /* sum of moved * one */
    uint64_t *picked;                     /* n: scratch for selection */
    double *keys;                         /* n */
} smo;

/* ---- What may move --------------------------------------------------------------------------- */

static double smo_box(const hsp__problem *p, uint64_t i)
{
    return p->hard || p->loss == HSP__LOSS_SQUARED ? HUGE_VAL : hsp__problem_cost(p, i);
}

static int smo_up(double y, double a, double c)
{
    return y > 0 ? a < c : a > 0;
}

static int smo_down(double y, double a, double c)
{
    return y > 0 ? a > 0 : a < c;
}

/* ---- The problem over the set ---------------------------------------------------------------- */

/* The row that may move up with the smallest f; count: none. */
static uint64_t smo_first(const smo *w)
{
    uint64_t best = w->count;
    double least = HUGE_VAL;
    for (uint64_t i = 0; i < w->count; i++)
        if (w->lf[i] < least && smo_up(w->ly[i], w->la[i], w->lc[i])) least = w->lf[i], best = i;
    return best;
}

/* The row that may move down and gains most together with i; *worst: the largest f among those. */
static uint64_t smo_second(const smo *w, uint64_t i, double *worst)
{
    const double *ki = w->k + i * w->size, fi = w->lf[i], kii = ki[i];
    uint64_t best = w->count;
    double most = -1;
    *worst = -HUGE_VAL;
    for (uint64_t j = 0; j < w->count; j++) {
        const double d = w->lf[j] - fi;
        if (!(d > 0) || !smo_down(w->ly[j], w->la[j], w->lc[j])) continue;
        if (w->lf[j] > *worst) *worst = w->lf[j];
        const double curvature = kii + w->diagonal[j] - 2 * ki[j];
        const double gain = d * d / (curvature > 1e-12 ? curvature : 1e-12);
        if (gain > most) most = gain, best = j;
    }
    return best;
}

static void smo_shift(smo *w, uint64_t i, double change)
{
    w->la[i] += change;
    hsp__vec()->axpy_f64(change * w->ly[i], w->k + i * w->size, w->lf, (size_t)w->count);
}

/* Move y a of i up and of j down by the same t, as far as is best and allowed. */
static void smo_step(smo *w, uint64_t i, uint64_t j)
{
    const double curvature =
        w->k[i * w->size + i] + w->k[j * w->size + j] - 2 * w->k[i * w->size + j];
    double t = (w->lf[j] - w->lf[i]) / (curvature > 1e-12 ? curvature : 1e-12);
    const double room_i = w->ly[i] > 0 ? w->lc[i] - w->la[i] : w->la[i];
    const double room_j = w->ly[j] > 0 ? w->la[j] : w->lc[j] - w->la[j];
    const double room = fmin(room_i, room_j);
    if (t > room) t = room;
    smo_shift(w, i, w->ly[i] * t);
    smo_shift(w, j, -w->ly[j] * t);
    /* A bound that was reached is reached exactly. */
    if (t == room_i) w->la[i] = w->ly[i] > 0 ? w->lc[i] : 0;
    if (t == room_j) w->la[j] = w->ly[j] > 0 ? 0 : w->lc[j];
    w->s->updates++;
}

/* Without the equation: the best step of one variable. */
static int smo_single(smo *w, double enough)
{
    uint64_t best = w->count;
    double most = 0, t = 0;
    for (uint64_t i = 0; i < w->count; i++) {
        const double g = -w->lf[i] * w->ly[i], kii = fmax(w->k[i * w->size + i], 1e-12);
        const double to = fmin(fmax(w->la[i] + g / kii, 0), w->lc[i]);
        const double change = to - w->la[i];
        if (fabs(g) <= enough || fabs(change) * fabs(g) <= most) continue;
        most = fabs(change) * fabs(g), best = i, t = change;
    }
    if (best == w->count) return 0;
    smo_shift(w, best, t);
    w->s->updates++;
    return 1;
}

/* Steps until the worst violation in the set is a small part of what it was, or small enough. */
static void smo_inner(smo *w, double enough)
{
    const uint64_t most = 100 * w->count + 1000;
    double begin = -1, worst;
    for (uint64_t step = 0; step < most; step++) {
        if (!w->equation) {
            if (!smo_single(w, enough)) return;
            continue;
        }
        const uint64_t i = smo_first(w);
        if (i == w->count) return;
        const uint64_t j = smo_second(w, i, &worst);
        if (j == w->count) return;
        const double violation = worst - w->lf[i];
        if (begin < 0) begin = violation;
        if (violation <= fmax(enough, 0.05 * begin)) return;
        smo_step(w, i, j);
    }
}

/* ---- Choosing a set -------------------------------------------------------------------------- */

/* Move the `want` smallest keys of the first `count` picked rows to the front. */
static void smo_select(smo *w, uint64_t count, uint64_t want)
{
    uint64_t from = 0, to = count;
    while (to - from > 1 && from < want) {
        const double pivot = w->keys[w->picked[from + (to - from) / 2]];
        uint64_t low = from, high = to, i = from;
        while (i < high) {
            const uint64_t row = w->picked[i];
            const double key = w->keys[row];
            if (key == pivot) {
                i++;
            } else if (key < pivot) {
                w->picked[i++] = w->picked[low];
                w->picked[low++] = row;
            } else {
                w->picked[i] = w->picked[--high];
                w->picked[high] = row;
            }
        }
        if (want < low)
            to = low;
        else if (want <= high)
            return;
        else
            from = high;
    }
}

/* Take up to `want` more rows: those that may move up (sign 1) with the smallest f, or down (-1)
 * with the largest. Rows beyond `limit` violate nothing. */
static void smo_take(smo *w, int sign, double limit, uint64_t want)
{
    uint64_t count = 0;
    for (uint64_t i = 0; i < w->n; i++) {
        const double y = hsp__problem_y(w->p, i), c = smo_box(w->p, i), a = w->s->a[i];
        if (w->in[i] || !(sign > 0 ? smo_up(y, a, c) : smo_down(y, a, c))) continue;
        w->keys[i] = sign * w->f[i];
        if (w->keys[i] < sign * limit) w->picked[count++] = i;
    }
    if (count > want) {
        smo_select(w, count, want);
        count = want;
    }
    for (uint64_t k = 0; k < count; k++)
        w->in[w->picked[k]] = 1;
    w->count += count;
}

/* The largest f that may move down and the smallest that may move up. */
static void smo_ends(const smo *w, double *up, double *down)
{
    *up = HUGE_VAL, *down = -HUGE_VAL;
    for (uint64_t i = 0; i < w->n; i++) {
        const double y = hsp__problem_y(w->p, i), c = smo_box(w->p, i), a = w->s->a[i];
        if (smo_up(y, a, c) && w->f[i] < *up) *up = w->f[i];
        if (smo_down(y, a, c) && w->f[i] > *down) *down = w->f[i];
    }
    if (!w->equation) *up = fmin(*up, 0), *down = fmax(*down, 0);
}

/* Is a row of the set before of use in the next? */
static int smo_stays(const smo *w, uint64_t i, double up, double down)
{
    const double y = hsp__problem_y(w->p, i), c = smo_box(w->p, i), a = w->s->a[i];
    return (a > 0 && a < c) || (smo_up(y, a, c) && w->f[i] < down) ||
           (smo_down(y, a, c) && w->f[i] > up);
}

/* The new rows (in == 1) into the places of those that left, or behind the others. */
static void smo_settle(smo *w, uint64_t before)
{
    uint64_t place = 0, count = 0;
    for (uint64_t i = 0; i < w->n; i++) {
        if (w->in[i] != 1) continue;
        while (place < before && w->set[place] != UINT64_MAX)
            place++;
        w->set[place] = i;
        w->is_new[place++] = 1;
    }
    /* Places that stayed empty are closed by the last rows: those then count as new there. */
    uint64_t end = place > before ? place : before;
    for (uint64_t k = 0; k < end; k++) {
        while (end > k && w->set[end - 1] == UINT64_MAX)
            end--;
        if (k >= end) break;
        if (w->set[k] == UINT64_MAX) {
            w->set[k] = w->set[--end];
            w->is_new[k] = 1;
        }
        count = k + 1;
    }
    w->count = count;
    for (uint64_t k = 0; k < count; k++)
        w->in[w->set[k]] = 0;
}

/* Half of the set before stays, if it is of use; the others are the worst violators, one half of
 * them to move up and one down. */
static void smo_choose(smo *w, double up, double down)
{
    const uint64_t before = w->count;
    uint64_t kept = 0;
    for (uint64_t k = 0; k < before; k++) {
        const uint64_t i = w->set[k];
        w->is_new[k] = 0;
        if (kept < w->size / 2 && smo_stays(w, i, up, down))
            w->in[i] = 2, kept++;
        else
            w->set[k] = UINT64_MAX;
    }
    w->count = kept;
    const double up_limit = w->equation ? down : 0, down_limit = w->equation ? up : 0;
    smo_take(w, 1, up_limit, (w->size - kept + 1) / 2);
    smo_take(w, -1, down_limit, w->size - w->count);
    if (w->count < w->size) smo_take(w, 1, up_limit, w->size - w->count);
    smo_settle(w, before);
}

/* ---- A round --------------------------------------------------------------------------------- */

/* The set's own part of the kernel matrix. What two rows of the set before have is there already:
 * rows keep their places in it, and only new ones are looked up. */
static void smo_load_kernel(smo *w)
{
    for (uint64_t i = 0; i < w->count; i++) {
        if (!w->is_new[i]) continue;
        const float *line = w->lines[i];
        double *ki = w->k + i * w->size;
        for (uint64_t j = 0; j < w->count; j++)
            ki[j] = (double)line[w->set[j]] + w->one;
        if (w->extra) ki[i] += w->extra[w->set[i]];
        for (uint64_t j = 0; j < w->count; j++)
            if (!w->is_new[j]) w->k[j * w->size + i] = ki[j];
    }
}

static void smo_load(smo *w)
{
    smo_load_kernel(w);
    for (uint64_t i = 0; i < w->count; i++) {
        const uint64_t row = w->set[i];
        w->la[i] = w->s->a[row];
        w->lf[i] = w->f[row];
        w->ly[i] = hsp__problem_y(w->p, row);
        w->lc[i] = smo_box(w->p, row);
        w->diagonal[i] = w->k[i * w->size + i];
    }
}

/* f += sum over the rows that moved. */
static void smo_refresh_part(void *user, uint64_t part)
{
    smo *w = user;
    const uint64_t from = hsp__part(w->n, SMO_PARTS, part),
                   to = hsp__part(w->n, SMO_PARTS, part + 1);
    enum { STRIP = 1024 };
    for (uint64_t at = from; at < to; at += STRIP) {
        const uint64_t some = at + STRIP < to ? STRIP : to - at;
        for (uint64_t i = 0; i < w->count; i++)
            if (w->moved[i] != 0)
                hsp__vec()->axpy_f32f64(w->moved[i], w->lines[i] + at, w->f + at, (size_t)some);
        for (uint64_t j = at; j < at + some && w->one != 0; j++)
            w->f[j] += w->shift;
    }
}

static void smo_unload(smo *w)
{
    w->shift = 0;
    for (uint64_t i = 0; i < w->count; i++) {
        const uint64_t row = w->set[i];
        w->moved[i] = w->ly[i] * (w->la[i] - w->s->a[row]);
        w->shift += w->moved[i] * w->one;
        w->s->a[row] = w->la[i];
        if (w->extra) w->f[row] += w->moved[i] * w->extra[row];
    }
    hsp__tasks_run(w->ctx, SMO_PARTS, smo_refresh_part, w);
}

/* ---- The gap --------------------------------------------------------------------------------- */

static hsp_status smo_judge(smo *w, hsp_error *err)
{
    hsp__smo_solution *s = w->s;
    double square = 0, gain = 0, loss = 0, t = 0;
    for (uint64_t i = 0; i < w->n; i++) {
        const double y = hsp__problem_y(w->p, i);
        s->scores[i] = w->f[i] + y - (w->extra ? w->extra[i] * y * s->a[i] : 0);
        square += s->a[i] * y * s->scores[i];
        t += s->a[i] * y;
        gain += s->a[i];
        if (w->extra) gain -= w->extra[i] * s->a[i] * s->a[i] / 2;
    }
    if (w->p->offset == HSP__OFFSET_REGULARIZED) {
        s->b = t;
        for (uint64_t i = 0; i < w->n; i++)
            s->scores[i] -= t;
    }
    hsp_status status = hsp__judge_offset(w->ctx, w->p, s->scores, err, &s->b);
    if (status) return status;
    for (uint64_t i = 0; i < w->n; i++) {
        const double m = hsp__problem_y(w->p, i) * (s->scores[i] + s->b);
        if (!w->p->hard)
            loss += hsp__problem_cost(w->p, i) * hsp__judge_loss(w->p->loss, m);
        else if (!(m >= 1))
            loss = HUGE_VAL;
    }
    s->primal = square / 2 + loss;
    s->dual = gain - square / 2;
    s->gap = s->primal > s->dual ? (s->primal - s->dual) / s->primal : 0;
    if (isinf(s->primal)) s->gap = 1;
    return HSP_OK;
}

/* ---- All of it ------------------------------------------------------------------------------- */

static hsp_status smo_round(smo *w, double up, double down, hsp_error *err)
{
    smo_choose(w, up, down);
    hsp_status status =
        hsp__smo_cache_lines(&w->cache, w->set, w->count, w->lines, &w->s->kernel_rows, err);
    if (status) return status;
    smo_load(w);
    smo_inner(w, 1e-9);
    smo_unload(w);
    w->s->rounds++;
    return HSP_OK;
}

static hsp_status smo_run(smo *w, hsp_error *err)
{
    hsp__smo_solution *s = w->s;
    double up, down;
    hsp_status status = HSP_OK;
    for (uint64_t round = 0; !status; round++) {
        smo_ends(w, &up, &down);
        status = smo_judge(w, err);
        if (status) break;
        s->stop = HSP_STOP_CONVERGED;
        if (s->gap <= w->goal->gap || down - up <= 1e-12) break;
        if (w->goal->max_passes && round >= w->goal->max_passes) {
            s->stop = HSP_STOP_PASSES;
            break;
        }
        if (w->goal->watch && hsp__watch_tick(w->goal->watch, 1, w->goal->report, &s->stop)) break;
        status = smo_round(w, up, down, err);
    }
    return status;
}

static hsp_status smo_new(smo *w, uint64_t cache_bytes, const hsp__kernel_rows *rows,
                          hsp_error *err)
{
    const hsp_allocator *memory = &w->ctx->allocator;
    const uint64_t n = w->n;
    hsp_status status = hsp__smo_cache_init(&w->cache, w->ctx, rows, cache_bytes, err);
    if (status) return status;
    w->size = SMO_SET < n ? SMO_SET : n;
    if (w->size > w->cache.slots) w->size = w->cache.slots;
    w->f = hsp__new(memory, n, sizeof *w->f);
    w->set = hsp__new(memory, w->size, sizeof *w->set);
    w->in = hsp__new(memory, n, sizeof *w->in);
    w->lines = hsp__new(memory, w->size, sizeof *w->lines);
    w->moved = hsp__new(memory, w->size, sizeof *w->moved);
    w->is_new = hsp__new(memory, w->size, sizeof *w->is_new);
    w->diagonal = hsp__new(memory, w->size, sizeof *w->diagonal);
    w->k = hsp__new_raw(memory, w->size * w->size, sizeof *w->k);
    w->la = hsp__new(memory, w->size, sizeof *w->la);
    w->lf = hsp__new(memory, w->size, sizeof *w->lf);
    w->ly = hsp__new(memory, w->size, sizeof *w->ly);
    w->lc = hsp__new(memory, w->size, sizeof *w->lc);
    w->picked = hsp__new_raw(memory, n, sizeof *w->picked);
    w->keys = hsp__new_raw(memory, n, sizeof *w->keys);
    if (w->p->loss == HSP__LOSS_SQUARED) w->extra = hsp__new(memory, n, sizeof *w->extra);
    if (!w->f || !w->set || !w->in || !w->lines || !w->moved || !w->k || !w->la || !w->lf ||
        !w->ly || !w->lc || !w->is_new || !w->diagonal || !w->picked || !w->keys ||
        (w->p->loss == HSP__LOSS_SQUARED && !w->extra))
        return hsp__fail_memory(err);
    for (uint64_t i = 0; i < n; i++) {
        w->f[i] = -hsp__problem_y(w->p, i);
        if (w->extra) w->extra[i] = 1 / (2 * hsp__problem_cost(w->p, i));
    }
    return HSP_OK;
}

static void smo_free(smo *w)
{
    const hsp_allocator *memory = &w->ctx->allocator;
    hsp__smo_cache_free(&w->cache);
    void *const blocks[] = {w->f,  w->set, w->in, w->lines,  w->moved, w->k,    w->la,
                            w->lf, w->ly,  w->lc, w->picked, w->keys,  w->extra};
    for (size_t i = 0; i < sizeof blocks / sizeof *blocks; i++)
        hsp__free(memory, blocks[i]);
}

hsp_status hsp__smo(hsp_context *ctx, const hsp__problem *p, const hsp__kernel_rows *rows,
                    uint64_t cache_bytes, const hsp__goal *goal, hsp_error *err,
                    hsp__smo_solution *s)
{
    smo w = {.ctx = ctx, .p = p, .goal = goal, .s = s, .n = p->view->rows};
    w.equation = p->offset == HSP__OFFSET_FREE;
    w.one = p->offset == HSP__OFFSET_REGULARIZED ? 1 : 0;
    hsp_status status = smo_new(&w, cache_bytes, rows, err);
    if (!status) status = smo_run(&w, err);
    smo_free(&w);
    return status;
}
