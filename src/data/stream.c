#include "data/stream.h"

#include "base/base.h"
#include "data/blocks.h"
#include "data/data.h"
#include "data/formats.h"
#include "data/precision.h"

/* ---- For the formats ------------------------------------------------------------------------- */

int hsp__stream_dense(const hsp__stream *stream, int probed)
{
    const char *told = hsp_options_text(stream->options, "storage");
    if (stream->sink->storage) return *stream->sink->storage == HSP_DENSE;
    if (strcmp(told, "auto") == 0) return probed;
    return strcmp(told, "dense") == 0;
}

hsp_status hsp__stream_probe(const hsp__stream *stream, hsp__source *source, hsp_error *err,
                             char **text, size_t *size)
{
    const char *bytes, *newline;
    HSP__TRY(hsp__source_peek(source, HSP__STREAM_PROBE, err, &bytes, size));
    if (source->live) *size = 0; /* the rows do not wait for others to come */
    if (*size >= HSP__STREAM_PROBE) {
        newline = memrchr(bytes, '\n', *size);
        *size = newline ? (size_t)(newline - bytes) + 1 : 0;
    }
    *text = hsp__new(&stream->ctx->allocator, *size + HSP__BLOCK_PADDING, 1);
    if (!*text) return hsp__fail_memory(err);
    if (*size) memcpy(*text, bytes, *size);
    return HSP_OK;
}

hsp_status hsp__stream_origin(const hsp__stream *stream, const hsp_encoding *encoding,
                              const hsp__names *feature_names, hsp_error *err)
{
    hsp__row_origin *origin = stream->sink->origin;
    if (!origin) return HSP_OK;
    if (!hsp__names_copy(&origin->feature_names, feature_names)) return hsp__fail_memory(err);
    if (!encoding) return HSP_OK;
    return hsp__encoding_copy(&stream->ctx->allocator, encoding, err, &origin->encoding);
}

hsp_status hsp__stream_begin(const hsp__stream *stream, const hsp__names *columns, char separator,
                             hsp_error *err)
{
    return stream->sink->begin ? stream->sink->begin(stream->self, columns, separator, err)
                               : HSP_OK;
}

hsp_status hsp__stream_work(const hsp__stream *stream, int worker, const hsp_view *rows,
                            const hsp__row_texts *texts, hsp_error *err)
{
    const hsp__row_sink *sink = stream->sink;
    if (!sink->work || !rows->rows) return HSP_OK;
    if (texts && sink->texts) sink->texts(stream->self, worker, texts);
    hsp_status status = sink->work(stream->self, worker, rows, err);
    if (status && err && texts && err->line)
        err->line = err->line <= rows->rows ? texts->lines[err->line - 1] : 0;
    return status;
}

hsp_status hsp__stream_take(const hsp__stream *stream, int worker, hsp_view *rows,
                            const uint32_t *labels, hsp_error *err)
{
    if (!rows->rows) return HSP_OK;
    rows->labels = stream->sink->unlabelled ? NULL : labels;
    if (!rows->labels) rows->classes = 0;
    return stream->sink->take(stream->self, worker, rows, err);
}

hsp_status hsp__stream_bad(const hsp__stream *stream, int worker, const hsp__bad_row *rows,
                           uint64_t count, hsp_error *err)
{
    if (!count || !stream->sink->bad) return HSP_OK;
    return stream->sink->bad(stream->self, worker, rows, count, err);
}

/* ---- A binary cache, in slices --------------------------------------------------------------- */

/* The slices that are under way, one a worker. */
typedef struct stream_slice {
    hsp_data *rows; /* borrowed rows, or a copy in another storage or precision */
    uint32_t *labels;
    hsp_status status;
    hsp_error err;
} stream_slice;

typedef struct stream_cache {
    const hsp__stream *stream;
    const hsp_view *view;
    hsp_storage storage;
    hsp_precision precision;
    uint32_t *map;  /* one per class of the cache: its number in the stream */
    uint64_t step;  /* rows of a slice */
    uint64_t first; /* row of worker 0's slice */
    int count;      /* workers */
    stream_slice *slices;
} stream_cache;

/* Rows [from, to) as a data set that owns nothing, or a copy in another storage or precision. */
static hsp_status stream_load_slice(stream_cache *cache, stream_slice *slice, uint64_t from,
                                    uint64_t to, hsp_error *err)
{
    hsp_context quiet = {.allocator = cache->stream->ctx->allocator, .threads = 1};
    hsp_data_free(slice->rows);
    hsp_data *rows = slice->rows = hsp__data_new(&quiet.allocator), *changed = NULL;
    if (!rows) return hsp__fail_memory(err);
    rows->view = hsp__view_slice(cache->view, from, to);
    rows->view.labels = NULL;
    rows->view.classes = 0;
    rows->nonzeros = hsp_view_stored(&rows->view);
    rows->checked = 1;
    for (uint64_t i = from; cache->map && i < to; i++)
        slice->labels[i - from] = cache->map[cache->view->labels[i]];
    HSP__TRY(hsp__data_change(&quiet, rows, cache->storage, cache->precision, err, &changed));
    if (changed != rows) hsp_data_free(rows);
    slice->rows = changed;
    return HSP_OK;
}

static void stream_cache_work(void *user, int worker)
{
    stream_cache *cache = user;
    stream_slice *slice = &cache->slices[worker];
    const uint64_t rows = cache->view->rows;
    uint64_t from = cache->first + (uint64_t)worker * cache->step, to = from + cache->step;
    if (from > rows) from = rows;
    if (to > rows) to = rows;
    slice->err = (hsp_error){0};
    slice->status = stream_load_slice(cache, slice, from, to, &slice->err);
    if (slice->status) return;
    slice->status = hsp__stream_work(cache->stream, worker, &slice->rows->view, NULL, &slice->err);
    if (slice->status && slice->err.line) slice->err.line += from;
}

static hsp_status stream_cache_start(stream_cache *cache, const hsp_data *data, hsp_error *err)
{
    const hsp__stream *stream = cache->stream;
    const hsp_allocator *memory = &stream->ctx->allocator;
    const hsp_view *view = cache->view;
    uint64_t each = view->rows ? hsp_view_stored(view) / view->rows * 8 + 16 : 16;
    cache->precision = hsp__restore_precision(stream->ctx, stream->options, view);
    cache->storage = view->storage;
    if (hsp__stream_dense(stream, view->storage == HSP_DENSE))
        cache->storage = HSP_DENSE;
    else if (view->storage == HSP_DENSE)
        cache->storage = HSP_SPARSE;
    if (cache->storage == HSP_DENSE && view->storage != HSP_DENSE) each = view->cols * 8 + 16;
    cache->step = stream->ctx->block_bytes / each + 1;
    cache->count = hsp_context_threads(stream->ctx);
    if ((uint64_t)cache->count > view->rows / cache->step + 1)
        cache->count = (int)(view->rows / cache->step + 1);
    cache->slices = hsp__new(memory, (uint64_t)cache->count, sizeof *cache->slices);
    if (!cache->slices) return hsp__fail_memory(err);
    for (int i = 0; i < cache->count; i++) {
        cache->slices[i].labels = hsp__new_raw(memory, cache->step, sizeof(uint32_t));
        if (!cache->slices[i].labels) return hsp__fail_memory(err);
    }
    /* all names of the cache, in its order, become the stream's */
    const hsp__names *names = &data->class_names;
    if (!view->labels || stream->sink->unlabelled) return HSP_OK;
    cache->map = hsp__new(memory, names->count, sizeof *cache->map);
    for (uint32_t c = 0; cache->map && c < names->count; c++)
        if (!hsp__names_add(stream->classes, hsp__names_get(names, c), hsp__names_size(names, c),
                            &cache->map[c]))
            return hsp__fail_memory(err);
    return cache->map ? HSP_OK : hsp__fail_memory(err);
}

/* One slice a worker at once, then all of them in order; and so on. */
static hsp_status stream_cache_run(stream_cache *cache, hsp_error *err)
{
    const hsp__stream *stream = cache->stream;
    const uint64_t rows = cache->view->rows;
    for (; cache->first < rows; cache->first += cache->step * (uint64_t)cache->count) {
        for (int i = 0; i < cache->count; i++)
            cache->slices[i].status = HSP_STATUS_COUNT; /* a thread that never ran */
        hsp__workers_run(stream->ctx, cache->count, stream_cache_work, cache);
        for (int i = 0; i < cache->count; i++) {
            stream_slice *slice = &cache->slices[i];
            if (slice->status == HSP_STATUS_COUNT) stream_cache_work(cache, i);
            if (slice->status && err) *err = slice->err;
            HSP__TRY(slice->status);
            slice->rows->view.classes = cache->map ? stream->classes->count : 0;
            HSP__TRY(hsp__stream_take(stream, i, &slice->rows->view,
                                      cache->map ? slice->labels : NULL, err));
        }
        HSP__TRY(hsp__progress(stream->ctx, "reading", "rows", cache->first, rows, err));
    }
    return HSP_OK;
}

hsp_status hsp__stream_cache(const hsp__stream *stream, hsp__source *source, const char *path,
                             hsp_error *err)
{
    const hsp_allocator *memory = &stream->ctx->allocator;
    stream_cache cache = {.stream = stream};
    hsp_data *data = NULL;
    hsp_status status = hsp__cache_read(stream->ctx, source, path, err, &data);
    if (!status) status = hsp_data_view(stream->ctx, data, err, &cache.view);
    if (!status) status = stream_cache_start(&cache, data, err);
    if (!status) status = hsp__stream_origin(stream, data->encoding, &data->feature_names, err);
    if (!status && stream->sink->origin) stream->sink->origin->index_base = data->index_base;
    if (!status) status = hsp__stream_begin(stream, NULL, 0, err);
    if (!status) status = stream_cache_run(&cache, err);
    for (int i = 0; cache.slices && i < cache.count; i++) {
        hsp_data_free(cache.slices[i].rows);
        hsp__free(memory, cache.slices[i].labels);
    }
    hsp__free(memory, cache.slices);
    hsp__free(memory, cache.map);
    hsp_data_free(data);
    return status;
}
