/* point_squares, box_squares, range and code: every table gives what plain loops give, to the bit. */
#include <math.h>
#include <stdint.h>
#include <string.h>

#include "../check.h"
#include "vec/vec.h"

enum { LANES = HSP__VEC_LANES, MOST = 70 };

static uint64_t rng_state = 88172645463325252u;

static double number(void)
{
    rng_state ^= rng_state << 13;
    rng_state ^= rng_state >> 7;
    rng_state ^= rng_state << 17;
    return (double)(rng_state >> 20) / (double)((uint64_t)1 << 43) - 0.5;
}

static void compare_squares(const hsp__vec_table *vec, size_t cols)
{
    double points[MOST * LANES], boxes[MOST * 2 * LANES], q[MOST], want[LANES], got[LANES];
    for (size_t c = 0; c < cols; c++) {
        q[c] = number();
        for (size_t j = 0; j < LANES; j++) {
            const double a = number(), b = number();
            points[c * LANES + j] = a;
            boxes[2 * c * LANES + j] = a < b ? a : b;
            boxes[(2 * c + 1) * LANES + j] = a < b ? b : a;
        }
    }
    for (int box = 0; box < 2; box++) {
        for (size_t j = 0; j < LANES; j++) {
            want[j] = 0;
            for (size_t c = 0; c < cols; c++) {
                const double below = boxes[2 * c * LANES + j] - q[c];
                const double above = q[c] - boxes[(2 * c + 1) * LANES + j];
                const double d = !box        ? points[c * LANES + j] - q[c]
                                 : below > 0 ? below
                                 : above > 0 ? above
                                             : 0;
                want[j] += d * d;
            }
        }
        for (size_t limit = 0; limit < LANES; limit++) { /* the lane itself is at most its own */
            unsigned bits = 0;
            for (size_t j = 0; j < LANES; j++)
                bits |= (unsigned)(want[j] <= want[limit]) << j;
            CHECK((box ? vec->box_squares(cols, boxes, q, want[limit], got)
                       : vec->point_squares(cols, points, q, want[limit], got)) == bits);
            CHECK_NOTE(memcmp(got, want, sizeof got) == 0, "%s, %zu columns", vec->name, cols);
        }
        CHECK((box ? vec->box_squares(cols, boxes, q, (double)INFINITY, got)
                   : vec->point_squares(cols, points, q, (double)INFINITY, got)) == 0xffff);
    }
}

static void compare_range(const hsp__vec_table *vec, size_t n, int integers, double scale)
{
    double x[MOST], low = (double)INFINITY, high = -(double)INFINITY, least = low, most = high;
    float y[MOST];
    for (size_t k = 0; k < n; k++) {
        y[k] = (float)(integers ? floor(1000 * number()) : number());
        x[k] = (double)y[k];
        least = x[k] * scale < least ? x[k] * scale : least;
        most = x[k] * scale > most ? x[k] * scale : most;
    }
    CHECK(vec->range_f64(x, n, scale, &low, &high) == (integers || n == 0));
    CHECK(low == least && high == most);
    low = -1, high = 1;
    CHECK(vec->range_f32f64(y, n, scale, &low, &high) == (integers || n == 0));
    CHECK(low == (least < -1 ? least : -1) && high == (most > 1 ? most : 1));
    if (!integers || n == 0) return;
    x[n - 1] += 0.25; /* the last one alone, in whatever loop it is met */
    CHECK(!vec->range_f64(x, n, scale, &low, &high));
}

static void compare_code(const hsp__vec_table *vec, size_t n, double scale)
{
    const double low = -0.4 * scale, by = 255 / (0.8 * scale); /* a fifth is clipped */
    double x[MOST], rounded[LANES] = {0}, left[LANES] = {0};
    float y[MOST];
    uint8_t want[MOST], got[MOST + 1];
    hsp__vec_code sums = {0};
    for (size_t k = 0; k < n; k++) {
        y[k] = (float)number();
        x[k] = (double)y[k];
        const double t = (x[k] * scale - low) * by, inside = t < 0 ? 0 : t > 255 ? 255 : t;
        want[k] = (uint8_t)(int)(inside + 0.5);
        rounded[k % LANES] += (inside - want[k]) * (inside - want[k]);
        left[k % LANES] += (t - want[k]) * (t - want[k]);
        sums.squares += want[k] * want[k];
        sums.sum += want[k];
    }
    for (size_t l = 0; l < LANES; l++)
        sums.rounded += rounded[l], sums.left += left[l];
    for (int single = 0; single < 2; single++) {
        got[n] = 77;
        const hsp__vec_code code = single ? vec->code_f32f64(y, n, scale, low, by, got)
                                          : vec->code_f64(x, n, scale, low, by, got);
        CHECK_NOTE(memcmp(got, want, n) == 0 && got[n] == 77, "%s, %zu numbers", vec->name, n);
        CHECK(code.squares == sums.squares && code.sum == sums.sum);
        CHECK(code.rounded == sums.rounded && code.left == sums.left);
    }
}

static void all_lengths(const char *name)
{
    const hsp__vec_table *vec = hsp__vec_table_by_name(name);
    if (!vec) CHECK_SKIP("this machine cannot run it");
    for (size_t n = 0; n < MOST; n++) {
        compare_squares(vec, n);
        compare_range(vec, n, 0, 0.5);
        compare_range(vec, n, 1, 1);
        compare_code(vec, n, 1);
        compare_code(vec, n, 0.3);
    }
}

static void scalar(void)
{
    all_lengths("scalar");
}

static void avx2(void)
{
    all_lengths("avx2");
}

static void avx512(void)
{
    all_lengths("avx512");
}

int main(void)
{
    RUN(scalar);
    RUN(avx2);
    RUN(avx512);
    return check_done();
}
