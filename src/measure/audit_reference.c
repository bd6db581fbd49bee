/* A reference separator, restated for the training rows of a run.
 *
 * Every theorem of the audit holds for every vector w~*; what it must not be is another separator
 * than the one named. So a reference with another scaling is restated, where
 * that is possible, as the same function of the data: with x' = (x - p) q the run's scaling of a
 * column and x'' = (x - s) f the reference's,
 *
 *     w x'' + b  =  (w f / q) x'  +  b + w f (p - s).
 *
 * Rows divided by their norms, the run's or the reference's, lose only a positive factor, which a
 * separator through the origin does not see. */
#include <float.h>
#include <math.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "base/threads.h"
#include "data/scale.h"
#include "data/sweep.h"
#include "measure/audit.h"

/* ---- Scalings ---- */

static int reference_divides(const hsp_scaling *scaling)
{
    return strcmp(hsp_scaling_kind(scaling), "unit-rows") == 0;
}

static int reference_same_scaling(const hsp_scaling *a, const hsp_scaling *b)
{
    if (!a || !b) return a == b;
    if (strcmp(hsp_scaling_kind(a), hsp_scaling_kind(b)) != 0) return 0;
    const uint64_t m = hsp_scaling_cols(a), n = hsp_scaling_cols(b), cols = m > n ? m : n;
    for (uint64_t j = 0; j < cols; j++)
        if (hsp_scaling_shift(a, j) != hsp_scaling_shift(b, j) ||
            hsp_scaling_factor(a, j) != hsp_scaling_factor(b, j))
            return 0;
    return 1;
}

/* Shift and factor of a column through the scalings from..to-1, none of which divides rows. */
static void reference_column(hsp_scaling *const *scalings, int from, int to, uint64_t j,
                             hsp__wide *shift, hsp__wide *factor)
{
    *shift = 0;
    *factor = 1;
    for (int i = from; i < to; i++) {
        if (!scalings[i]) continue;
        *shift += (hsp__wide)hsp_scaling_shift(scalings[i], j) / *factor;
        *factor *= (hsp__wide)hsp_scaling_factor(scalings[i], j);
    }
}

static int reference_finds_division(hsp_scaling *const *scalings, int from)
{
    for (int i = from; i < HSP__MODEL_SCALINGS; i++)
        if (scalings[i] && reference_divides(scalings[i])) return i;
    return HSP__MODEL_SCALINGS;
}

static int reference_scales_after(hsp_scaling *const *scalings, int division)
{
    for (int i = division + 1; i < HSP__MODEL_SCALINGS; i++)
        if (scalings[i]) return 1;
    return 0;
}

static hsp_status reference_refuse(hsp_error *err)
{
    return hsp__fail(err, HSP_USAGE,
                     "the reference was trained on rows scaled in another way than the run's; "
                     "train it with the same scaling");
}

/* u and *b from the reference's weights and offset. */
static hsp_status reference_restate(const hsp__audit *audit, const hsp_model *reference, double *b,
                                    hsp_error *err)
{
    hsp_scaling *const *run = audit->model->scalings, *const *own = reference->scalings;
    int same = 0;
    while (same < HSP__MODEL_SCALINGS && reference_same_scaling(run[same], own[same]))
        same++;
    if (same == HSP__MODEL_SCALINGS) return HSP_OK;
    for (int i = same; i < HSP__MODEL_SCALINGS; i++)
        if ((run[i] && hsp__scaling_is_votes(run[i])) || (own[i] && hsp__scaling_is_votes(own[i])))
            return reference_refuse(err);
    const int division = reference_finds_division(run, same);
    const int own_division = reference_finds_division(own, same);
    if (reference_scales_after(run, division) || reference_scales_after(own, own_division))
        return reference_refuse(err);
    if (own_division < HSP__MODEL_SCALINGS && *b != 0) return reference_refuse(err);
    hsp__wide offset = (hsp__wide)*b;
    for (uint64_t j = 0; j < audit->features; j++) {
        hsp__wide p, q, s, f;
        reference_column(run, same, division, j, &p, &q);
        reference_column(own, same, own_division, j, &s, &f);
        if (q == 0) return reference_refuse(err);
        const hsp__wide w = (hsp__wide)audit->u[j] * f;
        offset += w * (p - s);
        audit->u[j] = (double)(w / q);
    }
    *b = (double)offset;
    if (division < HSP__MODEL_SCALINGS && *b != 0) return reference_refuse(err);
    return HSP_OK;
}

/* ---- Classes and features ---- */

/* 1 when the reference's positive class is the run's, -1 when it is the run's negative one, 0 when
 * it tells other classes apart. */
static int reference_direction(const hsp_model *model, const hsp_model *reference)
{
    const char *run[2], *own[2];
    for (uint32_t c = 0; c < 2; c++) {
        run[c] = hsp_model_class_name(model, c);
        own[c] = hsp_model_class_name(reference, c);
    }
    if (strcmp(run[0], own[0]) == 0 && strcmp(run[1], own[1]) == 0) return 1;
    return strcmp(run[0], own[1]) == 0 && strcmp(run[1], own[0]) == 0 ? -1 : 0;
}

static int reference_other_features(const hsp_model *model, const hsp_model *reference)
{
    for (uint64_t j = 0; j < hsp__model_inputs(model) && j < hsp__model_inputs(reference); j++) {
        const char *a = hsp_model_feature_name(model, j), *b = hsp_model_feature_name(reference, j);
        if (a && b && strcmp(a, b) != 0) return 1;
    }
    return 0;
}

static hsp_status reference_check(const hsp_model *model, const hsp_model *reference,
                                  hsp_error *err)
{
    if (hsp__model_kernel(model)) {
        hsp_status status = hsp__audit_kernel_check(model, reference, err);
        if (status) return status;
    } else if (reference->hypothesis != HSP__LINEAR || reference->scorers != 1)
        return hsp__fail(err, HSP_USAGE,
                         "the reference must be a linear model of two classes, not voted");
    if (hsp_model_classes(model) != 2 || hsp_model_classes(reference) != 2 ||
        !reference_direction(model, reference))
        return hsp__fail(err, HSP_USAGE, "the reference has other classes than the run");
    if (reference_other_features(model, reference))
        return hsp__fail(err, HSP_USAGE, "the reference has other features than the run");
    return HSP_OK;
}

/* ---- Margins ---- */

/* y (<u, x> + b), rounded down: less the most that its sum can have been rounded by. */
static hsp__wide reference_margin(const hsp__audit *audit, uint64_t i, double b)
{
    const hsp__row row = hsp__view_row(audit->view, audit->row[i]);
    hsp__wide sum = (hsp__wide)b, size = fabsl(sum);
    for (uint64_t k = 0; k < row.count; k++) {
        const hsp__wide term = (hsp__wide)audit->u[hsp__row_column(&row, k)] *
                               (hsp__wide)hsp__row_value(audit->view, &row, k);
        sum += term;
        size += fabsl(term);
    }
    return audit->y[i] * sum - (hsp__wide)(row.count + 2) * LDBL_EPSILON * size;
}

typedef struct reference_sweep {
    hsp__audit *audit;
    double b;
    uint64_t parts;
} reference_sweep;

static void reference_part(void *user, uint64_t part)
{
    const reference_sweep *sweep = user;
    hsp__audit *audit = sweep->audit;
    const uint64_t to = hsp__part(audit->rows, sweep->parts, part + 1);
    for (uint64_t i = hsp__part(audit->rows, sweep->parts, part); i < to; i++)
        audit->margin[i] =
            (double)(reference_margin(audit, i, sweep->b) / (hsp__wide)audit->u_norm);
}

static hsp_status reference_margins(hsp__audit *audit, double b, hsp_error *err)
{
    hsp__wide square = (hsp__wide)audit->u_constant * (hsp__wide)audit->u_constant;
    for (uint64_t j = 0; j < audit->features; j++)
        square += (hsp__wide)audit->u[j] * (hsp__wide)audit->u[j];
    audit->u_norm = (double)sqrtl(square);
    audit->least = (double)NAN;
    if (!(audit->u_norm > 0) || !isfinite(audit->u_norm))
        return hsp__fail(err, HSP_USAGE, "the reference is %s, so it separates nothing",
                         audit->u_norm > 0 ? "not finite" : "all zeros");
    audit->margin = hsp__new_raw(&audit->ctx->allocator, audit->rows, sizeof *audit->margin);
    if (!audit->margin) return hsp__fail_memory(err);
    reference_sweep sweep = {audit, b, hsp__parts(audit->rows, 1024)};
    hsp_status status =
        hsp__sweep(audit->ctx, "auditing", audit->rows, sweep.parts, reference_part, &sweep, err);
    for (uint64_t i = 0; !status && i < audit->rows; i++)
        if (i == 0 || audit->margin[i] < audit->least) audit->least = audit->margin[i];
    return status;
}

hsp_status hsp__audit_read_reference(hsp__audit *audit, const hsp_model *reference, hsp_error *err)
{
    hsp_status status = reference_check(audit->model, reference, err);
    if (status) return status;
    const int direction = reference_direction(audit->model, reference);
    if (audit->kernel_rows) return hsp__audit_kernel_reference(audit, reference, direction, err);
    audit->u = hsp__new(&audit->ctx->allocator, audit->features, sizeof *audit->u);
    if (!audit->u) return hsp__fail_memory(err);
    const double *w = hsp_model_weights(reference, 0);
    const uint64_t inputs = hsp__model_inputs(reference);
    for (uint64_t j = 0; j < audit->features && j < inputs; j++)
        audit->u[j] = direction * w[j];
    double b = direction * hsp__model_bias(reference, 0);
    status = reference_restate(audit, reference, &b, err);
    if (status) return status;
    if (audit->constant > 0) {
        audit->u_constant = b / audit->constant;
    } else {
        audit->u_dropped = b != 0;
        b = 0;
    }
    return reference_margins(audit, b, err);
}
