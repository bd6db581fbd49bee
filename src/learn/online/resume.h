/* Online learning goes on where a model's run ended: weights, offsets, and what a rule keeps besides
 * come from the model. With the same rows in the same order, a run that goes on ends with the bits of
 * one run over all rows (perceptron, experts).
 *
 * What weights do not say is the model's `state`, per scorer: of a rule that keeps numbers of its own
 * (experts: mistakes), those; of averaged runs HSP__STATE_HEAD numbers (examples, rate, offset, past
 * offset, drift, past drift), the last weights, and the sums that the mean is made of (`past`). */
#ifndef HSP_LEARN_ONLINE_RESUME_H
#define HSP_LEARN_ONLINE_RESUME_H

#include "learn/multiclass/ovr.h"
#include "model/model.h"

/* Can a run with these options go on from the model? HSP_USAGE with a sentence when not. Its rows are
 * scaled as those of the model were (start->scalings). */
hsp_status hsp__resume_check(hsp_context *ctx, const hsp__learner *learner,
                             const hsp_options *options, const hsp_model *start, hsp_error *err);

/* Give the runs, which have the model's classes in its order, what the model learned. */
hsp_status hsp__resume(hsp__ovr *ovr, const hsp_model *start, hsp_error *err);

/* Give a new model of the runs its state, if it needs one; `from` and `flip` as for
 * hsp__online_model. */
hsp_status hsp__resume_keep(const hsp__ovr *ovr, const uint32_t *from, int flip, hsp_model *model,
                            hsp_error *err);

#endif
