/* Streamed rows: a file or pipe read block by block and never held whole. Prediction and
 * one-pass learning are sinks.
 *
 * It is the pipeline of blocks.h with another end: a block of text is parsed in parallel; `work`
 * sees its rows, in parallel; `take` sees them in the order of the file, one block at a time. The
 * rows are those of hsp_data_read, to the bit, and their storage is its choice for the beginning of
 * the file: so a file of up to HSP__STREAM_PROBE bytes passes in the storage that reading it whole
 * would give.
 *
 * What a stream cannot do: move rows that have gone. Columns are numbered from 0 if an index 0 is
 * among the first HSP__STREAM_PROBE bytes; one that comes later is an error which says so. */
#ifndef HSP_DATA_STREAM_H
#define HSP_DATA_STREAM_H

#include "base/names.h"
#include "data/source.h"
#include "halfspace_all.h"

#define HSP__STREAM_PROBE ((size_t)256 << 10)

/* How the rows came to be what they are, as a data set would have kept it. Known before the first
 * row goes, so that it is there even when not all of them do. Zeroed and its names initialised by
 * the caller, who owns what it gets. */
typedef struct hsp__row_origin {
    hsp_encoding *encoding;   /* of CSV, or of a cache that has one; NULL: none. Of CSV its classes
                                 are for the caller to fill in: they come with the rows */
    hsp__names feature_names; /* or none */
    const char *index_base;   /* "0" or "1": the first column's number in libsvm text; NULL: none */
} hsp__row_origin;

/* The text that the rows of a block were read from. */
typedef struct hsp__row_texts {
    const char *text; /* size bytes: the block's records, HSP__BLOCK_PADDING bytes behind them */
    size_t size;
    const uint64_t *lines; /* rows: the line of the block, from 1, at which each begins */
} hsp__row_texts;

/* A record that cannot be read. */
typedef struct hsp__bad_row {
    uint64_t before; /* rows of the block that stand before it */
    uint64_t line;   /* of the file, from 1 */
    const char *message;
    const char *record; /* size bytes, as it stands in the file, its newline included */
    size_t size;
} hsp__bad_row;

/* From a pipe, rows may be passed on as they come, without a look at those behind them. */
typedef enum hsp__live {
    HSP__LIVE_NO,
    HSP__LIVE_AUTO, /* if the options leave nothing to be found out by looking at more rows */
    HSP__LIVE_NOW   /* in any case, and none is waited for */
} hsp__live;

typedef struct hsp__row_sink {
    /* Before the first row: the names of the columns of a CSV file (none: there is nothing in the
     * file), and its separator; NULL: a file of another format. May be NULL. */
    hsp_status (*begin)(void *self, const hsp__names *columns, char separator, hsp_error *err);
    /* In parallel, before `work`: the text that its rows were read from, valid until `work` is done.
     * Not for a cache, which has none. May be NULL. */
    void (*texts)(void *self, int worker, const hsp__row_texts *texts);
    /* In parallel, `worker` 0 .. hsp_context_threads - 1. rows->labels is NULL here. May be NULL. An error with a
     * line means a row of the block, from 1; it becomes the line of the file. */
    hsp_status (*work)(void *self, int worker, const hsp_view *rows, hsp_error *err);
    /* In order, by the worker that did `work`. rows->labels are numbers in the stream's class
     * names; rows->classes how many there are so far. rows->labels is NULL when the data has none.
     */
    hsp_status (*take)(void *self, int worker, const hsp_view *rows, hsp_error *err);
    /* In order, before `take` gets the block's rows, which may be none: the records of the block that
     * cannot be read, under the option on-error=skip. Valid until it returns. May be NULL. */
    hsp_status (*bad)(void *self, int worker, const hsp__bad_row *rows, uint64_t count,
                      hsp_error *err);
    int unlabelled; /* labels are not wanted: none are passed on, and CSV rows without them
                       are rows like others */
    hsp__live live;
    int partial; /* a request to stop while a pipe of text is waited for: the rows that came before it
                    are passed on first */
    int none;    /* a file without rows is no error */
    const hsp_storage
        *storage; /* rows are wanted dense, or sparse (or ones); NULL: as the options say.
                     A block that would be far too large as dense rows stays sparse */
    hsp__row_origin *origin; /* gets it; NULL: nobody asks */
} hsp__row_sink;

/* Pass all rows of `path` to the sink. `options` as for hsp_data_read, NULL for the defaults.
 * `encoding` NULL: CSV must be numbers (a text column is an error that says an encoding is needed).
 * `classes` may hold names beforehand; labels not among them are added in the order they appear (a
 * cache: all at the beginning, in its own order). Each block's view has the columns that the block
 * names, at least those the option `features` asks for (text), or all of them (CSV, cache). A
 * binary cache is passed in slices. */
hsp_status hsp__stream_read(hsp_context *ctx, const char *path, const hsp_options *options,
                            const hsp_encoding *encoding, hsp__names *classes,
                            const hsp__row_sink *sink, void *self, hsp_error *err);

/* For the formats: what hsp__stream_read was given. */
typedef struct hsp__stream {
    hsp_context *ctx;
    const hsp_options *options; /* never NULL */
    const hsp_encoding *encoding;
    hsp__names *classes;
    const hsp__row_sink *sink;
    void *self;
} hsp__stream;

hsp_status hsp__libsvm_stream(const hsp__stream *of, hsp__source *source, hsp_error *err);
hsp_status hsp__csv_stream(const hsp__stream *of, hsp__source *source, int tabs, hsp_error *err);
hsp_status hsp__stream_cache(const hsp__stream *stream, hsp__source *source, const char *path,
                             hsp_error *err);

/* Should rows be dense, by the sink, else by the option, else by what the probe found? */
int hsp__stream_dense(const hsp__stream *stream, int probed);

/* The whole lines at the beginning of the source, up to HSP__STREAM_PROBE bytes, copied with
 * HSP__BLOCK_PADDING zeros behind; the caller frees it. */
hsp_status hsp__stream_probe(const hsp__stream *stream, hsp__source *source, hsp_error *err,
                             char **text, size_t *size);

/* Hand the origin over, if the sink asks for it: a copy of the encoding (or NULL) and the names
 * given. */
hsp_status hsp__stream_origin(const hsp__stream *stream, const hsp_encoding *encoding,
                              const hsp__names *feature_names, hsp_error *err);

/* Before the first block. */
hsp_status hsp__stream_begin(const hsp__stream *stream, const hsp__names *columns, char separator,
                             hsp_error *err);

/* Hand a block over. An error's line is a row of the block, and becomes its line in the text; NULL:
 * rows are all there is. */
hsp_status hsp__stream_work(const hsp__stream *stream, int worker, const hsp_view *rows,
                            const hsp__row_texts *texts, hsp_error *err);
hsp_status hsp__stream_take(const hsp__stream *stream, int worker, hsp_view *rows,
                            const uint32_t *labels, hsp_error *err);
/* Before that. */
hsp_status hsp__stream_bad(const hsp__stream *stream, int worker, const hsp__bad_row *rows,
                           uint64_t count, hsp_error *err);

#endif
