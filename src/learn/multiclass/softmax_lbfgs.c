/* Softmax with the l1 penalty: L-BFGS within an orthant (softmax.c). */
#include "learn/multiclass/softmax_work.h"

#include "vec/vec.h"

enum {
    SOFTMAX_LEVEL = 60
}; /* steps in sequence that may only seem to rise, by rounding errors of P */

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
            sum += y[j] * y[j] / m->diagonal[j / m->columns];
        scale = steps->product[at] / sum;
    }
    for (size_t j = 0; j < m->size; j++)
        r[j] *= scale / m->diagonal[j / m->columns];
    for (uint64_t back = known; back > 0; back--) {
        const uint64_t at = (steps->made - back) % SOFTMAX_MEMORY;
        const double other = vec->dot_f64(steps->y + at * m->size, r, m->size) / steps->product[at];
        vec->axpy_f64(part[at] - other, steps->s + at * m->size, r, m->size);
    }
    for (size_t j = 0; j < m->size; j++) /* none that the slope does not point down */
        if (j < steps->orthant && m->x[j] == 0 && r[j] * steps->slope[j] >= 0) r[j] = 0;
}

void hsp__softmax_slope(const softmax *m, softmax_steps *steps)
{
    memcpy(steps->slope, m->gradient, m->size * sizeof *steps->slope);
    for (size_t j = 0; j < steps->orthant; j++) {
        const double g = m->gradient[j], x = m->x[j];
        steps->slope[j] = x > 0 || (x == 0 && g < -1)  ? g + 1
                          : x < 0 || (x == 0 && g > 1) ? g - 1
                                                       : 0;
    }
}

/* x = where a step of this length leads, without leaving the orthant; how far P falls by its slope. */
static double softmax_walk(softmax *m, const softmax_steps *steps, double length)
{
    double fall = 0;
    for (size_t j = 0; j < m->size; j++) {
        const double from = steps->x[j];
        double to = from + length * steps->direction[j];
        if (j < steps->orthant && to * (from != 0 ? from : -steps->slope[j]) < 0) to = 0;
        m->x[j] = to;
        fall += steps->slope[j] * (to - from);
    }
    return fall;
}

/* The sums at x, with scores and A. */
static hsp_status softmax_look(softmax *m, hsp_error *err, softmax_sums *sums)
{
    m->from = m->x, m->to = m->scores, m->length = 0;
    m->largest[0] = m->largest[1] = 0;
    hsp__softmax_rounding(m, m->x, 1);
    *sums = hsp__softmax_rows(m, SOFTMAX_SCORE | SOFTMAX_LOSS);
    return hsp__stop_status(m->ctx, err);
}

hsp_status hsp__softmax_lbfgs(softmax *m, softmax_steps *steps, hsp_error *err, uint64_t *passes,
                              int *moved)
{
    const hsp__vec_table *vec = hsp__vec();
    softmax_sums sums = {0};
    memcpy(steps->x, m->x, m->size * sizeof *steps->x);
    memcpy(steps->gradient, m->gradient, m->size * sizeof *steps->gradient);
    softmax_direct(m, steps);
    *moved = 0;
    double length = 1;
    hsp_status status = HSP_OK;
    for (int halving = 0; !*moved && !status && halving < SOFTMAX_HALVINGS;
         halving++, length /= 2) {
        const double fall = softmax_walk(m, steps, length);
        status = softmax_look(m, err, &sums);
        (*passes)++;
        const double value = hsp__softmax_penalty(m) + sums.loss;
        const int lower = value <= m->value + 1e-4 * fall;
        const int level = steps->level < SOFTMAX_LEVEL && value <= m->value * (1 + 1e-14);
        *moved = !status && fall < 0 && (lower || level);
        if (*moved) steps->level = lower ? 0 : steps->level + 1;
    }
    if (!*moved) memcpy(m->x, steps->x, m->size * sizeof *m->x);
    if (!*moved && !status && steps->made) { /* perhaps because of what it remembers */
        steps->made = 0;
        return hsp__softmax_lbfgs(m, steps, err, passes, moved);
    }
    if (!*moved && !status) status = softmax_look(m, err, &sums);
    if (status) return status; /* stopped: x is where the last step led */
    HSP__TRY(hsp__softmax_gradient(m, &sums, err));
    if (!*moved) return HSP_OK;
    const uint64_t at = steps->made % SOFTMAX_MEMORY;
    double *s = steps->s + at * m->size, *y = steps->y + at * m->size;
    for (size_t j = 0; j < m->size; j++) {
        s[j] = m->x[j] - steps->x[j];
        y[j] = m->gradient[j] - steps->gradient[j];
    }
    steps->product[at] = vec->dot_f64(s, y, m->size);
    steps->made = steps->product[at] > 0 ? steps->made + 1 : 0; /* else its place is spoilt */
    return HSP_OK;
}
