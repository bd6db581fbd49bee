/* The run that an audit is about: what the model's metadata says of it, the rows as it was trained
 * on them, and the separator it ended with; and the entries of the audit.
 *
 * Sums are in hsp__long and then rounded: what they are compared with carries the rounding of the
 * run, and theirs should not add to it. */
#include <stdarg.h>
#include <stdio.h>

#include "base/base.h"
#include "base/decimal.h"
#include "base/json.h"
#include "data/sweep.h"
#include "learn/prepare.h"
#include "measure/audit.h"

#define RUN_SLACK 1e-9 /* relative: what rounding may explain */

/* ---- Entries ---- */

void hsp__audit_fill(hsp__audit_list *list, const hsp__audit_theorem *theorems, size_t count,
                     const void *run)
{
    for (size_t i = 0; i < count; i++) {
        assert(list->count < HSP__AUDIT_BOUNDS);
        hsp_mistake_bound *entry = &list->bounds[list->count];
        *entry = (hsp_mistake_bound){.name = theorems[i].name,
                                     .formula = theorems[i].formula,
                                     .bound = (double)NAN,
                                     .observed = (double)NAN,
                                     .held = 1,
                                     .lower = theorems[i].lower};
        const int applies = theorems[i].check(run, entry);
        if (applies < 0) continue;
        list->count++;
        /* overflow says nothing about a theorem */
        entry->applies = applies && isfinite(entry->observed) && isfinite(entry->bound);
        if (entry->applies == applies) continue;
        entry->held = 1;
        entry->observed = entry->bound = (double)NAN;
        hsp__audit_why(entry, "its figures leave the range of double precision: scale the columns");
    }
}

int hsp__audit_why(hsp_mistake_bound *entry, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    vsnprintf(entry->why, sizeof entry->why, format, args);
    va_end(args);
    return 0;
}

int hsp__audit_settle(hsp_mistake_bound *entry, double observed, double bound, double size,
                      const char *format, ...)
{
    const double slack = RUN_SLACK * size;
    va_list args;
    assert(!(size < 0));
    entry->observed = observed;
    entry->bound = bound;
    entry->held = entry->lower ? observed >= bound - slack : observed <= bound + slack;
    va_start(args, format);
    vsnprintf(entry->why, sizeof entry->why, format, args);
    va_end(args);
    return 1;
}

/* ---- Metadata ---- */

hsp_status hsp__audit_open(const hsp_model *model, hsp_error *err, hsp__audit_reader *reader)
{
    *reader = (hsp__audit_reader){model, NULL, NULL};
    const char *options = hsp_model_metadata(model, "options");
    if (!options) return HSP_OK;
    HSP__TRY(hsp__json_parse(&model->memory, options, strlen(options), "", err, &reader->json));
    reader->options = hsp__json_root(reader->json);
    if (!hsp__audit_text(reader, "warm-start") && !hsp_model_metadata(model, "earlier_data_hashes"))
        return HSP_OK;
    hsp__audit_close(reader);
    return hsp__fail(
        err, HSP_USAGE,
        "the run went on from another model (a warm start), and the bounds are for runs "
        "from zero; train on all rows at once");
}

void hsp__audit_close(hsp__audit_reader *reader)
{
    hsp__json_free(reader->json);
}

const char *hsp__audit_text(const hsp__audit_reader *reader, const char *name)
{
    const char *recorded = hsp_model_metadata(reader->model, name);
    return recorded ? recorded : hsp__json_string(hsp__json_get(reader->options, name), NULL);
}

hsp_status hsp__audit_number(const hsp__audit_reader *reader, const char *name, double fallback,
                             double *out, int *relative, hsp_error *err)
{
    const char *text = hsp__audit_text(reader, name);
    *out = fallback;
    if (relative) *relative = 0;
    if (text) {
        hsp__decimal_result result;
        const char *end = text + strlen(text), *rest = hsp__decimal_f64(text, end, out, &result);
        if (relative) *relative = *rest == 'r';
        if (result == HSP__DECIMAL_OK && rest + (relative && *relative) == end && *out >= 0)
            return HSP_OK;
    } else if (hsp__json_number(hsp__json_get(reader->options, name), out) || !isnan(fallback)) {
        return HSP_OK;
    }
    return hsp__fail(err, HSP_BAD_DATA, "the model says %s is '%.40s', expected a number", name,
                     text ? text : "");
}

hsp_status hsp__audit_count(const hsp__audit_reader *reader, const char *name, uint64_t *out,
                            hsp_error *err)
{
    const char *text = hsp_model_metadata(reader->model, name);
    if (!text)
        return hsp__fail(
            err, HSP_USAGE,
            "the model does not say how many %s its run made, so there is nothing to audit", name);
    hsp__decimal_result result;
    const char *end = text + strlen(text);
    if (hsp__decimal_u64(text, end, out, &result) == end && result == HSP__DECIMAL_OK)
        return HSP_OK;
    return hsp__fail(err, HSP_BAD_DATA, "the model says %s is '%.40s', expected a whole number",
                     name, text);
}

/* ---- How a perceptron run was set up ---- */

/* A kernel that became weights is no longer the space that the run was in, unless it is theirs. A
 * budget that dropped rows ends the proofs. */
static hsp_status run_check(const hsp__audit_reader *reader, uint64_t updates, hsp_error *err)
{
    const hsp_kernel *own = hsp__model_kernel(reader->model);
    const char *kernel = hsp__audit_text(reader, "kernel");
    double budget = 0, learned = 0, rate = 1;
    if (own && hsp_kernel_is_indefinite(own))
        return hsp__fail(
            err, HSP_USAGE,
            "the kernel %.200s may not be positive semidefinite, so the proofs do not apply",
            hsp_kernel_text(own));
    if (kernel && reader->model->weights && strcmp(kernel, "linear") != 0)
        return hsp__fail(err, HSP_USAGE,
                         "the run had the kernel %.200s, which was folded into weights, so the "
                         "bounds do not apply; train with the kernel linear, or without one",
                         kernel);
    hsp__json_number(hsp__json_get(reader->options, "budget"), &budget);
    hsp__json_number(hsp__json_get(reader->options, "rate"), &rate);
    const hsp_row_coefficients made = hsp_model_row_coefficients(reader->model);
    for (uint64_t i = 0; i < made.count; i++)
        learned += fabs(made.amount[i]) / rate;
    if (budget > 0 && fabs(learned - (double)updates) > 0.5)
        return hsp__fail(err, HSP_USAGE,
                         "the run dropped rows to stay within its budget of %.0f; the bounds are "
                         "for runs that keep all rows",
                         budget);
    return HSP_OK;
}

static hsp_status run_read(const hsp__audit_reader *reader, hsp__audit_plan *plan, hsp_error *err)
{
    static const char *const offsets[] = {"none", "unit", "r2", "append"};
    const char *text = hsp__audit_text(reader, "offset");
    const char *order = hsp__audit_text(reader, "order");
    const char *average = hsp__audit_text(reader, "average");
    double divisor = 1;
    int i = 0;
    HSP__TRY(hsp__audit_count(reader, "updates", &plan->updates, err));
    HSP__TRY(run_check(reader, plan->updates, err));
    HSP__TRY(hsp__audit_count(reader, "passes", &plan->passes, err));
    if (hsp_model_metadata(reader->model, "parts"))
        HSP__TRY(hsp__audit_count(reader, "parts", &plan->parts, err));
    while (i < 4 && !(text && strcmp(text, offsets[i]) == 0))
        i++;
    if (i == 4)
        return hsp__fail(err, HSP_BAD_DATA,
                         "the model says its offset is '%.40s', expected none, unit, r2 or append",
                         text ? text : "");
    plan->offset = (hsp__audit_offset)i;
    HSP__TRY(hsp__audit_number(reader, "constant", 1, &plan->constant, NULL, err));
    HSP__TRY(hsp__audit_number(reader, "rate", 1, &plan->rate, NULL, err));
    HSP__TRY(hsp__audit_number(reader, "soft", 0, &plan->soft, NULL, err));
    HSP__TRY(hsp__audit_number(reader, "margin-target", 0, &plan->tau, &plan->tau_relative, err));
    HSP__TRY(hsp__audit_number(reader, "divided_by", 1, &divisor, NULL, err));
    if (!(divisor > 0)) return hsp__fail(err, HSP_BAD_DATA, "the model says it was divided by 0");
    plan->rate /= divisor; /* the unit form: as if the run had learned at that rate, with that */
    plan->tau /= divisor;  /* target */
    if (!(plan->rate > 0)) return hsp__fail(err, HSP_BAD_DATA, "the model says its rate is 0");
    plan->cyclic = !order || strcmp(order, "cyclic") == 0;
    if (!plan->cyclic && strcmp(order, "shuffle") != 0) plan->passes = 0;
    plan->averaged = average && strcmp(average, "average") == 0;
    return HSP_OK;
}

hsp_status hsp__audit_read_plan(const hsp_model *model, hsp_error *err, hsp__audit_plan *plan)
{
    hsp__audit_reader reader;
    if (hsp_model_metadata(model, "approx_features"))
        return hsp__fail(err, HSP_USAGE,
                         "the run used explicit features (--approx), which the model does not "
                         "keep; train with the kernel itself to audit");
    if (model->neighbors)
        return hsp__fail(err, HSP_USAGE,
                         "the model is a k-nearest-neighbours model, which has no updates");
    HSP__TRY(hsp__audit_open(model, err, &reader));
    const hsp_status status = run_read(&reader, plan, err);
    hsp__audit_close(&reader);
    return status;
}

void hsp__audit_space(const hsp__audit_plan *plan, double radius, double *constant, double *tau)
{
    *constant = plan->offset == HSP__AUDIT_APPEND ? plan->constant
                : plan->offset == HSP__AUDIT_R2   ? radius
                                                  : plan->offset == HSP__AUDIT_UNIT;
    *tau = plan->tau * (plan->tau_relative ? radius : 1);
    assert(!(radius < 0) && !(*constant < 0) && !(*tau < 0) && plan->rate > 0);
}

/* ---- Which rows, and their labels ---- */

hsp_status hsp__audit_choose_rows(hsp__audit *audit, hsp_data *data, hsp_error *err)
{
    const hsp_model *model = audit->model;
    const hsp_view *view = &data->view;
    const char *said = hsp_model_metadata(model, "data_rows");
    const char *said_hash = hsp_model_metadata(model, "data_hash");
    char rows[24], hash[HSP__HASH_TEXT];
    if (!view->labels)
        return hsp__fail(err, HSP_BAD_DATA, "the data has no labels, so there is nothing to audit");
    uint32_t *class_of = hsp__scratch_new(&audit->scratch, view->classes, sizeof *class_of);
    audit->row = hsp__scratch_raw(&audit->scratch, view->rows, sizeof *audit->row);
    audit->y = hsp__scratch_raw(&audit->scratch, view->rows, sizeof *audit->y);
    if (audit->scratch.failed) return hsp__fail_memory(err);
    hsp__model_classes_of(audit->ctx, model, data, class_of);
    for (uint64_t i = 0; i < view->rows; i++) {
        const uint32_t class = class_of[view->labels[i]];
        if (class == HSP_NO_CLASS && model->leaves_out) continue;
        if (class == HSP_NO_CLASS)
            return hsp__fail(err, HSP_BAD_DATA,
                             "row %llu has the label '%.80s', which the model does not have: this "
                             "is not its training data",
                             (unsigned long long)i + 1, hsp_data_class_name(data, view->labels[i]));
        audit->row[audit->rows] = i;
        audit->y[audit->rows++] = class ? 1 : -1;
    }
    snprintf(rows, sizeof rows, "%llu", (unsigned long long)audit->rows);
    if (said && strcmp(said, rows) != 0)
        return hsp__fail(err, HSP_BAD_DATA,
                         "the model was trained on %.20s rows, and this data has %s: it is not the "
                         "training data",
                         said, rows);
    if (!said_hash) return HSP_OK;
    /* the same rows in another storage or precision, or not the same rows: what is audited says */
    HSP__TRY(hsp__view_hash(audit->ctx, view, err, hash));
    if (strcmp(said_hash, hash) != 0)
        hsp__log(audit->ctx, HSP_LOG_WARNING,
                 "the data differs from the training data (its hash is %s, the model's %.40s)",
                 hash, said_hash);
    return HSP_OK;
}

/* ---- The last separator ---- */

/* How much of each row was added. */
static hsp_status run_amounts(hsp__audit *audit, hsp_error *err)
{
    const hsp_row_coefficients updates = hsp_model_row_coefficients(audit->model);
    if (!updates.count) return HSP_OK;
    audit->amount = hsp__scratch_new(&audit->scratch, audit->rows, sizeof *audit->amount);
    if (!audit->amount) return hsp__fail_memory(err);
    for (uint64_t i = 0; i < updates.count; i++) {
        const uint64_t row = updates.row[i];
        if (row >= audit->rows || updates.scorer[i] != 0)
            return hsp__fail(err, HSP_BAD_DATA,
                             "the model was updated on row %llu, and this data has %llu rows: it "
                             "is not the training data",
                             (unsigned long long)row + 1, (unsigned long long)audit->rows);
        if (!(updates.amount[i] * audit->y[row] >= 0))
            return hsp__fail(err, HSP_BAD_DATA,
                             "the model was trained on row %llu with the other label: this is not "
                             "the training data",
                             (unsigned long long)row + 1);
        audit->amount[row] += updates.amount[i];
    }
    return HSP_OK;
}

/* The sum of the updates; and, if the model has one of its own to compare, how far the two are
 * apart and how far rounding can have driven them. The run added one row at a time: each of the k
 * sums rounds every coordinate by at most 2^-53 of what it has become, which is at most the sum of
 * |amount x|; twice that covers the products. */
static hsp_status run_rebuild(hsp__audit *audit, hsp_error *err)
{
    hsp__long *sum = hsp__scratch_new(&audit->scratch, audit->features, sizeof *sum);
    hsp__long amounts = 0, sizes = 0, apart = 0; /* sizes: sum of |amount| ||x~|| */
    if (!sum) return hsp__fail_memory(err);
    for (uint64_t i = 0; i < audit->rows; i++) {
        if (audit->amount[i] == 0) continue;
        const hsp__long amount = (hsp__long)audit->amount[i];
        const hsp__row row = hsp__view_row(audit->view, audit->row[i]);
        for (uint64_t k = 0; k < row.count; k++)
            sum[hsp__row_column(&row, k)] +=
                amount * (hsp__long)hsp__row_value(audit->view, &row, k);
        amounts += amount;
        sizes +=
            fabsl(amount) * (hsp__long)hypot(hsp__row_norm(audit->view, &row), audit->constant);
    }
    const double constant = (double)(amounts * (hsp__long)audit->constant);
    if (audit->has_last) {
        for (uint64_t j = 0; j < audit->features; j++) {
            hsp__long d = sum[j] - (hsp__long)audit->last[j];
            apart += d * d;
        }
        const hsp__long d = (hsp__long)constant - (hsp__long)audit->last_constant;
        audit->rebuild_error = (double)sqrtl(apart + d * d);
        audit->rebuild_allows = 0x1p-52 * ((double)audit->plan.updates + 8) * (double)sizes;
        return HSP_OK;
    }
    for (uint64_t j = 0; j < audit->features; j++)
        audit->last[j] = (double)sum[j];
    audit->last_constant = constant;
    audit->has_last = 1;
    return HSP_OK;
}

hsp_status hsp__audit_read_rows(hsp__audit *audit, hsp_data *data, hsp_error *err)
{
    const hsp_model *model = audit->model;
    const uint64_t inputs = hsp__model_inputs(model);
    const int kernel = hsp__model_kernel(model) != NULL;
    HSP__TRY(hsp_data_view(audit->ctx, data, err, &audit->view));
    HSP__TRY(hsp__audit_choose_rows(audit, data, err));
    HSP__TRY(hsp__model_scale(audit->ctx, model, audit->view, err, &audit->scaled));
    if (audit->scaled) HSP__TRY(hsp_data_view(audit->ctx, audit->scaled, err, &audit->view));
    assert(audit->rows <= audit->view->rows && audit->plan.rate > 0);
    if (kernel) HSP__TRY(hsp__audit_kernel_radius(audit, data, err));
    for (uint64_t i = 0; !kernel && i < audit->rows; i++) {
        const hsp__row row = hsp__view_row(audit->view, audit->row[i]);
        audit->radius = fmax(audit->radius, hsp__row_norm(audit->view, &row));
    }
    hsp__audit_space(&audit->plan, audit->radius, &audit->constant, &audit->tau);
    HSP__TRY(run_amounts(audit, err));
    if (kernel) return hsp__audit_kernel_last(audit, err);
    audit->features = inputs > audit->view->cols ? inputs : audit->view->cols;
    audit->last = hsp__scratch_new(&audit->scratch, audit->features, sizeof *audit->last);
    if (!audit->last) return hsp__fail_memory(err);
    audit->rebuild_error = (double)NAN;
    const double *w = hsp_model_weights(model, 0);
    if (!audit->plan.averaged && w) {
        memcpy(audit->last, w, inputs * sizeof *w);
        if (audit->constant > 0) audit->last_constant = hsp__model_bias(model, 0) / audit->constant;
        audit->has_last = 1;
    }
    return audit->amount ? run_rebuild(audit, err) : HSP_OK;
}
