/* A block of CSV records into cells of a worker's own, the same for a whole file and for a stream.
 */
#include <math.h>
#include <string.h>

#include "base/context.h"
#include "base/decimal.h"
#include "base/error.h"
#include "base/memory.h"
#include "data/csv_block.h"
#include "data/data.h"
#include "data/formats.h"
#include "data/labels.h"

/* ---- One field ------------------------------------------------------------------------------- */

static hsp_status csv_bad_number(const hsp__csv_reader *reader, uint32_t j,
                                 const hsp__csv_field *field, hsp__decimal_result result,
                                 hsp_error *err)
{
    char quoted[HSP__QUOTED];
    const char *name = hsp__csv_name(&reader->plan, j), *why = "expected a finite number";
    hsp__quote(field->text, field->size, quoted);
    if (result == HSP__DECIMAL_OVERFLOW)
        why = reader->plan.precision == HSP_FLOAT32
                  ? "which is too large for 32 bits (--precision double has room up to 1e308)"
                  : "which is too large for 64 bits";
    if (result == HSP__DECIMAL_INF || result == HSP__DECIMAL_OVERFLOW)
        return hsp__fail_at(err, HSP_BAD_DATA, NULL, field->line, field->column,
                            "column '%s': found '%s', %s", name, quoted, why);
    return hsp__fail_at(err, HSP_BAD_DATA, NULL, field->line, field->column,
                        "column '%s': found '%s', expected a number like those before it; if the "
                        "column holds categories, say --categorical %s",
                        name, quoted, name);
}

/* A value that is not there. */
static void csv_note_missing(hsp__csv_worker *worker, uint32_t j, const hsp__csv_field *field)
{
    worker->missing[j]++;
    if (worker->missing_line) return;
    worker->missing_line = field->line;
    worker->missing_column = field->column;
}

/* A number, read again with care: the quick way did not like it. */
static hsp_status csv_number(hsp__csv_reader *reader, hsp__csv_worker *worker, uint32_t j,
                             const hsp__csv_field *field, void *cell, hsp_error *err)
{
    const char *end = field->text + field->size, *stop;
    hsp__decimal_result result;
    union {
        float f;
        double d;
    } value;
    int wide = reader->plan.precision == HSP_FLOAT64;
    if (hsp__csv_is_missing(field->text, field->size)) {
        csv_note_missing(worker, j, field);
        worker->missing_here = 1;
        if (wide)
            value.d = (double)NAN;
        else
            value.f = NAN;
    } else {
        stop = wide ? hsp__decimal_f64(field->text, end, &value.d, &result)
                    : hsp__decimal_f32(field->text, end, &value.f, &result);
        if (stop != end) result = HSP__DECIMAL_NONE;
        if (result != HSP__DECIMAL_OK) return csv_bad_number(reader, j, field, result, err);
    }
    memcpy(cell, &value, wide ? sizeof(double) : sizeof(float));
    return HSP_OK;
}

static hsp_status csv_ordinal(hsp__csv_reader *reader, hsp__csv_worker *worker, uint32_t j,
                              const hsp__csv_field *field, void *cell, hsp_error *err)
{
    char quoted[HSP__QUOTED];
    const hsp__names *order =
        &reader->plan.encoding->columns[reader->plan.columns[j].encoded].values;
    int missing = hsp__csv_is_missing(field->text, field->size);
    uint32_t place = missing ? 0 : hsp__names_find(order, field->text, field->size);
    if (missing) {
        csv_note_missing(worker, j, field);
        worker->missing_here = 1;
    }
    if (place == HSP__NAME_NONE)
        return hsp__fail_at(err, HSP_BAD_DATA, NULL, field->line, field->column,
                            "column '%s': found '%s', which is not in its order (from '%s' to "
                            "'%s')",
                            hsp__csv_name(&reader->plan, j),
                            hsp__quote(field->text, field->size, quoted), hsp__names_get(order, 0),
                            hsp__names_get(order, order->count - 1));
    float single = missing ? NAN : (float)place;
    double twice = missing ? (double)NAN : place;
    if (reader->plan.precision == HSP_FLOAT64)
        memcpy(cell, &twice, sizeof twice);
    else
        memcpy(cell, &single, sizeof single);
    return HSP_OK;
}

static hsp_status csv_bad_word(const hsp__csv_reader *reader, uint32_t j,
                               const hsp__csv_field *field, const char *why, hsp_error *err)
{
    char quoted[HSP__QUOTED];
    return hsp__fail_at(err, HSP_BAD_DATA, NULL, field->line, field->column,
                        "column '%s': found '%s', %s", hsp__csv_name(&reader->plan, j),
                        hsp__quote(field->text, field->size, quoted), why);
}

/* The worker's number of a word; a new one is looked at once. */
static hsp_status csv_word(hsp__csv_reader *reader, hsp__csv_worker *worker, uint32_t j,
                           const hsp__csv_field *field, uint32_t *number, hsp_error *err)
{
    hsp__csv_words *words = worker->words[j];
    uint32_t before = words->names.count, unused;
    if (!hsp__csv_words_number(words, field, number)) return hsp__fail_memory(err);
    if (*number < before) return HSP_OK;
    if (reader->plan.columns[j].kind == HSP__COLUMN_LABEL)
        switch (hsp__label_add(&worker->classes, field->text, field->size, &unused)) {
        case HSP__LABEL_NOT_FINITE:
            return csv_bad_word(reader, j, field, "expected a finite number or a word", err);
        case HSP__LABEL_NO_MEMORY:
            return hsp__fail_memory(err);
        default:
            break;
        }
    if (memchr(field->text, 0, field->size))
        return csv_bad_word(reader, j, field, "which holds a NUL byte: this is not text", err);
    return HSP_OK;
}

static hsp_status csv_category(hsp__csv_reader *reader, hsp__csv_worker *worker, uint32_t j,
                               const hsp__csv_field *field, void *cell, hsp_error *err)
{
    uint32_t number = HSP__CSV_MISSING;
    hsp_status status = HSP_OK;
    if (hsp__csv_is_missing(field->text, field->size)) {
        csv_note_missing(worker, j, field);
        worker->missing_here = 1;
    } else {
        status = csv_word(reader, worker, j, field, &number, err);
    }
    memcpy(cell, &number, sizeof number);
    return status;
}

static hsp_status csv_label(hsp__csv_reader *reader, hsp__csv_worker *worker, uint32_t j,
                            const hsp__csv_field *field, hsp_error *err)
{
    if (hsp__csv_is_missing(field->text, field->size)) {
        csv_note_missing(worker, j, field);
        worker->label_missing_here = 1;
        return HSP_OK;
    }
    return csv_word(reader, worker, j, field, &worker->labels[worker->rows], err);
}

static hsp_status csv_field(hsp__csv_reader *reader, hsp__csv_worker *worker, uint32_t j,
                            const hsp__csv_field *field, char *row, hsp_error *err)
{
    const hsp__csv_column *column = &reader->plan.columns[j];
    char *cell = row + column->cell * hsp__value_bytes(reader->plan.precision);
    switch (column->kind) {
    case HSP__COLUMN_NUMBER:
        return csv_number(reader, worker, j, field, cell, err);
    case HSP__COLUMN_ORDINAL:
        return csv_ordinal(reader, worker, j, field, cell, err);
    case HSP__COLUMN_CATEGORY:
        return csv_category(reader, worker, j, field, cell, err);
    case HSP__COLUMN_LABEL:
        return csv_label(reader, worker, j, field, err);
    default:
        return HSP_OK;
    }
}

/* ---- One record ------------------------------------------------------------------------------ */

/* The plain number at the cursor, if that is all there is up to the separator or the line's end:
 * nearly every field of nearly every file. 0: look again with care. */
static inline __attribute__((always_inline)) int csv_quick_number(hsp__csv_cursor *cursor,
                                                                  int separator, int wide,
                                                                  void *cell, int *last)
{
    const char *p = cursor->at, *end = cursor->end;
    hsp__decimal_result result;
    p += *p == ' ';
    if (wide) {
        double value;
        p = hsp__decimal_f64_padded(p, end, &value, &result);
        memcpy(cell, &value, sizeof value);
    } else {
        float value;
        p = hsp__decimal_f32_padded(p, end, &value, &result);
        memcpy(cell, &value, sizeof value);
    }
    if (result != HSP__DECIMAL_OK || p >= end) return 0;
    *last = 0;
    if ((unsigned char)*p != separator) {
        p += *p == '\r';
        if (p >= end || *p != '\n') return 0;
        *last = 1;
        cursor->line++;
        cursor->line_start = p + 1;
    }
    cursor->at = p + 1;
    return 1;
}

static hsp_status csv_ragged(const hsp__csv_reader *reader, hsp__csv_cursor *cursor, uint64_t line,
                             uint64_t found, int last, hsp_error *err)
{
    hsp__csv_field field = {.last = last};
    for (; !field.last; found++)
        if (hsp__csv_next(cursor, &field, NULL)) break;
    return hsp__fail_at(err, HSP_BAD_DATA, NULL, line, 0, "found %llu fields, expected %u",
                        (unsigned long long)found, reader->plan.count);
}

/* Read one record into the row at `row`. `wide` is a constant: one copy of this for each width. */
static inline __attribute__((always_inline)) hsp_status csv_record(hsp__csv_reader *reader,
                                                                   hsp__csv_worker *worker,
                                                                   hsp__csv_cursor *cursor,
                                                                   int wide, char *row,
                                                                   hsp_error *err)
{
    const hsp__csv_column *columns = reader->plan.columns;
    const uint32_t count = reader->plan.count;
    const uint64_t line = cursor->line;
    const size_t bytes = wide ? sizeof(double) : sizeof(float);
    const int separator =
        cursor->separator == HSP__CSV_SPACES ? -1 : (unsigned char)cursor->separator;
    int last = 0;
    uint32_t j = 0;
    for (; j < count && !last; j++) {
        if (columns[j].kind == HSP__COLUMN_NUMBER &&
            csv_quick_number(cursor, separator, wide, row + columns[j].cell * bytes, &last))
            continue;
        hsp__csv_field field;
        hsp_status status = hsp__csv_next(cursor, &field, err);
        if (!status) status = csv_field(reader, worker, j, &field, row, err);
        if (status) return status;
        last = field.last;
    }
    if (j < count || !last) return csv_ragged(reader, cursor, line, j, last, err);
    return HSP_OK;
}

static hsp_status csv_record_single(hsp__csv_reader *reader, hsp__csv_worker *worker,
                                    hsp__csv_cursor *cursor, char *row, hsp_error *err)
{
    return csv_record(reader, worker, cursor, 0, row, err);
}

static hsp_status csv_record_double(hsp__csv_reader *reader, hsp__csv_worker *worker,
                                    hsp__csv_cursor *cursor, char *row, hsp_error *err)
{
    return csv_record(reader, worker, cursor, 1, row, err);
}

/* ---- One block ------------------------------------------------------------------------------- */

/* Room for one more row; NULL when there is no memory. */
static char *csv_row_room(const hsp__csv_reader *reader, hsp__csv_worker *worker)
{
    const hsp_allocator *memory = &reader->ctx->allocator;
    const size_t bytes = hsp__value_bytes(reader->plan.precision) * reader->plan.cells;
    void *labels = worker->labels;
    if (!hsp__reserve(memory, &worker->cells, &worker->cells_room, worker->rows + 1, bytes))
        return NULL;
    if (!hsp__reserve(memory, &labels, &worker->labels_room, worker->rows + 1,
                      sizeof *worker->labels))
        return NULL;
    worker->labels = labels;
    return (char *)worker->cells + worker->rows * bytes;
}

/* Keep the row just read, or leave it out. Under `error` it is kept: the file is read on, to count
 * what is missing. */
static void csv_keep_row(const hsp__csv_reader *reader, hsp__csv_worker *worker)
{
    hsp__missing policy = reader->plan.missing;
    int drop = (worker->missing_here && policy == HSP__MISSING_DROP) || worker->label_missing_here;
    worker->dropped += drop;
    worker->rows += !drop;
    worker->missing_here = worker->label_missing_here = 0;
}

hsp_status hsp__csv_parse(void *self, int number, hsp__block *block, hsp_error *err)
{
    hsp__csv_reader *reader = self;
    hsp__csv_worker *worker = &reader->workers[number];
    const int wide = reader->plan.precision == HSP_FLOAT64;
    hsp__csv_cursor cursor = {
        block->text, block->text + block->size, block->text, 1, reader->plan.separator,
        NULL,        &worker->unquoted};
    worker->rows = 0;
    worker->missing_line = 0;
    while (hsp__csv_skip_blank(&cursor)) {
        char *row = csv_row_room(reader, worker);
        if (!row) return hsp__fail_memory(err);
        hsp_status status = wide ? csv_record_double(reader, worker, &cursor, row, err)
                                 : csv_record_single(reader, worker, &cursor, row, err);
        if (status) return status;
        csv_keep_row(reader, worker);
    }
    block->lines = cursor.line - 1;
    return HSP_OK;
}

/* The number of a worker's word for the whole file. */
static hsp_status csv_merge_word(hsp__csv_reader *reader, uint32_t j, const char *word, size_t size,
                                 hsp_error *err, uint32_t *number)
{
    const hsp__csv_column *column = &reader->plan.columns[j];
    hsp__names *values = &reader->plan.encoding->columns[column->encoded].values;
    int done = 1;
    if (column->kind == HSP__COLUMN_LABEL)
        done = hsp__label_add(&reader->classes, word, size, number) == HSP__LABEL_OK;
    else if (!reader->plan.given)
        done = hsp__names_add(values, word, size, number);
    else if ((*number = hsp__names_find(values, word, size)) == HSP__NAME_NONE)
        *number = HSP__CSV_UNSEEN;
    return done ? HSP_OK : hsp__fail_memory(err);
}

hsp_status hsp__csv_merge_words(hsp__csv_reader *reader, uint32_t j, hsp__csv_words *words,
                                hsp_error *err)
{
    void *map = words->map;
    if (!hsp__reserve(&reader->ctx->allocator, &map, &words->map_room, words->names.count,
                      sizeof *words->map))
        return hsp__fail_memory(err);
    words->map = map;
    for (; words->mapped < words->names.count; words->mapped++) {
        uint32_t i = words->mapped;
        hsp_status status = csv_merge_word(reader, j, hsp__names_get(&words->names, i),
                                           hsp__names_size(&words->names, i), err, &words->map[i]);
        if (status) return status;
    }
    return HSP_OK;
}

/* Change a column's numbers of words from the worker's to the file's. */
void hsp__csv_place_words(const hsp__csv_reader *reader, hsp__csv_worker *worker, uint32_t j,
                          char *rows)
{
    const size_t bytes = hsp__value_bytes(reader->plan.precision);
    const size_t stride = bytes * reader->plan.cells;
    const uint32_t *map = worker->words[j]->map;
    char *cell = rows + reader->plan.columns[j].cell * bytes;
    for (uint64_t i = 0; i < worker->rows; i++, cell += stride) {
        uint32_t word;
        memcpy(&word, cell, sizeof word);
        if (word == HSP__CSV_MISSING) continue;
        worker->unseen[j] += map[word] == HSP__CSV_UNSEEN;
        memcpy(cell, &map[word], sizeof word);
    }
}

/* ---- The workers ----------------------------------------------------------------------------- */

static int csv_worker_init(hsp__csv_reader *reader, hsp__csv_worker *worker)
{
    const hsp_allocator *memory = &reader->ctx->allocator;
    const uint32_t count = reader->plan.count;
    hsp__text_init(&worker->unquoted, memory);
    hsp__names_init(&worker->classes, memory);
    worker->words = hsp__new(memory, count, sizeof *worker->words);
    worker->missing = hsp__new(memory, count, sizeof *worker->missing);
    worker->unseen = hsp__new(memory, count, sizeof *worker->unseen);
    if (!worker->words || !worker->missing || !worker->unseen) return 0;
    for (uint32_t j = 0; j < count; j++) {
        hsp__column_kind kind = reader->plan.columns[j].kind;
        if (kind != HSP__COLUMN_CATEGORY && kind != HSP__COLUMN_LABEL) continue;
        worker->words[j] = hsp__new_raw(memory, 1, sizeof *worker->words[j]);
        if (!worker->words[j]) return 0;
        hsp__csv_words_init(worker->words[j], memory);
    }
    return 1;
}

static void csv_worker_free(const hsp__csv_reader *reader, hsp__csv_worker *worker)
{
    const hsp_allocator *memory = &reader->ctx->allocator;
    for (uint32_t j = 0; worker->words && j < reader->plan.count; j++) {
        if (worker->words[j]) hsp__csv_words_free(worker->words[j]);
        hsp__free(memory, worker->words[j]);
    }
    hsp__free(memory, worker->words);
    hsp__free(memory, worker->missing);
    hsp__free(memory, worker->unseen);
    hsp__free(memory, worker->cells);
    hsp__free(memory, worker->labels);
    if (worker->words) { /* else it was never begun */
        hsp__text_free(&worker->unquoted);
        hsp__names_free(&worker->classes);
    }
}

int hsp__csv_start_workers(hsp__csv_reader *reader, const hsp__source *source)
{
    const hsp_allocator *memory = &reader->ctx->allocator;
    reader->count = hsp__blocks_workers(reader->ctx, source);
    reader->workers = hsp__new(memory, (uint64_t)reader->count, sizeof *reader->workers);
    if (!reader->workers) return 0;
    for (int i = 0; i < reader->count; i++)
        if (!csv_worker_init(reader, &reader->workers[i])) return 0;
    return 1;
}

void hsp__csv_free_workers(hsp__csv_reader *reader)
{
    for (int i = 0; reader->workers && i < reader->count; i++)
        csv_worker_free(reader, &reader->workers[i]);
    hsp__free(&reader->ctx->allocator, reader->workers);
    reader->workers = NULL;
}

/* Pass over the header: what follows is data alone. */
hsp_status hsp__csv_skip(hsp_context *ctx, hsp__source *source, size_t size, hsp_error *err)
{
    size_t got;
    void *scrap = hsp__new_raw(&ctx->allocator, size, 1);
    if (!scrap) return hsp__fail_memory(err);
    hsp_status status = hsp__source_read(source, scrap, size, err, &got);
    hsp__free(&ctx->allocator, scrap);
    return status;
}
