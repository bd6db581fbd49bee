/* Eigenvalues against matrices whose values are known; verdicts on kernels that are and are not,
 * with witnesses recomputed in long double from the expression's own formula. */
#include <float.h>
#include <math.h>
#include <stdint.h>

#include "../check.h"
#include "halfspace_all.h"
#include "kernel/eigen.h"

static hsp_context *ctx;
static uint64_t rng_state = 88172645463325252u;

static double rng(void)
{
    rng_state ^= rng_state << 13;
    rng_state ^= rng_state >> 7;
    rng_state ^= rng_state << 17;
    return (double)(rng_state >> 11) * 0x1p-53;
}

enum { ROWS = 60, COLS = 5, WIDE = 150 };
static double points[ROWS * COLS];
static double matrix[WIDE * WIDE], kept[WIDE * WIDE], values[WIDE], vector[WIDE];

static void fill(void)
{
    for (size_t k = 0; k < ROWS * (size_t)COLS; k++)
        points[k] = rng() < 0.3 ? 0 : 2 * rng();
}

static hsp_data *data_of(const double *rows, uint64_t n, uint64_t d)
{
    const hsp_view view = hsp_view_dense(HSP_FLOAT64, n, d, d, rows);
    hsp_data *data = NULL;
    CHECK(hsp_data_copy(ctx, &view, NULL, NULL, NULL, &data) == HSP_OK);
    return data;
}

/* ---- Eigenvalues ---- */

/* 2 on the diagonal, -1 next to it: 2 - 2 cos(k pi / (n + 1)). */
static void test_known_values(void)
{
    for (uint64_t n = 1; n <= WIDE; n += n < 20 ? 1 : 43) {
        memset(matrix, 0, sizeof matrix);
        for (uint64_t i = 0; i < n; i++) {
            matrix[i * n + i] = 2;
            if (i) matrix[i * n + i - 1] = matrix[(i - 1) * n + i] = -1;
        }
        CHECK(hsp__eigen_symmetric(ctx, n, matrix, NULL, values, vector) == HSP_OK);
        for (uint64_t k = 0; k < n; k++)
            CHECK(fabs(values[k] - (2 - 2 * cos((double)(k + 1) * acos(-1.0) / (double)(n + 1)))) <=
                  1e-13);
    }
}

/* Random symmetric matrices of any scale: trace, sum of squares, and A v = value v. */
static void check_random(uint64_t n, double scale)
{
    long double trace = 0, squares = 0, sum = 0, sum_squares = 0;
    for (uint64_t i = 0; i < n; i++)
        for (uint64_t j = 0; j <= i; j++)
            kept[i * n + j] = kept[j * n + i] = scale * (rng() - 0.5);
    memcpy(matrix, kept, sizeof matrix);
    CHECK(hsp__eigen_symmetric(ctx, n, matrix, NULL, values, vector) == HSP_OK);
    long double length = 0;
    for (uint64_t i = 0; i < n; i++) {
        long double product = 0;
        trace += kept[i * n + i] / scale;
        for (uint64_t j = 0; j < n; j++) {
            squares += powl(kept[i * n + j] / scale, 2);
            product += (long double)kept[i * n + j] * vector[j];
        }
        CHECK(fabsl(product - (long double)values[0] * vector[i]) <= 1e-13L * (long double)scale);
        sum += values[i] / scale, sum_squares += powl(values[i] / scale, 2);
        length += (long double)vector[i] * vector[i];
        if (i) CHECK(values[i] >= values[i - 1]);
    }
    CHECK(fabsl(length - 1) <= 1e-14L);
    CHECK(fabsl(sum - trace) <= 1e-13L * (long double)n);
    CHECK(fabsl(sum_squares - squares) <= 1e-12L * (long double)n);
}

static void test_random_values(void)
{
    for (uint64_t n = 1; n < 30; n++)
        check_random(n, 1);
    check_random(WIDE, 1);
    check_random(WIDE, 1e200);
    check_random(WIDE, 1e-200);
}

/* Zeros, multiples of the identity, one direction, blocks that are not coupled. */
static void test_special_values(void)
{
    enum { N = 40 };
    memset(matrix, 0, sizeof matrix);
    CHECK(hsp__eigen_symmetric(ctx, N, matrix, NULL, values, vector) == HSP_OK);
    for (size_t k = 0; k < N; k++)
        CHECK(values[k] == 0);
    for (size_t k = 0; k < N; k++)
        matrix[k * N + k] = k % 2 ? 3 : -7;
    CHECK(hsp__eigen_symmetric(ctx, N, matrix, NULL, values, vector) == HSP_OK);
    for (size_t k = 0; k < N; k++)
        CHECK(fabs(values[k] - (k < N / 2 ? -7 : 3)) <= 1e-14);
    for (size_t k = 0; k < N * N; k++)
        matrix[k] = -1;
    CHECK(hsp__eigen_symmetric(ctx, N, matrix, NULL, values, vector) == HSP_OK);
    CHECK(fabs(values[0] + N) <= 1e-13);
    for (size_t k = 1; k < N; k++)
        CHECK(fabs(values[k]) <= 1e-13);
    for (size_t k = 0; k < N; k++)
        CHECK(fabs(fabs(vector[k]) - 1 / sqrt(N)) <= 1e-14);
}

/* Large enough that a step has more than one part. */
static void test_threads_change_nothing(void)
{
    enum { N = 450 };
    double *whole = malloc(sizeof(double) * N * N), *work = malloc(sizeof(double) * N * N);
    static double one[2 * N], other[2 * N]; /* values, then the vector */
    for (size_t i = 0; whole && i < N; i++)
        for (size_t j = 0; j <= i; j++)
            whole[i * N + j] = whole[j * N + i] = rng();
    CHECK(whole && work);
    for (int threads = 1; whole && work && threads <= 3; threads++) {
        double *to = threads == 1 ? one : other;
        CHECK(hsp_context_set_threads(ctx, threads) == HSP_OK);
        memcpy(work, whole, sizeof(double) * N * N);
        CHECK(hsp__eigen_symmetric(ctx, N, work, NULL, to, to + N) == HSP_OK);
        if (threads > 1) CHECK(memcmp(one, other, sizeof one) == 0);
    }
    CHECK(hsp_context_set_threads(ctx, 0) == HSP_OK);
    free(whole);
    free(work);
}

/* ---- Verdicts ---- */

static hsp_kernel_report *check(const char *text, hsp_data *data, const uint64_t *rows,
                                uint64_t count)
{
    hsp_kernel *kernel = NULL;
    hsp_kernel_report *verdict = NULL;
    hsp_error err = {0};
    const hsp_view *view = NULL;
    char line[512];
    CHECK(hsp_data_view(ctx, data, NULL, &view) == HSP_OK);
    CHECK_NOTE(hsp_kernel_parse(ctx, text, 1, 1, &err, &kernel) == HSP_OK &&
                   hsp_kernel_fit(ctx, kernel, view, &err) == HSP_OK &&
                   hsp_kernel_check(ctx, kernel, data, rows, count, &err, &verdict) == HSP_OK,
               "%s: %s", text, hsp_error_text(&err, line, sizeof line));
    hsp_kernel_free(kernel);
    return verdict;
}

/* A kernel by the closure rules, `depth` of them at most. */
static void closed(char *text, size_t size, int depth)
{
    static const char *const leaves[] = {"linear",       "poly(2,1)",  "poly(3,0.5)",  "rbf(0.3)",
                                         "rbf(median)",  "rbf(1/d)",   "laplace(0.4)", "chi2(0.2)",
                                         "intersection", "const(2.5)", "0.25"};
    char left[400], right[400];
    const int rule = depth ? (int)(rng() * 8) : 7;
    if (rule < 6) closed(left, sizeof left, depth - 1);
    if (rule < 3) closed(right, sizeof right, depth - 1);
    if (rule == 0)
        snprintf(text, size, "(%s + %s)", left, right);
    else if (rule == 1 || rule == 2)
        snprintf(text, size, "%s*%s", left, right);
    else if (rule == 3)
        snprintf(text, size, "(%s)^%d", left, 1 + (int)(rng() * 3));
    else if (rule == 4)
        snprintf(text, size, "normalize(%s + 0.1)", left);
    else if (rule == 5)
        snprintf(text, size, "rescale(x1 - norm/(1 + x2) + exp(-x3), %s)", left);
    else if (rule == 6)
        snprintf(text, size, "cols(1-2,4; %s)", leaves[(int)(rng() * 9)]);
    else
        snprintf(text, size, "%s", leaves[(int)(rng() * 11)]);
}

static void test_closed_expressions_are_kernels(void)
{
    char text[1000];
    for (int turn = 0; turn < 150; turn++) {
        fill();
        closed(text, sizeof text, 3);
        hsp_data *data = data_of(points, ROWS, COLS);
        hsp_kernel_report *verdict = check(text, data, NULL, 0);
        if (verdict) {
            const double *v = verdict->eigenvalues;
            CHECK(verdict->rows == ROWS);
            CHECK_NOTE(verdict->semidefinite, "%s: %g", text, v[ROWS - 1]);
            CHECK(verdict->witness_count == 0);
            CHECK_NOTE(verdict->tolerance <= 1e-7 * v[0], "%s", text); /* or it would say little */
            CHECK(verdict->rank >= 1 && verdict->rank <= ROWS);
            CHECK(v[ROWS - 1] >= -verdict->tolerance);
        }
        hsp_kernel_report_free(verdict);
        hsp_data_free(data);
    }
}

/* ---- Not kernels ---- */

typedef struct foul {
    const char *text;
    long double (*value)(const double *x, const double *y);
    uint64_t most; /* rows that a witness needs at most */
} foul;

static long double dot(const double *x, const double *y)
{
    long double sum = 0;
    for (size_t j = 0; j < COLS; j++)
        sum += (long double)x[j] * y[j];
    return sum;
}

static long double distance(const double *x, const double *y)
{
    return dot(x, x) + dot(y, y) - 2 * dot(x, y);
}

static long double foul_sigmoid(const double *x, const double *y)
{
    return tanhl(0.5L * dot(x, y) - 1);
}
static long double foul_difference(const double *x, const double *y)
{
    return expl(-distance(x, y)) - expl(-0.1L * distance(x, y));
}
static long double foul_factor(const double *x, const double *y)
{
    return dot(x, y) - 0.5L * dot(x, y) * dot(x, y);
}
static long double foul_poly(const double *x, const double *y)
{
    return powl(dot(x, y) - 2, 3);
}
static long double foul_constant(const double *x, const double *y)
{
    return expl(-0.3L * distance(x, y)) - 0.9L;
}

static const foul fouls[] = {{"sigmoid(0.5,-1)", foul_sigmoid, 2},
                             {"rbf(1) - rbf(0.1)", foul_difference, 2},
                             {"linear - 0.5*linear^2", foul_factor, 1},
                             {"poly(3,-2)", foul_poly, 1},
                             {"rbf(0.3) + -0.9", foul_constant, 3}};

static void test_witnesses_are_true(void)
{
    for (size_t k = 0; k < sizeof fouls / sizeof *fouls; k++) {
        fill();
        hsp_data *data = data_of(points, ROWS, COLS);
        hsp_kernel_report *verdict = check(fouls[k].text, data, NULL, 0);
        long double sum = 0;
        CHECK_NOTE(verdict && !verdict->semidefinite, "%s", fouls[k].text);
        if (!verdict) continue;
        CHECK(verdict->eigenvalues[ROWS - 1] < -verdict->tolerance);
        CHECK_NOTE(verdict->witness_count >= 1 && verdict->witness_count <= fouls[k].most,
                   "%s: %llu", fouls[k].text, (unsigned long long)verdict->witness_count);
        for (uint64_t p = 0; p < verdict->witness_count; p++) {
            CHECK(verdict->witness_row[p] < ROWS);
            CHECK(p == 0 || verdict->witness_row[p] > verdict->witness_row[p - 1]);
            CHECK(verdict->witness[p] * 100 == nearbyint(verdict->witness[p] * 100));
            for (uint64_t q = 0; q < verdict->witness_count; q++)
                sum += (long double)verdict->witness[p] * verdict->witness[q] *
                       fouls[k].value(points + verdict->witness_row[p] * COLS,
                                      points + verdict->witness_row[q] * COLS);
        }
        CHECK_NOTE(sum < 0, "%s", fouls[k].text);
        CHECK(fabsl(sum - verdict->witness_value) <= 1e-10L * (1 + fabsl(sum)));
        hsp_kernel_report_free(verdict);
        hsp_data_free(data);
    }
}

/* A witness that needs every row: I - (1 + s) u u', u the unit vector of equal parts, has no
 * negative principal minor of fewer. */
static void test_a_witness_of_all_rows(void)
{
    enum { N = 30 };
    double gram[N * N];
    for (size_t i = 0; i < N; i++)
        for (size_t j = 0; j < N; j++)
            gram[i * N + j] = (i == j) - 1.001 / N;
    hsp_data *data = data_of(gram, N, N);
    hsp_kernel_report *verdict = check("precomputed", data, NULL, 0);
    CHECK(verdict && !verdict->semidefinite && verdict->witness_count == N);
    if (verdict) CHECK(fabs(verdict->eigenvalues[N - 1] + 0.001) <= 1e-13);
    if (verdict)
        for (size_t p = 0; p < N; p++)
            CHECK(verdict->witness[p] == 1);
    hsp_kernel_report_free(verdict);
    hsp_data_free(data);
}

/* ---- Small and degenerate ---- */

static void test_few_rows(void)
{
    static const double one[] = {0, 0}, two[] = {1, 2, 1, 2}, far[] = {0, 0, 1e3, 0};
    hsp_data *data = data_of(one, 1, 2);
    hsp_kernel_report *verdict = check("linear", data, NULL, 0);
    CHECK(verdict && verdict->semidefinite && verdict->rank == 0 && verdict->eigenvalues[0] == 0);
    hsp_kernel_report_free(verdict);
    verdict = check("const(-1)", data, NULL, 0);
    CHECK(verdict && !verdict->semidefinite && verdict->witness_count == 1);
    if (verdict) CHECK(verdict->witness[0] == 1 && verdict->witness_value == -1);
    hsp_kernel_report_free(verdict);
    hsp_data_free(data);
    data = data_of(two, 2, 2); /* the same point twice */
    verdict = check("rbf(1) + linear", data, NULL, 0);
    CHECK(verdict && verdict->semidefinite && verdict->rank == 1);
    if (verdict) CHECK(fabs(verdict->eigenvalues[0] - 12) <= 1e-14);
    hsp_kernel_report_free(verdict);
    hsp_data_free(data);
    data = data_of(far, 2, 2);
    verdict = check("rbf(1)", data, NULL, 0);
    CHECK(verdict && verdict->semidefinite && verdict->rank == 2);
    hsp_kernel_report_free(verdict);
    hsp_data_free(data);
}

static void test_no_rows(void)
{
    hsp_data *data = data_of(points, 0, COLS);
    hsp_kernel_report *verdict = check("linear", data, NULL, 0);
    CHECK(verdict && verdict->rows == 0 && verdict->semidefinite && verdict->rank == 0);
    hsp_kernel_report_free(verdict);
    hsp_data_free(data);
}

static void test_duplicate_rows(void)
{
    fill();
    memcpy(points + (size_t)(ROWS / 2) * COLS, points, sizeof points / 2);
    hsp_data *data = data_of(points, ROWS, COLS);
    hsp_kernel_report *verdict = check("laplace(0.7)", data, NULL, 0);
    CHECK(verdict && verdict->semidefinite && verdict->rank == ROWS / 2);
    hsp_kernel_report_free(verdict);
    hsp_data_free(data);
}

static void test_some_rows(void)
{
    const uint64_t rows[] = {3, 17, 40};
    uint64_t sample[20];
    fill();
    hsp_data *data = data_of(points, ROWS, COLS);
    hsp_kernel_report *verdict = check("-1*rbf(1)", data, rows, 3);
    CHECK(verdict && verdict->rows == 3 && !verdict->semidefinite);
    if (verdict) CHECK(verdict->witness_count == 1 && verdict->witness_row[0] == 3);
    hsp_kernel_report_free(verdict);
    CHECK(hsp_data_sample(data, 20, 7, NULL, sample) == HSP_OK);
    for (size_t k = 1; k < 20; k++)
        CHECK(sample[k] > sample[k - 1] && sample[k] < ROWS);
    CHECK(hsp_data_sample(data, ROWS + 1, 7, NULL, sample) == HSP_USAGE);
    hsp_data_free(data);
}

/* ---- What is refused ---- */

static void refused(const char *text, const double *rows, uint64_t n, uint64_t d, const char *part)
{
    hsp_kernel *kernel = NULL;
    hsp_kernel_report *verdict = NULL;
    hsp_error err = {0};
    hsp_data *data = data_of(rows, n, d);
    CHECK(hsp_kernel_parse(ctx, text, 1, 1, NULL, &kernel) == HSP_OK);
    CHECK_NOTE(hsp_kernel_check(ctx, kernel, data, NULL, 0, &err, &verdict) == HSP_BAD_DATA, "%s",
               text);
    CHECK(verdict == NULL);
    CHECK_NOTE(strstr(err.message, part) != NULL, "%s: %s", text, err.message);
    hsp_kernel_free(kernel);
    hsp_data_free(data);
}

static void test_refusals(void)
{
    static const double huge[] = {1e200, 1, 1, 2}, minus[] = {1, 2, -3, 4}, zero[] = {0, 1, 1, 1};
    static const double crooked[] = {2, 1, 0.5, 2}, wide[] = {1, 2, 3, 4, 5, 6};
    refused("linear", huge, 2, 2, "finite");
    refused("rbf(1)", huge, 2, 2, "finite");
    refused("poly(900,1)", wide, 2, 3, "finite");
    refused("chi2", minus, 2, 2, ">= 0");
    refused("intersection", minus, 2, 2, ">= 0");
    refused("rescale(1/x1, linear)", zero, 2, 2, "finite");
    refused("rescale(sqrt(0 - x2), linear)", zero, 2, 2, "finite");
    refused("precomputed", crooked, 2, 2, "not symmetric");
    refused("precomputed", wide, 2, 3, "as many columns as rows");
}

int main(void)
{
    if (hsp_context_new(NULL, &ctx)) return 1;
    RUN(test_known_values);
    RUN(test_random_values);
    RUN(test_special_values);
    RUN(test_threads_change_nothing);
    RUN(test_closed_expressions_are_kernels);
    RUN(test_witnesses_are_true);
    RUN(test_a_witness_of_all_rows);
    RUN(test_few_rows);
    RUN(test_no_rows);
    RUN(test_duplicate_rows);
    RUN(test_some_rows);
    RUN(test_refusals);
    hsp_context_free(ctx);
    return check_done();
}
