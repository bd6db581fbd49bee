/* What claims about a model share. */
#ifndef HSP_PROVE_MODEL_SEPARATOR_H
#define HSP_PROVE_MODEL_SEPARATOR_H

#include "prove/prove.h"

/* The separator of a model: w as it has it, or coefficients of rows of the data file. */
typedef struct hsp__prove_separator {
    const char *why;  /* it cannot be written down; NULL: it can */
    hsp__text text;   /* the object */
    hsp__text kernel; /* the expression; empty: none */
    double b;
    const double *w; /* features; NULL: there is a kernel */
    uint64_t features;
    uint64_t count; /* of rows */
    uint64_t *row;  /* count, from 0, ascending; NULL: no kernel */
    int64_t *grid;  /* count: coefficients, times 10^places */
    int places;
} hsp__prove_separator;

/* `balance`: coefficients of rows are to add up to 0. */
hsp_status hsp__prove_separator_new(hsp__prove *prove, int balance, hsp_error *err,
                                    hsp__prove_separator *s);
/* The members "kernel", if there is one, and "separator". */
void hsp__prove_separator_write(const hsp__prove_separator *s, hsp__text *text);
void hsp__prove_separator_free(hsp__prove_separator *s);

/* Signed numbers as whole multiples of 10^-*places, rounded towards 0 to 15 digits; `balance`: then
 * made to add up to 0. *grid is scratch. */
hsp_status hsp__prove_round(hsp__prove *prove, uint64_t count, const double *amount, int balance,
                            hsp_error *err, int64_t **grid, int *places);

/* <w, x> of every row of the file, without b, and how far that may be off. */
hsp_status hsp__prove_scores(hsp__prove *prove, const hsp__prove_separator *s,
                             const hsp__prove_file *file, hsp_error *err, hsp__long *scores,
                             hsp__long *errors);

/* The same of coefficients of rows with any kernel. */
hsp_status hsp__prove_scores_of(hsp__prove *prove, const hsp_kernel *kernel,
                                const hsp__prove_separator *s, const hsp__prove_file *file,
                                hsp_error *err, hsp__long *scores, hsp__long *errors);

/* A kernel as certificates have it; 0: they have no such kernel. */
int hsp__prove_format_kernel(hsp__text *text, const hsp_kernel *kernel);
/* Is it without exponentials? */
int hsp__prove_kernel_exact(const hsp_kernel *kernel);

#endif
