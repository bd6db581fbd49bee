/* Is a model whole? Asked of everything that comes from a file, and of everything that goes into
 * one. */
#include "base/base.h"
#include "data/encode.h"
#include "data/scale.h"
#include "model/hypothesis.h"
#include "model/probability.h"

#define CHECK_COLS ((uint64_t)1 << 32)

#define check_fail(file, ...) hsp__check_fail(err, file, __VA_ARGS__)

int hsp__check_finite(const double *x, uint64_t n)
{
    double sum = 0; /* a number times 0 is 0 unless it was not finite: no branch a number */
    for (uint64_t i = 0; i < n; i++)
        sum += x[i] * 0;
    return sum == 0;
}

int hsp__check_below(const uint32_t *x, uint64_t n, uint64_t bound)
{
    for (uint64_t i = 0; i < n; i++)
        if (x[i] >= bound) return 0;
    return 1;
}

static hsp_status check_shape(const hsp_model *model, const char *file, hsp_error *err)
{
    const uint32_t classes = model->class_names.count;
    if (model->pairs) {
        if (classes < 3 || model->scorers != hsp__pair_count(classes))
            return check_fail(file, "a model of pairs of %u classes with %u scorers", classes,
                              model->scorers);
        if (hsp__type_of(model)->votes)
            return check_fail(file, "a model of pairs that votes in another way, too");
    } else if (model->scorers == 1 ? classes != 2 : classes != model->scorers || classes < 3) {
        return check_fail(
            file,
            "a model of %u classes with %u scorers; two classes have one scorer, more "
            "have one each",
            classes, model->scorers);
    }
    if (model->features > CHECK_COLS)
        return check_fail(file, "a model of %llu features, which is too many",
                          (unsigned long long)model->features);
    if (model->feature_names.count && model->feature_names.count != model->features)
        return check_fail(file, "there are %u feature names for %llu features",
                          model->feature_names.count, (unsigned long long)model->features);
    if (model->constant && (!model->features || model->hypothesis != HSP__LINEAR))
        return check_fail(file, "a homogeneous model without the constant feature");
    if (model->rest && classes != 2)
        return check_fail(file, "a model with a rest class has two classes, this one %u", classes);
    return HSP_OK;
}

static hsp_status check_inputs(const hsp_model *model, const char *file, hsp_error *err)
{
    const uint64_t inputs = hsp__model_inputs(model);
    for (int i = 0; i < HSP__MODEL_SCALINGS; i++) {
        const hsp_scaling *scaling = model->scalings[i];
        if (!scaling || hsp__scaling_any_columns(scaling)) continue;
        if (hsp_scaling_cols(scaling) != inputs)
            return check_fail(file, "a scaling of %llu columns in a model of %llu",
                              (unsigned long long)hsp_scaling_cols(scaling),
                              (unsigned long long)inputs);
    }
    if (!model->encoding) return HSP_OK;
    uint64_t width = 0;
    for (uint32_t j = 0; j < model->encoding->names.count; j++)
        width += hsp__encoding_width(&model->encoding->columns[j]);
    if (width == inputs) return HSP_OK;
    return check_fail(file, "an encoding of %llu features in a model of %llu",
                      (unsigned long long)width, (unsigned long long)inputs);
}

static hsp_status check_numbers(const hsp_model *model, const char *file, hsp_error *err)
{
    const hsp_row_coefficients *updates = &model->updates;
    if (model->weights && !hsp__check_finite(model->weights, model->scorers * model->features))
        return check_fail(file, "a weight is not finite");
    if (!hsp__check_finite(model->offsets, model->scorers))
        return check_fail(file, "an offset is not finite");
    if (!hsp__check_finite(model->state, model->state_count))
        return check_fail(file, "a number of the run's state is not finite");
    if (!hsp__check_finite(updates->amount, updates->count))
        return check_fail(file, "the amount of an update is not finite");
    if (!hsp__check_below(updates->scorer, updates->count, model->scorers))
        return check_fail(file, "an update of a scorer that is not there");
    return HSP_OK;
}

hsp_status hsp__check_rows(hsp_context *ctx, const hsp_model *model, hsp_data *rows,
                           const hsp_kernel *kernel, const char *what, const char *file,
                           hsp_error *err)
{
    const hsp_view *view;
    hsp_error found = {0};
    hsp_status status = hsp_data_view(ctx, rows, &found, &view);
    if (status == HSP_BAD_DATA)
        return check_fail(file, "the rows of the %s: %.400s", what, found.message);
    if (status && err) *err = found;
    HSP__TRY(status);
    if (view->cols > model->features)
        return check_fail(file, "the rows of the %s have %llu columns, the model %llu", what,
                          (unsigned long long)view->cols, (unsigned long long)model->features);
    if (!kernel || hsp__kernel_fitted(kernel)) return HSP_OK;
    return check_fail(file, "the kernel %.200s has a parameter that is no number yet",
                      hsp_kernel_text(kernel));
}

/* One line that never falls, per map. */
static hsp_status check_knots(const hsp_model *model, const char *file, hsp_error *err)
{
    const hsp__probability *map = &model->probability;
    const uint64_t maps = hsp__probability_maps(model);
    if (!hsp__check_finite(map->at, map->knots) || !hsp__check_finite(map->value, map->knots))
        return check_fail(file, "a number of the calibration is not finite");
    if (map->first[0] != 0 || map->first[maps] != map->knots)
        return check_fail(file, "the calibration's maps do not cover its knots");
    for (uint64_t m = 0; m < maps; m++)
        if (map->first[m] >= map->first[m + 1] || map->first[m + 1] > map->knots)
            return check_fail(file, "a map of the calibration has no knots");
    for (uint64_t m = 0; m < maps; m++)
        for (uint64_t k = map->first[m]; k < map->first[m + 1]; k++)
            if (!(map->value[k] >= 0 && map->value[k] <= 1) ||
                (k > map->first[m] &&
                 !(map->at[k - 1] < map->at[k] && map->value[k - 1] <= map->value[k])))
                return check_fail(file, "the calibration does not rise from 0 to 1");
    return HSP_OK;
}

static hsp_status check_probability(const hsp_model *model, const char *file, hsp_error *err)
{
    const hsp__probability *map = &model->probability;
    if (!(map->scale > 0) || !isfinite(map->scale))
        return check_fail(file, "the scale of the scores is %.9g, expected a positive number",
                          map->scale);
    if (hsp__type_of(model)->unmapped && (map->link || map->calibration))
        return check_fail(file, "%s", hsp__type_of(model)->unmapped);
    if (model->pairs && map->link)
        return check_fail(file, "a link for a model of pairs of classes");
    if (map->threshold != 0 &&
        (!(map->threshold > 0 && map->threshold < 1) || model->class_names.count != 2 ||
         !hsp__probability_fits(model, map)))
        return check_fail(file, "a threshold of %.9g, which this model cannot have",
                          map->threshold);
    if (map->calibration == HSP__CALIBRATION_ISOTONIC) return check_knots(model, file, err);
    if (map->calibration == HSP__CALIBRATION_COUPLED &&
        (!model->pairs || model->class_names.count > HSP__COUPLED_MOST))
        return check_fail(file, "coupled probabilities without pairs of up to %d classes",
                          HSP__COUPLED_MOST);
    if (map->calibration != HSP__CALIBRATION_NONE &&
        !hsp__check_finite(map->platt, 2 * hsp__probability_maps(model)))
        return check_fail(file, "a number of the calibration is not finite");
    return HSP_OK;
}

hsp_status hsp__model_check(hsp_context *ctx, const hsp_model *model, const char *file,
                            hsp_error *err)
{
    hsp_status status = check_shape(model, file, err);
    if (!status) status = check_inputs(model, file, err);
    if (!status) status = check_numbers(model, file, err);
    if (!status) status = check_probability(model, file, err);
    if (!status && hsp__type_of(model)->check)
        status = hsp__type_of(model)->check(ctx, model, file, err);
    return status;
}
