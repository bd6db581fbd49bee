/* Probabilities by cross-validation for every learner: the option `calibrate` (none, platt,
 * isotonic) in its table is all that a learner needs; `calibrate-folds` and `seed`, where it has
 * them, say how (docs/probabilities.md). */
#ifndef HSP_LEARN_CALIBRATE_H
#define HSP_LEARN_CALIBRATE_H

#include "learn/learner.h"

/* Fit a map from scores to probabilities, and put it into `model`, which was trained on all of
 * `data` with these options: the rows are cut into folds, each is scored by a model of the same
 * options trained on the others, and the map is fitted to all those scores. Nothing happens when
 * the learner has no such option, or it says none. */
hsp_status hsp__calibrate(hsp_context *ctx, hsp_data *data, const hsp_options *options,
                          hsp_error *err, hsp_model *model);

/* Can these options be calibrated at all? Asked before the training. */
hsp_status hsp__calibrate_check(hsp_context *ctx, hsp_data *data, const hsp_options *options,
                                hsp_error *err);

#endif
