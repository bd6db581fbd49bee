/* The options that a model was trained with, given back; the data that it was trained on. */
#include "model/helpers.h"

static void options_come_back(void)
{
    hsp_context *ctx = test_context(1, 0);
    hsp__random random;
    hsp_options *options = NULL;
    hsp__random_seed(&random, 1, 0);
    hsp_model *model = test_linear(ctx, &random, 2, 2);
    CHECK(hsp_options_new(ctx, hsp_learner_find("perceptron"), NULL, &options) == HSP_OK);
    CHECK(hsp__model_set_metadata(model, "learner", hsp_learner_find("perceptron")->name, NULL) ==
          HSP_OK);
    CHECK(hsp__model_set_metadata(model, "options",
                                  "{\"passes\":1000000000000,\"rate\":0.1,\"order\":\"shuffle\","
                                  "\"positive\":\"\\u0001\\\"x\",\"classes\":null}",
                                  NULL) == HSP_OK);
    CHECK(hsp_model_set_options(model, options, NULL) == HSP_OK);
    CHECK(hsp_options_integer(options, "passes") == 1000000000000);
    CHECK(hsp_options_real(options, "rate") == 0.1);
    CHECK_TEXT(hsp_options_text(options, "order"), "shuffle");
    CHECK_TEXT(hsp_options_text(options, "positive"), "\001\"x");
    CHECK(hsp_options_text(options, "classes") == NULL);
    hsp_options_free(options);
    hsp_model_free(model);
    hsp_context_free(ctx);
}

static void what_is_not_said_is_refused(void)
{
    hsp_context *ctx = test_context(1, 0);
    hsp__random random;
    hsp_options *options = NULL;
    hsp_error err = {0};
    hsp__random_seed(&random, 2, 0);
    hsp_model *model = test_linear(ctx, &random, 2, 2);
    CHECK(hsp_options_new(ctx, hsp_learner_find("perceptron"), NULL, &options) == HSP_OK);
    CHECK(hsp_model_set_options(model, options, &err) == HSP_USAGE);
    hsp__model_set_metadata(model, "learner", "oracle", NULL);
    hsp__model_set_metadata(model, "options", "{\"passes\":1", NULL);
    CHECK(hsp_model_set_options(model, options, &err) == HSP_USAGE);
    CHECK(strstr(err.message, "'oracle'") != NULL);
    hsp__model_set_metadata(model, "learner", hsp_learner_find("perceptron")->name, NULL);
    CHECK(hsp_model_set_options(model, options, &err) == HSP_BAD_DATA);
    hsp__model_set_metadata(model, "options", "{\"nosuch\":1}", NULL);
    CHECK(hsp_model_set_options(model, options, &err) == HSP_USAGE);
    hsp_options_free(options);
    hsp_model_free(model);
    hsp_context_free(ctx);
}

/* A chain of warm starts: what each model has seen, itself or through its start. */
static void what_a_model_has_seen(void)
{
    hsp_context *ctx = test_context(1, 0);
    hsp__random random;
    hsp__random_seed(&random, 3, 0);
    hsp_model *model[4];
    for (int i = 0; i < 4; i++)
        model[i] = test_linear(ctx, &random, 2, 2);
    CHECK(hsp__model_trained_on(model[0], "crc32:a") == HSP__TRAINED_UNKNOWN);
    hsp__model_set_metadata(model[0], "data_hash", "crc32:a", NULL);
    CHECK(hsp__model_trained_on(model[0], "crc32:a") == HSP__TRAINED_YES);
    CHECK(hsp__model_trained_on(model[0], "crc32:aa") == HSP__TRAINED_NO);
    hsp__model_set_metadata(model[1], "data_hash", "crc32:b", NULL);
    CHECK(hsp__model_add_start(model[1], model[0], NULL) == HSP_OK);
    CHECK(hsp__model_add_start(model[1], model[0], NULL) == HSP_OK); /* nothing is listed twice */
    CHECK_TEXT(hsp_model_metadata(model[1], "earlier_data_hashes"), "crc32:a");
    CHECK(hsp__model_trained_on(model[1], "crc32:a") == HSP__TRAINED_YES);
    CHECK(hsp__model_trained_on(model[1], "crc32:c") == HSP__TRAINED_NO);
    hsp__model_set_metadata(model[2], "data_hash", "crc32:c", NULL);
    CHECK(hsp__model_add_start(model[2], model[1], NULL) == HSP_OK);
    CHECK_TEXT(hsp_model_metadata(model[2], "earlier_data_hashes"), "crc32:b crc32:a");
    CHECK(hsp__model_add_start(model[2], model[3], NULL) == HSP_OK); /* which does not say */
    CHECK(hsp__model_trained_on(model[2], "crc32:a") == HSP__TRAINED_YES);
    CHECK(hsp__model_trained_on(model[2], "crc32:d") == HSP__TRAINED_UNKNOWN);
    for (int i = 0; i < 4; i++)
        hsp_model_free(model[i]);
    hsp_context_free(ctx);
}

static void ties_and_stops_have_names(void)
{
    CHECK_TEXT(hsp_tie_name(HSP_TIE_NEG), "neg");
    CHECK_TEXT(hsp_tie_name(HSP_TIE_ZERO), "zero");
    CHECK_TEXT(hsp_stop_name(HSP_STOP_CONVERGED), "converged");
    CHECK_TEXT(hsp_stop_name(HSP_STOP_REQUEST), "request");
}

int main(void)
{
    RUN(options_come_back);
    RUN(what_is_not_said_is_refused);
    RUN(what_a_model_has_seen);
    RUN(ties_and_stops_have_names);
    return check_done();
}
