/* Which rows of how many go to the test part. */
#ifndef HSP_DATA_SPLIT_H
#define HSP_DATA_SPLIT_H

#include "base/options.h"
#include "halfspace_all.h"

/* The rows to split, by their classes and groups alone. */
typedef struct hsp__split_rows {
    uint64_t rows;
    const uint32_t *labels; /* rows, each below classes; NULL: all rows are one class */
    uint32_t classes;
    const uint32_t
        *groups; /* rows, each below group_count; NULL: every row is a group of its own */
    uint32_t group_count;
} hsp__split_rows;

/* side[i] = 1 for the rows of the test part, 0 for the others. `options`: test, stratified and seed
 * are read; NULL: their defaults. */
hsp_status hsp__split_choose(hsp_context *ctx, const hsp__split_rows *rows,
                             const hsp_options *options, hsp_error *err, unsigned char *side);

/* The rows of hsp_split_options, for tables that have others too. */
#define HSP__SPLIT_OPTIONS                                                               \
    HSP__TEXT("test", "0.25", "SHARE",                                                   \
              "size of the test part: a fraction between 0 and 1, or a number of rows"), \
        HSP__OPTION("stratified", HSP_OPTION_FLAG, "yes", 0, 0, NULL, NULL,              \
                    "keep the proportions of the classes in both parts"),                \
        HSP__INTEGER("seed", "1", 0, 9007199254740992.0, "N", "seed of the random selection")

#endif
