/* Grids, choosing from a table, and tuning: what is tried is what cross-validation of each point
 * says, what comes out is what training with the chosen options gives. */
#include <math.h>

#include "../check.h"
#include "base/context.h"
#include "base/json.h"
#include "halfspace_all.h"
#include "options.h"
#include "learn/select/default_grid.h"
#include "learn/select/folds.h"
#include "learn/select/grid.h"

static hsp_context *ctx;

#define OPTIONS(table, ...) test_options_pairs(ctx, table, (const char *const[]){__VA_ARGS__, NULL})
#define PERCEPTRON(...)     OPTIONS(hsp_learner_find("perceptron"), __VA_ARGS__)
#define SVM(...)            OPTIONS(hsp_learner_find("svm"), __VA_ARGS__)
#define TUNE(...)           OPTIONS(hsp_tune_options(), __VA_ARGS__)

/* ---- Grids ---- */

static hsp__grid grid_of(const hsp_options *learner, const char *const *specs, size_t count)
{
    hsp__grid grid = {0};
    hsp_error err = {0};
    CHECK_NOTE(hsp__grid_parse(ctx, learner, specs, count, &err, &grid) == HSP_OK, "%s",
               err.message);
    return grid;
}

/* The values that a spec stands for, with a blank between them. */
static void expands(const char *learner, const char *spec, const char *want)
{
    hsp_options *options = test_options_pairs(ctx, hsp_learner_find(learner), NULL);
    hsp__grid grid = grid_of(options, &spec, 1);
    char got[400] = "";
    for (uint64_t p = 0; p < grid.points; p++) {
        if (p) strcat(got, " ");
        strcat(got, hsp__names_get(&grid.axes[0].values, hsp__grid_value(&grid, p, 0)));
    }
    CHECK_TEXT(got, want);
    hsp__grid_free(&grid);
    hsp_options_free(options);
}

static void test_values(void)
{
    expands("svm", "C=0.01:100:log:5", "0.01 0.1 1 10 100");
    expands("svm", "C=1e-4:1e4:log:3", "0.0001 1 10000");
    expands("svm", "C=1:2:log:3", "1 1.41421 2");
    expands("svm", "lambda=1e-60:1e60:log:3", "1e-60 1 1e60");
    expands("svm", "C=1:3:lin:5", "1 1.5 2 2.5 3");
    expands("svm", "C=1:2:lin:4", "1 1.33333 1.66667 2");
    expands("svm", "C=1:1.0000003:lin:4", "1 1.0000001 1.0000002 1.0000003");
    expands("svm", "C=3,1e-2,0.5", "3 1e-2 0.5");
    expands("svm", "loss=squared,hinge", "squared hinge");
    expands("svm", "hard=yes,no", "yes no");
    expands("perceptron", "passes=1:10:lin:4", "1 4 7 10");
    expands("perceptron", "passes=1:5:log:9", "1 2 3 4 5");
    expands("perceptron", "margin-target=0,0.1r,1", "0 0.1r 1");
}

static void refused(const char *learner, const char *spec, const char *sentence)
{
    hsp_options *options = test_options_pairs(ctx, hsp_learner_find(learner), NULL);
    hsp__grid grid;
    hsp_error err = {0};
    char text[900];
    CHECK_NOTE(hsp__grid_parse(ctx, options, &spec, 1, &err, &grid) == HSP_USAGE, "%s", spec);
    CHECK_TEXT(hsp_error_text(&err, text, sizeof text), sentence);
    hsp_options_free(options);
}

static void test_wrong_specs(void)
{
    refused("svm", "C",
            "--tune: found 'C', expected NAME=VALUES, as in C=0.01:100:log:9 or "
            "C=0.1,1,10");
    refused("svm", "=1",
            "--tune: found '=1', expected NAME=VALUES, as in C=0.01:100:log:9 or "
            "C=0.1,1,10");
    refused("svm", "C=",
            "--tune: found 'C=', expected NAME=VALUES, as in C=0.01:100:log:9 or "
            "C=0.1,1,10");
    refused("svm", "los=a", "--tune: svm has no option 'los'; did you mean loss?");
    refused("svm", "C=1:2", "--tune: C: found '1:2', expected LOW:HIGH:log:COUNT");
    refused("svm", "C=1:2:log:3:4", "--tune: C: found '1:2:log:3:4', expected LOW:HIGH:log:COUNT");
    refused("svm", "C=a:2:log:3", "--tune: C: found 'a', expected a number, the lower end");
    refused("svm", "C=1::log:3", "--tune: C: found '', expected a number, the upper end");
    refused("svm", "C=1:2:exp:3", "--tune: C: found 'exp', expected log or lin");
    refused("svm", "C=1:2:log:1",
            "--tune: C: found '1', expected a whole number of values, 2 to 1000");
    refused("svm", "C=1:2:log:2.5",
            "--tune: C: found '2.5', expected a whole number of values, 2 to 1000");
    refused("svm", "C=0:2:log:3", "--tune: C: found '0', expected a lower end above 0 with log");
    refused("svm", "C=2:1:log:3", "--tune: C: found '2:1:log:3', expected the lower end first");
    refused("svm", "C=1,,2", "--tune: C: found '', expected a number between 1e-100 and 1e100");
    refused("svm", "C=0:1:lin:3",
            "--tune: C: found '0', expected a number between 1e-100 and 1e100");
    refused("svm", "C=1,2,1.0", "--tune: C: the value '1.0' appears twice");
    refused("svm", "loss=hinge,hing", "--tune: loss: found 'hing', expected hinge or squared");
    refused("svm", "weight=balanced", "--tune: weight cannot be tuned: it is a list itself");
    refused("svm", "seed=1,2",
            "--tune: seed cannot be tuned: the luckiest seed is not the best one");
    refused("perceptron", "trace=a,b",
            "--tune: trace cannot be tuned: it sets an output, not how to learn");
}

static void test_specs_beside_each_other(void)
{
    hsp_options *set = SVM("C", "1"), *plain = SVM("tie", "pos");
    const char *const one[] = {"C=1,2"}, *const twice[] = {"C=1,2", "C=3,4"};
    const char *const many[] = {"C=1:2:lin:1000", "gap=0.1:0.2:lin:1000"};
    hsp__grid grid;
    hsp_error err = {0};
    CHECK(hsp__grid_parse(ctx, set, one, 1, &err, &grid) == HSP_USAGE);
    CHECK_TEXT(err.message, "C is both set and tuned; remove one");
    CHECK(hsp__grid_parse(ctx, plain, twice, 2, &err, &grid) == HSP_USAGE);
    CHECK_TEXT(err.message, "C is there twice");
    CHECK(hsp__grid_parse(ctx, plain, many, 2, &err, &grid) == HSP_USAGE);
    CHECK_TEXT(err.message, "more than 100000 combinations of values; give fewer");
    CHECK(hsp__grid_parse(ctx, plain, NULL, 0, &err, &grid) == HSP_USAGE);
    hsp_options_free(set);
    hsp_options_free(plain);
}

/* Every combination once, the path running fastest. */
static void test_points_are_all_combinations(void)
{
    static const char *const specs[] = {"loss=hinge,squared", "C=3,1,2", "offset=free,none"};
    hsp_options *learner = SVM("gap", "1e-3"), *at = NULL;
    hsp__grid grid = grid_of(learner, specs, 3);
    uint64_t order[3];
    CHECK(grid.points == 12 && grid.path == 1 && grid.along == 3);
    for (uint32_t p = 0; p < 12; p++) {
        CHECK(hsp__grid_value(&grid, p, 0) == p / 6);
        CHECK(hsp__grid_value(&grid, p, 1) == p % 3);
        CHECK(hsp__grid_value(&grid, p, 2) == p / 3 % 2);
    }
    CHECK(hsp__grid_options(ctx, &grid, learner, 10, NULL, &at) == HSP_OK);
    CHECK_TEXT(hsp_options_text(at, "loss"), "squared");
    CHECK_TEXT(hsp_options_text(at, "offset"), "none");
    CHECK(hsp_options_real(at, "C") == 1);
    hsp__grid_order(&grid, order);
    CHECK(order[0] == 1 && order[1] == 2 && order[2] == 0);
    hsp_options_free(at);
    hsp__grid_free(&grid);
    hsp_options_free(learner);
}

static hsp_data *noisy(uint64_t rows, uint32_t cols, uint32_t classes);

/* A name in the kernel stands for a number; what is part of the expression is none. */
static void test_names_in_a_kernel(void)
{
    hsp_options *learner =
        SVM("kernel", "c*poly(degree=d, r=c) + rbf(1/d) + cols(1-2; rbf(gamma))");
    const char *specs[] = {"d=2:4:lin:3", "c=0.5,1", "C=1,2"};
    const char *wrong[] = {"poly=1,2", "degree=1,2", "r=1,2", "e=1"};
    hsp__grid grid = grid_of(learner, specs, 3), none;
    hsp_options *at = NULL;
    CHECK(grid.points == 12 && grid.path == 2);
    CHECK(hsp__grid_options(ctx, &grid, learner, 11, NULL, &at) == HSP_OK);
    CHECK_TEXT(hsp_options_text(at, "kernel"),
               "1*poly(degree=4, r=1) + rbf(1/d) + cols(1-2; rbf(gamma))");
    hsp_options_free(at);
    hsp__grid_free(&grid);
    for (int i = 0; i < 4; i++)
        CHECK(hsp__grid_parse(ctx, learner, &wrong[i], 1, NULL, &none) == HSP_USAGE);
    hsp_options_free(learner);
}

/* Default grids: gamma lies around the median heuristic of the rows as they are learned. */
static void test_default_grids(void)
{
    hsp_data *data = noisy(60, 2, 2);
    hsp_options *linear = SVM("gap", "1e-3"), *set = SVM("C", "1");
    hsp_options *rbf = SVM("kernel", "rbf", "scale", "standard");
    hsp__names specs;
    hsp__names_init(&specs, &ctx->allocator);
    CHECK(hsp__default_grid(ctx, data, set, NULL, &specs) == HSP_OK && specs.count == 0);
    CHECK(hsp__default_grid(ctx, data, linear, NULL, &specs) == HSP_OK && specs.count == 1);
    CHECK_TEXT(hsp__names_get(&specs, 0), "C=0.001:1000:log:7");
    CHECK(hsp__default_grid(ctx, data, rbf, NULL, &specs) == HSP_OK && specs.count == 3);
    const char *list[] = {hsp__names_get(&specs, 1)};
    hsp__grid grid = grid_of(rbf, list, 1);
    CHECK(grid.points == 5);
    /* of two columns of variance 1, the median of ||x - y||^2 is about 2 * 1.4 */
    CHECK(grid.axes[0].numbers[2] > 0.2 && grid.axes[0].numbers[2] < 0.8);
    CHECK(fabs(grid.axes[0].numbers[4] / grid.axes[0].numbers[2] - 16) < 0.2);
    hsp__grid_free(&grid);
    hsp__names_free(&specs);
    hsp_options_free(linear);
    hsp_options_free(set);
    hsp_options_free(rbf);
    hsp_data_free(data);
}

/* ---- Choosing ---- */

static void chooses(const char *spec, const char *more, const double *errors, double spread,
                    uint64_t best, uint64_t simplest)
{
    hsp_options *learner = test_options_pairs(ctx, hsp_learner_find("svm"), NULL);
    const char *specs[] = {spec, more};
    hsp__grid grid = grid_of(learner, specs, more ? 2 : 1);
    hsp_held_out points[16] = {{0}};
    uint64_t found[3];
    for (uint64_t p = 0; p < grid.points; p++) {
        points[p].score = errors[p];
        points[p].score_standard_error = spread;
    }
    hsp__grid_choose(&grid, points, 1, 0, &found[0], &found[1]);
    CHECK_NOTE(found[0] == best && found[1] == best, "%s: best is %d", spec, (int)found[0]);
    hsp__grid_choose(&grid, points, 1, 1, &found[0], &found[2]);
    CHECK_NOTE(found[0] == best && found[2] == simplest, "%s: simplest is %d", spec, (int)found[2]);
    for (uint64_t p = 0; p < grid.points; p++) /* a score that is to be high */
        points[p].score = 1 - errors[p];
    hsp__grid_choose(&grid, points, 0, 1, &found[0], &found[2]);
    CHECK_NOTE(found[0] == best && found[2] == simplest, "%s: simplest is %d", spec, (int)found[2]);
    points[best].score = (double)NAN; /* never better than another */
    hsp__grid_choose(&grid, points, 0, 1, &found[0], &found[2]);
    CHECK(found[0] != best);
    hsp__grid_free(&grid);
    hsp_options_free(learner);
}

static void test_choosing(void)
{
    const double valley[] = {0.30, 0.22, 0.20, 0.21, 0.25};
    chooses("C=1,2,4,8,16", NULL, valley, 0.021, 2, 1);     /* the smallest C */
    chooses("C=1,2,4,8,16", NULL, valley, 0.0200001, 2, 1); /* just within */
    chooses("C=1,2,4,8,16", NULL, valley, 0.0199, 2, 2);
    chooses("C=16,8,4,2,1", NULL, valley, 0.02, 2, 3);         /* not the first */
    chooses("lambda=1,2,4,8,16", NULL, valley, 0.02, 2, 3);    /* the largest lambda */
    chooses("gap=0.1,0.2,0.4,0.5,0.6", NULL, valley, 1, 2, 0); /* the first */
    const double flat[] = {0.25, 0.25, 0.25, 0.25, 0.25};
    chooses("C=4,2,1,8,16", NULL, flat, 0, 2, 2);
    chooses("lambda=4,2,1,8,16", NULL, flat, 0, 4, 4);
    /* Two options: the first in which points differ decides. Points: hinge 1 2, squared 1 2. */
    const double table[] = {0.3, 0.22, 0.21, 0.2};
    chooses("loss=hinge,squared", "C=1,2", table, 0.02, 3, 1);
    chooses("C=1,2", "loss=hinge,squared", table, 0.02, 3, 2);
    chooses("C=1,2", "loss=hinge,squared", table, 0.005, 3, 3);
}

/* ---- Tuning ---- */

/* Rows whose class depends on the first of `cols` columns; one in eight has the wrong one. */
static hsp_data *noisy(uint64_t rows, uint32_t cols, uint32_t classes)
{
    double *x = malloc(rows * cols * sizeof *x);
    uint32_t *labels = malloc(rows * sizeof *labels), state = 99;
    hsp_data *data = NULL;
    for (uint64_t i = 0; i < rows; i++) {
        for (uint32_t j = 0; j < cols; j++) {
            state = state * 1664525u + 1013904223u;
            x[i * cols + j] = (double)(state >> 8) * 0x1p-23 - 1;
        }
        state = state * 1664525u + 1013904223u;
        labels[i] = (uint32_t)((x[i * cols] + 1) / 2 * classes);
        if (state >> 29 == 0) labels[i] = (labels[i] + 1) % classes;
    }
    hsp_view view = hsp_view_dense(HSP_FLOAT64, rows, cols, cols, x);
    view.labels = labels;
    view.classes = classes;
    CHECK(hsp_data_copy(ctx, &view, NULL, NULL, NULL, &data) == HSP_OK);
    free(x);
    free(labels);
    return data;
}

typedef struct result {
    hsp_tuning *tuning;
    hsp_training run;
    hsp_model *model;
} result;

static result tune(hsp_data *data, const hsp_options *learner, const hsp_options *own)
{
    result out = {.run.size = sizeof out.run};
    hsp_error err = {0};
    CHECK_NOTE(hsp_tune(ctx, data, learner, own, &err, &out.tuning, &out.run, &out.model) == HSP_OK,
               "%s", err.message);
    return out;
}

static void result_free(result *r)
{
    hsp_tuning_free(r->tuning);
    hsp_model_free(r->model);
}

/* The learner's options at a point, put together from what the tuning says of it. */
static hsp_options *options_at(const hsp_options *learner, const hsp_tuning *tuning, uint64_t p)
{
    hsp_options *at = NULL;
    CHECK(hsp_options_copy(ctx, learner, NULL, &at) == HSP_OK);
    for (size_t i = 0; hsp_tuning_option(tuning, i); i++)
        CHECK(hsp_options_set(at, hsp_tuning_option(tuning, i), hsp_tuning_value(tuning, p, i),
                              NULL) == HSP_OK);
    return at;
}

/* Each point against cross-validation of it alone: at most `apart` predictions in a fold differ. */
static void compare_points(hsp_data *data, const hsp_options *learner, const hsp_tuning *tuning,
                           uint64_t apart)
{
    hsp_options *folds = OPTIONS(hsp_validate_options(), "folds", "4", "fold-seed", "3");
    for (uint64_t p = 0; p < hsp_tuning_points(tuning); p++) {
        hsp_options *at = options_at(learner, tuning, p);
        hsp_validation *seen = NULL;
        CHECK(hsp_cross_validate(ctx, data, at, folds, NULL, &seen) == HSP_OK);
        const hsp_held_out *one = hsp_validation_held_out(seen);
        const hsp_held_out *other = hsp_tuning_held_out(tuning, p);
        CHECK(one->rows == other->rows && one->unconverged == other->unconverged);
        for (uint32_t f = 0; f < 4; f++) {
            const hsp_fold *a = hsp_validation_fold(seen, f), *b = hsp_tuning_fold(tuning, p, f);
            const uint64_t more = a->mistakes > b->mistakes ? a->mistakes : b->mistakes;
            CHECK(a->rows == b->rows && a->stop == b->stop);
            CHECK(2 * more - a->mistakes - b->mistakes <= apart);
        }
        if (!apart) CHECK(one->error == other->error);
        hsp_validation_free(seen);
        hsp_options_free(at);
    }
    hsp_options_free(folds);
}

/* The model against training with what was chosen: the same bits. */
static void compare_model(hsp_data *data, const hsp_options *learner, const result *r)
{
    hsp_options *at = options_at(learner, r->tuning, hsp_tuning_chosen(r->tuning));
    hsp_model *model = NULL;
    CHECK(hsp_train(ctx, data, at, NULL, NULL, &model) == HSP_OK);
    CHECK(hsp_model_scorers(model) == hsp_model_scorers(r->model));
    for (uint32_t c = 0; c < hsp_model_scorers(model); c++) {
        CHECK(memcmp(hsp_model_weights(model, c), hsp_model_weights(r->model, c),
                     hsp_model_features(model) * sizeof(double)) == 0);
        CHECK(hsp_model_offset(model, c) == hsp_model_offset(r->model, c));
    }
    CHECK_TEXT(hsp_model_metadata(model, "options"), hsp_model_metadata(r->model, "options"));
    hsp_model_free(model);
    hsp_options_free(at);
}

static void test_perceptron(void)
{
    hsp_data *data = noisy(120, 3, 2);
    hsp_options *learner = PERCEPTRON("order", "shuffle");
    hsp_options *own = TUNE("tune", "passes=1,3,9", "tune", "average=none,average", "folds", "4",
                            "fold-seed", "3");
    result r = tune(data, learner, own);
    CHECK(hsp_tuning_points(r.tuning) == 6);
    CHECK_TEXT(hsp_tuning_option(r.tuning, 0), "passes");
    CHECK_TEXT(hsp_tuning_option(r.tuning, 1), "average");
    CHECK(hsp_tuning_option(r.tuning, 2) == NULL);
    compare_points(data, learner, r.tuning, 0);
    compare_model(data, learner, &r);
    result_free(&r);
    hsp_options_free(learner);
    hsp_options_free(own);
    hsp_data_free(data);
}

static void test_svm_with_warm_starts(void)
{
    hsp_data *data = noisy(120, 5, 2), *more = noisy(150, 4, 3);
    hsp_options *learner = SVM("gap", "1e-7");
    hsp_options *own = TUNE("tune", "C=1e-3:1e2:log:6", "tune", "loss=hinge,squared", "folds", "4",
                            "fold-seed", "3");
    hsp_options *lambda = TUNE("tune", "lambda=1e-3,1,0.1", "folds", "4", "fold-seed", "3");
    result r = tune(data, learner, own), s = tune(more, learner, lambda);
    compare_points(data, learner, r.tuning, 1);
    compare_model(data, learner, &r);
    compare_points(more, learner, s.tuning, 1);
    compare_model(more, learner, &s);
    result_free(&r);
    result_free(&s);
    hsp_options_free(learner);
    hsp_options_free(own);
    hsp_options_free(lambda);
    hsp_data_free(data);
    hsp_data_free(more);
}

/* The classes are apart, but the origin is on one side of both: only a separator with an offset
 * finds them; and one class is so much larger that a tiny C gives up the other. */
static void test_a_planted_best_is_found(void)
{
    float x[90];
    uint32_t labels[90];
    hsp_data *data = NULL;
    for (int i = 0; i < 90; i++) {
        labels[i] = i % 9 == 0;
        x[i] = 10 + (float)labels[i] * 2 + (float)(i % 7) * 0.1f;
    }
    hsp_view view = hsp_view_dense(HSP_FLOAT32, 90, 1, 1, x);
    view.labels = labels;
    view.classes = 2;
    CHECK(hsp_data_copy(ctx, &view, NULL, NULL, NULL, &data) == HSP_OK);
    hsp_options *learner = SVM("gap", "1e-4");
    hsp_options *own = TUNE("tune", "offset=none,free", "tune", "C=1e-7,1e-6,100");
    result r = tune(data, learner, own);
    const uint64_t chosen = hsp_tuning_chosen(r.tuning);
    CHECK_TEXT(hsp_tuning_value(r.tuning, chosen, 0), "free");
    CHECK_TEXT(hsp_tuning_value(r.tuning, chosen, 1), "100");
    CHECK(hsp_tuning_held_out(r.tuning, chosen)->error == 0);
    CHECK(r.run.stop == HSP_STOP_CONVERGED && r.run.training_error == 0);
    result_free(&r);
    hsp_options_free(learner);
    hsp_options_free(own);
    hsp_data_free(data);
}

/* Demanding a separator where there is none: no model, and no row is right. */
static void test_without_a_model(void)
{
    hsp_data *data = noisy(80, 2, 2);
    hsp_options *learner = SVM("normalize", "none"), *own = TUNE("tune", "hard=yes", "folds", "2");
    hsp_validation *seen = NULL;
    result r = tune(data, learner, own);
    CHECK(r.model == NULL && r.run.stop == HSP_STOP_INSEPARABLE && r.run.evidence != NULL);
    CHECK(hsp_tuning_held_out(r.tuning, 0)->error == 1);
    CHECK(hsp_tuning_held_out(r.tuning, 0)->inseparable == 2 &&
          hsp_tuning_held_out(r.tuning, 0)->unconverged == 0);
    hsp_evidence_free(r.run.evidence);
    result_free(&r);
    hsp_options *hard = SVM("hard", "yes");
    CHECK(hsp_cross_validate(ctx, data, hard, NULL, NULL, &seen) == HSP_OK);
    CHECK(hsp_validation_held_out(seen)->mistakes == 80);
    hsp_validation_free(seen);
    hsp_options_free(hard);
    hsp_options_free(learner);
    hsp_options_free(own);
    hsp_data_free(data);
}

static void test_threads_change_nothing(void)
{
    hsp_data *data = noisy(150, 4, 3);
    hsp_options *learner = SVM("scale", "standard");
    hsp_options *own = TUNE("tune", "C=1e-2:1e2:log:4", "tune", "loss=hinge,squared");
    result r[3];
    for (int t = 0; t < 3; t++) {
        CHECK(hsp_context_set_threads(ctx, t * t * 4 + 1) == HSP_OK);
        r[t] = tune(data, learner, own);
    }
    CHECK(hsp_context_set_threads(ctx, 0) == HSP_OK);
    for (int t = 1; t < 3; t++) {
        CHECK_TEXT(hsp_model_metadata(r[0].model, "tuning"),
                   hsp_model_metadata(r[t].model, "tuning"));
        for (uint32_t c = 0; c < 3; c++)
            CHECK(memcmp(hsp_model_weights(r[0].model, c), hsp_model_weights(r[t].model, c),
                         4 * sizeof(double)) == 0);
        for (uint64_t p = 0; p < 8; p++)
            CHECK(hsp_tuning_held_out(r[0].tuning, p)->error ==
                  hsp_tuning_held_out(r[t].tuning, p)->error);
    }
    for (int t = 0; t < 3; t++)
        result_free(&r[t]);
    hsp_options_free(learner);
    hsp_options_free(own);
    hsp_data_free(data);
}

static void test_the_model_remembers(void)
{
    hsp_data *data = noisy(100, 2, 2);
    hsp_options *learner = PERCEPTRON("order", "shuffle");
    hsp_options *own = TUNE("tune", "rate=0.5,1", "choose", "one-standard-error", "folds", "3");
    result r = tune(data, learner, own);
    const char *fact = hsp_model_metadata(r.model, "tuning");
    hsp__json *json = NULL;
    CHECK(fact && hsp__json_parse(&ctx->allocator, fact, strlen(fact), "", NULL, &json) == HSP_OK);
    const hsp__json_value *root = hsp__json_root(json);
    const hsp__json_value *points = hsp__json_get(root, "points");
    uint64_t folds, chosen;
    double error;
    CHECK(hsp__json_u64(hsp__json_get(root, "folds"), &folds) && folds == 3);
    CHECK(hsp__json_u64(hsp__json_get(root, "chosen"), &chosen) &&
          chosen == hsp_tuning_chosen(r.tuning));
    CHECK_TEXT(hsp__json_string(hsp__json_get(root, "choose"), NULL), "one-standard-error");
    CHECK_TEXT(hsp__json_string(hsp__json_at(hsp__json_get(root, "options"), 0), NULL), "rate");
    CHECK(hsp__json_count(points) == 2);
    CHECK_TEXT(
        hsp__json_string(hsp__json_at(hsp__json_get(hsp__json_at(points, 0), "values"), 0), NULL),
        "0.5");
    CHECK(hsp__json_number(hsp__json_get(hsp__json_at(points, 1), "error"), &error) &&
          error == hsp_tuning_held_out(r.tuning, 1)->error);
    hsp__json_free(json);
    result_free(&r);
    hsp_options_free(learner);
    hsp_options_free(own);
    hsp_data_free(data);
}

/* ---- Ending early ---- */

static int stop_after(void *user, const hsp_progress *progress)
{
    int *left = user;
    (void)progress;
    return --*left < 0;
}

static void test_a_wish_to_stop(void)
{
    hsp_data *data = noisy(200, 2, 2);
    hsp_options *learner = PERCEPTRON("passes", "1e15"), *own = TUNE("tune", "rate=1,2,3");
    for (int threads = 1; threads <= 4; threads += 3) {
        void *untouched = &data;
        hsp_tuning *tuning = untouched;
        hsp_model *model = untouched;
        int left = 20;
        hsp_context_set_progress(ctx, stop_after, &left);
        CHECK(hsp_context_set_threads(ctx, threads) == HSP_OK);
        CHECK(hsp_tune(ctx, data, learner, own, NULL, &tuning, NULL, &model) == HSP_CANCELLED);
        CHECK((void *)tuning == untouched && (void *)model == untouched);
        hsp_context_set_progress(ctx, NULL, NULL);
    }
    CHECK(hsp_context_set_threads(ctx, 0) == HSP_OK);
    hsp_options_free(learner);
    hsp_options_free(own);
    hsp_data_free(data);
}

/* Nested: the outer folds, each measured by what tuning chooses on the others. */
static void test_nested_as_by_hand(void)
{
    hsp_data *data = noisy(120, 3, 2);
    hsp_options *learner = SVM("scale", "standard");
    hsp_options *own = TUNE("tune", "C=0.001,0.1,10", "folds", "3", "nested", "4");
    hsp_options *inner = TUNE("tune", "C=0.001,0.1,10", "folds", "3");
    const hsp__folds_how how = {.count = 4, .seed = 2}; /* the seed after that of the search */
    hsp__folds folds;
    double sum = 0;
    result r = tune(data, learner, own);
    const hsp_held_out *all = hsp_tuning_nested(r.tuning);
    CHECK(hsp_tuning_stop(r.tuning) == HSP_STOP_CONVERGED && all && all->folds == 4);
    CHECK(hsp__folds_make(ctx, data, learner, &how, NULL, &folds) == HSP_OK);
    for (uint32_t f = 0; f < 4; f++) {
        hsp_data *train = NULL, *held = NULL;
        hsp_evaluation seen = {.size = sizeof seen};
        CHECK(hsp__folds_part(ctx, &folds, data, f, NULL, &train, &held) == HSP_OK);
        result one = tune(train, learner, inner);
        CHECK(hsp_evaluate(ctx, one.model, held, NULL, &seen, NULL) == HSP_OK);
        sum += seen.error;
        result_free(&one);
        hsp_data_free(train);
        hsp_data_free(held);
    }
    CHECK(all && fabs(all->score - sum / 4) < 1e-12 && all->rows == 120);
    hsp__folds_free(&folds);
    result_free(&r);
    hsp_options_free(learner);
    hsp_options_free(own);
    hsp_options_free(inner);
    hsp_data_free(data);
}

/* A search that is stopped hands out what was done, and the model of the best point so far. */
static void test_stopped_with_a_best_point(void)
{
    hsp_data *data = noisy(200, 2, 2);
    hsp_options *learner = PERCEPTRON("max-seconds", "1");
    hsp_options *own = TUNE("tune", "passes=1,2,1000000000000000", "folds", "2");
    hsp_tuning *tuning = NULL;
    hsp_model *model = NULL;
    hsp_training run = {.size = sizeof run};
    hsp_error err = {0};
    CHECK(hsp_context_set_threads(ctx, 1) == HSP_OK);
    CHECK_NOTE(hsp_tune(ctx, data, learner, own, &err, &tuning, &run, &model) == HSP_OK, "%s",
               err.message);
    CHECK(hsp_tuning_stop(tuning) == HSP_STOP_SECONDS && model != NULL);
    CHECK(hsp_tuning_held_out(tuning, 0)->unfinished == 1);
    CHECK(hsp_tuning_held_out(tuning, 2)->unfinished == 2);
    CHECK(hsp_tuning_chosen(tuning) < 2);
    CHECK(hsp_context_set_threads(ctx, 0) == HSP_OK);
    hsp_evidence_free(run.evidence);
    hsp_model_free(model);
    hsp_tuning_free(tuning);
    hsp_options_free(learner);
    hsp_options_free(own);
    hsp_data_free(data);
}

/* Without a place for a model, none is trained. An error of the learner's own is the call's. */
static void test_points_alone(void)
{
    hsp_data *data = noisy(60, 2, 2);
    hsp_options *learner = PERCEPTRON("passes", "2"), *both = SVM("lambda", "1");
    hsp_options *own = TUNE("tune", "rate=1,2,3"), *c = TUNE("tune", "C=1,2,3");
    void *untouched = &data;
    hsp_tuning *tuning = NULL, *none = untouched;
    hsp_error err = {0};
    CHECK(hsp_tune(ctx, data, learner, own, NULL, &tuning, NULL, NULL) == HSP_OK);
    CHECK(hsp_tuning_points(tuning) == 3);
    CHECK(hsp_tune(ctx, data, both, c, &err, &none, NULL, NULL) == HSP_USAGE);
    CHECK(strstr(err.message, "C and lambda set the same thing,") != NULL);
    CHECK((void *)none == untouched);
    hsp_tuning_free(tuning);
    hsp_options_free(learner);
    hsp_options_free(both);
    hsp_options_free(own);
    hsp_options_free(c);
    hsp_data_free(data);
}

int main(void)
{
    CHECK(hsp_context_new(NULL, &ctx) == HSP_OK);
    RUN(test_values);
    RUN(test_wrong_specs);
    RUN(test_specs_beside_each_other);
    RUN(test_points_are_all_combinations);
    RUN(test_names_in_a_kernel);
    RUN(test_default_grids);
    RUN(test_choosing);
    RUN(test_perceptron);
    RUN(test_svm_with_warm_starts);
    RUN(test_a_planted_best_is_found);
    RUN(test_without_a_model);
    RUN(test_threads_change_nothing);
    RUN(test_the_model_remembers);
    RUN(test_a_wish_to_stop);
    RUN(test_nested_as_by_hand);
    RUN(test_stopped_with_a_best_point);
    RUN(test_points_alone);
    hsp_context_free(ctx);
    return check_done();
}
