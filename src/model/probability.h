/* From scores to probabilities, by any map: the model's own, or a link that was asked for. */
#ifndef HSP_MODEL_PROBABILITY_H
#define HSP_MODEL_PROBABILITY_H

#include "model/model.h"

/* The link of that name; HSP__LINK_NONE for "none" and for what is none. */
hsp__link hsp__link_of(const char *name);

/* Are there probabilities of this model's scores by that map? (Votes have none, and a link says
 * nothing of pairs of classes.) */
int hsp__probability_fits(const hsp_model *model, const hsp__probability *map);

/* As hsp_model_probabilities, by another map. */
void hsp__probabilities(const hsp_model *model, const hsp__probability *map, const double *scores,
                        double *out);

/* What the line of more than two classes is a function of: by how much a class is ahead of the best
 * other one. */
double hsp__probability_lead(double score, double other);

/* The line through the knots at a score. */
double hsp__probability_line(const hsp__probability *map, double score);

#endif
