/* halfspace: models in detail. What is inside, prediction of files, probabilities, nearest
 * neighbours, models of other programs. */
#ifndef HALFSPACE_MODEL_H
#define HALFSPACE_MODEL_H

#include "halfspace_data.h"

#ifdef __cplusplus
extern "C" {
#endif

/* ---- Models in memory ------------------------------------------------------------------------- */

/* The bytes that hsp_model_write writes, piece by piece to `take` (a return value other than 0:
 * HSP_CANCELLED), and a model from such bytes, which are copied. */
HSP_API hsp_status hsp_model_pack(hsp_context *ctx, const hsp_model *model, hsp_bytes_fn take,
                                  void *user, hsp_error *err);
HSP_API hsp_status hsp_model_unpack(hsp_context *ctx, const void *bytes, size_t size,
                                    hsp_error *err, hsp_model **out);

/* ---- Other programs' models ------------------------------------------------------------------ */

/* Read a model file of LIBSVM (c_svc, nu_svc) or LIBLINEAR (docs/models.md); it predicts the
 * classes that that program predicts, with its probabilities. HSP_BAD_DATA with file, line and column for other files. */
HSP_API hsp_status hsp_model_import(hsp_context *ctx, const char *path, hsp_error *err,
                                    hsp_model **out);
/* Write a model for "libsvm" or "liblinear". HSP_USAGE with a sentence for what that program cannot
 * express; a log note or warning where it would differ in a detail. */
HSP_API hsp_status hsp_model_export(hsp_context *ctx, const hsp_model *model, const char *format,
                                    const char *path, hsp_error *err);

/* ---- Inside a model -------------------------------------------------------------------------- */

/* "linear": weights and an offset per scorer. "votes": the sequence of updates, each standing for
 * the separator it led to (docs/perceptron.md). "kernel": some training rows, the support rows,
 * with a coefficient each per scorer: s(x) = sum of coefficient * k(row, x) + b (docs/models.md).
 * "neighbors": all rows, the nearest of which vote (docs/knn.md). */
HSP_API const char *hsp_model_hypothesis(const hsp_model *model);

/* The model's class for a label of some data set: the class of that name; in a model of one class
 * against the rest, 0 for every other label; otherwise the class whose name differs in case only or
 * by a final point, if there is just one; HSP_NO_CLASS for a label that it does not know. */
HSP_API uint32_t hsp_model_class_of(const hsp_model *model, const char *label);
HSP_API const char *hsp_model_feature_name(const hsp_model *model, uint64_t column); /* or NULL */

/* Has the model more than two classes and one scorer per pair of them, in the order (0,1), (0,2),
 * ..., (1,2), ...? And if several classes have the most votes: does the first of them win (1), or
 * the one with the largest sum of scores (0)? */
HSP_API int hsp_model_is_one_vs_one(const hsp_model *model);
HSP_API int hsp_model_vote_tie_to_first(const hsp_model *model);

/* The class that a positive score of a scorer means, and the one that a negative score means;
 * HSP_NO_CLASS: all the others. */
HSP_API uint32_t hsp_model_scorer_for(const hsp_model *model, uint32_t scorer);
HSP_API uint32_t hsp_model_scorer_against(const hsp_model *model, uint32_t scorer);
HSP_API hsp_tie hsp_model_tie(const hsp_model *model);
HSP_API const char *hsp_tie_name(hsp_tie tie);                          /* "neg", "pos", "zero" */
HSP_API const hsp_encoding *hsp_model_encoding(const hsp_model *model); /* or NULL */

/* A linear model, after scaling: s(x) = <w, x> + b. Votes: the last separator. NULL for a model
 * with a kernel. */
HSP_API const double *hsp_model_weights(const hsp_model *model, uint32_t scorer); /* features */
HSP_API double hsp_model_offset(const hsp_model *model, uint32_t scorer);

/* The same for rows as they are in their file, the scalings undone: `weights` (features) and
 * *offset, either may be NULL. 0, and nothing is written, if there is no such separator: a kernel, or
 * a scaling that divides rows by their norm or makes votes of them. */
HSP_API int hsp_model_file_weights(const hsp_model *model, uint32_t scorer, double *weights,
                                   double *offset);
/* The column of the CSV file that a feature was made from; NULL: not known. */
HSP_API const char *hsp_model_feature_source(const hsp_model *model, uint64_t column);
/* The scaling that the training rows went through first ("standard"); NULL: none. */
HSP_API const char *hsp_model_scaling_kind(const hsp_model *model);

/* The kernel expression of a kernel model, or of votes that have one; else NULL. */
HSP_API const char *hsp_model_kernel(const hsp_model *model);
/* How many support rows a kernel model has (other models: 0), and in *source (unless NULL) their
 * numbers, from 0, in the training data. Their coefficients (NULL for other models). */
HSP_API uint64_t hsp_model_support(const hsp_model *model, const uint64_t **source);
HSP_API const double *hsp_model_coefficients(const hsp_model *model, uint32_t scorer);

/* The coefficients of the training rows, `count` triples: scorer[i] has amount[i] times the row
 * row[i] (from 0). Online learners: how often the row was added (negative: subtracted). Learners
 * that minimise: dual coefficients with the sign of the class. 0 triples for a stream. */
typedef struct hsp_row_coefficients {
    uint64_t count;
    const uint64_t *row;
    const uint32_t *scorer;
    const double *amount;
} hsp_row_coefficients;
HSP_API hsp_row_coefficients hsp_model_row_coefficients(const hsp_model *model);

/* Metadata kept with the model, as text by name: learner, options (JSON), seed, passes, updates,
 * converged, data_rows, data_hash, data_hash_single, earlier_data_hashes, version, ...; NULL: there
 * is none of that name. The i-th name, NULL past the last. */
HSP_API const char *hsp_model_metadata(const hsp_model *model, const char *name);
HSP_API const char *hsp_model_metadata_name(const hsp_model *model, size_t i);

/* Set the options of a learner to those that the model was trained with. HSP_USAGE if they are of
 * another learner, or the model does not say. */
HSP_API hsp_status hsp_model_set_options(const hsp_model *model, hsp_options *options,
                                         hsp_error *err);

/* The same predictions in another normal form: "homogeneous" (one more feature that is always 1, no
 * offset), "unit" (weights of length 1), "threshold" (<w,x> > t; metadata "threshold": t = -b). */
HSP_API hsp_status hsp_model_form(hsp_context *ctx, const hsp_model *model, const char *form,
                                  hsp_error *err, hsp_model **out);

/* ---- Prediction ------------------------------------------------------------------------------ */

/* Set, among options of hsp_read_options, those that the caller has not set and that files to
 * predict should be read with: the precision and, for libsvm text, the first column's number of the
 * training data. A model trained in single precision gets rows rounded as its own were, except for
 * numbers that single precision does not hold (whole numbers beyond 2^24, numbers outside its
 * range): those are read in double precision. */
HSP_API hsp_status hsp_model_set_read(const hsp_model *model, hsp_options *read, hsp_error *err);

/* From the scores of one row to one number per class. The highest is the predicted class (several
 * highest: the tie rule decides) unless the model decides by probabilities. Two classes: -s and s.
 * One scorer per class: the scores. One-vs-one: the votes for the class plus s / (2 (1 + |s|)),
 * where s is the sum of its scores against the others. */
HSP_API void hsp_model_class_scores(const hsp_model *model, const double *scores, double *out);

/* How scores become probabilities (docs/probabilities.md): a link is a fixed function of the score
 * ("none", "logistic", "probit", "step"); a calibration ("none", "platt", "isotonic") was fitted,
 * and is used instead. */
HSP_API const char *hsp_model_link(const hsp_model *model);
HSP_API const char *hsp_model_calibration(const hsp_model *model);

/* Predict the second of two classes if its probability is above `threshold`, the first if it is
 * below; if it is equal the tie rule decides. Everything that predicts with the model follows, and
 * hsp_model_write keeps it. HSP_USAGE if it is not between 0 and 1, or the model has no
 * probabilities or more than two classes. No other thread may use the model during this call. */
HSP_API hsp_status hsp_model_set_threshold(hsp_model *model, double threshold, hsp_error *err);
HSP_API double hsp_model_threshold(const hsp_model *model); /* 0: not set */

/* Options of hsp_predict_file: scores, distance, probability, link, threshold, output-format, keep,
 * line-buffered. */
HSP_API const hsp_option_table *hsp_predict_options(void);

typedef struct hsp_prediction {
    size_t size; /* set by the caller: sizeof(hsp_prediction) */
    uint64_t rows, ties;
    uint64_t unknown; /* values in columns that the model does not know: ignored */
    uint64_t bad;     /* rows that could not be read: answered without a class (on-error=skip) */
} hsp_prediction;

/* Predict a file to a file ("-": the standard streams), streaming, in parallel, in order. One line
 * per row, in the format that the options say (docs/predicting.md); by default the class's name
 * ("0" on the boundary, or "boundary" if a class is named "0"), then, if asked for, the scores, the
 * signed distance and the probabilities of the classes. `read`: options of hsp_read_options, or
 * NULL; CSV is read with the model's encoding. A file without rows is no error. Rows of a
 * pipe are answered as they come. */
HSP_API hsp_status hsp_predict_file(hsp_context *ctx, const hsp_model *model, const char *path,
                                    const hsp_options *read, const hsp_options *predict,
                                    const char *out_path, hsp_error *err, hsp_prediction *out);

/* ---- Nearest neighbours ---------------------------------------------------------------------- */

/* A model of nearest neighbours (docs/knn.md). The pointers are into the model. */
typedef struct hsp_knn_report {
    size_t size;              /* set by the caller: sizeof(hsp_knn_report) */
    uint64_t rows, k;         /* training rows, all of which it keeps; neighbours that vote */
    const char *metric;       /* "l2", ...; "kernel": in the feature space of `kernel` */
    const char *kernel;       /* a kernel expression, or NULL */
    const char *vote;         /* "majority", "distance" */
    const char *index;        /* how neighbours are found: "tree", ... */
    int index_chosen;         /* 1: the library chose the index; 0: the user did */
    uint64_t tried;           /* leave-one-out was made for k = 1 .. tried; 0: k was given */
    const uint64_t *mistakes; /* tried: rows that their k nearest other rows get wrong */
} hsp_knn_report;
HSP_API int hsp_model_knn(const hsp_model *model, hsp_knn_report *out); /* 0: another model */

/* A training row near to some row. */
typedef struct hsp_neighbor {
    double distance;
    uint64_t row; /* its number, from 0, in the training data */
    uint32_t class_index;
} hsp_neighbor;

/* The k nearest (0: as many as vote) of each row of a view, nearest first; of equal distances the
 * earlier row: rows * k of them. HSP_USAGE for a model without neighbours, or with fewer than k. */
HSP_API hsp_status hsp_model_neighbors(hsp_context *ctx, const hsp_model *model,
                                       const hsp_view *view, uint64_t k, hsp_error *err,
                                       hsp_neighbor *out);

/* The neighbours of each row of a file, streaming. Text: one line per neighbour, tab-separated:
 * numbers of the row and of the neighbour, from 1, distance, class. JSON: an array, one line per
 * row: {"row":1,"neighbors":[{"row":7,"distance":0.5,"class":"a"}, ...]}. */
typedef enum hsp_neighbors_format { HSP_NEIGHBORS_TEXT, HSP_NEIGHBORS_JSON } hsp_neighbors_format;
HSP_API hsp_status hsp_neighbors_file(hsp_context *ctx, const hsp_model *model, const char *path,
                                      const hsp_options *read, uint64_t k,
                                      hsp_neighbors_format format, const char *out_path,
                                      hsp_error *err, hsp_prediction *out);

#ifdef __cplusplus
}
#endif

#endif
