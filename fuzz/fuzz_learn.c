/* Learning itself: bytes choose a learner of the registry, up to six of its options, how rows are
 * stored, and up to 15 rows of awkward numbers. A run may refuse with a sentence. If it does not:
 *
 * - on one thread and on three, scores and figures are the same to the bit;
 * - weights, coefficients and offsets are finite, and no score is NaN;
 * - the training error is that of hsp_model_score on the same rows, counted here;
 * - the objective is that of the model's weights, computed here in long double, rounded up by no
 *   more than twice what the run says; the margin too;
 * - no weights that are tried here have an objective below the dual bound;
 * - the perceptron on small whole numbers is the one of tests/learn/naive.h;
 * - what that separates is not said to be inseparable;
 * - experts keep its mistake bound; 1-NN makes no mistake on distinct rows;
 * - one pass over the first half of the rows that goes on with the others (a warm start) gives the
 *   scores of one pass over all rows. */
#include <float.h>
#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "halfspace_all.h"
#include "learn/naive.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum { FUZZ_ROWS = 15, FUZZ_COLS = 3, FUZZ_CLASSES = 3, FUZZ_HEAD = 8 };

static void fuzz_must(int condition)
{
    if (!condition) abort();
}

/* ---- The problem ---- */

static const char *const fuzz_names[] = {"a", "b", "c"};

/* A learner takes those that it has. */
static const char *const fuzz_settings[][2] = {{"offset", "none"},
                                               {"offset", "unit"},
                                               {"offset", "r2"},
                                               {"offset", "append"},
                                               {"offset", "free"},
                                               {"offset", "regularized"},
                                               {"constant", "0.5"},
                                               {"order", "cyclic"},
                                               {"order", "shuffle"},
                                               {"order", "first"},
                                               {"order", "worst"},
                                               {"order", "random"},
                                               {"passes", "until-converged"},
                                               {"passes", "3"},
                                               {"max-passes", "2"},
                                               {"max-updates", "4"},
                                               {"average", "none"},
                                               {"average", "average"},
                                               {"average", "vote"},
                                               {"margin-target", "1"},
                                               {"margin-target", "1r"},
                                               {"soft", "1.5"},
                                               {"soft", "yes"},
                                               {"rate", "0.25"},
                                               {"kernel", "linear"},
                                               {"kernel", "rbf(0.5)"},
                                               {"kernel", "rbf(median)"},
                                               {"kernel", "poly(3,1)"},
                                               {"approx", "nystrom:3"},
                                               {"approx", "fourier:4"},
                                               {"budget", "2"},
                                               {"cache-mb", "0"},
                                               {"normalize", "rows"},
                                               {"normalize", "ball"},
                                               {"scale", "min-max"},
                                               {"scale", "standard"},
                                               {"scale", "max-abs"},
                                               {"tie", "pos"},
                                               {"tie", "zero"},
                                               {"multiclass", "native"},
                                               {"multiclass", "ovr"},
                                               {"multiclass", "ovo"},
                                               {"calibrate", "platt"},
                                               {"multiclass", "crammer-singer"},
                                               {"classes", "b,a"},
                                               {"calibrate", "isotonic"},
                                               {"positive", "a"},
                                               {"calibrate-folds", "2"},
                                               {"seed", "7"},
                                               {"variant", "winnow1"},
                                               {"delta", "0.1"},
                                               {"variant", "balanced"},
                                               {"threshold", "1"},
                                               {"beta", "0.1"},
                                               {"negated", "yes"},
                                               {"randomized", "yes"},
                                               {"votes", "sign"},
                                               {"votes", "bit"},
                                               {"C", "1e-3"},
                                               {"C", "1e6"},
                                               {"lambda", "0.1"},
                                               {"loss", "squared"},
                                               {"penalty", "l1"},
                                               {"hard", "yes"},
                                               {"weight", "a=3"},
                                               {"weight", "b=0.001"},
                                               {"weight", "balanced"},
                                               {"gap", "1e-9"},
                                               {"gap", "1"},
                                               {"solver", "dcd"},
                                               {"solver", "newton"},
                                               {"solver", "l1"},
                                               {"solver", "pegasos"},
                                               {"keep-dual", "yes"},
                                               {"link", "probit"},
                                               {"link", "step"},
                                               {"k", "1"},
                                               {"k", "2"},
                                               {"k", "auto"},
                                               {"vote", "distance"},
                                               {"metric", "l1"},
                                               {"metric", "linf"},
                                               {"metric", "cosine"},
                                               {"metric", "hamming"},
                                               {"index", "scan"},
                                               {"metric", "kernel:rbf(0.5)"},
                                               {"index", "tree"},
                                               {"index", "product"},
                                               {"index", "inverted"}};

enum { FUZZ_WHOLE = 3 };
static const double fuzz_numbers[4][16] = {
    {0, 1, -1, 1e-300, 1e20, -1e20, 16777217, 16777216, 0.1, 0.10000000000000002, -0.1, 1e-8, 0.5,
     3, 1e10, -1e-300},
    {0, 1, -1, 2, 0.5, 3, -0.1, 1e-3, 1e10, -1e10, 16777217, 100.25, 7, 1e-8, 0.3, -4},
    {0, 1, 0, 1, 0, 1, 0, 1, 0, 1, 0, 1, 0, 1, 0, 0.5},
    {0, 1, -1, 2, -2, 3, -3, 0, 1, -1, 2, -2, 3, -3, 0, 1}};

typedef struct problem {
    const hsp_option_table *learner;
    const uint8_t *settings; /* FUZZ_HEAD - 2 */
    unsigned numbers;        /* which of fuzz_numbers */
    double x[FUZZ_ROWS][FUZZ_COLS];
    uint32_t y[FUZZ_ROWS];
    float singles[FUZZ_ROWS * FUZZ_COLS];
    double doubles[FUZZ_ROWS * FUZZ_COLS];
    uint64_t starts[FUZZ_ROWS + 1];
    uint32_t indices[FUZZ_ROWS * FUZZ_COLS];
    hsp_view view; /* of the arrays above */
} problem;

/* Store x as the view has it: 0 dense, 1 dense in single precision, 2 sparse, 3 ones. What x does
 * not keep of that is changed in x too. */
static void fuzz_store(problem *p, unsigned storage, uint64_t rows, uint64_t cols)
{
    uint64_t count = 0;
    for (uint64_t i = 0; i < rows; i++) {
        for (uint32_t j = 0; j < cols; j++) {
            double *x = &p->x[i][j];
            if (storage == 1) *x = (double)(float)*x;
            if (storage == 3) *x = *x != 0;
            if (storage >= 2 && *x == 0) continue;
            p->singles[count] = (float)*x;
            p->doubles[count] = *x;
            p->indices[count++] = j;
        }
        p->starts[i + 1] = count;
    }
    if (storage == 0) p->view = hsp_view_dense(HSP_FLOAT64, rows, cols, cols, p->doubles);
    if (storage == 1) p->view = hsp_view_dense(HSP_FLOAT32, rows, cols, cols, p->singles);
    if (storage >= 2)
        p->view = hsp_view_sparse(HSP_FLOAT64, rows, cols, 8, p->starts, p->indices,
                                  storage == 2 ? p->doubles : NULL);
    p->view.labels = p->y;
}

/* A byte for the learner, one for the kind of rows, six for settings (0: none); then rows: a byte
 * for the class, one per column. */
static int fuzz_problem(const uint8_t *data, size_t size, problem *p)
{
    size_t learners = 0;
    if (size < FUZZ_HEAD) return 0;
    while (hsp_learner(learners))
        learners++;
    if (!learners) return 0;
    memset(p, 0, sizeof *p);
    p->learner = hsp_learner(data[0] % learners);
    p->settings = data + 2;
    p->numbers = data[1] >> 3 & 3;
    const uint32_t classes = 2 + (data[1] & 1);
    const uint64_t cols = 1 + (data[1] >> 1 & 3) % FUZZ_COLS;
    uint64_t rows = 0;
    unsigned seen = 0;
    for (size_t at = FUZZ_HEAD; at + cols < size && rows < FUZZ_ROWS; at += cols + 1, rows++) {
        p->y[rows] = data[at] % classes;
        seen |= 1u << p->y[rows];
        for (uint64_t j = 0; j < cols; j++)
            p->x[rows][j] = fuzz_numbers[p->numbers][data[at + 1 + j] % 16];
    }
    fuzz_store(p, data[1] >> 5 & 3, rows, cols);
    p->view.classes = classes;
    return seen == (1u << classes) - 1; /* all classes */
}

static int fuzz_has(const hsp_options *options, const char *name)
{
    const hsp_option_table *table = hsp_options_table(options);
    for (size_t i = 0; i < table->count; i++)
        if (strcmp(table->options[i].name, name) == 0) return 1;
    return 0;
}

/* Is the option there, and not at its default? */
static int fuzz_set(const hsp_options *options, const char *name)
{
    return fuzz_has(options, name) && hsp_options_is_set(options, name);
}

static int fuzz_is(const hsp_options *options, const char *name, const char *value)
{
    const char *text = fuzz_has(options, name) ? hsp_options_text(options, name) : NULL;
    return text && strcmp(text, value) == 0;
}

static int fuzz_flag(const hsp_options *options, const char *name)
{
    return fuzz_has(options, name) && hsp_options_flag(options, name);
}

static int fuzz_is_learner(const hsp_options *options, const char *name)
{
    return strcmp(hsp_options_table(options)->name, name) == 0;
}

static hsp_options *fuzz_options(hsp_context *ctx, const problem *p)
{
    const size_t count = sizeof fuzz_settings / sizeof *fuzz_settings;
    hsp_options *options = NULL;
    fuzz_must(hsp_options_new(ctx, p->learner, NULL, &options) == HSP_OK);
    if (fuzz_has(options, "max-passes"))
        fuzz_must(hsp_options_set(options, "max-passes", "50", NULL) == HSP_OK);
    for (int i = 0; i < FUZZ_HEAD - 2; i++) {
        if (p->settings[i] == 0) continue;
        const char *const *s = fuzz_settings[(p->settings[i] - 1u) % count];
        const hsp_status status = hsp_options_set(options, s[0], s[1], NULL);
        fuzz_must(status == HSP_OK || status == HSP_USAGE);
    }
    return options;
}

/* ---- A run ---- */

typedef struct outcome {
    hsp_context *ctx;
    hsp_options *options;
    hsp_data *data;
    hsp_status status;
    hsp_training run;
    hsp_model *model; /* NULL: refused, or not separable */
    uint32_t scorers;
    double scores[FUZZ_ROWS * FUZZ_CLASSES];
    uint32_t classes[FUZZ_ROWS];
    uint32_t truth[FUZZ_ROWS]; /* the model's class for the row's label, or HSP_NO_CLASS */
} outcome;

static void fuzz_free(outcome *o)
{
    hsp_evidence_free(o->run.evidence);
    hsp_model_free(o->model);
    hsp_data_free(o->data);
    hsp_options_free(o->options);
    hsp_context_free(o->ctx);
}

static void fuzz_finite(const hsp_model *model)
{
    const uint64_t support = hsp_model_support(model, NULL);
    for (uint32_t s = 0; s < hsp_model_scorers(model); s++) {
        const double *w = hsp_model_weights(model, s);
        const double *a = hsp_model_coefficients(model, s);
        fuzz_must(isfinite(hsp_model_offset(model, s)));
        for (uint64_t j = 0; w && j < hsp_model_features(model); j++)
            fuzz_must(isfinite(w[j]));
        for (uint64_t i = 0; a && i < support; i++)
            fuzz_must(isfinite(a[i]));
    }
}

static void fuzz_score(const problem *p, outcome *o)
{
    uint64_t wrong = 0, rows = 0;
    o->scorers = hsp_model_scorers(o->model);
    fuzz_must(o->scorers <= FUZZ_CLASSES);
    fuzz_must(hsp_model_score(o->ctx, o->model, &p->view, NULL, o->scores, o->classes) == HSP_OK);
    for (uint64_t i = 0; i < p->view.rows; i++) {
        const int left_out = fuzz_set(o->options, "classes") && p->y[i] == 2;
        o->truth[i] = left_out ? HSP_NO_CLASS : hsp_model_class_of(o->model, fuzz_names[p->y[i]]);
        if (o->truth[i] == HSP_NO_CLASS) continue;
        rows++;
        wrong += o->classes[i] != o->truth[i];
        for (uint32_t s = 0; s < o->scorers; s++)
            fuzz_must(!isnan(o->scores[i * o->scorers + s]));
    }
    fuzz_must(rows == o->run.rows);
    if (!isnan(o->run.training_error))
        fuzz_must(o->run.training_error == (double)wrong / (double)rows);
}

static void fuzz_train(const problem *p, int threads, outcome *o)
{
    hsp_error err = {0};
    memset(o, 0, sizeof *o);
    o->run.size = sizeof o->run;
    fuzz_must(hsp_context_new(NULL, &o->ctx) == HSP_OK);
    hsp_context_set_threads(o->ctx, threads);
    o->options = fuzz_options(o->ctx, p);
    fuzz_must(hsp_data_copy(o->ctx, &p->view, fuzz_names, NULL, NULL, &o->data) == HSP_OK);
    o->status = hsp_train(o->ctx, o->data, o->options, &err, &o->run, &o->model);
    if (o->status != HSP_OK) {
        fuzz_must(o->status == HSP_BAD_DATA || o->status == HSP_USAGE ||
                  (o->status == HSP_UNSUPPORTED && fuzz_is_learner(o->options, "lp")));
        fuzz_must(err.message[0] && !o->model);
        return;
    }
    fuzz_must((o->run.stop == HSP_STOP_INSEPARABLE) == !o->model);
    if (!o->model) return;
    fuzz_finite(o->model);
    fuzz_score(p, o);
}

static void fuzz_same_bits(const double *a, const double *b, size_t count)
{
    fuzz_must(memcmp(a, b, count * sizeof *a) == 0);
}

/* All but the time it took. */
static void fuzz_same(const problem *p, const outcome *a, const outcome *b)
{
    const hsp_training *r = &a->run, *s = &b->run;
    fuzz_must(a->status == b->status && !a->model == !b->model);
    if (a->status != HSP_OK) return;
    fuzz_must(r->passes == s->passes && r->updates == s->updates && r->stop == s->stop &&
              r->mistakes_last_pass == s->mistakes_last_pass &&
              r->convergence.support_sum == s->convergence.support_sum);
    fuzz_same_bits(&r->training_error, &s->training_error, 1);
    fuzz_same_bits(&r->online_error, &s->online_error, 1);
    fuzz_same_bits(&r->convergence.objective, &s->convergence.objective, 1);
    fuzz_same_bits(&r->convergence.dual_objective, &s->convergence.dual_objective, 1);
    fuzz_same_bits(&r->convergence.margin, &s->convergence.margin, 1);
    fuzz_same_bits(a->scores, b->scores, p->view.rows * a->scorers);
    fuzz_must(!r->evidence == !s->evidence);
    if (r->evidence) {
        fuzz_must(r->evidence->count == s->evidence->count);
        fuzz_same_bits(r->evidence->multiplier, s->evidence->multiplier, r->evidence->count);
    }
}

/* ---- What is minimised, from its formula (src/learn/erm/problem.h) ---- */

/* Is it a linear model of the rows as they are here? */
static int fuzz_plain(const hsp_options *options)
{
    return !fuzz_set(options, "scale") && !fuzz_set(options, "normalize") &&
           !fuzz_set(options, "kernel") && !fuzz_set(options, "approx");
}

static long double fuzz_slow_score(const problem *p, const hsp_model *model, uint32_t s, uint64_t i,
                                   long double factor)
{
    const double *w = hsp_model_weights(model, s);
    long double sum = (long double)hsp_model_offset(model, s);
    for (uint64_t j = 0; j < p->view.cols; j++)
        sum += (long double)w[j] * (long double)p->x[i][j];
    return factor * sum;
}

static long double fuzz_loss(const hsp_options *options, long double m)
{
    if (fuzz_is_learner(options, "logistic")) return m > 0 ? log1pl(expl(-m)) : log1pl(expl(m)) - m;
    const long double hinge = fmaxl(0, 1 - m);
    return fuzz_is(options, "loss", "squared") ? hinge * hinge : hinge;
}

static long double fuzz_penalty(const outcome *o, uint32_t s, long double factor)
{
    const int absolute = fuzz_is(o->options, "penalty", "l1");
    const double *w = hsp_model_weights(o->model, s);
    long double sum = 0;
    for (uint64_t j = 0; j <= hsp_model_features(o->model); j++) {
        const int last = j == hsp_model_features(o->model);
        if (last && !fuzz_is(o->options, "offset", "regularized")) break;
        const long double v = factor * (long double)(last ? hsp_model_offset(o->model, s) : w[j]);
        sum += absolute ? fabsl(v) : v * v / 2;
    }
    return sum;
}

/* The y of a row in the problem of a scorer; 0: it has no part in it. */
static int fuzz_side(const outcome *o, uint32_t s, uint64_t i)
{
    const uint32_t against = hsp_model_scorer_against(o->model, s);
    if (o->truth[i] == hsp_model_scorer_for(o->model, s)) return 1;
    return o->truth[i] != HSP_NO_CLASS && (against == HSP_NO_CLASS || against == o->truth[i]) ? -1
                                                                                              : 0;
}

/* Of several classes at once: how far the best other class comes below the row's own. */
static long double fuzz_ahead(const problem *p, const outcome *o, uint64_t i, long double factor)
{
    const long double own = fuzz_slow_score(p, o->model, o->truth[i], i, factor);
    long double least = HUGE_VALL;
    for (uint32_t s = 0; s < o->scorers; s++)
        if (s != o->truth[i])
            least = fminl(least, own - fuzz_slow_score(p, o->model, s, i, factor));
    return least;
}

/* Softmax: minus the logarithm of the probability of the row's own class. */
static long double fuzz_unlikely(const problem *p, const outcome *o, uint64_t i, long double factor)
{
    const long double own = fuzz_slow_score(p, o->model, o->truth[i], i, factor);
    long double most = 0, sum = 0; /* of the scores above the row's own */
    for (uint32_t s = 0; s < o->scorers; s++)
        most = fmaxl(most, fuzz_slow_score(p, o->model, s, i, factor) - own);
    for (uint32_t s = 0; s < o->scorers; s++)
        sum += expl(fuzz_slow_score(p, o->model, s, i, factor) - own - most);
    return most + logl(sum);
}

/* How far fuzz_slow_score may be off, for a factor of 2 at most. */
static long double fuzz_slow_off(const problem *p, const hsp_model *model, uint32_t s, uint64_t i)
{
    const double *w = hsp_model_weights(model, s);
    long double sum = 1 + fabsl((long double)hsp_model_offset(model, s));
    for (uint64_t j = 0; j < p->view.cols; j++)
        sum += fabsl((long double)w[j] * (long double)p->x[i][j]);
    return 16 * LDBL_EPSILON * sum;
}

/* A row's loss in the problem of scorer s, and how far it may be off; 0: it has no part in it. Rows
 * of problems of several classes at once have a part in that of their own class. */
static long double fuzz_row_loss(const problem *p, const outcome *o, uint32_t s, uint64_t i,
                                 long double factor, long double *off)
{
    const int softmax = o->scorers > 1 && fuzz_is(o->options, "multiclass", "softmax");
    const int together = o->scorers > 1 && fuzz_is(o->options, "multiclass", "crammer-singer");
    const int y = softmax || together ? o->truth[i] == s : fuzz_side(o, s, i);
    long double doubt = 0;
    *off = 0;
    if (!y) return 0;
    for (uint32_t m = 0; m < o->scorers; m++)
        if (m == s || softmax || together)
            doubt = fmaxl(doubt, 2 * fuzz_slow_off(p, o->model, m, i));
    if (softmax) {
        *off = 2 * doubt;
        return fuzz_unlikely(p, o, i, factor);
    }
    const long double m =
        together ? fuzz_ahead(p, o, i, factor) : y * fuzz_slow_score(p, o->model, s, i, factor);
    *off = fuzz_loss(o->options, m - doubt) - fuzz_loss(o->options, m) + doubt;
    return fuzz_loss(o->options, m);
}

/* The sum over all problems of C sum of losses + pen, of the model's weights times `factor`, and
 * how far it may be off. */
static long double fuzz_objective(const problem *p, const outcome *o, const double *cost,
                                  long double factor, long double *off)
{
    long double sum = 0;
    *off = 0;
    for (uint32_t s = 0; s < o->scorers; s++) {
        sum += fuzz_penalty(o, s, factor);
        for (uint64_t i = 0; i < p->view.rows; i++) {
            if (o->truth[i] == HSP_NO_CLASS) continue;
            const long double c = (long double)cost[o->truth[i]];
            long double doubt;
            sum += c * fuzz_row_loss(p, o, s, i, factor, &doubt);
            *off += c * doubt;
        }
    }
    return sum;
}

/* The cost of a row of each class; 0: it is not computed here. */
static int fuzz_costs(const outcome *o, double *cost)
{
    const size_t weights = hsp_options_list_count(o->options, "weight");
    for (uint32_t c = 0; c < FUZZ_CLASSES; c++)
        cost[c] = o->run.convergence.C;
    if (weights > 1 || (weights && o->scorers > 1)) return 0;
    if (weights) {
        const char *item = hsp_options_list_item(o->options, "weight", 0);
        if (item[1] != '=' || fuzz_set(o->options, "positive")) return 0;
        cost[hsp_model_class_of(o->model, (char[]){item[0], 0})] *= strtod(item + 2, NULL);
    }
    return !(o->scorers > 1 && fuzz_set(o->options, "lambda")); /* C may differ */
}

static void fuzz_margin(const problem *p, const outcome *o)
{
    long double length = 0, least = HUGE_VALL, most = 0;
    const double *w = hsp_model_weights(o->model, 0);
    for (uint64_t j = 0; j < p->view.cols; j++)
        length = hypotl(length, (long double)w[j]);
    for (uint64_t i = 0; i < p->view.rows; i++) {
        if (!fuzz_side(o, 0, i)) continue;
        least = fminl(least, fuzz_side(o, 0, i) * fuzz_slow_score(p, o->model, 0, i, 1));
        for (uint64_t j = 0; j < p->view.cols; j++)
            most = fmaxl(most, fabsl((long double)p->x[i][j]));
    }
    const long double scale = most + fabsl((long double)hsp_model_offset(o->model, 0)) / length;
    const long double lost = FUZZ_COLS * (long double)DBL_MIN; /* what underflow may cost a score */
    const long double off = 1e-12L * scale + lost / length;
    if (length > 0 && !isnan(o->run.convergence.margin))
        fuzz_must(fabsl((long double)o->run.convergence.margin - least / length) <= off);
}

static void fuzz_optimum(const problem *p, const outcome *o)
{
    static const long double factors[] = {0, 0.5L, 1 - 1e-3L, 1, 1 + 1e-3L, 2};
    const hsp_convergence *best = &o->run.convergence;
    double cost[FUZZ_CLASSES];
    if (!best->solver) return;
    const int lp = fuzz_is_learner(o->options, "lp"); /* its bound holds up to rounding */
    if (isfinite(best->dual_objective))
        fuzz_must(best->dual_objective <= best->objective * (lp ? 1 + 1e-9 : 1));
    if (!fuzz_plain(o->options) || lp) return;
    if (o->scorers == 1) fuzz_margin(p, o);
    if (fuzz_flag(o->options, "hard")) {
        if (isfinite(best->objective)) fuzz_must(o->run.training_error == 0);
        return;
    }
    if (!fuzz_costs(o, cost)) return;
    const long double few = 8 * (long double)DBL_EPSILON;
    for (size_t i = 0; i < sizeof factors / sizeof *factors; i++) {
        const long double said = (long double)best->scaled_objective;
        long double off, slow = fuzz_objective(p, o, cost, factors[i], &off);
        off += few * slow;
        fuzz_must((long double)best->scaled_dual_objective <= slow + off);
        if (factors[i] != 1) continue;
        fuzz_must(said >= slow - off);
        fuzz_must(said - slow <= said * (2 * (long double)best->rounding + 1e-12L) + off);
    }
}

/* ---- Other references ---- */

/* The naive perceptron on the same rows; 0: its sums would not be exact. */
static int fuzz_naive(const problem *p, const naive_options *options, naive_run *run)
{
    naive_set set = {
        .n = (int)p->view.rows, .d = (int)p->view.cols, .classes = (int)p->view.classes};
    if (p->numbers != FUZZ_WHOLE) return 0;
    for (int i = 0; i < set.n; i++) {
        memcpy(set.x[i], p->x[i], sizeof p->x[i]);
        set.label[i] = (int)p->y[i];
    }
    memset(run, 0, sizeof *run);
    naive_train(run, &set, options);
    return 1;
}

static void fuzz_perceptron(const problem *p, const outcome *o)
{
    const hsp_options *from = o->options;
    naive_run run;
    const naive_options options = {
        .offset = hsp_options_text(from, "offset"),
        .order = hsp_options_text(from, "order"),
        .tie = hsp_options_text(from, "tie"),
        .constant = hsp_options_real(from, "constant"),
        .target = fuzz_set(from, "margin-target") ? 1 : 0,
        .soft = hsp_options_real(from, "soft"),
        .rate = hsp_options_real(from, "rate"),
        .passes = (int)hsp_options_integer(
            from, hsp_options_integer(from, "passes") ? "passes" : "max-passes"),
        .max_updates = (int)hsp_options_integer(from, "max-updates"),
        .seed = (uint64_t)hsp_options_integer(from, "seed")};
    if (!fuzz_plain(from) || !fuzz_is(from, "average", "none") || fuzz_is(from, "offset", "r2") ||
        fuzz_is(from, "margin-target", "1r") || fuzz_set(from, "classes") ||
        fuzz_set(from, "positive") || !fuzz_is(from, "multiclass", "native") ||
        !fuzz_naive(p, &options, &run))
        return;
    fuzz_must(o->run.updates == (uint64_t)run.updates && o->run.passes == (uint64_t)run.passes);
    for (uint32_t s = 0; s < o->scorers; s++) {
        const double *w = hsp_model_weights(o->model, s);
        for (uint64_t j = 0; j < p->view.cols; j++)
            fuzz_must(w[j] == run.w[s][j]);
        fuzz_must(hsp_model_offset(o->model, s) == run.b[s]);
    }
}

/* What a run that demanded a separator found, in exact arithmetic. */
static void fuzz_separates(const problem *p, const outcome *o)
{
    naive_run run;
    hsp_error err = {0};
    hsp_confirmation found = {.size = sizeof found};
    const naive_options options = {.offset =
                                       fuzz_is(o->options, "offset", "none") ? "none" : "unit",
                                   .order = "cyclic",
                                   .tie = "zero",
                                   .rate = 1,
                                   .passes = 300};
    const hsp_status status =
        hsp_confirm(o->ctx, o->data, NULL, NULL, o->options, &o->run, o->model, &err, &found);
    fuzz_must(status == HSP_OK || err.message[0]);
    if (status == HSP_OK && found.answer == HSP_NOT_SEPARABLE && p->view.classes == 2 &&
        fuzz_plain(o->options) && fuzz_naive(p, &options, &run))
        fuzz_must(!run.converged);
    if (status == HSP_OK) hsp_evidence_free(found.evidence);
}

/* Rows that are equal, and of two classes. */
static int fuzz_contradicts(const problem *p)
{
    for (uint64_t i = 0; i < p->view.rows; i++)
        for (uint64_t k = 0; k < i; k++) {
            int same = p->y[i] != p->y[k];
            for (uint64_t j = 0; j < p->view.cols; j++)
                same &= p->x[i][j] == p->x[k][j];
            if (same) return 1;
        }
    return 0;
}

static void fuzz_nearest(const problem *p, const outcome *o)
{
    if (!fuzz_is(o->options, "k", "1") || !fuzz_plain(o->options) || fuzz_contradicts(p) ||
        !(fuzz_is(o->options, "metric", "l2") || fuzz_is(o->options, "metric", "l1") ||
          fuzz_is(o->options, "metric", "linf")))
        return;
    for (uint64_t i = 0; i < p->view.rows; i++)
        fuzz_must(o->truth[i] == HSP_NO_CLASS || o->classes[i] == o->truth[i]);
}

/* ---- Going on ---- */

/* Settings that look at all rows at once, or whose model is not one that a run goes on from. */
static int fuzz_needs_all(const hsp_options *options)
{
    static const char *const names[] = {"scale",  "normalize", "soft",       "kernel",
                                        "approx", "calibrate", "max-updates"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (fuzz_set(options, names[i])) return 1;
    return fuzz_is(options, "votes", "auto") || fuzz_is(options, "multiclass", "ovo") ||
           fuzz_is(options, "offset", "r2") || fuzz_is(options, "margin-target", "1r");
}

static void fuzz_goes_on(const problem *p, const outcome *o)
{
    static const uint64_t all[FUZZ_ROWS] = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14};
    const uint64_t rows = p->view.rows, half = rows / 2;
    double scores[2][FUZZ_ROWS * FUZZ_CLASSES];
    hsp_model *whole = NULL, *begun = NULL, *both = NULL;
    hsp_data *first = NULL, *second = NULL;
    hsp_options *options = fuzz_options(o->ctx, p);
    fuzz_must(hsp_options_set(options, "passes", "1", NULL) == HSP_OK);
    fuzz_must(hsp_options_set(options, "order", "cyclic", NULL) == HSP_OK);
    fuzz_must(hsp_data_select(o->ctx, o->data, all, half, NULL, &first) == HSP_OK);
    fuzz_must(hsp_data_select(o->ctx, o->data, all + half, rows - half, NULL, &second) == HSP_OK);
    if (hsp_train(o->ctx, o->data, options, NULL, NULL, &whole) == HSP_OK &&
        hsp_train(o->ctx, first, options, NULL, NULL, &begun) == HSP_OK &&
        hsp_train_from(o->ctx, second, options, begun, NULL, NULL, &both) == HSP_OK) {
        const uint32_t scorers = hsp_model_scorers(whole);
        fuzz_must(hsp_model_scorers(both) == scorers);
        fuzz_must(hsp_model_score(o->ctx, whole, &p->view, NULL, scores[0], NULL) == HSP_OK);
        fuzz_must(hsp_model_score(o->ctx, both, &p->view, NULL, scores[1], NULL) == HSP_OK);
        fuzz_same_bits(scores[0], scores[1], rows * scorers);
    }
    hsp_model_free(whole);
    hsp_model_free(begun);
    hsp_model_free(both);
    hsp_data_free(first);
    hsp_data_free(second);
    hsp_options_free(options);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static problem p;
    static outcome one, three;
    if (!fuzz_problem(data, size, &p)) return 0;
    fuzz_train(&p, 1, &one);
    fuzz_train(&p, 3, &three);
    fuzz_same(&p, &one, &three);
    if (one.status == HSP_OK) {
        const int lp = fuzz_is_learner(one.options, "lp") && !fuzz_flag(one.options, "soft");
        if (lp || fuzz_flag(one.options, "hard")) fuzz_separates(&p, &one);
    }
    if (one.model) {
        fuzz_optimum(&p, &one);
        if (fuzz_is_learner(one.options, "perceptron")) fuzz_perceptron(&p, &one);
        if (fuzz_is_learner(one.options, "knn")) fuzz_nearest(&p, &one);
        if (one.run.experts.count && !one.run.experts.several) fuzz_must(one.run.experts.held);
        if (fuzz_has(one.options, "passes") && !fuzz_needs_all(one.options)) fuzz_goes_on(&p, &one);
    }
    fuzz_free(&one);
    fuzz_free(&three);
    return 0;
}
