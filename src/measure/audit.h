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

#include "base/context.h"
#include "data/data.h"
#include "halfspace_all.h"
#include "model/model.h"

/* Sums of the audit: wider than what they are compared with, where the machine has that. */
typedef long double hsp__wide;

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
    int cyclic;   /* all rows in turn */
    int averaged; /* the weights are the mean of all separators, not the last one */
} hsp__audit_plan;

typedef struct hsp__audit {
    hsp_context *ctx;
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

/* What is found out, one entry a theorem. */
#define HSP__AUDIT_BOUNDS 12 /* at most */
typedef struct hsp__audit_list {
    const hsp__audit *audit;
    hsp_mistake_bound *bounds; /* HSP__AUDIT_BOUNDS */
    size_t count;
} hsp__audit_list;

/* One more entry; it does not apply until it is settled. */
hsp_mistake_bound *hsp__audit_add(hsp__audit_list *list, const char *name, const char *formula);
void hsp__audit_why(hsp_mistake_bound *bound, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
/* The theorem applies; `size` is that of the quantities compared. */
void hsp__audit_settle(hsp_mistake_bound *entry, double observed, double bound, double size);

/* A setting of the run: a fact of that name, or else a member of the fact "options". */
typedef struct hsp__audit_reader {
    const hsp_model *model;
    struct hsp__json *json;
    const struct hsp__json_value *options; /* or NULL */
} hsp__audit_reader;

hsp_status hsp__audit_open(const hsp_model *model, hsp_error *err, hsp__audit_reader *reader);
void hsp__audit_close(hsp__audit_reader *reader);
const char *hsp__audit_text(const hsp__audit_reader *reader, const char *name); /* or NULL */
/* A fact that counts. HSP_USAGE when there is none. */
hsp_status hsp__audit_count(const hsp__audit_reader *reader, const char *name, uint64_t *out,
                            hsp_error *err);

/* The facts of the run. HSP_USAGE for a model that is no record of a two-class perceptron run. */
hsp_status hsp__audit_read_plan(const hsp_model *model, hsp_error *err, hsp__audit_plan *plan);

/* Which rows of the data the run saw, and their labels: audit->row and y. HSP_BAD_DATA when there
 * are not as many as the model says. */
hsp_status hsp__audit_choose_rows(hsp__audit *audit, hsp_data *data, hsp_error *err);

/* Rows, labels, radius; the last separator, rebuilt from the updates where there are any. */
hsp_status hsp__audit_read_rows(hsp__audit *audit, hsp_data *data, hsp_error *err);

/* With a kernel: what of the above is not the same (audit_kernel.c). The rows of its updates,
 * and how many there were, are those of hsp__audit_read_rows. */
hsp_status hsp__audit_check_kernel(const hsp_model *model, hsp_error *err);
hsp_status hsp__audit_kernel_radius(hsp__audit *audit, const hsp_data *data, hsp_error *err);
hsp_status hsp__audit_kernel_last(hsp__audit *audit, hsp_error *err);
hsp_status hsp__audit_kernel_check(const hsp_model *model, const hsp_model *reference,
                                   hsp_error *err);
hsp_status hsp__audit_kernel_reference(hsp__audit *audit, const hsp_model *reference, int direction,
                                       hsp_error *err);

/* A run of Winnow against its theorems: all of it (audit_winnow.c). */
hsp_status hsp__audit_winnow(hsp__audit *audit, hsp_data *data, const hsp_model *reference,
                             hsp__audit_list *list, hsp_error *err);

/* Experts against their theorem: all of it, without a reference (audit_experts.c). */
hsp_status hsp__audit_experts(hsp__audit *audit, hsp_data *data, hsp__audit_list *list,
                              hsp_error *err);

/* The reference as a vector of the run's space, and the rows' margins with it. */
hsp_status hsp__audit_read_reference(hsp__audit *audit, const hsp_model *reference, hsp_error *err);

#endif
