/* What the measuring programs share: medians, and the rate at which this machine can read at all.
 */
#ifndef HSP_BENCH_BENCH_H
#define HSP_BENCH_BENCH_H

#include <stddef.h>
#include <stdlib.h>
#include <time.h>

/* Seconds on one of the system's clocks. */
static inline double bench_clock(clockid_t clock)
{
    struct timespec t;
    clock_gettime(clock, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static inline int bench_compare(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* The median of v[0..count), which it sorts. */
static inline double bench_median(double *v, size_t count)
{
    qsort(v, count, sizeof *v, bench_compare);
    return v[count / 2];
}

#endif
