/* Inside of the second-order solver: its state, its passes over the rows (newton_rows.c) and its
 * matrix (newton_hessian.c). See newton.c for the method. */
#ifndef HSP_LEARN_ERM_NEWTON_H
#define HSP_LEARN_ERM_NEWTON_H

#include "base/ranks.h"
#include "base/scratch.h"
#include "data/data.h"
#include "learn/erm/problem.h"

/* The smooth function that a Newton run minimises has for a row of cost c, by the form of the loss:
 *
 *     hinge          c max over 0 <= s <= 1 of s z - (s - anchor)^2 / (2 tau), z = 1 - m
 *     hard margin    the same over 0 <= s, with c = 1
 *     others         c loss(m) */

/* Sums over the rows along a direction, at one step length. */
typedef struct hsp__newton_sums {
    double slope, curve;
} hsp__newton_sums;

/* Sums over the rows where we are. */
typedef struct hsp__newton_state {
    double loss;      /* sum c loss(m), of the problem's own loss */
    double conjugate; /* sum e(a) */
    double slack;     /* hinge: sum c max(0, z) - a z; hard margin: sum a |z| */
    double total;     /* sum a */
    double least;     /* smallest m */
    uint64_t active;  /* rows with curvature */
    uint64_t turned;  /* rows that lost or gained curvature, or whose curvature changed */
} hsp__newton_state;
enum { HSP__NEWTON_STATE = 6 }; /* of them, sums */

typedef struct hsp__hessian hsp__hessian; /* newton_hessian.c */

typedef struct hsp__newton {
    hsp_context *ctx;
    const hsp__problem *p;
    const hsp__goal *goal;
    const hsp__loss *loss;
    hsp__loss_form form; /* of it */
    hsp__scratch scratch;
    uint64_t n, stride;   /* rows 0, stride, 2 stride ... of the view are looked at: n of them, */
    const hsp_view *rows; /* they are rows 0, row_step, 2 row_step ... of this: p->view or sample */
    uint64_t row_step;
    hsp_view sample; /* of dense rows, or a copy of rows that are in files; without labels */
    uint64_t d, dim; /* columns; and one more for the offset, as a column of ones */
    uint64_t parts;  /* that the rows are cut into; 1 of rows that are divided among ranks */
    uint64_t all;    /* rows of all ranks: n, if they are not divided */
    double places;   /* the mean number of entries of all their rows */
    /* The penalty is ridge ||w||^2 / 2 + offset_ridge b^2 / 2. ridge is 1; hard margin: the root of
     * the rows' mean squared norm, which only scales the multipliers and keeps numbers near 1. */
    double ridge, offset_ridge;
    double heavy; /* squared hinge: ridge at first, if w is far from the best; 0: as always */
    /* Hinge and hard margin, the method of multipliers: */
    double tau;
    double *anchor; /* n: a / c of the last outer step; NULL: first_anchor for all */
    double first_anchor;
    /* The state: */
    double *w, *u;         /* dim: the weights; sum a y x */
    double *score;         /* n: <w, x> + b */
    double *a;             /* n: c times the negative gradient; by_matrix: only when asked for */
    unsigned char *curved; /* n: does the row have curvature? NULL: all may */
    int by_matrix; /* squared hinge, few columns: u follows from the matrix, without the rows */
    hsp__newton_state now;
    hsp__hessian *hessian;
    /* The direction: */
    double damping;      /* this times factor * spread is added to the matrix's diagonal */
    double *spread;      /* d: the largest sum weight (x - mean)^2 of each column so far */
    double *delta;       /* dim */
    double *delta_score; /* n: what a step of length 1 adds to score */
    /* Sums of parts: */
    double *theta;             /* n: newton_interior.c: the rows' curvatures; NULL: by the loss */
    double *sums;              /* parts * dim; by_matrix: NULL */
    hsp__newton_state *states; /* parts */
    hsp__newton_sums *lines;   /* parts */
    uint64_t passes, updates;
    hsp_status failed; /* of sums over all ranks' rows: the run ends; */
    hsp_error *err;    /* what happened */
} hsp__newton;

/* y c of a row; 0: it counts for nothing. */
static inline double hsp__newton_cost(const hsp__newton *s, uint64_t i)
{
    const uint64_t at = i * s->stride;
    const double y = hsp__problem_y(s->p, at);
    return s->p->hard ? y : y * (double)s->stride * hsp__problem_cost(s->p, at);
}

/* The row's curvature, without hsp__newton_factor. */
static inline double hsp__newton_weight(const hsp__newton *s, uint64_t i)
{
    if (s->theta) return s->theta[i];
    if (s->curved && !s->curved[i]) return 0;
    const double cost = hsp__newton_cost(s, i), c = cost < 0 ? -cost : cost;
    if (s->curved) return c;
    if (!(c > 0)) return 0;
    return s->form == HSP__LOGISTIC ? s->a[i] * (1 - s->a[i] / c)
                                    : s->loss->curvature(s->a[i] / c, c);
}

/* The sums of parts are added up in blocks of columns. */
enum { HSP__NEWTON_COLUMNS = 8192 };
static inline uint64_t hsp__newton_column_parts(const hsp__newton *s)
{
    return (s->dim + HSP__NEWTON_COLUMNS - 1) / HSP__NEWTON_COLUMNS;
}

/* Does the loss need outer steps? */
static inline int hsp__newton_anchored(const hsp__newton *s)
{
    return !hsp__loss_is_smooth(s->loss);
}

/* What hsp__newton_weight is multiplied by. */
static inline double hsp__newton_factor(const hsp__newton *s)
{
    if (s->theta) return 1;
    if (s->form == HSP__SQUARED_HINGE) return 2;
    return hsp__newton_anchored(s) ? s->tau : 1;
}

/* ---- Rows that may be divided among ranks: newton_shard.c -------------------------------------- */

/* total = the sum of what fn adds for each block of rows (hsp__shard_sum); or for each part, if the numbers are
 * more than the `work` times the entries of a block, which costs less then to fill than to add up. If there is no memory, on any
 * rank, it is NaN, and s->failed says so on all of them. */
void hsp__newton_sum(hsp__newton *s, uint64_t numbers, double work, hsp__block_fn fn, void *user,
                     double *total);

/* The root of the mean squared norm of some rows, with their 1 if it counts; 0: it is of no use. */
double hsp__newton_root(hsp__newton *s);

/* ---- The rows: newton_rows.c ----------------------------------------------------------------- */

/* The sums of the smooth function, rows only, at a step of t; fresh: delta_score = X delta first. */
hsp__newton_sums hsp__newton_along(hsp__newton *s, double t, int fresh);

typedef enum hsp__newton_how {
    HSP__NEWTON_GO,      /* by t delta: w, score, a, u and the row sums follow */
    HSP__NEWTON_RESTART, /* forget a, curvatures and u: all of them again, from w */
    /* The anchors or tau have changed: a and u follow as if the rows that have curvature now kept
     * it, whatever their bounds are. A full step from here follows the change as long as those rows
     * stay the same. */
    HSP__NEWTON_HOLD,
    /* By t delta, but rows without curvature keep their a and gain none: the others lose it if a
     * reaches a bound, and stay there. */
    HSP__NEWTON_SHED
} hsp__newton_how;
void hsp__newton_move(hsp__newton *s, double t, hsp__newton_how how);

/* score = X w. */
void hsp__newton_scores(hsp__newton *s);

/* by_matrix: the multipliers a, from the scores. */
void hsp__newton_multipliers(hsp__newton *s);

/* anchor = a / c. */
hsp_status hsp__newton_anchor(hsp__newton *s, hsp_error *err);

/* ---- Multipliers: newton_dual.c --------------------------------------------------------------- */

/* Squared hinge and logistic loss: a and u become better multipliers than those of the weights, until
 * D is within `wanted` of `primal`, as far as estimates tell, or that takes too long. Returns that D. What
 * a, u and the sums over the rows had is lost: HSP__NEWTON_RESTART. */
double hsp__newton_dual(hsp__newton *s, double primal, double wanted);

/* ---- The matrix: newton_hessian.c ------------------------------------------------------------ */

/* `lent`: the factor of a sample's matrix, scaled to a diagonal of ones (side * side), which stands
 * in for that of all rows; or NULL. */
hsp_status hsp__hessian_new(hsp__newton *s, const double *lent, hsp_error *err);
void hsp__hessian_free(hsp__newton *s);

/* What is kept from one step to the next, for checkpoints. */
void hsp__hessian_state(hsp__state *state, hsp__newton *s);

/* A sample takes leave of its factor, if what is to come can use it: where rows have many places,
 * adding one to a matrix costs much more than multiplying by it. The caller frees it; NULL: none. */
double *hsp__hessian_lend(hsp__newton *s);

/* Many columns: H's diagonal (dim), as of the last direction. */
const double *hsp__hessian_diagonal(const hsp__newton *s);

/* Are there few enough columns that the matrix is kept? */
int hsp__hessian_is_direct(uint64_t dim);

/* by_matrix: the matrix follows the rows' curvatures, and u the matrix. With q = sum of c y x over the
 * rows that lack something, sum a y x = 2 (q - G w). */
void hsp__hessian_follow(hsp__newton *s);

/* H's factor where we are, and x = H^-1 x with it. */
void hsp__hessian_factor(hsp__newton *s);
void hsp__hessian_solve(const hsp__newton *s, double *x);

/* delta = H^-1 (-gradient): directly where there are few columns, else by conjugate gradients, to
 * `accuracy`. *decrement is -<gradient, delta>. */
void hsp__hessian_direction(hsp__newton *s, double accuracy, double *decrement);

/* Estimates of the primal and the dual value where we are. */
typedef struct hsp__newton_estimates {
    double primal, dual;
    double residual; /* what of the difference is due to w not being sum a y x */
    double size;     /* a number in whose unit rounding errors are small */
} hsp__newton_estimates;
hsp__newton_estimates hsp__newton_estimate(const hsp__newton *s);
/* ||x||^2 of weights; of the offset, too, if it is regularised. */
double hsp__newton_sqnorm(const hsp__newton *s, const double *x);

/* ---- Fewer rows than columns (newton_gram.c) -------------------------------------------------- */

enum { HSP__NEWTON_BY_ROWS = 2048 }; /* rows at most */

/* Is the problem to be solved in the space that its rows span? */
int hsp__newton_by_rows(const hsp__problem *p);
/* Solve it there, from s->dual. *done 0: it could not be, and nothing has changed but s->dual. */
hsp_status hsp__newton_gram(hsp_context *ctx, const hsp__problem *p, const hsp__goal *goal,
                            hsp_error *err, hsp__solution *s, int *done);

/* ---- An interior-point method: newton_interior.c --------------------------------------------- */

/* Solve to `gap` with the rows that matter at w: w, score (of all rows) and the multipliers a are then the
 * result. by_matrix is not allowed. */
hsp_status hsp__newton_interior(hsp__newton *s, double gap, hsp_error *err);

#endif
