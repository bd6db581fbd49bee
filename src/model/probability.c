/* Probabilities that never disagree with the label.
 *
 * Two classes, score s, z = scale * s. Every map is a rising function with 1/2 at 0, computed from
 * the side that the score says, so that both probabilities keep their digits:
 *
 *     logistic  1 / (1 + exp(-z))        probit  Phi(z)        step  0 or 1
 *     platt     1 / (1 + exp(-a z)), a of the score's side
 *     isotonic  the line through the knots
 *
 * More classes, class scores c_k: weights that rise with the score, divided by their sum.
 *
 *     logistic, probit   the function above     step      1 for the highest
 *     platt              exp(t c_k)             isotonic  the line at c_k less the best other
 *
 * Neighbours: the shares of the votes, which are (1 +- s) / 2 of two classes and the scores of
 * more.
 *
 * Rounding could still make what is different equal (a score of 1e-20 and a logistic of exactly
 * 1/2): where it does, the class that the score says gets the next number above 1/2, and classes
 * with lower scores the next number below the highest. */
#include "model/probability.h"

#include <math.h>
#include <string.h>

#include "model/pairs.h"

static const char *const probability_links[] = {"none", "logistic", "probit", "step"};
static const char *const probability_calibrations[] = {"none", "platt", "isotonic"};

hsp__link hsp__link_of(const char *name)
{
    for (int link = HSP__LINK_LOGISTIC; link <= HSP__LINK_STEP; link++)
        if (strcmp(name, probability_links[link]) == 0) return (hsp__link)link;
    return HSP__LINK_NONE;
}

const char *hsp_model_link(const hsp_model *model)
{
    return probability_links[model->probability.link];
}

const char *hsp_model_calibration(const hsp_model *model)
{
    return probability_calibrations[model->probability.calibration];
}

int hsp__probability_fits(const hsp_model *model, const hsp__probability *map)
{
    if (model->hypothesis == HSP__VOTES) return 0;
    if (model->neighbors) return !map->link && !map->calibration;
    return map->calibration || (map->link && !model->pairs);
}

int hsp_model_has_probabilities(const hsp_model *model)
{
    return hsp__probability_fits(model, &model->probability);
}

double hsp__probability_line(const hsp__probability *map, double score)
{
    uint64_t low = 0, high = map->knots; /* the first knot above the score is in low..high */
    while (low < high) {
        const uint64_t middle = low + (high - low) / 2;
        if (map->at[middle] <= score)
            low = middle + 1;
        else
            high = middle;
    }
    if (low == 0) return map->value[0];
    if (low == map->knots) return map->value[map->knots - 1];
    const double x0 = map->at[low - 1] / 2, x1 = map->at[low] / 2; /* halves do not overflow */
    const double y0 = map->value[low - 1], y1 = map->value[low];
    return fmin(fmax(y0 + (y1 - y0) * ((score / 2 - x0) / (x1 - x0)), y0), y1);
}

double hsp__probability_lead(double score, double other)
{
    return score == other ? 0 : score - other; /* infinity less infinity */
}

static double probability_logistic(double z)
{
    const double e = exp(-fabs(z));
    return z >= 0 ? 1 / (1 + e) : e / (1 + e);
}

/* ---- Two classes ----------------------------------------------------------------------------- */

/* The probabilities of the class that the score says and of the other one. */
static void probability_sides(const hsp__probability *map, double z, int positive, double side[2])
{
    const double size = fabs(z);
    if (map->calibration == HSP__CALIBRATION_ISOTONIC) {
        const double p = hsp__probability_line(map, z);
        side[0] = positive ? p : 1 - p;
        side[1] = 1 - side[0];
    } else if (map->calibration == HSP__CALIBRATION_PLATT || map->link == HSP__LINK_LOGISTIC) {
        const double a = map->calibration ? map->slopes[positive] : 1;
        const double u = a > 0 ? a * size : 0; /* 0 times infinity */
        side[0] = probability_logistic(u);
        side[1] = probability_logistic(-u);
    } else if (map->link == HSP__LINK_PROBIT) {
        side[0] = erfc(-size * M_SQRT1_2) / 2;
        side[1] = erfc(size * M_SQRT1_2) / 2;
    } else {
        side[0] = 1;
        side[1] = 0;
    }
}

static void probability_two(const hsp__probability *map, double score, double *out)
{
    double side[2] = {0.5, 0.5};
    const int positive = score > 0;
    if (score > 0 || score < 0) {
        probability_sides(map, score * map->scale, positive, side);
        if (!(side[0] > 0.5)) side[0] = nextafter(0.5, 1);
        if (!(side[1] < 0.5)) side[1] = 1 - side[0];
    }
    out[positive] = side[0];
    out[!positive] = side[1];
}

/* ---- More ------------------------------------------------------------------------------------ */

/* log Phi(z); far to the left by its expansion, where Phi itself would be 0. */
static double probability_log_phi(double z)
{
    if (z > -30) return log(erfc(-z * M_SQRT1_2) / 2);
    const double r = 1 / (z * z);
    return -z * z / 2 - log(-z) - 0.9189385332046727418 + log1p(r * (-1 + r * (3 - 15 * r)));
}

static double probability_log_logistic(double z)
{
    return z >= 0 ? -log1p(exp(-z)) : z - log1p(exp(z));
}

/* The weight of a class whose score is c, that of the highest score being 1 (isotonic: as it is).
 * `top` is the best score of the others. */
static double probability_weight(const hsp__probability *map, double c, double top)
{
    if (map->calibration == HSP__CALIBRATION_ISOTONIC)
        return hsp__probability_line(map, hsp__probability_lead(c, top));
    if (c >= top) return 1;
    if (map->calibration == HSP__CALIBRATION_PLATT)
        return map->slopes[0] > 0 ? exp(map->slopes[0] * (c - top)) : 1;
    if (map->link == HSP__LINK_LOGISTIC)
        return exp(probability_log_logistic(c) - probability_log_logistic(top));
    if (map->link == HSP__LINK_PROBIT)
        return exp(probability_log_phi(c) - probability_log_phi(top));
    return 0;
}

/* `raw` are class scores, and may be `out` itself: who is highest is settled before they are
 * multiplied, since that may overflow. */
static void probability_more(const hsp__probability *map, uint32_t classes, const double *raw,
                             double scale, double *out)
{
    double top = -HUGE_VAL, second = -HUGE_VAL, sum = 0;
    for (uint32_t c = 0; c < classes; c++) {
        second = fmax(second, fmin(raw[c], top));
        top = fmax(top, raw[c]);
    }
    double most = probability_weight(map, top * scale, second * scale);
    const int flat = !(most > 0); /* a line that is 0 even for the highest: it tells nothing */
    if (flat) most = 1;
    const double below = nextafter(most, 0);
    for (uint32_t c = 0; c < classes; c++) {
        const double weight = probability_weight(map, raw[c] * scale, top * scale);
        if (raw[c] == top)
            out[c] = most;
        else
            out[c] = weight < most && !flat ? weight : below;
        sum += out[c];
    }
    const double highest = most / sum, next = nextafter(highest, 0);
    for (uint32_t c = 0; c < classes; c++) {
        const double p = out[c] / sum;
        out[c] = out[c] == most || p < next ? p : next;
    }
}

/* Votes of neighbours. */
static void probability_shares(uint32_t classes, const double *scores, double *out)
{
    double top = 0, sum = 0;
    if (classes == 2) {
        const int positive = scores[0] > 0;
        const double share = (1 + fabs(scores[0])) / 2;
        out[positive] = share > 0.5 ? share : nextafter(0.5, 1);
        out[!positive] = 1 - out[positive];
        return;
    }
    for (uint32_t c = 0; c < classes; c++) {
        top = fmax(top, scores[c]);
        sum += scores[c];
    }
    const double below = nextafter(top / sum, 0);
    for (uint32_t c = 0; c < classes; c++)
        out[c] = scores[c] == top ? top / sum : fmin(scores[c] / sum, below);
}

void hsp__probabilities(const hsp_model *model, const hsp__probability *map, const double *scores,
                        double *out)
{
    const uint32_t classes = model->class_names.count;
    if (model->neighbors) {
        probability_shares(classes, scores, out);
        return;
    }
    if (model->scorers == 1) {
        probability_two(map, scores[0], out);
        return;
    }
    if (model->pairs) {
        hsp__pairs_class_scores(model, scores, map->scale, out);
        probability_more(map, classes, out, 1, out);
    } else {
        probability_more(map, classes, scores, map->scale, out);
    }
}

void hsp_model_probabilities(const hsp_model *model, const double *scores, double *out)
{
    hsp__probabilities(model, &model->probability, scores, out);
}
