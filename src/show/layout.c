/* From a figure to lines, points and text on a canvas: the sizes of all parts first, then panel by
 * panel. */
#include <stdio.h>

#include "show/axis.h"
#include "show/canvas.h"

enum {
    LAYOUT_EDGE = 14, /* around the figure */
    LAYOUT_GAP = 26,  /* between panels */
    LAYOUT_TEXT = 11, /* heights of text: ticks, legend, note; labels of axes; titles */
    LAYOUT_LABEL = 12,
    LAYOUT_TITLE = 15,
    LAYOUT_LINE = 18,   /* from one line of the legend to the next */
    LAYOUT_LINES = 8,   /* of the legend at most */
    LAYOUT_ENTRY = 240, /* the longest name in it */
    LAYOUT_NAMES = 110, /* the longest tick label of categories */
    LAYOUT_BAR = 12     /* width of a colour bar */
};

typedef struct layout {
    const hsp_figure *figure;
    const hsp__look *look;
    hsp__scratch *memory;
    hsp__canvas *canvas;
    double top, bottom;                                  /* of the panels' part of the figure */
    double left_room, bottom_room, top_room, right_room; /* of every panel, around its frame */
    int upright;                                         /* names on x axes run upwards */
    const hsp__figure_mark **entries;                    /* of the legend */
    uint64_t entry_count;
} layout;

/* The frame of a panel. */
typedef struct layout_frame {
    const hsp__panel *panel;
    double x, y, width, height; /* upper left */
    hsp__ticks x_ticks, y_ticks;
} layout_frame;

static int layout_color(const layout *to, int role)
{
    return hsp__theme_color(to->look->dark, role);
}

static void layout_text(const layout *to, double x, double y, const char *text, double size,
                        int bold, int anchor, int color)
{
    to->canvas->text(to->canvas, x, y, text, size, bold, anchor, 0, color, HSP__NO_COLOR);
}

static void layout_line(const layout *to, double x0, double y0, double x1, double y1, int color,
                        double width)
{
    const hsp__paint paint = {HSP__NO_COLOR, color, width, 1, HSP__SOLID};
    to->canvas->path(to->canvas, 2, (double[]){x0, x1}, (double[]){y0, y1}, 0, &paint);
}

static void layout_box(const layout *to, double x0, double y0, double x1, double y1,
                       const hsp__paint *paint)
{
    to->canvas->path(to->canvas, 4, (double[]){x0, x1, x1, x0}, (double[]){y0, y0, y1, y1}, 1,
                     paint);
}

/* ---- Sizes ---- */

/* A name that is too long, cut to the width; in the layout's memory. */
static const char *layout_fit(const layout *to, const char *text, double size, int bold,
                              double width)
{
    char *buffer = hsp__scratch_raw(to->memory, strlen(text) + 16, 1);
    return buffer ? hsp__text_fit(text, size, bold, width, buffer, strlen(text) + 16) : "";
}

/* The label of an axis: smaller, and at last cut, if it is wider than there is room for. */
static void layout_axis_label(const layout *to, const char *text, double x, double y, double width,
                              int up)
{
    const double share = width / hsp__text_width(text, LAYOUT_LABEL, 0);
    const double size = fmax(fmin(share, 1) * LAYOUT_LABEL, LAYOUT_TEXT - 1);
    to->canvas->text(to->canvas, x, y, layout_fit(to, text, size, 0, width), size, 0, 0, up,
                     layout_color(to, HSP__INK), HSP__NO_COLOR);
}

static double layout_widest(const hsp__ticks *ticks)
{
    double widest = 0;
    for (int i = 0; i < ticks->count; i++)
        widest = fmax(widest, hsp__text_width(ticks->text[i], LAYOUT_TEXT, 0));
    return widest;
}

/* The ticks of a frame of this size: as many as there is room for. */
static void layout_ticks(const hsp__panel *panel, double width, double height, hsp__ticks *x,
                         hsp__ticks *y)
{
    const int many_x = panel->x.categories ? (int)(width / 14) : (int)(width / 72);
    hsp__axis_ticks(&panel->y, (int)(height / (panel->y.categories ? 14 : 46)), y);
    for (int wanted = many_x > 2 ? many_x : 2; wanted >= 2; wanted--) {
        hsp__axis_ticks(&panel->x, wanted, x);
        if (panel->x.categories || (layout_widest(x) + 14) * x->count <= width * 1.15) break;
    }
}

static const hsp__figure_mark *layout_last_cells(const hsp__panel *panel)
{
    const hsp__figure_mark *cells = NULL;
    for (const hsp__figure_mark *mark = panel->first; mark; mark = mark->next)
        if (mark->kind == HSP__MARK_CELLS) cells = mark;
    return cells;
}

/* The ticks of the colour bar. */
static void layout_bar_ticks(const hsp__figure_mark *cells, double height, hsp__ticks *ticks)
{
    hsp__axis axis = {.low = cells->low, .high = cells->high};
    if (!(axis.low < axis.high)) hsp__axis_pad(&axis, cells->low, cells->high);
    hsp__axis_ticks(&axis, (int)(height / 46), ticks);
}

/* The room around the frames, the same for all panels so that they are aligned. */
static void layout_measure(layout *to, double width, double height)
{
    hsp__ticks x, y;
    for (const hsp__panel *panel = to->figure->first; panel; panel = panel->next) {
        layout_ticks(panel, width * 0.75, height * 0.75, &x, &y);
        double left = fmin(layout_widest(&y), LAYOUT_NAMES) + 10;
        double below = LAYOUT_TEXT + 10, right = 10;
        if (panel->y.label) left += LAYOUT_LABEL + 8;
        if (panel->x.categories && x.count &&
            layout_widest(&x) > width * 0.8 / panel->x.category_count - 4) {
            to->upright = 1;
            below = fmin(layout_widest(&x), LAYOUT_NAMES) + 10;
        }
        if (panel->x.label) below += LAYOUT_LABEL + 6;
        const hsp__figure_mark *cells = panel->bar_label ? layout_last_cells(panel) : NULL;
        if (cells) {
            layout_bar_ticks(cells, height * 0.75, &y);
            right = 16 + LAYOUT_BAR + 8 + layout_widest(&y) + LAYOUT_LABEL + 10;
        }
        to->left_room = fmax(to->left_room, left);
        to->bottom_room = fmax(to->bottom_room, below);
        to->right_room = fmax(to->right_room, right);
        if (panel->title) to->top_room = LAYOUT_LABEL + 8;
    }
}

/* ---- Marks ---- */

/* From a value on an axis to pixels; far outside the frame it does not matter where. */
static double layout_x(const layout_frame *frame, double value)
{
    const double place = hsp__axis_place(&frame->panel->x, value);
    return isnan(place) ? (double)NAN : frame->x + frame->width * fmax(fmin(place, 50), -50);
}

static double layout_y(const layout_frame *frame, double value)
{
    const double place = hsp__axis_place(&frame->panel->y, value);
    return isnan(place) ? (double)NAN : frame->y + frame->height * (1 - fmax(fmin(place, 50), -50));
}

static hsp__paint layout_paint(const layout *to, const hsp__style *style, int filled, double width)
{
    const int color = layout_color(to, style->color);
    return (hsp__paint){filled ? color : HSP__NO_COLOR, filled ? HSP__NO_COLOR : color, width,
                        style->opacity > 0 ? style->opacity : 1, style->dash};
}

static double layout_width(const hsp__style *style)
{
    return style->width > 0 ? style->width : 1.5;
}

/* Points with one look at places in pixels. */
static void layout_put_points(const layout *to, uint64_t count, const double *x, const double *y,
                              const hsp__style *style)
{
    const int open = style->hollow || style->shape == HSP__PLUS || style->shape == HSP__CROSS;
    const double size = style->size > 0 ? style->size : 3.5;
    hsp__paint paint = layout_paint(to, style, !open, fmin(layout_width(style), size * 0.6));
    if (!open && size >= 2.5) {
        paint.stroke = layout_color(to, HSP__PAPER);
        paint.width = size >= 3 ? 0.7 : 0.4;
    }
    to->canvas->points(to->canvas, count, x, y, style->shape, size, &paint);
}

static void layout_points(const layout *to, const layout_frame *frame, const hsp__figure_mark *mark,
                          double *x, double *y)
{
    uint64_t count = 0;
    for (uint64_t i = 0; i < mark->count; i++) {
        const double u = hsp__axis_place(&frame->panel->x, mark->x[i]);
        const double v = hsp__axis_place(&frame->panel->y, mark->y[i]);
        if (!(u >= -1e-9 && u <= 1 + 1e-9 && v >= -1e-9 && v <= 1 + 1e-9)) continue;
        x[count] = frame->x + frame->width * u;
        y[count++] = frame->y + frame->height * (1 - v);
    }
    if (count) layout_put_points(to, count, x, y, &mark->style);
}

/* Lines and rings. */
static void layout_path(const layout *to, const layout_frame *frame, const hsp__figure_mark *mark,
                        double *x, double *y)
{
    const int ring = mark->kind == HSP__MARK_POLYGON;
    for (uint64_t i = 0; i < mark->count; i++) {
        x[i] = layout_x(frame, mark->x[i]);
        y[i] = layout_y(frame, mark->y[i]);
        if (isnan(x[i]) || isnan(y[i])) x[i] = y[i] = (double)NAN;
    }
    hsp__paint paint = layout_paint(to, &mark->style, ring && !mark->style.hollow,
                                    ring ? mark->style.width : layout_width(&mark->style));
    if (ring && mark->style.width > 0) paint.stroke = layout_color(to, mark->style.color);
    to->canvas->path(to->canvas, mark->count, x, y, ring, &paint);
}

static void layout_arrow(const layout *to, const layout_frame *frame, const hsp__figure_mark *mark)
{
    const double x0 = layout_x(frame, mark->x[0]), y0 = layout_y(frame, mark->y[0]);
    const double x1 = layout_x(frame, mark->x[1]), y1 = layout_y(frame, mark->y[1]);
    const double length = hypot(x1 - x0, y1 - y0);
    if (!(length > 0)) return;
    const double width = layout_width(&mark->style), head = fmin(5 + 2 * width, length);
    const double ux = (x1 - x0) / length * head, uy = (y1 - y0) / length * head;
    const hsp__paint line = layout_paint(to, &mark->style, 0, width);
    const hsp__paint tip = layout_paint(to, &mark->style, 1, 0);
    to->canvas->path(to->canvas, 2, (double[]){x0, x1 - ux * 0.7}, (double[]){y0, y1 - uy * 0.7}, 0,
                     &line);
    to->canvas->path(to->canvas, 3, (double[]){x1, x1 - ux - uy * 0.45, x1 - ux + uy * 0.45},
                     (double[]){y1, y1 - uy + ux * 0.45, y1 - uy - ux * 0.45}, 1, &tip);
}

/* a x + b y = c: where it enters and leaves the frame. */
static void layout_rule(const layout *to, const layout_frame *frame, const hsp__figure_mark *mark)
{
    const hsp__axis *x = &frame->panel->x, *y = &frame->panel->y;
    double a = mark->values[0], b = mark->values[1], c = mark->values[2];
    double at[2][2];
    int found = 0;
    if (b == 0) { /* vertical or horizontal, also on logarithmic axes */
        at[0][0] = at[1][0] = hsp__axis_place(x, c / a);
        at[0][1] = 0, at[1][1] = 1, found = 2;
    } else if (a == 0) {
        at[0][1] = at[1][1] = hsp__axis_place(y, c / b);
        at[0][0] = 0, at[1][0] = 1, found = 2;
    } else {
        /* p u + q v = r for places u and v in the frame */
        const double p = a * (x->high - x->low), q = b * (y->high - y->low);
        const double r = c - a * x->low - b * y->low;
        const double ends[4][2] = {{0, r / q}, {1, (r - p) / q}, {r / p, 0}, {(r - q) / p, 1}};
        for (int i = 0; i < 4 && found < 2; i++) {
            const double u = ends[i][0], v = ends[i][1];
            if (!(u >= 0 && u <= 1 && v >= 0 && v <= 1)) continue;
            if (found && fabs(u - at[0][0]) + fabs(v - at[0][1]) < 1e-9) continue;
            at[found][0] = u, at[found++][1] = v;
        }
    }
    if (found < 2 || !isfinite(at[0][0] + at[0][1] + at[1][0] + at[1][1])) return;
    if (fmax(at[0][0], at[0][1]) > 1 + 1e-9 || fmin(at[0][0], at[0][1]) < -1e-9) return;
    const hsp__paint paint = layout_paint(to, &mark->style, 0, layout_width(&mark->style));
    to->canvas->path(
        to->canvas, 2,
        (double[]){frame->x + frame->width * at[0][0], frame->x + frame->width * at[1][0]},
        (double[]){frame->y + frame->height * (1 - at[0][1]),
                   frame->y + frame->height * (1 - at[1][1])},
        0, &paint);
}

static void layout_bars(const layout *to, const layout_frame *frame, const hsp__figure_mark *mark)
{
    const hsp__paint paint = layout_paint(to, &mark->style, 1, 0);
    const double half = mark->values[0] / 2;
    for (uint64_t i = 0; i < mark->count; i++) {
        const double at = mark->sideways ? mark->y[i] : mark->x[i];
        const double end = mark->sideways ? mark->x[i] : mark->y[i];
        const hsp__axis *axis = mark->sideways ? &frame->panel->x : &frame->panel->y;
        const double from = axis->log ? axis->low : 0;
        if (!isfinite(at) || !isfinite(end)) continue;
        if (mark->sideways)
            layout_box(to, layout_x(frame, from), layout_y(frame, at - half), layout_x(frame, end),
                       layout_y(frame, at + half), &paint);
        else
            layout_box(to, layout_x(frame, at - half), layout_y(frame, from),
                       layout_x(frame, at + half), layout_y(frame, end), &paint);
    }
}

/* Cells of one colour side by side are one box. */
static void layout_cells(const layout *to, const layout_frame *frame, const hsp__figure_mark *mark)
{
    const double dx = (mark->x[1] - mark->x[0]) / mark->nx,
                 dy = (mark->y[1] - mark->y[0]) / mark->ny;
    for (uint32_t j = 0; j < mark->ny; j++)
        for (uint32_t i = 0, next; i < mark->nx; i = next) {
            const double *row = mark->values + (size_t)j * mark->nx;
            next = i + 1;
            if (!isfinite(row[i])) continue;
            const int color =
                hsp__theme_scale(to->look->dark, mark->scale, row[i], mark->low, mark->high);
            while (next < mark->nx && isfinite(row[next]) &&
                   hsp__theme_scale(to->look->dark, mark->scale, row[next], mark->low,
                                    mark->high) == color)
                next++;
            const hsp__paint paint = {color, color, 0.5, 1, HSP__SOLID};
            layout_box(to, layout_x(frame, mark->x[0] + dx * i),
                       layout_y(frame, mark->y[0] + dy * j),
                       layout_x(frame, mark->x[0] + dx * next),
                       layout_y(frame, mark->y[0] + dy * (j + 1)), &paint);
        }
}

/* The colour of text at a place: that of its role, on cells what can be read. */
static int layout_text_color(const layout *to, const hsp__panel *panel,
                             const hsp__figure_mark *text)
{
    const int dark = to->look->dark;
    if (text->style.color != HSP__OVER) return layout_color(to, text->style.color);
    const hsp__figure_mark *cells = layout_last_cells(panel);
    if (!cells) return layout_color(to, HSP__INK);
    const double i = floor((text->x[0] - cells->x[0]) / (cells->x[1] - cells->x[0]) * cells->nx);
    const double j = floor((text->y[0] - cells->y[0]) / (cells->y[1] - cells->y[0]) * cells->ny);
    if (!(i >= 0 && i < cells->nx && j >= 0 && j < cells->ny)) return layout_color(to, HSP__INK);
    const double value = cells->values[(size_t)j * cells->nx + (size_t)i];
    if (!isfinite(value)) return layout_color(to, HSP__INK);
    const int below = hsp__theme_scale(dark, cells->scale, value, cells->low, cells->high);
    return hsp__theme_is_dark(below) == dark ? layout_color(to, HSP__INK)
                                             : layout_color(to, HSP__PAPER);
}

static void layout_note(const layout *to, const layout_frame *frame, const hsp__figure_mark *mark)
{
    const double size = mark->style.size > 0 ? mark->style.size : LAYOUT_TEXT;
    const double x = layout_x(frame, mark->x[0]), y = layout_y(frame, mark->y[0]);
    if (!isfinite(x) || !isfinite(y) || !mark->text) return;
    const int anchor = mark->style.anchor, over = mark->style.color == HSP__OVER;
    const double width = hsp__text_width(mark->text, size, 0);
    double left = x + 7 * anchor - width * (1 - anchor) / 2; /* moved into the frame */
    left = fmax(fmin(left, frame->x + frame->width - width - 3), frame->x + 3);
    to->canvas->text(to->canvas, left + width * (1 - anchor) / 2, y + size * 0.35, mark->text, size,
                     0, anchor, 0, layout_text_color(to, frame->panel, mark),
                     over ? HSP__NO_COLOR : layout_color(to, HSP__PAPER));
}

static void layout_mark(const layout *to, const layout_frame *frame, const hsp__figure_mark *mark)
{
    const int list = mark->kind <= HSP__MARK_POLYGON;
    double *x = list ? hsp__scratch_raw(to->memory, mark->count, sizeof *x) : NULL;
    double *y = list ? hsp__scratch_raw(to->memory, mark->count, sizeof *y) : NULL;
    if (list && (!x || !y)) return;
    switch (mark->kind) {
    case HSP__MARK_POINTS:
        layout_points(to, frame, mark, x, y);
        break;
    case HSP__MARK_LINE:
    case HSP__MARK_POLYGON:
        layout_path(to, frame, mark, x, y);
        break;
    case HSP__MARK_CELLS:
        layout_cells(to, frame, mark);
        break;
    case HSP__MARK_ARROW:
        layout_arrow(to, frame, mark);
        break;
    case HSP__MARK_TEXT:
        layout_note(to, frame, mark);
        break;
    case HSP__MARK_BARS:
        layout_bars(to, frame, mark);
        break;
    case HSP__MARK_RULE:
        layout_rule(to, frame, mark);
        break;
    }
}

/* ---- Axes ---- */

static void layout_grid(const layout *to, const layout_frame *frame)
{
    const int color = layout_color(to, HSP__GRID);
    for (int i = 0; i < frame->x_ticks.count && !frame->panel->x.categories; i++) {
        const double x = layout_x(frame, frame->x_ticks.at[i]);
        layout_line(to, x, frame->y, x, frame->y + frame->height, color, 1);
    }
    for (int i = 0; i < frame->y_ticks.count && !frame->panel->y.categories; i++) {
        const double y = layout_y(frame, frame->y_ticks.at[i]);
        layout_line(to, frame->x, y, frame->x + frame->width, y, color, 1);
    }
}

/* A tick label with a true minus sign. */
static const char *layout_minus(const layout *to, const char *text)
{
    const char *digits = text[0] == '-' ? text + 1 : text;
    if (digits == text || digits[0] < '0' || digits[0] > '9') return text;
    char *better = hsp__scratch_raw(to->memory, strlen(text) + 4, 1);
    if (!better) return text;
    memcpy(better, "\xe2\x88\x92", 3);
    memcpy(better + 3, digits, strlen(digits) + 1);
    return better;
}

static void layout_axis_x(const layout *to, const layout_frame *frame)
{
    const hsp__axis *axis = &frame->panel->x;
    const double bottom = frame->y + frame->height, middle = frame->x + frame->width / 2;
    const int muted = layout_color(to, HSP__MUTED);
    for (int i = 0; i < frame->x_ticks.count; i++) {
        const double x = layout_x(frame, frame->x_ticks.at[i]);
        const char *text = layout_minus(to, frame->x_ticks.text[i]);
        layout_line(to, x, bottom, x, bottom + 4, muted, 1);
        if (axis->categories && to->upright)
            to->canvas->text(to->canvas, x + LAYOUT_TEXT * 0.35, bottom + 7,
                             layout_fit(to, text, LAYOUT_TEXT, 0, LAYOUT_NAMES), LAYOUT_TEXT, 0, -1,
                             1, muted, HSP__NO_COLOR);
        else { /* within the figure */
            const double half = hsp__text_width(text, LAYOUT_TEXT, 0) / 2;
            layout_text(to, fmin(x, to->look->width - half - 2), bottom + 7 + LAYOUT_TEXT * 0.8,
                        text, LAYOUT_TEXT, 0, 0, muted);
        }
    }
    if (axis->label)
        layout_axis_label(to, axis->label, middle, bottom + to->bottom_room - 4,
                          frame->width + to->right_room, 0);
}

static void layout_axis_y(const layout *to, const layout_frame *frame)
{
    const hsp__axis *axis = &frame->panel->y;
    const int muted = layout_color(to, HSP__MUTED);
    for (int i = 0; i < frame->y_ticks.count; i++) {
        const double y = layout_y(frame, frame->y_ticks.at[i]);
        layout_line(to, frame->x - 4, y, frame->x, y, muted, 1);
        layout_text(
            to, frame->x - 7, y + LAYOUT_TEXT * 0.35,
            layout_fit(to, layout_minus(to, frame->y_ticks.text[i]), LAYOUT_TEXT, 0, LAYOUT_NAMES),
            LAYOUT_TEXT, 0, -1, muted);
    }
    if (axis->label)
        layout_axis_label(to, axis->label, frame->x - to->left_room + LAYOUT_LABEL,
                          frame->y + frame->height / 2, frame->height + 20, 1);
}

static void layout_color_bar(const layout *to, const layout_frame *frame)
{
    const hsp__figure_mark *cells =
        frame->panel->bar_label ? layout_last_cells(frame->panel) : NULL;
    if (!cells || cells->scale == HSP__SCALE_CLASSES) return;
    enum { STEPS = 48 };
    hsp__ticks ticks;
    const double x = frame->x + frame->width + 16, step = frame->height / STEPS;
    const double low = cells->low, high = cells->high, bottom = frame->y + frame->height;
    for (int i = 0; i < STEPS; i++) {
        const int color = hsp__theme_scale(to->look->dark, cells->scale,
                                           low + (high - low) * (i + 0.5) / STEPS, low, high);
        const hsp__paint paint = {color, color, 0.5, 1, HSP__SOLID};
        layout_box(to, x, bottom - step * i, x + LAYOUT_BAR, frame->y, &paint);
    }
    layout_bar_ticks(cells, frame->height, &ticks);
    for (int i = 0; i < ticks.count; i++) {
        const double y = bottom - frame->height * (ticks.at[i] - low) / (high - low);
        if (high > low)
            layout_text(to, x + LAYOUT_BAR + 6, y + LAYOUT_TEXT * 0.35,
                        layout_minus(to, ticks.text[i]), LAYOUT_TEXT, 0, 1,
                        layout_color(to, HSP__MUTED));
    }
    layout_axis_label(to, frame->panel->bar_label, frame->x + frame->width + to->right_room - 4,
                      frame->y + frame->height / 2, frame->height + 20, 1);
}

/* ---- Panels ---- */

/* Units of the same length on both axes: one of them gets a larger range, or the frame becomes
 * smaller. */
static void layout_equal(hsp__panel *panel, layout_frame *frame)
{
    const double x = panel->x.high - panel->x.low, y = panel->y.high - panel->y.low;
    const double more_x = y / frame->height * frame->width - x;
    const double more_y = x / frame->width * frame->height - y;
    if (!isfinite(more_x) || !isfinite(more_y)) return;
    if (panel->bounded) {
        const double unit = fmin(frame->width / x, frame->height / y);
        frame->x += (frame->width - x * unit) / 2;
        frame->y += (frame->height - y * unit) / 2;
        frame->width = x * unit;
        frame->height = y * unit;
        return;
    }
    hsp__axis *axis = more_x > 0 ? &panel->x : &panel->y;
    const double more = more_x > 0 ? more_x : more_y;
    hsp__axis_range(axis, axis->low - more / 2, axis->high + more / 2);
}

static void layout_panel(const layout *to, const hsp__panel *panel, double x, double y,
                         double width, double height)
{
    hsp__panel shown = *panel;
    layout_frame frame = {.panel = &shown,
                          .x = x + to->left_room,
                          .y = y + to->top_room,
                          .width = fmax(width - to->left_room - to->right_room, 20),
                          .height = fmax(height - to->top_room - to->bottom_room, 20)};
    if (panel->square) frame.width = frame.height = fmin(frame.width, frame.height);
    if (panel->equal) layout_equal(&shown, &frame);
    layout_ticks(&shown, frame.width, frame.height, &frame.x_ticks, &frame.y_ticks);
    if (panel->title)
        layout_text(to, frame.x, frame.y - 8,
                    layout_fit(to, panel->title, LAYOUT_LABEL, 1, frame.width), LAYOUT_LABEL, 1, 1,
                    layout_color(to, HSP__INK));
    if (!panel->grid_off) layout_grid(to, &frame);
    to->canvas->clip(to->canvas, frame.x, frame.y, frame.width, frame.height);
    for (int texts = 0; texts < 2; texts++) /* these last, so that nothing covers them */
        for (const hsp__figure_mark *mark = panel->first; mark; mark = mark->next)
            if (texts == (mark->kind == HSP__MARK_TEXT)) layout_mark(to, &frame, mark);
    to->canvas->unclip(to->canvas);
    const hsp__paint edge = {HSP__NO_COLOR, layout_color(to, HSP__MUTED), 1, 0.6, HSP__SOLID};
    layout_box(to, frame.x, frame.y, frame.x + frame.width, frame.y + frame.height, &edge);
    layout_axis_x(to, &frame);
    layout_axis_y(to, &frame);
    layout_color_bar(to, &frame);
}

/* ---- The legend ---- */

/* The marks in the legend: points first; of equal ones in several panels the first. */
static void layout_entries(layout *to)
{
    uint64_t most = 0;
    for (const hsp__panel *panel = to->figure->first; panel; panel = panel->next)
        most += panel->mark_count;
    to->entries = hsp__scratch_raw(to->memory, most, sizeof *to->entries);
    for (int others = 0; others < 2 && to->entries; others++)
        for (const hsp__panel *panel = to->figure->first; panel; panel = panel->next)
            for (const hsp__figure_mark *mark = panel->first; mark; mark = mark->next) {
                int there = panel->outside || !mark->style.name ||
                            others == (mark->kind == HSP__MARK_POINTS);
                for (uint64_t k = 0; k < to->entry_count && !there; k++)
                    there = to->entries[k]->kind == mark->kind &&
                            to->entries[k]->style.color == mark->style.color &&
                            strcmp(to->entries[k]->style.name, mark->style.name) == 0;
                if (!there) to->entries[to->entry_count++] = mark;
            }
}

static void layout_swatch(const layout *to, const hsp__figure_mark *mark, double x, double y)
{
    const hsp__paint line = layout_paint(to, &mark->style, 0, layout_width(&mark->style));
    const hsp__paint area = layout_paint(to, &mark->style, !mark->style.hollow, 1);
    hsp__style point = mark->style;
    point.size = fmin(fmax(point.size, 3.5), 5);
    if (mark->kind == HSP__MARK_POINTS)
        layout_put_points(to, 1, (double[]){x + 8}, &y, &point);
    else if (mark->kind == HSP__MARK_POLYGON || mark->kind == HSP__MARK_BARS)
        layout_box(to, x, y - 5, x + 16, y + 5, &area);
    else
        to->canvas->path(to->canvas, 2, (double[]){x, x + 16}, (double[]){y, y}, 0, &line);
}

/* Entries from left to right, each as wide as it is (column 0) or as a column. `draw` 0: only count.
 * Returns the number of lines. */
static int layout_entry_lines(const layout *to, double top, double column, int draw)
{
    const double left = LAYOUT_EDGE + to->left_room, right = to->look->width - LAYOUT_EDGE;
    double x = left, y = top + LAYOUT_LINE / 2.0;
    int lines = to->entry_count > 0;
    uint64_t k = 0;
    for (; k < to->entry_count; k++) {
        const char *name = layout_fit(to, to->entries[k]->style.name, LAYOUT_TEXT, 0, LAYOUT_ENTRY);
        const double width = 22 + hsp__text_width(name, LAYOUT_TEXT, 0);
        if (x > left && x + fmax(width, column - 16) > right - (lines == LAYOUT_LINES ? 80 : 0)) {
            if (lines == LAYOUT_LINES) break;
            lines++, x = left, y += LAYOUT_LINE;
        }
        if (draw) {
            layout_swatch(to, to->entries[k], x, y);
            layout_text(to, x + 22, y + LAYOUT_TEXT * 0.35, name, LAYOUT_TEXT, 0, 1,
                        layout_color(to, HSP__INK));
        }
        x += fmax(column, width + 16);
    }
    if (k < to->entry_count && draw) {
        char count[HSP__LABEL], text[HSP__LABEL + 16];
        snprintf(text, sizeof text, "and %s more", hsp__label_count(to->entry_count - k, count));
        layout_text(to, x, y + LAYOUT_TEXT * 0.35, text, LAYOUT_TEXT, 0, 1,
                    layout_color(to, HSP__MUTED));
    }
    return lines;
}

/* The legend; in columns, if it has more than two lines. Returns its height. */
static double layout_legend(const layout *to, double top, int draw)
{
    const int columns = layout_entry_lines(to, top, 0, 0) > 2;
    double column = 0;
    for (uint64_t k = 0; columns && k < to->entry_count; k++)
        column = fmax(
            column,
            fmin(hsp__text_width(to->entries[k]->style.name, LAYOUT_TEXT, 0), LAYOUT_ENTRY) + 38);
    return layout_entry_lines(to, top, column, draw) * (double)LAYOUT_LINE;
}

/* ---- The whole ---- */

/* The note, in lines that fit. `draw` 0: only measure. Returns the height. */
static double layout_foot(const layout *to, double top, int draw)
{
    const char *note = to->figure->note;
    const double left = LAYOUT_EDGE + to->left_room, width = to->look->width - LAYOUT_EDGE - left;
    double used = 0, y = top;
    const size_t size = note ? strlen(note) : 0;
    char *line = hsp__scratch_raw(to->memory, size + 1, 1);
    size_t count = 0;
    for (size_t from = 0; line && from < size;) { /* word by word */
        size_t end = from + 1;
        while (end < size && note[end] != ' ')
            end++;
        char *word = line + count;
        memcpy(word, note + from, end - from);
        word[end - from] = 0;
        const double more = hsp__text_width(word, LAYOUT_TEXT, 0);
        if (count && used + more > width) {
            *word = 0;
            if (draw)
                layout_text(to, left, y + LAYOUT_TEXT, line, LAYOUT_TEXT, 0, 1,
                            layout_color(to, HSP__MUTED));
            y += LAYOUT_TEXT + 4, count = 0, used = 0;
            from += note[from] == ' ';
            continue;
        }
        used += more, count += end - from, from = end;
    }
    if (!count || !line) return y - top;
    if (draw)
        layout_text(to, left, y + LAYOUT_TEXT, line, LAYOUT_TEXT, 0, 1,
                    layout_color(to, HSP__MUTED));
    return y - top + LAYOUT_TEXT + 4;
}

void hsp__layout(const hsp_figure *figure, const hsp__look *look, hsp__scratch *memory,
                 hsp__canvas *canvas)
{
    layout to = {.figure = figure, .look = look, .memory = memory, .canvas = canvas};
    const char *title = look->title[0] ? look->title : figure->title;
    const uint32_t count = figure->panel_count ? figure->panel_count : 1;
    const uint32_t columns = hsp__figure_columns(figure), rows = (count + columns - 1) / columns;
    const hsp__paint paper = {layout_color(&to, HSP__PAPER), HSP__NO_COLOR, 0, 1, HSP__SOLID};
    layout_box(&to, 0, 0, look->width, look->height, &paper);
    to.top = LAYOUT_EDGE;
    if (title) to.top += LAYOUT_TITLE + 8;
    double width = (look->width - 2 * LAYOUT_EDGE - LAYOUT_GAP * (columns - 1.0)) / columns;
    layout_measure(&to, width, look->height / rows);
    layout_entries(&to);
    const double legend = layout_legend(&to, to.top, 0), foot = layout_foot(&to, 0, 0);
    to.bottom = look->height - LAYOUT_EDGE - foot - (foot > 0 ? 6 : 0);
    if (title)
        layout_text(
            &to, LAYOUT_EDGE + to.left_room, LAYOUT_EDGE + LAYOUT_TITLE * 0.85,
            layout_fit(&to, title, LAYOUT_TITLE, 1, look->width - to.left_room - 2 * LAYOUT_EDGE),
            LAYOUT_TITLE, 1, 1, layout_color(&to, HSP__INK));
    layout_legend(&to, to.top, 1);
    to.top += legend > 0 ? legend + 6 : 0;
    const double height = (to.bottom - to.top - LAYOUT_GAP * (rows - 1.0) * 0.5) / rows;
    uint32_t i = 0;
    for (const hsp__panel *panel = figure->first; panel; panel = panel->next, i++) {
        const uint32_t row = i / columns, column = i % columns;
        layout_panel(&to, panel, LAYOUT_EDGE + column * (width + LAYOUT_GAP),
                     to.top + row * (height + LAYOUT_GAP * 0.5), width, height);
    }
    layout_foot(&to, to.bottom + 6, 1);
}
