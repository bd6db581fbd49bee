/* What a learner is to the rest of the library: a table of options and the functions behind
 * hsp_train. Adding a learner is a file here, a word in HSP__LEARNERS, a test and a page of docs.
 */
#ifndef HSP_LEARN_LEARNER_H
#define HSP_LEARN_LEARNER_H

#include "halfspace_all.h"

typedef struct hsp__learner {
    hsp_option_table table; /* name, summary, options */
    const char *hypothesis; /* what it learns, for help and docs: "linear" */
    /* Whole data set; `start` may be NULL. */
    hsp_status (*train)(hsp_context *ctx, hsp_data *data, const hsp_options *options,
                        const hsp_model *start, hsp_error *err, hsp_training *run, hsp_model **out);
    int starts; /* it can begin at a model */
    int pairs;  /* with a kernel it learns pairs of classes by itself, sharing kernel values */
    /* The on-line rule, for streams and single steps; NULL: it needs all rows at once. */
    const struct hsp__online_rule *rule;
} hsp__learner;

/* All learners, in the order in which they are listed. A new one is one word here. */
#define HSP__LEARNERS(X) X(perceptron) X(winnow) X(experts) X(svm) X(logistic) X(lp) X(knn)

#define HSP__LEARNER_DECLARE(name) extern const hsp__learner hsp__learn_##name;
HSP__LEARNERS(HSP__LEARNER_DECLARE)

/* The learner whose table the options were made with; NULL: none. */
const hsp__learner *hsp__learner_of(const hsp_options *options);

/* HSP_OK, or HSP_CANCELLED with a sentence when the user asked a training to stop that has a model
 * to hand out all the same. */
hsp_status hsp__train_status(const hsp_context *ctx, hsp_error *err);

/* HSP_TIME_LIMIT: max-seconds ended a training that has no model yet. */
hsp_status hsp__train_late(hsp_error *err);

#endif
