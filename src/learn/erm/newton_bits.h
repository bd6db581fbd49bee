/* Rows of ones in the second-order solver's matrix, many at a time. */
#ifndef HSP_LEARN_ERM_NEWTON_BITS_H
#define HSP_LEARN_ERM_NEWTON_BITS_H

#include "learn/erm/newton.h"

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

#endif
