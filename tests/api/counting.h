/* An allocator that counts: bytes in use, their maximum, and all bytes ever asked for. */
#ifndef HSP_TESTS_API_COUNTING_H
#define HSP_TESTS_API_COUNTING_H

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "halfspace_all.h"

typedef struct counting {
    pthread_mutex_t lock;
    size_t now, most, total;
} counting;

/* A block has its size in front. */
enum { COUNTING_HEAD = 64 };

static void *counting_reallocate(void *user, void *pointer, size_t size)
{
    counting *counts = user;
    char *old = pointer ? (char *)pointer - COUNTING_HEAD : NULL;
    size_t before = 0;
    if (old) memcpy(&before, old, sizeof before);
    char *block = realloc(old, size + COUNTING_HEAD);
    if (!block) return NULL;
    memcpy(block, &size, sizeof size);
    pthread_mutex_lock(&counts->lock);
    counts->now += size - before;
    counts->total += size > before ? size - before : 0;
    if (counts->now > counts->most) counts->most = counts->now;
    pthread_mutex_unlock(&counts->lock);
    return block + COUNTING_HEAD;
}

static void counting_release(void *user, void *pointer)
{
    counting *counts = user;
    size_t size;
    if (!pointer) return;
    memcpy(&size, (char *)pointer - COUNTING_HEAD, sizeof size);
    pthread_mutex_lock(&counts->lock);
    counts->now -= size;
    pthread_mutex_unlock(&counts->lock);
    free((char *)pointer - COUNTING_HEAD);
}

static inline hsp_context *counting_context(counting *counts, int threads)
{
    const hsp_allocator allocator = {counting_reallocate, counting_release, counts};
    hsp_context *ctx = NULL;
    if (hsp_context_new(&allocator, &ctx) || hsp_context_set_threads(ctx, threads)) abort();
    return ctx;
}

#endif
