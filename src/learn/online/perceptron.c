/* The perceptron.
 *
 * Problem. Rows x_i in R^d with labels y_i in {-1, +1}; find w, b with y_i (<w, x_i> + b) > 0 for
 * all i. Start: w = 0, b = 0.
 *
 * Update. On a mistake, y_i s(x_i) <= 0 with s(x) = <w, x> + b (tie pos: y_i != sign(s), sign(0) =
 * +1; margin target tau > 0: y_i s < tau):
 *
 *     w <- w + rate y_i x_i         b <- b + rate y_i c^2
 *
 * where offset none has no b, unit has c = 1, r2 has c = R = max ||x_i||, append has c = constant.
 * All of them are the perceptron through the origin on x~ = (x, c), with w~ = (w, b / c). The soft
 * variant gives row i one more coordinate of its own, Delta: the training score gets Delta^2 a_i,
 * where a_i is the sum of rate y_i over the updates on row i; prediction ignores it.
 *
 * More than two classes (native; one-vs-rest is in ovr.c): one scorer per class. When the
 * highest score is not that of the row's class: w_y <- w_y + rate x, w_r <- w_r - rate x, r the
 * best other.
 *
 * With a kernel (kernel_scores.h) all this happens to phi(x), <phi(x), phi(x')> = k(x, x'): w is
 * the list of the updates, ||x||^2 is k(x, x), and R^2 its largest.
 *
 * Guarantee. If y_i <w~*, x~_i> >= gamma for all i and ||x~_i|| <= R~, then after k updates
 * <w~*, w~_k> >= k rate gamma and ||w~_k||^2 <= k (rate^2 R~^2 + 2 rate tau), so
 *
 *     k <= (R~^2 + 2 tau / rate) ||w~*||^2 / gamma^2
 *
 * and the run ends. Not separable: k <= ((R~ + D) / gamma)^2 over one pass in any order, D^2 = sum
 * of max(0, gamma - y_i <u, x_i>)^2, ||u|| = 1; with Delta > 0 every data set is separable in the
 * larger space, and the soft run ends.
 *
 * Certificate. The model carries its updates as triples (row, scorer, amount), which rebuild w; a
 * trace has both sides of each step of the proof.
 *
 * Cost. O(non-zeros of the row) a row and again an update; averaging doubles an update.
 *
 * Papers. F. Rosenblatt, The perceptron, Psychological Review 65 (1958). A. Novikoff, On
 * convergence proofs on perceptrons, Symp. Math. Theory of Automata (1962). R. Duda, P. Hart,
 * Pattern Classification and Scene Analysis (1973): margins, more classes. Y. Freund, R. Schapire,
 * Large margin classification using the perceptron algorithm, Machine Learning 37 (1999): voting,
 * averaging, Delta. N. Cristianini, J. Shawe-Taylor, An Introduction to Support Vector Machines
 * (2000): R^2. */
#include "base/base.h"
#include "base/decimal.h"
#include "learn/option_helpers.h"
#include "learn/kernel/kernel_option.h"
#include "learn/online/online.h"
#include "learn/select/calibrate.h"
#include "learn/shared_options.h"
#include "learn/online/trace.h"
#include "learn/online/online_fit.h"

typedef struct perceptron {
    double rate;
    double constant; /* c; 0: no offset */
    double target;   /* tau */
    double soft;     /* Delta */
} perceptron;

static const hsp_option perceptron_options[] = {
    {"offset", HSP_OPTION_CHOICE, "unit", 0, 0, "none|unit|r2|append", NULL,
     "how the offset b learns: none: b = 0; unit: b += y; r2: b += y R^2; append: weight of a "
     "constant column"},
    {"constant", HSP_OPTION_REAL, "1", 1e-100, 1e100, NULL, "C",
     "value of the constant column of --offset append"},
    HSP__OPTIONS_PASSES,
    {"average", HSP_OPTION_CHOICE, "none", 0, 0, "none|average|vote", NULL,
     "use the last separator, the mean of all, or the vote of all"},
    {"margin-target", HSP_OPTION_TEXT, "0", 0, 0, NULL, "TAU",
     "also learn from rows with y s(x) below TAU; 0.1r: 0.1 times the largest row norm"},
    {"soft", HSP_OPTION_REAL, "0", 0, 1e100, NULL, "DELTA",
     "give every row an extra coordinate DELTA of its own, which makes any data separable; 0: "
     "none"},
    {"rate", HSP_OPTION_REAL, "1", 1e-100, 1e100, NULL, "ETA", "learning rate of an update"},
    HSP__OPTION_KERNEL,
    HSP__OPTION_GAMMA,
    HSP__OPTION_ALLOW_INDEFINITE,
    HSP__OPTION_APPROX,
    {"budget", HSP_OPTION_INTEGER, "0", 0, 1e15, NULL, "N",
     "kernel: maximum number of rows to keep; the one that changes w least is dropped; 0: no "
     "limit"},
    HSP__OPTION_NORMALIZE,
    HSP__OPTION_SCALE,
    HSP__OPTION_WARM_START,
    HSP__OPTION_TIE,
    HSP__OPTION_MULTICLASS_NATIVE,
    HSP__OPTION_CALIBRATE,
    HSP__OPTION_CALIBRATE_FOLDS,
    HSP__OPTION_POSITIVE,
    HSP__OPTION_CLASSES,
    HSP__OPTION_SEED,
    HSP__OPTION_TRACE_UPDATES,
    {"reference", HSP_OPTION_TEXT, NULL, 0, 0, NULL, "MODEL",
     "with --trace: compare each update with this separator, along the proof of the mistake bound"},
};

/* ---- Options --------------------------------------------------------------------------------- */

/* The margin target: a number, or a number and r for this many times the radius. */
static hsp_status perceptron_target(const hsp_options *options, hsp_error *err, double *target,
                                    int *relative)
{
    const char *text = hsp_options_text(options, "margin-target");
    const char *end = text + strlen(text);
    hsp__decimal_result result;
    const char *stop = hsp__decimal_f64(text, end, target, &result);
    *relative = stop < end && *stop == 'r';
    if (result == HSP__DECIMAL_OK && stop + *relative == end && *target >= 0) return HSP_OK;
    char quoted[HSP__QUOTED];
    return hsp__fail_option(err, "--margin-target",
                            "found '%s', expected a number >= 0, or one followed by r",
                            hsp__quote(text, strlen(text), quoted));
}

static hsp_status perceptron_check(const hsp_options *options, int streamed, hsp_error *err)
{
    const int kernel = hsp__option_text(options, "kernel") != NULL,
              soft = hsp_options_real(options, "soft") > 0;
    double target;
    int relative;
    HSP__TRY(perceptron_target(options, err, &target, &relative));
    if (hsp_options_is_set(options, "constant") && !hsp__option_is(options, "offset", "append"))
        return hsp__fail_option(err, "--constant", "--constant needs --offset append");
    if (hsp_options_text(options, "reference") && !hsp_options_text(options, "trace"))
        return hsp__fail_option(err, "--reference", "--reference needs --trace");
    if (!kernel && hsp_options_is_set(options, "allow-indefinite"))
        return hsp__fail_option(err, "--allow-indefinite", "allow-indefinite needs --kernel");
    if (!kernel && hsp_options_is_set(options, "gamma"))
        return hsp__fail_option(err, "--gamma", "gamma needs --kernel, as in --kernel rbf");
    if (!kernel && hsp_options_is_set(options, "budget"))
        return hsp__fail_option(err, "--budget", "budget needs --kernel");
    if (kernel && streamed)
        return hsp__fail_option(
            err, "--kernel",
            "a kernel model keeps training rows, and a stream does not; train without --stream");
    if (kernel && hsp_options_integer(options, "budget") > 0 && soft)
        return hsp__fail_option(err, "--budget",
                                "--soft and --budget cannot be combined; remove one of them");
    if (streamed && hsp__option_is(options, "offset", "r2"))
        return hsp__fail_option(err, "--offset",
                                "--offset r2 needs the largest norm of all rows; use unit or "
                                "append, or train without --stream");
    if (streamed && relative)
        return hsp__fail_option(err, "--margin-target",
                                "a margin target relative to the largest norm needs all rows; give "
                                "a plain number, or train without --stream");
    if (streamed && soft)
        return hsp__fail_option(
            err, "--soft",
            "--soft keeps one number per row, and a stream does not; train without --stream");
    return HSP_OK;
}

static int perceptron_wants_radius(const hsp_options *options)
{
    double target;
    int relative = 0;
    perceptron_target(options, NULL, &target, &relative);
    return relative || hsp__option_is(options, "offset", "r2");
}

static hsp_status perceptron_init(hsp__online *run, const hsp_options *options,
                                  const hsp__online_facts *facts, hsp_error *err)
{
    perceptron *own = run->state;
    int relative;
    HSP__TRY(perceptron_target(options, err, &own->target, &relative));
    if (relative) own->target *= facts->radius;
    own->rate = hsp_options_real(options, "rate");
    own->soft = hsp_options_real(options, "soft");
    own->constant = 0;
    if (hsp__option_is(options, "offset", "unit")) own->constant = 1;
    if (hsp__option_is(options, "offset", "r2")) own->constant = facts->radius;
    if (hsp__option_is(options, "offset", "append"))
        own->constant = hsp_options_real(options, "constant");
    /* right is y s > limit; the number just below tau says y s >= tau */
    run->mistake.limit[0] = run->mistake.limit[1] =
        own->target > 0 ? nextafter(own->target, -HUGE_VAL) : 0;
    run->mistake.margin_only = own->target > 0;
    if (own->target == 0 && run->plan.tie == HSP_TIE_POS)
        run->mistake.limit[1] = nextafter(0, -HUGE_VAL);
    if (own->soft == 0) return HSP_OK;
    if (run->sep.scorers > 1)
        return hsp__fail_option(err, "--soft",
                                "--soft needs two classes; use --multiclass ovr or ovo, or choose "
                                "classes with --positive or --classes");
    run->mistake.extra = hsp__new(&run->ctx->allocator, facts->rows, sizeof *run->mistake.extra);
    return run->mistake.extra ? HSP_OK : hsp__fail_memory(err);
}

static void perceptron_free(hsp__online *run)
{
    hsp__free(&run->ctx->allocator, run->mistake.extra);
}

static void perceptron_proof(const hsp__online *run, hsp__proof *proof)
{
    const perceptron *own = run->state;
    *proof = (hsp__proof){own->constant, own->rate, own->target, own->soft, (double)NAN};
}

/* Rows on several ranks are learned in parts (online_mix.h), if there is one run over all rows. */
static int perceptron_sharded(const hsp_data *data, uint64_t entries, const hsp_options *options)
{
    (void)entries;
    static const char *const unset[] = {"kernel", "approx", "trace", "classes"};
    const int two = data->view.classes == 2 || hsp__option_text(options, "positive");
    const int one_run =
        two || (data->view.classes > 2 && hsp__option_is(options, "multiclass", "native"));
    const int shuffled = hsp__option_is(options, "order", "shuffle");
    for (size_t i = 0; i < sizeof unset / sizeof *unset; i++)
        if (hsp__option_text(options, unset[i])) return 0;
    return data->shard.rows >= HSP__BLOCKS && data->view.labels && !data->row_weights &&
           !data->of_arrays && one_run &&
           (shuffled || hsp__option_is(options, "order", "cyclic")) &&
           !hsp__option_is(options, "average", "vote") &&
           !(hsp_options_real(options, "soft") > 0) &&
           !hsp_options_integer(options, "max-updates") && !hsp__calibrate_wanted(options);
}

/* ---- The rule -------------------------------------------------------------------------------- */

static hsp_status perceptron_update(hsp__online *run, const hsp_view *view, uint64_t row,
                                    uint32_t toward, uint32_t away, hsp_error *err)
{
    const perceptron *own = run->state;
    const double rate = own->rate, offset = rate * (own->constant * own->constant);
    hsp_status status = HSP_OK;
    if (run->mistake.extra)
        run->mistake.extra[row] += (toward == 0 ? rate : -rate) * (own->soft * own->soft);
    if (toward != HSP_NO_CLASS) status = hsp__online_add(run, view, row, toward, rate, offset, err);
    if (!status && away != HSP_NO_CLASS)
        status = hsp__online_add(run, view, row, away, -rate, -offset, err);
    return status;
}

static const hsp__online_rule perceptron_rule = {.state_bytes = sizeof(perceptron),
                                                 .native = 1,
                                                 .check = perceptron_check,
                                                 .wants_radius = perceptron_wants_radius,
                                                 .proof = perceptron_proof,
                                                 .init = perceptron_init,
                                                 .free = perceptron_free,
                                                 .update = perceptron_update};

const hsp__learner hsp__learn_perceptron = {
    .table = {"perceptron", "learns from its mistakes, one row at a time", perceptron_options,
              sizeof perceptron_options / sizeof *perceptron_options},
    .hypothesis = "linear",
    .fit = hsp__online_fit,
    .sharded = perceptron_sharded,
    .native = &hsp__online_native,
    .can_warm_start = 1,
    .can_checkpoint = 1,
    .rule = &perceptron_rule};
