/* halfspace: several processes (ranks) that work on one data set, each on its own rows
 * (docs/many-machines.md). */
#ifndef HALFSPACE_RANKS_H
#define HALFSPACE_RANKS_H

#include "halfspace.h"

#ifdef __cplusplus
extern "C" {
#endif

/* How the processes of a job talk. All of them make the same calls in the same order; a call returns
 * when this rank has what it needs, and one that cannot does not return but ends the job. mpi/ranks_mpi.c
 * has these functions over MPI, mpi/ranks_threads.c over the threads of one process. */
typedef struct hsp_ranks {
    int rank, count; /* this one, from 0, and how many there are: 1 to 256 */
    uint32_t parts; /* solvers that work on parts of the rows by themselves (coordinate descent, the
                        perceptron) cut them into that number, a power of two; 0: 32 */
    /* sizes[r] bytes of every rank r, one behind the other, in `all` of every rank. One size other
     * than 0 is a broadcast. */
    void (*gather)(void *user, const void *mine, const uint64_t *sizes, void *all);
    /* Bytes to_at[r] .. to_at[r + 1] of `to` go to rank r; from it come bytes from_at[r] .. from_at[r
     * + 1] of `from`. */
    void (*exchange)(void *user, const void *to, const uint64_t *to_at, void *from,
                     const uint64_t *from_at);
    void *user;
} hsp_ranks;

/* From now on, data sets that are read with this context are divided among the ranks: each has the
 * rows of its blocks. hsp_train and hsp_evaluate work on all rows together, and give every rank the
 * same model and the same figures, which depend neither on the number of ranks nor on threads;
 * hsp_cross_validate and hsp_tune gather all rows on every rank, and share the runs. Only rank 0
 * writes files. `ranks` must live as long as the context and the data; NULL: one process, as
 * at first. */
HSP_API hsp_status hsp_context_set_ranks(hsp_context *ctx, const hsp_ranks *ranks);

/* The ranks that the rows of a data set are divided among; NULL: it has all of them. */
HSP_API const hsp_ranks *hsp_data_ranks(const hsp_data *data);

/* All rows of such a data set, on every rank: a data set that is not divided. All ranks make this call. */
HSP_API hsp_status hsp_data_gather(hsp_context *ctx, const hsp_data *data, hsp_error *err,
                                   hsp_data **out);

#ifdef __cplusplus
}
#endif

#endif
