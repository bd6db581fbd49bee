/* Minimise one problem of two classes: choose a solver, let others go on where it is stuck, and
 * compute how near to the best the answer is. Learners come here through their training
 * (hsp__erm_fit in erm.h); other modules may call hsp__fit_problem with a problem of their own. */
#ifndef HSP_LEARN_ERM_FIT_H
#define HSP_LEARN_ERM_FIT_H

#include "learn/task.h"

/* The solver of that name ("auto": the one that suits the data's shape) for the task's problem.
 * HSP_USAGE or HSP_UNSUPPORTED when there is none. */
hsp_status hsp__fit_choose(const char *name, hsp__task *task, hsp_error *err);

/* After task->solver has solved task->problem: let other solvers go on where it is stuck
 * (`choose`), settle whether a separator exists where one is demanded, and compute its gap.
 * task->solution has room for u and scores, as for the solver. A request to stop is an outcome,
 * with task->gap_unknown when there was no time for the figures. After HSP_STOP_INSEPARABLE (hard)
 * solution.dual says why no separator exists; else, unless gap_unknown, solution.scores are those of w
 * without b. */
hsp_status hsp__fit_finish(hsp_context *ctx, const hsp__goal *goal, int choose, hsp__task *task,
                           hsp_error *err);

/* There was no time to compute the gap of what a stopped solver returned. */
void hsp__fit_gap_unknown(const hsp_context *ctx, hsp__task *task);

/* ---- For other modules (src/prove): without options, data sets or models ---- */

#define HSP__FIT_PASSES 10000 /* as the option max-passes has it */

typedef struct hsp__fit_limits {
    double gap;          /* relative duality gap to reach */
    uint64_t max_passes; /* 0: any number */
    double max_seconds;  /* 0: any number */
    uint64_t seed;       /* options have 1 */
} hsp__fit_limits;

typedef struct hsp__fitted {
    hsp_allocator memory;
    double *w; /* d */
    double b;
    double *dual; /* n: feasible dual coefficients a >= 0; HSP_STOP_INSEPARABLE: multipliers with
                     sum a y x = 0, of each class the same total */
    double primal, dual_value, gap; /* NaN: not known */
    hsp_stop stop; /* HSP_STOP_CONVERGED, HSP_STOP_INSEPARABLE (hard only), or what ended it */
} hsp__fitted;

/* Minimise p from zero: e.g. the hard margin of rows with labels 0 and 1 is
 *
 *     hsp__problem p = {.view = view, .positive = 1, .cost = {1, 1}, .hard = 1,
 *                       .offset = HSP__OFFSET_FREE};
 *
 * The same numbers as training `svm` with these settings on these rows. The caller frees out->w and
 * out->dual with hsp__fitted_free, also after a failure. HSP_CANCELLED: the user asked to stop. */
hsp_status hsp__fit_problem(hsp_context *ctx, const hsp__problem *p, const hsp__fit_limits *limits,
                            hsp_error *err, hsp__fitted *out);
void hsp__fitted_free(hsp__fitted *fitted);

#endif
