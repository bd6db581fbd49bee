/* Reading CSV, the parts, in the order they are called from csv_read.c and csv_stream.c: what kind of
 * file it is (csv_sample.c) and what becomes of each column (csv_plan.c), blocks of rows into cells (csv_rows.c, with
 * csv_record.c for fields), and cells into rows of a data set (csv_expand.c). docs/csv.md has the
 * rules. */
#ifndef HSP_DATA_CSV_H
#define HSP_DATA_CSV_H

#include <string.h>

#include "base/names.h"
#include "base/scratch.h"
#include "base/text.h"
#include "data/blocks.h"
#include "data/encode.h"
#include "data/hash_text.h"
#include "data/precision.h"
#include "data/source.h"
#include "data/stream.h"
#include "halfspace_all.h"

/* ---- One record into fields (csv_record.c) --------------------------------------------------- */

#define HSP__CSV_SPACES ' ' /* as a separator: any run of spaces and tabs */

/* A place in a text of records. HSP__BLOCK_PADDING bytes behind `end` can be read. */
typedef struct hsp__csv_cursor {
    const char *at, *end;
    const char *line_start;
    uint64_t line; /* from 1 */
    char separator;
    const char *file;    /* of errors; NULL: the caller adds it */
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

/* The beginning of a text. */
static inline hsp__csv_cursor hsp__csv_begin(const char *text, size_t size, char separator,
                                             hsp__text *unquoted)
{
    return (hsp__csv_cursor){text, text + size, text, 1, separator, NULL, unquoted, 0};
}

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

/* Pass over the record at the cursor. If its quotes are out of place, it ends with its first line. */
void hsp__csv_skip_record(hsp__csv_cursor *cursor);

/* Append a field, in quotes if it needs them to be read back, or if `quotes` asks for them. */
void hsp__csv_put(hsp__text *text, const char *field, size_t size, char separator, int quotes);

/* ---- What becomes of each column (csv_plan.c) ------------------------------------------------ */

/* A column of the file at hand. */
typedef struct hsp__csv_column {
    hsp__column_kind kind;
    uint32_t encoded;   /* the encoding's column */
    uint32_t cell;      /* its place in a row of the table (features only) */
    int quick;          /* numbers in it are plain, so that the short way reads them */
    uint32_t words;     /* its number among category columns and the label, or HSP__NAME_NONE */
    uint64_t word_line; /* of an encoding that is made: the line of the first word; 0: unknown */
} hsp__csv_column;

typedef struct hsp__csv_plan {
    const char *file;
    char separator;
    int header;          /* the first record holds names */
    size_t data_at;      /* bytes of the source before the data: a mark, the header */
    uint64_t data_line;  /* lines before the data */
    double record_bytes; /* of one of the first records, on average */
    hsp__reading reading;
    hsp_precision precision; /* of the table's cells */
    hsp__missing missing;
    int given; /* the encoding came from the caller: it is applied, not made */
    uint64_t max_categories;
    int skip;            /* records that cannot be read are left out */
    const char *rejects; /* the file that gets them; borrowed from the options; NULL: none */
    int followed; /* another program is to read the same (data/provenance.h): cells must be plain */
    int labelled;
    hsp__names names;         /* of the file's columns */
    uint32_t count;           /* columns of the file */
    hsp__csv_column *columns; /* count */
    uint32_t words;           /* category columns and the label, together */
    uint32_t cells;           /* features' columns: the width of the table */
    uint32_t *cell_columns;   /* cells: the encoding's column of each */
    uint32_t *cell_parts;     /* cells: which of the cells of its column it is */
    hsp_encoding *encoding;   /* owned: made here, or a copy of the caller's */
} hsp__csv_plan;

/* Look at the beginning of the source and decide, by that, the options and the encoding (NULL: make
 * one); tell the log. Nothing is consumed. `tabs`: the separator is a tab unless the options say
 * otherwise. hsp__csv_plan_free ends it, also after a failure. */
hsp_status hsp__csv_plan_make(hsp_context *ctx, hsp__source *source, int tabs,
                              const hsp_options *options, hsp__reading reading,
                              const hsp_encoding *encoding, hsp_error *err, hsp__csv_plan *plan);
/* Consume the source up to the first row. */
hsp_status hsp__csv_skip_header(hsp__source *source, const hsp__csv_plan *plan, hsp_error *err);
void hsp__csv_plan_free(const hsp_allocator *memory, hsp__csv_plan *plan);

/* The same for what needs no more than some columns: of the plan, only the members up to `data_line`
 * and `count` are set. The numbers of the label's column, by the options, and of the group's (NULL:
 * none); HSP__NAME_NONE for none. */
hsp_status hsp__csv_find_columns(hsp_context *ctx, hsp__source *source, int tabs,
                                 const hsp_options *options, const char *group, hsp_error *err,
                                 hsp__csv_plan *plan, uint32_t *label_column,
                                 uint32_t *group_column);

/* The same for those who only look: also plan->names, to be freed by the caller; no note is told, and
 * the options about columns need not fit the file. Later parts of the source are compared with the
 * plan. */
hsp_status hsp__csv_look(hsp_context *ctx, hsp__source *source, int tabs,
                         const hsp_options *options, hsp_error *err, hsp__csv_plan *plan);

/* A name that is the same but for the case of letters; NULL: none is. */
const char *hsp__csv_alike(const hsp__names *names, const char *word, size_t size);

/* The column that a user means by a word of the option: its name, or its number from 1. */
hsp_status hsp__csv_find_column(const hsp__names *names, const char *word, size_t size,
                                const char *option, hsp_error *err, uint32_t *column);

/* Keep numbers in this way from now on. */
void hsp__csv_plan_keep(hsp__csv_plan *plan, hsp__reading reading);

/* Does a cell of the file's column j stand for a missing value? */
int hsp__csv_is_missing(const hsp__csv_plan *plan, uint32_t j, const char *text, size_t size);

/* An error's words about a table that another program cannot read as it was read here; %s: what that
 * program does not know. */
#define HSP__CSV_NOT_PLAIN                                                                  \
    "a certificate is about a plain table, without %s: its checker reads the file itself; " \
    "halfspace convert writes a plain table (convert DATA plain.csv, with the same options)"

/* The name of the file's column j. */
const char *hsp__csv_name(const hsp__csv_plan *plan, uint32_t j);

/* ---- Blocks of rows into cells (csv_rows.c) -------------------------------------------------- */

/* A cell a value: a float or double; or, in the first four bytes, the number of a word or one of
 * these. A missing number is NaN. */
#define HSP__CSV_MISSING UINT32_MAX
#define HSP__CSV_UNSEEN  (UINT32_MAX - 1) /* a word the given encoding does not know */

/* Rows of cells. */
typedef struct hsp__csv_table {
    void *cells; /* rows * plan->cells, each hsp__value_bytes wide */
    uint64_t room, rows;
    uint32_t *labels; /* rows; NULL without labels */
    uint64_t labels_room;
    hsp__hash_lists hashed; /* of hashed columns: a cell is the number of a list */
    uint32_t **orders; /* cells: of a category, the number of each word once sorted; NULL: as they
                          are */
} hsp__csv_table;

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
    hsp__csv_recent *recent; /* all zero at first */
} hsp__csv_words;

/* What was met on the way. */
typedef struct hsp__csv_counts {
    uint64_t *missing; /* plan->count: missing values of each column */
    uint64_t *unseen;  /* plan->count: values that the given encoding does not know */
    uint64_t dropped;  /* rows left out */
    hsp__digit_losses losses;
    const char *missing_file;              /* where the next two are */
    uint64_t missing_line, missing_column; /* the first missing value of the data; a worker's: of
                                              the block at hand; line 0: none */
} hsp__csv_counts;

/* Records of a block that cannot be read. */
typedef struct hsp__csv_bad {
    hsp__bad_row *rows; /* count; their texts are not set yet, their lines are of the block */
    uint64_t count, room;
    hsp__text texts; /* of each the message, a NUL, and the record */
} hsp__csv_bad;

/* And those of the file. */
typedef struct hsp__csv_rejects {
    uint64_t *places; /* count: hsp__record_place of each */
    uint64_t count, room;
    const char *first_file; /* of the first: where it is, and why it cannot be read */
    uint64_t first_line;
    char first[512];
    hsp__text text; /* the file of rejects, without names */
} hsp__csv_rejects;

/* What one worker parses into. */
typedef struct hsp__csv_worker {
    hsp__csv_table rows; /* of the block at hand; labels as the worker numbers them */
    uint64_t *lines;     /* rows: of the block, from 1 */
    uint64_t lines_room;
    uint64_t first_row;    /* where they go */
    hsp__csv_words *words; /* plan->words: of the category columns and the label */
    hsp__names classes;    /* scratch: is a new label sound? */
    hsp__text unquoted, plain;
    int missing_here;            /* in the record at hand, in a feature */
    int label_missing_here;      /* the same of its label */
    uint32_t missing_at;         /* the first such column */
    uint64_t *missing_before;    /* plan->count: counts.missing before the record at hand; only if
                                    records may be left out */
    const char *record;          /* where it begins; likewise */
    hsp__csv_bad bad;            /* of the block at hand */
    uint64_t block;              /* the number of the one at hand */
    hsp__csv_counts counts;      /* over all blocks, as the next two */
    hsp__spread spread;          /* by cell */
    hsp__decimal_widest *widest; /* plan->cells */
} hsp__csv_worker;

typedef struct hsp__csv_reader {
    hsp_context *ctx;
    const hsp_ranks *ranks; /* each reads a part of the file; NULL: one process reads all */
    hsp__csv_plan plan;
    hsp__names *classes; /* of the labels, by first appearance */
    hsp__csv_worker *workers;
    hsp__scratch scratch;        /* that they are in */
    int count;                   /* workers */
    int none;                    /* a file without rows is no error */
    hsp__provenance *provenance; /* or NULL */
    hsp__csv_counts counts;      /* of all workers, once they are gathered */
    char missing_file[256];      /* of ranks: the name in them */
    hsp__csv_rejects rejects;
} hsp__csv_reader;

/* Scratch for every worker that the source can use, and empty counts; 0 when there is no memory.
 * What an earlier start left is freed. */
int hsp__csv_start(hsp__csv_reader *reader, const hsp__source *source);
void hsp__csv_free_workers(hsp__csv_reader *reader);
/* The workers, the counts and the plan. */
void hsp__csv_free(hsp__csv_reader *reader);

/* hsp__block_format's parse: the records of a block into the worker's cells, words as the worker
 * numbers them. `self` is the reader. */
hsp_status hsp__csv_parse(void *self, int number, hsp__block *block, hsp_error *err);

/* Give the words of category column j that the worker met for the first time their numbers in the
 * file. They are only looked up when the encoding was given: then any thread may. */
hsp_status hsp__csv_merge_words(hsp__csv_reader *reader, hsp__csv_worker *worker, uint32_t j,
                                hsp_error *err);
/* Change that column's numbers of words in the rows at hand from the worker's to the file's. */
void hsp__csv_place_words(const hsp__csv_reader *reader, hsp__csv_worker *worker, uint32_t j);

/* Add `by` to the cells of column j in the rows at hand, numbers of lists. */
void hsp__csv_shift_lists(const hsp__csv_plan *plan, hsp__csv_worker *worker, uint32_t j,
                          uint64_t by);

/* The labels of the rows at hand become numbers of reader->classes; in the order of the file. A
 * label that only rows left out have is none. */
hsp_status hsp__csv_merge_labels(hsp__csv_reader *reader, hsp__csv_worker *worker, hsp_error *err);

/* Add the workers' counts up, and those of the ranks. HSP__NEEDS_DOUBLE if a column is narrow, or a number of rule 1 was
 * found (data/precision.h); the counts are right all the same. */
hsp_status hsp__csv_gather(hsp__csv_reader *reader, hsp_error *err);

/* After the last row: tell the log what was met, or fail (missing values that the options do not
 * allow, no rows at all). */
hsp_status hsp__csv_tell(const hsp__csv_reader *reader, uint64_t rows, hsp_error *err);

/* ---- Too many categories (csv_categories.c) -------------------------------------------------- */

/* HSP_BAD_DATA with advice when a column has more categories than the options allow; `rows`: so far,
 * `all`: those are all, otherwise only columns that are far beyond the limit count. */
hsp_status hsp__csv_check_categories(const hsp__csv_reader *reader, uint64_t rows, int all,
                                     hsp_error *err);

/* ---- Records that cannot be read (csv_rejects.c) --------------------------------------------- */

/* Leave out the record that begins at `from`, in this line of the block, and go behind it. 0 when
 * there is no memory. */
int hsp__csv_reject(hsp__csv_worker *worker, const hsp_allocator *memory, hsp__csv_cursor *cursor,
                    const char *from, uint64_t line, const char *why);

/* For reserve: the bad records of the block at hand become the reader's, and get their texts and
 * lines. */
hsp_status hsp__csv_take_bad(hsp__csv_reader *reader, hsp__csv_worker *worker,
                             const hsp__blocks *run, hsp_error *err);

/* After the last row: tell the log. HSP_BAD_DATA when no row is left. */
hsp_status hsp__csv_tell_rejects(const hsp__csv_reader *reader, uint64_t rows, hsp_error *err);

/* Write the file of rejects, if one is wanted. */
hsp_status hsp__csv_write_rejects(const hsp__csv_reader *reader, hsp_error *err);

/* The same for any format; `how`: the first file, the file of rejects (NULL: none), and the separator
 * of CSV, or 0: libsvm text, which gets comments. */
typedef struct hsp__rejects_how {
    const char *file, *path;
    char separator;
} hsp__rejects_how;
int hsp__bad_add(hsp__csv_bad *bad, const hsp_allocator *memory, uint64_t before, uint64_t line,
                 const char *why, const char *from, size_t size);
hsp_status hsp__bad_take(hsp_context *ctx, hsp__csv_bad *bad, const hsp__rejects_how *how,
                         const hsp__blocks *run, hsp__csv_rejects *rejects, hsp_error *err);
hsp_status hsp__rejects_tell(hsp_context *ctx, const hsp__csv_rejects *rejects, const char *file,
                             uint64_t rows, uint64_t dropped, int none, hsp_error *err);
hsp_status hsp__rejects_write(hsp_context *ctx, const hsp__csv_rejects *rejects, const char *path,
                              const hsp__text *names, hsp_error *err);
/* Can the file of rejects be written, and is it not the data? */
hsp_status hsp__rejects_check(const char *path, int skip, const hsp__source *source,
                              hsp_error *err);

/* Forget all; `rejects` is zeroed or was started before. */
void hsp__csv_rejects_start(hsp__csv_rejects *rejects, const hsp_allocator *memory);

/* ---- Still of csv_rows.c --------------------------------------------------------------------- */

/* The cells of some rows, doubles, become floats in place; cells of words keep their words. */
void hsp__csv_narrow(const hsp__csv_plan *plan, void *cells, uint64_t rows);

/* ---- Cells into rows of a data set (csv_expand.c) -------------------------------------------- */

/* The rows of the table alone, taking its memory. `storage` as the read option. To be sealed by the
 * caller. */
hsp_status hsp__csv_expand(hsp_context *ctx, const hsp__csv_plan *plan, hsp__csv_table *table,
                           const char *storage, hsp_error *err, hsp_data **out);

/* The means of the number columns, NaN left out, into the encoding. */
void hsp__csv_means(hsp_context *ctx, const hsp__csv_plan *plan, const hsp__csv_table *table);

#endif
