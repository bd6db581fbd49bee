/* One call from data to a good model: learners, scalings and parameters compared by
 * cross-validation, from coarse to fine, and a score of the choice on rows that had no part in it.
 *
 * Search. Stage 1, on a small sample of the rows: the RBF machine on a coarse grid of C and gamma,
 * for each scaling. Stage 2, on a larger sample: logistic regression and the linear machine over C,
 * nearest neighbours over k, and the RBF machine from the best point of stage 1 on to better
 * neighbours on the grid of half steps. The candidate with the best mean score over the folds of
 * stage 2 is chosen; of equal ones the first, and linear models come first. Stage 3, where that was
 * a sample only: the best of each kind once more on a larger one; the best there is chosen.
 *
 * Samples keep the classes' shares, and at least AUTO_RARE rows of each class. Their sizes depend on
 * the shape of the data alone, so the work is bounded and the result has the same bits everywhere;
 * only a time limit that is reached changes it.
 *
 * Score. Few rows: nested cross-validation, in which the search is repeated without each of five
 * folds, its choice is trained on the same rows, and predicts the fold. Many rows: one fold in five
 * is held out before the search, and the choice, trained on the others, predicts it. Either way no
 * row is predicted by what it had a part in choosing. The model is then trained on all rows. */
#include <stdio.h>
#include <stdlib.h>

#include "base/base.h"
#include "base/decimal.h"
#include "base/json.h"
#include "base/random.h"
#include "base/sized_report.h"
#include "base/text.h"
#include "data/data.h"
#include "data/sweep.h"
#include "kernel/expression.h"
#include "learn/option_helpers.h"
#include "learn/prepare.h"
#include "learn/select/cv_runner.h"
#include "learn/select/folds.h"
#include "model/model.h"

enum {
    AUTO_NESTED = 1200,   /* rows up to which the search is repeated in every outer fold */
    AUTO_OUTER = 5,       /* outer folds */
    AUTO_INNER = 5,       /* folds of a candidate in stage 2; 3 in stage 1 */
    AUTO_COARSE = 1200,   /* rows of stage 1 */
    AUTO_RARE = 10,       /* rows that a sample keeps of each class, if there are as many */
    AUTO_STEPS = 3,       /* rounds of moves to better neighbours */
    AUTO_NARROW = 500,    /* columns up to which sparse rows are also tried standardised */
    AUTO_LANDMARKS = 1000 /* of the RBF machine where the exact one would take too long */
};
#define AUTO_IMBALANCED 0.7  /* share of the largest class above which the error says little */
#define AUTO_EXACT      3e10 /* kernel evaluations times entries up to which training is exact */

static const hsp_option auto_option_list[] = {
    HSP__CHOICE(
        "score", "auto", "auto|error|balanced-accuracy|auc",
        "what to choose by; auto: error, or if one class has more than 70% of the rows, auc "
        "(two classes) or balanced-accuracy (more)"),
    HSP__REAL("max-seconds", "0", 0, 1e9, "S",
              "time limit in seconds: the best found by then is trained; 0: the work depends on "
              "the data alone, usually less than a minute"),
    HSP__INTEGER("seed", "1", 0, 9007199254740992.0, "N", "seed of samples and folds")};

const hsp_option_table *hsp_auto_options(void)
{
    static const hsp_option_table table = {"auto", "options of the search", auto_option_list,
                                           sizeof auto_option_list / sizeof *auto_option_list};
    return &table;
}

/* A candidate, and how it did. */
typedef struct auto_try {
    hsp_options *options;
    char *text; /* "--C 10 --scale standard" */
    hsp_search_try seen;
    double C, gamma;
    const char *scale;
} auto_try;

struct hsp_search {
    hsp_allocator memory;
    auto_try *tries;
    uint64_t count, room;
    hsp_search_report report;
    char *command;
};

/* One search on some rows. */
typedef struct auto_work {
    hsp_context *ctx;
    hsp_search *search;
    hsp_data *data;        /* the sample of stage 2 */
    hsp_options *folds;    /* of hsp_cross_validate */
    int loss;              /* a lower score is better */
    double deadline;       /* on hsp__clock; 0: none */
    const char *scales[2]; /* to try; NULL: no more */
    uint64_t best;         /* UINT64_MAX: none yet */
    hsp_error *err;
} auto_work;

/* ---- Samples --------------------------------------------------------------------------------- */

static int auto_ascending(const void *a, const void *b)
{
    const uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
    return (x > y) - (x < y);
}

/* About `count` rows, the classes in their shares. NULL in *out: all rows are few enough. */
static hsp_status auto_sample(hsp_context *ctx, hsp_data *data, uint64_t count, uint64_t seed,
                              hsp_error *err, hsp_data **out)
{
    const hsp_view *view;
    *out = NULL;
    HSP__TRY(hsp_data_view(ctx, data, err, &view));
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
    hsp_status status = scratch.failed ? hsp__fail_memory(err) : HSP_OK;
    if (!status) {
        qsort(order, (size_t)taken, sizeof *order, auto_ascending);
        status = hsp_data_select(ctx, data, order, taken, err, out);
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

/* ---- Candidates ------------------------------------------------------------------------------ */

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

/* The options that are set, as they are typed. */
static hsp_status auto_text(const hsp_allocator *memory, const hsp_options *options, hsp_error *err,
                            char **out)
{
    static const char *const shown[] = {"kernel", "gamma", "approx", "C", "k", "vote", "scale"};
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

/* Are the candidates' scores better, a than b? NaN is worst. */
static int auto_better(const auto_work *work, double a, double b)
{
    if (isnan(a) || isnan(b)) return !isnan(a) && isnan(b);
    return work->loss ? a < b - 1e-12 : a > b + 1e-12;
}

/* One candidate on some rows; *at: its number. HSP_OK without a score when the learner cannot learn
 * from these rows. */
static hsp_status auto_try_one(auto_work *work, hsp_data *data, const char *learner, double C,
                               double gamma, const char *const *set, const char *scale,
                               uint64_t *at)
{
    hsp_search *search = work->search;
    hsp_error *err = work->err, failed = {0};
    hsp_validation *seen = NULL;
    auto_try try = {.C = C, .gamma = gamma, .scale = scale};
    if (!hsp__reserve(&search->memory, (void **)&search->tries, &search->room, search->count + 1,
                      sizeof *search->tries))
        return hsp__fail_memory(err);
    hsp_status status = hsp_options_for(work->ctx, learner, err, &try.options);
    if (!status && C > 0) status = hsp_options_set_real(try.options, "C", C, err);
    if (!status && gamma > 0) status = hsp_options_set_real(try.options, "gamma", gamma, err);
    if (!status && gamma > 0) status = hsp_options_set(try.options, "kernel", "rbf", err);
    for (; !status && set && *set; set += 2)
        status = hsp_options_set(try.options, set[0], set[1], err);
    if (!status && strcmp(scale, "none") != 0)
        status = hsp_options_set(try.options, "scale", scale, err);
    if (!status) status = auto_text(&search->memory, try.options, err, &try.text);
    if (!status && work->deadline > 0 && hsp__options_have(try.options, "max-seconds"))
        status = hsp_options_set_real(try.options, "max-seconds",
                                      fmax(work->deadline - hsp__clock(), 0.01), err);
    if (!status) {
        status = hsp_cross_validate(work->ctx, data, try.options, work->folds, &failed, &seen);
        if (status == HSP_TIME_LIMIT || status == HSP_USAGE || status == HSP_BAD_DATA) {
            if (search->count == 0 && status != HSP_TIME_LIMIT) { /* nothing works: say why */
                if (err) *err = failed;
            } else {
                status = HSP_OK;
            }
        } else if (status && err) {
            *err = failed;
        }
    }
    if (status) {
        hsp_validation_free(seen); /* of some folds */
        hsp_options_free(try.options);
        hsp__free(&search->memory, try.text);
        return status;
    }
    const hsp_held_out *all = hsp_validation_held_out(seen);
    const double nan = (double)NAN;
    try.seen = (hsp_search_try){.learner = hsp_options_table(try.options)->name,
                                .options = try.text,
                                .rows = hsp_data_rows(data),
                                .folds = all ? all->folds : 0,
                                .error = all ? all->error : nan,
                                .larger = nan,
                                .score = all ? all->score : nan,
                                .standard_error = all ? all->score_standard_error : nan};
    hsp_validation_free(seen);
    *at = search->count;
    search->tries[search->count++] = try;
    return HSP_OK;
}

static int auto_late(const auto_work *work)
{
    return work->deadline > 0 && hsp__clock() >= work->deadline;
}

/* A candidate of stage 2: the best one is remembered. */
static hsp_status auto_compare(auto_work *work, const char *learner, double C, double gamma,
                               const char *const *set, const char *scale, uint64_t *at)
{
    uint64_t number;
    if (work->best != UINT64_MAX && auto_late(work)) {
        work->search->report.stop = HSP_STOP_SECONDS;
        *at = work->best;
        return HSP_OK;
    }
    HSP__TRY(auto_try_one(work, work->data, learner, C, gamma, set, scale, &number));
    if (work->best == UINT64_MAX || auto_better(work, work->search->tries[number].seen.score,
                                                work->search->tries[work->best].seen.score))
        work->best = number;
    *at = number;
    return HSP_OK;
}

/* ---- Families -------------------------------------------------------------------------------- */

/* C from 0.01 to 100, then half steps around the best, and the best in the other scaling. */
static hsp_status auto_linear(auto_work *work, const char *learner)
{
    uint64_t at, best = UINT64_MAX;
    for (int k = 0; k < (work->scales[1] ? 8 : 7); k++) {
        const double near = best == UINT64_MAX ? 1 : work->search->tries[best].C;
        const double C = auto_round(k < 5 ? pow(10, k - 2)
                                          : near * (k == 5   ? 0.3
                                                    : k == 6 ? 3
                                                             : 1));
        HSP__TRY(auto_compare(work, learner, C, 0, NULL, work->scales[k == 7], &at));
        if (auto_late(work)) return HSP_OK;
        const double score = work->search->tries[at].seen.score;
        if (best == UINT64_MAX ||
            ((k < 5 || k == 6) && auto_better(work, score, work->search->tries[best].seen.score)))
            best = at;
    }
    return HSP_OK;
}

static hsp_status auto_neighbors(auto_work *work)
{
    static const char *const k[] = {"1", "5", "15", "45"};
    uint64_t at;
    for (int s = 0; s < 2 && work->scales[s]; s++)
        for (size_t i = 0; i < sizeof k / sizeof *k; i++) {
            const char *const set[] = {"k", k[i], "vote", "distance", NULL};
            if ((uint64_t)strtoull(k[i], NULL, 10) * 3 > hsp_data_rows(work->data)) continue;
            HSP__TRY(auto_compare(work, "knn", 0, 0, set, work->scales[s], &at));
        }
    return HSP_OK;
}

/* 1/(d var) of the rows as they are scaled: the middle of the grid. */
static hsp_status auto_gamma(auto_work *work, const char *scale, double *out)
{
    hsp_options *options = NULL;
    hsp__prepared prepared;
    hsp_kernel *kernel = NULL;
    HSP__TRY(hsp_options_for(work->ctx, "svm", work->err, &options));
    hsp_status status = hsp_options_set(options, "scale", scale, work->err);
    if (!status) status = hsp__prepare(work->ctx, work->data, options, NULL, work->err, &prepared);
    if (!status) {
        status = hsp_kernel_parse(work->ctx, "rbf", 0, 1, work->err, &kernel);
        if (!status) status = hsp_kernel_fit(work->ctx, kernel, prepared.view, work->err);
        if (!status) *out = kernel->nodes[0].p;
        hsp_kernel_free(kernel);
        hsp__prepared_free(&prepared);
    }
    hsp_options_free(options);
    return status;
}

/* The RBF machine: a coarse grid on a small sample, then moves on the larger one. */
static hsp_status auto_rbf(auto_work *work, uint64_t seed)
{
    const hsp_search *search = work->search;
    hsp_data *small = NULL;
    uint64_t at = 0, best = UINT64_MAX;
    HSP__TRY(auto_sample(work->ctx, work->data, AUTO_COARSE, seed + 1, work->err, &small));
    hsp_status status = hsp_options_set(work->folds, "folds", "3", work->err);
    for (int s = 0; !status && s < 2 && work->scales[s]; s++) {
        double middle = 1;
        status = auto_gamma(work, work->scales[s], &middle);
        for (int k = 0; !status && k < 12 && !auto_late(work); k++) {
            const int power = k / 3 - 1;
            const double C = auto_round(pow(10, k % 3)), gamma = auto_round(middle * pow(4, power));
            status = auto_try_one(work, small ? small : work->data, "svm", C, gamma, NULL,
                                  work->scales[s], &at);
            if (!status && (best == UINT64_MAX || auto_better(work, search->tries[at].seen.score,
                                                              search->tries[best].seen.score)))
                best = at;
        }
    }
    hsp_data_free(small);
    if (!status) {
        char folds[8];
        snprintf(folds, sizeof folds, "%d", (int)AUTO_INNER);
        status = hsp_options_set(work->folds, "folds", folds, work->err);
    }
    if (status || best == UINT64_MAX) return status;
    const char *scale = search->tries[best].scale;
    double C = search->tries[best].C, gamma = search->tries[best].gamma;
    HSP__TRY(auto_compare(work, "svm", C, gamma, NULL, scale, &best));
    for (int turn = 0; turn < AUTO_STEPS && !auto_late(work); turn++) {
        static const double moves[][2] = {{3.16, 1}, {1, 2}, {1, 0.5}, {0.316, 1}};
        const uint64_t before = best;
        for (size_t m = 0; m < 4; m++) {
            const double to_C = auto_round(pow(10, round(2 * log10(C * moves[m][0])) / 2));
            const double to = auto_round(gamma * moves[m][1]);
            int known = 0; /* tried before, on these rows */
            for (uint64_t t = 0; t < search->count; t++)
                known |=
                    search->tries[t].C == to_C && fabs(search->tries[t].gamma / to - 1) < 0.02 &&
                    search->tries[t].scale == scale && search->tries[t].seen.folds == AUTO_INNER;
            if (known || auto_late(work)) continue;
            HSP__TRY(auto_compare(work, "svm", to_C, to, NULL, scale, &at));
            if (auto_better(work, search->tries[at].seen.score, search->tries[best].seen.score))
                best = at;
        }
        if (best == before) break;
        C = search->tries[best].C;
        gamma = search->tries[best].gamma;
    }
    return HSP_OK;
}

/* ---- One search ------------------------------------------------------------------------------ */

/* Dense rows: standard; and as they are, if the columns' spreads are of one size, as those of
 * pixels are. Sparse rows keep their zeros: max-abs, or none if no value is beyond 1; those of few
 * columns are also standardised, which makes them dense. */
static hsp_status auto_scales(auto_work *work)
{
    hsp__column_figures *columns = NULL;
    double least = HUGE_VAL, most = 0, value = 0;
    HSP__TRY(hsp__columns(work->ctx, work->data, HSP__COLUMNS_MOMENTS, "measuring", work->err,
                          &columns));
    for (uint64_t j = 0; j < work->data->view.cols; j++) {
        value = fmax(value, fmax(fabs(columns[j].min), fabs(columns[j].max)));
        if (columns[j].stdev > 0) least = fmin(least, columns[j].max - columns[j].min);
        most = fmax(most, columns[j].max - columns[j].min);
    }
    hsp__free(&work->ctx->allocator, columns);
    if (work->data->view.storage != HSP_DENSE) {
        work->scales[0] = value <= 1 ? "none" : "max-abs";
        if (value > 1 && work->data->view.cols <= AUTO_NARROW) work->scales[1] = "standard";
        return HSP_OK;
    }
    work->scales[0] = "standard";
    if (most <= 20 * least) work->scales[1] = "none";
    return HSP_OK;
}

/* All families on a sample of the rows; *out is the best candidate. */
static hsp_status auto_search(hsp_context *ctx, hsp_search *search, hsp_data *data,
                              const hsp_options *options, double deadline, hsp_error *err,
                              uint64_t *out)
{
    const uint64_t seed = (uint64_t)hsp_options_integer(options, "seed");
    hsp_data *sample = NULL;
    auto_work work = {
        .ctx = ctx, .search = search, .deadline = deadline, .best = UINT64_MAX, .err = err};
    HSP__TRY(auto_sample(ctx, data, auto_size(data), seed, err, &sample));
    work.data = sample ? sample : data;
    search->report.search_rows = hsp_data_rows(work.data);
    work.loss = strcmp(search->report.score_name, "error") == 0;
    hsp_status status = hsp_options_new(ctx, hsp_validate_options(), err, &work.folds);
    if (!status) status = hsp_options_set(work.folds, "score", search->report.score_name, err);
    if (!status) status = hsp_options_set_integer(work.folds, "fold-seed", (int64_t)seed, err);
    if (!status) status = auto_scales(&work);
    if (!status) status = auto_linear(&work, "logistic");
    if (!status) status = auto_linear(&work, "svm");
    if (!status) status = auto_neighbors(&work);
    if (!status) status = auto_rbf(&work, seed);
    if (status == HSP_CANCELLED && work.best != UINT64_MAX) search->report.stop = HSP_STOP_REQUEST;
    hsp_options_free(work.folds);
    hsp_data_free(sample);
    *out = work.best;
    return status;
}

/* The options of a candidate for this number of rows: exact, or by landmarks where that would take long. */
static hsp_status auto_final(hsp_context *ctx, const auto_try *best, const hsp_data *data,
                             double deadline, hsp_error *err, hsp_options **out)
{
    const double rows = (double)hsp_data_rows(data);
    const double entries = (double)data->nonzeros / fmax(rows, 1);
    const double support = fmin(fmax(2 * best->seen.error, 0.05), 1);
    const double classes = hsp_data_classes(data) > 2 ? hsp_data_classes(data) : 1;
    HSP__TRY(hsp_options_copy(ctx, best->options, err, out));
    hsp_status status = HSP_OK;
    if (best->gamma > 0 && rows * rows * support * fmin(entries, 100) * classes > AUTO_EXACT) {
        char approx[32];
        snprintf(approx, sizeof approx, "nystrom:%d", (int)AUTO_LANDMARKS);
        status = hsp_options_set(*out, "approx", approx, err);
    }
    if (!status && hsp__options_have(*out, "max-seconds"))
        status = hsp_options_set_real(*out, "max-seconds",
                                      deadline > 0 ? fmax(deadline - hsp__clock(), 0.1) : 0, err);
    if (status) hsp_options_free(*out);
    return status;
}

/* ---- The score on other rows ----------------------------------------------------------------- */

static double auto_measure(const hsp_search *search, const hsp_evaluation *seen)
{
    if (strcmp(search->report.score_name, "error") == 0) return seen->error;
    return strcmp(search->report.score_name, "auc") == 0 ? seen->auc : seen->balanced_accuracy;
}

/* Mean and standard error of k numbers. */
static void auto_mean(const double *x, uint32_t k, double *mean, double *error)
{
    double sum = 0, squares = 0;
    for (uint32_t i = 0; i < k; i++)
        sum += x[i];
    *mean = sum / k;
    for (uint32_t i = 0; i < k; i++)
        squares += (x[i] - *mean) * (x[i] - *mean);
    *error = sqrt(squares / (k - 1) / k);
}

/* A model on held-out rows: their score; and its spread over AUTO_OUTER parts of them. */
static hsp_status auto_evaluate(hsp_context *ctx, hsp_search *search, const hsp_model *model,
                                hsp_data *held, uint64_t seed, int parts, hsp_error *err,
                                double *score)
{
    hsp_evaluation seen = {.size = sizeof seen};
    double each[AUTO_OUTER], mean;
    HSP__TRY(hsp_evaluate(ctx, model, held, err, &seen, NULL));
    *score = auto_measure(search, &seen);
    search->report.rows += seen.n;
    search->report.mistakes += seen.mistakes;
    if (!parts) return HSP_OK;
    const uint64_t rows = hsp_data_rows(held);
    uint32_t *fold = hsp__new_raw(&ctx->allocator, rows, sizeof *fold);
    uint64_t *chosen = hsp__new_raw(&ctx->allocator, rows, sizeof *chosen);
    hsp_status status = fold && chosen ? HSP_OK : hsp__fail_memory(err);
    if (!status)
        status = hsp__folds_deal(ctx, held->view.labels, rows, held->view.classes, NULL, AUTO_OUTER,
                                 seed, err, fold);
    for (uint32_t f = 0; !status && f < AUTO_OUTER; f++) {
        hsp_data *part = NULL;
        uint64_t count = 0;
        for (uint64_t i = 0; i < rows; i++)
            if (fold[i] == f) chosen[count++] = i;
        status = hsp_data_select(ctx, held, chosen, count, err, &part);
        if (!status) status = hsp_evaluate(ctx, model, part, err, &seen, NULL);
        each[f] = auto_measure(search, &seen);
        hsp_data_free(part);
    }
    if (!status) auto_mean(each, AUTO_OUTER, &mean, &search->report.standard_error);
    hsp__free(&ctx->allocator, fold);
    hsp__free(&ctx->allocator, chosen);
    return status;
}

/* Train a candidate and measure it on rows that it has not seen. */
static hsp_status auto_outer(hsp_context *ctx, hsp_search *search, const auto_try *best,
                             hsp_data *train, hsp_data *held, uint64_t seed, double deadline,
                             int parts, hsp_error *err, double *score)
{
    hsp_options *options = NULL;
    hsp_model *model = NULL;
    HSP__TRY(auto_final(ctx, best, train, deadline, err, &options));
    hsp_status status = hsp_train(ctx, train, options, err, NULL, &model);
    if (!status) status = auto_evaluate(ctx, search, model, held, seed, parts, err, score);
    hsp_model_free(model);
    hsp_options_free(options);
    return status;
}

static void auto_clear(hsp_search *search)
{
    for (uint64_t t = 0; t < search->count; t++) {
        hsp_options_free(search->tries[t].options);
        hsp__free(&search->memory, search->tries[t].text);
    }
    search->count = 0;
}

/* Stage 3, where stage 2 saw a sample only: the best of each kind once more, trained on up to four
 * times as many rows, one fold of four held out; some kinds gain more from rows than others. */
static hsp_status auto_enlarge(hsp_context *ctx, hsp_search *search, hsp_data *data, uint64_t seed,
                               double deadline, hsp_error *err, uint64_t *best)
{
    const int loss = strcmp(search->report.score_name, "error") == 0;
    const auto_work work = {.loss = loss};
    const uint64_t compared = search->report.search_rows;
    hsp_data *more = NULL, *train = NULL, *held = NULL;
    hsp_options *any = NULL;
    hsp__folds folds;
    uint64_t kinds[4] = {UINT64_MAX, UINT64_MAX, UINT64_MAX, UINT64_MAX};
    double top = (double)NAN, score = 0;
    if (compared >= hsp_data_rows(data) || (deadline > 0 && hsp__clock() > deadline)) return HSP_OK;
    for (uint64_t t = 0; t < search->count; t++) {
        const auto_try *one = &search->tries[t];
        const int kind = one->gamma > 0                               ? 3
                         : strcmp(one->seen.learner, "knn") == 0      ? 2
                         : strcmp(one->seen.learner, "logistic") == 0 ? 0
                                                                      : 1;
        if (one->seen.rows == compared && one->seen.folds == AUTO_INNER &&
            (kinds[kind] == UINT64_MAX ||
             auto_better(&work, one->seen.score, search->tries[kinds[kind]].seen.score)))
            kinds[kind] = t;
    }
    HSP__TRY(auto_sample(ctx, data, 4 * compared, seed + 2, err, &more));
    hsp_status status = hsp_options_for(ctx, "svm", err, &any);
    if (!status)
        status = hsp__folds_make(ctx, more ? more : data, any,
                                 &(hsp__folds_how){.count = 4, .seed = seed}, err, &folds);
    hsp_options_free(any);
    if (!status) {
        status = hsp__folds_part(ctx, &folds, more ? more : data, 0, err, &train, &held);
        hsp__folds_free(&folds);
    }
    for (int k = 0; !status && k < 4; k++) {
        if (kinds[k] == UINT64_MAX || isnan(search->tries[kinds[k]].seen.score)) continue;
        auto_try *one = &search->tries[kinds[k]];
        hsp_search scrap = {.report = search->report};
        status = auto_outer(ctx, &scrap, one, train, held, seed, 0, 0, err, &score);
        one->seen.larger = score;
        one->seen.larger_rows = hsp_data_rows(train);
        if (!status && auto_better(&work, score, top)) top = score, *best = kinds[k];
    }
    hsp_data_free(more);
    hsp_data_free(train);
    hsp_data_free(held);
    return status;
}

/* Nested: a search of its own without each fold. */
static hsp_status auto_nested(hsp_context *ctx, hsp_search *search, hsp_data *data,
                              const hsp__folds *folds, const hsp_options *options, double deadline,
                              hsp_error *err)
{
    const uint64_t seed = (uint64_t)hsp_options_integer(options, "seed");
    double each[AUTO_OUTER];
    hsp_status status = HSP_OK;
    for (uint32_t f = 0; !status && f < AUTO_OUTER; f++) {
        hsp_search inner = {.memory = search->memory, .report = search->report};
        hsp_data *train = NULL, *held = NULL;
        uint64_t best = 0;
        inner.report.rows = inner.report.mistakes = 0;
        status = hsp__folds_part(ctx, folds, data, f, err, &train, &held);
        if (!status) status = auto_search(ctx, &inner, train, options, 0, err, &best);
        if (!status)
            status =
                auto_outer(ctx, &inner, &inner.tries[best], train, held, seed, 0, 0, err, &each[f]);
        search->report.rows += inner.report.rows;
        search->report.mistakes += inner.report.mistakes;
        auto_clear(&inner);
        hsp__free(&search->memory, inner.tries);
        hsp_data_free(train);
        hsp_data_free(held);
        if (deadline > 0 && hsp__clock() > deadline && f + 1 < AUTO_OUTER) {
            search->report.stop = HSP_STOP_SECONDS;
            search->report.rows = search->report.mistakes = 0;
            return status;
        }
    }
    if (status) return status;
    search->report.outer = AUTO_OUTER;
    auto_mean(each, AUTO_OUTER, &search->report.score, &search->report.standard_error);
    return HSP_OK;
}

/* ---- The whole ------------------------------------------------------------------------------- */

/* What to choose by, and what the most frequent class alone would get. */
static hsp_status auto_begin(hsp_context *ctx, hsp_data *data, const hsp_options *options,
                             hsp_search *search, hsp_error *err)
{
    const hsp_view *view;
    HSP__TRY(hsp_data_view(ctx, data, err, &view));
    if (!view->labels || view->classes < 2)
        return hsp__fail(err, HSP_BAD_DATA,
                         "the data has %s, expected labels of two classes at least",
                         view->labels ? "one class" : "no labels");
    const char *asked = hsp_options_text(options, "score");
    uint64_t *counts = hsp__new(&ctx->allocator, view->classes, sizeof *counts), most = 0,
             there = 0;
    if (!counts) return hsp__fail_memory(err);
    for (uint64_t i = 0; i < view->rows; i++)
        counts[view->labels[i]]++;
    for (uint32_t c = 0; c < view->classes; c++) {
        if (counts[c] > most) most = counts[c];
        there += counts[c] > 0;
    }
    hsp__free(&ctx->allocator, counts);
    const double share = (double)most / (double)view->rows;
    hsp_search_report *report = &search->report;
    report->score_name = strcmp(asked, "auto") != 0 ? asked
                         : share <= AUTO_IMBALANCED ? "error"
                         : view->classes == 2       ? "auc"
                                                    : "balanced-accuracy";
    /* the text of the options ends with them; the words of the table stay */
    for (const char *const *word = (const char *const[]){"error", "auc", "balanced-accuracy", NULL};
         *word; word++)
        if (strcmp(report->score_name, *word) == 0) report->score_name = *word;
    if (strcmp(report->score_name, "auc") == 0 && view->classes != 2)
        return hsp__fail_option(err, "--score", "auc needs two classes; the data has %u",
                                (unsigned)view->classes);
    report->score = report->standard_error = (double)NAN;
    report->largest_class = share;
    report->majority = strcmp(report->score_name, "error") == 0 ? 1 - share
                       : strcmp(report->score_name, "auc") == 0 ? 0.5
                                                                : 1 / (double)there;
    report->stop = HSP_STOP_CONVERGED;
    return HSP_OK;
}

/* The candidates, kept with the model as tuning keeps its points (tune.c). */
static hsp_status auto_keep(hsp_context *ctx, const hsp_search *search, hsp_model *model,
                            hsp_error *err)
{
    hsp__text text;
    hsp__text_init(&text, &ctx->allocator);
    hsp__text_printf(&text,
                     "{\"choose\":\"best\",\"score\":\"%s\",\"options\":[\"learner\","
                     "\"options\"],\"points\":[",
                     search->report.score_name);
    for (uint64_t t = 0; t < search->count; t++) {
        const hsp_search_try *one = &search->tries[t].seen;
        hsp__text_printf(&text, "%s{\"values\":[\"%s\",\"%s\"],\"rows\":%llu,\"folds\":%u",
                         t ? "," : "", one->learner, one->options, (unsigned long long)one->rows,
                         one->folds);
        hsp__text_puts(&text, ",\"error\":");
        hsp__json_put_number(&text, one->error);
        hsp__text_puts(&text, ",\"score\":");
        hsp__json_put_number(&text, one->score);
        hsp__text_puts(&text, ",\"score_standard_error\":");
        hsp__json_put_number(&text, one->standard_error);
        hsp__text_puts(&text, "}");
    }
    hsp__text_printf(&text, "],\"best\":%llu,\"chosen\":%llu}",
                     (unsigned long long)search->report.chosen,
                     (unsigned long long)search->report.chosen);
    const hsp_status status = text.failed
                                  ? hsp__fail_memory(err)
                                  : hsp__model_set_metadata(model, "tuning", text.data, err);
    hsp__text_free(&text);
    return status;
}

static hsp_status auto_train(hsp_context *ctx, hsp_data *data, hsp_search *search, double deadline,
                             hsp_error *err, hsp_training *run, hsp_model **model)
{
    auto_try *best = &search->tries[search->report.chosen];
    hsp_options *options = NULL;
    char *text = NULL;
    HSP__TRY(auto_final(ctx, best, data, deadline, err, &options));
    hsp_status status = auto_text(&search->memory, options, err, &text);
    if (!status) {
        hsp__text command;
        hsp__text_init(&command, &search->memory);
        hsp__text_printf(&command, "train %s%s%s", best->seen.learner, *text ? " " : "", text);
        search->command = command.data;
        search->report.command = command.data;
        if (command.failed) status = hsp__fail_memory(err);
    }
    hsp__free(&search->memory, text);
    if (!status && model) status = hsp_train(ctx, data, options, err, run, model);
    hsp_options_free(options);
    if ((!status || status == HSP_CANCELLED) && model && *model) {
        const hsp_status kept = auto_keep(ctx, search, *model, err);
        if (kept) {
            hsp_model_free(*model);
            *model = NULL;
            return kept;
        }
    }
    return status;
}

static hsp_status auto_whole(hsp_context *ctx, hsp_data *data, const hsp_options *options,
                             hsp_search *search, hsp_error *err, hsp_training *run,
                             hsp_model **model)
{
    const double limit = hsp_options_real(options, "max-seconds"), began = hsp__clock();
    const double half = limit > 0 ? began + limit / 2 : 0, end = limit > 0 ? began + limit : 0;
    const uint64_t seed = (uint64_t)hsp_options_integer(options, "seed");
    hsp_options *any = NULL;
    hsp__folds folds;
    hsp_data *train = NULL, *held = NULL;
    HSP__TRY(auto_begin(ctx, data, options, search, err));
    HSP__TRY(hsp_options_for(ctx, "svm", err, &any));
    hsp_status status = hsp__folds_make(
        ctx, data, any, &(hsp__folds_how){.count = AUTO_OUTER, .seed = seed}, err, &folds);
    hsp_options_free(any);
    if (status) return status;
    const int nested = hsp_data_rows(data) <= AUTO_NESTED;
    if (!nested) status = hsp__folds_part(ctx, &folds, data, 0, err, &train, &held);
    if (!status)
        status = auto_search(ctx, search, nested ? data : train, options, half, err,
                             &search->report.chosen);
    if (!status && !nested)
        status = auto_enlarge(ctx, search, train, seed, half, err, &search->report.chosen);
    if (!status && nested) {
        status = auto_nested(ctx, search, data, &folds, options, end, err);
    } else if (!status) {
        search->report.outer = 1;
        status = auto_outer(ctx, search, &search->tries[search->report.chosen], train, held, seed,
                            limit > 0 ? began + 0.75 * limit : 0, 1, err, &search->report.score);
    }
    hsp__folds_free(&folds);
    hsp_data_free(train);
    hsp_data_free(held);
    const int stopped = status == HSP_CANCELLED && search->report.chosen != UINT64_MAX;
    if (stopped) { /* the best so far, on what can be learned from in a moment */
        hsp__stop brief;
        hsp_context last = hsp__stop_grace(&brief, ctx);
        search->report.stop = HSP_STOP_REQUEST;
        status = auto_train(&last, data, search, 0, err, run, model);
        return status == HSP_OK || status == HSP_CANCELLED || status == HSP_TIME_LIMIT
                   ? HSP_CANCELLED
                   : status;
    }
    return status ? status : auto_train(ctx, data, search, end, err, run, model);
}

hsp_status hsp_auto(hsp_context *ctx, hsp_data *data, const hsp_options *options, hsp_error *err,
                    hsp_search **out, hsp_training *run, hsp_model **model)
{
    HSP__NEED(err, ctx, data, out);
    HSP__REPORT(err, run, hsp_training);
    hsp_options *own = NULL;
    if (!options) HSP__TRY(hsp_options_new(ctx, hsp_auto_options(), err, &own));
    hsp_search *search = hsp__new(&ctx->allocator, 1, sizeof *search);
    hsp_status status = search ? HSP_OK : hsp__fail_memory(err);
    if (search) {
        search->memory = ctx->allocator;
        search->report.chosen = UINT64_MAX;
    }
    if (!status) status = auto_whole(ctx, data, options ? options : own, search, err, run, model);
    hsp_options_free(own);
    if (search) search->report.tried = search->count;
    if (status && !(status == HSP_CANCELLED && search->command)) {
        hsp_search_free(search);
        return status;
    }
    *out = search;
    return status;
}

void hsp_search_free(hsp_search *search)
{
    if (!search) return;
    const hsp_allocator memory = search->memory;
    auto_clear(search);
    hsp__free(&memory, search->tries);
    hsp__free(&memory, search->command);
    hsp__free(&memory, search);
}

const hsp_search_report *hsp_search_result(const hsp_search *search)
{
    return search ? &search->report : NULL;
}

const hsp_search_try *hsp_search_tried(const hsp_search *search, uint64_t i)
{
    return search && i < search->count ? &search->tries[i].seen : NULL;
}
