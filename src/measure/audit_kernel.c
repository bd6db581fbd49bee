/* An audit in the feature space of a kernel. The theorems are the same ones, about phi(x) in the
 * place of x, and nothing they need is more than kernel values:
 *
 *     ||phi(x)||^2 = k(x, x)             R^2 = max k(x, x)
 *     w_k = sum of a_i phi(x_i)          a_i: the amounts of row i, from the updates
 *     ||w_k||^2 = sum of a_i a_j k(x_i, x_j)
 *     <w*, phi(x)> = the reference's score of x without its offset: it is a kernel model, too, with
 *                    the same kernel of rows scaled in the same way
 *     <w*, w_k> = sum of a_i <w*, phi(x_i)>
 *
 * Values are doubles. Of every margin, AUDIT_VALUES of the size of its sum, at most sum of |a_j|
 * sqrt(k(x_j, x_j) k(x, x)), is taken off: more than the rounding of values and sum. */
#include "base/base.h"
#include "data/scale.h"
#include "kernel/block.h"
#include "kernel/gram.h"
#include "measure/audit.h"
#include "model/support.h"

enum { AUDIT_BLOCK = 256 };

#define AUDIT_VALUES 1e-12

/* ---- The run --------------------------------------------------------------------------------- */

hsp_status hsp__audit_kernel_radius(hsp__audit *audit, const hsp_data *data, hsp_error *err)
{
    const hsp_kernel *kernel = hsp__model_kernel(audit->model);
    double most = 0;
    HSP__TRY(
        hsp__kernel_ids(audit->ctx, kernel, data, NULL, data->view.rows, err, &audit->kernel_ids));
    HSP__TRY(hsp__kernel_rows_new(audit->ctx, kernel, audit->view, audit->kernel_ids, err,
                                  &audit->kernel_rows));
    for (uint64_t i = 0; i < audit->rows; i++)
        most = fmax(most, hsp__kernel_self(audit->kernel_rows, audit->row[i]));
    audit->radius = sqrt(most);
    return HSP_OK;
}

/* How far the model's coefficients are from the amounts, as a length; offsets, too. */
static void kernel_rebuild(hsp__audit *audit, hsp__long amounts)
{
    const hsp__expansion *expansion = audit->model->expansion;
    const uint64_t count = expansion->rows->view.rows;
    hsp__long apart = 0, sizes = 0;
    uint64_t k = 0;
    for (uint64_t i = 0; i < audit->rows; i++) {
        const uint64_t row = audit->row[i],
                       known = audit->kernel_ids ? audit->kernel_ids[row] : row;
        double own = 0;
        if (k < count && expansion->source[k] == known) own = expansion->coefficients[k++];
        const hsp__long length = sqrtl((hsp__long)hsp__kernel_self(audit->kernel_rows, row));
        apart += fabsl((hsp__long)own - (hsp__long)audit->amount[i]) * length;
        sizes += fabsl((hsp__long)audit->amount[i]) * (length + (hsp__long)audit->constant);
    }
    if (k < count) apart = HUGE_VALL; /* a row that the data does not have */
    if (audit->constant > 0)
        apart += fabsl((hsp__long)audit->model->offsets[0] / (hsp__long)audit->constant -
                       amounts * (hsp__long)audit->constant);
    audit->rebuild_error = (double)apart;
    audit->rebuild_allows = 0x1p-52 * ((double)audit->plan.updates + 8) * (double)sizes;
}

hsp_status hsp__audit_kernel_last(hsp__audit *audit, hsp_error *err)
{
    hsp__scratch *scratch = &audit->scratch;
    uint64_t *list = hsp__scratch_raw(scratch, audit->rows, sizeof *list), count = 0;
    double *a = hsp__scratch_raw(scratch, audit->rows, sizeof *a);
    hsp__long square = 0, amounts = 0;
    for (uint64_t i = 0; !scratch->failed && audit->amount && i < audit->rows; i++)
        if (audit->amount[i] != 0) {
            list[count] = audit->row[i];
            amounts += (hsp__long)(a[count++] = audit->amount[i]);
        }
    /* the sum of a_i a_j k(x_i, x_j), some lines at a time */
    const uint64_t lines = count < AUDIT_BLOCK ? count : AUDIT_BLOCK;
    double *values = hsp__scratch_raw(scratch, lines * count, sizeof *values);
    if (scratch->failed) return hsp__fail_memory(err);
    const hsp__kernel_pick all = {.rows = audit->kernel_rows, .list = list, .count = count};
    for (uint64_t from = 0; from < count; from += lines) {
        const uint64_t some = count - from < lines ? count - from : lines;
        const hsp__kernel_pick part = {
            .rows = audit->kernel_rows, .list = list + from, .count = some};
        HSP__TRY(hsp__kernel_block_f64(audit->ctx, &part, &all, values, count, err));
        for (uint64_t i = 0; i < some; i++) {
            hsp__long sum = 0;
            for (uint64_t j = 0; j < count; j++)
                sum += (hsp__long)a[j] * (hsp__long)values[i * count + j];
            square += (hsp__long)a[from + i] * sum;
        }
    }
    audit->rebuild_error = (double)NAN;
    audit->has_last = 1;
    audit->last_constant = (double)(amounts * (hsp__long)audit->constant);
    audit->last_square =
        (double)(square + (hsp__long)audit->last_constant * (hsp__long)audit->last_constant);
    if (audit->amount && audit->model->expansion && !audit->plan.averaged)
        kernel_rebuild(audit, amounts);
    return HSP_OK;
}

/* ---- The reference --------------------------------------------------------------------------- */

hsp_status hsp__audit_kernel_check(const hsp_model *model, const hsp_model *reference,
                                   hsp_error *err)
{
    const hsp_kernel *kernel = hsp__model_kernel(model);
    if (!reference->expansion || reference->scorers != 1)
        return hsp__fail(err, HSP_USAGE,
                         "the run had the kernel %.200s; the reference must be a model of two "
                         "classes with that kernel, not voted",
                         hsp_kernel_text(kernel));
    if (strcmp(hsp_kernel_text(kernel), hsp_kernel_text(reference->expansion->kernel)) != 0)
        return hsp__fail(
            err, HSP_USAGE,
            "the run had the kernel %.150s, but the reference has %.150s; they must be the same",
            hsp_kernel_text(kernel), hsp_kernel_text(reference->expansion->kernel));
    for (int i = 0; i < HSP__MODEL_SCALINGS; i++)
        if (!hsp__scaling_same(model->scalings[i], reference->scalings[i]))
            return hsp__fail(err, HSP_USAGE,
                             "the reference was trained on rows scaled in another way than the "
                             "run's; with a kernel it cannot be converted");
    return HSP_OK;
}

/* audit->margin[i] = <w*, phi(x_i)>, still of the reference's direction. */
static hsp_status kernel_project(hsp__audit *audit, const hsp_model *reference,
                                 hsp__support *support, hsp_error *err)
{
    const uint64_t count = support->rows->view->rows;
    const double *a = reference->expansion->coefficients;
    hsp__guests guests = {.rows = NULL};
    double *values =
        hsp__scratch_raw(&audit->scratch, (uint64_t)AUDIT_BLOCK * count, sizeof *values);
    hsp_status status = values ? hsp__guests_init(&guests, audit->ctx, support, audit->view, err)
                               : hsp__fail_memory(err);
    guests.road.wide = 1;
    uint64_t at = 0; /* the next of the rows that the run knew */
    for (uint64_t from = 0; !status && from < audit->view->rows; from += AUDIT_BLOCK) {
        const uint64_t left = audit->view->rows - from,
                       some = left < AUDIT_BLOCK ? left : AUDIT_BLOCK;
        status = hsp__support_values(audit->ctx, support, &guests, from, some, 0, count, values,
                                     count, err);
        for (; !status && at < audit->rows && audit->row[at] < from + some; at++) {
            hsp__long sum = 0;
            for (uint64_t j = 0; j < count; j++)
                sum += (hsp__long)a[j] * (hsp__long)values[(audit->row[at] - from) * count + j];
            audit->margin[at] = (double)sum;
        }
    }
    hsp__guests_free(&guests, audit->ctx);
    return status;
}

hsp_status hsp__audit_kernel_reference(hsp__audit *audit, const hsp_model *reference, int direction,
                                       hsp_error *err)
{
    const hsp__expansion *expansion = reference->expansion;
    double b = direction * reference->offsets[0], length = 0, reach = 0;
    if (audit->constant > 0) {
        audit->u_constant = b / audit->constant;
    } else {
        audit->u_dropped = b != 0;
        b = 0;
    }
    HSP__TRY(hsp__expansion_length(audit->ctx, reference, 0, err, &length));
    audit->u_norm = hypot(length, audit->u_constant);
    if (!(audit->u_norm > 0) || !isfinite(audit->u_norm))
        return hsp__fail(err, HSP_USAGE, "the reference is %s, so it separates nothing",
                         audit->u_norm > 0 ? "not finite" : "all zeros");
    audit->margin = hsp__scratch_new(&audit->scratch, audit->rows, sizeof *audit->margin);
    if (!audit->margin) return hsp__fail_memory(err);
    hsp__support support;
    HSP__TRY(hsp__support_init(&support, audit->ctx, expansion->kernel, expansion->rows,
                               expansion->source, err));
    for (uint64_t j = 0; j < expansion->rows->view.rows; j++)
        reach += fabs(expansion->coefficients[j]) * sqrt(hsp__kernel_self(support.rows, j));
    const hsp_status status = kernel_project(audit, reference, &support, err);
    hsp__support_free(&support, audit->ctx);
    /* from projections to margins; the inner product with the last separator on the way */
    hsp__long inner = (hsp__long)audit->u_constant * (hsp__long)audit->last_constant;
    audit->least = (double)NAN;
    for (uint64_t i = 0; !status && i < audit->rows; i++) {
        const double projection = direction * audit->margin[i];
        const double size = sqrt(hsp__kernel_self(audit->kernel_rows, audit->row[i]));
        if (audit->amount) inner += (hsp__long)audit->amount[i] * (hsp__long)projection;
        audit->margin[i] =
            (audit->y[i] * (projection + b) - AUDIT_VALUES * (reach * size + fabs(b))) /
            audit->u_norm;
        if (i == 0 || audit->margin[i] < audit->least) audit->least = audit->margin[i];
    }
    audit->inner = (double)inner;
    return status;
}
