/* One example at a time: a ovr of its own, driven by the caller. */
#include "base/base.h"
#include "base/sized_report.h"
#include "learn/option_helpers.h"
#include "learn/multiclass/ovr.h"
#include "learn/online/online_model.h"
#include "learn/prepare.h"
#include "learn/online/online_fit.h"
#include "learn/input_checks.h"

struct hsp_trainer {
    hsp_context *ctx;
    const hsp__learner *learner;
    hsp_options *options; /* a copy */
    hsp__names class_names;
    hsp__ovr ovr;
    hsp_scaling *scaling; /* of the rows, or NULL */
    hsp_storage storage;  /* of the rows met */
    hsp_precision precision;
    uint64_t rows, nonzeros;
};

void hsp_trainer_free(hsp_trainer *trainer)
{
    if (!trainer) return;
    hsp_options_free(trainer->options);
    hsp__names_free(&trainer->class_names);
    hsp__ovr_free(&trainer->ovr);
    hsp_scaling_free(trainer->scaling);
    hsp__free(&trainer->ctx->allocator, trainer);
}

hsp_status hsp_trainer_new(hsp_context *ctx, const hsp_options *options,
                           const char *const *class_names, uint32_t classes, uint64_t features,
                           hsp_error *err, hsp_trainer **out)
{
    HSP__NEED(err, ctx, options, class_names, out);
    static const char *const callers[] = {"passes", "max-passes", "max-seconds"};
    const hsp__learner *learner = hsp__learner_of(options);
    if (!learner || !learner->rule)
        return hsp__fail(err, HSP_USAGE, "%s does not learn one example at a time",
                         hsp_options_table(options)->name);
    if (classes < 2)
        return hsp__fail(err, HSP_USAGE, "found %u class names, expected two or more",
                         (unsigned)classes);
    if (hsp_options_text(options, "positive") || hsp_options_text(options, "classes"))
        return hsp__fail(
            err, HSP_USAGE,
            "the classes are given by name; the options positive and classes apply only to files");
    for (size_t i = 0; i < sizeof callers / sizeof *callers; i++)
        if (hsp__option_set(options, callers[i]))
            return hsp__fail(
                err, HSP_USAGE,
                "%s does not apply to single steps; the caller decides how many to make",
                callers[i]);
    if (!hsp__option_is(options, "scale", "none"))
        return hsp__fail_option(err, "--scale",
                                "scaling columns does not apply to single steps; scale the rows "
                                "first");
    HSP__TRY(hsp__online_check_stream(learner, options, err));
    hsp_trainer *trainer = hsp__new(&ctx->allocator, 1, sizeof *trainer);
    if (!trainer) return hsp__fail_memory(err);
    hsp_status status = HSP_OK;
    trainer->ctx = ctx;
    trainer->learner = learner;
    hsp__names_init(&trainer->class_names, &ctx->allocator);
    for (uint32_t c = 0, number; !status && c < classes; c++) {
        if (!hsp__names_add(&trainer->class_names, class_names[c], strlen(class_names[c]), &number))
            status = hsp__fail_memory(err);
        else if (number != c)
            status = hsp__fail(err, HSP_USAGE, "the class name '%s' appears twice", class_names[c]);
    }
    if (!status) status = hsp_options_copy(ctx, options, err, &trainer->options);
    if (!status) status = hsp__prepare_stream(ctx, options, err, &trainer->scaling);
    const hsp__online_facts facts = {.radius = (double)NAN, .votes = trainer->scaling};
    if (!status)
        status = hsp__ovr_init(&trainer->ovr, ctx, learner, trainer->options, &facts, classes,
                               features, err);
    if (status) hsp_trainer_free(trainer);
    if (!status) *out = trainer;
    return status;
}

static hsp_status trainer_learn(hsp_trainer *trainer, const hsp_view *view, uint64_t row,
                                hsp_error *err, hsp_step *step)
{
    hsp_status status = HSP_OK;
    if (trainer->learner->rule->unit_values) {
        const hsp_view one = hsp__view_slice(view, row, row + 1);
        status = hsp__input_checks_check_block(&one, trainer->scaling != NULL, NULL, NULL,
                                               HSP__VALUES_STREAM, err);
    }
    if (!status) status = hsp__ovr_grow(&trainer->ovr, trainer->ovr.classes, view->cols, err);
    if (!status) status = hsp__ovr_step(&trainer->ovr, view, row, err, step);
    if (status) return status;
    hsp__row x = hsp__view_row(view, row);
    trainer->storage = view->storage;
    trainer->precision = view->precision;
    trainer->rows++;
    for (uint64_t k = 0; k < x.count; k++)
        trainer->nonzeros += hsp__row_value(view, &x, k) != 0;
    return HSP_OK;
}

hsp_status hsp_trainer_step(hsp_trainer *trainer, const hsp_view *view, uint64_t row,
                            hsp_error *err, hsp_step *step)
{
    HSP__NEED(err, trainer, view);
    HSP__REPORT(err, step, hsp_step);
    hsp_step made = {0};
    hsp_status status;
    if (row >= view->rows || !view->labels)
        return hsp__fail(err, HSP_USAGE, "there is no labelled row %llu", (unsigned long long)row);
    if (view->labels[row] >= trainer->ovr.classes)
        return hsp__fail(err, HSP_USAGE, "row %llu has label %u, the trainer has %u classes",
                         (unsigned long long)row, (unsigned)view->labels[row],
                         (unsigned)trainer->ovr.classes);
    status = hsp__view_check_finite(view, row, row + 1, err);
    if (status) return status;
    if (trainer->scaling) {
        hsp_context quiet = hsp__quiet(trainer->ctx);
        hsp_data one = {.memory = quiet.allocator, .checked = 1};
        hsp_data *scaled = NULL;
        one.view = hsp__view_slice(view, row, row + 1);
        one.nonzeros = hsp_view_stored(&one.view);
        status = hsp_scaling_apply(&quiet, trainer->scaling, &one, err, &scaled);
        if (!status) status = trainer_learn(trainer, &scaled->view, 0, err, &made);
        hsp_data_free(scaled);
    } else {
        status = trainer_learn(trainer, view, row, err, &made);
    }
    if (status && err && err->line) err->line = row + 1; /* one row was looked at: which one */
    if (!status) hsp__report_give(step, &made, sizeof made);
    return status;
}

hsp_status hsp_trainer_model(hsp_trainer *trainer, hsp_error *err, hsp_model **out)
{
    HSP__NEED(err, trainer, out);
    hsp_scaling *scalings[HSP__MODEL_SCALINGS] = {NULL};
    HSP__TRY(hsp__prepare_stream(trainer->ctx, trainer->options, err, &scalings[0]));
    hsp_training run = {.rows = trainer->rows,
                        .cols = trainer->ovr.runs[0].sep.features,
                        .nonzeros = trainer->nonzeros,
                        .training_error = (double)NAN,
                        .radius = (double)NAN};
    hsp__ovr_report(&trainer->ovr, 0, &run);
    /* Whether more examples would change it is the caller's to know. */
    if (run.stop == HSP_STOP_CONVERGED) run.stop = HSP_STOP_PASSES;
    hsp__model_spec spec = {.learner = trainer->learner,
                            .options = trainer->options,
                            .class_names = &trainer->class_names,
                            .scalings = scalings,
                            .storage = trainer->storage,
                            .precision = trainer->precision,
                            .run = &run,
                            .tie = trainer->ovr.plan.tie,
                            .seed = trainer->ovr.plan.seed};
    hsp_status status =
        hsp__online_model(trainer->ctx, &trainer->ovr, NULL, 0, NULL, &spec, err, out);
    hsp_scaling_free(scalings[0]);
    return status;
}
