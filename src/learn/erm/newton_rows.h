/* What the second-order solver (newton.c) does with all rows. */
#ifndef HSP_LEARN_ERM_NEWTON_ROWS_H
#define HSP_LEARN_ERM_NEWTON_ROWS_H

#include "learn/erm/newton.h"

/* sum a y x (dim) and all row sums again, from w; every row's curvature too. */
void hsp__newton_restart(hsp__newton *s);

/* move = X delta, and the sums at a step of 1. */
hsp__newton_sums hsp__newton_probe(hsp__newton *s);

/* The sums of the smooth function, rows only, at a step of t. */
hsp__newton_sums hsp__newton_along(hsp__newton *s, double t);

/* Go there: w, score, a, u and the row sums follow. */
void hsp__newton_go(hsp__newton *s, double t);

/* The anchors or tau have changed: a and u follow as if the rows that have curvature now kept it,
 * whatever their bounds are. A full step from here follows the change as long as those rows stay the
 * same. */
void hsp__newton_hold(hsp__newton *s);

/* by_matrix: the multipliers a, from the scores. */
void hsp__newton_multipliers(hsp__newton *s);

/* anchor = a / c. */
hsp_status hsp__newton_anchor(hsp__newton *s, hsp_error *err);

#endif
