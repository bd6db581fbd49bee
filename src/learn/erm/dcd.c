/* Dual coordinate descent, for sparse and wide data (l2 penalty).
 *
 * The problem is the dual of problem.h: maximise over a in its box
 *
 *     D(a) = sum_i e_i(a_i) - ||w||^2 / 2,    w = sum_i a_i y_i x_i kept up to date.
 *
 * The step. As a function of one a_i, D is a parabola with slope 1 - m_i - a_i / (2 c_i) and
 * curvature ||x_i||^2 + 1 / (2 c_i) (hinge: without the fractions), so one visit to a row goes a
 * little beyond its top, or to the end of the box: a_i += 1.2 slope / curvature, clipped. It costs
 * one scalar product with the row, and one addition of the row to w when a_i moved.
 *
 * Logistic: D's slope is z_i - m_i, where z = log((c - a) / a) is the logit of a, and its top where
 * z = m + ||x||^2 (c / (1 + exp(z)) - a). Each row keeps its z, in which the ends of the box are
 * far away and nothing is lost near them; one or two steps of Newton's method in z, kept within
 * bounds, come near enough. The row's term of the gap is how far the loss at m lies above its
 * tangent at z; rows whose term is a small part of what the goal allows are not moved.
 *
 * The guarantee. No visit lowers D (over-relaxation below 2 keeps that), and D converges linearly;
 * how near the end is, is not believed but judged (gap.h). On the way the gap is watched for
 * nothing: with w = sum a y x it is the sum over rows of c loss(m) - e(a) + a m >= 0, of which each
 * visit sees its term. A check is made when that sum, corrected by how it compared last time, says
 * that the goal is reached. What a check finds is w made anew from a, so rounding cannot pile up;
 * where w is judged as it is, its rounding is judged with it.
 *
 * Rows that rest. A row at an end of its box adds nothing to the gap and does not move. If its
 * slope is large against those of the rows that do move, it sits out a number of passes (no more
 * than 8, then it is looked at again), and every check wakes those that it finds wrong.
 *
 * The offset. A column of ones, if it were appended, would tie all rows together: that is slow. So
 * b is a variable of its own, held near its last place b_k: pen(b) + (rho/2)(b - b_k)^2 has the
 * maximiser b = base + slope t in terms of t = sum a y, which visits keep up to date; after a pass
 * b_k = b. That is the proximal point method on the primal in b alone, the method of multipliers
 * for the dual's t = 0. rho is small against the curvature of P in b, and so it converges faster
 * than the rest; it gets smaller if t does not fall. Logistic: b begins at the logarithm of the
 * classes' proportion, and checks take the best b for w and scale a a little to make sum a y meet
 * it.
 *
 * Two at a time. On large data of not too many columns two sweeps go side by side, each against a
 * copy of w of its own, and their changes are added and scaled by the exact best step for D, which
 * is a parabola along them too (logistic: for a parabola below D that meets it at both ends); many
 * times a pass, so that the copies stay near each other. What is done depends on the data alone,
 * never on the number of threads.
 *
 * Papers: Hsieh, Chang, Lin, Keerthi, Sundararajan, "A dual coordinate descent method for
 * large-scale linear SVM", ICML 2008; Mangasarian, Musicant, "Successive overrelaxation for support
 * vector machines", 1999 (steps beyond the top); Rockafellar, "Augmented Lagrangians and
 * applications of the proximal point algorithm", 1976 (the offset); Jaggi and others,
 * "Communication-efficient distributed dual coordinate ascent", NIPS 2014 (side by side); Yu,
 * Huang, Lin, "Dual coordinate descent methods for logistic regression and maximum entropy models",
 * Machine Learning 85, 2011 (the logistic loss). */
#include <math.h>
#include <string.h>

#include "base/context.h"
#include "base/error.h"
#include "base/memory.h"
#include "base/random.h"
#include "base/stop.h"
#include "base/threads.h"
#include "learn/erm/dcd_sweep.h"
#include "learn/erm/gap.h"
#include "learn/erm/matvec.h"
#include "learn/erm/solvers.h"
#include "vec/vec.h"

enum { DCD_TEAM = 2 };        /* sweeps side by side */
#define DCD_ROUNDS_MOST  64   /* rounds of sweeps side by side in a pass */
#define DCD_ROUND_STORED 2e5  /* entries that a round visits at least, */
#define DCD_ROUND_COLS   12   /* and at least, for each column */
#define DCD_STEP_WHOLE   0.99 /* a best step above this is near enough to 1: a stays at its ends */
#define DCD_STEP_POOR    0.7  /* when the best steps are below this, one sweep is better */
#define DCD_HOLD         0.01 /* rho, relative to the most that P can curve in b */
#define DCD_LOOSE        0.05 /* 1 / rho at most, relative to the mean ||x||^2, unless it must */
#define DCD_LOOSE_SMOOTH 0.2  /* likewise, logistic: e(a) itself bends more than that */
#define DCD_FAR          1.0  /* slope to rest at, relative to the mean slope of rows that move */
#define DCD_BEYOND       1.2  /* times the way to the top of D, on one sweep at a time */
#define DCD_ASIDE        1e-8 /* ||w - sum a y x||^2, relatively, that is no reason to judge both */
#define DCD_IDLE         32   /* passes without a lower estimate, after which a check is made */
#define DCD_LITTLE       0.1  /* part of the goal that rows may take which stay as they are */
#define DCD_ROUNDING     1e-9 /* an estimate this small, relative to P, may be rounding only */
#define DCD_STALLS       12   /* checks without progress at such estimates: it is */

typedef struct dcd {
    hsp_context *ctx;
    const hsp__problem *p;
    const hsp__goal *goal;
    hsp_error *err;
    hsp__solution *s;
    uint64_t n, d;
    dcd_row *rows;     /* n */
    uint32_t *bundles; /* count: in the order of visits */
    uint64_t count;
    double *z;                /* n: dcd_sweep.h; NULL: not the logistic loss */
    double *w;                /* d: sum a y x */
    double *copies[DCD_TEAM]; /* d each: the w of sweeps side by side; NULL: there are none */
    uint64_t team, rounds;
    double *a, *v, *scores; /* n: for checks */
    double *u;              /* d: likewise, and the sum of changes of a round */
    double gain;            /* sum e(a) */
    double t;               /* sum a y */
    double base, slope;     /* b = base + slope t */
    double loose;           /* a slope that hinders visits little */
    double meet;            /* regularized, logistic: how far checks bring sum a y to b, */
    double last;            /* the b that the last pass ended with */
    double apart;           /* what dcd_apart was after the last pass */
    double far, little;     /* dcd_sweep.h */
    double estimate;        /* of P - D: what the last pass saw */
    double fall;            /* estimate, relative to the pass before */
    double trust;           /* P - D of the last check, relative to what was expected */
    double steps;           /* the mean step of the last pass's rounds */
    double least;           /* the least estimate so far, */
    uint64_t idle;          /* passes since then, or since the last check */
    int begun;              /* w and the rows' a belong together */
    uint64_t stalls;        /* checks without progress where little more is left than rounding */
    hsp__random random;
} dcd;

/* ---- The offset ------------------------------------------------------------------------------ */

static double dcd_b(const dcd *m)
{
    return m->base + m->slope * m->t;
}

/* Hold b near `b` from now on. For a regularized offset slope = 1 / (1 + rho). */
static void dcd_hold(dcd *m, double b)
{
    if (m->p->offset == HSP__OFFSET_FREE) m->base = b;
    if (m->p->offset == HSP__OFFSET_REGULARIZED) m->base = (1 - m->slope) * b;
}

/* The most that P can curve in b, sum c loss''. Logistic: at w = 0 and the b that is best there. */
static double dcd_offset_curve(const dcd *m, const double costs[2])
{
    const double both = costs[0] + costs[1];
    if (m->p->loss->form == HSP__LOGISTIC) return both > 0 ? costs[0] * (costs[1] / both) : 0;
    return m->p->loss->form == HSP__SQUARED_HINGE ? 2 * both : both;
}

static void dcd_offset(dcd *m)
{
    double costs[2] = {0, 0}, norms = 0;
    const int logistic = m->p->loss->form == HSP__LOGISTIC;
    for (uint64_t i = 0; i < m->n; i++) {
        costs[m->rows[i].cost > 0] += fabs(m->rows[i].cost);
        norms += m->rows[i].cost != 0 ? m->rows[i].q : 0;
    }
    const double curve = dcd_offset_curve(m, costs);
    double rho = DCD_HOLD * curve;
    /* Few rows: no less than what leaves a visit its freedom. */
    m->loose = (logistic ? DCD_LOOSE_SMOOTH : DCD_LOOSE) * norms / (double)(m->n + 1);
    if (m->loose > 0) rho = fmax(rho, fmin(1 / m->loose, curve));
    if (!(rho > 0)) rho = 1;
    if (m->p->offset == HSP__OFFSET_FREE) m->slope = 1 / rho;
    if (m->p->offset == HSP__OFFSET_REGULARIZED) m->slope = 1 / (1 + rho);
    /* Begin where b is best for w = 0, about: the logarithm of the classes' proportion. */
    if (!logistic || !(curve > 0)) return;
    if (m->p->offset == HSP__OFFSET_REGULARIZED) m->meet = 1 / (1 + norms / (double)(m->n + 1));
    const double own = m->p->offset == HSP__OFFSET_REGULARIZED ? 1 : 0;
    dcd_hold(m, log(costs[1] / costs[0]) * (curve / (curve + own)));
}

/* How far b and sum a y are from what they must be to each other. */
static double dcd_apart(const dcd *m)
{
    if (m->p->offset == HSP__OFFSET_NONE) return 0;
    return m->p->offset == HSP__OFFSET_FREE ? m->t : m->t - dcd_b(m);
}

/* What that adds to P - D; free: about, b being as far off as the next pass will move it. */
static double dcd_apart_cost(const dcd *m)
{
    const double apart = dcd_apart(m);
    return apart * apart * (m->p->offset == HSP__OFFSET_FREE ? m->slope : 0.5 - 0.5 * m->meet);
}

/* After a pass: take b as the place to stay near, and hold it less if that does not bring b and
 * sum a y together: as long as a visit keeps its freedom, or, when nothing else is left to do,
 * without that limit. */
static void dcd_offset_next(dcd *m)
{
    const double b = dcd_b(m), apart = fabs(dcd_apart(m));
    const double most = apart > m->estimate ? HUGE_VAL : m->loose;
    const int matters = dcd_apart_cost(m) > 0.1 * m->estimate;
    if (matters && apart > 0.5 * m->apart && 2 * m->slope < most) {
        const double rho = m->p->offset == HSP__OFFSET_FREE ? 1 / m->slope : 1 / m->slope - 1;
        m->slope = m->p->offset == HSP__OFFSET_FREE ? 2 / rho : 1 / (1 + rho / 2);
    }
    m->apart = apart;
    m->last = b;
    dcd_hold(m, b);
}

/* ---- A pass ---------------------------------------------------------------------------------- */

static void dcd_shuffle(dcd *m)
{
    for (uint64_t i = m->count; i > 1; i--) {
        const uint64_t j = hsp__random_below(&m->random, i);
        const uint32_t other = m->bundles[j];
        m->bundles[j] = m->bundles[i - 1];
        m->bundles[i - 1] = other;
    }
}

/* Keep `step` of what the sweeps did to their rows. */
static void dcd_keep(dcd *m, const dcd_sweep *sweep, double step)
{
    for (uint64_t k = sweep->from; k < sweep->to; k++) {
        const uint64_t first = (uint64_t)m->bundles[k] * DCD_BUNDLE;
        for (uint64_t i = first; i < first + DCD_BUNDLE && i < m->n; i++)
            if (m->rows[i].move != 0) {
                m->rows[i].a -= (1 - step) * m->rows[i].move;
                if (m->z) m->z[i] = hsp__logistic_margin_of(m->rows[i].a, fabs(m->rows[i].cost));
            }
    }
}

/* Sweeps that began at the same w: go along the sum of their changes to the top of D. */
static void dcd_combine(dcd *m, const dcd_sweep *sweeps)
{
    const hsp__vec_table *vec = hsp__vec();
    const size_t d = (size_t)m->d;
    const double *one = m->copies[0], *two = m->copies[1];
    double gain = 0, bend = 0, t = 0;
    for (size_t j = 0; j < d; j++)
        m->u[j] = (one[j] - m->w[j]) + (two[j] - m->w[j]);
    for (int k = 0; k < DCD_TEAM; k++)
        gain += sweeps[k].gain, bend += sweeps[k].bend, t += sweeps[k].t;
    const double rise = gain + bend / 2 - vec->dot_f64(m->u, m->w, d) - dcd_b(m) * t;
    const double curve = vec->sqnorm_f64(m->u, d) + m->slope * t * t + bend;
    double step = curve > 0 ? rise / curve : 1;
    m->steps += fmin(step, 1) / (double)m->rounds;
    step = step > DCD_STEP_WHOLE ? 1 : step > 0 ? step : 0;
    vec->axpy_f64(step, m->u, m->w, d);
    m->t += step * t;
    m->gain += step * (gain + bend / 2) - step * step * bend / 2;
    if (step < 1)
        for (int k = 0; k < DCD_TEAM; k++)
            dcd_keep(m, &sweeps[k], step);
}

typedef struct dcd_round {
    const dcd *m;
    dcd_sweep sweeps[DCD_TEAM];
} dcd_round;

static void dcd_run(void *user, uint64_t k)
{
    dcd_round *round = user;
    dcd_sweep *sweep = &round->sweeps[k];
    if (round->m->team > 1) memcpy(sweep->w, round->m->w, (size_t)round->m->d * sizeof *sweep->w);
    hsp__dcd_sweep(sweep);
}

static dcd_sweep dcd_sweep_of(dcd *m, uint64_t part, double *w)
{
    const uint64_t parts = m->team * m->rounds;
    return (dcd_sweep){.ctx = m->team > 1 ? NULL : m->ctx,
                       .view = m->p->view,
                       .loss = m->p->loss,
                       .rows = m->rows,
                       .z = m->z,
                       .bundles = m->bundles,
                       .from = hsp__part(m->count, parts, part),
                       .to = hsp__part(m->count, parts, part + 1),
                       .seed = hsp__random_bits(&m->random),
                       .far = m->far,
                       .little = m->little,
                       .w = w,
                       .b = dcd_b(m),
                       .slope = m->slope,
                       .beyond = m->team > 1 ? 1 : DCD_BEYOND};
}

static void dcd_pass(dcd *m)
{
    double gap = 0, off = 0;
    uint64_t updates = 0;
    m->steps = 0;
    dcd_shuffle(m);
    for (uint64_t round = 0; round < m->rounds && !hsp__tick(m->ctx); round++) {
        dcd_round work = {.m = m};
        for (uint64_t k = 0; k < m->team; k++)
            work.sweeps[k] =
                dcd_sweep_of(m, round * m->team + k, m->team > 1 ? m->copies[k] : m->w);
        hsp__tasks_run(m->ctx, m->team, dcd_run, &work);
        for (uint64_t k = 0; k < m->team; k++) {
            gap += work.sweeps[k].gap, off += work.sweeps[k].off;
            updates += work.sweeps[k].updates;
        }
        if (m->team > 1)
            dcd_combine(m, work.sweeps);
        else
            m->t += work.sweeps[0].t, m->gain += work.sweeps[0].gain;
    }
    if (m->team > 1 && m->steps < DCD_STEP_POOR) m->team = m->rounds = 1;
    gap += dcd_apart_cost(m);
    m->fall = m->estimate > 0 ? fmin(gap / m->estimate, 1) : 1;
    m->estimate = gap;
    m->idle = gap < m->least ? 0 : m->idle + 1;
    m->least = fmin(gap, m->least);
    m->far = updates ? DCD_FAR * off / (double)updates : HUGE_VAL;
    m->s->passes++;
    m->s->updates += updates;
    dcd_offset_next(m);
}

/* ---- Checks ---------------------------------------------------------------------------------- */

/* P - D as it may be now: visits saw it on the way, so half a pass ago. */
static double dcd_expected(const dcd *m)
{
    return m->estimate * sqrt(m->fall);
}

/* The dual objective, as the passes add it up. */
static double dcd_dual(const dcd *m)
{
    const double own = m->p->offset == HSP__OFFSET_REGULARIZED ? m->t * m->t : 0;
    return m->gain - (hsp__vec()->sqnorm_f64(m->w, (size_t)m->d) + own) / 2;
}

/* The duality gap relative to the objective: an estimate for those who watch. */
static double dcd_estimate(const dcd *m)
{
    const double gap = dcd_expected(m) * m->trust, primal = dcd_dual(m) + gap;
    return gap >= 0 && primal > 0 ? fmin(gap / primal, 1) : (double)NAN;
}

static int dcd_due(dcd *m)
{
    const double dual = dcd_dual(m);
    const double gap = dcd_expected(m) * m->trust, wanted = fmax(m->goal->gap, 0) * (dual + gap);
    m->little = DCD_LITTLE * fmin(wanted, gap) / (double)(m->n + 1);
    return m->idle >= DCD_IDLE || !(gap > wanted);
}

/* What is left between sum a y and b costs its square: take some of it away by scaling the a of one
 * class down, which costs less where no a is at an end of its box and rows are short. */
static void dcd_meet(dcd *m)
{
    double sum[2] = {0, 0};
    for (uint64_t i = 0; i < m->n; i++)
        sum[m->rows[i].cost > 0] += m->a[i];
    const double apart = (sum[1] - sum[0]) - m->last;
    const int heavy = apart > 0;
    const double factor = 1 - m->meet * fabs(apart) / sum[heavy];
    if (!(factor > 0 && factor < 1)) return;
    for (uint64_t i = 0; i < m->n; i++)
        if ((m->rows[i].cost > 0) == heavy) m->a[i] *= factor;
}

/* Take a from the rows, make it feasible, and w = sum a y x of it; with `scores` also those of
 * m->w, since the rows are at hand. */
static hsp_status dcd_gather(dcd *m, double *w, double *scores)
{
    for (uint64_t i = 0; i < m->n; i++) {
        if (i % 1024 == 0 && hsp__tick(m->ctx)) return hsp__stop_status(m->ctx, m->err);
        m->a[i] = m->rows[i].a;
    }
    hsp__gap_balance(m->ctx, m->p, m->a);
    if (m->meet > 0 && w != m->w) dcd_meet(m);
    for (uint64_t i = 0; i < m->n; i++)
        m->v[i] = hsp__problem_y(m->p, i) * m->a[i];
    return hsp__matvec_both(m->ctx, m->p->view, m->w, m->v, m->err, scores, w);
}

/* Rows that rest and should not. */
static void dcd_wake(dcd *m, double b)
{
    for (uint64_t i = 0; i < m->n; i++) {
        dcd_row *row = &m->rows[i];
        if (!row->rest || row->cost == 0) continue;
        const double margin = (row->cost > 0 ? 1 : -1) * (m->scores[i] + b);
        if (row->a > 0 ? margin > 1 : margin < 1) row->rest = 0;
    }
}

/* A step of Newton's method to the best regularized b for m->scores, logistic loss. */
static double dcd_nearer(const dcd *m, double b)
{
    double slope = b, curve = 1;
    for (uint64_t i = 0; i < m->n; i++) {
        const double cost = m->rows[i].cost, y = cost > 0 ? 1 : -1;
        const double pull = hsp__logistic_neg_gradient(y * (m->scores[i] + b));
        slope -= cost * pull;
        curve += fabs(cost) * pull * (1 - pull);
    }
    return b - slope / curve;
}

/* P of w, whose scores are m->scores, with the best b for it (free; else the b of the sweeps, or
 * near it), as the judge has it. */
static hsp_status dcd_primal(dcd *m, const double *w, double *b, double *primal)
{
    *b = m->meet > 0 ? m->last : dcd_b(m);
    if (m->meet > 0) *b = dcd_nearer(m, *b);
    hsp_status status = hsp__gap_offset(m->ctx, m->p, m->scores, m->err, b);
    if (!status) *primal = hsp__gap_primal(m->ctx, m->p, w, *b, m->scores);
    return status ? status : hsp__stop_status(m->ctx, m->err);
}

static void dcd_take(dcd *m, const double *w, double b, double primal, double dual)
{
    hsp__solution *s = m->s;
    const int keep = hsp__gap_keep(s, primal, dual);
    if (keep & HSP__KEEP_PRIMAL) {
        memcpy(s->w, w, (size_t)m->d * sizeof *w);
        s->b = b, s->primal = primal;
    }
    if (keep & HSP__KEEP_DUAL) {
        memcpy(s->dual, m->a, (size_t)m->n * sizeof *m->a);
        s->dual_value = dual;
    }
    if (keep) s->gap = hsp__gap_relative(s->primal, s->dual_value);
}

/* The figures of hsp__gap. With a free offset (and a regularized one, logistic: dcd_meet) the
 * rows' a becomes feasible by a small change that may move w = sum a y x a lot in the direction
 * that all rows share; so w is tried as it is, and the one of the feasible a handed back only if it
 * is good enough. */
static hsp_status dcd_check(dcd *m)
{
    hsp__solution *s = m->s;
    const double before = s->gap, expected = dcd_expected(m);
    double b, primal = 0;
    const int apart = m->p->offset == HSP__OFFSET_FREE || m->meet > 0;
    hsp_status status = dcd_gather(m, m->u, apart ? m->scores : NULL);
    if (status) return status;
    const double dual = hsp__gap_dual(m->ctx, m->p, m->a, m->u);
    /* Nothing feasible but a = 0: one class has no rows, and w = 0 is best. */
    const int differs = apart && dual != 0;
    if (!differs) hsp__matvec_scores(m->ctx, m->p->view, m->u, 0, m->scores);
    status = dcd_primal(m, differs ? m->w : m->u, &b, &primal);
    if (status) return status;
    dcd_take(m, differs ? m->w : m->u, b, primal, dual);
    dcd_wake(m, b);
    if (expected > 0) m->trust = fmin(fmax((primal - dual) / expected, 0.1), 10);
    const int rounding = !(expected > DCD_ROUNDING * primal);
    m->stalls = s->gap < before || !rounding ? 0 : m->stalls + 1;
    m->idle = 0;
    if (!differs || !(s->gap <= m->goal->gap)) return HSP_OK;
    const double far = hsp__vec()->sqdist_f64(m->u, m->w, (size_t)m->d);
    if (m->meet > 0 && far <= DCD_ASIDE * hsp__vec()->sqnorm_f64(m->u, (size_t)m->d)) return HSP_OK;
    hsp__matvec_scores(m->ctx, m->p->view, m->u, 0, m->scores);
    status = dcd_primal(m, m->u, &b, &primal);
    if (!status && primal - dual <= m->goal->gap * primal) {
        s->gap = s->primal = HUGE_VAL, s->dual_value = -HUGE_VAL;
        dcd_take(m, m->u, b, primal, dual);
    }
    return status;
}

/* ---- The solver ------------------------------------------------------------------------------ */

/* Passes, and checks when they are due; with `check` the first thing is a check. */
static hsp_status dcd_loop(dcd *m, int check)
{
    const hsp__goal *goal = m->goal;
    hsp__solution *s = m->s;
    for (int stop = 0;; check = 0) {
        if (!check) {
            dcd_pass(m);
            if (goal->max_passes && s->passes >= goal->max_passes)
                stop = 1, s->stop = HSP_STOP_PASSES;
            if (hsp__watch_gap(goal->watch, goal->report, "passes", s->passes, dcd_estimate(m),
                               goal->gap, &s->stop))
                return HSP_CANCELLED;
        }
        if (!check && !stop && !dcd_due(m)) continue;
        hsp_status status = dcd_check(m);
        if (status) return status;
        /* Numbers end somewhere: a goal below what rounding allows is never reached. */
        if (m->stalls >= DCD_STALLS) stop = 1, s->stop = HSP_STOP_PASSES;
        if (s->gap <= goal->gap) stop = 1, s->stop = HSP_STOP_CONVERGED;
        if (stop) return HSP_OK;
    }
}

/* The run was stopped: the rows' a and m->w belong together whenever that was, and are checked once
 * more if there is time. */
static hsp_status dcd_stopped(dcd *m)
{
    hsp__solution *s = m->s;
    hsp_context *ctx = m->ctx;
    hsp__stop brief;
    hsp_context last = hsp__stop_brief(&brief, ctx);
    hsp__watch_stopped(ctx, &s->stop);
    m->ctx = &last;
    hsp_status status = m->begun ? dcd_check(m) : HSP_CANCELLED;
    m->ctx = ctx;
    if (status != HSP_CANCELLED) return status;
    if (isfinite(s->primal)) return HSP_OK;
    if (m->begun) memcpy(s->w, m->w, (size_t)m->d * sizeof *s->w);
    if (m->begun) s->b = dcd_b(m);
    memset(s->dual, 0, (size_t)m->n * sizeof *s->dual);
    s->primal = s->gap = (double)NAN;
    s->dual_value = 0;
    return HSP_OK;
}

static double dcd_sqnorm(const hsp_view *view, const hsp__row *row)
{
    if (!row->values) return (double)row->count;
    return view->precision == HSP_FLOAT32 ? hsp__vec()->sqnorm_f32f64(row->values, row->count)
                                          : hsp__vec()->sqnorm_f64(row->values, row->count);
}

static void dcd_rows(dcd *m)
{
    const hsp_view *view = m->p->view;
    for (uint64_t i = 0; i < m->n; i++) {
        const double c = hsp__problem_cost(m->p, i);
        const hsp__row row = hsp__view_row(view, i);
        if (i % 1024 == 0) hsp__tick(m->ctx); /* what is begun with is whole all the same */
        m->rows[i] = (dcd_row){.count = (uint32_t)row.count, .q = dcd_sqnorm(view, &row)};
        m->rows[i].from = view->storage == HSP_DENSE ? i * view->stride : hsp__view_start(view, i);
        if (c > 0)
            m->rows[i].cost = c * hsp__problem_y(m->p, i);
        else
            m->rows[i].rest = 1; /* for ever */
    }
}

/* Begin at the dual weights that were given. */
static hsp_status dcd_start(dcd *m, int *given)
{
    *given = 0;
    for (uint64_t i = 0; i < m->n; i++) {
        m->rows[i].a = m->s->dual[i];
        if (m->z) m->z[i] = HUGE_VAL;
        *given |= m->s->dual[i] != 0;
    }
    if (!*given) return HSP_OK;
    hsp_status status = dcd_gather(m, m->w, NULL);
    if (status) return status;
    for (uint64_t i = 0; i < m->n; i++) {
        const double c = fabs(m->rows[i].cost), a = m->rows[i].a = m->a[i];
        m->t += m->v[i];
        if (m->z) m->z[i] = hsp__logistic_margin_of(a, c);
        if (c > 0) m->gain += m->z ? hsp__dcd_entropy(m->z[i], c) : m->p->loss->conjugate(a, c);
    }
    m->last = m->s->b;
    dcd_hold(m, m->s->b);
    return HSP_OK;
}

static hsp_status dcd_new(dcd *m)
{
    const hsp_allocator *memory = &m->ctx->allocator;
    m->n = m->p->view->rows, m->d = m->p->view->cols;
    m->count = (m->n + DCD_BUNDLE - 1) / DCD_BUNDLE;
    const double stored = (double)hsp_view_stored(m->p->view);
    const double rounds = fmin(stored / DCD_ROUND_STORED, stored / (DCD_ROUND_COLS * (double)m->d));
    /* More than two classes are several problems, which have their own threads. */
    const int many = rounds >= 8 && m->p->view->classes == 2;
    m->team = many ? DCD_TEAM : 1;
    m->rounds = many ? (uint64_t)fmin(rounds, DCD_ROUNDS_MOST) : 1;
    m->rows = hsp__new_raw(memory, m->n, sizeof *m->rows);
    m->bundles = hsp__new_raw(memory, m->count, sizeof *m->bundles);
    m->w = hsp__new(memory, m->d, sizeof *m->w);
    m->u = hsp__new_raw(memory, m->d, sizeof *m->u);
    m->a = hsp__new_raw(memory, m->n, sizeof *m->a);
    m->v = hsp__new_raw(memory, m->n, sizeof *m->v);
    m->scores = hsp__new_raw(memory, m->n, sizeof *m->scores);
    const int logistic = m->p->loss->form == HSP__LOGISTIC;
    if (logistic) m->z = hsp__new_raw(memory, m->n, sizeof *m->z);
    int good = m->rows && m->bundles && m->w && m->u && m->a && m->v && m->scores;
    good = good && (m->z || !logistic);
    for (int k = 0; m->team > 1 && k < DCD_TEAM; k++) {
        m->copies[k] = hsp__new_raw(memory, m->d, sizeof *m->w);
        good = good && m->copies[k];
    }
    return good ? HSP_OK : hsp__fail_memory(m->err);
}

static void dcd_free(dcd *m)
{
    const hsp_allocator *memory = &m->ctx->allocator;
    for (int k = 0; k < DCD_TEAM; k++)
        hsp__free(memory, m->copies[k]);
    hsp__free(memory, m->rows);
    hsp__free(memory, m->bundles);
    hsp__free(memory, m->z);
    hsp__free(memory, m->w);
    hsp__free(memory, m->u);
    hsp__free(memory, m->a);
    hsp__free(memory, m->v);
    hsp__free(memory, m->scores);
}

static int dcd_suits(const hsp__problem *p)
{
    return !p->hard && p->penalty == HSP__PENALTY_L2;
}

static hsp_status dcd_solve(hsp_context *ctx, const hsp__problem *p, const hsp__goal *goal,
                            hsp_error *err, hsp__solution *s)
{
    dcd m = {.ctx = ctx, .p = p, .goal = goal, .err = err, .s = s};
    int given = 0;
    hsp_status status = dcd_new(&m);
    if (!status) {
        s->passes = s->updates = 0;
        s->primal = s->gap = HUGE_VAL, s->dual_value = -HUGE_VAL;
        m.far = m.least = HUGE_VAL;
        m.trust = 1;
        hsp__random_seed(&m.random, goal->seed, 0);
        for (uint64_t i = 0; i < m.count; i++)
            m.bundles[i] = (uint32_t)i;
        dcd_rows(&m);
        dcd_offset(&m);
        status = dcd_start(&m, &given);
    }
    m.begun = !status;
    if (!status) status = dcd_loop(&m, given);
    if (status == HSP_CANCELLED) status = dcd_stopped(&m);
    dcd_free(&m);
    return status;
}

const hsp__solver hsp__solver_dcd = {
    .name = "dcd",
    .summary = "dual coordinate descent, for sparse and wide data",
    .suits = dcd_suits,
    .solve = dcd_solve,
};
