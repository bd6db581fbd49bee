/* Factors reproduce the kernel, as features and in what learners do with them; Gram matrices as
 * files come back to the bit, in LIBSVM's layout too. */
#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <unistd.h>

#include "../check.h"
#include "halfspace_all.h"

static hsp_context *ctx;
static uint64_t rng_state = 88172645463325252u;

static double rng(void)
{
    rng_state ^= rng_state << 13;
    rng_state ^= rng_state >> 7;
    rng_state ^= rng_state << 17;
    return (double)(rng_state >> 11) * 0x1p-53;
}

enum { ROWS = 70, COLS = 4 };
static double points[ROWS * COLS];
static uint32_t labels[ROWS];
static double gram[ROWS * ROWS];

static hsp_data *data_of(uint64_t n)
{
    hsp_view view = hsp_view_dense(HSP_FLOAT64, n, COLS, COLS, points);
    hsp_data *data = NULL;
    view.labels = labels, view.classes = 2;
    CHECK(hsp_data_copy(ctx, &view, NULL, NULL, NULL, &data) == HSP_OK);
    return data;
}

static void fill(void)
{
    for (size_t k = 0; k < ROWS * (size_t)COLS; k++)
        points[k] = rng() < 0.2 ? 0 : rng() * 1.5;
    for (size_t i = 0; i < ROWS; i++)
        labels[i] = points[i * COLS] * points[i * COLS + 1] > 0.5;
}

static hsp_kernel *kernel_of(const char *text, hsp_data *data)
{
    hsp_kernel *kernel = NULL;
    const hsp_view *view = NULL;
    CHECK(hsp_data_view(ctx, data, NULL, &view) == HSP_OK);
    CHECK_NOTE(hsp_kernel_parse(ctx, text, 1, 1, NULL, &kernel) == HSP_OK, "%s", text);
    CHECK(hsp_kernel_fit(ctx, kernel, view, NULL) == HSP_OK);
    return kernel;
}

static long double features_dot(const hsp_view *view, uint64_t i, uint64_t j)
{
    const double *values = view->values;
    long double sum = 0;
    for (uint64_t k = 0; k < view->cols; k++)
        sum += (long double)values[i * view->stride + k] * values[j * view->stride + k];
    return sum;
}

/* ---- Factors ---- */

typedef struct sample {
    const char *text;
    uint64_t rank; /* 0: whatever it is */
} sample;

static const sample samples[] = {
    {"linear", COLS},
    {"poly(2,1)", 15}, /* monomials of degree up to 2 in 4 columns */
    {"poly(2,0)", 10},
    {"const(2)", 1},
    {"cols(1,3; linear)", 2},
    {"laplace(1)", ROWS},
    {"rbf(median)", 0},
    {"chi2(2)", 0},
    {"intersection", 0},
    {"0.5*rbf(0.1) + normalize(poly(2,1))*linear", 0},
    {"rescale(1/(1 + norm), linear + rbf(1/d))^2", 0},
};

static void test_factors_reproduce(void)
{
    for (size_t s = 0; s < sizeof samples / sizeof *samples; s++) {
        hsp_factor factor = {.size = sizeof factor};
        hsp_data *features = NULL;
        const hsp_view *view = NULL;
        long double most = 0, size = 0;
        fill();
        hsp_data *data = data_of(ROWS);
        hsp_kernel *kernel = kernel_of(samples[s].text, data);
        CHECK(hsp_kernel_gram(ctx, kernel, data, NULL, NULL, gram) == HSP_OK);
        CHECK(hsp_kernel_factor(ctx, kernel, data, NULL, 0, NULL, &factor, &features) == HSP_OK);
        CHECK(hsp_data_view(ctx, features, NULL, &view) == HSP_OK);
        CHECK(view->rows == ROWS && view->cols == factor.rank && view->classes == 2);
        if (samples[s].rank)
            CHECK_NOTE(factor.rank == samples[s].rank, "%s: %llu", samples[s].text,
                       (unsigned long long)factor.rank);
        for (uint64_t i = 0; i < ROWS; i++) {
            CHECK(view->labels[i] == labels[i]);
            for (uint64_t j = 0; j < ROWS; j++) {
                most = fmaxl(most, fabsl(features_dot(view, i, j) - gram[i * ROWS + j]));
                size = fmaxl(size, fabsl(gram[i * ROWS + j]));
            }
        }
        CHECK_NOTE(most <= 1e-11L * size, "%s: %Lg", samples[s].text, most);
        CHECK(fabsl(most - factor.error) <= 1e-14L * size); /* what it claims is what it is */
        hsp_data_free(features);
        hsp_kernel_free(kernel);
        hsp_data_free(data);
    }
}

/* A perceptron that sees the rows by their inner products only. */
static uint64_t perceptron(long double (*value)(const void *, uint64_t, uint64_t), const void *of,
                           char *wrong)
{
    int updates[ROWS] = {0};
    uint64_t mistakes = 0;
    for (uint64_t t = 0; t < 4 * (uint64_t)ROWS; t++) {
        const uint64_t i = t % ROWS;
        long double score = 0;
        for (uint64_t j = 0; j < ROWS; j++)
            if (updates[j]) score += updates[j] * value(of, i, j);
        const int y = labels[i] ? 1 : -1;
        wrong[t] = score * y <= 0;
        if (wrong[t]) updates[i] += y, mistakes++;
    }
    return mistakes;
}

static long double value_of_gram(const void *of, uint64_t i, uint64_t j)
{
    return ((const double *)of)[i * ROWS + j];
}

static long double value_of_features(const void *of, uint64_t i, uint64_t j)
{
    return features_dot(of, i, j);
}

static void test_perceptrons_make_the_same_mistakes(void)
{
    static char with_kernel[4 * ROWS], with_features[4 * ROWS];
    for (size_t s = 0; s < sizeof samples / sizeof *samples; s++) {
        hsp_factor factor = {.size = sizeof factor};
        hsp_data *features = NULL;
        const hsp_view *view = NULL;
        fill();
        hsp_data *data = data_of(ROWS);
        hsp_kernel *kernel = kernel_of(samples[s].text, data);
        CHECK(hsp_kernel_gram(ctx, kernel, data, NULL, NULL, gram) == HSP_OK);
        CHECK(hsp_kernel_factor(ctx, kernel, data, NULL, 0, NULL, &factor, &features) == HSP_OK);
        CHECK(hsp_data_view(ctx, features, NULL, &view) == HSP_OK);
        if (strcmp(samples[s].text, "const(2)") != 0) { /* whose scores are all ties */
            CHECK(perceptron(value_of_gram, gram, with_kernel) > 0);
            perceptron(value_of_features, view, with_features);
            CHECK_NOTE(memcmp(with_kernel, with_features, sizeof with_kernel) == 0, "%s",
                       samples[s].text);
        }
        hsp_data_free(features);
        hsp_kernel_free(kernel);
        hsp_data_free(data);
    }
}

static void test_no_factor_of_what_is_no_kernel(void)
{
    hsp_factor factor = {.size = sizeof factor};
    fill();
    hsp_data *data = data_of(ROWS);
    hsp_kernel *kernel = kernel_of("rbf(1) - rbf(0.1)", data);
    CHECK(hsp_kernel_factor(ctx, kernel, data, NULL, 0, NULL, &factor, NULL) == HSP_OK);
    CHECK(factor.error > 0.01);
    hsp_kernel_free(kernel);
    hsp_data_free(data);
}

static void test_few_rows(void)
{
    const uint64_t one[] = {5}, same[] = {5, 5}, two[] = {5, 9};
    hsp_factor factor = {.size = sizeof factor};
    hsp_data *features = NULL;
    const hsp_view *view = NULL;
    fill();
    hsp_data *data = data_of(ROWS), *none = data_of(0);
    hsp_kernel *kernel = kernel_of("rbf(1)", data);
    CHECK(hsp_kernel_factor(ctx, kernel, none, NULL, 0, NULL, &factor, &features) == HSP_OK);
    CHECK(factor.rank == 0 && factor.error == 0 && hsp_data_rows(features) == 0);
    hsp_data_free(features);
    CHECK(hsp_kernel_factor(ctx, kernel, data, one, 1, NULL, &factor, NULL) == HSP_OK);
    CHECK(factor.rank == 1 && factor.error == 0);
    CHECK(hsp_kernel_factor(ctx, kernel, data, same, 2, NULL, &factor, NULL) == HSP_OK);
    CHECK(factor.rank == 1 && factor.error <= 1e-15);
    CHECK(hsp_kernel_factor(ctx, kernel, data, two, 2, NULL, &factor, &features) == HSP_OK);
    CHECK(factor.rank == 2 && factor.error <= 1e-15);
    CHECK(hsp_data_view(ctx, features, NULL, &view) == HSP_OK);
    CHECK(view->labels[0] == labels[5] && view->labels[1] == labels[9]);
    hsp_data_free(features);
    const uint64_t beyond[] = {ROWS};
    CHECK(hsp_kernel_factor(ctx, kernel, data, beyond, 1, NULL, &factor, NULL) == HSP_USAGE);
    hsp_kernel_free(kernel);
    hsp_data_free(data);
    hsp_data_free(none);
}

static void test_threads_change_nothing(void)
{
    enum { N = 700 };
    hsp_factor factor = {.size = sizeof factor};
    double *values = malloc(sizeof(double) * N * 2);
    hsp_data *features[3] = {NULL};
    const hsp_view *first = NULL, *other = NULL;
    for (size_t k = 0; values && k < (size_t)N * 2; k++)
        values[k] = rng();
    const hsp_view view = hsp_view_dense(HSP_FLOAT64, N, 2, 2, values);
    hsp_data *data = NULL;
    CHECK(hsp_data_copy(ctx, &view, NULL, NULL, NULL, &data) == HSP_OK);
    hsp_kernel *kernel = kernel_of("laplace(3)", data);
    for (int threads = 1; threads <= 3; threads++) {
        CHECK(hsp_context_set_threads(ctx, threads) == HSP_OK);
        CHECK(hsp_kernel_factor(ctx, kernel, data, NULL, 0, NULL, &factor,
                                &features[threads - 1]) == HSP_OK);
        CHECK(hsp_data_view(ctx, features[threads - 1], NULL, &other) == HSP_OK);
        if (threads == 1) first = other;
        CHECK(other->cols == first->cols &&
              memcmp(other->values, first->values, sizeof(double) * N * other->cols) == 0);
    }
    CHECK(hsp_context_set_threads(ctx, 0) == HSP_OK);
    for (int k = 0; k < 3; k++)
        hsp_data_free(features[k]);
    hsp_kernel_free(kernel);
    hsp_data_free(data);
    free(values);
}

/* ---- Files ---- */

static hsp_data *read_back(const char *path)
{
    hsp_options *options = NULL;
    hsp_data *data = NULL;
    hsp_error err = {0};
    char line[512];
    CHECK(hsp_options_new(ctx, hsp_read_options(), NULL, &options) == HSP_OK);
    CHECK(hsp_options_set(options, "precision", "double", NULL) == HSP_OK);
    CHECK_NOTE(hsp_data_read(ctx, path, options, NULL, &err, &data) == HSP_OK, "%s",
               hsp_error_text(&err, line, sizeof line));
    hsp_options_free(options);
    return data;
}

/* The matrix of `a` with itself and of `b` with `a`, through files of one format. */
static void round_trip(const char *ending, const char *text)
{
    static double again[ROWS * ROWS];
    char own[64], other[64];
    snprintf(own, sizeof own, "/tmp/halfspace-gram-%ld.%s", (long)getpid(), ending);
    snprintf(other, sizeof other, "/tmp/halfspace-gram-%ld-b.%s", (long)getpid(), ending);
    fill();
    hsp_data *a = data_of(ROWS), *b = data_of(9);
    hsp_kernel *kernel = kernel_of(text, a);
    CHECK(hsp_kernel_gram_write(ctx, kernel, a, NULL, own, NULL, NULL) == HSP_OK);
    CHECK(hsp_kernel_gram_write(ctx, kernel, b, a, other, NULL, NULL) == HSP_OK);
    hsp_data *given = read_back(own), *few = read_back(other);
    hsp_kernel *precomputed = kernel_of("precomputed", given);
    CHECK(hsp_kernel_gram(ctx, kernel, a, NULL, NULL, gram) == HSP_OK);
    CHECK(hsp_kernel_gram(ctx, precomputed, given, NULL, NULL, again) == HSP_OK);
    CHECK_NOTE(memcmp(gram, again, sizeof gram) == 0, "%s", ending);
    CHECK(hsp_kernel_gram(ctx, kernel, b, a, NULL, gram) == HSP_OK);
    CHECK(hsp_kernel_gram(ctx, precomputed, few, given, NULL, again) == HSP_OK);
    CHECK_NOTE(memcmp(gram, again, sizeof(double) * 9 * ROWS) == 0, "%s", ending);
    /* Some rows of it are still a Gram matrix: they keep their numbers. */
    const uint64_t rows[] = {4, 60, 61};
    hsp_data *part = NULL;
    double small[9];
    CHECK(hsp_data_select(ctx, given, rows, 3, NULL, &part) == HSP_OK);
    CHECK(hsp_kernel_gram(ctx, precomputed, part, NULL, NULL, small) == HSP_OK);
    CHECK(hsp_kernel_gram(ctx, kernel, a, NULL, NULL, gram) == HSP_OK);
    for (size_t i = 0; i < 3; i++)
        for (size_t j = 0; j < 3; j++)
            CHECK(small[i * 3 + j] == gram[rows[i] * ROWS + rows[j]]);
    hsp_data_free(part);
    hsp_kernel_free(precomputed);
    hsp_kernel_free(kernel);
    hsp_data_free(given);
    hsp_data_free(few);
    hsp_data_free(a);
    hsp_data_free(b);
    CHECK(unlink(own) == 0 && unlink(other) == 0);
}

static void test_gram_files(void)
{
    round_trip("svm", "rbf(0.7)*linear");
    round_trip("csv", "rbf(0.7)*linear");
    round_trip("hsp", "poly(3,1)");
    round_trip("svm", "cols(1; linear)"); /* with zeros */
}

/* LIBSVM looks values up by their place in the line: zeros must stand there. */
static void test_libsvm_layout(void)
{
    static const double three[] = {1, 0, 0, 2, 0.5, 0};
    static const uint32_t classes[] = {0, 1, 1};
    const char *names[] = {"-1", "+1"};
    char path[64], text[256] = "";
    hsp_view view = hsp_view_dense(HSP_FLOAT64, 3, 2, 2, three);
    hsp_data *data = NULL;
    view.labels = classes, view.classes = 2;
    CHECK(hsp_data_copy(ctx, &view, names, NULL, NULL, &data) == HSP_OK);
    hsp_kernel *kernel = kernel_of("linear", data);
    snprintf(path, sizeof path, "/tmp/halfspace-gram-%ld.svm", (long)getpid());
    CHECK(hsp_kernel_gram_write(ctx, kernel, data, NULL, path, NULL, NULL) == HSP_OK);
    FILE *file = fopen(path, "r");
    CHECK(file != NULL);
    if (file) {
        const size_t size = fread(text, 1, sizeof text - 1, file);
        text[size] = 0;
        fclose(file);
    }
    CHECK_TEXT(text, "-1 0:1 1:1 2:0 3:0.5\n+1 0:2 1:0 2:4 3:0\n+1 0:3 1:0.5 2:0 3:0.25\n");
    CHECK(unlink(path) == 0);
    hsp_kernel_free(kernel);
    hsp_data_free(data);
}

static void test_bad_numbers(void)
{
    static const char *const texts[] = {"1 0:1 1:1 2:0\n2 0:3 1:0 2:1\n", /* no such column */
                                        "1 0:1 1:1 2:0\n2 0:1.5 1:0 2:1\n",
                                        "1 0:1 1:1 2:0\n2 0:0 1:0 2:1\n"};
    for (size_t k = 0; k < sizeof texts / sizeof *texts; k++) {
        hsp_data *data = NULL;
        hsp_error err = {0};
        double out[4];
        CHECK(hsp_data_parse(ctx, texts[k], strlen(texts[k]), "x", NULL, NULL, NULL, &data) ==
              HSP_OK);
        hsp_kernel *kernel = kernel_of("precomputed", data);
        CHECK(hsp_kernel_gram(ctx, kernel, data, NULL, &err, out) == HSP_BAD_DATA);
        CHECK_NOTE(strstr(err.message, "row 2: found") != NULL, "%s", err.message);
        hsp_kernel_free(kernel);
        hsp_data_free(data);
    }
}

int main(void)
{
    if (hsp_context_new(NULL, &ctx)) return 1;
    RUN(test_factors_reproduce);
    RUN(test_perceptrons_make_the_same_mistakes);
    RUN(test_no_factor_of_what_is_no_kernel);
    RUN(test_few_rows);
    RUN(test_threads_change_nothing);
    RUN(test_gram_files);
    RUN(test_libsvm_layout);
    RUN(test_bad_numbers);
    hsp_context_free(ctx);
    return check_done();
}
