/* Inside of prove_file.c and file_hash.c. */
#ifndef HSP_PROVE_PROVE_FILE_H
#define HSP_PROVE_PROVE_FILE_H

#include "data/csv.h"
#include "data/labels.h"
#include "prove/prove.h"

/* The classes of a file, and on which side each is. */
typedef struct hsp__prove_classes {
    hsp__names names;  /* borrowed */
    signed char *side; /* one a class: -1, 1, or 0: its rows are left out */
    int drops;         /* rows of labels on neither side are left out; else there are none */
} hsp__prove_classes;

/* The SHA-256 of what the file holds (unpacked). */
hsp_status hsp__prove_hash_file(hsp_context *ctx, const char *path, hsp_error *err, char hash[65]);

#endif
