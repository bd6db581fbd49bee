/* The rate at which this machine reads memory: bandwidth [THREADS [MB]]
 *
 * THREADS (2) threads add up MB (512) megabytes each; prints "bytes_per_second=...", the best of five. */
#include <pthread.h>
#include <stdio.h>
#include <string.h>

#include "bandwidth.h"
#include "bench.h"

enum { THREADS = 64 };

typedef struct piece {
    char *memory;
    size_t bytes;
    double sum; /* kept, so that the loop is */
} piece;

static void *bandwidth_read(void *argument)
{
    piece *p = argument;
    p->sum = bench_read(p->memory, p->bytes);
    return NULL;
}

static double bandwidth_round(piece *pieces, int threads)
{
    pthread_t ids[THREADS];
    const double start = bench_clock(CLOCK_MONOTONIC);
    for (int t = 0; t < threads; t++)
        if (pthread_create(&ids[t], NULL, bandwidth_read, &pieces[t]) != 0) exit(4);
    for (int t = 0; t < threads; t++)
        pthread_join(ids[t], NULL);
    return (double)threads * (double)pieces[0].bytes / (bench_clock(CLOCK_MONOTONIC) - start);
}

int main(int argc, char **argv)
{
    const int threads = argc > 1 ? atoi(argv[1]) : 2;
    const size_t bytes = (size_t)(argc > 2 ? atoi(argv[2]) : 512) << 20;
    piece pieces[THREADS];
    double best = 0;
    if (threads < 1 || threads > THREADS || bytes == 0) return 2;
    for (int t = 0; t < threads; t++) {
        pieces[t] = (piece){.memory = aligned_alloc(64, bytes), .bytes = bytes};
        if (!pieces[t].memory) return 4;
        memset(pieces[t].memory, t + 1, bytes);
    }
    for (int round = 0; round < 5; round++) {
        const double rate = bandwidth_round(pieces, threads);
        if (rate > best) best = rate;
    }
    printf("bytes_per_second=%.4g\n", best);
    for (int t = 0; t < threads; t++)
        free(pieces[t].memory);
    return 0;
}
