/* How a figure is drawn: options, sizes. */
#include "show/canvas.h"

const hsp_option_table *hsp_figure_options(void)
{
    static const hsp_option options[] = {
        HSP__TEXT("title", NULL, "TEXT", "title of the figure"),
        HSP__CHOICE("theme", "light", "light|dark", "colours for light or dark backgrounds"),
        HSP__INTEGER("width", NULL, 10, 10000, "N",
                     "width in pixels (PDF: points; PNG: pairs of pixels); in the terminal, of the "
                     "plot in characters"),
        HSP__INTEGER("height", NULL, 5, 10000, "N",
                     "height in pixels (PDF: points; PNG: pairs of pixels); in the terminal, of "
                     "the plot in lines")};
    static const hsp_option_table table = {"figure", "how a figure is drawn", options,
                                           sizeof options / sizeof *options};
    return &table;
}

uint32_t hsp__figure_columns(const hsp_figure *figure)
{
    const uint32_t count = figure->panel_count;
    if (figure->columns) return figure->columns;
    return count <= 1 ? 1 : count <= 2 || count == 4 ? 2 : count <= 9 ? 3 : 4;
}

hsp__look hsp__look_of(const hsp_figure *figure, const hsp_options *options, int terminal)
{
    const uint32_t count = figure->panel_count, columns = hsp__figure_columns(figure);
    const uint32_t rows = count ? (count + columns - 1) / columns : 1;
    const int one = count <= 1;
    hsp__look look = {.width = one            ? 640
                               : columns == 2 ? 800
                               : columns == 3 ? 960
                                              : 1200,
                      .height = one ? 480 : 60 + rows * (columns == 2 ? 330.0 : 270.0)};
    if (figure->width > 0) look.width = figure->width;
    if (figure->height > 0) look.height = figure->height;
    if (terminal) look.width = 64, look.height = 20;
    if (!options) return look;
    const char *title = hsp_options_text(options, "title");
    if (title) hsp__clean_text(title, HSP__TITLE, look.title);
    look.dark = strcmp(hsp_options_text(options, "theme"), "dark") == 0;
    if (hsp_options_is_set(options, "width"))
        look.width = (double)hsp_options_integer(options, "width");
    if (hsp_options_is_set(options, "height"))
        look.height = (double)hsp_options_integer(options, "height");
    if (terminal) return look;
    look.width = fmax(look.width, 120); /* smaller ones have no room for text */
    look.height = fmax(look.height, 90);
    return look;
}
