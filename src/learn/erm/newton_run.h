/* A run of the second-order solver, for newton.c and newton_state.c alone. */
#ifndef HSP_LEARN_ERM_NEWTON_RUN_H
#define HSP_LEARN_ERM_NEWTON_RUN_H

#include "learn/erm/gap.h"
#include "learn/erm/newton.h"

/* The best pair so far, with the values that gap.h gave to it. */
typedef struct newton_best {
    double *w;    /* dim */
    double *a;    /* n; NULL: never put aside */
    int in_place; /* the best multipliers are in s->a */
    hsp__gap_values values;
} newton_best;

/* What newton_minimise knows of its steps. */
typedef struct newton_minimised {
    double first, left,
        before;      /* decrements: of the first step, of the last, of the one before it */
    int slow, moved; /* steps that did not halve it, and all */
} newton_minimised;

typedef struct newton_run {
    hsp__newton *s;
    const hsp__goal *goal;
    hsp__solution *out;
    hsp_error *err;
    int sample;          /* a sample of the rows: our own estimate of the gap is enough */
    double wanted;       /* our estimate of the gap at which to compute it with gap.h */
    double longest;      /* hard margin: the largest norm of a row */
    int follow_tau;      /* the anchors stay in the middle, and only tau grows */
    int own_multipliers; /* s->a is what the rows ask for; 0: gap.h made it feasible */
    struct {
        double *w; /* dim: the weights with the lowest primal value by our own estimate */
        double value;
    } lowest;
    newton_best best;
    double *trial;  /* dim: the weights whose gap is computed */
    int scored;     /* u and scores of the best pair are in s->delta and s->delta_score */
    double nearest; /* the gap, by our own estimate, when the count of short steps last began, */
    int shorts;     /* short steps since then, and */
    int sheds;      /* attempts at multipliers because of them; */
    int interior;   /* the last was made */
    double tried;   /* the decrement of the step after which newton_dual.c was tried; 0: not yet; */
    double reached; /* and the D that it reached */
    int done;
    hsp_stop stop;
    uint64_t steps;
    double last; /* newton_outer: the smallest gap, */
    int stalls;  /* and the steps since it fell */
    newton_minimised minimised;
    int resumed; /* a checkpoint was loaded: go on in the middle of newton_minimise */
} newton_run;

/* Checkpoints, at the head of the loop of newton_minimise: newton_state.c. */
hsp_status hsp__newton_save(newton_run *run);
hsp_status hsp__newton_load(newton_run *run);

#endif
