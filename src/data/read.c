/* Reading: which format a file is in, and who reads it. */
#include "base/base.h"
#include "base/checksum.h"
#include "base/options.h"
#include "base/text.h"
#include "data/data.h"
#include "data/formats.h"
#include "data/convert_storage.h"
#include "data/provenance.h"
#include "data/precision.h"
#include "data/shard.h"
#include "data/source.h"
#include "data/stream.h"
#include "data/text_cache.h"

static const hsp_option read_options[] = {
    HSP__TEXT_FILE_OPTIONS,
    HSP__CHOICE("missing", "error", "error|drop|mean|indicator",
                "CSV: how to treat missing values (empty, ?, NA, NaN, N/A, null, ...)"),
    HSP__OPTION_NA,
    HSP__TEXT("decimal", "point", "CHAR", "CSV: the decimal sign of numbers: point or comma"),
    HSP__TEXT("thousands", "none", "CHAR",
              "CSV: the sign between groups of three digits: comma, point, space, apostrophe, "
              "underscore or none"),
    HSP__FLAG("percent", "CSV: read numbers with a percent sign (12.5% is 0.125)"),
    HSP__FLAG("currency",
              "CSV: read numbers with a currency sign or code ($ 12, 12 EUR; (12) is -12)"),
    HSP__OPTION_IGNORE_CASE,
    HSP__LIST(
        "categorical", "COLUMNS",
        "CSV: treat columns of numbers as categorical: names or numbers, separated by commas"),
    HSP__INTEGER(
        "max-categories", "100", 1, 4294967295.0, "N",
        "CSV: refuse a categorical column with more values, unless --categorical names it"),
    HSP__LIST("ordinal", "COLUMNS=A<B<C",
              "CSV: columns whose values have an order; encoded as 0, 1, 2, ..."),
    HSP__LIST("date", "COLUMN[=FORMAT][:PARTS]",
              "CSV: columns of dates, such as start=%d.%m.%Y; parts (default days): "
              "days,year,month,weekday"),
    HSP__LIST("hash", "[COLUMNS=]N",
              "CSV: hash the words of text columns to N features each: of the columns named "
              "(without =N: 1024), or with a number alone of all text columns"),
    HSP__INTEGER("ngrams", "2", 1, 5, "N", "CSV: with --hash, count runs of 1 to N words"),
    HSP__OPTION_IGNORE,
    HSP__CHOICE("on-error", "error", "error|skip",
                "text: what to do with a row that cannot be read: stop, or leave it out"),
    {"rejects", HSP_OPTION_TEXT, NULL, 0, 0, NULL, "FILE",
     "text: write the rows that --on-error skip leaves out to FILE, with their lines and reasons"},
    HSP__TEXT("encoding", NULL, "FILE",
              "CSV: read the columns with this encoding, which convert --save-encoding saved"),
    HSP__CHOICE("index-base", "auto", "auto|0|1",
                "libsvm: index of the first column; auto: 0 if the file has an index 0, else 1"),
    HSP__INTEGER("features", "0", 0, 4294967296.0, "N",
                 "libsvm: minimum number of columns, even if the file has fewer"),
    HSP__TEXT(
        "cache", NULL, "DIR",
        "text: keep a binary copy of the data in the folder DIR, and read that instead of the "
        "text as long as text and options stay the same"),
    HSP__FLAG("cache-remove", "with --cache: remove the copy again once it is in use"),
    HSP__CHOICE("storage", "auto", "auto|dense|sparse|ones",
                "storage of rows in memory; auto takes the smallest"),
    HSP__CHOICE(
        "precision", "auto", "auto|single|double",
        "storage of numbers: 32 bits (single) or 64 bits (double); auto takes double where single "
        "loses information"),
};

static const hsp_option_table read_table = {"read", "options of reading", read_options,
                                            sizeof read_options / sizeof *read_options};

const hsp_option_table *hsp_read_options(void)
{
    return &read_table;
}

hsp_status hsp_read_keep_digits(hsp_options *read, hsp_error *err)
{
    HSP__NEED(err, read);
    if (hsp_options_is_set(read, "precision")) return HSP_OK;
    return hsp__options_set_word(read, "precision", "digits", err);
}

hsp_status hsp_read_keep_decimals(hsp_options *read, hsp_error *err)
{
    HSP__NEED(err, read);
    if (hsp_options_is_set(read, "precision")) return HSP_OK;
    return hsp__options_set_word(read, "precision", "decimals", err);
}

/* The smallest storage: a function of the rows alone, of all ranks, however they were read. Values are
 * searched for others than one only where that could change the answer, and mostly the first one settles
 * it. */
static hsp_storage read_smallest(const hsp_ranks *ranks, const hsp_data *data)
{
    const hsp_view *v = &data->view;
    uint64_t all[2] = {v->rows, data->nonzeros};
    hsp__ranks_add(ranks, all, 2);
    int ones = v->storage == HSP_ONES ||
               hsp__storage_choose(all[0], v->cols, all[1], 1, v->precision) == HSP_ONES;
    for (uint64_t i = 0; ones && v->storage != HSP_ONES && i < v->rows; i++) {
        const hsp__row row = hsp__view_row(v, i);
        for (uint64_t k = 0; ones && k < row.count; k++) {
            const double value = hsp__row_value(v, &row, k);
            ones = value == 0 || value == 1;
        }
    }
    ones = !hsp__ranks_any(ranks, !ones);
    return hsp__storage_choose(all[0], v->cols, all[1], ones, v->precision);
}

hsp_status hsp__data_apply_storage(hsp_context *ctx, const hsp_ranks *ranks, hsp_data *data,
                                   const hsp_options *options, hsp_error *err, hsp_data **out)
{
    const char *asked = hsp_options_text(options, "storage");
    const hsp_storage storage = strcmp(asked, "dense") == 0    ? HSP_DENSE
                                : strcmp(asked, "sparse") == 0 ? HSP_SPARSE
                                : strcmp(asked, "ones") == 0   ? HSP_ONES
                                                               : data->view.storage;
    const hsp_precision own = hsp__restore_precision(ctx, options, &data->view);
    const int wide = hsp__ranks_any(ranks, own == HSP_FLOAT64);
    return hsp__data_change(ctx, data, storage, wide ? HSP_FLOAT64 : HSP_FLOAT32, err, out);
}

/* Rows in the storage the user asked for, or, when they came from text, in the smallest one. */
static hsp_status read_settle(hsp_context *ctx, const hsp_ranks *ranks, const hsp_options *options,
                              hsp_error *err, hsp_data **data)
{
    hsp_data *settled = NULL;
    const hsp_view *view = &(*data)->view;
    const int mapped = (*data)->mapped != NULL;
    /* text is sound as it was read; a cache from memory may not be */
    if (!mapped) HSP__TRY(hsp_data_view(ctx, *data, err, &view));
    if (!mapped && strcmp(hsp_options_text(options, "storage"), "auto") == 0)
        HSP__TRY(hsp__data_change(ctx, *data, read_smallest(ranks, *data), view->precision, err,
                                  &settled));
    else
        HSP__TRY(hsp__data_apply_storage(ctx, ranks, *data, options, err, &settled));
    if (settled != *data) hsp_data_free(*data);
    *data = settled;
    return HSP_OK;
}

hsp_status hsp__data_round_single(hsp_context *ctx, hsp_data *data, const hsp_options *options,
                                  hsp_error *err, hsp_data **out)
{
    hsp__storage_change plan = {.storage = data->view.storage,
                                .precision = HSP_FLOAT32,
                                .cols = data->view.cols,
                                .phase = "changing the storage"};
    hsp_data *rounded = NULL;
    HSP__TRY(hsp__data_convert_storage(ctx, data, &plan, err, &rounded));
    const int provenance = options && strcmp(hsp_options_text(options, "storage"), "auto") != 0;
    hsp_status status = hsp__data_change(
        ctx, rounded, provenance ? rounded->view.storage : read_smallest(NULL, rounded),
        HSP_FLOAT32, err, out);
    if (status || *out != rounded) hsp_data_free(rounded);
    return status;
}

/* The encoding that the option names, to be freed; NULL: none. Given as an argument, too, it is
 * that of a model. */
static hsp_status read_encoding(hsp_context *ctx, const hsp_options *options,
                                const hsp_encoding *given, hsp_error *err, hsp_encoding **own)
{
    const char *path = options ? hsp_options_text(options, "encoding") : NULL;
    if (!path) return HSP_OK;
    if (given)
        return hsp__fail_option(err, "--encoding",
                                "the rows are read with the encoding of the model; leave this "
                                "option out");
    return hsp_encoding_read(ctx, path, err, own);
}

static hsp_status read_source(hsp_context *ctx, hsp__source *source, const char *path,
                              const hsp_options *options, const hsp_encoding *encoding,
                              hsp_error *err, hsp_data **out)
{
    const char *format = NULL;
    hsp_data *data = NULL;
    hsp_options *defaults = NULL;
    hsp_encoding *named = NULL;
    hsp__stop stop;
    hsp_context own = hsp__stop_open(&stop, ctx);
    hsp_status status = hsp__format_find(source, options, err, &format);
    if (!status) status = read_encoding(&own, options, encoding, err, &named);
    if (named) encoding = named;
    if (!status && !options) status = hsp_options_new(ctx, &read_table, err, &defaults);
    if (!options) options = defaults;
    if (!status && strcmp(format, "libsvm") == 0)
        status = hsp__libsvm_read(&own, source, options, err, &data);
    else if (!status && strcmp(format, "hsp") != 0)
        status =
            hsp__csv_read(&own, source, strcmp(format, "tsv") == 0, options, encoding, err, &data);
    else if (!status && source->provenance)
        status = hsp__fail_at(err, HSP_USAGE, path, 0, 0,
                              "claims are about the decimals of a text file; name the text file "
                              "from which this binary file was made");
    else if (!status)
        status = hsp__cache_read(&own, source, path, err, &data);
    status = hsp__ranks_agree(source->ranks, status, err);
    if (!status) status = read_settle(&own, source->ranks, options, err, &data);
    if (!status) status = hsp__stop_status(&own, err);
    hsp_options_free(defaults);
    hsp_encoding_free(named);
    if (status)
        hsp_data_free(data);
    else
        *out = data;
    return status;
}

/* Is there to be a copy? Not of what cannot be read again, or is binary. */
static hsp_status read_wants_copy(hsp__source *source, const hsp_options *options, hsp_error *err,
                                  int *copy)
{
    const char *format = NULL;
    *copy = 0;
    if (!options || !hsp_options_text(options, "cache")) return HSP_OK;
    HSP__TRY(hsp__format_find(source, options, err, &format));
    *copy = source->again && strcmp(format, "hsp") != 0;
    return HSP_OK;
}

/* From a copy, or as read_source does. */
static hsp_status read_source_or_copy(hsp_context *ctx, hsp__source *source, const char *path,
                                      const hsp_options *options, const hsp_encoding *encoding,
                                      hsp_error *err, hsp_data **out)
{
    int copy = 0;
    HSP__TRY(read_wants_copy(source, options, err, &copy));
    if (!copy) return read_source(ctx, source, path, options, encoding, err, out);
    return hsp__text_cache_read(ctx, source, path, options, encoding, read_source, err, out);
}

hsp_status hsp__data_read_source(hsp_context *ctx, hsp__source *source, const char *path,
                                 const hsp_options *options, const hsp_encoding *encoding,
                                 hsp_error *err, hsp_data **out)
{
    hsp_status status = read_source_or_copy(ctx, source, path, options, encoding, err, out);
    return hsp__while(err, status, "reading", source->name);
}

/* Is the whole file needed: a copy is made, rows may be left out, or an error names a row by its number? */
static int read_wants_all(const hsp_options *options)
{
    return options && (hsp_options_text(options, "cache") ||
                       strcmp(hsp_options_text(options, "on-error"), "skip") == 0 ||
                       strcmp(hsp_options_text(options, "storage"), "ones") == 0);
}

/* Text in plain files is read in shares, one per rank; every other file by each rank as a whole. */
static hsp_status read_share(hsp_context *ctx, hsp__source *source, const hsp_options *options,
                             hsp_error *err)
{
    const char *format = NULL;
    int plain = source->again && !source->unpacker && !read_wants_all(options);
    if (plain && ctx->ranks->rank == 0) plain = !hsp__source_packed(source);
    hsp_status status = plain ? hsp__format_find(source, options, err, &format) : HSP_OK;
    const int text = format && strcmp(format, "hsp") != 0;
    status = hsp__ranks_agree(ctx->ranks, status, err);
    if (!status && !hsp__ranks_any(ctx->ranks, !text)) hsp__source_share(source, ctx->ranks, 0);
    return status;
}

#define READ_RANK "{rank}" /* in the name of a file: the rank's number */

/* A file that every rank reads would count as often as there are ranks. */
static hsp_status read_check_own(const char *paths, hsp_error *err)
{
    for (const char *end; paths; paths = *end ? end + 1 : NULL) {
        end = paths + strcspn(paths, "\n");
        const char *mark = strstr(paths, READ_RANK);
        if (mark && mark < end) continue;
        return hsp__fail(
            err, HSP_USAGE,
            "%.*s: every rank would read this file, and only its own of the others; name "
            "either all files with {rank}, or none",
            (int)(end - paths), paths);
    }
    return HSP_OK;
}

/* The files of this rank alone. */
static hsp_status read_open_own(hsp_context *ctx, const char *path, const hsp_options *options,
                                hsp_error *err, hsp__source **out)
{
    const hsp_ranks *ranks = ctx->ranks;
    const char *format = "", *mark;
    char own, all[HSP__BLOCKS];
    hsp__text name;
    HSP__TRY(read_check_own(path, err));
    hsp__text_init(&name, &ctx->allocator);
    for (; (mark = strstr(path, READ_RANK)); path = mark + strlen(READ_RANK)) {
        hsp__text_add(&name, path, (size_t)(mark - path));
        hsp__text_printf(&name, "%d", ranks->rank);
    }
    hsp__text_puts(&name, path);
    hsp_status status =
        name.failed ? hsp__fail_memory(err) : hsp__source_open_files(ctx, name.data, err, out);
    hsp__text_free(&name);
    if (!status) status = hsp__format_find(*out, options, err, &format);
    if (!status && (!(*out)->again || *format == 'h' || read_wants_all(options)))
        status = hsp__fail_at(err, HSP_USAGE, (*out)->name, 0, 0,
                              "where each rank reads its own file ({rank}), files are text, no "
                              "pipes, and are read without --cache, --on-error skip and --storage "
                              "ones");
    HSP__TRY(hsp__ranks_agree(ranks, status, err));
    own = *format;
    hsp__ranks_gather(ranks, &own, 1, all);
    if (own != all[0])
        status = hsp__fail_at(err, HSP_BAD_DATA, (*out)->name, 0, 0,
                              "the format is %s, not that of rank 0's file; --format says which "
                              "is right",
                              format);
    hsp__source_share(*out, ranks, 1);
    return hsp__ranks_agree(ranks, status, err);
}

/* What rank 0 reads from a pipe or from standard input, on every rank. */
static hsp_status read_pipe(hsp_context *ctx, hsp__source *source, hsp_error *err, void **bytes,
                            size_t *size)
{
    uint64_t at[HSP__BLOCKS + 1];
    char *own = NULL;
    hsp_status status = HSP_OK;
    *size = 0;
    if (source && source->parts > 1)
        status = hsp__fail_at(err, HSP_USAGE, source->name, 0, 0,
                              "several processes cannot read a pipe among several files; write it "
                              "to a file first");
    else if (source)
        status = hsp__source_read_all(ctx, source, SIZE_MAX, err, &own, size);
    status = hsp__ranks_agree(ctx->ranks, status, err);
    if (!status)
        status = hsp__ranks_collect(ctx->ranks, &ctx->allocator, own, *size, err, at, bytes);
    hsp__free(&ctx->allocator, own);
    *size = status ? 0 : (size_t)at[ctx->ranks->count];
    return status;
}

/* Do all ranks see the same file, by its size and its beginning? */
static hsp_status read_compare(hsp_context *ctx, hsp__source *source, hsp_error *err)
{
    const hsp_ranks *ranks = ctx->ranks;
    const char *bytes = NULL;
    size_t size = 0;
    uint64_t all[2 * HSP__BLOCKS];
    hsp_status status = hsp__source_peek(source, 0, err, &bytes, &size);
    HSP__TRY(hsp__ranks_agree(ranks, status, err));
    const uint64_t own[2] = {source->size, hsp__crc32(0, bytes, size)};
    hsp__ranks_gather(ranks, own, sizeof own, all);
    for (int r = 1; r < ranks->count; r++)
        if (memcmp(all, all + 2 * r, sizeof own) != 0)
            return hsp__fail_at(err, HSP_BAD_DATA, source->name, 0, 0,
                                "rank %d sees another file of this name (%llu bytes) than rank 0 "
                                "(%llu bytes); all ranks must see the same",
                                r, (unsigned long long)all[2 * r], (unsigned long long)all[0]);
    return HSP_OK;
}

/* Open the source on every rank; *bytes: of a pipe, to be freed behind the source. */
static hsp_status read_open(hsp_context *ctx, const char *path, hsp_error *err, void **bytes,
                            hsp__source **out)
{
    const int first = ctx->ranks->rank == 0;
    size_t size;
    hsp_status status = first ? hsp__source_open_files(ctx, path, err, out) : HSP_OK;
    HSP__TRY(hsp__ranks_agree(ctx->ranks, status, err));
    if (!hsp__ranks_any(ctx->ranks, first && !(*out)->again)) {
        if (!first) status = hsp__source_open_files(ctx, path, err, out);
        HSP__TRY(hsp__ranks_agree(ctx->ranks, status, err));
        return read_compare(ctx, *out, err);
    }
    status = read_pipe(ctx, *out, err, bytes, &size);
    hsp__source_free(*out);
    *out = NULL;
    if (!status)
        status = hsp__source_memory(ctx, *bytes, size,
                                    strcmp(path, "-") == 0 ? "standard input" : path, err, out);
    return hsp__ranks_agree(ctx->ranks, status, err);
}

/* The rows of this rank's blocks. */
static hsp_status read_shard(hsp_context *ctx, const char *path, const hsp_options *options,
                             const hsp_encoding *encoding, hsp_error *err, hsp_data **out)
{
    hsp_context alone = *ctx;
    hsp__source *source = NULL;
    hsp_data *read = NULL;
    void *bytes = NULL;
    alone.ranks = NULL;
    hsp_status status;
    if (strstr(path, READ_RANK)) {
        status = read_open_own(ctx, path, options, err, &source);
    } else {
        status = read_open(ctx, path, err, &bytes, &source);
        if (!status) status = read_share(ctx, source, options, err);
    }
    if (!status) status = read_source_or_copy(&alone, source, path, options, encoding, err, &read);
    status = hsp__ranks_agree(ctx->ranks, status, err);
    if (!status)
        status = source->ranks ? hsp__shard_spread(ctx, read, err, out)
                               : hsp__shard_own(ctx, read, err, out);
    hsp__source_free(source);
    hsp__free(&ctx->allocator, bytes);
    hsp_data_free(read);
    return status;
}

hsp_status hsp_data_read(hsp_context *ctx, const char *path, const hsp_options *options,
                         const hsp_encoding *encoding, hsp_error *err, hsp_data **out)
{
    HSP__NEED(err, ctx, path, out);
    hsp__source *source = NULL;
    hsp_status status;
    if (ctx->ranks) {
        status = read_shard(ctx, path, options, encoding, err, out);
    } else {
        status = hsp__source_open_files(ctx, path, err, &source);
        if (!status) status = read_source_or_copy(ctx, source, path, options, encoding, err, out);
        hsp__source_free(source);
    }
    return hsp__while(err, status, "reading", strcmp(path, "-") ? path : "standard input");
}

hsp_status hsp_data_read_files(hsp_context *ctx, const char *const *paths, size_t count,
                               const hsp_options *options, const hsp_encoding *encoding,
                               hsp_error *err, hsp_data **out)
{
    HSP__NEED(err, ctx, paths, out);
    if (!count) return hsp__fail(err, HSP_USAGE, "hsp_data_read_files: no file is named");
    hsp__text joined;
    hsp__text_init(&joined, &ctx->allocator);
    hsp_status status = HSP_OK;
    for (size_t i = 0; !status && i < count; i++) {
        if (!paths[i] || (count > 1 && strchr(paths[i], '\n')))
            status = hsp__fail(err, HSP_USAGE, "hsp_data_read_files: the name of file %zu %s",
                               i + 1, paths[i] ? "has a line break in it" : "is NULL");
        else
            hsp__text_printf(&joined, "%s%s", i ? "\n" : "", paths[i]);
    }
    if (!status && joined.failed) status = hsp__fail_memory(err);
    if (!status) status = hsp_data_read(ctx, joined.data, options, encoding, err, out);
    hsp__text_free(&joined);
    return status;
}

hsp_status hsp__data_read_followed(hsp_context *ctx, const char *path, const hsp_options *options,
                                   const hsp_encoding *encoding, hsp_error *err,
                                   hsp__provenance *provenance, hsp_data **out)
{
    unsigned char digest[32];
    hsp__source *source = NULL;
    assert(strcmp(hsp_options_text(options, "precision"), "double") == 0);
    *provenance = (hsp__provenance){.memory = ctx->allocator, .longs.memory = &provenance->memory};
    hsp__sha256_init(&provenance->sha);
    hsp_status status = hsp__source_open_files(ctx, path, err, &source);
    if (!status && source->parts > 1)
        status = hsp__fail_at(err, HSP_USAGE, source->name, 0, 0,
                              "a certificate is about one file; put the rows into one file first "
                              "(halfspace convert DATA... OUT)");
    if (!status) source->provenance = provenance;
    if (!status) status = read_source(ctx, source, path, options, encoding, err, out);
    hsp__sha256_end(&provenance->sha, digest);
    hsp__sha256_text(digest, provenance->hash);
    hsp__source_free(source);
    return hsp__while(err, status, "reading", path);
}

hsp_status hsp_data_parse(hsp_context *ctx, const void *text, size_t size, const char *name,
                          const hsp_options *options, const hsp_encoding *encoding, hsp_error *err,
                          hsp_data **out)
{
    HSP__NEED(err, ctx, name, out);
    if (size) HSP__NEED(err, text);
    hsp__source *source = NULL;
    HSP__TRY(hsp__source_memory(ctx, text, size, name, err, &source));
    hsp_status status = read_source(ctx, source, name, options, encoding, err, out);
    hsp__source_free(source);
    return status;
}

/* Is there nothing in the text, not even names? */
static hsp_status read_is_blank(hsp__source *source, hsp_error *err, int *blank)
{
    const char *bytes;
    size_t size, i = 0;
    HSP__TRY(hsp__source_peek(source, 0, err, &bytes, &size));
    while (i < size && bytes[i] && strchr(" \t\r\n", bytes[i]))
        i++;
    *blank = i == size;
    return HSP_OK;
}

/* Do the rows of this source go on as they come? Its precision, storage and first column must not
 * depend on how many of them are there. */
static int read_is_live(const hsp__stream *stream, const hsp__source *source)
{
    const hsp__row_sink *sink = stream->sink;
    const hsp_options *options = stream->options;
    if (!sink->live || source->unpacker || source->parts > 1 || !hsp__source_is_pipe(source))
        return 0;
    return sink->live == HSP__LIVE_NOW ||
           (strcmp(hsp_options_text(options, "precision"), "auto") != 0 &&
            (stream->encoding || strcmp(hsp_options_text(options, "index-base"), "auto") != 0));
}

hsp_status hsp__stream_read(hsp_context *ctx, const char *path, const hsp_options *options,
                            const hsp_encoding *encoding, hsp__names *classes,
                            const hsp__row_sink *sink, void *self, hsp_error *err)
{
    const char *format = NULL;
    hsp__source *source = NULL;
    hsp_options *defaults = NULL;
    hsp_encoding *named = NULL;
    hsp__stream stream = {ctx, options, encoding, classes, sink, self};
    hsp_status status = hsp__source_open_files(ctx, path, err, &source);
    if (!status && !options) status = hsp_options_new(ctx, &read_table, err, &defaults);
    if (!options) stream.options = defaults;
    if (!status) {
        source->ctx = ctx;
        source->live = read_is_live(&stream, source);
        source->wait = sink->live == HSP__LIVE_NOW ? 0 : 1;
        source->partial = sink->partial;
        status = hsp__format_find(source, options, err, &format);
    }
    /* without an encoding, what the columns are is seen from more than one row */
    if (!status && !encoding && strcmp(format, "libsvm") != 0) source->live = 0;
    if (!status) status = read_encoding(ctx, options, encoding, err, &named);
    if (named) stream.encoding = named;
    if (!status && strcmp(format, "hsp") == 0) {
        source->partial = 0;
        if (source->stopped) status = hsp__stop_status(ctx, err);
    }
    int blank = 0;
    if (!status && sink->none && strcmp(format, "hsp") != 0)
        status = read_is_blank(source, err, &blank);
    if (blank)
        status = hsp__stream_begin(&stream, &(hsp__names){0}, 0, err);
    else if (!status && strcmp(format, "libsvm") == 0)
        status = hsp__libsvm_stream(&stream, source, err);
    else if (!status && strcmp(format, "hsp") == 0)
        status = hsp__stream_cache(&stream, source, path, err);
    else if (!status)
        status = hsp__csv_stream(&stream, source, strcmp(format, "tsv") == 0, err);
    if (!status && source->stopped) status = hsp__stop_status(ctx, err);
    hsp_options_free(defaults);
    hsp_encoding_free(named);
    hsp__source_free(source);
    return status;
}
