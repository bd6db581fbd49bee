/* Primal, dual and gap of a kernel machine, with what rounding may have done to them (smo_gap.c). */
#ifndef HSP_LEARN_KERNEL_SMO_GAP_H
#define HSP_LEARN_KERNEL_SMO_GAP_H

#include "learn/kernel/smo.h"

/* Primal, dual, gap and rounding of s->a, s->b and s->scores, which are off by at most
 * `drift` from the sums over kernel values as the cache has them. Where the rounding of those is
 * too much for `target`, scores are computed again in double. */
hsp_status hsp__smo_prove(hsp_context *ctx, const hsp__problem *p, hsp__smo_cache *cache,
                          double drift, double target, hsp_error *err, hsp__smo_solution *s);

#endif
