/* Explicit features that approximate a kernel.
 *
 * Nystroem: from m of the rows, the landmarks l. With L L' = K of the landmarks and t(x) = (k(l_1,
 * x) ... k(l_r, x)),
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
 * rows. Williams and Seeger, Using the Nystroem method to speed up kernel machines, 2001.
 *
 * Fourier: a kernel of x - y is the mean of cos <u, x - y> over random u: normal ones for rbf,
 * Cauchy's for laplace (Bochner). With u_1 ... u_m drawn so,
 *
 *     phi_j(x) = (cos <u_j, x> + sin <u_j, x>) / sqrt(m),
 *     phi_j(x) phi_j(y) m = cos <u_j, x - y> + sin <u_j, x + y>,
 *
 * and the mean of the second is 0, u and -u being equally likely. Here too a halfspace is an
 * expansion: on the rows u_j, with cos + sin of the inner product (`wave`) in the place of k. The
 * error falls as 1 / sqrt(m) whatever the data. Rahimi and Recht, Random features for large-scale
 * kernel machines, 2007. */
#ifndef HSP_KERNEL_FEATURE_MAP_H
#define HSP_KERNEL_FEATURE_MAP_H

#include "kernel/gram.h"

typedef struct hsp__approx {
    const hsp_kernel *kernel; /* that is approximated */
    hsp_kernel *wave;         /* what makes t of x and a row: Fourier's; NULL: the kernel */
    uint64_t rank;
    uint64_t *source; /* rank: the landmarks' numbers in the data; Fourier: 0, 1, 2 ... */
    double *factor;   /* rank * rank: L, zeros above its diagonal; NULL: sqrt(rank) I */
    hsp_data *rows;   /* landmarks or u, in double, without labels */
} hsp__approx;

/* `most` rows at random by the seed; all when there are fewer. The kernel is fitted, outlives it,
 * and is not precomputed. */
hsp_status hsp__approx_nystrom(hsp_context *ctx, const hsp_kernel *kernel, hsp_data *data,
                               uint64_t most, uint64_t seed, hsp_error *err, hsp__approx *out);

/* The kernel is rbf or laplace, by itself: else HSP_USAGE. `cols`: columns that rows have. */
hsp_status hsp__approx_fourier(hsp_context *ctx, const hsp_kernel *kernel, uint64_t cols,
                               uint64_t count, uint64_t seed, hsp_error *err, hsp__approx *out);
void hsp__approx_free(hsp_context *ctx, hsp__approx *map);

/* The features of rows list[0..count), NULL: the first `count`, dense, in the data's precision,
 * with labels and class names. Those of a row do not depend on the others. */
hsp_status hsp__approx_features(hsp_context *ctx, const hsp__approx *map, hsp_data *data,
                                const uint64_t *list, uint64_t count, hsp_error *err,
                                hsp_data **out);

/* c = L^-T w, in place; and back: w = L^T c. */
void hsp__approx_turn(const hsp__approx *map, double *w);
void hsp__approx_turn_back(const hsp__approx *map, double *c);

/* How far <phi(x), phi(y)> is from k(x, y), over all pairs of some rows. */
typedef struct hsp__approx_error {
    uint64_t rows;
    double root; /* of the mean square */
    double most;
    double size; /* of k itself: root of the mean square */
} hsp__approx_error;
hsp_status hsp__approx_measure(hsp_context *ctx, const hsp__approx *map, hsp_data *data,
                               uint64_t seed, hsp_error *err, hsp__approx_error *out);

#endif
