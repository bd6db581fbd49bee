#include "learn/online/parallel_scan.h"

#include "base/base.h"
#include "base/paging.h"

#include <pthread.h>
#include <stdatomic.h>

#define PARALLEL_SCAN_MOST        16    /* more would wait for the same memory */
#define PARALLEL_SCAN_BLOCK_BYTES 32768 /* what a worker takes at once */
#define PARALLEL_SCAN_LEAST       4     /* blocks; less is not worth sharing */
#define PARALLEL_SCAN_SPINS       2000  /* before a worker without work goes to sleep */
#define PARALLEL_SCAN_PATIENCE \
    20e-6 /* seconds that waiting for the others may take beyond their share */
#define PARALLEL_SCAN_PENALTY  20   /* after waiting in vain: this many times as long alone, ... */
#define PARALLEL_SCAN_HARSHEST 5000 /* ... and twice as many each time, up to this */

struct hsp__parallel_scan {
    hsp_context *ctx;
    int workers;
    uint64_t block; /* rows */
    uint64_t ahead; /* rows that are likely right from here on */
    double alone;   /* until this time: the machine is busy with other things */
    double penalty; /* the next time: this many times as long as we waited */
    void (*fn)(void *user);
    void *user;
    double *scores; /* workers * scores_stride: scratch of each */
    uint64_t scores_stride;

    /* The job: written while it is closed and nobody is at work. */
    hsp__parallel_scan_fn find;
    const void *job;
    uint64_t to;

    char apart_next[64];       /* lines that workers write to lie apart */
    atomic_uint_fast64_t next; /* the first position that nobody has taken */
    char apart_found[64];
    atomic_uint_fast64_t found; /* the first mistake known, or `to` */
    char apart_state[64];
    atomic_uint_fast64_t state; /* counts up: odd while a job is open */
    atomic_int busy;            /* workers that may be looking at the job */
    atomic_int over;            /* go home */
    atomic_int asleep;
    pthread_mutex_t mutex;
    pthread_cond_t wake;
};

hsp__parallel_scan *hsp__parallel_scan_new(hsp_context *ctx, int workers, uint32_t scorers,
                                           uint64_t row_bytes)
{
    const uint64_t bytes = row_bytes * scorers + 1;
    hsp__parallel_scan *scan = hsp__new(&ctx->allocator, 1, sizeof *scan);
    if (!scan) return NULL;
    scan->ctx = ctx;
    scan->workers = workers < PARALLEL_SCAN_MOST ? workers : PARALLEL_SCAN_MOST;
    assert(scan->workers > 0);
    scan->block = PARALLEL_SCAN_BLOCK_BYTES / bytes + 1;
    scan->penalty = PARALLEL_SCAN_PENALTY;
    scan->scores_stride = ((uint64_t)scorers + 31) & ~(uint64_t)15; /* no two share a line */
    scan->scores = hsp__new(&ctx->allocator, (uint64_t)scan->workers * scan->scores_stride,
                            sizeof *scan->scores);
    if (!scan->scores) {
        hsp__free(&ctx->allocator, scan);
        return NULL;
    }
    pthread_mutex_init(&scan->mutex, NULL);
    pthread_cond_init(&scan->wake, NULL);
    return scan;
}

void hsp__parallel_scan_free(hsp__parallel_scan *scan)
{
    if (!scan) return;
    pthread_mutex_destroy(&scan->mutex);
    pthread_cond_destroy(&scan->wake);
    hsp__free(&scan->ctx->allocator, scan->scores);
    hsp__free(&scan->ctx->allocator, scan);
}

static inline void parallel_scan_pause(void)
{
#if defined(__x86_64__) || defined(__i386__)
    __builtin_ia32_pause();
#endif
}

/* Take blocks in order until there are none before the first mistake known. A block that was taken
 * is looked at to its end or its first mistake: so when all are done, `found` is the first of all.
 */
static void parallel_scan_work(hsp__parallel_scan *scan, int worker)
{
    double *scores = scan->scores + (uint64_t)worker * scan->scores_stride;
    for (;;) {
        const uint64_t from = atomic_fetch_add(&scan->next, scan->block);
        uint64_t found = atomic_load(&scan->found);
        if (from >= found) return;
        const uint64_t to = scan->to - from < scan->block ? scan->to : from + scan->block;
        hsp__paging_check(&scan->ctx->allocator);
        const uint64_t p = scan->find(scan->job, from, to, scores);
        if (p == to) continue;
        while (p < found && !atomic_compare_exchange_weak(&scan->found, &found, p))
            continue;
        return;
    }
}

/* ---- The others ------------------------------------------------------------------------------ */

static void parallel_scan_advance(hsp__parallel_scan *scan)
{
    atomic_fetch_add(&scan->state, 1);
    if (atomic_load(&scan->asleep) == 0) return;
    pthread_mutex_lock(&scan->mutex);
    pthread_cond_broadcast(&scan->wake);
    pthread_mutex_unlock(&scan->mutex);
}

/* The caller's thread does the work; the others take part in each search.
 *
 * A worker says that it is busy before it looks whether the job is open; the caller closes the job
 * before it looks whether anybody is busy. So nobody looks at rows that the caller does not wait
 * for. */
static void parallel_scan_worker(void *user, int worker)
{
    hsp__parallel_scan *scan = user;
    if (worker == 0) {
        scan->fn(scan->user);
        atomic_store(&scan->over, 1);
        parallel_scan_advance(scan);
        return;
    }
    uint64_t seen = 0;
    while (!atomic_load(&scan->over)) {
        for (int spin = 0; spin < PARALLEL_SCAN_SPINS && atomic_load(&scan->state) == seen; spin++)
            parallel_scan_pause();
        if (atomic_load(&scan->state) == seen) {
            pthread_mutex_lock(&scan->mutex);
            atomic_fetch_add(&scan->asleep, 1);
            while (atomic_load(&scan->state) == seen)
                pthread_cond_wait(&scan->wake, &scan->mutex);
            atomic_fetch_sub(&scan->asleep, 1);
            pthread_mutex_unlock(&scan->mutex);
        }
        atomic_fetch_add(&scan->busy, 1);
        seen = atomic_load(&scan->state);
        if (seen & 1) parallel_scan_work(scan, worker);
        atomic_fetch_sub(&scan->busy, 1);
    }
}

void hsp__parallel_scan_run(hsp__parallel_scan *scan, void (*fn)(void *user), void *user)
{
    scan->fn = fn;
    scan->user = user;
    hsp__workers_run(scan->ctx, scan->workers, parallel_scan_worker, scan);
}

/* ---- The caller ------------------------------------------------------------------------------ */

/* One stretch, shared.
 *
 * Somebody who was busy but did not come to an end means that the system gave the processor to
 * others: then it is better to go on alone for a while, longer each time it happens. What is lost
 * by waiting stays a small part of the whole. */
static uint64_t parallel_scan_share(hsp__parallel_scan *scan, uint64_t from, uint64_t to)
{
    assert(from < to);
    const double start = hsp__clock();
    scan->to = to;
    atomic_store(&scan->next, from);
    atomic_store(&scan->found, to);
    parallel_scan_advance(scan);
    parallel_scan_work(scan, 0);
    atomic_fetch_add(&scan->state, 1); /* closed; nobody sleeps for that */
    const double done = hsp__clock();
    while (atomic_load(&scan->busy) > 0)
        parallel_scan_pause();
    const double end = hsp__clock(), wait = end - done;
    if (wait > done - start + PARALLEL_SCAN_PATIENCE) {
        scan->alone = end + wait * scan->penalty;
        if (scan->penalty < PARALLEL_SCAN_HARSHEST) scan->penalty *= 2;
    }
    return atomic_load(&scan->found);
}

uint64_t hsp__parallel_scan_find(hsp__parallel_scan *scan, hsp__parallel_scan_fn find,
                                 const void *job, uint64_t from, uint64_t to, double *scores,
                                 int *shared)
{
    scan->find = find;
    scan->job = job;
    assert(from <= to && scan->block > 0);
    for (uint64_t p = from; p < to;) {
        uint64_t stretch = scan->ahead < scan->block ? scan->block : scan->ahead;
        if (stretch > to - p) stretch = to - p;
        *shared = stretch >= PARALLEL_SCAN_LEAST * scan->block &&
                  (scan->alone == 0 || hsp__clock() >= scan->alone);
        if (*shared) scan->alone = 0;
        const uint64_t end = p + stretch;
        const uint64_t found =
            *shared ? parallel_scan_share(scan, p, end) : find(job, p, end, scores);
        if (found < end) {
            scan->ahead = found - from;
            return found;
        }
        scan->ahead = 2 * stretch;
        p = end;
    }
    return to;
}
