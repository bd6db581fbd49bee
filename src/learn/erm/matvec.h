/* The two products with all rows: scores X w and combinations X^T v, on the context's threads, with
 * bits that do not depend on their number. Once the context is stopped (base/stop.h) they come back
 * early with nothing that can be used; those that return a status return HSP_CANCELLED. */
#ifndef HSP_LEARN_ERM_MATVEC_H
#define HSP_LEARN_ERM_MATVEC_H

#include "data/data.h"

/* scores[i] = <w, x_i> + b for all rows, with the bits of hsp__row_score. `w` has view->cols. */
void hsp__matvec_scores(hsp_context *ctx, const hsp_view *view, const double *w, double b,
                        double *scores);

/* out = sum_i v[i] x_i; rows with v[i] = 0 are skipped. `out` has view->cols and is overwritten. */
hsp_status hsp__matvec_combine(hsp_context *ctx, const hsp_view *view, const double *v,
                               hsp_error *err, double *out);

/* y += a x_i. */
void hsp__matvec_add_row(const hsp_view *view, uint64_t i, double a, double *y);

/* ||x||^2. */
double hsp__matvec_sqnorm(const hsp_view *view, const hsp__row *row);

/* Both in one pass over the rows: scores (n) = X w, out (d) = X' v. */
hsp_status hsp__matvec_both(hsp_context *ctx, const hsp_view *view, const double *w,
                            const double *v, hsp_error *err, double *scores, double *out);

/* Dense rows of few floats: the same scores, faster, of `count` rows from `from` on, into out[0..count). */
int hsp__matvec_narrow(const hsp_view *view);
void hsp__matvec_narrow_scores(const hsp_context *ctx, const hsp_view *view, const double *w,
                               double b, uint64_t from, uint64_t count, double *out);

/* Parts that rows are cut into where each has a sum of its own: few, as many as keep 8 processors
 * busy, fewer when the sums would be larger than the rows. */
uint64_t hsp__matvec_parts(const hsp_view *view);

#endif
