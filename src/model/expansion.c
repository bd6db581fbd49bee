/* Scores of a kernel expansion. Some rows at a time meet some support rows at a time: a block of
 * kernel values, computed once for all scorers, then the coefficients times the block, in double.
 * Sums over the support rows are cut at fixed places, so that a score does not depend on the other
 * rows. Cost: rows * support rows kernel values, and a product of as many numbers a scorer. */
#include "model/expansion.h"

#include <math.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "base/stop.h"
#include "vec/product.h"

enum {
    EXPANSION_ROWS = 1024,   /* rows at a time */
    EXPANSION_SUPPORT = 512, /* support rows at a time: the values stay in a cache */
    EXPANSION_VOTERS = 64    /* rows at a time whose values with all support rows are kept */
};

static uint64_t expansion_least(uint64_t a, uint64_t b)
{
    return a < b ? a : b;
}

/* ---- Made and unmade ------------------------------------------------------------------------- */

void hsp__expansion_free(const hsp_allocator *memory, hsp__expansion *expansion, int mapped)
{
    if (!expansion) return;
    hsp_kernel_free(expansion->kernel);
    hsp_data_free(expansion->rows);
    if (!mapped) {
        hsp__free(memory, expansion->source);
        hsp__free(memory, expansion->coefficients);
    }
    hsp__free(memory, expansion);
}

hsp_status hsp__model_new_expansion(hsp_context *ctx, uint32_t scorers, uint64_t features,
                                    hsp_kernel *kernel, hsp_data *rows, hsp_error *err,
                                    hsp_model **out)
{
    const hsp_allocator *memory = &ctx->allocator;
    const uint64_t count = rows->view.rows;
    hsp_model *model = NULL;
    hsp_status status = hsp__model_new(ctx, scorers, 0, err, &model);
    hsp__expansion *expansion = status ? NULL : hsp__new(memory, 1, sizeof *expansion);
    if (!expansion) {
        hsp_kernel_free(kernel);
        hsp_data_free(rows);
        hsp_model_free(model);
        return status ? status : hsp__fail_memory(err);
    }
    hsp__free(memory, model->weights);
    model->weights = NULL;
    model->features = features;
    model->hypothesis = HSP__EXPANSION;
    model->expansion = expansion;
    expansion->kernel = kernel;
    expansion->rows = rows;
    expansion->source = hsp__new(memory, count, sizeof *expansion->source);
    if (!scorers || count <= UINT64_MAX / scorers)
        expansion->coefficients = hsp__new(memory, scorers * count, sizeof(double));
    if (!expansion->source || !expansion->coefficients) {
        hsp_model_free(model);
        return hsp__fail_memory(err);
    }
    *out = model;
    return HSP_OK;
}

/* ---- Looked at ------------------------------------------------------------------------------- */

const char *hsp_model_kernel(const hsp_model *model)
{
    if (!model) return NULL;
    const hsp_kernel *kernel = hsp__model_kernel(model);
    return kernel ? hsp_kernel_text(kernel) : NULL;
}

uint64_t hsp_model_support(const hsp_model *model, const uint64_t **source)
{
    if (!model) return 0;
    const hsp__expansion *expansion = model->expansion;
    if (source) *source = expansion ? expansion->source : NULL;
    return expansion ? expansion->rows->view.rows : 0;
}

const double *hsp_model_coefficients(const hsp_model *model, uint32_t scorer)
{
    if (!model) return NULL;
    if (!model->expansion || scorer >= model->scorers) return NULL;
    return model->expansion->coefficients + scorer * model->expansion->rows->view.rows;
}

/* ---- Scores ---------------------------------------------------------------------------------- */

/* Scratch for one slice. */
typedef struct expansion_work {
    hsp__guests guests;
    double *values; /* EXPANSION_ROWS * EXPANSION_SUPPORT kernel values */
    double *part;   /* EXPANSION_ROWS * scorers: those times the coefficients */
    void *packed;
} expansion_work;

static void expansion_work_free(expansion_work *work, hsp_context *ctx)
{
    hsp__guests_free(&work->guests, ctx);
    hsp__free(&ctx->allocator, work->values);
    hsp__free(&ctx->allocator, work->part);
    hsp__free(&ctx->allocator, work->packed);
}

static hsp_status expansion_work_init(expansion_work *work, hsp_context *ctx,
                                      const hsp_model *model, const hsp__support *support,
                                      const hsp_view *view, hsp_error *err)
{
    const hsp_allocator *memory = &ctx->allocator;
    const uint64_t rows = expansion_least(view->rows, EXPANSION_ROWS);
    const uint64_t some = expansion_least(support->rows->view->rows, EXPANSION_SUPPORT);
    *work = (expansion_work){0};
    work->values = hsp__new_raw(memory, rows * some, sizeof(double));
    work->part = hsp__new_raw(memory, rows * model->scorers, sizeof(double));
    work->packed = hsp__new_raw(memory, hsp__product_scratch((size_t)some, sizeof(double)), 1);
    if (!work->values || !work->part || !work->packed) return hsp__fail_memory(err);
    return hsp__guests_init(&work->guests, ctx, support, view, err);
}

/* Add what support rows at .. at + some - 1 say of guests from .. from + count - 1. */
static hsp_status expansion_add(hsp_context *ctx, const hsp_model *model,
                                const hsp__support *support, expansion_work *work, uint64_t from,
                                uint64_t count, uint64_t at, hsp_error *err, double *scores)
{
    const uint64_t all = support->rows->view->rows, scorers = model->scorers;
    const uint64_t some = expansion_least(all - at, EXPANSION_SUPPORT);
    hsp_status status = hsp__support_values(ctx, support, &work->guests, from, count, at, some,
                                            work->values, some, err);
    if (status) return status;
    hsp__product_f64((size_t)count, (size_t)scorers, (size_t)some, work->values, (size_t)some,
                     model->expansion->coefficients + at, (size_t)all, work->part, (size_t)scorers,
                     work->packed);
    for (uint64_t k = 0; k < count * scorers; k++)
        scores[k] += work->part[k];
    return HSP_OK;
}

hsp_status hsp__expansion_score(hsp_context *quiet, const hsp_model *model,
                                const hsp__support *support, const hsp_view *view, hsp_error *err,
                                double *scores)
{
    const uint64_t all = support->rows->view->rows, scorers = model->scorers;
    expansion_work work;
    hsp_status status = expansion_work_init(&work, quiet, model, support, view, err);
    if (!status) memset(scores, 0, (size_t)(view->rows * scorers) * sizeof *scores);
    for (uint64_t from = 0; !status && from < view->rows; from += EXPANSION_ROWS) {
        const uint64_t count = expansion_least(view->rows - from, EXPANSION_ROWS);
        double *to = scores + from * scorers;
        for (uint64_t at = 0; !status && at < all; at += EXPANSION_SUPPORT)
            status = expansion_add(quiet, model, support, &work, from, count, at, err, to);
        for (uint64_t i = 0; i < count; i++)
            for (uint64_t c = 0; c < scorers; c++)
                to[i * scorers + c] += model->offsets[c];
    }
    expansion_work_free(&work, quiet);
    return status;
}

hsp_status hsp__votes_score_kernel(hsp_context *quiet, const hsp_model *model,
                                   const hsp__support *support, const hsp_view *view,
                                   hsp_error *err, double *scores)
{
    const hsp_allocator *memory = &quiet->allocator;
    const uint64_t all = support->rows->view->rows;
    hsp__guests guests = {.rows = NULL};
    double *values =
        hsp__new_raw(memory, expansion_least(view->rows, EXPANSION_VOTERS) * all, sizeof *values);
    double *running = hsp__new(memory, model->scorers, sizeof *running);
    hsp_status status = values && running ? HSP_OK : hsp__fail_memory(err);
    if (!status) status = hsp__guests_init(&guests, quiet, support, view, err);
    for (uint64_t from = 0; !status && from < view->rows; from += EXPANSION_VOTERS) {
        const uint64_t count = expansion_least(view->rows - from, EXPANSION_VOTERS);
        status =
            hsp__support_values(quiet, support, &guests, from, count, 0, all, values, all, err);
        for (uint64_t i = 0; !status && i < count && !hsp__tick(quiet); i++)
            hsp__votes_tally(model, values + i * all, running,
                             scores + (from + i) * model->scorers);
        if (!status) status = hsp__stop_status(quiet, err);
    }
    hsp__guests_free(&guests, quiet);
    hsp__free(memory, values);
    hsp__free(memory, running);
    return status;
}

/* ---- The length of w in the feature space ---------------------------------------------------- */

/* w'w = a'Ka, the support rows meeting themselves some at a time. */
hsp_status hsp__expansion_length(hsp_context *ctx, const hsp_model *model, uint32_t scorer,
                                 hsp_error *err, double *length)
{
    const hsp__expansion *expansion = model->expansion;
    const uint64_t all = expansion->rows->view.rows;
    const double *a = expansion->coefficients + scorer * all;
    hsp__support support = {0};
    double sum = 0;
    double *values =
        hsp__new_raw(&ctx->allocator, expansion_least(all, EXPANSION_ROWS) * all, sizeof *values);
    hsp_status status = values ? HSP_OK : hsp__fail_memory(err);
    if (!status)
        status = hsp__support_init(&support, ctx, expansion->kernel, expansion->rows,
                                   expansion->source, err);
    for (uint64_t from = 0; !status && from < all; from += EXPANSION_ROWS) {
        const uint64_t count = expansion_least(all - from, EXPANSION_ROWS);
        const hsp__kernel_pick some = {.rows = support.rows, .from = from, .count = count};
        const hsp__kernel_pick whole = {.rows = support.rows, .count = all};
        status = hsp__kernel_block_f64(ctx, &some, &whole, values, all, err);
        for (uint64_t i = 0; !status && i < count; i++) {
            double line = 0;
            for (uint64_t j = 0; j < all; j++)
                line += a[j] * values[i * all + j];
            sum += a[from + i] * line;
        }
    }
    if (!status) *length = sum > 0 ? sqrt(sum) : sum == 0 ? 0 : (double)NAN;
    hsp__support_free(&support, ctx);
    hsp__free(&ctx->allocator, values);
    return status;
}
