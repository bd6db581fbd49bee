/* Which index serves, and what all of them share: norms, blocks of queries. */
#include "knn/knn_index.h"

#include "base/base.h"
#include "knn/knn_index_type.h"
#include "vec/vec.h"

enum {
    KNN_INDEX_BLOCK_LEAST = 32, /* queries at a time */
    KNN_INDEX_BLOCK_MOST = 16384,
    /* The dimension that rows have at the scale of a sample may be less than the one that a query
     * meets, and then products of bytes are much faster. So if they serve, a tree in many columns
     * must promise to be this many times as fast, and there is none in still more. */
    KNN_INDEX_TREE_COLS = 10,
    KNN_INDEX_TREE_GAIN = 3,
    KNN_INDEX_TREE_MOST = 32,
    KNN_INDEX_MOST_COLS = 64,   /* of any tree */
    KNN_INDEX_TREE_LONG = 4096, /* rows of many columns, for which the estimate is worth its time */
    KNN_INDEX_TREE_ROWS = 256,  /* fewer are as well looked through one by one */
    KNN_INDEX_SAMPLE = 1024,    /* rows at most, of which the dimension is estimated, */
    KNN_INDEX_PILOTS = 16,      /* around this many of them, */
    KNN_INDEX_NEAR = 10,        /* by this many of their nearest */
    /* One number in more columns than this: bytes would be more than twice the data. */
    KNN_INDEX_SPARSE_SHARE = 16,
    KNN_INDEX_THIN_COLS =
        512, /* in up to this many, bytes are so much faster that they may be more: */
    KNN_INDEX_THIN_SHARE = 32,
};
#define KNN_INDEX_LEAF        32.0 /* points of a tree's leaf */
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

/* A sample of dense rows, and those in it that stand for queries. */
static uint64_t knn_index_sample(const hsp_view *rows)
{
    const uint64_t some = rows->rows / 8; /* of few rows fewer: the estimate takes time as well */
    return some < KNN_INDEX_SAMPLE ? some : KNN_INDEX_SAMPLE;
}

/* The numbers of pilot p. */
static void knn_index_pilot(const hsp_view *rows, uint64_t p, double *q)
{
    const uint64_t count = knn_index_sample(rows), pilot = hsp__part(count, KNN_INDEX_PILOTS, p);
    const hsp__row row = hsp__view_row(rows, hsp__part(rows->rows, count, pilot));
    for (uint64_t c = 0; c < rows->cols; c++)
        q[c] = hsp__row_value(rows, &row, c);
}

/* The squared distance of a pilot and sample row s. */
static double knn_index_square(const hsp_view *rows, const double *q, uint64_t s)
{
    const hsp__row row = hsp__view_row(rows, hsp__part(rows->rows, knn_index_sample(rows), s));
    return rows->precision == HSP_FLOAT32 ? hsp__vec()->sqdist_f32f64(row.values, q, rows->cols)
                                          : hsp__vec()->sqdist_f64(row.values, q, rows->cols);
}

/* The squared distances of the nearest other points of a pilot; returns how many there are. */
static uint64_t knn_index_nearest(const hsp_view *rows, const double *q, double *near)
{
    uint64_t known = 0;
    for (uint64_t s = 0; s < knn_index_sample(rows); s++) {
        const double square = knn_index_square(rows, q, s);
        if (!(square > 0) || !isfinite(square)) continue; /* the same point */
        if (known == KNN_INDEX_NEAR && square >= near[known - 1]) continue;
        uint64_t to = known < KNN_INDEX_NEAR ? known++ : known - 1;
        for (; to > 0 && near[to - 1] > square; to--)
            near[to] = near[to - 1];
        near[to] = square;
    }
    return known;
}

/* How many rows a query meets in a tree: those in leaves that touch the ball of its k nearest. Of the
 * sample, that is within the radius of k rows and that of a leaf's; both are extrapolated from the
 * nearest in the sample by the dimension: d where within a radius r there are about r^d rows (E.
 * Levina, P. Bickel, Maximum likelihood estimation of intrinsic dimension, NIPS 17, 2005). */
static double knn_index_met(const hsp_view *rows, double k)
{
    const uint64_t count = knn_index_sample(rows);
    double logs = 0, last[KNN_INDEX_PILOTS], q[KNN_INDEX_MOST_COLS];
    uint64_t terms = 0, met = 0;
    for (uint64_t p = 0; p < KNN_INDEX_PILOTS; p++) {
        double near[KNN_INDEX_NEAR] = {0};
        knn_index_pilot(rows, p, q);
        const uint64_t known = knn_index_nearest(rows, q, near);
        last[p] = known ? near[known - 1] : 0;
        for (uint64_t j = 0; j + 1 < known; j++, terms++)
            logs += log(last[p] / near[j]) / 2;
    }
    const double dimension = logs > 0 ? (double)terms / logs : 1;
    const double each = (double)rows->rows / (double)count; /* rows that a sample row stands for */
    const double radius = pow(k / each / KNN_INDEX_NEAR, 1 / dimension) +
                          pow(KNN_INDEX_LEAF / each / KNN_INDEX_NEAR, 1 / dimension);
    for (uint64_t p = 0; p < KNN_INDEX_PILOTS; p++) {
        knn_index_pilot(rows, p, q);
        for (uint64_t s = 0; s < count; s++)
            met += knn_index_square(rows, q, s) <= last[p] * radius * radius;
    }
    return (double)met / KNN_INDEX_PILOTS * each;
}

/* Nanoseconds of a query, measured: a tree looks at the points that are met, a product at all rows, a
 * scan computes all distances. */
static double knn_index_tree_cost(const hsp_view *rows, double met, double k)
{
    return met * (4 + 0.15 * (double)rows->cols) + 200 * k + 400;
}

static double knn_index_product_cost(const hsp_view *rows, double k)
{
    return (double)rows->rows * (0.13 + 0.005 * (double)rows->cols) + 700 * k + 1000;
}

static double knn_index_scan_cost(const hsp_view *rows)
{
    return (double)rows->rows * (30 + 0.3 * (double)rows->cols);
}

/* Is a tree of few dense columns faster than the next best, `product` or a scan? */
static int knn_index_tree_wins(const hsp__knn_plan *plan, const hsp_view *rows, int product)
{
    assert(knn_indexes[HSP__KNN_TREE]->most_columns == KNN_INDEX_MOST_COLS);
    const double k = (double)(plan->k ? plan->k : 5);
    const double other = product ? knn_index_product_cost(rows, k) : knn_index_scan_cost(rows);
    const int many = product && rows->cols > KNN_INDEX_TREE_COLS;
    const double gain = many ? KNN_INDEX_TREE_GAIN : 1;
    if (many && rows->rows < KNN_INDEX_TREE_LONG) return 0;
    if ((product && rows->cols > KNN_INDEX_TREE_MOST) || rows->rows < KNN_INDEX_TREE_ROWS ||
        !hsp__knn_fits(HSP__KNN_TREE, plan->metric, rows))
        return 0;
    return knn_index_tree_cost(rows, knn_index_met(rows, k), k) * gain < other;
}

/* Dense rows: what costs less, a tree or products of bytes, where they serve. Sparse rows of many
 * columns: by the columns they share. (docs/development/knn-indexes.md has what was measured.) */
hsp__knn_kind hsp__knn_choose(const hsp__knn_plan *plan, const hsp_view *rows)
{
    const hsp__metric metric = plan->metric;
    if (plan->kind != HSP__KNN_AUTO) return plan->kind;
    const int product = hsp__knn_fits(HSP__KNN_QUANTISED, metric, rows);
    const uint64_t share =
        rows->cols > KNN_INDEX_THIN_COLS ? KNN_INDEX_SPARSE_SHARE : KNN_INDEX_THIN_SHARE;
    const int sparse = rows->storage != HSP_DENSE && rows->rows &&
                       hsp_view_stored(rows) / rows->rows < rows->cols / share;
    if (knn_index_tree_wins(plan, rows, product)) return HSP__KNN_TREE;
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
                             .plan = *plan,
                             .index = index,
                             .rows = view};
    near->plan.kind = index->kind;
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
