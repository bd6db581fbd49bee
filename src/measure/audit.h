/* What an audit knows: the run that made a model, the rows that caused its updates, and a reference
 * separator, all in the space where the proofs take place.
 *
 * A run with an offset is one without in a space of one more coordinate:
 *
 *     offset    x~        w~          constant c
 *     none      x         w           0
 *     unit      (x, 1)    (w, b)      1
 *     r2        (x, R)    (w, b/R)    R = max ||x||
 *     append    (x, c)    (w, b/c)    the option's
 *
 * and a soft run gives every row i one more coordinate, of value Delta, that all other rows have 0
 * in. There an update is  w~ += rate y x~  and happens when  y <w~, x~> <= tau  (tau = 0: on a
 * mistake). With a kernel, x is phi(x) throughout. */
#ifndef HSP_MEASURE_AUDIT_H
#define HSP_MEASURE_AUDIT_H

#include "base/base.h"
#include "data/data.h"
#include "learn/erm/erm.h"
#include "model/model.h"

/* Sums of audits and certificates: wider than what they are compared with, where the machine has that. */
typedef long double hsp__long;

typedef enum hsp__audit_offset {
    HSP__AUDIT_NONE,
    HSP__AUDIT_UNIT,
    HSP__AUDIT_R2,
    HSP__AUDIT_APPEND
} hsp__audit_offset;

/* How the run was set up, from the facts kept with its model. */
typedef struct hsp__audit_plan {
    uint64_t updates; /* k */
    uint64_t
        passes; /* how often each row was presented, at most; 0: rows were picked, not passed */
    hsp__audit_offset offset;
    double constant; /* of append */
    double rate, soft;
    double tau; /* as a number, or times R */
    int tau_relative;
    int cyclic;     /* all rows in turn */
    uint64_t parts; /* of the rows, whose separators were averaged after each pass; 0: none */
    int averaged;   /* the weights are the mean of all separators, not the last one */
} hsp__audit_plan;

typedef struct hsp__audit {
    hsp_context *ctx;
    hsp__scratch scratch; /* has the arrays below */
    const hsp_model *model;
    hsp__audit_plan plan;

    hsp_data *scaled;     /* owned, or NULL: the data's rows are as used in training */
    const hsp_view *view; /* the rows as used in training */
    uint64_t rows;        /* those of classes that the run knew ... */
    uint64_t *row;        /* ... rows: their numbers in the view */
    signed char *y;       /* rows: -1 or 1 */
    double radius;        /* R = max ||x|| */
    double constant;      /* c */
    double tau;           /* absolute */

    struct hsp__kernel_rows *kernel_rows; /* with a kernel: the view's, ... */
    uint64_t *kernel_ids;                 /* ... what they are known by, or NULL (gram.h), ... */
    double last_square, inner;            /* ... and ||w~_k||^2 and <w~*, w~_k>, for there is no
                                             last or u then */
    uint64_t features;
    double *last;          /* features: w of the last separator */
    double last_constant;  /* b / c of it */
    int has_last;          /* 0: averaged away, and no updates kept to rebuild it from */
    double *amount;        /* rows: rate * y * number of updates, summed up; NULL: not kept */
    double rebuild_error;  /* ||w~ - sum of amount x~||; NaN: nothing to compare */
    double rebuild_allows; /* how much of that rounding may explain */

    double *u;         /* features: w* */
    double u_constant; /* b* / c */
    double u_norm;     /* ||w~*|| */
    int u_dropped;     /* it had an offset that the run could not have: taken without */
    double *margin;    /* rows: y <w~*, x~> / ||w~*||, rounded down */
    double least;      /* the smallest of them; NaN without rows or with w~* = 0 */
} hsp__audit;

/* ---- Entries ---------------------------------------------------------------------------------- */

#define HSP__AUDIT_BOUNDS 12 /* at most */
typedef struct hsp__audit_list {
    hsp_mistake_bound *bounds; /* HSP__AUDIT_BOUNDS */
    size_t count;
} hsp__audit_list;

/* A theorem. `check` compares the run with it and returns 1; says why it does not apply, 0; or
 * leaves it out, -1. */
typedef struct hsp__audit_theorem {
    const char *name, *formula; /* the formula may be another, as `check` says */
    int (*check)(const void *run, hsp_mistake_bound *entry);
    int lower; /* it is a bound from below */
} hsp__audit_theorem;

/* One more entry for each of `count` theorems. */
void hsp__audit_fill(hsp__audit_list *list, const hsp__audit_theorem *theorems, size_t count,
                     const void *run);
/* The theorem does not apply: 0. */
int hsp__audit_why(hsp_mistake_bound *entry, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
/* It does: 1. `size` is that of the quantities compared; the text has the figures. */
int hsp__audit_settle(hsp_mistake_bound *entry, double observed, double bound, double size,
                      const char *format, ...) __attribute__((format(printf, 5, 6)));

/* ---- Metadata --------------------------------------------------------------------------------- */

/* A setting of the run: metadata of that name, or else a member of the metadata "options". */
typedef struct hsp__audit_reader {
    const hsp_model *model;
    struct hsp__json *json;
    const struct hsp__json_value *options; /* or NULL */
} hsp__audit_reader;

hsp_status hsp__audit_open(const hsp_model *model, hsp_error *err, hsp__audit_reader *reader);
void hsp__audit_close(hsp__audit_reader *reader);
const char *hsp__audit_text(const hsp__audit_reader *reader, const char *name); /* or NULL */
/* Metadata that counts. HSP_USAGE when there is none. */
hsp_status hsp__audit_count(const hsp__audit_reader *reader, const char *name, uint64_t *out,
                            hsp_error *err);
/* A number >= 0; `fallback` NaN: it must be there. `relative` (or NULL): an r may follow it. */
hsp_status hsp__audit_number(const hsp__audit_reader *reader, const char *name, double fallback,
                             double *out, int *relative, hsp_error *err);

/* How a perceptron run of two classes was set up. HSP_USAGE if the model is no record of one. */
hsp_status hsp__audit_read_plan(const hsp_model *model, hsp_error *err, hsp__audit_plan *plan);
/* c and tau, once R is known. */
void hsp__audit_space(const hsp__audit_plan *plan, double radius, double *constant, double *tau);

/* ---- Rows ------------------------------------------------------------------------------------- */

/* Which rows of the data the run saw, and their labels: audit->row and y. HSP_BAD_DATA when there
 * are not as many as the model says. */
hsp_status hsp__audit_choose_rows(hsp__audit *audit, hsp_data *data, hsp_error *err);

/* Rows, labels, radius; the last separator, rebuilt from the updates where there are any. */
hsp_status hsp__audit_read_rows(hsp__audit *audit, hsp_data *data, hsp_error *err);

/* The reference as a vector of the run's space, and the rows' margins with it. */
hsp_status hsp__audit_read_reference(hsp__audit *audit, const hsp_model *reference, hsp_error *err);

/* With a kernel: what of the above is not the same (audit_kernel.c). The rows of its updates,
 * and how many there were, are those of hsp__audit_read_rows. */
hsp_status hsp__audit_kernel_radius(hsp__audit *audit, const hsp_data *data, hsp_error *err);
hsp_status hsp__audit_kernel_last(hsp__audit *audit, hsp_error *err);
hsp_status hsp__audit_kernel_check(const hsp_model *model, const hsp_model *reference,
                                   hsp_error *err);
hsp_status hsp__audit_kernel_reference(hsp__audit *audit, const hsp_model *reference, int direction,
                                       hsp_error *err);

/* Rows (labels 0 and 1) that nothing separates: the weights of the soft margin with C = 1. The offset
 * is part of the weights (`constant`), or there is none. The caller frees *out, also after a failure. */
hsp_status hsp__reference_soft(hsp_context *ctx, const hsp_view *rows, int constant, hsp_error *err,
                               hsp__fitted *out);

/* ---- Winnow (audit_winnow.c) ------------------------------------------------------------------ */

typedef enum hsp__winnow_variant {
    HSP__WINNOW_1,
    HSP__WINNOW_2,
    HSP__WINNOW_BALANCED
} hsp__winnow_variant;

typedef struct hsp__winnow_run {
    hsp__winnow_variant variant;
    int constant;        /* balanced: every row has a column of ones */
    double delta, alpha; /* alpha = 1 + delta, as the run rounded it */
    double eta;          /* ln alpha */
    double theta;        /* balanced: 0, unless the user set it */
    uint64_t cols;       /* of the rows, ... */
    double n;            /* ... as a real number */
    double divisor;      /* amounts in the model are divided by that */
    uint64_t updates;
    int averaged, cyclic; /* cyclic: all rows in turn */
    hsp_tie tie;          /* what a score of 0 says */
} hsp__winnow_run;

hsp_status hsp__winnow_read(const hsp_model *model, hsp_error *err, hsp__winnow_run *run);

/* What a separator v does on the rows. */
typedef struct hsp__winnow_sides {
    double weight, entropy; /* sum of |v|; the entropy of |v| / weight in nats */
    double least, most;     /* <v,x> of positive rows at least, of negative ones at most */
} hsp__winnow_sides;

/* v: `count` weights, and that of the constant column. */
void hsp__winnow_weigh(const double *v, uint64_t count, double constant, hsp__winnow_sides *sides);

/* The theorem "separator" (audit_winnow.c has the symbols). */
typedef struct hsp__winnow_bound {
    double g, S, sigma; /* g: balanced only; the others: winnow1 and winnow2 only */
    double spread;      /* balanced: ln cosh(ln alpha) */
    double room;        /* balanced: ln(alpha) g/V - spread; winnow2: alpha sigma - delta */
    double K, Z, rate;  /* rate = K S / ln alpha */
    double bound;       /* infinite where the theorem does not apply: room <= 0, or winnow1 and
                           most > 0 */
} hsp__winnow_bound;

hsp__winnow_bound hsp__winnow_bound_of(const hsp__winnow_run *run, const hsp__winnow_sides *v);

/* A run of Winnow against its theorems. */
hsp_status hsp__audit_winnow(hsp__audit *audit, hsp_data *data, const hsp_model *reference,
                             hsp__audit_list *list, hsp_error *err);

/* ---- Experts (audit_experts.c) ---------------------------------------------------------------- */

/* The run, as the model describes it. */
typedef struct hsp__experts_run {
    double beta;
    int negated, randomized, shuffled;
    int votes; /* 0: by what a column holds; 1: signs, 2: bits */
    uint64_t seed, examples, passes;
    uint64_t mistakes, best; /* m; the column of the best expert, ... */
    int best_negated;        /* ... or its negation */
    double best_mistakes, expected;
} hsp__experts_run;

hsp_status hsp__experts_read(const hsp_model *model, hsp_error *err, hsp__experts_run *run);
/* Which of the model's scalings makes votes; HSP__MODEL_SCALINGS: none. */
int hsp__experts_votes(const hsp_model *model);

/* Experts against their theorem, without a reference. */
hsp_status hsp__audit_experts(hsp__audit *audit, hsp_data *data, hsp__audit_list *list,
                              hsp_error *err);

#endif
