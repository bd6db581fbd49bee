/* A disjunction as a linear model: 1 for each of its columns, offset -1/2. On rows of zeros and
 * ones the score is positive exactly where one of the columns is 1. */
#include "base/base.h"
#include "base/decimal.h"
#include "data/data.h"
#include "model/model.h"

/* The column of that name; without names, of that number as the model's file counts. */
static uint64_t disjunction_column(const hsp_model *model, const char *name)
{
    const uint64_t inputs = hsp__model_inputs(model);
    const char *base = hsp_model_metadata(model, "index_base"), *end = name + strlen(name);
    for (uint64_t j = 0; j < inputs; j++) {
        const char *own = hsp_model_feature_name(model, j);
        if (own && strcmp(own, name) == 0) return j;
    }
    uint64_t number;
    hsp__decimal_result result;
    const uint64_t first = base && strcmp(base, "0") == 0 ? 0 : 1;
    if (hsp__decimal_u64(name, end, &number, &result) != end || result != HSP__DECIMAL_OK ||
        number < first || number - first >= inputs)
        return inputs;
    return number - first;
}

static hsp_status disjunction_fill(hsp_model *model, const char *const *columns, size_t count,
                                   hsp_error *err)
{
    const uint64_t inputs = hsp__model_inputs(model);
    memset(model->weights, 0, model->features * sizeof *model->weights);
    model->offsets[0] = -0.5;
    for (size_t i = 0; i < count; i++) {
        const uint64_t j = disjunction_column(model, columns[i]);
        char quoted[HSP__QUOTED];
        if (j == inputs)
            return hsp__fail(err, HSP_USAGE, "the model has no column '%s'",
                             hsp__quote(columns[i], strlen(columns[i]), quoted));
        model->weights[j] = 1;
    }
    return HSP_OK;
}

hsp_status hsp_model_disjunction(hsp_context *ctx, const hsp_model *like,
                                 const char *const *columns, size_t count, hsp_error *err,
                                 hsp_model **out)
{
    HSP__NEED(err, ctx, like, out);
    if (count) HSP__NEED(err, columns);
    hsp_model *copy = NULL;
    if (like->hypothesis != HSP__LINEAR || like->scorers != 1 || !like->weights)
        return hsp__fail(err, HSP_USAGE, "--disjunction needs a linear model of two classes");
    if (count == 0) return hsp__fail(err, HSP_USAGE, "a disjunction needs at least one column");
    hsp_status status = hsp__model_copy(ctx, like, err, &copy);
    if (status) return status;
    status = disjunction_fill(copy, columns, count, err);
    if (status)
        hsp_model_free(copy);
    else
        *out = copy;
    return status;
}
