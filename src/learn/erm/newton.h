/* Inside of the second-order solver: the state that its files share. See newton.c for the method.
 */
#ifndef HSP_LEARN_ERM_NEWTON_H
#define HSP_LEARN_ERM_NEWTON_H

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

typedef struct hsp__hessian hsp__hessian; /* newton_hessian.c */

typedef struct hsp__newton {
    hsp_context *ctx;
    const hsp__problem *p;
    const hsp__goal *goal;
    const hsp__loss *loss;
    hsp__loss_form form; /* of it */
    hsp__scratch scratch;
    uint64_t n, stride; /* rows 0, stride, 2 stride ... of the view are looked at: n of them */
    uint64_t d, dim;    /* columns; and one more for the offset, as a column of ones */
    uint64_t parts;     /* that the rows are cut into */
    /* The penalty is ridge ||w||^2 / 2 + offset_ridge b^2 / 2. ridge is 1; hard margin: the root of
     * the rows' mean squared norm, which only scales the multipliers and keeps numbers near 1. */
    double ridge, offset_ridge;
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
    double *delta;       /* dim */
    double *delta_score; /* n: what a step of length 1 adds to score */
    /* Sums of parts: */
    double *sums;              /* parts * dim; by_matrix: NULL */
    hsp__newton_state *states; /* parts */
    hsp__newton_sums *lines;   /* parts */
    uint64_t passes, updates;
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
    if (s->curved && !s->curved[i]) return 0;
    const double cost = hsp__newton_cost(s, i), c = cost < 0 ? -cost : cost;
    if (s->curved) return c;
    if (!(c > 0)) return 0;
    return s->form == HSP__LOGISTIC ? s->a[i] * (1 - s->a[i] / c)
                                    : s->loss->curvature(s->a[i] / c, c);
}

/* Does the loss need outer steps? */
static inline int hsp__newton_anchored(const hsp__newton *s)
{
    return !hsp__loss_is_smooth(s->loss);
}

/* ---- newton_rows.c: everything that runs over the rows --------------------------------------- */

/* sum a y x (dim) and all row sums again, from w; every row's curvature too. */
void hsp__newton_restart(hsp__newton *s);

/* move = X delta, and the sums at a step of 1. */
hsp__newton_sums hsp__newton_probe(hsp__newton *s);

/* The sums of the smooth function, rows only, at a step of t. */
hsp__newton_sums hsp__newton_along(hsp__newton *s, double t);

/* Go there: w, score, a, u and the row sums follow. */
void hsp__newton_go(hsp__newton *s, double t);

/* The anchors or tau have changed: a and u follow as if the rows that have curvature now kept it,
 * whatever their bounds are. A full step from here follows the change as long as those rows stay the
 * same. */
void hsp__newton_hold(hsp__newton *s);

/* by_matrix: the multipliers a, from the scores. */
void hsp__newton_multipliers(hsp__newton *s);

/* anchor = a / c. */
hsp_status hsp__newton_anchor(hsp__newton *s, hsp_error *err);

/* What hsp__newton_weight is multiplied by. */
double hsp__newton_factor(const hsp__newton *s);

/* ---- newton_bits.c: rows of ones, many at a time --------------------------------------------- */

typedef struct hsp__newton_bits hsp__newton_bits;

/* Are there few enough columns that it pays? */
int hsp__newton_bits_pay(const hsp_view *view);

/* NULL: no memory. */
hsp__newton_bits *hsp__newton_bits_new(hsp__scratch *scratch, uint64_t d);

/* One more row of ones; 1: flush, there is no room for another. */
int hsp__newton_bits_add(hsp__newton_bits *bits, const hsp__row *row);

/* g += weight * sum x x^T and q += turn * sum x (q may be NULL) of the rows added, x with the
 * offset's 1; then there are none. */
void hsp__newton_bits_flush(hsp__newton_bits *bits, const hsp__newton *s, double weight,
                            double turn, double *g, size_t side, double *q);

/* ---- newton_blocks.c: sparse rows whose places are adjacent --------------------------
 */

typedef struct hsp__newton_batch hsp__newton_batch;

/* Do enough of them? */
int hsp__newton_batch_pays(const hsp_view *view);

/* For a matrix of that stride. NULL: no memory. */
hsp__newton_batch *hsp__newton_batch_new(hsp__scratch *scratch, size_t side);

/* One more row, with the offset's 1; 1: flush, there is no room for another. */
int hsp__newton_batch_add(hsp__newton_batch *batch, const hsp__newton *s, const hsp__row *row,
                          double weight);

/* g += sum of weight x x^T of the rows added; then there are none. */
void hsp__newton_batch_flush(hsp__newton_batch *batch, double *g);

/* ---- newton_hessian.c ------------------------------------------------------------------------ */

/* The factor of a sample's matrix, which stands in for that of all rows. */
typedef struct hsp__hessian_lent {
    double *factor; /* side * side, of the matrix scaled to a diagonal of ones; NULL: none */
} hsp__hessian_lent;

/* A sample takes leave of its factor, if what is to come can use it: where rows have many places,
 * adding one to a matrix costs much more than multiplying by it. */
void hsp__hessian_lend(hsp__newton *s, hsp__hessian_lent *to);
void hsp__hessian_lent_free(hsp_context *ctx, hsp__hessian_lent *lent);

/* `lent`: the factor of a sample, or NULL. */
hsp_status hsp__hessian_new(hsp__newton *s, const hsp__hessian_lent *lent, hsp_error *err);
void hsp__hessian_free(hsp__newton *s);

/* Are there few enough columns that the matrix is kept? */
int hsp__hessian_is_direct(uint64_t dim);

/* by_matrix: the matrix follows the rows' curvatures, and u the matrix. With q = sum of c y x over the
 * rows that lack something, sum a y x = 2 (q - G w). */
void hsp__hessian_follow(hsp__newton *s);

/* delta = H^-1 (-gradient): directly where there are few columns, else by conjugate gradients, to
 * `accuracy`. *decrement is -<gradient, delta>. */
void hsp__hessian_direction(hsp__newton *s, double accuracy, double *decrement);

#endif
