#include "learn/kernel/smo_cache.h"

#include "base/base.h"
#include "kernel/rounding.h"
#include "vec/vec.h"

enum {
    SMO_CACHE_PARTS = 64,
    GRAM_STRIP = 512,
    PRECISE_NUMBERS = 1 << 21, /* values in double that are looked at together, or */
    PRECISE_LEAST = 64,        /* this many lines of them */
    SMO_CACHE_FEW = 2560       /* this many rows are not worth dividing */
};

/* ---- Ranks ----------------------------------------------------------------------------------- */

const hsp_ranks *hsp__smo_ranks(const hsp_ranks *ranks, uint64_t n)
{
    return ranks && ranks->count > 1 && n > SMO_CACHE_FEW ? ranks : NULL;
}

/* This rank's part of n items; without ranks, all. */
static void smo_cache_part(const hsp_ranks *ranks, uint64_t n, uint64_t *from, uint64_t *to)
{
    const uint64_t count = ranks ? (uint64_t)ranks->count : 1;
    const uint64_t rank = ranks ? (uint64_t)ranks->rank : 0;
    *from = hsp__part(n, count, rank);
    *to = hsp__part(n, count, rank + 1);
}

hsp_status hsp__smo_agree(hsp__smo_cache *cache, hsp_status status, hsp_error *err)
{
    if (!cache->source.ranks) return status;
    if (hsp__tick_together(cache->ctx) && !status) status = hsp__stop_status(cache->ctx, err);
    return hsp__ranks_agree(cache->source.ranks, status, err);
}

hsp_status hsp__smo_share(hsp__smo_cache *cache, hsp_status status, double *numbers, uint64_t count,
                          hsp_error *err)
{
    const hsp_ranks *ranks = cache->source.ranks;
    uint64_t from, to, sizes[HSP__BLOCKS];
    if (!ranks) return status;
    smo_cache_part(ranks, count, &from, &to);
    double *mine = hsp__new_raw(&cache->ctx->allocator, to - from, sizeof *mine);
    if (mine)
        memcpy(mine, numbers + from, (to - from) * sizeof *mine);
    else if (!status)
        status = hsp__fail_memory(err);
    status = hsp__smo_agree(cache, status, err);
    for (uint64_t r = 0; r < (uint64_t)ranks->count; r++)
        sizes[r] = (hsp__part(count, (uint64_t)ranks->count, r + 1) -
                    hsp__part(count, (uint64_t)ranks->count, r)) *
                   sizeof *mine;
    if (!status) ranks->gather(ranks->user, mine, sizes, numbers);
    hsp__free(&cache->ctx->allocator, mine);
    return status;
}

/* ---- Made and unmade ------------------------------------------------------------------------- */

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
    smo_cache_part(source->ranks, n, &cache->from, &cache->to);
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
    cache->values = hsp__scratch_raw(scratch, slots * (cache->to - cache->from), number);
    cache->owner = hsp__scratch_raw(scratch, slots, sizeof *cache->owner);
    cache->stamp = hsp__scratch_new(scratch, slots, sizeof *cache->stamp);
    cache->place = hsp__scratch_new(scratch, n, sizeof *cache->place);
    cache->given = hsp__scratch_raw(scratch, slots, sizeof *cache->given);
    cache->wanted = hsp__scratch_raw(scratch, slots, sizeof *cache->wanted);
    if (scratch->failed) return hsp__fail_memory(err);
    hsp__advise_huge(scratch->memory, cache->values, slots * (cache->to - cache->from) * number);
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
    return cache->values + slot * (cache->to - cache->from) * cache->number;
}

void *hsp__smo_cache_has(const hsp__smo_cache *cache, uint64_t i)
{
    if (!cache->slots) return cache->source.gram + i * (cache->to - cache->from);
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

/* Rows of the problem (NULL: this rank's), in the cache's own form or (precise) as the source has
 * them. */
static hsp__kernel_pick smo_cache_pick(const hsp__smo_cache *cache, int precise,
                                       const uint64_t *list, uint64_t count, hsp__scratch *scratch)
{
    assert(list || count == cache->to - cache->from);
    const hsp__kernel_rows *rows = precise ? cache->source.rows : cache->rows;
    const uint64_t *all = precise ? cache->source.list : cache->list;
    if (!all) return (hsp__kernel_pick){rows, list, list ? 0 : cache->from, count};
    hsp__kernel_pick pick = {rows, all + cache->from, 0, count};
    if (!list) return pick;
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
    uint64_t from, to;
    smo_cache_part(cache->source.ranks, across, &from, &to);
    const hsp__kernel_pick some = smo_cache_pick(cache, wide, list, count, &scratch);
    const hsp__kernel_pick others =
        smo_cache_pick(cache, wide, right ? right + from : NULL, to - from, &scratch);
    hsp_status status = scratch.failed ? hsp__fail_memory(err) : HSP_OK;
    if (!status) status = hsp__kernel_apply(cache->ctx, &some, by, &others, wide, out + from, err);
    hsp__scratch_free(&scratch);
    return right ? hsp__smo_share(cache, status, out, across, err) : status;
}

/* What rows from..to-1 of the list add to the sums of this rank's, first..last-1: their lines right
 * of the diagonal, and of this rank's among them what lies below it, by symmetry. `values`: (to -
 * from) * count; with ranks twice as many. */
static hsp_status smo_cache_precise_strip(hsp__smo_cache *cache, const hsp__kernel_pick *all,
                                          const double *by, uint64_t from, uint64_t to,
                                          double *values, double *out, hsp_error *err)
{
    const uint64_t count = all->count;
    uint64_t first, last;
    smo_cache_part(cache->source.ranks, count, &first, &last);
    const uint64_t at = first > from ? first : from, end = last < to ? last : to;
    if (at >= last) return HSP_OK;
    const uint64_t across = last - at, rest = count - to;
    double *behind =
        values + (to - from) * across; /* of rows at..end-1 with those after the strip */
    hsp__kernel_pick left = {all->rows, all->list + from, 0, to - from};
    hsp__kernel_pick right = {all->rows, all->list + at, 0, across};
    HSP__TRY(hsp__kernel_block_f64(cache->ctx, &left, &right, values, across, err));
    if (cache->source.ranks && at < end) {
        left = (hsp__kernel_pick){all->rows, all->list + at, 0, end - at};
        right = (hsp__kernel_pick){all->rows, all->list + to, 0, rest};
        HSP__TRY(hsp__kernel_block_f64(cache->ctx, &left, &right, behind, rest, err));
    }
    for (uint64_t i = from; i < to; i++) {
        const double *line = values + (i - from) * across;
        hsp__vec()->axpy_f64(by[i], line, out + at, (size_t)across);
        if (i < at || i >= end) continue;
        line = cache->source.ranks ? behind + (i - at) * rest : line + (to - from);
        out[i] += hsp__vec()->dot_f64(line, by + to, (size_t)rest);
    }
    return HSP_OK;
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
    const uint64_t room = cache->source.ranks ? 2 * count : count;
    double *values = hsp__scratch_raw(&scratch, strip * room, sizeof *values);
    hsp_status status = scratch.failed ? hsp__fail_memory(err) : HSP_OK;
    for (uint64_t from = 0; !status && from < count; from += strip) {
        const uint64_t to = from + strip < count ? from + strip : count;
        status = smo_cache_precise_strip(cache, &all, by, from, to, values, out, err);
    }
    hsp__scratch_free(&scratch);
    return hsp__smo_share(cache, status, out, count, err);
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
        status = hsp__smo_cache_block(cache, cache->wanted, missing, NULL, cache->to - cache->from,
                                      lines, err);
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

/* The columns of this rank alone. */
static hsp_status smo_cache_gram_part(hsp_context *ctx, const hsp__kernel_pick *all,
                                      const hsp_ranks *ranks, float *gram, hsp_error *err)
{
    uint64_t first, last;
    hsp_status status = HSP_OK;
    smo_cache_part(ranks, all->count, &first, &last);
    const hsp__kernel_pick right = {.rows = all->rows, .from = first, .count = last - first};
    for (uint64_t from = 0, to; !status && from < all->count; from = to) {
        to = from + GRAM_STRIP < all->count ? from + GRAM_STRIP : all->count;
        const hsp__kernel_pick left = {.rows = all->rows, .from = from, .count = to - from};
        status =
            hsp__kernel_block_f32(ctx, &left, &right, gram + from * right.count, right.count, err);
        if (!status)
            status = hsp__progress(ctx, "computing kernel values", "rows", to, all->count, err);
    }
    return hsp__ranks_agree(ranks, status, err);
}

hsp_status hsp__smo_gram(hsp_context *ctx, const hsp__kernel_rows *rows, const hsp_ranks *ranks,
                         float *gram, hsp_error *err)
{
    const hsp__kernel_pick all = {.rows = rows->centred ? rows->centred : rows,
                                  .count = rows->view->rows};
    if (ranks) return smo_cache_gram_part(ctx, &all, ranks, gram, err);
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
