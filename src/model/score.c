/* Scores of many rows: converted as in training (known columns, scaled, in the
 * model's order), then one hsp__row_score per scorer. Rows are cut into parts that depend on the view
 * alone; a part that must be changed is changed in slices, so that memory stays small. */
#include "base/base.h"
#include "data/data.h"
#include "data/convert_storage.h"
#include "data/scale.h"
#include "data/sweep.h"
#include "model/hypothesis.h"
#include "model/neighbors.h"

#define SCORE_SLICE ((uint64_t)256 << 10) /* bytes of rows that are changed at a time */
#define SCORE_BLOCK 16                    /* times that for kernels, which like more rows */

/* ---- Columns that the model does not know ---------------------------------------------------- */

/* How many entries of row i lie in known columns. The others are passed over, as if their weights
 * were zero, and those that are not zero counted; the constant of a homogeneous model, where a row
 * has it, is no stranger. */
static uint64_t score_known(const hsp_model *model, const hsp_view *view, uint64_t i,
                            uint64_t *unknown)
{
    const uint64_t inputs = hsp__model_inputs(model);
    hsp__row row = hsp__view_row(view, i);
    while (row.count && hsp__row_column(&row, row.count - 1) >= inputs) {
        uint64_t column = hsp__row_column(&row, --row.count);
        double value = hsp__row_value(view, &row, row.count);
        *unknown += value != 0 && !(model->constant && column == inputs && value == 1);
    }
    return row.count;
}

/* Sparse rows without entries in unknown columns, copied. */
static hsp_status score_trim(hsp_context *ctx, const hsp_view *view, const uint64_t *known,
                             uint64_t cols, hsp_error *err, hsp_data **out)
{
    const size_t bytes = hsp__value_bytes(view->precision);
    uint64_t stored = 0;
    for (uint64_t i = 0; i < view->rows; i++)
        stored += known[i];
    hsp_status status =
        hsp__data_shape(ctx, view->storage, view->precision, view->rows, cols, stored, 0, err, out);
    for (uint64_t i = 0; !status && i < view->rows; i++) {
        hsp__row row = hsp__view_row(view, i);
        const uint64_t at = (*out)->starts[i];
        (*out)->starts[i + 1] = at + known[i];
        if (!known[i] || !row.indices) continue;
        memcpy((*out)->indices + at, row.indices, known[i] * sizeof *row.indices);
        if (row.values) memcpy((char *)(*out)->values + at * bytes, row.values, known[i] * bytes);
    }
    if (!status) hsp__data_seal(*out);
    return status;
}

/* A data set that borrows the rows of a view and owns nothing. */
static hsp_status score_borrow(hsp_context *ctx, const hsp_view *view, uint64_t cols,
                               hsp_error *err, hsp_data **out)
{
    hsp_data *data = hsp__data_new(&ctx->allocator);
    if (!data) return hsp__fail_memory(err);
    data->view = *view;
    data->view.cols = cols;
    data->view.labels = NULL;
    data->view.classes = 0;
    data->nonzeros = hsp_view_stored(view);
    data->checked = 1;
    *out = data;
    return HSP_OK;
}

static hsp_status score_take_known(hsp_context *ctx, const hsp_model *model, const hsp_view *view,
                                   uint64_t *unknown, hsp_error *err, hsp_data **out)
{
    const uint64_t inputs = hsp__model_inputs(model);
    if (view->cols <= inputs) return score_borrow(ctx, view, view->cols, err, out);
    uint64_t *known = hsp__new_raw(&ctx->allocator, view->rows, sizeof *known);
    hsp_status status = known ? HSP_OK : hsp__fail_memory(err);
    int trim = 0;
    for (uint64_t i = 0; !status && i < view->rows; i++) {
        known[i] = score_known(model, view, i, unknown);
        trim |= known[i] < hsp__view_row(view, i).count;
    }
    if (!status && trim && view->storage != HSP_DENSE)
        status = score_trim(ctx, view, known, inputs, err, out);
    else if (!status)
        status = score_borrow(ctx, view, inputs, err, out);
    hsp__free(&ctx->allocator, known);
    return status;
}

/* ---- Rows as the weights see them ------------------------------------------------------------ */

static int score_in_order(const hsp_model *model, hsp_storage storage)
{
    if (hsp__model_takes_whole(model)) return 1; /* the same numbers whatever the storage */
    return model->order == HSP__ORDER_ANY || model->order == hsp__order_of(storage);
}

/* Must rows be changed? Columns that a model of kernels or neighbours does not know count, unless a
 * scaling does not know them either. */
static int score_changes(const hsp_model *model, const hsp_view *view)
{
    if (model->scalings[0] || model->scalings[1]) return 1;
    if (hsp__model_takes_whole(model)) return 0;
    return view->cols > hsp__model_inputs(model) || !score_in_order(model, view->storage);
}

/* Replace *data by what a step made of it. */
static void score_replace(hsp_data **data, hsp_data *next)
{
    hsp_data_free(*data);
    *data = next;
}

static hsp_status score_change(hsp_context *ctx, const hsp_model *model, hsp_error *err,
                               hsp_data **data)
{
    hsp_data *next = NULL;
    for (int i = 0; i < HSP__MODEL_SCALINGS; i++) {
        if (!model->scalings[i]) continue;
        hsp_status status = hsp__scaling_apply_filling(ctx, model->scalings[i], *data, err, &next);
        if (status) return status;
        score_replace(data, next);
    }
    if (score_in_order(model, (*data)->view.storage)) return HSP_OK;
    hsp__storage_change plan = {.storage =
                                    model->order == HSP__ORDER_DENSE ? HSP_DENSE : HSP_SPARSE,
                                .precision = (*data)->view.precision,
                                .cols = (*data)->view.cols,
                                .phase = "changing the storage"};
    hsp_status status = hsp__data_convert_storage(ctx, *data, &plan, err, &next);
    if (!status) score_replace(data, next);
    return status;
}

static hsp_status score_prepare(hsp_context *ctx, const hsp_model *model, const hsp_view *view,
                                uint64_t *unknown, hsp_error *err, hsp_data **out)
{
    hsp_data *data = NULL;
    hsp_status status = score_take_known(ctx, model, view, unknown, err, &data);
    if (!status) status = score_change(ctx, model, err, &data);
    if (status)
        hsp_data_free(data);
    else
        *out = data;
    return status;
}

hsp_status hsp__model_scale_counting(hsp_context *ctx, const hsp_model *model, const hsp_view *view,
                                     uint64_t *unknown, hsp_error *err, hsp_data **out)
{
    if (score_changes(model, view)) return score_prepare(ctx, model, view, unknown, err, out);
    *out = NULL;
    return HSP_OK;
}

hsp_status hsp__model_scale(hsp_context *ctx, const hsp_model *model, const hsp_view *view,
                            hsp_error *err, hsp_data **out)
{
    uint64_t unknown = 0;
    return hsp__model_scale_counting(ctx, model, view, &unknown, err, out);
}

/* ---- Scores ---------------------------------------------------------------------------------- */

static hsp_status score_prepare_linear(hsp__scoring *scoring, hsp_context *ctx, uint64_t rows,
                                       uint64_t entries, hsp_error *err)
{
    const hsp_model *model = scoring->model;
    (void)rows;
    if (model->order == HSP__ORDER_DENSE || entries < model->features) return HSP_OK;
    HSP__TRY(hsp__interleaved_init(&scoring->interleaved, &ctx->allocator, model->features,
                                   model->scorers, err));
    for (uint32_t k = 0; scoring->interleaved.columns && k < model->scorers; k++)
        hsp__interleaved_fill(&scoring->interleaved, k, model->weights + k * model->features,
                              model->features);
    return HSP_OK;
}

static hsp_status score_linear(hsp_context *quiet, const hsp__scoring *scoring,
                               const hsp_view *view, hsp_error *err, double *scores)
{
    const hsp_model *model = scoring->model;
    (void)quiet, (void)err;
    for (uint64_t i = 0; i < view->rows; i++, scores += model->scorers) {
        double sums[HSP__BESIDE_MOST];
        if (scoring->interleaved.columns && view->storage != HSP_DENSE) { /* all scorers at once */
            hsp__interleaved_dots(&scoring->interleaved, view, i, 0, scoring->interleaved.columns,
                                  sums);
            for (uint32_t k = 0; k < model->scorers; k++)
                scores[k] = sums[k] + hsp__model_bias(model, k);
            continue;
        }
        for (uint32_t k = 0; k < model->scorers; k++)
            scores[k] = hsp__row_score(view, i, model->weights + k * model->features,
                                       hsp__model_bias(model, k));
    }
    return HSP_OK;
}

const hsp__hypothesis_type hsp__linear = {
    .name = "linear", .has_weights = 1, .prepare = score_prepare_linear, .score = score_linear};

hsp_status hsp__scoring_init(hsp__scoring *scoring, hsp_context *ctx, const hsp_model *model,
                             uint64_t rows, uint64_t entries, hsp_error *err)
{
    *scoring = (hsp__scoring){.model = model};
    return hsp__type_of(model)->prepare(scoring, ctx, rows, entries, err);
}

void hsp__scoring_free(hsp__scoring *scoring, hsp_context *ctx)
{
    hsp__interleaved_free(&scoring->interleaved, &ctx->allocator);
    hsp__support_free(&scoring->support, ctx);
    hsp__neighbors_index_done(scoring->model, scoring->near);
}

/* How many rows to change at a time: about SCORE_SLICE bytes of them, were they dense. */
static uint64_t score_slice_rows(const hsp_model *model, const hsp_view *view)
{
    uint64_t cols = view->cols > model->features ? view->cols : model->features;
    if (view->storage != HSP_DENSE && view->rows && model->order != HSP__ORDER_DENSE)
        cols = hsp_view_stored(view) / view->rows;
    uint64_t rows = SCORE_SLICE / (sizeof(double) * (cols + 1));
    if (hsp__model_takes_whole(model)) rows *= SCORE_BLOCK;
    return rows ? rows : 1;
}

hsp_status hsp__model_score_rows(hsp_context *quiet, const hsp__scoring *scoring,
                                 const hsp_view *rows, uint64_t *unknown, hsp_error *err,
                                 double *scores)
{
    const hsp_model *model = scoring->model;
    const hsp__hypothesis_type *type = hsp__type_of(model);
    const int changes = score_changes(model, rows);
    const uint64_t step = changes ? score_slice_rows(model, rows) : rows->rows;
    hsp_status status = HSP_OK;
    for (uint64_t from = 0; !status && from < rows->rows; from += step) {
        const uint64_t to = rows->rows - from > step ? from + step : rows->rows;
        const hsp_view slice = hsp__view_slice(rows, from, to);
        hsp_data *data = NULL;
        if (changes) status = score_prepare(quiet, model, &slice, unknown, err, &data);
        if (!status)
            status = type->score(quiet, scoring, data ? &data->view : &slice, err,
                                 scores + from * model->scorers);
        hsp_data_free(data);
    }
    return status;
}

/* ---- In parallel ----------------------------------------------------------------------------- */

typedef struct score_job {
    hsp_context *ctx;
    hsp__scoring scoring;
    const hsp_view *view;
    double *scores;
    uint32_t *classes; /* or NULL */
    uint64_t parts;
    unsigned char *failed; /* parts: its status */
    uint64_t *unknown;     /* parts: values in columns that the model does not know */
} score_job;

static hsp_status score_run_part(const score_job *job, uint64_t part, hsp_error *err)
{
    const uint64_t from = hsp__part(job->view->rows, job->parts, part);
    const uint64_t to = hsp__part(job->view->rows, job->parts, part + 1);
    const hsp_model *model = job->scoring.model;
    const uint32_t scorers = model->scorers;
    hsp_context quiet = hsp__quiet(job->ctx);
    hsp_view rows = hsp__view_slice(job->view, from, to);
    job->unknown[part] = 0;
    hsp_status status = hsp__model_score_rows(&quiet, &job->scoring, &rows, &job->unknown[part],
                                              err, job->scores + from * scorers);
    int undefined = status == HSP_BAD_DATA || model->neighbors; /* votes are never NaN */
    for (uint64_t k = from * scorers; !status && k < to * scorers; k++)
        undefined |= isnan(job->scores[k]);
    if (undefined) { /* a value that is no number, or numbers that overflowed */
        const hsp_status values = hsp__view_check_finite(job->view, from, to, err);
        if (values) status = values;
    }
    for (uint64_t i = from; !status && job->classes && i < to; i++)
        job->classes[i] = hsp__model_decide(model, job->scores + i * scorers);
    return status;
}

static void score_part(void *user, uint64_t part)
{
    score_job *job = user;
    job->failed[part] = (unsigned char)score_run_part(job, part, NULL);
}

hsp_status hsp_model_score(hsp_context *ctx, const hsp_model *model, const hsp_view *view,
                           hsp_error *err, double *scores, uint32_t *classes)
{
    HSP__NEED(err, ctx, model, view, scores);
    score_job job = {.ctx = ctx, .view = view, .scores = scores, .classes = classes};
    uint64_t unknown = 0;
    uint64_t each = view->rows ? hsp_view_stored(view) / view->rows * sizeof(double) : 0;
    job.parts = hsp__parts(view->rows, 16 + each);
    if (hsp__model_takes_whole(model)) job.parts = view->rows / hsp__type_of(model)->part + 1;
    job.failed = hsp__new(&ctx->allocator, job.parts, 1);
    job.unknown = hsp__new(&ctx->allocator, job.parts, sizeof *job.unknown);
    hsp_status status = job.failed && job.unknown ? HSP_OK : hsp__fail_memory(err);
    if (!status)
        status =
            hsp__scoring_init(&job.scoring, ctx, model, view->rows, hsp_view_stored(view), err);
    if (!status) status = hsp__sweep(ctx, "scoring", view->rows, job.parts, score_part, &job, err);
    /* The first part that failed, once more and alone: now it says why. */
    for (uint64_t part = 0; !status && part < job.parts; part++) {
        if (job.failed[part] == HSP_NO_MEMORY)
            status = hsp__fail_memory(err);
        else if (job.failed[part])
            status = score_run_part(&job, part, err);
        unknown += job.unknown[part];
    }
    if (!status) hsp__model_tell_unknown(ctx, model, unknown);
    hsp__scoring_free(&job.scoring, ctx);
    hsp__free(&ctx->allocator, job.failed);
    hsp__free(&ctx->allocator, job.unknown);
    return status;
}

void hsp__model_tell_unknown(hsp_context *ctx, const hsp_model *model, uint64_t unknown)
{
    if (!unknown) return;
    hsp__log(ctx, HSP_LOG_WARNING, "%llu value%s in columns beyond the model's %llu %s ignored",
             (unsigned long long)unknown, unknown == 1 ? "" : "s",
             (unsigned long long)hsp__model_inputs(model), unknown == 1 ? "was" : "were");
}
