/* Multinomial logistic regression: all classes at once (softmax.c says what it minimises). */
#ifndef HSP_LEARN_MULTICLASS_SOFTMAX_H
#define HSP_LEARN_MULTICLASS_SOFTMAX_H

#include "learn/learner.h"

/* Fit train->tasks, one per class, together: weights and offset of each, figures in the first. */
hsp_status hsp__softmax_fit(hsp__train *train, hsp_error *err);

#endif
