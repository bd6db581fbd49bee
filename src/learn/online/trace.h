/* A run written down, one line per update, with both sides of each step of the convergence proof
 * (docs/perceptron.md). Two classes only. */
#ifndef HSP_LEARN_ONLINE_TRACE_H
#define HSP_LEARN_ONLINE_TRACE_H

#include "learn/online/online.h"

/* What the proof needs to know of the rule: the separator (w, b) is the vector (w, b / c) in a
 * space where every row has one more coordinate c (0: there is no offset, and none is learned). */
struct hsp__proof {
    double constant; /* c */
    double rate;
    double target; /* update when y s < target; 0: on mistakes */
    double soft;   /* Delta: every row has a coordinate of its own */
    double radius; /* the largest norm of a row */
};

/* Open `path` for `run`; `reference` names a model file or is NULL. `data`: the training rows,
 * after `scalings`. `kernel`: in whose feature space the run learns, or NULL; a reference is then a
 * model of the same kernel. A rule may write the lines itself (rule->lines_head). */
hsp_status hsp__trace_new(hsp_context *ctx, const char *path, const char *reference,
                          const hsp__online *run, double radius, const hsp_kernel *kernel,
                          const hsp_data *data, hsp_scaling *const *scalings, hsp_error *err,
                          hsp__trace **out);
/* A comma and a number. */
void hsp__trace_put(struct hsp__text *text, double value);
/* After an update of `run` by `row`, whose score was `score` and is `after`. */
hsp_status hsp__trace_update(hsp__trace *trace, const hsp__online *run, const hsp_view *view,
                             uint64_t row, double score, double after, hsp_error *err);
hsp_status hsp__trace_commit(hsp__trace *trace, hsp_error *err);
void hsp__trace_free(hsp__trace *trace);

#endif
