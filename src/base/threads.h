/* Work on several threads. Work is cut into tasks whose number and extent never depend on the
 * number of threads; each task writes only what is its own, so that results do not depend on it
 * either. */
#ifndef HSP_BASE_THREADS_H
#define HSP_BASE_THREADS_H

#include <stddef.h>

#include "halfspace_all.h"

/* Threads that wait for work, so that a task of a hundred microseconds need not start its own. They
 * are started when first asked for and stay until the pool ends. Idle, they look for work for some
 * microseconds, then sleep. One call has the pool at a time; others start threads of their own. It
 * lies in memory of its owner's: this many bytes, zeroed. */
typedef struct hsp__pool hsp__pool;
size_t hsp__pool_size(void);
void hsp__pool_init(hsp__pool *pool, int processors);
void hsp__pool_end(hsp__pool *pool);

/* How many processors the machine has. */
int hsp__processors(void);

/* Run fn(user, worker) on workers 0..workers-1 at once, worker 0 on the calling thread; return when
 * all are done. If the system gives fewer threads, fewer workers run (worker 0 always does). While
 * the calling thread waits for the others it ticks (base/stop.h). */
void hsp__workers_run(hsp_context *ctx, int workers, void (*fn)(void *user, int worker),
                      void *user);

/* Run fn(user, task) for every task in 0..tasks-1, in any order, on the context's threads. */
void hsp__tasks_run(hsp_context *ctx, uint64_t tasks, void (*fn)(void *user, uint64_t task),
                    void *user);

/* The same, but the rest of the tasks is left out once the work must end (base/stop.h): 0, and what
 * they were to compute must not be used. */
int hsp__tasks_try(hsp_context *ctx, uint64_t tasks, void (*fn)(void *user, uint64_t task),
                   void *user);

/* The t-th of `tasks` near-equal parts of 0..count-1. */
static inline uint64_t hsp__part(uint64_t count, uint64_t tasks, uint64_t t)
{
    return count / tasks * t + (count % tasks * t) / tasks;
}

/* A fixed number of parts to cut `count` rows of about `bytes` each into: enough for every machine,
 * few enough that starting them is cheap. It depends only on the data. */
uint64_t hsp__parts(uint64_t count, uint64_t bytes);

#endif
