/* One-vs-one for every learner: the option `multiclass` with the choice `ovo` in its table is all
 * that a learner needs (docs/multiclass.md). */
#ifndef HSP_LEARN_MULTICLASS_OVO_H
#define HSP_LEARN_MULTICLASS_OVO_H

#include "learn/learner.h"

/* Do the options ask for pairs, and are there more than two classes to make them of? */
hsp_status hsp__ovo_wanted(hsp_context *ctx, const hsp_data *data, const hsp_options *options,
                           hsp_error *err, int *wanted);

/* As learner->train, once a pair on the rows of its classes. The rows are prepared (classes,
 * scale, normalize) once for all pairs. */
hsp_status hsp__ovo_train(hsp_context *ctx, hsp_data *data, const hsp__learner *learner,
                          const hsp_options *options, const hsp_model *start, hsp_error *err,
                          hsp_training *run, hsp_model **out);

/* ---- ovo_kernel.c ---- */

/* What was learnt from a pair of classes. */
typedef struct hsp__pair_part {
    const hsp_model *model; /* an expansion of one scorer; NULL: nothing was learnt */
    const uint64_t *rows;   /* the rows of its classes, ascending, as rows of all the data */
} hsp__pair_part;

typedef struct hsp__ovo_parts {
    const hsp__pair_part *parts; /* count */
    uint32_t count;
    hsp_data *data;           /* the prepared rows */
    const hsp_kernel *kernel; /* of all parts */
    const uint64_t *origin;   /* rows: their numbers in the data as given; NULL: the same */
    const uint64_t *ids;      /* rows: the numbers a precomputed kernel knows them by; NULL: none */
} hsp__ovo_parts;

/* One expansion of all of them: coefficients and rows; offsets and names are the caller's. */
hsp_status hsp__ovo_expand(hsp_context *ctx, const hsp__ovo_parts *parts, hsp_error *err,
                           hsp_model **out);

#endif
