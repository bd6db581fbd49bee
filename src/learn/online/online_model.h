/* From the runs of an online rule to a model: weights or a kernel expansion, the updates, votes. */
#ifndef HSP_LEARN_ONLINE_ONLINE_MODEL_H
#define HSP_LEARN_ONLINE_ONLINE_MODEL_H

#include "learn/build_model.h"
#include "learn/multiclass/ovr.h"

/* A model of the weights, updates and votes of a ovr. Scorer c of the model is from[c] of the ovr,
 * `from` NULL: c. `flip`, of two classes: the ovr's positive class is the model's class 0. `rows`:
 * the training rows, for voting; NULL: none. */
hsp_status hsp__online_model(hsp_context *ctx, const hsp__ovr *ovr, const uint32_t *from, int flip,
                             hsp_data *rows, const hsp__model_spec *spec, hsp_error *err,
                             hsp_model **out);

/* The same of a ovr that learned with the training's kernel: coefficients of the rows of its
 * updates, or votes; weights where the kernel is a weighted inner product. */
struct hsp__kernel_scores;
hsp_status hsp__online_model_kernel(hsp__train *train, hsp_context *ctx, const hsp__ovr *ovr,
                                    struct hsp__kernel_scores *kernel, const hsp__model_spec *spec,
                                    hsp_error *err, hsp_model **out);

#endif
