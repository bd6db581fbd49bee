/* What a kind of index is to the rest of the library: a table of functions. Adding one is a file
 * with such a table, and a line in knn_index.c's list.
 *
 * The distance that decides. A query meets the rows in the order of the index's storage, whatever
 * the query's own: so a distance depends on the numbers of two rows, not on how a file was read.
 *
 *     dense rows     sums over the index's columns have the 32 running sums of the vec room, over
 *                    numbers widened to double; what the query has in columns beyond those (its
 *                    tail) is one more number, added last
 *     sparse, ones   one running sum, over the columns that either row stores, ascending
 *
 * In the numbers of both: l2 is the square root of the sum of (x - y)^2 (where squares leave the
 * range of doubles, that of differences scaled by a power of two), l1 the sum of |x - y|;
 * cosine is 1 - xy / sqrt(xx yy), where xx, yy and xy are sums in that same order (so that a row is
 * at 0 from itself and from its multiples by powers of two), never below 0. A pass that only finds
 * candidates may sum as it likes; hsp__knn_pair has the last word. */
#ifndef HSP_KNN_KNN_INDEX_TYPE_H
#define HSP_KNN_KNN_INDEX_TYPE_H

#include <math.h>
#include <stdatomic.h>

#include "base/scratch.h"
#include "kernel/kernel_rows.h"
#include "knn/knn_index.h"

/* A block of queries, made ready to meet the index. */
typedef struct hsp__knn_guests {
    const hsp__knn_index *near;
    uint64_t count;
    const hsp_view *view; /* as they came: count rows */
    uint64_t first;       /* of all queries that were asked for, the number of the first here */
    hsp__scratch memory;  /* of all that follows */
    /* An index of dense rows: */
    double *spread; /* count * cols of the index: the queries' numbers, zeros where they end */
    double *tail;   /* count: what columns beyond add. l2, cosine: the sum of squares; l1: of
                       magnitudes; linf: the largest; hamming: how many are not 0 */
    /* An index of sparse rows or ones: entries other than zero, of every column. */
    uint64_t *starts;  /* count + 1 */
    uint32_t *indices; /* ascending within a query */
    double *values;
    /* Cosine: ||q||^2, one per query. */
    double *norms;
    /* Kernels: */
    hsp__kernel_rows *kernel;
    hsp__kernel_road road;
    double *selves; /* count: k(q, q) */
} hsp__knn_guests;

/* The k nearest of each guest are asked for, nearest first, into out[guest * k ...]; skip as in
 * knn_index.h, one a guest or NULL; 1 <= k <= rows (less one with a skip). */
typedef struct hsp__knn_search hsp__knn_search;

/* Answer for guests from .. from + count - 1. */
typedef hsp_status hsp__knn_answer(const hsp__knn_search *search, uint64_t from, uint64_t count,
                                   hsp_error *err);

struct hsp__knn_search {
    hsp_context *ctx;
    const hsp__knn_guests *guests;
    const uint64_t *skip;
    uint64_t k;
    hsp__neighbor *out;
    uint64_t step;           /* guests of a task, and ... */
    hsp__knn_answer *answer; /* ... what it does */
    atomic_int failed;       /* the status of a task that failed */
};

/* Answer for all guests on the context's threads, `step` at a time. */
hsp_status hsp__knn_run(hsp__knn_search *search, uint64_t step, hsp__knn_answer *answer,
                        hsp_error *err);

static inline uint64_t hsp__knn_skip(const hsp__knn_search *search, uint64_t guest)
{
    return search->skip ? search->skip[guest] : HSP__KNN_NONE;
}

typedef struct hsp__knn_index_type {
    hsp__knn_kind kind;
    const char *name;
    uint64_t most_columns; /* 0: any number */
    int (*fits)(hsp__metric metric, const hsp_view *rows);
    /* What the index keeps, into near->own, in its memory; `near` is filled in otherwise. NULL:
     * nothing to keep. */
    hsp_status (*build)(hsp_context *ctx, hsp__knn_index *near, hsp_error *err);
    hsp_status (*find)(hsp__knn_search *search, hsp_error *err);
} hsp__knn_index_type;

struct hsp__knn_index {
    hsp_allocator allocator;
    hsp__scratch memory; /* of all that it keeps, ... */
    hsp__scratch *parts; /* ... and of parts that are built in parallel */
    uint64_t part_count;
    hsp__knn_plan plan; /* its kind is never AUTO */
    const hsp__knn_index_type *index;
    const hsp_view *rows;
    double *norms; /* cosine: ||x||^2, one per row, in the order that decides; else NULL */
    hsp__kernel_rows *kernel; /* kernels; else NULL */
    double *selves;           /* kernels: k(x, x), one per row; else NULL */
    void *own;                /* the index's */
};

/* Memory for parts of an index that are built in parallel; NULL: there is none. */
hsp__scratch *hsp__knn_parts(hsp__knn_index *near, uint64_t count);

extern const hsp__knn_index_type hsp__knn_brute_force; /* knn_brute_force.c: everything */
extern const hsp__knn_index_type hsp__knn_tree;        /* knn_tree.c */
extern const hsp__knn_index_type hsp__knn_quantised;   /* knn_quantised.c */
extern const hsp__knn_index_type hsp__knn_inverted;    /* knn_inverted.c */

/* ---- distance.c ------------------------------------------------------------------------------ */

/* Cosine: are the squared norms (one per row) finite, and those of rows that are not 0 well above 0?
 * HSP_BAD_DATA with the first row whose is not, where rows are counted from `first`. */
hsp_status hsp__knn_check_squares(const double *squares, const hsp_view *rows, uint64_t first,
                                  hsp_error *err);

hsp_status hsp__knn_guests_init(hsp__knn_guests *guests, hsp_context *ctx,
                                const hsp__knn_index *near, const hsp_view *queries, uint64_t first,
                                hsp_error *err);
void hsp__knn_guests_free(hsp__knn_guests *guests, hsp_context *ctx);

/* The distance that decides, of guest q and row i. Not for kernels: their values come in blocks. */
double hsp__knn_pair(const hsp__knn_guests *guests, uint64_t q, uint64_t i);
/* The same of dense rows in l2, from `sum`, the bits of sqdist over the index's columns. */
double hsp__knn_root(const hsp__knn_guests *guests, uint64_t q, uint64_t i, double sum);

/* ||x||^2 of a row, in the order that decides. */
double hsp__knn_square(const hsp_view *rows, uint64_t i);

/* Kernels: the distances that decide, of guests from .. from + count - 1 and rows at .. at + some -
 * 1, out[g * ld + r]; count at most HSP__KNN_GUESTS. `out` has room for lines of ld >=
 * hsp__knn_kernel_ld(some). */
enum { HSP__KNN_GUESTS = 64 };
static inline uint64_t hsp__knn_kernel_ld(uint64_t some)
{
    return some > HSP__KNN_GUESTS ? some : HSP__KNN_GUESTS + 1;
}
hsp_status hsp__knn_kernel_block(hsp_context *ctx, const hsp__knn_guests *guests, uint64_t from,
                                 uint64_t count, uint64_t at, uint64_t some, double *out,
                                 uint64_t ld, hsp_error *err);

/* ---- The nearest so far ---------------------------------------------------------------------- */

/* Nearer, or as near and an earlier row. */
static inline int hsp__nearer(double distance, uint64_t row, const hsp__neighbor *than)
{
    return distance < than->distance || (distance == than->distance && row < than->row);
}

/* A heap of at most k neighbours, the furthest first. */
typedef struct hsp__knn_heap {
    hsp__neighbor *at; /* room for k */
    uint64_t count, k;
} hsp__knn_heap;

/* A neighbour that is not among the k nearest is passed over. */
void hsp__knn_offer(hsp__knn_heap *heap, double distance, uint64_t row);
/* Nearest first. */
void hsp__knn_sort(hsp__knn_heap *heap);

/* What is as far as the k-th nearest; infinite while there are fewer than k. */
static inline double hsp__knn_reach(const hsp__knn_heap *heap)
{
    return heap->count < heap->k ? (double)INFINITY : heap->at[0].distance;
}

#endif
