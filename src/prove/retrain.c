/* The run that made a model, once more: its options, its data, its updates in their order. A run
 * depends on the rows, the options and the seed alone, and a model keeps all of these but the rows.
 */
#include <stdio.h>

#include "base/base.h"
#include "base/options.h"
#include "data/formats.h"
#include "learn/prepare.h"
#include "learn/online/online_fit.h"
#include "prove/prove.h"

/* ---- Options --------------------------------------------------------------------------------- */

/* One option of `from` to `to`, which has the defaults: what is a default stays unsaid, as learners
 * refuse options that go unheard. */
static hsp_status retrain_copy(const hsp_option *option, const hsp_options *from, hsp_options *to,
                               hsp_error *err)
{
    const char *name = option->name, *text, *other;
    hsp_status status = HSP_OK;
    switch (option->type) {
    case HSP_OPTION_FLAG:
        if (hsp_options_flag(from, name) == hsp_options_flag(to, name)) return HSP_OK;
        return hsp_options_set(to, name, hsp_options_flag(from, name) ? "yes" : "no", err);
    case HSP_OPTION_INTEGER:
    case HSP_OPTION_REAL: {
        if (!option->fallback && !hsp_options_is_set(from, name)) return HSP_OK;
        const int whole = option->type == HSP_OPTION_INTEGER;
        const double value =
            whole ? (double)hsp_options_integer(from, name) : hsp_options_real(from, name);
        if (option->fallback &&
            value == (whole ? (double)hsp_options_integer(to, name) : hsp_options_real(to, name)))
            return HSP_OK;
        return hsp__options_copy(to, from, name, err);
    }
    case HSP_OPTION_LIST:
        for (size_t i = 0; !status && i < hsp_options_list_count(from, name); i++)
            status = hsp_options_set(to, name, hsp_options_list_item(from, name, i), err);
        return status;
    default:
        text = hsp_options_text(from, name);
        other = hsp_options_text(to, name);
        if (!text || (other && strcmp(text, other) == 0)) return HSP_OK;
        return hsp_options_set(to, name, text, err);
    }
}

hsp_status hsp__retrain_options(hsp_context *ctx, const hsp_model *model, hsp_error *err,
                                hsp_options **out)
{
    /* these make no other separator: files, time, probabilities; a start that knows all rows */
    static const char *const skipped[] = {"trace",     "reference",      "warm-start",
                                          "calibrate", "convergence",    "max-seconds",
                                          "keep-dual", "calibrate-folds"};
    const char *learner = hsp_model_metadata(model, "learner");
    const hsp_option_table *table = learner ? hsp_learner_find(learner) : NULL;
    hsp_options *all = NULL;
    if (!table)
        return hsp__fail(err, HSP_USAGE, "there is no learner '%.40s'", learner ? learner : "");
    hsp_status status = hsp_options_new(ctx, table, err, out);
    if (!status) status = hsp_options_new(ctx, table, err, &all);
    if (!status) status = hsp_model_set_options(model, all, err);
    for (size_t i = 0; !status && i < table->count; i++) {
        size_t k = 0;
        while (k < sizeof skipped / sizeof *skipped &&
               strcmp(table->options[i].name, skipped[k]) != 0)
            k++;
        if (k == sizeof skipped / sizeof *skipped)
            status = retrain_copy(&table->options[i], all, *out, err);
    }
    hsp_options_free(all);
    return status;
}

/* ---- Data ------------------------------------------------------------------------------------ */

static int retrain_is_single(const hsp_model *model)
{
    const char *precision = hsp_model_metadata(model, "precision");
    return precision && strcmp(precision, "single") == 0;
}

hsp_status hsp__retrain_check(hsp__prove *prove, hsp_error *err, hsp_data **again, const char **why)
{
    const hsp_model *model = prove->model;
    hsp__trained seen = HSP__TRAINED_NO;
    *why = NULL;
    HSP__TRY(hsp__view_seen(prove->ctx, &prove->data.whole->view, model, err, &seen));
    if (seen != HSP__TRAINED_YES && retrain_is_single(model)) {
        /* as training read it, from the file: a decimal may round to another float than its double
         * does (one in 2^30 of random ones) */
        hsp_context quiet = *prove->ctx; /* a log of another run would say nothing about this one */
        hsp_options *read = NULL;
        quiet.log = NULL;
        hsp_status status = prove->read ? hsp_options_copy(&quiet, prove->read, err, &read)
                                        : hsp_options_new(&quiet, hsp_read_options(), err, &read);
        if (!status) status = hsp_options_set(read, "precision", "single", err);
        if (!status)
            status = hsp_data_read(&quiet, prove->data.path, read, model->encoding, err, again);
        hsp_options_free(read);
        if (!status) status = hsp__view_seen(prove->ctx, &(*again)->view, model, err, &seen);
        if (status) return status;
    }
    if (seen != HSP__TRAINED_YES)
        *why = "the model was trained on other rows than those of the data file, or they were read "
               "in another way";
    return HSP_OK;
}

/* ---- Updates --------------------------------------------------------------------------------- */

const char *hsp__retrain_counts(const hsp__prove *prove, double rate, uint64_t updates,
                                uint64_t *count)
{
    const hsp_row_coefficients made = hsp_model_row_coefficients(prove->model);
    uint64_t total = 0;
    for (uint64_t k = 0; k < made.count; k++) {
        const uint64_t i = made.row[k];
        if (i >= prove->data.rows->rows || made.amount[k] * prove->data.y[i] < 0)
            return "the run was on other rows than those of this file";
        const double times = fabs(made.amount[k]) / rate;
        if (!(fabs(times - nearbyint(times)) < 1e-6 * times) || times > 0x1p53)
            return "the updates in the model are not whole numbers";
        count[i] += (uint64_t)llround(times);
        total += (uint64_t)llround(times);
    }
    return total == updates ? NULL : "the model does not keep all its updates";
}

hsp_status hsp__retrain_sequence(hsp__prove *prove, const uint64_t *count, uint64_t updates,
                                 hsp_error *err, uint64_t **rows, const char **why)
{
    const uint64_t n = prove->data.rows->rows;
    uint64_t *left = hsp__scratch_raw(&prove->scratch, n, sizeof *left);
    uint64_t *order = hsp__scratch_raw(&prove->scratch, updates, sizeof *order);
    hsp_context quiet = *prove->ctx;
    hsp_options *options = NULL;
    hsp_data *own = NULL;
    hsp__sequence made = {0};
    quiet.log = NULL;
    if (prove->scratch.failed) return hsp__fail_memory(err);
    hsp_status status = hsp__retrain_check(prove, err, &own, why);
    if (!status && !*why && !own && retrain_is_single(prove->model))
        status = hsp__data_round_single(prove->ctx, prove->data.whole, prove->read, err, &own);
    if (!status && !*why) status = hsp__retrain_options(&quiet, prove->model, err, &options);
    if (!status && !*why && updates)
        status = hsp_options_set_integer(options, "max-updates", (int64_t)updates, err);
    if (!status && !*why)
        status = hsp__online_sequence(&quiet, own ? own : prove->data.whole, options, err, &made);
    hsp_options_free(options);
    hsp_data_free(own);
    /* are these the updates that the model says it made? */
    int same = !status && !*why && made.count == updates;
    memcpy(left, count, n * sizeof *left);
    for (uint64_t k = 0; same && k < updates; k++) {
        order[k] = made.row[k];
        same = order[k] < n && left[order[k]]--;
    }
    hsp__free(&prove->ctx->allocator, made.row);
    assert(!same || made.count == updates);
    *rows = same ? order : NULL;
    if (!same && !status && !*why) *why = "the repeated run gave another result";
    return status;
}
