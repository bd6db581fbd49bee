/* From the data as given to the rows that a learner sees: the classes that were asked for, scaled
 * columns, normalised rows. Options `classes`, `positive`, `scale`, and where a learner has them
 * `normalize`, `votes` (one of the two), `row-weight`. */
#ifndef HSP_LEARN_PREPARE_H
#define HSP_LEARN_PREPARE_H

#include "base/names.h"
#include "model/model.h"

typedef struct hsp__prepared {
    hsp_allocator memory; /* of weight and place */
    hsp_data *base;       /* the caller's data, or `grouped`: rows before scaling */
    hsp_data *data;       /* `base`, or `scaled`: the rows to learn from */
    hsp_data *grouped, *weighed, *scaled, *sparse; /* owned, or NULL */
    double *weight;  /* rows: of each row, > 0; NULL: all 1. Rows of weight 0 are not there */
    uint64_t *place; /* rows: the number of a row among those of the classes that were asked for;
                        NULL: the same. Without it they differ by the rows of weight 0 */
    uint64_t blank;  /* 1 + the column that weights came from, where models must be told so */
    const hsp_view *view;                       /* of data */
    hsp_scaling *scalings[HSP__MODEL_SCALINGS]; /* owned until a model takes them */
    const hsp_scaling *votes;                   /* which of them makes votes; NULL: none */
    int rest, leaves_out;                       /* as in a model */
} hsp__prepared;

/* `like`: scale the rows as those of this model were, whatever the options; NULL: as these say. */
hsp_status hsp__prepare(hsp_context *ctx, hsp_data *data, const hsp_options *options,
                        const hsp_model *like, hsp_error *err, hsp__prepared *out);
void hsp__prepared_free(hsp__prepared *prepared);

/* For learners whose work is proportional to the entries of the rows: dense rows that are mostly zeros
 * become sparse ones, unless that takes much memory. */
hsp_status hsp__prepare_sparse(hsp_context *ctx, hsp__prepared *prepared, hsp_error *err);

/* origin[i] is the number of row i of prepared->view in `data`, as it was given; NULL: the same.
 * The caller frees it. */
hsp_status hsp__prepare_origin(hsp_context *ctx, const hsp_data *data, const hsp_options *options,
                               const hsp__prepared *prepared, hsp_error *err, uint64_t **origin);

/* The names in the option `classes` ("a,b"), as labels have them; none when it is not set. */
hsp_status hsp__prepare_classes(hsp_context *ctx, const hsp_options *options, hsp_error *err,
                                hsp__names *names);
/* The name in the option `positive` as labels have it: the only one in `names`, or none. */
hsp_status hsp__prepare_positive(hsp_context *ctx, const hsp_options *options, hsp_error *err,
                                 hsp__names *names);

/* The rows of the classes that both options say, in a new data set; NULL in *out: they are not set. */
hsp_status hsp__prepare_relabel(hsp_context *ctx, hsp_data *data, const hsp_options *options,
                                hsp_error *err, hsp_data **out);

/* HSP_BAD_DATA when the classes are numbers that no classifier should take for classes: many, and no
 * codes, which are whole numbers one after the other that rows share. */
hsp_status hsp__prepare_target(const hsp__names *classes, uint64_t rows, hsp_error *err);

/* Were rows met (met[c], one per class) of the classes from..to-1, which were asked for by name, and
 * of two classes at least? HSP_USAGE or HSP_BAD_DATA with a sentence when not. */
hsp_status hsp__prepare_met(const hsp__names *classes, const unsigned char *met, uint32_t from,
                            uint32_t to, hsp_error *err);

/* The scaling that the options ask for, of streamed rows: divided by their norms, or made
 * votes. *out is NULL when they stay as they are. */
hsp_status hsp__prepare_stream(hsp_context *ctx, const hsp_options *options, hsp_error *err,
                               hsp_scaling **out);
/* Copies of the model's scalings, NULL where it has none; the caller frees them, after a failure
 * too. */
hsp_status hsp__prepare_like(hsp_context *ctx, const hsp_model *model, hsp_error *err,
                             hsp_scaling *out[HSP__MODEL_SCALINGS]);

/* "crc32:xxxxxxxx": the CRC-32 of these bytes, one after the other, numbers little-endian: the
 * number of rows (8 bytes); of every row its label (4 bytes, all ones without labels), then the
 * column and the value of every value that is not 0 (4 bytes each in single precision, 8 each in
 * double). */
hsp_status hsp__view_hash(hsp_context *ctx, const hsp_view *view, hsp_error *err,
                          char text[HSP__HASH_TEXT]);
/* Of rows in double precision, the same as if they were in single, with "single:" in front. */
hsp_status hsp__view_hash_single(hsp_context *ctx, const hsp_view *view, hsp_error *err,
                                 char text[HSP__HASH_TEXT]);
/* Was the model trained on these rows? Rows in double precision are looked for as they are, and as
 * a model trained in single precision would have read them; rows whose values are all of single
 * precision also among those that were in double for training. */
hsp_status hsp__view_seen(hsp_context *ctx, const hsp_view *view, const hsp_model *model,
                          hsp_error *err, hsp__trained *out);

#endif
