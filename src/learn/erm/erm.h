/* Learners that minimise a regularised empirical risk: what their options say, and the fit of one
 * problem of two classes (problem.h): choose a solver, let others go on where it is stuck, and compute
 * how near to the best the answer is. Other modules may call hsp__fit_problem with a problem of their
 * own. */
#ifndef HSP_LEARN_ERM_ERM_H
#define HSP_LEARN_ERM_ERM_H

#include "learn/learner.h"

/* Fill in what svm and logistic read in the same way: offset, penalty, C and lambda (1 and none
 * when neither is set), solver, and for the pegasos solver order and average. HSP_USAGE when both C
 * and lambda are set. */
hsp_status hsp__erm_plan_read(const hsp_options *options, hsp__plan *plan, hsp_error *err);

/* learner->sharded of both: penalty l2, one-vs-rest, and nothing that looks at rows apart from the fit. */
int hsp__erm_sharded(const hsp_data *data, uint64_t entries, const hsp_options *options);

/* learner->fit of both. */
hsp_status hsp__erm_fit(hsp__train *train, hsp_context *ctx, hsp__task *task, int report,
                        hsp_error *err);

/* learner->group_most and learner->fit_group of both: the solver dcd on sparse rows. */
uint32_t hsp__erm_group_most(const hsp__train *train);
hsp_status hsp__erm_fit_group(hsp__train *train, hsp_context *ctx, uint32_t count, hsp__task *tasks,
                              int report, hsp_error *err);

/* When to stop, as the plan has it. */
hsp__goal hsp__erm_goal(hsp__train *train, hsp__task *task, int report);

/* ---- Where minimising begins when there is a model already: warm_start.c ---- */

/* Does train->start fit the tasks? HSP_USAGE when not. */
hsp_status hsp__warm_start_check(const hsp__train *train, hsp_error *err);

/* Put what the model knows of the task into s->w, s->b and s->dual, which are zero. */
void hsp__warm_start(const hsp__train *train, const hsp__task *task, hsp__solution *s);

/* The same of a kernel machine: its dual weights, which are zero, from a model of the same data. */
void hsp__warm_start_dual(const hsp__train *train, const hsp__task *task, double *dual);

/* The number that a model knows a row of the kernel's by. */
static inline uint64_t hsp__train_source(const hsp__train_kernel *k, uint64_t row)
{
    return k->ids ? k->ids[row] : k->origin ? k->origin[row] : row;
}

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
