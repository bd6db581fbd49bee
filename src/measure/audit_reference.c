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

#include "base/base.h"
#include "data/scale.h"
#include "data/sweep.h"
#include "measure/audit.h"

/* ---- Scalings ---- */

/* The first scaling from `from` on that divides rows; *refuse: another follows it, or one votes. */
static int reference_division(hsp_scaling *const *scalings, int from, int *refuse)
{
    int found = HSP__MODEL_SCALINGS;
    for (int i = from; i < HSP__MODEL_SCALINGS; i++) {
        if (!scalings[i]) continue;
        if (found < i || hsp__scaling_is_votes(scalings[i])) *refuse = 1;
        if (found > i && hsp__scaling_is_by_rows(scalings[i])) found = i;
    }
    return found;
}

/* Shift and factor of a column through the scalings from..to-1, none of which divides rows. */
static void reference_column(hsp_scaling *const *scalings, int from, int to, uint64_t j,
                             hsp__long *shift, hsp__long *factor)
{
    *shift = 0;
    *factor = 1;
    for (int i = from; i < to; i++) {
        if (!scalings[i]) continue;
        *shift += (hsp__long)hsp_scaling_shift(scalings[i], j) / *factor;
        *factor *= (hsp__long)hsp_scaling_factor(scalings[i], j);
    }
}

/* u and *b from the reference's weights and offset. */
static hsp_status reference_restate(const hsp__audit *audit, const hsp_model *reference, double *b,
                                    hsp_error *err)
{
    hsp_scaling *const *run = audit->model->scalings, *const *own = reference->scalings;
    int same = 0, refuse = 0;
    while (same < HSP__MODEL_SCALINGS && hsp__scaling_same(run[same], own[same]))
        same++;
    if (same == HSP__MODEL_SCALINGS) return HSP_OK;
    const int division = reference_division(run, same, &refuse);
    const int own_division = reference_division(own, same, &refuse);
    refuse |= own_division < HSP__MODEL_SCALINGS && *b != 0;
    hsp__long offset = (hsp__long)*b;
    for (uint64_t j = 0; !refuse && j < audit->features; j++) {
        hsp__long p, q, s, f;
        reference_column(run, same, division, j, &p, &q);
        reference_column(own, same, own_division, j, &s, &f);
        const hsp__long w = (hsp__long)audit->u[j] * f;
        offset += w * (p - s);
        audit->u[j] = (double)(w / q);
        refuse = q == 0;
    }
    *b = (double)offset;
    if (!refuse && !(division < HSP__MODEL_SCALINGS && *b != 0)) return HSP_OK;
    return hsp__fail(err, HSP_USAGE,
                     "the reference was trained on rows scaled in another way than the run's; "
                     "train it with the same scaling");
}

/* ---- Margins ---- */

typedef struct reference_sweep {
    hsp__audit *audit;
    double b;
    uint64_t parts;
} reference_sweep;

/* y (<u, x> + b), rounded down: less the most that its sum can have been rounded by. */
static void reference_part(void *user, uint64_t part)
{
    const reference_sweep *sweep = user;
    hsp__audit *audit = sweep->audit;
    const uint64_t to = hsp__part(audit->rows, sweep->parts, part + 1);
    for (uint64_t i = hsp__part(audit->rows, sweep->parts, part); i < to; i++) {
        const hsp__row row = hsp__view_row(audit->view, audit->row[i]);
        hsp__long sum = (hsp__long)sweep->b, size = fabsl(sum);
        for (uint64_t k = 0; k < row.count; k++) {
            const hsp__long term = (hsp__long)audit->u[hsp__row_column(&row, k)] *
                                   (hsp__long)hsp__row_value(audit->view, &row, k);
            sum += term;
            size += fabsl(term);
        }
        sum = audit->y[i] * sum - (hsp__long)(row.count + 2) * LDBL_EPSILON * size;
        audit->margin[i] = (double)(sum / (hsp__long)audit->u_norm);
    }
}

static hsp_status reference_margins(hsp__audit *audit, double b, hsp_error *err)
{
    hsp__long square = (hsp__long)audit->u_constant * (hsp__long)audit->u_constant;
    for (uint64_t j = 0; j < audit->features; j++)
        square += (hsp__long)audit->u[j] * (hsp__long)audit->u[j];
    audit->u_norm = (double)sqrtl(square);
    audit->least = (double)NAN;
    if (!(audit->u_norm > 0) || !isfinite(audit->u_norm))
        return hsp__fail(err, HSP_USAGE, "the reference is %s, so it separates nothing",
                         audit->u_norm > 0 ? "not finite" : "all zeros");
    audit->margin = hsp__scratch_raw(&audit->scratch, audit->rows, sizeof *audit->margin);
    if (!audit->margin) return hsp__fail_memory(err);
    reference_sweep sweep = {audit, b, hsp__parts(audit->rows, 1024)};
    HSP__TRY(
        hsp__sweep(audit->ctx, "auditing", audit->rows, sweep.parts, reference_part, &sweep, err));
    for (uint64_t i = 0; i < audit->rows; i++)
        if (i == 0 || audit->margin[i] < audit->least) audit->least = audit->margin[i];
    return HSP_OK;
}

/* ---- The whole ---- */

/* 1 when the reference's positive class is the run's, -1 when it is the run's negative one, 0 when
 * it tells other classes apart. */
static int reference_direction(const hsp_model *model, const hsp_model *reference)
{
    const char *run[2], *own[2];
    if (hsp_model_classes(model) != 2 || hsp_model_classes(reference) != 2) return 0;
    for (uint32_t c = 0; c < 2; c++) {
        run[c] = hsp_model_class_name(model, c);
        own[c] = hsp_model_class_name(reference, c);
    }
    if (strcmp(run[0], own[0]) == 0 && strcmp(run[1], own[1]) == 0) return 1;
    return strcmp(run[0], own[1]) == 0 && strcmp(run[1], own[0]) == 0 ? -1 : 0;
}

hsp_status hsp__audit_read_reference(hsp__audit *audit, const hsp_model *reference, hsp_error *err)
{
    const hsp_model *model = audit->model;
    const uint64_t inputs = hsp__model_inputs(reference);
    const int direction = reference_direction(model, reference);
    if (hsp__model_kernel(model))
        HSP__TRY(hsp__audit_kernel_check(model, reference, err));
    else if (reference->hypothesis != HSP__LINEAR || reference->scorers != 1)
        return hsp__fail(err, HSP_USAGE,
                         "the reference must be a linear model of two classes, not voted");
    if (!direction)
        return hsp__fail(err, HSP_USAGE, "the reference has other classes than the run");
    for (uint64_t j = 0; j < hsp__model_inputs(model) && j < inputs; j++) {
        const char *a = hsp_model_feature_name(model, j), *b = hsp_model_feature_name(reference, j);
        if (a && b && strcmp(a, b) != 0)
            return hsp__fail(err, HSP_USAGE, "the reference has other features than the run");
    }
    if (audit->kernel_rows) return hsp__audit_kernel_reference(audit, reference, direction, err);
    audit->u = hsp__scratch_new(&audit->scratch, audit->features, sizeof *audit->u);
    if (!audit->u) return hsp__fail_memory(err);
    const double *w = hsp_model_weights(reference, 0);
    for (uint64_t j = 0; j < audit->features && j < inputs; j++)
        audit->u[j] = direction * w[j];
    double b = direction * hsp__model_bias(reference, 0);
    HSP__TRY(reference_restate(audit, reference, &b, err));
    if (audit->constant > 0) {
        audit->u_constant = b / audit->constant;
    } else {
        audit->u_dropped = b != 0;
        b = 0;
    }
    return reference_margins(audit, b, err);
}
