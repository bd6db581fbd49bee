/* Learners that minimise, on rows that are divided among ranks: the same model for any number of ranks and
 * threads, as near to the best as the plain command's. Ranks are threads. */
#include <unistd.h>

#include "base/base.h"
#include "check.h"
#include "data/shard.h"
#include "mpi/ranks_threads.h"

enum { MOST = 8, TEXT = 1 << 20 };

#ifdef __SANITIZE_THREAD__
static const int counts[] = {1, 3}; /* minutes otherwise, and races show with three */
#else
static const int counts[] = {1, 2, 3, 4, 8};
#endif

typedef struct train_case {
    const char *learner, *options[8]; /* NAME=VALUE, ended by NULL */
    int rows, cols, classes, places;  /* places: of a row that are not 0; cols: it is dense */
    const char *precision;
} train_case;

typedef struct bytes {
    unsigned char *at;
    size_t size;
    char hash[64]; /* that the model has of its data */
} bytes;

typedef struct job {
    const train_case *of;
    const char *text;
    int threads;
    int divided; /* by a solver that works on divided rows, which few rows are not worth */
    bytes model[MOST];
    hsp_training run[MOST];
} job;

static int take(void *user, const void *some, size_t size)
{
    bytes *to = user;
    to->at = realloc(to->at, to->size + size);
    CHECK(to->at != NULL);
    memcpy(to->at + to->size, some, size);
    to->size += size;
    return 0;
}

/* Rows whose class is that of the largest of some sums of their numbers, with every seventh class
 * another one: no weights get them all right. */
static char *rows_of(const train_case *of)
{
    char *text = malloc(TEXT);
    size_t at = 0;
    uint64_t state = 7;
    CHECK(text != NULL);
    for (int i = 0; i < of->rows; i++) {
        double sum[8] = {0};
        char row[4096];
        size_t size = 0;
        int column = 0;
        for (int k = 0; k < of->places; k++) {
            state = state * 6364136223846793005u + 1442695040888963407u;
            const double value = (double)(int)(state >> 40) / 0x1p22 - 2;
            const int step = of->places == of->cols ? 1 : of->cols / of->places;
            column = of->places == of->cols ? k + 1 : k * step + 1 + (int)(state >> 33) % step;
            size += (size_t)snprintf(row + size, sizeof row - size, " %d:%.4f", column, value);
            sum[column % of->classes] += value;
        }
        int label = i % 7 == 0 ? i / 7 % of->classes : 0;
        for (int c = 1; i % 7 && c < of->classes; c++)
            if (sum[c] > sum[label]) label = c;
        at += (size_t)snprintf(text + at, TEXT - at, "%d%s\n", label, row);
        CHECK(at < TEXT);
    }
    return text;
}

static hsp_context *context_of(const hsp_ranks *ranks, int threads)
{
    hsp_context *ctx = NULL;
    CHECK(hsp_context_new(NULL, &ctx) == HSP_OK);
    CHECK(hsp_context_set_threads(ctx, threads) == HSP_OK);
    CHECK(hsp_context_set_ranks(ctx, ranks) == HSP_OK);
    return ctx;
}

static hsp_data *parse(const job *of)
{
    hsp_error err = HSP_ERROR_INIT;
    hsp_context *plain = context_of(NULL, 1);
    hsp_options *read = NULL;
    hsp_data *data = NULL;
    CHECK(hsp_options_new(plain, hsp_read_options(), &err, &read) == HSP_OK);
    CHECK(hsp_options_set(read, "precision", of->of->precision, &err) == HSP_OK);
    CHECK(hsp_data_parse(plain, of->text, strlen(of->text), "rows", read, NULL, &err, &data) ==
          HSP_OK);
    hsp_options_free(read);
    hsp_context_free(plain);
    return data;
}

static hsp_options *options_of(hsp_context *ctx, const job *of)
{
    hsp_error err = HSP_ERROR_INIT;
    hsp_options *options = NULL;
    CHECK(hsp_options_for(ctx, of->of->learner, &err, &options) == HSP_OK);
    if (of->divided) CHECK(hsp_options_set(options, "solver", "newton", &err) == HSP_OK);
    for (int k = 0; of->of->options[k]; k++) {
        char name[64];
        const char *value = strchr(of->of->options[k], '=');
        snprintf(name, sizeof name, "%.*s", (int)(value - of->of->options[k]), of->of->options[k]);
        CHECK(hsp_options_set(options, name, value + 1, &err) == HSP_OK);
    }
    return options;
}

static void train(hsp_context *ctx, const job *of, hsp_data *data, hsp_training *run, bytes *packed)
{
    hsp_error err = HSP_ERROR_INIT;
    hsp_options *options = options_of(ctx, of);
    hsp_model *model = NULL;
    *run = (hsp_training){.size = sizeof *run};
    CHECK_NOTE(hsp_train(ctx, data, options, &err, run, &model) == HSP_OK, "%s", err.message);
    if (model) CHECK(hsp_model_pack(ctx, model, take, packed, &err) == HSP_OK);
    if (model)
        snprintf(packed->hash, sizeof packed->hash, "%s", hsp_model_metadata(model, "data_hash"));
    hsp_model_free(model);
    hsp_options_free(options);
}

static void train_rank(void *user, const hsp_ranks *ranks)
{
    job *of = user;
    hsp_error err = HSP_ERROR_INIT;
    hsp_context *ctx = context_of(ranks, of->threads);
    hsp_data *all = parse(of), *own = NULL;
    CHECK(hsp__shard_own(ctx, all, &err, &own) == HSP_OK);
    train(ctx, of, own, &of->run[ranks->rank], &of->model[ranks->rank]);
    hsp_data_free(own);
    hsp_data_free(all);
    hsp_context_free(ctx);
}

static double gap_of(const train_case *of)
{
    for (int k = 0; of->options[k]; k++)
        if (strncmp(of->options[k], "gap=", 4) == 0) return atof(of->options[k] + 4);
    return 1e-3;
}

/* `divided`: the rows are, and so the model is not the plain command's. */
static void check_case(const train_case *of, int divided)
{
    char *text = rows_of(of);
    job first = {.of = of, .text = text, .threads = 1, .divided = divided}, plain = first;
    hsp_context *ctx = context_of(NULL, 1);
    hsp_data *data = parse(&plain);
    train(ctx, &plain, data, &plain.run[0], &plain.model[0]);
    for (size_t i = 0; i < sizeof counts / sizeof *counts; i++) {
        job next = {.of = of, .text = text, .threads = i % 2 ? 3 : 1, .divided = divided};
        CHECK(ranks_threads_run(counts[i], 0, train_rank, i ? &next : &first, NULL));
        for (int r = 0; i && r < counts[i]; r++) {
            const int same = next.model[r].size == first.model[0].size &&
                             memcmp(next.model[r].at, first.model[0].at, first.model[0].size) == 0;
            CHECK_NOTE(same, "%s %s, %d rows, rank %d of %d", of->learner, of->options[0], of->rows,
                       r, counts[i]);
            free(next.model[r].at);
        }
    }
    const hsp_training *run = &first.run[0], *other = &plain.run[0];
    const double gap = gap_of(of), best = run->convergence.objective;
    CHECK_NOTE(run->stop == HSP_STOP_CONVERGED, "%s %s, %d rows: gap %g", of->learner,
               of->options[0], of->rows, run->convergence.gap);
    CHECK(run->convergence.gap <= gap);
    CHECK(fabs(best - other->convergence.objective) <= gap * best);
    CHECK(run->convergence.dual_objective <= other->convergence.objective);
    CHECK_TEXT(first.model[0].hash, plain.model[0].hash);
    CHECK(run->rows == other->rows && run->nonzeros == other->nonzeros);
    CHECK(fabs(run->training_error - other->training_error) * (double)run->rows <=
          2 + 0.01 * (double)run->rows);
    CHECK(run->convergence.lambda == other->convergence.lambda || isnan(run->convergence.lambda));
    const int same = first.model[0].size == plain.model[0].size &&
                     memcmp(first.model[0].at, plain.model[0].at, plain.model[0].size) == 0;
    CHECK(same == !divided);
    free(first.model[0].at);
    free(plain.model[0].at);
    hsp_data_free(data);
    hsp_context_free(ctx);
    free(text);
}

static void check_shapes(const char *learner, const char *option, const char *gap)
{
    static const train_case shapes[] = {
        {.rows = 1237, .cols = 6, .classes = 2, .places = 6, .precision = "single"},
        {.rows = 1237, .cols = 60, .classes = 2, .places = 5, .precision = "double"},
        {.rows = 700, .cols = 12, .classes = 4, .places = 12, .precision = "double"},
        {.rows = 301, .cols = 3000, .classes = 2, .places = 20, .precision = "single"},
        {.rows = 400, .cols = 2500, .classes = 3, .places = 12, .precision = "double"},
        {.rows = 5, .cols = 3, .classes = 2, .places = 3, .precision = "double"},
    };
    static const char *const offsets[] = {"offset=free", "offset=regularized", "offset=none"};
    for (size_t i = 0; i < sizeof shapes / sizeof *shapes; i++) {
        train_case of = shapes[i];
        of.learner = learner;
        of.options[0] = option;
        of.options[1] = gap;
        of.options[2] = "multiclass=ovr";
        of.options[3] = offsets[i % 3];
        check_case(&of, 1);
    }
}

static void test_squared_hinge(void)
{
    check_shapes("svm", "loss=squared", "gap=1e-6");
}

static void test_logistic(void)
{
    check_shapes("logistic", "lambda=1e-3", "gap=1e-6");
}

static void test_hinge(void)
{
    check_shapes("svm", "loss=hinge", "gap=1e-5");
}

/* Weights of classes, one class against the rest, scalings. */
static void test_options(void)
{
    static const train_case cases[] = {
        {"svm", {"loss=squared", "weight=balanced"}, 700, 9, 2, 9, "single"},
        {"svm", {"positive=2"}, 700, 9, 3, 9, "single"},
        {"logistic", {"weight=1=3", "multiclass=ovr"}, 700, 9, 3, 9, "double"},
        {"logistic", {"normalize=rows"}, 700, 30, 2, 5, "double"},
        {"svm", {"loss=squared", "normalize=ball"}, 700, 9, 2, 9, "single"},
        {"svm", {"loss=squared", "scale=standard"}, 300, 9, 2, 9, "single"},
        {"svm", {"scale=min-max"}, 200, 20, 2, 4, "double"},
        {"logistic", {"scale=max-abs"}, 5, 20, 2, 4, "double"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        check_case(&cases[i], 1);
}

/* What has no distributed form, or is small, is the plain command's, bit for bit. */
static void test_whole(void)
{
    static const train_case cases[] = {
        {"svm", {"loss=squared"}, 300, 5, 3, 5, "single"},
        {"logistic", {"multiclass=softmax"}, 300, 5, 3, 5, "single"},
        {"svm", {"multiclass=ovo"}, 300, 5, 3, 5, "single"},
        {"svm", {"keep-dual=true"}, 300, 5, 2, 5, "single"},
        {"svm", {"classes=0,2"}, 300, 5, 3, 5, "single"},
        {"svm", {"C=10"}, 300, 3000, 2, 20, "single"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        check_case(&cases[i], 0);
}

/* ---- Stopping ---------------------------------------------------------------------------------- */

typedef struct asked {
    int calls, most; /* the last call asks to stop */
} asked;

static int stop_after(void *user, const hsp_progress *progress)
{
    asked *of = user;
    (void)progress;
    return ++of->calls > of->most;
}

static void stopped_rank(void *user, const hsp_ranks *ranks)
{
    job *of = user;
    hsp_error err = HSP_ERROR_INIT;
    hsp_context *ctx = context_of(ranks, 1);
    asked rank = {.most = ranks->rank == 1 ? of->threads : 1 << 30};
    hsp_options *options = NULL;
    hsp_model *model = NULL;
    hsp_data *all = parse(of), *own = NULL;
    ctx->tick_seconds = 0;
    hsp_context_set_progress(ctx, stop_after, &rank);
    CHECK(hsp__shard_own(ctx, all, &err, &own) == HSP_OK);
    CHECK(hsp_options_for(ctx, of->of->learner, &err, &options) == HSP_OK);
    CHECK(hsp_options_set(options, "gap", "1e-12", &err) == HSP_OK);
    CHECK(hsp_options_set(options, "solver", "newton", &err) == HSP_OK);
    const int r = ranks->rank;
    of->run[r] = (hsp_training){.size = sizeof of->run[r]};
    CHECK(hsp_train(ctx, own, options, &err, &of->run[r], &model) == HSP_CANCELLED);
    CHECK(model && of->run[r].stop == HSP_STOP_REQUEST);
    hsp_context_set_progress(ctx, NULL, NULL);
    if (model) CHECK(hsp_model_pack(ctx, model, take, &of->model[r], &err) == HSP_OK);
    hsp_model_free(model);
    hsp_options_free(options);
    hsp_data_free(own);
    hsp_data_free(all);
    hsp_context_free(ctx);
}

/* One rank is asked to stop, early or late: all of them do, and have the same model. */
static void test_stopped(void)
{
    static const train_case of = {"svm", {NULL}, 900, 20, 2, 20, "double"};
    char *text = rows_of(&of);
    for (int most = 1; most < 12; most += 5) {
        job stopped = {.of = &of, .text = text, .threads = most};
        CHECK(ranks_threads_run(3, 0, stopped_rank, &stopped, NULL));
        for (int r = 0; r < 3; r++) {
            CHECK(stopped.model[r].size == stopped.model[0].size &&
                  memcmp(stopped.model[r].at, stopped.model[0].at, stopped.model[r].size) == 0);
            CHECK(stopped.run[r].convergence.gap <= 1);
        }
        for (int r = 0; r < 3; r++)
            free(stopped.model[r].at);
    }
    free(text);
}

/* ---- Checkpoints ------------------------------------------------------------------------------- */

typedef struct again {
    job of;
    const char *path; /* of the checkpoint; NULL: none */
    asked rank;       /* rank 0's */
    int notes;        /* of rank 0: the run goes on */
    hsp_status status[MOST];
} again;

static void again_note(void *user, hsp_log_level level, const char *sentence)
{
    again *all = user;
    all->notes += level == HSP_LOG_NOTE && strstr(sentence, "goes on from") != NULL;
}

static void again_rank(void *user, const hsp_ranks *ranks)
{
    again *all = user;
    const int r = ranks->rank;
    asked never = {.most = 1 << 30};
    hsp_error err = HSP_ERROR_INIT;
    hsp_context *ctx = context_of(ranks, all->of.threads);
    hsp_data *rows = parse(&all->of), *own = NULL;
    hsp_model *model = NULL;
    hsp_options *options = options_of(ctx, &all->of);
    ctx->tick_seconds = 0;
    CHECK(hsp__shard_own(ctx, rows, &err, &own) == HSP_OK);
    hsp_context_set_progress(ctx, stop_after, r ? &never : &all->rank);
    if (!r) hsp_context_set_log(ctx, again_note, all);
    hsp_context_set_checkpoint(ctx, all->path, 0);
    all->status[r] = hsp_train(ctx, own, options, &err, NULL, &model);
    CHECK_NOTE(!all->status[r] || all->status[r] == HSP_CANCELLED, "%s", err.message);
    hsp_context_set_progress(ctx, NULL, NULL);
    if (model && !all->status[r])
        CHECK(hsp_model_pack(ctx, model, take, &all->of.model[r], &err) == HSP_OK);
    hsp_model_free(model);
    hsp_options_free(options);
    hsp_data_free(own);
    hsp_data_free(rows);
    hsp_context_free(ctx);
}

static void again_run(again *all, int ranks, int most)
{
    memset(all->of.model, 0, sizeof all->of.model);
    all->rank = (asked){.most = most};
    CHECK(ranks_threads_run(ranks, 0, again_rank, all, NULL));
    for (int r = 0; r < ranks; r++)
        CHECK(all->status[r] == all->status[0]);
}

static int again_same(const again *all, int ranks, const bytes *whole)
{
    int same = 1;
    for (int r = 0; r < ranks; r++) {
        const bytes *one = &all->of.model[r];
        same &= one->size == whole->size && memcmp(one->at, whole->at, one->size) == 0;
        free(one->at);
    }
    return same;
}

/* A run that is stopped again and again, and goes on with another number of ranks each time, ends with the
 * bytes of one that was not stopped. */
static void test_checkpoints(void)
{
    static const train_case cases[] = {
        {"svm", {"loss=hinge", "gap=1e-7"}, 400, 6, 2, 6, "double"},
        {"svm", {"loss=squared", "gap=1e-9", "offset=regularized"}, 400, 6, 2, 6, "single"},
        {"svm", {"loss=squared", "multiclass=ovr", "gap=1e-8"}, 500, 12, 4, 12, "double"},
        {"logistic", {"gap=1e-9"}, 300, 9, 2, 9, "double"},
        {"logistic", {"gap=1e-6", "multiclass=ovr"}, 400, 2500, 3, 12, "double"},
        {"svm", {"loss=squared", "kernel=rbf(0.2)", "approx=nystrom:20"}, 300, 5, 2, 5, "double"},
        {"perceptron", {"passes=30"}, 700, 9, 2, 9, "double"},
        {"perceptron", {"passes=30", "order=shuffle", "average=average"}, 700, 9, 3, 9, "double"},
    };
    static const int ranks[] = {3, 1, 4, 2};
    char path[] = "/dev/shm/halfspace-checkpoint-XXXXXX"; /* where writing takes no time */
    int file = mkstemp(path);
    if (file < 0) file = mkstemp(strcpy(path, "/tmp/halfspace-checkpoint-XXXXXX"));
    CHECK(file >= 0);
    close(file);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char *text = rows_of(&cases[i]);
        const int online = strcmp(cases[i].learner, "perceptron") == 0;
        again all = {.of = {.of = &cases[i], .text = text, .threads = 1, .divided = !online}};
        again_run(&all, 1, 1 << 30);
        const bytes whole = all.of.model[0];
        const int calls = all.rank.calls, late = calls > 500; /* most of them before the training */
        const int from = late ? calls - 10 : 0, step = late ? 1 : calls / 20 + 1;
        unlink(path);
        all.path = path;
        all.status[0] = HSP_CANCELLED;
        for (int k = 1; all.status[0] && k < 100; k++) {
            again_run(&all, ranks[k % 4], from + k * step);
            if (all.status[0]) continue;
            CHECK_NOTE(all.notes > 0, "case %d never went on", (int)i);
            CHECK_NOTE(again_same(&all, ranks[k % 4], &whole), "case %d: another model", (int)i);
        }
        CHECK(all.status[0] == HSP_OK);
        free(whole.at);
        free(text);
    }
    unlink(path);
}

/* ---- Memory ------------------------------------------------------------------------------------- */

typedef struct scarce {
    const job *of;
    long left; /* allocations of rank 1 until one fails; 0: none will */
    hsp_status status[2];
} scarce;

static void *reallocate(void *user, void *pointer, size_t size)
{
    long *left = user;
    return *left > 0 && --*left == 0 ? NULL : realloc(pointer, size);
}

static void release(void *user, void *pointer)
{
    (void)user;
    free(pointer);
}

static void scarce_rank(void *user, const hsp_ranks *ranks)
{
    scarce *all = user;
    hsp_error err = HSP_ERROR_INIT;
    long left = 0;
    const hsp_allocator memory = {reallocate, release, &left};
    hsp_context *ctx = NULL;
    hsp_options *options = NULL;
    hsp_model *model = NULL;
    hsp_data *data = parse(all->of), *own = NULL;
    CHECK(hsp_context_new(&memory, &ctx) == HSP_OK);
    CHECK(hsp_context_set_threads(ctx, 1) == HSP_OK);
    CHECK(hsp_context_set_ranks(ctx, ranks) == HSP_OK);
    CHECK(hsp__shard_own(ctx, data, &err, &own) == HSP_OK);
    CHECK(hsp_options_for(ctx, all->of->of->learner, &err, &options) == HSP_OK);
    CHECK(hsp_options_set(options, "scale", "standard", &err) == HSP_OK);
    CHECK(hsp_options_set(options, "solver", "newton", &err) == HSP_OK);
    left = ranks->rank == 1 ? all->left : 0;
    all->status[ranks->rank] = hsp_train(ctx, own, options, &err, NULL, &model);
    if (ranks->rank == 1) all->left = left;
    hsp_model_free(model);
    hsp_options_free(options);
    hsp_data_free(own);
    hsp_data_free(data);
    hsp_context_free(ctx);
}

/* One rank gets no memory, at any of its allocations: both fail, and neither waits for the other. */
static void test_memory(void)
{
    static const train_case of = {"svm", {NULL}, 150, 6, 3, 6, "double"};
    char *text = rows_of(&of);
    const job rows = {.of = &of, .text = text};
    int failed = 0;
    for (long nth = 1;; nth += nth < 60 ? 1 : 17) {
        scarce all = {.of = &rows, .left = nth};
        CHECK(ranks_threads_run(2, 0, scarce_rank, &all, NULL));
        CHECK_NOTE(all.status[0] == all.status[1], "allocation %ld: %d, %d", nth, all.status[0],
                   all.status[1]);
        failed += all.status[0] == HSP_NO_MEMORY;
        if (all.left > 0) break; /* there were fewer */
    }
    CHECK(failed > 60);
    free(text);
}

int main(void)
{
    RUN(test_squared_hinge);
    RUN(test_logistic);
    RUN(test_hinge);
    RUN(test_options);
    RUN(test_whole);
    RUN(test_stopped);
    RUN(test_checkpoints);
    RUN(test_memory);
    return check_done();
}
