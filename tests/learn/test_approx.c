/* Explicit features of a kernel: exact on landmarks and where they span everything, the error that
 * is claimed, and models that are expansions on the landmarks. */
#include <math.h>
#include <stdint.h>

#include "../check.h"
#include "halfspace_all.h"
#include "options.h"
#include "kernel/feature_map.h"

static hsp_context *ctx;
static uint64_t rng_state = 88172645463325252u;

static double rng(void)
{
    rng_state ^= rng_state << 13;
    rng_state ^= rng_state >> 7;
    rng_state ^= rng_state << 17;
    return (double)(rng_state >> 11) * 0x1p-53;
}

enum { ROWS = 150, COLS = 3 };
static double points[ROWS * COLS], gram[ROWS * ROWS];
static uint32_t labels[ROWS];

/* Rings around the origin, `classes` of them. */
static hsp_data *rings(uint32_t classes)
{
    hsp_view view = hsp_view_dense(HSP_FLOAT64, ROWS, COLS, COLS, points);
    hsp_data *data = NULL;
    for (size_t i = 0; i < ROWS; i++) {
        double square = 0;
        labels[i] = (uint32_t)(i % classes);
        for (size_t j = 0; j < COLS; j++)
            points[i * COLS + j] = rng() - 0.5, square += pow(points[i * COLS + j], 2);
        for (size_t j = 0; j < COLS; j++)
            points[i * COLS + j] *= (labels[i] + 0.3 + 0.4 * rng()) / sqrt(square);
    }
    view.labels = labels, view.classes = classes;
    CHECK(hsp_data_copy(ctx, &view, NULL, NULL, NULL, &data) == HSP_OK);
    return data;
}

static hsp_kernel *kernel_of(const char *text)
{
    hsp_kernel *kernel = NULL;
    CHECK(hsp_kernel_parse(ctx, text, 0, 1, NULL, &kernel) == HSP_OK);
    return kernel;
}

static double dot(const double *x, const double *y, uint64_t n)
{
    double sum = 0;
    for (uint64_t k = 0; k < n; k++)
        sum += x[k] * y[k];
    return sum;
}

/* ---- The map ---- */

static void test_exact_on_landmarks(void)
{
    for (uint64_t most = 1; most <= 2 * ROWS; most *= 4) {
        hsp__approx map;
        hsp_data *data = rings(2), *features = NULL;
        hsp_kernel *kernel = kernel_of("laplace(1)");
        CHECK(hsp_kernel_gram(ctx, kernel, data, NULL, NULL, gram) == HSP_OK);
        CHECK(hsp__approx_nystrom(ctx, kernel, data, most, 5, NULL, &map) == HSP_OK);
        CHECK(map.rank == (most < ROWS ? most : ROWS)); /* this kernel has full rank */
        CHECK(hsp__approx_features(ctx, &map, data, NULL, hsp_data_rows(data), NULL, &features) ==
              HSP_OK);
        const double *phi = features->values;
        for (uint64_t k = 0; k < map.rank; k++)
            for (uint64_t j = 0; j < ROWS; j++)
                CHECK(fabs(dot(phi + map.source[k] * map.rank, phi + j * map.rank, map.rank) -
                           gram[map.source[k] * ROWS + j]) <= 1e-12);
        hsp__approx_free(ctx, &map);
        hsp_kernel_free(kernel);
        hsp_data_free(features);
        hsp_data_free(data);
    }
}

/* Ten monomials: ten rows span them, and no more are kept. */
static void test_landmarks_that_span_everything(void)
{
    hsp__approx map;
    hsp__approx_error found = {0};
    hsp_data *data = rings(2), *features = NULL;
    hsp_kernel *kernel = kernel_of("poly(2,1)");
    CHECK(hsp__approx_nystrom(ctx, kernel, data, 60, 5, NULL, &map) == HSP_OK);
    CHECK(map.rank == 10);
    CHECK(hsp__approx_features(ctx, &map, data, NULL, hsp_data_rows(data), NULL, &features) ==
          HSP_OK);
    CHECK(hsp__approx_measure(ctx, &map, data, 5, NULL, &found) == HSP_OK);
    CHECK(found.rows == ROWS && found.most <= 1e-9 && found.root <= found.most);
    hsp__approx_free(ctx, &map);
    hsp_kernel_free(kernel);
    hsp_data_free(features);
    hsp_data_free(data);
}

/* The error is the one that is reported, and <w, phi(x)> is the expansion with c. */
static void test_error_and_coefficients(void)
{
    hsp__approx map;
    hsp__approx_error found = {0};
    hsp_data *data = rings(2), *features = NULL;
    hsp_kernel *kernel = kernel_of("rbf(2)");
    double most = 0, squares = 0, w[12], c[12];
    CHECK(hsp_kernel_gram(ctx, kernel, data, NULL, NULL, gram) == HSP_OK);
    CHECK(hsp__approx_nystrom(ctx, kernel, data, 12, 1, NULL, &map) == HSP_OK);
    CHECK(map.rank == 12);
    CHECK(hsp__approx_features(ctx, &map, data, NULL, hsp_data_rows(data), NULL, &features) ==
          HSP_OK);
    CHECK(hsp__approx_measure(ctx, &map, data, 1, NULL, &found) == HSP_OK);
    const double *phi = features->values;
    for (uint64_t i = 0; i < ROWS; i++)
        for (uint64_t j = 0; j < ROWS; j++) {
            const double off = fabs(gram[i * ROWS + j] - dot(phi + i * 12, phi + j * 12, 12));
            most = fmax(most, off), squares += off * off;
        }
    CHECK(found.rows == ROWS && fabs(found.most - most) <= 1e-12);
    CHECK(fabs(found.root - sqrt(squares) / ROWS) <= 1e-12 && found.root > 1e-4);
    for (size_t k = 0; k < 12; k++)
        w[k] = c[k] = rng() - 0.5;
    hsp__approx_turn(&map, c);
    for (uint64_t i = 0; i < ROWS; i++) {
        double score = 0;
        for (uint64_t k = 0; k < 12; k++)
            score += c[k] * gram[map.source[k] * ROWS + i];
        CHECK(fabs(score - dot(w, phi + i * 12, 12)) <= 1e-10);
    }
    hsp__approx_free(ctx, &map);
    hsp_kernel_free(kernel);
    hsp_data_free(features);
    hsp_data_free(data);
}

/* The error falls as 1 / sqrt(m), for both kernels; the waves are those of the seed alone. */
static void test_waves(void)
{
    static const char *const texts[] = {"rbf(0.7)", "laplace(0.5)"};
    for (size_t t = 0; t < 2; t++)
        for (uint64_t count = 50; count <= 3200; count *= 4) {
            hsp__approx map, again;
            hsp__approx_error found = {0};
            hsp_data *data = rings(2), *features = NULL;
            hsp_kernel *kernel = kernel_of(texts[t]);
            CHECK(hsp__approx_fourier(ctx, kernel, COLS, count, 3, NULL, &map) == HSP_OK);
            CHECK(hsp__approx_fourier(ctx, kernel, COLS, count / 2, 3, NULL, &again) == HSP_OK);
            CHECK(memcmp(map.rows->values, again.rows->values,
                         sizeof(double) * COLS * (size_t)(count / 2)) == 0);
            CHECK(hsp__approx_features(ctx, &map, data, NULL, hsp_data_rows(data), NULL,
                                       &features) == HSP_OK);
            CHECK(hsp__approx_measure(ctx, &map, data, 3, NULL, &found) == HSP_OK);
            CHECK_NOTE(found.root <= 2 / sqrt((double)count), "%s, %llu: %g", texts[t],
                       (unsigned long long)count, found.root);
            hsp__approx_free(ctx, &map);
            hsp__approx_free(ctx, &again);
            hsp_kernel_free(kernel);
            hsp_data_free(features);
            hsp_data_free(data);
        }
}

/* ---- Learners ---- */

static hsp_status learn(const char *name, hsp_data *data, const char *const *settings,
                        hsp_error *err, hsp_training *run, hsp_model **model)
{
    hsp_options *options = test_options_pairs(ctx, hsp_learner_find(name), settings);
    hsp_status status = hsp_train(ctx, data, options, err, run, model);
    hsp_options_free(options);
    return status;
}

static double wrong(const hsp_model *model, hsp_data *data)
{
    hsp_evaluation found = {.size = sizeof found};
    CHECK(hsp_evaluate(ctx, model, data, NULL, &found, NULL) == HSP_OK);
    return found.error;
}

/* With every row a landmark it is the same problem. */
static void test_all_rows_are_the_kernel(void)
{
    static const char *const exact[] = {"kernel", "rbf(1)", "gap", "1e-6", NULL};
    static const char *const approx[] = {"kernel", "rbf(1)",       "gap", "1e-6",
                                         "approx", "nystrom:1000", NULL};
    hsp_data *data = rings(2);
    hsp_training one = {.size = sizeof one}, other = {.size = sizeof other};
    hsp_model *kernel = NULL, *features = NULL;
    CHECK(learn("svm", data, exact, NULL, &one, &kernel) == HSP_OK);
    CHECK(learn("svm", data, approx, NULL, &other, &features) == HSP_OK);
    CHECK(fabs(one.convergence.objective - other.convergence.objective) <=
          1e-5 * one.convergence.objective);
    CHECK_TEXT(hsp_model_hypothesis(features), "kernel");
    CHECK(hsp_model_metadata(features, "approx_error") != NULL);
    static double a[ROWS], b[ROWS];
    const hsp_view *view = NULL;
    CHECK(hsp_data_view(ctx, data, NULL, &view) == HSP_OK);
    CHECK(hsp_model_score(ctx, kernel, view, NULL, a, NULL) == HSP_OK);
    CHECK(hsp_model_score(ctx, features, view, NULL, b, NULL) == HSP_OK);
    for (size_t i = 0; i < ROWS; i++)
        CHECK(fabs(a[i] - b[i]) <= 0.02);
    hsp_model_free(kernel);
    hsp_model_free(features);
    hsp_data_free(data);
}

/* Every learner, two classes and three, pairs and probabilities; few landmarks do for rings. */
static void test_learners(void)
{
    static const struct {
        const char *name, *settings[9];
    } runs[] = {{"perceptron", {"max-passes", "200", NULL}},
                {"perceptron", {"average", "average", "passes", "20", NULL}},
                {"svm", {"C", "100", NULL}},
                {"svm", {"C", "100", "multiclass", "ovo", NULL}},
                {"svm", {"C", "100", "calibrate", "platt", NULL}},
                {"logistic", {"C", "1000", NULL}},
                {"logistic", {"C", "1000", "multiclass", "ovo", NULL}},
                {"svm", {"C", "100", "approx", "fourier:40", NULL}},
                {"logistic", {"C", "1000", "approx", "fourier:40", "multiclass", "ovo", NULL}}};
    for (uint32_t classes = 2; classes <= 3; classes++)
        for (size_t k = 0; k < sizeof runs / sizeof *runs; k++) {
            const char *settings[16] = {"kernel", "rbf(0.5)", "approx", "nystrom:40"};
            hsp_data *data = rings(classes);
            hsp_training run = {.size = sizeof run};
            hsp_model *model = NULL;
            hsp_error err = {0};
            char line[512];
            memcpy(settings + 4, runs[k].settings, sizeof runs[k].settings);
            CHECK_NOTE(learn(runs[k].name, data, settings, &err, &run, &model) == HSP_OK, "%s: %s",
                       runs[k].name, hsp_error_text(&err, line, sizeof line));
            if (model) {
                CHECK(hsp_model_support(model, NULL) <= 40 && hsp_model_features(model) == COLS);
                CHECK_NOTE(wrong(model, data) <= 0.03, "%s %u: %g", runs[k].name, classes,
                           wrong(model, data));
                CHECK(fabs(wrong(model, data) - run.training_error) <= 1e-12);
            }
            hsp_model_free(model);
            hsp_data_free(data);
        }
}

/* ---- Prepared rows, votes, starts ---- */

/* The features of a kernel as a data set, trained on without a kernel: what approx is to be. */
static hsp_data *features_of(hsp_data *data, const char *text, uint64_t count)
{
    hsp__approx map;
    hsp_data *features = NULL;
    hsp_kernel *kernel = kernel_of(text);
    CHECK(hsp__approx_nystrom(ctx, kernel, data, count, 1, NULL, &map) == HSP_OK);
    CHECK(hsp__approx_features(ctx, &map, data, NULL, hsp_data_rows(data), NULL, &features) ==
          HSP_OK);
    hsp__approx_free(ctx, &map);
    hsp_kernel_free(kernel);
    return features;
}

static void same_scores(const hsp_model *model, hsp_data *data, const hsp_model *other,
                        hsp_data *others, size_t scorers, const char *what)
{
    static double a[ROWS * 3], b[ROWS * 3];
    const hsp_view *view = NULL, *other_view = NULL;
    CHECK(hsp_data_view(ctx, data, NULL, &view) == HSP_OK);
    CHECK(hsp_data_view(ctx, others, NULL, &other_view) == HSP_OK);
    CHECK(hsp_model_score(ctx, model, view, NULL, a, NULL) == HSP_OK);
    CHECK(hsp_model_score(ctx, other, other_view, NULL, b, NULL) == HSP_OK);
    for (size_t i = 0; i < ROWS * scorers; i++)
        CHECK_NOTE(fabs(a[i] - b[i]) <= 1e-7 * (1 + fabs(b[i])), "%s: %g and %g", what, a[i], b[i]);
}

/* Votes with the kernel count as those of the plain perceptron on the features. */
static void test_votes(void)
{
    static const char *const ways[] = {"native", "ovr"};
    for (uint32_t classes = 2; classes <= 3; classes++)
        for (size_t w = 0; w < 2; w++) {
            const char *settings[] = {"average",    "vote",       "passes", "3",
                                      "multiclass", ways[w],      "kernel", "rbf(0.5)",
                                      "approx",     "nystrom:15", NULL};
            hsp_data *data = rings(classes), *features = features_of(data, "rbf(0.5)", 15);
            hsp_training run = {.size = sizeof run};
            hsp_model *model = NULL, *plain = NULL;
            CHECK(learn("perceptron", data, settings, NULL, &run, &model) == HSP_OK);
            settings[6] = NULL;
            CHECK(learn("perceptron", features, settings, NULL, NULL, &plain) == HSP_OK);
            CHECK_TEXT(hsp_model_hypothesis(model), "votes");
            CHECK_TEXT(hsp_model_kernel(model), "rbf(c=0.5)");
            same_scores(model, data, plain, features, classes == 2 ? 1 : 3, ways[w]);
            CHECK(fabs(wrong(model, data) - run.training_error) <= 1e-12);
            hsp_model_free(model);
            hsp_model_free(plain);
            hsp_data_free(features);
            hsp_data_free(data);
        }
}

/* Scores of 0 in the features' sums are not 0 in the kernel's, which are rounded otherwise: the
 * training error is the model's. */
static void test_error_is_the_models(void)
{
    static const char *const settings[] = {"kernel", "poly(3,1)", "tie", "zero",
                                           "approx", "nystrom:3", NULL};
    static const uint32_t side[] = {1, 0, 1, 0, 0, 1, 1, 1, 0, 1, 0, 0, 0, 1, 1};
    static const double column[] = {0, 0, 1, 0, 0, 0, 0, 0, 1, 0, 0, 0, 1, 1, 1};
    hsp_view view = hsp_view_dense(HSP_FLOAT64, 15, 1, 1, column);
    hsp_data *data = NULL;
    hsp_training run = {.size = sizeof run};
    hsp_model *model = NULL;
    view.labels = side;
    view.classes = 2;
    CHECK(hsp_data_copy(ctx, &view, NULL, NULL, NULL, &data) == HSP_OK);
    CHECK(learn("perceptron", data, settings, NULL, &run, &model) == HSP_OK);
    CHECK_NOTE(run.training_error == wrong(model, data), "%g, not %g", run.training_error,
               wrong(model, data));
    hsp_model_free(model);
    hsp_data_free(data);
}

/* Scaled rows: as if the file had been scaled. */
static void test_scalings(void)
{
    static const char *const with[] = {"kernel", "rbf(0.5)", "approx",    "nystrom:20",
                                       "scale",  "standard", "normalize", "ball",
                                       "gap",    "1e-9",     NULL};
    static const char *const without[] = {"kernel", "rbf(0.5)", "approx", "nystrom:20",
                                          "gap",    "1e-9",     NULL};
    static const char *const kinds[] = {"standard", "unit-ball"};
    hsp_data *data = rings(2), *scaled = data, *next = NULL;
    hsp_model *model = NULL, *plain = NULL;
    for (size_t k = 0; k < 2; k++) {
        hsp_options *options = NULL;
        hsp_scaling *scaling = NULL;
        CHECK(hsp_options_new(ctx, hsp_scale_options(), NULL, &options) == HSP_OK);
        CHECK(hsp_options_set(options, "kind", kinds[k], NULL) == HSP_OK);
        CHECK(hsp_scaling_fit(ctx, scaled, options, NULL, &scaling) == HSP_OK);
        CHECK(hsp_scaling_apply(ctx, scaling, scaled, NULL, &next) == HSP_OK);
        hsp_scaling_free(scaling);
        hsp_options_free(options);
        if (scaled != data) hsp_data_free(scaled);
        scaled = next;
    }
    CHECK(learn("svm", data, with, NULL, NULL, &model) == HSP_OK);
    CHECK(learn("svm", scaled, without, NULL, NULL, &plain) == HSP_OK);
    same_scores(model, data, plain, scaled, 1, "scaled");
    hsp_model_free(model);
    hsp_model_free(plain);
    hsp_data_free(scaled);
    hsp_data_free(data);
}

/* At the model of a run before it, or at one of other features, which is passed over. */
static void test_starts(void)
{
    static const char *const ways[] = {"nystrom:30", "fourier:30"};
    for (size_t w = 0; w < 2; w++)
        for (uint32_t classes = 2; classes <= 3; classes++) {
            hsp_data *data = rings(classes);
            hsp_options *options = NULL;
            hsp_training cold = {.size = sizeof cold}, warm = cold, other = cold;
            hsp_model *first = NULL, *again = NULL, *elsewhere = NULL;
            CHECK(hsp_options_new(ctx, hsp_learner_find("svm"), NULL, &options) == HSP_OK);
            CHECK(hsp_options_set(options, "kernel", "rbf(0.5)", NULL) == HSP_OK);
            CHECK(hsp_options_set(options, "approx", ways[w], NULL) == HSP_OK);
            CHECK(hsp_options_set(options, "gap", "1e-6", NULL) == HSP_OK);
            CHECK(hsp_options_set(options, "keep-dual", "yes", NULL) == HSP_OK);
            CHECK(hsp_train_from(ctx, data, options, NULL, NULL, &cold, &first) == HSP_OK);
            CHECK(hsp_train_from(ctx, data, options, first, NULL, &warm, &again) == HSP_OK);
            CHECK_NOTE(4 * warm.passes < cold.passes, "%s: %llu after %llu", ways[w],
                       (unsigned long long)warm.passes, (unsigned long long)cold.passes);
            CHECK(fabs(warm.convergence.objective - cold.convergence.objective) <=
                  2e-6 * cold.convergence.objective);
            CHECK(hsp_options_set(options, "seed", "2", NULL) == HSP_OK);
            CHECK(hsp_train_from(ctx, data, options, first, NULL, &other, &elsewhere) == HSP_OK);
            CHECK(other.passes > 4 * warm.passes);
            hsp_model_free(first);
            hsp_model_free(again);
            hsp_model_free(elsewhere);
            hsp_options_free(options);
            hsp_data_free(data);
        }
}

static void test_refusals(void)
{
    static const struct {
        const char *name, *settings[7], *part;
    } bad[] = {{"svm", {"approx", "nystrom:5", NULL}, "needs --kernel"},
               {"svm", {"kernel", "linear", "approx", "nystrom:0", NULL}, "expected nystrom"},
               {"svm", {"kernel", "linear", "approx", "nystrom:5x", NULL}, "expected nystrom"},
               {"svm", {"kernel", "linear", "approx", "nystrom", NULL}, "expected nystrom"},
               {"svm",
                {"kernel", "linear", "approx", "fourier:5", NULL},
                "Fourier features exist only for a single"},
               {"svm",
                {"kernel", "rbf(1)^2", "approx", "fourier:5", NULL},
                "Fourier features exist only for a single"},
               {"svm", {"kernel", "linea", "approx", "nystrom:5", NULL}, "found 'linea'"},
               {"svm", {"kernel", "precomputed", "approx", "nystrom:5", NULL}, "precomputed"},
               {"perceptron",
                {"kernel", "linear", "approx", "nystrom:5", "trace", "x.csv", NULL},
                "columns of the file"},
               {"logistic",
                {"kernel", "linear", NULL},
                "logistic supports kernels only through explicit features;"}};
    for (size_t k = 0; k < sizeof bad / sizeof *bad; k++) {
        hsp_data *data = rings(2);
        hsp_model *model = NULL;
        hsp_error err = {0};
        CHECK(learn(bad[k].name, data, bad[k].settings, &err, NULL, &model) == HSP_USAGE);
        CHECK(model == NULL);
        CHECK_NOTE(strstr(err.message, bad[k].part) != NULL, "%s", err.message);
        hsp_data_free(data);
    }
}

int main(void)
{
    if (hsp_context_new(NULL, &ctx)) return 1;
    RUN(test_exact_on_landmarks);
    RUN(test_landmarks_that_span_everything);
    RUN(test_error_and_coefficients);
    RUN(test_waves);
    RUN(test_all_rows_are_the_kernel);
    RUN(test_learners);
    RUN(test_votes);
    RUN(test_error_is_the_models);
    RUN(test_scalings);
    RUN(test_starts);
    RUN(test_refusals);
    hsp_context_free(ctx);
    return check_done();
}
