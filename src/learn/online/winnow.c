/* Winnow: weights that are multiplied.
 *
 * Problem. Rows x in [0,1]^n, labels y in {-1, +1}; find w and theta with y = +1 exactly where
 * <w, x> >= theta. Few of the n columns matter, and n may be large.
 *
 * Update. All weights begin at 1. A row is predicted positive when s(x) = <w, x> - theta >= 0 (tie
 * neg: > 0; tie zero: a row with s = 0 is wrong either way). On a mistake, with alpha = 1 + delta,
 *
 *     promotion   y = +1     w_j <- w_j alpha^x_j         all variants
 *     demotion    y = -1     w_j <- w_j / alpha^x_j       winnow2
 *                            w_j <- 0 where x_j > 0       winnow1 (elimination)
 *
 * balanced keeps two weights a column, u+ and u-, scores with w = u+ - u-, and does to u- the
 * opposite of what it does to u+: negative weights can be expressed. With offset unit every row has
 * one more column, 1, whose w is the offset.
 *
 * In exponents. e_j, the sum of y x_j over the updates, is all there is to know of a column:
 *
 *     winnow2  w_j = alpha^e_j       balanced  w_j = alpha^e_j - alpha^-e_j
 *     winnow1  w_j = alpha^e_j, e_j over promotions, and 0 (e_j = -DBL_MAX) once eliminated
 *
 * The run keeps e, so no weight is ever stuck at 0 or at infinity, nor collects rounding where
 * values are 0 and 1 (e is a whole number then, else a rounded sum); its weights are computed from
 * it, divided by a power of two common to all weights and theta when the largest would be above
 * 2^400 (hsp__online_shrink). Signs of scores and their order stay; weights that are 2^1400 times
 * smaller than the largest count as 0.
 *
 * More than two classes (native; winnow2 and balanced): one scorer per class. When the highest score is
 * not that of the row's class, that class is promoted and the best other one is demoted.
 *
 * Guarantee (proofs in docs/winnow.md, held against runs by measure/audit_winnow.c). Rows of zeros
 * and ones, a disjunction of r columns, k mistakes in all passes together, in any order:
 *
 *     winnow2   k <= (1 + delta) n / (delta theta) + (2 + delta) r (1 + floor(log_alpha theta))
 *               with delta = 1, theta = n:  2 + 3 r (1 + log2 n)
 *     winnow1   k <= n / theta + (1 + delta) r (1 + floor(log_alpha theta))
 *
 * Values in [0,1], some v >= 0 of total weight W with <v, x> >= b on positive rows and <= b - 1 on
 * negative ones: winnow2 with 1/(2W) <= delta <= 1/(2b), theta = n makes k <= 8 W^2 (1 + ln(n
 * W/b)); balanced with theta = 0, y <v, x> >= 1, W = ||v||_1, ln(1 + delta) = 1/W makes k <= 2 W^2
 * ln(2n).
 *
 * Certificate. The model carries its updates as triples (row, scorer, +1 or -1), which rebuild e.
 *
 * Cost. O(non-zeros of the row) per row, and as many powers per update; memory for e in addition to w.
 *
 * Papers. N. Littlestone, Learning quickly when irrelevant attributes abound: a new
 * linear-threshold algorithm, Machine Learning 2 (1988): Winnow 1 and 2. N. Littlestone, Mistake
 * bounds and logarithmic linear-threshold learning algorithms, thesis, UC Santa Cruz (1989):
 * balanced. J. Kivinen, M. Warmuth, Exponentiated gradient versus gradient descent for linear
 * predictors, Information and Computation 132 (1997): two weights a column, relative entropy. */
#include <float.h>

#include "base/base.h"
#include "learn/option_helpers.h"
#include "learn/online/online.h"
#include "learn/shared_options.h"
#include "learn/online/online_fit.h"

#define WINNOW_LARGEST 400    /* log2 of the weight from which on all are divided */
#define WINNOW_DIRECT  1000   /* log2 of what pow() is asked for */
#define WINNOW_DEEPEST 0x1p30 /* log2 of a weight, or of what weights were divided by, in a model */

typedef enum winnow_variant { WINNOW_1, WINNOW_2, WINNOW_BALANCED } winnow_variant;

typedef struct winnow {
    winnow_variant variant;
    int constant;       /* balanced: every row has one more column, 1 */
    double alpha, log2; /* 1 + delta, and its logarithm */
    double theta;
    uint64_t promotions, demotions; /* of a run of two classes */
    uint64_t room;                  /* from one scorer's exponents to the next */
    double *e;                      /* scorers * room: the exponents */
    double *e_constant;             /* scorers: of the constant column */
    int power;                      /* weights and offsets are those meant, divided by 2^power */
} winnow;

static const hsp_option winnow_options[] = {
    {"variant", HSP_OPTION_CHOICE, "winnow2", 0, 0, "winnow1|winnow2|balanced", NULL,
     "a demotion sets weights to 0 (winnow1) or divides them (winnow2); balanced: two weights per "
     "column"},
    {"delta", HSP_OPTION_REAL, "1", 1e-6, 1e6, NULL, "D",
     "on a mistake, weights are multiplied or divided by 1 + D"},
    {"threshold", HSP_OPTION_REAL, NULL, -1e100, 1e100, NULL, "THETA",
     "predict positive if <w,x> >= THETA; default: the number of columns (balanced: 0)"},
    {"offset", HSP_OPTION_CHOICE, "auto", 0, 0, "auto|none|unit", NULL,
     "with --variant balanced: unit adds a column of ones; auto: unit for balanced"},
    HSP__OPTIONS_PASSES,
    {"average", HSP_OPTION_CHOICE, "none", 0, 0, "none|average", NULL,
     "use the last separator, or the mean of all"},
    HSP__OPTION_NORMALIZE,
    HSP__OPTION_SCALE,
    HSP__OPTION_WARM_START,
    {"tie", HSP_OPTION_CHOICE, "pos", 0, 0, "neg|pos|zero", NULL,
     "class if <w,x> = THETA: the first, the second, or neither"},
    HSP__OPTION_MULTICLASS_NATIVE,
    HSP__OPTION_CALIBRATE,
    HSP__OPTION_CALIBRATE_FOLDS,
    HSP__OPTION_POSITIVE,
    HSP__OPTION_CLASSES,
    HSP__OPTION_SEED,
    HSP__OPTION_TRACE_UPDATES,
};

/* ---- Options --------------------------------------------------------------------------------- */

static winnow_variant winnow_variant_of(const hsp_options *options)
{
    if (hsp__option_is(options, "variant", "winnow1")) return WINNOW_1;
    return hsp__option_is(options, "variant", "winnow2") ? WINNOW_2 : WINNOW_BALANCED;
}

static hsp_status winnow_check(const hsp_options *options, int streamed, hsp_error *err)
{
    if (winnow_variant_of(options) == WINNOW_BALANCED) return HSP_OK;
    const int set = hsp_options_is_set(options, "threshold");
    if (set && !(hsp_options_real(options, "threshold") > 0))
        return hsp__fail_option(err, "--threshold",
                                "the threshold must be positive, because the weights are; give a "
                                "positive one, or use --variant balanced");
    if (hsp__option_is(options, "offset", "unit"))
        return hsp__fail_option(
            err, "--offset",
            "a column of ones needs --variant balanced; %s has a threshold instead",
            hsp_options_text(options, "variant"));
    if (streamed && !set)
        return hsp__fail_option(err, "--threshold",
                                "the default threshold is the number of columns, which a stream "
                                "does not have; set --threshold");
    return HSP_OK;
}

static hsp_status winnow_init(hsp__online *run, const hsp_options *options,
                              const hsp__online_facts *facts, hsp_error *err)
{
    winnow *own = run->state;
    (void)facts;
    own->variant = winnow_variant_of(options);
    if (own->variant == WINNOW_1 && run->sep.scorers > 1)
        return hsp__fail_option(
            err, "--variant",
            "winnow1 needs two classes; use --variant winnow2 or balanced, --multiclass ovr or "
            "ovo, or choose classes with --positive or --classes");
    const int balanced = own->variant == WINNOW_BALANCED;
    own->constant = balanced && !hsp__option_is(options, "offset", "none");
    own->alpha = 1 + hsp_options_real(options, "delta");
    own->log2 = log2(own->alpha);
    own->theta = balanced ? 0 : (double)run->sep.features;
    if (hsp_options_is_set(options, "threshold"))
        own->theta = hsp_options_real(options, "threshold");
    /* right is y s > limit; the number just below 0 says y s >= 0 */
    const double below = nextafter(0, -HUGE_VAL);
    run->mistake.limit[0] = run->plan.tie == HSP_TIE_NEG ? below : 0;
    run->mistake.limit[1] = run->plan.tie == HSP_TIE_POS ? below : 0;
    own->e_constant = hsp__new(&run->ctx->allocator, run->sep.scorers, sizeof *own->e_constant);
    return own->e_constant ? HSP_OK : hsp__fail_memory(err);
}

static void winnow_free(hsp__online *run)
{
    const winnow *own = run->state;
    hsp__free(&run->ctx->allocator, own->e);
    hsp__free(&run->ctx->allocator, own->e_constant);
}

/* ---- Weights --------------------------------------------------------------------------------- */

/* alpha^e / 2^power. */
static double winnow_raise(const winnow *own, double e, int power)
{
    const double size = e * own->log2;
    return size > WINNOW_DIRECT ? exp2(size - power) : ldexp(pow(own->alpha, e), -power);
}

static double winnow_weight(const winnow *own, double e, int power)
{
    const double up = winnow_raise(own, e, power);
    return own->variant == WINNOW_BALANCED ? up - winnow_raise(own, -e, power) : up;
}

static double winnow_offset(const winnow *own, uint32_t scorer, int power)
{
    const double b = ldexp(0 - own->theta, -power);
    return own->constant ? b + winnow_weight(own, own->e_constant[scorer], power) : b;
}

/* Columns that are new have the exponent 0. */
static hsp_status winnow_grow(hsp__online *run, uint64_t before, hsp_error *err)
{
    winnow *own = run->state;
    if (run->sep.stride != own->room) {
        double *e = hsp__new(&run->ctx->allocator, run->sep.scorers * run->sep.stride, sizeof *e);
        if (!e) return hsp__fail_memory(err);
        for (uint32_t c = 0; own->e && c < run->sep.scorers; c++)
            memcpy(e + c * run->sep.stride, own->e + c * own->room, before * sizeof *e);
        hsp__free(&run->ctx->allocator, own->e);
        own->e = e;
        own->room = run->sep.stride;
    }
    const double first = winnow_weight(own, 0, own->power);
    for (uint32_t c = 0; c < run->sep.scorers; c++) {
        for (uint64_t j = before; j < run->sep.features; j++)
            run->sep.weights[c * run->sep.stride + j] = first;
        if (!run->done.started) run->sep.offsets[c] = winnow_offset(own, c, 0);
    }
    return HSP_OK;
}

/* ---- The rule -------------------------------------------------------------------------------- */

/* Divide all weights and offsets by 2^power. They are always what winnow_weight makes of the exponents,
 * so that a run that goes on has the same ones. */
static void winnow_shrink(hsp__online *run, int power)
{
    winnow *own = run->state;
    hsp__online_separators *sep = &run->sep;
    assert(power > 0);
    for (uint32_t c = 0; c < sep->scorers; c++) {
        double *w = sep->weights + c * sep->stride;
        for (uint64_t j = 0; j < sep->features; j++)
            w[j] = winnow_weight(own, own->e[c * own->room + j], own->power + power);
        sep->offsets[c] = winnow_offset(own, c, own->power + power);
        for (uint64_t j = 0; sep->past && j < sep->features; j++)
            sep->past[c * sep->stride + j] = ldexp(sep->past[c * sep->stride + j], -power);
        if (sep->past) sep->past_offsets[c] = ldexp(sep->past_offsets[c], -power);
        if (sep->interleaved)
            hsp__interleaved_fill(sep->interleaved, sep->interleaved_at + c, w, sep->features);
    }
    own->power += power;
}

static double winnow_meant(const hsp__online *run, double score)
{
    const winnow *own = run->state;
    return own->power ? ldexp(score, own->power) : score;
}

static int winnow_power(const hsp__online *run)
{
    const winnow *own = run->state;
    return own->power;
}

static hsp_status winnow_step(hsp__online *run, const hsp_view *view, uint64_t i, uint32_t scorer,
                              double sign, hsp_error *err)
{
    winnow *own = run->state;
    assert(scorer < run->sep.scorers && (sign == 1 || sign == -1));
    const hsp__row row = hsp__view_row(view, i);
    double *e = own->e + scorer * own->room, most = 0; /* the exponents, and the largest of them */
    const int eliminates = own->variant == WINNOW_1 && sign < 0;
    for (uint64_t k = 0; k < row.count; k++) {
        const double x = hsp__row_value(view, &row, k);
        if (x == 0) continue;
        double *at = &e[hsp__row_column(&row, k)];
        if (!eliminates)
            *at += sign * x;
        else if (x > 0)
            *at = -DBL_MAX;
        most = fmax(most, own->variant == WINNOW_BALANCED ? fabs(*at) : *at);
    }
    if (own->constant) own->e_constant[scorer] += sign;
    if (own->constant) most = fmax(most, fabs(own->e_constant[scorer]));
    const double size = most * own->log2; /* log2 of the largest weight among those that change */
    if (size - own->power > WINNOW_LARGEST) winnow_shrink(run, (int)ceil(size) - own->power);
    for (uint64_t k = 0; k < row.count; k++) {
        const uint64_t j = hsp__row_column(&row, k);
        if (hsp__row_value(view, &row, k) == 0) continue;
        hsp__online_put(run, scorer, j, winnow_weight(own, e[j], own->power));
    }
    if (own->constant) hsp__online_put_offset(run, scorer, winnow_offset(own, scorer, own->power));
    own->promotions += sign > 0;
    own->demotions += sign < 0;
    return hsp__online_note(run, view, i, scorer, sign, err);
}

static hsp_status winnow_update(hsp__online *run, const hsp_view *view, uint64_t row,
                                uint32_t toward, uint32_t away, hsp_error *err)
{
    hsp_status status = HSP_OK;
    if (toward != HSP_NO_CLASS) status = winnow_step(run, view, row, toward, 1, err);
    if (!status && away != HSP_NO_CLASS) status = winnow_step(run, view, row, away, -1, err);
    return status;
}

/* ---- Going on -------------------------------------------------------------------------------- */

static void winnow_keep(const hsp__online *run, uint32_t scorer, double *state)
{
    const winnow *own = run->state;
    const double head[HSP__STATE_HEAD] = {(double)run->done.examples, own->power,
                                          own->e_constant[scorer], 0, own->theta};
    memcpy(state, head, sizeof head);
    memcpy(state + HSP__STATE_HEAD, own->e + scorer * own->room, run->sep.features * sizeof *state);
}

static void winnow_state(hsp__online *run, hsp__state *state)
{
    winnow *own = run->state;
    HSP__STATE(state, own->power);
    HSP__STATE(state, own->promotions);
    HSP__STATE(state, own->demotions);
    hsp__state_bytes(state, own->e, run->sep.scorers * own->room * sizeof *own->e);
    hsp__state_bytes(state, own->e_constant, run->sep.scorers * sizeof *own->e_constant);
}

static hsp_status winnow_resume(hsp__online *run, uint32_t scorer, uint64_t features,
                                uint64_t examples, const double *state, hsp_error *err)
{
    winnow *own = run->state;
    hsp__online_separators *sep = &run->sep;
    (void)examples;
    if (state[4] != own->theta)
        return hsp__fail_option(err, "--warm-start",
                                "the threshold of the model is %.9g and that of this run is %.9g; "
                                "set --threshold to the model's",
                                state[4], own->theta);
    if (!own->constant && state[2] != 0)
        return hsp__fail_option(
            err, "--warm-start",
            "the model has a column of ones (--offset unit); remove --offset none");
    int sound = state[0] >= 0 && state[0] < 0x1p52 && state[1] >= 0 && state[1] <= WINNOW_DEEPEST &&
                fabs(state[2]) * own->log2 <= WINNOW_DEEPEST;
    for (uint64_t j = 0; sound && j < features; j++) {
        const double e = own->e[scorer * own->room + j] = state[HSP__STATE_HEAD + j];
        sound = fabs(e) * own->log2 <= WINNOW_DEEPEST || e == -DBL_MAX;
    }
    if (sound) {
        run->done.examples = (uint64_t)state[0];
        own->power = (int)state[1];
        own->e_constant[scorer] = state[2];
        sep->offsets[scorer] = winnow_offset(own, scorer, own->power);
        sound = isfinite(sep->offsets[scorer]);
    }
    for (uint64_t j = 0; sound && j < sep->features; j++) {
        double *w = &sep->weights[scorer * sep->stride + j];
        *w = winnow_weight(own, own->e[scorer * own->room + j], own->power);
        sound = isfinite(*w);
    }
    return sound ? HSP_OK
                 : hsp__fail(err, HSP_BAD_DATA, "the warm-start model has an impossible state");
}

/* ---- Traces ---------------------------------------------------------------------------------- */

static const char *winnow_trace_head(const hsp__online *run)
{
    const winnow *own = run->state;
    return own->variant == WINNOW_BALANCED ? "promotions,demotions,ln_total,ln_total_bound"
                                           : "promotions,demotions,total,total_bound";
}

/* The sum of all weights compared with what the proof allows it to be (docs/winnow.md). */
static size_t winnow_trace(const hsp__online *run, double *values)
{
    const winnow *own = run->state;
    const double delta = own->alpha - 1, n = (double)run->sep.features, p = (double)own->promotions,
                 d = (double)own->demotions;
    const int balanced = own->variant == WINNOW_BALANCED;
    double total = 0;
    for (uint64_t j = 0; j < run->sep.features; j++) {
        total += winnow_raise(own, own->e[j], own->power);
        if (balanced) total += winnow_raise(own, -own->e[j], own->power);
    }
    values[0] = p;
    values[1] = d;
    if (balanced) {
        if (own->constant)
            total += winnow_raise(own, own->e_constant[0], own->power) +
                     winnow_raise(own, -own->e_constant[0], own->power);
        values[2] = log(total) + own->power * log(2);
        values[3] =
            log(2 * (n + own->constant)) + (p + d) * log1p(delta * delta / (2 * own->alpha));
        if (own->theta != 0) values[3] = (double)NAN; /* nothing is proven */
    } else {
        values[2] = ldexp(total, own->power);
        values[3] =
            n + own->theta * (delta * p - (own->variant == WINNOW_1 ? d : delta / own->alpha * d));
    }
    return 4;
}

static const hsp__online_rule winnow_rule = {.state_bytes = sizeof(winnow),
                                             .native = 1,
                                             .sided = 1,
                                             .unit_values = 1,
                                             .check = winnow_check,
                                             .init = winnow_init,
                                             .free = winnow_free,
                                             .grow = winnow_grow,
                                             .trace_head = winnow_trace_head,
                                             .trace = winnow_trace,
                                             .meant = winnow_meant,
                                             .power = winnow_power,
                                             .resume = winnow_resume,
                                             .keep = winnow_keep,
                                             .state = winnow_state,
                                             .update = winnow_update};

const hsp__learner hsp__learn_winnow = {
    .table = {"winnow", "multiplicative updates, for data where few of many columns matter",
              winnow_options, sizeof winnow_options / sizeof *winnow_options},
    .hypothesis = "linear",
    .fit = hsp__online_fit,
    .native = &hsp__online_native,
    .can_warm_start = 1,
    .can_checkpoint = 1,
    .rule = &winnow_rule};
