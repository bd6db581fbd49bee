/* From solutions to a model: names, encoding, scalings, metadata, and the weights or
 * coefficients of the problems of two classes. */
#ifndef HSP_LEARN_BUILD_MODEL_H
#define HSP_LEARN_BUILD_MODEL_H

#include "learn/learner.h"
#include "model/model.h"

typedef struct hsp__model_spec {
    const hsp__learner *learner;
    const hsp_options *options;
    const hsp__names *class_names;
    const hsp__names *feature_names; /* NULL: none */
    const hsp_encoding *encoding;    /* NULL: none; copied */
    hsp_scaling **scalings;          /* HSP__MODEL_SCALINGS: taken over, NULL left in their place */
    int rest, leaves_out;
    hsp_storage storage;     /* of the training rows */
    hsp_precision precision; /* of those rows */
    const char *index_base;  /* of the libsvm text they came from; NULL: from elsewhere */
    const char *data_hash;   /* NULL: not known */
    const hsp_training *run;
    hsp_tie tie;
    uint64_t seed;
} hsp__model_spec;

/* What a training says of it. */
hsp__model_spec hsp__model_spec_of(hsp__train *train);

/* A model of zeros with everything else: names, encoding, tie, metadata. */
hsp_status hsp__build_model_begin(hsp_context *ctx, const hsp__model_spec *spec, uint32_t scorers,
                                  uint64_t features, hsp_error *err, hsp_model **out);
/* The weights are in: are they finite? Then the scalings become the model's. */
hsp_status hsp__build_model_end(const hsp__model_spec *spec, hsp_model *model, hsp_error *err);

/* The weights, or with a kernel the coefficients, of train->tasks, and the dual weights or updates
 * that they kept. `wide`: kernel values are to be computed in double. */
hsp_status hsp__build_model_tasks(hsp__train *train, hsp_context *ctx, int wide,
                                  const hsp__model_spec *spec, hsp_error *err, hsp_model **out);

/* ---- The parts, for models of other kinds ---- */

/* Names, encoding, tie, metadata. */
hsp_status hsp__build_model_fill(hsp_context *ctx, const hsp__model_spec *spec, hsp_model *model,
                                 hsp_error *err);
/* The metadata "options": every option of the learner's table with its value. */
hsp_status hsp__build_model_options(hsp_context *ctx, const hsp_options *options, hsp_model *model,
                                    hsp_error *err);

/* A kernel expansion from coefficients that are ordered by row; offsets and names are the
 * caller's. */
hsp_status hsp__build_model_expansion(hsp_context *ctx, const hsp__train *train, uint32_t scorers,
                                      const hsp_row_coefficients *of, int wide, hsp_error *err,
                                      hsp_model **out);
/* A kernel that is a weighted inner product needs no rows: *model becomes weights. */
hsp_status hsp__build_model_collapse(hsp_context *ctx, hsp_model **model, hsp_error *err);

/* Some rows alone, and nothing about them but their numbers; a kernel of the model's own. */
hsp_status hsp__build_model_rows(hsp_context *ctx, hsp_data *rows, const uint64_t *picked,
                                 uint64_t count, hsp_error *err, hsp_data **out);
hsp_status hsp__build_model_copy_kernel(hsp_context *ctx, const hsp_kernel *kernel, hsp_error *err,
                                        hsp_kernel **out);
/* `count` coefficients to be filled in; 0: no memory. Free them even then. */
int hsp__row_coefficients_new(const hsp_allocator *memory, uint64_t count, uint64_t **row,
                              uint32_t **scorer, double **amount, hsp_row_coefficients *of);
void hsp__row_coefficients_free(const hsp_allocator *memory, hsp_row_coefficients *of);

#endif
