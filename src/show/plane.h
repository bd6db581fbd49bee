/* The plane that rows are drawn in: two axes, each a feature, a column of categories, a principal
 * axis of the rows, or their class; or the direction across a hyperplane and one along it. */
#ifndef HSP_SHOW_PLANE_H
#define HSP_SHOW_PLANE_H

#include "show/figure.h"

typedef enum hsp__plane_kind {
    HSP__PLANE_FEATURE,    /* the value of a feature */
    HSP__PLANE_CATEGORIES, /* of a column of the file: the number of the category, from 0 */
    HSP__PLANE_PRINCIPAL,  /* along a direction of large variance, in standard deviations */
    HSP__PLANE_CLASS,      /* the class of the row, where the data has one feature only */
    HSP__PLANE_DIRECTION   /* along a direction, in the units of the features */
} hsp__plane_kind;

enum { HSP__PLANE_LABEL = 320 }; /* bytes */

typedef struct hsp__plane_axis {
    hsp__plane_kind kind;
    uint64_t column;   /* of the feature, or of the first category */
    uint32_t count;    /* of categories or classes */
    double *direction; /* cols, of length 1; principal: of standardised features */
    double shift;      /* direction: a row x is at <direction, x> + shift */
    char label[HSP__PLANE_LABEL];
    double low, high; /* of the rows */
} hsp__plane_axis;

typedef struct hsp__plane {
    hsp_context *ctx;
    const hsp_model *model; /* for the names of features; NULL: none */
    hsp_data *data;
    const hsp_view *view;
    const double *across; /* cols: weights of a separator; NULL: none. If x and y are not named, the
                              axes are its signed distance and a direction along its boundary */
    double across_offset; /* b of that separator */
    double *mean, *deviation; /* cols, of the rows that were counted */
    hsp__plane_axis axes[2];  /* x and y */
    hsp__scratch memory;
} hsp__plane;

/* Choose the axes by the options x and y (names or numbers from 1; NULL: by the data: two features,
 * or principal axes), from the rows for which `known` (by label; NULL: all) is set; `sample` has
 * those that are drawn. Free
 * the plane, also after a failure. */
hsp_status hsp__plane_open(hsp__plane *plane, const char *x, const char *y, const char *known,
                           const uint64_t *sample, uint64_t count, hsp_error *err);
void hsp__plane_free(hsp__plane *plane);

/* Where a row is. Categories and classes are spread a little around their number, always the same
 * way. */
void hsp__plane_place(const hsp__plane *plane, uint64_t row, double at[2]);

/* Give a panel the plane's axes. */
void hsp__plane_axes(const hsp__plane *plane, hsp__panel *panel);

/* The row at a place: other features have their mean. `row` has cols numbers. */
void hsp__plane_row(const hsp__plane *plane, double x, double y, double *row);

#endif
