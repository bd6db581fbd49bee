/* Learners that minimise a regularised empirical risk: what their options say, and the fit of one
 * problem of two classes (problem.h) by a solver. */
#ifndef HSP_LEARN_ERM_ERM_H
#define HSP_LEARN_ERM_ERM_H

#include "learn/learner.h"

/* Fill in what svm and logistic read in the same way: offset, penalty, C and lambda (1 and none
 * when neither is set), solver, and for the pegasos solver order and average. HSP_USAGE when both C
 * and lambda are set. */
hsp_status hsp__erm_plan_read(const hsp_options *options, hsp__plan *plan, hsp_error *err);

/* learner->fit of both. */
hsp_status hsp__erm_fit(hsp__train *train, hsp_context *ctx, hsp__task *task, int report,
                        hsp_error *err);

/* When to stop, as the plan has it. */
hsp__goal hsp__erm_goal(hsp__train *train, int report);

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

#endif
