/* Experts: weighted majority.
 *
 * Problem. Every column j is an expert: on a row x it votes v_j(x) in {-1, 0, +1}, and 0 abstains.
 * By sign, v_j = sign(x_j); by bit, v_j = +1 where x_j > 0 and -1 elsewhere. With negations there
 * is a second expert a column, who votes -v_j. N experts in all; predict the labels y_t in {-1, +1}
 * of rows that come one after the other, nearly as well as the best of them.
 *
 * Prediction. s = sum of w_j v_j / sum of w_j, from -1 to 1, and the sign of s (0: the tie rule);
 * randomized: +1 with probability (1 + s) / 2.
 *
 * Update. After every row, whether the prediction was right or wrong: an expert that was wrong has
 * its weight multiplied by beta, one that abstained by sqrt(beta), one that was right keeps it. So
 *
 *     w_j = beta^(m_j)      m_j = times wrong + times silent / 2
 *
 * and what is kept is the whole number 2 m_j, so that nothing drifts or vanishes: weights are
 * beta^(m_j - least m), of which the largest is 1 after any number of rows. A negation has made
 * t - m_j mistakes after t rows.
 *
 * Guarantee. On any sequence of rows, in any order, with m* = min m_j,
 *
 *     mistakes               <=  (m* ln(1/beta) + ln N) / ln(2 / (1 + beta))
 *     expected, randomized   <=  (m* ln(1/beta) + ln N) / (1 - beta)
 *
 * Proof. W, the sum of weights, starts at N and ends above beta^(m*). Let q be the share of W that
 * was wrong, the weight of the silent counted half; as sqrt(beta) <= (1 + beta) / 2, a row leaves
 * at most 1 - (1 - beta) q of W. A mistake has q >= 1/2: W loses a factor (1 + beta) / 2 at least.
 * Randomized, q is the probability of a mistake, and ln(1 - (1 - beta) q) <= -(1 - beta) q.
 *
 * Model. Linear in votes: the scaling of the model makes them of numbers (data/scale.c). A bit is
 * 2 [x > 0] - 1, so that weights are 2 w_j and the offset is - sum of w_j there.
 *
 * Cost. O(non-zeros of the row + levels) a row (expert_weights.h): levels are the different numbers
 * of mistakes that matter relative to the least, some hundreds at beta = 1/2; at most the number of
 * columns. Memory: a number a column.
 *
 * Papers. N. Littlestone, M. Warmuth, The weighted majority algorithm, Information and Computation
 * 108 (1994). N. Cesa-Bianchi et al., How to use expert advice, JACM 44 (1997): chance. */
#include "base/base.h"
#include "base/decimal.h"
#include "base/random.h"
#include "base/text.h"
#include "data/scale.h"
#include "learn/online/online.h"
#include "learn/option_helpers.h"
#include "learn/shared_options.h"
#include "learn/online/online_fit.h"
#include "learn/online/expert_weights.h"
#include "learn/online/trace.h"
#include "model/model.h"

#define EXPERTS_SHOWN 16 /* this many have a column each in a trace */

typedef struct experts {
    hsp__expert_weights weights;
    int randomized;
    uint64_t seed;
    int shares; /* return shares of the weight, which several sets of experts can be compared by */
    int later_silent; /* columns that come later are silent at 0 */
    uint64_t mistakes;
    double expected, variance; /* of the number of mistakes, with chance */
    const hsp_data *data;      /* traces: whose columns have names */
} experts;

static const hsp_option experts_options[] = {
    {"beta", HSP_OPTION_REAL, "0.5", 1e-100, 0.999999999, NULL, "B",
     "factor on the weight of an expert that was wrong"},
    {"negated", HSP_OPTION_FLAG, NULL, 0, 0, NULL, NULL, "add the negation of every expert"},
    {"randomized", HSP_OPTION_FLAG, NULL, 0, 0, NULL, NULL,
     "follow one expert, drawn with probability proportional to its weight, instead of the "
     "weighted majority"},
    {"votes", HSP_OPTION_CHOICE, "auto", 0, 0, "auto|sign|bit", NULL,
     "how a column votes: sign: 0 abstains; bit: yes if above 0, else no; auto: bit for columns of "
     "0 and 1"},
    {"order", HSP_OPTION_CHOICE, "cyclic", 0, 0, "cyclic|shuffle", NULL,
     "order of the rows: as in the file, or shuffled in each pass"},
    {"passes", HSP_OPTION_INTEGER, "1", 1, 1e15, NULL, "T", "number of passes over the rows"},
    HSP__OPTION_MAX_SECONDS,
    HSP__OPTION_SCALE,
    HSP__OPTION_WARM_START,
    HSP__OPTION_TIE,
    HSP__OPTION_CALIBRATE,
    HSP__OPTION_CALIBRATE_FOLDS,
    HSP__OPTION_POSITIVE,
    HSP__OPTION_CLASSES,
    HSP__OPTION_SEED,
    {"trace", HSP_OPTION_TEXT, NULL, 0, 0, NULL, "FILE",
     "write one CSV line per row to this file, with the experts' weights"},
};

/* ---- Setting up ------------------------------------------------------------------------------ */

static hsp_status experts_check(const hsp_options *options, int streamed, hsp_error *err)
{
    if (streamed && hsp__option_is(options, "votes", "auto") &&
        !hsp_options_text(options, "warm-start"))
        return hsp__fail_option(err, "--votes",
                                "auto needs all rows to find the columns of 0 and 1; use sign or "
                                "bit, or train without --stream");
    return HSP_OK;
}

static hsp_status experts_grow(hsp__online *run, uint64_t before, hsp_error *err)
{
    experts *own = run->state;
    if (run->sep.features <= own->weights.count) return HSP_OK; /* init was here */
    if (own->weights.seen && !own->later_silent)
        return hsp__fail_option(err, "--votes",
                                "column %llu first appears after %llu rows; set --features to the "
                                "number of columns when streaming, or train without --stream",
                                (unsigned long long)before + 1,
                                (unsigned long long)own->weights.seen);
    return hsp__expert_weights_admit(&own->weights, run->sep.features, NULL, own->later_silent,
                                     err);
}

static hsp_status experts_init(hsp__online *run, const hsp_options *options,
                               const hsp__online_facts *facts, hsp_error *err)
{
    experts *own = run->state;
    const uint64_t features = run->sep.features;
    own->randomized = hsp_options_flag(options, "randomized");
    own->seed = run->plan.seed;
    own->shares = facts->classes > 2;
    own->later_silent = hsp__scaling_abstains(facts->votes, UINT64_MAX);
    HSP__TRY(hsp__expert_weights_init(&own->weights, &run->ctx->allocator,
                                      hsp_options_real(options, "beta"),
                                      hsp_options_flag(options, "negated"), err));
    if (own->randomized && facts->classes > 2)
        return hsp__fail_option(err, "--randomized",
                                "--randomized needs two classes, and the data has %u; choose them "
                                "with --positive or --classes",
                                (unsigned)facts->classes);
    if (facts->rows && features == 0)
        return hsp__fail(err, HSP_BAD_DATA, "the data has no columns, so there are no experts");
    /* the columns that are there at the start, each of its kind */
    unsigned char *silent = hsp__new_raw(&run->ctx->allocator, features, sizeof *silent);
    if (!silent) return hsp__fail_memory(err);
    for (uint64_t j = 0; j < features; j++)
        silent[j] = hsp__scaling_abstains(facts->votes, j) != 0;
    hsp_status status = hsp__expert_weights_admit(&own->weights, features, silent, 0, err);
    hsp__free(&run->ctx->allocator, silent);
    return status;
}

static void experts_free(hsp__online *run)
{
    experts *own = run->state;
    if (own->weights.table)
        hsp__expert_weights_free(&own->weights); /* else init did not come so far */
}

/* ---- The rule -------------------------------------------------------------------------------- */

static double experts_score(hsp__online *run, const hsp_view *view, uint64_t row)
{
    const experts *own = run->state;
    return hsp__expert_weights_score(&own->weights, view, row);
}

static hsp_status experts_update(hsp__online *run, const hsp_view *view, uint64_t row,
                                 uint32_t toward, uint32_t away, hsp_error *err)
{
    experts *own = run->state;
    const int positive = away == HSP_NO_CLASS;
    const double score = run->scores[0];
    uint64_t wrong = hsp__decide(&score, 1, run->plan.tie) != (uint32_t)positive;
    int changed = 0;
    (void)toward;
    if (own->randomized) {
        hsp__random random;
        const double chance = fmin(1, fmax(0, (positive ? 1 - score : 1 + score) / 2));
        hsp__random_seed(&random, own->seed,
                         UINT64_MAX - own->weights.seen); /* away from those of shuffling */
        own->expected += chance;
        own->variance += chance * (1 - chance);
        wrong = hsp__random_unit(&random) < chance;
    }
    hsp_status status =
        hsp__expert_weights_learn(&own->weights, view, row, positive, &changed, err);
    own->mistakes += wrong;
    run->done.mistakes += wrong;
    run->done.updates += (uint64_t)changed;
    if (run->done.passes == 1) run->done.first_wrong += wrong;
    return status;
}

/* ---- What came of it ------------------------------------------------------------------------- */

static void experts_result(const hsp__online *run, double *w, double *b)
{
    const experts *own = run->state;
    const hsp__expert_weights *weights = &own->weights;
    const double all = own->shares ? hsp__expert_weights_total(weights) : 1;
    *b = 0;
    for (uint64_t j = 0; j < weights->count; j++) {
        double other, net = hsp__expert_weights_weights(weights, j, &other);
        net = (net - other) / all;
        w[j] = weights->silent[j] ? net : 2 * net;
        if (!weights->silent[j]) *b -= net;
    }
    for (uint64_t j = weights->count; j < run->sep.features; j++)
        w[j] = 0;
}

/* ---- Going on -------------------------------------------------------------------------------- */

static void experts_keep(const hsp__online *run, uint32_t scorer, double *state)
{
    const experts *own = run->state;
    (void)scorer;
    const hsp__expert_weights *weights = &own->weights;
    const double head[HSP__STATE_HEAD] = {(double)weights->seen, (double)weights->positive,
                                          (double)own->mistakes, own->expected, own->variance};
    memcpy(state, head, sizeof head);
    for (uint64_t j = 0; j < run->sep.features; j++)
        state[HSP__STATE_HEAD + j] = j < weights->count ? (double)weights->drift[j] : 0;
}

static hsp_status experts_resume(hsp__online *run, uint32_t scorer, uint64_t features,
                                 uint64_t examples, const double *state, hsp_error *err)
{
    experts *own = run->state;
    (void)scorer, (void)examples;
    own->mistakes = (uint64_t)fmax(0, state[2]);
    own->expected = state[3];
    own->variance = state[4];
    return hsp__expert_weights_restore(&own->weights, state[0], state[1], state + HSP__STATE_HEAD,
                                       features, err);
}

static uint64_t experts_count(const experts *own)
{
    return own->weights.count * (own->weights.negated ? 2 : 1);
}

/* The theorem's right side. */
static double experts_bound(double beta, int randomized, double best_mistakes, uint64_t count)
{
    const double top = best_mistakes * -log(beta) + log((double)count);
    return top / (randomized ? 1 - beta : -log1p((beta - 1) / 2));
}

static void experts_report(const hsp__online *run, hsp_training *out)
{
    const experts *own = run->state;
    hsp_experts_report *report = &out->experts;
    *report = (hsp_experts_report){.count = experts_count(own),
                                   .examples = own->weights.seen,
                                   .several = own->shares,
                                   .randomized = own->randomized};
    if (own->shares || report->count == 0) return;
    uint64_t half;
    report->best = hsp__expert_weights_best(&own->weights, &report->negated, &half);
    report->best_mistakes = (double)half / 2;
    report->best_share = 1 / hsp__expert_weights_total(&own->weights);
    report->mistakes = own->mistakes;
    report->expected = own->randomized ? own->expected : (double)own->mistakes;
    report->deviation = sqrt(own->variance);
    report->bound =
        experts_bound(own->weights.beta, own->randomized, report->best_mistakes, report->count);
    /* rounding is no mistake: the sums above carry a little of it */
    report->held = report->expected <= report->bound + 1e-9 * (1 + report->bound);
}

/* ---- Traces ---------------------------------------------------------------------------------- */

/* What is between quotes in CSV. */
static void experts_put_inside(const char *name, hsp__text *text)
{
    for (; *name; name++) {
        if (*name == '"') hsp__text_puts(text, "\"");
        hsp__text_add(text, name, 1);
    }
}

/* An expert's name as a field of CSV. */
static void experts_put_name(const experts *own, uint64_t j, int negated, const char *before,
                             hsp__text *text)
{
    const char *name = own->data ? hsp_data_feature_name(own->data, j) : NULL;
    hsp__text_puts(text, ",\"");
    hsp__text_puts(text, before);
    hsp__text_puts(text, negated ? "not " : "");
    if (name)
        experts_put_inside(name, text);
    else
        hsp__text_printf(text, "%llu", (unsigned long long)j + 1);
    hsp__text_puts(text, "\"");
}

static void experts_lines_head(const hsp__online *run, const hsp_data *data, hsp__text *text)
{
    experts *own = run->state;
    const uint64_t shown = experts_count(own) <= EXPERTS_SHOWN ? own->weights.count : 0;
    own->data = data;
    hsp__text_puts(text, "example,pass,row,class,score,mistakes,bound,best,best_mistakes,"
                         "best_share,spread");
    for (uint64_t j = 0; j < shown; j++)
        for (int other = 0; other <= own->weights.negated; other++)
            experts_put_name(own, j, other, "share of ", text);
    hsp__text_puts(text, "\n");
}

static void experts_lines_row(const hsp__online *run, uint64_t row, double score, hsp__text *text)
{
    const experts *own = run->state;
    const uint64_t count = own->weights.count,
                   shown = experts_count(own) <= EXPERTS_SHOWN ? count : 0;
    int negated;
    uint64_t half;
    const uint64_t best = hsp__expert_weights_best(&own->weights, &negated, &half);
    double all = 0, logs = 0; /* sums of w, and of w ln w */
    assert(count > 0);
    for (uint64_t j = 0; j < count; j++) {
        double other, weight = hsp__expert_weights_weights(&own->weights, j, &other);
        all += weight + other;
        if (weight > 0) logs += weight * log(weight);
        if (other > 0) logs += other * log(other);
    }
    hsp__text_printf(text, "%llu,%llu,%llu,\"", (unsigned long long)own->weights.seen,
                     (unsigned long long)run->done.passes, (unsigned long long)row + 1);
    experts_put_inside(hsp_data_class_name(own->data, own->data->view.labels[row]), text);
    hsp__text_puts(text, "\"");
    hsp__trace_put(text, score);
    hsp__text_printf(text, ",%llu", (unsigned long long)own->mistakes);
    hsp__trace_put(text, experts_bound(own->weights.beta, own->randomized, (double)half / 2,
                                       experts_count(own)));
    experts_put_name(own, best, negated, "", text);
    hsp__trace_put(text, (double)half / 2);
    hsp__trace_put(text, 1 / all);
    hsp__trace_put(text, exp(log(all) - logs / all)); /* experts of equal weight as undecided */
    for (uint64_t j = 0; j < shown; j++) {
        double other, weight = hsp__expert_weights_weights(&own->weights, j, &other);
        hsp__trace_put(text, weight / all);
        if (own->weights.negated) hsp__trace_put(text, other / all);
    }
    hsp__text_puts(text, "\n");
}

/* ---- The table ------------------------------------------------------------------------------- */

static const hsp__online_rule experts_rule = {.state_bytes = sizeof(experts),
                                              .check = experts_check,
                                              .init = experts_init,
                                              .free = experts_free,
                                              .update = experts_update,
                                              .sided = 1,
                                              .grow = experts_grow,
                                              .score = experts_score,
                                              .keep = experts_keep,
                                              .resume = experts_resume,
                                              .result = experts_result,
                                              .report = experts_report,
                                              .lines_head = experts_lines_head,
                                              .lines_row = experts_lines_row};

const hsp__learner hsp__learn_experts = {
    .table = {"experts", "weighted majority of experts: every column is an expert", experts_options,
              sizeof experts_options / sizeof *experts_options},
    .hypothesis = "linear",
    .fit = hsp__online_fit,
    .native = &hsp__online_native,
    .can_warm_start = 1,
    .rule = &experts_rule};
