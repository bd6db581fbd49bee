/* The panel of experts: weighted majority.
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
 * Cost. O(N) a row; a number a column.
 *
 * Papers. N. Littlestone, M. Warmuth, The weighted majority algorithm, Information and Computation
 * 108 (1994). N. Cesa-Bianchi et al., How to use expert advice, JACM 44 (1997): chance. */
#include "learn/experts.h"

#include <math.h>
#include <string.h>

#include "base/context.h"
#include "base/decimal.h"
#include "base/error.h"
#include "base/memory.h"
#include "base/random.h"
#include "base/text.h"
#include "data/scale.h"
#include "learn/online.h"
#include "learn/shared_options.h"
#include "learn/train.h"
#include "model/model.h"

#define EXPERTS_TABLE 65536 /* weights that are looked up; those of more mistakes are computed */
#define EXPERTS_SHOWN 16    /* so many have a column each in a trace */

typedef struct experts {
    double beta;
    double log_root; /* ln sqrt(beta) */
    int negated, randomized;
    uint64_t seed;
    int shares; /* hand over shares of the weight, which several panels can be compared by */

    uint64_t count;        /* columns: experts without their negations */
    uint64_t *half;        /* count: 2 m_j */
    unsigned char *silent; /* count: a 0 abstains; else it says no */
    signed char *vote;     /* count: on the row at hand */
    int later_silent;      /* the same of columns that come later */
    uint64_t least;        /* the smallest 2 m of all experts, negations too */
    double *table;         /* table_count: sqrt(beta)^k */
    uint64_t table_count;

    uint64_t seen; /* rows so far */
    uint64_t mistakes;
    double expected, variance; /* of the number of mistakes; of a run without chance: unused */
    const hsp_data *data;      /* traces: whose columns have names */
} experts;

static const hsp_option experts_options[] = {
    {"beta", HSP_OPTION_REAL, "0.5", 1e-100, 0.999999999, NULL, "B",
     "what the weight of an expert that was wrong is multiplied by"},
    {"negated", HSP_OPTION_FLAG, NULL, 0, 0, NULL, NULL,
     "add the negation of every expert to the panel"},
    {"randomized", HSP_OPTION_FLAG, NULL, 0, 0, NULL, NULL,
     "follow one expert, drawn by weight, instead of the majority of weight"},
    {"votes", HSP_OPTION_CHOICE, "auto", 0, 0, "auto|sign|bit", NULL,
     "sign: 0 abstains; bit: above 0 is yes, else no; auto: bit for columns of 0 and 1"},
    {"order", HSP_OPTION_CHOICE, "cyclic", 0, 0, "cyclic|shuffle", NULL,
     "rows in turn, or in turn shuffled"},
    {"passes", HSP_OPTION_INTEGER, "1", 1, 1e15, NULL, "T", "so many passes over the rows"},
    HSP__OPTION_MAX_SECONDS,
    HSP__OPTION_SCALE,
    HSP__OPTION_TIE,
    HSP__OPTION_CALIBRATE,
    HSP__OPTION_CALIBRATE_FOLDS,
    HSP__OPTION_POSITIVE,
    HSP__OPTION_CLASSES,
    HSP__OPTION_SEED,
    {"trace", HSP_OPTION_TEXT, NULL, 0, 0, NULL, "FILE",
     "write a CSV line for every row: where the weight is"},
};

/* ---- Setting up ------------------------------------------------------------------------------ */

static hsp_status experts_check(const hsp_options *options, int streamed, hsp_error *err)
{
    if (streamed && strcmp(hsp_options_text(options, "votes"), "auto") == 0)
        return hsp__fail_at(err, HSP_USAGE, "--votes", 0, 0,
                            "which columns hold 0 and 1 only needs all rows at once: use sign or "
                            "bit, or read the file whole");
    return HSP_OK;
}

static int experts_wants_radius(const hsp_options *options)
{
    (void)options;
    return 0;
}

/* The weights of few mistakes, up to those that vanish beside 1. */
static hsp_status experts_tabulate(hsp__online *run, experts *own, hsp_error *err)
{
    const double vanish = 746 / -own->log_root; /* exp(-746) is 0 */
    own->table_count = vanish < EXPERTS_TABLE ? (uint64_t)vanish + 2 : EXPERTS_TABLE;
    own->table = hsp__new_raw(&run->ctx->allocator, own->table_count, sizeof *own->table);
    if (!own->table) return hsp__fail_memory(err);
    /* Whole mistakes by pow, so that the weights of beta = 1/2 are powers of 2 to the bit. */
    for (uint64_t k = 0; k < own->table_count; k++)
        own->table[k] = pow(own->beta, (double)(k / 2)) * (k % 2 ? sqrt(own->beta) : 1);
    return HSP_OK;
}

/* Room for more columns. Those that come late were 0 until now: silent, which is no news to those
 * who voted, or of one word with all who said no, which is. */
static hsp_status experts_room(hsp__online *run, experts *own, uint64_t count, hsp_error *err)
{
    const hsp_allocator *memory = &run->ctx->allocator;
    uint64_t *half = hsp__resize(memory, own->half, count, sizeof *half);
    if (half) own->half = half;
    unsigned char *silent = hsp__resize(memory, own->silent, count, sizeof *silent);
    if (silent) own->silent = silent;
    signed char *vote = hsp__resize(memory, own->vote, count, sizeof *vote);
    if (vote) own->vote = vote;
    if (!half || !silent || !vote) return hsp__fail_memory(err);
    for (uint64_t j = own->count; j < count; j++) {
        half[j] = own->seen;
        silent[j] = 1;
        vote[j] = 0;
    }
    own->count = count;
    return HSP_OK;
}

static hsp_status experts_grow(hsp__online *run, uint64_t before, hsp_error *err)
{
    experts *own = run->state;
    if (run->features <= own->count) return HSP_OK; /* init was here */
    if (own->seen && own->later_silent == 0)
        return hsp__fail_at(err, HSP_USAGE, "--votes", 0, 0,
                            "column %llu comes after %llu rows on which its bit was 0 and its "
                            "expert said no, unheard: say how many columns there are (features), "
                            "or read the file whole",
                            (unsigned long long)own->count + 1, (unsigned long long)own->seen);
    hsp_status status = experts_room(run, own, run->features, err);
    for (uint64_t j = before; !status && j < own->count; j++)
        own->silent[j] = own->later_silent != 0;
    if (!status && own->seen < own->least) own->least = own->seen; /* what silence costs */
    return status;
}

static hsp_status experts_init(hsp__online *run, const hsp_options *options,
                               const hsp__online_facts *facts, hsp_error *err)
{
    experts *own = run->state;
    own->beta = hsp_options_real(options, "beta");
    own->log_root = log(own->beta) / 2;
    own->negated = hsp_options_flag(options, "negated");
    own->randomized = hsp_options_flag(options, "randomized");
    own->seed = run->plan.seed;
    own->shares = facts->classes > 2;
    own->later_silent = hsp__scaling_abstains(facts->votes, UINT64_MAX);
    if (own->randomized && facts->classes > 2)
        return hsp__fail_at(err, HSP_USAGE, "--randomized", 0, 0,
                            "chance decides between two classes, here are %u: choose with positive "
                            "or classes",
                            (unsigned)facts->classes);
    if (facts->rows && run->features == 0)
        return hsp__fail(err, HSP_BAD_DATA, "the data has no columns: there is no expert");
    hsp_status status = experts_room(run, own, run->features, err);
    for (uint64_t j = 0; !status && j < own->count; j++)
        own->silent[j] = hsp__scaling_abstains(facts->votes, j) != 0;
    return status ? status : experts_tabulate(run, own, err);
}

static void experts_free(hsp__online *run)
{
    experts *own = run->state;
    hsp__free(&run->ctx->allocator, own->half);
    hsp__free(&run->ctx->allocator, own->silent);
    hsp__free(&run->ctx->allocator, own->vote);
    hsp__free(&run->ctx->allocator, own->table);
}

/* ---- The rule -------------------------------------------------------------------------------- */

/* beta^(half / 2), beside that of the best. */
static inline double experts_weight(const experts *own, uint64_t half)
{
    const uint64_t k = half - own->least;
    return k < own->table_count ? own->table[k] : exp((double)k * own->log_root);
}

/* The same of a column's expert; of its negation into *other, 0 when that is not there. */
static inline double experts_weights(const experts *own, uint64_t j, double *other)
{
    *other = own->negated ? experts_weight(own, 2 * own->seen - own->half[j]) : 0;
    return experts_weight(own, own->half[j]);
}

static void experts_listen(experts *own, const hsp_view *view, uint64_t i)
{
    const hsp__row row = hsp__view_row(view, i);
    for (uint64_t j = 0; j < own->count; j++)
        own->vote[j] = own->silent[j] ? 0 : -1;
    for (uint64_t k = 0; k < row.count; k++) {
        const double x = hsp__row_value(view, &row, k);
        if (x != 0) own->vote[hsp__row_column(&row, k)] = x > 0 ? 1 : -1;
    }
}

static double experts_score(hsp__online *run, const hsp_view *view, uint64_t row)
{
    experts *own = run->state;
    double says = 0, all = 0;
    experts_listen(own, view, row);
    for (uint64_t j = 0; j < own->count; j++) {
        double other, weight = experts_weights(own, j, &other);
        says += (weight - other) * own->vote[j];
        all += weight + other;
    }
    return all > 0 ? says / all : 0;
}

/* Was the prediction a mistake? With chance, one is made here. */
static int experts_wrong(hsp__online *run, experts *own, double score, int positive)
{
    if (!own->randomized) {
        const uint32_t said = hsp__decide(&score, 1, run->plan.tie);
        return said != (uint32_t)positive;
    }
    hsp__random random;
    const double chance = (positive ? 1 - score : 1 + score) / 2;
    hsp__random_seed(&random, own->seed, UINT64_MAX - own->seen); /* away from those of shuffling */
    own->expected += chance;
    own->variance += chance * (1 - chance);
    return hsp__random_unit(&random) < chance;
}

/* The row was scored last: its votes are there. */
static hsp_status experts_update(hsp__online *run, const hsp_view *view, uint64_t row,
                                 uint32_t toward, uint32_t away, hsp_error *err)
{
    experts *own = run->state;
    const int positive = away == HSP_NO_CLASS, y = positive ? 1 : -1;
    const uint64_t wrong = (uint64_t)experts_wrong(run, own, run->scores[0], positive);
    uint64_t least = UINT64_MAX, most = 0;
    int changed = own->negated && own->count;
    (void)view, (void)row, (void)toward, (void)err;
    own->seen++;
    for (uint64_t j = 0; j < own->count; j++) {
        const uint64_t loss = (uint64_t)(1 - y * own->vote[j]); /* 0 right, 1 silent, 2 wrong */
        const uint64_t half = own->half[j] += loss;
        changed |= loss != 0;
        if (half < least) least = half;
        if (half > most) most = half;
    }
    if (own->negated && 2 * own->seen - most < least) least = 2 * own->seen - most;
    own->least = own->count ? least : 0;
    own->mistakes += wrong;
    run->mistakes += wrong;
    run->updates += (uint64_t)changed;
    if (run->passes == 1) run->first_wrong += wrong;
    return HSP_OK;
}

/* ---- What came of it ------------------------------------------------------------------------- */

static void experts_result(const hsp__online *run, double *w, double *b)
{
    const experts *own = run->state;
    double all = 1;
    *b = 0;
    if (own->shares) {
        all = 0;
        for (uint64_t j = 0; j < own->count; j++) {
            double other;
            all += experts_weights(own, j, &other);
            all += other;
        }
    }
    for (uint64_t j = 0; j < own->count; j++) {
        double other, net = experts_weights(own, j, &other);
        net = (net - other) / all;
        w[j] = own->silent[j] ? net : 2 * net;
        if (!own->silent[j]) *b -= net;
    }
    for (uint64_t j = own->count; j < run->features; j++)
        w[j] = 0;
}

/* The expert with the fewest mistakes, the first among equals: *half of them. */
static uint64_t experts_best(const experts *own, int *negated, uint64_t *half)
{
    uint64_t best = 0;
    *half = UINT64_MAX;
    *negated = 0;
    for (uint64_t j = 0; j < own->count; j++)
        for (int other = 0; other <= own->negated; other++) {
            const uint64_t made = other ? 2 * own->seen - own->half[j] : own->half[j];
            if (made >= *half) continue;
            *half = made;
            *negated = other;
            best = j;
        }
    return best;
}

double hsp__experts_bound(double beta, int randomized, double best_mistakes, uint64_t count)
{
    const double top = best_mistakes * -log(beta) + log((double)count);
    return top / (randomized ? 1 - beta : -log1p((beta - 1) / 2));
}

static void experts_report(const hsp__online *run, hsp_training *out)
{
    const experts *own = run->state;
    hsp_panel *panel = &out->panel;
    *panel = (hsp_panel){.experts = own->count * (own->negated ? 2 : 1),
                         .examples = own->seen,
                         .several = own->shares,
                         .randomized = own->randomized};
    if (own->shares || own->count == 0) return;
    uint64_t half;
    double all = 0;
    panel->best = experts_best(own, &panel->negated, &half);
    for (uint64_t j = 0; j < own->count; j++) {
        double other;
        all += experts_weights(own, j, &other);
        all += other;
    }
    panel->best_mistakes = (double)half / 2;
    panel->best_share = 1 / all;
    panel->mistakes = own->mistakes;
    panel->expected = own->randomized ? own->expected : (double)own->mistakes;
    panel->deviation = sqrt(own->variance);
    panel->bound =
        hsp__experts_bound(own->beta, own->randomized, panel->best_mistakes, panel->experts);
    /* rounding is no mistake: the sums above carry a little of it */
    panel->held = panel->expected <= panel->bound + 1e-9 * (1 + panel->bound);
}

/* ---- Traces ---------------------------------------------------------------------------------- */

static void experts_put(hsp__text *text, double value)
{
    char number[HSP__DECIMAL_MAX];
    hsp__decimal_print_f64(value, number);
    hsp__text_puts(text, ",");
    hsp__text_puts(text, number);
}

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

static int experts_shown(const experts *own)
{
    return own->count * (own->negated ? 2 : 1) <= EXPERTS_SHOWN;
}

static void experts_lines_head(const hsp__online *run, const hsp_data *data, hsp__text *text)
{
    experts *own = run->state;
    own->data = data;
    hsp__text_puts(text, "example,pass,row,class,score,mistakes,bound,best,best_mistakes,"
                         "best_share,spread");
    for (uint64_t j = 0; experts_shown(own) && j < own->count; j++)
        for (int other = 0; other <= own->negated; other++)
            experts_put_name(own, j, other, "share of ", text);
    hsp__text_puts(text, "\n");
}

/* Sum of weights, and of w ln w. */
static double experts_total(const experts *own, double *logs)
{
    double all = 0;
    *logs = 0;
    for (uint64_t j = 0; j < own->count; j++) {
        double other, weight = experts_weights(own, j, &other);
        all += weight + other;
        if (weight > 0) *logs += weight * log(weight);
        if (other > 0) *logs += other * log(other);
    }
    return all;
}

static void experts_lines_row(const hsp__online *run, uint64_t row, double score, hsp__text *text)
{
    const experts *own = run->state;
    int negated;
    uint64_t half;
    const uint64_t best = experts_best(own, &negated, &half);
    double logs, all = experts_total(own, &logs);
    const uint64_t panel = own->count * (own->negated ? 2 : 1);
    hsp__text_printf(text, "%llu,%llu,%llu,", (unsigned long long)own->seen,
                     (unsigned long long)run->passes, (unsigned long long)row + 1);
    hsp__text_puts(text, "\"");
    experts_put_inside(hsp_data_class_name(own->data, own->data->view.labels[row]), text);
    hsp__text_puts(text, "\"");
    experts_put(text, score);
    hsp__text_printf(text, ",%llu", (unsigned long long)own->mistakes);
    experts_put(text, hsp__experts_bound(own->beta, own->randomized, (double)half / 2, panel));
    experts_put_name(own, best, negated, "", text);
    experts_put(text, (double)half / 2);
    experts_put(text, 1 / all);
    experts_put(text,
                exp(log(all) - logs / all)); /* experts of equal weight as undecided as these */
    for (uint64_t j = 0; experts_shown(own) && j < own->count; j++) {
        double other, weight = experts_weights(own, j, &other);
        experts_put(text, weight / all);
        if (own->negated) experts_put(text, other / all);
    }
    hsp__text_puts(text, "\n");
}

/* ---- The table ------------------------------------------------------------------------------- */

static const hsp__online_rule experts_rule = {.state_bytes = sizeof(experts),
                                              .check = experts_check,
                                              .wants_radius = experts_wants_radius,
                                              .init = experts_init,
                                              .free = experts_free,
                                              .update = experts_update,
                                              .sided = 1,
                                              .grow = experts_grow,
                                              .score = experts_score,
                                              .result = experts_result,
                                              .report = experts_report,
                                              .lines_head = experts_lines_head,
                                              .lines_row = experts_lines_row};

extern const hsp__learner hsp__learn_experts;

static hsp_status experts_train(hsp_context *ctx, hsp_data *data, const hsp_options *options,
                                const hsp_model *start, hsp_error *err, hsp_training *run,
                                hsp_model **out)
{
    (void)start; /* a panel begins with equal weights */
    return hsp__online_train(ctx, data, &hsp__learn_experts, options, err, run, out);
}

const hsp__learner hsp__learn_experts = {
    .table = {"experts", "every column is an expert; their weighted majority decides",
              experts_options, sizeof experts_options / sizeof *experts_options},
    .hypothesis = "linear",
    .train = experts_train,
    .rule = &experts_rule};
