/* Maps from a score to a probability, fitted to scores of rows whose classes are known. */
#ifndef HSP_LEARN_SELECT_CALIBRATION_FIT_H
#define HSP_LEARN_SELECT_CALIBRATION_FIT_H

#include "halfspace_all.h"

/* Scores for one class of rows that the model was not trained on. */
typedef struct hsp__calibration_scores {
    uint64_t rows, stride;
    const double *scores;  /* that of row i is scores[i * stride]; finite */
    const uint32_t *label; /* rows */
    uint32_t positive;     /* rows with this label are of the class */
    const double *weight;  /* rows, > 0; NULL: all 1 */
} hsp__calibration_scores;

/* Platt scaling: p(s) = 1 / (1 + exp(-(platt[0] s + platt[1]))). */
void hsp__fit_platt(const hsp__calibration_scores *scored, double platt[2]);

/* Isotonic regression, as the knots of a line that never falls (the caller frees both arrays). */
hsp_status hsp__fit_isotonic(hsp_context *ctx, const hsp__calibration_scores *scored,
                             hsp_error *err, uint64_t *knots, double **at, double **value);

#endif
