/* The neighbours of a file's rows, to a file: blocks of rows are searched by the workers that
 * parsed them, and printed in their order, since a line begins with the row's number. */
#include "base/context.h"
#include "base/decimal.h"
#include "base/error.h"
#include "base/json.h"
#include "base/memory.h"
#include "base/text.h"
#include "data/output.h"
#include "data/stream.h"
#include "model/neighbors.h"

typedef struct list_worker {
    void *found; /* rows * k of the block at hand */
    uint64_t room, unknown;
} list_worker;

typedef struct list_job {
    hsp_context *ctx;
    const hsp_model *model;
    hsp__near *near;
    uint64_t k;
    hsp_neighbors_format format;
    hsp__output *output;
    hsp__text text; /* of the block at hand */
    list_worker *workers;
    int count;
    hsp_prediction total;
} list_job;

static hsp_status list_work(void *self, int number, const hsp_view *rows, hsp_error *err)
{
    list_job *job = self;
    list_worker *worker = &job->workers[number];
    hsp_context quiet = hsp__quiet(job->ctx);
    hsp_data *scaled = NULL;
    worker->unknown = 0;
    if (rows->rows > UINT64_MAX / job->k ||
        !hsp__reserve(&quiet.allocator, &worker->found, &worker->room, rows->rows * job->k,
                      sizeof(hsp__neighbor)))
        return hsp__fail_memory(err);
    hsp_status status =
        hsp__model_scale_counting(&quiet, job->model, rows, &worker->unknown, err, &scaled);
    if (!status)
        status = hsp__near_find(&quiet, job->near, scaled ? &scaled->view : rows, NULL, job->k, err,
                                worker->found);
    hsp_data_free(scaled);
    return status;
}

/* ---- Printing -------------------------------------------------------------------------------- */

static void list_put_count(hsp__text *text, uint64_t count)
{
    char digits[HSP__DECIMAL_MAX];
    hsp__text_add(text, digits, hsp__decimal_print_u64(count, digits));
}

static void list_put_lines(list_job *job, uint64_t row, const hsp__neighbor *found)
{
    hsp__text *text = &job->text;
    char digits[HSP__DECIMAL_MAX];
    for (uint64_t r = 0; r < job->k; r++) {
        const hsp_neighbor one = hsp__neighbors_public(job->model, &found[r]);
        list_put_count(text, row);
        hsp__text_puts(text, "\t");
        list_put_count(text, one.row + 1);
        hsp__text_puts(text, "\t");
        hsp__text_add(text, digits, hsp__decimal_print_f64(one.distance, digits));
        hsp__text_puts(text, "\t");
        hsp__text_puts(text, hsp__names_get(&job->model->class_names, one.class_index));
        hsp__text_puts(text, "\n");
    }
}

static void list_put_object(list_job *job, uint64_t row, const hsp__neighbor *found)
{
    const hsp__names *names = &job->model->class_names;
    hsp__text *text = &job->text;
    hsp__text_puts(text, row > 1 ? ",\n{\"row\":" : "{\"row\":");
    list_put_count(text, row);
    hsp__text_puts(text, ",\"neighbors\":[");
    for (uint64_t r = 0; r < job->k; r++) {
        const hsp_neighbor one = hsp__neighbors_public(job->model, &found[r]);
        hsp__text_puts(text, r ? ",{\"row\":" : "{\"row\":");
        list_put_count(text, one.row + 1);
        hsp__text_puts(text, ",\"distance\":");
        hsp__json_put_number(text, one.distance);
        hsp__text_puts(text, ",\"class\":");
        hsp__json_put_string(text, hsp__names_get(names, one.class_index),
                             hsp__names_size(names, one.class_index));
        hsp__text_puts(text, "}");
    }
    hsp__text_puts(text, "]}");
}

static hsp_status list_flush(list_job *job, hsp_error *err)
{
    if (job->text.failed) return hsp__fail_memory(err);
    hsp_status status = hsp__output_write(job->output, job->text.data, job->text.size, err);
    job->text.size = 0;
    return status;
}

static hsp_status list_take(void *self, int number, const hsp_view *rows, hsp_error *err)
{
    list_job *job = self;
    const list_worker *worker = &job->workers[number];
    const hsp__neighbor *found = worker->found;
    job->total.unknown += worker->unknown;
    for (uint64_t i = 0; i < rows->rows; i++) {
        const uint64_t row = ++job->total.rows;
        if (job->format == HSP_NEIGHBORS_JSON)
            list_put_object(job, row, found + i * job->k);
        else
            list_put_lines(job, row, found + i * job->k);
    }
    return rows->rows ? list_flush(job, err) : HSP_OK;
}

/* ---- The whole file -------------------------------------------------------------------------- */

static hsp_status list_start(list_job *job, hsp_error *err)
{
    hsp_status status = hsp__neighbors_check(job->model, &job->k, err);
    if (!status) status = hsp__neighbors_index(job->ctx, job->model, UINT64_MAX, err, &job->near);
    if (status) return status;
    job->count = hsp__stream_workers(job->ctx);
    job->workers = hsp__new(&job->ctx->allocator, (uint64_t)job->count, sizeof *job->workers);
    return job->workers ? HSP_OK : hsp__fail_memory(err);
}

static hsp_status list_put(list_job *job, const char *words, hsp_error *err)
{
    if (job->format != HSP_NEIGHBORS_JSON) return HSP_OK;
    hsp__text_puts(&job->text, words);
    return list_flush(job, err);
}

hsp_status hsp_neighbors_file(hsp_context *ctx, const hsp_model *model, const char *path,
                              const hsp_options *read, uint64_t k, hsp_neighbors_format format,
                              const char *out_path, hsp_error *err, hsp_prediction *out)
{
    const hsp__row_sink sink = {list_work, list_take, .unlabelled = 1};
    list_job job = {.ctx = ctx, .model = model, .k = k, .format = format};
    hsp__names classes;
    hsp__names_init(&classes, &ctx->allocator);
    hsp__text_init(&job.text, &ctx->allocator);
    hsp_status status = list_start(&job, err);
    if (!status) status = hsp__output_open(ctx, out_path, err, &job.output);
    if (!status) status = list_put(&job, "[\n", err);
    if (!status)
        status = hsp__stream_read(ctx, path, read, model->encoding, &classes, &sink, &job, err);
    if (!status) status = list_put(&job, job.total.rows ? "\n]\n" : "]\n", err);
    if (!status) status = hsp__output_commit(job.output, err);
    hsp__output_free(job.output);
    for (int i = 0; job.workers && i < job.count; i++)
        hsp__free(&ctx->allocator, job.workers[i].found);
    hsp__free(&ctx->allocator, job.workers);
    hsp__near_free(ctx, job.near);
    hsp__text_free(&job.text);
    hsp__names_free(&classes);
    if (!status) hsp__model_tell_unknown(ctx, model, job.total.unknown);
    if (!status && out) *out = job.total;
    return status;
}
