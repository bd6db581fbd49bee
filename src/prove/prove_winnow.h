/* Separators for the mistake bounds of winnow. */
#ifndef HSP_PROVE_PROVE_WINNOW_H
#define HSP_PROVE_PROVE_WINNOW_H

#include "prove/prove.h"

typedef enum hsp__winnow_variant {
    HSP__WINNOW_1,
    HSP__WINNOW_2,
    HSP__WINNOW_BALANCED
} hsp__winnow_variant;

typedef struct hsp__winnow_run {
    hsp__winnow_variant variant;
    int constant;  /* balanced: every row has a column of ones */
    double alpha;  /* 1 + delta */
    double theta;  /* balanced: 0 */
    uint64_t cols; /* of the rows */
    int cyclic;    /* all rows in turn */
    hsp_tie tie;   /* what a score of 0 says */
} hsp__winnow_run;

typedef enum hsp__min_l1 {
    HSP__LIGHTEST_FOUND,
    HSP__LIGHTEST_NONE,   /* there is none, as far as CLP can tell */
    HSP__LIGHTEST_LATE,   /* it takes too long, or the user asked to stop */
    HSP__LIGHTEST_UNKNOWN /* there is no linear programming in this build, or not for this many */
} hsp__min_l1;

/* min_l1_separator.c: weights v (cols + 1; the last is the constant column's) of the separator for
 * which the bound is lowest, but for its entropy. */
hsp_status hsp__prove_min_l1(hsp__prove *prove, const hsp__winnow_run *run, hsp_error *err,
                             double *v, hsp__min_l1 *outcome);

/* winnow_replay.c: is every row a mistake when its turn comes? `sequence` NULL: in `passes` passes
 * over all rows, the updates must be those that `count` (rows) and `updates` say. What rounding
 * leaves open counts as DIFFERS. `clip`: how far values may be beyond 0 and 1. */
hsp_status hsp__winnow_replay(hsp__prove *prove, const hsp__winnow_run *run, double clip,
                              uint64_t passes, const uint64_t *sequence, uint64_t updates,
                              const uint64_t *count, hsp_error *err, hsp__exact_replay *outcome);

/* `learner` is winnow; `told` are the options of its run. */
hsp_status hsp__prove_winnow(hsp__prove *prove, const hsp_options *told, hsp_error *err);

#endif
