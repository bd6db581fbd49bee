/* One problem of two classes in a kernel's feature space, for other modules (src/prove): without
 * options, data sets or models. */
#ifndef HSP_LEARN_KERNEL_FIT_KERNEL_H
#define HSP_LEARN_KERNEL_FIT_KERNEL_H

#include "learn/erm/fit.h"

/* As hsp__fit_problem, but out->w stays NULL: w is sum a y phi(x), a being out->dual. The kernel is
 * fitted; its values take `bytes` at most. HSP_BAD_DATA: its values are too small to compute with. */
hsp_status hsp__fit_kernel(hsp_context *ctx, const hsp_kernel *kernel, const hsp__problem *p,
                           const hsp__fit_limits *limits, uint64_t bytes, hsp_error *err,
                           hsp__fitted *out);

#endif
