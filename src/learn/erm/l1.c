/* l1: sparse weights, by Newton steps whose quadratic models are minimised by coordinate descent.
 *
 * Problem.    minimise    P(w, b) = ||w||_1 + sum_i c_i loss(m_i)        (problem.h)
 *
 * for smooth losses.
 *
 * Update. With g the gradient of the losses and D = diag(c loss'') at (w, b), a step minimises
 *
 *     <g, z - w> + <g_b, beta> + sum_i D_i (<z - w, x_i> + beta)^2 / 2 + ||z||_1
 *
 * over z and beta, one weight at a time: z_j becomes the soft threshold of its own Newton step,
 * which is exactly 0 where the penalty is larger than the gain. This needs sums over a column's rows
 * of p_i = D_i <z - w, x_i>, which is kept up to date; so the rows are copied column by column. A
 * free offset is at its best all the time: with T = sum p_i and h_j = sum_i D_i x_ij it is beta =
 * -(g_b + T) / sum D, one number to keep up to date, and a weight's curvature becomes sum D x_ij^2 -
 * h_j^2 / sum D. Then (w, b) goes towards (z, b + beta) as far as P falls (halving, Armijo's rule).
 *
 * Weights that are 0 and satisfy their condition |g_j| <= 1 are not in the model; of those that
 * violate it, those that violate it most are. The next gradient looks at all.
 *
 * Guarantee. P falls with every step. The run ends when gap.h has computed a gap that is small
 * enough, for the dual coefficients a = -c loss'(m), scaled until max |u_j| <= 1.
 *
 * Cost. A step is a pass over all columns for the gradient, passes over the columns in the model, and
 * a few over the scores.
 *
 * Paper. G.-X. Yuan, C.-H. Ho, C.-J. Lin: An improved GLMNET for L1-regularized logistic regression,
 * JMLR 13, 2012 (the scheme; here for any smooth loss, with the offset eliminated and the gap to
 * stop at). */
#include "base/base.h"
#include "base/paging.h"
#include "base/random.h"
#include "learn/erm/gap.h"
#include "learn/erm/matvec.h"
#include "learn/erm/solvers.h"
#include "vec/vec.h"

#define L1_TICK           256   /* rows between two ticks */
#define L1_SWEEPS         200   /* over the weights of a model, at most */
#define L1_FEW            8     /* sweeps that are few */
#define L1_MODEL_ACCURACY 0.1   /* a model is solved to so much of what is wrong before */
#define L1_HALVINGS       40    /* of a step */
#define L1_ARMIJO         0.01  /* share of the promised decrease that a step must bring */
#define L1_ROUNDING       1e-13 /* of P */
#define L1_RIDGE          1e-12 /* added to curvatures, relative to their sizes */
#define L1_FIRST          512   /* weights with a violation that may always join */
#define L1_GRAM_MOST      1024  /* weights */
#define L1_GRAM_RATIO     200.0 /* operations to write out, for each entry of the rows */
#define L1_GRAM_PARTS     8     /* of the rows, each with an H of its own */
#define L1_GRAM_SWEEPS    2000
#define L1_GRAM_TICK      64   /* rows between two ticks */
#define L1_GRAM_ACCURACY  1e-3 /* what is left of what is wrong */
#define L1_GRAM_RIDGE     1e-12
#define L1_GRAM_FLAT      1e-3 /* rows with less than this of the mean curvature are left out */

/* The rows, column by column. */
typedef struct l1_columns {
    uint64_t *starts; /* d + 1 */
    uint32_t *rows;   /* stored; NULL: every column has all rows */
    void *values;     /* stored, of the view's precision; NULL: all 1 */
} l1_columns;

/* Losses and derivatives at (w, b). */
typedef struct l1_point {
    double *scores;    /* n: with b */
    double *ay;        /* n: y c times the negative gradient of the loss */
    double *curvature; /* n: D = c loss'' */
    double *grad;      /* d: of the losses */
    double grad_b;
    double curvatures; /* sum D */
    double primal;     /* P */
    int primal_known;  /* the last step has computed it */
    double violation;  /* of the conditions of an optimum, the largest */
} l1_point;

/* The quadratic model around (w, b), over the weights in `work`. */
typedef struct l1_quadratic {
    uint64_t *work; /* d: the weights in it, `count` of them */
    uint64_t count;
    double *z;          /* d: the weights that minimise it */
    double beta;        /* what that adds to b */
    double *diagonal;   /* d: sum D x^2 */
    double *h;          /* d: sum D x */
    double *product;    /* n: p = D X (z - w) */
    double product_sum; /* T = sum p */
    double *direction;  /* n: what the full step adds to the scores; scratch besides */
    /* its matrix, where it is small: l1_gram.c */
    int use_gram;         /* sweeps over the columns have been many */
    uint64_t *position;   /* d + 1: of a weight in the model, + 1; 0: not in it */
    double *gram, *slope; /* grown as needed: H, and the gradient of the model */
    uint64_t gram_room, slope_room;
} l1_quadratic;

typedef struct l1 {
    hsp_context *ctx;
    const hsp__problem *p;
    const hsp__goal *goal;
    hsp__solution *out;
    hsp__scratch scratch;
    hsp__random random;
    uint64_t n, d, stored;
    l1_columns columns;
    l1_point at;
    l1_quadratic model;
    uint64_t seen; /* entries looked at since the last full pass */
    int moved;     /* the last step changed something; */
    int fresh;     /* none has since the scores were computed; */
    int stuck;     /* steps without progress */
} l1;

/* How far a weight w with gradient g is from what an optimum asks for. */
static double l1_violation(double w, double g)
{
    if (w > 0) return fabs(g + 1);
    if (w < 0) return fabs(g - 1);
    return fabs(g) > 1 ? fabs(g) - 1 : 0;
}

/* The soft threshold of the Newton step from w: the best weight for a gradient g and a curvature.
 */
static double l1_threshold(double w, double g, double curve)
{
    const double to = w - g / curve, reach = 1 / curve;
    return to > reach ? to - reach : to < -reach ? to + reach : 0;
}

/* ---- Columns --------------------------------------------------------------------------------- */

static uint64_t l1_length(const l1 *t, uint64_t j)
{
    return t->columns.starts[j + 1] - t->columns.starts[j];
}

static double l1_value(const l1 *t, uint64_t k)
{
    if (!t->columns.values) return 1;
    return t->p->view->precision == HSP_FLOAT32 ? (double)((const float *)t->columns.values)[k]
                                                : ((const double *)t->columns.values)[k];
}

/* sum_i x_ij v_i. */
static double l1_dot(const l1 *t, uint64_t j, const double *v)
{
    const hsp__vec_table *vec = hsp__vec();
    const uint64_t from = t->columns.starts[j];
    const size_t length = (size_t)l1_length(t, j);
    const int single = t->p->view->precision == HSP_FLOAT32;
    if (!t->columns.values) return vec->ones_dot_f64(t->columns.rows + from, length, v);
    const float *floats = (const float *)t->columns.values + (single ? from : 0);
    const double *doubles = (const double *)t->columns.values + (single ? 0 : from);
    if (!t->columns.rows)
        return single ? vec->dot_f32f64(floats, v, length) : vec->dot_f64(doubles, v, length);
    return single ? vec->sparse_dot_f32f64(t->columns.rows + from, floats, length, v)
                  : vec->sparse_dot_f64(t->columns.rows + from, doubles, length, v);
}

/* p_i += a D_i x_ij. */
static void l1_add_product(l1 *t, uint64_t j, double a)
{
    const uint64_t from = t->columns.starts[j], to = t->columns.starts[j + 1];
    const double *curve = t->at.curvature;
    double *product = t->model.product;
    if (t->columns.rows && !t->columns.values) {
        for (uint64_t k = from; k < to; k++)
            product[t->columns.rows[k]] += a * curve[t->columns.rows[k]];
    } else if (t->columns.rows && t->p->view->precision == HSP_FLOAT32) {
        const float *values = t->columns.values;
        for (uint64_t k = from; k < to; k++)
            product[t->columns.rows[k]] += a * curve[t->columns.rows[k]] * (double)values[k];
    } else {
        for (uint64_t k = from; k < to; k++) {
            const uint64_t i = t->columns.rows ? t->columns.rows[k] : k - from;
            product[i] += a * curve[i] * l1_value(t, k);
        }
    }
}

/* Copy the rows column by column; `next` (d) is scratch. */
static void l1_transpose(l1 *t, uint64_t *next)
{
    const hsp_view *view = t->p->view;
    l1_columns *columns = &t->columns;
    memset(columns->starts, 0, (t->d + 1) * sizeof *columns->starts);
    for (uint64_t i = 0; i < t->n; i++) {
        hsp__paging_row(&t->ctx->allocator, i);
        if (i % L1_TICK == 0 && hsp__tick(t->ctx)) return;
        const hsp__row row = hsp__view_row(view, i);
        for (uint64_t k = 0; k < row.count; k++)
            columns->starts[hsp__row_column(&row, k) + 1]++;
    }
    for (uint64_t j = 0; j < t->d; j++) {
        columns->starts[j + 1] += columns->starts[j];
        next[j] = columns->starts[j];
    }
    for (uint64_t i = 0; i < t->n; i++) {
        hsp__paging_row(&t->ctx->allocator, i);
        if (i % L1_TICK == 0 && hsp__tick(t->ctx)) return;
        const hsp__row row = hsp__view_row(view, i);
        for (uint64_t k = 0; k < row.count; k++) {
            const uint64_t at = next[hsp__row_column(&row, k)]++;
            if (columns->rows) columns->rows[at] = (uint32_t)i;
            if (!columns->values) continue;
            if (view->precision == HSP_FLOAT32)
                ((float *)columns->values)[at] = ((const float *)row.values)[k];
            else
                ((double *)columns->values)[at] = ((const double *)row.values)[k];
        }
    }
}

/* ---- At (w, b): losses, gradient, curvatures --------------------------------------------------
 */

typedef struct l1_pass {
    l1 *t;
    uint64_t parts;
    double step; /* scores + step * direction */
    double sums[64][3];
} l1_pass;

static void l1_rows_part(void *user, uint64_t part)
{
    l1_pass *pass = user;
    l1 *t = pass->t;
    double loss = 0, slope = 0, curves = 0;
    const uint64_t to = hsp__part(t->n, pass->parts, part + 1);
    for (uint64_t i = hsp__part(t->n, pass->parts, part); i < to; i++) {
        const double y = hsp__problem_y(t->p, i), c = hsp__problem_cost(t->p, i);
        const double m = y * t->at.scores[i], s = t->p->loss->neg_gradient(m);
        t->at.ay[i] = y * c * s;
        t->at.curvature[i] = t->p->loss->curvature(s, c);
        if (!t->at.primal_known) loss += c * t->p->loss->value(m, 1 - m);
        slope -= t->at.ay[i];
        curves += t->at.curvature[i];
    }
    pass->sums[part][0] = loss;
    pass->sums[part][1] = slope;
    pass->sums[part][2] = curves;
}

static void l1_loss_part(void *user, uint64_t part)
{
    l1_pass *pass = user;
    const l1 *t = pass->t;
    double loss = 0;
    const uint64_t to = hsp__part(t->n, pass->parts, part + 1);
    for (uint64_t i = hsp__part(t->n, pass->parts, part); i < to; i++) {
        const double m =
            hsp__problem_y(t->p, i) * (t->at.scores[i] + pass->step * t->model.direction[i]);
        loss += hsp__problem_cost(t->p, i) * t->p->loss->value(m, 1 - m);
    }
    pass->sums[part][0] = loss;
}

static void l1_pass_run(l1 *t, l1_pass *pass, void (*part)(void *, uint64_t))
{
    pass->t = t;
    pass->parts = hsp__parts(t->n, 64);
    if (pass->parts > 64) pass->parts = 64;
    hsp__tasks_try(t->ctx, pass->parts, part, pass);
    for (uint64_t k = 1; k < pass->parts; k++)
        for (int s = 0; s < 3; s++)
            pass->sums[0][s] += pass->sums[k][s];
}

static void l1_grad_part(void *user, uint64_t part)
{
    const l1_pass *pass = user;
    l1 *t = pass->t;
    const uint64_t to = hsp__part(t->d, pass->parts, part + 1);
    for (uint64_t j = hsp__part(t->d, pass->parts, part); j < to; j++)
        t->at.grad[j] = -l1_dot(t, j, t->at.ay);
}

static void l1_evaluate(l1 *t)
{
    const double *w = t->out->w, b = t->out->b;
    const hsp__offset offset = t->p->offset;
    l1_pass pass = {0};
    l1_pass_run(t, &pass, l1_rows_part);
    if (!t->at.primal_known)
        t->at.primal = hsp__vec()->norm1_f64(w, (size_t)t->d) +
                       (offset == HSP__OFFSET_REGULARIZED ? fabs(b) : 0) + pass.sums[0][0];
    const double g = t->at.grad_b = pass.sums[0][1];
    t->at.curvatures = pass.sums[0][2];
    l1_pass columns = {.t = t, .parts = t->d ? hsp__parts(t->d, 8 * (t->stored / t->d + 8)) : 0};
    hsp__tasks_try(t->ctx, columns.parts, l1_grad_part, &columns);
    t->at.violation = offset == HSP__OFFSET_NONE   ? 0
                      : offset == HSP__OFFSET_FREE ? fabs(g)
                                                   : l1_violation(b, g);
    for (uint64_t j = 0; j < t->d; j++)
        t->at.violation = fmax(t->at.violation, l1_violation(w[j], t->at.grad[j]));
}

/* ---- The model ------------------------------------------------------------------------------- */

static void l1_choose_weights(l1 *t)
{
    const double *w = t->out->w;
    uint64_t used = 0, violating = 0;
    for (uint64_t j = 0; j < t->d; j++) {
        used += w[j] != 0;
        violating += w[j] == 0 && fabs(t->at.grad[j]) > 1;
    }
    assert(used + violating <= t->d);
    /* The violation above which about as many of the weights that are 0 lie, by halving. */
    const uint64_t room = used + L1_FIRST;
    double low = 0, high = violating > room ? t->at.violation : 0;
    for (int step = 0; step < 20 && violating > room; step++) {
        const double middle = (low + high) / 2;
        uint64_t above = 0;
        for (uint64_t j = 0; j < t->d; j++)
            above += w[j] == 0 && fabs(t->at.grad[j]) - 1 > middle;
        if (above > room)
            low = middle;
        else
            high = middle;
    }
    t->model.count = 0;
    for (uint64_t j = 0; j < t->d; j++)
        if (w[j] != 0 || fabs(t->at.grad[j]) - 1 > high) t->model.work[t->model.count++] = j;
}

static void l1_diag_part(void *user, uint64_t part)
{
    const l1_pass *pass = user;
    l1 *t = pass->t;
    const uint64_t to = hsp__part(t->model.count, pass->parts, part + 1);
    for (uint64_t c = hsp__part(t->model.count, pass->parts, part); c < to; c++) {
        const uint64_t j = t->model.work[c], from = t->columns.starts[j];
        double squares = 0, h = 0;
        for (uint64_t k = from; k < t->columns.starts[j + 1]; k++) {
            const double x = l1_value(t, k);
            const double dx = t->at.curvature[t->columns.rows ? t->columns.rows[k] : k - from] * x;
            h += dx;
            squares += dx * x;
        }
        t->model.diagonal[j] = squares;
        t->model.h[j] = h;
    }
}

/* beta at its best for T. */
static void l1_offset(l1 *t)
{
    if (t->p->offset == HSP__OFFSET_NONE || !(t->at.curvatures > 0)) return;
    const double b = t->out->b, g = t->at.grad_b + t->model.product_sum;
    if (t->p->offset == HSP__OFFSET_FREE) {
        t->model.beta = -g / t->at.curvatures;
        return;
    }
    t->model.beta = l1_threshold(b, g, t->at.curvatures) - b;
}

/* Minimise the model in at most this many sweeps; weights at 0 without a violation are skipped until
 * the others are done. 0: that was not enough. */
static int l1_sweep(l1 *t, int sweeps)
{
    l1_quadratic *model = &t->model;
    l1_pass pass = {.t = t,
                    .parts = hsp__parts(model->count + 1, 8 * (t->stored / (t->d + 1) + 8))};
    const double enough = L1_MODEL_ACCURACY * t->at.violation;
    const int eliminated = t->p->offset == HSP__OFFSET_FREE && t->at.curvatures > 0;
    uint64_t active = model->count;
    hsp__tasks_try(t->ctx, pass.parts, l1_diag_part, &pass);
    memset(model->product, 0, t->n * sizeof *model->product);
    l1_offset(t);
    double before = HUGE_VAL;
    for (int sweep = 0; sweep < sweeps && active; sweep++) {
        double worst = 0;
        hsp__random_shuffle(&t->random, model->work, active);
        for (uint64_t c = 0; c < active;) {
            /* weight j at its best, the others standing still */
            const uint64_t j = model->work[c];
            const double h = model->h[j], old = model->z[j];
            if (hsp__tick(t->ctx)) return 0;
            double curve = model->diagonal[j];
            if (eliminated) curve -= h * (h / t->at.curvatures);
            curve = fmax(curve, 0) + L1_RIDGE * (model->diagonal[j] + 1);
            const double g = t->at.grad[j] + l1_dot(t, j, model->product) + model->beta * h;
            const double z = l1_threshold(old, g, curve), violation = l1_violation(old, g);
            t->seen += l1_length(t, j);
            if (z != old) {
                model->z[j] = z;
                l1_add_product(t, j, z - old);
                model->product_sum += (z - old) * h;
                t->seen += l1_length(t, j);
                l1_offset(t);
            }
            worst = fmax(worst, violation);
            if (old == 0 && z == 0 && violation == 0 && before < HUGE_VAL) {
                model->work[c] = model->work[--active];
                model->work[active] = j;
            } else {
                c++;
            }
        }
        before = worst;
        if (worst > enough) continue;
        if (active == model->count) return 1;
        active = model->count;
        before = HUGE_VAL;
    }
    return active == 0;
}

/* ---- The model written out ------------------------------------------------------------------- */

/* H = X^T D X over the weights in it, then coordinate descent on H
 * alone.
 *
 * A weight that moves changes the gradient of all others by a row of H: `count` operations, however
 * many rows the data has, and a weight that stays costs one. A thousand sweeps are then cheaper
 * than a few over the columns, which strongly correlated columns (one-hot groups) need. Offset
 * free: H - h h^T / sum D, which has the offset eliminated; regularized: one weight more.
 *
 * Cost: sum over rows of (entries in the model)^2 / 2 to write it out, on the context's threads. */

static int l1_gram_fits(const l1 *t)
{
    double entries = 0;
    for (uint64_t c = 0; c < t->model.count; c++)
        entries +=
            (double)(t->columns.starts[t->model.work[c] + 1] - t->columns.starts[t->model.work[c]]);
    const double a_row = t->n ? entries / (double)t->n : 0;
    return t->model.count <= L1_GRAM_MOST && a_row * entries / 2 <= L1_GRAM_RATIO * entries;
}

typedef struct l1_gram_work {
    l1 *t;
    uint64_t k, parts;
    int failed;
} l1_gram_work;

static void l1_gram_part(void *user, uint64_t part)
{
    const l1_gram_work *work = user;
    const l1 *t = work->t;
    const uint64_t k = work->k, to = hsp__part(t->n, work->parts, part + 1);
    const uint64_t *position = t->model.position;
    double *h = t->model.gram + part * k * k;
    uint32_t at[L1_GRAM_MOST + 1];
    double x[L1_GRAM_MOST + 1];
    const double least = L1_GRAM_FLAT * t->at.curvatures / (double)t->n;
    memset(h, 0, k * k * sizeof *h);
    for (uint64_t i = hsp__part(t->n, work->parts, part); i < to; i++) {
        hsp__paging_row(&t->ctx->allocator, i);
        if (i % L1_GRAM_TICK == 0 && hsp__tick(t->ctx)) return;
        if (!(t->at.curvature[i] > least)) continue;
        /* the row's share: only the part above the diagonal */
        const hsp__row row = hsp__view_row(t->p->view, i);
        uint64_t met = 0;
        for (uint64_t e = 0; e < row.count; e++) {
            const uint64_t place = position[hsp__row_column(&row, e)];
            if (!place) continue;
            at[met] = (uint32_t)(place - 1);
            x[met++] = hsp__row_value(t->p->view, &row, e);
        }
        if (position[t->d]) at[met] = (uint32_t)(position[t->d] - 1), x[met++] = 1;
        for (uint64_t a = 0; a < met; a++) {
            const double dx = t->at.curvature[i] * x[a];
            double *own = h + at[a] * k;
            for (uint64_t b = a; b < met; b++)
                own[at[b]] += dx * x[b];
        }
    }
}

/* Coordinate descent over weights 0 .. k-1; v are they, in the model's order. */
static void l1_gram_descend(l1 *t, uint64_t k, uint64_t stride, double *v)
{
    const double enough = L1_GRAM_ACCURACY * t->at.violation;
    for (int sweep = 0; sweep < L1_GRAM_SWEEPS; sweep++) {
        double worst = 0;
        for (uint64_t a = 0; a < k; a++) {
            const double *row = t->model.gram + a * stride;
            const double curve = fmax(row[a], 0) + L1_GRAM_RIDGE * (row[a] + 1), old = v[a];
            worst = fmax(worst, l1_violation(old, t->model.slope[a]));
            v[a] = l1_threshold(old, t->model.slope[a], curve);
            if (v[a] != old) hsp__vec()->axpy_f64(v[a] - old, row, t->model.slope, (size_t)k);
        }
        if (worst <= enough || hsp__tick(t->ctx)) return;
    }
}

/* Write it out and minimise it: z and beta. */
static hsp_status l1_gram(l1 *t, hsp_error *err)
{
    const hsp_allocator *memory = &t->ctx->allocator;
    const hsp__vec_table *vec = hsp__vec();
    l1_quadratic *model = &t->model;
    const int offset = t->p->offset != HSP__OFFSET_NONE,
              free_one = t->p->offset == HSP__OFFSET_FREE;
    const uint64_t k = model->count + (uint64_t)offset;
    l1_gram_work work = {.t = t, .k = k, .parts = hsp__parts(t->n, 64)};
    if (work.parts > L1_GRAM_PARTS) work.parts = L1_GRAM_PARTS;
    if (k == 0) return HSP_OK;
    assert(model->count <= L1_GRAM_MOST);
    if (!hsp__reserve(memory, (void **)&model->gram, &model->gram_room, work.parts * k * k + 1,
                      sizeof *model->gram) ||
        !hsp__reserve(memory, (void **)&model->slope, &model->slope_room, 2 * k + 1,
                      sizeof *model->slope))
        return hsp__fail_memory(err);
    double *gram = model->gram, *slope = model->slope, *v = slope + k;
    const double *h = gram + (k - 1) * k; /* the offset's: sums of D x of the columns */
    for (uint64_t a = 0; a < model->count; a++) {
        model->position[model->work[a]] = a + 1;
        slope[a] = t->at.grad[model->work[a]];
        v[a] = t->out->w[model->work[a]];
    }
    if (offset) model->position[t->d] = k, slope[k - 1] = t->at.grad_b, v[k - 1] = t->out->b;
    if (hsp__tasks_try(t->ctx, work.parts, l1_gram_part, &work)) {
        for (uint64_t part = 1; part < work.parts; part++)
            vec->axpy_f64(1, gram + part * k * k, gram, (size_t)(k * k));
        for (uint64_t a = 0; a < k; a++)
            for (uint64_t b = 0; b < a; b++)
                gram[a * k + b] = gram[b * k + a];
        for (uint64_t a = 0; free_one && h[k - 1] > 0 && a + 1 < k; a++) { /* eliminate it */
            vec->axpy_f64(-h[a] / h[k - 1], h, gram + a * k, (size_t)k - 1);
            slope[a] -= h[a] * (slope[k - 1] / h[k - 1]);
        }
        l1_gram_descend(t, free_one ? k - 1 : k, k, v);
    }
    if (free_one && h[k - 1] > 0) { /* the best beta for the weights that were found */
        double sum = 0;
        for (uint64_t a = 0; a + 1 < k; a++)
            sum += h[a] * (v[a] - t->out->w[model->work[a]]);
        model->beta = -(t->at.grad_b + sum) / h[k - 1];
    } else if (offset && !free_one) {
        model->beta = v[k - 1] - t->out->b;
    }
    for (uint64_t a = 0; a < model->count; a++) {
        model->z[model->work[a]] = v[a];
        model->position[model->work[a]] = 0;
    }
    model->position[t->d] = 0;
    t->seen += t->stored;
    return HSP_OK;
}

static void l1_begin_model(l1 *t)
{
    memcpy(t->model.z, t->out->w, t->d * sizeof *t->model.z);
    t->model.beta = t->model.product_sum = 0;
}

/* ---- The step -------------------------------------------------------------------------------- */

/* Go towards (z, b + beta) as far as P falls; a step whose promise is rounding is believed. 0:
 * nowhere. */
static int l1_move(l1 *t)
{
    double *w = t->out->w, promised = t->at.grad_b * t->model.beta;
    const double b = t->out->b;
    if (t->p->offset == HSP__OFFSET_REGULARIZED) promised += fabs(b + t->model.beta) - fabs(b);
    for (uint64_t i = 0; i < t->n; i++)
        t->model.direction[i] = t->model.beta;
    for (uint64_t c = 0; c < t->model.count; c++) {
        const uint64_t j = t->model.work[c];
        if (t->model.z[j] == w[j]) continue;
        if (hsp__tick(t->ctx)) return 0;
        promised += t->at.grad[j] * (t->model.z[j] - w[j]) + (fabs(t->model.z[j]) - fabs(w[j]));
        const uint64_t from = t->columns.starts[j];
        const uint32_t *rows = t->columns.rows;
        for (uint64_t k = from; k < t->columns.starts[j + 1]; k++)
            t->model.direction[rows ? rows[k] : k - from] +=
                (t->model.z[j] - w[j]) * l1_value(t, k);
    }
    if (!(promised < 0)) return 0;
    double step = 1;
    for (int half = 0; half < L1_HALVINGS; half++, step /= 2) {
        l1_pass pass = {.step = step};
        l1_pass_run(t, &pass, l1_loss_part);
        if (hsp__stopped(t->ctx)) return 0;
        double penalty =
            t->p->offset == HSP__OFFSET_REGULARIZED ? fabs(b + step * t->model.beta) : 0;
        for (uint64_t j = 0; j < t->d; j++)
            penalty += fabs(step == 1 ? t->model.z[j] : w[j] + step * (t->model.z[j] - w[j]));
        const double value = penalty + pass.sums[0][0];
        const double flat = step == 1 ? L1_ROUNDING * t->at.primal : 0;
        if (value > t->at.primal + fmax(L1_ARMIJO * step * promised, promised + flat)) continue;
        t->at.primal = value;
        t->at.primal_known = 1;
        for (uint64_t j = 0; j < t->d; j++)
            w[j] = step == 1 ? t->model.z[j] : w[j] + step * (t->model.z[j] - w[j]);
        t->out->b = b + step * t->model.beta;
        for (uint64_t i = 0; i < t->n; i++)
            t->at.scores[i] += step * t->model.direction[i];
        return 1;
    }
    return 0;
}

/* ---- The run --------------------------------------------------------------------------------- */

/* The gap of (w, b), into the solution. */
static hsp_status l1_compute_gap(l1 *t, hsp_error *err)
{
    hsp__gap_values values;
    for (uint64_t i = 0; i < t->n; i++)
        t->out->dual[i] = fabs(t->at.ay[i]);
    HSP__TRY(hsp__gap(t->ctx, t->p, t->out->w, t->out->b, t->out->dual, t->model.diagonal,
                      t->model.direction, err, &values));
    t->out->primal = values.primal;
    t->out->dual_value = values.dual;
    t->out->gap = values.gap;
    return HSP_OK;
}

/* Scores that have no history of roundings. */
static void l1_refresh(l1 *t)
{
    hsp__matvec_scores(t->ctx, t->p->view, t->out->w, t->out->b, t->at.scores);
    t->at.primal_known = 0;
    t->at.primal = t->at.violation = HUGE_VAL;
}

/* What the next step depends on, for checkpoints. */
static void l1_state(hsp__state *state, void *user)
{
    l1 *t = user;
    hsp__solution *s = t->out;
    hsp__state_bytes(state, s->w, t->d * sizeof *s->w);
    HSP__STATE(state, s->b);
    HSP__STATE(state, s->passes);
    HSP__STATE(state, s->updates);
    hsp__state_bytes(state, t->at.scores, t->n * sizeof *t->at.scores);
    HSP__STATE(state, t->at.primal);
    HSP__STATE(state, t->at.primal_known);
    HSP__STATE(state, t->at.violation);
    HSP__STATE(state, t->model.use_gram);
    HSP__STATE(state, t->seen);
    HSP__STATE(state, t->random);
    HSP__STATE(state, t->moved);
    HSP__STATE(state, t->fresh);
    HSP__STATE(state, t->stuck);
}

static hsp_status l1_iterate(l1 *t, hsp_error *err)
{
    const hsp__goal *goal = t->goal;
    hsp__solution *s = t->out;
    hsp_stop stop = HSP_STOP_PASSES;
    int resumed;
    l1_refresh(t);
    t->moved = t->fresh = 1;
    HSP__TRY(hsp__checkpoint_load(t->ctx, goal->place, l1_state, t, err, &resumed));
    for (;;) {
        HSP__TRY(hsp__checkpoint_save(t->ctx, goal->place, l1_state, t, err));
        const double primal = t->at.primal, violation = t->at.violation;
        l1_evaluate(t);
        if (hsp__stopped(t->ctx)) return HSP_CANCELLED;
        /* where P has come to its roundings, the gradient still gets better */
        t->stuck = t->moved && (t->at.primal < primal || t->at.violation < violation / 2)
                       ? 0
                       : t->stuck + 1;
        /* the gap by our own figures: a scaled down until no |u_j| is above 1 */
        for (uint64_t i = 0; i < t->n; i++)
            t->model.direction[i] = fabs(t->at.ay[i]) / (1 + t->at.violation);
        const double dual = hsp__gap_dual(t->ctx, t->p, t->model.direction, NULL, NULL);
        hsp__pass_log_note(t->ctx, goal->log, s->passes, t->at.primal, dual);
        const double gap = t->at.primal > dual ? (t->at.primal - dual) / t->at.primal : 0;
        if (t->stuck || gap <= goal->gap) {
            HSP__TRY(l1_compute_gap(t, err));
            if (s->gap <= goal->gap) break;
        }
        if (t->stuck) t->model.use_gram = 1; /* models that are written out are solved better */
        if (t->stuck > 2 && t->fresh) return HSP_OK; /* that was all */
        if (t->stuck > 2) {
            l1_refresh(t);
            t->fresh = t->moved = 1;
            t->stuck = 0;
            continue;
        }
        assert(t->model.count <= t->d);
        s->passes += 2 + t->seen / (t->stored + 1);
        t->seen = 0;
        stop = HSP_STOP_PASSES;
        if ((goal->max_passes && s->passes >= goal->max_passes) ||
            hsp__watch_gap(goal->watch, goal->report, "passes", s->passes, gap, goal->gap, &stop)) {
            if (hsp__stopped(t->ctx)) return HSP_CANCELLED;
            HSP__TRY(l1_compute_gap(t, err));
            s->stop = stop;
            break;
        }
        l1_choose_weights(t);
        /* By the columns; where that takes many sweeps, columns are correlated, and models are
         * written out from then on, if they are small enough. */
        const int fits = l1_gram_fits(t);
        l1_begin_model(t);
        if (!(t->model.use_gram && fits) && !l1_sweep(t, fits ? L1_FEW : L1_SWEEPS) && fits &&
            !hsp__stopped(t->ctx)) {
            t->model.use_gram = 1;
            l1_begin_model(t);
        }
        if (t->model.use_gram && fits) HSP__TRY(l1_gram(t, err));
        t->moved = l1_move(t);
        s->updates++;
        t->fresh = t->fresh && !t->moved;
    }
    if (s->gap <= goal->gap) s->stop = HSP_STOP_CONVERGED;
    return HSP_OK;
}

static int l1_suits(const hsp__problem *p)
{
    return p->penalty == HSP__PENALTY_L1 && !p->hard && hsp__loss_is_smooth(p->loss) &&
           p->view->rows < UINT32_MAX;
}

static hsp_status l1_solve(hsp_context *ctx, const hsp__problem *p, const hsp__goal *goal,
                           hsp_error *err, hsp__solution *s)
{
    const hsp_view *view = p->view;
    const uint64_t n = view->rows, d = view->cols, stored = hsp_view_stored(view);
    const size_t real = sizeof(double);
    l1 t = {.ctx = ctx, .p = p, .goal = goal, .out = s, .n = n, .d = d, .stored = stored};
    hsp__scratch *scratch = &t.scratch;
    assert(l1_suits(p) && view->labels && s->dual);
    scratch->memory = &ctx->allocator;
    hsp__random_seed(&t.random, goal->seed, 0);
    s->stop = HSP_STOP_PASSES;
    s->passes = s->updates = 0;
    t.columns.starts = hsp__scratch_raw(scratch, d + 1, sizeof *t.columns.starts);
    if (view->storage != HSP_DENSE)
        t.columns.rows = hsp__scratch_raw(scratch, stored, sizeof *t.columns.rows);
    if (view->storage != HSP_ONES)
        t.columns.values = hsp__scratch_raw(scratch, stored, hsp__value_bytes(view->precision));
    t.at.scores = hsp__scratch_raw(scratch, n, real);
    t.at.ay = hsp__scratch_new(scratch, n, real);
    t.at.curvature = hsp__scratch_raw(scratch, n, real);
    t.at.grad = hsp__scratch_raw(scratch, d, real);
    t.model.product = hsp__scratch_raw(scratch, n, real);
    t.model.direction = hsp__scratch_raw(scratch, n, real);
    t.model.diagonal = hsp__scratch_raw(scratch, d, real);
    t.model.h = hsp__scratch_raw(scratch, d, real);
    t.model.z = hsp__scratch_raw(scratch, d, real);
    t.model.work = hsp__scratch_raw(scratch, d, sizeof *t.model.work);
    t.model.position = hsp__scratch_new(scratch, d + 1, sizeof *t.model.position);
    hsp_status status = scratch->failed ? hsp__fail_memory(err) : HSP_OK;
    if (!status) {
        l1_transpose(&t, t.model.work);
        status = hsp__stop_status(ctx, err);
    }
    if (!status) {
        if (p->offset == HSP__OFFSET_NONE) s->b = 0;
        hsp__matvec_scores(ctx, view, s->w, 0, t.at.scores);
        status = hsp__gap_offset(ctx, p, t.at.scores, err, &s->b);
    }
    if (!status) status = l1_iterate(&t, err);
    if (status ==
        HSP_CANCELLED) { /* the weights of the last step, with their gap if there is time */
        hsp__stop brief;
        hsp_context last = hsp__stop_grace(&brief, ctx);
        hsp__watch_stopped(ctx, &s->stop);
        t.ctx = &last;
        status = l1_compute_gap(&t, err);
        t.ctx = ctx;
    }
    if (status == HSP_CANCELLED) {
        hsp__solution_unknown(p, s);
        status = HSP_OK;
    }
    hsp__free(&ctx->allocator, t.model.gram);
    hsp__free(&ctx->allocator, t.model.slope);
    hsp__scratch_free(scratch);
    return status;
}

const hsp__solver hsp__solver_l1 = {
    .name = "l1",
    .summary = "Newton steps by coordinate descent over columns, for sparse weights",
    .suits = l1_suits,
    .solve = l1_solve};
