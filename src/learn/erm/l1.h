/* Inside of the solver l1: its state, shared by its two ways to minimise a model (l1.c, l1_gram.c).
 */
#ifndef HSP_LEARN_ERM_L1_H
#define HSP_LEARN_ERM_L1_H

#include <math.h>

#include "base/random.h"
#include "learn/erm/problem.h"

typedef struct hsp__l1 {
    hsp_context *ctx;
    const hsp__problem *p;
    const hsp__goal *goal;
    hsp__solution *out;
    uint64_t n, d, stored;
    /* the columns */
    uint64_t *starts; /* d + 1 */
    uint32_t *rows;   /* stored; NULL: every column has all rows */
    void *values;     /* stored, of the view's precision; NULL: all 1 */
    /* at (w, b) */
    double *scores; /* n: with b */
    double *ay;     /* n: y a, what the rows ask for */
    double *curve;  /* n: D */
    double *grad;   /* d */
    double grad_b;  /* */
    double curves;  /* sum D */
    double primal;  /* P */
    int known;      /* P is: the last step has computed it */
    double pushed;  /* how far (w, b) is from the conditions of an optimum */
    /* the model */
    uint64_t *work; /* d: the weights in it, `count` of them */
    uint64_t count;
    double *diag;      /* d: sum D x^2 */
    double *lean;      /* d: h = sum D x */
    double *z;         /* d */
    double *bent;      /* n: p */
    double beta, bend; /* bend: T */
    double *way;       /* n: the step of the scores; scratch besides */
    /* the model written out, where it is small: l1_gram.c */
    int correlated;       /* sweeps over the columns have been many */
    uint64_t *position;   /* d + 1: of a weight in the model, + 1; 0: not in it */
    double *gram, *slope; /* grown as needed: H, and the gradient of the model */
    uint64_t gram_room, slope_room;
    hsp__random random;
    uint64_t seen; /* entries looked at since the last full pass */
} hsp__l1;

/* How far a weight w with gradient g is from what an optimum asks for. */
static inline double hsp__l1_push(double w, double g)
{
    if (w > 0) return fabs(g + 1);
    if (w < 0) return fabs(g - 1);
    return fabs(g) > 1 ? fabs(g) - 1 : 0;
}

/* The soft threshold of the Newton step from w: the best weight for a gradient g and a curvature.
 */
static inline double hsp__l1_best(double w, double g, double curve)
{
    const double to = w - g / curve, reach = 1 / curve;
    return to > reach ? to - reach : to < -reach ? to + reach : 0;
}

/* Is the model of the weights in `work` small enough to be written out? */
int hsp__l1_gram_fits(const hsp__l1 *t);
/* Write it out and minimise it: z and beta. */
hsp_status hsp__l1_gram(hsp__l1 *t, hsp_error *err);

#endif
