/* A run over rows that are divided among ranks: iterative parameter mixing. */
#ifndef HSP_LEARN_ONLINE_ONLINE_MIX_H
#define HSP_LEARN_ONLINE_ONLINE_MIX_H

#include "learn/multiclass/ovr.h"

/* All passes over the rows of ctx->shard, of which `view` has this rank's, by a rule whose updates add
 * rows (hsp__online_add). The rows are in hsp__ranks_parts parts, 256 rows at least. In each pass, every
 * part is learned on its own, from the separator of the moment; the mean of what the parts end with is
 * the next separator. The separator depends neither on the number of ranks nor on threads. A run stops
 * between two passes only. HSP_USAGE: more ranks than parts. */
hsp_status hsp__online_mix(hsp__ovr *ovr, const hsp_options *options, const hsp_view *view,
                           double radius, hsp_error *err);

#endif
