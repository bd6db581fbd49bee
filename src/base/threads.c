#include "base/threads.h"

#include <pthread.h>
#include <stdatomic.h>

#include "base/stop.h"

#define THREADS_MAX        256
#define THREADS_PART_BYTES ((uint64_t)1 << 20)

typedef struct threads_join {
    pthread_mutex_t lock;
    pthread_cond_t done;
    int left; /* threads that are not done; under the lock */
} threads_join;

typedef struct threads_start {
    void (*fn)(void *user, int worker);
    void *user;
    int worker;
    threads_join *join;
} threads_start;

static void *threads_main(void *argument)
{
    threads_start *start = argument;
    threads_join *join = start->join;
    start->fn(start->user, start->worker);
    pthread_mutex_lock(&join->lock);
    if (--join->left == 0) pthread_cond_signal(&join->done);
    pthread_mutex_unlock(&join->lock);
    return NULL;
}

static void threads_start_all(hsp_context *ctx, int workers, void (*fn)(void *user, int worker),
                              void *user)
{
    pthread_t threads[THREADS_MAX];
    threads_start starts[THREADS_MAX];
    threads_join join = {PTHREAD_MUTEX_INITIALIZER, PTHREAD_COND_INITIALIZER, 0};
    int running = 1;
    for (; running < workers && running < THREADS_MAX; running++) {
        starts[running] = (threads_start){fn, user, running, &join};
        pthread_mutex_lock(&join.lock);
        const int failed = pthread_create(&threads[running], NULL, threads_main, &starts[running]);
        if (!failed) join.left++;
        pthread_mutex_unlock(&join.lock);
        if (failed) break;
    }
    fn(user, 0);
    pthread_mutex_lock(&join.lock);
    while (join.left)
        hsp__tick_wait(ctx, &join.done, &join.lock);
    pthread_mutex_unlock(&join.lock);
    for (int i = 1; i < running; i++)
        pthread_join(threads[i], NULL);
    pthread_cond_destroy(&join.done);
    pthread_mutex_destroy(&join.lock);
}

void hsp__workers_run(hsp_context *ctx, int workers, void (*fn)(void *user, int worker), void *user)
{
    if (workers > 1 && ctx->pool && hsp__pool_run(ctx, workers, fn, user)) return;
    if (workers > 1)
        threads_start_all(ctx, workers, fn, user);
    else
        fn(user, 0);
}

typedef struct threads_tasks {
    hsp_context *ctx;
    int stops; /* tasks are left out once the work must end */
    void (*fn)(void *user, uint64_t task);
    void *user;
    uint64_t count;
    atomic_uint_fast64_t next;
} threads_tasks;

static void threads_work(void *user, int worker)
{
    threads_tasks *tasks = user;
    (void)worker;
    for (;;) {
        uint64_t task = atomic_fetch_add_explicit(&tasks->next, 1, memory_order_relaxed);
        if (task >= tasks->count) return;
        if (hsp__tick(tasks->ctx) && tasks->stops) return;
        tasks->fn(tasks->user, task);
    }
}

static void threads_all(hsp_context *ctx, uint64_t tasks, void (*fn)(void *user, uint64_t task),
                        void *user, int stops)
{
    threads_tasks all = {.ctx = ctx, .stops = stops, .fn = fn, .user = user, .count = tasks};
    int workers = hsp_context_threads(ctx);
    if ((uint64_t)workers > tasks) workers = (int)tasks;
    if (workers) hsp__workers_run(ctx, workers, threads_work, &all);
}

void hsp__tasks_run(hsp_context *ctx, uint64_t tasks, void (*fn)(void *user, uint64_t task),
                    void *user)
{
    if (tasks == 1) { /* the common case of little data, without a detour */
        hsp__tick(ctx);
        fn(user, 0);
    } else {
        threads_all(ctx, tasks, fn, user, 0);
    }
}

int hsp__tasks_try(hsp_context *ctx, uint64_t tasks, void (*fn)(void *user, uint64_t task),
                   void *user)
{
    threads_all(ctx, tasks, fn, user, 1);
    return !hsp__stopped(ctx);
}

uint64_t hsp__parts(uint64_t count, uint64_t bytes)
{
    uint64_t parts = count * (bytes ? bytes : 1) / THREADS_PART_BYTES + 1;
    if (parts > 4096) parts = 4096;
    return parts > count && count ? count : parts;
}
