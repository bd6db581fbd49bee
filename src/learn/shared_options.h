/* Options that several learners have, each written down once: lines of their tables. */
#ifndef HSP_LEARN_SHARED_OPTIONS_H
#define HSP_LEARN_SHARED_OPTIONS_H

#include "halfspace.h"

#define HSP__OPTION_C                                                                 \
    {                                                                                 \
        "C", HSP_OPTION_REAL, NULL, 1e-100, 1e100, NULL, "C",                         \
            "cost of a row's loss beside ||w||^2 / 2; 1 unless this or lambda is set" \
    }
#define HSP__OPTION_LAMBDA                                                                 \
    {                                                                                      \
        "lambda", HSP_OPTION_REAL, NULL, 1e-100, 1e100, NULL, "L",                         \
            "weight of ||w||^2 / 2 beside the mean loss, instead of C: C = 1 / (lambda n)" \
    }
#define HSP__OPTION_PENALTY                                                                       \
    {                                                                                             \
        "penalty", HSP_OPTION_CHOICE, "l2", 0, 0, "l2|l1", NULL,                                  \
            "what keeps weights small: half their squares' sum, or the sum of their sizes (many " \
            "are 0)"                                                                              \
    }
#define HSP__OPTION_OFFSET                                                        \
    {                                                                             \
        "offset", HSP_OPTION_CHOICE, "free", 0, 0, "free|regularized|none", NULL, \
            "b is not penalised, penalised as a weight is, or stays 0"            \
    }
#define HSP__OPTION_KERNEL                                                           \
    {                                                                                \
        "kernel", HSP_OPTION_TEXT, NULL, 0, 0, NULL, "EXPR",                         \
            "learn in the feature space of this kernel, as in rbf(0.5) or poly(3,1)" \
    }
#define HSP__OPTION_ALLOW_INDEFINITE                                 \
    {                                                                \
        "allow-indefinite", HSP_OPTION_FLAG, NULL, 0, 0, NULL, NULL, \
            "kernel: allow what need not be one"                     \
    }
#define HSP__OPTION_APPROX                                                                   \
    {                                                                                        \
        "approx", HSP_OPTION_TEXT, NULL, 0, 0, NULL, "KIND:M",                               \
            "kernel: learn from M explicit features instead: nystrom (of M rows) or fourier" \
    }
#define HSP__OPTION_WEIGHT                                                                         \
    {                                                                                              \
        "weight", HSP_OPTION_LIST, NULL, 0, 0, NULL, "CLASS=W",                                    \
            "the loss of this class's rows counts W times; balanced: as if classes had equal size" \
    }
#define HSP__OPTION_ROW_WEIGHT                                                                 \
    {                                                                                          \
        "row-weight", HSP_OPTION_TEXT, NULL, 0, 0, NULL, "COLUMN",                             \
            "a column of the file that says how many copies a row stands for; not learnt from" \
    }
#define HSP__OPTION_GAP                                                                 \
    {                                                                                   \
        "gap", HSP_OPTION_REAL, "1e-3", 1e-12, 1, NULL, "G",                            \
            "stop when the objective is proven to be this near to the best, relatively" \
    }
#define HSP__OPTION_MAX_PASSES                                         \
    {                                                                  \
        "max-passes", HSP_OPTION_INTEGER, "10000", 1, 1e15, NULL, "N", \
            "give up after so many passes over the rows"               \
    }
#define HSP__OPTION_MAX_SECONDS                                 \
    {                                                           \
        "max-seconds", HSP_OPTION_REAL, "0", 0, 1e9, NULL, "S", \
            "stop after so many seconds; 0: no limit"           \
    }
#define HSP__OPTION_START                                         \
    {                                                             \
        "warm-start", HSP_OPTION_TEXT, NULL, 0, 0, NULL, "MODEL", \
            "start from this model instead of from zero"          \
    }
#define HSP__OPTION_KEEP_DUAL                                                            \
    {                                                                                    \
        "keep-dual", HSP_OPTION_FLAG, NULL, 0, 0, NULL, NULL,                            \
            "keep the rows' dual weights in the model, for certificates and warm starts" \
    }
#define HSP__OPTION_NORMALIZE                                                 \
    {                                                                         \
        "normalize", HSP_OPTION_CHOICE, "none", 0, 0, "none|rows|ball", NULL, \
            "divide each row by its length, or all by the longest"            \
    }
#define HSP__OPTION_SCALE                                                                \
    {                                                                                    \
        "scale", HSP_OPTION_CHOICE, "none", 0, 0, "none|min-max|standard|max-abs", NULL, \
            "scale columns first; the model remembers how"                               \
    }
#define HSP__OPTION_TIE                                                             \
    {                                                                               \
        "tie", HSP_OPTION_CHOICE, "neg", 0, 0, "neg|pos|zero", NULL,                \
            "what a score of exactly 0 means: the first class, the second, neither" \
    }
#define HSP__OPTION_CALIBRATE                                                      \
    {                                                                              \
        "calibrate", HSP_OPTION_CHOICE, "none", 0, 0, "none|platt|isotonic", NULL, \
            "fit probabilities to the scores of rows that were left out in turn"   \
    }
#define HSP__OPTION_CALIBRATE_FOLDS                                     \
    {                                                                   \
        "calibrate-folds", HSP_OPTION_INTEGER, "5", 2, 1000, NULL, "K", \
            "calibrate: leave out one of so many parts at a time"       \
    }
#define HSP__OPTION_POSITIVE                                    \
    {                                                           \
        "positive", HSP_OPTION_TEXT, NULL, 0, 0, NULL, "CLASS", \
            "learn this class against the rest"                 \
    }
#define HSP__OPTION_CLASSES                                  \
    {                                                        \
        "classes", HSP_OPTION_TEXT, NULL, 0, 0, NULL, "A,B", \
            "learn these classes only, in this order"        \
    }
#define HSP__OPTION_SEED                                                   \
    {                                                                      \
        "seed", HSP_OPTION_INTEGER, "1", 0, 9007199254740992.0, NULL, "N", \
            "the same seed gives the same order"                           \
    }

#endif
