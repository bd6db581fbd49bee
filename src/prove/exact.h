/* Exact answers about rows whose numbers are decimals: common points of two hulls, and their
 * nearest points. Built with GNU MP; without it, hsp__exact_there() is 0 and the calls return
 * HSP_UNSUPPORTED. */
#ifndef HSP_PROVE_EXACT_H
#define HSP_PROVE_EXACT_H

#include "base/context.h"
#include "base/text.h"
#include "data/data.h"
#include "data/provenance.h"
#include "halfspace_all.h"
#include "model/model.h"

/* Rows as the file has them. A value of a view stands for the shortest decimal that reads back to
 * it: that is what the file has, if it has no more digits than memory holds; the others are listed.
 */
typedef struct hsp__exact_source {
    const hsp_view *view;
    const signed char *y;     /* rows: -1 or 1 */
    hsp__long_decimal *longs; /* owned by whoever made them */
    uint64_t long_count;      /* ascending by row, then column */
    int stored;               /* a value stands for itself instead, and there are no others */
} hsp__exact_source;

/* Is every number one to compute with? HSP_UNSUPPORTED: one is too small. */
hsp_status hsp__exact_check(const hsp__exact_source *source, const char *path, hsp_error *err);

int hsp__exact_there(void);

/* What was found about two sets of rows, as the texts of a certificate. */
typedef enum hsp__separability {
    HSP__SEPARABILITY_UNKNOWN,
    HSP__SEPARABILITY_SEPARABLE, /* w, b, low, high, multipliers */
    HSP__SEPARABILITY_COMMON,    /* multipliers of a common point */
    HSP__SEPARABILITY_NEAR       /* multipliers, high: no margin is above that */
} hsp__separability;

typedef struct hsp__separation {
    hsp__separability kind;
    hsp__text w, b;        /* a sparse list; a number */
    hsp__text low, high;   /* numbers */
    hsp__text multipliers; /* a sparse list; rows from 1 */
    double low_value, high_value;
    uint64_t used;   /* rows with a multiplier */
    double *weights; /* cols: w to the nearest; NULL: none */
    double bias;     /* b, likewise */
    hsp_allocator memory;
} hsp__separation;

void hsp__separation_init(hsp__separation *s, const hsp_allocator *memory);
void hsp__separation_free(hsp__separation *s);

/* The one point that both hulls of these rows have in common, as whole multipliers > 0 with sum a y
 * x = 0 and, with an offset, sum a y = 0. *found is 0 where there is none, where there are many
 * (rows depend on each other), and where the multipliers have more than `most` digits in all.
 * Cost: (columns met) * count^2 operations of 64 bits, then the digits. */
hsp_status hsp__exact_common(hsp_context *ctx, const hsp__exact_source *source,
                             const uint64_t *rows, uint64_t count, int offset, uint64_t most,
                             hsp_error *err, hsp__separation *to, int *found);

/* s(x) = <w, x'> + b, x' the row after scaling columns. */
typedef struct hsp__exact_separator {
    uint64_t features;
    const double *w; /* features */
    double b;
    const hsp_scaling *scalings[HSP__MODEL_SCALINGS]; /* one after the other; NULL: none */
} hsp__exact_separator;

/* How many rows are not strictly on their side (y s(x) <= 0), and the first of them; UINT64_MAX:
 * none. Rows with y = 0 are passed over. */
hsp_status hsp__exact_separates(hsp_context *ctx, const hsp__exact_source *source,
                                const hsp__exact_separator *of, hsp_error *err, uint64_t *first,
                                uint64_t *wrong);

/* The nearest points of the hulls of all rows, by Wolfe's method in exact arithmetic, to a relative
 * `width` of the margin: separable or a common point, never unknown unless `steps` ran out. For few
 * columns: a step takes the cube of them. */
hsp_status hsp__exact_nearest(hsp_context *ctx, const hsp__exact_source *source, int offset,
                              double width, uint64_t steps, hsp_error *err, hsp__separation *to);

/* A common point of the two hulls of all rows in the feature space of a kernel without exponentials
 * (hsp__prove_kernel_exact), if there is one: to->kind is HSP__SEPARABILITY_COMMON then. Nothing
 * else in *to means anything. For few rows: their Gram matrix is made, in whole numbers. */
hsp_status hsp__exact_kernel(hsp_context *ctx, const hsp__exact_source *source,
                             const hsp_kernel *kernel, int offset, uint64_t steps, hsp_error *err,
                             hsp__separation *to);

/* ---- exact_replay.c: a perceptron run, made again in exact arithmetic -------------------------
 */

/* The numbers are decimals: the shortest that read back to these doubles. */
typedef struct hsp__exact_run {
    const hsp_scaling *scaling; /* rows are (x - shift) factor by column; NULL: as they are */
    char offset;                /* 'n': none, 'u': unit, 'r': r2, 'a': append */
    double constant;            /* of append */
    double rate, tau, soft;
    int tie_positive; /* a positive row with a score of 0 is right */
} hsp__exact_run;

typedef enum hsp__exact_replay {
    HSP__REPLAY_SAME,    /* every update was on a row that was a mistake then */
    HSP__REPLAY_DIFFERS, /* update *at of the sequence (from 0) was on a row that was right then */
    HSP__REPLAY_LONG     /* it would take too long */
} hsp__exact_replay;

/* A sequence of updates: is each row a mistake when its turn comes? `sequence` NULL: `passes`
 * passes over all rows in their order. count[i] (zeros at first) gets how often row i was updated.
 */
hsp_status hsp__exact_replay_run(hsp_context *ctx, const hsp__exact_source *source,
                                 const hsp__exact_run *run, uint64_t passes,
                                 const uint64_t *sequence, uint64_t updates, uint64_t *count,
                                 hsp_error *err, hsp__exact_replay *outcome, uint64_t *at);

/* The sign of sum x alpha^e - theta, or with `balanced` of sum x (alpha^e - alpha^-e) - theta, x
 * being times / HSP__EXACT_PARTS. alpha > 1 is the double itself, theta the shortest decimal. 2:
 * the numbers would be too long. */
#define HSP__EXACT_PARTS 1024
int hsp__exact_powers_sign(double alpha, double theta, int balanced, const int64_t *e,
                           const uint32_t *times, uint64_t count);

#endif
