/* One call from data to a good model: learners, scalings and parameters compared by
 * cross-validation, from coarse to fine, and a score of the choice on rows that had no part in it.
 *
 * Search: auto_search.c.
 *
 * Score. Few rows: nested cross-validation, in which the search is repeated without each of five
 * folds, its choice is trained on the same rows, and predicts the fold. Many rows: one fold in five
 * is held out before the search, and the choice, trained on the others, predicts it. Either way no
 * row is predicted by what it had a part in choosing. The model is then trained on all rows. */
#include <stdio.h>

#include "base/base.h"
#include "base/json.h"
#include "base/sized_report.h"
#include "base/text.h"
#include "data/data.h"
#include "learn/option_helpers.h"
#include "learn/prepare.h"
#include "learn/select/auto_search.h"
#include "learn/select/folds.h"
#include "learn/shared_options.h"
#include "model/model.h"

enum {
    AUTO_NESTED = 1200,   /* rows up to which the search is repeated in every outer fold */
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
    HSP__OPTION_POSITIVE, HSP__OPTION_CLASSES,
    HSP__INTEGER("seed", "1", 0, 9007199254740992.0, "N", "seed of samples and folds")};

const hsp_option_table *hsp_auto_options(void)
{
    static const hsp_option_table table = {"auto", "options of the search", auto_option_list,
                                           sizeof auto_option_list / sizeof *auto_option_list};
    return &table;
}

/* The options of a candidate for this number of rows: exact, or by landmarks where that would take long. */
static hsp_status auto_final(hsp_context *ctx, const hsp__auto_try *best, const hsp_data *data,
                             double deadline, hsp_error *err, hsp_options **out)
{
    const double work = hsp__auto_work(data, (double)hsp_data_rows(data), best->seen.error);
    HSP__TRY(hsp_options_copy(ctx, best->options, err, out));
    hsp_status status = HSP_OK;
    if (best->gamma > 0 && work > AUTO_EXACT) {
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

/* A model on held-out rows: their score; and its spread over HSP__AUTO_OUTER parts of them. */
static hsp_status auto_evaluate(hsp_context *ctx, hsp_search *search, const hsp_model *model,
                                hsp_data *held, uint64_t seed, int parts, hsp_error *err,
                                double *score)
{
    hsp_evaluation seen = {.size = sizeof seen};
    double each[HSP__AUTO_OUTER], mean;
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
        status = hsp__folds_deal(ctx, held->view.labels, rows, held->view.classes, NULL,
                                 HSP__AUTO_OUTER, seed, err, fold);
    for (uint32_t f = 0; !status && f < HSP__AUTO_OUTER; f++) {
        hsp_data *part = NULL;
        uint64_t count = 0;
        for (uint64_t i = 0; i < rows; i++)
            if (fold[i] == f) chosen[count++] = i;
        status = hsp_data_select(ctx, held, chosen, count, err, &part);
        if (!status) status = hsp_evaluate(ctx, model, part, err, &seen, NULL);
        each[f] = auto_measure(search, &seen);
        hsp_data_free(part);
    }
    if (!status) auto_mean(each, HSP__AUTO_OUTER, &mean, &search->report.standard_error);
    hsp__free(&ctx->allocator, fold);
    hsp__free(&ctx->allocator, chosen);
    return status;
}

/* Train a candidate and measure it on rows that it has not seen. */
static hsp_status auto_outer(hsp_context *ctx, hsp_search *search, const hsp__auto_try *best,
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

/* Nested: a search of its own without each fold. */
static hsp_status auto_nested(hsp_context *ctx, hsp_search *search, hsp_data *data,
                              const hsp__folds *folds, const hsp_options *options, double deadline,
                              hsp_error *err)
{
    const uint64_t seed = (uint64_t)hsp_options_integer(options, "seed");
    double each[HSP__AUTO_OUTER];
    hsp_status status = HSP_OK;
    for (uint32_t f = 0; !status && f < HSP__AUTO_OUTER; f++) {
        hsp_search inner = {.memory = search->memory, .report = search->report};
        hsp_data *train = NULL, *held = NULL;
        inner.report.rows = inner.report.mistakes = 0;
        status = hsp__folds_part(ctx, folds, data, f, err, &train, &held);
        if (!status) status = hsp__auto_search(ctx, &inner, train, seed, 0, err);
        if (!status)
            status = auto_outer(ctx, &inner, inner.tries, train, held, seed, 0, 0, err, &each[f]);
        search->report.rows += inner.report.rows;
        search->report.mistakes += inner.report.mistakes;
        hsp__auto_clear(&inner);
        hsp_data_free(train);
        hsp_data_free(held);
        if (deadline > 0 && hsp__clock() > deadline && f + 1 < HSP__AUTO_OUTER) {
            search->report.stop = HSP_STOP_SECONDS;
            search->report.rows = search->report.mistakes = 0;
            return status;
        }
    }
    if (status) return status;
    search->report.outer = HSP__AUTO_OUTER;
    auto_mean(each, HSP__AUTO_OUTER, &search->report.score, &search->report.standard_error);
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

/* Train the chosen candidate; `task` says which classes. */
static hsp_status auto_train(hsp_context *ctx, hsp_data *data, const hsp_options *task,
                             hsp_search *search, double deadline, hsp_error *err, hsp_training *run,
                             hsp_model **model)
{
    hsp__auto_try *best = &search->tries[search->report.chosen];
    hsp_options *options = NULL;
    char *text = NULL;
    HSP__TRY(auto_final(ctx, best, data, deadline, err, &options));
    hsp_status status = HSP_OK;
    for (int i = 0; !status && i < 2; i++) {
        const char *name = i ? "classes" : "positive", *value = hsp_options_text(task, name);
        if (value) status = hsp_options_set(options, name, value, err);
    }
    if (!status) status = hsp__auto_text(&search->memory, options, err, &text);
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

/* Search, and measure what is chosen on rows that had no part in it. */
static hsp_status auto_choose(hsp_context *ctx, hsp_data *data, const hsp_options *options,
                              double began, hsp_search *search, hsp_error *err)
{
    const double limit = hsp_options_real(options, "max-seconds");
    const uint64_t seed = (uint64_t)hsp_options_integer(options, "seed");
    hsp_options *any = NULL;
    hsp__folds folds;
    hsp_data *train = NULL, *held = NULL;
    HSP__TRY(auto_begin(ctx, data, options, search, err));
    HSP__TRY(hsp_options_for(ctx, "svm", err, &any));
    hsp_status status = hsp__folds_make(
        ctx, data, any, &(hsp__folds_how){.count = HSP__AUTO_OUTER, .seed = seed}, err, &folds);
    hsp_options_free(any);
    if (status) return status;
    const int nested = hsp_data_rows(data) <= AUTO_NESTED;
    if (!nested) status = hsp__folds_part(ctx, &folds, data, 0, err, &train, &held);
    if (!status)
        status = hsp__auto_search(ctx, search, nested ? data : train, seed,
                                  limit > 0 ? began + limit / 2 : 0, err);
    if (!status && nested) {
        status =
            auto_nested(ctx, search, data, &folds, options, limit > 0 ? began + limit : 0, err);
    } else if (!status) {
        search->report.outer = 1;
        status = auto_outer(ctx, search, &search->tries[search->report.chosen], train, held, seed,
                            limit > 0 ? began + 0.75 * limit : 0, 1, err, &search->report.score);
    }
    hsp__folds_free(&folds);
    hsp_data_free(train);
    hsp_data_free(held);
    return status;
}

static hsp_status auto_whole(hsp_context *ctx, hsp_data *data, const hsp_options *options,
                             hsp_search *search, hsp_error *err, hsp_training *run,
                             hsp_model **model)
{
    const double limit = hsp_options_real(options, "max-seconds"), began = hsp__clock();
    hsp_data *rows = NULL; /* of the classes that are asked for */
    HSP__TRY(hsp__prepare_relabel(ctx, data, options, err, &rows));
    hsp_status status = auto_choose(ctx, rows ? rows : data, options, began, search, err);
    hsp_data_free(rows);
    const int stopped = status == HSP_CANCELLED && search->report.chosen != UINT64_MAX;
    if (stopped) { /* the best so far, on what can be learned from in a moment */
        hsp__stop brief;
        hsp_context last = hsp__stop_grace(&brief, ctx);
        search->report.stop = HSP_STOP_REQUEST;
        status = auto_train(&last, data, options, search, 0, err, run, model);
        return status == HSP_OK || status == HSP_CANCELLED || status == HSP_TIME_LIMIT
                   ? HSP_CANCELLED
                   : status;
    }
    if (status) return status;
    return auto_train(ctx, data, options, search, limit > 0 ? began + limit : 0, err, run, model);
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
    hsp__auto_clear(search);
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
