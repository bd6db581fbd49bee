/* Reading libsvm (svmlight) text:
 *
 *     line    := [label feature*] [# comment] newline
 *     label   := any word without ':' (numbers are named by their value, docs/labels.md)
 *     feature := index ':' value            indices ascending, values finite decimals
 *
 * separated by spaces and tabs; lines may end in CR LF; the last needs no end. svmlight's "qid:N"
 * is passed over. A zero value is not stored, though its column counts. Where labels are not wanted
 * (prediction) a line may also begin with its first feature.
 *
 * A block is parsed in one pass over its bytes; the common token (few digits, a short value, one
 * space) runs without a call. Everything unusual goes to the slow functions, which also say what is
 * wrong. Floor: the text is read once and 4 + 4 bytes per entry are written twice, to the worker's
 * scratch (cache) and to the result (memory). */
#include <stdatomic.h>
#include <stdio.h>

#include "base/base.h"
#include "data/csv.h"
#include "data/formats.h"
#include "data/libsvm_fast.h"
#include "data/rows.h"
#include "data/shard.h"
#include "data/stream.h"

_Static_assert(HSP__BLOCK_PADDING >= HSP__DECIMAL_PADDING, "blocks are padded for the decimals");

#define LIBSVM_RECENT 64 /* short labels seen last, found without hashing */
#define LIBSVM_GLANCE ((size_t)32 << 10)
#define LIBSVM_DENSE  64 /* a streamed block grows at most about this many times when dense */

typedef struct libsvm_recent {
    uint64_t text; /* up to 7 bytes of a label, its size in the top byte; 0: none */
    uint32_t number;
} libsvm_recent;

/* What one worker parses into. */
typedef struct libsvm_scratch {
    hsp__rows_block block; /* its arrays have room for rows_room rows, stored_room entries */
    uint64_t rows_room, stored_room;
    uint64_t *lines;     /* rows_room: of the block, from 1 */
    hsp__names names;    /* labels this worker has met */
    uint32_t *label_map; /* names.count (label_map_room): their numbers in the file */
    uint64_t label_map_room;
    uint32_t label_mapped; /* how many of them are known */
    libsvm_recent recent[LIBSVM_RECENT];
    uint32_t base;   /* that this block's indices were read with */
    uint64_t past;   /* 1 + the largest index of the block, as written */
    uint64_t number; /* of the block */
    int zeros;       /* an index 0 is in the block; with base 1 it has wrapped around */
    int qid;         /* a "qid:" was met */
    hsp__digit_losses losses;
    hsp__spread spread; /* by the number of a column as written */
    hsp__decimal_widest widest[LIBSVM_WIDEST];
    hsp_view view; /* of a stream: the block's rows, over its arrays and these */
    uint64_t *starts;
    uint64_t starts_room;
    void *dense;         /* rows * cols numbers */
    uint64_t dense_room; /* bytes */
    hsp__csv_bad bad;    /* lines that cannot be read, under --on-error skip */
} libsvm_scratch;

typedef struct libsvm_reader {
    hsp_context *ctx;
    const char *name;
    const hsp_ranks *ranks; /* each reads a part of the file; NULL: one process reads all */
    hsp__reading reading;
    hsp__provenance *provenance; /* or NULL */
    hsp_precision precision;     /* of the values */
    const hsp__stream *stream;   /* NULL: the rows are kept */
    int dense;                   /* streamed rows are */
    uint64_t least;              /* columns at least */
    int base_fixed;              /* the user said which number the first column has */
    atomic_uint base;            /* that number: 1, until an index 0 is met somewhere */
    hsp__rows rows;
    hsp__names *classes; /* the caller's */
    int workers;
    libsvm_scratch *scratch; /* one a worker */
    int skip;                /* --on-error skip */
    hsp__rejects_how how;
    hsp__csv_rejects rejects;
    uint64_t streamed; /* rows */
} libsvm_reader;

/* ---- Errors ---------------------------------------------------------------------------------- */

static int libsvm_is_blank(char c)
{
    return c == ' ' || c == '\t';
}

static int libsvm_ends_token(char c)
{
    return libsvm_is_blank(c) || c == '\n' || c == '\r' || c == '#';
}

static const char *libsvm_token_end(const char *p, const char *end)
{
    while (p < end && !libsvm_ends_token(*p))
        p++;
    return p;
}

static hsp_status libsvm_fail(const libsvm_cursor *at, const char *expected, hsp_error *err)
{
    char quoted[HSP__QUOTED];
    const char *end = libsvm_token_end(at->p, at->end);
    uint64_t column = (uint64_t)(at->p - at->line_start) + 1;
    if (end == at->p)
        return hsp__fail_at(
            err, HSP_BAD_DATA, NULL, at->line, column, "found the end of %s, expected %s",
            at->p < at->end && *at->p != '\n' && *at->p != '\r' ? "the token" : "the line",
            expected);
    return hsp__fail_at(err, HSP_BAD_DATA, NULL, at->line, column, "found '%s', expected %s",
                        hsp__quote(at->p, (size_t)(end - at->p), quoted), expected);
}

/* ---- Labels ---------------------------------------------------------------------------------- */

static hsp_status libsvm_label(libsvm_scratch *scratch, libsvm_cursor *at, uint32_t *number,
                               hsp_error *err)
{
    const char *end = libsvm_token_end(at->p, at->end);
    const size_t size = (size_t)(end - at->p);
    uint64_t text = 0;
    libsvm_recent *recent = NULL;
    if (size < 8) {
        memcpy(&text, at->p, size);
        text |= (uint64_t)size << 56;
        recent = &scratch->recent[(text * 0x9E3779B97F4A7C15u) >> 58];
        if (recent->text == text) {
            *number = recent->number;
            at->p = end;
            return HSP_OK;
        }
    }
    if (memchr(at->p, ':', size))
        return libsvm_fail(at, "a label first, then index:value pairs", err);
    switch (hsp__label_add(&scratch->names, at->p, size, number)) {
    case HSP__LABEL_OK:
        break;
    case HSP__LABEL_NO_MEMORY:
        return hsp__fail_memory(err);
    case HSP__LABEL_NOT_FINITE:
        return libsvm_fail(at, "a label that is a finite number or a word", err);
    default:
        return libsvm_fail(at, "a label without NUL bytes (is this a text file?)", err);
    }
    if (recent) *recent = (libsvm_recent){text, *number};
    at->p = end;
    return HSP_OK;
}

/* ---- Features -------------------------------------------------------------------------------- */

/* The index at the cursor, as written; the cursor moves behind its colon. */
static hsp_status libsvm_index_slow(libsvm_scratch *scratch, libsvm_cursor *at, uint64_t *index,
                                    hsp_error *err)
{
    hsp__decimal_result result;
    const char *end = hsp__decimal_u64(at->p, at->end, index, &result);
    if (result == HSP__DECIMAL_NONE) {
        const char *token = libsvm_token_end(at->p, at->end);
        if (token - at->p > 4 && memcmp(at->p, "qid:", 4) == 0) {
            uint64_t query;
            at->p += 4;
            if (hsp__decimal_u64(at->p, token, &query, &result) != token)
                return libsvm_fail(at, "a whole number after qid:", err);
            scratch->qid = 1;
            at->p = token;
            *index = UINT64_MAX;
            return HSP_OK;
        }
        return libsvm_fail(at, "index:value, a feature's number and its value", err);
    }
    if (*index > UINT32_MAX) return libsvm_fail(at, "an index of at most 4294967295", err);
    if (end == at->end || *end != ':') {
        at->p = end;
        return libsvm_fail(at, "':' and a value after the index", err);
    }
    at->p = end + 1;
    return HSP_OK;
}

static hsp_status libsvm_index_order(libsvm_cursor *at, uint64_t index, uint64_t least,
                                     hsp_error *err)
{
    char expected[96];
    while (at->p > at->line_start && !libsvm_is_blank(at->p[-1]))
        at->p--; /* back to the token's start */
    if (index == 0 && least == 1)
        return libsvm_fail(at, "indices from 1 (use --index-base 0 if they start at 0)", err);
    snprintf(expected, sizeof expected,
             index + 1 == least ? "each index once per row (%llu appears twice)"
                                : "an index above %llu (indices ascend within a row)",
             (unsigned long long)least - 1);
    return libsvm_fail(at, expected, err);
}

/* A value that is no plain number, or one that the precision does not hold well, or may not. */
static hsp_status libsvm_unusual(const libsvm_reader *reader, libsvm_scratch *scratch,
                                 libsvm_cursor *at, const char *value_end, uint64_t index,
                                 hsp__decimal_result result, hsp_error *err)
{
    const int single = reader->reading.keep == HSP__KEEP_SINGLE;
    if (value_end < at->end && !libsvm_ends_token(*value_end)) result = HSP__DECIMAL_NONE;
    const int too_large = result == HSP__DECIMAL_OVERFLOW;
    if (result != HSP__DECIMAL_OK && result < HSP__DECIMAL_TINY &&
        !(too_large && single && reader->reading.watch != HSP__WATCH_NONE))
        return libsvm_fail(at,
                           !too_large ? "a finite decimal number"
                           : single   ? "a number below 3.4e38 (--precision double goes to 1.8e308)"
                                      : "a number below 1.8e308",
                           err);
    scratch->losses.row = scratch->block.rows;
    return hsp__losses_note(&scratch->losses, &reader->reading, scratch->number, index, NULL, at->p,
                            (size_t)(value_end - at->p), result, err);
}

/* ---- Rows ------------------------------------------------------------------------------------ */

/* An index below the least one expected is still right when it is 0, comes first in its row, and
 * nobody said that columns are numbered from 1. */
static int libsvm_is_first_zero(const libsvm_reader *reader, libsvm_row *row, uint64_t index)
{
    if (index != 0 || row->least != 1 || row->zero || reader->base_fixed) return 0;
    row->zero = row->zeros = 1;
    return 1;
}

/* The features of one row, up to its newline, comment, or the end. Inlined below, once a way to
 * keep numbers, so that `keep` is a constant in the loop. */
static inline __attribute__((always_inline)) hsp_status libsvm_features(
    const libsvm_reader *reader, libsvm_scratch *scratch, libsvm_cursor *at, libsvm_row *row,
    const hsp__keep keep, hsp_error *err)
{
    const libsvm_places to = {scratch->block.indices, scratch->block.values, scratch->widest,
                              scratch->base};
    float *const singles = scratch->block.values;
    double *const doubles = scratch->block.values;
    for (;;) {
        while (libsvm_is_blank(*at->p))
            at->p++;
        if (row->all_ones)
            libsvm_ones(&to, at, row, keep);
        else if (keep == HSP__KEEP_SINGLE && row->long_values < LIBSVM_LONG)
            libsvm_pairs(&to, at, row);
        while (libsvm_is_blank(*at->p))
            at->p++;
        if (at->p >= at->end || libsvm_ends_token(*at->p)) return HSP_OK;

        uint64_t index;
        hsp__decimal_result result;
        const char *colon = hsp__decimal_u64_padded(at->p, at->end, &index, &result);
        if (__builtin_expect(result == HSP__DECIMAL_OK && *colon == ':' && colon < at->end &&
                                 index <= UINT32_MAX,
                             1)) {
            at->p = colon + 1;
        } else {
            HSP__TRY(libsvm_index_slow(scratch, at, &index, err));
            if (index == UINT64_MAX) continue;
        }
        if (__builtin_expect(index < row->least, 0) && !libsvm_is_first_zero(reader, row, index))
            return libsvm_index_order(at, index, row->least, err);
        row->least = index + 1;

        uint64_t k = row->stored;
        to.indices[k] = (uint32_t)index - to.base;
        if (at->p[0] == '1' && (at->p[1] == ' ' || at->p[1] == '\n')) { /* by far the most common */
            at->p++;
            if (keep == HSP__KEEP_SINGLE)
                singles[k] = 1;
            else
                doubles[k] = 1;
            row->stored++;
            continue;
        }
        uint64_t whole;
        const char *value_end = at->p[1] == '.' ? NULL : libsvm_small_integer(at->p, &whole);
        hsp__decimal_widest *widest =
            &scratch->widest[index < LIBSVM_WIDEST ? index : LIBSVM_WIDEST - 1];
        int zero, one;
        if (value_end) {
            result = HSP__DECIMAL_OK;
            if (keep == HSP__KEEP_SINGLE)
                singles[k] = (float)(int32_t)whole;
            else
                doubles[k] = (int32_t)whole;
            zero = whole == 0;
            one = whole == 1;
        } else if (keep == HSP__KEEP_SINGLE) {
            value_end = hsp__decimal_f32_padded(at->p, at->end, &singles[k], widest, &result);
            zero = singles[k] == 0;
            one = singles[k] == 1;
        } else {
            value_end =
                keep == HSP__KEEP_MIXED
                    ? hsp__decimal_mixed_padded(at->p, at->end, &doubles[k], widest, &result)
                    : hsp__decimal_f64_padded(at->p, at->end, &doubles[k], widest, &result);
            if (reader->reading.watch == HSP__WATCH_COLUMNS && hsp__rounds_twice(doubles[k]))
                hsp__rounded_twice(at->p, at->end, doubles[k], &result);
            zero = doubles[k] == 0;
            one = doubles[k] == 1;
        }
        if (__builtin_expect(result != HSP__DECIMAL_OK ||
                                 (value_end < at->end && !libsvm_ends_token(*value_end)),
                             0) ||
            (keep == HSP__KEEP_DOUBLE &&
             hsp__prints_otherwise(&reader->reading, value_end - at->p)))
            HSP__TRY(libsvm_unusual(reader, scratch, at, value_end, index, result, err));
        at->p = value_end;
        row->stored += !zero;
        row->all_ones &= zero | one;
    }
}

static inline __attribute__((always_inline)) hsp_status libsvm_line(const libsvm_reader *reader,
                                                                    libsvm_scratch *scratch,
                                                                    libsvm_cursor *at,
                                                                    libsvm_row *row, hsp_error *err)
{
    hsp__rows_block *block = &scratch->block;
    const hsp__keep keep = reader->reading.keep;
    while (at->p < at->end && libsvm_is_blank(*at->p))
        at->p++;
    if (at->p < at->end && !libsvm_ends_token(*at->p)) {
        const uint64_t before = row->stored;
        /* where nobody wants labels, a row may begin with a feature */
        const int lacks_label =
            reader->stream && reader->stream->sink->unlabelled &&
            memchr(at->p, ':', (size_t)(libsvm_token_end(at->p, at->end) - at->p));
        block->labels[block->rows] = 0;
        if (!lacks_label) HSP__TRY(libsvm_label(scratch, at, &block->labels[block->rows], err));
        row->least = reader->base_fixed ? scratch->base : 1;
        row->zero = 0;
        HSP__TRY(keep == HSP__KEEP_SINGLE
                     ? libsvm_features(reader, scratch, at, row, HSP__KEEP_SINGLE, err)
                 : keep == HSP__KEEP_DOUBLE
                     ? libsvm_features(reader, scratch, at, row, HSP__KEEP_DOUBLE, err)
                     : libsvm_features(reader, scratch, at, row, HSP__KEEP_MIXED, err));
        scratch->lines[block->rows] = at->line;
        block->lengths[block->rows++] = (uint32_t)(row->stored - before);
        if (row->least > scratch->past) scratch->past = row->least;
    }
    /* behind a row only a comment may stand, and a carriage return */
    if (at->p < at->end && *at->p == '#') {
        const char *newline = memchr(at->p, '\n', (size_t)(at->end - at->p));
        at->p = newline ? newline : at->end;
    }
    if (at->p < at->end && *at->p == '\r') {
        at->p++;
        if (at->p < at->end && *at->p != '\n')
            return hsp__fail_at(err, HSP_BAD_DATA, NULL, at->line,
                                (uint64_t)(at->p - at->line_start),
                                "found a carriage return inside a line, expected it only at the "
                                "end");
    }
    if (at->p >= at->end) return HSP_OK;
    assert(*at->p == '\n');
    at->line_start = ++at->p;
    at->line++;
    return HSP_OK;
}

/* Forget the labels behind the first `count`: they were of lines that are left out. */
static int libsvm_forget(const libsvm_reader *reader, libsvm_scratch *scratch, uint32_t count)
{
    hsp__names kept;
    uint32_t number;
    int done = 1;
    if (scratch->names.count == count) return 1;
    hsp__names_init(&kept, &reader->ctx->allocator);
    for (uint32_t i = 0; done && i < count; i++)
        done = hsp__names_add(&kept, hsp__names_get(&scratch->names, i),
                              hsp__names_size(&scratch->names, i), &number);
    hsp__names_free(&scratch->names);
    scratch->names = kept;
    memset(scratch->recent, 0, sizeof scratch->recent);
    return done;
}

/* A line that is left out if it cannot be read. */
static hsp_status libsvm_try_line(const libsvm_reader *reader, libsvm_scratch *scratch,
                                  libsvm_cursor *at, libsvm_row *row, hsp_error *err)
{
    hsp__rows_block *block = &scratch->block;
    const libsvm_cursor from = *at;
    const libsvm_row before = *row;
    const uint64_t rows = block->rows, past = scratch->past, longs = scratch->losses.longs.count;
    const uint32_t names = scratch->names.count;
    char why[sizeof err->message + 32];
    hsp_error found = {0};
    const hsp_status status = libsvm_line(reader, scratch, at, row, &found);
    if (status && status != HSP_BAD_DATA && err) *err = found;
    if (status != HSP_BAD_DATA) return status;
    const char *newline = memchr(from.p, '\n', (size_t)(from.end - from.p));
    *at = from;
    at->p = at->line_start = newline ? newline + 1 : from.end;
    at->line += newline != NULL;
    *row = before;
    block->rows = rows;
    scratch->past = past;
    scratch->losses.longs.count = longs;
    snprintf(why, sizeof why, "column %llu: %s", (unsigned long long)found.column, found.message);
    if (!libsvm_forget(reader, scratch, names) ||
        !hsp__bad_add(&scratch->bad, &reader->ctx->allocator, rows, from.line, why, from.p,
                      (size_t)(at->p - from.p)))
        return hsp__fail_memory(err);
    return HSP_OK;
}

/* hsp__block_format's parse: the rows of a block into the worker's scratch. */
static hsp_status libsvm_parse(void *self, int worker, hsp__block *text, hsp_error *err)
{
    libsvm_reader *reader = self;
    const hsp_allocator *memory = &reader->ctx->allocator;
    libsvm_scratch *scratch = &reader->scratch[worker];
    hsp__rows_block *block = &scratch->block;
    libsvm_cursor at = {text->text, text->text + text->size, text->text, 1, text->text};
    libsvm_row row = {.all_ones = 1};
    hsp_status status = HSP_OK;
    /* a token is at least three bytes ("1:1"), a row at least two ("1\n"): room for the whole
     * block, so that the loops need not ask */
    const uint64_t rows = text->size / 2 + 1, stored = text->size / 3 + 1;
    uint64_t room = scratch->rows_room, second = room, entries = scratch->stored_room;
    if (!hsp__reserve(memory, &block->lengths, &room, rows, sizeof *block->lengths) ||
        !hsp__reserve(memory, &block->labels, &second, rows, sizeof *block->labels) ||
        !hsp__reserve(memory, &scratch->lines, &scratch->rows_room, rows, sizeof *scratch->lines) ||
        !hsp__reserve(memory, &block->indices, &entries, stored, sizeof *block->indices) ||
        !hsp__reserve(memory, &block->values, &scratch->stored_room, stored,
                      hsp__value_bytes(reader->precision)))
        return hsp__fail_memory(err);
    block->rows = block->stored = block->cols = 0;
    block->all_ones = 0;
    block->text_size = text->size;
    scratch->base = atomic_load_explicit(&reader->base, memory_order_relaxed);
    scratch->past = 0;
    scratch->number = text->number;
    scratch->losses.here = 0;
    if (text->number == 0 && text->size >= 3 && memcmp(at.p, "\xef\xbb\xbf", 3) == 0)
        at.p += 3; /* some editors begin UTF-8 text with this mark */
    scratch->bad.count = scratch->bad.texts.size = 0;
    while (reader->skip && !status && at.p < at.end)
        status = libsvm_try_line(reader, scratch, &at, &row, err);
    while (!status && at.p < at.end)
        status = libsvm_line(reader, scratch, &at, &row, err);
    text->lines = at.line - 1;
    scratch->zeros = row.zeros; /* a stream's probe wants it even if something is wrong behind */
    HSP__TRY(status);
    block->stored = row.stored;
    block->all_ones = row.all_ones;
    if (reader->reading.watch == HSP__WATCH_COLUMNS &&
        !hsp__spread_sparse(&scratch->spread, memory, reader->precision, block->values,
                            block->indices, block->lengths, block->rows, scratch->base))
        return hsp__fail_memory(err);
    return HSP_OK;
}

/* ---- The workers ----------------------------------------------------------------------------- */

/* Scratch for every worker that the source can use; libsvm_free ends it, also after a failure. */
static hsp_status libsvm_start(libsvm_reader *reader, hsp_context *ctx, hsp__source *source,
                               const hsp_options *options, hsp__reading reading,
                               hsp__names *classes, hsp_error *err)
{
    const char *base = hsp_options_text(options, "index-base");
    *reader = (libsvm_reader){.ctx = ctx,
                              .name = source->name,
                              .ranks = source->ranks,
                              .reading = reading,
                              .provenance = source->provenance,
                              .precision = hsp__keep_precision(reading.keep),
                              .least = (uint64_t)hsp_options_integer(options, "features"),
                              .base_fixed = strcmp(base, "auto") != 0,
                              .classes = classes,
                              .skip = strcmp(hsp_options_text(options, "on-error"), "skip") == 0,
                              .how = {source->name, hsp_options_text(options, "rejects"), 0},
                              .workers = hsp__blocks_workers(ctx, source)};
    atomic_init(&reader->base, strcmp(base, "0") != 0);
    hsp__csv_rejects_start(&reader->rejects, &ctx->allocator);
    hsp__rows_init(&reader->rows, ctx, reader->precision, hsp_options_text(options, "storage"),
                   source->unpacker ? 0 : source->size);
    reader->scratch = hsp__new(&ctx->allocator, (uint64_t)reader->workers, sizeof *reader->scratch);
    if (!reader->scratch) return hsp__fail_memory(err);
    for (int i = 0; i < reader->workers; i++) {
        hsp__names_init(&reader->scratch[i].names, &ctx->allocator);
        hsp__text_init(&reader->scratch[i].bad.texts, &ctx->allocator);
        if (reader->provenance) reader->scratch[i].losses.longs.memory = &ctx->allocator;
        for (int j = 0; j < LIBSVM_WIDEST; j++)
            reader->scratch[i].widest[j] = HSP__DECIMAL_SHORT;
    }
    return HSP_OK;
}

static void libsvm_free(libsvm_reader *reader)
{
    const hsp_allocator *memory = &reader->ctx->allocator;
    for (int i = 0; reader->scratch && i < reader->workers; i++) {
        libsvm_scratch *scratch = &reader->scratch[i];
        hsp__free(memory, scratch->lines);
        hsp__free(memory, scratch->block.lengths);
        hsp__free(memory, scratch->block.labels);
        hsp__free(memory, scratch->block.indices);
        hsp__free(memory, scratch->block.values);
        hsp__free(memory, scratch->starts);
        hsp__free(memory, scratch->dense);
        hsp__free(memory, scratch->label_map);
        hsp__spread_free(&scratch->spread, memory);
        hsp__long_decimals_free(&scratch->losses.longs);
        hsp__names_free(&scratch->names);
        hsp__free(memory, scratch->bad.rows);
        hsp__text_free(&scratch->bad.texts);
    }
    hsp__free(memory, reader->scratch);
    reader->scratch = NULL;
}

/* Give the labels that this worker met for the first time their numbers in the file; 0 when there
 * is no memory. */
static int libsvm_map_labels(libsvm_reader *reader, libsvm_scratch *scratch)
{
    if (!hsp__reserve(&reader->ctx->allocator, &scratch->label_map, &scratch->label_map_room,
                      scratch->names.count, sizeof *scratch->label_map))
        return 0;
    for (; scratch->label_mapped < scratch->names.count; scratch->label_mapped++) {
        const uint32_t i = scratch->label_mapped;
        if (!hsp__names_add(reader->classes, hsp__names_get(&scratch->names, i),
                            hsp__names_size(&scratch->names, i), &scratch->label_map[i]))
            return 0;
    }
    return 1;
}

/* What the workers met, together. HSP__NEEDS_DOUBLE if a column is narrow, or a number of rule 1 was
 * found (data/precision.h). */
static hsp_status libsvm_gather(const libsvm_reader *reader, hsp__digit_losses *losses,
                                hsp_error *err)
{
    const hsp_allocator *memory = &reader->ctx->allocator;
    hsp__spread spread = {0};
    hsp__decimal_widest widest[LIBSVM_WIDEST], most = HSP__DECIMAL_SHORT;
    hsp_status status = HSP_OK;
    for (int j = 0; j < LIBSVM_WIDEST; j++) {
        widest[j] = HSP__DECIMAL_SHORT;
        for (int i = 0; i < reader->workers; i++)
            if (reader->scratch[i].widest[j] > widest[j]) widest[j] = reader->scratch[i].widest[j];
    }
    for (int i = 0; !status && i < reader->workers; i++) {
        hsp__losses_add(losses, &reader->scratch[i].losses);
        if (!hsp__spread_add(&spread, memory, &reader->scratch[i].spread))
            status = hsp__fail_memory(err);
    }
    status = hsp__precision_agree(reader->ranks, memory, status, widest, LIBSVM_WIDEST, losses,
                                  &spread, err);
    for (int j = 0; j < LIBSVM_WIDEST; j++)
        if (widest[j] > most) most = widest[j];
    losses->digits = hsp__decimal_widest_digits(most);
    if (!status && *losses->why) status = hsp__fail(err, HSP__NEEDS_DOUBLE, "%s", losses->why);
    for (uint32_t c = 0; !status && c < spread.count; c++) {
        const uint32_t j = spread.columns[c].column;
        if (hsp__spread_needs_double(&spread.columns[c],
                                     widest[j < LIBSVM_WIDEST ? j : LIBSVM_WIDEST - 1]))
            status = hsp__spread_fail(&spread.columns[c], j, NULL, err);
    }
    hsp__spread_free(&spread, memory);
    return status;
}

static void libsvm_tell(const libsvm_reader *reader, int base_fixed)
{
    int qid = 0;
    for (int i = 0; i < reader->workers; i++)
        qid |= reader->scratch[i].qid;
    qid = hsp__ranks_any(reader->ranks, qid);
    if (!base_fixed && atomic_load(&reader->base) == 0)
        hsp__log(reader->ctx, HSP_LOG_NOTE,
                 "%s: found index 0, so columns are numbered from 0 (--index-base overrides this)",
                 reader->name);
    if (qid) hsp__log(reader->ctx, HSP_LOG_NOTE, "%s: qid fields were ignored", reader->name);
}

/* The number of the first column. */
static const char *libsvm_base(const libsvm_reader *reader)
{
    return atomic_load(&reader->base) ? "1" : "0";
}

/* ---- Reading the whole file ------------------------------------------------------------------ */

static hsp_status libsvm_reserve(void *self, int worker, hsp__blocks *run, hsp_error *err)
{
    libsvm_reader *reader = self;
    libsvm_scratch *scratch = &reader->scratch[worker];
    unsigned base = atomic_load(&reader->base);
    /* the first index 0 of the file makes it 0-based as a whole: earlier rows move one column up,
     * later blocks that other workers have parsed already follow in their turn */
    if (base == 1 && !reader->base_fixed && scratch->zeros) {
        if (!hsp__rows_shift(&reader->rows, run)) return hsp__fail_memory(err);
        atomic_store(&reader->base, base = 0);
    }
    if (scratch->base != base)
        for (uint64_t k = 0; k < scratch->block.stored; k++)
            scratch->block.indices[k]++;
    scratch->block.cols = scratch->past > base ? scratch->past - base : 0;
    if (!libsvm_map_labels(reader, scratch)) return hsp__fail_memory(err);
    if (scratch->bad.count)
        HSP__TRY(
            hsp__bad_take(reader->ctx, &scratch->bad, &reader->how, run, &reader->rejects, err));
    if (reader->provenance && !hsp__long_decimals_move(&reader->provenance->longs,
                                                       &scratch->losses.longs, reader->rows.rows))
        return hsp__fail_memory(err);
    return hsp__rows_reserve(&reader->rows, &scratch->block, run, err);
}

static void libsvm_place(void *self, int worker)
{
    libsvm_reader *reader = self;
    libsvm_scratch *scratch = &reader->scratch[worker];
    hsp__rows_copy(&reader->rows, &scratch->block, scratch->label_map);
}

/* What the ranks' parts have in common: the first column's number, the classes, and how many columns there
 * are. */
static hsp_status libsvm_agree(libsvm_reader *reader, hsp_error *err)
{
    hsp__rows *rows = &reader->rows;
    uint32_t *map = NULL;
    int done = 1;
    if (!reader->ranks) return HSP_OK;
    const int base = !hsp__ranks_any(reader->ranks, !atomic_load(&reader->base));
    if (atomic_exchange(&reader->base, (unsigned)base) != (unsigned)base)
        done = hsp__rows_shift(rows, NULL);
    double cols = (double)rows->cols;
    hsp__ranks_max(reader->ranks, &cols, 1);
    if ((double)reader->least < cols) reader->least = (uint64_t)cols;
    HSP__TRY(hsp__ranks_agree(reader->ranks, done ? HSP_OK : hsp__fail_memory(err), err));
    HSP__TRY(hsp__shard_names(reader->ranks, reader->classes, err, &map));
    for (uint64_t i = 0; i < rows->rows; i++)
        rows->labels[i] = map[rows->labels[i]];
    hsp__free(&reader->ctx->allocator, map);
    return HSP_OK;
}

hsp_status hsp__libsvm_read(hsp_context *ctx, hsp__source *source, const hsp_options *options,
                            hsp_error *err, hsp_data **out)
{
    static const hsp__block_format format = {0, libsvm_parse, libsvm_reserve, libsvm_place};
    hsp__reading reading = hsp__reading_first(options, source);
    char why[HSP__WHY] = ""; /* doubles were chosen */
    for (;;) {
        libsvm_reader reader;
        hsp__names classes;
        hsp__digit_losses losses = {0};
        hsp_error found = {0};
        const int single = reading.keep == HSP__KEEP_SINGLE;
        hsp__names_init(&classes, &ctx->allocator);
        hsp_status status = libsvm_start(&reader, ctx, source, options, reading, &classes, &found);
        if (!status) status = hsp__rejects_check(reader.how.path, reader.skip, source, &found);
        status = hsp__ranks_agree(source->ranks, status, &found);
        if (!status)
            status = hsp__blocks_run(ctx, source, &format, &reader, reader.workers, &found);
        if (!status) status = libsvm_gather(&reader, &losses, &found);
        const int again = status == HSP__NEEDS_DOUBLE && single;
        if (status == HSP__NEEDS_DOUBLE) snprintf(why, sizeof why, "%.191s", found.message);
        if (!status || (status == HSP__NEEDS_DOUBLE && !again)) {
            status = libsvm_agree(&reader, &found);
            if (!status) libsvm_tell(&reader, reader.base_fixed);
            if (!status)
                status = hsp__rejects_tell(ctx, &reader.rejects, reader.name, reader.rows.rows, 0,
                                           0, &found);
            if (!status)
                status = hsp__rejects_write(ctx, &reader.rejects, reader.how.path, NULL, &found);
            libsvm_free(&reader); /* before the end may need memory of its own */
        }
        if (!status) {
            const uint64_t cols = reader.rows.cols > reader.least ? reader.rows.cols : reader.least;
            status = hsp__rows_finish(&reader.rows, &classes, cols, &found, out);
        }
        if (!status) {
            hsp_data *data = *out;
            data->index_base = libsvm_base(&reader);
            data->rejected = reader.rejects.places;
            data->rejected_count = reader.rejects.count;
            reader.rejects.places = NULL;
            data->digits = losses.digits;
            for (uint64_t k = 0; reader.provenance && k < reader.provenance->longs.count; k++)
                reader.provenance->longs.all[k].column -= atomic_load(&reader.base);
            if (reading.watch != HSP__WATCH_NONE && !single && !*why) hsp__data_narrow(data);
            hsp__losses_tell(ctx, reader.name, data->view.precision, &reading, &losses, NULL);
            memcpy(data->why, why, sizeof data->why);
            hsp__tell_double(ctx, reader.name, why);
        }
        libsvm_free(&reader);
        hsp__csv_rejects_start(&reader.rejects, &ctx->allocator);
        hsp__rows_free(&reader.rows);
        hsp__names_free(&classes);
        if (status && !again && err) *err = found;
        if (!again) return status;
        HSP__TRY(hsp__source_rewind(ctx, source, err));
        reading = hsp__reading_again(options);
    }
}

/* ---- Streaming ------------------------------------------------------------------------------- */

/* The precision of the block that was just parsed. */
static hsp_precision libsvm_block_precision(const libsvm_reader *reader,
                                            const libsvm_scratch *scratch)
{
    const hsp__keep keep = reader->reading.keep;
    return keep == HSP__KEEP_MIXED && !scratch->losses.here ? HSP_FLOAT32
                                                            : hsp__keep_precision(keep);
}

/* The block's rows as a view, dense ones in memory of their own; 0 when there is no memory. */
static int libsvm_make_view(const libsvm_reader *reader, libsvm_scratch *scratch)
{
    const hsp_allocator *memory = &reader->ctx->allocator;
    const hsp__rows_block *block = &scratch->block;
    const hsp_precision precision = libsvm_block_precision(reader, scratch);
    const uint64_t bytes = hsp__value_bytes(precision), rows = block->rows;
    uint64_t cols = scratch->past > scratch->base ? scratch->past - scratch->base : 0;
    if (cols < reader->least) cols = reader->least;
    if (precision < reader->precision) hsp__narrow(block->values, block->stored);
    hsp_view *view = &scratch->view;
    *view = (hsp_view){.precision = precision, .rows = rows, .cols = cols, .starts_bytes = 8};
    const double sparse = (double)block->stored * (double)(4 + bytes) + (1 << 16);
    if (reader->dense && (double)rows * (double)cols * (double)bytes <= LIBSVM_DENSE * sparse) {
        if (cols && rows > UINT64_MAX / bytes / cols) return 0;
        if (!hsp__reserve(memory, &scratch->dense, &scratch->dense_room, rows * cols * bytes, 1))
            return 0;
        view->storage = HSP_DENSE;
        view->stride = cols;
        view->values = scratch->dense;
        if (scratch->dense) /* else rows of no columns */
            hsp__rows_scatter(block, precision, scratch->dense, cols);
        return 1;
    }
    if (!hsp__reserve(memory, &scratch->starts, &scratch->starts_room, rows + 1,
                      sizeof *scratch->starts))
        return 0;
    scratch->starts[0] = 0;
    for (uint64_t i = 0; i < rows; i++)
        scratch->starts[i + 1] = scratch->starts[i] + block->lengths[i];
    view->storage = block->all_ones ? HSP_ONES : HSP_SPARSE;
    view->starts = scratch->starts;
    view->indices = block->indices;
    view->values = block->all_ones ? NULL : block->values;
    return 1;
}

static hsp_status libsvm_stream_parse(void *self, int worker, hsp__block *text, hsp_error *err)
{
    libsvm_reader *reader = self;
    libsvm_scratch *scratch = &reader->scratch[worker];
    HSP__TRY(libsvm_parse(reader, worker, text, err));
    if (!libsvm_make_view(reader, scratch)) return hsp__fail_memory(err);
    const hsp__row_texts texts = {text->text, text->size, scratch->lines};
    return hsp__stream_work(reader->stream, worker, &scratch->view, &texts, err);
}

static hsp_status libsvm_stream_take(void *self, int worker, hsp__blocks *run, hsp_error *err)
{
    libsvm_reader *reader = self;
    libsvm_scratch *scratch = &reader->scratch[worker];
    uint32_t *labels = scratch->block.labels;
    if (scratch->bad.count) {
        HSP__TRY(
            hsp__bad_take(reader->ctx, &scratch->bad, &reader->how, run, &reader->rejects, err));
        HSP__TRY(
            hsp__stream_bad(reader->stream, worker, scratch->bad.rows, scratch->bad.count, err));
    }
    reader->streamed += scratch->block.rows;
    if (!reader->stream->sink->unlabelled) {
        if (!libsvm_map_labels(reader, scratch)) return hsp__fail_memory(err);
        for (uint64_t i = 0; i < scratch->block.rows; i++)
            labels[i] = scratch->label_map[labels[i]];
        scratch->view.classes = reader->classes->count;
    }
    return hsp__stream_take(reader->stream, worker, &scratch->view, labels, err);
}

/* Look at the beginning of the file: are columns numbered from 0, are dense rows smaller, which
 * precision suffices? What is wrong with it will be said when its turn comes. */
static hsp_status libsvm_probe(libsvm_reader *reader, hsp__source *source, hsp_error *err)
{
    libsvm_scratch *scratch = &reader->scratch[0];
    hsp__block block = {0};
    char *text = NULL;
    HSP__TRY(hsp__stream_probe(reader->stream, source, err, &text, &block.size));
    block.text = text;
    if (reader->base_fixed && reader->reading.watch == HSP__WATCH_NONE) {
        /* some whole lines show whether rows are dense */
        size_t end = block.size < LIBSVM_GLANCE ? block.size : LIBSVM_GLANCE;
        while (end && end < block.size && text[end - 1] != '\n')
            end--;
        if (end) block.size = end;
    }
    const hsp_status parsed = libsvm_parse(reader, 0, &block, NULL);
    hsp__free(&reader->ctx->allocator, text);
    if (parsed == HSP_NO_MEMORY) return hsp__fail_memory(err);
    if (!reader->base_fixed && scratch->zeros) atomic_store(&reader->base, 0);
    reader->base_fixed = 1;
    if (reader->reading.watch != HSP__WATCH_NONE) {
        hsp__digit_losses losses = {0};
        hsp_error found = {0};
        const hsp_status status = libsvm_gather(reader, &losses, &found);
        if (status == HSP_NO_MEMORY) return hsp__fail_memory(err);
        reader->reading = hsp__reading_onward(reader->reading, status);
        hsp__spread_free(&scratch->spread, &reader->ctx->allocator);
        if (status) hsp__tell_double(reader->ctx, reader->name, found.message);
    }
    const unsigned base = atomic_load(&reader->base);
    uint64_t cols = scratch->past > base ? scratch->past - base : 0;
    if (cols < reader->least) cols = reader->least;
    reader->dense = hsp__stream_dense(
        reader->stream, hsp__storage_choose(scratch->block.rows, cols, scratch->block.stored,
                                            scratch->block.all_ones,
                                            libsvm_block_precision(reader, scratch)) == HSP_DENSE);
    /* forget the labels of the first block: a stream numbers them in the order of its rows */
    hsp__names_free(&scratch->names);
    hsp__names_init(&scratch->names, &reader->ctx->allocator);
    memset(scratch->recent, 0, sizeof scratch->recent);
    scratch->losses = (hsp__digit_losses){0};
    return HSP_OK;
}

hsp_status hsp__libsvm_stream(const hsp__stream *of, hsp__source *source, hsp_error *err)
{
    static const hsp__block_format format = {0, libsvm_stream_parse, libsvm_stream_take, NULL};
    libsvm_reader reader;
    hsp_status status = libsvm_start(&reader, of->ctx, source, of->options,
                                     hsp__reading_first(of->options, NULL), of->classes, err);
    const int fixed = reader.base_fixed;
    reader.stream = of;
    if (!status) status = hsp__rejects_check(reader.how.path, reader.skip, source, err);
    if (!status) status = libsvm_probe(&reader, source, err);
    if (!status && of->sink->origin) of->sink->origin->index_base = libsvm_base(&reader);
    if (!status) status = hsp__stream_begin(of, NULL, 0, err);
    if (!status) status = hsp__blocks_run(of->ctx, source, &format, &reader, reader.workers, err);
    if (!status) {
        hsp__digit_losses losses = {0};
        for (int i = 0; i < reader.workers; i++)
            hsp__losses_add(&losses, &reader.scratch[i].losses);
        libsvm_tell(&reader, fixed);
        hsp__losses_tell(of->ctx, reader.name, reader.precision, &reader.reading, &losses, NULL);
        status = hsp__rejects_tell(of->ctx, &reader.rejects, reader.name, reader.streamed, 0,
                                   of->sink->none, err);
    }
    if (!status) status = hsp__rejects_write(of->ctx, &reader.rejects, reader.how.path, NULL, err);
    hsp__csv_rejects_start(&reader.rejects, &of->ctx->allocator);
    libsvm_free(&reader);
    return status;
}
