/* halfspace: a report for people, one HTML file about a model and its data (docs/reporting.md). */
#ifndef HALFSPACE_HTML_H
#define HALFSPACE_HTML_H

#include "halfspace.h"
#include "halfspace_options.h"
#include "halfspace_prove.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Options of hsp_html_new: test, certificate, title, interval, samples, delta, repeats, seed. */
HSP_API const hsp_option_table *hsp_html_options(void);

typedef struct hsp_html hsp_html;

/* Write a report on the model in the file `model` and on the labelled rows of the file `data`, read
 * as the model reads them; `read`: further options of hsp_read_options, or NULL. `options` NULL: the
 * defaults. All files are read more than once, so none is a pipe or standard input. What cannot be
 * computed for this model is no error: the report says why. HSP_BAD_DATA: there are no labelled
 * rows. The same files and options give the same bytes. */
HSP_API hsp_status hsp_html_new(hsp_context *ctx, const char *model, const char *data,
                                const hsp_options *read, const hsp_options *options, hsp_error *err,
                                hsp_html **out);
HSP_API void hsp_html_free(hsp_html *html);

/* The page: `*size` bytes of UTF-8 (size may be NULL) and a NUL. It needs no other file. */
HSP_API const char *hsp_html_text(const hsp_html *html, size_t *size);

/* The i-th warning of the report, a sentence or two; NULL past the last. */
HSP_API const char *hsp_html_warning(const hsp_html *html, size_t i);

/* What the page says first. The pointers are into the report. */
typedef struct hsp_html_summary {
    size_t size;             /* set by the caller: sizeof(hsp_html_summary) */
    const char *measured;    /* the file whose rows were measured: the test file, if there is one */
    int trained;             /* the model was trained on these rows; -1: it does not say */
    uint64_t rows, mistakes; /* of these */
    double error, low, high; /* with its exact binomial interval (option interval) */
    uint64_t figures;        /* figures in the page */
    int certificate_checked; /* the certificate was given, and the checker ran: */
    hsp_verification_result verification;
} hsp_html_summary;
HSP_API hsp_status hsp_html_summarise(const hsp_html *html, hsp_error *err, hsp_html_summary *out);

#ifdef __cplusplus
}
#endif

#endif
