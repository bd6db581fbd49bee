/* Every index finds what the scan finds, to the bit, on one thread and on three: data that are
 * large enough for each to be in several parts, that are all ties, that lie in the ways of bytes
 * and floats, and queries that have nothing to do with the rows. (The scan itself is compared with
 * sums in long double by test_near.c.) */
#include <math.h>
#include <stdint.h>
#include <stdlib.h>

#include "../check.h"
#include "halfspace_all.h"
#include "knn/knn_index.h"

static hsp_context *ctx;
static uint64_t rng_state = 88172645463325252u;

static double rng(void)
{
    rng_state ^= rng_state << 13;
    rng_state ^= rng_state >> 7;
    rng_state ^= rng_state << 17;
    return (double)(rng_state >> 11) * 0x1p-53;
}

enum { MOST = 400000, MOST_ROWS = 40000 };

/* Rows that grow one by one, dense and sparse at once. */
typedef struct set {
    uint64_t rows, cols, stored;
    double dense[MOST], values[MOST];
    uint64_t starts[MOST_ROWS + 1];
    uint32_t indices[MOST];
    hsp_view view;
} set;

static set rows, queries;
static uint64_t skips[MOST_ROWS];

typedef double (*maker)(uint64_t i, uint64_t j);

static void make(set *s, uint64_t count, uint64_t cols, maker number)
{
    *s = (set){.rows = count, .cols = cols};
    for (uint64_t i = 0; i < count; i++) {
        for (uint64_t j = 0; j < cols; j++) {
            const double x = number(i, j);
            s->dense[i * cols + j] = x;
            if (x == 0) continue;
            s->indices[s->stored] = (uint32_t)j;
            s->values[s->stored++] = x;
        }
        s->starts[i + 1] = s->stored;
    }
}

static void store(set *s, int sparse)
{
    s->view = hsp_view_dense(HSP_FLOAT64, s->rows, s->cols, s->cols, s->dense);
    if (sparse)
        s->view =
            hsp_view_sparse(HSP_FLOAT64, s->rows, s->cols, 8, s->starts, s->indices, s->values);
}

static void check_index(hsp__knn_index *near, uint64_t k, const uint64_t *skip,
                        const hsp__neighbor *want, hsp__neighbor *got, const char *where)
{
    for (int threads = 1; threads <= 3; threads += 2) {
        uint64_t wrong = 0;
        hsp_context_set_threads(ctx, threads);
        CHECK(hsp__knn_find(ctx, near, &queries.view, skip, k, NULL, got) == HSP_OK);
        for (uint64_t n = 0; n < queries.rows * k; n++)
            wrong += memcmp(&got[n].distance, &want[n].distance, sizeof got[n].distance) != 0 ||
                     got[n].row != want[n].row;
        CHECK_NOTE(wrong == 0, "%s: %llu of %llu", where, (unsigned long long)wrong,
                   (unsigned long long)(queries.rows * k));
    }
}

/* All indexes that serve one metric, for some k. */
static void check_metric(hsp_data *data, hsp__metric metric, const char *what)
{
    const uint64_t ks[] = {1, 7, rows.rows / 5, rows.rows - 1};
    const hsp__knn_plan plan = {.metric = metric, .kind = HSP__KNN_BRUTE_FORCE};
    hsp__knn_index *scan = NULL;
    if (hsp__knn_new(ctx, &plan, data, NULL, &scan)) return; /* too large for cosines */
    for (size_t c = 0; c < sizeof ks / sizeof *ks; c++) {
        const uint64_t k = ks[c], count = queries.rows * k;
        if (!k || count > 300000) continue;
        const uint64_t *skip = c % 2 ? skips : NULL;
        hsp__neighbor *want = malloc(count * sizeof *want), *got = malloc(count * sizeof *got);
        if (!want || !got) exit(4);
        const hsp_status status = hsp__knn_find(ctx, scan, &queries.view, skip, k, NULL, want);
        for (int kind = HSP__KNN_TREE; !status && kind <= HSP__KNN_INVERTED; kind++) {
            const hsp__knn_plan other = {.metric = metric, .kind = (hsp__knn_kind)kind};
            hsp__knn_index *near = NULL;
            char where[160];
            if (!hsp__knn_fits(other.kind, metric, &rows.view)) continue;
            snprintf(where, sizeof where, "%s, metric %d, %s, k %llu", what, (int)metric,
                     hsp__knn_name(other.kind), (unsigned long long)k);
            CHECK(hsp__knn_new(ctx, &other, data, NULL, &near) == HSP_OK);
            if (near) check_index(near, k, skip, want, got, where);
            hsp__knn_free(near);
        }
        free(want), free(got);
    }
    hsp__knn_free(scan);
}

static void check_all(const char *what)
{
    for (uint64_t q = 0; q < queries.rows; q++)
        skips[q] = q % 3 ? q * 7 % rows.rows : HSP__KNN_NONE;
    for (int sparse = 0; sparse < 2; sparse++) {
        hsp_data *data = NULL;
        store(&rows, sparse);
        store(&queries, sparse);
        CHECK(hsp_data_copy(ctx, &rows.view, NULL, NULL, NULL, &data) == HSP_OK);
        for (int metric = HSP__METRIC_L2; data && metric <= HSP__METRIC_COSINE; metric++)
            check_metric(data, (hsp__metric)metric, what);
        hsp_data_free(data);
    }
}

/* ---- Numbers ---- */

static double few(uint64_t i, uint64_t j)
{
    (void)i, (void)j;
    return floor(rng() * 6);
}

static double pixel(uint64_t i, uint64_t j)
{
    (void)i, (void)j;
    return rng() < 0.6 ? 0 : floor(rng() * 256);
}

static double bell(uint64_t i, uint64_t j)
{
    (void)i, (void)j;
    return rng() + rng() + rng() + rng() - 2;
}

static double same(uint64_t i, uint64_t j)
{
    (void)i;
    return (double)j + 0.1;
}

/* Nearer and nearer to what `same` has. */
static double sorted(uint64_t i, uint64_t j)
{
    return (double)j + 0.1 + 1 / (1.0 + (double)i);
}

static double outlier(uint64_t i, uint64_t j)
{
    return i == 5 && j == 1 ? 1e9 : bell(i, j);
}

static double uneven(uint64_t i, uint64_t j)
{
    return bell(i, j) * pow(10, (double)(j % 7) - 3);
}

static double exponent;

static double scaled(uint64_t i, uint64_t j)
{
    return bell(i, j) * pow(10, exponent);
}

/* Every row on a scale of its own. */
static double wild(uint64_t i, uint64_t j)
{
    return bell(i, j) * pow(10, floor(rng() * 280) - 140);
}

/* Columns from the twentieth on whose squares leave the range of double; of some rows. */
static double beyond(uint64_t i, uint64_t j)
{
    return j < 20 ? bell(i, j) : i % 3 ? pow(10, i % 2 ? 160 : 200) : 0;
}

static double unit(uint64_t i, uint64_t j)
{
    return i % 20 == j;
}

/* Some words that all have, many that few have; rows that have none. */
static double words(uint64_t i, uint64_t j)
{
    if (i % 50 == 7) return 0;
    return rng() < (j < 4 ? 0.7 : 0.1) ? 0.25 * ceil(rng() * 8) : 0;
}

/* ---- Tests ---- */

static void test_many_rows(void)
{
    make(&rows, 5000, 3, few);
    make(&queries, 10, 3, few);
    check_all("many ties");
    make(&rows, 9000, 5, bell);
    make(&queries, 10, 7, bell); /* two columns that the rows do not have */
    check_all("many rows");
    make(&rows, 17000, 20, words);
    make(&queries, 6, 24, words);
    check_all("words");
}

static void test_many_columns(void)
{
    make(&rows, 700, 130, pixel);
    make(&queries, 45, 130, pixel);
    check_all("pixels");
    make(&rows, 500, 301, bell);
    make(&queries, 21, 301, bell);
    check_all("reals");
    make(&rows, 1000, 33, uneven);
    make(&queries, 21, 30, uneven);
    check_all("uneven columns");
}

static void test_alike(void)
{
    make(&rows, 700, 6, same);
    make(&queries, 9, 6, same);
    check_all("all the same");
    make(&rows, 900, 6, sorted);
    make(&queries, 9, 6, same);
    check_all("nearer and nearer");
    make(&rows, 900, 40, outlier);
    make(&queries, 9, 40, outlier);
    check_all("one far out");
    make(&rows, 400, 6, bell);
    make(&queries, 5, 6, outlier);
    for (uint64_t k = 0; k < queries.rows * queries.cols; k++)
        queries.dense[k] *= 1e12, queries.values[k] *= 1e12;
    check_all("queries far out");
}

static void test_scales(void)
{
    static const double exponents[] = {-320, -308, -200, -160, -150, -100, 100, 150, 154, 200, 307};
    for (size_t e = 0; e < sizeof exponents / sizeof *exponents; e++) {
        char what[40];
        exponent = exponents[e];
        snprintf(what, sizeof what, "numbers about 1e%g", exponent);
        make(&rows, 300, 9, scaled);
        make(&queries, 9, e % 2 ? 9 : 11, scaled);
        check_all(what);
    }
    make(&rows, 300, 9, wild);
    make(&queries, 30, 9, wild);
    check_all("every scale");
}

static void test_columns_beyond(void)
{
    make(&rows, 300, 20, bell);
    make(&queries, 9, 21, beyond);
    check_all("columns beyond, too large");
}

/* A query of very many columns that the rows do not have, each too small to be seen relative to 1 and
 * all together not: what adds up in another order differs. */
static void test_dust(void)
{
    enum { DUST = 1000000 };
    static uint32_t indices[DUST];
    static double values[DUST];
    static const uint64_t starts[] = {0, DUST};
    hsp_data *data = NULL;
    for (uint32_t j = 0; j < DUST; j++)
        indices[j] = 20 + j, values[j] = 1e-8;
    make(&rows, 300, 20, unit);
    store(&rows, 1);
    queries.rows = 1;
    queries.view = hsp_view_sparse(HSP_FLOAT64, 1, 20 + DUST, 8, starts, indices, values);
    skips[0] = HSP__KNN_NONE;
    CHECK(hsp_data_copy(ctx, &rows.view, NULL, NULL, NULL, &data) == HSP_OK);
    check_metric(data, HSP__METRIC_L2, "dust");
    check_metric(data, HSP__METRIC_COSINE, "dust");
    hsp_data_free(data);
}

/* ---- Memory that runs out ---- */

static _Atomic uint64_t asked, asked_bytes, refuse_at, living;

static uintptr_t lowest, highest; /* the stack, where memory was asked for */

static void *refuse(void *user, void *pointer, size_t size)
{
    if (user) { /* one thread */
        const uintptr_t here = (uintptr_t)__builtin_frame_address(0);
        lowest = here < lowest ? here : lowest;
        highest = here > highest ? here : highest;
    }
    if (++asked >= refuse_at) return NULL;
    asked_bytes += size;
    if (!pointer) living++;
    return realloc(pointer, size);
}

static void release(void *user, void *pointer)
{
    (void)user;
    if (pointer) living--;
    free(pointer);
}

/* An index made and asked with all allocations from the n-th on refused. */
static hsp_status starve(hsp_context *poor, hsp_data *data, hsp__knn_plan plan, uint64_t n)
{
    hsp__neighbor found[5 * 2];
    hsp__knn_index *near = NULL;
    asked = 0;
    refuse_at = n;
    hsp_status status = hsp__knn_new(poor, &plan, data, NULL, &near);
    if (!status) status = hsp__knn_find(poor, near, &queries.view, NULL, 2, NULL, found);
    refuse_at = UINT64_MAX;
    hsp__knn_free(near);
    return status;
}

static void test_memory(void)
{
    const hsp_allocator memory = {refuse, release, NULL};
    hsp_context *poor = NULL;
    refuse_at = UINT64_MAX;
    CHECK(hsp_context_new(&memory, &poor) == HSP_OK);
    make(&rows, 300, 9, bell);
    make(&queries, 5, 9, bell);
    for (int kind = HSP__KNN_TREE; kind <= HSP__KNN_INVERTED; kind++) {
        const hsp__knn_plan plan = {.metric = HSP__METRIC_L2, .kind = (hsp__knn_kind)kind};
        hsp_data *data = NULL;
        hsp_status status = HSP_NO_MEMORY;
        store(&rows, kind == HSP__KNN_INVERTED);
        store(&queries, 0);
        CHECK(hsp_data_copy(poor, &rows.view, NULL, NULL, NULL, &data) == HSP_OK);
        const uint64_t before = living;
        uint64_t n = 1;
        for (; status == HSP_NO_MEMORY && n < 200; n++) {
            status = starve(poor, data, plan, n);
            CHECK_NOTE(living == before, "%s, %llu: memory is lost", hsp__knn_name(plan.kind),
                       (unsigned long long)n);
        }
        CHECK(status == HSP_OK && n > 5);
        hsp_data_free(data);
    }
    hsp_context_free(poor);
    CHECK(living == 0);
}

/* Every row has a column of its own: an index by column is no larger than the rows. */
static void test_own_columns(void)
{
    enum { ROWS = 20 * 16384 };
    static uint64_t starts[ROWS + 1];
    static uint32_t indices[ROWS];
    static double values[ROWS];
    const hsp_allocator memory = {refuse, release, NULL};
    hsp__knn_index *near = NULL, *scan = NULL;
    hsp_context *counted = NULL;
    hsp_data *data = NULL;
    refuse_at = UINT64_MAX;
    for (uint64_t i = 0; i < ROWS; i++)
        starts[i + 1] = i + 1, indices[i] = (uint32_t)(i * 77 % ROWS), values[i] = 1 + i % 3;
    const hsp_view view = hsp_view_sparse(HSP_FLOAT64, ROWS, ROWS, 8, starts, indices, values);
    queries.rows = 5;
    queries.view = hsp_view_sparse(HSP_FLOAT64, 5, ROWS, 8, starts, indices, values);
    CHECK(hsp_context_new(&memory, &counted) == HSP_OK);
    CHECK(hsp_data_copy(counted, &view, NULL, NULL, NULL, &data) == HSP_OK);
    hsp__knn_plan plan = {.metric = HSP__METRIC_L2, .kind = HSP__KNN_INVERTED};
    asked_bytes = 0;
    CHECK(hsp__knn_new(counted, &plan, data, NULL, &near) == HSP_OK);
    CHECK_NOTE(asked_bytes <= 64 * (uint64_t)ROWS, "%llu bytes", (unsigned long long)asked_bytes);
    plan.kind = HSP__KNN_BRUTE_FORCE;
    CHECK(hsp__knn_new(counted, &plan, data, NULL, &scan) == HSP_OK);
    hsp__neighbor want[5 * 3], got[5 * 3];
    CHECK(hsp__knn_find(counted, scan, &queries.view, NULL, 3, NULL, want) == HSP_OK);
    check_index(near, 3, NULL, want, got, "columns of their own");
    hsp__knn_free(near);
    hsp__knn_free(scan);
    hsp_data_free(data);
    hsp_context_free(counted);
    CHECK(living == 0);
}

/* Rows whose tree would be a chain if it were cut where a sample at fixed places says: at each cut
 * the sample has the largest numbers that there are. */
static void chain(uint64_t count, double *numbers)
{
    static uint32_t order[MOST_ROWS];
    double next = (double)count;
    for (uint64_t i = 0; i < count; i++)
        order[i] = (uint32_t)i, numbers[i] = 0;
    for (uint64_t to = count, cut = 0; to > 32; to = cut) {
        uint64_t some = to / 32 * 2 + 3;
        some = some < 63 ? some : 63;
        for (uint64_t s = 0; s < some; s++) {
            double *number = &numbers[order[to / some * s + to % some * s / some]];
            if (*number == 0) *number = next--;
        }
        /* About half of the sample goes to the right: here, what came first. */
        double sample[63] = {0};
        for (uint64_t s = 0; s < some; s++) {
            const double x = numbers[order[to / some * s + to % some * s / some]];
            uint64_t at = s;
            for (; at > 0 && sample[at - 1] > x; at--)
                sample[at] = sample[at - 1];
            sample[at] = x;
        }
        uint64_t i = 0, j = to;
        for (;;) {
            while (i < j && numbers[order[i]] < sample[some / 2])
                i++;
            while (i < j && numbers[order[j - 1]] >= sample[some / 2])
                j--;
            if (i >= j) break;
            const uint32_t t = order[i];
            order[i++] = order[--j];
            order[j] = t;
        }
        cut = i;
        if (cut == 0 || cut == to) break;
    }
    for (uint64_t i = 0; i < count; i++)
        if (numbers[i] == 0) numbers[i] = next--;
}

/* No order of the rows makes the tree deep: its depth is seen by the stack of who builds it. */
static void test_chain(void)
{
    int watch = 1;
    const hsp_allocator memory = {refuse, release, &watch};
    const hsp__knn_plan plan = {.metric = HSP__METRIC_L2, .kind = HSP__KNN_TREE};
    hsp_context *watched = NULL;
    hsp__knn_index *near = NULL;
    hsp_data *data = NULL;
    refuse_at = UINT64_MAX;
    make(&rows, MOST_ROWS, 1, few);
    chain(rows.rows, rows.dense);
    store(&rows, 0);
    CHECK(hsp_context_new(&memory, &watched) == HSP_OK);
    hsp_context_set_threads(watched, 1);
    CHECK(hsp_data_copy(watched, &rows.view, NULL, NULL, NULL, &data) == HSP_OK);
    lowest = UINTPTR_MAX, highest = 0;
    CHECK(hsp__knn_new(watched, &plan, data, NULL, &near) == HSP_OK);
#if defined __SANITIZE_ADDRESS__ || defined __SANITIZE_THREAD__
    const uintptr_t most = 400000; /* frames are larger there */
#else
    const uintptr_t most = 40000;
#endif
    CHECK_NOTE(highest - lowest <= most, "%llu bytes", (unsigned long long)(highest - lowest));
    hsp__knn_free(near);
    hsp_data_free(data);
    hsp_context_free(watched);
}

int main(void)
{
    if (hsp_context_new(NULL, &ctx)) return 4;
    RUN(test_many_rows);
    RUN(test_many_columns);
    RUN(test_alike);
    RUN(test_scales);
    RUN(test_columns_beyond);
    RUN(test_dust);
    RUN(test_memory);
    RUN(test_own_columns);
    RUN(test_chain);
    hsp_context_free(ctx);
    return check_done();
}
