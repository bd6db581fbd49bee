/* What the parts of the softmax solver share: the problem (softmax.c), its rows, objective and gap
 * (softmax_rows.c, softmax_gap.c), and the steps (softmax_newton.c, softmax_lbfgs.c). */
#ifndef HSP_LEARN_MULTICLASS_SOFTMAX_WORK_H
#define HSP_LEARN_MULTICLASS_SOFTMAX_WORK_H

#include "base/base.h"
#include "learn/erm/gap.h"

enum {
    SOFTMAX_BLOCK = 8,     /* classes come in blocks of a cache line */
    SOFTMAX_PARTS = 64,    /* of the rows, at most */
    SOFTMAX_TICK = 64,     /* rows between two ticks */
    SOFTMAX_MEMORY = 10,   /* steps that L-BFGS remembers */
    SOFTMAX_HALVINGS = 60, /* of a step */
};

/* What is done with every row. */
enum {
    SOFTMAX_SCORE = 1, /* find its scores for `from`, put them in `to` */
    SOFTMAX_LOSS = 2,  /* A and the loss at scores + length * along */
    SOFTMAX_OFFSETS =
        4,              /* slopes and curvatures of the loss along the offsets, at scores + shift */
    SOFTMAX_SCALED = 8, /* the entropy of the dual point that `mixed` and `theta` make of A */
    SOFTMAX_CURVE = 16  /* replace `along`, scores of a direction, by the change of -A along it */
};

/* What is summed over the rows of a part. */
typedef struct softmax_sums {
    double loss, entropy;    /* sum c loss, sum c H(q) */
    double slope, curvature; /* of the loss in `length` */
    double above;            /* what rounding may have taken off the loss ... */
    double below;            /* ... and added to the entropy */
} softmax_sums;

typedef struct softmax {
    hsp_context *ctx;
    const hsp_view *view;
    const double *cost, *row_weight;
    hsp__penalty penalty;
    hsp__offset offset;
    uint64_t n, d;
    uint32_t k;
    size_t columns;   /* k, rounded up to whole blocks; what is beyond k stays 0 */
    size_t size;      /* (d + 1) * columns: the weights of column after column, then the offsets */
    size_t penalised; /* of those, the ones in the penalty: the first */
    uint32_t *identity; /* d: 0, 1, 2 ... for dense rows; else NULL */
    double *x;          /* size: weights and offsets */
    double *gradient;   /* size: of the smooth part of P at x */
    double *scores;     /* n * columns: of x */
    double *a;          /* n * columns: A */
    double *along;      /* n * columns: scores of a direction; l1: NULL */
    double length;      /* of the step in that direction that SOFTMAX_LOSS looks at */
    double *u;          /* size: U and t */
    double *others;     /* (row_parts - 1) * size: U and t of the other parts */
    double *norms;      /* n: ||x_i|| */
    double reach;       /* sum c ||x|| */
    double total;       /* sum c */
    double *class_cost; /* k: sum of c over the rows of each class */
    double *class_sum;  /* d * columns, offset free: sum of c x over the rows of each class */
    double
        *diagonal; /* d + 1: of the Hessian at W = 0, for the weights of a column and the offsets */
    uint64_t parts, row_parts; /* of the rows: in all; where each has a U of its own */
    double largest[2];         /* >= ||W|| and max |b| of all that the scores came from, summed */
    double theta;              /* l1: the dual point is theta A */
    double mixed, *mix; /* k: and A is mixed with this distribution: (1 - mixed) q + mixed mix */
    double *newton;     /* SOFTMAX_OFFSETS: parts * k * (k + 2), of each k slopes, k * k curvatures,
                                  and k more numbers */
    double *shift;      /* k: what the offsets are changed by */
    int jobs;           /* of SOFTMAX_SCORE ... */
    const double *from; /* SOFTMAX_SCORE: size */
    double *to;         /* n * columns */
    double value;       /* P at x, without rounding */
    hsp__gap_values known; /* bounds that hold at x; dual: the best of all points so far */
    softmax_sums sums[SOFTMAX_PARTS];
} softmax;

static inline double softmax_cost(const softmax *m, uint64_t i)
{
    const double c = m->cost[m->view->labels[i]];
    return m->row_weight ? c * m->row_weight[i] : c;
}

/* s = the scores of a row for all classes, by weights and offsets `from`. */
void hsp__softmax_row_scores(const softmax *m, uint64_t i, const double *from, double *s);

/* u_m += a_m x_i for the first `many` classes (whole blocks). */
void hsp__softmax_row_add(const softmax *m, uint64_t i, const double *a, double *u, size_t many);

/* Do the jobs with all rows, and sum. */
softmax_sums hsp__softmax_rows(softmax *m, int jobs);

/* out (size) = the rows, each times its numbers in `numbers` (n * columns), and the sums of these. */
hsp_status hsp__softmax_combine(const softmax *m, const double *numbers, double *out,
                                hsp_error *err);

/* At x, whose scores and A are there, and these sums: P, U, the gradient, and what is then known. */
hsp_status hsp__softmax_gradient(softmax *m, const softmax_sums *sums, hsp_error *err);

/* Add to m->largest what v (size), times `length`, may be off by, where the scores are to change by
 * its own. */
void hsp__softmax_rounding(softmax *m, const double *v, double length);

/* The penalty of x. */
double hsp__softmax_penalty(const softmax *m);

/* Primal and dual value at x, rounded up and down, after free offsets were set to the best ones. */
hsp_status hsp__softmax_gap(softmax *m, hsp_error *err, hsp__gap_values *out);

/* The bounds that U, t and the sums prove, without a look at the rows; they become known. */
void hsp__softmax_bound(softmax *m, const softmax_sums *sums);

/* ---- Steps ---- */

typedef struct softmax_steps {
    double gap;        /* that is asked for */
    double *slope;     /* size: gradient, l1: the pseudo-gradient */
    double *direction; /* size */
    /* l1: L-BFGS */
    size_t orthant;                 /* this many coordinates keep their signs in a step; l2: 0 */
    double *x, *gradient;           /* size: where the step began, and the gradient there */
    double *s, *y;                  /* SOFTMAX_MEMORY * size: steps, and changes of the gradient */
    double product[SOFTMAX_MEMORY]; /* <s, y> */
    uint64_t made;                  /* steps remembered in all; the newest is (made - 1) % MEMORY */
    int level;                      /* steps in sequence after which P had not fallen */
    /* l2: conjugate gradients */
    double *r, *z, *p, *hp; /* size */
    /* Factors of matrices of one class each: k * each, and k * (d + 1) lengths; NULL: none. A factor
     * that begins with 0 is spoilt. */
    float *factors;
    double *lengths;
    size_t each;
    uint64_t sample; /* rows of a matrix, about */
    double price;    /* of the matrices, in products */
    double radius,
        norm; /* directions end there; size of the last one, both in the preconditioner's norm */
    uint64_t products; /* that the last step took; 0: there was none */
} softmax_steps;

/* Decide whether there are matrices, and take memory for them. */
void hsp__softmax_newton_open(const softmax *m, softmax_steps *steps, hsp__scratch *scratch);

/* One step from x; *moved: is there one? A run that is stopped leaves x where it was, or where a
 * whole step led. */
hsp_status hsp__softmax_newton(softmax *m, softmax_steps *steps, hsp_error *err, uint64_t *passes,
                               int *moved);
hsp_status hsp__softmax_lbfgs(softmax *m, softmax_steps *steps, hsp_error *err, uint64_t *passes,
                              int *moved);

/* Wide sparse rows: are sweeps in the dual quicker at first? They end when the gap is reached, or when
 * steps are better; x, its gradient and what is known are those of their end. */
int hsp__softmax_dual_suits(const softmax *m);
hsp_status hsp__softmax_dual(softmax *m, softmax_steps *steps, const hsp__goal *goal,
                             hsp_error *err, hsp__solution *out);

/* l1: the slope of P in the direction in which it falls, 0 where it falls in neither. */
void hsp__softmax_slope(const softmax *m, softmax_steps *steps);

#endif
