/* The rows of a CSV file, in parallel, into one table of cells (see hsp__csv_table).
 *
 * A worker parses a block of records into cells of its own. When the block's turn comes, the words
 * that are new in it get their numbers for the whole file, and its rows get their place; then the
 * worker copies them there. Which worker met a word first leaves no trace: in the end the words are
 * sorted. */
#include <math.h>
#include <string.h>

#include "base/context.h"
#include "base/decimal.h"
#include "base/error.h"
#include "base/memory.h"
#include "data/csv_rows.h"
#include "data/data.h"
#include "data/labels.h"

/* ---- One field ------------------------------------------------------------------------------- */

static hsp_status csv_bad_number(const hsp__csv_reader *reader, uint32_t j,
                                 const hsp__csv_field *field, hsp__decimal_result result,
                                 hsp_error *err)
{
    char quoted[HSP__QUOTED];
    const char *name = hsp__csv_name(reader->plan, j), *why = "expected a finite number";
    hsp__quote(field->text, field->size, quoted);
    if (result == HSP__DECIMAL_OVERFLOW)
        why = reader->plan->precision == HSP_FLOAT32
                  ? "which is too large for 32 bits (--precision double allows up to 1e308)"
                  : "which is too large for 64 bits";
    if (result == HSP__DECIMAL_INF || result == HSP__DECIMAL_OVERFLOW)
        return hsp__fail_at(err, HSP_BAD_DATA, NULL, field->line, field->column,
                            "column '%s': found '%s', %s", name, quoted, why);
    if (reader->plan->given)
        return hsp__fail_at(
            err, HSP_BAD_DATA, NULL, field->line, field->column,
            "column '%s': found '%s', expected a number, as in the data of the encoding", name,
            quoted);
    return hsp__fail_at(err, HSP_BAD_DATA, NULL, field->line, field->column,
                        "column '%s': found '%s', expected a number as in the rows before; if the "
                        "column is categorical, use --categorical %s",
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

/* A number in one of the three ways to keep it: the _told readers, and what needs two of them. */
static const char *csv_read_number(const hsp__csv_reader *reader, const hsp__csv_field *field,
                                   void *cell, hsp__decimal_widest *widest,
                                   hsp__decimal_result *result)
{
    const char *end = field->text + field->size, *stop = NULL;
    const hsp__reading *reading = &reader->plan->reading;
    float single;
    double twice;
    if (reading->keep != HSP__KEEP_DOUBLE) {
        stop = hsp__decimal_f32_told(field->text, end, &single, widest, result);
        twice = (double)single;
        memcpy(cell, &single, sizeof single);
        if (reading->keep == HSP__KEEP_SINGLE) return stop;
    }
    if (reading->keep == HSP__KEEP_DOUBLE || *result != HSP__DECIMAL_OK)
        stop = hsp__decimal_f64_told(field->text, end, &twice, widest, result);
    if (reading->watch == HSP__WATCH_COLUMNS && hsp__rounds_twice(twice))
        hsp__rounded_twice(field->text, end, twice, result);
    memcpy(cell, &twice, sizeof twice);
    return stop;
}

static void csv_put(const hsp__csv_reader *reader, void *cell, double value)
{
    const float single = (float)value;
    if (reader->plan->precision == HSP_FLOAT64)
        memcpy(cell, &value, sizeof value);
    else
        memcpy(cell, &single, sizeof single);
}

/* A number, read again with care: the quick way did not like it. */
static hsp_status csv_number(hsp__csv_reader *reader, hsp__csv_worker *worker, uint32_t j,
                             const hsp__csv_field *field, void *cell, hsp_error *err)
{
    const hsp__csv_plan *plan = reader->plan;
    hsp__decimal_result result;
    if (hsp__csv_is_missing(field->text, field->size)) {
        csv_note_missing(worker, j, field);
        worker->missing_here = 1;
        csv_put(reader, cell, (double)NAN);
        return HSP_OK;
    }
    const char *stop =
        csv_read_number(reader, field, cell, &worker->widest[plan->columns[j].cell], &result);
    if (stop != field->text + field->size) result = HSP__DECIMAL_NONE;
    if (result == HSP__DECIMAL_OK && !hsp__prints_otherwise(&plan->reading, (ptrdiff_t)field->size))
        return HSP_OK;
    const int too_large = result == HSP__DECIMAL_OVERFLOW &&
                          plan->reading.keep == HSP__KEEP_SINGLE &&
                          plan->reading.watch != HSP__WATCH_NONE;
    if (result != HSP__DECIMAL_OK && result < HSP__DECIMAL_TINY && !too_large)
        return csv_bad_number(reader, j, field, result, err);
    worker->losses.row = worker->rows;
    return hsp__losses_note(&worker->losses, &plan->reading, worker->block, j + 1,
                            hsp__csv_name(plan, j), field->text, field->size, result, err);
}

static hsp_status csv_ordinal(hsp__csv_reader *reader, hsp__csv_worker *worker, uint32_t j,
                              const hsp__csv_field *field, void *cell, hsp_error *err)
{
    char quoted[HSP__QUOTED];
    const hsp__names *order =
        &reader->plan->encoding->columns[reader->plan->columns[j].encoded].values;
    int missing = hsp__csv_is_missing(field->text, field->size);
    uint32_t place = missing ? 0 : hsp__names_find(order, field->text, field->size);
    if (missing) {
        csv_note_missing(worker, j, field);
        worker->missing_here = 1;
    }
    if (place == HSP__NAME_NONE)
        return hsp__fail_at(
            err, HSP_BAD_DATA, NULL, field->line, field->column,
            "column '%s': found '%s', which is not one of its ordered values ('%s' to '%s')",
            hsp__csv_name(reader->plan, j), hsp__quote(field->text, field->size, quoted),
            hsp__names_get(order, 0), hsp__names_get(order, order->count - 1));
    csv_put(reader, cell, missing ? (double)NAN : place);
    return HSP_OK;
}

static hsp_status csv_bad_word(const hsp__csv_reader *reader, uint32_t j,
                               const hsp__csv_field *field, const char *why, hsp_error *err)
{
    char quoted[HSP__QUOTED];
    return hsp__fail_at(err, HSP_BAD_DATA, NULL, field->line, field->column,
                        "column '%s': found '%s', %s", hsp__csv_name(reader->plan, j),
                        hsp__quote(field->text, field->size, quoted), why);
}

/* The worker's number of a word; a new one is looked at once. */
static hsp_status csv_word(hsp__csv_reader *reader, hsp__csv_worker *worker, uint32_t j,
                           const hsp__csv_field *field, uint32_t *number, hsp_error *err)
{
    hsp__csv_words *words = &worker->words[reader->plan->columns[j].words];
    uint32_t before = words->names.count, unused;
    /* a word like NA is not kept among the recent ones: without quotes it is a missing value */
    if (!(hsp__csv_is_missing(field->text, field->size)
              ? hsp__names_add(&words->names, field->text, field->size, number)
              : hsp__csv_words_number(words, field->text, field->size, number)))
        return hsp__fail_memory(err);
    if (*number < before) return HSP_OK;
    if (reader->plan->columns[j].kind == HSP__COLUMN_LABEL)
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
    /* a class may be called "NA", in quotes; in other columns quotes are often just everywhere */
    if (!(field->quoted && field->size) && hsp__csv_is_missing(field->text, field->size)) {
        csv_note_missing(worker, j, field);
        worker->label_missing_here = 1;
        return HSP_OK;
    }
    return csv_word(reader, worker, j, field, &worker->labels[worker->rows], err);
}

static hsp_status csv_field(hsp__csv_reader *reader, hsp__csv_worker *worker, uint32_t j,
                            const hsp__csv_field *field, char *row, hsp_error *err)
{
    const hsp__csv_column *column = &reader->plan->columns[j];
    char *cell = row + column->cell * hsp__value_bytes(reader->plan->precision);
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
                                                                  int separator, hsp__keep keep,
                                                                  const hsp__reading *reading,
                                                                  hsp__decimal_widest *widest,
                                                                  void *cell, int *last)
{
    const char *p = cursor->at, *end = cursor->end;
    hsp__decimal_result result;
    p += *p == ' ';
    const char *from = p;
    if (keep == HSP__KEEP_SINGLE) {
        float value;
        p = hsp__decimal_f32_padded(p, end, &value, widest, &result);
        memcpy(cell, &value, sizeof value);
    } else {
        double value;
        p = keep == HSP__KEEP_MIXED ? hsp__decimal_mixed_padded(p, end, &value, widest, &result)
                                    : hsp__decimal_f64_padded(p, end, &value, widest, &result);
        if (hsp__rounds_twice(value) || hsp__prints_otherwise(reading, p - from)) return 0;
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

static inline int csv_is_blank(char c)
{
    return c == ' ' || c == '\t';
}

/* The word at the cursor, if it is one that was seen lately (and so is not a missing value), and is
 * plain or simply quoted. 0: look again with care. */
static inline __attribute__((always_inline)) int csv_quick_word(hsp__csv_cursor *cursor,
                                                                const hsp__csv_words *words,
                                                                uint32_t *number, int *last)
{
    const char *p = cursor->at, *end = cursor->end;
    p += *p == ' ';
    const int quoted = *p == '"';
    p += quoted;
    const char *stop = hsp__csv_find_stop(p, end, cursor->separator), *next = stop + quoted;
    if (next >= end || (*stop == '"') != quoted) return 0;
    *last = *next == '\n';
    if (!*last && *next != cursor->separator) return 0;
    if (!quoted && *last && stop > p && stop[-1] == '\r') stop--;
    if (stop == p) return 0;
    /* a word may begin or end in a space, but only between quotes */
    if (!quoted && (csv_is_blank(*p) || csv_is_blank(stop[-1]))) return 0;
    *number = hsp__csv_words_recent(words, p, (size_t)(stop - p));
    if (*number == HSP__NAME_NONE) return 0;
    cursor->at = next + 1;
    if (*last) {
        cursor->line++;
        cursor->line_start = next + 1;
    }
    return 1;
}

/* The quick ways, by the kind of the column. 0: look again with care. */
static inline __attribute__((always_inline)) int csv_quick(
    hsp__csv_worker *worker, hsp__csv_cursor *cursor, const hsp__csv_column *column, hsp__keep keep,
    const hsp__reading *reading, char *row, int *last)
{
    char *cell = row + column->cell * (keep == HSP__KEEP_SINGLE ? sizeof(float) : sizeof(double));
    const char separator = cursor->separator;
    if (separator == HSP__CSV_SPACES) return 0;
    if (column->kind == HSP__COLUMN_NUMBER)
        return csv_quick_number(cursor, (unsigned char)separator, keep, reading,
                                &worker->widest[column->cell], cell, last);
    if (column->words == HSP__NAME_NONE) return 0;
    uint32_t number;
    if (!csv_quick_word(cursor, &worker->words[column->words], &number, last)) return 0;
    if (column->kind == HSP__COLUMN_LABEL)
        worker->labels[worker->rows] = number;
    else
        memcpy(cell, &number, sizeof number);
    return 1;
}

static hsp_status csv_ragged(const hsp__csv_reader *reader, hsp__csv_cursor *cursor, uint64_t line,
                             uint64_t found, int last, hsp_error *err)
{
    hsp__csv_field field = {.last = last};
    for (; !field.last; found++)
        if (hsp__csv_next(cursor, &field, NULL)) break;
    return hsp__fail_at(err, HSP_BAD_DATA, NULL, line, 0, "found %llu fields, expected %u",
                        (unsigned long long)found, reader->plan->count);
}

/* Read one record into the row at `row`. `keep` is a constant: one copy of this for each. */
static inline __attribute__((always_inline)) hsp_status csv_record(hsp__csv_reader *reader,
                                                                   hsp__csv_worker *worker,
                                                                   hsp__csv_cursor *cursor,
                                                                   hsp__keep keep, char *row,
                                                                   hsp_error *err)
{
    const hsp__csv_column *columns = reader->plan->columns;
    const uint32_t count = reader->plan->count;
    const uint64_t line = cursor->line;
    int last = 0;
    uint32_t j = 0;
    for (; j < count && !last; j++) {
        if (csv_quick(worker, cursor, &columns[j], keep, &reader->plan->reading, row, &last))
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
    return csv_record(reader, worker, cursor, HSP__KEEP_SINGLE, row, err);
}

static hsp_status csv_record_double(hsp__csv_reader *reader, hsp__csv_worker *worker,
                                    hsp__csv_cursor *cursor, char *row, hsp_error *err)
{
    return csv_record(reader, worker, cursor, HSP__KEEP_DOUBLE, row, err);
}

static hsp_status csv_record_mixed(hsp__csv_reader *reader, hsp__csv_worker *worker,
                                   hsp__csv_cursor *cursor, char *row, hsp_error *err)
{
    return csv_record(reader, worker, cursor, HSP__KEEP_MIXED, row, err);
}

/* ---- One block ------------------------------------------------------------------------------- */

/* Room for one more row; NULL when there is no memory. */
static char *csv_row_room(const hsp__csv_reader *reader, hsp__csv_worker *worker, uint64_t line)
{
    const hsp_allocator *memory = &reader->ctx->allocator;
    const size_t bytes = hsp__value_bytes(reader->plan->precision) * reader->plan->cells;
    void *labels = worker->labels, *lines = worker->lines;
    if (!hsp__reserve(memory, &worker->cells, &worker->cells_room, worker->rows + 1, bytes))
        return NULL;
    if (!hsp__reserve(memory, &labels, &worker->labels_room, worker->rows + 1,
                      sizeof *worker->labels))
        return NULL;
    worker->labels = labels;
    if (!hsp__reserve(memory, &lines, &worker->lines_room, worker->rows + 1, sizeof *worker->lines))
        return NULL;
    worker->lines = lines;
    worker->lines[worker->rows] = line;
    return (char *)worker->cells + worker->rows * bytes;
}

/* Keep the row just read, or leave it out. Under `error` it is kept: the file is read on, to count
 * what is missing. */
static void csv_keep_row(const hsp__csv_reader *reader, hsp__csv_worker *worker)
{
    hsp__missing policy = reader->plan->missing;
    int drop = (worker->missing_here && policy == HSP__MISSING_DROP) || worker->label_missing_here;
    worker->dropped += drop;
    worker->rows += !drop;
    worker->missing_here = worker->label_missing_here = 0;
}

hsp_status hsp__csv_parse(void *self, int number, hsp__block *block, hsp_error *err)
{
    hsp__csv_reader *reader = self;
    hsp__csv_worker *worker = &reader->workers[number];
    const hsp__keep keep = reader->plan->reading.keep;
    hsp__losses *losses = &worker->losses;
    hsp__csv_cursor cursor = {.at = block->text,
                              .end = block->text + block->size,
                              .line_start = block->text,
                              .line = 1,
                              .separator = reader->plan->separator,
                              .unquoted = &worker->unquoted};
    worker->rows = 0;
    worker->missing_line = 0;
    worker->block = block->number;
    losses->here = 0;
    while (hsp__csv_skip_blank(&cursor)) {
        const uint64_t rows = worker->rows;
        const uint64_t tiny = losses->tiny, rounded = losses->rounded, column = losses->column;
        const uint64_t longs = losses->longs.count;
        char *row = csv_row_room(reader, worker, cursor.line);
        if (!row) return hsp__fail_memory(err);
        hsp_status status =
            keep == HSP__KEEP_SINGLE   ? csv_record_single(reader, worker, &cursor, row, err)
            : keep == HSP__KEEP_DOUBLE ? csv_record_double(reader, worker, &cursor, row, err)
                                       : csv_record_mixed(reader, worker, &cursor, row, err);
        if (status) return status;
        csv_keep_row(reader, worker);
        if (worker->rows > rows) continue;
        losses->tiny = tiny; /* a row that is left out loses nothing */
        losses->rounded = rounded;
        losses->column = column;
        hsp__long_decimals_cut(&losses->longs, longs);
    }
    block->lines = cursor.line - 1;
    hsp__spread_dense(&worker->spread, reader->plan->precision, worker->cells, worker->rows,
                      reader->plan->cells);
    return HSP_OK;
}

/* The number of a worker's word for the whole file. */
static hsp_status csv_merge_word(hsp__csv_reader *reader, uint32_t j, const char *word, size_t size,
                                 hsp_error *err, uint32_t *number)
{
    const hsp__csv_column *column = &reader->plan->columns[j];
    hsp__names *values = &reader->plan->encoding->columns[column->encoded].values;
    int done = 1;
    if (column->kind == HSP__COLUMN_LABEL)
        done = hsp__label_add(&reader->table->classes, word, size, number) == HSP__LABEL_OK;
    else if (!reader->plan->given)
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

static hsp_status csv_reserve(void *self, int number, hsp__blocks *run, hsp_error *err)
{
    hsp__csv_reader *reader = self;
    hsp__csv_worker *worker = &reader->workers[number];
    hsp__csv_table *table = reader->table;
    hsp_status status = HSP_OK;
    for (uint32_t j = 0; !status && j < reader->plan->count; j++)
        if (reader->plan->columns[j].words != HSP__NAME_NONE)
            status = hsp__csv_merge_words(reader, j, &worker->words[reader->plan->columns[j].words],
                                          err);
    if (status) return status;
    if (worker->missing_line && !reader->missing_line) {
        reader->missing_line = hsp__blocks_first_line(run) - 1 + worker->missing_line;
        reader->missing_column = worker->missing_column;
    }
    uint64_t rows = table->rows + worker->rows;
    if (rows > table->room || (reader->plan->labelled && rows > table->labels_room)) {
        hsp__blocks_settle(run);
        status = hsp__csv_table_grow(reader->ctx, reader->plan, table, rows, err);
        if (status) return status;
    }
    if (reader->told &&
        !hsp__long_decimals_move(&reader->told->longs, &worker->losses.longs, table->rows))
        return hsp__fail_memory(err);
    worker->first_row = table->rows;
    table->rows = rows;
    return HSP_OK;
}

void hsp__csv_place_words(const hsp__csv_reader *reader, hsp__csv_worker *worker, uint32_t j,
                          char *rows)
{
    const size_t bytes = hsp__value_bytes(reader->plan->precision);
    const size_t stride = bytes * reader->plan->cells;
    const uint32_t *map = worker->words[reader->plan->columns[j].words].map;
    char *cell = rows + reader->plan->columns[j].cell * bytes;
    for (uint64_t i = 0; i < worker->rows; i++, cell += stride) {
        uint32_t word;
        memcpy(&word, cell, sizeof word);
        if (word == HSP__CSV_MISSING) continue;
        worker->unseen[j] += map[word] == HSP__CSV_UNSEEN;
        memcpy(cell, &map[word], sizeof word);
    }
}

static void csv_place_labels(const hsp__csv_reader *reader, const hsp__csv_worker *worker,
                             const uint32_t *map)
{
    uint32_t *labels = reader->table->labels + worker->first_row;
    for (uint64_t i = 0; i < worker->rows; i++)
        labels[i] = map[worker->labels[i]];
}

static void csv_place(void *self, int number)
{
    hsp__csv_reader *reader = self;
    hsp__csv_worker *worker = &reader->workers[number];
    const size_t bytes = hsp__value_bytes(reader->plan->precision) * reader->plan->cells;
    if (!worker->rows) return; /* blank lines alone */
    for (uint32_t j = 0; j < reader->plan->count; j++) {
        const hsp__csv_column *column = &reader->plan->columns[j];
        if (column->kind == HSP__COLUMN_CATEGORY)
            hsp__csv_place_words(reader, worker, j, worker->cells);
        else if (column->kind == HSP__COLUMN_LABEL)
            csv_place_labels(reader, worker, worker->words[column->words].map);
    }
    memcpy((char *)reader->table->cells + worker->first_row * bytes, worker->cells,
           worker->rows * bytes);
}

/* ---- The workers ----------------------------------------------------------------------------- */

/* Follow the columns of numbers. */
static int csv_worker_watch(const hsp__csv_reader *reader, hsp__csv_worker *worker)
{
    const hsp_allocator *memory = &reader->ctx->allocator;
    const hsp__csv_plan *plan = reader->plan;
    uint32_t *cells = hsp__new_raw(memory, plan->cells, sizeof *cells), count = 0;
    for (uint32_t c = 0; cells && c < plan->cells; c++)
        if (plan->encoding->columns[plan->cell_columns[c]].kind == HSP__COLUMN_NUMBER)
            cells[count++] = c;
    int done = cells && hsp__spread_begin(&worker->spread, memory, cells, count);
    hsp__free(memory, cells);
    return done;
}

static int csv_worker_init(hsp__csv_reader *reader, hsp__csv_worker *worker)
{
    const hsp_allocator *memory = &reader->ctx->allocator;
    const uint32_t count = reader->plan->count;
    if (reader->told) worker->losses.longs.memory = memory;
    hsp__text_init(&worker->unquoted, memory);
    hsp__names_init(&worker->classes, memory);
    const uint32_t words = reader->plan->words, recent = hsp__csv_words_recent_count(words);
    worker->words = hsp__new(memory, words, sizeof *worker->words);
    worker->recent = hsp__new(memory, (uint64_t)words * recent, sizeof *worker->recent);
    worker->missing = hsp__new(memory, count, sizeof *worker->missing);
    worker->unseen = hsp__new(memory, count, sizeof *worker->unseen);
    worker->widest = hsp__new_raw(memory, reader->plan->cells, sizeof *worker->widest);
    if (!worker->words || !worker->recent || !worker->missing || !worker->unseen || !worker->widest)
        return 0;
    for (uint32_t c = 0; c < reader->plan->cells; c++)
        worker->widest[c] = HSP__DECIMAL_SHORT;
    if (reader->plan->reading.watch == HSP__WATCH_COLUMNS && !csv_worker_watch(reader, worker))
        return 0;
    for (uint32_t k = 0; k < words; k++)
        hsp__csv_words_init(&worker->words[k], memory, worker->recent + (size_t)k * recent, recent);
    return 1;
}

static void csv_worker_free(const hsp__csv_reader *reader, hsp__csv_worker *worker)
{
    const hsp_allocator *memory = &reader->ctx->allocator;
    for (uint32_t k = 0; worker->words && k < reader->plan->words; k++)
        hsp__csv_words_free(&worker->words[k]);
    hsp__free(memory, worker->words);
    hsp__free(memory, worker->recent);
    hsp__free(memory, worker->missing);
    hsp__free(memory, worker->unseen);
    hsp__free(memory, worker->widest);
    hsp__spread_free(&worker->spread, memory);
    hsp__long_decimals_free(&worker->losses.longs);
    hsp__free(memory, worker->cells);
    hsp__free(memory, worker->labels);
    hsp__free(memory, worker->lines);
    if (!worker->words) return; /* it was never begun */
    hsp__text_free(&worker->unquoted);
    hsp__names_free(&worker->classes);
}

int hsp__csv_start_workers(hsp__csv_reader *reader, const hsp__source *source)
{
    reader->count = hsp__blocks_workers(reader->ctx, source);
    reader->told = source->told;
    reader->workers =
        hsp__new(&reader->ctx->allocator, (uint64_t)reader->count, sizeof *reader->workers);
    for (int i = 0; reader->workers && i < reader->count; i++)
        if (!csv_worker_init(reader, &reader->workers[i])) return 0;
    return reader->workers != NULL;
}

void hsp__csv_free_workers(hsp__csv_reader *reader)
{
    for (int i = 0; reader->workers && i < reader->count; i++)
        csv_worker_free(reader, &reader->workers[i]);
    hsp__free(&reader->ctx->allocator, reader->workers);
    reader->workers = NULL;
}

/* The most digits of each cell's numbers, into the first worker's; returns those of all. */
static int csv_gather_digits(const hsp__csv_reader *reader)
{
    hsp__decimal_widest most = HSP__DECIMAL_SHORT, *widest = reader->workers[0].widest;
    for (uint32_t c = 0; c < reader->plan->cells; c++) {
        for (int i = 1; i < reader->count; i++)
            if (reader->workers[i].widest[c] > widest[c]) widest[c] = reader->workers[i].widest[c];
        if (widest[c] > most) most = widest[c];
    }
    return hsp__decimal_widest_digits(most);
}

/* HSP__NEEDS_DOUBLE if a column is narrow. */
static hsp_status csv_gather_spread(const hsp__csv_reader *reader, hsp_error *err)
{
    const hsp_allocator *memory = &reader->ctx->allocator;
    const hsp__csv_plan *plan = reader->plan;
    hsp__spread spread = {0};
    hsp_status status = HSP_OK;
    for (int i = 0; !status && i < reader->count; i++)
        if (!hsp__spread_add(&spread, memory, &reader->workers[i].spread))
            status = hsp__fail_memory(err);
    for (uint32_t c = 0; !status && c < spread.count; c++) {
        const uint32_t cell = spread.columns[c].column, column = plan->cell_columns[cell];
        if (hsp__spread_needs_double(&spread.columns[c], reader->workers[0].widest[cell]))
            status = hsp__spread_fail(&spread.columns[c], 0,
                                      hsp__names_get(&plan->encoding->names, column), err);
    }
    hsp__spread_free(&spread, memory);
    return status;
}

hsp_status hsp__csv_gather(const hsp__csv_reader *reader, hsp__csv_counts *counts, hsp_error *err)
{
    for (int i = 0; i < reader->count; i++) {
        hsp__losses_add(&counts->losses, &reader->workers[i].losses);
        counts->dropped += reader->workers[i].dropped;
        for (uint32_t j = 0; j < reader->plan->count; j++) {
            counts->missing[j] += reader->workers[i].missing[j];
            counts->unseen[j] += reader->workers[i].unseen[j];
        }
    }
    if (reader->missing_line) {
        counts->missing_line = reader->missing_line + reader->plan->data_line;
        counts->missing_column = reader->missing_column;
    }
    counts->losses.digits = csv_gather_digits(reader);
    if (*counts->losses.why) return hsp__fail(err, HSP__NEEDS_DOUBLE, "%s", counts->losses.why);
    return csv_gather_spread(reader, err);
}

int hsp__csv_counts_init(hsp__csv_counts *counts, const hsp__csv_plan *plan,
                         const hsp_allocator *memory)
{
    counts->missing = hsp__new(memory, plan->count, sizeof *counts->missing);
    counts->unseen = hsp__new(memory, plan->count, sizeof *counts->unseen);
    return counts->missing && counts->unseen;
}

void hsp__csv_counts_free(hsp__csv_counts *counts, const hsp_allocator *memory)
{
    hsp__free(memory, counts->missing);
    hsp__free(memory, counts->unseen);
}

/* ---- All blocks ------------------------------------------------------------------------------ */

void hsp__csv_narrow(const hsp__csv_plan *plan, void *cells, uint64_t rows)
{
    const char *from = cells;
    char *to = cells;
    for (uint64_t i = 0; i < rows; i++)
        for (uint32_t c = 0; c < plan->cells; c++, from += sizeof(double), to += sizeof(float)) {
            const hsp__column *column = &plan->encoding->columns[plan->cell_columns[c]];
            double wide;
            memcpy(&wide, from, sizeof wide);
            const float single = (float)wide;
            if (column->kind == HSP__COLUMN_CATEGORY)
                memmove(to, from, sizeof single);
            else
                memcpy(to, &single, sizeof single);
        }
}

hsp_status hsp__csv_table_grow(hsp_context *ctx, const hsp__csv_plan *plan, hsp__csv_table *table,
                               uint64_t rows, hsp_error *err)
{
    const size_t bytes = hsp__value_bytes(plan->precision) * plan->cells;
    void *labels = table->labels;
    if (!hsp__reserve(&ctx->allocator, &table->cells, &table->room, rows, bytes))
        return hsp__fail_memory(err);
    hsp__advise_huge(table->cells, table->room * bytes);
    if (!plan->labelled) return HSP_OK;
    if (!hsp__reserve(&ctx->allocator, &labels, &table->labels_room, rows, sizeof *table->labels))
        return hsp__fail_memory(err);
    table->labels = labels;
    return HSP_OK;
}

static hsp_status csv_run(hsp__csv_reader *reader, hsp__source *source, hsp_error *err)
{
    static const hsp__block_format format = {1, hsp__csv_parse, csv_reserve, csv_place};
    hsp_status status = hsp__blocks_run(reader->ctx, source, &format, reader, reader->count, err);
    if (status && err && err->line) err->line += reader->plan->data_line;
    return status;
}

hsp_status hsp__csv_rows(hsp_context *ctx, hsp__source *source, hsp__csv_plan *plan,
                         hsp__csv_table *table, hsp__csv_counts *counts, hsp_error *err)
{
    hsp__csv_reader reader = {.ctx = ctx, .plan = plan, .table = table};
    hsp_status status = hsp__csv_start_workers(&reader, source) ? csv_run(&reader, source, err)
                                                                : hsp__fail_memory(err);
    if (!status) status = hsp__csv_gather(&reader, counts, err);
    hsp__csv_free_workers(&reader);
    return status;
}
