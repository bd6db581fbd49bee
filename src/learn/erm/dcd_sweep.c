#include "learn/erm/dcd_sweep.h"

#include <math.h>

#include "base/stop.h"
#include "data/data.h"
#include "vec/vec.h"

#define DCD_INLINE static inline __attribute__((always_inline))
#define DCD_REST   8    /* sweeps that a row sits out at most */
#define DCD_LINE   64   /* bytes of a cache line */
#define DCD_NEAR   0.25 /* logistic: margins this near to each other, where a series will do */
#define DCD_TOP    0.1  /* a step ends where D's slope has fallen to this part, */
#define DCD_TRIES  100  /* or after so many attempts */
#define DCD_TICK   16   /* bundles between two ticks */

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
DCD_INLINE void dcd_ask(dcd_kind kind, const hsp_view *view, const dcd_row *row)
{
    const size_t bytes = kind == DCD_DENSE32 || kind == DCD_SPARSE32 ? sizeof(float)
                         : kind == DCD_ONES                          ? 0
                                                                     : sizeof(double);
    if (kind != DCD_DENSE32 && kind != DCD_DENSE64)
        dcd_prefetch(view->indices + row->from, row->count * sizeof *view->indices);
    if (bytes) dcd_prefetch((const char *)view->values + row->from * bytes, row->count * bytes);
}

/* The visit: D as a function of this row's a alone is a parabola; to its top, or to the end of the
 * box that is nearer. */
DCD_INLINE void dcd_visit(dcd_sweep *s, const hsp__vec_table *vec, dcd_kind kind, int squared,
                          dcd_row *row)
{
    const double c = fabs(row->cost), y = row->cost > 0 ? 1 : -1, a = row->a;
    const double inverse = squared ? 1 / (2 * c) : 0;
    const double short_of = 1 - y * (dcd_dot(vec, kind, s->view, row, s->w) + s->b); /* 1 - m */
    const double slope = short_of - a * inverse;                                     /* of D */
    const double curve = row->q + s->slope + inverse;
    double next = curve > 0 ? a + s->beyond * (slope / curve) : slope > 0 ? c : 0;
    if (!(next > 0)) next = 0;
    if (!squared && next > c) next = c;
    const double move = next - a;
    row->move = move;
    if (squared)
        s->gap += short_of > 0 ? c * (slope * slope) : a * (a * inverse / 2 - short_of);
    else
        s->gap += short_of > 0 ? (c - a) * short_of : -a * short_of;
    if (move == 0) {
        if (fabs(slope) > s->far) row->rest = (uint32_t)fmin(fabs(slope) / s->far, DCD_REST);
        return;
    }
    dcd_axpy(vec, kind, s->view, row, y * move, s->w);
    row->a = next;
    s->b += s->slope * (y * move);
    s->t += y * move;
    s->gain += move;
    if (squared) {
        s->gain -= (next + a) * move * (inverse / 2);
        s->bend += move * move * inverse;
    }
    s->off += fabs(slope);
    s->updates++;
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
    if (fabs(way) < DCD_NEAR) return a * (1 - p) * way * way * (0.5 - way * (1 - 2 * p) / 6);
    return fmax(c * hsp__logistic_value(m, 1 - m) - hsp__dcd_entropy(z, c) + a * m, 0);
}

/* The top of D in this row's a is where z = m + q (c / (1 + exp(z)) - a). The difference of the
 * sides rises with z and is zero between m - q a and m + q (c - a): Newton's steps within what is
 * left of that, until the slope of D is a tenth of what it was, or of 1 (so that a step too far
 * never loses what it won: e bends no more than a few times as much a unit of z away). *next is the
 * a of the z that is returned. */
DCD_INLINE double dcd_logistic_top(double m, double q, double a, double z, double c, double *next)
{
    const double enough = DCD_TOP * fmin(fabs(z - m), 1);
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

/* As dcd_visit, where D as a function of a is no parabola. A row that has its place within what the
 * goal allows stays there: that saves half the visit. */
DCD_INLINE void dcd_visit_logistic(dcd_sweep *s, const hsp__vec_table *vec, dcd_kind kind,
                                   dcd_row *row, double *z)
{
    const double c = fabs(row->cost), y = row->cost > 0 ? 1 : -1, a = row->a, was = *z;
    const double m = y * (dcd_dot(vec, kind, s->view, row, s->w) + s->b);
    const double gap = dcd_logistic_gap(m, was, a, c);
    double next;
    s->gap += gap;
    row->move = 0;
    if (gap <= s->little) return;
    *z = dcd_logistic_top(m, row->q + s->slope, a, was, c, &next);
    const double move = next - a;
    if (move == 0) return;
    dcd_axpy(vec, kind, s->view, row, y * move, s->w);
    row->move = move;
    row->a = next;
    s->b += s->slope * (y * move);
    s->t += y * move;
    s->gain += fabs(*z - was) < DCD_NEAR ? (*z + was) / 2 * move
                                         : hsp__dcd_entropy(*z, c) - hsp__dcd_entropy(was, c);
    s->bend += move * move * (4 / c);
    s->off += fabs(was - m);
    s->updates++;
}

/* ---- Any smooth loss ------------------------------------------------------------------------- */

/* The a in the box at the top of D, which has the slope e'(a') - m - q (a' - a): Newton's steps
 * between the ends that are known, by e'' = -1 / (c loss''). */
static double dcd_smooth_top(const hsp__loss *loss, double m, double q, double a, double c)
{
    double low = 0, high = hsp__loss_cap(loss, c), next = a;
    if (!(loss->margin_of(low, c) - m + q * a > 0)) return low;
    if (high < HUGE_VAL && loss->margin_of(high, c) - m - q * (high - a) >= 0) return high;
    const double enough = DCD_TOP * fmin(fabs(loss->margin_of(a, c) - m), 1);
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

static void dcd_visit_smooth(dcd_sweep *s, const hsp__vec_table *vec, dcd_kind kind, dcd_row *row)
{
    const double c = fabs(row->cost), y = row->cost > 0 ? 1 : -1, a = row->a;
    const double m = y * (dcd_dot(vec, kind, s->view, row, s->w) + s->b);
    const double before = s->loss->conjugate(a, c);
    s->gap += fmax(c * s->loss->value(m, 1 - m) - before + a * m, 0);
    row->move = 0;
    const double next = dcd_smooth_top(s->loss, m, row->q + s->slope, a, c), move = next - a;
    if (move == 0) return;
    dcd_axpy(vec, kind, s->view, row, y * move, s->w);
    row->move = move;
    row->a = next;
    s->b += s->slope * (y * move);
    s->t += y * move;
    s->gain += s->loss->conjugate(next, c) - before;
    s->updates++;
}

/* ---- Sweeps ---------------------------------------------------------------------------------- */

DCD_INLINE void dcd_visits(dcd_sweep *sweep, dcd_kind kind, hsp__loss_form form)
{
    const hsp__vec_table *vec = hsp__vec();
    dcd_sweep s = *sweep;
    const uint64_t rows = s.view->rows;
    for (uint64_t k = s.from; k < s.to; k++) {
        if (s.ctx && k % DCD_TICK == 0 && hsp__tick(s.ctx)) break;
        const uint64_t first = (uint64_t)s.bundles[k] * DCD_BUNDLE;
        const uint64_t after = k + 1 < s.to ? (uint64_t)s.bundles[k + 1] * DCD_BUNDLE : rows;
        const uint64_t mix = dcd_mix(s.seed + first);
        for (uint64_t j = 0; j < DCD_BUNDLE; j++) {
            const uint64_t here = (j * (mix | 1) + (mix >> 32)) % DCD_BUNDLE;
            if (after + here < rows && !s.rows[after + here].rest)
                dcd_ask(kind, s.view, s.rows + after + here);
            if (first + here >= rows) continue;
            dcd_row *row = s.rows + first + here;
            if (row->rest) {
                row->rest -= row->cost != 0;
                row->move = 0;
            } else if (form == HSP__LOGISTIC) {
                dcd_visit_logistic(&s, vec, kind, row, s.z + first + here);
            } else if (form == HSP__SMOOTH) {
                dcd_visit_smooth(&s, vec, kind, row);
            } else {
                dcd_visit(&s, vec, kind, form == HSP__SQUARED_HINGE, row);
            }
        }
    }
    *sweep = s;
}

/* The loop above for each kind of row and loss: what is decided here is not asked again. */
DCD_INLINE void dcd_visits_of(dcd_sweep *s, dcd_kind kind)
{
    switch (s->loss->form) {
    case HSP__HINGE:
    case HSP__HARD_MARGIN: /* never: dcd_suits */
        dcd_visits(s, kind, HSP__HINGE);
        break;
    case HSP__SQUARED_HINGE:
        dcd_visits(s, kind, HSP__SQUARED_HINGE);
        break;
    case HSP__LOGISTIC:
        dcd_visits(s, kind, HSP__LOGISTIC);
        break;
    case HSP__SMOOTH:
        dcd_visits(s, kind, HSP__SMOOTH);
    }
}

void hsp__dcd_sweep(dcd_sweep *s)
{
    const int single = s->view->precision == HSP_FLOAT32;
    if (s->view->storage == HSP_DENSE && single)
        dcd_visits_of(s, DCD_DENSE32);
    else if (s->view->storage == HSP_DENSE)
        dcd_visits_of(s, DCD_DENSE64);
    else if (!s->view->values)
        dcd_visits_of(s, DCD_ONES);
    else if (single)
        dcd_visits_of(s, DCD_SPARSE32);
    else
        dcd_visits_of(s, DCD_SPARSE64);
}
