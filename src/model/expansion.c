/* Scores of a kernel expansion. Some rows at a time meet some support rows at a time: a block of
 * kernel values, computed once for all scorers, then the coefficients times the block, in double.
 * Sums over the support rows are cut at fixed places, so that a score does not depend on the other
 * rows. Cost: rows * support rows kernel values, and a product of as many numbers a scorer. */
#include "model/expansion.h"

#include "base/base.h"
#include "model/hypothesis.h"
#include "vec/product.h"
#include "vec/vec.h"

enum {
    EXPANSION_ROWS = 1024,   /* rows at a time */
    EXPANSION_SUPPORT = 512, /* support rows at a time: the values stay in a cache */
    EXPANSION_LINES = 64,    /* of the rows at a time, if most coefficients are 0 */
    EXPANSION_VOTERS = 64    /* rows at a time whose values with all support rows are kept */
};

static uint64_t expansion_least(uint64_t a, uint64_t b)
{
    return a < b ? a : b;
}

/* ---- Made and unmade ------------------------------------------------------------------------- */

static void expansion_free(hsp_model *model, int mapped)
{
    hsp__expansion *expansion = model->expansion;
    if (!expansion) return;
    hsp_kernel_free(expansion->kernel);
    hsp_data_free(expansion->rows);
    if (!mapped) {
        hsp__free(&model->memory, expansion->source);
        hsp__free(&model->memory, expansion->coefficients);
    }
    hsp__free(&model->memory, expansion);
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

/* Sums of `count` rows over some support rows, all scorers, by their coefficients in a matrix. */
static void expansion_sums(const hsp_model *model, const double *values, uint64_t count,
                           uint64_t at, uint64_t some, void *packed, double *part)
{
    const uint64_t all = model->expansion->rows->view.rows, scorers = model->scorers;
    for (uint64_t c = 0; c < scorers; c += HSP__PRODUCT_COLS) {
        const size_t n = (size_t)expansion_least(scorers - c, HSP__PRODUCT_COLS);
        const double *coefficients = model->expansion->coefficients + c * all + at;
        hsp__product_pack_f64(n, (size_t)some, coefficients, (size_t)all, packed);
        hsp__product_with_f64((size_t)count, n, (size_t)some, values, (size_t)some, packed,
                              (size_t)some, part + c, (size_t)scorers);
    }
}

/* The same by the coefficients that are not 0: a scorer of a pair of classes has none for the rows of
 * others. A sum has the same bits: what is left out adds 0. `lines`: room for EXPANSION_LINES rows
 * turned, and for their sums. */
static void expansion_sums_sparse(const hsp_model *model, const double *values, uint64_t count,
                                  uint64_t at, uint64_t some, double *lines, double *part)
{
    const uint64_t all = model->expansion->rows->view.rows, scorers = model->scorers;
    const hsp__vec_table *vec = hsp__vec();
    double *sums = lines + some * EXPANSION_LINES;
    for (uint64_t from = 0; from < count; from += EXPANSION_LINES) {
        const uint64_t n = expansion_least(count - from, EXPANSION_LINES);
        for (uint64_t i = 0; i < n; i++)
            for (uint64_t j = 0; j < some; j++)
                lines[j * n + i] = values[(from + i) * some + j];
        for (uint64_t c = 0; c < scorers; c++) {
            const double *coefficients = model->expansion->coefficients + c * all + at;
            memset(sums, 0, n * sizeof *sums);
            for (uint64_t j = 0; j < some; j++)
                if (coefficients[j] != 0)
                    vec->axpy_f64(coefficients[j], lines + j * n, sums, (size_t)n);
            for (uint64_t i = 0; i < n; i++)
                part[(from + i) * scorers + c] = sums[i];
        }
    }
}

/* Are most coefficients 0? */
static int expansion_is_sparse(const hsp_model *model)
{
    const uint64_t all = model->scorers * model->expansion->rows->view.rows;
    uint64_t used = 0;
    for (uint64_t i = 0; i < all; i++)
        used += model->expansion->coefficients[i] != 0;
    return used < all / 4;
}

hsp_status hsp__expansion_score(hsp_context *quiet, const hsp_model *model,
                                const hsp__support *support, const hsp_view *view, hsp_error *err,
                                double *scores)
{
    const uint64_t all = support->rows->view->rows, scorers = model->scorers;
    const uint64_t rows = expansion_least(view->rows, EXPANSION_ROWS);
    const uint64_t most = expansion_least(all, EXPANSION_SUPPORT);
    hsp__scratch memory = {.memory = &quiet->allocator};
    double *values = hsp__scratch_raw(&memory, rows * most, sizeof *values);
    double *part = hsp__scratch_raw(&memory, rows * scorers, sizeof *part);
    const int sparse = support->sparse;
    void *packed = hsp__scratch_raw(&memory, hsp__product_packed((size_t)most, sizeof(double)), 1);
    double *lines =
        hsp__scratch_raw(&memory, sparse ? (most + 1) * EXPANSION_LINES : 0, sizeof *lines);
    hsp__guests guests = {.rows = NULL};
    hsp_status status = memory.failed ? hsp__fail_memory(err) : HSP_OK;
    if (!status) status = hsp__guests_init(&guests, quiet, support, view, err);
    if (!status) memset(scores, 0, (size_t)(view->rows * scorers) * sizeof *scores);
    for (uint64_t from = 0; !status && from < view->rows; from += EXPANSION_ROWS) {
        const uint64_t count = expansion_least(view->rows - from, EXPANSION_ROWS);
        double *to = scores + from * scorers;
        for (uint64_t at = 0; !status && at < all; at += EXPANSION_SUPPORT) {
            const uint64_t some = expansion_least(all - at, EXPANSION_SUPPORT);
            status = hsp__support_values(quiet, support, &guests, from, count, at, some, values,
                                         some, err);
            if (status) break;
            if (sparse)
                expansion_sums_sparse(model, values, count, at, some, lines, part);
            else
                expansion_sums(model, values, count, at, some, packed, part);
            for (uint64_t k = 0; k < count * scorers; k++)
                to[k] += part[k];
        }
        for (uint64_t i = 0; i < count; i++)
            for (uint64_t c = 0; c < scorers; c++)
                to[i * scorers + c] += model->offsets[c];
    }
    hsp__guests_free(&guests, quiet);
    hsp__scratch_free(&memory);
    return status;
}

static hsp_status expansion_prepare(hsp__scoring *scoring, hsp_context *ctx, uint64_t rows,
                                    uint64_t entries, hsp_error *err)
{
    const hsp__expansion *expansion = scoring->model->expansion;
    (void)rows, (void)entries;
    const hsp_status status = hsp__support_init(&scoring->support, ctx, expansion->kernel,
                                                expansion->rows, expansion->source, err);
    if (!status) scoring->support.sparse = expansion_is_sparse(scoring->model);
    return status;
}

static hsp_status expansion_score(hsp_context *quiet, const hsp__scoring *scoring,
                                  const hsp_view *view, hsp_error *err, double *scores)
{
    return hsp__expansion_score(quiet, scoring->model, &scoring->support, view, err, scores);
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

/* ---- Kept in files --------------------------------------------------------------------------- */

static hsp_status expansion_check(hsp_context *ctx, const hsp_model *model, const char *file,
                                  hsp_error *err)
{
    const hsp__expansion *expansion = model->expansion;
    if (!expansion || !expansion->rows || !expansion->kernel)
        return hsp__check_fail(err, file, "a model of a kernel without one");
    HSP__TRY(hsp__check_rows(ctx, model, expansion->rows, expansion->kernel, "support", file, err));
    return hsp__check_finite(expansion->coefficients, model->scorers * expansion->rows->view.rows)
               ? HSP_OK
               : hsp__check_fail(err, file, "a coefficient is not finite");
}

static void expansion_put(hsp__model_writer *writer, const hsp_model *model)
{
    hsp__expansion *expansion = model->expansion;
    const hsp_view *view = &expansion->rows->view;
    const hsp__model_array source = {"support.source", HSP__U64, (void *)&expansion->source,
                                     .more = view->rows};
    hsp__model_put_table(writer, "support.coefficients", model->scorers, view->rows,
                         expansion->coefficients);
    hsp__model_put_arrays(writer, &source, 1);
    hsp__model_put_rows(writer, "support", view);
}

static hsp_status expansion_read(const hsp__container *file, hsp_model *model, hsp_kernel **kernel,
                                 hsp_error *err)
{
    hsp__expansion *expansion = model->expansion = hsp__new(&model->memory, 1, sizeof *expansion);
    if (!expansion || !(expansion->rows = hsp__data_new(&model->memory)))
        return hsp__fail_memory(err);
    expansion->kernel = *kernel, *kernel = NULL;
    HSP__TRY(hsp__model_get_rows(file, "support", model->features, &expansion->rows, err));
    const uint64_t rows = expansion->rows->view.rows;
    const hsp__model_array source = {"support.source", HSP__U64, (void *)&expansion->source,
                                     .more = rows};
    HSP__TRY(hsp__model_get_arrays(file, &source, 1, err));
    return hsp__model_get_table(file, "support.coefficients", model->scorers, rows, err,
                                &expansion->coefficients);
}

const hsp__hypothesis_type hsp__in_kernel = {.name = "kernel",
                                             .needs_kernel = 1,
                                             .part = 256,
                                             .free = expansion_free,
                                             .check = expansion_check,
                                             .put = expansion_put,
                                             .read = expansion_read,
                                             .prepare = expansion_prepare,
                                             .score = expansion_score};
