/* Looking ahead for the next mistake on several threads.
 *
 * Until the next mistake the weights stand still, so the rows to come can be scored by anybody in
 * any order: a stretch of rows is cut into segments, one a worker; the first mistake of the first
 * segment that has one is the next mistake, and what was scored behind it is thrown away. The
 * answer is that of one thread, to the bit. How long a stretch is worth sharing is learned on the
 * way: it doubles as long as no mistake is met, and falls back to the distance of the last two when
 * one is. */
#ifndef HSP_LEARN_ONLINE_PARALLEL_SCAN_H
#define HSP_LEARN_ONLINE_PARALLEL_SCAN_H

#include "halfspace_all.h"
#include "learn/online/online.h"

typedef struct hsp__parallel_scan hsp__parallel_scan;

/* For up to `workers` threads, of which the caller is one. NULL when there is no memory. */
hsp__parallel_scan *hsp__parallel_scan_new(hsp_context *ctx, int workers, uint32_t scorers,
                                           const hsp_view *view);
void hsp__parallel_scan_free(hsp__parallel_scan *crew);

/* Run fn(user) on the calling thread while the others stand by for hsp__parallel_scan_find. */
void hsp__parallel_scan_run(hsp__parallel_scan *crew, void (*fn)(void *user), void *user);

/* As hsp__online_find; within hsp__parallel_scan_run only. */
uint64_t hsp__parallel_scan_find(hsp__parallel_scan *crew, hsp__online *run, const hsp_view *view,
                                 const uint64_t *order, uint64_t from, uint64_t to);

#endif
