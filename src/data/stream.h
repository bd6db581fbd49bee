/* Rows that pass by: a file or pipe read block by block and never held whole. Prediction and
 * one-pass learning are sinks.
 *
 * It is the pipeline of blocks.h with another end: a block of text is parsed in parallel; `work`
 * sees its rows, in parallel; `take` sees them in the order of the file, one block at a time. */
#ifndef HSP_DATA_STREAM_H
#define HSP_DATA_STREAM_H

#include "base/names.h"
#include "halfspace.h"

typedef struct hsp__row_sink {
    /* In parallel, `worker` 0..workers-1. rows->labels is NULL here. May be NULL. */
    hsp_status (*work)(void *self, int worker, const hsp_view *rows, hsp_error *err);
    /* In order. rows->labels are numbers in the stream's class names; rows->classes how many there
     * are so far. rows->labels is NULL when the data has none. */
    hsp_status (*take)(void *self, int worker, const hsp_view *rows, hsp_error *err);
} hsp__row_sink;

/* How many workers a stream may use: make that much scratch. */
int hsp__stream_workers(hsp_context *ctx);

/* Pass all rows of `path` to the sink. `options` as for hsp_data_read, NULL for the defaults.
 * `encoding` NULL: CSV must be numbers (a text column is an error that says an encoding is needed).
 * `classes` may hold names beforehand; labels not among them are added in the order they appear.
 * Each block's view has the columns seen so far (text) or all of them (CSV, cache). A binary cache
 * is passed in slices. */
hsp_status hsp__stream_read(hsp_context *ctx, const char *path, const hsp_options *options,
                            const hsp_encoding *encoding, hsp__names *classes,
                            const hsp__row_sink *sink, void *self, hsp_error *err);

#endif
