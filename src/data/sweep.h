/* One pass over the rows of a data set: cut into parts that depend on the data alone, run on the
 * context's threads, with progress reported between slices of parts; and what every such pass asks
 * of a row. */
#ifndef HSP_DATA_SWEEP_H
#define HSP_DATA_SWEEP_H

#include "data/data.h"
#include "halfspace_all.h"

/* How many parts a pass over the rows is cut into. The same for all storages of the same numbers,
 * so that sums over parts have the same bits. */
uint64_t hsp__sweep_parts(const hsp_data *data);

/* Run fn(user, part) for every part of 0..parts-1. HSP_CANCELLED when the user asks to stop; parts
 * may then be missing. */
hsp_status hsp__sweep(hsp_context *ctx, const char *phase, uint64_t rows, uint64_t parts,
                      void (*fn)(void *user, uint64_t part), void *user, hsp_error *err);

/* The Euclidean norm of a row, in double. Squares go into one of eight running sums by their
 * column, so that zeros, stored or not, change no bit. Neither overflows nor underflows on the way.
 */
double hsp__row_norm(const hsp_view *view, const hsp__row *row);

/* The largest norm of all rows, also of those of other ranks. */
hsp_status hsp__largest_norm(hsp_context *ctx, const hsp_data *data, hsp_error *err, double *norm);

/* Figures of every column, zeros included, in double, the same bits for every storage and number of
 * threads; of a context with a shard, of all ranks' rows (no hashes).
 *
 * Means and deviations take two passes: sums first, then sums of differences from the mean, which
 * correct the rounding of the first mean as well; so a column of large numbers that differ little
 * loses nothing. Memory: a few accumulators a column, in at most 16 parts. */

typedef struct hsp__column_figures {
    double min, max;    /* 0, 0 when there are no rows */
    double mean, stdev; /* divisor rows; 0 when there are no rows or they were not asked for */
    uint64_t nonzeros;
    uint64_t hash[2]; /* of its (row, number) pairs; 0 when not asked for or all zero */
} hsp__column_figures;

enum { HSP__COLUMNS_MOMENTS = 1, HSP__COLUMNS_HASHES = 2 };

/* *out: cols of them, the caller frees it (ctx's allocator). `what`: an or of the above. */
hsp_status hsp__columns(hsp_context *ctx, hsp_data *data, int what, const char *phase,
                        hsp_error *err, hsp__column_figures **out);

/* Two words that differ for different (place, number) with overwhelming likelihood; summed over the
 * non-zeros of a row or column they make its hash. */
__extension__ typedef unsigned __int128 hsp__wide;

static inline uint64_t hsp__hash_mix(uint64_t a, uint64_t b)
{
    hsp__wide product = (hsp__wide)a * b;
    return (uint64_t)product ^ (uint64_t)(product >> 64);
}

static inline void hsp__hash_entry(uint64_t place, double number, uint64_t hash[2])
{
    union {
        double number;
        uint64_t bits;
    } as = {number};
    uint64_t p = (place + 1) * 0x9E3779B97F4A7C15u;
    uint64_t h = hsp__hash_mix(as.bits ^ 0xD6E8FEB86659FD93u, p ^ 0xA0761D6478BD642Fu);
    hash[0] += hsp__hash_mix(h ^ 0xE7037ED1A0B428DBu, p ^ as.bits);
    hash[1] += hsp__hash_mix(h ^ p, as.bits * 0x8EBC6AF09C88C6E3u + 0x589965CC75374CC3u);
}

#endif
