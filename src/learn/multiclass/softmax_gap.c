/* Softmax: objective, free offsets, and the duality gap (softmax.c says what all of it means). */
#include "learn/multiclass/softmax_work.h"

#include "vec/matrix.h"
#include "vec/vec.h"

enum {
    SOFTMAX_NEWTON = 256, /* classes whose offsets are solved for together, at most */
    SOFTMAX_ROUNDS = 30   /* of Newton's method for them, at most */
};

double hsp__softmax_penalty(const softmax *m)
{
    return m->penalty == HSP__PENALTY_L1 ? hsp__vec()->norm1_f64(m->x, m->penalised)
                                         : hsp__vec()->sqnorm_f64(m->x, m->penalised) / 2;
}

void hsp__softmax_rounding(softmax *m, const double *v, double length)
{
    const double *b = v + m->d * m->columns;
    double most = 0;
    for (uint32_t j = 0; j < m->k; j++) /* a class without costs has no probability at all */
        if (m->class_cost[j] > 0) most = fmax(most, fabs(b[j]));
    m->largest[0] += length * sqrt(hsp__vec()->sqnorm_f64(v, (size_t)m->d * m->columns));
    m->largest[1] += length * most;
}

hsp_status hsp__softmax_gradient(softmax *m, const softmax_sums *sums, hsp_error *err)
{
    const size_t ridge = m->penalty == HSP__PENALTY_L1 ? 0 : m->penalised;
    const double penalty = hsp__softmax_penalty(m);
    HSP__TRY(hsp__stop_status(m->ctx, err)); /* the sums are of all rows */
    m->value = penalty + sums->loss;
    m->known.primal = m->value + sums->above + hsp__gap_gamma(m->n) * sums->loss +
                      hsp__gap_gamma(m->penalised) * penalty;
    m->known.gap = hsp__gap_relative(m->known.primal, m->known.dual);
    HSP__TRY(hsp__softmax_combine(m, m->a, m->u, err));
    for (size_t j = 0; j < m->size; j++)
        m->gradient[j] = (j < ridge ? m->x[j] : 0) - m->u[j];
    hsp__softmax_bound(m, sums);
    return HSP_OK;
}

/* ---- The gap --------------------------------------------------------------------------------- */

/* The least part of another distribution that makes t = 0, and that distribution. */
static double softmax_mix(softmax *m)
{
    const double *t = m->u + m->d * m->columns, slack = 2 * hsp__gap_gamma(m->n) * m->total;
    double part = 0;
    memset(m->mix, 0, m->k * sizeof *m->mix);
    if (m->offset != HSP__OFFSET_FREE || !(m->total > 0)) return 0;
    for (uint32_t j = 0; j < m->k; j++)
        if (m->class_cost[j] > 0 || t[j] != 0)
            part = fmax(part, (slack - t[j]) / fmax(m->class_cost[j] + slack - t[j], 1e-300));
    part = fmin(fmax(part, 0), 1);
    for (uint32_t j = 0; part > 0 && j < m->k; j++)
        m->mix[j] = fmax(0, m->class_cost[j] + (1 - part) / part * t[j]) / m->total;
    return part;
}

/* sum over the columns of (U of the mixed dual point)^2, or its largest |U| among all columns. */
static double softmax_mixed_size(const softmax *m, int largest)
{
    const size_t columns = m->columns;
    double all = 0;
    for (uint64_t j = 0; j < m->d; j++) {
        const double *u = m->u + j * columns, *of = m->class_sum + j * columns;
        double sum = 0;
        for (uint32_t c = 0; c < m->k; c++)
            sum += of[c];
        for (uint32_t c = 0; c < m->k; c++) {
            const double v = (1 - m->mixed) * u[c] + m->mixed * (of[c] - m->mix[c] * sum);
            all = largest ? fmax(all, fabs(v)) : all + v * v;
        }
    }
    return all;
}

/* The bounds at A, U and t; rows: those of l1 may be looked at for a better one. */
static void softmax_values(softmax *m, const softmax_sums *sums, int rows)
{
    const hsp__vec_table *vec = hsp__vec();
    const int free_offset = m->offset == HSP__OFFSET_FREE, l1 = m->penalty == HSP__PENALTY_L1;
    const double gamma = hsp__gap_gamma(m->n), all = hsp__gap_gamma(m->penalised);
    const double reach = 4 * gamma * (m->reach + (free_offset ? 0 : m->total));
    double entropy = sums->entropy, below = sums->below, square = 0, spread = 0;
    m->theta = 1, m->mixed = softmax_mix(m);
    for (uint32_t j = 0; j < m->k; j++)
        if (m->mix[j] > 0) spread -= m->mix[j] * log(m->mix[j]);
    entropy = (1 - m->mixed) * entropy + m->mixed * m->total * spread;
    if (l1) {
        const double largest =
            (free_offset ? softmax_mixed_size(m, 1) : vec->norminf_f64(m->u, m->penalised)) + reach;
        if (largest > 1) {
            m->theta = 1 / largest;
            entropy *= m->theta; /* at least: the entropy is concave, and 0 where q is the class */
            if (rows) {
                const softmax_sums scaled = hsp__softmax_rows(m, SOFTMAX_SCALED);
                entropy = scaled.entropy, below = scaled.below;
            }
        }
    } else {
        square = free_offset ? softmax_mixed_size(m, 0) : vec->sqnorm_f64(m->u, m->penalised);
        below += all * square + reach * (sqrt(square) + reach);
    }
    below += 4 * gamma * (entropy + m->mixed * m->total);
    const double dual = entropy - square / 2 - below, above = m->known.primal - m->value;
    if (dual > m->known.dual) m->known.dual = dual;
    m->known.gap = hsp__gap_relative(m->known.primal, m->known.dual);
    m->known.rounding = m->known.primal > 0 ? (above + below) / m->known.primal : 0;
}

void hsp__softmax_bound(softmax *m, const softmax_sums *sums)
{
    softmax_values(m, sums, 0);
}

/* ---- Free offsets ---------------------------------------------------------------------------- */

/* One round of Newton's method: slopes and curvatures of all rows at the offsets + shift. Returns the
 * largest slope. */
static double softmax_offsets_round(softmax *m, double *trace)
{
    const uint32_t k = m->k;
    const size_t each = (size_t)k * (k + 2);
    double most = 0, *slope = m->newton, *curvature = slope + k;
    memset(m->newton, 0, (size_t)m->parts * each * sizeof *m->newton);
    hsp__softmax_rows(m, SOFTMAX_OFFSETS);
    for (uint64_t part = 1; part < m->parts; part++)
        hsp__vec()->axpy_f64(1, m->newton + part * each, m->newton, (size_t)k * (k + 1));
    *trace = 0;
    for (uint32_t j = 0; j < k; j++) {
        most = fmax(most, fabs(slope[j]));
        *trace += curvature[(size_t)j * k + j];
    }
    return most;
}

/* The offsets that are best for the weights. The losses do not change when all offsets rise by the
 * same amount: their sum stays what it is. */
static hsp_status softmax_offsets(softmax *m, hsp_error *err)
{
    const uint32_t k = m->k;
    const size_t side = hsp__matrix_side(k), columns = m->columns;
    hsp__scratch scratch = {.memory = &m->ctx->allocator};
    double *matrix = hsp__scratch_new(&scratch, side * side, sizeof *matrix);
    double *room = hsp__scratch_raw(&scratch, hsp__matrix_scratch(k), sizeof *room);
    double *step = hsp__scratch_new(&scratch, k, sizeof *step);
    double least = HUGE_VAL, part_of_step = 1, trace;
    m->newton = hsp__scratch_raw(&scratch, m->parts * k * (k + 2), sizeof *m->newton);
    m->shift = hsp__scratch_new(&scratch, k, sizeof *m->shift);
    for (int round = 0; !scratch.failed && round < SOFTMAX_ROUNDS; round++) {
        const double most = softmax_offsets_round(m, &trace), *curvature = m->newton + k;
        if (hsp__stopped(m->ctx) || most <= hsp__gap_gamma(m->n) * m->total || !(trace > 0)) break;
        if (!(most < least)) { /* too far, or as near as rounding allows */
            if (most <= 1e-9 * m->total || part_of_step < 0.01) break;
            part_of_step /= 2;
            hsp__vec()->axpy_f64(part_of_step, step, m->shift, k);
            continue;
        }
        least = most, part_of_step = 1;
        for (uint32_t j = 0; j < k; j++)
            for (uint32_t l = 0; l <= j; l++)
                matrix[j * side + l] =
                    curvature[(size_t)j * k + l] + trace / k + (j == l) * 1e-15 * trace;
        memcpy(step, m->newton, k * sizeof *step);
        if (!hsp__matrix_cholesky(m->ctx, matrix, k, room)) break;
        hsp__matrix_solve(matrix, k, step);
        hsp__vec()->axpy_f64(-1, step, m->shift, k);
    }
    const hsp_status status =
        scratch.failed ? hsp__fail_memory(err) : hsp__stop_status(m->ctx, err);
    if (!status) hsp__vec()->axpy_f64(1, m->shift, m->x + m->d * columns, k);
    for (uint64_t i = 0; !status && i < m->n; i++)
        for (uint32_t j = 0; j < k; j++)
            m->scores[i * columns + j] += m->shift[j];
    m->newton = m->shift = NULL;
    hsp__scratch_free(&scratch);
    return status;
}

hsp_status hsp__softmax_gap(softmax *m, hsp_error *err, hsp__gap_values *out)
{
    m->from = m->x, m->to = m->scores, m->length = 0;
    hsp__softmax_rows(m, SOFTMAX_SCORE);
    HSP__TRY(hsp__stop_status(m->ctx, err));
    if (m->offset == HSP__OFFSET_FREE && m->k <= SOFTMAX_NEWTON) HSP__TRY(softmax_offsets(m, err));
    m->largest[0] = m->largest[1] = 0;
    hsp__softmax_rounding(m, m->x, 1);
    const softmax_sums sums = hsp__softmax_rows(m, SOFTMAX_LOSS);
    HSP__TRY(hsp__softmax_gradient(m, &sums, err));
    if (m->penalty == HSP__PENALTY_L1) softmax_values(m, &sums, 1);
    HSP__TRY(hsp__stop_status(m->ctx, err));
    *out = m->known;
    return HSP_OK;
}
