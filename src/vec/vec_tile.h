/* A template: the tile that matrix products are made of (tile_f64 in vec.h). The including file is
 * compiled for its instructions and defines MANY, how many doubles a register of it holds, and
 * TILE_ROWS, how many rows of three such registers it can keep while it runs over k.
 *
 * On processors that multiply and add in separate units at once, the product that is rounded before
 * it is added costs no more than a fused one. */
#ifndef HSP_VEC_VEC_TILE_H
#define HSP_VEC_VEC_TILE_H

#include <string.h>

#include "vec/vec_many.h"

/* TILE_ROWS rows of 3 * MANY columns; a and b point at the first of them. */
static VEC_INLINE void vec_tile_part(size_t k, const double *a, const double *b, double *c,
                                     size_t stride)
{
    vec_many s[TILE_ROWS][3];
    memset(s, 0, sizeof s);
    for (; k > 0; k--, a += HSP__VEC_TILE_ROWS, b += HSP__VEC_TILE_COLS) {
        const vec_many b0 = vec_many_load(b), b1 = vec_many_load(b + MANY),
                       b2 = vec_many_load(b + 2 * MANY);
        VEC_UNROLL
        for (size_t i = 0; i < TILE_ROWS; i++) {
            s[i][0] += a[i] * b0;
            s[i][1] += a[i] * b1;
            s[i][2] += a[i] * b2;
        }
    }
    VEC_UNROLL
    for (size_t i = 0; i < TILE_ROWS; i++) {
        for (size_t j = 0; j < 3; j++) {
            const vec_many sum = vec_many_load(c + i * stride + j * MANY) + s[i][j];
            memcpy(c + i * stride + j * MANY, &sum, sizeof sum);
        }
    }
}

static void vec_tile_f64(size_t k, const double *a, const double *b, double *c, size_t stride)
{
    for (size_t i = 0; i < HSP__VEC_TILE_ROWS; i += TILE_ROWS)
        for (size_t j = 0; j < HSP__VEC_TILE_COLS; j += 3 * MANY)
            vec_tile_part(k, a + i, b + j, c + i * stride + j, stride);
}

#endif
