/* What a model says of its training, given back as options. */
#include <string.h>

#include "base/decimal.h"
#include "base/error.h"
#include "base/json.h"
#include "model/model.h"

static hsp_status trained_set(hsp_options *options, const char *name, const hsp__json_value *value,
                              hsp_error *err)
{
    char number[HSP__DECIMAL_MAX];
    double real;
    hsp_status status = HSP_OK;
    switch (hsp__json_type_of(value)) {
    case HSP__JSON_FALSE:
        return hsp_options_set(options, name, "no", err);
    case HSP__JSON_TRUE:
        return hsp_options_set(options, name, "yes", err);
    case HSP__JSON_NUMBER:
        hsp__json_number(value, &real);
        hsp__decimal_print_f64(real, number);
        return hsp_options_set(options, name, number, err);
    case HSP__JSON_STRING:
        return hsp_options_set(options, name, hsp__json_string(value, NULL), err);
    case HSP__JSON_ARRAY:
        for (size_t i = 0; !status && i < hsp__json_count(value); i++)
            status = trained_set(options, name, hsp__json_at(value, i), err);
        return status;
    default: /* null: it was not set */
        return HSP_OK;
    }
}

hsp_status hsp_model_set_options(const hsp_model *model, hsp_options *options, hsp_error *err)
{
    const char *learner = hsp_model_fact(model, "learner"),
               *text = hsp_model_fact(model, "options");
    const char *wanted = hsp_options_table(options)->name;
    hsp__json *json = NULL;
    if (!learner || !text)
        return hsp__fail(err, HSP_USAGE, "the model does not say how it was trained");
    if (strcmp(learner, wanted) != 0)
        return hsp__fail(err, HSP_USAGE, "the model was made by '%.40s', not by '%s'", learner,
                         wanted);
    hsp_status status = hsp__json_parse(&model->memory, text, strlen(text), "", err, &json);
    if (status) return status;
    const hsp__json_value *root = hsp__json_root(json);
    for (size_t i = 0; !status && i < hsp__json_count(root); i++)
        status = trained_set(options, hsp__json_key(root, i, NULL), hsp__json_at(root, i), err);
    hsp__json_free(json);
    return status;
}
