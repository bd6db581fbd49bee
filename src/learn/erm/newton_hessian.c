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
 * within (1 +- sqrt(1 / m))^2 or so, and a handful of products will do. */
#include <assert.h>
#include <math.h>
#include <string.h>

#include "base/context.h"
#include "base/error.h"
#include "base/memory.h"
#include "base/threads.h"
#include "learn/erm/newton_bits.h"
#include "learn/erm/newton_blocks.h"
#include "learn/erm/newton_hessian.h"
#include "learn/erm/matvec.h"
#include "model/model.h"
#include "vec/matrix.h"
#include "vec/vec.h"

enum {
    NEWTON_HESSIAN_COLS = 2400,      /* most columns, with the offset, for a matrix */
    NEWTON_HESSIAN_SMALL = 24,       /* up to which rows are added one by one */
    NEWTON_HESSIAN_SHORT = 32,       /* places of a sparse row, likewise */
    NEWTON_HESSIAN_BITS = 1024,      /* rows that are worth gathering as bits, */
    NEWTON_HESSIAN_BITS_PART = 5000, /* that are worth a matrix of their own, */
    NEWTON_HESSIAN_LIST = 512,       /* and are listed at a time */
    NEWTON_HESSIAN_WORTH = 8,        /* additions to a matrix for each that summing it takes, */
    NEWTON_HESSIAN_WORTH_BATCH = 64, /* and in batches, which are faster */
    NEWTON_HESSIAN_PARTS = 8,        /* matrices that are summed */
    NEWTON_HESSIAN_STEPS = 2000,     /* of conjugate gradients */
    NEWTON_HESSIAN_PATIENCE =
        16, /* products that a direction may take with another's factor, at least */
    NEWTON_HESSIAN_LEND = 32,     /* places of a row from which on a sample's matrix is lent, */
    NEWTON_HESSIAN_LEND_ROWS = 4, /* if it has this many rows per column */
};
#define NEWTON_HESSIAN_BYTES ((uint64_t)2 << 20) /* for the matrices that are summed, or */
#define NEWTON_HESSIAN_SHARE 8                   /* one part in this many of what the rows take */
#define NEWTON_HESSIAN_TICK  64                  /* rows between two ticks */

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
    double *q;                   /* by_matrix: dim, sum of c y x over the rows in g; else NULL */
    double *q_sums;              /* by_matrix: (most - 1) * dim */
    hsp__newton_batch **batches; /* most; NULL: the places of rows are few or scattered */
    hsp__newton_bits **bits;     /* most; NULL: rows are not ones, or columns are too many */
    int by_bits;                 /* now */
    unsigned char *inside; /* n: which rows are in g; NULL: g is computed from scratch each time */
    double *scale;         /* dim: 1 / sqrt of H's diagonal */
    int alone;             /* no factor but that of the very matrix will do */
    hsp__hessian_lent own; /* factor once more, when it stands in for later ones */
    const hsp__hessian_lent *lent; /* or NULL */
    /* Many columns, or that: vectors of dim. */
    double *diagonal, *residual, *direction, *product, *solved;
};

/* ---- Adding rows to a matrix ----------------------------------------------------------------- */

typedef struct newton_hessian_block {
    double *g, *scratch;
    double *rows;   /* HSP__MATRIX_BLOCK * dim: rows as double, with their 1 */
    double *weight; /* HSP__MATRIX_BLOCK */
    size_t count;
    hsp__newton_batch *batch; /* NULL: rows are not such */
} newton_hessian_block;

static void newton_hessian_flush(const hsp__newton *s, newton_hessian_block *block)
{
    if (block->count)
        hsp__matrix_update(block->g, s->dim, block->rows, s->dim, block->weight, block->count,
                           block->scratch);
    block->count = 0;
    if (block->batch) hsp__newton_batch_flush(block->batch, block->g);
}

static void newton_hessian_widen(const hsp__newton *s, const hsp__row *row, double *out)
{
    const hsp_view *view = s->p->view;
    if (view->precision == HSP_FLOAT64)
        memcpy(out, row->values, s->d * sizeof *out);
    else
        for (uint64_t j = 0; j < s->d; j++)
            out[j] = (double)((const float *)row->values)[j];
    if (s->dim > s->d) out[s->d] = 1;
}

static void newton_hessian_add_dense(const hsp__newton *s, const hsp__row *row, double weight,
                                     newton_hessian_block *block)
{
    const size_t dim = s->dim, side = s->hessian->side;
    if (dim > NEWTON_HESSIAN_SMALL) {
        newton_hessian_widen(s, row, block->rows + block->count * dim);
        block->weight[block->count++] = weight;
        if (block->count == HSP__MATRIX_BLOCK) newton_hessian_flush(s, block);
        return;
    }
    double x[NEWTON_HESSIAN_SMALL] = {0};
    newton_hessian_widen(s, row, x);
    for (size_t i = 0; i < dim; i++)
        for (size_t j = 0; j <= i; j++)
            block->g[i * side + j] += weight * x[i] * x[j];
}

static void newton_hessian_add_ones(const hsp__newton *s, const hsp__row *row, double weight,
                                    double *g)
{
    const size_t side = s->hessian->side, count = (size_t)row->count;
    const uint32_t *at = row->indices;
    for (size_t i = 0; i < count; i++) {
        double *line = g + at[i] * side;
        for (size_t j = 0; j <= i; j++)
            line[at[j]] += weight;
    }
}

/* A row so short that calls for its lines would cost more than its products. */
static void newton_hessian_add_short(const hsp__newton *s, const hsp__row *row, double weight,
                                     double *g)
{
    const size_t side = s->hessian->side, count = (size_t)row->count;
    const uint32_t *at = row->indices;
    double x[NEWTON_HESSIAN_SHORT];
    for (size_t i = 0; i < count; i++)
        x[i] = hsp__row_value(s->p->view, row, i);
    for (size_t i = 0; i < count; i++) {
        double *line = g + at[i] * side;
        const double a = weight * x[i];
        for (size_t j = 0; j <= i; j++)
            line[at[j]] += a * x[j];
    }
}

static void newton_hessian_add_sparse(const hsp__newton *s, const hsp__row *row, double weight,
                                      newton_hessian_block *block)
{
    const hsp__vec_table *vec = hsp__vec();
    const size_t side = s->hessian->side, count = (size_t)row->count;
    const int single = s->p->view->precision == HSP_FLOAT32;
    if (count <= NEWTON_HESSIAN_SHORT) {
        newton_hessian_add_short(s, row, weight, block->g);
        return;
    }
    for (size_t i = 0; i < count; i++) {
        double *line = block->g + row->indices[i] * side;
        const double a = weight * hsp__row_value(s->p->view, row, i);
        if (single)
            vec->sparse_axpy_f32f64(a, row->indices, row->values, i + 1, line);
        else
            vec->sparse_axpy_f64(a, row->indices, row->values, i + 1, line);
    }
}

static void newton_hessian_add(const hsp__newton *s, uint64_t i, double weight,
                               newton_hessian_block *block)
{
    const uint64_t at = i * s->stride;
    const hsp__row row = hsp__view_row(s->p->view, at);
    if (!row.indices) {
        newton_hessian_add_dense(s, &row, weight, block);
        return;
    }
    if (block->batch) {
        if (hsp__newton_batch_add(block->batch, s, &row, weight))
            hsp__newton_batch_flush(block->batch, block->g);
        return;
    }
    if (row.values)
        newton_hessian_add_sparse(s, &row, weight, block);
    else
        newton_hessian_add_ones(s, &row, weight, block->g);
    if (s->dim > s->d) {
        double *line = block->g + s->d * s->hessian->side;
        hsp__matvec_add_row(s->p->view, at, weight, line);
        line[s->d] += weight;
    }
}

/* Add the row to q, too. */
static void newton_hessian_add_to(const hsp__newton *s, uint64_t i, double weight, double turn,
                                  newton_hessian_block *block, double *q)
{
    newton_hessian_add(s, i, weight, block);
    if (!q) return;
    hsp__matvec_add_row(s->p->view, i * s->stride, turn, q);
    if (s->dim > s->d) q[s->d] += turn;
}

/* Rows that came in (in = 1) or went out, of one class: they all weigh the same. Which rows those
 * are is as good as random, so they are listed without a branch. */
static void newton_hessian_group_by_bits(const hsp__newton *s, uint64_t from, uint64_t to, int in,
                                         int positive, hsp__newton_bits *bits, double *g, double *q)
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
            list[count] = i * s->stride;
            count += (size_t)((s->curved[i] == in) & (h->inside[i] != in) &
                              (hsp__problem_positive(p, i * s->stride) == positive));
        }
        for (size_t k = 0; k < count; k++) {
            const hsp__row row = hsp__view_row(p->view, list[k]);
            if (hsp__newton_bits_add(bits, &row))
                hsp__newton_bits_flush(bits, s, weight, turn, g, h->side, q);
        }
    }
    hsp__newton_bits_flush(bits, s, weight, turn, g, h->side, q);
}

static void newton_hessian_rows_by_bits(const hsp__newton *s, uint64_t from, uint64_t to,
                                        hsp__newton_bits *bits, double *g, double *q)
{
    hsp__hessian *h = s->hessian;
    for (int in = h->peak == 0; in < 2; in++) /* from scratch: nothing goes out */
        for (int positive = 0; positive < 2; positive++)
            newton_hessian_group_by_bits(s, from, to, in, positive, bits, g, q);
    memcpy(h->inside + from, s->curved + from, to - from);
}

static void newton_hessian_rows(const hsp__newton *s, uint64_t from, uint64_t to,
                                newton_hessian_block *block, double *q)
{
    hsp__hessian *h = s->hessian;
    for (uint64_t i = from; i < to; i++) {
        if (i % NEWTON_HESSIAN_TICK == 0 && hsp__tick(s->ctx)) return;
        if (!h->inside) {
            newton_hessian_add(s, i, hsp__newton_weight(s, i), block);
        } else if (s->curved[i] != h->inside[i]) {
            const double cost = hsp__newton_cost(s, i), c = fabs(cost);
            newton_hessian_add_to(s, i, s->curved[i] ? c : -c, s->curved[i] ? cost : -cost, block,
                                  q);
            h->inside[i] = s->curved[i];
        }
    }
    newton_hessian_flush(s, block);
}

static void newton_hessian_part(void *user, uint64_t part)
{
    const hsp__newton *s = user;
    hsp__hessian *h = s->hessian;
    const size_t cells = h->side * h->side;
    const uint64_t from = hsp__part(s->n, h->parts, part), to = hsp__part(s->n, h->parts, part + 1);
    double *q = part ? h->q_sums + (part - 1) * s->dim : h->q;
    newton_hessian_block block = {.g = part ? h->sums + (part - 1) * cells : h->g};
    if (!h->q) q = NULL;
    if (part) memset(block.g, 0, cells * sizeof *block.g);
    if (part && q) memset(q, 0, s->dim * sizeof *q);
    if (h->by_bits) {
        newton_hessian_rows_by_bits(s, from, to, h->bits[part], block.g, q);
        return;
    }
    block.rows = h->scratch + part * h->each;
    block.weight = block.rows + HSP__MATRIX_BLOCK * s->dim;
    block.scratch = block.weight + HSP__MATRIX_BLOCK;
    block.batch = h->batches ? h->batches[part] : NULL;
    newton_hessian_rows(s, from, to, &block, q);
}

/* ---- Few columns ----------------------------------------------------------------------------- */

/* How many matrices to sum for adding `rows` rows: as many as keep 8 processors busy, if the rows
 * are worth it. */
static uint64_t newton_hessian_parts(const hsp__newton *s, uint64_t rows, uint64_t most)
{
    const uint64_t cells = (uint64_t)s->hessian->side * s->hessian->side;
    const uint64_t stored = hsp_view_stored(s->p->view) / (s->p->view->rows + 1) + 2;
    const uint64_t worth = s->hessian->batches ? NEWTON_HESSIAN_WORTH_BATCH : NEWTON_HESSIAN_WORTH;
    const uint64_t parts = rows / (worth * cells / stored / stored + 256) + 1;
    return parts < most ? parts : most;
}

/* Bring g up to date. */
static void newton_hessian_update(hsp__newton *s)
{
    hsp__hessian *h = s->hessian;
    const size_t cells = h->side * h->side;
    assert(s->now.active <= s->n && s->now.turned <= s->n);
    if (!h->inside || h->peak == 0 || s->now.turned >= s->now.active ||
        s->now.active < h->peak / 4) {
        memset(h->g, 0, cells * sizeof *h->g);
        if (h->inside) memset(h->inside, 0, s->n);
        if (h->q) memset(h->q, 0, s->dim * sizeof *h->q);
        h->peak = 0;
    }
    const uint64_t rows = h->peak ? s->now.turned : s->now.active;
    h->by_bits = h->bits && rows >= NEWTON_HESSIAN_BITS;
    const uint64_t by_bits = rows / NEWTON_HESSIAN_BITS_PART + 1;
    h->parts = newton_hessian_parts(s, rows, h->by_bits && by_bits < h->most ? by_bits : h->most);
    if (!hsp__tasks_try(s->ctx, h->parts, newton_hessian_part, s)) return;
    for (uint64_t part = 0; part + 1 < h->parts; part++) {
        hsp__vec()->axpy_f64(1, h->sums + part * cells, h->g, cells);
        if (h->q) hsp__vec()->axpy_f64(1, h->q_sums + part * s->dim, h->q, (size_t)s->dim);
    }
    if (s->now.active > h->peak) h->peak = s->now.active;
    if (h->peak == 0) h->peak = 1;
}

/* Cholesky of H scaled to a diagonal of ones, with `lift` added to it. */
static int newton_hessian_factor(hsp__newton *s, double lift)
{
    hsp__hessian *h = s->hessian;
    const double factor = hsp__newton_factor(s);
    const size_t dim = s->dim, side = h->side;
    for (size_t i = 0; i < dim; i++) {
        const double own = i < s->d ? s->ridge : s->offset_ridge,
                     all = own + factor * h->g[i * side + i];
        h->scale[i] = all > 0 ? 1 / sqrt(all) : 1;
    }
    memset(h->factor, 0, side * side * sizeof *h->factor);
    for (size_t i = 0; i < dim; i++) {
        for (size_t j = 0; j < i; j++)
            h->factor[i * side + j] = factor * h->g[i * side + j] * h->scale[i] * h->scale[j];
        h->factor[i * side + i] = 1 + lift;
    }
    return hsp__matrix_cholesky(s->ctx, h->factor, dim, h->scratch);
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
    const hsp_view *view = s->p->view;
    return s->form == HSP__LOGISTIC && s->n >= NEWTON_HESSIAN_LEND_ROWS * s->dim &&
           hsp_view_stored(view) / (view->rows + 1) >= NEWTON_HESSIAN_LEND;
}

static void newton_hessian_direct(hsp__newton *s, double *x)
{
    hsp__hessian *h = s->hessian;
    if (!s->by_matrix) newton_hessian_update(s);
    for (double lift = 1e-15; !hsp__stopped(s->ctx) && !newton_hessian_factor(s, lift) && lift < 1;)
        lift *= 100;
    for (size_t i = 0; i < s->dim; i++)
        x[i] *= h->scale[i];
    hsp__matrix_solve(h->factor, s->dim, x);
    for (size_t i = 0; i < s->dim; i++)
        x[i] *= h->scale[i];
    if (h->alone || !newton_hessian_lends(s)) return;
    h->own.factor = h->factor;
    h->lent = &h->own;
}

/* ---- Many columns ---------------------------------------------------------------------------- */

typedef struct newton_hessian_times {
    hsp__newton *s;
    const double *x; /* NULL: the diagonal is wanted */
} newton_hessian_times;

static void newton_hessian_square_row(const hsp_view *view, const hsp__row *row, double a,
                                      double *sum)
{
    for (uint64_t k = 0; k < row->count; k++) {
        const double value = hsp__row_value(view, row, k);
        sum[hsp__row_column(row, k)] += a * value * value;
    }
}

static void newton_hessian_times_part(void *user, uint64_t part)
{
    const newton_hessian_times *work = user;
    hsp__newton *s = work->s;
    const hsp_view *view = s->p->view;
    double *sum = s->sums + part * s->dim;
    memset(sum, 0, s->dim * sizeof *sum);
    const uint64_t to = hsp__part(s->n, s->parts, part + 1);
    const int offset = s->dim > s->d;
    for (uint64_t i = hsp__part(s->n, s->parts, part); i < to; i++) {
        double a = hsp__newton_weight(s, i);
        if (a == 0) continue;
        if (work->x) {
            a *= hsp__row_score(view, i * s->stride, work->x, offset ? work->x[s->d] : 0);
            hsp__matvec_add_row(view, i * s->stride, a, sum);
        } else {
            const hsp__row row = hsp__view_row(view, i * s->stride);
            newton_hessian_square_row(view, &row, a, sum);
        }
        if (offset) sum[s->d] += a;
    }
}

/* out = H x, or with x NULL H's diagonal. */
static void newton_hessian_product(hsp__newton *s, const double *x, double *out)
{
    const double factor = hsp__newton_factor(s);
    newton_hessian_times work = {s, x};
    if (!hsp__tasks_try(s->ctx, s->parts, newton_hessian_times_part, &work)) return;
    for (uint64_t j = 0; j < s->dim; j++)
        out[j] = (j < s->d ? s->ridge : s->offset_ridge) * (x ? x[j] : 1);
    for (uint64_t part = 0; part < s->parts; part++)
        hsp__vec()->axpy_f64(factor, s->sums + part * s->dim, out, (size_t)s->dim);
}

/* The factor is that of a matrix scaled to a diagonal of ones, and it is scaled to the diagonal of
 * H: a column that few rows have may be all but missing in the sample. */
static void newton_hessian_precondition(const hsp__newton *s, const double *r, double *y)
{
    const hsp__hessian *h = s->hessian;
    if (h->lent) {
        for (size_t j = 0; j < s->dim; j++)
            y[j] = r[j] / sqrt(h->diagonal[j]);
        hsp__matrix_solve(h->lent->factor, s->dim, y);
        for (size_t j = 0; j < s->dim; j++)
            y[j] /= sqrt(h->diagonal[j]);
    } else {
        for (size_t j = 0; j < s->dim; j++)
            y[j] = r[j] / h->diagonal[j];
    }
}

/* How many products a direction may take: with another's factor, as many as putting the rows into a
 * matrix of one's own would cost, about; then that is better. */
static uint64_t newton_hessian_patience(const hsp__newton *s)
{
    const uint64_t places = hsp_view_stored(s->p->view) / (s->p->view->rows + 1);
    if (!s->hessian->lent) return NEWTON_HESSIAN_STEPS;
    return places / 4 > NEWTON_HESSIAN_PATIENCE ? places / 4 : NEWTON_HESSIAN_PATIENCE;
}

/* x, the right side, becomes about H^-1 x. 0: that took too long. */
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
    double rho = 0, first = 0;
    const uint64_t patience = newton_hessian_patience(s), most = s->goal->max_passes;
    for (uint64_t step = 0; step < patience; step++) {
        newton_hessian_precondition(s, r, y);
        const double next = vec->dot_f64(r, y, dim);
        if (step == 0) first = next;
        if (!(next > first * accuracy * accuracy) || !isfinite(next)) return 1;
        for (size_t j = 0; j < dim; j++)
            p[j] = step == 0 ? y[j] : y[j] + next / rho * p[j];
        rho = next;
        newton_hessian_product(s, p, q);
        s->passes++;
        if (hsp__tick(s->ctx)) return 1; /* whoever asked for the direction will see the same */
        if (most && s->passes >= most) return 1;
        const double curve = vec->dot_f64(p, q, dim);
        if (!(curve > 0)) return 0;
        vec->axpy_f64(rho / curve, p, x, dim);
        vec->axpy_f64(-rho / curve, q, r, dim);
    }
    return 0;
}

static hsp_status newton_hessian_new_direct(hsp__newton *s, hsp__hessian *h, hsp_error *err);

/* The factor that was lent does not serve (large C: weights that differ by orders of magnitude from
 * those it was made of). 0: there is no memory for another; it must. */
static int newton_hessian_stand_alone(hsp__newton *s)
{
    hsp__hessian *h = s->hessian;
    if (!h->lent) return 0;
    if (!h->direct && newton_hessian_new_direct(s, h, NULL)) {
        s->scratch.failed = 0;
        return 0;
    }
    h->direct = h->alone = 1;
    h->lent = NULL;
    h->own.factor = NULL;
    return 1;
}

/* ---- The direction --------------------------------------------------------------------------- */

void hsp__hessian_direction(hsp__newton *s, double accuracy, double *decrement)
{
    double *down = s->hessian->down;
    for (uint64_t j = 0; j < s->dim; j++)
        down[j] = s->u[j] - (j < s->d ? s->ridge : s->offset_ridge) * s->w[j];
    memcpy(s->delta, down, s->dim * sizeof *down);
    if (s->hessian->direct && !s->hessian->lent) {
        newton_hessian_direct(s, s->delta);
    } else if (!newton_hessian_conjugate(s, accuracy, s->delta) && newton_hessian_stand_alone(s)) {
        memcpy(s->delta, down, s->dim * sizeof *down);
        newton_hessian_direct(s, s->delta);
    }
    *decrement = hsp__vec()->dot_f64(down, s->delta, (size_t)s->dim);
}

/* ---- Memory ---------------------------------------------------------------------------------- */

static hsp_status newton_hessian_new_bits(hsp__newton *s, hsp__hessian *h, hsp_error *err)
{
    if (s->p->row_weight || !s->curved || s->n < NEWTON_HESSIAN_BITS ||
        !hsp__newton_bits_pay(s->p->view))
        return HSP_OK;
    h->bits = hsp__scratch_new(&s->scratch, h->most, sizeof *h->bits);
    for (uint64_t part = 0; h->bits && part < h->most && part <= s->n / NEWTON_HESSIAN_BITS_PART;
         part++)
        if (!(h->bits[part] = hsp__newton_bits_new(&s->scratch, s->d)))
            return hsp__fail_memory(err);
    return h->bits ? HSP_OK : hsp__fail_memory(err);
}

static hsp_status newton_hessian_new_batches(hsp__newton *s, hsp__hessian *h, hsp_error *err)
{
    const hsp_view *view = s->p->view;
    if (hsp_view_stored(view) / (view->rows + 1) < NEWTON_HESSIAN_SHORT ||
        !hsp__newton_batch_pays(view))
        return HSP_OK;
    h->batches = hsp__scratch_new(&s->scratch, h->most, sizeof *h->batches);
    for (uint64_t part = 0; h->batches && part < h->most; part++)
        if (!(h->batches[part] = hsp__newton_batch_new(&s->scratch, h->side)))
            return hsp__fail_memory(err);
    return h->batches ? HSP_OK : hsp__fail_memory(err);
}

static hsp_status newton_hessian_new_direct(hsp__newton *s, hsp__hessian *h, hsp_error *err)
{
    h->side = hsp__matrix_side((size_t)s->dim);
    const uint64_t cells = (uint64_t)h->side * h->side;
    h->most = newton_hessian_parts(s, s->n, NEWTON_HESSIAN_PARTS);
    const uint64_t share = hsp_view_stored(s->p->view) * 8 / NEWTON_HESSIAN_SHARE;
    const uint64_t bytes = share > NEWTON_HESSIAN_BYTES ? share : NEWTON_HESSIAN_BYTES;
    while (h->most > 1 && (h->most - 1) * cells * sizeof(double) > bytes)
        h->most--;
    assert(h->most > 0 && h->side >= s->dim);
    h->each = hsp__matrix_scratch((size_t)s->dim) + HSP__MATRIX_BLOCK * (s->dim + 1);
    hsp__scratch *scratch = &s->scratch;
    h->g = hsp__scratch_new(scratch, cells, sizeof *h->g);
    h->scratch = hsp__scratch_raw(scratch, h->most * h->each, sizeof *h->scratch);
    if (s->curved) h->inside = hsp__scratch_new(scratch, s->n, sizeof *h->inside);
    h->scale = hsp__scratch_raw(scratch, s->dim, sizeof *h->scale);
    if (h->most > 1) h->sums = hsp__scratch_raw(scratch, (h->most - 1) * cells, sizeof *h->sums);
    if (s->by_matrix) {
        h->q = hsp__scratch_new(scratch, s->dim, sizeof *h->q);
        h->q_sums = hsp__scratch_raw(scratch, (h->most - 1) * s->dim, sizeof *h->q_sums);
    }
    /* may be lent to another run, and outlives this one then */
    h->factor = hsp__new_raw(&s->ctx->allocator, cells, sizeof *h->factor);
    if (!h->factor || scratch->failed) return hsp__fail_memory(err);
    hsp_status status = newton_hessian_new_bits(s, h, err);
    return status ? status : newton_hessian_new_batches(s, h, err);
}

int hsp__hessian_is_direct(uint64_t dim)
{
    return dim <= NEWTON_HESSIAN_COLS;
}

void hsp__hessian_free(hsp__newton *s)
{
    if (s->hessian) hsp__free(&s->ctx->allocator, s->hessian->factor);
    s->hessian = NULL;
}

void hsp__hessian_lend(hsp__newton *s, hsp__hessian_lent *to)
{
    hsp__hessian *h = s->hessian;
    hsp__hessian_lent_free(s->ctx, to);
    if (!h->own.factor) return;
    assert(h->own.factor == h->factor);
    to->factor = h->own.factor;
    h->factor = NULL;
}

void hsp__hessian_lent_free(hsp_context *ctx, hsp__hessian_lent *lent)
{
    hsp__free(&ctx->allocator, lent->factor);
    lent->factor = NULL;
}

hsp_status hsp__hessian_new(hsp__newton *s, const hsp__hessian_lent *lent, hsp_error *err)
{
    hsp__hessian *h = s->hessian = hsp__scratch_new(&s->scratch, 1, sizeof *h);
    if (!h) return hsp__fail_memory(err);
    h->lent = lent && lent->factor ? lent : NULL;
    h->direct = hsp__hessian_is_direct(s->dim) && !h->lent;
    h->down = hsp__scratch_raw(&s->scratch, s->dim, sizeof *h->down);
    if (h->direct) {
        hsp_status status = newton_hessian_new_direct(s, h, err);
        if (status || !newton_hessian_lends(s)) return status;
    }
    double **all[] = {&h->diagonal, &h->residual, &h->direction, &h->product, &h->solved};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        *all[i] = hsp__scratch_raw(&s->scratch, s->dim, sizeof **all[i]);
    return s->scratch.failed ? hsp__fail_memory(err) : HSP_OK;
}
