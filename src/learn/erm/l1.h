/* Inside of the solver l1: its state, shared by its two ways to minimise a model (l1.c, l1_gram.c).
 */
#ifndef HSP_LEARN_ERM_L1_H
#define HSP_LEARN_ERM_L1_H

#include <math.h>

#include "base/random.h"
#include "base/scratch.h"
#include "learn/erm/problem.h"

/* The rows, column by column. */
typedef struct hsp__l1_columns {
    uint64_t *starts; /* d + 1 */
    uint32_t *rows;   /* stored; NULL: every column has all rows */
    void *values;     /* stored, of the view's precision; NULL: all 1 */
} hsp__l1_columns;

/* Losses and derivatives at (w, b). */
typedef struct hsp__l1_point {
    double *scores;    /* n: with b */
    double *ay;        /* n: y c times the negative gradient of the loss */
    double *curvature; /* n: D = c loss'' */
    double *grad;      /* d: of the losses */
    double grad_b;
    double curvatures; /* sum D */
    double primal;     /* P */
    int primal_known;  /* the last step has computed it */
    double violation;  /* of the conditions of an optimum, the largest */
} hsp__l1_point;

/* The quadratic model around (w, b), over the weights in `work`. */
typedef struct hsp__l1_model {
    uint64_t *work; /* d: the weights in it, `count` of them */
    uint64_t count;
    double *z;          /* d: the weights that minimise it */
    double beta;        /* what that adds to b */
    double *diagonal;   /* d: sum D x^2 */
    double *h;          /* d: sum D x */
    double *product;    /* n: p = D X (z - w) */
    double product_sum; /* T = sum p */
    double *direction;  /* n: what the full step adds to the scores; scratch besides */
    /* its matrix, where it is small: l1_gram.c */
    int use_gram;         /* sweeps over the columns have been many */
    uint64_t *position;   /* d + 1: of a weight in the model, + 1; 0: not in it */
    double *gram, *slope; /* grown as needed: H, and the gradient of the model */
    uint64_t gram_room, slope_room;
} hsp__l1_model;

typedef struct hsp__l1 {
    hsp_context *ctx;
    const hsp__problem *p;
    const hsp__goal *goal;
    hsp__solution *out;
    hsp__scratch scratch;
    hsp__random random;
    uint64_t n, d, stored;
    hsp__l1_columns columns;
    hsp__l1_point at;
    hsp__l1_model model;
    uint64_t seen; /* entries looked at since the last full pass */
} hsp__l1;

/* How far a weight w with gradient g is from what an optimum asks for. */
static inline double hsp__l1_violation(double w, double g)
{
    if (w > 0) return fabs(g + 1);
    if (w < 0) return fabs(g - 1);
    return fabs(g) > 1 ? fabs(g) - 1 : 0;
}

/* The soft threshold of the Newton step from w: the best weight for a gradient g and a curvature.
 */
static inline double hsp__l1_threshold(double w, double g, double curve)
{
    const double to = w - g / curve, reach = 1 / curve;
    return to > reach ? to - reach : to < -reach ? to + reach : 0;
}

/* Is the model of the weights in `work` small enough to be written out? */
int hsp__l1_gram_fits(const hsp__l1 *t);
/* Write it out and minimise it: z and beta. */
hsp_status hsp__l1_gram(hsp__l1 *t, hsp_error *err);

#endif
