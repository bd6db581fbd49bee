/* The kind `slack`: the loss of each row, and in the plane of two features the way from each row to
 * its margin line. */
#include <stdlib.h>

#include "learn/erm/loss.h"
#include "measure/evaluate.h"
#include "model/model.h"
#include "show/scene.h"

enum {
    SLACK_BARS = 60,    /* rows that have a bar each, in their order; of more, a curve, sorted */
    SLACK_NUMBERS = 30, /* rows whose numbers are in the plane */
    SLACK_CURVE = 2000  /* points of the curve */
};

static const hsp_option slack_options[] = {
    HSP__TEXT("x", NULL, "FEATURE", "feature on the horizontal axis: a name, or a number from 1"),
    HSP__TEXT("y", NULL, "FEATURE", "feature on the vertical axis"),
    HSP__CHOICE("loss", "hinge", "hinge|squared|logistic",
                "loss of a row as a function of its margin y s(x); hinge is the slack"),
};

typedef struct slack {
    hsp_context *ctx;
    hsp_figure *figure;
    const hsp_model *model;
    hsp_data *data;
    const hsp_view *view;
    const hsp__loss *loss;
    hsp__scratch memory;
    uint64_t count;         /* rows of the model's classes */
    uint64_t *row;          /* count: their numbers */
    uint32_t *class;        /* count */
    double *value;          /* count: the losses */
    uint64_t within, wrong; /* rows with slack; with y s <= 0 */
    uint64_t mistakes;      /* rows predicted wrongly */
    int alone;              /* without the rows in their plane, whose legend has the classes */
} slack;

/* Does the model decide elsewhere than where the score is 0? */
static int slack_elsewhere(const slack *m)
{
    return hsp__plot_threshold(m->model) > 0;
}

/* The loss of each row whose class the model knows. */
static hsp_status slack_losses(slack *m, hsp_error *err)
{
    const uint64_t rows = m->view->rows;
    const uint32_t scorers = hsp_model_scorers(m->model);
    double *scores = hsp__scratch_raw(&m->memory, rows * scorers, sizeof *scores), sum = 0;
    uint32_t *said = hsp__scratch_raw(&m->memory, rows, sizeof *said);
    m->row = hsp__scratch_raw(&m->memory, rows, sizeof *m->row);
    m->class = hsp__scratch_raw(&m->memory, rows, sizeof *m->class);
    m->value = hsp__scratch_raw(&m->memory, rows, sizeof *m->value);
    if (m->memory.failed) return hsp__fail_memory(err);
    HSP__TRY(hsp_model_score(m->ctx, m->model, m->view, err, scores, said));
    for (uint64_t i = 0; i < rows; i++) {
        const uint32_t class =
            hsp_model_class_of(m->model, hsp_data_class_name(m->data, m->view->labels[i]));
        if (class == HSP_NO_CLASS) continue;
        const double margin = hsp__evaluate_margin(m->model, scores + i * scorers, class);
        m->row[m->count] = i;
        m->class[m->count] = class;
        sum += m->value[m->count++] = m->loss->value(margin, 1 - margin);
        m->within += margin < 1 - HSP__SLACK_LEAST;
        m->wrong += margin <= 0;
        m->mistakes += said[i] != class;
    }
    if (!m->count) return hsp__fail(err, HSP_BAD_DATA, "no row has a label that the model knows");
    char of[HSP__LABEL], within[HSP__LABEL], wrong[HSP__LABEL];
    hsp__figure_note(m->figure,
                     "%s of %s rows have slack above 0.001, %s of them are on the wrong "
                     "side (y s ≤ 0); mean loss %.4g",
                     hsp__label_count(m->within, within), hsp__label_count(m->count, of),
                     hsp__label_count(m->wrong, wrong), sum / (double)m->count);
    if (slack_elsewhere(m))
        hsp__figure_note(m->figure, "its decisions, by probabilities, are wrong on %s rows",
                         hsp__label_count(m->mistakes, wrong));
    return HSP_OK;
}

/* A class in the legend, if it is not there by its points; NULL: it is. */
static const char *slack_name(const slack *m, uint32_t c)
{
    return m->alone ? hsp_model_class_name(m->model, c) : NULL;
}

/* A bar for each row, in the order of the data. */
static void slack_bars(const slack *m, hsp__panel *panel)
{
    hsp__scratch memory = {.memory = &m->ctx->allocator};
    double *x = hsp__scratch_raw(&memory, m->count, sizeof *x);
    double *y = hsp__scratch_raw(&memory, m->count, sizeof *y);
    hsp__axis_label(panel, &panel->x, "row");
    for (uint32_t c = 0; c < hsp_model_classes(m->model) && !memory.failed; c++) {
        uint64_t count = 0;
        for (uint64_t i = 0; i < m->count; i++)
            if (m->class[i] == c) {
                x[count] = (double)m->row[i] + 1;
                y[count++] = m->value[i];
            }
        if (count)
            hsp__panel_bars(panel, count, x, y, 0.8, 0,
                            (hsp__style){.color = HSP__CLASS(c), .name = slack_name(m, c)});
    }
    hsp__axis_range(&panel->x, (double)m->row[0] + 0.2, (double)m->row[m->count - 1] + 1.8);
    if (memory.failed) m->figure->memory.failed = 1;
    hsp__scratch_free(&memory);
}

static int slack_falling(const void *left, const void *right)
{
    const double a = *(const double *)left, b = *(const double *)right;
    return a > b ? -1 : a < b;
}

/* The losses of each class, the largest first. */
static void slack_curve(const slack *m, hsp__panel *panel)
{
    hsp__scratch memory = {.memory = &m->ctx->allocator};
    double *sorted = hsp__scratch_raw(&memory, m->count, sizeof *sorted);
    double x[SLACK_CURVE], y[SLACK_CURVE];
    hsp__axis_label(panel, &panel->x, "rows of the class, those with the largest loss first");
    for (uint32_t c = 0; sorted && c < hsp_model_classes(m->model); c++) {
        uint64_t count = 0;
        for (uint64_t i = 0; i < m->count; i++)
            if (m->class[i] == c) sorted[count++] = m->value[i];
        qsort(sorted, count, sizeof *sorted, slack_falling);
        const uint64_t points = count < SLACK_CURVE ? count : SLACK_CURVE;
        for (uint64_t k = 0; k < points; k++) {
            const uint64_t i = points < 2 ? 0 : k * (count - 1) / (points - 1);
            x[k] = (double)i + 1;
            y[k] = sorted[i];
        }
        if (points)
            hsp__panel_line(
                panel, points, x, y,
                (hsp__style){.color = HSP__CLASS(c), .width = 2, .name = slack_name(m, c)});
    }
    if (memory.failed) m->figure->memory.failed = 1;
    hsp__scratch_free(&memory);
}

static void slack_panel(const slack *m)
{
    static const char *const labels[] = {[HSP__HINGE] = "slack ξ = max(0, 1 − y s)",
                                         [HSP__SQUARED_HINGE] = "squared hinge loss ξ²",
                                         [HSP__LOGISTIC] = "logistic loss ln(1 + e^(−y s))"};
    hsp__panel *panel = hsp__panel_add(m->figure, NULL);
    if (!panel) return;
    double most = 0;
    hsp__axis_label(panel, &panel->y, "%s", labels[m->loss->form]);
    for (uint64_t i = 0; i < m->count; i++)
        most = fmax(most, m->value[i]);
    const double edge = m->loss->value(0, 1);
    hsp__panel_rule(panel, 0, 1, edge,
                    (hsp__style){.color = HSP__INK,
                                 .dash = HSP__DASHED,
                                 .width = 1,
                                 .name = slack_elsewhere(m) ? "score 0" : "on the boundary"});
    if (m->count <= SLACK_BARS)
        slack_bars(m, panel);
    else
        slack_curve(m, panel);
    hsp__axis_range(&panel->y, 0, fmax(most, edge) * 1.08);
}

/* The rows in their plane, with margin lines and the ways to them. */
static hsp_status slack_plane(const slack *m, const hsp_plot_input *input,
                              const hsp_options *options, hsp_error *err)
{
    hsp_options *rows = NULL;
    const char *x = hsp_options_text(options, "x"), *y = hsp_options_text(options, "y");
    hsp_status status = hsp_options_new(m->ctx, &hsp__plot_rows.table, err, &rows);
    if (!status && x) status = hsp_options_set(rows, "x", x, err);
    if (!status && y) status = hsp_options_set(rows, "y", y, err);
    if (!status)
        status = hsp_options_set(
            rows, "show", m->count <= SLACK_NUMBERS ? "margins,slack,numbers" : "margins,slack",
            err);
    if (!status) status = hsp__plot_rows.build(m->ctx, input, rows, m->figure, err);
    hsp_options_free(rows);
    return status;
}

static hsp_status slack_build(hsp_context *ctx, const hsp_plot_input *input,
                              const hsp_options *options, hsp_figure *figure, hsp_error *err)
{
    slack m = {.ctx = ctx,
               .figure = figure,
               .model = input->models[0],
               .data = input->data[0],
               .memory = {.memory = &ctx->allocator},
               .loss = hsp__loss_find(hsp_options_text(options, "loss"))};
    const int line =
        m.model->scorers == 1 && m.model->weights && hsp_model_file_weights(m.model, 0, NULL, NULL);
    const int asked = hsp_options_text(options, "x") || hsp_options_text(options, "y");
    assert(m.loss);
    m.alone = !line;
    HSP__TRY(hsp_data_view(ctx, m.data, err, &m.view));
    if (!hsp__evaluate_has_margins(m.model))
        return hsp__fail(err, HSP_USAGE,
                         "plot slack is for models with scores; this one takes "
                         "votes");
    if (!m.view->labels || !m.view->rows)
        return hsp__fail(err, HSP_BAD_DATA, "plot slack needs rows with labels");
    hsp_status status = slack_losses(&m, err);
    if (!status && asked && !line)
        status = hsp__fail_option(err, "--x",
                                  "is for linear models of two classes; without --x and "
                                  "--y, the losses alone are drawn");
    if (!status && line) {
        figure->width = 1000; /* two panels, the first with the same unit on both axes */
        figure->height = 385;
        status = slack_plane(&m, input, options, err);
    }
    if (!status) slack_panel(&m);
    hsp__scratch_free(&m.memory);
    return status;
}

const hsp__plot_kind hsp__plot_slack = {
    .table = {"slack", "slack and loss of each row", slack_options,
              sizeof slack_options / sizeof *slack_options},
    .needs = {"MODEL DATA", .models_least = 1, .models_most = 1, .data_least = 1, .data_most = 1},
    .build = slack_build,
};
