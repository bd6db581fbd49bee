/* A figure as data: panels in a grid, each with two axes and marks in drawing order. Builders add
 * marks in the units of the axes and colours by their roles; layout.c turns them into lines, points
 * and text on a canvas (svg.c, cairo.c), terminal.c into characters.
 *
 * To write a new kind of plot: a file with a builder and one table, and a line in kinds.c.
 *
 *     static hsp_status losses_build(hsp_context *ctx, const hsp_plot_input *in,
 *                                    const hsp_options *options, hsp_figure *figure,
 *                                    hsp_error *err)
 *     {
 *         hsp__panel *panel = hsp__panel_add(figure, "Losses");
 *         hsp__axis_label(panel, &panel->x, "margin y s(x)");
 *         hsp__axis_range(&panel->y, 0, 3);
 *         hsp__panel_line(panel, 3, x, y, (hsp__style){.color = HSP__CLASS(0), .name = "hinge"});
 *         hsp__panel_points(panel, n, px, py, (hsp__style){.color = HSP__MUTED, .size = 2});
 *         hsp__figure_note(figure, "%s rows", "150");
 *         return HSP_OK;
 *     }
 *
 *     static const hsp_option losses_options[] = {HSP__TEXT("losses", NULL, "LIST", "which")};
 *
 *     const hsp__plot_kind hsp__plot_losses = {
 *         .table = {"losses", "hinge, squared and logistic loss", losses_options, 1},
 *         .needs = {"MODEL DATA", .models_least = 1, .models_most = 1, .data_most = 1},
 *         .build = losses_build,
 *     };
 *
 * Names are copied, cleaned (UTF-8, no control characters) and shortened where they do not fit. A
 * mark with a name is in the legend. Adding never fails half-way: want of memory is remembered, and
 * hsp_plot asks once, at the end. Coordinates that are not finite break a line or a ring, and leave
 * out a point. An axis without a range gets that of its marks. */
#ifndef HSP_SHOW_FIGURE_H
#define HSP_SHOW_FIGURE_H

#include "base/base.h"
#include "base/options.h"
#include "halfspace_all.h"

/* ---- Colours by role, shapes ---- */

enum {
    HSP__INK,      /* text, axes */
    HSP__MUTED,    /* what is less important */
    HSP__GRID,     /* grid lines */
    HSP__PAPER,    /* the background */
    HSP__BOUNDARY, /* decision boundaries */
    HSP__MARGIN,   /* margin lines */
    HSP__WEIGHTS,  /* the vector w */
    HSP__GOOD,
    HSP__BAD,
    HSP__OVER, /* text on cells: ink or paper, whichever can be read there */
    HSP__ROLES,
    HSP__CLASS_FIRST = 32
};
/* The colour of class k (or of the k-th of several curves), and the tint of its region. Eight colours
 * and seven shapes: 56 classes look different. */
#define HSP__CLASS(k) (HSP__CLASS_FIRST + 2 * (int)((k) % 56))
#define HSP__TINT(k)  (HSP__CLASS(k) + 1)
/* The shape of class k; 0 in a style is a circle, too. */
#define HSP__SHAPE(k) ((int)((k) % 7))

enum {
    HSP__CIRCLE,
    HSP__SQUARE,
    HSP__TRIANGLE,
    HSP__DIAMOND,
    HSP__TRIANGLE_DOWN,
    HSP__PLUS,
    HSP__CROSS,
    HSP__SHAPES
};
enum { HSP__SOLID, HSP__DASHED, HSP__DOTTED };

/* How a mark looks; what is 0 has the default. */
typedef struct hsp__style {
    int color;        /* a role, HSP__CLASS(k) or HSP__TINT(k) */
    int shape;        /* of points: HSP__CIRCLE, HSP__SHAPE(k) */
    double size;      /* points: radius (3.5), text: height (11), both in pixels */
    double width;     /* of lines and outlines, in pixels (1.5); polygons: 0, no outline */
    int dash;         /* of lines: HSP__DASHED, ... */
    double opacity;   /* 0: 1 */
    int hollow;       /* points: outline only; polygons: no filling */
    int anchor;       /* text: -1 it ends at the point, 0 centred, 1 it begins there */
    int letter;       /* terminals: the character of points, of a class say; 0: by the class */
    const char *name; /* in the legend; NULL: not there */
} hsp__style;

/* ---- Figures ---- */

typedef enum hsp__mark_kind {
    HSP__MARK_POINTS,  /* x, y */
    HSP__MARK_LINE,    /* polylines, broken where a coordinate is not finite */
    HSP__MARK_POLYGON, /* rings, likewise; even-odd filling */
    HSP__MARK_CELLS,   /* values[ny * nx], the first at the lower left, over x[0..1] and y[0..1] */
    HSP__MARK_ARROW,   /* from x[0], y[0] to x[1], y[1] */
    HSP__MARK_TEXT,    /* text at x[0], y[0] */
    HSP__MARK_BARS,    /* from 0 to y at x, of width values[0]; sideways: from 0 to x at y */
    HSP__MARK_RULE     /* the line a x + b y = c: values[0..2] */
} hsp__mark_kind;

/* How the values of cells become colours. */
typedef enum hsp__scale {
    HSP__SCALE_SEQUENTIAL, /* low: paper, high: dark */
    HSP__SCALE_DIVERGING,  /* low: class 0, middle: paper, high: class 1 */
    HSP__SCALE_CLASSES     /* whole numbers k: the tint of class k */
} hsp__scale;

typedef struct hsp__figure_mark {
    struct hsp__figure_mark *next;
    hsp__mark_kind kind;
    hsp__style style; /* style.name: owned by the figure */
    uint64_t count;
    double *x, *y, *values;
    uint32_t nx, ny; /* of cells */
    hsp__scale scale;
    double low, high; /* of the scale */
    int sideways;     /* bars */
    char *text;
} hsp__figure_mark;

typedef struct hsp__axis {
    char *label;      /* or NULL */
    double low, high; /* both 0: not set, as the marks are */
    int log;          /* decimal logarithm; low > 0 */
    uint32_t category_count;
    char **categories; /* names at 0, 1, ...; NULL: numbers */
    int reversed;      /* category 0 on top (confusion matrices) */
    int bare;          /* no ticks */
} hsp__axis;

typedef struct hsp__panel {
    struct hsp__panel *next;
    hsp_figure *figure;
    char *title; /* or NULL */
    hsp__axis x, y;
    hsp__figure_mark *first, **last; /* marks, in drawing order */
    uint64_t mark_count;
    int equal;   /* one unit of x is as long as one of y */
    int bounded; /* with equal: marks end where the axes do, so the frame becomes smaller instead
                        of a range larger */
    char *bar_label; /* a colour bar for the last cells with a scale; NULL: none */
    int square;      /* the frame is square (ROC) */
    int grid_off;    /* no grid lines */
    int outside;     /* no legend in the figure for this panel's marks */
} hsp__panel;

struct hsp_figure {
    hsp_allocator allocator;
    hsp__scratch memory;              /* of everything below */
    const char *kind;                 /* "rows" */
    char *title, *note, *description; /* or NULL */
    hsp__panel *first, **last;
    uint32_t panel_count, columns; /* columns 0: chosen by the number of panels */
    double width, height;          /* of a file, in pixels; 0: chosen by the number of panels */
};

/* ---- Building ---- */

hsp_status hsp__figure_new(hsp_context *ctx, const char *kind, hsp_error *err, hsp_figure **out);
/* Ranges for axes that have none, and HSP_NO_MEMORY if memory was lacking; hsp_plot calls it. */
hsp_status hsp__figure_done(hsp_figure *figure, hsp_error *err);

/* The title, the line below the figure (sentences are joined), and what readers hear who do not see
 * it. */
void hsp__figure_title(hsp_figure *figure, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
void hsp__figure_note(hsp_figure *figure, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
void hsp__figure_describe(hsp_figure *figure, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/* A panel behind those that are there; title NULL: none. NULL when there is no memory: every function
 * below accepts NULL, and does nothing. */
hsp__panel *hsp__panel_add(hsp_figure *figure, const char *title);

void hsp__axis_label(hsp__panel *panel, hsp__axis *axis, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
void hsp__axis_range(hsp__axis *axis, double low, double high);
/* The range [low, high] and a little more on both sides; never empty. */
void hsp__axis_pad(hsp__axis *axis, double low, double high);
/* Names at 0, 1, ..., count - 1; the range becomes -0.5 to count - 0.5. */
void hsp__axis_categories(hsp__panel *panel, hsp__axis *axis, const char *const *names,
                          uint32_t count);

/* Arrays are copied. */
void hsp__panel_points(hsp__panel *panel, uint64_t count, const double *x, const double *y,
                       hsp__style style);
void hsp__panel_line(hsp__panel *panel, uint64_t count, const double *x, const double *y,
                     hsp__style style);
void hsp__panel_segment(hsp__panel *panel, double x0, double y0, double x1, double y1,
                        hsp__style style);
void hsp__panel_polygon(hsp__panel *panel, uint64_t count, const double *x, const double *y,
                        hsp__style style);
void hsp__panel_arrow(hsp__panel *panel, double x0, double y0, double x1, double y1,
                      hsp__style style);
void hsp__panel_text(hsp__panel *panel, double x, double y, hsp__style style, const char *format,
                     ...) __attribute__((format(printf, 5, 6)));
/* a x + b y = c: (1, 0, 3) is the vertical line at x = 3. */
void hsp__panel_rule(hsp__panel *panel, double a, double b, double c, hsp__style style);
/* Bars of a width in the units of the axis. */
void hsp__panel_bars(hsp__panel *panel, uint64_t count, const double *x, const double *y,
                     double width, int sideways, hsp__style style);
/* A grid of values, the first at the lower left, row after row, over [x0, x1] x [y0, y1]; NaN: not
 * drawn. */
void hsp__panel_cells(hsp__panel *panel, uint32_t nx, uint32_t ny, double x0, double x1, double y0,
                      double y1, const double *values, hsp__scale scale, double low, double high);
/* A colour bar for the panel's last cells. */
void hsp__panel_bar(hsp__panel *panel, const char *label);

/* ---- Grids of values (contour.c) ---- */

/* Values at the nodes of a grid: values[j * nx + i] at (x0 + i dx, y0 + j dy), where the first and
 * last nodes lie on the ends of the ranges. */
typedef struct hsp__grid {
    uint32_t nx, ny; /* at least 2 */
    double x0, x1, y0, y1;
    const double *values;
} hsp__grid;

/* The lines where the value is `level`, and the region where it is at least `level` (marching
 * squares). */
void hsp__panel_contour(hsp__panel *panel, const hsp__grid *grid, double level, hsp__style style);
void hsp__panel_region(hsp__panel *panel, const hsp__grid *grid, double level, hsp__style style);

/* ---- Names and numbers for labels ---- */

/* A text that is fit to be shown: valid UTF-8, control characters and what is not UTF-8 as U+FFFD, at
 * most `most` characters ("…" at the end of longer ones). `out` has 4 bytes more than three for each
 * byte of the text, or than four for each of `most`. */
void hsp__clean_text(const char *text, size_t most, char *out);
/* Such a copy; NULL: no memory. */
char *hsp__figure_copy(hsp_figure *figure, const char *text, size_t most);

/* The decimal of a number in as few digits as six significant ones need: "0.25", "-1e+300". */
#define HSP__LABEL 32
const char *hsp__label_number(double value, char label[HSP__LABEL]);
const char *hsp__label_count(uint64_t count, char label[HSP__LABEL]); /* 1,234,567 */

/* ---- Kinds ---- */

/* The probability above which the model predicts the second of two classes, so that its decision need
 * not change where the score is 0; 0: it decides by scores, or has more classes. */
static inline double hsp__plot_threshold(const hsp_model *model)
{
    const double threshold = hsp_model_threshold(model);
    if (threshold > 0 || hsp_model_classes(model) != 2) return threshold;
    return hsp_model_has_probabilities(model) && strcmp(hsp_model_calibration(model), "none") != 0
               ? 0.5
               : 0;
}

/* The data as the m-th model reads it. */
static inline hsp_data *hsp__plot_data(const hsp_plot_input *input, size_t m)
{
    return input->data[m < input->data_count ? m : 0];
}

typedef struct hsp__plot_kind {
    hsp_option_table table;
    hsp_plot_needs needs;
    /* Fill a new figure. The input has what `needs` says. */
    hsp_status (*build)(hsp_context *ctx, const hsp_plot_input *input, const hsp_options *options,
                        hsp_figure *figure, hsp_error *err);
    /* The number of frames; NULL: the kind has none. */
    hsp_status (*frames)(hsp_context *ctx, const hsp_plot_input *input, hsp_error *err,
                         uint64_t *out);
} hsp__plot_kind;

extern const hsp__plot_kind hsp__plot_rows; /* plot_rows.c */
extern const hsp__plot_kind hsp__plot_steps, hsp__plot_slack, hsp__plot_hulls,
    hsp__plot_neighbors; /* plot_steps.c, ... */
extern const hsp__plot_kind hsp__plot_roc, hsp__plot_pr, hsp__plot_calibration, hsp__plot_lift;
extern const hsp__plot_kind hsp__plot_confusion, hsp__plot_weights, hsp__plot_importance;
extern const hsp__plot_kind hsp__plot_convergence, hsp__plot_tuning, hsp__plot_losses,
    hsp__plot_mistakes, hsp__plot_learning;

#endif
