/* Inside of rows that were evaluated (halfspace_measure.h). */
#ifndef HSP_MEASURE_EVALUATE_H
#define HSP_MEASURE_EVALUATE_H

#include "data/data.h"
#include "measure/curves.h"
#include "model/model.h"

struct hsp_evaluated {
    hsp_allocator memory;
    const hsp_model *model;
    hsp__scored kept; /* rows whose labels the model knows; ranking and probability are NULL when
                           they would take too much memory, or are not needed */
    uint64_t *origin; /* of these: their numbers in the data; NULL: all rows are kept */
    double *weight;   /* of these; NULL: all 1 */
    uint64_t *counts; /* classes * classes: the confusion matrix */
    double *cells;    /* classes * (classes + 1): the same of weights, ties in the last column */
    double *sums;     /* 2 * classes: weights by true, and by predicted class */
    uint64_t unknown; /* rows of a label that the model does not know: mistakes */
    uint64_t tied;    /* of these: on the boundary */
    double unknown_weight;
    uint64_t rows;      /* of the data */
    hsp_evaluation all; /* the report */
    double threshold;   /* that was asked for, on the probability, or without one on the score; NaN:
                           none */
    int chosen;         /* it is the best for these rows */
};

/* The scores that a report has, by hsp__score. */
#define HSP__EVALUATE_SCORES(all)                                                                 \
    {                                                                                             \
        [HSP__SCORE_ERROR] = (all)->error,                                                        \
        [HSP__SCORE_BALANCED_ACCURACY] = (all)->balanced_accuracy, [HSP__SCORE_AUC] = (all)->auc, \
        [HSP__SCORE_F1] = (all)->f1, [HSP__SCORE_MCC] = (all)->mcc,                               \
        [HSP__SCORE_LOG_LOSS] = (all)->log_loss, [HSP__SCORE_BRIER] = (all)->brier,               \
        [HSP__SCORE_AVERAGE_PRECISION] = (all)->average_precision                                 \
    }

/* By the options interval (level NaN: not set), samples and seed. */
hsp__bootstrap hsp__evaluate_bootstrap(const hsp_options *options);

/* Predict the second class above the threshold that `text` says (HSP_USAGE: it says none). */
hsp_status hsp__evaluate_threshold(hsp_context *ctx, hsp_evaluated *to, const char *text,
                                   hsp_error *err);

/* Weights of the rows of `data` by the option row-weight (NULL: none), or its own. *owned is freed
 * by the caller; *out NULL: all 1. */
hsp_status hsp__evaluate_weights(hsp_context *ctx, const hsp_data *data, const char *column,
                                 hsp_error *err, double **owned, const double **out);

/* The margin of a row of class `class`: y s, or with more scorers the score of its class less the
 * best other. */
double hsp__evaluate_margin(const hsp_model *model, const double *scores, uint32_t class);

/* Does the model's scores have margins? Votes, neighbours and one-vs-one have none. */
static inline int hsp__evaluate_has_margins(const hsp_model *model)
{
    return model->hypothesis != HSP__VOTES && !model->neighbors && !model->pairs;
}

/* ||w|| of a model with one scorer and margins, without the weight of a constant feature: that is an
 * offset. Of a kernel model with many support rows it would take longer than measuring: NaN. */
double hsp__evaluate_norm(hsp_context *ctx, const hsp_model *model);

#endif
