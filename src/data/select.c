/* A data set of some rows of another. */
#include <string.h>

#include "base/context.h"
#include "base/error.h"
#include "base/memory.h"
#include "base/threads.h"
#include "data/data.h"
#include "data/sweep.h"

typedef struct select_job {
    const hsp_view *from;
    hsp_data *to;
    const uint64_t *rows; /* count: the rows of `from` that become 0, 1, ... */
    uint64_t count, parts;
    uint64_t *nonzeros; /* parts */
} select_job;

static void select_part(void *user, uint64_t part)
{
    select_job *job = user;
    const hsp_view *from = job->from;
    const size_t bytes = hsp__value_bytes(from->precision);
    hsp_data *to = job->to;
    const uint64_t stride = to->view.stride, end = hsp__part(job->count, job->parts, part + 1);
    for (uint64_t k = hsp__part(job->count, job->parts, part); k < end; k++) {
        const hsp__row row = hsp__view_row(from, job->rows[k]);
        const uint64_t at = from->storage == HSP_DENSE ? k * stride : to->starts[k];
        if (row.indices && row.count)
            memcpy(to->indices + at, row.indices, row.count * sizeof *row.indices);
        if (row.values && row.count)
            memcpy((char *)to->values + at * bytes, row.values, row.count * bytes);
        if (from->storage == HSP_DENSE)
            memset((char *)to->values + (at + row.count) * bytes, 0, (stride - row.count) * bytes);
        if (from->labels) to->labels[k] = from->labels[job->rows[k]];
        for (uint64_t e = 0; e < row.count; e++)
            job->nonzeros[part] += hsp__row_value(from, &row, e) != 0;
    }
}

static hsp_status select_run(hsp_context *ctx, hsp_data *data, select_job *job, hsp_error *err)
{
    const hsp_view *from = job->from;
    uint64_t stored = 0;
    for (uint64_t k = 0; from->storage != HSP_DENSE && k < job->count; k++)
        stored += hsp__view_row(from, job->rows[k]).count;
    HSP__TRY(hsp__data_shape(ctx, from->storage, from->precision, job->count, from->cols, stored,
                             from->labels != NULL, err, &job->to));
    for (uint64_t k = 0; from->storage != HSP_DENSE && k < job->count; k++)
        job->to->starts[k + 1] = job->to->starts[k] + hsp__view_row(from, job->rows[k]).count;
    HSP__TRY(hsp__sweep(ctx, "selecting", job->count, job->parts, select_part, job, err));
    HSP__TRY(hsp__data_copy_names(job->to, data, err));
    if (data->row_weights) {
        job->to->row_weights = hsp__new_raw(&job->to->memory, job->count, sizeof(double));
        if (!job->to->row_weights) return hsp__fail_memory(err);
        for (uint64_t k = 0; k < job->count; k++)
            job->to->row_weights[k] = data->row_weights[job->rows[k]];
    }
    job->to->view.classes = from->classes;
    job->to->digits = data->digits;
    memcpy(job->to->why, data->why, sizeof data->why);
    for (uint64_t part = 0; part < job->parts; part++)
        job->to->nonzeros += job->nonzeros[part];
    hsp__data_seal(job->to);
    return HSP_OK;
}

hsp_status hsp_data_select(hsp_context *ctx, hsp_data *data, const uint64_t *rows, uint64_t count,
                           hsp_error *err, hsp_data **out)
{
    HSP__NEED(err, ctx, data, out);
    if (count) HSP__NEED(err, rows);
    const hsp_view *view;
    HSP__TRY(hsp_data_view(ctx, data, err, &view));
    for (uint64_t k = 0; k < count; k++)
        if (rows[k] >= view->rows)
            return hsp__fail(err, HSP_USAGE, "row %llu does not exist; the data has rows 0 to %lld",
                             (unsigned long long)rows[k], (long long)view->rows - 1);
    uint64_t bytes = view->rows ? hsp_view_stored(view) / view->rows * sizeof(double) : 0;
    select_job job = {.from = view, .rows = rows, .count = count};
    job.parts = hsp__parts(count, 16 + bytes);
    job.nonzeros = hsp__new(&ctx->allocator, job.parts, sizeof *job.nonzeros);
    hsp_status status = job.nonzeros ? select_run(ctx, data, &job, err) : hsp__fail_memory(err);
    if (status)
        hsp_data_free(job.to);
    else
        *out = job.to;
    hsp__free(&ctx->allocator, job.nonzeros);
    return status;
}
