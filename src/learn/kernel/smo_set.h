/* What the working-set solver (smo.c) works on, and how it chooses a set (smo_set.c). */
#ifndef HSP_LEARN_KERNEL_SMO_SET_H
#define HSP_LEARN_KERNEL_SMO_SET_H

#include "base/base.h"
#include "base/scratch.h"
#include "learn/kernel/smo.h"
#include "vec/vec.h"

/* A working set, with the problem over its rows alone. */
typedef struct hsp__smo_set {
    hsp__scratch scratch;
    uint64_t size;         /* at most, a multiple of HSP__VEC_EXTREMES; stride of the rows of k */
    uint64_t count;        /* of the one at hand */
    uint64_t *rows;        /* size; those that stay in the next set keep their place */
    unsigned char *is_new; /* size: it was not in the set before */
    void *k;               /* size * size: its kernel matrix */
    int on_demand;         /* of which only rows that steps asked for, or may ask for, are there: */
    unsigned char *there;  /* size: is this one? */
    void *diagonal;        /* size: k(x, x) + extra */
    double *a, *f, *y, *c, *extra; /* size: those of the rows */
    double *up, *down; /* size: 0 where y a may rise (fall), else infinite (minus infinite) */
    double moved;      /* by how much a has changed, in all, in the ... */
    uint64_t updates;  /* ... steps after this number of the solver's updates */
} hsp__smo_set;

/* Rows whose a changed, while f follows. */
typedef struct hsp__smo_moved {
    uint64_t count; /* of the last round */
    uint64_t *rows; /* n */
    double *by;     /* n: y times what a changed by */
    void **lines;   /* n: their kernel rows, */
    uint64_t batch; /* of the first `batch` of them */
} hsp__smo_moved;

/* Scores that were computed again in double. */
typedef struct hsp__smo_exact {
    unsigned char *rows; /* n: is this one of them? */
    double *scores;      /* n: they, without b, for ... */
    double *a;           /* n: ... these weights */
    double off;          /* what they may be off by; below 0: there are none */
    int fresh;           /* they are of the last proof */
} hsp__smo_exact;

typedef struct hsp__smo_work {
    hsp_context *ctx;
    const hsp__problem *p;
    const hsp__goal *goal;
    hsp__smo_solution *s;
    hsp__smo_cache *cache;
    hsp__scratch scratch;
    uint64_t n;
    int equation;         /* sum a y = 0 holds and is kept */
    int wide;             /* kernel values are doubles */
    int indefinite;       /* the kernel need not be positive semidefinite: no gap is proven */
    double kernel_offset; /* added to every kernel value: 1, offset regularized */
    double largest;       /* k(x, x) met */
    double scale;         /* (sum a)^2 times that, of the last gap */
    double target;        /* the gap to reach: the goal, or less */
    double drift;         /* what rounding may have added to any f */
    double refined;       /* f was put right by exact scores: what any f may be off by besides */
    hsp__smo_exact exact;
    double *f;              /* n */
    double *y, *c;          /* n: +-1, and the bound of a */
    double *extra;          /* n: added to k(x_i, x_i); NULL: nothing */
    hsp__smo_set set, part; /* `part`: of the set, its rows are places there; size 0: none */
    int set_chosen;         /* the set of the coming round is there */
    hsp__smo_moved moved;
    struct {                   /* while a set is chosen: */
        unsigned char *in;     /* n: 1, new in it; 2, stays in it */
        uint64_t *picked;      /* n */
        double *keys, *turned; /* n */
    } choice;
    struct {       /* for runs that are stopped: */
        double *a; /* n: when the gap was computed last */
        int valid;
    } last;
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

/* Row i of the set has moved. */
static inline void hsp__smo_set_bounds(hsp__smo_set *set, uint64_t i)
{
    set->up[i] = hsp__smo_up(set->y[i], set->a[i], set->c[i]) ? 0 : HUGE_VAL;
    set->down[i] = hsp__smo_down(set->y[i], set->a[i], set->c[i]) ? 0 : -HUGE_VAL;
}

/* The rows of the set, filled up to what the loops of vec.h take. */
static inline size_t hsp__smo_padded(const hsp__smo_set *set)
{
    return (size_t)((set->count + HSP__VEC_EXTREMES - 1) / HSP__VEC_EXTREMES * HSP__VEC_EXTREMES);
}

/* The places behind the last row take part in passes: zeros, and nothing there may move. */
static inline void hsp__smo_set_pad(hsp__smo_set *set, size_t number, size_t behind)
{
    memset((char *)set->diagonal + set->count * number, 0, behind * number);
    for (uint64_t i = set->count; i < set->count + behind; i++)
        set->up[i] = HUGE_VAL, set->down[i] = -HUGE_VAL, set->f[i] = 0;
}

/* Row i of the set's matrix is asked for. */
void hsp__smo_need(hsp__smo_work *w, uint64_t i);

/* Steps until the worst violation in the set is a small part of what it was, or small enough. */
hsp_status hsp__smo_steps(hsp__smo_work *w, double enough, double part, hsp_error *err);
/* The smallest f in the set that may move up, its row, and the largest f that may move down. */
uint64_t hsp__smo_extremes(hsp__smo_work *w, double *low, double *high);

/* Newton steps over the rows of the set that are between their bounds (smo_newton.c), and how many
 * steps of two variables cost about as much. */
hsp_status hsp__smo_newton(hsp__smo_work *w, hsp_error *err);
uint64_t hsp__smo_newton_price(const hsp__smo_work *w);

/* The smallest f that may move up and the largest that may move down. */
void hsp__smo_ends(const hsp__smo_work *w, double *up, double *down);
/* The next set, from the ends. */
void hsp__smo_choose(hsp__smo_work *w, double up, double down);
/* The first set. */
void hsp__smo_sample(hsp__smo_work *w);
/* The set of all rows. */
void hsp__smo_all(hsp__smo_work *w);
/* The rows whose margins are nearest to 1, where f and b are of a separator that is nearly right. */
void hsp__smo_nearest(hsp__smo_work *w, double b);

/* Primal, dual, gap and rounding of s->a, s->b and s->scores, which are off by at most `drift` from
 * the sums over kernel values as the cache has them. Where the rounding of those is too much for
 * `target`, scores are computed again in double (smo_gap.c): `exact` says which. */
hsp_status hsp__smo_prove(hsp_context *ctx, const hsp__problem *p, hsp__smo_cache *cache,
                          double drift, double target, hsp_error *err, hsp__smo_solution *s,
                          hsp__smo_exact *exact);

#endif
