/* Any bytes as a model: read with a look at the checksums and without, which chance would never get
 * past; what is accepted is asked for everything it has, scores rows, and can be written. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/context.h"
#include "model/model.h"

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size);

static void fuzz_expect(hsp_status status, const hsp_error *err)
{
    if (status != HSP_OK && (status != HSP_BAD_DATA || !err->message[0])) abort();
}

/* Touch every number and name. */
static double fuzz_sum(const hsp_model *model)
{
    double sum = (double)strlen(hsp_model_hypothesis(model)) + (double)hsp_model_tie(model);
    const char *name;
    for (uint32_t k = 0; k < hsp_model_scorers(model); k++) {
        sum += hsp_model_offset(model, k);
        for (uint64_t j = 0; hsp_model_weights(model, k) && j < hsp_model_features(model); j++)
            sum += hsp_model_weights(model, k)[j];
        for (uint64_t i = 0; i < hsp_model_support(model, NULL); i++)
            sum += hsp_model_coefficients(model, k)[i];
    }
    hsp_knn_report near = {.size = sizeof near};
    if (hsp_model_knn(model, &near)) {
        sum += (double)strlen(near.metric) + (double)strlen(near.vote) + (double)strlen(near.index);
        for (uint64_t k = 0; k < near.tried; k++)
            sum += (double)near.mistakes[k];
    }
    if (hsp_model_kernel(model)) sum += (double)strlen(hsp_model_kernel(model));
    for (uint32_t c = 0; c < hsp_model_classes(model); c++)
        sum += (double)strlen(hsp_model_class_name(model, c));
    for (uint64_t j = 0; (name = hsp_model_feature_name(model, j)); j++)
        sum += (double)strlen(name);
    for (size_t i = 0; (name = hsp_model_metadata_name(model, i)); i++)
        sum += (double)strlen(hsp_model_metadata(model, name));
    hsp_row_coefficients updates = hsp_model_row_coefficients(model);
    for (uint64_t i = 0; i < updates.count; i++)
        sum += (double)updates.row[i] + updates.scorer[i] + updates.amount[i];
    return sum;
}

/* The class has the highest probability of a model that decides by them, else the highest class
 * score. */
static void fuzz_chances(const hsp_model *model, const double *scores, uint32_t class)
{
    const uint32_t classes = hsp_model_classes(model);
    const int calibrated = strcmp(hsp_model_calibration(model), "none") != 0;
    double *numbers = calloc(classes, sizeof *numbers), *p = calloc(classes, sizeof *p);
    int finite = numbers && p;
    for (uint32_t k = 0; finite && k < model->scorers; k++)
        finite = isfinite(scores[k]) != 0;
    if (finite) hsp_model_class_scores(model, scores, numbers);
    if (finite && hsp_model_has_probabilities(model)) hsp_model_probabilities(model, scores, p);
    const int settled = finite && class != HSP_NO_CLASS && !(hsp_model_threshold(model) > 0);
    for (uint32_t c = 0; settled && c < classes; c++)
        if ((!calibrated && numbers[c] > numbers[class]) || !(p[c] <= p[class])) abort();
    free(numbers);
    free(p);
}

static void fuzz_score(hsp_context *ctx, const hsp_model *model)
{
    enum { ROWS = 3, COLS = 4 };
    static const float dense[ROWS * COLS] = {1, -2, 0.5F, 0, 0, 0, 0, 0, 3e30F, 1, -1, 7};
    static const uint64_t starts[] = {0, 2, 2, 3};
    static const uint32_t indices[] = {0, 3, 1};
    double *scores = calloc((size_t)model->scorers * ROWS, sizeof *scores);
    uint32_t classes[ROWS];
    hsp_error err = {0};
    hsp_view views[] = {hsp_view_dense(HSP_FLOAT32, ROWS, COLS, COLS, dense),
                        hsp_view_sparse(HSP_FLOAT32, ROWS, COLS, 8, starts, indices, NULL)};
    for (int i = 0; scores && i < 2; i++) {
        const hsp_status status = hsp_model_score(ctx, model, &views[i], &err, scores, classes);
        fuzz_expect(status, &err);
        for (int row = 0; !status && row < ROWS; row++)
            fuzz_chances(model, scores + (size_t)row * model->scorers, classes[row]);
        if (model->features < COLS) views[i].cols = model->features;
        if (views[i].storage == HSP_DENSE)
            fuzz_expect(hsp_model_score(ctx, model, &views[i], &err, scores, classes), &err);
    }
    free(scores);
}

/* Neighbours of rows with more columns than the model knows, and a class that is the nearest's. */
static void fuzz_neighbors(hsp_context *ctx, const hsp_model *model)
{
    enum { COLS = 3 };
    static const double rows[2 * COLS] = {0, 1, -1, 1e200, 0, 0.5};
    const hsp_view view = hsp_view_dense(HSP_FLOAT64, 2, COLS, COLS, rows);
    hsp_neighbor near[2];
    hsp_error err = {0};
    if (model->hypothesis != HSP__NEIGHBORS) return;
    fuzz_expect(hsp_model_neighbors(ctx, model, &view, 1, &err, near), &err);
    if (!err.status && near[0].class_index >= hsp_model_classes(model)) abort();
}

static void fuzz_collapse(hsp_context *ctx, const hsp_model *model)
{
    hsp_model *linear = NULL;
    hsp_error err = {0};
    if (model->hypothesis != HSP__EXPANSION || model->features > 1000) return;
    fuzz_expect(hsp__model_collapse(ctx, model, &err, &linear), &err);
    hsp_model_free(linear);
}

static void fuzz_form(hsp_context *ctx, const hsp_model *model)
{
    static const char *const forms[] = {"homogeneous", "unit", "threshold"};
    for (int i = 0; i < 3; i++) {
        hsp_model *form = NULL;
        hsp_error err = {0};
        hsp_status status = hsp_model_form(ctx, model, forms[i], &err, &form);
        if (status != HSP_USAGE) fuzz_expect(status, &err);
        if (form) fuzz_expect(hsp__model_check(ctx, form, "form", &err), &err);
        hsp_model_free(form);
    }
}

static void fuzz_model(hsp_context *ctx, const void *bytes, size_t size, int verify)
{
    hsp_model *model = NULL;
    hsp_error err = {0};
    hsp_status status = hsp__model_parse(ctx, bytes, size, "fuzz", verify, &err, &model);
    fuzz_expect(status, &err);
    if (model) {
        volatile double sum = fuzz_sum(model);
        (void)sum;
        fuzz_score(ctx, model);
        fuzz_form(ctx, model);
        fuzz_collapse(ctx, model);
        fuzz_neighbors(ctx, model);
    }
    hsp_model_free(model);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
    hsp_context *ctx;
    void *aligned = malloc(size ? size : 1);
    if (!aligned || hsp_context_new(NULL, &ctx)) {
        free(aligned);
        return 0;
    }
    hsp_context_set_threads(ctx, 1);
    memcpy(aligned, bytes, size);
    fuzz_model(ctx, aligned, size, 1);
    fuzz_model(ctx, aligned, size, 0);
    hsp_context_free(ctx);
    free(aligned);
    return 0;
}
