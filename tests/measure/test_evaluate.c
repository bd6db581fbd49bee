/* A model on labelled data: worked by hand, against naive loops, on any number of threads. */
#include "helpers.h"
#include "data/convert_storage.h"
#include "model/scores.h"

static hsp_context *ctx;

static char last_log[512];
static int logged;

static void remember(void *user, hsp_log_level level, const char *sentence)
{
    (void)user;
    (void)level;
    snprintf(last_log, sizeof last_log, "%s", sentence);
    logged++;
}

/* ---- Worked by hand ---- */

/* w = (3, 4), b = -5, so ||w|| = 5. Scores 20, -5, 0, 1, 2 and -6. */
static const double hand_x[] = {3, 4, 0, 0, 1, 0.5, 2, 0, 1, 1, 1, -1};
static const uint32_t hand_y[] = {1, 0, 1, 1, 0, 0};
static const double hand_w[] = {3, 4};

static void test_by_hand(void)
{
    hsp_model *model = test_separator(ctx, 2, hand_w, -5);
    hsp_data *data = test_data(ctx, 6, 2, hand_x, hand_y, 2, NULL);
    hsp_evaluation e = {.size = sizeof e};
    uint64_t confusion[4] = {9, 9, 9, 9};
    model->tie = HSP_TIE_NEG;
    CHECK(hsp_evaluate(ctx, model, data, NULL, &e, confusion) == HSP_OK);
    CHECK(e.n == 6 && e.mistakes == 2 && e.ties == 0 && e.left_out == 0);
    CHECK(e.error == 2.0 / 6 && e.accuracy == 4.0 / 6);
    CHECK(confusion[0] == 2 && confusion[1] == 1 && confusion[2] == 1 && confusion[3] == 2);
    CHECK(test_near(e.balanced_accuracy, 2.0 / 3, 1e-15));
    CHECK(e.functional_margin == -2);
    CHECK(e.geometric_margin == -2.0 / 5);
    CHECK(e.origin_distance == 1);
    CHECK(e.margin_distance == 1.0 / 5);
    CHECK(e.beyond == 3 && e.on == 1 && e.within == 2); /* 20, 5, 6 | 1 | 0, -2 */
    CHECK(e.hinge_loss == (1.0 + 3.0) / 6);
    CHECK(test_near(e.precision, 2.0 / 3, 1e-15) && test_near(e.recall, 2.0 / 3, 1e-15));
    CHECK(test_near(e.f1, 2.0 / 3, 1e-15) && test_near(e.mcc, 1.0 / 3, 1e-15));
    CHECK(test_near(e.average_precision, (1 + 2.0 / 3 + 3.0 / 4) / 3, 1e-15)); /* 20, 1, 0 */
    CHECK(e.weight == 6 && e.majority_error == 0.5 && e.majority_class == 0);
    CHECK(e.only_class == HSP_NO_CLASS && isnan(e.calibration_error));
    CHECK(e.auc == 7.0 / 9); /* 20 above 3, 0 above 2, 1 above 2 of -5, 2, -6 */

    model->tie = HSP_TIE_POS; /* the row at 0 is right now */
    CHECK(hsp_evaluate(ctx, model, data, NULL, &e, NULL) == HSP_OK);
    CHECK(e.mistakes == 1 && e.ties == 0);

    model->tie = HSP_TIE_ZERO; /* and now neither */
    CHECK(hsp_evaluate(ctx, model, data, NULL, &e, confusion) == HSP_OK);
    CHECK(e.mistakes == 2 && e.ties == 1);
    CHECK(confusion[0] == 2 && confusion[1] == 1 && confusion[2] == 0 && confusion[3] == 2);
    hsp_model_free(model);
    hsp_data_free(data);
}

/* Weights of the rows: a row of weight 2 counts as two rows, in every share and mean. */
static void test_weights(void)
{
    const double weights[] = {1, 2, 1, 0, 3, 1}; /* the rows of scores 0 and 2 are wrong */
    hsp_model *model = test_separator(ctx, 2, hand_w, -5);
    hsp_data *data = test_data(ctx, 6, 2, hand_x, hand_y, 2, NULL);
    hsp_evaluation e = {.size = sizeof e};
    hsp_evaluated *rows = NULL;
    double cells[4];
    hsp_score_report scores[HSP_SCORES];
    hsp_options *options = NULL;
    model->tie = HSP_TIE_NEG;
    CHECK(hsp_data_set_weights(data, weights, NULL) == HSP_OK);
    CHECK(hsp_evaluated_new(ctx, model, data, NULL, NULL, &rows) == HSP_OK);
    CHECK(hsp_evaluated_report(rows, NULL, &e, NULL, cells) == HSP_OK);
    CHECK(e.n == 6 && e.mistakes == 2 && e.weight == 8);
    CHECK(test_near(e.error, 4.0 / 8, 1e-15) && test_near(e.accuracy, 4.0 / 8, 1e-15));
    CHECK(cells[0] == 3 && cells[1] == 3 && cells[2] == 1 && cells[3] == 1);
    CHECK(test_near(e.precision, 1.0 / 4, 1e-15) && test_near(e.recall, 1.0 / 2, 1e-15));
    CHECK(test_near(e.majority_error, 2.0 / 8, 1e-15) && e.majority_class == 0);
    CHECK(test_near(e.hinge_loss, (1.0 * 1 + 3 * 3) / 8, 1e-15));
    CHECK(test_near(e.auc, (6.0 + 3) / 12, 1e-15)); /* 20 above 6, 0 above 3 of weight 6 */
    CHECK(hsp_options_new(ctx, hsp_evaluate_options(), NULL, &options) == HSP_OK);
    CHECK(hsp_options_set(options, "interval", "0.9", NULL) == HSP_OK);
    CHECK(hsp_evaluated_scores(ctx, rows, options, NULL, scores) == HSP_OK);
    CHECK(strcmp(scores[0].name, "error") == 0 && scores[0].value == e.error);
    CHECK(scores[0].low <= 0.5 && scores[0].high >= 0.5 && scores[0].majority == 0.25);
    hsp_options_free(options);
    hsp_evaluated_free(rows);
    hsp_model_free(model);
    hsp_data_free(data);
}

static void test_unknown_labels(void)
{
    static const char *const names[] = {"-1", "1", "blue"};
    const uint32_t labels[] = {1, 0, 2, 1, 0, 2};
    hsp_model *model = test_separator(ctx, 2, hand_w, -5);
    hsp_data *data = test_data(ctx, 6, 2, hand_x, labels, 3, names);
    hsp_evaluation e = {.size = sizeof e};
    uint64_t confusion[4] = {0};
    hsp_context_set_log(ctx, remember, NULL);
    logged = 0;
    CHECK(hsp_evaluate(ctx, model, data, NULL, &e, confusion) == HSP_OK);
    CHECK(e.n == 6 && e.mistakes == 3 && e.left_out == 0); /* two blue, and the row at 2 */
    CHECK(confusion[0] + confusion[1] + confusion[2] + confusion[3] == 4);
    CHECK(e.beyond + e.on + e.within == 4 && e.auc == 3.0 / 4);
    CHECK(logged == 1 && strstr(last_log, "2 rows") && strstr(last_log, "blue"));

    model->leaves_out = 1;
    logged = 0;
    CHECK(hsp_evaluate(ctx, model, data, NULL, &e, confusion) == HSP_OK);
    CHECK(e.n == 4 && e.mistakes == 1 && e.left_out == 2 && logged == 0);
    hsp_context_set_log(ctx, NULL, NULL);
    hsp_model_free(model);
    hsp_data_free(data);
}

/* Three classes, scores x, y and 1 - x - y. */
static void test_three_classes(void)
{
    static const char *const names[] = {"a", "b", "c"};
    const double x[] = {1, 0, 0.5, 0.5, 0, 0, 4, 1, 0, 3};
    const uint32_t y[] = {0, 1, 2, 1, 1};
    hsp_model *model = NULL;
    CHECK(hsp__model_new(ctx, 3, 2, NULL, &model) == HSP_OK);
    const double w[] = {1, 0, 0, 1, -1, -1};
    memcpy(model->weights, w, sizeof w);
    model->offsets[2] = 1;
    for (int c = 0; c < 3; c++)
        test_name_class(model, names[c]);
    model->tie = HSP_TIE_ZERO;
    hsp_data *data = test_data(ctx, 5, 2, x, y, 3, names);
    hsp_evaluation e = {.size = sizeof e};
    uint64_t confusion[9] = {0};
    CHECK(hsp_evaluate(ctx, model, data, NULL, &e, confusion) == HSP_OK);
    /* scores (1,0,0) a; (.5,.5,0) b, a tie; (0,0,1) c; (4,1,-4) b, wrong; (0,3,-2) b */
    CHECK(e.n == 5 && e.mistakes == 2 && e.ties == 1);
    CHECK(confusion[0] == 1 && confusion[3] == 1 && confusion[4] == 1 && confusion[8] == 1);
    CHECK(test_near(e.balanced_accuracy, (1 + 1.0 / 3 + 1) / 3, 1e-15));
    CHECK(e.functional_margin == -3);
    CHECK(e.hinge_loss == (1.0 + 4.0) / 5); /* margins 1, 0, 1, -3, 3 */
    CHECK(e.beyond == 1 && e.on == 2 && e.within == 2);
    /* each against the rest: a has 1 above three of .5 0 4 0; b and c are above all others */
    CHECK(test_near(e.auc, (3.0 / 4 + 1 + 1) / 3, 1e-15));
    CHECK(isnan(e.geometric_margin) && isnan(e.origin_distance) && isnan(e.margin_distance));
    hsp_model_free(model);
    hsp_data_free(data);
}

static void test_nothing_to_say(void)
{
    const double zero[] = {0, 0};
    hsp_model *model = test_separator(ctx, 2, zero, 0);
    hsp_data *data = test_data(ctx, 6, 2, hand_x, hand_y, 2, NULL);
    hsp_evaluation e = {.size = sizeof e};
    CHECK(hsp_evaluate(ctx, model, data, NULL, &e, NULL) == HSP_OK);
    CHECK(e.auc == 0.5 && e.functional_margin == 0 && e.hinge_loss == 1);
    CHECK(isnan(e.geometric_margin) && isnan(e.origin_distance) && isnan(e.margin_distance));
    hsp_data_free(data);

    data = test_data(ctx, 0, 2, hand_x, hand_y, 2, NULL);
    CHECK(hsp_evaluate(ctx, model, data, NULL, &e, NULL) == HSP_OK);
    CHECK(e.n == 0 && isnan(e.error) && isnan(e.accuracy) && isnan(e.auc) && isnan(e.hinge_loss));
    CHECK(isnan(e.functional_margin) && isnan(e.balanced_accuracy));
    hsp_data_free(data);

    hsp_view view = hsp_view_dense(HSP_FLOAT64, 6, 2, 2, hand_x);
    CHECK(hsp_data_copy(ctx, &view, NULL, NULL, NULL, &data) == HSP_OK);
    hsp_error err = {0};
    e.n = 77;
    CHECK(hsp_evaluate(ctx, model, data, &err, &e, NULL) == HSP_BAD_DATA);
    CHECK(strstr(err.message, "no labels") != NULL && e.n == 77);
    hsp_data_free(data);
    hsp_model_free(model);
}

/* A constant feature is an offset, not a part of the direction. */
static void test_homogeneous_form(void)
{
    const double w[] = {3, 4, -5};
    hsp_model *model = test_separator(ctx, 2, hand_w, -5), *form = test_separator(ctx, 3, w, 0);
    form->constant = 1;
    hsp_data *data = test_data(ctx, 6, 2, hand_x, hand_y, 2, NULL);
    hsp_evaluation a = {.size = sizeof a}, b = a;
    CHECK(hsp_evaluate(ctx, model, data, NULL, &a, NULL) == HSP_OK);
    CHECK(hsp_evaluate(ctx, form, data, NULL, &b, NULL) == HSP_OK);
    CHECK(a.geometric_margin == b.geometric_margin && a.origin_distance == b.origin_distance);
    CHECK(a.mistakes == b.mistakes && a.margin_distance == b.margin_distance);
    hsp_model_free(model);
    hsp_model_free(form);
    hsp_data_free(data);
}

/* Votes rank rows and decide; how far they are from a boundary is not theirs to say. */
static void test_votes(void)
{
    hsp_data *data = test_data(ctx, 6, 2, hand_x, hand_y, 2, NULL);
    hsp_options *options = NULL;
    hsp_model *model = NULL;
    hsp_training run = {.size = sizeof run};
    hsp_evaluation e = {.size = sizeof e};
    CHECK(hsp_options_new(ctx, hsp_learner(0), NULL, &options) == HSP_OK);
    CHECK(hsp_options_set(options, "average", "vote", NULL) == HSP_OK);
    CHECK(hsp_train(ctx, data, options, NULL, &run, &model) == HSP_OK);
    CHECK(hsp_evaluate(ctx, model, data, NULL, &e, NULL) == HSP_OK);
    CHECK(e.n == 6 && e.error == run.training_error);
    CHECK(e.auc >= 0 && e.auc <= 1);
    CHECK(isnan(e.hinge_loss) && isnan(e.functional_margin) && isnan(e.geometric_margin));
    CHECK(isnan(e.origin_distance) && isnan(e.margin_distance));
    CHECK(e.beyond == 0 && e.on == 0 && e.within == 0);
    hsp_options_free(options);
    hsp_model_free(model);
    hsp_data_free(data);
}

/* ---- Against naive loops ---- */

typedef struct ranked {
    double score;
    uint32_t positive;
} ranked;

static double naive_auc(const ranked *rows, uint64_t count)
{
    double good = 0, pairs = 0;
    for (uint64_t i = 0; i < count; i++)
        for (uint64_t j = 0; j < count; j++) {
            if (!rows[i].positive || rows[j].positive) continue;
            pairs += 1;
            good += rows[i].score > rows[j].score ? 1 : rows[i].score == rows[j].score ? 0.5 : 0;
        }
    return good / pairs;
}

static double auc_of(const ranked *rows, uint64_t count)
{
    double auc = -1;
    uint32_t *truth = malloc((count + 1) * sizeof *truth);
    double *ranking = malloc((count + 1) * sizeof *ranking);
    if (!truth || !ranking) abort();
    for (uint64_t i = 0; i < count; i++) {
        truth[i] = rows[i].positive;
        ranking[i] = rows[i].score;
    }
    const hsp__scored scored = {2, 1, count, truth, truth, ranking, NULL, NULL};
    CHECK(hsp__score_rows(ctx, &scored, HSP__SCORE_AUC, NULL, &auc) == HSP_OK);
    free(truth);
    free(ranking);
    return auc;
}

static void test_auc(void)
{
    hsp__random random;
    hsp__random_seed(&random, 30, 0);
    for (int round = 0; round < 500; round++) {
        ranked rows[80];
        const uint64_t count = hsp__random_below(&random, 80);
        const uint64_t values = 1 + hsp__random_below(&random, 40);
        uint64_t positives = 0;
        for (uint64_t i = 0; i < count; i++) {
            rows[i].score = (double)hsp__random_below(&random, values) - 5;
            if (rows[i].score == 0 && hsp__random_below(&random, 2)) rows[i].score = -0.0;
            rows[i].positive = (uint32_t)hsp__random_below(&random, 2);
            positives += rows[i].positive;
        }
        const double want = naive_auc(rows, count), got = auc_of(rows, count);
        if (positives == 0 || positives == count)
            CHECK(isnan(got));
        else
            CHECK_NOTE(got == want, "%.17g, naive %.17g", got, want);
    }
    ranked odd[] = {{(double)NAN, 1}, {1, 0}};
    CHECK(isnan(auc_of(odd, 2)));
}

/* More rows than are sorted at a time: counted value by value. */
static void auc_of_many_rows(void)
{
    enum { ROWS = 150001, VALUES = 1000 };
    static ranked rows[ROWS];
    static uint64_t of[2][VALUES];
    uint64_t doubled = 0, below = 0, all[2] = {0};
    hsp__random random;
    hsp__random_seed(&random, 12, 0);
    for (uint64_t i = 0; i < ROWS; i++) {
        const uint64_t value = hsp__random_below(&random, VALUES);
        rows[i] = (ranked){(double)value, hsp__random_below(&random, VALUES) < value};
        of[rows[i].positive][value]++;
        all[rows[i].positive]++;
    }
    for (uint64_t v = 0; v < VALUES; v++) {
        doubled += of[1][v] * (2 * below + of[0][v]);
        below += of[0][v];
    }
    CHECK(auc_of(rows, ROWS) == (double)doubled / (2 * ((double)all[0] * (double)all[1])));
}

typedef struct sums {
    uint64_t mistakes, beyond, on, within;
    double hinge, least;
} sums;

static sums naive_sums(const double *x, const uint32_t *y, uint64_t rows, uint64_t cols,
                       const double *w, double b)
{
    sums all = {.least = HUGE_VAL};
    for (uint64_t i = 0; i < rows; i++) {
        double s = b;
        for (uint64_t j = 0; j < cols; j++)
            s += w[j] * x[i * cols + j];
        const double m = y[i] ? s : -s;
        all.mistakes += y[i] ? s <= 0 : s > 0;
        all.hinge += m < 1 ? 1 - m : 0;
        all.least = m < all.least ? m : all.least;
        all.beyond += m > 1;
        all.on += m == 1;
        all.within += m < 1;
    }
    all.hinge /= (double)rows;
    return all;
}

static hsp_status restore_sparse(hsp_data *data, hsp_precision precision, hsp_data **out)
{
    const hsp__storage_change plan = {.storage = HSP_SPARSE,
                                      .precision = precision,
                                      .cols = hsp_data_cols(data),
                                      .phase = "test"};
    return hsp__data_convert_storage(ctx, data, &plan, NULL, out);
}

/* Small whole numbers, so that every sum is exact; every storage. */
static void test_random(void)
{
    for (uint64_t seed = 0; seed < 300; seed++) {
        hsp__random random;
        hsp__random_seed(&random, 31, seed);
        double x[60 * 5], w[5];
        uint32_t y[60];
        const uint64_t rows = 2 + hsp__random_below(&random, 58);
        const uint64_t cols = 1 + hsp__random_below(&random, 5);
        for (uint64_t j = 0; j < cols; j++)
            w[j] = (double)hsp__random_below(&random, 5) - 2;
        for (uint64_t k = 0; k < rows * cols; k++)
            x[k] = (double)hsp__random_below(&random, 5) - 2;
        for (uint64_t i = 0; i < rows; i++)
            y[i] = (uint32_t)hsp__random_below(&random, 2);
        const double b = (double)hsp__random_below(&random, 3) - 1;
        const sums want = naive_sums(x, y, rows, cols, w, b);
        hsp_model *model = test_separator(ctx, cols, w, b);
        hsp_data *data = test_data(ctx, rows, cols, x, y, 2, NULL), *sparse = NULL;
        CHECK(restore_sparse(data, HSP_FLOAT32, &sparse) == HSP_OK);
        for (int round = 0; round < 2; round++) {
            hsp_evaluation e = {.size = sizeof e};
            CHECK(hsp_evaluate(ctx, model, round ? sparse : data, NULL, &e, NULL) == HSP_OK);
            CHECK(e.n == rows && e.mistakes == want.mistakes);
            CHECK(e.beyond == want.beyond && e.on == want.on && e.within == want.within);
            CHECK(e.functional_margin == want.least);
            CHECK(test_near(e.hinge_loss, want.hinge, 1e-14));
        }
        hsp_data_free(data);
        hsp_data_free(sparse);
        hsp_model_free(model);
    }
}

/* ---- Threads, slices, memory ---- */

/* More scores than one slice holds, dense and sparse: the same bits on 1, 2 and 7 threads. */
static void test_threads(void)
{
    enum { ROWS = 700000 };
    hsp__random random;
    hsp__random_seed(&random, 32, 0);
    double *x = malloc(ROWS * 2 * sizeof *x);
    uint32_t *y = malloc(ROWS * sizeof *y);
    if (!x || !y) abort();
    for (uint64_t k = 0; k < (uint64_t)ROWS * 2; k++)
        x[k] = k % 3 ? hsp__random_unit(&random) - 0.5 : 0;
    for (uint64_t i = 0; i < ROWS; i++)
        y[i] = hsp__random_below(&random, 3) ? x[2 * i] > 0 : 0;
    const double w[] = {1.7, -0.3};
    hsp_model *model = test_separator(ctx, 2, w, 0.01);
    hsp_data *data = test_data(ctx, ROWS, 2, x, y, 2, NULL), *sparse = NULL;
    CHECK(restore_sparse(data, HSP_FLOAT64, &sparse) == HSP_OK);
    const sums want = naive_sums(x, y, ROWS, 2, w, 0.01);
    hsp_evaluation first[2];
    memset(first, 0, sizeof first);
    static const int threads[] = {1, 2, 7};
    for (int t = 0; t < 3; t++)
        for (int kind = 0; kind < 2; kind++) {
            hsp_evaluation e = {.size = sizeof e};
            memset(&e, 0, sizeof e); /* the padding too: bytes are compared */
            e.size = sizeof e;
            hsp_context_set_threads(ctx, threads[t]);
            CHECK(hsp_evaluate(ctx, model, kind ? sparse : data, NULL, &e, NULL) == HSP_OK);
            if (t == 0) first[kind] = e;
            CHECK(memcmp(&e, &first[kind], sizeof e) == 0);
            CHECK(e.n == ROWS && e.mistakes == want.mistakes && e.beyond == want.beyond);
            CHECK(test_near(e.hinge_loss, want.hinge, 1e-11));
        }
    hsp_context_set_threads(ctx, 2);
    hsp_model_free(model);
    hsp_data_free(data);
    hsp_data_free(sparse);
    free(x);
    free(y);
}

int main(void)
{
    ctx = test_context(2, 0);
    RUN(test_by_hand);
    RUN(test_weights);
    RUN(test_unknown_labels);
    RUN(test_three_classes);
    RUN(test_nothing_to_say);
    RUN(test_homogeneous_form);
    RUN(test_votes);
    RUN(test_auc);
    RUN(auc_of_many_rows);
    RUN(test_random);
    RUN(test_threads);
    hsp_context_free(ctx);
    return check_done();
}
