/* One problem of two classes of a training, and what came of it. A training of two classes is one
 * task; one-vs-rest has one per class, one-vs-one one per pair of classes (multiclass/reduce.h). */
#ifndef HSP_LEARN_TASK_H
#define HSP_LEARN_TASK_H

#include "learn/erm/gap.h"
#include "learn/erm/problem.h"

typedef struct hsp__task {
    hsp__problem problem;
    double C;              /* cost of a row of weight 1 */
    double lambda;         /* the scale of reports: J = lambda P */
    uint32_t pair[2];      /* one-vs-one: its negative and its positive class */
    uint64_t *row_numbers; /* one-vs-one: the rows it is about, of all rows; NULL: all. Then ... */
    hsp_view
        pair_view; /* ... problem.view is this: as many rows, labels (owned), and nothing else */
    double *own_weight;
    int one_sided;             /* there are no positive rows, or no others: nothing to learn */
    int left_out;              /* the run was stopped before this problem was begun */
    int gap_unknown;           /* the run was stopped before the figures were known */
    const hsp__solver *solver; /* that found the weights; NULL: none was needed */
    hsp__solution solution;    /* w points into the training's weights */
    hsp__kkt kkt;
    double *scores;         /* one-vs-rest: of all rows, without the offset; NULL: not kept */
    hsp__pass_log log;      /* of the solver, if plan.log_passes */
    double *amounts;        /* rows of the problem: how often each is in w; NULL: not kept */
    double *coefficients;   /* kernel: the same of the scores, where that differs; NULL: amounts */
    uint64_t mistakes;      /* rows that the scorer gets wrong, if ... */
    int counted;            /* ... this is 1; 0: score the rows; -1: there is no time for that */
    uint64_t last_mistakes; /* online: of the last pass */
    double radius;          /* online: the longest row; NaN: not known */
    double score_error;     /* kernel: scores may differ by this from those of the model */
    hsp_evidence *evidence; /* of HSP_STOP_INSEPARABLE */
} hsp__task;

/* The number, among all rows, of the problem's row i. */
static inline uint64_t hsp__task_row(const hsp__task *task, uint64_t i)
{
    return task->row_numbers ? task->row_numbers[i] : i;
}

#endif
