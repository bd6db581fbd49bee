/* Sums of weights are compensated, so that the order and the number of rows hardly
 * matter; without weights, counts are whole numbers and exact below 2^53. */
#include "model/scores.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/context.h"
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
    const double *cells;          /* classes * (classes + 1) */
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

void hsp__score_confusion(const double *cells, uint32_t classes, double *sums, double *out)
{
    const uint64_t k = classes;
    scores_confusion c = {classes, cells, sums, sums + k, 0, 0};
    memset(sums, 0, 2 * k * sizeof *sums);
    for (uint64_t t = 0; t < k; t++)
        for (uint64_t p = 0; p <= k; p++) {
            const double cell = cells[t * (k + 1) + p];
            c.of_truth[t] += cell;
            c.all += cell;
            if (p < k) c.predicted[p] += cell;
            if (p == t) c.right += cell;
        }
    const int some = c.all > 0;
    out[HSP__SCORE_ERROR] = some ? (c.all - c.right) / c.all : (double)NAN;
    out[HSP__SCORE_BALANCED_ACCURACY] = some ? scores_balanced(&c) : (double)NAN;
    out[HSP__SCORE_F1] = some ? scores_f1(&c) : (double)NAN;
    out[HSP__SCORE_MCC] = some ? scores_mcc(&c) : (double)NAN;
}

hsp_status hsp__score_count(hsp_context *ctx, const hsp__scored *rows, hsp_error *err,
                            double *cells)
{
    const uint64_t k = rows->classes;
    scores_sum *sums = hsp__new(&ctx->allocator, k * (k + 1), sizeof *sums);
    if (!sums) return hsp__fail_memory(err);
    for (uint64_t i = 0; i < rows->rows; i++) {
        assert(rows->truth[i] < k &&
               (rows->predicted[i] < k || rows->predicted[i] == HSP_NO_CLASS));
        const uint64_t column = rows->predicted[i] == HSP_NO_CLASS ? k : rows->predicted[i];
        scores_add(&sums[rows->truth[i] * (k + 1) + column], scores_weight(rows, i));
    }
    for (uint64_t i = 0; i < k * (k + 1); i++)
        cells[i] = sums[i].value + sums[i].carry;
    hsp__free(&ctx->allocator, sums);
    return HSP_OK;
}

static hsp_status scores_from_confusion(hsp_context *ctx, const hsp__scored *rows, hsp_error *err,
                                        double *out)
{
    hsp__scratch scratch = {.memory = &ctx->allocator};
    const uint64_t k = rows->classes;
    double *cells = hsp__scratch_raw(&scratch, k * (k + 1), sizeof *cells);
    double *sums = hsp__scratch_raw(&scratch, 2 * k, sizeof *sums);
    hsp_status status =
        scratch.failed ? hsp__fail_memory(err) : hsp__score_count(ctx, rows, err, cells);
    if (!status) hsp__score_confusion(cells, rows->classes, sums, out);
    hsp__scratch_free(&scratch);
    return status;
}

/* ---- From the ranking ------------------------------------------------------------------------ */

static int scores_compare(const void *left, const void *right)
{
    const double a = ((const hsp__rank *)left)->ranking, b = ((const hsp__rank *)right)->ranking;
    return (a < b) - (a > b); /* highest first */
}

/* In pieces that are merged, so that it can be stopped. `room` is for as many rows; one of the two
 * comes back. */
static hsp__rank *scores_sort(hsp_context *ctx, hsp__rank *rows, hsp__rank *room, uint64_t count)
{
    for (uint64_t from = 0; from < count && !hsp__tick(ctx); from += SCORES_PIECE)
        qsort(rows + from, count - from < SCORES_PIECE ? count - from : SCORES_PIECE, sizeof *rows,
              scores_compare);
    for (uint64_t size = SCORES_PIECE; size < count; size *= 2) {
        for (uint64_t from = 0; from < count && !hsp__tick(ctx); from += 2 * size) {
            const uint64_t left = count - from, middle = from + (left < size ? left : size);
            const uint64_t end = from + (left < 2 * size ? left : 2 * size);
            uint64_t i = from, j = middle;
            for (uint64_t k = from; k < end; k++) {
                if (k % SCORES_PIECE == 0) hsp__paging_check(&ctx->allocator);
                room[k] = j == end || (i < middle && rows[i].ranking >= rows[j].ranking)
                              ? rows[i++]
                              : rows[j++];
            }
        }
        hsp__rank *swap = rows;
        rows = room;
        room = swap;
    }
    return rows;
}

hsp__rank *hsp__rank_rows(hsp_context *ctx, const hsp__scored *rows, uint32_t column,
                          const double *by, uint64_t stride, hsp__rank *ranked, hsp__rank *room)
{
    const uint32_t positive = rows->columns == 1 ? 1 : column;
    int known = 1;
    for (uint64_t i = 0; i < rows->rows; i++) {
        if (i % SCORES_PIECE == 0) hsp__paging_check(&ctx->allocator);
        ranked[i] = (hsp__rank){by[i * stride + column], 2 * i + (rows->truth[i] == positive)};
        known &= !isnan(ranked[i].ranking);
    }
    return known ? scores_sort(ctx, ranked, room, rows->rows) : NULL;
}

/* One pass down the sorted rows, a group of equal rankings at a time: the area under the ROC curve
 * is the sum over groups of  negatives within * (positives above + half of those within);  average
 * precision the sum of  positives within * precision down to the group's end.  Both are divided by
 * the totals. 0: none of the rows is of this class, or all are. */
static int scores_down(const hsp__scored *rows, const hsp__rank *sorted, double *auc,
                       double *average_precision)
{
    scores_sum area = {0, 0}, precision = {0, 0}, positives = {0, 0}, negatives = {0, 0};
    for (uint64_t from = 0, to; from < rows->rows; from = to) {
        scores_sum in[2] = {{0, 0}, {0, 0}};
        for (to = from; to < rows->rows && sorted[to].ranking == sorted[from].ranking; to++)
            scores_add(&in[sorted[to].row & 1], scores_weight(rows, sorted[to].row >> 1));
        const double pos = in[1].value + in[1].carry, neg = in[0].value + in[0].carry;
        const double above = positives.value + positives.carry;
        scores_add(&positives, pos);
        scores_add(&negatives, neg);
        const double reached = above + pos, all = reached + (negatives.value + negatives.carry);
        scores_add(&area, neg * (above + pos / 2));
        scores_add(&precision, all > 0 ? pos * (reached / all) : 0);
    }
    const double pos = positives.value + positives.carry, neg = negatives.value + negatives.carry;
    if (!(pos > 0) || !(neg > 0)) return 0;
    *auc = (area.value + area.carry) / (pos * neg);
    *average_precision = (precision.value + precision.carry) / pos;
    return 1;
}

/* Means over the columns that are defined. `ranked` NULL at a column: it has a NaN. */
typedef struct scores_means {
    double auc, average_precision;
    uint32_t seen;
} scores_means;

static void scores_add_column(const hsp__scored *rows, const hsp__rank *sorted, scores_means *means)
{
    double auc = (double)NAN, average_precision = (double)NAN;
    if (sorted && !scores_down(rows, sorted, &auc, &average_precision)) return;
    means->auc += auc;
    means->average_precision += average_precision;
    means->seen++;
}

static void scores_give_means(const scores_means *means, double *out)
{
    out[HSP__SCORE_AUC] = means->seen ? means->auc / means->seen : (double)NAN;
    out[HSP__SCORE_AVERAGE_PRECISION] =
        means->seen ? means->average_precision / means->seen : (double)NAN;
}

hsp_status hsp__score_ranking(hsp_context *ctx, const hsp__scored *rows, hsp_error *err,
                              double out[HSP__SCORES])
{
    hsp__scratch scratch = {.memory = &ctx->allocator};
    hsp__rank *ranked = hsp__scratch_raw(&scratch, rows->rows, sizeof *ranked);
    hsp__rank *room = hsp__scratch_raw(&scratch, rows->rows, sizeof *room);
    scores_means means = {0, 0, 0};
    for (uint32_t c = 0; !scratch.failed && c < rows->columns && !hsp__stopped(ctx); c++)
        scores_add_column(
            rows, hsp__rank_rows(ctx, rows, c, rows->ranking, rows->columns, ranked, room), &means);
    hsp__scratch_free(&scratch);
    if (scratch.failed) return hsp__fail_memory(err);
    scores_give_means(&means, out);
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

hsp_status hsp__score_all(hsp_context *ctx, const hsp__scored *rows, const hsp__rank *const *ranks,
                          hsp_error *err, double out[HSP__SCORES])
{
    assert(rows->classes >= 2 && (rows->columns == 1 || rows->columns == rows->classes));
    for (int score = 0; score < HSP__SCORES; score++)
        out[score] = (double)NAN;
    if (!rows->rows) return HSP_OK;
    if (rows->probability) {
        out[HSP__SCORE_LOG_LOSS] = scores_from_probability(rows, HSP__SCORE_LOG_LOSS);
        out[HSP__SCORE_BRIER] = scores_from_probability(rows, HSP__SCORE_BRIER);
    }
    HSP__TRY(scores_from_confusion(ctx, rows, err, out));
    if (!rows->ranking) return HSP_OK;
    if (!ranks) return hsp__score_ranking(ctx, rows, err, out);
    scores_means means = {0, 0, 0};
    for (uint32_t c = 0; c < rows->columns; c++)
        scores_add_column(rows, ranks[c], &means);
    scores_give_means(&means, out);
    return HSP_OK;
}

hsp_status hsp__score_rows(hsp_context *ctx, const hsp__scored *rows, hsp__score score,
                           hsp_error *err, double *out)
{
    assert(rows->classes >= 2 && (rows->columns == 1 || rows->columns == rows->classes));
    double all[HSP__SCORES] = {0};
    hsp_status status = HSP_OK;
    *out = (double)NAN;
    if (!rows->rows) return HSP_OK;
    if (scores_table[score].needs_probability) {
        if (rows->probability) *out = scores_from_probability(rows, score);
        return HSP_OK;
    }
    if (score == HSP__SCORE_AUC || score == HSP__SCORE_AVERAGE_PRECISION)
        status = hsp__score_ranking(ctx, rows, err, all);
    else
        status = scores_from_confusion(ctx, rows, err, all);
    if (!status) *out = all[score];
    return status;
}

/* One row per class stands for all rows of the class: they get the same prediction. */
hsp_status hsp__score_majorities(hsp_context *ctx, const double *of_class, uint32_t classes,
                                 hsp_error *err, double out[HSP__SCORES])
{
    hsp__scratch scratch = {.memory = &ctx->allocator};
    const uint64_t k = classes;
    hsp__scored same = {.classes = classes, .columns = k == 2 ? 1 : classes, .rows = k};
    same.truth = hsp__scratch_raw(&scratch, k, sizeof *same.truth);
    same.predicted = hsp__scratch_raw(&scratch, k, sizeof *same.predicted);
    same.ranking = hsp__scratch_new(&scratch, k * k, sizeof *same.ranking);
    same.probability = hsp__scratch_raw(&scratch, k * k, sizeof *same.probability);
    same.weight = of_class;
    uint32_t most = 0;
    double all = 0;
    hsp_status status = scratch.failed ? hsp__fail_memory(err) : HSP_OK;
    for (uint32_t c = 0; c < k; c++) {
        if (of_class[c] > of_class[most]) most = c;
        all += of_class[c];
    }
    for (uint32_t i = 0; !status && i < k; i++) {
        same.truth[i] = i;
        same.predicted[i] = most;
        for (uint32_t c = 0; c < k; c++)
            same.probability[i * k + c] = of_class[c] / all;
    }
    if (!status) status = hsp__score_all(ctx, &same, NULL, err, out);
    hsp__scratch_free(&scratch);
    return status;
}

hsp_status hsp__score_majority(hsp_context *ctx, const hsp__scored *rows, hsp__score score,
                               hsp_error *err, double *out)
{
    double all[HSP__SCORES];
    double *of_class = hsp__new(&ctx->allocator, rows->classes, sizeof *of_class);
    if (!of_class) return hsp__fail_memory(err);
    for (uint64_t i = 0; i < rows->rows; i++)
        of_class[rows->truth[i]] += scores_weight(rows, i);
    const hsp_status status = hsp__score_majorities(ctx, of_class, rows->classes, err, all);
    hsp__free(&ctx->allocator, of_class);
    if (!status) *out = rows->rows ? all[score] : (double)NAN;
    return status;
}
