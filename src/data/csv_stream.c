/* The rows of a CSV file as they pass by. The encoding is known (or all columns are numbers), so
 * that a block is expanded where it was parsed, in parallel; only labels wait for their turn. */
#include <string.h>

#include "base/context.h"
#include "base/error.h"
#include "base/memory.h"
#include "data/csv_rows.h"
#include "data/data.h"
#include "data/formats.h"
#include "data/labels.h"
#include "data/stream.h"

typedef struct csv_stream {
    hsp__csv_reader reader; /* what the parser takes */
    hsp__csv_plan plan;
    hsp__csv_counts counts;
    uint64_t rows; /* that passed by */
    const hsp__stream *stream;
    const char *storage; /* as the read option */
    uint32_t label;      /* its column, or HSP__NAME_NONE */
    hsp_data **blocks;   /* one a worker: the rows at hand, or NULL */
} csv_stream;

/* ---- The plan -------------------------------------------------------------------------------- */

/* What needs all rows before the first can go is not for a stream. */
static hsp_status csv_stream_check(const hsp__csv_plan *plan, hsp_error *err)
{
    if (plan->given) return HSP_OK;
    for (uint32_t j = 0; j < plan->count; j++)
        if (plan->columns[j].kind == HSP__COLUMN_CATEGORY)
            return hsp__fail_at(
                err, HSP_USAGE, plan->file, 0, 0,
                "column '%s' is categorical, which streaming does not support; train without "
                "--stream, or convert the file to numbers first (halfspace convert)",
                hsp__csv_name(plan, j));
    if (plan->missing == HSP__MISSING_MEAN || plan->missing == HSP__MISSING_INDICATOR)
        return hsp__fail_at(err, HSP_USAGE, plan->file, 0, 0,
                            "--missing %s needs all rows; when streaming, use --missing drop",
                            hsp__missing_word(plan->missing));
    return HSP_OK;
}

/* Labels that nobody wants are a column to leave out. */
static void csv_stream_set_label(csv_stream *stream)
{
    hsp__csv_plan *plan = &stream->plan;
    stream->label = HSP__NAME_NONE;
    if (stream->stream->sink->unlabelled) plan->labelled = 0;
    for (uint32_t j = 0; j < plan->count; j++) {
        if (plan->columns[j].kind != HSP__COLUMN_LABEL) continue;
        if (plan->labelled)
            stream->label = j;
        else
            plan->columns[j].kind = HSP__COLUMN_IGNORED;
    }
}

/* ---- One block ------------------------------------------------------------------------------- */

/* The cells of the block at hand into rows. */
static hsp_status csv_stream_expand(csv_stream *stream, int number, hsp_error *err)
{
    hsp__csv_reader *reader = &stream->reader;
    hsp__csv_worker *worker = &reader->workers[number];
    hsp_context quiet = {.allocator = reader->ctx->allocator, .threads = 1};
    hsp__csv_table table = {.cells = worker->cells, .rows = worker->rows};
    for (uint32_t j = 0; j < stream->plan.count; j++) {
        if (stream->plan.columns[j].kind != HSP__COLUMN_CATEGORY) continue;
        hsp_status status =
            hsp__csv_merge_words(reader, j, &worker->words[stream->plan.columns[j].words], err);
        if (status) return status;
        hsp__csv_place_words(reader, worker, j, worker->cells);
    }
    hsp__csv_plan plan = stream->plan;
    if (plan.reading.keep == HSP__KEEP_MIXED && !worker->losses.here) {
        hsp__csv_narrow(&plan, worker->cells, worker->rows);
        plan.precision = HSP_FLOAT32;
    }
    worker->cells = NULL; /* the rows take its memory */
    worker->cells_room = 0;
    hsp_status status =
        hsp__csv_expand_rows(&quiet, &plan, &table, stream->storage, err, &stream->blocks[number]);
    hsp__free(&quiet.allocator, table.cells);
    if (!status) hsp__data_seal(stream->blocks[number]);
    return status;
}

/* Missing values that must not be there: the block waits for its turn to say so. */
static int csv_stream_refused(const csv_stream *stream, const hsp__csv_worker *worker)
{
    return worker->missing_line && stream->plan.missing == HSP__MISSING_ERROR;
}

static hsp_status csv_stream_parse(void *self, int number, hsp__block *block, hsp_error *err)
{
    csv_stream *stream = self;
    hsp__csv_worker *worker = &stream->reader.workers[number];
    hsp_data_free(stream->blocks[number]);
    stream->blocks[number] = NULL;
    hsp_status status = hsp__csv_parse(&stream->reader, number, block, err);
    if (status || csv_stream_refused(stream, worker) || !worker->rows) return status;
    status = csv_stream_expand(stream, number, err);
    if (status) return status;
    return hsp__stream_work(stream->stream, number, &stream->blocks[number]->view, worker->lines,
                            err);
}

/* The labels of the block, as numbers of the stream. A label that only rows left out have is none.
 */
static hsp_status csv_stream_labels(csv_stream *stream, hsp__csv_worker *worker, hsp_error *err)
{
    hsp__csv_words *words = &worker->words[stream->plan.columns[stream->label].words];
    hsp__names *classes = stream->stream->classes;
    void *map = words->map;
    if (!hsp__reserve(&stream->reader.ctx->allocator, &map, &words->map_room, words->names.count,
                      sizeof *words->map))
        return hsp__fail_memory(err);
    words->map = map;
    for (; words->mapped < words->names.count; words->mapped++)
        words->map[words->mapped] = HSP__NAME_NONE;
    for (uint64_t i = 0; i < worker->rows; i++) {
        const uint32_t word = worker->labels[i];
        if (words->map[word] == HSP__NAME_NONE &&
            hsp__label_add(classes, hsp__names_get(&words->names, word),
                           hsp__names_size(&words->names, word), &words->map[word]))
            return hsp__fail_memory(
                err); /* the parser has looked at it: nothing else can be wrong */
        worker->labels[i] = words->map[word];
    }
    return HSP_OK;
}

static hsp_status csv_stream_reserve(void *self, int number, hsp__blocks *run, hsp_error *err)
{
    csv_stream *stream = self;
    hsp__csv_reader *reader = &stream->reader;
    hsp__csv_worker *worker = &reader->workers[number];
    hsp_status status = HSP_OK;
    if (csv_stream_refused(stream, worker))
        return hsp__fail_at(err, HSP_BAD_DATA, stream->plan.file,
                            hsp__blocks_first_line(run) - 1 + worker->missing_line,
                            worker->missing_column,
                            "found a missing value; use --missing drop to leave such rows out");
    if (!worker->rows) return HSP_OK;
    hsp_view *view = &stream->blocks[number]->view;
    stream->rows += worker->rows;
    if (stream->label != HSP__NAME_NONE) {
        status = csv_stream_labels(stream, worker, err);
        if (status) return status;
        view->classes = stream->stream->classes->count;
    }
    return hsp__stream_take(stream->stream, number, view,
                            stream->label == HSP__NAME_NONE ? NULL : worker->labels, err);
}

/* ---- The whole file -------------------------------------------------------------------------- */

/* What the beginning of the file says about the precision of all of it. */
static hsp_status csv_stream_probe_precision(csv_stream *stream)
{
    hsp__csv_reader *reader = &stream->reader;
    hsp__csv_counts counts = {0};
    hsp_error found = {0};
    if (stream->plan.reading.watch == HSP__WATCH_NONE) return HSP_OK;
    hsp_status status = hsp__csv_counts_init(&counts, &stream->plan, &reader->ctx->allocator)
                            ? hsp__csv_gather(reader, &counts, &found)
                            : HSP_NO_MEMORY;
    hsp__csv_counts_free(&counts, &reader->ctx->allocator);
    if (status == HSP_NO_MEMORY) return status;
    hsp__csv_plan_keep(&stream->plan, hsp__reading_onward(stream->plan.reading, status));
    if (status) hsp__tell_double(reader->ctx, stream->plan.file, found.message);
    return HSP_OK;
}

/* Which storage the beginning of the file would have, and which precision it needs. Errors in it
 * are left to its turn. */
static hsp_status csv_stream_probe(csv_stream *stream, hsp__source *source, hsp_error *err)
{
    hsp__csv_reader *reader = &stream->reader;
    hsp__block block = {0};
    size_t size = 0;
    char *text = NULL;
    int dense = 1;
    hsp_status status = hsp__stream_probe(stream->stream, source, err, &text, &size);
    if (status) return status;
    stream->storage = "auto";
    if (size > stream->plan.data_at) {
        block.text = text + stream->plan.data_at;
        block.size = size - stream->plan.data_at;
        status = hsp__csv_parse(reader, 0, &block, NULL);
    }
    if (status != HSP_NO_MEMORY) status = csv_stream_probe_precision(stream);
    if (status != HSP_NO_MEMORY && reader->workers[0].rows) {
        status = csv_stream_expand(stream, 0, NULL);
        if (!status) dense = stream->blocks[0]->view.storage == HSP_DENSE;
        hsp_data_free(stream->blocks[0]);
        stream->blocks[0] = NULL;
    }
    hsp__free(&reader->ctx->allocator, text);
    if (status == HSP_NO_MEMORY) return hsp__fail_memory(err);
    /* "ones" means sparse rows, of ones where that is so */
    stream->storage = hsp__stream_dense(stream->stream, dense) ? "dense" : "ones";
    return HSP_OK;
}

static hsp_status csv_stream_hand_over(const csv_stream *stream, hsp_error *err)
{
    hsp__names names;
    if (!stream->stream->sink->origin) return HSP_OK;
    hsp__names_init(&names, &stream->reader.ctx->allocator);
    hsp_status status = hsp__encoding_feature_names(stream->plan.encoding, &names)
                            ? hsp__stream_origin(stream->stream, stream->plan.encoding, &names, err)
                            : hsp__fail_memory(err);
    hsp__names_free(&names);
    return status;
}

static hsp_status csv_stream_start(csv_stream *stream, hsp__source *source, hsp_error *err)
{
    hsp__csv_reader *reader = &stream->reader;
    csv_stream_set_label(stream);
    stream->blocks =
        hsp__new(&reader->ctx->allocator, (uint64_t)hsp__blocks_workers(reader->ctx, source),
                 sizeof *stream->blocks);
    if (!stream->blocks || !hsp__csv_start_workers(reader, source)) return hsp__fail_memory(err);
    hsp_status status = csv_stream_probe(stream, source, err);
    if (status) return status;
    hsp__csv_free_workers(reader); /* what the probe met and counted is forgotten */
    if (!hsp__csv_start_workers(reader, source)) return hsp__fail_memory(err);
    return hsp__source_skip(source, stream->plan.data_at, err);
}

static hsp_status csv_stream_run(csv_stream *stream, hsp__source *source, hsp_error *err)
{
    static const hsp__block_format format = {1, csv_stream_parse, csv_stream_reserve, NULL};
    hsp__csv_reader *reader = &stream->reader;
    hsp_status status = hsp__blocks_run(reader->ctx, source, &format, stream, reader->count, err);
    if (status && err && err->line) err->line += stream->plan.data_line;
    if (status) return status;
    status = hsp__csv_gather(reader, &stream->counts, err);
    if (status) return status;
    return hsp__csv_tell(reader->ctx, &stream->plan, &stream->counts, stream->rows, err);
}

hsp_status hsp__csv_stream(const hsp__stream *of, hsp__source *source, int tabs, hsp_error *err)
{
    csv_stream stream = {.stream = of, .reader = {.ctx = of->ctx}};
    hsp__csv_reader *reader = &stream.reader;
    reader->plan = &stream.plan;
    const hsp_allocator *memory = &of->ctx->allocator;
    hsp__csv_sample sample = {0};
    hsp__names_init(&stream.plan.names, memory);
    hsp_status status =
        hsp__csv_detect(of->ctx, source, tabs, of->options, of->encoding, err, &sample);
    if (!status)
        status = hsp__csv_plan_make(of->ctx, source->name, &sample, of->options,
                                    hsp__reading_first(of->options, NULL), of->encoding, err,
                                    &stream.plan);
    if (!status) status = csv_stream_check(&stream.plan, err);
    if (!status && !hsp__csv_counts_init(&stream.counts, &stream.plan, memory))
        status = hsp__fail_memory(err);
    hsp__csv_sample_free(memory, &sample);
    if (!status) status = csv_stream_hand_over(&stream, err);
    if (!status) status = csv_stream_start(&stream, source, err);
    if (!status) status = csv_stream_run(&stream, source, err);
    for (int i = 0; stream.blocks && i < reader->count; i++)
        hsp_data_free(stream.blocks[i]);
    hsp__free(memory, stream.blocks);
    hsp__csv_free_workers(reader);
    hsp__csv_counts_free(&stream.counts, memory);
    hsp__csv_plan_free(memory, &stream.plan);
    return status;
}
