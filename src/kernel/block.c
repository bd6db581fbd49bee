#include "kernel/block.h"

#include <float.h>
#include <stdatomic.h>

#include "base/base.h"
#include "vec/product.h"
#include "vec/vec.h"

enum {
    TILE_ROWS = 256, /* of the left side: fewer when rows are long */
    TILE_COLS = 64,  /* of the right side */
    TILE_SPREAD = 8, /* rows of the right side that are spread out side by side */
    TILE_PIECE = 16, /* rows that are turned at a time */
    TILE_BYTES = 4 << 20,
    TILE_MOST_COLUMNS = 1 << 26, /* beyond, spreading rows out takes too much memory */
    TILE_MOST_ONES = 1 << 16,    /* the same where a column takes TILE_COLS bytes */
    TILE_COUNTED = 255,          /* places whose number fits into a byte */
    BLOCK_CHEAP = 64,            /* entries of a row of ones that are counted in no time */
    BLOCK_CHEAP_COLUMNS = 40,    /* of dense rows, whose products take as long as reading them */
    BLOCK_FEW = 32, /* rows of ones that are spread out themselves, not those they meet */
    BLOCK_PARTS = 64,
    BLOCK_BESIDE = 32 << 20 /* bytes of left rows that are gathered once for all tiles */
};

#define TILE_FLOAT_MOST 1e30 /* floats are not trusted with numbers beyond, or below 1 / this */

typedef enum tile_way {
    TILE_PRODUCT, /* inner products by a matrix product, */
    TILE_ENTRIES, /* by the entries of the left side's rows, */
    TILE_ONES     /* or, both sides being ones, by counting shared places */
} tile_way;

/* A part of a block, and all that computing it needs. */
typedef struct tile {
    const hsp_kernel *kernel;
    const hsp__kernel_pick *left, *right;
    uint64_t from_left, rows, from_right, cols;
    uint64_t columns; /* that both views have */
    tile_way way;
    int turned;               /* the right side is a */
    const void *const *dense; /* a space: all rows of the left side, gathered; NULL: none are */
    void *gathered, *packed, *line, *values;
    uint64_t packed_at; /* the from_right whose rows are packed; UINT64_MAX: none are */
    double *spread;     /* entries: columns * TILE_SPREAD, zeros between uses */
    uint8_t *ones;      /* ones: columns * TILE_COLS, zeros between uses */
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

/* ---- Rows of ones ---------------------------------------------------------------------------- */

_Static_assert((int)TILE_COLS == (int)HSP__VEC_COUNTS,
               "a tile is as wide as what is counted at once");

/* The right side's rows into bytes, or (on = 0) zeros in their place. */
static void tile_mark(tile *t, uint32_t space, uint8_t on)
{
    const hsp_view *view = t->right->rows->view;
    for (uint64_t j = 0; j < t->cols; j++) {
        const hsp__row row = hsp__view_row(view, hsp__kernel_picked(t->right, t->from_right + j));
        hsp__kernel_walk walk = {0};
        uint64_t place;
        for (uint64_t k = 0; k < row.count && row.indices[k] < t->columns; k++)
            if (hsp__kernel_inside(&t->kernel->spaces[space], &walk, row.indices[k], &place))
                t->ones[(uint64_t)row.indices[k] * TILE_COLS + j] = on;
    }
}

/* The next entries of a row, TILE_COUNTED at most, in columns that are there: what they share. */
static uint64_t tile_count(const tile *t, const hsp__row *row, uint64_t from, float *counts)
{
    uint64_t n = row->count - from < TILE_COUNTED ? row->count - from : TILE_COUNTED;
    while (n && row->indices[from + n - 1] >= t->columns)
        n--;
    hsp__vec()->ones_counts(row->indices + from, (size_t)n, t->ones, counts);
    return n;
}

/* What a block is computed by. */
typedef struct block {
    hsp_context *ctx;
    const hsp__kernel_pick *left, *right;
    int turned;           /* the right side is a, and a line for each of its rows */
    int across;           /* strips are some columns of all rows, not some rows of all columns */
    float *const *single; /* lines of floats, or NULL */
    double *const *wide;  /* lines of doubles, or NULL */
    const double *by;     /* apply: what the left rows count, and ... */
    double *sums;         /* ... what is added to; else NULL */
    int narrow;           /* apply: kernel values are rounded to float */
    int in_double;        /* compute in double */
    int gaussian;         /* the kernel is a Gaussian, whose values are all finite, and go out in
                             the type that they are computed in */
    tile shape;           /* rows, cols: of a full tile */
    uint64_t levels, strips, tiles;
    hsp__scratch memory;       /* of rows that are gathered once for all tiles */
    atomic_uint_fast64_t next; /* strip */
    atomic_int no_memory;
    atomic_uint_fast64_t bad; /* 1 + left * right->count + right of a value that is not finite */
} block;

static uint64_t block_least(uint64_t a, uint64_t b)
{
    return a < b ? a : b;
}

#define NUM            float
#define TYPE           f32
#define TILE_PRECISION HSP_FLOAT32
#define TILE_MOST      FLT_MAX
#define TILE_IS_WIDE   0
#include "kernel/tile_type.h"

#define NUM            double
#define TYPE           f64
#define TILE_PRECISION HSP_FLOAT64
#define TILE_MOST      DBL_MAX
#define TILE_IS_WIDE   1
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
    if (a->rounded && b->rounded) return 0;
    return a->view->precision == HSP_FLOAT64 || b->view->precision == HSP_FLOAT64;
}

static int block_is_ones(const hsp_view *view)
{
    return view->storage == HSP_ONES;
}

/* A product of all columns costs columns / 15 of what an entry costs in a sparse one. */
static int block_is_sparse(const hsp_view *left, uint64_t columns)
{
    if (left->storage == HSP_DENSE || left->rows == 0) return 0;
    return hsp_view_stored(left) / left->rows < columns / 16 && columns <= TILE_MOST_COLUMNS;
}

int hsp__kernel_is_cheap(const hsp__kernel_rows *rows)
{
    const hsp_view *view = rows->centred ? rows->centred->view : rows->view;
    if (rows->kernel->count != 1 || rows->kernel->nodes[0].op > HSP__KERNEL_RBF) return 0;
    if (view->storage == HSP_DENSE) return view->cols <= BLOCK_CHEAP_COLUMNS;
    return block_is_ones(view) && view->cols <= TILE_MOST_ONES && view->rows > 0 &&
           hsp_view_stored(view) / view->rows <= BLOCK_CHEAP;
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
    shape->way = TILE_PRODUCT;
    if (left->storage != HSP_DENSE &&
        (road ? road->entries : block_is_sparse(left, shape->columns)))
        shape->way = TILE_ENTRIES;
    if (block_is_ones(left) && block_is_ones(right) && shape->columns <= TILE_MOST_ONES)
        shape->way = TILE_ONES; /* counts are exact: the bits are those of the other ways */
    const uint64_t bytes = block_widest(kernel, shape->columns) * sizeof(double);
    uint64_t rows = shape->way == TILE_PRODUCT ? TILE_BYTES / bytes : TILE_ROWS;
    shape->rows = rows < 16 ? 16 : rows > TILE_ROWS ? TILE_ROWS : rows;
    while (shape->rows > 16 && shape->rows / 2 >= work->left->count)
        shape->rows /= 2;
    assert(shape->rows >= 16 && shape->rows <= TILE_ROWS);
    work->levels = block_levels(kernel, kernel->root);
    work->in_double = road ? road->wide
                           : work->wide || (work->sums && !work->narrow) ||
                                 block_is_wide(work->left->rows, work->right->rows);
    const int narrow = work->sums ? work->narrow : work->single != NULL;
    work->gaussian = kernel->nodes[kernel->root].op == HSP__KERNEL_RBF &&
                     narrow == !work->in_double && !work->turned &&
                     !block_overflows(work->left->rows) && !block_overflows(work->right->rows);
    const uint64_t down = (work->left->count + shape->rows - 1) / shape->rows;
    const uint64_t right_tiles = (work->right->count + TILE_COLS - 1) / TILE_COLS;
    work->across = work->sums || (!work->turned && right_tiles >= down);
    work->strips = work->across ? right_tiles : down;
    work->tiles = work->across ? down : right_tiles;
}

typedef struct block_gather {
    const block *work;
    uint32_t space;
    uint64_t width;
    void *to;
} block_gather;

static void block_gather_part(void *user, uint64_t part)
{
    const block_gather *g = user;
    const tile *shape = &g->work->shape;
    const uint64_t from = hsp__part(shape->left->count, BLOCK_PARTS, part),
                   count = hsp__part(shape->left->count, BLOCK_PARTS, part + 1) - from;
    if (g->work->in_double)
        tile_gather_f64(shape, shape->left, from, count, g->space, g->width,
                        (double *)g->to + from * g->width);
    else
        tile_gather_f32(shape, shape->left, from, count, g->space, g->width,
                        (float *)g->to + from * g->width);
}

typedef struct block_packing {
    block work;
    hsp__kernel_packed *packed;
    atomic_int no_memory;
} block_packing;

/* One group of rows. */
static void block_pack_part(void *user, uint64_t part)
{
    block_packing *p = user;
    const tile *shape = &p->work.shape;
    const uint64_t from = part * TILE_COLS, depth = p->packed->depth;
    const uint64_t count = block_least(shape->left->count - from, TILE_COLS);
    const hsp_allocator *memory = &p->work.ctx->allocator;
    void *gathered = hsp__new_raw(memory, TILE_COLS * depth, sizeof(double));
    if (!gathered) {
        atomic_store(&p->no_memory, 1);
        return;
    }
    if (p->packed->wide) {
        tile_gather_f64(shape, shape->left, from, count, 0, depth, gathered);
        hsp__product_pack_f64((size_t)count, (size_t)depth, gathered, (size_t)depth,
                              (double *)p->packed->values + part * p->packed->group);
    } else {
        tile_gather_f32(shape, shape->left, from, count, 0, depth, gathered);
        hsp__product_pack_f32((size_t)count, (size_t)depth, gathered, (size_t)depth,
                              (float *)p->packed->values + part * p->packed->group);
    }
    hsp__free(memory, gathered);
}

hsp_status hsp__kernel_pack(hsp_context *ctx, const hsp__kernel_road *road, uint64_t most,
                            hsp__kernel_rows *rows, hsp_error *err)
{
    const hsp__kernel_pick all = {.rows = rows, .count = rows->view->rows};
    const size_t size = road->wide ? sizeof(double) : sizeof(float);
    const uint64_t groups = (all.count + TILE_COLS - 1) / TILE_COLS;
    hsp__kernel_packed *packed = &rows->packed;
    block_packing p = {.work = {.ctx = ctx, .shape = {.kernel = rows->kernel, .left = &all}},
                       .packed = packed};
    const hsp_view *view = rows->view;
    if (rows->kernel->space_count != 1 || rows->kernel->spaces[0].count || road->entries ||
        block_is_ones(view) || !view->rows || !view->cols ||
        view->cols > most / sizeof(double) / (view->rows + TILE_COLS))
        return HSP_OK;
    packed->wide = road->wide;
    packed->depth = rows->view->cols;
    packed->group = hsp__product_packed((size_t)packed->depth, 1);
    packed->values = hsp__new_raw(&ctx->allocator, groups * packed->group, size);
    if (packed->values) hsp__tasks_run(ctx, groups, block_pack_part, &p);
    if (packed->values && !atomic_load(&p.no_memory)) return HSP_OK;
    hsp__free(&ctx->allocator, packed->values);
    packed->values = NULL;
    return hsp__fail_memory(err);
}

/* Strips across meet all rows of the left side again and again: they are gathered once, if they are
 * not too many. */
static hsp_status block_gather_left(block *work, hsp_error *err)
{
    const hsp_kernel *kernel = work->shape.kernel;
    const size_t size = work->in_double ? sizeof(double) : sizeof(float);
    const uint64_t bytes = work->left->count * work->shape.columns * size;
    if (work->shape.way != TILE_PRODUCT || !work->across || work->strips < 2) return HSP_OK;
    if (work->left->rows->products && work->left->rows->products == work->right->rows->products)
        return HSP_OK; /* their products are there */
    if (bytes * kernel->space_count > BLOCK_BESIDE) return HSP_OK;
    const hsp_view *view = work->left->rows->view;
    if (view->storage == HSP_DENSE && !work->left->list &&
        (view->precision == HSP_FLOAT64) == work->in_double)
        return HSP_OK; /* side by side already, in the type that is computed in */
    void **dense = hsp__scratch_new(&work->memory, kernel->space_count, sizeof *dense);
    if (!dense) return hsp__fail_memory(err);
    for (uint32_t s = 0; s < kernel->space_count; s++) {
        const uint64_t width = hsp__kernel_space_cols(&kernel->spaces[s], work->shape.columns);
        dense[s] = hsp__scratch_raw(&work->memory, work->left->count * width, size);
        if (!dense[s]) return hsp__fail_memory(err);
        block_gather gather = {work, s, width, dense[s]};
        hsp__tasks_run(work->ctx, BLOCK_PARTS, block_gather_part, &gather);
    }
    work->shape.dense = (const void *const *)dense;
    return HSP_OK;
}

/* ---- Tiles ----------------------------------------------------------------------------------- */

static void block_strip(block *work, tile *t, uint64_t strip)
{
    for (uint64_t k = 0; k < work->tiles && !hsp__tick(work->ctx); k++) {
        t->from_left = (work->across ? k : strip) * work->shape.rows;
        t->from_right = (work->across ? strip : k) * TILE_COLS;
        assert(t->from_left < work->left->count && t->from_right < work->right->count);
        t->rows = block_least(work->left->count - t->from_left, work->shape.rows);
        t->cols = block_least(work->right->count - t->from_right, TILE_COLS);
        const uint64_t area = t->rows * TILE_COLS;
        if (work->gaussian) {
            if (work->in_double)
                tile_gauss_f64(work, t);
            else
                tile_gauss_f32(work, t);
        } else if (work->in_double) {
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
    hsp__scratch memory = {.memory = &work->ctx->allocator};
    const size_t size = sizeof(double);
    tile t = work->shape;
    (void)worker;
    const uint64_t width = t.way == TILE_PRODUCT ? block_widest(t.kernel, t.columns) : 1;
    const uint64_t area = t.rows * t.cols, gathered = t.dense ? 0 : t.rows;
    t.gathered = hsp__scratch_raw(&memory, (gathered + t.cols) * width, size);
    t.packed = hsp__scratch_raw(&memory, hsp__product_packed((size_t)width, size), 1);
    t.packed_at = UINT64_MAX;
    t.line = hsp__scratch_raw(&memory, t.cols + t.rows, size);
    t.values = hsp__scratch_raw(&memory, (work->levels + 1) * area, size);
    t.spread = hsp__scratch_new(&memory, t.way == TILE_ENTRIES ? t.columns * TILE_SPREAD : 0, size);
    t.ones = hsp__scratch_new(&memory, t.way == TILE_ONES ? t.columns * TILE_COLS : 0, 1);
    if (memory.failed) atomic_store(&work->no_memory, 1);
    while (!atomic_load(&work->no_memory)) {
        const uint64_t strip = atomic_fetch_add(&work->next, 1);
        if (strip >= work->strips) break;
        block_strip(work, &t, strip);
    }
    hsp__scratch_free(&memory);
}

/* a is the left side. But entries are those of sparse rows, and the right side is spread out for
 * them: that is to be the one with fewer rows. */
static int block_turns(const hsp__kernel_pick *a, const hsp__kernel_pick *b)
{
    const hsp_view *left = a->rows->view, *right = b->rows->view;
    const hsp__kernel_road *road = a->rows->road;
    const uint64_t columns = block_least(left->cols, right->cols);
    if (road && road->entries && left->storage == HSP_DENSE) return 1;
    if (right->storage == HSP_DENSE || a->count >= b->count) return 0;
    if (block_is_ones(left) && block_is_ones(right) && columns <= TILE_MOST_ONES)
        return a->count <= BLOCK_FEW;
    return road ? road->entries : block_is_sparse(left, columns);
}

/* `work`: where the values go, and a and b as left and right. */
static hsp_status block_run(block *work, hsp_error *err)
{
    const hsp__kernel_pick *a = work->left;
    if (work->left->count == 0 || work->right->count == 0) return HSP_OK;
    work->memory.memory = &work->ctx->allocator;
    if (!work->sums && block_turns(a, work->right)) {
        work->turned = 1;
        work->left = work->right, work->right = a;
    }
    block_plan(work, a->rows->road);
    hsp_status status = block_gather_left(work, err);
    int workers = hsp_context_threads(work->ctx);
    if ((uint64_t)workers > work->strips) workers = (int)work->strips;
    if (!status) hsp__workers_run(work->ctx, workers, block_worker, work);
    hsp__scratch_free(&work->memory);
    if (!status && atomic_load(&work->no_memory)) status = hsp__fail_memory(err);
    if (!status) status = hsp__stop_status(work->ctx, err);
    const uint64_t bad = atomic_load(&work->bad);
    if (status || !bad) return status;
    return hsp__fail(
        err, HSP_BAD_DATA,
        "the kernel of rows near %llu and %llu is not a finite number: scale the data",
        (unsigned long long)hsp__kernel_picked(work->left, (bad - 1) / work->right->count) + 1,
        (unsigned long long)hsp__kernel_picked(work->right, (bad - 1) % work->right->count) + 1);
}

hsp_status hsp__kernel_lines_f32(hsp_context *ctx, const hsp__kernel_pick *a,
                                 const hsp__kernel_pick *b, float *const *lines, hsp_error *err)
{
    block work = {.ctx = ctx, .left = a, .right = b, .single = lines};
    return block_run(&work, err);
}

hsp_status hsp__kernel_lines_f64(hsp_context *ctx, const hsp__kernel_pick *a,
                                 const hsp__kernel_pick *b, double *const *lines, hsp_error *err)
{
    block work = {.ctx = ctx, .left = a, .right = b, .wide = lines};
    return block_run(&work, err);
}

int hsp__kernel_has_line(const hsp__kernel_rows *rows)
{
    return rows->packed.values && !rows->packed.wide && rows->kernel->count == 1 &&
           rows->kernel->nodes[0].op == HSP__KERNEL_RBF && !block_is_wide(rows, rows) &&
           rows->view->storage == HSP_DENSE && rows->view->precision == HSP_FLOAT32;
}

void hsp__kernel_line_f32(const hsp__kernel_rows *rows, uint64_t i, float *out)
{
    const hsp_view *view = rows->view;
    const hsp__kernel_packed *packed = &rows->packed;
    const float *left = (const float *)view->values + i * view->stride;
    const double *norms = rows->norms[0];
    const float c = (float)-rows->kernel->nodes[0].p;
    assert(hsp__kernel_has_line(rows) && i < view->rows);
    for (uint64_t at = 0; at < view->rows; at += TILE_COLS) {
        const size_t cols = (size_t)block_least(view->rows - at, TILE_COLS);
        float squares[TILE_COLS];
        for (size_t j = 0; j < cols; j++)
            squares[j] = (float)norms[at + j];
        hsp__product_with_f32(1, cols, (size_t)packed->depth, left, (size_t)view->stride,
                              (const float *)packed->values + at / TILE_COLS * packed->group,
                              (size_t)packed->depth, out + at, cols);
        hsp__vec()->gauss_f32(out + at, out + at, squares, (float)norms[i], c, cols);
    }
}

hsp_status hsp__kernel_apply(hsp_context *ctx, const hsp__kernel_pick *a, const double *by,
                             const hsp__kernel_pick *b, int wide, double *out, hsp_error *err)
{
    block work = {.ctx = ctx, .left = a, .right = b, .by = by, .sums = out, .narrow = !wide};
    return block_run(&work, err);
}

hsp_status hsp__kernel_block_f32(hsp_context *ctx, const hsp__kernel_pick *a,
                                 const hsp__kernel_pick *b, float *out, uint64_t ld, hsp_error *err)
{
    float **lines = hsp__new_raw(&ctx->allocator, a->count, sizeof *lines);
    for (uint64_t i = 0; lines && i < a->count; i++)
        lines[i] = out + i * ld;
    hsp_status status =
        lines ? hsp__kernel_lines_f32(ctx, a, b, lines, err) : hsp__fail_memory(err);
    hsp__free(&ctx->allocator, lines);
    return status;
}

hsp_status hsp__kernel_block_f64(hsp_context *ctx, const hsp__kernel_pick *a,
                                 const hsp__kernel_pick *b, double *out, uint64_t ld,
                                 hsp_error *err)
{
    double **lines = hsp__new_raw(&ctx->allocator, a->count, sizeof *lines);
    for (uint64_t i = 0; lines && i < a->count; i++)
        lines[i] = out + i * ld;
    hsp_status status =
        lines ? hsp__kernel_lines_f64(ctx, a, b, lines, err) : hsp__fail_memory(err);
    hsp__free(&ctx->allocator, lines);
    return status;
}
