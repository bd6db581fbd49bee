/* halfspace: the theory applied. Mistake bounds of a run, bounds on the true error, sample sizes,
 * and simulations that compare the bounds with the truth. */
#ifndef HALFSPACE_THEORY_H
#define HALFSPACE_THEORY_H

#include "halfspace.h"
#include "halfspace_options.h"

#ifdef __cplusplus
extern "C" {
#endif

/* ---- Mistake bounds -------------------------------------------------------------------------- */

/* A theorem about a run, with its figures (docs/bounds.md). */
typedef struct hsp_mistake_bound {
    const char *name;    /* "radius" */
    const char *formula; /* "k <= r^2 ||w*||^2" */
    int applies;         /* its assumptions hold on this data */
    double bound;        /* the right side */
    double observed;     /* the left side */
    int held;            /* observed <= bound (lower: >=) */
    int lower;           /* the theorem says observed >= bound */
    char why[256];       /* which assumption fails, or the figures of the formula */
} hsp_mistake_bound;

/* A separator to compare a run of the perceptron with: the widest of the space that the run was in,
 * or, where nothing separates the rows, that of svm with C = 1. */
typedef struct hsp_reference {
    hsp_model *separator; /* the caller frees it */
    int separates;        /* every row is on its side */
    double low, high;     /* then: in [low, high] the widest margin is */
} hsp_reference;

HSP_API hsp_status hsp_reference_find(hsp_context *ctx, const hsp_model *model, hsp_data *data,
                                      hsp_error *err, hsp_reference *out);

/* Compare the run that made `model` on `data` with every mistake bound, with `reference` as w*
 * (NULL for experts, whose run is compared with the best of them). *count bounds; free them with
 * hsp_mistake_bounds_free. */
HSP_API hsp_status hsp_audit(hsp_context *ctx, const hsp_model *model, hsp_data *data,
                             const hsp_model *reference, hsp_error *err, hsp_mistake_bound **out,
                             size_t *count);
HSP_API void hsp_mistake_bounds_free(hsp_mistake_bound *bounds);

/* A reference for audits of Winnow: the disjunction of some columns, by name (without names: by the
 * number that the model's file has for them), as a model with the classes, columns and scalings of
 * `like`. It predicts class 1 where one of the columns is 1. */
HSP_API hsp_status hsp_model_disjunction(hsp_context *ctx, const hsp_model *like,
                                         const char *const *columns, size_t count, hsp_error *err,
                                         hsp_model **out);

/* ---- Bounds on the true error ---------------------------------------------------------------- */

/* The true error of a model is the probability that it is wrong on a new row, drawn independently
 * from the distribution of the given rows. A bound of confidence 1 - delta holds for all but a
 * share delta of the data sets that might have been drawn. All figures are rounded to the safe
 * side. docs/generalisation.md has every theorem with its constants. */

/* Clopper and Pearson's bounds: the largest p with which `mistakes` or fewer of `rows` independent
 * rows have a probability of at least delta, and the smallest with which `mistakes` or more have.
 * Without rows: 1 and 0. NaN for mistakes > rows or a delta outside of (0, 1). */
HSP_API double hsp_binomial_upper(uint64_t rows, uint64_t mistakes, double delta);
HSP_API double hsp_binomial_lower(uint64_t rows, uint64_t mistakes, double delta);

/* One bound on the error of a model. */
typedef struct hsp_error_bound {
    const char *name;    /* "test-binomial" */
    const char *kind;    /* "test": from held-out rows; "training": from the training rows;
                            "estimate": true on average over training sets, no confidence */
    const char *formula; /* in symbols */
    const char *about;   /* whose error: "this model", or another that the theorem is about */
    const char *assumes; /* what it assumes besides independent rows; "": nothing */
    int applies;
    double value;      /* that error is at most this; NaN: it does not apply */
    int vacuous;       /* it applies, and value is 1 or more: it says nothing */
    char figures[320]; /* the figures of the formula, or why it does not apply */
} hsp_error_bound;

/* All bounds on the error of a model. */
typedef struct hsp_error_report {
    double delta;
    uint64_t train_rows, train_mistakes; /* 0, 0: no training rows */
    uint64_t test_rows, test_mistakes;
    uint64_t shared_rows; /* test rows that are equal to training rows */
    double test_lower;    /* the true error is at least this (confidence 1 - delta); NaN: no test
                             rows */
    double test_upper;
    double training_upper;      /* the true error is at most this by the training rows: the least of
                                   training_tried bounds, each at delta / training_tried, so that
                                   the confidence is 1 - delta; 1: they say nothing */
    const char *training_bound; /* the name of that bound, or NULL */
    unsigned training_tried;    /* 0: no training rows */
    int overfits;               /* test_lower is above the error on the training rows */
    size_t count;
    hsp_error_bound *bounds; /* count */
} hsp_error_report;

/* Options of hsp_error_report_new: delta, allow-overlap, retrain. */
HSP_API const hsp_option_table *hsp_error_report_options(void);

/* `train`: the rows that the model was trained on (HSP_BAD_DATA if it remembers another number of
 * rows), or NULL; `test`: rows that had no part in training, or NULL; at least one of them. Both
 * are read with the model's encoding. If they share rows: HSP_BAD_DATA, or a log warning if that is
 * allowed. HSP_BAD_DATA if `test` is data that the model was trained on (metadata data_hash and
 * earlier_data_hashes), HSP_USAGE if the model does not say. `options` NULL: the defaults. */
HSP_API hsp_status hsp_error_report_new(hsp_context *ctx, const hsp_model *model, hsp_data *train,
                                        hsp_data *test, const hsp_options *options, hsp_error *err,
                                        hsp_error_report **out);
HSP_API void hsp_error_report_free(hsp_error_report *report);

/* ---- Sample sizes ---------------------------------------------------------------------------- */

/* Options of hsp_sample_size_solve: rows, epsilon, delta, of which one is left out; one of
 * hypotheses, bits, vc, class; agnostic. */
HSP_API const hsp_option_table *hsp_sample_size_options(void);

/* How many rows a class of hypotheses needs: one theorem, solved for what was not given. */
typedef struct hsp_sample_size {
    size_t size;          /* set by the caller: sizeof(hsp_sample_size) */
    const char *solved;   /* what was found: "rows", "epsilon", "delta" */
    double rows;          /* a whole number */
    double epsilon;       /* found: 1 and more is vacuous */
    double delta;         /* found: 1 and more says nothing */
    int vacuous;          /* the value found is vacuous */
    double log_count;     /* ln |H|; by VC dimension: ln of the growth function at 2 rows */
    double dimension;     /* VC dimension; NaN: a finite class */
    double closed_rows;   /* rows, realisable, by VC dimension: what the closed formula of Blumer et
                             al. asks for; else NaN */
    const char *theorem;  /* whose theorem */
    const char *formula;  /* the equation that was solved */
    const char *says;     /* what it promises, a sentence */
    char hypotheses[160]; /* the class, in words */
} hsp_sample_size;

HSP_API hsp_status hsp_sample_size_solve(const hsp_options *options, hsp_error *err,
                                         hsp_sample_size *out);

/* ---- Bounds against the truth ---------------------------------------------------------------- */

/* Options of hsp_simulation_new: learner, set, rows, test-rows, columns, noise, offset, delta,
 * trials, seed. */
HSP_API const hsp_option_table *hsp_simulation_options(void);

/* How often one bound was wrong. */
typedef struct hsp_trial_bound {
    hsp_error_bound about; /* name, kind, formula, about and assumes; figures: of one trial, or why
                              it did not apply there */
    uint64_t applied;      /* trials it applied to */
    uint64_t failed;       /* trials in which the true error was above it */
    uint64_t vacuous;      /* trials in which it was 1 or more */
    double mean_value; /* mean over the trials to which it applied; a value above 1 counts as 1 */
    double mean_error; /* of the true errors that it was compared with */
    double chance;     /* the probability of at least this many failures if each trial fails
                              with probability delta: small means that the bound is broken. NaN for
                              estimates */
} hsp_trial_bound;

typedef struct hsp_simulation {
    uint64_t trials, rows, test_rows;
    double delta;
    double best_error; /* of the halfspace that labels the rows: the share of flipped labels */
    double mean_train_error; /* over the trials */
    double mean_true_error;
    int held; /* no bound failed more often than chance explains */
    size_t count;
    hsp_trial_bound *bounds; /* count */
} hsp_simulation;

/* Draw rows x ~ N(0, I) with labels sign(<u, x> + offset), a share `noise` of them flipped; train;
 * compare every bound with the true error, an integral known to 1e-9. Trials have their own rows by
 * (seed, trial) and run in parallel; the result does not depend on the number of threads. */
HSP_API hsp_status hsp_simulation_new(hsp_context *ctx, const hsp_options *options, hsp_error *err,
                                      hsp_simulation **out);
HSP_API void hsp_simulation_free(hsp_simulation *simulation);

#ifdef __cplusplus
}
#endif

#endif
