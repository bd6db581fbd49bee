/* Matrices: the tile has the same bits in every table; updates, Cholesky and solving against plain
 * loops in long double. */
#include "base/stop.h"
#include "vec/matrix.h"

#include <math.h>

#include "base/random.h"
#include "check.h"
#include "vec/vec.h"

static hsp_context plain; /* nobody stops it */

static void fill(hsp__random *random, double *x, size_t count)
{
    for (size_t i = 0; i < count; i++)
        x[i] = hsp__random_normal(random);
}

static void tile_same_bits(void)
{
    static const char *const names[] = {"avx2", "avx512"};
    enum { K = 70, STRIDE = 31 };
    hsp__random random;
    hsp__random_seed(&random, 1, 1);
    double *a = malloc(K * 8 * sizeof *a), *b = malloc(K * 24 * sizeof *b);
    double c[8 * STRIDE], want[8 * STRIDE], got[8 * STRIDE];
    fill(&random, a, (size_t)K * 8);
    fill(&random, b, (size_t)K * 24);
    fill(&random, c, (size_t)8 * STRIDE);
    for (size_t k = 0; k <= K; k += k < 5 ? 1 : 13) {
        memcpy(want, c, sizeof c);
        hsp__vec_scalar.tile_f64(k, a, b, want, STRIDE);
        for (size_t i = 0; i < 8; i++) {
            for (size_t j = 0; j < STRIDE; j++) {
                long double sum = c[i * STRIDE + j];
                for (size_t l = 0; j < 24 && l < k; l++)
                    sum += (long double)a[l * 8 + i] * b[l * 24 + j];
                CHECK(fabsl(sum - want[i * STRIDE + j]) <= 1e-13L);
            }
        }
        for (int t = 0; t < 2; t++) {
            const hsp__vec_table *table = hsp__vec_table_by_name(names[t]);
            if (!table) continue;
            memcpy(got, c, sizeof c);
            table->tile_f64(k, a, b, got, STRIDE);
            CHECK_NOTE(memcmp(got, want, sizeof got) == 0, "%s, k = %d", names[t], (int)k);
        }
    }
    free(a);
    free(b);
}

/* The factor in single precision, with units of rows from 1e-30 to 1e30: nearly the same solution. */
static void check_packed(double *g, size_t n, const double *b, const double *x)
{
    const size_t side = hsp__matrix_side(n);
    float *packed = malloc(hsp__matrix_packed(n) * sizeof *packed);
    double *lengths = malloc(n * sizeof *lengths), *y = malloc(n * sizeof *y);
    for (size_t i = 0; i < n; i++) {
        const double unit = pow(10, (double)(i % 61) - 30);
        for (size_t j = 0; j <= i; j++)
            g[i * side + j] *= unit;
        y[i] = b[i] * unit;
    }
    hsp__matrix_pack(g, n, packed, lengths);
    hsp__matrix_solve_packed(packed, lengths, n, y);
    for (size_t i = 0; i < n; i++) {
        const double got = y[i] * pow(10, (double)(i % 61) - 30);
        CHECK_NOTE(fabs(got - x[i]) <= 1e-6, "order %d: %g not %g", (int)n, got, x[i]);
    }
    free(packed);
    free(lengths);
    free(y);
}

/* Rank updates of either sign, then L L^T, then a solution: all for one order. */
static void check_order(size_t n, hsp__random *random)
{
    const size_t side = hsp__matrix_side(n), count = HSP__MATRIX_BLOCK;
    double *g = calloc(side * side, sizeof *g), *rows = malloc(count * (n + 3) * sizeof *rows);
    double *scratch = malloc(hsp__matrix_scratch(n) * sizeof *scratch);
    double weight[HSP__MATRIX_BLOCK], *x = malloc(n * sizeof *x), *b = malloc(n * sizeof *b);
    long double *want = calloc(n * n, sizeof *want);
    for (size_t some = 1; some <= count; some += some == 1 ? 126 : 1) {
        fill(random, rows, count * (n + 3));
        for (size_t k = 0; k < some; k++)
            weight[k] = k % 5 == 4 ? -0.1 : (double)(k + 1) / 64;
        hsp__matrix_update(g, n, rows, n + 3, weight, some, scratch);
        for (size_t k = 0; k < some; k++)
            for (size_t i = 0; i < n; i++)
                for (size_t j = 0; j <= i; j++)
                    want[i * n + j] +=
                        (long double)weight[k] * rows[k * (n + 3) + i] * rows[k * (n + 3) + j];
    }
    for (size_t i = 0; i < n; i++) {
        g[i * side + i] += (double)n;
        want[i * n + i] += n;
        for (size_t j = 0; j <= i; j++) {
            CHECK(fabsl(g[i * side + j] - want[i * n + j]) <= 1e-11L);
            want[j * n + i] = want[i * n + j];
        }
    }
    CHECK(hsp__matrix_cholesky(&plain, g, n, scratch));
    fill(random, b, n);
    memcpy(x, b, n * sizeof *x);
    hsp__matrix_solve(g, n, x);
    for (size_t i = 0; i < n; i++) {
        long double sum = -(long double)b[i];
        for (size_t j = 0; j < n; j++)
            sum += want[i * n + j] * x[j];
        CHECK_NOTE(fabsl(sum) <= 1e-11L, "order %d: %Lg", (int)n, sum);
    }
    check_packed(g, n, b, x);
    free(g);
    free(rows);
    free(scratch);
    free(x);
    free(b);
    free(want);
}

static void orders(void)
{
    hsp__random random;
    hsp__random_seed(&random, 2, 2);
    for (size_t n = 1; n <= 150; n += n < 60 ? 1 : 17)
        check_order(n, &random);
}

static void not_positive(void)
{
    double g[24 * 24] = {0}, scratch[2 * 24 * HSP__MATRIX_BLOCK];
    g[0] = 1, g[24] = 2, g[25] = 3; /* 1 2; 2 3 */
    CHECK(!hsp__matrix_cholesky(&plain, g, 2, scratch));
    double zero[24 * 24] = {0};
    CHECK(!hsp__matrix_cholesky(&plain, zero, 3, scratch));
    zero[0] = (double)NAN;
    CHECK(!hsp__matrix_cholesky(&plain, zero, 1, scratch));
    CHECK(hsp__matrix_cholesky(&plain, zero, 0, scratch));
}

int main(void)
{
    RUN(tile_same_bits);
    RUN(orders);
    RUN(not_positive);
    return check_done();
}
