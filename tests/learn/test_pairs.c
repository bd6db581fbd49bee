/* One-vs-one: every scorer is what a run on the two classes alone gives, to the bit; the triples of
 * all runs are about rows of the whole data; figures add up; what cannot be is refused. */
#include "data/prepare.h"
#include "learn/naive.h"
#include "model/ovo_votes.h"

enum { COLS = 7 };

static hsp_data *any_data(hsp_context *ctx, uint64_t seed, int classes, hsp_storage storage)
{
    const test_recipe recipe = {
        .rows = 90, .cols = COLS, .seed = seed, .density = 0.7, .classes = classes};
    return test_random(ctx, &recipe, storage, HSP_FLOAT64);
}

static void check_scorer(const hsp_model *all, uint32_t pair, const hsp_model *one,
                         const char *note)
{
    CHECK_NOTE(memcmp(hsp_model_weights(all, pair), hsp_model_weights(one, 0),
                      COLS * sizeof(double)) == 0 &&
                   hsp_model_offset(all, pair) == hsp_model_offset(one, 0),
               "%s, pair %u", note, pair);
}

/* The same as --classes a,b: weights, passes and updates; the sums and the largest are the run's.
 */
static void check_pairs(hsp_context *ctx, hsp_data *data, hsp_data *scaled, const char *settings)
{
    char text[256];
    hsp_training all = {.size = sizeof all}, one = {.size = sizeof one};
    snprintf(text, sizeof text, "%s multiclass=ovo", settings);
    hsp_options *options = test_options(ctx, hsp_learner_find("perceptron"), text);
    hsp_model *model = learn_train(ctx, data, options, &all);
    const uint32_t classes = hsp_data_classes(data);
    uint64_t passes = 0, updates = 0, mistakes = 0;
    int converged = 1;
    if (!model) abort();
    CHECK(hsp_model_is_one_vs_one(model) && hsp_model_scorers(model) == hsp__pair_count(classes));
    for (uint32_t i = 0, pair = 0; i < classes; i++)
        for (uint32_t j = i + 1; j < classes; j++, pair++) {
            char two[64];
            hsp_options *own = test_options(ctx, hsp_learner_find("perceptron"), settings);
            snprintf(two, sizeof two, "%s,%s", hsp_data_class_name(data, i),
                     hsp_data_class_name(data, j));
            learn_set(own, "classes", two);
            learn_set(own, "scale", "none");
            hsp_model *alone = learn_train(ctx, scaled, own, &one);
            check_scorer(model, pair, alone, text);
            if (one.passes > passes) passes = one.passes;
            updates += one.updates;
            mistakes += one.mistakes_last_pass;
            converged &= one.stop == HSP_STOP_CONVERGED;
            hsp_model_free(alone);
            hsp_options_free(own);
        }
    CHECK(all.passes == passes && all.updates == updates && all.mistakes_last_pass == mistakes);
    CHECK((all.stop == HSP_STOP_CONVERGED) == converged);
    CHECK(all.rows == hsp_data_rows(data) && all.classes == classes);
    hsp_evaluation measured = {.size = sizeof measured};
    CHECK(hsp_evaluate(ctx, model, data, NULL, &measured, NULL) == HSP_OK);
    CHECK(measured.error == all.training_error);
    CHECK_TEXT(hsp_model_metadata(model, "learner"), "perceptron");
    hsp_model_free(model);
    hsp_options_free(options);
}

static void each_pair_is_a_run_of_its_own(void)
{
    static const char *const settings[] = {"passes=5",
                                           "passes=5 order=shuffle seed=7 tie=pos",
                                           "passes=3 average=average offset=r2",
                                           "passes=20 soft=1.5 tie=zero",
                                           "passes=4 order=worst max-updates=30",
                                           "passes=4 margin-target=0.1r rate=0.25"};
    for (int threads = 1; threads <= 3; threads++) {
        hsp_context *ctx = test_context(threads, 0);
        for (size_t s = 0; s < sizeof settings / sizeof *settings; s++) {
            const int classes = 3 + (int)s % 3;
            hsp_data *data = any_data(ctx, s, classes, (hsp_storage)(s % 2));
            check_pairs(ctx, data, data, settings[s]);
            hsp_data_free(data);
        }
        hsp_context_free(ctx);
    }
}

static void all_pairs_share_one_scaling(void)
{
    hsp_context *ctx = test_context(2, 0);
    hsp_data *data = any_data(ctx, 11, 4, HSP_DENSE), *scaled = NULL;
    hsp_options *options = test_options(ctx, hsp_scale_options(), "kind=standard");
    hsp_scaling *scaling = NULL;
    CHECK(hsp_scaling_fit(ctx, data, options, NULL, &scaling) == HSP_OK);
    CHECK(hsp_scaling_apply(ctx, scaling, data, NULL, &scaled) == HSP_OK);
    check_pairs(ctx, data, scaled, "passes=6 scale=standard");
    hsp_scaling_free(scaling);
    hsp_options_free(options);
    hsp_data_free(scaled);
    hsp_data_free(data);
    hsp_context_free(ctx);
}

/* The triples rebuild every scorer from rows of the whole data. */
static void updates_are_of_the_whole_data(void)
{
    hsp_context *ctx = test_context(2, 0);
    hsp_data *data = any_data(ctx, 21, 4, HSP_DENSE);
    hsp_options *options =
        test_options(ctx, hsp_learner_find("perceptron"), "passes=7 multiclass=ovo");
    hsp_training run = {.size = sizeof run};
    hsp_model *model = learn_train(ctx, data, options, &run);
    double w[6 * COLS] = {0}, uses = 0;
    const hsp_row_coefficients updates = hsp_model_row_coefficients(model);
    uint64_t before = 0;
    for (uint64_t k = 0; k < updates.count; k++) {
        const uint64_t row = updates.row[k];
        uint32_t i, j;
        hsp__pair_classes(4, updates.scorer[k], &i, &j);
        const uint32_t label = data->view.labels[row];
        CHECK(row >= before && row < 90 && (label == i || label == j));
        CHECK((updates.amount[k] > 0) == (label == j));
        for (uint64_t c = 0; c < COLS; c++)
            w[updates.scorer[k] * COLS + c] += updates.amount[k] * test_at(data, row, c);
        uses += fabs(updates.amount[k]);
        before = row;
    }
    CHECK(uses == (double)run.updates);
    for (uint32_t p = 0; p < 6; p++)
        for (uint64_t c = 0; c < COLS; c++)
            CHECK(fabs(w[p * COLS + c] - hsp_model_weights(model, p)[c]) <= 1e-9);
    hsp_model_free(model);
    hsp_options_free(options);
    hsp_data_free(data);
    hsp_context_free(ctx);
}

static void two_classes_are_no_pairs(void)
{
    hsp_context *ctx = test_context(1, 0);
    hsp_data *data = any_data(ctx, 31, 4, HSP_DENSE);
    static const char *const chosen[] = {"classes=0,2", "positive=1"};
    for (int i = 0; i < 2; i++) {
        char with[64];
        hsp_training run = {.size = sizeof run};
        snprintf(with, sizeof with, "%s multiclass=ovo", chosen[i]);
        hsp_options *options = test_options(ctx, hsp_learner_find("perceptron"), with);
        hsp_options *plain = test_options(ctx, hsp_learner_find("perceptron"), chosen[i]);
        hsp_model *a = learn_train(ctx, data, options, &run),
                  *b = learn_train(ctx, data, plain, &run);
        CHECK(!hsp_model_is_one_vs_one(a) && hsp_model_scorers(a) == 1);
        check_scorer(a, 0, b, with);
        hsp_model_free(a);
        hsp_model_free(b);
        hsp_options_free(options);
        hsp_options_free(plain);
    }
    hsp_data_free(data);
    hsp_context_free(ctx);
}

/* Three of five classes by name: the pairs are those of the three, in the order of the names. */
static void some_classes_by_name(void)
{
    hsp_context *ctx = test_context(2, 0);
    hsp_data *data = any_data(ctx, 41, 5, HSP_SPARSE);
    hsp_options *options =
        test_options(ctx, hsp_learner_find("perceptron"), "classes=4,0,2 multiclass=ovo passes=4");
    hsp_options *own = test_options(ctx, hsp_learner_find("perceptron"), "classes=4,2 passes=4");
    hsp_training run = {.size = sizeof run};
    hsp_model *model = learn_train(ctx, data, options, &run);
    hsp_model *alone = learn_train(ctx, data, own, &run);
    CHECK(hsp_model_scorers(model) == 3 && hsp_model_classes(model) == 3);
    CHECK_TEXT(hsp_model_class_name(model, 0), "4");
    check_scorer(model, 1, alone, "4 and 2");
    CHECK(model->leaves_out);
    hsp_model_free(model);
    hsp_model_free(alone);
    hsp_options_free(options);
    hsp_options_free(own);
    hsp_data_free(data);
    hsp_context_free(ctx);
}

static void classes_without_rows(void)
{
    hsp_context *ctx = test_context(2, 0);
    hsp_data *data = any_data(ctx, 51, 4, HSP_DENSE);
    hsp_options *options =
        test_options(ctx, hsp_learner_find("perceptron"), "multiclass=ovo passes=4");
    hsp_training run = {.size = sizeof run};
    for (uint64_t i = 0; i < data->view.rows; i++) /* nobody is of class 1 or 2 */
        if (data->labels[i] == 1 || data->labels[i] == 2) data->labels[i] = 3;
    hsp_model *model = learn_train(ctx, data, options, &run);
    /* (0,1) (0,2) (0,3) (1,2) (1,3) (2,3) */
    CHECK(hsp_model_offset(model, 0) == -1 && hsp_model_offset(model, 1) == -1);
    CHECK(hsp_model_offset(model, 3) == 0);
    CHECK(hsp_model_offset(model, 4) == 1 && hsp_model_offset(model, 5) == 1);
    double scores[90 * 6];
    uint32_t classes[90];
    CHECK(hsp_model_score(ctx, model, &data->view, NULL, scores, classes) == HSP_OK);
    for (int i = 0; i < 90; i++)
        CHECK(classes[i] == 0 || classes[i] == 3);
    hsp_model_free(model);
    hsp_options_free(options);
    hsp_data_free(data);
    hsp_context_free(ctx);
}

static int stop_at_once(void *user, const hsp_progress *progress)
{
    int *asked = user;
    (void)progress;
    return ++*asked > 25;
}

/* A request to stop leaves a model of what was learned, and says so. */
static void stopped_on_request(void)
{
    hsp_context *ctx = test_context(2, 0);
    hsp_data *data = any_data(ctx, 61, 5, HSP_DENSE);
    hsp_options *options = test_options(ctx, hsp_learner_find("perceptron"),
                                        "multiclass=ovo passes=1e12 max-seconds=60");
    hsp_training run = {.size = sizeof run};
    hsp_model *model = NULL;
    int asked = 0;
    hsp_context_set_progress(ctx, stop_at_once, &asked);
    CHECK(hsp_train(ctx, data, options, NULL, &run, &model) == HSP_CANCELLED);
    CHECK(run.stop == HSP_STOP_REQUEST);
    CHECK(model && hsp_model_scorers(model) == 10);
    if (model) CHECK_TEXT(hsp_model_metadata(model, "stop"), "request");
    hsp_model_free(model);
    hsp_options_free(options);
    hsp_data_free(data);
    hsp_context_free(ctx);
}

static int stop_after(void *user, const hsp_progress *progress)
{
    uint64_t *left = user;
    (void)progress;
    return *left == 0 || --*left == 0;
}

static void hear(void *user, hsp_log_level level, const char *message)
{
    (void)level;
    if (strstr(message, "pairs of classes; the others have no weights"))
        snprintf(user, 128, "%s", message);
}

/* With pairs left out nothing is known of the whole: the objective of those that were learned is not
 * its objective, nor their gap its gap. */
static void cut_short_is_not_near(void)
{
    int some = 0;
    for (uint64_t asks = 1; asks < 400 && some < 3; asks++) {
        hsp_context *ctx = test_context(1, 0);
        hsp_data *data = any_data(ctx, 71, 5, HSP_DENSE);
        hsp_options *options =
            test_options(ctx, hsp_learner_find("svm"), "multiclass=ovo gap=1e-3");
        hsp_training run = {.size = sizeof run};
        hsp_model *model = NULL;
        uint64_t left = asks;
        char said[128] = "";
        hsp_context_set_progress(ctx, stop_after, &left);
        hsp_context_set_log(ctx, hear, said);
        const hsp_status status = hsp_train(ctx, data, options, NULL, &run, &model);
        CHECK(status == (left ? HSP_OK : HSP_CANCELLED) && model);
        if (!model) continue;
        const int none = strstr(said, "after 0 of") != NULL;
        if (*said) {
            CHECK(run.stop == HSP_STOP_REQUEST && model);
            CHECK_NOTE(isnan(run.convergence.objective) && isnan(run.convergence.gap),
                       "%s: objective %g, gap %g", said, run.convergence.objective,
                       run.convergence.gap);
            some += !none;
        } else {
            CHECK(isfinite(run.convergence.objective) && run.convergence.gap <= 1);
        }
        hsp_model_free(model);
        hsp_options_free(options);
        hsp_data_free(data);
        hsp_context_free(ctx);
    }
    CHECK(some == 3);
}

/* What is the same in all pairs is reported: the one of C and lambda that was given. */
static void one_cost_for_all(void)
{
    hsp_context *ctx = test_context(1, 0);
    hsp_data *data = any_data(ctx, 71, 5, HSP_DENSE);
    for (int i = 0; i < 2; i++) {
        hsp_options *options = test_options(
            ctx, hsp_learner_find("svm"), i ? "multiclass=ovo lambda=0.1" : "multiclass=ovo C=0.3");
        hsp_training run = {.size = sizeof run};
        hsp_model *model = learn_train(ctx, data, options, &run);
        CHECK(i ? isnan(run.convergence.C) && run.convergence.lambda == 0.1
                : isnan(run.convergence.lambda) && run.convergence.C == 0.3);
        hsp_model_free(model);
        hsp_options_free(options);
    }
    hsp_data_free(data);
    hsp_context_free(ctx);
}

static void time_is_for_all_of_them(void)
{
    hsp_context *ctx = test_context(2, 0);
    hsp_data *data = any_data(ctx, 71, 5, HSP_DENSE);
    hsp_options *options = test_options(ctx, hsp_learner_find("perceptron"),
                                        "multiclass=ovo passes=1e12 max-seconds=0.05");
    hsp_training run = {.size = sizeof run};
    hsp_model *model = learn_train(ctx, data, options, &run);
    CHECK(run.stop == HSP_STOP_SECONDS);
    hsp_model_free(model);
    hsp_options_free(options);
    hsp_data_free(data);
    hsp_context_free(ctx);
}

static void what_cannot_be(void)
{
    static const struct {
        const char *settings, *why;
    } cases[] = {{"multiclass=ovo average=vote", "voting is not available with one-vs-one; use"},
                 {"multiclass=ovo trace=/tmp/none", "a trace needs two classes"},
                 {"multiclass=ovo constant=2", "--constant needs --offset append"},
                 {"multiclass=ovo classes=0,1,nobody", "no class 'nobody'"}};
    hsp_context *ctx = test_context(1, 0);
    hsp_data *data = any_data(ctx, 81, 3, HSP_DENSE);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        hsp_options *options = test_options(ctx, hsp_learner_find("perceptron"), cases[i].settings);
        hsp_error err = {0};
        hsp_model *model = NULL;
        hsp_training run = {.size = sizeof run};
        CHECK(hsp_train(ctx, data, options, &err, &run, &model) == HSP_USAGE && !model);
        CHECK_NOTE(strstr(err.message, cases[i].why) != NULL, "%s", err.message);
        hsp_options_free(options);
    }
    hsp_options *options = test_options(ctx, hsp_learner_find("perceptron"), "multiclass=ovo");
    static const char *const names[] = {"a", "b", "c"};
    hsp_trainer *trainer = NULL;
    hsp_error err = {0};
    CHECK(hsp_trainer_new(ctx, options, names, 3, 2, &err, &trainer) == HSP_USAGE);
    CHECK(strstr(err.message, "one-vs-one needs all rows; use") != NULL);
    hsp_options_free(options);
    hsp_data_free(data);
    hsp_context_free(ctx);
}

/* ---- Memory that runs out -------------------------------------------------------------------- */

static hsp_data *scarce_data;
static hsp_options *scarce_options;

static hsp_status scarce_train(hsp_context *ctx)
{
    hsp_model *model = NULL;
    hsp_status status = hsp_train(ctx, scarce_data, scarce_options, NULL, NULL, &model);
    CHECK(!model == (status != HSP_OK));
    hsp_model_free(model);
    return status;
}

static void memory_runs_out(void)
{
    hsp_context *rich = test_context(1, 0);
    scarce_data = any_data(rich, 91, 3, HSP_DENSE);
    scarce_options = test_options(rich, hsp_learner_find("perceptron"),
                                  "passes=3 multiclass=ovo scale=standard");
    test_no_memory(scarce_train);
    hsp_options_free(scarce_options);
    hsp_data_free(scarce_data);
    hsp_context_free(rich);
}

int main(void)
{
    RUN(each_pair_is_a_run_of_its_own);
    RUN(all_pairs_share_one_scaling);
    RUN(updates_are_of_the_whole_data);
    RUN(two_classes_are_no_pairs);
    RUN(some_classes_by_name);
    RUN(classes_without_rows);
    RUN(stopped_on_request);
    RUN(cut_short_is_not_near);
    RUN(one_cost_for_all);
    RUN(time_is_for_all_of_them);
    RUN(what_cannot_be);
    RUN(memory_runs_out);
    return check_done();
}
