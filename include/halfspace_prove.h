/* halfspace: claims about a data file with evidence that anybody can check against the decimals of
 * the file (docs/certifying.md, docs/certificates.md). */
#ifndef HALFSPACE_PROVE_H
#define HALFSPACE_PROVE_H

#include "halfspace.h"
#include "halfspace_options.h"

#ifdef __cplusplus
extern "C" {
#endif

/* ---- Certificates ---------------------------------------------------------------------------- */

typedef struct hsp_certificate hsp_certificate;

/* Options of hsp_certify: claim, offset, margin-tolerance, positive, classes, kernel, model,
 * test, delta. */
HSP_API const hsp_option_table *hsp_certify_options(void);

/* Prove the claims that `options` name (NULL or none named: all that are possible) about the file
 * `path`, read with `read`, and about `model` (or NULL), which was trained on it. The option model
 * names the model's file: the certificate then has its SHA-256, and `model` may be NULL. Both files
 * are read more than once, so they cannot be pipes; the data is text. A claim that cannot be made
 * is not an error: the certificate says why. */
HSP_API hsp_status hsp_certify(hsp_context *ctx, const char *path, const hsp_options *read,
                               const hsp_model *model, const hsp_options *options, hsp_error *err,
                               hsp_certificate **out);
HSP_API void hsp_certificate_free(hsp_certificate *certificate);

/* The certificate as JSON text, `*size` bytes and a NUL; NULL if no claim could be made. */
HSP_API const char *hsp_certificate_text(const hsp_certificate *certificate, size_t *size);

/* The i-th claim that was tried, NULL past the last: its name, and in *why (unless NULL) a sentence
 * on why it was not made, or NULL. */
HSP_API const char *hsp_certificate_claim(const hsp_certificate *certificate, size_t i,
                                          const char **why);

/* Check a certificate against its data file in exact arithmetic. The checker is that of the
 * program halfspace-verify, called as a function: it shares no code with the library and can be built
 * and read alone (docs/certificates.md). */
typedef enum hsp_verification_result {
    HSP_VERIFIED, /* every claim holds */
    HSP_REJECTED, /* a claim does not hold, or a file is not the one that was certified */
    HSP_UNDECIDED /* a file is no certificate or no data, or takes more work than is allowed */
} hsp_verification_result;

typedef struct hsp_verification {
    hsp_verification_result result;
    const char *established; /* what was established, a sentence per line */
    const char *reason;      /* not verified: why, a sentence; else "" */
} hsp_verification;

/* Options of hsp_verify: model (compare the model file with the one that was certified), effort
 * (times the default amount of work; it depends on the size of the files). */
HSP_API const hsp_option_table *hsp_verify_options(void);

/* The certificate is `size` bytes of text (hsp_certificate_text), or a file. `test` is the second
 * data file, if a claim is about one, or NULL. Data files may be compressed; none is a pipe.
 * `options` NULL: the defaults. HSP_OK means that the checker ran; *out has its answer. */
HSP_API hsp_status hsp_verify(hsp_context *ctx, const void *certificate, size_t size,
                              const char *path, const char *test, const hsp_options *options,
                              hsp_error *err, hsp_verification **out);
HSP_API hsp_status hsp_verify_file(hsp_context *ctx, const char *certificate_path, const char *path,
                                   const char *test, const hsp_options *options, hsp_error *err,
                                   hsp_verification **out);
HSP_API void hsp_verification_free(hsp_verification *verification);

/* ---- Separability in exact arithmetic -------------------------------------------------------- */

/* What is known of a run that demanded a separator. */
typedef enum hsp_separability {
    HSP_SEPARABILITY_UNKNOWN, /* see `why`, and `row` */
    HSP_SEPARATES,            /* every score of the model has the right sign, and none is 0 */
    HSP_SEPARABLE,            /* not so, but there is a separator */
    HSP_NOT_SEPARABLE         /* there is no separator */
} hsp_separability;

typedef struct hsp_confirmation {
    size_t size; /* set by the caller: sizeof(hsp_confirmation) */
    hsp_separability answer;
    int decimals;             /* 1: about the decimals of the file; 0: about the values in memory */
    uint64_t row;             /* the first row, from 0, that the model does not have strictly on its
                               side; UINT64_MAX: there is none, or the model was not tried */
    uint64_t wrong_rows;      /* how many such rows there are */
    double margin;            /* HSP_SEPARABLE: a separator has at least this margin; else NaN */
    hsp_evidence *evidence;   /* HSP_NOT_SEPARABLE: multipliers with which the means are exactly the
                                 same, rounded to double; the caller frees it. Else NULL */
    const char *of, *against; /* more than two classes: the answer is about these two (against NULL:
                                 of and the rest), named by the data; both NULL: about all binary
                                 problems */
    char why[200];            /* HSP_SEPARABILITY_UNKNOWN: why, a sentence without a full stop */
} hsp_confirmation;

/* Confirm in exact arithmetic what a run that demanded a separator (svm with hard, lp) found: that
 * `model` separates the rows, or, if it is NULL, that run->evidence shows that nothing does. The
 * learner computed in double precision; the answer here is about the decimals of the file `path`,
 * which `data` was read from with `read` (NULL: the defaults), and which is read again if a number
 * has more digits than memory holds. If that is impossible (`path` NULL, a pipe, a binary file),
 * the answer is about the values in memory. More than two classes: it is about all binary problems,
 * or the first that fails. */
HSP_API hsp_status hsp_confirm(hsp_context *ctx, hsp_data *data, const char *path,
                               const hsp_options *read, const hsp_options *learner,
                               const hsp_training *run, const hsp_model *model, hsp_error *err,
                               hsp_confirmation *out);

#ifdef __cplusplus
}
#endif

#endif
