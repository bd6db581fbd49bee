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
#include "base/random.h"
#include "learn/erm/gap.h"
#include "learn/erm/matvec.h"
#include "learn/erm/solvers.h"
#include "vec/vec.h"

enum { DCD_PARALLEL = 2 }; /* sweeps at the same time */

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

#define DCD_INLINE       static inline __attribute__((always_inline))
#define DCD_MOST_SKIPPED 8    /* sweeps */
#define DCD_LINE         64   /* bytes of a cache line */
#define DCD_SERIES       0.25 /* logistic: margins this near to each other, where a series will do */
#define DCD_SLOPE_LEFT   0.1  /* an update ends where D's slope has fallen to this part, */
#define DCD_TRIES        100  /* or after this many attempts */
#define DCD_TICK         16   /* bundles between two ticks */

/* ---- Sweeps: one coordinate a_i after another is moved, each with the weights that the update
 * before it left ------------------------------------------------------------------------------- */

/* What an update needs of a row besides its entries. */
typedef struct dcd_row {
    double a;       /* the dual coefficient */
    double step;    /* what the last update added to it */
    double sqnorm;  /* ||x||^2 */
    double cost;    /* c of a positive row, -c of a negative one; 0: never updated */
    uint64_t from;  /* first entry, in indices and values (dense: in values) */
    uint32_t count; /* entries */
    uint32_t skip;  /* sweeps to skip: a is at a bound, and the slope of D is far from leaving it */
} dcd_row;

/* Rows are visited in bundles of neighbours: the bundles in random order, so that updates are
 * spread over the data, and the rows of one together, so that memory is read in long stretches. */
enum { DCD_BUNDLE = 16 };

/* A run of updates by one thread. */
typedef struct dcd_sweep {
    hsp_context *ctx; /* that may stop it (base/stop.h); NULL: the sweep is made to its end */
    const hsp_view *view;
    const hsp__loss *loss;
    dcd_row *rows; /* view->rows */
    double *z; /* likewise; logistic: a = c / (1 + exp(z)), so that a and c - a keep their digits
                  near the bounds; a = 0 is infinity, a = c minus that */
    const uint64_t *bundles;
    uint64_t from, to; /* bundles[from] .. bundles[to - 1] are visited */
    uint64_t seed;     /* of the order within bundles */
    double
        shrink_threshold;  /* a row at a bound with a larger |slope of D| is skipped for a while */
    double skip_threshold; /* logistic: a row that adds no more than this to the gap stays as is */
    double *w;             /* cols: the weights that updates see and change */
    double b, b_slope;     /* the offset they see, and what a unit of sum a y adds to it */
    double relaxation;     /* a goes this many times the way to the maximum of D, below 2 */
    /* out */
    double t;         /* change of sum a y */
    double conjugate; /* change of sum e(a) */
    double curvature; /* sum of step^2 times the least |e''(a)|: 1 / (2 c) for the squared hinge,
                         4 / c for the logistic loss */
    double gap;       /* sum over rows of c loss(m) - e(a) + a m, as the updates found them */
    double slopes;    /* sum of |slope of D| over updates that changed a */
    uint64_t updates; /* rows whose a changed */
} dcd_sweep;

typedef enum dcd_kind { DCD_DENSE32, DCD_DENSE64, DCD_SPARSE32, DCD_SPARSE64, DCD_ONES } dcd_kind;

DCD_INLINE double dcd_dot(const hsp__vec_table *vec, dcd_kind kind, const hsp_view *view,
                          const dcd_row *row, const double *w)
{
    /* rows of ones have no values, dense rows no indices */
    const float *single = kind == DCD_ONES ? NULL : (const float *)view->values + row->from;
    const double *full = kind == DCD_ONES ? NULL : (const double *)view->values + row->from;
    const uint32_t *at = kind <= DCD_DENSE64 ? NULL : view->indices + row->from;
    return kind == DCD_DENSE32    ? vec->dot_f32f64(single, w, row->count)
           : kind == DCD_DENSE64  ? vec->dot_f64(full, w, row->count)
           : kind == DCD_SPARSE32 ? vec->sparse_dot_f32f64(at, single, row->count, w)
           : kind == DCD_SPARSE64 ? vec->sparse_dot_f64(at, full, row->count, w)
                                  : vec->ones_dot_f64(at, row->count, w);
}

DCD_INLINE void dcd_axpy(const hsp__vec_table *vec, dcd_kind kind, const hsp_view *view,
                         const dcd_row *row, double step, double *w)
{
    /* rows of ones have no values, dense rows no indices */
    const float *single = kind == DCD_ONES ? NULL : (const float *)view->values + row->from;
    const double *full = kind == DCD_ONES ? NULL : (const double *)view->values + row->from;
    const uint32_t *at = kind <= DCD_DENSE64 ? NULL : view->indices + row->from;
    if (kind == DCD_DENSE32)
        vec->axpy_f32f64(step, single, w, row->count);
    else if (kind == DCD_DENSE64)
        vec->axpy_f64(step, full, w, row->count);
    else if (kind == DCD_SPARSE32)
        vec->sparse_axpy_f32f64(step, at, single, row->count, w);
    else if (kind == DCD_SPARSE64)
        vec->sparse_axpy_f64(step, at, full, row->count, w);
    else
        vec->ones_axpy_f64(step, at, row->count, w);
}

DCD_INLINE void dcd_prefetch(const void *memory, size_t bytes)
{
    for (size_t k = 0; k < bytes; k += DCD_LINE)
        __builtin_prefetch((const char *)memory + k);
}

/* Ask for the entries of a row to come: rows lie anywhere in memory. */
DCD_INLINE void dcd_prefetch_row(dcd_kind kind, const hsp_view *view, const dcd_row *row)
{
    const size_t bytes = kind == DCD_DENSE32 || kind == DCD_SPARSE32 ? sizeof(float)
                         : kind == DCD_ONES                          ? 0
                                                                     : sizeof(double);
    if (kind != DCD_DENSE32 && kind != DCD_DENSE64)
        dcd_prefetch(view->indices + row->from, row->count * sizeof *view->indices);
    if (bytes) dcd_prefetch((const char *)view->values + row->from * bytes, row->count * bytes);
}

/* Give a row the coefficient `next`; w, b and the sums follow. */
DCD_INLINE void dcd_move(dcd_sweep *s, const hsp__vec_table *vec, dcd_kind kind, dcd_row *row,
                         double y, double next)
{
    const double step = next - row->a, ay = y * step;
    row->step = step;
    row->a = next;
    s->b += s->b_slope * ay;
    s->t += ay;
    s->updates++;
    dcd_axpy(vec, kind, s->view, row, ay, s->w);
}

/* Hinge and squared hinge: D as a function of this row's a alone is a parabola. Go to its maximum,
 * or to the bound of the box that comes first. */
DCD_INLINE void dcd_update(dcd_sweep *s, const hsp__vec_table *vec, dcd_kind kind, int squared,
                           dcd_row *row)
{
    const double c = fabs(row->cost), y = row->cost > 0 ? 1 : -1, a = row->a;
    const double bend = squared ? 1 / (2 * c) : 0;
    const double slack = 1 - y * (dcd_dot(vec, kind, s->view, row, s->w) + s->b); /* 1 - m */
    const double slope = slack - a * bend;                                        /* of D */
    const double curvature = row->sqnorm + s->b_slope + bend;
    double next = curvature > 0 ? a + s->relaxation * (slope / curvature) : slope > 0 ? c : 0;
    if (!(next > 0)) next = 0;
    if (!squared && next > c) next = c;
    const double step = next - a;
    if (squared)
        s->gap += slack > 0 ? c * (slope * slope) : a * (a * bend / 2 - slack);
    else
        s->gap += slack > 0 ? (c - a) * slack : -a * slack;
    if (step == 0) {
        row->step = 0;
        if (fabs(slope) > s->shrink_threshold)
            row->skip = (uint32_t)fmin(fabs(slope) / s->shrink_threshold, DCD_MOST_SKIPPED);
        return;
    }
    s->conjugate += step;
    if (squared) {
        s->conjugate -= (next + a) * step * (bend / 2);
        s->curvature += step * step * bend;
    }
    s->slopes += fabs(slope);
    dcd_move(s, vec, kind, row, y, next);
}

/* ---- Logistic -------------------------------------------------------------------------------- */

/* e(a) = c loss(z) + a z. */
static double dcd_entropy(double z, double c)
{
    const double size = fabs(z), least = exp(-size);
    return size < HUGE_VAL ? c * (log1p(least) + size * least / (1 + least)) : 0;
}

/* D is largest in this row's a where z = m + q (c / (1 + exp(z)) - a). The difference of the sides
 * rises with z and is zero between m - q a and m + q (c - a): Newton's steps within these bounds,
 * until the slope of D is a tenth of what it was, or of 1 (then a step that goes too far never
 * loses what it gained: e'' changes by no more than a small factor over a unit of z). *next is the a
 * of the z that is returned. */
DCD_INLINE double dcd_logistic_maximum(double m, double q, double a, double z, double c,
                                       double *next)
{
    const double enough = DCD_SLOPE_LEFT * fmin(fabs(z - m), 1);
    double low = m - q * a, high = m + q * (c - a);
    if (!(z > low)) z = low;
    if (!(z < high)) z = high;
    for (int step = 0;; step++) {
        const double small = exp(-fabs(z)), part = 1 / (1 + small);
        *next = c * (z > 0 ? small * part : part);
        const double slope = z - m - q * (*next - a); /* of D, there */
        if (!(fabs(slope) > enough) || step == DCD_TRIES) return z;
        if (slope > 0)
            high = z;
        else
            low = z;
        double to = z - slope / (1 + q * c * (small * part) * part);
        if (!(to > low && to < high)) to = low + (high - low) / 2;
        if (to == z) return z;
        z = to;
    }
}

/* A row whose part of the gap is below the threshold stays as it is: that saves half the cost. */
DCD_INLINE void dcd_update_logistic(dcd_sweep *s, const hsp__vec_table *vec, dcd_kind kind,
                                    dcd_row *row, double *z)
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
    *z = dcd_logistic_maximum(m, row->sqnorm + s->b_slope, a, was, c, &next);
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
    const double enough = DCD_SLOPE_LEFT * fmin(fabs(loss->margin_of(a, c) - m), 1);
    for (int step = 0; step < DCD_TRIES; step++) {
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

static void dcd_update_smooth(dcd_sweep *s, const hsp__loss *loss, const hsp__vec_table *vec,
                              dcd_kind kind, dcd_row *row)
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

DCD_INLINE void dcd_updates(hsp__loss_form form, const hsp__loss *loss, dcd_sweep *sweep,
                            dcd_kind kind)
{
    const hsp__vec_table *vec = hsp__vec();
    dcd_sweep s = *sweep;
    const uint64_t rows = s.view->rows;
    for (uint64_t k = s.from; k < s.to; k++) {
        if (s.ctx && k % DCD_TICK == 0 && hsp__tick(s.ctx)) break;
        const uint64_t first = s.bundles[k] * DCD_BUNDLE;
        const uint64_t after = k + 1 < s.to ? s.bundles[k + 1] * DCD_BUNDLE : rows;
        uint64_t mix = s.seed + first; /* a number that looks random (the finisher of splitmix64) */
        mix = (mix ^ (mix >> 30)) * 0xbf58476d1ce4e5b9u;
        mix = (mix ^ (mix >> 27)) * 0x94d049bb133111ebu;
        mix ^= mix >> 31;
        for (uint64_t j = 0; j < DCD_BUNDLE; j++) {
            const uint64_t here = (j * (mix | 1) + (mix >> 32)) % DCD_BUNDLE;
            if (after + here < rows && !s.rows[after + here].skip)
                dcd_prefetch_row(kind, s.view, s.rows + after + here);
            if (first + here >= rows) continue;
            dcd_row *row = s.rows + first + here;
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
static void dcd_sweep_rows(dcd_sweep *s)
{
    assert(s->from <= s->to && s->relaxation > 0 && s->relaxation < 2);
    assert((s->z != NULL) == (s->loss->form == HSP__LOGISTIC));
    const int single = s->view->precision == HSP_FLOAT32;
    if (s->view->storage == HSP_DENSE && single)
        HSP__BY_LOSS(s->loss, dcd_updates, s, DCD_DENSE32)
    else if (s->view->storage == HSP_DENSE)
        HSP__BY_LOSS(s->loss, dcd_updates, s, DCD_DENSE64)
    else if (!s->view->values)
        HSP__BY_LOSS(s->loss, dcd_updates, s, DCD_ONES)
    else if (single)
        HSP__BY_LOSS(s->loss, dcd_updates, s, DCD_SPARSE32)
    else
        HSP__BY_LOSS(s->loss, dcd_updates, s, DCD_SPARSE64)
}

/* ---- The state -------------------------------------------------------------------------------- */

/* b = base + slope t, t = sum a y. */
typedef struct dcd_offset {
    double base, slope;
    double slope_limit; /* a slope that hinders updates little */
    double balance;     /* regularized, logistic: how far checks bring sum a y to b, 0 .. 1 */
    double b;           /* after the last pass */
    double residual;    /* what dcd_residual was then */
} dcd_offset;

/* What passes and checks have seen of the gap. */
typedef struct dcd_progress {
    double gap;         /* the estimate of P - D from the last pass */
    double reduction;   /* that, relative to the pass before */
    double calibration; /* P - D of the last check, relative to what was expected */
    double least;       /* the least estimate so far, */
    uint64_t idle;      /* passes since then, or since the last check */
    uint64_t stalls;    /* checks without progress where little more is left than rounding */
} dcd_progress;

typedef struct dcd {
    hsp_context *ctx;
    const hsp__problem *p;
    const hsp__goal *goal;
    hsp_error *err;
    hsp__solution *s;
    hsp__scratch scratch;
    hsp__random random;
    uint64_t n, d;
    /* The state: */
    dcd_row *rows;       /* n */
    double *z;           /* n: dcd_sweep; NULL: not the logistic loss */
    double *w;           /* d: sum a y x */
    double t, conjugate; /* sum a y, sum e(a) */

    dcd_offset offset;
    dcd_progress progress;
    /* Passes: */
    uint64_t *bundles; /* count: in the order of visits */
    uint64_t count;
    uint64_t parallel, rounds;    /* sweeps at the same time, and how often per pass */
    double *copies[DCD_PARALLEL]; /* d each: the w of parallel sweeps; NULL: there are none */
    double mean_step;             /* of the last pass's rounds */
    double shrink_threshold, skip_threshold; /* as in dcd_sweep */
    /* Checks: */
    double *a, *ay, *scores; /* n: feasible a, a y, and scores without b */
    double *u;               /* d: sum a y x of that a; and the sum of changes of a round */
} dcd;

/* ---- The offset ------------------------------------------------------------------------------ */

static double dcd_b(const dcd *m)
{
    return m->offset.base + m->offset.slope * m->t;
}

/* Keep b near `b` from now on. For a regularized offset slope = 1 / (1 + rho). */
static void dcd_offset_hold(dcd *m, double b)
{
    if (m->p->offset == HSP__OFFSET_FREE) m->offset.base = b;
    if (m->p->offset == HSP__OFFSET_REGULARIZED) m->offset.base = (1 - m->offset.slope) * b;
}

static void dcd_offset_start(dcd *m)
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
static double dcd_residual(const dcd *m)
{
    if (m->p->offset == HSP__OFFSET_NONE) return 0;
    return m->p->offset == HSP__OFFSET_FREE ? m->t : m->t - dcd_b(m);
}

/* What that adds to P - D, about: for a free offset, the next pass moves b by the residual times
 * slope. */
static double dcd_residual_cost(const dcd *m)
{
    const double residual = dcd_residual(m);
    return residual * residual *
           (m->p->offset == HSP__OFFSET_FREE ? m->offset.slope : 0.5 - 0.5 * m->offset.balance);
}

/* After a pass: keep b near its new value, and halve rho if the residual did not halve: up to the
 * slope limit, or, where the residual is most of what is left of the gap, without that limit. */
static void dcd_offset_next(dcd *m)
{
    const double b = dcd_b(m), residual = fabs(dcd_residual(m));
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
static void dcd_combine(dcd *m, const dcd_sweep *sweeps)
{
    const hsp__vec_table *vec = hsp__vec();
    const size_t d = (size_t)m->d;
    const double *one = m->copies[0], *two = m->copies[1];
    double conjugate = 0, curvature = 0, t = 0;
    for (size_t j = 0; j < d; j++)
        m->u[j] = (one[j] - m->w[j]) + (two[j] - m->w[j]);
    for (int k = 0; k < DCD_PARALLEL; k++)
        conjugate += sweeps[k].conjugate, curvature += sweeps[k].curvature, t += sweeps[k].t;
    const double slope = conjugate + curvature / 2 - vec->dot_f64(m->u, m->w, d) - dcd_b(m) * t;
    const double bend = vec->sqnorm_f64(m->u, d) + m->offset.slope * t * t + curvature;
    double step = bend > 0 ? slope / bend : 1;
    m->mean_step += fmin(step, 1) / (double)m->rounds;
    step = step > DCD_STEP_WHOLE ? 1 : step > 0 ? step : 0;
    vec->axpy_f64(step, m->u, m->w, d);
    m->t += step * t;
    m->conjugate += step * (conjugate + curvature / 2) - step * step * curvature / 2;
    /* the sweeps of a round are neighbours */
    for (uint64_t k = sweeps[0].from; step < 1 && k < sweeps[DCD_PARALLEL - 1].to; k++) {
        const uint64_t first = m->bundles[k] * DCD_BUNDLE;
        for (uint64_t i = first; i < first + DCD_BUNDLE && i < m->n; i++) {
            if (m->rows[i].step == 0) continue;
            m->rows[i].a -= (1 - step) * m->rows[i].step;
            if (m->z) m->z[i] = hsp__logistic_margin_of(m->rows[i].a, fabs(m->rows[i].cost));
        }
    }
}

typedef struct dcd_round {
    const dcd *m;
    dcd_sweep sweeps[DCD_PARALLEL];
} dcd_round;

static void dcd_run(void *user, uint64_t k)
{
    dcd_round *round = user;
    memcpy(round->sweeps[k].w, round->m->w, (size_t)round->m->d * sizeof(double));
    dcd_sweep_rows(&round->sweeps[k]);
}

static void dcd_pass(dcd *m)
{
    const int alone = m->parallel == 1;
    const uint64_t parts = m->parallel * m->rounds;
    double gap = 0, slopes = 0;
    uint64_t updates = 0;
    m->mean_step = 0;
    hsp__random_shuffle(&m->random, m->bundles, m->count);
    for (uint64_t part = 0; part < parts && !hsp__tick(m->ctx); part += m->parallel) {
        dcd_round work = {.m = m};
        for (uint64_t k = 0; k < m->parallel; k++)
            work.sweeps[k] = (dcd_sweep){.ctx = alone ? m->ctx : NULL,
                                         .view = m->p->view,
                                         .loss = m->p->loss,
                                         .rows = m->rows,
                                         .z = m->z,
                                         .bundles = m->bundles,
                                         .from = hsp__part(m->count, parts, part + k),
                                         .to = hsp__part(m->count, parts, part + k + 1),
                                         .seed = hsp__random_bits(&m->random),
                                         .shrink_threshold = m->shrink_threshold,
                                         .skip_threshold = m->skip_threshold,
                                         .w = alone ? m->w : m->copies[k],
                                         .b = dcd_b(m),
                                         .b_slope = m->offset.slope,
                                         .relaxation = alone ? DCD_RELAXATION : 1};
        if (alone) {
            dcd_sweep_rows(&work.sweeps[0]);
            m->t += work.sweeps[0].t, m->conjugate += work.sweeps[0].conjugate;
        } else {
            hsp__tasks_run(m->ctx, m->parallel, dcd_run, &work);
            dcd_combine(m, work.sweeps);
        }
        for (uint64_t k = 0; k < m->parallel; k++) {
            gap += work.sweeps[k].gap, slopes += work.sweeps[k].slopes;
            updates += work.sweeps[k].updates;
        }
    }
    if (!alone && m->mean_step < DCD_STEP_POOR) m->parallel = m->rounds = 1;
    gap += dcd_residual_cost(m);
    assert(m->offset.slope >= 0);
    m->progress.reduction = m->progress.gap > 0 ? fmin(gap / m->progress.gap, 1) : 1;
    m->progress.gap = gap;
    m->progress.idle = gap < m->progress.least ? 0 : m->progress.idle + 1;
    m->progress.least = fmin(gap, m->progress.least);
    m->shrink_threshold = updates ? DCD_SHRINK * slopes / (double)updates : HUGE_VAL;
    m->s->passes++;
    m->s->updates += updates;
    dcd_offset_next(m);
}

/* ---- Checks ---------------------------------------------------------------------------------- */

/* P - D as it may be now: updates saw it on average half a pass ago. */
static double dcd_expected_gap(const dcd *m)
{
    return m->progress.gap * sqrt(m->progress.reduction);
}

/* Take a from the rows, make it feasible, and w = sum a y x of it; with `scores` also those of
 * m->w, since the rows are at hand. */
static hsp_status dcd_feasible(dcd *m, double *w, double *scores)
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
static hsp_status dcd_primal(dcd *m, const double *w, double *b, double *primal)
{
    *b = dcd_b(m);
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
    *primal = hsp__gap_primal(m->ctx, m->p, w, *b, m->scores);
    return hsp__stop_status(m->ctx, m->err);
}

/* Compute P and D. With a free offset (and a regularized one, logistic: dcd_feasible) the rows' a
 * becomes feasible by a small change that may move w = sum a y x far in the direction that all rows
 * share. So P is computed for w as it is, and for the w of the feasible a only at the end. */
static hsp_status dcd_check(dcd *m)
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
    hsp__solution_keep(m->p, differs ? m->w : m->u, b, m->a, primal, dual, s);
    for (uint64_t i = 0; i < m->n; i++) { /* rows that are skipped and should not be */
        dcd_row *row = &m->rows[i];
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
    hsp__matvec_scores(m->ctx, m->p->view, m->u, 0, m->scores);
    HSP__TRY(dcd_primal(m, m->u, &b, &primal));
    if (primal - dual <= m->goal->gap * primal) {
        s->gap = s->primal = HUGE_VAL, s->dual_value = -HUGE_VAL;
        hsp__solution_keep(m->p, m->u, b, m->a, primal, dual, s);
    }
    return HSP_OK;
}

/* The values of w and a after this pass, in the log of passes: of copies, so that the run is the same
 * without it. */
static hsp_status dcd_note(dcd *m)
{
    hsp__scratch scratch = {.memory = &m->ctx->allocator};
    double *a = hsp__scratch_raw(&scratch, m->n, sizeof *a), b = dcd_b(m);
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

/* Memory, the rows as sweeps need them, and the dual weights that were given. */
static hsp_status dcd_start(dcd *m, int *given)
{
    const hsp_view *view = m->p->view;
    hsp__scratch *scratch = &m->scratch;
    const double stored = (double)hsp_view_stored(view);
    const double rounds = fmin(stored / DCD_ROUND_STORED, stored / (DCD_ROUND_COLS * (double)m->d));
    /* More than two classes are several problems, which have their own threads. */
    const int many = rounds >= 8 && view->classes == 2;
    m->parallel = many ? DCD_PARALLEL : 1;
    m->rounds = many ? (uint64_t)fmin(rounds, DCD_ROUNDS_MOST) : 1;
    m->count = (m->n + DCD_BUNDLE - 1) / DCD_BUNDLE;
    m->rows = hsp__scratch_raw(scratch, m->n, sizeof *m->rows);
    m->bundles = hsp__scratch_raw(scratch, m->count, sizeof *m->bundles);
    m->w = hsp__scratch_new(scratch, m->d, sizeof *m->w);
    m->u = hsp__scratch_raw(scratch, m->d, sizeof *m->u);
    m->a = hsp__scratch_raw(scratch, m->n, sizeof *m->a);
    m->ay = hsp__scratch_raw(scratch, m->n, sizeof *m->ay);
    m->scores = hsp__scratch_raw(scratch, m->n, sizeof *m->scores);
    if (m->p->loss->form == HSP__LOGISTIC) m->z = hsp__scratch_raw(scratch, m->n, sizeof *m->z);
    for (int k = 0; many && k < DCD_PARALLEL; k++)
        m->copies[k] = hsp__scratch_raw(scratch, m->d, sizeof *m->w);
    if (scratch->failed) return hsp__fail_memory(m->err);
    for (uint64_t i = 0; i < m->count; i++)
        m->bundles[i] = i;
    for (uint64_t i = 0; i < m->n; i++) {
        const double c = hsp__problem_cost(m->p, i), a = m->s->dual[i];
        const hsp__row row = hsp__view_row(view, i);
        if (i % 1024 == 0) hsp__tick(m->ctx); /* what is begun with is whole all the same */
        m->rows[i] = (dcd_row){.a = a,
                               .cost = c > 0 ? c * hsp__problem_y(m->p, i) : 0,
                               .skip = !(c > 0), /* for ever */
                               .count = (uint32_t)row.count,
                               .from = view->storage == HSP_DENSE ? i * view->stride
                                                                  : hsp__view_start(view, i),
                               .sqnorm = hsp__matvec_sqnorm(view, &row)};
        if (m->z) m->z[i] = HUGE_VAL;
        *given |= a != 0;
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

/* Passes, and checks when they are due. */
static hsp_status dcd_solve(hsp_context *ctx, const hsp__problem *p, const hsp__goal *goal,
                            hsp_error *err, hsp__solution *s)
{
    assert(dcd_suits(p) && p->view->labels && s->dual);
    dcd m = {.ctx = ctx,
             .p = p,
             .goal = goal,
             .err = err,
             .s = s,
             .scratch.memory = &ctx->allocator,
             .n = p->view->rows,
             .d = p->view->cols,
             .shrink_threshold = HUGE_VAL,
             .progress = {.least = HUGE_VAL, .calibration = 1}};
    int check = 0, stop = 0; /* given dual weights are checked first */
    hsp__solution_begin(s);
    hsp__random_seed(&m.random, goal->seed, 0);
    hsp_status status = dcd_start(&m, &check);
    const int consistent = !status; /* m.w and the rows' a belong together */
    for (; !status && !stop; check = 0) {
        if (!check) {
            dcd_pass(&m);
            if (goal->log && (status = dcd_note(&m))) break;
            const double gap = dcd_expected_gap(&m) * m.progress.calibration;
            /* the dual objective, as the passes add it up */
            const double own = p->offset == HSP__OFFSET_REGULARIZED ? m.t * m.t : 0;
            const double dual = m.conjugate - (hsp__vec()->sqnorm_f64(m.w, (size_t)m.d) + own) / 2;
            const double primal = dual + gap, wanted = fmax(goal->gap, 0) * primal;
            const double part = gap >= 0 && primal > 0 ? fmin(gap / primal, 1) : (double)NAN;
            if (goal->max_passes && s->passes >= goal->max_passes)
                stop = 1, s->stop = HSP_STOP_PASSES;
            if (hsp__watch_gap(goal->watch, goal->report, "passes", s->passes, part, goal->gap,
                               &s->stop)) {
                status = HSP_CANCELLED;
                break;
            }
            if (!stop) m.skip_threshold = DCD_SKIP * fmin(wanted, gap) / (double)(m.n + 1);
            if (!stop && m.progress.idle < DCD_IDLE && gap > wanted) continue;
        }
        if ((status = dcd_check(&m))) break;
        /* Numbers end somewhere: a goal below what rounding allows is never reached. */
        if (m.progress.stalls >= DCD_STALLS) stop = 1, s->stop = HSP_STOP_PASSES;
        if (s->gap <= goal->gap) stop = 1, s->stop = HSP_STOP_CONVERGED;
    }
    if (status == HSP_CANCELLED) { /* check the rows' a and m.w once more if there is time */
        hsp__stop brief;
        hsp_context last = hsp__stop_grace(&brief, ctx);
        hsp__watch_stopped(ctx, &s->stop);
        m.ctx = &last;
        if (consistent) status = dcd_check(&m);
        m.ctx = ctx;
    }
    if (status == HSP_CANCELLED) {
        status = HSP_OK;
        if (!isfinite(s->primal)) {
            if (consistent) memcpy(s->w, m.w, (size_t)m.d * sizeof *s->w);
            if (consistent) s->b = dcd_b(&m);
            hsp__solution_unknown(p, s);
        }
    }
    hsp__scratch_free(&m.scratch);
    return status;
}

const hsp__solver hsp__solver_dcd = {
    .name = "dcd",
    .summary = "dual coordinate descent, for sparse and wide data",
    .suits = dcd_suits,
    .solve = dcd_solve,
};
