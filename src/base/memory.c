#include "base/memory.h"

#include <stddef.h>
#include <string.h>

#include "base/error.h"
#include "base/paging.h"
#include "base/scratch.h"

#define MEMORY_ZEROS ((size_t)1 << 20) /* that are written in one go */

/* SIZE_MAX: that is too much. */
static size_t memory_bytes(uint64_t count, size_t size)
{
    if (count > SIZE_MAX / 2 / size) return SIZE_MAX;
    return count ? (size_t)count * size : 1;
}

void *hsp__new_raw(const hsp_allocator *memory, uint64_t count, size_t size)
{
    return hsp__resize(memory, NULL, count, size);
}

void hsp__zero(const hsp_allocator *memory, void *block, size_t bytes)
{
    char *to = block;
    for (size_t some; bytes; to += some, bytes -= some) {
        some = bytes < MEMORY_ZEROS ? bytes : MEMORY_ZEROS;
        memset(to, 0, some);
        if (bytes >= MEMORY_ZEROS) hsp__paging_check(memory);
    }
}

void *hsp__new(const hsp_allocator *memory, uint64_t count, size_t size)
{
    void *block = hsp__new_raw(memory, count, size);
    if (block) hsp__zero(memory, block, memory_bytes(count, size));
    return block;
}

/* In front of an object; as large as the strictest alignment. */
typedef union memory_owner {
    hsp_allocator memory;
    max_align_t align;
} memory_owner;

void *hsp__owned_new(const hsp_allocator *memory, uint64_t count, size_t size)
{
    const size_t bytes = memory_bytes(count, size);
    if (bytes == SIZE_MAX) return NULL;
    memory_owner *owner = hsp__new(memory, 1, sizeof *owner + bytes);
    if (!owner) return NULL;
    owner->memory = *memory;
    return owner + 1;
}

const hsp_allocator *hsp__owned_memory(const void *object)
{
    return &((const memory_owner *)object - 1)->memory;
}

void hsp__owned_free(void *object)
{
    if (!object) return;
    memory_owner *owner = (memory_owner *)object - 1;
    const hsp_allocator memory = owner->memory;
    hsp__free(&memory, owner);
}

void *hsp__resize(const hsp_allocator *memory, void *pointer, uint64_t count, size_t size)
{
    const size_t bytes = memory_bytes(count, size);
    void *block = bytes < SIZE_MAX ? memory->reallocate(memory->user, pointer, bytes) : NULL;
    hsp__error_asked(bytes, block != NULL);
    return block;
}

void hsp__free(const hsp_allocator *memory, void *pointer)
{
    if (pointer) memory->release(memory->user, pointer);
}

char *hsp__copy_text(const hsp_allocator *memory, const char *text, size_t size)
{
    char *copy = hsp__new_raw(memory, (uint64_t)size + 1, 1);
    if (!copy) return NULL;
    memcpy(copy, text, size);
    copy[size] = 0;
    return copy;
}

int hsp__reserve(const hsp_allocator *memory, void *pointer, uint64_t *capacity, uint64_t needed,
                 size_t size)
{
    if (needed <= *capacity) return 1;
    uint64_t target = *capacity + *capacity / 2 + 16;
    if (target < needed) target = needed;
    void *block;
    memcpy(&block, pointer, sizeof block); /* a pointer of another type than void * */
    block = hsp__resize(memory, block, target, size);
    if (!block) return 0;
    memcpy(pointer, &block, sizeof block);
    *capacity = target;
    return 1;
}

/* ---- Memory of one call ------------------------------------------------------------------- */

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
    if (block) hsp__zero(scratch->memory, block, count * size);
    return block;
}

void hsp__scratch_free(hsp__scratch *scratch)
{
    while (scratch->last) {
        scratch_head *block = scratch->last;
        scratch->last = block->before;
        hsp__free(scratch->memory, block);
    }
}
