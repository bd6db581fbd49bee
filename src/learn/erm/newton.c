/* newton: the second-order solver, for an l2 penalty and data of few columns (it works on many).
 *
 *     minimise    P(w, b) = ||w||^2 / 2 + sum_i c_i loss(m_i)        (problem.h)
 *
 * Smooth losses. Newton's method on (w, b), b being one more coordinate:
 *     H = R + X^T diag(c loss'') X,    step -H^-1 grad,    then the step length that is best along
 * it. Squared hinge: only rows with m < 1 are in H, and the method ends after finitely many steps,
 * since P is quadratic between changes of that set [Keerthi and DeCoste 2005]; logistic:
 * quadratically.
 *
 * Hinge. The method of multipliers on the dual, Newton within [Li, Sun, Toh 2018]: with multipliers
 * a = c * anchor and a penalty tau, minimise over (w, b)
 *     ||w||^2 / 2 + sum_i c_i max over 0 <= s <= 1 of { s z_i - (s - anchor_i)^2 / (2 tau) },  z =
 * 1 - m, which is smooth and quadratic in pieces: the maximiser is s = clip(anchor + tau z, 0, 1),
 * and only rows strictly inside the box have curvature, so that H is cheap. Its minimiser has w =
 * sum a y x and sum a y = 0 with a = c s, so a is a feasible dual point with P - D = sum c max(0,
 * z) - a z; then anchor = s, tau grows. Outer steps converge the faster the larger tau, in the end
 * in one step.
 *
 * Hard margin. The same with c = 1 and no upper limit on s. If rows cannot be separated, s grows
 * for ever in proportion to the residuals z of the least squares of the violations, whose
 * stationarity is sum z y x = 0: the common point of the two hulls.
 *
 * All stop by hsp__gap's gap. Cost of a step: X delta for all rows; rows whose multiplier changed
 * are added to the gradient (squared hinge, few columns: it follows from the matrix), rows whose
 * curvature changed to the matrix (newton_hessian.c); its Cholesky. Many rows: a sample of them is
 * solved roughly first, so that the full problem starts near its solution.
 *
 * Keerthi, DeCoste: A modified finite Newton method for fast solution of large scale linear SVMs,
 * JMLR 6, 2005. Li, Sun, Toh: A highly efficient semismooth Newton augmented Lagrangian method for
 * solving Lasso problems, SIAM J. Optim. 28, 2018 (the scheme; their problem is another). */
#include "learn/erm/newton.h"

#include <math.h>
#include <string.h>

#include "base/context.h"
#include "base/error.h"
#include "base/memory.h"
#include "base/threads.h"
#include "learn/erm/gap.h"
#include "learn/erm/matvec.h"
#include "vec/vec.h"

#define NEWTON_STEPS       1000 /* Newton steps in all, where they should be ten or fifty */
#define NEWTON_INNER       200  /* for one set of anchors */
#define NEWTON_SLOW        4    /* steps that may not halve what is left, lean */
#define NEWTON_STALLS      8    /* outer steps that may bring nothing */
#define NEWTON_STALLS_HARD 40   /* hard: that take to see whether the rows can be separated */
#define NEWTON_SAMPLE      256  /* rows that a sample has at least, */
#define NEWTON_SAMPLE_DIM  2    /* and for each column */
#define NEWTON_SAMPLE_TRY  3 /* Newton steps on a sample, smooth losses; more would only fit it */
#define NEWTON_SAMPLE_CUT  8 /* from one sample to the next larger one */
#define NEWTON_SAMPLE_GAP  1e-3  /* how well a sample is solved at most */
#define NEWTON_SAMPLE_TAU  0.25  /* in how far tau is followed on a sample */
#define NEWTON_FOLLOW      1e-4  /* relative slack down to which tau is followed */
#define NEWTON_CALM        0.01  /* or until so few of the rows turn */
#define NEWTON_MEET        1e-13 /* hulls so near to each other, for rows of length 1, meet */
#define NEWTON_GROWTH      3     /* of tau, from one outer step to the next */

#define NEWTON_GROWTH_HARD 10
#define NEWTON_ACCURACY    0.2 /* of directions by conjugate gradients */

typedef struct newton_run {
    hsp__newton *s;
    const hsp__goal *goal;
    hsp__solution *out;
    hsp_error *err;
    double wanted;  /* our own figure of the gap at which to ask the judge */
    int sample;     /* a sample: our own figure is enough */
    double longest; /* hard: the largest norm of a row */
    int over;
    int follow; /* the anchors stay in the middle, and tau is followed */
    hsp_stop stop;
    uint64_t steps;
    double *kept;         /* dim: the weights with the best primal value by our own figures */
    double kept_value;    /* that value */
    double *trial;        /* dim: those that are shown to the judge */
    double *best_w;       /* dim: those the judge found best, */
    double *best_a;       /* n: and the multipliers; NULL: never put aside */
    int best_here;        /* those are where `pull` is */
    int judged;           /* the best of both is what was judged last: u and scores are there */
    int raw;              /* pull is what the rows ask for; 0: the judge has been at it */
    hsp__gap_values best; /* with the values that the judge gave to them */
} newton_run;

/* ---- Our own figures ------------------------------------------------------------------------- */

typedef struct newton_figures {
    double primal, dual;
    double apart; /* what of the difference is due to w not being sum a y x */
    double size;  /* a number in whose unit rounding errors are small */
} newton_figures;

static double newton_sqnorm(const hsp__newton *s, const double *x)
{
    const double own = s->own > 0 ? x[s->d] * x[s->d] : 0;
    return hsp__vec()->sqnorm_f64(x, (size_t)s->d) + own;
}

/* ||ridge w - u||^2 / (2 ridge), and what an unbalanced sum a y may cost. */
static double newton_apart(const hsp__newton *s)
{
    double sum = 0, off = 0;
    for (uint64_t j = 0; j < s->d; j++) {
        const double apart = s->ridge * s->w[j] - s->u[j];
        sum += apart * (apart / s->ridge);
    }
    if (s->own > 0) {
        const double apart = s->own * s->w[s->d] - s->u[s->d];
        sum += apart * (apart / s->own);
    } else if (s->dim > s->d) {
        off = fabs(s->u[s->d]) * (1 + fabs(s->w[s->d]));
    }
    return sum / 2 + off;
}

static newton_figures newton_figure(const hsp__newton *s)
{
    const double ww = newton_sqnorm(s, s->w), uu = newton_sqnorm(s, s->u);
    newton_figures f = {.apart = newton_apart(s)};
    if (s->form == HSP__HARD_MARGIN) { /* of (w, b) and a scaled as is best */
        f.primal = s->now.least > 0 ? ww / 2 / s->now.least / s->now.least : HUGE_VAL;
        f.dual = uu > 0 ? s->now.total / uu * s->now.total / 2 : 0;
        f.size = s->now.total;
    } else {
        const double off =
            s->own > 0 || s->dim == s->d ? 0 : fabs(s->u[s->d]) * (1 + fabs(s->w[s->d]));
        f.primal = ww / 2 + s->now.loss;
        f.dual = s->now.gain - uu / 2 - off;
        f.size = f.primal;
    }
    return f;
}

static double newton_gap(const newton_figures *f)
{
    if (!isfinite(f->primal) || isnan(f->dual)) return 1;
    return f->primal > f->dual ? (f->primal - f->dual) / f->primal : 0;
}

/* ---- Judging --------------------------------------------------------------------------------- */

/* Hard: the offset in the middle, and (w, b) scaled so that every m is at least 1 as the judge
 * computes it. 0: these w separate nothing. */
static int newton_separate(hsp__newton *s, double *w, double *scores, hsp_error *err)
{
    const hsp__problem *p = s->p;
    double b = s->dim > s->d ? w[s->d] : 0;
    hsp__matvec_scores(s->ctx, p->view, w, 0, scores);
    if (hsp__gap_offset(s->ctx, p, scores, err, &b)) return 0;
    for (int trial = 0; trial < 22; trial++) { /* with ever more to spare, as rounding may need */
        const double more = trial == 0 ? 1 : 1 + ldexp(1, 2 * trial - 53);
        double least = HUGE_VAL;
        for (uint64_t i = 0; i < p->view->rows; i++)
            least = fmin(least, hsp__problem_y(p, i) * (scores[i] + b));
        if (least >= 1 && (more > 1 || least == 1)) break;
        if (!(least > 0) || isinf(least)) return 0;
        const double factor = more / least;
        for (uint64_t j = 0; j < s->d; j++)
            w[j] *= factor;
        b *= factor;
        hsp__matvec_scores(s->ctx, p->view, w, 0, scores);
        hsp__gap_offset(s->ctx, p, scores, err, &b);
    }
    if (s->dim > s->d) w[s->d] = b;
    return 1;
}

/* Hard: the multiple of a with the largest dual value. */
static void newton_stretch(const hsp__newton *s, double *a)
{
    const double uu = newton_sqnorm(s, s->u);
    const double factor = uu > 0 ? s->now.total / uu : 1;
    if (isfinite(factor))
        for (uint64_t i = 0; i < s->n; i++)
            a[i] *= factor;
}

/* What the judge says to w and the multipliers where we are; the best of each is kept. The
 * multipliers are made feasible where they are (newton_resume). */
static hsp_status newton_judge(newton_run *run, const double *here)
{
    hsp__newton *s = run->s;
    const hsp__problem *p = s->p;
    double *u = s->delta, *scores = s->move, *a = s->pull, *w = run->trial;
    memcpy(w, here, s->dim * sizeof *w);
    if (s->lean && run->raw) hsp__newton_pulls(s);
    if (p->hard && run->raw) newton_stretch(s, a);
    if (p->hard) newton_separate(s, w, scores, run->err);
    run->raw = 0;
    double b = s->dim > s->d ? w[s->d] : 0, other = b;
    hsp__gap_values verdict;
    hsp_status status = hsp__gap(s->ctx, p, w, b, a, u, scores, run->err, &verdict);
    if (!status && !p->hard) status = hsp__gap_offset(s->ctx, p, scores, run->err, &other);
    if (status) return status;
    s->passes += 2;
    if (other != b) {
        const double primal = hsp__gap_primal(s->ctx, p, w, other, scores);
        if (primal < verdict.primal) verdict.primal = primal, b = other;
    }
    run->judged = !(verdict.primal > run->best.primal) && !(verdict.dual <= run->best.dual);
    run->best.rounding = verdict.rounding; /* only of use where that holds */
    if (!(verdict.primal > run->best.primal)) {
        run->best.primal = verdict.primal;
        memcpy(run->best_w, w, s->d * sizeof *w);
        if (s->dim > s->d) run->best_w[s->d] = b;
    }
    if (!(verdict.dual <= run->best.dual)) {
        run->best.dual = verdict.dual;
        run->best_here = 1;
    }
    const newton_figures best = {.primal = run->best.primal, .dual = run->best.dual};
    run->best.gap = newton_gap(&best);
    return HSP_OK;
}

/* What follows from the matrix has its rounding errors, which sums over the rows themselves have
 * not: of columns far from 0, or rows of very different size, the gradient may be all error. From
 * here on it is the rows' own. */
static hsp_status newton_leave_lean(newton_run *run)
{
    hsp__newton *s = run->s;
    const hsp_allocator *memory = &s->ctx->allocator;
    hsp__free(memory, s->sums);
    s->sums = hsp__new_raw(memory, s->parts * s->dim, sizeof *s->sums);
    if (s->own_pull) {
        hsp__free(memory, s->pull);
        s->pull = hsp__new_raw(memory, s->n, sizeof *s->pull);
    }
    if (!s->sums || !s->pull) return hsp__fail_memory(run->err);
    s->lean = 0;
    hsp__newton_restart(s);
    return HSP_OK;
}

/* The judge was not content: go on, with the best multipliers put aside and our own restored. */
static hsp_status newton_resume(newton_run *run)
{
    hsp__newton *s = run->s;
    const hsp_allocator *memory = &s->ctx->allocator;
    if (run->best_here) {
        if (!run->best_a) run->best_a = hsp__new_raw(memory, s->n, sizeof *run->best_a);
        if (!run->best_a) return hsp__fail_memory(run->err);
        memcpy(run->best_a, s->pull, s->n * sizeof *run->best_a);
        run->best_here = 0;
    }
    run->raw = 1;
    run->judged = 0;
    if (s->lean) return newton_leave_lean(run);
    hsp__newton_restart(s);
    return HSP_OK;
}

/* Hard: do the multipliers where we are show that no (w, b) will do: do they make the two hulls
 * meet (offset none or regularised: is 0 in the hull of the y x)? Then they are handed back, with a
 * sum of 1 a class (in all). No separator of rows that have one can be told from this if its margin
 * is below NEWTON_MEET of the longest row. */
static hsp_status newton_evidence(newton_run *run)
{
    hsp__newton *s = run->s;
    const hsp__problem *p = s->p;
    double *a = s->pull, *ay = s->move, *u = s->delta, sum = 0, t = 0;
    if (!(sqrt(newton_sqnorm(s, s->u)) <= NEWTON_MEET * run->longest * s->now.total)) return HSP_OK;
    run->raw = 0;
    hsp__gap_balance(s->ctx, p, a);
    for (uint64_t i = 0; i < s->n; i++)
        sum += p->offset != HSP__OFFSET_FREE || hsp__problem_positive(p, i) ? a[i] : 0;
    if (!(sum > 0) || isinf(sum)) return newton_resume(run);
    for (uint64_t i = 0; i < s->n; i++) {
        a[i] /= sum;
        ay[i] = hsp__problem_y(p, i) * a[i];
        t += ay[i];
    }
    hsp_status status = hsp__matvec_combine(s->ctx, p->view, ay, run->err, u);
    if (status) return status;
    s->passes++;
    const double own = p->offset == HSP__OFFSET_REGULARIZED ? t : 0;
    const double apart = sqrt(hsp__vec()->sqnorm_f64(u, (size_t)s->d) + own * own);
    if (!(apart <= NEWTON_MEET * run->longest)) return newton_resume(run);
    run->best.dual = hsp__gap_dual(s->ctx, p, a, u);
    run->best_here = 1;
    run->over = 1;
    run->stop = HSP_STOP_INSEPARABLE;
    return HSP_OK;
}

/* The longest row's norm. */
static double newton_longest(const hsp__newton *s)
{
    double longest = 0;
    for (uint64_t i = 0; i < s->n; i++) {
        if (i % 1024 == 0 && hsp__tick(s->ctx)) break;
        const hsp__row row = hsp__view_row(s->p->view, i * s->step);
        double sum = s->own > 0 ? 1 : 0;
        for (uint64_t k = 0; k < row.count; k++) {
            const double value = hsp__row_value(s->p->view, &row, k);
            sum += value * value;
        }
        longest = fmax(longest, sum);
    }
    return sqrt(longest);
}

/* Where we are is worth asking the judge, or (sample) good enough. */
static hsp_status newton_ask(newton_run *run)
{
    if (run->sample) {
        run->over = 1;
        return HSP_OK;
    }
    hsp_status status = newton_judge(run, run->s->w);
    if (status) return status;
    if (run->best.gap <= run->goal->gap) {
        run->over = 1;
        run->stop = HSP_STOP_CONVERGED;
    } else {
        run->wanted /= 4; /* our figures were too good */
        return newton_resume(run);
    }
    return HSP_OK;
}

/* ---- One Newton step ------------------------------------------------------------------------- */

/* The step length along delta: where the slope is gone, or nearly. */
static double newton_search(hsp__newton *s, double decrement)
{
    const hsp__vec_table *vec = hsp__vec();
    const double own = s->own > 0 ? s->delta[s->d] : 0, b = own != 0 ? s->w[s->d] : 0;
    const double wd = s->ridge * (vec->dot_f64(s->w, s->delta, (size_t)s->d) + b * own);
    const double dd = s->ridge * (vec->sqnorm_f64(s->delta, (size_t)s->d) + own * own);
    double t = 1, low = 0, high = HUGE_VAL;
    hsp__newton_sums sums = hsp__newton_probe(s);
    for (int trial = 0; trial < 40; trial++) {
        const double slope = sums.slope + wd + t * dd, curve = sums.curve + dd;
        if (fabs(slope) <= 0.1 * decrement) break;
        if (slope < 0)
            low = t;
        else
            high = t;
        double next = curve > 0 ? t - slope / curve : HUGE_VAL;
        if (isinf(high)) next = fmin(next, 10 * t);
        if (!(next > low && next < high)) next = (low + high) / 2;
        if (!isfinite(next) || next == t || hsp__stopped(s->ctx)) break;
        t = next;
        sums = hsp__newton_along(s, t);
    }
    return t;
}

static void newton_keep(newton_run *run, const newton_figures *f)
{
    if (run->sample || !(f->primal < run->kept_value)) return;
    run->kept_value = f->primal;
    memcpy(run->kept, run->s->w, run->s->dim * sizeof *run->kept);
}

/* Was the work stopped? What the last pass computed is then of no use. */
static int newton_cut(newton_run *run)
{
    if (hsp__watch_stopped(run->s->ctx, &run->stop)) run->over = 1;
    return run->over;
}

static void newton_limits(newton_run *run)
{
    hsp__newton *s = run->s;
    const uint64_t most = run->goal->max_passes;
    const newton_figures f = newton_figure(s);
    const int report = run->goal->report && !run->sample; /* a sample's passes are not counted */
    if (hsp__watch_gap(run->goal->watch, report, "passes", s->passes, newton_gap(&f),
                       run->goal->gap, &run->stop)) {
        run->over = 1;
    } else if (++run->steps >=
                   (run->sample && !hsp__newton_anchored(s) ? NEWTON_SAMPLE_TRY : NEWTON_STEPS) ||
               (most && s->passes >= most)) {
        run->over = 1;
        run->stop = HSP_STOP_PASSES;
    }
}

/* One Newton step; `whole`: of length 1 wherever it leads. *left is about the decrease that it had
 * to make; 0: there is nothing left to do. */
static void newton_step(newton_run *run, int whole, double *left)
{
    hsp__newton *s = run->s;
    hsp__hessian_direction(s, NEWTON_ACCURACY, left);
    if (newton_cut(run) || (!whole && !(*left > 0))) return;
    double t = 1;
    if (whole)
        hsp__newton_probe(s);
    else
        t = newton_search(s, *left);
    if (newton_cut(run)) return;
    hsp__newton_go(s, t);
    s->updates++;
    newton_limits(run);
}

/* Minimise with the anchors as they are, as far as is worth while. */
static hsp_status newton_minimise(newton_run *run)
{
    hsp__newton *s = run->s;
    const int anchored = hsp__newton_anchored(s);
    double first = 0, left = HUGE_VAL, before = HUGE_VAL;
    int slow = 0;
    for (int moved = 0; !newton_cut(run) && moved < NEWTON_INNER; moved++) {
        const newton_figures f = newton_figure(s);
        const double slack = s->now.slack;
        newton_keep(run, &f);
        if (newton_gap(&f) <= run->wanted) {
            hsp_status status = newton_ask(run);
            if (status || run->over) return status;
        }
        if (anchored && moved && f.apart <= 0.1 * slack) return HSP_OK;
        if (run->follow && moved && slack > 0.5 * run->wanted * f.primal && left <= 0.3 * slack)
            return HSP_OK;
        newton_step(run, 0, &left);
        if (moved == 0) first = left;
        slow += left > 0.5 * before;
        before = left;
        const int ended = !(left > 1e-25 * first) || !(left > 1e-16 * f.size);
        if (s->lean && !run->sample && (slow >= NEWTON_SLOW || ended)) {
            hsp_status status = newton_leave_lean(run);
            if (status) return status;
            before = HUGE_VAL;
        } else if (ended) {
            return HSP_OK;
        }
    }
    return HSP_OK;
}

/* ---- Outer steps ----------------------------------------------------------------------------- */

/* The tau at which the corner's rounding is as wide as a sample is uncertain about margins; from
 * there on its solution says little about the solution for all rows. */
static double newton_sample_tau(const hsp__newton *s)
{
    return NEWTON_SAMPLE_TAU * sqrt((double)s->n / (double)(s->dim + 1));
}

/* Other anchors, a larger tau, and a step that keeps up with them. */
static hsp_status newton_advance(newton_run *run)
{
    hsp__newton *s = run->s;
    double left;
    const newton_figures f = newton_figure(s);
    if (run->sample && s->tau >= newton_sample_tau(s)) {
        run->over = 1;
        return HSP_OK;
    }
    if (s->now.slack <= NEWTON_FOLLOW * f.primal || s->now.turned <= NEWTON_CALM * s->now.active)
        run->follow = 0;
    if (!run->follow) {
        hsp_status status = hsp__newton_anchor(s, run->err);
        if (status) return status;
    }
    s->tau *= s->form == HSP__HARD_MARGIN ? NEWTON_GROWTH_HARD : NEWTON_GROWTH;
    hsp__newton_hold(s);
    newton_step(run, 1, &left);
    return HSP_OK;
}

/* Smooth losses need none. The end: the judge is content, a limit was met, or nothing moves. */
static hsp_status newton_outer(newton_run *run)
{
    hsp__newton *s = run->s;
    const int anchored = hsp__newton_anchored(s);
    const int most = s->form == HSP__HARD_MARGIN ? NEWTON_STALLS_HARD : NEWTON_STALLS;
    double last = HUGE_VAL;
    int stalls = 0;
    while (!run->over) {
        hsp_status status = newton_minimise(run);
        if (status || run->over) return status;
        const newton_figures f = newton_figure(s);
        const double apart = f.primal - f.dual;
        if (s->form == HSP__HARD_MARGIN) {
            status = newton_evidence(run);
            if (status || run->over) return status;
        }
        stalls = apart < 0.7 * last ? 0 : stalls + 1;
        last = fmin(last, apart);
        if ((!run->follow && stalls >= most) || (!anchored && stalls)) {
            run->over = 1;
            run->stop = HSP_STOP_PASSES;
        } else if (anchored) {
            status = newton_advance(run);
            if (status) return status;
        }
    }
    return HSP_OK;
}

/* ---- Memory ---------------------------------------------------------------------------------- */

static void newton_free(hsp__newton *s)
{
    const hsp_allocator *memory = &s->ctx->allocator;
    double *all[] = {s->score, s->own_move ? s->move : NULL, s->anchor, s->w, s->u, s->delta,
                     s->sums};
    hsp__hessian_free(s);
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        hsp__free(memory, all[i]);
    if (s->own_pull) hsp__free(memory, s->pull);
    hsp__free(memory, s->curved);
    hsp__free(memory, s->states);
    hsp__free(memory, s->lines);
}

/* Parts have a sum of dim numbers each, so there are few where columns are many. */
static uint64_t newton_parts(const hsp__newton *s)
{
    const uint64_t stored = hsp_view_stored(s->p->view) / s->step;
    const uint64_t most = stored / (4 * s->dim + 1) + 1;
    uint64_t parts = hsp__parts(s->n, stored / (s->n + 1) * sizeof(double) + 64);
    if (parts > 16) parts = 16;
    return parts > most ? most : parts;
}

/* The root of the mean squared norm of some rows, with their 1 where that counts. */
static double newton_unit(const hsp__newton *s)
{
    const uint64_t every = s->n / 1000 + 1;
    double sum = 0, count = 0;
    for (uint64_t i = 0; i < s->n; i += every, count++) {
        const hsp__row row = hsp__view_row(s->p->view, i * s->step);
        if (s->p->offset == HSP__OFFSET_REGULARIZED) sum += 1;
        for (uint64_t k = 0; k < row.count; k++) {
            const double value = hsp__row_value(s->p->view, &row, k);
            sum += value * value;
        }
    }
    return sum > 0 && isfinite(sum) ? sqrt(sum / count) : 1;
}

/* What a run may begin with: all or any of it. */
typedef struct newton_given {
    double *pull, *move; /* n, the caller's; NULL: none */
    hsp__hessian_lent lent;
} newton_given;

static hsp_status newton_new(hsp__newton *s, hsp_context *ctx, const hsp__problem *p,
                             const hsp__goal *goal, uint64_t step, const newton_given *given,
                             hsp_error *err)
{
    double *pull = given->pull, *move = given->move;
    const hsp_allocator *memory = &ctx->allocator;
    *s =
        (hsp__newton){.ctx = ctx, .p = p, .goal = goal, .step = step, .loss = hsp__problem_loss(p)};
    s->form = s->loss->form;
    s->n = (p->view->rows + step - 1) / step;
    s->d = p->view->cols;
    s->dim = s->d + (p->offset != HSP__OFFSET_NONE);
    s->ridge = p->hard ? newton_unit(s) : 1;
    s->own = p->offset == HSP__OFFSET_REGULARIZED ? s->ridge : 0;
    s->parts = newton_parts(s);
    s->middle = s->form == HSP__HINGE ? 0.5 : 0;
    s->lean =
        s->form == HSP__SQUARED_HINGE && hsp__hessian_is_direct(s->dim) && !given->lent.factor;
    const int curved = s->form != HSP__LOGISTIC && s->form != HSP__SMOOTH;
    s->score = hsp__new_raw(memory, s->n, sizeof *s->score);
    s->own_move = !move;
    s->move = move ? move : hsp__new_raw(memory, s->n, sizeof *s->move);
    s->own_pull = !pull;
    /* a lean sample is never asked for them */
    s->pull = pull ? pull : hsp__new_raw(memory, s->lean ? 0 : s->n, sizeof *s->pull);
    if (curved) s->curved = hsp__new(memory, s->n, sizeof *s->curved);
    if (!s->score || !s->move || !s->pull || (!s->curved && curved)) return hsp__fail_memory(err);
    double **cols[] = {&s->w, &s->u, &s->delta};
    for (size_t i = 0; i < 3; i++)
        if (!(*cols[i] = hsp__new(memory, s->dim, sizeof(double)))) return hsp__fail_memory(err);
    s->sums = hsp__new_raw(memory, s->lean ? 0 : s->parts * s->dim, sizeof *s->sums);
    s->states = hsp__new_raw(memory, s->parts, sizeof *s->states);
    s->lines = hsp__new_raw(memory, s->parts, sizeof *s->lines);
    if (!s->sums || !s->states || !s->lines) return hsp__fail_memory(err);
    return hsp__hessian_new(s, &given->lent, err);
}

/* ---- Where to start -------------------------------------------------------------------------- */

static int newton_is_zero(const double *x, uint64_t count)
{
    for (uint64_t i = 0; i < count; i++)
        if (x[i] != 0) return 0;
    return 1;
}

/* Anchors from multipliers that came from elsewhere, if there are any. */
static hsp_status newton_take(newton_run *run, double *dual)
{
    hsp__newton *s = run->s;
    run->follow = s->form == HSP__HINGE;
    if (!hsp__newton_anchored(s) || newton_is_zero(dual, s->n)) return HSP_OK;
    run->follow = 0;
    for (uint64_t i = 0; i < s->n; i++) {
        const double c = fabs(hsp__newton_cost(s, i)), a = c > 0 && dual[i] > 0 ? dual[i] : 0;
        s->pull[i] = s->form == HSP__HINGE ? fmin(a, c) : s->ridge * a;
    }
    return hsp__newton_anchor(s, run->err);
}

/* Without multipliers the anchors are in the middle of the box, which rounds off the hinge's corner
 * on both sides alike. */
static void newton_start(newton_run *run, const double *w, double tau)
{
    hsp__newton *s = run->s;
    memcpy(s->w, w, s->dim * sizeof *w);
    s->tau = tau > 0 ? tau : s->form == HSP__HARD_MARGIN ? 1 / s->ridge : 0.25;
    hsp__newton_restart(s);
    run->raw = 1;
}

/* Solve ever larger samples roughly: w (dim) and *tau are where to go on from; the last one's
 * matrix may be of use, too. */
static hsp_status newton_samples(hsp_context *ctx, const hsp__problem *p, const hsp__goal *goal,
                                 hsp_error *err, double *w, double *tau, uint64_t *passes,
                                 hsp__hessian_lent *lent)
{
    const newton_given nothing = {0};
    const uint64_t least = NEWTON_SAMPLE + NEWTON_SAMPLE_DIM * p->view->cols;
    uint64_t step = p->view->rows / least;
    hsp_status status = HSP_OK;
    for (; step > 1 && !status; step /= NEWTON_SAMPLE_CUT) {
        hsp__newton s;
        newton_run run = {.s = &s, .goal = goal, .err = err, .sample = 1};
        run.wanted = NEWTON_SAMPLE_GAP;
        status = newton_new(&s, ctx, p, goal, step, &nothing, err);
        if (!status) {
            run.follow = s.form == HSP__HINGE;
            newton_start(&run, w, *tau);
            status = newton_outer(&run);
            memcpy(w, s.w, s.dim * sizeof *w);
            *tau = fmin(s.tau, newton_sample_tau(&s));
            *passes += s.passes / step;
            hsp__hessian_lend(&s, lent);
        }
        newton_free(&s);
    }
    return status;
}

/* ---- The solver ------------------------------------------------------------------------------ */

/* The run was stopped: the best weights so far, with the judge's figures if he has seen them or
 * there is time for that. */
static hsp_status newton_stopped(newton_run *run)
{
    hsp__newton *s = run->s;
    hsp_context *ctx = s->ctx;
    hsp__stop brief;
    hsp_context last = hsp__stop_brief(&brief, ctx);
    const double *w = run->kept_value < HUGE_VAL ? run->kept : s->w;
    hsp_status status = HSP_OK;
    s->ctx = &last;
    if (run->raw || run->best.primal == HUGE_VAL) status = newton_judge(run, w);
    s->ctx = ctx;
    if (status != HSP_CANCELLED) return status;
    if (run->best.primal < HUGE_VAL) return HSP_OK;
    memcpy(run->best_w, w, s->dim * sizeof *w);
    memset(s->pull, 0, s->n * sizeof *s->pull);
    run->best = (hsp__gap_values){.primal = (double)NAN, .gap = 1};
    run->best_here = 1;
    return HSP_OK;
}

static hsp_status newton_full(newton_run *run, const double *w, double tau)
{
    hsp__newton *s = run->s;
    if (s->p->hard) run->longest = newton_longest(s);
    hsp_status status = newton_take(run, run->out->dual);
    if (status) return status;
    newton_start(run, w, tau);
    status = newton_outer(run);
    if (newton_cut(run)) return newton_stopped(run);
    if (status || run->stop == HSP_STOP_CONVERGED || run->stop == HSP_STOP_INSEPARABLE)
        return status;
    if (!run->raw) status = newton_resume(run);
    if (!status) status = newton_judge(run, s->w); /* cut short: the best there is */
    if (!status && run->kept_value < HUGE_VAL) status = newton_judge(run, run->kept);
    if (!status && run->best.gap <= run->goal->gap) run->stop = HSP_STOP_CONVERGED;
    return status;
}

static void newton_hand_back(const newton_run *run)
{
    const hsp__newton *s = run->s;
    hsp__solution *out = run->out;
    memcpy(out->w, run->best_w, s->d * sizeof *out->w);
    out->b = s->dim > s->d ? run->best_w[s->d] : 0;
    if (!run->best_here && run->best_a) memcpy(out->dual, run->best_a, s->n * sizeof *out->dual);
    out->judged = run->judged && out->u && run->stop == HSP_STOP_CONVERGED && !s->p->hard;
    if (out->judged) memcpy(out->u, s->delta, s->d * sizeof *out->u); /* scores are there */
    out->primal = run->best.primal;
    out->dual_value = run->best.dual;
    out->gap = run->best.gap;
    out->rounding = run->best.rounding;
    out->passes = s->passes;
    out->updates = s->updates;
    out->stop = run->stop;
}

static hsp_status newton_solve(hsp_context *ctx, const hsp__problem *p, const hsp__goal *goal,
                               hsp_error *err, hsp__solution *out)
{
    const hsp_allocator *memory = &ctx->allocator;
    const uint64_t d = p->view->cols, n = p->view->rows;
    hsp__newton s = {.ctx = ctx};
    newton_run run = {.s = &s, .goal = goal, .out = out, .err = err, .wanted = goal->gap};
    newton_given given = {.pull = out->dual, .move = out->scores};
    double *w = hsp__new(memory, d + 1, sizeof *w), tau = 0;
    uint64_t passes = 0;
    run.kept = hsp__new(memory, d + 1, sizeof *w);
    run.trial = hsp__new(memory, d + 1, sizeof *w);
    run.best_w = hsp__new(memory, d + 1, sizeof *w);
    run.kept_value = HUGE_VAL;
    run.best = (hsp__gap_values){.primal = HUGE_VAL, .dual = -HUGE_VAL, .gap = 1};
    hsp_status status = w && run.kept && run.trial && run.best_w ? HSP_OK : hsp__fail_memory(err);
    if (!status) {
        memcpy(w, out->w, d * sizeof *w);
        w[d] = out->b;
        if (!p->hard && newton_is_zero(w, d + 1) && newton_is_zero(out->dual, n))
            status = newton_samples(ctx, p, goal, err, w, &tau, &passes, &given.lent);
    }
    if (!status) status = newton_new(&s, ctx, p, goal, 1, &given, err);
    s.passes = passes;
    if (!status) status = newton_full(&run, w, tau);
    if (!status) newton_hand_back(&run);
    newton_free(&s);
    hsp__hessian_lent_free(ctx, &given.lent);
    double *all[] = {w, run.kept, run.trial, run.best_w, run.best_a};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        hsp__free(memory, all[i]);
    return status;
}

static int newton_suits(const hsp__problem *p)
{
    return p->penalty == HSP__PENALTY_L2 && (!p->hard || p->loss->form == HSP__HINGE);
}

const hsp__solver hsp__solver_newton = {
    .name = "newton",
    .summary = "Newton's method, for few columns, any number of rows, small gaps",
    .suits = newton_suits,
    .solve = newton_solve,
};
