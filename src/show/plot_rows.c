/* The kind `rows`: rows as points in a plane, and what models say of each place in it. */
#include <stdio.h>
#include <stdlib.h>

#include "show/rows_geometry.h"

enum {
    ROWS_NODES_X = 181, /* of the grid on which models are asked */
    ROWS_NODES_Y = 141,
    ROWS_ENTRIES = 4 << 20, /* numbers of a batch of nodes at most */
    ROWS_LEVELS = 5         /* of filled contours on each side of the boundary */
};

static const hsp_option rows_options[] = {
    HSP__TEXT(
        "x", NULL, "FEATURE",
        "feature on the horizontal axis: a name, or a number from 1 (default: the first of two "
        "features; of more, the principal axes of the rows)"),
    HSP__TEXT("y", NULL, "FEATURE", "feature on the vertical axis"),
    HSP__TEXT(
        "show", NULL, "LIST",
        "what to add, separated by commas: margins, geometric, support, w, distances, origin, "
        "slack, hulls, mistakes, numbers"),
    HSP__INTEGER("rows", "10000", 1, 1e6, "N", "draw at most N rows: a random sample of more")};

/* ---- Rows ---- */

/* The classes of labels: those of the model, if there is one. known[label] is 0 for those that it
 * does not have. */
static hsp_status rows_known(hsp__rows_plot *plot, uint32_t **classes, char **known, hsp_error *err)
{
    const uint32_t labels = plot->view->labels ? hsp_data_classes(plot->data) : 0;
    *classes = hsp__scratch_new(&plot->memory, labels, sizeof **classes);
    *known = hsp__scratch_new(&plot->memory, labels, 1);
    if (plot->memory.failed) return hsp__fail_memory(err);
    uint32_t count = 0;
    for (uint32_t c = 0; c < labels; c++) {
        (*classes)[c] =
            plot->model ? hsp_model_class_of(plot->model, hsp_data_class_name(plot->data, c)) : c;
        (*known)[c] = (*classes)[c] != HSP_NO_CLASS;
        count += (uint32_t)(*known)[c];
    }
    if (labels && !count)
        return hsp__fail_at(err, HSP_BAD_DATA,
                            plot->input->data_names ? plot->input->data_names[0] : NULL, 0, 0,
                            "no row has a label that the model knows");
    if (count == labels) *known = NULL;
    return HSP_OK;
}

/* Which rows are shown, and where. */
static hsp_status rows_choose(hsp__rows_plot *plot, hsp_error *err)
{
    const hsp_view *view = plot->view;
    const uint64_t most = (uint64_t)hsp_options_integer(plot->options, "rows");
    uint64_t drawn = view->rows < most ? view->rows : most, left_out = 0;
    uint32_t *classes;
    char *known, some[HSP__LABEL], all[HSP__LABEL];
    HSP__TRY(rows_known(plot, &classes, &known, err));
    plot->rows = hsp__scratch_raw(&plot->memory, drawn, sizeof *plot->rows);
    plot->class_of = hsp__scratch_raw(&plot->memory, drawn, sizeof *plot->class_of);
    plot->x = hsp__scratch_raw(&plot->memory, drawn, sizeof *plot->x);
    plot->y = hsp__scratch_raw(&plot->memory, drawn, sizeof *plot->y);
    if (plot->memory.failed) return hsp__fail_memory(err);
    HSP__TRY(hsp_data_sample(plot->data, drawn, 1, err, plot->rows));
    for (uint64_t i = 0; known && i < view->rows; i++)
        left_out += !known[view->labels[i]];
    for (uint64_t i = 0; i < drawn; i++) {
        const uint64_t row = plot->rows[i];
        if (known && !known[view->labels[row]]) continue;
        plot->rows[plot->count] = row;
        plot->class_of[plot->count++] = view->labels ? classes[view->labels[row]] : HSP_NO_CLASS;
    }
    if (drawn < view->rows)
        hsp__figure_note(plot->figure, "%s of %s rows shown, a random sample",
                         hsp__label_count(plot->count, some),
                         hsp__label_count(view->rows - left_out, all));
    if (left_out)
        hsp__figure_note(plot->figure, "%s row%s of other classes left out",
                         hsp__label_count(left_out, some), left_out == 1 ? "" : "s");
    plot->plane =
        (hsp__plane){.ctx = plot->ctx, .model = plot->model, .data = plot->data, .view = view};
    double *across = NULL;
    HSP__TRY(hsp__rows_geometry_plane(plot, err, &across, &plot->plane.across_offset));
    plot->plane.across = across;
    HSP__TRY(hsp__plane_open(&plot->plane, hsp_options_text(plot->options, "x"),
                             hsp_options_text(plot->options, "y"), known, plot->rows, plot->count,
                             err));
    for (uint64_t i = 0; i < plot->count; i++) {
        double at[2];
        hsp__plane_place(&plot->plane, plot->rows[i], at);
        plot->x[i] = at[0];
        plot->y[i] = at[1];
    }
    return HSP_OK;
}

static const char *rows_class_name(const hsp__rows_plot *plot, uint32_t c)
{
    return plot->model ? hsp_model_class_name(plot->model, c) : hsp_data_class_name(plot->data, c);
}

/* The points, class by class; rows without a class last. */
static void rows_points(hsp__rows_plot *plot)
{
    double *x = hsp__scratch_raw(&plot->memory, plot->count, sizeof *x);
    double *y = hsp__scratch_raw(&plot->memory, plot->count, sizeof *y);
    for (uint32_t c = 0; c <= plot->classes && x && y; c++) {
        const uint32_t class = c < plot->classes ? c : HSP_NO_CLASS;
        uint64_t count = 0;
        for (uint64_t i = 0; i < plot->count; i++)
            if (plot->class_of[i] == class) {
                x[count] = plot->x[i];
                y[count++] = plot->y[i];
            }
        if (!count) continue;
        const int none = class == HSP_NO_CLASS;
        hsp__panel_points(
            plot->panel, count, x, y,
            (hsp__style){.color = none ? HSP__MUTED : HSP__CLASS(c),
                         .shape = none ? HSP__CIRCLE : HSP__SHAPE(c),
                         .size = plot->radius,
                         .name = none ? "rows without a label" : rows_class_name(plot, c)});
    }
}

/* ---- Models ---- */

typedef struct rows_field {
    const hsp_model *model;
    uint32_t class;
    double *values; /* classes */
    double *chances;
} rows_field;

hsp_status hsp__rows_grid(hsp__rows_plot *plot, const hsp_model *model, hsp__node_value value,
                          void *user, hsp_error *err, hsp__grid *out)
{
    const hsp__panel *panel = plot->panel;
    const uint64_t cols = plot->view->cols, nodes = (uint64_t)ROWS_NODES_X * ROWS_NODES_Y;
    const uint32_t scorers = hsp_model_scorers(model);
    uint64_t batch = ROWS_ENTRIES / (cols + scorers);
    batch = batch < 1 ? 1 : batch > nodes ? nodes : batch;
    double *values = hsp__scratch_raw(&plot->memory, nodes, sizeof *values);
    hsp__scratch memory = {&plot->ctx->allocator, NULL, 0};
    double *rows = hsp__scratch_raw(&memory, batch * cols, sizeof *rows);
    double *scores = hsp__scratch_raw(&memory, batch * scorers, sizeof *scores);
    uint32_t *classes = hsp__scratch_raw(&memory, batch, sizeof *classes);
    hsp_status status = plot->memory.failed || memory.failed ? hsp__fail_memory(err) : HSP_OK;
    *out = (hsp__grid){ROWS_NODES_X, ROWS_NODES_Y,  panel->x.low, panel->x.high,
                       panel->y.low, panel->y.high, values};
    for (uint64_t from = 0; from < nodes && !status; from += batch) {
        const uint64_t count = nodes - from < batch ? nodes - from : batch;
        const hsp_view view = hsp_view_dense(HSP_FLOAT64, count, cols, cols, rows);
        for (uint64_t k = 0; k < count; k++) {
            const double u = (double)((from + k) % ROWS_NODES_X) / (ROWS_NODES_X - 1);
            const double v = (double)((from + k) / ROWS_NODES_X) / (ROWS_NODES_Y - 1);
            hsp__plane_row(&plot->plane, out->x0 + (out->x1 - out->x0) * u,
                           out->y0 + (out->y1 - out->y0) * v, rows + k * cols);
        }
        status = hsp_model_score(plot->ctx, model, &view, err, scores, classes);
        for (uint64_t k = 0; k < count && !status; k++)
            values[from + k] = value(user, scores + k * scorers, classes[k]);
    }
    hsp__scratch_free(&memory);
    return status;
}

static double rows_predicted(void *user, const double *scores, uint32_t predicted)
{
    (void)user, (void)scores;
    return predicted == HSP_NO_CLASS ? (double)NAN : predicted;
}

static hsp_status rows_regions(hsp__rows_plot *plot, hsp_error *err)
{
    hsp__grid grid;
    HSP__TRY(hsp__rows_grid(plot, plot->model, rows_predicted, NULL, err, &grid));
    hsp__panel_cells(plot->panel, grid.nx, grid.ny, grid.x0, grid.x1, grid.y0, grid.y1, grid.values,
                     HSP__SCALE_CLASSES, 0, plot->classes);
    return HSP_OK;
}

/* ---- The whole ---- */

static hsp_status rows_draw(hsp__rows_plot *plot, hsp_error *err)
{
    HSP__TRY(hsp_data_view(plot->ctx, plot->data, err, &plot->view));
    HSP__TRY(hsp__rows_geometry_parse(plot, hsp_options_text(plot->options, "show"), err));
    HSP__TRY(rows_choose(plot, err));
    plot->radius = plot->count <= 400 ? 3.6 : plot->count <= 2500 ? 2.6 : 1.7;
    plot->classes = plot->model ? hsp_model_classes(plot->model) : hsp_data_classes(plot->data);
    plot->panel = hsp__panel_add(plot->figure, NULL);
    hsp__plane_axes(&plot->plane, plot->panel);
    if (plot->figure->memory.failed) return hsp__fail_memory(err);
    if (plot->shown) HSP__TRY(hsp__rows_geometry_prepare(plot, err));
    if (plot->model) HSP__TRY(rows_regions(plot, err));
    HSP__TRY(hsp__rows_geometry_draw(plot, 1, err));
    rows_points(plot);
    return hsp__rows_geometry_draw(plot, 0, err);
}

static hsp_status rows_build(hsp_context *ctx, const hsp_plot_input *input,
                             const hsp_options *options, hsp_figure *figure, hsp_error *err)
{
    hsp__rows_plot plot = {.ctx = ctx,
                           .input = input,
                           .options = options,
                           .figure = figure,
                           .model = input->model_count ? input->models[0] : NULL,
                           .data = input->data[0],
                           .memory = {&ctx->allocator, NULL, 0}};
    hsp_status status = rows_draw(&plot, err);
    if (!status && plot.memory.failed) status = hsp__fail_memory(err);
    hsp__plane_free(&plot.plane);
    hsp__scratch_free(&plot.memory);
    return status;
}

const hsp__plot_kind hsp__plot_rows = {
    .table = {"rows", "rows as points, with the regions and boundaries of models", rows_options,
              sizeof rows_options / sizeof *rows_options},
    .needs = {"[MODEL...] DATA", .models_most = 16, .data_least = 1, .data_most = 1},
    .build = rows_build,
};
