/* The second-order solver's matrix, H = R + factor * G with G = sum weight_i x_i x_i^T, x_i with a
 * 1 appended for the offset, R the penalty's diagonal.
 *
 * Few columns: G is kept, and the rows whose weight changed since it was last brought up to date
 * are added or taken away; when that would be more work than starting again, or when what is left is
 * small relative to what was there (and so full of its rounding errors), it is computed
 * from scratch. Then Cholesky, after scaling to a diagonal of ones, since columns may have any unit.
 *
 * Many columns: conjugate gradients with products by H that pass over the rows with a weight,
 * preconditioned by H's diagonal.
 *
 * Few columns, but rows of many places: a row of k places costs k^2 / 2 operations in G and 2 k in
 * a product. There G is only made for a sample of the rows, and its Cholesky preconditions
 * conjugate gradients for all of them: with m rows a column in the sample the eigenvalues are
 * within (1 +- sqrt(1 / m))^2 or so, and a handful of products will do. When products become many, G
 * is made where we are, and its factor serves the steps that follow. */
#include <stdatomic.h>

#include "base/base.h"
#include "base/paging.h"
#include "learn/erm/newton.h"
#include "learn/erm/matvec.h"
#include "model/model.h"
#include "vec/matrix.h"
#include "vec/vec.h"

/* ---- Rows of ones, as bits ------------------------------------------------------------------- */

/* Element (i, j) of sum x x^T is how many rows
 * have both columns. Rows are gathered as bits, one line of bits a column, and what two lines have
 * in common is counted many rows at a time. */
enum { BITS_WORDS = 64, BITS_ROWS = 64 * BITS_WORDS, BITS_STEP = 512 };

typedef struct newton_bits {
    uint64_t rows;    /* gathered */
    uint64_t *lines;  /* d * BITS_WORDS */
    uint32_t *counts; /* d */
} newton_bits;

static void newton_bits_flush(newton_bits *bits, const hsp__newton *s, double weight, double turn,
                              double *g, size_t side, double *q)
{
    const uint64_t d = s->d;
    const size_t words = (bits->rows + BITS_STEP - 1) / BITS_STEP * (BITS_STEP / 64);
    if (!bits->rows) return;
    assert(words <= BITS_WORDS && side >= s->dim);
    for (uint64_t i = 0; i < d; i++) {
        double *line = g + i * side;
        hsp__vec()->common_bits(bits->lines, BITS_WORDS, words, (size_t)i + 1, bits->counts);
        for (uint64_t j = 0; j <= i; j++)
            line[j] += weight * (double)bits->counts[j];
        if (s->dim > d) g[d * side + i] += weight * (double)bits->counts[i];
        if (q) q[i] += turn * (double)bits->counts[i];
    }
    if (s->dim > d) g[d * side + d] += weight * (double)bits->rows;
    if (q && s->dim > d) q[d] += turn * (double)bits->rows;
    for (uint64_t i = 0; i < d; i++)
        memset(bits->lines + i * BITS_WORDS, 0, words * sizeof *bits->lines);
    bits->rows = 0;
}

/* ---- Sparse rows with adjacent places, in batches -------------------------------------------- */

/* Sparse rows whose places are adjacent (pixels of a stroke) in the second-order solver's
 * matrix: 64 rows at a time, spread out; and of the matrix blocks of eight columns by eight, of
 * which each sums the outer products of the rows that have numbers in both, in registers. */
enum { BATCH_ROWS = 64, BATCH_LOOK = 200 };

typedef struct newton_batch {
    size_t rows, side; /* rows so far; their length, filled up */
    uint64_t *has;     /* side / 8: bit r says that row r has numbers in the block */
    /* Block by block, in it the eight numbers of row after row; rubbish where has says nothing: */
    double *weighted; /* BATCH_ROWS * side: weight * x */
    float *plain;     /* BATCH_ROWS * side: x */
} newton_batch;

/* Do enough of the places lie in the same blocks of eight? */
static int newton_batch_pays(const hsp_context *ctx, const hsp_view *view)
{
    double by_blocks = 0, by_places = 0;
    const uint64_t step = view->rows / BATCH_LOOK + 1;
    if (view->storage != HSP_SPARSE || view->precision != HSP_FLOAT32) return 0;
    for (uint64_t i = 0; i < view->rows; i += step) {
        hsp__paging_check(&ctx->allocator);
        const hsp__row row = hsp__view_row(view, i);
        const double places = (double)row.count;
        double blocks = 0;
        for (uint64_t k = 0; k < row.count; k++)
            blocks +=
                k == 0 || row.indices[k] / HSP__VEC_OUTER != row.indices[k - 1] / HSP__VEC_OUTER;
        by_blocks += 20 * blocks * blocks; /* instructions, about */
        by_places += 4 * places * places;
    }
    return by_blocks < by_places;
}

static int newton_batch_add(newton_batch *batch, const hsp__newton *s, const hsp__row *row,
                            double weight)
{
    enum { N = HSP__VEC_OUTER };
    const float *values = row->values;
    const uint64_t bit = (uint64_t)1 << batch->rows, count = row->count + (s->dim > s->d);
    uint64_t block = UINT64_MAX;
    double *weighted = NULL;
    float *plain = NULL;
    for (uint64_t k = 0; k < count; k++) {
        const uint64_t column = k < row->count ? row->indices[k] : s->d;
        const float x = k < row->count ? values[k] : 1;
        if (column / N != block) {
            block = column / N;
            weighted = batch->weighted + (block * BATCH_ROWS + batch->rows) * N;
            plain = batch->plain + (block * BATCH_ROWS + batch->rows) * N;
            memset(weighted, 0, N * sizeof *weighted);
            memset(plain, 0, N * sizeof *plain);
            batch->has[block] |= bit;
        }
        weighted[column % N] = weight * (double)x;
        plain[column % N] = x;
    }
    return ++batch->rows == BATCH_ROWS;
}

static void newton_batch_flush(newton_batch *batch, double *g)
{
    const hsp__vec_table *vec = hsp__vec();
    const size_t side = batch->side, blocks = side / HSP__VEC_OUTER;
    assert(batch->rows <= BATCH_ROWS && side % HSP__VEC_OUTER == 0);
    for (size_t i = 0; batch->rows && i < blocks; i++)
        for (size_t j = 0; batch->has[i] && j <= i; j++) {
            const uint64_t both = batch->has[i] & batch->has[j];
            if (!both) continue;
            vec->outer_f32f64(both, batch->weighted + i * BATCH_ROWS * HSP__VEC_OUTER,
                              batch->plain + j * BATCH_ROWS * HSP__VEC_OUTER,
                              g + i * HSP__VEC_OUTER * side + j * HSP__VEC_OUTER, side);
        }
    memset(batch->has, 0, blocks * sizeof *batch->has);
    batch->rows = 0;
}

/* ---- The matrix ------------------------------------------------------------------------------ */

enum {
    NEWTON_HESSIAN_COLS = 2400,      /* most columns, with the offset, for a matrix */
    NEWTON_HESSIAN_SMALL = 8,        /* up to which rows are added one by one */
    NEWTON_HESSIAN_SHORT = 32,       /* places of a sparse row, likewise */
    NEWTON_HESSIAN_WIDEN = 3,        /* times its places: up to which columns it is made dense */
    NEWTON_HESSIAN_BITS = 1024,      /* rows that are worth gathering as bits, */
    NEWTON_HESSIAN_BITS_PART = 5000, /* that are worth a matrix of their own, */
    NEWTON_HESSIAN_LIST = 512,       /* and are listed at a time */
    NEWTON_HESSIAN_WORTH = 8,        /* additions to a matrix for each that summing it takes, */
    NEWTON_HESSIAN_WORTH_BATCH = 64, /* and in batches, which are faster */
    NEWTON_HESSIAN_PARTS = 8,        /* matrices that are summed */
    NEWTON_HESSIAN_STEPS = 2000,     /* of conjugate gradients */
    NEWTON_HESSIAN_PATIENCE = 16,    /* products that a direction may take with an old factor, */
    NEWTON_HESSIAN_OLD = 2,          /* and this part of them if the factor is to serve again */
    NEWTON_HESSIAN_LEND = 32,        /* places of a row from which on a sample's matrix is lent, */
    NEWTON_HESSIAN_LEND_ROWS = 4,    /* if it has this many rows per column */
};
#define NEWTON_HESSIAN_BYTES ((uint64_t)2 << 20) /* for the matrices that are summed, or */
#define NEWTON_HESSIAN_SHARE 8                   /* one part in this many of what the rows take */
#define NEWTON_HESSIAN_TICK  64                  /* rows between two ticks */
#define NEWTON_HESSIAN_USE   0.5 /* of the residual: a direction that leaves no more is of use */

struct hsp__hessian {
    int direct;
    double *down; /* dim: minus the gradient */
    /* Few columns: */
    size_t side;
    uint64_t most;   /* parts that rows are cut into at most, */
    uint64_t parts;  /* and now; the first adds to g, the others to matrices that are added to it */
    uint64_t peak;   /* rows that were in g at most since it was computed from scratch; 0: never */
    double *g;       /* side * side */
    double *factor;  /* side * side: Cholesky of the scaled H */
    double *sums;    /* (most - 1) * side * side, or NULL: none */
    double *scratch; /* most * each */
    uint64_t each;
    double *q;             /* by_matrix: dim, sum of c y x over the rows in g; else NULL */
    double *q_sums;        /* by_matrix: (most - 1) * dim */
    newton_batch *batches; /* most; NULL: the places of rows are few or scattered */
    newton_bits *bits;     /* most; NULL: rows are not ones, or columns are too many */
    int widen;             /* sparse rows are added as dense ones: they have many places */
    int by_bits;           /* now */
    unsigned char *inside; /* n: which rows are in g; NULL: g is computed from scratch each time */
    double *scale;         /* dim: 1 / sqrt of H's diagonal */
    atomic_int no_memory;  /* for a block of rows that are divided among ranks */
    int alone;             /* no factor but that of the very matrix will do */
    int own;               /* factor stands in for later ones */
    const double *lent;    /* the factor that stands in, or NULL */
    uint64_t products;     /* that the last direction took with it; 0: it has not served yet */
    /* Many columns, or that: vectors of dim. */
    double *diagonal, *residual, *direction, *product, *solved;
    double *offset; /* H's column of the offset, if that is free */
};

/* ---- Adding rows to a matrix ----------------------------------------------------------------- */

typedef struct newton_hessian_block {
    double *g, *scratch;
    double *rows;   /* HSP__MATRIX_BLOCK * dim: rows as double, with their 1 */
    double *weight; /* HSP__MATRIX_BLOCK */
    size_t count;
    newton_batch *batch; /* NULL: rows are not such */
} newton_hessian_block;

static void newton_hessian_flush(const hsp__newton *s, newton_hessian_block *block)
{
    if (block->count)
        hsp__matrix_update(block->g, s->dim, block->rows, s->dim, block->weight, block->count,
                           block->scratch);
    block->count = 0;
    if (block->batch) newton_batch_flush(block->batch, block->g);
}

/* g += weight x x^T of row i, below the diagonal; or it waits in the block. */
static void newton_hessian_add(const hsp__newton *s, uint64_t i, double weight,
                               newton_hessian_block *block)
{
    const hsp__vec_table *vec = hsp__vec();
    const hsp_view *view = s->rows;
    const uint64_t place = i * s->row_step;
    const hsp__row row = hsp__view_row(view, place);
    const size_t dim = s->dim, side = s->hessian->side, count = (size_t)row.count;
    const uint32_t *at = row.indices;
    double x[NEWTON_HESSIAN_SHORT], *g = block->g;
    assert(dim == s->d || dim == s->d + 1);
    if (!at || s->hessian->widen) {
        double *wide = dim > NEWTON_HESSIAN_SMALL ? block->rows + block->count * dim : x;
        if (at) {
            memset(wide, 0, s->d * sizeof *wide);
            for (size_t k = 0; k < count; k++)
                wide[at[k]] = hsp__row_value(view, &row, k);
        } else if (view->precision == HSP_FLOAT64)
            memcpy(wide, row.values, s->d * sizeof *wide);
        else
            for (uint64_t j = 0; j < s->d; j++)
                wide[j] = (double)((const float *)row.values)[j];
        if (dim > s->d) wide[s->d] = 1;
        if (wide != x) {
            block->weight[block->count++] = weight;
            if (block->count == HSP__MATRIX_BLOCK) newton_hessian_flush(s, block);
            return;
        }
        for (size_t k = 0; k < dim; k++)
            for (size_t j = 0; j <= k; j++)
                g[k * side + j] += weight * wide[k] * wide[j];
        return;
    }
    if (block->batch) {
        if (newton_batch_add(block->batch, s, &row, weight)) newton_batch_flush(block->batch, g);
        return;
    }
    if (!row.values) {
        for (size_t k = 0; k < count; k++)
            for (size_t j = 0; j <= k; j++)
                g[at[k] * side + at[j]] += weight;
    } else if (count <= NEWTON_HESSIAN_SHORT) { /* calls would cost more than the products */
        for (size_t k = 0; k < count; k++) {
            const double a = weight * (x[k] = hsp__row_value(view, &row, k));
            for (size_t j = 0; j <= k; j++)
                g[at[k] * side + at[j]] += a * x[j];
        }
    } else {
        for (size_t k = 0; k < count; k++) {
            const double a = weight * hsp__row_value(view, &row, k);
            if (view->precision == HSP_FLOAT32)
                vec->sparse_axpy_f32f64(a, at, row.values, k + 1, g + at[k] * side);
            else
                vec->sparse_axpy_f64(a, at, row.values, k + 1, g + at[k] * side);
        }
    }
    if (dim == s->d) return;
    hsp__matvec_add_row(view, place, weight, g + s->d * side);
    g[s->d * side + s->d] += weight;
}

/* Rows that came in (in = 1) or went out, of one class: they all weigh the same. Which rows those
 * are is as good as random, so they are listed without a branch. */
static void newton_hessian_group_by_bits(const hsp__newton *s, uint64_t from, uint64_t to, int in,
                                         int positive, newton_bits *bits, double *g, double *q)
{
    const hsp__hessian *h = s->hessian;
    const hsp__problem *p = s->p;
    const double c = p->hard ? 1 : (double)s->stride * p->cost[positive], weight = in ? c : -c;
    const double turn = positive ? weight : -weight;
    uint64_t list[NEWTON_HESSIAN_LIST] = {0};
    for (uint64_t start = from; start < to; start += NEWTON_HESSIAN_LIST) {
        const uint64_t end = to - start < NEWTON_HESSIAN_LIST ? to : start + NEWTON_HESSIAN_LIST;
        size_t count = 0;
        if (hsp__tick(s->ctx)) return;
        for (uint64_t i = start; i < end; i++) {
            list[count] = i * s->row_step;
            count += (size_t)((s->curved[i] == in) & (h->inside[i] != in) &
                              (hsp__problem_positive(p, i * s->stride) == positive));
        }
        for (size_t k = 0; k < count; k++) {
            hsp__paging_row(&s->ctx->allocator, k);
            const hsp__row row = hsp__view_row(s->rows, list[k]);
            uint64_t *word = bits->lines + bits->rows / 64;
            const uint64_t bit = (uint64_t)1 << bits->rows % 64;
            for (uint64_t e = 0; e < row.count; e++)
                word[row.indices[e] * (uint64_t)BITS_WORDS] |= bit;
            if (++bits->rows == BITS_ROWS) newton_bits_flush(bits, s, weight, turn, g, h->side, q);
        }
    }
    newton_bits_flush(bits, s, weight, turn, g, h->side, q);
}

/* Rows that are divided among ranks: g is computed from scratch each time. A block of rows has a matrix of its
 * own, and `sum` gets the lower triangle, row by row. */
static void newton_hessian_shard_block(void *user, uint32_t number, uint64_t from, uint64_t to,
                                       double *sum)
{
    hsp__newton *s = user;
    const size_t dim = s->dim, side = s->hessian->side, cells = side * side;
    newton_hessian_block block = {
        .g = hsp__new(&s->ctx->allocator, cells + s->hessian->each, sizeof *block.g)};
    (void)number;
    if (!block.g) {
        atomic_store(&s->hessian->no_memory, 1);
        return;
    }
    block.rows = block.g + cells;
    block.weight = block.rows + HSP__MATRIX_BLOCK * dim;
    block.scratch = block.weight + HSP__MATRIX_BLOCK;
    for (uint64_t i = from; i < to; i++) {
        hsp__paging_row(&s->ctx->allocator, i);
        const double weight = hsp__newton_weight(s, i);
        if (weight > 0) newton_hessian_add(s, i, weight, &block);
    }
    newton_hessian_flush(s, &block);
    for (size_t i = 0; i < dim; sum += ++i)
        memcpy(sum, block.g + i * side, (i + 1) * sizeof *sum);
    hsp__free(&s->ctx->allocator, block.g);
}

static void newton_hessian_shard(hsp__newton *s)
{
    hsp__hessian *h = s->hessian;
    const uint64_t dim = s->dim, numbers = dim * (dim + 1) / 2;
    const double active = (double)s->now.active / (double)s->all;
    hsp__newton_sum(s, numbers, active * s->places, newton_hessian_shard_block, s, h->g);
    for (uint64_t i = dim; i-- > 1;) /* to where g has its rows */
        memmove(h->g + i * h->side, h->g + i * (i + 1) / 2, (i + 1) * sizeof *h->g);
    const hsp_status status = atomic_load(&h->no_memory) ? hsp__fail_memory(s->err) : HSP_OK;
    if (!s->failed) s->failed = hsp__shard_agree(s->ctx, status, s->err);
}

static void newton_hessian_part(void *user, uint64_t part)
{
    const hsp__newton *s = user;
    hsp__hessian *h = s->hessian;
    const size_t cells = h->side * h->side;
    const uint64_t from = hsp__part(s->n, h->parts, part), to = hsp__part(s->n, h->parts, part + 1);
    double *q = !h->q ? NULL : part ? h->q_sums + (part - 1) * s->dim : h->q;
    newton_hessian_block block = {.g = part ? h->sums + (part - 1) * cells : h->g,
                                  .rows = h->scratch + part * h->each,
                                  .batch = h->batches ? &h->batches[part] : NULL};
    block.weight = block.rows + HSP__MATRIX_BLOCK * s->dim;
    block.scratch = block.weight + HSP__MATRIX_BLOCK;
    if (part) memset(block.g, 0, cells * sizeof *block.g);
    if (part && q) memset(q, 0, s->dim * sizeof *q);
    if (h->by_bits) {
        for (int in = h->peak == 0; in < 2; in++) /* from scratch: nothing goes out */
            for (int positive = 0; positive < 2; positive++)
                newton_hessian_group_by_bits(s, from, to, in, positive, &h->bits[part], block.g, q);
        memcpy(h->inside + from, s->curved + from, to - from);
        return;
    }
    for (uint64_t i = from; i < to; i++) {
        hsp__paging_row(&s->ctx->allocator, i);
        if (i % NEWTON_HESSIAN_TICK == 0 && hsp__tick(s->ctx)) return;
        if (!h->inside || s->theta) {
            const double weight = hsp__newton_weight(s, i);
            if (weight > 0) newton_hessian_add(s, i, weight, &block);
        } else if (s->curved[i] != h->inside[i]) {
            const double cost = hsp__newton_cost(s, i), turn = s->curved[i] ? cost : -cost;
            newton_hessian_add(s, i, s->curved[i] ? fabs(cost) : -fabs(cost), &block);
            if (q) hsp__matvec_add_row(s->rows, i * s->row_step, turn, q);
            if (q && s->dim > s->d) q[s->d] += turn;
            h->inside[i] = s->curved[i];
        }
    }
    newton_hessian_flush(s, &block);
}

/* ---- Few columns ----------------------------------------------------------------------------- */

/* How many matrices to sum for adding `rows` rows: as many as keep 8 processors busy, if the rows
 * are worth it. */
static uint64_t newton_hessian_parts(const hsp__newton *s, uint64_t rows, uint64_t most)
{
    const uint64_t cells = (uint64_t)s->hessian->side * s->hessian->side;
    const uint64_t stored = (uint64_t)s->places + 2;
    const uint64_t worth = s->hessian->batches ? NEWTON_HESSIAN_WORTH_BATCH : NEWTON_HESSIAN_WORTH;
    const uint64_t parts = rows / (worth * cells / stored / stored + 256) + 1;
    return parts < most ? parts : most;
}

/* Bring g up to date. */
static void newton_hessian_update(hsp__newton *s)
{
    hsp__hessian *h = s->hessian;
    const size_t cells = h->side * h->side;
    assert(s->now.active <= s->all && s->now.turned <= s->all);
    if (s->ctx->shard) {
        newton_hessian_shard(s);
        return;
    }
    if (!h->inside || s->theta || h->peak == 0 || s->now.turned >= s->now.active ||
        s->now.active < h->peak / 4) {
        memset(h->g, 0, cells * sizeof *h->g);
        if (h->inside) memset(h->inside, 0, s->n);
        if (h->q) memset(h->q, 0, s->dim * sizeof *h->q);
        h->peak = 0;
    }
    const uint64_t rows = h->peak ? s->now.turned : s->now.active;
    h->by_bits = h->bits && !s->theta && rows >= NEWTON_HESSIAN_BITS;
    const uint64_t by_bits = rows / NEWTON_HESSIAN_BITS_PART + 1;
    h->parts = newton_hessian_parts(s, rows, h->by_bits && by_bits < h->most ? by_bits : h->most);
    if (!hsp__tasks_try(s->ctx, h->parts, newton_hessian_part, s)) return;
    for (uint64_t part = 0; part + 1 < h->parts; part++) {
        hsp__vec()->axpy_f64(1, h->sums + part * cells, h->g, cells);
        if (h->q) hsp__vec()->axpy_f64(1, h->q_sums + part * s->dim, h->q, (size_t)s->dim);
    }
    if (s->now.active > h->peak) h->peak = s->now.active;
    if (h->peak == 0) h->peak = 1;
    if (s->theta) h->peak = 0; /* of no use to others */
}

void hsp__hessian_follow(hsp__newton *s)
{
    const hsp__vec_table *vec = hsp__vec();
    const hsp__hessian *h = s->hessian;
    newton_hessian_update(s);
    memset(s->u, 0, s->dim * sizeof *s->u);
    for (size_t i = 0; i < s->dim; i++) {
        const double *line = h->g + i * h->side;
        s->u[i] += vec->dot_f64(line, s->w, i + 1);
        vec->axpy_f64(s->w[i], line, s->u, i);
    }
    for (size_t i = 0; i < s->dim; i++)
        s->u[i] = hsp__newton_factor(s) * (h->q[i] - s->u[i]);
}

/* Is a matrix of these rows to stand in for others? */
static int newton_hessian_lends(const hsp__newton *s)
{
    return s->form == HSP__LOGISTIC && s->all >= NEWTON_HESSIAN_LEND_ROWS * s->dim &&
           s->places >= NEWTON_HESSIAN_LEND;
}

void hsp__hessian_factor(hsp__newton *s)
{
    hsp__hessian *h = s->hessian;
    const double factor = hsp__newton_factor(s);
    const size_t dim = s->dim, side = h->side;
    int done = 0;
    if (!s->by_matrix) newton_hessian_update(s);
    const double *ones =
        dim > s->d ? h->g + s->d * side : NULL; /* sums of columns, and of weights */
    for (size_t i = 0; i < dim; i++) {
        double all = (i < s->d ? s->ridge : s->offset_ridge) + factor * h->g[i * side + i];
        if (i < s->d) {
            const double mean = ones && ones[s->d] > 0 ? ones[i] / ones[s->d] : 0;
            if (!s->theta)
                s->spread[i] = fmax(s->spread[i], h->g[i * side + i] - (ones ? mean * ones[i] : 0));
            all += factor * s->damping * s->spread[i];
        }
        h->scale[i] = all > 0 ? 1 / sqrt(all) : 1;
    }
    /* Cholesky of H scaled to a diagonal of ones, with ever more added to it */
    for (double lift = 1e-15; !done && !s->failed && !hsp__stopped(s->ctx); lift *= 100) {
        memset(h->factor, 0, side * side * sizeof *h->factor);
        for (size_t i = 0; i < dim; i++) {
            for (size_t j = 0; j < i; j++)
                h->factor[i * side + j] = factor * h->g[i * side + j] * h->scale[i] * h->scale[j];
            h->factor[i * side + i] = 1 + lift;
        }
        done = hsp__matrix_cholesky(s->ctx, h->factor, dim, h->scratch) || lift >= 1;
    }
}

void hsp__hessian_solve(const hsp__newton *s, double *x)
{
    const hsp__hessian *h = s->hessian;
    const size_t dim = s->dim;
    for (size_t i = 0; i < dim; i++)
        x[i] *= h->scale[i];
    hsp__matrix_solve(h->factor, dim, x);
    for (size_t i = 0; i < dim; i++)
        x[i] *= h->scale[i];
}

static void newton_hessian_direct(hsp__newton *s, double *x)
{
    hsp__hessian *h = s->hessian;
    hsp__hessian_factor(s);
    hsp__hessian_solve(s, x);
    if (h->alone || !newton_hessian_lends(s)) return;
    h->own = 1;
    h->lent = h->factor;
    h->products = 0;
}

/* ---- Many columns ---------------------------------------------------------------------------- */

/* out = H x, or with x NULL H's diagonal. */
typedef struct newton_hessian_times {
    hsp__newton *s;
    const double *x;
    double *out;
} newton_hessian_times;

static void newton_hessian_times_rows(const newton_hessian_times *work, uint64_t from, uint64_t to,
                                      double *sum)
{
    const hsp__newton *s = work->s;
    const hsp_view *view = s->rows;
    const int offset = s->dim > s->d;
    for (uint64_t i = from; i < to; i++) {
        double a = hsp__newton_weight(s, i);
        hsp__paging_row(&s->ctx->allocator, i);
        if (a == 0) continue;
        const uint64_t place = i * s->row_step;
        if (work->x) a *= hsp__row_score(view, place, work->x, offset ? work->x[s->d] : 0);
        const hsp__row row = hsp__view_row(view, place);
        if (work->x || !row.values) { /* the squares of ones are ones */
            hsp__matvec_add_row(view, place, a, sum);
        } else {
            for (uint64_t k = 0; k < row.count; k++) {
                const double value = hsp__row_value(view, &row, k);
                sum[hsp__row_column(&row, k)] += a * value * value;
            }
        }
        if (offset) sum[s->d] += a;
    }
}

static void newton_hessian_times_part(void *user, uint64_t part)
{
    const newton_hessian_times *work = user;
    const hsp__newton *s = work->s;
    double *sum = s->sums + part * s->dim;
    memset(sum, 0, s->dim * sizeof *sum);
    newton_hessian_times_rows(work, hsp__part(s->n, s->parts, part),
                              hsp__part(s->n, s->parts, part + 1), sum);
}

static void newton_hessian_times_block(void *user, uint32_t block, uint64_t from, uint64_t to,
                                       double *sum)
{
    (void)block;
    newton_hessian_times_rows(user, from, to, sum);
}

static void newton_hessian_sum_part(void *user, uint64_t part)
{
    const newton_hessian_times *work = user;
    const hsp__newton *s = work->s;
    const uint64_t from = part * HSP__NEWTON_COLUMNS;
    const uint64_t to = s->dim - from < HSP__NEWTON_COLUMNS ? s->dim : from + HSP__NEWTON_COLUMNS;
    for (uint64_t j = from; j < to; j++)
        work->out[j] = (j < s->d ? s->ridge : s->offset_ridge) * (work->x ? work->x[j] : 1);
    for (uint64_t k = 0; k < s->parts; k++)
        hsp__vec()->axpy_f64(hsp__newton_factor(s), s->sums + k * s->dim + from, work->out + from,
                             (size_t)(to - from));
}

static void newton_hessian_product(hsp__newton *s, const double *x, double *out)
{
    newton_hessian_times work = {s, x, out};
    if (s->ctx->shard) hsp__newton_sum(s, s->dim, 1, newton_hessian_times_block, &work, s->sums);
    if (s->ctx->shard || hsp__tasks_try(s->ctx, s->parts, newton_hessian_times_part, &work))
        hsp__tasks_try(s->ctx, hsp__newton_column_parts(s), newton_hessian_sum_part, &work);
}

/* Conjugate gradients without the offset: it is coupled with all rows, and would be the slowest
 * coordinate. H = (H_ww, h; h^T, c): with b = -<h, w> / c for every direction w, they see
 * H_ww - h h^T / c. x (zeros) and r (the right side) begin with the b that makes r_b 0, and the
 * diagonal becomes that of the smaller matrix. h is left in h->offset; returns c. */
static double newton_hessian_without_offset(hsp__newton *s, double *x, double *r)
{
    hsp__hessian *h = s->hessian;
    double *unit = h->direction, *wb = h->offset;
    memset(unit, 0, s->dim * sizeof *unit);
    unit[s->d] = 1;
    newton_hessian_product(s, unit, wb);
    s->passes++;
    const double bb = wb[s->d] > 0 ? wb[s->d] : 1; /* 0: no row has a weight, and so is wb */
    x[s->d] = r[s->d] / bb;
    hsp__vec()->axpy_f64(-x[s->d], wb, r, (size_t)s->d);
    r[s->d] = 0;
    for (size_t j = 0; j < s->d; j++) /* rounding must not take it below the penalty's part */
        h->diagonal[j] = fmax(h->diagonal[j] - wb[j] * wb[j] / bb, s->ridge);
    return bb;
}

/* The products that a direction may take with an old factor: putting all rows into a matrix takes about
 * as long. */
static uint64_t newton_hessian_patience(const hsp__newton *s)
{
    const uint64_t quarter = (uint64_t)s->places / 4;
    return quarter > NEWTON_HESSIAN_PATIENCE ? quarter : NEWTON_HESSIAN_PATIENCE;
}

/* x, the right side, becomes about H^-1 x. 0: it is far from that after as many products as may be. A
 * factor that stands in is of a matrix scaled to a diagonal of ones, and it is scaled to the diagonal
 * of H: a column that few rows have may be all but missing in a sample. */
static int newton_hessian_conjugate(hsp__newton *s, double accuracy, double *x)
{
    const hsp__vec_table *vec = hsp__vec();
    hsp__hessian *h = s->hessian;
    const size_t dim = s->dim;
    newton_hessian_product(s, NULL, h->diagonal);
    for (size_t j = 0; j < dim; j++)
        if (!(h->diagonal[j] > 0)) h->diagonal[j] = 1;
    assert(accuracy > 0 && accuracy < 1);
    double *r = h->residual, *p = h->direction, *q = h->product, *y = h->solved;
    memcpy(r, x, dim * sizeof *r);
    memset(x, 0, dim * sizeof *x);
    double rho = 0, first = 0, last = 0;
    const int own = s->dim > s->d && s->offset_ridge == 0 && !h->lent; /* b without a penalty */
    const double bb = own ? newton_hessian_without_offset(s, x, r) : 1, *wb = h->offset;
    const uint64_t most = s->goal->max_passes;
    const uint64_t patience = h->lent ? newton_hessian_patience(s) : NEWTON_HESSIAN_STEPS;
    for (uint64_t step = 0; step < patience; step++, h->products = step) {
        for (size_t j = 0; j < dim; j++) /* precondition */
            y[j] = r[j] / (h->lent ? sqrt(h->diagonal[j]) : h->diagonal[j]);
        if (h->lent) hsp__matrix_solve(h->lent, dim, y);
        for (size_t j = 0; h->lent && j < dim; j++)
            y[j] /= sqrt(h->diagonal[j]);
        const double next = vec->dot_f64(r, y, dim);
        if (step == 0) first = next;
        last = next;
        if (!(next > first * accuracy * accuracy) || !isfinite(next)) return 1;
        for (size_t j = 0; j < dim; j++)
            p[j] = step == 0 ? y[j] : y[j] + next / rho * p[j];
        if (own) p[s->d] = -vec->dot_f64(wb, p, (size_t)s->d) / bb;
        rho = next;
        newton_hessian_product(s, p, q);
        s->passes++;
        if (hsp__tick_together(s->ctx) || s->failed)
            return 1; /* the caller asks for the stop itself */
        if (most && s->passes >= most) return 1;
        const double curve = vec->dot_f64(p, q, dim);
        if (!(curve > 0)) return 0;
        if (own) q[s->d] = 0; /* but for rounding, it is */
        vec->axpy_f64(rho / curve, p, x, dim);
        vec->axpy_f64(-rho / curve, q, r, dim);
    }
    return last <= first * NEWTON_HESSIAN_USE * NEWTON_HESSIAN_USE;
}

static hsp_status newton_hessian_new_direct(hsp__newton *s, hsp__hessian *h, hsp_error *err)
{
    h->side = hsp__matrix_side((size_t)s->dim);
    const uint64_t cells = (uint64_t)h->side * h->side;
    const int divided = s->ctx->shard != NULL;
    h->most = divided ? 1 : newton_hessian_parts(s, s->n, NEWTON_HESSIAN_PARTS);
    const uint64_t share = hsp_view_stored(s->p->view) * 8 / NEWTON_HESSIAN_SHARE;
    const uint64_t bytes = share > NEWTON_HESSIAN_BYTES ? share : NEWTON_HESSIAN_BYTES;
    while (h->most > 1 && (h->most - 1) * cells * sizeof(double) > bytes)
        h->most--;
    assert(h->most > 0 && h->side >= s->dim);
    h->each = hsp__matrix_scratch((size_t)s->dim) + HSP__MATRIX_BLOCK * (s->dim + 1);
    hsp__scratch *scratch = &s->scratch;
    h->g = hsp__scratch_new(scratch, cells, sizeof *h->g);
    h->scratch = hsp__scratch_raw(scratch, h->most * h->each, sizeof *h->scratch);
    if (s->curved && !divided) h->inside = hsp__scratch_new(scratch, s->n, sizeof *h->inside);
    h->scale = hsp__scratch_raw(scratch, s->dim, sizeof *h->scale);
    if (h->most > 1) h->sums = hsp__scratch_raw(scratch, (h->most - 1) * cells, sizeof *h->sums);
    if (s->by_matrix) {
        h->q = hsp__scratch_new(scratch, s->dim, sizeof *h->q);
        h->q_sums = hsp__scratch_raw(scratch, (h->most - 1) * s->dim, sizeof *h->q_sums);
    }
    /* may be lent to another run, and outlives this one then */
    h->factor = hsp__new_raw(&s->ctx->allocator, cells, sizeof *h->factor);
    if (!h->factor || scratch->failed) return hsp__fail_memory(err);
    const hsp_view *view = s->p->view;
    /* bits: a pair of columns takes 36 instructions a block of rows; a pair of places of a row 5 */
    const double places = s->places;
    const double by_bits = 36 * (double)view->cols * (double)view->cols / BITS_ROWS;
    if (!divided && !s->p->row_weight && s->curved && s->n >= NEWTON_HESSIAN_BITS &&
        view->storage == HSP_ONES && 2 * by_bits < 5 * places * places) {
        h->bits = hsp__scratch_new(scratch, h->most, sizeof *h->bits);
        for (uint64_t part = 0; h->bits && part < h->most; part++) {
            if (part > s->n / NEWTON_HESSIAN_BITS_PART) break;
            newton_bits *bits = &h->bits[part];
            bits->lines = hsp__scratch_new(scratch, s->d * BITS_WORDS, sizeof *bits->lines);
            bits->counts = hsp__scratch_raw(scratch, s->d, sizeof *bits->counts);
        }
    }
    h->widen = view->storage != HSP_DENSE && s->dim > NEWTON_HESSIAN_SMALL &&
               NEWTON_HESSIAN_WIDEN * places >= (double)s->dim;
    if (!divided && !h->widen && places >= NEWTON_HESSIAN_SHORT &&
        newton_batch_pays(s->ctx, view)) {
        h->batches = hsp__scratch_new(scratch, h->most, sizeof *h->batches);
        for (uint64_t part = 0; h->batches && part < h->most; part++) {
            newton_batch *batch = &h->batches[part];
            const uint64_t numbers = BATCH_ROWS * (batch->side = h->side);
            batch->weighted = hsp__scratch_raw(scratch, numbers, sizeof *batch->weighted);
            batch->plain = hsp__scratch_raw(scratch, numbers, sizeof *batch->plain);
            batch->has = hsp__scratch_new(scratch, h->side / HSP__VEC_OUTER, sizeof *batch->has);
        }
    }
    return scratch->failed ? hsp__fail_memory(err) : HSP_OK;
}

/* ---- The direction --------------------------------------------------------------------------- */

/* The factor of the matrix where we are takes the place of an old one; without memory for it, 0. */
static int newton_hessian_renew(hsp__newton *s)
{
    hsp__hessian *h = s->hessian;
    if (!h->direct && hsp__shard_agree(s->ctx, newton_hessian_new_direct(s, h, NULL), NULL)) {
        s->scratch.failed = 0;
        return 0;
    }
    h->direct = 1;
    h->own = 0;
    h->lent = NULL;
    memcpy(s->delta, h->down, s->dim * sizeof *h->down);
    newton_hessian_direct(s, s->delta);
    return 1;
}

void hsp__hessian_direction(hsp__newton *s, double accuracy, double *decrement)
{
    hsp__hessian *h = s->hessian;
    double *down = h->down;
    const int old = h->lent && NEWTON_HESSIAN_OLD * h->products > newton_hessian_patience(s);
    for (uint64_t j = 0; j < s->dim; j++)
        down[j] = s->u[j] - (j < s->d ? s->ridge : s->offset_ridge) * s->w[j];
    memcpy(s->delta, down, s->dim * sizeof *down);
    if (h->direct && !h->lent) {
        newton_hessian_direct(s, s->delta);
    } else if (!old || !newton_hessian_renew(s)) {
        const int unused = h->own && !h->products;
        if (!newton_hessian_conjugate(s, accuracy, s->delta) && h->lent) {
            /* The factor does not serve (large C: weights that differ by orders of magnitude from
             * those it was made of); where not even the next step's does, none will. */
            h->alone = unused;
            newton_hessian_renew(s);
        }
    }
    *decrement = hsp__vec()->dot_f64(down, s->delta, (size_t)s->dim);
}

const double *hsp__hessian_diagonal(const hsp__newton *s)
{
    assert(!s->hessian->direct);
    return s->hessian->diagonal;
}

/* ---- Checkpoints ------------------------------------------------------------------------------ */

void hsp__hessian_state(hsp__state *state, hsp__newton *s)
{
    enum { NONE, OWN, LENT };
    hsp__hessian *h = s->hessian;
    uint8_t direct = h->direct != 0, stands_in = h->own ? OWN : h->lent ? LENT : NONE;
    HSP__STATE(state, direct);
    HSP__STATE(state, stands_in);
    if (state->loading) {
        hsp__state_expect(state, (direct || !h->direct) && stands_in <= LENT &&
                                     (stands_in != LENT || h->lent) &&
                                     (stands_in != OWN || direct));
        if (!state->bad && direct && !h->direct)
            state->failed |= newton_hessian_new_direct(s, h, NULL) != HSP_OK;
        if (state->bad || state->failed) return;
        h->direct = direct;
        h->own = stands_in == OWN;
        if (stands_in != LENT) h->lent = stands_in == OWN ? h->factor : NULL;
    }
    HSP__STATE(state, h->alone);
    HSP__STATE(state, h->products);
    if (h->diagonal) hsp__state_bytes(state, h->diagonal, s->dim * sizeof *h->diagonal);
    if (!direct) return;
    const uint64_t cells = (uint64_t)h->side * h->side;
    HSP__STATE(state, h->peak);
    hsp__state_bytes(state, h->g, cells * sizeof *h->g);
    if (h->inside) hsp__state_rows(state, h->inside, s->n, sizeof *h->inside);
    if (h->q) hsp__state_bytes(state, h->q, s->dim * sizeof *h->q);
    if (h->own) hsp__state_bytes(state, h->factor, cells * sizeof *h->factor);
}

/* ---- Memory ---------------------------------------------------------------------------------- */

int hsp__hessian_is_direct(uint64_t dim)
{
    return dim <= NEWTON_HESSIAN_COLS;
}

void hsp__hessian_free(hsp__newton *s)
{
    if (s->hessian) hsp__free(&s->ctx->allocator, s->hessian->factor);
    s->hessian = NULL;
}

double *hsp__hessian_lend(hsp__newton *s)
{
    hsp__hessian *h = s->hessian;
    if (!h->own) return NULL;
    double *factor = h->factor;
    h->factor = NULL;
    return factor;
}

hsp_status hsp__hessian_new(hsp__newton *s, const double *lent, hsp_error *err)
{
    hsp__hessian *h = s->hessian = hsp__scratch_new(&s->scratch, 1, sizeof *h);
    if (!h) return hsp__fail_memory(err);
    h->lent = lent;
    h->direct = hsp__hessian_is_direct(s->dim) && !h->lent;
    h->down = hsp__scratch_raw(&s->scratch, s->dim, sizeof *h->down);
    if (h->direct) HSP__TRY(newton_hessian_new_direct(s, h, err));
    if (h->direct && !newton_hessian_lends(s)) return HSP_OK;
    double **all[] = {&h->diagonal, &h->residual, &h->direction, &h->product, &h->solved};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        *all[i] = hsp__scratch_raw(&s->scratch, s->dim, sizeof **all[i]);
    if (s->p->offset == HSP__OFFSET_FREE)
        h->offset = hsp__scratch_raw(&s->scratch, s->dim, sizeof *h->offset);
    return s->scratch.failed ? hsp__fail_memory(err) : HSP_OK;
}
