/* Calibration: Platt scaling by its optimality conditions and by hand, isotonic regression by its
 * own and by the min-max formula, over random scores; and models that decide by what was fitted. */
#include "base/memory.h"
#include "data/prepare.h"
#include "learn/select/calibration_fit.h"
#include "learn/naive.h"
#include "model/probability.h"

enum { MOST = 60, CLASSES = 4 };

typedef struct sample {
    hsp__calibration_scores scored;
    double scores[MOST * CLASSES], weight[MOST];
    uint32_t label[MOST];
} sample;

/* Scores that say something of the label, or nothing, or the contrary; with repeats or without. */
static void draw(hsp__random *random, uint32_t classes, sample *out)
{
    const double signal = (double)hsp__random_below(random, 5) - 1;
    const double shift = (double)hsp__random_below(random, 3);
    const int whole = hsp__random_below(random, 2) != 0;
    out->scored =
        (hsp__calibration_scores){.rows = 1 + hsp__random_below(random, MOST),
                                  .stride = classes,
                                  .scores = out->scores,
                                  .positive = (uint32_t)hsp__random_below(random, classes),
                                  .label = out->label};
    out->scored.scores = out->scores + out->scored.positive;
    for (uint64_t i = 0; i < out->scored.rows; i++) {
        out->label[i] = (uint32_t)hsp__random_below(random, classes);
        out->weight[i] = 1 + (double)hsp__random_below(random, 3);
        for (uint32_t c = 0; c < classes; c++) {
            const double s =
                hsp__random_normal(random) * 3 + shift + (out->label[i] == c ? signal : -signal);
            out->scores[i * classes + c] = whole ? round(s) : s;
        }
    }
    if (hsp__random_below(random, 2)) out->scored.weight = out->weight;
}

static double weight_of(const sample *s, uint64_t i)
{
    return s->scored.weight ? s->scored.weight[i] : 1;
}

static double score_of(const sample *s, uint64_t i)
{
    return s->scored.scores[i * s->scored.stride];
}

static int own_of(const sample *s, uint64_t i)
{
    return s->label[i] == s->scored.positive;
}

static double weight_sum(const sample *s, int own)
{
    double sum = 0;
    for (uint64_t i = 0; i < s->scored.rows; i++)
        if (own_of(s, i) == own) sum += weight_of(s, i);
    return sum;
}

/* ---- Platt scaling --------------------------------------------------------------------------- */

static double target_of(const sample *s, uint64_t i)
{
    return own_of(s, i) ? (weight_sum(s, 1) + 1) / (weight_sum(s, 1) + 2)
                        : 1 / (weight_sum(s, 0) + 2);
}

/* The slopes of the cross entropy by a and b, and how large their terms are. */
static void gradient(const sample *s, const double platt[2], double g[2], double size[2])
{
    g[0] = g[1] = size[0] = size[1] = 0;
    for (uint64_t i = 0; i < s->scored.rows; i++) {
        const double p = 1 / (1 + exp(-(platt[0] * score_of(s, i) + platt[1])));
        const double d = weight_of(s, i) * (p - target_of(s, i));
        g[0] += d * score_of(s, i);
        g[1] += d;
        size[0] += fabs(d * score_of(s, i));
        size[1] += fabs(d);
    }
}

static double loss_at(const sample *s, double a, double b)
{
    double loss = 0;
    for (uint64_t i = 0; i < s->scored.rows; i++) {
        const double f = a * score_of(s, i) + b, t = target_of(s, i);
        loss += weight_of(s, i) * (t * log1p(exp(-f)) + (1 - t) * log1p(exp(f)));
    }
    return loss;
}

/* The cross entropy is convex: where both slopes are 0 is the minimum. */
static void platt_has_no_slope_left(void)
{
    int up = 0, down = 0;
    for (uint64_t seed = 0; seed < 600; seed++) {
        hsp__random random;
        sample s;
        double platt[2], g[2], size[2];
        hsp__random_seed(&random, 1, seed);
        draw(&random, 2 + (uint32_t)(seed % 3), &s);
        hsp__fit_platt(&s.scored, platt);
        CHECK(isfinite(platt[0]) && isfinite(platt[1]));
        gradient(&s, platt, g, size);
        CHECK_NOTE(fabs(g[0]) <= 1e-9 * (1 + size[0]) && fabs(g[1]) <= 1e-9 * (1 + size[1]),
                   "seed %llu: slopes %g %g", (unsigned long long)seed, g[0], g[1]);
        const double best = loss_at(&s, platt[0], platt[1]);
        for (int i = 0; i < 20; i++)
            CHECK(best <= loss_at(&s, platt[0] + 0.1 * hsp__random_normal(&random),
                                  platt[1] + 0.1 * hsp__random_normal(&random)) +
                              1e-12 * (1 + best));
        up += platt[0] > 0;
        down += platt[0] < 0;
    }
    CHECK(up > 200 && down > 100); /* both kinds of answers were asked for */
}

/* Two scores: p is the mean of the targets at each. N+ = 4, N- = 8: targets 5/6 and 1/10. At -1
 * there are 1 of the class and 5 others, at 1 there are 3 and 3. */
static void platt_by_hand(void)
{
    double scores[12], platt[2];
    uint32_t label[12];
    for (int i = 0; i < 12; i++) {
        scores[i] = i < 6 ? -1 : 1;
        label[i] = i < 1 || i >= 9;
    }
    const hsp__calibration_scores scored = {
        .rows = 12, .stride = 1, .scores = scores, .label = label, .positive = 1};
    hsp__fit_platt(&scored, platt);
    const double low = (5.0 / 6 + 5 * 0.1) / 6, high = (3 * 5.0 / 6 + 3 * 0.1) / 6;
    CHECK(fabs(1 / (1 + exp(platt[0] - platt[1])) - low) <= 1e-12);
    CHECK(fabs(1 / (1 + exp(-platt[0] - platt[1])) - high) <= 1e-12);
    for (int i = 0; i < 12; i++) /* one score: a constant */
        scores[i] = -7;
    hsp__fit_platt(&scored, platt);
    CHECK(platt[0] == 0 && fabs(1 / (1 + exp(-platt[1])) - (4 * 5.0 / 6 + 8 * 0.1) / 12) <= 1e-12);
}

/* Scores of any unit, around any centre, give the same probabilities. */
static void platt_does_not_mind_the_unit(void)
{
    static const double units[] = {1e-280, 1e-9, 1e9, 1e280}, centres[] = {0, 0, 1e3, 0};
    for (uint64_t seed = 0; seed < 40; seed++)
        for (size_t u = 0; u < 4; u++) {
            hsp__random random;
            sample s;
            double plain[2], other[2], moved[MOST];
            hsp__random_seed(&random, 2, seed);
            draw(&random, 2 + (uint32_t)(seed % 3), &s);
            hsp__fit_platt(&s.scored, plain);
            for (uint64_t i = 0; i < s.scored.rows; i++)
                moved[i] = (score_of(&s, i) + centres[u]) * units[u];
            hsp__calibration_scores scored = s.scored;
            scored.scores = moved;
            scored.stride = 1;
            hsp__fit_platt(&scored, other);
            for (uint64_t i = 0; i < s.scored.rows; i++)
                CHECK(fabs(other[0] * moved[i] + other[1] - plain[0] * score_of(&s, i) -
                           plain[1]) <= 1e-6 * (1 + fabs(plain[0] * score_of(&s, i) + plain[1])));
        }
}

/* ---- Isotonic regression --------------------------------------------------------------------- */

typedef struct plain_point {
    double x, y, w;
} plain_point;

/* The value at point i of the rising function with the least squares: the largest over what begins
 * at or before i of the smallest mean of what ends at or behind it. Equal scores count together. */
static double min_max(const plain_point *p, int n, int i)
{
    double best = -HUGE_VAL;
    for (int from = 0; from < n; from++) {
        if (p[from].x > p[i].x || (from && p[from - 1].x == p[from].x)) continue;
        double least = HUGE_VAL, sum = 0, weight = 0;
        for (int to = from; to < n; to++) {
            sum += p[to].w * p[to].y;
            weight += p[to].w;
            if (p[to].x < p[i].x || (to + 1 < n && p[to + 1].x == p[to].x)) continue;
            least = fmin(least, sum / weight);
        }
        best = fmax(best, least);
    }
    return best;
}

static int plain_compare(const void *a, const void *b)
{
    const double x = ((const plain_point *)a)->x, y = ((const plain_point *)b)->x;
    return (x > y) - (x < y);
}

static int plain_points(const sample *s, plain_point *out)
{
    for (uint64_t i = 0; i < s->scored.rows; i++)
        out[i] = (plain_point){score_of(s, i), own_of(s, i), weight_of(s, i)};
    qsort(out, (size_t)s->scored.rows, sizeof *out, plain_compare);
    return (int)s->scored.rows;
}

/* The conditions of Karush, Kuhn and Tucker for the least squares over f_1 <= f_2 <= ... within
 * limits. In each run of equal f, let S_k be the sum of w (y - f) over its first k scores and E
 * that over all of them. No part of the run would gain by leaving it, and neither would the whole:
 * S_k >= 0 and E = 0; at the lower limit S_k >= E and E <= 0, at the upper one S_k >= 0 and E >= 0.
 */
static void check_optimal(const plain_point *p, int n, const double *f, double least, double most)
{
    for (int from = 0, to; from < n; from = to) {
        double end = 0, sum = 0;
        for (to = from; to < n && f[to] == f[from]; to++)
            end += p[to].w * (p[to].y - f[to]);
        CHECK(to == n || f[to] > f[from]);
        CHECK(f[from] >= least && f[from] <= most);
        if (f[from] > least) CHECK(end >= -1e-9);
        if (f[from] < most) CHECK(end <= 1e-9);
        for (int k = from; k < to; k++) {
            sum += p[k].w * (p[k].y - f[k]);
            if (k + 1 == to || p[k].x < p[k + 1].x)
                CHECK(sum >= (f[from] > least ? 0 : end) - 1e-9);
        }
    }
}

static void isotonic_is_the_best(void)
{
    hsp_context *ctx = test_context(1, 0);
    for (uint64_t seed = 0; seed < 600; seed++) {
        hsp__random random;
        sample s;
        plain_point points[MOST];
        double f[MOST];
        uint64_t first[2] = {0, 0};
        hsp__random_seed(&random, 3, seed);
        draw(&random, 2 + (uint32_t)(seed % 3), &s);
        hsp__probability map = {
            .calibration = HSP__CALIBRATION_ISOTONIC, .scale = 1, .first = first};
        CHECK(hsp__fit_isotonic(ctx, &s.scored, NULL, &map.knots, &map.at, &map.value) == HSP_OK);
        first[1] = map.knots;
        const int n = plain_points(&s, points);
        const double rows = weight_sum(&s, 0) + weight_sum(&s, 1), least = 1 / (rows + 2);
        for (int i = 0; i < n; i++) {
            f[i] = hsp__probability_line(&map, 0, points[i].x);
            CHECK(fabs(f[i] - fmin(fmax(min_max(points, n, i), least), 1 - least)) <= 1e-12);
        }
        check_optimal(points, n, f, least, 1 - least);
        for (uint64_t k = 1; k < map.knots; k++)
            CHECK(map.at[k - 1] < map.at[k] && map.value[k - 1] <= map.value[k]);
        hsp__free(&ctx->allocator, map.at);
        hsp__free(&ctx->allocator, map.value);
    }
    hsp_context_free(ctx);
}

/* ---- Models ---------------------------------------------------------------------------------- */

static hsp_data *any_data(hsp_context *ctx, uint64_t seed, int classes)
{
    const test_recipe recipe = {
        .rows = 240, .cols = 5, .seed = seed, .density = 0.8, .classes = classes};
    double *x = test_numbers(&recipe);
    uint32_t labels[240];
    hsp__random random;
    hsp__random_seed(&random, seed, 9);
    for (int i = 0; i < 240; i++) { /* the first columns tell, now and then wrongly */
        uint32_t best = 0;
        for (uint32_t c = 1; c < (uint32_t)classes; c++)
            if (x[i * 5 + (int)c] > x[i * 5 + (int)best]) best = c;
        labels[i] = hsp__random_below(&random, 6)
                        ? best
                        : (uint32_t)hsp__random_below(&random, (uint64_t)classes);
    }
    hsp_data *data = test_build(ctx, x, 240, 5, labels, (uint32_t)classes, HSP_DENSE, HSP_FLOAT64);
    free(x);
    return data;
}

/* The class predicted has the largest probability, and its scores are those without calibration. */
static void decides_by_probability(hsp_context *ctx, const hsp_model *a, const hsp_model *b)
{
    enum { ROWS = 1500 };
    const test_recipe recipe = {.rows = ROWS, .cols = 5, .seed = 77, .density = 0.8};
    hsp_data *rows = test_random(ctx, &recipe, HSP_DENSE, HSP_FLOAT64);
    double *scores = calloc((size_t)ROWS * 6, sizeof *scores), p[CLASSES];
    double *again = calloc((size_t)ROWS * 6, sizeof *again);
    uint32_t *v = calloc(ROWS, sizeof *v);
    CHECK(hsp_model_score(ctx, a, &rows->view, NULL, again, NULL) == HSP_OK);
    CHECK(hsp_model_score(ctx, b, &rows->view, NULL, scores, v) == HSP_OK);
    CHECK(memcmp(scores, again, (size_t)ROWS * b->scorers * sizeof *scores) == 0);
    for (int i = 0; i < ROWS; i++) {
        double sum = 0;
        hsp_model_probabilities(b, scores + (size_t)i * b->scorers, p);
        for (uint32_t c = 0; c < hsp_model_classes(b); c++) {
            sum += p[c];
            CHECK(v[i] != HSP_NO_CLASS && p[c] <= p[v[i]]);
        }
        CHECK(fabs(sum - 1) <= 1e-12);
    }
    free(scores);
    free(again);
    free(v);
    hsp_data_free(rows);
}

/* Log loss beats knowing nothing; any number of threads gives the same map; the training error is
 * that of the calibrated model. */
static void models_with_probabilities(void)
{
    static const char *const settings[] = {"multiclass=ovr", "multiclass=native", "multiclass=ovo",
                                           "multiclass=ovo scale=standard average=average"};
    static const char *const kinds[] = {"platt", "isotonic"};
    hsp_context *ctx = test_context(1, 0), *many = test_context(3, 0);
    for (size_t i = 0; i < 16; i++) {
        char text[160];
        hsp_training run = {.size = sizeof run};
        const int classes = 2 + (int)(i / 2 % 2) * 2;
        hsp_data *data = any_data(ctx, i, classes);
        hsp_options *plain = test_options(ctx, hsp_learner_find("perceptron"), settings[i / 4]);
        snprintf(text, sizeof text, "%s calibrate=%s", settings[i / 4], kinds[i % 2]);
        hsp_options *options = test_options(ctx, hsp_learner_find("perceptron"), text);
        hsp_model *a = learn_train(ctx, data, plain, &run);
        hsp_model *b = learn_train(ctx, data, options, &run);
        hsp_model *c = learn_train(many, data, options, NULL);
        CHECK(!hsp_model_has_probabilities(a) && hsp_model_has_probabilities(b));
        CHECK_TEXT(hsp_model_calibration(b), kinds[i % 2]);
        decides_by_probability(ctx, a, b);
        hsp_evaluation all = {.size = sizeof all}, again = {.size = sizeof again};
        CHECK(hsp_evaluate(ctx, b, data, NULL, &all, NULL) == HSP_OK);
        CHECK(hsp_evaluate(ctx, c, data, NULL, &again, NULL) == HSP_OK);
        CHECK_NOTE(all.log_loss < log(classes), "%s: %g", text, all.log_loss);
        CHECK(all.log_loss == again.log_loss && all.brier == again.brier);
        CHECK_NOTE(run.training_error == all.error, "%s: %g %g", text, run.training_error,
                   all.error);
        hsp_model_free(a);
        hsp_model_free(b);
        hsp_model_free(c);
        hsp_options_free(plain);
        hsp_options_free(options);
        hsp_data_free(data);
    }
    hsp_context_free(ctx);
    hsp_context_free(many);
}

static void classes_are_chosen_first(void)
{
    static const char *const settings[] = {"positive=1", "classes=3,1", "classes=2,0,1 positive=0",
                                           "classes=3,2,0"};
    hsp_context *ctx = test_context(2, 0);
    hsp_data *data = any_data(ctx, 33, 4);
    for (size_t i = 0; i < 4; i++) {
        char text[128];
        hsp_training run = {.size = sizeof run};
        snprintf(text, sizeof text, "%s calibrate=isotonic calibrate-folds=3 seed=4", settings[i]);
        hsp_options *options = test_options(ctx, hsp_learner_find("perceptron"), text);
        hsp_model *model = learn_train(ctx, data, options, &run);
        hsp_evaluation all = {.size = sizeof all};
        CHECK(hsp_evaluate(ctx, model, data, NULL, &all, NULL) == HSP_OK);
        CHECK_NOTE(all.log_loss < 0.95 * log(hsp_model_classes(model)), "%s: %g", text,
                   all.log_loss);
        hsp_model_free(model);
        hsp_options_free(options);
    }
    hsp_data_free(data);
    hsp_context_free(ctx);
}

static void what_cannot_be(void)
{
    static const struct {
        const char *settings, *why;
        hsp_status status;
    } cases[] = {
        {"calibrate=platt average=vote", "votes cannot be calibrated; use --average average",
         HSP_USAGE},
        {"calibrate=platt calibrate-folds=5", "has 4 rows, too few for 5 folds", HSP_BAD_DATA},
        {"calibrate=isotonic classes=0,nobody", "no class 'nobody'", HSP_USAGE}};
    hsp_context *ctx = test_context(1, 0);
    hsp_data *data = any_data(ctx, 44, 3);
    for (uint64_t i = 0, met = 0; i < 240; i++)
        if (data->labels[i] == 2 && ++met > 4) data->labels[i] = 1;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        hsp_options *options = test_options(ctx, hsp_learner_find("perceptron"), cases[i].settings);
        hsp_error err = {0};
        hsp_model *model = NULL;
        CHECK(hsp_train(ctx, data, options, &err, NULL, &model) == cases[i].status && !model);
        CHECK_NOTE(strstr(err.message, cases[i].why) != NULL, "%s", err.message);
        hsp_options_free(options);
    }
    hsp_options *options = test_options(ctx, hsp_learner_find("perceptron"), "calibrate=platt");
    static const char *const names[] = {"a", "b"};
    hsp_trainer *trainer = NULL;
    hsp_error err = {0};
    CHECK(hsp_trainer_new(ctx, options, names, 2, 2, &err, &trainer) == HSP_USAGE);
    CHECK(strstr(err.message, "calibration needs all rows; train without --stream") != NULL);
    hsp_options_free(options);
    hsp_data_free(data);
    hsp_context_free(ctx);
}

static int stop_later(void *user, const hsp_progress *progress)
{
    int *asked = user;
    return strcmp(progress->phase, "training") == 0 && ++*asked > 7;
}

/* A request to stop while the folds are learned keeps the model, without probabilities. */
static void stopped_on_request(void)
{
    hsp_context *ctx = test_context(1, 0);
    hsp_data *data = any_data(ctx, 55, 3);
    hsp_options *options =
        test_options(ctx, hsp_learner_find("perceptron"), "calibrate=platt passes=5");
    hsp_training run = {.size = sizeof run};
    hsp_model *model = NULL;
    int asked = 0;
    hsp_context_set_progress(ctx, stop_later, &asked);
    CHECK(hsp_train(ctx, data, options, NULL, &run, &model) == HSP_CANCELLED);
    CHECK(run.stop == HSP_STOP_REQUEST && model && !hsp_model_has_probabilities(model));
    hsp_model_free(model);
    hsp_options_free(options);
    hsp_data_free(data);
    hsp_context_free(ctx);
}

/* ---- Memory that runs out -------------------------------------------------------------------- */

static hsp_data *scarce_data;
static hsp_options *scarce_options;

static hsp_status scarce_train(hsp_context *ctx)
{
    hsp_model *model = NULL;
    hsp_status status = hsp_train(ctx, scarce_data, scarce_options, NULL, NULL, &model);
    CHECK(!model == (status != HSP_OK));
    hsp_model_free(model);
    return status;
}

static void memory_runs_out(void)
{
    hsp_context *rich = test_context(1, 0);
    scarce_data = any_data(rich, 91, 3);
    scarce_options = test_options(rich, hsp_learner_find("perceptron"),
                                  "passes=2 calibrate=isotonic calibrate-folds=2 multiclass=ovo");
    test_no_memory(scarce_train);
    hsp_options_free(scarce_options);
    hsp_data_free(scarce_data);
    hsp_context_free(rich);
}

int main(void)
{
    RUN(platt_has_no_slope_left);
    RUN(platt_by_hand);
    RUN(platt_does_not_mind_the_unit);
    RUN(isotonic_is_the_best);
    RUN(models_with_probabilities);
    RUN(classes_are_chosen_first);
    RUN(what_cannot_be);
    RUN(stopped_on_request);
    RUN(memory_runs_out);
    return check_done();
}
