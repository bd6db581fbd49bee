/* Normal forms of a linear model: other weights, the same predictions.
 *
 *     homogeneous   (w, b), 0 on (x, 1): one more feature that is 1 in every row; the model
 * supplies it unit          w / ||w||, b / ||w||: the score is the signed distance threshold <w, x>
 * > t with t = -b: the numbers as they are, and the fact `threshold`
 *
 * Homogeneous and threshold forms give the same scores to the bit. Dividing rounds: the sign of a
 * score that is within rounding of zero may change (a score of exactly zero may become 1e-17); no
 * division by anything but a power of two can avoid that. With more than two classes all scorers
 * are divided by one number, the largest ||w||, since the highest score must stay the highest. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/context.h"
#include "base/decimal.h"
#include "base/error.h"
#include "base/memory.h"
#include "data/data.h"
#include "data/sweep.h"
#include "model/model.h"

static double form_length(const hsp_model *model, uint32_t scorer)
{
    const uint64_t n = model->features;
    hsp_view weights =
        hsp_view_dense(HSP_FLOAT64, 1, n, n, model->weights + scorer * model->features);
    hsp__row row = hsp__view_row(&weights, 0);
    return hsp__row_norm(&weights, &row);
}

static hsp_status form_unit(hsp_model *model, hsp_error *err)
{
    union { /* const for those who look at a model; this one is a copy that is being made */
        const double *seen;
        double *own;
    } amounts = {model->updates.amount};
    double length = 0;
    for (uint32_t k = 0; k < model->scorers; k++)
        length = fmax(length, form_length(model, k));
    if (!(length > 0) || !isfinite(length))
        return hsp__fail(err, HSP_USAGE,
                         "the weights have length %.9g, which cannot be made 1 by dividing",
                         length);
    for (uint64_t i = 0; i < model->scorers * model->features; i++)
        model->weights[i] /= length;
    for (uint32_t k = 0; k < model->scorers; k++) {
        model->offsets[k] /= length;
        if (!isfinite(model->offsets[k]))
            return hsp__fail(err, HSP_USAGE,
                             "the offset divided by the weights' length %.9g is "
                             "out of range",
                             length);
    }
    for (uint64_t i = 0; i < model->updates.count; i++)
        amounts.own[i] /= length;
    return HSP_OK;
}

/* A name that no feature has yet. */
static int form_name_constant(hsp__names *names)
{
    char name[32] = "constant";
    uint32_t number;
    for (unsigned i = 2; hsp__names_find(names, name, strlen(name)) != HSP__NAME_NONE; i++)
        snprintf(name, sizeof name, "constant.%u", i);
    return hsp__names_add(names, name, strlen(name), &number);
}

static hsp_status form_homogeneous(hsp_model *model, hsp_error *err)
{
    const uint64_t n = model->features;
    if (model->constant) return HSP_OK;
    double *weights = hsp__new(&model->memory, model->scorers * (n + 1), sizeof *weights);
    if (!weights) return hsp__fail_memory(err);
    for (uint32_t k = 0; k < model->scorers; k++) {
        if (n) memcpy(weights + k * (n + 1), model->weights + k * n, n * sizeof *weights);
        weights[k * (n + 1) + n] = model->offsets[k];
        model->offsets[k] = 0;
    }
    hsp__free(&model->memory, model->weights);
    model->weights = weights;
    model->features = n + 1;
    model->constant = 1;
    if (model->feature_names.count && !form_name_constant(&model->feature_names))
        return hsp__fail_memory(err);
    return HSP_OK;
}

static hsp_status form_threshold(hsp_model *model, hsp_error *err)
{
    char number[HSP__DECIMAL_MAX];
    if (model->scorers != 1)
        return hsp__fail(err, HSP_USAGE, "a threshold is for two classes; this model has %u",
                         model->class_names.count);
    hsp__decimal_print_f64(0 - hsp__model_bias(model, 0), number);
    return hsp__model_set_fact(model, "threshold", number, err);
}

hsp_status hsp_model_form(hsp_context *ctx, const hsp_model *model, const char *form,
                          hsp_error *err, hsp_model **out)
{
    static const struct {
        const char *name;
        hsp_status (*make)(hsp_model *model, hsp_error *err);
    } forms[] = {
        {"homogeneous", form_homogeneous}, {"unit", form_unit}, {"threshold", form_threshold}};
    size_t i = 0;
    while (i < 3 && strcmp(form, forms[i].name) != 0)
        i++;
    if (i == 3)
        return hsp__fail(err, HSP_USAGE,
                         "there is no form '%s', expected homogeneous, unit or threshold", form);
    if (model->hypothesis != HSP__LINEAR)
        return hsp__fail(err, HSP_USAGE, "only a linear model has normal forms; this one votes");
    hsp_model *copy = NULL;
    hsp_status status = hsp__model_copy(ctx, model, err, &copy);
    if (status) return status;
    status = forms[i].make(copy, err);
    if (!status && hsp_model_fact(copy, "threshold")) status = form_threshold(copy, err);
    if (!status) status = hsp__model_set_fact(copy, "form", form, err);
    if (status)
        hsp_model_free(copy);
    else
        *out = copy;
    return status;
}
