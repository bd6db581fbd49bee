/* One scorer per pair of classes: from pair scores to a class, and to a score per class. */
#ifndef HSP_MODEL_OVO_VOTES_H
#define HSP_MODEL_OVO_VOTES_H

#include "model/model.h"

/* The classes i < j of a scorer. */
void hsp__pair_classes(uint32_t classes, uint32_t scorer, uint32_t *i, uint32_t *j);

uint32_t hsp__ovo_votes_decide(const hsp_model *model, const double *scores);

/* As hsp_model_class_scores. */
void hsp__ovo_class_scores(const hsp_model *model, const double *scores, double *out);

/* Votes for one class, and within half a vote the sum of its pair scores times `scale` > 0. */
double hsp__ovo_votes_class_score(const hsp_model *model, const double *scores, double scale,
                                  uint32_t class_index);

#endif
