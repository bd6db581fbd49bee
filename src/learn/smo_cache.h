/* Rows of a kernel matrix, kept while there is room: the ones that were not asked for longest go.
 */
#ifndef HSP_LEARN_SMO_CACHE_H
#define HSP_LEARN_SMO_CACHE_H

#include "kernel/block.h"

typedef struct hsp__smo_cache {
    hsp_context *ctx;
    const hsp__kernel_rows *rows;
    uint64_t n, slots;
    float *values;   /* slots * n */
    uint64_t *owner; /* slots: the row in it; UINT64_MAX: none */
    uint64_t *stamp; /* slots: when it was asked for last */
    uint32_t *place; /* n: the slot of a row, + 1; 0: none */
    uint64_t clock;
    uint64_t *wanted; /* slots: scratch */
} hsp__smo_cache;

/* At least two rows are kept, whatever `bytes` says. */
hsp_status hsp__smo_cache_init(hsp__smo_cache *cache, hsp_context *ctx,
                               const hsp__kernel_rows *rows, uint64_t bytes, hsp_error *err);
void hsp__smo_cache_free(hsp__smo_cache *cache);

/* lines[i] = the kernel row of list[i], count <= slots of them; *computed counts the new ones. They
 * stay until the next call. */
hsp_status hsp__smo_cache_lines(hsp__smo_cache *cache, const uint64_t *list, uint64_t count,
                                float **lines, uint64_t *computed, hsp_error *err);

#endif
