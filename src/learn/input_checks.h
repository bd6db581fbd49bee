/* Values that a rule cannot learn from, refused with the place they stand at. */
#ifndef HSP_LEARN_INPUT_CHECKS_H
#define HSP_LEARN_INPUT_CHECKS_H

#include "learn/prepare.h"

/* What values may be, and where the first that is not stands. */
typedef struct hsp__input_checks {
    double least, most;
    uint64_t row, column; /* of the one that was found */
    double value;
} hsp__input_checks;

/* Is there a value below `least` or above `most` in rows from..to-1? The first one goes to
 * `values`, by rows, then columns. (Columns that a sparse row does not store are 0 and not looked
 * at.) */
int hsp__input_checks_find(const hsp_view *view, uint64_t from, uint64_t to,
                           hsp__input_checks *values);

/* All values from 0 to 1? Rows that were scaled may be outside by what rounding explains.
 * HSP_BAD_DATA with row and column of the first that is not; rows are counted in `data`, as it was
 * given. */
hsp_status hsp__input_checks_check(hsp_context *ctx, const hsp_data *data,
                                   const hsp_options *options, const hsp__prepared *prepared,
                                   hsp_error *err);

/* The same before the rows are divided among runs (folds, pairs of classes), which could not tell
 * their numbers. Nothing to do for learners that take any values. */
hsp_status hsp__input_checks_admit(hsp_context *ctx, hsp_data *data, const hsp_options *options,
                                   hsp_error *err);

/* Of a block of a stream, or a single row: the line is the row's number in the block, from 1.
 * `above`: values above 1 are fine, since rows are to be divided by their lengths. `names` and
 * `index_base` as in a data set, to name the column by; NULL: counted from 1. `advice` ends the
 * sentence. */
hsp_status hsp__input_checks_check_block(const hsp_view *rows, int above, const hsp__names *names,
                                         const char *index_base, const char *advice,
                                         hsp_error *err);

#define HSP__VALUES_STREAM \
    "scale the file first, or train without --stream and with --scale min-max"

#endif
