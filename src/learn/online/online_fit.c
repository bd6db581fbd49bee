#include "learn/online/online_fit.h"
#include "learn/online/resume.h"

#include "base/base.h"
#include "data/sweep.h"
#include "learn/kernel/kernel_scores.h"
#include "learn/online/online_mix.h"
#include "learn/online/online_model.h"
#include "learn/online/trace.h"
#include "learn/option_helpers.h"
#include "learn/select/calibrate.h"
#include "learn/train.h"

hsp_status hsp__online_check_stream(const hsp__learner *learner, const hsp_options *options,
                                    hsp_error *err)
{
    if (hsp__option_set(options, "order") && !hsp__option_is(options, "order", "cyclic"))
        return hsp__fail_option(err, "--order",
                                "--order %s needs all rows; a stream is learned in its own order",
                                hsp_options_text(options, "order"));
    if (!hsp__option_is(options, "scale", "none") &&
        (!hsp__option_is(options, "scale", "standard") || learner->rule->unit_values))
        return hsp__fail_option(err, "--scale",
                                "%s scaling needs all rows; %sscale the file first, or train "
                                "without --stream",
                                hsp_options_text(options, "scale"),
                                learner->rule->unit_values ? "" : "use --scale standard, ");
    if (hsp__option_is(options, "normalize", "ball"))
        return hsp__fail_option(err, "--normalize",
                                "--normalize ball needs the largest norm of all rows; use "
                                "--normalize rows, or train without --stream");
    if (hsp__option_is(options, "average", "vote"))
        return hsp__fail_option(err, "--average",
                                "voting keeps rows, and a stream does not; use --average average, "
                                "or train without --stream");
    if (hsp__calibrate_wanted(options))
        return hsp__fail_option(err, "--calibrate",
                                "calibration needs all rows; train without --stream");
    if (hsp__option_is(options, "multiclass", "ovo"))
        return hsp__fail_option(err, "--multiclass",
                                "one-vs-one needs all rows; use %s, or train without --stream",
                                learner->rule->native ? "native or ovr" : "ovr");
    if (hsp__option_text(options, "trace"))
        return hsp__fail_option(err, "--trace", "a trace needs all rows; train without --stream");
    return learner->rule->check(options, 1, err);
}

/* The state of the native form. */
typedef struct online_fit_state {
    hsp__ovr ovr;
    hsp__kernel_scores *kernel; /* NULL: none */
    hsp__trace *trace;          /* NULL: none */
} online_fit_state;

/* ---- One-vs-one ------------------------------------------------------------------------------ */

/* Runs over the rows of `data` and their kernel scores, ready for training; the longest row, where
 * somebody asks. `numbers`: those that a precomputed kernel knows the rows by. */
static hsp_status online_fit_ovr(const hsp__train *train, hsp_context *ctx, const hsp_data *data,
                                 const uint64_t *numbers, online_fit_state *own, hsp_error *err,
                                 double *radius)
{
    const hsp__online_rule *rule = train->learner->rule;
    const hsp_view *view = &data->view;
    const int traced = rule->proof && hsp__option_text(train->options, "trace");
    *radius = (double)NAN;
    if (train->kernel.kernel)
        HSP__TRY(hsp__kernel_scores_new(ctx, train, view, numbers, err, &own->kernel));
    if (traced || (rule->wants_radius && rule->wants_radius(train->options)))
        HSP__TRY(own->kernel ? hsp__kernel_scores_radius(own->kernel, err, radius)
                             : hsp__largest_norm(ctx, data, err, radius));
    const hsp__online_facts facts = {
        .rows = view->rows, .radius = *radius, .votes = train->prepared.votes};
    HSP__TRY(hsp__ovr_init(&own->ovr, ctx, train->learner, train->options, &facts, view->classes,
                           own->kernel ? 0 : view->cols, err));
    return own->kernel ? hsp__kernel_scores_join(own->kernel, &own->ovr, err) : HSP_OK;
}

static void online_fit_drop(online_fit_state *own)
{
    hsp__trace_free(own->trace);
    hsp__ovr_free(&own->ovr);
    hsp__kernel_scores_free(own->kernel);
}

/* What the run of a pair of classes learned, to its task: weights, or with a kernel coefficients. */
static hsp_status online_fit_take(hsp_context *ctx, const hsp__ovr *ovr, hsp__kernel_scores *kernel,
                                  hsp__task *task, hsp_error *err)
{
    hsp__online *run = &ovr->runs[0];
    hsp__solution *s = &task->solution;
    const uint64_t n = task->problem.view->rows;
    hsp_training figures = {0};
    double none[1];
    assert(ovr->count == 1 && run->sep.scorers == 1);
    hsp__ovr_report(ovr, 0, &figures);
    s->passes = figures.passes;
    s->updates = figures.updates;
    s->stop = figures.stop;
    task->last_mistakes = figures.mistakes_last_pass;
    hsp__online_result(run, 0, kernel ? none : s->w, &s->b);
    task->amounts = hsp__new(&ctx->allocator, n, sizeof *task->amounts);
    if (!task->amounts || !hsp__ledger_settle(&run->kept.ledger)) return hsp__fail_memory(err);
    for (uint64_t k = 0; k < run->kept.ledger.count; k++)
        task->amounts[run->kept.ledger.entries[k].row] = run->kept.ledger.entries[k].amount;
    hsp__ledger *past = kernel ? hsp__kernel_scores_past(kernel) : NULL;
    if (!past) return HSP_OK;
    task->coefficients = hsp__new(&ctx->allocator, n, sizeof *task->coefficients);
    if (!task->coefficients || !hsp__ledger_settle(past)) return hsp__fail_memory(err);
    memcpy(task->coefficients, task->amounts, n * sizeof *task->coefficients);
    for (uint64_t k = 0; k < past->count; k++)
        task->coefficients[past->entries[k].row] -=
            past->entries[k].amount / (double)run->done.examples;
    return HSP_OK;
}

hsp_status hsp__online_fit(hsp__train *train, hsp_context *ctx, hsp__task *task, int report,
                           hsp_error *err)
{
    const hsp_view *view = task->problem.view;
    const hsp_data data = {.memory = ctx->allocator, .view = *view, .checked = 1};
    const uint64_t *known = train->kernel.ids ? train->kernel.ids : train->kernel.origin;
    online_fit_state own = {0};
    uint64_t *numbers = NULL;
    hsp_stop why;
    if (train->start)
        return hsp__fail_option(err, "--warm-start",
                                "one-vs-one runs cannot go on; use --multiclass native or ovr");
    if (known) { /* of a precomputed kernel */
        numbers = hsp__new_raw(&ctx->allocator, view->rows, sizeof *numbers);
        if (!numbers) return hsp__fail_memory(err);
        for (uint64_t i = 0; i < view->rows; i++)
            numbers[i] = known[task->row_numbers[i]];
    }
    hsp_status status = online_fit_ovr(train, ctx, &data, numbers ? numbers : task->row_numbers,
                                       &own, err, &task->radius);
    if (!status) {
        own.ovr.runs[0].place.task = (uint32_t)(task - train->tasks);
        status = hsp__ovr_run(&own.ovr, view, err);
    }
    if (!status) status = online_fit_take(ctx, &own.ovr, own.kernel, task, err);
    online_fit_drop(&own);
    hsp__free(&ctx->allocator, numbers);
    hsp__watch_tick(&train->watch, view->rows, report, &why);
    return status;
}

/* ---- All classes ----------------------------------------------------------------------------- */

static int online_fit_suits(const hsp__train *train)
{
    return !(train->plan.ovo && train->prepared.view->classes > 2);
}

/* Go on from a model of the same classes and columns. */
static hsp_status online_fit_resume(const hsp__train *train, online_fit_state *own, hsp_error *err)
{
    const hsp_model *start = train->start;
    const hsp_data *data = train->prepared.data;
    int same = start->class_names.count == data->class_names.count;
    for (uint32_t c = 0; same && c < start->class_names.count; c++)
        same = strcmp(hsp__names_get(&start->class_names, c),
                      hsp__names_get(&data->class_names, c)) == 0;
    if (!same)
        return hsp__fail_option(
            err, "--warm-start",
            "the data has other classes than the model; name those of the model "
            "with --classes, or go on in a stream (--stream)");
    if (start->features > data->view.cols ||
        start->feature_names.count != data->feature_names.count)
        return hsp__fail_option(err, "--warm-start",
                                "the data has %llu features and the model %llu; read libsvm text "
                                "with --features %llu",
                                (unsigned long long)data->view.cols,
                                (unsigned long long)start->features,
                                (unsigned long long)start->features);
    return hsp__resume(&own->ovr, start, err);
}

static hsp_status online_fit_open(hsp__train *train, hsp_error *err)
{
    online_fit_state *own = train->native;
    const hsp__train_kernel *known = &train->kernel;
    const hsp_data *data = train->prepared.data;
    const char *path = hsp__option_text(train->options, "trace");
    HSP__TRY(online_fit_ovr(train, train->ctx, data, known->ids ? known->ids : known->origin, own,
                            err, &train->run.radius));
    if (train->start) HSP__TRY(online_fit_resume(train, own, err));
    if (!path) return HSP_OK;
    if (own->ovr.classes > 2)
        return hsp__fail_option(err, "--trace",
                                "a trace needs two classes, and the data has %u; choose them with "
                                "--positive or --classes",
                                (unsigned)own->ovr.classes);
    HSP__TRY(hsp__trace_new(train->ctx, path, hsp__option_text(train->options, "reference"),
                            &own->ovr.runs[0], train->run.radius, known->kernel, data,
                            train->prepared.scalings, err, &own->trace));
    own->ovr.runs[0].kept.trace = own->trace;
    return HSP_OK;
}

static hsp_status online_fit_all(hsp__train *train, hsp_error *err)
{
    online_fit_state *own = train->native;
    HSP__TRY(online_fit_open(train, err));
    const double begun = hsp__clock();
    hsp_status status = train->ctx->shard
                            ? hsp__online_mix(&own->ovr, train->options, train->prepared.view,
                                              train->run.radius, err)
                            : hsp__ovr_run(&own->ovr, train->prepared.view, err);
    if (train->ctx->shard) train->run.parts = hsp__ranks_parts(train->ctx->shard->ranks);
    if (status == HSP_CANCELLED && hsp__stopped(train->ctx)) { /* in a block of kernel values */
        for (uint32_t c = 0; c < own->ovr.count; c++)
            hsp__online_tick(&own->ovr.runs[c], 0, 0);
        status = HSP_OK;
    }
    train->run.train_seconds = hsp__clock() - begun;
    if (!status) hsp__ovr_report(&own->ovr, 0, &train->run);
    return status;
}

static hsp_status online_fit_build(hsp__train *train, hsp_context *ctx, const hsp__model_spec *spec,
                                   hsp_error *err, hsp_model **out)
{
    online_fit_state *own = train->native;
    if (own->kernel)
        return hsp__online_model_kernel(train, ctx, &own->ovr, own->kernel, spec, err, out);
    return hsp__online_model(ctx, &own->ovr, NULL, 0, train->prepared.data, spec, err, out);
}

/* A run whose last pass had no mistakes, and which returns the weights of that pass, has none. */
static hsp_status online_fit_mistakes(hsp__train *train, hsp_context *ctx, const hsp_model *model,
                                      hsp_error *err, uint64_t *wrong)
{
    const online_fit_state *own = train->native;
    const hsp__ovr *ovr = &own->ovr;
    const hsp__online *first = &ovr->runs[0];
    if (train->run.stop == HSP_STOP_CONVERGED && ovr->plan.average == HSP__AVERAGE_NONE &&
        ovr->count == 1 && !first->mistake.extra && !first->space.kernel && !first->rule->score)
        return HSP_OK;
    return hsp__train_count_mistakes(train, ctx, model, err, wrong);
}

static hsp_status online_fit_finish(hsp__train *train, hsp_error *err)
{
    const online_fit_state *own = train->native;
    return own->trace ? hsp__trace_commit(own->trace, err) : HSP_OK;
}

static void online_fit_free(hsp__train *train)
{
    online_fit_drop(train->native);
}

const hsp__native hsp__online_native = {.bytes = sizeof(online_fit_state),
                                        .suits = online_fit_suits,
                                        .fit = online_fit_all,
                                        .build = online_fit_build,
                                        .mistakes = online_fit_mistakes,
                                        .finish = online_fit_finish,
                                        .free = online_fit_free};

hsp_status hsp__online_sequence(hsp_context *ctx, hsp_data *data, const hsp_options *options,
                                hsp_error *err, hsp__sequence *out)
{
    hsp__train train = {0};
    const hsp__learner *learner = hsp__learner_of(options);
    *out = (hsp__sequence){0};
    if (!learner || !learner->rule || !learner->rule->native)
        return hsp__fail(err, HSP_USAGE, "'%s' is not an online learner",
                         hsp_options_table(options)->name);
    hsp_status status = hsp__train_open(&train, ctx, data, learner, options, NULL, err);
    if (!status && train.prepared.view->classes != 2)
        status = hsp__fail(err, HSP_USAGE, "the run has more than two classes");
    if (!status) status = online_fit_open(&train, err);
    if (!status) {
        online_fit_state *own = train.native;
        own->ovr.runs[0].kept.sequence = out;
        status = hsp__ovr_run(&own->ovr, train.prepared.view, err);
    }
    hsp__train_close(&train);
    return status;
}
