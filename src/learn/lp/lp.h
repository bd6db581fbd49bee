/* Linear programming as the learner lp uses it: a separator, or why there is none. */
#ifndef HSP_LEARN_LP_LP_H
#define HSP_LEARN_LP_LP_H

#include "learn/lp/lp_clp.h"
#include "learn/erm/problem.h"

/* What came out, and the figures. The caller owns w and a. */
typedef struct hsp__lp_answer {
    double *w; /* d: in any case the best there is, verified only if stop says so */
    double b;
    double *a; /* n: HSP_STOP_INSEPARABLE: multipliers; of the soft program: dual weights */
    /* HSP_STOP_CONVERGED: a separator, verified on every row (soft: the least slack, to the gap);
     * HSP_STOP_INSEPARABLE: there is none, and a says why; HSP_STOP_PASSES: neither could be shown:
     * the classes are nearer to each other than the arithmetic resolves */
    hsp_stop stop;
    uint64_t rounds, steps;    /* linear programs solved; steps of the simplex method */
    double primal, dual_value; /* of the soft program: total slack, and a bound from below */
} hsp__lp_answer;

/* A separator of the rows whose cost is not 0: y (<w, x> + b) > 0. The costs say nothing else; the
 * offset is free or none. */
hsp_status hsp__lp_separate(hsp_context *ctx, const hsp__problem *p, hsp__watch *watch, int report,
                            hsp_error *err, hsp__lp_answer *answer);

/* ---- Shared by the files of this learner ------------------------------------------------------
 */

/* exponents[j]: column j divided by 2^exponents[j] has no entry above 1. */
void hsp__lp_exponents(hsp_context *ctx, const hsp__problem *p, int *exponents);

/* Of multipliers a (count) of rows that nearly have a common point, or more of them than equations,
 * those of few rows, which are as near: the others become 0. Where there are few already, or too
 * many equations, nothing changes. */
hsp_status hsp__lp_reduce(hsp_context *ctx, const hsp__problem *p, const int *exponents,
                          const uint64_t *rows, uint64_t count, long double *a, hsp_error *err);

/* A point common to both hulls of rows[0..count), from multipliers a (count) that are near to one
 * or at least begin there: solved for in long double. On success none is negative, both classes add
 * up to 1 (offset none: both together to 2), no more than d + 2 are above 0, and sum a y x is 0 to
 * the rounding of long double, column by column, each measured by the terms that were added up.
 * *found says whether that worked; a is then the multipliers. */
hsp_status hsp__lp_common_point(hsp_context *ctx, const hsp__problem *p, const int *exponents,
                                const uint64_t *rows, uint64_t count, double *a, hsp_error *err,
                                int *found);

#endif
