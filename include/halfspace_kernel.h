/* halfspace: kernel expressions and Gram matrices (docs/kernels.md). */
#ifndef HALFSPACE_KERNEL_H
#define HALFSPACE_KERNEL_H

#include "halfspace.h"

#ifdef __cplusplus
extern "C" {
#endif

/* A kernel expression: "rbf(0.5)", "0.5*rbf(0.1) + normalize(poly(2,1))*linear". */
typedef struct hsp_kernel hsp_kernel;

/* HSP_USAGE with the column for text that is no expression, and, unless `allow_indefinite`, for one
 * that need not be a kernel (a negative factor, a difference, sigmoid). `index_base`: the number of
 * the first column in cols(...) and x3, 0 or 1. */
HSP_API hsp_status hsp_kernel_parse(hsp_context *ctx, const char *text, int allow_indefinite,
                                    int index_base, hsp_error *err, hsp_kernel **out);
HSP_API void hsp_kernel_free(hsp_kernel *kernel);
/* The expression in canonical form; it belongs to the kernel. */
HSP_API const char *hsp_kernel_text(const hsp_kernel *kernel);
/* Replace every parameter that is a rule by its number: median (1 / the median of the kernel's
 * distance, over all pairs of rows or 5,000 random ones), 1/d (d columns) and scale (1/(d var), var
 * of all entries; the rule of rbf without a factor). The text then has the numbers. HSP_BAD_DATA if
 * the rows give a rule no number, or if none of the columns that a part of the kernel uses exists;
 * HSP_USAGE for the rule gamma, for which learners have an option. */
HSP_API hsp_status hsp_kernel_fit(hsp_context *ctx, hsp_kernel *kernel, const hsp_view *view,
                                  hsp_error *err);
/* Has it a part that the closure rules do not show to be a kernel? */
HSP_API int hsp_kernel_is_indefinite(const hsp_kernel *kernel);

/* The following calls need a fitted kernel. */

/* out[i * rows of b + j] = k(row i of a, row j of b), in double. b NULL: of a with itself, exactly
 * symmetric. `precomputed`: row i of a holds the values, the one with row j of b in the column with
 * j's number (docs/kernels.md). */
HSP_API hsp_status hsp_kernel_gram(hsp_context *ctx, const hsp_kernel *kernel, hsp_data *a,
                                   hsp_data *b, hsp_error *err, double *out);

/* The same as a data file with a's labels, for `precomputed`: the first column is the row's number
 * from 1, column j is the value with row j of b. libsvm text is what LIBSVM reads for precomputed
 * kernels: "label 0:i 1:K(i,1) 2:K(i,2) ...", zeros included. `write` as for hsp_data_write. */
HSP_API hsp_status hsp_kernel_gram_write(hsp_context *ctx, const hsp_kernel *kernel, hsp_data *a,
                                         hsp_data *b, const char *path, const hsp_options *write,
                                         hsp_error *err);

/* Is the Gram matrix K of some rows positive semidefinite? Eigenvalues from -tolerance to tolerance
 * count as 0. */
typedef struct hsp_kernel_report {
    uint64_t rows;
    int semidefinite;    /* no eigenvalue is below -tolerance */
    double tolerance;    /* how much rounding may have moved an eigenvalue */
    double *eigenvalues; /* rows, descending */
    uint64_t rank;       /* eigenvalues above tolerance */

    /* If not semidefinite: z with few entries other than 0, and z'Kz < 0. */
    uint64_t witness_count;
    uint64_t *witness_row; /* ascending, from 0, in the data */
    double *witness;       /* the entries of z, in few digits where these suffice */
    double witness_value;  /* z'Kz */
} hsp_kernel_report;

/* Check rows[0..count) of the data; NULL: all. HSP_BAD_DATA if a precomputed matrix is not
 * symmetric. Time grows as count^3, memory as count^2. */
HSP_API hsp_status hsp_kernel_check(hsp_context *ctx, const hsp_kernel *kernel, hsp_data *data,
                                    const uint64_t *rows, uint64_t count, hsp_error *err,
                                    hsp_kernel_report **out);
HSP_API void hsp_kernel_report_free(hsp_kernel_report *report);

/* K = B B', by Cholesky factorisation with pivoting. */
typedef struct hsp_factor {
    size_t size;      /* set by the caller: sizeof(hsp_factor) */
    uint64_t rank;    /* columns of B */
    double tolerance; /* the factorisation ends when no diagonal entry left is above this */
    double error;     /* the largest |K - B B'| */
} hsp_factor;

/* Factor the Gram matrix of the same rows. Row i of B is a feature vector of row i: a linear
 * learner with these features does what a learner with the kernel does. *features (unless NULL)
 * gets them in double, with the rows' labels. If K is not semidefinite, figures->error shows it. */
HSP_API hsp_status hsp_kernel_factor(hsp_context *ctx, const hsp_kernel *kernel, hsp_data *data,
                                     const uint64_t *rows, uint64_t count, hsp_error *err,
                                     hsp_factor *figures, hsp_data **features);

#ifdef __cplusplus
}
#endif

#endif
