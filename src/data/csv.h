/* Reading CSV, the parts: a record into fields (csv_record.c), what kind of file it is
 * (csv_detect.c), what becomes of each column (csv_plan.c), words into numbers (csv_words.c), the
 * rows in parallel into one table (csv_read.c), and the table into a data set (csv_expand.c).
 * docs/csv.md has the rules. */
#ifndef HSP_DATA_CSV_H
#define HSP_DATA_CSV_H

#include "base/names.h"
#include "base/text.h"
#include "data/encode.h"
#include "data/source.h"
#include "halfspace.h"

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
} hsp__csv_cursor;

typedef struct hsp__csv_field {
    const char *text; /* size bytes, at least 8 more can be read; trimmed, without its quotes */
    size_t size;
    uint64_t line, column; /* where it starts */
    int last;              /* of its record */
} hsp__csv_field;

/* Pass over blank lines; 0 at the end of the text. */
int hsp__csv_skip_blank(hsp__csv_cursor *cursor);

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
} hsp__csv_column;

typedef struct hsp__csv_plan {
    const char *file;
    char separator;
    size_t data_at;     /* bytes of the source before the data */
    uint64_t data_line; /* lines before the data */
    hsp_precision precision;
    hsp__missing missing;
    int given; /* the encoding came from the caller: it is applied, not made */
    int labelled;
    hsp__names names;         /* of the file's columns */
    uint32_t count;           /* columns of the file */
    hsp__csv_column *columns; /* count */
    uint32_t cells;           /* features' columns: the width of the table */
    uint32_t *cell_columns;   /* cells: the encoding's column of each */
    hsp_encoding *encoding;   /* owned: made here, or a copy of the caller's */
} hsp__csv_plan;

/* Decide, by the sample, the options and the encoding (NULL: make one), and tell the log. */
hsp_status hsp__csv_plan_make(hsp_context *ctx, const char *file, const hsp__csv_sample *sample,
                              const hsp_options *options, const hsp_encoding *encoding,
                              hsp_error *err, hsp__csv_plan *plan);
void hsp__csv_plan_free(const hsp_allocator *memory, hsp__csv_plan *plan);

/* The name of the file's column j. */
const char *hsp__csv_name(const hsp__csv_plan *plan, uint32_t j);

/* ---- Words into numbers (csv_words.c) -------------------------------------------------------- */

#define HSP__CSV_RECENT 256

/* The words one worker saw in one column, numbered; and what their numbers are for all workers. */
typedef struct hsp__csv_words {
    hsp__names names;
    uint32_t *map; /* mapped: the number of a word in the whole file */
    uint64_t map_room;
    uint32_t mapped;
    struct hsp__csv_recent { /* a word of up to 16 bytes is known by its size and both ends */
        uint64_t head, tail;
        uint32_t size, number;
    } recent[HSP__CSV_RECENT];
} hsp__csv_words;

void hsp__csv_words_init(hsp__csv_words *words, const hsp_allocator *memory);
void hsp__csv_words_free(hsp__csv_words *words);

/* The number of a field's text, added if it is new. 0 when there is no memory. */
int hsp__csv_words_number(hsp__csv_words *words, const hsp__csv_field *field, uint32_t *number);

/* ---- The rows, and what they become (csv_read.c, csv_expand.c) ------------------------------- */

/* The whole file, a cell a value: a float or double; or, in the first four bytes, the number of a
 * word or one of these. A missing number is NaN. */
#define HSP__CSV_MISSING UINT32_MAX
#define HSP__CSV_UNSEEN  (UINT32_MAX - 1) /* a word the given encoding does not know */

typedef struct hsp__csv_table {
    void *cells; /* rows * plan->cells, each hsp__value_bytes wide */
    uint64_t room, rows;
    uint32_t *labels; /* rows, or NULL */
    uint64_t labels_room;
    uint32_t **orders; /* cells: of a category, the number of each word once sorted; or NULL: as
                          they are */
} hsp__csv_table;

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
