#include "data/provenance.h"

#include <float.h>
#include <stdlib.h>

#include "base/base.h"
#include "data/decimal_value.h"

#define PROVENANCE_TINY -306 /* doubles of 10^this and less have fewer digits */

/* Every decimal of DBL_DIG digits is the shortest for its double. */
static int provenance_is_long(const char *text, size_t size)
{
    const hsp__decimal_value value = hsp__decimal_value_of(text, size);
    int digits = 0;
    for (const char *p = value.from; p < value.to; p++)
        digits += *p != '.';
    return digits > DBL_DIG || (value.sign && value.exponent <= PROVENANCE_TINY);
}

int hsp__long_decimals_add(hsp__long_decimals *to, uint64_t row, uint64_t column, const char *text,
                           size_t size)
{
    if (!to->memory || !provenance_is_long(text, size)) return 1;
    if (!hsp__reserve(to->memory, &to->all, &to->room, to->count + 1, sizeof *to->all)) return 0;
    char *copy = hsp__copy_text(to->memory, text, size);
    if (!copy) return 0;
    to->all[to->count++] = (hsp__long_decimal){row, column, copy};
    return 1;
}

int hsp__long_decimals_move(hsp__long_decimals *to, hsp__long_decimals *from, uint64_t first)
{
    if (!from->count) return 1;
    if (!hsp__reserve(to->memory, &to->all, &to->room, to->count + from->count, sizeof *to->all))
        return 0;
    for (uint64_t k = 0; k < from->count; k++) {
        to->all[to->count] = from->all[k];
        to->all[to->count++].row += first;
    }
    from->count = 0;
    return 1;
}

void hsp__long_decimals_cut(hsp__long_decimals *of, uint64_t count)
{
    while (of->count > count)
        hsp__free(of->memory, of->all[--of->count].text);
}

static int provenance_compare(const void *left, const void *right)
{
    const hsp__long_decimal *a = left, *b = right;
    if (a->row != b->row) return a->row < b->row ? -1 : 1;
    return a->column < b->column ? -1 : a->column > b->column;
}

void hsp__long_decimals_sort(hsp__long_decimals *of)
{
    uint64_t k = 1;
    while (k < of->count && provenance_compare(&of->all[k - 1], &of->all[k]) < 0)
        k++;
    if (k < of->count) qsort(of->all, of->count, sizeof *of->all, provenance_compare);
}

void hsp__long_decimals_free(hsp__long_decimals *of)
{
    if (!of->memory) return;
    hsp__long_decimals_cut(of, 0);
    hsp__free(of->memory, of->all);
    of->all = NULL;
    of->room = 0;
}

void hsp__provenance_free(hsp__provenance *provenance)
{
    if (provenance->longs.memory) hsp__free(provenance->longs.memory, provenance->columns);
    provenance->columns = NULL;
    hsp__long_decimals_free(&provenance->longs);
}
