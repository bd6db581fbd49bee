/* What the facts of a model say about the run that made it. */
#include <math.h>
#include <string.h>

#include "base/decimal.h"
#include "base/error.h"
#include "base/json.h"
#include "measure/audit.h"

const char *hsp__audit_text(const hsp__audit_reader *reader, const char *name)
{
    const char *recorded = hsp_model_metadata(reader->model, name);
    return recorded ? recorded : hsp__json_string(hsp__json_get(reader->options, name), NULL);
}

/* A number, perhaps followed by `unit` (or 0 for none): *had_unit says so. */
static int plan_parse(const char *text, char unit, double *out, int *had_unit)
{
    hsp__decimal_result result;
    const char *end = text + strlen(text), *rest = hsp__decimal_f64(text, end, out, &result);
    *had_unit = unit && *rest == unit;
    return result == HSP__DECIMAL_OK && rest + *had_unit == end;
}

static hsp_status plan_number(const hsp__audit_reader *reader, const char *name, char unit,
                              double fallback, double *out, int *had_unit, hsp_error *err)
{
    const char *text = hsp__audit_text(reader, name);
    *out = fallback;
    *had_unit = 0;
    if (!text) {
        hsp__json_number(hsp__json_get(reader->options, name), out);
        return HSP_OK;
    }
    if (plan_parse(text, unit, out, had_unit) && *out >= 0) return HSP_OK;
    return hsp__fail(err, HSP_BAD_DATA, "the model says %s is '%.40s', expected a number", name,
                     text);
}

hsp_status hsp__audit_count(const hsp__audit_reader *reader, const char *name, uint64_t *out,
                            hsp_error *err)
{
    const char *text = hsp_model_metadata(reader->model, name);
    if (!text)
        return hsp__fail(
            err, HSP_USAGE,
            "the model does not say how many %s its run made, so there is nothing to audit", name);
    hsp__decimal_result result;
    const char *end = text + strlen(text);
    if (hsp__decimal_u64(text, end, out, &result) == end && result == HSP__DECIMAL_OK)
        return HSP_OK;
    return hsp__fail(err, HSP_BAD_DATA, "the model says %s is '%.40s', expected a whole number",
                     name, text);
}

static hsp_status plan_offset(const hsp__audit_reader *reader, hsp__audit_offset *out,
                              hsp_error *err)
{
    static const char *const names[] = {"none", "unit", "r2", "append"};
    const char *text = hsp__audit_text(reader, "offset");
    for (int i = 0; text && i < 4; i++) {
        if (strcmp(text, names[i]) != 0) continue;
        *out = (hsp__audit_offset)i;
        return HSP_OK;
    }
    return hsp__fail(err, HSP_BAD_DATA,
                     "the model says its offset is '%.40s', expected none, unit, r2 or append",
                     text ? text : "");
}

static hsp_status plan_check(const hsp_model *model, hsp_error *err)
{
    const char *learner = hsp_model_metadata(model, "learner");
    if (!learner || strcmp(learner, "perceptron") != 0)
        return hsp__fail(err, HSP_USAGE,
                         "the model was trained by '%.40s'; mistake bounds exist for perceptron, "
                         "winnow and experts",
                         learner ? learner : "no learner");
    if (hsp_model_metadata(model, "approx_features"))
        return hsp__fail(err, HSP_USAGE,
                         "the run used explicit features (--approx), which the model does not "
                         "keep; train with the kernel itself to audit");
    if (model->neighbors)
        return hsp__fail(err, HSP_USAGE,
                         "the model is a k-nearest-neighbours model, which has no updates");
    if (model->scorers != 1)
        return hsp__fail(err, HSP_USAGE,
                         "the model has %u classes, and the mistake bounds are for two; train with "
                         "--positive or --classes",
                         (unsigned)hsp_model_classes(model));
    return hsp__audit_check_kernel(model, err);
}

/* A kernel that became weights is no longer the space that the run was in, unless it is theirs. A
 * budget that dropped rows ends the proofs. */
static hsp_status plan_check_options(const hsp__audit_reader *reader, hsp_error *err)
{
    const char *kernel = hsp__audit_text(reader, "kernel");
    double budget = 0, learnt = 0, rate = 1;
    if (kernel && reader->model->weights && strcmp(kernel, "linear") != 0)
        return hsp__fail(err, HSP_USAGE,
                         "the run had the kernel %.200s, which was folded into weights, so the "
                         "bounds do not apply; train with the kernel linear, or without one",
                         kernel);
    hsp__json_number(hsp__json_get(reader->options, "budget"), &budget);
    hsp__json_number(hsp__json_get(reader->options, "rate"), &rate);
    const hsp_row_coefficients updates = hsp_model_row_coefficients(reader->model);
    for (uint64_t i = 0; i < updates.count; i++)
        learnt += fabs(updates.amount[i]) / rate;
    uint64_t made = 0;
    hsp_status status = hsp__audit_count(reader, "updates", &made, err);
    if (!status && budget > 0 && fabs(learnt - (double)made) > 0.5)
        return hsp__fail(err, HSP_USAGE,
                         "the run dropped rows to stay within its budget of %.0f; the bounds are "
                         "for runs that keep all rows",
                         budget);
    return status;
}

static hsp_status plan_fill(const hsp__audit_reader *reader, hsp_error *err, hsp__audit_plan *plan)
{
    int unit;
    hsp_status status = hsp__audit_count(reader, "updates", &plan->updates, err);
    if (!status) status = hsp__audit_count(reader, "passes", &plan->passes, err);
    if (!status) status = plan_offset(reader, &plan->offset, err);
    if (!status) status = plan_number(reader, "constant", 0, 1, &plan->constant, &unit, err);
    if (!status) status = plan_number(reader, "rate", 0, 1, &plan->rate, &unit, err);
    if (!status) status = plan_number(reader, "soft", 0, 0, &plan->soft, &unit, err);
    if (!status)
        status = plan_number(reader, "margin-target", 'r', 0, &plan->tau, &plan->tau_relative, err);
    double divisor = 1;
    if (!status) status = plan_number(reader, "divided_by", 0, 1, &divisor, &unit, err);
    if (status) return status;
    if (!(divisor > 0)) return hsp__fail(err, HSP_BAD_DATA, "the model says it was divided by 0");
    plan->rate /= divisor; /* the unit form: as if the run had learned at that rate, with that */
    plan->tau /= divisor;  /* target */
    if (!(plan->rate > 0)) return hsp__fail(err, HSP_BAD_DATA, "the model says its rate is 0");
    const char *order = hsp__audit_text(reader, "order"),
               *average = hsp__audit_text(reader, "average");
    plan->cyclic = !order || strcmp(order, "cyclic") == 0;
    if (!plan->cyclic && strcmp(order, "shuffle") != 0) plan->passes = 0;
    plan->averaged = average && strcmp(average, "average") == 0;
    return HSP_OK;
}

hsp_status hsp__audit_open(const hsp_model *model, hsp_error *err, hsp__audit_reader *reader)
{
    *reader = (hsp__audit_reader){model, NULL, NULL};
    const char *options = hsp_model_metadata(model, "options");
    if (!options) return HSP_OK;
    hsp_status status =
        hsp__json_parse(&model->memory, options, strlen(options), "", err, &reader->json);
    if (!status) reader->options = hsp__json_root(reader->json);
    return status;
}

void hsp__audit_close(hsp__audit_reader *reader)
{
    hsp__json_free(reader->json);
}

hsp_status hsp__audit_read_plan(const hsp_model *model, hsp_error *err, hsp__audit_plan *plan)
{
    hsp__audit_reader reader;
    hsp_status status = plan_check(model, err);
    if (!status) status = hsp__audit_open(model, err, &reader);
    if (status) return status;
    status = plan_check_options(&reader, err);
    if (!status) status = plan_fill(&reader, err, plan);
    hsp__audit_close(&reader);
    return status;
}
