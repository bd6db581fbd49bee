#include "kernel/feature_map.h"

#include "base/base.h"
#include "base/random.h"
#include "data/convert_storage.h"
#include "kernel/block.h"
#include "vec/vec.h"

#define NYSTROM_TOLERANCE  1e-10
#define FEATURE_MAP_BLOCK  1024 /* rows computed at a time */
#define FEATURE_MAP_SAMPLE 200  /* rows of whose pairs the error is measured */

/* ---- Landmarks ------------------------------------------------------------------------------- */

/* The pivots of the sample's factor, and L. */
static hsp_status nystrom_pick(hsp_context *ctx, const hsp__gram *gram, const uint64_t *sample,
                               hsp_error *err, hsp__approx *map)
{
    hsp__cholesky made = {0};
    double most = 0;
    for (uint64_t i = 0; i < gram->n; i++)
        most = fmax(most, gram->values[i * gram->n + i]);
    hsp_status status = hsp__cholesky_new(ctx, gram, NYSTROM_TOLERANCE * most, err, &made);
    if (status) return status;
    map->rank = made.rank;
    assert(map->rank <= gram->n);
    map->source = hsp__new_raw(&ctx->allocator, map->rank, sizeof *map->source);
    map->factor = hsp__new_raw(&ctx->allocator, map->rank * map->rank, sizeof *map->factor);
    if (!map->source || !map->factor) status = hsp__fail_memory(err);
    for (uint64_t k = 0; !status && k < map->rank; k++) {
        assert(made.b[made.pivots[k] * gram->n + k] > 0); /* the diagonal of L */
        map->source[k] = sample[made.pivots[k]];
        memcpy(map->factor + k * map->rank, made.b + made.pivots[k] * gram->n,
               map->rank * sizeof *map->factor);
    }
    hsp__cholesky_free(ctx, &made);
    return status;
}

/* Rows of their own, in double: coefficients on them are large, and their sums cancel. */
static hsp_status nystrom_keep(hsp_context *ctx, hsp_data *data, hsp_error *err, hsp__approx *map)
{
    hsp_data *some = NULL;
    hsp_status status = hsp_data_select(ctx, data, map->source, map->rank, err, &some);
    if (status) return status;
    const hsp__storage_change plan = {
        .storage = some->view.storage == HSP_ONES ? HSP_SPARSE : some->view.storage,
        .precision = HSP_FLOAT64,
        .cols = some->view.cols,
        .phase = "selecting"};
    status = hsp__data_convert_storage(ctx, some, &plan, err, &map->rows);
    hsp_data_free(some);
    if (status) return status;
    hsp__free(&map->rows->memory, map->rows->labels);
    map->rows->labels = NULL;
    map->rows->view.labels = NULL;
    map->rows->view.classes = 0;
    return HSP_OK;
}

hsp_status hsp__approx_nystrom(hsp_context *ctx, const hsp_kernel *kernel, hsp_data *data,
                               uint64_t most, uint64_t seed, hsp_error *err, hsp__approx *out)
{
    const uint64_t n = hsp_data_rows(data), count = most < n ? most : n;
    hsp__approx map = {.kernel = kernel};
    hsp__gram gram = {0};
    uint64_t *sample = hsp__new_raw(&ctx->allocator, count, sizeof *sample);
    hsp_status status =
        sample ? hsp_data_sample(data, count, seed, err, sample) : hsp__fail_memory(err);
    if (!status) status = hsp__gram_new(ctx, kernel, data, sample, count, err, &gram);
    if (!status) status = nystrom_pick(ctx, &gram, sample, err, &map);
    if (!status && map.rank == 0)
        status = hsp__fail(err, HSP_BAD_DATA,
                           "the kernel is 0 on all of %llu rows, so there is nothing to learn from",
                           (unsigned long long)count);
    if (!status) status = nystrom_keep(ctx, data, err, &map);
    hsp__gram_free(ctx, &gram);
    hsp__free(&ctx->allocator, sample);
    if (status)
        hsp__approx_free(ctx, &map);
    else
        *out = map;
    return status;
}

/* ---- Waves ----------------------------------------------------------------------------------- */

/* Row i of u from stream i of the seed. */
static hsp_status fourier_draw(hsp_context *ctx, const hsp__kernel_node *node, uint64_t seed,
                               hsp_data *to, hsp_error *err)
{
    double *values = to->values;
    const double width = node->op == HSP__KERNEL_RBF ? sqrt(2 * node->p) : node->p;
    for (uint64_t i = 0; i < to->view.rows && !hsp__tick(ctx); i++) {
        hsp__random random;
        hsp__random_seed(&random, seed, i);
        for (uint64_t j = 0; j < to->view.cols; j++) {
            double u = hsp__random_normal(&random);
            if (node->op == HSP__KERNEL_LAPLACE) u /= hsp__random_normal(&random);
            values[i * to->view.cols + j] = width * (isfinite(u) ? u : 0);
            to->nonzeros += u != 0;
        }
    }
    return hsp__stop_status(ctx, err);
}

hsp_status hsp__approx_fourier(hsp_context *ctx, const hsp_kernel *kernel, uint64_t cols,
                               uint64_t count, uint64_t seed, hsp_error *err, hsp__approx *out)
{
    const hsp__kernel_node *node = &kernel->nodes[kernel->root];
    hsp__approx map = {.kernel = kernel, .rank = count};
    if (node->op != HSP__KERNEL_RBF && node->op != HSP__KERNEL_LAPLACE)
        return hsp__fail(err, HSP_USAGE,
                         "Fourier features exist only for a single rbf or laplace kernel, not for "
                         "%s; use nystrom",
                         kernel->text);
    hsp_status status = hsp_kernel_parse(ctx, "wave", 1, kernel->index_base, err, &map.wave);
    if (!status)
        status = hsp__data_shape(ctx, HSP_DENSE, HSP_FLOAT64, count, cols, 0, 0, err, &map.rows);
    if (!status) {
        map.source = hsp__new_raw(&ctx->allocator, count, sizeof *map.source);
        if (!map.source) status = hsp__fail_memory(err);
    }
    if (!status) status = fourier_draw(ctx, node, seed, map.rows, err);
    if (status) {
        hsp__approx_free(ctx, &map);
        return status;
    }
    hsp__data_seal(map.rows);
    for (uint64_t k = 0; k < count; k++)
        map.source[k] = k;
    *out = map;
    return HSP_OK;
}

void hsp__approx_free(hsp_context *ctx, hsp__approx *map)
{
    hsp_kernel_free(map->wave);
    hsp__free(&ctx->allocator, map->source);
    hsp__free(&ctx->allocator, map->factor);
    hsp_data_free(map->rows);
    *map = (hsp__approx){0};
}

/* ---- Features -------------------------------------------------------------------------------- */

typedef struct feature_map_block {
    const hsp__approx *map;
    double *values; /* rows * rank: t(x), then phi(x) */
    uint64_t rows, parts;
} feature_map_block;

/* phi = L^-1 t, row by row, in place. */
static void feature_map_solve(void *user, uint64_t part)
{
    const feature_map_block *block = user;
    const hsp__vec_table *vec = hsp__vec();
    const uint64_t rank = block->map->rank, to = hsp__part(block->rows, block->parts, part + 1);
    for (uint64_t i = hsp__part(block->rows, block->parts, part); i < to; i++) {
        double *x = block->values + i * rank;
        if (!block->map->factor) {
            vec->scale_f64(1 / sqrt((double)rank), x, (size_t)rank);
            continue;
        }
        for (uint64_t k = 0; k < rank; k++) {
            const double *line = block->map->factor + k * rank;
            x[k] = (x[k] - vec->dot_f64(line, x, (size_t)k)) / line[k];
        }
    }
}

void hsp__approx_turn(const hsp__approx *map, double *w)
{
    assert(map->rank > 0);
    if (!map->factor) hsp__vec()->scale_f64(1 / sqrt((double)map->rank), w, (size_t)map->rank);
    for (uint64_t k = map->rank; map->factor && k-- > 0;) {
        w[k] /= map->factor[k * map->rank + k];
        hsp__vec()->axpy_f64(-w[k], map->factor + k * map->rank, w, (size_t)k);
    }
}

void hsp__approx_turn_back(const hsp__approx *map, double *c)
{
    if (!map->factor) hsp__vec()->scale_f64(sqrt((double)map->rank), c, (size_t)map->rank);
    for (uint64_t k = 0; map->factor && k < map->rank; k++) {
        hsp__vec()->axpy_f64(c[k], map->factor + k * map->rank, c, (size_t)k);
        c[k] *= map->factor[k * map->rank + k];
    }
}

static void feature_map_store(hsp_data *to, uint64_t first, const double *values, uint64_t count)
{
    for (uint64_t k = 0; k < count; k++) {
        if (to->view.precision == HSP_FLOAT32)
            ((float *)to->values)[first + k] = (float)values[k];
        else
            ((double *)to->values)[first + k] = values[k];
        to->nonzeros += values[k] != 0;
    }
}

static hsp_status feature_map_fill(hsp_context *ctx, const hsp__approx *map,
                                   const hsp__kernel_rows *rows, const uint64_t *list,
                                   const hsp__kernel_rows *landmarks, hsp_data *to, hsp_error *err)
{
    const uint64_t n = to->view.rows, rank = map->rank;
    const hsp__kernel_pick all = {landmarks, NULL, 0, rank};
    feature_map_block block = {.map = map};
    assert(landmarks->view->rows == rank && to->view.cols == rank);
    block.values = hsp__new_raw(&ctx->allocator, FEATURE_MAP_BLOCK * rank, sizeof *block.values);
    hsp_status status = block.values ? HSP_OK : hsp__fail_memory(err);
    for (uint64_t i = 0; !status && i < n; i += FEATURE_MAP_BLOCK) {
        block.rows = n - i < FEATURE_MAP_BLOCK ? n - i : FEATURE_MAP_BLOCK;
        const hsp__kernel_pick some = {rows, list ? list + i : NULL, i, block.rows};
        status = hsp__kernel_block_f64(ctx, &some, &all, block.values, rank, err);
        if (status) break;
        block.parts = hsp__parts(block.rows, rank * rank);
        hsp__tasks_run(ctx, block.parts, feature_map_solve, &block);
        feature_map_store(to, i * rank, block.values, block.rows * rank);
        status = hsp__progress(ctx, "computing features", "rows", i + block.rows, n, err);
    }
    hsp__free(&ctx->allocator, block.values);
    return status;
}

hsp_status hsp__approx_features(hsp_context *ctx, const hsp__approx *map, hsp_data *data,
                                const uint64_t *list, uint64_t count, hsp_error *err,
                                hsp_data **out)
{
    const hsp_view *view = NULL;
    hsp__kernel_rows *rows = NULL, *landmarks = NULL;
    hsp_data *to = NULL;
    const hsp_kernel *kernel = map->wave ? map->wave : map->kernel;
    hsp_status status = hsp_data_view(ctx, data, err, &view);
    if (!status) status = hsp__kernel_rows_new(ctx, kernel, view, NULL, err, &rows);
    if (!status)
        status = hsp__kernel_rows_new(ctx, kernel, &map->rows->view, NULL, err, &landmarks);
    if (!status)
        status = hsp__data_shape(ctx, HSP_DENSE, view->precision, count, map->rank, 0,
                                 view->labels != NULL, err, &to);
    if (!status) status = feature_map_fill(ctx, map, rows, list, landmarks, to, err);
    for (uint64_t i = 0; !status && to->labels && i < count; i++)
        to->labels[i] = view->labels[list ? list[i] : i];
    if (!status && !hsp__names_copy(&to->class_names, &data->class_names))
        status = hsp__fail_memory(err);
    hsp__kernel_rows_free(ctx, rows);
    hsp__kernel_rows_free(ctx, landmarks);
    if (status) {
        hsp_data_free(to);
        return status;
    }
    hsp__data_seal(to);
    *out = to;
    return HSP_OK;
}

/* ---- The error ------------------------------------------------------------------------------- */

static double feature_map_dot(const hsp_view *view, uint64_t i, uint64_t j)
{
    const hsp__row x = hsp__view_row(view, i), y = hsp__view_row(view, j);
    double sum = 0;
    for (uint64_t k = 0; k < x.count; k++)
        sum += hsp__row_value(view, &x, k) * hsp__row_value(view, &y, k);
    return sum;
}

hsp_status hsp__approx_measure(hsp_context *ctx, const hsp__approx *map, hsp_data *data,
                               uint64_t seed, hsp_error *err, hsp__approx_error *out)
{
    uint64_t sample[FEATURE_MAP_SAMPLE];
    const uint64_t all = hsp_data_rows(data),
                   n = all < FEATURE_MAP_SAMPLE ? all : FEATURE_MAP_SAMPLE;
    hsp_data *features = NULL;
    hsp__approx_error found = {.rows = n};
    hsp__gram gram = {0};
    hsp_status status = hsp_data_sample(data, n, seed + 1, err, sample); /* not the landmarks' */
    if (!status) status = hsp__approx_features(ctx, map, data, sample, n, err, &features);
    if (!status) status = hsp__gram_new(ctx, map->kernel, data, sample, n, err, &gram);
    for (uint64_t i = 0; !status && i < n && !hsp__tick(ctx); i++)
        for (uint64_t j = 0; j < n; j++) {
            const double k = gram.values[i * n + j];
            const double off = fabs(k - feature_map_dot(&features->view, i, j));
            found.most = fmax(found.most, off);
            found.root += off * off;
            found.size += k * k;
        }
    found.root = n ? sqrt(found.root) / (double)n : 0;
    found.size = n ? sqrt(found.size) / (double)n : 0;
    hsp__gram_free(ctx, &gram);
    hsp_data_free(features);
    *out = found;
    return status ? status : hsp__stop_status(ctx, err);
}
