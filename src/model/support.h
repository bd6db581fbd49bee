/* The rows that a kernel model is about, made ready to meet others: what expansions and votes
 * share.
 *
 * A kernel value of a row with a support row depends on the two rows and on the support rows as a
 * whole, never on the other rows that are scored along with it: the road (matrix product or
 * entries, float or double) is the one that the support rows take with themselves. Values are
 * floats, widened, when both rows are floats and floats lose nothing that matters (block.h); sums
 * over support rows are doubles. */
#ifndef HSP_MODEL_SUPPORT_H
#define HSP_MODEL_SUPPORT_H

#include "kernel/block.h"
#include "kernel/kernel_rows.h"

typedef struct hsp__support {
    const hsp_kernel *kernel;
    hsp_data *dense;        /* the rows side by side, where matrix products like that; or NULL */
    hsp__kernel_rows *rows; /* NULL: no kernel */
    hsp__kernel_rows *ones; /* dense: the same as rows of ones, whose shared places are counted with
                               other rows of ones, to the same bits; NULL: they are not ones */
    hsp__kernel_road road;
    int sparse; /* most coefficients of the model are 0 */
} hsp__support;

/* `source`: for precomputed kernels; may be NULL. Kernel, rows and source outlive it. */
hsp_status hsp__support_init(hsp__support *support, hsp_context *ctx, const hsp_kernel *kernel,
                             hsp_data *rows, const uint64_t *source, hsp_error *err);
void hsp__support_free(hsp__support *support, hsp_context *ctx);

/* Rows that are about to meet the support rows. */
typedef struct hsp__guests {
    hsp__kernel_road road;
    hsp__kernel_rows *rows;
} hsp__guests;
hsp_status hsp__guests_init(hsp__guests *guests, hsp_context *ctx, const hsp__support *support,
                            const hsp_view *view, hsp_error *err);
void hsp__guests_free(hsp__guests *guests, hsp_context *ctx);

/* out[i * ld + j] = k(guest from + i, support row at + j), i < count, j < some. */
hsp_status hsp__support_values(hsp_context *ctx, const hsp__support *support,
                               const hsp__guests *guests, uint64_t from, uint64_t count,
                               uint64_t at, uint64_t some, double *out, uint64_t ld,
                               hsp_error *err);

#endif
