/* Mistake-driven runs in a kernel's feature space: where the scores of their rows come from.
 *
 * There w = sum over the updates of amount * phi(x), so s(x) = sum of amount * k(row, x) + b. The
 * driver (online.h, ovr.h) asks here for the scores of rows and tells every change of w;
 * everything else about a run is as without a kernel. Several runs (one-vs-rest) share the kernel
 * values.
 *
 * Rows are visited in blocks. A row keeps the sum of its score and how many changes that includes;
 * when its block comes, the changes since are caught up with, as blocks of kernel values of the
 * rows they are about with the block's rows; changes made while the block is visited go to all its
 * rows at once, by a line of the block's own kernel values. Where any row may be next (the orders
 * that pick), rows are few, or a trace is written, there is one block of all rows, and a change
 * costs one line of kernel values. Either way a sum is made of the same numbers in the same order:
 * that of the changes.
 *
 * Cost. Cyclic and shuffled passes: (rows) * (updates of a pass) kernel values a pass, as matrix
 * products; orders that pick: rows * updates. Values are doubles, kept for up to 2,048 rows. */
#ifndef HSP_LEARN_KERNEL_KERNEL_SCORES_H
#define HSP_LEARN_KERNEL_KERNEL_SCORES_H

#include "base/scratch.h"
#include "kernel/kernel_rows.h"
#include "learn/kernel/kernel_option.h"
#include "learn/multiclass/ovr.h"
#include "learn/learner.h"

typedef struct hsp__kernel_scores hsp__kernel_scores;

/* Make rows (all of the training's, or those of a pair of classes) ready for its kernel; they, the
 * training and the context outlive it. `numbers`: what a precomputed kernel knows them by, or NULL.
 */
hsp_status hsp__kernel_scores_new(hsp_context *ctx, const hsp__train *train, const hsp_view *view,
                                  const uint64_t *numbers, hsp_error *err,
                                  hsp__kernel_scores **out);
void hsp__kernel_scores_free(hsp__kernel_scores *kernel);

/* max sqrt(k(x, x)): the longest row there. HSP_BAD_DATA when a k(x, x) is below 0 or none. */
hsp_status hsp__kernel_scores_radius(const hsp__kernel_scores *kernel, hsp_error *err,
                                     double *radius);

/* Let the runs of a ovr (of zero features) learn here. */
hsp_status hsp__kernel_scores_join(hsp__kernel_scores *kernel, hsp__ovr *ovr, hsp_error *err);

/* Averaging: sums of amount * (examples before), by row and scorer of the ovr. */
hsp__ledger *hsp__kernel_scores_past(hsp__kernel_scores *kernel);

/* ---- For the driver ---- */

/* Rows to visit between two ticks. */
uint64_t hsp__kernel_scores_chunk(const hsp__kernel_scores *kernel);

/* From here on the scores of rows at positions from..to-1 are asked for, until the next call. */
hsp_status hsp__kernel_scores_block(hsp__kernel_scores *kernel, const uint64_t *order,
                                    uint64_t from, uint64_t to, hsp_error *err);

/* sum of amount * k(row, x) of a row of the block; `scorer` is the ovr's. */
double hsp__kernel_scores_sum(const hsp__kernel_scores *kernel, uint64_t row, uint32_t scorer);

/* w_scorer += amount * phi(x_row), `before` examples having been seen. */
hsp_status hsp__kernel_scores_add(hsp__kernel_scores *kernel, uint64_t row, uint32_t scorer,
                                  double amount, uint64_t before, hsp_error *err);

/* ---- For traces: where the option `trace` is set ---- */

/* ||w||^2 of a scorer, and its inner product with a w* whose sums with all rows these are: of w =
 * sum of a phi(x) it is sum of a <w*, phi(x)>. As many multiplications as there are rows. */
double hsp__kernel_scores_square(const hsp__kernel_scores *kernel, uint32_t scorer);
double hsp__kernel_scores_inner(const hsp__kernel_scores *kernel, uint32_t scorer,
                                const double *sums);

/* ---- Budgets ---- */

/* A budget of rows that a run's w may be made of (kernels: what it costs to keep and to predict).
 *
 * When an update makes them more than that, the row whose removal changes w least goes, whole, its
 * share of the offset too: the one with the smallest sum over scorers of a^2 (k(x, x) + c^2), the
 * one that has been there longest among equals, never the one of this update. A row whose amounts
 * come to 0 leaves by itself. */
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
