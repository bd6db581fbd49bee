/* The search of hsp_auto: candidates, compared from coarse to fine. */
#ifndef HSP_LEARN_SELECT_AUTO_SEARCH_H
#define HSP_LEARN_SELECT_AUTO_SEARCH_H

#include "halfspace_all.h"

#define HSP__AUTO_OUTER 5 /* outer folds */

/* A candidate, and how it did. */
typedef struct hsp__auto_try {
    hsp_options *options;
    char *text; /* "--C 10 --scale standard" */
    hsp_search_try seen;
    const char *scale;
    double C, gamma; /* 0: it has none */
    int kind, stage;
    int complete; /* on all folds */
} hsp__auto_try;

struct hsp_search {
    hsp_allocator memory;
    hsp__auto_try *tries; /* best first, once the search is over */
    uint64_t count, room;
    hsp_search_report report;
    char *command;
};

/* Search on these rows: all kinds of models, on samples where there are many rows. The candidates
 * are sorted, the chosen one first, whenever there is one; report.search_rows and .stop are set.
 * `deadline` on hsp__clock, 0: none. HSP_CANCELLED: on request. */
hsp_status hsp__auto_search(hsp_context *ctx, hsp_search *search, hsp_data *data, uint64_t seed,
                            double deadline, hsp_error *err);

/* The options that are set, as they are typed. */
hsp_status hsp__auto_text(const hsp_allocator *memory, const hsp_options *options, hsp_error *err,
                          char **out);

void hsp__auto_clear(hsp_search *search);

/* Kernel values of a training, times the entries of a row: how long it takes. `error`: the rate of
 * mistakes, by which the share of support vectors is guessed. */
double hsp__auto_work(const hsp_data *data, double rows, double error);

#endif
