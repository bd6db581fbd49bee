/* Every row, one by one: the specification of all other indexes, and what serves where they do not.
 *
 * Some queries at a time meet some rows at a time, so that both stay in the cache; kernels in
 * blocks of values. Nothing is kept in addition to the rows. Cost: rows * queries distances. */
#include "base/context.h"
#include "base/error.h"
#include "base/memory.h"
#include "base/stop.h"
#include "base/threads.h"
#include "knn/knn_index_type.h"

enum {
    KNN_BRUTE_FORCE_GUESTS = 16,  /* queries that one task brings */
    KNN_BRUTE_FORCE_ROWS = 256,   /* rows they meet at a time */
    KNN_BRUTE_FORCE_VALUES = 2048 /* the same of kernels, whose blocks like more */
};

static int knn_brute_force_fits(hsp__metric metric, const hsp_view *rows)
{
    (void)metric, (void)rows;
    return 1;
}

typedef struct knn_brute_force_job {
    hsp_context *ctx;
    const hsp__knn_guests *guests;
    const uint64_t *skip;
    uint64_t k, step; /* step: guests a task */
    hsp__neighbor *out;
    unsigned char *failed; /* a task; kernels */
} knn_brute_force_job;

static hsp__knn_heap knn_brute_force_heap(const knn_brute_force_job *job, uint64_t guest,
                                          uint64_t count)
{
    return (hsp__knn_heap){job->out + guest * job->k, count, job->k};
}

static uint64_t knn_brute_force_skip(const knn_brute_force_job *job, uint64_t guest)
{
    return job->skip ? job->skip[guest] : HSP__KNN_NONE;
}

/* ---- Pair by pair ---------------------------------------------------------------------------- */

static void knn_brute_force_task(void *user, uint64_t task)
{
    const knn_brute_force_job *job = user;
    const uint64_t rows = job->guests->near->rows->rows, from = task * job->step;
    const uint64_t left = job->guests->count - from, count = left < job->step ? left : job->step;
    hsp__knn_heap heaps[KNN_BRUTE_FORCE_GUESTS];
    for (uint64_t g = 0; g < count; g++)
        heaps[g] = knn_brute_force_heap(job, from + g, 0);
    for (uint64_t at = 0; at < rows && !hsp__tick(job->ctx); at += KNN_BRUTE_FORCE_ROWS) {
        const uint64_t to = rows - at < KNN_BRUTE_FORCE_ROWS ? rows : at + KNN_BRUTE_FORCE_ROWS;
        for (uint64_t g = 0; g < count; g++) {
            const uint64_t skip = knn_brute_force_skip(job, from + g);
            for (uint64_t i = at; i < to; i++)
                if (i != skip)
                    hsp__knn_offer(&heaps[g], hsp__knn_pair(job->guests, from + g, i), i);
        }
    }
    for (uint64_t g = 0; g < count; g++)
        hsp__knn_sort(&heaps[g]);
}

/* ---- Kernels --------------------------------------------------------------------------------- */

static hsp_status knn_brute_force_values(const knn_brute_force_job *job, uint64_t task,
                                         hsp_error *err)
{
    hsp_context quiet = {.allocator = job->ctx->allocator,
                         .threads = 1,
                         .block_bytes = job->ctx->block_bytes,
                         .stop = job->ctx->stop};
    const uint64_t rows = job->guests->near->rows->rows, from = task * job->step;
    const uint64_t left = job->guests->count - from, count = left < job->step ? left : job->step;
    const uint64_t ld =
        hsp__knn_kernel_ld(rows < KNN_BRUTE_FORCE_VALUES ? rows : KNN_BRUTE_FORCE_VALUES);
    hsp__knn_heap heaps[HSP__KNN_GUESTS];
    hsp_status status = HSP_OK;
    double *values = hsp__new_raw(&quiet.allocator, count * ld, sizeof *values);
    if (!values) return hsp__fail_memory(err);
    for (uint64_t g = 0; g < count; g++)
        heaps[g] = knn_brute_force_heap(job, from + g, 0);
    for (uint64_t at = 0; !status && at < rows; at += KNN_BRUTE_FORCE_VALUES) {
        const uint64_t some =
            rows - at < KNN_BRUTE_FORCE_VALUES ? rows - at : KNN_BRUTE_FORCE_VALUES;
        status = hsp__knn_kernel_block(&quiet, job->guests, from, count, at, some, values, ld, err);
        for (uint64_t g = 0; !status && g < count; g++) {
            const uint64_t skip = knn_brute_force_skip(job, from + g);
            for (uint64_t r = 0; r < some; r++)
                if (at + r != skip) hsp__knn_offer(&heaps[g], values[g * ld + r], at + r);
        }
    }
    for (uint64_t g = 0; !status && g < count; g++)
        hsp__knn_sort(&heaps[g]);
    hsp__free(&quiet.allocator, values);
    return status;
}

static void knn_brute_force_values_task(void *user, uint64_t task)
{
    knn_brute_force_job *job = user;
    job->failed[task] = knn_brute_force_values(job, task, NULL) != HSP_OK;
}

/* The first task that failed, once more and alone: now it says why. */
static hsp_status knn_brute_force_kernel(knn_brute_force_job *job, uint64_t tasks, hsp_error *err)
{
    hsp_status status = HSP_OK;
    job->failed = hsp__new(&job->ctx->allocator, tasks, 1);
    if (!job->failed) return hsp__fail_memory(err);
    hsp__tasks_run(job->ctx, tasks, knn_brute_force_values_task, job);
    for (uint64_t task = 0; !status && task < tasks; task++)
        if (job->failed[task]) status = knn_brute_force_values(job, task, err);
    hsp__free(&job->ctx->allocator, job->failed);
    return status;
}

static hsp_status knn_brute_force_find(hsp_context *ctx, const hsp__knn_guests *guests,
                                       const uint64_t *skip, uint64_t k, hsp_error *err,
                                       hsp__neighbor *out)
{
    const int kernel = guests->kernel != NULL;
    knn_brute_force_job job = {.ctx = ctx,
                               .guests = guests,
                               .skip = skip,
                               .k = k,
                               .step = kernel ? HSP__KNN_GUESTS : KNN_BRUTE_FORCE_GUESTS,
                               .out = out};
    const uint64_t tasks = (guests->count + job.step - 1) / job.step;
    if (kernel) return knn_brute_force_kernel(&job, tasks, err);
    hsp__tasks_run(ctx, tasks, knn_brute_force_task, &job);
    return HSP_OK;
}

const hsp__knn_index_type hsp__knn_brute_force = {.kind = HSP__KNN_BRUTE_FORCE,
                                                  .name = "scan",
                                                  .fits = knn_brute_force_fits,
                                                  .find = knn_brute_force_find};
