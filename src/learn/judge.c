#include "learn/judge.h"

#include <math.h>
#include <string.h>

#include "base/context.h"
#include "base/error.h"
#include "base/memory.h"
#include "base/threads.h"
#include "learn/products.h"
#include "model/model.h"
#include "vec/vec.h"

enum { JUDGE_PARTS = 64 };

/* Parts that rows are cut into where each costs little: sums over parts are added in their order.
 */
static uint64_t judge_parts(const hsp__problem *p)
{
    const uint64_t parts = hsp__parts(p->view->rows, 64);
    return parts > JUDGE_PARTS ? JUDGE_PARTS : parts;
}

/* ---- Losses ---------------------------------------------------------------------------------- */

#define JUDGE_INLINE static inline __attribute__((always_inline))

JUDGE_INLINE double judge_loss(hsp__loss loss, double m)
{
    const double z = 1 - m;
    if (loss == HSP__LOSS_LOGISTIC) return m > 0 ? log1p(exp(-m)) : log1p(exp(m)) - m;
    if (!(z > 0)) return 0;
    return loss == HSP__LOSS_HINGE ? z : z * z;
}

/* -loss'(m): what a row asks for, a / c. */
JUDGE_INLINE double judge_pull(hsp__loss loss, double m)
{
    if (loss == HSP__LOSS_LOGISTIC) return m > 0 ? exp(-m) / (1 + exp(-m)) : 1 / (1 + exp(m));
    if (!(m < 1)) return 0;
    return loss == HSP__LOSS_HINGE ? 1 : 2 * (1 - m);
}

double hsp__judge_loss(hsp__loss loss, double m)
{
    return judge_loss(loss, m);
}

double hsp__judge_pull(hsp__loss loss, double m)
{
    return judge_pull(loss, m);
}

/* e(a) of one row of cost c > 0. */
static double judge_entropy(double a, double c)
{
    const double p = a / c, q = 1 - p;
    return -c * ((p > 0 ? p * log(p) : 0) + (q > 0 ? q * log(q) : 0));
}

JUDGE_INLINE double judge_gain(hsp__loss loss, int hard, double a, double c)
{
    if (loss == HSP__LOSS_HINGE || hard) return a;
    return loss == HSP__LOSS_SQUARED ? a - a * a / (4 * c) : judge_entropy(a, c);
}

/* ---- The best offset for given scores -------------------------------------------------------- */

/* The smallest at[i] up to which the costs add up to `level`, or with `above` to more than that:
 * selection by halves around a pivot, which reorders both arrays. */
static double judge_quantile(double *at, double *cost, uint64_t n, double level, int above)
{
    uint64_t from = 0, to = n;
    double before = 0; /* cost of what lies below `from` */
    for (;;) {
        const double pivot = at[from + (to - from) / 2];
        if (isnan(pivot)) return pivot; /* it is in no order with the others */
        uint64_t low = from, high = to, i = from;
        double below = 0, same = 0;
        while (i < high) { /* three parts: below, equal to, above the pivot */
            const double here = at[i], c = cost[i];
            const uint64_t other = here < pivot ? low : high - 1;
            if (here == pivot) {
                same += c, i++;
                continue;
            }
            at[i] = at[other], cost[i] = cost[other];
            at[other] = here, cost[other] = c;
            if (here < pivot)
                below += c, low++, i++;
            else
                high--;
        }
        if (low > from && (above ? before + below > level : before + below >= level)) {
            to = low;
        } else if (high == to ||
                   (above ? before + below + same > level : before + below + same >= level)) {
            return pivot;
        } else {
            before += below + same;
            from = high;
        }
    }
}

/* The slope of sum c hinge over b starts at minus the cost of the positive rows and rises by c_i at
 * b = y_i - s_i: the best b is a quantile of those, and where the slope is 0 for a while, the
 * middle of that while. */
static hsp_status judge_offset_hinge(hsp_context *ctx, const hsp__problem *p, const double *scores,
                                     hsp_error *err, double *b)
{
    const uint64_t n = p->view->rows;
    double *at = hsp__new_raw(&ctx->allocator, n, sizeof *at);
    double *cost = hsp__new_raw(&ctx->allocator, n, sizeof *cost);
    hsp_status status = at && cost ? HSP_OK : hsp__fail_memory(err);
    uint64_t count = 0;
    double level = 0;
    for (uint64_t i = 0; !status && i < n; i++) {
        const double c = hsp__problem_cost(p, i), y = hsp__problem_y(p, i);
        if (!(c > 0)) continue;
        at[count] = y - scores[i];
        cost[count++] = c;
        if (y > 0) level += c;
    }
    if (!status && count)
        *b = (judge_quantile(at, cost, count, level, 0) +
              judge_quantile(at, cost, count, level, 1)) /
             2;
    hsp__free(&ctx->allocator, at);
    hsp__free(&ctx->allocator, cost);
    return status;
}

/* Slope and curvature of sum c loss(y (s + b)) over b. */
static void judge_slope(const hsp__problem *p, const double *scores, double b, double *slope,
                        double *curvature)
{
    *slope = *curvature = 0;
    for (uint64_t i = 0; i < p->view->rows; i++) {
        const double y = hsp__problem_y(p, i), c = hsp__problem_cost(p, i);
        const double pull = hsp__judge_pull(p->loss, y * (scores[i] + b));
        *slope -= c * y * pull;
        if (p->loss == HSP__LOSS_LOGISTIC)
            *curvature += c * pull * (1 - pull);
        else if (pull > 0)
            *curvature += 2 * c;
    }
}

#define JUDGE_STEPS 60

/* Newton's steps, kept between the nearest b known to be too low and too high. */
static void judge_offset_smooth(const hsp__problem *p, const double *scores, double *b)
{
    double low = -HUGE_VAL, high = HUGE_VAL, slope, curvature;
    for (int step = 0; step < JUDGE_STEPS; step++) {
        judge_slope(p, scores, *b, &slope, &curvature);
        if (slope == 0) return;
        if (slope < 0)
            low = *b;
        else
            high = *b;
        double next = curvature > 0 ? *b - slope / curvature : slope < 0 ? *b + 1 : *b - 1;
        if (!(next > low && next < high)) next = (low + high) / 2;
        if (!isfinite(next) || fabs(next - *b) <= 1e-15 * fabs(*b)) return;
        *b = next;
    }
}

static void judge_offset_hard(const hsp__problem *p, const double *scores, double *b)
{
    double least = -HUGE_VAL, most = HUGE_VAL;
    for (uint64_t i = 0; i < p->view->rows; i++) {
        if (hsp__problem_positive(p, i))
            least = fmax(least, 1 - scores[i]);
        else
            most = fmin(most, -1 - scores[i]);
    }
    const double middle = least / 2 + most / 2;
    if (isfinite(middle)) *b = middle;
}

hsp_status hsp__judge_offset(hsp_context *ctx, const hsp__problem *p, const double *scores,
                             hsp_error *err, double *b)
{
    if (p->offset != HSP__OFFSET_FREE) return HSP_OK;
    if (p->hard)
        judge_offset_hard(p, scores, b);
    else if (p->loss == HSP__LOSS_HINGE)
        return judge_offset_hinge(ctx, p, scores, err, b);
    else
        judge_offset_smooth(p, scores, b);
    return HSP_OK;
}

/* ---- Primal ---------------------------------------------------------------------------------- */

typedef struct judge_sum {
    const hsp__problem *p;
    const double *scores;
    double b;
    uint64_t parts;
    double *sums; /* parts */
} judge_sum;

static void judge_sum_part(void *user, uint64_t part)
{
    const judge_sum *work = user;
    const hsp__problem *p = work->p;
    const uint64_t to = hsp__part(p->view->rows, work->parts, part + 1);
    double sum = 0;
    for (uint64_t i = hsp__part(p->view->rows, work->parts, part); i < to; i++) {
        const double m = hsp__problem_y(p, i) * (work->scores[i] + work->b);
        if (!p->hard)
            sum += hsp__problem_cost(p, i) * hsp__judge_loss(p->loss, m);
        else if (!(m >= 1))
            sum = HUGE_VAL;
    }
    work->sums[part] = sum;
}

static double judge_penalty(const hsp__problem *p, const double *w, double b)
{
    const hsp__vec_table *vec = hsp__vec();
    const size_t d = (size_t)p->view->cols;
    const double own = p->offset == HSP__OFFSET_REGULARIZED ? b : 0;
    if (p->penalty == HSP__PENALTY_L1) return vec->norm1_f64(w, d) + fabs(own);
    return (vec->sqnorm_f64(w, d) + own * own) / 2;
}

double hsp__judge_primal(hsp_context *ctx, const hsp__problem *p, const double *w, double b,
                         const double *scores)
{
    double sums[JUDGE_PARTS], total = 0;
    judge_sum work = {.p = p, .scores = scores, .b = b, .sums = sums};
    work.parts = judge_parts(p);
    hsp__tasks_run(ctx, work.parts, judge_sum_part, &work);
    for (uint64_t part = 0; part < work.parts; part++)
        total += sums[part];
    return judge_penalty(p, w, b) + total;
}

/* ---- Dual ------------------------------------------------------------------------------------ */

/* The most that a_i may be; infinite: anything. */
static double judge_box(const hsp__problem *p, uint64_t i)
{
    if (p->hard) return HUGE_VAL;
    const double c = hsp__problem_cost(p, i);
    return p->loss == HSP__LOSS_SQUARED && c > 0 ? HUGE_VAL : c;
}

typedef struct judge_dual {
    const hsp__problem *p;
    uint64_t parts;
    double *a;
    const double *given;
    int heavy; /* the class that is scaled by `factor` */
    double factor;
    double sums[JUDGE_PARTS][2];
} judge_dual;

static void judge_clip_part(void *user, uint64_t part)
{
    judge_dual *work = user;
    const hsp__problem *p = work->p;
    const uint64_t to = hsp__part(p->view->rows, work->parts, part + 1);
    double *a = work->a, sum[2] = {0, 0};
    for (uint64_t i = hsp__part(p->view->rows, work->parts, part); i < to; i++) {
        double clipped = a[i] > 0 ? fmin(a[i], judge_box(p, i)) : 0;
        if (isinf(clipped)) clipped = 0;
        if (clipped != a[i]) a[i] = clipped;
        sum[hsp__problem_positive(p, i)] += clipped;
    }
    work->sums[part][0] = sum[0], work->sums[part][1] = sum[1];
}

static void judge_scale_part(void *user, uint64_t part)
{
    judge_dual *work = user;
    const hsp__problem *p = work->p;
    const uint64_t to = hsp__part(p->view->rows, work->parts, part + 1);
    for (uint64_t i = hsp__part(p->view->rows, work->parts, part); i < to; i++)
        if (hsp__problem_positive(p, i) == work->heavy) work->a[i] *= work->factor;
}

void hsp__judge_balance(hsp_context *ctx, const hsp__problem *p, double *a)
{
    judge_dual work = {.p = p, .parts = judge_parts(p), .a = a};
    double sum[2] = {0, 0};
    hsp__tasks_run(ctx, work.parts, judge_clip_part, &work);
    for (uint64_t part = 0; part < work.parts; part++)
        for (int side = 0; side < 2; side++)
            sum[side] += work.sums[part][side];
    if (p->offset != HSP__OFFSET_FREE || sum[0] == sum[1]) return;
    work.heavy = sum[1] > sum[0];
    work.factor = sum[!work.heavy] / sum[work.heavy];
    hsp__tasks_run(ctx, work.parts, judge_scale_part, &work);
}

static void judge_gain_part(void *user, uint64_t part)
{
    judge_dual *work = user;
    const hsp__problem *p = work->p;
    const uint64_t to = hsp__part(p->view->rows, work->parts, part + 1);
    double gain = 0, t = 0;
    for (uint64_t i = hsp__part(p->view->rows, work->parts, part); i < to; i++) {
        const double a = work->given[i];
        if (a == 0) continue;
        gain += judge_gain(p->loss, p->hard, a, hsp__problem_cost(p, i));
        t += hsp__problem_y(p, i) * a;
    }
    work->sums[part][0] = gain, work->sums[part][1] = t;
}

double hsp__judge_dual(hsp_context *ctx, const hsp__problem *p, const double *a, const double *u)
{
    judge_dual work = {.p = p, .parts = judge_parts(p), .given = a};
    double gain = 0, t = 0;
    hsp__tasks_run(ctx, work.parts, judge_gain_part, &work);
    for (uint64_t part = 0; part < work.parts; part++)
        gain += work.sums[part][0], t += work.sums[part][1];
    if (p->penalty == HSP__PENALTY_L1) return gain;
    const double own = p->offset == HSP__OFFSET_REGULARIZED ? t : 0;
    return gain - (hsp__vec()->sqnorm_f64(u, (size_t)p->view->cols) + own * own) / 2;
}

/* l1: scale a, and u with it, until no |u_j| is above 1. */
static void judge_shrink(const hsp__problem *p, double *a, double *u)
{
    const uint64_t n = p->view->rows;
    double most = hsp__vec()->norminf_f64(u, (size_t)p->view->cols), t = 0;
    for (uint64_t i = 0; i < n; i++)
        t += hsp__problem_y(p, i) * a[i];
    if (p->offset == HSP__OFFSET_REGULARIZED) most = fmax(most, fabs(t));
    if (!(most > 1)) return;
    for (uint64_t i = 0; i < n; i++)
        a[i] /= most;
    for (uint64_t j = 0; j < p->view->cols; j++)
        u[j] /= most;
}

/* ---- All of it ------------------------------------------------------------------------------- */

/* Values that are no numbers (a w that overflows) must not look like the best there is. */
double hsp__judge_gap(double primal, double dual)
{
    if (!isfinite(primal) || isnan(dual)) return 1;
    return primal > dual ? (primal - dual) / primal : 0;
}

int hsp__judge_keep(const hsp__solution *s, double primal, double dual)
{
    const int both = HSP__KEEP_PRIMAL | HSP__KEEP_DUAL;
    const double gap = hsp__judge_gap(primal, dual);
    if (gap <= 0.5) return gap < s->gap ? both : 0;
    if (s->gap <= 0.5) return 0;
    return (primal < s->primal || (isnan(s->primal) && !isnan(primal)) ? HSP__KEEP_PRIMAL : 0) |
           (dual > s->dual_value || (isnan(s->dual_value) && !isnan(dual)) ? HSP__KEEP_DUAL : 0);
}

typedef struct judge_both {
    const hsp__problem *p;
    const double *w, *a;
    double b;
    double *scores, *u;
    uint64_t parts;
    double *more; /* (parts - 1) * cols: what the other parts add to u */
    struct {
        double loss, gain, t;
    } sums[JUDGE_PARTS];
} judge_both;

/* One look at each row gives its score, its share of u, and what it adds to both values. The loss
 * is a constant here, so that the loop has it but once. */
JUDGE_INLINE void judge_both_rows(judge_both *work, uint64_t part, hsp__loss loss, int hard)
{
    const hsp__problem *p = work->p;
    const hsp_view *view = p->view;
    const uint64_t from = hsp__part(view->rows, work->parts, part),
                   to = hsp__part(view->rows, work->parts, part + 1);
    const int narrow = hsp__products_narrow(view);
    double *u = part ? work->more + (part - 1) * view->cols : work->u;
    double sum = 0, gain = 0, t = 0;
    memset(u, 0, view->cols * sizeof *u);
    if (narrow)
        hsp__products_narrow_scores(view, work->w, 0, from, to - from, 1, work->scores + from);
    for (uint64_t i = from; i < to; i++) {
        const double y = hsp__problem_y(p, i), c = hsp__problem_cost(p, i), a = work->a[i];
        if (!narrow) work->scores[i] = hsp__row_score(view, i, work->w, 0);
        const double m = y * (work->scores[i] + work->b);
        if (!hard)
            sum += c * judge_loss(loss, m);
        else if (!(m >= 1))
            sum = HUGE_VAL;
        if (a == 0) continue;
        gain += judge_gain(loss, hard, a, c);
        t += y * a;
        hsp__products_add_row(view, i, y * a, u);
    }
    work->sums[part].loss = sum;
    work->sums[part].gain = gain;
    work->sums[part].t = t;
}

static void judge_both_part(void *user, uint64_t part)
{
    judge_both *work = user;
    if (work->p->hard)
        judge_both_rows(work, part, HSP__LOSS_HINGE, 1);
    else if (work->p->loss == HSP__LOSS_HINGE)
        judge_both_rows(work, part, HSP__LOSS_HINGE, 0);
    else if (work->p->loss == HSP__LOSS_SQUARED)
        judge_both_rows(work, part, HSP__LOSS_SQUARED, 0);
    else
        judge_both_rows(work, part, HSP__LOSS_LOGISTIC, 0);
}

hsp_status hsp__judge(hsp_context *ctx, const hsp__problem *p, const double *w, double b, double *a,
                      double *u, double *scores, hsp_error *err, hsp__verdict *out)
{
    const hsp_allocator *memory = &ctx->allocator;
    const uint64_t d = p->view->cols;
    judge_both work = {.p = p, .w = w, .a = a, .b = b, .scores = scores, .u = u};
    double loss = 0, gain = 0, t = 0;
    work.parts = p->view->rows ? hsp__products_parts(p->view) : 1;
    work.more = hsp__new_raw(memory, (work.parts - 1) * d, sizeof *work.more);
    if (!work.more) return hsp__fail_memory(err);
    hsp__judge_balance(ctx, p, a);
    hsp__tasks_run(ctx, work.parts, judge_both_part, &work);
    for (uint64_t part = 0; part < work.parts; part++) {
        loss += work.sums[part].loss, gain += work.sums[part].gain, t += work.sums[part].t;
        if (part) hsp__vec()->axpy_f64(1, work.more + (part - 1) * d, u, (size_t)d);
    }
    hsp__free(memory, work.more);
    const double own = p->offset == HSP__OFFSET_REGULARIZED ? t : 0;
    out->primal = judge_penalty(p, w, b) + loss;
    out->dual = gain - (hsp__vec()->sqnorm_f64(u, (size_t)d) + own * own) / 2;
    if (p->penalty == HSP__PENALTY_L1) {
        judge_shrink(p, a, u);
        out->dual = hsp__judge_dual(ctx, p, a, u);
    }
    out->gap = hsp__judge_gap(out->primal, out->dual);
    return HSP_OK;
}

/* ---- KKT ------------------------------------------------------------------------------------- */

JUDGE_INLINE double judge_length(const hsp_view *view, uint64_t i)
{
    const hsp__row row = hsp__view_row(view, i);
    if (!row.values) return sqrt((double)row.count);
    if (hsp__products_narrow(view)) {
        double sum = 0;
        for (uint64_t k = 0; k < row.count; k++)
            sum += (double)((const float *)row.values)[k] * (double)((const float *)row.values)[k];
        return sqrt(sum);
    }
    return sqrt(view->precision == HSP_FLOAT32 ? hsp__vec()->sqnorm_f32f64(row.values, row.count)
                                               : hsp__vec()->sqnorm_f64(row.values, row.count));
}

/* ||u|| is nothing to measure by: where the best w is about 0, large a_i y_i x_i cancel in it, and
 * what is left of them is rounding. `size` is sum a_i ||x_i||. */
static double judge_stationarity(const hsp__problem *p, const double *w, const double *u,
                                 double size)
{
    const size_t d = (size_t)p->view->cols;
    double off = 0;
    if (p->penalty == HSP__PENALTY_L2) {
        size = fmax(size, sqrt(hsp__vec()->sqnorm_f64(w, d)));
        return size > 0 ? sqrt(hsp__vec()->sqdist_f64(w, u, d)) / size : 0;
    }
    for (size_t j = 0; j < d; j++)
        off = fmax(off, w[j] == 0 ? fabs(u[j]) - 1 : fabs(u[j] - (w[j] > 0 ? 1 : -1)));
    return off;
}

JUDGE_INLINE double judge_slack(hsp__loss loss, int hard, double m, double a, double c)
{
    if (hard) return m > 1 ? a * (m - 1) : 0;
    if (!(c > 0)) return 0;
    if (loss != HSP__LOSS_HINGE) return fabs(a / c - judge_pull(loss, m));
    return m > 1 ? a / c * (m - 1) : (1 - a / c) * (1 - m);
}

/* Where a row with a > 0 lies. The gap is a sum of terms that are not negative (problem.h), one a
 * row; of the hinge they are
 *
 *     a (m - 1) beyond the margin, which is 0 where a = 0;      (c - a)(1 - m) inside it, 0 at a =
 * c.
 *
 * So of the two factors, m - 1 and what a lacks of its bound relative to `scale` (the smaller of c
 * and the largest a), the smaller one is at most sqrt(gap P / scale): it is the one that an exact
 * solution would have at 0. A row is on the margin where that is m - 1, or where |m - 1| <= 1e-6.
 */
JUDGE_INLINE void judge_count(hsp__loss loss, int hard, double m, double a, double c, double most,
                              hsp__kkt *out)
{
    if (!(a > 0)) return;
    const double scale = hard ? most : fmin(c, most);
    const double lacks = m > 1                     ? a / scale
                         : hard                    ? HUGE_VAL
                         : loss == HSP__LOSS_HINGE ? (c - a) / scale
                                                   : 0;
    out->support++;
    if (fabs(m - 1) <= fmax(lacks, 1e-6))
        out->on++;
    else if (m < 0)
        out->wrong++;
    else if (m < 1)
        out->inside++;
}

typedef struct judge_rows {
    const hsp__problem *p;
    double b;
    const double *a, *scores;
    double most; /* the largest a */
    int lengths; /* of rows are wanted */
    uint64_t parts;
    struct {
        hsp__kkt kkt;
        double total, t; /* sum a, sum a y */
        double size;     /* sum a ||x|| */
    } sums[JUDGE_PARTS];
} judge_rows;

JUDGE_INLINE void judge_rows_some(judge_rows *work, uint64_t part, hsp__loss loss, int hard)
{
    const hsp__problem *p = work->p;
    const uint64_t to = hsp__part(p->view->rows, work->parts, part + 1);
    hsp__kkt kkt = {.least = HUGE_VAL};
    double total = 0, t = 0, size = 0;
    for (uint64_t i = hsp__part(p->view->rows, work->parts, part); i < to; i++) {
        const double c = hsp__problem_cost(p, i), y = hsp__problem_y(p, i), a = work->a[i];
        const double m = y * (work->scores[i] + work->b);
        const double over = fmax(-a, a - judge_box(p, i));
        if (over > 0) kkt.dual = fmax(kkt.dual, c > 0 ? over / c : over);
        if (hard) kkt.primal = fmax(kkt.primal, 1 - m);
        if (hard || c > 0) kkt.least = fmin(kkt.least, m);
        kkt.complementarity = fmax(kkt.complementarity, judge_slack(loss, hard, m, a, c));
        total += a;
        t += y * a;
        if (work->lengths && a > 0) size += a * judge_length(p->view, i);
        judge_count(loss, hard, m, a, c, work->most, &kkt);
    }
    work->sums[part].kkt = kkt;
    work->sums[part].total = total;
    work->sums[part].t = t;
    work->sums[part].size = size;
}

static void judge_rows_part(void *user, uint64_t part)
{
    judge_rows *work = user;
    if (work->p->hard)
        judge_rows_some(work, part, HSP__LOSS_HINGE, 1);
    else if (work->p->loss == HSP__LOSS_HINGE)
        judge_rows_some(work, part, HSP__LOSS_HINGE, 0);
    else if (work->p->loss == HSP__LOSS_SQUARED)
        judge_rows_some(work, part, HSP__LOSS_SQUARED, 0);
    else
        judge_rows_some(work, part, HSP__LOSS_LOGISTIC, 0);
}

/* sum a ||x|| comes back, or 0 when it is not wanted. */
static double judge_all_rows(hsp_context *ctx, judge_rows *work, hsp__kkt *out)
{
    const hsp__problem *p = work->p;
    double total = 0, t = 0, size = 0;
    *out = (hsp__kkt){.least = HUGE_VAL};
    work->parts = judge_parts(p);
    work->most = hsp__vec()->norminf_f64(work->a, (size_t)p->view->rows);
    hsp__tasks_run(ctx, work->parts, judge_rows_part, work);
    for (uint64_t part = 0; part < work->parts; part++) {
        const hsp__kkt *one = &work->sums[part].kkt;
        out->dual = fmax(out->dual, one->dual);
        out->primal = fmax(out->primal, one->primal);
        out->complementarity = fmax(out->complementarity, one->complementarity);
        out->least = fmin(out->least, one->least);
        out->support += one->support, out->on += one->on;
        out->inside += one->inside, out->wrong += one->wrong;
        total += work->sums[part].total, t += work->sums[part].t;
        size += work->sums[part].size;
    }
    if (p->offset == HSP__OFFSET_FREE && total > 0) out->dual = fmax(out->dual, fabs(t) / total);
    if (p->hard && total > 0) out->complementarity /= total;
    return size;
}

void hsp__judge_margin(double square, hsp__kkt *kkt)
{
    kkt->inverse_norm = 1 / sqrt(square);
    kkt->margin = square > 0 ? kkt->least / sqrt(square) : (double)NAN;
}

void hsp__judge_kkt_scores(hsp_context *ctx, const hsp__problem *p, double b, const double *a,
                           const double *scores, hsp__kkt *out)
{
    judge_rows work = {.p = p, .b = b, .a = a, .scores = scores};
    judge_all_rows(ctx, &work, out);
}

void hsp__judge_kkt(hsp_context *ctx, const hsp__problem *p, const double *w, double b,
                    const double *a, const double *u, const double *scores, hsp__kkt *out)
{
    judge_rows work = {.p = p, .b = b, .a = a, .scores = scores};
    work.lengths = p->penalty == HSP__PENALTY_L2;
    const double size = judge_all_rows(ctx, &work, out);
    out->stationarity = judge_stationarity(p, w, u, size);
    hsp__judge_margin(hsp__vec()->sqnorm_f64(w, (size_t)p->view->cols), out);
}
