/* From a team that learnt with a kernel to its model. Scorer c is
 *
 *     s_c(x) = sum over rows i of a_ci k(x_i, x) + b_c
 *
 * where a_ci is the sum of the amounts by which row i was added; of a mean, less the sum of amount
 * * (examples before) / examples, as weights have it. */
#include "base/context.h"
#include "base/error.h"
#include "base/memory.h"
#include "learn/kernel/kernel_scores.h"
#include "learn/build_model.h"

hsp_status hsp__build_model_copy_kernel(hsp_context *ctx, const hsp_kernel *kernel, hsp_error *err,
                                        hsp_kernel **out)
{
    return hsp_kernel_parse(ctx, hsp_kernel_text(kernel), 1, kernel->index_base, err, out);
}

/* The rows that have an amount: picked, ascending, and where each is: places[row], + 1. */
static hsp_status online_expansion_used(const hsp__ledger *past,
                                        const hsp_row_coefficients *updates, uint64_t rows,
                                        hsp_context *ctx, uint64_t *places, hsp_error *err,
                                        uint64_t **picked, uint64_t *count)
{
    for (uint64_t k = 0; k < updates->count; k++)
        places[updates->row[k]] = 1;
    for (uint64_t k = 0; k < past->count; k++)
        places[past->entries[k].row] = 1;
    *count = 0;
    for (uint64_t i = 0; i < rows; i++)
        *count += places[i];
    *picked = hsp__new_raw(&ctx->allocator, *count, sizeof **picked);
    if (!*picked) return hsp__fail_memory(err);
    for (uint64_t i = 0, k = 0; i < rows; i++)
        if (places[i]) {
            (*picked)[k++] = i;
            places[i] = k;
        }
    return HSP_OK;
}

hsp_status hsp__build_model_rows(hsp_context *ctx, hsp_data *rows, const uint64_t *picked,
                                 uint64_t count, hsp_error *err, hsp_data **out)
{
    hsp_data *data = NULL;
    hsp_status status = hsp_data_select(ctx, rows, picked, count, err, &data);
    if (status) return status;
    hsp__free(&data->memory, data->labels);
    data->labels = NULL;
    data->view.labels = NULL;
    data->view.classes = 0;
    *out = data;
    return HSP_OK;
}

static void online_expansion_coefficients(const hsp__ovr *team, const hsp__ledger *past,
                                          const uint64_t *places, hsp_model *model)
{
    const hsp_row_coefficients *updates = &model->updates;
    const uint64_t count = model->expansion->rows->view.rows;
    double *a = model->expansion->coefficients;
    for (uint64_t k = 0; k < updates->count; k++)
        a[updates->scorer[k] * count + places[updates->row[k]] - 1] = updates->amount[k];
    for (uint64_t k = 0; k < past->count; k++) {
        const hsp__entry *entry = &past->entries[k];
        uint32_t scorer;
        const double examples = (double)hsp__ovr_scorer(team, entry->scorer, &scorer)->examples;
        a[entry->scorer * count + places[entry->row] - 1] -= entry->amount / examples;
    }
}

static hsp_status online_expansion_expand(hsp_context *ctx, const hsp__ovr *team,
                                          hsp__kernel_scores *kernel,
                                          const hsp__model_spec *outcome, hsp_error *err,
                                          hsp_model **out)
{
    const hsp_allocator *memory = &ctx->allocator;
    hsp__ledger *past = hsp__kernel_scores_past(kernel);
    hsp_kernel *copy = NULL;
    hsp_data *rows = NULL;
    hsp_model *model = NULL, *holder = NULL; /* of the updates, until there is a model for them */
    const uint64_t all = hsp_data_rows(outcome->rows);
    uint64_t *picked = NULL, count = 0;
    uint64_t *places = hsp__new(memory, all, sizeof *places);
    hsp_status status = places && hsp__ledger_settle(past) ? HSP_OK : hsp__fail_memory(err);
    if (!status) status = hsp__model_new(ctx, 0, 0, err, &holder);
    if (!status) status = hsp__build_model_updates(ctx, team, holder, err);
    if (!status)
        status =
            online_expansion_used(past, &holder->updates, all, ctx, places, err, &picked, &count);
    if (!status) status = hsp__build_model_rows(ctx, outcome->rows, picked, count, err, &rows);
    if (!status)
        status = hsp__build_model_copy_kernel(ctx, hsp__kernel_scores_kernel(kernel), err, &copy);
    if (status)
        hsp_data_free(rows);
    else
        status = hsp__model_new_expansion(ctx, hsp__ovr_scorers(team), hsp_data_cols(outcome->rows),
                                          copy, rows, err, &model);
    if (!status) {
        model->updates = holder->updates;
        holder->updates = (hsp_row_coefficients){0};
        for (uint64_t k = 0; k < count; k++)
            model->expansion->source[k] = hsp__kernel_scores_source(kernel, picked[k]);
        online_expansion_coefficients(team, past, places, model);
        *out = model;
    }
    hsp_model_free(holder);
    hsp__free(memory, picked);
    hsp__free(memory, places);
    return status;
}

/* A model without weights that votes. */
static hsp_status online_expansion_voters(hsp_context *ctx, const hsp__ovr *team,
                                          const hsp__kernel_scores *kernel,
                                          const hsp__model_spec *outcome, hsp_error *err,
                                          hsp_model **out)
{
    hsp_model *model = NULL;
    hsp_status status = hsp__model_new(ctx, hsp__ovr_scorers(team), 0, err, &model);
    if (status) return status;
    hsp__free(&model->memory, model->weights);
    model->weights = NULL;
    model->features = hsp_data_cols(outcome->rows);
    status = hsp__build_model_votes(ctx, team, outcome->rows, model, err);
    if (!status)
        status = hsp__build_model_copy_kernel(ctx, hsp__kernel_scores_kernel(kernel), err,
                                              &model->votes->kernel);
    if (!status) status = hsp__build_model_updates(ctx, team, model, err);
    if (status)
        hsp_model_free(model);
    else
        *out = model;
    return status;
}

static void online_expansion_offsets(const hsp__ovr *team, hsp_model *model)
{
    for (uint32_t c = 0; c < model->scorers; c++) {
        uint32_t scorer;
        double none[1];
        const hsp__online *run = hsp__ovr_scorer(team, c, &scorer);
        hsp__online_result(run, scorer, none, &model->offsets[c]);
    }
}

static hsp_status online_expansion_collapse(hsp_context *ctx, hsp_model **model, hsp_error *err)
{
    hsp_model *linear = NULL;
    if (!(*model)->expansion) return HSP_OK;
    hsp_status status = hsp__model_collapse(ctx, *model, err, &linear);
    if (status || !linear) return status;
    hsp_model_free(*model);
    *model = linear;
    return HSP_OK;
}

hsp_status hsp__build_model_kernel(hsp_context *ctx, const hsp__ovr *team,
                                   hsp__kernel_scores *kernel, hsp__model_spec *outcome,
                                   hsp_error *err, hsp_model **out)
{
    hsp_model *model = NULL;
    outcome->tie = team->plan.tie;
    outcome->seed = team->plan.seed;
    hsp_status status = team->runs[0].steps
                            ? online_expansion_voters(ctx, team, kernel, outcome, err, &model)
                            : online_expansion_expand(ctx, team, kernel, outcome, err, &model);
    if (!status) {
        online_expansion_offsets(team, model);
        status = hsp__build_model_fill(ctx, outcome, model, err);
    }
    if (!status) status = online_expansion_collapse(ctx, &model, err);
    if (!status) status = hsp__build_model_end(outcome, model, err);
    if (status)
        hsp_model_free(model);
    else
        *out = model;
    return status;
}
