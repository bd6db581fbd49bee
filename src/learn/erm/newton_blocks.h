/* Sparse rows with neighbouring columns in the second-order solver's matrix, many at a time. */
#ifndef HSP_LEARN_ERM_NEWTON_BLOCKS_H
#define HSP_LEARN_ERM_NEWTON_BLOCKS_H

#include "learn/erm/newton.h"

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

#endif
