/* The report's sections on measures, curves and the confusion matrix. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/base.h"
#include "show/html_page.h"

#define MEASURES_MATRIX   15 /* classes of a matrix that is a table */
#define MEASURES_CONFUSED 12 /* pairs of classes listed */

/* ---- Scores ---- */

static const hsp_field *measures_field(const char *score)
{
    char name[64];
    const void *at;
    snprintf(name, sizeof name, "%s", score);
    for (char *p = name; *p; p++)
        if (*p == '-') *p = '_';
    return hsp__html_field(hsp_evaluation_fields(), NULL, name, &at, NULL);
}

/* A value of a score as its field has it: percent, or a number. */
static hsp__shown measures_value(const hsp_field *field, double value)
{
    if (!isfinite(value)) return (hsp__shown){"–"};
    return field && field->type == HSP_FIELD_SHARE ? hsp__shown_share(value)
                                                   : hsp__shown_digits(value, 4);
}

static void measures_scores(hsp__page *page)
{
    const hsp__page_rows *rows = page->measured;
    const int both = page->test.path != NULL;
    char head[640];
    snprintf(head, sizeof head,
             "<th scope=\"col\">measure</th><th scope=\"col\" class=\"num\">value</th><th "
             "scope=\"col\" class=\"num\">%s interval</th><th scope=\"col\" class=\"num\">most "
             "frequent class</th>%s<th scope=\"col\">meaning</th>",
             hsp__shown_level(hsp_options_real(page->options, "interval")).text,
             both ? "<th scope=\"col\" class=\"num\">on the data</th>" : "");
    hsp__page_table(page, "Measures", head);
    for (size_t i = 0; i < HSP_SCORES; i++) {
        const hsp_score_report *score = &rows->scores[i];
        const hsp_field *field = measures_field(score->name);
        if (!isfinite(score->value)) continue;
        hsp__text_puts(page->html, "<tr><th scope=\"row\">");
        if (field)
            hsp__html_label(page->html, field);
        else
            hsp__html(page->html, "%s", score->name);
        /* resampling says nothing where all samples give the same */
        const int known = isfinite(score->low) && score->low < score->high;
        hsp__html(page->html, "</th><td class=\"num strong\">%s</td><td class=\"num\">%s%s%s</td>",
                  measures_value(field, score->value).text,
                  known ? measures_value(field, score->low).text : "–", known ? " to " : "",
                  known ? measures_value(field, score->high).text : "");
        hsp__html(page->html, "<td class=\"num\">%s</td>",
                  measures_value(field, score->majority).text);
        if (both)
            hsp__html(page->html, "<td class=\"num\">%s</td>",
                      measures_value(field, page->data.scores[i].value).text);
        hsp__html(page->html, "<td class=\"note\">%s (%s is better)</td></tr>\n",
                  field ? field->meaning : "", score->is_loss ? "lower" : "higher");
    }
    hsp__page_table_end(page);
}

/* ---- Classes ---- */

static hsp__shown measures_ratio(double part, double whole)
{
    return whole > 0 ? hsp__shown_share(part / whole) : (hsp__shown){"–"};
}

static void measures_class(hsp__page *page, uint32_t c)
{
    const hsp__page_rows *rows = page->measured;
    const uint64_t *counts = rows->confusion;
    uint64_t predicted = 0;
    for (uint32_t t = 0; t < page->classes; t++)
        predicted += counts[(uint64_t)t * page->classes + c];
    const uint64_t right = counts[(uint64_t)c * page->classes + c];
    const uint64_t truth = hsp_evaluated_class_rows(rows->evaluated, c, NULL);
    hsp__html(page->html,
              "<tr><th scope=\"row\">%.40s</th><td class=\"num\">%s</td><td "
              "class=\"num\">%s</td><td class=\"num\">%s</td><td class=\"num\">%s</td><td>",
              hsp__page_class(page, c), hsp__shown_count(truth).text,
              hsp__shown_count(predicted).text,
              measures_ratio((double)right, (double)predicted).text,
              measures_ratio((double)right, (double)truth).text);
    hsp__page_bar(page, truth ? (double)right / (double)truth : 0);
    hsp__html(page->html, "</td><td class=\"num\">%s</td></tr>\n",
              predicted + truth
                  ? hsp__shown_digits(2 * (double)right / (double)(predicted + truth), 3).text
                  : "–");
}

static void measures_classes(hsp__page *page)
{
    hsp__html(page->html, "<h3>By class</h3>\n");
    const uint32_t shown = hsp__page_fold(page, "Precision and recall");
    hsp__page_table(page, "Measures by class",
                    "<th scope=\"col\">class</th><th scope=\"col\" class=\"num\">rows</th><th "
                    "scope=\"col\" class=\"num\">predicted</th><th scope=\"col\" "
                    "class=\"num\">precision</th><th scope=\"col\" class=\"num\">recall</th>"
                    "<td></td><th scope=\"col\" class=\"num\">F1</th>");
    for (uint32_t c = 0; c < shown; c++)
        measures_class(page, c);
    hsp__page_table_end(page);
    hsp__page_fold_end(page);
    hsp__html(page->html,
              "<p class=\"note\">Precision: share of the rows predicted to be of the class that "
              "are. Recall: share of the rows of the class that are predicted to be.</p>\n");
}

hsp_status hsp__page_measures(hsp__page *page, hsp_error *err)
{
    static const char *const more[] = {"precision", "recall", "calibration_error", "hinge_loss",
                                       NULL};
    static const char *const ties[] = {"ties", NULL}, *const left[] = {"left_out", NULL};
    const hsp_evaluation *all = &page->measured->all;
    (void)err;
    hsp__html(page->html,
              "<p>All figures of this section are of the %s %s of <code>%s</code>. An interval "
              "shows what the measure might have been on other rows of the same kind: that of the "
              "error is exact (binomial), the others are from %s bootstrap samples.</p>\n",
              hsp__shown_count(all->n).text, hsp__page_whose(page), page->measured->path,
              hsp__shown_count(page->samples).text);
    measures_scores(page);
    hsp__page_table(page, "More measures", NULL);
    if (page->classes == 2)
        hsp__html(page->html,
                  "<tr><th scope=\"row\">second class</th><td class=\"num\">%.40s</td><td "
                  "class=\"note\">the class that precision, recall, F1 and average precision are "
                  "about</td></tr>\n",
                  hsp__page_class(page, 1));
    hsp__html_rows(page->html, hsp_evaluation_fields(), all, more);
    if (all->ties) hsp__html_rows(page->html, hsp_evaluation_fields(), all, ties);
    if (all->left_out) hsp__html_rows(page->html, hsp_evaluation_fields(), all, left);
    hsp__page_table_end(page);
    measures_classes(page);
    return HSP_OK;
}

/* ---- Curves ---- */

hsp_status hsp__page_curves(hsp__page *page, hsp_error *err)
{
    static const char *const kinds[][2] = {
        {"roc", "Receiver operating characteristic: what share of the class is found at which rate "
                "of false alarms."},
        {"pr", "Precision against recall, over all thresholds."}};
    static const char *const wide[][2] = {
        {"calibration", "Predicted probabilities against the shares that were observed; on the "
                        "diagonal they agree."},
        {"lift", "What share of the class is found among the rows with the highest scores."}};
    const uint64_t before = page->figures;
    HSP__TRY(hsp__page_figure(page, "rows", 1,
                              "Rows, and what the model predicts, in two dimensions.", err));
    hsp__text_puts(page->html, "<div class=\"figures\">\n");
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
        HSP__TRY(hsp__page_figure(page, kinds[i][0], 0, kinds[i][1], err));
    hsp__text_puts(page->html, "</div>\n");
    for (size_t i = 0; i < sizeof wide / sizeof *wide; i++)
        HSP__TRY(hsp__page_figure(page, wide[i][0], 1, wide[i][1], err));
    if (page->figures == before)
        hsp__html(page->html, "<p>There are no curves of these rows.</p>\n");
    return HSP_OK;
}

/* ---- The confusion matrix ---- */

static void measures_matrix(hsp__page *page)
{
    const uint32_t n = page->classes;
    const uint64_t *counts = page->measured->confusion;
    hsp__text_puts(page->html, "<div class=\"scroll\" tabindex=\"0\" role=\"group\" "
                               "aria-label=\"Confusion matrix\">\n<table "
                               "class=\"matrix\">\n<thead><tr><th scope=\"col\">true class</th>");
    for (uint32_t c = 0; c < n; c++)
        hsp__html(page->html, "<th scope=\"col\" class=\"num\">as %.24s</th>",
                  hsp__page_class(page, c));
    hsp__text_puts(page->html, "</tr></thead>\n<tbody>\n");
    for (uint32_t t = 0; t < n; t++) {
        const uint64_t rows = hsp_evaluated_class_rows(page->measured->evaluated, t, NULL);
        hsp__html(page->html, "<tr><th scope=\"row\">%.24s</th>", hsp__page_class(page, t));
        for (uint32_t c = 0; c < n; c++) {
            const uint64_t count = counts[(uint64_t)t * n + c];
            const double share = rows ? (double)count / (double)rows : 0;
            const int level = count ? 1 + (int)(share * 8.999) : 0;
            hsp__html(page->html, "<td class=\"num %s%s\">%s</td>", t == c ? "r" : "w",
                      (char[2]){(char)('0' + level), 0}, hsp__shown_count(count).text);
        }
        hsp__text_puts(page->html, "</tr>\n");
    }
    hsp__text_puts(page->html, "</tbody>\n</table>\n</div>\n");
}

typedef struct measures_pair {
    uint64_t count;
    uint32_t truth, predicted;
} measures_pair;

static int measures_compare(const void *left, const void *right)
{
    const measures_pair *a = left, *b = right;
    if (a->count != b->count) return a->count > b->count ? -1 : 1;
    if (a->truth != b->truth) return a->truth < b->truth ? -1 : 1;
    return a->predicted < b->predicted ? -1 : a->predicted > b->predicted;
}

/* The pairs of classes that are confused most often. */
static hsp_status measures_confused(hsp__page *page, hsp_error *err)
{
    const uint64_t n = page->classes;
    const uint64_t *counts = page->measured->confusion;
    uint64_t found = 0;
    measures_pair *pairs = hsp__scratch_new(&page->memory, n * n, sizeof *pairs);
    if (!pairs) return hsp__fail_memory(err);
    for (uint64_t i = 0; i < n * n; i++)
        if (counts[i] && i / n != i % n)
            pairs[found++] = (measures_pair){counts[i], (uint32_t)(i / n), (uint32_t)(i % n)};
    if (!found) {
        hsp__html(page->html, "<p>No class is taken for another.</p>\n");
        return HSP_OK;
    }
    qsort(pairs, found, sizeof *pairs, measures_compare);
    hsp__html(page->html, "<h3>Most frequent confusions</h3>\n");
    hsp__page_table(page, "Most frequent confusions",
                    "<th scope=\"col\">true class</th><th scope=\"col\">predicted as</th><th "
                    "scope=\"col\" class=\"num\">rows</th><th scope=\"col\" class=\"num\">share of "
                    "the class</th><td></td>");
    for (uint64_t i = 0; i < found && i < MEASURES_CONFUSED; i++) {
        const measures_pair *pair = &pairs[i];
        const double share =
            (double)pair->count /
            (double)hsp_evaluated_class_rows(page->measured->evaluated, pair->truth, NULL);
        hsp__html(page->html,
                  "<tr><th scope=\"row\">%.40s</th><td>%.40s</td><td class=\"num\">%s</td><td "
                  "class=\"num\">%s</td><td>",
                  hsp__page_class(page, pair->truth), hsp__page_class(page, pair->predicted),
                  hsp__shown_count(pair->count).text, hsp__shown_share(share).text);
        hsp__page_bar(page, share);
        hsp__text_puts(page->html, "</td></tr>\n");
    }
    hsp__page_table_end(page);
    return HSP_OK;
}

hsp_status hsp__page_confusion(hsp__page *page, hsp_error *err)
{
    hsp__html(page->html,
              "<p>Each row of the matrix is a true class, each column what the model "
              "predicts%s.</p>\n",
              page->measured->all.ties ? "; rows on the boundary are in no column" : "");
    if (page->classes <= MEASURES_MATRIX)
        measures_matrix(page);
    else
        HSP__TRY(hsp__page_figure(page, "confusion", 1, NULL, err));
    return page->classes > 2 ? measures_confused(page, err) : HSP_OK;
}
