/* What one reading of a text file tells in addition to its rows, for statements that must hold for the file
 * and its decimals: its hash, the numbers that no double stands for, how a table's columns were
 * read. A source that is followed (data/source.h) has its readers fill this in on the way. */
#ifndef HSP_DATA_PROVENANCE_H
#define HSP_DATA_PROVENANCE_H

#include <stddef.h>

#include "base/checksum.h"
#include "halfspace_all.h"

/* A number with more digits than a double keeps. */
typedef struct hsp__long_decimal {
    uint64_t row, column; /* from 0 */
    char *text;           /* as the file has it; owned */
} hsp__long_decimal;

typedef struct hsp__long_decimals {
    const hsp_allocator *memory; /* NULL: they are not wanted */
    hsp__long_decimal *all;
    uint64_t count, room;
} hsp__long_decimals;

/* Keep the number if it is long; 0 when there is no memory. */
int hsp__long_decimals_add(hsp__long_decimals *to, uint64_t row, uint64_t column, const char *text,
                           size_t size);
/* Move all of `from`, whose rows are counted from `first`; 0 when there is no memory. */
int hsp__long_decimals_move(hsp__long_decimals *to, hsp__long_decimals *from, uint64_t first);
/* Forget all but the first `count`. */
void hsp__long_decimals_cut(hsp__long_decimals *of, uint64_t count);
/* Ascending by row, then column. */
void hsp__long_decimals_sort(hsp__long_decimals *of);
void hsp__long_decimals_free(hsp__long_decimals *of);

/* What became of a table's column. */
typedef struct hsp__table_column {
    int kind;         /* an hsp__column_kind */
    uint32_t encoded; /* of a feature: the encoding's column */
} hsp__table_column;

typedef struct hsp__provenance {
    hsp_allocator memory; /* that of `longs`: what is told stays where it is */
    hsp__sha256 sha;
    char hash[65];            /* SHA-256 of the text, unpacked */
    hsp__long_decimals longs; /* ascending by row, then column */
    /* of a table: */
    hsp__table_column *columns; /* count */
    uint32_t count;             /* 0: libsvm text */
    char separator;
    int missing; /* an hsp__missing */
    int header;
} hsp__provenance;

/* hsp_data_read of text, in double precision; the caller frees *provenance, also after a failure. */
hsp_status hsp__data_read_followed(hsp_context *ctx, const char *path, const hsp_options *options,
                                   const hsp_encoding *encoding, hsp_error *err,
                                   hsp__provenance *provenance, hsp_data **out);
void hsp__provenance_free(hsp__provenance *provenance);

#endif
