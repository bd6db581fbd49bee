/* Inside of a scaling, for those who keep one in a file of their own or apply one to rows that pass
 * by. */
#ifndef HSP_DATA_SCALE_H
#define HSP_DATA_SCALE_H

#include "halfspace_all.h"

/* What a scaling is made of. */
typedef struct hsp__scaling_parts {
    const char *kind;
    double low, high; /* of min-max */
    uint64_t cols;
    const double *shift;  /* cols */
    const double *factor; /* cols */
} hsp__scaling_parts;

hsp__scaling_parts hsp__scaling_look(const hsp_scaling *scaling);

/* A scaling of such parts, copied. HSP_BAD_DATA for an unknown kind or a number that is not finite.
 */
hsp_status hsp__scaling_from(hsp_context *ctx, const hsp__scaling_parts *parts, hsp_error *err,
                             hsp_scaling **out);

/* Does it go with any number of columns? */
int hsp__scaling_any_columns(const hsp_scaling *scaling);
/* Does it divide rows by their norm? */
int hsp__scaling_is_by_rows(const hsp_scaling *scaling);
/* Does it make votes of numbers (sign, bit, votes)? Neither of the two is (x - shift) * factor. */
int hsp__scaling_is_votes(const hsp_scaling *scaling);
/* Of votes: does a 0 in this column abstain (sign), or say no (bit)? */
int hsp__scaling_abstains(const hsp_scaling *scaling, uint64_t column);

/* Do both do the same to every row? NULL does nothing. */
int hsp__scaling_same(const hsp_scaling *a, const hsp_scaling *b);

/* Does it move zeros, so that sparse rows would fill? */
int hsp__scaling_moves_zeros(const hsp_scaling *scaling);

/* hsp_scaling_fit with this kind and nothing else said. */
hsp_status hsp__scaling_fit_kind(hsp_context *ctx, hsp_data *data, const char *kind, hsp_error *err,
                                 hsp_scaling **out);

/* As hsp_scaling_apply, to the bit, but rows that would fill become dense rows. */
hsp_status hsp__scaling_apply_filling(hsp_context *ctx, const hsp_scaling *scaling, hsp_data *data,
                                      hsp_error *err, hsp_data **out);

#endif
