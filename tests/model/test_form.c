/* Normal forms change no prediction. */
#include "model/helpers.h"

enum { ROWS = 50 };

/* Rows of random numbers, no two scores of which are within rounding of each other. */
static hsp_data *random_rows(hsp_context *ctx, hsp__random *random, uint64_t cols)
{
    hsp_data *rows = test_rows(ctx, random, ROWS, cols, HSP_DENSE);
    for (uint64_t i = 0; i < ROWS * cols; i++)
        ((float *)rows->values)[i] = (float)hsp__random_normal(random);
    return rows;
}

static hsp_model *random_model(hsp_context *ctx, hsp__random *random)
{
    hsp_model *model = test_linear(ctx, random, 2 + (uint32_t)hsp__random_below(random, 3),
                                   1 + hsp__random_below(random, 12));
    for (uint64_t i = 0; i < model->scorers * model->features; i++)
        model->weights[i] = 10 * hsp__random_normal(random);
    if (hsp__random_below(random, 2)) {
        test_name(&model->feature_names, "constant");
        for (uint64_t j = 1; j < model->features; j++) {
            char name[32];
            snprintf(name, sizeof name, "f%llu", (unsigned long long)j);
            test_name(&model->feature_names, name);
        }
    }
    if (hsp__random_below(random, 2))
        model->scalings[0] = test_scaling(ctx, random, "standard", model->features);
    test_add_updates(ctx, random, model);
    return model;
}

static void forms_change_no_prediction(void)
{
    static const char *const forms[] = {"homogeneous", "unit", "threshold"};
    hsp_context *ctx = test_context(1, 0);
    for (uint64_t seed = 0; seed < 300; seed++) {
        double s[ROWS * 4], t[ROWS * 4];
        uint32_t c[ROWS], d[ROWS];
        hsp__random random;
        hsp__random_seed(&random, 1, seed);
        hsp_model *now = random_model(ctx, &random);
        hsp_data *rows = random_rows(ctx, &random, now->features);
        CHECK(hsp_model_score(ctx, now, &rows->view, NULL, s, c) == HSP_OK);
        for (int step = 0; step < 4; step++) { /* one form of another */
            const char *form = forms[hsp__random_below(&random, now->scorers == 1 ? 3 : 2)];
            hsp_model *next = NULL;
            hsp_error err = {0};
            CHECK_NOTE(hsp_model_form(ctx, now, form, &err, &next) == HSP_OK, "%s", err.message);
            CHECK(hsp__model_check(ctx, next, NULL, NULL) == HSP_OK);
            CHECK_TEXT(hsp_model_metadata(next, "form"), form);
            CHECK(hsp_model_score(ctx, next, &rows->view, NULL, t, d) == HSP_OK);
            CHECK(memcmp(c, d, sizeof c) == 0);
            if (step == 0 && strcmp(form, "unit") != 0)
                CHECK(memcmp(s, t, ROWS * now->scorers * sizeof *s) == 0);
            hsp_model_free(now);
            now = next;
        }
        hsp_data_free(rows);
        hsp_model_free(now);
    }
    hsp_context_free(ctx);
}

static void homogeneous_has_no_offset(void)
{
    hsp_context *ctx = test_context(1, 0);
    hsp__random random;
    hsp_model *form = NULL, *again = NULL, *back = NULL;
    double s, t;
    const char *path = test_path("form.model");
    hsp__random_seed(&random, 2, 0);
    hsp_model *model = test_linear(ctx, &random, 2, 2);
    test_name(&model->feature_names, "constant");
    test_name(&model->feature_names, "b");
    model->offsets[0] = -3;
    CHECK(hsp_model_form(ctx, model, "homogeneous", NULL, &form) == HSP_OK);
    CHECK(hsp_model_features(form) == 3 && hsp_model_offset(form, 0) == 0);
    CHECK(hsp_model_weights(form, 0)[2] == -3);
    CHECK_TEXT(hsp_model_feature_name(form, 2), "constant.2");
    /* with the constant in the row, or without, or with another; it survives a file, and being
     * asked for twice */
    const float without[] = {1, 2}, with[] = {1, 2, 1}, wrong[] = {1, 2, 5};
    hsp_view two = hsp_view_dense(HSP_FLOAT32, 1, 2, 2, without);
    hsp_view three = hsp_view_dense(HSP_FLOAT32, 1, 3, 3, with);
    hsp_view bad = hsp_view_dense(HSP_FLOAT32, 1, 3, 3, wrong);
    CHECK(hsp_model_score(ctx, model, &two, NULL, &s, NULL) == HSP_OK);
    CHECK(hsp_model_score(ctx, form, &two, NULL, &t, NULL) == HSP_OK && s == t);
    CHECK(hsp_model_score(ctx, form, &three, NULL, &t, NULL) == HSP_OK && s == t);
    CHECK(hsp_model_score(ctx, form, &bad, NULL, &t, NULL) == HSP_OK && s == t);
    CHECK(hsp_model_form(ctx, form, "homogeneous", NULL, &again) == HSP_OK);
    CHECK(hsp_model_features(again) == 3);
    CHECK(hsp_model_write(ctx, form, path, NULL) == HSP_OK);
    CHECK(hsp_model_read(ctx, path, NULL, &back) == HSP_OK);
    CHECK(hsp_model_score(ctx, back, &two, NULL, &t, NULL) == HSP_OK && s == t);
    unlink(path);
    hsp_model_free(back);
    hsp_model_free(again);
    hsp_model_free(form);
    hsp_model_free(model);
    hsp_context_free(ctx);
}

static void unit_has_length_1(void)
{
    hsp_context *ctx = test_context(1, 0);
    for (uint64_t seed = 0; seed < 100; seed++) {
        hsp__random random;
        hsp_model *form = NULL;
        hsp__random_seed(&random, 3, seed);
        hsp_model *model = random_model(ctx, &random);
        CHECK(hsp_model_form(ctx, model, "unit", NULL, &form) == HSP_OK);
        double longest = 0;
        for (uint32_t k = 0; k < form->scorers; k++) {
            double squares = 0;
            for (uint64_t j = 0; j < form->features; j++)
                squares += hsp_model_weights(form, k)[j] * hsp_model_weights(form, k)[j];
            longest = fmax(longest, sqrt(squares));
        }
        CHECK(fabs(longest - 1) <= 1e-14);
        /* the updates rebuild the new weights as they did the old ones */
        CHECK(fabs(hsp_model_row_coefficients(form).amount[0] * model->weights[0] -
                   hsp_model_row_coefficients(model).amount[0] * form->weights[0]) <= 1e-12);
        hsp_model_free(form);
        hsp_model_free(model);
    }
    hsp_context_free(ctx);
}

static void threshold_is_minus_the_offset(void)
{
    hsp_context *ctx = test_context(1, 0);
    hsp__random random;
    hsp_model *form = NULL, *unit = NULL;
    hsp__random_seed(&random, 4, 0);
    hsp_model *model = test_linear(ctx, &random, 2, 2);
    model->weights[0] = 3;
    model->weights[1] = -4;
    model->offsets[0] = 2.5;
    CHECK(hsp_model_form(ctx, model, "threshold", NULL, &form) == HSP_OK);
    CHECK_TEXT(hsp_model_metadata(form, "threshold"), "-2.5");
    CHECK(hsp_model_form(ctx, form, "unit", NULL, &unit) == HSP_OK);
    CHECK_TEXT(hsp_model_metadata(unit, "threshold"), "-0.5");
    hsp_model_free(unit);
    hsp_model_free(form);
    hsp_model_free(model);
    hsp_context_free(ctx);
}

/* The constant feature of the homogeneous form is no part of the weights' length, and counts once
 * in the threshold. */
static void homogeneous_is_undone(void)
{
    hsp_context *ctx = test_context(1, 0);
    hsp__random random;
    hsp_model *form = NULL, *unit = NULL, *threshold = NULL, *again = NULL;
    hsp__random_seed(&random, 6, 0);
    hsp_model *model = test_linear(ctx, &random, 2, 2);
    test_name(&model->feature_names, "a");
    test_name(&model->feature_names, "b");
    model->weights[0] = 3;
    model->weights[1] = -4;
    model->offsets[0] = 2.5;
    CHECK(hsp_model_form(ctx, model, "homogeneous", NULL, &form) == HSP_OK);
    CHECK(hsp_model_form(ctx, form, "unit", NULL, &unit) == HSP_OK);
    CHECK(hsp_model_features(unit) == 2 && hsp_model_offset(unit, 0) == 0.5);
    CHECK(hsp_model_weights(unit, 0)[0] == 0.6 && hsp_model_weights(unit, 0)[1] == -0.8);
    CHECK_TEXT(hsp_model_feature_name(unit, 1), "b");
    CHECK(hsp_model_feature_name(unit, 2) == NULL);
    CHECK(hsp_model_form(ctx, form, "threshold", NULL, &threshold) == HSP_OK);
    CHECK(hsp_model_features(threshold) == 2 && hsp_model_offset(threshold, 0) == 2.5);
    CHECK_TEXT(hsp_model_metadata(threshold, "threshold"), "-2.5");
    CHECK(hsp_model_form(ctx, threshold, "homogeneous", NULL, &again) == HSP_OK);
    CHECK(hsp_model_features(again) == 3 && hsp_model_weights(again, 0)[2] == 2.5);
    CHECK_TEXT(hsp_model_metadata(again, "threshold"), "0");
    hsp_model_free(again);
    hsp_model_free(threshold);
    hsp_model_free(unit);
    hsp_model_free(form);
    hsp_model_free(model);
    hsp_context_free(ctx);
}

static void unit_says_what_it_divided_by(void)
{
    hsp_context *ctx = test_context(1, 0);
    hsp__random random;
    hsp_model *unit = NULL, *again = NULL;
    hsp__random_seed(&random, 7, 0);
    hsp_model *model = test_linear(ctx, &random, 2, 2);
    model->weights[0] = 3;
    model->weights[1] = -4;
    CHECK(hsp_model_form(ctx, model, "unit", NULL, &unit) == HSP_OK);
    CHECK_TEXT(hsp_model_metadata(unit, "divided_by"), "5");
    unit->weights[0] *= 2;
    unit->weights[1] *= 2;
    CHECK(hsp_model_form(ctx, unit, "unit", NULL, &again) == HSP_OK);
    CHECK_TEXT(hsp_model_metadata(again, "divided_by"), "10");
    hsp_model_free(again);
    hsp_model_free(unit);
    hsp_model_free(model);
    hsp_context_free(ctx);
}

static void what_has_no_form_is_refused(void)
{
    hsp_context *ctx = test_context(1, 0);
    hsp__random random;
    hsp_model *form = NULL;
    hsp_error err = {0};
    hsp__random_seed(&random, 5, 0);
    hsp_model *model = test_linear(ctx, &random, 3, 2);
    CHECK(hsp_model_form(ctx, model, "threshold", &err, &form) == HSP_USAGE);
    CHECK(hsp_model_form(ctx, model, "round", &err, &form) == HSP_USAGE);
    memset(model->weights, 0, 6 * sizeof *model->weights);
    CHECK(hsp_model_form(ctx, model, "unit", &err, &form) == HSP_USAGE);
    test_add_votes(ctx, &random, model, HSP_DENSE);
    CHECK(hsp_model_form(ctx, model, "unit", &err, &form) == HSP_USAGE);
    CHECK(form == NULL);
    hsp_model_free(model);
    hsp_context_free(ctx);
}

int main(void)
{
    RUN(forms_change_no_prediction);
    RUN(homogeneous_has_no_offset);
    RUN(unit_has_length_1);
    RUN(threshold_is_minus_the_offset);
    RUN(homogeneous_is_undone);
    RUN(unit_says_what_it_divided_by);
    RUN(what_has_no_form_is_refused);
    return check_done();
}
