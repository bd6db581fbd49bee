/* Exact answers in a kernel's feature space. */
#ifndef HSP_PROVE_EXACT_KERNEL_H
#define HSP_PROVE_EXACT_KERNEL_H

#include "prove/exact.h"

/* A common point of the two hulls of all rows in the feature space of a kernel without exponentials
 * (hsp__prove_kernel_exact), if there is one: to->kind is HSP__SEPARABILITY_COMMON then. Nothing
 * else in *to means anything. For few rows: their Gram matrix is made, in whole numbers. */
hsp_status hsp__exact_kernel(hsp_context *ctx, const hsp__exact_source *source,
                             const hsp_kernel *kernel, int offset, uint64_t steps, hsp_error *err,
                             hsp__separation *to);

#endif
