/* Two sparse rows, one step at a time: the specification, and what every table uses where wide
 * instructions do not help. See the table in vec.h. */
#ifndef HSP_VEC_VEC_MERGE_H
#define HSP_VEC_VEC_MERGE_H

#include <stddef.h>
#include <stdint.h>

double hsp__vec_merge_dot_f32(const uint32_t *ai, const float *av, size_t an, const uint32_t *bi,
                              const float *bv, size_t bn);
double hsp__vec_merge_dot_f64(const uint32_t *ai, const double *av, size_t an, const uint32_t *bi,
                              const double *bv, size_t bn);
double hsp__vec_merge_sqdist_f32(const uint32_t *ai, const float *av, size_t an, const uint32_t *bi,
                                 const float *bv, size_t bn);
double hsp__vec_merge_sqdist_f64(const uint32_t *ai, const double *av, size_t an,
                                 const uint32_t *bi, const double *bv, size_t bn);
size_t hsp__vec_merge_ones(const uint32_t *ai, size_t an, const uint32_t *bi, size_t bn);

#endif
