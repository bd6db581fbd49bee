/* Memory of one call, freed all at once. Allocate freely, ask once whether all of it was there,
 * free once at the end. */
#ifndef HSP_BASE_SCRATCH_H
#define HSP_BASE_SCRATCH_H

#include "halfspace_all.h"

typedef struct hsp__scratch {
    const hsp_allocator *memory;
    void *last; /* the newest block; each knows the one before it */
    int failed; /* some block was refused */
} hsp__scratch;

/* `count` zeroed items of `size` bytes; NULL, and scratch->failed, when there is no memory. */
void *hsp__scratch_new(hsp__scratch *scratch, uint64_t count, size_t size);
/* The same without clearing. */
void *hsp__scratch_raw(hsp__scratch *scratch, uint64_t count, size_t size);
void hsp__scratch_free(hsp__scratch *scratch);

#endif
