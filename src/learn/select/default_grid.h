/* What is tried where nobody says what to try. */
#ifndef HSP_LEARN_SELECT_DEFAULT_GRID_H
#define HSP_LEARN_SELECT_DEFAULT_GRID_H

#include "base/names.h"
#include "halfspace_all.h"

/* Add specs for hsp__grid_parse that suit the learner and the data (docs/tuning.md lists them).
 * Options that are set are not among them. None is added where nothing is left to tune. For kernels
 * with a factor gamma, values around 1 / the median distance of the rows as they are learned. */
hsp_status hsp__default_grid(hsp_context *ctx, hsp_data *data, const hsp_options *learner,
                             hsp_error *err, hsp__names *specs);

#endif
