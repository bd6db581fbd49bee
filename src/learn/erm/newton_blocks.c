/* Sparse rows whose places are adjacent (pixels of a stroke) in the second-order solver's
 * matrix: 64 rows at a time, spread out; and of the matrix blocks of eight columns by eight, of
 * which each sums the outer products of the rows that have numbers in both, in registers. */
#include <assert.h>
#include <string.h>

#include "learn/erm/newton_blocks.h"
#include "vec/vec.h"

enum { BATCH_ROWS = 64, BATCH_LOOK = 200 };

struct hsp__newton_batch {
    size_t rows, side; /* rows so far; their length, filled up */
    uint64_t *has;     /* side / 8: bit r says that row r has numbers in the block */
    /* Block by block, in it the eight numbers of row after row; rubbish where has says nothing: */
    double *weighted; /* BATCH_ROWS * side: weight * x */
    float *plain;     /* BATCH_ROWS * side: x */
};

/* Blocks of eight that the places of a row are in. */
static uint64_t batch_blocks(const hsp__row *row)
{
    uint64_t blocks = 0;
    for (uint64_t k = 0; k < row->count; k++)
        blocks +=
            k == 0 || row->indices[k] / HSP__VEC_OUTER != row->indices[k - 1] / HSP__VEC_OUTER;
    return blocks;
}

int hsp__newton_batch_pays(const hsp_view *view)
{
    double by_blocks = 0, by_places = 0;
    const uint64_t step = view->rows / BATCH_LOOK + 1;
    if (view->storage != HSP_SPARSE || view->precision != HSP_FLOAT32) return 0;
    for (uint64_t i = 0; i < view->rows; i += step) {
        const hsp__row row = hsp__view_row(view, i);
        const double blocks = (double)batch_blocks(&row), places = (double)row.count;
        by_blocks += 20 * blocks * blocks; /* instructions, about */
        by_places += 4 * places * places;
    }
    return by_blocks < by_places;
}

hsp__newton_batch *hsp__newton_batch_new(hsp__scratch *scratch, size_t side)
{
    hsp__newton_batch *batch = hsp__scratch_new(scratch, 1, sizeof *batch);
    if (!batch) return NULL;
    batch->side = side;
    batch->weighted = hsp__scratch_raw(scratch, BATCH_ROWS * side, sizeof *batch->weighted);
    batch->plain = hsp__scratch_raw(scratch, BATCH_ROWS * side, sizeof *batch->plain);
    batch->has = hsp__scratch_new(scratch, side / HSP__VEC_OUTER, sizeof *batch->has);
    return batch->weighted && batch->plain && batch->has ? batch : NULL;
}

int hsp__newton_batch_add(hsp__newton_batch *batch, const hsp__newton *s, const hsp__row *row,
                          double weight)
{
    enum { N = HSP__VEC_OUTER };
    const float *values = row->values;
    const uint64_t bit = (uint64_t)1 << batch->rows, count = row->count + (s->dim > s->d);
    uint64_t block = UINT64_MAX;
    double *weighted = NULL;
    float *plain = NULL;
    for (uint64_t k = 0; k < count; k++) {
        const uint64_t column = k < row->count ? row->indices[k] : s->d;
        const float x = k < row->count ? values[k] : 1;
        if (column / N != block) {
            block = column / N;
            weighted = batch->weighted + (block * BATCH_ROWS + batch->rows) * N;
            plain = batch->plain + (block * BATCH_ROWS + batch->rows) * N;
            memset(weighted, 0, N * sizeof *weighted);
            memset(plain, 0, N * sizeof *plain);
            batch->has[block] |= bit;
        }
        weighted[column % N] = weight * (double)x;
        plain[column % N] = x;
    }
    return ++batch->rows == BATCH_ROWS;
}

void hsp__newton_batch_flush(hsp__newton_batch *batch, double *g)
{
    const hsp__vec_table *vec = hsp__vec();
    const size_t side = batch->side, blocks = side / HSP__VEC_OUTER;
    assert(batch->rows <= BATCH_ROWS && side % HSP__VEC_OUTER == 0);
    for (size_t i = 0; batch->rows && i < blocks; i++)
        for (size_t j = 0; batch->has[i] && j <= i; j++) {
            const uint64_t both = batch->has[i] & batch->has[j];
            if (!both) continue;
            vec->outer_f32f64(both, batch->weighted + i * BATCH_ROWS * HSP__VEC_OUTER,
                              batch->plain + j * BATCH_ROWS * HSP__VEC_OUTER,
                              g + i * HSP__VEC_OUTER * side + j * HSP__VEC_OUTER, side);
        }
    memset(batch->has, 0, blocks * sizeof *batch->has);
    batch->rows = 0;
}
