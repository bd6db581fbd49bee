/* What every solver does with its solution: begin, keep the best pair so far, give up on values. */
#ifndef HSP_LEARN_ERM_SOLUTION_H
#define HSP_LEARN_ERM_SOLUTION_H

#include "learn/erm/problem.h"

/* Nothing is known yet: the primal is infinite, the dual minus that, no passes were made. */
void hsp__solution_begin(hsp__solution *s);

/* Keep of the weights (w, b) and the dual coefficients a with these values what is better than the
 * best in `s` (hsp__gap_keep). */
void hsp__solution_keep(const hsp__problem *p, const double *w, double b, const double *a,
                        double primal, double dual, hsp__solution *s);

/* There was no time to compute the values of s->w and s->b: they are NaN, and a = 0 has D = 0. */
void hsp__solution_unknown(const hsp__problem *p, hsp__solution *s);

#endif
