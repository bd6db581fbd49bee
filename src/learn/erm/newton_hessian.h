/* The second-order solver's matrix. */
#ifndef HSP_LEARN_ERM_NEWTON_HESSIAN_H
#define HSP_LEARN_ERM_NEWTON_HESSIAN_H

#include "learn/erm/newton.h"

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
