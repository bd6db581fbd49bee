/* From what was learnt to a model. */
#ifndef HSP_LEARN_BUILD_MODEL_H
#define HSP_LEARN_BUILD_MODEL_H

#include "learn/multiclass/ovr.h"
#include "learn/prepare.h"
#include "model/model.h"

typedef struct hsp__model_spec {
    const hsp__learner *learner;
    const hsp_options *options;
    const hsp__names *class_names;
    const hsp__names *feature_names; /* NULL: none */
    const hsp_encoding *encoding;    /* NULL: none; copied */
    hsp_scaling **scalings;          /* HSP__MODEL_SCALINGS: taken over, NULL left in their place */
    int rest, leaves_out;
    const uint32_t *from;    /* scorers: scorer c of the model is from[c] of the team; NULL: c */
    int flip;                /* two classes: the team's positive class is the model's class 0 */
    hsp_storage storage;     /* of the rows learnt from */
    hsp_data *rows;          /* what was learnt from, for voting; NULL: none */
    hsp_precision precision; /* of those rows */
    const char *index_base;  /* of the libsvm text they came from; NULL: from elsewhere */
    const char *data_hash;   /* NULL: not known */
    const hsp_training *run;
    hsp_tie tie;
    uint64_t seed;
} hsp__model_spec;

/* What the rows that were prepared say of it; tie and seed are 0. */
hsp__model_spec hsp__model_spec_of(const hsp__learner *learner, const hsp_options *options,
                                   hsp__prepared *prepared, const char *data_hash,
                                   const hsp_training *run);

/* A model of zeros with everything else: names, encoding, tie, facts. */
hsp_status hsp__build_model_begin(hsp_context *ctx, const hsp__model_spec *outcome,
                                  uint32_t scorers, uint64_t features, hsp_error *err,
                                  hsp_model **out);
/* The weights are in: are they finite? Then the scalings become the model's. */
hsp_status hsp__build_model_end(const hsp__model_spec *outcome, hsp_model *model, hsp_error *err);

/* Both, with the weights, updates and votes of a team, whose tie and seed go into the outcome. */
hsp_status hsp__build_model_online(hsp_context *ctx, const hsp__ovr *team, hsp__model_spec *outcome,
                                   hsp_error *err, hsp_model **out);

/* ---- The parts, for models of other kinds ---- */

/* Names, encoding, tie, facts. */
hsp_status hsp__build_model_fill(hsp_context *ctx, const hsp__model_spec *outcome, hsp_model *model,
                                 hsp_error *err);
/* The fact "options": every option of the learner's table with its value. */
hsp_status hsp__build_model_options(hsp_context *ctx, const hsp_options *options, hsp_model *model,
                                    hsp_error *err);
/* How often each row was used: the ledgers of the runs are emptied into the model's updates. */
hsp_status hsp__build_model_updates(hsp_context *ctx, const hsp__ovr *team, hsp_model *model,
                                    hsp_error *err);
/* The sequence of updates and the rows they are about. */
hsp_status hsp__build_model_votes(hsp_context *ctx, const hsp__ovr *team, hsp_data *rows,
                                  hsp_model *model, hsp_error *err);

/* Some rows alone, and nothing about them but their numbers; a kernel of the model's own. */
hsp_status hsp__build_model_rows(hsp_context *ctx, hsp_data *rows, const uint64_t *picked,
                                 uint64_t count, hsp_error *err, hsp_data **out);
hsp_status hsp__build_model_copy_kernel(hsp_context *ctx, const hsp_kernel *kernel, hsp_error *err,
                                        hsp_kernel **out);

/* As hsp__build_model_online, of a team that learnt with a kernel: coefficients of the rows it
 * learnt from, or votes; weights after all where the kernel is a weighted inner product. */
struct hsp__kernel_scores;
hsp_status hsp__build_model_kernel(hsp_context *ctx, const hsp__ovr *team,
                                   struct hsp__kernel_scores *kernel, hsp__model_spec *outcome,
                                   hsp_error *err, hsp_model **out);

#endif
