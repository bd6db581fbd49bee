/* Kernel values of rows with rows, in blocks.
 *
 * A block is cut into tiles. For a tile, the inner products of each space that the expression looks
 * at are one matrix product (rows gathered side by side), or for sparse rows of many columns eight
 * rows at a time against the others' entries, or for rows of ones sixty-four at a time, whose
 * shared places are counted in bytes; then the expression is taken over the tile, node by
 * node, while it is in the cache. A value does not depend on the block or tile it was computed in,
 * and k(x, y) = k(y, x) to the bit as long as both ways take the same road (they do when both sides
 * are of one view, and when a brings a road along). A precomputed value is looked up in the row of
 * a. */
#ifndef HSP_KERNEL_BLOCK_H
#define HSP_KERNEL_BLOCK_H

#include "kernel/kernel_rows.h"

/* Some rows: list[0..count) of them, or with list NULL those from `from` on. */
typedef struct hsp__kernel_pick {
    const hsp__kernel_rows *rows;
    const uint64_t *list;
    uint64_t from, count;
} hsp__kernel_pick;

static inline uint64_t hsp__kernel_picked(const hsp__kernel_pick *pick, uint64_t i)
{
    return pick->list ? pick->list[i] : pick->from + i;
}

/* The road that rows take with themselves. */
hsp__kernel_road hsp__kernel_road_of(const hsp__kernel_rows *rows);

/* Pack rows that many others are to meet on this road, if it takes no more than `most` bytes and
 * matrix products are what the kernel is made of. */
hsp_status hsp__kernel_pack(hsp_context *ctx, const hsp__kernel_road *road, uint64_t most,
                            hsp__kernel_rows *rows, hsp_error *err);

/* Is a line of values computed about as fast as it is read from memory? Then keeping it gains
 * nothing. */
int hsp__kernel_is_cheap(const hsp__kernel_rows *rows);

/* lines[i][j] = k(a_i, b_j), in float or in double, on the context's threads; a line for each a_i.
 * Float values are computed in double where floats would lose too much (a distance from large
 * norms). A value that is not finite is an error with both rows. HSP_CANCELLED once the context was
 * stopped (base/stop.h). */
hsp_status hsp__kernel_lines_f32(hsp_context *ctx, const hsp__kernel_pick *a,
                                 const hsp__kernel_pick *b, float *const *lines, hsp_error *err);
hsp_status hsp__kernel_lines_f64(hsp_context *ctx, const hsp__kernel_pick *a,
                                 const hsp__kernel_pick *b, double *const *lines, hsp_error *err);

/* One line of float rows with all of them, without allocating: for packed rows of a lone Gaussian,
 * which hsp__kernel_has_line tells. */
int hsp__kernel_has_line(const hsp__kernel_rows *rows);
void hsp__kernel_line_f32(const hsp__kernel_rows *rows, uint64_t i, float *out);

/* out[j] += sum over i of by[i] k(a_i, b_j), i ascending, with the bits that adding the lines would
 * give, and none of them kept: k a float, or (wide) a double; by[i] k and the sum in double. */
hsp_status hsp__kernel_apply(hsp_context *ctx, const hsp__kernel_pick *a, const double *by,
                             const hsp__kernel_pick *b, int wide, double *out, hsp_error *err);

/* The same with lines that lie `ld` numbers apart. Doubles are computed in double, unless a brings
 * a road that says float. */
hsp_status hsp__kernel_block_f32(hsp_context *ctx, const hsp__kernel_pick *a,
                                 const hsp__kernel_pick *b, float *out, uint64_t ld,
                                 hsp_error *err);
hsp_status hsp__kernel_block_f64(hsp_context *ctx, const hsp__kernel_pick *a,
                                 const hsp__kernel_pick *b, double *out, uint64_t ld,
                                 hsp_error *err);

#endif
