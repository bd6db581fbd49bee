/* Softmax with the l2 penalty: Newton's method, conjugate gradients for its steps (softmax.c).
 *
 * Subspace. The losses do not change when all weights of a column change by the same amount, and the
 * penalty is least where they add up to 0. So everything happens where they do: residuals and
 * preconditioned residuals are projected to sums of 0 over the classes. Without that the Hessian has
 * eigenvalues that are tiny relative to the preconditioner's, one for each column.
 *
 * Preconditioner. Of few columns: the part of the Hessian that is of one class, sum c q (1 - q) x x'
 * and the penalty, factored. Confusion is mostly between two classes, for which this, projected, is
 * the inverse but for a factor. The sum is over a sample of the rows: those of large c q (1 - q)
 * and, in regular distances, some of the others, with weights that make up for the rest. Of many
 * columns: the diagonal of the Hessian at W = 0.
 *
 * Radius. A step that had to be cut short ends the next one where conjugate gradients get that far, in
 * the norm of the preconditioner: its first directions are those that the rows know most about.
 *
 * Step length. Along the direction all scores change in proportion, so that slope and curvature of P
 * are had from the scores alone: Newton's method in one variable, within a bracket. */
#include "learn/multiclass/softmax_work.h"

#include "vec/matrix.h"
#include "vec/vec.h"

enum {
    SOFTMAX_WIDEST = 2048,  /* columns of a matrix, at most */
    SOFTMAX_SAMPLE = 4,     /* rows of a matrix for each of its columns, at least */
    SOFTMAX_MANY = 16,      /* products for a step, after which a larger sample is taken */
    SOFTMAX_PRODUCTS = 250, /* with the Hessian, at most, for a step */
    SOFTMAX_LENGTHS = 20    /* that are tried, until one is good; then any that is lower will do */
};

#define SOFTMAX_ROOM    16e6 /* numbers of all matrices, at most */
#define SOFTMAX_TILE    0.25 /* time of an operation of matrices against one of a product */
#define SOFTMAX_SCATTER 1.5  /* likewise, of sparse rows */
#define SOFTMAX_PRICE   40   /* products that factoring may cost */
#define SOFTMAX_RARE \
    0.1 /* a column has at least this part of the curvature that its rows suggest */
#define SOFTMAX_FLAT    0.3  /* the slope that a step length may leave, relative to the first */
#define SOFTMAX_FORCING 0.04 /* of the square of the gradient's size: where a direction is enough */

/* ---- Preconditioner -------------------------------------------------------------------------- */

/* Are the rows so sparse that their products are added one by one? */
static int softmax_scatters(const softmax *m)
{
    return m->view->storage != HSP_DENSE && hsp_view_stored(m->view) < m->n * m->d / 4;
}

void hsp__softmax_newton_open(const softmax *m, softmax_steps *steps, hsp__scratch *scratch)
{
    const double stored = (double)hsp_view_stored(m->view), order = (double)m->d + 1;
    const double a_row = stored / (double)m->n, product = 2 * stored * (double)m->columns;
    const double fill = softmax_scatters(m) ? SOFTMAX_SCATTER * a_row * a_row / 2
                                            : SOFTMAX_TILE * order * order / 2;
    steps->each = hsp__matrix_packed((size_t)m->d + 1);
    if (m->d > SOFTMAX_WIDEST || order * order * m->k > SOFTMAX_ROOM) return;
    const double factor = SOFTMAX_TILE * order * order * order / 6;
    const double least = fmax(SOFTMAX_SAMPLE * order, 2 * product / (m->k * fill));
    steps->sample = (uint64_t)fmin(least, (double)m->n);
    steps->price = m->k * (fill * (double)steps->sample + factor) / product;
    if (steps->price > SOFTMAX_PRICE) return;
    steps->factors = hsp__scratch_new(scratch, m->k * steps->each, sizeof *steps->factors);
    steps->lengths = hsp__scratch_new(scratch, m->k * (m->d + 1), sizeof *steps->lengths);
}

typedef struct softmax_factor {
    const softmax *m;
    softmax_steps *steps;
    uint64_t parts;    /* that the classes are dealt out to */
    atomic_int failed; /* no memory */
} softmax_factor;

/* c q (1 - q) of row i for a class. */
static double softmax_row_weight(const softmax *m, uint64_t i, uint64_t class)
{
    const double c = softmax_cost(m, i), p = fabs(m->a[i * m->columns + class]);
    return c > 0 ? p * fmax(0, 1 - p / c) : 0;
}

/* g += weight x x' of a row of few places. */
static void softmax_scatter(const softmax *m, uint64_t i, double weight, double *g, size_t side)
{
    const hsp__row row = hsp__view_row(m->view, i);
    double *last = g + m->d * side;
    const int single = m->view->precision == HSP_FLOAT32;
    const hsp__vec_table *vec = hsp__vec();
    for (size_t e = 0; e < row.count; e++) {
        const double v = weight * hsp__row_value(m->view, &row, e);
        double *line = g + row.indices[e] * side;
        if (!row.values)
            vec->ones_axpy_f64(v, row.indices, e + 1, line);
        else if (single)
            vec->sparse_axpy_f32f64(v, row.indices, row.values, e + 1, line);
        else
            vec->sparse_axpy_f64(v, row.indices, row.values, e + 1, line);
        if (m->offset != HSP__OFFSET_NONE) last[row.indices[e]] += v;
    }
    if (m->offset != HSP__OFFSET_NONE) last[m->d] += weight;
}

/* Row i as the next of the rows that are added to a matrix together. */
static void softmax_spread(const softmax *m, uint64_t i, double *to)
{
    const hsp__row row = hsp__view_row(m->view, i);
    memset(to, 0, (size_t)m->d * sizeof *to);
    for (uint64_t e = 0; e < row.count; e++)
        to[hsp__row_column(&row, e)] = hsp__row_value(m->view, &row, e);
    to[m->d] = m->offset != HSP__OFFSET_NONE;
}

/* The sum of weight x x' over the sample, and the sum of all weights. `rows` has a block of rows. */
static double softmax_fill(const softmax *m, const softmax_steps *steps, uint64_t class, double *g,
                           double *rows, double *room)
{
    const int scatters = softmax_scatters(m);
    const size_t order = (size_t)m->d + 1, side = hsp__matrix_side(order);
    double weight[HSP__MATRIX_BLOCK], total = 0, passed = 0;
    size_t count = 0;
    for (uint64_t i = 0; i < m->n; i++)
        total += softmax_row_weight(m, i, class);
    const double each = total / (double)steps->sample;
    for (uint64_t i = 0; i < m->n && total > 0; i++) {
        const double w = softmax_row_weight(m, i, class), before = floor(passed);
        if (i % SOFTMAX_TICK == 0 && hsp__tick(m->ctx)) break;
        passed += fmin(w / each, 1);
        if (floor(passed) == before) continue;
        weight[count] = fmax(w, each);
        if (scatters)
            softmax_scatter(m, i, weight[0], g, side);
        else
            softmax_spread(m, i, rows + count++ * side);
        if (count < HSP__MATRIX_BLOCK) continue;
        hsp__matrix_update(g, order, rows, side, weight, count, room);
        count = 0;
    }
    if (count) hsp__matrix_update(g, order, rows, side, weight, count, room);
    return total;
}

/* Factor the matrix of one class: in g, of zeros, and then packed. */
static void softmax_factor_class(const softmax *m, softmax_steps *steps, uint64_t class, double *g,
                                 double *rows, double *room)
{
    const size_t order = (size_t)m->d + 1, side = hsp__matrix_side(order);
    float *factor = steps->factors + class * steps->each;
    const double total = softmax_fill(m, steps, class, g, rows, room);
    const double share = (m->k - 1.0) / ((double)m->k * m->k); /* as in m->diagonal */
    const double mean = m->total > 0 ? total / m->total / share : 0;
    for (size_t j = 0; j < order; j++) {
        const int ridge = j * m->columns < m->penalised;
        double *at = &g[j * side + j];
        *at = fmax(*at, SOFTMAX_RARE * mean * (m->diagonal[j] - ridge));
        *at += ridge ? 1 : 1e-9 * *at + 1e-9;
    }
    if (hsp__matrix_cholesky(m->ctx, g, order, room))
        hsp__matrix_pack(g, order, factor, steps->lengths + class * order);
    else
        factor[0] = 0;
}

/* Classes part, part + parts ..., one after the other in the same memory. */
static void softmax_factor_part(void *user, uint64_t part)
{
    softmax_factor *job = user;
    const softmax *m = job->m;
    const size_t order = (size_t)m->d + 1, side = hsp__matrix_side(order);
    hsp__scratch scratch = {.memory = &m->ctx->allocator};
    double *g = hsp__scratch_raw(&scratch, side * side, sizeof *g);
    double *rows = hsp__scratch_new(&scratch, HSP__MATRIX_BLOCK * side, sizeof *rows);
    double *room = hsp__scratch_raw(&scratch, hsp__matrix_scratch(order), sizeof *room);
    if (scratch.failed) atomic_store(&job->failed, 1);
    for (uint64_t class = part; !scratch.failed && class < m->k; class += job->parts) {
        memset(g, 0, side * side * sizeof *g);
        softmax_factor_class(m, job->steps, class, g, rows, room);
    }
    hsp__scratch_free(&scratch);
}

/* z = M^-1 r for one class. */
static void softmax_precondition_class(void *user, uint64_t c)
{
    const softmax_factor *job = user;
    const softmax *m = job->m;
    const softmax_steps *steps = job->steps;
    const size_t columns = m->columns, order = (size_t)m->d + 1;
    const float *factor = steps->factors + c * steps->each;
    double one[SOFTMAX_WIDEST + 1];
    if (!(factor[0] > 0)) return;
    for (size_t j = 0; j < order; j++)
        one[j] = steps->r[j * columns + c];
    hsp__matrix_solve_packed(factor, steps->lengths + c * order, order, one);
    for (size_t j = 0; j < order; j++)
        steps->z[j * columns + c] = one[j];
}

/* v with sums of 0 over the classes. */
static void softmax_project(const softmax *m, double *v)
{
    for (double *at = v, *end = v + m->size; at < end; at += m->columns) {
        double sum = 0;
        for (uint32_t c = 0; c < m->k; c++)
            sum += at[c];
        for (uint32_t c = 0; c < m->k; c++)
            at[c] -= sum / m->k;
    }
}

/* z = M^-1 r: by the matrices of the classes, or by the diagonal. */
static void softmax_precondition(const softmax *m, softmax_steps *steps)
{
    const size_t columns = m->columns;
    softmax_factor job = {.m = m, .steps = steps};
    for (size_t j = 0; j <= m->d; j++)
        for (size_t c = j * columns; c < (j + 1) * columns; c++)
            steps->z[c] = steps->r[c] / m->diagonal[j];
    if (steps->factors) hsp__tasks_run(m->ctx, m->k, softmax_precondition_class, &job);
    softmax_project(m, steps->z);
}

/* ---- Direction ------------------------------------------------------------------------------- */

/* The direction: the Hessian's inverse times minus the slope, to a fifth, or to what the gap that
 * is asked for leaves room for. */
static hsp_status softmax_direction(softmax *m, softmax_steps *steps, hsp_error *err,
                                    uint64_t *passes)
{
    const hsp__vec_table *vec = hsp__vec();
    const size_t size = m->size;
    const uint64_t threads = (uint64_t)hsp_context_threads(m->ctx);
    softmax_factor job = {.m = m, .steps = steps, .parts = threads < m->k ? threads : m->k};
    if (steps->factors && (!steps->products || (double)steps->products >= fmax(3, steps->price)))
        hsp__tasks_run(m->ctx, job.parts, softmax_factor_part, &job);
    if (atomic_load(&job.failed)) return hsp__fail_memory(err);
    HSP__TRY(hsp__stop_status(m->ctx, err));
    memset(steps->direction, 0, size * sizeof *steps->direction);
    for (size_t j = 0; j < size; j++)
        steps->r[j] = -steps->slope[j];
    if (m->offset == HSP__OFFSET_NONE)
        memset(steps->r + m->d * m->columns, 0, m->columns * sizeof *steps->r);
    softmax_project(m, steps->r);
    softmax_precondition(m, steps);
    memcpy(steps->p, steps->z, size * sizeof *steps->p);
    double rz = vec->dot_f64(steps->r, steps->z, size), p_norm = rz, mixed = 0;
    steps->norm = 0;
    const double enough = rz * SOFTMAX_FORCING, few = steps->gap * m->value / 2;
    m->from = steps->p, m->to = m->along;
    for (steps->products = 0; steps->products < SOFTMAX_PRODUCTS && rz > enough &&
                              steps->norm < steps->radius * steps->radius &&
                              (!steps->products || vec->sqnorm_f64(steps->r, size) > few);) {
        hsp__softmax_rows(m, SOFTMAX_SCORE | SOFTMAX_CURVE);
        HSP__TRY(hsp__softmax_combine(m, m->along, steps->hp, err));
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
        const double beta = rz / before;
        steps->norm += alpha * (2 * mixed + alpha * p_norm);
        mixed = beta * (mixed + alpha * p_norm);
        p_norm = rz + beta * beta * p_norm;
        for (size_t j = 0; j < size; j++)
            steps->p[j] = steps->z[j] + beta * steps->p[j];
    }
    steps->norm = sqrt(fmax(steps->norm, 0));
    return HSP_OK;
}

/* ---- Step length ----------------------------------------------------------------------------- */

/* The length of the step: P falls enough, and has little slope left. 0: there is none. The sums and A
 * are those at its end. */
static hsp_status softmax_length(softmax *m, const softmax_steps *steps, hsp_error *err,
                                 softmax_sums *sums)
{
    const hsp__vec_table *vec = hsp__vec();
    const double *d = steps->direction, square = vec->sqnorm_f64(d, m->penalised);
    const double fall = vec->dot_f64(steps->slope, d, m->size);
    const double product = vec->dot_f64(m->x, d, m->penalised), penalty = hsp__softmax_penalty(m);
    double low = 0, high = HUGE_VAL;
    m->length = 1;
    for (int tried = 0; fall < 0 && tried < SOFTMAX_HALVINGS; tried++) {
        const double t = m->length;
        *sums = hsp__softmax_rows(m, SOFTMAX_LOSS);
        HSP__TRY(hsp__stop_status(m->ctx, err));
        const double value = penalty + t * (product + t * square / 2) + sums->loss;
        const double slope = product + t * square + sums->slope;
        const double curvature = square + sums->curvature;
        const int lower = value <= m->value + 1e-4 * t * fall;
        if (lower && (fabs(slope) <= -SOFTMAX_FLAT * fall || tried >= SOFTMAX_LENGTHS))
            return HSP_OK;
        if (lower && slope < 0)
            low = t;
        else
            high = t;
        double next = t - slope / curvature;
        if (!(next > low && next < fmin(high, 8 * t)))
            next = isinf(high) ? 4 * t : (low + high) / 2;
        m->length = next;
    }
    m->length = 0;
    return HSP_OK;
}

hsp_status hsp__softmax_newton(softmax *m, softmax_steps *steps, hsp_error *err, uint64_t *passes,
                               int *moved)
{
    const hsp__vec_table *vec = hsp__vec();
    softmax_sums sums = {0};
    HSP__TRY(softmax_direction(m, steps, err, passes));
    m->from = steps->direction, m->to = m->along;
    hsp__softmax_rows(m, SOFTMAX_SCORE);
    HSP__TRY(hsp__stop_status(m->ctx, err));
    HSP__TRY(softmax_length(m, steps, err, &sums));
    const double length = m->length;
    *moved = length > 0;
    steps->radius =
        length < 0.5 ? 2 * length * steps->norm : fmax(steps->radius, 4 * length * steps->norm);
    m->length = 0;
    if (*moved) {
        vec->axpy_f64(length, steps->direction, m->x, m->size);
        vec->axpy_f64(length, m->along, m->scores, (size_t)m->n * m->columns);
        /* rounding: of the scores so far, of those of the step, and of x itself */
        hsp__softmax_rounding(m, steps->direction, length);
        hsp__softmax_rounding(m, m->x, 1);
    } else {
        sums = hsp__softmax_rows(m, SOFTMAX_LOSS);
    }
    (*passes)++;
    return hsp__softmax_gradient(m, &sums, err);
}
