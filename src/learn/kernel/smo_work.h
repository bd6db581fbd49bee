/* What the working-set solver (smo.c) works on, and how it chooses a set (smo_set.c). */
#ifndef HSP_LEARN_KERNEL_SMO_WORK_H
#define HSP_LEARN_KERNEL_SMO_WORK_H

#include "learn/kernel/smo.h"

typedef struct hsp__smo_work {
    hsp_context *ctx;
    const hsp__problem *p;
    const hsp__goal *goal;
    hsp__smo_solution *s;
    hsp__smo_cache *cache;
    uint64_t n;
    int equation;   /* sum a y = 0 holds and is kept */
    int wide;       /* kernel values are doubles */
    int unsure;     /* the kernel need not be one: no gap bounds anything */
    double one;     /* added to every kernel value: offset regularized */
    double most;    /* largest k(x, x) met */
    double scale;   /* (sum a)^2 times that, of the last judgement */
    double aim;     /* the gap to reach: the goal, or less */
    double drift;   /* what rounding may have added to any f */
    double walked;  /* by how much the set's a moved, in all, and ... */
    uint64_t steps; /* ... in how many steps, up to now */
    double *f;      /* n */
    double *y, *c;  /* n: +-1, and the bound of a */
    double *extra;  /* n: added to k(x_i, x_i); NULL: nothing */
    /* The set: */
    uint64_t size;         /* at most, a multiple of HSP__VEC_EXTREMES; from one row of k to the next */
    uint64_t count;        /* of the one at hand */
    uint64_t *set;         /* size: its rows; those that stay in the next one keep their place */
    unsigned char *is_new; /* size: it was not in the set before */
    unsigned char *in;     /* n: while a set is chosen: 1, new in it; 2, stays in it */
    void *k;               /* size * size: its kernel matrix */
    void *diagonal;        /* size: k(x, x) + extra */
    double *la, *lf, *ly, *lc, *lextra; /* size */
    double *up, *down; /* size: 0 where a row may move so, else infinite, and minus that */
    /* What moved: */
    uint64_t *moved;  /* n: rows */
    double *by;       /* n: y times what a changed by */
    void **lines;     /* n */
    uint64_t batch;   /* of them, those lines are there for */
    double shift;     /* sum of by * one */
    uint64_t *picked; /* n: scratch for selection */
    double *keys;     /* n */
    double *judged;   /* n: a as it was judged last, for runs that are stopped */
    int is_judged;
} hsp__smo_work;

/* ---- What may move --------------------------------------------------------------------------- */

static inline int hsp__smo_up(double y, double a, double c)
{
    return y > 0 ? a < c : a > 0;
}

static inline int hsp__smo_down(double y, double a, double c)
{
    return y > 0 ? a > 0 : a < c;
}

/* The smallest f that may move up and the largest that may move down. */
void hsp__smo_ends(const hsp__smo_work *w, double *up, double *down);
/* The next set, from the ends. */
void hsp__smo_choose(hsp__smo_work *w, double up, double down);
/* The first set. */
void hsp__smo_sample(hsp__smo_work *w);

#endif
