/* GNU MP, known to this room's exact_*.c alone, and through this file alone: NO_GMP=1 builds
 * without it. GMP takes its memory from malloc and ends the program when there is none: it has no
 * other way, but for a global one. */
#ifndef HSP_PROVE_GMP_H
#define HSP_PROVE_GMP_H

#include "base/base.h"
#include "base/text.h"
#include "prove/exact.h"

#ifdef HSP_HAVE_GMP
#include <gmp.h>

/* Numbers of one call, freed all at once; other arrays may be taken from `scratch`. */
typedef struct hsp__mpz_scratch {
    hsp__scratch scratch;
    struct hsp__mpz_block *last;
} hsp__mpz_scratch;

/* `count` numbers, all 0; NULL, and scratch.failed, when there is no memory for the array. */
mpz_t *hsp__mpz_new(hsp__mpz_scratch *numbers, uint64_t count);
void hsp__mpz_free(hsp__mpz_scratch *numbers);

/* A decimal as mantissa * 10^*exponent. The text is a number that a reader has accepted. */
void hsp__exact_parse(const char *text, mpz_t mantissa, long *exponent);
/* The shortest decimal that reads back to a double. */
void hsp__exact_decimal(double value, mpz_t mantissa, long *exponent);

/* Entry k of row i, as mantissa * 10^*exponent. */
void hsp__exact_entry(const hsp__exact_source *source, uint64_t i, uint64_t k, mpz_t mantissa,
                      long *exponent);

/* Every number of row i that is not 0, once: also those that are 0 in memory. */
typedef void (*hsp__exact_entry_fn)(void *user, uint64_t column, mpz_t mantissa, long exponent);
void hsp__exact_row(const hsp__exact_source *source, uint64_t i, hsp__exact_entry_fn fn,
                    void *user);

/* Rows as whole numbers: entry j of a row is its exact value times 10^digits, one `digits` for
 * all. `x` is dense, count * cols; of the scratch that it was read with. */
typedef struct hsp__exact_matrix {
    uint64_t count, cols;
    unsigned long digits;
    mpz_t *x;
} hsp__exact_matrix;

/* `rows`: which; NULL: all of the source. */
hsp_status hsp__exact_matrix_read(hsp__mpz_scratch *numbers, const hsp__exact_source *source,
                                  const uint64_t *rows, uint64_t count, hsp_error *err,
                                  hsp__exact_matrix *out);

/* Append a whole number; append number * 10^exponent as a plain decimal, or with an exponent where
 * that is shorter. */
void hsp__exact_format(hsp__text *text, const mpz_t number);
/* An entry of a sparse list, [index, "number"], `index` from 0. */
void hsp__exact_write_entry(hsp__text *text, uint64_t index, const mpz_t number);
/* to->multipliers and used: `count` numbers of these rows (NULL: of all), without zeros. */
void hsp__exact_write_multipliers(hsp__separation *to, const uint64_t *rows, mpz_t *a,
                                  uint64_t count);
void hsp__exact_format_scaled(hsp__text *text, const mpz_t number, long exponent);

/* sqrt(num / den) * 10^exponent to 14 digits, rounded down or up: appended, and returned to the
 * nearest. num >= 0, den > 0. */
double hsp__exact_format_root(hsp__text *text, const mpz_t num, const mpz_t den, long exponent,
                              int up);

/* hsp__exact_nearest of rows that are whole numbers already, with their y. */
hsp_status hsp__exact_nearest_of(hsp_context *ctx, const hsp__exact_matrix *rows,
                                 const signed char *y, int offset, double width, uint64_t steps,
                                 hsp_error *err, hsp__separation *to);

/* Of multipliers a (count, > 0) with sum a y x = 0 (and sum a y = 0 with an offset), some that
 * are still so and use no more rows than equations + 1 need: the others become 0. */
hsp_status hsp__exact_reduce(hsp_context *ctx, const hsp__exact_matrix *rows, const signed char *y,
                             int offset, mpz_t *a, hsp_error *err);
#else
/* HSP_UNSUPPORTED: there is no such arithmetic in this build. */
hsp_status hsp__exact_lacking(hsp_error *err);
#endif

#endif
