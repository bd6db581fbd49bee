/* From scores to probabilities, by any map: the model's own, or a link that was asked for. */
#ifndef HSP_MODEL_PROBABILITY_H
#define HSP_MODEL_PROBABILITY_H

#include "model/model.h"

/* By hsp__link and hsp__calibration. */
extern const char *const hsp__link_names[HSP__LINK_SOFTMAX + 1];
extern const char *const hsp__calibration_names[HSP__CALIBRATION_COUPLED + 1];

/* The link of that name; HSP__LINK_NONE for "none" and for what is none. */
hsp__link hsp__link_of(const char *name);

/* Are there probabilities of this model's scores by that map? (Votes have none, and a link says
 * nothing of pairs of classes.) */
int hsp__probability_fits(const hsp_model *model, const hsp__probability *map);

/* As hsp_model_probabilities, by another map. */
void hsp__probabilities(const hsp_model *model, const hsp__probability *map, const double *scores,
                        double *out);

/* Does this map decide which class is predicted? A calibration or a threshold does; without them
 * the scores do. */
static inline int hsp__probability_decides(const hsp__probability *map)
{
    return map->calibration || map->threshold > 0;
}

/* The class by such a map: the most probable one, or of two classes the second one when its
 * probability is above the threshold. Equal ones: the model's tie rule. */
uint32_t hsp__probability_decide(const hsp_model *model, const hsp__probability *map,
                                 const double *scores);

/* Set the threshold of a map of this model. HSP_USAGE with a sentence when it is not between 0 and
 * 1, or when there are no probabilities or more than two classes. */
hsp_status hsp__probability_set_threshold(const hsp_model *model, hsp__probability *map,
                                          double threshold, hsp_error *err);

/* The two highest class scores of a row. */
typedef struct hsp__rivals {
    double top, second;
} hsp__rivals;
hsp__rivals hsp__probability_rivals(const hsp_model *model, const double *scores, double scale);

/* What the map of a class is a function of, each score being multiplied by `scale`: the score of
 * two classes; of more, the class's score less the best other one (class scores of pairs are the
 * votes and, within half a vote, the sum of scores). */
double hsp__probability_input(const hsp_model *model, const double *scores, double scale,
                              hsp__rivals rivals, uint32_t c);

/* How many maps a calibration of the model has. */
static inline uint64_t hsp__probability_maps(const hsp_model *model)
{
    if (model->probability.calibration == HSP__CALIBRATION_COUPLED) return model->scorers;
    return model->scorers == 1 ? 1 : model->class_names.count;
}

/* The line of one isotonic map at a score. */
double hsp__probability_line(const hsp__probability *map, uint64_t number, double score);

void hsp__probability_free(const hsp_allocator *memory, hsp__probability *map);

#endif
