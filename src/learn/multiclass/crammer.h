/* The support vector machine of all classes at once (crammer.c says what it minimises). */
#ifndef HSP_LEARN_MULTICLASS_CRAMMER_H
#define HSP_LEARN_MULTICLASS_CRAMMER_H

#include "learn/learner.h"

typedef struct hsp__crammer {
    const hsp_view *view; /* n rows of d columns, with labels of k = view->classes >= 2 classes */
    const double *cost;   /* k: C of a row of each class, >= 0 */
    const double *row_weight; /* n, >= 0; NULL: all 1. A weight of m is m copies of the row */
    hsp__offset offset;
} hsp__crammer;

/* Where to start, and what was found. The caller owns the arrays. */
typedef struct hsp__crammer_solution {
    double *w; /* k * d, class after class: out (the start is `dual`) */
    double *b; /* k: in, offset free only, where to start (zeros: anywhere); out. Offset none: 0 */
    double *dual; /* n * k, row after row: in, where to start (zeros: none; any numbers will do,
                     they are made feasible); out, the weights A of crammer.c. NULL: start at zero,
                     and the dual is not wanted */
    double primal, dual_value, gap; /* from hsp__crammer_gap */
    uint64_t passes, updates;       /* passes over all rows, in work; rows whose A changed */
    uint64_t support;               /* rows with A != 0 */
    hsp_stop stop;                  /* HSP_STOP_CONVERGED: the gap was reached */
} hsp__crammer_solution;

/* Minimise. A request to stop is an outcome (HSP_STOP_REQUEST), not an error; what was found so far
 * is handed back with its gap. HSP_BAD_DATA: rows whose products overflow. */
hsp_status hsp__crammer_solve(hsp_context *ctx, const hsp__crammer *p, const hsp__goal *goal,
                              hsp_error *err, hsp__crammer_solution *s);

/* How near to the best, from the problem, (w, b) and `dual` (n * k) alone: dual is made feasible in
 * place; u (k * d, out) is sum_i A_i x_i. Two passes over the rows, in parallel. */
hsp_status hsp__crammer_gap(hsp_context *ctx, const hsp__crammer *p, const double *w,
                            const double *b, double *dual, double *u, hsp_error *err,
                            hsp__gap_values *out);

/* All of it, from a training's tasks to their figures: the costs of classes are problem.cost[1] of
 * the tasks; the figures of all classes are those of the first task (crammer_fit.c). */
hsp_status hsp__crammer_fit(hsp__train *train, hsp_error *err);

#endif
