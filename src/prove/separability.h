/* Are two sets of rows separable, and by how much? */
#ifndef HSP_PROVE_SEPARABILITY_H
#define HSP_PROVE_SEPARABILITY_H

#include "prove/prove.h"

/* What is true of these rows: a separator and the widest margin, a common point, or neither. */
hsp_status hsp__separability_find(hsp_context *ctx, const hsp__prove_file *file, int offset,
                                  double width, hsp_error *err, hsp__separation *to);
/* The same by exact arithmetic alone: two equal rows, or Wolfe's method if the rows are not too
 * many; else unknown. Of `file`, only rows, y, sides and exact are looked at. */
hsp_status hsp__separability_exact(hsp_context *ctx, const hsp__prove_file *file, int offset,
                                   double width, hsp_error *err, hsp__separation *to);
/* The same for the claims, once. */
hsp_status hsp__prove_separability(hsp__prove *prove, hsp_error *err);

/* The claims "separable" and "not separable" in a kernel's feature space (separability_kernel.c). */
hsp_status hsp__prove_separable_kernel(hsp__prove *prove, const char *text, hsp_error *err);

#endif
