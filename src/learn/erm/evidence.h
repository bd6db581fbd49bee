/* Why no hyperplane separates: from dual weights to multipliers that a reader can check. */
#ifndef HSP_LEARN_ERM_EVIDENCE_H
#define HSP_LEARN_ERM_EVIDENCE_H

#include "base/names.h"
#include "learn/erm/problem.h"

/* What the dual weights of a class are divided by to become multipliers: [0] negative, [1] positive. */
void hsp__evidence_scales(const hsp__problem *p, const double *a, double scale[2]);

/* The evidence that the dual weights a (n, >= 0) give: with multipliers that add up to 1 in each
 * class, the rows of both classes have the same mean. Offset none: with multipliers that add up to
 * 2 over both classes, sum a y x = 0. Either way a separator of margin gamma would make that vector
 * at least 2 gamma long.
 *
 * `classes` names those of the problem's view: of more than two, the evidence is of p->positive
 * against the rest, and says so. `origin` (n, ascending) are the numbers of the problem's rows in
 * the data as given; NULL: the same. `square`: in a kernel's feature space, ||sum a y phi(x)||^2; NaN: the space of
 * the rows. That there are weights in both classes (offset none: any) is the caller's to know. */
hsp_status hsp__evidence_new(hsp_context *ctx, const hsp__problem *p, const hsp__names *classes,
                             const double *a, double square, const uint64_t *origin, hsp_error *err,
                             hsp_evidence **out);

/* Say which two classes the evidence is of; against UINT32_MAX: the rest. */
hsp_status hsp__evidence_name(hsp_evidence *evidence, const hsp__names *classes, uint32_t of,
                              uint32_t against, hsp_error *err);

#endif
