/* A template: sums of outer products of eight numbers by eight, in registers. The including file is
 * compiled for its instructions and defines BLOCK_BYTES (vec_block.h).
 *
 * OUTER_AT_ONCE rows of the tile are held at a time: as many as the registers of that width hold.
 */
#ifndef HSP_VEC_VEC_OUTER_H
#define HSP_VEC_VEC_OUTER_H

#include "vec/vec_block.h"

enum {
    OUTER = HSP__VEC_OUTER,
    OUTER_W = BLOCK_BYTES / 8,
    OUTER_REGISTERS = OUTER / OUTER_W,
    OUTER_AT_ONCE = BLOCK_BYTES >= 64   ? 8
                    : BLOCK_BYTES == 32 ? 4
                                        : 2,
};

typedef float vec_outer_f32 __attribute__((vector_size(BLOCK_BYTES / 2)));

static VEC_INLINE vec_block_f64 vec_outer_load(const float *p)
{
    vec_outer_f32 x;
    memcpy(&x, p, sizeof x);
    return __builtin_convertvector(x, vec_block_f64);
}

#define VEC_OUTER_EACH(i, r)                   \
    VEC_UNROLL                                 \
    for (size_t i = 0; i < OUTER_AT_ONCE; i++) \
        VEC_UNROLL                             \
    for (size_t r = 0; r < OUTER_REGISTERS; r++)

static void vec_outer_some(uint64_t rows, const double *a, const float *b, double *c, size_t side)
{
    vec_block_f64 sum[OUTER_AT_ONCE][OUTER_REGISTERS];
    VEC_OUTER_EACH(i, r) sum[i][r] = (vec_block_f64){0};
    for (; rows; rows &= rows - 1) {
        const size_t at = (size_t)__builtin_ctzll(rows) * OUTER;
        vec_block_f64 x[OUTER_REGISTERS];
        VEC_UNROLL
        for (size_t r = 0; r < OUTER_REGISTERS; r++)
            x[r] = vec_outer_load(b + at + r * OUTER_W);
        VEC_OUTER_EACH(i, r) sum[i][r] += a[at + i] * x[r];
    }
    VEC_OUTER_EACH(i, r)
    {
        double *to = c + i * side + r * OUTER_W;
        vec_block_store_f64(to, vec_block_load_f64(to) + sum[i][r]);
    }
}

static void vec_outer_f32f64(uint64_t rows, const double *a, const float *b, double *c, size_t side)
{
    for (size_t i = 0; i < OUTER; i += OUTER_AT_ONCE)
        vec_outer_some(rows, a + i, b, c + i * side, side);
}

#define VEC_OUTER_ROUTINES .outer_f32f64 = vec_outer_f32f64

#endif
