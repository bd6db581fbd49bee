/* Cross-validation: every row is predicted once, by a model trained without it.
 *
 * The error of such predictions is that of models trained on (k - 1)/k of the rows: with few folds
 * it is a little too high for a model trained on all of them. The folds' errors spread around
 * their mean; standard_error = sqrt(sum (e_f - mean)^2 / (k - 1) / k) is that of the
 * mean, as if the folds were independent (they share rows to learn from, and are so only nearly).
 */
#include "base/base.h"
#include "data/shard.h"
#include "learn/select/cv_runner.h"
#include "learn/input_checks.h"
#include "learn/option_helpers.h"
#include "learn/row_weights.h"

static const hsp_option cross_validate_options[] = {
    HSP__FOLD_OPTIONS,
    HSP__TEXT("held-out", NULL, "FILE",
              "write the fold, the prediction and the scores of each row to this CSV file")};

const hsp_option_table *hsp_validate_options(void)
{
    static const hsp_option_table table = {
        "cv", "options of cross-validation", cross_validate_options,
        sizeof cross_validate_options / sizeof *cross_validate_options};
    return &table;
}

struct hsp_validation {
    hsp_allocator memory;
    hsp_held_out all;
    hsp_fold *folds; /* all.folds */
    hsp__names class_names;
    uint64_t *confusion; /* classes * classes */
};

static hsp_status cross_validate_new(hsp_context *ctx, const hsp__folds *folds, hsp_error *err,
                                     hsp_validation **out)
{
    const uint64_t classes = folds->class_names.count;
    hsp_validation *made = hsp__new(&ctx->allocator, 1, sizeof *made);
    if (!made) return hsp__fail_memory(err);
    *out = made;
    made->memory = ctx->allocator;
    hsp__names_init(&made->class_names, &ctx->allocator);
    made->folds = hsp__new(&ctx->allocator, folds->count, sizeof *made->folds);
    made->confusion = hsp__new(&ctx->allocator, classes * classes, sizeof *made->confusion);
    const int names = hsp__names_copy(&made->class_names, &folds->class_names);
    return made->folds && made->confusion && names ? HSP_OK : hsp__fail_memory(err);
}

static hsp_status cross_validate_run(hsp_context *ctx, hsp_data *data, const hsp__folds *folds,
                                     const hsp_options *learner, const hsp_options *validate,
                                     hsp__score score, const hsp_ranks *ranks, hsp_validation *made,
                                     hsp_error *err)
{
    const char *path = validate ? hsp__option_text(validate, "held-out") : NULL;
    hsp_options *point = NULL;
    hsp__held_rows held = {0};
    double *weight = NULL, deadline = 0;
    hsp_status status = hsp_options_copy(ctx, learner, err, &point);
    if (!status) status = hsp__cv_runner_limits(point, validate, hsp__clock(), err, &deadline);
    if (!status) status = hsp__row_weights_of(ctx, data, learner, err, &weight);
    if (!status && path) status = hsp__held_rows_new(ctx, folds, err, &held);
    const hsp__cv_runner runner = {.ctx = ctx,
                                   .ranks = ranks,
                                   .data = data,
                                   .folds = folds,
                                   .points = &point,
                                   .count = 1,
                                   .path = 1,
                                   .score = score,
                                   .deadline = deadline,
                                   .weight = weight,
                                   .results = made->folds,
                                   .confusion = made->confusion,
                                   .held = path ? &held : NULL};
    if (!status) status = hsp__cv_runner_run(&runner, err);
    made->all = hsp__held_out(made->folds, folds->count, score);
    if (!status && path) status = hsp__held_rows_write(ctx, folds, &data->view, &held, path, err);
    hsp__held_rows_free(&ctx->allocator, &held);
    hsp__free(&ctx->allocator, weight);
    hsp_options_free(point);
    return status;
}

/* Of all rows, which `ranks` have, too. */
static hsp_status cross_validate_whole(hsp_context *ctx, hsp_data *data, const hsp_options *learner,
                                       const hsp_options *validate, const hsp_ranks *ranks,
                                       hsp_error *err, hsp_validation **out)
{
    hsp__folds_how how;
    hsp__folds folds;
    hsp__score score;
    hsp_validation *made = NULL;
    HSP__TRY(hsp__cv_runner_check(learner, err));
    HSP__TRY(hsp__cv_runner_score(validate, learner, err, &score));
    HSP__TRY(hsp__input_checks_admit(ctx, data, learner, err));
    HSP__TRY(hsp__folds_how_of(validate, err, &how));
    HSP__TRY(hsp__folds_make(ctx, data, learner, &how, err, &folds));
    hsp_status status = cross_validate_new(ctx, &folds, err, &made);
    if (!status)
        status = cross_validate_run(ctx, data, &folds, learner, validate, score, ranks, made, err);
    hsp__folds_free(&folds);
    const int partly = (status == HSP_CANCELLED || status == HSP_TIME_LIMIT) && made->all.rows;
    if (status && !partly) hsp_validation_free(made);
    if (!status || partly) *out = made;
    return status;
}

hsp_status hsp_cross_validate(hsp_context *ctx, hsp_data *data, const hsp_options *learner,
                              const hsp_options *validate, hsp_error *err, hsp_validation **out)
{
    HSP__NEED(err, ctx, data, learner, out);
    const hsp_ranks *ranks = data->shard.ranks;
    hsp_data *whole = NULL;
    if (ranks) HSP__TRY(hsp_data_gather(ctx, data, err, &whole));
    const hsp_status status =
        cross_validate_whole(ctx, ranks ? whole : data, learner, validate, ranks, err, out);
    hsp_data_free(whole);
    return status;
}

void hsp_validation_free(hsp_validation *validation)
{
    if (!validation) return;
    const hsp_allocator memory = validation->memory;
    hsp__free(&memory, validation->folds);
    hsp__free(&memory, validation->confusion);
    hsp__names_free(&validation->class_names);
    hsp__free(&memory, validation);
}

const hsp_held_out *hsp_validation_held_out(const hsp_validation *validation)
{
    return validation ? &validation->all : NULL;
}

const hsp_fold *hsp_validation_fold(const hsp_validation *validation, uint32_t fold)
{
    return validation ? &validation->folds[fold] : NULL;
}

uint32_t hsp_validation_classes(const hsp_validation *validation)
{
    return validation ? validation->class_names.count : 0;
}

const char *hsp_validation_class_name(const hsp_validation *validation, uint32_t class_index)
{
    return validation ? hsp__names_get(&validation->class_names, class_index) : NULL;
}

const uint64_t *hsp_validation_confusion(const hsp_validation *validation)
{
    return validation ? validation->confusion : NULL;
}
