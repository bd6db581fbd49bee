#include "measure/curves.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "base/random.h"
#include "base/scratch.h"
#include "base/stop.h"

typedef struct curves_row {
    double ranking, weight;
    int positive;
} curves_row;

static int curves_compare(const void *left, const void *right)
{
    const double a = ((const curves_row *)left)->ranking, b = ((const curves_row *)right)->ranking;
    return (a < b) - (a > b); /* highest first */
}

hsp_status hsp__cuts_new(hsp_context *ctx, const hsp__scored *rows, int by_probability,
                         hsp_error *err, hsp__cut **cuts, uint64_t *count)
{
    assert(rows->classes == 2 && (!by_probability || rows->probability));
    const uint64_t n = rows->rows;
    curves_row *sorted = hsp__new_raw(&ctx->allocator, n, sizeof *sorted);
    hsp__cut *made = hsp__new_raw(&ctx->allocator, n + 1, sizeof *made);
    hsp_status status = sorted && made ? HSP_OK : hsp__fail_memory(err);
    for (uint64_t i = 0; !status && i < n; i++) {
        sorted[i] = (curves_row){by_probability ? rows->probability[2 * i + 1] : rows->ranking[i],
                                 rows->weight ? rows->weight[i] : 1, rows->truth[i] == 1};
        if (isnan(sorted[i].ranking))
            status = hsp__fail(err, HSP_BAD_DATA, "the score of row %llu is not a number",
                               (unsigned long long)i + 1);
    }
    if (!status) {
        qsort(sorted, n, sizeof *sorted, curves_compare);
        hsp__cut at = {.threshold = HUGE_VAL};
        *count = 0;
        for (uint64_t i = 0; i <= n; i++) {
            if (i == 0 || i == n || sorted[i].ranking != sorted[i - 1].ranking) {
                at.threshold = i == 0   ? HUGE_VAL
                               : i == n ? -HUGE_VAL
                                        : sorted[i].ranking / 2 + sorted[i - 1].ranking / 2;
                made[(*count)++] = at;
            }
            if (i < n) *(sorted[i].positive ? &at.positives : &at.negatives) += sorted[i].weight;
        }
        *cuts = made;
    }
    hsp__free(&ctx->allocator, sorted);
    if (status) hsp__free(&ctx->allocator, made);
    return status ? status : hsp__stop_status(ctx, err);
}

uint64_t hsp__cut_best(const hsp__cut *cuts, uint64_t count, hsp__cut_aim aim, const double cost[2])
{
    const double pos = cuts[count - 1].positives, neg = cuts[count - 1].negatives;
    uint64_t best = 0;
    double most = -HUGE_VAL;
    for (uint64_t i = 0; i < count; i++) {
        const double tp = cuts[i].positives, fp = cuts[i].negatives, fn = pos - tp, tn = neg - fp;
        const double width = sqrt(tp + fp) * sqrt(tn + fn) * sqrt(pos) * sqrt(neg);
        const double value = aim == HSP__CUT_F1    ? 2 * tp / (2 * tp + fp + fn)
                             : aim == HSP__CUT_MCC ? (width > 0 ? (tp * tn - fp * fn) / width : 0)
                                                   : -(cost[0] * fp + cost[1] * fn);
        if (value > most) most = value, best = i;
    }
    return best;
}

void hsp__calibration_bins(const hsp__scored *rows, uint32_t bins, hsp__calibration_bin *out)
{
    memset(out, 0, bins * sizeof *out);
    for (uint64_t i = 0; i < rows->rows; i++) {
        const double p = rows->probability[2 * i + 1], w = rows->weight ? rows->weight[i] : 1;
        const double place = floor(p * bins);
        hsp__calibration_bin *bin = &out[place < bins ? (uint32_t)fmax(place, 0) : bins - 1];
        bin->weight += w;
        bin->predicted += w * p;
        bin->observed += w * (rows->truth[i] == 1);
    }
    for (uint32_t b = 0; b < bins; b++) {
        out[b].predicted /= out[b].weight;
        out[b].observed /= out[b].weight;
    }
}

double hsp__calibration_error(const hsp__calibration_bin *bins, uint32_t count)
{
    double sum = 0, all = 0;
    for (uint32_t b = 0; b < count; b++) {
        if (!(bins[b].weight > 0)) continue;
        sum += bins[b].weight * fabs(bins[b].predicted - bins[b].observed);
        all += bins[b].weight;
    }
    return sum / all;
}

static int curves_compare_numbers(const void *left, const void *right)
{
    const double a = *(const double *)left, b = *(const double *)right;
    return (a > b) - (a < b);
}

hsp_status hsp__score_interval(hsp_context *ctx, const hsp__scored *rows, hsp__score score,
                               double level, uint64_t rounds, uint64_t seed, hsp_error *err,
                               double interval[2])
{
    hsp__scratch scratch = {.memory = &ctx->allocator};
    double *weight = hsp__scratch_raw(&scratch, rows->rows, sizeof *weight);
    double *values = hsp__scratch_raw(&scratch, rounds, sizeof *values);
    hsp_status status = scratch.failed ? hsp__fail_memory(err) : HSP_OK;
    uint64_t known = 0;
    hsp__random random;
    interval[0] = interval[1] = (double)NAN;
    for (uint64_t r = 0; !status && r < rounds; r++) {
        hsp__scored sample = *rows;
        sample.weight = weight;
        hsp__random_seed(&random, seed, r);
        memset(weight, 0, rows->rows * sizeof *weight);
        for (uint64_t i = 0; i < rows->rows; i++) {
            const uint64_t drawn = hsp__random_below(&random, rows->rows);
            weight[drawn] += rows->weight ? rows->weight[drawn] : 1;
        }
        status = hsp__score_rows(ctx, &sample, score, err, &values[known]);
        if (!status && !isnan(values[known])) known++;
        if (!status) status = hsp__progress(ctx, "bootstrapping", "samples", r + 1, rounds, err);
    }
    if (!status && known) {
        const double out = (1 - level) / 2;
        qsort(values, known, sizeof *values, curves_compare_numbers);
        for (int end = 0; end < 2; end++) { /* between the two nearest, as numpy's percentile */
            const double place = (end ? 1 - out : out) * (double)(known - 1);
            const uint64_t below = (uint64_t)place;
            const uint64_t above = below + 1 < known ? below + 1 : below;
            interval[end] =
                values[below] + (place - (double)below) * (values[above] - values[below]);
        }
    }
    hsp__scratch_free(&scratch);
    return status;
}

/* The smaller side and all that is as uneven on either side, of a fair coin thrown `all` times:
 * 2 P(X <= smaller), at most 1. Terms by logarithms of factorials. */
double hsp__mcnemar(uint64_t first, uint64_t second)
{
    const double all = (double)(first + second);
    const uint64_t smaller = first < second ? first : second;
    double sum = 0;
    if (first == second) return 1;
    for (uint64_t k = 0; k <= smaller; k++)
        sum += exp(lgamma(all + 1) - lgamma((double)k + 1) - lgamma(all - (double)k + 1) -
                   all * M_LN2);
    return fmin(1, 2 * sum);
}
