/* Inside of file.c and scan.c. */
#ifndef HSP_PROVE_FILE_H
#define HSP_PROVE_FILE_H

#include "data/csv.h"
#include "data/labels.h"
#include "prove/prove.h"

/* The classes of a file, and on which side each is. */
typedef struct hsp__prove_classes {
    hsp__names names;  /* borrowed */
    signed char *side; /* one a class: -1, 1, or 0: its rows are left out */
    int drops;         /* rows of labels on neither side are left out; else there are none */
} hsp__prove_classes;

/* What is looked for in the bytes of a file. */
typedef struct hsp__prove_scan {
    hsp_context *ctx;
    const char *path;
    const hsp__csv_plan *plan; /* NULL: libsvm text */
    uint64_t rows;             /* of the file */
    const uint64_t *place;     /* rows: their numbers in the certificate; UINT64_MAX: left out */
    int index_base;
} hsp__prove_scan;

/* The SHA-256 of what the file holds (unpacked), and every number in it that has more digits than a
 * double: file->longs. */
hsp_status hsp__prove_scan_file(const hsp__prove_scan *of, hsp_error *err, char hash[65],
                                hsp__prove_file *file);

#endif
