/* Predictions of held-out rows, kept and written to a file. */
#ifndef HSP_LEARN_SELECT_HELD_ROWS_H
#define HSP_LEARN_SELECT_HELD_ROWS_H

#include "learn/select/folds.h"

/* What the models said of the rows that they had not seen, by row of the data. Rows in no fold, and
 * those of other ranks, have zeros here. */
typedef struct hsp__held_rows {
    uint32_t *predicted; /* rows: HSP_NO_CLASS on a tie, or without a model */
    uint32_t columns;    /* numbers of a row: 1 of two classes, else one per class */
    double *ranking;     /* rows * columns */
    double *probability; /* rows * classes: NaN where the models have none */
} hsp__held_rows;

hsp_status hsp__held_rows_new(hsp_context *ctx, const hsp__folds *folds, hsp_error *err,
                              hsp__held_rows *out);
void hsp__held_rows_free(const hsp_allocator *memory, hsp__held_rows *held);

/* One line of CSV per row that was held out, in the order of the data: row and fold from 1, label,
 * prediction (empty on a tie), the score of two classes, the probability of each class; of more than
 * two without probabilities, a score per class. */
hsp_status hsp__held_rows_write(hsp_context *ctx, const hsp__folds *folds, const hsp_view *view,
                                const hsp__held_rows *held, const char *path, hsp_error *err);

#endif
