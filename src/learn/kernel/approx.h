/* Learning with a kernel by explicit features: the option `approx` together with `kernel` in a
 * learner's table is all that a learner needs (docs/kernels.md).
 *
 *     nystrom:M    features of M landmark rows (kernel/feature_map.h)
 *     fourier:M    M random waves, for rbf and laplace
 *
 * The features of all rows (of several ranks: where the learner can work on divided rows, each
 * rank's own) are computed, the learner learns a halfspace of them as of any rows, and
 * what it learned becomes a kernel expansion on the landmarks: a model like any other with a
 * kernel. How far the features are from the kernel is measured, said in a note and kept as
 * facts. */
#ifndef HSP_LEARN_KERNEL_APPROX_H
#define HSP_LEARN_KERNEL_APPROX_H

#include "learn/learner.h"

/* A step of a training: what it learns from. */
typedef struct hsp__approx_step {
    hsp_data *rows; /* in: the rows as given; out: their features, or of divided rows this rank's */
    const hsp_options *options;
    const hsp_model *start;        /* NULL: none. One of other features is passed over */
    struct hsp__approx_work *work; /* NULL: there are no features */
} hsp__approx_step;

/* From rows, options and start to those of the features. Close it even after a failure. */
hsp_status hsp__approx_open(hsp__approx_step *step, hsp_context *ctx, hsp_error *err);

/* From what was learned of the features to rows: *model (NULL: none) becomes a kernel expansion,
 * the figures of `run` are those of that. */
hsp_status hsp__approx_finish(hsp__approx_step *step, hsp_error *err, hsp_training *run,
                              hsp_model **model);
void hsp__approx_close(hsp__approx_step *step);

#endif
