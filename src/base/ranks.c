#include "base/ranks.h"

#include <assert.h>
#include <math.h>
#include <pthread.h>
#include <string.h>

#include "base/scratch.h"
#include "base/stop.h"

#define RANKS_SMALL 4096 /* numbers of one sum that every rank sends to every other */

hsp_status hsp_context_set_ranks(hsp_context *ctx, const hsp_ranks *ranks)
{
    HSP__NEED(NULL, ctx);
    if (ranks && (ranks->count < 1 || ranks->count > HSP__BLOCKS || ranks->rank < 0 ||
                  ranks->rank >= ranks->count || ranks->parts > HSP__BLOCKS ||
                  (ranks->parts & (ranks->parts - 1))))
        return HSP_USAGE;
    ctx->ranks = ranks;
    ctx->silent = ranks && ranks->rank > 0;
    return HSP_OK;
}

/* ---- Which rank has which rows --------------------------------------------------------------- */

uint32_t hsp__ranks_parts(const hsp_ranks *ranks)
{
    return ranks->parts ? ranks->parts : HSP__PARTS;
}

void hsp__ranks_blocks(const hsp_ranks *ranks, int rank, uint32_t *from, uint32_t *to)
{
    const uint32_t parts = hsp__ranks_parts(ranks);
    const uint32_t each = ranks->count <= (int)parts ? HSP__BLOCKS / parts : 1;
    const uint64_t groups = HSP__BLOCKS / each, count = (uint64_t)ranks->count;
    *from = (uint32_t)hsp__part(groups, count, (uint64_t)rank) * each;
    *to = (uint32_t)hsp__part(groups, count, (uint64_t)rank + 1) * each;
}

void hsp__shard_rows(const hsp__shard *shard, uint64_t *first, uint64_t *count)
{
    *first = hsp__part(shard->rows, HSP__BLOCKS, shard->from);
    *count = hsp__part(shard->rows, HSP__BLOCKS, shard->to) - *first;
}

void hsp__shard_block(const hsp__shard *shard, uint32_t b, uint64_t *from, uint64_t *to)
{
    const uint64_t first = hsp__part(shard->rows, HSP__BLOCKS, shard->from);
    *from = hsp__part(shard->rows, HSP__BLOCKS, b) - first;
    *to = hsp__part(shard->rows, HSP__BLOCKS, b + 1) - first;
}

/* ---- Numbers that every rank has ------------------------------------------------------------- */

void hsp__ranks_gather(const hsp_ranks *ranks, const void *mine, size_t size, void *all)
{
    uint64_t sizes[HSP__BLOCKS];
    for (int r = 0; r < ranks->count; r++)
        sizes[r] = size;
    ranks->gather(ranks->user, mine, sizes, all);
}

int hsp__ranks_any(const hsp_ranks *ranks, int flag)
{
    unsigned char mine = flag != 0, all[HSP__BLOCKS];
    if (!ranks) return flag;
    hsp__ranks_gather(ranks, &mine, 1, all);
    for (int r = 0; r < ranks->count; r++)
        mine |= all[r];
    return mine;
}

void hsp__ranks_merge(const hsp_ranks *ranks, void *array, size_t size)
{
    unsigned char all[1 << 16], *at = array;
    const size_t count = (size_t)ranks->count, piece = sizeof all / count;
    for (size_t from = 0; from < size; from += piece, at += piece) {
        const size_t n = size - from < piece ? size - from : piece;
        hsp__ranks_gather(ranks, at, n, all);
        for (size_t k = 0; k < count * n; k++)
            at[k % n] |= all[k];
    }
}

enum { RANKS_ADD, RANKS_MAX, RANKS_MIN };

/* Of 8-byte numbers, by pieces: sums of whole numbers, else extremes of doubles. */
static void ranks_combine(const hsp_ranks *ranks, int how, void *numbers, size_t count)
{
    enum { PIECE = 64 };
    union {
        uint64_t whole;
        double real;
    } all[PIECE * HSP__BLOCKS], *at = numbers;
    for (size_t from = 0; from < count; from += PIECE, at += PIECE) {
        const size_t n = count - from < PIECE ? count - from : PIECE;
        hsp__ranks_gather(ranks, at, n * sizeof *at, all);
        memcpy(at, all, n * sizeof *at);
        for (size_t r = 1; r < (size_t)ranks->count; r++)
            for (size_t k = 0; k < n; k++) {
                if (how == RANKS_ADD) at[k].whole += all[r * n + k].whole;
                if (how == RANKS_MAX) at[k].real = fmax(at[k].real, all[r * n + k].real);
                if (how == RANKS_MIN) at[k].real = fmin(at[k].real, all[r * n + k].real);
            }
    }
}

void hsp__ranks_add(const hsp_ranks *ranks, uint64_t *numbers, size_t count)
{
    if (ranks) ranks_combine(ranks, RANKS_ADD, numbers, count);
}

void hsp__ranks_max(const hsp_ranks *ranks, double *numbers, size_t count)
{
    if (ranks) ranks_combine(ranks, RANKS_MAX, numbers, count);
}

void hsp__shard_add(hsp_context *ctx, uint64_t *numbers, size_t count)
{
    if (ctx->shard) hsp__ranks_add(ctx->shard->ranks, numbers, count);
}

void hsp__shard_max(hsp_context *ctx, double *numbers, size_t count)
{
    if (ctx->shard) hsp__ranks_max(ctx->shard->ranks, numbers, count);
}

void hsp__shard_min(hsp_context *ctx, double *numbers, size_t count)
{
    if (ctx->shard) ranks_combine(ctx->shard->ranks, RANKS_MIN, numbers, count);
}

hsp_status hsp__ranks_agree(const hsp_ranks *ranks, hsp_status status, hsp_error *err)
{
    int all[HSP__BLOCKS], mine = status;
    uint64_t sizes[HSP__BLOCKS] = {0};
    if (!ranks) return status;
    hsp__ranks_gather(ranks, &mine, sizeof mine, all);
    int first = 0;
    while (first < ranks->count && all[first] == HSP_OK)
        first++;
    if (first == ranks->count) return HSP_OK;
    hsp_error its = {0};
    if (first == ranks->rank && err) its = *err;
    sizes[first] = sizeof its;
    hsp_error received;
    ranks->gather(ranks->user, &its, sizes, &received);
    if (err) *err = received;
    return (hsp_status)all[first];
}

hsp_status hsp__shard_agree(const hsp_context *ctx, hsp_status status, hsp_error *err)
{
    return hsp__ranks_agree(ctx->shard ? ctx->shard->ranks : NULL, status, err);
}

hsp_status hsp__ranks_collect(const hsp_ranks *ranks, const hsp_allocator *memory, const void *mine,
                              uint64_t size, hsp_error *err, uint64_t at[HSP__BLOCKS + 1],
                              void **all)
{
    uint64_t sizes[HSP__BLOCKS];
    hsp__ranks_gather(ranks, &size, sizeof size, sizes);
    at[0] = 0;
    for (int r = 0; r < ranks->count; r++)
        at[r + 1] = at[r] + sizes[r];
    *all = hsp__new_raw(memory, at[ranks->count], 1);
    const hsp_status status = hsp__ranks_agree(ranks, *all ? HSP_OK : hsp__fail_memory(err), err);
    if (!status) ranks->gather(ranks->user, mine, sizes, *all);
    return status;
}

/* ---- Sums over blocks ------------------------------------------------------------------------ */

/* The nodes of the tree: node 1 is the root, node k has the children 2 k and 2 k + 1, and node
 * HSP__BLOCKS + b is block b. */
typedef struct ranks_sum {
    hsp_context *ctx;
    uint64_t numbers;
    uint32_t each; /* blocks that fn gets at once */
    hsp__block_fn fn;
    void *user;
    pthread_mutex_t lock;
    double *node[2 * HSP__BLOCKS];  /* sums that are there and not yet part of a larger one */
    double *spare[2 * HSP__BLOCKS]; /* memory to be used again */
    int spares, failed;
} ranks_sum;

static void ranks_add(double *to, const double *from, uint64_t n)
{
    for (uint64_t k = 0; k < n; k++)
        to[k] += from[k];
}

static double *ranks_room(ranks_sum *sum)
{
    double *room = NULL;
    pthread_mutex_lock(&sum->lock);
    if (sum->spares) room = sum->spare[--sum->spares];
    pthread_mutex_unlock(&sum->lock);
    if (!room) room = hsp__new_raw(&sum->ctx->allocator, sum->numbers, sizeof *room);
    if (room) memset(room, 0, sum->numbers * sizeof *room);
    return room;
}

/* The sum of node k is there: with that of its sibling, once that is there, too, it makes their
 * parent's. */
static void ranks_join(ranks_sum *sum, uint32_t k, double *room)
{
    for (;; k /= 2) {
        pthread_mutex_lock(&sum->lock);
        double *other = k > 1 ? sum->node[k ^ 1] : NULL;
        sum->node[k ^ 1] = other ? NULL : sum->node[k ^ 1];
        if (!other) sum->node[k] = room;
        pthread_mutex_unlock(&sum->lock);
        if (!other) return;
        ranks_add(room, other, sum->numbers); /* a + b has the bits of b + a */
        pthread_mutex_lock(&sum->lock);
        sum->spare[sum->spares++] = other;
        pthread_mutex_unlock(&sum->lock);
    }
}

static void ranks_sum_block(void *user, uint64_t task)
{
    ranks_sum *sum = user;
    const hsp__shard *shard = sum->ctx->shard;
    const uint32_t b = shard->from + (uint32_t)task * sum->each;
    uint64_t from, to, unused;
    double *room = ranks_room(sum);
    if (!room) {
        pthread_mutex_lock(&sum->lock);
        sum->failed = 1;
        pthread_mutex_unlock(&sum->lock);
        return;
    }
    hsp__shard_block(shard, b, &from, &unused);
    hsp__shard_block(shard, b + sum->each - 1, &unused, &to);
    if (from < to) sum->fn(sum->user, b / sum->each, from, to, room);
    ranks_join(sum, (HSP__BLOCKS + b) / sum->each, room);
}

/* The largest nodes whose blocks are all in from..to-1, in the order of the blocks; how many. */
static uint32_t ranks_nodes(uint32_t from, uint32_t to, uint32_t *nodes)
{
    uint32_t count = 0;
    while (from < to) {
        uint32_t size = from ? from & (~from + 1) : HSP__BLOCKS;
        while (size > to - from)
            size /= 2;
        nodes[count++] = (HSP__BLOCKS + from) / size;
        from += size;
    }
    return count;
}

/* From the sums of nodes (`count` rows of n numbers, which are changed) that cover all blocks, the
 * root's. */
static void ranks_root(uint32_t *nodes, uint32_t count, double *sums, uint64_t n, double *total)
{
    uint32_t done = 0; /* nodes[0..done) are left of those that were looked at */
    for (uint32_t k = 0; k < count; k++) {
        nodes[done] = nodes[k];
        if (done != k) memcpy(sums + done * n, sums + k * n, n * sizeof *sums);
        for (; done && nodes[done] == nodes[done - 1] + 1 && nodes[done] % 2; done--) {
            ranks_add(sums + (done - 1) * n, sums + done * n, n);
            nodes[done - 1] /= 2;
        }
        done++;
    }
    assert(done == 1 && nodes[0] == 1);
    memcpy(total, sums, n * sizeof *total);
}

/* Of the sums of this rank's nodes, all ranks' total. Few numbers go to every rank. Of many, each rank
 * gets a segment of all nodes, sums it, and sends it to the others: every number crosses twice, which is
 * the least that an all-reduce can do. */
static hsp_status ranks_reduce(hsp_context *ctx, const double *const *mine, uint32_t own,
                               uint64_t n, hsp_error *err, double *total)
{
    const hsp_ranks *ranks = ctx->shard->ranks;
    const uint64_t count = (uint64_t)ranks->count;
    const int small = n <= RANKS_SMALL;
    uint32_t all[2 * HSP__BLOCKS], nodes = 0, nodes_of[HSP__BLOCKS] = {0};
    for (int r = 0; r < ranks->count; r++) {
        uint32_t from, to;
        hsp__ranks_blocks(ranks, r, &from, &to);
        nodes += nodes_of[r] = ranks_nodes(from, to, all + nodes);
    }
    uint64_t to_at[HSP__BLOCKS + 1] = {0}, from_at[HSP__BLOCKS + 1] = {0}, sizes[HSP__BLOCKS];
    const uint64_t lo = small ? 0 : hsp__part(n, count, (uint64_t)ranks->rank);
    const uint64_t hi = small ? n : hsp__part(n, count, (uint64_t)ranks->rank + 1);
    hsp__scratch scratch = {.memory = &ctx->allocator};
    double *send = hsp__scratch_raw(&scratch, own * n, sizeof *send);
    double *sums = hsp__scratch_raw(&scratch, nodes * (hi - lo), sizeof *sums);
    double *segment = small ? total : hsp__scratch_raw(&scratch, hi - lo, sizeof *segment);
    const hsp_status status =
        hsp__ranks_agree(ranks, scratch.failed ? hsp__fail_memory(err) : HSP_OK, err);
    double *next = send;
    for (uint64_t r = 0; !status && r < (small ? 1 : count); r++) {
        const uint64_t a = small ? 0 : hsp__part(n, count, r);
        const uint64_t b = small ? n : hsp__part(n, count, r + 1);
        for (uint32_t k = 0; k < own; k++, next += b - a)
            memcpy(next, mine[k] + a, (b - a) * sizeof *next);
        to_at[r + 1] = (uint64_t)(next - send) * sizeof *send;
    }
    for (uint64_t r = 0; r < count; r++) {
        sizes[r] = nodes_of[r] * (hi - lo) * sizeof *sums;
        from_at[r + 1] = from_at[r] + sizes[r];
    }
    if (!status && small) ranks->gather(ranks->user, send, sizes, sums);
    if (!status && !small) ranks->exchange(ranks->user, send, to_at, sums, from_at);
    if (!status) ranks_root(all, nodes, sums, hi - lo, segment);
    for (uint64_t r = 0; r < count; r++)
        sizes[r] = (hsp__part(n, count, r + 1) - hsp__part(n, count, r)) * sizeof *total;
    if (!status && !small) ranks->gather(ranks->user, segment, sizes, total);
    hsp__scratch_free(&scratch);
    return status;
}

static hsp_status ranks_sum_all(hsp_context *ctx, uint32_t each, uint64_t numbers, hsp__block_fn fn,
                                void *user, hsp_error *err, double *total)
{
    const hsp__shard *shard = ctx->shard;
    assert(shard && shard->from % each == 0 && shard->to % each == 0);
    ranks_sum sum = {.ctx = ctx, .numbers = numbers, .each = each, .fn = fn, .user = user};
    uint32_t nodes[2 * HSP__BLOCKS];
    const double *mine[2 * HSP__BLOCKS] = {0};
    pthread_mutex_init(&sum.lock, NULL);
    hsp__tasks_run(ctx, (shard->to - shard->from) / each, ranks_sum_block, &sum);
    hsp_status status = sum.failed ? hsp__fail_memory(err) : HSP_OK;
    status = hsp__ranks_agree(shard->ranks, status, err);
    const uint32_t own = ranks_nodes(shard->from, shard->to, nodes);
    for (uint32_t k = 0; !status && k < own; k++)
        mine[k] = sum.node[nodes[k]];
    if (!status && shard->ranks->count > 1)
        status = ranks_reduce(ctx, mine, own, numbers, err, total);
    else if (!status)
        memcpy(total, mine[0], numbers * sizeof *total);
    for (uint32_t k = 0; k < 2 * HSP__BLOCKS; k++)
        hsp__free(&ctx->allocator, sum.node[k]);
    while (sum.spares)
        hsp__free(&ctx->allocator, sum.spare[--sum.spares]);
    pthread_mutex_destroy(&sum.lock);
    return status;
}

hsp_status hsp__shard_sum(hsp_context *ctx, uint64_t numbers, hsp__block_fn fn, void *user,
                          hsp_error *err, double *total)
{
    return ranks_sum_all(ctx, 1, numbers, fn, user, err, total);
}

int hsp__shard_has_parts(const hsp__shard *shard)
{
    return (uint32_t)shard->ranks->count <= hsp__ranks_parts(shard->ranks);
}

hsp_status hsp__shard_sum_parts(hsp_context *ctx, uint64_t numbers, hsp__block_fn fn, void *user,
                                hsp_error *err, double *total)
{
    const uint32_t parts = hsp__ranks_parts(ctx->shard->ranks);
    assert(hsp__shard_has_parts(ctx->shard));
    return ranks_sum_all(ctx, HSP__BLOCKS / parts, numbers, fn, user, err, total);
}

typedef struct ranks_each {
    const hsp__shard *shard;
    hsp__block_fn fn;
    void *user;
} ranks_each;

static void ranks_each_block(void *user, uint64_t task)
{
    const ranks_each *each = user;
    const uint32_t b = each->shard->from + (uint32_t)task;
    uint64_t from, to;
    hsp__shard_block(each->shard, b, &from, &to);
    if (from < to) each->fn(each->user, b, from, to, NULL);
}

void hsp__shard_blocks(hsp_context *ctx, hsp__block_fn fn, void *user)
{
    ranks_each each = {ctx->shard, fn, user};
    assert(ctx->shard);
    hsp__tasks_run(ctx, ctx->shard->to - ctx->shard->from, ranks_each_block, &each);
}
