/* How fast the matrix product is on one core, next to OpenBLAS where that is installed.
 *
 *     product [runs]
 *
 * C = A B' of 512 rows by 512 rows of several lengths, in float and in double. Both get the same
 * rows; operations are 2 * 512 * 512 * length; processor time of one thread, the median of several
 * runs. OpenBLAS is opened while this runs, set to one thread, and asked for the same product; it
 * fuses products into sums, which we may not (docs/decisions/0006). */
#include "vec/product.h"

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bench.h"
#include "vec/vec.h"

enum { SIDE = 512, LONGEST = 4096, MOST_RUNS = 99, ROW_MAJOR = 101, PLAIN = 111, TURNED = 112 };

typedef void (*blas_sgemm)(int, int, int, int, int, int, float, const float *, int, const float *,
                           int, float, float *, int);
typedef void (*blas_dgemm)(int, int, int, int, int, int, double, const double *, int,
                           const double *, int, double, double *, int);

typedef struct bench {
    float *a32, *b32, *c32;
    double *a64, *b64, *c64;
    void *packed;     /* rows of B */
    blas_sgemm sgemm; /* NULL: not here */
    blas_dgemm dgemm;
    int runs;
} bench;

static void *bench_array(size_t count, size_t size)
{
    void *array = aligned_alloc(64, (count * size + 63) / 64 * 64);
    if (!array) exit(4);
    return array;
}

/* dlsym gives a pointer to data; C makes a function's of it by its bytes only. */
static void bench_symbol(void *library, const char *name, void *function)
{
    void *found = library ? dlsym(library, name) : NULL;
    memcpy(function, &found, sizeof found);
}

static void bench_open(bench *all)
{
    static const char *const names[] = {"libopenblas.so.0", "libopenblas.so", "libopenblas.so.3"};
    void (*set_threads)(int) = NULL;
    void *library = NULL;
    for (size_t k = 0; !library && k < sizeof names / sizeof *names; k++)
        library = dlopen(names[k], RTLD_NOW);
    bench_symbol(library, "cblas_sgemm", &all->sgemm);
    bench_symbol(library, "cblas_dgemm", &all->dgemm);
    bench_symbol(library, "openblas_set_num_threads", &set_threads);
    if (set_threads) set_threads(1);
}

static void bench_product(const bench *all, size_t depth, int wide, int theirs)
{
    const int n = SIDE, k = (int)depth;
    if (theirs && wide)
        all->dgemm(ROW_MAJOR, PLAIN, TURNED, n, n, k, 1, all->a64, k, all->b64, k, 0, all->c64, n);
    else if (theirs)
        all->sgemm(ROW_MAJOR, PLAIN, TURNED, n, n, k, 1, all->a32, k, all->b32, k, 0, all->c32, n);
    for (size_t j = 0; !theirs && j < SIDE; j += HSP__PRODUCT_COLS)
        if (wide) {
            hsp__product_pack_f64(HSP__PRODUCT_COLS, depth, all->b64 + j * depth, depth,
                                  all->packed);
            hsp__product_with_f64(SIDE, HSP__PRODUCT_COLS, depth, all->a64, depth, all->packed,
                                  depth, all->c64 + j, SIDE);
        } else {
            hsp__product_pack_f32(HSP__PRODUCT_COLS, depth, all->b32 + j * depth, depth,
                                  all->packed);
            hsp__product_with_f32(SIDE, HSP__PRODUCT_COLS, depth, all->a32, depth, all->packed,
                                  depth, all->c32 + j, SIDE);
        }
}

/* Operations a nanosecond. */
static double bench_rate(const bench *all, size_t depth, int wide, int theirs)
{
    double seconds[MOST_RUNS];
    const double operations = 2.0 * SIDE * SIDE * (double)depth;
    const int times = 1 + (int)(4e8 / operations);
    for (int run = 0; run < all->runs; run++) {
        const double start = bench_clock(CLOCK_THREAD_CPUTIME_ID);
        for (int k = 0; k < times; k++)
            bench_product(all, depth, wide, theirs);
        seconds[run] = (bench_clock(CLOCK_THREAD_CPUTIME_ID) - start) / times;
    }
    return operations / bench_median(seconds, (size_t)all->runs) * 1e-9;
}

static void bench_line(const bench *all, size_t depth, int wide)
{
    printf("  %-7s %6zu %10.1f", wide ? "double" : "float", depth, bench_rate(all, depth, wide, 0));
    if (wide ? all->dgemm != NULL : all->sgemm != NULL)
        printf(" %10.1f", bench_rate(all, depth, wide, 1));
    printf("\n");
}

int main(int argc, char **argv)
{
    static const size_t depths[] = {64, 256, 784, LONGEST};
    bench all = {.runs = argc > 1 ? atoi(argv[1]) : 7};
    if (all.runs < 1 || all.runs > MOST_RUNS) return 2;
    const size_t count = (size_t)SIDE * LONGEST;
    all.a32 = bench_array(count, sizeof(float)), all.b32 = bench_array(count, sizeof(float));
    all.a64 = bench_array(count, sizeof(double)), all.b64 = bench_array(count, sizeof(double));
    all.c32 = bench_array((size_t)SIDE * SIDE, sizeof(float));
    all.c64 = bench_array((size_t)SIDE * SIDE, sizeof(double));
    all.packed = bench_array(hsp__product_packed(LONGEST, sizeof(double)), 1);
    for (size_t k = 0; k < count; k++) {
        all.a64[k] = (double)(k * 7919 % 1009) / 1009,
        all.b64[k] = (double)(k * 104729 % 997) / 997;
        all.a32[k] = (float)all.a64[k], all.b32[k] = (float)all.b64[k];
    }
    bench_open(&all);
    printf("Matrix product, %d by %d rows, one thread, Gflop/s\n", SIDE, SIDE);
    printf("  %-7s %6s %10s %10s\n", "type", "length", "halfspace", all.sgemm ? "OpenBLAS" : "");
    for (int wide = 0; wide < 2; wide++)
        for (size_t k = 0; k < sizeof depths / sizeof *depths; k++)
            bench_line(&all, depths[k], wide);
    free(all.a32), free(all.b32), free(all.c32);
    free(all.a64), free(all.b64), free(all.c64);
    free(all.packed);
    return 0;
}
