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
 * maximum entropy models, Machine Learning 85 (2011): the dual.
 *
 * More than two classes: multiclass/softmax.c, unless one-vs-rest or one-vs-one is asked for. */
#include "base/base.h"
#include "learn/erm/erm.h"
#include "learn/multiclass/softmax.h"
#include "learn/option_helpers.h"
#include "learn/shared_options.h"

static const hsp_option logistic_options[] = {
    HSP__OPTION_C,
    HSP__OPTION_LAMBDA,
    HSP__OPTION_PENALTY,
    HSP__OPTION_OFFSET,
    {"kernel", HSP_OPTION_TEXT, NULL, 0, 0, NULL, "EXPR",
     "learn in the feature space of this kernel, for example rbf or rbf(0.5); needs --approx"},
    HSP__OPTION_GAMMA,
    HSP__OPTION_ALLOW_INDEFINITE,
    {"approx", HSP_OPTION_TEXT, NULL, 0, 0, NULL, "KIND:M",
     "approximate the kernel by M explicit features: nystrom (from M rows) or fourier"},
    HSP__OPTION_WEIGHT,
    HSP__OPTION_ROW_WEIGHT,
    HSP__OPTION_GAP,
    HSP__OPTION_MAX_PASSES,
    HSP__OPTION_MAX_SECONDS,
    {"solver", HSP_OPTION_CHOICE, "auto", 0, 0, "auto|dcd|newton|l1", NULL,
     "solver; auto decides by the shape of the data"},
    HSP__OPTION_WARM_START,
    HSP__OPTION_KEEP_DUAL,
    HSP__OPTION_CONVERGENCE,
    {"link", HSP_OPTION_CHOICE, "auto", 0, 0, "auto|logistic|probit|step|softmax", NULL,
     "link function from score to probability; auto: softmax if the classes were learned that way, "
     "else logistic"},
    {"multiclass", HSP_OPTION_CHOICE, "softmax", 0, 0, "softmax|ovr|ovo", NULL,
     "more than two classes: all at once (multinomial), one-vs-rest, or one-vs-one"},
    HSP__OPTION_NORMALIZE,
    HSP__OPTION_SCALE,
    HSP__OPTION_TIE,
    HSP__OPTION_CALIBRATE,
    HSP__OPTION_CALIBRATE_FOLDS,
    HSP__OPTION_POSITIVE,
    HSP__OPTION_CLASSES,
    HSP__OPTION_SEED,
};

static hsp_status logistic_check(const hsp_options *options, hsp__plan *plan, hsp_error *err)
{
    plan->loss = &hsp__logistic;
    if (plan->kernel)
        return hsp__fail_option(
            err, "--kernel",
            "logistic supports kernels only through explicit features; set --approx");
    if (hsp_options_is_set(options, "gamma"))
        return hsp__fail_option(err, "--gamma", "gamma needs --kernel, as in --kernel rbf");
    HSP__TRY(hsp__erm_plan_read(options, plan, err));
    plan->joint = hsp__option_is(options, "multiclass", "softmax");
    return HSP_OK;
}

static int logistic_suits(const hsp__train *train)
{
    return train->plan.joint && train->prepared.view->classes > 2;
}

static const hsp__native logistic_native = {
    .reduces = 1, .suits = logistic_suits, .fit = hsp__softmax_fit};

const hsp__learner hsp__learn_logistic = {
    .table = {"logistic", "logistic regression, which models the probability of a class",
              logistic_options, sizeof logistic_options / sizeof *logistic_options},
    .hypothesis = "linear",
    .sharded = hsp__erm_sharded,
    .can_warm_start = 1,
    .can_checkpoint = 1,
    .check = logistic_check,
    .fit = hsp__erm_fit,
    .group_most = hsp__erm_group_most,
    .fit_group = hsp__erm_fit_group,
    .native = &logistic_native};
