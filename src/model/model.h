/* Inside of a model, for the modules that make and measure them. */
#ifndef HSP_MODEL_MODEL_H
#define HSP_MODEL_MODEL_H

#include <pthread.h>

#include "base/context.h"
#include "base/names.h"
#include "data/data.h"
#include "halfspace_all.h"
#include "kernel/kernel_rows.h"
#include "model/interleaved.h"
#include "model/support.h"
#include "knn/knn_index.h"

typedef enum hsp__hypothesis {
    HSP__LINEAR,
    HSP__VOTES,
    HSP__EXPANSION,
    HSP__NEIGHBORS
} hsp__hypothesis;

/* The order in which a score is summed (vec.h): dense rows over all columns, sparse ones over what
 * they store. A model keeps the order it was trained with, and rows in another storage are changed to
 * it before they are scored: so a score depends on the numbers of a row, not on how the file was
 * read. */
typedef enum hsp__order { HSP__ORDER_ANY, HSP__ORDER_DENSE, HSP__ORDER_SPARSE } hsp__order;

static inline hsp__order hsp__order_of(hsp_storage storage)
{
    return storage == HSP_DENSE ? HSP__ORDER_DENSE : HSP__ORDER_SPARSE;
}

/* The sequence of updates of a voted run. Update u adds amount[u] * (row support[u]) to scorer[u],
 * and offset[u] to that scorer's offset; updates of one step (more than two classes change two
 * scorers) stand together. Step t is made of updates first[t] .. first[t + 1] - 1, and the
 * separator after it survived `survived[t]` examples. */
typedef struct hsp__votes {
    hsp_data *rows; /* the distinct rows that were used, after scaling, as sparse or dense rows */
    hsp_kernel *kernel; /* in whose feature space; NULL: none. Owned */
    uint64_t updates, steps;
    uint32_t *support;  /* updates: index into rows */
    uint32_t *scorer;   /* updates */
    double *amount;     /* updates */
    double *offset;     /* updates */
    uint64_t *first;    /* steps + 1 */
    uint64_t *survived; /* steps */
    int apart; /* more than two classes: each scorer's separators vote for or against its class, by
                  the sign of their scores, and a class's score is (for - against) / all; else the
                  scorers of a step together vote for one class */
    uint64_t at_zero; /* examples that the zero separator survived, before the first step */
} hsp__votes;

/* From scores to probabilities (docs/probabilities.md): a link, which is a fixed function of the
 * score, or a calibration, which was fitted to scores of rows held out and is used instead of the
 * link. A calibration has one map for two classes, of the score to the second one's probability;
 * for more, one map per class, of the class's score, and the values are divided by their sum; or
 * one map per pair of classes, of the pair's score to the probability of its second class.
 * Scores are multiplied by `scale` first, which undoes the division that the unit form makes. */
typedef enum hsp__link {
    HSP__LINK_NONE,
    HSP__LINK_LOGISTIC,
    HSP__LINK_PROBIT,
    HSP__LINK_STEP,
    HSP__LINK_SOFTMAX
} hsp__link;

typedef enum hsp__calibration {
    HSP__CALIBRATION_NONE,
    HSP__CALIBRATION_PLATT,
    HSP__CALIBRATION_ISOTONIC,
    HSP__CALIBRATION_COUPLED /* one-vs-one: Platt's of each pair, coupled; LIBSVM's probabilities */
} hsp__calibration;

#define HSP__COUPLED_MOST 256 /* classes of coupled probabilities */

typedef struct hsp__probability {
    hsp__link link;
    hsp__calibration calibration;
    double scale;     /* > 0 */
    double threshold; /* two classes: the second one is predicted above this probability; 0: not
                         set (a calibrated model then has 1/2, others decide by the score) */
    double *
        platt; /* platt, coupled: maps * 2: slope a and offset b of p = 1 / (1 + exp(-(a s + b))) */
    uint64_t knots;  /* isotonic: points of lines that never fall, level beyond the outermost */
    uint64_t *first; /* maps + 1: map m has the knots first[m] .. first[m + 1] - 1 */
    double *at;      /* knots: scores, ascending within a map */
    double *value;   /* knots: in 0..1, never falling within a map */
} hsp__probability;

/* A kernel expansion: s_c(x) = sum_i coefficients[c * rows + i] k(x_i, x) + b_c. A row that several
 * scorers use is there once. model->weights is NULL, as it is of votes with a kernel, and
 * `features` the columns that rows had. Rows to be scored are scaled as for linear models; without
 * a scaling they are taken whole, columns beyond `features` too: distances and norms see every
 * column. */
typedef struct hsp__expansion {
    hsp_kernel *kernel; /* fitted; owned */
    hsp_data *rows;     /* the support rows, after scaling, without labels; owned */
    uint64_t *source;   /* rows: their numbers (from 0) in the training data; precomputed: the
                           columns that other rows are looked up in */
    double
        *coefficients; /* scorers * rows: a y of a machine, signed update counts of a perceptron */
} hsp__expansion;

/* The training rows, all of them: the k nearest vote (neighbors.c). model->weights is NULL, and
 * offsets are zeros. Rows to be scored are taken whole, as those of kernel models are. The index
 * that finds the nearest is made when enough rows are to be scored, and kept; it has no influence
 * on what is found. */
typedef enum hsp__vote_rule { HSP__VOTE_MAJORITY, HSP__VOTE_DISTANCE } hsp__vote_rule;

typedef struct hsp__neighbors {
    hsp_data *rows;     /* after scaling, without labels; owned */
    uint32_t *labels;   /* rows: classes of the model */
    uint64_t *source;   /* rows: their numbers (from 0) in the training data; NULL: the same */
    uint64_t k;         /* 1 .. rows */
    hsp__metric metric; /* the distance */
    hsp_kernel *kernel; /* METRIC_KERNEL: fitted; owned; else NULL */
    hsp__vote_rule vote;
    hsp__knn_kind index;  /* as it was asked for: AUTO is chosen by the data */
    uint64_t tried;       /* leave-one-out was made for k = 1 .. tried; 0: it was not */
    uint64_t *mistakes;   /* tried: rows that the k nearest others get wrong; NULL: none */
    pthread_mutex_t lock; /* of the two below: threads may share a model for prediction */
    uint64_t asked;       /* rows that were to be scored so far */
    hsp__knn_index *kept; /* NULL: not built yet */
} hsp__neighbors;

#define HSP__MODEL_SCALINGS 2

enum { HSP__PAIRS_SUM = 1, HSP__PAIRS_FIRST = 2 };

struct hsp_model {
    hsp_allocator memory;
    hsp__hypothesis hypothesis;
    uint32_t scorers; /* 1 for two classes, else one per class, or one per pair of classes */
    int pairs; /* more than two classes, one scorer per pair (i, j), i < j, in the order (0,1),
                         (0,2), ..., (1,2), ...: a positive score is a vote for j, and most votes
                         decide (docs/multiclass.md); of equal votes the sum of scores, or, when
                         this is HSP__PAIRS_FIRST, the first class, as LIBSVM has it */
    uint64_t features;
    double *weights; /* scorers * features; owned, or in the mapped file; NULL: there is a kernel */
    double *offsets; /* scorers */
    hsp_tie tie;
    hsp__order order; /* learners: hsp__order_of(the storage of the training rows) */
    int constant;     /* homogeneous form: the last feature is 1 in every row, and no row
                         stores it; score as hsp_model_score does */
    hsp__names class_names;
    hsp__names feature_names; /* features of them, or none */
    int rest;                 /* class 0 is "rest": whatever is not class 1 */
    int leaves_out;           /* rows of classes not named here are left out of measurements */
    hsp_encoding *encoding;   /* or NULL */
    hsp_scaling *scalings[HSP__MODEL_SCALINGS]; /* applied in order; NULL: none */
    hsp__names metadata_names;                  /* facts, by name ... */
    char **metadata_values;                     /* ... metadata_names.count of them */
    uint64_t facts_room;
    hsp__probability probability; /* arrays owned, or in the mapped file */
    hsp_row_coefficients updates; /* arrays owned, or in the mapped file */
    double *state;                /* state_count: what an online run needs besides weights to go on
                                     (learn/online/resume.h), likewise; NULL: nothing */
    uint64_t state_count;
    hsp__votes *votes;         /* of HSP__VOTES, else NULL */
    hsp__expansion *expansion; /* of HSP__EXPANSION, else NULL */
    hsp__neighbors *neighbors; /* of HSP__NEIGHBORS, else NULL */
    hsp__container *mapped;    /* owned, or NULL */
};

/* A linear model of zeros with names copied from nowhere: fill it in. */
hsp_status hsp__model_new(hsp_context *ctx, uint32_t scorers, uint64_t features, hsp_error *err,
                          hsp_model **out);
/* A model of a kernel expansion of these rows, with sources and coefficients of zero: fill it in.
 * Kernel (fitted) and rows become the model's; they are freed when the call fails. `features`: at
 * least the columns of the rows. */
hsp_status hsp__model_new_expansion(hsp_context *ctx, uint32_t scorers, uint64_t features,
                                    hsp_kernel *kernel, hsp_data *rows, hsp_error *err,
                                    hsp_model **out);

/* A model of the nearest of these rows (which become the model's; they are freed when the call
 * fails), with labels of zero, k = 1, and no sources: fill it in. */
hsp_status hsp__model_new_neighbors(hsp_context *ctx, uint32_t scorers, uint64_t features,
                                    hsp_data *rows, hsp_error *err, hsp_model **out);

/* The kernel of an expansion, or of votes or neighbours that have one; else NULL. */
static inline const hsp_kernel *hsp__model_kernel(const hsp_model *model)
{
    if (model->expansion) return model->expansion->kernel;
    if (model->neighbors) return model->neighbors->kernel;
    return model->votes ? model->votes->kernel : NULL;
}

/* Does every column of a row count, and its storage not? Distances and norms see them all. */
static inline int hsp__model_takes_whole(const hsp_model *model)
{
    return model->neighbors || hsp__model_kernel(model);
}

/* ||w|| of a scorer of an expansion in the kernel's feature space: sqrt(a'Ka), as many kernel
 * values as pairs of support rows. NaN when a kernel that is none makes a'Ka negative. */
hsp_status hsp__expansion_length(hsp_context *ctx, const hsp_model *model, uint32_t scorer,
                                 hsp_error *err, double *length);

/* An expansion whose kernel is a weighted inner product plus a constant (linear, c*linear, sums of
 * such, on some columns only) as a linear model: *out is NULL when it is not such a kernel. Scores
 * differ by rounding only. */
hsp_status hsp__model_collapse(hsp_context *ctx, const hsp_model *model, hsp_error *err,
                               hsp_model **out);

/* Set a fact, or replace it. Names and values must be UTF-8 for the model to be written. */
hsp_status hsp__model_set_metadata(hsp_model *model, const char *name, const char *value,
                                   hsp_error *err);

/* Room for the hash of a data set (learn/prepare.h), and how one begins that is of rows rounded to
 * single precision. */
#define HSP__HASH_TEXT   20
#define HSP__HASH_SINGLE "single:"

/* trained.c: was the model trained on data with this hash, itself or through the models that it
 * began at? UNKNOWN: it does not say what it was trained on, or one of those did not. */
typedef enum hsp__trained { HSP__TRAINED_NO, HSP__TRAINED_YES, HSP__TRAINED_UNKNOWN } hsp__trained;
hsp__trained hsp__model_trained_on(const hsp_model *model, const char *hash);
/* The model began at `start`, or at something trained on data with these hashes (separated by
 * blanks). */
hsp_status hsp__model_add_start(hsp_model *model, const hsp_model *start, hsp_error *err);
hsp_status hsp__model_add_earlier(hsp_model *model, const char *hashes, hsp_error *err);

/* Is the model whole: classes and scorers go together, names, scalings and encoding fit the
 * features, all numbers are finite, all indices in range? HSP_BAD_DATA with a sentence; `file` may
 * be NULL. Reading and writing both ask. */
hsp_status hsp__model_check(hsp_context *ctx, const hsp_model *model, const char *file,
                            hsp_error *err);

/* A model file of halfspace. */
hsp_status hsp__model_file_read(hsp_context *ctx, const char *path, hsp_error *err,
                                hsp_model **out);

/* A model file in memory; the bytes are 8-byte aligned and outlive the model. `verify`: compare the
 * arrays with their checksums, as reading a file always does. */
hsp_status hsp__model_parse(hsp_context *ctx, const void *bytes, size_t size, const char *name,
                            int verify, hsp_error *err, hsp_model **out);

/* A copy of a linear model that owns all it has. Of an expansion: a linear model with all but its
 * hypothesis, the weights being zero. */
hsp_status hsp__model_copy(hsp_context *ctx, const hsp_model *model, hsp_error *err,
                           hsp_model **out);

/* The columns that rows may have: features, without the constant one. */
static inline uint64_t hsp__model_inputs(const hsp_model *model)
{
    return model->features - (model->constant ? 1 : 0);
}

/* What is added to <w, x> of the stored columns: the offset, and the constant feature's weight. */
static inline double hsp__model_bias(const hsp_model *model, uint32_t scorer)
{
    if (!model->constant) return model->offsets[scorer];
    return model->offsets[scorer] + model->weights[(scorer + 1) * model->features - 1];
}

/* As hsp_model_class_of, but only the class of that very name (or the rest): for what is proven. */
uint32_t hsp__model_exact_class(const hsp_model *model, const char *label);

/* The class for each label of the data; notes name labels that are not spelled as their class. */
void hsp__model_classes_of(hsp_context *ctx, const hsp_model *model, const hsp_data *data,
                           uint32_t *class_of);

/* Class of a row from its scores: by the largest calibrated probability, by the threshold, or by
 * the scores; equal ones by the model's tie rule. The one place where that is decided. */
uint32_t hsp__model_decide(const hsp_model *model, const double *scores);
/* The same by another map than the model's own. */
uint32_t hsp__decide_by(const hsp_model *model, const hsp__probability *map, const double *scores);

/* The scorer of the pair (i, j), i < j < classes. */
static inline uint64_t hsp__pair(uint64_t classes, uint64_t i, uint64_t j)
{
    return i * (2 * classes - i - 1) / 2 + (j - i - 1);
}

static inline uint64_t hsp__pair_count(uint64_t classes)
{
    return classes * (classes - 1) / 2;
}

/* The rule alone, for learners: two classes (scorers 1) or more. */
uint32_t hsp__decide(const double *scores, uint32_t scorers, hsp_tie tie);

/* Rows as the model's weights see them: without columns that it does not know, scaled by its
 * scalings, in its order. *out is NULL when the view is that already; else the caller frees it.
 * Sound for hsp__row_score with every scorer. */
hsp_status hsp__model_scale(hsp_context *ctx, const hsp_model *model, const hsp_view *view,
                            hsp_error *err, hsp_data **out);
/* The same; values other than zero in columns that the model does not know are added to *unknown.
 */
hsp_status hsp__model_scale_counting(hsp_context *ctx, const hsp_model *model, const hsp_view *view,
                                     uint64_t *unknown, hsp_error *err, hsp_data **out);

/* <w, x> + b of one row that is scaled already; w has at least the columns of the view. Accumulated
 * in double in the fixed order of the vec room: training, prediction and measuring all come here,
 * so they agree to the bit. */
double hsp__row_score(const hsp_view *view, uint64_t i, const double *w, double b);

/* A model made ready to score many rows. */
typedef struct hsp__scoring {
    const hsp_model *model;
    hsp__interleaved interleaved; /* columns 0: none */
    hsp__support support;         /* of a model with a kernel */
    hsp__knn_index *near;         /* of a model of neighbours */
} hsp__scoring;

/* `rows`, `entries`: about how many rows and numbers are to be scored; few are not worth the
 * preparation. */
hsp_status hsp__scoring_init(hsp__scoring *scoring, hsp_context *ctx, const hsp_model *model,
                             uint64_t rows, uint64_t entries, hsp_error *err);
void hsp__scoring_free(hsp__scoring *scoring, hsp_context *ctx);

/* Scores of rows as the file has them, into rows * scorers: what hsp_model_score does to a part of
 * its rows. `quiet` is a context of the calling thread alone (hsp__quiet). Values other than zero
 * in columns that the model does not know are added to *unknown. */
hsp_status hsp__model_score_rows(hsp_context *quiet, const hsp__scoring *scoring,
                                 const hsp_view *rows, uint64_t *unknown, hsp_error *err,
                                 double *scores);

/* Tell the log how many values were passed over so. */
void hsp__model_tell_unknown(hsp_context *ctx, const hsp_model *model, uint64_t unknown);

#endif
