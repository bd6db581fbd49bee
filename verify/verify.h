/* The checker as a function: does a certificate hold for a data file? docs/certificates.md has the
 * format and the mathematics. Nothing here or behind it uses the library. */
#ifndef HSP_VERIFY_H
#define HSP_VERIFY_H

#include <stdio.h>

#include "core/status.h"

typedef struct halfspace_files {
    FILE *cert, *data;
    FILE *test;                                     /* NULL: none, as for most claims */
    FILE *model;                                    /* NULL: the model file is not compared */
    const char *data_name, *test_name, *model_name; /* for sentences; NULL: not known */
    unsigned effort; /* how much work is allowed, 1 (or 0) for the default */
} halfspace_files;

/* Check the certificate. Sentences that say what was established go to out, the reason of a
 * rejection to err; either may be NULL. The status comes back (core/status.h). */
int halfspace_verify_files(const halfspace_files *files, FILE *out, FILE *err);

/* The same with the names of data and test, or without names. */
int halfspace_verify_named(FILE *cert, FILE *data, FILE *test, const char *const names[2],
                           FILE *out, FILE *err);
int halfspace_verify_streams(FILE *cert, FILE *data, FILE *test, FILE *out, FILE *err);

#endif
