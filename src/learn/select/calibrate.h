/* Probabilities by cross-validation for every learner: the option `calibrate` (none, platt,
 * isotonic) in its table is all that a learner needs; `calibrate-folds` and `seed`, where it has
 * them, say how (docs/probabilities.md). */
#ifndef HSP_LEARN_SELECT_CALIBRATE_H
#define HSP_LEARN_SELECT_CALIBRATE_H

#include "learn/learner.h"

/* Do the options ask for it? */
int hsp__calibrate_wanted(const hsp_options *options);

/* Can it be done with this data? Asked before the training, so that nobody waits for a refusal. */
hsp_status hsp__calibrate_check(hsp_context *ctx, hsp_data *data, const hsp_options *options,
                                hsp_error *err);

/* How a fold's model is trained. */
typedef hsp_status (*hsp__calibrate_train)(hsp_context *ctx, hsp_data *data,
                                           const hsp_options *options, const hsp_model *start,
                                           hsp_error *err, hsp_training *run, hsp_model **out);

/* Fit a map from scores to probabilities, and put it into `model`, which was trained on all of
 * `data` with these options: the rows are cut into folds, each is scored by a model of the same
 * options trained on the others, and the map is fitted to all those scores. A request to stop
 * leaves the model without, and makes run->stop HSP_STOP_REQUEST. */
hsp_status hsp__calibrate(hsp_context *ctx, hsp_data *data, const hsp_options *options,
                          hsp__calibrate_train train, hsp_error *err, hsp_training *run,
                          hsp_model *model);

#endif
