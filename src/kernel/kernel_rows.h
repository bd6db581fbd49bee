/* Rows made ready for a kernel: what an expression needs of a row alone is computed once. */
#ifndef HSP_KERNEL_KERNEL_ROWS_H
#define HSP_KERNEL_KERNEL_ROWS_H

#include "data/data.h"
#include "kernel/expression.h"

/* How values are computed. By default that is chosen by what the rows of both sides are like; rows
 * that are to give the same bits with whatever they meet bring a road along. */
typedef struct hsp__kernel_road {
    int entries; /* inner products by the entries of sparse rows, not by a matrix product */
    int wide;    /* in double, not in float */
} hsp__kernel_road;

/* Inner products of all rows with all rows, when somebody has them already (shared_values.h). */
typedef struct hsp__kernel_products {
    uint64_t n;
    int wide;     /* doubles; else floats */
    void *values; /* n * n, symmetric */
} hsp__kernel_products;

/* Rows of a kernel with one space, all columns, laid out for matrix products (product.h), a group
 * of HSP__PRODUCT_COLS behind the other: for rows that many others are to meet. */
typedef struct hsp__kernel_packed {
    void *values; /* floats, or (wide) doubles; NULL: none */
    int wide;
    uint64_t depth; /* numbers of a row */
    uint64_t group; /* numbers of a group */
} hsp__kernel_packed;

typedef struct hsp__kernel_rows {
    const hsp_kernel *kernel;
    const hsp_view *view;
    const hsp__kernel_road *road; /* to take when these rows are the a of a block; NULL: choose */
    int rounded; /* floats of these rows with each other may be computed from their values rounded to
                    float; rounding.h counts that in */
    const uint64_t *ids; /* precomputed: the column in which others find row i; NULL: i */
    const hsp__kernel_products *products; /* of all columns of these rows; NULL: none */
    double **norms;            /* a space: ||x||^2 in it, one per row; NULL where nothing asks */
    double *places;            /* kernel->places * rows: [place * rows + i]: 1 / sqrt(k(x, x)) of a
                                  normalize, f(x) of a rescale */
    double most;               /* the largest of all norms kept ... */
    double least;              /* ... and the smallest but for 0; 0: none */
    hsp__kernel_packed packed; /* the rows once more, by hsp__kernel_pack */
    int shifted;               /* the values are roundings of others less a point */
    struct hsp__kernel_rows *centred; /* by hsp__kernel_centre; NULL: none */
} hsp__kernel_rows;

/* The kernel must be fitted; kernel, view and ids outlive the result. HSP_BAD_DATA with the row
 * when a value is below 0 where the kernel is for values >= 0, when f(x) is not finite, or k(x, x)
 * < 0 is to be normalised. */
hsp_status hsp__kernel_rows_new(hsp_context *ctx, const hsp_kernel *kernel, const hsp_view *view,
                                const uint64_t *ids, hsp_error *err, hsp__kernel_rows **out);
void hsp__kernel_rows_free(hsp_context *ctx, hsp__kernel_rows *rows);

/* A Gaussian of two rows does not change if both lose the same point, and its rounding errors grow with the rows'
 * norms. rows->centred = dense rows of floats, less the mean of all, where the kernel is a lone
 * Gaussian of all columns, products are to be by matrices, and the rows are not too large; else
 * NULL. For kernel values of these rows with each other in float. */
hsp_status hsp__kernel_centre(hsp_context *ctx, hsp__kernel_rows *rows, hsp_error *err);

/* Rows list[0..count) of centred rows, one after the other, packed. Free with
 * hsp__kernel_gathered_free. */
hsp_status hsp__kernel_gather(hsp_context *ctx, const hsp__kernel_rows *centred,
                              const uint64_t *list, uint64_t count, hsp_error *err,
                              hsp__kernel_rows **out);
void hsp__kernel_gathered_free(hsp_context *ctx, hsp__kernel_rows *rows);

/* k(x_i, x_i), in double. */
double hsp__kernel_self(const hsp__kernel_rows *rows, uint64_t i);

/* Entry k of a row lies in the space: at which place of the space's columns, side by side? A walk
 * over ascending entries; begin with a zeroed one. */
typedef struct hsp__kernel_walk {
    uint64_t range, before; /* ranges passed, and how many columns they had */
} hsp__kernel_walk;
static inline int hsp__kernel_inside(const hsp__kernel_space *space, hsp__kernel_walk *walk,
                                     uint64_t column, uint64_t *place)
{
    if (!space->count) {
        *place = column;
        return 1;
    }
    while (walk->range < space->count && space->to[walk->range] <= column) {
        walk->before += space->to[walk->range] - space->from[walk->range];
        walk->range++;
    }
    if (walk->range == space->count || column < space->from[walk->range]) return 0;
    *place = walk->before + (column - space->from[walk->range]);
    return 1;
}

/* How many of `cols` columns the space has. */
uint64_t hsp__kernel_space_cols(const hsp__kernel_space *space, uint64_t cols);

/* Two rows, entry by entry, for the kernels that need that. */
typedef struct hsp__kernel_sums {
    double square;   /* sum (x - y)^2 */
    double absolute; /* sum |x - y| */
    double chi2;     /* sum (x - y)^2 / (x + y), 0 where both are 0 */
    double least;    /* sum min(x, y) */
} hsp__kernel_sums;
void hsp__kernel_pair(const hsp__kernel_rows *a, uint64_t i, const hsp__kernel_rows *b, uint64_t j,
                      const hsp__kernel_space *space, hsp__kernel_sums *sums);

/* precomputed: k of row i of a with row j of b. */
double hsp__kernel_entry(const hsp__kernel_rows *a, uint64_t i, const hsp__kernel_rows *b,
                         uint64_t j);

#endif
