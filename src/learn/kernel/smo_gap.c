/* What is proven of a kernel machine: primal and dual value with all that rounding may have done.
 *
 * A score is a sum of a_j y_j k(x_j, x); with kernel values that are off by at most e it is off by
 * at most e sum a, and by what its additions lost ("drift"). From that follow, as in gap.h, the
 * most that the losses and ||w||^2 = sum a_i y_i s_i may be. In floats e sum a is often too much.
 * Then the scores that matter are summed again, of kernel values in double: those of rows with a
 * weight, which ||w||^2 is made of, and of rows that may have a loss. Cost: half of the square of
 * the number of the first, and that number times the others, kernel values. */
#include "base/base.h"
#include "kernel/rounding.h"
#include "learn/erm/gap.h"
#include "learn/kernel/smo_set.h"

/* How far a score may be off. */
typedef struct smo_gap_off {
    double first, again;             /* as the solver has it; computed again */
    const unsigned char *recomputed; /* n: which rows have `again`? NULL: all have `first` */
    double most;                     /* the largest k(x, x) */
} smo_gap_off;

/* Hard: the machine whose margins are `least` at the least is as good as one with 1, made longer.
 */
static void smo_gap_values(const hsp__problem *p, const smo_gap_off *off, hsp__smo_solution *s)
{
    double total = 0, t = 0;               /* sum a, sum a y */
    double conjugate = 0, terms = 0;       /* sum e(a), and of the |terms| */
    double sum = 0, size = 0, sum_off = 0; /* ||w||^2, of the |terms|, and what it may be off by */
    double loss = 0, growth = 0;           /* sum c loss, and what it may be off by */
    double least = HUGE_VAL;               /* the smallest m, less what it may be off by */
    for (uint64_t i = 0; i < p->view->rows; i++) {
        const double y = hsp__problem_y(p, i), a = s->a[i], score = s->scores[i];
        const double c = hsp__problem_cost(p, i), m = y * (score + s->b);
        const double away = off->recomputed && off->recomputed[i] ? off->again : off->first;
        const double part = hsp__problem_loss(p)->form == HSP__SQUARED_HINGE ? a * a / (4 * c) : 0;
        const double all = away + hsp__gap_gamma(0) * (fabs(score) + fabs(s->b));
        total += a;
        t += y * a;
        conjugate += a > 0 ? a - part : 0;
        terms += a > 0 ? a + part : 0;
        sum += a * y * score;
        sum_off += a * away;
        size += a * fabs(score);
        least = fmin(least, m - all);
        if (p->hard || !(c > 0)) continue;
        const double value = p->loss->value(m, 1 - m);
        loss += c * value;
        growth += c * hsp__loss_growth(p->loss, 1 - m, value, all);
    }
    const double gamma = hsp__gap_gamma(p->view->rows);
    sum_off += gamma * size;
    const double square = fmax(sum, 0), above = square + sum_off;
    const double own = p->offset == HSP__OFFSET_REGULARIZED ? fabs(t) + gamma * total : 0;
    const double b = p->offset == HSP__OFFSET_REGULARIZED ? s->b : 0;
    double share = gamma; /* offset free: and the heavier class scaled, until sum a y = 0 */
    if (p->offset == HSP__OFFSET_FREE && total > 0) share += 2 * (fabs(t) / total + gamma);
    const double shift = p->offset == HSP__OFFSET_FREE ? share * total * sqrt(off->most) : 0;
    const double stretch = !p->hard || least >= 1 ? 1 : 1 / least;
    s->square = square;
    s->primal = (above + b * b * (1 + gamma)) / 2 + loss * (1 + gamma) + growth;
    s->primal *= stretch * stretch;
    if (p->hard && !(least >= 0.5)) s->primal = HUGE_VAL;
    s->dual = conjugate - share * terms - (above + own * own) / 2 - shift * (sqrt(above) + shift);
    assert(!(sum_off < 0 || share < 0 || s->primal < 0));
    s->gap = hsp__gap_relative(s->primal, s->dual);
    const double plain = sum / 2 + loss + b * b / 2;
    s->rounding =
        isfinite(s->primal) && s->primal > 0
            ? (s->primal - plain + (conjugate - (square + b * b) / 2) - s->dual) / s->primal
            : 0;
}

hsp_status hsp__smo_prove(hsp_context *ctx, const hsp__problem *p, hsp__smo_cache *cache,
                          double drift, double target, hsp_error *err, hsp__smo_solution *s)
{
    const uint64_t n = p->view->rows;
    double total = 0, most;
    for (uint64_t i = 0; i < n; i++)
        total += s->a[i];
    smo_gap_off off = {.first = cache->off * total + drift, .most = cache->most};
    smo_gap_values(p, &off, s);
    if (s->gap <= target || !(s->rounding > fmin(target, s->gap) / 4)) return HSP_OK;
    /* The scores that matter once more, of kernel values in double. */
    uint64_t used = 0, count = 0;
    hsp__scratch scratch = {.memory = &ctx->allocator};
    unsigned char *recomputed = hsp__scratch_new(&scratch, n, 1);
    uint64_t *support = hsp__scratch_raw(&scratch, n, sizeof *support);
    uint64_t *rows = hsp__scratch_raw(&scratch, n, sizeof *rows);
    double *by = hsp__scratch_raw(&scratch, n, sizeof *by);
    double *out = hsp__scratch_new(&scratch, n, sizeof *out);
    hsp_status status = scratch.failed ? hsp__fail_memory(err) : HSP_OK;
    for (uint64_t i = 0; !status && i < n; i++) {
        const double y = hsp__problem_y(p, i), m = y * (s->scores[i] + s->b);
        recomputed[i] = s->a[i] > 0 || p->hard || !(m > 1 + 2 * off.first);
        if (s->a[i] > 0) {
            by[used] = y * s->a[i];
            support[used++] = i;
        } else if (recomputed[i]) {
            rows[count++] = i;
        }
    }
    if (!status) status = hsp__smo_cache_precise_own(cache, support, by, used, out, err);
    if (!status)
        status = hsp__smo_cache_apply(cache, support, by, used, rows, count, 1, out + used, err);
    for (uint64_t k = 0; !status && k < used + count; k++)
        s->scores[k < used ? support[k] : rows[k - used]] = out[k];
    const double each = hsp__kernel_rounding(cache->source.rows, 1, &most);
    off.again = (each + hsp__gap_gamma(used) * most) * total;
    off.recomputed = recomputed;
    if (!status) status = hsp__gap_offset(ctx, p, s->scores, err, &s->b);
    if (!status) smo_gap_values(p, &off, s);
    hsp__scratch_free(&scratch);
    return status;
}
