/* One-vs-one for every learner: the option `multiclass` with the choice `ovo` in its table is all
 * that a learner needs (docs/multiclass.md). */
#ifndef HSP_LEARN_PAIRS_H
#define HSP_LEARN_PAIRS_H

#include "learn/learner.h"

/* Do the options ask for pairs, and are there more than two classes to make them of? */
hsp_status hsp__pairs_wanted(hsp_context *ctx, const hsp_data *data, const hsp_options *options,
                             hsp_error *err, int *wanted);

/* As learner->train, once a pair on the rows of its classes. The rows are prepared (classes,
 * scale, normalize) once for all pairs. */
hsp_status hsp__pairs_train(hsp_context *ctx, hsp_data *data, const hsp__learner *learner,
                            const hsp_options *options, const hsp_model *start, hsp_error *err,
                            hsp_training *run, hsp_model **out);

#endif
