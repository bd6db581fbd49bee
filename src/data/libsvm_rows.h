/* Parsing libsvm text in blocks (libsvm.c): what reading a whole file and passing its rows by
 * (libsvm_stream.c) share. */
#ifndef HSP_DATA_LIBSVM_ROWS_H
#define HSP_DATA_LIBSVM_ROWS_H

#include <stdatomic.h>

#include "base/names.h"
#include "data/blocks.h"
#include "data/precision.h"
#include "data/rows.h"

#define HSP__LIBSVM_RECENT 64 /* short labels seen last, found without hashing */
#define HSP__LIBSVM_WIDEST \
    1024 /* columns whose digits are counted one by one; others share the last \
          */

typedef struct hsp__libsvm_recent {
    uint64_t text; /* up to 7 bytes of a label, its size in the top byte; 0: none */
    uint32_t number;
} hsp__libsvm_recent;

/* What one worker parses into. */
typedef struct hsp__libsvm_scratch {
    hsp__rows_block block;
    hsp__rows_place place;
    uint32_t *lengths, *labels; /* rows_room */
    uint64_t *lines;            /* rows_room: of the block, from 1 */
    uint32_t *indices;          /* stored_room */
    void *values;               /* stored_room */
    uint64_t rows_room, stored_room;
    hsp__names names;    /* labels this worker has met */
    uint32_t *label_map; /* names.count (label_map_room): their numbers in the file */
    uint64_t label_map_room;
    uint32_t label_mapped; /* how many of them are known */
    hsp__libsvm_recent recent[HSP__LIBSVM_RECENT];
    uint32_t base;   /* that this block's indices were read with */
    uint64_t past;   /* 1 + the largest index of the block, as written */
    uint64_t number; /* of the block */
    int zeros;       /* an index 0 is in the block; with base 1 it has wrapped around */
    int qid;         /* a "qid:" was met */
    hsp__losses losses;
    hsp__spread spread; /* by the number of a column as written */
    hsp__decimal_widest widest[HSP__LIBSVM_WIDEST];
} hsp__libsvm_scratch;

typedef struct hsp__libsvm_reader {
    hsp_context *ctx;
    const char *name;
    hsp__reading reading;
    hsp__provenance *told;   /* or NULL */
    hsp_precision precision; /* of the values */
    int unlabelled;          /* labels are not wanted: rows need not have one */
    int base_fixed;          /* the user said which number the first column has */
    atomic_uint base;        /* that number: 1, until an index 0 is met somewhere */
    hsp__rows rows;
    hsp__names *classes; /* the caller's */
    int workers;
    hsp__libsvm_scratch *scratch; /* one a worker */
} hsp__libsvm_reader;

/* Scratch for every worker that the source can use; hsp__libsvm_free and hsp__rows_free end it,
 * also after a failure. */
hsp_status hsp__libsvm_start(hsp__libsvm_reader *reader, hsp_context *ctx, hsp__source *source,
                             const hsp_options *options, hsp__reading reading, hsp__names *classes,
                             hsp_error *err);
void hsp__libsvm_free(hsp__libsvm_reader *reader);

/* hsp__block_format's parse: the rows of a block into the worker's scratch. */
hsp_status hsp__libsvm_parse(void *self, int worker, hsp__block *text, hsp_error *err);

/* Give the labels that this worker met for the first time their numbers in the file; 0 when there
 * is no memory. */
int hsp__libsvm_map_labels(hsp__libsvm_reader *reader, hsp__libsvm_scratch *scratch);

/* What the workers met, together. HSP__NEEDS_DOUBLE if a column is narrow. */
hsp_status hsp__libsvm_gather(const hsp__libsvm_reader *reader, hsp__losses *losses,
                              hsp_error *err);

/* The number of the first column, "0" or "1"; and what the user should hear of. */
const char *hsp__libsvm_base(const hsp__libsvm_reader *reader);
void hsp__libsvm_tell(const hsp__libsvm_reader *reader);

#endif
