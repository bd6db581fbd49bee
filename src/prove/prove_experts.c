/* The mistakes of experts: the checker makes the run again by itself; what is claimed is
 * how it came out, and who was the best. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "data/scale.h"
#include "prove/prove_experts.h"
#include "prove/prove_winnow.h"

/* ---- Experts --------------------------------------------------------------------------------- */

static const hsp_scaling *prove_experts_votes(const hsp_model *model)
{
    for (int i = 0; i < HSP__MODEL_SCALINGS; i++)
        if (model->scalings[i] && hsp__scaling_is_votes(model->scalings[i]))
            return model->scalings[i];
    return NULL;
}

static const char *prove_experts_refuse(const hsp__prove *prove, const hsp_options *told)
{
    const hsp_model *model = prove->model;
    char text[32];
    const char *examples = hsp_model_metadata(model, "examples");
    if (hsp_options_flag(told, "randomized"))
        return "the run was randomized, and the theorem is about the majority vote";
    if (strcmp(hsp_options_text(told, "order"), "cyclic") != 0)
        return "the rows were shuffled, and the checker replays them in the file's order";
    if (strcmp(hsp_options_text(told, "scale"), "none") != 0)
        return "the columns were scaled before they voted";
    if (!prove_experts_votes(model)) return "the model does not say how columns vote";
    snprintf(text, sizeof text, "%llu",
             (unsigned long long)(prove->data.view->rows *
                                  (uint64_t)hsp_options_integer(told, "passes")));
    if (!examples || strcmp(examples, text) != 0)
        return "the run did not visit all rows of this file in every pass";
    return model->features == prove->data.view->cols ? NULL
                                                     : "the model has other columns than this file";
}

static uint64_t prove_experts_count(const hsp_model *model, const char *name)
{
    const char *value = hsp_model_metadata(model, name);
    return value ? strtoull(value, NULL, 10) : 0;
}

static hsp_status prove_experts_prove(hsp__prove *prove, const hsp_options *told, hsp_error *err)
{
    const hsp_model *model = prove->model;
    const char *why = prove_experts_refuse(prove, told);
    const char *negated = hsp_model_metadata(model, "best_negated");
    const char *best = hsp_model_metadata(model, "best_mistakes");
    hsp__text *text = &prove->claims;
    if (why) return hsp__prove_skip(prove, err, "mistakes", "%s", why);
    const hsp_scaling *votes = prove_experts_votes(model);
    hsp__prove_begin(prove, "mistakes");
    hsp__claim_word(text, "learner", "experts");
    hsp__claim_short(text, "beta", hsp_options_real(told, "beta"));
    hsp__claim_flag(text, "negated", hsp_options_flag(told, "negated"));
    hsp__claim_open(text, "\nabstain", '[');
    for (uint64_t j = 0; j < model->features; j++)
        if (hsp__scaling_abstains(votes, j)) hsp__claim_count(text, NULL, j + 1);
    hsp__claim_close(text, ']');
    hsp__claim_tie(text, "tie", model->tie);
    hsp__claim_count(text, "passes", (uint64_t)hsp_options_integer(told, "passes"));
    hsp__claim_count(text, "total", prove_experts_count(model, "mistakes"));
    hsp__claim_open(text, "\nbest", '{');
    hsp__claim_count(text, "column", prove_experts_count(model, "best_column") + 1);
    hsp__claim_flag(text, "negated", negated && strcmp(negated, "true") == 0);
    hsp__claim_word(text, "mistakes", best ? best : "0");
    hsp__claim_close(text, '}');
    return hsp__prove_end(prove, err, "mistakes");
}

hsp_status hsp__prove_experts(hsp__prove *prove, const char *learner, hsp_error *err)
{
    hsp_options *told = NULL;
    hsp_status status = hsp_options_new(prove->ctx, hsp_learner_find(learner), err, &told);
    if (!status) status = hsp_model_set_options(prove->model, told, err);
    if (!status)
        status = strcmp(learner, "winnow") == 0 ? hsp__prove_winnow(prove, told, err)
                                                : prove_experts_prove(prove, told, err);
    hsp_options_free(told);
    return status;
}
