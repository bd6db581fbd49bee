#include "learn/multiclass/run_pool.h"

#include "base/error.h"
#include "base/memory.h"
#include "base/threads.h"

typedef struct run_pool_state {
    hsp__run_pool_fn fn;
    void *user;
    uint32_t count, width;
    atomic_uint next;
    hsp_status *statuses; /* count */
    hsp_error *errors;    /* count */
} run_pool_state;

static void run_pool_worker(void *user, int worker)
{
    run_pool_state *work = user;
    for (;;) {
        const uint32_t from = atomic_fetch_add(&work->next, work->width);
        if (from >= work->count) return;
        const uint32_t to = work->count - from < work->width ? work->count : from + work->width;
        work->statuses[from] = work->fn(work->user, from, to, worker == 0, &work->errors[from]);
    }
}

hsp_status hsp__run_pool_run(hsp__watch *watch, int workers, uint32_t count, uint32_t width,
                             hsp__run_pool_fn fn, void *user, hsp_error *err)
{
    const hsp_allocator *memory = &watch->ctx->allocator;
    run_pool_state work = {.fn = fn, .user = user, .count = count, .width = width};
    hsp_status status = HSP_OK;
    work.statuses = hsp__new(memory, count, sizeof *work.statuses);
    work.errors = hsp__new(memory, count, sizeof *work.errors);
    if (!work.statuses || !work.errors) {
        status = hsp__fail_memory(err);
    } else {
        hsp__workers_run(watch->ctx, (uint32_t)workers < count ? workers : (int)count,
                         run_pool_worker, &work);
        for (uint32_t c = 0; !status && c < count; c++) {
            status = work.statuses[c];
            if (status && err) *err = work.errors[c];
        }
    }
    hsp__free(memory, work.statuses);
    hsp__free(memory, work.errors);
    return status;
}
