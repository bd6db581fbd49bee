/* Traces: one line per update, and each step of the proof on every one of them. */
#include <unistd.h>

#include "learn/naive.h"

static hsp_context *ctx;
static char folder[] = "/tmp/hsp-trace-XXXXXX";
static char trace_path[64], model_path[64];

typedef struct line {
    double update, pass, example, score, norm, offset;
    double inner, inner_bound, norm2, norm2_bound, cosine, cosine_bound, after;
    char weights[256];
} line;

enum { LINES = 20000 };
static line lines[LINES];

/* The lines of the trace; -1 when the file is not one. */
static int read_trace(int compared)
{
    FILE *file = fopen(trace_path, "r");
    char head[256];
    int count = 0;
    const char *want = compared ? "update,pass,example,score,norm,offset,inner,inner_bound,norm2,"
                                  "norm2_bound,cosine,cosine_bound,y_score_after,weights_after\n"
                                : "update,pass,example,score,norm,offset,y_score_after,"
                                  "weights_after\n";
    if (!file) return -1;
    if (!fgets(head, sizeof head, file) || strcmp(head, want) != 0) count = -1;
    while (count >= 0 && count < LINES) {
        line *l = &lines[count];
        int got = fscanf(file, "%lf,%lf,%lf,%lf,%lf,%lf", &l->update, &l->pass, &l->example,
                         &l->score, &l->norm, &l->offset);
        if (got != 6) break;
        if (compared && fscanf(file, ",%lf,%lf,%lf,%lf,%lf,%lf", &l->inner, &l->inner_bound,
                               &l->norm2, &l->norm2_bound, &l->cosine, &l->cosine_bound) != 6)
            count = -2;
        if (fscanf(file, ",%lf,", &l->after) != 1 || !fgets(l->weights, sizeof l->weights, file))
            count = -2;
        count++;
    }
    fclose(file);
    return count;
}

/* A model file with the given weights, and class names "0" and "1" in the given order. */
static void write_reference(const naive_set *set, const double *w, double b, int reversed)
{
    static const char *const names[2][2] = {{"0", "1"}, {"1", "0"}};
    hsp_model *model = NULL;
    uint32_t number;
    if (hsp__model_new(ctx, 1, (uint64_t)set->d, NULL, &model)) abort();
    for (int c = 0; c < 2; c++)
        if (!hsp__names_add(&model->class_names, names[reversed][c], 1, &number)) abort();
    for (int j = 0; j < set->d; j++)
        model->weights[j] = reversed ? -w[j] : w[j];
    model->offsets[0] = reversed ? -b : b;
    hsp_error err = {0};
    if (hsp_model_write(ctx, model, model_path, &err)) {
        fprintf(stderr, "%s\n", err.message);
        abort();
    }
    hsp_model_free(model);
}

typedef struct watched {
    int count;
    const double *w;
    double b;
    long double gamma, radius2, length2;
    double rate, soft;
} watched;

static int near(long double a, long double b)
{
    return fabsl(a - b) <= 1e-9L * (1 + fabsl(b));
}

/* Called after every update of the naive run, next to the line that the library wrote. */
static void watch_step(void *user, const naive_run *run, const naive_set *set, int row)
{
    watched *own = user;
    const line *l = &lines[own->count++];
    const long double k = run->updates, c = run->c;
    long double squares = 0, inner = 0, norm2 = 0;
    for (int j = 0; j < set->d; j++) {
        squares += (long double)run->w[0][j] * run->w[0][j];
        inner += (long double)run->w[0][j] * own->w[j];
    }
    norm2 = squares;
    if (c > 0) norm2 += (long double)run->b[0] * run->b[0] / (c * c);
    if (c > 0) inner += (long double)run->b[0] * own->b / (c * c);
    for (int i = 0; i < set->n; i++)
        norm2 += (long double)own->soft * own->soft * run->amount[i][0] * run->amount[i][0];
    CHECK(l->update == run->updates && l->pass == run->passes && l->example == row + 1);
    CHECK(near(l->norm, sqrtl(squares)) && l->offset == run->b[0]);
    CHECK(near(l->inner, inner) && near(l->norm2, norm2));
    CHECK(near(l->inner_bound, k * own->rate * own->gamma));
    CHECK(near(l->norm2_bound, k * own->rate * (own->rate * own->radius2 + 2 * run->target)));
    CHECK(near(l->cosine, inner / sqrtl(own->length2 * norm2)));
    /* the theorem */
    CHECK(l->inner >= l->inner_bound - 1e-9 * fabs(l->inner_bound));
    CHECK(l->norm2 <= l->norm2_bound * (1 + 1e-9));
    CHECK(l->cosine >= l->cosine_bound - 1e-9);
    CHECK(l->cosine_bound <= 1 + 1e-9);
}

static void measure(watched *own, const naive_set *set, long double c)
{
    own->gamma = HUGE_VALL;
    own->radius2 = 0;
    own->length2 = c > 0 ? (long double)own->b * own->b / (c * c) : 0;
    for (int j = 0; j < set->d; j++)
        own->length2 += (long double)own->w[j] * own->w[j];
    for (int i = 0; i < set->n; i++) {
        long double s = c > 0 ? own->b : 0, squares = 0;
        for (int j = 0; j < set->d; j++) {
            s += (long double)own->w[j] * set->x[i][j];
            squares += (long double)set->x[i][j] * set->x[i][j];
        }
        own->gamma = fminl(own->gamma, set->label[i] ? s : -s);
        own->radius2 = fmaxl(own->radius2, squares);
    }
    own->radius2 += c * c + (long double)own->soft * own->soft;
}

static void test_proof(void)
{
    hsp__random random;
    hsp__random_seed(&random, 6, 1);
    for (int trial = 0; trial < 120; trial++) {
        naive_set set;
        double w[NAIVE_COLS], b;
        naive_options o = naive_draw_options(&random);
        naive_draw_separable(&set, &random, o.offset, w, &b);
        o.max_updates = 0;
        o.passes = 100000;
        write_reference(&set, w, b, trial % 2);
        hsp_data *data = naive_data(ctx, &set, HSP_DENSE, HSP_FLOAT32);
        hsp_options *options = naive_to_options(ctx, &o);
        learn_set(options, "trace", trace_path);
        learn_set(options, "reference", model_path);
        hsp_training run = {.size = sizeof run};
        hsp_model *model = learn_train(ctx, data, options, &run);
        int count = read_trace(1);
        CHECK(count >= 0 && (uint64_t)count == run.updates);
        watched own = {.w = w, .b = b, .rate = o.rate, .soft = o.soft};
        naive_run naive = {.watch = watch_step, .user = &own};
        const double r = naive_radius(&set);
        measure(&own, &set,
                strcmp(o.offset, "none") == 0   ? 0
                : strcmp(o.offset, "unit") == 0 ? 1
                : strcmp(o.offset, "r2") == 0   ? (long double)r
                                                : (long double)o.constant);
        if ((uint64_t)count == run.updates) naive_train(&naive, &set, &o);
        CHECK(own.count == count && run.stop == HSP_STOP_CONVERGED);
        hsp_model_free(model);
        hsp_options_free(options);
        hsp_data_free(data);
        if (check_failures) return;
    }
}

/* The two points of test_perceptron.c, on paper: one update, by row 1, from a score of 0 to w =
 * (2,1), b = 1. */
static void test_by_hand(void)
{
    const naive_set set = {2, 2, 2, {{2, 1}, {-1, -1}}, {1, 0}};
    hsp_data *data = naive_data(ctx, &set, HSP_DENSE, HSP_FLOAT32);
    hsp_options *options = learn_options(ctx, NULL);
    learn_set(options, "trace", trace_path);
    hsp_training run = {.size = sizeof run};
    hsp_model *model = learn_train(ctx, data, options, &run);
    CHECK(read_trace(0) == 1);
    CHECK(lines[0].update == 1 && lines[0].pass == 1 && lines[0].example == 1);
    CHECK(lines[0].score == 0 && lines[0].norm == sqrt(5) && lines[0].offset == 1);
    CHECK(lines[0].after == 6); /* <(2,1), (2,1)> + 1 */
    CHECK_TEXT(lines[0].weights, "1:2 2:1\n");
    hsp_model_free(model);
    hsp_options_free(options);
    hsp_data_free(data);
}

/* Train on the points, the model into the file of the reference. */
static hsp_status reference_by_training(hsp_data *data, const char *const *settings,
                                        const char *form)
{
    hsp_options *options = learn_options(ctx, settings);
    hsp_model *model = learn_train(ctx, data, options, NULL), *formed = NULL;
    hsp_status status = form ? hsp_model_form(ctx, model, form, NULL, &formed) : HSP_OK;
    if (!status) status = hsp_model_write(ctx, form ? formed : model, model_path, NULL);
    hsp_model_free(model);
    hsp_model_free(formed);
    hsp_options_free(options);
    return status;
}

static hsp_status trace_against(hsp_data *data, const char *const *settings)
{
    hsp_options *options = learn_options(ctx, settings);
    hsp_model *model = NULL;
    hsp_error err = {0};
    learn_set(options, "trace", trace_path);
    learn_set(options, "reference", model_path);
    hsp_status status = hsp_train(ctx, data, options, &err, NULL, &model);
    CHECK(!status || strlen(err.message) > 20);
    hsp_model_free(model);
    hsp_options_free(options);
    return status;
}

/* One separator, whatever form it is kept in; and never another one. */
static void test_reference_forms(void)
{
    static const char *const plain[] = {"passes=until-converged", NULL}, *const ball[] = {
                                                                             "normalize=ball",
                                                                             NULL};
    static const char *const scaled[] = {"scale=standard", "passes=until-converged", NULL};
    const naive_set set = {4, 2, 2, {{2, 1}, {-1, -1}, {3, 3}, {1, 0}}, {1, 0, 1, 0}};
    hsp_data *data = naive_data(ctx, &set, HSP_DENSE, HSP_FLOAT32);
    static line first[LINES];
    CHECK(reference_by_training(data, plain, NULL) == HSP_OK);
    CHECK(trace_against(data, plain) == HSP_OK);
    const int count = read_trace(1);
    memcpy(first, lines, sizeof first);
    CHECK(reference_by_training(data, plain, "homogeneous") == HSP_OK);
    CHECK(trace_against(data, plain) == HSP_OK);
    CHECK(count > 1 && read_trace(1) == count);
    CHECK(!memcmp(first, lines, (size_t)(count > 0 ? count : 0) * sizeof *lines));
    CHECK(trace_against(data, scaled) == HSP_USAGE);
    CHECK(reference_by_training(data, scaled, NULL) == HSP_OK);
    CHECK(trace_against(data, plain) == HSP_USAGE && trace_against(data, ball) == HSP_USAGE);
    CHECK(trace_against(data, scaled) == HSP_OK);
    hsp_data_free(data);
}

static void test_refusals(void)
{
    const naive_set set = {2, 2, 2, {{2, 1}, {-1, -1}}, {1, 0}};
    hsp_data *data = naive_data(ctx, &set, HSP_DENSE, HSP_FLOAT32);
    hsp_options *options = learn_options(ctx, NULL);
    hsp_model *model = NULL;
    hsp_error err = {0};
    unlink(trace_path);
    learn_set(options, "trace", trace_path);
    learn_set(options, "reference", "/nowhere/model");
    CHECK(hsp_train(ctx, data, options, &err, NULL, &model) == HSP_IO && !model);
    CHECK(access(trace_path, F_OK) != 0); /* nothing is left behind */
    learn_set(options, "reference", folder);
    CHECK(hsp_train(ctx, data, options, &err, NULL, &model) != HSP_OK && !model);
    CHECK(access(trace_path, F_OK) != 0);
    hsp_options_free(options);
    options = learn_options(ctx, NULL);
    learn_set(options, "trace", "/nowhere/trace.csv");
    CHECK(hsp_train(ctx, data, options, &err, NULL, &model) == HSP_IO && !model);
    hsp_options_free(options);
    hsp_data_free(data);
}

int main(void)
{
    if (hsp_context_new(NULL, &ctx) || !mkdtemp(folder)) return 1;
    snprintf(trace_path, sizeof trace_path, "%s/trace.csv", folder);
    snprintf(model_path, sizeof model_path, "%s/model", folder);
    RUN(test_by_hand);
    RUN(test_proof);
    RUN(test_reference_forms);
    RUN(test_refusals);
    unlink(trace_path);
    unlink(model_path);
    rmdir(folder);
    hsp_context_free(ctx);
    return check_done();
}
