/* The option `kernel` of a learner, from its text to a kernel that is fitted to the rows. */
#ifndef HSP_LEARN_KERNEL_KERNEL_OPTION_H
#define HSP_LEARN_KERNEL_KERNEL_OPTION_H

#include "data/data.h"
#include "halfspace_all.h"

/* Does any part of the expression look values up? */
int hsp__kernel_is_precomputed(const hsp_kernel *kernel);

/* Parse it, numbering columns as `data` does, and fit it to the rows to learn from. HSP_USAGE with
 * the column of the expression; also for what nothing can be predicted with: normalize of values
 * that were given, which needs k(x, x) of rows that do not bring it along. */
hsp_status hsp__kernel_option(hsp_context *ctx, const hsp_options *options, const hsp_data *data,
                              const hsp_view *view, hsp_error *err, hsp_kernel **out);

#endif
