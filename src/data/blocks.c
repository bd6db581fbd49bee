#include "data/blocks.h"

#include "base/base.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <time.h>

enum {
    BLOCKS_FAIR = 16,         /* blocks that a file is cut into at least, */
    BLOCKS_LEAST = 128 << 10, /* unless they would be smaller than this */
};

typedef struct blocks_buffer {
    char *bytes; /* room of them, HSP__BLOCK_PADDING beyond what is used */
    uint64_t room;
} blocks_buffer;

struct hsp__blocks {
    hsp_context *ctx;
    size_t block_bytes;
    hsp__source *source;
    const hsp__block_format *format;
    void *self;
    blocks_buffer *buffers; /* one a worker */

    pthread_mutex_t input; /* guards the source and the next five */
    char *carry;           /* the beginning of a record whose end has not been read yet */
    uint64_t carry_size, carry_room;
    uint64_t first; /* the first block's number */
    uint64_t taken; /* the next one's */
    int part_ended, ended;

    pthread_mutex_t order; /* guards what follows */
    pthread_cond_t moved;
    uint64_t turn;  /* the block that may reserve now */
    uint32_t part;  /* of the source that it is in */
    uint64_t lines; /* before that block */
    int placing;    /* workers that are copying */
    hsp_error error;
    uint32_t error_part;
    atomic_int status; /* an hsp_status: the first failure, in the order of the file */
};

/* The end of the last whole record in text[0..size), 0 if there is none. A newline ends a record
 * when the quotes before it pair up. Quotes are counted eight bytes at a time: this runs while
 * other workers wait for the input. */
static size_t blocks_last_end(const char *text, size_t size, int quoted)
{
    int inside = quoted && hsp__quotes_odd(text, size);
    for (size_t i = size; i-- > 0;) {
        if (text[i] == '\n' && !inside) return i + 1;
        if (text[i] == '"') inside ^= quoted;
    }
    return 0;
}

/* Is nothing left? `less`: it gave less than was wanted. */
static int blocks_source_ended(const hsp__source *source, int less)
{
    return source->live ? source->at_end && source->ahead_from == source->ahead_to : less;
}

/* Fill the worker's buffer with whole records; the beginning of one that is not whole is kept for
 * the next block. What is read doubles while no record ends, so that a long one costs linear time.
 */
static hsp_status blocks_fill(hsp__blocks *run, blocks_buffer *buffer, hsp__block *block,
                              hsp_error *err)
{
    size_t have = (size_t)run->carry_size, end = 0;
    const hsp_allocator *memory = &run->ctx->allocator;
    const hsp_status begun =
        run->part_ended ? hsp__source_next(run->ctx, run->source, err) : HSP_OK;
    run->part_ended = 0;
    block->part = run->source->part;
    block->skipped = begun ? 0 : run->source->lines;
    HSP__TRY(begun);
    while (!end && !run->part_ended) {
        size_t want = have > run->block_bytes ? have : run->block_bytes, got = 0;
        if (!hsp__reserve(memory, &buffer->bytes, &buffer->room, have + want + HSP__BLOCK_PADDING,
                          1))
            return hsp__fail_memory(err);
        if (have == run->carry_size && have) memcpy(buffer->bytes, run->carry, have);
        HSP__TRY(hsp__source_read(run->source, buffer->bytes + have, want, err, &got));
        have += got;
        run->part_ended = blocks_source_ended(run->source, got < want);
        end = run->part_ended && !run->source->stopped
                  ? have
                  : blocks_last_end(buffer->bytes, have, run->format->quoted);
    }
    run->ended =
        run->source->stopped || (run->part_ended && (run->source->part + 1 == run->source->parts ||
                                                     run->source->position >= run->source->end));
    const size_t rest = have - end;
    if (!hsp__reserve(memory, &run->carry, &run->carry_room, rest, 1)) return hsp__fail_memory(err);
    if (rest) memcpy(run->carry, buffer->bytes + end, rest);
    if (end) memset(buffer->bytes + have, 0, HSP__BLOCK_PADDING);
    run->carry_size = rest;
    block->text = buffer->bytes;
    block->size = end;
    return HSP_OK;
}

/* The first failure, in the order of the file, or of the progress callback. */
static void blocks_fail(hsp__blocks *run, hsp_status status, const hsp_error *err)
{
    if (!status || atomic_load(&run->status) != HSP_OK) return;
    run->error = *err;
    run->error.status = status;
    run->error_part = run->part;
    atomic_store(&run->status, (int)status);
}

/* Wait for this block's turn, then reserve its place. 1 when there is something to copy. */
static int blocks_reserve(hsp__blocks *run, int worker, const hsp__block *block, hsp_status status,
                          hsp_error *err)
{
    pthread_mutex_lock(&run->order);
    while (run->turn != block->number)
        pthread_cond_wait(&run->moved, &run->order);
    if (block->part != run->part || block->number == run->first) {
        run->part = block->part;
        run->lines = block->skipped;
    }
    if (status) {
        if (err->line) err->line += run->lines;
    } else if (block->size && run->format->reserve && atomic_load(&run->status) == HSP_OK) {
        status = run->format->reserve(run->self, worker, run, err);
    }
    if (status == HSP_BAD_DATA && !err->file[0])
        snprintf(err->file, sizeof err->file, "%s", hsp__blocks_file(run));
    blocks_fail(run, status, err);
    const int go = run->format->place && atomic_load(&run->status) == HSP_OK && block->size;
    run->lines += block->lines;
    run->placing += go;
    run->turn++;
    pthread_cond_broadcast(&run->moved);
    pthread_mutex_unlock(&run->order);
    return go;
}

/* The input, while another worker may wait for a pipe that says nothing: the calling thread goes on
 * to ask whether to stop. */
static void blocks_lock_input(hsp__blocks *run, int worker)
{
    if (worker == 0 && pthread_mutex_trylock(&run->input) == 0) return;
    if (worker == 0) {
        struct timespec until;
        do {
            clock_gettime(CLOCK_REALTIME, &until);
            until.tv_nsec += (long)(HSP__TICK_SECONDS * 1e9);
            until.tv_sec += until.tv_nsec / 1000000000;
            until.tv_nsec %= 1000000000;
            hsp__tick(run->ctx);
        } while (pthread_mutex_timedlock(&run->input, &until) != 0);
        return;
    }
    pthread_mutex_lock(&run->input);
}

static void blocks_work(void *user, int worker)
{
    hsp__blocks *run = user;
    hsp_error err = {0};
    for (;;) {
        hsp__block block = {0};
        hsp_status status = HSP_OK;
        blocks_lock_input(run, worker);
        const int some = !run->ended && atomic_load(&run->status) == HSP_OK;
        if (some) {
            block.number = run->taken++;
            status = blocks_fill(run, &run->buffers[worker], &block, &err);
            if (status) run->ended = 1; /* a failure to read is a block too: it has its turn */
        }
        const uint64_t done = run->source->position;
        pthread_mutex_unlock(&run->input);
        if (!some) return;
        if (!status && block.size) status = run->format->parse(run->self, worker, &block, &err);
        if (blocks_reserve(run, worker, &block, status, &err)) {
            run->format->place(run->self, worker);
            pthread_mutex_lock(&run->order);
            run->placing--;
            pthread_cond_broadcast(&run->moved);
            pthread_mutex_unlock(&run->order);
        }
        if (worker != 0 || !run->ctx->progress) continue;
        status = hsp__progress(run->ctx, "reading", "bytes", done, run->source->size, &err);
        pthread_mutex_lock(&run->order);
        blocks_fail(run, status, &err);
        pthread_mutex_unlock(&run->order);
    }
}

/* Of a file that is soon read, smaller ones: so that workers end together. */
static size_t blocks_bytes(const hsp_context *ctx, const hsp__source *source)
{
    const uint64_t size = source->size;
    const uint64_t fair = size / BLOCKS_FAIR > BLOCKS_LEAST ? size / BLOCKS_FAIR : BLOCKS_LEAST;
    if (!size || source->unpacker || fair > ctx->block_bytes) return ctx->block_bytes;
    return (size_t)fair;
}

int hsp__blocks_workers(hsp_context *ctx, const hsp__source *source)
{
    int threads = hsp_context_threads(ctx);
    uint64_t size = source->size;
    if (!size || source->unpacker) return threads;
    uint64_t blocks = size / blocks_bytes(ctx, source) + 1;
    return blocks < (uint64_t)threads ? (int)blocks : threads;
}

void hsp__blocks_settle(hsp__blocks *run)
{
    while (run->placing)
        pthread_cond_wait(&run->moved, &run->order);
}

uint32_t hsp__blocks_part(const hsp__blocks *run)
{
    return run->part;
}

const char *hsp__blocks_file(const hsp__blocks *run)
{
    return run->source->part_names[run->part];
}

uint64_t hsp__blocks_first_line(const hsp__blocks *run)
{
    return run->lines + 1;
}

/* The first failure in the order of the file becomes that of all ranks, with its line in the file. */
static hsp_status blocks_agree(hsp__blocks *run, hsp_status status)
{
    hsp__source *source = run->source;
    const uint64_t mine[2] = {run->part, run->lines};
    uint64_t all[2 * HSP__BLOCKS];
    hsp__ranks_gather(source->ranks, mine, sizeof mine, all);
    for (int r = 0; !source->own && r < source->ranks->rank; r++)
        if (all[2 * r] == source->first_part) source->lines_before += all[2 * r + 1];
    if (run->error.line && run->error_part == source->first_part)
        run->error.line += source->lines_before;
    return hsp__ranks_agree(source->ranks, status, &run->error);
}

hsp_status hsp__blocks_run(hsp_context *ctx, hsp__source *source, const hsp__block_format *format,
                           void *self, int workers, hsp_error *err)
{
    const hsp_allocator *memory = &ctx->allocator;
    hsp__blocks run = {.ctx = ctx, .source = source, .format = format, .self = self};
    if (source->ranks) {
        if (!source->own) HSP__TRY(hsp__source_divide(ctx, source, format->quoted, err));
        run.part_ended = source->begin_next;
        run.first = run.taken = run.turn = (uint64_t)source->ranks->rank << 40;
    }
    run.block_bytes = blocks_bytes(ctx, source);
    source->ctx = ctx;
    run.buffers = hsp__new(memory, (uint64_t)workers, sizeof *run.buffers);
    const hsp_status begun =
        hsp__ranks_agree(source->ranks, run.buffers ? HSP_OK : hsp__fail_memory(err), err);
    if (begun) hsp__free(memory, run.buffers);
    HSP__TRY(begun);
    pthread_mutex_init(&run.input, NULL);
    pthread_mutex_init(&run.order, NULL);
    pthread_cond_init(&run.moved, NULL);
    atomic_init(&run.status, HSP_OK);
    hsp__workers_run(ctx, workers, blocks_work, &run);
    pthread_cond_destroy(&run.moved);
    pthread_mutex_destroy(&run.order);
    pthread_mutex_destroy(&run.input);
    for (int i = 0; i < workers; i++)
        hsp__free(memory, run.buffers[i].bytes);
    hsp__free(memory, run.buffers);
    hsp__free(memory, run.carry);
    hsp_status status = (hsp_status)atomic_load(&run.status);
    if (source->ranks) status = blocks_agree(&run, status);
    if (!status) return HSP_OK;
    if (err) *err = run.error;
    return status;
}
