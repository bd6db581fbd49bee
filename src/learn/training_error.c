#include "learn/training_error.h"

#include "base/base.h"
#include "base/decimal.h"
#include "base/ranks.h"
#include "model/interleaved.h"

typedef struct training_error_state {
    hsp_context *ctx;
    const hsp_model *model;
    const hsp_view *view;
    const double *const *known; /* scorers: scores without offsets; NULL: they are computed */
    uint64_t parts;
    hsp__interleaved interleaved; /* the model's weights; no columns: not used */
    uint64_t *wrong;              /* parts */
    uint64_t width;               /* scorers, or the columns of `interleaved` */
    double *scores;               /* parts * width */
} training_error_state;

static void training_error_part(void *user, uint64_t part)
{
    training_error_state *work = user;
    const hsp_model *model = work->model;
    double *scores = work->scores + part * work->width;
    const size_t columns = work->interleaved.columns;
    const uint64_t to = hsp__part(work->view->rows, work->parts, part + 1);
    for (uint64_t i = hsp__part(work->view->rows, work->parts, part); i < to; i++) {
        if (hsp__tick(work->ctx)) return;
        if (columns) hsp__interleaved_dots(&work->interleaved, work->view, i, 0, columns, scores);
        for (uint32_t c = 0; c < model->scorers; c++) {
            const double *w = model->weights + c * model->features, b = model->offsets[c];
            scores[c] = work->known ? work->known[c][i] + b
                        : columns   ? scores[c] + b
                                    : hsp__row_score(work->view, i, w, b);
        }
        work->wrong[part] += hsp__model_decide(model, scores) != work->view->labels[i];
    }
}

hsp_status hsp__training_error_linear(hsp_context *ctx, const hsp_model *model,
                                      const hsp_view *view, const double *const *known,
                                      hsp_error *err, uint64_t *wrong)
{
    const uint64_t each = view->rows ? hsp_view_stored(view) / view->rows * sizeof(double) : 0;
    assert((view->rows > 0 || ctx->shard) && model->weights && view->cols <= model->features);
    training_error_state work = {.ctx = ctx,
                                 .model = model,
                                 .view = view,
                                 .known = known,
                                 .parts = hsp__parts(view->rows, 16 + each)};
    hsp__scratch scratch = {.memory = &ctx->allocator};
    /* the copy costs as much as a pass over rows with one entry per feature */
    if (!known && !ctx->shard && view->storage != HSP_DENSE &&
        hsp_view_stored(view) > model->features)
        HSP__TRY(hsp__interleaved_init(&work.interleaved, &ctx->allocator, model->features,
                                       model->scorers, err));
    for (uint32_t c = 0; work.interleaved.columns && c < model->scorers; c++)
        hsp__interleaved_fill(&work.interleaved, c, model->weights + c * model->features,
                              model->features);
    work.width = work.interleaved.columns ? work.interleaved.columns : model->scorers;
    work.wrong = hsp__scratch_new(&scratch, work.parts, sizeof *work.wrong);
    work.scores = hsp__scratch_new(&scratch, work.parts * work.width, sizeof *work.scores);
    hsp_status status = scratch.failed ? hsp__fail_memory(err) : HSP_OK;
    if (!status && !hsp__tasks_try(ctx, work.parts, training_error_part, &work))
        status = hsp__stop_status(ctx, err);
    status = hsp__shard_agree(ctx, status, err);
    uint64_t found = 0;
    for (uint64_t part = 0; !status && part < work.parts; part++)
        found += work.wrong[part];
    if (!status) hsp__shard_add(ctx, &found, 1);
    *wrong += found;
    hsp__interleaved_free(&work.interleaved, &ctx->allocator);
    hsp__scratch_free(&scratch);
    return status;
}

hsp_status hsp__training_error_report(hsp_status counted, uint64_t wrong, hsp_model *model,
                                      hsp_error *err, hsp_training *run)
{
    char text[HSP__DECIMAL_MAX];
    run->training_error = (double)NAN;
    if (counted) return counted == HSP_CANCELLED ? HSP_OK : counted;
    run->training_error = (double)wrong / (double)run->rows;
    hsp__decimal_print_f64(run->training_error, text);
    return hsp__model_set_metadata(model, "training_error", text, err);
}

#define TRAINING_ERROR_SLICE 4096

hsp_status hsp__training_error_scored(hsp_context *ctx, const hsp_model *model,
                                      const hsp_view *view, const uint32_t *class_of,
                                      hsp_error *err, uint64_t *wrong)
{
    hsp_status status = HSP_OK;
    const uint64_t most = view->rows < TRAINING_ERROR_SLICE ? view->rows : TRAINING_ERROR_SLICE;
    double *scores = hsp__new_raw(&ctx->allocator, most * model->scorers, sizeof *scores);
    uint32_t *classes = hsp__new_raw(&ctx->allocator, most, sizeof *classes);
    if (!scores || !classes) status = hsp__fail_memory(err);
    for (uint64_t from = 0; !status && from < view->rows; from += TRAINING_ERROR_SLICE) {
        const uint64_t to =
            view->rows - from < TRAINING_ERROR_SLICE ? view->rows : from + TRAINING_ERROR_SLICE;
        const hsp_view slice = hsp__view_slice(view, from, to);
        status = hsp__tick(ctx) ? hsp__stop_status(ctx, err)
                                : hsp_model_score(ctx, model, &slice, err, scores, classes);
        for (uint64_t i = 0; !status && i < slice.rows; i++) {
            const uint32_t class = class_of ? class_of[slice.labels[i]] : slice.labels[i];
            *wrong += class != HSP_NO_CLASS && classes[i] != class;
        }
    }
    hsp__free(&ctx->allocator, scores);
    hsp__free(&ctx->allocator, classes);
    return status;
}
