/* Online learning goes on where a model's run ended: weights, offsets, and what a rule keeps besides
 * come from the model. With the same rows in the same order, a run that goes on ends with the bits of
 * one run over all rows (perceptron). */
#ifndef HSP_LEARN_ONLINE_RESUME_H
#define HSP_LEARN_ONLINE_RESUME_H

#include "learn/multiclass/ovr.h"
#include "model/model.h"

/* Can a run with these options go on from the model? HSP_USAGE with a sentence when not. */
hsp_status hsp__resume_check(const hsp__learner *learner, const hsp_options *options,
                             const hsp_model *start, hsp_error *err);

/* Give the runs, which have the model's classes in its order, what the model learned. `scalings` are
 * those of this run's rows: the model must have the same. */
hsp_status hsp__resume(hsp__ovr *ovr, const hsp_model *start, hsp_scaling *const *scalings,
                       hsp_error *err);

#endif
