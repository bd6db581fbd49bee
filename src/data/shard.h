/* Data sets that are divided among ranks (base/ranks.h): each rank's has the rows of its blocks, and
 * the names, classes, columns, storage and precision of all. data->shard.ranks says that it is one. */
#ifndef HSP_DATA_SHARD_H
#define HSP_DATA_SHARD_H

#include "data/data.h"

/* Of a data set that every rank has as a whole, the rows of this rank. */
hsp_status hsp__shard_own(hsp_context *ctx, hsp_data *whole, hsp_error *err, hsp_data **out);

/* Of rows that lie anywhere among the ranks (those of rank 0 first), the blocks of this rank. All ranks'
 * data sets have the same names, classes, columns, storage and precision. */
hsp_status hsp__shard_spread(hsp_context *ctx, const hsp_data *some, hsp_error *err,
                             hsp_data **out);

/* The names of all ranks, those of rank 0 first, in the place of this rank's; map[old] = new, to be
 * freed. A failure is every rank's. */
hsp_status hsp__shard_names(const hsp_ranks *ranks, hsp__names *names, hsp_error *err,
                            uint32_t **map);

#endif
