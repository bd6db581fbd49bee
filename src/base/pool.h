/* Threads that wait for work, so that a task of a hundred microseconds need not start its own.
 *
 * They are started when first asked for and stay until the pool ends. Idle, they look for work
 * for some microseconds, then sleep. One call has the pool at a time. */
#ifndef HSP_BASE_POOL_H
#define HSP_BASE_POOL_H

#include <stddef.h>

#include "halfspace_all.h"

typedef struct hsp__pool hsp__pool;

/* It lies in memory of its owner's: this many bytes, zeroed. */
size_t hsp__pool_size(void);
void hsp__pool_init(hsp__pool *pool, int processors);
/* The threads end. */
void hsp__pool_end(hsp__pool *pool);

/* Run fn(user, worker) on workers 0..workers-1 at once, worker 0 on the calling thread; return 1
 * when all are done. If the system gives fewer threads, fewer workers run. 0: nothing was done, for
 * another call has the pool (this one may come from within it), or the process is a fork of the one
 * whose threads they are. While the calling thread waits for the others it ticks (base/stop.h). */
int hsp__pool_run(hsp_context *ctx, int workers, void (*fn)(void *user, int worker), void *user);

#endif
