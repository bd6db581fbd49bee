/* Rows with the same numbers, in one file or in two, however they are stored. */
#ifndef HSP_PROVE_DUPLICATE_ROWS_H
#define HSP_PROVE_DUPLICATE_ROWS_H

#include "base/context.h"
#include "data/data.h"

/* The same for equal rows. */
typedef struct hsp__duplicate_rows_key {
    uint64_t hash, row;
} hsp__duplicate_rows_key;

/* One key a row, ascending by hash, then row; ctx's allocator. NULL: no memory. */
hsp__duplicate_rows_key *hsp__duplicate_rows_keys(hsp_context *ctx, const hsp_view *view);

/* Is row i of `other` among those of `view`, whose keys these are? */
int hsp__duplicate_rows_find(const hsp_view *view, const hsp__duplicate_rows_key *keys,
                             const hsp_view *other, uint64_t i);

/* Round all values to single precision, in place; the data is in double. */
void hsp__duplicate_rows_round(hsp_data *data);

#endif
