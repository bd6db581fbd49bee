/* One scorer per pair of classes: who wins, by a rule written down once more here; class scores whose
 * highest is the winner; files and forms. */
#include "model/helpers.h"
#include "model/ovo_votes.h"

/* ---- Who wins -------------------------------------------------------------------------------- */

enum { MOST = 9 };

/* The rule as docs/multiclass.md has it: votes and sums in tables, then who is ahead of whom. */
static uint32_t reference_winner(const double *scores, uint32_t classes, hsp_tie tie)
{
    int votes[MOST] = {0};
    double sums[MOST] = {0};
    uint32_t at = 0, best[MOST], count = 0;
    for (uint32_t i = 0; i < classes; i++)
        for (uint32_t j = i + 1; j < classes; j++, at++) {
            const double s = scores[at];
            if (s > 0 || (s == 0 && tie == HSP_TIE_POS)) votes[j]++;
            if (s < 0 || (s == 0 && tie == HSP_TIE_NEG)) votes[i]++;
        }
    for (uint32_t c = 0; c < classes; c++) {
        at = 0;
        for (uint32_t i = 0; i < classes; i++)
            for (uint32_t j = i + 1; j < classes; j++, at++)
                sums[c] += i == c ? -scores[at] : j == c ? scores[at] : 0;
    }
    for (uint32_t c = 0; c < classes; c++) {
        int beaten = 0;
        for (uint32_t d = 0; d < classes; d++)
            beaten |= votes[d] > votes[c] || (votes[d] == votes[c] && sums[d] > sums[c]);
        if (!beaten) best[count++] = c;
    }
    if (count == 1 || tie == HSP_TIE_NEG) return best[0];
    return tie == HSP_TIE_POS ? best[count - 1] : HSP_NO_CLASS;
}

static void pairs_are_in_order(void)
{
    for (uint32_t classes = 3; classes < 12; classes++) {
        uint32_t at = 0, i, j;
        for (uint32_t a = 0; a < classes; a++)
            for (uint32_t b = a + 1; b < classes; b++, at++) {
                CHECK(hsp__pair(classes, a, b) == at);
                hsp__pair_classes(classes, at, &i, &j);
                CHECK(i == a && j == b);
            }
        CHECK(hsp__pair_count(classes) == at);
    }
}

static void votes_decide(void)
{
    /* three classes: (0,1) (0,2) (1,2) */
    static const struct {
        double scores[3];
        uint32_t neg, pos, zero;
    } cases[] = {
        {{-1, -1, 5}, 0, 0, 0},            /* two votes for 0, one for 2 */
        {{1, 2, -9}, 1, 1, 1},             /* two votes for 1 */
        {{-3, 1, -1}, 0, 0, 0},            /* a vote each; sums 2, -2, 0 */
        {{-1, 1, -1}, 0, 2, HSP_NO_CLASS}, /* a vote each, sums 0 */
        {{0, 0, 0}, 0, 2, HSP_NO_CLASS},   /* neg: 0 has two; pos: 2 has two */
        {{0, -1, 1}, 0, 0, 0},             /* pos: a vote each, sums 1 -1 0 */
        {{0, 1, 1}, 2, 2, 2},              /* 2 has two */
    };
    hsp_context *ctx = test_context(1, 0);
    hsp__random random;
    hsp__random_seed(&random, 1, 0);
    hsp_model *model = test_pairs(ctx, &random, 3, 1);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const double *s = cases[i].scores;
        model->tie = HSP_TIE_NEG;
        CHECK_NOTE(hsp__model_decide(model, s) == cases[i].neg, "case %zu", i);
        model->tie = HSP_TIE_POS;
        CHECK_NOTE(hsp__model_decide(model, s) == cases[i].pos, "case %zu", i);
        model->tie = HSP_TIE_ZERO;
        CHECK_NOTE(hsp__model_decide(model, s) == cases[i].zero, "case %zu", i);
    }
    hsp_model_free(model);
    hsp_context_free(ctx);
}

static double any_score(hsp__random *random, uint64_t kind)
{
    if (kind == 0) return test_small(random);
    if (kind == 1) return hsp__random_normal(random);
    if (kind == 2) return test_small(random) * 1e17;
    return test_small(random) * 1e-300;
}

/* The highest class scores are exactly the classes that nobody beats. */
static void class_scores_agree(const hsp_model *model, const double *scores, uint32_t decided)
{
    double out[MOST];
    const uint32_t classes = hsp_model_classes(model);
    hsp_model_class_scores(model, scores, out);
    CHECK(hsp__decide(out, classes, model->tie) == decided);
    CHECK(hsp__decide(out, classes, HSP_TIE_NEG) == reference_winner(scores, classes, model->tie) ||
          decided == HSP_NO_CLASS || model->tie == HSP_TIE_POS);
    for (uint32_t c = 0; c < classes; c++)
        CHECK(out[c] >= -0.5 && out[c] <= classes - 0.5);
}

static void the_rule_is_the_rule(void)
{
    hsp_context *ctx = test_context(1, 0);
    uint64_t ties = 0;
    for (uint64_t seed = 0; seed < 20000; seed++) {
        hsp__random random;
        double scores[MOST * MOST];
        hsp__random_seed(&random, 2, seed);
        const uint32_t classes = 3 + (uint32_t)hsp__random_below(&random, MOST - 2);
        hsp_model *model = test_pairs(ctx, &random, classes, 1);
        for (uint32_t k = 0; k < model->scorers; k++)
            scores[k] = any_score(&random, seed % 4);
        const uint32_t decided = hsp__model_decide(model, scores);
        CHECK_NOTE(decided == reference_winner(scores, classes, model->tie), "seed %llu",
                   (unsigned long long)seed);
        ties += decided == HSP_NO_CLASS;
        class_scores_agree(model, scores, decided);
        hsp_model_free(model);
    }
    CHECK(ties > 50); /* the last rule was asked for too */
    hsp_context_free(ctx);
}

static void class_scores_of_other_models(void)
{
    hsp_context *ctx = test_context(1, 0);
    hsp__random random;
    hsp__random_seed(&random, 3, 0);
    const double scores[] = {0.25, -3, 7};
    double out[3];
    hsp_model *two = test_linear(ctx, &random, 2, 1), *three = test_linear(ctx, &random, 3, 1);
    hsp_model_class_scores(two, scores, out);
    CHECK(out[0] == -0.25 && out[1] == 0.25);
    hsp_model_class_scores(three, scores, out);
    CHECK(memcmp(out, scores, sizeof out) == 0);
    CHECK(hsp_model_scorer_for(two, 0) == 1 && hsp_model_scorer_against(two, 0) == 0);
    CHECK(hsp_model_scorer_for(three, 2) == 2);
    CHECK(hsp_model_scorer_against(three, 2) == HSP_NO_CLASS);
    CHECK(hsp_model_scorer_for(three, 3) == HSP_NO_CLASS);
    CHECK(!hsp_model_is_one_vs_one(two) && !hsp_model_is_one_vs_one(three));
    hsp_model_free(two);
    hsp_model_free(three);
    hsp_context_free(ctx);
}

/* ---- Files, forms, predictions --------------------------------------------------------------- */

static void predictions_of(hsp_context *ctx, const hsp_model *model, const hsp_data *rows,
                           double *scores, uint32_t *classes)
{
    CHECK(hsp_model_score(ctx, model, &rows->view, NULL, scores, classes) == HSP_OK);
}

static void files_and_forms(void)
{
    enum { ROWS = 60 };
    static const char *const forms[] = {"homogeneous", "unit"};
    hsp_context *ctx = test_context(2, 0);
    const char *path = test_path("pairs.model");
    for (uint64_t seed = 0; seed < 60; seed++) {
        hsp__random random;
        hsp_error err = {0};
        hsp_model *back = NULL;
        double scores[ROWS * MOST * MOST], again[ROWS * MOST * MOST];
        uint32_t classes[ROWS], classes_again[ROWS];
        hsp__random_seed(&random, 4, seed);
        hsp_model *model = test_pairs(ctx, &random, 3 + (uint32_t)(seed % 7), 5);
        test_add_updates(ctx, &random, model);
        hsp_data *rows = test_rows(ctx, &random, ROWS, 5, (hsp_storage)(seed % 3));
        predictions_of(ctx, model, rows, scores, classes);
        CHECK_NOTE(hsp_model_write(ctx, model, path, &err) == HSP_OK, "%s", err.message);
        CHECK_NOTE(hsp_model_read(ctx, path, &err, &back) == HSP_OK, "%s", err.message);
        if (back) {
            CHECK(hsp_model_is_one_vs_one(back));
            predictions_of(ctx, back, rows, again, classes_again);
            CHECK(memcmp(scores, again, ROWS * model->scorers * sizeof *scores) == 0);
            CHECK(memcmp(classes, classes_again, sizeof classes) == 0);
        }
        hsp_model_free(back);
        for (int f = 0; f < 2; f++) {
            hsp_model *form = NULL;
            CHECK(hsp_model_form(ctx, model, forms[f], NULL, &form) == HSP_OK);
            CHECK(hsp_model_is_one_vs_one(form));
            predictions_of(ctx, form, rows, again, classes_again);
            if (f == 0) CHECK(memcmp(classes, classes_again, sizeof classes) == 0);
            hsp_model_free(form);
        }
        hsp_data_free(rows);
        hsp_model_free(model);
    }
    unlink(path);
    hsp_context_free(ctx);
}

static int refused(hsp_context *ctx, const hsp_model *model, const char *why)
{
    hsp_error err = {0};
    if (hsp__model_check(ctx, model, "m", &err) != HSP_BAD_DATA) return 0;
    CHECK_NOTE(strstr(err.message, why) != NULL, "%s", err.message);
    return 1;
}

static void what_is_not_whole(void)
{
    hsp_context *ctx = test_context(1, 0);
    hsp__random random;
    hsp__random_seed(&random, 5, 0);
    hsp_model *model = test_pairs(ctx, &random, 4, 2);
    CHECK(hsp__model_check(ctx, model, "m", NULL) == HSP_OK);
    model->pairs = 0;
    CHECK(refused(ctx, model, "4 classes with 6 scorers"));
    model->pairs = 1;
    test_name(&model->class_names, "one more");
    CHECK(refused(ctx, model, "pairs of 5 classes"));
    hsp_model_free(model);
    model = test_linear(ctx, &random, 2, 2);
    model->pairs = 1;
    CHECK(refused(ctx, model, "pairs of 2 classes"));
    hsp_model_free(model);
    model = test_pairs(ctx, &random, 3, 2);
    test_add_votes(ctx, &random, model, HSP_DENSE);
    CHECK(refused(ctx, model, "votes in another way"));
    hsp_model_free(model);
    hsp_context_free(ctx);
}

static void lines_have_one_score_a_class(void)
{
    hsp_context *ctx = test_context(1, 0);
    hsp__random random;
    hsp_options *options = NULL;
    hsp_prediction done = {.size = sizeof done};
    size_t size;
    const char *in = test_path("pairs.svm"), *out = test_path("pairs.out");
    hsp__random_seed(&random, 6, 0);
    hsp_model *model = test_pairs(ctx, &random, 3, 1);
    const double weights[] = {1, 1, -3};
    memcpy(model->weights, weights, sizeof weights);
    memset(model->offsets, 0, 3 * sizeof *model->offsets);
    model->tie = HSP_TIE_ZERO;
    test_write_file(in, "0 1:1\n0 1:-1\n0\n", 15);
    CHECK(hsp_options_new(ctx, hsp_predict_options(), NULL, &options) == HSP_OK);
    CHECK(hsp_options_set(options, "scores", "yes", NULL) == HSP_OK);
    CHECK(hsp_predict_file(ctx, model, in, NULL, options, out, NULL, &done) == HSP_OK);
    char *text = test_read_file(out, &size);
    /* x = 1: (0,1) for 1, (0,2) for 2, (1,2) for 1; sums -2, 4, -2.
     * x = -1: (0,1) for 0, (0,2) for 0, (1,2) for 2; sums 2, -4, 2 */
    CHECK_TEXT(text, "class 1\t-0.3333333333333333\t2.4\t0.6666666666666667\n"
                     "class 0\t2.3333333333333335\t-0.4\t1.3333333333333333\n"
                     "0\t0\t0\t0\n");
    CHECK(done.rows == 3 && done.ties == 1);
    free(text);
    unlink(in);
    unlink(out);
    hsp_options_free(options);
    hsp_model_free(model);
    hsp_context_free(ctx);
}

static void measured_without_margins(void)
{
    hsp_context *ctx = test_context(1, 0);
    hsp__random random;
    hsp_evaluation all = {.size = sizeof all};
    hsp__random_seed(&random, 7, 0);
    hsp_model *model = test_pairs(ctx, &random, 3, 1);
    hsp_data *data = test_parse(ctx, "x,y\n1,class 0\n2,class 1\n3,class 2\n", NULL, NULL);
    CHECK(data != NULL);
    if (data) {
        CHECK(hsp_evaluate(ctx, model, data, NULL, &all, NULL) == HSP_OK);
        CHECK(all.n == 3 && all.balanced_accuracy >= 0);
        CHECK(isnan(all.hinge_loss) && isnan(all.functional_margin));
        CHECK(all.auc >= 0 && all.auc <= 1); /* of the votes */
    }
    hsp_data_free(data);
    hsp_model_free(model);
    hsp_context_free(ctx);
}

int main(void)
{
    RUN(pairs_are_in_order);
    RUN(votes_decide);
    RUN(the_rule_is_the_rule);
    RUN(class_scores_of_other_models);
    RUN(files_and_forms);
    RUN(what_is_not_whole);
    RUN(lines_have_one_score_a_class);
    RUN(measured_without_margins);
    return check_done();
}
