/* The inner loop of dual coordinate descent (dcd.c): one coordinate a_i after another is moved, each
 * with the weights that the update before it left. */
#ifndef HSP_LEARN_ERM_DCD_SWEEP_H
#define HSP_LEARN_ERM_DCD_SWEEP_H

#include "learn/erm/problem.h"

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

/* Logistic: e(a) of the a whose logit is z. */
double hsp__dcd_entropy(double z, double c);

void hsp__dcd_sweep(dcd_sweep *sweep);

#endif
