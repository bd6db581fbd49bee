/* Where minimising begins when there is a model already. */
#ifndef HSP_LEARN_ERM_WARM_START_H
#define HSP_LEARN_ERM_WARM_START_H

#include "learn/learner.h"

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
