/* Text to numbers without a list of words: each run of one to `ngrams` words is hashed to one of N
 * features, with a sign. docs/csv.md states the function, so that any program can compute it. */
#ifndef HSP_DATA_HASH_TEXT_H
#define HSP_DATA_HASH_TEXT_H

#include "base/text.h"
#include "halfspace_all.h"

#define HSP__HASH_MOST  1048576 /* features of a column */
#define HSP__HASH_WORDS 5       /* of an n-gram */

typedef struct hsp__hash_entry {
    uint32_t feature;
    int32_t value; /* n-grams with sign +, less those with - */
} hsp__hash_entry;

/* Lists of entries other than 0, ascending by feature: one list per cell. */
typedef struct hsp__hash_lists {
    uint64_t *ends; /* count: of the lists, in `entries` */
    uint64_t ends_room, count;
    hsp__hash_entry *entries;
    uint64_t room, size;
    hsp__text words;  /* scratch: the words of a cell, with a space between them */
    uint64_t *bounds; /* scratch: where each begins, then where it ends */
    uint64_t bounds_room;
} hsp__hash_lists;

void hsp__hash_lists_init(hsp__hash_lists *lists, const hsp_allocator *memory);
void hsp__hash_lists_free(hsp__hash_lists *lists);
/* Append the list of a text; 0 when there is no memory. */
int hsp__hash_text(hsp__hash_lists *lists, const char *text, size_t size, uint32_t features,
                   int ngrams);
/* Append all lists of another; 0 when there is no memory. */
int hsp__hash_lists_move(hsp__hash_lists *to, hsp__hash_lists *from);

/* The entries of list i. */
static inline const hsp__hash_entry *hsp__hash_list(const hsp__hash_lists *lists, uint32_t i,
                                                    uint64_t *count)
{
    const uint64_t from = i ? lists->ends[i - 1] : 0;
    *count = lists->ends[i] - from;
    return lists->entries + from;
}

/* MurmurHash3, x86, 32 bits. */
uint32_t hsp__murmur3(const char *bytes, size_t size, uint32_t seed);

#endif
