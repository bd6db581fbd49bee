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

/* A row by its ranking, for one class against the rest. */
typedef struct hsp__rank {
    double ranking;
    uint64_t row; /* twice its number, and 1 more if it is of the class */
} hsp__rank;

/* The rows, the highest first, by a column of by[row * stride + column]; of two classes with one
 * column by the second class. `ranked` and `room` are for all rows; one of them comes back; NULL: a
 * number is NaN. */
hsp__rank *hsp__rank_rows(hsp_context *ctx, const hsp__scored *rows, uint32_t column,
                          const double *by, uint64_t stride, hsp__rank *ranked, hsp__rank *room);

/* All scores of rows at once; `ranking` may be NULL here: then those that need it are NaN. `ranks`:
 * the rows as hsp__rank_rows sorts them by their ranking, column by column; NULL: they are sorted
 * here. */
hsp_status hsp__score_all(hsp_context *ctx, const hsp__scored *rows, const hsp__rank *const *ranks,
                          hsp_error *err, double out[HSP__SCORES]);

/* The two that need the ranking alone (out[score]): AUC and average precision. */
hsp_status hsp__score_ranking(hsp_context *ctx, const hsp__scored *rows, hsp_error *err,
                              double out[HSP__SCORES]);

/* The confusion matrix: weights by true and predicted class, classes * (classes + 1); ties have a
 * column of their own, the last. */
hsp_status hsp__score_count(hsp_context *ctx, const hsp__scored *rows, hsp_error *err,
                            double *cells);

/* The four scores that a confusion matrix has (out[score]); `sums` is for 2 * classes: the weights
 * by true class and those by predicted class come back in it. */
void hsp__score_confusion(const double *cells, uint32_t classes, double *sums, double *out);

/* The scores of predicting the most frequent class always, with the shares of the classes as
 * probabilities: what any model must beat. `of_class`: the weight of each class. */
hsp_status hsp__score_majorities(hsp_context *ctx, const double *of_class, uint32_t classes,
                                 hsp_error *err, double out[HSP__SCORES]);
/* One of these scores, for these rows. */
hsp_status hsp__score_majority(hsp_context *ctx, const hsp__scored *rows, hsp__score score,
                               hsp_error *err, double *out);

#endif
