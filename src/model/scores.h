/* Scores of predictions against the truth: the measures that cross-validation, tuning and
 * evaluation choose and report by. Rows may have weights; a weight of k counts as k rows. */
#ifndef HSP_MODEL_SCORES_H
#define HSP_MODEL_SCORES_H

#include "halfspace_all.h"

/* What a model says of some rows, and what is true. */
typedef struct hsp__scored {
    uint32_t classes;
    uint32_t columns; /* of ranking: 1 of two classes, else one per class */
    uint64_t rows;
    uint32_t *truth;     /* rows: classes, 0 .. classes - 1 */
    uint32_t *predicted; /* rows: likewise, or HSP_NO_CLASS on a tie, which is a mistake */
    double *ranking; /* rows * columns: higher, the more likely this class (of two, the second) */
    double *probability;  /* rows * classes; NULL: there are none */
    const double *weight; /* rows, >= 0; NULL: all 1 */
} hsp__scored;

typedef enum hsp__score {
    HSP__SCORE_ERROR,             /* share of rows predicted wrongly */
    HSP__SCORE_BALANCED_ACCURACY, /* mean over the classes of their recall */
    HSP__SCORE_AUC,               /* area under the ROC curve; equal rankings count half */
    HSP__SCORE_F1,                /* 2 TP / (2 TP + FP + FN) of the second class */
    HSP__SCORE_MCC,               /* Matthews' correlation of predictions and truth */
    HSP__SCORE_LOG_LOSS,          /* mean of -log p(class of the row), p at least 2^-52 */
    HSP__SCORE_BRIER,             /* mean of (p - y)^2 of the second class */
    HSP__SCORE_AVERAGE_PRECISION, /* sum over recalls of the precision there */
    HSP__SCORES
} hsp__score;

#define HSP__SCORE_NAMES "error|balanced-accuracy|auc|f1|mcc|log-loss|brier|average-precision"

/* The score of that name; HSP__SCORES: there is none. */
hsp__score hsp__score_of(const char *name);
const char *hsp__score_name(hsp__score score);

/* Is a lower value better? */
int hsp__score_is_loss(hsp__score score);

/* Does it need probabilities? */
int hsp__score_needs_probability(hsp__score score);

/* The score of rows. More than two classes: AUC, F1 and average precision are means over the
 * classes, each against the rest (F1: over those that occur in truth or predictions, the others
 * over those that are neither none nor all of the rows); the Brier score sums over the classes. NaN
 * where it is not defined: no rows, no probabilities, a ranking that is NaN, one class alone (AUC
 * and average precision). HSP_CANCELLED when the user asks to stop. */
hsp_status hsp__score_rows(hsp_context *ctx, const hsp__scored *rows, hsp__score score,
                           hsp_error *err, double *out);

/* The same of predicting the most frequent class always, with the shares of the classes as
 * probabilities: what any model must beat. */
hsp_status hsp__score_majority(hsp_context *ctx, const hsp__scored *rows, hsp__score score,
                               hsp_error *err, double *out);

#endif
