/* Probabilities: they add up, and the class predicted has the largest one, whatever the map; known
 * values; thresholds; files, checks and forms keep them. */
#include "model/helpers.h"
#include "model/probability.h"

enum { MOST = 6 };

/* ---- Maps at random -------------------------------------------------------------------------- */

static void any_knots(hsp_context *ctx, hsp__random *random, hsp_model *model)
{
    hsp__probability *map = &model->probability;
    const uint64_t maps = hsp__probability_maps(model);
    map->first = test_array(ctx, maps + 1, sizeof *map->first);
    for (uint64_t m = 0; m < maps; m++)
        map->first[m + 1] = map->first[m] + 1 + hsp__random_below(random, 7);
    map->knots = map->first[maps];
    map->at = test_array(ctx, map->knots, sizeof *map->at);
    map->value = test_array(ctx, map->knots, sizeof *map->value);
    for (uint64_t m = 0; m < maps; m++) {
        double last = -10 * hsp__random_unit(random), value = 0;
        for (uint64_t k = map->first[m]; k < map->first[m + 1]; k++) {
            last += 0.01 + 5 * hsp__random_unit(random);
            if (hsp__random_below(random, 3)) value += (1 - value) * hsp__random_unit(random);
            map->at[k] = last;
            map->value[k] = value;
        }
    }
}

static void any_map(hsp_context *ctx, hsp__random *random, hsp_model *model)
{
    hsp__probability *map = &model->probability;
    static const double platt[] = {0, 1e-300, 0.3, -1, 50, -1e300};
    static const double scales[] = {1, 1e-200, 0.1, 7, 1e200};
    const uint64_t kind = hsp__random_below(random, 5), maps = hsp__probability_maps(model);
    if (kind < 3 && !model->pairs) {
        map->link = (hsp__link)(HSP__LINK_LOGISTIC + kind);
    } else if (kind == 4) {
        map->calibration = HSP__CALIBRATION_ISOTONIC;
        any_knots(ctx, random, model);
    } else {
        map->calibration = HSP__CALIBRATION_PLATT;
        map->platt = test_array(ctx, 2 * maps, sizeof *map->platt);
        for (uint64_t m = 0; m < 2 * maps; m++)
            map->platt[m] = platt[hsp__random_below(random, 6)];
    }
    if (hsp__random_below(random, 2)) map->scale = scales[hsp__random_below(random, 5)];
    if (hsp_model_classes(model) == 2 && hsp__random_below(random, 3) == 0)
        map->threshold = 0.01 + 0.98 * hsp__random_unit(random);
}

static hsp_model *any_mapped(hsp_context *ctx, hsp__random *random)
{
    const uint32_t classes = 2 + (uint32_t)hsp__random_below(random, MOST - 1);
    hsp_model *model = classes > 2 && hsp__random_below(random, 3) == 0
                           ? test_pairs(ctx, random, classes, 3)
                           : test_linear(ctx, random, classes, 3);
    any_map(ctx, random, model);
    return model;
}

static double any_score(hsp__random *random)
{
    static const double sizes[] = {1, 1e-20, 1e-320, 1e20, 1e307, 0.001};
    const double size = sizes[hsp__random_below(random, 6)];
    return size * (hsp__random_below(random, 2) ? test_small(random) : hsp__random_normal(random));
}

/* ---- Never disagree -------------------------------------------------------------------------- */

static void agrees(const hsp_model *model, const double *scores, const double *p)
{
    const uint32_t classes = hsp_model_classes(model), label = hsp__model_decide(model, scores);
    const double threshold = model->probability.threshold;
    double sum = 0, most = 0;
    uint32_t highest = 0;
    for (uint32_t c = 0; c < classes; c++) {
        sum += p[c];
        most = fmax(most, p[c]);
        CHECK(p[c] >= 0 && p[c] <= 1);
    }
    CHECK(fabs(sum - 1) <= 1e-12);
    for (uint32_t c = 0; c < classes; c++)
        highest += p[c] == most;
    if (classes == 2) {
        const double t = threshold > 0 ? threshold : 0.5;
        if (p[1] != t) CHECK(label == (p[1] > t));
    } else if (label != HSP_NO_CLASS) {
        CHECK(p[label] == most);
    } else {
        CHECK(highest > 1 && model->tie == HSP_TIE_ZERO);
    }
}

/* Scores of a link decide by themselves, and 1/2 is at the score 0. */
static void link_agrees(const hsp_model *model, const double *scores, const double *p)
{
    double number[MOST], top = -HUGE_VAL;
    if (model->scorers == 1) {
        CHECK((p[1] > 0.5) == (scores[0] > 0) && (p[0] > 0.5) == (scores[0] < 0));
        return;
    }
    hsp_model_class_scores(model, scores, number);
    for (uint32_t c = 0; c < hsp_model_classes(model); c++)
        top = fmax(top, number[c]);
    for (uint32_t c = 0; c < hsp_model_classes(model); c++)
        for (uint32_t d = 0; d < hsp_model_classes(model); d++) {
            if (number[c] == top && number[d] == top) CHECK(p[c] == p[d]);
            if (number[c] == top && number[d] < top) CHECK(p[c] > p[d]);
            if (number[c] > number[d]) CHECK(p[c] >= p[d]);
        }
}

static void never_disagree(void)
{
    hsp_context *ctx = test_context(1, 0);
    for (uint64_t seed = 0; seed < 4000; seed++) {
        hsp__random random;
        double scores[MOST * MOST], p[MOST];
        hsp__random_seed(&random, 1, seed);
        hsp_model *model = any_mapped(ctx, &random);
        CHECK(hsp__model_check(ctx, model, NULL, NULL) == HSP_OK);
        CHECK(hsp_model_has_probabilities(model));
        for (int i = 0; i < 20; i++) {
            for (uint32_t k = 0; k < model->scorers; k++)
                scores[k] = any_score(&random);
            hsp_model_probabilities(model, scores, p);
            agrees(model, scores, p);
            if (!model->probability.calibration) link_agrees(model, scores, p);
            if (check_failures > 20) return;
        }
        hsp_model_free(model);
    }
    hsp_context_free(ctx);
}

static void they_rise_with_the_score(void)
{
    hsp_context *ctx = test_context(1, 0);
    for (uint64_t seed = 0; seed < 300; seed++) {
        hsp__random random;
        double p[2], before = 0;
        hsp__random_seed(&random, 2, seed);
        hsp_model *model = test_linear(ctx, &random, 2, 1);
        any_map(ctx, &random, model);
        if (model->probability.platt)
            model->probability.platt[0] = fabs(model->probability.platt[0]);
        for (double s = -40; s <= 40; s += 0.125) {
            hsp_model_probabilities(model, &s, p);
            CHECK(p[1] >= before);
            before = p[1];
        }
        hsp_model_free(model);
    }
    hsp_context_free(ctx);
}

/* ---- Known values ---------------------------------------------------------------------------- */

static void check_two(const hsp_model *model, double score, double want, double tolerance)
{
    double p[2];
    hsp_model_probabilities(model, &score, p);
    CHECK_NOTE(fabs(p[1] - want) <= tolerance, "score %g: %.17g, want %.17g", score, p[1], want);
    CHECK(fabs(p[0] - (1 - want)) <= tolerance);
}

static void known_values_of_two(void)
{
    hsp_context *ctx = test_context(1, 0);
    hsp__random random;
    hsp__random_seed(&random, 3, 0);
    hsp_model *model = test_linear(ctx, &random, 2, 1);
    hsp__probability *map = &model->probability;
    CHECK(!hsp_model_has_probabilities(model));
    map->link = HSP__LINK_LOGISTIC;
    check_two(model, 1, 0.7310585786300049, 1e-15);
    check_two(model, -2, 0.11920292202211755, 1e-15);
    double far = -700, p[2];
    hsp_model_probabilities(model, &far, p); /* keeps its digits where 1 - p would be 0 */
    CHECK(fabs(p[1] / exp(-700) - 1) <= 1e-12);
    map->link = HSP__LINK_PROBIT;
    check_two(model, 1, 0.8413447460685429, 1e-15);
    check_two(model, -1.959963984540054, 0.025, 1e-15);
    map->link = HSP__LINK_STEP;
    check_two(model, 1e-300, 1, 0);
    check_two(model, -1e-300, 0, 0);
    double platt[] = {2, -3};
    map->calibration = HSP__CALIBRATION_PLATT; /* comes before the link */
    map->platt = platt;
    check_two(model, 2, 0.7310585786300049, 1e-15);
    check_two(model, 0.5, 0.11920292202211755, 1e-15);
    const double scores[] = {1.4, 1.5, 1.6};
    CHECK(hsp__model_decide(model, &scores[0]) == 0 && hsp__model_decide(model, &scores[2]) == 1);
    model->tie = HSP_TIE_ZERO;
    CHECK(hsp__model_decide(model, &scores[1]) == HSP_NO_CLASS);
    double at[] = {-2, -1, 0, 4}, value[] = {0.1, 0.3, 0.3, 0.9};
    uint64_t first[] = {0, 4};
    map->calibration = HSP__CALIBRATION_ISOTONIC;
    map->knots = 4;
    map->first = first;
    map->at = at;
    map->value = value;
    check_two(model, -5, 0.1, 1e-15);
    check_two(model, -1.5, 0.2, 1e-15);
    check_two(model, -0.5, 0.3, 1e-15);
    check_two(model, 1, 0.45, 1e-15);
    check_two(model, 9, 0.9, 1e-15);
    CHECK_TEXT(hsp_model_link(model), "step");
    CHECK_TEXT(hsp_model_calibration(model), "isotonic");
    map->at = map->value = map->platt = NULL;
    map->first = NULL;
    map->knots = 0;
    hsp_model_free(model);
    hsp_context_free(ctx);
}

static void check_three(const hsp_model *model, const double *scores, const double *want)
{
    double p[3];
    hsp_model_probabilities(model, scores, p);
    for (int c = 0; c < 3; c++)
        CHECK_NOTE(fabs(p[c] - want[c]) <= 1e-12, "class %d: %.17g, want %.17g", c, p[c], want[c]);
}

static void known_values_of_more(void)
{
    hsp_context *ctx = test_context(1, 0);
    hsp__random random;
    hsp__random_seed(&random, 4, 0);
    hsp_model *model = test_linear(ctx, &random, 3, 1);
    hsp__probability *map = &model->probability;
    const double scores[] = {0, log(3), -1e4}; /* logistic: 1/2, 3/4, 0 */
    map->link = HSP__LINK_LOGISTIC;
    check_three(model, scores, (double[]){0.4, 0.6, 0});
    check_three(model, (double[]){-1000, -1000 - log(2), -1001 - log(4)},
                (double[]){1 / (1.5 + exp(-1) / 4), 0.5 / (1.5 + exp(-1) / 4),
                           exp(-1) / 4 / (1.5 + exp(-1) / 4)});
    map->link = HSP__LINK_PROBIT;
    check_three(model, (double[]){0, 40, -40}, (double[]){1.0 / 3, 2.0 / 3, 0});
    map->link = HSP__LINK_STEP;
    check_three(model, (double[]){7, 3, 7}, (double[]){0.5, 0, 0.5});
    /* scores 1, 2, 3 are ahead of the best other one by -2, -1 and 1: 1/5, 1/3 and 3/5 */
    double platt[] = {log(2), 0, log(2), 0, log(3), -log(2)};
    map->calibration = HSP__CALIBRATION_PLATT;
    map->platt = platt;
    const double sum = 1.0 / 5 + 1.0 / 3 + 3.0 / 5;
    check_three(model, (double[]){1, 2, 3}, (double[]){0.2 / sum, 1 / 3.0 / sum, 0.6 / sum});
    map->scale = 2;
    check_three(model, (double[]){0.5, 1, 1.5}, (double[]){0.2 / sum, 1 / 3.0 / sum, 0.6 / sum});
    double at[] = {-3, 1, -3, 1, 0}, value[] = {0.1, 0.5, 0.1, 0.9, 0.3}; /* leads 1, -1, -3 */
    uint64_t first[] = {0, 2, 4, 5};
    map->calibration = HSP__CALIBRATION_ISOTONIC;
    map->scale = 1;
    map->knots = 5;
    map->first = first;
    map->at = at;
    map->value = value;
    check_three(model, (double[]){10, 9, 7}, (double[]){0.5 / 1.3, 0.5 / 1.3, 0.3 / 1.3});
    model->tie = HSP_TIE_NEG; /* the first two are equally probable */
    CHECK(hsp__model_decide(model, (double[]){10, 9, 7}) == 0);
    model->tie = HSP_TIE_POS;
    CHECK(hsp__model_decide(model, (double[]){10, 9, 7}) == 1);
    model->tie = HSP_TIE_ZERO;
    CHECK(hsp__model_decide(model, (double[]){10, 9, 7}) == HSP_NO_CLASS);
    map->at = map->value = map->platt = NULL;
    map->first = NULL;
    map->knots = 0;
    hsp_model_free(model);
    hsp_context_free(ctx);
}

/* Far to the left, where Phi is 0, the ratio of two tails is still right. */
static void the_probit_has_a_tail(void)
{
    hsp_context *ctx = test_context(1, 0);
    hsp__random random;
    double p[3];
    hsp__random_seed(&random, 5, 0);
    hsp_model *model = test_linear(ctx, &random, 3, 1);
    model->probability.link = HSP__LINK_PROBIT;
    hsp_model_probabilities(model, (double[]){-29.99, -30.01, -60}, p); /* across the seam */
    CHECK(fabs(log(p[0] / p[1]) - (30.01 * 30.01 - 29.99 * 29.99) / 2 - log(30.01 / 29.99)) <=
          1e-4);
    hsp_model_probabilities(model, (double[]){-100, -100.01, -200}, p);
    CHECK(fabs(log(p[0] / p[1]) - (100.01 * 100.01 - 1e4) / 2 - log(1.0001)) <= 1e-6);
    hsp_model_free(model);
    hsp_context_free(ctx);
}

/* ---- Thresholds ------------------------------------------------------------------------------ */

static void thresholds(void)
{
    static const double wrong[] = {0, 1, -0.5, 2, (double)NAN};
    hsp_context *ctx = test_context(1, 0);
    hsp__random random;
    hsp_error err = {0};
    const double scores[] = {-2, -1, 0}; /* logistic: 0.119, 0.269, 0.5 */
    hsp__random_seed(&random, 11, 0);
    hsp_model *model = test_linear(ctx, &random, 2, 1);
    CHECK(hsp_model_set_threshold(model, 0.2, &err) == HSP_USAGE);
    CHECK(strstr(err.message, "no probabilities") != NULL);
    model->probability.link = HSP__LINK_LOGISTIC;
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++)
        CHECK(hsp_model_set_threshold(model, wrong[i], NULL) == HSP_USAGE);
    CHECK(hsp_model_threshold(model) == 0);
    CHECK(hsp__model_decide(model, &scores[1]) == 0);
    CHECK(hsp_model_set_threshold(model, 0.2, NULL) == HSP_OK);
    CHECK(hsp__model_decide(model, &scores[0]) == 0 && hsp__model_decide(model, &scores[1]) == 1);
    CHECK(hsp_model_set_threshold(model, 0.5, NULL) == HSP_OK && hsp_model_threshold(model) == 0.5);
    model->tie = HSP_TIE_ZERO;
    CHECK(hsp__model_decide(model, &scores[2]) == HSP_NO_CLASS);
    hsp_model_free(model);
    model = test_linear(ctx, &random, 3, 1);
    model->probability.link = HSP__LINK_LOGISTIC;
    CHECK(hsp_model_set_threshold(model, 0.2, &err) == HSP_USAGE);
    CHECK(strstr(err.message, "needs two classes; this model has 3") != NULL);
    hsp_model_free(model);
    hsp_context_free(ctx);
}

/* ---- Kept ------------------------------------------------------------------------------------ */

static int same_array(const double *a, const double *b, uint64_t count)
{
    return memcmp(a, b, count * sizeof *a) == 0;
}

static int same_map(const hsp_model *model, const hsp__probability *b)
{
    const hsp__probability *a = &model->probability;
    const uint64_t maps = hsp__probability_maps(model);
    if (a->link != b->link || a->calibration != b->calibration || a->scale != b->scale ||
        a->threshold != b->threshold || a->knots != b->knots)
        return 0;
    if (a->calibration == HSP__CALIBRATION_PLATT) return same_array(a->platt, b->platt, 2 * maps);
    if (a->calibration == HSP__CALIBRATION_NONE) return 1;
    return memcmp(a->first, b->first, (maps + 1) * sizeof *a->first) == 0 &&
           same_array(a->at, b->at, a->knots) && same_array(a->value, b->value, a->knots);
}

static void files_keep_them(void)
{
    hsp_context *ctx = test_context(1, 0);
    const char *path = test_path("map.model");
    for (uint64_t seed = 0; seed < 200; seed++) {
        hsp__random random;
        hsp_error err = {0};
        hsp_model *back = NULL;
        hsp__random_seed(&random, 6, seed);
        hsp_model *model = any_mapped(ctx, &random);
        CHECK_NOTE(hsp_model_write(ctx, model, path, &err) == HSP_OK, "%s", err.message);
        CHECK_NOTE(hsp_model_read(ctx, path, &err, &back) == HSP_OK, "%s", err.message);
        if (back)
            CHECK_NOTE(same_map(model, &back->probability), "seed %llu", (unsigned long long)seed);
        hsp_model_free(back);
        hsp_model_free(model);
    }
    unlink(path);
    hsp_context_free(ctx);
}

/* The unit form divides the scores, and the probabilities stay. */
static void forms_keep_them(void)
{
    static const char *const forms[] = {"homogeneous", "unit"};
    hsp_context *ctx = test_context(1, 0);
    for (uint64_t seed = 0; seed < 200; seed++) {
        hsp__random random;
        double scores[MOST * MOST], p[MOST], q[MOST];
        hsp__random_seed(&random, 7, seed);
        hsp_model *model = any_mapped(ctx, &random);
        model->weights[0] = 2.5; /* no score is 0, so that none comes to the other side */
        for (uint32_t k = 0; k < model->scorers; k++)
            model->offsets[k] = 1 + k + hsp__random_normal(&random);
        model->probability.scale = 1;
        for (uint64_t m = 0; model->probability.platt && m < 2 * hsp__probability_maps(model); m++)
            model->probability.platt[m] = fmin(fmax(model->probability.platt[m], -2), 2);
        hsp_data *rows = test_rows(ctx, &random, 1, 3, HSP_DENSE);
        for (int f = 0; f < 2; f++) {
            hsp_model *form = NULL;
            CHECK(hsp_model_form(ctx, model, forms[f], NULL, &form) == HSP_OK);
            CHECK(hsp_model_score(ctx, model, &rows->view, NULL, scores, NULL) == HSP_OK);
            hsp_model_probabilities(model, scores, p);
            CHECK(hsp_model_score(ctx, form, &rows->view, NULL, scores, NULL) == HSP_OK);
            hsp_model_probabilities(form, scores, q);
            for (uint32_t c = 0; c < hsp_model_classes(model); c++)
                CHECK_NOTE(fabs(p[c] - q[c]) <= 1e-9, "%s seed %llu: %g %g", forms[f],
                           (unsigned long long)seed, p[c], q[c]);
            hsp_model_free(form);
        }
        hsp_data_free(rows);
        hsp_model_free(model);
    }
    hsp_context_free(ctx);
}

static void what_is_not_whole(void)
{
    hsp_context *ctx = test_context(1, 0);
    hsp__random random;
    double at[] = {-1, 0, 1}, value[] = {0.2, 0.5, 0.8}, platt[] = {1, (double)NAN};
    uint64_t first[] = {0, 3};
    hsp__random_seed(&random, 8, 0);
    hsp_model *model = test_linear(ctx, &random, 2, 2);
    hsp__probability *map = &model->probability;
    const hsp__probability good = {.calibration = HSP__CALIBRATION_ISOTONIC,
                                   .scale = 1,
                                   .knots = 3,
                                   .first = first,
                                   .at = at,
                                   .value = value};
#define REFUSED(change, why)                                             \
    do {                                                                 \
        hsp_error err = {0};                                             \
        *map = good;                                                     \
        change;                                                          \
        CHECK(hsp__model_check(ctx, model, "m", &err) == HSP_BAD_DATA);  \
        CHECK_NOTE(strstr(err.message, why) != NULL, "%s", err.message); \
        at[0] = -1, at[1] = 0, value[0] = 0.2, first[0] = 0;             \
    } while (0)
    *map = good;
    CHECK(hsp__model_check(ctx, model, "m", NULL) == HSP_OK);
    REFUSED(map->scale = 0, "scale");
    REFUSED(map->scale = (double)NAN, "scale");
    REFUSED(map->threshold = 1, "threshold");
    REFUSED(map->knots = 0, "do not cover");
    REFUSED(first[0] = 1, "do not cover");
    REFUSED(value[0] = 0.6, "does not rise");
    REFUSED(value[0] = -0.1, "does not rise");
    REFUSED(at[0] = 0, "does not rise");
    REFUSED(at[0] = -HUGE_VAL, "not finite");
    REFUSED((map->calibration = HSP__CALIBRATION_PLATT, map->platt = platt), "not finite");
    *map = (hsp__probability){.scale = 1};
    hsp_model_free(model);
    model = test_pairs(ctx, &random, 3, 2);
    model->probability.link = HSP__LINK_LOGISTIC;
    CHECK(hsp__model_check(ctx, model, "m", NULL) == HSP_BAD_DATA);
    CHECK(!hsp_model_has_probabilities(model));
    hsp_model_free(model);
    hsp_context_free(ctx);
}

/* ---- Printed and measured -------------------------------------------------------------------- */

static void predicted_to_a_file(void)
{
    hsp_context *ctx = test_context(1, 0);
    hsp__random random;
    hsp_error err = {0};
    const char *in = test_path("map.svm"), *out = test_path("map.out");
    size_t size;
    hsp_options *options = NULL;
    hsp__random_seed(&random, 9, 0);
    hsp_model *model = test_linear(ctx, &random, 2, 1);
    model->weights[0] = log(3);
    model->offsets[0] = 0;
    test_write_file(in, "0 1:1\n0 1:-1\n0\n", 15);
    CHECK(hsp_options_new(ctx, hsp_predict_options(), NULL, &options) == HSP_OK);
    CHECK(hsp_options_set(options, "probability", "yes", NULL) == HSP_OK);
    CHECK(hsp_predict_file(ctx, model, in, NULL, options, out, &err, NULL) == HSP_USAGE);
    CHECK(strstr(err.message, "has no probabilities") != NULL);
    CHECK(hsp_options_set(options, "link", "step", NULL) == HSP_OK);
    CHECK(hsp_predict_file(ctx, model, in, NULL, options, out, NULL, NULL) == HSP_OK);
    char *text = test_read_file(out, &size);
    model->tie = HSP_TIE_NEG;
    CHECK(strncmp(text, "class 1\t0\t1\nclass 0\t1\t0\n", 24) == 0);
    free(text);
    CHECK(hsp_options_set(options, "probability", "no", NULL) == HSP_OK);
    CHECK(hsp_predict_file(ctx, model, in, NULL, options, out, &err, NULL) == HSP_USAGE);
    CHECK(strstr(err.message, "--link needs --probability or --threshold") != NULL);
    unlink(in);
    unlink(out);
    hsp_options_free(options);
    hsp_model_free(model);
    hsp_context_free(ctx);
}

static void measured(void)
{
    hsp_context *ctx = test_context(1, 0);
    hsp__random random;
    hsp_evaluation all = {.size = sizeof all};
    hsp__random_seed(&random, 10, 0);
    hsp_model *model = test_linear(ctx, &random, 2, 1);
    model->weights[0] = log(3);
    model->offsets[0] = 0;
    hsp_data *data = test_parse(ctx, "x,y\n1,class 1\n1,class 0\n-1,class 0\n", NULL, NULL);
    CHECK(hsp_evaluate(ctx, model, data, NULL, &all, NULL) == HSP_OK);
    CHECK(isnan(all.log_loss) && isnan(all.brier));
    model->probability.link = HSP__LINK_LOGISTIC; /* 3/4, 3/4 and 1/4 */
    CHECK(hsp_evaluate(ctx, model, data, NULL, &all, NULL) == HSP_OK);
    CHECK(fabs(all.log_loss - (-2 * log(0.75) - log(0.25)) / 3) <= 1e-14);
    CHECK(fabs(all.brier - (0.0625 + 0.5625 + 0.0625) / 3) <= 1e-14);
    model->probability.link = HSP__LINK_STEP;
    CHECK(hsp_evaluate(ctx, model, data, NULL, &all, NULL) == HSP_OK);
    CHECK(fabs(all.log_loss - 52 * log(2) / 3) <= 1e-12);
    hsp_data_free(data);
    hsp_model_free(model);
    hsp_context_free(ctx);
}

int main(void)
{
    RUN(never_disagree);
    RUN(they_rise_with_the_score);
    RUN(known_values_of_two);
    RUN(known_values_of_more);
    RUN(the_probit_has_a_tail);
    RUN(thresholds);
    RUN(files_keep_them);
    RUN(forms_keep_them);
    RUN(what_is_not_whole);
    RUN(predicted_to_a_file);
    RUN(measured);
    return check_done();
}
