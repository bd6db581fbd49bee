/* The kind `rows`: rows as points in a plane, and what models say of each place in it. */
#include <float.h>
#include <stdio.h>

#include "show/axis.h"
#include "show/class_points.h"
#include "show/plane_separator.h"
#include "show/rows_geometry.h"

enum { ROWS_LEVELS = 5 }; /* of filled contours on each side of the boundary */

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
    uint64_t drawn = view->rows < most ? view->rows : most, left_out = 0, nowhere = 0;
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
        nowhere += isnan(at[0]) || isnan(at[1]);
    }
    if (nowhere)
        hsp__figure_note(plot->figure,
                         "%s row%s not drawn: the category is missing, or not on the axis",
                         hsp__label_count(nowhere, some), nowhere == 1 ? "" : "s");
    return HSP_OK;
}

/* ---- Models ---- */

/* What a model says at the nodes of the grid: for each class, how far it leads over the next one, or
 * how far it is behind the first. */
typedef struct rows_lead {
    const hsp_model *model;
    uint32_t classes;
    int chances;    /* the model decides by probabilities */
    uint64_t nodes; /* so far */
    double *values; /* classes: of one node */
    double **lead;  /* classes, of all nodes; positive exactly where the class is predicted */
} rows_lead;

static double rows_lead_value(void *user, const double *scores, uint32_t predicted)
{
    rows_lead *to = user;
    const double threshold = hsp_model_threshold(to->model);
    if (to->chances)
        hsp_model_probabilities(to->model, scores, to->values);
    else
        hsp_model_class_scores(to->model, scores, to->values);
    if (to->chances && threshold > 0 && to->classes == 2) to->values[0] = threshold;
    for (uint32_t c = 0; c < to->classes; c++) {
        double other = -DBL_MAX, lead;
        for (uint32_t k = 0; k < to->classes; k++)
            if (k != c) other = fmax(other, to->values[k]);
        lead = fmax(fmin(to->values[c] - other, 1e300), -1e300);
        if (to->classes == 1) lead = 1;
        /* ties, and votes that others than the scores decide */
        if (predicted == c && !(lead > 0)) lead = 1e-12;
        if (predicted != c && !(lead < 0)) lead = -1e-12;
        to->lead[c][to->nodes] = lead;
    }
    to->nodes++;
    return 0;
}

static hsp_status rows_lead_of(hsp__rows_plot *plot, const hsp_model *model, hsp_error *err,
                               rows_lead *to, hsp__grid *grid)
{
    const uint64_t nodes = HSP__ROWS_NODES;
    *to = (rows_lead){.model = model, .classes = hsp_model_classes(model)};
    to->chances =
        hsp_model_has_probabilities(model) &&
        (strcmp(hsp_model_calibration(model), "none") != 0 || hsp_model_threshold(model) > 0);
    to->values = hsp__scratch_raw(&plot->memory, to->classes, sizeof *to->values);
    to->lead = hsp__scratch_new(&plot->memory, to->classes, sizeof *to->lead);
    for (uint32_t c = 0; to->lead && c < to->classes; c++)
        to->lead[c] = hsp__scratch_raw(&plot->memory, nodes, sizeof **to->lead);
    if (plot->memory.failed) return hsp__fail_memory(err);
    return hsp__rows_grid(plot, model, rows_lead_value, to, err, grid);
}

/* The regions of the classes; of kernel models, also where a class leads by more and more. */
static void rows_regions(hsp__rows_plot *plot, const rows_lead *lead, hsp__grid grid)
{
    const char *kind = hsp_model_hypothesis(lead->model);
    double most = 0, step = HUGE_VAL;
    for (uint32_t c = 0; c < lead->classes && strcmp(kind, "kernel") == 0; c++)
        for (uint64_t k = 0; k < lead->nodes; k++)
            most = fmax(most, lead->lead[c][k]);
    if (most > 0) {
        hsp__ticks ticks;
        hsp__axis_ticks(&(hsp__axis){.low = 0, .high = most}, ROWS_LEVELS, &ticks);
        char number[HSP__LABEL];
        if (ticks.count > 1) {
            step = ticks.at[1];
            hsp__figure_note(plot->figure, "shades: every %s of the score",
                             hsp__label_number(lead->classes == 2 ? step / 2 : step, number));
        }
    }
    for (uint32_t c = 0; c < lead->classes; c++) {
        grid.values = lead->lead[c];
        hsp__panel_region(plot->panel, &grid, 0, (hsp__style){.color = HSP__TINT(c)});
        for (int level = 1; level <= 2 * ROWS_LEVELS && level * step < most; level++)
            hsp__panel_region(plot->panel, &grid, level * step,
                              (hsp__style){.color = HSP__CLASS(c), .opacity = 0.11});
    }
}

/* The lines where the predicted class changes: of all classes but the last, which has none of its
 * own. */
static void rows_boundary(hsp__rows_plot *plot, const rows_lead *lead, hsp__grid grid,
                          hsp__style style)
{
    for (uint32_t c = 0; c + 1 < lead->classes; c++) {
        const uint64_t before = plot->panel->mark_count;
        grid.values = lead->lead[c];
        hsp__panel_contour(plot->panel, &grid, 0, style);
        if (plot->panel->mark_count > before) style.name = NULL; /* once in the legend */
    }
}

/* Does the model take the columns that the first one takes? */
static hsp_status rows_same_columns(const hsp__rows_plot *plot, size_t m, hsp_error *err)
{
    const hsp_model *first = plot->model, *other = plot->input->models[m];
    const uint64_t columns = hsp_model_features(other);
    const int encoded = hsp_model_encoding(first) && hsp_model_encoding(other);
    int same = !encoded || columns == hsp_model_features(first);
    for (uint64_t j = 0; j < columns && j < hsp_model_features(first) && same; j++) {
        const char *a = hsp_model_feature_name(first, j), *b = hsp_model_feature_name(other, j);
        same = !a || !b || strcmp(a, b) == 0;
    }
    if (!same)
        return hsp__fail_at(err, HSP_USAGE,
                            plot->input->model_names ? plot->input->model_names[m] : NULL, 0, 0,
                            "makes other features of the columns than the first model, and all "
                            "boundaries here are in one plane of features");
    return HSP_OK;
}

static const char *rows_model_name(const hsp__rows_plot *plot, size_t m)
{
    const char *path = plot->input->model_names ? plot->input->model_names[m] : NULL;
    const char *slash = path ? strrchr(path, '/') : NULL;
    return slash ? slash + 1 : path ? path : "boundary";
}

/* The note on a boundary that does not cross the frame. */
static void rows_outside(hsp__rows_plot *plot, const char *name)
{
    hsp__figure_note(plot->figure, "the boundary of %s is outside of this frame%s", name,
                     hsp__plane_is_true(&plot->plane)
                         ? ""
                         : ": the rows are not in this plane, and may be predicted otherwise");
}

/* One model: its regions and boundary. Several: their boundaries, each in its own way. */
static hsp_status rows_models(hsp__rows_plot *plot, hsp_error *err)
{
    static const int colors[] = {HSP__BOUNDARY, HSP__WEIGHTS, HSP__GOOD, HSP__BAD, HSP__MUTED};
    const size_t count = plot->input->model_count;
    const double threshold = count == 1 ? hsp__plot_threshold(plot->model) : 0;
    char decision[40] = "boundary";
    if (threshold > 0) snprintf(decision, sizeof decision, "decision (p = %.4g)", threshold);
    for (size_t m = 0; m < count; m++) {
        rows_lead lead;
        hsp__grid grid;
        HSP__TRY(rows_same_columns(plot, m, err));
        HSP__TRY(rows_lead_of(plot, plot->input->models[m], err, &lead, &grid));
        if (count == 1) rows_regions(plot, &lead, grid);
        const uint64_t before = plot->panel->mark_count;
        rows_boundary(plot, &lead, grid,
                      (hsp__style){.color = colors[m % 5],
                                   .dash = (int)(m % 3),
                                   .width = count == 1 ? 1.4 : 1.8,
                                   .name = count == 1 ? decision : rows_model_name(plot, m)});
        if (plot->panel->mark_count == before && lead.classes > 1)
            rows_outside(plot, count == 1 ? "the model" : rows_model_name(plot, m));
    }
    uint64_t drawn = 0; /* features on the axes */
    for (int a = 0; a < 2; a++)
        drawn += plot->plane.axes[a].kind == HSP__PLANE_CATEGORIES ? plot->plane.axes[a].count : 1;
    if (count && plot->view->cols > drawn && plot->plane.axes[0].kind != HSP__PLANE_DIRECTION)
        hsp__figure_note(plot->figure,
                         plot->plane.axes[0].kind == HSP__PLANE_PRINCIPAL
                             ? "boundaries in the plane of the principal axes through the mean"
                             : "other features at their mean");
    return HSP_OK;
}

/* ---- The whole ---- */

static void rows_describe(hsp__rows_plot *plot)
{
    char rows[HSP__LABEL], classes[HSP__LABEL];
    hsp__figure_describe(plot->figure, "%s row%s of %s class%s: %s against %s.",
                         hsp__label_count(plot->count, rows), plot->count == 1 ? "" : "s",
                         hsp__label_count(plot->classes, classes), plot->classes == 1 ? "" : "es",
                         plot->plane.axes[1].label, plot->plane.axes[0].label);
    for (size_t m = 0; m < plot->input->model_count; m++)
        hsp__figure_describe(plot->figure, "Decision boundary of the model %s.",
                             rows_model_name(plot, m));
}

static hsp_status rows_draw(hsp__rows_plot *plot, hsp_error *err)
{
    HSP__TRY(hsp_data_view(plot->ctx, plot->data, err, &plot->view));
    HSP__TRY(hsp__rows_geometry_parse(plot, hsp_options_text(plot->options, "show"), err));
    HSP__TRY(rows_choose(plot, err));
    plot->radius = hsp__point_size(plot->count);
    plot->classes = plot->model ? hsp_model_classes(plot->model) : hsp_data_classes(plot->data);
    plot->panel = hsp__panel_add(plot->figure, NULL);
    hsp__plane_axes(&plot->plane, plot->panel);
    if (plot->figure->memory.failed) return hsp__fail_memory(err);
    if (plot->shown) HSP__TRY(hsp__rows_geometry_prepare(plot, err));
    HSP__TRY(rows_models(plot, err));
    HSP__TRY(hsp__rows_geometry_draw(plot, 1, err));
    hsp__class_points_draw(&(hsp__class_points){.model = plot->model,
                                                .data = plot->data,
                                                .count = plot->count,
                                                .x = plot->x,
                                                .y = plot->y,
                                                .class_of = plot->class_of,
                                                .size = plot->radius},
                           plot->panel);
    rows_describe(plot);
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
