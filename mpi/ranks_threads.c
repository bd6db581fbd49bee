#include "mpi/ranks_threads.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

typedef struct threads_job threads_job;

typedef struct threads_rank {
    hsp_ranks ranks;
    threads_job *job;
    pthread_t thread;
    double begun; /* processor time when the last call ended, */
    double spent; /* and between it and the one that is under way */
    /* of the call that is under way: */
    const char *bytes;
    const uint64_t *at;
} threads_rank;

struct threads_job {
    int count;
    threads_rank *all; /* count */
    pthread_barrier_t barrier;
    ranks_counts counts; /* changed by rank 0 alone, while the others wait */
    void (*fn)(void *user, const hsp_ranks *ranks);
    void *user;
};

static double threads_clock(void)
{
    struct timespec now;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
    return (double)now.tv_sec + (double)now.tv_nsec * 1e-9;
}

/* All ranks have come; rank 0 counts what they did since the last time. */
static void threads_meet(threads_rank *own)
{
    threads_job *job = own->job;
    own->spent = threads_clock() - own->begun;
    pthread_barrier_wait(&job->barrier);
    if (own->ranks.rank) return;
    double most = 0;
    for (int r = 0; r < job->count; r++) {
        job->counts.work += job->all[r].spent;
        most = job->all[r].spent > most ? job->all[r].spent : most;
    }
    job->counts.critical += most;
    job->counts.rounds++;
}

static void threads_part(threads_rank *own)
{
    pthread_barrier_wait(&own->job->barrier);
    own->begun = threads_clock();
}

static void threads_gather(void *user, const void *mine, const uint64_t *sizes, void *all)
{
    threads_rank *own = user;
    threads_job *job = own->job;
    own->bytes = mine;
    threads_meet(own);
    char *to = all;
    for (int r = 0; r < job->count; to += sizes[r++])
        if (sizes[r]) memcpy(to, job->all[r].bytes, sizes[r]);
    for (int r = 0; !own->ranks.rank && r < job->count; r++)
        job->counts.bytes += sizes[r] * (uint64_t)(job->count - 1);
    threads_part(own);
}

static void threads_exchange(void *user, const void *to, const uint64_t *to_at, void *from,
                             const uint64_t *from_at)
{
    threads_rank *own = user;
    threads_job *job = own->job;
    const int rank = own->ranks.rank;
    own->bytes = to;
    own->at = to_at;
    threads_meet(own);
    for (int r = 0; r < job->count; r++) {
        const threads_rank *other = &job->all[r];
        const uint64_t size = from_at[r + 1] - from_at[r];
        if (size) memcpy((char *)from + from_at[r], other->bytes + other->at[rank], size);
        for (int s = 0; !rank && s < job->count; s++)
            if (s != r) job->counts.bytes += other->at[s + 1] - other->at[s];
    }
    threads_part(own);
}

void ranks_threads_restart(const hsp_ranks *ranks)
{
    threads_rank *own = ranks->user;
    threads_meet(own);
    if (!own->ranks.rank) own->job->counts = (ranks_counts){0};
    threads_part(own);
}

static void *threads_main(void *user)
{
    threads_rank *own = user;
    own->begun = threads_clock();
    own->job->fn(own->job->user, &own->ranks);
    threads_meet(own); /* what came after the last call is work, too */
    return NULL;
}

int ranks_threads_run(int count, uint32_t parts, void (*fn)(void *user, const hsp_ranks *ranks),
                      void *user, ranks_counts *counts)
{
    threads_job job = {.count = count, .fn = fn, .user = user};
    job.all = calloc((size_t)count, sizeof *job.all);
    if (!job.all || pthread_barrier_init(&job.barrier, NULL, (unsigned)count)) {
        free(job.all);
        return 0;
    }
    for (int r = 0; r < count; r++) {
        threads_rank *own = &job.all[r];
        own->job = &job;
        own->ranks = (hsp_ranks){.rank = r,
                                 .count = count,
                                 .parts = parts,
                                 .gather = threads_gather,
                                 .exchange = threads_exchange,
                                 .user = own};
    }
    for (int r = 0; r < count; r++)
        if (pthread_create(&job.all[r].thread, NULL, threads_main, &job.all[r])) abort();
    for (int r = 0; r < count; r++)
        pthread_join(job.all[r].thread, NULL);
    if (counts) *counts = job.counts;
    pthread_barrier_destroy(&job.barrier);
    free(job.all);
    return 1;
}
