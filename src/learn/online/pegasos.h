/* Hinge SGD (pegasos.c): the rule of streams and single steps, and the solver of whole data sets.
 */
#ifndef HSP_LEARN_ONLINE_PEGASOS_H
#define HSP_LEARN_ONLINE_PEGASOS_H

#include "learn/online/online.h"
#include "learn/erm/problem.h"

/* For a learner's `.rule`. It reads the options lambda, C, loss, penalty, hard, offset, weight and
 * average of the learner's table, those that are there, and says what a stream cannot do. */
extern const hsp__online_rule hsp__pegasos_rule;

/* For the list of solvers: hinge loss, l2, not hard; offset none, regularized or free. */
extern const hsp__solver hsp__solver_pegasos;

#endif
