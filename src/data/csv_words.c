/* Words into numbers: the same few words come again and again, so the last ones seen are found by
 * comparing three machine words, and only others are looked up by their hash. */
#include <string.h>

#include "base/memory.h"
#include "data/csv.h"

void hsp__csv_words_init(hsp__csv_words *words, const hsp_allocator *memory)
{
    memset(words, 0, sizeof *words);
    hsp__names_init(&words->names, memory);
    for (size_t i = 0; i < HSP__CSV_RECENT; i++)
        words->recent[i].size = UINT32_MAX; /* the size of no word that is kept here */
}

void hsp__csv_words_free(hsp__csv_words *words)
{
    hsp__free(&words->names.memory, words->map);
    hsp__names_free(&words->names);
}

/* The first and the last eight bytes of a word of 1 to 16 bytes. */
static void csv_word_ends(const char *text, size_t size, uint64_t *head, uint64_t *tail)
{
    memcpy(head, text, sizeof *head);
    if (size >= 8) {
        memcpy(tail, text + size - 8, sizeof *tail);
        return;
    }
#if __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
    *head >>= 64 - 8 * size;
#else
    *head <<= 64 - 8 * size;
#endif
    *tail = 0;
}

int hsp__csv_words_number(hsp__csv_words *words, const hsp__csv_field *field, uint32_t *number)
{
    const size_t size = field->size;
    if (size < 1 || size > 16) return hsp__names_add(&words->names, field->text, size, number);
    uint64_t head, tail;
    csv_word_ends(field->text, size, &head, &tail);
    uint64_t hash = (head ^ (tail + size) * UINT64_C(0x9e3779b97f4a7c15)) *
                    UINT64_C(0xd6e8feb86659fd93);
    struct hsp__csv_recent *recent = &words->recent[hash >> 56];
    if (recent->size != size || recent->head != head || recent->tail != tail) {
        if (!hsp__names_add(&words->names, field->text, size, number)) return 0;
        *recent = (struct hsp__csv_recent){head, tail, (uint32_t)size, *number};
    }
    *number = recent->number;
    return 1;
}
