#include "learn/online/resume.h"

#include <stdlib.h>

#include "base/base.h"
#include "data/scale.h"
#include "learn/option_helpers.h"

#define RESUME "--warm-start"

hsp_status hsp__resume_check(const hsp__learner *learner, const hsp_options *options,
                             const hsp_model *start, hsp_error *err)
{
    const char *name = hsp_model_metadata(start, "learner");
    const char *past = hsp_model_metadata(start, "options");
    if (!name || strcmp(name, learner->table.name) != 0)
        return hsp__fail_option(err, RESUME, "the model is of the learner '%s', expected %s",
                                name ? name : "unknown", learner->table.name);
    if (hsp__option_text(options, "kernel") || start->hypothesis != HSP__LINEAR || start->pairs)
        return hsp__fail_option(err, RESUME,
                                "a run goes on with linear weights only: without a kernel, votes "
                                "and one-vs-one");
    const int averaged =
        past && strstr(past, "\"average\":") && !strstr(past, "\"average\":\"none\"");
    if (averaged || !hsp__option_is(options, "average", "none"))
        return hsp__fail_option(
            err, RESUME,
            "a model keeps the mean of a run's separators, not the last one, so "
            "that an averaged run cannot go on; train both with --average none");
    return HSP_OK;
}

hsp_status hsp__resume(hsp__ovr *ovr, const hsp_model *start, hsp_scaling *const *scalings,
                       hsp_error *err)
{
    const char *steps = hsp_model_metadata(start, "examples");
    for (int i = 0; i < HSP__MODEL_SCALINGS; i++)
        if (!hsp__scaling_same(start->scalings[i], scalings[i]))
            return hsp__fail_option(
                err, RESUME,
                "the rows of the model were scaled differently; scale the files "
                "with one scaling (halfspace scale --save, --apply), and train "
                "without --scale");
    if (start->scorers != hsp__ovr_scorers(ovr))
        return hsp__fail_option(err, RESUME, "the model has another number of classes");
    HSP__TRY(hsp__ovr_grow(ovr, ovr->classes, start->features, err));
    for (uint32_t c = 0; c < start->scorers; c++) {
        uint32_t scorer;
        hsp__online *run = hsp__ovr_scorer(ovr, c, &scorer);
        memcpy(run->sep.weights + scorer * run->sep.stride, start->weights + c * start->features,
               start->features * sizeof *start->weights);
        run->sep.offsets[scorer] = hsp__model_bias(start, c);
    }
    for (uint32_t c = 0; c < ovr->count; c++) {
        hsp__online *run = &ovr->runs[c];
        if (run->rule->resume)
            HSP__TRY(run->rule->resume(run, steps ? strtoull(steps, NULL, 10) : 0, err));
    }
    return HSP_OK;
}
