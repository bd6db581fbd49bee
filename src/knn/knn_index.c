/* Which index serves, and what all of them share: norms, blocks of queries, the nearest so far. */
#include "knn/knn_index.h"

#include <assert.h>
#include <math.h>

#include "base/context.h"
#include "base/error.h"
#include "base/memory.h"
#include "base/stop.h"
#include "base/threads.h"
#include "knn/knn_index_type.h"

enum {
    KNN_INDEX_BLOCK_LEAST = 32, /* queries at a time */
    KNN_INDEX_BLOCK_MOST = 16384,
    KNN_INDEX_TREE_COLS = 10,  /* in more, products of bytes are faster than boxes */
    KNN_INDEX_TREE_MOST = 16,  /* in more, boxes are no faster than a scan */
    KNN_INDEX_TREE_ROWS = 256, /* fewer are as well looked through one by one */
    /* One number in more columns than this: bytes would be more than twice the data. */
    KNN_INDEX_SPARSE_SHARE = 16,
    KNN_INDEX_THIN_COLS =
        512, /* in up to this many, bytes are so much faster that they may be more: */
    KNN_INDEX_THIN_SHARE = 32,
};
#define KNN_INDEX_SQUARE_LEAST \
    0x1p-1010 /* of a squared norm: what underflowed in it is nothing \
                                          */
#define KNN_INDEX_BLOCK_BYTES ((uint64_t)32 << 20)

/* In the order in which they are asked for by name; AUTO's choice is in hsp__knn_choose. */
static const hsp__knn_index_type *const near_indexes[] = {&hsp__knn_brute_force, &hsp__knn_tree,
                                                          &hsp__knn_quantised, &hsp__knn_inverted};

static const char *const near_names[] = {"auto", "scan", "tree", "product", "inverted"};

/* ---- Which ----------------------------------------------------------------------------------- */

static const hsp__knn_index_type *knn_index_index(hsp__knn_kind kind)
{
    for (size_t i = 0; i < sizeof near_indexes / sizeof *near_indexes; i++)
        if (near_indexes[i]->kind == kind) return near_indexes[i];
    return NULL;
}

const char *hsp__knn_name(hsp__knn_kind kind)
{
    return near_names[kind];
}

int hsp__knn_fits(hsp__knn_kind kind, hsp__metric metric, const hsp_view *rows)
{
    if (kind == HSP__KNN_AUTO) return 1;
    const hsp__knn_index_type *index = knn_index_index(kind);
    return index && index->fits(metric, rows);
}

uint64_t hsp__knn_most_columns(hsp__knn_kind kind)
{
    const hsp__knn_index_type *index = knn_index_index(kind);
    return index ? index->most_columns : 0;
}

/* Few dense columns: a tree. Sparse rows of many columns: by the columns they share. All else:
 * products of bytes, where they serve. (docs/development/knn-indexes.md has what was measured.) */
hsp__knn_kind hsp__knn_choose(const hsp__knn_plan *plan, const hsp_view *rows)
{
    const hsp__metric metric = plan->metric;
    if (plan->kind != HSP__KNN_AUTO) return plan->kind;
    const int product = hsp__knn_fits(HSP__KNN_QUANTISED, metric, rows);
    const uint64_t share =
        rows->cols > KNN_INDEX_THIN_COLS ? KNN_INDEX_SPARSE_SHARE : KNN_INDEX_THIN_SHARE;
    const int sparse = rows->storage != HSP_DENSE && rows->rows &&
                       hsp_view_stored(rows) / rows->rows < rows->cols / share;
    if (rows->cols <= (product ? KNN_INDEX_TREE_COLS : KNN_INDEX_TREE_MOST) &&
        rows->rows >= KNN_INDEX_TREE_ROWS && hsp__knn_fits(HSP__KNN_TREE, metric, rows))
        return HSP__KNN_TREE;
    if ((sparse || !product) && hsp__knn_fits(HSP__KNN_INVERTED, metric, rows))
        return HSP__KNN_INVERTED;
    return product ? HSP__KNN_QUANTISED : HSP__KNN_BRUTE_FORCE;
}

/* ---- Made and unmade ------------------------------------------------------------------------- */

typedef struct knn_index_squares {
    hsp__knn_index *near;
    uint64_t parts;
} knn_index_squares;

static void knn_index_square_part(void *user, uint64_t part)
{
    const knn_index_squares *work = user;
    const hsp_view *rows = work->near->rows;
    const uint64_t to = hsp__part(rows->rows, work->parts, part + 1);
    for (uint64_t i = hsp__part(rows->rows, work->parts, part); i < to; i++)
        work->near->norms[i] = hsp__knn_square(rows, i);
}

/* Is a number of the row other than 0? */
static int knn_index_is_something(const hsp_view *rows, uint64_t i)
{
    const hsp__row row = hsp__view_row(rows, i);
    for (uint64_t k = 0; k < row.count; k++)
        if (hsp__row_value(rows, &row, k) != 0) return 1;
    return 0;
}

hsp_status hsp__knn_check_squares(const double *squares, const hsp_view *rows, uint64_t first,
                                  hsp_error *err)
{
    for (uint64_t i = 0; i < rows->rows; i++) {
        const int large = !isfinite(squares[i]);
        if (!large && (squares[i] >= KNN_INDEX_SQUARE_LEAST || !knn_index_is_something(rows, i)))
            continue;
        return hsp__fail(err, HSP_BAD_DATA,
                         "row %llu is too %s for cosines: its squared norm is %s",
                         (unsigned long long)(first + i + 1), large ? "large" : "small",
                         large ? "not finite" : "below the range of doubles");
    }
    return HSP_OK;
}

static hsp_status knn_index_norms(hsp_context *ctx, hsp__knn_index *near, hsp_error *err)
{
    const hsp_view *rows = near->rows;
    const uint64_t each = rows->rows ? hsp_view_stored(rows) / rows->rows : 0;
    knn_index_squares work = {near, hsp__parts(rows->rows, 16 + each * sizeof(double))};
    near->norms = hsp__new_raw(&ctx->allocator, rows->rows, sizeof *near->norms);
    if (!near->norms) return hsp__fail_memory(err);
    hsp__tasks_run(ctx, work.parts, knn_index_square_part, &work);
    return hsp__knn_check_squares(near->norms, rows, 0, err);
}

hsp_status hsp__knn_check_kernel(const hsp_kernel *kernel, hsp_error *err)
{
    for (uint64_t k = 0; k < kernel->count; k++)
        if (kernel->nodes[k].op == HSP__KERNEL_PRECOMPUTED)
            return hsp__fail(
                err, HSP_USAGE,
                "distances need k(x, x) of new rows, which a precomputed matrix does not have");
    return HSP_OK;
}

static hsp_status knn_index_kernel(hsp_context *ctx, hsp__knn_index *near, hsp_error *err)
{
    hsp_status status = hsp__knn_check_kernel(near->plan.kernel, err);
    if (status) return status;
    near->selves = hsp__new_raw(&ctx->allocator, near->rows->rows, sizeof *near->selves);
    if (!near->selves) return hsp__fail_memory(err);
    status = hsp__kernel_rows_new(ctx, near->plan.kernel, near->rows, NULL, err, &near->kernel);
    for (uint64_t i = 0; !status && i < near->rows->rows; i++)
        near->selves[i] = hsp__kernel_self(near->kernel, i);
    return status;
}

static hsp_status knn_index_prepare(hsp_context *ctx, hsp__knn_index *near, hsp_error *err)
{
    static const char *const metrics[] = {"l2", "l1", "linf", "cosine", "hamming", "kernels"};
    const hsp__metric metric = near->plan.metric;
    near->plan.kind = hsp__knn_choose(&near->plan, near->rows);
    near->index = knn_index_index(near->plan.kind);
    if (near->index->most_columns && near->rows->cols > near->index->most_columns)
        return hsp__fail(
            err, HSP_USAGE,
            "the index %s supports at most %llu columns, and the rows have %llu; use auto or scan",
            hsp__knn_name(near->plan.kind), (unsigned long long)near->index->most_columns,
            (unsigned long long)near->rows->cols);
    if (!hsp__knn_fits(near->plan.kind, metric, near->rows))
        return hsp__fail(
            err, HSP_USAGE, "the index %s does not support %s on %llu %s columns; use auto or scan",
            hsp__knn_name(near->plan.kind), metrics[metric], (unsigned long long)near->rows->cols,
            hsp_storage_name(near->rows->storage));
    hsp_status status = HSP_OK;
    if (metric == HSP__METRIC_COSINE) status = knn_index_norms(ctx, near, err);
    if (metric == HSP__METRIC_KERNEL) status = knn_index_kernel(ctx, near, err);
    if (!status && near->index->build) status = near->index->build(ctx, near, err);
    return status;
}

hsp_status hsp__knn_new(hsp_context *ctx, const hsp__knn_plan *plan, hsp_data *rows, hsp_error *err,
                        hsp__knn_index **out)
{
    const hsp_view *view = NULL;
    hsp_status status = hsp_data_view(ctx, rows, err, &view);
    if (status) return status;
    hsp__knn_index *near = hsp__new(&ctx->allocator, 1, sizeof *near);
    if (!near) return hsp__fail_memory(err);
    *near = (hsp__knn_index){.memory = ctx->allocator, .plan = *plan, .rows = view};
    status = knn_index_prepare(ctx, near, err);
    if (status)
        hsp__knn_free(near);
    else
        *out = near;
    return status;
}

void hsp__knn_free(hsp__knn_index *near)
{
    if (!near) return;
    hsp_context own = {.allocator = near->memory}; /* the one it was made with may be gone */
    if (near->index && near->index->unmake) near->index->unmake(&own, near);
    hsp__free(&own.allocator, near->norms);
    hsp__free(&own.allocator, near->selves);
    hsp__kernel_rows_free(&own, near->kernel);
    hsp__free(&own.allocator, near);
}

/* ---- Asked ----------------------------------------------------------------------------------- */

/* Queries at a time: enough to keep every thread busy, in memory that does not grow with them. */
static uint64_t knn_index_block(const hsp__knn_index *near, const hsp_view *queries)
{
    const uint64_t stored = queries->rows ? hsp_view_stored(queries) / queries->rows : 0;
    const uint64_t each =
        near->rows->storage == HSP_DENSE ? near->rows->cols * 8 : (stored + 1) * 12;
    const uint64_t count = KNN_INDEX_BLOCK_BYTES / (each + 1);
    return count < KNN_INDEX_BLOCK_LEAST  ? KNN_INDEX_BLOCK_LEAST
           : count > KNN_INDEX_BLOCK_MOST ? KNN_INDEX_BLOCK_MOST
                                          : count;
}

hsp_status hsp__knn_find(hsp_context *ctx, const hsp__knn_index *near, const hsp_view *queries,
                         const uint64_t *skip, uint64_t k, hsp_error *err, hsp__neighbor *out)
{
    const uint64_t step = knn_index_block(near, queries);
    hsp_status status = HSP_OK;
    assert(k <= near->rows->rows);
    if (!k) return HSP_OK;
    for (uint64_t from = 0; !status && from < queries->rows; from += step) {
        const uint64_t to = queries->rows - from > step ? from + step : queries->rows;
        const hsp_view some = hsp__view_slice(queries, from, to);
        hsp__knn_guests guests;
        status = hsp__knn_guests_init(&guests, ctx, near, &some, from, err);
        if (status) return status;
        status = near->index->find(ctx, &guests, skip ? skip + from : NULL, k, err, out + from * k);
        hsp__knn_guests_free(&guests, ctx);
        if (!status) status = hsp__stop_status(ctx, err);
        if (!status)
            status = hsp__progress(ctx, "searching for neighbours", "rows", to, queries->rows, err);
    }
    return status;
}

/* ---- The nearest so far ---------------------------------------------------------------------- */

static int knn_index_further(const hsp__neighbor *a, const hsp__neighbor *b)
{
    return hsp__nearer(b->distance, b->row, a);
}

/* Let what is at `hole` sink to its place. */
static void knn_index_sink(hsp__knn_heap *heap, uint64_t hole, hsp__neighbor what)
{
    for (;;) {
        uint64_t child = 2 * hole + 1;
        if (child >= heap->count) break;
        if (child + 1 < heap->count && knn_index_further(&heap->at[child + 1], &heap->at[child]))
            child++;
        if (!knn_index_further(&heap->at[child], &what)) break;
        heap->at[hole] = heap->at[child];
        hole = child;
    }
    heap->at[hole] = what;
}

void hsp__knn_offer(hsp__knn_heap *heap, double distance, uint64_t row)
{
    const hsp__neighbor one = {distance, row};
    if (heap->count == heap->k) {
        if (hsp__nearer(distance, row, &heap->at[0])) knn_index_sink(heap, 0, one);
        return;
    }
    uint64_t hole = heap->count++;
    while (hole && knn_index_further(&one, &heap->at[(hole - 1) / 2])) {
        heap->at[hole] = heap->at[(hole - 1) / 2];
        hole = (hole - 1) / 2;
    }
    heap->at[hole] = one;
}

void hsp__knn_sort(hsp__knn_heap *heap)
{
    while (heap->count > 1) {
        const hsp__neighbor furthest = heap->at[0];
        const hsp__neighbor last = heap->at[--heap->count];
        knn_index_sink(heap, 0, last);
        heap->at[heap->count] = furthest;
    }
}
