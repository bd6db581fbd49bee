/* Gram matrices in memory. */
#ifndef HSP_KERNEL_GRAM_H
#define HSP_KERNEL_GRAM_H

#include "kernel/kernel_rows.h"

/* precomputed: the columns in which others find the rows of `data`. The first column has their
 * numbers when columns are numbered from 0, as in LIBSVM's files, or when it is named "row"; column
 * j is then the value with the row of number j. Without numbers column j belongs to row j, and
 * there must be as many rows as columns: of a part of them nobody could tell which. *out, of
 * rows[0..count) (NULL: of all): NULL when the kernel does not ask, or the rows' order in the data
 * does; else hsp__free it. The data's view has been asked for before. */
hsp_status hsp__kernel_ids(hsp_context *ctx, const hsp_kernel *kernel, const hsp_data *data,
                           const uint64_t *rows, uint64_t count, hsp_error *err, uint64_t **out);

/* Does it normalise values that were given? k(x, x) of a row that is no row of the matrix is
 * nowhere to be found then. */
int hsp__kernel_needs_own(const hsp_kernel *kernel);

/* precomputed: is the matrix of these rows symmetric, up to the rounding of what was given? Also
 * finds rows whose numbers are another's. HSP_BAD_DATA with two rows; `numbers`: theirs in the data
 * as given, NULL: the same. */
hsp_status hsp__kernel_check_given(hsp_context *ctx, const hsp__kernel_rows *rows,
                                   const uint64_t *numbers, hsp_error *err);

/* precomputed: have rows to be scored a value with every one of `known`? */
hsp_status hsp__kernel_check_guests(const hsp__kernel_rows *known, const hsp_view *view,
                                    hsp_error *err);

/* The Gram matrix of rows[0..count) (NULL: all) of a data set. */
typedef struct hsp__gram {
    uint64_t n;
    double *values; /* n * n, symmetric */
    double noise;   /* how far rounding may have moved an element */
} hsp__gram;

hsp_status hsp__gram_new(hsp_context *ctx, const hsp_kernel *kernel, hsp_data *data,
                         const uint64_t *rows, uint64_t count, hsp_error *err, hsp__gram *out);
void hsp__gram_free(hsp_context *ctx, hsp__gram *gram);

/* cholesky.c: a Gram matrix as B B', by Cholesky with pivots. */
typedef struct hsp__cholesky {
    double *b;        /* n * n: rows of B, zeros beyond the rank */
    uint64_t *pivots; /* n: rows in the order they were taken; row pivots[k] has k + 1 numbers */
    uint64_t rank;
} hsp__cholesky;

/* Until no row has more than `tolerance` left of its diagonal element. */
hsp_status hsp__cholesky_new(hsp_context *ctx, const hsp__gram *gram, double tolerance,
                             hsp_error *err, hsp__cholesky *out);
void hsp__cholesky_free(hsp_context *ctx, hsp__cholesky *made);

#endif
