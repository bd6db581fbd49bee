/* Platt scaling and isotonic regression: the probability that a row is of a class, as a function of
 * its score s for the class. Rows i have weights r_i; N+ is the weight of the rows of the class, N-
 * that of the others.
 *
 * Platt scaling. p(s) = 1 / (1 + exp(-f)), f = a s + b, minimises the cross entropy
 *
 *     F(a, b) = -sum_i r_i (t_i log p_i + (1 - t_i) log(1 - p_i))
 *             = sum_i r_i (log(1 + exp(-|f_i|)) + max(f_i, 0) - t_i f_i)
 *
 * with Platt's targets t = (N+ + 1) / (N+ + 2) for rows of the class and 1 / (N- + 2) for the
 * others. They lie strictly between 0 and 1, so that the minimum is finite however well the scores
 * separate. F is convex: Newton's method with a backtracking line search, from a = 0 and b =
 * log((N+
 * + 1) / (N- + 1)), after Lin, Lin and Weng. The second form of F neither overflows nor cancels.
 * Scores are standardised first, so that steps do not depend on their unit.
 *
 * Isotonic regression. The non-decreasing function with the least squared error: rows sorted by
 * score, neighbours whose means do not rise pooled into one mean until all do (pool adjacent
 * violators), O(n log n). Equal scores count as one point with their mean. A line connects the
 * pools, level within each and beyond the outermost scores. Values are kept within 1 / (n + 2) and
 * (n + 1) / (n + 2), n the weight of all rows: that is the least squared error among the
 * non-decreasing functions within these limits, and no sample makes an event certain.
 *
 * Papers. J. Platt, Probabilistic outputs for support vector machines, Advances in Large Margin
 * Classifiers (1999). H.-T. Lin, C.-J. Lin, R. Weng, A note on Platt's probabilistic outputs for
 * support vector machines, Machine Learning 68 (2007). B. Zadrozny, C. Elkan, Transforming
 * classifier scores into accurate multiclass probability estimates, KDD (2002). M. Ayer et al., An
 * empirical distribution function for sampling with incomplete information, Ann. Math. Stat. 26
 * (1955). */
#include "learn/select/calibration_fit.h"

#include "base/base.h"

#include <float.h>
#include <stdlib.h>

static double calibration_fit_weight(const hsp__calibration_scores *scored, uint64_t i)
{
    return scored->weight ? scored->weight[i] : 1;
}

static double calibration_fit_score(const hsp__calibration_scores *scored, uint64_t i)
{
    return scored->scores[i * scored->stride];
}

static int calibration_fit_own(const hsp__calibration_scores *scored, uint64_t i)
{
    return scored->label[i] == scored->positive;
}

/* The weight of the rows of the class (1) and of the others (0). */
static void calibration_fit_total(const hsp__calibration_scores *scored, double total[2])
{
    total[0] = total[1] = 0;
    for (uint64_t i = 0; i < scored->rows; i++)
        total[calibration_fit_own(scored, i)] += calibration_fit_weight(scored, i);
}

/* ---- Platt scaling --------------------------------------------------------------------------- */

#define CALIBRATION_FIT_STEPS    100 /* of Newton's method; ten are usual */
#define CALIBRATION_FIT_HALVINGS 40  /* of one step, at most */
#define CALIBRATION_FIT_DECREASE \
    1e-4 /* of what the gradient promises: the share that a step must bring */
#define CALIBRATION_FIT_SMALL 1e-13 /* a relative change that is rounding */

typedef struct calibration_fit_platt {
    const hsp__calibration_scores *scored;
    double target[2];    /* of the other rows, and of those of the class */
    double unit, centre; /* x = s / unit - centre: mean 0, mean square 1 */
} calibration_fit_platt;

static double calibration_fit_x(const calibration_fit_platt *fit, uint64_t i)
{
    assert(fit->unit > 0);
    return calibration_fit_score(fit->scored, i) / fit->unit - fit->centre;
}

static double calibration_fit_loss(const calibration_fit_platt *fit, const double at[2])
{
    double sum = 0;
    for (uint64_t i = 0; i < fit->scored->rows; i++) {
        const double f = at[0] * calibration_fit_x(fit, i) + at[1];
        const double t = fit->target[calibration_fit_own(fit->scored, i)];
        sum += calibration_fit_weight(fit->scored, i) *
               (log1p(exp(-fabs(f))) + (f > 0 ? f : 0) - t * f);
    }
    return sum;
}

/* Newton's step from a point, and how fast F falls along it (at most 0). */
static double calibration_fit_direction(const calibration_fit_platt *fit, const double at[2],
                                        double step[2])
{
    double g0 = 0, g1 = 0, h00 = 0, h01 = 0, h11 = 0;
    for (uint64_t i = 0; i < fit->scored->rows; i++) {
        const double x = calibration_fit_x(fit, i), f = at[0] * x + at[1], e = exp(-fabs(f));
        const double p = (f >= 0 ? 1 : e) / (1 + e), r = calibration_fit_weight(fit->scored, i);
        const double d = r * (p - fit->target[calibration_fit_own(fit->scored, i)]);
        const double h = r * (e / ((1 + e) * (1 + e)));
        g0 += d * x;
        g1 += d;
        h00 += h * x * x;
        h01 += h * x;
        h11 += h;
    }
    h00 += CALIBRATION_FIT_SMALL * (h00 + h11) + DBL_MIN; /* as good as singular: a shorter step */
    h11 += CALIBRATION_FIT_SMALL * (h00 + h11) + DBL_MIN;
    const double det = h00 * h11 - h01 * h01;
    step[0] = -(h11 * g0 - h01 * g1) / det;
    step[1] = -(h00 * g1 - h01 * g0) / det;
    return g0 * step[0] + g1 * step[1];
}

void hsp__fit_platt(const hsp__calibration_scores *scored, double platt[2])
{
    double total[2], largest = 0, mean = 0, squares = 0;
    calibration_fit_total(scored, total);
    const double rows = total[0] + total[1];
    calibration_fit_platt fit = {.scored = scored,
                                 .target = {1 / (total[0] + 2), (total[1] + 1) / (total[1] + 2)}};
    assert(total[0] >= 0 && total[1] >= 0 && fit.target[0] <= 0.5 && fit.target[1] >= 0.5);
    for (uint64_t i = 0; i < scored->rows; i++)
        largest = fmax(largest, fabs(calibration_fit_score(scored, i)));
    for (uint64_t i = 0; largest > 0 && i < scored->rows; i++)
        mean +=
            calibration_fit_weight(scored, i) / rows * (calibration_fit_score(scored, i) / largest);
    for (uint64_t i = 0; largest > 0 && i < scored->rows; i++) {
        const double x = calibration_fit_score(scored, i) / largest - mean;
        squares += calibration_fit_weight(scored, i) / rows * (x * x);
    }
    const double deviation = sqrt(squares);
    fit.unit = largest * deviation;
    fit.centre = mean / deviation;
    if (!(largest > 0) || !(deviation > CALIBRATION_FIT_SMALL) || !(fit.unit > 0)) {
        /* one score: the constant that has the mean of the targets */
        const double own = total[1] * fit.target[1] + total[0] * fit.target[0];
        platt[0] = 0;
        platt[1] = scored->rows ? log(own / (rows - own)) : 0;
        return;
    }
    double at[2] = {0, log((total[1] + 1) / (total[0] + 1))};
    double loss = calibration_fit_loss(&fit, at);
    for (int k = 0; k < CALIBRATION_FIT_STEPS; k++) {
        double step[2], size = 1;
        const double fall = calibration_fit_direction(&fit, at, step);
        if (!(fall < 0)) break;
        for (int halving = 0; halving < CALIBRATION_FIT_HALVINGS; halving++, size /= 2) {
            const double next[2] = {at[0] + size * step[0], at[1] + size * step[1]};
            const double reached = calibration_fit_loss(&fit, next);
            if (!(reached <=
                  loss + CALIBRATION_FIT_DECREASE * size * fall + CALIBRATION_FIT_SMALL * loss))
                continue;
            at[0] = next[0];
            at[1] = next[1];
            loss = reached;
            break;
        }
        if (hypot(step[0], step[1]) <= CALIBRATION_FIT_SMALL * (1 + hypot(at[0], at[1]))) break;
    }
    platt[0] = fmax(fmin(at[0] / fit.unit, DBL_MAX), -DBL_MAX);
    platt[1] = at[1] - at[0] * fit.centre;
}

/* ---- Isotonic regression --------------------------------------------------------------------- */

typedef struct calibration_fit_point {
    double x, last;     /* scores from x to last */
    double own, weight; /* of the rows of the class, and of all rows */
} calibration_fit_point;

static int calibration_fit_compare(const void *left, const void *right)
{
    const double a = ((const calibration_fit_point *)left)->x,
                 b = ((const calibration_fit_point *)right)->x;
    return (a > b) - (a < b);
}

static void calibration_fit_join(calibration_fit_point *to, const calibration_fit_point *from)
{
    to->own += from->own;
    to->weight += from->weight;
    to->last = from->last;
}

static double calibration_fit_mean(const calibration_fit_point *point)
{
    assert(!(point->weight < 0) && !(point->own > point->weight * (1 + 1e-9)));
    return point->own / point->weight;
}

hsp_status hsp__fit_isotonic(hsp_context *ctx, const hsp__calibration_scores *scored,
                             hsp_error *err, uint64_t *knots, double **at, double **value)
{
    const hsp_allocator *memory = &ctx->allocator;
    calibration_fit_point *points = hsp__new_raw(memory, scored->rows, sizeof *points);
    double *x = hsp__new_raw(memory, 2 * scored->rows + 1, sizeof *x);
    double *y = hsp__new_raw(memory, 2 * scored->rows + 1, sizeof *y);
    if (!points || !x || !y) {
        hsp__free(memory, points);
        hsp__free(memory, x);
        hsp__free(memory, y);
        return hsp__fail_memory(err);
    }
    double total[2];
    calibration_fit_total(scored, total);
    const double rows = total[0] + total[1], least = 1 / (rows + 2), most = 1 - least;
    for (uint64_t i = 0; i < scored->rows; i++) {
        const double s = calibration_fit_score(scored, i),
                     weight = calibration_fit_weight(scored, i);
        points[i] =
            (calibration_fit_point){s, s, calibration_fit_own(scored, i) ? weight : 0, weight};
    }
    qsort(points, scored->rows, sizeof *points, calibration_fit_compare);
    uint64_t count = 0, pools = 0, used = 0;
    for (uint64_t i = 0; i < scored->rows; i++) { /* points of one score become one point */
        if (count && points[count - 1].x == points[i].x)
            calibration_fit_join(&points[count - 1], &points[i]);
        else
            points[count++] = points[i];
    }
    for (uint64_t i = 0; i < count; i++) { /* pooled backwards as long as they do not rise */
        points[pools++] = points[i];
        for (; pools > 1 && !(calibration_fit_mean(&points[pools - 2]) <
                              calibration_fit_mean(&points[pools - 1]));
             pools--)
            calibration_fit_join(&points[pools - 2], &points[pools - 1]);
    }
    for (uint64_t i = 0; i < pools; i++) {
        const double p = fmin(fmax(calibration_fit_mean(&points[i]), least), most);
        x[used] = points[i].x;
        y[used++] = p;
        if (points[i].last == points[i].x) continue;
        x[used] = points[i].last;
        y[used++] = p;
    }
    if (!used) x[used] = 0, y[used++] = 0.5; /* nothing is known */
    hsp__free(memory, points);
    *knots = used;
    *at = x;
    *value = y;
    return HSP_OK;
}
