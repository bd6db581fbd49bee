/* Kernel models: their scores are the sums they are said to be, whatever rows come along with them;
 * they come back from files to the bit; linear ones collapse; votes work in a kernel's space. */
#include "data/convert_storage.h"
#include "model/helpers.h"

/* ---- The definition, entry by entry ---------------------------------------------------------- */

typedef double (*naive_kernel)(double product, double xx, double yy, double absolute);

static double naive_linear(double product, double xx, double yy, double absolute)
{
    (void)xx, (void)yy, (void)absolute;
    return product;
}
static double naive_cubic(double product, double xx, double yy, double absolute)
{
    (void)xx, (void)yy, (void)absolute;
    return pow(0.25 * product + 1, 3);
}
static double naive_rbf(double product, double xx, double yy, double absolute)
{
    (void)absolute;
    return exp(-0.05 * (xx + yy - 2 * product));
}
static double naive_laplace(double product, double xx, double yy, double absolute)
{
    (void)product, (void)xx, (void)yy;
    return exp(-0.1 * absolute);
}
static double naive_mixed(double product, double xx, double yy, double absolute)
{
    (void)absolute;
    return 2 * exp(-0.05 * (xx + yy - 2 * product)) +
           (xx > 0 && yy > 0 ? product / sqrt(xx * yy) : 0) + 3;
}
static double naive_sigmoid(double product, double xx, double yy, double absolute)
{
    (void)xx, (void)yy, (void)absolute;
    return tanh(0.1 * product - 0.5);
}

static const struct {
    const char *text;
    naive_kernel value;
} kernels[] = {{"linear", naive_linear},
               {"(0.25*linear + 1)^3", naive_cubic},
               {"rbf(0.05)", naive_rbf},
               {"laplace(0.1)", naive_laplace},
               {"2*rbf(0.05) + normalize(linear) + 3", naive_mixed},
               {"sigmoid(0.1, -0.5)", naive_sigmoid}};
enum { KERNELS = sizeof kernels / sizeof *kernels };

static double entry(const hsp_view *view, uint64_t i, uint64_t column)
{
    const hsp__row row = hsp__view_row(view, i);
    for (uint64_t k = 0; k < row.count; k++)
        if (hsp__row_column(&row, k) == column) return hsp__row_value(view, &row, k);
    return 0;
}

static double naive_value(naive_kernel kernel, const hsp_view *a, uint64_t i, const hsp_view *b,
                          uint64_t j)
{
    double product = 0, xx = 0, yy = 0, absolute = 0;
    for (uint64_t c = 0; c < a->cols || c < b->cols; c++) {
        const double x = entry(a, i, c), y = entry(b, j, c);
        product += x * y, xx += x * x, yy += y * y, absolute += fabs(x - y);
    }
    return kernel(product, xx, yy, absolute);
}

/* The largest |score - its definition|, over the sum of the sizes of its terms. */
static double worst(const hsp_model *model, naive_kernel kernel, const hsp_view *view,
                    const double *scores)
{
    const hsp_view *support = &model->expansion->rows->view;
    double most = 0;
    for (uint64_t i = 0; i < view->rows; i++)
        for (uint32_t c = 0; c < model->scorers; c++) {
            double sum = model->offsets[c], size = 1 + fabs(sum);
            for (uint64_t j = 0; j < support->rows; j++) {
                const double term =
                    hsp_model_coefficients(model, c)[j] * naive_value(kernel, view, i, support, j);
                sum += term, size += fabs(term);
            }
            const double error = fabs(scores[i * model->scorers + c] - sum) / size;
            if (!(error <= most)) most = error;
        }
    return most;
}

static void scores_are_the_sums(void)
{
    static const hsp_storage storages[] = {HSP_DENSE, HSP_SPARSE, HSP_ONES};
    hsp_context *ctx = test_context(2, 0);
    for (uint64_t seed = 0; seed < 120; seed++) {
        hsp__random random;
        hsp__random_seed(&random, 11, seed);
        const size_t k = seed % KERNELS;
        const uint32_t classes = 2 + (uint32_t)hsp__random_below(&random, 3);
        hsp_model *model = test_expansion(ctx, &random, kernels[k].text, classes,
                                          classes > 2 && seed % 2, hsp__random_below(&random, 40),
                                          1 + hsp__random_below(&random, 60), storages[seed % 3]);
        /* more columns than the model has, fewer, as many */
        hsp_data *rows =
            test_rows(ctx, &random, 30, model->features + 2 - seed % 4 % 3, storages[seed / 3 % 3]);
        double scores[30 * 6];
        CHECK(hsp_model_score(ctx, model, &rows->view, NULL, scores, NULL) == HSP_OK);
        const double error = worst(model, kernels[k].value, &rows->view, scores);
        CHECK_NOTE(error <= 2e-6, "seed %llu, %s: %g", (unsigned long long)seed, kernels[k].text,
                   error);
        hsp_data_free(rows);
        hsp_model_free(model);
    }
    hsp_context_free(ctx);
}

static hsp_data *as_dense(hsp_context *ctx, hsp_data *rows)
{
    const hsp__storage_change plan = {
        .storage = HSP_DENSE, .precision = rows->view.precision, .cols = rows->view.cols};
    hsp_data *dense = NULL;
    if (hsp__data_convert_storage(ctx, rows, &plan, NULL, &dense)) abort();
    return dense;
}

/* More support rows than fit into one block, and more rows: still the sum; and every row alone, on
 * other threads, in another storage, has the same score to the bit. */
static void a_score_is_the_rows_own(void)
{
    enum { ROWS = 300, SUPPORT = 2500, COLS = 40 };
    static const hsp_storage storages[] = {HSP_SPARSE, HSP_DENSE};
    hsp_context *one = test_context(1, 0), *three = test_context(3, 0);
    double *all = malloc(ROWS * 3 * sizeof *all), *again = malloc(ROWS * 3 * sizeof *again);
    for (int k = 0; k < 4; k++) {
        hsp__random random;
        hsp__random_seed(&random, 12, (uint64_t)k);
        hsp_model *model =
            test_expansion(one, &random, kernels[k + 1].text, 3, 0, SUPPORT, COLS, storages[k % 2]);
        hsp_data *rows = test_rows(one, &random, ROWS, COLS, HSP_SPARSE), *dense = NULL;
        CHECK(hsp_model_score(one, model, &rows->view, NULL, all, NULL) == HSP_OK);
        const hsp_view head = hsp__view_slice(&rows->view, 0, 20);
        CHECK(worst(model, kernels[k + 1].value, &head, all) <= 2e-6);
        CHECK(hsp_model_score(three, model, &rows->view, NULL, again, NULL) == HSP_OK);
        CHECK(memcmp(all, again, ROWS * 3 * sizeof *all) == 0);
        for (uint64_t i = 0; i < ROWS; i += 7) {
            const hsp_view alone = hsp__view_slice(&rows->view, i, i + 1);
            CHECK(hsp_model_score(one, model, &alone, NULL, again + i * 3, NULL) == HSP_OK);
        }
        CHECK(memcmp(all, again, ROWS * 3 * sizeof *all) == 0);
        CHECK((dense = as_dense(one, rows)) != NULL);
        CHECK(hsp_model_score(one, model, &dense->view, NULL, again, NULL) == HSP_OK);
        CHECK_NOTE(memcmp(all, again, ROWS * 3 * sizeof *all) == 0, "%s", kernels[k + 1].text);
        hsp_data_free(dense);
        hsp_data_free(rows);
        hsp_model_free(model);
    }
    free(all);
    free(again);
    hsp_context_free(one);
    hsp_context_free(three);
}

/* Sparse rows of many columns take the other road: same rules. */
static void sparse_rows_of_many_columns(void)
{
    enum { ROWS = 50, SUPPORT = 20, COLS = 5000 };
    hsp_context *ctx = test_context(1, 0);
    hsp__random random;
    hsp__random_seed(&random, 13, 0);
    hsp_model *model = test_expansion(ctx, &random, "rbf(0.05)", 2, 0, SUPPORT, 30, HSP_SPARSE);
    model->expansion->rows->view.cols = model->features = COLS;
    model->expansion->rows->indices[3] = COLS - 1; /* the fourth entry of the first row */
    for (uint64_t k = 4; k < model->expansion->rows->starts[1]; k++)
        model->expansion->rows->indices[k] = (uint32_t)(COLS - 1 + k);
    model->expansion->rows->view.cols = model->features = COLS + 40;
    hsp_data *rows = test_rows(ctx, &random, ROWS, 30, HSP_SPARSE), *dense = NULL;
    double scores[ROWS], again[ROWS];
    CHECK(hsp_model_score(ctx, model, &rows->view, NULL, scores, NULL) == HSP_OK);
    CHECK(worst(model, naive_rbf, &rows->view, scores) <= 2e-6);
    CHECK((dense = as_dense(ctx, rows)) != NULL);
    CHECK(hsp_model_score(ctx, model, &dense->view, NULL, again, NULL) == HSP_OK);
    CHECK(memcmp(scores, again, sizeof scores) == 0);
    hsp_data_free(dense);
    hsp_data_free(rows);
    hsp_model_free(model);
    hsp_context_free(ctx);
}

/* ---- Files ----------------------------------------------------------------------------------- */

static int same_expansion(const hsp_model *a, const hsp_model *b)
{
    const uint64_t *s, *t, n = hsp_model_support(a, &s);
    if (n != hsp_model_support(b, &t) || a->scorers != b->scorers || a->pairs != b->pairs) return 0;
    return strcmp(hsp_model_kernel(a), hsp_model_kernel(b)) == 0 && a->features == b->features &&
           memcmp(s, t, n * sizeof *s) == 0 &&
           memcmp(a->offsets, b->offsets, a->scorers * sizeof(double)) == 0 &&
           memcmp(a->expansion->coefficients, b->expansion->coefficients,
                  n * a->scorers * sizeof(double)) == 0 &&
           test_same(a->expansion->rows, b->expansion->rows, 1);
}

/* A kernel of many terms reads back, however its text was put together. */
static void long_kernels_come_back(void)
{
    char text[4096] = "linear", factors[4096] = "linear";
    for (int i = 0; i < 90; i++) {
        strcat(text, i % 2 ? " + 0.5*rbf(0.5)" : " + linear*2");
        strcat(factors, "*const(1)");
    }
    hsp_context *ctx = test_context(1, 0);
    const char *path = test_path("long.model"), *texts[] = {text, factors};
    char deep[4096] = "linear";
    for (int depth = 1; depth < 80; depth++) { /* whatever is accepted reads back */
        char inner[4096];
        hsp_kernel *kernel = NULL, *again = NULL;
        snprintf(inner, sizeof inner, "%s", deep);
        snprintf(deep, sizeof deep, "(%.4000s*2 + 1)", inner);
        if (hsp_kernel_parse(ctx, deep, 0, 1, NULL, &kernel)) continue;
        CHECK(depth < 64);
        CHECK(hsp_kernel_parse(ctx, hsp_kernel_text(kernel), 0, 1, NULL, &again) == HSP_OK);
        hsp_kernel_free(again);
        hsp_kernel_free(kernel);
    }
    for (int i = 0; i < 2; i++) {
        hsp__random random;
        hsp_error err = {0};
        hsp_model *back = NULL;
        hsp__random_seed(&random, 20, 0);
        hsp_model *model = test_expansion(ctx, &random, texts[i], 2, 0, 3, 3, HSP_DENSE);
        CHECK(hsp_model_write(ctx, model, path, &err) == HSP_OK);
        CHECK_NOTE(hsp_model_read(ctx, path, &err, &back) == HSP_OK, "%s", err.message);
        hsp_model_free(back);
        hsp_model_free(model);
    }
    unlink(path);
    hsp_context_free(ctx);
}

static void expansions_come_back(void)
{
    hsp_context *ctx = test_context(1, 0);
    const char *path = test_path("expansion.model");
    for (uint64_t seed = 0; seed < 60; seed++) {
        hsp__random random;
        hsp_error err = {0};
        hsp_model *back = NULL;
        double s[10 * 6], t[10 * 6];
        hsp__random_seed(&random, 14, seed);
        const uint32_t classes = 2 + (uint32_t)(seed % 3);
        hsp_model *model = test_expansion(
            ctx, &random, kernels[seed % KERNELS].text, classes,
            classes == 2 ? 0 : (int)hsp__random_below(&random, 3), hsp__random_below(&random, 9),
            1 + hsp__random_below(&random, 9), (hsp_storage)(seed % 3));
        if (seed % 5 == 0)
            model->scalings[0] = test_scaling(ctx, &random, "standard", model->features);
        if (seed % 7 == 0) {
            model->probability.calibration = HSP__CALIBRATION_PLATT;
            model->probability.platt = test_array(ctx, 2 * (uint64_t)classes, sizeof(double));
        }
        hsp_data *rows = test_rows(ctx, &random, 10, model->features, HSP_SPARSE);
        CHECK_NOTE(hsp_model_write(ctx, model, path, &err) == HSP_OK, "%s", err.message);
        CHECK_NOTE(hsp_model_read(ctx, path, &err, &back) == HSP_OK, "%s", err.message);
        CHECK(same_expansion(model, back));
        CHECK_TEXT(hsp_model_hypothesis(back), "kernel");
        CHECK(hsp_model_weights(back, 0) == NULL);
        CHECK(hsp_model_score(ctx, model, &rows->view, NULL, s, NULL) == HSP_OK);
        CHECK(hsp_model_score(ctx, back, &rows->view, NULL, t, NULL) == HSP_OK);
        CHECK(memcmp(s, t, 10 * model->scorers * sizeof *s) == 0);
        hsp_data_free(rows);
        hsp_model_free(back);
        hsp_model_free(model);
    }
    unlink(path);
    hsp_context_free(ctx);
}

/* Every byte of a file changed, bit by bit: an error with a sentence, or a model that can score. */
static void changed_bytes_are_refused_or_harmless(void)
{
    hsp_context *ctx = test_context(1, 0);
    const char *path = test_path("changed.model");
    hsp__random random;
    size_t size;
    double scores[3 * 4];
    hsp__random_seed(&random, 15, 0);
    hsp_model *model =
        test_expansion(ctx, &random, "rbf(0.5) + cols(1-2; linear)", 3, 0, 4, 3, HSP_SPARSE);
    hsp_data *rows = test_rows(ctx, &random, 4, 3, HSP_DENSE);
    CHECK(hsp_model_write(ctx, model, path, NULL) == HSP_OK);
    hsp_model_free(model);
    char *bytes = test_read_file(path, &size);
    for (int verify = 0; verify < 2; verify++)
        for (size_t bit = 0; bit < size * 8; bit++) {
            hsp_error err = {0};
            model = NULL;
            bytes[bit / 8] = (char)(bytes[bit / 8] ^ (1 << bit % 8));
            hsp_status status = hsp__model_parse(ctx, bytes, size, "test", verify, &err, &model);
            CHECK(status == HSP_OK || (status == HSP_BAD_DATA && err.message[0]));
            if (model && model->scorers <= 3) {
                status = hsp_model_score(ctx, model, &rows->view, &err, scores, NULL);
                CHECK(status == HSP_OK || status == HSP_BAD_DATA);
            }
            hsp_model_free(model);
            bytes[bit / 8] = (char)(bytes[bit / 8] ^ (1 << bit % 8));
        }
    for (size_t cut = 0; cut < size; cut++) {
        char *part = malloc(cut + 1);
        model = NULL;
        memcpy(part, bytes, cut);
        CHECK(hsp__model_parse(ctx, part, cut, "test", 1, NULL, &model) == HSP_BAD_DATA);
        free(part);
    }
    free(bytes);
    hsp_data_free(rows);
    unlink(path);
    hsp_context_free(ctx);
}

static void what_is_not_whole_is_refused(void)
{
    hsp_context *ctx = test_context(1, 0);
    hsp__random random;
    hsp_error err = {0};
    hsp__random_seed(&random, 16, 0);
    hsp_model *model = test_expansion(ctx, &random, "rbf(median)", 2, 0, 3, 3, HSP_DENSE);
    CHECK(hsp__model_check(ctx, model, NULL, &err) == HSP_BAD_DATA);
    CHECK(hsp_kernel_fit(ctx, model->expansion->kernel, &model->expansion->rows->view, &err) ==
          HSP_OK);
    CHECK(hsp__model_check(ctx, model, NULL, &err) == HSP_OK);
    model->expansion->coefficients[1] = (double)NAN;
    CHECK(hsp__model_check(ctx, model, NULL, &err) == HSP_BAD_DATA);
    model->expansion->coefficients[1] = 1;
    model->features = 2;
    CHECK(hsp__model_check(ctx, model, NULL, &err) == HSP_BAD_DATA);
    hsp_model *form = NULL;
    CHECK(hsp_model_form(ctx, model, "unit", &err, &form) == HSP_USAGE && !form);
    hsp_model_free(model);
    hsp_context_free(ctx);
}

/* ---- Linear after all ------------------------------------------------------------------------ */

static void linear_expansions_collapse(void)
{
    static const struct {
        const char *text;
        int linear;
    } cases[] = {{"linear", 1},
                 {"0.5*linear", 1},
                 {"linear + 2*linear", 1},
                 {"cols(2-3; linear)*3 + const(2)", 1},
                 {"poly(1, 0.5)", 1},
                 {"const(4)", 1},
                 {"(2 + linear)^1", 1},
                 {"cols(1; linear) + 2*(linear + 1)", 1},
                 {"linear*linear", 0},
                 {"rbf(1)", 0},
                 {"normalize(linear)", 0},
                 {"linear + 0.1*rbf(1)", 0},
                 {"poly(2, 1)", 0},
                 {"linear^2", 0}};
    hsp_context *ctx = test_context(1, 0);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        hsp__random random;
        hsp_model *linear = NULL;
        double s[20 * 3], t[20 * 3];
        hsp__random_seed(&random, 17, i);
        hsp_model *model = test_expansion(ctx, &random, cases[i].text, 3, (int)i % 2, 9, 5,
                                          i % 3 ? HSP_SPARSE : HSP_DENSE);
        hsp_data *rows = test_rows(ctx, &random, 20, 5, HSP_SPARSE);
        CHECK(hsp__model_collapse(ctx, model, NULL, &linear) == HSP_OK);
        CHECK_NOTE((linear != NULL) == cases[i].linear, "%s", cases[i].text);
        if (linear) {
            CHECK(hsp__model_check(ctx, linear, NULL, NULL) == HSP_OK);
            CHECK_TEXT(hsp_model_hypothesis(linear), "linear");
            CHECK(linear->pairs == model->pairs && hsp_model_classes(linear) == 3);
            CHECK(hsp_model_score(ctx, model, &rows->view, NULL, s, NULL) == HSP_OK);
            CHECK(hsp_model_score(ctx, linear, &rows->view, NULL, t, NULL) == HSP_OK);
            for (int k = 0; k < 60; k++)
                CHECK_NOTE(fabs(s[k] - t[k]) <= 1e-9 * (1 + fabs(s[k])), "%s: %g and %g",
                           cases[i].text, s[k], t[k]);
        }
        hsp_data_free(rows);
        hsp_model_free(linear);
        hsp_model_free(model);
    }
    hsp_context_free(ctx);
}

static void the_length_is_that_of_w(void)
{
    hsp_context *ctx = test_context(1, 0);
    hsp__random random;
    hsp__random_seed(&random, 18, 0);
    hsp_model *model = test_expansion(ctx, &random, "linear", 2, 0, 700, 6, HSP_SPARSE), *linear;
    double length = 0, square = 0;
    CHECK(hsp__model_collapse(ctx, model, NULL, &linear) == HSP_OK);
    CHECK(hsp__expansion_length(ctx, model, 0, NULL, &length) == HSP_OK);
    for (int j = 0; j < 6; j++)
        square += linear->weights[j] * linear->weights[j];
    CHECK_NOTE(fabs(length - sqrt(square)) <= 1e-5 * length, "%g, %g", length, sqrt(square));
    hsp_model_free(linear);
    hsp_model_free(model);
    hsp_context_free(ctx);
}

/* ---- Votes ----------------------------------------------------------------------------------- */

/* With the kernel linear, votes are what they are without one; and they come back. */
static void votes_in_the_space_of_a_kernel(void)
{
    hsp_context *ctx = test_context(1, 0);
    const char *path = test_path("votes.model");
    for (uint64_t seed = 0; seed < 60; seed++) {
        hsp__random random;
        hsp_error err = {0};
        hsp_model *back = NULL;
        double s[100 * 3], t[100 * 3];
        hsp__random_seed(&random, 19, seed);
        hsp_model *model = test_linear(ctx, &random, 2 + seed % 2, 6);
        test_add_votes(ctx, &random, model, (hsp_storage)(seed % 3));
        hsp_data *rows = test_rows(ctx, &random, 100, 6, HSP_SPARSE);
        CHECK(hsp_model_score(ctx, model, &rows->view, NULL, s, NULL) == HSP_OK);
        CHECK(hsp_kernel_parse(ctx, "linear", 0, 1, NULL, &model->votes->kernel) == HSP_OK);
        hsp__free(&ctx->allocator, model->weights);
        model->weights = NULL;
        CHECK(hsp_model_score(ctx, model, &rows->view, NULL, t, NULL) == HSP_OK);
        CHECK(memcmp(s, t, 100 * model->scorers * sizeof *s) == 0); /* whole numbers: exact */
        CHECK_NOTE(hsp_model_write(ctx, model, path, &err) == HSP_OK, "%s", err.message);
        CHECK_NOTE(hsp_model_read(ctx, path, &err, &back) == HSP_OK, "%s", err.message);
        CHECK_TEXT(hsp_model_kernel(back), "linear");
        CHECK(hsp_model_score(ctx, back, &rows->view, NULL, t, NULL) == HSP_OK);
        CHECK(memcmp(s, t, 100 * model->scorers * sizeof *s) == 0);
        hsp_data_free(rows);
        hsp_model_free(back);
        hsp_model_free(model);
    }
    unlink(path);
    hsp_context_free(ctx);
}

int main(void)
{
    RUN(scores_are_the_sums);
    RUN(a_score_is_the_rows_own);
    RUN(sparse_rows_of_many_columns);
    RUN(expansions_come_back);
    RUN(long_kernels_come_back);
    RUN(changed_bytes_are_refused_or_harmless);
    RUN(what_is_not_whole_is_refused);
    RUN(linear_expansions_collapse);
    RUN(the_length_is_that_of_w);
    RUN(votes_in_the_space_of_a_kernel);
    return check_done();
}
