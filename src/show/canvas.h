/* What layout.c draws on: lines, areas, points and text at places in pixels from the upper left.
 * svg.c and cairo.c are canvases. Colours are resolved (0xRRGGBB), names are clean, and every
 * coordinate is finite. */
#ifndef HSP_SHOW_CANVAS_H
#define HSP_SHOW_CANVAS_H

#include "show/figure.h"

#define HSP__NO_COLOR (-1)
#define HSP__TITLE    120 /* characters of a title at most */
#define HSP__HALO     3   /* width of the line around characters, half of it behind them */

typedef struct hsp__paint {
    int fill, stroke; /* 0xRRGGBB, or HSP__NO_COLOR */
    double width;     /* of the stroke */
    double opacity;   /* of both; 1: opaque */
    int dash;
} hsp__paint;

typedef struct hsp__canvas hsp__canvas;
struct hsp__canvas {
    /* Lines or areas: points, NaN between two parts; closed: rings. */
    void (*path)(hsp__canvas *canvas, uint64_t count, const double *x, const double *y, int closed,
                 const hsp__paint *paint);
    void (*points)(hsp__canvas *canvas, uint64_t count, const double *x, const double *y, int shape,
                   double size, const hsp__paint *paint);
    /* anchor -1: it ends there, 0: centred, 1: it begins there; `up`: it runs upwards; `halo`: the
     * colour around the characters, or HSP__NO_COLOR. */
    void (*text)(hsp__canvas *canvas, double x, double y, const char *text, double size, int bold,
                 int anchor, int up, int color, int halo);
    /* What follows is cut off outside of the rectangle, until `unclip`. */
    void (*clip)(hsp__canvas *canvas, double x, double y, double width, double height);
    void (*unclip)(hsp__canvas *canvas);
};

/* How a figure is drawn, from options of hsp_figure_options (or NULL). */
typedef struct hsp__look {
    int dark;
    double width, height;           /* pixels; terminals: characters */
    char title[4 * HSP__TITLE + 4]; /* instead of the figure's; "": that */
} hsp__look;
hsp__look hsp__look_of(const hsp_figure *figure, const hsp_options *options, int terminal);

/* ---- Themes (theme.c) ---- */

int hsp__theme_color(int dark, int role); /* 0xRRGGBB */
/* The colour of a value of cells. */
int hsp__theme_scale(int dark, hsp__scale scale, double value, double low, double high);
int hsp__theme_mix(int a, int b, double share); /* `share` of b in a */
int hsp__theme_is_dark(int color);              /* needs light text */

/* The width of a text of this height in pixels, never too small for Helvetica and DejaVu Sans. */
double hsp__text_width(const char *text, double size, int bold);
/* `text`, or its beginning and "…" in `buffer`, not wider than that. */
const char *hsp__text_fit(const char *text, double size, int bold, double width, char *buffer,
                          size_t room);
/* The code of the UTF-8 character at *text, which is moved behind it. */
uint32_t hsp__text_next(const char **text);

/* The corners of a shape around the origin, for a circle of this radius: how many, 0 for a circle.
 * An open shape is two strokes, from the first corner to the second and from the third to the
 * fourth. */
int hsp__shape_corners(int shape, double size, double corners[8][2]);
static inline int hsp__shape_is_open(int shape)
{
    return shape == HSP__PLUS || shape == HSP__CROSS;
}

/* ---- Drawing (layout.c) ---- */

/* Columns of panels. */
uint32_t hsp__figure_columns(const hsp_figure *figure);

void hsp__layout(const hsp_figure *figure, const hsp__look *look, hsp__scratch *memory,
                 hsp__canvas *canvas);

/* ---- Formats ---- */

hsp_status hsp__figure_cairo(hsp_context *ctx, const hsp_figure *figure, const hsp__look *look,
                             const char *path, int pdf, hsp_error *err);

#endif
