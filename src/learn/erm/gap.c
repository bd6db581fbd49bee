#include "learn/erm/gap.h"

#include "base/base.h"
#include "base/paging.h"
#include "learn/erm/matvec.h"
#include "model/model.h"
#include "vec/vec.h"

enum { GAP_PARTS = 64, GAP_TICK = 64 }; /* rows between two ticks */

/* Parts that rows are cut into where each costs little: sums over parts are added in their order. Of rows
 * that are divided among ranks, parts are this rank's blocks.
 */
static uint64_t gap_parts(const hsp_context *ctx, const hsp__problem *p)
{
    if (ctx->shard) return ctx->shard->to - ctx->shard->from;
    const uint64_t parts = hsp__parts(p->view->rows, 64);
    return parts > GAP_PARTS ? GAP_PARTS : parts;
}

#define GAP_INLINE static inline __attribute__((always_inline))

/* What is summed up of the rows for one of the two values, or for KKT. */
typedef struct gap_sums {
    double loss;      /* sum c loss(m) */
    double growth;    /* sum c (loss(m - off) - loss(m)) */
    double off;       /* hard: the largest off */
    double conjugate; /* sum e(a) */
    double t;         /* sum a y */
    double total;     /* sum a */
    double reach;     /* sum a ||x|| */
    uint64_t rows;    /* how many there are */
} gap_sums;

/* A pass over the rows, in parts. */
typedef struct gap_work {
    hsp_context *ctx;
    int stops; /* may the context stop it? No: it is soon done */
    const hsp__problem *p;
    const double *w;           /* NULL: not known */
    double b, size;            /* size: ||w|| */
    const double *scores;      /* <w, x_i>; NULL: the losses are not wanted */
    const double *a;           /* NULL: the conjugates are not wanted */
    double *found, *u;         /* scores (or norms) and sum a y x are computed; NULL: not */
    double *more;              /* (parts - 1) * cols: what the other parts add to u */
    double *into[HSP__BLOCKS]; /* of a shard instead: where each block's share of u goes */
    double most;               /* the largest a */
    double *balance;           /* a that is made feasible, */
    double factor;             /* and multiplied by this in the class `heavy` */
    int heavy;
    uint64_t parts;
    const hsp__shard *shard; /* of gap_pass; NULL: the rows are all of them */
    void (*part)(void *, uint64_t);
    hsp_status status; /* of gap_pass */
    gap_sums sums[HSP__BLOCKS];
    hsp__kkt *kkt; /* parts */
} gap_work;

/* The rows of a part. */
static void gap_range(const gap_work *work, uint64_t part, uint64_t *from, uint64_t *to)
{
    const uint64_t rows = work->p->view->rows;
    if (work->shard) {
        hsp__shard_block(work->shard, work->shard->from + (uint32_t)part, from, to);
        return;
    }
    *from = hsp__part(rows, work->parts, part);
    *to = hsp__part(rows, work->parts, part + 1);
}

/* Before row i. */
static int gap_tick(const gap_work *work, uint64_t i)
{
    hsp__paging_row(&work->ctx->allocator, i);
    return work->stops && i % GAP_TICK == 0 && hsp__tick(work->ctx);
}

/* ---- Rounding -------------------------------------------------------------------------------- */

double hsp__gap_row_norm(const hsp_view *view, uint64_t i)
{
    assert(i < view->rows);
    const hsp__row row = hsp__view_row(view, i);
    if (!hsp__matvec_narrow(view)) return sqrt(hsp__matvec_sqnorm(view, &row));
    double sum = 0;
    for (uint64_t k = 0; k < row.count; k++)
        sum += (double)((const float *)row.values)[k] * (double)((const float *)row.values)[k];
    return sqrt(sum);
}

static void gap_norms_part(void *user, uint64_t part)
{
    const gap_work *work = user;
    const hsp_view *view = work->p->view;
    const uint64_t to = hsp__part(view->rows, work->parts, part + 1);
    for (uint64_t i = hsp__part(view->rows, work->parts, part); i < to; i++)
        work->found[i] = hsp__gap_row_norm(view, i);
}

void hsp__gap_norms(hsp_context *ctx, const hsp_view *view, double *norms)
{
    const hsp__problem p = {.view = view};
    const uint64_t each = view->rows ? hsp_view_stored(view) / view->rows * sizeof(double) : 0;
    gap_work work = {.p = &p, .parts = hsp__parts(view->rows, 16 + each), .found = norms};
    hsp__tasks_run(ctx, work.parts, gap_norms_part, &work);
}

static double gap_norm(const hsp__problem *p, uint64_t i)
{
    return p->norms ? p->norms[i] : hsp__gap_row_norm(p->view, i);
}

/* How far the margin of row i, computed as y (s + b), may be from what it is; `size` is ||w||. */
GAP_INLINE double gap_margin_error(const hsp__problem *p, uint64_t i, double size, double s,
                                   double b)
{
    const double sum =
        s != 0 && b != 0 ? hsp__gap_gamma(0) * fabs(s + b) : 0; /* else it is exact */
    return hsp__gap_gamma(hsp__view_row(p->view, i).count) * size * gap_norm(p, i) + sum;
}

/* (high, low) += x y, with the errors of both operations (T. Ogita, S. Rump, S. Oishi, Accurate sum
 * and dot product, SIAM J. Sci. Comput. 26, 2005). */
GAP_INLINE void gap_add_product(double *high, double *low, double x, double y)
{
    const double product = x * y, sum = *high + product, back = sum - *high;
    *low += ((*high - (sum - back)) + (product - back)) + fma(x, y, -product);
    *high = sum;
}

/* 1 - m once more, in twice the digits, for a row so near to the kink of its loss that the first
 * one says little: products and sums with their errors (T. Ogita, S. Rump, S. Oishi, Accurate sum
 * and dot product, 2005). *off becomes its error. */
static double gap_precise_slack(const hsp__problem *p, uint64_t i, const double *w, double size,
                                double b, double *off)
{
    const hsp_view *view = p->view;
    const hsp__row row = hsp__view_row(view, i);
    const double gamma = hsp__gap_gamma(row.count);
    double high = b, low = 0;
    for (uint64_t k = 0; k < row.count; k++) {
        gap_add_product(&high, &low, hsp__row_value(view, &row, k), w[hsp__row_column(&row, k)]);
    }
    const double reach = size * gap_norm(p, i);
    *off = reach > 0 ? gamma * gamma * (reach + fabs(b)) : 0;
    return hsp__problem_positive(p, i) ? (1 - high) - low : (1 + high) + low;
}

/* What a block of a shard adds to the sums over all ranks' rows: loss, growth, conjugate, t, total,
 * reach, and its share of u. */
enum { GAP_NUMBERS = 6 };

static void gap_pass_block(void *user, uint32_t block, uint64_t from, uint64_t to, double *sum)
{
    gap_work *work = user;
    const uint64_t part = block - work->shard->from;
    const gap_sums *one = &work->sums[part];
    (void)from, (void)to;
    work->into[part] = sum + GAP_NUMBERS;
    work->part(work, part);
    const double numbers[GAP_NUMBERS] = {one->loss, one->growth, one->conjugate,
                                         one->t,    one->total,  one->reach};
    memcpy(sum, numbers, sizeof numbers);
}

/* Where there are no sums for want of memory, they are NaN, and work->status says so. */
static gap_sums gap_pass_shard(hsp_context *ctx, gap_work *work, void (*part)(void *, uint64_t))
{
    const double none = (double)NAN;
    double few[GAP_NUMBERS] = {none, none, none, none, none, none};
    double *sums = work->u ? work->more : few;
    const uint64_t cols = work->u ? work->p->view->cols : 0;
    work->shard = ctx->shard;
    work->part = part;
    work->status = hsp__shard_sum(ctx, GAP_NUMBERS + cols, gap_pass_block, work, NULL, sums);
    if (!work->status && work->u) {
        memcpy(few, sums, sizeof few);
        memcpy(work->u, sums + GAP_NUMBERS, cols * sizeof *sums);
    }
    return (gap_sums){.loss = few[0],
                      .growth = few[1],
                      .conjugate = few[2],
                      .t = few[3],
                      .total = few[4],
                      .reach = few[5],
                      .rows = ctx->shard->rows};
}

/* Run a pass and add up its sums. */
static gap_sums gap_pass(hsp_context *ctx, gap_work *work, void (*part)(void *, uint64_t))
{
    if (ctx->shard) return gap_pass_shard(ctx, work, part);
    gap_sums all = {.rows = work->p->view->rows};
    hsp__tasks_run(ctx, work->parts, part, work);
    for (uint64_t k = 0; k < work->parts; k++) {
        const gap_sums *one = &work->sums[k];
        all.loss += one->loss, all.growth += one->growth, all.off = fmax(all.off, one->off);
        all.conjugate += one->conjugate, all.t += one->t, all.total += one->total;
        all.reach += one->reach;
    }
    return all;
}

/* Rows whose distance from the margin is not known to six digits are worth a second look. */
static const double gap_near = 1e6;

/* The rows' part of the primal; `size` is ||w||. */
GAP_INLINE void gap_sum_loss(const hsp__problem *p, hsp__loss_form form, const hsp__loss *loss,
                             uint64_t i, const double *w, double size, double s, double b,
                             gap_sums *sums)
{
    const double m = hsp__problem_y(p, i) * (s + b);
    double z = 1 - m, off = gap_margin_error(p, i, size, s, b);
    if (form == HSP__HARD_MARGIN) {
        if (!(z <= 0)) sums->loss = HUGE_VAL;
        sums->off = fmax(sums->off, off);
        return;
    }
    if (loss->zero_beyond_margin && fabs(z) <= gap_near * off)
        z = gap_precise_slack(p, i, w, size, b, &off);
    const double c = hsp__problem_cost(p, i), value = loss->value(m, z);
    sums->loss += c * value;
    sums->growth += c * hsp__loss_growth(loss, z, value, off);
}

static double gap_penalty(const hsp__problem *p, const double *w, double b)
{
    const hsp__vec_table *vec = hsp__vec();
    const size_t d = (size_t)p->view->cols;
    const double own = p->offset == HSP__OFFSET_REGULARIZED ? b : 0;
    if (p->penalty == HSP__PENALTY_L1) return vec->norm1_f64(w, d) + fabs(own);
    return (vec->sqnorm_f64(w, d) + own * own) / 2;
}

/* P, rounded up; *rounding: by how much. Hard: a w all of whose margins are at least 1 - off is at
 * most 1 / (1 - off) too short. */
static double gap_above(const hsp__problem *p, double penalty, const gap_sums *sums,
                        double *rounding)
{
    assert(!(penalty < 0) && !(sums->loss < 0) && !(sums->growth < 0) && !(sums->off < 0));
    *rounding = 0;
    if (isinf(penalty)) return HUGE_VAL; /* a w that overflows: what is off cannot be told */
    *rounding = hsp__gap_gamma(p->view->cols) * penalty + hsp__gap_gamma(sums->rows) * sums->loss +
                sums->growth;
    if (p->hard) *rounding += sums->off <= 0.1 ? 4 * sums->off * penalty : HUGE_VAL;
    return penalty + sums->loss + *rounding;
}

/* How far the sums of the dual are from those of a feasible a. */
typedef struct gap_errors {
    double gain;  /* of sum e(a) */
    double reach; /* of u, as a length */
} gap_errors;

/* The sum of the |terms| of sum e(a). */
static double gap_terms(const hsp__problem *p, const gap_sums *sums)
{
    if (!hsp__problem_loss(p)->conjugate_is_difference) return sums->conjugate;
    return sums->total + fabs(sums->total - sums->conjugate);
}

static gap_errors gap_coarse(const hsp__problem *p, const gap_sums *sums)
{
    assert(!(sums->total < 0) && !(sums->reach < 0));
    const double gamma = hsp__gap_gamma(sums->rows), terms = gap_terms(p, sums);
    double share = gamma;
    if (p->offset == HSP__OFFSET_FREE && sums->total > 0) /* and the heavier class scaled by this */
        share += 2 * (fabs(sums->t) / sums->total + gamma);
    const double own = p->offset == HSP__OFFSET_REGULARIZED ? gamma * sums->total : 0;
    return (gap_errors){share * terms, share * sums->reach + own};
}

/* D, rounded down, for the ||u||^2 that was computed (l1: |u_j| <= 1); *rounding: by how much. */
static double gap_below(const hsp__problem *p, const gap_sums *sums, double square,
                        const gap_errors *errors, double *rounding)
{
    assert(!(square < 0) && !(errors->reach < 0));
    const double own = p->offset == HSP__OFFSET_REGULARIZED ? sums->t : 0;
    const double all = square + own * own, reach = errors->reach;
    *rounding = errors->gain;
    if (p->penalty == HSP__PENALTY_L1) { /* D(a / (1 + reach)) >= D(a) / (1 + reach) */
        *rounding += reach * fabs(sums->conjugate);
        return sums->conjugate - *rounding;
    }
    *rounding += hsp__gap_gamma(p->view->cols) * all + reach * (sqrt(all) + reach);
    return sums->conjugate - all / 2 - *rounding;
}

/* ---- The best offset for given scores -------------------------------------------------------- */

/* The smallest at[i] up to which the costs add up to `level`, or with `above` to more than that:
 * selection by halves around a pivot, which reorders both arrays. */
static double gap_quantile(hsp_context *ctx, double *at, double *cost, uint64_t n, double level,
                           int above)
{
    uint64_t from = 0, to = n;
    double before = 0; /* cost of what lies below `from` */
    assert(n > 0);
    for (;;) {
        const double pivot = at[from + (to - from) / 2];
        if (isnan(pivot) || hsp__tick(ctx)) return pivot; /* it is in no order with the others */
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

#define GAP_SAME \
    1e-13 /* sums of costs that differ by less, relative to their total, are the same */

/* The slope of sum c hinge over b starts at minus the cost of the positive rows and rises by c_i at
 * b = y_i - s_i: the best b is a quantile of those, and where the slope is 0 for a while, the
 * middle of that while. */
static hsp_status gap_offset_hinge(hsp_context *ctx, const hsp__problem *p, const double *scores,
                                   hsp_error *err, double *b)
{
    const uint64_t n = p->view->rows;
    hsp__scratch scratch = {.memory = &ctx->allocator};
    double *at = hsp__scratch_raw(&scratch, n, sizeof *at);
    double *cost = hsp__scratch_raw(&scratch, n, sizeof *cost);
    hsp_status status = scratch.failed ? hsp__fail_memory(err) : HSP_OK;
    uint64_t count = 0;
    double level = 0, total = 0;
    for (uint64_t i = 0; !status && i < n; i++) {
        const double c = hsp__problem_cost(p, i), y = hsp__problem_y(p, i);
        if (i % GAP_TICK == 0 && hsp__tick(ctx)) status = hsp__stop_status(ctx, err);
        if (!(c > 0)) continue;
        at[count] = y - scores[i];
        cost[count++] = c;
        total += c;
        if (y > 0) level += c;
    }
    if (!status && count) {
        /* sums of costs in another order differ by rounding, which must not end that while */
        const double slack = GAP_SAME * total;
        const double first = gap_quantile(ctx, at, cost, count, level - slack, 0);
        const double last = gap_quantile(ctx, at, cost, count, level + slack, 1);
        status = hsp__stop_status(ctx, err);
        if (!status) *b = (first + last) / 2;
    }
    hsp__scratch_free(&scratch);
    return status;
}

/* The same of rows that are divided among ranks: the breakpoints y - s are counted in bins between two that
 * the answer is known to lie between, until those are the same but for rounding. */
enum { GAP_BINS = 64, GAP_ROUNDS = 9 };

typedef struct gap_bins {
    const hsp__problem *p;
    const double *scores;
    double low, width; /* bin k is of low + k width and what follows; the last, of all beyond */
} gap_bins;

static void gap_bins_block(void *user, uint32_t block, uint64_t from, uint64_t to, double *sum)
{
    const gap_bins *bins = user;
    (void)block;
    for (uint64_t i = from; i < to; i++) {
        const double c = hsp__problem_cost(bins->p, i), y = hsp__problem_y(bins->p, i);
        const double at = floor((y - bins->scores[i] - bins->low) / bins->width) + 1;
        sum[at > 0 ? at < GAP_BINS + 1 ? (int)at : GAP_BINS + 1 : 0] += c;
        if (y > 0) sum[GAP_BINS + 2] += c;
    }
}

static hsp_status gap_offset_shard(hsp_context *ctx, gap_work *work, hsp_error *err, double *b)
{
    const hsp__problem *p = work->p;
    double most = 0, cost[GAP_BINS + 3];
    for (uint64_t i = 0; i < p->view->rows; i++)
        most = fmax(most, fabs(work->scores[i]));
    hsp__shard_max(ctx, &most, 1);
    gap_bins bins = {.p = p, .scores = work->scores, .low = -most - 1};
    bins.width = 2 * (most + 1) / GAP_BINS;
    for (int round = 0; isfinite(most) && round < GAP_ROUNDS; round++) {
        HSP__TRY(hsp__shard_sum(ctx, GAP_BINS + 3, gap_bins_block, &bins, err, cost));
        double below = cost[0];
        int k = 0;
        while (k + 1 < GAP_BINS && below + cost[k + 1] < cost[GAP_BINS + 2])
            below += cost[++k];
        bins.low += k * bins.width;
        bins.width /= GAP_BINS;
    }
    *b = bins.low + bins.width * GAP_BINS / 2;
    return HSP_OK;
}

#define GAP_STEPS 60

/* The slope and the curvature over b, of rows from .. to - 1. */
GAP_INLINE void gap_slope_rows(hsp__loss_form form, const hsp__loss *loss, gap_work *work,
                               uint64_t from, uint64_t to, double sum[2])
{
    const hsp__problem *p = work->p;
    double slope = 0, curvature = 0;
    (void)form;
    for (uint64_t i = from; i < to; i++) {
        if (i % GAP_TICK == 0 && hsp__tick(work->ctx)) break;
        const double y = hsp__problem_y(p, i), c = hsp__problem_cost(p, i);
        const double s = loss->neg_gradient(y * (work->scores[i] + work->b));
        slope -= c * y * s;
        curvature += loss->curvature(s, c);
    }
    sum[0] = slope, sum[1] = curvature;
}

static void gap_slope_block(void *user, uint32_t block, uint64_t from, uint64_t to, double *sum)
{
    gap_work *work = user;
    (void)block;
    HSP__BY_LOSS(hsp__problem_loss(work->p), gap_slope_rows, work, from, to, sum)
}

/* Newton's steps on sum c loss(y (s + b)) over b, kept between the nearest b known to be too low
 * and too high. */
static hsp_status gap_offset_smooth(hsp_context *ctx, gap_work *work, hsp_error *err)
{
    double low = -HUGE_VAL, high = HUGE_VAL, sum[2];
    for (int step = 0; step < GAP_STEPS; step++) {
        const double b = work->b;
        if (ctx->shard)
            HSP__TRY(hsp__shard_sum(ctx, 2, gap_slope_block, work, err, sum));
        else
            gap_slope_block(work, 0, 0, work->p->view->rows, sum);
        const double slope = sum[0], curvature = sum[1];
        if (slope == 0 || hsp__stopped(ctx)) break;
        if (slope < 0)
            low = b;
        else
            high = b;
        double next = curvature > 0 ? b - slope / curvature : slope < 0 ? b + 1 : b - 1;
        if (!(next > low && next < high)) next = (low + high) / 2;
        if (!isfinite(next) || fabs(next - b) <= 1e-15 * fabs(b)) break;
        work->b = next;
    }
    return hsp__stop_status(ctx, err);
}

hsp_status hsp__gap_offset(hsp_context *ctx, const hsp__problem *p, const double *scores,
                           hsp_error *err, double *b)
{
    if (p->offset != HSP__OFFSET_FREE) return HSP_OK;
    if (p->hard) {
        double least = -HUGE_VAL, most = HUGE_VAL;
        for (uint64_t i = 0; i < p->view->rows; i++) {
            if (hsp__problem_positive(p, i))
                least = fmax(least, 1 - scores[i]);
            else
                most = fmin(most, -1 - scores[i]);
        }
        const double middle = least / 2 + most / 2;
        if (isfinite(middle)) *b = middle;
        return HSP_OK;
    }
    gap_work work = {.ctx = ctx, .stops = 1, .p = p, .scores = scores, .b = *b};
    if (!hsp__loss_is_smooth(p->loss))
        return ctx->shard ? gap_offset_shard(ctx, &work, err, b)
                          : gap_offset_hinge(ctx, p, scores, err, b);
    const hsp_status status = gap_offset_smooth(ctx, &work, err);
    *b = work.b;
    return status;
}

/* ---- Primal ---------------------------------------------------------------------------------- */

/* One look at each row gives its score, its share of u, and what it adds to both values, as far as
 * they are wanted. The loss is a constant here, so that the loop has it but once. */
GAP_INLINE void gap_sum_rows(hsp__loss_form form, const hsp__loss *loss, gap_work *work,
                             uint64_t part)
{
    const hsp__problem *p = work->p;
    const hsp_view *view = p->view;
    const int narrow = hsp__matvec_narrow(view);
    double *u = part && work->u ? work->more + (part - 1) * view->cols : work->u;
    uint64_t from, to;
    gap_range(work, part, &from, &to);
    if (work->u && work->shard) u = work->into[part];
    double *found = work->found;
    const double *scores = work->scores, *all = work->a;
    gap_sums sums = {0};
    if (u) memset(u, 0, view->cols * sizeof *u);
    if (found && narrow)
        hsp__matvec_narrow_scores(work->ctx, view, work->w, 0, from, to - from, found + from);
    for (uint64_t i = from; i < to; i++) {
        if (gap_tick(work, i)) break;
        if (found && !narrow) found[i] = hsp__row_score(view, i, work->w, 0);
        if (scores) gap_sum_loss(p, form, loss, i, work->w, work->size, scores[i], work->b, &sums);
        const double a = all ? all[i] : 0;
        if (a == 0) continue;
        sums.conjugate += loss->conjugate(a, hsp__problem_cost(p, i));
        sums.t += hsp__problem_y(p, i) * a;
        sums.total += a;
        sums.reach += a * gap_norm(p, i);
        if (u) hsp__matvec_add_row(view, i, hsp__problem_y(p, i) * a, u);
    }
    work->sums[part] = sums;
}

static void gap_sum_part(void *user, uint64_t part)
{
    gap_work *work = user;
    HSP__BY_LOSS(hsp__problem_loss(work->p), gap_sum_rows, work, part)
}

double hsp__gap_primal(hsp_context *ctx, const hsp__problem *p, const double *w, double b,
                       const double *scores, double *rounding)
{
    double own;
    gap_work work = {.ctx = ctx, .stops = 1, .p = p, .w = w, .scores = scores, .b = b};
    work.parts = gap_parts(ctx, p);
    work.size = sqrt(hsp__vec()->sqnorm_f64(w, (size_t)p->view->cols));
    const gap_sums sums = gap_pass(ctx, &work, gap_sum_part);
    if (hsp__stopped(ctx)) return (double)NAN;
    return gap_above(p, gap_penalty(p, w, b), &sums, rounding ? rounding : &own);
}

/* ---- Dual ------------------------------------------------------------------------------------ */

/* The most that a_i may be; infinite: anything. */
static double gap_box(const hsp__problem *p, uint64_t i)
{
    return p->hard ? HUGE_VAL : hsp__loss_cap(p->loss, hsp__problem_cost(p, i));
}

static void gap_balance_part(void *user, uint64_t part)
{
    gap_work *work = user;
    const hsp__problem *p = work->p;
    double *a = work->balance, sum[2] = {0, 0};
    uint64_t from, to;
    gap_range(work, part, &from, &to);
    for (uint64_t i = from; i < to; i++) {
        double next = a[i] > 0 ? fmin(a[i], gap_box(p, i)) : 0;
        if (isinf(next)) next = 0;
        if (hsp__problem_positive(p, i) == work->heavy) next *= work->factor;
        if (next != a[i]) a[i] = next;
        sum[hsp__problem_positive(p, i)] += next;
    }
    work->sums[part] = (gap_sums){.t = sum[1], .total = sum[0]};
}

void hsp__gap_balance(hsp_context *ctx, const hsp__problem *p, double *a)
{
    gap_work work = {.ctx = ctx, .p = p, .parts = gap_parts(ctx, p), .balance = a, .factor = 1};
    const gap_sums sums = gap_pass(ctx, &work, gap_balance_part);
    const double negative = sums.total, positive = sums.t;
    if (p->offset != HSP__OFFSET_FREE || negative == positive) return;
    work.heavy = positive > negative;
    work.factor = work.heavy ? negative / positive : positive / negative;
    assert(!(work.factor < 0) && !(work.factor > 1));
    gap_pass(ctx, &work, gap_balance_part);
}

double hsp__gap_dual(hsp_context *ctx, const hsp__problem *p, const double *a, const double *u,
                     double *rounding)
{
    gap_work work = {.ctx = ctx, .p = p, .parts = gap_parts(ctx, p), .a = a};
    const gap_sums sums = gap_pass(ctx, &work, gap_sum_part);
    if (!u) return sums.conjugate;
    const gap_errors errors = gap_coarse(p, &sums);
    const double square = hsp__vec()->sqnorm_f64(u, (size_t)p->view->cols);
    double own;
    return gap_below(p, &sums, square, &errors, rounding ? rounding : &own);
}

/* ---- The dual in twice the digits ------------------------------------------------------------ */

/* u = sum a y x and t = sum a y once more, where rounding in them is what the gap is made of.
 * Offset free: t need not be 0 yet; the row of the heavier class that loses least by it takes it
 * upon itself. `low` is room for d numbers. */
static gap_errors gap_precise(hsp_context *ctx, const hsp__problem *p, const double *a, double *u,
                              double *low, gap_sums *sums)
{
    const hsp_view *view = p->view;
    const double gamma = hsp__gap_gamma(view->rows);
    double t = 0, rest = 0, norm = HUGE_VAL, share = 1;
    memset(u, 0, view->cols * sizeof *u);
    memset(low, 0, view->cols * sizeof *low);
    for (uint64_t i = 0; i < view->rows; i++) {
        const double pull = hsp__problem_y(p, i) * a[i];
        const hsp__row row = hsp__view_row(view, i);
        hsp__paging_row(&ctx->allocator, i);
        if (i % GAP_TICK == 0 && hsp__tick(ctx)) break;
        if (pull == 0) continue;
        gap_add_product(&t, &rest, pull, 1);
        for (uint64_t k = 0; k < row.count; k++) {
            const uint64_t j = hsp__row_column(&row, k);
            gap_add_product(&u[j], &low[j], pull, hsp__row_value(view, &row, k));
        }
    }
    for (uint64_t j = 0; j < view->cols; j++)
        u[j] += low[j];
    sums->t = t + rest;
    const double size = sqrt(hsp__vec()->sqnorm_f64(u, (size_t)view->cols));
    gap_errors errors = {gamma * gap_terms(p, sums),
                         gamma * gamma * sums->reach + hsp__gap_gamma(0) * size};
    if (p->offset == HSP__OFFSET_REGULARIZED)
        errors.reach += hsp__gap_gamma(0) * fabs(sums->t) + gamma * gamma * sums->total;
    if (p->offset != HSP__OFFSET_FREE || sums->t == 0) return errors;
    const double off = fabs(sums->t) * (1 + 1e-9) + gamma * gamma * sums->total;
    for (uint64_t i = 0; i < view->rows; i++) {
        if (i % GAP_TICK == 0 && hsp__tick(ctx)) break;
        if (hsp__problem_positive(p, i) != (sums->t > 0) || !(a[i] > off)) continue;
        if (gap_norm(p, i) >= norm) continue;
        norm = gap_norm(p, i);
        share = fabs(hsp__problem_loss(p)->conjugate(a[i], hsp__problem_cost(p, i))) / a[i];
    }
    errors.gain += off * fmax(share, 1);
    errors.reach += off * norm;
    return errors;
}

/* ---- All of it ------------------------------------------------------------------------------- */

/* Values that are no numbers (a w that overflows) must not look like the best there is. */
double hsp__gap_relative(double primal, double dual)
{
    if (!isfinite(primal) || isnan(dual)) return 1;
    return primal > dual && primal > 0 ? (primal - dual) / primal : 0;
}

int hsp__gap_keep(const hsp__solution *s, double primal, double dual)
{
    const int both = HSP__KEEP_PRIMAL | HSP__KEEP_DUAL;
    const double gap = hsp__gap_relative(primal, dual);
    if (gap <= 0.5) return gap < s->gap ? both : 0;
    if (s->gap <= 0.5) return 0;
    return (primal < s->primal || (isnan(s->primal) && !isnan(primal)) ? HSP__KEEP_PRIMAL : 0) |
           (dual > s->dual_value || (isnan(s->dual_value) && !isnan(dual)) ? HSP__KEEP_DUAL : 0);
}

void hsp__solution_begin(hsp__solution *s)
{
    s->passes = s->updates = s->slow = 0;
    s->known = 0;
    s->primal = s->gap = HUGE_VAL;
    s->dual_value = -HUGE_VAL;
}

void hsp__solution_keep(const hsp__problem *p, const double *w, double b, const double *a,
                        double primal, double dual, hsp__solution *s)
{
    assert(s->w != w && s->dual != a);
    const int keep = hsp__gap_keep(s, primal, dual);
    if (keep & HSP__KEEP_PRIMAL) {
        memcpy(s->w, w, p->view->cols * sizeof *w);
        s->b = b, s->primal = primal;
    }
    if (keep & HSP__KEEP_DUAL) {
        memcpy(s->dual, a, p->view->rows * sizeof *a);
        s->dual_value = dual;
    }
    if (keep) s->gap = hsp__gap_relative(s->primal, s->dual_value);
}

void hsp__solution_unknown(const hsp__problem *p, hsp__solution *s)
{
    memset(s->dual, 0, p->view->rows * sizeof *s->dual);
    s->primal = s->gap = (double)NAN;
    s->dual_value = 0;
}

/* Rounding that is more than this share of the gap, and of the primal, is worth a second look. */
static const double gap_much_rounding = 1.0 / 16, gap_least_rounding = 1e-13;

hsp_status hsp__gap(hsp_context *ctx, const hsp__problem *p, const double *w, double b, double *a,
                    double *u, double *scores, hsp_error *err, hsp__gap_values *out)
{
    return hsp__gap_with(ctx, p, w, b, a, 0, u, scores, err, out);
}

hsp_status hsp__gap_with(hsp_context *ctx, const hsp__problem *p, const double *w, double b,
                         double *a, int known, double *u, double *scores, hsp_error *err,
                         hsp__gap_values *out)
{
    const uint64_t n = p->view->rows, d = p->view->cols;
    const size_t cols = (size_t)d;
    const int has_u = (known & HSP__GAP_W_IS_U) != 0;
    gap_work work = {.ctx = ctx, .stops = 1, .p = p, .w = w, .a = a, .b = b, .scores = scores};
    work.u = has_u ? NULL : u;
    work.found = known & HSP__GAP_SCORES ? NULL : scores;
    double up, down = 0;
    assert(!has_u || (p->offset != HSP__OFFSET_FREE && p->penalty == HSP__PENALTY_L2));
    assert(p->view->labels && (p->hard || p->loss));
    work.size = sqrt(hsp__vec()->sqnorm_f64(w, cols));
    work.parts = n ? hsp__matvec_parts(p->view) : 1;
    work.more =
        hsp__new_raw(&ctx->allocator, (work.parts > 1 ? work.parts - 1 : 1) * d + GAP_NUMBERS,
                     sizeof *work.more);
    const hsp_status room = hsp__shard_agree(ctx, work.more ? HSP_OK : hsp__fail_memory(err), err);
    if (room) {
        hsp__free(&ctx->allocator, work.more);
        return room;
    }
    hsp__gap_balance(ctx, p, a);
    gap_sums sums = gap_pass(ctx, &work, gap_sum_part);
    for (uint64_t part = 1; !has_u && !ctx->shard && part < work.parts; part++)
        hsp__vec()->axpy_f64(1, work.more + (part - 1) * d, u, cols);
    if (has_u) memcpy(u, w, cols * sizeof *u);
    if (hsp__stopped(ctx)) {
        hsp__free(&ctx->allocator, work.more);
        return hsp__stop_status(ctx, err);
    }
    if (work.status) {
        hsp__free(&ctx->allocator, work.more);
        return hsp__fail_memory(err);
    }
    out->primal = gap_above(p, gap_penalty(p, w, b), &sums, &up);
    if (p->penalty == HSP__PENALTY_L1) { /* scale a, and u with it, until no |u_j| is above 1 */
        double most = hsp__vec()->norminf_f64(u, cols), t = 0;
        for (uint64_t i = 0; i < n; i++)
            t += hsp__problem_y(p, i) * a[i];
        if (p->offset == HSP__OFFSET_REGULARIZED) most = fmax(most, fabs(t));
        for (uint64_t i = 0; most > 1 && i < n; i++)
            a[i] /= most;
        for (uint64_t j = 0; most > 1 && j < d; j++)
            u[j] /= most;
        out->dual = hsp__gap_dual(ctx, p, a, u, &down);
    } else {
        gap_errors errors = gap_coarse(p, &sums);
        out->dual = gap_below(p, &sums, hsp__vec()->sqnorm_f64(u, cols), &errors, &down);
        if (!ctx->shard && down > gap_much_rounding * (out->primal - out->dual) &&
            down > gap_least_rounding * out->primal) {
            errors = gap_precise(ctx, p, a, u, work.more, &sums);
            out->dual = gap_below(p, &sums, hsp__vec()->sqnorm_f64(u, cols), &errors, &down);
        }
    }
    hsp__free(&ctx->allocator, work.more);
    /* weak duality: both are bounds, and a is feasible (but for sums that a stop cut short) */
    assert(hsp__stopped(ctx) || !(out->dual > out->primal * (1 + 1e-9) + 1e-290));
    out->gap = hsp__gap_relative(out->primal, out->dual);
    out->rounding = isfinite(out->primal) && out->primal > 0 ? (up + down) / out->primal : 0;
    return hsp__stop_status(ctx, err);
}

/* ---- KKT ------------------------------------------------------------------------------------- */

/* Where a row with a > 0 lies. The gap is a sum of terms that are not negative (problem.h), one a
 * row; of the hinge they are
 *
 *     a (m - 1) beyond the margin, which is 0 where a = 0;
 *     (c - a)(1 - m) inside it, 0 at a = c.
 *
 * So of the two factors, m - 1 and what a lacks of its bound relative to `scale` (the smaller of c
 * and the largest a), the smaller one is at most sqrt(gap P / scale): it is the one that an exact
 * solution would have at 0. A row is on the margin where that is m - 1, or where |m - 1| <= 1e-6.
 */
GAP_INLINE void gap_kkt_rows(hsp__loss_form form, const hsp__loss *loss, gap_work *work,
                             uint64_t part)
{
    const int hard = form == HSP__HARD_MARGIN, hinge = form == HSP__HINGE;
    const hsp__problem *p = work->p;
    hsp__kkt kkt = {.least = HUGE_VAL};
    gap_sums sums = {0};
    uint64_t from, to;
    gap_range(work, part, &from, &to);
    for (uint64_t i = from; i < to; i++) {
        const double c = hsp__problem_cost(p, i), y = hsp__problem_y(p, i), a = work->a[i];
        if (gap_tick(work, i)) break;
        double m = y * (work->scores[i] + work->b), wrong = 0;
        if (work->w && !hard) { /* a second look where the first says little */
            double off = gap_margin_error(p, i, work->size, work->scores[i], work->b);
            if (fabs(1 - m) <= gap_near * off)
                m = 1 - gap_precise_slack(p, i, work->w, work->size, work->b, &off);
        }
        const double over = fmax(-a, a - gap_box(p, i));
        if (over > 0) kkt.dual = fmax(kkt.dual, c > 0 ? over / c : over);
        if (hard) kkt.primal = fmax(kkt.primal, 1 - m);
        if (hard || c > 0) kkt.least = fmin(kkt.least, m);
        if (hard)
            wrong = m > 1 ? a * (m - 1) : 0;
        else if (c > 0 && hinge)
            wrong = m > 1 ? a / c * (m - 1) : (1 - a / c) * (1 - m);
        else if (c > 0)
            wrong = fabs(a / c - loss->neg_gradient(m));
        kkt.complementarity = fmax(kkt.complementarity, wrong);
        sums.total += a;
        sums.t += y * a;
        if (!(a > 0)) continue;
        if (work->w && p->penalty == HSP__PENALTY_L2) sums.reach += a * gap_norm(p, i);
        const double scale = hard ? work->most : fmin(c, work->most);
        const double lacks = m > 1 ? a / scale : hard ? HUGE_VAL : hinge ? (c - a) / scale : 0;
        kkt.support++;
        if (fabs(m - 1) <= fmax(lacks, 1e-6))
            kkt.on++;
        else if (m < 0)
            kkt.wrong++;
        else if (m < 1)
            kkt.inside++;
    }
    work->kkt[part] = kkt;
    work->sums[part] = sums;
}

static void gap_kkt_part(void *user, uint64_t part)
{
    gap_work *work = user;
    HSP__BY_LOSS(hsp__problem_loss(work->p), gap_kkt_rows, work, part)
}

double hsp__gap_length(const double *x, size_t n)
{
    const double square = hsp__vec()->sqnorm_f64(x, n), most = hsp__vec()->norminf_f64(x, n);
    if ((square > 1e-290 && isfinite(square)) || !(most > 0)) return sqrt(square);
    double sum = 0;
    for (size_t j = 0; j < n; j++)
        sum += x[j] / most * (x[j] / most);
    return most * sqrt(sum);
}

void hsp__gap_margin(double norm, hsp__kkt *kkt)
{
    kkt->inverse_norm = 1 / norm;
    kkt->margin = kkt->least / norm;
    if (!isfinite(kkt->margin)) kkt->margin = (double)NAN;
}

void hsp__gap_kkt(hsp_context *ctx, const hsp__problem *p, const double *w, double b,
                  const double *a, const double *u, const double *scores, hsp__kkt *out)
{
    const size_t d = (size_t)p->view->cols;
    gap_work work = {.ctx = ctx, .stops = w != NULL, .p = p, .w = w, .b = b};
    work.size = w ? hsp__gap_length(w, d) : 0;
    work.a = a, work.scores = scores;
    work.parts = gap_parts(ctx, p);
    work.most = hsp__vec()->norminf_f64(a, (size_t)p->view->rows);
    hsp__shard_max(ctx, &work.most, 1);
    hsp__kkt parts[HSP__BLOCKS];
    for (uint64_t part = 0; part < work.parts; part++)
        parts[part] = (hsp__kkt){.least = HUGE_VAL}; /* a block may have no rows */
    work.kkt = parts;
    const gap_sums sums = gap_pass(ctx, &work, gap_kkt_part);
    *out = (hsp__kkt){.least = HUGE_VAL};
    for (uint64_t part = 0; part < work.parts; part++) {
        const hsp__kkt *one = &parts[part];
        out->dual = fmax(out->dual, one->dual);
        out->primal = fmax(out->primal, one->primal);
        out->complementarity = fmax(out->complementarity, one->complementarity);
        out->least = fmin(out->least, one->least);
        out->support += one->support, out->on += one->on;
        out->inside += one->inside, out->wrong += one->wrong;
    }
    double most[] = {out->dual, out->primal, out->complementarity};
    uint64_t counts[] = {out->support, out->on, out->inside, out->wrong};
    hsp__shard_max(ctx, most, 3);
    hsp__shard_min(ctx, &out->least, 1);
    hsp__shard_add(ctx, counts, 4);
    out->dual = most[0], out->primal = most[1], out->complementarity = most[2];
    out->support = counts[0], out->on = counts[1], out->inside = counts[2], out->wrong = counts[3];
    assert(out->on + out->inside + out->wrong <= out->support && out->support <= sums.rows);
    if (p->offset == HSP__OFFSET_FREE && sums.total > 0)
        out->dual = fmax(out->dual, fabs(sums.t) / sums.total);
    if (p->hard && sums.total > 0) out->complementarity /= sums.total;
    if (!w) return;
    hsp__gap_margin(work.size, out);
    /* ||u|| is nothing to measure by: where the best w is about 0, large a_i y_i x_i cancel in it,
     * and what is left of them is rounding. */
    const double size = fmax(sums.reach, work.size);
    if (p->penalty == HSP__PENALTY_L2 && size > 0)
        out->stationarity = sqrt(hsp__vec()->sqdist_f64(w, u, d)) / size;
    for (size_t j = 0; p->penalty == HSP__PENALTY_L1 && j < d; j++) {
        const double off = w[j] == 0 ? fabs(u[j]) - 1 : fabs(u[j] - (w[j] > 0 ? 1 : -1));
        out->stationarity = fmax(out->stationarity, off);
    }
}
