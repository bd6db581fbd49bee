/* Softmax with the l2 penalty on wide sparse rows such as texts: coordinate ascent in the dual, one
 * row's distribution at a time, before Newton's method (softmax.c).
 *
 * Update. With W = U kept up to date, D is largest in the distribution q of one row where
 *
 *     log q_m + h q_m = s_m + h r_m - mu,    h = c (||x||^2 + tau),    sum_m q_m = 1,
 *
 * r being q as it was and s the scores: Newton's method in (log q, mu), a few rounds. A visit costs one
 * walk over the row for the scores of all classes and one to change W.
 *
 * Offset. Free: b = base + tau t, and base = b after a pass: the method of multipliers for t = 0.
 * Regularized: b = t, which is this with base = 0 and tau = 1 kept.
 *
 * The gap is the sum over rows of c KL(q || softmax of the scores), of which a visit sees its part.
 * When that is small enough, both values are computed in full.
 *
 * H.-F. Yu, F.-L. Huang, C.-J. Lin, Dual coordinate descent methods for logistic regression and maximum
 * entropy models, Machine Learning 85, 2011. */
#include "base/random.h"
#include "learn/multiclass/softmax_work.h"
#include "vec/vec.h"

enum {
    SOFTMAX_SWEEPS = 40, /* at most */
    SOFTMAX_CHECKS = 4,  /* of the gap, at most */
    SOFTMAX_SOLVE = 6    /* rounds of Newton's method for a row */
};

#define SOFTMAX_FIRST  1e-3  /* the first q: so far from the row's own class */
#define SOFTMAX_LEAST  1e-30 /* q is at least this */
#define SOFTMAX_AGREE  1e-4  /* of sum q |residual|: a row is solved */
#define SOFTMAX_ENOUGH 15    /* passes up to which sweeps are quicker than Newton's method */

int hsp__softmax_dual_suits(const softmax *m)
{
    const double rows_per_column = (double)m->n / (double)m->d;
    double squares = 0; /* sum c ||x||^2 */
    for (uint64_t i = 0; i < m->n; i++)
        squares += softmax_cost(m, i) * m->norms[i] * m->norms[i];
    const double each = fmin(0.1 * (1 + rows_per_column), 8); /* as in erm/solvers.c */
    return m->view->storage != HSP_DENSE && m->penalty == HSP__PENALTY_L2 &&
           6 + each * squares / (double)m->n <= SOFTMAX_ENOUGH;
}

typedef struct softmax_sweep {
    double *q;        /* n * columns: m->along */
    double *w;        /* size: W, and the offsets that go with t */
    double *base, *t; /* columns */
    double tau;
    double *s, *g, *log_q, *e; /* columns: of one row */
    uint64_t *order;           /* n */
    double gap, loss;          /* sums of a pass */
} softmax_sweep;

/* From scores s and q of a row to the best q, in e; log_q is that of q. */
static void softmax_row_solve(const softmax *m, softmax_sweep *sweep, const double *q, double h)
{
    const uint32_t k = m->k;
    double *u = sweep->log_q, *e = sweep->e, *g = sweep->g;
    for (uint32_t j = 0; j < k; j++)
        g[j] = sweep->s[j] + h * q[j];
    memcpy(e, q, k * sizeof *e);
    for (int round = 0; round < SOFTMAX_SOLVE; round++) {
        double sum = 0, weights = 0, mean = 0, far = 0;
        for (uint32_t j = 0; j < k; j++) {
            const double weight = e[j] / (1 + h * e[j]);
            sum += e[j];
            weights += weight;
            mean += weight * (g[j] - u[j] - h * e[j]);
        }
        const double mu = (mean - (1 - sum)) / weights;
        for (uint32_t j = 0; j < k; j++) {
            const double residual = g[j] - u[j] - h * e[j] - mu;
            far += e[j] * fabs(residual);
            u[j] = fmin(fmax(u[j] + residual / (1 + h * e[j]), -700), 0);
        }
        memcpy(e, u, k * sizeof *e);
        hsp__vec()->exp_f64(e, k);
        if (far <= SOFTMAX_AGREE) break;
    }
    double sum = 0;
    for (uint32_t j = 0; j < k; j++)
        sum += e[j] = fmax(e[j], SOFTMAX_LEAST);
    for (uint32_t j = 0; j < k; j++)
        e[j] /= sum;
}

static void softmax_visit(softmax *m, softmax_sweep *sweep, uint64_t i)
{
    const uint32_t k = m->k, y = m->view->labels[i];
    const double c = softmax_cost(m, i), norm = m->norms[i];
    double *s = sweep->s, *e = sweep->e, *q = sweep->q + i * m->columns;
    double *b = sweep->w + m->d * m->columns, top = -HUGE_VAL, sum = 0, cross = 0;
    if (!(c > 0)) return;
    hsp__softmax_row_scores(m, i, sweep->w, s);
    for (uint32_t j = 0; j < k; j++) {
        top = fmax(top, s[j]);
        sweep->log_q[j] = log(q[j]);
        cross += q[j] * (s[j] - sweep->log_q[j]);
    }
    for (uint32_t j = 0; j < k; j++)
        e[j] = s[j] - top;
    hsp__vec()->exp_f64(e, k);
    for (uint32_t j = 0; j < k; j++)
        sum += e[j];
    const double log_sum = log(sum) + top;
    sweep->gap += c * (log_sum - cross);
    sweep->loss += c * (log_sum - s[y]);
    softmax_row_solve(m, sweep, q, c * (norm * norm + sweep->tau));
    for (uint32_t j = 0; j < k; j++) {
        s[j] = c * (q[j] - e[j]);
        sweep->t[j] += s[j];
        b[j] = sweep->base[j] + sweep->tau * sweep->t[j];
        q[j] = e[j];
    }
    hsp__softmax_row_add(m, i, s, sweep->w, m->columns);
}

/* A, and the sum of entropies, from q. */
static softmax_sums softmax_from_q(softmax *m, const softmax_sweep *sweep)
{
    softmax_sums sums = {0};
    for (uint64_t i = 0; i < m->n; i++) {
        const double c = softmax_cost(m, i), *q = sweep->q + i * m->columns;
        const uint32_t y = m->view->labels[i];
        double rest = 0, entropy = 0, *a = m->a + i * m->columns;
        for (uint32_t j = 0; j < m->k; j++) {
            entropy -= q[j] * log(q[j]);
            a[j] = -c * q[j];
            rest += j == y ? 0 : c * q[j];
        }
        a[y] = rest;
        sums.entropy += c * entropy;
        sums.below += c * 2 * hsp__gap_gamma(m->k) * (entropy + 1);
    }
    return sums;
}

/* Compute the gap of W and q; W becomes x, with the best offsets. A run that is stopped leaves x. */
static hsp_status softmax_check(softmax *m, softmax_steps *steps, softmax_sweep *sweep,
                                hsp_error *err, hsp__gap_values *values)
{
    const size_t weights = (size_t)m->d * m->columns;
    const hsp__gap_values known = m->known;
    const softmax_sums sums = softmax_from_q(m, sweep);
    HSP__TRY(hsp__softmax_combine(m, m->a, m->u, err));
    hsp__softmax_bound(m, &sums);
    memcpy(steps->z, m->x, m->size * sizeof *m->x);
    memcpy(m->x, m->u, weights * sizeof *m->x); /* without what rounding did to W */
    memcpy(m->x + weights, sweep->w + weights, m->columns * sizeof *m->x);
    const hsp_status status = hsp__softmax_gap(m, err, values);
    if (status) {
        memcpy(m->x, steps->z, m->size * sizeof *m->x);
        m->known.primal = known.primal;
        m->known.gap = hsp__gap_relative(m->known.primal, m->known.dual);
        return status;
    }
    memcpy(sweep->w, m->x, m->size * sizeof *m->x);
    if (m->offset == HSP__OFFSET_FREE)
        memcpy(sweep->base, m->x + weights, m->columns * sizeof *m->x);
    return HSP_OK;
}

/* The first q: nearly the classes themselves, so that W is small. */
static void softmax_sweep_begin(softmax *m, softmax_sweep *sweep)
{
    const size_t columns = m->columns, weights = (size_t)m->d * columns;
    for (uint64_t i = 0; i < m->n; i++) {
        sweep->order[i] = i;
        for (uint32_t j = 0; j < m->k; j++)
            sweep->q[i * columns + j] = fmax((1 - SOFTMAX_FIRST) * (j == m->view->labels[i]) +
                                                 SOFTMAX_FIRST * m->class_cost[j] / m->total,
                                             SOFTMAX_LEAST);
    }
    memcpy(sweep->w + weights, m->x + weights, columns * sizeof *sweep->w);
    memcpy(sweep->base, m->x + weights, columns * sizeof *sweep->base);
    const double share = (m->k - 1.0) / ((double)m->k * m->k);
    const double mean = m->reach / m->total; /* of ||x|| */
    sweep->tau = m->offset == HSP__OFFSET_FREE
                     ? fmin(0.2 * mean * mean, 1 / (0.01 * m->total * share))
                     : m->offset == HSP__OFFSET_REGULARIZED;
}

static hsp_status softmax_sweeps(softmax *m, softmax_steps *steps, softmax_sweep *sweep,
                                 const hsp__goal *goal, hsp_error *err, hsp__solution *out)
{
    const hsp__vec_table *vec = hsp__vec();
    double ratio = 0.5; /* of the gap that a check finds to that of the pass before it */
    hsp__random random;
    hsp__random_seed(&random, 1, 0);
    softmax_sweep_begin(m, sweep);
    softmax_from_q(m, sweep);
    HSP__TRY(hsp__softmax_combine(m, m->a, sweep->w, err));
    memcpy(sweep->t, sweep->w + m->d * m->columns, m->columns * sizeof *sweep->t);
    memcpy(sweep->w + m->d * m->columns, sweep->base, m->columns * sizeof *sweep->t);
    for (int pass = 0, checks = 0; pass < SOFTMAX_SWEEPS && checks < SOFTMAX_CHECKS &&
                                   (!goal->max_passes || out->passes < goal->max_passes);
         pass++) {
        sweep->gap = sweep->loss = 0;
        hsp__random_shuffle(&random, sweep->order, m->n);
        for (uint64_t i = 0; i < m->n && !(i % SOFTMAX_TICK == 0 && hsp__tick(m->ctx)); i++)
            softmax_visit(m, sweep, sweep->order[i]);
        out->passes++;
        const double value = sweep->loss + vec->sqnorm_f64(sweep->w, m->penalised) / 2;
        const double estimate = ratio * sweep->gap / value;
        if (m->offset == HSP__OFFSET_FREE)
            memcpy(sweep->base, sweep->w + m->d * m->columns, m->columns * sizeof *sweep->base);
        if (hsp__watch_gap(goal->watch, goal->report, "passes", out->passes, fmin(estimate, 1),
                           goal->gap, &out->stop))
            break;
        if (estimate > goal->gap && pass + 1 < SOFTMAX_SWEEPS) continue;
        hsp__gap_values values;
        HSP__TRY(softmax_check(m, steps, sweep, err, &values));
        hsp__pass_log_note(m->ctx, goal->log, out->passes, values.primal, values.dual);
        if (values.gap <= goal->gap) return HSP_OK;
        ratio = fmax(ratio, 1) * fmax(1, values.gap * value / sweep->gap);
        checks++;
    }
    hsp__gap_values values;
    return hsp__stopped(m->ctx) ? hsp__stop_status(m->ctx, err)
                                : softmax_check(m, steps, sweep, err, &values);
}

hsp_status hsp__softmax_dual(softmax *m, softmax_steps *steps, const hsp__goal *goal,
                             hsp_error *err, hsp__solution *out)
{
    hsp__scratch scratch = {.memory = &m->ctx->allocator};
    softmax_sweep sweep = {.q = m->along, .w = steps->p};
    double **rows[] = {&sweep.base, &sweep.t, &sweep.s, &sweep.g, &sweep.log_q, &sweep.e};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        *rows[i] = hsp__scratch_new(&scratch, m->columns, sizeof **rows[i]);
    sweep.order = hsp__scratch_raw(&scratch, m->n, sizeof *sweep.order);
    hsp_status status =
        scratch.failed ? hsp__fail_memory(err) : softmax_sweeps(m, steps, &sweep, goal, err, out);
    if (status == HSP_CANCELLED &&
        sweep.order) { /* the weights so far, if there is time for their gap */
        hsp_context *ctx = m->ctx;
        hsp__stop brief;
        hsp__gap_values values;
        hsp_context last = hsp__stop_grace(&brief, ctx);
        m->ctx = &last;
        softmax_check(m, steps, &sweep, NULL, &values);
        m->ctx = ctx;
    }
    memset(m->along, 0, (size_t)m->n * m->columns * sizeof *m->along);
    hsp__scratch_free(&scratch);
    return status;
}
