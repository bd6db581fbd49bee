/* Streaming the rows of a CSV file. The encoding is known (or all columns are numbers), so
 * that a block is expanded where it was parsed, in parallel; only labels wait for their turn. */
#include "base/base.h"
#include "data/csv.h"
#include "data/data.h"
#include "data/formats.h"
#include "data/stream.h"

typedef struct csv_stream {
    hsp__csv_reader reader; /* first: what the parser takes */
    uint64_t rows;          /* that passed by */
    const hsp__stream *stream;
    const char *storage; /* as the read option */
    hsp_data **blocks;   /* one a worker: the rows at hand, or NULL */
    /* Missing numbers become the mean of those before them: rows wait for their turn. */
    int running;
    double *sums;          /* cells: of the numbers so far */
    uint64_t *known;       /* cells: how many they are */
    hsp__row_texts *texts; /* one a worker: the text of the block at hand */
} csv_stream;

/* ---- One block ------------------------------------------------------------------------------- */

/* The cells of the block at hand into rows. */
static hsp_status csv_stream_expand(csv_stream *stream, int number, hsp_error *err)
{
    hsp__csv_reader *reader = &stream->reader;
    hsp__csv_worker *worker = &reader->workers[number];
    hsp_context quiet = {.allocator = reader->ctx->allocator, .threads = 1};
    for (uint32_t j = 0; j < reader->plan.count; j++) {
        if (reader->plan.columns[j].kind != HSP__COLUMN_CATEGORY) continue;
        HSP__TRY(hsp__csv_merge_words(reader, worker, j, err));
        hsp__csv_place_words(reader, worker, j);
    }
    hsp__csv_plan plan = reader->plan;
    if (plan.reading.keep == HSP__KEEP_MIXED && !worker->counts.losses.here) {
        hsp__csv_narrow(&plan, worker->rows.cells, worker->rows.rows);
        plan.precision = HSP_FLOAT32;
    }
    hsp__csv_table table = {
        .cells = worker->rows.cells, .rows = worker->rows.rows, .hashed = worker->rows.hashed};
    worker->rows.cells = NULL; /* the rows take its memory */
    worker->rows.room = 0;
    hsp_status status =
        hsp__csv_expand(&quiet, &plan, &table, stream->storage, err, &stream->blocks[number]);
    hsp__free(&quiet.allocator, table.cells);
    if (!status) hsp__data_seal(stream->blocks[number]);
    return status;
}

/* ---- Means so far ---------------------------------------------------------------------------- */

/* Is the cell a number, which has a mean? */
static int csv_stream_has_mean(const hsp__csv_plan *plan, uint32_t c)
{
    const hsp__column_kind kind = plan->encoding->columns[plan->cell_columns[c]].kind;
    return kind != HSP__COLUMN_CATEGORY && kind != HSP__COLUMN_HASHED;
}

static double csv_stream_mean(const csv_stream *stream, uint32_t c)
{
    const double mean = stream->known[c] ? stream->sums[c] / (double)stream->known[c] : 0;
    return isfinite(mean) ? mean : 0;
}

/* Fill the missing numbers of the block at hand, row by row: the result does not depend on blocks. */
static void csv_stream_fill(csv_stream *stream, hsp__csv_worker *worker)
{
    const hsp__csv_plan *plan = &stream->reader.plan;
    const int wide = plan->precision == HSP_FLOAT64, exact = plan->reading.keep == HSP__KEEP_DOUBLE;
    double *doubles = worker->rows.cells;
    float *floats = worker->rows.cells;
    for (uint64_t k = 0; k < worker->rows.rows * plan->cells; k++) {
        const uint32_t c = (uint32_t)(k % plan->cells);
        if (!csv_stream_has_mean(plan, c)) continue;
        const double value = wide ? doubles[k] : (double)floats[k];
        if (!isnan(value)) {
            stream->sums[c] += value;
            stream->known[c]++;
            continue;
        }
        const double mean = csv_stream_mean(stream, c);
        if (wide)
            doubles[k] = exact ? mean : (double)(float)mean;
        else
            floats[k] = (float)mean;
    }
}

/* The means of all rows go with the encoding, for later rows. */
static void csv_stream_keep_means(const csv_stream *stream)
{
    const hsp__csv_plan *plan = &stream->reader.plan;
    const hsp__row_origin *origin = stream->stream->sink->origin;
    if (!stream->running || !stream->known || !origin || !origin->encoding) return;
    for (uint32_t c = 0; c < plan->cells; c++)
        if (csv_stream_has_mean(plan, c))
            *hsp__encoding_mean(&origin->encoding->columns[plan->cell_columns[c]],
                                plan->cell_parts[c]) = csv_stream_mean(stream, c);
}

/* Missing values that must not be there: the block waits for its turn to say so. */
static int csv_stream_refused(const csv_stream *stream, const hsp__csv_worker *worker)
{
    return worker->counts.missing_line && stream->reader.plan.missing == HSP__MISSING_ERROR;
}

static hsp_status csv_stream_parse(void *self, int number, hsp__block *block, hsp_error *err)
{
    csv_stream *stream = self;
    hsp__csv_worker *worker = &stream->reader.workers[number];
    hsp_data_free(stream->blocks[number]);
    stream->blocks[number] = NULL;
    HSP__TRY(hsp__csv_parse(&stream->reader, number, block, err));
    if (csv_stream_refused(stream, worker) || !worker->rows.rows) return HSP_OK;
    const hsp__row_texts texts = {block->text, block->size, worker->lines};
    stream->texts[number] = texts;
    if (stream->running) return HSP_OK;
    HSP__TRY(csv_stream_expand(stream, number, err));
    return hsp__stream_work(stream->stream, number, &stream->blocks[number]->view, &texts, err);
}

static hsp_status csv_stream_take(void *self, int number, hsp__blocks *run, hsp_error *err)
{
    csv_stream *stream = self;
    hsp__csv_reader *reader = &stream->reader;
    hsp__csv_worker *worker = &reader->workers[number];
    const int labelled = reader->plan.labelled;
    if (csv_stream_refused(stream, worker))
        return hsp__fail_at(err, HSP_BAD_DATA, hsp__blocks_file(run),
                            hsp__blocks_first_line(run) - 1 + worker->counts.missing_line,
                            worker->counts.missing_column,
                            reader->plan.given
                                ? "found a missing value; use --missing drop to leave such rows out"
                                : "found a missing value; use --missing drop to leave such rows "
                                  "out, or --missing mean for the mean of the rows so far");
    if (worker->bad.count) {
        HSP__TRY(hsp__csv_take_bad(reader, worker, run, err));
        HSP__TRY(hsp__stream_bad(stream->stream, number, worker->bad.rows, worker->bad.count, err));
    }
    if (!worker->rows.rows) return HSP_OK;
    if (stream->running) {
        csv_stream_fill(stream, worker);
        HSP__TRY(csv_stream_expand(stream, number, err));
        const hsp_status status = hsp__stream_work(
            stream->stream, number, &stream->blocks[number]->view, &stream->texts[number], err);
        if (status && err && err->line) err->line += hsp__blocks_first_line(run) - 1;
        HSP__TRY(status);
    }
    hsp_view *view = &stream->blocks[number]->view;
    stream->rows += worker->rows.rows;
    if (labelled) HSP__TRY(hsp__csv_merge_labels(reader, worker, err));
    if (labelled) view->classes = reader->classes->count;
    return hsp__stream_take(stream->stream, number, view, labelled ? worker->rows.labels : NULL,
                            err);
}

/* ---- The whole file -------------------------------------------------------------------------- */

/* The plan of the columns, without what needs all rows before the first can go. */
static hsp_status csv_stream_plan(csv_stream *stream, hsp__source *source, int tabs, hsp_error *err)
{
    const hsp__stream *of = stream->stream;
    hsp__csv_plan *plan = &stream->reader.plan;
    HSP__TRY(hsp__csv_plan_make(of->ctx, source, tabs, of->options,
                                hsp__reading_first(of->options, NULL), of->encoding, err, plan));
    for (uint32_t j = 0; !plan->given && j < plan->count; j++)
        if (plan->columns[j].kind == HSP__COLUMN_CATEGORY)
            return hsp__fail_at(
                err, HSP_USAGE, plan->file, 0, 0,
                "column '%s' is categorical, and a stream cannot list its values before the first "
                "row; hash them (--hash '%s'), leave the column out (--ignore), or name an "
                "encoding (--encoding FILE, made by halfspace convert --save-encoding)",
                hsp__csv_name(plan, j), hsp__csv_name(plan, j));
    stream->running = !plan->given && plan->missing == HSP__MISSING_MEAN;
    if (!plan->given && plan->missing == HSP__MISSING_INDICATOR)
        return hsp__fail_at(err, HSP_USAGE, plan->file, 0, 0,
                            "--missing indicator needs all rows; when streaming, use --missing "
                            "mean (of the rows so far) or drop");
    if (of->sink->origin) {
        hsp__names names;
        hsp__names_init(&names, &of->ctx->allocator);
        hsp_status status = hsp__encoding_feature_names(plan->encoding, &names)
                                ? hsp__stream_origin(of, plan->encoding, &names, err)
                                : hsp__fail_memory(err);
        hsp__names_free(&names);
        HSP__TRY(status);
    }
    if (!of->sink->unlabelled) return HSP_OK;
    /* labels that nobody wants are a column to leave out */
    plan->labelled = 0;
    for (uint32_t j = 0; j < plan->count; j++)
        if (plan->columns[j].kind == HSP__COLUMN_LABEL) plan->columns[j].kind = HSP__COLUMN_IGNORED;
    return HSP_OK;
}

/* Which storage the beginning of the file would have, and which precision it needs. Errors in it
 * are left to its turn. */
static hsp_status csv_stream_probe(csv_stream *stream, hsp__source *source, hsp_error *err)
{
    hsp__csv_reader *reader = &stream->reader;
    hsp__csv_plan *plan = &reader->plan;
    hsp__block block = {0};
    size_t size = 0;
    char *text = NULL;
    int dense = 1;
    HSP__TRY(hsp__stream_probe(stream->stream, source, err, &text, &size));
    hsp_status status = HSP_OK;
    stream->storage = "auto";
    if (size > plan->data_at) {
        block.text = text + plan->data_at;
        block.size = size - plan->data_at;
        status = hsp__csv_parse(reader, 0, &block, NULL);
    }
    if (status != HSP_NO_MEMORY && plan->reading.watch != HSP__WATCH_NONE) {
        hsp_error found = {0};
        status = hsp__csv_gather(reader, &found);
        if (status != HSP_NO_MEMORY) {
            hsp__csv_plan_keep(plan, hsp__reading_onward(plan->reading, status));
            if (status) hsp__tell_double(reader->ctx, plan->file, found.message);
        }
    }
    if (status != HSP_NO_MEMORY && reader->workers[0].rows.rows) {
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

static hsp_status csv_stream_run(csv_stream *stream, hsp__source *source, hsp_error *err)
{
    static const hsp__block_format format = {1, csv_stream_parse, csv_stream_take, NULL};
    hsp__csv_reader *reader = &stream->reader;
    const hsp_allocator *memory = &reader->ctx->allocator;
    stream->blocks = hsp__new(memory, (uint64_t)hsp__blocks_workers(reader->ctx, source),
                              sizeof *stream->blocks);
    stream->texts =
        hsp__new(memory, (uint64_t)hsp__blocks_workers(reader->ctx, source), sizeof *stream->texts);
    stream->sums = hsp__new(memory, reader->plan.cells, sizeof *stream->sums);
    stream->known = hsp__new(memory, reader->plan.cells, sizeof *stream->known);
    if (!stream->texts || !stream->sums || !stream->known) return hsp__fail_memory(err);
    if (!stream->blocks || !hsp__csv_start(reader, source)) return hsp__fail_memory(err);
    HSP__TRY(csv_stream_probe(stream, source, err));
    /* what the probe met and counted is forgotten */
    if (!hsp__csv_start(reader, source)) return hsp__fail_memory(err);
    HSP__TRY(hsp__stream_begin(stream->stream, &reader->plan.names, reader->plan.separator, err));
    HSP__TRY(hsp__csv_skip_header(source, &reader->plan, err));
    HSP__TRY(hsp__blocks_run(reader->ctx, source, &format, stream, reader->count, err));
    HSP__TRY(hsp__csv_gather(reader, err));
    HSP__TRY(hsp__csv_tell(reader, stream->rows, err));
    return hsp__csv_write_rejects(reader, err);
}

hsp_status hsp__csv_stream(const hsp__stream *of, hsp__source *source, int tabs, hsp_error *err)
{
    csv_stream stream = {
        .stream = of, .reader = {.ctx = of->ctx, .classes = of->classes, .none = of->sink->none}};
    hsp_status status = csv_stream_plan(&stream, source, tabs, err);
    if (!status) status = csv_stream_run(&stream, source, err);
    for (int i = 0; stream.blocks && i < stream.reader.count; i++)
        hsp_data_free(stream.blocks[i]);
    csv_stream_keep_means(&stream);
    hsp__free(&of->ctx->allocator, stream.blocks);
    hsp__free(&of->ctx->allocator, stream.texts);
    hsp__free(&of->ctx->allocator, stream.sums);
    hsp__free(&of->ctx->allocator, stream.known);
    hsp__csv_free(&stream.reader);
    return status;
}
