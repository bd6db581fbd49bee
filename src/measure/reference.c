
#include "base/base.h"
#include "measure/audit.h"

#define REFERENCE_GAP      1e-3 /* of a soft margin */
#define REFERENCE_HARD_GAP 1e-8
#define REFERENCE_SECONDS  20

hsp_status hsp__reference_soft(hsp_context *ctx, const hsp_view *rows, int constant, hsp_error *err,
                               hsp__fitted *out)
{
    const hsp__problem p = {.view = rows,
                            .positive = 1,
                            .cost = {1, 1},
                            .loss = &hsp__hinge,
                            .offset = constant ? HSP__OFFSET_REGULARIZED : HSP__OFFSET_NONE};
    const hsp__fit_limits limits = {.gap = REFERENCE_GAP,
                                    .max_passes = HSP__FIT_PASSES,
                                    .max_seconds = REFERENCE_SECONDS,
                                    .seed = 1};
    hsp_context quiet = *ctx; /* a reference that is not quite the best will do */
    assert(rows->labels && rows->classes == 2);
    quiet.log = NULL;
    return hsp__fit_problem(&quiet, &p, &limits, err, out);
}

/* The widest separator in the space of the run; else that of a soft margin. */
static hsp_status reference_find(hsp_context *ctx, hsp_data *data, const hsp_options *told,
                                 hsp_options *svm, hsp_error *err, hsp_reference *out)
{
    static const char *const same[] = {"positive", "classes", "scale", "normalize", "kernel"};
    const char *offset = hsp_options_text(told, "offset");
    hsp_training run = {.size = sizeof run};
    /* rows are prepared as the run's were, and a constant column has a weight like any other */
    for (size_t i = 0; i < sizeof same / sizeof *same; i++)
        if (hsp_options_is_set(told, same[i]))
            HSP__TRY(hsp_options_set(svm, same[i], hsp_options_text(told, same[i]), err));
    HSP__TRY(hsp_options_set(svm, "offset",
                             strcmp(offset, "none") == 0   ? "none"
                             : strcmp(offset, "unit") == 0 ? "regularized"
                                                           : "free",
                             err));
    HSP__TRY(hsp_options_set_flag(svm, "hard", 1, err));
    HSP__TRY(hsp_options_set_real(svm, "gap", REFERENCE_HARD_GAP, err));
    const hsp_status status = hsp_train(ctx, data, svm, err, &run, &out->separator);
    hsp_evidence_free(run.evidence);
    if (status) return status;
    out->separates = out->separator && run.training_error == 0;
    out->low = 1 / sqrt(2 * run.convergence.objective);
    out->high = 1 / sqrt(2 * run.convergence.dual_objective);
    if (out->separator) return HSP_OK;
    HSP__TRY(hsp_options_set_flag(svm, "hard", 0, err));
    HSP__TRY(hsp_options_set_real(svm, "gap", REFERENCE_GAP, err));
    return hsp_train(ctx, data, svm, err, NULL, &out->separator);
}

hsp_status hsp_reference_find(hsp_context *ctx, const hsp_model *model, hsp_data *data,
                              hsp_error *err, hsp_reference *out)
{
    HSP__NEED(err, ctx, model, data, out);
    const char *learner = hsp_model_metadata(model, "learner");
    hsp_options *told = NULL, *svm = NULL;
    hsp_reference found = {.separator = NULL, .low = (double)NAN, .high = (double)NAN};
    if (!learner || strcmp(learner, "perceptron") != 0)
        return hsp__fail(err, HSP_USAGE,
                         "a reference is found for runs of perceptron only; name a model that "
                         "separates the rows");
    hsp_status status = hsp_options_new(ctx, hsp_learner_find("perceptron"), err, &told);
    if (!status) status = hsp_options_new(ctx, hsp_learner_find("svm"), err, &svm);
    if (!status) status = hsp_model_set_options(model, told, err);
    if (!status) status = reference_find(ctx, data, told, svm, err, &found);
    hsp_options_free(told);
    hsp_options_free(svm);
    if (status)
        hsp_model_free(found.separator);
    else
        *out = found;
    return status;
}
