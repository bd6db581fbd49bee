/* Figures of a report, as SVG in the page. They are drawn in the light theme; the style sheet gives
 * each of its colours the one that the dark theme has instead. A figure with other colours, such as
 * those of a scale, is there twice. */
#include <stdio.h>
#include <stdlib.h>

#include "base/base.h"
#include "show/canvas.h"
#include "show/html_page.h"

#define FIGURES_BYTES 250000 /* of one figure; larger ones are left out */
#define FIGURES_ROWS  2000   /* rows that are drawn as points */

/* The i-th role that has a colour; -1 past the last. */
static int figures_role(int i)
{
    if (i < HSP__ROLES) return i;
    i -= HSP__ROLES;
    return i >= 16 ? -1 : i % 2 ? HSP__TINT(i / 2) : HSP__CLASS(i / 2);
}

void hsp__page_figure_style(hsp__text *html)
{
    hsp__text_puts(html, "@media screen and (prefers-color-scheme:dark){.light{display:none}\n");
    for (int i = 0, role; (role = figures_role(i)) >= 0; i++) {
        const unsigned light = (unsigned)hsp__theme_color(0, role),
                       dark = (unsigned)hsp__theme_color(1, role);
        hsp__text_printf(html,
                         ".both [fill=\"#%06x\"]{fill:#%06x}.both "
                         "[stroke=\"#%06x\"]{stroke:#%06x}\n",
                         light, dark, light, dark);
    }
    hsp__text_puts(html, "}\n@media print,(prefers-color-scheme:light){.dark{display:none}}\n");
}

/* Are all colours of the figure those of roles? */
static int figures_plain(const char *svg)
{
    while ((svg = strstr(svg, "=\"#"))) {
        const long color = strtol(svg + 3, NULL, 16);
        int known = 0;
        for (int i = 0, role; !known && (role = figures_role(i)) >= 0; i++)
            known = color == hsp__theme_color(0, role);
        if (!known) return 0;
        svg += 3;
    }
    return 1;
}

/* Draw in one theme. */
static hsp_status figures_draw(hsp__page *page, const hsp_figure *figure, const char *theme,
                               int wide, hsp_error *err, char **svg)
{
    hsp_options *look = NULL;
    hsp_status status = hsp_options_new(&page->ctx, hsp_figure_options(), err, &look);
    if (!status) status = hsp_options_set(look, "theme", theme, err);
    if (!status && !wide) status = hsp_options_set(look, "width", "480", err);
    if (!status && !wide) status = hsp_options_set(look, "height", "420", err);
    if (!status) status = hsp_figure_svg(&page->ctx, figure, look, err, svg);
    hsp_options_free(look);
    return status;
}

static void figures_wrap(hsp__page *page, int wide, const char *light, const char *dark,
                         const char *caption)
{
    hsp__text_puts(page->html, wide ? "<figure class=\"wide\">\n" : "<figure>\n");
    hsp__text_puts(page->html, dark ? "<div class=\"light\">\n" : "<div class=\"both\">\n");
    hsp__text_puts(page->html, light);
    if (dark) hsp__text_puts(page->html, "</div>\n<div class=\"dark\">\n");
    if (dark) hsp__text_puts(page->html, dark);
    hsp__text_puts(page->html, "</div>\n");
    if (caption) hsp__html(page->html, "<figcaption>%s</figcaption>\n", caption);
    hsp__text_puts(page->html, "</figure>\n");
    page->figures++;
}

static hsp_status figures_put(hsp__page *page, const hsp_figure *figure, int wide,
                              const char *caption, hsp_error *err)
{
    char *light = NULL, *dark = NULL;
    hsp_status status = figures_draw(page, figure, "light", wide, err, &light);
    const int plain = !status && figures_plain(light);
    if (!status && !plain) status = figures_draw(page, figure, "dark", wide, err, &dark);
    if (!status && strlen(light) + (dark ? strlen(dark) : 0) > FIGURES_BYTES) {
        hsp__html(page->html, "<p>The figure %s is too large for this page. To draw it:</p>\n",
                  figure->kind);
        hsp__page_command(page, 1,
                          (const char *const[]){"halfspace", "plot", figure->kind, page->model_path,
                                                page->measured->path, "-o", "figure.svg", NULL});
    } else if (!status) {
        figures_wrap(page, wide, light, dark, caption);
    }
    hsp_figure_text_free(light);
    hsp_figure_text_free(dark);
    return status;
}

hsp_status hsp__page_figure(hsp__page *page, const char *kind, int wide, const char *caption,
                            hsp_error *err)
{
    const hsp_option_table *table = hsp_plot_kind_find(kind);
    const hsp_plot_needs *needs = table ? hsp_plot_needs_of(table) : NULL;
    hsp_options *options = NULL;
    hsp_figure *figure = NULL;
    const char *why = NULL;
    if (!needs) return HSP_OK;
    hsp_status status = hsp_options_new(&page->ctx, table, err, &options);
    if (!status && strcmp(kind, "rows") == 0)
        status = hsp_options_set_integer(options, "rows", FIGURES_ROWS, err);
    const hsp_plot_input input = {.size = sizeof input,
                                  .models = &page->model,
                                  .model_names = &page->model_path,
                                  .model_count = needs->models_most > 0,
                                  .data = &page->measured->data,
                                  .data_names = &page->measured->path,
                                  .data_count = needs->data_most > 0};
    if (!status) status = hsp_plot(&page->ctx, &input, options, err, &figure);
    if (status) status = hsp__page_excuse(page, status, err, &why);
    if (!status && figure) status = figures_put(page, figure, wide, caption, err);
    hsp_figure_free(figure);
    hsp_options_free(options);
    return status;
}

/* ---- Margins ---- */

enum { FIGURES_BINS = 48 };

/* Bins of one width with an edge at 0, over the margins but for the smallest and the largest
 * hundredth of them: those are in the outermost bins. */
hsp_status hsp__page_margin_figure(hsp__page *page, hsp_error *err)
{
    const uint64_t n = page->margin_count;
    const double *margins = page->margins;
    const double low = fmin(margins[n / 100], 0), high = fmax(margins[n - 1 - n / 100], 0);
    const double width = high > low ? (high - low) / (FIGURES_BINS - 2) : 1;
    double at[FIGURES_BINS], rows[FIGURES_BINS] = {0}, parts[2][FIGURES_BINS];
    const double first = floor(low / width);
    hsp_figure *figure = NULL;
    uint64_t wrong = 0;
    if (!isfinite(width) || !isfinite(first)) return HSP_OK;
    for (uint64_t i = 0; i < n; i++) {
        const double bin = fmin(fmax(floor(margins[i] / width) - first, 0), FIGURES_BINS - 1);
        rows[(int)bin]++;
        wrong += margins[i] < 0;
    }
    for (int i = 0; i < FIGURES_BINS; i++) {
        at[i] = (first + i + 0.5) * width;
        parts[0][i] = at[i] < 0 ? rows[i] : (double)NAN;
        parts[1][i] = at[i] < 0 ? (double)NAN : rows[i];
    }
    HSP__TRY(hsp__figure_new(&page->ctx, "margins", err, &figure));
    hsp__figure_title(figure, "Margins of the rows");
    const int elsewhere = hsp__plot_threshold(page->model) > 0;
    hsp__figure_describe(figure, "Histogram of the margins of %s rows; %s are negative%s.",
                         hsp__shown_count(n).text, hsp__shown_count(wrong).text,
                         elsewhere ? "" : ": wrong");
    figure->width = 760;
    figure->height = 320;
    hsp__panel *panel = hsp__panel_add(figure, NULL);
    hsp__axis_label(panel, panel ? &panel->x : NULL, "%s",
                    page->classes > 2 ? "score of the true class minus the best other"
                                      : "margin y s");
    hsp__axis_label(panel, panel ? &panel->y : NULL, "rows");
    hsp__panel_bars(
        panel, FIGURES_BINS, at, parts[0], width * 0.92, 0,
        (hsp__style){.color = HSP__BAD, .name = elsewhere ? "score of the wrong sign" : "wrong"});
    hsp__panel_bars(
        panel, FIGURES_BINS, at, parts[1], width * 0.92, 0,
        (hsp__style){.color = HSP__CLASS(0), .name = elsewhere ? "of the right sign" : "right"});
    hsp__panel_rule(panel, 1, 0, 0, (hsp__style){.color = HSP__INK, .width = 1});
    if (n < page->measured->view->rows)
        hsp__figure_note(figure, "%s of %s rows, drawn at random", hsp__shown_count(n).text,
                         hsp__shown_count(page->measured->view->rows).text);
    hsp_status status = hsp__figure_done(figure, err);
    if (!status)
        status = figures_put(page, figure, 1,
                             "How many rows have which margin. The smallest and the largest "
                             "hundredth of the margins are counted in the outermost bars.",
                             err);
    hsp_figure_free(figure);
    return status;
}
