/* Calibration: the fits against plain references (a search over slopes; the min-max formula of
 * isotonic regression), the folds, and models whose probabilities agree with their labels. */
#include "base/memory.h"
#include "data/prepare.h"
#include "learn/fit.h"
#include "learn/naive.h"
#include "model/probability.h"

enum { MOST = 60, CLASSES = 4 };

typedef struct sample {
    hsp__scored scored;
    double scores[MOST * CLASSES], weight[MOST];
    uint32_t label[MOST];
} sample;

/* Scores that say something of the label, or nothing, with repeats or without. */
static void draw(hsp__random *random, uint32_t classes, sample *out)
{
    const uint32_t each = classes == 2 ? 1 : classes;
    const double signal = (double)hsp__random_below(random, 4);
    const int whole = hsp__random_below(random, 2) != 0;
    out->scored = (hsp__scored){.rows = 1 + hsp__random_below(random, MOST),
                                .classes = classes,
                                .scores = out->scores,
                                .label = out->label};
    for (uint64_t i = 0; i < out->scored.rows; i++) {
        out->label[i] = (uint32_t)hsp__random_below(random, classes);
        out->weight[i] = 1 + (double)hsp__random_below(random, 3);
        for (uint32_t c = 0; c < each; c++) {
            const int up = out->label[i] == (each == 1 ? 1 : c);
            const double s = hsp__random_normal(random) * 3 + (up ? signal : -signal);
            out->scores[i * each + c] = whole ? round(s) : s;
        }
    }
    if (hsp__random_below(random, 2)) out->scored.weight = out->weight;
}

static double weight_of(const sample *s, uint64_t i)
{
    return s->scored.weight ? s->scored.weight[i] : 1;
}

/* ---- Platt ----------------------------------------------------------------------------------- */

/* Minus the log-likelihood with Platt's targets, of one side of two classes or of all. */
static double loss_at(const sample *s, double a, int side)
{
    const uint32_t k = s->scored.classes;
    double total[CLASSES] = {0}, loss = 0;
    for (uint64_t i = 0; i < s->scored.rows; i++)
        total[s->label[i]] += weight_of(s, i);
    for (uint64_t i = 0; i < s->scored.rows; i++) {
        const uint32_t y = s->label[i];
        if (k == 2) {
            const double z = s->scores[i];
            if (side ? !(z > 0) : !(z < 0)) continue;
            const double t = y ? (total[1] + 1) / (total[1] + 2) : 1 / (total[0] + 2);
            loss += weight_of(s, i) * (t * log1p(exp(-a * z)) + (1 - t) * log1p(exp(a * z)));
            continue;
        }
        double sum = 0;
        for (uint32_t c = 0; c < k; c++)
            sum += exp(a * s->scores[i * k + c]);
        for (uint32_t c = 0; c < k; c++) {
            const double t =
                c == y ? (total[y] + 1) / (total[y] + 2) : 1 / ((total[y] + 2) * (k - 1));
            loss += weight_of(s, i) * t * (log(sum) - a * s->scores[i * k + c]);
        }
    }
    return loss;
}

/* No slope of a fine grid is better, and none just beside. */
static void platt_is_the_best_slope(void)
{
    hsp_context *ctx = test_context(1, 0);
    int inside = 0, flat = 0;
    for (uint64_t seed = 0; seed < 300; seed++) {
        hsp__random random;
        sample s;
        double slopes[2];
        hsp__random_seed(&random, 1, seed);
        draw(&random, 2 + (uint32_t)(seed % 3), &s);
        CHECK(hsp__fit_platt(ctx, &s.scored, NULL, slopes) == HSP_OK);
        for (int side = 0; side < 2; side++) {
            int any = 0;
            for (uint64_t i = 0; s.scored.classes == 2 && i < s.scored.rows; i++)
                any |= side ? s.scores[i] > 0 : s.scores[i] < 0;
            if (s.scored.classes == 2 && !any) {
                CHECK(slopes[side] == slopes[!side]);
                continue;
            }
            const double a = slopes[side], best = loss_at(&s, a, side);
            CHECK(a >= 0 && isfinite(a));
            inside += a > 0;
            flat += a == 0;
            for (double g = 0; g < 6; g += 0.01)
                CHECK(best <= loss_at(&s, g, side) + 1e-9 * (1 + best));
            CHECK(best <= loss_at(&s, a * 1.001, side) + 1e-12 * (1 + best));
            CHECK(best <= loss_at(&s, a * 0.999, side) + 1e-12 * (1 + best));
        }
        if (s.scored.classes > 2) CHECK(slopes[0] == slopes[1]);
    }
    CHECK(inside > 100 && flat > 20); /* both kinds of answers were asked for */
    hsp_context_free(ctx);
}

/* Scores of any size: the slope is in their unit. */
static void platt_does_not_mind_the_unit(void)
{
    static const double units[] = {1e-280, 1e-9, 1e9, 1e280};
    hsp_context *ctx = test_context(1, 0);
    for (uint64_t seed = 0; seed < 40; seed++)
        for (size_t u = 0; u < 4; u++) {
            hsp__random random;
            sample s, big;
            double slopes[2], scaled[2];
            hsp__random_seed(&random, 2, seed);
            draw(&random, 2 + (uint32_t)(seed % 3), &s);
            big = s;
            big.scored.scores = big.scores;
            big.scored.label = big.label;
            if (s.scored.weight) big.scored.weight = big.weight;
            for (int i = 0; i < MOST * CLASSES; i++)
                big.scores[i] *= units[u];
            CHECK(hsp__fit_platt(ctx, &s.scored, NULL, slopes) == HSP_OK);
            CHECK(hsp__fit_platt(ctx, &big.scored, NULL, scaled) == HSP_OK);
            for (int side = 0; side < 2; side++)
                CHECK(fabs(scaled[side] * units[u] - slopes[side]) <= 1e-6 * slopes[side]);
        }
    hsp_context_free(ctx);
}

/* ---- Isotonic -------------------------------------------------------------------------------- */

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

/* Points of one side of 0 (-1, 1), or all leads of more classes (0). */
static int plain_points(const sample *s, int side, plain_point *out)
{
    const uint32_t k = s->scored.classes;
    int n = 0;
    for (uint64_t i = 0; i < s->scored.rows; i++) {
        if (k == 2) {
            if (s->scores[i] * side > 0)
                out[n++] = (plain_point){s->scores[i], s->label[i], weight_of(s, i)};
            continue;
        }
        for (uint32_t c = 0; c < k; c++) {
            double other = -HUGE_VAL;
            for (uint32_t d = 0; d < k; d++)
                if (d != c) other = fmax(other, s->scores[i * k + d]);
            out[n++] =
                (plain_point){s->scores[i * k + c] - other, s->label[i] == c, weight_of(s, i)};
        }
    }
    qsort(out, (size_t)n, sizeof *out, plain_compare);
    return n;
}

static void check_line(const sample *s, const hsp__probability *map, int side)
{
    plain_point points[MOST * CLASSES];
    const int n = plain_points(s, side, points);
    double rows = 0;
    for (uint64_t i = 0; i < s->scored.rows; i++)
        rows += weight_of(s, i);
    const double least = side > 0 ? 0.5 : 1 / (rows + 2);
    const double most = side < 0 ? 0.5 : (rows + 1) / (rows + 2);
    for (int i = 0; i < n; i++) {
        const double want = fmin(fmax(min_max(points, n, i), least), most);
        CHECK(fabs(hsp__probability_line(map, points[i].x) - want) <= 1e-12);
    }
}

static void isotonic_is_min_max(void)
{
    hsp_context *ctx = test_context(1, 0);
    for (uint64_t seed = 0; seed < 300; seed++) {
        hsp__random random;
        sample s;
        hsp__random_seed(&random, 3, seed);
        draw(&random, 2 + (uint32_t)(seed % 3), &s);
        hsp__probability map = {.calibration = HSP__CALIBRATION_ISOTONIC, .scale = 1};
        CHECK(hsp__fit_isotonic(ctx, &s.scored, NULL, &map.knots, &map.at, &map.value) == HSP_OK);
        if (s.scored.classes == 2) {
            check_line(&s, &map, -1);
            check_line(&s, &map, 1);
            CHECK(hsp__probability_line(&map, 0) == 0.5);
        } else {
            check_line(&s, &map, 0);
        }
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

static void same_labels(hsp_context *ctx, const hsp_model *a, const hsp_model *b)
{
    enum { ROWS = 1500 };
    const test_recipe recipe = {.rows = ROWS, .cols = 5, .seed = 77, .density = 0.8};
    hsp_data *rows = test_random(ctx, &recipe, HSP_DENSE, HSP_FLOAT64);
    double *scores = calloc((size_t)ROWS * 6, sizeof *scores), p[CLASSES];
    uint32_t *u = calloc(ROWS, sizeof *u), *v = calloc(ROWS, sizeof *v);
    CHECK(hsp_model_score(ctx, a, &rows->view, NULL, scores, u) == HSP_OK);
    CHECK(hsp_model_score(ctx, b, &rows->view, NULL, scores, v) == HSP_OK);
    CHECK(memcmp(u, v, ROWS * sizeof *u) == 0);
    for (int i = 0; i < ROWS; i++) {
        const double *s = scores + (size_t)i * b->scorers;
        double sum = 0;
        hsp_model_probabilities(b, s, p);
        for (uint32_t c = 0; c < hsp_model_classes(b); c++) {
            sum += p[c];
            CHECK(v[i] == HSP_NO_CLASS || c == v[i] || p[c] < p[v[i]] || s[0] == 0);
        }
        CHECK(fabs(sum - 1) <= 1e-12);
    }
    free(scores);
    free(u);
    free(v);
    hsp_data_free(rows);
}

/* The labels are those without calibration; the log loss beats knowing nothing; any number of
 * threads gives the same map. */
static void models_with_probabilities(void)
{
    static const char *const settings[] = {"multiclass=ovr", "multiclass=native", "multiclass=ovo",
                                           "multiclass=ovo scale=standard average=average"};
    static const char *const kinds[] = {"platt", "isotonic"};
    hsp_context *ctx = test_context(1, 0), *many = test_context(3, 0);
    for (size_t i = 0; i < 16; i++) {
        char text[160];
        hsp_training run;
        const int classes = 2 + (int)(i / 2 % 2) * 2;
        hsp_data *data = any_data(ctx, i, classes);
        hsp_options *plain = test_options(ctx, hsp_learner(0), settings[i / 4]);
        snprintf(text, sizeof text, "%s calibrate=%s", settings[i / 4], kinds[i % 2]);
        hsp_options *options = test_options(ctx, hsp_learner(0), text);
        hsp_model *a = learn_train(ctx, data, plain, &run);
        hsp_model *b = learn_train(ctx, data, options, &run);
        hsp_model *c = learn_train(many, data, options, &run);
        CHECK(!hsp_model_has_probabilities(a) && hsp_model_has_probabilities(b));
        CHECK_TEXT(hsp_model_calibration(b), kinds[i % 2]);
        same_labels(ctx, a, b);
        hsp_evaluation all, again;
        CHECK(hsp_evaluate(ctx, b, data, NULL, &all, NULL) == HSP_OK);
        CHECK(hsp_evaluate(ctx, c, data, NULL, &again, NULL) == HSP_OK);
        CHECK_NOTE(all.log_loss < log(classes), "%s: %g", text, all.log_loss);
        CHECK(all.log_loss == again.log_loss && all.brier == again.brier);
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
        hsp_training run;
        snprintf(text, sizeof text, "%s calibrate=isotonic calibrate-folds=3 seed=4", settings[i]);
        hsp_options *options = test_options(ctx, hsp_learner(0), text);
        hsp_model *model = learn_train(ctx, data, options, &run);
        hsp_evaluation all;
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
        {"calibrate=platt average=vote", "votes are not calibrated", HSP_USAGE},
        {"calibrate=platt calibrate-folds=5", "has 4 rows, too few for 5 folds", HSP_BAD_DATA},
        {"calibrate=isotonic classes=0,nobody", "no class 'nobody'", HSP_USAGE}};
    hsp_context *ctx = test_context(1, 0);
    hsp_data *data = any_data(ctx, 44, 3);
    for (uint64_t i = 0, met = 0; i < 240; i++)
        if (data->labels[i] == 2 && ++met > 4) data->labels[i] = 1;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        hsp_options *options = test_options(ctx, hsp_learner(0), cases[i].settings);
        hsp_error err = {0};
        hsp_model *model = NULL;
        CHECK(hsp_train(ctx, data, options, &err, NULL, &model) == cases[i].status && !model);
        CHECK_NOTE(strstr(err.message, cases[i].why) != NULL, "%s", err.message);
        hsp_options_free(options);
    }
    hsp_options *options = test_options(ctx, hsp_learner(0), "calibrate=platt");
    static const char *const names[] = {"a", "b"};
    hsp_trainer *trainer = NULL;
    hsp_error err = {0};
    CHECK(hsp_trainer_new(ctx, options, names, 2, 2, &err, &trainer) == HSP_USAGE);
    CHECK(strstr(err.message, "leaves out rows in turn") != NULL);
    hsp_options_free(options);
    hsp_data_free(data);
    hsp_context_free(ctx);
}

static int stop_later(void *user, const hsp_progress *progress)
{
    int *asked = user;
    return strcmp(progress->phase, "training") == 0 && ++*asked > 12;
}

/* A request to stop while the folds are learnt keeps the model, without probabilities. */
static void stopped_on_request(void)
{
    hsp_context *ctx = test_context(1, 0);
    hsp_data *data = any_data(ctx, 55, 3);
    hsp_options *options = test_options(ctx, hsp_learner(0), "calibrate=platt passes=5");
    hsp_training run;
    hsp_model *model = NULL;
    int asked = 0;
    hsp_context_set_progress(ctx, stop_later, &asked);
    CHECK(hsp_train(ctx, data, options, NULL, &run, &model) == HSP_OK);
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
    scarce_options = test_options(rich, hsp_learner(0),
                                  "passes=2 calibrate=isotonic calibrate-folds=2 multiclass=ovo");
    test_no_memory(scarce_train);
    hsp_options_free(scarce_options);
    hsp_data_free(scarce_data);
    hsp_context_free(rich);
}

int main(void)
{
    RUN(platt_is_the_best_slope);
    RUN(platt_does_not_mind_the_unit);
    RUN(isotonic_is_min_max);
    RUN(models_with_probabilities);
    RUN(classes_are_chosen_first);
    RUN(what_cannot_be);
    RUN(stopped_on_request);
    RUN(memory_runs_out);
    return check_done();
}
