/* The HTML report: reads the files, computes what the sections show, and writes them one after the
 * other. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/base.h"
#include "base/options.h"
#include "base/sized_report.h"
#include "show/html_page.h"

#define REPORT_DRAWN 2e7 /* rows that bootstrap samples draw */

static const hsp_option html_options[] = {
    HSP__TEXT("test", NULL, "FILE",
              "test data, which was not used to train or choose the model: measures, curves and "
              "bounds are then of these rows"),
    HSP__TEXT("certificate", NULL, "CERT",
              "a certificate of the data or the model: it is checked now, and the report has the "
              "answer"),
    HSP__TEXT("title", "Model report", "TEXT", "title of the page"),
    HSP__REAL("interval", "0.95", 0.5, 0.9999, "LEVEL", "level of the bootstrap intervals"),
    HSP__INTEGER(
        "samples", "1000", 10, 1e6, "N",
        "bootstrap samples that the intervals are from; fewer for more than 20,000 rows unless "
        "set"),
    HSP__REAL("delta", "0.05", 1e-12, 0.5, "D",
              "probability with which a bound on the true error may fail"),
    HSP__INTEGER("repeats", "5", 1, 1000, "N", "shuffles of each column for its importance"),
    HSP__INTEGER("seed", "1", 0, 9007199254740991.0, "N",
                 "seed of samples, shuffles and rows that are drawn"),
};

const hsp_option_table *hsp_html_options(void)
{
    static const hsp_option_table table = {"html", "options of the report", html_options,
                                           sizeof html_options / sizeof *html_options};
    return &table;
}

struct hsp_html {
    hsp_allocator memory;
    hsp__text text;
    char **warnings; /* warning_count */
    uint64_t warning_count;
    char *measured;
    hsp_html_summary summary;
};

/* ---- Reading and measuring ---- */

static hsp_status report_read(hsp__page *page, const char *path, hsp__page_rows *to, hsp_error *err)
{
    hsp_options *read = NULL;
    to->path = path;
    hsp_status status = page->read ? hsp_options_copy(&page->ctx, page->read, err, &read)
                                   : hsp_options_new(&page->ctx, hsp_read_options(), err, &read);
    if (!status) status = hsp_model_set_read(page->model, read, err);
    if (!status)
        status =
            hsp_data_read(&page->ctx, path, read, hsp_model_encoding(page->model), err, &to->data);
    hsp_options_free(read);
    if (!status) status = hsp_data_view(&page->ctx, to->data, err, &to->view);
    if (status) return status;
    if (!to->view->rows)
        return hsp__fail_at(err, HSP_BAD_DATA, path, 0, 0,
                            "there are no rows, and a report needs some");
    if (!to->view->labels || !to->view->classes)
        return hsp__fail_at(err, HSP_BAD_DATA, path, 0, 0,
                            "the rows have no labels, and a report compares predictions with "
                            "labels; name their column with --label COLUMN");
    return hsp__view_seen(&page->ctx, to->view, page->model, err, &to->trained);
}

static hsp_status report_measure(hsp__page *page, hsp__page_rows *to, int intervals, hsp_error *err)
{
    const uint64_t cells = (uint64_t)page->classes * page->classes;
    to->all.size = sizeof to->all;
    to->confusion = hsp__scratch_new(&page->memory, cells, sizeof *to->confusion);
    if (!to->confusion) return hsp__fail_memory(err);
    HSP__TRY(hsp_evaluated_new(&page->ctx, page->model, to->data, NULL, err, &to->evaluated));
    HSP__TRY(hsp_evaluated_report(to->evaluated, err, &to->all, to->confusion, NULL));
    if (to->all.majority_class == HSP_NO_CLASS)
        return hsp__fail_at(err, HSP_BAD_DATA, to->path, 0, 0,
                            "no row has a label that the model knows, such as '%.60s'; is it the "
                            "model of other data, or --label another column?",
                            hsp__page_class(page, 0));
    HSP__TRY(hsp_evaluated_scores(&page->ctx, to->evaluated,
                                  intervals ? page->evaluation : page->plain, err, to->scores));
    /* where no row is wrong, all samples are alike: the error has an interval that is exact */
    const double doubt = (1 - hsp_options_real(page->options, "interval")) / 2;
    to->scores[0].low = hsp_binomial_lower(to->all.n, to->all.mistakes, doubt);
    to->scores[0].high = hsp_binomial_upper(to->all.n, to->all.mistakes, doubt);
    return HSP_OK;
}

/* The options of hsp_evaluate_options that the report's own stand for. A bootstrap of many rows takes
 * long, and its intervals are narrow: unless the user says how many samples, they are fewer. */
static hsp_status report_evaluation(hsp__page *page, hsp_error *err)
{
    static const char *const shared[] = {"interval", "samples", "repeats", "seed"};
    const double rows = (double)page->measured->view->rows;
    for (size_t i = 0; i < sizeof shared / sizeof *shared; i++)
        HSP__TRY(hsp__options_copy(page->evaluation, page->options, shared[i], err));
    page->samples = (uint64_t)hsp_options_integer(page->options, "samples");
    if (hsp_options_is_set(page->options, "samples")) return HSP_OK;
    page->samples = (uint64_t)fmin((double)page->samples, fmax(REPORT_DRAWN / rows, 100));
    return hsp_options_set_integer(page->evaluation, "samples", (int64_t)page->samples, err);
}

static hsp_status report_learner(hsp__page *page, hsp_error *err)
{
    const char *name = hsp_model_metadata(page->model, "learner"), *why;
    const hsp_option_table *table = name ? hsp_learner_find(name) : NULL;
    if (!table) return HSP_OK;
    HSP__TRY(hsp_options_new(&page->ctx, table, err, &page->learner));
    hsp_status status = hsp_model_set_options(page->model, page->learner, err);
    if (!status) return HSP_OK;
    hsp_options_free(page->learner);
    page->learner = NULL;
    return hsp__page_excuse(page, status, err, &why);
}

/* A certificate is about the data, or about the data and the test rows. */
static hsp_status report_verify(hsp__page *page, hsp_error *err)
{
    hsp_options *options = NULL;
    page->certified_test = page->test.path;
    if (!page->certificate_path) return HSP_OK;
    hsp_status status = hsp_options_new(&page->ctx, hsp_verify_options(), err, &options);
    if (!status)
        status = hsp_verify_file(&page->ctx, page->certificate_path, page->data.path,
                                 page->certified_test, options, err, &page->verification);
    if (!status && page->certified_test && page->verification->result == HSP_UNDECIDED) {
        hsp_verification_free(page->verification);
        page->verification = NULL;
        page->certified_test = NULL;
        status = hsp_verify_file(&page->ctx, page->certificate_path, page->data.path, NULL, options,
                                 err, &page->verification);
    }
    hsp_options_free(options);
    return status;
}

static hsp_status report_compute(hsp__page *page, const char *data, hsp_error *err)
{
    const char *test = hsp_options_text(page->options, "test");
    HSP__TRY(hsp_model_read(&page->ctx, page->model_path, err, &page->model));
    page->classes = hsp_model_classes(page->model);
    HSP__TRY(hsp_options_new(&page->ctx, hsp_evaluate_options(), err, &page->plain));
    HSP__TRY(hsp_options_new(&page->ctx, hsp_evaluate_options(), err, &page->evaluation));
    HSP__TRY(report_learner(page, err));
    HSP__TRY(report_read(page, data, &page->data, err));
    if (test) HSP__TRY(report_read(page, test, &page->test, err));
    page->measured = test ? &page->test : &page->data;
    HSP__TRY(report_evaluation(page, err));
    HSP__TRY(report_measure(page, &page->data, !test, err));
    if (test) HSP__TRY(report_measure(page, &page->test, 1, err));
    HSP__TRY(hsp_profile_file(&page->ctx, data, page->read, NULL, err, &page->profile));
    HSP__TRY(hsp_summary_new(&page->ctx, page->data.data, err, &page->summary));
    HSP__TRY(hsp__page_weigh(page, err));
    HSP__TRY(hsp__page_spread(page, err));
    HSP__TRY(hsp__page_bound(page, err));
    HSP__TRY(report_verify(page, err));
    return hsp__page_watch(page, err);
}

/* ---- Writing ---- */

typedef struct report_section {
    const char *id, *title;
    hsp__page_section *write;
} report_section;

static const report_section report_sections[] = {
    {"data", "Data", hsp__page_data},
    {"training", "Training", hsp__page_training},
    {"measures", "Measures", hsp__page_measures},
    {"figures", "Figures", hsp__page_curves},
    {"confusion", "Confusion matrix", hsp__page_confusion},
    {"weights", "Weights and importance", hsp__page_weights},
    {"margins", "Margins", hsp__page_margins},
    {"bounds", "New data", hsp__page_bounds},
    {"certificates", "Certificates", hsp__page_certificates},
    {"reproduce", "How to reproduce it", hsp__page_reproduce},
};

enum { REPORT_SECTIONS = sizeof report_sections / sizeof *report_sections };

static void report_card(hsp__page *page, const char *name, const char *value, const char *note)
{
    hsp__html(page->html, "<div class=\"card\"><dt>%s</dt><dd>%s<small>%s</small></dd></div>\n",
              name, value, note);
}

/* "0.62 to 0.71"; "" if it is not known. */
static void report_range(const hsp_score_report *score, int share, char range[112])
{
    *range = 0;
    if (!(score->low < score->high)) return;
    if (share)
        snprintf(range, 112, "%s to %s", hsp__shown_share(score->low).text,
                 hsp__shown_share(score->high).text);
    else
        snprintf(range, 112, "%s to %s", hsp__shown_digits(score->low, 3).text,
                 hsp__shown_digits(score->high, 3).text);
}

static void report_cards(hsp__page *page)
{
    const hsp__page_rows *rows = page->measured;
    const hsp_evaluation *all = &rows->all;
    char range[112], note[320];
    hsp__text_puts(page->html, "<dl class=\"cards\">\n");
    report_range(&rows->scores[0], 1, range);
    snprintf(note, sizeof note, "%s of %s wrong; %s", hsp__shown_count(all->mistakes).text,
             hsp__shown_count(all->n).text, range);
    report_card(page, "Error", hsp__shown_share(all->error).text, note);
    snprintf(note, sizeof note, "always predicting %.60s",
             hsp__page_class(page, all->majority_class));
    report_card(page, "Error without a model", hsp__shown_share(all->majority_error).text, note);
    report_range(&rows->scores[1], 1, range);
    if (isfinite(all->balanced_accuracy))
        report_card(page, "Balanced accuracy", hsp__shown_share(all->balanced_accuracy).text,
                    range);
    report_range(&rows->scores[2], 0, range);
    if (isfinite(all->auc))
        report_card(page, "Area under the ROC curve", hsp__shown_digits(all->auc, 3).text, range);
    hsp__text_puts(page->html, "</dl>\n");
}

static const char *report_caveat(const hsp__page *page)
{
    const int test = page->measured == &page->test;
    switch (page->measured->trained) {
    case HSP__TRAINED_YES:
        return "These are the rows that the model was trained on: on new rows it will do worse. "
               "Give rows that it has not seen with --test.";
    case HSP__TRAINED_NO:
        return test ? "The model was not trained on this file (by the checksum of its rows)."
                    : "These are not the rows that the model was trained on (by their checksum).";
    default:
        return "The model does not say which rows it was trained on. If these were among them, it "
               "will do worse on new rows.";
    }
}

static void report_warnings(hsp__page *page)
{
    hsp__text_puts(page->html,
                   "<section id=\"warnings\" aria-labelledby=\"warnings-title\" class=\"warnings");
    hsp__text_puts(page->html, page->warning_count ? "\">\n" : " none\">\n");
    hsp__text_puts(page->html, "<h2 id=\"warnings-title\">Warnings</h2>\n");
    if (!page->warning_count)
        hsp__text_puts(page->html, "<p>Nothing stands out.</p>\n");
    else
        hsp__text_puts(page->html, "<ul>\n");
    for (uint64_t i = 0; i < page->warning_count; i++)
        hsp__html(page->html, "<li>%s</li>\n", page->warnings[i]);
    hsp__text_puts(page->html, page->warning_count ? "</ul>\n</section>\n" : "</section>\n");
}

static void report_head(hsp__page *page)
{
    hsp__text *html = page->html;
    hsp__html(html,
              "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n<title>%s: "
              "%s</title>\n<meta name=\"viewport\" content=\"width=device-width, "
              "initial-scale=1\">\n<meta name=\"generator\" content=\"halfspace %s\">\n<meta "
              "name=\"color-scheme\" content=\"light dark\">\n<style>\n",
              page->title, page->model_path, hsp_version());
    for (size_t i = 0; hsp__page_style[i]; i++)
        hsp__text_puts(html, hsp__page_style[i]);
    hsp__page_figure_style(html);
    hsp__html(html,
              "</style>\n</head>\n<body>\n<a class=\"skip\" href=\"#main\">Skip to the "
              "report</a>\n<header>\n<h1>%s</h1>\n<p class=\"files\"><code>%s</code> measured on "
              "<code>%s</code></p>\n</header>\n<nav aria-label=\"Sections\">\n<ul>\n<li><a "
              "href=\"#warnings\">Warnings</a></li>\n",
              page->title, page->model_path, page->measured->path);
    for (size_t i = 0; i < REPORT_SECTIONS; i++)
        hsp__html(html, "<li><a href=\"#%s\">%s</a></li>\n", report_sections[i].id,
                  report_sections[i].title);
    hsp__text_puts(html, "</ul>\n</nav>\n<main id=\"main\">\n");
}

static hsp_status report_write(hsp__page *page, hsp_error *err)
{
    const hsp__page_rows *rows = page->measured;
    report_head(page);
    hsp__html(page->html, "<p class=\"lead\">On %s %s the model is wrong on %s. %s</p>\n",
              hsp__shown_count(rows->all.n).text, hsp__page_whose(page),
              hsp__shown_count(rows->all.mistakes).text, report_caveat(page));
    if (hsp_model_threshold(page->model) > 0)
        hsp__html(page->html,
                  "<p>The model predicts %s where its probability is above %s. Errors, confusion "
                  "matrix and bounds of this page are of these decisions; margins, and the record "
                  "of the run, are without this threshold.</p>\n",
                  hsp__page_class(page, 1),
                  hsp__shown_number(hsp_model_threshold(page->model)).text);
    report_cards(page);
    report_warnings(page);
    for (size_t i = 0; i < REPORT_SECTIONS; i++) {
        const report_section *section = &report_sections[i];
        hsp__html(page->html,
                  "<section id=\"%s\" aria-labelledby=\"%s-title\">\n<h2 id=\"%s-title\">%s</h2>\n",
                  section->id, section->id, section->id, section->title);
        HSP__TRY(section->write(page, err));
        hsp__text_puts(page->html, "</section>\n");
    }
    hsp__html(page->html,
              "</main>\n<footer>\n<p>Made by halfspace %s.</p>\n</footer>\n</body>\n</html>\n",
              hsp_version());
    return page->html->failed || page->failed || page->memory.failed ? hsp__fail_memory(err)
                                                                     : HSP_OK;
}

/* ---- The calls ---- */

static void report_close(hsp__page *page)
{
    hsp_verification_free(page->verification);
    hsp_error_report_free(page->bounds);
    hsp_importances_free(page->importances);
    hsp_summary_free(page->summary);
    hsp_profile_free(page->profile);
    hsp_evaluated_free(page->test.evaluated);
    hsp_evaluated_free(page->data.evaluated);
    hsp_data_free(page->test.data);
    hsp_data_free(page->data.data);
    hsp_options_free(page->evaluation);
    hsp_options_free(page->plain);
    hsp_options_free(page->learner);
    hsp_options_free(page->options);
    hsp_model_free(page->model);
    hsp__scratch_free(&page->memory);
}

/* Hand the warnings and the figures of the first lines over. */
static hsp_status report_give(hsp__page *page, hsp_html *to, hsp_error *err)
{
    const hsp__page_rows *rows = page->measured;
    to->warnings = page->warnings;
    to->warning_count = page->warning_count;
    page->warnings = NULL;
    page->warning_count = 0;
    to->measured = hsp__copy_text(&to->memory, rows->path, strlen(rows->path));
    if (!to->measured) return hsp__fail_memory(err);
    to->summary = (hsp_html_summary){.size = sizeof to->summary,
                                     .measured = to->measured,
                                     .trained = rows->trained == HSP__TRAINED_YES  ? 1
                                                : rows->trained == HSP__TRAINED_NO ? 0
                                                                                   : -1,
                                     .rows = rows->all.n,
                                     .mistakes = rows->all.mistakes,
                                     .error = rows->all.error,
                                     .low = rows->scores[0].low,
                                     .high = rows->scores[0].high,
                                     .figures = page->figures,
                                     .certificate_checked = page->verification != NULL,
                                     .verification = page->verification ? page->verification->result
                                                                        : HSP_UNDECIDED};
    return HSP_OK;
}

static hsp_status report_check_path(const char *path, const char *what, hsp_error *err)
{
    if (strcmp(path, "-") != 0) return HSP_OK;
    return hsp__fail(err, HSP_USAGE,
                     "%s cannot be standard input: a report reads its files more than once", what);
}

hsp_status hsp_html_new(hsp_context *ctx, const char *model, const char *data,
                        const hsp_options *read, const hsp_options *options, hsp_error *err,
                        hsp_html **out)
{
    HSP__NEED(err, ctx, model, data, out);
    hsp__page page = {.ctx = *ctx, .read = read, .given = options, .model_path = model};
    hsp_error own = HSP_ERROR_INIT;
    if (!err) err = &own;
    HSP__TRY(report_check_path(model, "the model", err));
    HSP__TRY(report_check_path(data, "the data", err));
    hsp_html *made = hsp__new(&ctx->allocator, 1, sizeof *made);
    if (!made) return hsp__fail_memory(err);
    made->memory = ctx->allocator;
    hsp__text_init(&made->text, &made->memory);
    page.html = &made->text;
    page.memory.memory = &ctx->allocator;
    page.ctx.log = hsp__page_log;
    page.ctx.log_user = &page;
    hsp_status status = options ? hsp_options_copy(ctx, options, err, &page.options)
                                : hsp_options_new(ctx, hsp_html_options(), err, &page.options);
    if (!status) {
        page.title = hsp_options_text(page.options, "title");
        page.certificate_path = hsp_options_text(page.options, "certificate");
        status = report_compute(&page, data, err);
    }
    if (!status) status = report_write(&page, err);
    if (!status) status = report_give(&page, made, err);
    report_close(&page);
    for (uint64_t i = 0; i < page.warning_count; i++)
        hsp__free(&ctx->allocator, page.warnings[i]);
    hsp__free(&ctx->allocator, page.warnings);
    HSP__GIVE(status, made, hsp_html_free, out);
}

void hsp_html_free(hsp_html *html)
{
    if (!html) return;
    const hsp_allocator memory = html->memory;
    for (uint64_t i = 0; i < html->warning_count; i++)
        hsp__free(&memory, html->warnings[i]);
    hsp__free(&memory, html->warnings);
    hsp__free(&memory, html->measured);
    hsp__text_free(&html->text);
    hsp__free(&memory, html);
}

const char *hsp_html_text(const hsp_html *html, size_t *size)
{
    if (!html) return NULL;
    if (size) *size = html->text.size;
    return html->text.data;
}

const char *hsp_html_warning(const hsp_html *html, size_t i)
{
    return html && i < html->warning_count ? html->warnings[i] : NULL;
}

hsp_status hsp_html_summarise(const hsp_html *html, hsp_error *err, hsp_html_summary *out)
{
    HSP__NEED(err, html, out);
    HSP__REPORT(err, out, hsp_html_summary);
    hsp__report_give(out, &html->summary, sizeof html->summary);
    return HSP_OK;
}
