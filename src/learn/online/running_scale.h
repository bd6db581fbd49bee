/* Standard scaling of streamed rows: row t is scaled by the means and standard deviations of rows 1
 * to t, itself included; the scaling of the model is that of all rows. Sparse rows stay sparse: their
 * columns are divided by the standard deviation, and not centred. The result depends on the rows and
 * their order alone, not on blocks. */
#ifndef HSP_LEARN_ONLINE_RUNNING_SCALE_H
#define HSP_LEARN_ONLINE_RUNNING_SCALE_H

#include "halfspace_all.h"

typedef struct hsp__running_scale {
    uint64_t rows, cols; /* so far */
    int centred;         /* decided by the first rows: are they dense? */
    double *mean;        /* cols; not centred: the sums */
    double *square; /* cols: sums of squared differences from the mean; not centred: of squares */
    uint64_t mean_room, square_room;
    void *values; /* of the scaled rows */
    uint64_t values_room;
} hsp__running_scale;

/* The rows, scaled; *out is valid until the next call. */
hsp_status hsp__running_scale_rows(hsp_context *ctx, hsp__running_scale *scale,
                                   const hsp_view *rows, hsp_error *err, hsp_view *out);
/* The scaling of all rows so far, for `cols` columns. */
hsp_status hsp__running_scale_end(hsp_context *ctx, hsp__running_scale *scale, uint64_t cols,
                                  hsp_error *err, hsp_scaling **out);
void hsp__running_scale_free(hsp_context *ctx, hsp__running_scale *scale);

#endif
