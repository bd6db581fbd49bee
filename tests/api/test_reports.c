/* Reports begin with their size: the caller's says how much of them is filled. */
#include <stddef.h>

#include "../check.h"
#include "halfspace_all.h"

static hsp_context *ctx;
static hsp_data *data;
static hsp_options *options;

static void begin(void)
{
    static const char text[] = "1 1:1\n1 1:2\n-1 1:-1\n-1 1:-2\n";
    hsp_error err = {0};
    CHECK(hsp_context_new(NULL, &ctx) == HSP_OK);
    CHECK(hsp_data_parse(ctx, text, sizeof text - 1, "rows", NULL, NULL, &err, &data) == HSP_OK);
    CHECK(hsp_options_for(ctx, "svm", &err, &options) == HSP_OK);
}

static void end(void)
{
    hsp_options_free(options);
    hsp_data_free(data);
    hsp_context_free(ctx);
}

/* A program compiled with an earlier header has a shorter struct: what lies behind it stays. */
static void test_a_shorter_report_is_filled_as_far_as_it_goes(void)
{
    hsp_training run;
    hsp_error err = {0};
    hsp_model *model = NULL;
    begin();
    memset(&run, 0x5a, sizeof run);
    run.size = offsetof(hsp_training, passes);
    CHECK(hsp_train(ctx, data, options, &err, &run, &model) == HSP_OK);
    CHECK(run.size == offsetof(hsp_training, passes));
    CHECK(run.rows == 4 && run.cols == 1 && run.classes == 2);
    for (size_t i = offsetof(hsp_training, passes); i < sizeof run; i++)
        CHECK(((const unsigned char *)&run)[i] == 0x5a);
    hsp_model_free(model);
    end();
}

/* A program compiled with a later header has a longer one: what this library does not know is 0. */
static void test_a_longer_report_ends_in_zeros(void)
{
    struct {
        hsp_evaluation known;
        unsigned char later[24];
    } found;
    hsp_error err = {0};
    hsp_model *model = NULL;
    begin();
    memset(&found, 0x5a, sizeof found);
    found.known.size = sizeof found;
    CHECK(hsp_train(ctx, data, options, &err, NULL, &model) == HSP_OK);
    CHECK(hsp_evaluate(ctx, model, data, &err, &found.known, NULL) == HSP_OK);
    CHECK(found.known.size == sizeof found && found.known.n == 4 && found.known.mistakes == 0);
    for (size_t i = 0; i < sizeof found.later; i++)
        CHECK(found.later[i] == 0);
    hsp_model_free(model);
    end();
}

static void test_a_forgotten_size_is_told(void)
{
    hsp_training run = {.size = 0};
    hsp_error err = {0};
    hsp_model *model = NULL;
    begin();
    CHECK(hsp_train(ctx, data, options, &err, &run, &model) == HSP_USAGE && !model);
    CHECK_TEXT(err.message, "the member size of hsp_training is 0: set it to sizeof(hsp_training) "
                            "before the call");
    run.size = (size_t)1 << 40;
    CHECK(hsp_train(ctx, data, options, &err, &run, &model) == HSP_USAGE && !model);
    end();
}

/* Each family of learners has figures of its own, and a flag that says whose these are. */
static void test_figures_say_whether_they_apply(void)
{
    static const struct {
        const char *learner;
        int convergence, experts;
    } cases[] = {{"perceptron", 0, 0}, {"svm", 1, 0}, {"logistic", 1, 0}, {"experts", 0, 1}};
    begin();
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        hsp_training run = {.size = sizeof run};
        hsp_error err = {0};
        hsp_model *model = NULL;
        hsp_options *own = NULL;
        CHECK(hsp_options_for(ctx, cases[i].learner, &err, &own) == HSP_OK);
        CHECK_NOTE(hsp_train(ctx, data, own, &err, &run, &model) == HSP_OK, "%s: %s",
                   cases[i].learner, err.message);
        CHECK_NOTE(run.has_convergence == cases[i].convergence &&
                       run.has_experts == cases[i].experts,
                   "%s", cases[i].learner);
        CHECK((run.convergence.solver != NULL) == cases[i].convergence);
        hsp_model_free(model);
        hsp_options_free(own);
    }
    end();
}

/* The parts inside a report keep their sizes: a member that is added takes reserved ones. */
static void test_parts_of_a_report_keep_their_sizes(void)
{
    if (sizeof(void *) != 8) return;
    CHECK(sizeof(hsp_convergence) == 232 && sizeof(hsp_experts_report) == 152);
}

int main(void)
{
    RUN(test_parts_of_a_report_keep_their_sizes);
    RUN(test_a_shorter_report_is_filled_as_far_as_it_goes);
    RUN(test_a_longer_report_ends_in_zeros);
    RUN(test_a_forgotten_size_is_told);
    RUN(test_figures_say_whether_they_apply);
    return check_done();
}
