/* A copy of a data set in another storage or precision, its numbers perhaps scaled on the way: what
 * restoring and scaling share. */
#ifndef HSP_DATA_CONVERT_STORAGE_H
#define HSP_DATA_CONVERT_STORAGE_H

#include "halfspace_all.h"

typedef struct hsp__storage_change {
    hsp_storage storage;
    hsp_precision precision;
    uint64_t cols;        /* at least the data's; columns that it lacks are zeros */
    const double *shift;  /* cols, or NULL; all zero unless storage is dense */
    const double *factor; /* cols, with shift: x <- (x - shift) * factor; votes: 1 or 0 */
    int votes;            /* x <- 1 above 0, `below` (times factor, if there is one) below, or 0 */
    double below;         /* votes: -1 or 0 */
    int unit_rows;        /* every row divided by its norm, zero rows left alone */
    const char *phase;    /* for progress */
} hsp__storage_change;

/* Numbers are computed in double and rounded to the precision once. Those that become zero are not
 * stored in sparse rows. HSP_BAD_DATA with row and column for one that becomes infinite; HSP_USAGE
 * with row and column for one that is neither 0 nor 1 when the storage is ones. */
hsp_status hsp__data_convert_storage(hsp_context *ctx, hsp_data *data,
                                     const hsp__storage_change *plan, hsp_error *err,
                                     hsp_data **out);

/* The rows of `first`, then those of `second`, unlabelled, in the storage of `second` and with its
 * columns, of which `first` has no more; sparse where only `second` is ones. Names are those of
 * `second`. */
hsp_status hsp__data_join(hsp_context *ctx, hsp_data *first, hsp_data *second, hsp_error *err,
                          hsp_data **out);

#endif
