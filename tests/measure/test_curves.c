/* Cuts, thresholds, calibration bins, intervals and McNemar's test, by hand. */
#include "measure/curves.h"

#include <math.h>

#include "base/context.h"
#include "base/memory.h"
#include "check.h"

static hsp_context *ctx;

static uint32_t truth[] = {1, 1, 1, 0, 0, 0}, predicted[] = {1, 1, 0, 1, 0, 0};
static double ranking[] = {0.9, 0.6, 0.4, 0.6, 0.2, 0.1};
static double chances[] = {0.1, 0.9, 0.4, 0.6, 0.6, 0.4, 0.4, 0.6, 0.8, 0.2, 0.9, 0.1};
static const hsp__scored six = {2, 1, 6, truth, predicted, ranking, chances, NULL};

static void test_cuts(void)
{
    hsp_error err = HSP_ERROR_INIT;
    hsp__cut *cuts;
    uint64_t count;
    /* by score, and by probability, which is between 0 and 1 */
    static const double want[][3] = {{1.9, 0, 0}, {0.75, 1, 0}, {0.5, 2, 1},
                                     {0.3, 3, 1}, {0.15, 3, 2}, {-0.9, 3, 3}};
    for (int by = 0; by < 2; by++) {
        CHECK(hsp__cuts_new(ctx, &six, by, 1, &err, &cuts, &count) == HSP_OK);
        CHECK(count == 6);
        for (uint64_t i = 0; i < count && i < 6; i++) {
            const double at = !by || (i > 0 && i < 5) ? want[i][0] : i ? 0.05 : 0.95;
            CHECK(fabs(cuts[i].threshold - at) < 1e-15);
            CHECK(cuts[i].positives == want[i][1] && cuts[i].negatives == want[i][2]);
        }
        CHECK(hsp__cut_best(cuts, count, HSP__CUT_F1, NULL) == 3); /* 6/7 */
        CHECK(hsp__cut_best(cuts, count, HSP__CUT_MCC, NULL) == 3);
        CHECK(hsp__cut_best(cuts, count, HSP__CUT_COST, (double[]){10, 1}) == 1);
        CHECK(hsp__cut_best(cuts, count, HSP__CUT_COST, (double[]){1, 10}) == 3);
        hsp__free(&ctx->allocator, cuts);
    }
}

/* No threshold between 0 and 1 is above a probability of 1, or below one of 0. */
static void test_cuts_at_the_ends(void)
{
    uint32_t y[] = {1, 0};
    double p[] = {0, 1, 1, 0}, r[] = {1, 0};
    const hsp__scored rows = {2, 1, 2, y, y, r, p, NULL};
    hsp_error err = HSP_ERROR_INIT;
    hsp__cut *cuts;
    uint64_t count;
    CHECK(hsp__cuts_new(ctx, &rows, 1, 1, &err, &cuts, &count) == HSP_OK);
    CHECK(count == 3 && isinf(cuts[0].threshold) && cuts[1].threshold == 0.5);
    CHECK(isinf(cuts[2].threshold));
    CHECK(hsp__cut_best(cuts, count, HSP__CUT_COST, (double[]){0, 0}) == 1);
    hsp__free(&ctx->allocator, cuts);
    r[0] = (double)NAN;
    CHECK(hsp__cuts_new(ctx, &rows, 0, 1, &err, &cuts, &count) == HSP_BAD_DATA);
}

static void test_calibration(void)
{
    hsp__calibration_bin bins[2];
    hsp__calibration_bins(&six, 1, 2, bins);
    CHECK(bins[0].weight == 3 && bins[1].weight == 3);
    CHECK(fabs(bins[0].predicted - 0.7 / 3) < 1e-15 && fabs(bins[0].observed - 1.0 / 3) < 1e-15);
    CHECK(fabs(bins[1].predicted - 0.7) < 1e-15 && fabs(bins[1].observed - 2.0 / 3) < 1e-15);
    CHECK(fabs(hsp__calibration_error(bins, 2) - (0.1 + 0.1 / 3) / 2) < 1e-15);
    hsp__calibration_bin ten[10];
    hsp__calibration_bins(&six, 1, 10, ten);
    CHECK(ten[0].weight == 0 && isnan(ten[0].predicted));
}

/* The error of n rows with k mistakes: the interval is near that of the binomial distribution; the
 * same bits on any number of threads. Two models on the same rows: the interval of the difference.
 */
static void test_interval(void)
{
    enum { ROWS = 400 };
    static uint32_t y[ROWS], p[ROWS], none[ROWS];
    static double r[ROWS];
    const hsp__bootstrap how = {0.95, 2000, 1};
    hsp_error err = HSP_ERROR_INIT;
    double intervals[HSP__SCORES][2], again[HSP__SCORES][2];
    const double *interval = intervals[HSP__SCORE_ERROR];
    for (int i = 0; i < ROWS; i++)
        p[i] = i % 4 == 0; /* error 0.25, standard deviation 0.0217 */
    const hsp__scored rows = {2, 1, ROWS, y, p, r, NULL, NULL};
    const hsp__scored right = {2, 1, ROWS, y, none, r, NULL, NULL};
    CHECK(hsp__score_intervals(ctx, &rows, NULL, &how, &err, intervals) == HSP_OK);
    CHECK(fabs(interval[0] - (0.25 - 1.96 * 0.02165)) < 0.006);
    CHECK(fabs(interval[1] - (0.25 + 1.96 * 0.02165)) < 0.006);
    CHECK(isnan(intervals[HSP__SCORE_AUC][0]) && isnan(intervals[HSP__SCORE_LOG_LOSS][1]));
    hsp_context_set_threads(ctx, 3);
    CHECK(hsp__score_intervals(ctx, &rows, NULL, &how, &err, again) == HSP_OK);
    hsp_context_set_threads(ctx, 1);
    CHECK(interval[0] == again[0][0] && interval[1] == again[0][1]);
    CHECK(hsp__score_intervals(ctx, &rows, &right, &how, &err, again) == HSP_OK);
    CHECK(interval[0] == again[0][0] && interval[1] == again[0][1]); /* less 0 */
    CHECK(hsp__score_intervals(ctx, &rows, &rows, &how, &err, again) == HSP_OK);
    CHECK(again[HSP__SCORE_ERROR][0] == 0 && again[HSP__SCORE_ERROR][1] == 0);
}

static void test_mcnemar(void)
{
    CHECK(hsp__mcnemar(0, 0) == 1 && hsp__mcnemar(7, 7) == 1);
    CHECK(fabs(hsp__mcnemar(0, 5) - 2.0 / 32) < 1e-14);
    CHECK(fabs(hsp__mcnemar(1, 5) - 2.0 * 7 / 64) < 1e-14);
    CHECK(fabs(hsp__mcnemar(5, 1) - 2.0 * 7 / 64) < 1e-14);
    CHECK(hsp__mcnemar(100, 1000) < 1e-150 && hsp__mcnemar(100, 1000) > 0);
}

int main(void)
{
    CHECK(hsp_context_new(NULL, &ctx) == HSP_OK);
    RUN(test_cuts);
    RUN(test_cuts_at_the_ends);
    RUN(test_calibration);
    RUN(test_interval);
    RUN(test_mcnemar);
    hsp_context_free(ctx);
    return check_done();
}
