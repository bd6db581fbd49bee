/* Probabilities of classes from scores, and the classes that they decide.
 *
 * Calibrated models. Two classes: one map from the score s to the probability of the second class.
 * More: one map per class, from the class's score, and the values are divided by their sum (all 0:
 * equal shares). z = scale * s.
 *
 *     platt     1 / (1 + exp(-(a z + b)))          isotonic  the line through the knots
 *
 * Coupled, one-vs-one: r_ij = P(i | i or j) is Platt's of the pair's score, at least 1e-7 and at most
 * 1 - 1e-7; p minimises sum_{i<j} (r_ji p_i - r_ij p_j)^2 with sum p_i = 1. LIBSVM's iteration,
 * from equal shares up to its stopping rule, so that the numbers are those of svm-predict -b 1:
 * T.-F. Wu, C.-J. Lin, R. Weng, Probability estimates for multi-class classification by pairwise
 * coupling, JMLR 5 (2004), algorithm 2.
 *
 * The class predicted is the most probable one; of two classes, with a threshold P, the second one
 * when its probability is above P.
 *
 * Links are fixed functions of the score with 1/2 at 0, so that the sign of the score and the
 * probability name the same class:
 *
 *     logistic  1 / (1 + exp(-z))        probit  Phi(z)        step  0 or 1
 *
 * More classes: the functions of the class scores divided by their sum; step is 1 for the highest.
 * softmax is exp(z) of each class divided by the sum of all; of two classes, logistic.
 * Neighbours: the shares of the votes, which are (1 +- s) / 2 of two classes and the scores of
 * more. Rounding could make what is different equal (a score of 1e-20 and a logistic of exactly
 * 1/2): where it does, the class that the score says gets the next number above 1/2, and classes
 * with lower scores the next number below the highest. */
#include "model/probability.h"

#include "base/base.h"
#include "model/hypothesis.h"
#include "model/ovo_votes.h"

const char *const hsp__link_names[] = {"none", "logistic", "probit", "step", "softmax"};
const char *const hsp__calibration_names[] = {"none", "platt", "isotonic", "coupled"};

hsp__link hsp__link_of(const char *name)
{
    for (int link = HSP__LINK_LOGISTIC; link <= HSP__LINK_SOFTMAX; link++)
        if (strcmp(name, hsp__link_names[link]) == 0) return (hsp__link)link;
    return HSP__LINK_NONE;
}

const char *hsp_model_link(const hsp_model *model)
{
    if (!model) return NULL;
    return hsp__link_names[model->probability.link];
}

const char *hsp_model_calibration(const hsp_model *model)
{
    if (!model) return NULL;
    return hsp__calibration_names[model->probability.calibration];
}

int hsp__probability_fits(const hsp_model *model, const hsp__probability *map)
{
    if (model->neighbors) return !map->link && !map->calibration;
    return !hsp__type_of(model)->unmapped && (map->calibration || (map->link && !model->pairs));
}

int hsp_model_has_probabilities(const hsp_model *model)
{
    if (!model) return 0;
    return hsp__probability_fits(model, &model->probability);
}

void hsp__probability_free(const hsp_allocator *memory, hsp__probability *map)
{
    hsp__free(memory, map->platt);
    hsp__free(memory, map->first);
    hsp__free(memory, map->at);
    hsp__free(memory, map->value);
    map->platt = map->at = map->value = NULL;
    map->first = NULL;
    map->knots = 0;
}

static double probability_logistic(double z)
{
    const double e = exp(-fabs(z));
    return z >= 0 ? 1 / (1 + e) : e / (1 + e);
}

/* ---- Calibrated ------------------------------------------------------------------------------ */

double hsp__probability_line(const hsp__probability *map, uint64_t number, double score)
{
    const uint64_t start = map->first[number], end = map->first[number + 1];
    uint64_t low = start, high = end; /* the first knot above the score is in low..high */
    while (low < high) {
        const uint64_t middle = low + (high - low) / 2;
        if (map->at[middle] <= score)
            low = middle + 1;
        else
            high = middle;
    }
    if (low == start) return map->value[start];
    if (low == end) return map->value[end - 1];
    const double x0 = map->at[low - 1] / 2, x1 = map->at[low] / 2; /* halves do not overflow */
    const double y0 = map->value[low - 1], y1 = map->value[low];
    return fmin(fmax(y0 + (y1 - y0) * ((score / 2 - x0) / (x1 - x0)), y0), y1);
}

static double probability_class_score(const hsp_model *model, const double *scores, double scale,
                                      uint32_t c)
{
    return model->pairs ? hsp__ovo_votes_class_score(model, scores, scale, c) : scores[c] * scale;
}

hsp__rivals hsp__probability_rivals(const hsp_model *model, const double *scores, double scale)
{
    hsp__rivals rivals = {-HUGE_VAL, -HUGE_VAL};
    for (uint32_t c = 0; model->scorers > 1 && c < model->class_names.count; c++) {
        const double s = probability_class_score(model, scores, scale, c);
        rivals.second = fmax(rivals.second, fmin(s, rivals.top));
        rivals.top = fmax(rivals.top, s);
    }
    return rivals;
}

double hsp__probability_input(const hsp_model *model, const double *scores, double scale,
                              hsp__rivals rivals, uint32_t c)
{
    if (model->scorers == 1) return scores[0] * scale;
    const double s = probability_class_score(model, scores, scale, c);
    const double other = s == rivals.top ? rivals.second : rivals.top;
    return s == other ? 0 : s - other; /* infinity less infinity */
}

/* The value of one map at z, and 1 less it. A score that is not a number says nothing. */
static double probability_map(const hsp__probability *map, uint64_t number, double z, double *rest)
{
    double p = 0.5;
    *rest = 0.5;
    if (isnan(z)) return p;
    if (map->calibration == HSP__CALIBRATION_ISOTONIC) {
        p = hsp__probability_line(map, number, z);
        *rest = 1 - p;
        return p;
    }
    const double a = map->platt[2 * number], b = map->platt[2 * number + 1];
    const double f = a == 0 ? b : a * z + b; /* 0 times infinity */
    *rest = probability_logistic(-f);
    return probability_logistic(f);
}

enum { COUPLED_KEPT = 64 }; /* classes up to which pair probabilities are kept */

typedef struct coupled_pairs {
    const hsp_model *model;
    const hsp__probability *map;
    const double *scores;
    double kept[COUPLED_KEPT * COUPLED_KEPT];
} coupled_pairs;

/* r_ij */
static double coupled_pair(const coupled_pairs *of, uint32_t i, uint32_t j)
{
    const uint32_t classes = of->model->class_names.count, low = i < j ? i : j;
    const uint64_t number = hsp__pair(classes, low, i < j ? j : i);
    double rest;
    probability_map(of->map, number, of->scores[number] * of->map->scale, &rest);
    const double p = fmin(fmax(rest, 1e-7), 1 - 1e-7); /* of the pair's first class */
    return i == low ? p : 1 - p;
}

static double coupled_get(const coupled_pairs *of, uint32_t i, uint32_t j)
{
    const uint32_t classes = of->model->class_names.count;
    return classes <= COUPLED_KEPT ? of->kept[i * classes + j] : coupled_pair(of, i, j);
}

/* Q_tt, and (Q p)_t; Q_tt = sum_j r_jt^2, Q_tj = -r_jt r_tj. */
static double coupled_line(const coupled_pairs *of, uint32_t t, const double *p, double *product)
{
    double square = 0, sum = 0;
    for (uint32_t j = 0; j < of->model->class_names.count; j++) {
        if (j == t) continue;
        const double r = coupled_get(of, j, t);
        square += r * r;
        sum -= r * coupled_get(of, t, j) * p[j];
    }
    *product = sum + square * p[t];
    return square;
}

static void probability_coupled(const hsp_model *model, const hsp__probability *map,
                                const double *scores, double *p)
{
    const uint32_t k = model->class_names.count;
    coupled_pairs of = {.model = model, .map = map, .scores = scores};
    for (uint32_t i = 0; k <= COUPLED_KEPT && i < k; i++)
        for (uint32_t j = 0; j < k; j++)
            if (i != j) of.kept[i * k + j] = coupled_pair(&of, i, j);
    for (uint32_t t = 0; t < k; t++)
        p[t] = 1.0 / k;
    for (uint32_t round = 0; round < (k > 100 ? k : 100); round++) {
        double whole = 0, line, most = 0; /* p'Qp */
        for (uint32_t t = 0; t < k; t++) {
            coupled_line(&of, t, p, &line);
            whole += p[t] * line;
        }
        for (uint32_t t = 0; t < k; t++) {
            coupled_line(&of, t, p, &line);
            most = fmax(most, fabs(line - whole));
        }
        if (most < 0.005 / k) return;
        for (uint32_t t = 0; t < k; t++) {
            const double square = coupled_line(&of, t, p, &line);
            const double step = (whole - line) / square;
            p[t] += step;
            whole = (whole + step * (step * square + 2 * line)) / (1 + step) / (1 + step);
            for (uint32_t j = 0; j < k; j++)
                p[j] /= 1 + step;
        }
    }
}

static void probability_calibrated(const hsp_model *model, const hsp__probability *map,
                                   const double *scores, double *out)
{
    const uint32_t classes = model->class_names.count;
    double sum = 0, rest;
    if (map->calibration == HSP__CALIBRATION_COUPLED) {
        probability_coupled(model, map, scores, out);
        return;
    }
    if (model->scorers == 1) {
        out[1] = probability_map(map, 0, scores[0] * map->scale, &out[0]);
        return;
    }
    const hsp__rivals rivals = hsp__probability_rivals(model, scores, map->scale);
    for (uint32_t c = 0; c < classes; c++) {
        const double z = hsp__probability_input(model, scores, map->scale, rivals, c);
        out[c] = probability_map(map, c, z, &rest);
        sum += out[c];
    }
    for (uint32_t c = 0; c < classes; c++)
        out[c] = sum > 0 ? out[c] / sum : 1.0 / classes;
}

uint32_t hsp__probability_decide(const hsp_model *model, const hsp__probability *map,
                                 const double *scores)
{
    if (model->class_names.count == 2) {
        double p[2];
        hsp__probabilities(model, map, scores, p);
        const double beyond = p[1] - (map->threshold > 0 ? map->threshold : 0.5);
        return hsp__decide(&beyond, 1, model->tie);
    }
    uint32_t first = 0, last = 0;
    if (map->calibration == HSP__CALIBRATION_COUPLED) { /* of equal ones the first, as LIBSVM */
        double p[HSP__COUPLED_MOST];
        probability_coupled(model, map, scores, p);
        for (uint32_t c = 1; c < model->class_names.count; c++)
            if (p[c] > p[first]) first = c;
        return first;
    }
    /* dividing by the sum does not change which is largest */
    double most = -1, rest;
    const hsp__rivals rivals = hsp__probability_rivals(model, scores, map->scale);
    for (uint32_t c = 0; c < model->class_names.count; c++) {
        const double z = hsp__probability_input(model, scores, map->scale, rivals, c);
        const double p = probability_map(map, c, z, &rest);
        if (p < most) continue;
        if (p > most) first = c;
        last = c;
        most = p;
    }
    if (first == last || model->tie == HSP_TIE_NEG) return first;
    return model->tie == HSP_TIE_POS ? last : HSP_NO_CLASS;
}

uint32_t hsp__decide_by(const hsp_model *model, const hsp__probability *map, const double *scores)
{
    if (hsp__probability_decides(map)) return hsp__probability_decide(model, map, scores);
    return model->pairs ? hsp__ovo_votes_decide(model, scores)
                        : hsp__decide(scores, model->scorers, model->tie);
}

uint32_t hsp__model_decide(const hsp_model *model, const double *scores)
{
    return hsp__decide_by(model, &model->probability, scores);
}

hsp_status hsp__probability_set_threshold(const hsp_model *model, hsp__probability *map,
                                          double threshold, hsp_error *err)
{
    if (!(threshold > 0 && threshold < 1))
        return hsp__fail_at(err, HSP_USAGE, "--threshold", 0, 0,
                            "%g is not a probability between 0 and 1", threshold);
    if (model->class_names.count != 2)
        return hsp__fail_at(err, HSP_USAGE, "--threshold", 0, 0,
                            "a threshold needs two classes; this model has %u",
                            (unsigned)model->class_names.count);
    if (!hsp__probability_fits(model, map))
        return hsp__fail_at(err, HSP_USAGE, "--threshold", 0, 0,
                            "this model has no probabilities: train it with --calibrate platt or "
                            "isotonic, or train logistic");
    map->threshold = threshold;
    return HSP_OK;
}

hsp_status hsp_model_set_threshold(hsp_model *model, double threshold, hsp_error *err)
{
    HSP__NEED(err, model);
    return hsp__probability_set_threshold(model, &model->probability, threshold, err);
}

double hsp_model_threshold(const hsp_model *model)
{
    if (!model) return (double)NAN;
    return model->probability.threshold;
}

/* ---- Links, two classes ---------------------------------------------------------------------- */

/* The class that the score says, and the other one. */
static void probability_two(const hsp__probability *map, double score, double *out)
{
    const double size = fabs(score * map->scale);
    const int positive = score > 0, undecided = !(score > 0) && !(score < 0);
    double own = 1, other = 0;
    if (undecided) {
        own = other = 0.5;
    } else if (map->link == HSP__LINK_LOGISTIC || map->link == HSP__LINK_SOFTMAX) {
        own = probability_logistic(size);
        other = probability_logistic(-size);
    } else if (map->link == HSP__LINK_PROBIT) {
        own = erfc(-size * M_SQRT1_2) / 2;
        other = erfc(size * M_SQRT1_2) / 2;
    }
    if (!undecided && !(own > 0.5)) own = nextafter(0.5, 1);
    if (!undecided && !(other < 0.5)) other = 1 - own;
    out[positive] = own;
    out[!positive] = other;
}

/* ---- Links, more classes --------------------------------------------------------------------- */

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

/* The weight of a class whose score is c, that of the highest score being 1. */
static double probability_weight(hsp__link link, double c, double top)
{
    if (c >= top) return 1;
    if (link == HSP__LINK_SOFTMAX) return exp(c - top);
    if (link == HSP__LINK_LOGISTIC)
        return exp(probability_log_logistic(c) - probability_log_logistic(top));
    if (link == HSP__LINK_PROBIT) return exp(probability_log_phi(c) - probability_log_phi(top));
    return 0;
}

/* Which score is highest is settled before they are multiplied, since that may overflow. */
static void probability_more(const hsp__probability *map, uint32_t classes, const double *raw,
                             double *out)
{
    double top = -HUGE_VAL, sum = 0;
    const double below = nextafter(1, 0);
    for (uint32_t c = 0; c < classes; c++)
        top = fmax(top, raw[c]);
    for (uint32_t c = 0; c < classes; c++) {
        const double weight = probability_weight(map->link, raw[c] * map->scale, top * map->scale);
        out[c] = raw[c] == top ? 1 : fmin(weight, below);
        sum += out[c];
    }
    const double highest = 1 / sum, next = nextafter(highest, 0);
    for (uint32_t c = 0; c < classes; c++) {
        const double p = out[c] / sum;
        out[c] = out[c] == 1 || p < next ? p : next;
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
    if (model->neighbors)
        probability_shares(classes, scores, out);
    else if (map->calibration)
        probability_calibrated(model, map, scores, out);
    else if (model->scorers == 1)
        probability_two(map, scores[0], out);
    else
        probability_more(map, classes, scores, out);
}

void hsp_model_probabilities(const hsp_model *model, const double *scores, double *out)
{
    if (!model || !scores || !out) return;
    hsp__probabilities(model, &model->probability, scores, out);
}
