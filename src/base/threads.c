#include "base/threads.h"

#include <pthread.h>
#include <stdatomic.h>
#include <unistd.h>

#include "base/stop.h"

#define THREADS_MAX        256
#define THREADS_HELPERS    (THREADS_MAX - 1) /* in addition to the caller */
#define THREADS_LOOKS      3000 /* for work before sleeping: some tens of microseconds */
#define THREADS_PART_BYTES ((uint64_t)1 << 20)

typedef struct threads_helper {
    atomic_uint asked; /* how often it was asked to work; written under the lock */
    int asleep;        /* under the lock */
    int worker;
    pthread_t thread;
    pthread_cond_t wake;
    hsp__pool *pool;
} threads_helper;

struct hsp__pool {
    pid_t owner;
    int processors;
    atomic_int eager; /* one for everybody: looking for work is in nobody's way */
    atomic_flag taken;
    int started;
    int stopping;
    int caller_asleep; /* under the lock */
    pthread_mutex_t lock;
    pthread_cond_t done;
    void (*fn)(void *user, int worker);
    void *user;
    atomic_int left; /* workers that are not done, but for the caller */
    threads_helper helpers[THREADS_HELPERS];
};

/* Asking the system takes as long as a small task. */
int hsp__processors(void)
{
    const long online = sysconf(_SC_NPROCESSORS_ONLN);
    if (online < 1) return 1;
    return online > THREADS_MAX ? THREADS_MAX : (int)online;
}

hsp_status hsp_context_set_threads(hsp_context *ctx, int threads)
{
    HSP__NEED(NULL, ctx);
    if (threads < 0 || threads > THREADS_MAX) return HSP_USAGE;
    ctx->threads = threads;
    return HSP_OK;
}

int hsp_context_threads(const hsp_context *ctx)
{
    if (!ctx || ctx->threads) return ctx ? ctx->threads : 0;
    return ctx->processors ? ctx->processors : hsp__processors();
}

/* One more look for work or for its end; 0: that is enough of it. */
static int threads_look(const hsp__pool *pool, int *looks)
{
    if (*looks == THREADS_LOOKS || !atomic_load_explicit(&pool->eager, memory_order_relaxed))
        return 0;
    if ((*looks)++) {
#if defined(__x86_64__) || defined(__i386__)
        __builtin_ia32_pause();
#else
        atomic_signal_fence(memory_order_seq_cst);
#endif
    }
    return 1;
}

/* ---- The threads ----------------------------------------------------------------------------- */

static void *threads_main(void *argument)
{
    threads_helper *self = argument;
    hsp__pool *pool = self->pool;
    for (unsigned times = 0;; times++) {
        for (int looks = 0; atomic_load_explicit(&self->asked, memory_order_acquire) == times;) {
            if (threads_look(pool, &looks)) continue;
            pthread_mutex_lock(&pool->lock);
            self->asleep = 1;
            while (atomic_load_explicit(&self->asked, memory_order_acquire) == times)
                pthread_cond_wait(&self->wake, &pool->lock);
            self->asleep = 0;
            pthread_mutex_unlock(&pool->lock);
        }
        if (pool->stopping) return NULL;
        pool->fn(pool->user, self->worker);
        if (atomic_fetch_sub_explicit(&pool->left, 1, memory_order_acq_rel) > 1) continue;
        pthread_mutex_lock(&pool->lock);
        if (pool->caller_asleep) pthread_cond_signal(&pool->done);
        pthread_mutex_unlock(&pool->lock);
    }
}

/* ---- The caller ------------------------------------------------------------------------------ */

static void threads_ask(threads_helper *helper)
{
    hsp__pool *pool = helper->pool;
    pthread_mutex_lock(&pool->lock);
    atomic_fetch_add_explicit(&helper->asked, 1, memory_order_release);
    if (helper->asleep) pthread_cond_signal(&helper->wake);
    pthread_mutex_unlock(&pool->lock);
}

size_t hsp__pool_size(void)
{
    return sizeof(hsp__pool);
}

void hsp__pool_init(hsp__pool *pool, int processors)
{
    pool->owner = getpid();
    pool->processors = processors;
    atomic_flag_clear(&pool->taken);
    pthread_mutex_init(&pool->lock, NULL);
    pthread_cond_init(&pool->done, NULL);
}

void hsp__pool_end(hsp__pool *pool)
{
    if (pool->owner != getpid()) return; /* there is nobody to wait for */
    pool->stopping = 1;
    for (int i = 0; i < pool->started; i++) {
        threads_ask(&pool->helpers[i]);
        pthread_join(pool->helpers[i].thread, NULL);
        pthread_cond_destroy(&pool->helpers[i].wake);
    }
    pthread_mutex_destroy(&pool->lock);
    pthread_cond_destroy(&pool->done);
}

/* 0: nothing was done, for another call has the pool (this one may come from within it), or the
 * process is a fork of the one whose threads they are. */
static int threads_run(hsp_context *ctx, hsp__pool *pool, int workers,
                       void (*fn)(void *user, int worker), void *user)
{
    if (pool->owner != getpid()) return 0;
    if (atomic_flag_test_and_set_explicit(&pool->taken, memory_order_acquire)) return 0;
    while (pool->started < workers - 1 && pool->started < THREADS_HELPERS) {
        threads_helper *helper = &pool->helpers[pool->started];
        atomic_init(&helper->asked, 0);
        helper->pool = pool;
        helper->worker = pool->started + 1;
        pthread_cond_init(&helper->wake, NULL);
        if (pthread_create(&helper->thread, NULL, threads_main, helper)) {
            pthread_cond_destroy(&helper->wake);
            break; /* the system has no more */
        }
        pool->started++;
    }
    const int helpers = workers - 1 < pool->started ? workers - 1 : pool->started;
    atomic_store_explicit(&pool->eager, workers <= pool->processors, memory_order_relaxed);
    pool->fn = fn;
    pool->user = user;
    atomic_store_explicit(&pool->left, helpers, memory_order_relaxed);
    for (int i = 0; i < helpers; i++)
        threads_ask(&pool->helpers[i]);
    fn(user, 0);
    for (int looks = 0; atomic_load_explicit(&pool->left, memory_order_acquire);) {
        if (threads_look(pool, &looks)) continue;
        pthread_mutex_lock(&pool->lock);
        pool->caller_asleep = 1;
        while (atomic_load_explicit(&pool->left, memory_order_acquire))
            hsp__tick_wait(ctx, &pool->done, &pool->lock);
        pool->caller_asleep = 0;
        pthread_mutex_unlock(&pool->lock);
    }
    atomic_flag_clear_explicit(&pool->taken, memory_order_release);
    return 1;
}

void hsp__workers_run(hsp_context *ctx, int workers, void (*fn)(void *user, int worker), void *user)
{
    if (workers <= 1) {
        fn(user, 0);
        return;
    }
    if (ctx->pool && threads_run(ctx, ctx->pool, workers, fn, user)) return;
    hsp__pool own = {0}; /* of this call; its threads do not look for work, for others do */
    hsp__pool_init(&own, 0);
    threads_run(ctx, &own, workers, fn, user);
    hsp__pool_end(&own);
}

/* ---- Tasks ----------------------------------------------------------------------------------- */

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
