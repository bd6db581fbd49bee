/* The weights of several scorers laid side by side: those of one feature together, so that a sparse
 * row meets all scorers with one load a place instead of one a place and scorer. A copy for speed:
 * the sums have the bits of hsp__row_score. Columns come in blocks of 8, a cache line each, so that
 * threads may work on different blocks at once. */
#ifndef HSP_MODEL_INTERLEAVED_H
#define HSP_MODEL_INTERLEAVED_H

#include "halfspace_all.h"

#define HSP__BESIDE_BLOCK 8
#define HSP__BESIDE_LEAST 3  /* scorers from which on it pays */
#define HSP__BESIDE_MOST  64 /* columns at most */

typedef struct hsp__interleaved {
    double *w;      /* features * columns, on a multiple of 64 bytes */
    void *block;    /* what was allocated */
    size_t columns; /* scorers, rounded up to a multiple of HSP__BESIDE_BLOCK; 0: none */
} hsp__interleaved;

/* Zeros for `scorers` of them; nothing at all (columns 0) where it would not pay. */
hsp_status hsp__interleaved_init(hsp__interleaved *interleaved, const hsp_allocator *memory,
                                 uint64_t features, uint32_t scorers, hsp_error *err);
void hsp__interleaved_free(hsp__interleaved *interleaved, const hsp_allocator *memory);

/* Column c becomes w[0..features). */
void hsp__interleaved_fill(hsp__interleaved *interleaved, uint32_t c, const double *w,
                           uint64_t features);

/* The same at the places of one row alone: w has changed there. */
void hsp__interleaved_update(hsp__interleaved *interleaved, uint32_t c, const double *w,
                             const hsp_view *view, uint64_t row);

/* <w_c, x> of a sparse row for `count` columns from `first` on, both multiples of the block. */
void hsp__interleaved_dots(const hsp__interleaved *interleaved, const hsp_view *view, uint64_t row,
                           size_t first, size_t count, double *sums);

#endif
