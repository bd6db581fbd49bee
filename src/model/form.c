/* Normal forms of a linear model: other weights, the same predictions.
 *
 *     homogeneous   (w, b), 0 on (x, 1): one more feature, 1 in every row, that the model supplies
 *
 *     unit          w / ||w||, b / ||w||: the score is the signed distance
 *
 *     threshold     <w, x> > t with t = -b: the numbers as they are, and the fact `threshold`
 *
 * The last two are about the weights that rows meet: what the homogeneous form has as the weight of
 * its constant feature is an offset again before they are made.
 *
 * Homogeneous and threshold forms give the same scores to the bit. Dividing rounds: the sign of a
 * score that is within rounding of zero may change (a score of exactly zero may become 1e-17); no
 * division by anything but a power of two can avoid that. Probabilities are of the scores before
 * the division: the model keeps what to multiply by. With more than two classes all scorers
 * are divided by one number, the largest ||w||, since the highest score must stay the highest. */
#include <stdio.h>

#include "base/base.h"
#include "base/decimal.h"
#include "data/data.h"
#include "data/sweep.h"
#include "model/model.h"

static double form_length(const hsp_model *model, uint32_t scorer)
{
    const uint64_t n = model->features;
    hsp_view weights = hsp_view_dense(HSP_FLOAT64, 1, n, n, model->weights + scorer * n);
    hsp__row row = hsp__view_row(&weights, 0);
    return hsp__row_norm(&weights, &row);
}

static hsp_status form_drop_last_name(hsp__names *names, hsp_error *err)
{
    hsp__names fewer;
    uint32_t number;
    int room = 1;
    hsp__names_init(&fewer, &names->memory);
    for (uint32_t i = 0; room && i + 1 < names->count; i++)
        room = hsp__names_add(&fewer, hsp__names_get(names, i), hsp__names_size(names, i), &number);
    hsp__names_free(room ? names : &fewer);
    if (!room) return hsp__fail_memory(err);
    *names = fewer;
    return HSP_OK;
}

/* Out of the homogeneous form: the constant feature's weight is an offset again. */
static hsp_status form_plain(hsp_model *model, hsp_error *err)
{
    const uint64_t n = hsp__model_inputs(model);
    if (!model->constant) return HSP_OK;
    if (model->feature_names.count) {
        hsp_status status = form_drop_last_name(&model->feature_names, err);
        if (status) return status;
    }
    for (uint32_t k = 0; k < model->scorers; k++) {
        model->offsets[k] = hsp__model_bias(model, k);
        memmove(model->weights + k * n, model->weights + k * (n + 1), n * sizeof *model->weights);
    }
    model->features = n;
    model->constant = 0;
    return HSP_OK;
}

/* Amounts were rates: whoever reads the run from the model (the audit) must know by how much they
 * have been divided. */
static hsp_status form_tell_divisor(hsp_model *model, double length, hsp_error *err)
{
    const char *fact = hsp_model_metadata(model, "divided_by");
    char number[HSP__DECIMAL_MAX];
    double before = 1;
    hsp__decimal_result result;
    if (fact) hsp__decimal_f64(fact, fact + strlen(fact), &before, &result);
    hsp__decimal_print_f64(before * length, number);
    return hsp__model_set_metadata(model, "divided_by", number, err);
}

static hsp_status form_unit(hsp_model *model, hsp_error *err)
{
    union { /* const for those who look at a model; this one is a copy that is being made */
        const double *seen;
        double *own;
    } amounts = {model->updates.amount};
    double length = 0;
    hsp_status status = form_plain(model, err);
    if (status) return status;
    for (uint32_t k = 0; k < model->scorers; k++)
        length = fmax(length, form_length(model, k));
    if (!(length > 0) || !isfinite(length))
        return hsp__fail(err, HSP_USAGE, "the weights have norm %.9g, which cannot be scaled to 1",
                         length);
    for (uint64_t i = 0; i < model->scorers * model->features; i++)
        model->weights[i] /= length;
    for (uint32_t k = 0; k < model->scorers; k++) {
        model->offsets[k] /= length;
        if (!isfinite(model->offsets[k]))
            return hsp__fail(err, HSP_USAGE,
                             "the offset divided by the weights' norm %.9g is out of range",
                             length);
    }
    model->probability.scale *= length; /* probabilities stay what they were */
    if (!(model->probability.scale > 0) || !isfinite(model->probability.scale))
        return hsp__fail(err, HSP_USAGE,
                         "the weights' length %.9g is out of the range in which probabilities can "
                         "be kept",
                         length);
    for (uint64_t i = 0; i < model->updates.count; i++)
        amounts.own[i] /= length;
    return form_tell_divisor(model, length, err);
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

/* Of a homogeneous model, t = 0. */
static hsp_status form_set_threshold(hsp_model *model, hsp_error *err)
{
    char number[HSP__DECIMAL_MAX];
    hsp__decimal_print_f64(0 - model->offsets[0], number);
    return hsp__model_set_metadata(model, "threshold", number, err);
}

static hsp_status form_threshold(hsp_model *model, hsp_error *err)
{
    if (model->scorers != 1)
        return hsp__fail(err, HSP_USAGE, "a threshold needs two classes; this model has %u",
                         model->class_names.count);
    hsp_status status = form_plain(model, err);
    return status ? status : form_set_threshold(model, err);
}

hsp_status hsp_model_form(hsp_context *ctx, const hsp_model *model, const char *form,
                          hsp_error *err, hsp_model **out)
{
    HSP__NEED(err, ctx, model, form, out);
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
        return hsp__fail(err, HSP_USAGE, "only a linear model has normal forms; this one %s",
                         model->hypothesis == HSP__VOTES ? "votes"
                         : model->neighbors              ? "is of neighbours"
                                                         : "is a kernel expansion");
    hsp_model *copy = NULL;
    hsp_status status = hsp__model_copy(ctx, model, err, &copy);
    if (status) return status;
    status = forms[i].make(copy, err);
    if (!status && hsp_model_metadata(copy, "threshold")) status = form_set_threshold(copy, err);
    if (!status) status = hsp__model_set_metadata(copy, "form", form, err);
    if (status)
        hsp_model_free(copy);
    else
        *out = copy;
    return status;
}
