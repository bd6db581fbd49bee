/* What the files of this room share: the data file that a certificate is about, and the claims so
 * far. docs/certificates.md has the format and the mathematics. */
#ifndef HSP_PROVE_PROVE_H
#define HSP_PROVE_PROVE_H

#include "base/context.h"
#include "base/names.h"
#include "base/text.h"
#include "data/data.h"
#include "data/provenance.h"
#include "halfspace_all.h"
#include "model/model.h"
#include "base/scratch.h"
#include "prove/claim_writer.h"
#include "prove/exact.h"

/* A file as certificates count its rows: two classes, doubles, rows of other classes left out. */
typedef struct hsp__prove_file {
    const char *path;
    hsp_data *whole;      /* as the file has it; owned */
    hsp__provenance told; /* its hash, its long decimals, its columns */
    hsp_data *data; /* the rows of two classes; owned, with rows of `whole` if these are all */
    const hsp_view *view; /* of it */
    hsp_data *moved;      /* after the model's scaling; owned, or NULL: none */
    const hsp_view *rows; /* what claims are about: that of `moved`, or `view` */
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
    int looked;                   /* it was */
} hsp__prove;

/* ---- prove_file.c
 * ---------------------------------------------------------------------------------- */

/* Read the file, choose the classes that the options or the model ask for, and describe it. */
hsp_status hsp__prove_open(hsp__prove *prove, const char *path, const hsp_options *read, int test,
                           hsp_error *err, hsp__prove_file *file);
void hsp__prove_close(hsp__prove_file *file);

/* ---- certify.c: claims ----------------------------------------------------------------------- */

/* Is this claim asked for by name? */
int hsp__prove_named(const hsp__prove *prove, const char *claim);
/* It is not made; `format` says why, as a sentence without a full stop. */
hsp_status hsp__prove_skip(hsp__prove *prove, hsp_error *err, const char *claim, const char *format,
                           ...) __attribute__((format(printf, 4, 5)));
/* A claim begins; its members follow in prove->claims, then the claim ends. */
void hsp__prove_begin(hsp__prove *prove, const char *claim);
hsp_status hsp__prove_end(hsp__prove *prove, hsp_error *err, const char *claim);

/* ---- separator.c ----------------------------------------------------------------------------- */

/* Claims about a model that scales columns are about the columns after that: the list `transform`,
 * and file->rows of both files. */
hsp_status hsp__prove_scale(hsp__prove *prove, hsp_error *err);

/* ---- One file a claim ------------------------------------------------------------------------ */

hsp_status hsp__prove_separable(hsp__prove *prove, hsp_error *err); /* "not separable", too */
hsp_status hsp__prove_mistakes(hsp__prove *prove, hsp_error *err);
hsp_status hsp__prove_optimal(hsp__prove *prove, hsp_error *err);
hsp_status hsp__prove_kernel(hsp__prove *prove, hsp_error *err);
hsp_status hsp__prove_error(hsp__prove *prove, hsp_error *err);

#endif
