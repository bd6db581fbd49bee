/* The passes of a solver: objective and lower bound after each (option convergence). */
#ifndef HSP_LEARN_PASS_LOG_H
#define HSP_LEARN_PASS_LOG_H

#include "base/context.h"

typedef struct hsp__pass {
    uint64_t passes; /* made so far */
    double primal;   /* of the weights after them; infinite: they violate a constraint */
    double dual;     /* the best lower bound so far: at least 0; NaN: nothing bounds it */
    double seconds;  /* since the problem was begun */
} hsp__pass;

/* Of one problem: each has its own, so that problems may be solved in parallel. */
typedef struct hsp__pass_log {
    hsp__pass *list;
    uint64_t count, room;
    uint64_t before; /* passes that solvers before this one made */
    double begun;    /* the clock then */
    int unbounded;   /* the kernel is indefinite: dual values bound nothing */
    int failed;      /* memory ran out */
} hsp__pass_log;

/* After this many passes of the solver at work; `dual` NaN: not computed. `log` NULL: nobody wants to
 * know. */
void hsp__pass_log_note(hsp_context *ctx, hsp__pass_log *log, uint64_t passes, double primal,
                        double dual);

/* The problem is solved: the last line has these values, as reports do. */
void hsp__pass_log_end(hsp_context *ctx, hsp__pass_log *log, uint64_t passes, double primal,
                       double dual);

#endif
