/* Rows as points, a mark per class; of many rows a sample. */
#ifndef HSP_SHOW_CLASS_POINTS_H
#define HSP_SHOW_CLASS_POINTS_H

#include "show/figure.h"

/* The rows to draw: all, or, of more than `most`, a random sample and `also`, and a note. In `memory`,
 * freed with it. */
hsp_status hsp__row_sample(hsp_figure *figure, const hsp_data *data, uint64_t most,
                           const uint64_t *also, uint64_t also_count, hsp__scratch *memory,
                           hsp_error *err, uint64_t **rows, uint64_t *count);

typedef struct hsp__class_points {
    const hsp_model *model; /* whose classes they are; NULL: those of the data */
    const hsp_data *data;
    uint64_t count;
    const uint64_t *rows;     /* count: their numbers; NULL: 0, 1, ... */
    const double *x, *y;      /* of each number */
    const uint32_t *class_of; /* of each number; HSP_NO_CLASS: none */
    double size;
    int nameless; /* not in the legend */
} hsp__class_points;

void hsp__class_points_draw(const hsp__class_points *points, hsp__panel *panel);

/* The radius of points, by how many there are. */
double hsp__point_size(uint64_t count);

#endif
