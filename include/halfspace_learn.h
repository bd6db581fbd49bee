/* halfspace: learning in detail. Streaming, one example at a time, cross-validation, tuning. */
#ifndef HALFSPACE_LEARN_H
#define HALFSPACE_LEARN_H

#include "halfspace.h"
#include "halfspace_options.h"

#ifdef __cplusplus
extern "C" {
#endif

/* ---- Checkpoints ---------------------------------------------------------------------------- */

/* From now on hsp_train keeps a checkpoint in this file, which it writes when the last one is `seconds`
 * old (0: at every pass or step), and begins where that file ends: a training that was killed at any moment
 * and is called again with the same data and options has the same result as one that was not.
 * HSP_USAGE if the file is of other data or options, or the learner has no checkpoints. hsp_train
 * does not remove the file: that is for the caller, once the model is in safety. `path` must live as
 * long as it is set; NULL: no checkpoints, as at first. */
HSP_API void hsp_context_set_checkpoint(hsp_context *ctx, const char *path, double seconds);
/* Remove such a file; of several processes (halfspace_ranks.h), rank 0 does. */
HSP_API void hsp_checkpoint_remove(hsp_context *ctx, const char *path);

/* ---- Streams and single examples ------------------------------------------------------------- */

/* Learn in one pass from a file or pipe that is never held in memory. */
HSP_API hsp_status hsp_train_stream(hsp_context *ctx, const char *path, const hsp_options *read,
                                    const hsp_options *options, hsp_error *err, hsp_training *run,
                                    hsp_model **out);

/* Find the place in its file of a row that hsp_train rejected (Winnow takes values from 0 to 1).
 * `err` is the error of hsp_train: no file, and the row's number, from 1, as its line. Returns
 * HSP_BAD_DATA with file and line in *err if the row was found; else *err is unchanged. `read` and
 * `encoding`: as the file was read with. */
HSP_API hsp_status hsp_train_locate(hsp_context *ctx, const char *path, const hsp_options *read,
                                    const hsp_encoding *encoding, hsp_error *err);

/* Learn one example at a time. `class_names` has `classes` names; features may grow with the rows.
 * Options that limit passes or time are HSP_USAGE: here the caller decides. */
typedef struct hsp_trainer hsp_trainer;
HSP_API hsp_status hsp_trainer_new(hsp_context *ctx, const hsp_options *options,
                                   const char *const *class_names, uint32_t classes,
                                   uint64_t features, hsp_error *err, hsp_trainer **out);
HSP_API void hsp_trainer_free(hsp_trainer *trainer);

typedef struct hsp_step {
    size_t size;        /* set by the caller: sizeof(hsp_step) */
    uint32_t predicted; /* before the step; HSP_NO_CLASS on the boundary */
    double score;       /* two classes: the score; more: of the true class minus the best other */
    int updated;        /* the weights changed */
} hsp_step;

/* Predict row `row` of a view with labels, then learn from it. */
HSP_API hsp_status hsp_trainer_step(hsp_trainer *trainer, const hsp_view *view, uint64_t row,
                                    hsp_error *err, hsp_step *step);
/* The current model. */
HSP_API hsp_status hsp_trainer_model(hsp_trainer *trainer, hsp_error *err, hsp_model **out);

/* ---- Cross-validation ------------------------------------------------------------------------ */

/* How a learner did on rows that it had not seen: the rows are divided into folds, and each fold is
 * predicted by a model trained on all the others (docs/tuning.md). */
typedef struct hsp_held_out {
    uint32_t folds;
    uint64_t rows, mistakes, ties; /* over all folds; a tie is a mistake */
    double error;                  /* the mean of the folds' errors */
    double standard_error;         /* of that mean: the folds' standard deviation / sqrt(folds) */
    uint32_t unconverged;          /* folds whose training ended before it converged */
    uint32_t inseparable;          /* folds without a model because no separator exists */
    const char *score_name;        /* the option `score`: what is chosen by */
    double score;                  /* its mean over the folds in which it is defined; NaN: none */
    double score_standard_error;   /* of that mean; NaN with fewer than two such folds */
    double majority;               /* the same of predicting the most frequent class always */
    uint32_t undefined;            /* folds in which the score is not defined */
    uint32_t unfinished; /* folds that the search did not come to; figures leave them out */
} hsp_held_out;

typedef struct hsp_fold {
    uint64_t rows, mistakes, ties; /* of the rows held out; rows 0: the fold was not finished */
    double error;                  /* mistakes / rows */
    double score;    /* by the option `score`; rows count by their weights. NaN: not defined */
    double majority; /* the score of predicting their most frequent class always */
    hsp_stop stop; /* why training on the others ended; HSP_STOP_INSEPARABLE: there is no model, and
                      every row is a mistake */
} hsp_fold;

/* Options of hsp_cross_validate: score (error, balanced-accuracy, auc, f1, mcc, log-loss, brier,
 * average-precision: docs/tuning.md), folds, time, group, fold-seed, run-seconds, held-out. */
HSP_API const hsp_option_table *hsp_validate_options(void);

/* Cross-validate the learner that `learner` are options of. Each class is divided evenly, at random
 * by the seed; the folds depend on the labels and the seed alone. Everything that the learner fits
 * to rows, scaling included, is fitted to the rows it trains on. Folds run in parallel, each on a
 * copy of its rows. The learner's max-seconds limits the whole call, run-seconds each fold.
 * `validate` NULL: the defaults. HSP_BAD_DATA if a class has only one row; a log warning if it has
 * fewer rows than there are folds. HSP_CANCELLED (the progress callback asked to stop) and
 * HSP_TIME_LIMIT: *out has the folds so far if any was finished; else it is not touched. */
typedef struct hsp_validation hsp_validation;
HSP_API hsp_status hsp_cross_validate(hsp_context *ctx, hsp_data *data, const hsp_options *learner,
                                      const hsp_options *validate, hsp_error *err,
                                      hsp_validation **out);
HSP_API void hsp_validation_free(hsp_validation *validation);
HSP_API const hsp_held_out *hsp_validation_held_out(const hsp_validation *validation);
HSP_API const hsp_fold *hsp_validation_fold(const hsp_validation *validation, uint32_t fold);
/* The classes of the models, and classes * classes counts, [true class * classes + predicted
 * class]; ties are in none. */
HSP_API uint32_t hsp_validation_classes(const hsp_validation *validation);
HSP_API const char *hsp_validation_class_name(const hsp_validation *validation,
                                              uint32_t class_index);
HSP_API const uint64_t *hsp_validation_confusion(const hsp_validation *validation);

/* ---- Tuning ---------------------------------------------------------------------------------- */

/* Options of hsp_tune: tune (NAME=LOW:HIGH:log:COUNT, NAME=LOW:HIGH:lin:COUNT or NAME=A,B,C; once
 * per option of the learner, or name in its kernel, as in poly(d, c): all combinations are tried;
 * none: values that suit the learner and the data), choose (best, one-standard-error), and those of
 * hsp_cross_validate that say what to measure, on which folds. */
HSP_API const hsp_option_table *hsp_tune_options(void);

/* What was tried, and what was chosen. */
typedef struct hsp_tuning hsp_tuning;
HSP_API void hsp_tuning_free(hsp_tuning *tuning);

/* Cross-validate a learner at every combination of values (a point), on the same folds; choose one;
 * train on all rows with it. `model` is what hsp_train makes with those options, and keeps the
 * table as its metadata "tuning". `learner` has all other options. Learners that minimise start
 * from the model of the neighbouring point: the same gap in less time.
 *
 * best: the best mean score. one-standard-error: the simplest point whose mean score is at most one
 * standard error (of the best) worse: the smallest C, the largest lambda, for any other
 * option the value given first; the first option in which two points differ decides. Of equally
 * good points the best is the simplest, too.
 *
 * `run` and `model` may be NULL: then nothing is trained on all rows. The learner's max-seconds
 * limits the search, and the training on all rows again; run-seconds limits each run. If the search
 * ends early, the best point so far is chosen among those with the most folds finished (or one fewer)
 * and trained, and hsp_tuning_stop says why; nothing is handed out if no fold was finished. If the
 * progress callback asks to stop, the call returns HSP_CANCELLED; it is asked again in the training
 * on all rows, which then ends as hsp_train does.
 *
 * nested K: the whole procedure is repeated K times, each time without one of K folds, which then
 * measures the model that was chosen without it (hsp_tuning_nested). */
HSP_API hsp_status hsp_tune(hsp_context *ctx, hsp_data *data, const hsp_options *learner,
                            const hsp_options *tune, hsp_error *err, hsp_tuning **out,
                            hsp_training *run, hsp_model **model);

/* The names of the tuned options, NULL past the last; the points, numbered from 0. */
HSP_API const char *hsp_tuning_option(const hsp_tuning *tuning, size_t option);
HSP_API uint64_t hsp_tuning_points(const hsp_tuning *tuning);
HSP_API const char *hsp_tuning_value(const hsp_tuning *tuning, uint64_t point, size_t option);
HSP_API const hsp_held_out *hsp_tuning_held_out(const hsp_tuning *tuning, uint64_t point);
HSP_API const hsp_fold *hsp_tuning_fold(const hsp_tuning *tuning, uint64_t point, uint32_t fold);
/* Is the best point at an end of the values of this option, and better than its neighbour? -1: the
 * least value, 1: the largest one, so that values beyond it may be better still; 0: no. */
HSP_API int hsp_tuning_edge(const hsp_tuning *tuning, size_t option);
/* Why the search ended: HSP_STOP_CONVERGED (all points were tried), HSP_STOP_REQUEST,
 * HSP_STOP_SECONDS. */
HSP_API hsp_stop hsp_tuning_stop(const hsp_tuning *tuning);
/* The score of the whole procedure by nested cross-validation; NULL: not asked for, or not done. */
HSP_API const hsp_held_out *hsp_tuning_nested(const hsp_tuning *tuning);
HSP_API uint64_t hsp_tuning_best(const hsp_tuning *tuning);
HSP_API uint64_t hsp_tuning_chosen(const hsp_tuning *tuning);

/* ---- From data to a model in one call --------------------------------------------------------- */

/* Options of hsp_auto: score (auto, error, balanced-accuracy, auc), max-seconds, seed. */
HSP_API const hsp_option_table *hsp_auto_options(void);

/* A candidate, and how it did in cross-validation. */
typedef struct hsp_search_try {
    const char *learner, *options; /* "svm", "--C 10 --scale standard" */
    uint64_t rows;                 /* of the sample it was tried on */
    uint32_t folds;
    double score, standard_error; /* NaN: it could not be learned from these rows */
    double error;
} hsp_search_try;

typedef struct hsp_search_report {
    const char *score_name; /* what was chosen by */
    double score,
        standard_error;      /* of the choice, on rows that had no part in it; NaN: not known */
    double majority;         /* the score of predicting the most frequent class always */
    uint64_t rows, mistakes; /* rows that were predicted so, and how many wrongly */
    uint32_t outer;          /* folds held out, each before a search of its own; 0: none */
    uint64_t search_rows;    /* of the sample that decided */
    uint64_t tried, chosen;  /* candidates; the number of the chosen one */
    const char *command;     /* "train svm --kernel rbf --gamma 0.1 --C 10 --scale standard" */
    double largest_class;    /* share of the rows */
    hsp_stop stop;           /* HSP_STOP_SECONDS, _REQUEST: the search was cut short */
} hsp_search_report;

/* Compare logistic regression, linear and RBF machines and nearest neighbours, scaled in the ways
 * that suit the data, over their parameters; train the best on all rows (docs/auto.md). The work
 * depends on the data alone, so the same data and seed give the same bits, unless max-seconds cuts
 * it short. `options` NULL: the defaults; `run` and `model` may be NULL. If the progress callback
 * asks to stop, the call returns HSP_CANCELLED with *out, and, if it could be trained in a moment,
 * the best model so far, or with nothing if no candidate was tried by then. */
typedef struct hsp_search hsp_search;
HSP_API hsp_status hsp_auto(hsp_context *ctx, hsp_data *data, const hsp_options *options,
                            hsp_error *err, hsp_search **out, hsp_training *run, hsp_model **model);
HSP_API void hsp_search_free(hsp_search *search);
HSP_API const hsp_search_report *hsp_search_result(const hsp_search *search);
/* The candidates, best first: those of the comparison that decided, then those of the comparisons
 * before, on smaller samples or fewer folds. NULL past the last. */
HSP_API const hsp_search_try *hsp_search_tried(const hsp_search *search, uint64_t i);

#ifdef __cplusplus
}
#endif

#endif
