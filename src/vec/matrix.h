/* Dense symmetric matrices of double: rank updates from weighted rows, Cholesky, solving.
 *
 * A matrix of order n is stored row by row with a stride of hsp__matrix_side(n) numbers, in
 * side * side numbers; what lies beyond n rows or columns is room for whole tiles and stays zero,
 * as far as the lower triangle goes. Only the lower triangle is read; the upper one holds rubbish.
 *
 * Everything is one thread's work and made of the tile of vec.h, whose sums have a fixed order, so
 * that results are the same bits on every machine. A caller that has several threads gives each its
 * own matrix, for a part of the rows, and adds them up in order. */
#ifndef HSP_VEC_MATRIX_H
#define HSP_VEC_MATRIX_H

#include <stddef.h>

#include "halfspace_all.h"

enum { HSP__MATRIX_BLOCK = 128 }; /* rows that one update takes at most */

/* The stride of a matrix of order n. */
size_t hsp__matrix_side(size_t n);

/* Numbers of scratch that the functions below need for order n. */
size_t hsp__matrix_scratch(size_t n);

/* g += sum over k < count of weight[k] row_k row_k^T, count at most HSP__MATRIX_BLOCK; element j of
 * row k is rows[k * stride + j]. Weights may be negative. */
void hsp__matrix_update(double *g, size_t n, const double *rows, size_t stride,
                        const double *weight, size_t count, double *scratch);

/* g = L L^T in place. 0 when a pivot is not above zero, or the context was stopped (base/stop.h): g
 * is then spoilt. */
int hsp__matrix_cholesky(hsp_context *ctx, double *g, size_t n, double *scratch);

/* x = (L L^T)^-1 x with L from hsp__matrix_cholesky. */
void hsp__matrix_solve(const double *g, size_t n, double *x);

/* L for where an inverse may be approximate, in a quarter of the memory: the rows of its lower triangle,
 * one behind the other, in single precision and divided by their lengths (n), so that columns may have
 * any unit. */
size_t hsp__matrix_packed(size_t n);
void hsp__matrix_pack(const double *g, size_t n, float *packed, double *lengths);
void hsp__matrix_solve_packed(const float *packed, const double *lengths, size_t n, double *x);

#endif
