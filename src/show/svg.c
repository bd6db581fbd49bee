/* A canvas that writes SVG: text stays text, one path per line, area or set of points. No ids are
 * used, so that several figures may be in one HTML page. */
#include "show/svg.h"

#include <stdio.h>

#include "base/text.h"

typedef struct svg {
    hsp__canvas canvas;
    hsp__text *out;
} svg;

static void svg_escape(hsp__text *out, const char *text)
{
    for (; *text; text++)
        switch (*text) {
        case '&':
            hsp__text_puts(out, "&amp;");
            break;
        case '<':
            hsp__text_puts(out, "&lt;");
            break;
        case '>':
            hsp__text_puts(out, "&gt;");
            break;
        case '"':
            hsp__text_puts(out, "&quot;");
            break;
        default:
            hsp__text_add(out, text, 1);
        }
}

/* A number with at most two decimals, and no more digits than needed. */
static void svg_number(hsp__text *out, double value, int space)
{
    char digits[HSP__LABEL];
    assert(fabs(value) < 1e9);
    const long long hundredths = llround(value * 100);
    const unsigned long long size = (unsigned long long)(hundredths < 0 ? -hundredths : hundredths);
    int length = snprintf(digits, sizeof digits, "%s%llu.%02llu", hundredths < 0 ? "-" : "",
                          size / 100, size % 100);
    while (digits[length - 1] == '0')
        length--;
    if (digits[length - 1] == '.') length--;
    if (space && digits[0] != '-') hsp__text_add(out, " ", 1);
    hsp__text_add(out, digits, (size_t)length);
}

static void svg_pair(hsp__text *out, const char *command, double x, double y)
{
    hsp__text_puts(out, command);
    svg_number(out, x, 0);
    svg_number(out, y, 1);
}

static void svg_attribute(hsp__text *out, const char *name, double value)
{
    hsp__text_printf(out, " %s=\"", name);
    svg_number(out, value, 0);
    hsp__text_puts(out, "\"");
}

static void svg_paint(hsp__text *out, const hsp__paint *paint)
{
    if (paint->fill == HSP__NO_COLOR)
        hsp__text_puts(out, " fill=\"none\"");
    else
        hsp__text_printf(out, " fill=\"#%06x\"", (unsigned)paint->fill);
    if (paint->stroke != HSP__NO_COLOR && paint->width > 0) {
        hsp__text_printf(out, " stroke=\"#%06x\"", (unsigned)paint->stroke);
        if (paint->width != 1) svg_attribute(out, "stroke-width", paint->width);
        if (paint->dash == HSP__DASHED) hsp__text_puts(out, " stroke-dasharray=\"6 4\"");
        if (paint->dash == HSP__DOTTED)
            hsp__text_puts(out, " stroke-dasharray=\"0.1 4\" stroke-linecap=\"round\"");
    }
    if (paint->opacity < 1) svg_attribute(out, "opacity", paint->opacity);
}

static void svg_path(hsp__canvas *canvas, uint64_t count, const double *x, const double *y,
                     int closed, const hsp__paint *paint)
{
    hsp__text *out = ((svg *)canvas)->out;
    hsp__text_puts(out, "<path");
    svg_paint(out, paint);
    if (closed && count > 4) hsp__text_puts(out, " fill-rule=\"evenodd\"");
    if (!closed && count > 2) hsp__text_puts(out, " stroke-linejoin=\"round\"");
    hsp__text_puts(out, " d=\"");
    int open = 0;
    for (uint64_t i = 0; i < count; i++) {
        if (isnan(x[i])) {
            if (open && closed) hsp__text_puts(out, "z");
            open = 0;
            continue;
        }
        svg_pair(out, open ? "L" : "M", x[i], y[i]);
        open = 1;
    }
    hsp__text_puts(out, open && closed ? "z\"/>\n" : "\"/>\n");
}

/* A circle around a place, as two arcs. */
static void svg_arcs(hsp__text *out, double x, double y, double size)
{
    svg_pair(out, "M", x - size, y);
    for (int half = 0; half < 2; half++) {
        svg_pair(out, "a", size, size);
        svg_pair(out, " 0 1 0 ", half ? -2 * size : 2 * size, 0);
    }
    hsp__text_puts(out, "z");
}

/* Corners are relative to the one before, which is shorter. */
static void svg_corners(hsp__text *out, double x, double y, int corners, double corner[8][2],
                        int open)
{
    svg_pair(out, "M", x + corner[0][0], y + corner[0][1]);
    for (int k = 1; k < corners; k++)
        svg_pair(out, open && k % 2 == 0 ? "m" : "l", corner[k][0] - corner[k - 1][0],
                 corner[k][1] - corner[k - 1][1]);
    if (!open) hsp__text_puts(out, "z");
}

/* Points with an outline are elements of a group, so that each covers those before it. Other points
 * of a mark are one path; a circle without an outline is a line of length 0 with round ends. */
static void svg_points(hsp__canvas *canvas, uint64_t count, const double *x, const double *y,
                       int shape, double size, const hsp__paint *paint)
{
    hsp__text *out = ((svg *)canvas)->out;
    double corner[8][2];
    const int corners = hsp__shape_corners(shape, size, corner), open = hsp__shape_is_open(shape);
    const int outlined = paint->fill != HSP__NO_COLOR && paint->stroke != HSP__NO_COLOR;
    const int dot = !corners && paint->stroke == HSP__NO_COLOR;
    const hsp__paint stroke = {HSP__NO_COLOR, paint->fill, 2 * size, paint->opacity, HSP__SOLID};
    hsp__text_puts(out, outlined ? "<g" : dot ? "<path stroke-linecap=\"round\"" : "<path");
    svg_paint(out, dot ? &stroke : paint);
    hsp__text_puts(out, outlined ? ">\n" : " d=\"");
    for (uint64_t i = 0; i < count; i++) {
        if (outlined && !corners) {
            hsp__text_puts(out, "<circle");
            svg_attribute(out, "cx", x[i]);
            svg_attribute(out, "cy", y[i]);
            svg_attribute(out, "r", size);
        } else {
            if (outlined) hsp__text_puts(out, "<path d=\"");
            if (dot) {
                svg_pair(out, "M", x[i], y[i]);
                hsp__text_puts(out, "h0");
            } else if (corners)
                svg_corners(out, x[i], y[i], corners, corner, open);
            else
                svg_arcs(out, x[i], y[i], size);
            if (outlined) hsp__text_puts(out, "\"");
        }
        if (outlined) hsp__text_puts(out, "/>");
    }
    hsp__text_puts(out, outlined ? "\n</g>\n" : "\"/>\n");
}

static void svg_text(hsp__canvas *canvas, double x, double y, const char *text, double size,
                     int bold, int anchor, int up, int color, int halo)
{
    hsp__text *out = ((svg *)canvas)->out;
    hsp__text_puts(out, "<text");
    if (up) {
        svg_pair(out, " transform=\"translate(", x, y);
        hsp__text_puts(out, ") rotate(-90)\"");
    } else {
        svg_attribute(out, "x", x);
        svg_attribute(out, "y", y);
    }
    svg_attribute(out, "font-size", size);
    hsp__text_printf(out, " fill=\"#%06x\"", (unsigned)color);
    if (halo != HSP__NO_COLOR)
        hsp__text_printf(out,
                         " stroke=\"#%06x\" stroke-width=\"%d\" stroke-linejoin=\"round\" "
                         "paint-order=\"stroke\"",
                         (unsigned)halo, HSP__HALO);
    if (bold) hsp__text_puts(out, " font-weight=\"600\"");
    if (anchor < 1)
        hsp__text_puts(out, anchor ? " text-anchor=\"end\"" : " text-anchor=\"middle\"");
    hsp__text_puts(out, ">");
    svg_escape(out, text);
    hsp__text_puts(out, "</text>\n");
}

/* An inner svg element cuts off what is outside of it, and needs no id to be referred to. */
static void svg_clip(hsp__canvas *canvas, double x, double y, double width, double height)
{
    hsp__text *out = ((svg *)canvas)->out;
    hsp__text_puts(out, "<svg");
    svg_attribute(out, "x", x);
    svg_attribute(out, "y", y);
    svg_attribute(out, "width", width);
    svg_attribute(out, "height", height);
    svg_pair(out, " viewBox=\"", x, y);
    svg_number(out, width, 1);
    svg_number(out, height, 1);
    hsp__text_puts(out, "\">\n");
}

static void svg_unclip(hsp__canvas *canvas)
{
    hsp__text_puts(((svg *)canvas)->out, "</svg>\n");
}

void hsp__svg(const hsp_figure *figure, const hsp__look *look, hsp__scratch *memory, hsp__text *out)
{
    svg to = {{svg_path, svg_points, svg_text, svg_clip, svg_unclip}, out};
    const char *title = look->title[0] ? look->title : figure->title;
    if (!title) title = figure->description ? figure->description : figure->kind;
    hsp__text_puts(out, "<svg xmlns=\"http://www.w3.org/2000/svg\" role=\"img\"");
    svg_attribute(out, "width", look->width);
    svg_attribute(out, "height", look->height);
    hsp__text_puts(out, " viewBox=\"0 0");
    svg_number(out, look->width, 1);
    svg_number(out, look->height, 1);
    hsp__text_puts(out, "\" font-family=\"Helvetica, Arial, 'Liberation Sans', sans-serif\"");
    hsp__text_puts(out, " aria-label=\"");
    svg_escape(out, title);
    hsp__text_puts(out, "\">\n<title>");
    svg_escape(out, title);
    hsp__text_puts(out, "</title>\n");
    if (figure->description) {
        hsp__text_puts(out, "<desc>");
        svg_escape(out, figure->description);
        hsp__text_puts(out, "</desc>\n");
    }
    hsp__layout(figure, look, memory, &to.canvas);
    hsp__text_puts(out, "</svg>\n");
}
