/* What messages cost between the processes of an MPI job, for the constants of docs/scaling.md:
 *
 *     mpirun -n 2 mpi-messages
 *
 * Both calls of mpi/ranks_mpi.c are timed as training makes them: a gather of 8 bytes per rank, which is latency, and
 * an exchange of 8 MB per pair of ranks, which is bandwidth. Prints the medians of rank 0. */
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "cli/cli.h"

enum { MESSAGES_RUNS = 201, MESSAGES_BYTES = 8 << 20 };

static double messages_clock(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

static int messages_compare(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static double messages_median(double *seconds, int count)
{
    qsort(seconds, (size_t)count, sizeof *seconds, messages_compare);
    return seconds[count / 2];
}

int main(int argc, char **argv)
{
    const hsp_ranks *ranks = cli_ranks_begin(&argc, &argv);
    const size_t count = (size_t)ranks->count;
    uint64_t sizes[256], at[257], mine = 0, all[256];
    double seconds[MESSAGES_RUNS];
    char *to = calloc(count, MESSAGES_BYTES), *from = calloc(count, MESSAGES_BYTES);
    if (!to || !from) return 4;
    for (size_t r = 0; r <= count; r++)
        at[r] = r * MESSAGES_BYTES;
    for (size_t r = 0; r < count; r++)
        sizes[r] = sizeof mine;
    for (int k = 0; k < MESSAGES_RUNS; k++) {
        const double begun = messages_clock();
        ranks->gather(ranks->user, &mine, sizes, all);
        seconds[k] = messages_clock() - begun;
    }
    const double latency = messages_median(seconds, MESSAGES_RUNS);
    for (int k = 0; k < MESSAGES_RUNS / 10; k++) {
        const double begun = messages_clock();
        ranks->exchange(ranks->user, to, at, from, at);
        seconds[k] = messages_clock() - begun;
    }
    const double exchange = messages_median(seconds, MESSAGES_RUNS / 10);
    printf("%zu ranks: gather of 8 bytes %.2f us, exchange %.2f GB/s sent per rank\n", count,
           latency * 1e6, (double)(count - 1) * MESSAGES_BYTES / exchange * 1e-9);
    free(to);
    free(from);
    cli_ranks_end(0);
    return 0;
}
