#include "learn/kernel/approx.h"

#include <stdlib.h>

#include "base/base.h"
#include "base/decimal.h"
#include "base/ranks.h"
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
    hsp_kernel *kernel, **own; /* own: the one that the model's scores are made with */
    hsp__approx map;
    hsp_data *features; /* its shard.ranks: of these each has its own rows alone */
    hsp_options *inner; /* of the learner, for features */
    hsp_model *begin;   /* where it begins, as a model of features; NULL: at zero */
    hsp__approx_error error;
} approx_work;

/* ---- What is asked for ----------------------------------------------------------------------- */

static hsp_status approx_read(approx_work *work, hsp_error *err)
{
    static const char *const others[] = {"trace", "reference"};
    const char *text = hsp_options_text(work->options, "approx"), *end = text + strlen(text);
    hsp__decimal_result result = HSP__DECIMAL_NONE;
    work->fourier = strncmp(text, "fourier:", 8) == 0;
    const int named = work->fourier || strncmp(text, "nystrom:", 8) == 0;
    const char *read = named ? hsp__decimal_u64(text + 8, end, &work->count, &result) : text;
    if (!named || read != end || result != HSP__DECIMAL_OK || work->count < 1 ||
        work->count > APPROX_MOST)
        return hsp__fail_option(
            err, "--approx", "found '%.40s', expected nystrom:M or fourier:M with M from 1 to %d",
            text, APPROX_MOST);
    if (!hsp_options_text(work->options, "kernel"))
        return hsp__fail_option(err, "--approx", "needs --kernel");
    for (size_t k = 0; k < sizeof others / sizeof *others; k++)
        if (hsp__option_text(work->options, others[k]))
            return hsp__fail_option(
                err, "--approx",
                "%s refers to the columns of the file, but --approx trains on other features",
                others[k]);
    return HSP_OK;
}

/* Can the learner work on features that are divided among ranks? As in train_shard (train.c). */
static int approx_divides(const approx_work *work, int starts)
{
    const hsp__learner *learner = hsp__learner_of(work->inner);
    return work->ctx->ranks && !starts && !work->prepared.weight && learner->sharded &&
           learner->sharded(work->data, work->data->view.rows * work->map.rank, work->inner) &&
           work->prepared.base->view.rows == work->data->view.rows;
}

/* The features of all rows; or, among ranks that stop together from now on, of this rank's. */
static hsp_status approx_map(approx_work *work, int divided, hsp_error *err)
{
    hsp_context *ctx = work->ctx;
    hsp__shard shard = {.rows = work->data->view.rows};
    uint64_t first = 0, count = shard.rows;
    if (divided) {
        shard.ranks = ctx->stop->ranks = ctx->ranks;
        hsp__ranks_blocks(shard.ranks, shard.ranks->rank, &shard.from, &shard.to);
        hsp__shard_rows(&shard, &first, &count);
    }
    uint64_t *list = hsp__new_raw(&ctx->allocator, count, sizeof *list);
    for (uint64_t i = 0; list && i < count; i++)
        list[i] = first + i;
    hsp_status status =
        list ? hsp__approx_features(ctx, &work->map, work->data, list, count, err, &work->features)
             : hsp__fail_memory(err);
    hsp__free(&ctx->allocator, list);
    status = hsp__ranks_agree(shard.ranks, status, err);
    if (!status) work->features->shard = shard;
    return status;
}

/* The rows as the learner is to see them, the kernel, and what makes features of a row. */
static hsp_status approx_prepare(approx_work *work, hsp_error *err)
{
    hsp_context *ctx = work->ctx;
    HSP__TRY(hsp__prepare(ctx, work->given, work->options, NULL, err, &work->prepared));
    hsp_data *data = work->data = work->prepared.data;
    HSP__TRY(hsp__kernel_option(ctx, work->options, work->given, work->prepared.view, err,
                                &work->kernel));
    if (hsp__kernel_is_precomputed(work->kernel))
        return hsp__fail_option(err, "--approx", "a precomputed kernel needs no approximation");
    HSP__TRY(work->fourier ? hsp__approx_fourier(ctx, work->kernel, data->view.cols, work->count,
                                                 work->seed, err, &work->map)
                           : hsp__approx_nystrom(ctx, work->kernel, data, work->count, work->seed,
                                                 err, &work->map));
    return hsp__approx_measure(ctx, &work->map, data, work->seed, err, &work->error);
}

static hsp_status approx_features(approx_work *work, int starts, hsp_error *err)
{
    hsp_context *ctx = work->ctx;
    const hsp__approx_error *found = &work->error;
    HSP__TRY(hsp__ranks_agree(ctx->ranks, approx_prepare(work, err), err));
    HSP__TRY(approx_map(work, approx_divides(work, starts), err));
    hsp_data *to = work->features;
    if (work->prepared.weight) { /* weights of rows go with their features */
        to->row_weights = hsp__new_raw(&to->memory, to->view.rows, sizeof *to->row_weights);
        if (!to->row_weights) return hsp__fail_memory(err);
        memcpy(to->row_weights, work->prepared.weight, to->view.rows * sizeof *to->row_weights);
    }
    hsp__log(ctx, HSP_LOG_NOTE,
             "%llu features; over all pairs of %llu random rows the root mean square error of "
             "the kernel is %.3g, the largest %.3g; the kernel's own root mean square is %.3g",
             (unsigned long long)work->map.rank, (unsigned long long)found->rows, found->root,
             found->most, found->size);
    /* The kernel that the model's scores are made with. */
    work->own = work->fourier ? &work->map.wave : &work->kernel;
    return HSP_OK;
}

/* ---- The model ------------------------------------------------------------------------------- */

/* An expansion on the landmarks, which become the model's; coefficients from the weights. */
static hsp_status approx_expand(approx_work *work, const hsp_model *linear, hsp_error *err,
                                hsp_model **out)
{
    const uint64_t rank = work->map.rank;
    hsp_model *model = NULL;
    assert(linear->features == rank);
    hsp_kernel *kernel = *work->own;
    hsp_data *rows = work->map.rows;
    *work->own = NULL;
    work->map.rows = NULL;
    HSP__TRY(hsp__model_new_expansion(work->ctx, linear->scorers, work->data->view.cols, kernel,
                                      rows, err, &model));
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
static hsp_status approx_experts(approx_work *work, const hsp_model *linear, hsp_error *err,
                                 hsp_model **out)
{
    const hsp__votes *from = linear->votes;
    const uint64_t rank = work->map.rank;
    HSP__TRY(hsp__model_new(work->ctx, linear->scorers, 0, err, out));
    hsp_model *model = *out; /* the caller frees it, whatever happens */
    const hsp_allocator *memory = &model->memory;
    hsp__free(memory, model->weights);
    model->weights = NULL;
    model->features = work->data->view.cols;
    memcpy(model->offsets, linear->offsets, linear->scorers * sizeof *model->offsets);
    model->hypothesis = HSP__VOTES;
    hsp__votes *to = model->votes = hsp__new(memory, 1, sizeof *to);
    if (!to || from->updates > UINT64_MAX / rank) return hsp__fail_memory(err);
    to->updates = from->updates * rank;
    to->steps = from->steps;
    to->support = hsp__new_raw(memory, to->updates, sizeof *to->support);
    to->scorer = hsp__new_raw(memory, to->updates, sizeof *to->scorer);
    to->amount = hsp__new_raw(memory, to->updates, sizeof *to->amount);
    to->offset = hsp__new_raw(memory, to->updates, sizeof *to->offset);
    to->first = hsp__new_raw(memory, to->steps + 1, sizeof *to->first);
    to->survived = hsp__new_raw(memory, to->steps, sizeof *to->survived);
    double *c = hsp__new_raw(memory, rank, sizeof *c);
    if (c && to->support && to->scorer && to->amount && to->offset && to->first && to->survived) {
        approx_fill_votes(work, from, c, to);
        to->rows = work->map.rows;
        to->kernel = *work->own;
        work->map.rows = NULL;
        *work->own = NULL;
    }
    hsp__free(memory, c);
    return to->rows ? HSP_OK : hsp__fail_memory(err);
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

static hsp_status approx_model(approx_work *work, hsp_model *linear, hsp_error *err,
                               hsp_model **out)
{
    const hsp_data *data = work->data;
    hsp_model *model = NULL;
    hsp_status status = linear->votes ? approx_experts(work, linear, err, &model)
                                      : approx_expand(work, linear, err, &model);
    if (!status) status = approx_facts(work, linear, model, err);
    if (!status && (!hsp__names_copy(&model->class_names, &linear->class_names) ||
                    !hsp__names_copy(&model->feature_names, &data->feature_names)))
        status = hsp__fail_memory(err);
    if (!status && data->encoding)
        status = hsp__encoding_copy(&model->memory, data->encoding, err, &model->encoding);
    if (status) {
        hsp_model_free(model);
        return status;
    }
    /* How scores decide, and what they mean, is the same in a model of features. */
    model->pairs = linear->pairs;
    model->tie = linear->tie;
    model->order = hsp__order_of(data->view.storage);
    model->rest = work->prepared.rest;
    model->leaves_out = work->prepared.leaves_out;
    model->probability = linear->probability;
    linear->probability = (hsp__probability){0};
    for (int i = 0; i < HSP__MODEL_SCALINGS; i++) {
        model->scalings[i] = work->prepared.scalings[i];
        work->prepared.scalings[i] = NULL;
    }
    if (hsp__option_flag(work->options, "keep-dual")) { /* another run may begin at it */
        model->updates = linear->updates;
        linear->updates = (hsp_row_coefficients){0};
    }
    *out = model;
    return HSP_OK;
}

/* ---- Beginning at a model -------------------------------------------------------------------- */

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
    HSP__TRY(hsp__view_hash(work->ctx, &work->given->view, err, hash));
    if (!theirs || strcmp(theirs, hash) != 0) return HSP_OK;
    HSP__TRY(hsp__view_hash(work->ctx, &work->features->view, err, hash));
    HSP__TRY(hsp__model_set_metadata(to, "data_hash", hash, err));
    const hsp_row_coefficients *from = &start->updates;
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

/* The start as a model of the features; none when it is of others (other landmarks or waves, another
 * kernel), which only matters to one who asked for it by name. */
static hsp_status approx_begin(approx_work *work, const hsp_model *start, hsp_error *err)
{
    const char *path = hsp__option_text(work->options, "warm-start");
    const uint64_t rank = work->map.rank;
    if (!start) return HSP_OK;
    const hsp__expansion *from = start->expansion;
    int alike = from && from->rows->view.rows == rank &&
                strcmp(hsp_kernel_text(from->kernel), hsp_kernel_text(*work->own)) == 0;
    for (uint64_t k = 0; alike && k < rank; k++)
        alike = from->source[k] == work->map.source[k];
    if (alike) {
        char theirs[HSP__HASH_TEXT], ours[HSP__HASH_TEXT];
        HSP__TRY(hsp__view_hash(work->ctx, &from->rows->view, err, theirs));
        HSP__TRY(hsp__view_hash(work->ctx, &work->map.rows->view, err, ours));
        alike = strcmp(theirs, ours) == 0;
    }
    if (!alike && path)
        return hsp__fail_option(err, path,
                                "the warm-start model has other features; --approx needs a model "
                                "with the same rows, kernel, approx and seed");
    if (!alike) return HSP_OK;
    HSP__TRY(hsp__model_new(work->ctx, start->scorers, rank, err, &work->begin));
    return approx_weigh(work, start, err, work->begin);
}

/* ---- The run --------------------------------------------------------------------------------- */

hsp_status hsp__approx_open(hsp__approx_step *step, hsp_context *ctx, hsp_error *err)
{
    /* the learner's own options: of rows that are prepared already */
    static const char *const skip[] = {"kernel",      "gamma",    "approx",     "allow-indefinite",
                                       "cache-mb",    "budget",   "scale",      "normalize",
                                       "classes",     "positive", "row-weight", "warm-start",
                                       "max-seconds", NULL};
    approx_work *work = step->work = hsp__new(&ctx->allocator, 1, sizeof *work);
    if (!work) return hsp__fail_memory(err);
    work->ctx = work->asked = ctx;
    work->given = step->rows;
    work->options = step->options;
    work->seed = hsp__option_integer(step->options, "seed", 1);
    /* of all, not of the learner alone */
    hsp__stop_limit(ctx, hsp__option_real(step->options, "max-seconds", 0));
    HSP__TRY(approx_read(work, err));
    HSP__TRY(hsp__options_without(ctx, step->options, skip, err, &work->inner));
    HSP__TRY(approx_features(work, step->start != NULL, err));
    HSP__TRY(approx_begin(work, step->start, err));
    step->rows = work->features;
    step->options = work->inner;
    step->start = work->begin;
    return HSP_OK;
}

/* Rows that the model gets wrong. Ranks count a part each. */
static hsp_status approx_mistakes(const approx_work *work, hsp_context *ctx, const hsp_model *model,
                                  hsp_error *err, uint64_t *wrong)
{
    const hsp__shard *shard = &work->features->shard;
    const hsp_view *all = &work->prepared.base->view;
    uint64_t first, count;
    if (!shard->ranks) return hsp__training_error_scored(ctx, model, all, NULL, err, wrong);
    hsp__shard_rows(shard, &first, &count);
    const hsp_view some = hsp__view_slice(all, first, first + count);
    hsp_context sums = *ctx;
    sums.shard = shard;
    HSP__TRY(hsp__shard_agree(
        &sums, hsp__training_error_scored(ctx, model, &some, NULL, err, wrong), err));
    hsp__shard_add(&sums, wrong, 1);
    return HSP_OK;
}

hsp_status hsp__approx_finish(hsp__approx_step *step, hsp_error *err, hsp_training *run,
                              hsp_model **model)
{
    approx_work *work = step->work;
    hsp_context uninterruptible = hsp__stop_none(work->asked);
    hsp_model *linear = *model;
    hsp_evidence *evidence = run->evidence;
    hsp_status status = HSP_OK;
    uint64_t *origin = NULL, wrong = 0;
    work->ctx = &uninterruptible; /* a stopped run still hands out its model */
    if (evidence)                 /* its rows as the data has them */
        status = hsp__prepare_origin(&uninterruptible, work->given, work->options, &work->prepared,
                                     err, &origin);
    for (uint64_t k = 0; !status && origin && k < evidence->count; k++)
        evidence->row[k] = origin[evidence->row[k]];
    hsp__free(&uninterruptible.allocator, origin);
    *model = NULL;
    if (!status && linear) status = approx_model(work, linear, err, model);
    work->ctx = work->asked;
    if (!status && linear) {
        /* The training error of the model as it scores: by the kernel, whose sums are rounded
         * otherwise than those of the features were. */
        hsp__stop brief;
        hsp_context last = hsp__stop_grace(&brief, work->ctx);
        status = approx_mistakes(work, &last, *model, err, &wrong);
        status = hsp__training_error_report(status, wrong, *model, err, run);
    }
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
