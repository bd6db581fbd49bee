/* The rows of libsvm text as they pass by. */
#include <string.h>

#include "base/context.h"
#include "base/error.h"
#include "base/memory.h"
#include "data/formats.h"
#include "data/libsvm_rows.h"
#include "data/stream.h"

#define LIBSVM_DENSE_LIMIT \
    64 /* a block grows at most about this many times when it becomes dense \
        */

/* The block at hand as a view. */
typedef struct libsvm_passing {
    hsp_view view;
    void *starts; /* rows + 1 of 64 bits */
    uint64_t starts_room;
    void *dense;         /* rows * cols numbers */
    uint64_t dense_room; /* bytes */
} libsvm_passing;

typedef struct libsvm_stream {
    hsp__libsvm_reader reader; /* first: what the parser takes */
    const hsp__stream *stream;
    uint64_t least; /* columns at least */
    int dense;
    libsvm_passing *passing; /* one a worker */
} libsvm_stream;

/* Dense rows in scratch memory, from the sparse ones of the block. */
static int libsvm_make_dense(libsvm_stream *stream, const hsp__libsvm_scratch *scratch,
                             libsvm_passing *passing)
{
    const size_t bytes = hsp__value_bytes(passing->view.precision);
    hsp_view *view = &passing->view;
    const uint64_t rows = view->rows, cols = view->cols;
    uint64_t entry = 0;
    if (cols && rows > UINT64_MAX / bytes / cols) return 0;
    if (!hsp__reserve(&stream->reader.ctx->allocator, &passing->dense, &passing->dense_room,
                      rows * cols * bytes, 1))
        return 0;
    view->storage = HSP_DENSE;
    view->stride = cols;
    view->values = passing->dense;
    if (!passing->dense) return 1; /* rows of no columns */
    memset(passing->dense, 0, rows * cols * bytes);
    for (uint64_t i = 0; i < rows; i++)
        for (uint32_t k = 0; k < scratch->lengths[i]; k++, entry++)
            memcpy((char *)passing->dense + (i * cols + scratch->indices[entry]) * bytes,
                   (const char *)scratch->values + entry * bytes, bytes);
    return 1;
}

static int libsvm_make_sparse(libsvm_stream *stream, const hsp__libsvm_scratch *scratch,
                              libsvm_passing *passing)
{
    hsp_view *view = &passing->view;
    if (!hsp__reserve(&stream->reader.ctx->allocator, &passing->starts, &passing->starts_room,
                      view->rows + 1, sizeof(uint64_t)))
        return 0;
    uint64_t *starts = passing->starts;
    starts[0] = 0;
    for (uint64_t i = 0; i < view->rows; i++)
        starts[i + 1] = starts[i] + scratch->lengths[i];
    view->storage = scratch->block.all_ones ? HSP_ONES : HSP_SPARSE;
    view->starts = starts;
    view->indices = scratch->indices;
    view->values = scratch->block.all_ones ? NULL : scratch->values;
    return 1;
}

/* The precision of the block that was just parsed. */
static hsp_precision libsvm_block_precision(const libsvm_stream *stream,
                                            const hsp__libsvm_scratch *scratch)
{
    const hsp__keep keep = stream->reader.reading.keep;
    return keep == HSP__KEEP_MIXED && !scratch->losses.here ? HSP_FLOAT32
                                                            : hsp__keep_precision(keep);
}

static int libsvm_make_view(libsvm_stream *stream, const hsp__libsvm_scratch *scratch,
                            libsvm_passing *passing)
{
    const hsp_precision precision = libsvm_block_precision(stream, scratch);
    const uint64_t bytes = hsp__value_bytes(precision);
    if (precision < stream->reader.precision) hsp__narrow(scratch->values, scratch->block.stored);
    const uint64_t cols = scratch->past > scratch->base ? scratch->past - scratch->base : 0;
    passing->view = (hsp_view){.precision = precision,
                               .rows = scratch->block.rows,
                               .cols = cols > stream->least ? cols : stream->least,
                               .starts_bytes = 8};
    double dense = (double)scratch->block.rows * (double)passing->view.cols * (double)bytes;
    double sparse = (double)scratch->block.stored * (double)(4 + bytes) + (1 << 16);
    return stream->dense && dense <= LIBSVM_DENSE_LIMIT * sparse
               ? libsvm_make_dense(stream, scratch, passing)
               : libsvm_make_sparse(stream, scratch, passing);
}

static hsp_status libsvm_pass_parse(void *self, int worker, hsp__block *text, hsp_error *err)
{
    libsvm_stream *stream = self;
    hsp__libsvm_scratch *scratch = &stream->reader.scratch[worker];
    hsp_status status = hsp__libsvm_parse(&stream->reader, worker, text, err);
    if (status) return status;
    if (!libsvm_make_view(stream, scratch, &stream->passing[worker])) return hsp__fail_memory(err);
    return hsp__stream_work(stream->stream, worker, &stream->passing[worker].view, scratch->lines,
                            err);
}

static hsp_status libsvm_pass_reserve(void *self, int worker, const hsp__block *text,
                                      hsp__blocks *run, hsp_error *err)
{
    libsvm_stream *stream = self;
    hsp__libsvm_scratch *scratch = &stream->reader.scratch[worker];
    hsp_view *view = &stream->passing[worker].view;
    (void)text;
    (void)run;
    if (!stream->stream->sink->unlabelled) {
        if (!hsp__libsvm_map_labels(&stream->reader, scratch)) return hsp__fail_memory(err);
        for (uint64_t i = 0; i < view->rows; i++)
            scratch->labels[i] = scratch->label_map[scratch->labels[i]];
        view->classes = stream->reader.classes->count;
    }
    return hsp__stream_take(stream->stream, worker, view, scratch->labels, err);
}

static void libsvm_pass_place(void *self, int worker, const hsp__block *text)
{
    (void)self;
    (void)worker;
    (void)text;
}

/* How much of the beginning shows whether rows are dense: some whole lines. */
static size_t libsvm_glance(const char *text, size_t size)
{
    size_t end = (size_t)32 << 10;
    if (size <= end) return size;
    while (end && text[end - 1] != '\n')
        end--;
    return end ? end : size;
}

/* What the beginning of the file says about the precision of all of it. */
static hsp_status libsvm_probe_precision(libsvm_stream *stream, hsp_error *err)
{
    hsp__libsvm_reader *reader = &stream->reader;
    hsp__libsvm_scratch *scratch = &reader->scratch[0];
    hsp__losses losses = {0};
    hsp_error found = {0};
    if (reader->reading.watch == HSP__WATCH_NONE) return HSP_OK;
    hsp_status status = hsp__libsvm_gather(reader, &losses, &found);
    if (status == HSP_NO_MEMORY) return hsp__fail_memory(err);
    if (*losses.why) status = HSP__NEEDS_DOUBLE;
    reader->reading = hsp__reading_onward(reader->reading, status);
    hsp__spread_free(&scratch->spread, &reader->ctx->allocator);
    if (status)
        hsp__tell_double(reader->ctx, reader->name, *losses.why ? losses.why : found.message);
    return HSP_OK;
}

/* Look at the beginning of the file: are columns numbered from 0, are dense rows smaller, which
 * precision suffices? What is wrong with it will be said when its turn comes. */
static hsp_status libsvm_probe(libsvm_stream *stream, hsp__source *source, hsp_error *err)
{
    hsp__libsvm_reader *reader = &stream->reader;
    hsp__libsvm_scratch *scratch = &reader->scratch[0];
    hsp__block block = {0};
    char *text = NULL;
    hsp_status status = hsp__stream_probe(stream->stream, source, err, &text, &block.size);
    if (status) return status;
    block.text = text;
    if (reader->base_fixed && reader->reading.watch == HSP__WATCH_NONE)
        block.size = libsvm_glance(text, block.size);
    if (hsp__libsvm_parse(reader, 0, &block, NULL) == HSP_NO_MEMORY) status = hsp__fail_memory(err);
    hsp__free(&reader->ctx->allocator, text);
    if (status) return status;
    if (!reader->base_fixed && scratch->zeros) atomic_store(&reader->base, 0);
    reader->base_fixed = 1;
    const unsigned base = atomic_load(&reader->base);
    uint64_t cols = scratch->past > base ? scratch->past - base : 0;
    if (cols < stream->least) cols = stream->least;
    status = libsvm_probe_precision(stream, err);
    if (status) return status;
    stream->dense = hsp__stream_dense(
        stream->stream, hsp__storage_choose(scratch->block.rows, cols, scratch->block.stored,
                                            scratch->block.all_ones,
                                            libsvm_block_precision(stream, scratch)) == HSP_DENSE);
    /* forget its labels: they are numbered as they pass by */
    hsp__names_free(&scratch->names);
    hsp__names_init(&scratch->names, &reader->ctx->allocator);
    memset(scratch->recent, 0, sizeof scratch->recent);
    scratch->losses = (hsp__losses){0};
    return HSP_OK;
}

static void libsvm_free_passing(libsvm_stream *stream)
{
    const hsp_allocator *memory = &stream->reader.ctx->allocator;
    for (int i = 0; stream->passing && i < stream->reader.workers; i++) {
        hsp__free(memory, stream->passing[i].starts);
        hsp__free(memory, stream->passing[i].dense);
    }
    hsp__free(memory, stream->passing);
}

hsp_status hsp__libsvm_stream(const hsp__stream *of, hsp__source *source, hsp_error *err)
{
    static const hsp__block_format format = {0, libsvm_pass_parse, libsvm_pass_reserve,
                                             libsvm_pass_place};
    libsvm_stream stream = {.stream = of};
    stream.least = (uint64_t)hsp_options_integer(of->options, "features");
    hsp_status status = hsp__libsvm_start(&stream.reader, of->ctx, source, of->options,
                                          hsp__reading_stream(of->options), of->classes, err);
    hsp__libsvm_reader *reader = &stream.reader;
    if (!status) {
        stream.passing =
            hsp__new(&of->ctx->allocator, (uint64_t)reader->workers, sizeof *stream.passing);
        if (!stream.passing) status = hsp__fail_memory(err);
    }
    const int fixed = reader->base_fixed;
    reader->unlabelled = of->sink->unlabelled;
    if (!status) status = libsvm_probe(&stream, source, err);
    if (!status && of->sink->origin) of->sink->origin->index_base = hsp__libsvm_base(reader);
    if (!status) status = hsp__blocks_run(of->ctx, source, &format, &stream, reader->workers, err);
    reader->base_fixed = fixed;
    if (!status) {
        hsp__losses losses = {0};
        for (int i = 0; i < reader->workers; i++)
            hsp__losses_add(&losses, &reader->scratch[i].losses);
        hsp__libsvm_tell(reader);
        hsp__losses_tell(of->ctx, reader->name, reader->precision, &reader->reading, &losses, NULL);
    }
    libsvm_free_passing(&stream);
    hsp__libsvm_free(reader);
    hsp__rows_free(&reader->rows);
    return status;
}
