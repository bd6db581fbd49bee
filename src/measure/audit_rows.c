/* The rows as a run was trained on them, and the separator it ended with.
 *
 * Sums are in hsp__wide and then rounded: what they are compared with carries the rounding of the
 * run, and theirs should not add to it. */
#include <assert.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "data/sweep.h"
#include "learn/prepare.h"
#include "measure/audit.h"

/* ---- Which rows, and their labels ---- */

static hsp_status rows_label(hsp__audit *audit, hsp_data *data, const hsp_view *view,
                             const uint32_t *class_of, hsp_error *err)
{
    for (uint64_t i = 0; i < view->rows; i++) {
        const uint32_t class = class_of[view->labels[i]];
        if (class == HSP_NO_CLASS && audit->model->leaves_out) continue;
        if (class == HSP_NO_CLASS)
            return hsp__fail(err, HSP_BAD_DATA,
                             "row %llu has the label '%.80s', which the model does not have: this "
                             "is not its training data",
                             (unsigned long long)i + 1, hsp_data_class_name(data, view->labels[i]));
        audit->row[audit->rows] = i;
        audit->y[audit->rows++] = class ? 1 : -1;
    }
    return HSP_OK;
}

static hsp_status rows_choose(hsp__audit *audit, hsp_data *data, const hsp_view *view,
                              hsp_error *err)
{
    const hsp_allocator *memory = &audit->ctx->allocator;
    uint32_t *class_of = hsp__new(memory, view->classes, sizeof *class_of);
    audit->row = hsp__new_raw(memory, view->rows, sizeof *audit->row);
    audit->y = hsp__new_raw(memory, view->rows, sizeof *audit->y);
    hsp_status status = HSP_OK;
    if (!class_of || !audit->row || !audit->y) status = hsp__fail_memory(err);
    for (uint32_t c = 0; !status && c < view->classes; c++)
        class_of[c] = hsp_model_class_of(audit->model, hsp_data_class_name(data, c));
    if (!status) status = rows_label(audit, data, view, class_of, err);
    hsp__free(memory, class_of);
    return status;
}

/* The number of rows is known to be that of the run, unless the model does not say. */
static hsp_status rows_check_count(const hsp__audit *audit, hsp_error *err)
{
    const char *recorded = hsp_model_metadata(audit->model, "data_rows");
    char rows[24];
    snprintf(rows, sizeof rows, "%llu", (unsigned long long)audit->rows);
    if (!recorded || strcmp(recorded, rows) == 0) return HSP_OK;
    return hsp__fail(
        err, HSP_BAD_DATA,
        "the model was trained on %.20s rows, and this data has %s: it is not the training data",
        recorded, rows);
}

/* The same rows in another storage or precision, or not the same rows? What is audited says which.
 */
static hsp_status rows_compare_hash(const hsp__audit *audit, const hsp_view *view, hsp_error *err)
{
    const char *recorded = hsp_model_metadata(audit->model, "data_hash");
    char hash[HSP__HASH_TEXT];
    if (!recorded) return HSP_OK;
    hsp_status status = hsp__view_hash(audit->ctx, view, err, hash);
    if (!status && strcmp(recorded, hash) != 0)
        hsp__log(audit->ctx, HSP_LOG_WARNING,
                 "the data differs from the training data (its hash is %s, the model's %.40s)",
                 hash, recorded);
    return status;
}

static double rows_radius(const hsp__audit *audit)
{
    assert(audit->rows <= audit->view->rows);
    double most = 0;
    for (uint64_t i = 0; i < audit->rows; i++) {
        const hsp__row row = hsp__view_row(audit->view, audit->row[i]);
        most = fmax(most, hsp__row_norm(audit->view, &row));
    }
    return most;
}

static double rows_constant(const hsp__audit *audit)
{
    switch (audit->plan.offset) {
    case HSP__AUDIT_UNIT:
        return 1;
    case HSP__AUDIT_R2:
        return audit->radius;
    case HSP__AUDIT_APPEND:
        return audit->plan.constant;
    default:
        return 0;
    }
}

/* ---- The last separator ---- */

/* How much of each row was added. */
static hsp_status rows_amounts(hsp__audit *audit, hsp_error *err)
{
    const hsp_row_coefficients updates = hsp_model_row_coefficients(audit->model);
    if (!updates.count) return HSP_OK;
    audit->amount = hsp__new(&audit->ctx->allocator, audit->rows, sizeof *audit->amount);
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

/* Sums over the updates: of amount * x into sum[0..features), of amount, and of |amount| ||x~||. */
static void rows_add_updates(const hsp__audit *audit, hsp__wide *sum, hsp__wide *amounts,
                             hsp__wide *sizes)
{
    for (uint64_t i = 0; i < audit->rows; i++) {
        if (audit->amount[i] == 0) continue;
        const hsp__wide amount = (hsp__wide)audit->amount[i];
        const hsp__row row = hsp__view_row(audit->view, audit->row[i]);
        for (uint64_t k = 0; k < row.count; k++)
            sum[hsp__row_column(&row, k)] +=
                amount * (hsp__wide)hsp__row_value(audit->view, &row, k);
        *amounts += amount;
        *sizes +=
            fabsl(amount) * (hsp__wide)hypot(hsp__row_norm(audit->view, &row), audit->constant);
    }
}

/* The sum of the updates; and, if the model has one of its own to compare,
 * how far the two are apart and how far rounding can have driven them. The run added one row at a
 * time: each of the k sums rounds every coordinate by at most 2^-53 of what it has become, which is
 * at most the sum of |amount x|; twice that covers the products. */
static hsp_status rows_rebuild(hsp__audit *audit, hsp_error *err)
{
    hsp__wide *sum = hsp__new(&audit->ctx->allocator, audit->features, sizeof *sum);
    if (!sum) return hsp__fail_memory(err);
    hsp__wide amounts = 0, sizes = 0, apart = 0;
    rows_add_updates(audit, sum, &amounts, &sizes);
    const double constant = (double)(amounts * (hsp__wide)audit->constant);
    if (audit->has_last) {
        for (uint64_t j = 0; j < audit->features; j++) {
            hsp__wide d = sum[j] - (hsp__wide)audit->last[j];
            apart += d * d;
        }
        const hsp__wide d = (hsp__wide)constant - (hsp__wide)audit->last_constant;
        audit->rebuild_error = (double)sqrtl(apart + d * d);
        audit->rebuild_allows = 0x1p-52 * ((double)audit->plan.updates + 8) * (double)sizes;
    } else {
        for (uint64_t j = 0; j < audit->features; j++)
            audit->last[j] = (double)sum[j];
        audit->last_constant = constant;
        audit->has_last = 1;
    }
    hsp__free(&audit->ctx->allocator, sum);
    return HSP_OK;
}

static hsp_status rows_last(hsp__audit *audit, hsp_error *err)
{
    assert(audit->view && audit->plan.rate > 0);
    const hsp_model *model = audit->model;
    const uint64_t inputs = hsp__model_inputs(model);
    audit->features = inputs > audit->view->cols ? inputs : audit->view->cols;
    audit->last = hsp__new(&audit->ctx->allocator, audit->features, sizeof *audit->last);
    if (!audit->last) return hsp__fail_memory(err);
    audit->rebuild_error = (double)NAN;
    const double *w = hsp_model_weights(model, 0);
    if (!audit->plan.averaged && w) {
        for (uint64_t j = 0; j < inputs; j++)
            audit->last[j] = w[j];
        if (audit->constant > 0) audit->last_constant = hsp__model_bias(model, 0) / audit->constant;
        audit->has_last = 1;
    }
    hsp_status status = rows_amounts(audit, err);
    if (!status && audit->amount) status = rows_rebuild(audit, err);
    return status;
}

hsp_status hsp__audit_choose_rows(hsp__audit *audit, hsp_data *data, hsp_error *err)
{
    const hsp_view *view = &data->view;
    if (!view->labels)
        return hsp__fail(err, HSP_BAD_DATA, "the data has no labels, so there is nothing to audit");
    hsp_status status = rows_choose(audit, data, view, err);
    if (!status) status = rows_check_count(audit, err);
    return status ? status : rows_compare_hash(audit, view, err);
}

hsp_status hsp__audit_read_rows(hsp__audit *audit, hsp_data *data, hsp_error *err)
{
    const hsp_view *view;
    hsp_status status = hsp_data_view(audit->ctx, data, err, &view);
    if (status) return status;
    status = hsp__audit_choose_rows(audit, data, err);
    if (status) return status;
    status = hsp__model_scale(audit->ctx, audit->model, view, err, &audit->scaled);
    audit->view = view;
    if (!status && audit->scaled)
        status = hsp_data_view(audit->ctx, audit->scaled, err, &audit->view);
    if (status) return status;
    const int kernel = hsp__model_kernel(audit->model) != NULL;
    if (kernel)
        status = hsp__audit_kernel_radius(audit, data, err);
    else
        audit->radius = rows_radius(audit);
    if (status) return status;
    audit->constant = rows_constant(audit);
    audit->tau = audit->plan.tau * (audit->plan.tau_relative ? audit->radius : 1);
    if (!kernel) return rows_last(audit, err);
    status = rows_amounts(audit, err);
    return status ? status : hsp__audit_kernel_last(audit, err);
}
