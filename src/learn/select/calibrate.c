/* Calibration by cross-validation.
 *
 * Scores of rows that a model was trained on are too good to say how often it is right. So the rows
 * are dealt into folds, class by class, in an order that the seed says; for each fold a model of
 * the same options is trained on the other folds and scores it. All those scores together are what
 * the maps are fitted to (calibration_fit.c): one map for two classes, else one per class, of the
 * class against the rest. The maps go into the model that was trained on everything, which decides
 * by them from then on; so its training error is measured again.
 *
 * Folds are learned side by side; each writes the scores of its own rows, and the fit goes over the
 * rows in their order, so that nothing depends on the threads. Cost: folds - 1 times the training,
 * and a few passes over the scores. */
#include "learn/select/calibrate.h"

#include <stdatomic.h>

#include "base/base.h"
#include "base/decimal.h"
#include "learn/multiclass/run_pool.h"
#include "learn/option_helpers.h"
#include "learn/select/calibration_fit.h"
#include "learn/select/folds.h"
#include "learn/training_error.h"
#include "learn/row_weights.h"
#include "model/probability.h"

#define CALIBRATE_FOLDS 5

typedef struct calibrate_work {
    hsp_context *ctx;
    hsp_data *data;
    const hsp_view *view;
    const hsp_options *options;
    hsp__calibrate_train train;
    hsp__folds
        folds;      /* of the rows that take part: of a class that is learned, of weight above 0 */
    double *weight; /* view->rows, or NULL: all 1 */
    uint32_t classes; /* that are learned */
    uint64_t rows;    /* that take part */
    uint64_t *row;    /* rows: their numbers in the data, ascending */
    uint32_t *label;  /* rows: as what they are learned */
    uint32_t width;   /* scores of a row, as many as maps: 1 of two classes, else one per class */
    double *scores;   /* rows * width */
    atomic_uint open; /* folds whose run did not converge */
    int threads;
    hsp__watch watch;
} calibrate_work;

/* ---- Who takes part -------------------------------------------------------------------------- */

int hsp__calibrate_wanted(const hsp_options *options)
{
    return hsp__option_text(options, "calibrate") && !hsp__option_is(options, "calibrate", "none");
}

static void calibrate_free(calibrate_work *work)
{
    const hsp_allocator *memory = &work->ctx->allocator;
    if (work->folds.fold) hsp__folds_free(&work->folds);
    hsp__free(memory, work->weight);
    hsp__free(memory, work->row);
    hsp__free(memory, work->label);
    hsp__free(memory, work->scores);
}

/* Deal the rows that take part, by what they are learned as: every fold gets a row of each class. */
static hsp_status calibrate_deal(calibrate_work *work, hsp_error *err)
{
    const uint64_t seed = hsp__option_integer(work->options, "seed", 1);
    hsp__folds *folds = &work->folds;
    hsp__scratch scratch = {.memory = &work->ctx->allocator};
    uint64_t *count = hsp__scratch_new(&scratch, work->classes, sizeof *count);
    uint32_t *dealt = hsp__scratch_raw(&scratch, work->rows, sizeof *dealt);
    hsp_status status = scratch.failed ? hsp__fail_memory(err) : HSP_OK;
    for (uint64_t k = 0; !status && k < work->rows; k++)
        count[work->label[k]]++;
    for (uint32_t c = 0; !status && c < work->classes; c++)
        if (count[c] && count[c] < folds->count)
            status =
                hsp__fail_at(err, HSP_BAD_DATA, "--calibrate", 0, 0,
                             "the class '%.60s' has %llu row%s, too few for %u folds%s",
                             hsp__names_get(&folds->class_names, c), (unsigned long long)count[c],
                             count[c] == 1 ? "" : "s", (unsigned)folds->count,
                             hsp__options_have(work->options, "calibrate-folds") && count[c] > 1
                                 ? ": use fewer (calibrate-folds)"
                                 : "");
    if (!status)
        status = hsp__folds_deal(work->ctx, work->label, work->rows, work->classes, NULL,
                                 folds->count, seed, err, dealt);
    for (uint64_t i = 0; i < folds->total; i++)
        folds->fold[i] = HSP__FOLD_NONE;
    for (uint64_t k = 0; !status && k < work->rows; k++)
        folds->fold[work->row[k]] = dealt[k];
    folds->rows = work->rows;
    hsp__scratch_free(&scratch);
    return status;
}

static hsp_status calibrate_begin(calibrate_work *work, hsp_error *err)
{
    const hsp_allocator *memory = &work->ctx->allocator;
    const uint32_t folds =
        (uint32_t)hsp__option_integer(work->options, "calibrate-folds", CALIBRATE_FOLDS);
    HSP__TRY(hsp_data_view(work->ctx, work->data, err, &work->view));
    const hsp_view *view = work->view;
    if (!view->labels) return HSP_OK; /* training will say what is missing */
    HSP__TRY(hsp__folds_begin(work->ctx, work->data, work->options, folds, err, &work->folds));
    work->classes = work->folds.class_names.count;
    HSP__TRY(hsp__row_weights_of(work->ctx, work->data, work->options, err, &work->weight));
    work->row = hsp__new_raw(memory, view->rows, sizeof *work->row);
    work->label = hsp__new_raw(memory, view->rows, sizeof *work->label);
    if (!work->row || !work->label) return hsp__fail_memory(err);
    for (uint64_t i = 0; i < view->rows; i++) {
        const uint32_t class = work->folds.class_of[view->labels[i]];
        if (class == HSP_NO_CLASS || (work->weight && !(work->weight[i] > 0))) continue;
        work->label[work->rows] = class;
        work->row[work->rows++] = i;
    }
    return calibrate_deal(work, err);
}

hsp_status hsp__calibrate_check(hsp_context *ctx, hsp_data *data, const hsp_options *options,
                                hsp_error *err)
{
    if (!hsp__calibrate_wanted(options)) return HSP_OK;
    if (hsp__option_is(options, "average", "vote"))
        return hsp__fail_option(err, "--calibrate",
                                "votes cannot be calibrated; use --average average or none");
    calibrate_work work = {.ctx = ctx, .data = data, .options = options};
    hsp_status status = calibrate_begin(&work, err);
    calibrate_free(&work);
    return status;
}

/* ---- One fold -------------------------------------------------------------------------------- */

/* The scores of the fold's rows to their places. */
static hsp_status calibrate_score(hsp_context *ctx, calibrate_work *work, uint32_t fold,
                                  const hsp_data *own, const hsp_model *model, hsp_error *err)
{
    double *scores = hsp__new_raw(&ctx->allocator, own->view.rows * model->scorers, sizeof *scores);
    hsp_status status =
        scores ? hsp_model_score(ctx, model, &own->view, err, scores, NULL) : hsp__fail_memory(err);
    for (uint64_t k = 0, i = 0; !status && k < work->rows; k++) {
        if (work->folds.fold[work->row[k]] != fold) continue;
        const double *from = scores + i++ * model->scorers;
        const hsp__rivals rivals = hsp__probability_rivals(model, from, 1);
        for (uint32_t c = 0; c < work->width; c++)
            work->scores[k * work->width + c] = hsp__probability_input(model, from, 1, rivals, c);
    }
    hsp__free(&ctx->allocator, scores);
    return status;
}

static hsp_status calibrate_fold(void *user, uint32_t from, uint32_t to, int report, hsp_error *err)
{
    static const char *const skip[] = {"calibrate", "calibrate-folds", "trace",
                                       "reference", "convergence",     "warm-start",
                                       "keep-dual", "max-seconds",     NULL};
    calibrate_work *work = user;
    hsp_context quiet = hsp__quiet(work->ctx);
    hsp_stop stop;
    hsp_status status = HSP_OK;
    quiet.threads = work->threads;
    for (uint32_t fold = from; !status && fold < to; fold++) {
        hsp_model *model = NULL;
        hsp_data *others = NULL, *own = NULL;
        hsp_options *options = NULL;
        hsp_training run = {.size = sizeof run};
        status = hsp__folds_part(&quiet, &work->folds, work->data, fold, err, &others, &own);
        if (!status) status = hsp__options_without(&quiet, work->options, skip, err, &options);
        if (!status) status = work->train(&quiet, others, options, NULL, err, &run, &model);
        if (!status && run.stop != HSP_STOP_CONVERGED) atomic_fetch_add(&work->open, 1);
        hsp_evidence_free(run.evidence);
        hsp_options_free(options);
        hsp_data_free(others);
        if (!status && model) status = calibrate_score(&quiet, work, fold, own, model, err);
        hsp_data_free(own);
        hsp_model_free(model);
        hsp__watch_tick(&work->watch, work->rows / work->folds.count, report, &stop);
    }
    return status;
}

/* ---- The map --------------------------------------------------------------------------------- */

/* The scores for one class, or of two classes for the second one. */
static hsp__calibration_scores calibrate_scored(const calibrate_work *work, const double *weight,
                                                uint32_t map)
{
    return (hsp__calibration_scores){.rows = work->rows,
                                     .stride = work->width,
                                     .scores = work->scores + map,
                                     .label = work->label,
                                     .positive = work->width == 1 ? 1 : map,
                                     .weight = weight};
}

static hsp_status calibrate_isotonic(calibrate_work *work, const double *weight, hsp_error *err,
                                     hsp__probability *to)
{
    const hsp_allocator *memory = &work->ctx->allocator;
    hsp_status status = HSP_OK;
    to->first = hsp__new(memory, (uint64_t)work->width + 1, sizeof *to->first);
    if (!to->first) return hsp__fail_memory(err);
    for (uint32_t map = 0; !status && map < work->width; map++) {
        const hsp__calibration_scores scored = calibrate_scored(work, weight, map);
        uint64_t knots = 0;
        double *at = NULL, *value = NULL;
        status = hsp__fit_isotonic(work->ctx, &scored, err, &knots, &at, &value);
        if (!status) { /* behind the knots that are there */
            double *more_at = hsp__resize(memory, to->at, to->knots + knots, sizeof *at);
            if (more_at) to->at = more_at;
            double *more = hsp__resize(memory, to->value, to->knots + knots, sizeof *value);
            if (more) to->value = more;
            if (!more_at || !more) status = hsp__fail_memory(err);
        }
        if (!status) {
            memcpy(to->at + to->knots, at, (size_t)knots * sizeof *at);
            memcpy(to->value + to->knots, value, (size_t)knots * sizeof *value);
            to->knots += knots;
        }
        to->first[map + 1] = to->knots;
        hsp__free(memory, at);
        hsp__free(memory, value);
    }
    return status;
}

static hsp_status calibrate_fit(calibrate_work *work, hsp_error *err, hsp_model *model)
{
    const int platt = hsp__option_is(work->options, "calibrate", "platt");
    const hsp_allocator *memory = &work->ctx->allocator;
    const hsp__probability *own = &model->probability;
    const size_t width = work->width;
    hsp__probability map = {.link = own->link, .scale = own->scale, .threshold = own->threshold};
    double *weight = NULL;
    if (work->weight && !(weight = hsp__new_raw(memory, work->rows, sizeof *weight)))
        return hsp__fail_memory(err);
    uint64_t kept = 0;
    for (uint64_t k = 0; k < work->rows; k++) { /* rows whose scores overflowed say nothing */
        int finite = 1;
        for (uint32_t c = 0; c < width; c++)
            finite &= isfinite(work->scores[k * width + c]) != 0;
        if (!finite) continue;
        memmove(work->scores + kept * width, work->scores + k * width,
                width * sizeof *work->scores);
        work->label[kept] = work->label[k];
        if (weight) weight[kept] = work->weight[work->row[k]];
        kept++;
    }
    work->rows = kept;
    map.calibration = platt ? HSP__CALIBRATION_PLATT : HSP__CALIBRATION_ISOTONIC;
    if (platt) map.platt = hsp__new(memory, 2 * width, sizeof *map.platt);
    hsp_status status = !platt      ? calibrate_isotonic(work, weight, err, &map)
                        : map.platt ? HSP_OK
                                    : hsp__fail_memory(err);
    for (uint32_t c = 0; platt && !status && c < width; c++) {
        const hsp__calibration_scores scored = calibrate_scored(work, weight, c);
        hsp__fit_platt(&scored, map.platt + 2 * (size_t)c);
    }
    hsp__free(memory, weight);
    hsp__probability_free(memory, status ? &map : &model->probability);
    if (!status) model->probability = map;
    return status;
}

/* It was to have probabilities, and has none: the run is not what was asked for. */
static void calibrate_stopped(calibrate_work *work, hsp_training *run)
{
    hsp__log(work->ctx, HSP_LOG_WARNING,
             "stopped before the calibration was done: the model has no probabilities");
    hsp__watch_stopped(work->ctx, &run->stop);
}

/* Fit, and measure the training error of the model as it decides now: by its probabilities.
 * Interrupted, the model decides as before. */
static hsp_status calibrate_finish(calibrate_work *work, hsp_error *err, hsp_training *run,
                                   hsp_model *model)
{
    uint64_t wrong = 0;
    hsp__stop brief;
    hsp_context last = hsp__stop_grace(&brief, work->ctx);
    hsp_status status = calibrate_fit(work, err, model);
    if (!status) {
        status =
            hsp__training_error_scored(&last, model, work->view, work->folds.class_of, err, &wrong);
        return hsp__training_error_report(status, wrong, model, err, run);
    }
    if (status != HSP_CANCELLED) return status;
    hsp__probability_free(&model->memory, &model->probability);
    model->probability.calibration = HSP__CALIBRATION_NONE;
    calibrate_stopped(work, run);
    return HSP_OK;
}

hsp_status hsp__calibrate(hsp_context *ctx, hsp_data *data, const hsp_options *options,
                          hsp__calibrate_train train, hsp_error *err, hsp_training *run,
                          hsp_model *model)
{
    calibrate_work work = {
        .ctx = ctx, .data = data, .options = options, .train = train, .watch = {.ctx = ctx}};
    hsp_status status = calibrate_begin(&work, err);
    if (!status && !hsp__stopped(ctx)) {
        const int workers = hsp__run_pool_workers(ctx, work.folds.count);
        work.threads = hsp_context_threads(ctx) / workers;
        work.watch.total = work.rows;
        work.width = work.classes == 2 ? 1 : work.classes;
        work.scores = hsp__new(&ctx->allocator, work.rows * work.width, sizeof *work.scores);
        status = !work.scores ? hsp__fail_memory(err)
                              : hsp__run_pool_run(&work.watch, workers, work.folds.count, 1,
                                                  calibrate_fold, &work, err);
    }
    if (hsp__stopped(ctx) && (!status || status == HSP_CANCELLED))
        calibrate_stopped(&work, run), status = HSP_OK;
    else if (!status)
        status = calibrate_finish(&work, err, run, model);
    const unsigned open = atomic_load(&work.open);
    if (!status && open && run->stop == HSP_STOP_CONVERGED)
        hsp__log(ctx, HSP_LOG_WARNING, "%u of the %u calibration runs did not converge", open,
                 (unsigned)work.folds.count);
    calibrate_free(&work);
    return status;
}
