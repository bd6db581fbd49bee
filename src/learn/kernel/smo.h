/* The dual of a kernel machine, solved on working sets of thousands of rows (smo.c). */
#ifndef HSP_LEARN_KERNEL_SMO_H
#define HSP_LEARN_KERNEL_SMO_H

#include "learn/erm/problem.h"
#include "learn/kernel/smo_cache.h"

typedef struct hsp__smo_solution {
    double *a;      /* n: in, the start (zeros: none; made feasible); out, the dual weights */
    double *scores; /* n: out, sum_j a_j y_j k(x_j, x_i), without b */
    double b;
    double square;            /* ||w||^2 in the feature space */
    double primal, dual, gap; /* bounds, as in gap.h, of the kernel itself */
    double rounding;          /* the part of the gap that is rounding */
    double drift;             /* what additions may have added to any score */
    int wants_double;         /* out: floats are what kept the gap from being reached */
    uint64_t rounds, updates; /* working sets, and steps in them */
    hsp_stop stop; /* HSP_STOP_CONVERGED: the gap was reached. HSP_STOP_PASSES: the limit was, or
                      no step gets further, as may be with a kernel that is none. hard:
                      HSP_STOP_INSEPARABLE, no separator has a margin above 3e-7 of the longest
                      phi(x), and a says why: sum a y phi is all but 0 */
} hsp__smo_solution;

/* Losses that it solves: those whose e(a) is a parabola or a line. */
static inline int hsp__smo_suits(const hsp__loss *loss)
{
    return loss->form == HSP__HINGE || loss->form == HSP__SQUARED_HINGE;
}

/* Does the problem ask for kernel values in double? */
int hsp__smo_wide(const hsp__problem *p, const hsp__goal *goal);

/* `p`: l2, hinge or squared, any offset, or hard; of p->view only rows and labels are looked at,
 * and they are those of the cache's source. One cache may serve several problems, one after the
 * other. */
hsp_status hsp__smo(hsp_context *ctx, const hsp__problem *p, hsp__smo_cache *cache,
                    const hsp__goal *goal, hsp_error *err, hsp__smo_solution *s);

#endif
