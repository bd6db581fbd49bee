/* The kind `steps`: the updates of a perceptron run, a panel each. */
#include <stdio.h>

#include "base/decimal.h"
#include "data/data.h"
#include "show/class_points.h"
#include "show/plane.h"
#include "show/scene.h"
#include "show/trace_file.h"
#include "show/two_classes.h"

enum {
    STEPS_PANELS = 12, /* of one figure, unless the options say otherwise */
    STEPS_ROWS = 2000, /* of a panel */
};

static const hsp_option steps_options[] = {
    HSP__TEXT("x", NULL, "FEATURE", "feature on the horizontal axis: a name, or a number from 1"),
    HSP__TEXT("y", NULL, "FEATURE", "feature on the vertical axis"),
    HSP__TEXT("updates", NULL, "A-B",
              "the updates to show, such as 5 or 1-9 (default: the first 11 and the last)"),
    HSP__TWO_CLASSES_OPTIONS,
};

typedef struct steps {
    hsp_context *ctx;
    hsp_figure *figure;
    const hsp_view *view;
    hsp_data *data;
    const char *trace_name;
    hsp__trace_file trace;
    hsp__plane plane;
    hsp__scratch memory;
    uint64_t count;               /* of rows */
    uint64_t *drawn, drawn_count; /* rows that are drawn in every panel */
    double *x, *y;                /* count */
    double *w, b;                 /* view->cols: before the update at hand */
    double *after;                /* the same after it */
    double arrows; /* how long vectors are drawn, relative to their length; 0: not at all */
    double low[2], high[2]; /* of the axes */
    unsigned named;         /* what is in the legend so far */
} steps;

/* w after update `k`. */
static hsp_status steps_apply(const steps *m, uint64_t k, hsp_error *err)
{
    const hsp__trace_step *step = &m->trace.steps[k];
    memcpy(m->after, m->w, m->view->cols * sizeof *m->after);
    for (uint64_t c = step->first; c < step[1].first; c++) {
        if (m->trace.changes[c].column >= m->view->cols)
            return hsp__fail_at(err, HSP_BAD_DATA, m->trace_name, k + 2, 0,
                                "changes weight %llu, but the rows have %llu features: is this the "
                                "data that the run was about?",
                                (unsigned long long)m->trace.changes[c].column + 1,
                                (unsigned long long)m->view->cols);
        m->after[m->trace.changes[c].column] = m->trace.changes[c].weight;
    }
    return HSP_OK;
}

/* Is the score of the row, before the update, the one that the trace has? */
static hsp_status steps_check(const steps *m, uint64_t k, hsp_error *err)
{
    const hsp__trace_step *step = &m->trace.steps[k];
    double sum = m->b, size = fabs(m->b) + fabs(step->score);
    if (step->row >= m->view->rows)
        return hsp__fail_at(err, HSP_BAD_DATA, m->trace_name, k + 2, 0,
                            "is about row %llu, but the data has %llu: is this the data that the "
                            "run was about?",
                            (unsigned long long)step->row + 1, (unsigned long long)m->view->rows);
    const hsp__row row = hsp__view_row(m->view, step->row);
    for (uint64_t e = 0; e < row.count; e++) {
        const double term = m->w[hsp__row_column(&row, e)] * hsp__row_value(m->view, &row, e);
        sum += term;
        size += fabs(term);
    }
    if (fabs(sum - step->score) <= 1e-6 * size) return HSP_OK;
    return hsp__fail_at(err, HSP_BAD_DATA, m->trace_name, k + 2, 0,
                        "says that row %llu had the score %.6g; in this data it has %.6g. The data "
                        "must be that of the run, and the run without scaling, warm start and soft "
                        "margin",
                        (unsigned long long)step->row + 1, step->score, sum);
}

/* A name in the legend, the first time that it is drawn. */
static const char *steps_name(steps *m, const char *name)
{
    static const char *const names[] = {"boundary before", "boundary after",
                                        "w before",        "y x, which is added",
                                        "w after",         "row of the update"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (strcmp(names[i], name) == 0 && !(m->named >> i & 1)) {
            m->named |= 1u << i;
            return name;
        }
    return NULL;
}

/* ---- One panel ------------------------------------------------------------------------------- */

/* w before the update, plus or minus the row, is w after it: from the origin. */
static void steps_vectors(steps *m, hsp__panel *panel, uint64_t k)
{
    const hsp__plane_axis *axes = m->plane.axes;
    const double share = m->arrows;
    const double from[2] = {m->w[axes[0].column] * share, m->w[axes[1].column] * share};
    const double to[2] = {m->after[axes[0].column] * share, m->after[axes[1].column] * share};
    const uint32_t class = m->view->labels[m->trace.steps[k].row];
    if (k)
        hsp__panel_arrow(
            panel, 0, 0, from[0], from[1],
            (hsp__style){.color = HSP__MUTED, .width = 1.5, .name = steps_name(m, "w before")});
    hsp__panel_arrow(panel, from[0], from[1], to[0], to[1],
                     (hsp__style){.color = HSP__CLASS(class),
                                  .width = 1.2,
                                  .name = steps_name(m, "y x, which is added")});
    hsp__panel_arrow(
        panel, 0, 0, to[0], to[1],
        (hsp__style){.color = HSP__WEIGHTS, .width = 2, .name = steps_name(m, "w after")});
}

static void steps_panel(steps *m, uint64_t k, int named)
{
    const hsp__trace_step *step = &m->trace.steps[k];
    hsp__plane_separator line;
    char title[96];
    const char *sign = m->view->labels[step->row] ? "+" : "−";
    snprintf(title, sizeof title, "%llu: row %llu (%s), s = %s%.3g",
             (unsigned long long)step->update, (unsigned long long)step->row + 1, sign,
             step->score < 0 ? "−" : "", fabs(step->score));
    hsp__panel *panel = hsp__panel_add(m->figure, title);
    if (!panel) return;
    hsp__plane_axes(&m->plane, panel);
    panel->equal = m->arrows > 0;
    if (m->arrows > 0) {
        hsp__axis_pad(&panel->x, m->low[0], m->high[0]);
        hsp__axis_pad(&panel->y, m->low[1], m->high[1]);
    }
    if (hsp__plane_meet(&m->plane, m->w, m->b, m->view->cols, &line))
        hsp__panel_rule(panel, line.w[0], line.w[1], -line.b,
                        (hsp__style){.color = HSP__MUTED,
                                     .dash = HSP__DASHED,
                                     .name = steps_name(m, "boundary before")});
    if (hsp__plane_meet(&m->plane, m->after, step->offset, m->view->cols, &line))
        hsp__panel_rule(panel, line.w[0], line.w[1], -line.b,
                        (hsp__style){.color = HSP__BOUNDARY,
                                     .width = 2,
                                     .name = steps_name(m, "boundary after")});
    hsp__class_points_draw(&(hsp__class_points){.data = m->data,
                                                .count = m->drawn_count,
                                                .rows = m->drawn,
                                                .x = m->x,
                                                .y = m->y,
                                                .class_of = m->view->labels,
                                                .size = m->drawn_count <= 100   ? 3.2
                                                        : m->drawn_count <= 500 ? 2
                                                                                : 1.2,
                                                .nameless = !named},
                           panel);
    if (m->arrows > 0) steps_vectors(m, panel, k);
    if (m->drawn_count < m->count) { /* the row need not be in the sample */
        const uint32_t class = m->view->labels[step->row];
        hsp__panel_points(
            panel, 1, &m->x[step->row], &m->y[step->row],
            (hsp__style){.color = HSP__CLASS(class), .shape = HSP__SHAPE(class), .size = 2});
    }
    hsp__panel_points(panel, 1, &m->x[step->row], &m->y[step->row],
                      (hsp__style){.color = HSP__INK,
                                   .size = 6.5,
                                   .width = 1.4,
                                   .hollow = 1,
                                   .name = steps_name(m, "row of the update")});
}

/* ---- Which updates --------------------------------------------------------------------------- */

/* A number, or two with - between them? */
static int steps_parse(const char *text, uint64_t *first, uint64_t *last)
{
    const char *end = text + strlen(text);
    hsp__decimal_result result;
    const char *stop = hsp__decimal_u64(text, end, first, &result);
    if (result != HSP__DECIMAL_OK || *first < 1) return 0;
    *last = *first;
    if (stop == end) return 1;
    return *stop == '-' && hsp__decimal_u64(stop + 1, end, last, &result) == end &&
           result == HSP__DECIMAL_OK;
}

/* The updates `from` to `to` (from 1); without the option the first ones and the last. */
static hsp_status steps_range(const steps *m, const char *text, uint64_t *from, uint64_t *to,
                              hsp_error *err)
{
    uint64_t first = 1, last = m->trace.count;
    char quoted[HSP__QUOTED];
    if (text && !steps_parse(text, &first, &last))
        return hsp__fail_option(err, "--updates", "found '%s', expected a number such as 5, or 1-9",
                                hsp__quote(text, strlen(text), quoted));
    if (first > m->trace.count || last < first)
        return hsp__fail_option(err, "--updates", "found '%s', but the run has %llu update%s", text,
                                (unsigned long long)m->trace.count, m->trace.count == 1 ? "" : "s");
    *from = first;
    *to = last < m->trace.count ? last : m->trace.count;
    return HSP_OK;
}

/* The vectors are drawn if the run has no offset, and both axes are the only features; at their length,
 * unless they are much longer than the rows. */
static void steps_scale(steps *m)
{
    const hsp__plane_axis *axes = m->plane.axes;
    double longest = 0, span = 0;
    if (!hsp__plane_is_true(&m->plane) || m->view->cols != 2) return;
    for (uint64_t k = 0; k < m->trace.count; k++)
        if (m->trace.steps[k].offset != 0) return;
    for (uint64_t c = 0; c < m->trace.change_count; c++)
        longest = fmax(longest, fabs(m->trace.changes[c].weight));
    for (int a = 0; a < 2; a++)
        span = fmax(span, fmax(fabs(axes[a].low), fabs(axes[a].high)));
    m->arrows = longest > 1.6 * span ? 1.6 * span / longest : 1;
    for (int a = 0; a < 2; a++) {
        m->low[a] = fmin(axes[a].low, 0);
        m->high[a] = fmax(axes[a].high, 0);
    }
    for (uint64_t c = 0; c < m->trace.change_count; c++) {
        const int a = m->trace.changes[c].column != axes[0].column;
        m->low[a] = fmin(m->low[a], m->trace.changes[c].weight * m->arrows);
        m->high[a] = fmax(m->high[a], m->trace.changes[c].weight * m->arrows);
    }
    if (m->arrows < 1)
        hsp__figure_note(m->figure, "vectors drawn at %.3g of their length", m->arrows);
}

static hsp_status steps_draw(steps *m, const hsp_options *options, hsp_error *err)
{
    const char *text = hsp_options_text(options, "updates");
    uint64_t from = 0, to = 0, drawn = 0;
    HSP__TRY(steps_range(m, text, &from, &to, err));
    const int cut = !text && m->trace.count > STEPS_PANELS;
    for (uint64_t k = 0; k < to; k++) {
        HSP__TRY(steps_check(m, k, err));
        HSP__TRY(steps_apply(m, k, err));
        if (k + 1 >= from && (!cut || k + 1 < STEPS_PANELS || k + 1 == to))
            steps_panel(m, k, drawn++ == 0);
        memcpy(m->w, m->after, m->view->cols * sizeof *m->w);
        m->b = m->trace.steps[k].offset;
    }
    if (cut)
        hsp__figure_note(m->figure, "updates 1 to %d and %llu, the last", STEPS_PANELS - 1,
                         (unsigned long long)to);
    if (!hsp__plane_is_true(&m->plane))
        hsp__figure_note(m->figure, "boundaries where other features have their mean; rows are not "
                                    "in that plane, but next to it");
    return HSP_OK;
}

static hsp_status steps_open(steps *m, const hsp_options *options, hsp_error *err)
{
    m->count = m->view->rows;
    m->x = hsp__scratch_raw(&m->memory, m->count, sizeof *m->x);
    m->y = hsp__scratch_raw(&m->memory, m->count, sizeof *m->y);
    m->w = hsp__scratch_new(&m->memory, m->view->cols, sizeof *m->w);
    m->after = hsp__scratch_new(&m->memory, m->view->cols, sizeof *m->after);
    uint64_t *sample = hsp__scratch_raw(&m->memory, m->count, sizeof *sample);
    if (m->memory.failed) return hsp__fail_memory(err);
    for (uint64_t i = 0; i < m->count; i++)
        sample[i] = i;
    m->plane = (hsp__plane){.ctx = m->ctx, .data = m->data, .view = m->view};
    HSP__TRY(hsp__plane_open(&m->plane, hsp_options_text(options, "x"),
                             hsp_options_text(options, "y"), NULL, sample, m->count, err));
    for (uint64_t i = 0; i < m->count; i++) {
        double at[2];
        hsp__plane_place(&m->plane, i, at);
        m->x[i] = at[0];
        m->y[i] = at[1];
    }
    return hsp__row_sample(m->figure, m->data, STEPS_ROWS, NULL, 0, &m->memory, err, &m->drawn,
                           &m->drawn_count);
}

static hsp_status steps_build(hsp_context *ctx, const hsp_plot_input *input,
                              const hsp_options *options, hsp_figure *figure, hsp_error *err)
{
    hsp_data *two = NULL;
    steps m = {.ctx = ctx,
               .figure = figure,
               .trace_name = input->files[0],
               .memory = {.memory = &ctx->allocator}};
    HSP__TRY(hsp__trace_file_read(ctx, m.trace_name, err, &m.trace));
    hsp_status status = hsp__two_classes(ctx, input, options, err, &two);
    if (!status) status = hsp_data_view(ctx, two, err, &m.view);
    m.data = two;
    if (!status) status = steps_open(&m, options, err);
    if (!status) {
        steps_scale(&m);
        status = steps_draw(&m, options, err);
    }
    hsp__plane_free(&m.plane);
    hsp__scratch_free(&m.memory);
    hsp__trace_file_free(&m.trace);
    hsp_data_free(two);
    return status;
}

static hsp_status steps_frames(hsp_context *ctx, const hsp_plot_input *input, hsp_error *err,
                               uint64_t *out)
{
    hsp__trace_file trace;
    HSP__TRY(hsp__trace_file_read(ctx, input->files[0], err, &trace));
    *out = trace.count;
    hsp__trace_file_free(&trace);
    return HSP_OK;
}

const hsp__plot_kind hsp__plot_steps = {
    .table = {"steps", "the updates of a perceptron run, one by one", steps_options,
              sizeof steps_options / sizeof *steps_options},
    .needs = {"DATA TRACE", .data_least = 1, .data_most = 1, .files_least = 1, .files_most = 1,
              .frames = "updates"},
    .build = steps_build,
    .frames = steps_frames,
};
