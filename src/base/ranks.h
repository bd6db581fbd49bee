/* Rows that are divided among several processes (halfspace_ranks.h), and sums over all of them.
 *
 * The rows of a data set, n of them, are cut into HSP__BLOCKS blocks: block b has rows n b / 256 to n (b + 1) /
 * 256. A rank has a range of blocks, and so of rows. Sums over rows are sums over blocks: each block is
 * summed on its own, and the blocks' sums are added in a binary tree over the blocks. Neither the blocks nor
 * the tree depend on the number of ranks or threads, so the bits of a sum do not either.
 *
 * A context whose `shard` is set belongs to a computation on such rows: the views that it works on
 * have the rows of this rank. All ranks make the same calls in the same order. A context without a shard
 * is of one process that has all rows, and sums are left alone. */
#ifndef HSP_BASE_RANKS_H
#define HSP_BASE_RANKS_H

#include "base/context.h"

enum { HSP__BLOCKS = 256, HSP__PARTS = 32 };

typedef struct hsp__shard {
    const hsp_ranks *ranks;
    uint64_t rows;     /* of all ranks together */
    uint32_t from, to; /* this rank's blocks */
} hsp__shard;

/* The blocks of a rank, from..to-1. Whole parts, if there are as many parts as ranks. */
void hsp__ranks_blocks(const hsp_ranks *ranks, int rank, uint32_t *from, uint32_t *to);
uint32_t hsp__ranks_parts(const hsp_ranks *ranks);

/* Rows from..to-1 of this rank, counted from its first, are block b. */
void hsp__shard_block(const hsp__shard *shard, uint32_t b, uint64_t *from, uint64_t *to);
/* This rank's rows are first..first+count-1 of all. */
void hsp__shard_rows(const hsp__shard *shard, uint64_t *first, uint64_t *count);

/* total[0..numbers) = the sum over all blocks of what fn adds to `sum`, which begins as zeros: the same
 * on every rank. `fn` gets this rank's rows from..to-1; it runs on the context's threads, several blocks at once.
 * Needs a shard. A failure is every rank's. */
typedef void (*hsp__block_fn)(void *user, uint32_t block, uint64_t from, uint64_t to, double *sum);
hsp_status hsp__shard_sum(hsp_context *ctx, uint64_t numbers, hsp__block_fn fn, void *user,
                          hsp_error *err, double *total);

/* The same where fn gets the rows of a part (hsp__ranks_parts) at once, and its number. Each part must be on
 * one rank: hsp__shard_has_parts. */
int hsp__shard_has_parts(const hsp__shard *shard);
hsp_status hsp__shard_sum_parts(hsp_context *ctx, uint64_t numbers, hsp__block_fn fn, void *user,
                                hsp_error *err, double *total);

/* Run fn for each of this rank's blocks, on the context's threads; `sum` is NULL. */
void hsp__shard_blocks(hsp_context *ctx, hsp__block_fn fn, void *user);

/* Of numbers that every rank has: their exact sums, largest or smallest over the ranks, in place. Nothing
 * to do without a shard. */
void hsp__shard_add(hsp_context *ctx, uint64_t *numbers, size_t count);
void hsp__shard_max(hsp_context *ctx, double *numbers, size_t count);
void hsp__shard_min(hsp_context *ctx, double *numbers, size_t count);

/* The same of ranks that have no shard yet; nothing to do without ranks. */
void hsp__ranks_add(const hsp_ranks *ranks, uint64_t *numbers, size_t count);
void hsp__ranks_max(const hsp_ranks *ranks, double *numbers, size_t count);

/* Is it so on any rank? */
int hsp__ranks_any(const hsp_ranks *ranks, int flag);

/* Of an array of which every rank has filled some, and left zeros elsewhere: all, on every rank. */
void hsp__ranks_merge(const hsp_ranks *ranks, void *array, size_t size);

/* `size` bytes of each rank, one behind the other in `all` (count * size). */
void hsp__ranks_gather(const hsp_ranks *ranks, const void *mine, size_t size, void *all);

/* The same where sizes differ: those of rank r are at[r]..at[r + 1]-1 of *all, which the caller frees.
 * A failure is every rank's. */
hsp_status hsp__ranks_collect(const hsp_ranks *ranks, const hsp_allocator *memory, const void *mine,
                              uint64_t size, hsp_error *err, uint64_t at[HSP__BLOCKS + 1],
                              void **all);

/* The status and the error of the lowest rank whose status is not HSP_OK, on every rank: what follows
 * a piece of work that may fail on one rank alone. Without ranks, the status as it is. */
hsp_status hsp__ranks_agree(const hsp_ranks *ranks, hsp_status status, hsp_error *err);
/* The same among the ranks of the context's shard; without one, the status as it is. */
hsp_status hsp__shard_agree(const hsp_context *ctx, hsp_status status, hsp_error *err);

#endif
