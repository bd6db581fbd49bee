/* Blocks that the checker owns, and leaving with a sentence. */
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "check.h"

struct hsv_block {
    hsv_block *older;
    size_t integers, rationals; /* numbers in it that GMP has to clear */
    max_align_t start[];
};

static void *memory_block(hsv_checker *c, size_t count, size_t size)
{
    hsv_block *block;
    if (count > (SIZE_MAX / 2 - sizeof *block) / size ||
        !(block = calloc(1, sizeof *block + count * size)))
        hsv_fail(c, HALFSPACE_NO_MEMORY, "out of memory");
    block->older = c->blocks;
    c->blocks = block;
    return block->start;
}

void *hsv_new(hsv_checker *c, size_t count, size_t size)
{
    return memory_block(c, count, size);
}

mpz_t *hsv_integers(hsv_checker *c, size_t count)
{
    mpz_t *numbers = memory_block(c, count, sizeof *numbers);
    for (size_t i = 0; i < count; i++)
        mpz_init(numbers[i]);
    c->blocks->integers = count;
    return numbers;
}

mpq_t *hsv_rationals(hsv_checker *c, size_t count)
{
    mpq_t *numbers = memory_block(c, count, sizeof *numbers);
    for (size_t i = 0; i < count; i++)
        mpq_init(numbers[i]);
    c->blocks->rationals = count;
    return numbers;
}

hsv_block *hsv_mark(const hsv_checker *c)
{
    return c->blocks;
}

void hsv_release(hsv_checker *c, hsv_block *mark)
{
    while (c->blocks != mark) {
        hsv_block *block = c->blocks;
        for (size_t i = 0; i < block->integers; i++)
            mpz_clear(((mpz_t *)block->start)[i]);
        for (size_t i = 0; i < block->rationals; i++)
            mpq_clear(((mpq_t *)block->start)[i]);
        c->blocks = block->older;
        free(block);
    }
}

void hsv_fail(hsv_checker *c, int status, const char *format, ...)
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

void hsv_say(hsv_checker *c, const char *format, ...)
{
    va_list list;
    if (!c->out) return;
    if (c->claim) fprintf(c->out, "claim %zu: ", c->claim);
    va_start(list, format);
    vfprintf(c->out, format, list);
    va_end(list);
    fputc('\n', c->out);
}
