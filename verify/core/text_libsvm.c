/* libsvm text: "label index:value ... # comment", one row per line. */
#include <string.h>

#include "core.h"

/* The next word from *p on, which moves behind it; NULL: the line or a comment ends it. */
static const char *libsvm_word(const char **p, const char *end, size_t *size)
{
    while (*p < end && strchr(" \t\r", **p) && **p)
        ++*p;
    const char *start = *p;
    while (*p < end && (!**p || !strchr(" \t\r#", **p)))
        ++*p;
    *size = (size_t)(*p - start);
    return *size ? start : NULL;
}

static uint32_t libsvm_feature(hsv_checker *c, hsv_table *t, const char *word, size_t size,
                               uint32_t before)
{
    size_t index = 0;
    size_t i = 0;
    long exponent;
    while (i < size && i < 11 && word[i] >= '0' && word[i] <= '9')
        index = index * 10 + (size_t)(word[i++] - '0');
    if (!i || i == size || word[i] != ':' ||
        !hsv_decimal(word + i + 1, size - i - 1, *t->work, &exponent))
        hsv_bad_line(c, t, "expected index:value");
    index += 1 - t->index_base;
    if (index <= before || index > t->columns)
        hsv_bad_line(c, t, "an index does not ascend, or is not among the columns");
    hsv_row_add(c, t, (uint32_t)index, *t->work, exponent);
    return (uint32_t)index;
}

int hsv_libsvm_next(hsv_checker *c, hsv_table *t)
{
    const char *p, *word = NULL;
    size_t size;
    uint32_t before = 0;
    while (!word) {
        if (!hsv_line(t)) return 0;
        p = t->line;
        word = libsvm_word(&p, t->line_end, &size);
    }
    if (memchr(word, ':', size)) hsv_bad_line(c, t, "the label is missing");
    hsv_row_label(c, t, word, size);
    while ((word = libsvm_word(&p, t->line_end, &size)))
        if (size < 4 || memcmp(word, "qid:", 4) != 0)
            before = libsvm_feature(c, t, word, size, before);
    return 1;
}
