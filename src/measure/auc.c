/* AUC = #{(p, q): p positive, q negative, s_p > s_q} + half of #{... s_p = s_q}, over all such
 * pairs. Sorted by score, a group of equal scores adds  2 * negatives below + negatives within  for
 * each of its positives. The doubled count is a whole number, at most n^2 / 2, which 64 bits hold
 * for every n below 2^32; it is exact, whatever the sort does with equals, and rounded once. */
#include "measure/auc.h"

#include <math.h>
#include <stdlib.h>

static int auc_compare(const void *left, const void *right)
{
    const double a = ((const hsp__ranked *)left)->score, b = ((const hsp__ranked *)right)->score;
    return (a > b) - (a < b);
}

double hsp__auc(hsp__ranked *rows, uint64_t count)
{
    for (uint64_t i = 0; i < count; i++)
        if (isnan(rows[i].score)) return (double)NAN;
    qsort(rows, count, sizeof *rows, auc_compare);
    uint64_t positives = 0, negatives = 0, doubled = 0;
    for (uint64_t from = 0, to; from < count; from = to) {
        uint64_t group = 0;
        for (to = from; to < count && rows[to].score == rows[from].score; to++)
            group += rows[to].positive;
        const uint64_t others = to - from - group;
        doubled += group * (2 * negatives + others);
        positives += group;
        negatives += others;
    }
    if (!positives || !negatives) return (double)NAN;
    return (double)doubled / (2 * ((double)positives * (double)negatives));
}
