/* A budget of rows that a run's w may be made of (kernels: what it costs to keep and to predict).
 *
 * When an update makes them more than that, the row whose removal changes w least goes, whole, its
 * share of the offset too: the one with the smallest sum over scorers of a^2 (k(x, x) + c^2), the
 * one that has been there longest among equals, never the one of this update. A row whose amounts
 * come to 0 leaves by itself. */
#ifndef HSP_LEARN_KERNEL_BUDGET_H
#define HSP_LEARN_KERNEL_BUDGET_H

#include "base/scratch.h"

typedef struct hsp__budget {
    uint64_t most, count;
    uint64_t *row;     /* most + 1: in the order in which they came */
    double *amount;    /* (most + 1) * scorers */
    double *self;      /* most + 1: k(x, x) + c^2 */
    const double *own; /* rows: k(x, x); not owned */
    double square;     /* c^2 */
    hsp__scratch scratch;
} hsp__budget;

/* At most `most` of `rows` rows; `own` (k(x, x) of each) is kept, `square` is c^2. *out is to be
 * freed even after a failure. */
hsp_status hsp__budget_new(hsp_context *ctx, uint64_t most, uint64_t rows, uint32_t scorers,
                           const double *own, double square, hsp_error *err, hsp__budget **out);
void hsp__budget_free(hsp__budget *budget);

/* An amount was added to the run's w. */
void hsp__budget_note(hsp__budget *budget, uint32_t scorers, uint64_t row, uint32_t scorer,
                      double amount);

/* After an update by `row`: are there too many? Then *gone is the place in the budget of the one
 * that goes. */
int hsp__budget_exceeded(const hsp__budget *budget, uint64_t row, uint32_t scorers, uint64_t *gone);

#endif
