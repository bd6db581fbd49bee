/* l1: sparse weights, by Newton steps whose quadratic models are minimised by coordinate descent.
 *
 *     minimise    P(w, b) = ||w||_1 + sum_i c_i loss(m_i)        (problem.h)
 *
 * for the squared hinge and the logistic loss. With g = the gradient and D = diag(c loss'') of the
 * losses over the scores at (w, b), a step minimises
 *
 *     <g, z - w> + <g_b, beta> + sum_i D_i (<z - w, x_i> + beta)^2 / 2 + ||z||_1
 *
 * over z and beta, one weight at a time: z_j becomes the soft threshold of its own Newton step,
 * exactly 0 where nothing outweighs the penalty. Only sums over a column's rows are needed, of p_i
 * = D_i <z - w, x_i>, which is kept up to date; so the rows are copied column by column. beta,
 * offset free, is at its best all the time: with T = sum p_i and h_j = sum_i D_i x_ij that is
 * beta = -(g_b + T) / sum D, one number to bring up to date, and a weight's curvature becomes
 * sum D x_ij^2 - h_j^2 / sum D. Then (w, b) goes towards (z, b + beta) as far as P lets it
 * (halving, Armijo's rule).
 *
 * Weights that are 0 and that the gradient does not push (|g_j| <= 1) are not in the model; of
 * those that are pushed, those most. The next gradient looks at all.
 *
 * Guarantee: P falls with every step. The run ends when hsp__gap confirms the gap, for the dual
 * weights a = c pull(m), scaled until max |u_j| <= 1.
 *
 * Cost: a step is a pass over all columns for the gradient, passes over the columns in the model,
 * and a few over the scores.
 *
 * G.-X. Yuan, C.-H. Ho, C.-J. Lin: An improved GLMNET for L1-regularized logistic regression, JMLR
 * 13, 2012 (the scheme; here for both losses, with the offset eliminated and the gap to stop at).
 */
#include <math.h>
#include <string.h>

#include "base/context.h"
#include "base/error.h"
#include "base/memory.h"
#include "base/threads.h"
#include "learn/erm/gap.h"
#include "learn/erm/l1.h"
#include "learn/erm/matvec.h"
#include "learn/erm/solvers.h"
#include "vec/vec.h"

#define L1_TICK     256   /* rows between two ticks */
#define L1_SWEEPS   200   /* over the weights of a model, at most */
#define L1_FEW      8     /* sweeps that are few */
#define L1_LOOSE    0.1   /* a model is solved to so much of what is wrong before */
#define L1_HALVINGS 40    /* of a step */
#define L1_ARMIJO   0.01  /* share of the promised decrease that a step must bring */
#define L1_ROUNDING 1e-13 /* of P */
#define L1_CURVED   1e-12 /* added to curvatures, relative to their sizes */
#define L1_FIRST    512   /* pushed weights that may always join */

/* ---- Columns --------------------------------------------------------------------------------- */

static uint64_t l1_length(const hsp__l1 *t, uint64_t j)
{
    return t->starts[j + 1] - t->starts[j];
}

static double l1_value(const hsp__l1 *t, uint64_t k)
{
    if (!t->values) return 1;
    return t->p->view->precision == HSP_FLOAT32 ? (double)((const float *)t->values)[k]
                                                : ((const double *)t->values)[k];
}

/* sum_i x_ij v_i. */
static double l1_dot(const hsp__l1 *t, uint64_t j, const double *v)
{
    const hsp__vec_table *vec = hsp__vec();
    const uint64_t from = t->starts[j];
    const size_t length = (size_t)l1_length(t, j);
    const int single = t->p->view->precision == HSP_FLOAT32;
    if (!t->values) return vec->ones_dot_f64(t->rows + from, length, v);
    const float *floats = (const float *)t->values + (single ? from : 0);
    const double *doubles = (const double *)t->values + (single ? 0 : from);
    if (!t->rows)
        return single ? vec->dot_f32f64(floats, v, length) : vec->dot_f64(doubles, v, length);
    return single ? vec->sparse_dot_f32f64(t->rows + from, floats, length, v)
                  : vec->sparse_dot_f64(t->rows + from, doubles, length, v);
}

/* v_i += a x_ij. */
static void l1_axpy(const hsp__l1 *t, uint64_t j, double a, double *v)
{
    const uint64_t from = t->starts[j], to = t->starts[j + 1];
    for (uint64_t k = from; k < to; k++)
        v[t->rows ? t->rows[k] : k - from] += a * l1_value(t, k);
}

/* p_i += a D_i x_ij. */
static void l1_bend(hsp__l1 *t, uint64_t j, double a)
{
    const uint64_t from = t->starts[j], to = t->starts[j + 1];
    const double *curve = t->curve;
    double *bent = t->bent;
    if (t->rows && !t->values) {
        for (uint64_t k = from; k < to; k++)
            bent[t->rows[k]] += a * curve[t->rows[k]];
    } else if (t->rows && t->p->view->precision == HSP_FLOAT32) {
        const float *values = t->values;
        for (uint64_t k = from; k < to; k++)
            bent[t->rows[k]] += a * curve[t->rows[k]] * (double)values[k];
    } else {
        for (uint64_t k = from; k < to; k++) {
            const uint64_t i = t->rows ? t->rows[k] : k - from;
            bent[i] += a * curve[i] * l1_value(t, k);
        }
    }
}

static void l1_put(hsp__l1 *t, uint64_t at, uint64_t i, double x)
{
    if (t->rows) t->rows[at] = (uint32_t)i;
    if (!t->values) return;
    if (t->p->view->precision == HSP_FLOAT32)
        ((float *)t->values)[at] = (float)x;
    else
        ((double *)t->values)[at] = x;
}

/* Copy the rows column by column; `next` (d) is scratch. */
static void l1_turn(hsp__l1 *t, uint64_t *next)
{
    const hsp_view *view = t->p->view;
    memset(t->starts, 0, (t->d + 1) * sizeof *t->starts);
    for (uint64_t i = 0; i < t->n; i++) {
        if (i % L1_TICK == 0 && hsp__tick(t->ctx)) return;
        const hsp__row row = hsp__view_row(view, i);
        for (uint64_t k = 0; k < row.count; k++)
            t->starts[hsp__row_column(&row, k) + 1]++;
    }
    for (uint64_t j = 0; j < t->d; j++) {
        t->starts[j + 1] += t->starts[j];
        next[j] = t->starts[j];
    }
    for (uint64_t i = 0; i < t->n; i++) {
        if (i % L1_TICK == 0 && hsp__tick(t->ctx)) return;
        const hsp__row row = hsp__view_row(view, i);
        for (uint64_t k = 0; k < row.count; k++)
            l1_put(t, next[hsp__row_column(&row, k)]++, i, hsp__row_value(view, &row, k));
    }
}

/* ---- At (w, b): losses, gradient, curvatures --------------------------------------------------
 */

typedef struct l1_pass {
    hsp__l1 *t;
    uint64_t parts;
    double step; /* scores + step * way */
    double sums[64][3];
} l1_pass;

static void l1_rows_part(void *user, uint64_t part)
{
    l1_pass *pass = user;
    hsp__l1 *t = pass->t;
    double loss = 0, slope = 0, curves = 0;
    const uint64_t to = hsp__part(t->n, pass->parts, part + 1);
    for (uint64_t i = hsp__part(t->n, pass->parts, part); i < to; i++) {
        const double y = hsp__problem_y(t->p, i), c = hsp__problem_cost(t->p, i);
        const double m = y * t->scores[i], s = t->p->loss->neg_gradient(m);
        t->ay[i] = y * c * s;
        t->curve[i] = t->p->loss->curvature(s, c);
        if (!t->known) loss += c * t->p->loss->value(m, 1 - m);
        slope -= t->ay[i];
        curves += t->curve[i];
    }
    pass->sums[part][0] = loss;
    pass->sums[part][1] = slope;
    pass->sums[part][2] = curves;
}

static void l1_loss_part(void *user, uint64_t part)
{
    l1_pass *pass = user;
    const hsp__l1 *t = pass->t;
    double loss = 0;
    const uint64_t to = hsp__part(t->n, pass->parts, part + 1);
    for (uint64_t i = hsp__part(t->n, pass->parts, part); i < to; i++) {
        const double m = hsp__problem_y(t->p, i) * (t->scores[i] + pass->step * t->way[i]);
        loss += hsp__problem_cost(t->p, i) * t->p->loss->value(m, 1 - m);
    }
    pass->sums[part][0] = loss;
}

static void l1_pass_run(hsp__l1 *t, l1_pass *pass, void (*part)(void *, uint64_t))
{
    pass->t = t;
    pass->parts = hsp__parts(t->n, 64);
    if (pass->parts > 64) pass->parts = 64;
    hsp__tasks_try(t->ctx, pass->parts, part, pass);
    for (uint64_t k = 1; k < pass->parts; k++)
        for (int s = 0; s < 3; s++)
            pass->sums[0][s] += pass->sums[k][s];
}

static double l1_penalty(const hsp__l1 *t, const double *w, double b)
{
    return hsp__vec()->norm1_f64(w, (size_t)t->d) +
           (t->p->offset == HSP__OFFSET_REGULARIZED ? fabs(b) : 0);
}

static void l1_grad_part(void *user, uint64_t part)
{
    const l1_pass *pass = user;
    hsp__l1 *t = pass->t;
    const uint64_t to = hsp__part(t->d, pass->parts, part + 1);
    for (uint64_t j = hsp__part(t->d, pass->parts, part); j < to; j++)
        t->grad[j] = -l1_dot(t, j, t->ay);
}

static double l1_push_b(const hsp__l1 *t, double b, double g)
{
    if (t->p->offset == HSP__OFFSET_NONE) return 0;
    return t->p->offset == HSP__OFFSET_FREE ? fabs(g) : hsp__l1_push(b, g);
}

static void l1_look(hsp__l1 *t)
{
    l1_pass pass = {0};
    l1_pass_run(t, &pass, l1_rows_part);
    if (!t->known) t->primal = l1_penalty(t, t->out->w, t->out->b) + pass.sums[0][0];
    t->grad_b = pass.sums[0][1];
    t->curves = pass.sums[0][2];
    l1_pass columns = {.t = t, .parts = t->d ? hsp__parts(t->d, 8 * (t->stored / t->d + 8)) : 0};
    hsp__tasks_try(t->ctx, columns.parts, l1_grad_part, &columns);
    t->pushed = l1_push_b(t, t->out->b, t->grad_b);
    for (uint64_t j = 0; j < t->d; j++)
        t->pushed = fmax(t->pushed, hsp__l1_push(t->out->w[j], t->grad[j]));
}

/* ---- The model ------------------------------------------------------------------------------- */

/* The push above which about `room` of the weights that are 0 lie, by halving. */
static double l1_cut(const hsp__l1 *t, uint64_t room)
{
    double low = 0, high = t->pushed;
    for (int step = 0; step < 20; step++) {
        const double middle = (low + high) / 2;
        uint64_t above = 0;
        for (uint64_t j = 0; j < t->d; j++)
            above += t->out->w[j] == 0 && fabs(t->grad[j]) - 1 > middle;
        if (above > room)
            low = middle;
        else
            high = middle;
    }
    return high;
}

static void l1_choose(hsp__l1 *t)
{
    uint64_t used = 0, pushed = 0;
    for (uint64_t j = 0; j < t->d; j++) {
        used += t->out->w[j] != 0;
        pushed += t->out->w[j] == 0 && fabs(t->grad[j]) > 1;
    }
    const uint64_t room = used + L1_FIRST;
    const double cut = pushed > room ? l1_cut(t, room) : 0;
    t->count = 0;
    for (uint64_t j = 0; j < t->d; j++)
        if (t->out->w[j] != 0 || fabs(t->grad[j]) - 1 > cut) t->work[t->count++] = j;
}

static void l1_diag_part(void *user, uint64_t part)
{
    const l1_pass *pass = user;
    hsp__l1 *t = pass->t;
    const uint64_t to = hsp__part(t->count, pass->parts, part + 1);
    for (uint64_t c = hsp__part(t->count, pass->parts, part); c < to; c++) {
        const uint64_t j = t->work[c], from = t->starts[j];
        double squares = 0, lean = 0;
        for (uint64_t k = from; k < t->starts[j + 1]; k++) {
            const double x = l1_value(t, k);
            const double dx = t->curve[t->rows ? t->rows[k] : k - from] * x;
            lean += dx;
            squares += dx * x;
        }
        t->diag[j] = squares;
        t->lean[j] = lean;
    }
}

/* beta at its best for T. */
static void l1_offset(hsp__l1 *t)
{
    if (t->p->offset == HSP__OFFSET_NONE || !(t->curves > 0)) return;
    const double b = t->out->b, g = t->grad_b + t->bend;
    if (t->p->offset == HSP__OFFSET_FREE) {
        t->beta = -g / t->curves;
        return;
    }
    t->beta = hsp__l1_best(b, g, t->curves) - b;
}

/* Weight j at its best, the others standing still; what was wrong with it before. */
static double l1_step(hsp__l1 *t, uint64_t j)
{
    double curve = t->diag[j];
    if (t->p->offset == HSP__OFFSET_FREE && t->curves > 0)
        curve -= t->lean[j] * (t->lean[j] / t->curves);
    curve = fmax(curve, 0) + L1_CURVED * (t->diag[j] + 1);
    const double g = t->grad[j] + l1_dot(t, j, t->bent) + t->beta * t->lean[j];
    const double old = t->z[j], z = hsp__l1_best(old, g, curve);
    t->seen += l1_length(t, j);
    if (z != old) {
        t->z[j] = z;
        l1_bend(t, j, z - old);
        t->bend += (z - old) * t->lean[j];
        t->seen += l1_length(t, j);
        l1_offset(t);
    }
    return hsp__l1_push(old, g);
}

/* Minimise the model in at most so many sweeps; weights at 0 that are not pushed rest until the
 * others are done. 0: that was not enough. */
static int l1_sweep(hsp__l1 *t, int sweeps)
{
    l1_pass pass = {.t = t, .parts = hsp__parts(t->count + 1, 8 * (t->stored / (t->d + 1) + 8))};
    const double enough = L1_LOOSE * t->pushed;
    uint64_t active = t->count;
    hsp__tasks_try(t->ctx, pass.parts, l1_diag_part, &pass);
    memset(t->bent, 0, t->n * sizeof *t->bent);
    l1_offset(t);
    double before = HUGE_VAL;
    for (int sweep = 0; sweep < sweeps && active; sweep++) {
        double worst = 0;
        hsp__random_shuffle(&t->random, t->work, active);
        for (uint64_t c = 0; c < active;) {
            const uint64_t j = t->work[c];
            if (hsp__tick(t->ctx)) return 0;
            const double old = t->z[j], push = l1_step(t, j);
            worst = fmax(worst, push);
            if (old == 0 && t->z[j] == 0 && push == 0 && before < HUGE_VAL) {
                t->work[c] = t->work[--active];
                t->work[active] = j;
            } else {
                c++;
            }
        }
        before = worst;
        if (worst > enough) continue;
        if (active == t->count) return 1;
        active = t->count;
        before = HUGE_VAL;
    }
    return active == 0;
}

static void l1_begin_model(hsp__l1 *t)
{
    memcpy(t->z, t->out->w, t->d * sizeof *t->z);
    t->beta = t->bend = 0;
}

/* By the columns; where that takes many sweeps, columns are correlated, and models are written out
 * from then on, if they are small enough. */
static hsp_status l1_model(hsp__l1 *t, hsp_error *err)
{
    const int fits = hsp__l1_gram_fits(t);
    l1_begin_model(t);
    if (t->correlated && fits) return hsp__l1_gram(t, err);
    if (l1_sweep(t, fits ? L1_FEW : L1_SWEEPS) || !fits || hsp__stopped(t->ctx)) return HSP_OK;
    t->correlated = 1;
    l1_begin_model(t);
    return hsp__l1_gram(t, err);
}

/* ---- The step -------------------------------------------------------------------------------- */

/* Go towards (z, b + beta) as far as P falls; a step whose promise is rounding is believed. 0:
 * nowhere. */
static int l1_move(hsp__l1 *t)
{
    double *w = t->out->w, promised = t->grad_b * t->beta;
    const double b = t->out->b;
    if (t->p->offset == HSP__OFFSET_REGULARIZED) promised += fabs(b + t->beta) - fabs(b);
    for (uint64_t i = 0; i < t->n; i++)
        t->way[i] = t->beta;
    for (uint64_t c = 0; c < t->count; c++) {
        const uint64_t j = t->work[c];
        if (t->z[j] == w[j]) continue;
        if (hsp__tick(t->ctx)) return 0;
        promised += t->grad[j] * (t->z[j] - w[j]) + (fabs(t->z[j]) - fabs(w[j]));
        l1_axpy(t, j, t->z[j] - w[j], t->way);
    }
    if (!(promised < 0)) return 0;
    double step = 1;
    for (int half = 0; half < L1_HALVINGS; half++, step /= 2) {
        l1_pass pass = {.step = step};
        l1_pass_run(t, &pass, l1_loss_part);
        if (hsp__stopped(t->ctx)) return 0;
        double penalty = t->p->offset == HSP__OFFSET_REGULARIZED ? fabs(b + step * t->beta) : 0;
        for (uint64_t j = 0; j < t->d; j++)
            penalty += fabs(step == 1 ? t->z[j] : w[j] + step * (t->z[j] - w[j]));
        const double value = penalty + pass.sums[0][0];
        const double flat = step == 1 ? L1_ROUNDING * t->primal : 0;
        if (value > t->primal + fmax(L1_ARMIJO * step * promised, promised + flat)) continue;
        t->primal = value;
        t->known = 1;
        for (uint64_t j = 0; j < t->d; j++)
            w[j] = step == 1 ? t->z[j] : w[j] + step * (t->z[j] - w[j]);
        t->out->b = b + step * t->beta;
        for (uint64_t i = 0; i < t->n; i++)
            t->scores[i] += step * t->way[i];
        return 1;
    }
    return 0;
}

/* ---- The run --------------------------------------------------------------------------------- */

/* The gap by our own figures: a scaled down until no |u_j| is above 1. */
static double l1_gap(hsp__l1 *t)
{
    const double scale = 1 + t->pushed;
    for (uint64_t i = 0; i < t->n; i++)
        t->way[i] = fabs(t->ay[i]) / scale;
    const double dual = hsp__gap_dual(t->ctx, t->p, t->way, NULL);
    return t->primal > dual ? (t->primal - dual) / t->primal : 0;
}

/* The judge's word on (w, b), into the solution; the scores are computed anew on the way. */
static hsp_status l1_judge(hsp__l1 *t, hsp_error *err)
{
    hsp__gap_values verdict;
    for (uint64_t i = 0; i < t->n; i++)
        t->out->dual[i] = fabs(t->ay[i]);
    hsp_status status =
        hsp__gap(t->ctx, t->p, t->out->w, t->out->b, t->out->dual, t->diag, t->way, err, &verdict);
    if (status) return status;
    t->out->primal = verdict.primal;
    t->out->dual_value = verdict.dual;
    t->out->gap = verdict.gap;
    return HSP_OK;
}

static void l1_score(hsp__l1 *t)
{
    hsp__matvec_scores(t->ctx, t->p->view, t->out->w, t->out->b, t->scores);
}

static int l1_over(hsp__l1 *t, double gap, hsp_stop *stop)
{
    const uint64_t passes = 2 + t->seen / (t->stored + 1);
    t->seen = 0;
    t->out->passes += passes;
    *stop = HSP_STOP_PASSES;
    if (t->goal->max_passes && t->out->passes >= t->goal->max_passes) return 1;
    return hsp__watch_gap(t->goal->watch, t->goal->report, "passes", t->out->passes, gap,
                          t->goal->gap, stop);
}

/* Scores that have no history of roundings. */
static void l1_refresh(hsp__l1 *t)
{
    l1_score(t);
    t->known = 0;
    t->primal = t->pushed = HUGE_VAL;
}

static hsp_status l1_iterate(hsp__l1 *t, hsp_error *err)
{
    hsp_status status = HSP_OK;
    hsp_stop stop = HSP_STOP_PASSES;
    int moved = 1, fresh = 1, stuck = 0;
    l1_refresh(t);
    for (;;) {
        const double primal = t->primal, pushed = t->pushed;
        l1_look(t);
        if (hsp__stopped(t->ctx)) return HSP_CANCELLED;
        /* where P has come to its roundings, the gradient still gets better */
        stuck = moved && (t->primal < primal || t->pushed < pushed / 2) ? 0 : stuck + 1;
        const double gap = l1_gap(t);
        if (stuck || gap <= t->goal->gap) {
            status = l1_judge(t, err);
            if (status || t->out->gap <= t->goal->gap) break;
        }
        if (stuck) t->correlated = 1;          /* models that are written out are solved better */
        if (stuck > 2 && fresh) return HSP_OK; /* that was all */
        if (stuck > 2) {
            l1_refresh(t);
            fresh = moved = 1;
            stuck = 0;
            continue;
        }
        if (l1_over(t, gap, &stop)) {
            if (hsp__stopped(t->ctx)) return HSP_CANCELLED;
            status = l1_judge(t, err);
            t->out->stop = stop;
            break;
        }
        l1_choose(t);
        status = l1_model(t, err);
        if (status) return status;
        moved = l1_move(t);
        t->out->updates++;
        fresh = fresh && !moved;
    }
    if (!status && t->out->gap <= t->goal->gap) t->out->stop = HSP_STOP_CONVERGED;
    return status;
}

/* The run was stopped: the weights are those of the last step that was made, and judged if there is
 * time. */
static hsp_status l1_stopped(hsp__l1 *t, hsp_error *err)
{
    hsp__solution *s = t->out;
    hsp_context *ctx = t->ctx;
    hsp__stop brief;
    hsp_context last = hsp__stop_brief(&brief, ctx);
    hsp__watch_stopped(ctx, &s->stop);
    t->ctx = &last;
    hsp_status status = l1_judge(t, err);
    t->ctx = ctx;
    if (status != HSP_CANCELLED) return status;
    memset(s->dual, 0, t->n * sizeof *s->dual);
    s->primal = s->gap = (double)NAN;
    s->dual_value = 0;
    return HSP_OK;
}

static hsp_status l1_new(hsp__l1 *t, hsp_error *err)
{
    const hsp_allocator *memory = &t->ctx->allocator;
    const hsp_view *view = t->p->view;
    const int dense = view->storage == HSP_DENSE, ones = view->storage == HSP_ONES;
    t->starts = hsp__new_raw(memory, t->d + 1, sizeof *t->starts);
    t->rows = dense ? NULL : hsp__new_raw(memory, t->stored, sizeof *t->rows);
    t->values = ones ? NULL : hsp__new_raw(memory, t->stored, hsp__value_bytes(view->precision));
    t->scores = hsp__new_raw(memory, t->n, sizeof *t->scores);
    t->ay = hsp__new(memory, t->n, sizeof *t->ay);
    t->curve = hsp__new_raw(memory, t->n, sizeof *t->curve);
    t->bent = hsp__new_raw(memory, t->n, sizeof *t->bent);
    t->way = hsp__new_raw(memory, t->n, sizeof *t->way);
    t->grad = hsp__new_raw(memory, t->d, sizeof *t->grad);
    t->diag = hsp__new_raw(memory, t->d, sizeof *t->diag);
    t->lean = hsp__new_raw(memory, t->d, sizeof *t->lean);
    t->z = hsp__new_raw(memory, t->d, sizeof *t->z);
    t->work = hsp__new_raw(memory, t->d, sizeof *t->work);
    t->position = hsp__new(memory, t->d + 1, sizeof *t->position);
    if (!t->starts || (!dense && !t->rows) || (!ones && !t->values) || !t->scores || !t->ay ||
        !t->curve || !t->bent || !t->way || !t->grad || !t->diag || !t->lean || !t->z || !t->work ||
        !t->position)
        return hsp__fail_memory(err);
    l1_turn(t, t->work);
    return hsp__stop_status(t->ctx, err);
}

static void l1_free(hsp__l1 *t)
{
    const hsp_allocator *memory = &t->ctx->allocator;
    hsp__free(memory, t->starts);
    hsp__free(memory, t->rows);
    hsp__free(memory, t->values);
    hsp__free(memory, t->scores);
    hsp__free(memory, t->ay);
    hsp__free(memory, t->curve);
    hsp__free(memory, t->bent);
    hsp__free(memory, t->way);
    hsp__free(memory, t->grad);
    hsp__free(memory, t->diag);
    hsp__free(memory, t->lean);
    hsp__free(memory, t->z);
    hsp__free(memory, t->work);
    hsp__free(memory, t->position);
    hsp__free(memory, t->gram);
    hsp__free(memory, t->slope);
}

static hsp_status l1_solve(hsp_context *ctx, const hsp__problem *p, const hsp__goal *goal,
                           hsp_error *err, hsp__solution *s)
{
    hsp__l1 t = {.ctx = ctx,
                 .p = p,
                 .goal = goal,
                 .out = s,
                 .n = p->view->rows,
                 .d = p->view->cols,
                 .stored = hsp_view_stored(p->view)};
    hsp__random_seed(&t.random, goal->seed, 0);
    s->stop = HSP_STOP_PASSES;
    s->passes = s->updates = 0;
    hsp_status status = l1_new(&t, err);
    if (!status) {
        if (p->offset == HSP__OFFSET_NONE) s->b = 0;
        hsp__matvec_scores(ctx, p->view, s->w, 0, t.scores);
        status = hsp__gap_offset(ctx, p, t.scores, err, &s->b);
    }
    if (!status) status = l1_iterate(&t, err);
    if (status == HSP_CANCELLED) status = l1_stopped(&t, err);
    l1_free(&t);
    return status;
}

static int l1_suits(const hsp__problem *p)
{
    return p->penalty == HSP__PENALTY_L1 && !p->hard && hsp__loss_is_smooth(p->loss) &&
           p->view->rows < UINT32_MAX;
}

const hsp__solver hsp__solver_l1 = {
    .name = "l1",
    .summary = "Newton steps by coordinate descent over columns, for sparse weights",
    .suits = l1_suits,
    .solve = l1_solve};
