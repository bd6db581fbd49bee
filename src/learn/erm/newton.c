/* newton: the second-order solver, for an l2 penalty and data of few columns (it works on many).
 *
 * Problem.    minimise    P(w, b) = ||w||^2 / 2 + sum_i c_i loss(m_i)        (problem.h)
 *
 * Smooth losses. Newton's method on (w, b), b being one more coordinate:
 *     H = R + X^T diag(c loss'') X,    step -H^-1 grad,    then the best step length along it.
 * Squared hinge: only rows with m < 1 are in H, and the method ends after finitely many steps, since
 * P is quadratic while that set does not change [Keerthi and DeCoste 2005]. Logistic: it converges
 * quadratically.
 *
 * Hinge. The method of multipliers on the dual, with Newton's method inside [Li, Sun, Toh 2018]:
 * for multipliers a = c * anchor and a penalty tau, minimise over (w, b)
 *
 *     ||w||^2 / 2 + sum_i c_i max over 0 <= s <= 1 of { s z_i - (s - anchor_i)^2 / (2 tau) }
 *
 * with z = 1 - m, which is smooth and piecewise quadratic: the maximiser is s = clip(anchor + tau z,
 * 0, 1), and only rows strictly inside the box have curvature, so that H is cheap. Its minimiser has
 * w = sum a y x and sum a y = 0 with a = c s, so that a is a feasible dual point with P - D = sum c
 * max(0, z) - a z. Then anchor = s, and tau grows. The larger tau, the fewer outer steps; in the end
 * it is one.
 *
 * Hard margin. The same with c = 1 and no upper bound on s. If the rows cannot be separated, s grows
 * without end in proportion to the residuals z of the least squares of the violations, which
 * satisfy sum z y x = 0: a common point of the two hulls.
 *
 * Guarantee. A run has converged when gap.h has computed a gap that is small enough. Between, the gap
 * is estimated from sums over the rows.
 *
 * Cost of a step. X delta for all rows; rows whose multiplier changed are added to the gradient
 * (squared hinge with few columns: it follows from the matrix), rows whose curvature changed to the
 * matrix (newton_hessian.c); its Cholesky factor. With many rows, a sample of them is solved roughly
 * first, so that the full problem starts near its solution.
 *
 * Papers. Keerthi, DeCoste: A modified finite Newton method for fast solution of large scale linear
 * SVMs, JMLR 6, 2005. Li, Sun, Toh: A highly efficient semismooth Newton augmented Lagrangian method
 * for solving Lasso problems, SIAM J. Optim. 28, 2018 (the scheme; their problem is another). */
#include "learn/erm/newton_run.h"

#include "base/base.h"
#include "base/paging.h"
#include "learn/erm/gap.h"
#include "learn/erm/matvec.h"

#include "learn/erm/solvers.h"
#include "vec/vec.h"

#define NEWTON_STEPS       1000 /* Newton steps in all, where they should be ten or fifty */
#define NEWTON_INNER       200  /* for one set of anchors */
#define NEWTON_SLOW        4    /* by_matrix: steps that may not halve the decrement */
#define NEWTON_STALLS      8    /* outer steps that may bring nothing */
#define NEWTON_STALLS_HARD 40   /* hard: that take to see whether the rows can be separated */
#define NEWTON_SAMPLE      256  /* rows that a sample has at least, */
#define NEWTON_SAMPLE_DIM  5    /* and for each column */
#define NEWTON_SAMPLE_TRY  3 /* Newton steps on a sample, smooth losses; more would only fit it */
#define NEWTON_SAMPLE_CUT  8 /* from one sample to the next larger one */
#define NEWTON_SAMPLE_LEAST \
    4 /* rows for each of the last sample: half of the rows cost half as much as all */
#define NEWTON_SAMPLE_GAP 1e-3  /* how well a sample is solved at most */
#define NEWTON_SAMPLE_TAU 0.25  /* in how far tau is followed on a sample */
#define NEWTON_FOLLOW     1e-4  /* relative slack down to which tau is followed */
#define NEWTON_CALM       0.01  /* or until this few of the rows turn */
#define NEWTON_MEET       1e-13 /* hulls so near to each other, for rows of length 1, meet */
#define NEWTON_GROWTH     3     /* of tau, from one outer step to the next */

#define NEWTON_GROWTH_HARD 10
#define NEWTON_GROWTH_CG   1.5  /* hard, once separated, if directions are by conjugate gradients */
#define NEWTON_DAMP_BELOW  0.3  /* step lengths that ask for more damping, */
#define NEWTON_DAMP_ABOVE  0.7  /* or for less, */
#define NEWTON_DAMP_FACTOR 10   /* by this factor, */
#define NEWTON_DAMP_LEAST  1e-6 /* down to here */
#define NEWTON_SHORTS      8    /* such steps until rows are long. The count begins again when */
#define NEWTON_NEARER      0.25 /* the gap is this part of what it was at the last beginning, */
#define NEWTON_PATIENT     512  /* with more columns, where steps are dear, only */
#define NEWTON_NEARLY      0.4  /* as if the first was at this gap */
#define NEWTON_SHED_LEFT   0.5  /* of the goal: the primal value's distance when rows are shed, */
#define NEWTON_SHED_ROUNDS 20   /* at most so often, */
#define NEWTON_SHEDS       2    /* in as many attempts */

#define NEWTON_LIGHT       256  /* C ||x||^2 over this is the factor of the penalty at first: */
#define NEWTON_LIGHTER     5    /* it is divided by this, once there are multipliers */
#define NEWTON_LIGHTER_GAP 0.95 /* whose gap, with that factor, is below this */

#define NEWTON_ACCURACY 0.2 /* of directions by conjugate gradients */
#define NEWTON_ARRIVED \
    0.1                  /* of the goal: what is left of a step's decrement of which this is true */
#define NEWTON_AGAIN 0.1 /* decrement, relative to that of the last attempt, for another one */

/* ---- Estimates --------------------------------------------------------------------------- */

static double newton_gap(const hsp__newton_estimates *f)
{
    if (!isfinite(f->primal) || isnan(f->dual)) return 1;
    return f->primal > f->dual ? (f->primal - f->dual) / f->primal : 0;
}

/* ---- The gap --------------------------------------------------------------------------------- */

/* Hard margin: the offset in the middle, and (w, b) scaled so that every m is at least 1 as gap.h
 * computes it. 0: w does not separate the rows. */
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

/* Compute the gap of w and the multipliers; the best of each is kept. The multipliers are made
 * feasible in place (newton_resume computes them again). */
static hsp_status newton_compute_gap(newton_run *run, const double *here)
{
    hsp__newton *s = run->s;
    const hsp__problem *p = s->p;
    double *u = s->delta, *scores = s->delta_score, *a = s->a, *w = run->trial;
    memcpy(w, here, s->dim * sizeof *w);
    if (s->by_matrix && run->own_multipliers) hsp__newton_multipliers(s);
    if (p->hard && run->own_multipliers) { /* the multiple of a with the largest dual value */
        const double uu = hsp__newton_sqnorm(s, s->u), factor = uu > 0 ? s->now.total / uu : 1;
        for (uint64_t i = 0; isfinite(factor) && i < s->n; i++)
            a[i] *= factor;
    }
    if (p->hard) newton_separate(s, w, scores, run->err);
    run->own_multipliers = 0;
    double b = s->dim > s->d ? w[s->d] : 0, other = b;
    hsp__gap_values values;
    HSP__TRY(hsp__gap(s->ctx, p, w, b, a, u, scores, run->err, &values));
    if (!p->hard) HSP__TRY(hsp__gap_offset(s->ctx, p, scores, run->err, &other));
    s->passes += 2;
    if (other != b) {
        double up;
        const double primal = hsp__gap_primal(s->ctx, p, w, other, scores, &up);
        if (primal < values.primal) { /* rounding: at most, for that at b is counted, too */
            values.primal = primal, b = other;
            values.rounding += up / primal;
        }
    }
    run->scored =
        !(values.primal > run->best.values.primal) && !(values.dual <= run->best.values.dual);
    run->best.values.rounding = values.rounding; /* only of use where that holds */
    if (!(values.primal > run->best.values.primal)) {
        run->best.values.primal = values.primal;
        memcpy(run->best.w, w, s->d * sizeof *w);
        if (s->dim > s->d) run->best.w[s->d] = b;
    }
    if (!(values.dual <= run->best.values.dual)) {
        run->best.values.dual = values.dual;
        run->best.in_place = 1;
    }
    const hsp__newton_estimates best = {.primal = run->best.values.primal,
                                        .dual = run->best.values.dual};
    run->best.values.gap = newton_gap(&best);
    return HSP_OK;
}

/* A gradient that follows from the matrix has the matrix's rounding errors: with columns far from 0,
 * or rows of very different size, it may be nothing else. From here on it is summed over the rows. */
static hsp_status newton_leave_matrix(newton_run *run)
{
    hsp__newton *s = run->s;
    s->sums = hsp__scratch_raw(&s->scratch, s->parts * s->dim, sizeof *s->sums);
    assert(!run->sample); /* a has n numbers */
    if (s->scratch.failed) return hsp__fail_memory(run->err);
    s->by_matrix = 0;
    hsp__newton_move(s, 0, HSP__NEWTON_RESTART);
    return HSP_OK;
}

/* Our own multipliers will take the place of the best. */
static hsp_status newton_put_aside(newton_run *run)
{
    hsp__newton *s = run->s;
    if (run->best.in_place) {
        if (!run->best.a) run->best.a = hsp__scratch_raw(&s->scratch, s->n, sizeof *run->best.a);
        HSP__TRY(
            hsp__shard_agree(s->ctx, run->best.a ? HSP_OK : hsp__fail_memory(run->err), run->err));
        memcpy(run->best.a, s->a, s->n * sizeof *run->best.a);
        run->best.in_place = 0;
    }
    run->own_multipliers = 1;
    run->scored = 0;
    return HSP_OK;
}

/* The gap is too large: go on, with the best multipliers put aside and our own computed again. */
static hsp_status newton_resume(newton_run *run)
{
    hsp__newton *s = run->s;
    HSP__TRY(newton_put_aside(run));
    if (s->by_matrix) return newton_leave_matrix(run);
    hsp__newton_move(s, 0, HSP__NEWTON_RESTART);
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
    double *a = s->a, *ay = s->delta_score, *u = s->delta, sum = 0, t = 0;
    if (!(sqrt(hsp__newton_sqnorm(s, s->u)) <= NEWTON_MEET * run->longest * s->now.total))
        return HSP_OK;
    run->own_multipliers = 0;
    hsp__gap_balance(s->ctx, p, a);
    for (uint64_t i = 0; i < s->n; i++)
        sum += p->offset != HSP__OFFSET_FREE || hsp__problem_positive(p, i) ? a[i] : 0;
    if (!(sum > 0) || isinf(sum)) return newton_resume(run);
    for (uint64_t i = 0; i < s->n; i++) {
        a[i] /= sum;
        ay[i] = hsp__problem_y(p, i) * a[i];
        t += ay[i];
    }
    HSP__TRY(hsp__matvec_combine(s->ctx, p->view, ay, run->err, u));
    s->passes++;
    const double own = p->offset == HSP__OFFSET_REGULARIZED ? t : 0;
    const double length = sqrt(hsp__vec()->sqnorm_f64(u, (size_t)s->d) + own * own);
    if (!(length <= NEWTON_MEET * run->longest)) return newton_resume(run);
    run->best.values.dual = hsp__gap_dual(s->ctx, p, a, u, NULL);
    run->best.in_place = 1;
    run->done = 1;
    run->stop = HSP_STOP_INSEPARABLE;
    return HSP_OK;
}

/* ---- A heavier penalty at first --------------------------------------------------------------- */

/* Squared hinge. Where C ||x||^2 is large, few rows have m < 1 at the end, and a step from far away has
 * no curvature along most columns but that of the penalty. With a heavier penalty more rows keep
 * curvature, and the way from its minimum to the next is short. */
static void newton_set_penalty(hsp__newton *s, double ridge)
{
    s->ridge = ridge;
    if (s->offset_ridge > 0) s->offset_ridge = ridge;
}

static int newton_is_heavy(const hsp__newton *s)
{
    return s->form == HSP__SQUARED_HINGE && s->ridge > 1;
}

/* A lighter penalty, if we are near the minimum with this one, or (`ended`) get no nearer. 1: it is. */
static int newton_lighten(hsp__newton *s, int ended)
{
    const double ww = hsp__newton_sqnorm(s, s->w), uu = hsp__newton_sqnorm(s, s->u);
    const double primal = s->ridge * ww / 2 + s->now.loss;
    const double dual = s->now.conjugate - uu / s->ridge / 2;
    if (!ended && !(primal - dual < NEWTON_LIGHTER_GAP * primal)) return 0;
    newton_set_penalty(s, fmax(1, s->ridge / NEWTON_LIGHTER));
    return 1;
}

/* ---- One Newton step ------------------------------------------------------------------------- */

/* The step length along delta: where the slope is gone, or nearly. */
static double newton_search(hsp__newton *s, double decrement)
{
    const hsp__vec_table *vec = hsp__vec();
    const double own = s->offset_ridge > 0 ? s->delta[s->d] : 0, b = own != 0 ? s->w[s->d] : 0;
    const double wd = s->ridge * (vec->dot_f64(s->w, s->delta, (size_t)s->d) + b * own);
    const double dd = s->ridge * (vec->sqnorm_f64(s->delta, (size_t)s->d) + own * own);
    double t = 1, low = 0, high = HUGE_VAL;
    hsp__newton_sums sums = hsp__newton_along(s, 1, 1);
    for (int trial = 0; trial < 40; trial++) {
        const double slope = sums.slope + wd + t * dd, curve = sums.curve + dd;
        /* a short step hardly goes beyond the lowest point: there the slope may stay the same for long
         * enough to lead far up */
        if (fabs(slope) <= (slope < 0 || t > 0.5 ? 0.1 : 1e-3) * decrement) break;
        if (slope < 0)
            low = t;
        else
            high = t;
        double next = curve > 0 ? t - slope / curve : HUGE_VAL;
        if (isinf(high)) next = fmin(next, 10 * t);
        if (!(next > low && next < high)) next = (low + high) / 2;
        if (!isfinite(next) || next == t || hsp__stopped(s->ctx)) break;
        t = next;
        sums = hsp__newton_along(s, t, 0);
    }
    return t;
}

/* Was the work stopped? What the last pass computed is then of no use. */
static int newton_stopping(newton_run *run)
{
    if (run->s->ctx->shard) hsp__tick_together(run->s->ctx);
    if (run->s->failed) run->done = 1;
    if (hsp__watch_stopped(run->s->ctx, &run->stop)) run->done = 1;
    return run->done;
}

/* A column without curvature gets a step that is much too long, and all have to share a step length of
 * next to 0. So much is added to the matrix that steps of a length near 1 are good. */
static void newton_damp(hsp__newton *s, double t)
{
    if (t < NEWTON_DAMP_BELOW)
        s->damping = fmin(1, fmax(NEWTON_DAMP_LEAST, NEWTON_DAMP_FACTOR * s->damping));
    else if (t > NEWTON_DAMP_ABOVE)
        s->damping /= NEWTON_DAMP_FACTOR;
    if (s->damping < NEWTON_DAMP_LEAST) s->damping = 0;
}

/* One Newton step; `whole`: of length 1 wherever it leads, and by `how`. *left is about the decrease that
 * it had to make; 0: there is nothing left to do. */
static void newton_step(newton_run *run, int whole, hsp__newton_how how, double *left)
{
    hsp__newton *s = run->s;
    const hsp__goal *goal = run->goal;
    hsp__hessian_direction(s, NEWTON_ACCURACY, left);
    if (newton_stopping(run) || (!whole && !(*left > 0))) return;
    double t = 1;
    if (whole)
        hsp__newton_along(s, 1, 1);
    else
        t = newton_search(s, *left);
    if (newton_stopping(run)) return;
    hsp__newton_move(s, t, how);
    s->updates++;
    if (!whole && s->form != HSP__HARD_MARGIN) newton_damp(s, t);
    run->shorts += !whole && t < NEWTON_DAMP_BELOW;
    const hsp__newton_estimates f = hsp__newton_estimate(s);
    const int report = goal->report && !run->sample; /* a sample's passes are not counted */
    const uint64_t most =
        run->sample && !hsp__newton_anchored(s) ? NEWTON_SAMPLE_TRY : NEWTON_STEPS;
    if (hsp__watch_gap(goal->watch, report, "passes", s->passes, newton_gap(&f), goal->gap,
                       &run->stop)) {
        run->done = 1;
    } else if (++run->steps >= most || (goal->max_passes && s->passes >= goal->max_passes)) {
        run->done = 1;
        run->stop = HSP_STOP_PASSES;
    }
}

/* ---- Long rows -------------------------------------------------------------------------------- */

/* Do what w and the multipliers are now. */
static hsp_status newton_try(newton_run *run, const double *w)
{
    HSP__TRY(newton_compute_gap(run, w));
    run->done = run->best.values.gap <= run->goal->gap;
    if (run->done) run->stop = HSP_STOP_CONVERGED;
    return run->done ? HSP_OK : newton_put_aside(run);
}

/* Squared hinge. The multipliers of weights that are only nearly the best may be far from it: sum a y x
 * differs from w by c ||x|| times what margins are off. But whatever rows are given curvature, a step to
 * the minimum of their quadratic makes sum a y x = w; only rows whose a is then below 0 spoil it.
 * They get a = 0 and stay there, until none is left: that takes a few steps, as no row comes back. */
static hsp_status newton_shed(newton_run *run)
{
    hsp__newton *s = run->s;
    double left;
    s->damping = 0;
    for (int round = 0; round < NEWTON_SHED_ROUNDS && !run->done; round++) {
        newton_step(run, 1, HSP__NEWTON_SHED, &left);
        if (!s->now.turned) break;
    }
    if (newton_stopping(run)) return HSP_OK;
    hsp__newton_estimates f = hsp__newton_estimate(s);
    f.primal = run->lowest.value;
    return newton_gap(&f) <= run->wanted ? newton_try(run, run->lowest.w) : HSP_OK;
}

/* Steps were short time and again. Squared hinge: once the primal value has arrived, as far as
 * steps tell, multipliers by shedding rows; that may fail a few times. Else, and for the hinge,
 * the interior-point method; if that fails, too, we go on as if nothing had been. */
static hsp_status newton_long_rows(newton_run *run, double left)
{
    hsp__newton *s = run->s;
    const hsp__newton_estimates f = hsp__newton_estimate(s);
    const int hinge = s->form == HSP__HINGE, squared = s->form == HSP__SQUARED_HINGE;
    const double damping = s->damping;
    if (run->sample || run->done || run->interior || !(hinge || squared) ||
        !hsp__hessian_is_direct(s->dim) || run->shorts < NEWTON_SHORTS ||
        newton_gap(&f) <= run->wanted)
        return HSP_OK;
    if (squared && !(left <= NEWTON_SHED_LEFT * run->goal->gap * f.primal)) return HSP_OK;
    if (squared && run->sheds < NEWTON_SHEDS) {
        run->sheds++;
        HSP__TRY(newton_shed(run));
    } else {
        run->interior = 1;
        if (s->by_matrix) HSP__TRY(newton_leave_matrix(run));
        s->damping = 0;
        HSP__TRY(hsp__newton_interior(s, run->goal->gap, run->err));
        if (!newton_stopping(run)) HSP__TRY(newton_try(run, s->w));
    }
    if (run->done) return HSP_OK;
    run->shorts = 0;
    s->damping = damping;
    memcpy(s->w, run->lowest.w, s->dim * sizeof *s->w);
    hsp__newton_move(s, 0, HSP__NEWTON_RESTART);
    return HSP_OK;
}

/* Many columns: once the primal value has arrived, as far as the last step's decrement tells, better
 * multipliers than those of the weights may end the run. If not, there is another attempt when the
 * decrement has become small, or the primal value so low that the last attempt's multipliers would do. */
static hsp_status newton_try_dual(newton_run *run, double left)
{
    hsp__newton *s = run->s;
    const int form = s->form == HSP__SQUARED_HINGE || s->form == HSP__LOGISTIC;
    const double primal = run->lowest.value, wanted = run->goal->gap * primal;
    const int first = run->tried == 0 && NEWTON_ARRIVED * left <= wanted;
    const int again =
        run->tried > 0 && (left <= NEWTON_AGAIN * run->tried || primal - run->reached <= wanted);
    if (run->sample || !form || hsp__hessian_is_direct(s->dim) || s->ctx->shard ||
        run->steps == 0 || !(first || again))
        return HSP_OK;
    run->tried = left;
    run->reached = hsp__newton_dual(s, primal, wanted);
    if (newton_stopping(run)) return HSP_OK;
    if (!(primal - run->reached <= wanted)) {
        hsp__newton_move(s, 0, HSP__NEWTON_RESTART);
        return HSP_OK;
    }
    run->reached = -HUGE_VAL;
    HSP__TRY(newton_compute_gap(run, run->lowest.w));
    run->done = run->best.values.gap <= run->goal->gap;
    if (run->done) run->stop = HSP_STOP_CONVERGED;
    return run->done ? HSP_OK : newton_resume(run);
}

/* Minimise with the anchors as they are, as far as is worth while. */
static hsp_status newton_minimise(newton_run *run)
{
    hsp__newton *s = run->s;
    const int anchored = hsp__newton_anchored(s);
    newton_minimised *m = &run->minimised;
    if (!run->resumed) *m = (newton_minimised){.left = HUGE_VAL, .before = HUGE_VAL};
    run->resumed = 0;
    for (; !newton_stopping(run) && m->moved < NEWTON_INNER; m->moved++) {
        HSP__TRY(hsp__newton_save(run));
        const hsp__newton_estimates f = hsp__newton_estimate(s);
        const double slack = s->now.slack;
        if (!run->sample) hsp__pass_log_note(s->ctx, run->goal->log, s->passes, f.primal, f.dual);
        if (!run->sample && f.primal < run->lowest.value) {
            run->lowest.value = f.primal;
            memcpy(run->lowest.w, s->w, s->dim * sizeof *run->lowest.w);
        }
        if (newton_gap(&f) < NEWTON_NEARER * run->nearest) { /* short steps have been of use */
            run->nearest = newton_gap(&f);
            run->shorts = 0;
        }
        if (newton_gap(&f) <= run->wanted) { /* compute the gap, or (sample) end */
            run->done = run->sample;
            if (run->done) return HSP_OK;
            HSP__TRY(newton_compute_gap(run, s->w));
            if (run->best.values.gap <= run->goal->gap) {
                run->done = 1;
                run->stop = HSP_STOP_CONVERGED;
                return HSP_OK;
            }
            run->wanted /= 4; /* our estimate was too low */
            HSP__TRY(newton_resume(run));
        }
        HSP__TRY(newton_try_dual(run, m->left));
        if (run->done) return HSP_OK;
        if (anchored && m->moved && f.residual <= 0.1 * slack) return HSP_OK;
        if (run->follow_tau && m->moved && slack > 0.5 * run->wanted * f.primal &&
            m->left <= 0.3 * slack)
            return HSP_OK;
        if (newton_is_heavy(s) && newton_lighten(s, 0)) m->before = HUGE_VAL;
        newton_step(run, 0, HSP__NEWTON_GO, &m->left);
        if (m->moved == 0) m->first = m->left;
        HSP__TRY(newton_long_rows(run, m->left));
        if (run->done) return HSP_OK;
        m->slow += m->left > 0.5 * m->before;
        m->before = m->left;
        const int ended = !(m->left > 1e-25 * m->first) || !(m->left > 1e-16 * f.size);
        if (s->by_matrix && !run->sample && (m->slow >= NEWTON_SLOW || ended)) {
            HSP__TRY(newton_leave_matrix(run));
            m->before = HUGE_VAL;
        } else if (ended && newton_is_heavy(s)) {
            newton_lighten(s, 1);
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

/* By how much tau grows. Hard margin: with a matrix, a larger tau costs nothing; conjugate gradients
 * take the more products the larger tau is, and more outer steps at a small tau are cheaper. */
static double newton_growth(const hsp__newton *s, const hsp__newton_estimates *now)
{
    if (s->form != HSP__HARD_MARGIN) return NEWTON_GROWTH;
    if (hsp__hessian_is_direct(s->dim)) return NEWTON_GROWTH_HARD;
    return isfinite(now->primal) ? NEWTON_GROWTH_CG : NEWTON_GROWTH;
}

/* Smooth losses need none. The end: the gap is small enough, a limit was met, or nothing improves. */
static hsp_status newton_outer(newton_run *run)
{
    hsp__newton *s = run->s;
    const int anchored = hsp__newton_anchored(s), hard = s->form == HSP__HARD_MARGIN;
    double left;
    if (!run->resumed) run->last = HUGE_VAL;
    while (!run->done) {
        HSP__TRY(newton_minimise(run));
        if (run->done) return HSP_OK;
        const hsp__newton_estimates f = hsp__newton_estimate(s);
        const double gap = f.primal - f.dual;
        if (hard) HSP__TRY(newton_evidence(run));
        if (run->done) return HSP_OK;
        run->stalls = gap < 0.7 * run->last ? 0 : run->stalls + 1;
        run->last = fmin(run->last, gap);
        const int most = hard ? NEWTON_STALLS_HARD : NEWTON_STALLS;
        if ((!run->follow_tau && run->stalls >= most) || (!anchored && run->stalls)) {
            run->done = 1;
            run->stop = HSP_STOP_PASSES;
            return HSP_OK;
        }
        if (!anchored) continue;
        /* Other anchors, a larger tau, and a step that keeps up with them. */
        run->done = run->sample && s->tau >= newton_sample_tau(s);
        if (run->done) return HSP_OK;
        const hsp__newton_estimates now = hsp__newton_estimate(s);
        if (s->now.slack <= NEWTON_FOLLOW * now.primal ||
            s->now.turned <= NEWTON_CALM * s->now.active)
            run->follow_tau = 0;
        if (!run->follow_tau) HSP__TRY(hsp__newton_anchor(s, run->err));
        assert(s->tau > 0);
        s->tau *= newton_growth(s, &now);
        hsp__newton_move(s, 0, HSP__NEWTON_HOLD);
        newton_step(run, 1, HSP__NEWTON_GO, &left);
    }
    return HSP_OK;
}

/* ---- Memory ---------------------------------------------------------------------------------- */

/* Columns whose spread is kept: none where no matrix is made that damping could be added to. */
static uint64_t newton_spread(const hsp__problem *p)
{
    return hsp__hessian_is_direct(p->view->cols + (p->offset != HSP__OFFSET_NONE)) ? p->view->cols
                                                                                   : 0;
}

/* The rows of a sample that are in files, next to each other: every pass over them where they are would read
 * all pages for a few rows of each. */
static hsp_status newton_gather(hsp__newton *s, hsp_error *err)
{
    const hsp_view *view = s->p->view;
    const size_t bytes = hsp__value_bytes(view->precision);
    const uint64_t n = s->n;
    uint64_t stored = 0;
    uint64_t *starts = NULL;
    uint32_t *indices = NULL;
    char *values = NULL;
    for (uint64_t i = 0; i < n; i++)
        stored += hsp__view_row(view, i * s->stride).count;
    if (view->storage != HSP_DENSE) {
        starts = hsp__scratch_raw(&s->scratch, n + 1, sizeof *starts);
        indices = hsp__scratch_raw(&s->scratch, stored, sizeof *indices);
    }
    if (view->storage != HSP_ONES) values = hsp__scratch_raw(&s->scratch, stored, bytes);
    if (s->scratch.failed) return hsp__fail_memory(err);
    uint64_t at = 0;
    for (uint64_t i = 0; i < n; i++) {
        const hsp__row row = hsp__view_row(view, i * s->stride);
        hsp__paging_row(&s->ctx->allocator, i);
        if (i % 64 == 0) hsp__tick(s->ctx); /* a copy is whole all the same */
        if (values && row.count) memcpy(values + at * bytes, row.values, row.count * bytes);
        if (indices && row.count) memcpy(indices + at, row.indices, row.count * sizeof *indices);
        if (starts) starts[i] = at;
        at += row.count;
    }
    if (starts) starts[n] = at;
    assert(at == stored);
    s->sample = view->storage == HSP_DENSE
                    ? hsp_view_dense(view->precision, n, view->cols, view->cols, values)
                    : hsp_view_sparse(view->precision, n, view->cols, 8, starts, indices, values);
    s->rows = &s->sample;
    s->row_step = 1;
    return HSP_OK;
}

/* Which rows are looked at. */
static hsp_status newton_choose_rows(hsp__newton *s, hsp_error *err)
{
    const hsp_view *view = s->p->view;
    const uint64_t bytes = hsp_view_stored(view) * hsp__value_bytes(view->precision);
    s->rows = view;
    s->row_step = s->stride;
    if (s->stride == 1) return HSP_OK;
    if (hsp__paging_exceeds(&s->ctx->allocator, bytes)) return newton_gather(s, err);
    if (view->storage != HSP_DENSE) return HSP_OK;
    s->sample =
        hsp_view_dense(view->precision, s->n, view->cols, view->stride * s->stride, view->values);
    s->rows = &s->sample;
    s->row_step = 1;
    return HSP_OK;
}

/* `out`, `lent`: the caller's arrays for multipliers and scores, and the factor of a sample; NULL:
 * none. */
static hsp_status newton_new(hsp__newton *s, hsp_context *ctx, const hsp__problem *p,
                             const hsp__goal *goal, uint64_t step, const hsp__solution *out,
                             const double *lent, hsp_error *err)
{
    *s = (hsp__newton){.ctx = ctx,
                       .p = p,
                       .goal = goal,
                       .loss = hsp__problem_loss(p),
                       .scratch.memory = &ctx->allocator,
                       .n = (p->view->rows + step - 1) / step,
                       .stride = step,
                       .d = p->view->cols,
                       .dim = p->view->cols + (p->offset != HSP__OFFSET_NONE),
                       .ridge = 1,
                       .err = err};
    hsp__scratch *scratch = &s->scratch;
    s->form = s->loss->form;
    uint64_t totals[2] = {p->view->rows, hsp_view_stored(p->view)};
    hsp__shard_add(ctx, totals, 2);
    s->all = ctx->shard ? totals[0] : s->n;
    s->places = (double)totals[1] / (double)(totals[0] + 1);
    const double root = hsp__newton_root(s);
    if (p->hard && root > 0) s->ridge = root;
    if (s->form == HSP__SQUARED_HINGE && hsp__hessian_is_direct(s->dim))
        s->heavy = fmax(1, fmax(p->cost[0], p->cost[1]) * root * root / NEWTON_LIGHT);
    s->offset_ridge = p->offset == HSP__OFFSET_REGULARIZED ? s->ridge : 0;
    /* Parts have a sum of dim numbers each, so there are few where columns are many. */
    const uint64_t stored = hsp_view_stored(p->view) / step, most = stored / (8 * s->dim + 1) + 1;
    s->parts = hsp__parts(s->n, stored / (s->n + 1) * sizeof(double) + 64);
    if (s->parts > 16) s->parts = 16;
    if (s->parts > most) s->parts = most;
    if (s->parts > 2) s->parts -= s->parts % 2; /* as many for each of two threads */
    if (ctx->shard) s->parts = 1;
    assert(s->parts > 0 && s->n <= p->view->rows && s->ridge > 0);
    s->first_anchor = s->form == HSP__HINGE ? 0.5 : 0;
    s->by_matrix =
        s->form == HSP__SQUARED_HINGE && hsp__hessian_is_direct(s->dim) && !lent && !ctx->shard;
    const int curved = s->form != HSP__LOGISTIC && s->form != HSP__SMOOTH;
    s->score = hsp__scratch_raw(scratch, s->n, sizeof *s->score);
    s->delta_score = out ? out->scores : NULL;
    if (!s->delta_score) s->delta_score = hsp__scratch_raw(scratch, s->n, sizeof(double));
    /* a sample by the matrix is never asked for its multipliers */
    s->a = out ? out->dual : hsp__scratch_raw(scratch, s->by_matrix ? 0 : s->n, sizeof *s->a);
    if (curved) s->curved = hsp__scratch_new(scratch, s->n, sizeof *s->curved);
    s->w = hsp__scratch_new(scratch, s->dim, sizeof *s->w);
    s->u = hsp__scratch_new(scratch, s->dim, sizeof *s->u);
    s->delta = hsp__scratch_new(scratch, s->dim, sizeof *s->delta);
    s->spread = hsp__scratch_new(scratch, newton_spread(p), sizeof *s->spread);
    s->sums = hsp__scratch_raw(scratch, s->by_matrix ? 0 : s->parts * s->dim + HSP__NEWTON_STATE,
                               sizeof *s->sums);
    s->states = hsp__scratch_raw(scratch, s->parts, sizeof *s->states);
    s->lines = hsp__scratch_raw(scratch, s->parts, sizeof *s->lines);
    hsp_status status = scratch->failed ? hsp__fail_memory(err) : HSP_OK;
    if (!status) status = newton_choose_rows(s, err);
    if (!status) status = hsp__hessian_new(s, lent, err);
    return hsp__shard_agree(ctx, status ? status : s->failed, err);
}

/* ---- Where to start -------------------------------------------------------------------------- */

static int newton_all_zero(const double *x, uint64_t count)
{
    for (uint64_t i = 0; i < count; i++)
        if (x[i] != 0) return 0;
    return 1;
}

/* Without multipliers the anchors are in the middle of the box, which rounds off the hinge's corner
 * on both sides alike. */
static void newton_start(newton_run *run, const double *w, double tau)
{
    hsp__newton *s = run->s;
    memcpy(s->w, w, s->dim * sizeof *w);
    s->tau = tau > 0 ? tau : s->form == HSP__HARD_MARGIN ? 1 / s->ridge : 0.25;
    hsp__newton_move(s, 0, HSP__NEWTON_RESTART);
    run->own_multipliers = 1;
    const hsp__newton_estimates f = hsp__newton_estimate(s);
    if (s->heavy > 1 && !(newton_gap(&f) < NEWTON_LIGHTER_GAP)) newton_set_penalty(s, s->heavy);
}

/* Solve ever larger samples roughly: w (dim) and *tau are where to go on from; the last one's
 * matrix may be of use, too. */
static hsp_status newton_samples(hsp_context *ctx, const hsp__problem *p, const hsp__goal *goal,
                                 hsp_error *err, double *w, double *spread, double *tau,
                                 uint64_t *passes, double **lent)
{
    const uint64_t least = NEWTON_SAMPLE + NEWTON_SAMPLE_DIM * p->view->cols;
    hsp_status status = HSP_OK;
    for (uint64_t step = p->view->rows / least; step >= NEWTON_SAMPLE_LEAST && !status;
         step /= NEWTON_SAMPLE_CUT) {
        hsp__newton s;
        newton_run run = {.s = &s, .goal = goal, .err = err, .sample = 1};
        run.wanted = NEWTON_SAMPLE_GAP;
        status = newton_new(&s, ctx, p, goal, step, NULL, NULL, err);
        if (!status) {
            run.follow_tau = s.form == HSP__HINGE;
            memcpy(s.spread, spread, newton_spread(p) * sizeof *spread);
            newton_start(&run, w, *tau);
            status = newton_outer(&run);
            memcpy(w, s.w, s.dim * sizeof *w);
            memcpy(spread, s.spread, newton_spread(p) * sizeof *spread);
            *tau = fmin(s.tau, newton_sample_tau(&s));
            *passes += s.passes / step;
            hsp__free(&ctx->allocator, *lent);
            *lent = hsp__hessian_lend(&s);
        }
        hsp__hessian_free(&s);
        hsp__scratch_free(&s.scratch);
    }
    return status;
}

/* ---- The solver ------------------------------------------------------------------------------ */

static hsp_status newton_full(newton_run *run, const double *w, double tau)
{
    hsp__newton *s = run->s;
    const hsp_view *view = s->p->view;
    for (uint64_t i = 0; s->p->hard && i < s->n; i++) { /* the longest row's norm */
        hsp__paging_row(&s->ctx->allocator, i);
        if (i % 1024 == 0 && hsp__tick(s->ctx)) break;
        const hsp__row row = hsp__view_row(view, i);
        double sum = s->offset_ridge > 0 ? 1 : 0;
        for (uint64_t k = 0; k < row.count; k++) {
            const double value = hsp__row_value(view, &row, k);
            sum += value * value;
        }
        run->longest = fmax(run->longest, sqrt(sum));
    }
    run->follow_tau = s->form == HSP__HINGE;
    if (hsp__newton_anchored(s) && !newton_all_zero(run->out->dual, s->n)) {
        /* Anchors from multipliers that came from elsewhere. */
        run->follow_tau = 0;
        for (uint64_t i = 0; i < s->n; i++) {
            const double c = fabs(hsp__newton_cost(s, i)), given = run->out->dual[i];
            const double a = c > 0 && given > 0 ? given : 0;
            s->a[i] = s->form == HSP__HINGE ? fmin(a, c) : s->ridge * a;
        }
        HSP__TRY(hsp__newton_anchor(s, run->err));
    }
    newton_start(run, w, tau);
    hsp_status status = hsp__newton_load(run);
    if (!status) status = newton_outer(run);
    if (newton_stopping(run)) {
        /* the best weights so far, with their gap if it is known or there is time to compute it */
        hsp_context *ctx = s->ctx;
        hsp__stop brief;
        hsp_context last = hsp__stop_grace(&brief, ctx);
        const double *lowest = run->lowest.value < HUGE_VAL ? run->lowest.w : s->w;
        s->ctx = &last;
        status = HSP_OK;
        if (run->own_multipliers || run->best.values.primal == HUGE_VAL)
            status = newton_compute_gap(run, lowest);
        s->ctx = ctx;
        if (status != HSP_CANCELLED) return status;
        if (run->best.values.primal < HUGE_VAL) return HSP_OK;
        memcpy(run->best.w, lowest, s->dim * sizeof *lowest);
        memset(s->a, 0, s->n * sizeof *s->a);
        run->best.values = (hsp__gap_values){.primal = (double)NAN, .gap = 1};
        run->best.in_place = 1;
        return HSP_OK;
    }
    if (status || run->stop == HSP_STOP_CONVERGED || run->stop == HSP_STOP_INSEPARABLE)
        return status;
    if (!run->own_multipliers) status = newton_resume(run);
    if (!status) status = newton_compute_gap(run, s->w); /* cut short: the best there is */
    if (!status && run->lowest.value < HUGE_VAL) status = newton_compute_gap(run, run->lowest.w);
    if (!status && run->best.values.gap <= run->goal->gap) run->stop = HSP_STOP_CONVERGED;
    return status;
}

static int newton_suits(const hsp__problem *p)
{
    return p->penalty == HSP__PENALTY_L2 && (!p->hard || p->loss->form == HSP__HINGE);
}

static hsp_status newton_solve(hsp_context *ctx, const hsp__problem *p, const hsp__goal *goal,
                               hsp_error *err, hsp__solution *out)
{
    const uint64_t d = p->view->cols, n = p->view->rows;
    hsp__scratch scratch = {.memory = &ctx->allocator};
    hsp__newton s = {.ctx = ctx};
    newton_run run = {.s = &s, .goal = goal, .out = out, .err = err, .wanted = goal->gap};
    assert(newton_suits(p) && p->view->labels && out->dual);
    if (!ctx->shard && hsp__newton_by_rows(p) && newton_all_zero(out->w, d)) {
        int done;
        HSP__TRY(hsp__newton_gram(ctx, p, goal, err, out, &done));
        if (done && out->stop != HSP_STOP_PASSES) return HSP_OK;
    }
    run.nearest = d <= NEWTON_PATIENT ? HUGE_VAL : NEWTON_NEARLY;
    double *w = hsp__scratch_new(&scratch, d + 1, sizeof *w), tau = 0, *lent = NULL;
    uint64_t passes = 0;
    double *spread = hsp__scratch_new(&scratch, newton_spread(p), sizeof *spread);
    run.lowest.w = hsp__scratch_new(&scratch, d + 1, sizeof *w);
    run.lowest.value = HUGE_VAL;
    run.trial = hsp__scratch_new(&scratch, d + 1, sizeof *w);
    run.best.w = hsp__scratch_new(&scratch, d + 1, sizeof *w);
    run.best.values = (hsp__gap_values){.primal = HUGE_VAL, .dual = -HUGE_VAL, .gap = 1};
    hsp_status status = hsp__shard_agree(ctx, scratch.failed ? hsp__fail_memory(err) : HSP_OK, err);
    if (!status) {
        memcpy(w, out->w, d * sizeof *w);
        w[d] = out->b;
        /* (with many columns, a sample says little about most of them; of rows that are divided among
         * ranks there is none) */
        if (!p->hard && !ctx->shard && hsp__hessian_is_direct(d + 1) && newton_all_zero(w, d + 1) &&
            newton_all_zero(out->dual, n))
            status = newton_samples(ctx, p, goal, err, w, spread, &tau, &passes, &lent);
    }
    if (!status) status = newton_new(&s, ctx, p, goal, 1, out, lent, err);
    if (!status) memcpy(s.spread, spread, newton_spread(p) * sizeof *spread);
    s.passes = passes;
    if (!status) status = newton_full(&run, w, tau);
    if (s.failed) status = s.failed;
    if (!status) {
        const newton_best *best = &run.best;
        memcpy(out->w, best->w, d * sizeof *out->w);
        out->b = s.dim > d ? best->w[d] : 0;
        if (!best->in_place && best->a) memcpy(out->dual, best->a, n * sizeof *out->dual);
        out->gap_known = run.scored && out->u && run.stop == HSP_STOP_CONVERGED && !p->hard;
        if (out->gap_known) memcpy(out->u, s.delta, d * sizeof *out->u); /* scores are there */
        out->primal = best->values.primal;
        out->dual_value = best->values.dual;
        out->gap = best->values.gap;
        out->rounding = best->values.rounding;
        out->passes = s.passes;
        out->updates = s.updates;
        out->stop = run.stop;
    }
    hsp__hessian_free(&s);
    hsp__scratch_free(&s.scratch);
    hsp__free(&ctx->allocator, lent);
    hsp__scratch_free(&scratch);
    return status;
}

const hsp__solver hsp__solver_newton = {
    .name = "newton",
    .summary = "Newton's method, for few columns, any number of rows, small gaps",
    .suits = newton_suits,
    .solve = newton_solve,
};
