/* The nearest of many rows: one question, asked of indexes that answer it at different speeds.
 *
 * The answer does not depend on the index: of all rows, those k with the smallest (distance, row),
 * where the distance is the one that hsp__knn_pair computes (kernels: hsp__knn_kernel_block), in
 * double precision and in the fixed order of src/vec. An index may use whatever is fast to leave
 * rows out, floats or bounds, as long as it leaves out none that could be among the k: it accounts
 * for its own rounding. So the bits are those of a naive scan, on any number of threads.
 *
 *     index      for                          how
 *     tree       few dense columns (l2, l1,   boxes that halve the rows; a query walks down and
 *                linf)                        leaves out boxes that are further than the k-th
 *     product    many columns (l2, cosine)    products of a block of rows and queries in small
 *                                             numbers, candidates kept by a bound on its error
 *     inverted   sparse rows (cosine, l2)     rows by column: only rows that share one are met
 *     scan       all else                     every row; kernels in blocks of values
 */
#ifndef HSP_KNN_KNN_INDEX_H
#define HSP_KNN_KNN_INDEX_H

#include "data/data.h"
#include "halfspace_all.h"

typedef enum hsp__metric {
    HSP__METRIC_L2,      /* sqrt(sum (x - y)^2) */
    HSP__METRIC_L1,      /* sum |x - y| */
    HSP__METRIC_LINF,    /* max |x - y| */
    HSP__METRIC_COSINE,  /* 1 - <x, y> / (||x|| ||y||); a zero row is at 1 from all but zero rows,
                            and at 0 from those */
    HSP__METRIC_HAMMING, /* columns in which they differ */
    HSP__METRIC_KERNEL   /* sqrt(k(x, x) - 2 k(x, y) + k(y, y)) */
} hsp__metric;

typedef enum hsp__knn_kind {
    HSP__KNN_AUTO,
    HSP__KNN_BRUTE_FORCE,
    HSP__KNN_TREE,
    HSP__KNN_QUANTISED,
    HSP__KNN_INVERTED
} hsp__knn_kind;

typedef struct hsp__knn_plan {
    hsp__metric metric;
    hsp__knn_kind kind;
    const hsp_kernel *kernel; /* METRIC_KERNEL: fitted; outlives the index */
    uint64_t queries, k; /* about how many will come, and ask for how many; 0: as many as there are
                            rows, a few. They decide what is built, not what is found */
} hsp__knn_plan;

typedef struct hsp__neighbor {
    double distance; /* as the metric says (l2: with its square root) */
    uint64_t row;    /* of the rows that the index is of, from 0 */
} hsp__neighbor;

typedef struct hsp__knn_index hsp__knn_index;

/* What the data would be given: AUTO made a kind. */
hsp__knn_kind hsp__knn_choose(const hsp__knn_plan *plan, const hsp_view *rows);
const char *hsp__knn_name(hsp__knn_kind kind);
/* Can that kind of index serve that metric and storage? */
int hsp__knn_fits(hsp__knn_kind kind, hsp__metric metric, const hsp_view *rows);
/* The columns that it takes at most; 0: any number. */
uint64_t hsp__knn_most_columns(hsp__knn_kind kind);

/* Has the kernel distances to rows that come later? HSP_USAGE for precomputed ones: k(x, x) of such
 * a row is in no Gram matrix. */
hsp_status hsp__knn_check_kernel(const hsp_kernel *kernel, hsp_error *err);

/* An index of rows, which outlive it and do not change. HSP_USAGE for a kind that cannot serve. */
hsp_status hsp__knn_new(hsp_context *ctx, const hsp__knn_plan *plan, hsp_data *rows, hsp_error *err,
                        hsp__knn_index **out);
void hsp__knn_free(hsp__knn_index *near);

/* The k nearest of each query, nearest first: queries->rows * k of them; k <= rows of the index.
 * `skip` (one per query, or NULL) is a row of the index that does not count, HSP__KNN_NONE: none
 * (for leave-one-out; then k <= rows - 1). On the context's threads. */
#define HSP__KNN_NONE UINT64_MAX
hsp_status hsp__knn_find(hsp_context *ctx, const hsp__knn_index *near, const hsp_view *queries,
                         const uint64_t *skip, uint64_t k, hsp_error *err, hsp__neighbor *out);

#endif
