/* The search of hsp_tune alone, for those who decide how the folds are made. */
#ifndef HSP_LEARN_SELECT_TUNE_H
#define HSP_LEARN_SELECT_TUNE_H

#include "learn/select/folds.h"

/* Try the points of the options of tuning (without `tune` among them: the default grid) on these
 * folds. A search that was ended early gives what it has (hsp_tuning_stop says so); HSP_CANCELLED
 * and HSP_TIME_LIMIT when that is nothing. */
hsp_status hsp__tune_search(hsp_context *ctx, hsp_data *data, const hsp_options *learner,
                            const hsp_options *tune, const hsp__folds_how *how, hsp_error *err,
                            hsp_tuning **out);

#endif
