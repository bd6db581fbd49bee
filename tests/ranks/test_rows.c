/* Work that ranks divide by rows while every rank has all of them: kernel machines and
 * approximations, nearest neighbours, predictions. Ranks are threads. */
#include "base/base.h"
#include "data/shard.h"
#include "mpi/ranks_threads.h"
#include "tests/model/helpers.h"

enum { MOST = 8 };

static hsp_context *ctx;
#ifdef __SANITIZE_THREAD__ /* minutes otherwise, and races show in fewer runs */
enum { QUICK = 1 };
static const int counts[] = {1, 3};
#else
enum { QUICK = 0 };
static const int counts[] = {1, 2, 3, 4, 8};
#endif

/* ---- Rows ------------------------------------------------------------------------------------ */

typedef struct rows {
    uint64_t count, cols;
    uint32_t classes, every; /* a row has a value in one of `every` columns */
} rows;

/* Numbers that look random, the same on every machine. */
static uint32_t next_number(uint32_t *state)
{
    *state = *state * 1664525 + 1013904223;
    return *state >> 16;
}

/* Classes by the angle of the first two columns, one in twenty wrong. */
static hsp_data *rows_new(const rows *of)
{
    char *text = malloc(of->count * (of->cols * 16 + 8)), *at = text;
    uint32_t state = 1;
    CHECK(text && of->cols <= 64);
    for (uint64_t i = 0; i < of->count; i++) {
        double x[64];
        for (uint64_t j = 0; j < of->cols; j++)
            x[j] = (int)(next_number(&state) % 2000) - 1000;
        const double turn = (atan2(x[0], x[1]) + 4) / 8 * of->classes;
        at += sprintf(at, "%u", ((uint32_t)turn + !(next_number(&state) % 20)) % of->classes);
        for (uint64_t j = 0; j < of->cols; j++)
            if (next_number(&state) % of->every == 0)
                at += sprintf(at, " %d:%g", (int)j + 1, x[j] / 1000);
        *at++ = '\n';
    }
    hsp_data *data = NULL;
    CHECK(hsp_data_parse(ctx, text, (size_t)(at - text), "rows", NULL, NULL, NULL, &data) ==
          HSP_OK);
    free(text);
    return data;
}

/* ---- Training -------------------------------------------------------------------------------- */

typedef struct job {
    const char *const *options; /* the learner, then names and values, then NULL */
    hsp_data *data;
    int impatient; /* the rank whose progress callback stops the training; below 0: none */
    char *model[MOST];
    size_t size[MOST];
    hsp_stop stop[MOST];
    atomic_size_t largest[MOST]; /* bytes of each rank's largest array */
} job;

static void *note_largest(void *user, void *pointer, size_t size)
{
    atomic_size_t *largest = user;
    size_t known = atomic_load(largest);
    while (size > known && !atomic_compare_exchange_weak(largest, &known, size))
        continue;
    return realloc(pointer, size);
}

static void release(void *user, void *pointer)
{
    (void)user;
    free(pointer);
}

static int stop_at_once(void *user, const hsp_progress *progress)
{
    (void)user;
    return strcmp(progress->phase, "training") == 0;
}

/* `ranks` NULL: the plain call. */
static void train_rank(void *user, const hsp_ranks *ranks)
{
    job *of = user;
    const int rank = ranks ? ranks->rank : 0;
    const hsp_allocator noting = {note_largest, release, &of->largest[rank]};
    hsp_context *own = NULL;
    hsp_error err = HSP_ERROR_INIT;
    hsp_options *options = NULL;
    hsp_data *shard = of->data;
    hsp_model *model = NULL;
    hsp_training run = {.size = sizeof run};
    char path[64];
    CHECK(hsp_context_new(&noting, &own) == HSP_OK);
    CHECK(hsp_context_set_threads(own, 1 + rank % 2) == HSP_OK);
    CHECK(hsp_options_for(own, of->options[0], &err, &options) == HSP_OK);
    for (const char *const *at = of->options + 1; *at; at += 2)
        CHECK_NOTE(hsp_options_set(options, at[0], at[1], &err) == HSP_OK, "%s", err.message);
    if (ranks) {
        CHECK(hsp_context_set_ranks(own, ranks) == HSP_OK);
        CHECK(hsp__shard_own(own, of->data, &err, &shard) == HSP_OK);
    }
    if (rank == of->impatient) hsp_context_set_progress(own, stop_at_once, NULL);
    const hsp_status status = hsp_train(own, shard, options, &err, &run, &model);
    CHECK_NOTE(status == HSP_OK || of->impatient >= 0, "%s", err.message);
    of->stop[rank] = run.stop;
    snprintf(path, sizeof path, "/tmp/hsp-test-%ld-rank%d", (long)getpid(), rank);
    if (model && hsp_model_write(ctx, model, path, &err) == HSP_OK) {
        of->model[rank] = test_read_file(path, &of->size[rank]);
        remove(path);
    }
    if (ranks) hsp_data_free(shard);
    hsp_model_free(model);
    hsp_options_free(options);
    hsp_context_free(own);
}

static void job_forget(job *of)
{
    for (int r = 0; r < MOST; r++) {
        free(of->model[r]);
        of->model[r] = NULL;
        of->largest[r] = 0;
    }
}

/* The model of every rank has the bytes of the plain one; on `only` ranks, or (0) several numbers
 * of them. */
static void check_same(int only, const char *const *options, hsp_data *data)
{
    job plain = {.options = options, .data = data, .impatient = -1}, divided = plain;
    train_rank(&plain, NULL);
    CHECK(plain.model[0]);
    for (size_t i = 0; i < sizeof counts / sizeof *counts; i++) {
        if (only && counts[i] != only) continue;
        CHECK(ranks_threads_run(counts[i], 0, train_rank, &divided, NULL));
        for (int r = 0; r < counts[i]; r++)
            CHECK_NOTE(divided.model[r] && divided.size[r] == plain.size[0] &&
                           memcmp(divided.model[r], plain.model[0], plain.size[0]) == 0,
                       "%s %s %s: rank %d of %d", options[0], options[1], options[2], r, counts[i]);
        job_forget(&divided);
    }
    job_forget(&plain);
}

#define SAME(data, only, ...) check_same(only, (const char *const[]){__VA_ARGS__, NULL}, data)

/* ---- Kernel machines ------------------------------------------------------------------------- */

static const rows many = {2700, 20, 2, 1}, few = {300, 5, 3, 1}, several = {2600, 20, 3, 1},
                  sparse = {2700, 60, 2, 8};

static void test_kernel(void)
{
    hsp_data *data = rows_new(&many);
    SAME(data, 0, "svm", "kernel", "rbf");
    SAME(data, 3, "svm", "kernel", "rbf", "loss", "squared", "offset", "regularized");
    SAME(data, 3, "svm", "kernel", "rbf(0.5)", "C", "100", "cache-mb", "2"); /* lines come and go */
    SAME(data, 3, "svm", "kernel", "poly(2)", "gap", "1e-8");                /* all in double */
    hsp_data_free(data);
}

static void test_kernel_others(void)
{
    hsp_data *data = rows_new(&sparse);
    SAME(data, 3, "svm", "kernel", "rbf");
    hsp_data_free(data);
    data = rows_new(&several);
    SAME(data, 0, "svm", "kernel", "rbf");                      /* the whole matrix at hand */
    SAME(data, 3, "svm", "kernel", "rbf", "multiclass", "ovo"); /* which is not divided */
    hsp_data_free(data);
    data = rows_new(&few);
    SAME(data, 3, "svm", "kernel", "rbf");
    hsp_data_free(data);
}

/* The largest array of each of four ranks is less than half as large as that of one. */
static void check_largest(const char *const *options, hsp_data *data)
{
    job of = {.options = options, .data = data, .impatient = -1};
    CHECK(ranks_threads_run(1, 0, train_rank, &of, NULL));
    const size_t whole = of.largest[0];
    job_forget(&of);
    CHECK(ranks_threads_run(4, 0, train_rank, &of, NULL));
    for (int r = 0; r < 4; r++)
        CHECK_NOTE(of.largest[r] < whole / 2, "rank %d: %zu bytes, one rank %zu", r,
                   (size_t)of.largest[r], whole);
    job_forget(&of);
    hsp_data_free(data);
}

/* Four ranks have parts of the kernel matrix; what is largest in each is its working set. */
static void test_kernel_divided(void)
{
    static const char *const options[] = {"svm", "kernel", "rbf(0.5)", NULL};
    hsp_data *data = rows_new(&(rows){6000, 60, 3, 1});
    check_largest(options, data);
}

/* One rank is to stop, by its clock or its user: all do, none waits for another. */
static void test_kernel_stopped(void)
{
    static const char *const limited[] = {"svm", "kernel", "rbf(0.5)", "max-seconds", "0.1",
                                          "gap", "1e-12",  "C",        "1e4",         NULL};
    hsp_data *data = rows_new(&many);
    for (int impatient = -1; impatient < 3; impatient++) {
        job of = {.options = limited, .data = data, .impatient = impatient};
        CHECK(ranks_threads_run(3, 0, train_rank, &of, NULL));
        for (int r = 0; r < 3; r++)
            CHECK(of.stop[r] != HSP_STOP_CONVERGED);
        job_forget(&of);
    }
    hsp_data_free(data);
}

/* ---- Kernel approximations ------------------------------------------------------------------- */

/* The rows' features are divided, and so are the linear solver's sums: the bits are those of one
 * rank. */
static void check_features(hsp_data *data, const char *learner, const char *approx)
{
    const char *const options[] = {learner,  "kernel", "rbf",        "approx", approx,
                                   "solver", "newton", "multiclass", "ovr",    NULL};
    job one = {.options = options, .data = data, .impatient = -1}, several_ranks = one;
    CHECK(ranks_threads_run(1, 0, train_rank, &one, NULL));
    for (size_t i = 1; i < sizeof counts / sizeof *counts; i++) {
        CHECK(ranks_threads_run(counts[i], 0, train_rank, &several_ranks, NULL));
        for (int r = 0; r < counts[i]; r++) {
            CHECK_NOTE(several_ranks.model[r] && several_ranks.size[r] == one.size[0] &&
                           memcmp(several_ranks.model[r], one.model[0], one.size[0]) == 0,
                       "%s, %s: rank %d of %d", learner, approx, r, counts[i]);
        }
        job_forget(&several_ranks);
    }
    job_forget(&one);
}

/* No rank has the features of all rows, which are the largest array of one. */
static void test_features_divided(void)
{
    static const char *const options[] = {"svm",         "kernel", "rbf",    "approx",
                                          "nystrom:100", "solver", "newton", NULL};
    hsp_data *data = rows_new(&(rows){9000, 20, 2, 1});
    check_largest(options, data);
}

static void test_features(void)
{
    hsp_data *data = rows_new(&several);
    check_features(data, "svm", "nystrom:100");
    check_features(data, "logistic", "fourier:100");
    SAME(data, 3, "svm", "kernel", "rbf", "approx", "nystrom:50");
    hsp_data_free(data);
    data = rows_new(&sparse); /* of which some ranks have more values than others */
    check_features(data, "svm", "nystrom:100");
    hsp_data_free(data);
}

/* ---- Nearest neighbours ---------------------------------------------------------------------- */

static void test_knn(void)
{
    hsp_data *data = rows_new(&several);
    SAME(data, 0, "knn", "k", "auto", "max-k", "70");
    SAME(data, 3, "knn", "k", "auto", "metric", "cosine", "vote", "distance");
    SAME(data, 3, "knn");
    hsp_data_free(data);
    data = rows_new(&(rows){5, 2, 2, 1}); /* fewer than ranks */
    SAME(data, 8, "knn", "k", "auto");
    hsp_data_free(data);
}

/* Four ranks search for the neighbours of a part of the rows each. */
static void test_knn_divided(void)
{
    static const char *const options[] = {"knn", "k", "auto", "index", "scan", NULL};
    hsp_data *data = rows_new(&several);
    job of = {.options = options, .data = data, .impatient = -1};
    ranks_counts one, four;
    CHECK(ranks_threads_run(1, 0, train_rank, &of, &one));
    job_forget(&of);
    CHECK(ranks_threads_run(4, 0, train_rank, &of, &four));
    CHECK_NOTE(four.critical < 0.8 * one.critical, "%g s, one rank %g s", four.critical,
               one.critical);
    job_forget(&of);
    hsp_data_free(data);
}

/* ---- Predictions ----------------------------------------------------------------------------- */

typedef struct asking {
    const hsp_model *model;
    const char *rows, *answers; /* files; `answers` is of rank 0 */
    int threads;
    hsp_status status[MOST];
    hsp_error err[MOST];
    hsp_prediction found[MOST];
} asking;

static void predict_rank(void *user, const hsp_ranks *ranks)
{
    asking *of = user;
    const int rank = ranks ? ranks->rank : 0;
    hsp_context *own = NULL;
    CHECK(hsp_context_new(NULL, &own) == HSP_OK);
    own->block_bytes = 2000; /* many blocks, of some rows each */
    CHECK(hsp_context_set_threads(own, of->threads) == HSP_OK);
    if (ranks) CHECK(hsp_context_set_ranks(own, ranks) == HSP_OK);
    of->found[rank] = (hsp_prediction){.size = sizeof of->found[rank]};
    of->err[rank] = (hsp_error)HSP_ERROR_INIT;
    of->status[rank] = hsp_predict_file(own, of->model, of->rows, NULL, NULL, of->answers,
                                        &of->err[rank], &of->found[rank]);
    hsp_context_free(own);
}

static hsp_model *trained(hsp_data *data, const char *learner, const char *option,
                          const char *value)
{
    hsp_options *options = NULL;
    hsp_model *model = NULL;
    CHECK(hsp_options_for(ctx, learner, NULL, &options) == HSP_OK);
    CHECK(hsp_options_set(options, option, value, NULL) == HSP_OK);
    CHECK(hsp_train(ctx, data, options, NULL, NULL, &model) == HSP_OK);
    hsp_options_free(options);
    return model;
}

/* Ranks answer as one process does, to the byte; or fail as it does. */
static void check_answers(const hsp_model *model, const char *text)
{
    asking plain = {.model = model, .threads = 2}, divided = plain;
    size_t size = 0, got;
    plain.rows = divided.rows = test_path("rows");
    plain.answers = test_path("plain");
    divided.answers = test_path("divided");
    test_write_file(plain.rows, text, strlen(text));
    predict_rank(&plain, NULL);
    char *expected = plain.status[0] ? NULL : test_read_file(plain.answers, &size);
    for (size_t i = 0; i < sizeof counts / sizeof *counts; i++) {
        divided.threads = 1 + (int)i % 3;
        CHECK(ranks_threads_run(counts[i], 0, predict_rank, &divided, NULL));
        for (int r = 0; r < counts[i]; r++) {
            CHECK(divided.status[r] == plain.status[0]);
            CHECK(divided.status[r] || divided.found[r].rows == plain.found[0].rows);
            CHECK(divided.status[r] || divided.found[r].unknown == plain.found[0].unknown);
            if (divided.status[r]) CHECK_TEXT(divided.err[r].message, plain.err[0].message);
        }
        char *answers = expected ? test_read_file(divided.answers, &got) : NULL;
        CHECK(!expected || (got == size && memcmp(answers, expected, size) == 0));
        CHECK(expected || access(divided.answers, F_OK));
        free(answers);
        remove(divided.answers);
    }
    free(expected);
    remove(plain.rows);
    remove(plain.answers);
}

static void test_predictions(void)
{
    static char text[1 << 16], bad[1 << 17];
    hsp_data *data = rows_new(&few);
    hsp_model *knn = trained(data, "knn", "k", "3"),
              *svm = trained(data, "svm", "kernel", "poly(3)");
    uint32_t state = 7;
    size_t at = 0;
    for (int i = 0; i < 700; i++) /* column 6 is unknown */
        at += (size_t)sprintf(text + at, "%d 1:%g 3:%g 6:1\n", i % 3,
                              (double)next_number(&state) / 30000,
                              -(double)next_number(&state) / 70000);
    snprintf(bad, sizeof bad, "%s0 1:1e200\n%.500s\n", text, text);
    check_answers(knn, text);
    check_answers(svm, text);
    check_answers(svm, bad);
    check_answers(knn, "");
    hsp_model_free(svm);
    hsp_model_free(knn);
    hsp_data_free(data);
}

/* Four ranks score a part of the rows each. */
static void test_predictions_divided(void)
{
    hsp_data *data = rows_new(&several);
    hsp_model *model = trained(data, "knn", "index", "scan");
    asking of = {model, .rows = test_path("rows"), .answers = test_path("answers"), .threads = 1};
    FILE *file = fopen(of.rows, "w");
    uint32_t state = 7;
    ranks_counts one, four;
    for (int i = 0; i < 2000; i++)
        fprintf(file, "0 1:%g 7:1\n", (double)next_number(&state) / 30000);
    fclose(file);
    CHECK(ranks_threads_run(1, 0, predict_rank, &of, &one));
    CHECK(ranks_threads_run(4, 0, predict_rank, &of, &four));
    CHECK_NOTE(four.critical < 0.8 * one.critical, "%g s, one rank %g s", four.critical,
               one.critical);
    remove(of.rows);
    remove(of.answers);
    hsp_model_free(model);
    hsp_data_free(data);
}

int main(void)
{
    CHECK(hsp_context_new(NULL, &ctx) == HSP_OK);
    RUN(test_kernel);
    if (!QUICK) RUN(test_kernel_others);
    if (!QUICK) RUN(test_kernel_divided);
    RUN(test_kernel_stopped);
    RUN(test_features);
    if (!QUICK) RUN(test_features_divided);
    RUN(test_knn);
    RUN(test_knn_divided);
    RUN(test_predictions);
    RUN(test_predictions_divided);
    hsp_context_free(ctx);
    return check_done();
}
