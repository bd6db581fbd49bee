/* Logistic regression: by hand, and what must hold whatever the data. */
#include "learn/machine.h"
#include "learn/erm/solvers.h"

static hsp_context *ctx;

/* One column of zeros, three rows of b to one of a: w = 0, and the offset gives b the probability
 * 3/4, b = log 3. J is the entropy of that, with any lambda. */
static void test_offset_alone(void)
{
    const machine_set set = {4, 1, 2, {0, 0, 0, 0}, {1, 0, 1, 1}};
    hsp_data *data = machine_data(ctx, &set);
    hsp_training run = {.size = sizeof run};
    hsp_model *model = machine_train(ctx, data, "logistic", "gap=1e-9", &run);
    CHECK(run.stop == HSP_STOP_CONVERGED && run.training_error == 0.25);
    CHECK(hsp_model_weights(model, 0)[0] == 0);
    CHECK(machine_near(hsp_model_offset(model, 0), log(3), 1e-4));
    CHECK(machine_near(run.convergence.objective, 0.25 * log(4) + 0.75 * log(4.0 / 3), 1e-8));
    hsp_model_free(model);
    hsp_data_free(data);
}

/* -1 and +1 on a line: w solves w = 2 C / (1 + exp(w)), by symmetry b = 0. C such that w = 1 is
 * (1 + e) / 2; P = 1/2 + 2 C log(1 + 1/e). */
static void test_two_points(void)
{
    const machine_set set = {2, 1, 2, {-1, 1}, {0, 1}};
    hsp_data *data = machine_data(ctx, &set);
    char settings[64];
    const double C = (1 + exp(1)) / 2;
    hsp_training run = {.size = sizeof run};
    snprintf(settings, sizeof settings, "C=%.17g gap=1e-10", C);
    hsp_model *model = machine_train(ctx, data, "logistic", settings, &run);
    CHECK(machine_near(hsp_model_weights(model, 0)[0], 1, 1e-4));
    CHECK(machine_near(hsp_model_offset(model, 0), 0, 1e-4));
    CHECK(machine_near(run.convergence.objective, (0.5 + 2 * C * log1p(exp(-1))) / (2 * C), 1e-9));
    hsp_model_free(model);
    hsp_data_free(data);
}

/* The mean loss and half the squares of w, from data and model alone. */
static double objective_of(const machine_set *set, const hsp_model *model, double lambda)
{
    const double *w = hsp_model_weights(model, 0);
    double loss = 0, squares = 0;
    for (uint64_t i = 0; i < set->n; i++) {
        double s = hsp_model_offset(model, 0);
        for (uint64_t j = 0; j < set->d; j++)
            s += w[j] * set->x[i * set->d + j];
        const double m = set->label[i] ? s : -s;
        loss += m > 0 ? log1p(exp(-m)) : log1p(exp(m)) - m;
    }
    for (uint64_t j = 0; j < set->d; j++)
        squares += w[j] * w[j];
    return loss / (double)set->n + lambda / 2 * squares;
}

/* No step along an axis makes it better by more than the gap. */
static void test_nothing_is_better(void)
{
    for (uint64_t seed = 0; seed < 20; seed++) {
        machine_set set;
        hsp_training run = {.size = sizeof run};
        machine_random(&set, 70, 4, 2, (double)(seed % 4), seed);
        hsp_data *data = machine_data(ctx, &set);
        hsp_model *model = machine_train(ctx, data, "logistic", "lambda=0.01 gap=1e-8", &run);
        const double reached = objective_of(&set, model, 0.01);
        double *w = (double *)(uintptr_t)hsp_model_weights(model, 0);
        CHECK(run.stop == HSP_STOP_CONVERGED);
        CHECK(machine_near(run.convergence.objective, reached, 1e-12));
        for (uint64_t j = 0; j < 8; j++) {
            const double step = j % 2 ? 1e-2 : -1e-2, before = w[j / 2];
            w[j / 2] = before + step;
            CHECK(objective_of(&set, model, 0.01) >= reached * (1 - 1e-8));
            w[j / 2] = before;
        }
        hsp_model_free(model);
        hsp_data_free(data);
    }
}

static void test_weights_are_copies(void)
{
    static const char *const ways[] = {"C=0.5", "lambda=0.05", "C=2 weight=b=3", "weight=balanced"};
    for (size_t way = 0; way < sizeof ways / sizeof *ways; way++) {
        machine_set with, copies = {.d = 3, .classes = 2};
        char settings[96];
        hsp_training of_one = {.size = sizeof of_one}, of_many = {.size = sizeof of_many};
        machine_random(&with, 40, 3, 2, 1, way);
        for (uint64_t i = 0; i < with.n; i++) {
            with.x[i * 3 + 2] = (double)(i % 4);
            for (uint64_t k = 0; k < i % 4; k++) {
                memcpy(copies.x + copies.n * 3, with.x + i * 3, 2 * sizeof *with.x);
                copies.label[copies.n++] = with.label[i];
            }
        }
        hsp_data *one = machine_data(ctx, &with), *many = machine_data(ctx, &copies);
        snprintf(settings, sizeof settings, "%s gap=1e-9 row-weight=3", ways[way]);
        hsp_model *a = machine_train(ctx, one, "logistic", settings, &of_one);
        snprintf(settings, sizeof settings, "%s gap=1e-9", ways[way]);
        hsp_model *b = machine_train(ctx, many, "logistic", settings, &of_many);
        CHECK(machine_near(of_one.convergence.objective, of_many.convergence.objective, 3e-9));
        CHECK(machine_distance(a, b) <= 1e-3);
        hsp_model_free(a);
        hsp_model_free(b);
        hsp_data_free(one);
        hsp_data_free(many);
    }
}

static void test_solvers_agree(void)
{
    static const char *const offsets[] = {"free", "regularized", "none"};
    for (int i = 0; i < 3; i++) {
        machine_set set;
        hsp_training best = {.size = sizeof best}, run = {.size = sizeof run};
        char settings[96];
        machine_random(&set, 90, 5, 2, 1, (uint64_t)i);
        hsp_data *data = machine_data(ctx, &set);
        snprintf(settings, sizeof settings, "C=2 gap=1e-7 offset=%s", offsets[i]);
        hsp_model *model = machine_train(ctx, data, "logistic", settings, &best);
        hsp_model_free(model);
        for (size_t k = 0; hsp__solvers[k]; k++) {
            const hsp__problem p = {
                .loss = &hsp__logistic, .offset = (hsp__offset)i, .cost = {2, 2}};
            if (!hsp__solvers[k]->suits(&p)) continue;
            snprintf(settings, sizeof settings, "C=2 gap=1e-5 offset=%s solver=%s", offsets[i],
                     hsp__solvers[k]->name);
            model = machine_train(ctx, data, "logistic", settings, &run);
            CHECK_NOTE(run.stop == HSP_STOP_CONVERGED, "%s: gap %g", settings, run.convergence.gap);
            CHECK_NOTE(machine_near(run.convergence.objective, best.convergence.objective, 1.1e-5),
                       "%s: %.9g, best %.9g", settings, run.convergence.objective,
                       best.convergence.objective);
            hsp_model_free(model);
        }
        hsp_data_free(data);
    }
}

/* The dual weights say what each row's own class lacks of probability 1: a = C (1 - p). */
static void test_dual_weights(void)
{
    machine_set set;
    hsp_training run = {.size = sizeof run};
    machine_random(&set, 60, 4, 2, 1, 9);
    hsp_data *data = machine_data(ctx, &set);
    hsp_model *model = machine_train(ctx, data, "logistic", "gap=1e-10 keep-dual=yes", &run);
    const hsp_row_coefficients kept = hsp_model_row_coefficients(model);
    CHECK(kept.count == set.n && machine_rebuilt(&set, model) <= 1e-3);
    for (uint64_t k = 0; k < kept.count; k++) {
        double s = hsp_model_offset(model, 0);
        for (uint64_t j = 0; j < set.d; j++)
            s += hsp_model_weights(model, 0)[j] * set.x[kept.row[k] * set.d + j];
        const double y = set.label[kept.row[k]] ? 1 : -1;
        CHECK(machine_near(kept.amount[k], y / (1 + exp(y * s)), 1e-3));
    }
    hsp_model_free(model);
    hsp_data_free(data);
}

static void test_classes_and_threads(void)
{
    machine_set set;
    hsp_training one = {.size = sizeof one}, run[2] = {one, one};
    hsp_model *model[2];
    machine_random(&set, 150, 6, 5, 1, 4);
    hsp_data *data = machine_data(ctx, &set);
    for (int k = 0; k < 2; k++) {
        hsp_context_set_threads(ctx, k ? 4 : 1);
        model[k] = machine_train(ctx, data, "logistic", "C=3 multiclass=ovr", &run[k]);
    }
    hsp_context_set_threads(ctx, 0);
    CHECK(machine_same_bits(model[0], model[1]));
    CHECK(run[0].convergence.dual_objective == run[1].convergence.dual_objective);
    for (uint32_t c = 0; c < 5; c++) {
        char settings[64];
        snprintf(settings, sizeof settings, "C=3 positive=%c", 'a' + (int)c);
        hsp_model *alone = machine_train(ctx, data, "logistic", settings, &one);
        CHECK(memcmp(hsp_model_weights(model[0], c), hsp_model_weights(alone, 0),
                     6 * sizeof(double)) == 0);
        hsp_model_free(alone);
    }
    hsp_model_free(model[0]);
    hsp_model_free(model[1]);
    hsp_data_free(data);
}

static void test_refusals(void)
{
    machine_set set;
    machine_random(&set, 20, 4, 2, 1, 1);
    hsp_data *data = machine_data(ctx, &set);
    machine_refused(ctx, data, "logistic", "C=1 lambda=1", HSP_USAGE, "one of them");
    machine_refused(ctx, data, "logistic", "weight=z=2", HSP_USAGE, "no class 'z'");
    machine_refused(ctx, data, "logistic", "row-weight=5", HSP_USAGE, "name or the number");
    hsp_data_free(data);
}

static void test_no_memory(void)
{
    machine_set set;
    machine_random(&set, 30, 3, 2, 1, 1);
    machine_starve(&set, "logistic", "keep-dual=yes");
}

int main(void)
{
    if (hsp_context_new(NULL, &ctx)) return 1;
    RUN(test_offset_alone);
    RUN(test_two_points);
    RUN(test_nothing_is_better);
    RUN(test_weights_are_copies);
    RUN(test_solvers_agree);
    RUN(test_dual_weights);
    RUN(test_classes_and_threads);
    RUN(test_refusals);
    RUN(test_no_memory);
    hsp_context_free(ctx);
    return check_done();
}
