/* A CSV table that another command wrote, read back: names in the first line, numbers and texts. */
#ifndef HSP_SHOW_TABLE_FILE_H
#define HSP_SHOW_TABLE_FILE_H

#include "base/base.h"

typedef struct hsp__log_table {
    hsp__scratch memory; /* of everything below */
    const char *name;    /* of the file, for errors; not owned */
    uint32_t columns;
    const char **names; /* columns */
    uint64_t rows;
    const char **cells; /* rows * columns */
    uint64_t *lines;    /* rows: where each begins */
} hsp__log_table;

/* Read a table of at least one row, from a file or from its text. On failure *out needs no freeing. */
hsp_status hsp__log_table_read(hsp_context *ctx, const char *path, hsp_error *err,
                               hsp__log_table *out);
hsp_status hsp__log_table_parse(hsp_context *ctx, const char *text, size_t size, const char *name,
                                hsp_error *err, hsp__log_table *out);
void hsp__log_table_free(hsp__log_table *table);

/* The number of a column; UINT32_MAX: there is none. */
uint32_t hsp__log_table_column(const hsp__log_table *table, const char *name);

/* The same, HSP_BAD_DATA if there is none: `writer` is the command that writes such files. */
hsp_status hsp__log_table_need(const hsp__log_table *table, const char *name, const char *writer,
                               hsp_error *err, uint32_t *out);

/* All numbers of a column, finite; NaN where a cell is empty. `out` has room for all rows. */
hsp_status hsp__log_table_numbers(const hsp__log_table *table, uint32_t column, hsp_error *err,
                                  double *out);

static inline const char *hsp__log_table_cell(const hsp__log_table *table, uint64_t row,
                                              uint32_t column)
{
    return table->cells[row * table->columns + column];
}

#endif
