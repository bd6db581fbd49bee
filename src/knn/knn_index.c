/* Which index serves, and what all of them share: norms, blocks of queries. */
#include "knn/knn_index.h"

#include "base/base.h"
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
#define KNN_INDEX_BLOCK_BYTES ((uint64_t)32 << 20)

/* By hsp__knn_kind. */
static const hsp__knn_index_type *const knn_indexes[] = {[HSP__KNN_BRUTE_FORCE] =
                                                             &hsp__knn_brute_force,
                                                         [HSP__KNN_TREE] = &hsp__knn_tree,
                                                         [HSP__KNN_QUANTISED] = &hsp__knn_quantised,
                                                         [HSP__KNN_INVERTED] = &hsp__knn_inverted};

/* ---- Which ----------------------------------------------------------------------------------- */

const char *hsp__knn_name(hsp__knn_kind kind)
{
    return kind == HSP__KNN_AUTO ? "auto" : knn_indexes[kind]->name;
}

int hsp__knn_fits(hsp__knn_kind kind, hsp__metric metric, const hsp_view *rows)
{
    return kind == HSP__KNN_AUTO || knn_indexes[kind]->fits(metric, rows);
}

uint64_t hsp__knn_most_columns(hsp__knn_kind kind)
{
    return kind == HSP__KNN_AUTO ? 0 : knn_indexes[kind]->most_columns;
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

hsp_status hsp__knn_check_kernel(const hsp_kernel *kernel, hsp_error *err)
{
    for (uint64_t k = 0; k < kernel->count; k++)
        if (kernel->nodes[k].op == HSP__KERNEL_PRECOMPUTED)
            return hsp__fail(
                err, HSP_USAGE,
                "distances need k(x, x) of new rows, which a precomputed matrix does not have");
    return HSP_OK;
}

/* What the metric needs of the rows: squared norms, or k(x, x). */
static hsp_status knn_index_prepare(hsp_context *ctx, hsp__knn_index *near, hsp_error *err)
{
    const hsp_view *rows = near->rows;
    if (near->plan.metric == HSP__METRIC_COSINE) {
        const uint64_t each = rows->rows ? hsp_view_stored(rows) / rows->rows : 0;
        knn_index_squares work = {near, hsp__parts(rows->rows, 16 + each * sizeof(double))};
        near->norms = hsp__scratch_raw(&near->memory, rows->rows, sizeof *near->norms);
        if (!near->norms) return hsp__fail_memory(err);
        hsp__tasks_run(ctx, work.parts, knn_index_square_part, &work);
        return hsp__knn_check_squares(near->norms, rows, 0, err);
    }
    if (near->plan.metric != HSP__METRIC_KERNEL) return HSP_OK;
    HSP__TRY(hsp__knn_check_kernel(near->plan.kernel, err));
    near->selves = hsp__scratch_raw(&near->memory, rows->rows, sizeof *near->selves);
    if (!near->selves) return hsp__fail_memory(err);
    HSP__TRY(hsp__kernel_rows_new(ctx, near->plan.kernel, rows, NULL, err, &near->kernel));
    for (uint64_t i = 0; i < rows->rows; i++)
        near->selves[i] = hsp__kernel_self(near->kernel, i);
    return HSP_OK;
}

hsp_status hsp__knn_new(hsp_context *ctx, const hsp__knn_plan *plan, hsp_data *rows, hsp_error *err,
                        hsp__knn_index **out)
{
    static const char *const metrics[] = {"l2", "l1", "linf", "cosine", "hamming", "kernels"};
    const hsp_view *view = NULL;
    HSP__TRY(hsp_data_view(ctx, rows, err, &view));
    const hsp__knn_index_type *index = knn_indexes[hsp__knn_choose(plan, view)];
    if (index->most_columns && view->cols > index->most_columns)
        return hsp__fail(
            err, HSP_USAGE,
            "the index %s supports at most %llu columns, and the rows have %llu; use auto or scan",
            index->name, (unsigned long long)index->most_columns, (unsigned long long)view->cols);
    if (!index->fits(plan->metric, view))
        return hsp__fail(err, HSP_USAGE,
                         "the index %s does not support %s on %llu %s columns; use auto or scan",
                         index->name, metrics[plan->metric], (unsigned long long)view->cols,
                         hsp_storage_name(view->storage));
    hsp__knn_index *near = hsp__new(&ctx->allocator, 1, sizeof *near);
    if (!near) return hsp__fail_memory(err);
    *near = (hsp__knn_index){.allocator = ctx->allocator,
                             .memory.memory = &near->allocator,
                             .plan = {plan->metric, index->kind, plan->kernel},
                             .index = index,
                             .rows = view};
    hsp_status status = knn_index_prepare(ctx, near, err);
    if (!status && index->build) status = index->build(ctx, near, err);
    if (status)
        hsp__knn_free(near);
    else
        *out = near;
    return status;
}

hsp__scratch *hsp__knn_parts(hsp__knn_index *near, uint64_t count)
{
    near->parts = hsp__scratch_new(&near->memory, count, sizeof *near->parts);
    if (!near->parts) return NULL;
    for (; near->part_count < count; near->part_count++)
        near->parts[near->part_count].memory = &near->allocator;
    return near->parts;
}

void hsp__knn_free(hsp__knn_index *near)
{
    if (!near) return;
    hsp_context own = {.allocator = near->allocator}; /* the one it was made with may be gone */
    for (uint64_t p = 0; p < near->part_count; p++)
        hsp__scratch_free(&near->parts[p]);
    hsp__scratch_free(&near->memory);
    hsp__kernel_rows_free(&own, near->kernel);
    hsp__free(&own.allocator, near);
}

/* ---- Asked ----------------------------------------------------------------------------------- */

hsp_status hsp__knn_find(hsp_context *ctx, const hsp__knn_index *near, const hsp_view *queries,
                         const uint64_t *skip, uint64_t k, hsp_error *err, hsp__neighbor *out)
{
    /* Queries at a time: enough to keep every thread busy, in memory that does not grow with them. */
    const uint64_t stored = queries->rows ? hsp_view_stored(queries) / queries->rows : 0;
    const uint64_t each =
        near->rows->storage == HSP_DENSE ? near->rows->cols * 8 : (stored + 1) * 12;
    uint64_t step = KNN_INDEX_BLOCK_BYTES / (each + 1);
    step = step < KNN_INDEX_BLOCK_LEAST  ? KNN_INDEX_BLOCK_LEAST
           : step > KNN_INDEX_BLOCK_MOST ? KNN_INDEX_BLOCK_MOST
                                         : step;
    assert(k <= near->rows->rows);
    for (uint64_t from = 0; k && from < queries->rows; from += step) {
        const uint64_t to = queries->rows - from > step ? from + step : queries->rows;
        const hsp_view some = hsp__view_slice(queries, from, to);
        hsp__knn_guests guests;
        HSP__TRY(hsp__knn_guests_init(&guests, ctx, near, &some, from, err));
        hsp__knn_search search = {
            .ctx = ctx, .guests = &guests, .skip = skip ? skip + from : NULL, .k = k};
        search.out = out + from * k;
        hsp_status status = near->index->find(&search, err);
        hsp__knn_guests_free(&guests, ctx);
        HSP__TRY(status);
        HSP__TRY(hsp__stop_status(ctx, err));
        HSP__TRY(hsp__progress(ctx, "searching for neighbours", "rows", to, queries->rows, err));
    }
    return HSP_OK;
}
