/* Whole data sets, for learners that are an on-line rule. */
#ifndef HSP_LEARN_ONLINE_ONLINE_TRAIN_H
#define HSP_LEARN_ONLINE_ONLINE_TRAIN_H

#include "learn/learner.h"
#include "learn/online/ledger.h"

hsp_status hsp__online_train(hsp_context *ctx, hsp_data *data, const hsp__learner *learner,
                             const hsp_options *options, hsp_error *err, hsp_training *run,
                             hsp_model **out);

/* The same run without a model: the rows of its updates, in order, counted from 0 among those of
 * the classes that were asked for. Two classes; HSP_USAGE for more, or for a learner of another
 * kind. The caller frees out->row, also after a failure. */
hsp_status hsp__online_sequence(hsp_context *ctx, hsp_data *data, const hsp_options *options,
                                hsp_error *err, hsp__sequence *out);

/* Are the options fit for rows that pass by once? HSP_USAGE with a sentence when not. */
hsp_status hsp__online_check_stream(const hsp__learner *learner, const hsp_options *options,
                                    hsp_error *err);

#endif
