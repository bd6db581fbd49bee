/* From a rule to a learner for any number of classes. Two classes: one run. More: one run of the
 * rule's own form for them (native), or one run a class against the rest, side by side. Whole data
 * sets, streams and single steps all work on a ovr. */
#ifndef HSP_LEARN_MULTICLASS_OVR_H
#define HSP_LEARN_MULTICLASS_OVR_H

#include "halfspace_all.h"
#include "learn/online/online.h"

typedef struct hsp__ovr {
    hsp_context *ctx;
    hsp__online_plan plan;
    uint32_t classes;
    uint32_t count; /* runs: 1, or one per class */
    hsp__online *runs;
    double *scores; /* classes: of the row at hand, one-vs-rest only */
    hsp__interleaved
        interleaved; /* one-vs-rest over sparse rows: the weights of all runs; columns 0: none */
    uint64_t seen,
        wrong; /* one-vs-rest: examples of the first pass, wrong predictions among them */
    hsp__watch watch;
} hsp__ovr;

/* `options` is what the learner's table made; rows 0 in `facts`: a stream. Free it even after a
 * failure. */
hsp_status hsp__ovr_init(hsp__ovr *ovr, hsp_context *ctx, const hsp__learner *learner,
                         const hsp_options *options, const hsp__online_facts *facts,
                         uint32_t classes, uint64_t features, hsp_error *err);
void hsp__ovr_free(hsp__ovr *ovr);

/* Room for more columns; without one-vs-rest, for more classes too (the runs of a class that was
 * not there would have had to see the rows before). From two classes to more, the scorer w of two
 * becomes the pair -w and w. */
hsp_status hsp__ovr_grow(hsp__ovr *ovr, uint32_t classes, uint64_t features, hsp_error *err);

/* All passes over all rows. */
hsp_status hsp__ovr_run(hsp__ovr *ovr, const hsp_view *view, hsp_error *err);

/* A part of a first and only pass: rows from..to-1. */
hsp_status hsp__ovr_walk(hsp__ovr *ovr, const hsp_view *view, uint64_t from, uint64_t to,
                         hsp_error *err);

/* Predict a row, then learn from it. */
hsp_status hsp__ovr_step(hsp__ovr *ovr, const hsp_view *view, uint64_t row, hsp_error *err,
                         hsp_step *step);

/* Of the model. */
static inline uint32_t hsp__ovr_scorers(const hsp__ovr *ovr)
{
    return ovr->classes == 2 ? 1 : ovr->classes;
}
/* The run and the scorer in it that make scorer c of the model. */
hsp__online *hsp__ovr_scorer(const hsp__ovr *ovr, uint32_t c, uint32_t *scorer);

/* Sum up what the runs did. `flipped`: two classes, and the positive one turned out to be class 0.
 */
void hsp__ovr_report(const hsp__ovr *ovr, int flipped, hsp_training *run);

#endif
