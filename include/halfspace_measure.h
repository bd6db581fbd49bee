/* halfspace: evaluation in detail. Scores and their intervals, thresholds, curves, two models
 * compared, one row at a time, and which columns matter (docs/measuring.md). */
#ifndef HALFSPACE_MEASURE_H
#define HALFSPACE_MEASURE_H

#include "halfspace.h"
#include "halfspace_options.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Options of the calls below; each reads those that it needs: score, row-weight, threshold,
 * interval, samples, seed, repeats, curve, bins, output-format. */
HSP_API const hsp_option_table *hsp_evaluate_options(void);

/* Labelled rows with what a model predicts for them. */
typedef struct hsp_evaluated hsp_evaluated;

/* Predict the rows and keep what is needed to measure the predictions. `options`: of
 * hsp_evaluate_options, or NULL; row-weight names the column with the weights of the rows (without
 * it: hsp_data_set_weights), threshold is applied. The model must outlive the result. */
HSP_API hsp_status hsp_evaluated_new(hsp_context *ctx, const hsp_model *model, hsp_data *data,
                                     const hsp_options *options, hsp_error *err,
                                     hsp_evaluated **out);
HSP_API void hsp_evaluated_free(hsp_evaluated *evaluated);

/* What hsp_evaluate reports. `confusion` as there; `weights` (or NULL) has the same cells, as sums of
 * the weights of the rows. */
HSP_API hsp_status hsp_evaluated_report(const hsp_evaluated *evaluated, hsp_error *err,
                                        hsp_evaluation *out, uint64_t *confusion, double *weights);

/* The rows of a class, and their weight (unless NULL), rows on the boundary included. */
HSP_API uint64_t hsp_evaluated_class_rows(const hsp_evaluated *evaluated, uint32_t class_index,
                                          double *weight);

/* One score of the predictions. NaN: not defined on these rows, or the model has no probabilities. */
#define HSP_SCORES 8
typedef struct hsp_score_report {
    const char *name; /* "error", "balanced-accuracy", "auc", "f1", "mcc", "log-loss", "brier",
                         "average-precision" */
    int is_loss;      /* a lower value is better */
    double value;
    double majority;  /* of always predicting the most frequent class, with the shares of the
                         classes as probabilities */
    double low, high; /* the bootstrap interval; NaN: none was asked for */
} hsp_score_report;

/* All scores. Options: interval (the level; without it there are no intervals), samples, seed. */
HSP_API hsp_status hsp_evaluated_scores(hsp_context *ctx, const hsp_evaluated *evaluated,
                                        const hsp_options *options, hsp_error *err,
                                        hsp_score_report out[HSP_SCORES]);

/* The threshold that the option asked for (NaN: none, the model decides by its own rule): *chosen
 * (or NULL) says whether it was chosen as the best for these rows, *on_score (or NULL) whether it is
 * one on the score, because the model has no probabilities. hsp_model_set_threshold keeps one on the
 * probability in the model. */
HSP_API double hsp_evaluated_threshold(const hsp_evaluated *evaluated, int *chosen, int *on_score);

/* Write the curve that the option curve names, as CSV with a line of names or as a JSON array (option
 * output-format): one record per point. More than two classes: one curve per class against the
 * rest. HSP_USAGE: a calibration curve needs probabilities. */
HSP_API hsp_status hsp_evaluated_curve(hsp_context *ctx, const hsp_evaluated *evaluated,
                                       const hsp_options *options, const char *path,
                                       hsp_error *err);

/* Two models on the same rows. Rows that one of the models leaves out are not compared. */
typedef struct hsp_comparison {
    size_t size; /* set by the caller: sizeof(hsp_comparison) */
    uint64_t n;  /* rows compared */
    uint64_t both_right, only_first, only_second, both_wrong;
    double first_error, second_error; /* shares of these rows; weights do not count here */
    double p_value;                   /* McNemar's test, exact: the probability that two equally
                                         good models differ on these rows at least as unevenly */
    const char *score;                /* the option score */
    double first_score, second_score, difference; /* first - second */
    double low,
        high; /* bootstrap interval of the difference (options interval, samples, seed); NaN:
                         none was asked for, or the models measure different rows */
} hsp_comparison;
HSP_API hsp_status hsp_evaluated_compare(hsp_context *ctx, const hsp_evaluated *first,
                                         const hsp_evaluated *second, const hsp_options *options,
                                         hsp_error *err, hsp_comparison *out);

/* Write what the model says of each row, in the order of the rows, as CSV or as JSON objects, one per
 * line (option output-format): row, label, predicted, scores, probabilities, margin, signed
 * distance, loss, slack, dual coefficient and KKT residual (docs/measuring.md). `data`: the rows
 * that were evaluated. *note: why there are no dual coefficients; NULL: there are. */
HSP_API hsp_status hsp_evaluated_rows(hsp_context *ctx, const hsp_evaluated *evaluated,
                                      hsp_data *data, const hsp_options *options, const char *path,
                                      hsp_error *err, const char **note);

/* Permutation importance of the columns of the file: how much worse the score becomes when the
 * values of a column are shuffled among the rows. All features of a column are shuffled together.
 * Options: score, repeats, seed. */
typedef struct hsp_importances hsp_importances;
typedef struct hsp_importance {
    const char *name;       /* of the column; without names, its number */
    double mean, deviation; /* over the repeats; the deviation's divisor is the number of repeats */
} hsp_importance;
HSP_API hsp_status hsp_importances_new(hsp_context *ctx, const hsp_evaluated *evaluated,
                                       hsp_data *data, const hsp_options *options, hsp_error *err,
                                       hsp_importances **out);
HSP_API void hsp_importances_free(hsp_importances *importances);
/* The i-th, in the order of the file; NULL past the last. */
HSP_API const hsp_importance *hsp_importances_at(const hsp_importances *importances, uint64_t i);

#ifdef __cplusplus
}
#endif

#endif
