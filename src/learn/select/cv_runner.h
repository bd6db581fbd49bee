/* Runs of a learner on all folds of a data set, for many settings of its options at once. */
#ifndef HSP_LEARN_SELECT_CV_RUNNER_H
#define HSP_LEARN_SELECT_CV_RUNNER_H

#include "base/options.h"
#include "learn/select/folds.h"
#include "learn/select/held_rows.h"
#include "model/scores.h"

typedef struct hsp__cv_runner {
    hsp_context *ctx;
    const hsp_ranks
        *ranks; /* all of which have this data, and share the tasks; NULL: one process */
    hsp_data *data;
    const hsp__folds *folds;
    hsp_options *const *points; /* count: the learner's options at each point */
    uint64_t count;
    uint64_t path;         /* consecutive points that one task goes through; count is a multiple */
    const uint64_t *along; /* path: in which order it does; NULL: as they stand */
    int warm;              /* each point of a path begins at the model of the one before it */
    hsp__score score;      /* what is measured besides the error */
    double deadline;       /* on hsp__clock: no more runs after it; 0: none */
    const double *weight;  /* rows of the data: what each counts for in the score; NULL: 1 */
    hsp_fold *results;     /* out: count * folds->count, [point * folds->count + fold] */
    uint64_t *confusion;   /* out: classes * classes, over all; or NULL */
    hsp__held_rows *held;  /* out, of the only point; or NULL */
} hsp__cv_runner;

/* A task is a path on a fold. Tasks run in parallel, those of a fold one after the other, so that
 * about as many copies of the data exist as there are threads; what threads are left over work
 * inside a task. Of several ranks, each takes a range of the tasks, and gets the results of all.
 * Results do not depend on the number of threads or ranks. HSP_CANCELLED when the user asks to stop,
 * HSP_TIME_LIMIT after the deadline: results of runs that were not finished are all 0. */
hsp_status hsp__cv_runner_run(const hsp__cv_runner *runner, hsp_error *err);

/* The figures of one point from its folds. */
hsp_held_out hsp__held_out(const hsp_fold *folds, uint32_t count, hsp__score score);

/* The learner behind the options, for runs on folds: HSP_USAGE when there is none, or when it is
 * told to write something down for every run. */
hsp_status hsp__cv_runner_check(const hsp_options *learner, hsp_error *err);

/* The option score: HSP_USAGE when it needs probabilities that models of these options lack. */
hsp_status hsp__cv_runner_score(const hsp_options *validate, const hsp_options *learner,
                                hsp_error *err, hsp__score *out);

/* The learner's options for one run: its max-seconds limits the whole search, since it began, and is
 * taken from it (*deadline, on hsp__clock; 0: none), run-seconds limits the run. */
hsp_status hsp__cv_runner_limits(hsp_options *point, const hsp_options *validate, double began,
                                 hsp_error *err, double *deadline);

/* The options which every table of this kind has. */
#define HSP__FOLD_OPTIONS                                                                         \
    HSP__CHOICE("score", "error", HSP__SCORE_NAMES, "what to measure on the held-out rows"),      \
        HSP__TEXT("folds", "5", "K",                                                              \
                  "number of folds; time or time:K: each fold is trained on the rows before it"), \
        HSP__TEXT(                                                                                \
            "time", NULL, "COLUMN",                                                               \
            "order of the rows in time, for --folds time: a column of numbers or dates, not "     \
            "used as a feature; without it, the order of the file"),                              \
        HSP__TEXT(                                                                                \
            "group", NULL, "COLUMN",                                                              \
            "keep rows with the same value in this column in one fold; not used as a feature "    \
            "(libsvm: qid)"),                                                                     \
        HSP__INTEGER("fold-seed", "1", 0, 9007199254740992.0, "N",                                \
                     "seed of the assignment of rows to folds"),                                  \
        HSP__REAL("run-seconds", "0", 0, 1e9, "S",                                                \
                  "time limit of each run, one fold at one point; 0: no limit (--max-seconds "    \
                  "limits the whole search)")

#endif
