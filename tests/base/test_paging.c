/* Memory with a limit: blocks keep their bytes as they grow, go to files, shrink and come and go, while pages are given
 * back at any moment; the resident size stays below the limit plus 64 MB; refusals are said in words. */
#include <stdio.h>
#include <string.h>

#include "../check.h"
#include "base/base.h"
#include "base/paging.h"

#define MB ((uint64_t)1 << 20)

/* Numbers that a loop writes or reads between two looks at the memory: what keeps the limit whenever the keeper comes
 * late. */
#define LOOK 4096

/* Under a sanitizer, the shadow of memory counts as resident, too. */
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define SANITIZED 1
#else
#define SANITIZED 0
#endif

static hsp_memory_limit *limit_of(uint64_t bytes, hsp_allocator *memory)
{
    hsp_error err = {0};
    hsp_memory_limit *limit = NULL;
    CHECK_NOTE(hsp_memory_limit_new(bytes, NULL, &err, &limit) == HSP_OK, "%s", err.message);
    *memory = hsp_memory_limit_allocator(limit);
    return limit;
}

static uint64_t peak_kb(void)
{
    unsigned long long kb = 0;
    char line[256];
    FILE *file = fopen("/proc/self/status", "r");
    while (file && fgets(line, sizeof line, file))
        if (sscanf(line, "VmHWM: %llu", &kb) == 1) break;
    if (file) fclose(file);
    return kb;
}

/* A block grows from a few bytes to four times the limit, and shrinks again. */
static void test_growth(void)
{
    hsp_allocator memory;
    hsp_memory_limit *limit = limit_of(32 * MB, &memory);
    uint64_t *block = NULL, count = 0;
    for (uint64_t room = 4; room <= 16 * MB; room *= 2) {
        block = hsp__resize(&memory, block, room, sizeof *block);
        CHECK(block != NULL);
        for (uint64_t i = 0; i < count; i++) {
            if (i % LOOK == 0) hsp__paging_check(&memory);
            if (block[i] != i * 3) CHECK(block[i] == i * 3);
        }
        for (; count < room; count++) {
            if (count % LOOK == 0) hsp__paging_check(&memory);
            block[count] = count * 3;
        }
    }
    block = hsp__resize(&memory, block, 1000, sizeof *block);
    for (uint64_t i = 0; i < 1000; i++)
        CHECK(block[i] == i * 3);
    hsp__free(&memory, block);
    CHECK(hsp_memory_limit_refused(limit) == NULL);
    hsp_memory_limit_free(limit);
    if (!SANITIZED) CHECK(peak_kb() < (32 + 64) * 1024);
}

/* Hundreds of blocks of all sizes, more than the system has numbers for files if each needed one. */
static void test_many(void)
{
    enum { BLOCKS = 1500 };
    hsp_allocator memory;
    hsp_memory_limit *limit = limit_of(HSP_MEMORY_LEAST, &memory);
    unsigned char *blocks[BLOCKS];
    for (int i = 0; i < BLOCKS; i++) {
        const uint64_t bytes = 66000 + (uint64_t)(i % 90) * 1000;
        blocks[i] = hsp__new(&memory, bytes, 1);
        CHECK(blocks[i] != NULL);
        memset(blocks[i], i & 255, bytes);
    }
    for (int i = 0; i < BLOCKS; i++) {
        const uint64_t bytes = 66000 + (uint64_t)(i % 90) * 1000, more = bytes + 70000;
        blocks[i] = hsp__resize(&memory, blocks[i], more, 1);
        CHECK(blocks[i] && blocks[i][0] == (i & 255) && blocks[i][bytes - 1] == (i & 255));
        memset(blocks[i], i & 255, more);
    }
    for (int i = 0; i < BLOCKS; i++) {
        const uint64_t most = 136000 + (uint64_t)(i % 90) * 1000;
        CHECK(blocks[i][most - 1] == (i & 255));
        hsp__free(&memory, blocks[i]);
    }
    hsp_memory_limit_free(limit);
}

typedef struct writers {
    hsp_context *ctx;
    uint64_t *values, count, parts;
    uint64_t round;
} writers;

static void write_part(void *user, uint64_t part)
{
    const writers *all = user;
    const uint64_t to = hsp__part(all->count, all->parts, part + 1);
    for (uint64_t i = hsp__part(all->count, all->parts, part); i < to; i++) {
        if (i % LOOK == 0) hsp__tick(all->ctx);
        all->values[i] = all->values[i] * 3 + (i ^ all->round);
    }
}

/* Several threads write while pages are given back: no write is lost. */
static void test_writers(void)
{
    hsp_allocator memory;
    hsp_memory_limit *limit = limit_of(HSP_MEMORY_LEAST, &memory);
    hsp_context *ctx = NULL;
    CHECK(hsp_context_new(&memory, &ctx) == HSP_OK);
    CHECK(hsp_context_set_threads(ctx, 4) == HSP_OK);
    writers all = {.ctx = ctx, .count = 8 * MB, .parts = 37};
    all.values = hsp__new(&memory, all.count, sizeof *all.values);
    CHECK(all.values != NULL);
    CHECK(hsp__paging_exceeds(&memory, all.count * sizeof *all.values));
    for (all.round = 0; all.round < 3; all.round++)
        hsp__tasks_run(ctx, all.parts, write_part, &all);
    uint64_t wrong = 0;
    for (uint64_t i = 0; i < all.count; i++) {
        if (i % LOOK == 0) hsp__paging_check(&memory);
        uint64_t value = 0;
        for (uint64_t round = 0; round < 3; round++)
            value = value * 3 + (i ^ round);
        wrong += all.values[i] != value;
    }
    CHECK(wrong == 0);
    hsp__free(&memory, all.values);
    hsp_context_free(ctx);
    hsp_memory_limit_free(limit);
    if (!SANITIZED) CHECK(peak_kb() < (32 + 64) * 1024);
}

/* Small blocks are never in files: more of them than the limit are refused, with a reason. */
static void test_refused(void)
{
    hsp_allocator memory;
    hsp_memory_limit *limit = limit_of(HSP_MEMORY_LEAST, &memory);
    void **chain = NULL;
    for (int i = 0; i < 1000; i++) {
        void **link = hsp__new(&memory, 60000, 1);
        if (!link) break;
        *link = chain;
        chain = link;
    }
    const char *why = hsp_memory_limit_refused(limit);
    CHECK(why && strstr(why, "this work needs at least 33."));
    while (chain) {
        void **link = chain;
        chain = *link;
        hsp__free(&memory, link);
    }
    hsp_memory_limit_free(limit);
    hsp_error err = {0};
    limit = NULL;
    CHECK(hsp_memory_limit_new(HSP_MEMORY_LEAST - 1, NULL, &err, &limit) == HSP_USAGE);
    CHECK(hsp_memory_limit_new(HSP_MEMORY_LEAST, "/nowhere", &err, &limit) == HSP_IO);
    CHECK(strstr(err.file, "/nowhere") && !limit);
    CHECK(hsp_memory_limit_refused(NULL) == NULL);
    hsp_memory_limit_free(NULL);
}

int main(void)
{
    RUN(test_growth);
    RUN(test_many);
    RUN(test_writers);
    RUN(test_refused);
    return check_done();
}
