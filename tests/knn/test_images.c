/* Images of rows in few directions, and fine codes: no two images are further apart than their
 * rows; an index that uses them finds what a scan finds, to the bit. */
#include <stdlib.h>

#include "../check.h"
#include "knn/knn_codes.h"

enum { ROWS = 3000, COLS = 400, QUERIES = 40, HIDDEN = 5, K = 6 };

static hsp_context *ctx;
static uint64_t rng_state;
static double numbers[ROWS * COLS], asked[QUERIES * COLS];

static double rng(void)
{
    rng_state ^= rng_state << 13;
    rng_state ^= rng_state >> 7;
    rng_state ^= rng_state << 17;
    return (double)(rng_state >> 11) * 0x1p-53 - 0.5;
}

/* Rows that lie near a plane of HIDDEN directions, `noise` away from it and `away` from 0; one in 64
 * is far out, one in 50 is twice there. */
static void fill(double noise, double away, double unit)
{
    double plane[HIDDEN][COLS];
    rng_state = 88172645463325252u;
    for (int h = 0; h < HIDDEN; h++)
        for (int c = 0; c < COLS; c++)
            plane[h][c] = rng();
    for (int i = 0; i < ROWS + QUERIES; i++) {
        double *row = i < ROWS ? numbers + i * COLS : asked + (i - ROWS) * COLS;
        for (int c = 0; c < COLS; c++)
            row[c] = (away + noise * rng()) * unit;
        for (int h = 0; h < HIDDEN; h++) {
            const double by = (i % 64 == 63 ? 40 : 4) * rng() * unit;
            for (int c = 0; c < COLS; c++)
                row[c] += by * plane[h][c];
        }
        if (i % 50 == 49 && i < ROWS) memcpy(row, row - COLS, COLS * sizeof *row);
        if (i == ROWS + 5) memcpy(row, numbers, COLS * sizeof *row);
        if (i == ROWS + 6) memset(row, 0, COLS * sizeof *row);
        if (i == ROWS + 7) row[3] = 1e6 * unit;
    }
}

/* Does an index of the numbers, with images or fine codes where they are expected, find what a scan
 * finds? */
static void compare(const char *what, hsp__metric metric, int images, int fine)
{
    static hsp__neighbor want[QUERIES * K], got[QUERIES * K];
    const hsp_view view = hsp_view_dense(HSP_FLOAT64, ROWS, COLS, COLS, numbers);
    const hsp_view queries = hsp_view_dense(HSP_FLOAT64, QUERIES, COLS, COLS, asked);
    hsp__knn_plan plan = {
        .metric = metric, .kind = HSP__KNN_BRUTE_FORCE, .queries = 1000000, .k = K};
    hsp__knn_index *scan = NULL, *near = NULL;
    hsp_data *data = NULL;
    uint64_t wrong = 0;
    CHECK(hsp_data_copy(ctx, &view, NULL, NULL, NULL, &data) == HSP_OK);
    CHECK(hsp__knn_new(ctx, &plan, data, NULL, &scan) == HSP_OK);
    plan.kind = HSP__KNN_QUANTISED;
    CHECK(hsp__knn_new(ctx, &plan, data, NULL, &near) == HSP_OK);
    const hsp__knn_coded *own = near->own;
    CHECK_NOTE((own->image.codes != NULL) == images && (own->fine != NULL) == fine, "%s", what);
    CHECK(hsp__knn_find(ctx, scan, &queries, NULL, K, NULL, want) == HSP_OK);
    CHECK(hsp__knn_find(ctx, near, &queries, NULL, K, NULL, got) == HSP_OK);
    for (int n = 0; n < QUERIES * K; n++)
        wrong += memcmp(&want[n].distance, &got[n].distance, sizeof(double)) != 0 ||
                 want[n].row != got[n].row;
    CHECK_NOTE(wrong == 0, "%s: %llu wrong", what, (unsigned long long)wrong);
    hsp__knn_free(near);
    hsp__knn_free(scan);
    hsp_data_free(data);
}

static void test_images(void)
{
    for (int cosine = 0; cosine < 2; cosine++) {
        const hsp__metric metric = cosine ? HSP__METRIC_COSINE : HSP__METRIC_L2;
        fill(0.1, 0, 1);
        compare("a plane", metric, 1, 1);
        fill(0.1, cosine ? 3 : 1e5, 1);
        compare("a plane far away", metric, 1, 1);
        fill(0.1, 0, 1e30);
        compare("large numbers", metric, 1, 1);
    }
}

static void test_whole(void)
{
    fill(0.1, 0, 1);
    for (int i = 0; i < ROWS * COLS; i++)
        numbers[i] = floor(numbers[i] * 3);
    for (int i = 0; i < QUERIES * COLS; i++)
        asked[i] = floor(asked[i] * 3);
    compare("integers near a plane", HSP__METRIC_L2, 1, 0);
}

static void test_fine(void)
{
    fill(4, 0, 1);
    compare("much noise", HSP__METRIC_L2, 0, 1);
    compare("much noise", HSP__METRIC_COSINE, 0, 1);
    fill(4, 1e9, 1);
    compare("much noise far away", HSP__METRIC_L2, 0, 1);
    fill(4, 0, 1);
    numbers[7 * COLS + 3] = 1e140;
    compare("one number far out", HSP__METRIC_L2, 0, 1);
    asked[3] = 1e200;
    compare("a query far out", HSP__METRIC_L2, 0, 1);
}

/* Of all pairs of some rows: no image is further than the rows, by more than the map says. */
static void test_contraction(void)
{
    enum { SOME = HSP__KNN_PROJECT_ROWS, SAMPLE = 512 };
    static double sample[SAMPLE * COLS], some[SOME * COLS], images[SOME * 64];
    const double away[] = {0, 1e3, 1e7};
    for (int a = 0; a < 3; a++) {
        const hsp__knn_purpose purpose = {.rows = 1000000, .queries = 1000000, .k = 5};
        hsp__scratch memory = {.memory = &ctx->allocator};
        hsp__knn_projection map;
        double off[SOME];
        fill(0.5, away[a], 1);
        memcpy(sample, numbers, sizeof sample);
        CHECK(hsp__knn_projection_make(ctx, &purpose, sample, SAMPLE, COLS, &memory, NULL, &map) ==
              HSP_OK);
        CHECK(map.count > 0);
        for (int i = 0; i < SOME; i++)
            memcpy(some + i * COLS, numbers + (i * 97 % ROWS) * COLS, COLS * sizeof *some);
        hsp__knn_project(&map, some, SOME, images, off);
        for (int i = 0; map.count && i < SOME; i++)
            for (int j = 0; j < i; j++) {
                const uint64_t wide = map.count + 1;
                long double rows = 0, few = 0;
                for (int c = 0; c < COLS; c++) {
                    const long double d = (long double)numbers[(i * 97 % ROWS) * COLS + c] -
                                          (long double)numbers[(j * 97 % ROWS) * COLS + c];
                    rows += d * d;
                }
                for (uint64_t c = 0; c < wide; c++) {
                    const long double d =
                        (long double)images[i * wide + c] - (long double)images[j * wide + c];
                    few += d * d;
                }
                const long double most = sqrtl(rows) * (1 + 1e-10L) + off[i] + off[j];
                CHECK_NOTE(sqrtl(few) <= most, "away %g: %Lg, not %Lg", away[a], sqrtl(few), most);
                CHECK(off[i] <= 1e-3 * (1 + 1e-3 * away[a]));
            }
        hsp__scratch_free(&memory);
    }
}

int main(void)
{
    if (hsp_context_new(NULL, &ctx)) return 4;
    RUN(test_contraction);
    RUN(test_images);
    RUN(test_whole);
    RUN(test_fine);
    hsp_context_free(ctx);
    return check_done();
}
