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
 * wrong. Floor: the text is read once and 4 + 4 bytes an entry are written twice, to the worker's
 * scratch (cache) and to the result (memory). */
#include <assert.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>

#include "base/context.h"
#include "base/decimal.h"
#include "base/error.h"
#include "base/memory.h"
#include "base/threads.h"
#include "data/blocks.h"
#include "data/formats.h"
#include "data/labels.h"
#include "data/rows.h"
#include "data/stream.h"

_Static_assert(HSP__BLOCK_PADDING >= HSP__DECIMAL_PADDING, "blocks are padded for the decimals");

#define LIBSVM_RECENT 64 /* short labels seen last, found without hashing */

typedef struct libsvm_recent {
    uint64_t text; /* up to 7 bytes of a label, its size in the top byte; 0: none */
    uint32_t number;
} libsvm_recent;

/* What one worker parses into. */
typedef struct libsvm_scratch {
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
    libsvm_recent recent[LIBSVM_RECENT];
    uint32_t base; /* that this block's indices were read with */
    uint64_t past; /* 1 + the largest index of the block, as written */
    int zeros;     /* an index 0 is in the block; with base 1 it has wrapped around */
    int qid;       /* a "qid:" was met */
    uint64_t tiny; /* numbers that are not 0 and became 0 */
    hsp__decimal_widest widest;
} libsvm_scratch;

typedef struct libsvm_reader {
    hsp_context *ctx;
    const char *name;
    hsp_precision precision;
    int unlabelled;   /* labels are not wanted: rows need not have one */
    int base_fixed;   /* the user said which number the first column has */
    atomic_uint base; /* that number: 1, until an index 0 is met somewhere */
    hsp__rows rows;
    hsp__names *classes; /* the caller's */
    int workers;
    libsvm_scratch *scratch; /* one a worker */
} libsvm_reader;

/* Where parsing stands in a block. */
typedef struct libsvm_cursor {
    const char *p, *end, *line_start;
    uint64_t line; /* from 1 */
} libsvm_cursor;

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

static hsp_status libsvm_fail(const libsvm_reader *reader, const libsvm_cursor *at,
                              const char *expected, hsp_error *err)
{
    char quoted[HSP__QUOTED];
    const char *end = libsvm_token_end(at->p, at->end);
    uint64_t column = (uint64_t)(at->p - at->line_start) + 1;
    if (end == at->p)
        return hsp__fail_at(
            err, HSP_BAD_DATA, reader->name, at->line, column, "found the end of %s, expected %s",
            at->p < at->end && *at->p != '\n' && *at->p != '\r' ? "the token" : "the line",
            expected);
    return hsp__fail_at(err, HSP_BAD_DATA, reader->name, at->line, column,
                        "found '%s', expected %s", hsp__quote(at->p, (size_t)(end - at->p), quoted),
                        expected);
}

/* ---- Labels ---------------------------------------------------------------------------------- */

static hsp_status libsvm_label_slow(const libsvm_reader *reader, libsvm_scratch *scratch,
                                    libsvm_cursor *at, const char *end, uint32_t *number,
                                    hsp_error *err)
{
    size_t size = (size_t)(end - at->p);
    if (memchr(at->p, ':', size))
        return libsvm_fail(reader, at, "a label first, then index:value pairs", err);
    switch (hsp__label_add(&scratch->names, at->p, size, number)) {
    case HSP__LABEL_OK:
        return HSP_OK;
    case HSP__LABEL_NO_MEMORY:
        return hsp__fail_memory(err);
    case HSP__LABEL_NOT_FINITE:
        return libsvm_fail(reader, at, "a label that is a finite number or a word", err);
    default:
        return libsvm_fail(reader, at, "a label without NUL bytes (is this a text file?)", err);
    }
}

static hsp_status libsvm_label(const libsvm_reader *reader, libsvm_scratch *scratch,
                               libsvm_cursor *at, uint32_t *number, hsp_error *err)
{
    const char *end = libsvm_token_end(at->p, at->end);
    size_t size = (size_t)(end - at->p);
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
    hsp_status status = libsvm_label_slow(reader, scratch, at, end, number, err);
    if (status) return status;
    if (recent) *recent = (libsvm_recent){text, *number};
    at->p = end;
    return HSP_OK;
}

/* ---- Features -------------------------------------------------------------------------------- */

/* The index at the cursor, as written; the cursor moves behind its colon. */
static hsp_status libsvm_index_slow(const libsvm_reader *reader, libsvm_scratch *scratch,
                                    libsvm_cursor *at, uint64_t *index, hsp_error *err)
{
    hsp__decimal_result result;
    const char *end = hsp__decimal_u64(at->p, at->end, index, &result);
    if (result == HSP__DECIMAL_NONE) {
        const char *token = libsvm_token_end(at->p, at->end);
        if (token - at->p > 4 && memcmp(at->p, "qid:", 4) == 0) {
            scratch->qid = 1;
            at->p = token;
            *index = UINT64_MAX;
            return HSP_OK;
        }
        return libsvm_fail(reader, at, "index:value, a feature's number and its value", err);
    }
    if (*index > UINT32_MAX) return libsvm_fail(reader, at, "an index of at most 4294967295", err);
    if (end == at->end || *end != ':') {
        at->p = end;
        return libsvm_fail(reader, at, "':' and a value behind the index", err);
    }
    at->p = end + 1;
    return HSP_OK;
}

static hsp_status libsvm_index_order(const libsvm_reader *reader, libsvm_cursor *at, uint64_t index,
                                     uint64_t least, hsp_error *err)
{
    char expected[96];
    while (at->p > at->line_start && !libsvm_is_blank(at->p[-1]))
        at->p--; /* back to the token's start */
    if (index == 0 && least == 1)
        return libsvm_fail(reader, at, "indices from 1 (--index-base 0 reads them from 0)", err);
    snprintf(expected, sizeof expected,
             index + 1 == least ? "each index once in a row (%llu was there before)"
                                : "an index above %llu (ascending in a row)",
             (unsigned long long)least - 1);
    return libsvm_fail(reader, at, expected, err);
}

static hsp_status libsvm_value_fail(const libsvm_reader *reader, libsvm_cursor *at,
                                    hsp__decimal_result result, hsp_error *err)
{
    const char *expected = "a finite decimal number";
    if (result == HSP__DECIMAL_OVERFLOW && reader->precision == HSP_FLOAT32)
        expected = "a number below 3.4e38 (--precision double goes to 1.8e308)";
    else if (result == HSP__DECIMAL_OVERFLOW)
        expected = "a number below 1.8e308";
    return libsvm_fail(reader, at, expected, err);
}

/* ---- Rows ------------------------------------------------------------------------------------ */

/* A token is at least three bytes ("1:1"), a row at least two ("1\n"): room for the whole block, so
 * that the loops below need not ask. */
static int libsvm_scratch_room(const libsvm_reader *reader, libsvm_scratch *scratch, size_t size)
{
    const hsp_allocator *memory = &reader->ctx->allocator;
    uint64_t rows = size / 2 + 1, stored = size / 3 + 1;
    if (rows > scratch->rows_room) {
        hsp__free(memory, scratch->lengths);
        hsp__free(memory, scratch->labels);
        hsp__free(memory, scratch->lines);
        scratch->lengths = hsp__new_raw(memory, rows, sizeof *scratch->lengths);
        scratch->lines = hsp__new_raw(memory, rows, sizeof *scratch->lines);
        scratch->labels = hsp__new_raw(memory, rows, sizeof *scratch->labels);
        scratch->rows_room = scratch->lengths && scratch->labels && scratch->lines ? rows : 0;
    }
    if (stored > scratch->stored_room) {
        hsp__free(memory, scratch->indices);
        hsp__free(memory, scratch->values);
        scratch->indices = hsp__new_raw(memory, stored, sizeof *scratch->indices);
        scratch->values = hsp__new_raw(memory, stored, hsp__value_bytes(reader->precision));
        scratch->stored_room = scratch->indices && scratch->values ? stored : 0;
    }
    return scratch->rows_room && scratch->stored_room;
}

/* What the loop over features keeps in registers. */
typedef struct libsvm_row {
    uint64_t stored; /* entries of the block so far */
    uint64_t least;  /* the smallest index that may come next, as written */
    int zero;        /* this row has named column 0 */
    int zeros;       /* a row of the block has */
    int all_ones;
} libsvm_row;

/* An index below the least one expected is still right when it is 0, comes first in its row, and
 * nobody said that columns are numbered from 1. */
static int libsvm_is_first_zero(const libsvm_reader *reader, libsvm_row *row, uint64_t index)
{
    if (index != 0 || row->least != 1 || row->zero || reader->base_fixed) return 0;
    row->zero = row->zeros = 1;
    return 1;
}

/* Does a single "1" stand at p? By far the most common value. */
static inline int libsvm_is_one(const char *p)
{
    return p[0] == '1' && (p[1] == ' ' || p[1] == '\n');
}

/* A whole number of up to 7 digits (so that a float holds it) and the space or newline behind it:
 * pixels and counts. The end of the digits, or NULL. */
static inline const char *libsvm_small_integer(const char *p, uint64_t *value)
{
    const uint64_t x = hsp__decimal_load8(p), others = hsp__decimal_others(x);
    if (others == 0) return NULL;
    const unsigned n = hsp__decimal_run(others);
    if (n == 0 || (p[n] != ' ' && p[n] != '\n')) return NULL;
    *value = hsp__decimal_join(x, n);
    return p + n;
}

/* Features of value 1 that follow one another, "12:1 40:1 ", as many as there are: index, colon,
 * value and what ends it lie in one word of eight bytes. What is not so is left to the loop below.
 * Xor '0', a colon is 0x0a, a space 0x10, a newline 0x3a. */
static inline void libsvm_ones(libsvm_scratch *scratch, libsvm_cursor *at, libsvm_row *row,
                               const hsp_precision precision)
{
    const char *p = at->p;
    uint64_t k = row->stored, least = row->least;
    while (at->end - p > 8) {
        const uint64_t x = hsp__decimal_load8(p), others = hsp__decimal_others(x);
        const unsigned n = others ? hsp__decimal_run(others) : 0;
        const uint64_t behind = x >> 8 * n, ends = behind >> 16 & 0xff;
        const uint64_t index = hsp__decimal_join(x, n);
        if (n == 0 || n > 5 || (behind & 0xffff) != 0x010a || index < least) break;
        if (ends != 0x10 && ends != 0x3a) break;
        scratch->indices[k] = (uint32_t)index - scratch->base;
        if (precision == HSP_FLOAT32)
            ((float *)scratch->values)[k] = 1;
        else
            ((double *)scratch->values)[k] = 1;
        k++;
        least = index + 1;
        p += n + 2;
        if (ends == 0x3a) break;
        p++;
    }
    at->p = p;
    row->stored = k;
    row->least = least;
}

/* The features of one row, up to its newline, comment, or the end. Inlined twice below, once a
 * precision, so that `precision` is a constant in the loop. */
static inline hsp_status libsvm_features(const libsvm_reader *reader, libsvm_scratch *scratch,
                                         libsvm_cursor *at, libsvm_row *row,
                                         const hsp_precision precision, hsp_error *err)
{
    uint32_t *const indices = scratch->indices;
    float *const singles = scratch->values;
    double *const doubles = scratch->values;
    const uint32_t base = scratch->base;
    for (;;) {
        while (libsvm_is_blank(*at->p))
            at->p++;
        if (row->all_ones) libsvm_ones(scratch, at, row, precision);
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
            hsp_status status = libsvm_index_slow(reader, scratch, at, &index, err);
            if (status) return status;
            if (index == UINT64_MAX) continue;
        }
        if (__builtin_expect(index < row->least, 0) && !libsvm_is_first_zero(reader, row, index))
            return libsvm_index_order(reader, at, index, row->least, err);
        row->least = index + 1;

        uint64_t k = row->stored;
        indices[k] = (uint32_t)index - base;
        if (libsvm_is_one(at->p)) {
            at->p++;
            if (precision == HSP_FLOAT32)
                singles[k] = 1;
            else
                doubles[k] = 1;
            row->stored++;
            continue;
        }
        const char *value_end = at->p[1] == '.' ? NULL : libsvm_small_integer(at->p, &index);
        int zero, one;
        if (value_end) {
            result = HSP__DECIMAL_OK;
            if (precision == HSP_FLOAT32)
                singles[k] = (float)(int32_t)index;
            else
                doubles[k] = (int32_t)index;
            zero = index == 0;
            one = index == 1;
        } else if (precision == HSP_FLOAT32) {
            value_end =
                hsp__decimal_f32_padded(at->p, at->end, &singles[k], &scratch->widest, &result);
            zero = singles[k] == 0;
            one = singles[k] == 1;
        } else {
            value_end =
                hsp__decimal_f64_padded(at->p, at->end, &doubles[k], &scratch->widest, &result);
            zero = doubles[k] == 0;
            one = doubles[k] == 1;
        }
        if (__builtin_expect(result != HSP__DECIMAL_OK ||
                                 (value_end < at->end && !libsvm_ends_token(*value_end)),
                             0)) {
            if (result != HSP__DECIMAL_TINY ||
                (value_end < at->end && !libsvm_ends_token(*value_end)))
                return libsvm_value_fail(reader, at, result, err);
            scratch->tiny++;
        }
        at->p = value_end;
        row->stored += !zero;
        row->all_ones &= zero | one;
    }
}

static hsp_status libsvm_features_f32(const libsvm_reader *reader, libsvm_scratch *scratch,
                                      libsvm_cursor *at, libsvm_row *row, hsp_error *err)
{
    return libsvm_features(reader, scratch, at, row, HSP_FLOAT32, err);
}

static hsp_status libsvm_features_f64(const libsvm_reader *reader, libsvm_scratch *scratch,
                                      libsvm_cursor *at, libsvm_row *row, hsp_error *err)
{
    return libsvm_features(reader, scratch, at, row, HSP_FLOAT64, err);
}

/* Behind a row only a comment may stand, and a carriage return. */
static hsp_status libsvm_line_end(const libsvm_reader *reader, libsvm_cursor *at, hsp_error *err)
{
    if (at->p < at->end && *at->p == '#') {
        const char *newline = memchr(at->p, '\n', (size_t)(at->end - at->p));
        at->p = newline ? newline : at->end;
    }
    if (at->p < at->end && *at->p == '\r') {
        at->p++;
        if (at->p < at->end && *at->p != '\n')
            return hsp__fail_at(err, HSP_BAD_DATA, reader->name, at->line,
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

/* Does the row begin with a feature? Only where nobody wants labels. */
static int libsvm_lacks_label(const libsvm_reader *reader, const libsvm_cursor *at)
{
    if (!reader->unlabelled) return 0;
    const char *end = libsvm_token_end(at->p, at->end);
    return memchr(at->p, ':', (size_t)(end - at->p)) != NULL;
}

static hsp_status libsvm_line(const libsvm_reader *reader, libsvm_scratch *scratch,
                              libsvm_cursor *at, libsvm_row *row, hsp_error *err)
{
    hsp__rows_block *block = &scratch->block;
    while (at->p < at->end && libsvm_is_blank(*at->p))
        at->p++;
    if (at->p < at->end && !libsvm_ends_token(*at->p)) {
        const uint64_t before = row->stored;
        uint32_t label = 0;
        hsp_status status = HSP_OK;
        if (!libsvm_lacks_label(reader, at))
            status = libsvm_label(reader, scratch, at, &label, err);
        if (status) return status;
        row->least = reader->base_fixed ? scratch->base : 1;
        row->zero = 0;
        status = reader->precision == HSP_FLOAT32
                     ? libsvm_features_f32(reader, scratch, at, row, err)
                     : libsvm_features_f64(reader, scratch, at, row, err);
        if (status) return status;
        scratch->labels[block->rows] = label;
        scratch->lines[block->rows] = at->line;
        scratch->lengths[block->rows++] = (uint32_t)(row->stored - before);
        if (row->least > scratch->past) scratch->past = row->least;
    }
    return libsvm_line_end(reader, at, err);
}

static hsp_status libsvm_parse(void *self, int worker, hsp__block *text, hsp_error *err)
{
    libsvm_reader *reader = self;
    libsvm_scratch *scratch = &reader->scratch[worker];
    libsvm_cursor at = {text->text, text->text + text->size, text->text, 1};
    libsvm_row row = {.all_ones = 1};
    hsp_status status = HSP_OK;
    if (!libsvm_scratch_room(reader, scratch, text->size)) return hsp__fail_memory(err);
    scratch->block = (hsp__rows_block){.text_size = text->size};
    scratch->base = atomic_load_explicit(&reader->base, memory_order_relaxed);
    scratch->past = 0;
    if (text->number == 0 && text->size >= 3 && memcmp(at.p, "\xef\xbb\xbf", 3) == 0)
        at.p += 3; /* some editors begin UTF-8 text with this mark */
    while (!status && at.p < at.end)
        status = libsvm_line(reader, scratch, &at, &row, err);
    text->lines = at.line - 1;
    scratch->zeros =
        row.zeros; /* a stream's probe wants it even if something is wrong further on */
    if (status) return status;
    hsp__rows_block *block = &scratch->block;
    block->stored = row.stored;
    block->all_ones = row.all_ones;
    block->lengths = scratch->lengths;
    block->labels = scratch->labels;
    block->indices = scratch->indices;
    block->values = scratch->values;
    return HSP_OK;
}

/* ---- The whole file -------------------------------------------------------------------------- */

/* Give the labels that this worker met for the first time their numbers in the file. */
static int libsvm_map_labels(libsvm_reader *reader, libsvm_scratch *scratch)
{
    void *map = scratch->label_map;
    if (!hsp__reserve(&reader->ctx->allocator, &map, &scratch->label_map_room, scratch->names.count,
                      sizeof *scratch->label_map))
        return 0;
    scratch->label_map = map;
    for (; scratch->label_mapped < scratch->names.count; scratch->label_mapped++) {
        uint32_t i = scratch->label_mapped;
        if (!hsp__names_add(reader->classes, hsp__names_get(&scratch->names, i),
                            hsp__names_size(&scratch->names, i), &scratch->label_map[i]))
            return 0;
    }
    return 1;
}

/* The first index 0 of the file makes it 0-based as a whole: earlier rows move one column up, later
 * blocks that other workers have parsed already follow in their turn. Only in the file's order. */
static hsp_status libsvm_settle_base(libsvm_reader *reader, libsvm_scratch *scratch,
                                     hsp__blocks *run, hsp_error *err)
{
    unsigned base = atomic_load(&reader->base);
    if (base == 1 && !reader->base_fixed && scratch->zeros) {
        if (!hsp__rows_shift(&reader->rows, run)) return hsp__fail_memory(err);
        atomic_store(&reader->base, base = 0);
    }
    if (scratch->base != base)
        for (uint64_t k = 0; k < scratch->block.stored; k++)
            scratch->indices[k]++;
    scratch->block.cols = scratch->past > base ? scratch->past - base : 0;
    return HSP_OK;
}

static hsp_status libsvm_reserve(void *self, int worker, const hsp__block *text, hsp__blocks *run,
                                 hsp_error *err)
{
    libsvm_reader *reader = self;
    libsvm_scratch *scratch = &reader->scratch[worker];
    (void)text;
    hsp_status status = libsvm_settle_base(reader, scratch, run, err);
    if (status) return status;
    if (!libsvm_map_labels(reader, scratch)) return hsp__fail_memory(err);
    return hsp__rows_reserve(&reader->rows, &scratch->block, run, err, &scratch->place);
}

static void libsvm_place(void *self, int worker, const hsp__block *text)
{
    libsvm_reader *reader = self;
    libsvm_scratch *scratch = &reader->scratch[worker];
    (void)text;
    hsp__rows_copy(&reader->rows, &scratch->block, &scratch->place, scratch->label_map);
}

static const hsp__block_format libsvm_format = {0, libsvm_parse, libsvm_reserve, libsvm_place};

static hsp_status libsvm_start(libsvm_reader *reader, hsp_context *ctx, hsp__source *source,
                               const hsp_options *options, hsp__names *classes, hsp_error *err)
{
    const char *base = hsp_options_text(options, "index-base");
    uint64_t text = hsp__source_packed(source) ? 0 : hsp__source_size(source);
    *reader = (libsvm_reader){.ctx = ctx, .name = hsp__source_name(source), .classes = classes};
    reader->precision =
        strcmp(hsp_options_text(options, "precision"), "double") == 0 ? HSP_FLOAT64 : HSP_FLOAT32;
    reader->base_fixed = strcmp(base, "auto") != 0;
    atomic_init(&reader->base, strcmp(base, "0") != 0);
    hsp__rows_init(&reader->rows, ctx, reader->precision, hsp_options_text(options, "storage"),
                   text);
    reader->workers = hsp__blocks_workers(ctx, source);
    reader->scratch = hsp__new(&ctx->allocator, (uint64_t)reader->workers, sizeof *reader->scratch);
    if (!reader->scratch) return hsp__fail_memory(err);
    for (int i = 0; i < reader->workers; i++) {
        hsp__names_init(&reader->scratch[i].names, &ctx->allocator);
        reader->scratch[i].widest = HSP__DECIMAL_SHORT;
    }
    return HSP_OK;
}

static void libsvm_free_scratch(libsvm_reader *reader)
{
    const hsp_allocator *memory = &reader->ctx->allocator;
    for (int i = 0; reader->scratch && i < reader->workers; i++) {
        libsvm_scratch *scratch = &reader->scratch[i];
        hsp__free(memory, scratch->lines);
        hsp__free(memory, scratch->lengths);
        hsp__free(memory, scratch->labels);
        hsp__free(memory, scratch->indices);
        hsp__free(memory, scratch->values);
        hsp__free(memory, scratch->label_map);
        hsp__names_free(&scratch->names);
    }
    hsp__free(memory, reader->scratch);
    reader->scratch = NULL;
}

static const char *libsvm_base_text(const libsvm_reader *reader)
{
    return atomic_load(&reader->base) ? "1" : "0";
}

static void libsvm_tell(const libsvm_reader *reader)
{
    int qid = 0;
    uint64_t tiny = 0;
    for (int i = 0; i < reader->workers; i++) {
        qid |= reader->scratch[i].qid;
        tiny += reader->scratch[i].tiny;
    }
    if (!reader->base_fixed && atomic_load(&reader->base) == 0)
        hsp__log(reader->ctx, HSP_LOG_NOTE,
                 "%s: an index 0 is there, so columns are numbered from 0 (--index-base says "
                 "otherwise)",
                 reader->name);
    if (qid) hsp__log(reader->ctx, HSP_LOG_NOTE, "%s: qid fields were passed over", reader->name);
    hsp__tell_tiny(reader->ctx, reader->name, reader->precision, tiny);
}

static int libsvm_digits(const libsvm_reader *reader)
{
    hsp__decimal_widest widest = HSP__DECIMAL_SHORT;
    for (int i = 0; i < reader->workers; i++)
        if (reader->scratch[i].widest > widest) widest = reader->scratch[i].widest;
    return hsp__decimal_widest_digits(widest);
}

hsp_status hsp__libsvm_read(hsp_context *ctx, hsp__source *source, const hsp_options *options,
                            hsp_error *err, hsp_data **out)
{
    libsvm_reader reader;
    hsp__names classes;
    hsp__names_init(&classes, &ctx->allocator);
    uint64_t least = (uint64_t)hsp_options_integer(options, "features");
    hsp_status status = libsvm_start(&reader, ctx, source, options, &classes, err);
    if (!status)
        status = hsp__blocks_run(ctx, source, &libsvm_format, &reader, reader.workers, err);
    if (!status) {
        libsvm_tell(&reader);
        const int digits = libsvm_digits(&reader);
        libsvm_free_scratch(&reader); /* before the end may need memory of its own */
        uint64_t cols = reader.rows.cols > least ? reader.rows.cols : least;
        status = hsp__rows_finish(&reader.rows, &classes, cols, err, out);
        if (!status) {
            (*out)->index_base = libsvm_base_text(&reader);
            (*out)->digits = digits;
        }
    }
    libsvm_free_scratch(&reader);
    hsp__rows_free(&reader.rows);
    hsp__names_free(&classes);
    return status;
}

/* ---- Rows that pass by ----------------------------------------------------------------------- */

#define LIBSVM_DENSE_LIMIT                                                \
    64 /* a block grows at most about so many times when it becomes dense \
        */

/* The block at hand as a view. */
typedef struct libsvm_passing {
    hsp_view view;
    void *starts; /* rows + 1 of 64 bits */
    uint64_t starts_room;
    void *dense; /* rows * cols numbers */
    uint64_t dense_room;
} libsvm_passing;

typedef struct libsvm_stream {
    libsvm_reader reader; /* first: what the parser takes */
    const hsp__stream *stream;
    uint64_t least; /* columns at least */
    int dense;
    libsvm_passing *passing; /* one a worker */
} libsvm_stream;

/* Dense rows in scratch memory, from the sparse ones of the block. */
static int libsvm_make_dense(libsvm_stream *stream, const libsvm_scratch *scratch,
                             libsvm_passing *passing)
{
    const size_t bytes = hsp__value_bytes(stream->reader.precision);
    hsp_view *view = &passing->view;
    const uint64_t rows = view->rows, cols = view->cols;
    uint64_t entry = 0;
    if (cols && rows > UINT64_MAX / cols) return 0;
    if (!hsp__reserve(&stream->reader.ctx->allocator, &passing->dense, &passing->dense_room,
                      rows * cols, bytes))
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

static int libsvm_make_sparse(libsvm_stream *stream, const libsvm_scratch *scratch,
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

static int libsvm_make_view(libsvm_stream *stream, const libsvm_scratch *scratch,
                            libsvm_passing *passing)
{
    const uint64_t bytes = hsp__value_bytes(stream->reader.precision);
    const uint64_t cols = scratch->past > scratch->base ? scratch->past - scratch->base : 0;
    passing->view = (hsp_view){.precision = stream->reader.precision,
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
    libsvm_scratch *scratch = &stream->reader.scratch[worker];
    hsp_status status = libsvm_parse(&stream->reader, worker, text, err);
    if (status) return status;
    if (!libsvm_make_view(stream, scratch, &stream->passing[worker])) return hsp__fail_memory(err);
    return hsp__stream_work(stream->stream, worker, &stream->passing[worker].view, scratch->lines,
                            err);
}

static hsp_status libsvm_pass_reserve(void *self, int worker, const hsp__block *text,
                                      hsp__blocks *run, hsp_error *err)
{
    libsvm_stream *stream = self;
    libsvm_scratch *scratch = &stream->reader.scratch[worker];
    hsp_view *view = &stream->passing[worker].view;
    (void)text;
    (void)run;
    if (!stream->stream->sink->unlabelled) {
        if (!libsvm_map_labels(&stream->reader, scratch)) return hsp__fail_memory(err);
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

/* Look at the beginning of the file: are columns numbered from 0, are dense rows smaller? What is
 * wrong with it will be said when its turn comes. */
static hsp_status libsvm_probe(libsvm_stream *stream, hsp__source *source, hsp_error *err)
{
    libsvm_reader *reader = &stream->reader;
    libsvm_scratch *scratch = &reader->scratch[0];
    hsp__block block = {0};
    char *text = NULL;
    hsp_status status = hsp__stream_probe(stream->stream, source, err, &text, &block.size);
    if (status) return status;
    block.text = text;
    if (reader->base_fixed) block.size = libsvm_glance(text, block.size);
    if (libsvm_parse(reader, 0, &block, NULL) == HSP_NO_MEMORY) status = hsp__fail_memory(err);
    hsp__free(&reader->ctx->allocator, text);
    if (status) return status;
    if (!reader->base_fixed && scratch->zeros) atomic_store(&reader->base, 0);
    reader->base_fixed = 1;
    const unsigned base = atomic_load(&reader->base);
    uint64_t cols = scratch->past > base ? scratch->past - base : 0;
    if (cols < stream->least) cols = stream->least;
    stream->dense = hsp__stream_dense(
        stream->stream,
        hsp__storage_choose(scratch->block.rows, cols, scratch->block.stored,
                            scratch->block.all_ones, reader->precision) == HSP_DENSE);
    /* forget its labels: they are numbered as they pass by */
    hsp__names_free(&scratch->names);
    hsp__names_init(&scratch->names, &reader->ctx->allocator);
    memset(scratch->recent, 0, sizeof scratch->recent);
    scratch->tiny = 0;
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
    hsp_status status =
        libsvm_start(&stream.reader, of->ctx, source, of->options, of->classes, err);
    libsvm_reader *reader = &stream.reader;
    if (!status) {
        stream.passing =
            hsp__new(&of->ctx->allocator, (uint64_t)reader->workers, sizeof *stream.passing);
        if (!stream.passing) status = hsp__fail_memory(err);
    }
    const int fixed = reader->base_fixed;
    reader->unlabelled = of->sink->unlabelled;
    if (!status) status = libsvm_probe(&stream, source, err);
    if (!status && of->sink->origin) of->sink->origin->index_base = libsvm_base_text(reader);
    if (!status) status = hsp__blocks_run(of->ctx, source, &format, &stream, reader->workers, err);
    reader->base_fixed = fixed;
    if (!status) libsvm_tell(reader);
    libsvm_free_passing(&stream);
    libsvm_free_scratch(reader);
    hsp__rows_free(&reader->rows);
    return status;
}
