/* The rows of a CSV file, in parallel, into one table of cells (see hsp__csv_table).
 *
 * A worker parses a block of records into cells of its own. When the block's turn comes, the words
 * that are new in it get their numbers for the whole file, and its rows get their place; then the
 * worker copies them there. Which worker met a word first leaves no trace: in the end the words are
 * sorted. */
#include <math.h>
#include <stdatomic.h>
#include <string.h>

#include "base/context.h"
#include "base/decimal.h"
#include "base/error.h"
#include "base/memory.h"
#include "data/blocks.h"
#include "data/csv.h"
#include "data/data.h"
#include "data/formats.h"
#include "data/labels.h"

typedef struct csv_worker {
    void *cells; /* rows * plan->cells, of the block at hand */
    uint64_t cells_room;
    uint32_t *labels; /* rows */
    uint64_t labels_room;
    uint64_t rows, first_row;  /* of the block at hand; where they go */
    hsp__csv_words **words;    /* plan->count: of category and label columns, or NULL */
    hsp__names classes;        /* scratch: is a new label sound? */
    hsp__text unquoted;
    int missing_here;          /* in the record at hand, in a feature */
    int label_missing_here;    /* the same of its label */
    uint64_t missing_line, missing_column; /* the first of the block at hand, 0: none */
    uint64_t *missing;         /* plan->count, over all blocks */
    uint64_t *unseen;          /* plan->count, over all blocks */
    uint64_t dropped;          /* rows, over all blocks */
} csv_worker;

typedef struct csv_reader {
    hsp_context *ctx;
    hsp__csv_plan plan;
    hsp__csv_table table;
    csv_worker *workers;
    int count; /* workers */
    hsp__names classes;
    uint64_t missing_line, missing_column; /* the first of the file, 0: none */
    uint64_t dropped;                      /* rows left out, in the end */
} csv_reader;

/* ---- One field ------------------------------------------------------------------------------- */

static hsp_status csv_bad_number(const csv_reader *reader, uint32_t j, const hsp__csv_field *field,
                                 hsp__decimal_result result, hsp_error *err)
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
static void csv_note_missing(csv_worker *worker, uint32_t j, const hsp__csv_field *field)
{
    worker->missing[j]++;
    if (worker->missing_line) return;
    worker->missing_line = field->line;
    worker->missing_column = field->column;
}

/* A number, read again with care: the quick way did not like it. */
static hsp_status csv_number(csv_reader *reader, csv_worker *worker, uint32_t j,
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

static hsp_status csv_ordinal(csv_reader *reader, csv_worker *worker, uint32_t j,
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

static hsp_status csv_bad_word(const csv_reader *reader, uint32_t j, const hsp__csv_field *field,
                               const char *why, hsp_error *err)
{
    char quoted[HSP__QUOTED];
    return hsp__fail_at(err, HSP_BAD_DATA, NULL, field->line, field->column,
                        "column '%s': found '%s', %s", hsp__csv_name(&reader->plan, j),
                        hsp__quote(field->text, field->size, quoted), why);
}

/* The worker's number of a word; a new one is looked at once. */
static hsp_status csv_word(csv_reader *reader, csv_worker *worker, uint32_t j,
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
        case HSP__LABEL_NO_MEMORY: return hsp__fail_memory(err);
        default: break;
        }
    if (memchr(field->text, 0, field->size))
        return csv_bad_word(reader, j, field, "which holds a NUL byte: this is not text", err);
    return HSP_OK;
}

static hsp_status csv_category(csv_reader *reader, csv_worker *worker, uint32_t j,
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

static hsp_status csv_label(csv_reader *reader, csv_worker *worker, uint32_t j,
                            const hsp__csv_field *field, hsp_error *err)
{
    if (hsp__csv_is_missing(field->text, field->size)) {
        csv_note_missing(worker, j, field);
        worker->label_missing_here = 1;
        return HSP_OK;
    }
    return csv_word(reader, worker, j, field, &worker->labels[worker->rows], err);
}

static hsp_status csv_field(csv_reader *reader, csv_worker *worker, uint32_t j,
                            const hsp__csv_field *field, char *row, hsp_error *err)
{
    const hsp__csv_column *column = &reader->plan.columns[j];
    char *cell = row + column->cell * hsp__value_bytes(reader->plan.precision);
    switch (column->kind) {
    case HSP__COLUMN_NUMBER: return csv_number(reader, worker, j, field, cell, err);
    case HSP__COLUMN_ORDINAL: return csv_ordinal(reader, worker, j, field, cell, err);
    case HSP__COLUMN_CATEGORY: return csv_category(reader, worker, j, field, cell, err);
    case HSP__COLUMN_LABEL: return csv_label(reader, worker, j, field, err);
    default: return HSP_OK;
    }
}

/* ---- One record ------------------------------------------------------------------------------ */

/* The plain number at the cursor, if that is all there is up to the separator or the line's end:
 * nearly every field of nearly every file. 0: look again with care. */
static inline __attribute__((always_inline)) int
csv_quick_number(hsp__csv_cursor *cursor, int separator, int wide, void *cell, int *last)
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

static hsp_status csv_ragged(const csv_reader *reader, hsp__csv_cursor *cursor, uint64_t line,
                             uint64_t found, int last, hsp_error *err)
{
    hsp__csv_field field = {.last = last};
    for (; !field.last; found++)
        if (hsp__csv_next(cursor, &field, NULL)) break;
    return hsp__fail_at(err, HSP_BAD_DATA, NULL, line, 0, "found %llu fields, expected %u",
                        (unsigned long long)found, reader->plan.count);
}

/* Read one record into the row at `row`. `wide` is a constant: one copy of this for each width. */
static inline __attribute__((always_inline)) hsp_status
csv_record(csv_reader *reader, csv_worker *worker, hsp__csv_cursor *cursor, int wide, char *row,
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

static hsp_status csv_record_single(csv_reader *reader, csv_worker *worker, hsp__csv_cursor *cursor,
                                    char *row, hsp_error *err)
{
    return csv_record(reader, worker, cursor, 0, row, err);
}

static hsp_status csv_record_double(csv_reader *reader, csv_worker *worker, hsp__csv_cursor *cursor,
                                    char *row, hsp_error *err)
{
    return csv_record(reader, worker, cursor, 1, row, err);
}

/* ---- One block ------------------------------------------------------------------------------- */

/* Room for one more row; NULL when there is no memory. */
static char *csv_row_room(const csv_reader *reader, csv_worker *worker)
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
static void csv_keep_row(const csv_reader *reader, csv_worker *worker)
{
    hsp__missing policy = reader->plan.missing;
    int drop = (worker->missing_here && policy == HSP__MISSING_DROP) || worker->label_missing_here;
    worker->dropped += drop;
    worker->rows += !drop;
    worker->missing_here = worker->label_missing_here = 0;
}

static hsp_status csv_parse(void *self, int number, hsp__block *block, hsp_error *err)
{
    csv_reader *reader = self;
    csv_worker *worker = &reader->workers[number];
    const int wide = reader->plan.precision == HSP_FLOAT64;
    hsp__csv_cursor cursor = {
        block->text, block->text + block->size, block->text,      1, reader->plan.separator,
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
static hsp_status csv_merge_word(csv_reader *reader, uint32_t j, const char *word, size_t size,
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

static hsp_status csv_merge_words(csv_reader *reader, uint32_t j, hsp__csv_words *words,
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

/* Room in the table for `rows` in all. */
static hsp_status csv_grow(csv_reader *reader, uint64_t rows, hsp_error *err)
{
    const hsp_allocator *memory = &reader->ctx->allocator;
    const size_t bytes = hsp__value_bytes(reader->plan.precision) * reader->plan.cells;
    hsp__csv_table *table = &reader->table;
    void *labels = table->labels;
    if (!hsp__reserve(memory, &table->cells, &table->room, rows, bytes))
        return hsp__fail_memory(err);
    hsp__advise_huge(table->cells, table->room * bytes);
    if (!reader->plan.labelled) return HSP_OK;
    if (!hsp__reserve(memory, &labels, &table->labels_room, rows, sizeof *table->labels))
        return hsp__fail_memory(err);
    table->labels = labels;
    return HSP_OK;
}

static hsp_status csv_reserve(void *self, int number, const hsp__block *block, hsp__blocks *run,
                              hsp_error *err)
{
    csv_reader *reader = self;
    csv_worker *worker = &reader->workers[number];
    hsp__csv_table *table = &reader->table;
    hsp_status status = HSP_OK;
    (void)block;
    for (uint32_t j = 0; !status && j < reader->plan.count; j++)
        if (worker->words[j]) status = csv_merge_words(reader, j, worker->words[j], err);
    if (status) return status;
    if (worker->missing_line && !reader->missing_line) {
        reader->missing_line = hsp__blocks_first_line(run) - 1 + worker->missing_line;
        reader->missing_column = worker->missing_column;
    }
    uint64_t rows = table->rows + worker->rows;
    if (rows > table->room || (reader->plan.labelled && rows > table->labels_room)) {
        hsp__blocks_settle(run);
        status = csv_grow(reader, rows, err);
        if (status) return status;
    }
    worker->first_row = table->rows;
    table->rows = rows;
    return HSP_OK;
}

/* Change a column's numbers of words from the worker's to the file's. */
static void csv_place_words(const csv_reader *reader, csv_worker *worker, uint32_t j, char *rows)
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

static void csv_place(void *self, int number, const hsp__block *block)
{
    csv_reader *reader = self;
    csv_worker *worker = &reader->workers[number];
    const size_t bytes = hsp__value_bytes(reader->plan.precision) * reader->plan.cells;
    (void)block;
    for (uint32_t j = 0; j < reader->plan.count; j++) {
        if (!worker->words[j]) continue;
        if (reader->plan.columns[j].kind == HSP__COLUMN_CATEGORY) {
            csv_place_words(reader, worker, j, worker->cells);
            continue;
        }
        uint32_t *labels = reader->table.labels + worker->first_row;
        for (uint64_t i = 0; i < worker->rows; i++)
            labels[i] = worker->words[j]->map[worker->labels[i]];
    }
    if (worker->rows)
        memcpy((char *)reader->table.cells + worker->first_row * bytes, worker->cells,
               worker->rows * bytes);
}

/* ---- The workers ----------------------------------------------------------------------------- */

static int csv_worker_init(csv_reader *reader, csv_worker *worker)
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

static void csv_worker_free(const csv_reader *reader, csv_worker *worker)
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

static void csv_free_workers(csv_reader *reader)
{
    for (int i = 0; reader->workers && i < reader->count; i++)
        csv_worker_free(reader, &reader->workers[i]);
    hsp__free(&reader->ctx->allocator, reader->workers);
    reader->workers = NULL;
}

/* ---- After the last row ---------------------------------------------------------------------- */

/* Add the workers' counts up into the first worker's. */
static void csv_add_counts(csv_reader *reader)
{
    csv_worker *first = &reader->workers[0];
    for (int i = 1; i < reader->count; i++) {
        first->dropped += reader->workers[i].dropped;
        for (uint32_t j = 0; j < reader->plan.count; j++) {
            first->missing[j] += reader->workers[i].missing[j];
            first->unseen[j] += reader->workers[i].unseen[j];
        }
    }
}

/* "age 3, job 17", the first ten columns that have any; returns the total. */
static uint64_t csv_list_counts(const csv_reader *reader, const uint64_t *counts, hsp__text *text)
{
    uint64_t total = 0;
    uint32_t listed = 0;
    for (uint32_t j = 0; j < reader->plan.count; j++) {
        total += counts[j];
        if (!counts[j] || listed++ >= 10) continue;
        hsp__text_printf(text, "%s%.30s %llu", listed > 1 ? ", " : "",
                         hsp__csv_name(&reader->plan, j), (unsigned long long)counts[j]);
    }
    if (listed > 10) hsp__text_printf(text, " and %u more columns", listed - 10);
    return total;
}

/* Missing values: an error, or a word to the user. */
static hsp_status csv_tell_missing(csv_reader *reader, const hsp__csv_plan *plan, hsp__text *text,
                                   hsp_error *err)
{
    const csv_worker *all = &reader->workers[0];
    uint64_t total = csv_list_counts(reader, all->missing, text);
    if (!total) return HSP_OK;
    if (text->failed) return hsp__fail_memory(err);
    if (plan->missing == HSP__MISSING_ERROR)
        return hsp__fail_at(err, HSP_BAD_DATA, plan->file, reader->missing_line + plan->data_line,
                            reader->missing_column,
                            "found %llu missing values, here the first (%s); say %s",
                            (unsigned long long)total, text->data,
                            plan->given ? "--missing drop to leave their rows out"
                                        : "what to do: --missing drop, mean or indicator");
    if (plan->missing != HSP__MISSING_DROP)
        hsp__log(reader->ctx, HSP_LOG_NOTE, "%s: %llu missing values (%s), treated by '%s'",
                 plan->file, (unsigned long long)total, text->data,
                 hsp__missing_word(plan->missing));
    if (all->dropped)
        hsp__log(reader->ctx, HSP_LOG_NOTE,
                 "%s: %llu of %llu rows were left out for their missing values (%s)", plan->file,
                 (unsigned long long)all->dropped,
                 (unsigned long long)(all->dropped + reader->table.rows), text->data);
    return HSP_OK;
}

static hsp_status csv_tell_unseen(csv_reader *reader, const hsp__csv_plan *plan, hsp__text *text,
                                  hsp_error *err)
{
    uint64_t total;
    text->size = 0;
    total = csv_list_counts(reader, reader->workers[0].unseen, text);
    if (text->failed) return hsp__fail_memory(err);
    if (total)
        hsp__log(reader->ctx, HSP_LOG_WARNING,
                 "%s: %llu values were not seen when the encoding was made (%s); they became zeros",
                 plan->file, (unsigned long long)total, text->data);
    return HSP_OK;
}

/* Missing values under an encoding whose column had none, and so has no indicator. */
static void csv_tell_unindicated(csv_reader *reader, const hsp__csv_plan *plan)
{
    uint64_t total = 0;
    uint32_t where = 0;
    if (!plan->given || plan->missing != HSP__MISSING_INDICATOR) return;
    for (uint32_t j = 0; j < plan->count; j++) {
        const hsp__column *column = &plan->encoding->columns[plan->columns[j].encoded];
        if (!reader->workers[0].missing[j] || column->indicator ||
            plan->columns[j].kind == HSP__COLUMN_LABEL)
            continue;
        total += reader->workers[0].missing[j];
        where = j;
    }
    if (total)
        hsp__log(reader->ctx, HSP_LOG_WARNING,
                 "%s: %llu missing values became zeros: their columns (such as '%s') had none when "
                 "the encoding was made",
                 plan->file, (unsigned long long)total, hsp__csv_name(plan, where));
}

static hsp_status csv_tell(csv_reader *reader, hsp_error *err)
{
    hsp__text text;
    hsp__text_init(&text, &reader->ctx->allocator);
    const hsp__csv_plan *plan = &reader->plan;
    uint64_t dropped = reader->workers[0].dropped;
    hsp_status status = csv_tell_missing(reader, plan, &text, err);
    if (!status) status = csv_tell_unseen(reader, plan, &text, err);
    if (!status) csv_tell_unindicated(reader, plan);
    if (!status && !reader->table.rows)
        status = hsp__fail_at(err, HSP_BAD_DATA, plan->file, 0, 0,
                              dropped ? "every row has a missing value: none is left"
                                      : "there are names in the first line, and no rows");
    hsp__text_free(&text);
    return status;
}

/* An encoding made here gets its indicators: of the columns that had missing values. */
static void csv_set_indicators(csv_reader *reader)
{
    hsp__csv_plan *plan = &reader->plan;
    if (plan->given || plan->missing != HSP__MISSING_INDICATOR) return;
    for (uint32_t j = 0; j < plan->count; j++)
        if (plan->columns[j].kind != HSP__COLUMN_LABEL && reader->workers[0].missing[j])
            plan->encoding->columns[plan->columns[j].encoded].indicator = 1;
}

/* Names without those that were seen only in rows left out; index[old] = new of the others. */
static int csv_keep_used(hsp__names *names, const unsigned char *used, uint32_t *index)
{
    hsp__names kept;
    hsp__names_init(&kept, &names->memory);
    int done = 1;
    for (uint32_t i = 0; done && i < names->count; i++)
        if (used[i])
            done = hsp__names_add(&kept, hsp__names_get(names, i), hsp__names_size(names, i),
                                  &index[i]);
    if (!done) {
        hsp__names_free(&kept);
        return 0;
    }
    hsp__names_free(names);
    *names = kept;
    return 1;
}

/* Sort names, those that are not used left out; order[old] = new. `sorted` is scratch of the same
 * size. */
static int csv_sort_used(hsp__names *names, const unsigned char *used, uint32_t *order,
                         uint32_t *sorted)
{
    const uint32_t count = names->count;
    if (!csv_keep_used(names, used, order) || !hsp__names_sort(names, sorted)) return 0;
    for (uint32_t i = 0; i < count; i++)
        order[i] = used[i] ? sorted[order[i]] : 0;
    return 1;
}

/* The order of a column's words once sorted: order[old] = new. NULL when there is no memory. */
static uint32_t *csv_sort_words(const csv_reader *reader, uint32_t cell, hsp__names *names)
{
    const hsp_allocator *memory = &reader->ctx->allocator;
    const size_t bytes = hsp__value_bytes(reader->plan.precision);
    const char *at = (const char *)reader->table.cells + cell * bytes;
    uint32_t *order = hsp__new(memory, names->count, sizeof *order);
    uint32_t *sorted = hsp__new(memory, names->count, sizeof *sorted);
    unsigned char *used = hsp__new(memory, names->count, 1);
    int done = order && sorted && used;
    if (done && !reader->dropped) memset(used, 1, names->count);
    for (uint64_t i = 0; done && reader->dropped && i < reader->table.rows; i++) {
        uint32_t word;
        memcpy(&word, at + i * bytes * reader->plan.cells, sizeof word);
        if (word != HSP__CSV_MISSING) used[word] = 1;
    }
    done = done && csv_sort_used(names, used, order, sorted);
    hsp__free(memory, sorted);
    hsp__free(memory, used);
    if (done) return order;
    hsp__free(memory, order);
    return NULL;
}

static hsp_status csv_sort_categories(csv_reader *reader, hsp_error *err)
{
    const hsp_allocator *memory = &reader->ctx->allocator;
    hsp__csv_plan *plan = &reader->plan;
    if (plan->given) return HSP_OK;
    reader->table.orders = hsp__new(memory, plan->cells, sizeof *reader->table.orders);
    if (!reader->table.orders) return hsp__fail_memory(err);
    for (uint32_t c = 0; c < plan->cells; c++) {
        hsp__column *column = &plan->encoding->columns[plan->cell_columns[c]];
        if (column->kind != HSP__COLUMN_CATEGORY) continue;
        reader->table.orders[c] = csv_sort_words(reader, c, &column->values);
        if (!reader->table.orders[c]) return hsp__fail_memory(err);
    }
    return HSP_OK;
}

/* Sort the classes from number `from` on, which are new, and leave out the unused ones among them;
 * those before stay as they are. */
static int csv_sort_classes(hsp__names *classes, uint32_t from, const unsigned char *used,
                            uint32_t *order, uint32_t *sorted)
{
    hsp__names before, after;
    hsp__names_init(&before, &classes->memory);
    hsp__names_init(&after, &classes->memory);
    uint32_t number;
    int done = 1;
    for (uint32_t i = 0; done && i < classes->count; i++)
        done = hsp__names_add(i < from ? &before : &after, hsp__names_get(classes, i),
                              hsp__names_size(classes, i), &number);
    done = done && csv_sort_used(&after, used + from, order + from, sorted);
    done = done && hsp__names_copy(&before, &after);
    for (uint32_t i = 0; done && i < classes->count; i++)
        order[i] = i < from ? i : order[i] + from;
    if (done) {
        hsp__names_free(classes);
        *classes = before;
    } else {
        hsp__names_free(&before);
    }
    hsp__names_free(&after);
    return done;
}

/* The labels' classes in their order: an encoding's first, then new ones, sorted. */
static int csv_order_labels(csv_reader *reader, uint32_t known)
{
    const hsp_allocator *memory = &reader->ctx->allocator;
    const uint32_t count = reader->classes.count;
    uint32_t *labels = reader->table.labels;
    uint32_t *order = hsp__new(memory, count, sizeof *order);
    uint32_t *sorted = hsp__new(memory, count, sizeof *sorted);
    unsigned char *used = hsp__new(memory, count, 1);
    int done = order && sorted && used;
    for (uint64_t i = 0; done && reader->plan.labelled && i < reader->table.rows; i++)
        used[labels[i]] = 1;
    done = done && csv_sort_classes(&reader->classes, known, used, order, sorted);
    for (uint64_t i = 0; done && reader->plan.labelled && i < reader->table.rows; i++)
        labels[i] = order[labels[i]];
    hsp__free(memory, order);
    hsp__free(memory, sorted);
    hsp__free(memory, used);
    return done;
}

static hsp_status csv_finish_labels(csv_reader *reader, hsp_error *err)
{
    hsp__csv_plan *plan = &reader->plan;
    uint32_t known = plan->given ? plan->encoding->classes.count : 0;
    if (!csv_order_labels(reader, known)) return hsp__fail_memory(err);
    if (!plan->given && !hsp__names_copy(&plan->encoding->classes, &reader->classes))
        return hsp__fail_memory(err);
    if (known && reader->classes.count > known)
        hsp__log(reader->ctx, HSP_LOG_WARNING,
                 "%s: %u labels were not seen when the encoding was made (such as '%s')",
                 plan->file, reader->classes.count - known, hsp__names_get(&reader->classes, known));
    return HSP_OK;
}

static hsp_status csv_finish(csv_reader *reader, const hsp_options *options, hsp_error *err,
                             hsp_data **out)
{
    hsp_data *data = NULL;
    csv_add_counts(reader);
    hsp_status status = csv_tell(reader, err);
    if (status) return status;
    csv_set_indicators(reader);
    reader->dropped = reader->workers[0].dropped;
    csv_free_workers(reader);
    status = csv_sort_categories(reader, err);
    if (!status) status = csv_finish_labels(reader, err);
    if (!status && !reader->plan.given && reader->plan.missing == HSP__MISSING_MEAN)
        hsp__csv_means(reader->ctx, &reader->plan, &reader->table);
    if (!status)
        status = hsp__csv_expand(reader->ctx, &reader->plan, &reader->table, options, err, &data);
    if (status) return status;
    if (reader->plan.labelled) {
        data->class_names = reader->classes;
        hsp__names_init(&reader->classes, &reader->ctx->allocator);
    }
    hsp__data_seal(data);
    *out = data;
    return HSP_OK;
}

/* ---- From the beginning ---------------------------------------------------------------------- */

/* Pass over the header: what follows is data alone. */
static hsp_status csv_skip(hsp_context *ctx, hsp__source *source, size_t size, hsp_error *err)
{
    size_t got;
    void *scrap = hsp__new_raw(&ctx->allocator, size, 1);
    if (!scrap) return hsp__fail_memory(err);
    hsp_status status = hsp__source_read(source, scrap, size, err, &got);
    hsp__free(&ctx->allocator, scrap);
    return status;
}

/* Make room for as many rows as the file's size promises, so that nothing moves on the way. Pages
 * that are not written cost nothing. */
static hsp_status csv_estimate(csv_reader *reader, const hsp__source *source,
                               const hsp__csv_sample *sample, hsp_error *err)
{
    double each = (double)sample->record_bytes / (double)sample->records;
    double rows = (double)hsp__source_size(source) / each;
    return csv_grow(reader, (uint64_t)(rows * 1.02) + 16, err);
}

static hsp_status csv_start(csv_reader *reader, hsp__source *source, const hsp__csv_sample *sample,
                            hsp_error *err)
{
    hsp_context *ctx = reader->ctx;
    hsp_status status = csv_skip(ctx, source, reader->plan.data_at, err);
    if (!status) status = csv_estimate(reader, source, sample, err);
    if (status) return status;
    if (reader->plan.given && !hsp__names_copy(&reader->classes, &reader->plan.encoding->classes))
        return hsp__fail_memory(err);
    reader->count = hsp__blocks_workers(ctx, source);
    reader->workers = hsp__new(&ctx->allocator, (uint64_t)reader->count, sizeof *reader->workers);
    if (!reader->workers) return hsp__fail_memory(err);
    for (int i = 0; i < reader->count; i++)
        if (!csv_worker_init(reader, &reader->workers[i])) return hsp__fail_memory(err);
    return HSP_OK;
}

static hsp_status csv_run(csv_reader *reader, hsp__source *source, hsp_error *err)
{
    static const hsp__block_format format = {1, csv_parse, csv_reserve, csv_place};
    hsp_status status = hsp__blocks_run(reader->ctx, source, &format, reader, reader->count, err);
    if (status && err && err->line) err->line += reader->plan.data_line;
    return status;
}

static void csv_free(csv_reader *reader)
{
    const hsp_allocator *memory = &reader->ctx->allocator;
    csv_free_workers(reader);
    for (uint32_t c = 0; reader->table.orders && c < reader->plan.cells; c++)
        hsp__free(memory, reader->table.orders[c]);
    hsp__free(memory, reader->table.orders);
    hsp__free(memory, reader->table.cells);
    hsp__free(memory, reader->table.labels);
    hsp__names_free(&reader->classes);
    hsp__csv_plan_free(memory, &reader->plan);
}

hsp_status hsp__csv_read(hsp_context *ctx, hsp__source *source, int tabs,
                         const hsp_options *options, const hsp_encoding *encoding, hsp_error *err,
                         hsp_data **out)
{
    csv_reader reader = {.ctx = ctx};
    hsp__csv_sample sample = {0};
    hsp__names_init(&reader.classes, &ctx->allocator);
    hsp__names_init(&reader.plan.names, &ctx->allocator);
    hsp_status status = hsp__csv_detect(ctx, source, tabs, options, encoding, err, &sample);
    if (!status)
        status = hsp__csv_plan_make(ctx, hsp__source_name(source), &sample, options, encoding, err,
                                    &reader.plan);
    if (!status) status = csv_start(&reader, source, &sample, err);
    hsp__csv_sample_free(&ctx->allocator, &sample);
    if (!status) status = csv_run(&reader, source, err);
    if (!status) status = csv_finish(&reader, options, err, out);
    csv_free(&reader);
    return status;
}
