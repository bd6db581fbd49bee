/* Nearest neighbours against a scan written here, in long double over plain tables: every metric,
 * index, storage and precision, queries of other storages and other numbers of columns, ties,
 * duplicates, empty rows, rows left out. */
#include <math.h>
#include <stdint.h>
#include <stdlib.h>

#include "../check.h"
#include "halfspace_all.h"
#include "base/context.h"
#include "knn/knn_index.h"
#include "knn/knn_index_type.h"

/* The distance that decides: of a query and a row, either storage and precision. */
static double knn_distance(const hsp__knn_index *near, const hsp_view *queries, uint64_t query,
                           uint64_t row)
{
    hsp_context quiet = {
        .allocator = near->allocator, .threads = 1, .block_bytes = HSP__BLOCK_BYTES};
    const hsp_view one = hsp__view_slice(queries, query, query + 1);
    double line[HSP__KNN_GUESTS + 1], distance = (double)NAN;
    hsp__knn_guests guests;
    if (hsp__knn_guests_init(&guests, &quiet, near, &one, query, NULL)) return distance;
    if (near->plan.metric != HSP__METRIC_KERNEL)
        distance = hsp__knn_pair(&guests, 0, row);
    else if (!hsp__knn_kernel_block(&quiet, &guests, 0, 1, row, 1, line, HSP__KNN_GUESTS + 1, NULL))
        distance = line[0];
    hsp__knn_guests_free(&guests, &quiet);
    return distance;
}

static hsp_context *ctx;
static uint64_t rng_state = 88172645463325252u;

static double rng(void)
{
    rng_state ^= rng_state << 13;
    rng_state ^= rng_state >> 7;
    rng_state ^= rng_state << 17;
    return (double)(rng_state >> 11) * 0x1p-53;
}

static uint64_t below(uint64_t n)
{
    return (uint64_t)(rng() * (double)n);
}

/* ---- Tables, and views of them ---- */

enum { ROWS = 400, COLS = 70, QUERIES = 40 };

typedef struct table {
    uint64_t rows, cols;
    double x[ROWS * COLS];
} table;

/* What views point into. */
typedef struct stored {
    hsp_view view;
    uint64_t starts[ROWS + 1];
    uint32_t indices[ROWS * COLS];
    double wide[ROWS * COLS];
    float single[ROWS * COLS];
} stored;

typedef enum kind { WHOLE, REAL, BITS } kind;

static table t_rows, t_queries;
static stored s_rows, s_queries;

static double number(kind what)
{
    if (what == BITS) return rng() < 0.3;
    if (rng() < 0.4) return 0;
    if (what == WHOLE) return (double)below(5) - 2;
    return (double)(float)((rng() + rng() + rng() - 1.5) * 3); /* as either precision has it */
}

/* Rows of which some are copies of earlier ones, some empty, some multiples by two. */
static void fill(table *t, const table *from, uint64_t rows, uint64_t cols, kind what)
{
    t->rows = rows, t->cols = cols;
    for (uint64_t i = 0; i < rows; i++) {
        const table *source = from && rng() < 0.5 ? from : t;
        const uint64_t known = source == t ? i : from->rows;
        const double chance = rng();
        for (uint64_t j = 0; j < cols; j++)
            t->x[i * cols + j] = chance < 0.05 ? 0 : number(what);
        if (chance < 0.4 || !known) continue;
        const uint64_t twin = below(known);
        const double times = what != BITS && chance > 0.9 ? 2 : 1;
        for (uint64_t j = 0; j < cols && chance > 0.7; j++)
            t->x[i * cols + j] = j < source->cols ? times * source->x[twin * source->cols + j] : 0;
    }
}

static void store(stored *s, const table *t, hsp_storage storage, hsp_precision precision)
{
    uint64_t at = 0;
    for (uint64_t k = 0; k < t->rows * t->cols; k++)
        s->wide[k] = t->x[k], s->single[k] = (float)t->x[k];
    const void *values = precision == HSP_FLOAT32 ? (void *)s->single : (void *)s->wide;
    s->view = hsp_view_dense(precision, t->rows, t->cols, t->cols, values);
    if (storage == HSP_DENSE) return;
    for (uint64_t i = 0; i < t->rows; i++) {
        s->starts[i] = at;
        for (uint64_t j = 0; j < t->cols; j++) {
            const double x = t->x[i * t->cols + j];
            if (x == 0) continue;
            s->wide[at] = x, s->single[at] = (float)x;
            s->indices[at++] = (uint32_t)j;
        }
    }
    s->starts[t->rows] = at;
    s->view = hsp_view_sparse(precision, t->rows, t->cols, 8, s->starts, s->indices,
                              storage == HSP_ONES ? NULL : values);
}

/* ---- The naive scan ---- */

static double naive_distance(hsp__metric metric, const table *a, uint64_t i, const table *b,
                             uint64_t j)
{
    const uint64_t cols = a->cols > b->cols ? a->cols : b->cols;
    long double l2 = 0, l1 = 0, linf = 0, xx = 0, xy = 0, yy = 0;
    uint64_t differ = 0;
    for (uint64_t k = 0; k < cols; k++) {
        const long double x = k < a->cols ? a->x[i * a->cols + k] : 0;
        const long double y = k < b->cols ? b->x[j * b->cols + k] : 0;
        l2 += (x - y) * (x - y);
        l1 += fabsl(x - y);
        linf = fabsl(x - y) > linf ? fabsl(x - y) : linf;
        differ += x != y;
        xx += x * x, xy += x * y, yy += y * y;
    }
    switch (metric) {
    case HSP__METRIC_L2:
        return sqrt((double)l2);
    case HSP__METRIC_L1:
        return (double)l1;
    case HSP__METRIC_LINF:
        return (double)linf;
    case HSP__METRIC_HAMMING:
        return (double)differ;
    case HSP__METRIC_KERNEL: /* (x.y + 1)^2 */
        return sqrt((double)((xx + 1) * (xx + 1) - 2 * (xy + 1) * (xy + 1) + (yy + 1) * (yy + 1)));
    case HSP__METRIC_COSINE:
        break;
    }
    if (xx == 0 || yy == 0) return xx == yy ? 0 : 1;
    const double d = 1 - (double)xy / sqrt((double)xx * (double)yy);
    return d > 0 ? d : 0;
}

static int naive_before(const void *a, const void *b)
{
    const hsp__neighbor *p = a, *q = b;
    if (p->distance != q->distance) return p->distance < q->distance ? -1 : 1;
    return (p->row > q->row) - (p->row < q->row);
}

/* All neighbours of a query, in their order. */
static uint64_t naive_find(hsp__metric metric, uint64_t query, uint64_t skip, hsp__neighbor *out)
{
    uint64_t count = 0;
    for (uint64_t i = 0; i < t_rows.rows; i++)
        if (i != skip)
            out[count++] =
                (hsp__neighbor){naive_distance(metric, &t_queries, query, &t_rows, i), i};
    qsort(out, count, sizeof *out, naive_before);
    return count;
}

/* ---- Comparing ---- */

static hsp_data *copy(const hsp_view *view)
{
    hsp_data *data = NULL;
    CHECK(hsp_view_check(ctx, view, NULL) == HSP_OK);
    CHECK(hsp_data_copy(ctx, view, NULL, NULL, NULL, &data) == HSP_OK);
    return data;
}

static hsp__neighbor found[QUERIES * ROWS], other[QUERIES * ROWS];
static hsp__neighbor wanted[2][QUERIES][ROWS]; /* all rows, and without those to be skipped */
static uint64_t skips[QUERIES];

static void naive_all(hsp__metric metric)
{
    for (uint64_t q = 0; q < t_queries.rows; q++) {
        naive_find(metric, q, HSP__KNN_NONE, wanted[0][q]);
        naive_find(metric, q, skips[q], wanted[1][q]);
    }
}

/* `exact`: sums have no rounding, so that distances and order are the naive ones to the bit. */
static void compare(int skipping, uint64_t k, int exact, const char *where)
{
    for (uint64_t q = 0; q < t_queries.rows; q++) {
        const hsp__neighbor *got = found + q * k;
        const hsp__neighbor *naive = wanted[skipping][q];
        for (uint64_t r = 0; r < k; r++) {
            const double d = naive[r].distance;
            if (exact)
                CHECK_NOTE(got[r].row == naive[r].row && got[r].distance == d,
                           "%s, query %llu, place %llu: row %llu at %.17g, want %llu at %.17g",
                           where, (unsigned long long)q, (unsigned long long)r,
                           (unsigned long long)got[r].row, got[r].distance,
                           (unsigned long long)naive[r].row, d);
            else /* close distances may change places with rounding, not their values */
                CHECK_NOTE(fabs(got[r].distance - d) <= 1e-7 + 1e-12 * d, "%s, place %llu", where,
                           (unsigned long long)r);
            if (r)
                CHECK_NOTE(
                    got[r - 1].distance < got[r].distance ||
                        (got[r - 1].distance == got[r].distance && got[r - 1].row < got[r].row),
                    "%s, query %llu: out of order at %llu", where, (unsigned long long)q,
                    (unsigned long long)r);
        }
    }
}

static const hsp__knn_kind kinds[] = {HSP__KNN_BRUTE_FORCE, HSP__KNN_TREE, HSP__KNN_QUANTISED,
                                      HSP__KNN_INVERTED, HSP__KNN_AUTO};

/* One data set by every index that serves, on one thread and on four. */
static void find_all(hsp__metric metric, const hsp_kernel *kernel, int skipping, int exact)
{
    hsp_data *rows = copy(&s_rows.view);
    const uint64_t most = t_rows.rows - (skipping ? 1 : 0);
    const uint64_t ks[] = {1, 5, most};
    char where[120];
    for (size_t v = 0; v < sizeof kinds / sizeof *kinds; v++) {
        const hsp__knn_plan plan = {.metric = metric, .kind = kinds[v], .kernel = kernel};
        hsp__knn_index *near = NULL;
        if (!hsp__knn_fits(kinds[v], metric, &s_rows.view)) continue;
        CHECK(hsp__knn_new(ctx, &plan, rows, NULL, &near) == HSP_OK);
        for (size_t c = 0; near && c < 3; c++) {
            const uint64_t k = ks[c] < most ? ks[c] : most;
            snprintf(where, sizeof where, "metric %d, index %s, %s rows, %s queries, k %llu",
                     (int)metric, hsp__knn_name(kinds[v]), hsp_storage_name(s_rows.view.storage),
                     hsp_storage_name(s_queries.view.storage), (unsigned long long)k);
            hsp_context_set_threads(ctx, 1);
            CHECK(hsp__knn_find(ctx, near, &s_queries.view, skipping ? skips : NULL, k, NULL,
                                found) == HSP_OK);
            hsp_context_set_threads(ctx, 4);
            if (c == 1) {
                CHECK(hsp__knn_find(ctx, near, &s_queries.view, skipping ? skips : NULL, k, NULL,
                                    other) == HSP_OK);
                CHECK_NOTE(memcmp(found, other, t_queries.rows * k * sizeof *found) == 0, "%s",
                           where);
            }
            compare(skipping, k, exact, where);
            for (uint64_t q = 0; q < t_queries.rows; q += 7)
                for (uint64_t r = 0; r < k; r += 3)
                    CHECK_NOTE(knn_distance(near, &s_queries.view, q, found[q * k + r].row) ==
                                   found[q * k + r].distance,
                               "%s: the distance that decides", where);
        }
        hsp__knn_free(near);
    }
    hsp_data_free(rows);
}

/* Whatever the storages and precisions of both sides: the numbers count. */
static void storages(hsp__metric metric, const hsp_kernel *kernel, kind what, int exact)
{
    static const hsp_storage all[] = {HSP_DENSE, HSP_SPARSE, HSP_ONES};
    for (int a = 0; a < (what == BITS ? 3 : 2); a++)
        for (int b = 0; b < (what == BITS ? 3 : 2); b++)
            for (int p = 0; p < 4; p++) {
                if (p && (a == 2 || b == 2)) continue; /* ones have no precision */
                store(&s_rows, &t_rows, all[a], p & 1 ? HSP_FLOAT64 : HSP_FLOAT32);
                store(&s_queries, &t_queries, all[b], p & 2 ? HSP_FLOAT64 : HSP_FLOAT32);
                find_all(metric, kernel, p == 1, exact);
            }
}

static void shapes(hsp__metric metric, const char *expression, kind what, int exact)
{
    static const struct {
        uint64_t rows, cols, queries, query_cols;
    } shape[] = {{400, 3, 9, 3}, {150, 70, 5, 70}, {60, 9, 9, 5}, {60, 5, 9, 40},
                 {1, 4, 3, 4},   {33, 1, 9, 1},    {2, 40, 3, 2}};
    hsp_kernel *kernel = NULL;
    if (expression) CHECK(hsp_kernel_parse(ctx, expression, 0, 1, NULL, &kernel) == HSP_OK);
    for (size_t i = 0; i < sizeof shape / sizeof *shape; i++) {
        fill(&t_rows, NULL, shape[i].rows, shape[i].cols, what);
        fill(&t_queries, &t_rows, shape[i].queries, shape[i].query_cols, what);
        for (uint64_t q = 0; q < QUERIES; q++)
            skips[q] = q % 3 == 2 || t_rows.rows < 2 ? HSP__KNN_NONE : below(t_rows.rows);
        naive_all(metric);
        if (t_rows.rows > 1) {
            storages(metric, kernel, what, exact);
            continue;
        }
        store(&s_rows, &t_rows, HSP_DENSE, HSP_FLOAT32);
        store(&s_queries, &t_queries, HSP_SPARSE, HSP_FLOAT32);
        find_all(metric, kernel, 0, exact);
    }
    hsp_kernel_free(kernel);
}

static void test_l2(void)
{
    shapes(HSP__METRIC_L2, NULL, WHOLE, 1);
    shapes(HSP__METRIC_L2, NULL, BITS, 1);
    shapes(HSP__METRIC_L2, NULL, REAL, 0);
}

static void test_l1(void)
{
    shapes(HSP__METRIC_L1, NULL, WHOLE, 1);
    shapes(HSP__METRIC_L1, NULL, BITS, 1);
    shapes(HSP__METRIC_L1, NULL, REAL, 0);
}

static void test_linf(void)
{
    shapes(HSP__METRIC_LINF, NULL, WHOLE, 1);
    shapes(HSP__METRIC_LINF, NULL, BITS, 1);
    shapes(HSP__METRIC_LINF, NULL, REAL, 1); /* a difference of two floats is exact */
}

static void test_cosine(void)
{
    shapes(HSP__METRIC_COSINE, NULL, WHOLE, 1);
    shapes(HSP__METRIC_COSINE, NULL, BITS, 1);
    shapes(HSP__METRIC_COSINE, NULL, REAL, 0);
}

static void test_hamming(void)
{
    shapes(HSP__METRIC_HAMMING, NULL, WHOLE, 1);
    shapes(HSP__METRIC_HAMMING, NULL, BITS, 1);
    shapes(HSP__METRIC_HAMMING, NULL, REAL, 1);
}

static void test_kernels(void)
{
    shapes(HSP__METRIC_KERNEL, "poly(2,1)", WHOLE, 1);
    shapes(HSP__METRIC_KERNEL, "poly(2,1)", BITS, 1);
}

/* A row is at 0 from itself and its copies, by every metric, whatever the numbers. */
static void test_identical(void)
{
    static const char *const expressions[] = {"rbf(0.7)", "laplace(0.3)", "poly(3,1)",
                                              "normalize(poly(2,1))"};
    for (int m = 0; m < 5 + 4; m++) {
        const hsp__metric metric = m < 5 ? (hsp__metric)m : HSP__METRIC_KERNEL;
        hsp_kernel *kernel = NULL;
        if (m >= 5) CHECK(hsp_kernel_parse(ctx, expressions[m - 5], 0, 1, NULL, &kernel) == HSP_OK);
        fill(&t_rows, NULL, 100, 30, REAL);
        t_queries = t_rows;
        for (int p = 0; p < 8; p++) {
            store(&s_rows, &t_rows, p & 1 ? HSP_DENSE : HSP_SPARSE,
                  p & 2 ? HSP_FLOAT64 : HSP_FLOAT32);
            store(&s_queries, &t_queries, p & 4 ? HSP_DENSE : HSP_SPARSE, HSP_FLOAT32);
            hsp_data *rows = copy(&s_rows.view);
            const hsp__knn_plan plan = {.metric = metric, .kind = HSP__KNN_AUTO, .kernel = kernel};
            hsp__knn_index *near = NULL;
            CHECK(hsp__knn_new(ctx, &plan, rows, NULL, &near) == HSP_OK);
            for (uint64_t i = 0; near && i < t_rows.rows; i++) {
                const double d = knn_distance(near, &s_queries.view, i, i);
                CHECK_NOTE(d == 0, "metric %d of kind %d: %g", m, p, d);
            }
            hsp__knn_free(near);
            hsp_data_free(rows);
        }
        hsp_kernel_free(kernel);
    }
}

/* The kernel's distance against its definition. */
static void test_feature_space(void)
{
    hsp_kernel *kernel = NULL;
    CHECK(hsp_kernel_parse(ctx, "rbf(0.05)", 0, 1, NULL, &kernel) == HSP_OK);
    fill(&t_rows, NULL, 90, 8, REAL);
    fill(&t_queries, &t_rows, 30, 11, REAL);
    store(&s_rows, &t_rows, HSP_SPARSE, HSP_FLOAT32);
    store(&s_queries, &t_queries, HSP_DENSE, HSP_FLOAT64);
    hsp_data *rows = copy(&s_rows.view);
    const hsp__knn_plan plan = {
        .metric = HSP__METRIC_KERNEL, .kind = HSP__KNN_AUTO, .kernel = kernel};
    hsp__knn_index *near = NULL;
    CHECK(hsp__knn_new(ctx, &plan, rows, NULL, &near) == HSP_OK);
    CHECK(hsp__knn_find(ctx, near, &s_queries.view, NULL, 90, NULL, found) == HSP_OK);
    for (uint64_t q = 0; q < 30; q++)
        for (uint64_t r = 0; r < 90; r++) {
            const hsp__neighbor *got = &found[q * 90 + r];
            const double l2 = naive_distance(HSP__METRIC_L2, &t_queries, q, &t_rows, got->row);
            CHECK(fabs(got->distance - sqrt(2 - 2 * exp(-0.05 * l2 * l2))) <= 1e-7);
        }
    hsp__knn_free(near);
    hsp_data_free(rows);
    hsp_kernel_free(kernel);
}

static void test_refusals(void)
{
    hsp_error err = {0};
    hsp_kernel *kernel = NULL;
    hsp__knn_index *near = NULL;
    fill(&t_rows, NULL, 9, 9, REAL);
    store(&s_rows, &t_rows, HSP_DENSE, HSP_FLOAT64);
    hsp_data *rows = copy(&s_rows.view);
    CHECK(hsp_kernel_parse(ctx, "precomputed", 0, 1, NULL, &kernel) == HSP_OK);
    hsp__knn_plan plan = {.metric = HSP__METRIC_KERNEL, .kind = HSP__KNN_AUTO, .kernel = kernel};
    CHECK(hsp__knn_new(ctx, &plan, rows, &err, &near) == HSP_USAGE);
    CHECK(strstr(err.message, "precomputed") != NULL);
    plan = (hsp__knn_plan){.metric = HSP__METRIC_HAMMING, .kind = HSP__KNN_TREE, .kernel = NULL};
    CHECK(hsp__knn_new(ctx, &plan, rows, &err, &near) == HSP_USAGE);
    CHECK(strstr(err.message, "tree") != NULL && strstr(err.message, "hamming") != NULL);
    hsp_data_free(rows);
    const uint64_t none[2] = {0};
    const hsp_view wide = hsp_view_sparse(HSP_FLOAT64, 1, 16385, 8, none, NULL, NULL);
    rows = copy(&wide);
    plan = (hsp__knn_plan){.metric = HSP__METRIC_L2, .kind = HSP__KNN_QUANTISED, .kernel = NULL};
    CHECK(hsp__knn_new(ctx, &plan, rows, &err, &near) == HSP_USAGE);
    CHECK(strstr(err.message, "16384 columns") != NULL && strstr(err.message, "16385") != NULL);
    hsp_data_free(rows);
    s_rows.wide[5] = 1e200;
    rows = copy(&s_rows.view);
    plan =
        (hsp__knn_plan){.metric = HSP__METRIC_COSINE, .kind = HSP__KNN_BRUTE_FORCE, .kernel = NULL};
    CHECK(hsp__knn_new(ctx, &plan, rows, &err, &near) == HSP_BAD_DATA);
    CHECK(strstr(err.message, "row 1 ") != NULL);
    CHECK(near == NULL);
    hsp_data_free(rows);
    hsp_kernel_free(kernel);
}

/* Differences whose squares leave the range of doubles, on either side, decide by what they are. */
static void check_extremes(const double *x, uint64_t count, double q, const uint64_t *want)
{
    const hsp_view view = hsp_view_dense(HSP_FLOAT64, count, 1, 1, x);
    const hsp_view query = hsp_view_dense(HSP_FLOAT64, 1, 1, 1, &q);
    hsp_data *rows = copy(&view);
    for (size_t v = 0; v < sizeof kinds / sizeof *kinds; v++) {
        const hsp__knn_plan plan = {.metric = HSP__METRIC_L2, .kind = kinds[v], .kernel = NULL};
        hsp__knn_index *near = NULL;
        if (!hsp__knn_fits(kinds[v], HSP__METRIC_L2, &view)) continue;
        CHECK(hsp__knn_new(ctx, &plan, rows, NULL, &near) == HSP_OK);
        CHECK(hsp__knn_find(ctx, near, &query, NULL, count, NULL, found) == HSP_OK);
        for (uint64_t r = 0; r < count; r++) {
            CHECK_NOTE(found[r].row == want[r], "index %s, place %llu: row %llu",
                       hsp__knn_name(kinds[v]), (unsigned long long)r,
                       (unsigned long long)found[r].row);
            CHECK(found[r].distance == fabs(x[want[r]] - q));
        }
        hsp__knn_free(near);
    }
    hsp_data_free(rows);
}

static void test_extremes(void)
{
    static const double large[] = {1e200, 3, -1.5e200, 1e201, 0};
    static const double small[] = {1e-300, 3e-300, -2e-300, 5e-324, 0, 1};
    static const double mixed[] = {1e200, 1e-300, 0, -1e-200};
    check_extremes(large, 5, 1, (const uint64_t[]){4, 1, 0, 2, 3});
    check_extremes(small, 6, 0, (const uint64_t[]){4, 3, 0, 2, 1, 5});
    check_extremes(small, 6, -1e-300, (const uint64_t[]){2, 3, 4, 0, 1, 5});
    check_extremes(mixed, 4, 0, (const uint64_t[]){2, 1, 3, 0});
}

/* A squared norm that underflows is no norm for a cosine. */
static void test_tiny_cosine(void)
{
    const double x[] = {1, 2, 1e-300, 0, 0, 0};
    const hsp__knn_plan plan = {
        .metric = HSP__METRIC_COSINE, .kind = HSP__KNN_BRUTE_FORCE, .kernel = NULL};
    const hsp_view view = hsp_view_dense(HSP_FLOAT64, 3, 2, 2, x);
    hsp_data *rows = copy(&view);
    hsp__knn_index *near = NULL;
    hsp_error err = {0};
    CHECK(hsp__knn_new(ctx, &plan, rows, &err, &near) == HSP_BAD_DATA);
    CHECK_NOTE(strstr(err.message, "row 2 is too small") != NULL, "%s", err.message);
    hsp_data_free(rows);
}

/* What auto takes for sparse rows: the entries per row, relative to the columns. */
static void test_choice(void)
{
    static const struct {
        uint64_t cols, each;
        hsp__knn_kind kind;
    } cases[] = {{780, 150, HSP__KNN_QUANTISED}, {300, 12, HSP__KNN_QUANTISED},
                 {123, 14, HSP__KNN_QUANTISED},  {500, 2, HSP__KNN_INVERTED},
                 {512, 1, HSP__KNN_INVERTED},    {4000, 80, HSP__KNN_INVERTED}};
    enum { COUNT = 300 };
    static uint64_t starts[COUNT + 1];
    static uint32_t indices[COUNT * 150];
    static double values[COUNT * 150];
    for (size_t c = 0; c < sizeof cases / sizeof *cases; c++) {
        for (uint64_t i = 0, at = 0; i < COUNT; starts[++i] = at)
            for (uint64_t e = 0; e < cases[c].each; e++, at++)
                indices[at] = (uint32_t)(e * 2), values[at] = 1;
        const hsp_view view =
            hsp_view_sparse(HSP_FLOAT64, COUNT, cases[c].cols, 8, starts, indices, values);
        const hsp__knn_plan plan = {.metric = HSP__METRIC_L2, .kind = HSP__KNN_AUTO};
        const hsp__knn_kind taken = hsp__knn_choose(&plan, &view);
        CHECK_NOTE(taken == cases[c].kind, "%llu of %llu: %s", (unsigned long long)cases[c].each,
                   (unsigned long long)cases[c].cols, hsp__knn_name(taken));
    }
}

/* A query that is refused has its number among all, though they are met in blocks. */
static void test_refused_query(void)
{
    enum { COUNT = 40000, BAD = 37001 };
    static double q[COUNT];
    static hsp__neighbor out[COUNT];
    double x[] = {1, 2};
    const hsp_view view = hsp_view_dense(HSP_FLOAT64, 2, 1, 1, x);
    const hsp_view queries = hsp_view_dense(HSP_FLOAT64, COUNT, 1, 1, q);
    const hsp__knn_plan plan = {
        .metric = HSP__METRIC_COSINE, .kind = HSP__KNN_BRUTE_FORCE, .kernel = NULL};
    hsp_data *rows = copy(&view);
    hsp__knn_index *near = NULL;
    hsp_error err = {0};
    q[BAD - 1] = 1e200;
    CHECK(hsp__knn_new(ctx, &plan, rows, NULL, &near) == HSP_OK);
    CHECK(hsp__knn_find(ctx, near, &queries, NULL, 1, &err, out) == HSP_BAD_DATA);
    CHECK_NOTE(strstr(err.message, "row 37001 ") != NULL, "%s", err.message);
    hsp__knn_free(near);
    hsp_data_free(rows);
}

/* A row is at 0 from itself and from its multiples by powers of two, however large or small. */
static void test_own_cosine(void)
{
    static const double scales[] = {0x1p-500, 1e-120, 1e-80, 1, 1e80, 1e90, 0x1p400, 1e150};
    const hsp__knn_plan plan = {
        .metric = HSP__METRIC_COSINE, .kind = HSP__KNN_BRUTE_FORCE, .kernel = NULL};
    for (size_t s = 0; s < sizeof scales / sizeof *scales; s++) {
        for (int r = 0; r < 20; r++) {
            const double a = (1 + rng()) * scales[s], b = (1 + rng()) * scales[s];
            double x[] = {a, b, a / 2, b / 2, 4 * a, 4 * b};
            const hsp_view view = hsp_view_dense(HSP_FLOAT64, 3, 2, 2, x);
            hsp_data *rows = copy(&view);
            hsp__knn_index *near = NULL;
            CHECK(hsp__knn_new(ctx, &plan, rows, NULL, &near) == HSP_OK);
            for (uint64_t q = 0; near && q < 9; q++) {
                const double d = knn_distance(near, &view, q / 3, q % 3);
                CHECK_NOTE(d == 0, "%g from (%g, %g)", d, a, b);
            }
            hsp__knn_free(near);
            hsp_data_free(rows);
        }
    }
}

int main(void)
{
    if (hsp_context_new(NULL, &ctx) != HSP_OK) return 1;
    RUN(test_l2);
    RUN(test_l1);
    RUN(test_linf);
    RUN(test_cosine);
    RUN(test_hamming);
    RUN(test_kernels);
    RUN(test_identical);
    RUN(test_feature_space);
    RUN(test_refusals);
    RUN(test_extremes);
    RUN(test_tiny_cosine);
    RUN(test_refused_query);
    RUN(test_own_cosine);
    RUN(test_choice);
    hsp_context_free(ctx);
    return check_done();
}
