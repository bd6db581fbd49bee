/* Bounds on the error to expect on new data: what their files share.
 *
 *     bound_tails.c      binomial tails and their inverses, kl and its inverse
 *     bound_size.c       how many rows a class of hypotheses takes
 *     bound_rows.c       a model on rows: who is wrong, by what margin, in which space; shared rows
 *     bound_vc.c         VC dimension
 *     bound_code.c       description length
 *     bound_margin.c     margin and radius; PAC-Bayes
 *     bound_compress.c   sample compression, leaving one out
 *     bound_online.c     from the mistakes of a first pass
 *     bound_model.c      the list of all of them
 *     bound_simulate.c   how often they are wrong where the truth is known
 *
 * docs/generalisation.md has the theorems. Probabilities that matter here may be far below the
 * smallest double: confidences travel as ln(delta). */
#ifndef HSP_PROVE_BOUND_H
#define HSP_PROVE_BOUND_H

#include "base/context.h"
#include "data/data.h"
#include "halfspace_all.h"
#include "measure/audit.h"
#include "model/model.h"

/* ---- Tails ---- */

/* ln P(X <= m) of a binomial X with n draws and probability p. */
double hsp__binomial_tail(uint64_t n, uint64_t m, double p);
/* The largest p with ln P(X <= m) >= log_delta, rounded up; 1 when m >= n. */
double hsp__binomial_upper(uint64_t n, uint64_t m, double log_delta);
/* kl(q || p) of two coins, and the largest p with kl(q || p) <= c, rounded up. */
double hsp__kl(double q, double p);
double hsp__kl_upper(double q, double c);
/* ln of the sum of C(n, i) over i <= d: Sauer's bound on the growth function. */
double hsp__log_sauer(double d, double n);
/* ln C(n, k). */
double hsp__log_choose(double n, double k);

/* ---- Rows ---- */

/* A model on labelled rows. `row`, `wrong` and `margin` are of the rows that count: not those of
 * classes that the model leaves out. */
typedef struct hsp__bound_rows {
    const hsp_view *view; /* of the data as it was given */
    uint64_t n, mistakes;
    uint64_t *row;        /* n: numbers in the view */
    uint32_t *class_of;   /* n: the model's class for the row's label, or HSP_NO_CLASS */
    unsigned char *wrong; /* n */
    double *margin;       /* n: y s(x), of two classes; NaN for a label that the model does not
                             know. NULL: more classes, or votes */
} hsp__bound_rows;

hsp_status hsp__bound_rows_read(hsp_context *ctx, const hsp_model *model, hsp_data *data,
                                hsp_error *err, hsp__bound_rows *out);
void hsp__bound_rows_free(hsp_context *ctx, hsp__bound_rows *rows);

/* How many rows of `test` are equal to a row of `train`, number for number, and the first. */
hsp_status hsp__bound_shared(hsp_context *ctx, const hsp_view *train, const hsp_view *test,
                             hsp_error *err, uint64_t *count, uint64_t *first);

/* The space in which a two-class model is s(x) = <w, x> + b and which does not depend on the
 * training rows: that of the file, with scalings of columns taken into w; or of the file's rows
 * divided by their lengths; or a kernel's. */
typedef struct hsp__bound_space {
    const hsp_view *view; /* the rows there; of a kernel NULL */
    hsp_data *scaled;     /* owned, or NULL */
    uint64_t features;
    double *w; /* features; of a kernel NULL */
    double b;
    double
        unit; /* w and b are this many times the model's: a power of two, so that ||w||^2 does not
                    vanish where weights are tiny */
    double length2; /* ||w||^2 */
    double *norm2;  /* n: ||x||^2 of the rows that count */
    int origin;     /* b is 0 whatever the rows: the learner has no offset */
    char why[320];  /* there is no such space: the reason; else "" */
} hsp__bound_space;

hsp_status hsp__bound_space_read(hsp_context *ctx, const hsp_model *model,
                                 const hsp__bound_rows *rows, hsp_error *err,
                                 hsp__bound_space *out);
void hsp__bound_space_free(hsp_context *ctx, hsp__bound_space *space);

/* What the run was told, and what it says of itself, from the metadata of the model. */
typedef struct hsp__bound_run {
    hsp__audit_reader reader;
    uint64_t budget, passes, rows; /* 0: not known */
    int means;                     /* gaps are filled with means of the rows */
    int both;                      /* tuning tried offset none and others: two classes of
                                      hypotheses, which share delta */
    int balanced;                  /* classes were weighted by how many rows they have */
    double online_error;           /* NaN: not known */
    uint64_t tried;                /* points that tuning tried; 1: no tuning */
} hsp__bound_run;

/* The caller closes out->reader, also after a failure. */
hsp_status hsp__bound_run_read(const hsp_model *model, hsp_error *err, hsp__bound_run *out);
/* An option, or metadata such as "learner" and "stop": "" if it is not known; is it this? */
const char *hsp__bound_run_text(const hsp__bound_run *run, const char *name);
int hsp__bound_run_is(const hsp__bound_run *run, const char *name, const char *value);
#define HSP__BOUND_MEANS "missing values are filled with the means of all rows"
/* Does something that the run fitted to all rows enter every score (a scaling, R, a median)? A
 * sentence, or NULL. */
const char *hsp__bound_run_fitted(const hsp__bound_run *run);

/* ---- The bounds ---- */

/* What every bound is given. */
typedef struct hsp__bound_case {
    hsp_context *ctx;
    const hsp_model *model;
    hsp_data *train; /* or NULL */
    double log_delta;
    int retrain;
    int other; /* train is not what the run saw, or nothing says so: its row numbers mean nothing */
    hsp__bound_run run;
    hsp__bound_rows rows;   /* of train */
    hsp__bound_space space; /* of train */
    hsp_model *rounded;     /* owned: whom the bound of rounded weights is about, or NULL */
    hsp_model *again;       /* owned: whom the bound by compression is about, or NULL: the model */
} hsp__bound_case;

/* ln of the delta that a bound for all halfspaces has: half of it where tuning chose between those
 * through the origin and all. */
double hsp__bound_class_delta(const hsp__bound_case *c);

/* Set the value (and `vacuous`), or say why there is none: HSP_OK. */
hsp_status hsp__error_bound_set(hsp_error_bound *to, double value, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
hsp_status hsp__error_bound_fail(hsp_error_bound *to, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/* Of several bounds that one function computes, to->name says which. */
typedef hsp_status hsp__bound_fn(hsp__bound_case *c, hsp_error *err, hsp_error_bound *to);
hsp__bound_fn hsp__bound_vc, hsp__bound_code, hsp__bound_rounded, hsp__bound_margin,
    hsp__bound_pac_bayes, hsp__bound_compress, hsp__bound_online;

/* hsp_error_report_new, with the models that some of the bounds are about: *rounded and *again may
 * be NULL; the caller frees them. */
hsp_status hsp__error_report_make(hsp_context *ctx, const hsp_model *model, hsp_data *train,
                                  hsp_data *test, const hsp_options *options, hsp_error *err,
                                  hsp_error_report **out, hsp_model **rounded, hsp_model **again);

/* ---- A known distribution ---- */

/* Rows of N(0, I), labels sign(<u, x> + offset), flipped with probability noise. */
typedef struct hsp__gaussian {
    uint64_t features;
    double *u; /* features, unit length */
    double offset, noise;
} hsp__gaussian;

/* The true error of sign(<w, x> + b), to 1e-9. */
double hsp__gaussian_error(const hsp__gaussian *truth, const double *w, double b, hsp_tie tie);

#endif
