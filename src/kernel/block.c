#include "kernel/block.h"

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
    TILE_ROWS = 64,
    TILE_COLS = 256, /* of b: fewer when rows are long */
    TILE_SPREAD = 8, /* rows of a that are spread out side by side */
    TILE_BYTES = 4 << 20,
    TILE_MOST_COLUMNS = 1 << 26, /* beyond, spreading rows out takes too much memory */
};

/* A part of a block, and all that computing it needs. */
typedef struct tile {
    const hsp_kernel *kernel;
    const hsp__kernel_pick *a, *b;
    uint64_t from_a, rows, from_b, cols;
    uint64_t columns; /* that both views have */
    int sparse;       /* inner products by entries, not by a matrix product */
    void *gathered, *packed, *line, *values;
    double *spread; /* sparse: columns * TILE_SPREAD, zeros between uses */
} tile;

/* ---- Sparse rows ----------------------------------------------------------------------------- */

/* Write rows from_a + i .. of a into the spread vectors, or (on = 0) zeros in their place. */
static void tile_spread(tile *t, uint64_t i, uint64_t some, uint32_t space, int on)
{
    const hsp_view *view = t->a->rows->view;
    for (uint64_t r = 0; r < some; r++) {
        const hsp__row row = hsp__view_row(view, hsp__kernel_picked(t->a, t->from_a + i + r));
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

static void tile_dots(const hsp_view *view, uint64_t i, const double *spread, double *dots)
{
    const hsp__vec_table *vec = hsp__vec();
    const hsp__row row = hsp__view_row(view, i);
    const size_t n = (size_t)row.count;
    if (!row.values)
        vec->ones_dots_f64(row.indices, n, spread, TILE_SPREAD, TILE_SPREAD, dots);
    else if (view->precision == HSP_FLOAT32)
        vec->sparse_dots_f32f64(row.indices, row.values, n, spread, TILE_SPREAD, TILE_SPREAD, dots);
    else
        vec->sparse_dots_f64(row.indices, row.values, n, spread, TILE_SPREAD, TILE_SPREAD, dots);
}

#define NUM            float
#define TYPE           f32
#define TILE_PRECISION HSP_FLOAT32
#include "kernel/tile_type.h"

#define NUM            double
#define TYPE           f64
#define TILE_PRECISION HSP_FLOAT64
#include "kernel/tile_type.h"

/* ---- The plan of a block --------------------------------------------------------------------- */

typedef struct block {
    hsp_context *ctx;
    const hsp__kernel_pick *a, *b;
    void *out;
    uint64_t ld;
    int single; /* out is float */
    int wide;   /* compute in double */
    tile shape; /* rows, cols: of a full tile */
    uint64_t levels, tiles_a, tiles_b;
    atomic_int no_memory;
    atomic_uint_fast64_t bad; /* 1 + i * b->count + j of a value that is not finite */
} block;

/* Tiles that a node needs besides its own. */
static uint64_t block_levels(const hsp_kernel *kernel, uint32_t at)
{
    const hsp__kernel_node *node = &kernel->nodes[at];
    uint64_t left = 0, right = 0;
    if (node->left != HSP__KERNEL_NONE) left = block_levels(kernel, node->left);
    if (node->right != HSP__KERNEL_NONE) right = 1 + block_levels(kernel, node->right);
    return left > right ? left : right;
}

/* Would floats lose too much? A distance is a difference of norms: its error is about that of the
 * norms, and exp multiplies it by c. */
static int block_is_wide(const hsp__kernel_rows *a, const hsp__kernel_rows *b)
{
    const hsp_kernel *kernel = a->kernel;
    for (uint64_t k = 0; k < kernel->count; k++)
        if (kernel->nodes[k].op == HSP__KERNEL_RBF &&
            kernel->nodes[k].p * (a->most + b->most) * 6e-8 > 1e-5)
            return 1;
    return a->view->precision == HSP_FLOAT64 || b->view->precision == HSP_FLOAT64;
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

/* A product of all columns costs columns / 15 of what an entry costs in a sparse one. */
static int block_is_sparse(const hsp_view *b, uint64_t columns)
{
    if (b->storage == HSP_DENSE || b->rows == 0) return 0;
    return hsp_view_stored(b) / b->rows < columns / 16 && columns <= TILE_MOST_COLUMNS;
}

static void block_plan(block *work)
{
    const hsp_kernel *kernel = work->a->rows->kernel;
    const hsp_view *a = work->a->rows->view, *b = work->b->rows->view;
    tile *shape = &work->shape;
    *shape = (tile){.kernel = kernel, .a = work->a, .b = work->b, .rows = TILE_ROWS};
    shape->columns = a->cols < b->cols ? a->cols : b->cols;
    shape->sparse = block_is_sparse(b, shape->columns);
    const uint64_t bytes = block_widest(kernel, shape->columns) * sizeof(double);
    uint64_t cols = shape->sparse ? TILE_COLS : TILE_BYTES / bytes;
    cols = cols < 16 ? 16 : cols > TILE_COLS ? TILE_COLS : cols;
    shape->cols = cols;
    work->levels = block_levels(kernel, kernel->root);
    work->wide = !work->single || block_is_wide(work->a->rows, work->b->rows);
    work->tiles_a = (work->a->count + TILE_ROWS - 1) / TILE_ROWS;
    work->tiles_b = (work->b->count + cols - 1) / cols;
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
    t->packed = hsp__new_raw(
        memory, hsp__product_scratch((size_t)t->rows, (size_t)t->cols, (size_t)width, size), 1);
    t->line = hsp__new_raw(memory, t->cols, size);
    t->values = hsp__new_raw(memory, (work->levels + 1) * area, size);
    t->spread = hsp__new(memory, t->sparse ? t->columns * TILE_SPREAD : 0, size);
    return t->gathered && t->packed && t->line && t->values && t->spread;
}

static void tile_store(block *work, const tile *t)
{
    const float *single = t->values;
    const double *wide = t->values;
    for (uint64_t i = 0; i < t->rows; i++)
        for (uint64_t j = 0; j < t->cols; j++) {
            const uint64_t at = (t->from_a + i) * work->ld + t->from_b + j, k = i * t->cols + j;
            const double value = work->wide ? wide[k] : (double)single[k];
            if (!isfinite(value) || (work->single && !(fabs(value) <= 3e38)))
                atomic_store(&work->bad, 1 + (t->from_a + i) * work->b->count + t->from_b + j);
            if (work->single)
                ((float *)work->out)[at] = (float)value;
            else
                ((double *)work->out)[at] = value;
        }
}

/* One task is a strip: some columns of b, all rows of a, so that what a tile needs is allocated
 * once a strip. */
static void block_strip(void *user, uint64_t strip)
{
    block *work = user;
    tile t;
    if (!tile_new(work, &t)) atomic_store(&work->no_memory, 1);
    t.from_b = strip * work->shape.cols;
    const uint64_t left_b = work->b->count - t.from_b;
    t.cols = left_b < work->shape.cols ? left_b : work->shape.cols;
    for (uint64_t k = 0; k < work->tiles_a && !atomic_load(&work->no_memory); k++) {
        t.from_a = k * TILE_ROWS;
        const uint64_t left_a = work->a->count - t.from_a, area = TILE_ROWS * t.cols;
        t.rows = left_a < TILE_ROWS ? left_a : TILE_ROWS;
        if (work->wide)
            tile_node_f64(&t, t.kernel->root, t.values, (double *)t.values + area);
        else
            tile_node_f32(&t, t.kernel->root, t.values, (float *)t.values + area);
        tile_store(work, &t);
    }
    tile_free(&work->ctx->allocator, &t);
}

static hsp_status block_run(hsp_context *ctx, const hsp__kernel_pick *a, const hsp__kernel_pick *b,
                            void *out, int single, uint64_t ld, hsp_error *err)
{
    block work = {.ctx = ctx, .a = a, .b = b, .out = out, .single = single, .ld = ld};
    if (a->count == 0 || b->count == 0) return HSP_OK;
    block_plan(&work);
    hsp__tasks_run(ctx, work.tiles_b, block_strip, &work);
    if (atomic_load(&work.no_memory)) return hsp__fail_memory(err);
    const uint64_t bad = atomic_load(&work.bad);
    if (!bad) return HSP_OK;
    return hsp__fail(err, HSP_BAD_DATA,
                     "the kernel of row %llu with row %llu is not a finite number: scale the data",
                     (unsigned long long)hsp__kernel_picked(a, (bad - 1) / b->count) + 1,
                     (unsigned long long)hsp__kernel_picked(b, (bad - 1) % b->count) + 1);
}

hsp_status hsp__kernel_block_f32(hsp_context *ctx, const hsp__kernel_pick *a,
                                 const hsp__kernel_pick *b, float *out, uint64_t ld, hsp_error *err)
{
    return block_run(ctx, a, b, out, 1, ld, err);
}

hsp_status hsp__kernel_block_f64(hsp_context *ctx, const hsp__kernel_pick *a,
                                 const hsp__kernel_pick *b, double *out, uint64_t ld,
                                 hsp_error *err)
{
    return block_run(ctx, a, b, out, 0, ld, err);
}
