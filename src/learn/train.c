/* hsp_train: the one path that every learner takes.
 *
 *     open         options, rows, kernel           prepare.c, learner->check
 *     reduce       problems of two classes         multiclass/reduce.c
 *     fit          learner->fit of each, or the learner's native form
 *     report       figures of all problems
 *     build model                                  build_model.c
 *     mistakes     the training error              training_error.c
 *     calibrate    probabilities                   select/calibrate.c
 *
 * Approximate kernels are a step before it (features instead of rows) and one after it (a kernel
 * expansion instead of weights): kernel/approx.c. */
#include "learn/train.h"

#include "base/base.h"
#include "base/sized_report.h"
#include "data/encode.h"
#include "data/shard.h"
#include "kernel/gram.h"
#include "learn/build_model.h"
#include "learn/checkpoint.h"
#include "learn/erm/erm.h"
#include "learn/input_checks.h"
#include "learn/kernel/approx.h"
#include "learn/kernel/kernel_option.h"
#include "learn/multiclass/reduce.h"
#include "learn/online/online_fit.h"
#include "learn/online/resume.h"
#include "learn/option_helpers.h"
#include "learn/select/calibrate.h"
#include "learn/training_error.h"
#include "model/probability.h"

/* ---- Open ------------------------------------------------------------------------------------ */

hsp_status hsp__train_open(hsp__train *train, hsp_context *ctx, hsp_data *data,
                           const hsp__learner *learner, const hsp_options *options,
                           const hsp_model *start, hsp_error *err)
{
    const hsp__native *native = learner->native;
    *train = (hsp__train){.ctx = ctx,
                          .learner = learner,
                          .options = options,
                          .given = data,
                          .start = start,
                          .watch = {.ctx = ctx}};
    train->plan = (hsp__plan){.seed = hsp__option_integer(options, "seed", 0),
                              .tie = hsp__option_tie(options),
                              .max_seconds = hsp__option_real(options, "max-seconds", 0),
                              .gap = hsp__option_real(options, "gap", 0),
                              .max_passes = hsp__option_integer(options, "max-passes", 0),
                              .keep_dual = hsp__option_flag(options, "keep-dual"),
                              .log_passes = hsp__option_text(options, "convergence") != NULL,
                              .ovo = hsp__option_is(options, "multiclass", "ovo"),
                              .kernel = hsp__option_text(options, "kernel") != NULL,
                              .C = 1};
    if (learner->check) HSP__TRY(learner->check(options, &train->plan, err));
    if (learner->rule) HSP__TRY(learner->rule->check(options, 0, err));
    /* an online run goes on with rows scaled as before */
    const int resumes = start && native == &hsp__online_native;
    if (resumes) HSP__TRY(hsp__resume_check(ctx, learner, options, start, err));
    HSP__TRY(hsp__prepare(ctx, data, options, resumes ? start : NULL, err, &train->prepared));
    if (train->plan.solver && !train->plan.kernel)
        HSP__TRY(hsp__prepare_sparse(ctx, &train->prepared, err));
    HSP__TRY(hsp__view_hash(ctx, &data->view, err, train->hash));
    if (learner->rule && learner->rule->unit_values)
        HSP__TRY(hsp__input_checks_check(ctx, data, options, &train->prepared, err));
    const hsp_view *view = train->prepared.view;
    uint64_t counts[2] = {view->rows, train->prepared.data->nonzeros};
    hsp__shard_add(ctx, counts, 2);
    assert(counts[0] > 0 && view->labels && view->classes >= 2);
    const double nan = (double)NAN;
    train->run = (hsp_training){.rows = counts[0],
                                .cols = view->cols,
                                .nonzeros = counts[1],
                                .classes = view->classes,
                                .stop = HSP_STOP_CONVERGED,
                                .training_error = nan,
                                .online_error = nan,
                                .radius = nan};
    if (train->plan.kernel) { /* fitted to all rows: all problems live in one space */
        hsp__train_kernel *k = &train->kernel;
        HSP__TRY(hsp__kernel_option(ctx, options, data, view, err, &k->kernel));
        HSP__TRY(hsp__prepare_origin(ctx, data, options, &train->prepared, err, &k->origin));
        HSP__TRY(hsp__kernel_ids(ctx, k->kernel, data, k->origin, view->rows, err, &k->ids));
    }
    train->is_native = native && native->suits(train);
    if (!train->is_native || !native->bytes) return HSP_OK;
    train->native = hsp__new(&ctx->allocator, 1, native->bytes);
    return train->native ? HSP_OK : hsp__fail_memory(err);
}

void hsp__train_close(hsp__train *train)
{
    const hsp_allocator *memory = &train->ctx->allocator;
    if (train->native && train->learner->native->free) train->learner->native->free(train);
    hsp__free(memory, train->native);
    hsp__reduce_free(train);
    hsp_kernel_free(train->kernel.kernel);
    hsp__free(memory, train->kernel.origin);
    hsp__free(memory, train->kernel.ids);
    hsp__prepared_free(&train->prepared);
}

/* ---- Report ---------------------------------------------------------------------------------- */

/* The largest, where a figure that is not known makes the whole unknown. */
static double train_most(double all, double one)
{
    return isnan(one) ? one : fmax(all, one);
}

/* A problem's figures join those of all. The passes of a learner that solves its problems in turn
 * are linear programs, which add up. */
static void train_add(hsp__train *train, uint32_t c, hsp_convergence *to)
{
    hsp_training *run = &train->run;
    hsp__task *task = &train->tasks[c];
    const hsp__solution *s = &task->solution;
    const hsp__kkt *kkt = &task->kkt;
    /* a solver ends at the limit, or where no step gets further */
    const int left = !train->plan.max_passes || s->passes < train->plan.max_passes;
    const int stalled = train->plan.solver && s->stop == HSP_STOP_PASSES && left;
    run->stop = hsp__stop_of(run->stop, stalled ? HSP_STOP_STALLED : s->stop);
    if (train->learner->sequential)
        run->passes += s->passes;
    else if (s->passes > run->passes)
        run->passes = s->passes;
    run->updates += s->updates;
    run->mistakes_last_pass += task->last_mistakes;
    run->radius = fmax(run->radius, task->radius);
    if (task->evidence && !run->evidence) {
        run->evidence = task->evidence;
        task->evidence = NULL;
    }
    if (!task->solver) return;
    to->solver = task->solver->name;
    to->objective += s->primal * task->lambda;
    to->dual_objective += s->dual_value * task->lambda;
    to->scaled_objective += s->primal;
    to->scaled_dual_objective += s->dual_value;
    to->support_sum += kkt->support;
    to->on_margin += kkt->on;
    to->inside += kkt->inside;
    to->wrong_side += kkt->wrong;
    to->inverse_norm = fmin(to->inverse_norm, kkt->inverse_norm);
    if (!(kkt->margin >= to->margin) && !isnan(kkt->margin)) {
        to->margin = kkt->margin;
        if (task->row_numbers) {
            to->margin_class = task->pair[0];
            to->margin_other = task->pair[1];
        } else if (train->supports) {
            to->margin_class = c;
        }
    }
    to->rounding = fmax(to->rounding, s->rounding);
    to->stationarity = train_most(to->stationarity, kkt->stationarity);
    to->primal_feasibility = train_most(to->primal_feasibility, kkt->primal);
    to->dual_feasibility = train_most(to->dual_feasibility, kkt->dual);
    to->complementarity = train_most(to->complementarity, kkt->complementarity);
}

/* The figures of one point: margins and residuals. */
static void train_forget(hsp_convergence *to)
{
    to->objective = to->scaled_objective = (double)NAN;
    to->margin = to->inverse_norm = (double)NAN;
    to->margin_class = to->margin_other = UINT32_MAX;
    to->stationarity = to->primal_feasibility = (double)NAN;
    to->dual_feasibility = to->complementarity = (double)NAN;
}

/* Problems count in the scale of C (problem.h), reports in that of lambda; pairs of classes share C
 * or lambda, not both. */
static void train_rescale(const hsp__train *train, hsp_convergence *to)
{
    const hsp__plan *plan = &train->plan;
    const double gap = to->objective - to->dual_objective;
    to->gap = isnan(to->objective)   ? (double)NAN
              : isinf(to->objective) ? 1
              : gap > 0              ? gap / to->objective
                                     : 0;
    to->lambda = to->C = (double)NAN;
    if (train->kernel.kernel && hsp_kernel_is_indefinite(train->kernel.kernel)) {
        to->dual_objective = to->scaled_dual_objective = (double)NAN; /* it bounds nothing */
        to->gap = 1;
    }
    if (plan->hard || plan->unscaled) return;
    to->C = train->tasks[0].C;
    to->lambda = train->tasks[0].lambda;
    for (uint32_t c = 1; c < train->count; c++) {
        if (train->tasks[c].lambda != to->lambda) to->lambda = (double)NAN;
        if (train->tasks[c].C != to->C) to->C = (double)NAN;
    }
    if (plan->lambda > 0) to->lambda = plan->lambda; /* as it was given */
}

/* The figures of a training, from those of its problems of two classes. */
static void train_report(hsp__train *train)
{
    hsp_training *run = &train->run;
    hsp_convergence *to = &run->convergence;
    uint32_t left_out = 0, gap_unknown = 0;
    assert(train->count && train->tasks);
    to->margin = (double)NAN;
    to->margin_class = to->margin_other = UINT32_MAX;
    to->inverse_norm = HUGE_VAL;
    if (train->plan.solver) to->solver = "none"; /* of problems that need none */
    for (uint32_t c = 0; c < train->count; c++) {
        train_add(train, c, to);
        left_out += train->tasks[c].left_out != 0;
        gap_unknown += train->tasks[c].gap_unknown != 0;
    }
    const int inseparable = run->stop == HSP_STOP_INSEPARABLE;
    if (left_out && !inseparable)
        hsp__log(train->ctx, HSP_LOG_WARNING,
                 "the run was stopped after %u of %u %s; the others have no weights yet",
                 (unsigned)(train->count - left_out), (unsigned)train->count,
                 hsp__reduce_pairs(train) ? "pairs of classes" : "classes");
    if (!train->plan.solver) { /* nothing was minimised */
        *to = (hsp_convergence){0};
        return;
    }
    /* Stopped before all problems were solved, or before their figures were known. The sum of the
     * bounds is a bound all the same: that of any problem is 0 at least. */
    if (left_out || gap_unknown || inseparable) train_forget(to);
    to->support_vectors = train->supports ? 0 : to->support_sum;
    for (uint64_t i = 0; train->supports && i < train->prepared.view->rows; i++)
        to->support_vectors += train->supports[i];
    if (train->supports) hsp__shard_add(train->ctx, &to->support_vectors, 1);
    assert(to->support_vectors <= run->rows);
    if (!inseparable) {
        train_rescale(train, to);
        return;
    }
    to->lambda = to->C = to->dual_objective = to->scaled_dual_objective = (double)NAN;
    to->gap = to->rounding = (double)NAN;
}

/* ---- Build the model, count its mistakes ----------------------------------------------------- */

hsp_status hsp__train_count_mistakes(const hsp__train *train, hsp_context *ctx,
                                     const hsp_model *model, hsp_error *err, uint64_t *wrong)
{
    const hsp__prepared *prepared = &train->prepared;
    if (model->hypothesis == HSP__LINEAR) {
        const double **known = hsp__new(&ctx->allocator, model->scorers, sizeof *known);
        int all = train->tasks && train->count == model->scorers;
        hsp_status status = hsp__shard_agree(ctx, known ? HSP_OK : hsp__fail_memory(err), err);
        for (uint32_t c = 0; !status && all && c < model->scorers; c++)
            all = (known[c] = train->tasks[c].scores) != NULL;
        if (!status)
            status = hsp__training_error_linear(ctx, model, prepared->view, all ? known : NULL, err,
                                                wrong);
        hsp__free(&ctx->allocator, known);
        return status;
    }
    return hsp__training_error_scored(ctx, model, &prepared->base->view, NULL, err, wrong);
}

static hsp_status train_model(hsp__train *train, hsp_error *err, hsp_model **out)
{
    const hsp__native *native = train->is_native ? train->learner->native : NULL;
    const hsp__task *only = train->count == 1 ? train->tasks : NULL;
    hsp_context uninterruptible =
        hsp__stop_none(train->ctx); /* a stopped run still hands out its model */
    const hsp__model_spec spec = hsp__model_spec_of(train);
    hsp_model *model = NULL;
    hsp_status status =
        native && native->build
            ? native->build(train, &uninterruptible, &spec, err, &model)
            : hsp__build_model_tasks(train, &uninterruptible, 0, &spec, err, &model);
    status = hsp__shard_agree(train->ctx, status, err);
    if (status) {
        hsp_model_free(model);
        return status;
    }
    hsp__stop brief;
    hsp_context last = hsp__stop_grace(&brief, train->ctx);
    uint64_t wrong = only && only->counted > 0 ? only->mistakes : 0;
    if (native && native->mistakes)
        status = native->mistakes(train, &last, model, err, &wrong);
    else if (only && only->counted < 0)
        status = HSP_CANCELLED;
    else if (!only || !only->counted)
        status = hsp__train_count_mistakes(train, &last, model, err, &wrong);
    assert(status || wrong <= train->run.rows);
    status = hsp__training_error_report(status, wrong, model, err, &train->run);
    if (!status && native && native->finish) status = native->finish(train, err);
    if (!status && hsp__options_have(train->options, "link") && !model->pairs) {
        const hsp__link asked = hsp__link_of(hsp_options_text(train->options, "link"));
        const int softmax = train->is_native && train->plan.joint;
        model->probability.link = asked ? asked : softmax ? HSP__LINK_SOFTMAX : HSP__LINK_LOGISTIC;
    }
    if (status) hsp_model_free(model);
    if (!status) *out = model;
    return status;
}

/* ---- The path -------------------------------------------------------------------------------- */

/* The checkpoint, if one was asked for: can this training have one? */
static hsp_status train_checkpoint(hsp__train *train, hsp_error *err)
{
    hsp_context *ctx = train->ctx;
    const char *why = NULL;
    if (!ctx->checkpoint_path) return HSP_OK;
    if (!train->learner->can_checkpoint)
        why = train->learner->table.name;
    else if (train->plan.kernel)
        why = "--kernel";
    else if (train->is_native && train->plan.joint)
        why = hsp_options_text(train->options, "multiclass");
    else if (train->plan.log_passes)
        why = "--convergence";
    else if (hsp__option_text(train->options, "trace"))
        why = "--trace";
    if (why)
        return hsp__fail_option(
            err, "--checkpoint", "there are no checkpoints with %s; train without --checkpoint%s",
            why, train->is_native && train->plan.joint ? ", or with --multiclass ovr" : "");
    return hsp__checkpoint_open(train, ctx->checkpoint_ranks, err, &ctx->checkpoint);
}

/* Learn from all rows; no probabilities yet. */
static hsp_status train_once(hsp_context *ctx, hsp_data *data, const hsp_options *options,
                             const hsp_model *start, hsp_error *err, hsp_training *run,
                             hsp_model **out)
{
    hsp__train train;
    hsp_model *model = NULL;
    hsp_status status =
        hsp__train_open(&train, ctx, data, hsp__learner_of(options), options, start, err);
    const hsp__native *native = train.is_native ? train.learner->native : NULL;
    const int reduces = !native || native->reduces;
    if (!status) status = train_checkpoint(&train, err);
    if (!status && reduces) status = hsp__reduce(&train, err);
    if (!status && reduces && start) status = hsp__warm_start_check(&train, err);
    if (!status) {
        const double begun = hsp__clock();
        status = native ? native->fit(&train, err) : hsp__reduce_fit(&train, err);
        train.run.train_seconds = hsp__clock() - begun;
    }
    if (!status && reduces) train_report(&train);
    if (!status && train.plan.log_passes)
        status = hsp__pass_log_write(&train, hsp_options_text(options, "convergence"), err);
    if (!status && train.run.stop != HSP_STOP_INSEPARABLE)
        status = train_model(&train, err, &model);
    hsp__train_close(&train);
    hsp__checkpoint_free(ctx->checkpoint);
    ctx->checkpoint = NULL;
    if (status) {
        hsp_evidence_free(train.run.evidence);
        return status;
    }
    *run = train.run;
    *out = model;
    return HSP_OK;
}

/* What else the model says: the hash of its data, if that is in double precision, as somebody may
 * read it in single; the data of the model that it began at; that the run was stopped after it had
 * ended, or before all was done that it was asked for. */
static hsp_status train_add_metadata(hsp_context *ctx, const hsp_data *data, const hsp_model *start,
                                     hsp_training *run, hsp_model *model, hsp_error *err)
{
    hsp_context uninterruptible = hsp__stop_none(ctx); /* a stopped run still hands out its model */
    char hash[HSP__HASH_TEXT];
    if (data->view.precision == HSP_FLOAT64 && hsp_model_metadata(model, "data_hash")) {
        HSP__TRY(hsp__view_hash_single(&uninterruptible, &data->view, err, hash));
        HSP__TRY(hsp__model_set_metadata(model, "data_hash_single", hash, err));
    }
    if (data->of_arrays && !model->encoding)
        HSP__TRY(hsp__encoding_of_arrays(&model->memory, &data->view, &data->feature_names, err,
                                         &model->encoding));
    if (start) HSP__TRY(hsp__model_add_start(model, start, err));
    const char *known = hsp_model_metadata(model, "stop");
    if (hsp__stopped(ctx) == HSP__STOP_REQUESTED) run->stop = HSP_STOP_REQUEST;
    if (!hsp__stopped(ctx) || (known && strcmp(known, hsp_stop_name(run->stop)) == 0))
        return HSP_OK;
    HSP__TRY(hsp__model_set_metadata(model, "stop", hsp_stop_name(run->stop), err));
    return hsp__model_set_metadata(model, "converged", "false", err);
}

hsp_status hsp__train_status(const hsp_context *ctx, hsp_error *err)
{
    if (hsp__stopped(ctx) != HSP__STOP_REQUESTED) return HSP_OK;
    return hsp__fail(err, HSP_CANCELLED, "stopped on request while training");
}

hsp_status hsp__fail_time_limit(hsp_error *err)
{
    return hsp__fail_at(err, HSP_TIME_LIMIT, "--max-seconds", 0, 0,
                        "the time limit was reached before there was a model; allow more seconds, "
                        "or train on fewer rows");
}

/* Rows that are divided among ranks: learned together, if the learner can and does not begin at a model
 * (`starts`). Else every rank gets all of them, *whole, and does the same work, except for what the
 * learner divides. */
static hsp_status train_shard(hsp_context *ctx, hsp_data **data, const hsp__learner *learner,
                              const hsp_options *options, int starts, hsp_error *err,
                              hsp_data **whole)
{
    uint64_t entries = (*data)->nonzeros;
    hsp__ranks_add((*data)->shard.ranks, &entries, 1);
    if (!starts && learner->sharded && learner->sharded(*data, entries, options)) {
        ctx->shard = &(*data)->shard;
        ctx->stop->ranks = ctx->shard->ranks;
        return HSP_OK;
    }
    HSP__TRY(hsp_data_gather(ctx, *data, err, whole));
    *data = *whole;
    if (!learner->divides && !hsp__option_text(options, "approx")) ctx->ranks = NULL;
    return HSP_OK;
}

static hsp_status train_steps(hsp_context *ctx, hsp_data *data, const hsp_options *options,
                              const hsp_model *start, hsp_error *err, hsp_training *run,
                              hsp_model **out)
{
    const hsp__learner *learner = hsp__learner_of(options);
    if (!learner)
        return hsp__fail(err, HSP_USAGE, "'%s' is not a learner", hsp_options_table(options)->name);
    if (start && !learner->can_warm_start)
        return hsp__fail(err, HSP_USAGE, "%s does not support a warm start", learner->table.name);
    const char *path = hsp__option_text(options, "warm-start");
    if (path && start)
        return hsp__fail_option(err, "--warm-start", "a warm-start model was given twice");
    hsp__stop stop;
    hsp_context own = hsp__stop_open(&stop, ctx);
    own.checkpoint_ranks = ctx->ranks;
    hsp_training done = {.size = sizeof done};
    hsp_model *model = NULL, *read = NULL;
    hsp_data *whole = NULL;
    hsp_status status = path ? hsp_model_read(ctx, path, err, &read) : HSP_OK;
    if (!status && data->shard.ranks)
        status = train_shard(&own, &data, learner, options, start || read, err, &whole);
    else
        own.ranks = NULL;
    hsp__approx_step step = {.rows = data, .options = options};
    if (read) start = read;
    step.start = start;
    if (!status && hsp__option_text(options, "approx")) status = hsp__approx_open(&step, &own, err);
    if (!status && step.rows->shard.ranks) own.shard = &step.rows->shard;
    if (!status) status = hsp__calibrate_check(&own, step.rows, step.options, err);
    if (!status) status = train_once(&own, step.rows, step.options, step.start, err, &done, &model);
    status = hsp__shard_agree(&own, status, err);
    own.checkpoint_path = NULL; /* of what follows there is none */
    if (!status && model && hsp__calibrate_wanted(options))
        status = hsp__calibrate(&own, step.rows, step.options, train_once, err, &done, model);
    if (step.work) own.shard = NULL; /* the rows, not their features, are all here */
    if (!status && step.work) status = hsp__approx_finish(&step, err, &done, &model);
    hsp__approx_close(&step);
    if (!status && model) status = train_add_metadata(&own, data, start, &done, model, err);
    status = hsp__shard_agree(&own, status, err);
    hsp_model_free(read);
    hsp_data_free(whole);
    if (status || !run) hsp_evidence_free(done.evidence);
    if (status) {
        hsp_model_free(model);
        if (status == HSP_CANCELLED && stop.deadline > 0 && hsp__stopped(&own) == HSP__STOP_LATE)
            return hsp__fail_time_limit(err); /* our own limit; nobody asked */
        return hsp__while(err, status, "training", NULL);
    }
    done.has_convergence = done.convergence.solver != NULL;
    done.has_experts = done.experts.count > 0;
    hsp__report_give(run, &done, sizeof done);
    *out = model;
    return model ? hsp__train_status(&own, err) : HSP_OK;
}

hsp_status hsp_train(hsp_context *ctx, hsp_data *data, const hsp_options *options, hsp_error *err,
                     hsp_training *run, hsp_model **out)
{
    HSP__NEED(err, ctx, data, options, out);
    HSP__REPORT(err, run, hsp_training);
    return train_steps(ctx, data, options, NULL, err, run, out);
}

hsp_status hsp_train_from(hsp_context *ctx, hsp_data *data, const hsp_options *options,
                          const hsp_model *start, hsp_error *err, hsp_training *run,
                          hsp_model **out)
{
    HSP__NEED(err, ctx, data, options, out);
    HSP__REPORT(err, run, hsp_training);
    return train_steps(ctx, data, options, start, err, run, out);
}
