/* Platt's and isotonic calibration, bound to what the label says.
 *
 * Platt, two classes. p(s) = 1 / (1 + exp(-a s)), a >= 0, with an a of its own on each side of 0:
 * the only such curves with p(0) = 1/2. The likelihood of a side is that of its rows alone,
 *
 *     maximise sum_i r_i (t_i log p_i + (1 - t_i) log(1 - p_i)),   slope sum_i r_i (t_i - p_i) s_i,
 *
 * concave in a, with Platt's targets t = (N+ + 1) / (N+ + 2) for the second class and 1 / (N- + 2)
 * for the first, N the weight of each class over both sides: what is seen N times is believed
 * with N + 2. They are inside 0..1, so that the best a is finite however well the scores tell.
 *
 * More classes. p_c = exp(t s_c) / sum_k exp(t s_k), one t >= 0; the row's class y has the target
 * (N_y + 1) / (N_y + 2), and the others share the rest. Slope sum_i r_i (<T_i, s_i> - <p_i, s_i>).
 *
 * Isotonic. Least squares over all rising functions of the score: sorted by score, neighbours that
 * fall are pooled into their mean until none does (pool adjacent violators), O(n log n). Two
 * classes: each side of 0 by itself and clipped to its side of 1/2, which is the least squares
 * over the rising functions that pass 1/2 at 0, since the two sides then do not meet. More classes:
 * a function of how far a class is ahead of the best other one, which rises with the class's score
 * and does not change when all scores grow together (half of the learners for more classes say
 * nothing by that); the leads of all classes are pooled, 1 for the row's own class, 0 for the
 * others. What n rows say is never more certain than 1 / (n + 2).
 *
 * Papers. J. Platt, Probabilistic outputs for support vector machines, Advances in Large Margin
 * Classifiers (1999). B. Zadrozny, C. Elkan, Transforming classifier scores into accurate
 * multiclass probability estimates, KDD (2002). M. Ayer et al., An empirical distribution function
 * for sampling with incomplete information, Ann. Math. Stat. 26 (1955). */
#include "learn/fit.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>

#include "base/context.h"
#include "base/error.h"
#include "base/memory.h"
#include "model/probability.h"

static double fit_weight(const hsp__scored *scored, uint64_t i)
{
    return scored->weight ? scored->weight[i] : 1;
}

/* ---- Platt ----------------------------------------------------------------------------------- */

typedef struct fit_curve {
    const hsp__scored *scored;
    const double *total; /* classes: weight of the rows of each */
    int side;            /* two classes: 0 negative scores, 1 positive ones */
    double unit;         /* scores are divided by it: the largest */
} fit_curve;

/* The slope of the log-likelihood at a, and minus its curvature: what one row adds. */
static void fit_row_two(const fit_curve *curve, uint64_t i, double a, double *slope, double *bend)
{
    const hsp__scored *scored = curve->scored;
    const double s = scored->scores[i] / curve->unit;
    if (curve->side ? !(s > 0) : !(s < 0)) return;
    const double target = scored->label[i] ? (curve->total[1] + 1) / (curve->total[1] + 2)
                                           : 1 / (curve->total[0] + 2);
    const double e = exp(-fabs(a * s)), p = (a * s >= 0 ? 1 : e) / (1 + e);
    *slope += fit_weight(scored, i) * (target - p) * s;
    *bend += fit_weight(scored, i) * (e / ((1 + e) * (1 + e))) * s * s;
}

static void fit_row_more(const fit_curve *curve, uint64_t i, double t, double *slope, double *bend)
{
    const hsp__scored *scored = curve->scored;
    const uint32_t k = scored->classes, y = scored->label[i];
    const double *s = scored->scores + i * k;
    const double other = 1 / ((curve->total[y] + 2) * (k - 1));
    double top = -HUGE_VAL, sum = 0, mean = 0, squares = 0, wanted = 0;
    for (uint32_t c = 0; c < k; c++)
        top = fmax(top, s[c] / curve->unit);
    for (uint32_t c = 0; c < k; c++) {
        /* scores less the highest: neither side of the slope changes */
        const double z = s[c] / curve->unit - top, e = exp(t * z);
        sum += e;
        mean += e * z;
        squares += e * z * z;
        wanted += z * (c == y ? (curve->total[y] + 1) / (curve->total[y] + 2) : other);
    }
    mean /= sum;
    *slope += fit_weight(scored, i) * (wanted - mean);
    *bend += fit_weight(scored, i) * (squares / sum - mean * mean);
}

static double fit_slope(const fit_curve *curve, double a, double *bend)
{
    double slope = 0;
    *bend = 0;
    for (uint64_t i = 0; i < curve->scored->rows; i++) {
        if (curve->scored->classes == 2)
            fit_row_two(curve, i, a, &slope, bend);
        else
            fit_row_more(curve, i, a, &slope, bend);
    }
    return slope;
}

#define FIT_STEPS 200
#define FIT_NEAR  1e-14

/* Where the slope, which falls, is 0: Newton's steps inside a shrinking bracket. */
static double fit_solve(const fit_curve *curve)
{
    double bend, low = 0, high = 1;
    if (!(fit_slope(curve, 0, &bend) > 0)) return 0;
    while (high < 0x1p1000 && fit_slope(curve, high, &bend) > 0) {
        low = high;
        high *= 2;
    }
    double a = low + (high - low) / 2;
    for (int step = 0; step < FIT_STEPS && high - low > FIT_NEAR * high; step++) {
        const double slope = fit_slope(curve, a, &bend);
        if (slope > 0)
            low = a;
        else
            high = a;
        if (slope == 0) break;
        const double next = a + slope / bend;
        if (fabs(next - a) <= FIT_NEAR * a) break;
        a = next > low && next < high ? next : low + (high - low) / 2;
    }
    return a;
}

/* The weight of each class, and the largest score. */
static hsp_status fit_begin(hsp_context *ctx, fit_curve *curve, hsp_error *err, double **total)
{
    const hsp__scored *scored = curve->scored;
    const uint64_t numbers = scored->rows * (scored->classes == 2 ? 1 : scored->classes);
    *total = hsp__new(&ctx->allocator, scored->classes, sizeof **total);
    if (!*total) return hsp__fail_memory(err);
    for (uint64_t i = 0; i < scored->rows; i++)
        (*total)[scored->label[i]] += fit_weight(scored, i);
    curve->unit = 0;
    for (uint64_t i = 0; i < numbers; i++)
        curve->unit = fmax(curve->unit, fabs(scored->scores[i]));
    curve->total = *total;
    return HSP_OK;
}

/* Are there scores on this side of 0? */
static int fit_has(const hsp__scored *scored, int side)
{
    for (uint64_t i = 0; i < scored->rows; i++)
        if (side ? scored->scores[i] > 0 : scored->scores[i] < 0) return 1;
    return 0;
}

hsp_status hsp__fit_platt(hsp_context *ctx, const hsp__scored *scored, hsp_error *err,
                          double slopes[2])
{
    const int two = scored->classes == 2;
    fit_curve curve = {.scored = scored};
    double *total = NULL;
    hsp_status status = fit_begin(ctx, &curve, err, &total);
    if (status) return status;
    slopes[0] = slopes[1] = 0;
    for (int side = 0; curve.unit > 0 && side < (two ? 2 : 1); side++) {
        curve.side = side;
        slopes[side] = fmin(fit_solve(&curve) / curve.unit, DBL_MAX);
    }
    /* what is known of one side only is taken for the other */
    if (!two || !fit_has(scored, 1)) slopes[1] = slopes[0];
    if (two && !fit_has(scored, 0)) slopes[0] = slopes[1];
    hsp__free(&ctx->allocator, total);
    return HSP_OK;
}

/* ---- Isotonic -------------------------------------------------------------------------------- */

typedef struct fit_point {
    double x, last; /* scores from x to last */
    double y, weight;
} fit_point;

static int fit_compare(const void *left, const void *right)
{
    const double a = ((const fit_point *)left)->x, b = ((const fit_point *)right)->x;
    return (a > b) - (a < b);
}

static void fit_join(fit_point *to, const fit_point *from)
{
    const double weight = to->weight + from->weight;
    to->y = (to->y * to->weight + from->y * from->weight) / weight;
    to->weight = weight;
    to->last = from->last;
}

/* Points of one score become one point. */
static uint64_t fit_merge(fit_point *points, uint64_t count)
{
    uint64_t used = 0;
    for (uint64_t i = 0; i < count; i++) {
        if (used && points[used - 1].x == points[i].x)
            fit_join(&points[used - 1], &points[i]);
        else
            points[used++] = points[i];
    }
    return used;
}

/* One point after the other, pooled backwards as long as they do not rise. */
static uint64_t fit_pool(fit_point *points, uint64_t count)
{
    uint64_t used = 0;
    for (uint64_t i = 0; i < count; i++) {
        points[used++] = points[i];
        for (; used > 1 && !(points[used - 2].y < points[used - 1].y); used--)
            fit_join(&points[used - 2], &points[used - 1]);
    }
    return used;
}

/* The points of scores in a range, sorted, pooled, clipped; as knots behind those that are there.
 */
static uint64_t fit_side(fit_point *points, uint64_t count, double least, double most, double *at,
                         double *value)
{
    uint64_t knots = 0;
    qsort(points, count, sizeof *points, fit_compare);
    const uint64_t used = fit_pool(points, fit_merge(points, count));
    for (uint64_t i = 0; i < used; i++) {
        const double y = fmin(fmax(points[i].y, least), most);
        at[knots] = points[i].x;
        value[knots++] = y;
        if (points[i].last == points[i].x) continue;
        at[knots] = points[i].last;
        value[knots++] = y;
    }
    return knots;
}

/* What a row's points are measured by: of more than two classes, the two highest scores. */
typedef struct fit_lead {
    double top, second;
} fit_lead;

static fit_lead fit_leaders(const hsp__scored *scored, uint64_t i)
{
    const double *s = scored->scores + i * scored->classes;
    fit_lead lead = {-HUGE_VAL, -HUGE_VAL};
    for (uint32_t c = 0; scored->classes > 2 && c < scored->classes; c++) {
        lead.second = fmax(lead.second, fmin(s[c], lead.top));
        lead.top = fmax(lead.top, s[c]);
    }
    return lead;
}

/* The score of two classes; of more, how far class c is ahead of the best other one. */
static double fit_input(const hsp__scored *scored, uint64_t i, uint32_t c, const fit_lead *lead)
{
    if (scored->classes == 2) return scored->scores[i];
    const double s = scored->scores[i * scored->classes + c];
    return hsp__probability_lead(s, s == lead->top ? lead->second : lead->top);
}

/* Points from scores: those below 0 first, the others behind. */
static uint64_t fit_gather(const hsp__scored *scored, fit_point *points, uint64_t *below)
{
    const uint32_t each = scored->classes == 2 ? 1 : scored->classes;
    uint64_t count = 0;
    for (int side = 0; side < 2; side++) {
        for (uint64_t i = 0; i < scored->rows; i++) {
            const fit_lead lead = fit_leaders(scored, i);
            for (uint32_t c = 0; c < each; c++) {
                const double s = fit_input(scored, i, c, &lead);
                if (side ? s < 0 : !(s < 0)) continue;
                if (each == 1 && s == 0) continue; /* 1/2, whatever the label */
                const int own = scored->label[i] == (each == 1 ? 1 : c);
                points[count++] = (fit_point){s, s, own, fit_weight(scored, i)};
            }
        }
        if (!side) *below = count;
    }
    return count;
}

hsp_status hsp__fit_isotonic(hsp_context *ctx, const hsp__scored *scored, hsp_error *err,
                             uint64_t *knots, double **at, double **value)
{
    const hsp_allocator *memory = &ctx->allocator;
    const int two = scored->classes == 2;
    const uint64_t most = scored->rows * (two ? 1 : scored->classes);
    fit_point *points = hsp__new_raw(memory, most, sizeof *points);
    double *x = hsp__new_raw(memory, most + 1, sizeof *x);
    double *y = hsp__new_raw(memory, most + 1, sizeof *y);
    if (!points || !x || !y) {
        hsp__free(memory, points);
        hsp__free(memory, x);
        hsp__free(memory, y);
        return hsp__fail_memory(err);
    }
    double rows = 0;
    for (uint64_t i = 0; i < scored->rows; i++)
        rows += fit_weight(scored, i);
    const double least = 1 / (rows + 2), largest = (rows + 1) / (rows + 2);
    uint64_t below = 0, used = 0;
    const uint64_t count = fit_gather(scored, points, &below);
    if (two) {
        used = fit_side(points, below, least, 0.5, x, y);
        x[used] = 0;
        y[used++] = 0.5;
        used += fit_side(points + below, count - below, 0.5, largest, x + used, y + used);
    } else {
        used = fit_side(points, count, least, largest, x, y);
    }
    hsp__free(memory, points);
    *knots = used;
    *at = x;
    *value = y;
    return HSP_OK;
}
