/* Where a separator is demanded, the last word on whether there is one. */
#ifndef HSP_LEARN_ERM_HARD_MARGIN_H
#define HSP_LEARN_ERM_HARD_MARGIN_H

#include "learn/erm/problem.h"

/* The solver found no separator: say whether there is one. s->stop becomes HSP_STOP_INSEPARABLE,
 * with multipliers in s->dual, or HSP_STOP_PASSES. */
hsp_status hsp__hard_margin_settle(hsp_context *ctx, const hsp__problem *given,
                                   const hsp__goal *goal, hsp__solution *s, hsp_error *err);

#endif
