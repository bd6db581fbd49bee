/* What a learner is to the rest of the library, and what a training is to a learner.
 *
 * A learner is one file that ends in an hsp__learner: its options, a check of them, and the fit of
 * one problem of two classes. All else is done for it by train.c:
 *
 *     prepare      classes, weights, scaling, the hash of the data
 *     reduce       more than two classes to problems of two: one-vs-rest, one-vs-one
 *     fit          the learner's
 *     build model  names, scalings, metadata, weights or coefficients, dual coefficients
 *     report       figures of all problems together, training error
 *
 * A learner that has a form of its own for all classes, for kernels or for another hypothesis has
 * an hsp__native besides; one that learns row by row has an online rule, which also gives streams
 * and single steps. docs/development/adding.md shows a learner from start to end. */
#ifndef HSP_LEARN_LEARNER_H
#define HSP_LEARN_LEARNER_H

#include <stdatomic.h>

#include "learn/prepare.h"
#include "learn/task.h"

/* What the options say. Those that many learners have (seed, tie, gap, max-passes, max-seconds,
 * keep-dual, multiclass ovo) are read by train.c, the others by the learner's check. */
typedef struct hsp__plan {
    uint64_t seed;
    hsp_tie tie;
    double max_seconds; /* 0: any number */
    double gap;
    uint64_t max_passes;
    int keep_dual;
    int log_passes; /* option convergence */
    int ovo;        /* more than two classes: one problem per pair of classes */
    /* of learners that minimise: */
    const hsp__loss *loss;
    hsp__penalty penalty;
    hsp__offset offset;
    int hard;             /* a separator is demanded */
    double C, lambda;     /* one of them is > 0, the other 0; hard: neither */
    int unscaled;         /* reports are in the scale of C: there is no lambda */
    const char *solver;   /* a name, or "auto"; NULL: the learner does not minimise */
    int joint;            /* more than two classes: all at once (crammer.h, softmax.h) */
    int in_order, last;   /* as in hsp__goal */
    int kernel;           /* learn in the feature space of the option `kernel` */
    uint64_t cache_bytes; /* kernel: values kept take no more than this */
} hsp__plan;

/* The kernel of a training, fitted to all its rows. */
typedef struct hsp__train_kernel {
    hsp_kernel *kernel; /* NULL: none */
    uint64_t *origin;   /* rows: their numbers in the data as given; NULL: the same */
    uint64_t *ids; /* rows: the numbers that a precomputed kernel knows them by; NULL: origin's */
} hsp__train_kernel;

typedef struct hsp__learner hsp__learner;

/* A training under way. */
typedef struct hsp__train {
    /* What was asked for. */
    hsp_context *ctx;
    const hsp__learner *learner;
    const hsp_options *options;
    hsp__plan plan;
    hsp_data *given;        /* as the caller gave it */
    const hsp_model *start; /* to begin at; NULL: none */

    /* The rows to learn from. */
    hsp__prepared prepared;
    char hash[HSP__HASH_TEXT]; /* of `given` */
    hsp__train_kernel kernel;

    /* The problems of two classes; none where the native form does without. */
    uint32_t count;
    hsp__task *tasks;       /* count */
    double *weights;        /* count * cols: of each problem; kernel: none */
    double *row_weight;     /* rows: of rows, and of classes where a problem's two costs cannot say
                               it; NULL: all 1. prepared.weight, or our own */
    double total;           /* of the rows' own weights: n */
    atomic_uchar *supports; /* rows: 1, some problem gave it a dual weight; NULL: one problem */

    /* The native form, and who watches. */
    int is_native;
    void *native; /* learner->native->bytes, zeroed: its own state */
    hsp__watch watch;

    /* What came of it. */
    hsp_training run;
} hsp__train;

struct hsp__model_spec;

/* A form of its own for all classes (or a kernel, or another hypothesis). */
typedef struct hsp__native {
    size_t bytes; /* of train->native; 0: none */
    int reduces;  /* it works on the problems of two classes that train->tasks are */
    /* Is it meant here? `train` has its plan and prepared rows. */
    int (*suits)(const hsp__train *train);
    /* Learn, and sum up in train->run (`reduces`: the tasks are summed up for it). From where it
     * can hand out a model, it ends after plan.max_seconds (hsp__stop_limit). */
    hsp_status (*fit)(hsp__train *train, hsp_error *err);
    /* The model; NULL: of the weights of the tasks. */
    hsp_status (*build)(hsp__train *train, hsp_context *ctx, const struct hsp__model_spec *spec,
                        hsp_error *err, hsp_model **out);
    /* Rows that the model gets wrong, HSP_CANCELLED: not known; NULL: all rows are scored. */
    hsp_status (*mistakes)(hsp__train *train, hsp_context *ctx, const hsp_model *model,
                           hsp_error *err, uint64_t *wrong);
    /* The model is made: write what else belongs to it; NULL: nothing. */
    hsp_status (*finish)(hsp__train *train, hsp_error *err);
    void (*free)(hsp__train *train);
} hsp__native;

struct hsp__learner {
    hsp_option_table table; /* name, summary, options */
    const char *hypothesis; /* what it learns, for help and docs: "linear" */
    /* Can it learn these rows with these options when they are divided among ranks (base/ranks.h), and is
     * it worth it? `entries`: those of all rows together. NULL: never. */
    int (*sharded)(const hsp_data *data, uint64_t entries, const hsp_options *options);
    int divides;        /* where it cannot, and every rank has all rows: it divides the work on
                               them among the context's ranks */
    int can_warm_start; /* it can begin at a model */
    int can_checkpoint; /* it can go on from a checkpoint (checkpoint.h) */
    int sequential;     /* one-vs-rest: one problem after the other, until one has no answer */
    /* Do the options fit together, and what do they say? */
    hsp_status (*check)(const hsp_options *options, hsp__plan *plan, hsp_error *err);
    /* Learn one problem of two classes: from task->problem to task->solution. `report`: this is
     * the thread that may tell progress. */
    hsp_status (*fit)(hsp__train *train, hsp_context *ctx, hsp__task *task, int report,
                      hsp_error *err);
    /* One-vs-rest: how many problems can be learned together, which is faster, and `count` of them,
     * with the bits of fit; those with one side only are left alone. NULL: one. */
    uint32_t (*group_most)(const hsp__train *train);
    hsp_status (*fit_group)(hsp__train *train, hsp_context *ctx, uint32_t count, hsp__task *tasks,
                            int report, hsp_error *err);
    const hsp__native *native; /* NULL: none */
    /* The online rule, for streams and single steps; NULL: it needs all rows at once. */
    const struct hsp__online_rule *rule;
};

/* All learners, in the order in which they are listed. A new one is one word here. */
#define HSP__LEARNERS(X) X(perceptron) X(winnow) X(experts) X(svm) X(logistic) X(lp) X(knn)

#define HSP__LEARNER_DECLARE(name) extern const hsp__learner hsp__learn_##name;
HSP__LEARNERS(HSP__LEARNER_DECLARE)

/* The learner whose table the options were made with; NULL: none (registry.c). */
const hsp__learner *hsp__learner_of(const hsp_options *options);

#endif
