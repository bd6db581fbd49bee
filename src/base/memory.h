/* The one checked allocator: every byte the library takes comes through here, so that tests can
 * make the n-th allocation fail. */
#ifndef HSP_BASE_MEMORY_H
#define HSP_BASE_MEMORY_H

#include <stddef.h>

#include "halfspace_all.h"

/* `count` zeroed items of `size` bytes; NULL when there is no memory or the product overflows.
 * A count of 0 gives a block of one byte, so that NULL always means failure. */
void *hsp__new(const hsp_allocator *memory, uint64_t count, size_t size);

/* Zeros into a block of this memory, within its limit. */
void hsp__zero(const hsp_allocator *memory, void *block, size_t bytes);

/* An object of zeros that remembers, in front of itself, where it came from: for structs that users
 * see and free without a context. */
void *hsp__owned_new(const hsp_allocator *memory, uint64_t count, size_t size);
const hsp_allocator *hsp__owned_memory(const void *object);
void hsp__owned_free(void *object);

/* The same without clearing: for large arrays that are about to be written, whose untouched pages
 * must stay untouched. */
void *hsp__new_raw(const hsp_allocator *memory, uint64_t count, size_t size);

/* As realloc; on failure NULL, and the old block is still there. */
void *hsp__resize(const hsp_allocator *memory, void *pointer, uint64_t count, size_t size);

void hsp__free(const hsp_allocator *memory, void *pointer);

char *hsp__copy_text(const hsp_allocator *memory, const char *text, size_t size);

/* Grow an array (`pointer` is the address of a pointer of any type, *capacity its items) so that it
 * holds at least `needed` items: by half as much again at least. 0 when there is no memory; the
 * array is then as before. */
int hsp__reserve(const hsp_allocator *memory, void *pointer, uint64_t *capacity, uint64_t needed,
                 size_t size);

#endif
