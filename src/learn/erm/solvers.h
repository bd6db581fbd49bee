/* The solvers, and which of them fits a problem best. */
#ifndef HSP_LEARN_ERM_SOLVERS_H
#define HSP_LEARN_ERM_SOLVERS_H

#include "learn/erm/problem.h"

extern const hsp__solver *const hsp__solvers[]; /* solvers.c; ended by NULL */

/* The solver of that name, or with "auto" the one that suits the data's shape; NULL: none of that
 * name, or it does not suit. */
const hsp__solver *hsp__solver_for(const hsp_context *ctx, const char *name, const hsp__problem *p);

/* The solver to go on with where `first`, chosen by auto, can get no further; NULL: none. */
const hsp__solver *hsp__solver_after(const hsp__solver *first, const hsp__problem *p);

extern const hsp__solver hsp__solver_newton; /* newton.c */
extern const hsp__solver hsp__solver_dcd;    /* dcd.c */
extern const hsp__solver hsp__solver_l1;     /* l1.c */

#endif
