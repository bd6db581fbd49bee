/* Hinge SGD: the paper's update step by step, streams equal to whole files to the bit, and a gap
 * that is what it says. */
#include <unistd.h>

#include "base/context.h"
#include "learn/erm/gap.h"
#include "learn/machine.h"
#include "learn/online/pegasos.h"
#include "model/model.h"

static hsp_context *ctx;
static char path[] = "/tmp/hsp-pegasos-XXXXXX";
static const char *const names[] = {"a", "b", "c", "d"};

/* ---- As the paper has it --------------------------------------------------------------------- */

/* w itself, no other scale; the average as a sum over all steps. */
typedef struct naive {
    long double w[MACHINE_COLS], b, sum[MACHINE_COLS], sum_b;
    int updates;
} naive;

static void naive_step(naive *run, const machine_set *set, uint64_t row, uint32_t positive,
                       const char *offset, long double lambda, long double t)
{
    const double *x = set->x + row * set->d;
    const long double y = set->label[row] == positive ? 1 : -1;
    long double margin = run->b;
    for (uint64_t j = 0; j < set->d; j++)
        margin += run->w[j] * (long double)x[j];
    const int wrong = y * margin <= 1;
    for (uint64_t j = 0; j < set->d; j++)
        run->w[j] *= 1 - 1 / t;
    if (*offset == 'r') run->b *= 1 - 1 / t;
    if (wrong) {
        for (uint64_t j = 0; j < set->d; j++)
            run->w[j] += y * (long double)x[j] / (lambda * t);
        if (*offset == 'r') run->b += y / (lambda * t);
        if (*offset == 'f') run->b += y / sqrtl(t);
        run->updates++;
    }
    for (uint64_t j = 0; j < set->d; j++)
        run->sum[j] += t * run->w[j];
    run->sum_b += t * run->b;
}

static void write_rows(const machine_set *set)
{
    FILE *file = fopen(path, "w");
    if (!file) abort();
    for (uint64_t i = 0; i < set->n; i++) {
        fputs(names[set->label[i]], file);
        for (uint64_t j = 0; j < set->d; j++)
            if (set->x[i * set->d + j] != 0)
                fprintf(file, " %d:%.17g", (int)j + 1, set->x[i * set->d + j]);
        fputc('\n', file);
    }
    fclose(file);
}

/* Columns that come up one by one, as a stream meets them. */
static void draw(machine_set *set, uint32_t classes, uint64_t seed)
{
    machine_random(set, 120, 6, classes, 1.5, seed);
    for (uint64_t i = 0; i < set->n; i++)
        for (uint64_t j = 0; j < set->d; j++)
            if (j > i / 8) set->x[i * set->d + j] = 0;
}

static hsp_model *stream(const char *settings, hsp_training *run)
{
    hsp_options *options = machine_options(ctx, "svm", settings), *read = NULL;
    hsp_error err = {0};
    hsp_model *model = NULL;
    if (hsp_options_new(ctx, hsp_read_options(), NULL, &read)) abort();
    CHECK(hsp_options_set(read, "precision", "double", &err) == HSP_OK);
    hsp_status status = hsp_train_stream(ctx, path, read, options, &err, run, &model);
    CHECK_NOTE(status == HSP_OK, "%s: %s", settings, err.message);
    hsp_options_free(options);
    hsp_options_free(read);
    return model;
}

static void compare_naive(const hsp_model *model, uint32_t scorer, const naive *run, double n,
                          int averaged)
{
    const long double weight = averaged ? 2 / ((long double)n * (n + 1)) : 1;
    for (uint64_t j = 0; j < hsp_model_features(model); j++) {
        const long double w = averaged ? run->sum[j] * weight : run->w[j];
        CHECK(machine_near(hsp_model_weights(model, scorer)[j], (double)w, 1e-11));
    }
    const long double b = averaged ? run->sum_b * weight : run->b;
    CHECK(machine_near(hsp_model_offset(model, scorer), (double)b, 1e-11));
}

static void test_the_papers_steps(void)
{
    static const char *const offsets[] = {"none", "regularized", "free"};
    for (int trial = 0; trial < 60; trial++) {
        const char *offset = offsets[trial % 3], *average = trial / 3 % 2 ? "average" : "none";
        const uint32_t classes = trial / 6 % 2 ? 4 : 2, scorers = classes == 2 ? 1 : classes;
        const double lambda = trial % 4 ? 0.03 : 0.4;
        machine_set set;
        char settings[200];
        hsp_training run = {.size = sizeof run};
        draw(&set, classes, (uint64_t)trial);
        write_rows(&set);
        snprintf(settings, sizeof settings, "lambda=%g offset=%s average=%s classes=%s", lambda,
                 offset, average, classes == 2 ? "a,b" : "a,b,c,d");
        hsp_model *model = stream(settings, &run);
        int updates = 0;
        for (uint32_t c = 0; model && c < scorers; c++) {
            naive plain = {.updates = 0};
            for (uint64_t i = 0; i < set.n; i++)
                naive_step(&plain, &set, i, scorers == 1 ? 1 : c, offset, (long double)lambda,
                           (long double)(i + 1));
            compare_naive(model, c, &plain, (double)set.n, *average == 'a');
            updates += plain.updates;
        }
        CHECK_NOTE(run.updates == (uint64_t)updates && updates > 10, "%s: %d, not %d", settings,
                   (int)run.updates, updates);
        CHECK(run.stop == HSP_STOP_PASSES && run.rows == set.n && run.passes == 1);
        hsp_model_free(model);
    }
}

/* ---- Streams, files, single steps ------------------------------------------------------------ */

static void same_bits(const hsp_model *a, const hsp_model *b)
{
    CHECK(a && b && a->scorers == b->scorers && a->features == b->features);
    if (check_failures) return;
    CHECK(!memcmp(a->weights, b->weights, a->scorers * a->features * sizeof *a->weights));
    CHECK(!memcmp(a->offsets, b->offsets, a->scorers * sizeof *a->offsets));
}

static hsp_data *read_whole(void)
{
    hsp_options *read = NULL;
    hsp_data *data = NULL;
    if (hsp_options_new(ctx, hsp_read_options(), NULL, &read)) abort();
    CHECK(hsp_options_set(read, "precision", "double", NULL) == HSP_OK);
    CHECK(hsp_data_read(ctx, path, read, NULL, NULL, &data) == HSP_OK);
    hsp_options_free(read);
    return data;
}

static void test_stream_is_one_pass(void)
{
    for (int trial = 0; trial < 24; trial++) {
        const uint32_t classes = trial % 2 ? 4 : 2;
        machine_set set;
        char settings[200], whole[300];
        hsp_training run = {.size = sizeof run}, batch_run = {.size = sizeof batch_run};
        draw(&set, classes, 100 + (uint64_t)trial);
        if (trial % 4 == 2) /* the first class met is not the first of the model */
            for (uint64_t i = 0; i < set.n; i++)
                set.label[i] = !set.label[i];
        write_rows(&set);
        ctx->block_bytes = trial % 3 ? 64 : HSP__BLOCK_BYTES;
        hsp_context_set_threads(ctx, 1 + trial % 3);
        snprintf(settings, sizeof settings, "lambda=0.02 offset=%s average=%s%s",
                 trial % 3 ? "regularized" : "none", trial / 6 % 2 ? "average" : "none",
                 classes > 2 ? " classes=a,b,c,d" : "");
        snprintf(whole, sizeof whole, "%s solver=pegasos max-passes=1 order=cyclic", settings);
        hsp_model *streamed = stream(settings, &run);
        hsp_data *data = read_whole();
        hsp_model *batch = machine_train(ctx, data, "svm", whole, &batch_run);
        same_bits(streamed, batch);
        CHECK(run.updates == batch_run.updates);
        CHECK(isfinite(batch_run.convergence.gap) && batch_run.convergence.gap > 0);
        hsp_model_free(streamed);
        hsp_model_free(batch);
        hsp_data_free(data);
    }
    hsp_context_set_threads(ctx, 0);
    ctx->block_bytes = HSP__BLOCK_BYTES;
}

static void test_single_steps(void)
{
    for (int trial = 0; trial < 12; trial++) {
        const uint32_t classes = trial % 2 ? 4 : 2;
        machine_set set;
        char settings[200];
        hsp_training run = {.size = sizeof run};
        hsp_error err = {0};
        hsp_trainer *trainer = NULL;
        hsp_model *stepped = NULL;
        draw(&set, classes, 200 + (uint64_t)trial);
        write_rows(&set);
        snprintf(settings, sizeof settings, "lambda=0.05 offset=%s average=%s",
                 trial % 3 ? "free" : "regularized", trial / 6 ? "average" : "none");
        hsp_options *options = machine_options(ctx, "svm", settings);
        CHECK(hsp_trainer_new(ctx, options, names, classes, 1, &err, &trainer) == HSP_OK);
        hsp_data *data = read_whole();
        const hsp_view *view = NULL;
        CHECK(hsp_data_view(ctx, data, &err, &view) == HSP_OK);
        uint64_t wrong = 0;
        for (uint64_t i = 0; trainer && i < view->rows; i++) {
            hsp_step step = {.size = sizeof step};
            CHECK(hsp_trainer_step(trainer, view, i, &err, &step) == HSP_OK);
            wrong += step.predicted != view->labels[i];
        }
        CHECK(hsp_trainer_model(trainer, &err, &stepped) == HSP_OK);
        if (classes > 2) strcat(settings, " classes=a,b,c,d");
        hsp_model *streamed = stream(settings, &run);
        same_bits(streamed, stepped);
        CHECK(run.online_error == (double)wrong / (double)run.rows);
        CHECK(wrong > 0 && wrong < run.rows * 3 / 4);
        hsp_trainer_free(trainer);
        hsp_options_free(options);
        hsp_model_free(stepped);
        hsp_model_free(streamed);
        hsp_data_free(data);
    }
}

static void test_a_third_class(void)
{
    machine_set set;
    hsp_error err = {0};
    hsp_model *model = NULL;
    draw(&set, 3, 7);
    write_rows(&set);
    hsp_options *options = machine_options(ctx, "svm", "lambda=1");
    CHECK(hsp_train_stream(ctx, path, NULL, options, &err, NULL, &model) == HSP_USAGE);
    CHECK(strstr(err.message, "third class, 'c'") != NULL && model == NULL);
    hsp_options_free(options);
}

static void test_refused(void)
{
    static const char *const bad[][2] = {
        {"C=1", "--C"},
        {"", "--lambda"},
        {"lambda=1 loss=squared", "--loss"},
        {"lambda=1 loss=squared penalty=l1", "--loss"},
        {"lambda=1 solver=newton", "--solver"},
        {"lambda=1 hard=yes", "--hard"},
        {"lambda=1 weight=a=2", "--weight"},
        {"lambda=1 row-weight=k", "--row-weight"},
        {"lambda=1 gap=0.1", "--gap"},
        {"lambda=1 keep-dual=yes", "--keep-dual"},
        {"lambda=1 order=shuffle", "--order"},
        {"lambda=1 scale=min-max", "--scale"},
    };
    machine_set set;
    draw(&set, 2, 8);
    write_rows(&set);
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        hsp_options *options = machine_options(ctx, "svm", bad[i][0]);
        hsp_error err = {0};
        hsp_model *model = NULL;
        hsp_status status = hsp_train_stream(ctx, path, NULL, options, &err, NULL, &model);
        CHECK_NOTE(status == HSP_USAGE && model == NULL, "%s", bad[i][0]);
        CHECK_TEXT(err.file, bad[i][1]);
        hsp_options_free(options);
    }
}

/* ---- The solver ------------------------------------------------------------------------------ */

typedef struct big {
    double *x, *w, *dual;
    uint32_t *label;
    hsp_view view;
} big;

/* Enough rows for several threads to look ahead. */
static big big_new(void)
{
    enum { N = 4000, D = 60 };
    big it = {malloc(sizeof(double) * N * D),
              calloc(D, sizeof(double)),
              calloc(N, sizeof(double)),
              malloc(sizeof(uint32_t) * N),
              {0}};
    hsp__random random;
    if (!it.x || !it.w || !it.dual || !it.label) abort();
    hsp__random_seed(&random, 3, 3);
    for (uint64_t i = 0; i < N; i++) {
        it.label[i] = (uint32_t)hsp__random_below(&random, 2);
        for (uint64_t j = 0; j < D; j++)
            it.x[i * D + j] =
                hsp__random_normal(&random) / 8 + (j < 4 ? (it.label[i] ? 0.5 : -0.5) : 0);
    }
    it.view = hsp_view_dense(HSP_FLOAT64, N, D, D, it.x);
    it.view.labels = it.label;
    it.view.classes = 2;
    return it;
}

static void big_free(big *it)
{
    free(it->x);
    free(it->w);
    free(it->dual);
    free(it->label);
}

static void test_threads(void)
{
    double w[60];
    for (int threads = 1; threads <= 4; threads += 3) {
        big it = big_new();
        const hsp__problem p = {.view = &it.view,
                                .positive = 1,
                                .loss = &hsp__hinge,
                                .cost = {0.01, 0.01},
                                .offset = HSP__OFFSET_FREE};
        const hsp__goal goal = {.gap = 1e-9, .max_passes = 6, .seed = 5};
        hsp__solution s = {.w = it.w, .dual = it.dual};
        hsp_error err = {0};
        hsp_context_set_threads(ctx, threads);
        CHECK(hsp__solver_pegasos.solve(ctx, &p, &goal, &err, &s) == HSP_OK);
        CHECK(s.passes == 6 && s.stop == HSP_STOP_PASSES && s.gap > 1e-9 && s.updates > 100);
        if (threads == 1) memcpy(w, it.w, sizeof w);
        CHECK(!memcmp(w, it.w, sizeof w));
        big_free(&it);
    }
    hsp_context_set_threads(ctx, 0);
}

/* P and D from their definitions. */
static void definitions(const hsp__problem *p, const hsp__solution *s, long double *primal,
                        long double *dual)
{
    const uint64_t d = p->view->cols;
    const double *x = p->view->values;
    long double losses = 0, gain = 0, norm = 0, size = 0, t = 0, u[64] = {0};
    for (uint64_t i = 0; i < p->view->rows; i++) {
        const long double y = hsp__problem_y(p, i), c = hsp__problem_cost(p, i), a = s->dual[i];
        long double m = (long double)s->b;
        for (uint64_t j = 0; j < d; j++) {
            m += (long double)s->w[j] * (long double)x[i * d + j];
            u[j] += a * y * (long double)x[i * d + j];
        }
        if (y * m < 1) losses += c * (1 - y * m);
        CHECK(a >= 0 && a <= c * (1 + 1e-15L));
        gain += a;
        t += a * y;
    }
    for (uint64_t j = 0; j < d; j++) {
        norm += (long double)s->w[j] * (long double)s->w[j];
        size += u[j] * u[j];
    }
    const int own = p->offset == HSP__OFFSET_REGULARIZED;
    if (p->offset == HSP__OFFSET_FREE) CHECK(fabsl(t) <= 1e-12L * gain);
    *primal = (norm + (own ? (long double)s->b * (long double)s->b : 0)) / 2 + losses;
    *dual = gain - (size + (own ? t * t : 0)) / 2;
}

static void test_gap_is_honest(void)
{
    static const hsp__offset offsets[] = {HSP__OFFSET_NONE, HSP__OFFSET_REGULARIZED,
                                          HSP__OFFSET_FREE};
    machine_set set;
    double weight[MACHINE_ROWS];
    machine_random(&set, 150, 5, 2, 1, 77);
    hsp_view view = hsp_view_dense(HSP_FLOAT64, set.n, set.d, set.d, set.x);
    view.labels = set.label;
    view.classes = 2;
    for (uint64_t i = 0; i < set.n; i++)
        weight[i] = (double)(i % 4);
    for (int trial = 0; trial < 12; trial++) {
        double w[MACHINE_COLS] = {0}, dual[MACHINE_ROWS] = {0};
        const hsp__problem p = {.view = &view,
                                .positive = 1,
                                .loss = &hsp__hinge,
                                .cost = {0.02, trial % 2 ? 0.02 : 0.05},
                                .row_weight = trial / 2 % 2 ? weight : NULL,
                                .offset = offsets[trial % 3]};
        const hsp__goal goal = {.gap = 0.02, .max_passes = 20000, .seed = 2, .last = trial > 8};
        hsp__solution s = {.w = w, .dual = dual};
        hsp_error err = {0};
        long double primal, lower;
        CHECK(hsp__solver_pegasos.solve(ctx, &p, &goal, &err, &s) == HSP_OK);
        definitions(&p, &s, &primal, &lower);
        CHECK(machine_near(s.primal, (double)primal, 1e-12));
        CHECK(machine_near(s.dual_value, (double)lower, 1e-12));
        CHECK((double)((primal - lower) / primal) <= 0.02 + 1e-9);
        CHECK_NOTE(s.stop == HSP_STOP_CONVERGED, "trial %d gap %g passes %d", trial, s.gap,
                   (int)s.passes);
    }
}

static void test_no_time(void)
{
    machine_set set;
    double w[MACHINE_COLS] = {0}, dual[MACHINE_ROWS] = {0};
    machine_random(&set, 150, 5, 2, 1, 78);
    hsp_view view = hsp_view_dense(HSP_FLOAT64, set.n, set.d, set.d, set.x);
    view.labels = set.label;
    view.classes = 2;
    hsp__stop stop;
    hsp_context own = hsp__stop_open(&stop, ctx);
    hsp__watch watch = {.ctx = &own};
    const hsp__problem p = {.view = &view, .positive = 1, .loss = &hsp__hinge, .cost = {1, 1}};
    const hsp__goal goal = {.gap = 1e-9, .seed = 2, .watch = &watch};
    hsp__solution s = {.w = w, .dual = dual};
    hsp__stop_limit(&own, 1e-9);
    CHECK(hsp__solver_pegasos.solve(&own, &p, &goal, NULL, &s) == HSP_OK);
    CHECK(s.stop == HSP_STOP_SECONDS && s.gap > 1e-9 && s.gap <= 1);
}

int main(void)
{
    const int file = mkstemp(path);
    if (file < 0 || hsp_context_new(NULL, &ctx)) return 1;
    close(file);
    RUN(test_the_papers_steps);
    RUN(test_stream_is_one_pass);
    RUN(test_single_steps);
    RUN(test_a_third_class);
    RUN(test_refused);
    RUN(test_threads);
    RUN(test_gap_is_honest);
    RUN(test_no_time);
    hsp_context_free(ctx);
    unlink(path);
    return check_done();
}
