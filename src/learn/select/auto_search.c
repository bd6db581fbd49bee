/* Candidates, compared by cross-validation from coarse to fine. All runs go through tune: its
 * default grids, its paths with warm starts, its shared kernel values.
 *
 * Stage 1, on a small sample: every kind of model on its default grid, in each scaling. Stage 2, on
 * a larger sample: the neighbourhood of the best point of each kind, in half steps, and beyond it
 * where the best lies at its edge; the second scaling too, if it was within one standard error.
 * Stage 3, if that was a sample: the same on more rows, one quarter held out, beginning with larger
 * C and narrower kernels, which more rows ask for. Stage 4 decides between the contenders, on other
 * folds, or on all quarters: the best of many candidates that are equally good is the luckiest.
 *
 * Samples keep the classes' shares, and at least AUTO_RARE rows of each class. The sizes of samples
 * and neighbourhoods depend on the shape of the data alone, so the work is bounded and the result
 * has the same bits everywhere; only a time limit that is reached changes it. */
#include "learn/select/auto_search.h"

#include <stdio.h>
#include <stdlib.h>

#include "base/base.h"
#include "base/decimal.h"
#include "base/random.h"
#include "base/text.h"
#include "data/data.h"
#include "data/sweep.h"
#include "learn/option_helpers.h"
#include "learn/select/tune.h"

enum {
    AUTO_COARSE = 1200, /* rows of stage 1 */
    AUTO_COARSE_FOLDS = 3,
    AUTO_FOLDS = 5,  /* of stage 2 */
    AUTO_RARE = 10,  /* rows that a sample keeps of each class, if there are as many */
    AUTO_STRIPS = 3, /* by how many lines of points a neighbourhood may grow */
    AUTO_SIDE = 3 + AUTO_STRIPS,
    AUTO_NARROW = 500,          /* columns up to which sparse rows are also tried standardised */
    AUTO_LAST = 4,              /* the stage that decides */
    AUTO_CONTENDERS = 9,        /* candidates of it, if all rows were seen before */
    AUTO_SAMPLE_CONTENDERS = 3, /* if not */
    AUTO_REPEATS = 2            /* sets of other folds */
};
#define AUTO_FINE   6e9 /* hsp__auto_work that the RBF machines of stage 2 may take, each scaling */
#define AUTO_RUN    8e8 /* that one of stage 3 may take: there are fewer rows if it would be more */
#define AUTO_BUDGET 6e9 /* that all of them may take, each scaling */

enum { AUTO_LOGISTIC, AUTO_LINEAR, AUTO_KNN, AUTO_RBF, AUTO_KINDS };
static const char *const auto_learners[] = {"logistic", "svm", "knn", "svm"};

typedef struct auto_work {
    hsp_context *ctx;
    hsp_search *search;
    uint64_t seed;
    int loss;              /* a lower score is better */
    double deadline;       /* on hsp__clock; 0: none */
    const char *scales[2]; /* to try; NULL: no more */
    hsp_error *err;
} auto_work;

/* A call of tune. */
typedef struct auto_ask {
    hsp_data *data;
    int kind, stage;
    const char *scale, *vote;
    hsp__folds_how how;
    char specs[2][32 * AUTO_SIDE]; /* empty: the default grid */
} auto_ask;

/* ---- Samples --------------------------------------------------------------------------------- */

static int auto_ascending(const void *a, const void *b)
{
    const uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
    return (x > y) - (x < y);
}

/* About `count` rows, the classes in their shares. NULL in *out: all rows are few enough. */
static hsp_status auto_sample(const auto_work *work, hsp_data *data, uint64_t count, uint64_t seed,
                              hsp_data **out)
{
    hsp_context *ctx = work->ctx;
    const hsp_view *view;
    *out = NULL;
    HSP__TRY(hsp_data_view(ctx, data, work->err, &view));
    if (view->rows <= count) return HSP_OK;
    hsp__scratch scratch = {.memory = &ctx->allocator};
    uint64_t *order = hsp__scratch_new(&scratch, view->rows, sizeof *order);
    uint64_t *left = hsp__scratch_new(&scratch, view->classes, sizeof *left);
    hsp__random random;
    hsp__random_seed(&random, seed, 0);
    uint64_t taken = 0;
    for (uint64_t i = 0; !scratch.failed && i < view->rows; i++) {
        const uint64_t j = hsp__random_below(&random, i + 1);
        order[i] = order[j];
        order[j] = i;
        left[view->labels[i]]++;
    }
    for (uint32_t c = 0; !scratch.failed && c < view->classes; c++) {
        const double share = (double)left[c] * (double)count / (double)view->rows;
        const uint64_t rare = left[c] < AUTO_RARE ? left[c] : AUTO_RARE;
        left[c] = share > (double)rare ? (uint64_t)share : rare;
    }
    for (uint64_t i = 0; !scratch.failed && i < view->rows; i++)
        if (left[view->labels[order[i]]]) {
            left[view->labels[order[i]]]--;
            order[taken++] = order[i];
        }
    hsp_status status = scratch.failed ? hsp__fail_memory(work->err) : HSP_OK;
    if (!status) {
        qsort(order, (size_t)taken, sizeof *order, auto_ascending);
        status = hsp_data_select(ctx, data, order, taken, work->err, out);
    }
    hsp__scratch_free(&scratch);
    return status;
}

/* Rows of stage 2: fewer of many classes and of long rows. */
static uint64_t auto_size(const hsp_data *data)
{
    const double classes = hsp_data_classes(data);
    const double entries = (double)data->nonzeros / fmax((double)data->view.rows, 1);
    double most = 5000 / sqrt(fmax(classes, 2) / 2);
    most = fmin(fmax(most, 2500), 2e6 / fmax(entries, 1));
    return (uint64_t)fmax(most, AUTO_COARSE);
}

double hsp__auto_work(const hsp_data *data, double rows, double error)
{
    const double entries = (double)data->nonzeros / fmax((double)data->view.rows, 1);
    const double support = fmin(fmax(2 * error, 0.05), 1);
    const double classes = hsp_data_classes(data) > 2 ? hsp_data_classes(data) : 1;
    return rows * rows * support * fmin(entries, 100) * classes;
}

/* Dense rows: standard; and as they are, if the columns' spreads are of one size, as those of
 * pixels are. Sparse rows keep their zeros: max-abs, or none if no value is beyond 1; those of few
 * columns are also standardised, which makes them dense. */
static hsp_status auto_scales(auto_work *work, hsp_data *data)
{
    hsp__column_figures *columns = NULL;
    double least = HUGE_VAL, most = 0, value = 0;
    HSP__TRY(hsp__columns(work->ctx, data, HSP__COLUMNS_MOMENTS, "measuring", work->err, &columns));
    for (uint64_t j = 0; j < data->view.cols; j++) {
        value = fmax(value, fmax(fabs(columns[j].min), fabs(columns[j].max)));
        if (columns[j].stdev > 0) least = fmin(least, columns[j].max - columns[j].min);
        most = fmax(most, columns[j].max - columns[j].min);
    }
    hsp__free(&work->ctx->allocator, columns);
    if (data->view.storage != HSP_DENSE) {
        work->scales[0] = value <= 1 ? "none" : "max-abs";
        if (value > 1 && data->view.cols <= AUTO_NARROW) work->scales[1] = "standard";
        return HSP_OK;
    }
    work->scales[0] = "standard";
    if (most <= 20 * least) work->scales[1] = "none";
    return HSP_OK;
}

/* ---- Candidates ------------------------------------------------------------------------------ */

hsp_status hsp__auto_text(const hsp_allocator *memory, const hsp_options *options, hsp_error *err,
                          char **out)
{
    static const char *const shown[] = {"positive", "classes", "kernel", "gamma", "approx",
                                        "C",        "k",       "vote",   "scale"};
    hsp__text text;
    hsp__text_init(&text, memory);
    for (size_t i = 0; i < sizeof shown / sizeof *shown; i++) {
        if (!hsp__option_set(options, shown[i])) continue;
        const char *before = text.size ? " --" : "--";
        if (strcmp(shown[i], "C") == 0 || strcmp(shown[i], "gamma") == 0) {
            char number[HSP__DECIMAL_MAX];
            hsp__decimal_print_f64(hsp_options_real(options, shown[i]), number);
            hsp__text_printf(&text, "%s%s %s", before, shown[i], number);
        } else {
            hsp__text_printf(&text, "%s%s %s", before, shown[i],
                             hsp_options_text(options, shown[i]));
        }
    }
    if (!text.size) hsp__text_puts(&text, "");
    if (text.failed) return hsp__fail_memory(err);
    *out = text.data;
    return HSP_OK;
}

/* Is score a better than b? NaN is worst. */
static int auto_better(const auto_work *work, double a, double b)
{
    if (isnan(a) || isnan(b)) return !isnan(a) && isnan(b);
    return work->loss ? a < b - 1e-12 : a > b + 1e-12;
}

/* The best candidate of a stage, of a kind (-1: any), in a scaling (NULL: any). */
static hsp__auto_try *auto_best(const auto_work *work, int stage, int kind, const char *scale)
{
    hsp__auto_try *best = NULL;
    for (uint64_t t = 0; t < work->search->count; t++) {
        hsp__auto_try *one = &work->search->tries[t];
        if (one->stage != stage || (kind >= 0 && one->kind != kind) ||
            (scale && one->scale != scale))
            continue;
        if (!best || one->complete > best->complete ||
            (one->complete == best->complete &&
             auto_better(work, one->seen.score, best->seen.score)))
            best = one;
    }
    return best;
}

static int auto_late(const auto_work *work)
{
    return work->search->count && work->deadline > 0 && hsp__clock() >= work->deadline;
}

/* Keep a candidate; its options and text are the search's from here on, or freed. */
static hsp_status auto_keep(auto_work *work, const auto_ask *ask, hsp_options *options,
                            const hsp_held_out *all)
{
    hsp_search *search = work->search;
    const double nan = (double)NAN;
    hsp__auto_try try = {.options = options,
                         .scale = ask->scale,
                         .kind = ask->kind,
                         .stage = ask->stage,
                         .complete = all && !all->unfinished,
                         .C = hsp__option_real(options, "C", 0),
                         .gamma = ask->kind == AUTO_RBF ? hsp_options_real(options, "gamma") : 0};
    hsp_status status = hsp__auto_text(&search->memory, options, work->err, &try.text);
    if (!status && !hsp__reserve(&search->memory, (void **)&search->tries, &search->room,
                                 search->count + 1, sizeof *search->tries))
        status = hsp__fail_memory(work->err);
    if (status) {
        hsp_options_free(options);
        hsp__free(&search->memory, try.text);
        return status;
    }
    try.seen = (hsp_search_try){.learner = auto_learners[ask->kind],
                                .options = try.text,
                                .rows = hsp_data_rows(ask->data),
                                .folds = all ? all->folds - all->unfinished : 0,
                                .error = all ? all->error : nan,
                                .score = all ? all->score : nan,
                                .standard_error = all ? all->score_standard_error : nan};
    search->tries[search->count++] = try;
    return HSP_OK;
}

/* The options of a kind, without those that are tuned. */
static hsp_status auto_learner(const auto_work *work, const auto_ask *ask, hsp_options **out)
{
    hsp_options *options = NULL;
    HSP__TRY(hsp_options_for(work->ctx, auto_learners[ask->kind], work->err, &options));
    hsp_status status = HSP_OK;
    if (ask->kind == AUTO_RBF) status = hsp_options_set(options, "kernel", "rbf", work->err);
    if (!status && ask->vote) status = hsp_options_set(options, "vote", ask->vote, work->err);
    if (!status && strcmp(ask->scale, "none") != 0)
        status = hsp_options_set(options, "scale", ask->scale, work->err);
    if (status) hsp_options_free(options);
    if (!status) *out = options;
    return status;
}

/* The points of a call of tune that were tried, as candidates. */
static hsp_status auto_collect(auto_work *work, const auto_ask *ask, const hsp_options *learner,
                               const hsp_tuning *tuning)
{
    hsp_status status = HSP_OK;
    for (uint64_t p = 0; !status && p < hsp_tuning_points(tuning); p++) {
        const hsp_held_out *all = hsp_tuning_held_out(tuning, p);
        hsp_options *options = NULL;
        const char *name;
        if (all->unfinished == all->folds) continue;
        status = hsp_options_copy(work->ctx, learner, work->err, &options);
        for (size_t a = 0; !status && (name = hsp_tuning_option(tuning, a)); a++)
            status = hsp_options_set(options, name, hsp_tuning_value(tuning, p, a), work->err);
        if (status)
            hsp_options_free(options);
        else
            status = auto_keep(work, ask, options, all);
    }
    return status;
}

/* Tune a kind on some rows; every point is a candidate. No candidates, and HSP_OK, if the learner
 * cannot learn from these rows, but others did. */
static hsp_status auto_tune(auto_work *work, const auto_ask *ask)
{
    hsp_search *search = work->search;
    hsp_options *learner = NULL, *tune = NULL, *limited = NULL;
    hsp_tuning *tuning = NULL;
    hsp_error failed = {0};
    if (auto_late(work)) return HSP_OK;
    HSP__TRY(auto_learner(work, ask, &learner));
    hsp_status status = hsp_options_copy(work->ctx, learner, work->err, &limited);
    if (!status) status = hsp_options_new(work->ctx, hsp_tune_options(), work->err, &tune);
    if (!status) status = hsp_options_set(tune, "score", search->report.score_name, work->err);
    for (int s = 0; !status && s < 2 && ask->specs[s][0]; s++)
        status = hsp_options_set(tune, "tune", ask->specs[s], work->err);
    if (!status && work->deadline > 0 && hsp__options_have(learner, "max-seconds"))
        status = hsp_options_set_real(limited, "max-seconds",
                                      fmax(work->deadline - hsp__clock(), 0.01), work->err);
    if (!status) {
        status = hsp__tune_search(work->ctx, ask->data, limited, tune, &ask->how, &failed, &tuning);
        if (!status) status = auto_collect(work, ask, learner, tuning);
        if (status == HSP_TIME_LIMIT || (!status && hsp_tuning_stop(tuning) == HSP_STOP_SECONDS))
            search->report.stop = HSP_STOP_SECONDS;
        if (!status && hsp_tuning_stop(tuning) == HSP_STOP_REQUEST)
            status = hsp__fail(work->err, HSP_CANCELLED, "stopped on request while searching");
        else if (status == HSP_TIME_LIMIT ||
                 ((status == HSP_USAGE || status == HSP_BAD_DATA) && search->count))
            status = HSP_OK;
        else if (status && failed.message[0] && work->err)
            *work->err = failed;
    }
    hsp_tuning_free(tuning);
    hsp_options_free(tune);
    hsp_options_free(limited);
    hsp_options_free(learner);
    return status;
}

/* ---- Neighbourhoods -------------------------------------------------------------------------- */

/* A number in three digits, which can be typed; its value too. */
static double auto_round(double x)
{
    char text[32];
    double value = x;
    hsp__decimal_result result;
    snprintf(text, sizeof text, "%.2e", x);
    hsp__decimal_f64(text, text + strlen(text), &value, &result);
    return value;
}

/* "NAME=" and the numbers base * ratio^k for k from low to high. */
static void auto_spec(char *spec, size_t room, const char *name, double base, double ratio, int low,
                      int high)
{
    size_t size = (size_t)snprintf(spec, room, "%s=", name);
    for (int k = low; k <= high; k++) {
        char number[HSP__DECIMAL_MAX];
        hsp__decimal_print_f64(auto_round(base * pow(ratio, k)), number);
        size += (size_t)snprintf(spec + size, room - size, "%s%s", k > low ? "," : "", number);
    }
    assert(size < room);
}

/* The points around a candidate: C in steps of sqrt(10), gamma in steps of 2. Up to `strips` lines of
 * points are added where the best lies at the edge. On more rows (stage 3), only the larger ones,
 * and the point alone if there are few `points` to spend. */
static hsp_status auto_around(auto_work *work, auto_ask ask, double C, double gamma, int points,
                              int strips)
{
    const double ratio[2] = {sqrt(10), 2};
    const int axes = gamma > 0 ? 2 : 1, down = ask.stage < 3 ? -1 : 0;
    const int up = ask.stage < 3 || points > axes;
    int low[2] = {down, axes == 2 ? down : 0}, high[2] = {up, up && axes == 2};
    int from[2] = {low[0], low[1]}, to[2] = {high[0], high[1]}; /* of the next call */
    const double center[2] = {pow(10, round(2 * log10(C)) / 2), gamma};
    for (int strip = 0; strip <= strips; strip++) {
        points -= (to[0] - from[0] + 1) * (to[1] - from[1] + 1);
        if (strip && points < 0) break;
        auto_spec(ask.specs[0], sizeof ask.specs[0], "C", center[0], ratio[0], from[0], to[0]);
        if (axes == 2)
            auto_spec(ask.specs[1], sizeof ask.specs[1], "gamma", center[1], ratio[1], from[1],
                      to[1]);
        HSP__TRY(auto_tune(work, &ask));
        const hsp__auto_try *best = auto_best(work, ask.stage, ask.kind, ask.scale);
        if (!best) break;
        int axis = 0, way = 0;
        for (; axis < axes; axis++) {
            const double value = axis ? best->gamma : best->C;
            const int at = (int)round(log(value / center[axis]) / log(ratio[axis]));
            way = at >= high[axis] ? 1 : at <= low[axis] ? -1 : 0;
            if (way) break;
        }
        if (!way) break;
        from[0] = low[0], from[1] = low[1], to[0] = high[0], to[1] = high[1];
        from[axis] = to[axis] = way > 0 ? ++high[axis] : --low[axis];
    }
    return HSP_OK;
}

/* ---- Stages ---------------------------------------------------------------------------------- */

static hsp_status auto_coarse(auto_work *work, hsp_data *data)
{
    hsp_data *small = NULL;
    HSP__TRY(auto_sample(work, data, AUTO_COARSE, work->seed + 1, &small));
    auto_ask ask = {.data = small ? small : data,
                    .stage = 1,
                    .how = {.count = AUTO_COARSE_FOLDS, .seed = work->seed}};
    hsp_status status = HSP_OK;
    for (ask.kind = 0; !status && ask.kind < AUTO_KINDS; ask.kind++)
        for (int s = 0; !status && s < 2 && work->scales[s]; s++) {
            ask.scale = work->scales[s];
            status = auto_tune(work, &ask);
        }
    hsp_data_free(small);
    return status;
}

/* The kinds, the best of the coarse search first, so that a search that is cut short has it. */
static void auto_kinds(const auto_work *work, int stage, int kinds[AUTO_KINDS])
{
    for (int k = 0; k < AUTO_KINDS; k++) {
        const hsp__auto_try *one = auto_best(work, stage, k, NULL);
        int at = k;
        for (; at > 0; at--) {
            const hsp__auto_try *other = auto_best(work, stage, kinds[at - 1], NULL);
            if (!one || (other && !auto_better(work, one->seen.score, other->seen.score))) break;
            kinds[at] = kinds[at - 1];
        }
        kinds[at] = k;
    }
}

/* The best of a kind in a scaling, if it is within one standard error of the best in any; or NULL. */
static const hsp__auto_try *auto_near(const auto_work *work, int stage, int kind, const char *scale)
{
    const hsp__auto_try *best = auto_best(work, stage, kind, NULL),
                        *one = auto_best(work, stage, kind, scale);
    const int far = !one || isnan(one->seen.score) ||
                    fabs(one->seen.score - best->seen.score) > best->seen.standard_error;
    return far ? NULL : one;
}

static hsp_status auto_main(auto_work *work, hsp_data *data)
{
    int kinds[AUTO_KINDS];
    auto_kinds(work, 1, kinds);
    for (int k = 0; k < AUTO_KINDS; k++)
        for (int s = 0; s < 2 && work->scales[s]; s++) {
            const hsp__auto_try *one = auto_near(work, 1, kinds[k], work->scales[s]);
            if (!one) continue;
            auto_ask ask = {.data = data,
                            .kind = kinds[k],
                            .stage = 2,
                            .scale = work->scales[s],
                            .how = {.count = AUTO_FOLDS, .seed = work->seed}};
            if (kinds[k] == AUTO_KNN) {
                ask.vote = hsp_options_text(one->options, "vote");
                HSP__TRY(auto_tune(work, &ask));
            } else {
                /* (the second scaling is the worse one more often than not) */
                const int first = one == auto_best(work, 1, kinds[k], NULL);
                const double rows = 0.8 * (double)hsp_data_rows(data),
                             each = AUTO_FOLDS * hsp__auto_work(data, rows, one->seen.error);
                HSP__TRY(auto_around(work, ask, one->C, one->gamma,
                                     one->gamma > 0 ? (int)fmin(AUTO_FINE / each, 100) : 100,
                                     first ? AUTO_STRIPS : 0));
            }
        }
    return HSP_OK;
}

/* Rows of stage 3: four times as many as in stage 2, or as the RBF machine can take. */
static uint64_t auto_more(const auto_work *work, const hsp_data *data, uint64_t fine)
{
    const hsp__auto_try *best = auto_best(work, 2, AUTO_RBF, NULL);
    const double rows = fmin(4 * (double)fine, (double)hsp_data_rows(data));
    const double each = best ? hsp__auto_work(data, 0.75 * rows, best->seen.error) : 0;
    return (uint64_t)fmax(rows * fmin(1, sqrt(AUTO_RUN / fmax(each, 1))), (double)fine);
}

/* Stage 3 on more rows, one part of four held out: from the best points of stage 2 on, and once more
 * from the best RBF machine there. */
static hsp_status auto_enlarge(auto_work *work, hsp_data *data)
{
    hsp_data *more = NULL;
    int kinds[AUTO_KINDS];
    auto_kinds(work, 2, kinds);
    HSP__TRY(auto_sample(work, data, auto_more(work, data, work->search->report.search_rows),
                         work->seed + 2, &more));
    auto_ask ask = {
        .data = more ? more : data, .stage = 3, .how = {.count = 4, .seed = work->seed, .used = 1}};
    const double rows = 0.75 * (double)hsp_data_rows(ask.data);
    hsp_status status = HSP_OK;
    for (int k = 0; !status && k < AUTO_KINDS; k++) {
        int points = AUTO_SIDE;
        for (int s = 0; !status && s < 2 && work->scales[s]; s++) {
            const hsp__auto_try *one = auto_near(work, 2, kinds[k], work->scales[s]);
            if (!one) continue;
            ask.kind = kinds[k];
            ask.scale = work->scales[s];
            ask.vote = ask.kind == AUTO_KNN ? hsp_options_text(one->options, "vote") : NULL;
            memset(ask.specs, 0, sizeof ask.specs);
            if (ask.kind == AUTO_RBF)
                points = (int)(AUTO_BUDGET / hsp__auto_work(data, rows, one->seen.error));
            status = ask.vote ? auto_tune(work, &ask)
                              : auto_around(work, ask, one->C, one->gamma, points, 0);
        }
        const hsp__auto_try *best = auto_best(work, 3, kinds[k], NULL);
        if (status || kinds[k] != AUTO_RBF || !best || points < 12) continue;
        ask.scale = best->scale;
        status = auto_around(work, ask, best->C, best->gamma, points, 0);
    }
    hsp_data_free(more);
    return status;
}

/* ---- The decision ---------------------------------------------------------------------------- */

/* A candidate once more, on `sets` sets of folds: its mean score as a candidate of the last stage.
 * `add`: to the one that it has. */
static hsp_status auto_again(auto_work *work, hsp_data *data, const hsp__auto_try *one,
                             hsp_options *folds, int sets, int add)
{
    hsp_held_out sum = {0};
    hsp_options *options = NULL;
    if (add)
        sum = (hsp_held_out){.folds = one->seen.folds,
                             .error = one->seen.error,
                             .score = one->seen.score,
                             .score_standard_error = one->seen.standard_error};
    hsp_status status = hsp_options_copy(work->ctx, one->options, work->err, &options);
    for (int r = 0; !status && r < sets; r++) {
        hsp_validation *seen = NULL;
        status =
            hsp_options_set_integer(folds, "fold-seed", (int64_t)work->seed + add + r, work->err);
        if (!status) status = hsp_cross_validate(work->ctx, data, options, folds, work->err, &seen);
        if (!status) {
            const hsp_held_out *all = hsp_validation_held_out(seen);
            sum.folds += all->folds;
            sum.error += all->error;
            sum.score += all->score;
            sum.score_standard_error += all->score_standard_error;
        }
        hsp_validation_free(seen);
    }
    if (status) {
        hsp_options_free(options);
        return status;
    }
    sum.error /= sets + add;
    sum.score /= sets + add;
    sum.score_standard_error /= sets + add; /* other folds do not make more rows */
    const auto_ask ask = {.data = data, .kind = one->kind, .stage = AUTO_LAST, .scale = one->scale};
    return auto_keep(work, &ask, options, &sum);
}

/* Is it a candidate whose larger C changes nothing? */
static int auto_same(const auto_work *work, const hsp__auto_try *one, const hsp__auto_try *other)
{
    return other->kind == one->kind && other->scale == one->scale && other->gamma == one->gamma &&
           other->C > 0 && !auto_better(work, one->seen.score, other->seen.score) &&
           !auto_better(work, other->seen.score, one->seen.score);
}

/* The candidates of a stage that the last one compares, best first: the best of each kind that is
 * within twice `near` of the best of all (in any case: if `kinds`), and others within `near`, `most`
 * in all. Their number. */
static size_t auto_contenders(const auto_work *work, int stage, double near, int kinds, size_t most,
                              uint64_t *chosen)
{
    const hsp_search *search = work->search;
    const hsp__auto_try *best = auto_best(work, stage, -1, NULL);
    size_t count = 0;
    for (int turn = 0; best && turn < 2; turn++)
        while (count < most) {
            const hsp__auto_try *next = NULL;
            for (uint64_t t = 0; t < search->count; t++) {
                const hsp__auto_try *one = &search->tries[t];
                int known = one->stage != stage || !one->complete || isnan(one->seen.score) ||
                            ((turn || !kinds) &&
                             fabs(one->seen.score - best->seen.score) > (turn ? near : 2 * near));
                for (size_t i = 0; i < count; i++) {
                    const hsp__auto_try *other = &search->tries[chosen[i]];
                    known |= turn ? other == one || auto_same(work, one, other)
                                  : other->kind == one->kind;
                }
                if (!known && (!next || auto_better(work, one->seen.score, next->seen.score)))
                    next = one;
            }
            if (!next) break;
            chosen[count++] = (uint64_t)(next - search->tries);
        }
    return count;
}

/* The last stage. All rows were seen: on other folds, besides those of stage 2. A sample was: on
 * all four parts of the larger one. */
static hsp_status auto_decide(auto_work *work, hsp_data *data, int sample)
{
    const hsp__auto_try *fine = auto_best(work, 2, -1, NULL);
    uint64_t chosen[AUTO_CONTENDERS];
    hsp_data *more = NULL;
    hsp_options *folds = NULL;
    if (!fine) return HSP_OK;
    /* (a quarter of four times as many rows: scores of stage 3 are as exact as those of stage 2) */
    const size_t count = auto_contenders(work, sample ? 3 : 2, fine->seen.standard_error, !sample,
                                         sample ? AUTO_SAMPLE_CONTENDERS : AUTO_CONTENDERS, chosen);
    if (count < 2) return HSP_OK;
    hsp_status status = HSP_OK;
    if (sample)
        status =
            auto_sample(work, data, auto_more(work, data, fine->seen.rows), work->seed + 2, &more);
    if (!status) status = hsp_options_new(work->ctx, hsp_validate_options(), work->err, &folds);
    if (!status)
        status = hsp_options_set(folds, "score", work->search->report.score_name, work->err);
    if (!status && sample) status = hsp_options_set(folds, "folds", "4", work->err);
    for (size_t i = 0; !status && i < count && !auto_late(work); i++) {
        const hsp__auto_try one = work->search->tries[chosen[i]]; /* they may move */
        status =
            auto_again(work, more ? more : data, &one, folds, sample ? 1 : AUTO_REPEATS, !sample);
    }
    hsp_options_free(folds);
    hsp_data_free(more);
    return status;
}

/* ---- The whole ------------------------------------------------------------------------------- */

/* Is a to be listed before b? The last stage first, and in it the best; of equal ones the linear
 * models first. */
static int auto_before(const auto_work *work, const hsp__auto_try *a, const hsp__auto_try *b)
{
    if (a->stage != b->stage) return a->stage > b->stage;
    if (a->complete != b->complete) return a->complete;
    if (auto_better(work, a->seen.score, b->seen.score)) return 1;
    return !auto_better(work, b->seen.score, a->seen.score) && a->kind < b->kind;
}

static void auto_sort(const auto_work *work)
{
    hsp__auto_try *tries = work->search->tries;
    for (uint64_t t = 1; t < work->search->count; t++) {
        const hsp__auto_try one = tries[t];
        uint64_t at = t;
        for (; at > 0; at--) {
            if (!auto_before(work, &one, &tries[at - 1])) break;
            tries[at] = tries[at - 1];
        }
        tries[at] = one;
    }
}

/* Nothing was measured in time: a candidate that is rarely bad. */
static hsp_status auto_any(auto_work *work, hsp_data *data)
{
    const auto_ask ask = {.data = data, .scale = work->scales[0]};
    hsp_options *options = NULL;
    HSP__TRY(auto_learner(work, &ask, &options));
    return auto_keep(work, &ask, options, NULL);
}

hsp_status hsp__auto_search(hsp_context *ctx, hsp_search *search, hsp_data *data, uint64_t seed,
                            double deadline, hsp_error *err)
{
    hsp_data *sample = NULL;
    auto_work work = {.ctx = ctx,
                      .search = search,
                      .seed = seed,
                      .loss = strcmp(search->report.score_name, "error") == 0,
                      .deadline = deadline,
                      .err = err};
    HSP__TRY(auto_sample(&work, data, auto_size(data), seed, &sample));
    hsp_data *rows = sample ? sample : data;
    search->report.search_rows = hsp_data_rows(rows);
    hsp_status status = auto_scales(&work, rows);
    if (!status) status = auto_coarse(&work, rows);
    if (!status && !search->count) status = auto_any(&work, rows);
    if (!status) status = auto_main(&work, rows);
    if (!status && sample) status = auto_enlarge(&work, data);
    if (!status && !auto_late(&work)) status = auto_decide(&work, data, sample != NULL);
    if (auto_late(&work)) search->report.stop = HSP_STOP_SECONDS;
    if (status == HSP_CANCELLED && search->count) search->report.stop = HSP_STOP_REQUEST;
    hsp_data_free(sample);
    auto_sort(&work);
    search->report.chosen = search->count ? 0 : UINT64_MAX;
    if (search->count) search->report.search_rows = search->tries[0].seen.rows;
    return status;
}

void hsp__auto_clear(hsp_search *search)
{
    for (uint64_t t = 0; t < search->count; t++) {
        hsp_options_free(search->tries[t].options);
        hsp__free(&search->memory, search->tries[t].text);
    }
    hsp__free(&search->memory, search->tries);
    search->tries = NULL;
    search->count = search->room = 0;
}
