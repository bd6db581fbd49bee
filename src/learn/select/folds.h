/* Rows dealt into folds, each to be held out once: for cross-validation, and for whatever else must
 * look at scores of rows that were held out. */
#ifndef HSP_LEARN_SELECT_FOLDS_H
#define HSP_LEARN_SELECT_FOLDS_H

#include "base/names.h"
#include "halfspace_all.h"

#define HSP__FOLD_NONE UINT32_MAX

typedef struct hsp__folds {
    hsp_allocator memory;
    uint32_t count;       /* of folds */
    uint64_t total, rows; /* rows of the data; rows that are in a fold */
    uint32_t classes;     /* of the data */
    int ordered;          /* in time: fold f is trained on the rows before it */
    uint32_t *fold;       /* total: the fold that holds the row out (ordered: that number + 1, and 0
                               of the rows before all folds); HSP__FOLD_NONE: the learner's options
                               leave its class out */
    uint32_t *class_of;   /* classes: the learner's class, or HSP_NO_CLASS */
    hsp__names class_names; /* of the learner: options `classes` and `positive` say which */
} hsp__folds;

/* Deal rows into `count` folds: the rows of each class in a random order (of stream `class` of the
 * seed), one class behind the other, to folds 0, 1, ..., count - 1, 0, ... So the folds differ by
 * one row at most, and so do each class's shares of them. Rows whose class is not in `class_of`
 * (NULL: all are) go to none. */
hsp_status hsp__folds_deal(hsp_context *ctx, const uint32_t *labels, uint64_t rows,
                           uint32_t classes, const uint32_t *class_of, uint32_t count,
                           uint64_t seed, hsp_error *err, uint32_t *fold);

/* Folds of data with labels of which the classes are known, and nothing is dealt yet: class_of and
 * class_names are as the learner's options say, fold is not set, rows is 0. A positive class that
 * is not there has no rows: training says so. */
hsp_status hsp__folds_begin(hsp_context *ctx, const hsp_data *data, const hsp_options *learner,
                            uint32_t count, hsp_error *err, hsp__folds *out);

/* How to deal. */
typedef struct hsp__folds_how {
    uint32_t count;
    uint64_t seed;
    int ordered;   /* in time */
    uint32_t used; /* how many of them are held out, one after the other; 0: all */
} hsp__folds_how;

/* What the options folds, fold-seed and time say; NULL: the defaults. */
hsp_status hsp__folds_how_of(const hsp_options *validate, hsp_error *err, hsp__folds_how *out);

/* The folds of a data set for a learner: by class; by group, if the data has groups; or in time.
 * Groups are dealt in a random order, the largest first, each to the fold whose shares of the
 * classes it disturbs least. In time, the rows are cut into count + 1 blocks, all but the first of
 * the same size; rows of the same time stay together. HSP_BAD_DATA: no labels, a class of one row;
 * HSP_USAGE: too few rows, groups or times; a log warning for a class of fewer rows than folds. */
hsp_status hsp__folds_make(hsp_context *ctx, hsp_data *data, const hsp_options *learner,
                           const hsp__folds_how *how, hsp_error *err, hsp__folds *out);

void hsp__folds_free(hsp__folds *folds);

/* The fold that holds a row out; HSP__FOLD_NONE: none does. */
static inline uint32_t hsp__folds_holds(const hsp__folds *folds, uint64_t row)
{
    if (!folds->ordered || folds->fold[row] == HSP__FOLD_NONE) return folds->fold[row];
    return folds->fold[row] ? folds->fold[row] - 1 : HSP__FOLD_NONE;
}

/* The rows to learn from when a fold is held out, and those that are, in the order of the data. */
hsp_status hsp__folds_part(hsp_context *ctx, const hsp__folds *folds, hsp_data *data, uint32_t fold,
                           hsp_error *err, hsp_data **train, hsp_data **held);

#endif
