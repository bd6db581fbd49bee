/* The dual of a kernel machine, solved on working sets of hundreds of rows (smo.c). */
#ifndef HSP_LEARN_SMO_H
#define HSP_LEARN_SMO_H

#include "kernel/block.h"
#include "learn/problem.h"

typedef struct hsp__smo_solution {
    double *a;      /* n: in, the start (zeros: none; made feasible); out, the dual weights */
    double *scores; /* n: out, sum_j a_j y_j k(x_j, x_i), without b */
    double b;
    double primal, dual, gap;
    uint64_t rounds, updates; /* working sets, and steps of two variables in them */
    uint64_t kernel_rows;     /* rows of the kernel matrix that were computed */
    hsp_stop stop;
} hsp__smo_solution;

/* `p`: l2, hinge or squared, any offset, or hard. `rows` belong to p->view. `cache_bytes`: kernel
 * rows kept take no more than this (two rows at least are kept). */
hsp_status hsp__smo(hsp_context *ctx, const hsp__problem *p, const hsp__kernel_rows *rows,
                    uint64_t cache_bytes, const hsp__goal *goal, hsp_error *err,
                    hsp__smo_solution *s);

#endif
