/* What the gap (crammer_gap.c) and the solver (crammer.c) of the machine of all classes share: the
 * weights of all classes side by side, and sums over all rows. */
#ifndef HSP_LEARN_MULTICLASS_CRAMMER_WORK_H
#define HSP_LEARN_MULTICLASS_CRAMMER_WORK_H

#include "base/scratch.h"
#include "learn/multiclass/crammer.h"
#include "vec/vec.h"

#define CRAMMER_BLOCK 8  /* columns come in blocks of a cache line */
#define CRAMMER_ALIGN 64 /* bytes */
#define CRAMMER_TICK  64 /* rows between two ticks */
#define CRAMMER_WIDE  16 /* columns in single precision */

typedef struct hsp__crammer_work {
    hsp_context *ctx;
    hsp__scratch memory;
    const hsp__crammer *p;
    const hsp__vec_table *vec;
    const hsp_view *view;
    uint64_t n, d;
    uint32_t k;
    size_t columns;     /* k, rounded up to whole blocks */
    uint32_t *identity; /* d: 0, 1, 2 ... for dense rows */
    double *w;          /* d * columns: the weights of all classes side by side */
    double *b;          /* columns: the offsets */
    double *dual;       /* n * k: A */
    double *share;      /* n: g_i, as last scored */
    double *scratch;    /* parts * columns */
    double *losses;     /* parts: of each, the sum of c loss, ... */
    double *doubts;     /* ... and of c times what rounding may have taken off a loss */
    double size;        /* of the largest w_m, for that */
    uint64_t parts;     /* of the rows */
} hsp__crammer_work;

/* c_i. */
double hsp__crammer_cost(const hsp__crammer *p, uint64_t i);

/* <w_m, x_i> for all classes. */
void hsp__crammer_dots(const hsp__crammer_work *work, const double *w, uint64_t i, double *out);

/* w_m += a_m x_i for `many` columns from where `a` and `w` point. */
void hsp__crammer_add(const hsp__crammer_work *work, const double *a, uint64_t i, double *w,
                      size_t many);

/* u = sum_i A_i x_i. */
void hsp__crammer_weights(const hsp__crammer_work *work, const double *dual, double *u);

/* t = sum_i A_i. */
void hsp__crammer_pulls(const hsp__crammer_work *work, const double *dual, double *t);

/* g_i of a row with these scores. */
double hsp__crammer_share(const double *s, const double *a, uint32_t k, uint32_t y, double c);

/* Score all rows with w and b: the sum of c loss; share[i] becomes g_i. */
double hsp__crammer_score(hsp__crammer_work *work);

/* A row into its box: pulls >= 0 that add up to c at most. */
void hsp__crammer_clip(double *a, uint32_t k, uint32_t y, double c);

/* All rows into their boxes; offset free: and balanced, t = 0. */
hsp_status hsp__crammer_feasible(const hsp__crammer_work *work, double *dual, hsp_error *err);

/* Zeros, from the beginning of a cache line on; NULL, and work->memory.failed: none to be had. */
void *hsp__crammer_lines(hsp__crammer_work *work, uint64_t count, size_t size);

/* What the gap and the solver both need. Free work->memory even after a failure. */
hsp_status hsp__crammer_open(hsp__crammer_work *work, hsp_context *ctx, const hsp__crammer *p,
                             hsp_error *err);

/* Weights class after class, from side by side and back. */
void hsp__crammer_apart(const hsp__crammer_work *work, const double *beside, double *w);

/* sum ||w_m||^2 / 2, and the offsets' part of it where they have one. */
double hsp__crammer_penalty(const hsp__crammer_work *work, const double *w, const double *b);

/* D of a feasible A with its u and t. */
double hsp__crammer_dual(const hsp__crammer_work *work, const double *dual, const double *u,
                         const double *t);

void hsp__crammer_values(double primal, double dual, hsp__gap_values *out);

#endif
