/* All classes at once (crammer.h), from a training's tasks to their figures. */
#ifndef HSP_LEARN_MULTICLASS_CRAMMER_FIT_H
#define HSP_LEARN_MULTICLASS_CRAMMER_FIT_H

#include "learn/learner.h"

/* The costs of classes are problem.cost[1] of the tasks; the figures of all classes are those of
 * the first task. */
hsp_status hsp__crammer_fit(hsp__train *train, hsp_error *err);

#endif
