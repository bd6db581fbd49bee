/* The checker as a function: does a certificate hold for a data file? docs/certificates.md has the
 * format and the mathematics. Nothing here or behind it uses the library. */
#ifndef HSP_VERIFY1_H
#define HSP_VERIFY1_H

#include <stdio.h>

/* What comes back, and the exit status of halfspace-verify. */
enum {
    HALFSPACE1_VERIFIED = 0,
    HALFSPACE1_REJECTED = 1,
    HALFSPACE1_UNREADABLE = 3,
    HALFSPACE1_NO_MEMORY = 4
};

/* Check the certificate in the file cert against the file data and, where a claim is about a second
 * file, test (else NULL). "-" is standard input, for one of them. Sentences that say what was
 * established go to out, the reason of a rejection to err; either may be NULL. */
int halfspace_verify1(const char *cert, const char *data, const char *test, FILE *out, FILE *err);

/* The same for open files, which are read from their start, several times, and not closed. */
int halfspace_verify1_streams(FILE *cert, FILE *data, FILE *test, FILE *out, FILE *err);

/* The same, with names for DATA and TEST (or NULL) in what is said. Without them it has only those
 * that the certificate gives. */
int halfspace_verify1_named(FILE *cert, FILE *data, FILE *test, const char *const names[2],
                           FILE *out, FILE *err);

#endif
