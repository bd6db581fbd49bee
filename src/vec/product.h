/* The matrix product C = A B^T of rows with rows, in float or double.
 *
 * C[i][j] = sum over k of A[i][k] * B[j][k]: one running sum that begins at +0, k ascending, each
 * product rounded before it is added. So an element has the same bits whatever block it was
 * computed in, by whatever instructions, on whatever thread; C of a matrix with itself is symmetric
 * to the bit. That is why this is not a BLAS, which promises none of it (docs/decisions/0006). */
#ifndef HSP_VEC_PRODUCT_H
#define HSP_VEC_PRODUCT_H

#include <stddef.h>

/* In two steps, for a B of at most HSP__PRODUCT_COLS rows that many A meet: `packed`, 64-byte aligned
 * where speed counts, has room for hsp__product_packed bytes. Rows lie `lda`, `ldb`, `ldc` numbers
 * apart; C is overwritten. A may have fewer numbers a row than were packed. On this thread alone:
 * callers cut large products into blocks. */
enum { HSP__PRODUCT_COLS = 64 };
size_t hsp__product_packed(size_t depth, size_t size);
void hsp__product_pack_f32(size_t n, size_t depth, const float *b, size_t ldb, float *packed);
void hsp__product_pack_f64(size_t n, size_t depth, const double *b, size_t ldb, double *packed);
void hsp__product_with_f32(size_t m, size_t n, size_t depth, const float *a, size_t lda,
                           const float *packed, size_t packed_depth, float *c, size_t ldc);
void hsp__product_with_f64(size_t m, size_t n, size_t depth, const double *a, size_t lda,
                           const double *packed, size_t packed_depth, double *c, size_t ldc);

#endif
