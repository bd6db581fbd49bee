/* Rows with the same numbers, in one file or in two, however they are stored. */
#ifndef HSP_PROVE_SAME_H
#define HSP_PROVE_SAME_H

#include "base/context.h"
#include "data/data.h"

/* The same for equal rows. */
typedef struct hsp__same_key {
    uint64_t hash, row;
} hsp__same_key;

/* One key a row, ascending by hash, then row; ctx's allocator. NULL: no memory. */
hsp__same_key *hsp__same_keys(hsp_context *ctx, const hsp_view *view);

/* Is row i of `other` among those of `view`, whose keys these are? */
int hsp__same_find(const hsp_view *view, const hsp__same_key *keys, const hsp_view *other,
                   uint64_t i);

/* Round all values to single precision, in place; the data is in double. */
void hsp__same_round(hsp_data *data);

#endif
