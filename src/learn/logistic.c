/* Logistic regression.
 *
 * Problem. Rows x_i in R^d with labels y_i in {-1, +1} and weights r_i, n = sum r_i; minimise
 *
 *     J(w, b) = (1/n) sum_i r_i v_i log(1 + exp(-y_i (<w, x_i> + b))) + (lambda/2) ||w||^2
 *
 * with v_i, offset, penalty l1, C = 1 / (lambda n) and weights as in svm.c. The loss is minus the
 * logarithm of the probability 1 / (1 + exp(-y s)) that the model gives to the row's own class: the
 * minimum is the most likely w for that link and a Gaussian (l1: Laplacian) prior on w.
 *
 * Guarantee, certificate, cost. As svm.c: a run that converged is within `gap` of the best.
 *
 * Papers. D. Cox, The regression analysis of binary sequences, J. Royal Stat. Soc. B 20 (1958).
 * H.-F. Yu, F.-L. Huang, C.-J. Lin, Dual coordinate descent methods for logistic regression and
 * maximum entropy models, Machine Learning 85 (2011): the dual. */
#include "base/error.h"
#include "learn/batch.h"
#include "learn/learner.h"

static const hsp_option logistic_options[] = {
    {"C", HSP_OPTION_REAL, NULL, 1e-100, 1e100, NULL, "C",
     "cost of a row's loss beside ||w||^2 / 2; 1 unless this or lambda is set"},
    {"lambda", HSP_OPTION_REAL, NULL, 1e-100, 1e100, NULL, "L",
     "weight of ||w||^2 / 2 beside the mean loss, instead of C: C = 1 / (lambda n)"},
    {"penalty", HSP_OPTION_CHOICE, "l2", 0, 0, "l2|l1", NULL,
     "what keeps weights small: half their squares' sum, or the sum of their sizes (many are 0)"},
    {"offset", HSP_OPTION_CHOICE, "free", 0, 0, "free|regularized|none", NULL,
     "b is not penalised, penalised as a weight is, or stays 0"},
    {"kernel", HSP_OPTION_TEXT, NULL, 0, 0, NULL, "EXPR",
     "learn in the feature space of this kernel, as in rbf(0.5) or poly(3,1), by approx"},
    {"allow-indefinite", HSP_OPTION_FLAG, NULL, 0, 0, NULL, NULL,
     "kernel: allow what need not be one"},
    {"approx", HSP_OPTION_TEXT, NULL, 0, 0, NULL, "KIND:M",
     "kernel: learn from M explicit features: nystrom (of M rows) or fourier"},
    {"weight", HSP_OPTION_LIST, NULL, 0, 0, NULL, "CLASS=W",
     "the loss of this class's rows counts W times; balanced: as if classes had equal size"},
    {"row-weight", HSP_OPTION_TEXT, NULL, 0, 0, NULL, "COLUMN",
     "a column of the file that says how many copies a row stands for; not learnt from"},
    {"gap", HSP_OPTION_REAL, "1e-3", 1e-12, 1, NULL, "G",
     "stop when the objective is proven to be this near to the best, relatively"},
    {"max-passes", HSP_OPTION_INTEGER, "10000", 1, 1e15, NULL, "N",
     "give up after so many passes over the rows"},
    {"max-seconds", HSP_OPTION_REAL, "0", 0, 1e9, NULL, "S",
     "stop after so many seconds; 0: no limit"},
    {"solver", HSP_OPTION_CHOICE, "auto", 0, 0, "auto|dcd|newton|l1", NULL,
     "how to minimise; auto looks at the shape of the data"},
    {"start", HSP_OPTION_TEXT, NULL, 0, 0, NULL, "MODEL", "begin at this model instead of at zero"},
    {"keep-dual", HSP_OPTION_FLAG, NULL, 0, 0, NULL, NULL,
     "keep the rows' dual weights in the model, for certificates and warm starts"},
    {"link", HSP_OPTION_CHOICE, "logistic", 0, 0, "logistic|probit|step", NULL,
     "the function that makes a probability of a score when the model predicts"},
    {"multiclass", HSP_OPTION_CHOICE, "ovr", 0, 0, "ovr|ovo", NULL,
     "more than two classes: each against the rest, or each pair"},
    {"normalize", HSP_OPTION_CHOICE, "none", 0, 0, "none|rows|ball", NULL,
     "divide each row by its length, or all by the longest"},
    {"scale", HSP_OPTION_CHOICE, "none", 0, 0, "none|min-max|standard|max-abs", NULL,
     "scale columns first; the model remembers how"},
    {"tie", HSP_OPTION_CHOICE, "neg", 0, 0, "neg|pos|zero", NULL,
     "what a score of exactly 0 means: the first class, the second, neither"},
    {"calibrate", HSP_OPTION_CHOICE, "none", 0, 0, "none|platt|isotonic", NULL,
     "fit probabilities to the scores of rows that were left out in turn"},
    {"calibrate-folds", HSP_OPTION_INTEGER, "5", 2, 1000, NULL, "K",
     "calibrate: leave out one of so many parts at a time"},
    {"positive", HSP_OPTION_TEXT, NULL, 0, 0, NULL, "CLASS", "learn this class against the rest"},
    {"classes", HSP_OPTION_TEXT, NULL, 0, 0, NULL, "A,B",
     "learn these classes only, in this order"},
    {"seed", HSP_OPTION_INTEGER, "1", 0, 9007199254740992.0, NULL, "N",
     "the same seed gives the same order"},
};

extern const hsp__learner hsp__learn_logistic;

static hsp_status logistic_train(hsp_context *ctx, hsp_data *data, const hsp_options *options,
                                 const hsp_model *start, hsp_error *err, hsp_training *run,
                                 hsp_model **out)
{
    hsp__batch_plan plan = {.loss = HSP__LOSS_LOGISTIC};
    if (hsp_options_text(options, "kernel"))
        return hsp__fail_at(
            err, HSP_USAGE, "--kernel", 0, 0,
            "logistic learns with a kernel from explicit features only: set approx");
    hsp_status status = hsp__batch_plan_read(options, &plan, err);
    if (status) return status;
    return hsp__batch_train(ctx, data, &hsp__learn_logistic, options, &plan, start, err, run, out);
}

const hsp__learner hsp__learn_logistic = {
    .table = {"logistic", "logistic regression: the probability of a class", logistic_options,
              sizeof logistic_options / sizeof *logistic_options},
    .hypothesis = "linear",
    .train = logistic_train,
    .starts = 1};
