/* The loops in which reading libsvm text spends its time: features of the common forms, as many as
 * follow one another. Whatever is not of such a form is left where it is, for libsvm.c. */
#ifndef HSP_DATA_LIBSVM_FAST_H
#define HSP_DATA_LIBSVM_FAST_H

#include "base/decimal_vector.h"
#include "data/precision.h"

#define LIBSVM_LONG   16   /* long values after which libsvm_pairs is no longer tried in a block */
#define LIBSVM_WIDEST 1024 /* columns whose digits are counted one by one; others share the last */

/* Where parsing stands in a block. */
typedef struct libsvm_cursor {
    const char *p, *end, *line_start;
    uint64_t line;    /* from 1 */
    const char *text; /* the block */
} libsvm_cursor;

/* Where entries go. */
typedef struct libsvm_places {
    uint32_t *indices;
    void *values;                /* floats or doubles */
    hsp__decimal_widest *widest; /* LIBSVM_WIDEST */
    uint32_t base;               /* the number of the first column */
} libsvm_places;

/* What the loop over features keeps in registers. */
typedef struct libsvm_row {
    uint64_t stored; /* entries of the block so far */
    uint64_t least;  /* the smallest index that may come next, as written */
    int zero;        /* this row has named column 0 */
    int zeros;       /* a row of the block has */
    int all_ones;
    unsigned long_values; /* how often libsvm_pairs met one where it began */
} libsvm_row;

/* A whole number of up to 7 digits (so that a float holds it) and the space or newline behind it:
 * pixels and counts. The end of the digits, or NULL. */
static inline const char *libsvm_small_integer(const char *p, uint64_t *value)
{
    const uint64_t x = hsp__decimal_load8(p), others = hsp__decimal_others(x);
    if (others == 0) return NULL;
    const unsigned n = hsp__decimal_run(others);
    if (n == 0 || (p[n] != ' ' && p[n] != '\n')) return NULL;
    *value = hsp__decimal_join(x, n);
    return p + n;
}

/* Features of value 1 that follow one another, "12:1 40:1 ", as many as there are: index, colon,
 * value and what ends it lie in one word of eight bytes. What is not so is left to the loop below.
 * Xor '0', a colon is 0x0a, a space 0x10, a newline 0x3a. */
static inline void libsvm_ones(const libsvm_places *to, libsvm_cursor *at, libsvm_row *row,
                               const hsp__keep keep)
{
    const char *p = at->p;
    uint64_t k = row->stored, least = row->least;
    while (at->end - p > 8) {
        const uint64_t x = hsp__decimal_load8(p), others = hsp__decimal_others(x);
        const unsigned n = others ? hsp__decimal_run(others) : 0;
        const uint64_t behind = x >> 8 * n, ends = behind >> 16 & 0xff;
        const uint64_t index = hsp__decimal_join(x, n);
        if (n == 0 || n > 5 || (behind & 0xffff) != 0x010a || index < least) break;
        if (ends != 0x10 && ends != 0x3a) break;
        to->indices[k] = (uint32_t)index - to->base;
        if (keep == HSP__KEEP_SINGLE)
            ((float *)to->values)[k] = 1;
        else
            ((double *)to->values)[k] = 1;
        k++;
        least = index + 1;
        p += n + 2;
        if (ends == 0x3a) break;
        p++;
    }
    at->p = p;
    row->stored = k;
    row->least = least;
}

/* Features "12:-0.5 40:3 ", as many as there are, up to the end of the row: short values to be kept as
 * floats. Colons and spaces are looked for in 64 bytes at a time, so that where a feature begins is
 * known long before the one in front of it is read. What is not so is left to the loop below. */
static inline void libsvm_pairs(const libsvm_places *to, libsvm_cursor *at, libsvm_row *row)
{
#ifdef HSP__DECIMAL_VECTOR
    uint32_t *const indices = to->indices;
    float *const values = to->values;
    const char *p = at->p;
    uint64_t k = row->stored, least = row->least;
    for (int more = p - at->text >= HSP__DECIMAL_BEFORE; more;) {
        const char *const from = p;
        uint64_t stops = hsp__decimal_stops(from);
        for (;;) {
            const uint64_t second = stops & (stops - 1);
            if (second == 0) break; /* the feature ends behind the 64 bytes, or there is none */
            const char *const colon = from + __builtin_ctzll(stops);
            const char *const end = from + __builtin_ctzll(second);
            const uint64_t x = hsp__decimal_load8(p);
            const unsigned n = (unsigned)(colon - p);
            const char behind = *end;
            hsp__decimal_short s;
            more = 0;
            if (n - 1 >= 7 || *colon != ':' || hsp__decimal_run(hsp__decimal_others(x)) != n) break;
            const uint64_t index = hsp__decimal_join(x, n);
            if (index < least || (behind != ' ' && behind != '\n') || end >= at->end) break;
            if (!hsp__decimal_ending(colon + 1, end, &s)) {
                row->long_values += p == at->p;
                break;
            }
            if (!hsp__decimal_short_f32(
                    &s, &values[k], &to->widest[index < LIBSVM_WIDEST ? index : LIBSVM_WIDEST - 1]))
                break;
            indices[k] = (uint32_t)index - to->base;
            k += s.w != 0;
            least = index + 1;
            p = end + (behind == ' ');
            if (behind == '\n') break;
            more = 1;
            stops = second & (second - 1);
        }
        if (p == from) more = 0;
    }
    at->p = p;
    row->stored = k;
    row->least = least;
#else
    (void)to, (void)at, (void)row;
#endif
}

#endif
