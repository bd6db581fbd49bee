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
#include <assert.h>
#include <stdio.h>
#include <string.h>

#include "base/context.h"
#include "base/decimal.h"
#include "base/error.h"
#include "base/memory.h"
#include "base/threads.h"
#include "data/formats.h"
#include "data/labels.h"
#include "data/libsvm_rows.h"

_Static_assert(HSP__BLOCK_PADDING >= HSP__DECIMAL_PADDING, "blocks are padded for the decimals");

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

static hsp_status libsvm_fail(const hsp__libsvm_reader *reader, const libsvm_cursor *at,
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

static hsp_status libsvm_label_slow(const hsp__libsvm_reader *reader, hsp__libsvm_scratch *scratch,
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

static hsp_status libsvm_label(const hsp__libsvm_reader *reader, hsp__libsvm_scratch *scratch,
                               libsvm_cursor *at, uint32_t *number, hsp_error *err)
{
    const char *end = libsvm_token_end(at->p, at->end);
    size_t size = (size_t)(end - at->p);
    uint64_t text = 0;
    hsp__libsvm_recent *recent = NULL;
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
    if (recent) *recent = (hsp__libsvm_recent){text, *number};
    at->p = end;
    return HSP_OK;
}

/* ---- Features -------------------------------------------------------------------------------- */

/* The index at the cursor, as written; the cursor moves behind its colon. */
static hsp_status libsvm_index_slow(const hsp__libsvm_reader *reader, hsp__libsvm_scratch *scratch,
                                    libsvm_cursor *at, uint64_t *index, hsp_error *err)
{
    hsp__decimal_result result;
    const char *end = hsp__decimal_u64(at->p, at->end, index, &result);
    if (result == HSP__DECIMAL_NONE) {
        const char *token = libsvm_token_end(at->p, at->end);
        if (token - at->p > 4 && memcmp(at->p, "qid:", 4) == 0) {
            uint64_t query;
            at->p += 4;
            if (hsp__decimal_u64(at->p, token, &query, &result) != token)
                return libsvm_fail(reader, at, "a whole number after qid:", err);
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
        return libsvm_fail(reader, at, "':' and a value after the index", err);
    }
    at->p = end + 1;
    return HSP_OK;
}

static hsp_status libsvm_index_order(const hsp__libsvm_reader *reader, libsvm_cursor *at,
                                     uint64_t index, uint64_t least, hsp_error *err)
{
    char expected[96];
    while (at->p > at->line_start && !libsvm_is_blank(at->p[-1]))
        at->p--; /* back to the token's start */
    if (index == 0 && least == 1)
        return libsvm_fail(reader, at, "indices from 1 (use --index-base 0 if they start at 0)",
                           err);
    snprintf(expected, sizeof expected,
             index + 1 == least ? "each index once per row (%llu appears twice)"
                                : "an index above %llu (indices ascend within a row)",
             (unsigned long long)least - 1);
    return libsvm_fail(reader, at, expected, err);
}

static hsp_status libsvm_value_fail(const hsp__libsvm_reader *reader, libsvm_cursor *at,
                                    hsp__decimal_result result, hsp_error *err)
{
    const char *expected = "a finite decimal number";
    if (result == HSP__DECIMAL_OVERFLOW && reader->reading.keep == HSP__KEEP_SINGLE)
        expected = "a number below 3.4e38 (--precision double goes to 1.8e308)";
    else if (result == HSP__DECIMAL_OVERFLOW)
        expected = "a number below 1.8e308";
    return libsvm_fail(reader, at, expected, err);
}

/* A value that is no plain number, or one that the precision does not hold well, or may not. */
static hsp_status libsvm_unusual(const hsp__libsvm_reader *reader, hsp__libsvm_scratch *scratch,
                                 libsvm_cursor *at, const char *value_end, uint64_t index,
                                 hsp__decimal_result result, hsp_error *err)
{
    const int watch = reader->reading.watch != HSP__WATCH_NONE;
    if (value_end < at->end && !libsvm_ends_token(*value_end)) result = HSP__DECIMAL_NONE;
    if (result != HSP__DECIMAL_OK && result < HSP__DECIMAL_TINY &&
        !(result == HSP__DECIMAL_OVERFLOW && watch && reader->reading.keep == HSP__KEEP_SINGLE))
        return libsvm_value_fail(reader, at, result, err);
    scratch->losses.row = scratch->block.rows;
    return hsp__losses_note(&scratch->losses, &reader->reading, scratch->number, index, NULL, at->p,
                            (size_t)(value_end - at->p), result, err);
}

/* ---- Rows ------------------------------------------------------------------------------------ */

/* A token is at least three bytes ("1:1"), a row at least two ("1\n"): room for the whole block, so
 * that the loops below need not ask. */
static int libsvm_scratch_room(const hsp__libsvm_reader *reader, hsp__libsvm_scratch *scratch,
                               size_t size)
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
static int libsvm_is_first_zero(const hsp__libsvm_reader *reader, libsvm_row *row, uint64_t index)
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
static inline void libsvm_ones(hsp__libsvm_scratch *scratch, libsvm_cursor *at, libsvm_row *row,
                               const hsp__keep keep)
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
        if (keep == HSP__KEEP_SINGLE)
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

/* The features of one row, up to its newline, comment, or the end. Inlined below, once a way to
 * keep numbers, so that `keep` is a constant in the loop. */
static inline hsp_status libsvm_features(const hsp__libsvm_reader *reader,
                                         hsp__libsvm_scratch *scratch, libsvm_cursor *at,
                                         libsvm_row *row, const hsp__keep keep, hsp_error *err)
{
    uint32_t *const indices = scratch->indices;
    float *const singles = scratch->values;
    double *const doubles = scratch->values;
    const uint32_t base = scratch->base;
    for (;;) {
        while (libsvm_is_blank(*at->p))
            at->p++;
        if (row->all_ones) libsvm_ones(scratch, at, row, keep);
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
            &scratch->widest[index < HSP__LIBSVM_WIDEST ? index : HSP__LIBSVM_WIDEST - 1];
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
             hsp__prints_otherwise(&reader->reading, value_end - at->p))) {
            hsp_status status = libsvm_unusual(reader, scratch, at, value_end, index, result, err);
            if (status) return status;
        }
        at->p = value_end;
        row->stored += !zero;
        row->all_ones &= zero | one;
    }
}

static hsp_status libsvm_features_f32(const hsp__libsvm_reader *reader,
                                      hsp__libsvm_scratch *scratch, libsvm_cursor *at,
                                      libsvm_row *row, hsp_error *err)
{
    return libsvm_features(reader, scratch, at, row, HSP__KEEP_SINGLE, err);
}

static hsp_status libsvm_features_f64(const hsp__libsvm_reader *reader,
                                      hsp__libsvm_scratch *scratch, libsvm_cursor *at,
                                      libsvm_row *row, hsp_error *err)
{
    return libsvm_features(reader, scratch, at, row, HSP__KEEP_DOUBLE, err);
}

static hsp_status libsvm_features_mixed(const hsp__libsvm_reader *reader,
                                        hsp__libsvm_scratch *scratch, libsvm_cursor *at,
                                        libsvm_row *row, hsp_error *err)
{
    return libsvm_features(reader, scratch, at, row, HSP__KEEP_MIXED, err);
}

/* Behind a row only a comment may stand, and a carriage return. */
static hsp_status libsvm_line_end(const hsp__libsvm_reader *reader, libsvm_cursor *at,
                                  hsp_error *err)
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
static int libsvm_lacks_label(const hsp__libsvm_reader *reader, const libsvm_cursor *at)
{
    if (!reader->unlabelled) return 0;
    const char *end = libsvm_token_end(at->p, at->end);
    return memchr(at->p, ':', (size_t)(end - at->p)) != NULL;
}

static hsp_status libsvm_line(const hsp__libsvm_reader *reader, hsp__libsvm_scratch *scratch,
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
        status = reader->reading.keep == HSP__KEEP_SINGLE
                     ? libsvm_features_f32(reader, scratch, at, row, err)
                 : reader->reading.keep == HSP__KEEP_DOUBLE
                     ? libsvm_features_f64(reader, scratch, at, row, err)
                     : libsvm_features_mixed(reader, scratch, at, row, err);
        if (status) return status;
        scratch->labels[block->rows] = label;
        scratch->lines[block->rows] = at->line;
        scratch->lengths[block->rows++] = (uint32_t)(row->stored - before);
        if (row->least > scratch->past) scratch->past = row->least;
    }
    return libsvm_line_end(reader, at, err);
}

hsp_status hsp__libsvm_parse(void *self, int worker, hsp__block *text, hsp_error *err)
{
    hsp__libsvm_reader *reader = self;
    hsp__libsvm_scratch *scratch = &reader->scratch[worker];
    libsvm_cursor at = {text->text, text->text + text->size, text->text, 1};
    libsvm_row row = {.all_ones = 1};
    hsp_status status = HSP_OK;
    if (!libsvm_scratch_room(reader, scratch, text->size)) return hsp__fail_memory(err);
    scratch->block = (hsp__rows_block){.text_size = text->size};
    scratch->base = atomic_load_explicit(&reader->base, memory_order_relaxed);
    scratch->past = 0;
    scratch->number = text->number;
    scratch->losses.here = 0;
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
    if (reader->reading.watch == HSP__WATCH_COLUMNS &&
        !hsp__spread_sparse(&scratch->spread, &reader->ctx->allocator, reader->precision,
                            block->values, block->indices, block->lengths, block->rows,
                            scratch->base))
        return hsp__fail_memory(err);
    return HSP_OK;
}

/* ---- The whole file -------------------------------------------------------------------------- */

/* Give the labels that this worker met for the first time their numbers in the file. */
int hsp__libsvm_map_labels(hsp__libsvm_reader *reader, hsp__libsvm_scratch *scratch)
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
static hsp_status libsvm_settle_base(hsp__libsvm_reader *reader, hsp__libsvm_scratch *scratch,
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
    hsp__libsvm_reader *reader = self;
    hsp__libsvm_scratch *scratch = &reader->scratch[worker];
    (void)text;
    hsp_status status = libsvm_settle_base(reader, scratch, run, err);
    if (status) return status;
    if (!hsp__libsvm_map_labels(reader, scratch)) return hsp__fail_memory(err);
    if (reader->told &&
        !hsp__long_decimals_move(&reader->told->longs, &scratch->losses.longs, reader->rows.rows))
        return hsp__fail_memory(err);
    return hsp__rows_reserve(&reader->rows, &scratch->block, run, err, &scratch->place);
}

static void libsvm_place(void *self, int worker, const hsp__block *text)
{
    hsp__libsvm_reader *reader = self;
    hsp__libsvm_scratch *scratch = &reader->scratch[worker];
    (void)text;
    hsp__rows_copy(&reader->rows, &scratch->block, &scratch->place, scratch->label_map);
}

static const hsp__block_format libsvm_format = {0, hsp__libsvm_parse, libsvm_reserve, libsvm_place};

hsp_status hsp__libsvm_start(hsp__libsvm_reader *reader, hsp_context *ctx, hsp__source *source,
                             const hsp_options *options, hsp__reading reading, hsp__names *classes,
                             hsp_error *err)
{
    const char *base = hsp_options_text(options, "index-base");
    uint64_t text = hsp__source_packed(source) ? 0 : hsp__source_size(source);
    *reader =
        (hsp__libsvm_reader){.ctx = ctx, .name = hsp__source_name(source), .classes = classes};
    reader->told = hsp__source_told(source);
    reader->reading = reading;
    reader->precision = hsp__keep_precision(reading.keep);
    reader->base_fixed = strcmp(base, "auto") != 0;
    atomic_init(&reader->base, strcmp(base, "0") != 0);
    hsp__rows_init(&reader->rows, ctx, reader->precision, hsp_options_text(options, "storage"),
                   text);
    reader->workers = hsp__blocks_workers(ctx, source);
    reader->scratch = hsp__new(&ctx->allocator, (uint64_t)reader->workers, sizeof *reader->scratch);
    if (!reader->scratch) return hsp__fail_memory(err);
    for (int i = 0; i < reader->workers; i++) {
        hsp__names_init(&reader->scratch[i].names, &ctx->allocator);
        if (reader->told) reader->scratch[i].losses.longs.memory = &ctx->allocator;
        for (int j = 0; j < HSP__LIBSVM_WIDEST; j++)
            reader->scratch[i].widest[j] = HSP__DECIMAL_SHORT;
    }
    return HSP_OK;
}

void hsp__libsvm_free(hsp__libsvm_reader *reader)
{
    const hsp_allocator *memory = &reader->ctx->allocator;
    for (int i = 0; reader->scratch && i < reader->workers; i++) {
        hsp__libsvm_scratch *scratch = &reader->scratch[i];
        hsp__free(memory, scratch->lines);
        hsp__free(memory, scratch->lengths);
        hsp__free(memory, scratch->labels);
        hsp__free(memory, scratch->indices);
        hsp__free(memory, scratch->values);
        hsp__free(memory, scratch->label_map);
        hsp__spread_free(&scratch->spread, memory);
        hsp__long_decimals_free(&scratch->losses.longs);
        hsp__names_free(&scratch->names);
    }
    hsp__free(memory, reader->scratch);
    reader->scratch = NULL;
}

const char *hsp__libsvm_base(const hsp__libsvm_reader *reader)
{
    return atomic_load(&reader->base) ? "1" : "0";
}

void hsp__libsvm_tell(const hsp__libsvm_reader *reader)
{
    int qid = 0;
    for (int i = 0; i < reader->workers; i++)
        qid |= reader->scratch[i].qid;
    if (!reader->base_fixed && atomic_load(&reader->base) == 0)
        hsp__log(reader->ctx, HSP_LOG_NOTE,
                 "%s: found index 0, so columns are numbered from 0 (--index-base overrides this)",
                 reader->name);
    if (qid) hsp__log(reader->ctx, HSP_LOG_NOTE, "%s: qid fields were ignored", reader->name);
}

/* What the workers met, together. HSP__NEEDS_DOUBLE if a column is narrow. */
hsp_status hsp__libsvm_gather(const hsp__libsvm_reader *reader, hsp__losses *losses, hsp_error *err)
{
    const hsp_allocator *memory = &reader->ctx->allocator;
    hsp__spread spread = {0};
    hsp__decimal_widest widest[HSP__LIBSVM_WIDEST], most = HSP__DECIMAL_SHORT;
    hsp_status status = HSP_OK;
    for (int j = 0; j < HSP__LIBSVM_WIDEST; j++) {
        widest[j] = HSP__DECIMAL_SHORT;
        for (int i = 0; i < reader->workers; i++)
            if (reader->scratch[i].widest[j] > widest[j]) widest[j] = reader->scratch[i].widest[j];
        if (widest[j] > most) most = widest[j];
    }
    losses->digits = hsp__decimal_widest_digits(most);
    for (int i = 0; !status && i < reader->workers; i++) {
        hsp__losses_add(losses, &reader->scratch[i].losses);
        if (!hsp__spread_add(&spread, memory, &reader->scratch[i].spread))
            status = hsp__fail_memory(err);
    }
    for (uint32_t c = 0; !status && c < spread.count; c++) {
        const uint32_t j = spread.columns[c].column;
        if (hsp__spread_needs_double(&spread.columns[c],
                                     widest[j < HSP__LIBSVM_WIDEST ? j : HSP__LIBSVM_WIDEST - 1]))
            status = hsp__spread_fail(&spread.columns[c], j, NULL, err);
    }
    hsp__spread_free(&spread, memory);
    return status;
}

/* Read the whole source in one way. HSP__NEEDS_DOUBLE: floats do not suffice; no data set yet. */
static hsp_status libsvm_read(hsp_context *ctx, hsp__source *source, const hsp_options *options,
                              hsp__reading reading, const char *why, hsp_error *err, hsp_data **out)
{
    hsp__libsvm_reader reader;
    hsp__names classes;
    hsp__losses losses = {0};
    hsp_error narrow = {0};
    hsp__names_init(&classes, &ctx->allocator);
    uint64_t least = (uint64_t)hsp_options_integer(options, "features");
    hsp_status status = hsp__libsvm_start(&reader, ctx, source, options, reading, &classes, err);
    if (!status)
        status = hsp__blocks_run(ctx, source, &libsvm_format, &reader, reader.workers, err);
    if (!status) status = hsp__libsvm_gather(&reader, &losses, &narrow);
    if (!status || (status == HSP__NEEDS_DOUBLE && reading.keep != HSP__KEEP_SINGLE)) {
        hsp__libsvm_tell(&reader);
        hsp__libsvm_free(&reader); /* before the end may need memory of its own */
        const char *found = *losses.why ? losses.why : narrow.message;
        const int held = reading.watch != HSP__WATCH_NONE && reading.keep != HSP__KEEP_SINGLE;
        uint64_t cols = reader.rows.cols > least ? reader.rows.cols : least;
        status = hsp__rows_finish(&reader.rows, &classes, cols, err, out);
        if (!status) {
            (*out)->index_base = hsp__libsvm_base(&reader);
            (*out)->digits = losses.digits;
            for (uint64_t k = 0; reader.told && k < reader.told->longs.count; k++)
                reader.told->longs.all[k].column -= atomic_load(&reader.base);
            if (held && !*found) hsp__data_narrow(*out);
            hsp__data_tell(ctx, *out, reader.name, &reading, &losses, NULL, why ? why : found);
        }
    } else if (err && narrow.status) {
        *err = narrow;
    }
    hsp__libsvm_free(&reader);
    hsp__rows_free(&reader.rows);
    hsp__names_free(&classes);
    return status;
}

hsp_status hsp__libsvm_read(hsp_context *ctx, hsp__source *source, const hsp_options *options,
                            hsp_error *err, hsp_data **out)
{
    hsp_error first = {0};
    hsp_status status =
        libsvm_read(ctx, source, options, hsp__reading_first(options, source), NULL, &first, out);
    if (status == HSP__NEEDS_DOUBLE) {
        status = hsp__source_rewind(ctx, source, err);
        if (status) return status;
        return libsvm_read(ctx, source, options, hsp__reading_again(options), first.message, err,
                           out);
    }
    if (status && err) *err = first;
    return status;
}
