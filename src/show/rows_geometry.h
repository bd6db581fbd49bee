/* The overlays of the kind `rows`: what its option show can name. */
#ifndef HSP_SHOW_ROWS_GEOMETRY_H
#define HSP_SHOW_ROWS_GEOMETRY_H

#include "show/rows_plot.h"

/* The names in the option show (NULL: none), as bits of plot->shown. HSP_USAGE for a name that there
 * is not, and for what the model does not have. */
hsp_status hsp__rows_geometry_parse(hsp__rows_plot *plot, const char *text, hsp_error *err);

/* Lengths are asked for, and the rows have more features than a plane: the weights of the separator
 * (columns of the data) that the plane must be made for, and its offset. *w NULL: any plane will do. */
hsp_status hsp__rows_geometry_plane(hsp__rows_plot *plot, hsp_error *err, double **w, double *b);

/* After the panel has its axes and the rows their places: widen the axes, so that they contain what
 * will be drawn. */
hsp_status hsp__rows_geometry_prepare(hsp__rows_plot *plot, hsp_error *err);

/* Draw what is shown under the points (1), or over them (0). */
hsp_status hsp__rows_geometry_draw(hsp__rows_plot *plot, int under, hsp_error *err);

#endif
