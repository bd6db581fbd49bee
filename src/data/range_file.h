/* Range files of svm-scale, read for scale.c. */
#ifndef HSP_DATA_RANGE_FILE_H
#define HSP_DATA_RANGE_FILE_H

#include "halfspace_all.h"

typedef struct hsp__range {
    double low, high;       /* the bounds of scaled values */
    int base;               /* the number of the first column, 0 or 1 */
    uint64_t cols;          /* up to the last one that has a line */
    double *shift, *factor; /* cols: x <- (x - shift) factor; 0 and 0 for columns without a line */
} hsp__range;

/* HSP_BAD_DATA with file, line and column; then there is nothing to free. */
hsp_status hsp__range_read(hsp_context *ctx, const char *path, hsp_error *err, hsp__range *out);
hsp_status hsp__range_parse(hsp_context *ctx, const char *text, size_t size, const char *name,
                            hsp_error *err, hsp__range *out);
void hsp__range_free(hsp_context *ctx, hsp__range *range);

#endif
