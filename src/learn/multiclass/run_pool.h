/* Several runs at once. */
#ifndef HSP_LEARN_MULTICLASS_RUN_POOL_H
#define HSP_LEARN_MULTICLASS_RUN_POOL_H

#include "base/context.h"
#include "halfspace_all.h"
#include "learn/watch.h"

/* Runs from..to-1. `report`: this is the thread that the context belongs to. */
typedef hsp_status (*hsp__run_pool_fn)(void *user, uint32_t from, uint32_t to, int report,
                                       hsp_error *err);

/* Call fn for all of `count` runs, `width` at a time, on up to `workers` threads of which the
 * calling one is the first: free workers take the next. The first failure in the order of the runs
 * is returned. */
hsp_status hsp__run_pool_run(hsp__watch *watch, int workers, uint32_t count, uint32_t width,
                             hsp__run_pool_fn fn, void *user, hsp_error *err);

/* How many of the context's threads `count` runs can use; at least 1. */
static inline int hsp__run_pool_workers(const hsp_context *ctx, uint32_t count)
{
    const int threads = hsp_context_threads(ctx);
    const int workers = (uint32_t)threads < count ? threads : (int)count;
    return workers > 1 ? workers : 1;
}

#endif
