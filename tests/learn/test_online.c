/* The driver: more classes, threads, single steps, stopping, preparing, and what it leaves behind.
 */
#include <stdatomic.h>

#include "base/checksum.h"
#include "base/json.h"
#include "learn/online/ledger.h"
#include "learn/naive.h"
#include "learn/online/online.h"
#include "learn/prepare.h"

static hsp_context *ctx;
static const char *program;

/* ---- Comparing ------------------------------------------------------------------------------- */

/* The same weights, offsets and updates, to the bit. */
static int same_model(const hsp_model *a, const hsp_model *b)
{
    const hsp_row_coefficients u = hsp_model_row_coefficients(a), v = hsp_model_row_coefficients(b);
    if (a->scorers != b->scorers || a->features != b->features || u.count != v.count) return 0;
    if (memcmp(a->weights, b->weights, a->scorers * a->features * sizeof *a->weights)) return 0;
    if (memcmp(a->offsets, b->offsets, a->scorers * sizeof *a->offsets)) return 0;
    return !u.count || (!memcmp(u.row, v.row, u.count * sizeof *u.row) &&
                        !memcmp(u.scorer, v.scorer, u.count * sizeof *u.scorer) &&
                        !memcmp(u.amount, v.amount, u.count * sizeof *u.amount));
}

static int same_run(const hsp_training *a, const hsp_training *b)
{
    return a->updates == b->updates && a->passes == b->passes && a->stop == b->stop &&
           a->mistakes_last_pass == b->mistakes_last_pass &&
           a->training_error == b->training_error &&
           !memcmp(&a->online_error, &b->online_error, sizeof a->online_error);
}

/* Rows of real numbers, labels by a separator a class, flipped with probability `noise`. */
static hsp_data *make_rows(uint64_t rows, uint64_t cols, uint32_t classes, double noise, int sparse)
{
    hsp__random random;
    hsp__random_seed(&random, 11, rows + cols);
    float *x = malloc(rows * cols * sizeof *x);
    double *w = malloc(classes * cols * sizeof *w);
    uint32_t *labels = malloc(rows * sizeof *labels), *indices = malloc(rows * cols * 4);
    uint64_t *starts = calloc(rows + 1, sizeof *starts), count = 0;
    for (uint64_t k = 0; k < classes * cols; k++)
        w[k] = hsp__random_normal(&random);
    for (uint64_t i = 0; i < rows; i++) {
        double best = -1e300, s[8] = {0};
        for (uint64_t j = 0; j < cols; j++) {
            if (sparse && hsp__random_below(&random, 4)) continue;
            indices[count] = (uint32_t)j;
            x[count] = (float)hsp__random_normal(&random);
            for (uint32_t c = 0; c < classes; c++)
                s[c] += w[c * cols + j] * (double)x[count];
            count++;
        }
        starts[i + 1] = count;
        for (uint32_t c = 0; c < classes; c++)
            if (s[c] > best) best = s[labels[i] = c];
        if (hsp__random_unit(&random) < noise)
            labels[i] = (uint32_t)hsp__random_below(&random, classes);
    }
    hsp_view view = sparse ? hsp_view_sparse(HSP_FLOAT32, rows, cols, 8, starts, indices, x)
                           : hsp_view_dense(HSP_FLOAT32, rows, cols, cols, x);
    view.labels = labels;
    view.classes = classes;
    hsp_data *data = NULL;
    if (hsp_data_copy(ctx, &view, NULL, NULL, NULL, &data)) abort();
    free(x);
    free(w);
    free(labels);
    free(indices);
    free(starts);
    return data;
}

/* ---- One-vs-rest ------------------------------------------------------------------------------
 */

static void compare_one(const naive_set *set, const naive_options *o, const char *average,
                        const hsp_model *model, int c, uint64_t *updates)
{
    naive_set two = *set;
    two.classes = 2;
    for (int i = 0; i < two.n; i++)
        two.label[i] = set->label[i] == c;
    hsp_data *data = naive_data(ctx, &two, HSP_SPARSE, HSP_FLOAT32);
    hsp_options *options = naive_to_options(ctx, o);
    learn_set(options, "average", average);
    hsp_training run = {.size = sizeof run};
    hsp_model *one = learn_train(ctx, data, options, &run);
    *updates += run.updates;
    for (int j = 0; j < set->d; j++)
        CHECK(hsp_model_weights(model, (uint32_t)c)[j] == hsp_model_weights(one, 0)[j]);
    CHECK(hsp_model_offset(model, (uint32_t)c) == hsp_model_offset(one, 0));
    hsp_row_coefficients all = hsp_model_row_coefficients(model),
                         own = hsp_model_row_coefficients(one);
    uint64_t k = 0;
    for (uint64_t i = 0; i < all.count; i++) {
        if (all.scorer[i] != (uint32_t)c) continue;
        CHECK(k < own.count && own.row[k] == all.row[i] && own.amount[k] == all.amount[i]);
        k++;
    }
    CHECK(k == own.count);
    hsp_model_free(one);
    hsp_options_free(options);
    hsp_data_free(data);
}

static void test_one_vs_rest(void)
{
    hsp__random random;
    hsp__random_seed(&random, 4, 1);
    for (int trial = 0; trial < 800; trial++) {
        naive_set set;
        naive_options o = naive_draw_options(&random);
        const char *average = trial % 2 ? "average" : "none";
        naive_draw(&set, &random, 3 + trial % 2, o.offset);
        o.multiclass = "ovr";
        hsp_data *data = naive_data(ctx, &set, HSP_SPARSE, HSP_FLOAT32);
        hsp_options *options = naive_to_options(ctx, &o);
        learn_set(options, "average", average);
        hsp_training run = {.size = sizeof run};
        hsp_model *model = learn_train(ctx, data, options, &run);
        uint64_t updates = 0;
        CHECK(hsp_model_scorers(model) == (uint32_t)set.classes);
        for (int c = 0; c < set.classes; c++)
            compare_one(&set, &o, average, model, c, &updates);
        CHECK(updates == run.updates);
        hsp_model_free(model);
        hsp_options_free(options);
        hsp_data_free(data);
        if (check_failures) return;
    }
}

/* ---- Threads and instruction sets -------------------------------------------------------------
 */

static const char *const variants[][5] = {
    {"passes=3", NULL},
    {"passes=3", "order=shuffle", "average=average", NULL},
    {"passes=2", "margin-target=0.3r", "offset=r2", NULL},
    {"passes=2", "multiclass=ovr", "average=average", NULL},
    {"passes=2", "soft=1", "multiclass=ovr", NULL},
    {"passes=2", "normalize=rows", "scale=max-abs", NULL},
    {"passes=1", "order=worst", "max-updates=40", NULL},
    {"passes=1", "order=random", "max-updates=40", NULL},
};
enum { VARIANTS = sizeof variants / sizeof *variants };

/* Large enough to be shared out, with rare mistakes and with many, with two classes and three. */
static void test_threads(void)
{
    static const int threads[] = {1, 2, 7};
    for (int kind = 0; kind < 6; kind++) {
        hsp_data *data = make_rows(kind % 2 ? 15000 : 3000, kind % 2 ? 40 : 100, kind < 4 ? 2 : 3,
                                   kind / 2 % 2 ? 0.1 : 0, kind % 2);
        for (int v = 0; v < VARIANTS; v++) {
            hsp_options *options = learn_options(ctx, variants[v]);
            hsp_model *first = NULL;
            hsp_training first_run = {.size = sizeof first_run};
            for (int t = 0; t < 3; t++) {
                hsp_training run = {.size = sizeof run};
                hsp_context_set_threads(ctx, threads[t]);
                hsp_model *model = learn_train(ctx, data, options, &run);
                if (t == 0) {
                    first = model;
                    first_run = run;
                    continue;
                }
                CHECK_NOTE(same_model(first, model), "kind %d variant %d threads %d", kind, v,
                           threads[t]);
                CHECK(same_run(&first_run, &run));
                hsp_model_free(model);
            }
            hsp_model_free(first);
            hsp_options_free(options);
        }
        hsp_data_free(data);
    }
    hsp_context_set_threads(ctx, 0);
}

/* One number for everything that was learned. */
static uint32_t digest(void)
{
    uint32_t crc = 0;
    for (int kind = 0; kind < 4; kind++) {
        hsp_data *data = make_rows(1500, 37, kind < 2 ? 2 : 3, 0.1, kind % 2);
        for (int v = 0; v < VARIANTS; v++) {
            hsp_options *options = learn_options(ctx, variants[v]);
            hsp_training run = {.size = sizeof run};
            hsp_model *model = learn_train(ctx, data, options, &run);
            crc = hsp__crc32(crc, model->weights, model->scorers * model->features * 8);
            crc = hsp__crc32(crc, model->offsets, model->scorers * 8);
            crc = hsp__crc32(crc, &run.updates, sizeof run.updates);
            hsp_model_free(model);
            hsp_options_free(options);
        }
        hsp_data_free(data);
    }
    return crc;
}

static void test_instruction_sets(void)
{
    static const char *const tables[] = {"scalar", "avx2", "avx512"};
    const uint32_t own = digest();
    for (int t = 0; t < 3; t++) {
        char command[1024];
        unsigned other = 0;
        snprintf(command, sizeof command, "HSP_SIMD=%s '%s' --digest", tables[t], program);
        FILE *pipe = popen(command, "r");
        CHECK(pipe != NULL);
        if (!pipe) return;
        CHECK(fscanf(pipe, "%x", &other) == 1);
        CHECK(pclose(pipe) == 0);
        CHECK_NOTE(other == own, "%s", tables[t]);
    }
}

/* ---- Single steps -----------------------------------------------------------------------------
 */

static hsp_model *step_through(const hsp_data *data, const hsp_options *options, int passes,
                               uint64_t *updates, uint64_t *wrong)
{
    static const char *const names[] = {"0", "1", "2", "3"};
    hsp_trainer *trainer = NULL;
    hsp_model *model = NULL;
    hsp_error err = {0};
    const hsp_view *view = &data->view;
    CHECK(hsp_trainer_new(ctx, options, names, view->classes, 0, &err, &trainer) == HSP_OK);
    if (!trainer) return NULL;
    *updates = *wrong = 0;
    for (int pass = 0; pass < passes; pass++)
        for (uint64_t i = 0; i < view->rows; i++) {
            hsp_step step = {.size = sizeof step};
            CHECK(hsp_trainer_step(trainer, view, i, &err, &step) == HSP_OK);
            *updates += step.updated != 0;
            if (pass == 0) *wrong += step.predicted != view->labels[i];
        }
    CHECK(hsp_trainer_model(trainer, &err, &model) == HSP_OK);
    hsp_trainer_free(trainer);
    return model;
}

/* Options of a trial; passes 0: not set. */
static hsp_options *step_options(naive_options o, int passes, int trial)
{
    o.passes = passes;
    hsp_options *options = naive_to_options(ctx, &o);
    learn_set(options, "average", trial % 5 ? "none" : "average");
    learn_set(options, "normalize", trial % 7 ? "none" : "rows");
    return options;
}

static void test_steps(void)
{
    hsp__random random;
    hsp__random_seed(&random, 4, 2);
    for (int trial = 0; trial < 1500; trial++) {
        naive_set set;
        naive_options o = naive_draw_options(&random);
        if (strcmp(o.offset, "r2") == 0) o.offset = "unit";
        naive_draw(&set, &random, 2 + trial % 3, o.offset);
        o.order = "cyclic";
        o.soft = 0;
        o.multiclass = trial / 3 % 2 ? "ovr" : "native";
        hsp_data *data = naive_data(ctx, &set, trial % 2 ? HSP_SPARSE : HSP_DENSE, HSP_FLOAT32);
        const int passes = strcmp(o.multiclass, "ovr") == 0 ? 1 : o.passes;
        hsp_options *options = step_options(o, passes, trial);
        hsp_options *single = step_options(o, 0, trial);
        hsp_training run = {.size = sizeof run};
        hsp_model *batch = learn_train(ctx, data, options, &run);
        uint64_t updates, wrong;
        hsp_model *model = step_through(data, single, (int)run.passes, &updates, &wrong);
        if (model) {
            CHECK(!memcmp(model->weights, batch->weights,
                          model->scorers * model->features * sizeof *model->weights));
            CHECK(!memcmp(model->offsets, batch->offsets, model->scorers * sizeof(double)));
            if (o.max_updates == 0) CHECK(run.online_error == (double)wrong / (double)set.n);
            if (set.classes == 2 || strcmp(o.multiclass, "native") == 0)
                CHECK(updates == run.updates);
        }
        hsp_model_free(model);
        hsp_model_free(batch);
        hsp_options_free(options);
        hsp_options_free(single);
        hsp_data_free(data);
        if (check_failures) return;
    }
}

/* By hand, features growing: (1) says +, then (0, 1) says -. */
static void test_steps_by_hand(void)
{
    static const char *const names[] = {"no", "yes"};
    const float a[] = {1}, b[] = {0, 1};
    const uint32_t yes = 1, no = 0;
    hsp_view first = hsp_view_dense(HSP_FLOAT32, 1, 1, 1, a);
    hsp_view second = hsp_view_dense(HSP_FLOAT32, 1, 2, 2, b);
    first.labels = &yes;
    second.labels = &no;
    first.classes = second.classes = 2;
    hsp_options *options = learn_options(ctx, NULL);
    hsp_trainer *trainer = NULL;
    hsp_error err = {0};
    hsp_step step = {.size = sizeof step};
    CHECK(hsp_trainer_new(ctx, options, names, 2, 0, &err, &trainer) == HSP_OK);
    hsp_options_free(options); /* the trainer has its own */
    CHECK(hsp_trainer_step(trainer, &first, 0, &err, &step) == HSP_OK);
    CHECK(step.predicted == 0 && step.score == 0 && step.updated); /* w = (1), b = 1 */
    CHECK(hsp_trainer_step(trainer, &second, 0, &err, &step) == HSP_OK);
    CHECK(step.predicted == 1 && step.score == 1 && step.updated); /* w = (1, -1), b = 0 */
    CHECK(hsp_trainer_step(trainer, &first, 0, &err, &step) == HSP_OK);
    CHECK(step.predicted == 1 && step.score == 1 && !step.updated);
    CHECK(hsp_trainer_step(trainer, &first, 1, &err, &step) == HSP_USAGE);
    hsp_model *model = NULL;
    CHECK(hsp_trainer_model(trainer, &err, &model) == HSP_OK);
    CHECK(hsp_model_features(model) == 2);
    CHECK(hsp_model_weights(model, 0)[0] == 1 && hsp_model_weights(model, 0)[1] == -1);
    CHECK(hsp_model_offset(model, 0) == 0);
    CHECK_TEXT(hsp_model_class_name(model, 1), "yes");
    CHECK_TEXT(hsp_model_metadata(model, "updates"), "2");
    hsp_model_free(model);
    hsp_trainer_free(trainer);
}

static void test_steps_refuse(void)
{
    static const char *const names[] = {"a", "b"}, *const twice[] = {"a", "a"};
    static const char *const settings[][2] = {
        {"order=worst"},      {"soft=1"},         {"offset=r2"},      {"average=vote"},
        {"margin-target=1r"}, {"scale=standard"}, {"normalize=ball"}, {"trace=x.csv"},
        {"classes=a,b"},      {"positive=a"},     {"passes=1"},       {"max-passes=5"},
        {"max-seconds=0.1"}};
    for (size_t i = 0; i < sizeof settings / sizeof *settings; i++) {
        hsp_options *options = learn_options(ctx, settings[i]);
        hsp_trainer *trainer = NULL;
        hsp_error err = {0};
        CHECK_NOTE(hsp_trainer_new(ctx, options, names, 2, 0, &err, &trainer) == HSP_USAGE, "%s",
                   settings[i][0]);
        CHECK(trainer == NULL && strlen(err.message) > 20);
        hsp_options_free(options);
    }
    hsp_options *options = learn_options(ctx, NULL);
    hsp_trainer *trainer = NULL;
    CHECK(hsp_trainer_new(ctx, options, twice, 2, 0, NULL, &trainer) == HSP_USAGE);
    CHECK(hsp_trainer_new(ctx, options, names, 1, 0, NULL, &trainer) == HSP_USAGE);
    hsp_options_free(options);
}

/* ---- Stopping ---------------------------------------------------------------------------------
 */

static int stop_after(void *user, const hsp_progress *progress)
{
    int *calls = user;
    if (strcmp(progress->phase, "preparing") == 0) return 0; /* of a slow machine */
    CHECK_TEXT(progress->phase, "training");
    CHECK_TEXT(progress->unit, "passes");
    CHECK(progress->done <= progress->total);
    return --*calls <= 0; /* and stays at it, as a user who pressed Ctrl-C does */
}

/* Whoever asks to stop gets the model so far. */
static void test_request(void)
{
    static const char *const settings[][3] = {{"passes=100", NULL},
                                              {"passes=100", "multiclass=ovr", NULL},
                                              {"order=worst", NULL},
                                              {"passes=100", "average=vote", NULL}};
    for (int s = 0; s < 4; s++) {
        hsp_data *data = make_rows(6000, 100, s == 1 ? 3 : 2, 0.1, 0);
        hsp_options *options = learn_options(ctx, settings[s]);
        hsp_training run = {.size = sizeof run};
        int calls = 15;
        hsp_context_set_progress(ctx, stop_after, &calls);
        hsp_model *model = learn_train(ctx, data, options, &run);
        hsp_context_set_progress(ctx, NULL, NULL);
        CHECK(run.stop == HSP_STOP_REQUEST && run.passes < 100 && run.updates > 0);
        CHECK_TEXT(hsp_model_metadata(model, "stop"), "request");
        /* if there was time for it */
        CHECK(isnan(run.training_error) || (run.training_error > 0 && run.training_error < 0.5));
        hsp_model_free(model);
        hsp_options_free(options);
        hsp_data_free(data);
    }
}

static int stop_at(void *user, const hsp_progress *progress)
{
    (void)progress;
    return hsp__clock() >= *(const double *)user;
}

/* One-vs-rest: of four classes only the last never ends, whichever thread has it; the user is asked
 * all the same. */
static void test_request_on_any_thread(void)
{
    static const char *const settings[] = {"passes=1e12", "multiclass=ovr", "max-seconds=2", NULL};
    const naive_set set = {4, 3, 4, {{3, 0, 0}, {0, 3, 0}, {0, 0, 3}, {1, 1, 1}}, {0, 1, 2, 3}};
    hsp_options *options = learn_options(ctx, settings);
    hsp_context_set_threads(ctx, 4);
    for (int trial = 0; trial < 6 && !check_failures; trial++) {
        hsp_data *data = naive_data(ctx, &set, trial % 2 ? HSP_SPARSE : HSP_DENSE, HSP_FLOAT32);
        double end = hsp__clock() + 0.1;
        hsp_training run = {.size = sizeof run};
        hsp_context_set_progress(ctx, stop_at, &end);
        hsp_model *model = learn_train(ctx, data, options, &run);
        hsp_context_set_progress(ctx, NULL, NULL);
        CHECK(run.stop == HSP_STOP_REQUEST && run.train_seconds < 1);
        hsp_model_free(model);
        hsp_data_free(data);
    }
    hsp_context_set_threads(ctx, 0);
    hsp_options_free(options);
}

static void test_seconds(void)
{
    static const char *const settings[] = {"passes=1e9", "max-seconds=0.05", NULL};
    hsp_data *data = make_rows(2000, 10, 2, 0.1, 0);
    hsp_options *options = learn_options(ctx, settings);
    hsp_training run = {.size = sizeof run};
    const double start = hsp__clock();
    hsp_model *model = learn_train(ctx, data, options, &run);
    CHECK(run.stop == HSP_STOP_SECONDS && hsp__clock() - start >= 0.05 && run.train_seconds < 5);
    hsp_model_free(model);
    hsp_options_free(options);
    hsp_data_free(data);
}

/* ---- Preparing --------------------------------------------------------------------------------
 */

/* The model keeps its scalings: rows as they were get the classes that training saw. */
static void test_scaled(void)
{
    static const char *const settings[][3] = {{"scale=standard", NULL},
                                              {"scale=min-max", "normalize=rows", NULL},
                                              {"scale=max-abs", "normalize=ball", NULL},
                                              {"normalize=ball", NULL},
                                              {"normalize=rows", "average=vote", NULL}};
    for (int s = 0; s < 5; s++) {
        hsp_data *data = make_rows(300, 7, s % 2 ? 3 : 2, 0.1, 0);
        hsp_options *options = learn_options(ctx, settings[s]);
        hsp_training run = {.size = sizeof run};
        hsp_model *model = learn_train(ctx, data, options, &run);
        double *scores = malloc(300 * 3 * sizeof *scores);
        uint32_t classes[300], wrong = 0;
        CHECK(hsp_model_score(ctx, model, &data->view, NULL, scores, classes) == HSP_OK);
        for (int i = 0; i < 300; i++)
            wrong += classes[i] != data->view.labels[i];
        CHECK(run.training_error == wrong / 300.0);
        free(scores);
        hsp_model_free(model);
        hsp_options_free(options);
        hsp_data_free(data);
    }
}

/* Dividing rows, or all of them, by a length changes no sign: through the origin, the ball learns w
 * times a constant. */
static void test_ball(void)
{
    static const char *const plain[] = {"offset=none", NULL};
    static const char *const ball[] = {"offset=none", "normalize=ball", NULL};
    hsp_data *data = make_rows(300, 7, 2, 0.1, 0);
    hsp_options *a = learn_options(ctx, plain), *b = learn_options(ctx, ball);
    hsp_training run = {.size = sizeof run}, other = {.size = sizeof other};
    hsp_model *model = learn_train(ctx, data, a, &run), *scaled = learn_train(ctx, data, b, &other);
    CHECK(run.updates == other.updates && run.training_error == other.training_error);
    hsp_model_free(model);
    hsp_model_free(scaled);
    hsp_options_free(a);
    hsp_options_free(b);
    hsp_data_free(data);
}

static void test_chosen_classes(void)
{
    static const char *const positive[] = {"positive=1", NULL}, *const some[] = {"classes=2,0",
                                                                                 NULL};
    static const char *const unknown[] = {"positive=nine", NULL};
    hsp_data *data = make_rows(300, 7, 3, 0, 0);
    hsp_training run = {.size = sizeof run};
    hsp_options *options = learn_options(ctx, positive);
    hsp_model *model = learn_train(ctx, data, options, &run);
    CHECK(run.classes == 2 && run.rows == 300 && model->rest && !model->leaves_out);
    CHECK_TEXT(hsp_model_class_name(model, 0), "rest");
    CHECK_TEXT(hsp_model_class_name(model, 1), "1");
    hsp_model_free(model);
    hsp_options_free(options);
    options = learn_options(ctx, some);
    model = learn_train(ctx, data, options, &run);
    CHECK(run.classes == 2 && run.rows < 300 && !model->rest && model->leaves_out);
    CHECK_TEXT(hsp_model_class_name(model, 0), "2");
    CHECK_TEXT(hsp_model_class_name(model, 1), "0");
    hsp_model_free(model);
    hsp_options_free(options);
    options = learn_options(ctx, unknown);
    model = NULL;
    hsp_error err = {0};
    CHECK(hsp_train(ctx, data, options, &err, &run, &model) != HSP_OK && !model && *err.message);
    hsp_options_free(options);
    hsp_data_free(data);
}

/* Numbers that leave the range of a double are reported, not returned. */
static void test_overflow(void)
{
    const naive_set set = {2, 1, 2, {{1e300}, {-1e300}}, {1, 0}};
    static const char *const settings[] = {"rate=1e10", NULL};
    hsp_data *data = naive_data(ctx, &set, HSP_DENSE, HSP_FLOAT64);
    hsp_options *options = learn_options(ctx, settings);
    hsp_model *model = NULL;
    hsp_error err = {0};
    CHECK(hsp_train(ctx, data, options, &err, NULL, &model) == HSP_BAD_DATA && !model);
    CHECK(strstr(err.message, "overflow") != NULL);
    hsp_options_free(options);
    hsp_data_free(data);
}

/* ---- What is left behind ----------------------------------------------------------------------
 */

static void test_facts(void)
{
    hsp_data *data = make_rows(50, 4, 2, 0.3, 0);
    static const char *const settings[] = {"margin-target=0.5r", "seed=7", "rate=0.5", NULL};
    hsp_options *options = learn_options(ctx, settings);
    hsp_training run = {.size = sizeof run};
    hsp_model *model = learn_train(ctx, data, options, &run);
    const char *text = hsp_model_metadata(model, "options");
    hsp__json *json = NULL;
    CHECK(text && hsp__json_parse(&ctx->allocator, text, strlen(text), "", NULL, &json) == HSP_OK);
    const hsp__json_value *root = hsp__json_root(json);
    CHECK(hsp__json_count(root) == hsp_learner_find("perceptron")->count);
    double number = 0;
    CHECK(hsp__json_number(hsp__json_get(root, "rate"), &number) && number == 0.5);
    CHECK_TEXT(hsp__json_string(hsp__json_get(root, "margin-target"), NULL), "0.5r");
    CHECK(hsp__json_type_of(hsp__json_get(root, "trace")) == HSP__JSON_NULL);
    hsp__json_free(json);
    CHECK_TEXT(hsp_model_metadata(model, "seed"), "7");
    CHECK_TEXT(hsp_model_metadata(model, "data_rows"), "50");
    CHECK_TEXT(hsp_model_metadata(model, "version"), hsp_version());
    CHECK(strtod(hsp_model_metadata(model, "radius"), NULL) == run.radius);
    hsp_model_free(model);
    hsp_options_free(options);
    hsp_data_free(data);
}

/* The hash, byte by byte as its comment says. */
static void hash_by_hand(const hsp_view *view, char want[32])
{
    uint32_t crc = hsp__crc32_portable(0, &view->rows, 8);
    for (uint64_t i = 0; i < view->rows; i++) {
        const hsp__row row = hsp__view_row(view, i);
        crc = hsp__crc32_portable(crc, &view->labels[i], 4);
        for (uint64_t k = 0; k < row.count; k++) {
            const uint32_t column = (uint32_t)hsp__row_column(&row, k);
            const float value = (float)hsp__row_value(view, &row, k);
            if (value == 0) continue;
            crc = hsp__crc32_portable(crc, &column, 4);
            crc = hsp__crc32_portable(crc, &value, 4);
        }
    }
    snprintf(want, 32, "crc32:%08x", (unsigned)crc);
}

static void test_hash(void)
{
    for (int kind = 0; kind < 4; kind++) {
        hsp_data *data = make_rows(kind < 2 ? 3000 : 3, kind < 2 ? 700 : 50, 2, 0, kind % 2);
        hsp_view view = data->view;
        uint32_t narrow[4];
        char want[32], got[HSP__HASH_TEXT];
        hash_by_hand(&view, want);
        CHECK(hsp__view_hash(ctx, &view, NULL, got) == HSP_OK);
        CHECK_TEXT(got, want);
        if (kind == 3) { /* narrow starts are hashed as wide ones */
            for (int i = 0; i < 4; i++)
                narrow[i] = (uint32_t)((const uint64_t *)view.starts)[i];
            view.starts = narrow;
            view.starts_bytes = 4;
            CHECK(hsp__view_hash(ctx, &view, NULL, got) == HSP_OK);
            CHECK_TEXT(got, want);
        }
        hsp_data_free(data);
    }
}

/* How rows are stored does not matter; a number, a label or the precision does. Rows in double are
 * also found by what they were in single. */
static void test_hash_storage(void)
{
    const float single[6] = {1, 0, 0.1F, 0, 3, -2};
    double wide[6], huge[6] = {1, 0, 1e300, 0, 3, -2};
    const float held[4] = {1, 0.1F, 3, -2};
    const uint32_t indices[4] = {0, 2, 1, 2}, labels[2] = {0, 1}, others[2] = {1, 0};
    const uint64_t starts[3] = {0, 2, 4};
    char first[HSP__HASH_TEXT], text[HSP__HASH_TEXT];
    hsp_model *model = NULL;
    hsp__trained trained;
    for (int k = 0; k < 6; k++)
        wide[k] = (double)single[k];
    wide[2] = 0.1; /* rounds to the same */
    CHECK(!hsp__model_new(ctx, 1, 3, NULL, &model));
    hsp_view view = hsp_view_dense(HSP_FLOAT32, 2, 3, 3, single);
    view.labels = labels;
    CHECK(hsp__view_hash(ctx, &view, NULL, first) == HSP_OK);
    CHECK(!hsp__view_seen(ctx, &view, model, NULL, &trained) && trained == HSP__TRAINED_UNKNOWN);
    CHECK(!hsp__model_set_metadata(model, "data_hash", first, NULL));
    CHECK(!hsp__view_seen(ctx, &view, model, NULL, &trained) && trained == HSP__TRAINED_YES);
    view.labels = others;
    CHECK(hsp__view_hash(ctx, &view, NULL, text) == HSP_OK);
    CHECK(strcmp(text, first) != 0);
    view = hsp_view_sparse(HSP_FLOAT32, 2, 5, 8, starts, indices, held);
    view.labels = labels;
    CHECK(hsp__view_hash(ctx, &view, NULL, text) == HSP_OK);
    CHECK_TEXT(text, first);
    view = hsp_view_dense(HSP_FLOAT64, 2, 3, 3, wide);
    view.labels = labels;
    CHECK(hsp__view_hash(ctx, &view, NULL, text) == HSP_OK);
    CHECK(strcmp(text, first) != 0);
    CHECK(!hsp__view_seen(ctx, &view, model, NULL, &trained) && trained == HSP__TRAINED_YES);
    wide[5] = -2.1;
    CHECK(!hsp__view_seen(ctx, &view, model, NULL, &trained) && trained == HSP__TRAINED_NO);
    wide[5] = -2;
    CHECK(!hsp__model_set_metadata(model, "data_hash", text, NULL)); /* of doubles */
    CHECK(!hsp__view_seen(ctx, &view, model, NULL, &trained) && trained == HSP__TRAINED_YES);
    CHECK(!hsp__view_hash_single(ctx, &view, NULL, text));
    CHECK(!hsp__model_set_metadata(model, "data_hash_single", text, NULL));
    wide[2] = nextafter(0.1, 1); /* no single precision shows that */
    CHECK(!hsp__view_seen(ctx, &view, model, NULL, &trained) && trained == HSP__TRAINED_NO);
    view = hsp_view_dense(HSP_FLOAT32, 2, 3, 3, single); /* rows that lost their digits */
    view.labels = labels;
    CHECK(!hsp__view_seen(ctx, &view, model, NULL, &trained) && trained == HSP__TRAINED_YES);
    view = hsp_view_dense(HSP_FLOAT64, 2, 3, 3, wide);
    view.labels = labels;
    view.values = huge; /* beyond single precision */
    CHECK(!hsp__view_seen(ctx, &view, model, NULL, &trained) && trained == HSP__TRAINED_NO);
    hsp_model_free(model);
}

static void test_ledger(void)
{
    static double want[500][3];
    hsp__ledger ledger;
    hsp__random random;
    hsp__random_seed(&random, 4, 3);
    hsp__ledger_init(&ledger, ctx);
    for (int i = 0; i < 50000; i++) {
        uint64_t row = i % 3 ? (uint64_t)i % 500 : hsp__random_below(&random, 500);
        uint32_t scorer = (uint32_t)hsp__random_below(&random, 3);
        double amount = hsp__random_below(&random, 2) ? 0.1 : -0.1;
        want[row][scorer] += amount;
        CHECK(hsp__ledger_add(&ledger, row, scorer, amount));
    }
    CHECK(ledger.room <= 8192); /* 1500 pairs */
    CHECK(hsp__ledger_settle(&ledger));
    uint64_t k = 0;
    for (uint64_t row = 0; row < 500; row++)
        for (uint32_t scorer = 0; scorer < 3; scorer++) {
            if (want[row][scorer] == 0) continue;
            CHECK(k < ledger.count && ledger.entries[k].row == row &&
                  ledger.entries[k].scorer == scorer &&
                  ledger.entries[k].amount == want[row][scorer]);
            k++;
        }
    CHECK(k == ledger.count);
    hsp__ledger_free(&ledger);
}

/* ---- Shares of the work -----------------------------------------------------------------------
 */

enum { SHARED_ROWS = 977 };

/* Counts the shuffled orders that are made: every share of a one-vs-rest run has its own. */
static void *orders_reallocate(void *user, void *pointer, size_t size)
{
    if (size == SHARED_ROWS * sizeof(uint64_t)) atomic_fetch_add((atomic_long *)user, 1);
    return realloc(pointer, size);
}

static void orders_release(void *user, void *pointer)
{
    (void)user;
    free(pointer);
}

/* Sparse rows and few classes: as many shares as threads at least, one on one thread. One order
 * more is that of the first pass. */
static void test_shares(void)
{
    static const char *const settings[] = {"multiclass=ovr", "order=shuffle", NULL};
    static const long want[] = {2, 6, 6};
    hsp_data *rows = make_rows(SHARED_ROWS, 40, 5, 0.2, 1), *data = NULL;
    hsp_context *counting = NULL;
    atomic_long orders = 0;
    const hsp_allocator allocator = {orders_reallocate, orders_release, &orders};
    CHECK(hsp_context_new(&allocator, &counting) == HSP_OK);
    CHECK(hsp_data_copy(counting, &rows->view, NULL, NULL, NULL, &data) == HSP_OK);
    hsp_options *options = learn_options(counting, settings);
    for (int threads = 1; threads <= 3; threads++) {
        hsp_context_set_threads(counting, threads);
        atomic_store(&orders, 0);
        hsp_model_free(learn_train(counting, data, options, NULL));
        CHECK_NOTE(atomic_load(&orders) == want[threads - 1], "%d threads: %ld orders", threads,
                   atomic_load(&orders));
    }
    hsp_options_free(options);
    hsp_data_free(data);
    hsp_data_free(rows);
    hsp_context_free(counting);
}

/* ---- No memory --------------------------------------------------------------------------------
 */

typedef struct scarce {
    atomic_long left; /* allocations until one fails */
    atomic_long held;
} scarce;

static void *scarce_reallocate(void *user, void *pointer, size_t size)
{
    scarce *own = user;
    if (atomic_fetch_sub(&own->left, 1) <= 0) return NULL;
    if (!pointer) atomic_fetch_add(&own->held, 1);
    return realloc(pointer, size);
}

static void scarce_release(void *user, void *pointer)
{
    scarce *own = user;
    if (pointer) atomic_fetch_sub(&own->held, 1);
    free(pointer);
}

static void starve(const char *const *settings, int classes)
{
    static const char *const names[] = {"0", "1", "2"};
    scarce own = {.left = 1000000};
    const hsp_allocator allocator = {scarce_reallocate, scarce_release, &own};
    hsp_context *poor = NULL;
    hsp_data *rows = make_rows(40, 5, (uint32_t)classes, 0.2, 0), *data = NULL;
    CHECK(hsp_context_new(&allocator, &poor) == HSP_OK);
    hsp_context_set_threads(poor, 2);
    CHECK(hsp_data_copy(poor, &rows->view, names, NULL, NULL, &data) == HSP_OK);
    hsp_options *options = learn_options(poor, settings);
    const long before = atomic_load(&own.held);
    hsp_status status = HSP_NO_MEMORY;
    long n = 0;
    for (; status == HSP_NO_MEMORY && n < 100000; n++) {
        hsp_error err = {0};
        hsp_model *model = NULL;
        atomic_store(&own.left, n);
        status = hsp_train(poor, data, options, &err, NULL, &model);
        atomic_store(&own.left, 1000000);
        CHECK(!model == (status != HSP_OK));
        hsp_model_free(model);
        CHECK(atomic_load(&own.held) == before);
    }
    CHECK_NOTE(status == HSP_OK && n > 10, "status %d after %ld", (int)status, n);
    hsp_options_free(options);
    hsp_data_free(data);
    hsp_data_free(rows);
    hsp_context_free(poor);
    CHECK(atomic_load(&own.held) == 0);
}

static void test_no_memory(void)
{
    static const char *const settings[][4] = {
        {NULL},
        {"average=average", "order=shuffle", NULL},
        {"average=vote", "normalize=rows", NULL},
        {"soft=1", "order=random", "positive=1", NULL},
        {"kernel=linear", "offset=r2", NULL},
        {"kernel=poly(2,1)", "budget=4", NULL},
        {"multiclass=ovr", NULL},
        {"kernel=rbf(1)", "average=average", NULL},
        {"kernel=rbf(median)", "average=vote", "multiclass=ovr", NULL},
        {NULL}};
    for (int s = 0; s < 10; s++)
        starve(settings[s], s > 5 ? 3 : 2);
}

static hsp_status starved_steps(hsp_context *poor, const hsp_options *options, const hsp_view *view)
{
    static const char *const names[] = {"0", "1", "2"};
    hsp_trainer *trainer = NULL;
    hsp_model *model = NULL;
    hsp_status status = hsp_trainer_new(poor, options, names, view->classes, 0, NULL, &trainer);
    for (uint64_t i = 0; !status && i < view->rows; i++)
        status = hsp_trainer_step(trainer, view, i, NULL, NULL);
    if (!status) status = hsp_trainer_model(trainer, NULL, &model);
    CHECK(!model == (status != HSP_OK));
    hsp_model_free(model);
    hsp_trainer_free(trainer);
    return status;
}

static void test_no_memory_for_steps(void)
{
    static const char *const settings[][4] = {
        {"average=average", NULL}, {"multiclass=ovr", "normalize=rows", NULL}, {NULL}};
    for (int s = 0; s < 3; s++) {
        scarce own = {.left = 1000000};
        const hsp_allocator allocator = {scarce_reallocate, scarce_release, &own};
        hsp_context *poor = NULL;
        hsp_data *rows = make_rows(20, 5, s ? 3 : 2, 0.2, 0);
        CHECK(hsp_context_new(&allocator, &poor) == HSP_OK);
        hsp_options *options = learn_options(poor, settings[s]);
        const long before = atomic_load(&own.held);
        hsp_status status = HSP_NO_MEMORY;
        long n = 0;
        for (; status == HSP_NO_MEMORY && n < 10000; n++) {
            atomic_store(&own.left, n);
            status = starved_steps(poor, options, &rows->view);
            atomic_store(&own.left, 1000000);
            CHECK(atomic_load(&own.held) == before);
        }
        CHECK(status == HSP_OK && n > 5);
        hsp_options_free(options);
        hsp_data_free(rows);
        hsp_context_free(poor);
    }
}

int main(int argc, char **argv)
{
    program = argv[0];
    if (hsp_context_new(NULL, &ctx)) return 1;
    if (argc > 1 && strcmp(argv[1], "--digest") == 0) {
        printf("%x\n", digest());
        hsp_context_free(ctx);
        return 0;
    }
    RUN(test_one_vs_rest);
    RUN(test_threads);
    RUN(test_instruction_sets);
    RUN(test_steps);
    RUN(test_steps_by_hand);
    RUN(test_steps_refuse);
    RUN(test_request);
    RUN(test_request_on_any_thread);
    RUN(test_seconds);
    RUN(test_scaled);
    RUN(test_ball);
    RUN(test_chosen_classes);
    RUN(test_overflow);
    RUN(test_facts);
    RUN(test_hash);
    RUN(test_hash_storage);
    RUN(test_ledger);
    RUN(test_shares);
    RUN(test_no_memory);
    RUN(test_no_memory_for_steps);
    hsp_context_free(ctx);
    return check_done();
}
