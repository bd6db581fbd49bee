/* Blocks that the checker owns, sentences, and leaving with one. */
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "check1.h"

struct hsv1_block {
    hsv1_block *older;
    size_t integers, rationals; /* numbers in it that GMP has to clear */
    max_align_t start[];
};

static void *memory_block(hsv1_checker *c, size_t count, size_t size)
{
    hsv1_block *block;
    if (count > (SIZE_MAX / 2 - sizeof *block) / size ||
        !(block = calloc(1, sizeof *block + count * size)))
        hsv1_fail(c, HALFSPACE1_NO_MEMORY, "out of memory");
    block->older = c->blocks;
    c->blocks = block;
    return block->start;
}

void *hsv1_new(hsv1_checker *c, size_t count, size_t size)
{
    return memory_block(c, count, size);
}

mpz_t *hsv1_integers(hsv1_checker *c, size_t count)
{
    mpz_t *numbers = memory_block(c, count, sizeof *numbers);
    for (size_t i = 0; i < count; i++)
        mpz_init(numbers[i]);
    c->blocks->integers = count;
    return numbers;
}

mpq_t *hsv1_rationals(hsv1_checker *c, size_t count)
{
    mpq_t *numbers = memory_block(c, count, sizeof *numbers);
    for (size_t i = 0; i < count; i++)
        mpq_init(numbers[i]);
    c->blocks->rationals = count;
    return numbers;
}

hsv1_block *hsv1_mark(const hsv1_checker *c)
{
    return c->blocks;
}

void hsv1_release(hsv1_checker *c, hsv1_block *mark)
{
    while (c->blocks != mark) {
        hsv1_block *block = c->blocks;
        for (size_t i = 0; !c->broken && i < block->integers; i++)
            mpz_clear(((mpz_t *)block->start)[i]);
        for (size_t i = 0; !c->broken && i < block->rationals; i++)
            mpq_clear(((mpq_t *)block->start)[i]);
        c->blocks = block->older;
        free(block);
    }
}

/* ---- GMP's memory -----------------------------------------------------------------------------
 *
 * GMP knows no failure: where there is no memory it ends the program. Its functions are replaced
 * while a checker works, by some that leave through hsv1_fail. GMP may be in the middle of a number
 * then, which it has freed, perhaps: numbers are not cleared after that, their memory is lost. */

static _Thread_local hsv1_checker *memory_checker; /* the one that works in this thread */

static void *memory_kept(void *block)
{
    if (block) return block;
    if (!memory_checker) { /* of another thread that uses GMP, as GMP does it */
        fputs("GNU MP: Cannot allocate memory\n", stderr);
        abort();
    }
    memory_checker->broken = 1;
    hsv1_fail(memory_checker, HALFSPACE1_NO_MEMORY, "out of memory");
}

static void *memory_number(size_t size)
{
    return memory_kept(malloc(size));
}

static void *memory_resize(void *block, size_t before, size_t size)
{
    (void)before;
    return memory_kept(realloc(block, size));
}

static void memory_drop(void *block, size_t size)
{
    (void)size;
    free(block);
}

void hsv1_memory_begin(hsv1_checker *c)
{
    memory_checker = c;
    mp_get_memory_functions(&c->allocate, &c->resize, &c->drop);
    mp_set_memory_functions(memory_number, memory_resize, memory_drop);
}

void hsv1_memory_end(hsv1_checker *c)
{
    mp_set_memory_functions(c->allocate, c->resize, c->drop);
    memory_checker = NULL;
}

/* ---- Sentences ------------------------------------------------------------------------------- */

void hsv1_fail(hsv1_checker *c, int status, const char *format, ...)
{
    va_list list;
    int used = 0;
    if (c->claim) used = snprintf(c->message, sizeof c->message, "claim %zu: ", c->claim);
    va_start(list, format);
    vsnprintf(c->message + used, sizeof c->message - (size_t)used, format, list);
    va_end(list);
    c->status = status;
    longjmp(c->failure, 1);
}

void hsv1_say(hsv1_checker *c, const char *format, ...)
{
    va_list list;
    if (!c->out) return;
    hsv1_block *mark = hsv1_mark(c);
    va_start(list, format);
    const size_t size = (size_t)vsnprintf(NULL, 0, format, list) + 1;
    va_end(list);
    char *text = hsv1_new(c, size, 1);
    va_start(list, format);
    vsnprintf(text, size, format, list);
    va_end(list);
    if (c->claim) fprintf(c->out, "claim %zu: ", c->claim);
    hsv1_put(c->out, text);
    fputc('\n', c->out);
    hsv1_release(c, mark);
}

/* ---- Text of others -------------------------------------------------------------------------- */

/* The size of the character at p if it can be printed as it is, else 0: control characters, those
 * that break lines or turn the direction of writing, bytes that are not UTF-8. */
static size_t memory_printable(const unsigned char *p)
{
    if (*p < 0x80) return *p >= 0x20 && *p != 0x7f;
    const size_t size = *p >= 0xf0 ? 4 : *p >= 0xe0 ? 3 : 2;
    uint32_t code = *p & (0xffu >> (size + 1));
    if (*p < 0xc2 || *p > 0xf4) return 0;
    for (size_t i = 1; i < size; i++) {
        if ((p[i] & 0xc0) != 0x80) return 0;
        code = code << 6 | (p[i] & 0x3f);
    }
    const int overlong = (size == 3 && code < 0x800) || (size == 4 && code < 0x10000);
    if (overlong || code > 0x10ffff || (code >= 0xd800 && code < 0xe000)) return 0;
    if (code < 0xa0 || (code >= 0x200b && code <= 0x200f) || (code >= 0x2028 && code <= 0x202e) ||
        (code >= 0x2060 && code <= 0x206f) || code == 0xfeff)
        return 0;
    return size;
}

void hsv1_put(FILE *out, const char *text)
{
    for (const unsigned char *p = (const unsigned char *)text; *p;) {
        const size_t size = memory_printable(p);
        if (size)
            fwrite(p, 1, size, out);
        else
            fprintf(out, "\\x%02x", *p);
        p += size ? size : 1;
    }
}

const char *hsv1_quote(hsv1_checker *c, const char *text)
{
    const size_t most = 200, whole = strlen(text);
    size_t size = whole < most ? whole : most;
    while (size < whole && size && (text[size] & 0xc0) == 0x80)
        size--; /* not in the middle of a character */
    char *quoted = hsv1_new(c, 2 * size + 6, 1), *to = quoted;
    *to++ = '"';
    for (size_t i = 0; i < size; i++) {
        if (text[i] == '"' || text[i] == '\\') *to++ = '\\';
        *to++ = text[i];
    }
    memcpy(to, size < whole ? "\"..." : "\"\0\0\0", 5);
    return quoted;
}
