/* The HTML report while it is made: what it is about, what was computed, the text so far. First
 * everything is computed, then the sections are written, one file each. */
#ifndef HSP_SHOW_HTML_PAGE_H
#define HSP_SHOW_HTML_PAGE_H

#include "base/scratch.h"
#include "halfspace_html.h"
#include "learn/prepare.h"
#include "show/figure.h"
#include "show/html.h"

/* Rows, and what the model makes of them. */
typedef struct hsp__page_rows {
    const char *path; /* NULL: there are no such rows */
    hsp_data *data;
    const hsp_view *view;
    hsp__trained trained; /* was the model trained on them? */
    hsp_evaluated *evaluated;
    hsp_evaluation all;
    uint64_t *confusion; /* classes * classes */
    hsp_score_report scores[HSP_SCORES];
} hsp__page_rows;

typedef struct hsp__page {
    hsp_context ctx;     /* the caller's, with a log that keeps warnings */
    hsp__scratch memory; /* of what lives as long as the page is made */
    hsp__text *html;
    const hsp_options *read;  /* as given, or NULL */
    const hsp_options *given; /* as given, or NULL */
    hsp_options *options;     /* never NULL */
    const char *model_path, *certificate_path, *title;
    hsp_model *model;
    uint32_t classes;
    hsp__page_rows data, test;
    const hsp__page_rows *measured; /* test, if there are test rows, else data */
    hsp_profile *profile;
    hsp_summary *summary;
    hsp_options *learner; /* the options that the model was trained with; NULL: not known */
    hsp_options *evaluation, *plain; /* of hsp_evaluate_options: with intervals, and without */
    hsp_importances *importances;
    uint64_t importance_rows;   /* rows that they are of */
    const char *no_importances; /* why there are none, a sentence; NULL: there are */
    hsp_error_report *bounds;
    const char *no_bounds; /* likewise */
    hsp_verification *verification;
    const char *certified_test; /* the test file that the certificate is about; NULL: none */
    double *margins;            /* margin_count: y s of some rows, ascending; NULL: none */
    uint64_t margin_count;
    uint64_t figures;
    uint64_t samples; /* of the bootstrap */
    char **warnings;  /* warning_count */
    uint64_t warning_count, warning_room;
    int failed; /* a warning did not find memory */
} hsp__page;

/* Add a warning. */
void hsp__page_warn(hsp__page *page, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* A log that keeps warnings, for a context; `page` is one. */
void hsp__page_log(void *user, hsp_log_level level, const char *sentence);

/* A failure that only means that a part cannot be computed for this model and these rows: *why gets
 * a sentence, *err is cleared, and the result is HSP_OK. Others are returned. */
hsp_status hsp__page_excuse(hsp__page *page, hsp_status status, hsp_error *err, const char **why);

/* `count` of the rows that are measured, drawn by the seed; *out stays as it is if there are no more
 * than that. */
hsp_status hsp__page_sample(hsp__page *page, uint64_t count, hsp_error *err, hsp_data **out);

/* Compute what the sections show; each is html_NAME.c. */
hsp_status hsp__page_weigh(hsp__page *page, hsp_error *err);  /* importances */
hsp_status hsp__page_spread(hsp__page *page, hsp_error *err); /* margins of rows */
hsp_status hsp__page_bound(hsp__page *page, hsp_error *err);
hsp_status hsp__page_watch(hsp__page *page, hsp_error *err); /* warnings, last */

/* Write the sections. */
typedef hsp_status hsp__page_section(hsp__page *page, hsp_error *err);
hsp__page_section hsp__page_data, hsp__page_training, hsp__page_measures, hsp__page_curves,
    hsp__page_confusion, hsp__page_weights, hsp__page_margins, hsp__page_bounds,
    hsp__page_certificates, hsp__page_reproduce;
extern const char *const hsp__page_style[]; /* CSS, ended by NULL */

/* The name of a class of the model. */
static inline const char *hsp__page_class(const hsp__page *page, uint32_t c)
{
    return hsp_model_class_name(page->model, c);
}

/* "of its training rows", "of test rows", ...: whose rows were measured. */
const char *hsp__page_whose(const hsp__page *page);

/* Begin and end a table: `head` is its row of headings as HTML, `name` says what it is to those who
 * do not see it. */
void hsp__page_table(hsp__page *page, const char *name, const char *head);
void hsp__page_table_end(hsp__page *page);

/* A table with a line per class: of many classes, it is folded ("Rows of 50 classes"), and only the
 * first are listed: as many as the result says. */
uint32_t hsp__page_fold(hsp__page *page, const char *what);
void hsp__page_fold_end(hsp__page *page);

/* A bar of that length, from 0 to 1. */
void hsp__page_bar(hsp__page *page, double length);

/* A command that the reader can type (html_commands.c): words, the last NULL; if `read`, the options
 * of reading that were given follow. The command that trained the model (the learner is known), and
 * the one that makes this report. */
void hsp__page_command(hsp__page *page, int read, const char *const *words);
void hsp__page_train_command(hsp__page *page);
void hsp__page_report_command(hsp__page *page);

/* The value of an option as text, in `room`; NULL: it has none. Is that its default? */
#define HSP__PAGE_OPTION 256
const char *hsp__page_option(const hsp_options *options, const hsp_option *option,
                             char room[HSP__PAGE_OPTION]);
int hsp__page_is_default(const hsp_option *option, const char *value);

/* How many of the model's features come from a column of the file; UINT64_MAX: not known. */
uint64_t hsp__page_uses(const hsp__page *page, const char *column);

/* A figure of a kind of plot (html_figures.c), of the rows that are measured, with a caption or
 * NULL. `wide`: alone in its line. Kinds that cannot be drawn of this model and these rows are left
 * out. */
hsp_status hsp__page_figure(hsp__page *page, const char *kind, int wide, const char *caption,
                            hsp_error *err);
/* The style sheet for figures on dark screens. */
void hsp__page_figure_style(hsp__text *html);
/* The histogram of the margins. */
hsp_status hsp__page_margin_figure(hsp__page *page, hsp_error *err);

#endif
