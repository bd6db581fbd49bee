/* Maps from scores to probabilities, fitted to scores of rows whose classes are known. */
#ifndef HSP_LEARN_FIT_H
#define HSP_LEARN_FIT_H

#include "model/model.h"

/* Rows that a model has not learnt from, with its scores. */
typedef struct hsp__scored {
    uint64_t rows;
    uint32_t classes;
    const double *scores;  /* two classes: rows; more: rows * classes, class scores */
    const uint32_t *label; /* rows, below classes */
    const double *weight;  /* rows, > 0; NULL: all 1 */
} hsp__scored;

/* The most likely slopes (docs/probabilities.md has the targets): two classes, of negative and of
 * positive scores; more, one for all, twice. */
hsp_status hsp__fit_platt(hsp_context *ctx, const hsp__scored *scored, hsp_error *err,
                          double slopes[2]);

/* The rising line with the least squares, as knots (the caller frees both arrays). */
hsp_status hsp__fit_isotonic(hsp_context *ctx, const hsp__scored *scored, hsp_error *err,
                             uint64_t *knots, double **at, double **value);

#endif
