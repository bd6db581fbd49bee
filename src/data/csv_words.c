/* Words into numbers: the same few words come again and again, so the last ones seen are found by
 * comparing a few machine words, and only others are looked up by their hash. */
#include <string.h>

#include "base/memory.h"
#include "data/csv.h"

void hsp__csv_words_free(hsp__csv_words *words)
{
    hsp__free(&words->names.memory, words->map);
    hsp__names_free(&words->names);
}

/* The first and the last eight bytes of a word (which overlap in short ones): with the size they
 * are all of a word of up to 16 bytes. */
static inline struct hsp__csv_recent csv_word_key(const char *text, size_t size)
{
    struct hsp__csv_recent key = {0, 0, (uint32_t)size, 0};
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

static inline size_t csv_word_slot(const struct hsp__csv_recent *key)
{
    uint64_t mixed = key->head ^ (key->tail + key->size) * UINT64_C(0x9e3779b97f4a7c15);
    return (size_t)(mixed * UINT64_C(0xd6e8feb86659fd93) >> 56);
}

_Static_assert(HSP__CSV_RECENT == 256, "a slot is the top byte of the hash");

uint32_t hsp__csv_words_recent(const hsp__csv_words *words, const char *text, size_t size)
{
    if (size < 1 || size >= UINT32_MAX) return HSP__NAME_NONE;
    struct hsp__csv_recent key = csv_word_key(text, size);
    const struct hsp__csv_recent *recent = &words->recent[csv_word_slot(&key)];
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
    struct hsp__csv_recent key = csv_word_key(text, size);
    key.number = *number;
    words->recent[csv_word_slot(&key)] = key;
    return 1;
}
