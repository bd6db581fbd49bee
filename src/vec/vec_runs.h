/* A template: sums over rows whose places come in runs, for the instructions of the including file.
 */
#ifndef HSP_VEC_VEC_RUNS_H
#define HSP_VEC_VEC_RUNS_H

#include "vec/vec.h"

#ifdef __AVX512F__
#include <immintrin.h>

static void vec_runs_axpy_f32f64(double a, const hsp__vec_run *runs, size_t count, const float *v,
                                 double *y)
{
    const __m512d scale = _mm512_set1_pd(a);
    for (size_t r = 0; r < count; r++) {
        const __mmask8 mask = (__mmask8)((1u << runs[r].count) - 1);
        const __m512d x = _mm512_cvtps_pd(_mm256_maskz_loadu_ps(mask, v + runs[r].from));
        double *to = y + runs[r].at;
        const __m512d sum = _mm512_add_pd(_mm512_maskz_loadu_pd(mask, to), _mm512_mul_pd(scale, x));
        _mm512_mask_storeu_pd(to, mask, sum);
    }
}
#else
static void vec_runs_axpy_f32f64(double a, const hsp__vec_run *runs, size_t count, const float *v,
                                 double *y)
{
    for (size_t r = 0; r < count; r++) {
        const float *x = v + runs[r].from;
        double *to = y + runs[r].at;
        for (uint32_t k = 0; k < runs[r].count; k++)
            to[k] += a * (double)x[k];
    }
}
#endif

#define VEC_RUNS_ROUTINES .runs_axpy_f32f64 = vec_runs_axpy_f32f64

#endif
