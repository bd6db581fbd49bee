/* Learning with a kernel by explicit features: the option `approx` beside `kernel` in a learner's
 * table is all that a learner needs (docs/kernels.md).
 *
 *     nystrom:M    features of M landmark rows (kernel/feature_map.h)
 *     fourier:M    M random waves, for rbf and laplace
 *
 * The features of all rows are computed, the learner learns a halfspace of them as of any rows, and
 * what it learnt becomes a kernel expansion on the landmarks: a model like any other with a kernel.
 * How far the features are from the kernel is measured, said in a note and kept as facts. */
#ifndef HSP_LEARN_KERNEL_APPROX_H
#define HSP_LEARN_KERNEL_APPROX_H

#include "learn/learner.h"

/* Do the options ask for it? */
int hsp__approx_wanted(const hsp_options *options);

/* `start` may be NULL; one of other features is passed over. */
hsp_status hsp__approx_train(hsp_context *ctx, hsp_data *data, const hsp_options *options,
                             const hsp_model *start, hsp_error *err, hsp_training *run,
                             hsp_model **out);

#endif
