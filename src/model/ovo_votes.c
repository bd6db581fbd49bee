/* One-vs-one. The scorer of the pair (i, j), i < j, votes for j when its score is positive and for
 * i when it is negative; a score of 0 follows the tie rule (neg: i, pos: j, zero: nobody). Most
 * votes win; of equal votes the larger sum of the class's pair scores, each signed towards the
 * class; if these are equal too, the tie rule for more classes (neg: the first, pos: the last,
 * zero: none). Or, in models that come from LIBSVM, of equal votes the first class.
 *
 * A class's votes and sum are gathered by walking over its own k - 1 pairs, so that nothing need
 * be allocated; the sum goes over the other classes in their order. */
#include "model/ovo_votes.h"

#include <math.h>

void hsp__pair_classes(uint32_t classes, uint32_t scorer, uint32_t *i, uint32_t *j)
{
    uint32_t low = 0, left = scorer;
    for (; left >= classes - 1 - low; low++)
        left -= classes - 1 - low;
    *i = low;
    *j = low + 1 + left;
}

/* What speaks for a class. */
typedef struct ovo_votes_case {
    uint32_t votes;
    double sum;
} ovo_votes_case;

static ovo_votes_case ovo_votes_gather(const hsp_model *model, const double *scores, uint32_t class)
{
    const uint32_t classes = model->class_names.count;
    ovo_votes_case all = {0, 0};
    for (uint32_t other = 0; other < classes; other++) {
        if (other == class) continue;
        const int upper = other < class; /* a positive score speaks for the class */
        const double raw =
            scores[upper ? hsp__pair(classes, other, class) : hsp__pair(classes, class, other)];
        if (raw > 0 || raw < 0)
            all.votes += upper ? raw > 0 : raw < 0;
        else
            all.votes += model->tie == (upper ? HSP_TIE_POS : HSP_TIE_NEG);
        all.sum += upper ? raw : -raw;
    }
    if (isnan(all.sum)) all.sum = -HUGE_VAL; /* scores that overflowed speak for nobody */
    return all;
}

/* Is a better than b (1), worse (-1), or as good (0)? */
static int ovo_votes_compare(const hsp_model *model, const ovo_votes_case *a,
                             const ovo_votes_case *b)
{
    if (a->votes != b->votes) return a->votes > b->votes ? 1 : -1;
    if (model->pairs == HSP__PAIRS_FIRST) return 0;
    return (a->sum > b->sum) - (a->sum < b->sum);
}

uint32_t hsp__ovo_votes_decide(const hsp_model *model, const double *scores)
{
    uint32_t first = 0, last = 0;
    ovo_votes_case best = ovo_votes_gather(model, scores, 0);
    for (uint32_t c = 1; c < model->class_names.count; c++) {
        const ovo_votes_case one = ovo_votes_gather(model, scores, c);
        const int better = ovo_votes_compare(model, &one, &best);
        if (better < 0) continue;
        last = c;
        if (better == 0) continue;
        first = c;
        best = one;
    }
    if (first == last || model->tie == HSP_TIE_NEG || model->pairs == HSP__PAIRS_FIRST)
        return first;
    return model->tie == HSP_TIE_POS ? last : HSP_NO_CLASS;
}

/* The votes and, within a half of them, the sum: rising, and finite for every sum. */
static double ovo_votes_number(const ovo_votes_case *one, double scale)
{
    const double sum = one->sum * scale;
    const double share = isinf(sum) ? copysign(1, sum) : sum / (1 + fabs(sum));
    return one->votes + share / 2;
}

double hsp__ovo_votes_class_score(const hsp_model *model, const double *scores, double scale,
                                  uint32_t class_index)
{
    const ovo_votes_case one = ovo_votes_gather(model, scores, class_index);
    return ovo_votes_number(&one, scale);
}

/* Rounding may make the numbers of different sums equal: those who are not best are then put just
 * below the best, so that the highest number is the class, whatever the sums. */
void hsp__ovo_class_scores(const hsp_model *model, const double *scores, double *out)
{
    const uint32_t classes = model->class_names.count;
    ovo_votes_case best = ovo_votes_gather(model, scores, 0);
    uint32_t winner = 0;
    double top = ovo_votes_number(&best, 1);
    for (uint32_t c = 1; c < classes; c++) {
        const ovo_votes_case one = ovo_votes_gather(model, scores, c);
        top = fmax(top, ovo_votes_number(&one, 1));
        if (ovo_votes_compare(model, &one, &best) > 0) best = one, winner = c;
    }
    const double below = nextafter(top, -HUGE_VAL);
    for (uint32_t c = 0; c < classes; c++) {
        const ovo_votes_case one = ovo_votes_gather(model, scores, c);
        const int is_best = model->pairs == HSP__PAIRS_FIRST
                                ? c == winner
                                : ovo_votes_compare(model, &one, &best) == 0;
        out[c] = is_best ? top : fmin(ovo_votes_number(&one, 1), below);
    }
}
