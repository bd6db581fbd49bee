#include "kernel/block.h"

#include <float.h>
#include <math.h>
#include <stdatomic.h>
#include <string.h>

#include "base/context.h"
#include "base/error.h"
#include "base/memory.h"
#include "base/threads.h"
#include "vec/product.h"
#include "vec/vec.h"

enum {
    TILE_ROWS = 256, /* of the left side: fewer when rows are long */
    TILE_COLS = 64,  /* of the right side */
    TILE_SPREAD = 8, /* rows of the right side that are spread out side by side */
    TILE_PIECE = 16, /* rows that are turned at a time */
    TILE_BYTES = 4 << 20,
    TILE_MOST_COLUMNS = 1 << 26, /* beyond, spreading rows out takes too much memory */
};

#define TILE_FLOAT_MOST 1e30 /* floats are not trusted with numbers beyond, or below 1 / this */

/* A part of a block, and all that computing it needs. The left side has more rows than the right.
 */
typedef struct tile {
    const hsp_kernel *kernel;
    const hsp__kernel_pick *left, *right;
    uint64_t from_left, rows, from_right, cols;
    uint64_t columns; /* that both views have */
    int sparse;       /* inner products by entries, not by a matrix product */
    int turned;       /* the right side is a */
    void *gathered, *packed, *line, *values;
    double *spread; /* sparse: columns * TILE_SPREAD, zeros between uses */
} tile;

/* ---- Sparse rows ----------------------------------------------------------------------------- */

/* Write rows from_right + j .. into the spread vectors, or (on = 0) zeros in their place. */
static void tile_spread(tile *t, uint64_t j, uint64_t some, uint32_t space, int on)
{
    const hsp_view *view = t->right->rows->view;
    for (uint64_t r = 0; r < some; r++) {
        const hsp__row row =
            hsp__view_row(view, hsp__kernel_picked(t->right, t->from_right + j + r));
        hsp__kernel_walk walk = {0};
        uint64_t place;
        for (uint64_t k = 0; k < row.count; k++) {
            const uint64_t column = hsp__row_column(&row, k);
            if (column >= t->columns) break;
            if (!hsp__kernel_inside(&t->kernel->spaces[space], &walk, column, &place)) continue;
            t->spread[column * TILE_SPREAD + r] = on ? hsp__row_value(view, &row, k) : 0;
        }
    }
}

/* Entries in columns that the right side does not have meet zeros: they are left out. */
static void tile_dots(const tile *t, uint64_t i, double *dots)
{
    const hsp__vec_table *vec = hsp__vec();
    const hsp_view *view = t->left->rows->view;
    const hsp__row row = hsp__view_row(view, hsp__kernel_picked(t->left, t->from_left + i));
    const double *spread = t->spread;
    size_t n = (size_t)row.count;
    while (n && row.indices[n - 1] >= t->columns)
        n--;
    if (!row.values)
        vec->ones_dots_f64(row.indices, n, spread, TILE_SPREAD, TILE_SPREAD, dots);
    else if (view->precision == HSP_FLOAT32)
        vec->sparse_dots_f32f64(row.indices, row.values, n, spread, TILE_SPREAD, TILE_SPREAD, dots);
    else
        vec->sparse_dots_f64(row.indices, row.values, n, spread, TILE_SPREAD, TILE_SPREAD, dots);
}

/* What a block is computed by. */
typedef struct block {
    hsp_context *ctx;
    const hsp__kernel_pick *left, *right;
    int turned;           /* the right side is a, and a line for each of its rows */
    float *const *single; /* lines of floats, or NULL */
    double *const *wide;  /* lines of doubles, or NULL */
    int in_double;        /* compute in double */
    tile shape;           /* rows, cols: of a full tile */
    uint64_t levels, strips, tiles;
    atomic_uint_fast64_t next; /* strip */
    atomic_int no_memory;
    atomic_uint_fast64_t bad; /* 1 + left * right->count + right of a value that is not finite */
} block;

#define NUM            float
#define TYPE           f32
#define TILE_PRECISION HSP_FLOAT32
#define TILE_MOST      FLT_MAX
#include "kernel/tile_type.h"

#define NUM            double
#define TYPE           f64
#define TILE_PRECISION HSP_FLOAT64
#define TILE_MOST      DBL_MAX
#include "kernel/tile_type.h"

/* ---- The plan of a block --------------------------------------------------------------------- */

/* Tiles that a node needs besides its own. */
static uint64_t block_levels(const hsp_kernel *kernel, uint32_t at)
{
    const hsp__kernel_node *node = &kernel->nodes[at];
    uint64_t left = 0, right = 0;
    if (node->left != HSP__KERNEL_NONE) left = block_levels(kernel, node->left);
    if (node->right != HSP__KERNEL_NONE) right = 1 + block_levels(kernel, node->right);
    return left > right ? left : right;
}

/* Do floats hold the inner products of these rows, and squares of them? They end at 3e38 and begin
 * at 1e-38. A row much shorter than the others matters only where rows are made equally long. */
static int block_overflows(const hsp__kernel_rows *rows)
{
    const double least = rows->kernel->places ? rows->least : rows->most;
    return rows->most > TILE_FLOAT_MOST || (least > 0 && least < 1 / TILE_FLOAT_MOST);
}

/* Would floats lose too much? A distance is a difference of norms: its error is about that of the
 * norms, and exp multiplies it by c. */
static int block_is_wide(const hsp__kernel_rows *a, const hsp__kernel_rows *b)
{
    const hsp_kernel *kernel = a->kernel;
    for (uint64_t k = 0; k < kernel->count; k++) {
        const hsp__kernel_node *node = &kernel->nodes[k];
        if (node->op == HSP__KERNEL_RBF && node->p * (a->most + b->most) * 6e-8 > 1e-5) return 1;
        if (fabs(node->p) > TILE_FLOAT_MOST || fabs(node->q) > TILE_FLOAT_MOST) return 1;
    }
    if (block_overflows(a) || block_overflows(b)) return 1;
    return a->view->precision == HSP_FLOAT64 || b->view->precision == HSP_FLOAT64;
}

/* A product of all columns costs columns / 15 of what an entry costs in a sparse one. */
static int block_is_sparse(const hsp_view *left, uint64_t columns)
{
    if (left->storage == HSP_DENSE || left->rows == 0) return 0;
    return hsp_view_stored(left) / left->rows < columns / 16 && columns <= TILE_MOST_COLUMNS;
}

hsp__kernel_road hsp__kernel_road_of(const hsp__kernel_rows *rows)
{
    return (hsp__kernel_road){.entries = block_is_sparse(rows->view, rows->view->cols),
                              .wide = block_is_wide(rows, rows)};
}

static uint64_t block_widest(const hsp_kernel *kernel, uint64_t columns)
{
    uint64_t most = 1;
    for (uint64_t s = 0; s < kernel->space_count; s++) {
        const uint64_t width = hsp__kernel_space_cols(&kernel->spaces[s], columns);
        if (width > most) most = width;
    }
    return most;
}

static void block_plan(block *work, const hsp__kernel_road *road)
{
    const hsp_kernel *kernel = work->left->rows->kernel;
    const hsp_view *left = work->left->rows->view, *right = work->right->rows->view;
    tile *shape = &work->shape;
    *shape = (tile){.kernel = kernel, .left = work->left, .right = work->right, .cols = TILE_COLS};
    shape->turned = work->turned;
    shape->columns = left->cols < right->cols ? left->cols : right->cols;
    shape->sparse = road ? road->entries : block_is_sparse(left, shape->columns);
    const uint64_t bytes = block_widest(kernel, shape->columns) * sizeof(double);
    uint64_t rows = shape->sparse ? TILE_ROWS : TILE_BYTES / bytes;
    shape->rows = rows < 16 ? 16 : rows > TILE_ROWS ? TILE_ROWS : rows;
    work->levels = block_levels(kernel, kernel->root);
    work->in_double =
        road ? road->wide : work->wide || block_is_wide(work->left->rows, work->right->rows);
    work->strips = (work->left->count + shape->rows - 1) / shape->rows;
    work->tiles = (work->right->count + TILE_COLS - 1) / TILE_COLS;
}

/* ---- Tiles ----------------------------------------------------------------------------------- */

static void tile_free(const hsp_allocator *memory, tile *t)
{
    hsp__free(memory, t->gathered);
    hsp__free(memory, t->packed);
    hsp__free(memory, t->line);
    hsp__free(memory, t->values);
    hsp__free(memory, t->spread);
}

static int tile_new(const block *work, tile *t)
{
    const hsp_allocator *memory = &work->ctx->allocator;
    const size_t size = sizeof(double);
    *t = work->shape;
    const uint64_t width = t->sparse ? 1 : block_widest(t->kernel, t->columns);
    const uint64_t area = t->rows * t->cols;
    t->gathered = hsp__new_raw(memory, (t->rows + t->cols) * width, size);
    t->packed = hsp__new_raw(memory, hsp__product_scratch((size_t)width, size), 1);
    t->line = hsp__new_raw(memory, t->cols, size);
    t->values = hsp__new_raw(memory, (work->levels + 1) * area, size);
    t->spread = hsp__new(memory, t->sparse ? t->columns * TILE_SPREAD : 0, size);
    return t->gathered && t->packed && t->line && t->values && t->spread;
}

static void block_strip(block *work, tile *t, uint64_t strip)
{
    t->from_left = strip * work->shape.rows;
    const uint64_t rows = work->left->count - t->from_left;
    t->rows = rows < work->shape.rows ? rows : work->shape.rows;
    for (uint64_t k = 0; k < work->tiles; k++) {
        t->from_right = k * TILE_COLS;
        const uint64_t cols = work->right->count - t->from_right, area = t->rows * TILE_COLS;
        t->cols = cols < TILE_COLS ? cols : TILE_COLS;
        if (work->in_double) {
            tile_node_f64(t, t->kernel->root, t->values, (double *)t->values + area);
            tile_store_f64(work, t);
        } else {
            tile_node_f32(t, t->kernel->root, t->values, (float *)t->values + area);
            tile_store_f32(work, t);
        }
    }
}

/* Strips (some rows of the left side against all of the right) until there are none, with what
 * tiles need allocated once. A strip's values are its own, so it does not matter who computes it.
 */
static void block_worker(void *user, int worker)
{
    block *work = user;
    tile t;
    (void)worker;
    if (!tile_new(work, &t)) atomic_store(&work->no_memory, 1);
    while (!atomic_load(&work->no_memory)) {
        const uint64_t strip = atomic_fetch_add(&work->next, 1);
        if (strip >= work->strips) break;
        block_strip(work, &t, strip);
    }
    tile_free(&work->ctx->allocator, &t);
}

/* The side with more rows is the left one; but entries are those of sparse rows. */
static int block_turns(const hsp__kernel_pick *a, const hsp__kernel_pick *b)
{
    const hsp__kernel_road *road = a->rows->road;
    if (road && road->entries && a->rows->view->storage == HSP_DENSE) return 1;
    if (road && road->entries && b->rows->view->storage == HSP_DENSE) return 0;
    return a->count < b->count;
}

static hsp_status block_run(hsp_context *ctx, const hsp__kernel_pick *a, const hsp__kernel_pick *b,
                            float *const *single, double *const *wide, hsp_error *err)
{
    const int turned = block_turns(a, b);
    block work = {.ctx = ctx, .turned = turned, .single = single, .wide = wide};
    if (a->count == 0 || b->count == 0) return HSP_OK;
    work.left = turned ? b : a;
    work.right = turned ? a : b;
    block_plan(&work, a->rows->road);
    int workers = hsp_context_threads(ctx);
    if ((uint64_t)workers > work.strips) workers = (int)work.strips;
    hsp__workers_run(workers, block_worker, &work);
    if (atomic_load(&work.no_memory)) return hsp__fail_memory(err);
    const uint64_t bad = atomic_load(&work.bad);
    if (!bad) return HSP_OK;
    return hsp__fail(
        err, HSP_BAD_DATA,
        "the kernel of rows near %llu and %llu is not a finite number: scale the data",
        (unsigned long long)hsp__kernel_picked(work.left, (bad - 1) / work.right->count) + 1,
        (unsigned long long)hsp__kernel_picked(work.right, (bad - 1) % work.right->count) + 1);
}

hsp_status hsp__kernel_lines_f32(hsp_context *ctx, const hsp__kernel_pick *a,
                                 const hsp__kernel_pick *b, float *const *lines, hsp_error *err)
{
    return block_run(ctx, a, b, lines, NULL, err);
}

hsp_status hsp__kernel_lines_f64(hsp_context *ctx, const hsp__kernel_pick *a,
                                 const hsp__kernel_pick *b, double *const *lines, hsp_error *err)
{
    return block_run(ctx, a, b, NULL, lines, err);
}

hsp_status hsp__kernel_block_f32(hsp_context *ctx, const hsp__kernel_pick *a,
                                 const hsp__kernel_pick *b, float *out, uint64_t ld, hsp_error *err)
{
    float **lines = hsp__new_raw(&ctx->allocator, a->count, sizeof *lines);
    if (!lines) return hsp__fail_memory(err);
    for (uint64_t i = 0; i < a->count; i++)
        lines[i] = out + i * ld;
    hsp_status status = block_run(ctx, a, b, lines, NULL, err);
    hsp__free(&ctx->allocator, lines);
    return status;
}

hsp_status hsp__kernel_block_f64(hsp_context *ctx, const hsp__kernel_pick *a,
                                 const hsp__kernel_pick *b, double *out, uint64_t ld,
                                 hsp_error *err)
{
    double **lines = hsp__new_raw(&ctx->allocator, a->count, sizeof *lines);
    if (!lines) return hsp__fail_memory(err);
    for (uint64_t i = 0; i < a->count; i++)
        lines[i] = out + i * ld;
    hsp_status status = block_run(ctx, a, b, NULL, lines, err);
    hsp__free(&ctx->allocator, lines);
    return status;
}
