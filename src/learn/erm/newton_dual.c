/* Better multipliers for weights that are good already, by dual coordinate descent.
 *
 * Many columns: directions are by conjugate gradients, and after a few steps the primal value is all
 * but the best. The multipliers a = -c loss'(m) of such weights are not: with u = sum a y x their
 * dual value falls short by ||u - w||^2 / 2, and a column that many rows have turns a tiny error
 * of its weight into a large one of u. The products that make this small are most of a run. But such
 * columns are where coordinate descent is at its best: one pass over the rows, each a moved to where D
 * is largest, makes u fit them; it is slow only in what conjugate gradients have settled.
 *
 * The first rows of a pass would take all of what is wrong with such a column upon themselves, and
 * their multipliers would end far from what their margins ask for. In the first pass rows move as if
 * ||x||^2 were up to NEWTON_DUAL_SHARE times as large, which spreads it over as many rows and more:
 * the more, the more rows the columns have in which u and w differ. Short moves do not lower D either.
 *
 * A pass visits blocks of rows in a scattered order and is made by one thread: it costs about as
 * much as two products. Passes end when too many more would be needed. */
#include "base/base.h"
#include "learn/erm/dcd.h"
#include "learn/erm/matvec.h"
#include "learn/erm/newton.h"
#include "model/model.h"
#include "vec/vec.h"

enum {
    NEWTON_DUAL_SHARE = 64,  /* rows that share what a column lacks, in the first pass, at most; */
    NEWTON_DUAL_EACH = 64,   /* or one for each of this many that the column has */
    NEWTON_DUAL_BLOCK = 64,  /* rows that are visited in their order */
    NEWTON_DUAL_PASSES = 12, /* at most, */
    NEWTON_DUAL_MORE = 4,    /* and that may be to come, by what the last one took away */
};
#define NEWTON_DUAL_SKIP 0.1 /* part of the goal that rows left as they are may add up to */

/* A row's a moves, and z with it, to where D would be largest if ||x||^2 were `share` times q; what D
 * gains by that, about. */
static double newton_dual_row(const hsp__newton *s, double m, double q, double share, double c,
                              double least, double *a, double *z, double *step)
{
    if (s->form == HSP__LOGISTIC) {
        const double way = m - *z, was = *a;
        if (was * (1 - was / c) * way * way <= 2 * least) return 0;
        *z = hsp__dcd_logistic_maximum(m, share * q, was, *z, c, a);
        *step = *a - was;
        return *step * (*z - m - q * *step - way) / 2; /* the mean of D's slopes at both ends */
    }
    const double bend = 1 / (2 * c), slope = 1 - m - *a * bend;
    const double next = fmax(*a + slope / (share * q + bend), 0);
    *step = next - *a;
    *a = next;
    return *step * (slope - (q + bend) * *step / 2);
}

/* One pass; what D gained by it. */
static double newton_dual_pass(hsp__newton *s, double base, double share, double least, double *z)
{
    const hsp__problem *p = s->p;
    const hsp_view *view = p->view;
    const uint64_t blocks = (s->n + NEWTON_DUAL_BLOCK - 1) / NEWTON_DUAL_BLOCK;
    const int offset = s->dim > s->d;
    double gain = 0, none = 0;
    uint64_t stride = (uint64_t)(0.618 * (double)blocks) | 1;
    for (uint64_t a = blocks, b = stride; b != 1;) { /* until the two have no common factor */
        const uint64_t rest = b ? a % b : 0;
        a = b, b = rest;
        if (!b) a = blocks, b = stride += 2;
    }
    for (uint64_t k = 0, block = 0; k < blocks; k++, block = (block + stride) % blocks) {
        const uint64_t from = block * NEWTON_DUAL_BLOCK;
        if (k % 16 == 0 && hsp__tick(s->ctx)) break;
        for (uint64_t i = from; i < from + NEWTON_DUAL_BLOCK && i < s->n; i++) {
            const double y = hsp__problem_y(p, i), c = hsp__problem_cost(p, i);
            const hsp__row row = hsp__view_row(view, i);
            const double q = p->norms ? p->norms[i] * p->norms[i] : hsp__matvec_sqnorm(view, &row);
            if (!(c > 0)) continue;
            const double b = offset ? base + s->u[s->d] : 0;
            const double m = y * hsp__row_score(view, i, s->u, b);
            double step = 0;
            gain += newton_dual_row(s, m, q + offset, share, c, least, &s->a[i], z ? &z[i] : &none,
                                    &step);
            if (step == 0) continue;
            hsp__matvec_add_row(view, i, y * step, s->u);
            if (offset) s->u[s->d] += y * step;
        }
    }
    s->passes++;
    return gain;
}

/* How many rows are to share what columns lack? H's diagonal says how many a column has, as parts of
 * the mean row's ||x||^2. */
static double newton_dual_share(const hsp__newton *s)
{
    const double *diagonal = hsp__hessian_diagonal(s);
    double all = 0, square = 0, weighted = 0;
    for (uint64_t j = 0; j < s->dim; j++) {
        const double ridge = j < s->d ? s->ridge : s->offset_ridge, off = s->u[j] - ridge * s->w[j];
        all += diagonal[j] - ridge;
        square += off * off;
        weighted += off * off * (diagonal[j] - ridge);
    }
    const double rows = weighted / square * (double)s->n / all;
    return rows > NEWTON_DUAL_EACH ? fmin(rows / NEWTON_DUAL_EACH, NEWTON_DUAL_SHARE) : 1;
}

double hsp__newton_dual(hsp__newton *s, double primal, double wanted)
{
    /* a free offset is held near its value: b = base + sum a y */
    const double base = s->offset_ridge > 0 || s->dim == s->d ? 0 : s->w[s->d];
    const double least = NEWTON_DUAL_SKIP * wanted / (double)(s->n + 1);
    double *z = s->form == HSP__LOGISTIC ? s->delta_score : NULL;
    double left = primal - hsp__newton_estimate(s).dual;
    const double share = newton_dual_share(s);
    assert(s->stride == 1 && !s->by_matrix && !hsp__newton_anchored(s));
    for (uint64_t i = 0; z && i < s->n; i++) /* a = c / (1 + exp(z)) */
        z[i] = hsp__problem_y(s->p, i) * s->score[i];
    for (int pass = 0; pass < NEWTON_DUAL_PASSES && !hsp__stopped(s->ctx); pass++) {
        const double gain = newton_dual_pass(s, base, pass ? 1 : share, least, z);
        left -= gain;
        if (left <= wanted) break;
        /* it falls by about the same factor in the passes to come, or a little less */
        if (!(log(left / wanted) < NEWTON_DUAL_MORE * log((left + gain) / left))) break;
    }
    return primal - left;
}
