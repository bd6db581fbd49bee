/* libsvm text: "label index:value ... # comment", a row a line. */
#include <string.h>

#include "check1.h"

typedef struct libsvm_word {
    const char *start;
    size_t size;
} libsvm_word;

/* The next word of the line, from *at on; a comment ends the line. */
static int libsvm_next_word(const hsv1_table *t, size_t *at, libsvm_word *word)
{
    const char *p = t->text + *at, *end = t->text + t->text_size;
    while (p < end && (*p == ' ' || *p == '\t' || *p == '\r'))
        p++;
    if (p == end || *p == '#') return 0;
    word->start = p;
    while (p < end && *p != ' ' && *p != '\t' && *p != '\r' && *p != '#')
        p++;
    word->size = (size_t)(p - word->start);
    *at = (size_t)(p - t->text);
    return 1;
}

static void libsvm_feature(hsv1_checker *c, hsv1_table *t, const libsvm_word *word, uint64_t *before)
{
    uint64_t index = 0;
    size_t i = 0;
    long exponent;
    while (i < word->size && i < 11 && word->start[i] >= '0' && word->start[i] <= '9')
        index = index * 10 + (uint64_t)(word->start[i++] - '0');
    if (!i || i == word->size || word->start[i] != ':' ||
        !hsv1_decimal(word->start + i + 1, word->size - i - 1, t->number[0], &exponent))
        hsv1_unreadable(c, "%s: line %llu: found '%.*s', expected index:value", t->name,
                       (unsigned long long)t->line, (int)(word->size < 60 ? word->size : 60),
                       word->start);
    if (index < t->index_base || (index = index - t->index_base + 1) > t->columns)
        hsv1_unreadable(c, "%s: line %llu: an index is not between %u and %llu", t->name,
                       (unsigned long long)t->line, t->index_base,
                       (unsigned long long)t->columns + t->index_base - 1);
    if (index <= *before)
        hsv1_unreadable(c, "%s: line %llu: indices do not ascend", t->name,
                       (unsigned long long)t->line);
    *before = index;
    hsv1_row_add(c, t, (uint32_t)index, t->number[0], exponent);
}

int hsv1_libsvm_next(hsv1_checker *c, hsv1_table *t)
{
    libsvm_word word;
    size_t at = 0;
    uint64_t before = 0;
    do {
        at = 0;
        if (!hsv1_line(c, t)) return 0;
    } while (!libsvm_next_word(t, &at, &word));
    if (memchr(word.start, ':', word.size))
        hsv1_unreadable(c, "%s: line %llu: the label is missing", t->name,
                       (unsigned long long)t->line);
    t->raw.y = hsv1_label_find(t, word.start, word.size);
    if (!t->raw.y && !t->drop_others)
        hsv1_reject(c, "%s: line %llu: the label '%.*s' is of no class", t->name,
                   (unsigned long long)t->line, (int)(word.size < 60 ? word.size : 60), word.start);
    while (libsvm_next_word(t, &at, &word)) {
        if (word.size >= 4 && !memcmp(word.start, "qid:", 4)) continue;
        libsvm_feature(c, t, &word, &before);
    }
    return 1;
}
