/* Weights of rows, from a column, and of classes: options `row-weight` and `weight`. */
#ifndef HSP_LEARN_ROW_WEIGHTS_H
#define HSP_LEARN_ROW_WEIGHTS_H

#include "data/data.h"

/* The column that a user means by `text`: a name, or a number as the file counts (libsvm text from
 * its index base; CSV with all columns of the file, the label too, from 1; else from 1). */
hsp_status hsp__row_weights_column(const hsp_data *data, const char *text, hsp_error *err,
                                   uint64_t *column);

/* The values of a column as weights of the rows (rows of them, the caller frees). HSP_BAD_DATA for
 * a negative one, or when all are 0. `origin` as in hsp__evidence_new. */
hsp_status hsp__row_weights_rows(hsp_context *ctx, const hsp_data *data, uint64_t column,
                                 const uint64_t *origin, hsp_error *err, double **out);

/* The weights that a column (option `row-weight`) or the data set itself gives its rows; *out is
 * NULL when neither does. The caller frees it. */
hsp_status hsp__row_weights_of(hsp_context *ctx, const hsp_data *data, const hsp_options *options,
                               hsp_error *err, double **out);

/* Set a column of data that owns its arrays to 0 in every row. */
void hsp__row_weights_blank(hsp_data *data, uint64_t column);

/* The weight of every class (classes of them, all 1 without the option); *balanced: it was
 * "balanced" instead. HSP_USAGE for a class that is not there, or a weight that is not positive. */
hsp_status hsp__row_weights_classes(hsp_context *ctx, const hsp_options *options,
                                    const hsp__names *classes, hsp_error *err, double *weight,
                                    int *balanced);

#endif
