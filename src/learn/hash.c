/* The hash of the rows a model was learnt from. Rows are cut into parts that are summed in parallel
 * and joined in order; the text does not depend on how they are cut. */
#include <stdio.h>

#include "base/checksum.h"
#include "base/context.h"
#include "base/error.h"
#include "base/memory.h"
#include "base/threads.h"
#include "learn/prepare.h"

typedef enum hash_array {
    HASH_STARTS,
    HASH_INDICES,
    HASH_VALUES,
    HASH_LABELS,
    HASH_ARRAYS
} hash_array;

typedef struct hash_sum {
    uint32_t crc;
    uint64_t bytes;
} hash_sum;

typedef struct hash_work {
    const hsp_view *view;
    uint64_t parts;
    hash_sum *sums; /* HASH_ARRAYS * parts */
} hash_work;

static void hash_add(hash_sum *sum, const void *bytes, uint64_t size)
{
    sum->crc = hsp__crc32(sum->crc, bytes, size);
    sum->bytes += size;
}

/* Offsets 0..rows of the rows' starts, eight bytes each; the last part has the end too. */
static void hash_starts(const hsp_view *view, uint64_t from, uint64_t to, hash_sum *sum)
{
    if (to == view->rows) to++;
    if (view->starts_bytes == 8) {
        hash_add(sum, (const uint64_t *)view->starts + from, (to - from) * sizeof(uint64_t));
        return;
    }
    for (uint64_t i = from; i < to; i++) {
        uint64_t start = hsp__view_start(view, i);
        hash_add(sum, &start, sizeof start);
    }
}

static void hash_dense(const hsp_view *view, uint64_t from, uint64_t to, hash_sum *sum)
{
    const uint64_t bytes = hsp__value_bytes(view->precision);
    const char *values = view->values;
    if (view->stride == view->cols) {
        hash_add(sum, values + from * view->stride * bytes, (to - from) * view->cols * bytes);
        return;
    }
    for (uint64_t i = from; i < to; i++)
        hash_add(sum, values + i * view->stride * bytes, view->cols * bytes);
}

static void hash_part(void *user, uint64_t part)
{
    const hash_work *work = user;
    const hsp_view *view = work->view;
    const uint64_t from = hsp__part(view->rows, work->parts, part);
    const uint64_t to = hsp__part(view->rows, work->parts, part + 1);
    hash_sum *sums = work->sums + part * HASH_ARRAYS;
    if (view->storage == HSP_DENSE) {
        if (view->cols) hash_dense(view, from, to, &sums[HASH_VALUES]);
    } else {
        const uint64_t first = hsp__view_start(view, from);
        const uint64_t count = hsp__view_start(view, to) - first;
        const uint64_t bytes = hsp__value_bytes(view->precision);
        hash_starts(view, from, to, &sums[HASH_STARTS]);
        hash_add(&sums[HASH_INDICES], view->indices + first, count * sizeof *view->indices);
        if (view->values)
            hash_add(&sums[HASH_VALUES], (const char *)view->values + first * bytes, count * bytes);
    }
    if (view->labels)
        hash_add(&sums[HASH_LABELS], view->labels + from, (to - from) * sizeof *view->labels);
}

hsp_status hsp__view_hash(hsp_context *ctx, const hsp_view *view, hsp_error *err,
                          char text[HSP__HASH_TEXT])
{
    const uint64_t stored = hsp_view_stored(view);
    const uint64_t shape[3] = {view->rows, view->cols, stored};
    const uint64_t each = view->rows ? stored / view->rows * sizeof(double) : 0;
    hash_work work = {.view = view, .parts = hsp__parts(view->rows, 16 + each)};
    work.sums = hsp__new(&ctx->allocator, work.parts * HASH_ARRAYS, sizeof *work.sums);
    if (!work.sums) return hsp__fail_memory(err);
    hsp__tasks_run(ctx, work.parts, hash_part, &work);
    uint32_t crc = hsp__crc32(0, shape, sizeof shape);
    for (int array = 0; array < HASH_ARRAYS; array++)
        for (uint64_t part = 0; part < work.parts; part++) {
            const hash_sum *sum = &work.sums[part * HASH_ARRAYS + (uint64_t)array];
            if (sum->bytes) crc = hsp__crc32_combine(crc, sum->crc, sum->bytes);
        }
    hsp__free(&ctx->allocator, work.sums);
    snprintf(text, HSP__HASH_TEXT, "crc32:%08x", (unsigned)crc);
    return HSP_OK;
}
