/* Ranks that are threads of one process: for tests, and for counting what an algorithm sends and computes
 * on more ranks than there are machines (tools/scale_sim.c). */
#ifndef MPI_RANKS_THREADS_H
#define MPI_RANKS_THREADS_H

#include "halfspace_all.h"

/* What happened between the beginning and the end, of all ranks together unless noted. */
typedef struct ranks_counts {
    uint64_t rounds; /* calls of gather and exchange */
    uint64_t bytes;  /* that left a rank; a gather sends each rank's bytes to every other */
    double work;     /* seconds of processor time, of all ranks, */
    double critical; /* and of the slowest rank between two calls, summed up */
} ranks_counts;

/* Run fn(user, ranks) for `count` ranks (at most 256), each on a thread of its own; `parts` as in
 * hsp_ranks. `counts` may be NULL. 0: threads or memory are lacking. */
int ranks_threads_run(int count, uint32_t parts, void (*fn)(void *user, const hsp_ranks *ranks),
                      void *user, ranks_counts *counts);

/* All of these ranks make this call; the counts begin at 0 again. */
void ranks_threads_restart(const hsp_ranks *ranks);

#endif
