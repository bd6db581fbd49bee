/* A trace of a perceptron run, as `train perceptron --trace` writes it, read back. */
#ifndef HSP_SHOW_TRACE_FILE_H
#define HSP_SHOW_TRACE_FILE_H

#include "halfspace_all.h"

typedef struct hsp__trace_step {
    uint64_t update, pass; /* as the file numbers them */
    uint64_t row;          /* from 0 */
    double score;          /* of the row, before the update */
    double offset;         /* b after it */
    uint64_t first;        /* its first change; the next step's first change ends them */
} hsp__trace_step;

typedef struct hsp__trace_change {
    uint64_t column; /* from 0 */
    double weight;   /* after the update */
} hsp__trace_change;

typedef struct hsp__trace_file {
    hsp_allocator memory;
    hsp__trace_step *steps; /* count, and one more whose `first` is the number of changes */
    uint64_t count;
    hsp__trace_change *changes;
    uint64_t change_count;
    uint64_t step_room, change_room;
} hsp__trace_file;

/* Read a trace, from a file or from its text. HSP_BAD_DATA with line and column for anything else.
 * On failure *out needs no freeing. */
hsp_status hsp__trace_file_read(hsp_context *ctx, const char *path, hsp_error *err,
                                hsp__trace_file *out);
hsp_status hsp__trace_file_parse(hsp_context *ctx, const char *text, size_t size, const char *name,
                                 hsp_error *err, hsp__trace_file *out);
void hsp__trace_file_free(hsp__trace_file *trace);

#endif
