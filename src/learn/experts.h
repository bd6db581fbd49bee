/* What the panel of experts promises. */
#ifndef HSP_LEARN_EXPERTS_H
#define HSP_LEARN_EXPERTS_H

#include "halfspace.h"

/* At most so many mistakes (randomized: in expectation) of a panel of `count` whose best expert
 * made `best_mistakes`. */
double hsp__experts_bound(double beta, int randomized, double best_mistakes, uint64_t count);

#endif
