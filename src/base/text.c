#include "base/text.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/memory.h"

void hsp__text_init(hsp__text *text, const hsp_allocator *memory)
{
    *text = (hsp__text){.memory = *memory};
}

void hsp__text_free(hsp__text *text)
{
    hsp__free(&text->memory, text->data);
    *text = (hsp__text){.memory = text->memory, .failed = text->failed};
}

char *hsp__text_room(hsp__text *text, size_t size)
{
    if (text->failed) return NULL;
    text->failed = !hsp__reserve(&text->memory, &text->data, &text->capacity,
                                 (uint64_t)text->size + size + 1, 1);
    return text->failed ? NULL : text->data + text->size;
}

void hsp__text_add(hsp__text *text, const void *bytes, size_t size)
{
    char *room = hsp__text_room(text, size);
    if (!room) return;
    if (size) memcpy(room, bytes, size);
    room[size] = 0;
    text->size += size;
}

void hsp__text_puts(hsp__text *text, const char *string)
{
    hsp__text_add(text, string, strlen(string));
}

void hsp__text_printf(hsp__text *text, const char *format, ...)
{
    va_list args, again;
    va_start(args, format);
    va_copy(again, args);
    int size = vsnprintf(NULL, 0, format, args);
    va_end(args);
    if (size < 0) text->failed = 1;
    char *room = size < 0 ? NULL : hsp__text_room(text, (size_t)size);
    if (room) {
        vsnprintf(room, (size_t)size + 1, format, again);
        text->size += (size_t)size;
    }
    va_end(again);
}
