/* A template: one sparse row with many vectors at once. The including file is compiled for its
 * instructions and defines MANY, how many doubles a register of it holds.
 *
 * A register holds the same running sum of MANY vectors; the eight running sums of the
 * specification are eight registers. The numbers of a place lie side by side, so that a place costs
 * one load instead of one a vector. */
#ifndef HSP_VEC_VEC_MANY_H
#define HSP_VEC_VEC_MANY_H

#include <string.h>

#include "vec/vec_simd.h"

typedef double vec_many __attribute__((vector_size(MANY * sizeof(double))));

static VEC_INLINE vec_many vec_many_load(const double *w)
{
    vec_many x;
    memcpy(&x, w, sizeof x);
    return x;
}

static VEC_INLINE void vec_many_store(double *w, vec_many x)
{
    memcpy(w, &x, sizeof x);
}

static VEC_INLINE void vec_many_fold(vec_many s[8], double *out)
{
    s[0] += s[4], s[1] += s[5], s[2] += s[6], s[3] += s[7];
    s[0] += s[2], s[1] += s[3];
    s[0] += s[1];
    memcpy(out, &s[0], sizeof s[0]);
}

/* TERM(k): the factor of place k. */
#define VEC_MANY(routine, parameters, TERM)                                                      \
    static void routine parameters                                                               \
    {                                                                                            \
        for (size_t c = 0; c < many; c += MANY) {                                                \
            vec_many s[8] = {{0}};                                                               \
            size_t k = 0;                                                                        \
            for (; k + 8 <= nnz; k += 8) {                                                       \
                VEC_UNROLL                                                                       \
                for (size_t j = 0; j < 8; j++)                                                   \
                    s[j] += TERM(k + j) vec_many_load(w + idx[k + j] * stride + c);              \
            }                                                                                    \
            VEC_UNROLL                                                                           \
            for (size_t j = 0; j < 8; j++)                                                       \
                if (k + j < nnz) s[j] += TERM(k + j) vec_many_load(w + idx[k + j] * stride + c); \
            vec_many_fold(s, out + c);                                                           \
        }                                                                                        \
    }

#define VEC_MANY_VALUE(k) (double)v[k] *
#define VEC_MANY_ONE(k)

VEC_MANY(vec_sparse_dots_f64,
         (const uint32_t *idx, const double *v, size_t nnz, const double *w, size_t stride,
          size_t many, double *out),
         VEC_MANY_VALUE)
VEC_MANY(vec_sparse_dots_f32f64,
         (const uint32_t *idx, const float *v, size_t nnz, const double *w, size_t stride,
          size_t many, double *out),
         VEC_MANY_VALUE)
VEC_MANY(vec_ones_dots_f64,
         (const uint32_t *idx, size_t nnz, const double *w, size_t stride, size_t many,
          double *out),
         VEC_MANY_ONE)

/* y += a x for many vectors: 16 of them at a time, while there are as many, so that a cache line
 * and its neighbour are written together. */
#define VEC_MANY_BACK(routine, parameters, TERM)                                      \
    static void routine parameters                                                    \
    {                                                                                 \
        for (size_t c = 0, width; c < many; c += width) {                             \
            width = many - c < 16 ? 8 : 16;                                           \
            vec_many f[16 / MANY];                                                    \
            for (size_t j = 0; j < width / MANY; j++)                                 \
                f[j] = vec_many_load(a + c + j * MANY);                               \
            for (size_t k = 0; k < nnz; k++) {                                        \
                double *at = y + idx[k] * stride + c;                                 \
                if (width == 16)                                                      \
                    VEC_UNROLL for (size_t j = 0; j < 16 / MANY; j++) vec_many_store( \
                        at + j * MANY, vec_many_load(at + j * MANY) + TERM(k) f[j]);  \
                else                                                                  \
                    VEC_UNROLL for (size_t j = 0; j < 8 / MANY; j++) vec_many_store(  \
                        at + j * MANY, vec_many_load(at + j * MANY) + TERM(k) f[j]);  \
            }                                                                         \
        }                                                                             \
    }

VEC_MANY_BACK(vec_sparse_axpys_f64,
              (const double *a, const uint32_t *idx, const double *v, size_t nnz, double *y,
               size_t stride, size_t many),
              VEC_MANY_VALUE)
VEC_MANY_BACK(vec_sparse_axpys_f32f64,
              (const double *a, const uint32_t *idx, const float *v, size_t nnz, double *y,
               size_t stride, size_t many),
              VEC_MANY_VALUE)
VEC_MANY_BACK(vec_ones_axpys_f64,
              (const double *a, const uint32_t *idx, size_t nnz, double *y, size_t stride,
               size_t many),
              VEC_MANY_ONE)

/* The same in single precision, 16 vectors at a time: one register of AVX-512, two of AVX2. */
typedef float vec_many_f32 __attribute__((vector_size(2 * MANY * sizeof(float))));

static VEC_INLINE vec_many_f32 vec_many_load_f32(const float *w)
{
    vec_many_f32 x;
    memcpy(&x, w, sizeof x);
    return x;
}

#define VEC_MANY_F32(routine, parameters, TERM)                                         \
    static void routine parameters                                                      \
    {                                                                                   \
        for (size_t c = 0; c < many; c += 2 * MANY) {                                   \
            vec_many_f32 s[8] = {{0}};                                                  \
            size_t k = 0;                                                               \
            for (; k + 8 <= nnz; k += 8) {                                              \
                VEC_UNROLL                                                              \
                for (size_t j = 0; j < 8; j++)                                          \
                    s[j] += TERM(k + j) vec_many_load_f32(w + idx[k + j] * stride + c); \
            }                                                                           \
            VEC_UNROLL                                                                  \
            for (size_t j = 0; j < 8; j++)                                              \
                if (k + j < nnz)                                                        \
                    s[j] += TERM(k + j) vec_many_load_f32(w + idx[k + j] * stride + c); \
            s[0] += s[4], s[1] += s[5], s[2] += s[6], s[3] += s[7];                     \
            s[0] += s[2], s[1] += s[3];                                                 \
            s[0] += s[1];                                                               \
            memcpy(out + c, &s[0], sizeof s[0]);                                        \
        }                                                                               \
    }

#define VEC_MANY_BACK_F32(routine, parameters, TERM)                        \
    static void routine parameters                                          \
    {                                                                       \
        for (size_t c = 0; c < many; c += 2 * MANY) {                       \
            const vec_many_f32 f = vec_many_load_f32(a + c);                \
            for (size_t k = 0; k < nnz; k++) {                              \
                float *at = y + idx[k] * stride + c;                        \
                const vec_many_f32 sum = vec_many_load_f32(at) + TERM(k) f; \
                memcpy(at, &sum, sizeof sum);                               \
            }                                                               \
        }                                                                   \
    }

#define VEC_MANY_SINGLE(k) v[k] *

VEC_MANY_F32(vec_sparse_dots_f32,
             (const uint32_t *idx, const float *v, size_t nnz, const float *w, size_t stride,
              size_t many, float *out),
             VEC_MANY_SINGLE)
VEC_MANY_F32(vec_ones_dots_f32,
             (const uint32_t *idx, size_t nnz, const float *w, size_t stride, size_t many,
              float *out),
             VEC_MANY_ONE)
VEC_MANY_BACK_F32(vec_sparse_axpys_f32,
                  (const float *a, const uint32_t *idx, const float *v, size_t nnz, float *y,
                   size_t stride, size_t many),
                  VEC_MANY_SINGLE)
VEC_MANY_BACK_F32(vec_ones_axpys_f32,
                  (const float *a, const uint32_t *idx, size_t nnz, float *y, size_t stride,
                   size_t many),
                  VEC_MANY_ONE)

#define VEC_MANY_ROUTINES                                                                 \
    .sparse_dots_f64 = vec_sparse_dots_f64, .sparse_dots_f32f64 = vec_sparse_dots_f32f64, \
    .ones_dots_f64 = vec_ones_dots_f64, .sparse_axpys_f64 = vec_sparse_axpys_f64,         \
    .sparse_axpys_f32f64 = vec_sparse_axpys_f32f64, .ones_axpys_f64 = vec_ones_axpys_f64, \
    .sparse_dots_f32 = vec_sparse_dots_f32, .ones_dots_f32 = vec_ones_dots_f32,           \
    .sparse_axpys_f32 = vec_sparse_axpys_f32, .ones_axpys_f32 = vec_ones_axpys_f32

#endif
