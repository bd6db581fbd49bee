/* What a model says of labelled rows, as scores need it (scores.h). */
#ifndef HSP_MODEL_SCORED_ROWS_H
#define HSP_MODEL_SCORED_ROWS_H

#include "base/scratch.h"
#include "model/model.h"
#include "model/scores.h"

/* What the AUC and average precision rank a row by: of two classes the score; of more, for each class
 * its probability, else (`probability` is NULL) its class score. */
void hsp__class_ranking(const hsp_model *model, const double *scores, const double *probability,
                        double *out);

/* How much of it. */
typedef enum hsp__scored_kind {
    HSP__SCORED_PREDICTED, /* no ranking, no probabilities */
    HSP__SCORED_ALL        /* both, where the model has them */
} hsp__scored_kind;

/* What this score needs. */
hsp__scored_kind hsp__scored_kind_of(hsp__score score);

/* Predict all rows of a view with labels. class_of[label] is the model's class, of every label that
 * occurs. The arrays of *out come from `scratch`; out->weight stays NULL. */
hsp_status hsp__scored_rows(hsp_context *ctx, const hsp_model *model, const hsp_view *view,
                            const uint32_t *class_of, hsp__scored_kind kind, hsp__scratch *scratch,
                            hsp_error *err, hsp__scored *out);

/* The same where there is no model: no class is predicted, all rank alike. */
hsp_status hsp__scored_nothing(const hsp_view *view, const uint32_t *class_of, uint32_t classes,
                               hsp__scratch *scratch, hsp_error *err, hsp__scored *out);

#endif
