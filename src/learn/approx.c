#include "learn/approx.h"

#include <stdlib.h>
#include <string.h>

#include "base/context.h"
#include "base/decimal.h"
#include "base/error.h"
#include "base/memory.h"
#include "data/formats.h"
#include "kernel/approx.h"
#include "learn/derive.h"
#include "learn/kernel_option.h"
#include "learn/outcome.h"
#include "learn/prepare.h"

#define APPROX_MOST 100000 /* landmarks: their matrix alone takes 80 GB then */

typedef struct approx_work {
    hsp_context *ctx;
    hsp_data *data;
    const hsp_options *options;
    uint64_t seed, count;
    int fourier;
    hsp_kernel *kernel;
    hsp__approx map;
    hsp_data *features;
    hsp__approx_error error;
} approx_work;

int hsp__approx_wanted(const hsp_options *options)
{
    return hsp__options_have(options, "approx") && hsp_options_text(options, "approx");
}

/* ---- What is asked for ----------------------------------------------------------------------- */

static hsp_status approx_read(approx_work *work, hsp_error *err)
{
    const char *text = hsp_options_text(work->options, "approx"), *end = text + strlen(text);
    hsp__decimal_result result = HSP__DECIMAL_NONE;
    work->fourier = strncmp(text, "fourier:", 8) == 0;
    const int named = work->fourier || strncmp(text, "nystrom:", 8) == 0;
    const char *read = named ? hsp__decimal_u64(text + 8, end, &work->count, &result) : text;
    if (named && read == end && result == HSP__DECIMAL_OK && work->count >= 1 &&
        work->count <= APPROX_MOST)
        return HSP_OK;
    return hsp__fail_at(err, HSP_USAGE, "--approx", 0, 0,
                        "found '%.40s', expected nystrom:M or fourier:M with M from 1 to %d", text,
                        APPROX_MOST);
}

/* What is about columns would be about those of the features. */
static hsp_status approx_check(const approx_work *work, hsp_error *err)
{
    static const char *const columns[] = {"scale", "normalize"};
    static const char *const others[] = {"row-weight", "trace", "reference", "start"};
    const hsp_options *options = work->options;
    if (!hsp_options_text(options, "kernel"))
        return hsp__fail_at(err, HSP_USAGE, "--approx", 0, 0,
                            "approx is about a kernel: it needs kernel");
    for (size_t k = 0; k < sizeof columns / sizeof *columns; k++)
        if (hsp__options_have(options, columns[k]) &&
            !hsp__options_say(options, columns[k], "none"))
            return hsp__fail_at(err, HSP_USAGE, "--approx", 0, 0,
                                "approx takes rows as they are: scale the file first, without %s",
                                columns[k]);
    for (size_t k = 0; k < sizeof others / sizeof *others; k++)
        if (hsp__options_have(options, others[k]) && hsp_options_text(options, others[k]))
            return hsp__fail_at(err, HSP_USAGE, "--approx", 0, 0,
                                "%s is about the columns of the file, and approx learns from "
                                "others",
                                others[k]);
    if (hsp__options_say(options, "average", "vote"))
        return hsp__fail_at(err, HSP_USAGE, "--approx", 0, 0,
                            "votes keep rows of features: use average none or average");
    return HSP_OK;
}

static hsp_status approx_kernel(approx_work *work, hsp_error *err)
{
    const hsp_view *view = NULL;
    hsp_status status = hsp_data_view(work->ctx, work->data, err, &view);
    if (!status)
        status = hsp__kernel_option(work->ctx, work->options, work->data, view, err, &work->kernel);
    if (!status && hsp__kernel_is_precomputed(work->kernel))
        status = hsp__fail_at(err, HSP_USAGE, "--approx", 0, 0,
                              "a precomputed kernel is there already: nothing is saved");
    return status;
}

static hsp_status approx_features(approx_work *work, hsp_error *err)
{
    hsp_context *ctx = work->ctx;
    const hsp__approx_error *found = &work->error;
    hsp_status status = work->fourier
                            ? hsp__approx_fourier(ctx, work->kernel, work->data->view.cols,
                                                  work->count, work->seed, err, &work->map)
                            : hsp__approx_nystrom(ctx, work->kernel, work->data, work->count,
                                                  work->seed, err, &work->map);
    if (!status) status = hsp__approx_features(ctx, &work->map, work->data, err, &work->features);
    if (!status)
        status = hsp__approx_measure(ctx, &work->map, work->data, work->features, work->seed, err,
                                     &work->error);
    if (!status)
        hsp__log(ctx, HSP_LOG_NOTE,
                 "%llu features; over all pairs of %llu random rows they miss the kernel by %.3g "
                 "in the mean square, %.3g at most; its own size is %.3g",
                 (unsigned long long)work->map.rank, (unsigned long long)found->rows, found->root,
                 found->most, found->size);
    return status;
}

/* ---- The model ------------------------------------------------------------------------------- */

/* An expansion on the landmarks, which become the model's; coefficients from the weights. */
static hsp_status approx_expand(approx_work *work, const hsp_model *linear, hsp_error *err,
                                hsp_model **out)
{
    const uint64_t rank = work->map.rank;
    hsp_model *model = NULL;
    hsp_kernel **kernel = work->fourier ? &work->map.wave : &work->kernel, *taken = *kernel;
    hsp_data *rows = work->map.rows;
    *kernel = NULL;
    work->map.rows = NULL;
    hsp_status status = hsp__model_new_expansion(work->ctx, linear->scorers, work->data->view.cols,
                                                 taken, rows, err, &model);
    if (status) return status;
    for (uint32_t c = 0; c < linear->scorers; c++) {
        double *to = model->expansion->coefficients + c * rank;
        memcpy(to, linear->weights + c * linear->features, rank * sizeof *to);
        hsp__approx_turn(&work->map, to);
        model->offsets[c] = linear->offsets[c];
    }
    memcpy(model->expansion->source, work->map.source, rank * sizeof *work->map.source);
    model->pairs = linear->pairs;
    model->tie = linear->tie;
    model->order = hsp__order_of(work->data->view.storage);
    model->rest = linear->rest;
    model->leaves_out = linear->leaves_out;
    *out = model;
    return HSP_OK;
}

static hsp_status approx_number(hsp_model *model, const char *name, double value, hsp_error *err)
{
    char text[HSP__DECIMAL_MAX];
    hsp__decimal_print_f64(value, text);
    return hsp__model_set_fact(model, name, text, err);
}

/* Facts of the run, but for those that are of the features; then our own. */
static hsp_status approx_facts(const approx_work *work, const hsp_model *linear, hsp_model *model,
                               hsp_error *err)
{
    const hsp_data *data = work->data;
    char hash[HSP__HASH_TEXT];
    hsp_status status = HSP_OK;
    for (size_t i = 0; !status && hsp_model_fact_name(linear, i); i++) {
        const char *name = hsp_model_fact_name(linear, i);
        status = hsp__model_set_fact(model, name, hsp_model_fact(linear, name), err);
    }
    if (!status) status = hsp__outcome_options(work->ctx, work->options, model, err);
    if (!status) status = hsp__view_hash(work->ctx, &data->view, err, hash);
    if (!status) status = hsp__model_set_fact(model, "data_hash", hash, err);
    if (!status && data->index_base)
        status = hsp__model_set_fact(model, "index_base", data->index_base, err);
    if (!status) status = approx_number(model, "approx_features", (double)work->map.rank, err);
    if (!status) status = approx_number(model, "approx_error", work->error.root, err);
    if (!status) status = approx_number(model, "approx_error_most", work->error.most, err);
    if (!status) status = approx_number(model, "approx_size", work->error.size, err);
    return status;
}

static hsp_status approx_names(const approx_work *work, const hsp_model *linear, hsp_model *model,
                               hsp_error *err)
{
    const hsp_data *data = work->data;
    if (!hsp__names_copy(&model->class_names, &linear->class_names) ||
        !hsp__names_copy(&model->feature_names, &data->feature_names))
        return hsp__fail_memory(err);
    if (!data->encoding) return HSP_OK;
    return hsp__encoding_copy(&model->memory, data->encoding, err, &model->encoding);
}

static hsp_status approx_model(approx_work *work, hsp_model *linear, hsp_error *err,
                               hsp_model **out)
{
    hsp_model *model = NULL;
    hsp_status status = approx_expand(work, linear, err, &model);
    if (!status) status = approx_facts(work, linear, model, err);
    if (!status) status = approx_names(work, linear, model, err);
    if (status) {
        hsp_model_free(model);
        return status;
    }
    model->probability = linear->probability; /* scores are the same: so is what they mean */
    linear->probability = (hsp__probability){0};
    *out = model;
    return HSP_OK;
}

/* ---- The run --------------------------------------------------------------------------------- */

static hsp_status approx_learn(approx_work *work, hsp_error *err, hsp_training *run,
                               hsp_model **out)
{
    static const char *const skip[] = {"kernel",   "approx", "allow-indefinite",
                                       "cache-mb", "budget", NULL};
    hsp_options *options = NULL;
    hsp_model *linear = NULL;
    hsp_training done = {0};
    hsp_status status = hsp__options_derive(work->ctx, work->options, skip, err, &options);
    if (status) return status;
    status = hsp_train(work->ctx, work->features, options, err, &done, &linear);
    if (!status && linear) status = approx_model(work, linear, err, out);
    if (!status && run) *run = done;
    if (status || !run) hsp_evidence_free(done.evidence);
    hsp_model_free(linear);
    hsp_options_free(options);
    return status;
}

hsp_status hsp__approx_train(hsp_context *ctx, hsp_data *data, const hsp_options *options,
                             hsp_error *err, hsp_training *run, hsp_model **out)
{
    approx_work work = {.ctx = ctx, .data = data, .options = options, .seed = 1};
    if (hsp__options_have(options, "seed"))
        work.seed = (uint64_t)hsp_options_integer(options, "seed");
    hsp_status status = approx_read(&work, err);
    if (!status) status = approx_check(&work, err);
    if (!status) status = approx_kernel(&work, err);
    if (!status) status = approx_features(&work, err);
    if (!status) status = approx_learn(&work, err, run, out);
    hsp__approx_free(ctx, &work.map);
    hsp_data_free(work.features);
    hsp_kernel_free(work.kernel);
    return status;
}
