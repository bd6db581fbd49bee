/* The numbers of a text file as they are written there: a second reading, for statements that must
 * hold for the decimals and not only for their roundings in memory. */
#ifndef HSP_DATA_DECIMALS_H
#define HSP_DATA_DECIMALS_H

#include <stddef.h>

#include "data/decimal_value.h"
#include "halfspace_all.h"

/* One number of a row. */
typedef struct hsp__decimal_entry {
    uint64_t column; /* of the data set, from 0 */
    const char *text;
    size_t size;
} hsp__decimal_entry;

/* The numbers of one row, by column: those that libsvm text lists; in a table, those of its number
 * columns that are not missing. */
typedef hsp_status (*hsp__decimals_fn)(void *user, uint64_t row, const hsp__decimal_entry *entries,
                                       uint64_t count, hsp_error *err);

/* Can the file be read again, and does it hold decimals? Not standard input, a pipe, or a binary
 * file. */
hsp_status hsp__decimals_there(hsp_context *ctx, const char *path, hsp_error *err, int *there);

/* Read the file that `data` was read from with `options` (NULL: the defaults) once more, and call
 * `fn` for every row in order. HSP_BAD_DATA when it no longer has the same number of rows. */
hsp_status hsp__decimals_read(hsp_context *ctx, const char *path, const hsp_options *options,
                              const hsp_data *data, hsp__decimals_fn fn, void *user,
                              hsp_error *err);

#endif
