/* Parsing CSV in blocks (csv_rows.c): what reading a whole file and passing its rows by
 * (csv_stream.c) share. */
#ifndef HSP_DATA_CSV_ROWS_H
#define HSP_DATA_CSV_ROWS_H

#include "data/blocks.h"
#include "data/csv.h"

/* What one worker parses into. */
typedef struct hsp__csv_worker {
    void *cells; /* rows * plan->cells, of the block at hand */
    uint64_t cells_room;
    uint32_t *labels; /* rows */
    uint64_t labels_room;
    uint64_t *lines; /* rows: of the block, from 1 */
    uint64_t lines_room;
    uint64_t rows, first_row; /* of the block at hand; where they go */
    hsp__csv_words *words;    /* plan->words: of the category columns and the label */
    hsp__csv_recent *recent;  /* what `words` keep of them, together */
    hsp__names classes;       /* scratch: is a new label sound? */
    hsp__text unquoted;
    int missing_here;                      /* in the record at hand, in a feature */
    int label_missing_here;                /* the same of its label */
    uint64_t missing_line, missing_column; /* the first of the block at hand, 0: none */
    uint64_t *missing;                     /* plan->count, over all blocks */
    uint64_t *unseen;                      /* plan->count, over all blocks */
    uint64_t dropped;                      /* rows, over all blocks */
    uint64_t block;                        /* the number of the one at hand */
    hsp__losses losses;                    /* over all blocks, as the next two */
    hsp__spread spread;                    /* by cell */
    hsp__decimal_widest *widest;           /* plan->cells */
} hsp__csv_worker;

typedef struct hsp__csv_reader {
    hsp_context *ctx;
    hsp__csv_plan *plan;
    hsp__csv_table *table;
    hsp__csv_worker *workers;
    hsp__provenance *told;                 /* or NULL */
    int count;                             /* workers */
    uint64_t missing_line, missing_column; /* the first of the data, 0: none */
} hsp__csv_reader;

/* Scratch for every worker that the source can use; 0 when there is no memory. */
int hsp__csv_start_workers(hsp__csv_reader *reader, const hsp__source *source);
void hsp__csv_free_workers(hsp__csv_reader *reader);

/* hsp__block_format's parse: the records of a block into the worker's cells, words as the worker
 * numbers them. `self` is the reader. */
hsp_status hsp__csv_parse(void *self, int number, hsp__block *block, hsp_error *err);

/* Give the words of column j that a worker met for the first time their numbers in the file. They
 * are only looked up when column j is a category and the encoding was given: then any thread may.
 */
hsp_status hsp__csv_merge_words(hsp__csv_reader *reader, uint32_t j, hsp__csv_words *words,
                                hsp_error *err);

/* Change a column's numbers of words in the rows at hand from the worker's to the file's. */
void hsp__csv_place_words(const hsp__csv_reader *reader, hsp__csv_worker *worker, uint32_t j,
                          char *rows);

/* Add the workers' counts up. HSP__NEEDS_DOUBLE if a column is narrow, or a number of rule 1 was
 * found (data/precision.h); the counts are right all the same. */
hsp_status hsp__csv_gather(const hsp__csv_reader *reader, hsp__csv_counts *counts, hsp_error *err);

#endif
