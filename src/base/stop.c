#include "base/stop.h"

#include <math.h>
#include <time.h>

#include "base/paging.h"
#include "base/ranks.h"

double hsp__clock(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

static void stop_because(hsp__stop *stop, int why)
{
    int none = HSP__GO_ON; /* the first reason stays */
    double never = 0;
    atomic_compare_exchange_strong(&stop->ended, &never, hsp__clock());
    atomic_compare_exchange_strong(&stop->why, &none, why);
}

/* Tell the user how far the work is, and hear whether it must end. */
static void stop_ask(hsp__stop *stop, double now)
{
    hsp_context *outer = stop->outer;
    stop->next = now + (outer ? outer->tick_seconds : HSP__TICK_SECONDS);
    if (!outer) return;
    const int end =
        outer->progress ? outer->progress(outer->progress_user, &stop->latest) : hsp__tick(outer);
    const hsp__stop_why known = hsp__stopped(outer);
    if (end) stop_because(stop, known ? (int)known : HSP__STOP_REQUESTED);
}

/* The callback of the contexts of a scope: what hsp__progress reports. */
static int stop_progress(void *user, const hsp_progress *progress)
{
    hsp__stop *stop = user;
    if (stop->ranks) {
        stop->latest = *progress;
    } else if (!atomic_load_explicit(&stop->why, memory_order_relaxed)) {
        const double now = hsp__clock();
        if (pthread_equal(stop->owner, pthread_self())) {
            stop->latest = *progress;
            stop_ask(stop, now);
        }
        if (stop->deadline > 0 && now >= stop->deadline) stop_because(stop, HSP__STOP_LATE);
    }
    return atomic_load(&stop->why);
}

hsp_context hsp__stop_open(hsp__stop *stop, hsp_context *ctx)
{
    *stop = (hsp__stop){.outer = ctx, .owner = pthread_self(), .began = hsp__clock()};
    stop->latest = (hsp_progress){"preparing", "", 0, 0, (double)NAN, (double)NAN};
    stop->next = stop->began + ctx->tick_seconds;
    hsp_context made = *ctx;
    made.stop = stop;
    made.progress = stop_progress;
    made.progress_user = stop;
    return made;
}

void hsp__stop_limit(hsp_context *ctx, double seconds)
{
    if (seconds > 0 && ctx->stop) ctx->stop->deadline = ctx->stop->began + seconds;
}

hsp_context hsp__stop_grace(hsp__stop *brief, hsp_context *ctx)
{
    if (!hsp__stopped(ctx)) return *ctx;
    if (ctx->stop->ranks) return hsp__stop_none(ctx); /* not all would see the same clock */
    hsp_context made = hsp__stop_open(brief, ctx);
    brief->outer = NULL; /* it has been asked */
    brief->deadline = atomic_load(&ctx->stop->ended) + HSP__LAST_SECONDS;
    return made;
}

hsp_context hsp__stop_none(const hsp_context *ctx)
{
    hsp_context made = *ctx;
    made.progress = NULL;
    made.stop = NULL;
    return made;
}

hsp_status hsp__stop_status(const hsp_context *ctx, hsp_error *err)
{
    const hsp__stop_why why = hsp__stopped(ctx);
    if (!why) return HSP_OK;
    return hsp__fail(err, HSP_CANCELLED, "stopped %s",
                     why == HSP__STOP_LATE ? "at the time limit" : "on request");
}

/* Look at the clock, and ask if that is due. */
static void stop_look(hsp__stop *stop)
{
    const double now = hsp__clock();
    if (stop->deadline > 0 && now >= stop->deadline) stop_because(stop, HSP__STOP_LATE);
    const int owner = pthread_equal(stop->owner, pthread_self());
    if (owner && now >= stop->next) stop_ask(stop, now);
}

int hsp__tick(hsp_context *ctx)
{
    hsp__stop *stop = ctx->stop;
    hsp__paging_check(&ctx->allocator);
    if (!stop) return 0;
    if (atomic_load_explicit(&stop->why, memory_order_relaxed)) return 1;
    if (!stop->ranks) stop_look(stop);
    return atomic_load_explicit(&stop->why, memory_order_relaxed);
}

int hsp__tick_together(hsp_context *ctx)
{
    hsp__stop *stop = ctx->stop;
    if (!stop || !stop->ranks || atomic_load(&stop->why)) return hsp__tick(ctx);
    int mine, most = HSP__GO_ON, all[HSP__BLOCKS];
    uint64_t sizes[HSP__BLOCKS];
    stop_look(stop);
    mine = atomic_load(&stop->why);
    for (int r = 0; r < stop->ranks->count; r++)
        sizes[r] = sizeof mine;
    stop->ranks->gather(stop->ranks->user, &mine, sizes, all);
    for (int r = 0; r < stop->ranks->count; r++)
        most = all[r] > most ? all[r] : most;
    if (most) stop_because(stop, most);
    atomic_store(&stop->why, most); /* of several reasons, the same everywhere */
    return most;
}

void hsp__tick_wait(hsp_context *ctx, pthread_cond_t *condition, pthread_mutex_t *lock)
{
    struct timespec until;
    clock_gettime(CLOCK_REALTIME, &until);
    until.tv_nsec += (long)(HSP__TICK_SECONDS * 1e9);
    until.tv_sec += until.tv_nsec / 1000000000;
    until.tv_nsec %= 1000000000;
    if (pthread_cond_timedwait(condition, lock, &until) == 0) return;
    pthread_mutex_unlock(lock);
    hsp__tick(ctx);
    pthread_mutex_lock(lock);
}

hsp__stop_why hsp__stopped(const hsp_context *ctx)
{
    return ctx->stop ? (hsp__stop_why)atomic_load(&ctx->stop->why) : HSP__GO_ON;
}
