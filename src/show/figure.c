#include "show/figure.h"

#include <stdarg.h>
#include <stdio.h>

enum { FIGURE_NAME = 120 }; /* characters of a title or label at most */

hsp_status hsp__figure_new(hsp_context *ctx, const char *kind, hsp_error *err, hsp_figure **out)
{
    hsp_figure *figure = hsp__new(&ctx->allocator, 1, sizeof *figure);
    if (!figure) return hsp__fail_memory(err);
    figure->allocator = ctx->allocator;
    figure->memory.memory = &figure->allocator;
    figure->kind = kind;
    figure->last = &figure->first;
    *out = figure;
    return HSP_OK;
}

void hsp_figure_free(hsp_figure *figure)
{
    if (!figure) return;
    const hsp_allocator memory = figure->allocator;
    hsp__scratch_free(&figure->memory);
    hsp__free(&memory, figure);
}

/* ---- Names ---- */

/* The bytes of the character at `p`, and in *shown whether it may be shown: it is UTF-8, and no control
 * character, also none that changes the direction of what follows. */
static size_t figure_character(const unsigned char *p, int *shown)
{
    static const uint32_t least[] = {0, 0, 0xa0, 0x800, 0x10000};
    const size_t size = p[0] < 0x80 ? 1 : p[0] >= 0xf0 ? 4 : p[0] >= 0xe0 ? 3 : 2;
    uint32_t code = p[0] & (0x7fu >> size);
    *shown = size == 1 ? p[0] >= 0x20 && p[0] != 0x7f : 0;
    if (size == 1 || p[0] < 0xc2 || p[0] > 0xf4) return 1;
    for (size_t i = 1; i < size; i++) {
        if ((p[i] & 0xc0) != 0x80) return 1;
        code = code << 6 | (p[i] & 0x3fu);
    }
    const int control = (code >= 0x200b && code <= 0x200f) || (code >= 0x2028 && code <= 0x202e) ||
                        (code >= 0x2066 && code <= 0x2069) || (code >= 0xd800 && code <= 0xdfff) ||
                        code == 0xfeff || (code & 0xfffe) == 0xfffe || code > 0x10ffff;
    *shown = code >= least[size] && !control;
    return size;
}

void hsp__clean_text(const char *text, size_t most, char *out)
{
    const unsigned char *p = (const unsigned char *)text;
    char *end = out, *cut = out;
    for (size_t count = 0; *p; count++) {
        int shown;
        const size_t size = figure_character(p, &shown);
        if (count + 1 == most) cut = end;
        if (count == most) { /* one character is given up for the ellipsis */
            memcpy(cut, "\xe2\x80\xa6", 3);
            end = cut + 3;
            break;
        }
        memcpy(end, shown ? (const char *)p : "\xef\xbf\xbd", shown ? size : 3);
        end += shown ? size : 3;
        p += size;
    }
    *end = 0;
}

char *hsp__figure_copy(hsp_figure *figure, const char *text, size_t most)
{
    char *copy = hsp__scratch_raw(&figure->memory, 3 * strlen(text) + 4, 1);
    if (copy) hsp__clean_text(text, most, copy);
    return copy;
}

__attribute__((format(printf, 2, 0))) static char *figure_format(hsp_figure *figure,
                                                                 const char *format, va_list args)
{
    char text[1024]; /* longer ones are shortened anyway */
    vsnprintf(text, sizeof text, format, args);
    return hsp__figure_copy(figure, text, FIGURE_NAME);
}

#define FIGURE_FORMAT(to, figure, format)              \
    do {                                               \
        va_list args_;                                 \
        va_start(args_, format);                       \
        (to) = figure_format((figure), format, args_); \
        va_end(args_);                                 \
    } while (0)

void hsp__figure_title(hsp_figure *figure, const char *format, ...)
{
    FIGURE_FORMAT(figure->title, figure, format);
}

/* Two texts with a separator between them; `one` may be NULL. */
static char *figure_join(hsp_figure *figure, const char *one, const char *between, const char *two)
{
    if (!one || !two) return two ? hsp__figure_copy(figure, two, 2048) : NULL;
    char *both =
        hsp__scratch_raw(&figure->memory, strlen(one) + strlen(between) + strlen(two) + 1, 1);
    if (both) sprintf(both, "%s%s%s", one, between, two);
    return both;
}

void hsp__figure_note(hsp_figure *figure, const char *format, ...)
{
    char *text;
    FIGURE_FORMAT(text, figure, format);
    figure->note = figure_join(figure, figure->note, "; ", text);
}

void hsp__figure_describe(hsp_figure *figure, const char *format, ...)
{
    char *text;
    FIGURE_FORMAT(text, figure, format);
    figure->description = figure_join(figure, figure->description, " ", text);
}

/* ---- Panels and axes ---- */

hsp__panel *hsp__panel_add(hsp_figure *figure, const char *title)
{
    hsp__panel *panel = hsp__scratch_new(&figure->memory, 1, sizeof *panel);
    if (!panel) return NULL;
    panel->figure = figure;
    panel->last = &panel->first;
    if (title) panel->title = hsp__figure_copy(figure, title, FIGURE_NAME);
    *figure->last = panel;
    figure->last = &panel->next;
    figure->panel_count++;
    return panel;
}

void hsp__axis_label(hsp__panel *panel, hsp__axis *axis, const char *format, ...)
{
    if (panel) FIGURE_FORMAT(axis->label, panel->figure, format);
}

void hsp__axis_categories(hsp__panel *panel, hsp__axis *axis, const char *const *names,
                          uint32_t count)
{
    if (!panel) return;
    axis->categories = hsp__scratch_new(&panel->figure->memory, count, sizeof *axis->categories);
    for (uint32_t i = 0; axis->categories && i < count; i++)
        axis->categories[i] = hsp__figure_copy(panel->figure, names[i], FIGURE_NAME);
    axis->category_count = count;
    hsp__axis_range(axis, -0.5, count - 0.5);
}

/* ---- Marks ---- */

static double *figure_array(hsp__panel *panel, uint64_t count, const double *from)
{
    double *copy = hsp__scratch_raw(&panel->figure->memory, count, sizeof *copy);
    if (copy && count) memcpy(copy, from, (size_t)count * sizeof *copy);
    return copy;
}

/* A new mark, already in its panel; NULL if there is no memory for all of it. */
static hsp__figure_mark *figure_mark(hsp__panel *panel, hsp__mark_kind kind, uint64_t count,
                                     const double *x, const double *y, const hsp__style *style)
{
    if (!panel) return NULL;
    hsp__figure_mark *mark = hsp__scratch_new(&panel->figure->memory, 1, sizeof *mark);
    if (!mark) return NULL;
    mark->kind = kind;
    mark->style = *style;
    if (style->name) mark->style.name = hsp__figure_copy(panel->figure, style->name, FIGURE_NAME);
    mark->count = count;
    mark->x = figure_array(panel, count, x);
    mark->y = figure_array(panel, count, y);
    if (panel->figure->memory.failed) return NULL;
    *panel->last = mark;
    panel->last = &mark->next;
    panel->mark_count++;
    return mark;
}

void hsp__panel_points(hsp__panel *panel, uint64_t count, const double *x, const double *y,
                       hsp__style style)
{
    figure_mark(panel, HSP__MARK_POINTS, count, x, y, &style);
}

void hsp__panel_line(hsp__panel *panel, uint64_t count, const double *x, const double *y,
                     hsp__style style)
{
    figure_mark(panel, HSP__MARK_LINE, count, x, y, &style);
}

void hsp__panel_segment(hsp__panel *panel, double x0, double y0, double x1, double y1,
                        hsp__style style)
{
    hsp__panel_line(panel, 2, (double[]){x0, x1}, (double[]){y0, y1}, style);
}

void hsp__panel_polygon(hsp__panel *panel, uint64_t count, const double *x, const double *y,
                        hsp__style style)
{
    figure_mark(panel, HSP__MARK_POLYGON, count, x, y, &style);
}

void hsp__panel_arrow(hsp__panel *panel, double x0, double y0, double x1, double y1,
                      hsp__style style)
{
    figure_mark(panel, HSP__MARK_ARROW, 2, (double[]){x0, x1}, (double[]){y0, y1}, &style);
}

void hsp__panel_text(hsp__panel *panel, double x, double y, hsp__style style, const char *format,
                     ...)
{
    hsp__figure_mark *mark = figure_mark(panel, HSP__MARK_TEXT, 1, &x, &y, &style);
    if (mark) FIGURE_FORMAT(mark->text, panel->figure, format);
}

void hsp__panel_rule(hsp__panel *panel, double a, double b, double c, hsp__style style)
{
    hsp__figure_mark *mark = figure_mark(panel, HSP__MARK_RULE, 0, NULL, NULL, &style);
    if (mark) mark->values = figure_array(panel, 3, (double[]){a, b, c});
}

void hsp__panel_bars(hsp__panel *panel, uint64_t count, const double *x, const double *y,
                     double width, int sideways, hsp__style style)
{
    hsp__figure_mark *mark = figure_mark(panel, HSP__MARK_BARS, count, x, y, &style);
    if (!mark) return;
    mark->values = figure_array(panel, 1, &width);
    mark->sideways = sideways;
}

void hsp__panel_cells(hsp__panel *panel, uint32_t nx, uint32_t ny, double x0, double x1, double y0,
                      double y1, const double *values, hsp__scale scale, double low, double high)
{
    hsp__figure_mark *mark = figure_mark(panel, HSP__MARK_CELLS, 2, (double[]){x0, x1},
                                         (double[]){y0, y1}, &(hsp__style){0});
    if (!mark) return;
    mark->values = figure_array(panel, (uint64_t)nx * ny, values);
    mark->nx = nx;
    mark->ny = ny;
    mark->scale = scale;
    mark->low = low;
    mark->high = high;
}

void hsp__panel_bar(hsp__panel *panel, const char *label)
{
    if (panel) panel->bar_label = hsp__figure_copy(panel->figure, label, FIGURE_NAME);
}

/* ---- The end ---- */

static void figure_extend(double range[2], double value)
{
    if (!isfinite(value)) return;
    range[0] = fmin(range[0], value);
    range[1] = fmax(range[1], value);
}

/* The range of an axis: that of its marks, and a little more on both sides. */
static void figure_range(const hsp__panel *panel, hsp__axis *axis)
{
    double range[2] = {HUGE_VAL, -HUGE_VAL};
    const int is_x = axis == &panel->x;
    if (axis->low != 0 || axis->high != 0) return;
    for (const hsp__figure_mark *mark = panel->first; mark; mark = mark->next) {
        const double *values = is_x ? mark->x : mark->y;
        const int bars = mark->kind == HSP__MARK_BARS;
        for (uint64_t i = 0; i < mark->count; i++)
            if (!axis->log || values[i] > 0) figure_extend(range, values[i]);
        if (bars && mark->sideways == is_x) figure_extend(range, 0);
        for (uint64_t i = 0; bars && mark->sideways != is_x && i < mark->count; i++) {
            figure_extend(range, values[i] - mark->values[0] / 2);
            figure_extend(range, values[i] + mark->values[0] / 2);
        }
    }
    if (!(range[0] <= range[1])) range[0] = axis->log ? 0.1 : 0, range[1] = 1;
    hsp__axis_pad(axis, range[0], range[1]);
}

hsp_status hsp__figure_done(hsp_figure *figure, hsp_error *err)
{
    if (figure->memory.failed) return hsp__fail_memory(err);
    for (hsp__panel *panel = figure->first; panel; panel = panel->next) {
        figure_range(panel, &panel->x);
        figure_range(panel, &panel->y);
        assert(isfinite(panel->x.low) && panel->x.low < panel->x.high);
        assert(isfinite(panel->y.low) && panel->y.low < panel->y.high);
    }
    return HSP_OK;
}
