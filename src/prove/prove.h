/* What the files of this module share: the data file that a certificate is about, and the claims so
 * far. docs/certificates.md has the format and the mathematics. */
#ifndef HSP_PROVE_PROVE_H
#define HSP_PROVE_PROVE_H

#include "base/base.h"
#include "base/names.h"
#include "base/text.h"
#include "data/data.h"
#include "data/provenance.h"
#include "measure/audit.h"
#include "model/model.h"
#include "prove/exact.h"

/* ---- Writing (claim_writer.c) ------------------------------------------------------------------- */

/* Certificates are JSON that people read: members of a claim follow each other in a line or begin
 * a new one, and numbers are exact decimals in quotes.
 *
 * A writer needs no state: whether a comma is due is seen from the last byte of the text. Every
 * value below may follow a key or stand in an array. */

/* Decimals of `places` digits behind the point: value * 10^places to the nearest. */
int64_t hsp__prove_grid(hsp__long value, int places);
/* That number as text, without zeros at its end. */
void hsp__prove_format_grid(hsp__text *text, int64_t number, int places);
/* `digits` digits, rounded down or up; value >= 0 and finite. Returns it. */
double hsp__prove_format_bound(hsp__text *text, hsp__long value, int digits, int up);
/* A double, exactly: as a decimal where that is short, else as a fraction. */
void hsp__prove_format_exact(hsp__text *text, double value);

/* `key` NULL: an entry of an array; a key that begins with \n begins a line. */
void hsp__claim_open(hsp__text *text, const char *key, char bracket);
void hsp__claim_close(hsp__text *text, char bracket);
void hsp__claim_json(hsp__text *text, const char *key, const hsp__text *json); /* as it stands */
void hsp__claim_word(hsp__text *text, const char *key, const char *word); /* needs no escaping */
void hsp__claim_flag(hsp__text *text, const char *key, int flag);
void hsp__claim_count(hsp__text *text, const char *key, uint64_t count);
void hsp__claim_tie(hsp__text *text, const char *key, hsp_tie tie); /* what a score of 0 says */

/* The numbers above, and the shortest decimal that reads back to a double, in quotes. */
typedef void hsp__claim_number(hsp__text *text, const char *key, double value);
hsp__claim_number hsp__claim_exact, hsp__claim_short;
void hsp__claim_grid(hsp__text *text, const char *key, int64_t number, int places);
void hsp__claim_bound(hsp__text *text, const char *key, hsp__long value, int digits, int up);

/* Sparse lists, [[index, "number"], ...], indices from 1: those of `count` numbers that are not 0.
 * `row` (count) has their indices from 0, NULL: 0, 1, ...; `signs` 0: without their signs. */
void hsp__claim_list(hsp__text *text, const char *key, const uint64_t *row, const double *number,
                     uint64_t count, hsp__claim_number *write);
void hsp__claim_list_grid(hsp__text *text, const char *key, const uint64_t *row,
                          const int64_t *number, uint64_t count, int places, int signs);
/* One entry of such a list up to its number, which `]` follows. */
void hsp__claim_entry(hsp__text *text, uint64_t index);

/* The members of a run that was made again: this many passes over all rows in turn, or where `passes`
 * is 0 the rows of its updates in order (from 0); their number. */
void hsp__claim_order(hsp__text *text, uint64_t passes, const uint64_t *sequence, uint64_t updates);

/* ---- The data file and the claims --------------------------------------------------------------- */

/* A file as certificates count its rows: two classes, doubles, rows of other classes left out. */
typedef struct hsp__prove_file {
    const char *path;
    hsp_data *whole;            /* as the file has it; owned */
    hsp__provenance provenance; /* its hash, its long decimals, its columns */
    hsp_data *data; /* the rows of two classes; owned, with rows of `whole` if these are all */
    const hsp_view *view; /* of it */
    hsp_data *scaled;     /* after the model's scaling; owned, or NULL: none */
    const hsp_view *rows; /* what claims are about: that of `scaled`, or `view` */
    double *slack;  /* cols, scratch: how large numbers were that scaling took away from each other;
                              NULL: none */
    signed char *y; /* rows, scratch: -1 or 1 */
    uint64_t *place;   /* rows of `whole`, scratch: the number here; UINT64_MAX: left out */
    uint64_t sides[2]; /* how many are -1 and 1 */
    unsigned char
        *unseen; /* columns of a table, scratch: some of its values occur in no row; NULL: no
                              table, or the second file */
    hsp__exact_source exact;
    hsp__text json, rest; /* the object that describes it, but for the number of columns, which
                             stands between them */
    hsp__text layout;     /* how its text is read: the same for files that can be compared */
} hsp__prove_file;

/* A claim that was made, or why it was not. */
typedef struct hsp__prove_note {
    const char *claim;
    char *why; /* NULL: it was made */
} hsp__prove_note;

typedef struct hsp__prove {
    hsp_context *ctx;
    hsp__scratch scratch;       /* until the certificate is made */
    const hsp_options *options; /* of hsp_certify */
    const hsp_options *read;    /* of hsp_data_read, or NULL */
    const hsp_model *model;     /* or NULL */
    hsp_model *read_model;      /* the same, when the option named its file; owned */
    char model_hash[65];        /* SHA-256 of that file; "": none was named */
    const char *why;            /* no claim can be made about the model; NULL: it can */
    hsp__prove_file data, test; /* test.path NULL: none */
    double width;
    int offset;                 /* separators may have one */
    hsp__text transform;        /* the list; empty: none */
    const hsp_scaling *scaling; /* what it is of; NULL: none */
    hsp__text claims;           /* JSON objects, with commas between them */
    hsp__prove_note *notes;
    uint64_t note_count, note_room;
    hsp__separation separability; /* with an offset, if `offset` says so; found once */
    int separability_known;       /* it was */
} hsp__prove;

/* Read the file, choose the classes that the options or the model ask for, and describe it. */
hsp_status hsp__prove_open(hsp__prove *prove, const char *path, const hsp_options *read, int test,
                           hsp_error *err, hsp__prove_file *file);
void hsp__prove_close(hsp__prove_file *file);

/* Does the word name the claim? "not-separable" and "stable predictions" will do, too. */
int hsp__prove_is_name(const char *word, const char *claim);
/* Is this claim asked for, by name or because none is named? */
int hsp__prove_named(const hsp__prove *prove, const char *claim);
/* It is not made; `format` says why, as a sentence without a full stop. */
hsp_status hsp__prove_skip(hsp__prove *prove, hsp_error *err, const char *claim, const char *format,
                           ...) __attribute__((format(printf, 4, 5)));
/* A claim begins; its members follow in prove->claims, then the claim ends. */
void hsp__prove_begin(hsp__prove *prove, const char *claim);
hsp_status hsp__prove_end(hsp__prove *prove, hsp_error *err, const char *claim);

/* Claims about a model that scales columns are about the columns after that: the list `transform`,
 * and file->rows of both files. */
hsp_status hsp__prove_scale(hsp__prove *prove, hsp_error *err);

/* ---- Rows with the same numbers (duplicate_rows.c) ---------------------------------------------- */

/* The same for equal rows. */
typedef struct hsp__duplicate_rows_key {
    uint64_t hash, row;
} hsp__duplicate_rows_key;

/* One key a row, ascending by hash, then row; ctx's allocator. NULL: no memory. */
hsp__duplicate_rows_key *hsp__duplicate_rows_keys(hsp_context *ctx, const hsp_view *view);

/* Is row i of `other` among those of `view`, whose keys these are? */
int hsp__duplicate_rows_find(const hsp_view *view, const hsp__duplicate_rows_key *keys,
                             const hsp_view *other, uint64_t i);

/* Round all values to single precision, in place; the data is in double. */
void hsp__duplicate_rows_round(hsp_data *data);

/* ---- The separator of a model (model_separator.c) ----------------------------------------------- */

/* The separator of a model: w as it has it, or coefficients of rows of the data file. */
typedef struct hsp__prove_separator {
    const char *why;  /* it cannot be written down; NULL: it can */
    hsp__text text;   /* the object */
    hsp__text kernel; /* the expression; empty: none */
    double b;
    const double *w; /* features; NULL: there is a kernel */
    uint64_t features;
    uint64_t count; /* of rows */
    uint64_t *row;  /* count, from 0, ascending; NULL: no kernel */
    int64_t *grid;  /* count: coefficients, times 10^places */
    int places;
} hsp__prove_separator;

/* `balance`: coefficients of rows are to add up to 0. */
hsp_status hsp__prove_separator_new(hsp__prove *prove, int balance, hsp_error *err,
                                    hsp__prove_separator *s);
void hsp__prove_separator_free(hsp__prove_separator *s);

/* Signed numbers as whole multiples of 10^-*places, rounded towards 0 to 15 digits; `balance`: then
 * made to add up to 0. *grid is scratch. */
hsp_status hsp__prove_round(hsp__prove *prove, uint64_t count, const double *amount, int balance,
                            hsp_error *err, int64_t **grid, int *places);

/* start + <w, x> of row i; what a bound on its error is a share of is added to *size. */
hsp__long hsp__prove_score(const hsp__prove_file *file, uint64_t i, const double *w,
                           uint64_t features, hsp__long start, hsp__long *size);

/* <w, x> of every row of the file, without b, and how far that may be off. */
hsp_status hsp__prove_scores(hsp__prove *prove, const hsp__prove_separator *s,
                             const hsp__prove_file *file, hsp_error *err, hsp__long *scores,
                             hsp__long *errors);

/* The same of coefficients of rows with any kernel. */
hsp_status hsp__prove_scores_of(hsp__prove *prove, const hsp_kernel *kernel,
                                const hsp__prove_separator *s, const hsp__prove_file *file,
                                hsp_error *err, hsp__long *scores, hsp__long *errors);

/* A kernel as certificates have it; 0: they have no such kernel. */
int hsp__prove_format_kernel(hsp__text *text, const hsp_kernel *kernel);
/* Is it without exponentials? */
int hsp__prove_kernel_exact(const hsp_kernel *kernel);

/* ---- The run of a model, once more (retrain.c) -------------------------------------------------- */

/* The options of the run, as its learner takes them, without files, a limit on time, a start and
 * probabilities. HSP_USAGE when the model does not say how it was trained. */
hsp_status hsp__retrain_options(hsp_context *ctx, const hsp_model *model, hsp_error *err,
                                hsp_options **out);

/* *why says that the model was trained on other rows than those of the file `prove->data`; NULL: it
 * was trained on these. *again: the file, should it have been read again to find out; the caller
 * frees it. */
hsp_status hsp__retrain_check(hsp__prove *prove, hsp_error *err, hsp_data **again,
                              const char **why);

/* count[i] (zeros at first): how often row i was updated, `updates` in all, each by `rate`. A sentence
 * if that is not known, else NULL. */
const char *hsp__retrain_counts(const hsp__prove *prove, double rate, uint64_t updates,
                                uint64_t *count);

/* The rows of the run's updates, in order (two classes, perceptron and winnow), by making the run
 * again. *why as above, or because the run came out otherwise; then *rows is NULL. count[i]: how
 * often the model says that row i was updated. *rows is scratch. */
hsp_status hsp__retrain_sequence(hsp__prove *prove, const uint64_t *count, uint64_t updates,
                                 hsp_error *err, uint64_t **rows, const char **why);

/* ---- Separability (separability.c) -------------------------------------------------------------- */

/* What is true of these rows: a separator and the widest margin, a common point, or neither. `exact`:
 * by exact arithmetic alone, that is by two equal rows, or by Wolfe's method if the rows are not too
 * many; else unknown. Of `file`, only rows, y, sides and exact are looked at then. */
hsp_status hsp__separability_find(hsp_context *ctx, const hsp__prove_file *file, int offset,
                                  double width, int exact, hsp_error *err, hsp__separation *to);
/* The same for the claims, once. */
hsp_status hsp__prove_separability(hsp__prove *prove, hsp_error *err);

/* The claims "separable" and "not separable" in a kernel's feature space (separability_kernel.c). */
hsp_status hsp__prove_separable_kernel(hsp__prove *prove, const char *text, hsp_error *err);

/* ---- Winnow ------------------------------------------------------------------------------------- */

typedef enum hsp__min_l1 {
    HSP__MIN_L1_FOUND,
    HSP__MIN_L1_NONE,   /* there is none, as far as CLP can tell */
    HSP__MIN_L1_LATE,   /* it takes too long, or the user asked to stop */
    HSP__MIN_L1_UNKNOWN /* there is no linear programming in this build, or not for this many */
} hsp__min_l1;

/* min_l1_separator.c: weights v (cols + 1; the last is the constant column's) of the separator for
 * which the bound is lowest, but for its entropy. */
hsp_status hsp__prove_min_l1(hsp__prove *prove, const hsp__winnow_run *run, hsp_error *err,
                             double *v, hsp__min_l1 *outcome);

/* winnow_replay.c: is every row a mistake when its turn comes? `sequence` NULL: in `passes` passes
 * over all rows, the updates must be those that `count` (rows) says. What rounding
 * leaves open counts as DIFFERS. `clip`: how far values may be beyond 0 and 1. */
hsp_status hsp__winnow_replay(hsp__prove *prove, const hsp__winnow_run *run, double clip,
                              uint64_t passes, const uint64_t *sequence, const uint64_t *count,
                              hsp_error *err, hsp__exact_replay *outcome);

/* The claim "mistakes" of winnow. */
hsp_status hsp__prove_winnow(hsp__prove *prove, hsp_error *err);

/* ---- The claims, one file each ------------------------------------------------------------------ */

hsp_status hsp__prove_separable(hsp__prove *prove, hsp_error *err); /* "not separable", too */
hsp_status hsp__prove_mistakes(hsp__prove *prove, hsp_error *err);
hsp_status hsp__prove_optimal(hsp__prove *prove, hsp_error *err);
hsp_status hsp__prove_kernel(hsp__prove *prove, hsp_error *err);
hsp_status hsp__prove_error(hsp__prove *prove, hsp_error *err);

#endif
