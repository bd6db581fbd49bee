/* Parallel reading of text, the same for every format.
 *
 * The input is cut into blocks of whole records. Workers take the next block (one at a time), parse
 * it into scratch memory of their own (in parallel), then, strictly in the order of the file,
 * reserve the place of their rows in the result, and copy them there (in parallel again). So one
 * pass reads files, pipes and compressed input alike, memory holds the result and a few blocks, and
 * the result cannot depend on the number of threads. The first error in the order of the file is
 * the one reported. */
#ifndef HSP_DATA_BLOCKS_H
#define HSP_DATA_BLOCKS_H

#include <stddef.h>

#include "data/source.h"
#include "halfspace_all.h"

/* Bytes that may be read (not used) behind a block's text. */
#define HSP__BLOCK_PADDING 64

typedef struct hsp__block {
    const char *text; /* size bytes: whole records, each ended by a newline but perhaps the last */
    size_t size;
    uint64_t number;  /* ascending in the file, 0 for its first block */
    uint64_t lines;   /* set by parse: the newlines in the text (the lines of the file it spans) */
    uint32_t part;    /* of the source: a block is in one part */
    uint64_t skipped; /* lines of that part before its first block */
} hsp__block;

typedef struct hsp__blocks hsp__blocks;

/* What a format does. `self` is the reader, `worker` 0..workers-1 says whose scratch to use.
 * In errors that parse raises, line is counted from 1 within the block: the caller makes it the
 * line of the file. */
typedef struct hsp__block_format {
    int quoted; /* records may hold newlines between double quotes */
    hsp_status (*parse)(void *self, int worker, hsp__block *block, hsp_error *err);
    hsp_status (*reserve)(void *self, int worker, hsp__blocks *run, hsp_error *err); /* or NULL */
    void (*place)(void *self, int worker);                                           /* or NULL */
} hsp__block_format;

/* The number of workers that hsp__blocks_run will use at most: make that many scratches. */
int hsp__blocks_workers(hsp_context *ctx, const hsp__source *source);

hsp_status hsp__blocks_run(hsp_context *ctx, hsp__source *source, const hsp__block_format *format,
                           void *self, int workers, hsp_error *err);

/* For reserve, before it moves memory that others may be copying into: wait until no place is
 * under way. */
void hsp__blocks_settle(hsp__blocks *run);

/* The file of the block being reserved, and the line at which it starts, from 1. For reserve only. */
uint32_t hsp__blocks_part(const hsp__blocks *run);
const char *hsp__blocks_file(const hsp__blocks *run);
uint64_t hsp__blocks_first_line(const hsp__blocks *run);

#endif
