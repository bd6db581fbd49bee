#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "base/stop.h"
#include "learn/kernel/approx.h"
#include "learn/select/calibrate.h"
#include "learn/option_helpers.h"
#include "learn/learner.h"
#include "learn/multiclass/ovo.h"
#include "learn/prepare.h"
#include "learn/input_checks.h"
#include "model/probability.h"

/* One run a pair of classes, or the learner's own; then what makes probabilities of its scores. */
static hsp_status train_train(hsp_context *ctx, hsp_data *data, const hsp__learner *learner,
                              const hsp_options *options, const hsp_model *start, hsp_error *err,
                              hsp_training *run, hsp_model **out)
{
    int pairs;
    hsp_status status = hsp__ovo_wanted(ctx, data, options, err, &pairs);
    if (status) return status;
    if (pairs) status = hsp__input_checks_admit(ctx, data, options, err);
    if (status) return status;
    if (pairs) return hsp__ovo_train(ctx, data, learner, options, start, err, run, out);
    status = learner->train(ctx, data, options, start, err, run, out);
    if (!status && *out && hsp__options_have(options, "link"))
        (*out)->probability.link = hsp__link_of(hsp_options_text(options, "link"));
    return status;
}

/* A model, from the beginning or from `start`, with its probabilities. */
static hsp_status train_make(hsp_context *ctx, hsp_data *data, const hsp__learner *learner,
                             const hsp_options *options, const hsp_model *start, hsp_error *err,
                             hsp_training *run, hsp_model **out)
{
    if (hsp__approx_wanted(options))
        return hsp__approx_train(ctx, data, options, start, err, run, out);
    hsp_status status = hsp__calibrate_check(ctx, data, options, err);
    if (!status) status = train_train(ctx, data, learner, options, start, err, run, out);
    if (!status && *out && hsp__calibrate_wanted(options))
        status = hsp__calibrate(ctx, data, options, err, run, *out);
    return status;
}

/* What else the model was trained on: the data, if it is in double precision, as somebody may read
 * it in single; the data of the model that it began at. */
static hsp_status train_remember(hsp_context *ctx, const hsp_data *data, const hsp_model *start,
                                 hsp_model *model, hsp_error *err)
{
    char hash[HSP__HASH_TEXT];
    hsp_status status = HSP_OK;
    if (data->view.precision == HSP_FLOAT64 && hsp_model_metadata(model, "data_hash")) {
        status = hsp__view_hash_single(ctx, &data->view, err, hash);
        if (!status) status = hsp__model_set_metadata(model, "data_hash_single", hash, err);
    }
    return status || !start ? status : hsp__model_add_start(model, start, err);
}

hsp_status hsp__train_status(const hsp_context *ctx, hsp_error *err)
{
    if (hsp__stopped(ctx) != HSP__STOP_REQUESTED) return HSP_OK;
    return hsp__fail(err, HSP_CANCELLED, "stopped on request while training");
}

hsp_status hsp__train_late(hsp_error *err)
{
    return hsp__fail_at(err, HSP_TIME_LIMIT, "--max-seconds", 0, 0,
                        "the time limit was reached before there was a model; allow more seconds, "
                        "or train on fewer rows");
}

/* The run was stopped after it had ended, or before all was done that it was asked for: it and the
 * model say so. */
static hsp_status train_stopped(hsp_context *ctx, hsp_training *run, hsp_model *model,
                                hsp_error *err)
{
    const char *known = hsp_model_metadata(model, "stop");
    if (hsp__stopped(ctx) == HSP__STOP_REQUESTED) run->stop = HSP_STOP_REQUEST;
    if (!hsp__stopped(ctx) || (known && strcmp(known, hsp_stop_name(run->stop)) == 0))
        return HSP_OK;
    hsp_status status = hsp__model_set_metadata(model, "stop", hsp_stop_name(run->stop), err);
    return status ? status : hsp__model_set_metadata(model, "converged", "false", err);
}

hsp_status hsp_train_from(hsp_context *ctx, hsp_data *data, const hsp_options *options,
                          const hsp_model *start, hsp_error *err, hsp_training *run,
                          hsp_model **out)
{
    HSP__NEED(err, ctx, data, options, out);
    const hsp__learner *learner = hsp__learner_of(options);
    if (!learner)
        return hsp__fail(err, HSP_USAGE, "'%s' is not a learner", hsp_options_table(options)->name);
    if (start && !learner->starts)
        return hsp__fail(err, HSP_USAGE, "%s does not support a warm start", learner->table.name);
    const char *path = hsp__option_text(options, "warm-start");
    if (path && start)
        return hsp__fail_at(err, HSP_USAGE, "--warm-start", 0, 0,
                            "a warm-start model was given twice");
    hsp__stop stop;
    hsp_context own = hsp__stop_open(&stop, ctx);
    hsp_training done = {0};
    hsp_model *model = NULL, *read = NULL;
    hsp_status status = path ? hsp_model_read(ctx, path, err, &read) : HSP_OK;
    if (read) start = read;
    if (!status) status = train_make(&own, data, learner, options, start, err, &done, &model);
    hsp_context unasked = hsp__stop_none(&own); /* whoever stopped the run wants its model */
    if (!status && model) status = train_remember(&unasked, data, start, model, err);
    if (!status && model) status = train_stopped(&own, &done, model, err);
    hsp_model_free(read);
    if (status || !run) hsp_evidence_free(done.evidence);
    if (status) {
        hsp_model_free(model);
        if (status == HSP_CANCELLED && stop.deadline > 0 && hsp__stopped(&own) == HSP__STOP_LATE)
            return hsp__train_late(err); /* our own limit; nobody asked */
        return hsp__while(err, status, "training", NULL);
    }
    if (run) *run = done;
    *out = model;
    return model ? hsp__train_status(&own, err) : HSP_OK;
}

hsp_status hsp_train(hsp_context *ctx, hsp_data *data, const hsp_options *options, hsp_error *err,
                     hsp_training *run, hsp_model **out)
{
    HSP__NEED(err, ctx, data, options, out);
    return hsp_train_from(ctx, data, options, NULL, err, run, out);
}

void hsp_evidence_free(hsp_evidence *evidence)
{
    if (!evidence) return;
    const hsp_allocator memory = evidence->memory;
    hsp__free(&memory, evidence->row);
    hsp__free(&memory, evidence->multiplier);
    hsp__free(&memory, evidence->of);
    hsp__free(&memory, evidence->against);
    hsp__free(&memory, evidence);
}
