/* Scores: ties, storages, scalings, columns that are not there, votes against a naive replay. */
#include "model/helpers.h"

static void a_score_of_zero_is_what_the_rule_says(void)
{
    const double neg[] = {-1}, zero[] = {0}, minus_zero[] = {-0.0}, pos[] = {1e-300};
    for (int tie = HSP_TIE_NEG; tie <= HSP_TIE_ZERO; tie++) {
        CHECK(hsp__decide(neg, 1, (hsp_tie)tie) == 0);
        CHECK(hsp__decide(pos, 1, (hsp_tie)tie) == 1);
    }
    CHECK(hsp__decide(zero, 1, HSP_TIE_NEG) == 0);
    CHECK(hsp__decide(zero, 1, HSP_TIE_POS) == 1);
    CHECK(hsp__decide(zero, 1, HSP_TIE_ZERO) == HSP_NO_CLASS);
    CHECK(hsp__decide(minus_zero, 1, HSP_TIE_POS) == 1);
    CHECK(hsp__decide(minus_zero, 1, HSP_TIE_ZERO) == HSP_NO_CLASS);
    const double one[] = {1, 3, 2}, two[] = {3, 1, 3}, all[] = {0, 0, 0};
    for (int tie = HSP_TIE_NEG; tie <= HSP_TIE_ZERO; tie++)
        CHECK(hsp__decide(one, 3, (hsp_tie)tie) == 1);
    CHECK(hsp__decide(two, 3, HSP_TIE_NEG) == 0);
    CHECK(hsp__decide(two, 3, HSP_TIE_POS) == 2);
    CHECK(hsp__decide(two, 3, HSP_TIE_ZERO) == HSP_NO_CLASS);
    CHECK(hsp__decide(all, 3, HSP_TIE_NEG) == 0 && hsp__decide(all, 3, HSP_TIE_POS) == 2);
}

static void labels_find_their_class(void)
{
    hsp_context *ctx = test_context(1, 0);
    hsp__random random;
    hsp__random_seed(&random, 1, 0);
    hsp_model *model = test_linear(ctx, &random, 2, 1);
    CHECK(hsp_model_class_of(model, "class 1") == 1);
    CHECK(hsp_model_class_of(model, "other") == HSP_NO_CLASS);
    model->rest = 1;
    CHECK(hsp_model_class_of(model, "other") == 0);
    CHECK(hsp_model_class_of(model, "class 1") == 1);
    hsp_model_free(model);
    hsp_context_free(ctx);
}

/* The score of a row from its definition. */
static double naive_score(const hsp_model *model, const hsp_data *data, uint64_t i, uint32_t k)
{
    double score = model->offsets[k];
    for (uint64_t j = 0; j < model->features; j++)
        score += test_at(data, i, j) * model->weights[k * model->features + j];
    return score;
}

/* Whole numbers: every order of adding gives the same sum, and ties happen. */
static void scores_are_what_they_are_defined_to_be(void)
{
    hsp_context *ctx = test_context(3, 0);
    uint64_t ties = 0;
    for (uint64_t seed = 0; seed < 300; seed++) {
        enum { ROWS = 40 };
        double scores[ROWS * 4];
        uint32_t classes[ROWS];
        hsp__random random;
        hsp__random_seed(&random, 2, seed);
        hsp_model *model =
            test_linear(ctx, &random, 2 + (uint32_t)(seed % 3), 1 + hsp__random_below(&random, 40));
        model->order = (hsp__order)(seed % 3);
        hsp_data *rows =
            test_rows(ctx, &random, ROWS, hsp__random_below(&random, model->features) + 1,
                      (hsp_storage)hsp__random_below(&random, 3));
        CHECK(hsp_model_score(ctx, model, &rows->view, NULL, scores, classes) == HSP_OK);
        for (uint64_t i = 0; i < ROWS; i++) {
            for (uint32_t k = 0; k < model->scorers; k++)
                CHECK(scores[i * model->scorers + k] == naive_score(model, rows, i, k));
            CHECK(classes[i] == hsp__model_decide(model, scores + i * model->scorers));
            ties += classes[i] == HSP_NO_CLASS;
        }
        hsp_data_free(rows);
        hsp_model_free(model);
    }
    CHECK(ties > 100);
    hsp_context_free(ctx);
}

/* Rows in another storage. */
static hsp_data *as_storage(hsp_context *ctx, hsp_data *data, const char *storage)
{
    hsp_data *out = NULL;
    hsp_options *options = NULL;
    const char *path = test_path("storage.hsp");
    if (hsp_options_new(ctx, hsp_read_options(), NULL, &options) ||
        hsp_options_set(options, "storage", storage, NULL) ||
        hsp_data_write(ctx, data, path, NULL, NULL) ||
        hsp_data_read(ctx, path, options, NULL, NULL, &out))
        abort();
    hsp_options_free(options);
    unlink(path);
    return out;
}

/* A model with an order gives the same bits for dense and sparse rows, on any number of threads,
 * and the same as scaling with hsp_scaling_apply and scoring what comes out. */
static void storage_and_threads_change_no_bit(void)
{
    static const char *const kinds[] = {NULL, "min-max", "standard", "max-abs", "unit-rows"};
    hsp_context *one = test_context(1, 0), *seven = test_context(7, 0);
    for (uint64_t seed = 0; seed < 60; seed++) {
        enum { ROWS = 200 };
        double s[ROWS], t[ROWS], u[ROWS];
        hsp__random random;
        hsp__random_seed(&random, 3, seed);
        const uint64_t features = 1 + hsp__random_below(&random, 90);
        hsp_model *model = test_linear(one, &random, 2, features);
        for (uint64_t j = 0; j < features; j++)
            model->weights[j] = hsp__random_normal(&random);
        model->order = seed % 2 ? HSP__ORDER_DENSE : HSP__ORDER_SPARSE;
        const char *kind = kinds[seed % 5];
        if (kind) model->scalings[seed % 2] = test_scaling(one, &random, kind, features);
        hsp_data *dense = test_rows(one, &random, ROWS, features, HSP_DENSE);
        hsp_data *sparse = as_storage(one, dense, "sparse");
        CHECK(sparse->view.storage == HSP_SPARSE);
        CHECK(hsp_model_score(one, model, &dense->view, NULL, s, NULL) == HSP_OK);
        CHECK(hsp_model_score(seven, model, &sparse->view, NULL, t, NULL) == HSP_OK);
        CHECK(memcmp(s, t, sizeof s) == 0);
        hsp_data *scaled = NULL;
        if (kind)
            CHECK(hsp_scaling_apply(one, model->scalings[seed % 2], dense, NULL, &scaled) ==
                  HSP_OK);
        if (model->order == HSP__ORDER_DENSE) {
            for (uint64_t i = 0; i < ROWS; i++)
                u[i] = hsp__row_score(&(scaled ? scaled : dense)->view, i, model->weights,
                                      model->offsets[0]);
            CHECK_NOTE(memcmp(s, u, sizeof s) == 0, "seed %llu", (unsigned long long)seed);
        }
        hsp_data_free(scaled);
        hsp_data_free(sparse);
        hsp_data_free(dense);
        hsp_model_free(model);
    }
    hsp_context_free(one);
    hsp_context_free(seven);
}

static void count_warnings(void *user, hsp_log_level level, const char *sentence)
{
    *(int *)user +=
        level == HSP_LOG_WARNING && strncmp(sentence, "1 value in columns beyond the 2", 30) == 0;
}

/* A column that training never saw has weight zero; the user hears of the values in it. */
static void unknown_columns_are_passed_over(void)
{
    hsp_context *ctx = test_context(2, 0);
    hsp__random random;
    hsp_error err = {0};
    double scores[3];
    hsp__random_seed(&random, 4, 0);
    hsp_model *model = test_linear(ctx, &random, 2, 2);
    const float dense[] = {1, 2, 0, 3, 4, 0, 5, 6, 0};
    const uint64_t starts[] = {0, 2, 3, 5};
    const uint32_t indices[] = {0, 2, 1, 0, 3};
    float values[] = {1, 0, 2, 3, 0};
    hsp_view wide = hsp_view_dense(HSP_FLOAT32, 3, 3, 3, dense);
    hsp_view sparse = hsp_view_sparse(HSP_FLOAT32, 3, 4, 8, starts, indices, values);
    CHECK(hsp_model_score(ctx, model, &wide, &err, scores, NULL) == HSP_OK);
    CHECK(scores[2] == 5 * model->weights[0] + 6 * model->weights[1] + model->offsets[0]);
    CHECK(hsp_model_score(ctx, model, &sparse, &err, scores, NULL) == HSP_OK);
    CHECK(scores[1] == 2 * model->weights[1] + model->offsets[0]);
    model->scalings[0] = test_scaling(ctx, &random, "max-abs", 2);
    CHECK(hsp_model_score(ctx, model, &sparse, &err, scores, NULL) == HSP_OK);
    double before = scores[2];
    int warnings = 0;
    hsp_context_set_log(ctx, count_warnings, &warnings);
    values[4] = 7;
    CHECK(hsp_model_score(ctx, model, &sparse, &err, scores, NULL) == HSP_OK);
    CHECK(scores[2] == before && warnings == 1);
    hsp_model_free(model);
    hsp_context_free(ctx);
}

/* The voted prediction by replaying the run: a weight vector a separator. */
static void naive_votes(const hsp_model *model, const hsp_data *data, uint64_t i, double *shares)
{
    const hsp__votes *votes = model->votes;
    double w[4][16] = {{0}}, b[4] = {0}, scores[4], total = 0;
    for (uint32_t k = 0; k < model->scorers; k++)
        shares[k] = 0;
    for (uint64_t t = 0; t <= votes->steps; t++) {
        double weight = (double)(t ? votes->survived[t - 1] : votes->at_zero);
        for (uint64_t u = t ? votes->first[t - 1] : 0; t && u < votes->first[t]; u++) {
            for (uint64_t j = 0; j < model->features; j++)
                w[votes->scorer[u]][j] +=
                    votes->amount[u] * test_at(votes->rows, votes->support[u], j);
            b[votes->scorer[u]] += votes->offset[u];
        }
        for (uint32_t k = 0; k < model->scorers; k++) {
            scores[k] = b[k];
            for (uint64_t j = 0; j < model->features; j++)
                scores[k] += w[k][j] * test_at(data, i, j);
        }
        uint32_t chosen = hsp__decide(scores, model->scorers, model->tie);
        total += weight;
        if (chosen == HSP_NO_CLASS) continue;
        if (model->scorers == 1)
            shares[0] += chosen ? weight : -weight;
        else
            shares[chosen] += weight;
    }
    for (uint32_t k = 0; k < model->scorers; k++)
        if (total > 0) shares[k] /= total;
}

static void votes_equal_the_naive_replay(void)
{
    hsp_context *ctx = test_context(2, 0);
    for (uint64_t seed = 0; seed < 300; seed++) {
        enum { ROWS = 12 };
        double scores[ROWS * 4], want[4];
        hsp__random random;
        hsp__random_seed(&random, 5, seed);
        hsp_model *model =
            test_linear(ctx, &random, 2 + (uint32_t)(seed % 3), 1 + hsp__random_below(&random, 9));
        test_add_votes(ctx, &random, model, (hsp_storage)hsp__random_below(&random, 3));
        CHECK(hsp__model_check(ctx, model, NULL, NULL) == HSP_OK);
        hsp_data *rows = test_rows(ctx, &random, ROWS, model->features,
                                   (hsp_storage)hsp__random_below(&random, 3));
        CHECK(hsp_model_score(ctx, model, &rows->view, NULL, scores, NULL) == HSP_OK);
        for (uint64_t i = 0; i < ROWS; i++) {
            naive_votes(model, rows, i, want);
            CHECK_NOTE(memcmp(want, scores + i * model->scorers, model->scorers * 8) == 0,
                       "seed %llu", (unsigned long long)seed);
        }
        hsp_data_free(rows);
        hsp_model_free(model);
    }
    hsp_context_free(ctx);
}

static void scaled_rows_are_given_on_demand(void)
{
    hsp_context *ctx = test_context(1, 0);
    hsp__random random;
    hsp__random_seed(&random, 6, 0);
    hsp_model *model = test_linear(ctx, &random, 2, 5);
    hsp_data *rows = test_rows(ctx, &random, 10, 5, HSP_SPARSE), *out = rows;
    CHECK(hsp__model_scale(ctx, model, &rows->view, NULL, &out) == HSP_OK && !out);
    model->order = HSP__ORDER_DENSE;
    CHECK(hsp__model_scale(ctx, model, &rows->view, NULL, &out) == HSP_OK);
    CHECK(out && out->view.storage == HSP_DENSE && test_same(rows, out, 0));
    hsp_data_free(out);
    hsp_data_free(rows);
    hsp_model_free(model);
    hsp_context_free(ctx);
}

/* A row of the caller's with NaN in it, through every way in. */
static void nan_is_called_nan(void)
{
    enum { ROWS = 3000, COLS = 3 };
    static const char *const learners[] = {"perceptron", "svm", "knn"};
    static const char *const names[] = {"a", "b"};
    const char *want = "row 2345, column 2: the value is NaN";
    double *x = calloc((size_t)ROWS * COLS, sizeof *x), *scores = calloc(ROWS, sizeof *scores);
    uint32_t *labels = calloc(ROWS, sizeof *labels);
    hsp_context *ctx = test_context(2, 0);
    for (int i = 0; i < ROWS * COLS; i++)
        x[i] = (i * 7 % 11) - 5;
    for (int i = 0; i < ROWS; i++)
        labels[i] = x[(size_t)i * COLS] > 0;
    hsp_view view = hsp_view_dense(HSP_FLOAT64, ROWS, COLS, COLS, x), few = view;
    view.labels = few.labels = labels;
    view.classes = few.classes = 2;
    few.rows = 60;
    for (size_t k = 0; k < 3; k++) {
        hsp_options *options = NULL;
        hsp_data *data = NULL, *bad = NULL;
        hsp_model *model = NULL;
        hsp_error err = HSP_ERROR_INIT;
        x[2344 * COLS + 1] = 1;
        CHECK(hsp_options_new(ctx, hsp_learner_find(learners[k]), &err, &options) == HSP_OK);
        if (k == 0) CHECK(hsp_options_set(options, "scale", "standard", &err) == HSP_OK);
        if (k == 1) CHECK(hsp_options_set(options, "kernel", "rbf(1)", &err) == HSP_OK);
        CHECK(hsp_data_copy(ctx, &few, names, NULL, &err, &data) == HSP_OK);
        CHECK_NOTE(hsp_train(ctx, data, options, &err, NULL, &model) == HSP_OK, "%s", err.message);
        x[2344 * COLS + 1] = (double)NAN;
        CHECK(hsp_model_score(ctx, model, &view, &err, scores, NULL) == HSP_BAD_DATA);
        CHECK_NOTE(strcmp(err.message, want) == 0, "%s: %s", learners[k], err.message);
        err = (hsp_error)HSP_ERROR_INIT;
        CHECK(hsp_data_copy(ctx, &view, names, NULL, &err, &bad) == HSP_BAD_DATA && !bad);
        CHECK_TEXT(err.message, want);
        if (k == 0) {
            hsp_trainer *trainer = NULL;
            hsp_options *plain = NULL;
            CHECK(hsp_options_new(ctx, hsp_learner_find("perceptron"), &err, &plain) == HSP_OK);
            CHECK(hsp_trainer_new(ctx, plain, names, 2, COLS, &err, &trainer) == HSP_OK);
            err = (hsp_error)HSP_ERROR_INIT;
            CHECK(hsp_trainer_step(trainer, &view, 2344, &err, NULL) == HSP_BAD_DATA);
            CHECK_TEXT(err.message, want);
            hsp_trainer_free(trainer);
            hsp_options_free(plain);
        }
        hsp_model_free(model);
        hsp_data_free(data);
        hsp_options_free(options);
    }
    CHECK(hsp_learner_find("nobody") == NULL && hsp_learner_find(NULL) == NULL);
    free(x);
    free(scores);
    free(labels);
    hsp_context_free(ctx);
}

int main(void)
{
    RUN(a_score_of_zero_is_what_the_rule_says);
    RUN(labels_find_their_class);
    RUN(scores_are_what_they_are_defined_to_be);
    RUN(storage_and_threads_change_no_bit);
    RUN(unknown_columns_are_passed_over);
    RUN(votes_equal_the_naive_replay);
    RUN(scaled_rows_are_given_on_demand);
    RUN(nan_is_called_nan);
    return check_done();
}
