#include "learn/build_model.h"

#include "base/base.h"
#include "base/decimal.h"
#include "base/options.h"
#include "base/json.h"
#include "base/text.h"
#include "data/convert_storage.h"
#include "data/formats.h"
#include "learn/erm/erm.h"
#include "learn/option_helpers.h"
#include "learn/multiclass/reduce.h"

/* ---- Facts ----------------------------------------------------------------------------------- */

/* Every option of the learner's table with its value, but the log of passes: with or without it the
 * model is the same. */
hsp_status hsp__build_model_options(hsp_context *ctx, const hsp_options *options, hsp_model *model,
                                    hsp_error *err)
{
    const hsp_option_table *table = hsp_options_table(options);
    hsp__text text;
    hsp__text_init(&text, &ctx->allocator);
    for (size_t i = 0; i < table->count; i++) {
        const char *name = table->options[i].name;
        if (strcmp(name, "convergence") == 0) continue;
        hsp__text_puts(&text, i ? "," : "{");
        hsp__json_put_string(&text, name, strlen(name));
        hsp__text_puts(&text, ":");
        hsp__option_json(&text, options, &table->options[i]);
    }
    hsp__text_puts(&text, "}");
    hsp_status status = text.failed ? hsp__fail_memory(err)
                                    : hsp__model_set_metadata(model, "options", text.data, err);
    hsp__text_free(&text);
    return status;
}

static hsp_status build_model_count(hsp_model *model, const char *name, uint64_t value,
                                    hsp_error *err)
{
    char text[HSP__DECIMAL_MAX];
    hsp__decimal_print_u64(value, text);
    return hsp__model_set_metadata(model, name, text, err);
}

static hsp_status build_model_real(hsp_model *model, const char *name, double value, hsp_error *err)
{
    char text[HSP__DECIMAL_MAX];
    if (!isfinite(value)) return HSP_OK;
    hsp__decimal_print_f64(value, text);
    return hsp__model_set_metadata(model, name, text, err);
}

static hsp_status build_model_facts(hsp_context *ctx, const hsp__model_spec *spec, hsp_model *model,
                                    hsp_error *err)
{
    const hsp_training *run = spec->run;
    const hsp_convergence *convergence = &run->convergence;
    const hsp_experts_report *experts = &run->experts;
    const int converged = run->stop == HSP_STOP_CONVERGED;
    HSP__TRY(hsp__model_set_metadata(model, "learner", spec->learner->table.name, err));
    HSP__TRY(hsp__build_model_options(ctx, spec->options, model, err));
    HSP__TRY(build_model_count(model, "seed", spec->seed, err));
    HSP__TRY(build_model_count(model, "passes", run->passes, err));
    HSP__TRY(build_model_count(model, "updates", run->updates, err));
    if (!convergence->solver)
        HSP__TRY(build_model_count(model, "mistakes_last_pass", run->mistakes_last_pass, err));
    HSP__TRY(hsp__model_set_metadata(model, "converged", converged ? "true" : "false", err));
    HSP__TRY(hsp__model_set_metadata(model, "stop", hsp_stop_name(run->stop), err));
    if (convergence->solver) {
        HSP__TRY(hsp__model_set_metadata(model, "solver", convergence->solver, err));
        HSP__TRY(build_model_real(model, "lambda", convergence->lambda, err));
        HSP__TRY(build_model_real(model, "C", convergence->C, err));
        HSP__TRY(build_model_real(model, "objective", convergence->objective, err));
        HSP__TRY(build_model_real(model, "dual_objective", convergence->dual_objective, err));
        HSP__TRY(build_model_real(model, "gap", convergence->gap, err));
        if (convergence->support_vectors != UINT64_MAX)
            HSP__TRY(
                build_model_count(model, "support_vectors", convergence->support_vectors, err));
    }
    if (experts->count) { /* for audits */
        HSP__TRY(build_model_count(model, "experts", experts->count, err));
        HSP__TRY(build_model_count(model, "examples", experts->examples, err));
    }
    if (experts->count && !experts->several) {
        HSP__TRY(build_model_count(model, "mistakes", experts->mistakes, err));
        if (experts->randomized)
            HSP__TRY(build_model_real(model, "expected_mistakes", experts->expected, err));
        HSP__TRY(build_model_count(model, "best_column", experts->best, err));
        HSP__TRY(hsp__model_set_metadata(model, "best_negated", experts->negated ? "true" : "false",
                                         err));
        HSP__TRY(build_model_real(model, "best_mistakes", experts->best_mistakes, err));
        HSP__TRY(build_model_real(model, "mistake_bound", experts->bound, err));
    }
    if (run->parts) HSP__TRY(build_model_count(model, "parts", run->parts, err));
    HSP__TRY(build_model_real(model, "radius", run->radius, err));
    HSP__TRY(build_model_real(model, "online_error", run->online_error, err));
    HSP__TRY(build_model_count(model, "data_rows", run->rows, err));
    if (spec->data_hash)
        HSP__TRY(hsp__model_set_metadata(model, "data_hash", spec->data_hash, err));
    const char *precision = spec->precision == HSP_FLOAT64 ? "double" : "single";
    HSP__TRY(hsp__model_set_metadata(model, "precision", precision, err));
    if (spec->index_base)
        HSP__TRY(hsp__model_set_metadata(model, "index_base", spec->index_base, err));
    return hsp__model_set_metadata(model, "version", hsp_version(), err);
}

/* ---- The model ------------------------------------------------------------------------------- */

hsp_status hsp__build_model_fill(hsp_context *ctx, const hsp__model_spec *spec, hsp_model *model,
                                 hsp_error *err)
{
    model->tie = spec->tie;
    assert(spec->class_names->count >= 2 && spec->run);
    model->order = hsp__order_of(spec->storage);
    model->rest = spec->rest;
    model->leaves_out = spec->leaves_out;
    if (!hsp__names_copy(&model->class_names, spec->class_names) ||
        (spec->feature_names && !hsp__names_copy(&model->feature_names, spec->feature_names)))
        return hsp__fail_memory(err);
    hsp_status status = HSP_OK;
    if (spec->encoding)
        status = hsp__encoding_copy(&model->memory, spec->encoding, err, &model->encoding);
    return status ? status : build_model_facts(ctx, spec, model, err);
}

hsp__model_spec hsp__model_spec_of(hsp__train *train)
{
    hsp__prepared *prepared = &train->prepared;
    return (hsp__model_spec){.learner = train->learner,
                             .options = train->options,
                             .class_names = &prepared->data->class_names,
                             .feature_names = &prepared->data->feature_names,
                             .encoding = prepared->data->encoding,
                             .scalings = prepared->scalings,
                             .rest = prepared->rest,
                             .leaves_out = prepared->leaves_out,
                             .storage = prepared->view->storage,
                             .precision = prepared->view->precision,
                             .index_base = prepared->data->index_base,
                             .data_hash = train->hash,
                             .run = &train->run,
                             .tie = train->plan.tie,
                             .seed = train->plan.seed};
}

hsp_status hsp__build_model_begin(hsp_context *ctx, const hsp__model_spec *spec, uint32_t scorers,
                                  uint64_t features, hsp_error *err, hsp_model **out)
{
    hsp_model *model = NULL;
    HSP__TRY(hsp__model_new(ctx, scorers, features, err, &model));
    hsp_status status = hsp__build_model_fill(ctx, spec, model, err);
    if (status) hsp_model_free(model);
    if (!status) *out = model;
    return status;
}

hsp_status hsp__build_model_end(const hsp__model_spec *spec, hsp_model *model, hsp_error *err)
{
    int finite = 1;
    for (uint32_t c = 0; c < model->scorers; c++)
        finite &= isfinite(model->offsets[c]) != 0;
    for (uint64_t j = 0; model->weights && j < model->scorers * model->features; j++)
        finite &= isfinite(model->weights[j]) != 0;
    if (!finite)
        return hsp__fail(err, HSP_BAD_DATA,
                         "the weights overflow; scale the data (--scale or --normalize)");
    for (int i = 0; spec->scalings && i < HSP__MODEL_SCALINGS; i++) {
        model->scalings[i] = spec->scalings[i];
        spec->scalings[i] = NULL;
    }
    return HSP_OK;
}

/* ---- From the problems of two classes ---------------------------------------------------------
 */

void hsp__row_coefficients_free(const hsp_allocator *memory, hsp_row_coefficients *of)
{
    hsp__free(memory, (void *)(uintptr_t)of->row);
    hsp__free(memory, (void *)(uintptr_t)of->scorer);
    hsp__free(memory, (void *)(uintptr_t)of->amount);
    *of = (hsp_row_coefficients){0};
}

int hsp__row_coefficients_new(const hsp_allocator *memory, uint64_t count, uint64_t **row,
                              uint32_t **scorer, double **amount, hsp_row_coefficients *of)
{
    *row = hsp__new_raw(memory, count, sizeof **row);
    *scorer = hsp__new_raw(memory, count, sizeof **scorer);
    *amount = hsp__new_raw(memory, count, sizeof **amount);
    *of = (hsp_row_coefficients){count, *row, *scorer, *amount};
    return *row && *scorer && *amount;
}

static const double *build_model_of(const hsp__task *task, int expanded)
{
    return expanded && task->coefficients ? task->coefficients : task->amounts;
}

/* How often each row is in each task's w, by row, then task; `expanded`: in its scores, all
 * coefficients of those rows that any task uses. The arrays are the caller's. */
static hsp_status build_model_coefficients(const hsp__train *train, hsp_context *ctx, int expanded,
                                           hsp_error *err, hsp_row_coefficients *out)
{
    const hsp_allocator *memory = &ctx->allocator;
    const uint64_t n = train->prepared.view->rows;
    uint64_t *next = hsp__new(memory, n + 1, sizeof *next); /* where a row's next one goes */
    unsigned char *used = hsp__new(memory, n, sizeof *used);
    int room = next && used;
    for (int pass = 0; room && pass < 2; pass++) /* which rows are used, then how often */
        for (uint32_t c = 0; c < train->count; c++) {
            const hsp__task *task = &train->tasks[c];
            const double *a = build_model_of(task, expanded);
            for (uint64_t i = 0; a && i < task->problem.view->rows; i++) {
                const uint64_t row = hsp__task_row(task, i);
                if (pass) next[row + 1] += expanded ? used[row] : a[i] != 0;
                used[row] |= a[i] != 0;
            }
        }
    for (uint64_t i = 0; room && i < n; i++)
        next[i + 1] += next[i];
    uint64_t *row;
    uint32_t *scorer;
    double *amount;
    room =
        hsp__row_coefficients_new(memory, room ? next[n] : 0, &row, &scorer, &amount, out) && room;
    for (uint32_t c = 0; room && c < train->count; c++) {
        const hsp__task *task = &train->tasks[c];
        const double *a = build_model_of(task, expanded);
        for (uint64_t i = 0; a && i < task->problem.view->rows; i++) {
            const uint64_t at_row = hsp__task_row(task, i);
            if (expanded ? !used[at_row] : a[i] == 0) continue;
            const uint64_t at = next[at_row]++;
            row[at] = at_row;
            scorer[at] = c;
            amount[at] = a[i];
        }
    }
    assert(!room || !n || next[n - 1] == out->count);
    hsp__free(memory, next);
    hsp__free(memory, used);
    return room ? HSP_OK : hsp__fail_memory(err);
}

hsp_status hsp__build_model_rows(hsp_context *ctx, hsp_data *rows, const uint64_t *picked,
                                 uint64_t count, hsp_error *err, hsp_data **out)
{
    hsp_data *data = NULL;
    HSP__TRY(hsp_data_select(ctx, rows, picked, count, err, &data));
    hsp__free(&data->memory, data->labels);
    data->labels = NULL;
    data->view.labels = NULL;
    data->view.classes = 0;
    *out = data;
    return HSP_OK;
}

hsp_status hsp__build_model_copy_kernel(hsp_context *ctx, const hsp_kernel *kernel, hsp_error *err,
                                        hsp_kernel **out)
{
    return hsp_kernel_parse(ctx, hsp_kernel_text(kernel), 1, kernel->index_base, err, out);
}

hsp_status hsp__build_model_expansion(hsp_context *ctx, const hsp__train *train, uint32_t scorers,
                                      const hsp_row_coefficients *of, int wide, hsp_error *err,
                                      hsp_model **out)
{
    const hsp__train_kernel *k = &train->kernel;
    hsp_data *rows = NULL, *all = train->prepared.data;
    hsp_kernel *kernel = NULL;
    hsp_model *model = NULL;
    uint64_t count = 0, *picked = hsp__new_raw(&ctx->allocator, of->count, sizeof *picked);
    if (!picked) return hsp__fail_memory(err);
    for (uint64_t i = 0; i < of->count; i++) /* the distinct rows */
        if (!i || of->row[i] != of->row[i - 1]) picked[count++] = of->row[i];
    hsp_status status = hsp__build_model_rows(ctx, all, picked, count, err, &rows);
    if (!status && wide && rows->view.precision != HSP_FLOAT64) {
        const hsp_storage storage = rows->view.storage; /* kernel values in double */
        const hsp__storage_change plan = {.storage = storage == HSP_ONES ? HSP_SPARSE : storage,
                                          .precision = HSP_FLOAT64,
                                          .cols = rows->view.cols,
                                          .phase = "changing the storage"};
        hsp_data *narrow = rows;
        status = hsp__data_convert_storage(ctx, narrow, &plan, err, &rows);
        if (!status) hsp_data_free(narrow);
    }
    if (!status) status = hsp__build_model_copy_kernel(ctx, k->kernel, err, &kernel);
    if (status)
        hsp_data_free(rows);
    else
        status = hsp__model_new_expansion(ctx, scorers, all->view.cols, kernel, rows, err, &model);
    for (uint64_t i = 0; !status && i < count; i++)
        model->expansion->source[i] = hsp__train_source(k, picked[i]);
    for (uint64_t i = 0, at = 0; !status && i < of->count; i++) {
        while (picked[at] != of->row[i])
            at++;
        assert(of->scorer[i] < scorers);
        model->expansion->coefficients[of->scorer[i] * count + at] = of->amount[i];
    }
    hsp__free(&ctx->allocator, picked);
    if (!status) *out = model;
    return status;
}

hsp_status hsp__build_model_collapse(hsp_context *ctx, hsp_model **model, hsp_error *err)
{
    hsp_model *linear = NULL;
    if (!(*model)->expansion) return HSP_OK;
    hsp_status status = hsp__model_collapse(ctx, *model, err, &linear);
    if (status || !linear) return status;
    hsp_model_free(*model);
    *model = linear;
    return HSP_OK;
}

hsp_status hsp__build_model_tasks(hsp__train *train, hsp_context *ctx, int wide,
                                  const hsp__model_spec *spec, hsp_error *err, hsp_model **out)
{
    hsp_row_coefficients of = {0};
    hsp_model *model = NULL;
    hsp_status status = HSP_OK;
    const int kernel = train->plan.kernel;
    if (kernel) {
        status = build_model_coefficients(train, ctx, 1, err, &of);
        if (!status)
            status = hsp__build_model_expansion(ctx, train, train->count, &of, wide, err, &model);
        hsp__row_coefficients_free(&ctx->allocator, &of);
    } else {
        status = hsp__model_new(ctx, train->count, 0, err, &model);
    }
    if (status) return status;
    for (uint32_t c = 0; c < train->count; c++)
        model->offsets[c] = train->tasks[c].solution.b;
    if (!kernel) { /* the weights change hands: two of them may be as large as the data */
        hsp__free(&model->memory, model->weights);
        model->features = train->prepared.view->cols;
        model->weights = train->weights;
        train->weights = NULL;
    }
    if (hsp__reduce_pairs(train)) /* of a kernel machine so that an export is exact */
        model->pairs = train->is_native ? HSP__PAIRS_FIRST : HSP__PAIRS_SUM;
    status = hsp__build_model_fill(ctx, spec, model, err);
    if (!status) status = hsp__build_model_collapse(ctx, &model, err);
    int kept = 0;
    for (uint32_t c = 0; c < train->count; c++)
        kept |= train->tasks[c].amounts != NULL;
    if (!status && kept && (train->plan.keep_dual || !train->plan.solver)) {
        status = build_model_coefficients(train, ctx, 0, err, &model->updates);
        const uint64_t *place = train->prepared.place;
        for (uint64_t k = 0; place && !status && k < model->updates.count; k++)
            ((uint64_t *)(uintptr_t)model->updates.row)[k] = place[model->updates.row[k]];
    }
    if (!status) status = hsp__build_model_end(spec, model, err);
    if (status) hsp_model_free(model);
    if (!status) *out = model;
    return status;
}
