/* A template: the inner loop of Cholesky's method, eight rows at a time. The including file is
 * compiled for its instructions and defines BLOCK_BYTES (vec_block.h). */
#ifndef HSP_VEC_VEC_SOLVE_H
#define HSP_VEC_VEC_SOLVE_H

#include "vec/vec_block.h"

enum { SOLVE_W = BLOCK_BYTES / 8, SOLVE_REGISTERS = HSP__VEC_TILE_ROWS / SOLVE_W };

/* Every register of x is finished before the next one begins: what it needs of the earlier ones is
 * in memory near by, and its own sum stays where it is. */
static void vec_solve_f64(size_t n, const double *l, const double *inverse, size_t stride,
                          double *x)
{
    for (size_t j = 0; j < n; j++) {
        const double *line = l + j * stride;
        vec_block_f64 sum[SOLVE_REGISTERS];
        VEC_UNROLL
        for (size_t r = 0; r < SOLVE_REGISTERS; r++)
            sum[r] = vec_block_load_f64(x + j * HSP__VEC_TILE_ROWS + r * SOLVE_W);
        for (size_t k = 0; k < j; k++) {
            VEC_UNROLL
            for (size_t r = 0; r < SOLVE_REGISTERS; r++)
                sum[r] -= line[k] * vec_block_load_f64(x + k * HSP__VEC_TILE_ROWS + r * SOLVE_W);
        }
        VEC_UNROLL
        for (size_t r = 0; r < SOLVE_REGISTERS; r++)
            vec_block_store_f64(x + j * HSP__VEC_TILE_ROWS + r * SOLVE_W, sum[r] * inverse[j]);
    }
}

#define VEC_SOLVE_ROUTINES .solve_f64 = vec_solve_f64

#endif
