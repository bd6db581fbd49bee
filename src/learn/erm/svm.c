/* The linear support vector machine.
 *
 * Problem. Rows x_i in R^d with labels y_i in {-1, +1} and weights r_i (1 unless a column says
 * otherwise), n = sum r_i; minimise
 *
 *     J(w, b) = (1/n) sum_i r_i v_i loss(y_i (<w, x_i> + b)) + (lambda/2) ||w||^2
 *
 * v_i is the weight of the row's class; loss(m) is max(0, 1 - m), or its square. b is in no penalty
 * (offset free), in the same as w (regularized), or 0 (none). Penalty l1: lambda ||w||_1 instead.
 * With C = 1 / (lambda n) the same is P = J / lambda = ||w||^2 / 2 + C sum r_i v_i loss: the scale
 * in which solvers count (problem.h, where the dual is). A row of weight k is k copies of it, also
 * in n; class weights multiply costs and are not counted in n.
 *
 * Hard: minimise ||w||^2 / 2 with y_i (<w, x_i> + b) >= 1 for all i, the limit C -> infinity. Where
 * there is no such w the outcome is "inseparable", with the multipliers that say why.
 *
 * Guarantee. A run that converged is within `gap` of the best objective: J - D <= gap J, where D, a
 * dual objective, is a lower bound on J of all (w, b). Both are computed from data, (w, b) and dual
 * weights alone (gap.h), and the last word on convergence is theirs.
 *
 * Certificate. keep-dual: (row, scorer, a_i y_i) in the model, w = sum a_i y_i x_i to the gap.
 *
 * Cost. The solver's, see the files that solvers.c lists.
 *
 * Papers. B. Boser, I. Guyon, V. Vapnik, A training algorithm for optimal margin classifiers, COLT
 * (1992). C. Cortes, V. Vapnik, Support-vector networks, Machine Learning 20 (1995). */
#include "base/base.h"
#include "learn/build_model.h"
#include "learn/erm/erm.h"
#include "learn/kernel/kernel_erm.h"
#include "learn/kernel/smo.h"
#include "learn/multiclass/crammer.h"
#include "learn/train.h"
#include "learn/online/pegasos.h"
#include "learn/shared_options.h"

static const hsp_option svm_options[] = {
    HSP__OPTION_C,
    HSP__OPTION_LAMBDA,
    {"loss", HSP_OPTION_CHOICE, "hinge", 0, 0, "hinge|squared", NULL,
     "loss of a row: hinge max(0, 1 - y s), or its square"},
    HSP__OPTION_PENALTY,
    HSP__OPTION_OFFSET,
    HSP__OPTION_KERNEL,
    HSP__OPTION_GAMMA,
    {"cache-mb", HSP_OPTION_REAL, "1000", 0, 1e9, NULL, "MB",
     "kernel: size of the cache of kernel values in megabytes"},
    HSP__OPTION_ALLOW_INDEFINITE,
    HSP__OPTION_APPROX,
    {"hard", HSP_OPTION_FLAG, NULL, 0, 0, NULL, NULL,
     "hard margin: the separator of widest margin. If there is none, print the evidence and exit "
     "with status 1"},
    HSP__OPTION_WEIGHT,
    HSP__OPTION_ROW_WEIGHT,
    HSP__OPTION_GAP,
    HSP__OPTION_MAX_PASSES,
    HSP__OPTION_MAX_SECONDS,
    {"solver", HSP_OPTION_CHOICE, "auto", 0, 0, "auto|dcd|newton|l1|pegasos", NULL,
     "solver; auto decides by the shape of the data"},
    {"order", HSP_OPTION_CHOICE, "shuffle", 0, 0, "shuffle|cyclic", NULL,
     "with --solver pegasos: order of the rows: shuffled in each pass, or as in the file"},
    {"average", HSP_OPTION_CHOICE, "average", 0, 0, "average|none", NULL,
     "with --solver pegasos: use the weighted mean of all weights (later ones count more), or the "
     "last"},
    HSP__OPTION_WARM_START,
    HSP__OPTION_KEEP_DUAL,
    HSP__OPTION_CONVERGENCE,
    {"multiclass", HSP_OPTION_CHOICE, "ovr", 0, 0, "ovr|ovo|crammer-singer", NULL,
     "more than two classes: one-vs-rest, one-vs-one, or Crammer-Singer"},
    HSP__OPTION_NORMALIZE,
    HSP__OPTION_SCALE,
    HSP__OPTION_TIE,
    HSP__OPTION_CALIBRATE,
    HSP__OPTION_CALIBRATE_FOLDS,
    HSP__OPTION_POSITIVE,
    HSP__OPTION_CLASSES,
    HSP__OPTION_SEED,
};

/* Options that have no effect with others, or do not go together. */
static hsp_status svm_check(const hsp_options *options, hsp__plan *plan, hsp_error *err)
{
    static const char *const steps[] = {"order", "average"}, *const idle[] = {"C", "lambda",
                                                                              "weight"};
    static const char *const about[] = {"--cache-mb", "--allow-indefinite", "--gamma"};
    HSP__TRY(hsp__erm_plan_read(options, plan, err));
    const int own_solver = strcmp(plan->solver, "auto") != 0, l1 = plan->penalty == HSP__PENALTY_L1;
    for (size_t i = 0; strcmp(plan->solver, "pegasos") != 0 && i < 2; i++)
        if (hsp_options_is_set(options, steps[i]))
            return hsp__fail_option(
                err, i ? "--average" : "--order",
                "applies only to --solver pegasos, not to %s; remove it, or use --solver pegasos",
                plan->solver);
    plan->loss = hsp__loss_find(hsp_options_text(options, "loss"));
    plan->hard = hsp_options_flag(options, "hard");
    plan->joint = strcmp(hsp_options_text(options, "multiclass"), "crammer-singer") == 0;
    if (plan->joint && (plan->loss->form != HSP__HINGE || plan->hard || l1 || own_solver))
        return hsp__fail_option(
            err, "--multiclass",
            "crammer-singer has its own solver, which supports only hinge loss and penalty l2");
    for (size_t i = 0; !plan->kernel && i < sizeof about / sizeof *about; i++)
        if (hsp_options_is_set(options, about[i] + 2))
            return hsp__fail_option(err, about[i], "%s needs --kernel%s", about[i] + 2,
                                    i == 2 ? ", as in --kernel rbf" : "");
    if (plan->kernel) { /* there is one solver, and what it keeps small is ||w||^2 */
        plan->cache_bytes = (uint64_t)(hsp_options_real(options, "cache-mb") * 1048576);
        const char *wrong = plan->joint                   ? "--multiclass"
                            : !hsp__smo_suits(plan->loss) ? "--loss"
                            : l1                          ? "--penalty"
                            : own_solver                  ? "--solver"
                                                          : NULL;
        if (wrong)
            return hsp__fail_option(err, wrong,
                                    "not available with --kernel, which has one solver, for "
                                    "penalty l2, one-vs-rest and one-vs-one; remove it");
    }
    for (size_t i = 0; plan->hard && i < sizeof idle / sizeof *idle; i++)
        if (hsp_options_is_set(options, idle[i]))
            return hsp__fail_option(
                err, "--hard",
                "%s has no effect with --hard (a hard margin allows no errors); remove it",
                idle[i]);
    if (plan->hard && plan->loss->form != HSP__HINGE)
        return hsp__fail_option(
            err, "--hard",
            "--loss has no effect with --hard (a hard margin allows no errors); remove it");
    if (plan->hard && l1) return hsp__fail_option(err, "--hard", "--hard needs penalty l2");
    if (l1 && !hsp__loss_is_smooth(plan->loss))
        return hsp__fail_option(err, "--penalty", "penalty l1 needs --loss squared");
    return HSP_OK;
}

/* Kernel machines, and all classes at once. */
static int svm_suits(const hsp__train *train)
{
    return train->plan.kernel || (train->plan.joint && train->prepared.view->classes > 2);
}

static hsp_status svm_fit_native(hsp__train *train, hsp_error *err)
{
    return train->plan.kernel ? hsp__kernel_erm_fit(train, err) : hsp__crammer_fit(train, err);
}

static hsp_status svm_build(hsp__train *train, hsp_context *ctx, const hsp__model_spec *spec,
                            hsp_error *err, hsp_model **out)
{
    const int wide = train->plan.kernel && hsp__kernel_erm_wide(train);
    return hsp__build_model_tasks(train, ctx, wide, spec, err, out);
}

static hsp_status svm_mistakes(hsp__train *train, hsp_context *ctx, const hsp_model *model,
                               hsp_error *err, uint64_t *wrong)
{
    return train->plan.kernel ? hsp__kernel_erm_mistakes(train, ctx, model, err, wrong)
                              : hsp__train_count_mistakes(train, ctx, model, err, wrong);
}

static const hsp__native svm_native = {.bytes = sizeof(hsp__kernel_erm),
                                       .reduces = 1,
                                       .suits = svm_suits,
                                       .fit = svm_fit_native,
                                       .build = svm_build,
                                       .mistakes = svm_mistakes,
                                       .free = hsp__kernel_erm_free};

const hsp__learner hsp__learn_svm = {
    .table = {"svm", "support vector machine: widest margin, with a loss for rows inside it",
              svm_options, sizeof svm_options / sizeof *svm_options},
    .hypothesis = "linear",
    .sharded = hsp__erm_sharded,
    .can_warm_start = 1,
    .can_checkpoint = 1,
    .check = svm_check,
    .fit = hsp__erm_fit,
    .group_most = hsp__erm_group_most,
    .fit_group = hsp__erm_fit_group,
    .divides = 1,
    .native = &svm_native,
    .rule = &hsp__pegasos_rule};
