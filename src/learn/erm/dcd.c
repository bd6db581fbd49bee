/* Dual coordinate descent, for sparse and wide data with an l2 penalty.
 *
 * Problem: the dual of problem.h. Maximise over a in its box
 *
 *     D(a) = sum_i e_i(a_i) - ||w||^2 / 2,    w = sum_i a_i y_i x_i, kept up to date.
 *
 * Update. As a function of one a_i, D of the hinge and the squared hinge is a parabola with the
 * slope 1 - m_i - a_i / (2 c_i) and the curvature ||x_i||^2 + 1 / (2 c_i) (hinge: without the
 * fractions), so that a_i += 1.2 slope / curvature, clipped to the box. An update costs one scalar
 * product with the row, and one addition of the row to w if a_i changed.
 *
 * Logistic loss: D's slope is z_i - m_i, where z = log((c - a) / a) is the logit of a, and D is
 * largest where z = m + ||x||^2 (c / (1 + exp(z)) - a). Each row keeps its z, which loses no digits
 * near the bounds; one or two safeguarded Newton steps in z are enough. Any other smooth loss: the
 * same in a, by the derivatives of e.
 *
 * Guarantee. No update lowers D (a relaxation factor below 2 keeps that), and D converges linearly.
 * The run ends when gap.h has computed a gap that is small enough. Between two such checks the gap
 * is estimated at no cost: with w = sum a y x it is the sum over rows of c loss(m) - e(a) + a m >=
 * 0, of which each update sees its term. The next check is made when that sum, multiplied by what
 * the last check found relative to its estimate, reaches the goal. A check computes w from a again,
 * so that rounding errors do not accumulate.
 *
 * Shrinking. A row at a bound of its box does not move. If |slope of D| is large compared with the
 * slopes of the rows that do move, the row is skipped for up to 8 passes; every check ends that for
 * rows that it finds on the wrong side.
 *
 * Slow convergence. Where rows are many, columns few and C large, the gap falls by a small part per
 * pass. With solver auto the run then ends early, and Newton's method goes on from its w and a.
 *
 * Offset. A column of ones would couple all rows, which converges slowly. Instead b is a variable of
 * its own, kept near its last value b_k: pen(b) + (rho/2)(b - b_k)^2 is smallest at b = base + slope
 * t with t = sum a y; after a pass, b_k = b. This is the proximal point method on the primal in b,
 * or the method of multipliers for t = 0 in the dual. rho is small compared with the curvature of P
 * in b, so that b converges faster than the rest, and gets smaller if t does not fall. Logistic
 * loss: b begins at the log odds of the classes, and a check takes the best b for w and scales a of
 * one class to bring sum a y towards it.
 *
 * Parallel sweeps. On large data with few columns two sweeps run at the same time, each with a copy
 * of w. The sum of their changes is scaled by the step that is best for D, which is a parabola along
 * it (logistic: for a parabola below D). This happens many times per pass, so that the copies stay
 * close. What is computed depends on the data alone, not on the number of threads.
 *
 * Papers: Hsieh, Chang, Lin, Keerthi, Sundararajan, A dual coordinate descent method for large-scale
 * linear SVM, ICML 2008; Mangasarian, Musicant, Successive overrelaxation for support vector
 * machines, 1999; Rockafellar, Augmented Lagrangians and applications of the proximal point
 * algorithm, 1976 (offset); Jaggi and others, Communication-efficient distributed dual coordinate
 * ascent, NIPS 2014 (parallel sweeps); Yu, Huang, Lin, Dual coordinate descent methods for logistic
 * regression and maximum entropy models, Machine Learning 85, 2011. */
#include "base/base.h"
#include "base/paging.h"
#include "learn/erm/dcd.h"
#include "learn/erm/gap.h"
#include "learn/erm/matvec.h"
#include "learn/erm/solvers.h"
#include "vec/vec.h"

#define DCD_ROUNDS_MOST    64   /* rounds of parallel sweeps per pass */
#define DCD_ROUND_STORED   2e5  /* entries that a round visits at least, */
#define DCD_ROUND_COLS     12   /* and at least, for each column */
#define DCD_STEP_WHOLE     0.99 /* a best step above this counts as 1: a stays at its bounds */
#define DCD_STEP_POOR      0.7  /* when the best steps are below this, one sweep is better */
#define DCD_PROXIMAL       0.01 /* rho, relative to the largest curvature of P in b */
#define DCD_SLOPE          0.05 /* 1 / rho at most, relative to the mean ||x||^2, as a rule */
#define DCD_SLOPE_LOGISTIC 0.2  /* likewise, logistic: e(a) itself curves more than that */
#define DCD_SHRINK         1.0  /* shrink_threshold, relative to the mean slope of rows that move */
#define DCD_RELAXATION     1.2  /* of single sweeps */
#define DCD_SAME_W         1e-8 /* ||w - sum a y x||^2, relatively, below which both are the same */
#define DCD_IDLE           32   /* passes without a lower estimate, after which a check is made */
#define DCD_SKIP           0.1  /* part of the goal that rows below skip_threshold may add up to */
#define DCD_ROUNDING       1e-9 /* an estimate this small, relative to P, may be rounding only */
#define DCD_STALLS         12   /* checks without progress at such estimates: it is */

#define DCD_BLOCK_BYTES 262144 /* of a block, if rows are not in memory: enough for one request */
#define DCD_SET         64     /* blocks that are visited together */

#define DCD_MARK       3  /* passes after which the pace is looked at, and when they have doubled */
#define DCD_LONG       40 /* passes to come that another solver is likely to save, smooth losses, */
#define DCD_LONG_WIDE  150 /* likewise if columns are many more than rows, */
#define DCD_LONG_HINGE 400 /* and hinge */
#define DCD_WIDE       2   /* columns for each row, from which on there are many */

#define DCD_SERIES 0.25 /* logistic: margins this near to each other, where a series will do */

/* ---- Sweeps: one coordinate a_i after another is moved, each with the weights that the update
 * before it left ------------------------------------------------------------------------------- */

HSP__DCD_INLINE double dcd_dot(const hsp__vec_table *vec, hsp__dcd_kind kind, const hsp_view *view,
                               const hsp__dcd_row *row, const double *w)
{
    /* rows of ones have no values, dense rows no indices */
    const float *single = kind == HSP__DCD_ONES ? NULL : (const float *)view->values + row->from;
    const double *full = kind == HSP__DCD_ONES ? NULL : (const double *)view->values + row->from;
    const uint32_t *at = kind <= HSP__DCD_DENSE64 ? NULL : view->indices + row->from;
    return kind == HSP__DCD_DENSE32    ? vec->dot_f32f64(single, w, row->count)
           : kind == HSP__DCD_DENSE64  ? vec->dot_f64(full, w, row->count)
           : kind == HSP__DCD_SPARSE32 ? vec->sparse_dot_f32f64(at, single, row->count, w)
           : kind == HSP__DCD_SPARSE64 ? vec->sparse_dot_f64(at, full, row->count, w)
                                       : vec->ones_dot_f64(at, row->count, w);
}

HSP__DCD_INLINE void dcd_axpy(const hsp__vec_table *vec, hsp__dcd_kind kind, const hsp_view *view,
                              const hsp__dcd_row *row, double step, double *w)
{
    /* rows of ones have no values, dense rows no indices */
    const float *single = kind == HSP__DCD_ONES ? NULL : (const float *)view->values + row->from;
    const double *full = kind == HSP__DCD_ONES ? NULL : (const double *)view->values + row->from;
    const uint32_t *at = kind <= HSP__DCD_DENSE64 ? NULL : view->indices + row->from;
    if (kind == HSP__DCD_DENSE32)
        vec->axpy_f32f64(step, single, w, row->count);
    else if (kind == HSP__DCD_DENSE64)
        vec->axpy_f64(step, full, w, row->count);
    else if (kind == HSP__DCD_SPARSE32)
        vec->sparse_axpy_f32f64(step, at, single, row->count, w);
    else if (kind == HSP__DCD_SPARSE64)
        vec->sparse_axpy_f64(step, at, full, row->count, w);
    else
        vec->ones_axpy_f64(step, at, row->count, w);
}

/* Give a row the coefficient `next`; w, b and the sums follow. */
HSP__DCD_INLINE void dcd_move(hsp__dcd_sweep *s, const hsp__vec_table *vec, hsp__dcd_kind kind,
                              hsp__dcd_row *row, double y, double next)
{
    const double step = next - row->a;
    row->step = step;
    row->a = next;
    dcd_axpy(vec, kind, s->view, row, hsp__dcd_count(s, y * step), s->w);
}

HSP__DCD_INLINE void dcd_update(hsp__dcd_sweep *s, const hsp__vec_table *vec, hsp__dcd_kind kind,
                                int squared, hsp__dcd_row *row)
{
    const double a = row->a, score = dcd_dot(vec, kind, s->view, row, s->w);
    const double ay = hsp__dcd_step(s, squared, score, row->sqnorm, row->cost, &row->a, &row->skip);
    row->step = row->a - a;
    if (ay != 0) dcd_axpy(vec, kind, s->view, row, ay, s->w);
}

/* ---- Logistic -------------------------------------------------------------------------------- */

/* e(a) = c loss(z) + a z. */
static double dcd_entropy(double z, double c)
{
    const double size = fabs(z), least = exp(-size);
    return size < HUGE_VAL ? c * (log1p(least) + size * least / (1 + least)) : 0;
}

/* A row whose part of the gap is below the threshold stays as it is: that saves half the cost. */
HSP__DCD_INLINE void dcd_update_logistic(hsp__dcd_sweep *s, const hsp__vec_table *vec,
                                         hsp__dcd_kind kind, hsp__dcd_row *row, double *z)
{
    const double c = fabs(row->cost), y = row->cost > 0 ? 1 : -1, a = row->a, was = *z;
    const double m = y * (dcd_dot(vec, kind, s->view, row, s->w) + s->b);
    /* c loss(m) - e(a) + a m: by how much the loss at m lies above its tangent at z */
    const double way = m - was, p = a / c;
    const double gap =
        fabs(way) < DCD_SERIES
            ? a * (1 - p) * way * way * (0.5 - way * (1 - 2 * p) / 6)
            : fmax(c * hsp__logistic_value(m, 1 - m) - dcd_entropy(was, c) + a * m, 0);
    double next;
    s->gap += gap;
    row->step = 0;
    if (gap <= s->skip_threshold) return;
    *z = hsp__dcd_logistic_maximum(m, row->sqnorm + s->b_slope, a, was, c, &next);
    const double step = next - a;
    if (step == 0) return;
    dcd_move(s, vec, kind, row, y, next);
    s->conjugate += fabs(*z - was) < DCD_SERIES ? (*z + was) / 2 * step
                                                : dcd_entropy(*z, c) - dcd_entropy(was, c);
    s->curvature += step * step * (4 / c);
    s->slopes += fabs(was - m);
}

/* ---- Any smooth loss ------------------------------------------------------------------------- */

/* The a' in the box at which D is largest. D has the slope e'(a') - m - q (a' - a): Newton's steps
 * between bounds that get closer, with e'' = -1 / (c loss''). */
static double dcd_smooth_maximum(const hsp__loss *loss, double m, double q, double a, double c)
{
    double low = 0, high = hsp__loss_cap(loss, c), next = a;
    if (!(loss->margin_of(low, c) - m + q * a > 0)) return low;
    if (high < HUGE_VAL && loss->margin_of(high, c) - m - q * (high - a) >= 0) return high;
    const double enough = HSP__DCD_SLOPE_LEFT * fmin(fabs(loss->margin_of(a, c) - m), 1);
    for (int step = 0; step < HSP__DCD_TRIES; step++) {
        const double slope = loss->margin_of(next, c) - m - q * (next - a);
        const double curvature = loss->curvature(next / c, c);
        if (!(fabs(slope) > enough)) break;
        if (slope > 0)
            low = next;
        else
            high = next;
        double to = next + slope / (1 / curvature + q);
        if (!(to > low && to < high)) to = high < HUGE_VAL ? low + (high - low) / 2 : 2 * low + c;
        if (to == next) break;
        next = to;
    }
    return next;
}

static void dcd_update_smooth(hsp__dcd_sweep *s, const hsp__loss *loss, const hsp__vec_table *vec,
                              hsp__dcd_kind kind, hsp__dcd_row *row)
{
    const double c = fabs(row->cost), y = row->cost > 0 ? 1 : -1, a = row->a;
    const double m = y * (dcd_dot(vec, kind, s->view, row, s->w) + s->b);
    const double before = loss->conjugate(a, c);
    s->gap += fmax(c * loss->value(m, 1 - m) - before + a * m, 0);
    row->step = 0;
    const double next = dcd_smooth_maximum(loss, m, row->sqnorm + s->b_slope, a, c);
    if (next == a) return;
    dcd_move(s, vec, kind, row, y, next);
    s->conjugate += loss->conjugate(next, c) - before;
}

/* ---- Sweeps ---------------------------------------------------------------------------------- */

/* The blocks order[from .. to - 1] are visited soon: they shall be read. */
static void dcd_expect(const hsp_allocator *memory, const hsp__dcd_sweep *s, uint64_t from,
                       uint64_t to)
{
    const hsp_view *view = s->view;
    const size_t bytes = hsp__value_bytes(view->precision);
    const uint64_t each = (view->rows + HSP__DCD_BUNDLE - 1) / HSP__DCD_BUNDLE / s->blocks;
    for (uint64_t k = from; k < to && k < s->blocks; k++) {
        const uint64_t first = s->order[k] * each * HSP__DCD_BUNDLE;
        uint64_t last = first + each * HSP__DCD_BUNDLE;
        if (last > view->rows) last = view->rows;
        assert(first < last);
        const hsp__dcd_row *begin = &s->rows[first], *end = &s->rows[last - 1];
        const uint64_t count = end->from + end->count - begin->from;
        if (view->values)
            hsp__paging_expect(memory, (const char *)view->values + begin->from * bytes,
                               count * bytes);
        if (view->indices)
            hsp__paging_expect(memory, view->indices + begin->from, count * sizeof *view->indices);
    }
}

/* A single sweep is at bundles[k]: where a set of blocks begins, the next one is requested. */
static __attribute__((noinline)) void dcd_expect_set(const hsp__dcd_sweep *s, uint64_t k)
{
    const uint64_t count = (s->view->rows + HSP__DCD_BUNDLE - 1) / HSP__DCD_BUNDLE;
    const uint64_t set = count / s->blocks * DCD_SET;
    if (k % set == 0)
        dcd_expect(&s->ctx->allocator, s, (k / set + 1) * DCD_SET, (k / set + 2) * DCD_SET);
}

HSP__DCD_INLINE void dcd_updates(hsp__loss_form form, const hsp__loss *loss, hsp__dcd_sweep *sweep,
                                 hsp__dcd_kind kind)
{
    const hsp__vec_table *vec = hsp__vec();
    hsp__dcd_sweep s = *sweep;
    const uint64_t rows = s.view->rows;
    for (uint64_t k = s.from; k < s.to; k++) {
        if (k % HSP__DCD_TICK == 0) hsp__paging_check(&s.ctx->allocator);
        if (!s.whole && k % HSP__DCD_TICK == 0 && hsp__tick(s.ctx)) break;
        if (!s.whole && s.blocks) dcd_expect_set(&s, k);
        const uint64_t first = s.bundles[k] * HSP__DCD_BUNDLE;
        const uint64_t after = k + 1 < s.to ? s.bundles[k + 1] * HSP__DCD_BUNDLE : rows;
        const uint64_t mix = hsp__dcd_mix(s.seed, first);
        if (k + 2 < s.to && (s.bundles[k + 2] + 1) * HSP__DCD_BUNDLE <= rows) {
            const uint64_t second = s.bundles[k + 2] * HSP__DCD_BUNDLE;
            hsp__dcd_prefetch(s.rows + second, HSP__DCD_BUNDLE * sizeof *s.rows);
            if (form == HSP__LOGISTIC)
                hsp__dcd_prefetch(s.z + second, HSP__DCD_BUNDLE * sizeof *s.z);
        }
        for (uint64_t j = 0; j < HSP__DCD_BUNDLE; j++) {
            const uint64_t here = hsp__dcd_place(mix, j);
            if (after + here < rows && !s.rows[after + here].skip)
                hsp__dcd_prefetch_row(kind, s.view, s.rows + after + here);
            if (first + here >= rows) continue;
            hsp__dcd_row *row = s.rows + first + here;
            if (row->skip) {
                row->skip -= row->cost != 0;
                row->step = 0;
            } else if (form == HSP__LOGISTIC) {
                dcd_update_logistic(&s, vec, kind, row, s.z + first + here);
            } else if (form == HSP__SMOOTH) {
                dcd_update_smooth(&s, loss, vec, kind, row);
            } else {
                dcd_update(&s, vec, kind, form == HSP__SQUARED_HINGE, row);
            }
        }
    }
    *sweep = s;
}

/* The loop above for each kind of row and loss, which are constants in it. */
static void dcd_sweep_rows(hsp__dcd_sweep *s)
{
    assert(s->from <= s->to && s->relaxation > 0 && s->relaxation < 2);
    assert((s->z != NULL) == (s->loss->form == HSP__LOGISTIC));
    const int single = s->view->precision == HSP_FLOAT32;
    if (s->view->storage == HSP_DENSE && single)
        HSP__BY_LOSS(s->loss, dcd_updates, s, HSP__DCD_DENSE32)
    else if (s->view->storage == HSP_DENSE)
        HSP__BY_LOSS(s->loss, dcd_updates, s, HSP__DCD_DENSE64)
    else if (!s->view->values)
        HSP__BY_LOSS(s->loss, dcd_updates, s, HSP__DCD_ONES)
    else if (single)
        HSP__BY_LOSS(s->loss, dcd_updates, s, HSP__DCD_SPARSE32)
    else
        HSP__BY_LOSS(s->loss, dcd_updates, s, HSP__DCD_SPARSE64)
}

/* ---- The state -------------------------------------------------------------------------------- */

/* ---- The offset ------------------------------------------------------------------------------ */

/* Keep b near `b` from now on. For a regularized offset slope = 1 / (1 + rho). */
static void dcd_offset_hold(hsp__dcd *m, double b)
{
    if (m->p->offset == HSP__OFFSET_FREE) m->offset.base = b;
    if (m->p->offset == HSP__OFFSET_REGULARIZED) m->offset.base = (1 - m->offset.slope) * b;
}

static void dcd_offset_start(hsp__dcd *m)
{
    double costs[2] = {0, 0}, norms = 0;
    const hsp__loss_form form = m->p->loss->form;
    for (uint64_t i = 0; i < m->n; i++) {
        costs[m->rows[i].cost > 0] += fabs(m->rows[i].cost);
        norms += m->rows[i].cost != 0 ? m->rows[i].sqnorm : 0;
    }
    /* The largest curvature of P in b, sum c loss''. Logistic: at w = 0 and the b that is best there. */
    const double both = costs[0] + costs[1], mean = norms / (double)(m->n + 1);
    const double curve = form != HSP__LOGISTIC ? (form == HSP__SQUARED_HINGE ? 2 : 1) * both
                         : both > 0            ? costs[0] * (costs[1] / both)
                                               : 0;
    double rho = DCD_PROXIMAL * curve;
    m->offset.slope_limit =
        (form == HSP__LOGISTIC ? DCD_SLOPE_LOGISTIC : DCD_SLOPE) * norms / (double)(m->n + 1);
    if (m->offset.slope_limit > 0) rho = fmax(rho, fmin(1 / m->offset.slope_limit, curve));
    if (!(rho > 0)) rho = 1;
    if (m->p->offset == HSP__OFFSET_FREE) m->offset.slope = 1 / rho;
    if (m->p->offset == HSP__OFFSET_REGULARIZED) m->offset.slope = 1 / (1 + rho);
    /* Begin near the b that is best for w = 0: the log odds of the classes. */
    if (form != HSP__LOGISTIC || !(curve > 0)) return;
    const int own = m->p->offset == HSP__OFFSET_REGULARIZED;
    if (own) m->offset.balance = 1 / (1 + mean);
    dcd_offset_hold(m, log(costs[1] / costs[0]) * (curve / (curve + own)));
}

/* How far t = sum a y is from its condition: t = 0 (free), t = b (regularized). */
static double dcd_residual(const hsp__dcd *m)
{
    if (m->p->offset == HSP__OFFSET_NONE) return 0;
    return m->p->offset == HSP__OFFSET_FREE ? m->t : m->t - hsp__dcd_b(m);
}

/* What that adds to P - D, about: for a free offset, the next pass moves b by the residual times
 * slope. */
static double dcd_residual_cost(const hsp__dcd *m)
{
    const double residual = dcd_residual(m);
    return residual * residual *
           (m->p->offset == HSP__OFFSET_FREE ? m->offset.slope : 0.5 - 0.5 * m->offset.balance);
}

/* After a pass: keep b near its new value, and halve rho if the residual did not halve: up to the
 * slope limit, or, where the residual is most of what is left of the gap, without that limit. */
static void dcd_offset_next(hsp__dcd *m)
{
    const double b = hsp__dcd_b(m), residual = fabs(dcd_residual(m));
    const double most = residual > m->progress.gap ? HUGE_VAL : m->offset.slope_limit;
    const int matters = dcd_residual_cost(m) > 0.1 * m->progress.gap;
    if (matters && residual > 0.5 * m->offset.residual && 2 * m->offset.slope < most) {
        const double rho =
            m->p->offset == HSP__OFFSET_FREE ? 1 / m->offset.slope : 1 / m->offset.slope - 1;
        m->offset.slope = m->p->offset == HSP__OFFSET_FREE ? 2 / rho : 1 / (1 + rho / 2);
    }
    m->offset.residual = residual;
    m->offset.b = b;
    dcd_offset_hold(m, b);
}

/* ---- A pass ---------------------------------------------------------------------------------- */

/* Parallel sweeps began at the same w: the step along the sum of their changes that is best for D. */
static void dcd_combine(hsp__dcd *m, const hsp__dcd_sweep *sweeps)
{
    const hsp__vec_table *vec = hsp__vec();
    const size_t d = (size_t)m->d;
    const double *one = m->copies[0], *two = m->copies[1];
    double conjugate = 0, curvature = 0, t = 0;
    for (size_t j = 0; j < d; j++)
        m->u[j] = (one[j] - m->w[j]) + (two[j] - m->w[j]);
    for (int k = 0; k < HSP__DCD_PARALLEL; k++)
        conjugate += sweeps[k].conjugate, curvature += sweeps[k].curvature, t += sweeps[k].t;
    const double slope =
        conjugate + curvature / 2 - vec->dot_f64(m->u, m->w, d) - hsp__dcd_b(m) * t;
    const double bend = vec->sqnorm_f64(m->u, d) + m->offset.slope * t * t + curvature;
    double step = bend > 0 ? slope / bend : 1;
    m->mean_step += fmin(step, 1) / (double)m->rounds;
    step = step > DCD_STEP_WHOLE ? 1 : step > 0 ? step : 0;
    vec->axpy_f64(step, m->u, m->w, d);
    m->t += step * t;
    m->conjugate += step * (conjugate + curvature / 2) - step * step * curvature / 2;
    /* the sweeps of a round are neighbours */
    for (uint64_t k = sweeps[0].from; step < 1 && k < sweeps[HSP__DCD_PARALLEL - 1].to; k++) {
        const uint64_t first = m->bundles[k] * HSP__DCD_BUNDLE;
        for (uint64_t i = first; i < first + HSP__DCD_BUNDLE && i < m->n; i++) {
            if (m->rows[i].step == 0) continue;
            m->rows[i].a -= (1 - step) * m->rows[i].step;
            if (m->z) m->z[i] = hsp__logistic_margin_of(m->rows[i].a, fabs(m->rows[i].cost));
        }
    }
}

typedef struct dcd_round {
    const hsp__dcd *m;
    hsp__dcd_sweep sweeps[HSP__DCD_PARALLEL];
} dcd_round;

static void dcd_run(void *user, uint64_t k)
{
    dcd_round *round = user;
    memcpy(round->sweeps[k].w, round->m->w, (size_t)round->m->d * sizeof(double));
    dcd_sweep_rows(&round->sweeps[k]);
}

void hsp__dcd_order(const hsp__dcd *m, hsp__random *random, uint64_t *bundles)
{
    if (!m->blocks) {
        hsp__random_shuffle(random, bundles, m->count);
        return;
    }
    const uint64_t each = m->count / m->blocks;
    uint64_t at = 0, begin = 0;
    hsp__random_shuffle(random, m->order, m->blocks);
    for (uint64_t k = 0; k < m->blocks; k++) {
        const uint64_t first = m->order[k] * each;
        const uint64_t end = m->order[k] + 1 < m->blocks ? first + each : m->count;
        for (uint64_t i = first; i < end; i++)
            bundles[at++] = i;
        if ((k + 1) % DCD_SET != 0 && k + 1 < m->blocks) continue;
        hsp__random_shuffle(random, bundles + begin, at - begin);
        begin = at;
    }
    assert(at == m->count);
}

hsp__dcd_sweep hsp__dcd_sweep_begin(const hsp__dcd *m, uint64_t seed)
{
    return (hsp__dcd_sweep){.ctx = m->ctx,
                            .view = m->p->view,
                            .loss = m->p->loss,
                            .rows = m->rows,
                            .z = m->z,
                            .bundles = m->bundles,
                            .to = m->count,
                            .blocks = m->blocks,
                            .order = m->order,
                            .seed = seed,
                            .shrink_threshold = m->shrink_threshold,
                            .skip_threshold = m->skip_threshold,
                            .w = m->w,
                            .b = hsp__dcd_b(m),
                            .b_slope = m->offset.slope,
                            .relaxation = DCD_RELAXATION};
}

/* A pass was made: `all` has the sums of its sweeps. */
static void dcd_pass_end(hsp__dcd *m, const hsp__dcd_sweep *all)
{
    const double gap = all->gap + dcd_residual_cost(m);
    assert(m->offset.slope >= 0);
    m->progress.reduction = m->progress.gap > 0 ? fmin(gap / m->progress.gap, 1) : 1;
    m->progress.gap = gap;
    m->progress.idle = gap < m->progress.least ? 0 : m->progress.idle + 1;
    m->progress.least = fmin(gap, m->progress.least);
    m->shrink_threshold = all->updates ? DCD_SHRINK * all->slopes / (double)all->updates : HUGE_VAL;
    m->s->passes++;
    m->s->updates += all->updates;
    dcd_offset_next(m);
}

void hsp__dcd_sweep_end(hsp__dcd *m, const hsp__dcd_sweep *sweep)
{
    m->t += sweep->t;
    m->conjugate += sweep->conjugate;
    dcd_pass_end(m, sweep);
}

/* A pass of parallel sweeps, once the bundles are in their order. */
static void dcd_pass_parallel(hsp__dcd *m)
{
    const uint64_t parts = m->parallel * m->rounds;
    hsp__dcd_sweep all = {0};
    m->mean_step = 0;
    for (uint64_t part = 0; part < parts && !hsp__tick(m->ctx); part += m->parallel) {
        dcd_round work = {.m = m};
        const hsp__dcd_sweep next = hsp__dcd_sweep_begin(m, 0);
        if (m->blocks)
            dcd_expect(&m->ctx->allocator, &next,
                       hsp__part(m->blocks, parts, part + m->parallel) / DCD_SET * DCD_SET,
                       hsp__part(m->blocks, parts, part + 2 * m->parallel) + DCD_SET);
        for (uint64_t k = 0; k < m->parallel; k++) {
            hsp__dcd_sweep *sweep = &work.sweeps[k];
            *sweep = hsp__dcd_sweep_begin(m, hsp__random_bits(&m->random));
            sweep->whole = 1;
            sweep->from = hsp__part(m->count, parts, part + k);
            sweep->to = hsp__part(m->count, parts, part + k + 1);
            sweep->w = m->copies[k];
            sweep->relaxation = 1;
        }
        hsp__tasks_run(m->ctx, m->parallel, dcd_run, &work);
        dcd_combine(m, work.sweeps);
        for (uint64_t k = 0; k < m->parallel; k++) {
            all.gap += work.sweeps[k].gap, all.slopes += work.sweeps[k].slopes;
            all.updates += work.sweeps[k].updates;
        }
    }
    if (m->mean_step < DCD_STEP_POOR) m->parallel = m->rounds = 1;
    dcd_pass_end(m, &all);
}

/* ---- Checks ---------------------------------------------------------------------------------- */

/* P - D as it may be now: updates saw it on average half a pass ago. */
static double dcd_expected_gap(const hsp__dcd *m)
{
    return m->progress.gap * sqrt(m->progress.reduction);
}

/* Take a from the rows, make it feasible, and w = sum a y x of it; with `scores` also those of
 * m->w, since the rows are at hand. */
static hsp_status dcd_feasible(hsp__dcd *m, double *w, double *scores)
{
    for (uint64_t i = 0; i < m->n; i++) {
        if (i % 1024 == 0 && hsp__tick(m->ctx)) return hsp__stop_status(m->ctx, m->err);
        m->a[i] = m->rows[i].a;
    }
    hsp__gap_balance(m->ctx, m->p, m->a);
    if (m->offset.balance > 0 && w != m->w) {
        /* A difference between sum a y and b costs its square: make it smaller by scaling the a of
         * one class down, which costs less where no a is at a bound and rows are short. */
        double sum[2] = {0, 0};
        for (uint64_t i = 0; i < m->n; i++)
            sum[m->rows[i].cost > 0] += m->a[i];
        const double residual = (sum[1] - sum[0]) - m->offset.b;
        const int heavy = residual > 0;
        const double factor = 1 - m->offset.balance * fabs(residual) / sum[heavy];
        for (uint64_t i = 0; factor > 0 && factor < 1 && i < m->n; i++)
            if ((m->rows[i].cost > 0) == heavy) m->a[i] *= factor;
    }
    for (uint64_t i = 0; i < m->n; i++) {
        assert(!(m->a[i] < 0 || m->a[i] > hsp__loss_cap(m->p->loss, hsp__problem_cost(m->p, i))));
        m->ay[i] = hsp__problem_y(m->p, i) * m->a[i];
    }
    return hsp__matvec_both(m->ctx, m->p->view, m->w, m->ay, m->err, scores, w);
}

/* P of w, whose scores are m->scores, with the best b for it (free; else the b of the sweeps, or
 * near it). */
static hsp_status dcd_primal(hsp__dcd *m, const double *w, double *b, double *primal)
{
    *b = hsp__dcd_b(m);
    if (m->offset.balance > 0) { /* logistic: a step of Newton's method to the best regularized b */
        double slope = m->offset.b, curvature = 1;
        for (uint64_t i = 0; i < m->n; i++) {
            const double cost = m->rows[i].cost, y = cost > 0 ? 1 : -1;
            const double s = hsp__logistic_neg_gradient(y * (m->scores[i] + m->offset.b));
            slope -= cost * s;
            curvature += fabs(cost) * s * (1 - s);
        }
        *b = m->offset.b - slope / curvature;
    }
    HSP__TRY(hsp__gap_offset(m->ctx, m->p, m->scores, m->err, b));
    *primal = hsp__gap_primal(m->ctx, m->p, w, *b, m->scores, NULL);
    return hsp__stop_status(m->ctx, m->err);
}

/* Compute P and D. With a free offset (and a regularized one, logistic: dcd_feasible) the rows' a
 * becomes feasible by a small change that may move w = sum a y x far in the direction that all rows
 * share. So P is computed for w as it is, and for the w of the feasible a only at the end. */
static hsp_status dcd_compute_gap(hsp__dcd *m)
{
    hsp__solution *s = m->s;
    const double before = s->gap, expected = dcd_expected_gap(m);
    double b, primal = 0;
    const int changed = m->p->offset == HSP__OFFSET_FREE || m->offset.balance > 0;
    HSP__TRY(dcd_feasible(m, m->u, changed ? m->scores : NULL));
    const double dual = hsp__gap_dual(m->ctx, m->p, m->a, m->u, NULL);
    /* Nothing feasible but a = 0: one class has no rows, and w = 0 is best. */
    const int differs = changed && dual != 0;
    if (!differs) hsp__matvec_scores(m->ctx, m->p->view, m->u, 0, m->scores);
    HSP__TRY(dcd_primal(m, differs ? m->w : m->u, &b, &primal));
    const int kept = hsp__gap_keep(s, primal, dual) == (HSP__KEEP_PRIMAL | HSP__KEEP_DUAL);
    hsp__solution_keep(m->p, differs ? m->w : m->u, b, m->a, primal, dual, s);
    const int free = m->p->offset == HSP__OFFSET_FREE;
    s->known = !kept || m->scores != s->scores ? 0
               : differs || free               ? HSP__GAP_SCORES
                                               : HSP__GAP_SCORES | HSP__GAP_W_IS_U;
    for (uint64_t i = 0; i < m->n; i++) { /* rows that are skipped and should not be */
        hsp__dcd_row *row = &m->rows[i];
        if (!row->skip || row->cost == 0) continue;
        const double margin = (row->cost > 0 ? 1 : -1) * (m->scores[i] + b);
        if (row->a > 0 ? margin > 1 : margin < 1) row->skip = 0;
    }
    if (expected > 0) m->progress.calibration = fmin(fmax((primal - dual) / expected, 0.1), 10);
    const int rounding = !(expected > DCD_ROUNDING * primal);
    m->progress.stalls = s->gap < before || !rounding ? 0 : m->progress.stalls + 1;
    m->progress.idle = 0;
    if (!differs || !(s->gap <= m->goal->gap)) return HSP_OK;
    const double far = hsp__vec()->sqdist_f64(m->u, m->w, (size_t)m->d);
    if (m->offset.balance > 0 && far <= DCD_SAME_W * hsp__vec()->sqnorm_f64(m->u, (size_t)m->d))
        return HSP_OK;
    s->known = 0;
    hsp__matvec_scores(m->ctx, m->p->view, m->u, 0, m->scores);
    HSP__TRY(dcd_primal(m, m->u, &b, &primal));
    if (primal - dual <= m->goal->gap * primal) {
        if (m->scores == s->scores) s->known = HSP__GAP_SCORES;
        s->gap = s->primal = HUGE_VAL, s->dual_value = -HUGE_VAL;
        hsp__solution_keep(m->p, m->u, b, m->a, primal, dual, s);
    }
    return HSP_OK;
}

/* The values of w and a after this pass, in the log of passes: of copies, so that the run is the same
 * without it. */
static hsp_status dcd_note(hsp__dcd *m)
{
    hsp__scratch scratch = {.memory = &m->ctx->allocator};
    double *a = hsp__scratch_raw(&scratch, m->n, sizeof *a), b = hsp__dcd_b(m);
    double *u = hsp__scratch_raw(&scratch, m->d, sizeof *u);
    double *scores = hsp__scratch_raw(&scratch, m->n, sizeof *scores);
    hsp__gap_values values = {0};
    hsp_status status = scratch.failed ? hsp__fail_memory(m->err) : HSP_OK;
    for (uint64_t i = 0; !status && i < m->n; i++)
        a[i] = m->rows[i].a;
    if (!status) hsp__matvec_scores(m->ctx, m->p->view, m->w, 0, scores);
    if (!status) status = hsp__gap_offset(m->ctx, m->p, scores, m->err, &b);
    if (!status) status = hsp__gap(m->ctx, m->p, m->w, b, a, u, scores, m->err, &values);
    if (!status) hsp__pass_log_note(m->ctx, m->goal->log, m->s->passes, values.primal, values.dual);
    hsp__scratch_free(&scratch);
    return status;
}

/* ---- The solver ------------------------------------------------------------------------------ */

hsp__dcd hsp__dcd_new(hsp_context *ctx, const hsp__problem *p, const hsp__goal *goal,
                      hsp_error *err, hsp__solution *s)
{
    hsp__dcd m = {.ctx = ctx,
                  .p = p,
                  .goal = goal,
                  .err = err,
                  .s = s,
                  .scratch.memory = &ctx->allocator,
                  .n = p->view->rows,
                  .d = p->view->cols,
                  .parallel = 1,
                  .rounds = 1,
                  .shrink_threshold = HUGE_VAL,
                  .progress = {.least = HUGE_VAL, .calibration = 1}};
    m.count = (m.n + HSP__DCD_BUNDLE - 1) / HSP__DCD_BUNDLE;
    hsp__solution_begin(s);
    hsp__random_seed(&m.random, goal->seed, 0);
    return m;
}

hsp_status hsp__dcd_reserve(hsp__dcd *m)
{
    const hsp_view *view = m->p->view;
    hsp__scratch *scratch = &m->scratch;
    const double stored = (double)hsp_view_stored(view);
    const double rounds = fmin(stored / DCD_ROUND_STORED, stored / (DCD_ROUND_COLS * (double)m->d));
    /* More than two classes are several problems, which have their own threads. */
    const int many = rounds >= 8 && view->classes == 2;
    if (many) {
        m->parallel = HSP__DCD_PARALLEL;
        m->rounds = (uint64_t)fmin(rounds, DCD_ROUNDS_MOST);
    }
    m->rows = hsp__scratch_raw(scratch, m->n, sizeof *m->rows);
    m->bundles = hsp__scratch_raw(scratch, m->count, sizeof *m->bundles);
    m->w = hsp__scratch_new(scratch, m->d, sizeof *m->w);
    m->u = hsp__scratch_raw(scratch, m->d, sizeof *m->u);
    m->a = hsp__scratch_raw(scratch, m->n, sizeof *m->a);
    m->ay = hsp__scratch_raw(scratch, m->n, sizeof *m->ay);
    m->scores = m->s->scores;
    if (!m->scores) m->scores = hsp__scratch_raw(scratch, m->n, sizeof *m->scores);
    if (m->p->loss->form == HSP__LOGISTIC) m->z = hsp__scratch_raw(scratch, m->n, sizeof *m->z);
    for (int k = 0; many && k < HSP__DCD_PARALLEL; k++)
        m->copies[k] = hsp__scratch_raw(scratch, m->d, sizeof *m->w);
    const double bytes = stored * (double)hsp__value_bytes(view->precision) +
                         (view->storage == HSP_DENSE ? 0 : stored * sizeof *view->indices);
    if (hsp__paging_exceeds(&m->ctx->allocator, (uint64_t)bytes)) {
        m->blocks = (uint64_t)(bytes / DCD_BLOCK_BYTES) + 1;
        if (m->blocks > m->count) m->blocks = m->count;
        m->order = hsp__scratch_raw(scratch, m->blocks, sizeof *m->order);
    }
    if (scratch->failed) return hsp__fail_memory(m->err);
    for (uint64_t i = 0; i < m->count; i++)
        m->bundles[i] = i;
    for (uint64_t k = 0; k < m->blocks; k++)
        m->order[k] = k;
    return HSP_OK;
}

hsp_status hsp__dcd_start(hsp__dcd *m, int known, int *given)
{
    const hsp_view *view = m->p->view;
    *given = 0;
    for (uint64_t i = 0; !known && i < m->n; i++) {
        const hsp__row row = hsp__view_row(view, i);
        hsp__paging_row(&m->ctx->allocator, i);
        if (i % 1024 == 0) hsp__tick(m->ctx); /* what is begun with is whole all the same */
        m->rows[i] = (hsp__dcd_row){.count = (uint32_t)row.count,
                                    .from = view->storage == HSP_DENSE ? i * view->stride
                                                                       : hsp__view_start(view, i),
                                    .sqnorm = hsp__matvec_sqnorm(view, &row)};
    }
    for (uint64_t i = 0; i < m->n; i++) {
        const double c = hsp__problem_cost(m->p, i);
        hsp__dcd_row *row = &m->rows[i];
        if (i % 1024 == 0) hsp__tick(m->ctx);
        row->a = m->s->dual[i];
        row->step = 0;
        row->cost = c > 0 ? c * hsp__problem_y(m->p, i) : 0;
        row->skip = !(c > 0); /* for ever */
        if (m->z) m->z[i] = HUGE_VAL;
        *given |= row->a != 0;
    }
    dcd_offset_start(m);
    if (!*given) return HSP_OK;
    HSP__TRY(dcd_feasible(m, m->w, NULL));
    for (uint64_t i = 0; i < m->n; i++) {
        const double c = fabs(m->rows[i].cost), a = m->rows[i].a = m->a[i];
        m->t += m->ay[i];
        if (m->z) m->z[i] = hsp__logistic_margin_of(a, c);
        if (c > 0) m->conjugate += m->z ? dcd_entropy(m->z[i], c) : m->p->loss->conjugate(a, c);
    }
    m->offset.b = m->s->b;
    dcd_offset_hold(m, m->s->b);
    return HSP_OK;
}

static int dcd_suits(const hsp__problem *p)
{
    return !p->hard && p->penalty == HSP__PENALTY_L2;
}

/* The gap falls by about the same factor in every pass. So how many more would it take? Marks are made
 * after 3, 6, 12 ... passes; if at one of them the number is large, hand on. */
static void dcd_hand_on(hsp__dcd *m, double wanted)
{
    hsp__dcd_progress *now = &m->progress;
    hsp__solution *s = m->s;
    if (s->passes < DCD_MARK || s->passes < 2 * now->mark) return;
    const double fall = log(now->mark_gap / now->gap) / (double)(s->passes - now->mark);
    const double left = fall > 0 ? fmin(log(now->gap / wanted) / fall, 1e9) : 1e9;
    const int first = now->mark == 0, wide = m->d / DCD_WIDE > m->n;
    now->mark = s->passes, now->mark_gap = now->gap;
    if (first || m->stop || !m->goal->may_hand_on || !(wanted > 0)) return;
    if (!hsp__loss_is_smooth(m->p->loss) && m->d > m->n) return;
    if (!(left > (!hsp__loss_is_smooth(m->p->loss) ? DCD_LONG_HINGE
                  : wide                           ? DCD_LONG_WIDE
                                                   : DCD_LONG)))
        return;
    m->stop = 1, s->stop = HSP_STOP_PASSES;
    s->slow = (uint64_t)left;
}

hsp_status hsp__dcd_due(hsp__dcd *m, double square, int *due)
{
    const hsp__goal *goal = m->goal;
    hsp__solution *s = m->s;
    const double gap = dcd_expected_gap(m) * m->progress.calibration;
    /* the dual objective, as the passes add it up */
    const double own = m->p->offset == HSP__OFFSET_REGULARIZED ? m->t * m->t : 0;
    const double dual = m->conjugate - (square + own) / 2;
    const double primal = dual + gap, wanted = fmax(goal->gap, 0) * primal;
    const double part = gap >= 0 && primal > 0 ? fmin(gap / primal, 1) : (double)NAN;
    if (goal->max_passes && s->passes >= goal->max_passes) m->stop = 1, s->stop = HSP_STOP_PASSES;
    if (hsp__watch_gap(goal->watch, goal->report, "passes", s->passes, part, goal->gap, &s->stop))
        return HSP_CANCELLED;
    dcd_hand_on(m, fmax(goal->gap, 0) * (dual > 0 ? dual : primal));
    if (!m->stop) m->skip_threshold = DCD_SKIP * fmin(wanted, gap) / (double)(m->n + 1);
    *due = m->stop || m->progress.idle >= DCD_IDLE || !(gap > wanted);
    return HSP_OK;
}

hsp_status hsp__dcd_check(hsp__dcd *m)
{
    HSP__TRY(dcd_compute_gap(m));
    /* Numbers end somewhere: a goal below what rounding allows is never reached. */
    if (m->progress.stalls >= DCD_STALLS) m->stop = 1, m->s->stop = HSP_STOP_PASSES;
    if (m->s->gap <= m->goal->gap) m->stop = 1, m->s->stop = HSP_STOP_CONVERGED;
    return HSP_OK;
}

hsp_status hsp__dcd_run(hsp__dcd *m, int check)
{
    for (; !m->stop; check = 0) {
        if (!check) {
            HSP__TRY(hsp__checkpoint_save(m->ctx, m->goal->place, hsp__dcd_state, m, m->err));
            hsp__dcd_order(m, &m->random, m->bundles);
            if (m->parallel > 1) {
                dcd_pass_parallel(m);
            } else {
                hsp__dcd_sweep sweep = {0};
                if (!hsp__tick(m->ctx)) {
                    sweep = hsp__dcd_sweep_begin(m, hsp__random_bits(&m->random));
                    dcd_sweep_rows(&sweep);
                }
                hsp__dcd_sweep_end(m, &sweep);
            }
            if (m->goal->log) HSP__TRY(dcd_note(m));
            HSP__TRY(hsp__dcd_due(m, hsp__vec()->sqnorm_f64(m->w, (size_t)m->d), &check));
        }
        if (check) HSP__TRY(hsp__dcd_check(m));
    }
    return HSP_OK;
}

hsp_status hsp__dcd_end(hsp__dcd *m, int consistent, hsp_status status)
{
    hsp__solution *s = m->s;
    if (status == HSP_CANCELLED) {
        hsp__stop brief;
        hsp_context *ctx = m->ctx, last = hsp__stop_grace(&brief, ctx);
        hsp__watch_stopped(ctx, &s->stop);
        m->ctx = &last;
        if (consistent) status = dcd_compute_gap(m);
        m->ctx = ctx;
    }
    if (status == HSP_CANCELLED) {
        status = HSP_OK;
        if (!isfinite(s->primal)) {
            if (consistent) memcpy(s->w, m->w, (size_t)m->d * sizeof *s->w);
            if (consistent) s->b = hsp__dcd_b(m);
            hsp__solution_unknown(m->p, s);
        }
    }
    return status;
}

static hsp_status dcd_solve(hsp_context *ctx, const hsp__problem *p, const hsp__goal *goal,
                            hsp_error *err, hsp__solution *s)
{
    assert(dcd_suits(p) && p->view->labels && s->dual);
    hsp__dcd m = hsp__dcd_new(ctx, p, goal, err, s);
    int given = 0; /* dual coefficients, which are checked first */
    hsp_status status = hsp__dcd_reserve(&m);
    if (!status) status = hsp__dcd_start(&m, 0, &given);
    const int consistent = !status;
    int found = 0;
    if (!status) status = hsp__checkpoint_load(ctx, goal->place, hsp__dcd_state, &m, err, &found);
    if (!status) status = hsp__dcd_run(&m, given && !found);
    status = hsp__dcd_end(&m, consistent, status);
    hsp__scratch_free(&m.scratch);
    return status;
}

const hsp__solver hsp__solver_dcd = {
    .name = "dcd",
    .summary = "dual coordinate descent, for sparse and wide data",
    .suits = dcd_suits,
    .solve = dcd_solve,
};
