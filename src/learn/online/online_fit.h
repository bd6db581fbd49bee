/* Learners that are an online rule: the runs over whole data sets. */
#ifndef HSP_LEARN_ONLINE_ONLINE_FIT_H
#define HSP_LEARN_ONLINE_ONLINE_FIT_H

#include "learn/learner.h"
#include "learn/online/ledger.h"

/* Two classes, or more by the rule's own form or one-vs-rest, all runs side by side. */
extern const hsp__native hsp__online_native;

/* learner->fit: two of more classes, one-vs-one. */
hsp_status hsp__online_fit(hsp__train *train, hsp_context *ctx, hsp__task *task, int report,
                           hsp_error *err);

/* The run of a training without a model: the rows of its updates, in order, counted from 0 among
 * those of the classes that were asked for. Two classes; HSP_USAGE for more, or for a learner of
 * another kind. The caller frees out->row, also after a failure. */
hsp_status hsp__online_sequence(hsp_context *ctx, hsp_data *data, const hsp_options *options,
                                hsp_error *err, hsp__sequence *out);

/* Are the options fit for rows that are seen once? HSP_USAGE with a sentence when not. */
hsp_status hsp__online_check_stream(const hsp__learner *learner, const hsp_options *options,
                                    hsp_error *err);

#endif
