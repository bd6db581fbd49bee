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
 * probabilities of any W are a dual point. A free offset is first set to the best one for W
 * (Newton's method); what t then still has is removed by mixing every q_i with one distribution,
 * (1 - e) q_i + e r, e = max_m |t_m| / (cost of class m). l1: A is divided by max |U|, which mixes
 * q_i with its class.
 *
 * Method. l2: Newton's method; each step is solved for by conjugate gradients, preconditioned by the
 * part of the Hessian that is of one class (of few columns), or by its diagonal at W = 0 (of many),
 * to a fifth of the gradient, and halved until P falls enough. l1: L-BFGS with the diagonal of the Hessian at W = 0 as its first approximation, and steps
 * halved until P falls enough; for l1 within an orthant (G. Andrew, J. Gao, Scalable training of
 * l1-regularized log-linear models, ICML 2007). J. Nocedal, Updating quasi-Newton matrices with
 * limited storage, Math. Comp. 35 (1980). The weights of a column lie side by side, one per class: a
 * row costs one walk over its entries for all scores and one for its part of U. Memory: l2 2 n k + 11 k d
 * numbers, l1 n k + 27 k d. */
#include "learn/multiclass/softmax.h"

#include "base/base.h"
#include "learn/erm/erm.h"
#include "learn/erm/gap.h"
#include "learn/erm/matvec.h"
#include "vec/matrix.h"
#include "vec/vec.h"

enum {
    SOFTMAX_BLOCK = 8,      /* classes come in blocks of a cache line */
    SOFTMAX_PARTS = 64,     /* of the rows, at most */
    SOFTMAX_TICK = 64,      /* rows between two ticks */
    SOFTMAX_MEMORY = 10,    /* steps that L-BFGS remembers */
    SOFTMAX_HALVINGS = 60,  /* of a step */
    SOFTMAX_NARROW = 300,   /* columns, at most, for which matrices of classes are factored */
    SOFTMAX_PRODUCTS = 250, /* with the Hessian, at most, for a step */
    SOFTMAX_NEWTON = 256    /* classes whose offsets are solved for together, at most */
};

/* What is done with every row: find its scores without offsets, replace them by A, measure the
 * losses along the offsets, or the entropy at theta A. */
enum {
    SOFTMAX_SCORE = 1,
    SOFTMAX_LOSS = 2,
    SOFTMAX_OFFSETS = 4,
    SOFTMAX_SCALED = 8,
    SOFTMAX_CURVE = 16 /* replace scores along a direction by the change of A along it, negated */
};

/* What is summed over the rows of a part. */
typedef struct softmax_sums {
    double loss, entropy; /* sum c loss, sum c H(q) */
    double above;         /* what rounding may have taken off the loss ... */
    double below;         /* ... and added to the entropy */
    double reach;         /* sum c ||x|| */
} softmax_sums;

typedef struct softmax {
    hsp_context *ctx;
    const hsp_view *view;
    const double *cost, *row_weight;
    hsp__penalty penalty;
    hsp__offset offset;
    uint64_t n, d;
    uint32_t k;
    size_t columns;   /* k, rounded up to whole blocks; what is beyond k stays 0 */
    size_t size;      /* (d + 1) * columns: the weights of column after column, then the offsets */
    size_t penalised; /* of those, the ones in the penalty: the first */
    uint32_t *identity;        /* d: 0, 1, 2 ... for dense rows; else NULL */
    double *x;                 /* size: weights and offsets */
    double *gradient;          /* size: of the smooth part of P at x */
    double *a;                 /* n * columns: scores, then A */
    double *u;                 /* size: U and t */
    double *others;            /* (row_parts - 1) * d * columns: U of the other parts */
    double *class_cost;        /* k: sum of c over the rows of each class */
    double *norms;             /* n: ||x_i|| */
    uint64_t parts, row_parts; /* of the rows: in all; where each has a U of its own */
    double largest;            /* >= max_m ||w_m|| + |b_m|, for rounding */
    double theta;              /* l1: the dual point is theta A */
    double
        *newton; /* SOFTMAX_OFFSETS: parts * k * (k + 2), of each k slopes, k * k curvatures and k
                       more numbers */
    int jobs;    /* of SOFTMAX_SCORE ... */
    const double *along; /* size: weights and offsets to score with: x, or a direction */
    double *scores;      /* n * columns: where to: a, or curve */
    double *curve;       /* n * columns; l1: NULL */
    double value;        /* P at x, without rounding */
    softmax_sums sums[SOFTMAX_PARTS];
} softmax;

static double softmax_cost(const softmax *m, uint64_t i)
{
    const double c = m->cost[m->view->labels[i]];
    return m->row_weight ? c * m->row_weight[i] : c;
}

/* ---- Rows ------------------------------------------------------------------------------------ */

/* s = the scores of a row for all classes, without offsets. */
static void softmax_row_scores(const softmax *m, uint64_t i, double *s)
{
    const hsp__vec_table *vec = hsp__vec();
    const hsp__row row = hsp__view_row(m->view, i);
    const size_t n = (size_t)row.count, columns = m->columns;
    const uint32_t *places = m->identity ? m->identity : row.indices;
    if (!row.values)
        vec->ones_dots_f64(places, n, m->along, columns, columns, s);
    else if (m->view->precision == HSP_FLOAT32)
        vec->sparse_dots_f32f64(places, row.values, n, m->along, columns, columns, s);
    else
        vec->sparse_dots_f64(places, row.values, n, m->along, columns, columns, s);
}

/* u_m += a_m x_i for a block of classes. */
static void softmax_row_add(const softmax *m, uint64_t i, const double *a, double *u)
{
    const hsp__vec_table *vec = hsp__vec();
    const hsp__row row = hsp__view_row(m->view, i);
    const size_t n = (size_t)row.count, columns = m->columns;
    const uint32_t *places = m->identity ? m->identity : row.indices;
    if (!row.values)
        vec->ones_axpys_f64(a, places, n, u, columns, SOFTMAX_BLOCK);
    else if (m->view->precision == HSP_FLOAT32)
        vec->sparse_axpys_f32f64(a, places, row.values, n, u, columns, SOFTMAX_BLOCK);
    else
        vec->sparse_axpys_f64(a, places, row.values, n, u, columns, SOFTMAX_BLOCK);
}

/* Replace the scores s of a row by A; sum its loss and entropy. */
static void softmax_row_loss(const softmax *m, uint64_t i, double *s, softmax_sums *sums)
{
    const uint32_t y = m->view->labels[i], k = m->k;
    const double c = softmax_cost(m, i), *b = m->x + m->d * m->columns;
    double top = -HUGE_VAL, sum = 0, mean = 0, spread = 0, rest = 0;
    for (uint32_t j = 0; j < k; j++) {
        s[j] += b[j];
        top = s[j] > top ? s[j] : top;
        spread = fmax(spread, fabs(s[j]));
    }
    const double own = s[y];
    for (uint32_t j = 0; j < k; j++) {
        s[j] -= top;
        const double e = exp(s[j]);
        sum += e;
        mean += e * s[j];
        s[j] = e;
    }
    assert(sum >= 1); /* the top score's own term */
    const double share = c / sum, log_sum = log(sum);
    for (uint32_t j = 0; j < k; j++) {
        s[j] *= -share;
        rest -= j == y ? 0 : s[j];
    }
    s[y] = rest; /* 1 - q as the sum of the others, which does not cancel */
    sums->loss += c * (log_sum + (top - own));
    sums->entropy += c * (log_sum - mean / sum);
    const double off =
        m->largest * hsp__gap_gamma(hsp__view_row(m->view, i).count) * fmax(m->norms[i], 1);
    const double small = hsp__gap_gamma(k);
    sums->above += c * (2 * off + small * (log_sum + fabs(top - own) + spread));
    sums->below += c * small * (log_sum + fabs(mean / sum) + 1);
    sums->reach += c * m->norms[i];
}

/* l1: the entropy of the distributions that belong to theta A. */
static void softmax_row_scaled(const softmax *m, uint64_t i, const double *a, softmax_sums *sums)
{
    const uint32_t y = m->view->labels[i];
    const double c = softmax_cost(m, i), small = hsp__gap_gamma(m->k);
    double entropy = 0;
    if (!(c > 0)) return;
    for (uint32_t j = 0; j < m->k; j++) {
        const double q = (j == y) - m->theta * a[j] / c;
        if (q > 0) entropy -= q * log(q);
    }
    sums->entropy += c * entropy;
    sums->below += 40 * c * small * m->k; /* an error of u in q changes q log q by 37 u at most */
}

/* Slope and curvature of the losses along the offsets, at scores + offsets. */
static void softmax_row_offsets(const softmax *m, uint64_t i, const double *s, double *slope)
{
    const uint32_t k = m->k, y = m->view->labels[i];
    const double c = softmax_cost(m, i), *b = m->x + m->d * m->columns;
    double top = -HUGE_VAL, sum = 0, *curvature = slope + k, *q = curvature + k * k;
    for (uint32_t j = 0; j < k; j++)
        top = fmax(top, q[j] = s[j] + b[j]);
    for (uint32_t j = 0; j < k; j++)
        sum += q[j] = exp(q[j] - top);
    for (uint32_t j = 0; j < k; j++) {
        q[j] /= sum;
        slope[j] += c * (q[j] - (j == y));
        curvature[j * k + j] += c * q[j];
        for (uint32_t l = 0; l <= j; l++)
            curvature[j * k + l] -= c * q[j] * q[l];
    }
}

/* From the scores z of a row along a direction to c q_j (z_j - sum_l q_l z_l); a is A of the row. */
static void softmax_row_curve(const softmax *m, uint64_t i, const double *a, double *z)
{
    const uint32_t k = m->k, y = m->view->labels[i];
    const double c = softmax_cost(m, i), *b = m->along + m->d * m->columns;
    double mean = 0;
    for (uint32_t j = 0; j < k; j++) {
        z[j] += b[j];
        mean += ((j == y ? c : 0) - a[j]) * z[j];
    }
    mean = c > 0 ? mean / c : 0;
    for (uint32_t j = 0; j < k; j++)
        z[j] = ((j == y ? c : 0) - a[j]) * (z[j] - mean);
}

static void softmax_part(void *user, uint64_t part)
{
    softmax *m = user;
    softmax_sums sums = {0};
    const uint64_t to = hsp__part(m->n, m->parts, part + 1);
    for (uint64_t i = hsp__part(m->n, m->parts, part); i < to; i++) {
        double *s = m->scores + i * m->columns;
        if (i % SOFTMAX_TICK == 0 && hsp__tick(m->ctx)) return;
        if (m->jobs & SOFTMAX_SCORE) softmax_row_scores(m, i, s);
        if (m->jobs & SOFTMAX_LOSS) softmax_row_loss(m, i, s, &sums);
        if (m->jobs & SOFTMAX_CURVE) softmax_row_curve(m, i, m->a + i * m->columns, s);
        if (m->jobs & SOFTMAX_SCALED) softmax_row_scaled(m, i, s, &sums);
        if (m->jobs & SOFTMAX_OFFSETS)
            softmax_row_offsets(m, i, s, m->newton + part * m->k * (m->k + 2));
    }
    m->sums[part] = sums;
}

static softmax_sums softmax_rows(softmax *m, int jobs)
{
    softmax_sums all = {0};
    m->jobs = jobs;
    if (!(jobs & SOFTMAX_CURVE)) m->along = m->x, m->scores = m->a;
    hsp__tasks_run(m->ctx, m->parts, softmax_part, m);
    for (uint64_t part = 0; part < m->parts; part++) {
        const softmax_sums *sums = &m->sums[part];
        all.loss += sums->loss, all.entropy += sums->entropy, all.reach += sums->reach;
        all.above += sums->above, all.below += sums->below;
    }
    return all;
}

/* ---- Objective ------------------------------------------------------------------------------- */

static double softmax_penalty(const softmax *m)
{
    return m->penalty == HSP__PENALTY_L1 ? hsp__vec()->norm1_f64(m->x, m->penalised)
                                         : hsp__vec()->sqnorm_f64(m->x, m->penalised) / 2;
}

/* What softmax_combine sums: rows times their numbers in `scores`, into `out` (size). */
typedef struct softmax_sum {
    const softmax *m;
    const double *scores;
    double *out;
} softmax_sum;

/* A block of classes and a part of the rows. */
static void softmax_combine_task(void *user, uint64_t task)
{
    const softmax_sum *sum = user;
    const softmax *m = sum->m;
    const uint64_t part = task % m->row_parts, to = hsp__part(m->n, m->row_parts, part + 1);
    const size_t first = (size_t)(task / m->row_parts) * SOFTMAX_BLOCK, columns = m->columns;
    double *u = (part ? m->others + (part - 1) * m->d * columns : sum->out) + first;
    for (uint64_t j = 0; j < m->d; j++)
        memset(u + j * columns, 0, SOFTMAX_BLOCK * sizeof *u);
    for (uint64_t i = hsp__part(m->n, m->row_parts, part); i < to; i++) {
        if (i % SOFTMAX_TICK == 0 && hsp__tick(m->ctx)) return;
        softmax_row_add(m, i, sum->scores + i * columns + first, u);
    }
}

/* U and t of A, or the same of other numbers of the rows. */
static hsp_status softmax_combine(const softmax *m, const double *scores, double *out,
                                  hsp_error *err)
{
    const size_t weights = (size_t)m->d * m->columns;
    softmax_sum sum = {m, scores, out};
    double *t = out + weights;
    hsp__tasks_run(m->ctx, m->row_parts * (m->columns / SOFTMAX_BLOCK), softmax_combine_task, &sum);
    for (uint64_t part = 1; part < m->row_parts; part++)
        hsp__vec()->axpy_f64(1, m->others + (part - 1) * weights, out, weights);
    memset(t, 0, m->columns * sizeof *t);
    for (uint64_t i = 0; m->offset != HSP__OFFSET_NONE && i < m->n; i++)
        for (size_t j = 0; j < m->columns; j++)
            t[j] += scores[i * m->columns + j];
    return hsp__stop_status(m->ctx, err);
}

/* P, A, U and the gradient at x. `jobs`: are the scores without offsets in m->a already? */
static hsp_status softmax_gradient(softmax *m, int jobs, softmax_sums *sums, hsp_error *err)
{
    m->largest = sqrt(hsp__vec()->sqnorm_f64(m->x, (size_t)m->d * m->columns)) +
                 hsp__vec()->norminf_f64(m->x + m->d * m->columns, m->columns);
    *sums = softmax_rows(m, jobs);
    m->value = softmax_penalty(m) + sums->loss;
    HSP__TRY(softmax_combine(m, m->a, m->u, err));
    const size_t ridge = m->penalty == HSP__PENALTY_L1 ? 0 : m->penalised;
    for (size_t j = 0; j < m->size; j++)
        m->gradient[j] = (j < ridge ? m->x[j] : 0) - m->u[j];
    return HSP_OK;
}

/* ---- Free offsets ---------------------------------------------------------------------------- */

/* The offsets that are best for the scores without offsets in m->a. The losses do not change when
 * all offsets rise by the same amount: their sum stays what it is. */
static hsp_status softmax_offsets(softmax *m, hsp_error *err)
{
    const uint32_t k = m->k;
    const size_t side = hsp__matrix_side(k), each = (size_t)k * (k + 2);
    hsp__scratch scratch = {.memory = &m->ctx->allocator};
    double *matrix = hsp__scratch_new(&scratch, side * side, sizeof *matrix);
    double *room = hsp__scratch_raw(&scratch, hsp__matrix_scratch(k), sizeof *room);
    double *step = hsp__scratch_new(&scratch, k, sizeof *step);
    double *b = m->x + m->d * m->columns, least = HUGE_VAL, part_of_step = 1;
    m->newton = hsp__scratch_raw(&scratch, m->parts * each, sizeof *m->newton);
    for (int round = 0; !scratch.failed && round < 100; round++) {
        memset(m->newton, 0, (size_t)m->parts * each * sizeof *m->newton);
        softmax_rows(m, SOFTMAX_OFFSETS);
        double *slope = m->newton, *curvature = slope + k, most = 0, trace = 0;
        for (uint64_t part = 1; part < m->parts; part++)
            hsp__vec()->axpy_f64(1, m->newton + part * each, m->newton, (size_t)k * (k + 1));
        for (uint32_t j = 0; j < k; j++) {
            most = fmax(most, fabs(slope[j]));
            trace += curvature[j * k + j];
        }
        if (hsp__stopped(m->ctx) || most == 0 || !(trace > 0)) break;
        if (!(most < least)) { /* too far, or as near as rounding allows */
            for (uint32_t j = 0; j < k; j++)
                b[j] += part_of_step / 2 * step[j];
            part_of_step /= 2;
            if (part_of_step < 1e-3) break;
            continue;
        }
        least = most, part_of_step = 1;
        for (uint32_t j = 0; j < k; j++)
            for (uint32_t l = 0; l <= j; l++)
                matrix[j * side + l] = curvature[j * k + l] + trace / k + (j == l) * 1e-15 * trace;
        memcpy(step, slope, k * sizeof *step);
        if (!hsp__matrix_cholesky(m->ctx, matrix, k, room)) break;
        hsp__matrix_solve(matrix, k, step);
        for (uint32_t j = 0; j < k; j++)
            b[j] -= step[j];
    }
    m->newton = NULL;
    hsp__scratch_free(&scratch);
    return scratch.failed ? hsp__fail_memory(err) : hsp__stop_status(m->ctx, err);
}

/* ---- The gap --------------------------------------------------------------------------------- */

/* Primal and dual value at x, rounded up and down, after free offsets were set to the best ones. */
static hsp_status softmax_gap(softmax *m, hsp_error *err, hsp__gap_values *out)
{
    const hsp__vec_table *vec = hsp__vec();
    const int regularized = m->offset == HSP__OFFSET_REGULARIZED;
    const double gamma = hsp__gap_gamma(m->n), all = hsp__gap_gamma(m->penalised);
    const double *t = m->u + m->d * m->columns;
    softmax_sums sums = softmax_rows(m, SOFTMAX_SCORE);
    if (m->offset == HSP__OFFSET_FREE && m->k <= SOFTMAX_NEWTON) HSP__TRY(softmax_offsets(m, err));
    HSP__TRY(softmax_gradient(m, SOFTMAX_LOSS, &sums, err));
    const double above = sums.above + gamma * sums.loss + all * (m->value - sums.loss);
    double mixed = gamma, total = 0;
    for (uint32_t j = 0; j < m->k; j++) {
        total += m->class_cost[j];
        if (m->offset == HSP__OFFSET_FREE && m->class_cost[j] > 0)
            mixed = fmax(mixed, gamma + fabs(t[j]) / m->class_cost[j]);
    }
    const double reach = 1.5 * (mixed * sums.reach + regularized * gamma * total);
    double below = 0, square = 0;
    m->theta = 1;
    if (m->penalty == HSP__PENALTY_L1) {
        const double largest = vec->norminf_f64(m->u, m->penalised) + reach;
        if (largest > 1) {
            m->theta = 1 / largest;
            sums = softmax_rows(m, SOFTMAX_SCALED);
            vec->scale_f64(m->theta, m->a, (size_t)m->n * m->columns);
            vec->scale_f64(m->theta, m->u, m->size);
        }
    } else {
        square = vec->sqnorm_f64(m->u, m->penalised);
        below = all * square + reach * (sqrt(square) + reach);
    }
    below += sums.below + (gamma + mixed) * sums.entropy;
    *out = (hsp__gap_values){.primal = m->value + above,
                             .dual = fmax(0, sums.entropy - square / 2 - below)};
    out->gap = hsp__gap_relative(out->primal, out->dual);
    out->rounding = out->primal > 0 ? (above + below) / out->primal : 0;
    return HSP_OK;
}

/* ---- Steps ---------------------------------------------------------------------------------- */

typedef struct softmax_steps {
    double gap;     /* that is asked for */
    size_t orthant; /* l1: this many coordinates keep their signs in a step; l2: 0 */
    double
        *diagonal; /* d + 1: of the Hessian at W = 0, for the weights of a column and the offsets */
    double *x, *gradient;           /* size: where the step began, and the gradient there */
    double *slope;                  /* size: gradient, l1: the pseudo-gradient */
    double *direction;              /* size */
    double *s, *y;                  /* SOFTMAX_MEMORY * size: steps, and changes of the gradient */
    double product[SOFTMAX_MEMORY]; /* <s, y> */
    double *r, *z, *p, *hp;         /* size, l2: conjugate gradients */
    double *matrices;               /* k * side * side: factored, of one class each; NULL: none */
    size_t side;
    uint64_t products; /* that the last step took; 0: there was none */
    uint64_t made;     /* steps remembered in all; the newest is (made - 1) % MEMORY */
} softmax_steps;

static hsp_status softmax_measure(const softmax *m, double *diagonal, hsp_error *err)
{
    const double share = (m->k - 1.0) / ((double)m->k * m->k);
    for (uint64_t i = 0; i < m->n; i++) {
        const hsp__row row = hsp__view_row(m->view, i);
        const double c = share * softmax_cost(m, i);
        if (i % SOFTMAX_TICK == 0 && hsp__tick(m->ctx)) return hsp__stop_status(m->ctx, err);
        diagonal[m->d] += c;
        for (uint64_t e = 0; e < row.count; e++) {
            const double value = hsp__row_value(m->view, &row, e);
            diagonal[hsp__row_column(&row, e)] += c * value * value;
        }
    }
    for (uint64_t j = 0; j <= m->d; j++) {
        if (m->penalty == HSP__PENALTY_L2 && (j < m->d || m->offset == HSP__OFFSET_REGULARIZED))
            diagonal[j] += 1;
        if (!(diagonal[j] > 0)) diagonal[j] = 1;
    }
    return HSP_OK;
}

/* ---- Newton's method ---- */

typedef struct softmax_factor {
    const softmax *m;
    softmax_steps *steps;
    atomic_int failed; /* no memory */
} softmax_factor;

/* Factor the part of the Hessian that is of one class: sum c q (1 - q) x x', and the penalty. */
static void softmax_factor_class(void *user, uint64_t class)
{
    softmax_factor *job = user;
    const softmax *m = job->m;
    const size_t d = (size_t)m->d, order = d + 1, side = job->steps->side;
    hsp__scratch scratch = {.memory = &m->ctx->allocator};
    double *rows = hsp__scratch_new(&scratch, HSP__MATRIX_BLOCK * side, sizeof *rows);
    double *room = hsp__scratch_raw(&scratch, hsp__matrix_scratch(order), sizeof *room);
    double weight[HSP__MATRIX_BLOCK], *g = job->steps->matrices + class * side * side;
    size_t count = 0;
    memset(g, 0, side * side * sizeof *g);
    for (uint64_t i = 0; !scratch.failed && i < m->n; i++) {
        const hsp__row row = hsp__view_row(m->view, i);
        const double c = softmax_cost(m, i), a = m->a[i * m->columns + class];
        const double q = c > 0 ? (m->view->labels[i] == class) - a / c : 0;
        if (i % SOFTMAX_TICK == 0 && hsp__tick(m->ctx)) break;
        weight[count] = c * q * (1 - q);
        memset(rows + count * side, 0, order * sizeof *rows);
        for (uint64_t e = 0; e < row.count; e++)
            rows[count * side + hsp__row_column(&row, e)] = hsp__row_value(m->view, &row, e);
        rows[count * side + d] = m->offset != HSP__OFFSET_NONE;
        if (++count < HSP__MATRIX_BLOCK && i + 1 < m->n) continue;
        hsp__matrix_update(g, order, rows, side, weight, count, room);
        count = 0;
    }
    for (size_t j = 0; j < order; j++)
        g[j * side + j] += j * m->columns < m->penalised ? 1 : 1e-9 * (g[j * side + j] + 1);
    if (!scratch.failed && !hsp__matrix_cholesky(m->ctx, g, order, room)) g[0] = 0; /* spoilt */
    if (scratch.failed) atomic_store(&job->failed, 1);
    hsp__scratch_free(&scratch);
}

/* z = M^-1 r: by the matrices of the classes, or by the diagonal. */
static void softmax_precondition(const softmax *m, softmax_steps *steps)
{
    const size_t columns = m->columns, d = (size_t)m->d, side = steps->side;
    double one[SOFTMAX_NARROW + 1];
    for (size_t j = 0; j <= d; j++)
        for (size_t c = j * columns; c < (j + 1) * columns; c++)
            steps->z[c] = steps->r[c] / steps->diagonal[j];
    for (uint32_t c = 0; steps->matrices && c < m->k; c++) {
        const double *g = steps->matrices + c * side * side;
        if (!(g[0] > 0)) continue;
        for (size_t j = 0; j <= d; j++)
            one[j] = steps->r[j * columns + c];
        hsp__matrix_solve(g, d + 1, one);
        for (size_t j = 0; j <= d; j++)
            steps->z[j * columns + c] = one[j];
    }
}

/* The direction: the Hessian's inverse times minus the slope, to a fifth, or to what the gap that
 * is asked for leaves room for. */
static hsp_status softmax_newton(softmax *m, softmax_steps *steps, hsp_error *err, uint64_t *passes)
{
    const hsp__vec_table *vec = hsp__vec();
    const size_t size = m->size;
    softmax_factor job = {m, steps, 0};
    if (steps->matrices && (!steps->products || 8 * steps->products > m->d))
        hsp__tasks_run(m->ctx, m->k, softmax_factor_class, &job);
    if (atomic_load(&job.failed)) return hsp__fail_memory(err);
    HSP__TRY(hsp__stop_status(m->ctx, err));
    memset(steps->direction, 0, size * sizeof *steps->direction);
    for (size_t j = 0; j < size; j++)
        steps->r[j] = -steps->slope[j];
    if (m->offset == HSP__OFFSET_NONE)
        memset(steps->r + m->d * m->columns, 0, m->columns * sizeof *steps->r);
    softmax_precondition(m, steps);
    memcpy(steps->p, steps->z, size * sizeof *steps->p);
    double rz = vec->dot_f64(steps->r, steps->z, size);
    const double enough = rz / 25, few = steps->gap * m->value / 2;
    for (steps->products = 0; steps->products < SOFTMAX_PRODUCTS && rz > enough &&
                              (!steps->products || vec->sqnorm_f64(steps->r, size) > few);) {
        m->along = steps->p, m->scores = m->curve;
        softmax_rows(m, SOFTMAX_SCORE | SOFTMAX_CURVE);
        HSP__TRY(softmax_combine(m, m->curve, steps->hp, err));
        vec->axpy_f64(1, steps->p, steps->hp, m->penalised);
        steps->products++, (*passes)++;
        const double curvature = vec->dot_f64(steps->p, steps->hp, size);
        if (!(curvature > 0)) break;
        const double alpha = rz / curvature;
        vec->axpy_f64(alpha, steps->p, steps->direction, size);
        vec->axpy_f64(-alpha, steps->hp, steps->r, size);
        softmax_precondition(m, steps);
        const double before = rz;
        rz = vec->dot_f64(steps->r, steps->z, size);
        for (size_t j = 0; j < size; j++)
            steps->p[j] = steps->z[j] + rz / before * steps->p[j];
    }
    return HSP_OK;
}

/* ---- L-BFGS ---- */

/* The direction from the slope: minus the approximate inverse Hessian times it. */
static void softmax_direct(const softmax *m, softmax_steps *steps)
{
    const hsp__vec_table *vec = hsp__vec();
    const uint64_t known = steps->made < SOFTMAX_MEMORY ? steps->made : SOFTMAX_MEMORY;
    double *r = steps->direction, part[SOFTMAX_MEMORY] = {0}, scale = 1;
    for (size_t j = 0; j < m->size; j++)
        r[j] = -steps->slope[j];
    for (uint64_t back = 1; back <= known; back++) {
        const uint64_t at = (steps->made - back) % SOFTMAX_MEMORY;
        part[at] = vec->dot_f64(steps->s + at * m->size, r, m->size) / steps->product[at];
        vec->axpy_f64(-part[at], steps->y + at * m->size, r, m->size);
    }
    if (known) {
        const uint64_t at = (steps->made - 1) % SOFTMAX_MEMORY;
        const double *y = steps->y + at * m->size;
        double sum = 0;
        for (size_t j = 0; j < m->size; j++)
            sum += y[j] * y[j] / steps->diagonal[j / m->columns];
        scale = steps->product[at] / sum;
    }
    for (size_t j = 0; j < m->size; j++)
        r[j] *= scale / steps->diagonal[j / m->columns];
    for (uint64_t back = known; back > 0; back--) {
        const uint64_t at = (steps->made - back) % SOFTMAX_MEMORY;
        const double other = vec->dot_f64(steps->y + at * m->size, r, m->size) / steps->product[at];
        vec->axpy_f64(part[at] - other, steps->s + at * m->size, r, m->size);
    }
    for (size_t j = 0; j < m->size; j++) /* none that the slope does not point down */
        if (j < steps->orthant && m->x[j] == 0 && r[j] * steps->slope[j] >= 0) r[j] = 0;
}

/* l1: the slope of P in the direction in which it falls, 0 where it falls in neither. */
static void softmax_slope(const softmax *m, softmax_steps *steps)
{
    memcpy(steps->slope, m->gradient, m->size * sizeof *steps->slope);
    for (size_t j = 0; j < steps->orthant; j++) {
        const double g = m->gradient[j], x = m->x[j];
        steps->slope[j] = x > 0 || (x == 0 && g < -1)  ? g + 1
                          : x < 0 || (x == 0 && g > 1) ? g - 1
                                                       : 0;
    }
}

/* One step from m->x, halved until P falls enough. *moved: is there such a step? */
static hsp_status softmax_step(softmax *m, softmax_steps *steps, hsp_error *err, uint64_t *passes,
                               int *moved)
{
    const hsp__vec_table *vec = hsp__vec();
    const size_t size = m->size;
    const double value = m->value;
    memcpy(steps->x, m->x, size * sizeof *steps->x);
    memcpy(steps->gradient, m->gradient, size * sizeof *steps->gradient);
    if (m->curve)
        HSP__TRY(softmax_newton(m, steps, err, passes));
    else
        softmax_direct(m, steps);
    *moved = 0;
    double length = 1;
    for (int halving = 0; !*moved && halving < SOFTMAX_HALVINGS; halving++, length /= 2) {
        double fall = 0;
        for (size_t j = 0; j < m->size; j++) {
            const double from = steps->x[j];
            double to = from + length * steps->direction[j];
            if (j < steps->orthant && to * (from != 0 ? from : -steps->slope[j]) < 0) to = 0;
            m->x[j] = to;
            fall += steps->slope[j] * (to - from);
        }
        softmax_sums sums;
        const hsp_status status = softmax_gradient(m, SOFTMAX_SCORE | SOFTMAX_LOSS, &sums, err);
        if (status) { /* stopped: the step may be too long */
            memcpy(m->x, steps->x, size * sizeof *m->x);
            return status;
        }
        (*passes)++;
        *moved = fall < 0 && m->value <= value + 1e-4 * fall;
    }
    if (!*moved) {
        memcpy(m->x, steps->x, size * sizeof *m->x);
        memcpy(m->gradient, steps->gradient, size * sizeof *m->gradient);
        m->value = value;
        return HSP_OK;
    }
    if (m->curve) return HSP_OK;
    const uint64_t at = steps->made % SOFTMAX_MEMORY;
    double *s = steps->s + at * m->size, *y = steps->y + at * m->size;
    for (size_t j = 0; j < m->size; j++) {
        s[j] = m->x[j] - steps->x[j];
        y[j] = m->gradient[j] - steps->gradient[j];
    }
    steps->product[at] = vec->dot_f64(s, y, size);
    if (steps->product[at] > 0) steps->made++;
    return HSP_OK;
}

/* Minimise from m->x until the gap is reached. */
static hsp_status softmax_solve(softmax *m, softmax_steps *steps, const hsp__goal *goal,
                                hsp_error *err, hsp__solution *out, hsp__gap_values *values)
{
    const hsp__vec_table *vec = hsp__vec();
    softmax_sums sums;
    int moved = 1;
    double next = goal->gap; /* compute the gap when its estimate is at most this */
    steps->gap = goal->gap;
    HSP__TRY(softmax_measure(m, steps->diagonal, err));
    HSP__TRY(softmax_gradient(m, SOFTMAX_SCORE | SOFTMAX_LOSS, &sums, err));
    for (out->stop = HSP_STOP_PASSES; !goal->max_passes || out->passes < goal->max_passes;) {
        softmax_slope(m, steps);
        hsp__pass_log_note(m->ctx, goal->log, out->passes, m->value, (double)NAN);
        const double estimate =
            vec->sqnorm_f64(steps->slope, (size_t)m->d * m->columns) / 2 / fmax(m->value, 1e-300);
        if (hsp__watch_gap(goal->watch, goal->report, "passes", out->passes, estimate, goal->gap,
                           &out->stop))
            return HSP_OK;
        if (estimate <= next || !moved || out->updates % 16 == 15) {
            HSP__TRY(softmax_gap(m, err, values));
            hsp__pass_log_note(m->ctx, goal->log, out->passes, values->primal, values->dual);
            if (values->gap <= goal->gap) {
                out->stop = HSP_STOP_CONVERGED;
                return HSP_OK;
            }
            if (!moved) {
                out->stop = HSP_STOP_STALLED;
                return HSP_OK;
            }
            next = fmin(next, estimate) / 4;
            softmax_slope(m, steps);
        }
        HSP__TRY(softmax_step(m, steps, err, &out->passes, &moved));
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
    hsp__gap_margin(vec->sqnorm_f64(m->x, all), kkt);
}

/* All that the solver works with; scratch->failed when there is no memory for it. */
static void softmax_open(softmax *m, softmax_steps *steps, hsp__train *train, hsp__scratch *scratch)
{
    const hsp_view *view = train->prepared.view;
    const uint32_t k = train->count;
    const size_t columns = ((size_t)k + SOFTMAX_BLOCK - 1) / SOFTMAX_BLOCK * SOFTMAX_BLOCK;
    const size_t weights = (size_t)view->cols * columns, size = weights + columns;
    const int regularized = train->plan.offset == HSP__OFFSET_REGULARIZED;
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
    double **arrays[] = {&m->x,         &m->gradient,     &m->u, &steps->x, &steps->gradient,
                         &steps->slope, &steps->direction};
    for (size_t i = 0; i < sizeof arrays / sizeof *arrays; i++)
        *arrays[i] = hsp__scratch_new(scratch, size, sizeof **arrays[i]);
    m->a = hsp__scratch_new(scratch, m->n * columns, sizeof *m->a);
    m->others = hsp__scratch_raw(scratch, (m->row_parts - 1) * weights, sizeof *m->others);
    m->class_cost = hsp__scratch_new(scratch, k, sizeof *m->class_cost);
    m->norms = hsp__scratch_raw(scratch, m->n, sizeof *m->norms);
    m->identity =
        view->storage == HSP_DENSE ? hsp__scratch_raw(scratch, m->d, sizeof *m->identity) : NULL;
    steps->diagonal = hsp__scratch_new(scratch, m->d + 1, sizeof *steps->diagonal);
    if (m->penalty == HSP__PENALTY_L1) {
        steps->orthant = m->penalised;
        steps->s = hsp__scratch_raw(scratch, SOFTMAX_MEMORY * size, sizeof *steps->s);
        steps->y = hsp__scratch_raw(scratch, SOFTMAX_MEMORY * size, sizeof *steps->y);
    } else {
        double **more[] = {&steps->r, &steps->z, &steps->p, &steps->hp};
        for (size_t i = 0; i < sizeof more / sizeof *more; i++)
            *more[i] = hsp__scratch_raw(scratch, size, sizeof **more[i]);
        m->curve = hsp__scratch_new(scratch, m->n * columns, sizeof *m->curve);
        steps->side = hsp__matrix_side((size_t)m->d + 1);
        if (m->d <= SOFTMAX_NARROW)
            steps->matrices =
                hsp__scratch_new(scratch, k * steps->side * steps->side, sizeof(double));
    }
    if (scratch->failed) return;
    for (uint32_t j = 0; m->identity && j < m->d; j++)
        m->identity[j] = j;
    for (uint32_t c = 0; c < k; c++)
        cost[c] = train->tasks[c].problem.cost[1];
    m->cost = cost;
    for (uint64_t i = 0; i < m->n; i++)
        m->class_cost[view->labels[i]] += softmax_cost(m, i);
    hsp__gap_norms(m->ctx, view, m->norms);
}

/* The weights of the model to start from; `room` is of d. */
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
}

static hsp_status softmax_finish(hsp__train *train, softmax *m, const hsp__gap_values *values,
                                 hsp_error *err)
{
    hsp__task *task = &train->tasks[0];
    hsp__solution *s = &task->solution;
    hsp_context *ctx = m->ctx;
    hsp__gap_values last_values = *values;
    hsp__stop brief;
    hsp_context last = hsp__stop_grace(&brief, ctx);
    m->ctx = &last;
    hsp_status status = s->stop == HSP_STOP_CONVERGED ? HSP_OK : softmax_gap(m, err, &last_values);
    if (!status) softmax_kkt(m, &task->kkt);
    m->ctx = ctx;
    if (status && status != HSP_CANCELLED) return status;
    s->primal = last_values.primal, s->dual_value = last_values.dual;
    s->gap = last_values.gap, s->rounding = last_values.rounding;
    task->solver = &softmax_solvers[m->penalty == HSP__PENALTY_L1];
    if (hsp__stopped(&last)) hsp__fit_gap_unknown(&last, task);
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
    hsp__gap_values values = {.gap = 1};
    if (strcmp(train->plan.solver, "auto") != 0)
        return hsp__fail_option(err, "--solver",
                                "%s minimises over two classes; softmax, the form for more, has a "
                                "solver of its own: remove --solver, or use --multiclass ovr",
                                train->plan.solver);
    softmax_open(&m, &steps, train, &scratch);
    hsp__stop_limit(train->ctx, train->plan.max_seconds);
    hsp_status status = scratch.failed ? hsp__fail_memory(err) : HSP_OK;
    if (!status && train->start) softmax_start(&m, train, steps.x);
    if (!status) status = softmax_solve(&m, &steps, &goal, err, &train->tasks[0].solution, &values);
    if (status == HSP_CANCELLED) {
        hsp__watch_stopped(train->ctx, &train->tasks[0].solution.stop);
        status = HSP_OK;
    }
    if (!status) status = softmax_finish(train, &m, &values, err);
    hsp__scratch_free(&scratch);
    return status;
}
