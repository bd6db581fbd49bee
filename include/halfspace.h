/* halfspace: learn linear separators and kernel machines, and prove what is claimed about them.
 *
 * This header has what most programs need. Twenty calls make a whole program:
 *
 *     hsp_context_new      hsp_data_read        hsp_options_for         hsp_train
 *     hsp_context_free     hsp_data_borrow      hsp_options_set         hsp_model_write
 *     hsp_error_text       hsp_data_set_weights hsp_options_set_real    hsp_model_read
 *     hsp_view_dense       hsp_data_class_name  hsp_options_set_flag    hsp_model_score
 *     hsp_view_sparse      hsp_data_free        hsp_options_free        hsp_model_free
 *
 * examples/train.c and examples/arrays.c use them. The other headers hold the rest:
 *
 *     halfspace_options.h  tables of options, for programs that show or parse them
 *     halfspace_data.h     writing, encodings, splitting, scaling, generating and summarising data
 *     halfspace_model.h    what is inside a model, prediction of files, other programs' models
 *     halfspace_learn.h    streaming, one example at a time, cross-validation, tuning
 *     halfspace_kernel.h   kernel expressions and Gram matrices
 *     halfspace_html.h     a web page on a model and its data
 *     halfspace_prove.h    certificates: making and checking them
 *     halfspace_report.h   fields of reports by name: JSON and tables
 *     halfspace_theory.h   mistake bounds, bounds on the true error, sample sizes
 *     halfspace_all.h      all of them
 *
 * Conventions. A call that can fail returns an hsp_status and fills the caller's hsp_error. It
 * writes its results through its last pointers, and leaves them alone on failure. If a pointer that
 * a call needs is NULL, it returns HSP_USAGE with a sentence; a call without a status returns 0,
 * NULL or NaN. Objects have a _free function, which accepts NULL. The library does not print, exit,
 * or keep global state. Counts have 64 bits.
 *
 * Reports. A struct that a call fills begins with `size`: set it to the sizeof the struct before the
 * call (`hsp_training run; run.size = sizeof run;`). Later versions of the library add members at
 * the end and fill only those that fit, so programs need not be compiled again. Structs that the
 * library owns and hands out by pointer grow in the same way: do not copy them.
 *
 * Threads. A context belongs to one thread at a time; give each thread its own. A model is
 * read-only to every call that takes it as `const hsp_model *`: several threads may predict with
 * one model at the same time, each with its own context. All other objects belong to one thread at
 * a time. */
#ifndef HALFSPACE_H
#define HALFSPACE_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#if defined(__GNUC__)
#define HSP_API __attribute__((visibility("default")))
#else
#define HSP_API
#endif

/* ---- Status and errors ----------------------------------------------------------------------- */

/* One list makes the codes, the exit status of the command and the messages.
 *   X(code, exit status of the command, meaning) */
#define HSP_STATUS_MAP(X)                                                        \
    X(HSP_OK, 0, "done")                                                         \
    X(HSP_USAGE, 2, "a call, option or name cannot be used as given")            \
    X(HSP_BAD_DATA, 3, "the data or file is not what was expected")              \
    X(HSP_NO_MEMORY, 4, "out of memory")                                         \
    X(HSP_IO, 4, "the system could not read or write a file")                    \
    X(HSP_UNSUPPORTED, 4, "this build lacks a part that the call needs")         \
    X(HSP_TIME_LIMIT, 4, "the time limit was reached before there was a result") \
    X(HSP_CANCELLED, 130, "stopped on request")

#define HSP_STATUS_ENUM(code, exit_status, text) code,
typedef enum hsp_status { HSP_STATUS_MAP(HSP_STATUS_ENUM) HSP_STATUS_COUNT } hsp_status;
#undef HSP_STATUS_ENUM

/* The name of a status ("HSP_BAD_DATA"), its meaning, and the command's exit status for it. */
HSP_API const char *hsp_status_name(hsp_status status);
HSP_API const char *hsp_status_text(hsp_status status);
HSP_API int hsp_status_exit(hsp_status status);

/* What went wrong and where. The caller owns it: `hsp_error err = HSP_ERROR_INIT;` in C and C++.
 * A call that succeeds does not touch it. Every call accepts NULL instead. */
typedef struct hsp_error {
    hsp_status status;
    uint64_t line;     /* from 1; 0: none */
    uint64_t column;   /* from 1, in bytes; 0: none */
    char file[256];    /* as the caller named it, cut from the left if it is longer; "": none. For a
                          wrong option, the option: "--margin" */
    char message[512]; /* a sentence: "found 'nan', expected a finite decimal number" */
} hsp_error;

#define HSP_ERROR_INIT       \
    {                        \
        HSP_OK, 0, 0, "", "" \
    }

/* The error in one line, "file:line:column: message", cut to `size` bytes. Returns `buffer`. */
HSP_API char *hsp_error_text(const hsp_error *err, char *buffer, size_t size);

/* The library's version, "major.minor.patch". */
HSP_API const char *hsp_version(void);

/* ---- Context --------------------------------------------------------------------------------- */

typedef struct hsp_context hsp_context;

/* Memory from the caller. `reallocate` follows C's realloc (pointer NULL and size > 0: a new
 * block); `release` frees. Several threads may call both at the same time. */
typedef struct hsp_allocator {
    void *(*reallocate)(void *user, void *pointer, size_t size);
    void (*release)(void *user, void *pointer);
    void *user;
} hsp_allocator;

/* A context: one thread per processor, no progress, no log. `allocator` NULL: malloc. The
 * allocator's functions must outlive every object made with the context. */
HSP_API hsp_status hsp_context_new(const hsp_allocator *allocator, hsp_context **out);
HSP_API void hsp_context_free(hsp_context *ctx);

/* How many threads a call may use, 1 to 256; 0: one per processor. No result depends on it. */
HSP_API hsp_status hsp_context_set_threads(hsp_context *ctx, int threads);
HSP_API int hsp_context_threads(const hsp_context *ctx);

/* The progress of a long call: `done` of `total` units of the current phase. */
typedef struct hsp_progress {
    const char *phase; /* "reading", "training", ... */
    const char *unit;  /* "bytes", "rows", "passes", ...; "": nothing is counted */
    uint64_t done;     /* units */
    uint64_t total;    /* units; 0: unknown */
    double gap;        /* training that minimises: the solver's current estimate of the duality gap;
                          else NaN */
    double target;     /* the gap at which training ends; else NaN */
} hsp_progress;

/* Called every 20 to 50 milliseconds during a long call, on the thread that made the call. A
 * return value other than 0 asks the call to stop. It then returns HSP_CANCELLED and leaves no
 * output file. Training hands out the best model so far, if there is one: see hsp_train. */
typedef int (*hsp_progress_fn)(void *user, const hsp_progress *progress);
HSP_API void hsp_context_set_progress(hsp_context *ctx, hsp_progress_fn fn, void *user);

/* What a user should know although the call succeeded ("12 values of column 'job' were not seen
 * before"): one sentence per call, without a newline, on the calling thread. */
typedef enum hsp_log_level { HSP_LOG_NOTE, HSP_LOG_WARNING } hsp_log_level;
typedef void (*hsp_log_fn)(void *user, hsp_log_level level, const char *sentence);
HSP_API void hsp_context_set_log(hsp_context *ctx, hsp_log_fn fn, void *user);

/* ---- Options --------------------------------------------------------------------------------- */

/* Values of the options of a learner or of another call, with defaults where none was set.
 * docs/learners.md lists the options; halfspace_options.h reads the list from C. */
typedef struct hsp_options hsp_options;

/* The options of a learner by its name: "perceptron", "winnow", "experts", "svm", "logistic",
 * "lp", "knn". HSP_USAGE for another name, with the nearest one. */
HSP_API hsp_status hsp_options_for(hsp_context *ctx, const char *learner, hsp_error *err,
                                   hsp_options **out);
HSP_API void hsp_options_free(hsp_options *options);

/* Set an option by name, from text as the command line has it (any type), or from a value of its
 * type. A list gets one more item. HSP_USAGE with a sentence: unknown name (with the nearest one),
 * wrong type, out of range, not among the choices. */
HSP_API hsp_status hsp_options_set(hsp_options *options, const char *name, const char *value,
                                   hsp_error *err);
HSP_API hsp_status hsp_options_set_real(hsp_options *options, const char *name, double value,
                                        hsp_error *err);
HSP_API hsp_status hsp_options_set_integer(hsp_options *options, const char *name, int64_t value,
                                           hsp_error *err);
HSP_API hsp_status hsp_options_set_flag(hsp_options *options, const char *name, int value,
                                        hsp_error *err);
HSP_API hsp_status hsp_options_set_text(hsp_options *options, const char *name, const char *value,
                                        hsp_error *err);

/* The value of an option. To ask for a name that does not exist, or for another type, is an error
 * in the program (an assertion). A text or choice without value and default is NULL. */
HSP_API int hsp_options_is_set(const hsp_options *options, const char *name);
HSP_API double hsp_options_real(const hsp_options *options, const char *name);
HSP_API int64_t hsp_options_integer(const hsp_options *options, const char *name);
HSP_API int hsp_options_flag(const hsp_options *options, const char *name);
HSP_API const char *hsp_options_text(const hsp_options *options, const char *name);
HSP_API size_t hsp_options_list_count(const hsp_options *options, const char *name);
HSP_API const char *hsp_options_list_item(const hsp_options *options, const char *name, size_t i);

/* ---- Views: the caller's arrays -------------------------------------------------------------- */

typedef enum hsp_storage {
    HSP_DENSE,  /* values[i * stride + j] */
    HSP_SPARSE, /* compressed sparse rows: columns and values of the non-zeros, row after row */
    HSP_ONES    /* sparse, columns only: every stored value is 1 */
} hsp_storage;

typedef enum hsp_precision { HSP_FLOAT32, HSP_FLOAT64 } hsp_precision;

/* Rows in memory that the caller owns. The two functions below fill it; set `labels` and `classes`
 * afterwards. */
typedef struct hsp_view {
    hsp_storage storage;
    hsp_precision precision; /* of values: float or double */
    uint64_t rows, cols;     /* cols <= 2^32 */
    uint64_t stride;         /* dense: values from one row to the next, >= cols */
    const void *values;      /* dense: rows * stride; sparse: one per non-zero; ones: NULL */
    const void *starts;      /* sparse: rows + 1 offsets into indices and values, ascending */
    int starts_bytes;        /* sparse: size of an offset, 8 (uint64_t) or 4 (uint32_t; scipy's
                                int32 fits) */
    const uint32_t *indices; /* sparse: columns from 0, strictly ascending within a row */
    const uint32_t *labels;  /* rows: the class of each row, from 0; NULL: no labels */
    uint32_t classes;        /* labels are below this */
} hsp_view;

/* A view of dense rows, or of compressed sparse rows (values NULL: all ones), without labels. */
HSP_API hsp_view hsp_view_dense(hsp_precision precision, uint64_t rows, uint64_t cols,
                                uint64_t stride, const void *values);
HSP_API hsp_view hsp_view_sparse(hsp_precision precision, uint64_t rows, uint64_t cols,
                                 int starts_bytes, const void *starts, const uint32_t *indices,
                                 const void *values);

/* ---- Data sets ------------------------------------------------------------------------------- */

/* Labelled rows with the names of classes and features. */
typedef struct hsp_data hsp_data;
typedef struct hsp_encoding hsp_encoding; /* halfspace_data.h */

/* Read a file ("-": standard input): libsvm text, CSV, TSV or a binary cache, told apart by content
 * and name; gz, bz2, xz and zst are unpacked. `options`: of hsp_read_options, or NULL (defaults).
 * `encoding` NULL: a CSV file gets an encoding of its own. Otherwise its columns are read as that
 * encoding has them; categories that it does not know become zeros, and a log warning counts them.
 */
HSP_API hsp_status hsp_data_read(hsp_context *ctx, const char *path, const hsp_options *options,
                                 const hsp_encoding *encoding, hsp_error *err, hsp_data **out);

/* Read several files into one data set, their rows one after the other. All are text of one format;
 * CSV files have a header each, with the same names in the same order, or none. The first file
 * decides what its columns are. Errors name the file and its line. Where a call takes the path of a
 * data file, names joined by line breaks ("\n") are several files, too. */
HSP_API hsp_status hsp_data_read_files(hsp_context *ctx, const char *const *paths, size_t count,
                                       const hsp_options *options, const hsp_encoding *encoding,
                                       hsp_error *err, hsp_data **out);

/* A data set of the caller's arrays. hsp_data_borrow copies no rows: the arrays must stay, and stay
 * the same, until the data set is freed. Stored zeros of sparse rows are HSP_BAD_DATA.
 * hsp_data_copy copies the arrays and leaves stored zeros out. Both check the view first (offsets
 * and columns ascending and in range, values finite, labels below `classes`): HSP_BAD_DATA with the
 * first row that is wrong. `class_names` has view->classes names, or is NULL ("0", "1", ...);
 * `feature_names` has view->cols names, by which models read CSV files, or is NULL (by place). Copied. */
HSP_API hsp_status hsp_data_borrow(hsp_context *ctx, const hsp_view *view,
                                   const char *const *class_names, const char *const *feature_names,
                                   hsp_error *err, hsp_data **out);
HSP_API hsp_status hsp_data_copy(hsp_context *ctx, const hsp_view *view,
                                 const char *const *class_names, const char *const *feature_names,
                                 hsp_error *err, hsp_data **out);
HSP_API void hsp_data_free(hsp_data *data);

/* Weights of the rows, for learners that have the option row-weight (others: HSP_USAGE when they
 * train). Finite, >= 0, not all 0; a row of weight 0 takes no part. They are copied. NULL: all 1.
 */
HSP_API hsp_status hsp_data_set_weights(hsp_data *data, const double *weights, hsp_error *err);

HSP_API uint64_t hsp_data_rows(const hsp_data *data);
HSP_API uint64_t hsp_data_cols(const hsp_data *data);
HSP_API uint32_t hsp_data_classes(const hsp_data *data);
HSP_API const char *hsp_data_class_name(const hsp_data *data, uint32_t class_index);
HSP_API const char *hsp_data_feature_name(const hsp_data *data, uint64_t column); /* or NULL */

/* The rows. The first call checks the arrays of a binary cache, so that a corrupt file is an error
 * here and not a crash later. The view lives as long as the data set. */
HSP_API hsp_status hsp_data_view(hsp_context *ctx, hsp_data *data, hsp_error *err,
                                 const hsp_view **out);

/* ---- Models ---------------------------------------------------------------------------------- */

/* A score of exactly 0 means the negative class, the positive class, or neither (docs/ties.md).
 * More than two classes with equal highest scores: the first, the last, or neither. */
typedef enum hsp_tie { HSP_TIE_NEG, HSP_TIE_POS, HSP_TIE_ZERO } hsp_tie;

/* The class index that means "neither: on the boundary". */
#define HSP_NO_CLASS UINT32_MAX

/* What was learned, with all that prediction needs: classes, encoding, scalings. Two classes have
 * one score, and a positive score means the second class. More classes have one score per class
 * (the highest wins) or one per pair of classes (they vote): docs/multiclass.md. A calibrated model
 * predicts its most probable class instead (docs/probabilities.md). */
typedef struct hsp_model hsp_model;
/* Files of halfspace, and of LIBSVM and LIBLINEAR (see hsp_model_import in halfspace_model.h). */
HSP_API hsp_status hsp_model_read(hsp_context *ctx, const char *path, hsp_error *err,
                                  hsp_model **out);
HSP_API hsp_status hsp_model_write(hsp_context *ctx, const hsp_model *model, const char *path,
                                   hsp_error *err);
HSP_API void hsp_model_free(hsp_model *model);

HSP_API uint32_t hsp_model_classes(const hsp_model *model);
HSP_API const char *hsp_model_class_name(const hsp_model *model, uint32_t class_index);
HSP_API uint64_t hsp_model_features(const hsp_model *model);
HSP_API uint32_t hsp_model_scorers(const hsp_model *model); /* how many scores a row has */

/* Predict rows as they are in their file; the model's scalings are applied on the way. `scores` has
 * rows * scorers, row after row; `classes` (or NULL) gets the class of each row. Rows may have
 * fewer or more columns than the model: columns that it does not know are ignored, and a log
 * warning counts the values in them. (A kernel or nearest-neighbour model without scaling uses
 * every column: norms and distances depend on all of them.) No rows are copied. */
HSP_API hsp_status hsp_model_score(hsp_context *ctx, const hsp_model *model, const hsp_view *view,
                                   hsp_error *err, double *scores, uint32_t *classes);

/* Probabilities of the classes from the scores of one row; they sum to 1. The predicted class has
 * the highest. For models that have probabilities (docs/probabilities.md). */
HSP_API int hsp_model_has_probabilities(const hsp_model *model);
HSP_API void hsp_model_probabilities(const hsp_model *model, const double *scores, double *out);

/* ---- Training -------------------------------------------------------------------------------- */

typedef enum hsp_stop {
    HSP_STOP_CONVERGED,
    HSP_STOP_STALLED, /* no step gets further, though passes were left: rounding, or overflow */
    HSP_STOP_PASSES,
    HSP_STOP_UPDATES,
    HSP_STOP_SECONDS,
    HSP_STOP_REQUEST,    /* the progress callback asked: the call returns HSP_CANCELLED */
    HSP_STOP_INSEPARABLE /* a separator was demanded and none exists: no model, see run->evidence */
} hsp_stop;

/* "converged", "stalled", "passes", "updates", "seconds", "request", "inseparable". */
HSP_API const char *hsp_stop_name(hsp_stop stop);

/* How close to the optimum a run came, for learners that minimise an objective (docs/svm.md). All
 * figures are about the training rows and the model's weights, after the learner's scaling, or in
 * the kernel's feature space. More than two classes: objectives and counts are sums over the binary
 * problems, residuals the largest, unless noted. NaN: does not apply. */
typedef struct hsp_convergence {
    const char *solver;    /* "dcd", "newton", ...; NULL: does not apply */
    double lambda, C;      /* C = 1 / (lambda n), n the total weight of the rows */
    double objective;      /* J = (1/n) sum of losses + (lambda/2) ||w||^2 of the weights in the
                              model, rounded up; hard margin: ||w||^2 / 2 */
    double dual_objective; /* proven lower bound: no weights have a smaller objective; lp: of the
                              dual program, up to rounding */
    double scaled_objective, scaled_dual_objective; /* both divided by lambda, as LIBSVM and
                              LIBLINEAR print them; hard margin: the same numbers */
    double gap;               /* relative duality gap: (objective - dual_objective) / objective */
    double rounding;          /* the part of the gap that rounding errors may be */
    uint64_t support_vectors; /* distinct rows with a dual coefficient; UINT64_MAX: not known */
    uint64_t support_sum;     /* the same, counted once per binary problem. Of these: */
    uint64_t on_margin, inside, wrong_side; /* y s(x) = 1 as far as the gap can tell; < 1; < 0 */
    double margin; /* geometric: the smallest y s(x) / ||w|| of the training rows,
                      negative if one is misclassified. Smallest of all problems: */
    uint32_t margin_class, margin_other; /* of this class against the rest (other: UINT32_MAX) or
                                 against the other; both UINT32_MAX: there is one problem */
    double inverse_norm; /* 1 / ||w||, the distance from s = 0 to s = +-1; the smallest */
    double stationarity; /* KKT: ||w - sum a y x|| / max(||w||, sum a ||x||) */
    double primal_feasibility, dual_feasibility, complementarity; /* KKT residuals */
    uint64_t reserved[8]; /* for later members, which may not move those of hsp_training */
} hsp_convergence;

/* Why no hyperplane separates two classes: multipliers, summing to 1 in each class, with which the
 * rows of both classes have (almost) the same mean, a point of both convex hulls. For hyperplanes
 * through the origin: multipliers summing to 2 with which the rows, those of the first class
 * negated, sum to almost 0. */
typedef struct hsp_evidence {
    uint64_t count;
    uint64_t *row;      /* ascending, from 0, in the data given to hsp_train */
    double *multiplier; /* > 0 */
    double distance;    /* between the two means, after the learner's scaling: rounding only */
    double margin;      /* no separator has a larger margin than this: distance / 2 */
    char *of, *against; /* more than two classes: those that are not separable; against NULL: of
                           and the rest. Two classes: both NULL */
} hsp_evidence;
HSP_API void hsp_evidence_free(hsp_evidence *evidence);

/* The experts compared with the best of them in hindsight (docs/experts.md). */
typedef struct hsp_experts_report {
    uint64_t count, examples; /* N, 0: does not apply; rows voted on, over all passes */
    int several, randomized;  /* one vote per class, and no more figures; predictions were drawn */
    uint64_t mistakes;        /* m */
    double expected, deviation; /* randomized: mean and standard deviation of m */
    uint64_t best;              /* column, from 0, of the first expert with the fewest mistakes */
    int negated, held;          /* it is that column's negation; expected <= bound */
    double best_mistakes;       /* m*; an abstention counts 1/2 */
    double best_share, bound;   /* its final share of the weight; the theorem's bound on expected */
    uint64_t reserved[8];
} hsp_experts_report;

/* What a run did. */
typedef struct hsp_training {
    size_t size; /* set by the caller: sizeof(hsp_training) */
    uint64_t rows, cols, nonzeros;
    uint32_t classes, parts; /* of the rows, averaged after each pass (docs/perceptron.md); or 0 */
    uint64_t passes, updates, mistakes_last_pass;
    hsp_stop stop;
    double training_error; /* share of rows wrong at the end; NaN for a stream */
    double online_error;   /* online: each row of the first pass predicted, then learned from */
    uint64_t online_rows;  /* rows of that pass; fewer than `rows` if it was cut short */
    double train_seconds;
    double radius;                    /* the largest norm of a row after scaling; NaN: not known */
    int has_convergence, has_experts; /* 1: the following applies to this learner */
    hsp_convergence convergence;      /* of a learner that minimises an objective */
    hsp_experts_report experts;       /* of the learner experts */
    hsp_evidence *evidence; /* HSP_STOP_INSEPARABLE: why; the caller frees it. Else NULL */
} hsp_training;

/* Learn from a data set; `options` say which learner. `run` may be NULL. A run that did not
 * converge is not an error: see run->stop. Nor is "not separable" where a separator was demanded:
 * then run->stop is HSP_STOP_INSEPARABLE and *out is NULL. Both are found in double precision;
 * hsp_confirm (halfspace_prove.h) confirms them in exact arithmetic.
 *
 * If the progress callback asks to stop, the call returns HSP_CANCELLED. If there is a model by
 * then, *out is the best so far (free it as usual), *run describes it, and run->stop is
 * HSP_STOP_REQUEST; figures that would take long are NaN. If not, *out and *run are untouched: set
 * *out to NULL before the call. The limit max-seconds does the same with HSP_OK and
 * HSP_STOP_SECONDS; without a model the call returns HSP_TIME_LIMIT. */
HSP_API hsp_status hsp_train(hsp_context *ctx, hsp_data *data, const hsp_options *options,
                             hsp_error *err, hsp_training *run, hsp_model **out);

/* The same, starting from a model of the same kind of data (warm start): fewer passes to the same
 * answer. HSP_USAGE for a learner that cannot. */
HSP_API hsp_status hsp_train_from(hsp_context *ctx, hsp_data *data, const hsp_options *options,
                                  const hsp_model *start, hsp_error *err, hsp_training *run,
                                  hsp_model **out);

/* ---- Evaluation ------------------------------------------------------------------------------ */

/* A model on labelled rows. NaN: does not apply. Without rows: all figures. More than two classes:
 * the last three distances. Votes, nearest neighbours and one-vs-one: hinge loss, margins and
 * distances. Kernel models with more than 4096 support rows: what is divided by ||w||. A label that
 * the model does not know is a mistake, and takes no part in the other figures; a log warning
 * counts such rows. Rows with weights (hsp_data_set_weights) count by them in means and shares. */
typedef struct hsp_evaluation {
    size_t size; /* set by the caller: sizeof(hsp_evaluation) */
    uint64_t n, mistakes, ties;
    uint64_t left_out; /* rows of classes that the model was told to leave out */
    double error, accuracy, balanced_accuracy;
    double auc;                   /* ties count 1/2; more classes: mean, each against the rest */
    double log_loss;              /* mean of -log p(class of the row), p at least 2^-52 */
    double brier;                 /* mean of (p - y)^2, p the second class's probability; more
                                    classes: of the sum of (p_c - y_c)^2 */
    double hinge_loss;            /* mean of max(0, 1 - y s); more: max(0, 1 - s_y + best other) */
    double functional_margin;     /* min y s; more classes: min of s_y - best other */
    double geometric_margin;      /* functional_margin / ||w|| */
    double origin_distance;       /* -b / ||w|| */
    double margin_distance;       /* 1 / ||w||, of the margin boundaries s = +-1 */
    uint64_t beyond, on, within;  /* rows with y s > 1, = 1, < 1 */
    double weight;                /* of all rows; without weights, n */
    double precision, recall, f1; /* of the second class; more classes: means over the classes */
    double mcc, average_precision, calibration_error; /* docs/measuring.md */
    double majority_error;                            /* of predicting the most frequent class */
    uint32_t majority_class, only_class; /* only: of all predictions. Or HSP_NO_CLASS */
} hsp_evaluation;

/* `confusion` (or NULL) has classes * classes counts, [true class * classes + predicted class];
 * ties are in none. */
HSP_API hsp_status hsp_evaluate(hsp_context *ctx, const hsp_model *model, hsp_data *data,
                                hsp_error *err, hsp_evaluation *out, uint64_t *confusion);

#ifdef __cplusplus
}
#endif

#endif
