/* A list of distinct names, numbered in the order they were added, found by hashing: classes,
 * features, categories. */
#ifndef HSP_BASE_NAMES_H
#define HSP_BASE_NAMES_H

#include <stddef.h>

#include "halfspace_all.h"

#define HSP__NAME_NONE UINT32_MAX

typedef struct hsp__names {
    hsp_allocator memory;
    uint32_t count;
    char *bytes; /* the names, NUL-terminated, one behind the other */
    uint64_t used, room;
    uint64_t *offsets; /* count: where each name starts in bytes */
    uint64_t offsets_room;
    uint32_t *slots; /* slots_room, a power of two: name number + 1, or 0 */
    uint64_t slots_room;
} hsp__names;

void hsp__names_init(hsp__names *names, const hsp_allocator *memory);
void hsp__names_free(hsp__names *names);

/* The number of a name, added if it is new. 0 when there is no memory (or no number left). Names
 * may hold any bytes but NUL. */
int hsp__names_add(hsp__names *names, const char *name, size_t size, uint32_t *number);

/* The number of a name, or HSP__NAME_NONE. */
uint32_t hsp__names_find(const hsp__names *names, const char *name, size_t size);

/* Valid until the next add. */
const char *hsp__names_get(const hsp__names *names, uint32_t number);
size_t hsp__names_size(const hsp__names *names, uint32_t number);

int hsp__names_copy(hsp__names *to, const hsp__names *from);

/* Reorder: names that are numbers first, by value, then the others by their bytes. map[old] = new;
 * `map` holds count numbers. 0 when there is no memory. */
int hsp__names_sort(hsp__names *names, uint32_t *map);

#endif
