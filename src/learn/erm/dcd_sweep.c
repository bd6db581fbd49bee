#include "learn/erm/dcd_sweep.h"

#include <assert.h>
#include <math.h>

#include "base/stop.h"
#include "data/data.h"
#include "vec/vec.h"

#define DCD_INLINE       static inline __attribute__((always_inline))
#define DCD_MOST_SKIPPED 8    /* sweeps */
#define DCD_LINE         64   /* bytes of a cache line */
#define DCD_SERIES       0.25 /* logistic: margins this near to each other, where a series will do */
#define DCD_SLOPE_LEFT   0.1  /* an update ends where D's slope has fallen to this part, */
#define DCD_TRIES        100  /* or after this many attempts */
#define DCD_TICK         16   /* bundles between two ticks */

typedef enum dcd_kind { DCD_DENSE32, DCD_DENSE64, DCD_SPARSE32, DCD_SPARSE64, DCD_ONES } dcd_kind;

DCD_INLINE double dcd_dot(const hsp__vec_table *vec, dcd_kind kind, const hsp_view *view,
                          const dcd_row *row, const double *w)
{
    const float *single = view->values;
    const double *full = view->values;
    const uint32_t *at = view->indices;
    const uint64_t from = row->from;
    switch (kind) {
    case DCD_DENSE32:
        return vec->dot_f32f64(single + from, w, row->count);
    case DCD_DENSE64:
        return vec->dot_f64(full + from, w, row->count);
    case DCD_SPARSE32:
        return vec->sparse_dot_f32f64(at + from, single + from, row->count, w);
    case DCD_SPARSE64:
        return vec->sparse_dot_f64(at + from, full + from, row->count, w);
    case DCD_ONES:
        break;
    }
    return vec->ones_dot_f64(at + from, row->count, w);
}

DCD_INLINE void dcd_axpy(const hsp__vec_table *vec, dcd_kind kind, const hsp_view *view,
                         const dcd_row *row, double step, double *w)
{
    const float *single = view->values;
    const double *full = view->values;
    const uint32_t *at = view->indices;
    const uint64_t from = row->from;
    switch (kind) {
    case DCD_DENSE32:
        vec->axpy_f32f64(step, single + from, w, row->count);
        return;
    case DCD_DENSE64:
        vec->axpy_f64(step, full + from, w, row->count);
        return;
    case DCD_SPARSE32:
        vec->sparse_axpy_f32f64(step, at + from, single + from, row->count, w);
        return;
    case DCD_SPARSE64:
        vec->sparse_axpy_f64(step, at + from, full + from, row->count, w);
        return;
    case DCD_ONES:
        vec->ones_axpy_f64(step, at + from, row->count, w);
    }
}

/* A number that looks random, made from another (the finisher of splitmix64). */
DCD_INLINE uint64_t dcd_mix(uint64_t x)
{
    x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9u;
    x = (x ^ (x >> 27)) * 0x94d049bb133111ebu;
    return x ^ (x >> 31);
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
double hsp__dcd_entropy(double z, double c)
{
    const double size = fabs(z), least = exp(-size);
    return size < HUGE_VAL ? c * (log1p(least) + size * least / (1 + least)) : 0;
}

/* c loss(m) - e(a) + a m: by how much the loss at m lies above its tangent at z. */
DCD_INLINE double dcd_logistic_gap(double m, double z, double a, double c)
{
    const double way = m - z, p = a / c;
    if (fabs(way) < DCD_SERIES) return a * (1 - p) * way * way * (0.5 - way * (1 - 2 * p) / 6);
    return fmax(c * hsp__logistic_value(m, 1 - m) - hsp__dcd_entropy(z, c) + a * m, 0);
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
    const double gap = dcd_logistic_gap(m, was, a, c);
    double next;
    s->gap += gap;
    row->step = 0;
    if (gap <= s->skip_threshold) return;
    *z = dcd_logistic_maximum(m, row->sqnorm + s->b_slope, a, was, c, &next);
    const double step = next - a;
    if (step == 0) return;
    dcd_move(s, vec, kind, row, y, next);
    s->conjugate += fabs(*z - was) < DCD_SERIES
                        ? (*z + was) / 2 * step
                        : hsp__dcd_entropy(*z, c) - hsp__dcd_entropy(was, c);
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

static void dcd_update_smooth(dcd_sweep *s, const hsp__vec_table *vec, dcd_kind kind, dcd_row *row)
{
    const double c = fabs(row->cost), y = row->cost > 0 ? 1 : -1, a = row->a;
    const double m = y * (dcd_dot(vec, kind, s->view, row, s->w) + s->b);
    const double before = s->loss->conjugate(a, c);
    s->gap += fmax(c * s->loss->value(m, 1 - m) - before + a * m, 0);
    row->step = 0;
    const double next = dcd_smooth_maximum(s->loss, m, row->sqnorm + s->b_slope, a, c);
    if (next == a) return;
    dcd_move(s, vec, kind, row, y, next);
    s->conjugate += s->loss->conjugate(next, c) - before;
}

/* ---- Sweeps ---------------------------------------------------------------------------------- */

DCD_INLINE void dcd_updates(dcd_sweep *sweep, dcd_kind kind, hsp__loss_form form)
{
    const hsp__vec_table *vec = hsp__vec();
    dcd_sweep s = *sweep;
    const uint64_t rows = s.view->rows;
    for (uint64_t k = s.from; k < s.to; k++) {
        if (s.ctx && k % DCD_TICK == 0 && hsp__tick(s.ctx)) break;
        const uint64_t first = s.bundles[k] * DCD_BUNDLE;
        const uint64_t after = k + 1 < s.to ? s.bundles[k + 1] * DCD_BUNDLE : rows;
        const uint64_t mix = dcd_mix(s.seed + first);
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
                dcd_update_smooth(&s, vec, kind, row);
            } else {
                dcd_update(&s, vec, kind, form == HSP__SQUARED_HINGE, row);
            }
        }
    }
    *sweep = s;
}

/* The loop above for each kind of row and loss, which are constants in it. */
DCD_INLINE void dcd_updates_of(dcd_sweep *s, dcd_kind kind)
{
    switch (s->loss->form) {
    case HSP__HINGE:
    case HSP__HARD_MARGIN: /* never: dcd_suits */
        dcd_updates(s, kind, HSP__HINGE);
        break;
    case HSP__SQUARED_HINGE:
        dcd_updates(s, kind, HSP__SQUARED_HINGE);
        break;
    case HSP__LOGISTIC:
        dcd_updates(s, kind, HSP__LOGISTIC);
        break;
    case HSP__SMOOTH:
        dcd_updates(s, kind, HSP__SMOOTH);
    }
}

void hsp__dcd_sweep(dcd_sweep *s)
{
    assert(s->from <= s->to && s->relaxation > 0 && s->relaxation < 2);
    assert((s->z != NULL) == (s->loss->form == HSP__LOGISTIC));
    const int single = s->view->precision == HSP_FLOAT32;
    if (s->view->storage == HSP_DENSE && single)
        dcd_updates_of(s, DCD_DENSE32);
    else if (s->view->storage == HSP_DENSE)
        dcd_updates_of(s, DCD_DENSE64);
    else if (!s->view->values)
        dcd_updates_of(s, DCD_ONES);
    else if (single)
        dcd_updates_of(s, DCD_SPARSE32);
    else
        dcd_updates_of(s, DCD_SPARSE64);
}
