/* How many of the training rows the model gets wrong. */
#ifndef HSP_LEARN_TRAINING_ERROR_H
#define HSP_LEARN_TRAINING_ERROR_H

#include "model/model.h"

/* Of a linear model, on rows that are scaled already. `known`: for each scorer the scores of the
 * rows without offset, with the bits of hsp__row_score; NULL: compute them. Both add to *wrong. */
hsp_status hsp__training_error_linear(hsp_context *ctx, const hsp_model *model,
                                      const hsp_view *view, const double *const *known,
                                      hsp_error *err, uint64_t *wrong);

/* Of any model: rows as they were before scaling, a slice at a time. `class_of`: the model's class
 * for each label, HSP_NO_CLASS for rows that do not count; NULL: labels are the model's classes. */
hsp_status hsp__training_error_scored(hsp_context *ctx, const hsp_model *model,
                                      const hsp_view *view, const uint32_t *class_of,
                                      hsp_error *err, uint64_t *wrong);

/* Write the training error into `run` and the model's facts. `counted` is what the count returned:
 * HSP_CANCELLED means that a stopped run left no time for it, and the error is not known. */
hsp_status hsp__training_error_report(hsp_status counted, uint64_t wrong, hsp_model *model,
                                      hsp_error *err, hsp_training *run);

#endif
