/* Explicit features that approximate a kernel, from m of the rows (landmarks).
 *
 * With L L' = K of the landmarks and t(x) = (k(l_1, x) ... k(l_r, x)),
 *
 *     phi(x) = L^-1 t(x),     <phi(x), phi(y)> = t(x)' K^-1 t(y):
 *
 * exact where x or y is a landmark, and elsewhere the inner product of what the landmarks span. A
 * halfspace w, b on these features is a kernel expansion on the landmarks,
 *
 *     <w, phi(x)> + b = sum_i c_i k(l_i, x) + b,     c = L^-T w,
 *
 * so a model of it needs no map of its own. Landmarks that others span (what is left of k(l, l) is
 * below 10^-10 of the largest) are dropped: L is then safe to divide by. Cost n r^2 products for n
 * rows. Williams and Seeger, Using the Nystroem method to speed up kernel machines, 2001. */
#ifndef HSP_KERNEL_NYSTROM_H
#define HSP_KERNEL_NYSTROM_H

#include "kernel/gram.h"

typedef struct hsp__nystrom {
    const hsp_kernel *kernel;
    uint64_t rank;
    uint64_t *source; /* rank: the landmarks' numbers in the data */
    double *factor;   /* rank * rank: L, zeros above its diagonal */
    hsp_data *rows;   /* the landmarks, in double, without labels */
} hsp__nystrom;

/* `most` rows at random by the seed; all when there are fewer. The kernel is fitted, outlives it,
 * and is not precomputed. */
hsp_status hsp__nystrom_new(hsp_context *ctx, const hsp_kernel *kernel, hsp_data *data,
                            uint64_t most, uint64_t seed, hsp_error *err, hsp__nystrom *out);
void hsp__nystrom_free(hsp_context *ctx, hsp__nystrom *map);

/* The features of all rows, dense, in the data's precision, with labels, class names and weights of
 * rows. */
hsp_status hsp__nystrom_features(hsp_context *ctx, const hsp__nystrom *map, hsp_data *data,
                                 hsp_error *err, hsp_data **out);

/* c = L^-T w, in place. */
void hsp__nystrom_turn(const hsp__nystrom *map, double *w);

/* How far <phi(x), phi(y)> is from k(x, y), over all pairs of some rows. */
typedef struct hsp__nystrom_error {
    uint64_t rows;
    double root; /* of the mean square */
    double most;
    double size; /* of k itself: root of the mean square */
} hsp__nystrom_error;
hsp_status hsp__nystrom_measure(hsp_context *ctx, const hsp__nystrom *map, hsp_data *data,
                                hsp_data *features, uint64_t seed, hsp_error *err,
                                hsp__nystrom_error *out);

#endif
