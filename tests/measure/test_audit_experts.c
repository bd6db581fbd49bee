/* Audits of panels of experts: whatever the run, its recount agrees and its bounds hold; what the
 * model says of its run is not believed. */
#include "helpers.h"

enum { EXPERTS_ROWS = 40, EXPERTS_COLS = 5 };

typedef struct experts_case {
    hsp_context *ctx;
    hsp_data *data;
    hsp_model *model;
    char settings[160];
} experts_case;

static hsp_model *experts_train(hsp_context *ctx, hsp_data *data, const char *settings)
{
    hsp_options *options = test_options(ctx, hsp_learner_find("experts"), settings);
    hsp_model *model = NULL;
    hsp_error err = {0};
    CHECK_NOTE(hsp_train(ctx, data, options, &err, NULL, &model) == HSP_OK, "%s", err.message);
    hsp_options_free(options);
    return model;
}

/* Rows of chance, and settings of chance. */
static experts_case experts_make(uint64_t k)
{
    static const char *const betas[] = {"0.5", "0.9", "0.1", "0.999999999", "1e-100", "0.75"};
    static const char *const votes[] = {"auto", "sign", "bit"}, *const ties[] = {"neg", "pos",
                                                                                 "zero"};
    double x[EXPERTS_ROWS * EXPERTS_COLS];
    uint32_t label[EXPERTS_ROWS];
    hsp__random random;
    experts_case made = {0};
    hsp__random_seed(&random, 71, k);
    const uint64_t rows = 2 + hsp__random_below(&random, EXPERTS_ROWS - 2);
    const uint64_t cols = 1 + hsp__random_below(&random, EXPERTS_COLS);
    for (uint64_t i = 0; i < rows; i++) {
        label[i] = i < 2 ? (uint32_t)i : (uint32_t)hsp__random_below(&random, 2);
        for (uint64_t j = 0; j < cols; j++)
            x[i * cols + j] = (double)hsp__random_below(&random, j % 2 ? 2 : 3) - (j % 2 ? 0 : 1);
    }
    if (hsp_context_new(NULL, &made.ctx)) abort();
    made.data = test_data(made.ctx, rows, cols, x, label, 2, NULL);
    snprintf(made.settings, sizeof made.settings,
             "beta=%s votes=%s tie=%s negated=%s randomized=%s order=%s passes=%d seed=%d%s",
             betas[hsp__random_below(&random, 6)], votes[hsp__random_below(&random, 3)],
             ties[hsp__random_below(&random, 3)], hsp__random_below(&random, 2) ? "yes" : "no",
             hsp__random_below(&random, 2) ? "yes" : "no",
             hsp__random_below(&random, 2) ? "shuffle" : "cyclic",
             1 + (int)hsp__random_below(&random, 4), (int)hsp__random_below(&random, 100),
             hsp__random_below(&random, 3) ? "" : " scale=standard");
    made.model = experts_train(made.ctx, made.data, made.settings);
    return made;
}

static void experts_free(experts_case *made)
{
    hsp_model_free(made->model);
    hsp_data_free(made->data);
    hsp_context_free(made->ctx);
}

/* How many entries are exceeded; -1: the audit was refused. */
static int experts_exceeded(const experts_case *made, const hsp_model *model, char *which)
{
    hsp_mistake_bound *bounds = NULL;
    size_t count = 0;
    int exceeded = 0;
    which[0] = 0;
    if (hsp_audit(made->ctx, model, made->data, NULL, NULL, &bounds, &count)) return -1;
    for (size_t i = 0; i < count; i++) {
        if (!bounds[i].applies || bounds[i].held) continue;
        exceeded++;
        snprintf(which, 80, "%.20s: %.50s", bounds[i].name, bounds[i].why);
    }
    CHECK(count == (strstr(made->settings, "randomized=yes") ? 8 : 7));
    hsp_mistake_bounds_free(bounds);
    return exceeded;
}

static void test_runs_hold(void)
{
    for (uint64_t k = 0; k < 1500; k++) {
        experts_case made = experts_make(k);
        char which[80];
        CHECK_NOTE(experts_exceeded(&made, made.model, which) == 0, "%s: %s", made.settings, which);
        experts_free(&made);
    }
}

static void test_forms_hold(void)
{
    static const char *const forms[] = {"unit", "homogeneous", "threshold"};
    for (uint64_t k = 0; k < 60; k++) {
        experts_case made = experts_make(k);
        hsp_model *other = NULL;
        char which[80];
        if (hsp_model_form(made.ctx, made.model, forms[k % 3], NULL, &other) == HSP_OK)
            CHECK_NOTE(experts_exceeded(&made, other, which) == 0, "%s %s: %s", forms[k % 3],
                       made.settings, which);
        hsp_model_free(other);
        experts_free(&made);
    }
}

/* The second expert falls far behind, and is the best in the end. */
static void test_late_best_holds(void)
{
    static const struct {
        const char *beta;
        uint64_t behind, rows;
    } runs[] = {{"0.5", 17000, 37000}, {"1e-100", 60, 260}};
    for (int r = 0; r < 2; r++) {
        const uint64_t rows = runs[r].rows;
        double *x = calloc(2 * rows, sizeof *x);
        uint32_t *label = calloc(rows, sizeof *label);
        experts_case made = {0};
        if (!x || !label || hsp_context_new(NULL, &made.ctx)) abort();
        for (uint64_t i = 0; i < rows; i++) {
            label[i] = i % 2;
            x[2 * i] = (label[i] ? 1 : -1) * (i < runs[r].behind ? 1 : -1);
            x[2 * i + 1] = -x[2 * i];
        }
        made.data = test_data(made.ctx, rows, 2, x, label, 2, NULL);
        snprintf(made.settings, sizeof made.settings, "beta=%s", runs[r].beta);
        made.model = experts_train(made.ctx, made.data, made.settings);
        char which[80];
        CHECK_NOTE(experts_exceeded(&made, made.model, which) == 0, "%s: %s", made.settings, which);
        experts_free(&made);
        free(x);
        free(label);
    }
}

/* Every figure that the model has, made another one. */
static void test_lies_are_found(void)
{
    static const char *const facts[][2] = {{"mistakes", "100000"},
                                           {"mistakes", "0"},
                                           {"best_mistakes", "0.25"},
                                           {"best_column", "77"}};
    experts_case made = experts_make(3);
    hsp_model_free(made.model);
    made.model = experts_train(made.ctx, made.data, "");
    strcpy(made.settings, "");
    char which[80];
    CHECK(experts_exceeded(&made, made.model, which) == 0);
    for (int i = 0; i < 4; i++) {
        char before[80];
        snprintf(before, sizeof before, "%s", hsp_model_metadata(made.model, facts[i][0]));
        test_fact(made.model, facts[i][0], facts[i][1]);
        CHECK_NOTE(experts_exceeded(&made, made.model, which) > 0, "%s", facts[i][0]);
        test_fact(made.model, facts[i][0], before);
    }
    made.model->weights[0] += 0.01;
    CHECK(experts_exceeded(&made, made.model, which) == 1 && strncmp(which, "weights", 7) == 0);
    made.model->weights[0] -= 0.01;
    made.model->offsets[0] += 0.1;
    CHECK(experts_exceeded(&made, made.model, which) == 1 && strncmp(which, "weights", 7) == 0);
    experts_free(&made);
}

static int experts_stop(void *user, const hsp_progress *progress)
{
    (void)user;
    return strcmp(progress->phase, "recounting") == 0;
}

/* A count that no run makes is refused, and a long recount can be stopped. */
static void test_long_runs_end(void)
{
    experts_case made = experts_make(5);
    hsp_mistake_bound *bounds = NULL;
    hsp_error err = {0};
    size_t count;
    test_fact(made.model, "examples", "99999999999999");
    CHECK(hsp_audit(made.ctx, made.model, made.data, NULL, &err, &bounds, &count) == HSP_BAD_DATA);
    CHECK_NOTE(strstr(err.message, "99999999999999 votes") != NULL, "%s", err.message);
    test_fact(made.model, "passes", "99999999999999");
    hsp_context_set_progress(made.ctx, experts_stop, NULL);
    CHECK(hsp_audit(made.ctx, made.model, made.data, NULL, &err, &bounds, &count) == HSP_CANCELLED);
    experts_free(&made);
}

static void test_refused(void)
{
    experts_case made = experts_make(5), other = experts_make(6);
    hsp_mistake_bound *bounds = NULL;
    hsp_error err = {0};
    size_t count;
    CHECK(hsp_audit(made.ctx, made.model, made.data, made.model, &err, &bounds, &count) ==
          HSP_USAGE);
    CHECK(strstr(err.message, "experts are compared with the best expert;"));
    CHECK(hsp_audit(made.ctx, made.model, other.data, NULL, &err, &bounds, &count) == HSP_BAD_DATA);
    test_fact(made.model, "learner", "perceptron");
    CHECK(hsp_audit(made.ctx, made.model, made.data, NULL, &err, &bounds, &count) == HSP_USAGE);
    CHECK(strstr(err.message, "--reference is missing; give a model that"));
    experts_free(&made);
    experts_free(&other);
}

int main(void)
{
    RUN(test_runs_hold);
    RUN(test_late_best_holds);
    RUN(test_forms_hold);
    RUN(test_lies_are_found);
    RUN(test_long_runs_end);
    RUN(test_refused);
    return check_done();
}
