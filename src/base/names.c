#include "base/names.h"

#include <stdlib.h>
#include <string.h>

#include "base/decimal.h"
#include "base/memory.h"

void hsp__names_init(hsp__names *names, const hsp_allocator *memory)
{
    *names = (hsp__names){.memory = *memory};
}

void hsp__names_free(hsp__names *names)
{
    hsp__free(&names->memory, names->bytes);
    hsp__free(&names->memory, names->offsets);
    hsp__free(&names->memory, names->slots);
    hsp__names_init(names, &names->memory);
}

const char *hsp__names_get(const hsp__names *names, uint32_t number)
{
    return names->bytes + names->offsets[number];
}

size_t hsp__names_size(const hsp__names *names, uint32_t number)
{
    uint64_t end = number + 1 < names->count ? names->offsets[number + 1] : names->used;
    return (size_t)(end - names->offsets[number] - 1);
}

__extension__ typedef unsigned __int128 names_wide;

/* Eight bytes at a time, folded by a 128-bit product. It begins with the address of the slots,
 * which whoever writes a file cannot know: names that collide cannot be prepared. (No result
 * depends on where in the slots a name lies.) */
static uint64_t names_hash(const hsp__names *names, const char *name, size_t size)
{
    uint64_t h = size ^ ((uint64_t)(uintptr_t)names->slots * 0x9E3779B97F4A7C15u);
    while (size) {
        uint64_t word = 0;
        size_t part = size < 8 ? size : 8;
        memcpy(&word, name, part);
        names_wide product = (names_wide)(h + word) * 0xE7037ED1A0B428DBu;
        h = (uint64_t)product ^ (uint64_t)(product >> 64);
        name += part;
        size -= part;
    }
    return h ^ (h >> 32);
}

/* The slot that holds the name, or the free one where it belongs. */
static uint64_t names_slot(const hsp__names *names, const char *name, size_t size)
{
    uint64_t mask = names->slots_room - 1, i = names_hash(names, name, size) & mask;
    for (; names->slots[i]; i = (i + 1) & mask) {
        uint32_t number = names->slots[i] - 1;
        if (hsp__names_size(names, number) == size &&
            memcmp(hsp__names_get(names, number), name, size) == 0)
            break;
    }
    return i;
}

uint32_t hsp__names_find(const hsp__names *names, const char *name, size_t size)
{
    if (!names->slots_room) return HSP__NAME_NONE;
    uint32_t slot = names->slots[names_slot(names, name, size)];
    return slot ? slot - 1 : HSP__NAME_NONE;
}

static int names_rehash(hsp__names *names, uint64_t room)
{
    uint32_t *slots = hsp__new(&names->memory, room, sizeof *slots);
    if (!slots) return 0;
    hsp__free(&names->memory, names->slots);
    names->slots = slots;
    names->slots_room = room;
    for (uint32_t i = 0; i < names->count; i++)
        slots[names_slot(names, hsp__names_get(names, i), hsp__names_size(names, i))] = i + 1;
    return 1;
}

int hsp__names_add(hsp__names *names, const char *name, size_t size, uint32_t *number)
{
    if ((uint64_t)names->count * 2 >= names->slots_room &&
        !names_rehash(names, names->slots_room ? names->slots_room * 2 : 16))
        return 0;
    uint64_t slot = names_slot(names, name, size);
    if (!names->slots[slot]) {
        if (names->count == UINT32_MAX - 1 ||
            !hsp__reserve(&names->memory, &names->bytes, &names->room, names->used + size + 1, 1) ||
            !hsp__reserve(&names->memory, &names->offsets, &names->offsets_room,
                          (uint64_t)names->count + 1, sizeof *names->offsets))
            return 0;
        memcpy(names->bytes + names->used, name, size);
        names->bytes[names->used + size] = 0;
        names->offsets[names->count++] = names->used;
        names->used += size + 1;
        names->slots[slot] = names->count;
    }
    *number = names->slots[slot] - 1;
    return 1;
}

int hsp__names_copy(hsp__names *to, const hsp__names *from)
{
    uint32_t number;
    for (uint32_t i = 0; i < from->count; i++)
        if (!hsp__names_add(to, hsp__names_get(from, i), hsp__names_size(from, i), &number))
            return 0;
    return 1;
}

typedef struct names_key {
    double value; /* when is_number */
    int is_number;
    const char *name;
    uint32_t number;
} names_key;

static int names_compare(const void *left, const void *right)
{
    const names_key *a = left, *b = right;
    if (a->is_number != b->is_number) return b->is_number - a->is_number;
    if (a->is_number && a->value != b->value) return a->value < b->value ? -1 : 1;
    return strcmp(a->name, b->name);
}

int hsp__names_sort(hsp__names *names, uint32_t *map)
{
    hsp__names sorted;
    hsp__names_init(&sorted, &names->memory);
    names_key *keys = hsp__new(&names->memory, names->count, sizeof *keys);
    int done = keys != NULL;
    for (uint32_t i = 0; done && i < names->count; i++) {
        hsp__decimal_result result;
        keys[i] = (names_key){0, 0, hsp__names_get(names, i), i};
        const char *end = keys[i].name + hsp__names_size(names, i);
        keys[i].is_number = hsp__decimal_f64(keys[i].name, end, &keys[i].value, &result) == end &&
                            result == HSP__DECIMAL_OK;
    }
    if (done && names->count) qsort(keys, names->count, sizeof *keys, names_compare);
    for (uint32_t i = 0; done && i < names->count; i++)
        done = hsp__names_add(&sorted, keys[i].name, strlen(keys[i].name), &map[keys[i].number]);
    hsp__free(&names->memory, keys);
    if (done) {
        hsp__names_free(names);
        *names = sorted;
    } else {
        hsp__names_free(&sorted);
    }
    return done;
}
