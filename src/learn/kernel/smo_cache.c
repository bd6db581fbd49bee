#include "learn/kernel/smo_cache.h"

#include "base/base.h"
#include "kernel/rounding.h"
#include "vec/vec.h"

enum {
    SMO_CACHE_PARTS = 64,
    GRAM_STRIP = 512,
    PRECISE_NUMBERS = 1 << 21, /* values in double that are looked at together, or */
    PRECISE_LEAST = 64         /* this many lines of them */
};

hsp_status hsp__smo_cache_init(hsp__smo_cache *cache, hsp_context *ctx,
                               const hsp__smo_source *source, uint64_t bytes, int wide,
                               hsp_error *err)
{
    const uint64_t n = source->n, number = wide ? sizeof(double) : sizeof(float);
    const uint64_t line = n * number + 1;
    *cache = (hsp__smo_cache){.ctx = ctx, .source = *source, .wide = wide, .number = number};
    cache->scratch.memory = &ctx->allocator;
    cache->rows = source->rows, cache->list = source->list;
    if (source->floats && !wide)
        cache->rows = source->floats, cache->list = NULL;
    else if (source->rows->centred && !wide)
        cache->rows = source->rows->centred;
    cache->off = hsp__kernel_rounding(cache->rows, wide, &cache->most);
    if (source->gram && !wide) {
        cache->spare = bytes;
        return HSP_OK;
    }
    /* A quarter is for the solver's set; all of it where the set is the problem, or where lines
     * are not kept. */
    const uint64_t whole = (n + 15) / 16 * 16 * (n + 15);
    cache->cheap = hsp__kernel_is_cheap(source->rows);
    cache->spare = whole * number <= bytes / 2 ? whole * number : bytes / 4;
    if (cache->cheap) cache->spare = bytes > line ? bytes - line : 0;
    uint64_t slots = cache->cheap ? 1 : (bytes - cache->spare) / line;
    if (slots == 0) slots = 1;
    if (slots > n) slots = n;
    if (slots > UINT32_MAX - 1) slots = UINT32_MAX - 1;
    assert(slots > 0 || n == 0);
    hsp__scratch *scratch = &cache->scratch;
    cache->slots = slots;
    cache->values = hsp__scratch_raw(scratch, slots * n, number);
    cache->owner = hsp__scratch_raw(scratch, slots, sizeof *cache->owner);
    cache->stamp = hsp__scratch_new(scratch, slots, sizeof *cache->stamp);
    cache->place = hsp__scratch_new(scratch, n, sizeof *cache->place);
    cache->given = hsp__scratch_raw(scratch, slots, sizeof *cache->given);
    cache->wanted = hsp__scratch_raw(scratch, slots, sizeof *cache->wanted);
    if (scratch->failed) return hsp__fail_memory(err);
    hsp__advise_huge(cache->values, slots * n * number);
    for (uint64_t s = 0; s < slots; s++)
        cache->owner[s] = UINT64_MAX;
    return HSP_OK;
}

void hsp__smo_cache_free(hsp__smo_cache *cache)
{
    if (!cache->ctx) return;
    hsp__free(&cache->ctx->allocator, cache->block);
    hsp__scratch_free(&cache->scratch);
}

uint64_t hsp__smo_cache_room(const hsp__smo_cache *cache)
{
    return cache->slots ? cache->slots : cache->source.n;
}

static unsigned char *smo_cache_slot(const hsp__smo_cache *cache, uint64_t slot)
{
    return cache->values + slot * cache->source.n * cache->number;
}

void *hsp__smo_cache_has(const hsp__smo_cache *cache, uint64_t i)
{
    if (!cache->slots) return cache->source.gram + i * cache->source.n;
    return cache->place[i] ? smo_cache_slot(cache, cache->place[i] - 1) : NULL;
}

void hsp__smo_cache_release(hsp__smo_cache *cache, uint64_t i)
{
    if (!cache->slots || !cache->place[i] || cache->gifts == cache->slots) return;
    uint64_t at = cache->oldest + cache->gifts++;
    cache->given[at < cache->slots ? at : at - cache->slots] = i;
}

/* A slot that was not used for long, and not now: given ones that were not asked for since and free
 * ones first, then a hand goes round. The hand passes over those asked for since it came by last,
 * once. */
static uint64_t smo_cache_victim(hsp__smo_cache *cache)
{
    while (cache->gifts) {
        const uint64_t row = cache->given[cache->oldest];
        cache->oldest = cache->oldest + 1 == cache->slots ? 0 : cache->oldest + 1;
        cache->gifts--;
        const uint32_t place = cache->place[row];
        if (place && cache->stamp[place - 1] < cache->clock) return place - 1;
    }
    if (cache->used < cache->slots) return cache->used++;
    for (uint64_t turn = 0;; turn++) {
        const uint64_t s = cache->hand;
        cache->hand = s + 1 == cache->slots ? 0 : s + 1;
        if (cache->stamp[s] == cache->clock) continue;
        if (turn < cache->slots && cache->stamp[s] + 2 > cache->clock) continue;
        return s;
    }
}

/* ---- Values ---------------------------------------------------------------------------------- */

static hsp_status smo_cache_values(hsp__smo_cache *cache, const hsp__kernel_pick *some,
                                   const hsp__kernel_pick *others, void *const *out, hsp_error *err)
{
    if (cache->wide)
        return hsp__kernel_lines_f64(cache->ctx, some, others, (double *const *)out, err);
    return hsp__kernel_lines_f32(cache->ctx, some, others, (float *const *)out, err);
}

/* Rows of the problem (NULL: all), in the cache's own form or (precise) as the source has them. */
static hsp__kernel_pick smo_cache_pick(const hsp__smo_cache *cache, int precise,
                                       const uint64_t *list, uint64_t count, hsp__scratch *scratch)
{
    const hsp__kernel_rows *rows = precise ? cache->source.rows : cache->rows;
    const uint64_t *all = precise ? cache->source.list : cache->list;
    hsp__kernel_pick pick = {rows, list ? list : all, 0, count};
    if (!all || !list) return pick;
    uint64_t *made = hsp__scratch_raw(scratch, count, sizeof *made);
    for (uint64_t k = 0; made && k < count; k++)
        made[k] = all[list[k]];
    pick.list = made;
    return pick;
}

hsp_status hsp__smo_cache_block(hsp__smo_cache *cache, const uint64_t *list, uint64_t count,
                                const uint64_t *right, uint64_t across, void *const *out,
                                hsp_error *err)
{
    if (!count || !across) return HSP_OK;
    hsp__scratch scratch = {.memory = &cache->ctx->allocator};
    const hsp__kernel_pick some = smo_cache_pick(cache, 0, list, count, &scratch);
    const hsp__kernel_pick others = smo_cache_pick(cache, 0, right, across, &scratch);
    hsp_status status = scratch.failed ? hsp__fail_memory(err) : HSP_OK;
    if (!status) status = smo_cache_values(cache, &some, &others, out, err);
    hsp__scratch_free(&scratch);
    return status;
}

hsp_status hsp__smo_cache_apply(hsp__smo_cache *cache, const uint64_t *list, const double *by,
                                uint64_t count, const uint64_t *right, uint64_t across, int wide,
                                double *out, hsp_error *err)
{
    if (!count || !across) return HSP_OK;
    hsp__scratch scratch = {.memory = &cache->ctx->allocator};
    const hsp__kernel_pick some = smo_cache_pick(cache, wide, list, count, &scratch);
    const hsp__kernel_pick others = smo_cache_pick(cache, wide, right, across, &scratch);
    hsp_status status = scratch.failed ? hsp__fail_memory(err) : HSP_OK;
    if (!status) status = hsp__kernel_apply(cache->ctx, &some, by, &others, wide, out, err);
    hsp__scratch_free(&scratch);
    return status;
}

hsp_status hsp__smo_cache_precise_own(hsp__smo_cache *cache, const uint64_t *list, const double *by,
                                      uint64_t count, double *out, hsp_error *err)
{
    uint64_t strip = PRECISE_NUMBERS / (count + 1);
    strip = strip < PRECISE_LEAST ? PRECISE_LEAST : strip > GRAM_STRIP ? GRAM_STRIP : strip;
    assert(strip >= PRECISE_LEAST && strip <= GRAM_STRIP);
    if (!count) return HSP_OK;
    hsp__scratch scratch = {.memory = &cache->ctx->allocator};
    const hsp__kernel_pick all = smo_cache_pick(cache, 1, list, count, &scratch);
    double *values = hsp__scratch_raw(&scratch, strip * count, sizeof *values);
    hsp_status status = scratch.failed ? hsp__fail_memory(err) : HSP_OK;
    for (uint64_t from = 0; !status && from < count; from += strip) {
        /* some lines of the triangle right of the diagonal, and what lies below it by symmetry */
        const uint64_t to = from + strip < count ? from + strip : count, across = count - from;
        const hsp__kernel_pick left = {all.rows, all.list + from, 0, to - from};
        const hsp__kernel_pick right = {all.rows, all.list + from, 0, across};
        status = hsp__kernel_block_f64(cache->ctx, &left, &right, values, across, err);
        for (uint64_t i = from; !status && i < to; i++) {
            const double *line = values + (i - from) * across;
            hsp__vec()->axpy_f64(by[i], line, out + from, (size_t)across);
            out[i] += hsp__vec()->dot_f64(line + (to - from), by + to, (size_t)(count - to));
        }
    }
    hsp__scratch_free(&scratch);
    return status;
}

hsp_status hsp__smo_cache_lines(hsp__smo_cache *cache, const uint64_t *list, uint64_t count,
                                void **lines, hsp_error *err)
{
    uint64_t missing = 0;
    hsp_status status = HSP_OK;
    assert(count <= hsp__smo_cache_room(cache));
    cache->clock++;
    for (uint64_t i = 0; cache->slots && i < count; i++) {
        if (cache->place[list[i]])
            cache->stamp[cache->place[list[i]] - 1] = cache->clock;
        else
            cache->wanted[missing++] = list[i];
    }
    for (uint64_t i = 0; i < missing; i++) {
        const uint64_t slot = smo_cache_victim(cache), row = cache->wanted[i];
        if (cache->owner[slot] != UINT64_MAX) cache->place[cache->owner[slot]] = 0;
        cache->owner[slot] = row;
        cache->place[row] = (uint32_t)slot + 1;
        cache->stamp[slot] = cache->clock;
        lines[i] = smo_cache_slot(cache, slot);
    }
    if (missing)
        status =
            hsp__smo_cache_block(cache, cache->wanted, missing, NULL, cache->source.n, lines, err);
    for (uint64_t i = 0; i < count; i++)
        lines[i] = hsp__smo_cache_has(cache, list[i]);
    return status;
}

/* ---- All of it ------------------------------------------------------------------------------- */

typedef struct smo_mirror {
    float *matrix;
    uint64_t n, ld, from, to;
} smo_mirror;

/* What lies right of the strip's square, turned, is what lies below it. */
static void smo_cache_mirror_part(void *user, uint64_t part)
{
    const smo_mirror *m = user;
    assert(m->from < m->to && m->to <= m->n);
    enum { PIECE = 16 };
    const uint64_t begin = m->to + hsp__part(m->n - m->to, SMO_CACHE_PARTS, part),
                   end = m->to + hsp__part(m->n - m->to, SMO_CACHE_PARTS, part + 1);
    for (uint64_t at = begin; at < end; at += PIECE)
        for (uint64_t i = m->from; i < m->to; i++)
            for (uint64_t j = at; j < end && j < at + PIECE; j++)
                m->matrix[j * m->ld + i] = m->matrix[i * m->ld + j];
}

/* The matrix of these rows, lines `ld` apart, each pair of rows computed once. */
static hsp_status smo_cache_symmetric(hsp_context *ctx, const hsp__kernel_pick *all, float *matrix,
                                      uint64_t ld, const char *progress, hsp_error *err)
{
    hsp_status status = HSP_OK;
    for (uint64_t from = 0; !status && from < all->count; from += GRAM_STRIP) {
        const uint64_t to = from + GRAM_STRIP < all->count ? from + GRAM_STRIP : all->count;
        hsp__kernel_pick left = *all, right = *all;
        if (all->list)
            left.list = right.list = all->list + from;
        else
            left.from = right.from = all->from + from;
        left.count = to - from, right.count = all->count - from;
        status = hsp__kernel_block_f32(ctx, &left, &right, matrix + from * ld + from, ld, err);
        smo_mirror work = {matrix, all->count, ld, from, to};
        if (!status) hsp__tasks_run(ctx, SMO_CACHE_PARTS, smo_cache_mirror_part, &work);
        if (!status && progress) status = hsp__progress(ctx, progress, "rows", to, all->count, err);
    }
    return status;
}

hsp_status hsp__smo_gram(hsp_context *ctx, const hsp__kernel_rows *rows, float *gram,
                         hsp_error *err)
{
    const hsp__kernel_pick all = {.rows = rows->centred ? rows->centred : rows,
                                  .count = rows->view->rows};
    return smo_cache_symmetric(ctx, &all, gram, all.count, "computing kernel values", err);
}

hsp_status hsp__smo_cache_own(hsp__smo_cache *cache, const uint64_t *list, uint64_t count,
                              float *matrix, uint64_t ld, hsp_error *err)
{
    assert(!cache->wide);
    hsp__scratch scratch = {.memory = &cache->ctx->allocator};
    const hsp__kernel_pick all = smo_cache_pick(cache, 0, list, count, &scratch);
    hsp_status status = scratch.failed ? hsp__fail_memory(err) : HSP_OK;
    if (!status) status = smo_cache_symmetric(cache->ctx, &all, matrix, ld, NULL, err);
    hsp__scratch_free(&scratch);
    return status;
}
