#include "base/context.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/error.h"
#include "base/memory.h"
#include "base/paging.h"
#include "base/stop.h"

static void *context_reallocate(void *user, void *pointer, size_t size)
{
    (void)user;
    return realloc(pointer, size);
}

static void context_release(void *user, void *pointer)
{
    (void)user;
    free(pointer);
}

hsp_status hsp_context_new(const hsp_allocator *allocator, hsp_context **out)
{
    HSP__NEED(NULL, out);
    const hsp_allocator from_libc = {context_reallocate, context_release, NULL};
    const hsp_allocator *memory = allocator ? allocator : &from_libc;
    /* one block: the context, and its pool behind it */
    hsp_context *ctx = hsp__new(memory, 1, sizeof *ctx + hsp__pool_size());
    if (!ctx) return HSP_NO_MEMORY;
    ctx->allocator = *memory;
    ctx->block_bytes = HSP__BLOCK_BYTES;
    ctx->tick_seconds = HSP__TICK_SECONDS;
    ctx->processors = hsp__processors();
    ctx->pool = (hsp__pool *)(ctx + 1);
    hsp__pool_init(ctx->pool, ctx->processors);
    *out = ctx;
    return HSP_OK;
}

void hsp_context_free(hsp_context *ctx)
{
    if (!ctx) return;
    hsp_allocator memory = ctx->allocator;
    hsp__pool_end(ctx->pool);
    hsp__free(&memory, ctx);
}

void hsp_context_set_progress(hsp_context *ctx, hsp_progress_fn fn, void *user)
{
    if (!ctx) return;
    ctx->progress = fn;
    ctx->progress_user = user;
}

void hsp_context_set_log(hsp_context *ctx, hsp_log_fn fn, void *user)
{
    if (!ctx) return;
    ctx->log = fn;
    ctx->log_user = user;
}

void hsp_context_set_checkpoint(hsp_context *ctx, const char *path, double seconds)
{
    if (!ctx) return;
    ctx->checkpoint_path = path;
    ctx->checkpoint_seconds = seconds;
}

void hsp_checkpoint_remove(hsp_context *ctx, const char *path)
{
    if (ctx && path && !ctx->silent) remove(path);
}

hsp_status hsp__progress(hsp_context *ctx, const char *phase, const char *unit, uint64_t done,
                         uint64_t total, hsp_error *err)
{
    const hsp_progress now = {phase, unit, done, total, (double)NAN, (double)NAN};
    hsp__paging_check(&ctx->allocator);
    const int end = ctx->progress ? ctx->progress(ctx->progress_user, &now) : hsp__tick(ctx);
    if (!end) return HSP_OK;
    return hsp__fail(err, HSP_CANCELLED, "stopped %s while %s",
                     hsp__stopped(ctx) == HSP__STOP_LATE ? "at the time limit" : "on request",
                     phase);
}

void hsp__log(hsp_context *ctx, hsp_log_level level, const char *format, ...)
{
    if (!ctx->log) return;
    char sentence[1024];
    va_list args;
    va_start(args, format);
    vsnprintf(sentence, sizeof sentence, format, args);
    va_end(args);
    ctx->log(ctx->log_user, level, sentence);
}
