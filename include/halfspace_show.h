/* halfspace: figures. A figure is made from models, data and files by a kind of plot ("rows",
 * "roc", ...), then written as SVG, PNG or PDF, or drawn as text (docs/plotting.md).
 *
 *     hsp_options *options;
 *     hsp_options_new(ctx, hsp_plot_kind_find("rows"), &err, &options);
 *     hsp_plot_input input = {.size = sizeof input, .data = &data, .data_count = 1};
 *     hsp_figure *figure = NULL;
 *     hsp_plot(ctx, &input, options, &err, &figure);
 *     hsp_figure_write(ctx, figure, NULL, "rows.svg", &err);
 *     hsp_figure_free(figure);
 */
#ifndef HALFSPACE_SHOW_H
#define HALFSPACE_SHOW_H

#include "halfspace_report.h"

#ifdef __cplusplus
extern "C" {
#endif

/* A figure: panels with axes and what is drawn in them. It keeps nothing of what it was made from.
 */
typedef struct hsp_figure hsp_figure;

/* The kinds of plots, each with its own options: the i-th (NULL past the last), and the one of a
 * name (NULL: there is none). */
HSP_API const hsp_option_table *hsp_plot_kind(size_t i);
HSP_API const hsp_option_table *hsp_plot_kind_find(const char *name);

/* What a kind is made from: how many models, data sets and other files it takes, and how these are
 * called ("[MODEL...] DATA"). */
typedef struct hsp_plot_needs {
    const char *arguments;
    size_t models_least, models_most;
    size_t data_least, data_most;
    size_t files_least, files_most;
    int data_each;      /* of several models, each can have the data as it reads it */
    const char *frames; /* the option that chooses one of several frames ("updates"); NULL: there is
                           one figure */
} hsp_plot_needs;
HSP_API const hsp_plot_needs *hsp_plot_needs_of(const hsp_option_table *kind); /* or NULL */

/* What a figure is made from. Unused lists are NULL with a count of 0. Names (of files, for titles
 * and legends) may be NULL. Data must have been read with the encoding of the first model; with
 * hsp_plot_needs.data_each there can be as many data sets as models, each read with the encoding of
 * its own. */
typedef struct hsp_plot_input {
    size_t size; /* set by the caller: sizeof(hsp_plot_input) */
    hsp_model *const *models;
    const char *const *model_names;
    size_t model_count;
    hsp_data *const *data;
    const char *const *data_names;
    size_t data_count;
    const char *const *files; /* names of files that the kind reads itself */
    size_t file_count;
} hsp_plot_input;

/* Make a figure; `options` say which kind. HSP_USAGE with a sentence if the input is not what the
 * kind needs. Free it with hsp_figure_free. */
HSP_API hsp_status hsp_plot(hsp_context *ctx, const hsp_plot_input *input,
                            const hsp_options *options, hsp_error *err, hsp_figure **out);
HSP_API void hsp_figure_free(hsp_figure *figure);

/* How many frames the input has: figures that the option hsp_plot_needs.frames numbers from 1, and
 * which make a film. HSP_USAGE for a kind without frames. */
HSP_API hsp_status hsp_plot_frames(hsp_context *ctx, const hsp_plot_input *input,
                                   const hsp_options *options, hsp_error *err, uint64_t *out);

/* How it is drawn: title, theme, width, height. */
HSP_API const hsp_option_table *hsp_figure_options(void);

/* Write the figure, completely or not at all; the name's ending says the format: .svg (always), .png
 * and .pdf (HSP_UNSUPPORTED without cairo). `options`: of hsp_figure_options, or NULL. */
HSP_API hsp_status hsp_figure_write(hsp_context *ctx, const hsp_figure *figure,
                                    const hsp_options *options, const char *path, hsp_error *err);

/* The figure as an SVG element, to be put into HTML, or as lines of text for a terminal: `colors`
 * 1 for escape sequences of 256 colours, 2 for 24-bit ones; `unicode` 1 for shapes and braille in
 * UTF-8. Free the text with
 * hsp_figure_text_free. */
HSP_API hsp_status hsp_figure_svg(hsp_context *ctx, const hsp_figure *figure,
                                  const hsp_options *options, hsp_error *err, char **out);
HSP_API hsp_status hsp_figure_terminal(hsp_context *ctx, const hsp_figure *figure,
                                       const hsp_options *options, int colors, int unicode,
                                       hsp_error *err, char **out);
HSP_API void hsp_figure_text_free(char *text);

/* The numbers of a figure: panels, axes and marks (of hsp_figure). */
HSP_API const hsp_field *hsp_figure_fields(void);

#ifdef __cplusplus
}
#endif

#endif
