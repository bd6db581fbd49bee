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

#endif
