/* The learner `svm` with a kernel, from data and options to a model. */
#include "machine.h"

static hsp_context *ctx;

/* Coefficients and offsets alike, to the bit. */
static int same_bits(const hsp_model *a, const hsp_model *b)
{
    const uint64_t support = hsp_model_support(a, NULL);
    if (support != hsp_model_support(b, NULL) || hsp_model_scorers(a) != hsp_model_scorers(b))
        return 0;
    for (uint32_t c = 0; c < hsp_model_scorers(a); c++) {
        const double x = hsp_model_offset(a, c), y = hsp_model_offset(b, c);
        if (memcmp(&x, &y, sizeof x) != 0 ||
            memcmp(hsp_model_coefficients(a, c), hsp_model_coefficients(b, c),
                   support * sizeof(double)) != 0)
            return 0;
    }
    return 1;
}

static uint64_t mistakes(const machine_set *set, hsp_data *data, const hsp_model *model)
{
    static uint32_t found[MACHINE_ROWS];
    const hsp_view *view = NULL;
    double *scores = calloc(set->n * hsp_model_scorers(model), sizeof *scores);
    uint64_t wrong = 0;
    CHECK(hsp_data_view(ctx, data, NULL, &view) == HSP_OK);
    CHECK(hsp_model_score(ctx, model, view, NULL, scores, found) == HSP_OK);
    for (uint64_t i = 0; i < set->n; i++)
        wrong += found[i] != set->label[i];
    free(scores);
    return wrong;
}

/* Scores of the training rows by the expansion are what training said: margins of free support
 * vectors are 1, and the error is the one reported. */
static void models_say_what_training_said(void)
{
    static const char *const settings[] = {"kernel=rbf(0.2) C=3 gap=1e-5",
                                           "kernel=rbf(0.2) C=3 gap=1e-5 multiclass=ovo",
                                           "kernel=poly(2,1) C=0.1 scale=standard",
                                           "kernel=rbf(median) weight=a=2 loss=squared",
                                           "kernel=rbf(0.2) cache-mb=0",
                                           "kernel=rbf(0.2) cache-mb=0 multiclass=ovo"};
    machine_set set;
    for (uint32_t classes = 2; classes <= 4; classes += 2)
        for (size_t k = 0; k < sizeof settings / sizeof *settings; k++) {
            machine_random(&set, 150, 4, classes, 1.5, 3 + k);
            hsp_data *data = machine_data(ctx, &set);
            hsp_training run = {.size = sizeof run};
            hsp_model *model = machine_train(ctx, data, "svm", settings[k], &run);
            CHECK_TEXT(hsp_model_hypothesis(model), "kernel");
            CHECK(run.stop == HSP_STOP_CONVERGED && run.convergence.gap <= 1e-3);
            CHECK(run.convergence.support_vectors >= hsp_model_support(model, NULL));
            CHECK(run.convergence.complementarity <= 1);
            CHECK_NOTE(
                machine_near(run.training_error, (double)mistakes(&set, data, model) / 150, 1e-12),
                "%s: %g", settings[k], run.training_error);
            hsp_model_free(model);
            hsp_data_free(data);
        }
}

/* A class against the rest is the problem of two classes; a pair is that of its two classes. */
static void several_classes_are_problems_of_two(void)
{
    machine_set set;
    machine_random(&set, 120, 4, 3, 1.5, 11);
    hsp_data *data = machine_data(ctx, &set);
    hsp_training all = {.size = sizeof all}, one = {.size = sizeof one};
    hsp_model *rest = machine_train(ctx, data, "svm", "kernel=rbf(0.3) C=2 gap=1e-7", &all);
    double objective = 0;
    static const char *const alone[] = {"a", "b", "c"};
    for (int c = 0; c < 3; c++) {
        char settings[80];
        snprintf(settings, sizeof settings, "kernel=rbf(0.3) C=2 gap=1e-7 positive=%s", alone[c]);
        hsp_model *model = machine_train(ctx, data, "svm", settings, &one);
        objective += one.convergence.objective;
        hsp_model_free(model);
    }
    CHECK(machine_near(objective, all.convergence.objective, 1e-5));
    hsp_model_free(rest);
    hsp_model *pairs =
        machine_train(ctx, data, "svm", "kernel=rbf(0.3) C=2 gap=1e-7 multiclass=ovo", &all);
    objective = 0;
    static const char *const two[] = {"a,b", "a,c", "b,c"};
    for (int c = 0; c < 3; c++) {
        char settings[80];
        snprintf(settings, sizeof settings, "kernel=rbf(0.3) C=2 gap=1e-7 classes=%s", two[c]);
        hsp_model *model = machine_train(ctx, data, "svm", settings, &one);
        objective += one.convergence.objective;
        hsp_model_free(model);
    }
    CHECK(hsp_model_is_one_vs_one(pairs) && hsp_model_scorers(pairs) == 3);
    CHECK(machine_near(objective, all.convergence.objective, 1e-5));
    hsp_model_free(pairs);
    hsp_data_free(data);
}

static void linear_kernels_collapse(void)
{
    machine_set set;
    machine_random(&set, 100, 5, 2, 1, 5);
    hsp_data *data = machine_data(ctx, &set);
    hsp_training with = {.size = sizeof with}, without = {.size = sizeof without};
    hsp_model *kernel =
        machine_train(ctx, data, "svm", "kernel=linear gap=1e-8 keep-dual=yes", &with);
    hsp_model *linear = machine_train(ctx, data, "svm", "gap=1e-8", &without);
    CHECK_TEXT(hsp_model_hypothesis(kernel), "linear");
    CHECK(machine_near(with.convergence.objective, without.convergence.objective, 1e-7));
    CHECK(machine_distance(linear, kernel) <= 1e-3);
    CHECK(machine_rebuilt(&set, kernel) <= 1e-9);
    hsp_model_free(kernel);
    hsp_model_free(linear);
    hsp_data_free(data);
}

static void hard_margins_and_evidence(void)
{
    machine_set set = {
        .n = 4, .d = 2, .classes = 2, .x = {1, 1, -1, -1, 1, -1, -1, 1}, .label = {0, 0, 1, 1}};
    hsp_data *data = machine_data(ctx, &set);
    hsp_training run = {.size = sizeof run};
    hsp_model *model = machine_train(ctx, data, "svm", "kernel=poly(2,1) hard=yes", &run);
    CHECK(machine_near(run.convergence.margin, sqrt(2), 1e-6) && run.training_error == 0);
    hsp_model_free(model);
    model = machine_train(ctx, data, "svm", "kernel=linear hard=yes", &run);
    CHECK(!model && run.stop == HSP_STOP_INSEPARABLE && run.evidence);
    if (run.evidence) {
        CHECK(run.evidence->count == 4 && run.evidence->distance <= 1e-5);
        for (uint64_t k = 0; k < run.evidence->count; k++)
            CHECK(fabs(run.evidence->multiplier[k] - 0.5) <= 1e-3);
    }
    hsp_evidence_free(run.evidence);
    hsp_data_free(data);
}

static void threads_do_not_change_the_bits(void)
{
    static const char *const settings[] = {"kernel=rbf(0.2) C=3 multiclass=ovr",
                                           "kernel=rbf(0.2) C=3 multiclass=ovo",
                                           "kernel=rbf(0.2) C=3 multiclass=ovo cache-mb=0"};
    machine_set set;
    machine_random(&set, 160, 4, 4, 1, 9);
    hsp_data *data = machine_data(ctx, &set);
    for (int k = 0; k < 3; k++) {
        hsp_model *model[2];
        for (int t = 0; t < 2; t++) {
            hsp_context_set_threads(ctx, t ? 4 : 1);
            model[t] = machine_train(ctx, data, "svm", settings[k], NULL);
        }
        CHECK(same_bits(model[0], model[1]));
        hsp_model_free(model[0]);
        hsp_model_free(model[1]);
    }
    hsp_context_set_threads(ctx, 0);
    hsp_data_free(data);
}

static void starts_are_used(void)
{
    static const char *const how[] = {"ovr", "ovo"};
    machine_set set;
    machine_random(&set, 160, 4, 3, 1, 13);
    hsp_data *data = machine_data(ctx, &set);
    for (int k = 0; k < 2; k++) {
        char settings[80];
        snprintf(settings, sizeof settings, "kernel=rbf(0.2) multiclass=%s", how[k]);
        hsp_training run = {.size = sizeof run};
        hsp_model *first = machine_train(ctx, data, "svm", settings, &run);
        CHECK(run.updates > 0);
        hsp_model *again = machine_train_from(ctx, data, "svm", settings, first, &run);
        CHECK_NOTE(run.passes == 0 && run.convergence.gap <= 2e-3, "%s: %d", how[k],
                   (int)run.passes);
        hsp_model_free(first);
        hsp_model_free(again);
    }
    hsp_data_free(data);
}

static void what_cannot_be_is_refused(void)
{
    machine_set set;
    machine_random(&set, 30, 2, 3, 1, 1);
    hsp_data *data = machine_data(ctx, &set);
    machine_refused(ctx, data, "svm", "kernel=rbf(0.5", HSP_USAGE, "column 8");
    machine_refused(ctx, data, "svm", "kernel=sigmoid(1,0)", HSP_USAGE, "not a kernel");
    machine_refused(ctx, data, "svm", "kernel=linear penalty=l1 loss=squared", HSP_USAGE, "kernel");
    machine_refused(ctx, data, "svm", "kernel=linear solver=dcd", HSP_USAGE, "kernel");
    machine_refused(ctx, data, "svm", "kernel=linear multiclass=crammer-singer", HSP_USAGE,
                    "kernel");
    machine_refused(ctx, data, "svm", "cache-mb=5", HSP_USAGE, "kernel");
    machine_refused(ctx, data, "svm", "allow-indefinite=yes", HSP_USAGE, "kernel");
    machine_refused(ctx, data, "svm", "kernel=chi2(1)", HSP_BAD_DATA, "");
    hsp_training run = {.size = sizeof run};
    hsp_model *model =
        machine_train(ctx, data, "svm", "kernel=sigmoid(1,0) allow-indefinite=yes", &run);
    CHECK(run.stop == HSP_STOP_STALLED && run.convergence.gap == 1 &&
          isnan(run.convergence.dual_objective));
    hsp_model_free(model);
    hsp_data_free(data);
}

static void probabilities_on_top(void)
{
    machine_set set;
    machine_random(&set, 120, 3, 3, 2, 21);
    hsp_data *data = machine_data(ctx, &set);
    hsp_model *model =
        machine_train(ctx, data, "svm", "kernel=rbf(0.2) calibrate=platt multiclass=ovo", NULL);
    CHECK(hsp_model_has_probabilities(model));
    hsp_model_free(model);
    hsp_data_free(data);
}

static void memory_that_runs_out(void)
{
    machine_set set;
    machine_random(&set, 20, 2, 3, 1, 2);
    machine_starve(&set, "svm", "kernel=rbf(0.5) multiclass=ovo");
    machine_starve(&set, "svm", "kernel=rbf(0.5) multiclass=ovr loss=squared keep-dual=yes");
    machine_starve(&set, "svm", "kernel=linear cache-mb=0");
    machine_starve(&set, "svm", "kernel=linear hard=yes classes=a,b");
}

int main(void)
{
    if (hsp_context_new(NULL, &ctx)) return 1;
    RUN(models_say_what_training_said);
    RUN(several_classes_are_problems_of_two);
    RUN(linear_kernels_collapse);
    RUN(hard_margins_and_evidence);
    RUN(threads_do_not_change_the_bits);
    RUN(starts_are_used);
    RUN(what_cannot_be_is_refused);
    RUN(probabilities_on_top);
    RUN(memory_that_runs_out);
    hsp_context_free(ctx);
    return check_done();
}
