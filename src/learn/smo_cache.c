#include "learn/smo_cache.h"

#include "base/context.h"
#include "base/error.h"
#include "base/memory.h"

hsp_status hsp__smo_cache_init(hsp__smo_cache *cache, hsp_context *ctx,
                               const hsp__kernel_rows *rows, uint64_t bytes, hsp_error *err)
{
    const uint64_t n = rows->view->rows;
    uint64_t slots = bytes / (n * sizeof(float) + 1);
    if (slots < 2) slots = 2;
    if (slots > n) slots = n;
    if (slots > UINT32_MAX - 1) slots = UINT32_MAX - 1;
    *cache = (hsp__smo_cache){.ctx = ctx, .rows = rows, .n = n, .slots = slots};
    cache->values = hsp__new_raw(&ctx->allocator, slots * n, sizeof *cache->values);
    cache->owner = hsp__new_raw(&ctx->allocator, slots, sizeof *cache->owner);
    cache->stamp = hsp__new(&ctx->allocator, slots, sizeof *cache->stamp);
    cache->place = hsp__new(&ctx->allocator, n, sizeof *cache->place);
    cache->wanted = hsp__new_raw(&ctx->allocator, slots, sizeof *cache->wanted);
    if (!cache->values || !cache->owner || !cache->stamp || !cache->place || !cache->wanted)
        return hsp__fail_memory(err);
    hsp__advise_huge(cache->values, slots * n * sizeof *cache->values);
    for (uint64_t s = 0; s < slots; s++)
        cache->owner[s] = UINT64_MAX;
    return HSP_OK;
}

void hsp__smo_cache_free(hsp__smo_cache *cache)
{
    if (!cache->ctx) return;
    hsp__free(&cache->ctx->allocator, cache->values);
    hsp__free(&cache->ctx->allocator, cache->owner);
    hsp__free(&cache->ctx->allocator, cache->stamp);
    hsp__free(&cache->ctx->allocator, cache->place);
    hsp__free(&cache->ctx->allocator, cache->wanted);
}

/* A slot whose row was not asked for longest, and not now. */
static uint64_t cache_oldest(const hsp__smo_cache *cache)
{
    uint64_t best = cache->slots;
    for (uint64_t s = 0; s < cache->slots; s++) {
        if (cache->stamp[s] == cache->clock) continue;
        if (best == cache->slots || cache->stamp[s] < cache->stamp[best]) best = s;
        if (cache->stamp[s] == 0) break;
    }
    return best;
}

static void cache_give(hsp__smo_cache *cache, uint64_t slot, uint64_t row)
{
    if (cache->owner[slot] != UINT64_MAX) cache->place[cache->owner[slot]] = 0;
    cache->owner[slot] = row;
    cache->place[row] = (uint32_t)slot + 1;
    cache->stamp[slot] = cache->clock;
}

hsp_status hsp__smo_cache_lines(hsp__smo_cache *cache, const uint64_t *list, uint64_t count,
                                float **lines, uint64_t *computed, hsp_error *err)
{
    uint64_t missing = 0;
    cache->clock++;
    for (uint64_t i = 0; i < count; i++) {
        if (cache->place[list[i]])
            cache->stamp[cache->place[list[i]] - 1] = cache->clock;
        else
            cache->wanted[missing++] = list[i];
    }
    for (uint64_t i = 0; i < missing; i++) {
        const uint64_t slot = cache_oldest(cache);
        cache_give(cache, slot, cache->wanted[i]);
        lines[i] = cache->values + slot * cache->n;
    }
    *computed += missing;
    const hsp__kernel_pick some = {cache->rows, cache->wanted, 0, missing};
    const hsp__kernel_pick all = {cache->rows, NULL, 0, cache->n};
    hsp_status status = hsp__kernel_lines_f32(cache->ctx, &some, &all, lines, err);
    for (uint64_t i = 0; i < count; i++)
        lines[i] = cache->values + (uint64_t)(cache->place[list[i]] - 1) * cache->n;
    return status;
}
