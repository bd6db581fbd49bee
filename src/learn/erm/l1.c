/* l1: sparse weights, by Newton steps whose quadratic models are minimised by coordinate descent.
 *
 * Problem.    minimise    P(w, b) = ||w||_1 + sum_i c_i loss(m_i)        (problem.h)
 *
 * for smooth losses.
 *
 * Update. With g the gradient of the losses and D = diag(c loss'') at (w, b), a step minimises
 *
 *     <g, z - w> + <g_b, beta> + sum_i D_i (<z - w, x_i> + beta)^2 / 2 + ||z||_1
 *
 * over z and beta, one weight at a time: z_j becomes the soft threshold of its own Newton step,
 * which is exactly 0 where the penalty is larger than the gain. This needs sums over a column's rows
 * of p_i = D_i <z - w, x_i>, which is kept up to date; so the rows are copied column by column. A
 * free offset is at its best all the time: with T = sum p_i and h_j = sum_i D_i x_ij it is beta =
 * -(g_b + T) / sum D, one number to keep up to date, and a weight's curvature becomes sum D x_ij^2 -
 * h_j^2 / sum D. Then (w, b) goes towards (z, b + beta) as far as P falls (halving, Armijo's rule).
 *
 * Weights that are 0 and satisfy their condition |g_j| <= 1 are not in the model; of those that
 * violate it, those that violate it most are. The next gradient looks at all.
 *
 * Guarantee. P falls with every step. The run ends when gap.h has computed a gap that is small
 * enough, for the dual coefficients a = -c loss'(m), scaled until max |u_j| <= 1.
 *
 * Cost. A step is a pass over all columns for the gradient, passes over the columns in the model, and
 * a few over the scores.
 *
 * Paper. G.-X. Yuan, C.-H. Ho, C.-J. Lin: An improved GLMNET for L1-regularized logistic regression,
 * JMLR 13, 2012 (the scheme; here for any smooth loss, with the offset eliminated and the gap to
 * stop at). */
#include <assert.h>
#include <math.h>
#include <string.h>

#include "base/context.h"
#include "base/error.h"
#include "base/memory.h"
#include "base/threads.h"
#include "learn/erm/gap.h"
#include "learn/erm/l1.h"
#include "learn/erm/matvec.h"
#include "learn/erm/solution.h"
#include "learn/erm/solvers.h"
#include "vec/vec.h"

#define L1_TICK           256   /* rows between two ticks */
#define L1_SWEEPS         200   /* over the weights of a model, at most */
#define L1_FEW            8     /* sweeps that are few */
#define L1_MODEL_ACCURACY 0.1   /* a model is solved to so much of what is wrong before */
#define L1_HALVINGS       40    /* of a step */
#define L1_ARMIJO         0.01  /* share of the promised decrease that a step must bring */
#define L1_ROUNDING       1e-13 /* of P */
#define L1_RIDGE          1e-12 /* added to curvatures, relative to their sizes */
#define L1_FIRST          512   /* weights with a violation that may always join */

/* ---- Columns --------------------------------------------------------------------------------- */

static uint64_t l1_length(const hsp__l1 *t, uint64_t j)
{
    return t->columns.starts[j + 1] - t->columns.starts[j];
}

static double l1_value(const hsp__l1 *t, uint64_t k)
{
    if (!t->columns.values) return 1;
    return t->p->view->precision == HSP_FLOAT32 ? (double)((const float *)t->columns.values)[k]
                                                : ((const double *)t->columns.values)[k];
}

/* sum_i x_ij v_i. */
static double l1_dot(const hsp__l1 *t, uint64_t j, const double *v)
{
    const hsp__vec_table *vec = hsp__vec();
    const uint64_t from = t->columns.starts[j];
    const size_t length = (size_t)l1_length(t, j);
    const int single = t->p->view->precision == HSP_FLOAT32;
    if (!t->columns.values) return vec->ones_dot_f64(t->columns.rows + from, length, v);
    const float *floats = (const float *)t->columns.values + (single ? from : 0);
    const double *doubles = (const double *)t->columns.values + (single ? 0 : from);
    if (!t->columns.rows)
        return single ? vec->dot_f32f64(floats, v, length) : vec->dot_f64(doubles, v, length);
    return single ? vec->sparse_dot_f32f64(t->columns.rows + from, floats, length, v)
                  : vec->sparse_dot_f64(t->columns.rows + from, doubles, length, v);
}

/* v_i += a x_ij. */
static void l1_axpy(const hsp__l1 *t, uint64_t j, double a, double *v)
{
    const uint64_t from = t->columns.starts[j], to = t->columns.starts[j + 1];
    for (uint64_t k = from; k < to; k++)
        v[t->columns.rows ? t->columns.rows[k] : k - from] += a * l1_value(t, k);
}

/* p_i += a D_i x_ij. */
static void l1_add_product(hsp__l1 *t, uint64_t j, double a)
{
    const uint64_t from = t->columns.starts[j], to = t->columns.starts[j + 1];
    const double *curve = t->at.curvature;
    double *product = t->model.product;
    if (t->columns.rows && !t->columns.values) {
        for (uint64_t k = from; k < to; k++)
            product[t->columns.rows[k]] += a * curve[t->columns.rows[k]];
    } else if (t->columns.rows && t->p->view->precision == HSP_FLOAT32) {
        const float *values = t->columns.values;
        for (uint64_t k = from; k < to; k++)
            product[t->columns.rows[k]] += a * curve[t->columns.rows[k]] * (double)values[k];
    } else {
        for (uint64_t k = from; k < to; k++) {
            const uint64_t i = t->columns.rows ? t->columns.rows[k] : k - from;
            product[i] += a * curve[i] * l1_value(t, k);
        }
    }
}

static void l1_store(hsp__l1 *t, uint64_t at, uint64_t i, double x)
{
    if (t->columns.rows) t->columns.rows[at] = (uint32_t)i;
    if (!t->columns.values) return;
    if (t->p->view->precision == HSP_FLOAT32)
        ((float *)t->columns.values)[at] = (float)x;
    else
        ((double *)t->columns.values)[at] = x;
}

/* Copy the rows column by column; `next` (d) is scratch. */
static void l1_transpose(hsp__l1 *t, uint64_t *next)
{
    const hsp_view *view = t->p->view;
    memset(t->columns.starts, 0, (t->d + 1) * sizeof *t->columns.starts);
    for (uint64_t i = 0; i < t->n; i++) {
        if (i % L1_TICK == 0 && hsp__tick(t->ctx)) return;
        const hsp__row row = hsp__view_row(view, i);
        for (uint64_t k = 0; k < row.count; k++)
            t->columns.starts[hsp__row_column(&row, k) + 1]++;
    }
    for (uint64_t j = 0; j < t->d; j++) {
        t->columns.starts[j + 1] += t->columns.starts[j];
        next[j] = t->columns.starts[j];
    }
    for (uint64_t i = 0; i < t->n; i++) {
        if (i % L1_TICK == 0 && hsp__tick(t->ctx)) return;
        const hsp__row row = hsp__view_row(view, i);
        for (uint64_t k = 0; k < row.count; k++)
            l1_store(t, next[hsp__row_column(&row, k)]++, i, hsp__row_value(view, &row, k));
    }
}

/* ---- At (w, b): losses, gradient, curvatures --------------------------------------------------
 */

typedef struct l1_pass {
    hsp__l1 *t;
    uint64_t parts;
    double step; /* scores + step * direction */
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
        const double m = y * t->at.scores[i], s = t->p->loss->neg_gradient(m);
        t->at.ay[i] = y * c * s;
        t->at.curvature[i] = t->p->loss->curvature(s, c);
        if (!t->at.primal_known) loss += c * t->p->loss->value(m, 1 - m);
        slope -= t->at.ay[i];
        curves += t->at.curvature[i];
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
        const double m =
            hsp__problem_y(t->p, i) * (t->at.scores[i] + pass->step * t->model.direction[i]);
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
        t->at.grad[j] = -l1_dot(t, j, t->at.ay);
}

static double l1_violation_b(const hsp__l1 *t, double b, double g)
{
    if (t->p->offset == HSP__OFFSET_NONE) return 0;
    return t->p->offset == HSP__OFFSET_FREE ? fabs(g) : hsp__l1_violation(b, g);
}

static void l1_evaluate(hsp__l1 *t)
{
    l1_pass pass = {0};
    l1_pass_run(t, &pass, l1_rows_part);
    if (!t->at.primal_known) t->at.primal = l1_penalty(t, t->out->w, t->out->b) + pass.sums[0][0];
    t->at.grad_b = pass.sums[0][1];
    t->at.curvatures = pass.sums[0][2];
    l1_pass columns = {.t = t, .parts = t->d ? hsp__parts(t->d, 8 * (t->stored / t->d + 8)) : 0};
    hsp__tasks_try(t->ctx, columns.parts, l1_grad_part, &columns);
    t->at.violation = l1_violation_b(t, t->out->b, t->at.grad_b);
    for (uint64_t j = 0; j < t->d; j++)
        t->at.violation = fmax(t->at.violation, hsp__l1_violation(t->out->w[j], t->at.grad[j]));
}

/* ---- The model ------------------------------------------------------------------------------- */

/* The violation above which about `room` of the weights that are 0 lie, by halving. */
static double l1_violation_above(const hsp__l1 *t, uint64_t room)
{
    double low = 0, high = t->at.violation;
    for (int step = 0; step < 20; step++) {
        const double middle = (low + high) / 2;
        uint64_t above = 0;
        for (uint64_t j = 0; j < t->d; j++)
            above += t->out->w[j] == 0 && fabs(t->at.grad[j]) - 1 > middle;
        if (above > room)
            low = middle;
        else
            high = middle;
    }
    return high;
}

static void l1_choose_weights(hsp__l1 *t)
{
    uint64_t used = 0, violating = 0;
    for (uint64_t j = 0; j < t->d; j++) {
        used += t->out->w[j] != 0;
        violating += t->out->w[j] == 0 && fabs(t->at.grad[j]) > 1;
    }
    assert(used + violating <= t->d);
    const uint64_t room = used + L1_FIRST;
    const double cut = violating > room ? l1_violation_above(t, room) : 0;
    t->model.count = 0;
    for (uint64_t j = 0; j < t->d; j++)
        if (t->out->w[j] != 0 || fabs(t->at.grad[j]) - 1 > cut) t->model.work[t->model.count++] = j;
}

static void l1_diag_part(void *user, uint64_t part)
{
    const l1_pass *pass = user;
    hsp__l1 *t = pass->t;
    const uint64_t to = hsp__part(t->model.count, pass->parts, part + 1);
    for (uint64_t c = hsp__part(t->model.count, pass->parts, part); c < to; c++) {
        const uint64_t j = t->model.work[c], from = t->columns.starts[j];
        double squares = 0, h = 0;
        for (uint64_t k = from; k < t->columns.starts[j + 1]; k++) {
            const double x = l1_value(t, k);
            const double dx = t->at.curvature[t->columns.rows ? t->columns.rows[k] : k - from] * x;
            h += dx;
            squares += dx * x;
        }
        t->model.diagonal[j] = squares;
        t->model.h[j] = h;
    }
}

/* beta at its best for T. */
static void l1_offset(hsp__l1 *t)
{
    if (t->p->offset == HSP__OFFSET_NONE || !(t->at.curvatures > 0)) return;
    const double b = t->out->b, g = t->at.grad_b + t->model.product_sum;
    if (t->p->offset == HSP__OFFSET_FREE) {
        t->model.beta = -g / t->at.curvatures;
        return;
    }
    t->model.beta = hsp__l1_threshold(b, g, t->at.curvatures) - b;
}

/* Weight j at its best, the others standing still; what was wrong with it before. */
static double l1_step(hsp__l1 *t, uint64_t j)
{
    double curve = t->model.diagonal[j];
    if (t->p->offset == HSP__OFFSET_FREE && t->at.curvatures > 0)
        curve -= t->model.h[j] * (t->model.h[j] / t->at.curvatures);
    curve = fmax(curve, 0) + L1_RIDGE * (t->model.diagonal[j] + 1);
    const double g = t->at.grad[j] + l1_dot(t, j, t->model.product) + t->model.beta * t->model.h[j];
    const double old = t->model.z[j], z = hsp__l1_threshold(old, g, curve);
    t->seen += l1_length(t, j);
    if (z != old) {
        t->model.z[j] = z;
        l1_add_product(t, j, z - old);
        t->model.product_sum += (z - old) * t->model.h[j];
        t->seen += l1_length(t, j);
        l1_offset(t);
    }
    return hsp__l1_violation(old, g);
}

/* Minimise the model in at most this many sweeps; weights at 0 without a violation are skipped until
 * the others are done. 0: that was not enough. */
static int l1_sweep(hsp__l1 *t, int sweeps)
{
    l1_pass pass = {.t = t,
                    .parts = hsp__parts(t->model.count + 1, 8 * (t->stored / (t->d + 1) + 8))};
    const double enough = L1_MODEL_ACCURACY * t->at.violation;
    uint64_t active = t->model.count;
    hsp__tasks_try(t->ctx, pass.parts, l1_diag_part, &pass);
    memset(t->model.product, 0, t->n * sizeof *t->model.product);
    l1_offset(t);
    double before = HUGE_VAL;
    for (int sweep = 0; sweep < sweeps && active; sweep++) {
        double worst = 0;
        hsp__random_shuffle(&t->random, t->model.work, active);
        for (uint64_t c = 0; c < active;) {
            const uint64_t j = t->model.work[c];
            if (hsp__tick(t->ctx)) return 0;
            const double old = t->model.z[j], violation = l1_step(t, j);
            worst = fmax(worst, violation);
            if (old == 0 && t->model.z[j] == 0 && violation == 0 && before < HUGE_VAL) {
                t->model.work[c] = t->model.work[--active];
                t->model.work[active] = j;
            } else {
                c++;
            }
        }
        before = worst;
        if (worst > enough) continue;
        if (active == t->model.count) return 1;
        active = t->model.count;
        before = HUGE_VAL;
    }
    return active == 0;
}

static void l1_begin_model(hsp__l1 *t)
{
    memcpy(t->model.z, t->out->w, t->d * sizeof *t->model.z);
    t->model.beta = t->model.product_sum = 0;
}

/* By the columns; where that takes many sweeps, columns are correlated, and models are written out
 * from then on, if they are small enough. */
static hsp_status l1_model(hsp__l1 *t, hsp_error *err)
{
    const int fits = hsp__l1_gram_fits(t);
    l1_begin_model(t);
    if (t->model.use_gram && fits) return hsp__l1_gram(t, err);
    if (l1_sweep(t, fits ? L1_FEW : L1_SWEEPS) || !fits || hsp__stopped(t->ctx)) return HSP_OK;
    t->model.use_gram = 1;
    l1_begin_model(t);
    return hsp__l1_gram(t, err);
}

/* ---- The step -------------------------------------------------------------------------------- */

/* Go towards (z, b + beta) as far as P falls; a step whose promise is rounding is believed. 0:
 * nowhere. */
static int l1_move(hsp__l1 *t)
{
    double *w = t->out->w, promised = t->at.grad_b * t->model.beta;
    const double b = t->out->b;
    if (t->p->offset == HSP__OFFSET_REGULARIZED) promised += fabs(b + t->model.beta) - fabs(b);
    for (uint64_t i = 0; i < t->n; i++)
        t->model.direction[i] = t->model.beta;
    for (uint64_t c = 0; c < t->model.count; c++) {
        const uint64_t j = t->model.work[c];
        if (t->model.z[j] == w[j]) continue;
        if (hsp__tick(t->ctx)) return 0;
        promised += t->at.grad[j] * (t->model.z[j] - w[j]) + (fabs(t->model.z[j]) - fabs(w[j]));
        l1_axpy(t, j, t->model.z[j] - w[j], t->model.direction);
    }
    if (!(promised < 0)) return 0;
    double step = 1;
    for (int half = 0; half < L1_HALVINGS; half++, step /= 2) {
        l1_pass pass = {.step = step};
        l1_pass_run(t, &pass, l1_loss_part);
        if (hsp__stopped(t->ctx)) return 0;
        double penalty =
            t->p->offset == HSP__OFFSET_REGULARIZED ? fabs(b + step * t->model.beta) : 0;
        for (uint64_t j = 0; j < t->d; j++)
            penalty += fabs(step == 1 ? t->model.z[j] : w[j] + step * (t->model.z[j] - w[j]));
        const double value = penalty + pass.sums[0][0];
        const double flat = step == 1 ? L1_ROUNDING * t->at.primal : 0;
        if (value > t->at.primal + fmax(L1_ARMIJO * step * promised, promised + flat)) continue;
        t->at.primal = value;
        t->at.primal_known = 1;
        for (uint64_t j = 0; j < t->d; j++)
            w[j] = step == 1 ? t->model.z[j] : w[j] + step * (t->model.z[j] - w[j]);
        t->out->b = b + step * t->model.beta;
        for (uint64_t i = 0; i < t->n; i++)
            t->at.scores[i] += step * t->model.direction[i];
        return 1;
    }
    return 0;
}

/* ---- The run --------------------------------------------------------------------------------- */

/* The gap by our own figures: a scaled down until no |u_j| is above 1. */
static double l1_estimate_gap(hsp__l1 *t)
{
    const double scale = 1 + t->at.violation;
    for (uint64_t i = 0; i < t->n; i++)
        t->model.direction[i] = fabs(t->at.ay[i]) / scale;
    const double dual = hsp__gap_dual(t->ctx, t->p, t->model.direction, NULL);
    return t->at.primal > dual ? (t->at.primal - dual) / t->at.primal : 0;
}

/* The gap of (w, b), into the solution. */
static hsp_status l1_compute_gap(hsp__l1 *t, hsp_error *err)
{
    hsp__gap_values values;
    for (uint64_t i = 0; i < t->n; i++)
        t->out->dual[i] = fabs(t->at.ay[i]);
    hsp_status status = hsp__gap(t->ctx, t->p, t->out->w, t->out->b, t->out->dual,
                                 t->model.diagonal, t->model.direction, err, &values);
    if (status) return status;
    t->out->primal = values.primal;
    t->out->dual_value = values.dual;
    t->out->gap = values.gap;
    return HSP_OK;
}

static void l1_scores(hsp__l1 *t)
{
    hsp__matvec_scores(t->ctx, t->p->view, t->out->w, t->out->b, t->at.scores);
}

static int l1_limits(hsp__l1 *t, double gap, hsp_stop *stop)
{
    const uint64_t passes = 2 + t->seen / (t->stored + 1);
    assert(t->model.count <= t->d);
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
    l1_scores(t);
    t->at.primal_known = 0;
    t->at.primal = t->at.violation = HUGE_VAL;
}

static hsp_status l1_iterate(hsp__l1 *t, hsp_error *err)
{
    hsp_status status = HSP_OK;
    hsp_stop stop = HSP_STOP_PASSES;
    int moved = 1, fresh = 1, stuck = 0;
    l1_refresh(t);
    for (;;) {
        const double primal = t->at.primal, violation = t->at.violation;
        l1_evaluate(t);
        if (hsp__stopped(t->ctx)) return HSP_CANCELLED;
        /* where P has come to its roundings, the gradient still gets better */
        stuck = moved && (t->at.primal < primal || t->at.violation < violation / 2) ? 0 : stuck + 1;
        const double gap = l1_estimate_gap(t);
        if (stuck || gap <= t->goal->gap) {
            status = l1_compute_gap(t, err);
            if (status || t->out->gap <= t->goal->gap) break;
        }
        if (stuck) t->model.use_gram = 1;      /* models that are written out are solved better */
        if (stuck > 2 && fresh) return HSP_OK; /* that was all */
        if (stuck > 2) {
            l1_refresh(t);
            fresh = moved = 1;
            stuck = 0;
            continue;
        }
        if (l1_limits(t, gap, &stop)) {
            if (hsp__stopped(t->ctx)) return HSP_CANCELLED;
            status = l1_compute_gap(t, err);
            t->out->stop = stop;
            break;
        }
        l1_choose_weights(t);
        status = l1_model(t, err);
        if (status) return status;
        moved = l1_move(t);
        t->out->updates++;
        fresh = fresh && !moved;
    }
    if (!status && t->out->gap <= t->goal->gap) t->out->stop = HSP_STOP_CONVERGED;
    return status;
}

/* The run was stopped: the weights of the last step, with their gap if there is time. */
static hsp_status l1_stopped(hsp__l1 *t, hsp_error *err)
{
    hsp__solution *s = t->out;
    hsp_context *ctx = t->ctx;
    hsp__stop brief;
    hsp_context last = hsp__stop_brief(&brief, ctx);
    hsp__watch_stopped(ctx, &s->stop);
    t->ctx = &last;
    hsp_status status = l1_compute_gap(t, err);
    t->ctx = ctx;
    if (status != HSP_CANCELLED) return status;
    hsp__solution_unknown(t->p, s);
    return HSP_OK;
}

static hsp_status l1_new(hsp__l1 *t, hsp_error *err)
{
    const hsp_view *view = t->p->view;
    hsp__scratch *scratch = &t->scratch;
    const size_t real = sizeof(double);
    t->columns.starts = hsp__scratch_raw(scratch, t->d + 1, sizeof *t->columns.starts);
    if (view->storage != HSP_DENSE)
        t->columns.rows = hsp__scratch_raw(scratch, t->stored, sizeof *t->columns.rows);
    if (view->storage != HSP_ONES)
        t->columns.values = hsp__scratch_raw(scratch, t->stored, hsp__value_bytes(view->precision));
    t->at.scores = hsp__scratch_raw(scratch, t->n, real);
    t->at.ay = hsp__scratch_new(scratch, t->n, real);
    t->at.curvature = hsp__scratch_raw(scratch, t->n, real);
    t->at.grad = hsp__scratch_raw(scratch, t->d, real);
    t->model.product = hsp__scratch_raw(scratch, t->n, real);
    t->model.direction = hsp__scratch_raw(scratch, t->n, real);
    t->model.diagonal = hsp__scratch_raw(scratch, t->d, real);
    t->model.h = hsp__scratch_raw(scratch, t->d, real);
    t->model.z = hsp__scratch_raw(scratch, t->d, real);
    t->model.work = hsp__scratch_raw(scratch, t->d, sizeof *t->model.work);
    t->model.position = hsp__scratch_new(scratch, t->d + 1, sizeof *t->model.position);
    if (scratch->failed) return hsp__fail_memory(err);
    l1_transpose(t, t->model.work);
    return hsp__stop_status(t->ctx, err);
}

static void l1_free(hsp__l1 *t)
{
    hsp__free(&t->ctx->allocator, t->model.gram);
    hsp__free(&t->ctx->allocator, t->model.slope);
    hsp__scratch_free(&t->scratch);
}

static int l1_suits(const hsp__problem *p)
{
    return p->penalty == HSP__PENALTY_L1 && !p->hard && hsp__loss_is_smooth(p->loss) &&
           p->view->rows < UINT32_MAX;
}

static hsp_status l1_solve(hsp_context *ctx, const hsp__problem *p, const hsp__goal *goal,
                           hsp_error *err, hsp__solution *s)
{
    hsp__l1 t = {.ctx = ctx,
                 .p = p,
                 .goal = goal,
                 .out = s,
                 .scratch = {.memory = &ctx->allocator},
                 .n = p->view->rows,
                 .d = p->view->cols,
                 .stored = hsp_view_stored(p->view)};
    assert(l1_suits(p) && p->view->labels && s->dual);
    hsp__random_seed(&t.random, goal->seed, 0);
    s->stop = HSP_STOP_PASSES;
    s->passes = s->updates = 0;
    hsp_status status = l1_new(&t, err);
    if (!status) {
        if (p->offset == HSP__OFFSET_NONE) s->b = 0;
        hsp__matvec_scores(ctx, p->view, s->w, 0, t.at.scores);
        status = hsp__gap_offset(ctx, p, t.at.scores, err, &s->b);
    }
    if (!status) status = l1_iterate(&t, err);
    if (status == HSP_CANCELLED) status = l1_stopped(&t, err);
    l1_free(&t);
    return status;
}

const hsp__solver hsp__solver_l1 = {
    .name = "l1",
    .summary = "Newton steps by coordinate descent over columns, for sparse weights",
    .suits = l1_suits,
    .solve = l1_solve};
