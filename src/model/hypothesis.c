/* The hypotheses, by hsp__hypothesis. */
#include "model/hypothesis.h"

const hsp__hypothesis_type *const hsp__hypotheses[] = {&hsp__linear, &hsp__voted, &hsp__in_kernel,
                                                       &hsp__by_nearness};

const char *hsp_model_hypothesis(const hsp_model *model)
{
    return model ? hsp__type_of(model)->name : NULL;
}
