/* From a team that has learnt to a model. */
#ifndef HSP_LEARN_OUTCOME_H
#define HSP_LEARN_OUTCOME_H

#include "learn/multiclass.h"
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
} hsp__outcome;

hsp_status hsp__outcome_model(hsp_context *ctx, const hsp__team *team, const hsp__outcome *outcome,
                              hsp_error *err, hsp_model **out);

#endif
