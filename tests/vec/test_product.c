/* product: every table gives the bits of the stated order, whatever the block; exp: near the truth,
 * the same bits from every table. */
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

static void compare(size_t m, size_t n, size_t depth)
{
    void *scratch = aligned_alloc(64, (hsp__product_scratch(depth, 8) + 127) / 64 * 64);
    uint64_t wrong = 0;
    for (size_t i = 0; i < MOST * MOST; i++)
        c32[i] = -7, c64[i] = -7;
    hsp__product_f32(m, n, depth, a32, DEEP, b32, DEEP, c32, MOST, scratch);
    hsp__product_f64(m, n, depth, a64, DEEP, b64, DEEP, c64, MOST, scratch);
    for (size_t i = 0; i < MOST; i++)
        for (size_t j = 0; j < MOST; j++) {
            const int in = i < m && j < n;
            const float want32 = in ? chain_f32(a32 + i * DEEP, b32 + j * DEEP, depth) : -7;
            const double want64 = in ? chain_f64(a64 + i * DEEP, b64 + j * DEEP, depth) : -7;
            wrong += !(c32[i * MOST + j] == want32) + !(c64[i * MOST + j] == want64);
        }
    CHECK_NOTE(wrong == 0, "%zu x %zu x %zu: %llu wrong", m, n, depth, (unsigned long long)wrong);
    free(scratch);
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
    return check_done();
}
