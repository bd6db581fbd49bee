/* One model, several threads: all of them get the scores that one gets. An index for nearest
 * neighbours is built once. Meant for the thread sanitizer, too. */
#include <stdio.h>
#include <unistd.h>

#include "../check.h"
#include "counting.h"

enum { ROWS = 600, COLS = 12, THREADS = 4, ROUNDS = 3 };

static double rows[ROWS * COLS];
static uint32_t labels[ROWS];

static void fill(uint32_t classes)
{
    uint64_t state = 3;
    for (uint64_t i = 0; i < ROWS; i++) {
        labels[i] = (uint32_t)(i % classes);
        for (uint64_t j = 0; j < COLS; j++) {
            state = state * 6364136223846793005u + 1442695040888963407u;
            rows[i * COLS + j] = (double)(state >> 11) * 0x1p-53 + (j % classes == labels[i]);
        }
    }
}

typedef struct reader {
    const hsp_model *model;
    hsp_view view;
    double *scores;
    hsp_status status;
} reader;

static void *predict(void *user)
{
    reader *one = user;
    hsp_context *ctx = NULL;
    one->status = hsp_context_new(NULL, &ctx);
    if (!one->status) one->status = hsp_context_set_threads(ctx, 2);
    for (int round = 0; !one->status && round < ROUNDS; round++)
        one->status = hsp_model_score(ctx, one->model, &one->view, NULL, one->scores, NULL);
    hsp_context_free(ctx);
    return NULL;
}

/* All threads at once on a model that nobody has used yet; then one thread, on its own. */
static void share(const hsp_model *model, const hsp_view *view, const char *what)
{
    const size_t size = ROWS * hsp_model_scorers(model) * sizeof(double);
    reader readers[THREADS + 1];
    pthread_t threads[THREADS];
    for (int t = 0; t <= THREADS; t++)
        readers[t] = (reader){.model = model, .view = *view, .scores = calloc(1, size)};
    for (int t = 0; t < THREADS; t++)
        CHECK(pthread_create(&threads[t], NULL, predict, &readers[t]) == 0);
    for (int t = 0; t < THREADS; t++)
        pthread_join(threads[t], NULL);
    predict(&readers[THREADS]);
    for (int t = 0; t <= THREADS; t++) {
        CHECK_NOTE(readers[t].status == HSP_OK, "%s", what);
        CHECK_NOTE(memcmp(readers[t].scores, readers[THREADS].scores, size) == 0, "%s", what);
    }
    for (int t = 0; t <= THREADS; t++)
        free(readers[t].scores);
}

static const struct {
    const char *learner, *hypothesis, *settings[7];
    uint32_t classes;
} models[] = {
    {"svm", "linear", {NULL}, 2},
    {"svm", "linear", {"multiclass", "ovo", NULL}, 3},
    {"logistic", "linear", {"scale", "standard", NULL}, 3},
    {"perceptron", "votes", {"average", "vote", NULL}, 2},
    {"perceptron", "votes", {"average", "vote", "kernel", "rbf(0.5)", NULL}, 3},
    {"svm", "kernel", {"kernel", "rbf(median)", NULL}, 3},
    {"svm", "linear", {"calibrate", "isotonic", NULL}, 2},
    {"knn", "neighbors", {"metric", "l2", "index", "tree", NULL}, 3},
    {"knn", "neighbors", {"metric", "cosine", NULL}, 2},
    {"knn", "neighbors", {"metric", "kernel:rbf(0.5)", NULL}, 2},
};

static void test_threads_share_a_model(void)
{
    char path[] = "/tmp/halfspace-threads-XXXXXX";
    const int file = mkstemp(path);
    CHECK(file >= 0);
    for (size_t i = 0; i < sizeof models / sizeof *models; i++) {
        hsp_context *ctx = NULL;
        hsp_error err = {0};
        hsp_data *data = NULL;
        hsp_options *options = NULL;
        hsp_model *model = NULL, *read = NULL;
        fill(models[i].classes);
        hsp_view view = hsp_view_dense(HSP_FLOAT64, ROWS, COLS, COLS, rows);
        view.labels = labels;
        view.classes = models[i].classes;
        CHECK(hsp_context_new(NULL, &ctx) == HSP_OK);
        CHECK(hsp_data_borrow(ctx, &view, NULL, NULL, &err, &data) == HSP_OK);
        CHECK(hsp_options_for(ctx, models[i].learner, &err, &options) == HSP_OK);
        for (size_t k = 0; models[i].settings[k]; k += 2)
            CHECK_NOTE(hsp_options_set(options, models[i].settings[k], models[i].settings[k + 1],
                                       &err) == HSP_OK,
                       "%s", err.message);
        CHECK_NOTE(hsp_train(ctx, data, options, &err, NULL, &model) == HSP_OK, "%s: %s",
                   models[i].learner, err.message);
        CHECK_TEXT(hsp_model_hypothesis(model), models[i].hypothesis);
        share(model, &view, models[i].learner);
        CHECK(hsp_model_write(ctx, model, path, &err) == HSP_OK);
        CHECK(hsp_model_read(ctx, path, &err, &read) == HSP_OK);
        share(read, &view, models[i].learner);
        hsp_model_free(read);
        hsp_model_free(model);
        hsp_options_free(options);
        hsp_data_free(data);
        hsp_context_free(ctx);
    }
    if (file >= 0) close(file);
    unlink(path);
}

/* The first call that scores many rows builds the index; later calls, also of few rows, use it. */
static void test_an_index_is_built_once(void)
{
    counting counts = {.lock = PTHREAD_MUTEX_INITIALIZER};
    hsp_context *ctx = counting_context(&counts, 1), *other = NULL;
    hsp_error err = {0};
    hsp_data *data = NULL;
    hsp_options *options = NULL;
    hsp_model *model = NULL;
    double scores[ROWS], again[ROWS];
    fill(2);
    hsp_view view = hsp_view_dense(HSP_FLOAT64, ROWS, COLS, COLS, rows), few = view;
    view.labels = labels;
    view.classes = 2;
    few.rows = 1;
    CHECK(hsp_data_borrow(ctx, &view, NULL, NULL, &err, &data) == HSP_OK);
    CHECK(hsp_options_for(ctx, "knn", &err, &options) == HSP_OK);
    CHECK(hsp_options_set(options, "index", "tree", &err) == HSP_OK);
    CHECK(hsp_train(ctx, data, options, &err, NULL, &model) == HSP_OK);

    const size_t unused = counts.now;
    CHECK(hsp_model_score(ctx, model, &view, &err, scores, NULL) == HSP_OK);
    const size_t index = counts.now - unused, before = counts.total;
    CHECK(index > ROWS * COLS * sizeof(float)); /* kept */
    CHECK(hsp_model_score(ctx, model, &few, &err, again, NULL) == HSP_OK);
    CHECK_NOTE(counts.now == unused + index && counts.total - before < index / 2,
               "an index of %zu bytes, then %zu bytes more", index, counts.total - before);
    CHECK(again[0] == scores[0]);

    /* A context that made the index may go before the model does. */
    hsp_context_free(ctx);
    CHECK(hsp_context_new(NULL, &other) == HSP_OK);
    CHECK(hsp_model_score(other, model, &view, &err, again, NULL) == HSP_OK);
    CHECK(memcmp(again, scores, sizeof scores) == 0);
    hsp_context_free(other);
    hsp_model_free(model);
    hsp_options_free(options);
    hsp_data_free(data);
    CHECK(counts.now == 0);
}

int main(void)
{
    RUN(test_threads_share_a_model);
    RUN(test_an_index_is_built_once);
    return check_done();
}
