/* Options chosen by cross-validation.
 *
 * Every point of a grid (grid.h) is tried on the same folds. Along the first option that is a
 * number, learners that minimise begin each run at what the run before it found on the same rows
 * (weights, and dual weights where the learner keeps them), from the strongest penalty to the
 * weakest: neighbouring optima lie near each other. A start changes how long a run takes, not where
 * it ends: to the gap that was asked for. Learners whose result depends on the start begin
 * from zero.
 *
 * The rows of a fold are copied once, for all points. One task is a path on a fold. */
#include "base/base.h"
#include "base/json.h"
#include "data/shard.h"
#include "learn/option_helpers.h"
#include "base/sized_report.h"
#include "learn/select/default_grid.h"
#include "learn/select/grid.h"
#include "learn/select/tune.h"
#include "learn/learner.h"
#include "learn/select/cv_runner.h"
#include "learn/input_checks.h"
#include "learn/row_weights.h"
#include "model/model.h"
#include "model/scored_rows.h"

static const hsp_option tune_options[] = {
    {"tune", HSP_OPTION_LIST, NULL, 0, 0, NULL, "NAME=VALUES",
     "an option, or a name in --kernel, and the values to try: LOW:HIGH:log:COUNT, "
     "LOW:HIGH:lin:COUNT, or A,B,C; without --tune, values that suit the learner"},
    {"choose", HSP_OPTION_CHOICE, "best", 0, 0, "best|one-standard-error", NULL,
     "the point with the best score, or the simplest one within one standard error of it"},
    HSP__INTEGER("nested", "0", 0, 1000, "K",
                 "measure the whole procedure, tuning included, on K outer folds; 0: do not"),
    HSP__FOLD_OPTIONS};

const hsp_option_table *hsp_tune_options(void)
{
    static const hsp_option_table table = {"tune", "options of tuning", tune_options,
                                           sizeof tune_options / sizeof *tune_options};
    return &table;
}

struct hsp_tuning {
    hsp_allocator memory;
    const hsp_ranks *ranks; /* which share the runs on folds; NULL: one process */
    hsp__grid grid;
    uint32_t folds;
    hsp__score score;
    hsp_fold *results;    /* points * folds */
    hsp_held_out *points; /* points */
    double began;         /* when, by hsp__clock: the time limit is for everything since */
    hsp_stop stop;        /* why the search ended */
    int has_nested;
    hsp_held_out nested; /* of the whole procedure */
    uint64_t best, chosen;
};

static hsp_tuning *tune_new(hsp_context *ctx)
{
    hsp_tuning *tuning = hsp__new(&ctx->allocator, 1, sizeof *tuning);
    if (!tuning) return NULL;
    tuning->memory = tuning->grid.memory = ctx->allocator;
    tuning->began = hsp__clock();
    return tuning;
}

/* ---- Trying ---------------------------------------------------------------------------------- */

static hsp_status tune_run(hsp_context *ctx, hsp_data *data, const hsp_options *learner,
                           const hsp_options *tune, const hsp__folds *folds, hsp_tuning *tuning,
                           hsp_error *err)
{
    const hsp__grid *grid = &tuning->grid;
    /* a run that stops by a gap may begin at another's model and still end where it would have */
    const int starts =
        hsp__learner_of(learner)->can_warm_start && hsp__options_have(learner, "gap");
    const int warm = starts && grid->along > 1, keep = hsp__options_have(learner, "keep-dual");
    hsp__scratch scratch = {.memory = &ctx->allocator};
    hsp_options **points = hsp__scratch_new(&scratch, grid->points, sizeof *points);
    uint64_t *order = hsp__scratch_new(&scratch, grid->along, sizeof *order);
    double *weight = NULL, deadline = 0;
    tuning->results = hsp__new(&ctx->allocator, grid->points * folds->count, sizeof(hsp_fold));
    tuning->points = hsp__new(&ctx->allocator, grid->points, sizeof *tuning->points);
    hsp_status status = HSP_OK;
    if (scratch.failed || !tuning->results || !tuning->points) status = hsp__fail_memory(err);
    for (uint64_t p = 0; !status && p < grid->points; p++) {
        status = hsp__grid_options(ctx, grid, learner, p, err, &points[p]);
        if (!status) status = hsp__cv_runner_limits(points[p], tune, tuning->began, err, &deadline);
        if (!status && starts && keep) status = hsp_options_set(points[p], "keep-dual", "yes", err);
    }
    if (!status) status = hsp__row_weights_of(ctx, data, learner, err, &weight);
    if (!status) {
        hsp__grid_order(grid, order);
        const hsp__cv_runner runner = {.ctx = ctx,
                                       .ranks = tuning->ranks,
                                       .data = data,
                                       .folds = folds,
                                       .points = points,
                                       .count = grid->points,
                                       .path = warm ? grid->along : 1,
                                       .along = warm ? order : NULL,
                                       .warm = warm,
                                       .score = tuning->score,
                                       .deadline = deadline,
                                       .weight = weight,
                                       .results = tuning->results};
        status = hsp__cv_runner_run(&runner, err);
    }
    tuning->stop = status == HSP_CANCELLED    ? HSP_STOP_REQUEST
                   : status == HSP_TIME_LIMIT ? HSP_STOP_SECONDS
                                              : HSP_STOP_CONVERGED;
    uint64_t seen = 0; /* rows that were predicted */
    for (uint64_t p = 0; tuning->results && tuning->points && p < grid->points; p++) {
        tuning->points[p] =
            hsp__held_out(tuning->results + p * folds->count, folds->count, tuning->score);
        seen += tuning->points[p].rows;
    }
    /* a search that was ended early still has its best point so far */
    if (seen && (status == HSP_CANCELLED || status == HSP_TIME_LIMIT)) status = HSP_OK;
    hsp__free(&ctx->allocator, weight);
    for (uint64_t p = 0; points && p < grid->points; p++)
        hsp_options_free(points[p]);
    hsp__scratch_free(&scratch);
    return status;
}

/* ---- The table, kept with the model ---------------------------------------------------------- */

static hsp_status tune_set_fact(hsp_context *ctx, const hsp_tuning *tuning, const hsp_options *tune,
                                hsp_model *model, hsp_error *err)
{
    hsp__text text;
    hsp__text_init(&text, &ctx->allocator);
    hsp__text_printf(
        &text, "{\"folds\":%u,\"fold_seed\":%lld,\"choose\":\"%s\",\"score\":\"%s\",\"options\":[",
        (unsigned)tuning->folds, (long long)hsp_options_integer(tune, "fold-seed"),
        hsp_options_text(tune, "choose"), hsp__score_name(tuning->score));
    for (size_t a = 0; a < tuning->grid.count; a++) {
        const char *name = hsp_tuning_option(tuning, a);
        if (a) hsp__text_puts(&text, ",");
        hsp__json_put_string(&text, name, strlen(name));
    }
    hsp__text_puts(&text, "],\"points\":[");
    for (uint64_t p = 0; p < tuning->grid.points; p++) {
        const hsp_held_out *all = &tuning->points[p];
        hsp__text_puts(&text, p ? ",{\"values\":[" : "{\"values\":[");
        for (size_t a = 0; a < tuning->grid.count; a++) {
            const char *value = hsp_tuning_value(tuning, p, a);
            if (a) hsp__text_puts(&text, ",");
            hsp__json_put_string(&text, value, strlen(value));
        }
        hsp__text_puts(&text, "],\"error\":");
        hsp__json_put_number(&text, all->error);
        hsp__text_puts(&text, ",\"standard_error\":");
        hsp__json_put_number(&text, all->standard_error);
        hsp__text_puts(&text, ",\"score\":");
        hsp__json_put_number(&text, all->score);
        hsp__text_puts(&text, ",\"score_standard_error\":");
        hsp__json_put_number(&text, all->score_standard_error);
        hsp__text_printf(&text, ",\"unconverged\":%u,\"inseparable\":%u,\"unfinished\":%u}",
                         (unsigned)all->unconverged, (unsigned)all->inseparable,
                         (unsigned)all->unfinished);
    }
    hsp__text_printf(&text, "],\"best\":%llu,\"chosen\":%llu}", (unsigned long long)tuning->best,
                     (unsigned long long)tuning->chosen);
    hsp_status status = text.failed ? hsp__fail_memory(err)
                                    : hsp__model_set_metadata(model, "tuning", text.data, err);
    hsp__text_free(&text);
    return status;
}

/* ---- The whole, without a fold ---------------------------------------------------------------- */

/* Train with what was chosen on some rows; measure on others. */
static hsp_status tune_measure(hsp_context *ctx, const hsp_tuning *tuning, hsp_data *train,
                               hsp_data *held, const hsp__folds *outer, const hsp_options *learner,
                               hsp_error *err, hsp_fold *out)
{
    hsp__scratch scratch = {.memory = &ctx->allocator};
    hsp_training run = {.size = sizeof run};
    hsp_options *chosen = NULL;
    hsp_model *model = NULL;
    hsp__scored rows;
    double *weight = NULL;
    const hsp_view *view;
    HSP__TRY(hsp_data_view(ctx, held, err, &view));
    hsp_status status =
        hsp__grid_options(ctx, &tuning->grid, learner, tuning->chosen, err, &chosen);
    if (!status) status = hsp_train(ctx, train, chosen, err, &run, &model);
    if (!status) hsp_evidence_free(run.evidence);
    if (!status)
        status = model ? hsp__scored_rows(ctx, model, view, outer->class_of,
                                          hsp__scored_kind_of(tuning->score), &scratch, err, &rows)
                       : hsp__scored_nothing(view, outer->class_of, outer->class_names.count,
                                             &scratch, err, &rows);
    if (!status) status = hsp__row_weights_of(ctx, held, learner, err, &weight);
    if (!status) {
        rows.weight = weight;
        *out = (hsp_fold){.rows = rows.rows, .stop = run.stop};
        for (uint64_t i = 0; i < rows.rows; i++)
            out->mistakes += rows.predicted[i] != rows.truth[i];
        out->error = (double)out->mistakes / (double)out->rows;
        status = hsp__score_rows(ctx, &rows, tuning->score, err, &out->score);
    }
    if (!status) status = hsp__score_majority(ctx, &rows, tuning->score, err, &out->majority);
    hsp__free(&ctx->allocator, weight);
    hsp__scratch_free(&scratch);
    hsp_model_free(model);
    hsp_options_free(chosen);
    return status;
}

static hsp_status tune_choose(hsp_context *ctx, hsp_data *data, const hsp_options *learner,
                              const hsp_options *tune, const hsp__folds_how *how,
                              hsp_tuning *tuning, hsp_error *err);

/* Nested cross-validation: each outer fold measures what is chosen on the others. */
static hsp_status tune_nested(hsp_context *ctx, hsp_data *data, const hsp_options *learner,
                              const hsp_options *tune, hsp_tuning *tuning, hsp_error *err)
{
    hsp__folds outer;
    hsp__folds_how how, search;
    HSP__TRY(hsp__folds_how_of(tune, err, &search));
    how = search;
    how.count = (uint32_t)hsp_options_integer(tune, "nested");
    how.seed++; /* not the folds of the search */
    HSP__TRY(hsp__folds_make(ctx, data, learner, &how, err, &outer));
    hsp_fold *results = hsp__new(&ctx->allocator, how.count, sizeof *results);
    hsp_status status = results ? HSP_OK : hsp__fail_memory(err);
    for (uint32_t f = 0; !status && f < how.count; f++) {
        hsp_data *train = NULL, *held = NULL;
        hsp_tuning *inner = tune_new(ctx);
        if (!inner) status = hsp__fail_memory(err);
        if (inner) inner->ranks = tuning->ranks, inner->began = tuning->began;
        if (!status) status = hsp__folds_part(ctx, &outer, data, f, err, &train, &held);
        if (!status) status = tune_choose(ctx, train, learner, tune, &search, inner, err);
        if (!status && inner->stop != HSP_STOP_CONVERGED) {
            tuning->stop = inner->stop;
            status = HSP_CANCELLED;
        }
        if (!status)
            status = tune_measure(ctx, inner, train, held, &outer, learner, err, &results[f]);
        if (tuning->ranks) { /* time limits may have come to each at another moment */
            if (tuning->ranks->rank) results[f] = (hsp_fold){0};
            hsp__ranks_merge(tuning->ranks, &results[f], sizeof results[f]);
            status = hsp__ranks_agree(tuning->ranks, status, err);
        }
        hsp_tuning_free(inner);
        hsp_data_free(train);
        hsp_data_free(held);
    }
    if (!status) tuning->nested = hsp__held_out(results, how.count, tuning->score);
    if (!status) tuning->has_nested = 1;
    /* stopped: there is no such score, but the best point is known */
    if (status == HSP_CANCELLED && tuning->stop == HSP_STOP_CONVERGED)
        tuning->stop = HSP_STOP_REQUEST;
    if (status == HSP_TIME_LIMIT) tuning->stop = HSP_STOP_SECONDS;
    if (status == HSP_CANCELLED || status == HSP_TIME_LIMIT) status = HSP_OK;
    hsp__free(&ctx->allocator, results);
    hsp__folds_free(&outer);
    return status;
}

/* ---- The whole ------------------------------------------------------------------------------- */

/* The points that are asked for, or those that suit the learner. */
static hsp_status tune_grid(hsp_context *ctx, hsp_data *data, const hsp_options *learner,
                            const hsp_options *tune, hsp__grid *grid, hsp_error *err)
{
    const size_t asked = hsp_options_list_count(tune, "tune");
    const char *name = hsp_options_table(learner)->name;
    hsp__names found;
    hsp__names_init(&found, &ctx->allocator);
    hsp_status status = asked ? HSP_OK : hsp__default_grid(ctx, data, learner, err, &found);
    const size_t count = asked ? asked : found.count;
    if (!status && !count)
        status = hsp__fail_option(err, "--tune",
                                  "%s with these options has nothing to tune by default; name an "
                                  "option and its values, or use cv",
                                  name);
    const char **specs = hsp__new(&ctx->allocator, count, sizeof *specs);
    if (!status && !specs) status = hsp__fail_memory(err);
    for (size_t i = 0; !status && i < count; i++)
        specs[i] =
            asked ? hsp_options_list_item(tune, "tune", i) : hsp__names_get(&found, (uint32_t)i);
    if (!status) status = hsp__grid_parse(ctx, learner, specs, count, err, grid);
    hsp__free(&ctx->allocator, specs);
    hsp__names_free(&found);
    return status;
}

static hsp_status tune_choose(hsp_context *ctx, hsp_data *data, const hsp_options *learner,
                              const hsp_options *tune, const hsp__folds_how *how,
                              hsp_tuning *tuning, hsp_error *err)
{
    hsp_options *first = NULL;
    hsp__folds folds;
    tuning->folds = how->used ? how->used : how->count;
    hsp_status status = tune_grid(ctx, data, learner, tune, &tuning->grid, err);
    if (!status) status = hsp__grid_options(ctx, &tuning->grid, learner, 0, err, &first);
    if (!status) status = hsp__cv_runner_score(tune, first, err, &tuning->score);
    if (!status) status = hsp__input_checks_admit(ctx, data, first, err);
    hsp_options_free(first);
    if (status) return status;
    HSP__TRY(hsp__folds_make(ctx, data, learner, how, err, &folds));
    status = tune_run(ctx, data, learner, tune, &folds, tuning, err);
    hsp__folds_free(&folds);
    if (!status)
        hsp__grid_choose(&tuning->grid, tuning->points, hsp__score_is_loss(tuning->score),
                         strcmp(hsp_options_text(tune, "choose"), "one-standard-error") == 0,
                         &tuning->best, &tuning->chosen);
    return status;
}

hsp_status hsp__tune_search(hsp_context *ctx, hsp_data *data, const hsp_options *learner,
                            const hsp_options *tune, const hsp__folds_how *how, hsp_error *err,
                            hsp_tuning **out)
{
    hsp_tuning *tuning = tune_new(ctx);
    const hsp_status status =
        tuning ? tune_choose(ctx, data, learner, tune, how, tuning, err) : hsp__fail_memory(err);
    if (status) hsp_tuning_free(tuning);
    if (!status) *out = tuning;
    return status;
}

hsp_status hsp_tune(hsp_context *ctx, hsp_data *data, const hsp_options *learner,
                    const hsp_options *tune, hsp_error *err, hsp_tuning **out, hsp_training *run,
                    hsp_model **model)
{
    HSP__NEED(err, ctx, data, learner);
    HSP__REPORT(err, run, hsp_training);
    HSP__TRY(hsp__cv_runner_check(learner, err));
    hsp_model *made = NULL;
    hsp_options *chosen = NULL, *defaults = NULL;
    hsp_training done = {.size = sizeof done};
    int stopped = 0; /* there is a model all the same */
    hsp__folds_how how = {0};
    hsp_data *whole = NULL; /* all rows, if they are divided among ranks */
    if (data->shard.ranks) HSP__TRY(hsp_data_gather(ctx, data, err, &whole));
    hsp_data *rows = whole ? whole : data;
    hsp_tuning *tuning = tune_new(ctx);
    if (!tuning) {
        hsp_data_free(whole);
        return hsp__fail_memory(err);
    }
    tuning->ranks = data->shard.ranks;
    hsp_status status = tune ? HSP_OK : hsp_options_new(ctx, hsp_tune_options(), err, &defaults);
    if (!tune) tune = defaults;
    if (!status) status = hsp__folds_how_of(tune, err, &how);
    if (!status) status = tune_choose(ctx, rows, learner, tune, &how, tuning, err);
    if (!status && tuning->stop == HSP_STOP_CONVERGED && hsp_options_integer(tune, "nested"))
        status = tune_nested(ctx, rows, learner, tune, tuning, err);
    hsp_data_free(whole);
    if (!status && model)
        status = hsp__grid_options(ctx, &tuning->grid, learner, tuning->chosen, err, &chosen);
    if (!status && model) {
        status = hsp_train(ctx, data, chosen, err, &done, &made);
        stopped = status == HSP_CANCELLED && made;
        if (stopped) status = HSP_OK;
    }
    if (!status && made) status = tune_set_fact(ctx, tuning, tune, made, err);
    hsp_options_free(chosen);
    hsp_options_free(defaults);
    if (status || !run) hsp_evidence_free(done.evidence);
    if (status) {
        hsp_model_free(made);
        hsp_tuning_free(tuning);
        return status;
    }
    if (model) hsp__report_give(run, &done, sizeof done);
    if (model) *model = made;
    *out = tuning;
    stopped |= tuning->stop == HSP_STOP_REQUEST;
    return stopped ? hsp__fail(err, HSP_CANCELLED, "stopped on request while tuning") : HSP_OK;
}

void hsp_tuning_free(hsp_tuning *tuning)
{
    if (!tuning) return;
    const hsp_allocator memory = tuning->memory;
    hsp__grid_free(&tuning->grid);
    hsp__free(&memory, tuning->results);
    hsp__free(&memory, tuning->points);
    hsp__free(&memory, tuning);
}

/* ---- Looking --------------------------------------------------------------------------------- */

const char *hsp_tuning_option(const hsp_tuning *tuning, size_t option)
{
    if (!tuning) return NULL;
    return option < tuning->grid.count ? tuning->grid.axes[option].option->name : NULL;
}

uint64_t hsp_tuning_points(const hsp_tuning *tuning)
{
    return tuning ? tuning->grid.points : 0;
}

const char *hsp_tuning_value(const hsp_tuning *tuning, uint64_t point, size_t option)
{
    return tuning ? hsp__names_get(&tuning->grid.axes[option].values,
                                   hsp__grid_value(&tuning->grid, point, option))
                  : NULL;
}

const hsp_held_out *hsp_tuning_held_out(const hsp_tuning *tuning, uint64_t point)
{
    return tuning ? &tuning->points[point] : NULL;
}

const hsp_fold *hsp_tuning_fold(const hsp_tuning *tuning, uint64_t point, uint32_t fold)
{
    return tuning ? &tuning->results[point * tuning->folds + fold] : NULL;
}

int hsp_tuning_edge(const hsp_tuning *tuning, size_t option)
{
    if (!tuning || option >= tuning->grid.count) return 0;
    return hsp__grid_edge(&tuning->grid, tuning->points, hsp__score_is_loss(tuning->score),
                          tuning->best, option);
}

hsp_stop hsp_tuning_stop(const hsp_tuning *tuning)
{
    return tuning ? tuning->stop : HSP_STOP_CONVERGED;
}

const hsp_held_out *hsp_tuning_nested(const hsp_tuning *tuning)
{
    return tuning && tuning->has_nested ? &tuning->nested : NULL;
}

uint64_t hsp_tuning_best(const hsp_tuning *tuning)
{
    return tuning ? tuning->best : 0;
}

uint64_t hsp_tuning_chosen(const hsp_tuning *tuning)
{
    return tuning ? tuning->chosen : 0;
}
