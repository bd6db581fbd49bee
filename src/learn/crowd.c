#include "learn/crowd.h"

#include <pthread.h>
#include <time.h>

#include "base/context.h"
#include "base/error.h"
#include "base/memory.h"
#include "base/threads.h"

typedef struct crowd {
    hsp__watch *watch;
    hsp__crowd_fn fn;
    void *user;
    uint32_t count, width;
    atomic_uint next;
    hsp_status *statuses; /* count */
    hsp_error *errors;    /* count */
    pthread_mutex_t mutex;
    pthread_cond_t all_done;
    uint32_t done; /* runs that are over; the mutex guards it */
} crowd;

#define CROWD_LISTEN 20000000 /* nanoseconds between two questions to the user */

static void crowd_finish(crowd *work, uint32_t runs)
{
    pthread_mutex_lock(&work->mutex);
    work->done += runs;
    if (work->done == work->count) pthread_cond_signal(&work->all_done);
    pthread_mutex_unlock(&work->mutex);
}

/* The thread that may talk to the user has nothing left to do, others have: it goes on asking. */
static void crowd_listen(crowd *work)
{
    hsp__watch *watch = work->watch;
    pthread_mutex_lock(&work->mutex);
    while (work->done < work->count) {
        struct timespec until;
        clock_gettime(CLOCK_REALTIME, &until);
        until.tv_nsec += CROWD_LISTEN;
        until.tv_sec += until.tv_nsec / 1000000000;
        until.tv_nsec %= 1000000000;
        if (pthread_cond_timedwait(&work->all_done, &work->mutex, &until) == 0) continue;
        pthread_mutex_unlock(&work->mutex);
        if (hsp__progress(watch->ctx, "training", "rows", atomic_load(&watch->done), watch->total,
                          NULL))
            atomic_store(&watch->requested, 1);
        pthread_mutex_lock(&work->mutex);
    }
    pthread_mutex_unlock(&work->mutex);
}

static void crowd_worker(void *user, int worker)
{
    crowd *work = user;
    for (;;) {
        const uint32_t from = atomic_fetch_add(&work->next, work->width);
        if (from >= work->count) break;
        const uint32_t to = work->count - from < work->width ? work->count : from + work->width;
        work->statuses[from] = work->fn(work->user, from, to, worker == 0, &work->errors[from]);
        crowd_finish(work, to - from);
    }
    if (worker == 0) crowd_listen(work);
}

hsp_status hsp__crowd_run(hsp__watch *watch, int workers, uint32_t count, uint32_t width,
                          hsp__crowd_fn fn, void *user, hsp_error *err)
{
    const hsp_allocator *memory = &watch->ctx->allocator;
    crowd work = {.watch = watch, .fn = fn, .user = user, .count = count, .width = width};
    hsp_status status = HSP_OK;
    work.statuses = hsp__new(memory, count, sizeof *work.statuses);
    work.errors = hsp__new(memory, count, sizeof *work.errors);
    if (!work.statuses || !work.errors) {
        status = hsp__fail_memory(err);
    } else {
        pthread_mutex_init(&work.mutex, NULL);
        pthread_cond_init(&work.all_done, NULL);
        hsp__workers_run(watch->ctx, (uint32_t)workers < count ? workers : (int)count, crowd_worker,
                         &work);
        pthread_cond_destroy(&work.all_done);
        pthread_mutex_destroy(&work.mutex);
        for (uint32_t c = 0; !status && c < count; c++) {
            status = work.statuses[c];
            if (status && err) *err = work.errors[c];
        }
    }
    hsp__free(memory, work.statuses);
    hsp__free(memory, work.errors);
    return status;
}

int hsp__ear_ask(const hsp__ear *ear)
{
    hsp__watch *watch = ear->watch;
    if (ear->report && hsp__progress(watch->ctx, "training", "rows", atomic_load(&watch->done),
                                     watch->total, NULL))
        atomic_store(&watch->requested, 1);
    return atomic_load(&watch->requested);
}

static int ear_progress(void *user, const hsp_progress *progress)
{
    (void)progress; /* how far one run of many is says little */
    return hsp__ear_ask(user);
}

hsp_context hsp__ear_context(hsp__ear *ear, int threads)
{
    const hsp_context *ctx = ear->watch->ctx;
    return (hsp_context){.allocator = ctx->allocator,
                         .threads = threads,
                         .block_bytes = ctx->block_bytes,
                         .progress = ear_progress,
                         .progress_user = ear};
}
