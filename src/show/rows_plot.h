/* What the kind `rows` shares with what its option show adds (rows_geometry.c). */
#ifndef HSP_SHOW_ROWS_PLOT_H
#define HSP_SHOW_ROWS_PLOT_H

#include "show/plane.h"

typedef struct hsp__rows_plot {
    hsp_context *ctx;
    const hsp_plot_input *input;
    const hsp_options *options;
    hsp_figure *figure;
    hsp__panel *panel;
    const hsp_model *model; /* the first; NULL: none */
    hsp_data *data;         /* NULL: none */
    const hsp_view *view;
    hsp__plane plane;
    uint32_t classes;    /* of the model, or of the data without one; at least 1 */
    uint64_t count;      /* rows that are shown: */
    uint64_t *rows;      /* their numbers in the data */
    uint32_t *class_of;  /* their classes, of the model if there is one; HSP_NO_CLASS: none */
    double *x, *y;       /* their places */
    double radius;       /* of their points, in pixels */
    hsp__scratch memory; /* freed with the plot */
    unsigned shown;      /* bits of hsp__show (scene.h) */
    struct hsp__rows_geometry *geometry; /* of rows_geometry.c; NULL: nothing is to be added */
} hsp__rows_plot;

enum {
    HSP__ROWS_NODES_X = 181, /* of the grid on which models are asked */
    HSP__ROWS_NODES_Y = 141,
    HSP__ROWS_NODES = HSP__ROWS_NODES_X * HSP__ROWS_NODES_Y
};

/* Values of the model's scorer (or, with several, of what `value` computes from the scores of one
 * node) at the nodes of a grid over the panel's frame, in plot->memory. */
typedef double (*hsp__node_value)(void *user, const double *scores, uint32_t predicted);
hsp_status hsp__rows_grid(hsp__rows_plot *plot, const hsp_model *model, hsp__node_value value,
                          void *user, hsp_error *err, hsp__grid *out);

#endif
