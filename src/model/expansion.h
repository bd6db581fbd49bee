/* Kernel expansions: scores s_c(x) = sum_i coefficients[c][i] k(x_i, x) + b_c. */
#ifndef HSP_MODEL_EXPANSION_H
#define HSP_MODEL_EXPANSION_H

#include "model/model.h"
#include "model/support.h"

/* Scores of rows that are scaled already, on the calling thread. */
hsp_status hsp__expansion_score(hsp_context *quiet, const hsp_model *model,
                                const hsp__support *support, const hsp_view *view, hsp_error *err,
                                double *scores);

#endif
