#include "learn/erm/evidence.h"

#include "base/base.h"
#include "learn/erm/matvec.h"
#include "vec/vec.h"

void hsp__evidence_scales(const hsp__problem *p, const double *a, double scale[2])
{
    double total[2] = {0, 0};
    for (uint64_t i = 0; i < p->view->rows; i++)
        if (a[i] > 0) total[hsp__problem_positive(p, i)] += a[i];
    if (p->offset == HSP__OFFSET_NONE) total[0] = total[1] = (total[0] + total[1]) / 2;
    assert(total[0] > 0 && total[1] > 0);
    scale[0] = total[0];
    scale[1] = total[1];
}

hsp_status hsp__evidence_name(hsp_evidence *evidence, const hsp__names *classes, uint32_t of,
                              uint32_t against, hsp_error *err)
{
    const int two = against != UINT32_MAX;
    evidence->of = hsp__copy_text(hsp__owned_memory(evidence), hsp__names_get(classes, of),
                                  hsp__names_size(classes, of));
    if (two)
        evidence->against =
            hsp__copy_text(hsp__owned_memory(evidence), hsp__names_get(classes, against),
                           hsp__names_size(classes, against));
    return evidence->of && (evidence->against || !two) ? HSP_OK : hsp__fail_memory(err);
}

hsp_status hsp__evidence_new(hsp_context *ctx, const hsp__problem *p, const hsp__names *classes,
                             const double *a, double square, const uint64_t *origin, hsp_error *err,
                             hsp_evidence **out)
{
    const hsp_allocator *memory = &ctx->allocator;
    const uint64_t n = p->view->rows, d = p->view->cols;
    hsp__scratch scratch = {.memory = memory};
    uint64_t count = 0;
    double scale[2];
    for (uint64_t i = 0; i < n; i++)
        count += a[i] > 0;
    hsp_evidence *made = hsp__owned_new(memory, 1, sizeof *made);
    if (!made) return hsp__fail_memory(err);
    made->count = count;
    made->row = hsp__new_raw(memory, count, sizeof *made->row);
    made->multiplier = hsp__new_raw(memory, count, sizeof *made->multiplier);
    double *pulls = hsp__scratch_new(&scratch, n, sizeof *pulls); /* y a of each row */
    double *apart = hsp__scratch_raw(&scratch, d, sizeof *apart);
    hsp_status status =
        made->row && made->multiplier && !scratch.failed ? HSP_OK : hsp__fail_memory(err);
    if (!status && p->view->classes > 2)
        status = hsp__evidence_name(made, classes, p->positive, UINT32_MAX, err);
    if (!status) hsp__evidence_scales(p, a, scale);
    for (uint64_t i = 0, k = 0; !status && i < n; i++) {
        if (!(a[i] > 0)) continue;
        const double multiplier = a[i] / scale[hsp__problem_positive(p, i)];
        made->row[k] = origin ? origin[i] : i;
        made->multiplier[k++] = multiplier;
        pulls[i] = hsp__problem_y(p, i) * multiplier;
    }
    if (!status && isnan(square)) status = hsp__matvec_combine(ctx, p->view, pulls, err, apart);
    if (!status) {
        made->distance = isnan(square) ? sqrt(hsp__vec()->sqnorm_f64(apart, (size_t)d))
                                       : sqrt(fmax(square, 0)) / fmin(scale[0], scale[1]);
        made->margin = made->distance / 2;
        *out = made;
    } else {
        hsp_evidence_free(made);
    }
    hsp__scratch_free(&scratch);
    return status;
}

void hsp_evidence_free(hsp_evidence *evidence)
{
    if (!evidence) return;
    const hsp_allocator memory = *hsp__owned_memory(evidence);
    hsp__free(&memory, evidence->row);
    hsp__free(&memory, evidence->multiplier);
    hsp__free(&memory, evidence->of);
    hsp__free(&memory, evidence->against);
    hsp__owned_free(evidence);
}
