/* Memory with a limit (hsp_memory_limit in the public header), as the rest of the library sees it: an allocator whose large
 * blocks may lie in files. Each of these calls does nothing if `memory` is another allocator. */
#ifndef HSP_BASE_PAGING_H
#define HSP_BASE_PAGING_H

#include "halfspace_all.h"

/* Is there a limit, and would `bytes` of data exceed the part of it that is for blocks in memory? */
int hsp__paging_exceeds(const hsp_allocator *memory, uint64_t bytes);

/* Give pages of files back if resident memory is near the limit. Cheap: every tick and every report of
 * progress calls it. Loops that read or write more than some megabytes between those call it
 * themselves. */
void hsp__paging_check(const hsp_allocator *memory);

/* The same, in a loop over rows. */
#define HSP__PAGING_ROWS 16
static inline void hsp__paging_row(const hsp_allocator *memory, uint64_t i)
{
    if (i % HSP__PAGING_ROWS == 0) hsp__paging_check(memory);
}

/* The bytes are about to be read: begin to read those that are in a file. */
void hsp__paging_expect(const hsp_allocator *memory, const void *from, uint64_t bytes);

/* Ask the system for large pages under a large array, unless it is in a file: a large page would be
 * resident as a whole after one access. */
void hsp__advise_huge(const hsp_allocator *memory, void *pointer, uint64_t bytes);

/* A file that the caller mapped, read only, counts as a block in a file until it is released, which
 * the caller does before it unmaps it. The caller may close `fd`. 0: out of memory. */
int hsp__paging_adopt(const hsp_allocator *memory, void *map, uint64_t bytes, int fd);
void hsp__paging_release(const hsp_allocator *memory, void *map);

#endif
