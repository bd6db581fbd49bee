#include "data/hash_text.h"

#include <stdlib.h>

#include "base/base.h"

static uint32_t hash_rotate(uint32_t x, int by)
{
    return x << by | x >> (32 - by);
}

static uint32_t hash_mix(uint32_t block)
{
    return hash_rotate(block * 0xcc9e2d51u, 15) * 0x1b873593u;
}

uint32_t hsp__murmur3(const char *bytes, size_t size, uint32_t seed)
{
    const unsigned char *p = (const unsigned char *)bytes, *end = p + (size & ~(size_t)3);
    uint32_t hash = seed, tail = 0;
    for (; p < end; p += 4) {
        hash ^= hash_mix(p[0] | (uint32_t)p[1] << 8 | (uint32_t)p[2] << 16 | (uint32_t)p[3] << 24);
        hash = hash_rotate(hash, 13) * 5 + 0xe6546b64u;
    }
    for (size_t i = 0; i < (size & 3); i++)
        tail |= (uint32_t)p[i] << 8 * i;
    hash ^= hash_mix(tail);
    hash ^= (uint32_t)size;
    hash = (hash ^ hash >> 16) * 0x85ebca6bu;
    hash = (hash ^ hash >> 13) * 0xc2b2ae35u;
    return hash ^ hash >> 16;
}

void hsp__hash_lists_init(hsp__hash_lists *lists, const hsp_allocator *memory)
{
    *lists = (hsp__hash_lists){0};
    hsp__text_init(&lists->words, memory);
}

void hsp__hash_lists_free(hsp__hash_lists *lists)
{
    const hsp_allocator memory = lists->words.memory;
    hsp__free(&memory, lists->ends);
    hsp__free(&memory, lists->entries);
    hsp__free(&memory, lists->bounds);
    hsp__text_free(&lists->words);
    hsp__hash_lists_init(lists, &memory);
}

/* A letter, a digit or an underscore of ASCII, or any byte of another character. */
static int hash_is_word(unsigned char c)
{
    return (c >= '0' && c <= '9') || ((c | 0x20) >= 'a' && (c | 0x20) <= 'z') || c == '_' ||
           c >= 0x80;
}

/* The words of the text, in lower case; returns how many. */
static uint64_t hash_split(hsp__hash_lists *lists, const char *text, size_t size)
{
    uint64_t count = 0;
    lists->words.size = 0;
    for (size_t i = 0, from; i < size;) {
        for (; i < size && !hash_is_word((unsigned char)text[i]);)
            i++;
        for (from = i; i < size && hash_is_word((unsigned char)text[i]);)
            i++;
        if (i == from) break;
        if (!hsp__reserve(&lists->words.memory, &lists->bounds, &lists->bounds_room,
                          2 * (count + 1), sizeof *lists->bounds)) {
            lists->words.failed = 1;
            return 0;
        }
        if (count) hsp__text_add(&lists->words, " ", 1);
        lists->bounds[2 * count] = lists->words.size;
        for (; from < i; from++) {
            const char c = text[from], lower = c >= 'A' && c <= 'Z' ? (char)(c | 0x20) : c;
            hsp__text_add(&lists->words, &lower, 1);
        }
        lists->bounds[2 * count++ + 1] = lists->words.size;
    }
    return count;
}

static int hash_compare(const void *left, const void *right)
{
    const hsp__hash_entry *a = left, *b = right;
    return a->feature < b->feature ? -1 : a->feature > b->feature;
}

int hsp__hash_text(hsp__hash_lists *lists, const char *text, size_t size, uint32_t features,
                   int ngrams)
{
    const hsp_allocator *memory = &lists->words.memory;
    const uint64_t count = hash_split(lists, text, size), first = lists->size;
    assert(features && features <= HSP__HASH_MOST && ngrams >= 1);
    if (lists->words.failed ||
        !hsp__reserve(memory, &lists->entries, &lists->room, first + count * (uint64_t)ngrams,
                      sizeof *lists->entries) ||
        !hsp__reserve(memory, &lists->ends, &lists->ends_room, lists->count + 1,
                      sizeof *lists->ends))
        return 0;
    uint64_t to = first;
    for (uint64_t n = 1; n <= (uint64_t)ngrams; n++)
        for (uint64_t i = 0; i + n <= count; i++) {
            const uint64_t from = lists->bounds[2 * i], end = lists->bounds[2 * (i + n) - 1];
            const uint32_t hash = hsp__murmur3(lists->words.data + from, (size_t)(end - from), 0);
            const int negative = hash >> 31;
            lists->entries[to++] =
                (hsp__hash_entry){(negative ? 0 - hash : hash) % features, negative ? -1 : 1};
        }
    /* those of one feature together, without zeros */
    if (to > first) qsort(lists->entries + first, to - first, sizeof *lists->entries, hash_compare);
    uint64_t kept = first;
    for (uint64_t k = first; k < to;) {
        hsp__hash_entry sum = lists->entries[k++];
        for (; k < to && lists->entries[k].feature == sum.feature; k++)
            sum.value += lists->entries[k].value;
        if (sum.value) lists->entries[kept++] = sum;
    }
    lists->size = kept;
    lists->ends[lists->count++] = kept;
    return 1;
}

int hsp__hash_lists_move(hsp__hash_lists *to, hsp__hash_lists *from)
{
    const hsp_allocator *memory = &to->words.memory;
    if (!from->count) return 1;
    if (!hsp__reserve(memory, &to->entries, &to->room, to->size + from->size,
                      sizeof *to->entries) ||
        !hsp__reserve(memory, &to->ends, &to->ends_room, to->count + from->count, sizeof *to->ends))
        return 0;
    if (from->size) memcpy(to->entries + to->size, from->entries, from->size * sizeof *to->entries);
    for (uint64_t i = 0; i < from->count; i++)
        to->ends[to->count + i] = to->size + from->ends[i];
    to->size += from->size;
    to->count += from->count;
    from->count = from->size = 0;
    return 1;
}
