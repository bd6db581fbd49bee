/* The problem over a working set: steps of two variables, and Newton's (smo_newton.c).
 *
 * A step takes the row that may move up with the smallest f and the row that gains most together
 * with it, and passes over all rows twice. Where rows move often, a part of the set is taken: the
 * rows that violate most and those of the part before that are between their bounds. The steps of
 * the part pass over its rows alone; then f of the set follows, one line for each row that moved,
 * however often it did.
 *
 * Cost. A step: two passes over the part. A part: its lines gathered, a pass over the set to choose
 * it, and one for each row that moved. */
#include "base/base.h"
#include "learn/kernel/smo_set.h"
#include "vec/vec.h"

enum {
    STEPS_TICK = 64,  /* steps between two ticks */
    STEPS_LINES = 4,  /* adding this many lines takes about as long as a step */
    STEPS_CHOICE = 4, /* steps that take about as long as the choice of a part */
};

static const double steps_tiny = 1e-12; /* curvature below this counts as this */
static const double steps_share = 0.3;  /* of its violation that a part leaves */

/* ---- Steps ----------------------------------------------------------------------------------- */

static double steps_k(const hsp__smo_work *w, const hsp__smo_set *set, uint64_t i, uint64_t j)
{
    const uint64_t at = i * set->size + j;
    return w->wide ? ((const double *)set->k)[at] : (double)((const float *)set->k)[at];
}

static double steps_self(const hsp__smo_work *w, const hsp__smo_set *set, uint64_t i)
{
    return w->wide ? ((const double *)set->diagonal)[i] : (double)((const float *)set->diagonal)[i];
}

/* Row i of the matrix is asked for. */
static void steps_need(hsp__smo_work *w, hsp__smo_set *set, uint64_t i)
{
    if (set == &w->set) {
        hsp__smo_need(w, i);
        return;
    }
    if (set->there[i]) return;
    const uint64_t *rows = set->rows, from = rows[i] * w->set.size, to = i * set->size;
    hsp__smo_need(w, rows[i]);
    if (w->wide) {
        const double *line = (const double *)w->set.k + from;
        double *own = (double *)set->k + to;
        for (uint64_t j = 0; j < set->count; j++)
            own[j] = line[rows[j]];
    } else {
        const float *line = (const float *)w->set.k + from;
        float *own = (float *)set->k + to;
        for (uint64_t j = 0; j < set->count; j++)
            own[j] = line[rows[j]];
    }
    const size_t number = w->cache->number, behind = hsp__smo_padded(set) - set->count;
    memset((char *)set->k + (to + set->count) * number, 0, behind * number);
    set->there[i] = 1;
}

/* f += ti * (row i) + tj * (row j); the row that may move up with the smallest f. */
static uint64_t steps_pass(hsp__smo_work *w, hsp__smo_set *set, double ti, uint64_t i, double tj,
                           uint64_t j, double *low, double *high)
{
    const size_t n = hsp__smo_padded(set), from = i * set->size, other = j * set->size;
    const hsp__vec_table *vec = hsp__vec();
    if (w->wide) {
        const double *k = set->k;
        return vec->axpy2_extremes_f64(set->f, ti, k + from, tj, k + other, set->up, set->down, n,
                                       low, high);
    }
    const float *k = set->k;
    return vec->axpy2_extremes_f32(set->f, ti, k + from, tj, k + other, set->up, set->down, n, low,
                                   high);
}

uint64_t hsp__smo_extremes(hsp__smo_work *w, double *low, double *high)
{
    steps_need(w, &w->set, 0);
    return steps_pass(w, &w->set, 0, 0, 0, 0, low, high);
}

/* Raise y a of i and lower that of j by the same t, the best one that their bounds allow. Of f, only
 * what `extra` adds is done here; the pass that follows does the rest. */
static double steps_two(hsp__smo_work *w, hsp__smo_set *set, uint64_t i, uint64_t j)
{
    const double curvature =
        steps_self(w, set, i) + steps_self(w, set, j) - 2 * steps_k(w, set, i, j);
    double t = (set->f[j] - set->f[i]) / fmax(curvature, steps_tiny);
    const double room_i = set->y[i] > 0 ? set->c[i] - set->a[i] : set->a[i];
    const double room_j = set->y[j] > 0 ? set->a[j] : set->c[j] - set->a[j];
    const double room = fmin(room_i, room_j);
    if (t > room) t = room;
    assert(i != j);
    set->a[i] += set->y[i] * t;
    set->a[j] -= set->y[j] * t;
    /* A bound that was reached is reached exactly. */
    if (t == room_i) set->a[i] = set->y[i] > 0 ? set->c[i] : 0;
    if (t == room_j) set->a[j] = set->y[j] > 0 ? 0 : set->c[j];
    hsp__smo_set_bounds(set, i);
    hsp__smo_set_bounds(set, j);
    set->f[i] += t * set->extra[i];
    set->f[j] -= t * set->extra[j];
    set->moved += t;
    w->s->updates++;
    return t;
}

/* Without the equation: the best step of one variable. */
static int steps_single(hsp__smo_work *w, double enough)
{
    hsp__smo_set *set = &w->set;
    uint64_t best = set->count;
    double most = 0, change = 0, low, high;
    for (uint64_t i = 0; i < set->count; i++) {
        const double g = -set->f[i] * set->y[i];
        const double to =
            fmin(fmax(set->a[i] + g / fmax(steps_self(w, set, i), steps_tiny), 0), set->c[i]);
        const double by = to - set->a[i];
        if (fabs(g) <= enough || fabs(by) * fabs(g) <= most) continue;
        most = fabs(by) * fabs(g), best = i, change = by;
    }
    if (best == set->count) return 0;
    set->a[best] = fmin(fmax(set->a[best] + change, 0), set->c[best]);
    set->f[best] += change * set->y[best] * set->extra[best];
    set->moved += fabs(change);
    steps_need(w, set, best);
    steps_pass(w, set, change * set->y[best], best, 0, best, &low, &high);
    w->s->updates++;
    return 1;
}

/* Steps, `most` at most, until the worst violation is at most `limit` or no step gains. How many? */
static uint64_t steps_pairs(hsp__smo_work *w, hsp__smo_set *set, double limit, uint64_t most)
{
    const hsp__vec_table *vec = hsp__vec();
    const size_t n = hsp__smo_padded(set);
    double low, high, gain;
    steps_need(w, set, 0);
    uint64_t i = steps_pass(w, set, 0, 0, 0, 0, &low, &high), step = 0;
    for (; step < most && high - low > limit; step++) {
        if (step % STEPS_TICK == STEPS_TICK - 1 && hsp__tick(w->ctx)) return step;
        /* the row that may move down and gains most together with i, whose f is `low` */
        const double self = steps_self(w, set, i);
        steps_need(w, set, i);
        const uint64_t j = w->wide ? vec->largest_ratio_f64(set->f, set->down, low, self,
                                                            (const double *)set->k + i * set->size,
                                                            set->diagonal, n, &gain)
                                   : vec->largest_ratio_f32(set->f, set->down, low, self,
                                                            (const float *)set->k + i * set->size,
                                                            set->diagonal, n, &gain);
        if (!(gain > 0)) return step;
        steps_need(w, set, j);
        const double t = steps_two(w, set, i, j);
        i = steps_pass(w, set, t, i, -t, j, &low, &high);
    }
    return step;
}

/* ---- Parts ----------------------------------------------------------------------------------- */

/* The want-th smallest key, which are reordered: parts around a pivot, without a branch for each. */
static double steps_threshold(double *keys, double *other, uint64_t count, uint64_t want)
{
    assert(want >= 1 && want <= count);
    for (;;) {
        const double pivot = keys[count / 2];
        uint64_t low = 0, high = 0;
        for (uint64_t i = 0; i < count; i++) {
            const double key = keys[i];
            keys[low] = key, low += key < pivot;
            other[high] = key, high += key > pivot;
        }
        if (want <= low) {
            count = low;
        } else if (want <= count - high) {
            return pivot;
        } else {
            double *turn = keys;
            want -= count - high, count = high;
            keys = other, other = turn;
        }
    }
}

/* Into the part: up to `want` rows that may move up (sign 1, `bound` = up) with the smallest f below
 * the limit, or down (-1) with the largest above it. */
static void steps_take(hsp__smo_work *w, int sign, const double *bound, double limit, uint64_t want)
{
    const hsp__smo_set *set = &w->set;
    uint64_t count = 0, equal;
    for (uint64_t i = 0; i < set->count; i++) {
        const double key = sign * set->f[i];
        w->choice.keys[count] = key;
        count += (bound[i] == 0) & !w->choice.in[i] & (key < sign * limit);
    }
    if (want > count) want = count;
    if (!want) return;
    const double last = steps_threshold(w->choice.keys, w->choice.turned, count, want);
    w->part.count += equal = want;
    for (int pass = 0; pass < 2; pass++) /* those before the last, then such as it */
        for (uint64_t i = 0; i < set->count && equal; i++) {
            const double key = sign * set->f[i];
            if (!(pass ? key == last : key < last) || bound[i] != 0 || w->choice.in[i]) continue;
            w->choice.in[i] = 1;
            equal--;
        }
}

/* The rows of the next part, where the smallest f that may move up is `low` and so on. */
static void steps_choose(hsp__smo_work *w, double low, double high)
{
    const hsp__smo_set *set = &w->set;
    hsp__smo_set *part = &w->part;
    uint64_t kept = 0;
    for (uint64_t k = 0; k < part->count && kept < part->size / 2; k++) {
        const uint64_t i = part->rows[k];
        if (!(set->a[i] > 0 && set->a[i] < set->c[i])) continue;
        w->choice.in[i] = 1;
        kept++;
    }
    part->count = kept;
    steps_take(w, 1, set->up, high, (part->size - kept) / 2);
    steps_take(w, -1, set->down, low, part->size - part->count);
    for (uint64_t i = 0, k = 0; k < part->count; i++)
        if (w->choice.in[i]) {
            part->rows[k++] = i;
            w->choice.in[i] = 0;
        }
}

static void steps_load(hsp__smo_work *w)
{
    const hsp__smo_set *set = &w->set;
    hsp__smo_set *part = &w->part;
    const size_t number = w->cache->number, behind = hsp__smo_padded(part) - part->count;
    for (uint64_t k = 0; k < part->count; k++) {
        const uint64_t i = part->rows[k];
        part->a[k] = set->a[i];
        part->f[k] = set->f[i];
        part->y[k] = set->y[i];
        part->c[k] = set->c[i];
        part->extra[k] = set->extra[i];
        part->up[k] = set->up[i];
        part->down[k] = set->down[i];
        if (w->wide)
            ((double *)part->diagonal)[k] = ((const double *)set->diagonal)[i];
        else
            ((float *)part->diagonal)[k] = ((const float *)set->diagonal)[i];
    }
    hsp__smo_set_pad(part, number, behind);
    memset(part->there, 0, part->count);
    part->moved = 0;
}

/* f and a of the set, by how far the rows of the part have moved. How many have? */
static uint64_t steps_unload(hsp__smo_work *w)
{
    hsp__smo_set *set = &w->set;
    const hsp__smo_set *part = &w->part;
    uint64_t moved = 0;
    for (uint64_t k = 0; k < part->count; k++) {
        const uint64_t i = part->rows[k], from = i * set->size;
        const double by = part->y[k] * (part->a[k] - set->a[i]);
        if (by == 0) continue;
        if (w->wide)
            hsp__vec()->axpy_f64(by, (const double *)set->k + from, set->f, (size_t)set->count);
        else
            hsp__vec()->axpy_f32f64(by, (const float *)set->k + from, set->f, (size_t)set->count);
        set->f[i] += by * set->extra[i];
        set->a[i] = part->a[k];
        hsp__smo_set_bounds(set, i);
        moved++;
    }
    set->moved += part->moved;
    return moved;
}

/* Steps of a part. What do they cost, in steps of the set? 0: there were none. */
static uint64_t steps_part(hsp__smo_work *w, double limit, double low, double high)
{
    const hsp__smo_set *set = &w->set;
    steps_choose(w, low, high);
    steps_load(w);
    const uint64_t count = w->part.count, most = 10 * count;
    const uint64_t steps = steps_pairs(w, &w->part, fmax(limit, steps_share * (high - low)), most);
    const uint64_t moved = steps_unload(w);
    return steps ? STEPS_CHOICE + steps * count / set->count + moved / STEPS_LINES : 0;
}

/* Is a part worth it? If rows move often, which the steps so far say, and those between their bounds
 * fit in it: lines that are used once are not worth gathering, and rows that depend on each other
 * are to move together. */
static int steps_fit(const hsp__smo_work *w, uint64_t steps)
{
    const hsp__smo_set *set = &w->set;
    uint64_t between = 0;
    if (w->part.size == 0 || set->count < 2 * w->part.size || steps < set->count) return 0;
    for (uint64_t i = 0; i < set->count; i++)
        between += set->up[i] == 0 && set->down[i] == 0;
    return between <= 2 * w->part.size;
}

/* ---- The set --------------------------------------------------------------------------------- */

hsp_status hsp__smo_steps(hsp__smo_work *w, double enough, double part, hsp_error *err)
{
    const hsp__smo_set *set = &w->set;
    const uint64_t most = 100 * set->count + 1000;
    double low, high, limit = enough;
    hsp__smo_extremes(w, &low, &high);
    if (w->equation && high - low > 0) limit = fmax(enough, part * fmin(high - low, 10));
    uint64_t wait = set->count, last = 0; /* steps before the next of Newton's; at the last */
    w->part.count = 0;
    for (uint64_t step = 0; step < most;) {
        if (hsp__tick(w->ctx)) return HSP_OK;
        if (step >= wait) { /* Newton's, if they cost no more than the steps since the last did */
            const uint64_t price = hsp__smo_newton_price(w);
            if (price <= step - last) {
                HSP__TRY(hsp__smo_newton(w, err));
                hsp__smo_extremes(w, &low, &high);
                last = step;
            }
            wait = price < most ? last + price : most;
            if (wait <= step) wait = step + 1;
        }
        if (!w->equation) {
            if (!steps_single(w, enough)) return HSP_OK;
            step++;
            continue;
        }
        if (!(high - low > limit)) return HSP_OK;
        uint64_t made = steps_fit(w, step) ? steps_part(w, limit, low, high) : 0;
        if (!made) {
            const uint64_t left = (wait < most ? wait : most) - step;
            made = steps_pairs(w, &w->set, limit, left < set->count ? left : set->count);
        }
        if (!made) return HSP_OK;
        step += made;
        hsp__smo_extremes(w, &low, &high);
    }
    return HSP_OK;
}
