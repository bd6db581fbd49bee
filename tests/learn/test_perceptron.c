/* The perceptron: by hand, against the naive one, and against the theorems. */
#include "learn/naive.h"

static hsp_context *ctx;

static hsp_data *points(const naive_set *set)
{
    return naive_data(ctx, set, HSP_DENSE, HSP_FLOAT32);
}

/* ---- By hand --------------------------------------------------------------------------------- */

/* (2,1)+ and (-1,-1)-, offset unit, in turn. Row 1: s = 0, a mistake: w = (2,1), b = 1. Row 2:
 * s = -2 - 1 + 1 = -2, y s = 2: right. Pass 2: 2*2 + 1 + 1 = 6 and -2: no mistake. */
static void test_two_points(void)
{
    const naive_set set = {2, 2, 2, {{2, 1}, {-1, -1}}, {1, 0}};
    hsp_data *data = points(&set);
    hsp_options *options = learn_options(ctx, NULL);
    hsp_training run = {.size = sizeof run};
    hsp_model *model = learn_train(ctx, data, options, &run);
    CHECK(run.updates == 1 && run.passes == 2 && run.mistakes_last_pass == 0);
    CHECK(run.stop == HSP_STOP_CONVERGED && run.training_error == 0);
    CHECK(run.online_error == 0.5); /* a score of 0 said class 0 */
    CHECK(hsp_model_weights(model, 0)[0] == 2 && hsp_model_weights(model, 0)[1] == 1);
    CHECK(hsp_model_offset(model, 0) == 1);
    hsp_row_coefficients updates = hsp_model_row_coefficients(model);
    CHECK(updates.count == 1 && updates.row[0] == 0 && updates.scorer[0] == 0 &&
          updates.amount[0] == 1);
    CHECK_TEXT(hsp_model_metadata(model, "learner"), "perceptron");
    CHECK_TEXT(hsp_model_metadata(model, "converged"), "true");
    CHECK_TEXT(hsp_model_metadata(model, "updates"), "1");
    hsp_model_free(model);
    hsp_options_free(options);
    hsp_data_free(data);
}

/* A (1,0)+, B (0,1)-, C (2,1)+, through the origin: A: s=0, w=(1,0). B: s=0, w=(1,-1). C: s=1,
 * right. Pass 2: A 1, B -1, C 1: no mistake. With offset unit: A: w=(1,0) b=1. B: s=1 wrong:
 * w=(1,-1) b=0. C: s=1 right. Pass 2: A 1, B -1, C 1. With r2, R^2 = 5: A: w=(1,0) b=5; B: s=5:
 * w=(1,-1) b=0; the same end. Append c = 2: b moves by 4 and back. */
static void test_three_points(void)
{
    const naive_set set = {3, 2, 2, {{1, 0}, {0, 1}, {2, 1}}, {1, 0, 1}};
    static const char *const settings[][3] = {{"offset=none", NULL},
                                              {"offset=unit", NULL},
                                              {"offset=r2", NULL},
                                              {"offset=append", "constant=2", NULL}};
    hsp_data *data = points(&set);
    for (int i = 0; i < 4; i++) {
        hsp_options *options = learn_options(ctx, settings[i]);
        hsp_training run = {.size = sizeof run};
        hsp_model *model = learn_train(ctx, data, options, &run);
        CHECK(run.updates == 2 && run.passes == 2 && run.stop == HSP_STOP_CONVERGED);
        CHECK(hsp_model_weights(model, 0)[0] == 1 && hsp_model_weights(model, 0)[1] == -1);
        CHECK(hsp_model_offset(model, 0) == 0);
        CHECK(i == 2 ? fabs(run.radius - sqrt(5)) <= 1e-15 : isnan(run.radius));
        hsp_model_free(model);
        hsp_options_free(options);
    }
    hsp_data_free(data);
}

/* After one update of the points above: w = (1,0), and b = 0, 1, 5, 4. */
static void test_offsets(void)
{
    const naive_set set = {3, 2, 2, {{1, 0}, {0, 1}, {2, 1}}, {1, 0, 1}};
    static const char *const settings[][5] = {
        {"offset=none", "max-updates=1", NULL},
        {"offset=unit", "max-updates=1", NULL},
        {"offset=r2", "max-updates=1", NULL},
        {"offset=append", "constant=2", "max-updates=1", NULL},
        {"offset=append", "constant=2", "max-updates=1", "rate=0.5", NULL}};
    static const double offsets[] = {0, 1, 5, 4, 2};
    hsp_data *data = points(&set);
    for (int i = 0; i < 5; i++) {
        hsp_options *options = learn_options(ctx, settings[i]);
        hsp_training run = {.size = sizeof run};
        hsp_model *model = learn_train(ctx, data, options, &run);
        CHECK(run.updates == 1 && run.passes == 1 && run.stop == HSP_STOP_UPDATES);
        CHECK(run.online_rows == 1 && run.online_error == 1); /* of three */
        CHECK(hsp_model_weights(model, 0)[0] == (i == 4 ? 0.5 : 1));
        CHECK(fabs(hsp_model_offset(model, 0) - offsets[i]) <= 1e-14);
        CHECK_TEXT(hsp_model_metadata(model, "converged"), "false");
        hsp_model_free(model);
        hsp_options_free(options);
    }
    hsp_data_free(data);
}

/* Three classes, through the origin. A (1,0) a: all scores 0. The first of equals wins: right,
 * nothing happens (tie neg). B (0,1) b: all 0, says a: w_b = (0,1), w_a = (0,-1). C (-1,-1) c: a 1,
 * b -1, c 0: says a: w_c = (-1,-1), w_a = (1,0). Pass 2: A: a 1, b 0, c -1 right; B: 0, 1, -1
 * right; C: -1, -1, 2 right. */
static void test_three_classes(void)
{
    const naive_set set = {3, 2, 3, {{1, 0}, {0, 1}, {-1, -1}}, {0, 1, 2}};
    static const char *const settings[] = {"offset=none", NULL};
    static const double w[3][2] = {{1, 0}, {0, 1}, {-1, -1}};
    hsp_data *data = points(&set);
    hsp_options *options = learn_options(ctx, settings);
    hsp_training run = {.size = sizeof run};
    hsp_model *model = learn_train(ctx, data, options, &run);
    CHECK(run.updates == 2 && run.passes == 2 && run.stop == HSP_STOP_CONVERGED);
    CHECK(fabs(run.online_error - 2.0 / 3) <= 1e-15);
    for (uint32_t c = 0; c < 3; c++)
        for (int j = 0; j < 2; j++)
            CHECK(hsp_model_weights(model, c)[j] == w[c][j]);
    hsp_row_coefficients updates = hsp_model_row_coefficients(model);
    static const uint64_t rows[] = {1, 1, 2, 2};
    static const uint32_t scorers[] = {0, 1, 0, 2};
    static const double amounts[] = {-1, 1, -1, 1};
    CHECK(updates.count == 4);
    for (uint64_t i = 0; updates.count == 4 && i < 4; i++)
        CHECK(updates.row[i] == rows[i] && updates.scorer[i] == scorers[i] &&
              updates.amount[i] == amounts[i]);
    hsp_model_free(model);
    hsp_options_free(options);
    hsp_data_free(data);
}

/* The row of zeros, offset none: its score is 0 for ever. y s <= 0 is a mistake whatever y is; with
 * tie pos, only of a negative row. */
static void test_ties(void)
{
    static const char *const settings[][3] = {{"offset=none", "tie=neg", NULL},
                                              {"offset=none", "tie=pos", NULL},
                                              {"offset=none", "tie=zero", NULL}};
    for (int label = 0; label < 2; label++) {
        const naive_set set = {3, 1, 2, {{1}, {-1}, {0}}, {1, 0, label}};
        hsp_data *data = points(&set);
        for (int t = 0; t < 3; t++) {
            hsp_options *options = learn_options(ctx, settings[t]);
            hsp_training run = {.size = sizeof run};
            hsp_model *model = learn_train(ctx, data, options, &run);
            const int settled = t == 1 && label == 1;
            CHECK((run.stop == HSP_STOP_CONVERGED) == settled);
            CHECK(run.passes == (settled ? 2 : 10));
            /* tie pos: (1) with score 0 is right, (-1) with score 0 is not */
            CHECK(hsp_model_weights(model, 0)[0] == 1);
            /* prediction: the zero row is negative, positive, neither */
            CHECK(run.training_error == (t == label ? 0 : 1.0 / 3));
            hsp_model_free(model);
            hsp_options_free(options);
        }
        hsp_data_free(data);
    }
}

/* Freund and Schapire's run: two rows that contradict each other never settle; the soft one does.
 */
static void test_contradiction(void)
{
    const naive_set set = {2, 1, 2, {{1}, {1}}, {1, 0}};
    static const char *const settings[] = {"offset=none", "soft=1", "passes=until-converged", NULL};
    hsp_data *data = points(&set);
    hsp_options *options = learn_options(ctx, NULL);
    hsp_training run = {.size = sizeof run};
    hsp_model *model = learn_train(ctx, data, options, &run);
    CHECK(run.stop == HSP_STOP_PASSES && run.passes == 10 && run.updates == 20);
    hsp_model_free(model);
    hsp_options_free(options);
    options = learn_options(ctx, settings);
    model = learn_train(ctx, data, options, &run);
    CHECK(run.stop == HSP_STOP_CONVERGED);
    hsp_model_free(model);
    hsp_options_free(options);
    hsp_data_free(data);
}

/* ---- Against the naive one ------------------------------------------------------------------- */

static int close_to(double a, double b)
{
    return fabs(a - b) <= 1e-12 * (1 + fabs(b));
}

static void compare(const naive_set *set, const naive_options *o, const naive_run *naive,
                    const hsp_model *model, const hsp_training *run)
{
    CHECK(run->updates == (uint64_t)naive->updates);
    CHECK(run->passes == (uint64_t)naive->passes);
    CHECK(run->mistakes_last_pass == (uint64_t)naive->mistakes);
    CHECK((run->stop == HSP_STOP_CONVERGED) == naive->converged);
    for (int c = 0; c < naive->scorers; c++) {
        const double *w = hsp_model_weights(model, (uint32_t)c);
        for (int j = 0; j < set->d; j++)
            CHECK(w[j] == naive->w[c][j]);
        CHECK(hsp_model_offset(model, (uint32_t)c) == naive->b[c]);
    }
    const int turns = strcmp(o->order, "cyclic") == 0 || strcmp(o->order, "shuffle") == 0;
    if (!turns) {
        CHECK(isnan(run->online_error));
    } else {
        int seen = naive->examples < set->n ? naive->examples : set->n;
        CHECK(run->online_error == (double)naive->first_wrong / seen);
    }
}

/* Triples in order, none zero, that rebuild w. */
static void compare_updates(const naive_set *set, const naive_run *naive, const hsp_model *model)
{
    hsp_row_coefficients u = hsp_model_row_coefficients(model);
    double w[NAIVE_CLASSES][NAIVE_COLS] = {{0}};
    for (uint64_t i = 0; i < u.count; i++) {
        CHECK(u.amount[i] != 0 && u.amount[i] == naive->amount[u.row[i]][u.scorer[i]]);
        if (i)
            CHECK(u.row[i - 1] < u.row[i] ||
                  (u.row[i - 1] == u.row[i] && u.scorer[i - 1] < u.scorer[i]));
        for (int j = 0; j < set->d; j++)
            w[u.scorer[i]][j] += u.amount[i] * set->x[u.row[i]][j];
    }
    for (int c = 0; c < naive->scorers; c++)
        for (int j = 0; j < set->d; j++)
            CHECK(w[c][j] == hsp_model_weights(model, (uint32_t)c)[j]);
}

static double naive_error(const naive_set *set, const naive_options *o, const naive_run *naive)
{
    int wrong = 0;
    for (int i = 0; i < set->n; i++) {
        double s[NAIVE_CLASSES];
        naive_scores(naive, set, i, s);
        wrong += naive_decide(s, naive->scorers, o->tie) != set->label[i];
    }
    return (double)wrong / set->n;
}

static void test_like_the_naive_one(void)
{
    hsp__random random;
    hsp__random_seed(&random, 3, 1);
    for (int trial = 0; trial < 6000; trial++) {
        naive_set set;
        naive_options o = naive_draw_options(&random);
        naive_draw(&set, &random, trial % 3 == 2 ? 3 + trial / 3 % 2 : 2, o.offset);
        if (set.classes > 2) o.soft = 0;
        naive_run naive = {0};
        naive_train(&naive, &set, &o);
        hsp_storage storage = trial % 2 ? HSP_DENSE : HSP_SPARSE;
        hsp_data *data = naive_data(ctx, &set, storage, trial % 5 ? HSP_FLOAT32 : HSP_FLOAT64);
        hsp_options *options = naive_to_options(ctx, &o);
        hsp_training run = {.size = sizeof run};
        hsp_model *model = learn_train(ctx, data, options, &run);
        compare(&set, &o, &naive, model, &run);
        compare_updates(&set, &naive, model);
        CHECK(run.training_error == naive_error(&set, &o, &naive));
        if (check_failures)
            fprintf(stderr, "trial %d: %s %s %s\n", trial, o.offset, o.order, o.tie);
        hsp_model_free(model);
        hsp_options_free(options);
        hsp_data_free(data);
        if (check_failures) return;
    }
}

static void test_average(void)
{
    hsp__random random;
    hsp__random_seed(&random, 3, 2);
    for (int trial = 0; trial < 2000; trial++) {
        naive_set set;
        naive_options o = naive_draw_options(&random);
        naive_draw(&set, &random, trial % 3 == 2 ? 3 : 2, o.offset);
        if (set.classes > 2) o.soft = 0;
        naive_run naive = {0};
        naive_train(&naive, &set, &o);
        hsp_data *data = naive_data(ctx, &set, HSP_SPARSE, HSP_FLOAT32);
        hsp_options *options = naive_to_options(ctx, &o);
        learn_set(options, "average", "average");
        hsp_training run = {.size = sizeof run};
        hsp_model *model = learn_train(ctx, data, options, &run);
        CHECK(run.updates == (uint64_t)naive.updates);
        for (int c = 0; c < naive.scorers; c++) {
            for (int j = 0; j < set.d; j++)
                CHECK(close_to(hsp_model_weights(model, (uint32_t)c)[j],
                               (double)(naive.sum[c][j] / naive.examples)));
            CHECK(close_to(hsp_model_offset(model, (uint32_t)c),
                           (double)(naive.sum_b[c] / naive.examples)));
        }
        hsp_model_free(model);
        hsp_options_free(options);
        hsp_data_free(data);
        if (check_failures) return;
    }
}

/* Each separator of the naive run votes with the number of examples it survived. */
static uint32_t replay(const naive_set *set, const naive_options *o, const naive_run *naive, int i)
{
    double votes[NAIVE_CLASSES] = {0};
    for (int t = -1; t < naive->steps; t++) {
        double s[NAIVE_CLASSES] = {0};
        naive_run at = {.scorers = naive->scorers};
        if (t >= 0) memcpy(at.w, naive->step[t].w, sizeof at.w);
        if (t >= 0) memcpy(at.b, naive->step[t].b, sizeof at.b);
        naive_scores(&at, set, i, s);
        int chosen = naive_decide(s, naive->scorers, o->tie);
        if (chosen < 0) continue;
        votes[chosen] += t < 0 ? naive->at_zero : naive->step[t].survived;
    }
    double two = votes[1] - votes[0];
    int chosen = naive->scorers == 1 ? naive_decide(&two, 1, o->tie)
                                     : naive_decide(votes, naive->scorers, o->tie);
    return chosen < 0 ? HSP_NO_CLASS : (uint32_t)chosen;
}

static void test_vote(void)
{
    hsp__random random;
    hsp__random_seed(&random, 3, 3);
    naive_step *steps = malloc(NAIVE_STEPS * sizeof *steps);
    for (int trial = 0; trial < 1500; trial++) {
        naive_set set;
        naive_options o = naive_draw_options(&random);
        naive_draw(&set, &random, trial % 3 == 2 ? 3 : 2, o.offset);
        if (set.classes > 2) o.soft = 0;
        naive_run naive = {.step = steps};
        naive_train(&naive, &set, &o);
        hsp_data *data = naive_data(ctx, &set, trial % 2 ? HSP_DENSE : HSP_SPARSE, HSP_FLOAT32);
        hsp_options *options = naive_to_options(ctx, &o);
        learn_set(options, "average", "vote");
        hsp_training run = {.size = sizeof run};
        hsp_model *model = learn_train(ctx, data, options, &run);
        if (!model) break;
        CHECK_TEXT(hsp_model_hypothesis(model), "votes");
        double scores[NAIVE_ROWS * NAIVE_CLASSES];
        uint32_t classes[NAIVE_ROWS];
        hsp_error err = {0};
        CHECK(hsp_model_score(ctx, model, &data->view, &err, scores, classes) == HSP_OK);
        int wrong = 0;
        for (int i = 0; i < set.n; i++) {
            CHECK(classes[i] == replay(&set, &o, &naive, i));
            wrong += classes[i] != (uint32_t)set.label[i];
        }
        CHECK(run.training_error == (double)wrong / set.n);
        hsp_model_free(model);
        hsp_options_free(options);
        hsp_data_free(data);
        if (check_failures) break;
    }
    free(steps);
}

/* ---- Theorems -------------------------------------------------------------------------------- */

typedef struct theorem {
    const double *w; /* the hidden separator */
    double b;
    long double gamma, length2; /* min y <w~*, x~>, ||w~*||^2 */
    long double radius2;        /* max ||x~||^2 */
    long double rate;
} theorem;

static void theorem_measure(theorem *t, const naive_set *set, long double c)
{
    t->gamma = HUGE_VALL;
    t->length2 = c > 0 ? (long double)t->b * t->b / (c * c) : 0;
    t->radius2 = 0;
    for (int j = 0; j < set->d; j++)
        t->length2 += (long double)t->w[j] * t->w[j];
    for (int i = 0; i < set->n; i++) {
        long double s = c > 0 ? t->b : 0, squares = c * c;
        for (int j = 0; j < set->d; j++) {
            s += (long double)t->w[j] * set->x[i][j];
            squares += (long double)set->x[i][j] * set->x[i][j];
        }
        t->gamma = fminl(t->gamma, set->label[i] ? s : -s);
        t->radius2 = fmaxl(t->radius2, squares);
    }
}

/* Every step of the proof, after every update. */
static void theorem_step(void *user, const naive_run *run, const naive_set *set, int row)
{
    const theorem *t = user;
    const long double k = run->updates, c = run->c, slack = 1 + 1e-12L;
    long double inner = c > 0 ? (long double)t->b * run->b[0] / (c * c) : 0;
    long double norm2 = c > 0 ? (long double)run->b[0] * run->b[0] / (c * c) : 0;
    (void)row;
    for (int j = 0; j < set->d; j++) {
        inner += (long double)t->w[j] * run->w[0][j];
        norm2 += (long double)run->w[0][j] * run->w[0][j];
    }
    CHECK(inner * slack >= k * t->rate * t->gamma);
    CHECK(norm2 <= k * (t->rate * t->rate * t->radius2 + 2 * t->rate * run->target) * slack);
    if (run->target == 0) CHECK(inner * slack >= t->gamma * sqrtl(k) * sqrtl(norm2 / t->radius2));
}

/* Separable data: every offset, order, tie and margin target ends without a mistake, and within the
 * bound. */
static void test_bounds(void)
{
    hsp__random random;
    hsp__random_seed(&random, 3, 4);
    for (int trial = 0; trial < 3000; trial++) {
        naive_set set;
        double w[NAIVE_COLS], b;
        naive_options o = naive_draw_options(&random);
        naive_draw_separable(&set, &random, o.offset, w, &b);
        o.soft = 0;
        o.max_updates = 0;
        o.passes = 100000;
        theorem t = {.w = w, .b = b, .rate = (long double)o.rate};
        naive_run naive = {.watch = theorem_step, .user = &t};
        const double r = naive_radius(&set);
        theorem_measure(&t, &set,
                        strcmp(o.offset, "none") == 0   ? 0
                        : strcmp(o.offset, "unit") == 0 ? 1
                        : strcmp(o.offset, "r2") == 0   ? (long double)r
                                                        : (long double)o.constant);
        naive_train(&naive, &set, &o);
        hsp_data *data = points(&set);
        hsp_options *options = naive_to_options(ctx, &o);
        hsp_training run = {.size = sizeof run};
        hsp_model *model = learn_train(ctx, data, options, &run);
        const long double bound =
            (t.radius2 + 2 * (long double)naive.target / t.rate) * t.length2 / (t.gamma * t.gamma);
        CHECK(run.stop == HSP_STOP_CONVERGED && run.training_error == 0);
        CHECK(run.mistakes_last_pass == 0);
        CHECK_NOTE((long double)run.updates <= bound * (1 + 1e-12L), "%llu updates, bound %Lg",
                   (unsigned long long)run.updates, bound);
        compare(&set, &o, &naive, model, &run);
        hsp_model_free(model);
        hsp_options_free(options);
        hsp_data_free(data);
        if (check_failures) return;
    }
}

/* The generator's data, of real numbers: margin gamma, rows in the unit ball. */
static void test_generated(void)
{
    static const char *const offsets[] = {"none", "unit", "r2", "append"};
    static const char *const orders[] = {"cyclic", "shuffle", "first", "worst", "random"};
    for (int trial = 0; trial < 100; trial++) {
        hsp_options *make = NULL;
        hsp_data *data = NULL;
        CHECK(hsp_options_new(ctx, hsp_generator(0), NULL, &make) == HSP_OK);
        CHECK_TEXT(hsp_options_table(make)->name, "separable");
        const int through = trial % 4 == 0;
        learn_set(make, "rows", "60");
        learn_set(make, "features", "8");
        learn_set(make, "margin", "0.1");
        learn_set(make, "offset", through ? "0" : "0.2");
        learn_set_real(make, "seed", trial);
        CHECK(hsp_data_make(ctx, make, NULL, NULL, NULL, &data) == HSP_OK);
        hsp_options *options = learn_options(ctx, NULL);
        learn_set(options, "offset", offsets[trial % 4]);
        learn_set(options, "order", orders[trial / 4 % 5]);
        learn_set(options, "passes", "until-converged");
        hsp_training run = {.size = sizeof run};
        hsp_model *model = learn_train(ctx, data, options, &run);
        CHECK(run.stop == HSP_STOP_CONVERGED && run.training_error == 0);
        /* ||x~||^2 <= 1 + c^2 <= 2; ||w~*||^2 = 1 + (0.2 / c)^2 with c = 1, or R <= 1 near it */
        CHECK((double)run.updates <= (through ? 1 : 2.2) * 1.0001 / 0.01);
        hsp_model_free(model);
        hsp_options_free(options);
        hsp_data_free(data);
        hsp_options_free(make);
    }
}

/* Inseparable rows: with a coordinate Delta of its own for every row, u = w* / Z and the deficits
 * in the new coordinates separate with margin gamma / Z, Z^2 = ||w*||^2 + D^2 / Delta^2: so the run
 * ends, with k <= (R^2 + Delta^2) Z^2 / gamma^2 for every w* and gamma. */
static void test_soft_bound(void)
{
    hsp__random random;
    hsp__random_seed(&random, 3, 5);
    for (int trial = 0; trial < 500; trial++) {
        naive_set set;
        naive_draw(&set, &random, 2, "none");
        const double delta = 1 + (double)hsp__random_below(&random, 3);
        char text[32];
        snprintf(text, sizeof text, "soft=%g", delta);
        const char *const settings[] = {"offset=none", "passes=until-converged",
                                        "max-passes=100000", text, NULL};
        hsp_data *data = points(&set);
        hsp_options *options = learn_options(ctx, settings);
        hsp_training run = {.size = sizeof run};
        hsp_model *model = learn_train(ctx, data, options, &run);
        const double r = naive_radius(&set);
        CHECK(run.stop == HSP_STOP_CONVERGED);
        for (int guess = 0; guess < 5; guess++) {
            long double w[NAIVE_COLS], length2 = 0, deficit2 = 0, gamma = 1;
            for (int j = 0; j < set.d; j++) {
                w[j] = guess ? (long double)hsp__random_unit(&random) - 0.5L : 0;
                length2 += w[j] * w[j];
            }
            for (int i = 0; i < set.n; i++) {
                long double s = 0;
                for (int j = 0; j < set.d; j++)
                    s += w[j] * set.x[i][j];
                long double lack = fmaxl(0, gamma - (set.label[i] ? s : -s));
                deficit2 += lack * lack;
            }
            long double z2 = length2 + deficit2 / (delta * delta);
            CHECK((long double)run.updates <=
                  ((long double)r * r + delta * delta) * z2 * 1.000001L);
        }
        hsp_model_free(model);
        hsp_options_free(options);
        hsp_data_free(data);
        if (check_failures) return;
    }
}

/* Every row is beyond the target when the margin perceptron ends. */
static void test_margin_target(void)
{
    hsp__random random;
    hsp__random_seed(&random, 3, 6);
    static const char *const settings[] = {"margin-target=0.5r", "passes=until-converged",
                                           "max-passes=100000", NULL};
    for (int trial = 0; trial < 300; trial++) {
        naive_set set;
        double w[NAIVE_COLS], b;
        naive_draw_separable(&set, &random, "unit", w, &b);
        hsp_data *data = points(&set);
        hsp_options *options = learn_options(ctx, settings);
        hsp_training run = {.size = sizeof run};
        hsp_model *model = learn_train(ctx, data, options, &run);
        CHECK(run.stop == HSP_STOP_CONVERGED && close_to(run.radius, naive_radius(&set)));
        for (int i = 0; i < set.n; i++) {
            double s = hsp_model_offset(model, 0);
            for (int j = 0; j < set.d; j++)
                s += hsp_model_weights(model, 0)[j] * set.x[i][j];
            CHECK((set.label[i] ? s : -s) >= 0.5 * run.radius);
        }
        hsp_model_free(model);
        hsp_options_free(options);
        hsp_data_free(data);
    }
}

/* ---- What cannot be ----------------------------------------------------------------------------
 */

static void test_refusals(void)
{
    const naive_set set = {3, 2, 3, {{1, 0}, {0, 1}, {2, 1}}, {0, 1, 2}};
    static const char *const settings[][4] = {
        {"constant=2", NULL},       {"reference=x", NULL},
        {"margin-target=-1", NULL}, {"margin-target=1x", NULL},
        {"margin-target=r", NULL},  {"margin-target=", NULL},
        {"soft=1", NULL},           {"trace=/nowhere/trace.csv", NULL},
        {"classes=0", NULL},        {"classes=0,,1", NULL},
        {"classes=0,0", NULL}};
    hsp_data *data = points(&set);
    for (size_t i = 0; i < sizeof settings / sizeof *settings; i++) {
        hsp_options *options = learn_options(ctx, settings[i]);
        hsp_error err = {0};
        hsp_model *model = NULL;
        CHECK_NOTE(hsp_train(ctx, data, options, &err, NULL, &model) == HSP_USAGE, "%s",
                   settings[i][0]);
        CHECK(model == NULL && err.status == HSP_USAGE && strlen(err.message) > 20);
        hsp_options_free(options);
    }
    hsp_data_free(data);
    const naive_set one = {2, 1, 1, {{1}, {2}}, {0, 0}};
    data = points(&one);
    hsp_options *options = learn_options(ctx, NULL);
    hsp_error err = {0};
    hsp_model *model = NULL;
    CHECK(hsp_train(ctx, data, options, &err, NULL, &model) == HSP_BAD_DATA && model == NULL);
    hsp_options_free(options);
    hsp_data_free(data);
}

int main(void)
{
    if (hsp_context_new(NULL, &ctx)) return 1;
    RUN(test_two_points);
    RUN(test_three_points);
    RUN(test_offsets);
    RUN(test_three_classes);
    RUN(test_ties);
    RUN(test_contradiction);
    RUN(test_like_the_naive_one);
    RUN(test_average);
    RUN(test_vote);
    RUN(test_bounds);
    RUN(test_generated);
    RUN(test_soft_bound);
    RUN(test_margin_target);
    RUN(test_refusals);
    hsp_context_free(ctx);
    return check_done();
}
