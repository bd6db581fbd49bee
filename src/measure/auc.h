/* The area under the ROC curve, exactly. */
#ifndef HSP_MEASURE_AUC_H
#define HSP_MEASURE_AUC_H

#include "halfspace_all.h"

typedef struct hsp__ranked {
    double score;
    uint32_t positive; /* 0 or 1 */
} hsp__ranked;

/* The chance that a positive row scores above a negative one, both drawn at random; equal scores
 * count half. NaN when either class is missing or a score is NaN. Changes the order of `rows`. */
hsp_status hsp__auc(hsp_context *ctx, hsp__ranked *rows, uint64_t count, hsp_error *err,
                    double *auc);

#endif
