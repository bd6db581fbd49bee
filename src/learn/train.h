/* The path that every training takes (train.c), for those who need a part of it. */
#ifndef HSP_LEARN_TRAIN_H
#define HSP_LEARN_TRAIN_H

#include "learn/learner.h"

/* Read the options, prepare the rows, the kernel and the native form. Close it even after a
 * failure. */
hsp_status hsp__train_open(hsp__train *train, hsp_context *ctx, hsp_data *data,
                           const hsp__learner *learner, const hsp_options *options,
                           const hsp_model *start, hsp_error *err);
void hsp__train_close(hsp__train *train);

/* Rows that a model gets wrong: all are scored. Adds to *wrong. */
hsp_status hsp__train_count_mistakes(const hsp__train *train, hsp_context *ctx,
                                     const hsp_model *model, hsp_error *err, uint64_t *wrong);

/* HSP_OK, or HSP_CANCELLED with a sentence when the user asked a training to stop that has a model
 * to hand out all the same. */
hsp_status hsp__train_status(const hsp_context *ctx, hsp_error *err);

/* HSP_TIME_LIMIT: max-seconds ended a training that has no model yet. */
hsp_status hsp__fail_time_limit(hsp_error *err);

/* Write the passes of all problems' solvers as CSV (pass_log.c). */
hsp_status hsp__pass_log_write(hsp__train *train, const char *path, hsp_error *err);

#endif
