/* The run that made a model, once more: its options, its data, its updates in their order. A run
 * depends on the rows, the options and the seed alone, and a model keeps all of these but the rows.
 */
#include "prove/retrain.h"

#include <assert.h>
#include <stdio.h>
#include <string.h>

#include "base/context.h"
#include "base/decimal.h"
#include "base/error.h"
#include "base/options.h"
#include "base/memory.h"
#include "data/formats.h"
#include "learn/prepare.h"
#include "learn/online/online_fit.h"

/* ---- Options --------------------------------------------------------------------------------- */

/* Options that make no other separator: files, time, probabilities; a start that knows all rows. */
static int retrain_skips(const char *name)
{
    static const char *const names[] = {"trace",       "reference", "warm-start",     "calibrate",
                                        "max-seconds", "keep-dual", "calibrate-folds"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (strcmp(name, names[i]) == 0) return 1;
    return 0;
}

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
    const char *learner = hsp_model_metadata(model, "learner");
    const hsp_option_table *table = learner ? hsp_learner_find(learner) : NULL;
    hsp_options *all = NULL;
    if (!table)
        return hsp__fail(err, HSP_USAGE, "there is no learner '%.40s'", learner ? learner : "");
    hsp_status status = hsp_options_new(ctx, table, err, out);
    if (!status) status = hsp_options_new(ctx, table, err, &all);
    if (!status) status = hsp_model_set_options(model, all, err);
    for (size_t i = 0; !status && i < table->count; i++)
        if (!retrain_skips(table->options[i].name))
            status = retrain_copy(&table->options[i], all, *out, err);
    hsp_options_free(all);
    return status;
}

/* ---- Data ------------------------------------------------------------------------------------ */

/* The file as training read it, from the file: a decimal may round to another float than its double
 * does (one in 2^30 of random ones). */
static hsp_status retrain_read(hsp__prove *prove, hsp_error *err, hsp_data **out)
{
    hsp_context quiet = *prove->ctx; /* a log of another run would say nothing about this one */
    hsp_options *read = NULL;
    quiet.log = NULL;
    hsp_status status = prove->read ? hsp_options_copy(&quiet, prove->read, err, &read)
                                    : hsp_options_new(&quiet, hsp_read_options(), err, &read);
    if (!status) status = hsp_options_set(read, "precision", "single", err);
    if (!status)
        status = hsp_data_read(&quiet, prove->data.path, read, prove->model->encoding, err, out);
    hsp_options_free(read);
    return status;
}

hsp_status hsp__retrain_check(hsp__prove *prove, hsp_error *err, hsp_data **again, const char **why)
{
    const char *precision = hsp_model_metadata(prove->model, "precision");
    hsp__trained seen = HSP__TRAINED_NO;
    *why = NULL;
    hsp_status status =
        hsp__view_seen(prove->ctx, &prove->data.whole->view, prove->model, err, &seen);
    if (!status && seen != HSP__TRAINED_YES && precision && strcmp(precision, "single") == 0) {
        status = retrain_read(prove, err, again);
        if (!status) status = hsp__view_seen(prove->ctx, &(*again)->view, prove->model, err, &seen);
    }
    if (!status && seen != HSP__TRAINED_YES)
        *why = "the model was trained on other rows than those of the data file, or they were read "
               "in another way";
    return status;
}

/* The rows as training had them, in *out; *own is what the caller frees. */
static hsp_status retrain_data(hsp__prove *prove, hsp_error *err, hsp_data **own, hsp_data **out,
                               const char **why)
{
    const char *precision = hsp_model_metadata(prove->model, "precision");
    hsp_status status = hsp__retrain_check(prove, err, own, why);
    if (!status && !*why && !*own && precision && strcmp(precision, "single") == 0)
        status = hsp__data_round_single(prove->ctx, prove->data.whole, prove->read, err, own);
    *out = *own ? *own : prove->data.whole;
    return status;
}

/* ---- Updates --------------------------------------------------------------------------------- */

/* Are these the updates that the model says it made? */
static int retrain_same(const hsp__sequence *made, const uint64_t *count, uint64_t rows,
                        uint64_t updates, uint64_t *left)
{
    if (made->count != updates) return 0;
    memcpy(left, count, rows * sizeof *left);
    assert(made->count == updates);
    for (uint64_t k = 0; k < updates; k++)
        if (made->row[k] >= rows || !left[made->row[k]]--) return 0;
    return 1;
}

static hsp_status retrain_run(hsp__prove *prove, hsp_data *data, const uint64_t *count,
                              uint64_t updates, hsp_error *err, uint64_t **rows, const char **why)
{
    const uint64_t n = prove->data.rows->rows;
    hsp_context quiet = *prove->ctx; /* a log of another run would say nothing about this one */
    hsp__sequence made = {0};
    hsp_options *options = NULL;
    char text[32];
    uint64_t *left = hsp__new_raw(&prove->ctx->allocator, n, sizeof *left);
    hsp_status status = left ? HSP_OK : hsp__fail_memory(err);
    quiet.log = NULL;
    snprintf(text, sizeof text, "%llu", (unsigned long long)updates);
    if (!status) status = hsp__retrain_options(&quiet, prove->model, err, &options);
    if (!status && updates) status = hsp_options_set(options, "max-updates", text, err);
    if (!status) status = hsp__online_sequence(&quiet, data, options, err, &made);
    if (!status && retrain_same(&made, count, n, updates, left)) {
        *rows = made.row;
        made.row = NULL;
    } else if (!status) {
        *why = "the repeated run gave another result";
    }
    hsp__free(&prove->ctx->allocator, made.row);
    hsp__free(&prove->ctx->allocator, left);
    hsp_options_free(options);
    return status;
}

hsp_status hsp__retrain_sequence(hsp__prove *prove, const uint64_t *count, uint64_t updates,
                                 hsp_error *err, uint64_t **rows, const char **why)
{
    hsp_data *own = NULL, *data;
    *rows = NULL;
    hsp_status status = retrain_data(prove, err, &own, &data, why);
    if (!status && !*why) status = retrain_run(prove, data, count, updates, err, rows, why);
    hsp_data_free(own);
    return status;
}
