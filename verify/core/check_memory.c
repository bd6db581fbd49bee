/* Blocks that the checker owns, sentences, and leaving with one. */
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "core.h"

struct hsv_block {
    hsv_block *older;
    size_t numbers; /* in it that GMP has to clear; a rational is two */
    max_align_t start[];
};

void *hsv_new(hsv_checker *c, size_t count, size_t size)
{
    hsv_block *block;
    if (count > (SIZE_MAX / 2 - sizeof *block) / size ||
        !(block = calloc(1, sizeof *block + count * size)))
        hsv_fail(c, HALFSPACE_NO_MEMORY, "out of memory");
    block->older = c->blocks;
    c->blocks = block;
    return block->start;
}

mpz_t *hsv_integers(hsv_checker *c, size_t count)
{
    mpz_t *numbers = hsv_new(c, count, sizeof *numbers);
    for (size_t i = 0; i < count; i++)
        mpz_init(numbers[i]);
    c->blocks->numbers = count;
    return numbers;
}

mpq_t *hsv_rationals(hsv_checker *c, size_t count)
{
    mpq_t *numbers = (mpq_t *)hsv_integers(c, 2 * count);
    for (size_t i = 0; i < count; i++)
        mpz_set_ui(mpq_denref(numbers[i]), 1);
    return numbers;
}

void hsv_release(hsv_checker *c, hsv_block *mark)
{
    while (c->blocks != mark) {
        hsv_block *block = c->blocks;
        for (size_t i = 0; i < block->numbers; i++)
            mpz_clear(((mpz_t *)block->start)[i]);
        c->blocks = block->older;
        free(block);
    }
}

void hsv_spend(hsv_checker *c, size_t units)
{
    if (units > c->budget)
        hsv_unreadable(c, "this takes more work than is allowed for files of this size; "
                          "halfspace-verify --effort 10 allows ten times as much");
    c->budget -= units;
}

void hsv_print(hsv_checker *c, int status, const char *format, ...)
{
    FILE *out = status ? c->err : c->out;
    va_list list;
    va_start(list, format);
    if (out && status == HALFSPACE_REJECTED) fputs("rejected: ", out);
    if (out && c->claim) fprintf(out, "claim %zu: ", c->claim);
    if (out) vfprintf(out, format, list), fputc('\n', out);
    va_end(list);
}

void hsv_leave(hsv_checker *c, int status)
{
    c->status = status;
    longjmp(c->failure, 1);
}

/* Between quotes, on one line, in ASCII: \xNN for what one does not see, so that no two texts look alike. */
const char *hsv_quote(hsv_checker *c, const char *text, size_t size)
{
    if (c->more) return c->more->quote(c, text, size);
    char *quoted = hsv_new(c, 4 * size + 3, 1), *to = quoted + sprintf(quoted, "\"");
    for (const char *p = text; p < text + size; p++) {
        const char *before = *p < ' ' || *p > '~' ? "\\x" : strchr("\"\\", *p) ? "\\" : "";
        to += sprintf(to, before[0] && before[1] ? "%s%02x" : "%s%c", before, (unsigned char)*p);
    }
    memcpy(to, "\"", 2);
    return quoted;
}
