/* Words into numbers: the same few words come again and again, so the last ones seen are found by
 * comparing a few machine words, and only others are looked up by their hash. */
#include <string.h>

#include "base/memory.h"
#include "data/csv.h"

#define CSV_DICTIONARY_RECENT_MOST  256
#define CSV_DICTIONARY_RECENT_BYTES ((uint64_t)1 << 20) /* a worker's, of all columns, about */

uint32_t hsp__csv_words_recent_count(uint32_t columns)
{
    uint32_t count = CSV_DICTIONARY_RECENT_MOST;
    while (count > 1 &&
           (uint64_t)count * columns * sizeof(hsp__csv_recent) > CSV_DICTIONARY_RECENT_BYTES)
        count /= 2;
    return count;
}

void hsp__csv_words_init(hsp__csv_words *words, const hsp_allocator *memory,
                         hsp__csv_recent *recent, uint32_t recent_count)
{
    *words = (hsp__csv_words){.recent = recent, .recent_mask = recent_count - 1};
    hsp__names_init(&words->names, memory);
}

void hsp__csv_words_free(hsp__csv_words *words)
{
    hsp__free(&words->names.memory, words->map);
    hsp__names_free(&words->names);
}

/* The first and the last eight bytes of a word (which overlap in short ones): with the size they
 * are all of a word of up to 16 bytes. */
static inline hsp__csv_recent csv_dictionary_word_key(const char *text, size_t size)
{
    hsp__csv_recent key = {0, 0, (uint32_t)size, 0};
    memcpy(&key.head, text, sizeof key.head);
    if (size >= 8) {
        memcpy(&key.tail, text + size - 8, sizeof key.tail);
        return key;
    }
#if __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
    key.head >>= 64 - 8 * size;
#else
    key.head <<= 64 - 8 * size;
#endif
    return key;
}

static inline size_t csv_dictionary_word_slot(const hsp__csv_words *words,
                                              const hsp__csv_recent *key)
{
    uint64_t mixed = key->head ^ (key->tail + key->size) * UINT64_C(0x9e3779b97f4a7c15);
    return (size_t)(mixed * UINT64_C(0xd6e8feb86659fd93) >> 48) & words->recent_mask;
}

uint32_t hsp__csv_words_recent(const hsp__csv_words *words, const char *text, size_t size)
{
    if (size < 1 || size >= UINT32_MAX) return HSP__NAME_NONE;
    hsp__csv_recent key = csv_dictionary_word_key(text, size);
    const hsp__csv_recent *recent = &words->recent[csv_dictionary_word_slot(words, &key)];
    if (recent->size != key.size || recent->head != key.head || recent->tail != key.tail)
        return HSP__NAME_NONE;
    if (size > 16 && memcmp(hsp__names_get(&words->names, recent->number), text, size) != 0)
        return HSP__NAME_NONE;
    return recent->number;
}

int hsp__csv_words_number(hsp__csv_words *words, const char *text, size_t size, uint32_t *number)
{
    *number = hsp__csv_words_recent(words, text, size);
    if (*number != HSP__NAME_NONE) return 1;
    if (!hsp__names_add(&words->names, text, size, number)) return 0;
    if (size < 1 || size >= UINT32_MAX) return 1;
    hsp__csv_recent key = csv_dictionary_word_key(text, size);
    key.number = *number;
    words->recent[csv_dictionary_word_slot(words, &key)] = key;
    return 1;
}
