/* The run that made a model, once more. */
#ifndef HSP_PROVE_RETRAIN_H
#define HSP_PROVE_RETRAIN_H

#include "prove/prove.h"

/* The options of the run, as its learner takes them, without files, a limit on time, a start and
 * probabilities. HSP_USAGE when the model does not say how it was trained. */
hsp_status hsp__retrain_options(hsp_context *ctx, const hsp_model *model, hsp_error *err,
                                hsp_options **out);

/* *why says that the model was trained on other rows than those of the file `prove->data`; NULL: it
 * was trained on these. *again: the file, should it have been read again to find out; the caller
 * frees it. */
hsp_status hsp__retrain_check(hsp__prove *prove, hsp_error *err, hsp_data **again,
                              const char **why);

/* The rows of the run's updates, in order (two classes, perceptron and winnow), by making the run
 * again. *why as above, or because the run came out otherwise; then *rows is NULL. count[i]: how
 * often the model says that row i was updated. The caller frees *rows. */
hsp_status hsp__retrain_sequence(hsp__prove *prove, const uint64_t *count, uint64_t updates,
                                 hsp_error *err, uint64_t **rows, const char **why);

#endif
