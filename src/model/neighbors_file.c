/* The neighbours of a file's rows, to a file: blocks of rows are searched by the workers that
 * parsed them, and printed in their order, since a line begins with the row's number. What would be
 * too many neighbours to hold is searched when it is printed, so much at a time. */
#include "base/base.h"
#include "base/decimal.h"
#include "base/json.h"
#include "base/sized_report.h"
#include "base/text.h"
#include "data/output.h"
#include "data/stream.h"
#include "halfspace_fields.h"
#include "model/neighbors.h"

/* Does the model have neighbours, and this many? k of 0 becomes the model's own. */
static hsp_status list_check(const hsp_model *model, uint64_t *k, hsp_error *err)
{
    const hsp__neighbors *own = model->neighbors;
    if (!own)
        return hsp__fail(
            err, HSP_USAGE,
            "the model is %s; neighbours need a k-nearest-neighbours model (train knn)",
            hsp_model_hypothesis(model));
    if (!*k) *k = own->k;
    if (*k <= own->rows->view.rows) return HSP_OK;
    return hsp__fail_at(err, HSP_USAGE, "--k", 0, 0, "found %llu, but the model has %llu rows",
                        (unsigned long long)*k, (unsigned long long)own->rows->view.rows);
}

/* A neighbour as users see it: numbered as in the training data. */
static hsp_neighbor list_public(const hsp_model *model, const hsp__neighbor *found)
{
    const hsp__neighbors *own = model->neighbors;
    return (hsp_neighbor){.row = own->source ? own->source[found->row] : found->row,
                          .distance = found->distance,
                          .class_index = own->labels[found->row]};
}

/* ---- Rows in memory -------------------------------------------------------------------------- */

hsp_status hsp_model_neighbors(hsp_context *ctx, const hsp_model *model, const hsp_view *view,
                               uint64_t k, hsp_error *err, hsp_neighbor *out)
{
    HSP__NEED(err, ctx, model, view, out);
    HSP__TRY(list_check(model, &k, err));
    HSP__TRY(hsp__view_check_finite(view, 0, view->rows, err));
    hsp__stop stop;
    hsp_context own = hsp__stop_open(&stop, ctx);
    hsp__neighbor *found = view->rows <= UINT64_MAX / k
                               ? hsp__new_raw(&ctx->allocator, view->rows * k, sizeof *found)
                               : NULL;
    if (!found) return hsp__fail_memory(err);
    hsp__knn_index *near = NULL;
    hsp_data *scaled = NULL;
    hsp_status status = hsp__model_scale(&own, model, view, err, &scaled);
    if (!status) status = hsp__neighbors_index(&own, model, view->rows, err, &near);
    if (!status)
        status = hsp__knn_find(&own, near, scaled ? &scaled->view : view, NULL, k, err, found);
    hsp__neighbors_index_done(model, near);
    hsp_data_free(scaled);
    for (uint64_t i = 0; !status && i < view->rows * k; i++)
        out[i] = list_public(model, &found[i]);
    hsp__free(&ctx->allocator, found);
    return status;
}

/* ---- Rows of a file -------------------------------------------------------------------------- */

enum {
    LIST_FOUND = 1 << 20, /* neighbours held at a time, by each worker */
    LIST_TEXT = 1 << 20,  /* bytes of text, about */
};

typedef struct list_worker {
    void *found; /* step * k of the block at hand */
    uint64_t room, unknown;
    hsp_data *scaled; /* the block as the model sees it, or NULL: as it is */
} list_worker;

typedef struct list_job {
    hsp_context *ctx;
    const hsp_model *model;
    hsp__knn_index *near;
    uint64_t k, step; /* step: rows searched at a time */
    hsp_neighbors_format format;
    hsp__output *output;
    hsp__text text; /* of the block at hand */
    list_worker *workers;
    int count;
    hsp_prediction total;
} list_job;

/* The neighbours of the step of rows that begins at `from`. */
static hsp_status list_search(const list_job *job, list_worker *worker, int threads,
                              const hsp_view *rows, uint64_t from, hsp_error *err)
{
    const uint64_t to = rows->rows - from < job->step ? rows->rows : from + job->step;
    const hsp_view some = hsp__view_slice(worker->scaled ? &worker->scaled->view : rows, from, to);
    hsp_context quiet = hsp__quiet(job->ctx);
    quiet.threads = threads;
    if (!hsp__reserve(&quiet.allocator, &worker->found, &worker->room, some.rows * job->k,
                      sizeof(hsp__neighbor)))
        return hsp__fail_memory(err);
    return hsp__knn_find(&quiet, job->near, &some, NULL, job->k, err, worker->found);
}

static hsp_status list_work(void *self, int number, const hsp_view *rows, hsp_error *err)
{
    list_job *job = self;
    list_worker *worker = &job->workers[number];
    hsp_context quiet = hsp__quiet(job->ctx);
    worker->unknown = 0;
    hsp_data_free(worker->scaled);
    worker->scaled = NULL;
    hsp_status status =
        hsp__model_scale_counting(&quiet, job->model, rows, &worker->unknown, err, &worker->scaled);
    return status ? status : list_search(job, worker, 1, rows, 0, err);
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
        const hsp_neighbor one = list_public(job->model, &found[r]);
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

/* A row and a neighbour of it, in JSON. */
typedef struct list_row {
    const list_job *job;
    uint64_t row;
    const hsp__neighbor *found;
} list_row;

typedef struct list_neighbor {
    uint64_t row;
    double distance;
    const char *class_name;
} list_neighbor;

static const void *list_neighbor_at(const void *record, size_t i, void *room)
{
    const list_row *at = record;
    if (i >= at->job->k) return NULL;
    const hsp_neighbor one = list_public(at->job->model, &at->found[i]);
    *(list_neighbor *)room = (list_neighbor){
        one.row + 1, one.distance, hsp__names_get(&at->job->model->class_names, one.class_index)};
    return room;
}

FIELDS(list_neighbor_fields, list_neighbor,
       FIELD(COUNT, "row", NULL, row, "number of the neighbour in the training data, from 1"),
       FIELD(REAL, "distance", NULL, distance, "its distance"),
       FIELD(TEXT, "class", NULL, class_name, "its class"))

PUBLIC_FIELDS(hsp_neighbors_fields, list_row,
              FIELD(COUNT, "row", NULL, row, "number of the row of DATA, from 1"),
              FIELD_GET(LIST, "neighbors", NULL, list_neighbor_at,
                        "its neighbours, the nearest first", .of = list_neighbor_fields))

static hsp_status list_flush(list_job *job, hsp_error *err)
{
    if (job->text.failed) return hsp__fail_memory(err);
    hsp_status status = hsp__output_write(job->output, job->text.data, job->text.size, err);
    job->text.size = 0;
    return status;
}

static hsp_status list_put_row(list_job *job, const hsp__neighbor *found, hsp_error *err)
{
    const uint64_t row = ++job->total.rows;
    if (job->format == HSP_NEIGHBORS_TEXT) {
        list_put_lines(job, row, found);
    } else {
        const list_row record = {job, row, found};
        if (row > 1) hsp__text_puts(&job->text, ",\n");
        hsp__json_put_record(&job->text, hsp_neighbors_fields(), &record);
    }
    return job->text.size < LIST_TEXT ? HSP_OK : list_flush(job, err);
}

static hsp_status list_take(void *self, int number, const hsp_view *rows, hsp_error *err)
{
    list_job *job = self;
    list_worker *worker = &job->workers[number];
    hsp_status status = HSP_OK;
    job->total.unknown += worker->unknown;
    for (uint64_t i = 0; !status && i < rows->rows; i++) {
        const uint64_t at = i % job->step;
        if (i && !at) status = list_search(job, worker, job->ctx->threads, rows, i, err);
        if (!status)
            status = list_put_row(job, (const hsp__neighbor *)worker->found + at * job->k, err);
    }
    return status || !rows->rows ? status : list_flush(job, err);
}

/* ---- The whole file -------------------------------------------------------------------------- */

static hsp_status list_start(list_job *job, hsp_error *err)
{
    hsp_status status = list_check(job->model, &job->k, err);
    if (!status) status = hsp__neighbors_index(job->ctx, job->model, UINT64_MAX, err, &job->near);
    if (status) return status;
    job->step = job->k < LIST_FOUND ? LIST_FOUND / job->k : 1;
    job->count = hsp_context_threads(job->ctx);
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
    HSP__NEED(err, ctx, model, path, out_path);
    HSP__REPORT(err, out, hsp_prediction);
    const hsp__row_sink sink = {.work = list_work, .take = list_take, .unlabelled = 1};
    hsp__stop stop;
    hsp_context own = hsp__stop_open(&stop, ctx);
    list_job job = {.ctx = &own, .model = model, .k = k, .format = format};
    hsp__names classes;
    hsp__names_init(&classes, &ctx->allocator);
    hsp__text_init(&job.text, &ctx->allocator);
    hsp_status status = list_start(&job, err);
    if (!status) status = hsp__output_open(&own, out_path, err, &job.output);
    if (!status) status = list_put(&job, "[\n", err);
    if (!status)
        status = hsp__stream_read(&own, path, read, model->encoding, &classes, &sink, &job, err);
    if (!status) status = list_put(&job, job.total.rows ? "\n]\n" : "]\n", err);
    if (!status) status = hsp__output_commit(job.output, err);
    hsp__output_free(job.output);
    for (int i = 0; job.workers && i < job.count; i++) {
        hsp__free(&ctx->allocator, job.workers[i].found);
        hsp_data_free(job.workers[i].scaled);
    }
    hsp__free(&ctx->allocator, job.workers);
    hsp__neighbors_index_done(model, job.near);
    hsp__text_free(&job.text);
    hsp__names_free(&classes);
    if (!status) hsp__model_tell_unknown(ctx, model, job.total.unknown);
    if (!status) hsp__report_give(out, &job.total, sizeof job.total);
    return status;
}
