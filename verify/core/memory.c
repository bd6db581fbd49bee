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

void *hsv_grow(hsv_checker *c, size_t size)
{
    hsv_block *block = realloc(c->blocks, sizeof *block + size);
    if (!block) hsv_fail(c, HALFSPACE_NO_MEMORY, "out of memory");
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

/* ---- Sentences ------------------------------------------------------------------------------- */

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

void hsv_spend(hsv_checker *c, size_t units)
{
    if (units > c->budget)
        hsv_unreadable(c, "this takes more work than is allowed for files of this size; "
                          "halfspace-verify --effort 10 allows ten times as much");
    c->budget -= units;
}

void hsv_say(hsv_checker *c, const char *format, ...)
{
    va_list list;
    if (!c->out) return;
    va_start(list, format);
    const size_t size = (size_t)vsnprintf(NULL, 0, format, list) + 1;
    va_end(list);
    char *text = hsv_new(c, size, 1);
    va_start(list, format);
    vsnprintf(text, size, format, list);
    va_end(list);
    if (c->claim) fprintf(c->out, "claim %zu: ", c->claim);
    hsv_put(c, c->out, text);
    fputc('\n', c->out);
}

/* Text may be anybody's: what is no plain character is written \xNN, so that a sentence is a line.
 */
void hsv_put(const hsv_checker *c, FILE *out, const char *text)
{
    while (*text) {
        const size_t plain = c->more ? c->more->plain(text) : *text >= ' ' && *text <= '~';
        if (plain)
            fwrite(text, 1, plain, out);
        else
            fprintf(out, "\\x%02x", (unsigned char)*text);
        text += plain ? plain : 1;
    }
}

const char *hsv_quote(hsv_checker *c, const char *text)
{
    const size_t whole = strlen(text), size = whole < 200 ? whole : 200;
    char *quoted = hsv_new(c, 2 * size + 6, 1), *to = quoted;
    *to++ = '"';
    for (size_t i = 0; i < size; i++) {
        if (text[i] == '"' || text[i] == '\\') *to++ = '\\';
        *to++ = text[i];
    }
    strcpy(to, size < whole ? "\"..." : "\"");
    return quoted;
}
