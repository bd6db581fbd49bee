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

/* Sums that were added to are used while they are off by no more than this times new ones. */
#define SMO_GAP_LOOSE 1.25

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

/* Lists of rows, while scores are computed again. */
typedef struct smo_gap_lists {
    uint64_t *rows, *support, count, used; /* n: those without a weight; those with one */
    uint64_t *kept, *moved, old, moves; /* n: whose scores are known, for weights that were others;
                                              whose weights were */
    double *by, *out;                   /* n */
} smo_gap_lists;

/* Which scores matter, and of those that are known, what they lack. The sum of |what a moved by|. */
static double smo_gap_list(const hsp__problem *p, const hsp__smo_solution *s,
                           const hsp__smo_exact *exact, double off, smo_gap_lists *l)
{
    double distance = 0;
    for (uint64_t i = 0; i < p->view->rows; i++) {
        const double m = hsp__problem_y(p, i) * (s->scores[i] + s->b);
        const int known = exact->off >= 0 && exact->rows[i];
        if (s->a[i] > 0)
            l->support[l->used++] = i;
        else if (p->hard || !(m > 1 + 2 * off))
            l->rows[l->count++] = i;
        if (known) l->kept[l->old++] = i;
        if (exact->off < 0 || s->a[i] == exact->a[i]) continue;
        distance += fabs(s->a[i] - exact->a[i]);
        l->moved[l->moves++] = i;
    }
    return distance;
}

/* Scores of the rows that matter of kernel values in double. */
static hsp_status smo_gap_all(const hsp__problem *p, hsp__smo_cache *cache,
                              const hsp__smo_solution *s, hsp__smo_exact *exact,
                              const smo_gap_lists *l, hsp_error *err)
{
    for (uint64_t k = 0; k < l->used; k++)
        l->by[k] = hsp__problem_y(p, l->support[k]) * s->a[l->support[k]];
    memset(l->out, 0, (l->used + l->count) * sizeof *l->out);
    HSP__TRY(hsp__smo_cache_precise_own(cache, l->support, l->by, l->used, l->out, err));
    HSP__TRY(hsp__smo_cache_apply(cache, l->support, l->by, l->used, l->rows, l->count, 1,
                                  l->out + l->used, err));
    memset(exact->rows, 0, p->view->rows);
    for (uint64_t k = 0; k < l->used + l->count; k++) {
        const uint64_t i = k < l->used ? l->support[k] : l->rows[k - l->used];
        exact->scores[i] = l->out[k];
        exact->rows[i] = 1;
    }
    return HSP_OK;
}

/* The same from scores that are known: what has moved since then is added, and only what was not
 * known is summed up. */
static hsp_status smo_gap_more(const hsp__problem *p, hsp__smo_cache *cache,
                               const hsp__smo_solution *s, hsp__smo_exact *exact, smo_gap_lists *l,
                               hsp_error *err)
{
    uint64_t fresh = 0;
    for (uint64_t k = 0; k < l->moves; k++) {
        const uint64_t i = l->moved[k];
        l->by[k] = hsp__problem_y(p, i) * (s->a[i] - exact->a[i]);
    }
    for (uint64_t k = 0; k < l->old; k++)
        l->out[k] = exact->scores[l->kept[k]];
    HSP__TRY(
        hsp__smo_cache_apply(cache, l->moved, l->by, l->moves, l->kept, l->old, 1, l->out, err));
    for (uint64_t k = 0; k < l->old; k++)
        exact->scores[l->kept[k]] = l->out[k];
    for (uint64_t k = 0; k < l->used + l->count; k++) {
        const uint64_t i = k < l->used ? l->support[k] : l->rows[k - l->used];
        if (!exact->rows[i]) l->kept[fresh++] = i;
    }
    for (uint64_t k = 0; k < l->used; k++)
        l->by[k] = hsp__problem_y(p, l->support[k]) * s->a[l->support[k]];
    memset(l->out, 0, fresh * sizeof *l->out);
    HSP__TRY(
        hsp__smo_cache_apply(cache, l->support, l->by, l->used, l->kept, fresh, 1, l->out, err));
    for (uint64_t k = 0; k < fresh; k++) {
        exact->scores[l->kept[k]] = l->out[k];
        exact->rows[l->kept[k]] = 1;
    }
    return HSP_OK;
}

/* Scores of the rows that matter, where the others are right but for `off`: the way that takes fewer
 * kernel values. */
static hsp_status smo_gap_exact(const hsp__problem *p, hsp__smo_cache *cache,
                                const hsp__smo_solution *s, double total, double off,
                                hsp__smo_exact *exact, hsp_error *err)
{
    const uint64_t n = p->view->rows;
    hsp__scratch scratch = {.memory = &cache->ctx->allocator};
    smo_gap_lists l = {0};
    uint64_t **lists[] = {&l.rows, &l.support, &l.kept, &l.moved};
    for (size_t i = 0; i < sizeof lists / sizeof *lists; i++)
        *lists[i] = hsp__scratch_raw(&scratch, n, sizeof **lists[i]);
    l.by = hsp__scratch_raw(&scratch, n, sizeof *l.by);
    l.out = hsp__scratch_raw(&scratch, n, sizeof *l.out);
    hsp_status status = scratch.failed ? hsp__fail_memory(err) : HSP_OK;
    if (!status) {
        double most;
        const double distance = smo_gap_list(p, s, exact, off, &l);
        const double each = hsp__kernel_rounding(cache->source.rows, 1, &most);
        const double whole = (each + hsp__gap_gamma(l.used) * most) * total;
        uint64_t fresh = 0;
        for (uint64_t k = 0; k < l.used + l.count; k++)
            fresh += !exact->rows[k < l.used ? l.support[k] : l.rows[k - l.used]];
        const double more = exact->off + (each + hsp__gap_gamma(l.moves + 2) * most) * distance +
                            hsp__gap_gamma(l.moves + 2) * most * total;
        const int fewer =
            l.moves * l.old + l.used * fresh < l.used * (l.used / 2 + l.count) && !cache->wide;
        if (exact->off >= 0 && fewer && more <= SMO_GAP_LOOSE * whole) {
            status = smo_gap_more(p, cache, s, exact, &l, err);
            exact->off = fmax(more, whole);
        } else {
            status = smo_gap_all(p, cache, s, exact, &l, err);
            exact->off = whole;
        }
        memcpy(exact->a, s->a, n * sizeof *exact->a);
    }
    if (status) exact->off = -1;
    hsp__scratch_free(&scratch);
    return status;
}

hsp_status hsp__smo_prove(hsp_context *ctx, const hsp__problem *p, hsp__smo_cache *cache,
                          double drift, double target, hsp_error *err, hsp__smo_solution *s,
                          hsp__smo_exact *exact)
{
    const uint64_t n = p->view->rows;
    double total = 0;
    exact->fresh = 0;
    for (uint64_t i = 0; i < n; i++)
        total += s->a[i];
    smo_gap_off off = {.first = cache->off * total + drift, .most = cache->most};
    smo_gap_values(p, &off, s);
    if (s->gap <= target || !(s->rounding > fmin(target, s->gap) / 4)) return HSP_OK;
    /* The scores that matter once more, of kernel values in double. */
    HSP__TRY(smo_gap_exact(p, cache, s, total, off.first, exact, err));
    for (uint64_t i = 0; i < n; i++)
        if (exact->rows[i]) s->scores[i] = exact->scores[i];
    exact->fresh = 1;
    off.again = exact->off;
    off.recomputed = exact->rows;
    HSP__TRY(hsp__gap_offset(ctx, p, s->scores, err, &s->b));
    smo_gap_values(p, &off, s);
    return HSP_OK;
}
