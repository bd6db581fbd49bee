#include "data/blocks.h"

#include <pthread.h>
#include <stdatomic.h>
#include <string.h>

#include "base/context.h"
#include "base/error.h"
#include "base/memory.h"
#include "base/threads.h"

typedef struct blocks_buffer {
    void *bytes; /* room of them, HSP__BLOCK_PADDING beyond what is used */
    uint64_t room;
} blocks_buffer;

struct hsp__blocks {
    hsp_context *ctx;
    hsp__source *source;
    const hsp__block_format *format;
    void *self;
    blocks_buffer *buffers; /* one a worker */

    pthread_mutex_t input; /* guards the source and the next four */
    void *carry;           /* the beginning of a record whose end has not been read yet */
    uint64_t carry_size, carry_room;
    uint64_t taken; /* blocks handed out */
    int ended;

    pthread_mutex_t order; /* guards what follows */
    pthread_cond_t moved;
    uint64_t turn;  /* the block that may reserve now */
    uint64_t lines; /* before that block */
    int placing;    /* workers that are copying */
    hsp_error error;
    atomic_int status; /* an hsp_status: the first failure, in the order of the file */
};

/* Is the number of double quotes in text[0..size) odd? Eight bytes at a time: this runs while other
 * workers wait for the input. */
static int blocks_quotes_odd(const char *text, size_t size)
{
    const uint64_t low = 0x7f7f7f7f7f7f7f7fu, quotes = 0x2222222222222222u;
    uint64_t odd = 0;
    size_t i = 0;
    for (; i + 8 <= size; i += 8) {
        uint64_t x;
        memcpy(&x, text + i, sizeof x);
        x ^= quotes;                           /* a quote becomes a zero byte ... */
        odd ^= ~(((x & low) + low) | x | low); /* ... and that one its top bit */
    }
    int parity = __builtin_parityll(odd);
    for (; i < size; i++)
        parity ^= text[i] == '"';
    return parity;
}

/* The end of the last whole record in text[0..size), 0 if there is none. A newline ends a record
 * when the quotes before it pair up. */
static size_t blocks_last_end(const char *text, size_t size, int quoted)
{
    int inside = quoted && blocks_quotes_odd(text, size);
    for (size_t i = size; i-- > 0;) {
        if (text[i] == '\n' && !inside) return i + 1;
        if (text[i] == '"') inside ^= quoted;
    }
    return 0;
}

static hsp_status blocks_keep(hsp__blocks *run, const char *rest, size_t size, hsp_error *err)
{
    if (!hsp__reserve(&run->ctx->allocator, &run->carry, &run->carry_room, size, 1))
        return hsp__fail_memory(err);
    if (size) memcpy(run->carry, rest, size);
    run->carry_size = size;
    return HSP_OK;
}

/* Fill the worker's buffer with whole records. What is read doubles while no record ends, so that
 * a long one costs linear time. */
static hsp_status blocks_fill(hsp__blocks *run, blocks_buffer *buffer, hsp__block *block,
                              hsp_error *err)
{
    size_t have = (size_t)run->carry_size, end = 0;
    const hsp_allocator *memory = &run->ctx->allocator;
    while (!end && !run->ended) {
        size_t want = have > run->ctx->block_bytes ? have : run->ctx->block_bytes, got = 0;
        if (!hsp__reserve(memory, &buffer->bytes, &buffer->room, have + want + HSP__BLOCK_PADDING,
                          1))
            return hsp__fail_memory(err);
        if (have == run->carry_size && have) memcpy(buffer->bytes, run->carry, have);
        char *text = buffer->bytes;
        hsp_status status = hsp__source_read(run->source, text + have, want, err, &got);
        if (status) return status;
        have += got;
        run->ended = got < want;
        end = run->ended ? have : blocks_last_end(text, have, run->format->quoted);
    }
    block->text = buffer->bytes;
    block->size = end;
    if (end) memset((char *)buffer->bytes + have, 0, HSP__BLOCK_PADDING);
    return blocks_keep(run, (char *)buffer->bytes + end, have - end, err);
}

/* Take the next block; 0 when there is none. A failure to read is a block too: it has its turn. */
static int blocks_take(hsp__blocks *run, int worker, hsp__block *block, hsp_status *status,
                       hsp_error *err)
{
    *block = (hsp__block){0};
    *status = HSP_OK;
    pthread_mutex_lock(&run->input);
    int some = !run->ended && atomic_load(&run->status) == HSP_OK;
    if (some) {
        block->number = run->taken++;
        *status = blocks_fill(run, &run->buffers[worker], block, err);
        if (*status) run->ended = 1;
    }
    pthread_mutex_unlock(&run->input);
    return some;
}

static void blocks_fail(hsp__blocks *run, hsp_status status, const hsp_error *err)
{
    run->error = *err;
    run->error.status = status;
    atomic_store(&run->status, (int)status);
}

/* Wait for this block's turn, then reserve its place. 1 when there is something to copy. */
static int blocks_reserve(hsp__blocks *run, int worker, const hsp__block *block, hsp_status status,
                          hsp_error *err)
{
    pthread_mutex_lock(&run->order);
    while (run->turn != block->number)
        pthread_cond_wait(&run->moved, &run->order);
    if (atomic_load(&run->status) == HSP_OK) {
        if (status) {
            if (err->line) err->line += run->lines;
        } else if (block->size) {
            status = run->format->reserve(run->self, worker, block, run, err);
        }
        if (status) blocks_fail(run, status, err);
    }
    int go = atomic_load(&run->status) == HSP_OK && block->size;
    run->lines += block->lines;
    run->placing += go;
    run->turn++;
    pthread_cond_broadcast(&run->moved);
    pthread_mutex_unlock(&run->order);
    return go;
}

static void blocks_placed(hsp__blocks *run)
{
    pthread_mutex_lock(&run->order);
    run->placing--;
    pthread_cond_broadcast(&run->moved);
    pthread_mutex_unlock(&run->order);
}

static void blocks_report(hsp__blocks *run, hsp_error *err)
{
    pthread_mutex_lock(&run->input);
    uint64_t done = hsp__source_position(run->source);
    pthread_mutex_unlock(&run->input);
    hsp_status status =
        hsp__progress(run->ctx, "reading", "bytes", done, hsp__source_size(run->source), err);
    if (!status) return;
    pthread_mutex_lock(&run->order);
    if (atomic_load(&run->status) == HSP_OK) blocks_fail(run, status, err);
    pthread_mutex_unlock(&run->order);
}

static void blocks_work(void *user, int worker)
{
    hsp__blocks *run = user;
    hsp__block block;
    hsp_status status;
    hsp_error err = {0};
    while (blocks_take(run, worker, &block, &status, &err)) {
        if (!status && block.size) status = run->format->parse(run->self, worker, &block, &err);
        if (blocks_reserve(run, worker, &block, status, &err)) {
            run->format->place(run->self, worker, &block);
            blocks_placed(run);
        }
        if (worker == 0 && run->ctx->progress) blocks_report(run, &err);
    }
}

int hsp__blocks_workers(hsp_context *ctx, const hsp__source *source)
{
    int threads = hsp_context_threads(ctx);
    uint64_t size = hsp__source_size(source);
    if (!size || hsp__source_packed(source)) return threads;
    uint64_t blocks = size / ctx->block_bytes + 1;
    return blocks < (uint64_t)threads ? (int)blocks : threads;
}

void hsp__blocks_settle(hsp__blocks *run)
{
    while (run->placing)
        pthread_cond_wait(&run->moved, &run->order);
}

uint64_t hsp__blocks_first_line(const hsp__blocks *run)
{
    return run->lines + 1;
}

hsp_status hsp__blocks_run(hsp_context *ctx, hsp__source *source, const hsp__block_format *format,
                           void *self, int workers, hsp_error *err)
{
    const hsp_allocator *memory = &ctx->allocator;
    hsp__blocks run = {.ctx = ctx, .source = source, .format = format, .self = self};
    run.buffers = hsp__new(memory, (uint64_t)workers, sizeof *run.buffers);
    if (!run.buffers) return hsp__fail_memory(err);
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
    if (!status) return HSP_OK;
    if (err) *err = run.error;
    if (err && !err->file[0] && status == HSP_BAD_DATA)
        hsp__fail_at(err, status, hsp__source_name(source), err->line, err->column, "%s",
                     run.error.message);
    return status;
}
