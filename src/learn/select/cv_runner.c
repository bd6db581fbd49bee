#include "learn/select/cv_runner.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <time.h>

#include "base/base.h"
#include "base/stop.h"
#include "data/data.h"
#include "kernel/shared_values.h"
#include "learn/kernel/approx.h"
#include "learn/option_helpers.h"
#include "learn/learner.h"
#include "learn/select/calibrate.h"
#include "model/model.h"
#include "model/scored_rows.h"

#define CV_RUNNER_SHARED ((uint64_t)1 << 28) /* bytes of products, of learners without cache-mb */
#define CV_RUNNER_LOOK   2000000L            /* nanoseconds between looks at the user's wishes */

/* The rows of a fold, made by the first task that needs them, freed by the last. */
typedef struct cv_runner_fold {
    pthread_mutex_t mutex;
    hsp_data *train, *held;
    uint64_t *row;              /* of held: their numbers in the data */
    double *weight;             /* of held; NULL: all 1 */
    hsp__kernel_shared *shared; /* of train; NULL: none */
    uint64_t left;              /* tasks that still need them */
} cv_runner_fold;

typedef struct cv_runner_state {
    const hsp__cv_runner *all;
    uint64_t paths, first, tasks; /* first .. tasks - 1 are to be done here */
    int threads, workers;
    uint64_t share; /* bytes of kernel products to keep with a fold; 0: none */
    cv_runner_fold *folds;
    atomic_uint_fast64_t next;   /* the first task that nobody has taken */
    atomic_uint_fast64_t done;   /* runs */
    atomic_uint_fast64_t failed; /* the first task that failed; UINT64_MAX: none */
    atomic_int running;          /* tasks that are being worked on */
    atomic_int cancelled;        /* hsp__stop_why */
    pthread_mutex_t mutex;       /* of what follows, and the confusion */
    hsp_error err;               /* of the task `failed` */
    hsp_status status;
} cv_runner_state;

/* One who takes tasks. */
typedef struct cv_runner_worker {
    cv_runner_state *state;
    int number; /* 0: on the caller's thread */
    uint64_t task;
    hsp_context ctx;
    hsp_error err;
} cv_runner_worker;

typedef enum { CV_ERROR, CV_SCORE, CV_MAJORITY } cv_figure;

static double cv_runner_figure(const hsp_fold *fold, cv_figure which)
{
    if (!fold->rows) return (double)NAN;
    return which == CV_ERROR ? fold->error : which == CV_SCORE ? fold->score : fold->majority;
}

/* The mean of a figure of the folds, and its standard error; folds without it (NaN) do not count. */
static double cv_runner_mean(const hsp_fold *folds, uint32_t count, cv_figure which, double *error)
{
    double sum = 0, squares = 0, known = 0, least = HUGE_VAL, most = -HUGE_VAL;
    for (uint32_t f = 0; f < count; f++) {
        const double value = cv_runner_figure(&folds[f], which);
        if (isnan(value)) continue;
        sum += value;
        known++;
        least = fmin(least, value);
        most = fmax(most, value);
    }
    const double mean = known > 0 ? sum / known : (double)NAN;
    for (uint32_t f = 0; f < count && least < most; f++) {
        const double value = cv_runner_figure(&folds[f], which);
        if (!isnan(value)) squares += (value - mean) * (value - mean);
    }
    if (error) *error = known > 1 ? sqrt(squares / (known - 1) / known) : (double)NAN;
    return mean;
}

hsp_held_out hsp__held_out(const hsp_fold *folds, uint32_t count, hsp__score score)
{
    hsp_held_out out = {.folds = count, .score_name = hsp__score_name(score)};
    for (uint32_t f = 0; f < count; f++) {
        out.unfinished += folds[f].rows == 0;
        if (!folds[f].rows) continue;
        out.rows += folds[f].rows;
        out.mistakes += folds[f].mistakes;
        out.ties += folds[f].ties;
        const int none = folds[f].stop == HSP_STOP_INSEPARABLE; /* an answer, if not a model */
        out.inseparable += none;
        out.unconverged += folds[f].stop != HSP_STOP_CONVERGED && !none;
        out.undefined += isnan(folds[f].score);
    }
    out.error = cv_runner_mean(folds, count, CV_ERROR, &out.standard_error);
    out.score = cv_runner_mean(folds, count, CV_SCORE, &out.score_standard_error);
    out.majority = cv_runner_mean(folds, count, CV_MAJORITY, NULL);
    if (out.inseparable && hsp__score_needs_probability(score)) out.score = (double)NAN;
    return out;
}

/* ---- Ending early ---------------------------------------------------------------------------- */

static void cv_runner_ask(cv_runner_state *state)
{
    const uint64_t total = (state->tasks - state->first) * state->all->path;
    if (hsp__progress(state->all->ctx, "cross-validating", "runs", atomic_load(&state->done), total,
                      NULL))
        atomic_store(&state->cancelled, HSP__STOP_REQUESTED);
}

/* Is there no more use in this task? Tasks before one that failed go on, so that the error that is
 * reported does not depend on who was first. */
static int cv_runner_over(const cv_runner_worker *worker)
{
    const double deadline = worker->state->all->deadline;
    if (deadline > 0 && !atomic_load(&worker->state->cancelled) && hsp__clock() > deadline)
        atomic_store(&worker->state->cancelled, HSP__STOP_LATE);
    return atomic_load(&worker->state->cancelled) ||
           atomic_load(&worker->state->failed) < worker->task;
}

/* What the calls inside a task report to: nobody hears but worker 0's user, and all stop together.
 */
static int cv_runner_progress(void *user, const hsp_progress *progress)
{
    cv_runner_worker *worker = user;
    (void)progress;
    if (worker->number == 0) cv_runner_ask(worker->state);
    return cv_runner_over(worker);
}

static hsp_status cv_runner_no_chances(hsp__score score, const hsp_options *learner, hsp_error *err)
{
    return hsp__fail_option(
        err, "--score", "%s needs probabilities, which %s models with these options do not have%s",
        hsp__score_name(score), hsp_options_table(learner)->name,
        hsp__options_have(learner, "calibrate") ? "; add --calibrate platt" : "");
}

/* ---- A run ----------------------------------------------------------------------------------- */

/* Who was predicted as what, for the user. Nobody else writes to these rows. */
static void cv_runner_keep(const hsp__cv_runner *all, const uint64_t *row, const hsp__scored *rows)
{
    hsp__held_rows *held = all->held;
    for (uint64_t k = 0; k < rows->rows; k++) {
        held->predicted[row[k]] = rows->predicted[k];
        memcpy(held->ranking + row[k] * rows->columns, rows->ranking + k * rows->columns,
               rows->columns * sizeof(double));
        for (uint32_t c = 0; c < rows->classes; c++)
            held->probability[row[k] * rows->classes + c] =
                rows->probability ? rows->probability[k * rows->classes + c] : (double)NAN;
    }
}

/* What is predicted against what is true. */
static hsp_status cv_runner_measure(cv_runner_worker *worker, const cv_runner_fold *fold,
                                    hsp__scored *rows, hsp_fold *out)
{
    cv_runner_state *state = worker->state;
    const hsp__cv_runner *all = state->all;
    rows->weight = fold->weight;
    for (uint64_t i = 0; i < rows->rows; i++) {
        out->mistakes += rows->predicted[i] != rows->truth[i];
        out->ties += rows->predicted[i] == HSP_NO_CLASS && out->stop != HSP_STOP_INSEPARABLE;
    }
    out->error = (double)out->mistakes / (double)out->rows;
    HSP__TRY(hsp__score_rows(&worker->ctx, rows, all->score, &worker->err, &out->score));
    HSP__TRY(hsp__score_majority(&worker->ctx, rows, all->score, &worker->err, &out->majority));
    if (all->held) cv_runner_keep(all, fold->row, rows);
    if (!all->confusion) return HSP_OK;
    pthread_mutex_lock(&state->mutex);
    for (uint64_t i = 0; i < rows->rows; i++)
        if (rows->predicted[i] != HSP_NO_CLASS)
            all->confusion[(uint64_t)rows->truth[i] * rows->classes + rows->predicted[i]]++;
    pthread_mutex_unlock(&state->mutex);
    return HSP_OK;
}

/* Learn at one point, measure on what is held out. *model: in, where to begin; out, what was
 * learned, NULL when no model came of it. */
static hsp_status cv_runner_point(cv_runner_worker *worker, uint32_t number, uint64_t point,
                                  hsp_model **model, hsp_fold *out)
{
    const hsp__cv_runner *all = worker->state->all;
    const hsp__folds *folds = all->folds;
    const cv_runner_fold *fold = &worker->state->folds[number];
    const hsp__scored_kind kind = all->held ? HSP__SCORED_ALL : hsp__scored_kind_of(all->score);
    const hsp_view *view;
    hsp_model *learned = NULL;
    hsp_training run = {.size = sizeof run};
    hsp_fold result = {.rows = hsp_data_rows(fold->held)};
    hsp_status status = hsp_train_from(&worker->ctx, fold->train, all->points[point], *model,
                                       &worker->err, &run, &learned);
    hsp_model_free(*model);
    *model = learned;
    if (status == HSP_BAD_DATA) { /* perhaps with the rows of this fold alone */
        const hsp_error found = worker->err;
        snprintf(worker->err.message, sizeof worker->err.message,
                 "while fold %u is held out, %.450s", (unsigned)number + 1, found.message);
    }
    if (status) return status;
    hsp_evidence_free(run.evidence);
    result.stop = run.stop;
    HSP__TRY(hsp_data_view(&worker->ctx, fold->held, &worker->err, &view));
    hsp__scratch scratch = {.memory = &worker->ctx.allocator};
    hsp__scored rows;
    status = learned ? hsp__scored_rows(&worker->ctx, learned, view, folds->class_of, kind,
                                        &scratch, &worker->err, &rows)
                     : hsp__scored_nothing(view, folds->class_of, folds->class_names.count,
                                           &scratch, &worker->err, &rows);
    if (!status && learned && hsp__score_needs_probability(all->score) && !rows.probability)
        status = cv_runner_no_chances(all->score, all->points[point], &worker->err);
    assert(status || rows.classes == folds->class_names.count);
    if (!status) status = cv_runner_measure(worker, fold, &rows, &result);
    hsp__scratch_free(&scratch);
    if (!status) *out = result;
    return status;
}

/* ---- A task ---------------------------------------------------------------------------------- */

static void cv_runner_drop(const hsp__cv_runner *all, cv_runner_fold *fold)
{
    hsp_data_free(fold->train);
    hsp_data_free(fold->held);
    hsp__free(&all->ctx->allocator, fold->row);
    hsp__free(&all->ctx->allocator, fold->weight);
    hsp__kernel_shared_free(fold->shared);
    fold->train = fold->held = NULL;
    fold->row = NULL;
    fold->weight = NULL;
    fold->shared = NULL;
}

/* The rows of a fold; nobody else has them yet. */
static hsp_status cv_runner_fill(cv_runner_worker *worker, uint32_t number, cv_runner_fold *fold)
{
    const hsp__cv_runner *all = worker->state->all;
    const hsp__folds *folds = all->folds;
    uint64_t at = 0;
    HSP__TRY(hsp__folds_part(&worker->ctx, folds, all->data, number, &worker->err, &fold->train,
                             &fold->held));
    if (worker->state->share) {
        fold->shared = hsp__kernel_shared_new(&worker->ctx, worker->state->share);
        fold->train->shared = fold->shared; /* without it nothing is shared */
    }
    const uint64_t rows = hsp_data_rows(fold->held);
    fold->row = hsp__new_raw(&worker->ctx.allocator, rows, sizeof *fold->row);
    if (all->weight) fold->weight = hsp__new_raw(&worker->ctx.allocator, rows, sizeof(double));
    if (!fold->row || (all->weight && !fold->weight)) return hsp__fail_memory(&worker->err);
    for (uint64_t i = 0; i < folds->total; i++) {
        if (hsp__folds_holds(folds, i) != number) continue;
        fold->row[at] = i;
        if (all->weight) fold->weight[at] = all->weight[i];
        at++;
    }
    assert(at == rows);
    return HSP_OK;
}

static void cv_runner_task(cv_runner_worker *worker)
{
    cv_runner_state *state = worker->state;
    const hsp__cv_runner *all = state->all;
    const uint32_t number = (uint32_t)(worker->task / state->paths);
    const uint64_t first = worker->task % state->paths * all->path;
    cv_runner_fold *fold = &state->folds[number];
    hsp_model *model = NULL;
    hsp_status status = HSP_OK;
    pthread_mutex_lock(&fold->mutex);
    if (!fold->row) {
        status = cv_runner_fill(worker, number, fold);
        if (status) cv_runner_drop(all, fold); /* another task may try again */
    }
    pthread_mutex_unlock(&fold->mutex);
    for (uint64_t k = 0; !status && k < all->path && !cv_runner_over(worker); k++) {
        const uint64_t point = first + (all->along ? all->along[k] : k);
        if (!all->warm) {
            hsp_model_free(model);
            model = NULL;
        }
        /* threads that have no task of their own help inside this one */
        const int spare = atomic_load(&state->next) >= state->tasks;
        const int busy = spare ? atomic_load(&state->running) : state->workers;
        const int share = state->threads / (busy < 1 ? 1 : busy);
        worker->ctx.threads = share > 1 ? share : 1;
        status = cv_runner_point(worker, number, point, &model,
                                 &all->results[point * all->folds->count + number]);
        atomic_fetch_add(&state->done, 1);
        if (worker->number == 0) cv_runner_ask(state);
    }
    hsp_model_free(model);
    pthread_mutex_lock(&state->mutex);
    /* (cancelled by cv_runner_progress: the reason is known) */
    if (status && status != HSP_CANCELLED && worker->task < atomic_load(&state->failed)) {
        state->status = status;
        state->err = worker->err;
        atomic_store(&state->failed, worker->task);
    }
    pthread_mutex_unlock(&state->mutex);
    pthread_mutex_lock(&fold->mutex);
    if (--fold->left == 0) cv_runner_drop(all, fold);
    pthread_mutex_unlock(&fold->mutex);
}

static void cv_runner_work(void *user, int number)
{
    cv_runner_state *state = user;
    const hsp_context *ctx = state->all->ctx;
    cv_runner_worker worker = {.state = state, .number = number, .ctx = hsp__quiet(ctx)};
    if (ctx->progress || state->all->deadline > 0) worker.ctx.progress = cv_runner_progress;
    worker.ctx.progress_user = &worker;
    for (;;) {
        atomic_fetch_add(&state->running, 1);
        worker.task = atomic_fetch_add(&state->next, 1);
        const int more = worker.task < state->tasks && !cv_runner_over(&worker);
        if (more) cv_runner_task(&worker);
        atomic_fetch_sub(&state->running, 1);
        if (!more) break;
    }
    /* the caller's thread has nothing left to do; the user may still want to stop the others */
    while (number == 0 && ctx->progress && atomic_load(&state->running) > 0) {
        nanosleep(&(struct timespec){0, CV_RUNNER_LOOK}, NULL);
        cv_runner_ask(state);
    }
}

/* ---- All of them ----------------------------------------------------------------------------- */

/* The tasks of this rank. */
static hsp_status cv_runner_share(const hsp__cv_runner *runner, hsp_error *err)
{
    const hsp_ranks alone = {.count = 1}, *ranks = runner->ranks ? runner->ranks : &alone;
    const uint64_t count = (uint64_t)ranks->count, rank = (uint64_t)ranks->rank;
    hsp_context *ctx = runner->ctx;
    const hsp_options *options = runner->points[0];
    const uint32_t folds = runner->folds->count;
    cv_runner_state state = {
        .all = runner, .paths = runner->count / runner->path, .threads = hsp_context_threads(ctx)};
    state.first = hsp__part(state.paths * folds, count, rank);
    state.tasks = hsp__part(state.paths * folds, count, rank + 1);
    const uint64_t own = state.tasks - state.first;
    if (!own) return HSP_OK;
    state.workers = own < (uint64_t)state.threads ? (int)own : state.threads;
    /* Kernel values of a run take no more than its option cache-mb, and never more than twice those
     * of all pairs of rows. As many runs go side by side as have room within that limit together,
     * and where there is room for the inner products of a fold's rows, all of its runs share them. */
    if (hsp__option_text(options, "kernel") && !hsp__option_text(options, "approx")) {
        const int limited = hsp__options_have(options, "cache-mb");
        const double rows = (double)hsp_data_rows(runner->data);
        const double train = folds > 1 ? rows - floor(rows / (double)folds) : rows;
        const int wide = !limited || runner->data->view.precision == HSP_FLOAT64 ||
                         hsp_options_real(options, "gap") < 1e-7;
        const double square = train * train * (double)(wide ? sizeof(double) : sizeof(float));
        const double most =
            limited ? hsp_options_real(options, "cache-mb") * 1048576 : (double)CV_RUNNER_SHARED;
        const double values = limited ? fmin(2 * square, most) : 0;
        const int share = runner->count > 1 && values + square <= most;
        const double each = values + (share ? square : 0);
        if (share) state.share = (uint64_t)square;
        if (each > 0 && (double)state.workers > most / each)
            state.workers = most / each < 1 ? 1 : (int)(most / each);
    }
    atomic_store(&state.next, state.first);
    atomic_store(&state.failed, UINT64_MAX);
    state.folds = hsp__new(&ctx->allocator, folds, sizeof *state.folds);
    if (!state.folds) return hsp__fail_memory(err);
    pthread_mutex_init(&state.mutex, NULL);
    for (uint32_t f = 0; f < folds; f++) {
        pthread_mutex_init(&state.folds[f].mutex, NULL);
    }
    for (uint64_t t = state.first; t < state.tasks; t++)
        state.folds[t / state.paths].left++;
    hsp__workers_run(ctx, state.workers, cv_runner_work, &state);
    for (uint32_t f = 0; f < folds; f++) { /* tasks that nobody came to left their rows here */
        cv_runner_drop(runner, &state.folds[f]);
        pthread_mutex_destroy(&state.folds[f].mutex);
    }
    pthread_mutex_destroy(&state.mutex);
    hsp__free(&ctx->allocator, state.folds);
    if (atomic_load(&state.cancelled) == HSP__STOP_LATE)
        return hsp__fail_at(err, HSP_TIME_LIMIT, "--max-seconds", 0, 0,
                            "the time limit was reached before one fold was finished; allow more "
                            "seconds");
    if (atomic_load(&state.cancelled))
        return hsp__fail(err, HSP_CANCELLED, "stopped on request while cross-validating");
    if (state.status && err) *err = state.err;
    return state.status;
}

hsp_status hsp__cv_runner_run(const hsp__cv_runner *runner, hsp_error *err)
{
    const hsp_ranks *ranks = runner->ranks;
    const uint64_t classes = runner->folds->class_names.count, rows = runner->folds->total;
    const hsp__held_rows *held = runner->held;
    const hsp_status status = cv_runner_share(runner, err);
    if (!ranks) return status;
    hsp__shard all = {.ranks = ranks};
    hsp_context sums = *runner->ctx;
    sums.shard = &all;
    hsp__ranks_merge(ranks, runner->results,
                     runner->count * runner->folds->count * sizeof *runner->results);
    if (runner->confusion) hsp__shard_add(&sums, runner->confusion, classes * classes);
    if (held) {
        hsp__ranks_merge(ranks, held->predicted, rows * sizeof *held->predicted);
        hsp__ranks_merge(ranks, held->ranking, rows * held->columns * sizeof *held->ranking);
        hsp__ranks_merge(ranks, held->probability, rows * classes * sizeof *held->probability);
    }
    return hsp__ranks_agree(ranks, status, err); /* of the lowest rank, so of the first task */
}

/* ---- What learners are told ------------------------------------------------------------------ */

hsp_status hsp__cv_runner_check(const hsp_options *learner, hsp_error *err)
{
    if (!hsp__learner_of(learner))
        return hsp__fail(err, HSP_USAGE, "'%s' is not a learner", hsp_options_table(learner)->name);
    static const char *const logs[] = {"trace", "convergence"};
    for (size_t i = 0; i < sizeof logs / sizeof *logs; i++)
        if (hsp__option_text(learner, logs[i]))
            return hsp__fail_option(err, i ? "--convergence" : "--trace",
                                    "cross-validation makes one run per fold; use train for a %s",
                                    i ? "log of its passes" : "trace");
    if (hsp__option_text(learner, "warm-start"))
        return hsp__fail_option(err, "--warm-start",
                                "a warm-start model may have seen the held-out rows, so "
                                "cross-validation does not use one");
    return HSP_OK;
}

hsp_status hsp__cv_runner_limits(hsp_options *point, const hsp_options *validate, double began,
                                 hsp_error *err, double *deadline)
{
    const double whole = hsp__option_real(point, "max-seconds", 0);
    *deadline = whole > 0 ? began + whole : 0;
    if (!hsp__options_have(point, "max-seconds")) return HSP_OK;
    HSP__TRY(hsp__options_reset(point, "max-seconds", err));
    if (!validate || !(hsp_options_real(validate, "run-seconds") > 0)) return HSP_OK;
    return hsp_options_set_real(point, "max-seconds", hsp_options_real(validate, "run-seconds"),
                                err);
}

hsp_status hsp__cv_runner_score(const hsp_options *validate, const hsp_options *learner,
                                hsp_error *err, hsp__score *out)
{
    *out = validate ? hsp__score_of(hsp_options_text(validate, "score")) : HSP__SCORE_ERROR;
    assert(*out < HSP__SCORES);
    const int linked =
        hsp__options_have(learner, "link") && !hsp__option_is(learner, "link", "none");
    const int has = hsp__calibrate_wanted(learner) || linked ||
                    strcmp(hsp_options_table(learner)->name, "knn") == 0;
    if (has || !hsp__score_needs_probability(*out)) return HSP_OK;
    return cv_runner_no_chances(*out, learner, err);
}
