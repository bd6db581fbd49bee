/* What one user of the library set: memory, threads, progress and log. Comes with what nearly every
 * file needs in addition: errors, memory, threads. */
#ifndef HSP_BASE_CONTEXT_H
#define HSP_BASE_CONTEXT_H

#include "base/error.h"
#include "base/memory.h"
#include "base/paging.h"
#include "base/threads.h"
#include "halfspace_all.h"

typedef struct hsp__stop hsp__stop;

struct hsp_context {
    hsp_allocator allocator;
    int threads;         /* 0: one a processor */
    int processors;      /* 0: not asked yet */
    hsp__pool *pool;     /* copies of a context borrow it; NULL: threads are started again */
    hsp_files *files;    /* what is written appears together with them; NULL: at once */
    size_t block_bytes;  /* text is parsed in blocks of about this size; tests make it tiny */
    double tick_seconds; /* the callback is asked so often (base/stop.h); tests: 0, at every tick */
    hsp_progress_fn progress;
    void *progress_user;
    hsp__stop *stop; /* how it hears that the work must end (base/stop.h); NULL: it does not */
    hsp_log_fn log;
    void *log_user;
    const char
        *checkpoint_path; /* training goes on from this file (learn/checkpoint.h); NULL: none */
    double checkpoint_seconds;          /* from one write of it to the next */
    const hsp_ranks *checkpoint_ranks;  /* of which all read it; NULL: one process */
    struct hsp__checkpoint *checkpoint; /* of the training under way; NULL: none */
    int silent;                     /* what is written appears nowhere: another rank writes it */
    const hsp_ranks *ranks;         /* data sets are divided among these; NULL: one process */
    const struct hsp__shard *shard; /* the rows that a computation works on are some of all
                                       (base/ranks.h); NULL: they are all */
};

#define HSP__BLOCK_BYTES ((size_t)256 << 10)

/* A context with the memory of another, one thread, and nobody who listens: for calls inside a
 * worker. It stops when the other does. */
static inline hsp_context hsp__quiet(const hsp_context *ctx)
{
    return (hsp_context){.allocator = ctx->allocator,
                         .threads = 1,
                         .block_bytes = ctx->block_bytes,
                         .tick_seconds = ctx->tick_seconds,
                         .stop = ctx->stop,
                         .checkpoint = ctx->checkpoint};
}

/* Report progress; HSP_CANCELLED when the work must end. `phase` completes "stopped on request
 * while ...". Only on the calling thread, or with a context that has a scope (base/stop.h). */
hsp_status hsp__progress(hsp_context *ctx, const char *phase, const char *unit, uint64_t done,
                         uint64_t total, hsp_error *err);

/* Say a sentence to the user's log. Only on the calling thread. */
void hsp__log(hsp_context *ctx, hsp_log_level level, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

#endif
