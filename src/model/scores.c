/* Sums of weights are compensated, so that the order and the number of rows hardly
 * matter; without weights, counts are whole numbers and exact below 2^53. */
#include "model/scores.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "base/scratch.h"
#include "base/stop.h"

#define SCORES_LEAST 0x1p-52 /* a probability of 0 for what then happens costs 36 nats */
#define SCORES_PIECE ((uint64_t)1 << 15) /* rows between two ticks */

static const struct {
    const char *name;
    int is_loss, needs_probability;
} scores_table[HSP__SCORES] = {
    [HSP__SCORE_ERROR] = {"error", 1, 0},
    [HSP__SCORE_BALANCED_ACCURACY] = {"balanced-accuracy", 0, 0},
    [HSP__SCORE_AUC] = {"auc", 0, 0},
    [HSP__SCORE_F1] = {"f1", 0, 0},
    [HSP__SCORE_MCC] = {"mcc", 0, 0},
    [HSP__SCORE_LOG_LOSS] = {"log-loss", 1, 1},
    [HSP__SCORE_BRIER] = {"brier", 1, 1},
    [HSP__SCORE_AVERAGE_PRECISION] = {"average-precision", 0, 0},
};

hsp__score hsp__score_of(const char *name)
{
    hsp__score score = HSP__SCORE_ERROR;
    while (score < HSP__SCORES && strcmp(name, scores_table[score].name) != 0)
        score++;
    return score;
}

const char *hsp__score_name(hsp__score score)
{
    return scores_table[score].name;
}

int hsp__score_is_loss(hsp__score score)
{
    return scores_table[score].is_loss;
}

int hsp__score_needs_probability(hsp__score score)
{
    return scores_table[score].needs_probability;
}

/* Neumaier's sum: value + carry is the sum as if it were rounded once or twice. */
typedef struct scores_sum {
    double value, carry;
} scores_sum;

static void scores_add(scores_sum *to, double x)
{
    const double before = to->value, sum = before + x;
    to->value = sum;
    if (isfinite(sum))
        to->carry += fabs(before) >= fabs(x) ? (before - sum) + x : (x - sum) + before;
    else
        to->carry = 0;
}

static double scores_weight(const hsp__scored *rows, uint64_t i)
{
    return rows->weight ? rows->weight[i] : 1;
}

/* ---- From the confusion matrix --------------------------------------------------------------- */

/* Weights by true and predicted class; ties have a column of their own, the last. */
typedef struct scores_confusion {
    uint32_t classes;
    double *cells;                /* classes * (classes + 1) */
    double *of_truth, *predicted; /* classes: sums of rows and columns */
    double all, right;
} scores_confusion;

static double scores_cell(const scores_confusion *c, uint32_t truth, uint32_t predicted)
{
    return c->cells[(uint64_t)truth * (c->classes + 1) + predicted];
}

static double scores_balanced(const scores_confusion *c)
{
    double sum = 0;
    uint32_t seen = 0;
    for (uint32_t k = 0; k < c->classes; k++) {
        if (!(c->of_truth[k] > 0)) continue;
        sum += scores_cell(c, k, k) / c->of_truth[k];
        seen++;
    }
    return sum / seen;
}

static double scores_f1(const scores_confusion *c)
{
    double sum = 0;
    uint32_t seen = 0;
    for (uint32_t k = c->classes == 2; k < c->classes; k++) {
        const double both = c->of_truth[k] + c->predicted[k];
        if (!(both > 0) && c->classes > 2) continue;
        if (both > 0) sum += 2 * scores_cell(c, k, k) / both;
        seen++;
    }
    return sum / seen;
}

/* J. Gorodkin, Comparing two K-category assignments by a K-category correlation coefficient (2004).
 */
static double scores_mcc(const scores_confusion *c)
{
    double both = c->right * c->all, truth = c->all * c->all, predicted = truth;
    double ties = c->all;
    for (uint32_t k = 0; k < c->classes; k++) {
        both -= c->of_truth[k] * c->predicted[k];
        truth -= c->of_truth[k] * c->of_truth[k];
        predicted -= c->predicted[k] * c->predicted[k];
        ties -= c->predicted[k];
    }
    predicted -= ties * ties; /* a tie is a class that is never the true one */
    return truth > 0 && predicted > 0 ? both / (sqrt(truth) * sqrt(predicted)) : 0;
}

static hsp_status scores_from_confusion(hsp_context *ctx, const hsp__scored *rows, hsp__score score,
                                        hsp_error *err, double *out)
{
    hsp__scratch scratch = {.memory = &ctx->allocator};
    const uint64_t k = rows->classes;
    scores_confusion c = {.classes = rows->classes,
                          .cells = hsp__scratch_new(&scratch, k * (k + 1), sizeof *c.cells),
                          .of_truth = hsp__scratch_new(&scratch, k, sizeof *c.of_truth),
                          .predicted = hsp__scratch_new(&scratch, k, sizeof *c.predicted)};
    scores_sum *sums = hsp__scratch_new(&scratch, k * (k + 1), sizeof *sums);
    if (scratch.failed) {
        hsp__scratch_free(&scratch);
        return hsp__fail_memory(err);
    }
    for (uint64_t i = 0; i < rows->rows; i++) {
        assert(rows->truth[i] < k &&
               (rows->predicted[i] < k || rows->predicted[i] == HSP_NO_CLASS));
        const uint64_t column = rows->predicted[i] == HSP_NO_CLASS ? k : rows->predicted[i];
        scores_add(&sums[rows->truth[i] * (k + 1) + column], scores_weight(rows, i));
    }
    for (uint64_t t = 0; t < k; t++)
        for (uint64_t p = 0; p <= k; p++) {
            const double cell = sums[t * (k + 1) + p].value + sums[t * (k + 1) + p].carry;
            c.cells[t * (k + 1) + p] = cell;
            c.of_truth[t] += cell;
            c.all += cell;
            if (p < k) c.predicted[p] += cell;
            if (p == t) c.right += cell;
        }
    *out = !(c.all > 0)                            ? (double)NAN
           : score == HSP__SCORE_ERROR             ? (c.all - c.right) / c.all
           : score == HSP__SCORE_BALANCED_ACCURACY ? scores_balanced(&c)
           : score == HSP__SCORE_F1                ? scores_f1(&c)
                                                   : scores_mcc(&c);
    hsp__scratch_free(&scratch);
    return HSP_OK;
}

/* ---- From the ranking ------------------------------------------------------------------------ */

typedef struct scores_ranked {
    double ranking, weight;
    int positive;
} scores_ranked;

static int scores_compare(const void *left, const void *right)
{
    const double a = ((const scores_ranked *)left)->ranking;
    const double b = ((const scores_ranked *)right)->ranking;
    return (a < b) - (a > b); /* highest first */
}

/* In pieces that are merged, so that it can be stopped. `room` is for as many rows; one of the two
 * comes back. */
static scores_ranked *scores_sort(hsp_context *ctx, scores_ranked *rows, scores_ranked *room,
                                  uint64_t count)
{
    for (uint64_t from = 0; from < count && !hsp__tick(ctx); from += SCORES_PIECE)
        qsort(rows + from, count - from < SCORES_PIECE ? count - from : SCORES_PIECE, sizeof *rows,
              scores_compare);
    for (uint64_t size = SCORES_PIECE; size < count; size *= 2) {
        for (uint64_t from = 0; from < count && !hsp__tick(ctx); from += 2 * size) {
            const uint64_t left = count - from, middle = from + (left < size ? left : size);
            const uint64_t end = from + (left < 2 * size ? left : 2 * size);
            uint64_t i = from, j = middle;
            for (uint64_t k = from; k < end; k++)
                room[k] = j == end || (i < middle && scores_compare(&rows[i], &rows[j]) <= 0)
                              ? rows[i++]
                              : rows[j++];
        }
        scores_ranked *swap = rows;
        rows = room;
        room = swap;
    }
    return rows;
}

/* One pass down the sorted rows, a group of equal rankings at a time: the area under the ROC curve
 * is the sum over groups of  negatives within * (positives above + half of those within);  average
 * precision the sum of  positives within * precision down to the group's end.  Both are divided by
 * the totals. */
static double scores_down(const scores_ranked *rows, uint64_t count, hsp__score score)
{
    scores_sum area = {0, 0}, positives = {0, 0}, negatives = {0, 0};
    for (uint64_t from = 0, to; from < count; from = to) {
        scores_sum in[2] = {{0, 0}, {0, 0}};
        for (to = from; to < count && rows[to].ranking == rows[from].ranking; to++)
            scores_add(&in[rows[to].positive], rows[to].weight);
        const double pos = in[1].value + in[1].carry, neg = in[0].value + in[0].carry;
        const double above = positives.value + positives.carry;
        scores_add(&positives, pos);
        scores_add(&negatives, neg);
        const double reached = above + pos, all = reached + (negatives.value + negatives.carry);
        scores_add(&area, score == HSP__SCORE_AUC ? neg * (above + pos / 2)
                          : all > 0               ? pos * (reached / all)
                                                  : 0);
    }
    const double pos = positives.value + positives.carry, neg = negatives.value + negatives.carry;
    if (!(pos > 0) || !(neg > 0)) return (double)NAN;
    return (area.value + area.carry) / (score == HSP__SCORE_AUC ? pos * neg : pos);
}

static hsp_status scores_from_ranking(hsp_context *ctx, const hsp__scored *rows, hsp__score score,
                                      hsp_error *err, double *out)
{
    hsp__scratch scratch = {.memory = &ctx->allocator};
    scores_ranked *ranked = hsp__scratch_raw(&scratch, rows->rows, sizeof *ranked);
    scores_ranked *room = hsp__scratch_raw(&scratch, rows->rows, sizeof *room);
    double sum = 0;
    uint32_t seen = 0;
    for (uint32_t c = 0; !scratch.failed && c < rows->columns && !hsp__stopped(ctx); c++) {
        int known = 1;
        for (uint64_t i = 0; i < rows->rows; i++) {
            const uint32_t positive = rows->columns == 1 ? 1 : c;
            ranked[i] = (scores_ranked){rows->ranking[i * rows->columns + c],
                                        scores_weight(rows, i), rows->truth[i] == positive};
            known &= !isnan(ranked[i].ranking);
        }
        const scores_ranked *sorted = scores_sort(ctx, ranked, room, rows->rows);
        const double value = known ? scores_down(sorted, rows->rows, score) : (double)NAN;
        if (known && isnan(value)) continue; /* none of the rows is of this class, or all are */
        sum += value;
        seen++;
    }
    hsp__scratch_free(&scratch);
    if (scratch.failed) return hsp__fail_memory(err);
    *out = seen ? sum / seen : (double)NAN;
    return hsp__stop_status(ctx, err);
}

/* ---- From probabilities ---------------------------------------------------------------------- */

static double scores_from_probability(const hsp__scored *rows, hsp__score score)
{
    scores_sum sum = {0, 0}, all = {0, 0};
    for (uint64_t i = 0; i < rows->rows; i++) {
        const double *p = rows->probability + i * rows->classes, w = scores_weight(rows, i);
        const uint32_t y = rows->truth[i];
        double loss = 0;
        if (score == HSP__SCORE_LOG_LOSS)
            loss = -log(fmax(p[y], SCORES_LEAST));
        else if (rows->classes == 2)
            loss = (p[1] - y) * (p[1] - y);
        else
            for (uint32_t c = 0; c < rows->classes; c++)
                loss += c == y ? (1 - p[c]) * (1 - p[c]) : p[c] * p[c];
        scores_add(&sum, w * loss);
        scores_add(&all, w);
    }
    return (sum.value + sum.carry) / (all.value + all.carry);
}

hsp_status hsp__score_rows(hsp_context *ctx, const hsp__scored *rows, hsp__score score,
                           hsp_error *err, double *out)
{
    assert(rows->classes >= 2 && (rows->columns == 1 || rows->columns == rows->classes));
    *out = (double)NAN;
    if (!rows->rows) return HSP_OK;
    if (score == HSP__SCORE_AUC || score == HSP__SCORE_AVERAGE_PRECISION)
        return scores_from_ranking(ctx, rows, score, err, out);
    if (!scores_table[score].needs_probability)
        return scores_from_confusion(ctx, rows, score, err, out);
    if (rows->probability) *out = scores_from_probability(rows, score);
    return HSP_OK;
}

hsp_status hsp__score_majority(hsp_context *ctx, const hsp__scored *rows, hsp__score score,
                               hsp_error *err, double *out)
{
    hsp__scratch scratch = {.memory = &ctx->allocator};
    const uint64_t n = rows->rows, k = rows->classes;
    hsp__scored same = *rows;
    double *share = hsp__scratch_new(&scratch, k, sizeof *share), all = 0;
    same.columns = 1;
    same.predicted = hsp__scratch_raw(&scratch, n, sizeof *same.predicted);
    same.ranking = hsp__scratch_new(&scratch, n, sizeof *same.ranking);
    same.probability = hsp__scratch_raw(&scratch, n * k, sizeof *same.probability);
    uint32_t most = 0;
    hsp_status status = scratch.failed ? hsp__fail_memory(err) : HSP_OK;
    for (uint64_t i = 0; !status && i < n; i++) {
        share[rows->truth[i]] += scores_weight(rows, i);
        all += scores_weight(rows, i);
    }
    for (uint32_t c = 0; !status && c < k; c++)
        if (share[c] > share[most]) most = c;
    for (uint64_t i = 0; !status && i < n; i++) {
        same.predicted[i] = most;
        for (uint32_t c = 0; c < k; c++)
            same.probability[i * k + c] = share[c] / all;
    }
    if (!status) status = hsp__score_rows(ctx, &same, score, err, out);
    hsp__scratch_free(&scratch);
    return status;
}
