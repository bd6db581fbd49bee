#include "base/scratch.h"

#include <stddef.h>
#include <string.h>

#include "base/memory.h"

/* A block begins with the address of the one before it; what follows is aligned for any type. */
typedef union scratch_head {
    void *before;
    max_align_t align;
} scratch_head;

void *hsp__scratch_raw(hsp__scratch *scratch, uint64_t count, size_t size)
{
    const uint64_t head = (sizeof(scratch_head) + size - 1) / size; /* items that it takes */
    scratch_head *block =
        hsp__new_raw(scratch->memory, count < UINT64_MAX - head ? count + head : UINT64_MAX, size);
    if (!block) {
        scratch->failed = 1;
        return NULL;
    }
    block->before = scratch->last;
    scratch->last = block;
    return block + 1;
}

void *hsp__scratch_new(hsp__scratch *scratch, uint64_t count, size_t size)
{
    void *block = hsp__scratch_raw(scratch, count, size);
    return block ? memset(block, 0, count * size) : NULL;
}

void hsp__scratch_free(hsp__scratch *scratch)
{
    while (scratch->last) {
        scratch_head *block = scratch->last;
        scratch->last = block->before;
        hsp__free(scratch->memory, block);
    }
}
