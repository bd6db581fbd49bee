#include "base/pool.h"

#include <pthread.h>
#include <stdatomic.h>
#include <unistd.h>

#include "base/stop.h"

#define POOL_THREADS 255  /* in addition to the caller */
#define POOL_LOOKS   3000 /* for work before sleeping: some tens of microseconds */

typedef struct pool_thread {
    atomic_uint asked; /* how often it was asked to work; written under the lock */
    int asleep;        /* under the lock */
    int worker;
    pthread_t thread;
    pthread_cond_t wake;
    hsp__pool *pool;
} pool_thread;

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
    pool_thread threads[POOL_THREADS];
};

static void pool_breathe(void)
{
#if defined(__x86_64__) || defined(__i386__)
    __builtin_ia32_pause();
#else
    atomic_signal_fence(memory_order_seq_cst);
#endif
}

static int pool_looks(hsp__pool *pool)
{
    return atomic_load_explicit(&pool->eager, memory_order_relaxed) ? POOL_LOOKS : 0;
}

/* ---- The threads ----------------------------------------------------------------------------- */

static void pool_wait_for_work(pool_thread *self, unsigned before)
{
    hsp__pool *pool = self->pool;
    const int looks = pool_looks(pool);
    for (int look = 0; look < looks; look++) {
        if (atomic_load_explicit(&self->asked, memory_order_acquire) != before) return;
        pool_breathe();
    }
    pthread_mutex_lock(&pool->lock);
    self->asleep = 1;
    while (atomic_load_explicit(&self->asked, memory_order_acquire) == before)
        pthread_cond_wait(&self->wake, &pool->lock);
    self->asleep = 0;
    pthread_mutex_unlock(&pool->lock);
}

static void *pool_main(void *argument)
{
    pool_thread *self = argument;
    hsp__pool *pool = self->pool;
    for (unsigned times = 0;; times++) {
        pool_wait_for_work(self, times);
        if (pool->stopping) return NULL;
        pool->fn(pool->user, self->worker);
        if (atomic_fetch_sub_explicit(&pool->left, 1, memory_order_acq_rel) > 1) continue;
        pthread_mutex_lock(&pool->lock);
        if (pool->caller_asleep) pthread_cond_signal(&pool->done);
        pthread_mutex_unlock(&pool->lock);
    }
}

/* One more thread; 0: the system has none. */
static int pool_start(hsp__pool *pool)
{
    pool_thread *self = &pool->threads[pool->started];
    atomic_init(&self->asked, 0);
    self->pool = pool;
    self->worker = pool->started + 1;
    pthread_cond_init(&self->wake, NULL);
    const int failed = pthread_create(&self->thread, NULL, pool_main, self);
    if (failed)
        pthread_cond_destroy(&self->wake);
    else
        pool->started++;
    return !failed;
}

/* ---- The caller ------------------------------------------------------------------------------ */

static void pool_ask(pool_thread *thread)
{
    hsp__pool *pool = thread->pool;
    pthread_mutex_lock(&pool->lock);
    atomic_fetch_add_explicit(&thread->asked, 1, memory_order_release);
    if (thread->asleep) pthread_cond_signal(&thread->wake);
    pthread_mutex_unlock(&pool->lock);
}

static void pool_wait_for_all(hsp_context *ctx)
{
    hsp__pool *pool = ctx->pool;
    const int looks = pool_looks(pool);
    for (int look = 0; look < looks; look++) {
        if (atomic_load_explicit(&pool->left, memory_order_acquire) == 0) return;
        pool_breathe();
    }
    pthread_mutex_lock(&pool->lock);
    pool->caller_asleep = 1;
    while (atomic_load_explicit(&pool->left, memory_order_acquire))
        hsp__tick_wait(ctx, &pool->done, &pool->lock);
    pool->caller_asleep = 0;
    pthread_mutex_unlock(&pool->lock);
}

int hsp__pool_run(hsp_context *ctx, int workers, void (*fn)(void *user, int worker), void *user)
{
    hsp__pool *pool = ctx->pool;
    if (pool->owner != getpid()) return 0;
    if (atomic_flag_test_and_set_explicit(&pool->taken, memory_order_acquire)) return 0;
    while (pool->started < workers - 1 && pool->started < POOL_THREADS && pool_start(pool)) {
    }
    const int helpers = workers - 1 < pool->started ? workers - 1 : pool->started;
    atomic_store_explicit(&pool->eager, workers <= pool->processors, memory_order_relaxed);
    pool->fn = fn;
    pool->user = user;
    atomic_store_explicit(&pool->left, helpers, memory_order_relaxed);
    for (int i = 0; i < helpers; i++)
        pool_ask(&pool->threads[i]);
    fn(user, 0);
    pool_wait_for_all(ctx);
    atomic_flag_clear_explicit(&pool->taken, memory_order_release);
    return 1;
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
        pool_ask(&pool->threads[i]);
        pthread_join(pool->threads[i].thread, NULL);
        pthread_cond_destroy(&pool->threads[i].wake);
    }
    pthread_mutex_destroy(&pool->lock);
    pthread_cond_destroy(&pool->done);
}
