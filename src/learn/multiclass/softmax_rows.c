/* Softmax: what is computed of every row, and sums of rows (softmax.c says what all of it means). */
#include "learn/multiclass/softmax_work.h"

#include "vec/matrix.h"
#include "vec/vec.h"

/* ---- Rows ------------------------------------------------------------------------------------ */

void hsp__softmax_row_scores(const softmax *m, uint64_t i, const double *from, double *s)
{
    const hsp__vec_table *vec = hsp__vec();
    const hsp__row row = hsp__view_row(m->view, i);
    const size_t n = (size_t)row.count, columns = m->columns;
    const uint32_t *places = m->identity ? m->identity : row.indices;
    const double *b = from + m->d * columns;
    if (!row.values)
        vec->ones_dots_f64(places, n, from, columns, columns, s);
    else if (m->view->precision == HSP_FLOAT32)
        vec->sparse_dots_f32f64(places, row.values, n, from, columns, columns, s);
    else
        vec->sparse_dots_f64(places, row.values, n, from, columns, columns, s);
    for (size_t j = 0; j < columns; j++)
        s[j] += b[j];
}

void hsp__softmax_row_add(const softmax *m, uint64_t i, const double *a, double *u, size_t many)
{
    const hsp__vec_table *vec = hsp__vec();
    const hsp__row row = hsp__view_row(m->view, i);
    const size_t n = (size_t)row.count, columns = m->columns;
    const uint32_t *places = m->identity ? m->identity : row.indices;
    if (!row.values)
        vec->ones_axpys_f64(a, places, n, u, columns, many);
    else if (m->view->precision == HSP_FLOAT32)
        vec->sparse_axpys_f32f64(a, places, row.values, n, u, columns, many);
    else
        vec->sparse_axpys_f64(a, places, row.values, n, u, columns, many);
}

/* From the scores of a row to A; sum its loss and entropy. */
static void softmax_row_loss(const softmax *m, uint64_t i, softmax_sums *sums)
{
    const uint32_t y = m->view->labels[i], k = m->k;
    const double c = softmax_cost(m, i), *s = m->scores + i * m->columns;
    const double *t = m->length != 0 ? m->along + i * m->columns : s, length = m->length;
    double *a = m->a + i * m->columns;
    double top = -HUGE_VAL, sum = 0, mean = 0, along = 0, square = 0, spread = 0, rest = 0;
    for (uint32_t j = 0; j < k; j++) {
        a[j] = s[j] + length * t[j];
        top = a[j] > top ? a[j] : top;
    }
    const double own = a[y];
    for (uint32_t j = 0; j < k; j++)
        a[j] -= top;
    hsp__vec()->exp_f64(a, k);
    for (uint32_t j = 0; j < k; j++) {
        const double e = a[j], et = e * t[j], z = s[j] + length * t[j];
        sum += e;
        mean += e * (z - top);
        spread += e * fabs(z);
        along += et;
        square += et * t[j];
    }
    if (sum < 1) sum = 1; /* the top score's own term; a NaN stays */
    const double share = c / sum, log_sum = log(sum);
    for (uint32_t j = 0; j < k; j++) {
        a[j] *= -share;
        rest -= j == y ? 0 : a[j];
    }
    a[y] = rest; /* 1 - q as the sum of the others, which does not cancel */
    sums->loss += c * (log_sum + (top - own));
    sums->entropy += c * (log_sum - mean / sum);
    sums->slope += share * along - c * t[y];
    sums->curvature += share * (square - along * (along / sum));
    const double off = hsp__gap_gamma(hsp__view_row(m->view, i).count) *
                       (m->largest[0] * m->norms[i] + m->largest[1]);
    const double small = hsp__gap_gamma(k);
    sums->above += c * (2 * off + small * (log_sum + fabs(top - own) + fabs(own) + spread / sum));
    sums->below += c * small * (log_sum + fabs(mean / sum) + 1);
}

/* The entropy of the distributions that `mixed` and `theta` make of A. */
static void softmax_row_scaled(const softmax *m, uint64_t i, softmax_sums *sums)
{
    const uint32_t y = m->view->labels[i];
    const double c = softmax_cost(m, i), small = hsp__gap_gamma(m->k), *a = m->a + i * m->columns;
    double entropy = 0;
    if (!(c > 0)) return;
    for (uint32_t j = 0; j < m->k; j++) {
        const double own = j == y;
        const double change = (1 - m->mixed) * (a[j] / c) + m->mixed * (own - m->mix[j]);
        const double q = own - m->theta * change;
        if (q > 0) entropy -= q * log(q);
    }
    sums->entropy += c * entropy;
    sums->below += 40 * c * small * m->k; /* an error of u in q changes q log q by 37 u at most */
}

/* Slope and curvature of the losses along the offsets. */
static void softmax_row_offsets(const softmax *m, uint64_t i, double *slope)
{
    const uint32_t k = m->k, y = m->view->labels[i];
    const double c = softmax_cost(m, i), *s = m->scores + i * m->columns;
    double top = -HUGE_VAL, sum = 0, *curvature = slope + k, *q = curvature + (size_t)k * k;
    for (uint32_t j = 0; j < k; j++)
        top = fmax(top, q[j] = s[j] + m->shift[j]);
    for (uint32_t j = 0; j < k; j++)
        q[j] -= top;
    hsp__vec()->exp_f64(q, k);
    for (uint32_t j = 0; j < k; j++)
        sum += q[j];
    for (uint32_t j = 0; j < k; j++) {
        q[j] /= sum;
        const double w = c * q[j];
        slope[j] += w - (j == y ? c : 0);
        curvature[j * k + j] += w;
        for (uint32_t l = 0; l <= j; l++)
            curvature[j * k + l] -= w * q[l];
    }
}

/* From the scores z of a row along a direction to c q_j (z_j - sum_l q_l z_l). */
static void softmax_row_curve(const softmax *m, uint64_t i)
{
    const uint32_t k = m->k, y = m->view->labels[i];
    const double c = softmax_cost(m, i), *a = m->a + i * m->columns;
    double mean = 0, *z = m->along + i * m->columns;
    for (uint32_t j = 0; j < k; j++)
        mean -= a[j] * z[j];
    mean = c > 0 ? z[y] + mean / c : 0;
    for (uint32_t j = 0; j < k; j++)
        z[j] = ((j == y ? c : 0) - a[j]) * (z[j] - mean);
}

static void softmax_part(void *user, uint64_t part)
{
    softmax *m = user;
    softmax_sums sums = {0};
    const uint64_t to = hsp__part(m->n, m->parts, part + 1);
    for (uint64_t i = hsp__part(m->n, m->parts, part); i < to; i++) {
        if (i % SOFTMAX_TICK == 0 && hsp__tick(m->ctx)) return;
        if (m->jobs & SOFTMAX_SCORE) hsp__softmax_row_scores(m, i, m->from, m->to + i * m->columns);
        if (m->jobs & SOFTMAX_LOSS) softmax_row_loss(m, i, &sums);
        if (m->jobs & SOFTMAX_CURVE) softmax_row_curve(m, i);
        if (m->jobs & SOFTMAX_SCALED) softmax_row_scaled(m, i, &sums);
        if (m->jobs & SOFTMAX_OFFSETS)
            softmax_row_offsets(m, i, m->newton + part * m->k * (m->k + 2));
    }
    m->sums[part] = sums;
}

softmax_sums hsp__softmax_rows(softmax *m, int jobs)
{
    softmax_sums all = {0};
    m->jobs = jobs;
    hsp__tasks_run(m->ctx, m->parts, softmax_part, m);
    for (uint64_t part = 0; part < m->parts; part++) {
        const softmax_sums *sums = &m->sums[part];
        all.loss += sums->loss, all.entropy += sums->entropy;
        all.slope += sums->slope, all.curvature += sums->curvature;
        all.above += sums->above, all.below += sums->below;
    }
    return all;
}

/* ---- Sums of rows ---------------------------------------------------------------------------- */

/* What hsp__softmax_combine sums: rows times their numbers, into `out` (size). */
typedef struct softmax_sum {
    const softmax *m;
    const double *numbers;
    double *out;
} softmax_sum;

/* A block of classes and a part of the rows. */
static void softmax_combine_task(void *user, uint64_t task)
{
    const softmax_sum *sum = user;
    const softmax *m = sum->m;
    const uint64_t part = task % m->row_parts, to = hsp__part(m->n, m->row_parts, part + 1);
    const size_t first = (size_t)(task / m->row_parts) * SOFTMAX_BLOCK, columns = m->columns;
    double *u = (part ? m->others + (part - 1) * m->size : sum->out) + first;
    double t[SOFTMAX_BLOCK] = {0};
    for (uint64_t j = 0; j <= m->d; j++)
        memset(u + j * columns, 0, SOFTMAX_BLOCK * sizeof *u);
    for (uint64_t i = hsp__part(m->n, m->row_parts, part); i < to; i++) {
        const double *a = sum->numbers + i * columns + first;
        if (i % SOFTMAX_TICK == 0 && hsp__tick(m->ctx)) return;
        hsp__softmax_row_add(m, i, a, u, SOFTMAX_BLOCK);
        for (size_t j = 0; j < SOFTMAX_BLOCK; j++)
            t[j] += a[j];
    }
    if (m->offset != HSP__OFFSET_NONE) memcpy(u + m->d * columns, t, sizeof t);
}

hsp_status hsp__softmax_combine(const softmax *m, const double *numbers, double *out,
                                hsp_error *err)
{
    softmax_sum sum = {m, numbers, out};
    hsp__tasks_run(m->ctx, m->row_parts * (m->columns / SOFTMAX_BLOCK), softmax_combine_task, &sum);
    for (uint64_t part = 1; part < m->row_parts; part++)
        hsp__vec()->axpy_f64(1, m->others + (part - 1) * m->size, out, m->size);
    return hsp__stop_status(m->ctx, err);
}
