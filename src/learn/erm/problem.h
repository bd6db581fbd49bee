/* One problem of two classes, as every solver that minimises sees it.
 *
 *     minimise over w in R^d, b in R    P(w, b) = pen(w) + sum_i c_i loss(m_i),
 *     m_i = y_i (<w, x_i> + b),         c_i = cost[class of i] * row_weight[i] >= 0
 *
 *     loss    hinge max(0, 1 - m)    squared max(0, 1 - m)^2    logistic log(1 + exp(-m))
 *     pen     l2 ||w||^2 / 2         l1 ||w||_1
 *     offset  none: b = 0            free: b is in no penalty
 *             regularized: b^2 / 2 (l1: |b|) is added to pen, as if a column of ones were appended
 *
 * The dual, with u = sum_i a_i y_i x_i and t = sum_i a_i y_i:
 *
 *     maximise D(a) = sum_i e_i(a_i) - ||u||^2 / 2 (- t^2 / 2, offset regularized)
 *     hinge     e(a) = a                             0 <= a <= c
 *     squared   e(a) = a - a^2 / (4 c)               0 <= a
 *     logistic  e(a) = -a log(a/c) - (c-a) log((c-a)/c)      0 <= a <= c
 *     l1 has no ||u||^2: instead max |u_j| <= 1 (offset regularized: and |t| <= 1)
 *     offset free: t = 0
 *
 * D(a) <= P(w, b) for every feasible a and every (w, b), so that P - D bounds how far (w, b) is
 * from the best. At the optimum a_i = -c_i loss'(m_i) and, for l2, w = u.
 *
 * hard: the limit c -> infinity of the hinge: minimise ||w||^2 / 2 with m_i >= 1 for all i; costs
 * say nothing, 0 <= a, and P of a w that violates a constraint is infinite (see gap.h). */
#ifndef HSP_LEARN_ERM_PROBLEM_H
#define HSP_LEARN_ERM_PROBLEM_H

#include "data/data.h"
#include "halfspace_all.h"
#include "learn/checkpoint.h"
#include "learn/erm/loss.h"
#include "learn/pass_log.h"
#include "learn/watch.h"

typedef enum hsp__penalty { HSP__PENALTY_L2, HSP__PENALTY_L1 } hsp__penalty;
typedef enum hsp__offset {
    HSP__OFFSET_FREE,
    HSP__OFFSET_REGULARIZED,
    HSP__OFFSET_NONE
} hsp__offset;

typedef struct hsp__problem {
    const hsp_view *view;     /* n rows with labels */
    uint32_t positive;        /* the class that is y = +1; all others are -1 */
    double cost[2];           /* C of the negative and of the positive rows */
    const double *row_weight; /* n, >= 0; NULL: all 1. A weight of k is k copies of the row */
    const double *norms;      /* n: ||x_i||, so that gap.c need not compute them; NULL: none */
    const hsp__loss *loss;
    hsp__penalty penalty;
    hsp__offset offset;
    int hard;      /* a hard margin: the loss is hsp__hard_margin, whatever `loss` says */
    double lambda; /* when the costs come from one: as it was given; 0: from C */
} hsp__problem;

/* The loss that counts. */
static inline const hsp__loss *hsp__problem_loss(const hsp__problem *p)
{
    return p->hard ? &hsp__hard_margin : p->loss;
}

static inline int hsp__problem_positive(const hsp__problem *p, uint64_t i)
{
    return p->view->labels[i] == p->positive;
}

static inline double hsp__problem_y(const hsp__problem *p, uint64_t i)
{
    return hsp__problem_positive(p, i) ? 1 : -1;
}

static inline double hsp__problem_cost(const hsp__problem *p, uint64_t i)
{
    const double c = p->cost[hsp__problem_positive(p, i)];
    return p->row_weight ? c * p->row_weight[i] : c;
}

/* When to stop, and who watches. */
typedef struct hsp__goal {
    double gap;          /* (P - D) / P to reach */
    uint64_t max_passes; /* over the rows, or their equivalent in work; 0: any number */
    uint64_t seed;
    hsp__watch *watch;  /* tick it now and then; it may say stop */
    hsp__pass_log *log; /* note each pass; NULL: nobody wants to know */
    hsp__place *place;  /* of the solver's turn in a checkpoint; NULL: it has none */
    int report;         /* this is the thread that the context belongs to: progress may be told */
    int in_order;       /* solvers that learn row by row: in the order of the rows, not shuffled; */
    int last;           /* return the last weights, not the average */
    int may_hand_on;    /* another solver can go on where this one expects to take long */
} hsp__goal;

/* What a solver has computed on the way to the gap (gap.h), with the bits that this would have. */
enum {
    HSP__GAP_SCORES = 1, /* solution.scores are those of w, without b */
    HSP__GAP_W_IS_U =
        2 /* w = u = sum_i a_i y_i x_i for the dual weights a; the offset is not free */
};

/* Where a solver starts, and what it found. The caller owns the arrays. Every solver hands back the
 * best it has, whatever made it stop, with figures from hsp__gap: nothing here is a solver's own
 * opinion. */
typedef struct hsp__solution {
    double *w;    /* d: in, the start (zeros: none); out, the weights */
    double b;     /* likewise */
    double *dual; /* n: in, the start (zeros: none; any numbers will do, they are made feasible);
                     out, feasible dual weights a. NULL is not allowed */
    double *u, *scores; /* d and n: room, or NULL, for ... */
    int gap_known; /* ... out: u, scores and values of hsp__gap for this w, b and dual are there */
    int known;     /* out, otherwise: HSP__GAP_SCORES, HSP__GAP_W_IS_U, if the run has converged */
    double primal, dual_value, gap;
    double rounding; /* out, if gap_known: the part of the gap that is rounding (gap.h) */
    uint64_t passes, updates;
    uint64_t slow; /* out: the solver handed on (goal.may_hand_on), since it expected to need this
                      many passes more; 0: it did not */
    hsp_stop stop; /* HSP_STOP_CONVERGED: the gap was reached; HSP_STOP_INSEPARABLE: hard, and dual
                      says why (gap.h) */
} hsp__solution;

/* A solver: a file in this folder that ends in one of these (solvers.c lists them). HSP_CANCELLED is
 * not returned: a request to stop is an outcome (HSP_STOP_REQUEST). */
typedef struct hsp__solver {
    const char *name;
    const char *summary;
    int (*suits)(const hsp__problem *p); /* can it solve this kind of problem at all? */
    hsp_status (*solve)(hsp_context *ctx, const hsp__problem *p, const hsp__goal *goal,
                        hsp_error *err, hsp__solution *s);
} hsp__solver;

#endif
