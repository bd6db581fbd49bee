/* Blocks of records into cells, in parallel (see hsp__csv_table).
 *
 * A worker parses a block of records into cells of its own, words as it numbers them itself. When the
 * block's turn comes, the words that are new in it get their numbers for the whole file. Which worker
 * met a word first leaves no trace: in the end the words are sorted. */
#include <stdio.h>

#include "base/base.h"
#include "base/decimal.h"
#include "data/csv.h"
#include "data/data.h"
#include "data/formats.h"

#define CSV_RECENT_MOST  256 /* words kept at hand for each column, fewer if there */
#define CSV_RECENT_BYTES ((uint64_t)1 << 20) /* are many: a worker's, of all columns, about */

/* ---- Words ----------------------------------------------------------------------------------- */

/* The first and the last eight bytes of a word (which overlap in short ones): with the size they
 * are all of a word of up to 16 bytes. */
static inline hsp__csv_recent csv_word_key(const char *text, size_t size)
{
    hsp__csv_recent key = {0, 0, (uint32_t)size, 0};
    memcpy(&key.head, text, sizeof key.head);
    if (size >= 8) {
        memcpy(&key.tail, text + size - 8, sizeof key.tail);
        return key;
    }
#if __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
    key.head >>= 64 - 8 * size;
#else
    key.head <<= 64 - 8 * size;
#endif
    return key;
}

static inline size_t csv_word_slot(const hsp__csv_words *words, const hsp__csv_recent *key)
{
    uint64_t mixed = key->head ^ (key->tail + key->size) * UINT64_C(0x9e3779b97f4a7c15);
    return (size_t)(mixed * UINT64_C(0xd6e8feb86659fd93) >> 48) & words->recent_mask;
}

/* The number of a word seen lately, or HSP__NAME_NONE: the same few words come again and again, and
 * are found by comparing a few machine words. 8 bytes behind the text can be read. */
static uint32_t csv_recent_word(const hsp__csv_words *words, const char *text, size_t size)
{
    if (size < 1 || size >= UINT32_MAX) return HSP__NAME_NONE;
    hsp__csv_recent key = csv_word_key(text, size);
    const hsp__csv_recent *recent = &words->recent[csv_word_slot(words, &key)];
    if (recent->size != key.size || recent->head != key.head || recent->tail != key.tail)
        return HSP__NAME_NONE;
    if (size > 16 && memcmp(hsp__names_get(&words->names, recent->number), text, size) != 0)
        return HSP__NAME_NONE;
    return recent->number;
}

/* ---- One field ------------------------------------------------------------------------------- */

static hsp_status csv_refuse(const hsp__csv_plan *plan, uint32_t j, const hsp__csv_field *field,
                             const char *why, const char *more, hsp_error *err)
{
    char quoted[HSP__QUOTED];
    return hsp__fail_at(err, HSP_BAD_DATA, NULL, field->line, field->column,
                        "column '%s': found '%s', %s%s", hsp__csv_name(plan, j),
                        hsp__quote(field->text, field->size, quoted), why, more);
}

/* The field of a number column as plain digits, if numbers are not written like that. */
static hsp_status csv_plain(const hsp__csv_plan *plan, hsp__csv_worker *worker, uint32_t j,
                            const hsp__csv_field *field, const char **text, size_t *size,
                            hsp_error *err)
{
    const hsp_encoding *encoding = plan->encoding;
    if (hsp__cell_rules_plain(&encoding->rules)) return HSP_OK;
    *size = hsp__cell_number(&encoding->rules, *text, *size, &worker->plain);
    *text = worker->plain.data;
    if (worker->plain.failed) return hsp__fail_memory(err);
    const int sign = memchr(field->text, '%', field->size) != NULL;
    const int percent = encoding->columns[plan->columns[j].encoded].percent;
    if (!*size || sign == percent) return HSP_OK;
    return csv_refuse(plan, j, field,
                      percent       ? plan->given
                                          ? "expected a percent sign, as in the data of the encoding"
                                          : "expected a percent sign, as other rows have"
                      : plan->given ? "expected no percent sign, as in the data of the encoding"
                                    : "expected no percent sign, as in the rows before",
                      "; the column must have one in all of its cells or in none", err);
}

/* A number, read again with care: the quick way did not like it. */
static hsp_status csv_number(const hsp__csv_plan *plan, hsp__csv_worker *worker, uint32_t j,
                             const hsp__csv_field *field, void *cell, hsp_error *err)
{
    const hsp__reading *reading = &plan->reading;
    const char *text = field->text, *stop = NULL;
    size_t size = field->size;
    HSP__TRY(csv_plain(plan, worker, j, field, &text, &size, err));
    const char *end = text + size;
    hsp__decimal_widest *widest = &worker->widest[plan->columns[j].cell];
    hsp__decimal_result result = HSP__DECIMAL_OK;
    float single;
    double value;
    if (reading->keep != HSP__KEEP_DOUBLE) {
        stop = hsp__decimal_f32_told(text, end, &single, widest, &result);
        value = (double)single;
        memcpy(cell, &single, sizeof single);
    }
    if (reading->keep != HSP__KEEP_SINGLE) {
        if (reading->keep == HSP__KEEP_DOUBLE || result != HSP__DECIMAL_OK)
            stop = hsp__decimal_f64_told(text, end, &value, widest, &result);
        if (reading->watch == HSP__WATCH_COLUMNS && hsp__rounds_twice(value))
            hsp__rounded_twice(text, end, value, &result);
        memcpy(cell, &value, sizeof value);
    }
    if (stop != end) result = HSP__DECIMAL_NONE;
    if (result == HSP__DECIMAL_OK && !hsp__prints_otherwise(reading, (ptrdiff_t)size))
        return HSP_OK;
    const int too_large = result == HSP__DECIMAL_OVERFLOW;
    if (result == HSP__DECIMAL_OK || result >= HSP__DECIMAL_TINY ||
        (too_large && reading->keep == HSP__KEEP_SINGLE && reading->watch != HSP__WATCH_NONE)) {
        worker->counts.losses.row = worker->rows.rows;
        return hsp__losses_note(&worker->counts.losses, reading, worker->block, j + 1,
                                hsp__csv_name(plan, j), text, size, result, err);
    }
    if (too_large)
        return csv_refuse(plan, j, field, "which is too large for ",
                          plan->precision == HSP_FLOAT32
                              ? "32 bits (--precision double allows up to 1e308)"
                              : "64 bits",
                          err);
    if (result == HSP__DECIMAL_INF)
        return csv_refuse(plan, j, field, "expected a finite number", "", err);
    if (plan->given)
        return csv_refuse(plan, j, field, "expected a number, as in the data of the encoding", "",
                          err);
    return csv_refuse(plan, j, field,
                      "expected a number as in the rows before; if the column is categorical, use "
                      "--categorical ",
                      hsp__csv_name(plan, j), err);
}

/* The worker's number of a word; a new one is looked at once. */
static hsp_status csv_word(const hsp__csv_plan *plan, hsp__csv_worker *worker, uint32_t j,
                           const hsp__csv_field *field, uint32_t *number, hsp_error *err)
{
    hsp__csv_words *words = &worker->words[plan->columns[j].words];
    const uint32_t before = words->names.count;
    uint32_t unused;
    *number = csv_recent_word(words, field->text, field->size);
    if (*number != HSP__NAME_NONE) return HSP_OK;
    const char *text = field->text;
    if (plan->encoding->rules.ignore_case) {
        hsp__text *lower = &worker->plain;
        lower->size = 0;
        hsp__text_add(lower, text, field->size);
        if (lower->failed) return hsp__fail_memory(err);
        hsp__fold_case(lower->data, lower->size);
        text = lower->data;
    }
    if (!hsp__names_add(&words->names, text, field->size, number)) return hsp__fail_memory(err);
    /* a word like NA is not kept among the recent ones: without quotes it is a missing value */
    if (!hsp__csv_is_missing(plan, j, field->text, field->size) && field->size < UINT32_MAX) {
        hsp__csv_recent key = csv_word_key(field->text, field->size);
        key.number = *number;
        words->recent[csv_word_slot(words, &key)] = key;
    }
    if (*number < before) return HSP_OK;
    if (plan->columns[j].kind == HSP__COLUMN_LABEL)
        switch (hsp__label_add(&worker->classes, field->text, field->size, &unused)) {
        case HSP__LABEL_NOT_FINITE:
            return csv_refuse(plan, j, field, "expected a finite number or a word", "", err);
        case HSP__LABEL_NO_MEMORY:
            return hsp__fail_memory(err);
        default:
            break;
        }
    if (memchr(field->text, 0, field->size))
        return csv_refuse(plan, j, field, "which holds a NUL byte: this is not text", "", err);
    return HSP_OK;
}

/* A value that was computed into a cell, rounded as numbers of the file are. */
static void csv_put(const hsp__csv_plan *plan, char *cell, double value)
{
    const float single = (float)value;
    if (plan->reading.keep == HSP__KEEP_MIXED) value = (double)single;
    if (plan->precision == HSP_FLOAT64)
        memcpy(cell, &value, sizeof value);
    else
        memcpy(cell, &single, sizeof single);
}

/* The parts of a date; field NULL: it is missing. */
static hsp_status csv_date(const hsp__csv_plan *plan, uint32_t j, const hsp__csv_field *field,
                           char *cell, hsp_error *err)
{
    const hsp__column *column = &plan->encoding->columns[plan->columns[j].encoded];
    hsp__date date;
    if (field && !hsp__date_parse(field->text, field->size, column->pattern, &date))
        return csv_refuse(plan, j, field, "expected a date in the format ", column->pattern, err);
    for (uint32_t k = 0; k < hsp__encoding_cells(column); k++) {
        const int part = hsp__encoding_part(column, k);
        csv_put(plan, cell, field ? hsp__date_part(&date, part) : (double)NAN);
        cell += hsp__value_bytes(plan->precision);
    }
    return HSP_OK;
}

/* A field, with care. */
static hsp_status csv_field(const hsp__csv_plan *plan, hsp__csv_worker *worker, uint32_t j,
                            const hsp__csv_field *field, char *row, hsp_error *err)
{
    const hsp__csv_column *column = &plan->columns[j];
    const int label = column->kind == HSP__COLUMN_LABEL;
    char *cell = row + column->cell * hsp__value_bytes(plan->precision);
    if (column->kind == HSP__COLUMN_IGNORED) return HSP_OK;
    /* a class may be called "NA", in quotes; in other columns quotes are often just everywhere */
    const int missing = !(label && field->quoted && field->size) &&
                        hsp__csv_is_missing(plan, j, field->text, field->size);
    if (missing && plan->followed &&
        hsp__cell_mark(&plan->encoding->rules, field->text, field->size) != HSP__MARK_ALWAYS)
        return hsp__fail_at(err, HSP_BAD_DATA, NULL, field->line, field->column, HSP__CSV_NOT_PLAIN,
                            "marks of missing values other than ?, NA, NaN and the empty cell");
    if (missing) {
        if (!worker->missing_here && !worker->label_missing_here) worker->missing_at = j;
        worker->counts.missing[j]++;
        *(label ? &worker->label_missing_here : &worker->missing_here) = 1;
        if (!worker->counts.missing_line) {
            worker->counts.missing_line = field->line;
            worker->counts.missing_column = field->column;
        }
    }
    if (label && missing) return HSP_OK;
    if (label)
        return csv_word(plan, worker, j, field, &worker->rows.labels[worker->rows.rows], err);
    if (column->kind == HSP__COLUMN_CATEGORY) {
        uint32_t number = HSP__CSV_MISSING;
        if (!missing) HSP__TRY(csv_word(plan, worker, j, field, &number, err));
        memcpy(cell, &number, sizeof number);
        return HSP_OK;
    }
    if (column->kind == HSP__COLUMN_HASHED) {
        const hsp__column *of = &plan->encoding->columns[column->encoded];
        const uint32_t list = missing ? HSP__CSV_MISSING : (uint32_t)worker->rows.hashed.count;
        if (!missing &&
            !hsp__hash_text(&worker->rows.hashed, field->text, field->size, of->hashed, of->ngrams))
            return hsp__fail_memory(err);
        memcpy(cell, &list, sizeof list);
        return HSP_OK;
    }
    if (!missing && column->kind == HSP__COLUMN_NUMBER)
        return csv_number(plan, worker, j, field, cell, err);
    if (column->kind == HSP__COLUMN_DATE)
        return csv_date(plan, j, missing ? NULL : field, cell, err);
    double value = (double)NAN;
    if (!missing) { /* the place in the order */
        const hsp__names *order = &plan->encoding->columns[column->encoded].values;
        const uint32_t place = hsp__names_find(order, field->text, field->size);
        char quoted[HSP__QUOTED];
        if (place == HSP__NAME_NONE)
            return hsp__fail_at(
                err, HSP_BAD_DATA, NULL, field->line, field->column,
                "column '%s': found '%s', which is not one of its ordered values ('%s' to '%s')",
                hsp__csv_name(plan, j), hsp__quote(field->text, field->size, quoted),
                hsp__names_get(order, 0), hsp__names_get(order, order->count - 1));
        value = place;
    }
    csv_put(plan, cell, value);
    return HSP_OK;
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
    *number = csv_recent_word(words, p, (size_t)(stop - p));
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
    if (column->quick)
        return csv_quick_number(cursor, (unsigned char)separator, keep, reading,
                                &worker->widest[column->cell], cell, last);
    if (column->words == HSP__NAME_NONE) return 0;
    uint32_t number;
    if (!csv_quick_word(cursor, &worker->words[column->words], &number, last)) return 0;
    if (column->kind == HSP__COLUMN_LABEL)
        worker->rows.labels[worker->rows.rows] = number;
    else
        memcpy(cell, &number, sizeof number);
    return 1;
}

static __attribute__((noinline)) hsp_status csv_ragged(const hsp__csv_plan *plan,
                                                       hsp__csv_cursor *cursor, uint64_t line,
                                                       uint64_t found, int last, hsp_error *err)
{
    hsp__csv_field field = {.last = last};
    for (; !field.last; found++)
        if (hsp__csv_next(cursor, &field, NULL)) break;
    return hsp__fail_at(err, HSP_BAD_DATA, NULL, line, 0, "found %llu field%s, expected %u",
                        (unsigned long long)found, found == 1 ? "" : "s", plan->count);
}

/* Read one record into the row at `row`. `keep` is a constant: one copy of this for each. */
static inline __attribute__((always_inline)) hsp_status csv_record(const hsp__csv_plan *plan,
                                                                   hsp__csv_worker *worker,
                                                                   hsp__csv_cursor *cursor,
                                                                   hsp__keep keep, char *row,
                                                                   hsp_error *err)
{
    const hsp__csv_column *columns = plan->columns;
    const uint32_t count = plan->count;
    const uint64_t line = cursor->line;
    int last = 0;
    uint32_t j = 0;
    for (; j < count && !last; j++) {
        if (csv_quick(worker, cursor, &columns[j], keep, &plan->reading, row, &last)) continue;
        hsp__csv_field field;
        HSP__TRY(hsp__csv_next(cursor, &field, err));
        HSP__TRY(csv_field(plan, worker, j, &field, row, err));
        last = field.last;
    }
    if (j < count || !last) return csv_ragged(plan, cursor, line, j, last, err);
    return HSP_OK;
}

/* ---- One block ------------------------------------------------------------------------------- */

/* What a worker has counted before a record, to be counted again if the record is left out. */
typedef struct csv_mark {
    uint64_t tiny, rounded, column, longs; /* of what was lost */
    uint64_t missing_line, missing_column;
} csv_mark;

static csv_mark csv_mark_counts(const hsp__csv_counts *counts)
{
    const hsp__digit_losses *losses = &counts->losses;
    return (csv_mark){losses->tiny,        losses->rounded,      losses->column,
                      losses->longs.count, counts->missing_line, counts->missing_column};
}

/* A row that is left out loses nothing. */
static __attribute__((noinline)) void csv_forget_losses(hsp__digit_losses *losses,
                                                        const csv_mark *mark)
{
    losses->tiny = mark->tiny;
    losses->rounded = mark->rounded;
    losses->column = mark->column;
    hsp__long_decimals_cut(&losses->longs, mark->longs);
}

/* One record into the next row. *kept: it is a row. */
static hsp_status csv_row(const hsp__csv_plan *plan, hsp__csv_worker *worker,
                          hsp__csv_cursor *cursor, char *row, int *kept, hsp_error *err)
{
    const hsp__keep keep = plan->reading.keep;
    HSP__TRY(keep == HSP__KEEP_SINGLE ? csv_record(plan, worker, cursor, HSP__KEEP_SINGLE, row, err)
             : keep == HSP__KEEP_DOUBLE
                 ? csv_record(plan, worker, cursor, HSP__KEEP_DOUBLE, row, err)
                 : csv_record(plan, worker, cursor, HSP__KEEP_MIXED, row, err));
    const int missing = worker->missing_here || worker->label_missing_here;
    if (plan->skip && missing && plan->missing == HSP__MISSING_ERROR)
        return hsp__fail(err, HSP_BAD_DATA, "column '%s': found a missing value",
                         hsp__csv_name(plan, worker->missing_at));
    /* under `error` the row is kept: the file is read on, to count what is missing */
    *kept = !(worker->missing_here && plan->missing == HSP__MISSING_DROP) &&
            !worker->label_missing_here;
    return HSP_OK;
}

/* Before the record at `at`, which may have to be left out. */
static __attribute__((noinline)) void csv_keep_counts(const hsp__csv_plan *plan,
                                                      hsp__csv_worker *worker, const char *at)
{
    worker->record = at;
    memcpy(worker->missing_before, worker->counts.missing,
           plan->count * sizeof *worker->missing_before);
}

/* Leave the record out and go on behind it. */
static __attribute__((noinline)) hsp_status csv_leave_out(const hsp__csv_reader *reader,
                                                          hsp__csv_worker *worker,
                                                          hsp__csv_cursor *cursor,
                                                          const csv_mark *mark, hsp_error *err)
{
    hsp__csv_counts *counts = &worker->counts;
    memcpy(counts->missing, worker->missing_before,
           reader->plan.count * sizeof *worker->missing_before);
    counts->missing_line = mark->missing_line;
    counts->missing_column = mark->missing_column;
    csv_forget_losses(&counts->losses, mark);
    const uint64_t line = worker->lines[worker->rows.rows];
    if (!hsp__csv_reject(worker, &reader->ctx->allocator, cursor, worker->record, line,
                         err->message))
        return hsp__fail_memory(err);
    *err = (hsp_error){0};
    return HSP_OK;
}

hsp_status hsp__csv_parse(void *self, int number, hsp__block *block, hsp_error *err)
{
    hsp__csv_reader *reader = self;
    const hsp__csv_plan *plan = &reader->plan;
    const hsp_allocator *memory = &reader->ctx->allocator;
    const size_t bytes = hsp__value_bytes(plan->precision) * plan->cells;
    hsp__csv_worker *worker = &reader->workers[number];
    hsp__csv_table *rows = &worker->rows;
    hsp__csv_cursor cursor =
        hsp__csv_begin(block->text, block->size, plan->separator, &worker->unquoted);
    hsp_error own = {0};
    if (!err) err = &own;
    rows->rows = 0;
    rows->hashed.count = rows->hashed.size = 0;
    worker->counts.missing_line = 0;
    worker->block = block->number;
    worker->counts.losses.here = 0;
    worker->bad.count = worker->bad.texts.size = 0;
    while (hsp__csv_skip_blank(&cursor)) {
        const csv_mark mark = csv_mark_counts(&worker->counts);
        const uint64_t next = rows->rows + 1;
        if ((next > rows->room || next > rows->labels_room || next > worker->lines_room) &&
            (!hsp__reserve(memory, &rows->cells, &rows->room, next, bytes) ||
             !hsp__reserve(memory, &rows->labels, &rows->labels_room, next, sizeof *rows->labels) ||
             !hsp__reserve(memory, &worker->lines, &worker->lines_room, next,
                           sizeof *worker->lines)))
            return hsp__fail_memory(err);
        worker->lines[rows->rows] = cursor.line;
        if (plan->skip) csv_keep_counts(plan, worker, cursor.at);
        int kept = 0;
        const hsp_status status =
            csv_row(plan, worker, &cursor, (char *)rows->cells + rows->rows * bytes, &kept, err);
        worker->missing_here = worker->label_missing_here = 0;
        if (status == HSP_BAD_DATA && plan->skip) {
            HSP__TRY(csv_leave_out(reader, worker, &cursor, &mark, err));
            continue;
        }
        HSP__TRY(status);
        rows->rows += (uint64_t)kept;
        if (kept) continue;
        worker->counts.dropped++;
        csv_forget_losses(&worker->counts.losses, &mark);
    }
    block->lines = cursor.line - 1;
    hsp__spread_dense(&worker->spread, plan->precision, rows->cells, rows->rows, plan->cells);
    return HSP_OK;
}

/* Room for the file's numbers of all words of the worker. */
static hsp_status csv_map_room(const hsp__csv_reader *reader, hsp__csv_words *words, hsp_error *err)
{
    return hsp__reserve(&reader->ctx->allocator, &words->map, &words->map_room, words->names.count,
                        sizeof *words->map)
               ? HSP_OK
               : hsp__fail_memory(err);
}

hsp_status hsp__csv_merge_words(hsp__csv_reader *reader, hsp__csv_worker *worker, uint32_t j,
                                hsp_error *err)
{
    const hsp__csv_column *column = &reader->plan.columns[j];
    hsp__csv_words *words = &worker->words[column->words];
    hsp__names *values = &reader->plan.encoding->columns[column->encoded].values;
    HSP__TRY(csv_map_room(reader, words, err));
    for (; words->mapped < words->names.count; words->mapped++) {
        const char *word = hsp__names_get(&words->names, words->mapped);
        const size_t size = hsp__names_size(&words->names, words->mapped);
        uint32_t *number = &words->map[words->mapped];
        if (!reader->plan.given) {
            if (!hsp__names_add(values, word, size, number)) return hsp__fail_memory(err);
        } else if ((*number = hsp__names_find(values, word, size)) == HSP__NAME_NONE) {
            *number = HSP__CSV_UNSEEN;
        }
    }
    return HSP_OK;
}

void hsp__csv_place_words(const hsp__csv_reader *reader, hsp__csv_worker *worker, uint32_t j)
{
    const hsp__csv_plan *plan = &reader->plan;
    const size_t bytes = hsp__value_bytes(plan->precision), stride = bytes * plan->cells;
    const uint32_t *map = worker->words[plan->columns[j].words].map;
    char *cell = (char *)worker->rows.cells + plan->columns[j].cell * bytes;
    for (uint64_t i = 0; i < worker->rows.rows; i++, cell += stride) {
        uint32_t word;
        memcpy(&word, cell, sizeof word);
        if (word == HSP__CSV_MISSING) continue;
        worker->counts.unseen[j] += map[word] == HSP__CSV_UNSEEN;
        memcpy(cell, &map[word], sizeof word);
    }
}

hsp_status hsp__csv_merge_labels(hsp__csv_reader *reader, hsp__csv_worker *worker, hsp_error *err)
{
    uint32_t j = 0;
    while (reader->plan.columns[j].kind != HSP__COLUMN_LABEL)
        j++;
    hsp__csv_words *words = &worker->words[reader->plan.columns[j].words];
    HSP__TRY(csv_map_room(reader, words, err));
    while (words->mapped < words->names.count)
        words->map[words->mapped++] = HSP__NAME_NONE;
    for (uint64_t i = 0; i < worker->rows.rows; i++) {
        const uint32_t word = worker->rows.labels[i];
        if (words->map[word] == HSP__NAME_NONE &&
            hsp__label_add(reader->classes, hsp__names_get(&words->names, word),
                           hsp__names_size(&words->names, word), &words->map[word]))
            return hsp__fail_memory(err); /* the parser has seen it: nothing else can be wrong */
        worker->rows.labels[i] = words->map[word];
    }
    return HSP_OK;
}

void hsp__csv_shift_lists(const hsp__csv_plan *plan, hsp__csv_worker *worker, uint32_t j,
                          uint64_t by)
{
    const size_t bytes = hsp__value_bytes(plan->precision), stride = bytes * plan->cells;
    char *cell = (char *)worker->rows.cells + plan->columns[j].cell * bytes;
    for (uint64_t i = 0; i < worker->rows.rows; i++, cell += stride) {
        uint32_t list;
        memcpy(&list, cell, sizeof list);
        if (list == HSP__CSV_MISSING) continue;
        list += (uint32_t)by;
        memcpy(cell, &list, sizeof list);
    }
}

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
            if (column->kind == HSP__COLUMN_CATEGORY || column->kind == HSP__COLUMN_HASHED)
                memmove(to, from, sizeof single);
            else
                memcpy(to, &single, sizeof single);
        }
}

/* ---- The workers ----------------------------------------------------------------------------- */

static void csv_counts_free(hsp__csv_counts *counts, const hsp_allocator *memory)
{
    hsp__free(memory, counts->missing);
    hsp__free(memory, counts->unseen);
    *counts = (hsp__csv_counts){0};
}

int hsp__csv_start(hsp__csv_reader *reader, const hsp__source *source)
{
    const hsp_allocator *memory = &reader->ctx->allocator;
    const hsp__csv_plan *plan = &reader->plan;
    uint32_t recent = CSV_RECENT_MOST, numbers = 0;
    while (recent > 1 &&
           (uint64_t)recent * plan->words * sizeof(hsp__csv_recent) > CSV_RECENT_BYTES)
        recent /= 2;
    hsp__csv_free_workers(reader);
    csv_counts_free(&reader->counts, memory);
    hsp__csv_rejects_start(&reader->rejects, memory);
    reader->counts.missing = hsp__new(memory, plan->count, sizeof(uint64_t));
    reader->counts.unseen = hsp__new(memory, plan->count, sizeof(uint64_t));
    if (!reader->counts.missing || !reader->counts.unseen) return 0;
    hsp__scratch *scratch = &reader->scratch;
    *scratch = (hsp__scratch){.memory = memory};
    reader->count = hsp__blocks_workers(reader->ctx, source);
    reader->provenance = source->provenance;
    reader->workers = hsp__scratch_new(scratch, (uint64_t)reader->count, sizeof *reader->workers);
    /* the columns of numbers, which may be followed */
    uint32_t *cells = hsp__scratch_raw(scratch, plan->cells, sizeof *cells);
    for (uint32_t c = 0; cells && c < plan->cells; c++)
        if (plan->encoding->columns[plan->cell_columns[c]].kind == HSP__COLUMN_NUMBER ||
            plan->encoding->columns[plan->cell_columns[c]].kind == HSP__COLUMN_DATE)
            cells[numbers++] = c;
    for (int i = 0; !scratch->failed && i < reader->count; i++) {
        hsp__csv_worker *worker = &reader->workers[i];
        worker->counts.missing = hsp__scratch_new(scratch, plan->count, sizeof(uint64_t));
        worker->counts.unseen = hsp__scratch_new(scratch, plan->count, sizeof(uint64_t));
        if (plan->skip)
            worker->missing_before = hsp__scratch_new(scratch, plan->count, sizeof(uint64_t));
        if (reader->provenance) worker->counts.losses.longs.memory = memory;
        hsp__text_init(&worker->bad.texts, memory);
        hsp__text_init(&worker->unquoted, memory);
        hsp__hash_lists_init(&worker->rows.hashed, memory);
        hsp__text_init(&worker->plain, memory);
        hsp__names_init(&worker->classes, memory);
        worker->words = hsp__scratch_new(scratch, plan->words, sizeof *worker->words);
        worker->widest = hsp__scratch_raw(scratch, plan->cells, sizeof *worker->widest);
        hsp__csv_recent *words =
            hsp__scratch_new(scratch, (uint64_t)plan->words * recent, sizeof *words);
        if (scratch->failed) return 0;
        for (uint32_t c = 0; c < plan->cells; c++)
            worker->widest[c] = HSP__DECIMAL_SHORT;
        for (uint32_t k = 0; k < plan->words; k++) {
            worker->words[k].recent = words + (size_t)k * recent;
            worker->words[k].recent_mask = recent - 1;
            hsp__names_init(&worker->words[k].names, memory);
        }
        if (plan->reading.watch == HSP__WATCH_COLUMNS &&
            !hsp__spread_begin(&worker->spread, memory, cells, numbers))
            return 0;
    }
    return !scratch->failed;
}

void hsp__csv_free_workers(hsp__csv_reader *reader)
{
    const hsp_allocator *memory = &reader->ctx->allocator;
    for (int i = 0; reader->workers && i < reader->count; i++) {
        hsp__csv_worker *worker = &reader->workers[i];
        for (uint32_t k = 0; worker->words && k < reader->plan.words; k++) {
            hsp__free(memory, worker->words[k].map);
            hsp__names_free(&worker->words[k].names);
        }
        hsp__long_decimals_free(&worker->counts.losses.longs);
        hsp__spread_free(&worker->spread, memory);
        hsp__free(memory, worker->rows.cells);
        hsp__free(memory, worker->rows.labels);
        hsp__hash_lists_free(&worker->rows.hashed);
        hsp__free(memory, worker->lines);
        hsp__text_free(&worker->unquoted);
        hsp__text_free(&worker->plain);
        hsp__text_free(&worker->bad.texts);
        hsp__free(memory, worker->bad.rows);
        hsp__names_free(&worker->classes);
    }
    hsp__scratch_free(&reader->scratch);
    reader->workers = NULL;
}

void hsp__csv_free(hsp__csv_reader *reader)
{
    hsp__csv_free_workers(reader);
    csv_counts_free(&reader->counts, &reader->ctx->allocator);
    hsp__csv_rejects_start(&reader->rejects, &reader->ctx->allocator);
    hsp__csv_plan_free(&reader->ctx->allocator, &reader->plan);
}

/* What the ranks counted, together. */
static void csv_add_ranks(hsp__csv_reader *reader)
{
    const hsp_ranks *ranks = reader->ranks;
    hsp__csv_counts *counts = &reader->counts;
    uint64_t place[2] = {counts->missing_line, counts->missing_column}, all[2 * HSP__BLOCKS];
    uint64_t sizes[HSP__BLOCKS] = {0};
    char name[sizeof reader->missing_file] = "";
    int first = 0;
    hsp__ranks_add(ranks, counts->missing, reader->plan.count);
    hsp__ranks_add(ranks, counts->unseen, reader->plan.count);
    hsp__ranks_add(ranks, &counts->dropped, 1);
    hsp__ranks_gather(ranks, place, sizeof place, all);
    while (first < ranks->count && !all[2 * first])
        first++;
    if (first == ranks->count) return;
    counts->missing_line = all[2 * first];
    counts->missing_column = all[2 * first + 1];
    if (counts->missing_file) snprintf(name, sizeof name, "%s", counts->missing_file);
    sizes[first] = sizeof name;
    ranks->gather(ranks->user, name, sizes, reader->missing_file);
    counts->missing_file = reader->missing_file;
}

hsp_status hsp__csv_gather(hsp__csv_reader *reader, hsp_error *err)
{
    const hsp_allocator *memory = &reader->ctx->allocator;
    const hsp__csv_plan *plan = &reader->plan;
    hsp__csv_counts *counts = &reader->counts;
    hsp__decimal_widest most = HSP__DECIMAL_SHORT, *widest = reader->workers[0].widest;
    hsp__spread spread = {0};
    hsp_status status = HSP_OK;
    for (int i = 0; i < reader->count; i++) {
        const hsp__csv_worker *worker = &reader->workers[i];
        hsp__losses_add(&counts->losses, &worker->counts.losses);
        counts->dropped += worker->counts.dropped;
        for (uint32_t j = 0; j < plan->count; j++) {
            counts->missing[j] += worker->counts.missing[j];
            counts->unseen[j] += worker->counts.unseen[j];
        }
        for (uint32_t c = 0; c < plan->cells; c++)
            if (worker->widest[c] > widest[c]) widest[c] = worker->widest[c];
    }
    for (int i = 0; !status && i < reader->count; i++)
        if (!hsp__spread_add(&spread, memory, &reader->workers[i].spread))
            status = hsp__fail_memory(err);
    status = hsp__precision_agree(reader->ranks, memory, status, widest, plan->cells,
                                  &counts->losses, &spread, err);
    if (!status && reader->ranks) csv_add_ranks(reader);
    for (uint32_t c = 0; c < plan->cells; c++)
        if (widest[c] > most) most = widest[c];
    counts->losses.digits = hsp__decimal_widest_digits(most);
    if (!status && *counts->losses.why)
        status = hsp__fail(err, HSP__NEEDS_DOUBLE, "%s", counts->losses.why);
    for (uint32_t c = 0; !status && c < spread.count; c++) {
        const uint32_t cell = spread.columns[c].column;
        if (hsp__spread_needs_double(&spread.columns[c], widest[cell]))
            status = hsp__spread_fail(
                &spread.columns[c], 0,
                hsp__names_get(&plan->encoding->names, plan->cell_columns[cell]), err);
    }
    hsp__spread_free(&spread, memory);
    return status;
}

/* ---- What the user should hear of ------------------------------------------------------------ */

/* "age 3, job 17", the first ten columns that have any; returns the total. */
static uint64_t csv_list(const hsp__csv_plan *plan, const uint64_t *counts, hsp__text *text)
{
    uint64_t total = 0;
    uint32_t listed = 0;
    text->size = 0;
    for (uint32_t j = 0; j < plan->count; j++) {
        total += counts[j];
        if (!counts[j] || listed++ >= 10) continue;
        hsp__text_printf(text, "%s%.30s %llu", listed > 1 ? ", " : "", hsp__csv_name(plan, j),
                         (unsigned long long)counts[j]);
    }
    if (listed > 10) hsp__text_printf(text, " and %u more columns", listed - 10);
    return total;
}

/* Missing values: an error, or a word to the user. */
static hsp_status csv_tell_missing(const hsp__csv_reader *reader, uint64_t rows, hsp__text *text,
                                   hsp_error *err)
{
    hsp_context *ctx = reader->ctx;
    const hsp__csv_plan *plan = &reader->plan;
    const hsp__csv_counts *all = &reader->counts;
    const uint64_t total = csv_list(plan, all->missing, text);
    if (!total) return HSP_OK;
    if (text->failed) return hsp__fail_memory(err);
    if (plan->missing == HSP__MISSING_ERROR)
        return hsp__fail_at(err, HSP_BAD_DATA, all->missing_file, all->missing_line,
                            all->missing_column,
                            "found %llu missing value%s, the first one here (%s); use %s",
                            (unsigned long long)total, total == 1 ? "" : "s", text->data,
                            plan->given ? "--missing drop to leave their rows out"
                                        : "--missing drop, mean or indicator");
    if (plan->missing != HSP__MISSING_DROP)
        hsp__log(ctx, HSP_LOG_NOTE, "%s: %llu missing value%s (%s), treated by '%s'", plan->file,
                 (unsigned long long)total, total == 1 ? "" : "s", text->data,
                 hsp__missing_word(plan->missing));
    if (all->dropped)
        hsp__log(ctx, HSP_LOG_NOTE,
                 "%s: %llu of %llu rows were left out because of missing values (%s)", plan->file,
                 (unsigned long long)all->dropped, (unsigned long long)(all->dropped + rows),
                 text->data);
    return HSP_OK;
}

hsp_status hsp__csv_tell(const hsp__csv_reader *reader, uint64_t rows, hsp_error *err)
{
    hsp_context *ctx = reader->ctx;
    const hsp__csv_plan *plan = &reader->plan;
    const hsp__csv_counts *all = &reader->counts;
    const hsp__digit_losses *losses = &all->losses;
    hsp__text text;
    hsp__text_init(&text, &ctx->allocator);
    hsp_status status = csv_tell_missing(reader, rows, &text, err);
    const uint64_t unseen = csv_list(plan, all->unseen, &text);
    if (!status && text.failed) status = hsp__fail_memory(err);
    if (!status && unseen)
        hsp__log(ctx, HSP_LOG_WARNING, "%s: %llu value%s not in the encoding (%s) and became 0",
                 plan->file, (unsigned long long)unseen, unseen == 1 ? " is" : "s are", text.data);
    hsp__text_free(&text);
    HSP__TRY(status);
    /* missing values under an encoding whose column had none, and so has no indicator */
    uint64_t unindicated = 0;
    uint32_t where = 0;
    for (uint32_t j = 0; plan->missing == HSP__MISSING_INDICATOR && j < plan->count; j++) {
        const hsp__csv_column *column = &plan->columns[j];
        if (!plan->given || !all->missing[j] || column->kind == HSP__COLUMN_LABEL ||
            plan->encoding->columns[column->encoded].indicator)
            continue;
        unindicated += all->missing[j];
        where = j;
    }
    if (unindicated)
        hsp__log(ctx, HSP_LOG_WARNING,
                 "%s: %llu missing values became zeros, because their columns (such as '%s') had "
                 "none in the data of the encoding",
                 plan->file, (unsigned long long)unindicated, hsp__csv_name(plan, where));
    hsp__losses_tell(ctx, plan->file, plan->precision, &plan->reading, losses,
                     losses->rounded ? hsp__csv_name(plan, (uint32_t)losses->column - 1) : NULL);
    HSP__TRY(hsp__csv_tell_rejects(reader, rows, err));
    if (rows || (reader->none && !all->dropped)) return HSP_OK;
    return hsp__fail_at(err, HSP_BAD_DATA, plan->file, 0, 0,
                        all->dropped ? "every row has a missing value: none is left"
                                     : "the file has a header line but no rows (with "
                                       "--header no, the first line is a row)");
}
