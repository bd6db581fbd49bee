/* Multinomial logistic regression: by hand, by its definition, and what must hold whatever the data. */
#include "learn/machine.h"

static hsp_context *ctx;

/* P(W, b) as its definition says, in long double, of weights w (k * d) and offsets b. */
static long double primal_of(const machine_set *set, const double *weight, double C, int l1,
                             int regularized, const double *w, const double *b)
{
    const uint64_t d = set->d;
    long double sum = 0;
    for (uint64_t j = 0; j < set->classes * d; j++)
        sum += l1 ? fabsl((long double)w[j]) : (long double)w[j] * (long double)w[j] / 2;
    for (uint32_t m = 0; regularized && m < set->classes; m++)
        sum += l1 ? fabsl((long double)b[m]) : (long double)b[m] * (long double)b[m] / 2;
    for (uint64_t i = 0; i < set->n; i++) {
        long double s[8], top = -HUGE_VALL, all = 0;
        for (uint32_t m = 0; m < set->classes; m++) {
            s[m] = (long double)b[m];
            for (uint64_t j = 0; j < d; j++)
                s[m] += (long double)w[m * d + j] * (long double)set->x[i * d + j];
            top = fmaxl(top, s[m]);
        }
        for (uint32_t m = 0; m < set->classes; m++)
            all += expl(s[m] - top);
        sum += (long double)(C * (weight ? weight[i] : 1)) * (logl(all) + top - s[set->label[i]]);
    }
    return sum;
}

static void model_of(const hsp_model *model, const machine_set *set, double *w, double *b)
{
    for (uint32_t m = 0; m < set->classes; m++) {
        memcpy(w + m * set->d, hsp_model_weights(model, m), set->d * sizeof *w);
        b[m] = hsp_model_offset(model, m);
    }
}

/* One column of zeros: the offsets alone give each class its share of the rows. */
static void test_shares(void)
{
    const machine_set set = {6, 1, 3, {0}, {0, 1, 1, 2, 2, 2}};
    hsp_data *data = machine_data(ctx, &set);
    hsp_training run = {.size = sizeof run};
    hsp_model *model = machine_train(ctx, data, "logistic", "gap=1e-9", &run);
    double scores[3], p[3];
    for (uint32_t m = 0; m < 3; m++) {
        CHECK(hsp_model_weights(model, m)[0] == 0);
        scores[m] = hsp_model_offset(model, m);
    }
    hsp_model_probabilities(model, scores, p);
    for (uint32_t m = 0; m < 3; m++)
        CHECK(machine_near(p[m], (m + 1) / 6.0, 1e-8));
    CHECK(run.stop == HSP_STOP_CONVERGED && run.training_error == 0.5);
    CHECK(machine_near(run.convergence.objective, log(6) / 6 + log(3) / 3 + log(2) / 2, 1e-8));
    CHECK_TEXT(hsp_model_link(model), "softmax");
    hsp_model_free(model);
    hsp_data_free(data);
}

/* What is reported bounds what the definition gives: the objective of the model from above, that of
 * every other W from below. */
static void test_bounds(void)
{
    static const char *const offsets[] = {"free", "regularized", "none"};
    hsp__random random;
    hsp__random_seed(&random, 11, 0);
    for (int round = 0; round < 60; round++) {
        machine_set set;
        double w[8 * MACHINE_COLS], b[8];
        char settings[96];
        const int l1 = round % 2, offset = round / 2 % 3;
        const double C = pow(10, (double)hsp__random_below(&random, 4) - 2);
        machine_random(&set, 20 + hsp__random_below(&random, MACHINE_ROWS - 20),
                       1 + hsp__random_below(&random, MACHINE_COLS),
                       3 + (uint32_t)hsp__random_below(&random, 4), 1.5, (uint64_t)round);
        hsp_data *data = machine_data(ctx, &set);
        hsp_training run = {.size = sizeof run};
        snprintf(settings, sizeof settings, "C=%g penalty=%s offset=%s gap=1e-6", C,
                 l1 ? "l1" : "l2", offsets[offset]);
        hsp_model *model = machine_train(ctx, data, "logistic", settings, &run);
        CHECK_NOTE(run.stop == HSP_STOP_CONVERGED, "%s: gap %g", settings, run.convergence.gap);
        CHECK(run.convergence.gap <= 1e-6);
        model_of(model, &set, w, b);
        const long double primal = primal_of(&set, NULL, C, l1, offset == 1, w, b);
        const long double scale = (long double)run.convergence.C * (long double)set.n;
        CHECK(primal <= (long double)run.convergence.objective * scale * (1 + 1e-14L));
        CHECK((long double)run.convergence.dual_objective * scale <= primal);
        for (int other = 0; other < 20; other++) { /* near it, and never below the bound */
            double w2[8 * MACHINE_COLS], b2[8];
            const double by = pow(10, -1.0 - other / 4.0);
            for (uint64_t j = 0; j < set.classes * set.d; j++)
                w2[j] = w[j] + by * hsp__random_normal(&random);
            for (uint32_t m = 0; m < set.classes; m++)
                b2[m] = offset == 2 ? 0 : b[m] + by * hsp__random_normal(&random);
            CHECK(primal_of(&set, NULL, C, l1, offset == 1, w2, b2) >=
                  (long double)run.convergence.dual_objective * scale);
        }
        hsp_model_free(model);
        hsp_data_free(data);
    }
}

/* A weight of k is k copies of the row; the same bits on one thread and on three. */
static void test_weights_and_threads(void)
{
    machine_set set, copies = {0};
    double weight[MACHINE_ROWS];
    machine_random(&set, 60, 5, 4, 1.5, 12);
    copies.d = set.d;
    copies.classes = set.classes;
    for (uint64_t i = 0; i < set.n; i++) {
        weight[i] = (double)(1 + i % 3);
        for (uint64_t k = 0; k <= i % 3; k++) {
            memcpy(copies.x + copies.n * set.d, set.x + i * set.d, set.d * sizeof *set.x);
            copies.label[copies.n++] = set.label[i];
        }
    }
    hsp_data *one = machine_data(ctx, &set), *many = machine_data(ctx, &copies);
    hsp_error err = HSP_ERROR_INIT;
    CHECK(hsp_data_set_weights(one, weight, &err) == HSP_OK);
    hsp_model *a = machine_train(ctx, one, "logistic", "gap=1e-11 keep-dual=yes", NULL);
    CHECK(machine_rebuilt(&set, a) <= 1e-4);
    hsp_model *b = machine_train(ctx, many, "logistic", "gap=1e-11", NULL);
    hsp_context_set_threads(ctx, 1);
    hsp_model *c = machine_train(ctx, one, "logistic", "gap=1e-11", NULL);
    hsp_context_set_threads(ctx, 3);
    hsp_model *d = machine_train(ctx, one, "logistic", "gap=1e-11", NULL);
    hsp_context_set_threads(ctx, 0);
    CHECK(machine_distance(a, b) <= 1e-5);
    CHECK(machine_same_bits(c, d) && machine_same_bits(a, d));
    hsp_model_free(a);
    hsp_model_free(b);
    hsp_model_free(c);
    hsp_model_free(d);
    hsp_data_free(one);
    hsp_data_free(many);
}

/* Columns of zeros change nothing, though many columns are solved for in another way; a model is a
 * start for the same rows, and there is nothing left to do. */
static void test_wide_and_warm(void)
{
    enum { WIDE = 400 };
    machine_set set;
    machine_random(&set, 90, 5, 4, 1.5, 13);
    double *x = calloc(set.n * WIDE, sizeof *x);
    for (uint64_t i = 0; x && i < set.n; i++)
        memcpy(x + i * WIDE, set.x + i * set.d, set.d * sizeof *x);
    hsp_view view = hsp_view_dense(HSP_FLOAT64, set.n, WIDE, WIDE, x);
    static const char *const names[] = {"a", "b", "c", "d"};
    hsp_data *narrow = machine_data(ctx, &set), *wide = NULL;
    view.labels = set.label;
    view.classes = set.classes;
    CHECK(hsp_data_copy(ctx, &view, names, NULL, NULL, &wide) == HSP_OK);
    hsp_training run = {.size = sizeof run};
    hsp_model *a = machine_train(ctx, narrow, "logistic", "gap=1e-11", NULL);
    hsp_model *b = machine_train(ctx, wide, "logistic", "gap=1e-11", NULL);
    for (uint32_t m = 0; m < set.classes; m++)
        for (uint64_t j = 0; j < set.d; j++)
            CHECK(fabs(hsp_model_weights(a, m)[j] - hsp_model_weights(b, m)[j]) <= 1e-5);
    hsp_model *c = machine_train_from(ctx, narrow, "logistic", "gap=1e-10", a, &run);
    CHECK(run.passes == 0 && run.stop == HSP_STOP_CONVERGED);
    hsp_model_free(a);
    hsp_model_free(b);
    hsp_model_free(c);
    hsp_data_free(narrow);
    hsp_data_free(wide);
    free(x);
}

/* Sparse rows of many columns are solved by sweeps in the dual: the same minimum, for every offset; the
 * same bits on any number of threads; a run that is stopped has a bound. */
static void test_sweeps(void)
{
    enum { WIDE = 5000 };
    machine_set set;
    static uint64_t starts[MACHINE_ROWS + 1];
    static uint32_t places[MACHINE_ROWS * MACHINE_COLS];
    static const char *const names[] = {"a", "b", "c", "d"};
    static const char *const offsets[] = {"offset=free", "offset=regularized", "offset=none"};
    machine_random(&set, 90, 5, 4, 1.5, 16);
    for (uint64_t i = 0; i < set.n * set.d; i++)
        places[i] = (uint32_t)(i % set.d * 1000);
    for (uint64_t i = 0; i <= set.n; i++)
        starts[i] = i * set.d;
    hsp_view view =
        hsp_view_sparse(HSP_FLOAT64, set.n, WIDE, sizeof *starts, starts, places, set.x);
    hsp_data *narrow = machine_data(ctx, &set), *wide = NULL;
    view.labels = set.label;
    view.classes = set.classes;
    CHECK(hsp_data_copy(ctx, &view, names, NULL, NULL, &wide) == HSP_OK);
    for (size_t o = 0; o < 3; o++) {
        char text[64];
        hsp_training run = {.size = sizeof run}, brief = {.size = sizeof brief};
        snprintf(text, sizeof text, "gap=1e-10 %s", offsets[o]);
        hsp_model *a = machine_train(ctx, narrow, "logistic", text, NULL);
        hsp_model *b = machine_train(ctx, wide, "logistic", text, &run);
        CHECK(run.stop == HSP_STOP_CONVERGED);
        for (uint32_t m = 0; m < set.classes; m++)
            for (uint64_t j = 0; j < set.d; j++)
                CHECK(fabs(hsp_model_weights(a, m)[j] - hsp_model_weights(b, m)[j * 1000]) <= 1e-4);
        snprintf(text, sizeof text, "gap=1e-3 %s", offsets[o]);
        hsp_context_set_threads(ctx, 1);
        hsp_model *c = machine_train(ctx, wide, "logistic", text, &run);
        hsp_context_set_threads(ctx, 3);
        hsp_model *d = machine_train(ctx, wide, "logistic", text, NULL);
        hsp_context_set_threads(ctx, 0);
        CHECK(run.stop == HSP_STOP_CONVERGED && run.convergence.gap <= 1e-3 &&
              machine_same_bits(c, d));
        hsp_model *e = machine_train(ctx, wide, "logistic", "max-seconds=1e-9", &brief);
        CHECK(brief.convergence.gap <= 1);
        hsp_model *const all[] = {a, b, c, d, e};
        for (size_t i = 0; i < 5; i++)
            hsp_model_free(all[i]);
    }
    hsp_data_free(narrow);
    hsp_data_free(wide);
}

/* Columns in units that differ by nine orders of magnitude, and a class whose rows cost nothing: the
 * gap is reached all the same, in few passes. */
static void test_units_and_costs(void)
{
    machine_set set;
    double weight[MACHINE_ROWS];
    machine_random(&set, 120, 6, 4, 1.5, 14);
    for (uint64_t i = 0; i < set.n; i++) {
        weight[i] = set.label[i] != 2;
        for (uint64_t j = 0; j < set.d; j++)
            set.x[i * set.d + j] *= pow(10, 1.5 * (double)j - 3);
    }
    hsp_data *data = machine_data(ctx, &set);
    hsp_error err = HSP_ERROR_INIT;
    for (int weighted = 0; weighted < 2; weighted++) {
        hsp_training run = {.size = sizeof run};
        if (weighted) CHECK(hsp_data_set_weights(data, weight, &err) == HSP_OK);
        hsp_model *model = machine_train(ctx, data, "logistic", "gap=1e-6", &run);
        CHECK_NOTE(run.stop == HSP_STOP_CONVERGED && run.passes <= 400, "%d: gap %g, passes %llu",
                   weighted, run.convergence.gap, (unsigned long long)run.passes);
        hsp_model_free(model);
    }
    hsp_data_free(data);
}

/* A run that is stopped at once has a gap that is proven. */
static void test_stopped(void)
{
    machine_set set;
    machine_random(&set, 60, 5, 4, 1.5, 15);
    hsp_data *data = machine_data(ctx, &set);
    static const char *const settings[] = {"max-seconds=1e-9", "max-seconds=1e-9 penalty=l1",
                                           "max-seconds=1e-9 keep-dual=yes"};
    for (size_t i = 0; i < sizeof settings / sizeof *settings; i++) {
        hsp_training run = {.size = sizeof run};
        hsp_model *model = machine_train(ctx, data, "logistic", settings[i], &run);
        CHECK(run.stop == HSP_STOP_SECONDS || run.stop == HSP_STOP_CONVERGED);
        CHECK(run.convergence.gap <= 1 &&
              run.convergence.dual_objective <= run.convergence.objective);
        hsp_model_free(model);
    }
    hsp_data_free(data);
}

static void test_no_memory(void)
{
    machine_set set;
    machine_random(&set, 30, 3, 4, 1, 1);
    machine_starve(&set, "logistic", "keep-dual=yes");
    machine_starve(&set, "logistic", "penalty=l1");
}

/* A solver for two classes is refused, and says why. */
static void test_refuses_solver(void)
{
    machine_set set;
    hsp_error err = HSP_ERROR_INIT;
    hsp_model *model = NULL;
    machine_random(&set, 30, 3, 3, 1, 1);
    hsp_data *data = machine_data(ctx, &set);
    hsp_options *options = machine_options(ctx, "logistic", "solver=dcd");
    CHECK(hsp_train(ctx, data, options, &err, NULL, &model) == HSP_USAGE);
    CHECK(strstr(err.message, "--multiclass ovr") != NULL);
    hsp_options_free(options);
    hsp_data_free(data);
}

int main(void)
{
    CHECK(hsp_context_new(NULL, &ctx) == HSP_OK);
    RUN(test_shares);
    RUN(test_bounds);
    RUN(test_weights_and_threads);
    RUN(test_wide_and_warm);
    RUN(test_sweeps);
    RUN(test_units_and_costs);
    RUN(test_stopped);
    RUN(test_no_memory);
    RUN(test_refuses_solver);
    hsp_context_free(ctx);
    return check_done();
}
