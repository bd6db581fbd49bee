#include "learn/online/online_train.h"

#include <math.h>
#include <string.h>

#include "base/context.h"
#include "base/error.h"
#include "learn/select/calibrate.h"
#include "learn/option_helpers.h"
#include "learn/kernel/kernel_scores.h"
#include "learn/training_error.h"
#include "learn/multiclass/ovr.h"
#include "learn/build_model.h"
#include "learn/prepare.h"
#include "learn/online/trace.h"
#include "learn/input_checks.h"

hsp_status hsp__online_check_stream(const hsp__learner *learner, const hsp_options *options,
                                    hsp_error *err)
{
    if (hsp__option_set(options, "order") && !hsp__option_is(options, "order", "cyclic"))
        return hsp__fail_at(err, HSP_USAGE, "--order", 0, 0,
                            "--order %s needs all rows; a stream is learned in its own order",
                            hsp_options_text(options, "order"));
    if (!hsp__option_is(options, "scale", "none"))
        return hsp__fail_at(
            err, HSP_USAGE, "--scale", 0, 0,
            "scaling columns needs all rows; scale the file first, or train without --stream");
    if (hsp__option_is(options, "normalize", "ball"))
        return hsp__fail_at(err, HSP_USAGE, "--normalize", 0, 0,
                            "--normalize ball needs the largest norm of all rows; use --normalize "
                            "rows, or train without --stream");
    if (hsp__option_is(options, "average", "vote"))
        return hsp__fail_at(err, HSP_USAGE, "--average", 0, 0,
                            "voting keeps rows, and a stream does not; use --average average, or "
                            "train without --stream");
    if (hsp__calibrate_wanted(options))
        return hsp__fail_at(err, HSP_USAGE, "--calibrate", 0, 0,
                            "calibration needs all rows; train without --stream");
    if (hsp__option_is(options, "multiclass", "ovo"))
        return hsp__fail_at(err, HSP_USAGE, "--multiclass", 0, 0,
                            "one-vs-one needs all rows; use %s, or train without --stream",
                            learner->rule->native ? "native or ovr" : "ovr");
    if (hsp__option_text(options, "trace"))
        return hsp__fail_at(err, HSP_USAGE, "--trace", 0, 0,
                            "a trace needs all rows; train without --stream");
    return learner->rule->check(options, 1, err);
}

/* ---- Error on the rows learnt from ----------------------------------------------------------- */

/* A run that found no mistake, and hands over what it found none with, has none. */
static int online_train_error_is_known(const hsp__ovr *team, const hsp_training *run)
{
    return run->stop == HSP_STOP_CONVERGED && team->plan.average == HSP__AVERAGE_NONE &&
           team->count == 1 && !team->runs[0].extra && !team->runs[0].kernel &&
           !team->runs[0].rule->score;
}

static hsp_status online_train_measure(hsp_context *ctx, const hsp__ovr *team,
                                       const hsp__prepared *prepared, hsp_model *model,
                                       hsp_error *err, hsp_training *run)
{
    hsp__stop brief;
    hsp_context last = hsp__stop_brief(&brief, ctx);
    uint64_t wrong = 0;
    hsp_status status = HSP_OK;
    if (!online_train_error_is_known(team, run))
        status =
            model->votes || model->expansion
                ? hsp__training_error_scored(&last, model, &prepared->base->view, NULL, err, &wrong)
                : hsp__training_error_linear(&last, model, prepared->view, err, &wrong);
    return hsp__training_error_report(status, wrong, model, err, run);
}

/* ---- The run --------------------------------------------------------------------------------- */

typedef struct online_train_work {
    hsp_context *ctx;
    const hsp__learner *learner;
    const hsp_options *options;
    hsp__prepared prepared;
    hsp__ovr team;
    hsp__kernel_scores *kernel; /* NULL: none */
    hsp__trace *trace;
    char hash[HSP__HASH_TEXT];
    hsp_training run;
} online_train_work;

static hsp_status online_train_open_trace(online_train_work *work, hsp_error *err)
{
    const char *path = hsp_options_text(work->options, "trace");
    if (!path) return HSP_OK;
    if (work->team.classes > 2)
        return hsp__fail_at(err, HSP_USAGE, "--trace", 0, 0,
                            "a trace needs two classes, and the data has %u; choose them with "
                            "--positive or --classes",
                            (unsigned)work->team.classes);
    if (work->learner->rule->lines_head) {
        hsp_status status = hsp__trace_new_lines(work->ctx, path, &work->team.runs[0],
                                                 work->prepared.data, err, &work->trace);
        work->team.runs[0].trace = work->trace;
        return status;
    }
    const hsp__online *first = &work->team.runs[0];
    hsp__proof proof = {0};
    if (first->rule->proof) first->rule->proof(first, &proof);
    proof.radius = work->run.radius;
    hsp_status status =
        hsp__trace_new(work->ctx, path, hsp__option_text(work->options, "reference"), first, &proof,
                       work->kernel ? hsp__kernel_scores_kernel(work->kernel) : NULL,
                       work->prepared.data, work->prepared.scalings, err, &work->trace);
    work->team.runs[0].trace = work->trace;
    return status;
}

/* The longest row, where somebody asks. */
static hsp_status online_train_radius(online_train_work *work, hsp_error *err)
{
    const hsp_options *options = work->options;
    work->run.radius = (double)NAN;
    const hsp__online_rule *rule = work->learner->rule;
    if (!rule->wants_radius(options) && !(rule->proof && hsp_options_text(options, "trace")))
        return HSP_OK;
    if (work->kernel) return hsp__kernel_scores_radius(work->kernel, err, &work->run.radius);
    return hsp__prepare_radius(work->ctx, work->prepared.data, err, &work->run.radius);
}

static hsp_status online_train_prepare(online_train_work *work, hsp_data *data, hsp_error *err)
{
    hsp_context *ctx = work->ctx;
    const hsp__online_rule *rule = work->learner->rule;
    hsp_status status = rule->check(work->options, 0, err);
    if (!status) status = hsp__prepare(ctx, data, work->options, err, &work->prepared);
    if (!status) status = hsp__view_hash(ctx, &data->view, err, work->hash);
    if (!status && rule->unit_values)
        status = hsp__input_checks_check(ctx, data, work->options, &work->prepared, err);
    if (status) return status;
    const hsp_view *view = work->prepared.view;
    hsp_training *run = &work->run;
    run->rows = view->rows;
    run->cols = view->cols;
    run->nonzeros = work->prepared.data->nonzeros;
    if (hsp__kernel_wanted(work->options))
        status =
            hsp__kernel_scores_new(ctx, work->options, data, &work->prepared, err, &work->kernel);
    if (!status) status = online_train_radius(work, err);
    hsp__online_facts facts = {
        .rows = view->rows, .radius = run->radius, .votes = work->prepared.votes};
    if (!status)
        status = hsp__ovr_init(&work->team, ctx, work->learner, work->options, &facts,
                               view->classes, work->kernel ? 0 : view->cols, err);
    if (!status && work->kernel) status = hsp__kernel_scores_join(work->kernel, &work->team, err);
    return status ? status : online_train_open_trace(work, err);
}

/* Whoever asked the run to stop wants its model: from here on nobody is asked. */
static hsp_status online_train_model(online_train_work *work, hsp_error *err, hsp_model **out)
{
    hsp__prepared *prepared = &work->prepared;
    hsp_context unasked = hsp__stop_none(work->ctx);
    hsp__ovr_report(&work->team, 0, &work->run);
    hsp__model_spec outcome =
        hsp__model_spec_of(work->learner, work->options, prepared, work->hash, &work->run);
    outcome.rows = prepared->data;
    hsp_status status =
        work->kernel
            ? hsp__build_model_kernel(&unasked, &work->team, work->kernel, &outcome, err, out)
            : hsp__build_model_online(&unasked, &work->team, &outcome, err, out);
    if (!status)
        status = online_train_measure(work->ctx, &work->team, prepared, *out, err, &work->run);
    return status;
}

hsp_status hsp__online_train(hsp_context *ctx, hsp_data *data, const hsp__learner *learner,
                             const hsp_options *options, hsp_error *err, hsp_training *run,
                             hsp_model **out)
{
    online_train_work work = {.ctx = ctx, .learner = learner, .options = options};
    hsp_model *model = NULL;
    hsp_status status = online_train_prepare(&work, data, err);
    double start = hsp__clock();
    const int prepared = !status;
    if (prepared) status = hsp__ovr_run(&work.team, work.prepared.view, err);
    if (prepared && status == HSP_CANCELLED &&
        hsp__stopped(ctx)) { /* in a block of kernel values */
        for (uint32_t c = 0; c < work.team.count; c++)
            hsp__online_tick(&work.team.runs[c], 0, 0);
        status = HSP_OK;
    }
    work.run.train_seconds = hsp__clock() - start;
    if (!status) status = online_train_model(&work, err, &model);
    if (!status && work.trace) status = hsp__trace_commit(work.trace, err);
    hsp__trace_free(work.trace);
    hsp__ovr_free(&work.team);
    hsp__kernel_scores_free(work.kernel);
    hsp__prepared_free(&work.prepared);
    if (status) {
        hsp_model_free(model);
        return status;
    }
    if (run) *run = work.run;
    *out = model;
    return HSP_OK;
}

hsp_status hsp__online_sequence(hsp_context *ctx, hsp_data *data, const hsp_options *options,
                                hsp_error *err, hsp__sequence *out)
{
    online_train_work work = {.ctx = ctx, .learner = hsp__learner_of(options), .options = options};
    *out = (hsp__sequence){0};
    if (!work.learner || !work.learner->rule || !work.learner->rule->native)
        return hsp__fail(err, HSP_USAGE, "'%s' is not an online learner",
                         hsp_options_table(options)->name);
    hsp_status status = online_train_prepare(&work, data, err);
    if (!status && work.team.classes != 2)
        status = hsp__fail(err, HSP_USAGE, "the run has more than two classes");
    if (!status) {
        work.team.runs[0].sequence = out;
        status = hsp__ovr_run(&work.team, work.prepared.view, err);
    }
    hsp__trace_free(work.trace);
    hsp__ovr_free(&work.team);
    hsp__kernel_scores_free(work.kernel);
    hsp__prepared_free(&work.prepared);
    return status;
}
