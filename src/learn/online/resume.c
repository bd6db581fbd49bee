#include "learn/online/resume.h"

#include <stdlib.h>

#include "base/base.h"
#include "learn/option_helpers.h"

#define RESUME "--warm-start"

/* ---- Can it go on? --------------------------------------------------------------------------- */

/* The options that must be as they were: those of the scaling, which is the model's, where they are
 * given; the others in any case. */
static hsp_status resume_same_options(const hsp_options *options, const hsp_options *past,
                                      hsp_error *err)
{
    static const char *const names[] = {"scale", "normalize", "votes", "average"};
    static const char *const flags[] = {"negated", "randomized"};
    const double beta = hsp__option_real(past, "beta", 0);
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        const char *now = hsp__option_text(options, names[i]),
                   *was = hsp__option_text(past, names[i]);
        const int scales = i < 3;
        if (!now || strcmp(now, was) == 0 || (scales && !hsp__option_set(options, names[i])))
            continue;
        return hsp__fail_option(err, RESUME, "the model was trained with --%s %s; %s --%s %s here",
                                names[i], was, scales ? "remove" : "give", names[i],
                                scales ? now : was);
    }
    for (size_t i = 0; i < sizeof flags / sizeof *flags; i++)
        if (hsp__option_flag(options, flags[i]) != hsp__option_flag(past, flags[i]))
            return hsp__fail_option(err, RESUME,
                                    "one of the model and this run has --%s and the other has not; "
                                    "give it to both or to none",
                                    flags[i]);
    if (hsp__option_real(options, "beta", 0) != beta)
        return hsp__fail_option(err, RESUME,
                                "the model was trained with --beta %.9g; give the same", beta);
    return HSP_OK;
}

hsp_status hsp__resume_check(hsp_context *ctx, const hsp__learner *learner,
                             const hsp_options *options, const hsp_model *start, hsp_error *err)
{
    const char *name = hsp_model_metadata(start, "learner");
    hsp_options *past = NULL;
    if (!name || strcmp(name, learner->table.name) != 0)
        return hsp__fail_option(err, RESUME, "the model is of the learner '%s', expected %s",
                                name ? name : "unknown", learner->table.name);
    if (hsp__option_text(options, "kernel") || start->hypothesis != HSP__LINEAR || start->pairs)
        return hsp__fail_option(err, RESUME,
                                "a run goes on with linear weights only: without a kernel, votes "
                                "and one-vs-one");
    if (start->constant || hsp_model_metadata(start, "divided_by"))
        return hsp__fail_option(err, RESUME,
                                "the form of the model was changed (model form), so that "
                                "its weights are not those of its run; give the model as train "
                                "wrote it");
    hsp_status status = hsp_options_new(ctx, &learner->table, err, &past);
    if (!status) status = hsp_model_set_options(start, past, err);
    const char *average = status ? NULL : hsp__option_text(past, "average");
    if (average && strcmp(average, "none") != 0 && !start->state)
        status = hsp__fail_option(
            err, RESUME,
            "the model has the mean of its run's separators and not the last one, so that "
            "the run cannot go on; train both with --average none");
    if (!status) status = resume_same_options(options, past, err);
    hsp_options_free(past);
    return status;
}

/* ---- State ----------------------------------------------------------------------------------- */

/* Numbers per scorer: those of the rule, or with averaging the head, the last weights and `past`. */
static uint64_t resume_chunk(const hsp__online *run, uint64_t features)
{
    const int averages = run->sep.past && !run->rule->power;
    return run->rule->keep || averages ? HSP__STATE_HEAD + (run->rule->keep ? 1 : 2) * features : 0;
}

hsp_status hsp__resume_keep(const hsp__ovr *ovr, const uint32_t *from, int flip, hsp_model *model,
                            hsp_error *err)
{
    const uint64_t features = model->features, chunk = resume_chunk(&ovr->runs[0], features);
    const double sign = flip ? -1 : 1;
    if (!chunk) return HSP_OK;
    model->state = hsp__new(&model->memory, model->scorers * chunk, sizeof *model->state);
    if (!model->state) return hsp__fail_memory(err);
    model->state_count = model->scorers * chunk;
    for (uint32_t c = 0; c < model->scorers; c++) {
        uint32_t scorer;
        double *to = model->state + c * chunk;
        const hsp__online *run = hsp__ovr_scorer(ovr, from ? from[c] : c, &scorer);
        const hsp__online_growth *growth = &run->mistake.growth;
        const hsp__online_separators *sep = &run->sep;
        if (run->rule->keep) {
            run->rule->keep(run, to);
            continue;
        }
        const double head[HSP__STATE_HEAD] = {
            (double)run->done.examples,       growth->rate,         sign * sep->offsets[scorer],
            sign * sep->past_offsets[scorer], sign * growth->drift, sign * growth->past_drift};
        memcpy(to, head, sizeof head);
        for (uint64_t j = 0; j < features; j++) {
            to[HSP__STATE_HEAD + j] = sign * sep->weights[scorer * sep->stride + j];
            to[HSP__STATE_HEAD + features + j] = sign * sep->past[scorer * sep->stride + j];
        }
    }
    return HSP_OK;
}

/* An averaged run: where it ended, and what its mean is made of. */
static hsp_status resume_mean(hsp__online *run, uint32_t scorer, uint64_t features,
                              const double *state, hsp_error *err)
{
    hsp__online_growth *growth = &run->mistake.growth;
    hsp__online_separators *sep = &run->sep;
    /* weights in a scale that grows: they stand for the same at another rate */
    const double factor = growth->rate > 0 ? growth->rate / state[1] : 1;
    if (!(state[0] >= 0 && state[0] < 0x1p52) || !isfinite(factor) || !(factor > 0))
        return hsp__fail(err, HSP_BAD_DATA, "the warm-start model has an impossible state");
    run->done.examples = (uint64_t)state[0];
    sep->offsets[scorer] = factor * state[2];
    sep->past_offsets[scorer] = factor * state[3];
    growth->drift = state[4];
    growth->past_drift = state[5];
    for (uint64_t j = 0; j < features; j++) {
        sep->weights[scorer * sep->stride + j] = factor * state[HSP__STATE_HEAD + j];
        sep->past[scorer * sep->stride + j] = factor * state[HSP__STATE_HEAD + features + j];
    }
    return HSP_OK;
}

hsp_status hsp__resume(hsp__ovr *ovr, const hsp_model *start, hsp_error *err)
{
    const char *steps = hsp_model_metadata(start, "examples");
    const uint64_t features = start->features, chunk = resume_chunk(&ovr->runs[0], features);
    const double *state = chunk ? start->state : NULL;
    if (start->scorers != hsp__ovr_scorers(ovr))
        return hsp__fail_option(err, RESUME, "the model has another number of classes");
    if (state && start->state_count != start->scorers * chunk)
        return hsp__fail(err, HSP_BAD_DATA, "the warm-start model has an impossible state");
    HSP__TRY(hsp__ovr_grow(ovr, ovr->classes, features, err));
    for (uint32_t c = 0; c < start->scorers; c++) {
        uint32_t scorer;
        hsp__online *run = hsp__ovr_scorer(ovr, c, &scorer);
        if (run->sep.past && state) {
            HSP__TRY(resume_mean(run, scorer, features, state + c * chunk, err));
            continue;
        }
        memcpy(run->sep.weights + scorer * run->sep.stride, start->weights + c * features,
               features * sizeof *start->weights);
        run->sep.offsets[scorer] = hsp__model_bias(start, c);
    }
    for (uint32_t c = 0; c < ovr->count; c++) {
        hsp__online *run = &ovr->runs[c];
        if (run->rule->resume && !(run->sep.past && state))
            HSP__TRY(run->rule->resume(run, features, steps ? strtoull(steps, NULL, 10) : 0,
                                       state ? state + c * chunk : NULL, err));
    }
    return HSP_OK;
}
