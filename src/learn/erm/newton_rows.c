/* The passes of the second-order solver over the rows: along a direction, to the next place. Rows
 * whose multiplier did not change cost nothing but their score. */
#include "base/base.h"
#include "base/paging.h"
#include "learn/erm/gap.h"
#include "learn/erm/newton.h"
#include "learn/erm/matvec.h"
#include "model/model.h"
#include "vec/vec.h"

#define NEWTON_ROWS_INLINE static inline __attribute__((always_inline))

/* ---- One row --------------------------------------------------------------------------------- */

/* Rows whose exponentials are computed together (logistic loss), and between two looks at the memory. */
enum { NEWTON_ROWS_MANY = 256 };

typedef struct newton_rows_terms {
    double slope;  /* the negative gradient, and */
    double weight; /* the curvature without hsp__newton_factor, of a row of cost 1 */
} newton_rows_terms;

NEWTON_ROWS_INLINE newton_rows_terms newton_row(hsp__loss_form form, const hsp__loss *loss,
                                                double m, double anchor, double tau)
{
    const double z = 1 - m;
    if (form == HSP__SQUARED_HINGE)
        return z > 0 ? (newton_rows_terms){2 * z, 1} : (newton_rows_terms){0, 0};
    if (form == HSP__SMOOTH || form == HSP__LOGISTIC) {
        const double s = loss->neg_gradient(m);
        return (newton_rows_terms){s, loss->curvature(s, 1)};
    }
    const double s = anchor + tau * z;
    if (!(s > 0)) return (newton_rows_terms){0, 0};
    if (form == HSP__HINGE && !(s < 1)) return (newton_rows_terms){1, 0};
    return (newton_rows_terms){s, 1};
}

/* out = X w with the offset, rows from .. to - 1. */
static void newton_rows_scores(const hsp__newton *s, const double *w, uint64_t from, uint64_t to,
                               double *out)
{
    const hsp_view *view = s->rows;
    const double b = s->dim > s->d ? w[s->d] : 0;
    if (hsp__matvec_narrow(view))
        hsp__matvec_narrow_scores(s->ctx, view, w, b, from, to - from, out + from);
    else
        for (uint64_t i = from; i < to; i++) {
            hsp__paging_row(&s->ctx->allocator, i);
            out[i] = hsp__row_score(view, i * s->row_step, w, b);
        }
}

static void newton_rows_score_part(void *user, uint64_t part)
{
    hsp__newton *s = user;
    newton_rows_scores(s, s->w, hsp__part(s->n, s->parts, part),
                       hsp__part(s->n, s->parts, part + 1), s->score);
}

void hsp__newton_scores(hsp__newton *s)
{
    s->passes++;
    hsp__tasks_try(s->ctx, s->parts, newton_rows_score_part, s);
}

/* What hsp__newton_cost looks at, in one place that nothing written in a loop can change. */
typedef struct newton_rows_costs {
    const uint32_t *labels;
    const double *weight; /* of rows, or NULL */
    uint32_t positive;
    uint64_t stride;
    double cost[2]; /* y c of a row of weight 1: negative, positive */
} newton_rows_costs;

static newton_rows_costs newton_rows_costs_of(const hsp__newton *s)
{
    const hsp__problem *p = s->p;
    newton_rows_costs costs = {
        p->view->labels, p->hard ? NULL : p->row_weight, p->positive, s->stride, {-1, 1}};
    for (int side = 0; side < 2 && !p->hard; side++)
        costs.cost[side] *= (double)s->stride * p->cost[side];
    return costs;
}

NEWTON_ROWS_INLINE double newton_cost(const newton_rows_costs *costs, uint64_t i)
{
    const uint64_t at = i * costs->stride;
    const double c = costs->labels[at] == costs->positive ? costs->cost[1] : costs->cost[0];
    return costs->weight ? c * costs->weight[at] : c;
}

/* ---- Along a direction ----------------------------------------------------------------------- */

typedef struct newton_rows_step {
    hsp__newton *s;
    double t;
    int fresh; /* scores, or what delta adds to them, must be computed first */
    hsp__newton_how how;
} newton_rows_step;

NEWTON_ROWS_INLINE void newton_line_rows(hsp__loss_form form, const hsp__loss *loss,
                                         const hsp__newton *s, uint64_t from, uint64_t to, double t,
                                         hsp__newton_sums *out)
{
    const newton_rows_costs costs = newton_rows_costs_of(s);
    const double *scores = s->score, *moves = s->delta_score, *anchors = s->anchor;
    const double first = s->first_anchor, tau = s->tau;
    hsp__newton_sums sums = {0, 0};
    for (uint64_t i = from; i < to; i++) {
        const double cost = newton_cost(&costs, i), y = cost < 0 ? -1 : 1, move = moves[i];
        const newton_rows_terms row =
            newton_row(form, loss, y * (scores[i] + t * move), anchors ? anchors[i] : first, tau);
        sums.slope -= cost * row.slope * move;
        sums.curve += y * cost * row.weight * (move * move);
    }
    *out = sums;
}

/* Squared hinge and rows in one piece, all of a class weighing the same: the loops of vec.h. */
static int newton_rows_is_plain(const hsp__newton *s)
{
    return s->form == HSP__SQUARED_HINGE && s->stride == 1 && !s->p->row_weight;
}

static hsp__vec_groups newton_rows_plain(const hsp__newton *s, uint64_t from)
{
    const hsp__problem *p = s->p;
    return (hsp__vec_groups){p->view->labels + from, p->positive, {p->cost[0], p->cost[1]}};
}

static void newton_line_logistic(const hsp__newton *s, uint64_t from, uint64_t to, double t,
                                 hsp__newton_sums *out)
{
    const newton_rows_costs costs = newton_rows_costs_of(s);
    double m[NEWTON_ROWS_MANY], slope[NEWTON_ROWS_MANY], weight[NEWTON_ROWS_MANY];
    hsp__newton_sums sums = {0, 0};
    for (uint64_t first = from; first < to; first += NEWTON_ROWS_MANY) {
        const uint64_t many = to - first < NEWTON_ROWS_MANY ? to - first : NEWTON_ROWS_MANY;
        const double *scores = s->score + first, *moves = s->delta_score + first;
        for (uint64_t k = 0; k < many; k++) {
            const double score = scores[k] + t * moves[k];
            m[k] = newton_cost(&costs, first + k) < 0 ? -score : score;
        }
        hsp__vec()->logistic_f64(m, (size_t)many, slope, weight, NULL);
        for (uint64_t k = 0; k < many; k++) {
            const double cost = newton_cost(&costs, first + k);
            sums.slope -= cost * slope[k] * moves[k];
            sums.curve += fabs(cost) * weight[k] * (moves[k] * moves[k]);
        }
    }
    *out = sums;
}

static void newton_rows_line(const newton_rows_step *line, uint64_t from, uint64_t to,
                             hsp__newton_sums *out)
{
    hsp__newton *s = line->s;
    if (line->fresh) newton_rows_scores(s, s->delta, from, to, s->delta_score);
    if (newton_rows_is_plain(s)) {
        const hsp__vec_groups rows = newton_rows_plain(s, from);
        double sums[2];
        hsp__vec()->positive_line(&rows, s->score + from, s->delta_score + from, line->t, to - from,
                                  sums);
        *out = (hsp__newton_sums){-sums[0], sums[1]};
        return;
    }
    if (s->form == HSP__LOGISTIC) {
        newton_line_logistic(s, from, to, line->t, out);
        return;
    }
    HSP__BY_LOSS(s->loss, newton_line_rows, s, from, to, line->t, out)
}

static void newton_rows_line_part(void *user, uint64_t part)
{
    const newton_rows_step *line = user;
    const hsp__newton *s = line->s;
    newton_rows_line(line, hsp__part(s->n, s->parts, part), hsp__part(s->n, s->parts, part + 1),
                     &s->lines[part]);
}

static void newton_rows_line_block(void *user, uint32_t block, uint64_t from, uint64_t to,
                                   double *sum)
{
    hsp__newton_sums one;
    (void)block;
    newton_rows_line(user, from, to, &one);
    sum[0] = one.slope, sum[1] = one.curve;
}

hsp__newton_sums hsp__newton_along(hsp__newton *s, double t, int fresh)
{
    newton_rows_step line = {.s = s, .t = t, .fresh = fresh};
    hsp__newton_sums all = {0, 0};
    s->passes += fresh != 0;
    if (s->ctx->shard) {
        double sum[2];
        hsp__newton_sum(s, 2, 1, newton_rows_line_block, &line, sum);
        s->lines[0] = (hsp__newton_sums){sum[0], sum[1]};
    } else if (!hsp__tasks_try(s->ctx, s->parts, newton_rows_line_part, &line)) {
        return all;
    }
    for (uint64_t part = 0; part < s->parts; part++) {
        all.slope += s->lines[part].slope;
        all.curve += s->lines[part].curve;
    }
    all.curve *= hsp__newton_factor(s);
    return all;
}

/* ---- To the next place ----------------------------------------------------------------------- */

NEWTON_ROWS_INLINE void newton_step_rows(hsp__loss_form form, const hsp__loss *loss, hsp__newton *s,
                                         uint64_t from, uint64_t to, const newton_rows_step *step,
                                         double *sum, hsp__newton_state *out)
{
    const double t = step->t;
    const int hold = step->how == HSP__NEWTON_HOLD, shed = step->how == HSP__NEWTON_SHED;
    const int offset = s->dim > s->d;
    const int smooth = form == HSP__LOGISTIC || form == HSP__SMOOTH;
    const newton_rows_costs costs = newton_rows_costs_of(s);
    double *const scores = s->score, *const as = s->a;
    const double *const moves = s->delta_score, *const anchors = s->anchor;
    unsigned char *const curves = s->curved;
    const double first = s->first_anchor, tau = s->tau;
    hsp__newton_state state = {.least = HUGE_VAL};
    for (uint64_t i = from; i < to; i++) {
        const double cost = newton_cost(&costs, i), y = cost < 0 ? -1 : 1, c = y * cost;
        hsp__paging_row(&s->ctx->allocator, i);
        const double anchor = anchors ? anchors[i] : first;
        if (t != 0) scores[i] += t * moves[i];
        const double m = y * scores[i];
        newton_rows_terms row = newton_row(form, loss, m, anchor, tau);
        if (hold && curves[i])
            row = (newton_rows_terms){anchor + tau * (1 - m), 1};
        else if (hold || (shed && !smooth && !curves[i]))
            row = (newton_rows_terms){c > 0 ? as[i] / c : 0, 0};
        const double a = c * row.slope, old = as[i];
        /* Of a cost of 1: the problem's loss, and e(s) of the multiplier s that belongs to it. */
        double value = m < 1 ? 1 - m : 0, conjugate = row.slope;
        if (form == HSP__SQUARED_HINGE) {
            value *= value;
            conjugate -= row.slope * row.slope / 4;
        } else if (smooth) {
            value = loss->value(m, 1 - m);
            conjugate = row.slope * m + value;
        }
        state.loss += c * value;
        state.conjugate += c * conjugate;
        if (form == HSP__HINGE || form == HSP__HARD_MARGIN)
            state.slack +=
                c * (form == HSP__HINGE ? value - row.slope * (1 - m) : row.slope * fabs(1 - m));
        state.total += a;
        if (c > 0 && m < state.least) state.least = m;
        if (!smooth) {
            const unsigned char curved = c > 0 && row.weight > 0;
            state.active += curved;
            state.turned += curved != curves[i];
            curves[i] = curved;
        }
        if (a == old) continue;
        as[i] = a;
        if (offset) sum[s->d] += y * (a - old);
        hsp__matvec_add_row(s->rows, i * s->row_step, y * (a - old), sum);
    }
    *out = state;
}

static void newton_step_logistic(hsp__newton *s, uint64_t from, uint64_t to, double t, double *sum,
                                 hsp__newton_state *out)
{
    const newton_rows_costs costs = newton_rows_costs_of(s);
    double m[NEWTON_ROWS_MANY], slope[NEWTON_ROWS_MANY], value[NEWTON_ROWS_MANY];
    hsp__newton_state state = {.least = HUGE_VAL};
    for (uint64_t first = from; first < to; first += NEWTON_ROWS_MANY) {
        const uint64_t many = to - first < NEWTON_ROWS_MANY ? to - first : NEWTON_ROWS_MANY;
        double *scores = s->score + first;
        for (uint64_t k = 0; k < many; k++) {
            if (t != 0) scores[k] += t * s->delta_score[first + k];
            m[k] = newton_cost(&costs, first + k) < 0 ? -scores[k] : scores[k];
        }
        hsp__vec()->logistic_f64(m, (size_t)many, slope, NULL, value);
        for (uint64_t k = 0; k < many; k++) {
            const uint64_t i = first + k;
            hsp__paging_row(&s->ctx->allocator, i);
            const double cost = newton_cost(&costs, i), c = fabs(cost), a = c * slope[k];
            const double more = a - s->a[i];
            state.loss += c * value[k];
            state.conjugate += c * (slope[k] * m[k] + value[k]);
            state.total += a;
            if (c > 0 && m[k] < state.least) state.least = m[k];
            if (more == 0) continue;
            s->a[i] = a;
            if (s->dim > s->d) sum[s->d] += cost < 0 ? -more : more;
            hsp__matvec_add_row(s->rows, i * s->row_step, cost < 0 ? -more : more, sum);
        }
    }
    *out = state;
}

/* by_matrix: nothing but the scores, the sums of the rows, and which of them have curvature. e(a) of a
 * row is 2 c z - c z^2. */
static hsp__newton_state newton_rows_step_by_matrix(const hsp__newton *s, uint64_t from,
                                                    uint64_t to, double t, int shed)
{
    hsp__newton_state state = {0};
    if (newton_rows_is_plain(s) && !shed) {
        const hsp__vec_groups rows = newton_rows_plain(s, from);
        double sums[2];
        uint64_t counts[2];
        hsp__vec()->positive_step(&rows, s->score + from, t != 0 ? s->delta_score + from : NULL, t,
                                  to - from, s->curved + from, sums, counts);
        state.loss = sums[0], state.total = sums[1];
        state.active = counts[0], state.turned = counts[1];
        state.conjugate = state.total - state.loss;
    } else {
        const newton_rows_costs costs = newton_rows_costs_of(s);
        for (uint64_t i = from; i < to; i++) {
            const double cost = newton_cost(&costs, i), c = fabs(cost);
            if (t != 0) s->score[i] += t * s->delta_score[i];
            const double z = 1 - (cost < 0 ? -s->score[i] : s->score[i]), some = z > 0 ? z : 0;
            const unsigned char curved = c > 0 && z > 0 && (!shed || s->curved[i]);
            state.loss += c * (some * some);
            if (curved) state.conjugate += c * (2 * some - some * some);
            state.active += curved;
            state.turned += curved != s->curved[i];
            s->curved[i] = curved;
        }
    }
    return state;
}

/* `sum`: zeros; what the rows add to u. by_matrix: not looked at. */
static void newton_rows_move(const newton_rows_step *step, uint64_t from, uint64_t to, double *sum,
                             hsp__newton_state *out)
{
    hsp__newton *s = step->s;
    if (step->fresh) newton_rows_scores(s, s->w, from, to, s->score);
    if (s->by_matrix) {
        *out = newton_rows_step_by_matrix(s, from, to, step->t, step->how == HSP__NEWTON_SHED);
        return;
    }
    if (step->fresh) memset(s->a + from, 0, (to - from) * sizeof *s->a);
    if (s->form == HSP__LOGISTIC) {
        newton_step_logistic(s, from, to, step->t, sum, out);
        return;
    }
    HSP__BY_LOSS(s->loss, newton_step_rows, s, from, to, step, sum, out)
}

static void newton_rows_step_part(void *user, uint64_t part)
{
    const newton_rows_step *step = user;
    const hsp__newton *s = step->s;
    double *sum = s->by_matrix ? NULL : s->sums + part * s->dim;
    if (sum) memset(sum, 0, s->dim * sizeof *sum);
    newton_rows_move(step, hsp__part(s->n, s->parts, part), hsp__part(s->n, s->parts, part + 1),
                     sum, &s->states[part]);
}

/* Behind what the rows add to u: their state. (The smallest margin is asked for where a separator is
 * demanded, and such rows are not divided.) */
static void newton_rows_step_block(void *user, uint32_t block, uint64_t from, uint64_t to,
                                   double *sum)
{
    const newton_rows_step *step = user;
    hsp__newton_state one;
    (void)block;
    newton_rows_move(step, from, to, sum, &one);
    const double state[HSP__NEWTON_STATE] = {one.loss,  one.conjugate,      one.slack,
                                             one.total, (double)one.active, (double)one.turned};
    memcpy(sum + step->s->dim, state, sizeof state);
}

void hsp__newton_move(hsp__newton *s, double t, hsp__newton_how how)
{
    const hsp__vec_table *vec = hsp__vec();
    const int fresh = how == HSP__NEWTON_RESTART;
    newton_rows_step step = {.s = s, .t = t, .fresh = fresh, .how = how};
    hsp__newton_state all = {.least = HUGE_VAL};
    s->passes += fresh ? 2 : how != HSP__NEWTON_HOLD;
    if (s->ctx->shard) {
        const double *state = s->sums + s->dim;
        hsp__newton_sum(s, s->dim + HSP__NEWTON_STATE, 1, newton_rows_step_block, &step, s->sums);
        if (s->failed) return;
        s->states[0] = (hsp__newton_state){.loss = state[0],
                                           .conjugate = state[1],
                                           .slack = state[2],
                                           .total = state[3],
                                           .least = HUGE_VAL,
                                           .active = (uint64_t)state[4],
                                           .turned = (uint64_t)state[5]};
    } else if (!hsp__tasks_try(s->ctx, s->parts, newton_rows_step_part, &step)) {
        return;
    }
    if (fresh) memset(s->u, 0, s->dim * sizeof *s->u);
    for (uint64_t part = 0; part < s->parts; part++) {
        const hsp__newton_state *one = &s->states[part];
        all.loss += one->loss;
        all.conjugate += one->conjugate;
        all.slack += one->slack;
        all.total += one->total;
        all.least = fmin(all.least, one->least);
        all.active += one->active;
        all.turned += one->turned;
        if (!s->by_matrix) vec->axpy_f64(1, s->sums + part * s->dim, s->u, (size_t)s->dim);
    }
    if (t != 0) vec->axpy_f64(t, s->delta, s->w, (size_t)s->dim);
    if (!s->curved) all.active = all.turned = s->all;
    s->now = all;
    if (s->by_matrix) hsp__hessian_follow(s);
}

static void newton_rows_multipliers_part(void *user, uint64_t part)
{
    hsp__newton *s = user;
    const newton_rows_costs costs = newton_rows_costs_of(s);
    const uint64_t to = hsp__part(s->n, s->parts, part + 1);
    for (uint64_t i = hsp__part(s->n, s->parts, part); i < to; i++) {
        const double cost = newton_cost(&costs, i);
        const double z = 1 - (cost < 0 ? -s->score[i] : s->score[i]);
        s->a[i] = s->curved[i] ? fabs(cost) * (2 * z) : 0;
    }
}

void hsp__newton_multipliers(hsp__newton *s)
{
    hsp__tasks_try(s->ctx, s->parts, newton_rows_multipliers_part, s);
}

/* ---- Anchors --------------------------------------------------------------------------------- */

hsp_status hsp__newton_anchor(hsp__newton *s, hsp_error *err)
{
    if (!s->anchor) s->anchor = hsp__scratch_raw(&s->scratch, s->n, sizeof *s->anchor);
    HSP__TRY(hsp__shard_agree(s->ctx, s->anchor ? HSP_OK : hsp__fail_memory(err), err));
    for (uint64_t i = 0; i < s->n; i++) {
        const double c = fabs(hsp__newton_cost(s, i));
        s->anchor[i] = c > 0 ? s->a[i] / c : 0;
        assert(!(s->anchor[i] < 0 || s->anchor[i] > s->loss->steepest));
    }
    return HSP_OK;
}

/* ---- Estimates --------------------------------------------------------------------------- */

double hsp__newton_sqnorm(const hsp__newton *s, const double *x)
{
    const double own = s->offset_ridge > 0 ? x[s->d] * x[s->d] : 0;
    return hsp__vec()->sqnorm_f64(x, (size_t)s->d) + own;
}

hsp__newton_estimates hsp__newton_estimate(const hsp__newton *s)
{
    const double ww = hsp__newton_sqnorm(s, s->w), uu = hsp__newton_sqnorm(s, s->u);
    /* ||ridge w - u||^2 / (2 ridge), and what an unbalanced sum a y may cost */
    double residual = 0, unbalanced = 0;
    for (uint64_t j = 0; j < s->d; j++) {
        const double off = s->ridge * s->w[j] - s->u[j];
        residual += off * (off / s->ridge);
    }
    if (s->offset_ridge > 0) {
        const double off = s->offset_ridge * s->w[s->d] - s->u[s->d];
        residual += off * (off / s->offset_ridge);
    } else if (s->dim > s->d) {
        unbalanced = fabs(s->u[s->d]) * (1 + fabs(s->w[s->d]));
    }
    hsp__newton_estimates f = {.residual = residual / 2 + unbalanced};
    if (s->form == HSP__HARD_MARGIN) { /* of (w, b) and a scaled as is best */
        f.primal = s->now.least > 0 ? ww / 2 / s->now.least / s->now.least : HUGE_VAL;
        f.dual = uu > 0 ? s->now.total / uu * s->now.total / 2 : 0;
        f.size = s->now.total;
    } else {
        f.primal = ww / 2 + s->now.loss;
        f.dual = s->now.conjugate - uu / 2 - unbalanced;
        f.size = f.primal;
    }
    return f;
}
