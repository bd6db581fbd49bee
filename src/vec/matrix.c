#include "vec/matrix.h"

#include <float.h>
#include <math.h>
#include <string.h>

#include "base/stop.h"
#include "vec/vec.h"

enum { MATRIX_PANEL = HSP__VEC_TILE_COLS }; /* columns that Cholesky finishes at a time */

size_t hsp__matrix_side(size_t n)
{
    return (n + HSP__VEC_TILE_COLS - 1) / HSP__VEC_TILE_COLS * HSP__VEC_TILE_COLS;
}

size_t hsp__matrix_scratch(size_t n)
{
    return 2 * HSP__MATRIX_BLOCK * hsp__matrix_side(n);
}

/* ---- Rank updates ---------------------------------------------------------------------------- */

/* Where row k, element j of an update is: rows[k * down + j * right]. */
typedef struct matrix_source {
    const double *rows;
    size_t down, right, n, count;
    const double *weight; /* count, or NULL: all -1 */
} matrix_source;

/* Panels of `width` columns, each with its numbers row by row; the last is filled with zeros. */
static void matrix_panels(const matrix_source *from, size_t width, int weighted, double *out)
{
    for (size_t first = 0; first < from->n; first += width) {
        const size_t have = from->n - first < width ? from->n - first : width;
        for (size_t k = 0; k < from->count; k++, out += width) {
            const double *row = from->rows + k * from->down + first * from->right;
            const double factor = !weighted ? 1 : from->weight ? from->weight[k] : -1;
            for (size_t j = 0; j < have; j++)
                out[j] = factor * row[j * from->right];
            for (size_t j = have; j < width; j++)
                out[j] = 0;
        }
    }
}

/* The lower triangle in tiles: those that touch it. */
static void matrix_tiles(double *g, size_t side, const matrix_source *from, double *scratch)
{
    const hsp__vec_table *vec = hsp__vec();
    const size_t rows = HSP__VEC_TILE_ROWS, cols = HSP__VEC_TILE_COLS, k = from->count;
    double *left = scratch, *right = scratch + hsp__matrix_side(from->n) * k;
    matrix_panels(from, rows, 0, left);
    matrix_panels(from, cols, 1, right);
    for (size_t j = 0; j < from->n; j += cols)
        for (size_t i = j; i < from->n; i += rows)
            vec->tile_f64(k, left + i * k, right + j * k, g + i * side + j, side);
}

void hsp__matrix_update(double *g, size_t n, const double *rows, size_t stride,
                        const double *weight, size_t count, double *scratch)
{
    const matrix_source from = {rows, stride, 1, n, count, weight};
    matrix_tiles(g, hsp__matrix_side(n), &from, scratch);
}

/* ---- Cholesky -------------------------------------------------------------------------------- */

/* The diagonal block of a panel: count columns from g, in place. inverse[j] = 1 / L_jj. */
static int matrix_corner(double *g, size_t side, size_t count, double *inverse)
{
    for (size_t i = 0; i < count; i++) {
        double *row = g + i * side;
        for (size_t j = 0; j <= i; j++) {
            const double *other = g + j * side;
            double sum = row[j];
            for (size_t k = 0; k < j; k++)
                sum -= row[k] * other[k];
            row[j] = j < i ? sum * inverse[j] : sum;
        }
        if (!(row[i] > 0) || !isfinite(row[i])) return 0;
        row[i] = sqrt(row[i]);
        inverse[i] = 1 / row[i];
    }
    return 1;
}

/* Columns first .. first + count - 1 of L, whose updates from the columns before were made. */
static int matrix_panel(double *g, size_t n, size_t side, size_t first, size_t count)
{
    enum { ROWS = HSP__VEC_TILE_ROWS };
    double *corner = g + first * side + first;
    double inverse[MATRIX_PANEL], x[MATRIX_PANEL * ROWS];
    if (!matrix_corner(corner, side, count, inverse)) return 0;
    for (size_t i = first + count; i < n; i += ROWS) {
        const size_t rows = n - i < ROWS ? n - i : ROWS;
        for (size_t r = 0; r < ROWS; r++)
            for (size_t j = 0; j < count; j++)
                x[j * ROWS + r] = r < rows ? g[(i + r) * side + first + j] : 0;
        hsp__vec()->solve_f64(count, corner, inverse, side, x);
        for (size_t r = 0; r < rows; r++)
            for (size_t j = 0; j < count; j++)
                g[(i + r) * side + first + j] = x[j * ROWS + r];
    }
    return 1;
}

int hsp__matrix_cholesky(hsp_context *ctx, double *g, size_t n, double *scratch)
{
    const size_t side = hsp__matrix_side(n);
    for (size_t first = 0; first < n; first += MATRIX_PANEL) {
        const size_t count = n - first < MATRIX_PANEL ? n - first : MATRIX_PANEL;
        if (hsp__tick(ctx)) return 0;
        if (!matrix_panel(g, n, side, first, count)) return 0;
        const size_t next = first + count;
        if (next == n) break;
        const matrix_source from = {g + next * side + first, 1, side, n - next, count, NULL};
        matrix_tiles(g + next * side + next, side, &from, scratch);
    }
    return 1;
}

void hsp__matrix_solve(const double *g, size_t n, double *x)
{
    const hsp__vec_table *vec = hsp__vec();
    const size_t side = hsp__matrix_side(n);
    for (size_t i = 0; i < n; i++)
        x[i] = (x[i] - vec->dot_f64(g + i * side, x, i)) / g[i * side + i];
    for (size_t i = n; i-- > 0;) {
        x[i] /= g[i * side + i];
        vec->axpy_f64(-x[i], g + i * side, x, i);
    }
}

/* ---- In single precision --------------------------------------------------------------------- */

size_t hsp__matrix_packed(size_t n)
{
    return n * (n + 1) / 2;
}

void hsp__matrix_pack(const double *g, size_t n, float *packed, double *lengths)
{
    const size_t side = hsp__matrix_side(n);
    for (size_t i = 0; i < n; i++) {
        const double *row = g + i * side;
        lengths[i] = sqrt(hsp__vec()->sqnorm_f64(row, i + 1));
        for (size_t j = 0; j <= i; j++)
            *packed++ = (float)(row[j] / lengths[i]);
        /* of a matrix that is all but singular, rounding may leave nothing */
        packed[-1] = fmaxf(packed[-1], FLT_EPSILON);
    }
}

void hsp__matrix_solve_packed(const float *packed, const double *lengths, size_t n, double *x)
{
    const hsp__vec_table *vec = hsp__vec();
    const float *row = packed;
    for (size_t i = 0; i < n; row += ++i)
        x[i] = (x[i] / lengths[i] - vec->dot_f32f64(row, x, i)) / (double)row[i];
    for (size_t i = n; i-- > 0;) {
        row -= i + 1;
        x[i] /= (double)row[i];
        vec->axpy_f32f64(-x[i], row, x, i);
        x[i] /= lengths[i];
    }
}
