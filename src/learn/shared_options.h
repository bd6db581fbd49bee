/* Options that several learners have, each written down once: lines of their tables. */
#ifndef HSP_LEARN_SHARED_OPTIONS_H
#define HSP_LEARN_SHARED_OPTIONS_H

#include "halfspace_all.h"

#define HSP__OPTION_C                                                                         \
    {                                                                                         \
        "C", HSP_OPTION_REAL, NULL, 1e-100, 1e100, NULL, "C",                                 \
            "cost of the losses: minimise ||w||^2 / 2 + C * sum of losses; default 1 unless " \
            "--lambda is set"                                                                 \
    }
#define HSP__OPTION_LAMBDA                                                                    \
    {                                                                                         \
        "lambda", HSP_OPTION_REAL, NULL, 1e-100, 1e100, NULL, "L",                            \
            "regularisation, instead of C: minimise mean loss + lambda ||w||^2 / 2; C = 1 / " \
            "(lambda n)"                                                                      \
    }
#define HSP__OPTION_PENALTY                                                          \
    {                                                                                \
        "penalty", HSP_OPTION_CHOICE, "l2", 0, 0, "l2|l1", NULL,                     \
            "penalty: l2: ||w||^2 / 2; l1: sum of |w_j|, which makes many weights 0" \
    }
#define HSP__OPTION_OFFSET                                                                 \
    {                                                                                      \
        "offset", HSP_OPTION_CHOICE, "free", 0, 0, "free|regularized|none", NULL,          \
            "offset b: free: not penalised; regularized: penalised like a weight; none: 0" \
    }
#define HSP__OPTION_KERNEL                                                                 \
    {                                                                                      \
        "kernel", HSP_OPTION_TEXT, NULL, 0, 0, NULL, "EXPR",                               \
            "learn in the feature space of this kernel, for example rbf(0.5) or poly(3,1)" \
    }
#define HSP__OPTION_ALLOW_INDEFINITE                                                        \
    {                                                                                       \
        "allow-indefinite", HSP_OPTION_FLAG, NULL, 0, 0, NULL, NULL,                        \
            "accept kernel expressions that are not guaranteed to be positive semidefinite" \
    }
#define HSP__OPTION_APPROX                                                                    \
    {                                                                                         \
        "approx", HSP_OPTION_TEXT, NULL, 0, 0, NULL, "KIND:M",                                \
            "approximate the kernel by M explicit features: nystrom (from M rows) or fourier" \
    }
#define HSP__OPTION_WEIGHT                                                                 \
    {                                                                                      \
        "weight", HSP_OPTION_LIST, NULL, 0, 0, NULL, "CLASS=W",                            \
            "factor on the loss of a class; balanced: as if all classes had the same size" \
    }
#define HSP__OPTION_ROW_WEIGHT                                                                     \
    {                                                                                              \
        "row-weight", HSP_OPTION_TEXT, NULL, 0, 0, NULL, "COLUMN",                                 \
            "column with the weight of each row (the number of copies it counts as); not used as " \
            "a feature"                                                                            \
    }
#define HSP__OPTION_GAP                                                                           \
    {                                                                                             \
        "gap", HSP_OPTION_REAL, "1e-3", 1e-12, 1, NULL, "G", "target of the relative duality gap" \
    }
#define HSP__OPTION_MAX_PASSES                                                        \
    {                                                                                 \
        "max-passes", HSP_OPTION_INTEGER, "10000", 1, 1e15, NULL, "N",                \
            "maximum number of passes over the rows; the step under way is completed" \
    }
#define HSP__OPTION_MAX_SECONDS                                 \
    {                                                           \
        "max-seconds", HSP_OPTION_REAL, "0", 0, 1e9, NULL, "S", \
            "time limit in seconds; 0: no limit"                \
    }
#define HSP__OPTION_START                                         \
    {                                                             \
        "warm-start", HSP_OPTION_TEXT, NULL, 0, 0, NULL, "MODEL", \
            "start from this model instead of from zero"          \
    }
#define HSP__OPTION_KEEP_DUAL                                                           \
    {                                                                                   \
        "keep-dual", HSP_OPTION_FLAG, NULL, 0, 0, NULL, NULL,                           \
            "save the dual coefficients in the model, for certificates and warm starts" \
    }
#define HSP__OPTION_NORMALIZE                                                            \
    {                                                                                    \
        "normalize", HSP_OPTION_CHOICE, "none", 0, 0, "none|rows|ball", NULL,            \
            "divide each row by its norm (rows), or all rows by the largest norm (ball)" \
    }
#define HSP__OPTION_SCALE                                                                \
    {                                                                                    \
        "scale", HSP_OPTION_CHOICE, "none", 0, 0, "none|min-max|standard|max-abs", NULL, \
            "scale columns before training; the model stores the scaling"                \
    }
#define HSP__OPTION_TIE                                                        \
    {                                                                          \
        "tie", HSP_OPTION_CHOICE, "neg", 0, 0, "neg|pos|zero", NULL,           \
            "class of a score of exactly 0: the first, the second, or neither" \
    }
#define HSP__OPTION_CALIBRATE                                                      \
    {                                                                              \
        "calibrate", HSP_OPTION_CHOICE, "none", 0, 0, "none|platt|isotonic", NULL, \
            "fit probabilities to held-out scores by cross-validation"             \
    }
#define HSP__OPTION_CALIBRATE_FOLDS                                     \
    {                                                                   \
        "calibrate-folds", HSP_OPTION_INTEGER, "5", 2, 1000, NULL, "K", \
            "number of folds for --calibrate"                           \
    }
#define HSP__OPTION_POSITIVE                                    \
    {                                                           \
        "positive", HSP_OPTION_TEXT, NULL, 0, 0, NULL, "CLASS", \
            "learn this class against all others"               \
    }
#define HSP__OPTION_CLASSES                                  \
    {                                                        \
        "classes", HSP_OPTION_TEXT, NULL, 0, 0, NULL, "A,B", \
            "use only these classes, in this order"          \
    }
#define HSP__OPTION_SEED                                                   \
    {                                                                      \
        "seed", HSP_OPTION_INTEGER, "1", 0, 9007199254740992.0, NULL, "N", \
            "seed of the random order"                                     \
    }

/* Of the online learners: the order of the rows, and when to stop. */
#define HSP__OPTIONS_PASSES                                                                \
    {"order",                                                                              \
     HSP_OPTION_CHOICE,                                                                    \
     "cyclic",                                                                             \
     0,                                                                                    \
     0,                                                                                    \
     "cyclic|shuffle|first|worst|random",                                                  \
     NULL,                                                                                 \
     "order of the rows: as in the file, shuffled in each pass, or one mistake at a time " \
     "picked among all rows"},                                                             \
        {"passes", HSP_OPTION_INTEGER,                                                     \
         "10",     0,                                                                      \
         1e15,     "until-converged",                                                      \
         "T",      "number of passes at most, or until a pass has no mistakes"},           \
        {"max-passes", HSP_OPTION_INTEGER,                                                 \
         "1000",       1,                                                                  \
         1e15,         NULL,                                                               \
         "N",          "limit of --passes until-converged"},                               \
        {"max-updates", HSP_OPTION_INTEGER,                                                \
         "0",           0,                                                                 \
         1e15,          NULL,                                                              \
         "N",           "maximum number of updates; 0: no limit"},                         \
        HSP__OPTION_MAX_SECONDS
#define HSP__OPTION_MULTICLASS_NATIVE                                                   \
    {                                                                                   \
        "multiclass", HSP_OPTION_CHOICE, "native", 0, 0, "native|ovr|ovo", NULL,        \
            "more than two classes: the learner's own form, one-vs-rest, or one-vs-one" \
    }
#define HSP__OPTION_TRACE_UPDATES                           \
    {                                                       \
        "trace", HSP_OPTION_TEXT, NULL, 0, 0, NULL, "FILE", \
            "write one CSV line per update to this file"    \
    }

#endif
