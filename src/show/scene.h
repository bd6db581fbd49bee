/* The geometry of a separator in the plane of a panel: lines, lengths, rings around rows. */
#ifndef HSP_SHOW_SCENE_H
#define HSP_SHOW_SCENE_H

#include "show/plane_separator.h"

#define HSP__SLACK_LEAST 1e-3 /* less slack than this is within the tolerance of solvers */

typedef enum hsp__show {
    HSP__SHOW_MARGINS,   /* where s(x) is -1 and 1 */
    HSP__SHOW_GEOMETRIC, /* the geometric margin: the distance of the nearest row */
    HSP__SHOW_SUPPORT,   /* rings around support vectors */
    HSP__SHOW_W,         /* the vector w, from the boundary */
    HSP__SHOW_DISTANCES, /* from each row to the boundary */
    HSP__SHOW_ORIGIN,    /* the distance d_O of the boundary from the origin */
    HSP__SHOW_SLACK,     /* from each row that has slack to its margin line */
    HSP__SHOW_HULLS,     /* the convex hull of each class */
    HSP__SHOW_MISTAKES,  /* crosses over rows that the model gets wrong */
    HSP__SHOW_NUMBERS    /* the numbers of the rows, from 1 */
} hsp__show;

typedef struct hsp__scene {
    hsp__panel *panel;
    unsigned shown; /* 1 << what, of all that will be drawn */
    uint64_t count; /* rows */
    const double *x, *y;
    const uint64_t *numbers;               /* count: of the rows, from 0; NULL: 0, 1, ... */
    const uint32_t *class;                 /* count */
    const double *margin;                  /* count: y s(x); NaN: none */
    const unsigned char *ring;             /* count: support vectors */
    const char *ring_name;                 /* what they are called */
    const unsigned char *wrong;            /* count: mistakes */
    const hsp__plane_separator *separator; /* NULL: none */
    const char *zero;                      /* what the line s(x) = 0 is called: "the boundary" */
    double least; /* the least y s(x) of all rows, also of those that are not here; its row: */
    double least_at[2];
    uint64_t not_right; /* rows with y s(x) <= 0, likewise */
    double w_share;     /* how long w is drawn, relative to its length; set by hsp__scene_widen */
    double origin[2];   /* where the origin is in the plane */
    double radius;      /* of the points, in pixels */
    double low[2], high[2]; /* of the axes */
    int uneven; /* the horizontal axis runs across the boundary, the vertical one has another unit */
} hsp__scene;

/* Widen the ranges so that they contain what will be drawn. */
void hsp__scene_widen(hsp__scene *o);

/* Draw the line s(x) = level, if it crosses the frame: does it? */
int hsp__scene_level(const hsp__scene *o, double level, hsp__style style);

/* Draw one of these; what it needs (separator, margins, flags) is there. */
void hsp__scene_draw(const hsp__scene *o, hsp__show what);

#endif
