/* A growing piece of text (or bytes). Appending never fails half-way: the first failure is
 * remembered, later appends do nothing, and the end asks once. */
#ifndef HSP_BASE_TEXT_H
#define HSP_BASE_TEXT_H

#include <stddef.h>

#include "halfspace_all.h"

typedef struct hsp__text {
    hsp_allocator memory;
    char *data; /* size bytes, and a NUL behind them once anything was appended */
    size_t size;
    uint64_t capacity;
    int failed; /* memory ran out */
} hsp__text;

void hsp__text_init(hsp__text *text, const hsp_allocator *memory);
void hsp__text_free(hsp__text *text);
void hsp__text_add(hsp__text *text, const void *bytes, size_t size);
void hsp__text_puts(hsp__text *text, const char *string);
void hsp__text_printf(hsp__text *text, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/* Room for `size` more bytes at the end: write there, then add what was used to text->size. NULL
 * when there is no memory. */
char *hsp__text_room(hsp__text *text, size_t size);

#endif
