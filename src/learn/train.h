/* Whole data sets, for learners that are an on-line rule. */
#ifndef HSP_LEARN_TRAIN_H
#define HSP_LEARN_TRAIN_H

#include "learn/learner.h"

hsp_status hsp__online_train(hsp_context *ctx, hsp_data *data, const hsp__learner *learner,
                             const hsp_options *options, hsp_error *err, hsp_training *run,
                             hsp_model **out);

/* Are the options fit for rows that pass by once? HSP_USAGE with a sentence when not. */
hsp_status hsp__online_check_stream(const hsp__learner *learner, const hsp_options *options,
                                    hsp_error *err);

#endif
