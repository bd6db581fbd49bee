/* Cross-validation and tuning whose runs are divided among ranks, and the evaluation of rows that are: what
 * every rank gets is what one process computes; so are certificates. The perceptron on rows in parts: any
 * number of ranks makes the same model, and its mistakes are within their bound. Ranks are threads. */
#include <math.h>

#include "base/base.h"
#include "base/checksum.h"
#include "check.h"
#include "data/shard.h"
#include "model/model.h"
#include "mpi/ranks_threads.h"
#include "options.h"

enum { ROWS = 300, COLS = 5, MOST = 8, TEXT = 1 << 14 };

static const int counts[] = {1, 2, 3, 4, 8};

#define EACH(array) (sizeof(array) / sizeof *(array))

/* ---- What a rank does ------------------------------------------------------------------------ */

typedef struct job job;
struct job {
    void (*run)(hsp_context *ctx, hsp_data *data, const job *of, char *found);
    const char *learner, *options, *own; /* of the learner, of the call */
    int classes;                         /* 1: two, which a line separates */
    int threads, stop_rank;              /* stop_rank: its user asks to stop; -1: nobody */
    const char *folder;                  /* for files; of certificates, the file of the rows */
    char found[MOST][TEXT];              /* by each rank */
};

static hsp_context *context_of(const hsp_ranks *ranks, int threads)
{
    hsp_context *ctx = NULL;
    CHECK(hsp_context_new(NULL, &ctx) == HSP_OK);
    CHECK(hsp_context_set_threads(ctx, threads) == HSP_OK);
    CHECK(hsp_context_set_ranks(ctx, ranks) == HSP_OK);
    return ctx;
}

static pthread_mutex_t rows_lock = PTHREAD_MUTEX_INITIALIZER; /* they are made in one text */

/* Rows in a few directions, with some labels wrong (or none), groups of four, and weights. */
static hsp_data *rows_of(hsp_context *ctx, int classes, const char *learner)
{
    static char text[ROWS * COLS * 24];
    uint32_t groups[ROWS];
    hsp_error err = HSP_ERROR_INIT;
    hsp_data *data = NULL;
    double weights[ROWS];
    size_t at = 0;
    pthread_mutex_lock(&rows_lock);
    for (int i = 0; i < ROWS; i++) {
        const int clean = classes == 1, line = sin(i * 5) + 0.3 * sin(i * 5 + 1) > 0.1;
        const int class = clean ? line : i * 7 % 20 == 0 ? (i + 1) % classes : i % classes;
        at += (size_t)sprintf(text + at, "%d", class);
        for (int j = 0; j < COLS; j++)
            at += (size_t)sprintf(text + at, " %d:%.6g", j + 1,
                                  sin(i * 5 + j) + (!clean && j == i % classes));
        at += (size_t)sprintf(text + at, "\n");
        groups[i] = (uint32_t)(i / 4);
        weights[i] = 1 + i % 3;
    }
    CHECK(hsp_data_parse(ctx, text, at, "rows", NULL, NULL, &err, &data) == HSP_OK);
    pthread_mutex_unlock(&rows_lock);
    CHECK(hsp_data_set_groups(data, groups, NULL) == HSP_OK);
    if (strstr("svm logistic", learner)) /* it takes weights */
        CHECK(hsp_data_set_weights(data, weights, NULL) == HSP_OK);
    return data;
}

static int stop_at_once(void *user, const hsp_progress *progress)
{
    (void)user;
    (void)progress;
    return 1;
}

static void run_rank(void *user, const hsp_ranks *ranks)
{
    job *of = user;
    hsp_error err = HSP_ERROR_INIT;
    hsp_context *ctx = context_of(ranks, of->threads);
    hsp_data *data = rows_of(ctx, of->classes, of->learner), *own = NULL;
    if (ranks) CHECK(hsp__shard_own(ctx, data, &err, &own) == HSP_OK);
    if (of->stop_rank >= 0 && (!ranks || ranks->rank == of->stop_rank))
        hsp_context_set_progress(ctx, stop_at_once, NULL);
    of->run(ctx, own ? own : data, of, of->found[ranks ? ranks->rank : 0]);
    hsp_data_free(own);
    hsp_data_free(data);
    hsp_context_free(ctx);
}

/* The same text of every rank, for any number of ranks, with one thread and three, as of one
 * process. */
static void check_same(job *of)
{
    static char expected[TEXT];
    of->threads = 2;
    run_rank(of, NULL);
    memcpy(expected, of->found[0], TEXT);
    for (size_t c = 0; c < EACH(counts); c++)
        for (of->threads = 1; of->threads <= 3; of->threads += 2) {
            CHECK(ranks_threads_run(counts[c], 0, run_rank, of, NULL));
            for (int r = 0; r < counts[c]; r++)
                CHECK_NOTE(strcmp(of->found[r], expected) == 0,
                           "%s %s, rank %d of %d:\n%s\nfor\n%s", of->learner, of->options, r,
                           counts[c], of->found[r], expected);
        }
}

static size_t put_held_out(char *to, const hsp_held_out *all)
{
    return (size_t)sprintf(to, "%a %a %a %a %llu %llu %u %u\n", all->error, all->standard_error,
                           all->score, all->majority, (unsigned long long)all->rows,
                           (unsigned long long)all->mistakes, (unsigned)all->unfinished,
                           (unsigned)all->inseparable);
}

/* ---- Cross-validation ------------------------------------------------------------------------ */

static void validate(hsp_context *ctx, hsp_data *data, const job *of, char *found)
{
    hsp_error err = HSP_ERROR_INIT;
    hsp_validation *seen = NULL;
    hsp_options *options = test_options(ctx, hsp_learner_find(of->learner), of->options);
    hsp_options *own = test_options(ctx, hsp_validate_options(), of->own);
    char path[256];
    snprintf(path, sizeof path, "%s/held.csv", of->folder);
    if (of->folder) CHECK(hsp_options_set(own, "held-out", path, &err) == HSP_OK);
    const hsp_status status = hsp_cross_validate(ctx, data, options, own, &err, &seen);
    size_t at = (size_t)sprintf(found, "%d %s\n", status, status ? err.message : "");
    if (seen) {
        const hsp_held_out *all = hsp_validation_held_out(seen);
        const uint32_t classes = hsp_validation_classes(seen);
        at += put_held_out(found + at, all);
        for (uint32_t f = 0; f < all->folds; f++)
            at += (size_t)sprintf(found + at, "%a ", hsp_validation_fold(seen, f)->score);
        for (uint32_t c = 0; c < classes * classes; c++)
            at += (size_t)sprintf(found + at, "%llu ",
                                  (unsigned long long)hsp_validation_confusion(seen)[c]);
    }
    hsp_validation_free(seen);
    hsp_options_free(own);
    hsp_options_free(options);
}

static void test_cross_validation(void)
{
    static job jobs[] = {{validate, "svm", "C=10", "folds=5", 2, 0, -1, NULL, {""}},
                         {validate, "perceptron", "passes=3", "folds=3", 3, 0, -1, NULL, {""}},
                         {validate, "logistic", "", "folds=7 score=log-loss", 3, 0, -1, NULL, {""}},
                         {validate, "knn", "k=5", "folds=time", 2, 0, -1, NULL, {""}}};
    for (size_t i = 0; i < EACH(jobs) - 1; i++)
        check_same(&jobs[i]);
    /* groups exclude folds in time: all ranks fail, and say the same */
    check_same(&jobs[EACH(jobs) - 1]);
    CHECK(strstr(jobs[EACH(jobs) - 1].found[1], "groups together"));
}

static size_t read_text(const char *path, char *text)
{
    FILE *file = fopen(path, "r");
    CHECK(file);
    const size_t size = file ? fread(text, 1, TEXT, file) : 0;
    if (file) fclose(file);
    remove(path);
    return size;
}

/* Rank 0 writes what is known of all ranks' rows. */
static void check_file(job *of)
{
    static char plain[TEXT], ranks[TEXT];
    char folder[] = "/tmp/halfspace-ranks-XXXXXX", path[256];
    CHECK(mkdtemp(folder));
    of->folder = folder;
    snprintf(path, sizeof path, "%s/held.csv", folder);
    run_rank(of, NULL);
    const size_t size = read_text(path, plain);
    CHECK(size > ROWS);
    for (size_t c = 0; c < EACH(counts); c++) {
        CHECK(ranks_threads_run(counts[c], 0, run_rank, of, NULL));
        CHECK(read_text(path, ranks) == size && memcmp(ranks, plain, size) == 0);
    }
    remove(folder);
}

static void test_held_out_rows(void)
{
    static job of = {validate, "logistic", "", "folds=5", 3, 1, -1, NULL, {""}};
    check_file(&of);
}

/* A rank whose user asks to stop: all ranks end, and agree on what is known. */
static void test_stop(void)
{
    static job of = {validate, "svm", "", "folds=4", 2, 1, 1, NULL, {""}};
    CHECK(ranks_threads_run(4, 0, run_rank, &of, NULL));
    for (int r = 0; r < 4; r++) {
        CHECK_NOTE(atoi(of.found[r]) == HSP_CANCELLED, "%s", of.found[r]);
        CHECK(strcmp(strchr(of.found[r], '\n'), strchr(of.found[0], '\n')) == 0);
    }
    of.options = "max-seconds=1e-9"; /* of all ranks */
    of.stop_rank = -1;
    CHECK(ranks_threads_run(3, 0, run_rank, &of, NULL));
    CHECK_NOTE(atoi(of.found[2]) == HSP_TIME_LIMIT, "%s", of.found[2]);
}

/* ---- Tuning ---------------------------------------------------------------------------------- */

static void tune(hsp_context *ctx, hsp_data *data, const job *of, char *found)
{
    hsp_error err = HSP_ERROR_INIT;
    hsp_tuning *seen = NULL;
    hsp_model *model = NULL;
    hsp_options *options = test_options(ctx, hsp_learner_find(of->learner), of->options);
    hsp_options *own = test_options(ctx, hsp_tune_options(), of->own);
    CHECK(hsp_tune(ctx, data, options, own, &err, &seen, NULL, &model) == HSP_OK);
    size_t at = (size_t)sprintf(found, "%llu %llu\n", (unsigned long long)hsp_tuning_best(seen),
                                (unsigned long long)hsp_tuning_chosen(seen));
    for (uint64_t p = 0; p < hsp_tuning_points(seen); p++)
        at += put_held_out(found + at, hsp_tuning_held_out(seen, p));
    if (hsp_tuning_nested(seen)) put_held_out(found + at, hsp_tuning_nested(seen));
    CHECK(model);
    hsp_model_free(model);
    hsp_tuning_free(seen);
    hsp_options_free(own);
    hsp_options_free(options);
}

static void test_tuning(void)
{
    static job jobs[] = {
        {tune, "svm", "", "tune=C=0.01,0.1,1,10 tune=loss=hinge,squared", 2, 0, -1, NULL, {""}},
        {tune,
         "svm",
         "kernel=rbf(gamma)",
         "tune=gamma=0.1,1 tune=C=1,10 folds=3",
         3,
         0,
         -1,
         NULL,
         {""}},
        {tune, "perceptron", "", "tune=passes=1,2,5 nested=3 score=auc", 2, 0, -1, NULL, {""}}};
    for (size_t i = 0; i < EACH(jobs); i++)
        check_same(&jobs[i]);
}

/* ---- Evaluation ------------------------------------------------------------------------------ */

static void measure(hsp_context *ctx, hsp_data *data, const job *of, char *found)
{
    hsp_error err = HSP_ERROR_INIT;
    hsp_context *plain = context_of(NULL, 1);
    hsp_data *rows = rows_of(plain, of->classes, of->learner);
    hsp_options *options = test_options(plain, hsp_learner_find(of->learner), of->options);
    hsp_options *how = test_options(plain, hsp_evaluate_options(), of->own);
    hsp_model *model = NULL;
    hsp_evaluated *seen = NULL;
    hsp_importances *importances = NULL;
    hsp_evaluation all = {.size = sizeof all};
    hsp_score_report scores[HSP_SCORES];
    char path[256];
    uint64_t confusion[9];
    const char *note;
    CHECK(hsp_train(plain, rows, options, &err, NULL, &model) == HSP_OK);
    CHECK(hsp_evaluated_new(ctx, model, data, how, &err, &seen) == HSP_OK);
    CHECK(hsp_evaluated_report(seen, &err, &all, confusion, NULL) == HSP_OK);
    size_t at =
        (size_t)sprintf(found, "%llu %llu %a %a %a %a %a %a %a\n", (unsigned long long)all.n,
                        (unsigned long long)all.mistakes, all.error, all.auc, all.log_loss,
                        all.brier, all.hinge_loss, all.functional_margin, all.weight);
    for (uint32_t c = 0; c < hsp_model_classes(model) * hsp_model_classes(model); c++)
        at += (size_t)sprintf(found + at, "%llu ", (unsigned long long)confusion[c]);
    CHECK(hsp_evaluated_scores(ctx, seen, how, &err, scores) == HSP_OK);
    for (size_t i = 0; i < HSP_SCORES; i++)
        at += (size_t)sprintf(found + at, "%a %a ", scores[i].value, scores[i].low);
    CHECK(hsp_importances_new(ctx, seen, data, how, &err, &importances) == HSP_OK);
    for (uint64_t i = 0; hsp_importances_at(importances, i); i++)
        at += (size_t)sprintf(found + at, "%a ", hsp_importances_at(importances, i)->mean);
    if (of->folder) {
        snprintf(path, sizeof path, "%s/held.csv", of->folder);
        CHECK(hsp_evaluated_rows(ctx, seen, data, how, path, &err, &note) == HSP_OK);
    }
    hsp_importances_free(importances);
    hsp_evaluated_free(seen);
    hsp_model_free(model);
    hsp_options_free(how);
    hsp_options_free(options);
    hsp_data_free(rows);
    hsp_context_free(plain);
}

static void test_evaluation(void)
{
    static job jobs[] = {
        {measure, "logistic", "", "interval=0.9 samples=20 repeats=1", 2, 0, -1, NULL, {""}},
        {measure, "svm", "", "interval=0.9 samples=20 repeats=1", 3, 0, -1, NULL, {""}}};
    for (size_t i = 0; i < EACH(jobs); i++)
        check_same(&jobs[i]);
    check_file(&jobs[0]); /* one line per row */
}

typedef struct many {
    const hsp_model *model;
    hsp_evaluation found[3];
} many;

enum { MANY = 600001 }; /* more rows than evaluation scores at a time */

/* One number in each row. */
static hsp_data *many_rows(hsp_context *ctx)
{
    static const char *const names[] = {"no", "yes"};
    uint64_t *starts = malloc((MANY + 1) * sizeof *starts);
    uint32_t *indices = malloc(MANY * sizeof *indices), *labels = malloc(MANY * sizeof *labels);
    float *values = malloc(MANY * sizeof *values);
    hsp_data *data = NULL;
    CHECK(starts && indices && labels && values);
    starts[0] = 0;
    for (uint32_t i = 0; i < MANY; i++) {
        starts[i + 1] = i + 1;
        indices[i] = i % 3;
        values[i] = (float)(i % 7) - 2.5f;
        labels[i] = i % 11 ? values[i] > 0 : values[i] < 0;
    }
    hsp_view view = hsp_view_sparse(HSP_FLOAT32, MANY, 3, 8, starts, indices, values);
    view.labels = labels;
    view.classes = 2;
    CHECK(hsp_data_copy(ctx, &view, names, NULL, NULL, &data) == HSP_OK);
    free(starts);
    free(indices);
    free(labels);
    free(values);
    return data;
}

static void many_rank(void *user, const hsp_ranks *ranks)
{
    many *all = user;
    hsp_error err = HSP_ERROR_INIT;
    hsp_context *ctx = context_of(ranks, 1);
    hsp_data *data = many_rows(ctx), *own = NULL;
    hsp_evaluation *found = &all->found[ranks->rank];
    found->size = sizeof *found;
    CHECK(hsp__shard_own(ctx, data, &err, &own) == HSP_OK);
    CHECK(hsp_evaluate(ctx, all->model, own, &err, found, NULL) == HSP_OK);
    hsp_data_free(own);
    hsp_data_free(data);
    hsp_context_free(ctx);
}

/* Ranks have no row of some of the slices that are scored. */
static void test_many_rows(void)
{
    hsp_error err = HSP_ERROR_INIT;
    hsp_context *ctx = context_of(NULL, 1);
    hsp_data *data = many_rows(ctx);
    hsp_options *options = test_options(ctx, hsp_learner_find("perceptron"), "passes=1");
    hsp_model *model = NULL;
    hsp_evaluation whole = {.size = sizeof whole};
    CHECK(hsp_train(ctx, data, options, &err, NULL, &model) == HSP_OK);
    CHECK(hsp_evaluate(ctx, model, data, &err, &whole, NULL) == HSP_OK);
    many all = {.model = model};
    CHECK(ranks_threads_run(3, 0, many_rank, &all, NULL));
    CHECK(whole.n == MANY && whole.mistakes > 0);
    for (int r = 0; r < 3; r++)
        CHECK(all.found[r].n == MANY && all.found[r].mistakes == whole.mistakes &&
              all.found[r].auc == whole.auc);
    hsp_model_free(model);
    hsp_options_free(options);
    hsp_data_free(data);
    hsp_context_free(ctx);
}

/* ---- The perceptron in parts ------------------------------------------------------------------- */

static int put_bytes(void *user, const void *bytes, size_t size)
{
    uint32_t *sum = user;
    *sum = hsp__crc32(*sum, bytes, size);
    return 0;
}

static hsp_model *learned(hsp_context *ctx, hsp_data *data, const job *of, hsp_training *run)
{
    hsp_error err = HSP_ERROR_INIT;
    hsp_model *model = NULL;
    hsp_options *options = test_options(ctx, hsp_learner_find(of->learner), of->options);
    *run = (hsp_training){.size = sizeof *run};
    CHECK_NOTE(hsp_train(ctx, data, options, &err, run, &model) == HSP_OK, "%s", err.message);
    hsp_options_free(options);
    return model;
}

/* The checksum of the whole model, and its numbers. */
static void learn(hsp_context *ctx, hsp_data *data, const job *of, char *found)
{
    hsp_training run;
    uint32_t sum = 0;
    hsp_model *model = learned(ctx, data, of, &run);
    CHECK(hsp_model_pack(ctx, model, put_bytes, &sum, NULL) == HSP_OK);
    size_t at =
        (size_t)sprintf(found, "%08x %u %llu %llu %a %llu\n", (unsigned)sum, (unsigned)run.parts,
                        (unsigned long long)run.passes, (unsigned long long)run.updates,
                        run.training_error, (unsigned long long)run.rows);
    CHECK(isnan(run.online_error) && run.parts == 32 && run.rows == ROWS);
    for (uint32_t c = 0; c < model->scorers; c++)
        for (int j = 0; j <= COLS; j++)
            at += (size_t)sprintf(found + at, "%.17g ",
                                  j < COLS ? model->weights[c * COLS + (uint32_t)j]
                                           : model->offsets[c]);
    hsp_model_free(model);
}

/* As its definition says, for two classes; the mean of all separators, if wanted. */
static void mix_naively(const hsp_view *view, int passes, int average, double w[COLS + 1])
{
    enum { PARTS = 32 };
    double sum[COLS + 1] = {0}, seen = 0;
    memset(w, 0, (COLS + 1) * sizeof *w);
    for (int pass = 0; pass < passes; pass++) {
        double next[COLS + 1] = {0};
        for (uint64_t p = 0; p < PARTS; p++) {
            double v[COLS + 1];
            memcpy(v, w, sizeof v);
            const uint64_t to = hsp__part(view->rows, 256, 8 * p + 8);
            for (uint64_t i = hsp__part(view->rows, 256, 8 * p); i < to; i++, seen++) {
                const hsp__row row = hsp__view_row(view, i);
                const double y = view->labels[i] ? 1 : -1;
                double score = v[COLS];
                for (uint64_t k = 0; k < row.count; k++)
                    score += v[hsp__row_column(&row, k)] * hsp__row_value(view, &row, k);
                if (!(y * score > 0)) {
                    for (uint64_t k = 0; k < row.count; k++)
                        v[hsp__row_column(&row, k)] += y * hsp__row_value(view, &row, k);
                    v[COLS] += y;
                }
                for (int j = 0; j <= COLS; j++)
                    sum[j] += v[j];
            }
            for (int j = 0; j <= COLS; j++)
                next[j] += v[j] / PARTS;
        }
        memcpy(w, next, sizeof next);
    }
    for (int j = 0; average && j <= COLS; j++)
        w[j] = sum[j] / seen;
}

static void check_naive(const job *of, int passes, int average)
{
    hsp_context *ctx = context_of(NULL, 1);
    hsp_data *data = rows_of(ctx, of->classes, of->learner);
    const hsp_view *view;
    double w[COLS + 1];
    const char *at = strchr(of->found[0], '\n');
    CHECK(hsp_data_view(ctx, data, NULL, &view) == HSP_OK);
    mix_naively(view, passes, average, w);
    for (int j = 0; j <= COLS; j++) {
        char *end;
        const double found = strtod(at, &end);
        CHECK_NOTE(fabs(found - w[j]) < 1e-9, "%s: %g, expected %g", of->options, found, w[j]);
        at = end;
    }
    hsp_data_free(data);
    hsp_context_free(ctx);
}

static void test_parts(void)
{
    static job jobs[] = {
        {learn, "perceptron", "passes=4", "", 2, 0, -1, NULL, {""}},
        {learn, "perceptron", "passes=4 average=average", "", 2, 0, -1, NULL, {""}},
        {learn,
         "perceptron",
         "order=shuffle offset=r2 margin-target=0.1r",
         "",
         2,
         0,
         -1,
         NULL,
         {""}},
        {learn, "perceptron", "average=average normalize=rows", "", 3, 0, -1, NULL, {""}},
        {learn, "perceptron", "scale=standard positive=1 passes=3", "", 3, 0, -1, NULL, {""}},
        {learn, "perceptron", "normalize=ball passes=3", "", 2, 0, -1, NULL, {""}},
        {learn, "perceptron", "passes=until-converged", "", 1, 0, -1, NULL, {""}}};
    static char expected[TEXT];
    for (size_t i = 0; i < EACH(jobs); i++) {
        job *of = &jobs[i];
        *expected = 0;
        for (size_t c = 0; c < EACH(counts); c++)
            for (of->threads = 1; of->threads <= 3; of->threads += 2) {
                CHECK(ranks_threads_run(counts[c], 0, run_rank, of, NULL));
                if (!*expected) memcpy(expected, of->found[0], TEXT);
                for (int r = 0; r < counts[c]; r++)
                    CHECK_NOTE(strcmp(of->found[r], expected) == 0, "%s, rank %d of %d:\n%s\n%s",
                               of->options, r, counts[c], of->found[r], expected);
            }
        if (i < 2) check_naive(of, 4, i == 1);
    }
}

static hsp_model *audited; /* the model of the test at hand */

static void learn_for_audit(hsp_context *ctx, hsp_data *data, const job *of, char *found)
{
    hsp_training run;
    hsp_model *model = learned(ctx, data, of, &run);
    (void)found;
    CHECK(run.stop == HSP_STOP_CONVERGED && run.training_error == 0 && run.updates > 0);
    if (ctx->ranks->rank)
        hsp_model_free(model);
    else
        audited = model;
}

/* The only theorem of such a run is its own, with the weighted number of mistakes. */
static void test_bound(void)
{
    static job of = {
        learn_for_audit, "perceptron", "passes=until-converged", "", 1, 1, -1, NULL, {""}};
    hsp_context *ctx = context_of(NULL, 1);
    hsp_data *data = rows_of(ctx, 1, of.learner);
    hsp_mistake_bound *bounds = NULL;
    hsp_training run;
    size_t count = 0;
    CHECK(ranks_threads_run(3, 0, run_rank, &of, NULL));
    hsp_model *reference = learned(ctx, data, &of, &run);
    CHECK(run.parts == 0);
    CHECK(hsp_audit(ctx, audited, data, reference, NULL, &bounds, &count) == HSP_OK);
    CHECK(count == 1 && strcmp(bounds[0].name, "mixed") == 0 && bounds[0].applies &&
          bounds[0].held);
    const double updates = strtod(hsp_model_metadata(audited, "updates"), NULL);
    CHECK(fabs(bounds[0].observed - updates / 32) < 1e-12);
    CHECK(!hsp_model_metadata(audited, "online_error"));
    CHECK(hsp_model_row_coefficients(audited).count == 0);
    hsp_mistake_bounds_free(bounds);
    /* a model that says of more mistakes than there can have been */
    CHECK(hsp__model_set_metadata(audited, "updates", "1000000000000000", NULL) == HSP_OK);
    CHECK(hsp_audit(ctx, audited, data, reference, NULL, &bounds, &count) == HSP_OK);
    CHECK(count == 1 && bounds[0].applies && !bounds[0].held);
    hsp_mistake_bounds_free(bounds);
    hsp_model_free(reference);
    hsp_model_free(audited);
    hsp_data_free(data);
    hsp_context_free(ctx);
}

static void learn_until_asked(hsp_context *ctx, hsp_data *data, const job *of, char *found)
{
    hsp_error err = HSP_ERROR_INIT;
    hsp_model *model = NULL;
    hsp_training run = {.size = sizeof run};
    hsp_options *options = test_options(ctx, hsp_learner_find(of->learner), of->options);
    CHECK(hsp_train(ctx, data, options, &err, &run, &model) == HSP_CANCELLED);
    CHECK(model && run.stop == HSP_STOP_REQUEST);
    sprintf(found, "%llu %llu", (unsigned long long)run.passes, (unsigned long long)run.updates);
    hsp_model_free(model);
    hsp_options_free(options);
}

/* One rank is asked to stop: all of them do, after the same pass. */
static void test_stop_in_parts(void)
{
    static job of = {learn_until_asked,
                     "perceptron",
                     "passes=1000000000 max-seconds=60",
                     "",
                     2,
                     1,
                     1,
                     NULL,
                     {""}};
    CHECK(ranks_threads_run(3, 0, run_rank, &of, NULL));
    for (int r = 1; r < 3; r++)
        CHECK_TEXT(of.found[r], of.found[0]);
}

static void learn_refused(hsp_context *ctx, hsp_data *data, const job *of, char *found)
{
    hsp_error err = HSP_ERROR_INIT;
    hsp_model *model = NULL;
    hsp_options *options = test_options(ctx, hsp_learner_find(of->learner), of->options);
    CHECK(hsp_train(ctx, data, options, &err, NULL, &model) == HSP_USAGE);
    CHECK(strstr(err.message, "at most 4 processes"));
    (void)found;
    hsp_options_free(options);
}

static void test_more_ranks_than_parts(void)
{
    static job of = {learn_refused, "perceptron", "passes=1", "", 2, 1, -1, NULL, {""}};
    CHECK(ranks_threads_run(5, 4, run_rank, &of, NULL));
}

/* ---- Certificates ------------------------------------------------------------------------------ */

static void certify(hsp_context *ctx, hsp_data *data, const job *of, char *found)
{
    hsp_error err = HSP_ERROR_INIT;
    hsp_certificate *made = NULL;
    size_t size;
    (void)data;
    CHECK_NOTE(hsp_certify(ctx, of->folder, NULL, audited, NULL, &err, &made) == HSP_OK, "%s",
               err.message);
    const char *text = hsp_certificate_text(made, &size), *why;
    size_t at = (size_t)sprintf(found, "%08x", (unsigned)hsp__crc32(0, text, size));
    for (size_t i = 0; (text = hsp_certificate_claim(made, i, &why)); i++)
        at += (size_t)sprintf(found + at, " %s: %s", text, why ? why : "made");
    hsp_certificate_free(made);
}

/* The same certificate, with the claim that needs the run again, for which the rows are read again, in
 * single precision. */
static void test_certificates(void)
{
    static job of = {certify, "perceptron", "passes=until-converged order=shuffle", "", 1, 0, -1,
                     NULL,    {""}};
    char folder[] = "/tmp/halfspace-ranks-XXXXXX", path[256];
    hsp_context *ctx = context_of(NULL, 1);
    hsp_data *data = rows_of(ctx, 1, of.learner), *read = NULL;
    hsp_options *single = test_options(ctx, hsp_read_options(), "precision=single");
    hsp_training run;
    CHECK(mkdtemp(folder));
    snprintf(path, sizeof path, "%s/rows.svm", folder);
    CHECK(hsp_data_write(ctx, data, path, NULL, NULL) == HSP_OK);
    FILE *file = fopen(path, "a"); /* that number is not the same float by way of a double: */
    CHECK(file && fputs("1 1:1.00000005960464477539062500001\n", file) >= 0 && !fclose(file));
    CHECK(hsp_data_read(ctx, path, single, NULL, NULL, &read) == HSP_OK);
    audited = learned(ctx, read, &of, &run);
    of.folder = path;
    check_same(&of);
    CHECK_NOTE(strstr(of.found[1], "mistakes: made"), "%s", of.found[1]);
    remove(path);
    remove(folder);
    hsp_model_free(audited);
    hsp_options_free(single);
    hsp_data_free(read);
    hsp_data_free(data);
    hsp_context_free(ctx);
}

int main(void)
{
    RUN(test_parts);
    RUN(test_bound);
    RUN(test_stop_in_parts);
    RUN(test_more_ranks_than_parts);
    RUN(test_cross_validation);
    RUN(test_held_out_rows);
    RUN(test_stop);
    RUN(test_tuning);
    RUN(test_evaluation);
    RUN(test_many_rows);
    RUN(test_certificates);
    return check_done();
}
