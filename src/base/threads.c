#include "base/threads.h"

#include <pthread.h>
#include <stdatomic.h>

#include "base/context.h"

#define THREADS_MAX        256
#define THREADS_PART_BYTES ((uint64_t)1 << 20)

typedef struct threads_start {
    void (*fn)(void *user, int worker);
    void *user;
    int worker;
} threads_start;

static void *threads_main(void *argument)
{
    threads_start *start = argument;
    start->fn(start->user, start->worker);
    return NULL;
}

void hsp__workers_run(hsp_context *ctx, int workers, void (*fn)(void *user, int worker), void *user)
{
    if (workers > 1 && ctx->pool && hsp__pool_run(ctx->pool, workers, fn, user)) return;
    pthread_t threads[THREADS_MAX];
    threads_start starts[THREADS_MAX];
    int running = 1;
    for (; running < workers && running < THREADS_MAX; running++) {
        starts[running] = (threads_start){fn, user, running};
        if (pthread_create(&threads[running], NULL, threads_main, &starts[running])) break;
    }
    fn(user, 0);
    for (int i = 1; i < running; i++)
        pthread_join(threads[i], NULL);
}

typedef struct threads_tasks {
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
        tasks->fn(tasks->user, task);
    }
}

void hsp__tasks_run(hsp_context *ctx, uint64_t tasks, void (*fn)(void *user, uint64_t task),
                    void *user)
{
    threads_tasks all = {.fn = fn, .user = user, .count = tasks};
    int workers = hsp_context_threads(ctx);
    if ((uint64_t)workers > tasks) workers = (int)tasks;
    if (workers) hsp__workers_run(ctx, workers, threads_work, &all);
}

uint64_t hsp__parts(uint64_t count, uint64_t bytes)
{
    uint64_t parts = count * (bytes ? bytes : 1) / THREADS_PART_BYTES + 1;
    if (parts > 4096) parts = 4096;
    return parts > count && count ? count : parts;
}
