/* What the files of wide instructions share: how they ask the compiler for straight-line code, and
 * the sparse routines. */
#ifndef HSP_VEC_VEC_SIMD_H
#define HSP_VEC_VEC_SIMD_H

#include "vec/vec.h"
#include "vec/vec_merge.h"

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
float hsp__vec_avx2_sparse_dot_f32(const uint32_t *idx, const float *v, size_t nnz, const float *w);
double hsp__vec_avx2_sparse_dot_f64(const uint32_t *idx, const double *v, size_t nnz,
                                    const double *w);
double hsp__vec_avx2_sparse_dot_f32f64(const uint32_t *idx, const float *v, size_t nnz,
                                       const double *w);
float hsp__vec_avx2_ones_dot_f32(const uint32_t *idx, size_t nnz, const float *w);
double hsp__vec_avx2_ones_dot_f64(const uint32_t *idx, size_t nnz, const double *w);
void hsp__vec_avx2_sparse_axpy_f32(float a, const uint32_t *idx, const float *v, size_t nnz,
                                   float *y);
void hsp__vec_avx2_sparse_axpy_f64(double a, const uint32_t *idx, const double *v, size_t nnz,
                                   double *y);
void hsp__vec_avx2_sparse_axpy_f32f64(double a, const uint32_t *idx, const float *v, size_t nnz,
                                      double *y);
void hsp__vec_avx2_ones_axpy_f32(float a, const uint32_t *idx, size_t nnz, float *y);
void hsp__vec_avx2_ones_axpy_f64(double a, const uint32_t *idx, size_t nnz, double *y);
double hsp__vec_avx2_sparse_sparse_dot_f32(const uint32_t *ai, const float *av, size_t an,
                                           const uint32_t *bi, const float *bv, size_t bn);
double hsp__vec_avx2_sparse_sparse_dot_f64(const uint32_t *ai, const double *av, size_t an,
                                           const uint32_t *bi, const double *bv, size_t bn);
size_t hsp__vec_avx2_ones_ones_dot(const uint32_t *ai, size_t an, const uint32_t *bi, size_t bn);

/* For processors without the instruction that sums products of bytes. */
unsigned hsp__vec_avx2_byte_tile(size_t quads, const uint8_t *const *a, const int8_t *b,
                                 const int32_t *base, const int32_t *least, int32_t *c);

/* The lines of a table: the dense routines are the including file's own, made by vec_dense.h. */
#define VEC_DENSE_ROUTINES                                                                        \
    .dot_f32 = vec_dot_f32, .dot_f64 = vec_dot_f64, .dot_f32f64 = vec_dot_f32f64,                 \
    .sqdist_f32 = vec_sqdist_f32, .sqdist_f64 = vec_sqdist_f64,                                   \
    .sqdist_f32f64 = vec_sqdist_f32f64, .sqnorm_f32 = vec_sqnorm_f32,                             \
    .sqnorm_f64 = vec_sqnorm_f64, .sqnorm_f32f64 = vec_sqnorm_f32f64, .norm1_f32 = vec_norm1_f32, \
    .norm1_f64 = vec_norm1_f64, .norminf_f32 = vec_norminf_f32, .norminf_f64 = vec_norminf_f64,   \
    .axpy_f32 = vec_axpy_f32, .axpy_f64 = vec_axpy_f64, .axpy_f32f64 = vec_axpy_f32f64,           \
    .scale_f32 = vec_scale_f32, .scale_f64 = vec_scale_f64

#define VEC_SPARSE_ROUTINES                                                                     \
    .sparse_dot_f32 = hsp__vec_avx2_sparse_dot_f32,                                             \
    .sparse_dot_f64 = hsp__vec_avx2_sparse_dot_f64,                                             \
    .sparse_dot_f32f64 = hsp__vec_avx2_sparse_dot_f32f64,                                       \
    .sparse_axpy_f32 = hsp__vec_avx2_sparse_axpy_f32,                                           \
    .sparse_axpy_f64 = hsp__vec_avx2_sparse_axpy_f64,                                           \
    .sparse_axpy_f32f64 = hsp__vec_avx2_sparse_axpy_f32f64,                                     \
    .ones_dot_f32 = hsp__vec_avx2_ones_dot_f32, .ones_dot_f64 = hsp__vec_avx2_ones_dot_f64,     \
    .ones_axpy_f32 = hsp__vec_avx2_ones_axpy_f32, .ones_axpy_f64 = hsp__vec_avx2_ones_axpy_f64, \
    .sparse_sparse_dot_f32 = hsp__vec_avx2_sparse_sparse_dot_f32,                               \
    .sparse_sparse_dot_f64 = hsp__vec_avx2_sparse_sparse_dot_f64,                               \
    .sparse_sparse_sqdist_f32 = hsp__vec_merge_sqdist_f32,                                      \
    .sparse_sparse_sqdist_f64 = hsp__vec_merge_sqdist_f64,                                      \
    .ones_ones_dot = hsp__vec_avx2_ones_ones_dot

#endif
