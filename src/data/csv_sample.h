/* The first records of a CSV file, and what they show (csv_sample.c). */
#ifndef HSP_DATA_CSV_SAMPLE_H
#define HSP_DATA_CSV_SAMPLE_H

#include "data/csv.h"

/* What was seen in a column. */
enum {
    HSP__SEEN_NUMBER = 1, /* a number was seen in this column */
    HSP__SEEN_WORD = 2,   /* something that is neither a number nor missing was seen */
    HSP__SEEN_AGAIN = 4,  /* the first record's text was seen again */
    HSP__SEEN_MARK = 8, /* a word was seen that is a missing value among numbers, or else a word */
    HSP__SEEN_PERCENT = 16 /* a number with a percent sign was seen */
};

/* What the first records of a file show. */
typedef struct hsp__csv_sample {
    const char *file;
    char *text; /* size bytes, padded */
    size_t size;
    int live;       /* of a live source: the first record alone */
    int whole;      /* it is the whole file */
    size_t begin;   /* of the first record: behind a mark and the line "sep=;" */
    uint64_t lines; /* before the first record */
    char excel;     /* the separator by that line; 0: there is none */
    char separator;
    hsp__cell_rules rules;
    int written;      /* numbers are written in another way than usual, by the rules */
    int header;       /* the first record holds names */
    hsp__text first;  /* the fields of the first record, each with a NUL behind it */
    uint64_t *starts; /* count: of those fields */
    uint64_t starts_room;
    uint32_t count;             /* columns */
    unsigned char *flags;       /* count, of HSP__SEEN_..., the records after the first */
    unsigned char *first_flags; /* count, of the first record */
    uint64_t *numbers, *words;  /* count: cells of each, in the records after the first */
    uint64_t *word_lines;       /* count: the line of the first word there; 0: there is none */
    int skip;                   /* records that cannot be read are left out */
    size_t first_end;           /* where the first record ends */
    uint64_t first_lines;       /* and how many lines it has */
    double record_bytes;        /* of a record, on average */
    hsp__text unquoted, plain;  /* scratch */
} hsp__csv_sample;

/* Look at the beginning of the source, without consuming it; hsp__csv_sample_free ends it, also
 * after a failure. `tabs`, `options` and `encoding` as in hsp__csv_plan_make. */
hsp_status hsp__csv_sample_take(hsp_context *ctx, hsp__source *source, int tabs,
                                const hsp_options *options, const hsp_encoding *encoding,
                                hsp_error *err, hsp__csv_sample *sample);
/* The same of no more than the first record, with this separator. */
hsp_status hsp__csv_sample_first(hsp_context *ctx, hsp__source *source, char separator,
                                 hsp_error *err, hsp__csv_sample *sample);
void hsp__csv_sample_free(const hsp_allocator *memory, hsp__csv_sample *sample);

/* Field i of the first record. */
const char *hsp__csv_first(const hsp__csv_sample *sample, uint32_t i);

/* The name of column i: the header's, or c1, c2, ... */
const char *hsp__csv_column_name(const hsp__csv_sample *sample, uint32_t i, int header,
                                 char number[16]);

/* One column of the sample, behind the header: begin, then a cell at a time; 0 at the end. */
hsp__csv_cursor hsp__csv_sample_begin(hsp__csv_sample *sample);
int hsp__csv_sample_cell(hsp__csv_sample *sample, hsp__csv_cursor *cursor, uint32_t column,
                         hsp__csv_field *cell);

/* Under --on-error skip: are nearly all cells numbers, so that records with words are bad? */
int hsp__csv_few_words(const hsp__csv_sample *sample, uint32_t i);

/* "comma", "tab"; NULL: the character has no name. */
const char *hsp__csv_separator_word(char separator);

/* ---- The option date (csv_dates.c) ----------------------------------------------------------- */

/* The columns that the option names become dates; `told` marks columns that an option is about. */
hsp_status hsp__csv_set_dates(hsp_context *ctx, hsp__csv_sample *sample, const hsp_options *options,
                              hsp_encoding *encoding, unsigned char *told, hsp_error *err);

#endif
