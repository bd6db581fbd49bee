/* Training and prediction on the caller's arrays: rows are not copied, results are those of a copy,
 * and rows may have weights. */
#include <math.h>

#include "../check.h"
#include "counting.h"

enum { ROWS = 12000, COLS = 64, STRIDE = 72 };

static double dense[ROWS * STRIDE];
static uint32_t labels[ROWS], starts[ROWS + 1], indices[ROWS * COLS];
static float values[ROWS * COLS];
static double weights[ROWS];
static const char *const names[] = {"no", "yes"};

static double draw(uint64_t *state)
{
    *state = *state * 6364136223846793005u + 1442695040888963407u;
    return (double)(*state >> 11) * 0x1p-53;
}

/* Two classes that a hyperplane nearly separates; NaN between the rows, where nobody may look. */
static void fill(void)
{
    uint64_t state = 7;
    uint32_t stored = 0;
    for (uint64_t i = 0; i < ROWS; i++) {
        double sum = 0;
        for (uint64_t j = 0; j < STRIDE; j++)
            dense[i * STRIDE + j] = j < COLS ? draw(&state) - 0.5 : (double)NAN;
        for (uint64_t j = 0; j < COLS; j++) {
            sum += (j % 3 ? 1 : -1) * dense[i * STRIDE + j];
            if (draw(&state) < 0.6) {
                indices[stored] = (uint32_t)j;
                values[stored++] = (float)dense[i * STRIDE + j];
            }
        }
        starts[i + 1] = stored;
        labels[i] = sum + 0.2 * draw(&state) > 0.1;
        weights[i] = i % 5 ? 1 + draw(&state) : 0;
    }
}

static hsp_view view_of(int sparse)
{
    hsp_view view = sparse ? hsp_view_sparse(HSP_FLOAT32, ROWS, COLS, 4, starts, indices, values)
                           : hsp_view_dense(HSP_FLOAT64, ROWS, COLS, STRIDE, dense);
    view.labels = labels;
    view.classes = 2;
    return view;
}

static size_t view_bytes(int sparse)
{
    return sparse ? starts[ROWS] * (sizeof *indices + sizeof *values) : sizeof dense;
}

/* Train with one option; `settings` are pairs of a name and a value, the last NULL. */
static hsp_model *train(hsp_context *ctx, hsp_data *data, const char *learner,
                        const char *const *settings)
{
    hsp_error err = {0};
    hsp_options *options = NULL;
    hsp_model *model = NULL;
    CHECK(hsp_options_for(ctx, learner, &err, &options) == HSP_OK);
    for (size_t i = 0; settings && settings[i]; i += 2)
        CHECK(hsp_options_set(options, settings[i], settings[i + 1], &err) == HSP_OK);
    const hsp_status status = hsp_train(ctx, data, options, &err, NULL, &model);
    CHECK_NOTE(status == HSP_OK, "%s: %s", learner, err.message);
    hsp_options_free(options);
    return model;
}

static void same_weights(const hsp_model *a, const hsp_model *b)
{
    if (!a || !b) return;
    const uint64_t features = hsp_model_features(a);
    CHECK(features == hsp_model_features(b));
    CHECK(memcmp(hsp_model_weights(a, 0), hsp_model_weights(b, 0), features * sizeof(double)) == 0);
    CHECK(hsp_model_offset(a, 0) == hsp_model_offset(b, 0));
}

/* Whatever a solver needs in addition to the rows is small, except that newton packs sparse rows again. */
static const struct {
    const char *learner, *settings[5];
    int sparse; /* 0: dense rows only */
} learners[] = {{"perceptron", {NULL}, 1},
                {"svm", {"solver", "dcd", "gap", "0.1", NULL}, 1},
                {"svm", {"solver", "newton", "gap", "0.1", NULL}, 0},
                {"svm", {"solver", "pegasos", "gap", "0.1", NULL}, 1},
                {"logistic", {"gap", "0.1", NULL}, 1}};

static void test_rows_are_not_copied(void)
{
    for (int sparse = 0; sparse < 2; sparse++)
        for (size_t i = 0; i < sizeof learners / sizeof *learners; i++) {
            if (sparse && !learners[i].sparse) continue;
            counting counts = {.lock = PTHREAD_MUTEX_INITIALIZER};
            hsp_context *ctx = counting_context(&counts, 1);
            hsp_error err = {0};
            hsp_data *borrowed = NULL, *copied = NULL;
            const hsp_view view = view_of(sparse);
            double *scores = malloc(ROWS * sizeof *scores);
            uint32_t *classes = malloc(ROWS * sizeof *classes);
            CHECK(hsp_data_borrow(ctx, &view, names, NULL, &err, &borrowed) == HSP_OK);
            CHECK(hsp_data_nonzeros(borrowed) == (sparse ? starts[ROWS] : (uint64_t)ROWS * COLS));
            CHECK_TEXT(hsp_data_class_name(borrowed, 1), "yes");
            hsp_model *model = train(ctx, borrowed, learners[i].learner, learners[i].settings);
            CHECK_NOTE(counts.most < view_bytes(sparse) / 2, "%s %s: %zu of %zu bytes",
                       learners[i].learner, sparse ? "sparse" : "dense", counts.most,
                       view_bytes(sparse));
            counts.most = counts.now;
            CHECK(hsp_model_score(ctx, model, &view, &err, scores, classes) == HSP_OK);
            CHECK_NOTE(counts.most - counts.now < view_bytes(sparse) / 2, "scores: %zu bytes",
                       counts.most - counts.now);
            uint64_t right = 0;
            for (uint64_t r = 0; r < ROWS; r++)
                right += classes[r] == labels[r];
            CHECK(right > ROWS * 2 / 3);

            CHECK(hsp_data_copy(ctx, &view, names, NULL, &err, &copied) == HSP_OK);
            hsp_model *other = train(ctx, copied, learners[i].learner, learners[i].settings);
            same_weights(model, other);
            hsp_model_free(other);
            hsp_model_free(model);
            hsp_data_free(copied);
            hsp_data_free(borrowed);
            hsp_context_free(ctx);
            CHECK(counts.now == 0);
            free(classes);
            free(scores);
        }
}

/* Rows of weight 0 take no part, also when classes are regrouped first. */
static void test_weights(void)
{
    static const char *const plain[] = {"gap", "1e-3", NULL};
    static const char *const positive[] = {"gap", "1e-3", "positive", "yes", NULL};
    hsp_context *ctx = NULL;
    hsp_error err = {0};
    hsp_data *all = NULL, *some = NULL;
    const hsp_view view = view_of(0);
    static uint64_t rows[ROWS];
    uint64_t count = 0;
    double kept[ROWS];
    CHECK(hsp_context_new(NULL, &ctx) == HSP_OK);
    CHECK(hsp_data_borrow(ctx, &view, names, NULL, &err, &all) == HSP_OK);
    for (uint64_t i = 0; i < ROWS; i++)
        if (weights[i] > 0) {
            kept[count] = weights[i];
            rows[count++] = i;
        }
    CHECK(hsp_data_select(ctx, all, rows, count, &err, &some) == HSP_OK);
    CHECK(hsp_data_set_weights(all, weights, &err) == HSP_OK);
    CHECK(hsp_data_set_weights(some, kept, &err) == HSP_OK);
    for (int regroup = 0; regroup < 2; regroup++) {
        hsp_model *a = train(ctx, all, "svm", regroup ? positive : plain);
        hsp_model *b = train(ctx, some, "svm", regroup ? positive : plain);
        same_weights(a, b);
        CHECK(hsp_data_set_weights(some, NULL, &err) == HSP_OK);
        hsp_model *without = train(ctx, some, "svm", regroup ? positive : plain);
        CHECK(hsp_model_weights(a, 0)[0] != hsp_model_weights(without, 0)[0]);
        CHECK(hsp_data_set_weights(some, kept, &err) == HSP_OK);
        hsp_model_free(without);
        hsp_model_free(b);
        hsp_model_free(a);
    }
    hsp_data_free(some);
    hsp_data_free(all);
    hsp_context_free(ctx);
}

/* A weight of 2 is the row twice: the same minimum. */
static void test_a_weight_of_two_is_the_row_twice(void)
{
    static const char *const settings[] = {"gap", "1e-6", NULL};
    hsp_context *ctx = NULL;
    hsp_error err = {0};
    hsp_data *once = NULL, *twice = NULL;
    const hsp_view view = view_of(0);
    static uint64_t rows[2 * ROWS];
    uint64_t count = 0;
    double two[ROWS];
    CHECK(hsp_context_new(NULL, &ctx) == HSP_OK);
    CHECK(hsp_data_borrow(ctx, &view, names, NULL, &err, &once) == HSP_OK);
    for (uint64_t i = 0; i < ROWS; i++) {
        two[i] = i % 3 ? 1 : 2;
        for (int k = 0; k < (int)two[i]; k++)
            rows[count++] = i;
    }
    CHECK(hsp_data_select(ctx, once, rows, count, &err, &twice) == HSP_OK);
    CHECK(hsp_data_set_weights(once, two, &err) == HSP_OK);
    hsp_model *a = train(ctx, once, "logistic", settings);
    hsp_model *b = train(ctx, twice, "logistic", settings);
    for (uint64_t j = 0; j < COLS; j++)
        CHECK(fabs(hsp_model_weights(a, 0)[j] - hsp_model_weights(b, 0)[j]) <= 2e-3);
    hsp_model_free(b);
    hsp_model_free(a);
    hsp_data_free(twice);
    hsp_data_free(once);
    hsp_context_free(ctx);
}

static void test_refused(void)
{
    static const uint64_t at[] = {0, 1, 2};
    static const uint32_t columns[] = {0, 1}, two[] = {0, 1};
    static const double zero[] = {1, 0};
    hsp_context *ctx = NULL;
    hsp_error err = {0};
    hsp_data *data = NULL;
    hsp_options *options = NULL;
    hsp_model *model = NULL;
    hsp_view view = hsp_view_sparse(HSP_FLOAT64, 2, 2, 8, at, columns, zero);
    CHECK(hsp_context_new(NULL, &ctx) == HSP_OK);
    CHECK(hsp_data_borrow(ctx, &view, NULL, NULL, &err, &data) == HSP_BAD_DATA && !data);
    CHECK(strstr(err.message, "row 2 stores a zero"));
    view = hsp_view_dense(HSP_FLOAT64, 2, 1, 1, zero);
    view.labels = two;
    view.classes = 2;
    CHECK(hsp_data_borrow(ctx, &view, NULL, NULL, &err, &data) == HSP_OK);
    CHECK(hsp_data_set_weights(data, (const double[]){1, -1}, &err) == HSP_BAD_DATA);
    CHECK(strstr(err.message, "row 2 is negative"));
    CHECK(hsp_data_set_weights(data, (const double[]){NAN, 1}, &err) == HSP_BAD_DATA);
    CHECK(strstr(err.message, "row 1 is not finite"));
    CHECK(hsp_data_set_weights(data, (const double[]){0, 0}, &err) == HSP_BAD_DATA);
    CHECK(hsp_data_set_weights(data, (const double[]){1, 2}, &err) == HSP_OK);
    CHECK(hsp_options_for(ctx, "perceptron", &err, &options) == HSP_OK);
    CHECK(hsp_train(ctx, data, options, &err, NULL, &model) == HSP_USAGE && !model);
    CHECK(strstr(err.message, "the learner perceptron does not take"));
    hsp_options_free(options);
    hsp_data_free(data);
    hsp_context_free(ctx);
}

/* Dense rows that are mostly zeros are learned from as the same rows stored sparsely are. */
static void test_dense_zeros(void)
{
    enum { N = 400, D = 40 };
    static double full[N * D], kept[N * D];
    static uint32_t at[N * D], ends[N + 1], y[N];
    uint64_t state = 3;
    uint32_t stored = 0;
    for (uint64_t i = 0; i < N; i++) {
        double sum = 0;
        for (uint32_t j = 0; j < D; j++) {
            const double x = draw(&state) < 0.1 ? draw(&state) - 0.5 : 0;
            full[i * D + j] = x;
            sum += (j % 2 ? 1 : -1) * x;
            if (x != 0) at[stored] = j, kept[stored++] = x;
        }
        ends[i + 1] = stored;
        y[i] = sum + 0.2 * draw(&state) > 0.1;
    }
    hsp_view views[2] = {hsp_view_dense(HSP_FLOAT64, N, D, D, full),
                         hsp_view_sparse(HSP_FLOAT64, N, D, 4, ends, at, kept)};
    static const char *const some[] = {"svm", "logistic"};
    for (int k = 0; k < 2; k++) {
        hsp_context *ctx = NULL;
        hsp_error err = {0};
        hsp_data *data[2] = {NULL, NULL};
        hsp_model *model[2];
        CHECK(hsp_context_new(NULL, &ctx) == HSP_OK);
        for (int s = 0; s < 2; s++) {
            views[s].labels = y;
            views[s].classes = 2;
            CHECK(hsp_data_borrow(ctx, &views[s], names, NULL, &err, &data[s]) == HSP_OK);
            model[s] = train(ctx, data[s], some[k], NULL);
        }
        same_weights(model[0], model[1]);
        for (int s = 0; s < 2; s++) {
            hsp_model_free(model[s]);
            hsp_data_free(data[s]);
        }
        hsp_context_free(ctx);
    }
}

/* Support rows of ones meet ones by counting, and others by products: the same bits. */
static void test_ones(void)
{
    enum { N = 300, D = 30 };
    static float one[N * D];
    static uint32_t at[N * D], ends[N + 1], y[N];
    static double counted[N], multiplied[N];
    uint64_t state = 11;
    uint32_t stored = 0;
    for (uint64_t i = 0; i < N; i++) {
        int sum = 0;
        for (uint32_t j = 0; j < D; j++)
            if (draw(&state) < 0.3) at[stored] = j, one[stored++] = 1, sum += j < D / 2 ? 1 : -1;
        ends[i + 1] = stored;
        y[i] = sum > 0;
    }
    hsp_context *ctx = NULL;
    hsp_error err = {0};
    hsp_data *data = NULL;
    hsp_view view = hsp_view_sparse(HSP_FLOAT32, N, D, 4, ends, at, NULL);
    const hsp_view with_values = hsp_view_sparse(HSP_FLOAT32, N, D, 4, ends, at, one);
    view.labels = y;
    view.classes = 2;
    CHECK(hsp_context_new(NULL, &ctx) == HSP_OK);
    CHECK(hsp_data_borrow(ctx, &view, names, NULL, &err, &data) == HSP_OK);
    static const char *const rbf[] = {"kernel", "rbf(0.1)", NULL};
    hsp_model *model = train(ctx, data, "svm", rbf);
    CHECK(hsp_model_support(model, NULL) > 20);
    CHECK(hsp_model_score(ctx, model, &view, &err, counted, NULL) == HSP_OK);
    CHECK(hsp_model_score(ctx, model, &with_values, &err, multiplied, NULL) == HSP_OK);
    CHECK(memcmp(counted, multiplied, sizeof counted) == 0);
    hsp_model_free(model);
    hsp_data_free(data);
    hsp_context_free(ctx);
}

/* An online learner begins with rows of one class, if two were declared, and goes on with the other. */
static void test_one_class_first(void)
{
    static const double x[4] = {1, 2, -1, -2};
    static const uint32_t y[4] = {1, 1, 0, 0};
    static const char *const some[] = {"perceptron", "experts", "svm"};
    for (int k = 0; k < 3; k++) {
        hsp_context *ctx = NULL;
        hsp_error err = {0};
        hsp_options *options = NULL;
        hsp_data *data[2] = {NULL, NULL};
        hsp_model *first = NULL, *second = NULL;
        uint32_t classes[4];
        double scores[4];
        CHECK(hsp_context_new(NULL, &ctx) == HSP_OK);
        CHECK(hsp_options_for(ctx, some[k], &err, &options) == HSP_OK);
        for (int s = 0; s < 2; s++) {
            hsp_view view = hsp_view_dense(HSP_FLOAT64, 2, 1, 1, x + 2 * s);
            view.labels = y + 2 * s;
            view.classes = 2;
            CHECK(hsp_data_borrow(ctx, &view, names, NULL, &err, &data[s]) == HSP_OK);
        }
        const hsp_status status = hsp_train(ctx, data[0], options, &err, NULL, &first);
        CHECK(status == (k < 2 ? HSP_OK : HSP_BAD_DATA));
        if (!status) {
            const hsp_view all = hsp_view_dense(HSP_FLOAT64, 4, 1, 1, x);
            CHECK(hsp_train_from(ctx, data[1], options, first, &err, NULL, &second) == HSP_OK);
            CHECK(hsp_model_score(ctx, second, &all, &err, scores, classes) == HSP_OK);
            CHECK(memcmp(classes, y, sizeof y) == 0);
        }
        hsp_model_free(first);
        hsp_model_free(second);
        hsp_data_free(data[0]);
        hsp_data_free(data[1]);
        hsp_options_free(options);
        hsp_context_free(ctx);
    }
}

int main(void)
{
    fill();
    RUN(test_rows_are_not_copied);
    RUN(test_weights);
    RUN(test_a_weight_of_two_is_the_row_twice);
    RUN(test_refused);
    RUN(test_dense_zeros);
    RUN(test_ones);
    RUN(test_one_class_first);
    return check_done();
}
