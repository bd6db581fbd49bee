/* Streamed equals batch, to the bit. */
#include <stdatomic.h>
#include <unistd.h>

#include "data/encode.h"
#include "learn/naive.h"

static hsp_context *ctx;
static char path[] = "/tmp/hsp-stream-XXXXXX";

/* Class names whose order of appearance and sorted order differ as the rows fall. */
static const char *const class_names[] = {"-1", "1", "b", "c"};

static void write_rows(const naive_set *set)
{
    FILE *file = fopen(path, "w");
    if (!file) abort();
    for (int i = 0; i < set->n; i++) {
        fputs(class_names[set->label[i]], file);
        for (int j = 0; j < set->d; j++)
            if (set->x[i][j] != 0) fprintf(file, " %d:%g", j + 1, set->x[i][j]);
        fputc('\n', file);
    }
    fclose(file);
}

static void shuffle_rows(naive_set *set, hsp__random *random)
{
    uint64_t order[NAIVE_ROWS];
    const naive_set old = *set;
    for (int i = 0; i < set->n; i++)
        order[i] = (uint64_t)i;
    hsp__random_shuffle(random, order, (uint64_t)set->n);
    for (int i = 0; i < set->n; i++) {
        memcpy(set->x[i], old.x[order[i]], sizeof set->x[i]);
        set->label[i] = old.label[order[i]];
    }
}

/* Weights of columns that only the batch or only the stream knows of are zero. */
static void compare(const hsp_model *a, const hsp_model *b)
{
    CHECK(a->scorers == b->scorers);
    CHECK(hsp_model_classes(a) == hsp_model_classes(b));
    for (uint32_t c = 0; c < hsp_model_classes(a); c++)
        CHECK_TEXT(hsp_model_class_name(a, c), hsp_model_class_name(b, c));
    CHECK(a->features == b->features);
    if (check_failures) return;
    CHECK(!memcmp(a->weights, b->weights, a->scorers * a->features * sizeof *a->weights));
    CHECK(!memcmp(a->offsets, b->offsets, a->scorers * sizeof *a->offsets));
}

static void compare_runs(const hsp_training *streamed, const hsp_training *batch)
{
    CHECK(streamed->updates == batch->updates && streamed->passes == 1);
    CHECK(streamed->classes == batch->classes);
    CHECK(streamed->rows == batch->rows && streamed->nonzeros == batch->nonzeros);
    CHECK(streamed->mistakes_last_pass == batch->mistakes_last_pass);
    CHECK(streamed->online_error == batch->online_error);
    CHECK(streamed->online_rows == batch->online_rows);
    CHECK(streamed->online_rows == streamed->rows);
    CHECK(streamed->stop == batch->stop);
    CHECK(isnan(streamed->training_error));
}

static void both(const hsp_options *options)
{
    hsp_error err = {0};
    hsp_data *data = NULL;
    hsp_training run = {.size = sizeof run}, batch_run = {.size = sizeof batch_run};
    hsp_model *model = NULL;
    hsp_status status = hsp_train_stream(ctx, path, NULL, options, &err, &run, &model);
    CHECK_NOTE(status == HSP_OK, "%s", err.message);
    CHECK(hsp_data_read(ctx, path, NULL, NULL, &err, &data) == HSP_OK);
    if (!model || !data) return;
    hsp_model *batch = learn_train(ctx, data, options, &batch_run);
    compare(model, batch);
    compare_runs(&run, &batch_run);
    CHECK(hsp_model_row_coefficients(model).count == 0);
    hsp_model_free(model);
    hsp_model_free(batch);
    hsp_data_free(data);
}

static void test_like_batch(void)
{
    hsp__random random;
    hsp__random_seed(&random, 5, 1);
    for (int trial = 0; trial < 1000; trial++) {
        naive_set set;
        naive_options o = naive_draw_options(&random);
        const int classes = trial % 3 == 2 ? 4 : 2;
        naive_draw(&set, &random, classes, "unit");
        shuffle_rows(&set, &random);
        write_rows(&set);
        o.order = "cyclic";
        o.soft = 0;
        o.passes = 1;
        o.max_updates = 0; /* the rest would not be read */
        if (strcmp(o.offset, "r2") == 0) o.offset = "append";
        if (classes > 2) o.multiclass = trial % 2 ? "ovr" : "native";
        const int known = classes > 2 || strcmp(o.tie, "pos") == 0;
        hsp_options *options = naive_to_options(ctx, &o);
        if (known) learn_set(options, "classes", classes > 2 ? "-1,1,b,c" : "-1,1");
        if (trial % 5 == 1) learn_set(options, "average", "average");
        if (trial % 7 == 1) learn_set(options, "normalize", "rows");
        hsp_context_set_threads(ctx, 1 + trial % 3);
        ctx->block_bytes = trial % 2 ? 16 : HSP__BLOCK_BYTES;
        both(options);
        hsp_options_free(options);
        if (check_failures) return;
    }
    ctx->block_bytes = HSP__BLOCK_BYTES;
    hsp_context_set_threads(ctx, 0);
}

/* One class against the rest, and some classes of several, in an order of the user's. */
static void test_chosen(void)
{
    static const char *const settings[][4] = {
        {"passes=1", "positive=b", NULL},
        {"passes=1", "positive=-1", "tie=pos", NULL},
        {"passes=1", "classes=c,-1", NULL},
        {"passes=1", "classes=b,c,1", NULL},
        {"passes=1", "classes=b,c,1", "positive=c", NULL},
        {"passes=1", "classes=c,1,-1", "multiclass=ovr", NULL},
    };
    hsp__random random;
    hsp__random_seed(&random, 5, 2);
    for (int trial = 0; trial < 300; trial++) {
        naive_set set;
        naive_draw(&set, &random, 4, "unit");
        shuffle_rows(&set, &random);
        write_rows(&set);
        hsp_options *options = learn_options(ctx, settings[trial % 6]);
        both(options);
        hsp_options_free(options);
        if (check_failures) {
            fprintf(stderr, "%s %s\n", settings[trial % 6][1], settings[trial % 6][2]);
            return;
        }
    }
}

static void write_text(const char *text)
{
    FILE *file = fopen(path, "w");
    if (!file || fputs(text, file) < 0) abort();
    fclose(file);
}

/* A model from CSV knows its columns by name: it reads them in another order, and without labels.
 */
static void test_csv(void)
{
    static const char *const settings[][2] = {{"passes=1", NULL}, {"max-updates=4", NULL}};
    static const char *const others[] = {"b,class,a\n1,y,5\n5,x,2\n1,x,4\n",
                                         "b,a\n1,5\n5,2\n1,4\n"};
    for (int s = 0; s < 2; s++) {
        hsp_options *options = learn_options(ctx, settings[s]), *read = NULL;
        hsp_model *model = NULL, *batch = NULL;
        hsp_data *data = NULL;
        hsp_error err = {0};
        double scores[2][3];
        if (hsp_options_new(ctx, hsp_read_options(), NULL, &read)) abort();
        CHECK(hsp_options_set(read, "format", "csv", NULL) == HSP_OK);
        write_text("a,b,class\n5,1,y\n2,5,x\n4,1,y\n1,7,x\n4,3,y\n");
        CHECK_NOTE(hsp_train_stream(ctx, path, read, options, &err, NULL, &model) == HSP_OK, "%s",
                   err.message);
        CHECK(hsp_data_read(ctx, path, read, NULL, &err, &data) == HSP_OK);
        batch = learn_train(ctx, data, options, NULL);
        CHECK(model->encoding && batch->encoding && model->feature_names.count == 2);
        CHECK(model->encoding && model->encoding->classes.count == 2);
        if (check_failures) return;
        CHECK_TEXT(hsp_model_feature_name(model, 1), "b");
        CHECK_TEXT(hsp__names_get(&model->encoding->classes, 0), "x");
        CHECK(hsp__model_check(ctx, model, NULL, &err) == HSP_OK);
        hsp_data_free(data);
        for (int k = 0; k < 2; k++) {
            write_text(others[k]);
            CHECK(hsp_data_read(ctx, path, read, model->encoding, &err, &data) == HSP_OK);
            CHECK(hsp_data_cols(data) == 2 && hsp_data_rows(data) == 3);
            CHECK(hsp_model_score(ctx, model, &data->view, &err, scores[k], NULL) == HSP_OK);
            hsp_data_free(data);
        }
        const double *w = hsp_model_weights(model, 0);
        CHECK(scores[0][1] == 2 * w[0] + 5 * w[1] + hsp_model_offset(model, 0));
        CHECK(!memcmp(scores[0], scores[1], sizeof scores[0]));
        hsp_model_free(model);
        hsp_model_free(batch);
        hsp_options_free(options);
        hsp_options_free(read);
    }
}

/* Classes that nobody named: more than two are learned as they come, whatever the blocks. */
static void test_third_class(void)
{
    hsp__random random;
    hsp__random_seed(&random, 5, 3);
    for (int trial = 0; trial < 200; trial++) {
        naive_set set;
        hsp_model *models[2] = {NULL, NULL};
        hsp_training run[2] = {{.size = sizeof *run}, {.size = sizeof *run}};
        naive_draw(&set, &random, 3, "unit");
        shuffle_rows(&set, &random);
        write_rows(&set);
        hsp_options *options = learn_options(ctx, NULL);
        for (int k = 0; k < 2; k++) {
            hsp_error err = {0};
            ctx->block_bytes = k ? 16 : HSP__BLOCK_BYTES;
            CHECK(hsp_train_stream(ctx, path, NULL, options, &err, &run[k], &models[k]) == HSP_OK);
        }
        CHECK(run[0].classes == 3 && run[0].updates == run[1].updates);
        CHECK(run[0].online_error == run[1].online_error);
        compare(models[0], models[1]);
        CHECK_TEXT(hsp_model_class_name(models[0], 0), "-1");
        CHECK_TEXT(hsp_model_class_name(models[0], 2), "b");
        hsp_model_free(models[0]);
        hsp_model_free(models[1]);
        hsp_options_free(options);
        if (check_failures) break;
    }
    ctx->block_bytes = HSP__BLOCK_BYTES;
}

static void test_refusals(void)
{
    static const char *const settings[][3] = {{"passes=2", NULL},
                                              {"order=shuffle", NULL},
                                              {"order=first", NULL},
                                              {"offset=r2", NULL},
                                              {"soft=1", NULL},
                                              {"margin-target=0.1r", NULL},
                                              {"normalize=ball", NULL},
                                              {"scale=max-abs", NULL},
                                              {"average=vote", NULL},
                                              {"tie=pos", NULL},
                                              {"multiclass=ovr", NULL},
                                              {"trace=x.csv", NULL},
                                              {"classes=a,b", "positive=c", NULL}};
    const naive_set set = {2, 1, 2, {{1}, {-1}}, {1, 0}};
    write_rows(&set);
    for (size_t i = 0; i < sizeof settings / sizeof *settings; i++) {
        hsp_options *options = learn_options(ctx, settings[i]);
        hsp_model *model = NULL;
        hsp_error err = {0};
        CHECK_NOTE(hsp_train_stream(ctx, path, NULL, options, &err, NULL, &model) == HSP_USAGE,
                   "%s", settings[i][0]);
        CHECK(!model && strlen(err.message) > 20);
        hsp_options_free(options);
    }
}

/* A class that is not there is missed, by a stream as by a run that holds all rows. */
static void test_missing_classes(void)
{
    static const struct {
        const char *text, *setting;
        hsp_status status;
    } cases[] = {{"1 1:1\n-1 1:2\n", "positive=nosuch", HSP_USAGE},
                 {"1 1:1\n-1 1:2\n", "classes=1,nosuch", HSP_USAGE},
                 {"1 1:1\n-1 1:2\n", "classes=no,such", HSP_USAGE},
                 {"1 1:1\nrest 1:2\n", "positive=rest", HSP_USAGE},
                 {"1 1:1\n1 1:2\n", "positive=1", HSP_BAD_DATA},
                 {"1 1:1\n1 1:2\n", "passes=1", HSP_BAD_DATA},
                 {"1 1:1\n-1 1:2\n", "positive=1", HSP_OK},
                 {"1 1:1\n-1 1:2\nb 1:3\n", "classes=1,-1", HSP_OK}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const char *const settings[] = {cases[i].setting, NULL};
        hsp_options *options = learn_options(ctx, settings);
        hsp_model *streamed = NULL, *batch = NULL;
        hsp_data *data = NULL;
        hsp_error err = {0};
        write_text(cases[i].text);
        CHECK(hsp_data_read(ctx, path, NULL, NULL, &err, &data) == HSP_OK);
        hsp_status status = hsp_train_stream(ctx, path, NULL, options, &err, NULL, &streamed);
        CHECK_NOTE(status == cases[i].status, "stream, case %zu: %s", i, err.message);
        status = hsp_train(ctx, data, options, &err, NULL, &batch);
        CHECK_NOTE(status == cases[i].status, "batch, case %zu: %s", i, err.message);
        hsp_model_free(streamed);
        hsp_model_free(batch);
        hsp_data_free(data);
        hsp_options_free(options);
    }
}

static void test_bad_streams(void)
{
    const naive_set one = {2, 1, 2, {{1}, {-1}}, {1, 1}}, none = {0};
    hsp_options *options = learn_options(ctx, NULL);
    hsp_model *model = NULL;
    hsp_error err = {0};
    write_rows(&one);
    CHECK(hsp_train_stream(ctx, path, NULL, options, &err, NULL, &model) == HSP_BAD_DATA);
    write_rows(&none);
    CHECK(hsp_train_stream(ctx, path, NULL, options, &err, NULL, &model) == HSP_BAD_DATA);
    CHECK(hsp_train_stream(ctx, "/nowhere/x", NULL, options, &err, NULL, &model) == HSP_IO);
    CHECK(!model);
    hsp_options_free(options);
}

/* A limit ends the reading, and what was learned is kept. */
static void test_limits(void)
{
    hsp__random random;
    hsp__random_seed(&random, 5, 4);
    naive_set set;
    naive_draw(&set, &random, 2, "unit");
    write_rows(&set);
    static const char *const settings[] = {"passes=1", "max-updates=2", NULL};
    hsp_options *options = learn_options(ctx, settings);
    hsp_model *model = NULL;
    hsp_training run = {.size = sizeof run};
    hsp_error err = {0};
    CHECK(hsp_train_stream(ctx, path, NULL, options, &err, &run, &model) == HSP_OK);
    CHECK(run.stop == HSP_STOP_UPDATES && run.updates == 2);
    CHECK_TEXT(hsp_model_metadata(model, "index_base") ? hsp_model_metadata(model, "index_base")
                                                       : "",
               "1");
    hsp_model_free(model);
    hsp_options_free(options);
}

static int stop_after(void *user, const hsp_progress *progress)
{
    (void)progress;
    return --*(int *)user == 0;
}

/* The user's wish ends it too; before anything was learned there is nothing to keep. */
static void test_request(void)
{
    FILE *file = fopen(path, "w");
    if (!file) abort();
    for (int i = 0; i < 20000; i++)
        fprintf(file, "%d 1:%d 2:%d\n", i % 2, i % 7, i % 5);
    fclose(file);
    hsp_options *options = learn_options(ctx, NULL);
    int kept = 0, none = 0;
    ctx->block_bytes = 4096;
    for (int calls = 1; calls < 60; calls += 4) {
        int left = calls;
        hsp_model *model = NULL;
        hsp_training run = {.size = sizeof run};
        hsp_context_set_progress(ctx, stop_after, &left);
        hsp_status status = hsp_train_stream(ctx, path, NULL, options, NULL, &run, &model);
        hsp_context_set_progress(ctx, NULL, NULL);
        CHECK(status == HSP_OK || status == HSP_CANCELLED);
        CHECK((left <= 0) == (status == HSP_CANCELLED));
        if (model && left <= 0) CHECK(run.stop == HSP_STOP_REQUEST && run.rows > 0);
        /* another thread may have passed the last rows by the time the wish is heard */
        kept += model && left <= 0 && run.rows < 20000;
        none += !model;
        hsp_model_free(model);
    }
    CHECK_NOTE(kept > 0, "kept %d, none %d", kept, none);
    ctx->block_bytes = HSP__BLOCK_BYTES;
    hsp_options_free(options);
}

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

/* Whichever allocation fails: an error, and nothing is kept. */
static void test_no_memory(void)
{
    static const char *const texts[] = {"a,b,class\n5,1,y\n2,5,x\n4,1,z\n",
                                        "1 1:1\n2 2:1\n3 1:3\n"};
    for (int k = 0; k < 2; k++) {
        scarce own = {.left = 1000000};
        const hsp_allocator allocator = {scarce_reallocate, scarce_release, &own};
        hsp_context *poor = NULL;
        hsp_options *read = NULL;
        hsp_status status = HSP_NO_MEMORY;
        long n = 0;
        write_text(texts[k]);
        CHECK(hsp_context_new(&allocator, &poor) == HSP_OK);
        hsp_options *options = learn_options(poor, NULL);
        CHECK(hsp_options_new(poor, hsp_read_options(), NULL, &read) == HSP_OK);
        CHECK(hsp_options_set(read, "format", k ? "libsvm" : "csv", NULL) == HSP_OK);
        const long before = atomic_load(&own.held);
        for (; status == HSP_NO_MEMORY && n < 100000 && !check_failures; n++) {
            hsp_model *model = NULL;
            atomic_store(&own.left, n);
            status = hsp_train_stream(poor, path, read, options, NULL, NULL, &model);
            atomic_store(&own.left, 1000000);
            CHECK(!model == (status != HSP_OK));
            hsp_model_free(model);
            CHECK_NOTE(atomic_load(&own.held) == before, "allocation %ld", n);
        }
        CHECK_NOTE(status == HSP_OK && n > 10, "status %d after %ld", (int)status, n);
        hsp_options_free(read);
        hsp_options_free(options);
        hsp_context_free(poor);
    }
}

int main(void)
{
    if (hsp_context_new(NULL, &ctx)) return 1;
    int file = mkstemp(path);
    if (file < 0) return 1;
    close(file);
    RUN(test_like_batch);
    RUN(test_chosen);
    RUN(test_csv);
    RUN(test_third_class);
    RUN(test_refusals);
    RUN(test_missing_classes);
    RUN(test_bad_streams);
    RUN(test_limits);
    RUN(test_request);
    RUN(test_no_memory);
    unlink(path);
    hsp_context_free(ctx);
    return check_done();
}
