/* The kind `neighbors`: a point, and the training rows nearest to it, which vote. */
#include <stdio.h>

#include "base/decimal.h"
#include "learn/prepare.h"
#include "model/model.h"
#include "show/class_points.h"
#include "show/plane_separator.h"

enum {
    NEIGHBORS_SIDES = 96,   /* of the polygon that stands for a circle */
    NEIGHBORS_ROWS = 10000, /* that are drawn */
};

static const hsp_option neighbors_options[] = {
    HSP__TEXT("x", NULL, "FEATURE", "feature on the horizontal axis: a name, or a number from 1"),
    HSP__TEXT("y", NULL, "FEATURE", "feature on the vertical axis"),
    HSP__INTEGER("row", NULL, 1, 9007199254740992.0, "N",
                 "the point is row N of the data, from 1; the row itself does not vote"),
    HSP__TEXT("at", NULL, "A,B,...", "the point has these features, a number for each"),
    HSP__INTEGER("k", NULL, 1, 1e6, "K", "number of neighbours (default: as many as vote)"),
};

typedef struct neighbors {
    hsp_context *ctx;
    hsp_figure *figure;
    hsp__panel *panel;
    const hsp_model *model;
    hsp_data *data;
    const hsp_view *view;
    hsp__plane plane;
    hsp__scratch memory;
    double *x, *y;      /* rows */
    uint64_t *training; /* training rows: their number in the data */
    uint64_t row;       /* the point's; UINT64_MAX: it is none */
    double *point, at[2];
    hsp_neighbor *found;
    uint64_t count; /* of these */
} neighbors;

/* ---- The point ------------------------------------------------------------------------------- */

/* A number for each feature. */
static hsp_status neighbors_parse(const neighbors *m, const char *text, hsp_error *err)
{
    const char *p = text, *end = text + strlen(text);
    char quoted[HSP__QUOTED];
    for (uint64_t j = 0; j < m->view->cols; j++) {
        hsp__decimal_result result;
        const char *next = hsp__decimal_f64(p, end, &m->point[j], &result);
        const char expected = j + 1 < m->view->cols ? ',' : 0;
        if (result != HSP__DECIMAL_OK || *next != expected)
            return hsp__fail_option(err, "--at",
                                    "found '%s', expected %llu numbers separated by "
                                    "commas: one for each feature",
                                    hsp__quote(text, strlen(text), quoted),
                                    (unsigned long long)m->view->cols);
        p = next + 1;
    }
    return HSP_OK;
}

static hsp_status neighbors_point(neighbors *m, const hsp_options *options, hsp_error *err)
{
    const char *text = hsp_options_text(options, "at");
    const int row = hsp_options_is_set(options, "row");
    m->row = UINT64_MAX;
    if (!row == !text)
        return hsp__fail_option(err, "--row",
                                "say which point: a row of the data with --row N, or "
                                "its features with --at A,B,...");
    if (text) return neighbors_parse(m, text, err);
    m->row = (uint64_t)hsp_options_integer(options, "row") - 1;
    if (m->row >= m->view->rows)
        return hsp__fail_option(err, "--row", "found %llu, but the data has %llu rows",
                                (unsigned long long)m->row + 1, (unsigned long long)m->view->rows);
    const hsp__row entries = hsp__view_row(m->view, m->row);
    for (uint64_t k = 0; k < entries.count; k++)
        m->point[hsp__row_column(&entries, k)] = hsp__row_value(m->view, &entries, k);
    return HSP_OK;
}

/* ---- Its neighbours -------------------------------------------------------------------------- */

/* The model numbers its training rows, which are those of its classes. */
static hsp_status neighbors_training(neighbors *m, const char *name, hsp_error *err)
{
    hsp__trained seen;
    uint64_t number = 0;
    HSP__TRY(hsp__view_seen(m->ctx, m->view, m->model, err, &seen));
    if (seen != HSP__TRAINED_YES || !m->view->labels)
        return hsp__fail_at(
            err, HSP_USAGE, name, 0, 0,
            "is not the data that the model was trained on; neighbours are training "
            "rows, so that data is needed to draw them");
    m->training = hsp__scratch_raw(&m->memory, m->view->rows, sizeof *m->training);
    if (!m->training) return hsp__fail_memory(err);
    for (uint64_t i = 0; i < m->view->rows; i++)
        if (hsp_model_class_of(m->model, hsp_data_class_name(m->data, m->view->labels[i])) !=
            HSP_NO_CLASS)
            m->training[number++] = i;
    return HSP_OK;
}

/* One more than is asked for, in case the point is a training row itself. */
static hsp_status neighbors_find(neighbors *m, const hsp_options *options, hsp_error *err)
{
    hsp_knn_report report = {.size = sizeof report};
    hsp_model_knn(m->model, &report);
    const uint64_t k =
        hsp_options_is_set(options, "k") ? (uint64_t)hsp_options_integer(options, "k") : report.k;
    const uint64_t own = m->row != UINT64_MAX, ask = k + own;
    const hsp_view view = hsp_view_dense(HSP_FLOAT64, 1, m->view->cols, m->view->cols, m->point);
    if (ask > report.rows)
        return hsp__fail_option(err, "--k", "found %llu, but there are %llu other rows",
                                (unsigned long long)k, (unsigned long long)(report.rows - own));
    m->found = hsp__scratch_new(&m->memory, ask, sizeof *m->found);
    if (!m->found) return hsp__fail_memory(err);
    HSP__TRY(hsp_model_neighbors(m->ctx, m->model, &view, ask, err, m->found));
    for (uint64_t i = 0; i < ask && m->count < k; i++) {
        m->found[i].row = m->training[m->found[i].row];
        if (!own || m->found[i].row != m->row) m->found[m->count++] = m->found[i];
    }
    return HSP_OK;
}

/* ---- Drawing --------------------------------------------------------------------------------- */

/* All training rows but the point itself. */
static hsp_status neighbors_rows(neighbors *m, hsp_error *err)
{
    uint64_t *found = hsp__scratch_raw(&m->memory, m->count, sizeof *found), *rows, count;
    uint32_t *class_of = hsp__scratch_raw(&m->memory, m->view->rows, sizeof *class_of);
    if (m->memory.failed) return hsp__fail_memory(err);
    for (uint64_t i = 0; i < m->count; i++)
        found[i] = m->found[i].row;
    for (uint64_t i = 0; i < m->view->rows; i++)
        class_of[i] =
            hsp_model_class_of(m->model, hsp_data_class_name(m->data, m->view->labels[i]));
    HSP__TRY(hsp__row_sample(m->figure, m->data, NEIGHBORS_ROWS, found, m->count, &m->memory, err,
                             &rows, &count));
    uint64_t kept = 0;
    for (uint64_t k = 0; k < count; k++)
        if (rows[k] != m->row && class_of[rows[k]] != HSP_NO_CLASS) rows[kept++] = rows[k];
    hsp__class_points_draw(&(hsp__class_points){.model = m->model,
                                                .data = m->data,
                                                .count = kept,
                                                .rows = rows,
                                                .x = m->x,
                                                .y = m->y,
                                                .class_of = class_of,
                                                .size = hsp__point_size(kept)},
                           m->panel);
    return HSP_OK;
}

/* The rows within the distance of the last neighbour: a ball of the metric. 0: it is not the same in
 * the plane. */
static int neighbors_ball(const neighbors *m, hsp__style style)
{
    hsp_knn_report report = {.size = sizeof report};
    double x[NEIGHBORS_SIDES], y[NEIGHBORS_SIDES];
    const double radius = m->found[m->count - 1].distance, turn = 2 * acos(-1) / NEIGHBORS_SIDES;
    hsp_model_knn(m->model, &report);
    const int l1 = strcmp(report.metric, "l1") == 0, l2 = strcmp(report.metric, "l2") == 0;
    const int most = strcmp(report.metric, "linf") == 0;
    if (!hsp__plane_is_true(&m->plane) || m->view->cols != 2 || m->model->scalings[0] ||
        m->model->scalings[1] || !(l1 || l2 || most))
        return 0;
    for (int i = 0; i < NEIGHBORS_SIDES; i++) {
        const double c = cos(i * turn), s = sin(i * turn);
        const double size = l2 ? 1 : l1 ? fabs(c) + fabs(s) : fmax(fabs(c), fabs(s));
        x[i] = m->at[0] + radius * c / size;
        y[i] = m->at[1] + radius * s / size;
    }
    hsp__panel_polygon(m->panel, NEIGHBORS_SIDES, x, y, style);
    return 1;
}

/* "3 of 5 are virginica, 2 versicolor": classes by their votes. */
static hsp_status neighbors_votes(neighbors *m, hsp_error *err)
{
    const uint32_t classes = hsp_model_classes(m->model);
    uint64_t *votes = hsp__scratch_new(&m->memory, classes, sizeof *votes);
    char text[240];
    int size = 0;
    if (!votes) return hsp__fail_memory(err);
    for (uint64_t i = 0; i < m->count; i++)
        votes[m->found[i].class_index]++;
    for (uint64_t left = m->count; left && size < (int)sizeof text;) {
        uint32_t most = 0;
        for (uint32_t c = 0; c < classes; c++)
            if (votes[c] > votes[most]) most = c;
        size += snprintf(text + size, sizeof text - (size_t)size, "%s%llu of class %s",
                         size ? ", " : "", (unsigned long long)votes[most],
                         hsp_model_class_name(m->model, most));
        left -= votes[most];
        votes[most] = 0;
    }
    hsp__figure_note(m->figure, "the %llu nearest rows: %s", (unsigned long long)m->count, text);
    return HSP_OK;
}

static hsp_status neighbors_draw(neighbors *m, hsp_error *err)
{
    hsp__scratch memory = {.memory = &m->ctx->allocator};
    double *x = hsp__scratch_raw(&memory, m->count, sizeof *x);
    double *y = hsp__scratch_raw(&memory, m->count, sizeof *y);
    m->panel = hsp__panel_add(m->figure, NULL);
    if (!m->panel || memory.failed) {
        hsp__scratch_free(&memory);
        return hsp__fail_memory(err);
    }
    hsp__plane_axes(&m->plane, m->panel);
    hsp__axis_pad(&m->panel->x, fmin(m->plane.axes[0].low, m->at[0]),
                  fmax(m->plane.axes[0].high, m->at[0]));
    if (m->plane.axes[1].kind != HSP__PLANE_CLASS)
        hsp__axis_pad(&m->panel->y, fmin(m->plane.axes[1].low, m->at[1]),
                      fmax(m->plane.axes[1].high, m->at[1]));
    m->panel->equal = hsp__plane_is_true(&m->plane) && m->view->cols == 2;
    if (!neighbors_ball(m, (hsp__style){.color = HSP__MUTED, .opacity = 0.12, .width = 1.2}))
        hsp__figure_note(m->figure,
                         "distances are of all features%s; the plane shows two directions",
                         m->model->scalings[0] || m->model->scalings[1] ? ", scaled" : "");
    for (uint64_t i = 0; i < m->count; i++) {
        x[i] = m->x[m->found[i].row];
        y[i] = m->y[m->found[i].row];
        hsp__panel_segment(m->panel, m->at[0], m->at[1], x[i], y[i],
                           (hsp__style){.color = HSP__MUTED, .width = 1});
    }
    const hsp_status status = neighbors_rows(m, err);
    hsp__panel_points(
        m->panel, m->count, x, y,
        (hsp__style){
            .color = HSP__INK, .size = 6.5, .width = 1.3, .hollow = 1, .name = "nearest rows"});
    hsp__panel_points(
        m->panel, 1, &m->at[0], &m->at[1],
        (hsp__style){.color = HSP__INK, .shape = HSP__DIAMOND, .size = 5.5, .name = "the point"});
    hsp__scratch_free(&memory);
    return status ? status : neighbors_votes(m, err);
}

static hsp_status neighbors_open(neighbors *m, const hsp_options *options, const char *name,
                                 hsp_error *err)
{
    const uint64_t rows = m->view->rows;
    uint64_t *all = hsp__scratch_raw(&m->memory, rows, sizeof *all);
    m->x = hsp__scratch_raw(&m->memory, rows, sizeof *m->x);
    m->y = hsp__scratch_raw(&m->memory, rows, sizeof *m->y);
    m->point = hsp__scratch_new(&m->memory, m->view->cols, sizeof *m->point);
    if (m->memory.failed) return hsp__fail_memory(err);
    for (uint64_t i = 0; i < rows; i++)
        all[i] = i;
    HSP__TRY(neighbors_training(m, name, err));
    HSP__TRY(neighbors_point(m, options, err));
    HSP__TRY(neighbors_find(m, options, err));
    m->plane = (hsp__plane){.ctx = m->ctx, .model = m->model, .data = m->data, .view = m->view};
    HSP__TRY(hsp__plane_open(&m->plane, hsp_options_text(options, "x"),
                             hsp_options_text(options, "y"), NULL, all, rows, err));
    for (uint64_t i = 0; i < rows; i++) {
        double at[2];
        hsp__plane_place(&m->plane, i, at);
        m->x[i] = at[0];
        m->y[i] = at[1];
    }
    const hsp_view one = hsp_view_dense(HSP_FLOAT64, 1, m->view->cols, m->view->cols, m->point);
    hsp__plane plane = m->plane;
    plane.view = &one;
    hsp__plane_place(&plane, 0, m->at);
    return HSP_OK;
}

static hsp_status neighbors_build(hsp_context *ctx, const hsp_plot_input *input,
                                  const hsp_options *options, hsp_figure *figure, hsp_error *err)
{
    neighbors m = {.ctx = ctx,
                   .figure = figure,
                   .model = input->models[0],
                   .data = input->data[0],
                   .memory = {.memory = &ctx->allocator}};
    if (!m.model->neighbors)
        return hsp__fail_at(err, HSP_USAGE, input->model_names ? input->model_names[0] : NULL, 0, 0,
                            "is no model of nearest neighbours; make one with train knn");
    HSP__TRY(hsp_data_view(ctx, m.data, err, &m.view));
    hsp_status status =
        neighbors_open(&m, options, input->data_names ? input->data_names[0] : NULL, err);
    if (!status) status = neighbors_draw(&m, err);
    hsp__plane_free(&m.plane);
    hsp__scratch_free(&m.memory);
    return status;
}

const hsp__plot_kind hsp__plot_neighbors = {
    .table = {"neighbors", "a point and the training rows nearest to it", neighbors_options,
              sizeof neighbors_options / sizeof *neighbors_options},
    .needs = {"MODEL DATA", .models_least = 1, .models_most = 1, .data_least = 1, .data_most = 1},
    .build = neighbors_build,
};
