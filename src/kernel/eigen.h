/* Eigenvalues of a symmetric matrix, and the vector of the smallest. */
#ifndef HSP_KERNEL_EIGEN_H
#define HSP_KERNEL_EIGEN_H

#include "base/context.h"
#include "halfspace_all.h"

/* values[0..n) ascending, each within a few n * 2^-52 * max |value| of the truth. `a` (n * n) is
 * destroyed. `vector` (n, or NULL) gets a unit vector of the smallest. On the context's threads,
 * the same bits on any number of them. */
hsp_status hsp__eigen_symmetric(hsp_context *ctx, uint64_t n, double *a, hsp_error *err,
                                double *values, double *vector);

#endif
