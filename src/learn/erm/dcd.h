/* Dual coordinate descent, for dcd.c, dcd_group.c and (updates) newton_dual.c alone: the state of a problem that is being
 * solved, the steps that a solver makes of it, and the update of a row. dcd.c explains the method. */
#ifndef HSP_LEARN_ERM_DCD_H
#define HSP_LEARN_ERM_DCD_H

#include "base/random.h"
#include "learn/erm/problem.h"

#define HSP__DCD_INLINE       static inline __attribute__((always_inline))
#define HSP__DCD_MOST_SKIPPED 8   /* sweeps */
#define HSP__DCD_LINE         64  /* bytes of a cache line */
#define HSP__DCD_TICK         16  /* bundles between two ticks */
#define HSP__DCD_SLOPE_LEFT   0.1 /* an update ends where D's slope has fallen to this part, */
#define HSP__DCD_TRIES        100 /* or after this many attempts */
enum { HSP__DCD_PARALLEL = 2 };   /* sweeps at the same time */

/* ---- A sweep: one coordinate a_i after another is moved, each with the weights that the update
 * before it left ------------------------------------------------------------------------------- */

/* What an update needs of a row besides its entries. */
typedef struct hsp__dcd_row {
    double a;       /* the dual coefficient */
    double step;    /* what the last update added to it */
    double sqnorm;  /* ||x||^2 */
    double cost;    /* c of a positive row, -c of a negative one; 0: never updated */
    uint64_t from;  /* first entry, in indices and values (dense: in values) */
    uint32_t count; /* entries */
    uint32_t skip;  /* sweeps to skip: a is at a bound, and the slope of D is far from leaving it */
} hsp__dcd_row;

/* Rows are visited in bundles of neighbours: the bundles in random order, so that updates are
 * spread over the data, and the rows of one together, so that memory is read in long stretches. */
enum { HSP__DCD_BUNDLE = 16 };

/* A run of updates by one thread. */
typedef struct hsp__dcd_sweep {
    hsp_context *ctx;
    int whole; /* the sweep is made to its end, whatever the context says (base/stop.h) */
    const hsp_view *view;
    const hsp__loss *loss;
    hsp__dcd_row *rows; /* view->rows */
    double *z; /* likewise; logistic: a = c / (1 + exp(z)), so that a and c - a keep their digits
                  near the bounds; a = 0 is infinity, a = c minus that */
    const uint64_t *bundles;
    uint64_t from, to; /* bundles[from] .. bundles[to - 1] are visited */
    uint64_t blocks;   /* as in hsp__dcd */
    const uint64_t *order;
    uint64_t seed; /* of the order within bundles */
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
} hsp__dcd_sweep;

typedef enum hsp__dcd_kind {
    HSP__DCD_DENSE32,
    HSP__DCD_DENSE64,
    HSP__DCD_SPARSE32,
    HSP__DCD_SPARSE64,
    HSP__DCD_ONES
} hsp__dcd_kind;

/* The row of a bundle to visit as number j: an order that looks random, by `mix`. */
HSP__DCD_INLINE uint64_t hsp__dcd_mix(uint64_t seed, uint64_t first)
{
    uint64_t mix = seed + first; /* the finisher of splitmix64 */
    mix = (mix ^ (mix >> 30)) * 0xbf58476d1ce4e5b9u;
    mix = (mix ^ (mix >> 27)) * 0x94d049bb133111ebu;
    return mix ^ (mix >> 31);
}

HSP__DCD_INLINE uint64_t hsp__dcd_place(uint64_t mix, uint64_t j)
{
    return (j * (mix | 1) + (mix >> 32)) % HSP__DCD_BUNDLE;
}

HSP__DCD_INLINE void hsp__dcd_prefetch(const void *memory, size_t bytes)
{
    for (size_t k = 0; k < bytes; k += HSP__DCD_LINE)
        __builtin_prefetch((const char *)memory + k);
}

/* Ask for the entries of a row to come: rows lie anywhere in memory. */
HSP__DCD_INLINE void hsp__dcd_prefetch_row(hsp__dcd_kind kind, const hsp_view *view,
                                           const hsp__dcd_row *row)
{
    const size_t bytes = kind == HSP__DCD_DENSE32 || kind == HSP__DCD_SPARSE32 ? sizeof(float)
                         : kind == HSP__DCD_ONES                               ? 0
                                                                               : sizeof(double);
    if (kind != HSP__DCD_DENSE32 && kind != HSP__DCD_DENSE64)
        hsp__dcd_prefetch(view->indices + row->from, row->count * sizeof *view->indices);
    if (bytes)
        hsp__dcd_prefetch((const char *)view->values + row->from * bytes, row->count * bytes);
}

/* A coefficient has moved, and sum a y by `ay`: b and the sums follow. */
HSP__DCD_INLINE double hsp__dcd_count(hsp__dcd_sweep *s, double ay)
{
    s->b += s->b_slope * ay;
    s->t += ay;
    s->updates++;
    return ay;
}

/* Hinge and squared hinge: D as a function of this row's a alone is a parabola. Go to its maximum,
 * or to the bound of the box that comes first. The row has this score, without b. b and the sums
 * follow; the caller adds what is returned, the change of a y, times the row to w. */
HSP__DCD_INLINE double hsp__dcd_step(hsp__dcd_sweep *s, int squared, double score, double sqnorm,
                                     double cost, double *at, uint32_t *skip)
{
    const double c = fabs(cost), y = cost > 0 ? 1 : -1, a = *at;
    const double bend = squared ? 1 / (2 * c) : 0;
    const double slack = 1 - y * (score + s->b); /* 1 - m */
    const double slope = slack - a * bend;       /* of D */
    const double curvature = sqnorm + s->b_slope + bend;
    double next = curvature > 0 ? a + s->relaxation * (slope / curvature) : slope > 0 ? c : 0;
    if (!(next > 0)) next = 0;
    if (!squared && next > c) next = c;
    const double step = next - a;
    if (squared)
        s->gap += slack > 0 ? c * (slope * slope) : a * (a * bend / 2 - slack);
    else
        s->gap += slack > 0 ? (c - a) * slack : -a * slack;
    if (step == 0) {
        if (fabs(slope) > s->shrink_threshold)
            *skip = (uint32_t)fmin(fabs(slope) / s->shrink_threshold, HSP__DCD_MOST_SKIPPED);
        return 0;
    }
    s->conjugate += step;
    if (squared) {
        s->conjugate -= (next + a) * step * (bend / 2);
        s->curvature += step * step * bend;
    }
    s->slopes += fabs(slope);
    *at = next;
    return hsp__dcd_count(s, y * step);
}

/* Logistic loss: D is largest in this row's a where z = m + q (c / (1 + exp(z)) - a). The difference of the sides
 * rises with z and is zero between m - q a and m + q (c - a): Newton's steps within these bounds,
 * until the slope of D is a tenth of what it was, or of 1 (then a step that goes too far never
 * loses what it gained: e'' changes by no more than a small factor over a unit of z). *next is the a
 * of the z that is returned. */
HSP__DCD_INLINE double hsp__dcd_logistic_maximum(double m, double q, double a, double z, double c,
                                                 double *next)
{
    const double enough = HSP__DCD_SLOPE_LEFT * fmin(fabs(z - m), 1);
    double low = m - q * a, high = m + q * (c - a);
    if (!(z > low)) z = low;
    if (!(z < high)) z = high;
    for (int step = 0;; step++) {
        const double small = exp(-fabs(z)), part = 1 / (1 + small);
        *next = c * (z > 0 ? small * part : part);
        const double slope = z - m - q * (*next - a); /* of D, there */
        if (!(fabs(slope) > enough) || step == HSP__DCD_TRIES) return z;
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

/* ---- The state -------------------------------------------------------------------------------- */

/* b = base + slope t, t = sum a y. */
typedef struct hsp__dcd_offset {
    double base, slope;
    double slope_limit; /* a slope that hinders updates little */
    double balance;     /* regularized, logistic: how far checks bring sum a y to b, 0 .. 1 */
    double b;           /* after the last pass */
    double residual;    /* what dcd_residual was then */
} hsp__dcd_offset;

/* What passes and checks have seen of the gap. */
typedef struct hsp__dcd_progress {
    double gap;         /* the estimate of P - D from the last pass */
    double reduction;   /* that, relative to the pass before */
    double calibration; /* P - D of the last check, relative to what was expected */
    double least;       /* the least estimate so far, */
    uint64_t idle;      /* passes since then, or since the last check */
    uint64_t mark;      /* the pass up to which its pace was last looked at, */
    double mark_gap;    /* and the estimate then */
    uint64_t stalls;    /* checks without progress where little more is left than rounding */
} hsp__dcd_progress;

typedef struct hsp__dcd {
    hsp_context *ctx;
    const hsp__problem *p;
    const hsp__goal *goal;
    hsp_error *err;
    hsp__solution *s;
    hsp__scratch scratch;
    hsp__random random;
    uint64_t n, d;
    /* The state: */
    hsp__dcd_row *rows;  /* n */
    double *z;           /* n: hsp__dcd_sweep; NULL: not the logistic loss */
    double *w;           /* d: sum a y x */
    double t, conjugate; /* sum a y, sum e(a) */
    int stop;            /* the run ends; s->stop says why */

    hsp__dcd_offset offset;
    hsp__dcd_progress progress;
    /* Passes: */
    uint64_t *bundles; /* count: in the order of visits */
    uint64_t count;
    uint64_t blocks;           /* of rows that are not in memory (hsp__dcd_order); 0: they are */
    uint64_t *order;           /* blocks: in the order of visits */
    uint64_t parallel, rounds; /* sweeps at the same time, and how often per pass */
    double *copies[HSP__DCD_PARALLEL]; /* d each: the w of parallel sweeps; NULL: there are none */
    double mean_step;                  /* of the last pass's rounds */
    double shrink_threshold, skip_threshold; /* as in hsp__dcd_sweep */
    /* Checks: */
    double *a, *ay, *scores; /* n: feasible a, a y, and scores without b (s->scores, if there) */
    double *u;               /* d: sum a y x of that a; and the sum of changes of a round */
} hsp__dcd;

/* ---- The steps of a solver -------------------------------------------------------------------- */

/* A problem before its first pass. The caller frees m->scratch. */
hsp__dcd hsp__dcd_new(hsp_context *ctx, const hsp__problem *p, const hsp__goal *goal,
                      hsp_error *err, hsp__solution *s);

/* Memory for everything in m. */
hsp_status hsp__dcd_reserve(hsp__dcd *m);

/* The rows as sweeps need them, and the dual coefficients that were given (*given: some are not 0).
 * `known`: what rows have apart from a, cost and skip is there. */
hsp_status hsp__dcd_start(hsp__dcd *m, int known, int *given);

/* The order of the next pass, into bundles[0 .. m->count), by `random`. Data that are not in memory are divided into small blocks of
 * neighbouring rows. The blocks are shuffled, and the bundles of every 64 blocks that follow each other then: so the
 * pages in use are few, and yet other rows come together in each pass. */
void hsp__dcd_order(const hsp__dcd *m, hsp__random *random, uint64_t *bundles);

/* A sweep over all rows, in the order of m->bundles. */
hsp__dcd_sweep hsp__dcd_sweep_begin(const hsp__dcd *m, uint64_t seed);

/* It was made, in one go, and was the whole pass. */
void hsp__dcd_sweep_end(hsp__dcd *m, const hsp__dcd_sweep *sweep);

/* After a pass that left weights of this ||w||^2: is a check due? HSP_CANCELLED: the run must end. */
hsp_status hsp__dcd_due(hsp__dcd *m, double square, int *due);

/* Compute P and D from m->rows and m->w. */
hsp_status hsp__dcd_check(hsp__dcd *m);

/* dcd_state.c: everything that passes to come depend on; `user` is an hsp__dcd. */
void hsp__dcd_state(hsp__state *state, void *user);

/* Passes and checks until m->stop; `check` before the first pass. */
hsp_status hsp__dcd_run(hsp__dcd *m, int check);

/* The last step; `status` is that of the steps before. `consistent`: m->w and m->rows belong
 * together. After a request to stop: check them once more if there is time. */
hsp_status hsp__dcd_end(hsp__dcd *m, int consistent, hsp_status status);

/* b, as the sweeps have it. */
static inline double hsp__dcd_b(const hsp__dcd *m)
{
    return m->offset.base + m->offset.slope * m->t;
}

#endif
