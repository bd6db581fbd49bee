/* The report's section on the data: its files, classes and columns. */
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "base/base.h"
#include "show/html_page.h"

#define DATA_COLUMNS 60 /* columns listed */

static void data_files(hsp__page *page)
{
    const hsp__page_rows *const all[] = {&page->data, &page->test};
    hsp__page_table(page, "Files",
                    "<th scope=\"col\">file</th><th scope=\"col\" class=\"num\">rows</th><th "
                    "scope=\"col\" class=\"num\">features</th><th scope=\"col\">used to train the "
                    "model</th>");
    for (int i = 0; i < 2; i++) {
        static const char *const trained[] = {[HSP__TRAINED_YES] = "yes",
                                              [HSP__TRAINED_NO] = "no",
                                              [HSP__TRAINED_UNKNOWN] = "the model does not say"};
        if (!all[i]->path) continue;
        hsp__html(page->html,
                  "<tr><th scope=\"row\"><code>%s</code></th><td class=\"num\">%s</td><td "
                  "class=\"num\">%s</td><td>%s</td></tr>\n",
                  all[i]->path, hsp__shown_count(all[i]->view->rows).text,
                  hsp__shown_count(all[i]->view->cols).text, trained[all[i]->trained]);
    }
    hsp__page_table_end(page);
}

static void data_class_cells(hsp__page *page, const hsp__page_rows *rows, uint32_t c)
{
    if (!rows->path) return;
    const uint64_t count = hsp_evaluated_class_rows(rows->evaluated, c, NULL);
    const double share = rows->view->rows ? (double)count / (double)rows->view->rows : 0;
    hsp__html(page->html, "<td class=\"num\">%s</td><td class=\"num\">%s</td><td>",
              hsp__shown_count(count).text, hsp__shown_share(share).text);
    hsp__page_bar(page, share);
    hsp__text_puts(page->html, "</td>");
}

static void data_classes(hsp__page *page)
{
    hsp__html(page->html, "<h3>Classes</h3>\n");
    const uint32_t shown = hsp__page_fold(page, "Rows");
    hsp__page_table(
        page, "Classes",
        page->test.path
            ? "<th scope=\"col\">class</th><th scope=\"col\" class=\"num\">rows</th><th "
              "scope=\"col\" class=\"num\">share</th><td></td><th scope=\"col\" "
              "class=\"num\">test rows</th><th scope=\"col\" class=\"num\">share</th><td></td>"
            : "<th scope=\"col\">class</th><th scope=\"col\" class=\"num\">rows</th><th "
              "scope=\"col\" class=\"num\">share</th><td></td>");
    for (uint32_t c = 0; c < shown; c++) {
        hsp__html(page->html, "<tr><th scope=\"row\">%.40s</th>", hsp__page_class(page, c));
        data_class_cells(page, &page->data, c);
        data_class_cells(page, &page->test, c);
        hsp__text_puts(page->html, "</tr>\n");
    }
    hsp__page_table_end(page);
    hsp__page_fold_end(page);
}

/* ---- Columns of a table ---- */

/* A number of a column, or a day. */
static void data_cell(hsp__page *page, const hsp_profile_column *column, double value)
{
    char day[32] = "";
    if (column->format && isfinite(value)) {
        const time_t seconds = (time_t)(floor(value) * 86400);
        struct tm date;
        if (gmtime_r(&seconds, &date)) strftime(day, sizeof day, "%Y-%m-%d", &date);
    }
    hsp__html(page->html, "<td class=\"num\">%s</td>",
              *day              ? day
              : isfinite(value) ? hsp__shown_number(value).text
                                : "");
}

static void data_values(hsp__page *page, const hsp_profile_column *column)
{
    const int frequent = strcmp(column->kind, "category") == 0;
    hsp__text_puts(page->html, "<td class=\"note\">");
    for (int i = 0; i < 3; i++) {
        const char *value = frequent ? column->frequent[i] : column->examples[i];
        if (!value) break;
        hsp__html(page->html, "%s%.40s", i ? ", " : "", value);
        if (frequent)
            hsp__html(page->html, " (%s)", hsp__shown_count(column->frequent_cells[i]).text);
    }
    hsp__text_puts(page->html, "</td>");
}

static void data_table(hsp__page *page)
{
    const hsp_profile_totals *all = hsp_profile_table(page->profile);
    const uint64_t shown = all->columns < DATA_COLUMNS ? all->columns : DATA_COLUMNS;
    hsp__html(page->html, "<h3>Columns of <code>%s</code></h3>\n<p>%s %s%s%s.</p>\n",
              page->data.path, hsp__shown_count(all->columns).text,
              hsp__html_plural(all->columns, "column", "columns"),
              shown < all->columns ? ", of which the first 60 are listed" : "",
              all->complete ? "" : "; the figures are of the first part of the file");
    hsp__page_table(
        page, "Columns",
        "<th scope=\"col\">column</th><th scope=\"col\">kind</th><th scope=\"col\" "
        "class=\"num\">features</th><th scope=\"col\" class=\"num\">missing</th><th scope=\"col\" "
        "class=\"num\">distinct</th><th scope=\"col\" class=\"num\">min</th><th scope=\"col\" "
        "class=\"num\">median</th><th scope=\"col\" class=\"num\">max</th><th "
        "scope=\"col\">values</th>");
    for (uint64_t i = 0; i < shown; i++) {
        const hsp_profile_column *column = hsp_profile_column_at(page->profile, i);
        const uint64_t used = column->label ? UINT64_MAX : hsp__page_uses(page, column->name);
        hsp__html(page->html,
                  "<tr><th scope=\"row\">%.40s</th><td>%s%s</td><td class=\"num\">%s</td><td "
                  "class=\"num\">%s</td><td class=\"num\">%s%s</td>",
                  column->name, column->kind, column->label ? ", label" : "",
                  used == UINT64_MAX ? ""
                  : used             ? hsp__shown_count(used).text
                                     : "not used",
                  hsp__shown_count(column->missing).text, column->exact ? "" : "over ",
                  hsp__shown_count(column->distinct).text);
        data_cell(page, column, column->min);
        data_cell(page, column, column->median);
        data_cell(page, column, column->max);
        data_values(page, column);
        hsp__text_puts(page->html, "</tr>\n");
    }
    hsp__page_table_end(page);
}

/* ---- Features of other files ---- */

static void data_features(hsp__page *page)
{
    const uint64_t all = page->data.view->cols, shown = all < 20 ? all : 20;
    char number[32];
    hsp__html(page->html, "<h3>Features</h3>\n<p>%s %s%s.</p>\n", hsp__shown_count(all).text,
              hsp__html_plural(all, "feature", "features"),
              shown < all ? ", of which the first 20 are listed" : "");
    hsp__page_table(page, "Features",
                    "<th scope=\"col\">feature</th><th scope=\"col\" class=\"num\">min</th><th "
                    "scope=\"col\" class=\"num\">mean</th><th scope=\"col\" "
                    "class=\"num\">max</th><th scope=\"col\" class=\"num\">standard "
                    "deviation</th><th scope=\"col\" class=\"num\">non-zeros</th>");
    for (uint64_t j = 0; j < shown; j++) {
        const hsp_column_summary *column = hsp_summary_column(page->summary, j);
        const char *name = hsp_data_feature_name(page->data.data, j);
        snprintf(number, sizeof number, "%llu",
                 (unsigned long long)(j + (uint64_t)hsp_data_index_base(page->data.data)));
        hsp__html(page->html, "<tr><th scope=\"row\">%.40s</th>", name ? name : number);
        const double values[] = {column->min, column->mean, column->max, column->stdev};
        for (size_t i = 0; i < 4; i++)
            hsp__html(page->html, "<td class=\"num\">%s</td>", hsp__shown_number(values[i]).text);
        hsp__html(page->html, "<td class=\"num\">%s</td></tr>\n",
                  hsp__shown_count(column->nonzeros).text);
    }
    hsp__page_table_end(page);
}

hsp_status hsp__page_data(hsp__page *page, hsp_error *err)
{
    static const char *const totals[] = {"density",
                                         "empty_rows",
                                         "duplicate_rows",
                                         "contradictory_rows",
                                         "empty_columns",
                                         "constant_columns",
                                         "duplicate_columns",
                                         "class_runs",
                                         NULL};
    (void)err;
    data_files(page);
    data_classes(page);
    if (hsp_profile_table(page->profile)->columns)
        data_table(page);
    else
        data_features(page);
    hsp__html(page->html, "<h3>Rows as the model reads them</h3>\n");
    hsp__page_table(page, "Rows", NULL);
    hsp__html_rows(page->html, hsp_totals_fields(), hsp_summary_totals(page->summary), totals);
    hsp__page_table_end(page);
    if (*hsp_data_stored_note(page->data.data))
        hsp__html(page->html, "<p class=\"note\">These figures are%s.</p>\n",
                  hsp_data_stored_note(page->data.data));
    return HSP_OK;
}
