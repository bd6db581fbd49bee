/* What the files of wide instructions share: how they ask the compiler for straight-line code, and
 * the sparse routines. */
#ifndef HSP_VEC_VEC_SIMD_H
#define HSP_VEC_VEC_SIMD_H

#include "vec/vec.h"

#define VEC_INLINE inline __attribute__((always_inline))

/* Loops over the registers of a block have a constant count and must unroll wholly, or the
 * registers live in memory. */
#ifdef __clang__
#define VEC_UNROLL _Pragma("clang loop unroll(full)")
#else
#define VEC_UNROLL _Pragma("GCC unroll 8")
#endif

/* The sparse routines of vec_avx2.c, which AVX-512 uses too: its gathers and scatters measured
 * slower than single loads and stores, and its masks save nothing else. */
double hsp__vec_avx2_sparse_dot_f64(const uint32_t *idx, const double *v, size_t nnz,
                                    const double *w);
double hsp__vec_avx2_sparse_dot_f32f64(const uint32_t *idx, const float *v, size_t nnz,
                                       const double *w);
double hsp__vec_avx2_ones_dot_f64(const uint32_t *idx, size_t nnz, const double *w);
void hsp__vec_avx2_sparse_axpy_f64(double a, const uint32_t *idx, const double *v, size_t nnz,
                                   double *y);
void hsp__vec_avx2_sparse_axpy_f32f64(double a, const uint32_t *idx, const float *v, size_t nnz,
                                      double *y);
void hsp__vec_avx2_ones_axpy_f64(double a, const uint32_t *idx, size_t nnz, double *y);

/* For processors without the instruction that sums products of bytes. */
unsigned hsp__vec_avx2_byte_tile(size_t quads, const uint8_t *const *a, const int8_t *b,
                                 const int32_t *base, const int32_t *least, int32_t *c,
                                 uint16_t *reach);
void hsp__vec_avx2_byte_dots(size_t bytes, const uint8_t *a, const int8_t *const *b, size_t count,
                             int32_t *out);

/* The lines of a table: the dense routines are the including file's own, made by vec_dense.h. */
#define VEC_DENSE_ROUTINES                                                                    \
    .dot_f64 = vec_dot_f64, .dot_f32f64 = vec_dot_f32f64, .sqdist_f64 = vec_sqdist_f64,       \
    .sqdist_f32f64 = vec_sqdist_f32f64, .sqnorm_f64 = vec_sqnorm_f64,                         \
    .sqnorm_f32f64 = vec_sqnorm_f32f64, .norm1_f64 = vec_norm1_f64,                           \
    .norminf_f64 = vec_norminf_f64, .axpy_f64 = vec_axpy_f64, .axpy_f32f64 = vec_axpy_f32f64, \
    .scale_f64 = vec_scale_f64

#define VEC_SPARSE_ROUTINES                                 \
    .sparse_dot_f64 = hsp__vec_avx2_sparse_dot_f64,         \
    .sparse_dot_f32f64 = hsp__vec_avx2_sparse_dot_f32f64,   \
    .sparse_axpy_f64 = hsp__vec_avx2_sparse_axpy_f64,       \
    .sparse_axpy_f32f64 = hsp__vec_avx2_sparse_axpy_f32f64, \
    .ones_dot_f64 = hsp__vec_avx2_ones_dot_f64, .ones_axpy_f64 = hsp__vec_avx2_ones_axpy_f64

#endif
