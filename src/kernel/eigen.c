/* A = Q T Q' with T tridiagonal (Householder), then the eigenvalues of T by counting.
 *
 * Reflectors: step k takes row k of what is left, x = (a_k,k+1 ... a_kn), to a multiple e_k of the
 * first unit vector by H = I - beta v v', v = x - e_k u_1, and applies H on both sides of the rest:
 *
 *     p = beta A v,   w = p - (beta / 2) (p'v) v,   A <- A - v w' - w v'.
 *
 * The update is put off: the next reflector needs one row of it only, so that updating a row and
 * multiplying it with the next v is one walk through memory, which is what this costs: n^3 / 3
 * numbers read and written, 2 n^3 operations. Rows are independent of one another, hence threads.
 *
 * Values: the number of eigenvalues of T below x is the number of negative pivots of T - x I
 * (Sylvester), so each is found by halving an interval, eight at a time because a pivot is a
 * division that waits for the one before it. No iteration can fail to converge, and the error is
 * that of T's own rounding (Kahan 1966; Demmel, Dhillon and Ren 1995: the counts are monotone in
 * floating point).
 *
 * The vector: inverse iteration on T - value I, factored with row exchanges, then through the
 * reflectors. */
#include "kernel/eigen.h"

#include <float.h>

#include "base/base.h"
#include "vec/vec.h"

enum { EIGEN_LANES = 8, EIGEN_HALVINGS = 64, EIGEN_ROUNDS = 4 };

typedef struct eigen {
    hsp_context *ctx;
    uint64_t n;
    double *a;             /* n * n; row k keeps v of step k from column k + 1 on */
    double *beta;          /* n */
    double *d, *e;         /* n: T's diagonal and subdiagonal (e[k] couples k and k + 1) */
    double *v, *w, *p;     /* n: the update that is put off, and the product */
    uint64_t step, parts;  /* at hand */
    double low, high;      /* all eigenvalues lie there */
    double *values;        /* n, ascending */
    const double *squares; /* n: e[k]^2 */
} eigen;

/* ---- To tridiagonal form --------------------------------------------------------------------- */

/* Some rows of the rest: the update that was put off, then the product with the new v. */
static void eigen_rows(void *user, uint64_t part)
{
    eigen *all = user;
    const hsp__vec_table *vec = hsp__vec();
    const uint64_t n = all->n, k = all->step, left = n - k - 1;
    const double *next = all->a + k * n + k + 1;
    const uint64_t to = k + 1 + hsp__part(left, all->parts, part + 1);
    for (uint64_t i = k + 1 + hsp__part(left, all->parts, part); i < to; i++) {
        double *row = all->a + i * n + k + 1;
        if (k) {
            vec->axpy_f64(-all->v[i], all->w + k + 1, row, left);
            vec->axpy_f64(-all->w[i], all->v + k + 1, row, left);
        }
        all->p[i] = vec->dot_f64(row, next, left);
    }
}

static void eigen_step(eigen *all, uint64_t k)
{
    const hsp__vec_table *vec = hsp__vec();
    const uint64_t n = all->n, left = n - k - 1;
    double *row = all->a + k * n;
    assert(k < n);
    if (k) { /* this row of the update is needed now */
        vec->axpy_f64(-all->v[k], all->w + k, row + k, n - k);
        vec->axpy_f64(-all->w[k], all->v + k, row + k, n - k);
    }
    all->d[k] = row[k];
    if (!left) return;
    /* the reflector, whose v stays in this row */
    double *x = row + k + 1;
    const double size = sqrt(vec->sqnorm_f64(x, left)), first = x[0];
    all->beta[k] = 0;
    all->e[k] = first;
    if (left > 1 && size > 0) {
        all->e[k] = first > 0 ? -size : size;
        x[0] = first - all->e[k]; /* no cancellation: they differ in sign */
        all->beta[k] = 1 / (size * (size + fabs(first)));
        assert(all->beta[k] > 0 && size >= fabs(first) * (1 - 4 * DBL_EPSILON));
    }
    all->step = k;
    all->parts = hsp__parts(left, left * sizeof(double));
    hsp__tasks_run(all->ctx, all->parts, eigen_rows, all);
    double *w = all->w + k + 1;
    memcpy(all->v + k + 1, x, left * sizeof *x);
    memcpy(w, all->p + k + 1, left * sizeof *w);
    if (all->beta[k] == 0) memset(all->v + k + 1, 0, left * sizeof *x);
    vec->scale_f64(all->beta[k], w, left);
    vec->axpy_f64(-all->beta[k] / 2 * vec->dot_f64(w, x, left), x, w, left);
}

/* ---- The values of T ------------------------------------------------------------------------- */

/* below[r] = eigenvalues of T smaller than x[r]. */
static void eigen_count(const eigen *all, const double *x, uint64_t *below)
{
    double pivot[EIGEN_LANES];
    uint64_t count[EIGEN_LANES] = {0};
    for (int r = 0; r < EIGEN_LANES; r++)
        pivot[r] = 1;
    for (uint64_t k = 0; k < all->n; k++) {
        const double d = all->d[k], square = k ? all->squares[k - 1] : 0;
        for (int r = 0; r < EIGEN_LANES; r++) {
            pivot[r] = (d - x[r]) - square / pivot[r];
            if (pivot[r] == 0) pivot[r] = -DBL_MIN; /* counts as below, and can be divided by */
            count[r] += pivot[r] < 0;
        }
    }
    memcpy(below, count, sizeof count);
}

/* Eight neighbours among the values. */
static void eigen_halve(void *user, uint64_t task)
{
    eigen *all = user;
    const uint64_t first = task * EIGEN_LANES;
    double low[EIGEN_LANES], high[EIGEN_LANES], middle[EIGEN_LANES];
    uint64_t below[EIGEN_LANES];
    for (int r = 0; r < EIGEN_LANES; r++)
        low[r] = all->low, high[r] = all->high;
    for (int turn = 0; turn < EIGEN_HALVINGS; turn++) {
        int moved = 0;
        for (int r = 0; r < EIGEN_LANES; r++) {
            middle[r] = low[r] + (high[r] - low[r]) / 2;
            moved |= middle[r] > low[r] && middle[r] < high[r];
        }
        if (!moved) break;
        eigen_count(all, middle, below);
        for (int r = 0; r < EIGEN_LANES; r++)
            if (below[r] > first + (uint64_t)r)
                high[r] = middle[r];
            else
                low[r] = middle[r];
    }
    assert(low[0] <= high[0] && first < all->n);
    for (uint64_t r = 0; r < EIGEN_LANES && first + r < all->n; r++)
        all->values[first + r] = low[r] + (high[r] - low[r]) / 2;
}

static void eigen_values(eigen *all)
{
    double *squares = all->p; /* free by now */
    double reach = 0;
    for (uint64_t k = 0; k < all->n; k++) {
        const double before = k ? fabs(all->e[k - 1]) : 0;
        const double behind = k + 1 < all->n ? fabs(all->e[k]) : 0;
        reach = fmax(reach, fabs(all->d[k]) + before + behind); /* Gershgorin */
        squares[k] = behind * behind;
    }
    all->squares = squares;
    all->high = reach * (1 + 4 * DBL_EPSILON) + DBL_MIN;
    all->low = -all->high;
    assert(all->low < all->high);
    hsp__tasks_try(all->ctx, (all->n + EIGEN_LANES - 1) / EIGEN_LANES, eigen_halve, all);
}

/* ---- One vector ------------------------------------------------------------------------------ */

/* Rows of T - value I after elimination: up to three entries; which came first; the factor. */
typedef struct eigen_row {
    double at, next, second, factor;
    int swapped;
} eigen_row;

static void eigen_eliminate(const eigen *all, double value, eigen_row *rows)
{
    const uint64_t n = all->n;
    const double least = DBL_EPSILON * all->high + DBL_MIN;
    double at = all->d[0] - value, next = n > 1 ? all->e[0] : 0;
    for (uint64_t k = 0; k + 1 < n; k++) {
        const double under = all->e[k], diagonal = all->d[k + 1] - value;
        const double behind = k + 2 < n ? all->e[k + 1] : 0;
        eigen_row *row = &rows[k];
        row->swapped = fabs(under) > fabs(at);
        if (row->swapped) {
            row->factor = at / under;
            *row = (eigen_row){under, diagonal, behind, row->factor, 1};
            at = next - row->factor * diagonal;
            next = -row->factor * behind;
        } else {
            if (fabs(at) < least) at = least; /* nearly singular: that is the point of it */
            *row = (eigen_row){at, next, 0, under / at, 0};
            at = diagonal - row->factor * next;
            next = behind;
        }
    }
    rows[n - 1] = (eigen_row){fabs(at) < least ? least : at, 0, 0, 0, 0};
}

static void eigen_unit(double *x, uint64_t n)
{
    const hsp__vec_table *vec = hsp__vec();
    const double most = vec->norminf_f64(x, n);
    vec->scale_f64(1 / most, x, n);
    vec->scale_f64(1 / sqrt(vec->sqnorm_f64(x, n)), x, n);
}

static void eigen_vector(const eigen *all, double value, eigen_row *rows, double *x)
{
    const hsp__vec_table *vec = hsp__vec();
    const uint64_t n = all->n;
    assert(n > 0);
    eigen_eliminate(all, value, rows);
    for (uint64_t k = 0; k < n; k++)
        x[k] = 1 + (double)(k * 7919 % 101) / 101; /* orthogonal to nothing in particular */
    eigen_unit(x, n);
    for (int round = 0; round < EIGEN_ROUNDS; round++) {
        for (uint64_t k = 0; k + 1 < n; k++) {
            const double upper = x[k];
            if (rows[k].swapped) x[k] = x[k + 1], x[k + 1] = upper;
            x[k + 1] -= rows[k].factor * x[k];
        }
        for (uint64_t k = n; k-- > 0;) {
            double sum = x[k];
            if (k + 1 < n) sum -= rows[k].next * x[k + 1];
            if (k + 2 < n) sum -= rows[k].second * x[k + 2];
            x[k] = sum / rows[k].at;
        }
        eigen_unit(x, n);
    }
    for (uint64_t k = n - 1; k-- > 0 && !hsp__tick(all->ctx);) {
        const double *v = all->a + k * n + k + 1;
        const uint64_t left = n - k - 1;
        if (all->beta[k] != 0)
            vec->axpy_f64(-all->beta[k] * vec->dot_f64(v, x + k + 1, left), v, x + k + 1, left);
    }
    eigen_unit(x, n);
}

/* ---- All of it ------------------------------------------------------------------------------- */

hsp_status hsp__eigen_symmetric(hsp_context *ctx, uint64_t n, double *a, hsp_error *err,
                                double *values, double *vector)
{
    const hsp_allocator *memory = &ctx->allocator;
    double most = 0;
    for (uint64_t i = 0; i < n && !hsp__tick(ctx); i++)
        most = fmax(most, hsp__vec()->norminf_f64(a + i * n, n));
    if (!(most > 0)) { /* zeros, or nothing at all */
        for (uint64_t k = 0; k < n; k++) {
            values[k] = 0;
            if (vector) vector[k] = k == 0;
        }
        return hsp__stop_status(ctx, err);
    }
    /* Elements of size 1 have squares that neither overflow nor vanish. */
    const int exponent = ilogb(most);
    eigen all = {.ctx = ctx, .n = n, .a = a, .values = values};
    double *block = hsp__new(memory, 6 * n, sizeof *block);
    eigen_row *rows = hsp__new_raw(memory, vector ? n : 0, sizeof *rows);
    hsp_status status = block && rows ? HSP_OK : hsp__fail_memory(err);
    if (!status) {
        all.beta = block, all.d = block + n, all.e = block + 2 * n;
        all.v = block + 3 * n, all.w = block + 4 * n, all.p = block + 5 * n;
    }
    for (uint64_t i = 0; !status && i < n && !hsp__tick(ctx); i++)
        for (uint64_t k = 0; k < n; k++)
            a[i * n + k] = scalbn(a[i * n + k], -exponent);
    for (uint64_t k = 0; !status && k < n; k++) {
        eigen_step(&all, k);
        if (k % 8 == 0) status = hsp__progress(ctx, "computing eigenvalues", "rows", k, n, err);
    }
    if (!status) {
        eigen_values(&all);
        if (vector) eigen_vector(&all, values[0], rows, vector);
        for (uint64_t k = 0; k < n; k++)
            values[k] = scalbn(values[k], exponent);
        status = hsp__stop_status(ctx, err);
    }
    hsp__free(memory, block);
    hsp__free(memory, rows);
    return status;
}
