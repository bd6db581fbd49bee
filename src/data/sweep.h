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

/* The largest norm of all rows. */
hsp_status hsp__largest_norm(hsp_context *ctx, const hsp_data *data, hsp_error *err, double *norm);

#endif
