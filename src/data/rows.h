/* Rows that grow block by block into a data set, in the storage that suits them.
 *
 * Sparse blocks come in; whether the result is dense rows, sparse rows or sparse rows of ones is
 * decided as they come, so that no second copy of the data is ever made in the usual case: the
 * first block tells dense from sparse (and a later one may overrule it), and the array of values
 * appears with the first value other than one. */
#ifndef HSP_DATA_ROWS_H
#define HSP_DATA_ROWS_H

#include "base/names.h"
#include "data/blocks.h"
#include "data/data.h"
#include "halfspace_all.h"

/* A block of parsed rows, in its worker's memory. */
typedef struct hsp__rows_block {
    uint64_t rows, stored;
    uint64_t cols; /* 1 + the largest column named */
    int all_ones;
    uint32_t *lengths;   /* rows: entries of each row */
    uint32_t *labels;    /* rows: numbers of the worker's own label names */
    uint32_t *indices;   /* stored */
    void *values;        /* stored, float or double */
    size_t text_size;    /* bytes of text it came from */
    uint64_t row, entry; /* where it goes, once reserved */
} hsp__rows_block;

typedef struct hsp__rows {
    hsp_context *ctx;
    hsp_precision precision;
    int choose; /* storage auto */
    int dense;  /* rows go into dense rows of `stride` columns */
    uint64_t rows, cols, stored;
    uint64_t rows_room, stored_room, stride;
    uint64_t text_total; /* bytes of text to come in all, 0: not known */
    uint64_t *starts;    /* sparse: rows_room + 1 */
    uint32_t *indices;   /* sparse: stored_room */
    void *values; /* sparse: stored_room, or NULL while all are ones; dense: rows_room * stride */
    uint32_t *labels; /* rows_room */
} hsp__rows;

/* `storage` is the read option: auto, dense, sparse or ones. */
void hsp__rows_init(hsp__rows *rows, hsp_context *ctx, hsp_precision precision, const char *storage,
                    uint64_t text_total);
void hsp__rows_free(hsp__rows *rows);

/* Make room for a block; in the order of the file. */
hsp_status hsp__rows_reserve(hsp__rows *rows, hsp__rows_block *block, hsp__blocks *run,
                             hsp_error *err);

/* Move every row so far one column up; in the order of the file, or after its end (`run` NULL). 0 when there is no memory. */
int hsp__rows_shift(hsp__rows *rows, hsp__blocks *run);

/* Copy it there; in parallel. label_map[worker's label number] is the number in the file. */
void hsp__rows_copy(hsp__rows *rows, const hsp__rows_block *block, const uint32_t *label_map);

/* The rows of a block as dense rows of `stride` numbers each. */
void hsp__rows_scatter(const hsp__rows_block *block, hsp_precision precision, void *dense,
                       uint64_t stride);

/* Hand the arrays over to a new data set of `cols` columns (at least those seen), class names
 * sorted and labels with them. `classes` is left empty. */
hsp_status hsp__rows_finish(hsp__rows *rows, hsp__names *classes, uint64_t cols, hsp_error *err,
                            hsp_data **out);

#endif
