#include "learn/kernel/approx.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "base/context.h"
#include "base/decimal.h"
#include "base/error.h"
#include "base/memory.h"
#include "data/formats.h"
#include "kernel/feature_map.h"
#include "learn/option_helpers.h"
#include "learn/kernel/kernel_option.h"
#include "learn/training_error.h"
#include "learn/build_model.h"
#include "learn/prepare.h"

#define APPROX_MOST 100000 /* landmarks: their matrix alone takes 80 GB then */

typedef struct hsp__approx_work {
    hsp_context *ctx;
    hsp_context *asked; /* the same, but while the model is made */
    hsp_data *given;
    const hsp_options *options;
    hsp__prepared prepared;
    hsp_data *data; /* the prepared rows */
    uint64_t seed, count;
    int fourier;
    hsp_kernel *kernel;
    hsp__approx map;
    hsp_data *features;
    hsp_options *inner; /* of the learner, for features */
    hsp_model *begin;   /* where it begins, as a model of features; NULL: at zero */
    hsp__approx_error error;
} approx_work;

int hsp__approx_wanted(const hsp_options *options)
{
    return hsp__option_text(options, "approx") != NULL;
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

static hsp_status approx_check(const approx_work *work, hsp_error *err)
{
    static const char *const others[] = {"trace", "reference"};
    const hsp_options *options = work->options;
    if (!hsp_options_text(options, "kernel"))
        return hsp__fail_at(err, HSP_USAGE, "--approx", 0, 0, "needs --kernel");
    for (size_t k = 0; k < sizeof others / sizeof *others; k++)
        if (hsp__option_text(options, others[k]))
            return hsp__fail_at(
                err, HSP_USAGE, "--approx", 0, 0,
                "%s refers to the columns of the file, but --approx trains on other features",
                others[k]);
    return HSP_OK;
}

/* The rows as the learner is to see them, and the kernel. */
static hsp_status approx_kernel(approx_work *work, hsp_error *err)
{
    hsp_status status = hsp__prepare(work->ctx, work->given, work->options, err, &work->prepared);
    if (status) return status;
    work->data = work->prepared.data;
    status = hsp__kernel_option(work->ctx, work->options, work->given, work->prepared.view, err,
                                &work->kernel);
    if (!status && hsp__kernel_is_precomputed(work->kernel))
        status = hsp__fail_at(err, HSP_USAGE, "--approx", 0, 0,
                              "a precomputed kernel needs no approximation");
    return status;
}

/* Weights of rows go with their features. */
static hsp_status approx_weights(approx_work *work, hsp_error *err)
{
    hsp_data *to = work->features;
    const uint64_t n = to->view.rows;
    hsp__free(&to->memory, to->row_weights);
    to->row_weights = NULL;
    if (!work->prepared.weight) return HSP_OK;
    to->row_weights = hsp__new_raw(&to->memory, n, sizeof *to->row_weights);
    if (!to->row_weights) return hsp__fail_memory(err);
    memcpy(to->row_weights, work->prepared.weight, n * sizeof *to->row_weights);
    return HSP_OK;
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
    if (!status) status = approx_weights(work, err);
    if (!status)
        status = hsp__approx_measure(ctx, &work->map, work->data, work->features, work->seed, err,
                                     &work->error);
    if (!status)
        hsp__log(ctx, HSP_LOG_NOTE,
                 "%llu features; over all pairs of %llu random rows the root mean square error of "
                 "the kernel is %.3g, the largest %.3g; the kernel's own root mean square is %.3g",
                 (unsigned long long)work->map.rank, (unsigned long long)found->rows, found->root,
                 found->most, found->size);
    return status;
}

/* ---- The model ------------------------------------------------------------------------------- */

/* The kernel that the model's scores are made with. */
static hsp_kernel **approx_own(approx_work *work)
{
    return work->fourier ? &work->map.wave : &work->kernel;
}

/* An expansion on the landmarks, which become the model's; coefficients from the weights. */
static hsp_status approx_expand(approx_work *work, const hsp_model *linear, hsp_error *err,
                                hsp_model **out)
{
    const uint64_t rank = work->map.rank;
    hsp_model *model = NULL;
    assert(linear->features == rank);
    hsp_kernel **kernel = approx_own(work), *taken = *kernel;
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
    for (uint64_t k = 0; k < rank; k++)
        model->expansion->source[k] = work->map.source[k];
    *out = model;
    return HSP_OK;
}

/* An update by phi(x) is one by every landmark: c = L^-T phi(x), times its amount. */
static void approx_fill_votes(const approx_work *work, const hsp__votes *from, double *c,
                              hsp__votes *to)
{
    const uint64_t rank = work->map.rank;
    const hsp_view *view = &from->rows->view;
    for (uint64_t u = 0; u < from->updates; u++) {
        const hsp__row row = hsp__view_row(view, from->support[u]);
        hsp__tick(work->asked); /* the model is made whole all the same */
        memset(c, 0, rank * sizeof *c);
        for (uint64_t k = 0; k < row.count; k++)
            c[hsp__row_column(&row, k)] = hsp__row_value(view, &row, k);
        hsp__approx_turn(&work->map, c);
        for (uint64_t k = 0; k < rank; k++) {
            const uint64_t at = u * rank + k;
            to->support[at] = (uint32_t)k;
            to->scorer[at] = from->scorer[u];
            to->amount[at] = from->amount[u] * c[k];
            to->offset[at] = k ? 0 : from->offset[u];
        }
    }
    for (uint64_t t = 0; t <= from->steps; t++)
        to->first[t] = from->first[t] * rank;
    if (from->steps) memcpy(to->survived, from->survived, from->steps * sizeof *to->survived);
    to->apart = from->apart;
    to->at_zero = from->at_zero;
}

/* The same separators in the same sequence, as votes with the kernel. */
static hsp_status approx_votes(approx_work *work, const hsp_model *linear, hsp_error *err,
                               hsp_model *model)
{
    const hsp_allocator *memory = &model->memory;
    const hsp__votes *from = linear->votes;
    const uint64_t rank = work->map.rank;
    hsp__votes *to = hsp__new(memory, 1, sizeof *to);
    double *c = hsp__new_raw(memory, rank, sizeof *c);
    model->votes = to; /* freed with the model, whatever happens */
    model->hypothesis = HSP__VOTES;
    if (to && from->updates <= UINT64_MAX / rank) {
        to->updates = from->updates * rank;
        to->steps = from->steps;
        to->support = hsp__new_raw(memory, to->updates, sizeof *to->support);
        to->scorer = hsp__new_raw(memory, to->updates, sizeof *to->scorer);
        to->amount = hsp__new_raw(memory, to->updates, sizeof *to->amount);
        to->offset = hsp__new_raw(memory, to->updates, sizeof *to->offset);
        to->first = hsp__new_raw(memory, to->steps + 1, sizeof *to->first);
        to->survived = hsp__new_raw(memory, to->steps, sizeof *to->survived);
    }
    if (c && to && to->support && to->scorer && to->amount && to->offset && to->first &&
        to->survived) {
        approx_fill_votes(work, from, c, to);
        to->rows = work->map.rows;
        to->kernel = *approx_own(work);
        work->map.rows = NULL;
        *approx_own(work) = NULL;
    }
    hsp__free(memory, c);
    return to && to->rows ? HSP_OK : hsp__fail_memory(err);
}

static hsp_status approx_voters(approx_work *work, const hsp_model *linear, hsp_error *err,
                                hsp_model **out)
{
    hsp_model *model = NULL;
    hsp_status status = hsp__model_new(work->ctx, linear->scorers, 0, err, &model);
    if (status) return status;
    hsp__free(&model->memory, model->weights);
    model->weights = NULL;
    model->features = work->data->view.cols;
    memcpy(model->offsets, linear->offsets, linear->scorers * sizeof *model->offsets);
    status = approx_votes(work, linear, err, model);
    if (status)
        hsp_model_free(model);
    else
        *out = model;
    return status;
}

static hsp_status approx_number(hsp_model *model, const char *name, double value, hsp_error *err)
{
    char text[HSP__DECIMAL_MAX];
    hsp__decimal_print_f64(value, text);
    return hsp__model_set_metadata(model, name, text, err);
}

/* Facts of the run, but for those that are of the features; then our own. */
static hsp_status approx_facts(const approx_work *work, const hsp_model *linear, hsp_model *model,
                               hsp_error *err)
{
    const hsp_data *data = work->given;
    char hash[HSP__HASH_TEXT];
    hsp_status status = HSP_OK;
    for (size_t i = 0; !status && hsp_model_metadata_name(linear, i); i++) {
        const char *name = hsp_model_metadata_name(linear, i);
        if (strcmp(name, "earlier_data_hashes") == 0 || strcmp(name, "data_hash_single") == 0)
            continue; /* of features, not of rows */
        status = hsp__model_set_metadata(model, name, hsp_model_metadata(linear, name), err);
    }
    if (!status) status = hsp__build_model_options(work->ctx, work->options, model, err);
    if (!status) status = hsp__view_hash(work->ctx, &data->view, err, hash);
    if (!status) status = hsp__model_set_metadata(model, "data_hash", hash, err);
    if (!status && data->index_base)
        status = hsp__model_set_metadata(model, "index_base", data->index_base, err);
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

/* What is the same in a model of features: how its scores decide, and what they mean. */
static void approx_take(approx_work *work, hsp_model *linear, hsp_model *model)
{
    model->pairs = linear->pairs;
    model->tie = linear->tie;
    model->order = hsp__order_of(work->data->view.storage);
    model->rest = work->prepared.rest;
    model->leaves_out = work->prepared.leaves_out;
    model->probability = linear->probability;
    linear->probability = (hsp__probability){0};
    for (int i = 0; i < HSP__MODEL_SCALINGS; i++) {
        model->scalings[i] = work->prepared.scalings[i];
        work->prepared.scalings[i] = NULL;
    }
    if (!hsp__option_flag(work->options, "keep-dual")) return;
    model->updates = linear->updates; /* of a model that another run may begin at */
    linear->updates = (hsp_row_coefficients){0};
}

static hsp_status approx_model(approx_work *work, hsp_model *linear, hsp_error *err,
                               hsp_model **out)
{
    hsp_model *model = NULL;
    hsp_status status = linear->votes ? approx_voters(work, linear, err, &model)
                                      : approx_expand(work, linear, err, &model);
    if (!status) status = approx_facts(work, linear, model, err);
    if (!status) status = approx_names(work, linear, model, err);
    if (status) {
        hsp_model_free(model);
        return status;
    }
    approx_take(work, linear, model);
    *out = model;
    return HSP_OK;
}

/* The training error of the model as it scores: by the kernel, whose sums are rounded otherwise
 * than those of the features were. */
static hsp_status approx_measure(const approx_work *work, hsp_model *model, hsp_error *err,
                                 hsp_training *run)
{
    uint64_t wrong = 0;
    hsp__stop brief;
    hsp_context last = hsp__stop_brief(&brief, work->ctx);
    const hsp_status status =
        hsp__training_error_scored(&last, model, &work->prepared.base->view, NULL, err, &wrong);
    return hsp__training_error_report(status, wrong, model, err, run);
}

/* ---- Beginning at a model -------------------------------------------------------------------- */

/* Is it of the same features: the same landmarks or waves, and the same kernel? */
static hsp_status approx_alike(approx_work *work, const hsp_model *start, hsp_error *err,
                               int *alike)
{
    const hsp__expansion *from = start->expansion;
    char theirs[HSP__HASH_TEXT], ours[HSP__HASH_TEXT];
    *alike = from && from->rows->view.rows == work->map.rank &&
             strcmp(hsp_kernel_text(from->kernel), hsp_kernel_text(*approx_own(work))) == 0;
    for (uint64_t k = 0; *alike && k < work->map.rank; k++)
        *alike = from->source[k] == work->map.source[k];
    if (!*alike) return HSP_OK;
    hsp_status status = hsp__view_hash(work->ctx, &from->rows->view, err, theirs);
    if (!status) status = hsp__view_hash(work->ctx, &work->map.rows->view, err, ours);
    if (!status) *alike = strcmp(theirs, ours) == 0;
    return status;
}

static hsp_status approx_copy_updates(const hsp_row_coefficients *from, hsp_model *to,
                                      hsp_error *err)
{
    const uint64_t n = from->count;
    uint64_t *row = hsp__new_raw(&to->memory, n, sizeof *row);
    uint32_t *scorer = hsp__new_raw(&to->memory, n, sizeof *scorer);
    double *amount = hsp__new_raw(&to->memory, n, sizeof *amount);
    to->updates = (hsp_row_coefficients){n, row, scorer, amount}; /* freed with the model */
    if (!row || !scorer || !amount) return hsp__fail_memory(err);
    for (uint64_t k = 0; k < n; k++) {
        row[k] = from->row[k];
        scorer[k] = from->scorer[k];
        amount[k] = from->amount[k];
    }
    return HSP_OK;
}

/* Weights from the coefficients, w = L^T c; dual weights if both are of the same rows. */
static hsp_status approx_weigh(approx_work *work, const hsp_model *start, hsp_error *err,
                               hsp_model *to)
{
    const uint64_t rank = work->map.rank;
    const char *theirs = hsp_model_metadata(start, "data_hash");
    char hash[HSP__HASH_TEXT];
    for (uint32_t c = 0; c < start->scorers; c++) {
        double *w = to->weights + c * rank;
        memcpy(w, start->expansion->coefficients + c * rank, rank * sizeof *w);
        hsp__approx_turn_back(&work->map, w);
        to->offsets[c] = start->offsets[c];
    }
    to->pairs = start->pairs;
    to->tie = start->tie;
    to->order = HSP__ORDER_DENSE;
    if (!hsp__names_copy(&to->class_names, &start->class_names)) return hsp__fail_memory(err);
    hsp_status status = hsp__view_hash(work->ctx, &work->given->view, err, hash);
    if (status || !theirs || strcmp(theirs, hash) != 0) return status;
    status = hsp__view_hash(work->ctx, &work->features->view, err, hash);
    if (!status) status = hsp__model_set_metadata(to, "data_hash", hash, err);
    return status ? status : approx_copy_updates(&start->updates, to, err);
}

/* The start as a model of the features; none when it is of others, which only matters to one who
 * asked for it by name. */
static hsp_status approx_begin(approx_work *work, const hsp_model *start, hsp_error *err,
                               hsp_model **out)
{
    const char *path = hsp__option_text(work->options, "warm-start");
    hsp_model *made = NULL;
    int alike = 0;
    if (!start) return HSP_OK;
    hsp_status status = approx_alike(work, start, err, &alike);
    if (!status && !alike && path)
        status = hsp__fail_at(err, HSP_USAGE, path, 0, 0,
                              "the warm-start model has other features; --approx needs a model "
                              "with the same rows, kernel, approx and seed");
    if (!status && alike)
        status = hsp__model_new(work->ctx, start->scorers, work->map.rank, err, &made);
    if (!status && alike) status = approx_weigh(work, start, err, made);
    if (status)
        hsp_model_free(made);
    else
        *out = made;
    return status;
}

/* ---- The run --------------------------------------------------------------------------------- */

/* The learner's own options: of rows that are prepared already. */
static hsp_status approx_options(const approx_work *work, hsp_error *err, hsp_options **out)
{
    static const char *const skip[] = {"kernel",   "approx",     "allow-indefinite", "cache-mb",
                                       "budget",   "scale",      "normalize",        "classes",
                                       "positive", "row-weight", "warm-start",       "max-seconds",
                                       NULL};
    hsp_options *made = NULL;
    hsp_status status = hsp__options_without(work->ctx, work->options, skip, err, &made);
    if (status)
        hsp_options_free(made);
    else
        *out = made;
    return status;
}

/* Rows of evidence as the data has them. */
static hsp_status approx_evidence(const approx_work *work, hsp_evidence *evidence, hsp_error *err)
{
    uint64_t *origin = NULL;
    if (!evidence) return HSP_OK;
    hsp_status status =
        hsp__prepare_origin(work->ctx, work->given, work->options, &work->prepared, err, &origin);
    for (uint64_t k = 0; !status && origin && k < evidence->count; k++)
        evidence->row[k] = origin[evidence->row[k]];
    hsp__free(&work->ctx->allocator, origin);
    return status;
}

hsp_status hsp__approx_open(hsp__approx_step *step, hsp_context *ctx, hsp_error *err)
{
    const hsp_options *options = step->options;
    approx_work *work = hsp__new(&ctx->allocator, 1, sizeof *work);
    hsp_options *inner = NULL;
    if (!work) return hsp__fail_memory(err);
    step->work = work;
    work->ctx = work->asked = ctx;
    work->given = step->rows;
    work->options = options;
    work->seed = hsp__option_integer(options, "seed", 1);
    /* of all, not of the learner alone */
    hsp__stop_limit(ctx, hsp__option_real(options, "max-seconds", 0));
    hsp_status status = approx_read(work, err);
    if (!status) status = approx_check(work, err);
    if (!status) status = approx_kernel(work, err);
    if (!status) status = approx_features(work, err);
    if (!status) status = approx_options(work, err, &inner);
    work->inner = inner;
    if (!status) status = approx_begin(work, step->start, err, &work->begin);
    if (status) return status;
    step->rows = work->features;
    step->options = inner;
    step->start = work->begin;
    return HSP_OK;
}

hsp_status hsp__approx_finish(hsp__approx_step *step, hsp_error *err, hsp_training *run,
                              hsp_model **model)
{
    approx_work *work = step->work;
    hsp_context unasked = hsp__stop_none(work->asked);
    hsp_model *linear = *model;
    work->ctx = &unasked; /* a stopped run still hands out its model */
    hsp_status status = approx_evidence(work, run->evidence, err);
    *model = NULL;
    if (!status && linear) status = approx_model(work, linear, err, model);
    work->ctx = work->asked;
    if (!status && linear) status = approx_measure(work, *model, err, run);
    hsp_model_free(linear);
    return status;
}

void hsp__approx_close(hsp__approx_step *step)
{
    approx_work *work = step->work;
    if (!work) return;
    const hsp_allocator memory = work->ctx->allocator;
    hsp__approx_free(work->ctx, &work->map);
    hsp_data_free(work->features);
    hsp_kernel_free(work->kernel);
    hsp_options_free(work->inner);
    hsp_model_free(work->begin);
    hsp__prepared_free(&work->prepared);
    hsp__free(&memory, work);
}
