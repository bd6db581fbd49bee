/* Curves and thresholds of two classes, and how sure a score is, from rows with their predictions
 * (model/scores.h). */
#ifndef HSP_MEASURE_CURVES_H
#define HSP_MEASURE_CURVES_H

#include "model/scores.h"

/* The rows with a ranking above a threshold are called positive. */
typedef struct hsp__cut {
    double threshold;            /* positive: above it. The first cut calls no row positive */
    double positives, negatives; /* weight of the rows above it, by their true class */
} hsp__cut;

/* All cuts, from the highest threshold to the lowest; thresholds lie half-way between two rankings,
 * the first above all and the last below all. The caller frees *cuts; the last cut has the totals.
 * HSP_BAD_DATA: a ranking is NaN. `by_probability`: rank by the probability of the class, and
 * thresholds lie strictly between 0 and 1 (infinite where no such number is beyond all
 * probabilities). `class`: against the rest; of two classes, 1. */
hsp_status hsp__cuts_new(hsp_context *ctx, const hsp__scored *rows, int by_probability,
                         uint32_t class, hsp_error *err, hsp__cut **cuts, uint64_t *count);

/* What a threshold is chosen for. */
typedef enum hsp__cut_aim { HSP__CUT_F1, HSP__CUT_MCC, HSP__CUT_COST } hsp__cut_aim;

/* The best cut that has a finite threshold; of equally good ones the highest threshold. Cost: of a false positive and of a
 * false negative. */
uint64_t hsp__cut_best(const hsp__cut *cuts, uint64_t count, hsp__cut_aim aim,
                       const double cost[2]);

/* One bin of a calibration curve: rows whose probability is in [bin / bins, (bin + 1) / bins). */
typedef struct hsp__calibration_bin {
    double weight;    /* of its rows */
    double predicted; /* mean probability; NaN: no rows */
    double observed;  /* share of the class; NaN: no rows */
} hsp__calibration_bin;
void hsp__calibration_bins(const hsp__scored *rows, uint32_t class, uint32_t count,
                           hsp__calibration_bin *out);
/* The same, row by row: bins of zeros, a row at a time, then sums become means. */
void hsp__calibration_add(hsp__calibration_bin *bins, uint32_t count, double p, int hit,
                          double weight);
void hsp__calibration_finish(hsp__calibration_bin *bins, uint32_t count);

/* Expected calibration error: the mean over the rows of |predicted - observed| of their bin. */
double hsp__calibration_error(const hsp__calibration_bin *bins, uint32_t count);

/* Bootstrap: the scores on samples of the rows, drawn with replacement by the seed. */
typedef struct hsp__bootstrap {
    double level; /* the interval leaves out (1 - level) / 2 of the samples at either end */
    uint64_t samples, seed;
} hsp__bootstrap;

/* The interval of each score, or, with the predictions of a second model for the same rows
 * (`others`), of the difference: first less second. Samples on which a score is not defined are
 * left out. NaN: on all of them. */
hsp_status hsp__score_intervals(hsp_context *ctx, const hsp__scored *rows,
                                const hsp__scored *others, const hsp__bootstrap *how,
                                hsp_error *err, double intervals[HSP__SCORES][2]);

/* McNemar's test of two models on the same rows, exact: of `first` + `second` rows that only one of
 * them gets right, how likely is a split at least as uneven if both were equally good? */
double hsp__mcnemar(uint64_t first, uint64_t second);

#endif
