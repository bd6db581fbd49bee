/* product: every table gives the bits of the stated order, whatever the block; exp: near the truth,
 * the same bits from every table; Gaussians, counts of shared places, what is not finite. */
#include "vec/product.h"

#include <math.h>
#include <stdint.h>

#include "../check.h"
#include "vec/vec.h"

static uint64_t rng_state = 88172645463325252u;

static double rng(void)
{
    rng_state ^= rng_state << 13;
    rng_state ^= rng_state >> 7;
    rng_state ^= rng_state << 17;
    return (double)(rng_state >> 11) * 0x1p-52 - 1;
}

enum { MOST = 70, DEEP = 1100 };

static float a32[MOST * DEEP], b32[MOST * DEEP], c32[MOST * MOST];
static double a64[MOST * DEEP], b64[MOST * DEEP], c64[MOST * MOST];

static void fill(void)
{
    for (size_t i = 0; i < MOST * (size_t)DEEP; i++) {
        a64[i] = rng(), b64[i] = rng();
        a32[i] = (float)a64[i], b32[i] = (float)b64[i];
    }
}

static float chain_f32(const float *a, const float *b, size_t depth)
{
    volatile float sum = 0;
    for (size_t k = 0; k < depth; k++) {
        volatile float product = a[k] * b[k];
        sum = sum + product;
    }
    return sum;
}

static double chain_f64(const double *a, const double *b, size_t depth)
{
    volatile double sum = 0;
    for (size_t k = 0; k < depth; k++) {
        volatile double product = a[k] * b[k];
        sum = sum + product;
    }
    return sum;
}

/* A and B of `depth` numbers a row, B packed from rows of `deeper` numbers, at most
 * HSP__PRODUCT_COLS at a time. */
static void multiply(size_t m, size_t n, size_t depth, size_t deeper)
{
    void *packed = aligned_alloc(64, (hsp__product_packed(deeper, 8) + 127) / 64 * 64);
    for (size_t j = 0; j < n; j += HSP__PRODUCT_COLS) {
        const size_t some = n - j < HSP__PRODUCT_COLS ? n - j : HSP__PRODUCT_COLS;
        hsp__product_pack_f32(some, deeper, b32 + j * DEEP, DEEP, packed);
        hsp__product_with_f32(m, some, depth, a32, DEEP, packed, deeper, c32 + j, MOST);
        hsp__product_pack_f64(some, deeper, b64 + j * DEEP, DEEP, packed);
        hsp__product_with_f64(m, some, depth, a64, DEEP, packed, deeper, c64 + j, MOST);
    }
    free(packed);
}

static void compare_packed(size_t m, size_t n, size_t depth, size_t deeper)
{
    uint64_t wrong = 0;
    for (size_t i = 0; i < MOST * MOST; i++)
        c32[i] = -7, c64[i] = -7;
    multiply(m, n, depth, deeper);
    for (size_t i = 0; i < MOST; i++)
        for (size_t j = 0; j < MOST; j++) {
            const int in = i < m && j < n;
            const float want32 = in ? chain_f32(a32 + i * DEEP, b32 + j * DEEP, depth) : -7;
            const double want64 = in ? chain_f64(a64 + i * DEEP, b64 + j * DEEP, depth) : -7;
            wrong += !(c32[i * MOST + j] == want32) + !(c64[i * MOST + j] == want64);
        }
    CHECK_NOTE(wrong == 0, "%zu x %zu x %zu: %llu wrong", m, n, depth, (unsigned long long)wrong);
}

static void compare(size_t m, size_t n, size_t depth)
{
    compare_packed(m, n, depth, depth);
    compare_packed(m, n, depth, depth + 600 < DEEP ? depth + 600 : DEEP);
}

static void test_product_is_the_stated_sum(void)
{
    fill();
    for (size_t m = 0; m < 15; m++)
        for (size_t n = 0; n < 70; n += n < 10 ? 1 : 7)
            compare(m, n, (m + n) % 5);
    compare(7, 65, 513);
    compare(70, 70, 1100);
    compare(33, 64, 512);
}

static void test_exp_is_near_the_truth(void)
{
    const char *const names[] = {"scalar", "avx2", "avx512"};
    for (size_t t = 0; t < 3; t++) {
        const hsp__vec_table *vec = hsp__vec_table_by_name(names[t]);
        if (!vec) continue;
        for (int turn = 0; turn < 20000; turn++) {
            double x[11], y[11], z[11];
            float xf[11], yf[11], zf[11];
            const size_t n = (size_t)turn % 12;
            for (size_t i = 0; i < n; i++) {
                x[i] = y[i] = z[i] = rng() * (turn % 3 ? 1 : 700);
                xf[i] = yf[i] = zf[i] = (float)(rng() * (turn % 3 ? 1 : 86));
            }
            vec->exp_f64(y, n), hsp__vec_scalar.exp_f64(z, n);
            vec->exp_f32(yf, n), hsp__vec_scalar.exp_f32(zf, n);
            for (size_t i = 0; i < n; i++) {
                CHECK(fabs(y[i] / exp(x[i]) - 1) <= 4e-16);
                CHECK(fabs((double)yf[i] / exp((double)xf[i]) - 1) <= 2e-7);
                CHECK(y[i] == z[i] && yf[i] == zf[i]);
            }
        }
    }
}

static const char *const tables[] = {"scalar", "avx2", "avx512"};

static void test_logistic_is_near_the_truth(void)
{
    for (size_t t = 0; t < 3; t++) {
        const hsp__vec_table *vec = hsp__vec_table_by_name(tables[t]);
        for (int turn = 0; vec && turn < 5000; turn++) {
            double m[11], got[3][11], want[3][11];
            const size_t n = (size_t)turn % 12;
            for (size_t i = 0; i < n; i++)
                m[i] = rng() * (turn % 3 ? 2 : 600);
            vec->logistic_f64(m, n, got[0], got[1], got[2]);
            hsp__vec_scalar.logistic_f64(m, n, want[0], NULL, want[2]);
            hsp__vec_scalar.logistic_f64(m, n, want[0], want[1], NULL);
            for (size_t i = 0; i < n; i++) {
                const double e = exp(-fabs(m[i])), slope = (m[i] > 0 ? e : 1) / (1 + e);
                CHECK(fabs(got[0][i] / slope - 1) <= 1e-15);
                CHECK(fabs(got[1][i] / (e / (1 + e) / (1 + e)) - 1) <= 2e-15);
                CHECK(fabs(got[2][i] / (fmax(-m[i], 0) + log1p(e)) - 1) <= 1e-15);
                for (size_t k = 0; k < 3; k++)
                    CHECK(got[k][i] == want[k][i]);
            }
        }
    }
    double m[] = {800, -800, (double)INFINITY, -(double)INFINITY, 0}, slope[5], value[5];
    hsp__vec()->logistic_f64(m, 5, slope, NULL, value);
    CHECK(slope[0] == 0 && slope[1] == 1 && slope[2] == 0 && slope[3] == 1 && slope[4] == 0.5);
    CHECK(value[0] == 0 && value[1] == 800 && value[2] == 0 && isinf(value[3]));
    CHECK(fabs(value[4] - log(2)) <= 1e-16);
}

static void test_gauss_is_exp_of_the_distance(void)
{
    for (size_t t = 0; t < 3; t++) {
        const hsp__vec_table *vec = hsp__vec_table_by_name(tables[t]);
        for (int turn = 0; vec && turn < 4000; turn++) {
            double x[37], y[37], squares[37], own = 1 + rng();
            float xf[37], yf[37], singles[37];
            const size_t n = (size_t)turn % 38;
            for (size_t i = 0; i < n; i++) {
                squares[i] = 1 + rng(), singles[i] = (float)squares[i];
                y[i] = x[i] = rng(), yf[i] = xf[i] = (float)x[i];
            }
            vec->gauss_f64(y, y, squares, own, -0.5, n);
            vec->gauss_f32(yf, yf, singles, (float)own, -0.5F, n);
            for (size_t i = 0; i < n; i++) {
                double far = (own + squares[i]) - 2 * x[i], want = far > 0 ? -0.5 * far : 0;
                float near = ((float)own + singles[i]) - 2 * xf[i];
                float wantf = near > 0 ? -0.5F * near : 0;
                hsp__vec_scalar.exp_f64(&want, 1);
                hsp__vec_scalar.exp_f32(&wantf, 1);
                CHECK(y[i] == want && yf[i] == wantf);
            }
        }
    }
}

/* Sums of Gaussians have the bits of Gaussians that are added one after the other. */
static void test_gauss_sums_are_sums_of_gauss(void)
{
    enum { ROWS = 9, COLS = 48 };
    double x[ROWS * COLS], line[COLS], squares[COLS], own[ROWS], by[ROWS], sums[2][COLS];
    float xf[ROWS * COLS], linef[COLS], squaresf[COLS], ownf[ROWS];
    for (size_t t = 0; t < 3; t++) {
        const hsp__vec_table *vec = hsp__vec_table_by_name(tables[t]);
        for (int turn = 0; vec && turn < 200; turn++) {
            const size_t rows = (size_t)turn % (ROWS + 1), n = (size_t)(turn % 3 + 1) * 16;
            for (size_t i = 0; i < ROWS * (size_t)COLS; i++)
                x[i] = rng(), xf[i] = (float)x[i];
            for (size_t j = 0; j < COLS; j++)
                squares[j] = 1 + rng(), squaresf[j] = (float)squares[j];
            for (size_t i = 0; i < ROWS; i++)
                own[i] = 1 + rng(), ownf[i] = (float)own[i], by[i] = 100 * rng();
            for (int wide = 0; wide < 2; wide++) {
                for (size_t j = 0; j < COLS; j++)
                    sums[0][j] = sums[1][j] = rng();
                for (size_t i = 0; i < rows; i++) {
                    vec->gauss_f64(line, x + i * COLS, squares, own[i], -0.7, n);
                    vec->gauss_f32(linef, xf + i * COLS, squaresf, ownf[i], -0.7F, n);
                    for (size_t j = 0; j < n; j++) {
                        volatile double term = by[i] * (wide ? line[j] : (double)linef[j]);
                        sums[0][j] += term;
                    }
                }
                if (wide)
                    vec->gauss_sums_f64(x, COLS, squares, own, -0.7, by, rows, n, sums[1]);
                else
                    vec->gauss_sums_f32(xf, COLS, squaresf, ownf, -0.7F, by, rows, n, sums[1]);
                for (size_t j = 0; j < COLS; j++)
                    CHECK(sums[0][j] == sums[1][j]);
            }
        }
    }
}

static void test_finite_finds_what_is_not(void)
{
    const double bad[] = {(double)INFINITY, -(double)INFINITY, (double)NAN};
    for (size_t t = 0; t < 3; t++) {
        const hsp__vec_table *vec = hsp__vec_table_by_name(tables[t]);
        for (size_t n = 0; vec && n < 70; n++) {
            double x[70] = {-1.7e308};
            float f[70] = {3.4e38F};
            CHECK(vec->finite_f64(x, n) && vec->finite_f32(f, n));
            for (size_t i = 0; i < n; i++) {
                x[i] = bad[i % 3], f[i] = (float)bad[(i + 1) % 3];
                CHECK(!vec->finite_f64(x, n) && !vec->finite_f32(f, n));
                CHECK(vec->finite_f64(x, i) && vec->finite_f32(f, i));
                x[i] = 0, f[i] = 0;
            }
        }
    }
}

static void test_counts_of_shared_places(void)
{
    enum { PLACES = 300 };
    static uint8_t spread[PLACES * HSP__VEC_COUNTS];
    uint32_t idx[PLACES];
    for (size_t i = 0; i < sizeof spread; i++)
        spread[i] = rng() > 0.2;
    for (size_t t = 0; t < 3; t++) {
        const hsp__vec_table *vec = hsp__vec_table_by_name(tables[t]);
        for (size_t n = 0; vec && n <= 255; n++) {
            float counts[HSP__VEC_COUNTS];
            for (size_t k = 0; k < n; k++)
                idx[k] = (uint32_t)(k + (n * 7 + k / 9) % 40);
            vec->ones_counts(idx, n, spread, counts);
            for (size_t j = 0; j < HSP__VEC_COUNTS; j++) {
                uint64_t want = 0;
                for (size_t k = 0; k < n; k++)
                    want += spread[idx[k] * HSP__VEC_COUNTS + j];
                CHECK(counts[j] == (float)want);
            }
        }
    }
}

static void test_exp_at_the_ends(void)
{
    double x[] = {0, -0.0, -1e9, 1e9, (double)NAN, -(double)INFINITY, (double)INFINITY, -708.5};
    float f[] = {0, -0.0F, -1e9F, 1e9F, NAN, -INFINITY, INFINITY, -87.5F};
    hsp__vec()->exp_f64(x, 8);
    hsp__vec()->exp_f32(f, 8);
    CHECK(x[0] == 1 && x[1] == 1 && x[2] == 0 && isinf(x[3]) && isnan(x[4]) && x[5] == 0 &&
          isinf(x[6]) && x[7] == 0);
    CHECK(f[0] == 1 && f[1] == 1 && f[2] == 0 && isinf(f[3]) && isnan(f[4]) && f[5] == 0 &&
          isinf(f[6]) && f[7] == 0);
}

int main(void)
{
    RUN(test_product_is_the_stated_sum);
    RUN(test_exp_is_near_the_truth);
    RUN(test_exp_at_the_ends);
    RUN(test_logistic_is_near_the_truth);
    RUN(test_gauss_is_exp_of_the_distance);
    RUN(test_gauss_sums_are_sums_of_gauss);
    RUN(test_finite_finds_what_is_not);
    RUN(test_counts_of_shared_places);
    return check_done();
}
