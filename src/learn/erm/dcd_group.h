/* Dual coordinate descent on several problems at once, which share their rows (dcd_group.c). */
#ifndef HSP_LEARN_ERM_DCD_GROUP_H
#define HSP_LEARN_ERM_DCD_GROUP_H

#include "learn/erm/problem.h"

enum { HSP__DCD_GROUP_MOST = 8 }; /* problems at once */

/* Can problems like p be solved at once? */
int hsp__dcd_group_suits(const hsp__problem *p);

/* Solve `count` problems that differ in `positive` and `cost` alone. Each answer has the bits that
 * the solver dcd gives for that problem. goal->log is NULL. HSP_NO_MEMORY: nothing was done yet,
 * and one problem after the other may need less. */
hsp_status hsp__dcd_group_solve(hsp_context *ctx, uint32_t count, const hsp__problem *const *p,
                                const hsp__goal *goal, hsp_error *err, hsp__solution *const *s);

#endif
