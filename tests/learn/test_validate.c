/* Folds and cross-validation: who is held out, and that what is reported is what training on the
 * other folds by hand gives. */
#include <math.h>

#include "../check.h"
#include "base/context.h"
#include "halfspace_all.h"
#include "options.h"
#include "learn/select/folds.h"
#include "learn/select/cv_runner.h"

static hsp_context *ctx;

#define OPTIONS(table, ...) test_options_pairs(ctx, table, (const char *const[]){__VA_ARGS__, NULL})
#define PERCEPTRON(...)     OPTIONS(hsp_learner_find("perceptron"), __VA_ARGS__)
#define FOLDS(...)          OPTIONS(hsp_validate_options(), __VA_ARGS__)

/* Rows of `classes` blobs in the plane, the first class the largest, in no order. */
static hsp_data *blobs(uint64_t rows, uint32_t classes)
{
    static const char *const names[] = {"red", "green", "blue", "grey", "pink"};
    float *x = malloc(rows * 2 * sizeof *x);
    uint32_t *labels = malloc(rows * sizeof *labels), state = 12345;
    hsp_data *data = NULL;
    for (uint64_t i = 0; i < rows; i++) {
        state = state * 1664525u + 1013904223u;
        labels[i] = (state >> 20) % (classes + 1) % classes;
        for (int j = 0; j < 2; j++) {
            state = state * 1664525u + 1013904223u;
            x[2 * i + (uint64_t)j] = (float)(state >> 8) * 0x1p-24f * 2 +
                                     (j == 0 ? (float)(labels[i] % 2) : (float)(labels[i] / 2));
        }
    }
    hsp_view view = hsp_view_dense(HSP_FLOAT32, rows, 2, 2, x);
    view.labels = labels;
    view.classes = classes;
    CHECK(hsp_data_copy(ctx, &view, names, NULL, NULL, &data) == HSP_OK);
    free(x);
    free(labels);
    return data;
}

static const hsp_view *view_of(hsp_data *data)
{
    const hsp_view *view = NULL;
    CHECK(hsp_data_view(ctx, data, NULL, &view) == HSP_OK);
    return view;
}

/* ---- Folds ---- */

static hsp_status folds_new(hsp_context *of, hsp_data *data, const hsp_options *learner,
                            uint32_t count, uint64_t seed, hsp_error *err, hsp__folds *out)
{
    const hsp__folds_how how = {.count = count, .seed = seed};
    return hsp__folds_make(of, data, learner, &how, err, out);
}

static void test_folds_are_even_in_every_class(void)
{
    const uint32_t sizes[] = {2, 3, 7, 10};
    hsp_data *data = blobs(211, 5);
    hsp_options *learner = PERCEPTRON("passes", "1");
    const hsp_view *view = view_of(data);
    for (int s = 0; s < 4; s++) {
        const uint32_t k = sizes[s];
        hsp__folds folds;
        uint64_t of_class[5][10] = {{0}}, all[10] = {0}, of[5] = {0};
        CHECK(folds_new(ctx, data, learner, k, 3, NULL, &folds) == HSP_OK);
        for (uint64_t i = 0; i < view->rows; i++) {
            CHECK(folds.fold[i] < k);
            of_class[view->labels[i]][folds.fold[i]]++;
            all[folds.fold[i]]++;
            of[view->labels[i]]++;
        }
        for (uint32_t f = 0; f < k; f++) {
            CHECK(all[f] == 211 / k || all[f] == 211 / k + 1);
            for (int c = 0; c < 5; c++)
                CHECK(of_class[c][f] == of[c] / k || of_class[c][f] == of[c] / k + 1);
        }
        hsp__folds_free(&folds);
    }
    hsp_options_free(learner);
    hsp_data_free(data);
}

static void test_parts_are_the_rows(void)
{
    hsp_data *data = blobs(57, 3), *train = NULL, *held = NULL;
    hsp_options *learner = PERCEPTRON("passes", "1");
    const hsp_view *view = view_of(data);
    hsp__folds folds;
    CHECK(folds_new(ctx, data, learner, 4, 1, NULL, &folds) == HSP_OK);
    for (uint32_t f = 0; f < 4; f++) {
        uint64_t at[2] = {0, 0};
        CHECK(hsp__folds_part(ctx, &folds, data, f, NULL, &train, &held) == HSP_OK);
        CHECK(hsp_data_rows(train) + hsp_data_rows(held) == 57);
        for (uint64_t i = 0; i < 57; i++) {
            const int out = folds.fold[i] == f;
            const hsp_view *part = view_of(out ? held : train);
            const uint64_t k = at[out]++;
            CHECK(part->labels[k] == view->labels[i]);
            CHECK(memcmp((const float *)part->values + k * part->stride,
                         (const float *)view->values + i * view->stride, 8) == 0);
        }
        hsp_data_free(train);
        hsp_data_free(held);
    }
    hsp__folds_free(&folds);
    hsp_options_free(learner);
    hsp_data_free(data);
}

static void test_folds_follow_the_seed(void)
{
    hsp_data *data = blobs(80, 2);
    hsp_options *one = PERCEPTRON("passes", "1");
    hsp_options *other = PERCEPTRON("rate", "0.5", "positive", "green", "seed", "9");
    hsp__folds a, b, c;
    CHECK(folds_new(ctx, data, one, 5, 7, NULL, &a) == HSP_OK);
    CHECK(hsp_context_set_threads(ctx, 4) == HSP_OK);
    CHECK(folds_new(ctx, data, other, 5, 7, NULL, &b) == HSP_OK);
    CHECK(hsp_context_set_threads(ctx, 0) == HSP_OK);
    CHECK(folds_new(ctx, data, one, 5, 8, NULL, &c) == HSP_OK);
    CHECK(memcmp(a.fold, b.fold, 80 * sizeof *a.fold) == 0);
    CHECK(memcmp(a.fold, c.fold, 80 * sizeof *a.fold) != 0);
    hsp__folds_free(&a);
    hsp__folds_free(&b);
    hsp__folds_free(&c);
    hsp_options_free(one);
    hsp_options_free(other);
    hsp_data_free(data);
}

/* Rows of classes that the learner leaves out are in no fold. */
static void test_classes_left_out(void)
{
    hsp_data *data = blobs(100, 4);
    hsp_options *learner = PERCEPTRON("classes", "blue,red");
    const hsp_view *view = view_of(data);
    hsp__folds folds;
    uint64_t rows = 0;
    CHECK(folds_new(ctx, data, learner, 3, 1, NULL, &folds) == HSP_OK);
    CHECK(folds.class_of[0] == 1 && folds.class_of[1] == HSP_NO_CLASS && folds.class_of[2] == 0);
    for (uint64_t i = 0; i < view->rows; i++) {
        const int in = view->labels[i] == 0 || view->labels[i] == 2;
        CHECK((folds.fold[i] != HSP__FOLD_NONE) == in);
        rows += (uint64_t)in;
    }
    CHECK(folds.rows == rows && rows > 0);
    hsp__folds_free(&folds);
    hsp_options_free(learner);
    hsp_data_free(data);
}

/* A group is in one fold, and the folds are about even, in all and in each class. */
static void test_groups_stay_together(void)
{
    hsp_data *data = blobs(600, 2);
    hsp_options *learner = PERCEPTRON("passes", "1");
    const hsp_view *view = view_of(data);
    uint32_t groups[600], fold_of[90];
    uint64_t rows[2][4] = {{0}};
    hsp__folds folds[2];
    hsp_error err = {0};
    for (uint32_t i = 0; i < 600; i++)
        groups[i] = 7 * (i * i % 89); /* of different sizes, not numbered from 0 */
    CHECK(hsp_data_set_groups(data, groups, NULL) == HSP_OK);
    for (int k = 0; k < 2; k++)
        CHECK(folds_new(ctx, data, learner, 4, 1 + (uint64_t)k, NULL, &folds[k]) == HSP_OK);
    CHECK(memcmp(folds[0].fold, folds[1].fold, sizeof groups) != 0); /* the seed */
    memset(fold_of, 255, sizeof fold_of);
    for (uint64_t i = 0; i < 600; i++) {
        uint32_t *fold = &fold_of[groups[i] / 7];
        CHECK(*fold == HSP__FOLD_NONE || *fold == folds[0].fold[i]);
        *fold = folds[0].fold[i];
        CHECK(*fold < 4);
        rows[view->labels[i]][*fold]++;
    }
    for (int f = 0; f < 4; f++)
        for (int c = 0; c < 2; c++)
            CHECK(4 * rows[c][f] > 300 - (c ? 200 : 0) && rows[c][f] < 150);
    hsp__folds_free(&folds[0]);
    hsp__folds_free(&folds[1]);
    CHECK(folds_new(ctx, data, learner, 90, 1, &err, &folds[0]) == HSP_USAGE);
    CHECK(strstr(err.message, "expected at least as many as the 90 folds") != NULL);
    hsp_options_free(learner);
    hsp_data_free(data);
}

/* Folds in time: rows to learn from are earlier than those held out; equal times are not divided. */
static void test_folds_in_time(void)
{
    hsp_data *data = blobs(103, 2);
    hsp_options *learner = PERCEPTRON("passes", "1");
    const hsp__folds_how how = {.count = 4, .ordered = 1};
    double times[103];
    hsp_error err = {0};
    for (int timed = 0; timed < 2; timed++) {
        hsp__folds folds;
        uint64_t of[5] = {0};
        for (uint32_t i = 0; i < 103; i++)
            times[i] = timed ? -(double)(i / 3) : (double)i;
        if (timed) CHECK(hsp_data_set_times(data, times, NULL) == HSP_OK);
        CHECK(hsp__folds_make(ctx, data, learner, &how, NULL, &folds) == HSP_OK);
        for (uint64_t i = 0; i < 103; i++) {
            CHECK(folds.fold[i] <= 4);
            of[folds.fold[i]]++;
            for (uint64_t j = 0; j < 103; j++)
                CHECK(times[i] >= times[j] || folds.fold[i] <= folds.fold[j]);
            for (uint64_t j = 0; j < 103; j++)
                CHECK(times[i] != times[j] || folds.fold[i] == folds.fold[j]);
        }
        for (int f = 0; f < 5; f++) /* 23 + 4 * 20, as scikit-learn's TimeSeriesSplit */
            CHECK(timed ? of[f] >= 18 && of[f] <= 25 : of[f] == (f ? 20 : 23));
        for (uint32_t f = 0; f < 4; f++) {
            hsp_data *train = NULL, *held = NULL;
            CHECK(hsp__folds_part(ctx, &folds, data, f, NULL, &train, &held) == HSP_OK);
            CHECK(hsp_data_rows(held) == of[f + 1]);
            uint64_t before = 0;
            for (uint32_t g = 0; g <= f; g++)
                before += of[g];
            CHECK(hsp_data_rows(train) == before);
            hsp_data_free(train);
            hsp_data_free(held);
        }
        hsp__folds_free(&folds);
    }
    for (uint32_t i = 0; i < 103; i++)
        times[i] = i > 50;
    hsp__folds none;
    CHECK(hsp_data_set_times(data, times, NULL) == HSP_OK);
    CHECK(hsp__folds_make(ctx, data, learner, &how, &err, &none) == HSP_USAGE);
    times[7] = (double)NAN;
    CHECK(hsp_data_set_times(data, times, &err) == HSP_BAD_DATA);
    hsp_options_free(learner);
    hsp_data_free(data);
}

/* ---- Cross-validation ---- */

/* The same by hand, with nothing of the code under test but the folds. */
static void compare_by_hand(hsp_data *data, const hsp_options *learner, uint32_t k)
{
    hsp_options *own = FOLDS("fold-seed", "4");
    char text[16];
    hsp_validation *seen = NULL;
    hsp__folds folds;
    hsp_error err = {0};
    double sum = 0, squares = 0;
    uint64_t total[25] = {0}, mistakes = 0, rows = 0;
    uint32_t unconverged = 0;
    snprintf(text, sizeof text, "%u", (unsigned)k);
    CHECK(hsp_options_set(own, "folds", text, NULL) == HSP_OK);
    CHECK_NOTE(hsp_cross_validate(ctx, data, learner, own, &err, &seen) == HSP_OK, "%s",
               err.message);
    CHECK(folds_new(ctx, data, learner, k, 4, NULL, &folds) == HSP_OK);
    const uint32_t classes = hsp_validation_classes(seen);
    for (uint32_t f = 0; f < k; f++) {
        hsp_data *train = NULL, *held = NULL;
        hsp_model *model = NULL;
        hsp_training run = {.size = sizeof run};
        hsp_evaluation all = {.size = sizeof all};
        uint64_t confusion[25] = {0};
        CHECK(hsp__folds_part(ctx, &folds, data, f, NULL, &train, &held) == HSP_OK);
        CHECK(hsp_train(ctx, train, learner, &err, &run, &model) == HSP_OK);
        CHECK(hsp_evaluate(ctx, model, held, &err, &all, confusion) == HSP_OK);
        const hsp_fold *fold = hsp_validation_fold(seen, f);
        CHECK(fold->rows == all.n && fold->mistakes == all.mistakes && fold->ties == all.ties);
        CHECK(fold->error == all.error && fold->stop == run.stop);
        for (uint32_t c = 0; c < classes; c++)
            CHECK_TEXT(hsp_validation_class_name(seen, c), hsp_model_class_name(model, c));
        for (uint32_t i = 0; i < classes * classes; i++)
            total[i] += confusion[i];
        sum += all.error;
        mistakes += all.mistakes;
        rows += all.n;
        unconverged += run.stop != HSP_STOP_CONVERGED;
        hsp_model_free(model);
        hsp_data_free(train);
        hsp_data_free(held);
    }
    const hsp_held_out *all = hsp_validation_held_out(seen);
    for (uint32_t f = 0; f < k; f++)
        squares += pow(hsp_validation_fold(seen, f)->error - sum / k, 2);
    CHECK(all->folds == k && all->rows == rows && all->mistakes == mistakes);
    CHECK(all->unconverged == unconverged);
    CHECK(fabs(all->error - sum / k) <= 1e-15);
    CHECK(fabs(all->standard_error - sqrt(squares / (k - 1)) / sqrt(k)) <= 1e-15);
    CHECK(memcmp(total, hsp_validation_confusion(seen), classes * classes * sizeof *total) == 0);
    hsp__folds_free(&folds);
    hsp_validation_free(seen);
    hsp_options_free(own);
}

static void test_as_by_hand(void)
{
    hsp_data *data = blobs(300, 2), *more = blobs(300, 5);
    hsp_options *sets[] = {PERCEPTRON("passes", "3"),
                           PERCEPTRON("scale", "standard", "average", "average"),
                           PERCEPTRON("normalize", "ball", "average", "vote", "passes", "1"),
                           PERCEPTRON("tie", "zero", "order", "shuffle"),
                           PERCEPTRON("soft", "2", "passes", "until-converged")};
    hsp_options *many[] = {PERCEPTRON("multiclass", "ovr"),
                           PERCEPTRON("positive", "blue", "scale", "min-max"),
                           PERCEPTRON("classes", "pink,red,green"),
                           PERCEPTRON("classes", "pink,red,green", "positive", "red")};
    for (int i = 0; i < 5; i++) {
        compare_by_hand(data, sets[i], i % 2 ? 2 : 7);
        hsp_options_free(sets[i]);
    }
    for (int i = 0; i < 4; i++) {
        compare_by_hand(more, many[i], 4);
        hsp_options_free(many[i]);
    }
    hsp_data_free(data);
    hsp_data_free(more);
}

static uint64_t mistakes_of(hsp_data *data, const hsp_options *learner)
{
    hsp_validation *seen = NULL;
    CHECK(hsp_cross_validate(ctx, data, learner, NULL, NULL, &seen) == HSP_OK);
    const uint64_t mistakes = seen ? hsp_validation_held_out(seen)->mistakes : UINT64_MAX;
    hsp_validation_free(seen);
    return mistakes;
}

/* One row is a million times as far out as the others. A scaling that is fitted to all rows sees it
 * in every fold, and nothing is learned; fitted to the training rows, one fold does without it.
 */
static void test_nothing_leaks(void)
{
    float x[40];
    uint32_t labels[40];
    hsp_data *data = NULL, *scaled = NULL;
    hsp_scaling *scaling = NULL;
    for (int i = 0; i < 40; i++) {
        labels[i] = (uint32_t)(i % 2);
        x[i] = i == 1 ? 1e6f : (float)(i % 2) + (float)i * 0.01f;
    }
    hsp_view view = hsp_view_dense(HSP_FLOAT32, 40, 1, 1, x);
    view.labels = labels;
    view.classes = 2;
    CHECK(hsp_data_copy(ctx, &view, NULL, NULL, NULL, &data) == HSP_OK);
    hsp_options *inside = PERCEPTRON("scale", "max-abs"), *plain = PERCEPTRON("scale", "none");
    hsp_options *kind = OPTIONS(hsp_scale_options(), "kind", "max-abs");
    CHECK(hsp_scaling_fit(ctx, data, kind, NULL, &scaling) == HSP_OK);
    CHECK(hsp_scaling_apply(ctx, scaling, data, NULL, &scaled) == HSP_OK);
    CHECK(mistakes_of(data, inside) < mistakes_of(scaled, plain));
    compare_by_hand(data, inside, 4);
    hsp_scaling_free(scaling);
    hsp_data_free(scaled);
    hsp_data_free(data);
    hsp_options_free(inside);
    hsp_options_free(plain);
    hsp_options_free(kind);
}

static void test_threads_change_nothing(void)
{
    hsp_data *data = blobs(400, 3);
    hsp_options *learner = PERCEPTRON("order", "shuffle"), *own = FOLDS("folds", "6");
    hsp_validation *seen[3] = {NULL};
    for (int t = 0; t < 3; t++) {
        CHECK(hsp_context_set_threads(ctx, t * t * 4 + 1) == HSP_OK);
        CHECK(hsp_cross_validate(ctx, data, learner, own, NULL, &seen[t]) == HSP_OK);
    }
    CHECK(hsp_context_set_threads(ctx, 0) == HSP_OK);
    for (int t = 1; t < 3; t++) {
        CHECK(hsp_validation_held_out(seen[0])->error == hsp_validation_held_out(seen[t])->error);
        CHECK(hsp_validation_held_out(seen[0])->standard_error ==
              hsp_validation_held_out(seen[t])->standard_error);
        CHECK(memcmp(hsp_validation_confusion(seen[0]), hsp_validation_confusion(seen[t]), 72) ==
              0);
        for (uint32_t f = 0; f < 6; f++)
            CHECK(hsp_validation_fold(seen[0], f)->mistakes ==
                  hsp_validation_fold(seen[t], f)->mistakes);
        hsp_validation_free(seen[t]);
    }
    hsp_validation_free(seen[0]);
    hsp_options_free(learner);
    hsp_options_free(own);
    hsp_data_free(data);
}

/* ---- What cannot be done, and the message ---- */

static hsp_data *parsed(const char *text)
{
    hsp_data *data = NULL;
    CHECK(hsp_data_parse(ctx, text, strlen(text), "test", NULL, NULL, NULL, &data) == HSP_OK);
    return data;
}

static void refused(const char *text, const hsp_options *learner, const char *folds,
                    hsp_status status, const char *part)
{
    hsp_data *data = parsed(text);
    hsp_options *own = FOLDS("folds", folds);
    hsp_validation *seen = NULL;
    hsp_error err = {0};
    char line[900];
    CHECK(hsp_cross_validate(ctx, data, learner, own, &err, &seen) == status);
    CHECK_NOTE(strstr(hsp_error_text(&err, line, sizeof line), part) != NULL, "%s", line);
    CHECK(seen == NULL);
    hsp_options_free(own);
    hsp_data_free(data);
}

static void test_refusals(void)
{
    hsp_options *plain = PERCEPTRON("passes", "2"), *read = OPTIONS(hsp_read_options(), NULL);
    hsp_options *trace = PERCEPTRON("trace", "x.csv"), *two = PERCEPTRON("classes", "a,b");
    hsp_options *none = PERCEPTRON("positive", "z");
    refused("a 1:1\na 1:2\nb 1:3\nc 1:1\nc 1:2\n", plain, "2", HSP_BAD_DATA,
            "class 'b' has only one row");
    refused("a 1:1\na 1:2\nb 1:3\nb 1:1\n", plain, "5", HSP_USAGE,
            "--folds: found 5 folds, expected at most the number of rows, 4");
    refused("a 1:1\na 1:2\nb 1:3\nb 1:1\nc 1:2\n", two, "5", HSP_USAGE, "the number of rows, 4");
    refused("a 1:1\na 1:2\na 1:3\n", plain, "2", HSP_BAD_DATA, "all rows are of the class 'a'");
    refused("a 1:1\na 1:2\nb 1:3\nb 1:1\n", none, "2", HSP_USAGE, "there is no class 'z'");
    refused("a 1:1\na 1:2\nb 1:3\nb 1:1\n", trace, "2", HSP_USAGE,
            "--trace: cross-validation makes one run per fold");
    refused("a 1:1\na 1:2\nb 1:3\nb 1:1\n", read, "2", HSP_USAGE, "' is not a learner");
    hsp_options_free(plain);
    hsp_options_free(read);
    hsp_options_free(trace);
    hsp_options_free(two);
    hsp_options_free(none);
}

static char heard[1024];

static void hear(void *user, hsp_log_level level, const char *sentence)
{
    (void)user;
    CHECK(level == HSP_LOG_WARNING);
    snprintf(heard, sizeof heard, "%s", sentence);
}

static void test_a_small_class_is_said(void)
{
    hsp_data *data = parsed("a 1:1\na 1:2\nb 1:3\nb 1:1\na 1:4\na 1:5\n");
    hsp_options *learner = PERCEPTRON("passes", "2"), *own = FOLDS("folds", "3");
    hsp_validation *seen = NULL;
    hsp_context_set_log(ctx, hear, NULL);
    CHECK(hsp_cross_validate(ctx, data, learner, own, NULL, &seen) == HSP_OK);
    hsp_context_set_log(ctx, NULL, NULL);
    CHECK_TEXT(heard, "class 'b' has 2 rows, fewer than the 3 folds; some folds have none of it");
    hsp_validation_free(seen);
    hsp_options_free(learner);
    hsp_options_free(own);
    hsp_data_free(data);
}

static int stop_after(void *user, const hsp_progress *progress)
{
    int *left = user;
    if (strcmp(progress->phase, "preparing") == 0) return 0; /* of a slow machine */
    CHECK(strcmp(progress->phase, "cross-validating") == 0);
    CHECK(progress->done <= progress->total && progress->total == 5);
    return --*left < 0;
}

/* Runs that would go on for ever end, on whatever thread they are. */
static void test_a_wish_to_stop(void)
{
    hsp_data *data = blobs(300, 2);
    hsp_options *learner = PERCEPTRON("passes", "1e15");
    for (int threads = 1; threads <= 4; threads += 3) {
        void *untouched = &data;
        hsp_validation *seen = untouched;
        hsp_error err = {0};
        int left = 20;
        hsp_context_set_progress(ctx, stop_after, &left);
        CHECK(hsp_context_set_threads(ctx, threads) == HSP_OK);
        CHECK(hsp_cross_validate(ctx, data, learner, NULL, &err, &seen) == HSP_CANCELLED);
        CHECK((void *)seen == untouched && err.status == HSP_CANCELLED);
        hsp_context_set_progress(ctx, NULL, NULL);
    }
    CHECK(hsp_context_set_threads(ctx, 0) == HSP_OK);
    hsp_options_free(learner);
    hsp_data_free(data);
}

int main(void)
{
    CHECK(hsp_context_new(NULL, &ctx) == HSP_OK);
    RUN(test_folds_are_even_in_every_class);
    RUN(test_parts_are_the_rows);
    RUN(test_folds_follow_the_seed);
    RUN(test_classes_left_out);
    RUN(test_groups_stay_together);
    RUN(test_folds_in_time);
    RUN(test_as_by_hand);
    RUN(test_nothing_leaks);
    RUN(test_threads_change_nothing);
    RUN(test_refusals);
    RUN(test_a_small_class_is_said);
    RUN(test_a_wish_to_stop);
    hsp_context_free(ctx);
    return check_done();
}
