/* Calibration by cross-validation.
 *
 * Scores of rows that a model has learnt from are too good to say how often it is right. So the
 * rows are dealt into folds, class by class, in an order that the seed says; for each fold a model
 * of the same options is trained on the other folds and scores it; all those scores together are
 * what a map is fitted to (fit.c), and the map goes into the model that was trained on everything.
 *
 * Folds are learnt side by side; each writes the scores of its own rows, and the fit goes over the
 * rows in their order, so that nothing depends on the threads. Cost: folds - 1 times the training,
 * and a few passes over the scores. */
#include "learn/calibrate.h"

#include <math.h>
#include <stdatomic.h>
#include <string.h>

#include "base/context.h"
#include "base/error.h"
#include "base/memory.h"
#include "base/random.h"
#include "learn/crowd.h"
#include "learn/derive.h"
#include "learn/fit.h"
#include "learn/prepare.h"
#include "learn/weights.h"

#define CALIBRATE_FOLDS 5

typedef struct calibrate_work {
    hsp_context *ctx;
    hsp_data *data;
    const hsp_view *view;
    const hsp_options *options;
    uint32_t classes;   /* that are learnt */
    hsp__names names;   /* of them */
    uint32_t *class_of; /* view->classes: the class that rows of a label are learnt as, or none */
    double *weight;     /* view->rows, or NULL: all 1 */
    uint32_t folds;
    uint64_t rows;    /* that take part: of a class that is learnt, and of weight above 0 */
    uint64_t *row;    /* rows: their numbers in the data, ascending */
    uint32_t *fold;   /* rows: of each */
    uint32_t *label;  /* rows */
    uint32_t width;   /* scores of a row: 1 of two classes, else one a class */
    double *scores;   /* rows * width */
    atomic_uint open; /* folds whose run did not converge */
    int threads;
    hsp__watch watch;
} calibrate_work;

/* ---- Who takes part -------------------------------------------------------------------------- */

int hsp__calibrate_wanted(const hsp_options *options)
{
    return hsp__options_have(options, "calibrate") &&
           !hsp__options_say(options, "calibrate", "none");
}

static void calibrate_free(calibrate_work *work)
{
    const hsp_allocator *memory = &work->ctx->allocator;
    hsp__names_free(&work->names);
    hsp__free(memory, work->class_of);
    hsp__free(memory, work->weight);
    hsp__free(memory, work->row);
    hsp__free(memory, work->fold);
    hsp__free(memory, work->label);
    hsp__free(memory, work->scores);
}

/* Names of the classes that are learnt: those asked for, "rest" and the positive one, or all. */
static hsp_status calibrate_names(calibrate_work *work, hsp_error *err, int *rest)
{
    hsp__names positive;
    uint32_t number;
    hsp_status status = hsp__prepare_classes(work->ctx, work->options, err, &work->names);
    if (status) return status;
    status = hsp__prepare_positive(work->ctx, work->options, err, &positive);
    if (status) return status;
    *rest = positive.count > 0;
    if (*rest) {
        const char *name = hsp__names_get(&positive, 0);
        hsp__names_free(&work->names);
        hsp__names_init(&work->names, &work->ctx->allocator);
        if (!hsp__names_add(&work->names, "rest", 4, &number) ||
            !hsp__names_add(&work->names, name, strlen(name), &number))
            status = hsp__fail_memory(err);
    } else if (!work->names.count) {
        hsp__names_free(&work->names);
        if (!hsp__names_copy(&work->names, &work->data->class_names))
            status = hsp__fail_memory(err);
    }
    hsp__names_free(&positive);
    return status;
}

/* What rows of each label are learnt as. With a positive class and classes by name, those that are
 * not named are no part of the rest. */
static hsp_status calibrate_classes(calibrate_work *work, hsp_error *err)
{
    const hsp__names *all = &work->data->class_names;
    hsp__names keep;
    int rest = 0;
    hsp_status status = calibrate_names(work, err, &rest);
    if (!status) status = hsp__prepare_classes(work->ctx, work->options, err, &keep);
    if (status) return status;
    work->classes = work->names.count;
    work->class_of = hsp__new(&work->ctx->allocator, all->count, sizeof *work->class_of);
    if (!work->class_of) status = hsp__fail_memory(err);
    for (uint32_t c = 0; !status && c < all->count; c++) {
        const char *name = hsp__names_get(all, c);
        const size_t size = hsp__names_size(all, c);
        const int kept = !keep.count || hsp__names_find(&keep, name, size) != HSP__NAME_NONE;
        const uint32_t found = hsp__names_find(&work->names, name, size);
        work->class_of[c] = !kept ? HSP_NO_CLASS : rest ? found == 1 : found;
    }
    hsp__names_free(&keep);
    return status;
}

static hsp_status calibrate_weights(calibrate_work *work, hsp_error *err)
{
    uint64_t column;
    const char *text = hsp__options_have(work->options, "row-weight")
                           ? hsp_options_text(work->options, "row-weight")
                           : NULL;
    if (!text) return HSP_OK;
    hsp_status status = hsp__weights_column(work->data, text, err, &column);
    return status ? status
                  : hsp__weights_rows(work->ctx, work->data, column, NULL, err, &work->weight);
}

static hsp_status calibrate_rows(calibrate_work *work, hsp_error *err)
{
    const hsp_allocator *memory = &work->ctx->allocator;
    const hsp_view *view = work->view;
    work->row = hsp__new_raw(memory, view->rows, sizeof *work->row);
    work->fold = hsp__new_raw(memory, view->rows, sizeof *work->fold);
    work->label = hsp__new_raw(memory, view->rows, sizeof *work->label);
    if (!work->row || !work->fold || !work->label) return hsp__fail_memory(err);
    for (uint64_t i = 0; i < view->rows; i++) {
        const uint32_t class = work->class_of[view->labels[i]];
        if (class == HSP_NO_CLASS || (work->weight && !(work->weight[i] > 0))) continue;
        work->label[work->rows] = class;
        work->row[work->rows++] = i;
    }
    return HSP_OK;
}

static hsp_status calibrate_count(const calibrate_work *work, uint32_t class, uint64_t count,
                                  hsp_error *err)
{
    if (!count || count >= work->folds) return HSP_OK;
    return hsp__fail_at(err, HSP_BAD_DATA, "--calibrate", 0, 0,
                        "the class '%.60s' has %llu row%s, too few for %u folds%s",
                        hsp__names_get(&work->names, class), (unsigned long long)count,
                        count == 1 ? "" : "s", (unsigned)work->folds,
                        hsp__options_have(work->options, "calibrate-folds") && count > 1
                            ? ": use fewer (calibrate-folds)"
                            : "");
}

/* Deal the rows of each class to the folds in turn, in a random order; each class begins where the
 * one before ended, so that the folds are of one size. */
static hsp_status calibrate_deal(calibrate_work *work, hsp_error *err)
{
    const uint64_t seed = hsp__options_have(work->options, "seed")
                              ? (uint64_t)hsp_options_integer(work->options, "seed")
                              : 1;
    uint64_t *order = hsp__new_raw(&work->ctx->allocator, work->rows, sizeof *order), dealt = 0;
    hsp_status status = order ? HSP_OK : hsp__fail_memory(err);
    for (uint32_t c = 0; !status && c < work->classes; c++) {
        hsp__random random;
        uint64_t count = 0;
        for (uint64_t k = 0; k < work->rows; k++)
            if (work->label[k] == c) order[count++] = k;
        status = calibrate_count(work, c, count, err);
        hsp__random_seed(&random, seed, c);
        hsp__random_shuffle(&random, order, count);
        for (uint64_t k = 0; k < count; k++)
            work->fold[order[k]] = (uint32_t)(dealt++ % work->folds);
    }
    hsp__free(&work->ctx->allocator, order);
    return status;
}

static hsp_status calibrate_begin(calibrate_work *work, hsp_error *err)
{
    hsp_status status = hsp_data_view(work->ctx, work->data, err, &work->view);
    hsp__names_init(&work->names, &work->ctx->allocator);
    if (status || !work->view->labels) return status; /* training will say what is missing */
    work->folds = hsp__options_have(work->options, "calibrate-folds")
                      ? (uint32_t)hsp_options_integer(work->options, "calibrate-folds")
                      : CALIBRATE_FOLDS;
    status = calibrate_classes(work, err);
    if (!status) status = calibrate_weights(work, err);
    if (!status) status = calibrate_rows(work, err);
    return status ? status : calibrate_deal(work, err);
}

hsp_status hsp__calibrate_check(hsp_context *ctx, hsp_data *data, const hsp_options *options,
                                hsp_error *err)
{
    if (!hsp__calibrate_wanted(options)) return HSP_OK;
    if (hsp__options_say(options, "average", "vote"))
        return hsp__fail_at(err, HSP_USAGE, "--calibrate", 0, 0,
                            "votes are not calibrated: use average average or none");
    calibrate_work work = {.ctx = ctx, .data = data, .options = options};
    hsp_status status = calibrate_begin(&work, err);
    calibrate_free(&work);
    return status;
}

/* ---- One fold -------------------------------------------------------------------------------- */

/* The rows of a fold (or of all others) as a data set; *places are where they stand in work->row.
 */
static hsp_status calibrate_part(hsp_context *ctx, const calibrate_work *work, uint32_t fold,
                                 int inside, hsp_error *err, hsp_data **out)
{
    uint64_t count = 0;
    uint64_t *rows = hsp__new_raw(&ctx->allocator, work->rows, sizeof *rows);
    if (!rows) return hsp__fail_memory(err);
    for (uint64_t k = 0; k < work->rows; k++)
        if ((work->fold[k] == fold) == inside) rows[count++] = work->row[k];
    hsp_status status = hsp_data_select(ctx, work->data, rows, count, err, out);
    hsp__free(&ctx->allocator, rows);
    return status;
}

static hsp_status calibrate_train(hsp_context *ctx, calibrate_work *work, uint32_t fold,
                                  hsp_error *err, hsp_model **out)
{
    static const char *const skip[] = {"calibrate", "calibrate-folds", "trace", "reference",
                                       "start",     "keep-dual",       NULL};
    hsp_options *options = NULL;
    hsp_data *others = NULL;
    hsp_training run = {0};
    hsp_status status = hsp__options_derive(ctx, work->options, skip, err, &options);
    if (!status) status = hsp__options_put(options, "calibrate", "none", err);
    if (!status) status = calibrate_part(ctx, work, fold, 0, err, &others);
    if (!status) status = hsp_train(ctx, others, options, err, &run, out);
    if (!status && run.stop != HSP_STOP_CONVERGED) atomic_fetch_add(&work->open, 1);
    hsp_evidence_free(run.evidence);
    hsp_data_free(others);
    hsp_options_free(options);
    return status;
}

/* The scores of the fold's rows to their places. */
static hsp_status calibrate_score(hsp_context *ctx, calibrate_work *work, uint32_t fold,
                                  const hsp_model *model, hsp_error *err)
{
    hsp_data *own = NULL;
    hsp_status status = calibrate_part(ctx, work, fold, 1, err, &own);
    if (status) return status;
    double *scores = hsp__new_raw(&ctx->allocator, own->view.rows * model->scorers, sizeof *scores);
    status =
        scores ? hsp_model_score(ctx, model, &own->view, err, scores, NULL) : hsp__fail_memory(err);
    for (uint64_t k = 0, i = 0; !status && k < work->rows; k++) {
        if (work->fold[k] != fold) continue;
        const double *from = scores + i++ * model->scorers;
        if (work->width == 1)
            work->scores[k] = from[0];
        else
            hsp_model_class_scores(model, from, work->scores + k * work->width);
    }
    hsp__free(&ctx->allocator, scores);
    hsp_data_free(own);
    return status;
}

static hsp_status calibrate_fold(void *user, uint32_t from, uint32_t to, int report, hsp_error *err)
{
    calibrate_work *work = user;
    hsp__ear ear = {&work->watch, report};
    hsp_context quiet = hsp__ear_context(&ear, work->threads);
    hsp_status status = HSP_OK;
    for (uint32_t fold = from; !status && fold < to; fold++) {
        hsp_model *model = NULL;
        status = calibrate_train(&quiet, work, fold, err, &model);
        if (!status && model) status = calibrate_score(&quiet, work, fold, model, err);
        hsp_model_free(model);
        atomic_fetch_add(&work->watch.done, work->rows / work->folds);
    }
    return status;
}

/* ---- The map --------------------------------------------------------------------------------- */

/* Rows whose scores overflowed say nothing. */
static void calibrate_drop(calibrate_work *work, double *weight)
{
    uint64_t kept = 0;
    for (uint64_t k = 0; k < work->rows; k++) {
        int finite = 1;
        for (uint32_t c = 0; c < work->width; c++)
            finite &= isfinite(work->scores[k * work->width + c]) != 0;
        if (!finite) continue;
        memmove(work->scores + kept * work->width, work->scores + k * work->width,
                work->width * sizeof *work->scores);
        work->label[kept] = work->label[k];
        if (weight) weight[kept] = work->weight[work->row[k]];
        kept++;
    }
    work->rows = kept;
}

static hsp_status calibrate_fit(calibrate_work *work, hsp_error *err, hsp_model *model)
{
    hsp__probability *map = &model->probability;
    const hsp_allocator *memory = &work->ctx->allocator;
    double *weight = NULL, *at = NULL, *value = NULL;
    uint64_t knots = 0;
    if (work->weight && !(weight = hsp__new_raw(memory, work->rows, sizeof *weight)))
        return hsp__fail_memory(err);
    calibrate_drop(work, weight);
    const hsp__scored scored = {work->rows, work->classes, work->scores, work->label, weight};
    hsp_status status;
    if (hsp__options_say(work->options, "calibrate", "platt")) {
        status = hsp__fit_platt(work->ctx, &scored, err, map->slopes);
        if (!status) map->calibration = HSP__CALIBRATION_PLATT;
    } else {
        status = hsp__fit_isotonic(work->ctx, &scored, err, &knots, &at, &value);
        if (!status) {
            hsp__free(&model->memory, map->at);
            hsp__free(&model->memory, map->value);
            map->knots = knots;
            map->at = at;
            map->value = value;
            map->calibration = HSP__CALIBRATION_ISOTONIC;
        }
    }
    hsp__free(memory, weight);
    return status;
}

static hsp_status calibrate_cross(calibrate_work *work, hsp_error *err)
{
    const int workers = hsp__crowd_workers(work->ctx, work->folds);
    work->threads = hsp_context_threads(work->ctx) / workers;
    work->watch.total = work->rows;
    work->width = work->classes == 2 ? 1 : work->classes;
    work->scores = hsp__new(&work->ctx->allocator, work->rows * work->width, sizeof *work->scores);
    if (!work->scores) return hsp__fail_memory(err);
    return hsp__crowd_run(&work->watch, workers, work->folds, 1, calibrate_fold, work, err);
}

/* It was to have probabilities, and has none: the run is not what was asked for. */
static hsp_status calibrate_stopped(calibrate_work *work, hsp_error *err, hsp_training *run,
                                    hsp_model *model)
{
    hsp__log(work->ctx, HSP_LOG_WARNING,
             "stopped before the calibration was done: the model has no probabilities");
    run->stop = HSP_STOP_REQUEST;
    hsp_status status = hsp__model_set_fact(model, "stop", hsp_stop_name(run->stop), err);
    return status ? status : hsp__model_set_fact(model, "converged", "false", err);
}

hsp_status hsp__calibrate(hsp_context *ctx, hsp_data *data, const hsp_options *options,
                          hsp_error *err, hsp_training *run, hsp_model *model)
{
    calibrate_work work = {.ctx = ctx, .data = data, .options = options, .watch = {.ctx = ctx}};
    hsp_status status = calibrate_begin(&work, err);
    if (!status && run->stop != HSP_STOP_REQUEST) status = calibrate_cross(&work, err);
    if (status == HSP_CANCELLED) atomic_store(&work.watch.requested, 1), status = HSP_OK;
    if (!status && (run->stop == HSP_STOP_REQUEST || atomic_load(&work.watch.requested)))
        status = calibrate_stopped(&work, err, run, model);
    else if (!status)
        status = calibrate_fit(&work, err, model);
    const unsigned open = atomic_load(&work.open);
    if (!status && open && run->stop == HSP_STOP_CONVERGED)
        hsp__log(ctx, HSP_LOG_WARNING,
                 "%u of the %u runs that the probabilities come from did not converge", open,
                 (unsigned)work.folds);
    calibrate_free(&work);
    return status;
}
