/* halfspace-mpi: the command on the processes of an MPI job. This is the only file that calls MPI; all
 * else is the command itself (cli/), which gets these ranks instead of those of cli/ranks_none.c.
 *
 * Rank 0 is the one that is heard: the others write neither to the terminal nor to files. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "cli/cli.h"

#define MPI_PIECE    ((uint64_t)1 << 30) /* bytes in one message: MPI counts in int */
#define MPI_PATIENCE 5                   /* seconds that the ranks have to fail together */

static MPI_Comm mpi_data, mpi_last; /* of the work; of the end */
static int mpi_terminal = -1;       /* standard error as it was */

static void mpi_broadcast(int root, char *bytes, uint64_t size)
{
    for (uint64_t at = 0; at < size; at += MPI_PIECE) {
        const uint64_t piece = size - at < MPI_PIECE ? size - at : MPI_PIECE;
        MPI_Bcast(bytes + at, (int)piece, MPI_BYTE, root, mpi_data);
    }
}

static void mpi_gather(void *user, const void *mine, const uint64_t *sizes, void *all)
{
    const hsp_ranks *ranks = user;
    int counts[256], places[256], senders = 0;
    uint64_t total = 0;
    for (int r = 0; r < ranks->count; r++) {
        senders += sizes[r] > 0;
        total += sizes[r];
    }
    char *at = all;
    if (senders > 1 && total <= MPI_PIECE) {
        for (int r = 0, place = 0; r < ranks->count; place += counts[r++]) {
            counts[r] = (int)sizes[r];
            places[r] = place;
        }
        MPI_Allgatherv(mine, counts[ranks->rank], MPI_BYTE, all, counts, places, MPI_BYTE,
                       mpi_data);
        return;
    }
    for (int r = 0; r < ranks->count; at += sizes[r++]) {
        if (r == ranks->rank && sizes[r]) memcpy(at, mine, sizes[r]);
        mpi_broadcast(r, at, sizes[r]);
    }
}

static void mpi_exchange(void *user, const void *to, const uint64_t *to_at, void *from,
                         const uint64_t *from_at)
{
    const hsp_ranks *ranks = user;
    const int count = ranks->count, rank = ranks->rank;
    /* in steps: in step k with the ranks k above and k below */
    for (int k = 0; k < count; k++) {
        const int above = (rank + k) % count, below = (rank + count - k) % count;
        const char *send = (const char *)to + to_at[above];
        char *receive = (char *)from + from_at[below];
        uint64_t out = to_at[above + 1] - to_at[above], in = from_at[below + 1] - from_at[below];
        if (!k) {
            if (out) memcpy(receive, send, out);
            continue;
        }
        while (out || in) {
            const int o = (int)(out < MPI_PIECE ? out : MPI_PIECE);
            const int i = (int)(in < MPI_PIECE ? in : MPI_PIECE);
            MPI_Sendrecv(send, o, MPI_BYTE, o ? above : MPI_PROC_NULL, 0, receive, i, MPI_BYTE,
                         i ? below : MPI_PROC_NULL, 0, mpi_data, MPI_STATUS_IGNORE);
            send += o, out -= (uint64_t)o;
            receive += i, in -= (uint64_t)i;
        }
    }
}

const hsp_ranks *cli_ranks_begin(int *argc, char ***argv)
{
    static hsp_ranks ranks = {.gather = mpi_gather, .exchange = mpi_exchange, .user = &ranks};
    int level; /* calls come from one thread at a time, which need not be the first */
    MPI_Init_thread(argc, argv, MPI_THREAD_SERIALIZED, &level);
    MPI_Comm_dup(MPI_COMM_WORLD, &mpi_data);
    MPI_Comm_dup(MPI_COMM_WORLD, &mpi_last);
    MPI_Comm_rank(mpi_data, &ranks.rank);
    MPI_Comm_size(mpi_data, &ranks.count);
    if (ranks.count > 256) {
        if (!ranks.rank)
            fprintf(stderr, "halfspace-mpi: at most 256 processes can work together\n");
        MPI_Abort(mpi_last, 2);
    }
    mpi_terminal = dup(STDERR_FILENO);
    if (ranks.rank) {
        FILE *said = tmpfile(); /* for a failure that is this rank's alone */
        if (!freopen("/dev/null", "w", stdout) || !freopen("/dev/null", "w", stderr) ||
            (said && dup2(fileno(said), STDERR_FILENO) < 0))
            MPI_Abort(mpi_last, 4);
    }
    return &ranks;
}

/* What this rank, which has no terminal, has said on standard error. */
static void mpi_tell(void)
{
    char text[4096];
    ssize_t size;
    fflush(stderr);
    for (off_t at = 0; (size = pread(STDERR_FILENO, text, sizeof text, at)) > 0; at += size)
        if (write(mpi_terminal, text, (size_t)size) < 0) return;
}

/* A failure that all ranks have ends the job in order. One that this rank has alone must end the
 * others, which wait for it. */
void cli_ranks_end(int failed)
{
    MPI_Request pending;
    int rank, all = !failed;
    MPI_Comm_rank(mpi_last, &rank);
    MPI_Ibarrier(mpi_last, &pending);
    const time_t begun = time(NULL);
    while (!all && time(NULL) - begun < MPI_PATIENCE) {
        MPI_Test(&pending, &all, MPI_STATUS_IGNORE);
        const struct timespec pause = {0, 1000000};
        nanosleep(&pause, NULL);
    }
    if (!all) {
        dprintf(mpi_terminal, "halfspace-mpi: rank %d failed with status %d and ends the job\n",
                rank, failed);
        if (rank) mpi_tell();
        MPI_Abort(mpi_last, failed);
    }
    if (!failed) MPI_Wait(&pending, MPI_STATUS_IGNORE);
    MPI_Finalize();
}
