/* The bounds of a model: each recomputed from its formula by other means, what does not apply, rows
 * that two files share, and that no figure depends on threads. */
#include <math.h>

#include "check.h"
#include "options.h"
#include "prove/bound.h"

static hsp_context *ctx;

static hsp_data *make(const char *generator, const char *rows, const char *cols, const char *seed,
                      const char *noise)
{
    const hsp_option_table *table = NULL;
    hsp_data *data = NULL;
    for (size_t i = 0; hsp_generator(i); i++)
        if (strcmp(hsp_generator(i)->name, generator) == 0) table = hsp_generator(i);
    hsp_options *options =
        test_options_pairs(ctx, table,
                           (const char *[]){"rows", rows, "features", cols, "seed", seed,
                                            noise ? "noise" : NULL, noise, NULL});
    if (hsp_data_make(ctx, options, NULL, NULL, NULL, &data)) abort();
    hsp_options_free(options);
    return data;
}

static hsp_model *train(const char *name, hsp_data *data, const char *const *set)
{
    hsp_options *options = test_options_pairs(ctx, hsp_learner_find(name), set);
    hsp_training run = {.size = sizeof run};
    hsp_model *model = NULL;
    hsp_error err = {0};
    CHECK_NOTE(hsp_train(ctx, data, options, &err, &run, &model) == HSP_OK, "%s", err.message);
    hsp_options_free(options);
    return model;
}

static hsp_error_report *outlook(const hsp_model *model, hsp_data *rows, hsp_data *test,
                                 const char *const *set)
{
    hsp_options *options = test_options_pairs(ctx, hsp_error_report_options(), set);
    hsp_error_report *out = NULL;
    hsp_error err = {0};
    CHECK_NOTE(hsp_error_report_new(ctx, model, rows, test, options, &err, &out) == HSP_OK, "%s",
               err.message);
    hsp_options_free(options);
    return out;
}

static const hsp_error_bound *find(const hsp_error_report *out, const char *name)
{
    for (size_t i = 0; i < out->count; i++)
        if (strcmp(out->bounds[i].name, name) == 0) return &out->bounds[i];
    return NULL;
}

static int applies(const hsp_error_report *out, const char *name)
{
    const hsp_error_bound *bound = find(out, name);
    return bound && bound->applies;
}

static double value(const hsp_error_report *out, const char *name)
{
    const hsp_error_bound *bound = find(out, name);
    return bound ? bound->value : (double)NAN;
}

static int near(double a, double b)
{
    return fabs(a - b) <= 1e-9 * fabs(b);
}

static const char *const no_options[] = {NULL};

/* ---- Every bound once more ---- */

static void held_out(void)
{
    hsp_data *a = make("halfspace", "300", "4", "1", "0.1"),
             *b = make("halfspace", "200", "4", "1", "0.1");
    hsp_data *other = NULL;
    hsp_model *model = train("svm", a, no_options);
    uint64_t rows[80];
    for (uint64_t i = 0; i < 80; i++)
        rows[i] = 40 + i;
    CHECK(!hsp_data_select(ctx, b, rows, 80, NULL, &other));
    hsp_error_report *out = outlook(model, NULL, other, (const char *[]){"delta", "0.1", NULL});
    const double n = (double)out->test_rows, m = (double)out->test_mistakes;
    CHECK(out->test_rows == 80 && out->train_rows == 0 && out->count == 3);
    CHECK(near(value(out, "test-hoeffding"), m / n + sqrt(log(10) / (2 * n))));
    CHECK(near(value(out, "test-binomial"), hsp_binomial_upper(80, out->test_mistakes, 0.1)));
    CHECK(near(hsp__kl(m / n, value(out, "test-chernoff")), log(10) / n));
    CHECK(out->test_upper == value(out, "test-binomial"));
    CHECK(near(out->test_lower, hsp_binomial_lower(80, out->test_mistakes, 0.1)));
    CHECK(value(out, "test-binomial") <= value(out, "test-chernoff"));
    CHECK(value(out, "test-chernoff") <= value(out, "test-hoeffding"));
    hsp_error_report_free(out);
    hsp_model_free(model);
    hsp_data_free(a);
    hsp_data_free(b);
    hsp_data_free(other);
}

static double direct_growth(int d, double m) /* 2 sum_{i <= d} C(m - 1, i) */
{
    double sum = 0, term = 1;
    for (int i = 0; i <= d; i++) {
        sum += term;
        term = term * (m - 1 - i) / (i + 1);
    }
    return 2 * sum;
}

static void by_growth(void)
{
    hsp_data *data = make("halfspace", "5000", "3", "2", "0.05");
    hsp_model *affine = train("svm", data, no_options);
    hsp_model *origin = train("perceptron", data, (const char *[]){"offset", "none", NULL});
    hsp_error_report *out[2] = {outlook(affine, data, NULL, no_options),
                                outlook(origin, data, NULL, no_options)};
    for (int i = 0; i < 2; i++) {
        const double n = 5000, wrong = (double)out[i]->train_mistakes / n;
        const double pi = direct_growth(i ? 2 : 3, 2 * n), tau = log(4 * pi / 0.05) / n;
        CHECK(near(value(out[i], "vc"), wrong + sqrt(8 * tau)));
        CHECK(near(value(out[i], "vc-relative"), wrong + 2 * tau + 2 * sqrt(tau * (tau + wrong))));
        CHECK(!applies(out[i], "vc-consistent"));
        /* it solves (R - R^) / sqrt(R) = 2 sqrt(tau) */
        const double r = value(out[i], "vc-relative");
        CHECK(near((r - wrong) / sqrt(r), 2 * sqrt(tau)));
        hsp_error_report_free(out[i]);
    }
    hsp_model_free(affine);
    hsp_model_free(origin);
    hsp_data_free(data);
    /* without mistakes */
    data = make("separable", "400", "3", "5", NULL);
    hsp_model *hard =
        train("perceptron", data, (const char *[]){"passes", "until-converged", NULL});
    out[0] = outlook(hard, data, NULL, no_options);
    CHECK(out[0]->train_mistakes == 0);
    CHECK(near(value(out[0], "vc-consistent"), 2.0 / 400 * log2(2 * direct_growth(3, 800) / 0.05)));
    hsp_error_report_free(out[0]);
    hsp_model_free(hard);
    hsp_data_free(data);
}

/* One bound by compression and one by the first pass, from what the model keeps. */
static void by_mistakes(void)
{
    hsp_data *data = make("halfspace", "1000", "3", "4", "0.02");
    hsp_model *model = train("perceptron", data, (const char *[]){"passes", "2", NULL});
    hsp_error_report *out = outlook(model, data, NULL, no_options);
    const hsp_row_coefficients updates = hsp_model_row_coefficients(model);
    unsigned char *in = calloc(1000, 1);
    uint64_t k = 0, wrong = 0;
    hsp__bound_rows rows = {0};
    CHECK(!hsp__bound_rows_read(ctx, model, data, NULL, &rows));
    for (uint64_t i = 0; i < updates.count; i++)
        in[updates.row[i]] = 1;
    for (uint64_t i = 0; i < 1000; i++) {
        k += in[i];
        wrong += !in[i] && rows.wrong[i];
    }
    CHECK(k > 0 && k < 1000);
    double price = log(1000);
    for (uint64_t i = 1; i <= k; i++)
        price += log((double)(1000 - k + i)) - log((double)i);
    CHECK(fabs(value(out, "compression") -
               hsp__binomial_upper(1000 - k, wrong, log(0.05) - price)) <= 1e-7);
    CHECK(near(value(out, "leave-one-out"), (double)(k + wrong) / 1000));
    const double online = atof(hsp_model_metadata(model, "online_error"));
    CHECK(near(value(out, "online"), online + sqrt(log(20) / 2000)));
    const double rate = value(out, "online-relative"), M = online * 1000;
    double least = 1e9; /* no l does better, and the best one nearly as well with its share */
    for (double l = 1e-3; l < 20; l *= 1.001)
        least = fmin(least, (l * M + log(20)) / (1000 * (1 - exp(-l))));
    CHECK(rate >= least && rate <= least * 1.3);
    CHECK(!applies(out, "online-vote"));
    free(in);
    hsp__bound_rows_free(ctx, &rows);
    hsp_error_report_free(out);
    hsp_model_free(model);
    hsp_data_free(data);
}

/* A run over the rows with updates alone is the same run: what compression stands on. */
static void check_rebuilt(const char *name, hsp_data *data, const char *order)
{
    const char *const set[] = {"passes", "until-converged", "order", order, NULL};
    hsp_model *model = train(name, data, set), *again = NULL;
    const hsp_row_coefficients updates = hsp_model_row_coefficients(model);
    uint64_t rows[500], count = 0;
    hsp_data *few = NULL;
    for (uint64_t i = 0; i < updates.count; i++)
        if (!count || rows[count - 1] != updates.row[i]) rows[count++] = updates.row[i];
    CHECK_NOTE(count > 0 && count < 250, "%s %s", name, order);
    CHECK(!hsp_data_select(ctx, data, rows, count, NULL, &few));
    const hsp_view *view;
    uint64_t positive = 0;
    CHECK(!hsp_data_view(ctx, few, NULL, &view));
    for (uint64_t i = 0; i < count; i++)
        positive += view->labels[i];
    if (positive == 0 || positive == count) { /* the run knew both classes; another would not */
        hsp_model_free(model);
        hsp_data_free(few);
        return;
    }
    again = train(name, few, set);
    for (uint64_t j = 0; j < hsp_model_features(model); j++)
        CHECK_NOTE(hsp_model_weights(model, 0)[j] == hsp_model_weights(again, 0)[j], "%s %s", name,
                   order);
    CHECK(hsp_model_offset(model, 0) == hsp_model_offset(again, 0));
    hsp_model_free(model);
    hsp_model_free(again);
    hsp_data_free(few);
}

static void rebuilt_from_its_mistakes(void)
{
    static const char *const orders[] = {"cyclic", "first", "worst"};
    hsp_data *plane = make("separable", "500", "4", "8", NULL);
    hsp_data *bits = make("disjunction", "500", "20", "8", NULL);
    for (int o = 0; o < 3; o++) {
        check_rebuilt("perceptron", plane, orders[o]);
        if (hsp_learner_find("winnow")) check_rebuilt("winnow", bits, orders[o]);
    }
    hsp_data_free(plane);
    hsp_data_free(bits);
}

/* ---- Margins ---- */

static double share(int i)
{
    return i ? 1 / (2.0 * (abs(i) + 1) * (abs(i) + 2)) : 0.5;
}

/* All shares together are 1: what is handed out of delta is delta. */
static void shares(void)
{
    double sum = 0;
    for (int i = -100000; i <= 100000; i++)
        sum += share(i);
    CHECK(sum <= 1 && sum > 0.99998);
}

/* The formula of margin and radius, by hand on the whole grid. */
static void by_margin(void)
{
    hsp_data *data = make("separable", "3000", "2", "3", NULL);
    hsp_model *model = train("svm", data, (const char *[]){"C", "10", NULL});
    hsp_error_report *out = outlook(model, data, NULL, no_options);
    const hsp_view *view;
    hsp__bound_rows rows = {0};
    CHECK(!hsp_data_view(ctx, data, NULL, &view));
    CHECK(!hsp__bound_rows_read(ctx, model, data, NULL, &rows));
    const double *w = hsp_model_weights(model, 0), b = hsp_model_offset(model, 0);
    double squares = 0, least = 1e9;
    for (uint64_t i = 0; i < view->rows; i++) {
        const hsp__row row = hsp__view_row(view, i);
        for (uint64_t k = 0; k < row.count; k++)
            squares += pow(hsp__row_value(view, &row, k), 2);
    }
    for (int i = -12; i <= 12; i++)
        for (int j = -12; j <= 12; j++) {
            const double c = exp2(i), gamma = exp2(j * 0.5), n = 3000;
            const double length = sqrt(w[0] * w[0] + w[1] * w[1] + b * b / (c * c));
            double ramp = 0;
            for (uint64_t r = 0; r < rows.n; r++)
                ramp += fmin(1, fmax(0, 1 - rows.margin[r] / length / gamma)) / n;
            least = fmin(least, ramp + 2 / gamma * sqrt(squares + n * c * c) / n +
                                    3 * sqrt(log(2 / (0.05 * share(i) * share(j))) / (2 * n)));
        }
    CHECK_NOTE(fabs(value(out, "margin") - least) <= 1e-6, "%g, by hand %g", value(out, "margin"),
               least);
    CHECK(value(out, "margin") < 1);
    hsp__bound_rows_free(ctx, &rows);
    hsp_error_report_free(out);
    hsp_model_free(model);
    hsp_data_free(data);
}

/* PAC-Bayes without an offset: no choice of mu does better than what was found, by much. */
static void by_pac_bayes(void)
{
    hsp_data *data = make("halfspace", "2000", "4", "6", "0.01");
    hsp_model *model = train("svm", data, (const char *[]){"offset", "none", NULL});
    hsp_error_report *out = outlook(model, data, NULL, no_options);
    hsp__bound_rows rows = {0};
    hsp__bound_space space = {0};
    double least = 1e9;
    CHECK(!hsp__bound_rows_read(ctx, model, data, NULL, &rows));
    CHECK(!hsp__bound_space_read(ctx, model, &rows, NULL, &space));
    CHECK(space.origin && !space.why[0] && space.b == 0);
    for (double mu = 0.5; mu < 100; mu *= 1.05) {
        double gibbs = 0;
        for (uint64_t i = 0; i < rows.n; i++) {
            const double cosine =
                rows.margin[i] * space.unit / sqrt(space.length2 * space.norm2[i]);
            CHECK(fabs(cosine) <= 1 + 1e-9);
            gibbs += 0.5 * erfc(mu * cosine / sqrt(2)) / 2000;
        }
        least = fmin(least,
                     2 * hsp__kl_upper(gibbs, (mu * mu / 2 + log(2 * sqrt(2000) / 0.05)) / 2000));
    }
    CHECK_NOTE(value(out, "pac-bayes") >= least * (1 - 1e-3), "%g %g", value(out, "pac-bayes"),
               least);
    CHECK_NOTE(value(out, "pac-bayes") <= least * 1.01, "%g %g", value(out, "pac-bayes"), least);
    hsp__bound_rows_free(ctx, &rows);
    hsp__bound_space_free(ctx, &space);
    hsp_error_report_free(out);
    hsp_model_free(model);
    hsp_data_free(data);
}

/* Scaled columns are taken back into w: the same function of the file's columns. */
static void unscaled(void)
{
    static const char *const scales[] = {"standard", "min-max", "max-abs"};
    hsp_data *data = make("halfspace", "300", "4", "6", "0.05");
    for (int s = 0; s < 3; s++) {
        hsp_model *model = train("svm", data, (const char *[]){"scale", scales[s], NULL});
        hsp__bound_rows rows = {0};
        hsp__bound_space space = {0};
        CHECK(!hsp__bound_rows_read(ctx, model, data, NULL, &rows));
        CHECK(!hsp__bound_space_read(ctx, model, &rows, NULL, &space));
        for (uint64_t i = 0; i < rows.n; i++) {
            const double score = hsp__row_score(space.view, i, space.w, space.b);
            CHECK(fabs(score / space.unit - (rows.class_of[i] ? 1 : -1) * rows.margin[i]) <= 1e-5);
        }
        hsp__bound_rows_free(ctx, &rows);
        hsp__bound_space_free(ctx, &space);
        hsp_model_free(model);
    }
    hsp_data_free(data);
}

/* The length of w means nothing: neither does a model whose weights are 10^-200. */
static void tiny_weights(void)
{
    hsp_data *data = make("halfspace", "300", "3", "6", "0.05");
    hsp_model *model = train("svm", data, no_options);
    hsp_error_report *before = outlook(model, data, NULL, (const char *[]){"retrain", "no", NULL});
    for (int j = 0; j < 3; j++)
        model->weights[j] = ldexp(model->weights[j], -700);
    model->offsets[0] = ldexp(model->offsets[0], -700);
    hsp_error_report *after = outlook(model, data, NULL, (const char *[]){"retrain", "no", NULL});
    CHECK(applies(after, "margin") && value(after, "margin") == value(before, "margin"));
    CHECK(applies(after, "pac-bayes") && value(after, "pac-bayes") == value(before, "pac-bayes"));
    CHECK(value(after, "rounded") == value(before, "rounded"));
    hsp_error_report_free(before);
    hsp_error_report_free(after);
    hsp_model_free(model);
    hsp_data_free(data);
}

/* Rows so long that their squares overflow, and rows of zeros: vacuous, and no number is NaN. */
static void beyond_measure(void)
{
    static const char *const texts[] = {"1 1:1e300\n-1 1:-1e300\n1 1:1e300 2:1\n-1 2:-1e300\n",
                                        "1 1:0\n-1 1:0\n1 1:0\n-1 1:0\n"};
    hsp_options *wide =
        test_options_pairs(ctx, hsp_read_options(), (const char *[]){"precision", "double", NULL});
    for (int t = 0; t < 2; t++) {
        hsp_data *data = NULL;
        CHECK(!hsp_data_parse(ctx, texts[t], strlen(texts[t]), "a", wide, NULL, NULL, &data));
        hsp_model *model = train("perceptron", data, (const char *[]){"offset", "none", NULL});
        hsp_error_report *out = outlook(model, data, NULL, no_options);
        for (size_t i = 0; i < out->count; i++)
            CHECK_NOTE(!out->bounds[i].applies || out->bounds[i].value >= 0, "%s",
                       out->bounds[i].name);
        CHECK(!applies(out, "margin") || find(out, "margin")->vacuous);
        hsp_error_report_free(out);
        hsp_model_free(model);
        hsp_data_free(data);
    }
    hsp_options_free(wide);
}

/* ---- Descriptions ---- */

/* The code of rounded weights, bit by bit, and the mistakes of the model that it stands for. */
static void check_rounded(const hsp_error_bound *bound, const hsp_model *rounded, hsp_data *data)
{
    int digits = 0, window = 0, k = 0;
    uint64_t wrong = 0;
    const hsp_view *view;
    double most = 0, least = HUGE_VAL;
    CHECK(!hsp_data_view(ctx, data, NULL, &view));
    CHECK(sscanf(bound->figures, "binary digits a weight: %d, powers of two: %d", &digits,
                 &window) == 2);
    for (uint64_t j = 0; j < 5; j++) {
        const double w = fabs(rounded->weights[j]);
        if (w == 0) continue;
        k++;
        most = fmax(most, w);
        least = fmin(least, w);
        int power;
        const double part = ldexp(frexp(w, &power), digits);
        CHECK(part == nearbyint(part));
    }
    int top, bottom;
    frexp(most, &top);
    frexp(least, &bottom);
    CHECK(top - bottom < window);
    for (uint64_t i = 0; i < view->rows; i++)
        wrong += (hsp__row_score(view, i, rounded->weights, rounded->offsets[0]) > 0) !=
                 (view->labels[i] == 1);
    const double bits = 12 + 12 + 4 + 28 + log2(6) + hsp__log_choose(5, k) / log(2) +
                        k * (1 + log2(window) + digits - 1);
    CHECK(near(bound->value, hsp__binomial_upper(view->rows, wrong, log(0.05) - bits * log(2))));
}

static void by_description(void)
{
    hsp_data *data = make("halfspace", "1000", "5", "7", "0.02");
    hsp_model *model = train("svm", data, no_options), *rounded = NULL, *again = NULL;
    hsp_error_report *out = NULL;
    CHECK(!hsp__error_report_make(ctx, model, data, NULL, NULL, NULL, &out, &rounded, &again));
    /* 8 + log2(6) + log2 C(5, 5) + 6 * 64 bits */
    const double bits = 12 + log2(6) + 6 * 64;
    CHECK(near(value(out, "description"),
               hsp__binomial_upper(1000, out->train_mistakes, log(0.05) - bits * log(2))));
    CHECK(value(out, "rounded") < value(out, "description"));
    CHECK(rounded != NULL && again != NULL);
    check_rounded(find(out, "rounded"), rounded, data);
    hsp_error_report_free(out);
    hsp_model_free(rounded);
    hsp_model_free(again);
    hsp_model_free(model);
    hsp_data_free(data);
}

/* ---- What does not apply ---- */

static void more_classes(void)
{
    static const char text[] = "a 1:1\nb 2:1\nc 3:1\na 1:2\nb 2:2\nc 3:2\n";
    hsp_data *data = NULL;
    CHECK(!hsp_data_parse(ctx, text, sizeof text - 1, "x", NULL, NULL, NULL, &data));
    hsp_model *model = train("perceptron", data, no_options);
    hsp_error_report *out = outlook(model, data, NULL, no_options);
    CHECK(!applies(out, "vc") && !applies(out, "margin") && !applies(out, "pac-bayes"));
    CHECK(!applies(out, "rounded") && applies(out, "description") && applies(out, "compression"));
    hsp_error_report_free(out);
    hsp_model_free(model);
    hsp_data_free(data);
}

static void refused_parts(void)
{
    static const struct {
        const char *learner, *set[7], *refused[5];
    } cases[] = {{"perceptron", {"order", "random", NULL}, {"online", "leave-one-out", NULL}},
                 {"perceptron", {"offset", "r2", NULL}, {"online", "online-relative", NULL}},
                 {"perceptron", {"normalize", "ball", NULL}, {"online", NULL}},
                 {"perceptron", {"scale", "standard", NULL}, {"online", "leave-one-out", NULL}},
                 {"perceptron", {"margin-target", "0.1r", NULL}, {"online", NULL}},
                 {"perceptron",
                  {"scale", "standard", "normalize", "rows", NULL},
                  {"vc", "margin", "pac-bayes", "rounded", NULL}},
                 {"perceptron", {"average", "vote", NULL}, {"vc", "margin", "online-vote", NULL}},
                 {"svm", {"kernel", "rbf(median)", NULL}, {"vc", "margin", "pac-bayes", NULL}},
                 {"svm", {"kernel", "rbf(1)", NULL}, {"vc", "description", "rounded", NULL}},
                 {"svm", {"weight", "balanced", NULL}, {"leave-one-out", NULL}},
                 {"logistic", {NULL}, {"compression", "online", "leave-one-out", NULL}}};
    hsp_data *data = make("halfspace", "120", "3", "9", "0.1");
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        hsp_model *model = train(cases[i].learner, data, cases[i].set);
        hsp_error_report *out = outlook(model, data, NULL, no_options);
        for (int r = 0; cases[i].refused[r]; r++) {
            const hsp_error_bound *bound = find(out, cases[i].refused[r]);
            CHECK_NOTE(bound && !bound->applies, "case %zu: %s", i, cases[i].refused[r]);
            CHECK(bound && isnan(bound->value) && bound->figures[0]);
        }
        for (size_t b = 0; b < out->count; b++)
            if (out->bounds[b].applies)
                CHECK(out->bounds[b].value > 0 &&
                      out->bounds[b].vacuous == !(out->bounds[b].value < 1));
        hsp_error_report_free(out);
        hsp_model_free(model);
    }
    hsp_data_free(data);
}

static void one_pass_votes(void)
{
    hsp_data *data = make("halfspace", "4000", "3", "9", "0.02");
    hsp_model *model =
        train("perceptron", data, (const char *[]){"average", "vote", "passes", "1", NULL});
    hsp_error_report *out = outlook(model, data, NULL, no_options);
    CHECK(applies(out, "online-vote") && applies(out, "compression"));
    CHECK(value(out, "online-vote") >=
          2 * fmin(value(out, "online"), value(out, "online-relative")));
    CHECK(!find(out, "online-vote")->vacuous);
    hsp_error_report_free(out);
    hsp_model_free(model);
    hsp_data_free(data);
}

/* Of a file sorted by class the first pass says nothing; shuffled it does. */
static void sorted_rows(void)
{
    hsp_data *data = make("halfspace", "200", "2", "3", "0"), *sorted = NULL;
    const hsp_view *view;
    uint64_t rows[200], count = 0;
    CHECK(!hsp_data_view(ctx, data, NULL, &view));
    for (uint32_t c = 0; c < 2; c++)
        for (uint64_t i = 0; i < 200; i++)
            if (view->labels[i] == c) rows[count++] = i;
    CHECK(!hsp_data_select(ctx, data, rows, count, NULL, &sorted));
    for (int shuffle = 0; shuffle < 2; shuffle++) {
        hsp_model *model = train("perceptron", sorted,
                                 (const char *[]){"order", shuffle ? "shuffle" : "cyclic", NULL});
        hsp_error_report *out = outlook(model, sorted, NULL, no_options);
        CHECK(applies(out, "online") == shuffle);
        CHECK(applies(out, "compression"));
        hsp_error_report_free(out);
        hsp_model_free(model);
    }
    hsp_data_free(data);
    hsp_data_free(sorted);
}

/* ---- Files ---- */

static char said[512];
static void listen(void *user, hsp_log_level level, const char *sentence)
{
    (void)user;
    if (level == HSP_LOG_WARNING && strstr(sentence, "among"))
        snprintf(said, sizeof said, "%s", sentence);
}

static void shared_rows(void)
{
    static const char train_text[] = "1 1:1 2:2\n-1 1:3\n1 2:5\n-1 1:4 3:0\n";
    static const char test_text[] = "1 1:9\n-1 1:3 2:0\n1 1:4\n-1 7:1\n";
    hsp_options *dense =
        test_options_pairs(ctx, hsp_read_options(), (const char *[]){"storage", "dense", NULL});
    hsp_options *sparse =
        test_options_pairs(ctx, hsp_read_options(), (const char *[]){"storage", "sparse", NULL});
    hsp_data *rows = NULL, *held = NULL, *narrow = NULL;
    hsp_error err = {0};
    hsp_error_report *out = NULL;
    CHECK(!hsp_data_parse(ctx, train_text, sizeof train_text - 1, "a", dense, NULL, NULL, &rows));
    CHECK(!hsp_data_parse(ctx, test_text, sizeof test_text - 1, "b", sparse, NULL, NULL, &held));
    hsp_model *model = train("perceptron", rows, no_options);
    CHECK(hsp_error_report_new(ctx, model, rows, held, NULL, &err, &out) == HSP_BAD_DATA);
    CHECK(out == NULL);
    CHECK_NOTE(strstr(err.message, "2 of 4 test rows") && strstr(err.message, "row 2"), "%s",
               err.message);
    hsp_context_set_log(ctx, listen, NULL);
    out = outlook(model, rows, held, (const char *[]){"allow-overlap", "yes", NULL});
    hsp_context_set_log(ctx, NULL, NULL);
    CHECK(out->shared_rows == 2 && strstr(said, "2 of 4"));
    hsp_error_report_free(out);
    /* rows that the run did not see, none at all, none of its classes, no labels */
    const uint64_t some[] = {0, 1};
    CHECK(!hsp_data_select(ctx, rows, some, 2, NULL, &narrow));
    CHECK(hsp_error_report_new(ctx, model, narrow, NULL, NULL, &err, &out) == HSP_BAD_DATA);
    CHECK(strstr(err.message, "4 rows") != NULL);
    CHECK(hsp_error_report_new(ctx, model, NULL, NULL, NULL, &err, &out) == HSP_USAGE);
    hsp_data_free(narrow);
    const double values[2] = {1, 2};
    const hsp_view bare = hsp_view_dense(HSP_FLOAT64, 2, 1, 1, values);
    CHECK(!hsp_data_copy(ctx, &bare, NULL, NULL, NULL, &narrow));
    CHECK(hsp_error_report_new(ctx, model, NULL, narrow, NULL, &err, &out) == HSP_BAD_DATA);
    hsp_data_free(narrow);
    hsp_model_free(model);
    hsp_data_free(rows);
    hsp_data_free(held);
    hsp_options_free(dense);
    hsp_options_free(sparse);
}

/* Two rows: everything is vacuous or 1 at most says so, and nothing breaks. */
static void two_rows(void)
{
    static const char text[] = "1 1:1\n-1 1:-1\n";
    hsp_data *data = NULL;
    CHECK(!hsp_data_parse(ctx, text, sizeof text - 1, "a", NULL, NULL, NULL, &data));
    hsp_model *model = train("perceptron", data, no_options);
    hsp_error_report *out = outlook(model, data, NULL, (const char *[]){"delta", "1e-300", NULL});
    for (size_t i = 0; i < out->count; i++)
        CHECK_NOTE(!out->bounds[i].applies || out->bounds[i].value >= 0.5, "%s: %g",
                   out->bounds[i].name, out->bounds[i].value);
    CHECK(applies(out, "vc") && find(out, "vc")->vacuous);
    hsp_error_report_free(out);
    hsp_model_free(model);
    hsp_data_free(data);
}

/* Smaller delta, larger bounds. */
static void monotone_in_delta(void)
{
    static const char *const deltas[] = {"0.5", "0.1", "0.01", "1e-6", "1e-100"};
    hsp_data *data = make("halfspace", "500", "3", "9", "0.05");
    hsp_data *test = make("halfspace", "100", "3", "10", "0.05");
    hsp_model *model = train("perceptron", data, no_options);
    hsp_error_report *before = outlook(model, data, test, (const char *[]){"delta", "0.9", NULL});
    for (int d = 0; d < 5; d++) {
        hsp_error_report *out =
            outlook(model, data, test, (const char *[]){"delta", deltas[d], NULL});
        for (size_t i = 0; i < out->count; i++) {
            if (!out->bounds[i].applies) continue;
            if (strcmp(out->bounds[i].kind, "estimate") == 0) continue;
            CHECK_NOTE(out->bounds[i].value >= before->bounds[i].value, "%s at %s",
                       out->bounds[i].name, deltas[d]);
        }
        hsp_error_report_free(before);
        before = out;
    }
    hsp_error_report_free(before);
    hsp_model_free(model);
    hsp_data_free(data);
    hsp_data_free(test);
}

/* As many columns as rows and labels by the coin: the training rows are memorised. */
static void overfitting(void)
{
    hsp_data *all = make("halfspace", "160", "100", "1", "0.5"), *rows = NULL, *held = NULL;
    hsp_options *split =
        test_options_pairs(ctx, hsp_split_options(), (const char *[]){"test", "80", NULL});
    CHECK(!hsp_data_split(ctx, all, split, NULL, &rows, &held));
    hsp_model *model = train("svm", rows, (const char *[]){"C", "1000", NULL});
    hsp_error_report *out = outlook(model, rows, held, no_options);
    CHECK(out->train_mistakes == 0 && out->test_mistakes > 20);
    CHECK(out->overfits && out->test_lower > 0.2);
    hsp_error_report_free(out);
    hsp_model_free(model);
    hsp_options_free(split);
    hsp_data_free(all);
    hsp_data_free(rows);
    hsp_data_free(held);
    /* and where rows are many and columns few it does not show */
    rows = make("halfspace", "2000", "2", "1", "0.1");
    held = make("halfspace", "500", "2", "1", "0.1");
    hsp_data *other = NULL;
    uint64_t last[300];
    for (uint64_t i = 0; i < 300; i++)
        last[i] = i;
    CHECK(!hsp_data_select(ctx, held, last, 300, NULL, &other));
    model = train("svm", rows, no_options);
    out = outlook(model, rows, other, (const char *[]){"allow-overlap", "yes", NULL});
    CHECK(out->shared_rows == 300 && !out->overfits);
    hsp_error_report_free(out);
    hsp_model_free(model);
    hsp_data_free(rows);
    hsp_data_free(held);
    hsp_data_free(other);
}

/* The sentence from the training rows: the least of eight bounds, each at an eighth of delta. */
static void headline(void)
{
    hsp_data *data = make("halfspace", "3000", "2", "5", "0.02");
    hsp_model *model = train("perceptron", data, (const char *[]){"passes", "1", NULL});
    hsp_error_report *out = outlook(model, data, NULL, (const char *[]){"delta", "0.08", NULL});
    hsp_error_report *eighth = outlook(model, data, NULL, (const char *[]){"delta", "0.01", NULL});
    double least = 1, early = 1;
    for (size_t i = 0; i < out->count; i++) {
        if (strcmp(eighth->bounds[i].about, "this model") || !eighth->bounds[i].applies) continue;
        least = fmin(least, eighth->bounds[i].value);
        early = fmin(early, out->bounds[i].value);
    }
    CHECK(out->training_tried == 8 && near(out->training_upper, least));
    CHECK(early < out->training_upper && out->training_upper < 1);
    CHECK(out->training_bound && near(value(eighth, out->training_bound), least));
    hsp_error_report_free(out);
    hsp_error_report_free(eighth);
    hsp_model_free(model);
    hsp_data_free(data);
}

/* Test data that the model has seen, or may have seen, bounds nothing. */
static void trained_on_the_test_rows(void)
{
    hsp_data *data = make("halfspace", "60", "60", "3", "0.5");
    hsp_data *other = make("halfspace", "60", "60", "4", "0.5");
    hsp_model *model = train("svm", data, (const char *[]){"C", "1000", NULL}), *from = NULL;
    hsp_options *options = test_options_pairs(ctx, hsp_learner_find("svm"), no_options);
    hsp_error_report *out = NULL;
    hsp_error err = {0};
    CHECK(hsp_error_report_new(ctx, model, NULL, data, NULL, &err, &out) == HSP_BAD_DATA);
    CHECK(strstr(err.message, "trained on the test data") != NULL);
    CHECK(hsp_train_from(ctx, other, options, model, NULL, NULL, &from) == HSP_OK);
    CHECK(hsp_error_report_new(ctx, from, NULL, data, NULL, &err, &out) == HSP_BAD_DATA);
    CHECK(hsp_error_report_new(ctx, from, NULL, other, NULL, &err, &out) == HSP_BAD_DATA);
    hsp__model_set_metadata(from, "earlier_data_hashes", "unknown", NULL);
    CHECK(hsp_error_report_new(ctx, from, NULL, data, NULL, &err, &out) == HSP_USAGE);
    CHECK(hsp_error_report_new(ctx, model, NULL, other, NULL, NULL, &out) == HSP_OK);
    hsp_error_report_free(out);
    hsp_options_free(options);
    hsp_model_free(from);
    hsp_model_free(model);
    hsp_data_free(other);
    hsp_data_free(data);
}

static void threads(void)
{
    hsp_data *data = make("halfspace", "20000", "5", "9", "0.05");
    hsp_model *model = train("svm", data, no_options);
    hsp_error_report *out[2];
    for (int i = 0; i < 2; i++) {
        hsp_context_set_threads(ctx, i ? 5 : 1);
        out[i] = outlook(model, data, NULL, (const char *[]){"retrain", "no", NULL});
    }
    hsp_context_set_threads(ctx, 0);
    for (size_t i = 0; i < out[0]->count; i++) {
        const hsp_error_bound *a = &out[0]->bounds[i], *b = &out[1]->bounds[i];
        CHECK(a->applies == b->applies && (!a->applies || a->value == b->value));
        CHECK_TEXT(a->figures, b->figures);
    }
    CHECK(strstr(find(out[0], "compression")->figures, "retrain") != NULL);
    hsp_error_report_free(out[0]);
    hsp_error_report_free(out[1]);
    hsp_model_free(model);
    hsp_data_free(data);
}

int main(void)
{
    if (hsp_context_new(NULL, &ctx) != HSP_OK) return 1;
    RUN(held_out);
    RUN(by_growth);
    RUN(by_mistakes);
    RUN(rebuilt_from_its_mistakes);
    RUN(shares);
    RUN(by_margin);
    RUN(by_pac_bayes);
    RUN(unscaled);
    RUN(tiny_weights);
    RUN(beyond_measure);
    RUN(by_description);
    RUN(more_classes);
    RUN(refused_parts);
    RUN(one_pass_votes);
    RUN(sorted_rows);
    RUN(shared_rows);
    RUN(two_rows);
    RUN(monotone_in_delta);
    RUN(overfitting);
    RUN(headline);
    RUN(trained_on_the_test_rows);
    RUN(threads);
    hsp_context_free(ctx);
    return check_done();
}
