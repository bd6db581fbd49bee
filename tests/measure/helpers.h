/* What tests of the measure room share: data and models made by hand, and a perceptron written as
 * plainly as possible, whose models carry the facts that a run leaves behind. */
#ifndef HSP_TESTS_MEASURE_HELPERS_H
#define HSP_TESTS_MEASURE_HELPERS_H

#include <math.h>

#include "../data/helpers.h"
#include "base/memory.h"
#include "base/random.h"
#include "model/model.h"

static inline int test_near(double a, double b, double tolerance)
{
    return fabs(a - b) <= tolerance * fmax(1, fmax(fabs(a), fabs(b)));
}

/* Labelled dense rows of doubles. `names` NULL: "-1", "1". */
static inline hsp_data *test_data(hsp_context *ctx, uint64_t rows, uint64_t cols,
                                  const double *values, const uint32_t *labels, uint32_t classes,
                                  const char *const *names)
{
    static const char *const two[] = {"-1", "1"};
    hsp_view view = hsp_view_dense(HSP_FLOAT64, rows, cols, cols, values);
    view.labels = labels;
    view.classes = classes;
    hsp_data *data = NULL;
    if (hsp_data_copy(ctx, &view, names ? names : two, NULL, NULL, &data)) abort();
    return data;
}

static inline void test_name_class(hsp_model *model, const char *name)
{
    uint32_t number;
    if (!hsp__names_add(&model->class_names, name, strlen(name), &number)) abort();
}

static inline void test_fact(hsp_model *model, const char *name, const char *value)
{
    if (hsp__model_set_metadata(model, name, value, NULL)) abort();
}

static inline void test_fact_count(hsp_model *model, const char *name, uint64_t count)
{
    char text[32];
    snprintf(text, sizeof text, "%llu", (unsigned long long)count);
    test_fact(model, name, text);
}

/* A linear model of the classes "-1" and "1". */
static inline hsp_model *test_separator(hsp_context *ctx, uint64_t features, const double *w,
                                        double b)
{
    hsp_model *model = NULL;
    if (hsp__model_new(ctx, 1, features, NULL, &model)) abort();
    memcpy(model->weights, w, features * sizeof *w);
    model->offsets[0] = b;
    test_name_class(model, "-1");
    test_name_class(model, "1");
    return model;
}

/* ---- The plain perceptron ---- */

typedef enum naive_offset { NAIVE_NONE, NAIVE_UNIT, NAIVE_R2, NAIVE_APPEND } naive_offset;
typedef enum naive_order { NAIVE_CYCLIC, NAIVE_FIRST, NAIVE_WORST } naive_order;

static const char *const naive_offsets[] = {"none", "unit", "r2", "append"};
static const char *const naive_orders[] = {"cyclic", "first", "worst"};

typedef struct naive_plan {
    naive_offset offset;
    naive_order order;
    int average, tie_pos;
    double constant, rate, soft, tau;
    int tau_relative;
    uint64_t passes, max_updates;
} naive_plan;

typedef struct naive_run {
    const naive_plan *plan;
    uint64_t rows, cols;
    const double *x; /* rows * cols */
    const int *y;    /* rows: -1 or 1 */
    double radius, c2, tau;
    double w[8], b, mean[8], mean_b;
    double amount[64]; /* rows */
    uint64_t updates, passes, examples;
} naive_run;

static inline double naive_score(const naive_run *run, uint64_t i)
{
    double s = run->b;
    for (uint64_t j = 0; j < run->cols; j++)
        s += run->w[j] * run->x[i * run->cols + j];
    return s + run->plan->soft * run->plan->soft * run->amount[i];
}

static inline int naive_wrong(const naive_run *run, uint64_t i)
{
    const double s = naive_score(run, i), ys = run->y[i] * s;
    if (run->tau > 0) return ys < run->tau;
    return run->plan->tie_pos ? run->y[i] != (s >= 0 ? 1 : -1) : ys <= 0;
}

static inline void naive_update(naive_run *run, uint64_t i)
{
    const double step = run->plan->rate * run->y[i];
    for (uint64_t j = 0; j < run->cols; j++)
        run->w[j] += step * run->x[i * run->cols + j];
    run->b += step * run->c2;
    run->amount[i] += step;
    run->updates++;
}

static inline void naive_count(naive_run *run)
{
    for (uint64_t j = 0; j < run->cols; j++)
        run->mean[j] += run->w[j];
    run->mean_b += run->b;
    run->examples++;
}

static inline int naive_full(const naive_run *run)
{
    return run->plan->max_updates && run->updates >= run->plan->max_updates;
}

static inline int naive_pass(naive_run *run)
{
    int wrong = 0;
    for (uint64_t i = 0; i < run->rows && !naive_full(run); i++) {
        if (naive_wrong(run, i)) {
            naive_update(run, i);
            wrong = 1;
        }
        naive_count(run);
    }
    return wrong;
}

static inline int naive_pick(naive_run *run)
{
    uint64_t best = run->rows;
    for (uint64_t i = 0; i < run->rows; i++) {
        if (!naive_wrong(run, i)) continue;
        if (best == run->rows ||
            (run->plan->order == NAIVE_WORST &&
             run->y[i] * naive_score(run, i) < run->y[best] * naive_score(run, best)))
            best = i;
    }
    if (best == run->rows) return 0;
    naive_update(run, best);
    naive_count(run);
    return 1;
}

static inline void naive_learn(naive_run *run)
{
    const naive_plan *plan = run->plan;
    for (uint64_t i = 0; i < run->rows; i++) {
        double square = 0;
        for (uint64_t j = 0; j < run->cols; j++)
            square += run->x[i * run->cols + j] * run->x[i * run->cols + j];
        run->radius = fmax(run->radius, sqrt(square));
    }
    const double c2[] = {0, 1, run->radius * run->radius, plan->constant * plan->constant};
    run->c2 = c2[plan->offset];
    run->tau = plan->tau * (plan->tau_relative ? run->radius : 1);
    while (!naive_full(run) && run->passes < plan->passes) {
        run->passes++;
        if (!(plan->order == NAIVE_CYCLIC ? naive_pass(run) : naive_pick(run))) break;
    }
}

static inline void naive_keep_updates(hsp_context *ctx, const naive_run *run, hsp_model *model)
{
    uint64_t *row = hsp__new(&ctx->allocator, run->rows, sizeof *row);
    uint32_t *scorer = hsp__new(&ctx->allocator, run->rows, sizeof *scorer);
    double *amount = hsp__new(&ctx->allocator, run->rows, sizeof *amount);
    if (!row || !scorer || !amount) abort();
    uint64_t count = 0;
    for (uint64_t i = 0; i < run->rows; i++) {
        if (run->amount[i] == 0) continue;
        row[count] = i;
        amount[count++] = run->amount[i];
    }
    model->updates = (hsp_row_coefficients){count, row, scorer, amount};
}

/* The model that the run leaves, with its facts. */
static inline hsp_model *naive_model(hsp_context *ctx, const naive_run *run)
{
    const naive_plan *plan = run->plan;
    double w[8], b = run->b;
    memcpy(w, run->w, sizeof w);
    if (plan->average && run->examples) {
        for (uint64_t j = 0; j < run->cols; j++)
            w[j] = run->mean[j] / (double)run->examples;
        b = run->mean_b / (double)run->examples;
    }
    hsp_model *model = test_separator(ctx, run->cols, w, b);
    char options[512];
    snprintf(options, sizeof options,
             "{\"offset\":\"%s\",\"order\":\"%s\",\"average\":\"%s\",\"constant\":%.17g,"
             "\"rate\":%.17g,\"soft\":%.17g,\"margin-target\":\"%.17g%s\"}",
             naive_offsets[plan->offset], naive_orders[plan->order],
             plan->average ? "average" : "none", plan->constant, plan->rate, plan->soft, plan->tau,
             plan->tau_relative ? "r" : "");
    test_fact(model, "learner", "perceptron");
    test_fact(model, "options", options);
    test_fact_count(model, "updates", run->updates);
    test_fact_count(model, "passes", run->passes);
    test_fact_count(model, "data_rows", run->rows);
    naive_keep_updates(ctx, run, model);
    return model;
}

static inline hsp_data *naive_data(hsp_context *ctx, const naive_run *run)
{
    uint32_t labels[64];
    for (uint64_t i = 0; i < run->rows; i++)
        labels[i] = run->y[i] > 0;
    return test_data(ctx, run->rows, run->cols, run->x, labels, 2, NULL);
}

#endif
