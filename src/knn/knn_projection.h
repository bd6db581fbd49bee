/* A map of rows to few numbers that brings no two rows further apart.
 *
 * With m orthonormal directions v, most of what tells rows apart in them, and c a centre,
 *
 *     x  ->  (<v_1, x - c>, ..., <v_m, x - c>, rho),    rho = norm of what x - c has outside them:
 *
 * by Pythagoras and the triangle inequality the distance of two images is at most that of the rows.
 * So a row whose image is too far is too far itself. Any orthonormal directions make that true; the
 * principal directions of a sample make it useful, where the rows have such.
 *
 * What rounding can do to it is bounded: the directions are orthonormal to 1e-11
 * (||V V^T - I||, computed), sums of 16384 terms are off by 1e-11 relatively. An image is therefore
 * off by at most `off` (below), and distances of images may exceed those of rows by a factor of 1 +
 * HSP__KNN_PROJECTION_SLACK. */
#ifndef HSP_KNN_KNN_PROJECTION_H
#define HSP_KNN_KNN_PROJECTION_H

#include "base/scratch.h"

enum {
    HSP__KNN_DIRECTIONS = 63,   /* at most: with rho, the columns that a product takes at once */
    HSP__KNN_PROJECT_ROWS = 16, /* that are mapped at a time */
};
#define HSP__KNN_PROJECTION_SLACK 1e-10

typedef struct hsp__knn_projection {
    uint64_t cols, count; /* count: directions; 0: the rows are better not mapped */
    double *center;       /* cols */
    double *packed;       /* the directions, as vec/product.h wants them */
    double low, high;     /* where nearly all numbers of the sample's images lie */
    double crowd; /* about the share of rows within `slack` of the distance of the k-th nearest */
} hsp__knn_projection;

/* What it is for: that decides whether it pays, and with how many directions. */
typedef struct hsp__knn_purpose {
    uint64_t rows, queries, k;
    double slack; /* what bounds by codes of rows are off by */
} hsp__knn_purpose;

/* Choose the map from a sample of the rows, count * cols numbers, which it centres in place. `out`
 * lives in memory of `memory`; it has no directions when images would not save time. HSP_NO_MEMORY,
 * HSP_CANCELLED. */
hsp_status hsp__knn_projection_make(hsp_context *ctx, const hsp__knn_purpose *purpose,
                                    double *sample, uint64_t count, uint64_t cols,
                                    hsp__scratch *memory, hsp_error *err, hsp__knn_projection *out);

/* The images of at most HSP__KNN_PROJECT_ROWS rows of `cols` numbers, which it centres in place:
 * images[i * (count + 1) ...]. off[i]: how far the image may be from the true one; infinite where
 * the row's numbers are too large for it. */
void hsp__knn_project(const hsp__knn_projection *projection, double *rows, uint64_t some,
                      double *images, double *off);

#endif
