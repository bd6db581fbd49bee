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
#include "data/sweep.h"

/* A number beyond the outermost ranking, on the side of `sign`; probabilities lie strictly between 0
 * and 1, and where there is no such number the cut cannot be made. */
static double curves_beyond(double ranking, int sign, int by_probability)
{
    if (!by_probability) return ranking + sign * fmax(1, fabs(ranking));
    const double end = sign > 0 ? 1 : 0, middle = ranking / 2 + end / 2;
    return middle != ranking && middle != end ? middle : sign * HUGE_VAL;
}

/* Half-way; where rounding makes that the higher one, the lower one has to do. */
static double curves_between(double higher, double lower)
{
    const double middle = higher / 2 + lower / 2;
    return middle < higher ? middle : lower;
}

static void curves_cut(const hsp__scored *rows, const hsp__rank *sorted, int by_probability,
                       hsp__cut *cuts, uint64_t *count)
{
    const uint64_t n = rows->rows;
    hsp__cut at = {.threshold = HUGE_VAL};
    *count = 0;
    for (uint64_t i = 0; i <= n; i++) {
        if (i == 0 || i == n || sorted[i].ranking != sorted[i - 1].ranking) {
            at.threshold = n == 0   ? 0
                           : i == 0 ? curves_beyond(sorted[0].ranking, 1, by_probability)
                           : i == n ? curves_beyond(sorted[n - 1].ranking, -1, by_probability)
                                    : curves_between(sorted[i - 1].ranking, sorted[i].ranking);
            cuts[(*count)++] = at;
        }
        if (i == n) break;
        const double weight = rows->weight ? rows->weight[sorted[i].row >> 1] : 1;
        *(sorted[i].row & 1 ? &at.positives : &at.negatives) += weight;
    }
}

hsp_status hsp__cuts_new(hsp_context *ctx, const hsp__scored *rows, int by_probability,
                         uint32_t class, hsp_error *err, hsp__cut **cuts, uint64_t *count)
{
    assert((!by_probability || rows->probability) && (class == 1 || rows->classes > 2));
    const int column = by_probability || rows->columns > 1;
    hsp__scratch scratch = {.memory = &ctx->allocator};
    hsp__rank *ranked = hsp__scratch_raw(&scratch, rows->rows, sizeof *ranked);
    hsp__rank *room = hsp__scratch_raw(&scratch, rows->rows, sizeof *room);
    hsp__cut *made = hsp__new_raw(&ctx->allocator, rows->rows + 1, sizeof *made);
    hsp_status status = !scratch.failed && made ? HSP_OK : hsp__fail_memory(err);
    const hsp__rank *sorted =
        status ? NULL
               : hsp__rank_rows(ctx, rows, column ? class : 0,
                                by_probability ? rows->probability : rows->ranking,
                                by_probability ? rows->classes : rows->columns, ranked, room);
    if (!status) status = hsp__stop_status(ctx, err);
    if (!status && !sorted)
        status = hsp__fail(err, HSP_BAD_DATA, "the score of a row is not a number");
    if (!status) curves_cut(rows, sorted, by_probability, made, count);
    hsp__scratch_free(&scratch);
    if (status)
        hsp__free(&ctx->allocator, made);
    else
        *cuts = made;
    return status;
}

uint64_t hsp__cut_best(const hsp__cut *cuts, uint64_t count, hsp__cut_aim aim, const double cost[2])
{
    const double pos = cuts[count - 1].positives, neg = cuts[count - 1].negatives;
    uint64_t best = 0;
    double most = -HUGE_VAL;
    for (uint64_t i = 0; i < count; i++) {
        if (!isfinite(cuts[i].threshold)) continue;
        const double tp = cuts[i].positives, fp = cuts[i].negatives, fn = pos - tp, tn = neg - fp;
        const double width = sqrt(tp + fp) * sqrt(tn + fn) * sqrt(pos) * sqrt(neg);
        const double value = aim == HSP__CUT_F1    ? 2 * tp / (2 * tp + fp + fn)
                             : aim == HSP__CUT_MCC ? (width > 0 ? (tp * tn - fp * fn) / width : 0)
                                                   : -(cost[0] * fp + cost[1] * fn);
        if (value > most) most = value, best = i;
    }
    return best;
}

void hsp__calibration_add(hsp__calibration_bin *bins, uint32_t count, double p, int hit,
                          double weight)
{
    const double place = floor(p * count);
    hsp__calibration_bin *bin = &bins[place < count ? (uint32_t)fmax(place, 0) : count - 1];
    bin->weight += weight;
    bin->predicted += weight * p;
    bin->observed += weight * hit;
}

void hsp__calibration_finish(hsp__calibration_bin *bins, uint32_t count)
{
    for (uint32_t b = 0; b < count; b++) {
        bins[b].predicted /= bins[b].weight;
        bins[b].observed /= bins[b].weight;
    }
}

void hsp__calibration_bins(const hsp__scored *rows, uint32_t class, uint32_t count,
                           hsp__calibration_bin *out)
{
    memset(out, 0, count * sizeof *out);
    for (uint64_t i = 0; i < rows->rows; i++)
        hsp__calibration_add(out, count, rows->probability[i * rows->classes + class],
                             rows->truth[i] == class, rows->weight ? rows->weight[i] : 1);
    hsp__calibration_finish(out, count);
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

/* ---- Bootstrap ------------------------------------------------------------------------------- */

typedef struct curves_boot {
    hsp_context *ctx;
    const hsp__scored *rows[2]; /* of one model, or of two on the same rows */
    const hsp__rank *const *ranks[2];
    uint64_t rounds, seed;
    double *values;        /* HSP__SCORES * rounds: of the first, less those of the second */
    unsigned char *failed; /* rounds */
} curves_boot;

static hsp_status curves_sample(const curves_boot *boot, uint64_t round, double *weight,
                                hsp_error *err)
{
    hsp_context quiet = hsp__quiet(boot->ctx);
    const hsp__scored *rows = boot->rows[0];
    double scores[2][HSP__SCORES] = {{0}, {0}};
    hsp__random random;
    hsp__random_seed(&random, boot->seed, round);
    memset(weight, 0, rows->rows * sizeof *weight);
    for (uint64_t i = 0; i < rows->rows; i++) {
        const uint64_t drawn = hsp__random_below(&random, rows->rows);
        weight[drawn] += rows->weight ? rows->weight[drawn] : 1;
    }
    for (int model = 0; model < 2 && boot->rows[model]; model++) {
        hsp__scored sample = *boot->rows[model];
        sample.weight = weight;
        HSP__TRY(hsp__score_all(&quiet, &sample, boot->ranks[model], err, scores[model]));
    }
    for (int score = 0; score < HSP__SCORES; score++)
        boot->values[(uint64_t)score * boot->rounds + round] = scores[0][score] - scores[1][score];
    return HSP_OK;
}

static void curves_round(void *user, uint64_t round)
{
    curves_boot *boot = user;
    double *weight = hsp__new_raw(&boot->ctx->allocator, boot->rows[0]->rows, sizeof *weight);
    boot->failed[round] = weight ? (unsigned char)curves_sample(boot, round, weight, NULL)
                                 : (unsigned char)HSP_NO_MEMORY;
    hsp__free(&boot->ctx->allocator, weight);
}

/* The rows sorted by each column of their ranking, once for all samples. */
static hsp_status curves_ranks(hsp_context *ctx, hsp__scratch *scratch, const hsp__scored *rows,
                               hsp_error *err, const hsp__rank *const **out)
{
    const hsp__rank **ranks = hsp__scratch_new(scratch, rows->columns, sizeof *ranks);
    if (!ranks) return hsp__fail_memory(err);
    for (uint32_t c = 0; rows->ranking && c < rows->columns; c++) {
        hsp__rank *ranked = hsp__scratch_raw(scratch, rows->rows, sizeof *ranked);
        hsp__rank *room = hsp__scratch_raw(scratch, rows->rows, sizeof *room);
        if (scratch->failed) return hsp__fail_memory(err);
        ranks[c] = hsp__rank_rows(ctx, rows, c, rows->ranking, rows->columns, ranked, room);
    }
    *out = ranks;
    return hsp__stop_status(ctx, err);
}

/* The quantiles of the values that are defined, between the two nearest, as numpy has them. */
static void curves_quantiles(double *values, uint64_t rounds, double level, double interval[2])
{
    uint64_t known = 0;
    interval[0] = interval[1] = (double)NAN;
    for (uint64_t r = 0; r < rounds; r++)
        if (!isnan(values[r])) values[known++] = values[r];
    if (!known) return;
    qsort(values, known, sizeof *values, curves_compare_numbers);
    for (int end = 0; end < 2; end++) {
        const double out = (1 - level) / 2, place = (end ? 1 - out : out) * (double)(known - 1);
        const uint64_t below = (uint64_t)place, above = below + 1 < known ? below + 1 : below;
        interval[end] = values[below] + (place - (double)below) * (values[above] - values[below]);
    }
}

hsp_status hsp__score_intervals(hsp_context *ctx, const hsp__scored *rows,
                                const hsp__scored *others, const hsp__bootstrap *how,
                                hsp_error *err, double intervals[HSP__SCORES][2])
{
    hsp__scratch scratch = {.memory = &ctx->allocator};
    curves_boot boot = {.ctx = ctx, .rows = {rows, others}, .seed = how->seed};
    boot.rounds = how->samples;
    boot.values = hsp__scratch_raw(&scratch, boot.rounds * HSP__SCORES, sizeof *boot.values);
    boot.failed = hsp__scratch_new(&scratch, boot.rounds, 1);
    hsp_status status = scratch.failed ? hsp__fail_memory(err) : HSP_OK;
    for (int model = 0; !status && model < 2 && boot.rows[model]; model++)
        status = curves_ranks(ctx, &scratch, boot.rows[model], err, &boot.ranks[model]);
    if (!status)
        status =
            hsp__sweep(ctx, "bootstrapping", boot.rounds, boot.rounds, curves_round, &boot, err);
    for (uint64_t r = 0; !status && r < boot.rounds; r++)
        if (boot.failed[r]) status = hsp__fail_memory(err);
    for (uint64_t score = 0; !status && score < HSP__SCORES; score++)
        curves_quantiles(boot.values + score * boot.rounds, boot.rounds, how->level,
                         intervals[score]);
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
