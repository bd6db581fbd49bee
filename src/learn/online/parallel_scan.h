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

typedef struct hsp__parallel_scan hsp__parallel_scan;

/* The first position in from..to-1 that is looked for, or `to`; `scores` is scratch. */
typedef uint64_t (*hsp__parallel_scan_fn)(const void *job, uint64_t from, uint64_t to,
                                          double *scores);

/* For up to `workers` threads, of which the caller is one; a row takes this many bytes and has
 * `scorers` scores. NULL when there is no memory. */
hsp__parallel_scan *hsp__parallel_scan_new(hsp_context *ctx, int workers, uint32_t scorers,
                                           uint64_t row_bytes);
void hsp__parallel_scan_free(hsp__parallel_scan *scan);

/* Run fn(user) on the calling thread while the others stand by for hsp__parallel_scan_find. */
void hsp__parallel_scan_run(hsp__parallel_scan *scan, void (*fn)(void *user), void *user);

/* The first position in from..to-1 that `find` finds, or `to`; within hsp__parallel_scan_run only.
 * *shared: another thread may have found it; else `scores` are those that `find` left. */
uint64_t hsp__parallel_scan_find(hsp__parallel_scan *scan, hsp__parallel_scan_fn find,
                                 const void *job, uint64_t from, uint64_t to, double *scores,
                                 int *shared);

#endif
