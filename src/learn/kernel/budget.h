/* A budget of rows that a run's w may be made of (kernels: what it costs to keep and to predict).
 *
 * When an update makes them more than that, the row whose removal changes w least goes, whole, its
 * share of the offset too: the one with the smallest sum over scorers of a^2 (k(x, x) + c^2), the
 * one that has been there longest among equals, never the one of this update. A row whose amounts
 * come to 0 leaves by itself. */
#ifndef HSP_LEARN_KERNEL_BUDGET_H
#define HSP_LEARN_KERNEL_BUDGET_H

#include "learn/online/online.h"

typedef struct hsp__budget {
    uint64_t most, count;
    uint64_t *row;     /* most + 1: in the order in which they came */
    double *amount;    /* (most + 1) * scorers */
    double *self;      /* most + 1: k(x, x) + c^2 */
    const double *own; /* rows: k(x, x); not owned */
    double square;     /* c^2 */
    hsp_allocator memory;
} hsp__budget;

/* At most `most` of `rows` rows for this run; `own` is kept. */
hsp_status hsp__budget_new(hsp__online *run, uint64_t most, uint64_t rows, const double *own,
                           hsp_error *err);
void hsp__budget_free(hsp__budget *budget);

/* An amount was added to the run's w. */
void hsp__budget_note(hsp__online *run, uint64_t row, uint32_t scorer, double amount);

/* After an update by `row`: within the budget again. */
hsp_status hsp__budget_keep(hsp__online *run, const hsp_view *view, uint64_t row, hsp_error *err);

#endif
