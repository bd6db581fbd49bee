/* Reading CSV, the parts, in the order they are called from csv_read.c: what kind of file it is
 * (csv_detect.c), what becomes of each column (csv_plan.c), the rows in parallel into one table
 * (csv_rows.c, with csv_record.c for fields and csv_dictionary.c for words), and the table into a
 * data set (csv_expand.c). docs/csv.md has the rules. */
#ifndef HSP_DATA_CSV_H
#define HSP_DATA_CSV_H

#include <string.h>

#include "base/names.h"
#include "base/text.h"
#include "data/encode.h"
#include "data/precision.h"
#include "data/source.h"
#include "halfspace_all.h"

/* ---- One record into fields (csv_record.c) --------------------------------------------------- */

#define HSP__CSV_SPACES ' ' /* as a separator: any run of spaces and tabs */

/* A place in a text of records. HSP__BLOCK_PADDING bytes behind `end` can be read. */
typedef struct hsp__csv_cursor {
    const char *at, *end;
    const char *line_start;
    uint64_t line; /* from 1 */
    char separator;
    const char *file;
    hsp__text *unquoted; /* holds a field whose quotes were doubled */
    int unclosed;        /* set when the text ends within quotes */
} hsp__csv_cursor;

typedef struct hsp__csv_field {
    const char *text; /* size bytes, at least 8 more can be read; trimmed, without its quotes */
    size_t size;
    uint64_t line, column; /* where it starts */
    int last;              /* of its record */
    int quoted;            /* it stood in quotes */
} hsp__csv_field;

/* Pass over blank lines; 0 at the end of the text. */
int hsp__csv_skip_blank(hsp__csv_cursor *cursor);

/* The first separator, newline or quote from p on; the text's end if there is none. Eight bytes at
 * a time; the padding behind the text lets it look past the end. Not for HSP__CSV_SPACES. */
static inline const char *hsp__csv_find_stop(const char *p, const char *end, char separator)
{
    const uint64_t ones = UINT64_C(0x0101010101010101), tops = UINT64_C(0x8080808080808080);
    const uint64_t separators = ones * (unsigned char)separator;
    for (; p < end; p += 8) {
        uint64_t x;
        memcpy(&x, p, sizeof x);
#if __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
        x = __builtin_bswap64(x);
#endif
        /* (y - ones) & ~y has the top bit of the first zero byte of y, and none before it */
        uint64_t a = x ^ separators, b = x ^ ones * '\n', c = x ^ ones * '"';
        uint64_t stops = (((a - ones) & ~a) | ((b - ones) & ~b) | ((c - ones) & ~c)) & tops;
        if (stops) {
            p += __builtin_ctzll(stops) >> 3;
            break;
        }
    }
    return p < end ? p : end;
}

/* The next field of a record. HSP_BAD_DATA for a quote that is out of place. */
hsp_status hsp__csv_next(hsp__csv_cursor *cursor, hsp__csv_field *field, hsp_error *err);

/* Does the text stand for a value that is not there: empty, ?, NA, NaN? */
int hsp__csv_is_missing(const char *text, size_t size);

/* ---- What kind of file it is (csv_detect.c) -------------------------------------------------- */

/* What the first records of a file show. */
typedef struct hsp__csv_sample {
    char *text; /* owned; size bytes, padded */
    size_t size;
    int whole; /* it is the whole file */
    char separator;
    int header;       /* the first record holds names */
    hsp__text first;  /* the fields of the first record, each with a NUL behind it */
    uint64_t *starts; /* count: of those fields */
    uint64_t starts_room;
    uint32_t count;             /* columns */
    unsigned char *flags;       /* count, of HSP__CSV_... below, the records after the first */
    unsigned char *first_flags; /* count, of the first record */
    uint64_t records;           /* whole records seen, the first included */
    size_t record_bytes;        /* of all of them */
    size_t data_at;             /* where the data begins: behind the header, or behind the mark */
    uint64_t data_line;         /* the lines before that */
} hsp__csv_sample;

enum {
    HSP__CSV_NUMBER = 1, /* a number was seen in this column */
    HSP__CSV_WORD = 2,   /* something that is neither a number nor missing was seen */
    HSP__CSV_AGAIN = 4   /* the first record's text was seen again */
};

/* Look at the beginning of the source, without consuming it. `encoding` may be NULL. */
hsp_status hsp__csv_detect(hsp_context *ctx, hsp__source *source, int tabs,
                           const hsp_options *options, const hsp_encoding *encoding, hsp_error *err,
                           hsp__csv_sample *sample);
void hsp__csv_sample_free(const hsp_allocator *memory, hsp__csv_sample *sample);

/* Field i of the first record. */
const char *hsp__csv_first(const hsp__csv_sample *sample, uint32_t i);

/* ---- What becomes of each column (csv_plan.c) ------------------------------------------------ */

/* A column of the file at hand. */
typedef struct hsp__csv_column {
    hsp__column_kind kind;
    uint32_t encoded; /* the encoding's column */
    uint32_t cell;    /* its place in a row of the table (features only) */
    uint32_t words;   /* its number among category columns and the label, or HSP__NAME_NONE */
} hsp__csv_column;

typedef struct hsp__csv_plan {
    const char *file;
    char separator;
    size_t data_at;     /* bytes of the source before the data */
    uint64_t data_line; /* lines before the data */
    hsp__reading reading;
    hsp_precision precision; /* of the table's cells */
    hsp__missing missing;
    int given; /* the encoding came from the caller: it is applied, not made */
    int labelled;
    hsp__names names;         /* of the file's columns */
    uint32_t count;           /* columns of the file */
    hsp__csv_column *columns; /* count */
    uint32_t words;           /* category columns and the label, together */
    uint32_t cells;           /* features' columns: the width of the table */
    uint32_t *cell_columns;   /* cells: the encoding's column of each */
    hsp_encoding *encoding;   /* owned: made here, or a copy of the caller's */
} hsp__csv_plan;

/* Decide, by the sample, the options and the encoding (NULL: make one), and tell the log. */
hsp_status hsp__csv_plan_make(hsp_context *ctx, const char *file, const hsp__csv_sample *sample,
                              const hsp_options *options, hsp__reading reading,
                              const hsp_encoding *encoding, hsp_error *err, hsp__csv_plan *plan);
void hsp__csv_plan_free(const hsp_allocator *memory, hsp__csv_plan *plan);

/* The numbers of the columns that two options mean: of the label (a name, a number from 1, "last"
 * or "none") and of a group (NULL: none). HSP__NAME_NONE for none. */
hsp_status hsp__csv_find_columns(hsp_context *ctx, const char *file, const hsp__csv_sample *sample,
                                 const char *label, const char *group, hsp_error *err,
                                 uint32_t *label_column, uint32_t *group_column);

/* Keep numbers in this way from now on. */
void hsp__csv_plan_keep(hsp__csv_plan *plan, hsp__reading reading);

/* The name of the file's column j. */
const char *hsp__csv_name(const hsp__csv_plan *plan, uint32_t j);

/* ---- Words into numbers (csv_dictionary.c)
 * -------------------------------------------------------- */

/* A word seen lately, by its size and both ends. */
typedef struct hsp__csv_recent {
    uint64_t head, tail;
    uint32_t size, number; /* size 0: none */
} hsp__csv_recent;

/* The words one worker saw in one column, numbered; and what their numbers are for all workers. */
typedef struct hsp__csv_words {
    hsp__names names;
    uint32_t *map; /* mapped: the number of a word in the whole file */
    uint64_t map_room;
    uint32_t mapped;
    uint32_t recent_mask;    /* one less than the number of `recent`, a power of two */
    hsp__csv_recent *recent; /* the owner's, all zero at first */
} hsp__csv_words;

/* How many recent words to keep for each of `columns`: 256, or fewer when there are many columns.
 */
uint32_t hsp__csv_words_recent_count(uint32_t columns);

void hsp__csv_words_init(hsp__csv_words *words, const hsp_allocator *memory,
                         hsp__csv_recent *recent, uint32_t recent_count);
void hsp__csv_words_free(hsp__csv_words *words);

/* The number of a word seen lately, or HSP__NAME_NONE. 8 bytes behind the text can be read. */
uint32_t hsp__csv_words_recent(const hsp__csv_words *words, const char *text, size_t size);

/* The number of any word, added if it is new. 0 when there is no memory. */
int hsp__csv_words_number(hsp__csv_words *words, const char *text, size_t size, uint32_t *number);

/* ---- The rows (csv_rows.c) ------------------------------------------------------------------- */

/* The whole file, a cell a value: a float or double; or, in the first four bytes, the number of a
 * word or one of these. A missing number is NaN. */
#define HSP__CSV_MISSING UINT32_MAX
#define HSP__CSV_UNSEEN  (UINT32_MAX - 1) /* a word the given encoding does not know */

typedef struct hsp__csv_table {
    void *cells; /* rows * plan->cells, each hsp__value_bytes wide */
    uint64_t room, rows;
    uint32_t *labels; /* rows: numbers of `classes`; NULL without labels */
    uint64_t labels_room;
    hsp__names classes; /* by first appearance, an encoding's before */
    uint32_t **orders;  /* cells: of a category, the number of each word once sorted; NULL: as they
                           are */
} hsp__csv_table;

/* What was met on the way. */
typedef struct hsp__csv_counts {
    uint64_t *missing; /* plan->count: missing values of each column */
    uint64_t *unseen;  /* plan->count: values that the given encoding does not know */
    uint64_t dropped;  /* rows left out */
    hsp__losses losses;
    uint64_t missing_line, missing_column; /* the first missing value; line 0: none */
} hsp__csv_counts;

/* Zeroed counts for the plan's columns; 0 when there is no memory. */
int hsp__csv_counts_init(hsp__csv_counts *counts, const hsp__csv_plan *plan,
                         const hsp_allocator *memory);
void hsp__csv_counts_free(hsp__csv_counts *counts, const hsp_allocator *memory);

/* After the last row: tell the log what was met, or fail (missing values that the options do not
 * allow, no rows at all). csv_warnings.c. */
hsp_status hsp__csv_tell(hsp_context *ctx, const hsp__csv_plan *plan, const hsp__csv_counts *counts,
                         uint64_t rows, hsp_error *err);

/* Read all rows into the table, and the words into the encoding being made. The table is empty but
 * for room; the counts are zero. HSP__NEEDS_DOUBLE: floats do not suffice; counts->losses says why
 * where the cells are doubles, the error otherwise. */
hsp_status hsp__csv_rows(hsp_context *ctx, hsp__source *source, hsp__csv_plan *plan,
                         hsp__csv_table *table, hsp__csv_counts *counts, hsp_error *err);

/* The cells of some rows, doubles, become floats in place; cells of words keep their words. */
void hsp__csv_narrow(const hsp__csv_plan *plan, void *cells, uint64_t rows);

/* Room in the table for `rows` in all. */
hsp_status hsp__csv_table_grow(hsp_context *ctx, const hsp__csv_plan *plan, hsp__csv_table *table,
                               uint64_t rows, hsp_error *err);

/* ---- The table into a data set (csv_expand.c) ------------------------------------------------ */

/* The rows of the table alone, taking its memory. `storage` as the read option. To be sealed by the
 * caller. */
hsp_status hsp__csv_expand_rows(hsp_context *ctx, const hsp__csv_plan *plan, hsp__csv_table *table,
                                const char *storage, hsp_error *err, hsp_data **out);

/* Turn the table into a data set, taking its memory, and the plan's encoding. */
hsp_status hsp__csv_expand(hsp_context *ctx, hsp__csv_plan *plan, hsp__csv_table *table,
                           const hsp_options *options, hsp_error *err, hsp_data **out);

/* The means of the number columns, NaN left out, into the encoding. */
void hsp__csv_means(hsp_context *ctx, const hsp__csv_plan *plan, const hsp__csv_table *table);

#endif
