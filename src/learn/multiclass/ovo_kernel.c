/* One-vs-one with a kernel: the separators of all pairs as one expansion, in which a row that
 * several pairs learnt from is stored once. */
#include "base/context.h"
#include "base/error.h"
#include "base/memory.h"
#include "learn/build_model.h"
#include "learn/multiclass/ovo.h"

/* The rows that a pair's separator is made of, one after the other, as rows of all the data. A
 * precomputed kernel knows them by their ids, any other by their place in the pair's rows. */
static uint64_t ovo_kernel_row(const hsp__pair_part *part, const uint64_t *ids, uint64_t k,
                               uint64_t *from)
{
    const uint64_t source = part->model->expansion->source[k];
    if (!ids) return part->rows[source];
    while (ids[part->rows[*from]] != source)
        ++*from;
    return part->rows[(*from)++];
}

/* Which rows any pair uses: picked, ascending, and places[row], where each is, + 1. */
static hsp_status ovo_kernel_pick(hsp_context *ctx, const hsp__ovo_parts *parts, uint64_t *places,
                                  hsp_error *err, uint64_t **picked, uint64_t *count)
{
    const uint64_t n = parts->data->view.rows;
    *count = 0;
    for (uint32_t pair = 0; pair < parts->count; pair++) {
        const hsp__pair_part *part = &parts->parts[pair];
        const uint64_t support = part->model ? hsp_model_support(part->model, NULL) : 0;
        for (uint64_t k = 0, from = 0; k < support; k++)
            places[ovo_kernel_row(part, parts->ids, k, &from)] = 1;
    }
    for (uint64_t i = 0; i < n; i++)
        *count += places[i];
    *picked = hsp__new_raw(&ctx->allocator, *count, sizeof **picked);
    if (!*picked) return hsp__fail_memory(err);
    for (uint64_t i = 0, k = 0; i < n; i++)
        if (places[i]) {
            (*picked)[k++] = i;
            places[i] = k;
        }
    return HSP_OK;
}

static void ovo_kernel_fill(const hsp__ovo_parts *parts, const uint64_t *places,
                            const uint64_t *picked, hsp__expansion *to)
{
    const uint64_t count = to->rows->view.rows;
    for (uint64_t i = 0; i < count; i++)
        to->source[i] = parts->ids      ? parts->ids[picked[i]]
                        : parts->origin ? parts->origin[picked[i]]
                                        : picked[i];
    for (uint32_t pair = 0; pair < parts->count; pair++) {
        const hsp__pair_part *part = &parts->parts[pair];
        const uint64_t support = part->model ? hsp_model_support(part->model, NULL) : 0;
        for (uint64_t k = 0, from = 0; k < support; k++) {
            const uint64_t row = ovo_kernel_row(part, parts->ids, k, &from);
            to->coefficients[pair * count + places[row] - 1] =
                part->model->expansion->coefficients[k];
        }
    }
}

hsp_status hsp__ovo_expand(hsp_context *ctx, const hsp__ovo_parts *parts, hsp_error *err,
                           hsp_model **out)
{
    const hsp_allocator *memory = &ctx->allocator;
    uint64_t *picked = NULL, count = 0;
    hsp_data *rows = NULL;
    hsp_kernel *kernel = NULL;
    hsp_model *model = NULL;
    uint64_t *places = hsp__new(memory, parts->data->view.rows, sizeof *places);
    hsp_status status = places ? HSP_OK : hsp__fail_memory(err);
    if (!status) status = ovo_kernel_pick(ctx, parts, places, err, &picked, &count);
    if (!status) status = hsp__build_model_rows(ctx, parts->data, picked, count, err, &rows);
    if (!status) status = hsp__build_model_copy_kernel(ctx, parts->kernel, err, &kernel);
    if (status)
        hsp_data_free(rows);
    else
        status = hsp__model_new_expansion(ctx, parts->count, parts->data->view.cols, kernel, rows,
                                          err, &model);
    if (!status) {
        ovo_kernel_fill(parts, places, picked, model->expansion);
        *out = model;
    }
    hsp__free(memory, picked);
    hsp__free(memory, places);
    return status;
}
