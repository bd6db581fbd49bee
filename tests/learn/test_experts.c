/* Experts against an implementation written down from the definition: votes one by one, weights
 * multiplied as they lose, sums in long double. The bounds are held against thousands of runs, on
 * rows of chance and on rows that an adversary labels. */
#include <math.h>
#include <unistd.h>

#include "base/context.h"
#include "data/data.h"
#include "learn/machine.h"
#include "model/model.h"

enum { PANEL_ROWS = 64, PANEL_COLS = 7 };

typedef struct panel_set {
    int n, d;
    double x[PANEL_ROWS][PANEL_COLS];
    int label[PANEL_ROWS];
} panel_set;

typedef struct panel_plan {
    double beta;
    int negated, randomized, bits; /* bits: -1 auto, 0 sign, 1 bit */
    hsp_tie tie;
    int passes;
    hsp_storage storage;
} panel_plan;

typedef struct panel_run {
    int experts, examples, mistakes, close; /* close: decisions that rounding could turn */
    double expected;                        /* sum of the shares that were wrong */
    double best;                            /* m* */
    long double lost[2 * PANEL_COLS];       /* m of each; negations in the second half */
} panel_run;

static int panel_is_bit(const panel_set *set, const panel_plan *plan, int j)
{
    if (plan->bits >= 0) return plan->bits;
    for (int i = 0; i < set->n; i++)
        if (set->x[i][j] != 0 && set->x[i][j] != 1) return 0;
    return 1;
}

static int panel_vote(const panel_set *set, const panel_plan *plan, int i, int e)
{
    const int j = e % set->d;
    const double x = set->x[i][j];
    int vote = x > 0 ? 1 : x < 0 ? -1 : 0;
    if (panel_is_bit(set, plan, j)) vote = x > 0 ? 1 : -1;
    return e < set->d ? vote : -vote;
}

/* One row: the share of weight for the second class less that for the first. */
static long double panel_score(const panel_set *set, const panel_plan *plan, const panel_run *run,
                               int i)
{
    long double says = 0, all = 0, least = run->lost[0];
    for (int e = 1; e < run->experts; e++)
        least = fminl(least, run->lost[e]);
    for (int e = 0; e < run->experts; e++) {
        const long double w = powl((long double)plan->beta, run->lost[e] - least);
        says += w * panel_vote(set, plan, i, e);
        all += w;
    }
    return says / all;
}

static int panel_wrong(const panel_plan *plan, long double score, int label)
{
    if (score == 0 || fabsl(score) < 1e-13L) /* the panel that is tested is asked for the rest */
        return plan->tie == HSP_TIE_ZERO || (plan->tie == HSP_TIE_POS) != label;
    return (score > 0) != label;
}

static void panel_lose(const panel_set *set, const panel_plan *plan, panel_run *run, int i)
{
    for (int e = 0; e < run->experts; e++)
        run->lost[e] += (1 - (set->label[i] ? 1 : -1) * panel_vote(set, plan, i, e)) / 2.0L;
}

static void panel_naive(const panel_set *set, const panel_plan *plan, panel_run *run)
{
    *run = (panel_run){.experts = plan->negated ? 2 * set->d : set->d};
    for (int pass = 0; pass < plan->passes; pass++)
        for (int i = 0; i < set->n; i++) {
            const long double score = panel_score(set, plan, run, i);
            run->mistakes += panel_wrong(plan, score, set->label[i]);
            run->close += fabsl(score) < 1e-13L;
            run->expected += (double)((1 - (set->label[i] ? score : -score)) / 2);
            panel_lose(set, plan, run, i);
            run->examples++;
        }
    run->best = (double)run->lost[0];
    for (int e = 1; e < run->experts; e++)
        run->best = fmin(run->best, (double)run->lost[e]);
}

static double panel_bound(const panel_plan *plan, const panel_run *run)
{
    const double top = run->best * log(1 / plan->beta) + log(run->experts);
    return plan->randomized ? top / (1 - plan->beta) : top / log(2 / (1 + plan->beta));
}

/* ---- The library's ---- */

static hsp_data *panel_data(hsp_context *ctx, const panel_set *set, hsp_storage storage)
{
    static const char *const classes[] = {"no", "yes"};
    static const char *const columns[] = {"a", "b", "c", "d", "e", "f", "g"};
    double values[PANEL_ROWS * PANEL_COLS];
    uint64_t starts[PANEL_ROWS + 1] = {0}, used = 0;
    uint32_t indices[PANEL_ROWS * PANEL_COLS], labels[PANEL_ROWS];
    for (int i = 0; i < set->n; i++) {
        for (int j = 0; j < set->d; j++) {
            if (storage != HSP_DENSE && set->x[i][j] == 0) continue;
            indices[used] = (uint32_t)j;
            values[used++] = set->x[i][j];
        }
        starts[i + 1] = used;
        labels[i] = (uint32_t)set->label[i];
    }
    const uint64_t n = (uint64_t)set->n, d = (uint64_t)set->d;
    hsp_view view = storage == HSP_DENSE
                        ? hsp_view_dense(HSP_FLOAT64, n, d, d, values)
                        : hsp_view_sparse(HSP_FLOAT64, n, d, 8, starts, indices, values);
    hsp_data *data = NULL;
    view.labels = labels;
    view.classes = 2;
    if (hsp_data_copy(ctx, &view, classes, columns, NULL, &data)) abort();
    return data;
}

static hsp_model *panel_train(hsp_context *ctx, const panel_set *set, const panel_plan *plan,
                              const char *more, hsp_training *run)
{
    static const char *const votes[] = {"auto", "sign", "bit"};
    char settings[256];
    hsp_data *data = panel_data(ctx, set, plan->storage);
    snprintf(settings, sizeof settings,
             "beta=%.17g negated=%s randomized=%s votes=%s tie=%s passes=%d %s", plan->beta,
             plan->negated ? "yes" : "no", plan->randomized ? "yes" : "no", votes[plan->bits + 1],
             hsp_tie_name(plan->tie), plan->passes, more);
    hsp_model *model = machine_train(ctx, data, "experts", settings, run);
    hsp_data_free(data);
    return model;
}

/* Weights and offset: those of the definition, relative to that of the best. */
static void panel_compare_weights(const panel_set *set, const panel_plan *plan,
                                  const panel_run *naive, const hsp_model *model)
{
    const double *w = hsp_model_weights(model, 0);
    double offset = 0;
    for (int j = 0; j < set->d; j++) {
        const long double beta = (long double)plan->beta;
        long double net = powl(beta, naive->lost[j] - (long double)naive->best);
        if (plan->negated) net -= powl(beta, naive->lost[set->d + j] - (long double)naive->best);
        const int bit = panel_is_bit(set, plan, j);
        if (bit) offset -= (double)net;
        CHECK_NOTE(fabs(w[j] - (double)(bit ? 2 * net : net)) <= 1e-12, "%d: %.17g", j, w[j]);
    }
    CHECK(fabs(hsp_model_offset(model, 0) - offset) <= 1e-12);
}

/* A run compared with the definition's, and both with the bound. */
static void panel_check(hsp_context *ctx, const panel_set *set, const panel_plan *plan)
{
    panel_run naive;
    hsp_training run = {.size = sizeof run};
    panel_naive(set, plan, &naive);
    hsp_model *model = panel_train(ctx, set, plan, "", &run);
    const hsp_experts_report *panel = &run.experts;
    const double bound = panel_bound(plan, &naive);
    CHECK(panel->count == (uint64_t)naive.experts && panel->examples == (uint64_t)naive.examples);
    CHECK_NOTE(panel->best_mistakes == naive.best, "%g, not %g", panel->best_mistakes, naive.best);
    CHECK((double)naive.lost[panel->best + (panel->negated ? (uint64_t)set->d : 0)] == naive.best);
    CHECK_NOTE(fabs(panel->bound - bound) <= 1e-6 * bound, "%.17g %.17g", panel->bound, bound);
    CHECK(panel->held);
    CHECK_NOTE(panel->expected <= bound * (1 + 1e-6), "%g > %g: beta %g", panel->expected, bound,
               plan->beta);
    if (plan->randomized) {
        CHECK(fabs(panel->expected - naive.expected) <= 1e-9 * (1 + naive.expected));
    } else {
        const int apart = (int)panel->mistakes - naive.mistakes;
        CHECK_NOTE(abs(apart) <= naive.close, "%d, not %d", (int)panel->mistakes, naive.mistakes);
        CHECK((double)panel->mistakes <= bound * (1 + 1e-6));
        CHECK(panel->expected == (double)panel->mistakes);
    }
    panel_compare_weights(set, plan, &naive, model);
    hsp_model_free(model);
}

/* ---- Rows of chance ---- */

static void panel_random(hsp__random *random, panel_set *set, panel_plan *plan)
{
    static const double betas[] = {0.5, 0.25, 0.9, 0.01, 1e-6, 0.999, 1e-100, 0.999999999};
    const int kind = (int)hsp__random_below(random, 3);
    *set = (panel_set){.n = 2 + (int)hsp__random_below(random, PANEL_ROWS - 2),
                       .d = 1 + (int)hsp__random_below(random, PANEL_COLS)};
    const int good = (int)hsp__random_below(random, (uint64_t)set->d);
    const double noise = hsp__random_unit(random) * 0.6;
    for (int i = 0; i < set->n; i++) {
        set->label[i] = i < 2 ? i : (int)hsp__random_below(random, 2);
        for (int j = 0; j < set->d; j++) {
            int v = (int)hsp__random_below(random, 3) - 1;
            if (j == good && hsp__random_unit(random) > noise) v = set->label[i] ? 1 : -1;
            if (kind == 0 || (kind == 2 && j % 2)) v = v > 0;
            set->x[i][j] = kind ? v * (1 + (double)hsp__random_below(random, 3)) : v;
        }
    }
    plan->beta = betas[hsp__random_below(random, 8)];
    plan->negated = (int)hsp__random_below(random, 2);
    plan->randomized = (int)hsp__random_below(random, 2);
    plan->bits = (int)hsp__random_below(random, 3) - 1;
    plan->tie = (hsp_tie)hsp__random_below(random, 3);
    plan->passes = 1 + (int)hsp__random_below(random, 3);
    plan->storage = hsp__random_below(random, 2) ? HSP_SPARSE : HSP_DENSE;
}

static void test_bounds_on_chance(void)
{
    hsp_context *ctx = NULL;
    CHECK(hsp_context_new(NULL, &ctx) == HSP_OK);
    for (uint64_t k = 0; k < 3000; k++) {
        hsp__random random;
        panel_set set;
        panel_plan plan;
        hsp__random_seed(&random, 61, k);
        panel_random(&random, &set, &plan);
        panel_check(ctx, &set, &plan);
    }
    hsp_context_free(ctx);
}

/* An adversary that knows the weights: every label is what the panel does not say. Every row is a
 * mistake then, and the bound says that every expert makes nearly half as many. */
static void test_bounds_against_an_adversary(void)
{
    hsp_context *ctx = NULL;
    CHECK(hsp_context_new(NULL, &ctx) == HSP_OK);
    for (uint64_t k = 0; k < 1500; k++) {
        hsp__random random;
        panel_set set;
        panel_plan plan;
        panel_run run;
        hsp__random_seed(&random, 62, k);
        panel_random(&random, &set, &plan);
        plan.passes = 1;
        plan.randomized = 0;
        run = (panel_run){.experts = plan.negated ? 2 * set.d : set.d};
        for (int i = 0; i < set.n; i++) {
            const long double score = panel_score(&set, &plan, &run, i);
            const int said = fabsl(score) < 1e-13L ? plan.tie == HSP_TIE_POS : score > 0;
            set.label[i] = !said;
            panel_lose(&set, &plan, &run, i);
        }
        int ones = 0;
        for (int i = 0; i < set.n; i++)
            ones += set.label[i];
        if (ones == 0 || ones == set.n) continue; /* one class is no data to learn from */
        panel_check(ctx, &set, &plan);
        plan.randomized = 1;
        panel_check(ctx, &set, &plan);
    }
    hsp_context_free(ctx);
}

/* The same rows in another order: sorted by class, and each row many times over. */
static void test_bounds_in_bad_orders(void)
{
    hsp_context *ctx = NULL;
    CHECK(hsp_context_new(NULL, &ctx) == HSP_OK);
    for (uint64_t k = 0; k < 500; k++) {
        hsp__random random;
        panel_set set, sorted;
        panel_plan plan;
        hsp__random_seed(&random, 63, k);
        panel_random(&random, &set, &plan);
        sorted = set;
        sorted.n = 0;
        for (int label = 0; label < 2; label++)
            for (int i = 0; i < set.n; i++) {
                const int from = k % 2 ? i % 3 : i;
                if (set.label[from] != label) continue;
                memcpy(sorted.x[sorted.n], set.x[from], sizeof set.x[0]);
                sorted.label[sorted.n++] = label;
            }
        panel_check(ctx, &sorted, &plan);
    }
    hsp_context_free(ctx);
}

/* ---- By hand ---- */

/* Five experts by their bits, beta = 1/2; + says yes. The weights before each row:
 *
 *     row  class   a   b   c   d   e      a     b     c     d     e     yes : no       says
 *      1    yes    +   +   -   -   -      1     1     1     1     1       2 : 3        no, wrong
 *      2    yes    +   -   +   +   -      1     1    1/2   1/2   1/2      2 : 1.5      yes
 *      3    no     -   +   +   +   -      1    1/2   1/2   1/2   1/4    1.5 : 1.25     yes, wrong
 *      4    yes    +   -   -   +   +      1    1/4   1/4   1/4   1/4    1.5 : 0.5      yes
 *      5    no     -   -   +   +   +      1    1/8   1/8   1/4   1/4  0.625 : 1.125    no
 *      6    no     -   +   -   +   +      1    1/8   1/16  1/8   1/8  0.375 : 1.0625   no
 *                              after      1    1/16  1/16  1/16  1/16
 *
 * a is never wrong, the others four times each. m = 2, m* = 0: 2 <= ln 5 / ln(4/3) = 5.59. The
 * weights of the model are twice these, its offset minus their sum: 1.25. */
static const panel_set panel_five = {6,
                                     5,
                                     {{1, 1, 0, 0, 0},
                                      {1, 0, 1, 1, 0},
                                      {0, 1, 1, 1, 0},
                                      {1, 0, 0, 1, 1},
                                      {0, 0, 1, 1, 1},
                                      {0, 1, 0, 1, 1}},
                                     {1, 1, 0, 1, 0, 0}};

static void test_five_experts_by_hand(void)
{
    static const double weights[] = {2, 0.125, 0.125, 0.125, 0.125};
    hsp_context *ctx = NULL;
    CHECK(hsp_context_new(NULL, &ctx) == HSP_OK);
    for (int storage = HSP_DENSE; storage <= HSP_SPARSE; storage++) {
        hsp_training run = {.size = sizeof run};
        const panel_plan plan = {0.5, 0, 0, -1, HSP_TIE_NEG, 1, (hsp_storage)storage};
        hsp_model *model = panel_train(ctx, &panel_five, &plan, "", &run);
        CHECK(run.experts.count == 5 && run.experts.examples == 6 && run.experts.mistakes == 2);
        CHECK(run.experts.best == 0 && !run.experts.negated && run.experts.best_mistakes == 0);
        CHECK(run.experts.best_share == 0.8 && run.experts.held);
        CHECK(fabs(run.experts.bound - log(5) / log(4.0 / 3)) <= 1e-12);
        CHECK(run.online_error == 2.0 / 6 && run.training_error == 0);
        CHECK(run.updates == 6 && run.mistakes_last_pass == 2 && run.stop == HSP_STOP_CONVERGED);
        for (int j = 0; j < 5; j++)
            CHECK(hsp_model_weights(model, 0)[j] == weights[j]);
        CHECK(hsp_model_offset(model, 0) == -1.25);
        CHECK_TEXT(hsp_model_metadata(model, "mistakes"), "2");
        CHECK_TEXT(hsp_model_metadata(model, "best_column"), "0");
        hsp_model_free(model);
    }
    hsp_context_free(ctx);
}

/* Three experts by sign, beta = 1/4, so that silence costs half: the weights before each row are
 *
 *     row  class   a   b   c       a     b     c      yes - no
 *      1    yes    -   +   0       1     1     1      -1 + 1 = 0: a tie, neg says no, wrong
 *      2    yes    -   0   +      1/4    1    1/2     -1/4 + 1/2 = 1/4: yes
 *      3    no     +   -   0      1/16  1/2   1/2     1/16 - 1/2: no
 *      4    no     +   0   +      1/64  1/2   1/4     1/64 + 1/4: yes, wrong
 *                      after      1/256 1/4   1/16
 *
 * m_a = 4, m_b = 1 (two halves), m_c = 2 (two halves and one). m = 2, and the best is b: its weight
 * is 1, the others 1/64 and 1/4. */
static void test_silence_by_hand(void)
{
    static const panel_set set = {
        4, 3, {{-1, 2, 0}, {-3, 0, 1}, {5, -1, 0}, {1, 0, 7}}, {1, 1, 0, 0}};
    const panel_plan plan = {0.25, 0, 0, 0, HSP_TIE_NEG, 1, HSP_SPARSE};
    hsp_context *ctx = NULL;
    hsp_training run = {.size = sizeof run};
    CHECK(hsp_context_new(NULL, &ctx) == HSP_OK);
    hsp_model *model = panel_train(ctx, &set, &plan, "", &run);
    const double *w = hsp_model_weights(model, 0);
    CHECK(run.experts.mistakes == 2 && run.experts.best == 1 && run.experts.best_mistakes == 1);
    CHECK(w[0] == 1.0 / 64 && w[1] == 1 && w[2] == 0.25 && hsp_model_offset(model, 0) == 0);
    hsp_model_free(model);
    hsp_context_free(ctx);
}

/* ---- Chance ---- */

/* The weights do not depend on the draws; over many seeds the mistakes are what is expected. */
static void test_draws_have_their_mean(void)
{
    enum { DRAWS = 400 };
    hsp_context *ctx = NULL;
    panel_plan plan;
    panel_set set;
    hsp__random random;
    double sum = 0, expected = 0, deviation = 0;
    int different = 0;
    CHECK(hsp_context_new(NULL, &ctx) == HSP_OK);
    hsp__random_seed(&random, 64, 1);
    panel_random(&random, &set, &plan);
    plan = (panel_plan){0.8, 1, 1, 0, HSP_TIE_NEG, 1, HSP_DENSE};
    for (int k = 0; k < DRAWS; k++) {
        char more[32];
        hsp_training run = {.size = sizeof run}, again = {.size = sizeof again};
        snprintf(more, sizeof more, "seed=%d", k);
        hsp_model *model = panel_train(ctx, &set, &plan, more, &run);
        hsp_model_free(model);
        if (k == 0) {
            model = panel_train(ctx, &set, &plan, more, &again);
            hsp_model_free(model);
            CHECK(again.experts.mistakes == run.experts.mistakes);
            expected = run.experts.expected;
            deviation = run.experts.deviation;
        }
        CHECK(run.experts.expected == expected && run.experts.deviation == deviation);
        different += run.experts.mistakes != again.experts.mistakes;
        sum += (double)run.experts.mistakes;
    }
    CHECK(deviation > 0 && different > DRAWS / 2);
    CHECK_NOTE(fabs(sum / DRAWS - expected) <= 4 * deviation / sqrt(DRAWS), "%g, not %g",
               sum / DRAWS, expected);
    hsp_context_free(ctx);
}

/* ---- The ends of the range ---- */

static void test_one_expert(void)
{
    static const panel_set right = {4, 1, {{1}, {-1}, {1}, {-1}}, {1, 0, 1, 0}};
    static const panel_set wrong = {4, 1, {{1}, {-1}, {1}, {-1}}, {0, 1, 0, 1}};
    static const double betas[] = {1e-100, 0.5, 0.999999999};
    hsp_context *ctx = NULL;
    CHECK(hsp_context_new(NULL, &ctx) == HSP_OK);
    for (int k = 0; k < 3; k++) {
        hsp_training run = {.size = sizeof run};
        panel_plan plan = {betas[k], 0, 0, 0, HSP_TIE_NEG, 1, HSP_DENSE};
        hsp_model *model = panel_train(ctx, &right, &plan, "", &run);
        CHECK(run.experts.mistakes == 0 && run.experts.bound == 0 && run.experts.held);
        CHECK(hsp_model_weights(model, 0)[0] == 1);
        hsp_model_free(model);
        /* always wrong: the only one there is, so it keeps all the weight, and m = m* = 4 */
        model = panel_train(ctx, &wrong, &plan, "", &run);
        CHECK(run.experts.mistakes == 4 && run.experts.best_mistakes == 4 && run.experts.held);
        CHECK(run.experts.bound >= 4 && hsp_model_weights(model, 0)[0] == 1);
        hsp_model_free(model);
        /* its negation is never wrong: a tie at first, which neg gives to the right class */
        plan.negated = 1;
        model = panel_train(ctx, &wrong, &plan, "", &run);
        CHECK(run.experts.negated && run.experts.best_mistakes == 0 && run.experts.mistakes == 0);
        CHECK(run.experts.count == 2 && hsp_model_weights(model, 0)[0] < 0);
        CHECK(run.training_error == 0);
        hsp_model_free(model);
    }
    hsp_context_free(ctx);
}

/* Columns of zeros and of ones are experts that always say no, and yes. */
static void test_constant_columns(void)
{
    static const panel_set set = {5, 2, {{0, 1}, {0, 1}, {0, 1}, {0, 1}, {0, 1}}, {1, 0, 1, 1, 1}};
    const panel_plan plan = {0.5, 0, 0, -1, HSP_TIE_NEG, 1, HSP_SPARSE};
    hsp_context *ctx = NULL;
    hsp_training run = {.size = sizeof run};
    CHECK(hsp_context_new(NULL, &ctx) == HSP_OK);
    hsp_model *model = panel_train(ctx, &set, &plan, "", &run);
    CHECK(run.experts.best == 1 && run.experts.best_mistakes == 1);
    /* says no (a tie), yes, then a tie again: no; then yes, yes */
    CHECK(run.experts.mistakes == 3);
    hsp_model_free(model);
    /* all silent: every row is a tie, and every expert loses half a mistake a row */
    const panel_plan silent = {0.5, 0, 0, 0, HSP_TIE_ZERO, 1, HSP_SPARSE};
    static const panel_set zeros = {3, 2, {{0, 0}, {0, 0}, {0, 0}}, {1, 0, 1}};
    model = panel_train(ctx, &zeros, &silent, "", &run);
    CHECK(run.experts.mistakes == 3 && run.experts.best_mistakes == 1.5 && run.experts.held);
    CHECK(hsp_model_weights(model, 0)[0] == 1 && hsp_model_weights(model, 0)[1] == 1);
    hsp_model_free(model);
    hsp_context_free(ctx);
}

/* A million rows: beta^700,000 is no number, and the weights are what they should be. */
static void test_nothing_vanishes(void)
{
    enum { MANY = 1000000 };
    float *x = calloc(2 * MANY, sizeof *x);
    uint32_t *label = calloc(MANY, sizeof *label);
    hsp_context *ctx = NULL;
    hsp_data *data = NULL;
    hsp_training run = {.size = sizeof run};
    CHECK(hsp_context_new(NULL, &ctx) == HSP_OK);
    for (int i = 0; i < MANY; i++) {
        const float y = i % 2 ? 1 : -1;
        label[i] = i % 2;
        x[2 * i] = i % 10 < 7 ? -y : y;     /* wrong 700,000 times */
        x[2 * i + 1] = i < 699999 ? -y : y; /* wrong once less, in the end */
    }
    hsp_view view = hsp_view_dense(HSP_FLOAT32, MANY, 2, 2, x);
    view.labels = label;
    view.classes = 2;
    CHECK(hsp_data_copy(ctx, &view, NULL, NULL, NULL, &data) == HSP_OK);
    hsp_model *model = machine_train(ctx, data, "experts", "votes=sign", &run);
    const double *w = hsp_model_weights(model, 0);
    CHECK(run.experts.examples == MANY && run.experts.held);
    CHECK(run.experts.best_mistakes == 699999 && run.experts.best == 1);
    CHECK_NOTE(w[0] == 0.5 && w[1] == 1, "%.17g %.17g", w[0], w[1]);
    hsp_model_free(model);
    hsp_data_free(data);
    hsp_context_free(ctx);
    free(x);
    free(label);
}

/* ---- Streams, steps, classes, threads ---- */

static int panel_same(const hsp_model *a, const hsp_model *b)
{
    if (hsp_model_features(a) != hsp_model_features(b)) return 0;
    for (uint64_t j = 0; j < hsp_model_features(a); j++)
        if (hsp_model_weights(a, 0)[j] != hsp_model_weights(b, 0)[j]) return 0;
    return hsp_model_offset(a, 0) == hsp_model_offset(b, 0);
}

static void panel_write(const panel_set *set, const char *path)
{
    FILE *file = fopen(path, "w");
    for (int i = 0; i < set->n; i++) {
        fprintf(file, "%s", set->label[i] ? "yes" : "no");
        for (int j = 0; j < set->d; j++)
            if (set->x[i][j] != 0) fprintf(file, " %d:%g", j + 1, set->x[i][j]);
        fprintf(file, "\n");
    }
    fclose(file);
}

static void test_streams_are_files(void)
{
    char path[] = "/tmp/experts.XXXXXX";
    const int file = mkstemp(path);
    hsp_context *ctx = NULL;
    CHECK(file >= 0 && hsp_context_new(NULL, &ctx) == HSP_OK);
    for (uint64_t k = 0; k < 200; k++) {
        hsp__random random;
        panel_set set;
        panel_plan plan;
        hsp_training run = {.size = sizeof run}, streamed = {.size = sizeof streamed};
        hsp_error err = {0};
        hsp_model *model = NULL;
        char settings[200];
        hsp__random_seed(&random, 65, k);
        panel_random(&random, &set, &plan);
        set.x[0][set.d - 1] = 1; /* the last column comes in the first block */
        plan.passes = 1;
        plan.bits = (int)(k % 2);
        plan.tie = HSP_TIE_NEG;
        plan.storage = HSP_SPARSE;
        panel_write(&set, path);
        hsp_model *whole = panel_train(ctx, &set, &plan, "", &run);
        snprintf(settings, sizeof settings,
                 "beta=%.17g votes=%s classes=no,yes negated=%s randomized=%s", plan.beta,
                 plan.bits ? "bit" : "sign", plan.negated ? "yes" : "no",
                 plan.randomized ? "yes" : "no");
        hsp_options *options = machine_options(ctx, "experts", settings);
        CHECK_NOTE(hsp_train_stream(ctx, path, NULL, options, &err, &streamed, &model) == HSP_OK,
                   "%s", err.message);
        if (model) {
            CHECK(panel_same(whole, model));
            CHECK(streamed.experts.mistakes == run.experts.mistakes);
            CHECK(streamed.experts.bound == run.experts.bound);
        }
        hsp_model_free(model);
        hsp_model_free(whole);
        hsp_options_free(options);
    }
    hsp_context_free(ctx);
    close(file);
    unlink(path);
}

/* One row at a time, columns coming as they are met: silent until then. */
static void test_steps(void)
{
    static const char *const classes[] = {"no", "yes"};
    hsp_context *ctx = NULL;
    CHECK(hsp_context_new(NULL, &ctx) == HSP_OK);
    for (uint64_t k = 0; k < 200; k++) {
        hsp__random random;
        panel_set set;
        panel_plan plan;
        hsp_training run = {.size = sizeof run};
        hsp_trainer *trainer = NULL;
        hsp_model *model = NULL;
        uint64_t wrong = 0;
        hsp__random_seed(&random, 66, k);
        panel_random(&random, &set, &plan);
        plan = (panel_plan){0.5, (int)(k % 2), 0, 0, HSP_TIE_NEG, 1, HSP_DENSE};
        hsp_data *data = panel_data(ctx, &set, plan.storage);
        hsp_options *options =
            machine_options(ctx, "experts", k % 2 ? "votes=sign negated=yes" : "votes=sign");
        hsp_model *whole = panel_train(ctx, &set, &plan, "", &run);
        CHECK(hsp_trainer_new(ctx, options, classes, 2, k % 3 ? 0 : (uint64_t)set.d, NULL,
                              &trainer) == HSP_OK);
        for (int i = 0; i < set.n; i++) {
            hsp_step step = {.size = sizeof step};
            hsp_view view = data->view;
            if (i == 0)
                view.cols = 1; /* rows are narrower at first; the rest is not stored there */
            CHECK(hsp_trainer_step(trainer, &view, (uint64_t)i, NULL, &step) == HSP_OK);
            wrong += step.predicted != (uint32_t)set.label[i];
        }
        CHECK(hsp_trainer_model(trainer, NULL, &model) == HSP_OK);
        CHECK_TEXT(hsp_model_metadata(model, "examples"), hsp_model_metadata(whole, "examples"));
        int plain = 1; /* what the first row says beyond its first column was not heard */
        for (int j = 1; j < set.d; j++)
            plain &= set.x[0][j] == 0;
        if (plain) CHECK(panel_same(whole, model) && wrong == run.experts.mistakes);
        hsp_model_free(model);
        hsp_model_free(whole);
        hsp_trainer_free(trainer);
        hsp_options_free(options);
        hsp_data_free(data);
    }
    hsp_context_free(ctx);
}

static void test_late_bits_are_refused(void)
{
    static const char *const classes[] = {"no", "yes"};
    static const double x[] = {1, 0, 0, 1};
    static const uint32_t labels[] = {0, 1};
    hsp_context *ctx = NULL;
    hsp_trainer *trainer = NULL;
    hsp_error err = {0};
    hsp_step step = {.size = sizeof step};
    CHECK(hsp_context_new(NULL, &ctx) == HSP_OK);
    hsp_options *options = machine_options(ctx, "experts", "votes=bit");
    CHECK(hsp_trainer_new(ctx, options, classes, 2, 0, NULL, &trainer) == HSP_OK);
    hsp_view narrow = hsp_view_dense(HSP_FLOAT64, 2, 1, 2, x);
    hsp_view wide = hsp_view_dense(HSP_FLOAT64, 2, 2, 2, x);
    narrow.labels = wide.labels = labels;
    narrow.classes = wide.classes = 2;
    CHECK(hsp_trainer_step(trainer, &narrow, 0, &err, &step) == HSP_OK);
    CHECK(hsp_trainer_step(trainer, &wide, 1, &err, &step) == HSP_USAGE);
    CHECK(strstr(err.message, "column 2 first appears after 1 rows"));
    hsp_trainer_free(trainer);
    hsp_options_free(options);
    hsp_context_free(ctx);
}

/* Three classes: a panel each against the rest, scores as shares of the weight. */
static void test_more_classes(void)
{
    machine_set set = {.n = 90, .d = 3, .classes = 3};
    hsp_context *ctx = NULL;
    hsp_training run = {.size = sizeof run};
    CHECK(hsp_context_new(NULL, &ctx) == HSP_OK);
    for (uint64_t i = 0; i < set.n; i++) {
        set.label[i] = (uint32_t)(i % 3);
        for (uint64_t j = 0; j < 3; j++)
            set.x[i * 3 + j] = (j == i % 3) != (i % 11 == j); /* now and then wrong */
    }
    hsp_data *data = machine_data(ctx, &set);
    hsp_model *model = machine_train(ctx, data, "experts", "", &run);
    CHECK(hsp_model_scorers(model) == 3 && run.experts.several && run.experts.count == 3);
    CHECK(run.training_error <= 0.3);
    for (uint32_t c = 0; c < 3; c++) {
        double all = 0;
        for (uint64_t j = 0; j < 3; j++)
            all += hsp_model_weights(model, c)[j] / 2;
        CHECK(fabs(all - 1) <= 1e-12);
        CHECK(hsp_model_weights(model, c)[c] > 1.9);
    }
    hsp_model_free(model);
    /* each is the run of that class against the rest, over several passes, too */
    model = machine_train(ctx, data, "experts", "passes=3 order=shuffle negated=yes", &run);
    for (uint32_t c = 0; c < 3; c++) {
        char settings[64];
        snprintf(settings, sizeof settings, "passes=3 order=shuffle negated=yes positive=%c",
                 (char)('a' + (int)c));
        hsp_model *one = machine_train(ctx, data, "experts", settings, &run);
        const double *w = hsp_model_weights(model, c), *u = hsp_model_weights(one, 0);
        CHECK(run.experts.examples == 270 && !run.experts.several);
        for (uint64_t j = 0; j < 3; j++)
            CHECK(fabs(w[j] - u[j] * run.experts.best_share) <= 1e-12);
        hsp_model_free(one);
    }
    hsp_model_free(model);
    machine_refused(ctx, data, "experts", "randomized=yes", HSP_USAGE,
                    "--randomized needs two classes, and the data");
    machine_refused(ctx, data, "experts", "trace=/dev/null", HSP_USAGE,
                    "a trace needs two classes");
    model = machine_train(ctx, data, "experts", "positive=a randomized=yes calibrate=platt", &run);
    CHECK(run.experts.held && hsp_model_has_probabilities(model));
    hsp_model_free(model);
    hsp_data_free(data);
    hsp_context_free(ctx);
}

/* The model predicts from numbers as they are in the file: what is above 0, what below. */
static void test_new_rows(void)
{
    static const double x[] = {0.3, -9, 0.7, /**/ -0.01, 1, 1, /**/ 5, 0, -2};
    const panel_plan plan = {0.5, 0, 0, 0, HSP_TIE_NEG, 1, HSP_DENSE};
    static const panel_set set = {3, 3, {{1, -1, 1}, {-1, 1, 1}, {1, 1, -1}}, {1, 0, 1}};
    hsp_context *ctx = NULL;
    hsp_training run = {.size = sizeof run};
    double scores[3];
    uint32_t classes[3];
    CHECK(hsp_context_new(NULL, &ctx) == HSP_OK);
    hsp_model *model = panel_train(ctx, &set, &plan, "", &run);
    /* a is right throughout, b wrong on rows 1 and 2, c on 2 and 3: weights 1, 1/4, 1/4 */
    hsp_view view = hsp_view_dense(HSP_FLOAT64, 3, 3, 3, x);
    CHECK(hsp_model_score(ctx, model, &view, NULL, scores, classes) == HSP_OK);
    CHECK(scores[0] == 1 && scores[1] == -0.5 && scores[2] == 0.75);
    CHECK(classes[0] == 1 && classes[1] == 0 && classes[2] == 1);
    hsp_model_free(model);
    hsp_context_free(ctx);
}

static void test_refused(void)
{
    static const panel_set set = {2, 1, {{1}, {0}}, {1, 0}};
    hsp_context *ctx = NULL;
    CHECK(hsp_context_new(NULL, &ctx) == HSP_OK);
    hsp_data *data = panel_data(ctx, &set, HSP_DENSE);
    hsp_options *options = machine_options(ctx, "experts", "classes=no,yes");
    hsp_error err = {0};
    hsp_model *model = NULL;
    CHECK(hsp_train_stream(ctx, "/dev/null", NULL, options, &err, NULL, &model) == HSP_USAGE);
    CHECK(strstr(err.message, "use sign or bit"));
    hsp_options_free(options);
    options = machine_options(ctx, "experts", "votes=bit");
    CHECK(hsp_train_stream(ctx, "/dev/null", NULL, options, &err, NULL, &model) == HSP_USAGE);
    CHECK_TEXT(err.file, "--classes");
    CHECK(hsp_options_set(options, "beta", "1", &err) == HSP_USAGE);
    CHECK(hsp_options_set(options, "beta", "0", &err) == HSP_USAGE);
    hsp_options_free(options);
    hsp_data_free(data);
    const panel_set none = {0, 1, {{0}}, {0}};
    data = panel_data(ctx, &none, HSP_DENSE);
    machine_refused(ctx, data, "experts", "", HSP_BAD_DATA, "no rows");
    hsp_data_free(data);
    const panel_set narrow = {2, 0, {{0}}, {0, 1}};
    data = panel_data(ctx, &narrow, HSP_SPARSE);
    machine_refused(ctx, data, "experts", "", HSP_BAD_DATA, "the data has no columns, so there");
    hsp_data_free(data);
    hsp_context_free(ctx);
}

int main(void)
{
    RUN(test_five_experts_by_hand);
    RUN(test_silence_by_hand);
    RUN(test_bounds_on_chance);
    RUN(test_bounds_against_an_adversary);
    RUN(test_bounds_in_bad_orders);
    RUN(test_draws_have_their_mean);
    RUN(test_one_expert);
    RUN(test_constant_columns);
    RUN(test_nothing_vanishes);
    RUN(test_streams_are_files);
    RUN(test_steps);
    RUN(test_late_bits_are_refused);
    RUN(test_more_classes);
    RUN(test_new_rows);
    RUN(test_refused);
    return check_done();
}
