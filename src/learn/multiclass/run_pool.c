#include "learn/multiclass/run_pool.h"

#include "base/base.h"

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
    hsp__scratch scratch = {.memory = &watch->ctx->allocator};
    run_pool_state work = {.fn = fn, .user = user, .count = count, .width = width};
    work.statuses = hsp__scratch_new(&scratch, count, sizeof *work.statuses);
    work.errors = hsp__scratch_new(&scratch, count, sizeof *work.errors);
    hsp_status status = scratch.failed ? hsp__fail_memory(err) : HSP_OK;
    if (!status)
        hsp__workers_run(watch->ctx, (uint32_t)workers < count ? workers : (int)count,
                         run_pool_worker, &work);
    for (uint32_t c = 0; !status && c < count; c++) {
        status = work.statuses[c];
        if (status && err) *err = work.errors[c];
    }
    hsp__scratch_free(&scratch);
    return status;
}
