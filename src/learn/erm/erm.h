/* The driver that all minimising learners share: from data and options to problems of two classes
 * (problem.h), through a solver, to a model. More than two classes: one problem a class against the
 * rest, several at once when there are as many as threads, or one of all classes (crammer.h). */
#ifndef HSP_LEARN_ERM_ERM_H
#define HSP_LEARN_ERM_ERM_H

#include <stdatomic.h>

#include "learn/erm/gap.h"
#include "learn/learner.h"
#include "learn/build_model.h"
#include "learn/prepare.h"
#include "learn/erm/problem.h"

/* What the learner's options say; the driver reads `weight` and what hsp__prepare reads itself. */
typedef struct hsp__erm_plan {
    const hsp__loss *loss;
    hsp__penalty penalty;
    hsp__offset offset;
    int hard;
    double C, lambda; /* one of them is > 0, the other 0; hard: neither */
    double gap, max_seconds;
    uint64_t max_passes, seed;
    hsp_tie tie;
    const char *solver; /* a name, or "auto" */
    int keep_dual;
    int at_once; /* more than two classes: all at once (crammer.h), not each against the rest */
    int in_order, last;   /* as in hsp__goal */
    const char *kernel;   /* an expression: in its feature space (kernel_erm.c); NULL: none */
    int pairs;            /* kernel, more than two classes: one problem a pair of classes */
    uint64_t cache_bytes; /* kernel: values kept take no more than this */
} hsp__erm_plan;

/* Fill in what is read in the same way by every learner: offset, penalty, C and lambda (1 and none
 * when neither is set), gap, limits, seed, tie, solver, keep-dual. HSP_USAGE with a sentence
 * when both C and lambda are set. */
hsp_status hsp__erm_plan_read(const hsp_options *options, hsp__erm_plan *plan, hsp_error *err);

hsp_status hsp__erm_train(hsp_context *ctx, hsp_data *data, const hsp__learner *learner,
                          const hsp_options *options, const hsp__erm_plan *plan,
                          const hsp_model *start, hsp_error *err, hsp_training *run,
                          hsp_model **out);

/* ---- Inside ---------------------------------------------------------------------------------- */

/* One problem: the scorer of class `positive`. */
typedef struct hsp__erm_task {
    hsp__problem problem;
    double lambda;  /* the scale of reports: J = lambda P */
    uint64_t *list; /* kernel, pairs: the rows it is about; NULL: all. Then problem.view is ... */
    hsp_view own;   /* ... this: so many rows, labels (owned), and nothing else */
    double *own_weight;
    int alone;                 /* there are no positive rows, or no others: nothing to minimise */
    const hsp__solver *solver; /* NULL: alone, or left out */
    int left_out;              /* the run was stopped before this problem was begun */
    int unjudged;           /* the run was stopped, and the figures of this problem are not known */
    hsp__solution solution; /* dual: NULL when it is not kept */
    hsp__kkt kkt;
    uint64_t mistakes; /* two classes: rows that the scorer gets wrong */
    double unsure;     /* kernel: the model's own scores may differ by this from those at hand */
    hsp_evidence *evidence; /* of HSP_STOP_INSEPARABLE */
} hsp__erm_task;

typedef struct hsp__erm {
    hsp_context *ctx;
    const hsp__learner *learner;
    const hsp_options *options;
    const hsp__erm_plan *plan;
    hsp_data *given; /* as the caller gave it */
    hsp__prepared prepared;
    char hash[HSP__HASH_TEXT];
    double *row_weight; /* rows: of rows, and of classes where a problem's two costs cannot say it;
                           NULL: all 1. prepared.weight, or the driver's own */
    double total;       /* of the rows' own weights: n */
    double C;           /* 1 / (lambda n) */
    uint32_t count;     /* problems */
    hsp__erm_task *tasks;
    double *norms;          /* rows: their norms, for the judge; NULL: kernels have their own */
    atomic_uchar *supports; /* rows: 1, some problem gave it a dual weight; NULL: one problem */
    double *weights;        /* count * cols: of each problem */
    double *all_dual;       /* all classes at once: rows * count, row after row; else NULL */
    struct hsp__erm_kernel *kernel; /* kernel_erm.c; NULL: none */
    const hsp_model *start;         /* NULL: none */
    hsp__watch watch;
    hsp_training run;
} hsp__erm;

/* warm_start.c: does the model fit as a start? HSP_USAGE when not. */
hsp_status hsp__erm_start_check(const hsp__erm *batch, hsp_error *err);
/* Put what it knows of problem c into s->w, s->b and s->dual, which are zero. */
void hsp__erm_start(const hsp__erm *batch, uint32_t c, hsp__solution *s);

/* erm.c: there was no time to judge what a stopped solver handed back. */
hsp_status hsp__erm_unjudged(const hsp_context *ctx, hsp__erm_task *task);

/* hard_margin.c: a separator was demanded, and the solver found none: say whether there is one.
 * s->stop becomes HSP_STOP_INSEPARABLE, with multipliers in s->dual, or HSP_STOP_PASSES. */
hsp_status hsp__erm_settle(hsp_context *ctx, const hsp__problem *given, const hsp__goal *goal,
                           hsp__solution *s, hsp_error *err);

/* kernel_erm.c: the same in a kernel's feature space. */
typedef struct hsp__erm_kernel {
    hsp_kernel *kernel;
    uint64_t *origin; /* rows: their numbers in the data as given; NULL: the same */
    uint64_t *ids; /* rows: the numbers that a precomputed kernel knows them by; NULL: origin's */
    struct hsp__kernel_rows *rows;
    float *gram;     /* the whole matrix, where problems share it; NULL: no. Of pairs: the rows of
                        a class beside each other, row i at ... */
    uint64_t *place; /* ... this place, rows of them; NULL: i */
    double *amounts; /* count * rows: a y */
    double *scores;  /* rows * count: of all problems on all rows, with b; NULL: not known */
    atomic_int wide; /* some problem needed kernel values in double: so will predictions */
} hsp__erm_kernel;

/* The number that the model knows a row by. */
static inline uint64_t hsp__erm_source(const hsp__erm_kernel *k, uint64_t row)
{
    return k->ids ? k->ids[row] : k->origin ? k->origin[row] : row;
}
/* After the tasks are made: read the expression, make the rows ready. */
hsp_status hsp__erm_kernel_prepare(hsp__erm *batch, hsp_error *err);
/* The tasks of pairs; totals and weights have one number a class. */
hsp_status hsp__erm_kernel_pairs(hsp__erm *batch, const double *totals, const double *weight,
                                 int balanced, hsp_error *err);
hsp_status hsp__erm_kernel_solve(hsp__erm *batch, hsp_error *err);
hsp_status hsp__erm_kernel_model(hsp__erm *batch, hsp_context *ctx, const hsp__model_spec *outcome,
                                 hsp_error *err, hsp_model **out);
/* Rows that the model gets wrong. */
hsp_status hsp__erm_kernel_mistakes(hsp__erm *batch, hsp_context *ctx, const hsp_model *model,
                                    hsp_error *err, uint64_t *wrong);
void hsp__erm_kernel_free(hsp__erm *batch);

/* erm.c: only one side has rows. */
void hsp__erm_alone(const hsp__erm *batch, hsp__erm_task *task);

/* warm_start.c: dual weights of problem c, which are zero, from a start of the same data. */
void hsp__erm_start_dual(const hsp__erm *batch, uint32_t c, double *dual);

/* crammer_fit.c: all classes at once; the costs of classes are problem.cost[1] of the tasks. */
hsp_status hsp__erm_crammer(hsp__erm *batch, hsp_error *err);

/* erm_model.c: sum up what the problems came to, and make a model of it. */
void hsp__erm_report(hsp__erm *batch);
hsp_status hsp__erm_model(hsp__erm *batch, hsp_error *err, hsp_model **out);

#endif
