/* Scores of small tables, computed by hand; weights as copies of rows; what is not defined. */
#include "model/scores.h"

#include <math.h>

#include "base/random.h"
#include "check.h"

static hsp_context *ctx;

static double score(const hsp__scored *rows, hsp__score which)
{
    hsp_error err = HSP_ERROR_INIT;
    double value = -1;
    CHECK(hsp__score_rows(ctx, rows, which, &err, &value) == HSP_OK);
    return value;
}

static int near(double a, double b)
{
    return fabs(a - b) <= 1e-14;
}

/* Six rows: TP 2, FN 1, FP 1, TN 2. */
static uint32_t truth[] = {1, 1, 1, 0, 0, 0}, predicted[] = {1, 1, 0, 1, 0, 0};
static double ranking[] = {0.9, 0.6, 0.4, 0.6, 0.2, 0.1};
static double chances[] = {0.1, 0.9, 0.4, 0.6, 0.6, 0.4, 0.4, 0.6, 0.8, 0.2, 0.9, 0.1};
static const hsp__scored six = {.classes = 2,
                                .columns = 1,
                                .rows = 6,
                                .truth = truth,
                                .predicted = predicted,
                                .ranking = ranking,
                                .probability = chances};

static void test_two_classes(void)
{
    CHECK(near(score(&six, HSP__SCORE_ERROR), 2.0 / 6));
    CHECK(near(score(&six, HSP__SCORE_BALANCED_ACCURACY), 2.0 / 3));
    CHECK(near(score(&six, HSP__SCORE_F1), 2.0 / 3));
    CHECK(near(score(&six, HSP__SCORE_MCC), 1.0 / 3));
    /* pairs: 0.9 beats three; 0.6 ties with one, beats two; 0.4 beats two */
    CHECK(near(score(&six, HSP__SCORE_AUC), 7.5 / 9));
    /* recall 1/3 at precision 1, 2/3 at 2/3, 1 at 3/4 */
    CHECK(near(score(&six, HSP__SCORE_AVERAGE_PRECISION), (1 + 2.0 / 3 + 0.75) / 3));
    CHECK(near(score(&six, HSP__SCORE_BRIER), (0.01 + 0.16 + 0.36 + 0.36 + 0.04 + 0.01) / 6));
    CHECK(near(score(&six, HSP__SCORE_LOG_LOSS),
               -(2 * log(0.9) + log(0.6) + 2 * log(0.4) + log(0.8)) / 6));
}

static void test_more_classes(void)
{
    uint32_t y[] = {0, 0, 1, 1, 2}, p[] = {0, 1, 1, 1, HSP_NO_CLASS};
    double rank[] = {3, 2, 1, 1, 2, 0, 0, 5, 1, 0, 4, 2, 0, 1, 1};
    hsp__scored rows = {
        .classes = 3, .columns = 3, .rows = 5, .truth = y, .predicted = p, .ranking = rank};
    CHECK(near(score(&rows, HSP__SCORE_ERROR), 2.0 / 5)); /* a tie is a mistake */
    CHECK(near(score(&rows, HSP__SCORE_BALANCED_ACCURACY), (0.5 + 1 + 0) / 3));
    CHECK(near(score(&rows, HSP__SCORE_F1), (2.0 / 3 + 0.8 + 0) / 3));
    /* class 0: 6 of 6 pairs; 1: 6 of 6; 2: 1 beats 0, ties with two 1s, loses to 2: 2 of 4 */
    CHECK(near(score(&rows, HSP__SCORE_AUC), (1 + 1 + 0.5) / 3));
    CHECK(isnan(score(&rows, HSP__SCORE_LOG_LOSS)));
}

static void test_majority(void)
{
    hsp_error err = HSP_ERROR_INIT;
    double value;
    uint32_t y[] = {0, 0, 0, 1};
    hsp__scored rows = six;
    rows.rows = 4;
    rows.truth = y;
    static const double want[HSP__SCORES] = {0.25, 0.5, 0.5, 0, 0, 0, 0.1875, 0.25};
    for (hsp__score s = 0; s < HSP__SCORES; s++) {
        CHECK(hsp__score_majority(ctx, &rows, s, &err, &value) == HSP_OK);
        if (s == HSP__SCORE_LOG_LOSS)
            CHECK(near(value, -(3 * log(0.75) + log(0.25)) / 4));
        else
            CHECK_NOTE(near(value, want[s]), "%s %g", hsp__score_name(s), value);
    }
}

/* A weight of k is k copies; a weight of 0 is no row. */
static void test_weights(void)
{
    enum { ROWS = 200 };
    static uint32_t y[4 * ROWS], p[4 * ROWS], y2[ROWS], p2[ROWS];
    static double r[4 * ROWS], q[8 * ROWS], r2[ROWS], q2[2 * ROWS], w[ROWS];
    hsp__random random;
    uint64_t copies = 0;
    hsp__random_seed(&random, 5, 0);
    for (uint64_t i = 0; i < ROWS; i++) {
        y2[i] = (uint32_t)hsp__random_below(&random, 2);
        r2[i] = (double)hsp__random_below(&random, 20) + 4 * y2[i];
        q2[2 * i + 1] = r2[i] / 24;
        q2[2 * i] = 1 - q2[2 * i + 1];
        p2[i] = r2[i] > 11;
        w[i] = (double)hsp__random_below(&random, 4);
        for (int k = 0; k < (int)w[i]; k++, copies++) {
            y[copies] = y2[i], p[copies] = p2[i], r[copies] = r2[i];
            memcpy(q + 2 * copies, q2 + 2 * i, 2 * sizeof *q);
        }
    }
    const hsp__scored weighted = {2, 1, ROWS, y2, p2, r2, q2, w};
    const hsp__scored copied = {2, 1, copies, y, p, r, q, NULL};
    for (hsp__score s = 0; s < HSP__SCORES; s++)
        CHECK_NOTE(near(score(&weighted, s), score(&copied, s)), "%s", hsp__score_name(s));
}

static void test_undefined(void)
{
    uint32_t ones[] = {1, 1, 1, 1, 1, 1};
    double nan[] = {0.1, 0.2, (double)NAN, 0.3, 0.4, 0.5};
    hsp__scored rows = six;
    rows.rows = 0;
    for (hsp__score s = 0; s < HSP__SCORES; s++)
        CHECK(isnan(score(&rows, s)));
    rows = six;
    rows.truth = ones;
    CHECK(isnan(score(&rows, HSP__SCORE_AUC)) && isnan(score(&rows, HSP__SCORE_AVERAGE_PRECISION)));
    CHECK(score(&rows, HSP__SCORE_MCC) == 0);
    rows = six;
    rows.ranking = nan;
    CHECK(isnan(score(&rows, HSP__SCORE_AUC)));
    rows.probability = NULL;
    CHECK(isnan(score(&rows, HSP__SCORE_BRIER)));
}

static void test_names(void)
{
    for (hsp__score s = 0; s < HSP__SCORES; s++) {
        CHECK(hsp__score_of(hsp__score_name(s)) == s);
        CHECK(strstr(HSP__SCORE_NAMES, hsp__score_name(s)) != NULL);
    }
    CHECK(hsp__score_of("accuracy") == HSP__SCORES);
}

int main(void)
{
    CHECK(hsp_context_new(NULL, &ctx) == HSP_OK);
    RUN(test_two_classes);
    RUN(test_more_classes);
    RUN(test_majority);
    RUN(test_weights);
    RUN(test_undefined);
    RUN(test_names);
    hsp_context_free(ctx);
    return check_done();
}
