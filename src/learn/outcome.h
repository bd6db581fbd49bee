/* From what was learnt to a model. */
#ifndef HSP_LEARN_OUTCOME_H
#define HSP_LEARN_OUTCOME_H

#include "learn/multiclass.h"
#include "learn/prepare.h"
#include "model/model.h"

typedef struct hsp__outcome {
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
} hsp__outcome;

/* What the rows that were prepared say of it; tie and seed are 0. */
hsp__outcome hsp__outcome_of(const hsp__learner *learner, const hsp_options *options,
                             hsp__prepared *prepared, const char *data_hash,
                             const hsp_training *run);

/* A model of zeros with everything else: names, encoding, tie, facts. */
hsp_status hsp__outcome_frame(hsp_context *ctx, const hsp__outcome *outcome, uint32_t scorers,
                              uint64_t features, hsp_error *err, hsp_model **out);
/* The weights are in: are they finite? Then the scalings become the model's. */
hsp_status hsp__outcome_close(const hsp__outcome *outcome, hsp_model *model, hsp_error *err);

/* Both, with the weights, updates and votes of a team, whose tie and seed go into the outcome. */
hsp_status hsp__outcome_model(hsp_context *ctx, const hsp__team *team, hsp__outcome *outcome,
                              hsp_error *err, hsp_model **out);

/* ---- The parts, for models of other kinds ---- */

/* Names, encoding, tie, facts. */
hsp_status hsp__outcome_fill(hsp_context *ctx, const hsp__outcome *outcome, hsp_model *model,
                             hsp_error *err);
/* The fact "options": every option of the learner's table with its value. */
hsp_status hsp__outcome_options(hsp_context *ctx, const hsp_options *options, hsp_model *model,
                                hsp_error *err);
/* How often each row was used: the ledgers of the runs are emptied into the model's updates. */
hsp_status hsp__outcome_updates(hsp_context *ctx, const hsp__team *team, hsp_model *model,
                                hsp_error *err);
/* The sequence of updates and the rows they are about. */
hsp_status hsp__outcome_votes(hsp_context *ctx, const hsp__team *team, hsp_data *rows,
                              hsp_model *model, hsp_error *err);

/* Some rows alone, and nothing about them but their numbers; a kernel of the model's own. */
hsp_status hsp__outcome_rows(hsp_context *ctx, hsp_data *rows, const uint64_t *picked,
                             uint64_t count, hsp_error *err, hsp_data **out);
hsp_status hsp__outcome_copy_kernel(hsp_context *ctx, const hsp_kernel *kernel, hsp_error *err,
                                    hsp_kernel **out);

/* As hsp__outcome_model, of a team that learnt with a kernel: coefficients of the rows it learnt
 * from, or votes; weights after all where the kernel is a weighted inner product. */
struct hsp__kernel_run;
hsp_status hsp__outcome_kernel(hsp_context *ctx, const hsp__team *team,
                               struct hsp__kernel_run *kernel, hsp__outcome *outcome,
                               hsp_error *err, hsp_model **out);

#endif
