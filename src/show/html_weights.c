/* The report's sections on what the predictions rest on (weights, importances) and on margins. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/base.h"
#include "measure/evaluate.h"
#include "show/html_page.h"

#define WEIGHTS_WORK    1e8 /* products that importances may take */
#define WEIGHTS_COLUMNS 400 /* columns at most that importances are computed of */
#define WEIGHTS_SHOWN   25
#define WEIGHTS_SCORERS 10    /* scorers whose weights are listed */
#define WEIGHTS_MARGINS 20000 /* rows whose margins are shown */

/* ---- Computing ---- */

/* How many products the prediction of one row takes. */
static double weights_cost(const hsp__page *page)
{
    hsp_knn_report near = {.size = sizeof near};
    const double features = (double)page->measured->view->cols + 1;
    if (hsp_model_knn(page->model, &near)) return features * (double)near.rows;
    const uint64_t support = hsp_model_support(page->model, NULL);
    return support ? features * (double)support : features * hsp_model_scorers(page->model);
}

hsp_status hsp__page_weigh(hsp__page *page, hsp_error *err)
{
    const hsp_view *view = page->measured->view;
    const double repeats = (double)hsp_options_integer(page->options, "repeats");
    const double rows = WEIGHTS_WORK / (weights_cost(page) * (double)(view->cols + 1) * repeats);
    hsp_data *part = NULL;
    hsp_evaluated *evaluated = NULL;
    if (view->cols > WEIGHTS_COLUMNS || rows < 50) {
        page->no_importances = "Importances are left out, because with this many columns they take "
                               "long; this command computes them:";
        return HSP_OK;
    }
    page->importance_rows = rows < (double)view->rows ? (uint64_t)rows : view->rows;
    hsp_status status = hsp__page_sample(page, page->importance_rows, err, &part);
    if (!status && part)
        status = hsp_evaluated_new(&page->ctx, page->model, part, NULL, err, &evaluated);
    if (!status)
        status = hsp_importances_new(&page->ctx, part ? evaluated : page->measured->evaluated,
                                     part ? part : page->measured->data, page->evaluation, err,
                                     &page->importances);
    hsp_evaluated_free(evaluated);
    hsp_data_free(part);
    return hsp__page_excuse(page, status, err, &page->no_importances);
}

static int weights_ascending(const void *left, const void *right)
{
    const double a = *(const double *)left, b = *(const double *)right;
    return (a > b) - (a < b);
}

hsp_status hsp__page_spread(hsp__page *page, hsp_error *err)
{
    const uint32_t scorers = hsp_model_scorers(page->model);
    const uint64_t all = page->measured->view->rows;
    const uint64_t count = all < WEIGHTS_MARGINS ? all : WEIGHTS_MARGINS;
    hsp_data *part = NULL;
    const hsp_view *view = page->measured->view;
    if (!hsp__evaluate_has_margins(page->model)) return HSP_OK;
    hsp_status status = hsp__page_sample(page, count, err, &part);
    if (!status && part) status = hsp_data_view(&page->ctx, part, err, &view);
    double *scores = hsp__scratch_new(&page->memory, count * scorers, sizeof *scores);
    double *margins = hsp__scratch_new(&page->memory, count, sizeof *margins);
    if (!status && (!scores || !margins)) status = hsp__fail_memory(err);
    if (!status) status = hsp_model_score(&page->ctx, page->model, view, err, scores, NULL);
    for (uint64_t i = 0; !status && i < count; i++) {
        const char *label = hsp_data_class_name(page->measured->data, view->labels[i]);
        const uint32_t c = hsp_model_class_of(page->model, label);
        if (c != HSP_NO_CLASS)
            margins[page->margin_count++] =
                hsp__evaluate_margin(page->model, scores + i * scorers, c);
    }
    hsp_data_free(part);
    if (status) return status;
    qsort(margins, page->margin_count, sizeof *margins, weights_ascending);
    page->margins = margins;
    return HSP_OK;
}

/* ---- Weights ---- */

typedef struct weights_entry {
    double size;
    uint64_t at;
} weights_entry;

static int weights_compare(const void *left, const void *right)
{
    const weights_entry *a = left, *b = right;
    if (a->size != b->size) return a->size > b->size ? -1 : 1;
    return a->at < b->at ? -1 : a->at > b->at;
}

static void weights_line(hsp__page *page, const weights_entry *entry, const double *weights,
                         double file, double largest)
{
    const char *name = hsp_model_feature_name(page->model, entry->at);
    const char *source = hsp_model_feature_source(page->model, entry->at);
    const char *base = hsp_model_metadata(page->model, "index_base");
    char number[32];
    snprintf(number, sizeof number, "%llu",
             (unsigned long long)entry->at + (base && strcmp(base, "0") == 0 ? 0 : 1));
    hsp__html(
        page->html, "<tr><th scope=\"row\">%.40s</th><td>%.40s</td><td class=\"num\">%s</td><td>",
        name ? name : number, source ? source : "", hsp__shown_number(weights[entry->at]).text);
    hsp__page_bar(page, largest > 0 ? entry->size / largest : 0);
    hsp__html(page->html, "</td><td class=\"num\">%s</td></tr>\n",
              isfinite(file) ? hsp__shown_number(file).text : "–");
}

static hsp_status weights_of(hsp__page *page, uint32_t scorer, hsp_error *err)
{
    const uint64_t features = hsp_model_features(page->model);
    const double *weights = hsp_model_weights(page->model, scorer);
    const uint32_t against = hsp_model_scorer_against(page->model, scorer);
    weights_entry *order = hsp__scratch_new(&page->memory, features, sizeof *order);
    double *file = hsp__scratch_new(&page->memory, features, sizeof *file);
    uint64_t count = 0;
    if (!order || !file) return hsp__fail_memory(err);
    const int undone = hsp_model_file_weights(page->model, scorer, file, NULL);
    for (uint64_t j = 0; j < features; j++)
        if (weights[j] != 0) order[count++] = (weights_entry){fabs(weights[j]), j};
    qsort(order, count, sizeof *order, weights_compare);
    const uint64_t shown = count < WEIGHTS_SHOWN ? count : WEIGHTS_SHOWN;
    hsp__html(page->html, "<h3>Score of %.40s%s%.40s</h3>\n",
              hsp__page_class(page, hsp_model_scorer_for(page->model, scorer)),
              against == HSP_NO_CLASS ? "" : " against ",
              against == HSP_NO_CLASS ? "" : hsp__page_class(page, against));
    hsp__html(page->html, "<p>Offset %s; %s of %s weights are not 0%s.</p>\n",
              hsp__shown_number(hsp_model_offset(page->model, scorer)).text,
              hsp__shown_count(count).text, hsp__shown_count(features).text,
              shown < count ? "; the largest are listed" : "");
    if (!shown) return HSP_OK;
    hsp__page_table(page, "Weights",
                    "<th scope=\"col\">feature</th><th scope=\"col\">column of the file</th><th "
                    "scope=\"col\" class=\"num\">weight</th><td></td><th scope=\"col\" "
                    "class=\"num\">in units of the file</th>");
    for (uint64_t i = 0; i < shown; i++)
        weights_line(page, &order[i], weights, undone ? file[order[i].at] : (double)NAN,
                     order[0].size);
    hsp__page_table_end(page);
    return HSP_OK;
}

/* ---- Importances ---- */

static int weights_more_important(const void *left, const void *right)
{
    const hsp_importance *a = *(const hsp_importance *const *)left,
                         *b = *(const hsp_importance *const *)right;
    if (a->mean != b->mean) return a->mean > b->mean ? -1 : 1;
    return a < b ? -1 : a > b;
}

static hsp_status weights_importances(hsp__page *page, hsp_error *err)
{
    uint64_t count = 0;
    while (hsp_importances_at(page->importances, count))
        count++;
    const hsp_importance **order = hsp__scratch_new(&page->memory, count, sizeof(void *));
    if (!order) return hsp__fail_memory(err);
    for (uint64_t i = 0; i < count; i++)
        order[i] = hsp_importances_at(page->importances, i);
    qsort(order, count, sizeof *order, weights_more_important);
    const uint64_t shown = count < WEIGHTS_SHOWN ? count : WEIGHTS_SHOWN;
    hsp__html(page->html,
              "<p>How much larger the error becomes when the values of a column are shuffled among "
              "the rows: mean and standard deviation of %s shuffles, on %s %s%s.%s</p>\n",
              hsp__shown_count((uint64_t)hsp_options_integer(page->options, "repeats")).text,
              hsp__shown_count(page->importance_rows).text, hsp__page_whose(page),
              page->importance_rows < page->measured->view->rows ? " drawn at random" : "",
              shown < count ? " The most important columns are listed." : "");
    hsp__page_table(page, "Importance of columns",
                    "<th scope=\"col\">column</th><th scope=\"col\" class=\"num\">error grows "
                    "by</th><td></td><th scope=\"col\" class=\"num\">deviation</th>");
    const double largest = count && order[0]->mean > 0 ? order[0]->mean : 0;
    for (uint64_t i = 0; i < shown; i++) {
        hsp__html(page->html, "<tr><th scope=\"row\">%.40s</th><td class=\"num\">%s</td><td>",
                  order[i]->name,
                  isfinite(order[i]->mean) ? hsp__shown_share(order[i]->mean).text : "–");
        hsp__page_bar(page, largest > 0 ? order[i]->mean / largest : 0);
        hsp__html(page->html, "</td><td class=\"num\">%s</td></tr>\n",
                  isfinite(order[i]->deviation) ? hsp__shown_share(order[i]->deviation).text : "–");
    }
    hsp__page_table_end(page);
    return HSP_OK;
}

hsp_status hsp__page_weights(hsp__page *page, hsp_error *err)
{
    const uint32_t scorers = hsp_model_scorers(page->model);
    const uint32_t shown = scorers < WEIGHTS_SCORERS ? scorers : WEIGHTS_SCORERS;
    const char *scaling = hsp_model_scaling_kind(page->model);
    hsp__html(page->html, "<h3>Importance of columns</h3>\n");
    if (page->importances) {
        HSP__TRY(weights_importances(page, err));
    } else {
        hsp__html(page->html, "<p>%s</p>\n", page->no_importances);
        hsp__page_command(page, 1,
                          (const char *const[]){"halfspace", "eval", page->model_path,
                                                page->measured->path, "--importance", NULL});
    }
    if (!hsp_model_weights(page->model, 0)) {
        hsp__html(page->html, "<p>This model has no weights per feature.</p>\n");
        return HSP_OK;
    }
    if (strcmp(hsp_model_hypothesis(page->model), "votes") == 0)
        hsp__html(page->html,
                  "<p>The weights below are those of the last of the separators that vote.</p>\n");
    if (scaling)
        hsp__html(page->html,
                  "<p>The rows are scaled first (%s), so that weights can be compared with each "
                  "other.</p>\n",
                  scaling);
    else
        hsp__html(page->html,
                  "<p>The rows are not scaled: the size of a weight depends on the unit of its "
                  "column.</p>\n");
    HSP__TRY(hsp__page_figure(page, "weights", 1, NULL, err));
    if (shown < scorers)
        hsp__html(page->html, "<p>The first %s of %s scores are listed.</p>\n",
                  hsp__shown_count(shown).text, hsp__shown_count(scorers).text);
    for (uint32_t s = 0; s < shown; s++)
        HSP__TRY(weights_of(page, s, err));
    return HSP_OK;
}

/* ---- Margins ---- */

hsp_status hsp__page_margins(hsp__page *page, hsp_error *err)
{
    static const char *const names[] = {"functional_margin",
                                        "geometric_margin",
                                        "margin_distance",
                                        "origin_distance",
                                        "beyond",
                                        "on",
                                        "within",
                                        NULL};
    if (!page->margins || !page->margin_count) {
        hsp__html(page->html,
                  "<p>The scores of this model are votes, which have no margins.</p>\n");
        return HSP_OK;
    }
    hsp__html(page->html,
              "<p>The margin of a row is its score times the sign of its class, y s%s: positive if "
              "%s, and the larger the surer.</p>\n",
              page->classes > 2 ? " (of several classes, the score of its class minus the best "
                                  "other)"
                                : "",
              hsp__plot_threshold(page->model) > 0 ? "the score has the sign of the class"
                                                   : "the prediction is right");
    if (hsp__plot_threshold(page->model) > 0)
        hsp__html(page->html,
                  "<p>The model does not decide by the sign of the score, but at the probability "
                  "%s: all figures of this section are of score 0, without that threshold.</p>\n",
                  hsp__shown_number(hsp__plot_threshold(page->model)).text);
    HSP__TRY(hsp__page_margin_figure(page, err));
    hsp__page_table(page, "Margins", NULL);
    hsp__html_rows(page->html, hsp_evaluation_fields(), &page->measured->all, names);
    hsp__page_table_end(page);
    return HSP_OK;
}
