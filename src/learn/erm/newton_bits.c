/* Rows of ones in the second-order solver's matrix: element (i, j) of sum x x^T is how many rows
 * have both columns. Rows are gathered as bits, one line of bits a column, and what two lines have
 * in common is counted many rows at a time. */
#include <assert.h>
#include <string.h>

#include "learn/erm/newton_bits.h"
#include "vec/vec.h"

enum { BITS_WORDS = 64, BITS_ROWS = 64 * BITS_WORDS, BITS_STEP = 512 };

struct hsp__newton_bits {
    uint64_t rows;    /* gathered */
    uint64_t *lines;  /* d * BITS_WORDS */
    uint32_t *counts; /* d */
};

int hsp__newton_bits_pay(const hsp_view *view)
{
    /* a pair of columns takes 36 instructions a block of rows; a pair of places of a row 5 */
    const double places = (double)hsp_view_stored(view) / (double)(view->rows + 1);
    const double by_bits = 36 * (double)view->cols * (double)view->cols / BITS_ROWS;
    return view->storage == HSP_ONES && 2 * by_bits < 5 * places * places;
}

hsp__newton_bits *hsp__newton_bits_new(hsp__scratch *scratch, uint64_t d)
{
    hsp__newton_bits *bits = hsp__scratch_new(scratch, 1, sizeof *bits);
    if (!bits) return NULL;
    bits->lines = hsp__scratch_new(scratch, d * BITS_WORDS, sizeof *bits->lines);
    bits->counts = hsp__scratch_raw(scratch, d, sizeof *bits->counts);
    return bits->lines && bits->counts ? bits : NULL;
}

int hsp__newton_bits_add(hsp__newton_bits *bits, const hsp__row *row)
{
    uint64_t *word = bits->lines + bits->rows / 64;
    const uint64_t bit = (uint64_t)1 << bits->rows % 64;
    for (uint64_t k = 0; k < row->count; k++)
        word[row->indices[k] * (uint64_t)BITS_WORDS] |= bit;
    return ++bits->rows == BITS_ROWS;
}

void hsp__newton_bits_flush(hsp__newton_bits *bits, const hsp__newton *s, double weight,
                            double turn, double *g, size_t side, double *q)
{
    const uint64_t d = s->d;
    const size_t words = (bits->rows + BITS_STEP - 1) / BITS_STEP * (BITS_STEP / 64);
    if (!bits->rows) return;
    assert(words <= BITS_WORDS && side >= s->dim);
    for (uint64_t i = 0; i < d; i++) {
        double *line = g + i * side;
        hsp__vec()->common_bits(bits->lines, BITS_WORDS, words, (size_t)i + 1, bits->counts);
        for (uint64_t j = 0; j <= i; j++)
            line[j] += weight * (double)bits->counts[j];
        if (s->dim > d) g[d * side + i] += weight * (double)bits->counts[i];
        if (q) q[i] += turn * (double)bits->counts[i];
    }
    if (s->dim > d) g[d * side + d] += weight * (double)bits->rows;
    if (q && s->dim > d) q[d] += turn * (double)bits->rows;
    for (uint64_t i = 0; i < d; i++)
        memset(bits->lines + i * BITS_WORDS, 0, words * sizeof *bits->lines);
    bits->rows = 0;
}
