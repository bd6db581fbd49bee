/* Two sparse rows at once: walk both lists of places in ascending order.
 *
 * Which list is behind is as good as random, so a branch on it would be guessed wrong half the
 * time: both positions advance by the outcome of a comparison instead. Only a match, which is rare
 * or regular, branches. */
#include "vec/vec_merge.h"

#include <stdbool.h>
#include <string.h>

size_t hsp__vec_merge_ones(const uint32_t *ai, size_t an, const uint32_t *bi, size_t bn)
{
    size_t shared = 0;
    for (size_t i = 0, j = 0; i < an && j < bn;) {
        uint32_t a = ai[i], b = bi[j];
        shared += a == b;
        i += a <= b;
        j += b <= a;
    }
    return shared;
}

/* x, or +0: by its bits, since a compiler turns a choice into a branch. */
static inline double merge_keep(double x, bool keep)
{
    uint64_t bits;
    memcpy(&bits, &x, sizeof bits);
    bits &= 0 - (uint64_t)keep;
    memcpy(&x, &bits, sizeof x);
    return x;
}

/* clang-format off */
#define VEC_MERGE_DOT(name, number)                                                                \
    double name(const uint32_t *ai, const number *av, size_t an,                                   \
                const uint32_t *bi, const number *bv, size_t bn)                                   \
    {                                                                                              \
        double sum = 0;                                                                            \
        for (size_t i = 0, j = 0; i < an && j < bn;) {                                             \
            uint32_t a = ai[i], b = bi[j];                                                         \
            if (a == b) sum += (double)av[i] * (double)bv[j];                                      \
            i += a <= b;                                                                           \
            j += b <= a;                                                                           \
        }                                                                                          \
        return sum;                                                                                \
    }

#define VEC_MERGE_SQDIST(name, number)                                                             \
    double name(const uint32_t *ai, const number *av, size_t an,                                   \
                const uint32_t *bi, const number *bv, size_t bn)                                   \
    {                                                                                              \
        double sum = 0;                                                                            \
        size_t i = 0, j = 0;                                                                       \
        while (i < an && j < bn) {                                                                 \
            uint32_t a = ai[i], b = bi[j];                                                         \
            double d = merge_keep((double)av[i], a <= b) - merge_keep((double)bv[j], b <= a);      \
            sum += d * d;                                                                          \
            i += a <= b;                                                                           \
            j += b <= a;                                                                           \
        }                                                                                          \
        for (; i < an; i++) sum += (double)av[i] * (double)av[i];                                  \
        for (; j < bn; j++) sum += (double)bv[j] * (double)bv[j];                                  \
        return sum;                                                                                \
    }
/* clang-format on */

VEC_MERGE_DOT(hsp__vec_merge_dot_f32, float)
VEC_MERGE_DOT(hsp__vec_merge_dot_f64, double)
VEC_MERGE_SQDIST(hsp__vec_merge_sqdist_f32, float)
VEC_MERGE_SQDIST(hsp__vec_merge_sqdist_f64, double)
