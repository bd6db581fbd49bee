/* Kernel machines: the problems of a training through smo.h, with shared kernel values.
 *
 * Classes against the rest are solved one after the other. Where the whole kernel matrix takes no
 * more than three quarters of the memory that is allowed, it is computed first, and every class
 * looks its values up; else they share one cache of kernel rows. Pairs of classes are solved at the
 * same time, each with its share of the memory; most are small enough that the kernel matrix of
 * their rows is computed and used while it is in the processor's caches. */
#ifndef HSP_LEARN_KERNEL_KERNEL_ERM_H
#define HSP_LEARN_KERNEL_KERNEL_ERM_H

#include "learn/erm/erm.h"

/* The state of the native form. */
typedef struct hsp__kernel_erm {
    struct hsp__kernel_rows *rows;
    float *gram;    /* one-vs-rest: the whole matrix; NULL: it is too large */
    double *scores; /* rows * count: of all problems on all rows, with b; NULL: one-vs-one */
    atomic_uint
        *won; /* rows, one-vs-one: pairs whose scorer certainly puts the row into its class */
    atomic_int wide; /* some problem needed kernel values in double: so will predictions */
} hsp__kernel_erm;

hsp_status hsp__kernel_erm_fit(hsp__train *train, hsp_error *err);
/* Rows that the model gets wrong. */
hsp_status hsp__kernel_erm_mistakes(hsp__train *train, hsp_context *ctx, const hsp_model *model,
                                    hsp_error *err, uint64_t *wrong);
int hsp__kernel_erm_wide(const hsp__train *train);
void hsp__kernel_erm_free(hsp__train *train);

/* One problem of two classes in a kernel's feature space, for other modules (src/prove). As
 * hsp__fit_problem, but out->w stays NULL: w is sum a y phi(x), a being out->dual. The kernel is
 * fitted; its values take `bytes` at most. HSP_BAD_DATA: its values are too small to compute with. */
hsp_status hsp__fit_kernel(hsp_context *ctx, const hsp_kernel *kernel, const hsp__problem *p,
                           const hsp__fit_limits *limits, uint64_t bytes, hsp_error *err,
                           hsp__fitted *out);

#endif
