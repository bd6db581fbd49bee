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
    static const char *const names[] = {"scale", "normalize", "votes", "average", "variant"};
    static const char *const reals[] = {"beta", "delta"};
    static const char *const flags[] = {"negated", "randomized"};
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
    for (size_t i = 0; i < sizeof reals / sizeof *reals; i++) {
        const double was = hsp__option_real(past, reals[i], 0);
        if (hsp__option_real(options, reals[i], 0) != was)
            return hsp__fail_option(
                err, RESUME, "the model was trained with --%s %.9g; give the same", reals[i], was);
    }
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
    if (hsp__option_text(options, "kernel") || !start->weights || start->pairs)
        return hsp__fail_option(err, RESUME,
                                "a run goes on with linear weights only: without a kernel and "
                                "without one-vs-one");
    if (start->constant || hsp_model_metadata(start, "divided_by"))
        return hsp__fail_option(err, RESUME,
                                "the form of the model was changed (model form), so that "
                                "its weights are not those of its run; give the model as train "
                                "wrote it");
    hsp_status status = hsp_options_new(ctx, &learner->table, err, &past);
    if (!status) status = hsp_model_set_options(start, past, err);
    if (!status && !start->state &&
        (learner->rule->keep || hsp__option_is(past, "average", "average")))
        status = hsp__fail_option(
            err, RESUME,
            "the model does not say where its run ended: an earlier version wrote it, its form was "
            "changed, or its solver is another; train it again with the options of this run");
    if (!status && hsp__option_text(options, "trace") &&
        (learner->rule->trace || hsp__option_text(options, "reference")))
        status = hsp__fail_option(err, RESUME,
                                  "the bounds of a trace are those of a run from zero; remove %s",
                                  learner->rule->trace ? "--trace" : "--reference");
    if (!status) status = resume_same_options(options, past, err);
    hsp_options_free(past);
    return status;
}

/* ---- State ----------------------------------------------------------------------------------- */

/* Numbers per scorer: the head, those of the rule or the last weights, and with averaging `past`. */
static uint64_t resume_chunk(const hsp__online *run, uint64_t features)
{
    const uint64_t arrays = run->sep.past ? 2 : run->rule->keep ? 1 : 0;
    return arrays ? HSP__STATE_HEAD + arrays * features : 0;
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
        const double head[HSP__STATE_HEAD] = {
            (double)run->done.examples,  growth->rate,
            sign * sep->offsets[scorer], 0,
            sign * growth->drift,        sign * growth->past_drift};
        memcpy(to, head, sizeof head);
        for (uint64_t j = 0; j < features; j++)
            to[HSP__STATE_HEAD + j] = sign * sep->weights[scorer * sep->stride + j];
        if (run->rule->keep) run->rule->keep(run, scorer, to);
        if (!sep->past) continue;
        to[3] = sign * sep->past_offsets[scorer];
        for (uint64_t j = 0; j < features; j++)
            to[HSP__STATE_HEAD + features + j] = sign * sep->past[scorer * sep->stride + j];
    }
    return HSP_OK;
}

/* An averaged run: what its mean is made of, and if its rule has no state of its own, where it ended. */
static hsp_status resume_mean(hsp__online *run, uint32_t scorer, uint64_t features,
                              const double *state, hsp_error *err)
{
    hsp__online_growth *growth = &run->mistake.growth;
    hsp__online_separators *sep = &run->sep;
    /* weights in a scale that grows: they stand for the same at another rate */
    const double factor = growth->rate > 0 ? growth->rate / state[1] : 1;
    double *w = sep->weights + scorer * sep->stride, *past = sep->past + scorer * sep->stride;
    sep->past_offsets[scorer] = factor * state[3];
    for (uint64_t j = 0; j < features; j++)
        past[j] = factor * state[HSP__STATE_HEAD + features + j];
    if (run->rule->keep) return HSP_OK;
    if (!(state[0] >= 0 && state[0] < 0x1p52) || !isfinite(factor) || !(factor > 0))
        return hsp__fail(err, HSP_BAD_DATA, "the warm-start model has an impossible state");
    run->done.examples = (uint64_t)state[0];
    sep->offsets[scorer] = factor * state[2];
    growth->drift = state[4];
    growth->past_drift = state[5];
    for (uint64_t j = 0; j < features; j++)
        w[j] = factor * state[HSP__STATE_HEAD + j];
    return HSP_OK;
}

/* A run that votes: its steps, each with the run that made it, and the rows that they used. */
static hsp_status resume_votes(hsp__ovr *ovr, const hsp__votes *votes, hsp_error *err)
{
    const uint64_t limit = (uint64_t)1 << 52;
    uint64_t examples = votes->at_zero;
    int sound = examples < limit;
    if (votes->apart != (ovr->count > 1))
        return hsp__fail_option(err, RESUME,
                                "one of the model and this run has --multiclass ovr and the other "
                                "has not; give it to both or to none");
    for (uint64_t t = 0; sound && t < votes->steps; t++) {
        for (uint64_t u = votes->first[t]; u < votes->first[t + 1]; u++) {
            uint32_t scorer;
            hsp__steps *steps = hsp__ovr_scorer(ovr, votes->scorer[u], &scorer)->kept.steps;
            const int begun =
                steps->count && steps->marks[steps->count - 1].example == examples + 1;
            if ((!begun && !hsp__steps_begin(steps, examples + 1)) ||
                !hsp__steps_add(steps, votes->support[u], scorer, votes->amount[u],
                                votes->offset[u]))
                return hsp__fail_memory(err);
        }
        sound = votes->survived[t] > 0 && votes->survived[t] < limit - examples;
        examples += votes->survived[t];
    }
    for (uint32_t c = 0; c < ovr->count; c++) {
        ovr->runs[c].kept.steps->earlier = votes->rows;
        ovr->runs[c].done.examples = examples;
    }
    return sound ? HSP_OK
                 : hsp__fail(err, HSP_BAD_DATA, "the warm-start model has impossible votes");
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
        const double *own = state ? state + c * chunk : NULL;
        memcpy(run->sep.weights + scorer * run->sep.stride, start->weights + c * features,
               features * sizeof *start->weights);
        run->sep.offsets[scorer] = hsp__model_bias(start, c);
        if (run->rule->resume && (run->rule->keep || !run->sep.past))
            HSP__TRY(run->rule->resume(run, scorer, features, steps ? strtoull(steps, NULL, 10) : 0,
                                       own, err));
        if (run->sep.past) HSP__TRY(resume_mean(run, scorer, features, own, err));
    }
    return ovr->runs[0].kept.steps ? resume_votes(ovr, start->votes, err) : HSP_OK;
}
