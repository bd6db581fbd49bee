/* Linear programs, solved by COIN-OR CLP, which lp_clp.c alone knows: without it the build has
 * none.
 *
 *     minimise <cost, v>    with    lower <= v <= upper,    row_lower <= A v <= row_upper
 *
 * CLP answers to about nine digits. Nothing here is a proof: whoever uses an answer checks it. */
#ifndef HSP_LEARN_LP_LP_CLP_H
#define HSP_LEARN_LP_LP_CLP_H

#include "halfspace_all.h"

typedef struct hsp__clp hsp__clp;

/* Can programs be solved? HSP_UNSUPPORTED without CLP, HSP_NO_MEMORY when it cannot be loaded. */
hsp_status hsp__clp_ready(hsp_error *err);

/* A program of `columns` variables and no rows. HSP_UNSUPPORTED in a build without CLP. */
hsp_status hsp__clp_new(hsp_context *ctx, int columns, const double *lower, const double *upper,
                        const double *cost, hsp_error *err, hsp__clp **out);
void hsp__clp_free(hsp__clp *lp);

/* `count` rows more; row r has the entries starts[r] .. starts[r + 1] - 1. */
void hsp__clp_add_rows(hsp__clp *lp, int count, const double *lower, const double *upper,
                       const int *starts, const int *columns, const double *values);
/* `count` variables more, likewise. */
void hsp__clp_add_columns(hsp__clp *lp, int count, const double *lower, const double *upper,
                          const double *cost, const int *starts, const int *rows,
                          const double *values);

/* Other limits of all variables; another cost of each, and limits of all rows from below; NULL: as
 * they are. */
void hsp__clp_change(hsp__clp *lp, const double *lower, const double *upper, const double *cost,
                     const double *row_lower);

/* Begin at a basis of the rows, all variables at their lower limits. */
hsp_status hsp__clp_begin(hsp__clp *lp, hsp_error *err);
/* Once begun: a variable that is not in the basis goes to its upper or lower limit. */
void hsp__clp_set_side(hsp__clp *lp, int column, int upper);

typedef enum hsp__clp_outcome {
    HSP__CLP_OPTIMAL,
    HSP__CLP_LIMIT,  /* this many steps were made: ask again to go on */
    HSP__CLP_TROUBLE /* it says infeasible, unbounded, or gave up */
} hsp__clp_outcome;

/* At most this many steps of the dual or the primal simplex method, from where it stands; *made
 * grows by those it took (NULL: it is not asked for). */
hsp__clp_outcome hsp__clp_solve(hsp__clp *lp, int primal, int steps, uint64_t *made);

/* Of the last answer: the variables, a price a row (>= 0 where the lower limit binds). The arrays are
 * the program's, until it is changed. */
const double *hsp__clp_values(const hsp__clp *lp);
const double *hsp__clp_prices(const hsp__clp *lp);

#endif
