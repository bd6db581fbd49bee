/* The inner loop of dual coordinate descent (dcd.c): visits to rows, one after another, each
 * against the weights that the visit before it left. */
#ifndef HSP_LEARN_ERM_DCD_SWEEP_H
#define HSP_LEARN_ERM_DCD_SWEEP_H

#include "learn/erm/problem.h"

/* What a visit needs of a row besides its entries. */
typedef struct dcd_row {
    double a;       /* the dual weight */
    double move;    /* what the last visit added to it */
    double q;       /* ||x||^2 */
    double cost;    /* c of a positive row, -c of a negative one; 0: never visited */
    uint64_t from;  /* first entry, in indices and values (dense: in values) */
    uint32_t count; /* entries */
    uint32_t rest;  /* sweeps to sit out: it is at an end of its box, far from leaving it */
} dcd_row;

/* Rows are visited in bundles of neighbours: the bundles in random order, so that visits are
 * spread over the data, and the rows of one together, so that memory is read in long stretches. */
enum { DCD_BUNDLE = 16 };

/* A run of visits by one thread. */
typedef struct dcd_sweep {
    hsp_context *ctx; /* who says when to stop (base/stop.h); NULL: the sweep is made to its end */
    const hsp_view *view;
    const hsp__loss *loss;
    dcd_row *rows; /* view->rows */
    double *z; /* likewise; logistic: a = c / (1 + exp(z)), so that a and c - a keep their digits
                  near the ends of the box; a = 0 is infinity, a = c minus that */
    const uint32_t *bundles;
    uint64_t from, to; /* bundles[from] .. bundles[to - 1] are visited */
    uint64_t seed;     /* of the order within bundles */
    double far;        /* a row at an end whose margin is this far on the right side may rest */
    double little;     /* logistic: a row that adds no more than this to the gap stays as it is */
    double *w;         /* cols: the weights that visits see and change */
    double b, slope;   /* the offset they see, and what a unit of sum a y adds to it */
    double beyond;     /* a goes this many times the way to the top of D */
    /* out */
    double t;         /* change of sum a y */
    double gain;      /* change of sum e(a) */
    double bend;      /* sum of move^2 times how much e(a) bends at least: 1 / (2 c) for the squared
                         loss, 4 / c for the logistic one */
    double gap;       /* sum over visits of c loss(m) - e(a) + a m, as the visit found them */
    double off;       /* sum of D's slopes' sizes over visits that changed a */
    uint64_t updates; /* visits that changed a */
} dcd_sweep;

/* Logistic: e(a) of the a whose logit is z. */
double hsp__dcd_entropy(double z, double c);

void hsp__dcd_sweep(dcd_sweep *sweep);

#endif
