/* Tables that are written as CSV with a line of names, or as JSON objects, one per line. */
#ifndef HSP_DATA_LISTING_H
#define HSP_DATA_LISTING_H

#include "data/output.h"

typedef struct hsp__listing {
    hsp_context *ctx;
    hsp__output *output;
    hsp__text text;           /* what is not yet written */
    const char *const *names; /* of the columns, columns of them */
    size_t columns, at;       /* `at`: the column that comes next */
    int json, array;          /* JSON; as one array, and not an object per line */
    uint64_t rows;            /* begun so far */
} hsp__listing;

/* Open the file and write the names. hsp__listing_end completes it, and frees it in any case: hand
 * over the status so far. */
hsp_status hsp__listing_begin(hsp__listing *listing, const char *path, hsp_error *err);
hsp_status hsp__listing_end(hsp__listing *listing, hsp_status status, hsp_error *err);

/* The next cell; a number that is not finite is empty, or null; so is the text NULL. */
void hsp__listing_number(hsp__listing *listing, double number);
void hsp__listing_text(hsp__listing *listing, const char *text);

/* Now and then: what was put so far goes to the file. */
hsp_status hsp__listing_flush(hsp__listing *listing, hsp_error *err);

#endif
