/* Multinomial logistic regression.
 *
 * Problem. Rows x_i of class y_i in 0..k-1 with costs c_i; scores s_im = <w_m, x_i> + b_m; minimise
 *
 *     P(W, b) = pen(W) + sum_i c_i (log sum_m exp(s_im) - s_i,y_i)
 *
 * pen and offset as in erm/problem.h, summed over the classes. The loss is minus the logarithm of
 * the probability exp(s_iy) / sum_m exp(s_im) that the model gives to the row's own class.
 *
 * Dual. For distributions q_i over the classes, A_im = c_i ([y_i = m] - q_im), U_m = sum_i A_im x_i,
 * t_m = sum_i A_im and the entropy H(q) = -sum_m q_m log q_m:
 *
 *     maximise D(q) = sum_i c_i H(q_i) - ||U||^2 / 2 (- ||t||^2 / 2, offset regularized)
 *     offset free: t = 0; l1: no squares, but max |U| <= 1 (offset regularized: and max |t| <= 1)
 *
 * D(q) <= P(W, b) always; at the optimum q_im is the model's probability and, for l2, W = U. So the
 * probabilities of any W are a dual point, once t = 0: every q_i is mixed with one distribution r,
 * (1 - e) q_i + e r. With N_m the cost of class m, and N of all,
 *
 *     r_m = (N_m + t_m (1 - e) / e) / N,    e = max_m -t_m / (N_m - t_m),
 *     U becomes (1 - e) U + e (V_m - r_m sum V),    V_m = the sum of c x over the rows of class m,
 *     sum c H is at least (1 - e) sum c H(q) + e N H(r), since H is concave,
 *
 * so that this takes no look at the rows, and every step proves a bound; the best one counts. l1: A is
 * divided by max |U|, which mixes q_i with its class. Before a gap is computed in full, free
 * offsets are set to the best ones for W (Newton's method), which makes e tiny.
 *
 * Method. l2: Newton's method, with steps by conjugate gradients (softmax_newton.c); on wide sparse
 * rows, coordinate ascent in the dual before it (softmax_dual.c). l1: L-BFGS with
 * the diagonal of the Hessian at W = 0 as its first approximation, within an orthant, and steps
 * halved until P falls enough (G. Andrew, J. Gao, Scalable training of l1-regularized log-linear
 * models, ICML 2007; J. Nocedal, Updating quasi-Newton matrices with limited storage, Math. Comp. 35,
 * 1980). Free offsets begin at the logarithms of the classes' costs. The weights of a column lie side
 * by side, one per class: a row costs one walk over its entries for all scores and one for its part of
 * U. Memory: l2 3 n k + 10 k d numbers and, if d is small, k factors of d * d / 2 numbers of 32 bits;
 * l1 2 n k + 28 k d. */
#include "learn/multiclass/softmax.h"

#include "learn/erm/erm.h"
#include "learn/erm/matvec.h"
#include "learn/multiclass/softmax_work.h"
#include "vec/vec.h"

#define SOFTMAX_ABSENT \
    (-1e5) /* the free offset of a class whose rows cost nothing: minus infinity */

/* ---- Before the first step ------------------------------------------------------------------- */

/* The diagonal of the Hessian at W = 0, and the sums of the classes. */
static hsp_status softmax_measure(softmax *m, hsp_error *err)
{
    const double share = (m->k - 1.0) / ((double)m->k * m->k);
    for (uint64_t i = 0; i < m->n; i++) {
        const hsp__row row = hsp__view_row(m->view, i);
        const double c = softmax_cost(m, i);
        double *sum = m->class_sum ? m->class_sum + m->view->labels[i] : NULL;
        if (i % SOFTMAX_TICK == 0 && hsp__tick(m->ctx)) return hsp__stop_status(m->ctx, err);
        m->reach += c * m->norms[i];
        m->diagonal[m->d] += share * c;
        for (uint64_t e = 0; e < row.count; e++) {
            const double value = hsp__row_value(m->view, &row, e);
            const size_t column = (size_t)hsp__row_column(&row, e);
            m->diagonal[column] += share * c * value * value;
            if (sum) sum[column * m->columns] += c * value;
        }
    }
    for (uint64_t j = 0; j <= m->d; j++) {
        if (m->penalty == HSP__PENALTY_L2 && j * m->columns < m->penalised) m->diagonal[j] += 1;
        if (!(m->diagonal[j] > 0)) m->diagonal[j] = 1;
    }
    return HSP_OK;
}

/* No weights, and the offsets that are best for none. Their P is known. */
static void softmax_begin(softmax *m)
{
    const int free_offset = m->offset == HSP__OFFSET_FREE;
    double *b = m->x + m->d * m->columns, mean = 0, value = 0;
    uint32_t present = 0;
    for (uint32_t j = 0; j < m->k; j++) {
        const double cost = m->class_cost[j];
        if (!(cost > 0)) continue;
        present++;
        mean += log(cost);
        value += cost * (free_offset ? log(m->total / cost) : log(m->k));
    }
    for (uint32_t j = 0; free_offset && present && j < m->k; j++)
        b[j] = m->class_cost[j] > 0 ? log(m->class_cost[j]) - mean / present : SOFTMAX_ABSENT;
    m->known.primal = value * (1 + 1e-9);
    m->known.gap = hsp__gap_relative(m->known.primal, 0);
}

/* Minimise from m->x until the gap is reached. `started`: these weights are not zeros. */
static hsp_status softmax_solve(softmax *m, softmax_steps *steps, const hsp__goal *goal,
                                int started, hsp_error *err, hsp__solution *out)
{
    const hsp__vec_table *vec = hsp__vec();
    int moved = 1;
    double next = goal->gap; /* compute the gap when its estimate is at most this */
    steps->gap = goal->gap;
    steps->radius = HUGE_VAL;
    HSP__TRY(softmax_measure(m, err));
    if (!started && !steps->factors && hsp__softmax_dual_suits(m)) {
        HSP__TRY(hsp__softmax_dual(m, steps, goal, err, out));
    } else {
        m->from = m->x, m->to = m->scores, m->length = 0;
        m->largest[0] = m->largest[1] = 0;
        hsp__softmax_rounding(m, m->x, 1);
        const softmax_sums sums = hsp__softmax_rows(m, SOFTMAX_SCORE | SOFTMAX_LOSS);
        HSP__TRY(hsp__softmax_gradient(m, &sums, err));
    }
    for (out->stop = HSP_STOP_PASSES; !goal->max_passes || out->passes < goal->max_passes;) {
        hsp__gap_values values = m->known;
        hsp__softmax_slope(m, steps);
        hsp__pass_log_note(m->ctx, goal->log, out->passes, m->known.primal, m->known.dual);
        const double estimate =
            vec->sqnorm_f64(steps->slope, (size_t)m->d * m->columns) / 2 / fmax(m->value, 1e-300);
        if (hsp__watch_gap(goal->watch, goal->report, "passes", out->passes,
                           fmin(estimate, values.gap), goal->gap, &out->stop))
            return HSP_OK;
        if (values.gap > goal->gap && (estimate <= next || !moved || out->updates % 16 == 15)) {
            HSP__TRY(hsp__softmax_gap(m, err, &values));
            hsp__pass_log_note(m->ctx, goal->log, out->passes, values.primal, values.dual);
            next = fmin(next, estimate) / 4;
            steps->gap /= 4; /* the steps have to be better */
            hsp__softmax_slope(m, steps);
            /* the goal is below what rounding leaves open, and little more than that is left */
            if (values.rounding > goal->gap && values.gap < 2 * values.rounding) moved = 0;
        }
        if (values.gap <= goal->gap || !moved) {
            out->stop = values.gap <= goal->gap ? HSP_STOP_CONVERGED : HSP_STOP_STALLED;
            return HSP_OK;
        }
        HSP__TRY(m->penalty == HSP__PENALTY_L1
                     ? hsp__softmax_lbfgs(m, steps, err, &out->passes, &moved)
                     : hsp__softmax_newton(m, steps, err, &out->passes, &moved));
        out->updates += (uint64_t)moved;
    }
    return HSP_OK;
}

/* ---- A training ------------------------------------------------------------------------------ */

/* Only a name: the figures of all classes are those of the first task. */
static const hsp__solver softmax_solvers[] = {
    {.name = "newton-cg", .summary = "all classes at once"},
    {.name = "lbfgs", .summary = "all classes at once"}};

/* Margins s_y - max s of the rows from their A: q = [y = m] - A / c, s_y - s_m = log q_y - log q_m. */
static void softmax_kkt(const softmax *m, hsp__kkt *kkt)
{
    const hsp__vec_table *vec = hsp__vec();
    const size_t all = (size_t)m->d * m->columns;
    const double size = sqrt(fmax(vec->sqnorm_f64(m->x, all), vec->sqnorm_f64(m->u, all)));
    *kkt = (hsp__kkt){.least = HUGE_VAL, .complementarity = 1 - m->theta};
    if (m->penalty == HSP__PENALTY_L2 && size > 0)
        kkt->stationarity = sqrt(vec->sqdist_f64(m->x, m->u, all)) / size;
    for (size_t j = 0; m->penalty == HSP__PENALTY_L1 && j < all; j++)
        kkt->stationarity = fmax(kkt->stationarity, m->x[j] > 0   ? fabs(m->u[j] - 1)
                                                    : m->x[j] < 0 ? fabs(m->u[j] + 1)
                                                                  : fmax(0, fabs(m->u[j]) - 1));
    double total = 0, most = 0;
    for (uint32_t j = 0; j < m->k; j++) {
        total += m->class_cost[j];
        if (m->offset == HSP__OFFSET_FREE) most = fmax(most, fabs(m->u[all + j]));
    }
    if (total > 0) kkt->dual = most / total;
    for (uint64_t i = 0; i < m->n && !hsp__tick(m->ctx); i++) {
        const uint32_t y = m->view->labels[i];
        const double c = softmax_cost(m, i), *a = m->a + i * m->columns;
        double other = 0;
        if (!(c > 0)) continue;
        for (uint32_t j = 0; j < m->k; j++)
            if (j != y) other = fmax(other, -a[j]);
        const double margin = log((c - a[y]) / other);
        kkt->least = fmin(kkt->least, margin);
        kkt->support++;
        if (fabs(margin - 1) <= 1e-6)
            kkt->on++;
        else if (margin < 1)
            (*(margin < 0 ? &kkt->wrong : &kkt->inside))++;
    }
    hsp__gap_margin(hsp__gap_length(m->x, all), kkt);
}

/* All that the solver works with; scratch->failed when there is no memory for it. */
static void softmax_open(softmax *m, softmax_steps *steps, hsp__train *train, hsp__scratch *scratch)
{
    const hsp_view *view = train->prepared.view;
    const uint32_t k = train->count;
    const size_t columns = ((size_t)k + SOFTMAX_BLOCK - 1) / SOFTMAX_BLOCK * SOFTMAX_BLOCK;
    const size_t weights = (size_t)view->cols * columns, size = weights + columns;
    const int regularized = train->plan.offset == HSP__OFFSET_REGULARIZED;
    const int l1 = train->plan.penalty == HSP__PENALTY_L1;
    *m = (softmax){.ctx = train->ctx,
                   .view = view,
                   .row_weight = train->prepared.weight,
                   .penalty = train->plan.penalty,
                   .offset = train->plan.offset,
                   .n = view->rows,
                   .d = view->cols,
                   .k = k,
                   .columns = columns,
                   .size = size,
                   .penalised = regularized ? size : weights,
                   .parts = hsp__parts(view->rows, 64),
                   .row_parts = hsp__matvec_parts(view)};
    if (m->parts > SOFTMAX_PARTS) m->parts = SOFTMAX_PARTS;
    double *cost = hsp__scratch_new(scratch, k, sizeof *cost);
    double **arrays[] = {&m->x,           &m->gradient, &m->u,     &steps->slope, &steps->direction,
                         &steps->r,       &steps->z,    &steps->p, &steps->hp,    &steps->x,
                         &steps->gradient};
    const size_t first_l2 = 5, first_l1 = 9, count = sizeof arrays / sizeof *arrays;
    for (size_t i = 0; i < count; i++)
        if (i < first_l2 || (i >= first_l1) == l1)
            *arrays[i] = hsp__scratch_new(scratch, size, sizeof **arrays[i]);
    double **of_rows[] = {&m->scores, &m->a, &m->along};
    for (size_t i = 0; i < (l1 ? 2 : 3); i++)
        *of_rows[i] = hsp__scratch_new(scratch, m->n * columns, sizeof **of_rows[i]);
    m->others = hsp__scratch_new(scratch, (m->row_parts - 1) * size, sizeof *m->others);
    m->class_cost = hsp__scratch_new(scratch, k, sizeof *m->class_cost);
    m->mix = hsp__scratch_new(scratch, k, sizeof *m->mix);
    m->norms = hsp__scratch_raw(scratch, m->n, sizeof *m->norms);
    m->diagonal = hsp__scratch_new(scratch, m->d + 1, sizeof *m->diagonal);
    if (m->offset == HSP__OFFSET_FREE)
        m->class_sum = hsp__scratch_new(scratch, weights, sizeof *m->class_sum);
    if (view->storage == HSP_DENSE)
        m->identity = hsp__scratch_raw(scratch, m->d, sizeof *m->identity);
    if (l1) {
        steps->orthant = m->penalised;
        steps->s = hsp__scratch_raw(scratch, SOFTMAX_MEMORY * size, sizeof *steps->s);
        steps->y = hsp__scratch_raw(scratch, SOFTMAX_MEMORY * size, sizeof *steps->y);
    } else {
        hsp__softmax_newton_open(m, steps, scratch);
    }
    if (scratch->failed) return;
    for (uint32_t j = 0; m->identity && j < m->d; j++)
        m->identity[j] = j;
    for (uint32_t c = 0; c < k; c++)
        cost[c] = train->tasks[c].problem.cost[1];
    m->cost = cost;
    for (uint64_t i = 0; i < m->n; i++) {
        m->class_cost[view->labels[i]] += softmax_cost(m, i);
        m->total += softmax_cost(m, i);
    }
    hsp__gap_norms(m->ctx, view, m->norms);
    softmax_begin(m);
}

/* The weights of the model to start from; `room` is of d. Their P is not known yet. */
static void softmax_start(softmax *m, const hsp__train *train, double *room)
{
    for (uint32_t c = 0; c < m->k; c++) {
        hsp__solution s = {.w = room, .dual = m->a};
        memset(m->a, 0, (size_t)m->n * sizeof *m->a);
        memset(room, 0, (size_t)m->d * sizeof *room);
        hsp__warm_start(train, &train->tasks[c], &s);
        for (uint64_t j = 0; j < m->d; j++)
            m->x[j * m->columns + c] = room[j];
        m->x[m->d * m->columns + c] = s.b;
    }
    memset(m->a, 0, (size_t)m->n * m->columns * sizeof *m->a);
    for (size_t j = 0; m->penalty == HSP__PENALTY_L2 && j < m->penalised; j += m->columns) {
        double mean = 0; /* softmax_newton.c works where this is 0; no probability changes */
        for (uint32_t c = 0; c < m->k; c++)
            mean += m->x[j + c] / m->k;
        for (uint32_t c = 0; c < m->k; c++)
            m->x[j + c] -= mean;
    }
    m->known = (hsp__gap_values){.primal = (double)NAN, .gap = (double)NAN};
}

static hsp_status softmax_finish(hsp__train *train, softmax *m, hsp_error *err)
{
    hsp__task *task = &train->tasks[0];
    hsp__solution *s = &task->solution;
    hsp_context *ctx = m->ctx;
    hsp__gap_values values;
    hsp__stop brief;
    hsp_context last = train->plan.keep_dual ? hsp__stop_none(ctx) : hsp__stop_grace(&brief, ctx);
    m->ctx = &last;
    const hsp_status status =
        s->stop == HSP_STOP_CONVERGED ? HSP_OK : hsp__softmax_gap(m, err, &values);
    if (!status && m->theta < 1) {
        hsp__vec()->scale_f64(m->theta, m->a, (size_t)m->n * m->columns);
        hsp__vec()->scale_f64(m->theta, m->u, m->size);
    }
    if (!status) softmax_kkt(m, &task->kkt);
    m->ctx = ctx;
    if (status && status != HSP_CANCELLED) return status;
    s->primal = m->known.primal, s->dual_value = m->known.dual;
    s->gap = m->known.gap, s->rounding = m->known.rounding;
    task->solver = &softmax_solvers[m->penalty == HSP__PENALTY_L1];
    if (isnan(s->primal))
        hsp__fit_gap_unknown(&last, task);
    else if (hsp__stopped(&last)) /* the bounds are those of the steps; no time for residuals */
        task->kkt = (hsp__kkt){(double)NAN, (double)NAN,           (double)NAN,
                               (double)NAN, .margin = (double)NAN, .inverse_norm = (double)NAN};
    if (train->plan.log_passes)
        hsp__pass_log_end(ctx, &task->log, s->passes, s->primal, s->dual_value);
    for (uint32_t c = 0; c < m->k; c++) {
        for (uint64_t j = 0; j < m->d; j++)
            train->weights[c * m->d + j] = m->x[j * m->columns + c];
        train->tasks[c].solution.b = m->x[m->d * m->columns + c];
        if (!train->plan.keep_dual) continue;
        double *amounts = hsp__new_raw(&ctx->allocator, m->n, sizeof *amounts);
        if (!amounts) return hsp__fail_memory(err);
        for (uint64_t i = 0; i < m->n; i++)
            amounts[i] = m->a[i * m->columns + c];
        train->tasks[c].amounts = amounts;
    }
    return HSP_OK;
}

hsp_status hsp__softmax_fit(hsp__train *train, hsp_error *err)
{
    hsp__scratch scratch = {.memory = &train->ctx->allocator};
    softmax m;
    softmax_steps steps = {0};
    const hsp__goal goal = hsp__erm_goal(train, &train->tasks[0], 1);
    if (strcmp(train->plan.solver, "auto") != 0)
        return hsp__fail_option(err, "--solver",
                                "%s minimises over two classes; softmax, the form for more, has a "
                                "solver of its own: remove --solver, or use --multiclass ovr",
                                train->plan.solver);
    softmax_open(&m, &steps, train, &scratch);
    hsp__stop_limit(train->ctx, train->plan.max_seconds);
    hsp_status status = scratch.failed ? hsp__fail_memory(err) : HSP_OK;
    if (!status && train->start) softmax_start(&m, train, steps.slope);
    if (!status)
        status =
            softmax_solve(&m, &steps, &goal, train->start != NULL, err, &train->tasks[0].solution);
    if (status == HSP_CANCELLED) {
        hsp__watch_stopped(train->ctx, &train->tasks[0].solution.stop);
        status = HSP_OK;
    }
    if (!status) status = softmax_finish(train, &m, err);
    hsp__scratch_free(&scratch);
    return status;
}
