/* Options that several learners have, each written down once: lines of their tables. */
#ifndef HSP_LEARN_SHARED_OPTIONS_H
#define HSP_LEARN_SHARED_OPTIONS_H

#include "base/options.h"

#define HSP__OPTION_C                                                                           \
    HSP__REAL("C", NULL, 1e-100, 1e100, "C",                                                    \
              "cost of the losses: minimise ||w||^2 / 2 + C * sum of losses; default 1 unless " \
              "--lambda is set")
#define HSP__OPTION_LAMBDA                                                                      \
    HSP__REAL("lambda", NULL, 1e-100, 1e100, "L",                                               \
              "regularisation, instead of C: minimise mean loss + lambda ||w||^2 / 2; C = 1 / " \
              "(lambda n)")
#define HSP__OPTION_PENALTY               \
    HSP__CHOICE("penalty", "l2", "l2|l1", \
                "penalty: l2: ||w||^2 / 2; l1: sum of |w_j|, which makes many weights 0")
#define HSP__OPTION_OFFSET                                 \
    HSP__CHOICE("offset", "free", "free|regularized|none", \
                "offset b: free: not penalised; regularized: penalised like a weight; none: 0")
#define HSP__OPTION_KERNEL            \
    HSP__TEXT("kernel", NULL, "EXPR", \
              "learn in the feature space of this kernel, for example rbf, rbf(0.5) or poly(3,1)")
#define HSP__OPTION_GAMMA                        \
    HSP__REAL("gamma", NULL, 1e-300, 1e300, "G", \
              "kernel: factor of rbf, instead of its default 1/(d var)")
#define HSP__OPTION_ALLOW_INDEFINITE \
    HSP__FLAG("allow-indefinite",    \
              "accept kernel expressions that are not guaranteed to be positive semidefinite")
#define HSP__OPTION_APPROX              \
    HSP__TEXT("approx", NULL, "KIND:M", \
              "approximate the kernel by M explicit features: nystrom (from M rows) or fourier")
#define HSP__OPTION_WEIGHT         \
    HSP__LIST("weight", "CLASS=W", \
              "factor on the loss of a class; balanced: as if all classes had the same size")
#define HSP__OPTION_ROW_WEIGHT                                                                    \
    HSP__TEXT("row-weight", NULL, "COLUMN",                                                       \
              "column with the weight of each row (the number of copies it counts as); not used " \
              "as a feature")
#define HSP__OPTION_GAP \
    HSP__REAL("gap", "1e-3", 1e-12, 1, "G", "target of the relative duality gap")
#define HSP__OPTION_MAX_PASSES                        \
    HSP__INTEGER("max-passes", "10000", 1, 1e15, "N", \
                 "maximum number of passes over the rows; the step under way is completed")
#define HSP__OPTION_MAX_SECONDS \
    HSP__REAL("max-seconds", "0", 0, 1e9, "S", "time limit in seconds; 0: no limit")
#define HSP__OPTION_CONVERGENCE      \
    HSP__TEXT(                       \
        "convergence", NULL, "FILE", \
        "write one CSV line per pass of the solver to this file: objective, lower bound, gap")
#define HSP__OPTION_WARM_START \
    HSP__TEXT("warm-start", NULL, "MODEL", "start from this model instead of from zero")
#define HSP__OPTION_KEEP_DUAL \
    HSP__FLAG("keep-dual",    \
              "save the dual coefficients in the model, for certificates and warm starts")
#define HSP__OPTION_NORMALIZE                          \
    HSP__CHOICE("normalize", "none", "none|rows|ball", \
                "divide each row by its norm (rows), or all rows by the largest norm (ball)")
#define HSP__OPTION_SCALE                                         \
    HSP__CHOICE("scale", "none", "none|min-max|standard|max-abs", \
                "scale columns before training; the model stores the scaling")
#define HSP__OPTION_TIE                       \
    HSP__CHOICE("tie", "neg", "neg|pos|zero", \
                "class of a score of exactly 0: the first, the second, or neither")
#define HSP__OPTION_CALIBRATE                               \
    HSP__CHOICE("calibrate", "none", "none|platt|isotonic", \
                "fit probabilities to held-out scores by cross-validation")
#define HSP__OPTION_CALIBRATE_FOLDS \
    HSP__INTEGER("calibrate-folds", "5", 2, 1000, "K", "number of folds for --calibrate")
#define HSP__OPTION_POSITIVE \
    HSP__TEXT("positive", NULL, "CLASS", "learn this class against all others")
#define HSP__OPTION_CLASSES \
    HSP__TEXT("classes", NULL, "A,B", "use only these classes, in this order")
#define HSP__OPTION_SEED \
    HSP__INTEGER("seed", "1", 0, 9007199254740992.0, "N", "seed of the random order")

/* Of the online learners: the order of the rows, and when to stop. */
#define HSP__OPTIONS_PASSES                                                                       \
    HSP__CHOICE("order", "cyclic", "cyclic|shuffle|first|worst|random",                           \
                "order of the rows: as in the file, shuffled in each pass, or one mistake at a "  \
                "time picked among all rows"),                                                    \
        HSP__OPTION("passes", HSP_OPTION_INTEGER, "10", 0, 1e15, "until-converged", "T",          \
                    "number of passes at most, or until a pass has no mistakes"),                 \
        HSP__INTEGER("max-passes", "1000", 1, 1e15, "N", "limit of --passes until-converged"),    \
        HSP__INTEGER("max-updates", "0", 0, 1e15, "N", "maximum number of updates; 0: no limit"), \
        HSP__OPTION_MAX_SECONDS
#define HSP__OPTION_MULTICLASS_NATIVE                     \
    HSP__CHOICE("multiclass", "native", "native|ovr|ovo", \
                "more than two classes: the learner's own form, one-vs-rest, or one-vs-one")
#define HSP__OPTION_TRACE_UPDATES \
    HSP__TEXT("trace", NULL, "FILE", "write one CSV line per update to this file")

#endif
