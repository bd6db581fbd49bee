/* The rate at which this machine can read at all. */
#ifndef HSP_BENCH_BANDWIDTH_H
#define HSP_BENCH_BANDWIDTH_H

#include <stddef.h>

typedef unsigned long long bench_wide __attribute__((vector_size(64), aligned(64)));

/* Add up a piece of memory with the widest loads that the machine has; from a multiple of 64 bytes,
 * the last 512 at most left out. Nothing can read faster on one core. */
#ifdef __x86_64__
__attribute__((target_clones("avx512f", "avx2", "default")))
#endif
static double
bench_read(const void *memory, size_t bytes)
{
    const bench_wide *p = memory;
    bench_wide s0 = {0}, s1 = s0, s2 = s0, s3 = s0, s4 = s0, s5 = s0, s6 = s0, s7 = s0;
    for (size_t i = 0; i + 8 <= bytes / sizeof(bench_wide); i += 8) {
        s0 += p[i], s1 += p[i + 1], s2 += p[i + 2], s3 += p[i + 3];
        s4 += p[i + 4], s5 += p[i + 5], s6 += p[i + 6], s7 += p[i + 7];
    }
    s0 += s1 + s2 + s3 + s4 + s5 + s6 + s7;
    return (double)s0[0];
}

#endif
