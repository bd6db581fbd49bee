/* Kernel support vector machines by working sets.
 *
 * Problem (problem.h, in the kernel's feature space): minimise over a
 *
 *     (1/2) a' Q a - sum e(a),   Q_ij = y_i y_j k(x_i, x_j),   0 <= a_i <= c_i,   sum a_i y_i = 0
 *
 * (squared hinge: no upper bound, and 1 / (2 c_i) is added to k(x_i, x_i); offset regularized: k +
 * 1 and no equation; offset none: no equation).
 *
 * Update. With f_i = sum_j a_j y_j k(x_j, x_i) - y_i, a is optimal iff every f of a row that may
 * move up (a < c of a positive row, a > 0 of a negative one) is at least every f of a row that may
 * move down. A round takes some hundred or thousand rows that violate this most (with those of the
 * round before that are between their bounds), has the kernel matrix of these rows alone, solves
 * the problem over them by steps of two variables with second-order selection (the pair with the
 * largest gain) and, where those are many, Newton steps over all rows between their bounds
 * (smo_newton.c), and then brings f of all rows up to date with the kernel rows ("lines") of those
 * that moved, from the cache or computed. Of many rows a sample is solved first, with the costs of
 * all rows, and the run begins with a = c for all that its separator puts inside the margin, and
 * with a set of the rows nearest to it; or with the sample's solution alone. Sets are made larger while they are full, many of their
 * rows move, and the gap does not halve; and so large that all rows between bounds fit.
 *
 * Guarantee. Every step raises the dual; the run looks at the duality gap, which f gives in O(n).
 * Kernel values are floats, f is in double: that gap is of the matrix of floats. So in the end it
 * is proven for the kernel itself (smo_gap.c), and if that fails the run goes on from the scores in
 * double that the proof has, so that floats only tell what changes from there; and at last
 * (kernel_erm.c) with all values in double. For hard, and for gaps below 1e-7, all is in double at
 * once.
 *
 * Cost. A step: two passes over the set. A round: (rows new in the set) * (set) kernel values, and
 * for rows that moved n multiplications each, and n kernel values if their line is not there. Where
 * the set is the problem and there is one thread, as for pairs of classes, only the rows of its
 * matrix that steps ask for are computed, and some that they may ask for next. Lines of rows that stay at a bound are multiplied and
 * added as they are computed, and never written down; so are all lines where rows are short:
 * computing is then as fast as reading.
 *
 * Ranks. With several processes (hsp__smo_source), each computes and keeps the columns of lines
 * that belong to its rows, and brings f of these up to date; f of all rows is then exchanged. All
 * else is done by every process, the set's matrix too: to send it takes as long as to compute it.
 *
 * Papers. J. Platt, Fast training of support vector machines using sequential minimal optimization
 * (1999). T. Joachims, Making large-scale SVM learning practical (1999): working sets. R.-E. Fan,
 * P.-H. Chen, C.-J. Lin, Working set selection using second order information, JMLR 6 (2005). Z.
 * Wen et al., ThunderSVM, JMLR 19 (2018): large working sets, half of them kept. */
#include "learn/kernel/smo.h"

#include "base/base.h"
#include "learn/erm/gap.h"

#include "learn/kernel/smo_set.h"
#include "vec/vec.h"

#define SMO_GUESSED 0.1 /* the share of rows inside the margin from which on a guess is worth it */

enum {
    SMO_WHOLE = 2560,      /* this many rows are one set, */
    SMO_WHOLE_DEAR = 5120, /* or this many, where kernel values are not cheap */
    SMO_FIRST = 512,       /* rows of a set of more, at first, or, */
    SMO_AT_HAND = 2048,    /* if the whole matrix is at hand, this many */
    SMO_MOST = 4096,       /* later; more only where more rows are between their bounds */
    SMO_SAMPLE = 8,        /* a sample larger than the first has at most one of this many rows */
    SMO_PARTS = 64,
    SMO_PIECE = 16, /* rows of the set's matrix that are turned at a time */
    SMO_PART = 256  /* rows of a part of a set */
};

/* Hard: ||w||^2 below the first, for sum a = 1 and rows of length 1, is what rounding leaves of 0;
 * below the second it is, if no step gets further. */
static const double smo_meet = 1e-13, smo_meet_at_last = 1e-12;

typedef hsp__smo_work smo;

/* ---- The set's matrix ------------------------------------------------------------------------ */

/* Rows of the matrix that are new in it, from lines that are there. */
static void smo_gather_part(void *user, uint64_t part)
{
    const smo *w = user;
    for (uint64_t i = hsp__part(w->set.count, SMO_PARTS, part);
         i < hsp__part(w->set.count, SMO_PARTS, part + 1); i++) {
        const void *line = w->set.is_new[i] ? hsp__smo_cache_has(w->cache, w->set.rows[i]) : NULL;
        if (!line) continue;
        if (w->wide) {
            double *to = (double *)w->set.k + i * w->set.size;
            for (uint64_t j = 0; j < w->set.count; j++)
                to[j] = ((const double *)line)[w->set.rows[j]];
        } else {
            float *to = (float *)w->set.k + i * w->set.size;
            for (uint64_t j = 0; j < w->set.count; j++)
                to[j] = ((const float *)line)[w->set.rows[j]];
        }
    }
}

/* Then columns: what a row that stays has with those that are new. */
static void smo_mirror_part(void *user, uint64_t part)
{
    const smo *w = user;
    const uint64_t from = hsp__part(w->set.count, SMO_PARTS, part),
                   to = hsp__part(w->set.count, SMO_PARTS, part + 1);
    double *wide = w->set.k;
    float *single = w->set.k;
    for (uint64_t at = from; at < to; at += SMO_PIECE)
        for (uint64_t i = 0; i < w->set.count; i++) {
            if (!w->set.is_new[i]) continue;
            for (uint64_t j = at; j < to && j < at + SMO_PIECE; j++) {
                if (w->set.is_new[j]) continue;
                if (w->wide)
                    wide[j * w->set.size + i] = wide[i * w->set.size + j];
                else
                    single[j * w->set.size + i] = single[i * w->set.size + j];
            }
        }
}

/* The set's matrix: rows that are new in it from the cache or computed, what the others have with
 * them by symmetry. */
static hsp_status smo_load_matrix(smo *w, hsp_error *err)
{
    hsp__smo_set *set = &w->set;
    const size_t number = w->cache->number, behind = hsp__smo_padded(&w->set) - set->count;
    uint64_t missing = 0;
    int stay = 0;
    const int alone = !w->cache->source.ranks; /* else lines are in parts */
    for (uint64_t i = 0; i < set->count; i++) {
        stay |= !set->is_new[i];
        if (!set->is_new[i] || (alone && hsp__smo_cache_has(w->cache, set->rows[i]))) continue;
        w->choice.picked[missing] = set->rows[i];
        w->moved.lines[missing++] = (char *)set->k + i * set->size * number;
    }
    if (alone) hsp__tasks_run(w->ctx, SMO_PARTS, smo_gather_part, w);
    if (missing == set->count && !w->wide && !w->cache->cheap)
        HSP__TRY(hsp__smo_cache_own(w->cache, set->rows, missing, set->k, set->size, err));
    else
        HSP__TRY(hsp__smo_cache_block(w->cache, w->choice.picked, missing, set->rows, set->count,
                                      w->moved.lines, err));
    if (stay) hsp__tasks_run(w->ctx, SMO_PARTS, smo_mirror_part, w);
    for (uint64_t i = 0; w->kernel_offset != 0 && i < set->count; i++)
        for (uint64_t j = 0; j < set->count; j++) {
            if (!set->is_new[i] && !set->is_new[j]) continue;
            if (w->wide)
                ((double *)set->k)[i * set->size + j] += w->kernel_offset;
            else
                ((float *)set->k)[i * set->size + j] += (float)w->kernel_offset;
        }
    for (uint64_t i = 0; i < set->count && behind; i++)
        memset((char *)set->k + (i * set->size + set->count) * number, 0, behind * number);
    return HSP_OK;
}

static double smo_k(const smo *w, uint64_t i)
{
    const uint64_t at = i * w->set.size + i;
    return w->wide ? ((const double *)w->set.k)[at] : (double)((const float *)w->set.k)[at];
}

/* The set's matrix, and what the steps need of its rows. */
static hsp_status smo_load(smo *w, hsp_error *err)
{
    hsp__smo_set *set = &w->set;
    const hsp__kernel_rows *rows = w->cache->rows;
    const size_t number = w->cache->number, behind = hsp__smo_padded(&w->set) - set->count;
    const int gaussian = rows->kernel->nodes[rows->kernel->root].op == HSP__KERNEL_RBF;
    /* Where the set is the problem, on one thread, most rows may never be asked for. */
    set->on_demand = set->count == w->n && !w->cache->list && hsp__kernel_has_line(rows) &&
                     !w->wide && !w->cache->source.ranks && hsp_context_threads(w->ctx) == 1;
    assert(!set->on_demand || (set->rows[0] == 0 && set->rows[w->n - 1] == w->n - 1));
    memset(set->there, 0, set->size);
    if (!set->on_demand) HSP__TRY(smo_load_matrix(w, err));
    for (uint64_t i = 0; i < set->count; i++) {
        const uint64_t row = set->rows[i];
        set->a[i] = w->s->a[row];
        set->f[i] = w->f[row];
        set->y[i] = w->y[row];
        set->c[i] = w->c[row];
        set->extra[i] = w->extra ? w->extra[row] : 0;
        hsp__smo_set_bounds(&w->set, i);
        const double self = gaussian ? 1 + w->kernel_offset : smo_k(w, i);
        w->largest = fmax(w->largest, self);
        if (w->wide)
            ((double *)set->diagonal)[i] = self + set->extra[i];
        else
            ((float *)set->diagonal)[i] = (float)(self + set->extra[i]);
    }
    hsp__smo_set_pad(set, number, behind);
    set->moved = 0;
    set->updates = w->s->updates;
    return HSP_OK;
}

/* ---- f of all rows --------------------------------------------------------------------------- */

/* f of this rank's rows += sum over the rows that moved and whose lines are there. */
static void smo_refresh_part(void *user, uint64_t part)
{
    smo *w = user;
    const uint64_t own = w->cache->to - w->cache->from;
    const uint64_t from = hsp__part(own, SMO_PARTS, part), to = hsp__part(own, SMO_PARTS, part + 1);
    double *f = w->f + w->cache->from;
    enum { STRIP = 1024 };
    for (uint64_t at = from; at < to; at += STRIP) {
        const size_t some = (size_t)(at + STRIP < to ? STRIP : to - at);
        for (uint64_t i = 0; i < w->moved.batch; i++) {
            if (w->wide)
                hsp__vec()->axpy_f64(w->moved.by[i], (const double *)w->moved.lines[i] + at, f + at,
                                     some);
            else
                hsp__vec()->axpy_f32f64(w->moved.by[i], (const float *)w->moved.lines[i] + at,
                                        f + at, some);
        }
    }
}

/* Each f was added to `count` times, terms of `moved` in all: what that may be off by. */
static void smo_drift(smo *w, uint64_t count, double moved)
{
    double most = w->cache->most + w->kernel_offset, extra = 0, sum = 0;
    for (uint64_t i = 0; i < w->n; i++) {
        sum += w->s->a[i];
        if (w->extra) extra = fmax(extra, w->extra[i]);
    }
    w->drift += hsp__gap_gamma(count) * (1 + (most + extra) * (sum + 3 * moved));
}

/* f, brought up to date with `count` rows that moved. Lines of rows at a bound, which are not
 * likely to move again, and cheap lines are added without being kept. */
static hsp_status smo_refresh(smo *w, uint64_t count, hsp_error *err)
{
    w->moved.count = count;
    uint64_t passing = 0, *rows = w->moved.rows;
    const uint64_t room = hsp__smo_cache_room(w->cache);
    double moved = 0, shift = 0, *by = w->moved.by;
    for (uint64_t i = 0; i < count; i++) {
        const uint64_t row = rows[i];
        const double step = by[i], a = w->s->a[row];
        moved += fabs(step);
        shift += step * w->kernel_offset;
        if (w->extra) w->f[row] += step * w->extra[row];
        if (!w->cache->cheap && ((a > 0 && a < w->c[row]) || hsp__smo_cache_has(w->cache, row)))
            continue;
        rows[i] = rows[passing], by[i] = by[passing];
        rows[passing] = row, by[passing++] = step;
    }
    smo_drift(w, count, moved);
    hsp_status status =
        hsp__smo_cache_apply(w->cache, rows, by, passing, NULL, w->n, w->wide, w->f, err);
    for (uint64_t at = passing; !status && at < count; at += w->moved.batch) {
        w->moved.batch = count - at < room ? count - at : room;
        status = hsp__smo_cache_lines(w->cache, rows + at, w->moved.batch, w->moved.lines, err);
        w->moved.by = by + at;
        if (!status) hsp__tasks_run(w->ctx, SMO_PARTS, smo_refresh_part, w);
    }
    w->moved.by = by;
    status = hsp__smo_share(w->cache, status, w->f, w->n, err);
    for (uint64_t i = passing; i < count; i++)
        if (!(w->s->a[rows[i]] > 0 && w->s->a[rows[i]] < w->c[rows[i]]))
            hsp__smo_cache_release(w->cache, rows[i]);
    for (uint64_t i = 0; i < w->n && w->kernel_offset != 0; i++)
        w->f[i] += shift;
    return status;
}

static hsp_status smo_unload(smo *w, hsp_error *err)
{
    uint64_t count = 0;
    assert(w->set.count <= w->set.size && w->set.count <= w->n);
    if (w->set.count == w->n) { /* the set is the problem: f is known already */
        for (uint64_t i = 0; i < w->set.count; i++) {
            w->s->a[w->set.rows[i]] = w->set.a[i];
            w->f[w->set.rows[i]] = w->set.f[i];
        }
        smo_drift(w, 2 * (w->s->updates - w->set.updates), w->set.moved);
        return HSP_OK;
    }
    for (uint64_t i = 0; i < w->set.count; i++) {
        const uint64_t row = w->set.rows[i];
        if (w->set.a[i] == w->s->a[row]) continue;
        assert(!(w->set.a[i] < 0 || w->set.a[i] > w->c[row] * (1 + 1e-12)));
        w->moved.rows[count] = row;
        w->moved.by[count++] = w->set.y[i] * (w->set.a[i] - w->s->a[row]);
        w->s->a[row] = w->set.a[i];
    }
    return smo_refresh(w, count, err);
}

/* ---- The gap --------------------------------------------------------------------------------- */

/* Hard margin: are the two hulls so close that they count as meeting? */
static int smo_hulls_meet(const smo *w, double level)
{
    return w->p->hard && w->scale > 0 && w->s->square <= level * w->scale;
}

static hsp_status smo_compute_gap(smo *w, hsp_error *err)
{
    hsp__smo_solution *s = w->s;
    double gain = 0, loss = 0, t = 0, sum = 0, most = 0;
    s->square = 0;
    for (uint64_t i = 0; i < w->n; i++) {
        const double y = w->y[i];
        s->scores[i] = w->f[i] + y - (w->extra ? w->extra[i] * y * s->a[i] : 0);
        s->square += s->a[i] * y * s->scores[i];
        t += s->a[i] * y;
        sum += s->a[i];
        most = fmax(most, w->c[i]);
        if (w->extra) gain -= w->extra[i] * s->a[i] * s->a[i] / 2;
    }
    if (w->p->offset == HSP__OFFSET_REGULARIZED) {
        s->b = t;
        for (uint64_t i = 0; i < w->n; i++)
            s->scores[i] -= t;
    }
    /* a step from a cost down to next to 0 leaves what rounding did at the cost */
    assert(!w->equation || !(fabs(t) > 1e-3 * sum + 1e-9 * most));
    hsp_context whole = hsp__stop_none(w->ctx); /* so that scores and figures belong together */
    HSP__TRY(hsp__gap_offset(&whole, w->p, s->scores, err, &s->b));
    for (uint64_t i = 0; i < w->n; i++) {
        const double m = w->y[i] * (s->scores[i] + s->b);
        if (!w->p->hard)
            loss += hsp__problem_cost(w->p, i) * w->p->loss->value(m, 1 - m);
        else if (!(m >= 1 - 1e-9))
            loss = HUGE_VAL;
    }
    s->primal = s->square / 2 + loss;
    s->dual = gain + sum - s->square / 2;
    s->gap = s->primal > s->dual ? (s->primal - s->dual) / s->primal : 0;
    if (!isfinite(s->primal) || isnan(s->dual) || w->indefinite) s->gap = 1;
    w->scale = sum * sum * w->largest;
    if (smo_hulls_meet(w, smo_meet)) s->stop = HSP_STOP_INSEPARABLE;
    return HSP_OK;
}

/* f of the dual weights that were given. */
static hsp_status smo_start(smo *w, hsp_error *err)
{
    uint64_t count = 0;
    double *a = w->s->a;
    hsp__gap_balance(w->ctx, w->p, a);
    for (uint64_t i = 0; i < w->n; i++) {
        if (a[i] == 0) continue;
        w->moved.rows[count] = i;
        w->moved.by[count++] = w->y[i] * a[i];
    }
    if (!count) return HSP_OK;
    w->s->updates = 1; /* the first set is of violators, not a sample */
    return smo_refresh(w, count, err);
}

/* What the steps need of the rows of a set, and room for them. */
static void smo_set_arrays(hsp__smo_set *set, size_t number)
{
    const uint64_t size = set->size;
    set->rows = hsp__scratch_new(&set->scratch, size, sizeof *set->rows);
    set->is_new = hsp__scratch_new(&set->scratch, size, sizeof *set->is_new);
    set->there = hsp__scratch_new(&set->scratch, size, sizeof *set->there);
    set->diagonal = hsp__scratch_new(&set->scratch, size, number);
    double **all[] = {&set->a, &set->f, &set->y, &set->c, &set->extra, &set->up, &set->down};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        *all[i] = hsp__scratch_new(&set->scratch, size, sizeof **all[i]);
}

/* Room for sets of another size; the one at hand is forgotten. */
static hsp_status smo_set_new(smo *w, uint64_t size, hsp_error *err)
{
    hsp__smo_set *set = &w->set, *part = &w->part;
    hsp__smo_cache *cache = w->cache;
    const hsp_allocator *memory = &w->ctx->allocator;
    const uint64_t bytes = size * size * cache->number;
    hsp__scratch_free(&set->scratch);
    *set = (hsp__smo_set){.scratch = {.memory = memory}, .size = size};
    smo_set_arrays(set, cache->number);
    if (size >= 2 * SMO_PART && w->equation && !part->size) {
        part->size = SMO_PART;
        smo_set_arrays(part, cache->number);
        part->k = hsp__scratch_raw(&part->scratch, part->size * part->size, cache->number);
    }
    /* Fresh memory costs more than memory that was used: what was there for another problem is used
     * again if it is enough. */
    if (cache->block_bytes < bytes) {
        hsp__free(memory, cache->block);
        cache->block = hsp__new_raw(memory, bytes, 1);
        cache->block_bytes = cache->block ? bytes : 0;
        if (cache->block) hsp__advise_huge(memory, cache->block, bytes);
    }
    set->k = cache->block;
    return set->k && !set->scratch.failed && !part->scratch.failed ? HSP_OK : hsp__fail_memory(err);
}

/* ---- The first guess ------------------------------------------------------------------------- */

/* The cost of rows of this side with a margin below `under`. */
static double smo_cost_under(const smo *w, double side, double b, double under)
{
    double sum = 0;
    for (uint64_t i = 0; i < w->n; i++)
        if (w->y[i] == side && 1 + side * (w->f[i] + b) < under) sum += w->c[i];
    return sum;
}

/* a = c for what the sample's separator puts inside the margin, so that sum a y = 0: of the side
 * that has more, those deepest inside. */
static void smo_guess_at_bounds(smo *w, double b)
{
    double under[2] = {1, 1}, cost[2];
    double *a = w->s->a;
    for (int side = 0; side < 2; side++)
        cost[side] = smo_cost_under(w, side ? 1 : -1, b, 1);
    const int more = cost[1] > cost[0];
    double low = -1e3, high = 1;
    for (int step = 0; w->equation && step < 60; step++) {
        const double middle = low + (high - low) / 2;
        if (smo_cost_under(w, more ? 1 : -1, b, middle) > cost[!more])
            high = middle;
        else
            low = middle;
    }
    if (w->equation) under[more] = high;
    for (uint64_t i = 0; i < w->n; i++)
        a[i] = 1 + w->y[i] * (w->f[i] + b) < under[w->y[i] > 0] ? w->c[i] : 0;
    double left = w->equation ? smo_cost_under(w, more ? 1 : -1, b, high) - cost[!more] : 0;
    for (uint64_t i = 0; i < w->n && left > 0; i++) {
        if ((w->y[i] > 0) != more || a[i] == 0) continue;
        const double by = fmin(a[i], left);
        a[i] -= by, left -= by;
    }
}

/* Is there room for the matrix of a set of this size? */
static int smo_fits(const smo *w, uint64_t size)
{
    return size * size * w->cache->number <= w->cache->spare;
}

/* Solve the problem over the sample, costs times `factor`. */
static hsp_status smo_guess_solve(smo *w, double factor, hsp_error *err)
{
    hsp__smo_set *set = &w->set;
    for (uint64_t i = 0; i < set->count; i++) {
        set->c[i] *= factor;
        hsp__smo_set_bounds(&w->set, i);
    }
    w->s->rounds++;
    return hsp__smo_steps(w, 1e-9, 0.01, err);
}

/* f and b of the sample's separator on all rows, and the share of them that it puts inside the
 * margin. Is it as good to others as to its own rows? Else a guess would be poor. */
static hsp_status smo_guess_try(smo *w, hsp_error *err, double *b, double *inside, int *good)
{
    const hsp__smo_set *set = &w->set;
    uint64_t count = 0, own = 0, others = 0;
    double low, high;
    hsp__smo_extremes(w, &low, &high);
    *b = w->equation && isfinite(low + high) ? -(low + high) / 2 : 0;
    for (uint64_t i = 0; i < w->n; i++)
        w->f[i] = -w->y[i];
    for (uint64_t i = 0; i < set->count; i++) {
        own += set->a[i] >= set->c[i];
        if (set->a[i] == 0) continue;
        w->moved.rows[count] = set->rows[i];
        w->moved.by[count++] = set->y[i] * set->a[i];
    }
    HSP__TRY(smo_refresh(w, count, err));
    for (uint64_t i = 0; i < w->n; i++)
        others += 1 + w->y[i] * (w->f[i] + *b) < 1;
    *inside = (double)others / (double)w->n;
    *good = (double)own / (double)set->count >= 0.5 * *inside;
    return HSP_OK;
}

/* Does the sample's solution keep to the costs as they are? */
static int smo_guess_feasible(const smo *w)
{
    for (uint64_t i = 0; i < w->set.count; i++)
        if (w->set.a[i] > w->c[w->set.rows[i]]) return 0;
    return 1;
}

/* Solve the problem over a sample, and begin where its solution puts all rows. The costs of the
 * sample's rows stand for those of all rows; if it is too small for that, they are as they are. If that is
 * no better, or few rows are inside the margin and so a guess saves little, the run begins with the
 * sample's solution alone. */
static hsp_status smo_guess(smo *w, hsp_error *err)
{
    hsp__smo_set *set = &w->set;
    double b, inside;
    uint64_t between = 0, size;
    int good = 0;
    for (int more = 1; more;) { /* a larger sample, while many of its rows count */
        uint64_t used = 0;
        between = 0;
        hsp__smo_sample(w);
        HSP__TRY(smo_load(w, err));
        HSP__TRY(smo_guess_solve(w, (double)w->n / (double)set->count, err));
        for (uint64_t i = 0; i < set->count; i++) {
            used += set->a[i] > 0;
            between += set->a[i] > 0 && set->a[i] < set->c[i];
        }
        size = 2 * set->size;
        more = 8 * used > set->count && size <= SMO_MOST && SMO_SAMPLE * size <= w->n &&
               smo_fits(w, size);
        if (more) HSP__TRY(smo_set_new(w, size, err));
    }
    HSP__TRY(smo_guess_try(w, err, &b, &inside, &good));
    if (!good && !smo_guess_feasible(w)) {
        const int worth = inside > SMO_GUESSED;
        w->drift = 0;
        for (uint64_t i = 0; i < w->n; i++)
            w->f[i] = -w->y[i];
        memset(set->is_new, 0, set->count);
        HSP__TRY(smo_load(w, err));
        HSP__TRY(smo_guess_solve(w, 1, err));
        HSP__TRY(smo_guess_try(w, err, &b, &inside, &good));
        good = good && worth;
    }
    if (good) smo_guess_at_bounds(w, b);
    for (uint64_t i = 0; !good && i < set->count; i++)
        w->s->a[set->rows[i]] = set->a[i];
    /* Most rows will end between their bounds: large sets at once. */
    for (size = set->size; 2 * size <= SMO_MOST && 4 * size <= w->n && smo_fits(w, 2 * size);)
        size *= 2;
    if (2 * between > set->count && size > set->size) HSP__TRY(smo_set_new(w, size, err));
    w->set_chosen = good;
    if (!good) return HSP_OK; /* f is that of the sample's solution */
    hsp__smo_nearest(w, b);
    w->drift = 0;
    for (uint64_t i = 0; i < w->n; i++)
        w->f[i] = -w->y[i];
    return smo_start(w, err);
}

/* The last set was full and gained little: larger ones, while there is room. All rows between their
 * bounds are to be in it, and half as many others, unless the whole matrix is at hand, of which a larger set
 * would be a copy. */
static hsp_status smo_grow(smo *w, hsp_error *err)
{
    uint64_t between = 0, size = 2 * w->set.size;
    if (w->moved.count < w->set.size / 4) return HSP_OK;
    for (uint64_t i = 0; i < w->n; i++)
        between += w->s->a[i] > 0 && w->s->a[i] < w->c[i];
    if (size > SMO_MOST) size = w->cache->slots ? between + between / 2 : SMO_MOST;
    if (size > w->n) size = w->n;
    size = (size + HSP__VEC_EXTREMES - 1) / HSP__VEC_EXTREMES * HSP__VEC_EXTREMES;
    if (size <= w->set.size || !smo_fits(w, size)) return HSP_OK;
    HSP__TRY(smo_set_new(w, size, err));
    if (size < w->n) return HSP_OK;
    hsp__smo_all(w); /* f then follows with the steps */
    w->set_chosen = 1;
    return HSP_OK;
}

/* Rounds, each with a working set. */
static hsp_status smo_run(smo *w, hsp_error *err)
{
    hsp__smo_solution *s = w->s;
    double up, down, gap = HUGE_VAL;
    uint64_t idle = 0;
    for (uint64_t round = 0;; round++) {
        const int whole = w->set.count == w->n; /* the set is the problem */
        const uint64_t updates = s->updates;
        hsp__smo_ends(w, &up, &down);
        s->stop = HSP_STOP_CONVERGED;
        w->last.valid = 0;
        HSP__TRY(smo_compute_gap(w, err));
        memcpy(w->last.a, s->a, w->n * sizeof *w->last.a);
        w->last.valid = 1;
        hsp__pass_log_note(w->ctx, w->goal->log, s->rounds, s->primal, s->dual);
        if (s->stop == HSP_STOP_INSEPARABLE || s->gap <= w->target) return HSP_OK;
        s->stop = HSP_STOP_PASSES;
        if (idle >= 2 || !(down - up > (w->indefinite ? 1e-3 : 0))) {
            if (smo_hulls_meet(w, smo_meet_at_last)) s->stop = HSP_STOP_INSEPARABLE;
            return HSP_OK;
        }
        if (w->goal->max_passes && round >= w->goal->max_passes) return HSP_OK;
        if (hsp__watch_gap(w->goal->watch, w->goal->report, "rounds", s->rounds, s->gap, w->target,
                           &s->stop))
            return HSP_OK;
        HSP__TRY(hsp__smo_agree(w->cache, HSP_OK, err));
        if (w->set.count == w->set.size && !whole && !(s->gap <= gap / 2))
            HSP__TRY(smo_grow(w, err));
        gap = s->gap;
        if (!(whole && round > 0)) {
            if (s->updates == 0)
                hsp__smo_sample(w);
            else if (!w->set_chosen)
                hsp__smo_choose(w, up, down);
            w->set_chosen = 0;
            HSP__TRY(smo_load(w, err));
        }
        /* the gap falls about as the violation does: no further than needed */
        const double part = fmin(fmax(w->target / s->gap / 2, 0.01), 0.3);
        HSP__TRY(hsp__smo_steps(w, w->wide ? 1e-14 : 1e-9, part, err));
        s->rounds++;
        HSP__TRY(smo_unload(w, err));
        idle = s->updates == updates ? idle + 1 : 0;
    }
}

static hsp_status smo_prove(smo *w, hsp_context *ctx, double drift, hsp_error *err)
{
    return hsp__smo_prove(ctx, w->p, w->cache, drift, w->goal->gap, err, w->s, &w->exact);
}

/* The proof failed, but the scores of the rows that matter are known in double now: f takes them
 * over, and the run goes on with the kernel of floats for what moves from here. A score is then off
 * by e times what a differs from the one at hand, at most e (sum a then + sum a now). */
static void smo_refine(smo *w)
{
    const hsp__smo_solution *s = w->s;
    double total = 0, shift = 0;
    for (uint64_t i = 0; i < w->n; i++) {
        total += s->a[i];
        shift += w->kernel_offset * w->y[i] * s->a[i];
    }
    for (uint64_t i = 0; i < w->n; i++) {
        if (!w->exact.rows[i]) continue;
        w->f[i] = s->scores[i] + shift - w->y[i];
        if (w->extra) w->f[i] += w->extra[i] * w->y[i] * s->a[i];
    }
    w->refined = fmax(w->refined, w->cache->off * total + w->exact.off);
    w->drift += hsp__gap_gamma(w->n) * (1 + w->kernel_offset * total);
}

enum { SMO_ATTEMPTS = 3 };

/* Run until the gap is proven to be what was asked for. */
static hsp_status smo_run_proven(smo *w, hsp_error *err)
{
    hsp__smo_solution *s = w->s;
    const double target = w->goal->gap;
    w->target = target;
    for (int attempt = 0; attempt < SMO_ATTEMPTS; attempt++, w->target /= 2) {
        HSP__TRY(smo_run(w, err));
        if (w->indefinite || s->stop == HSP_STOP_INSEPARABLE) return HSP_OK;
        if (!isfinite(hsp__vec()->norminf_f64(s->a, (size_t)w->n)) || isnan(s->dual)) {
            /* Where kernel values of different rows are almost equal, steps may diverge: the answer
             * is w = 0. */
            memset(s->a, 0, w->n * sizeof *s->a);
            memset(s->scores, 0, w->n * sizeof *s->scores);
            s->b = 0, s->stop = HSP_STOP_PASSES, s->wants_double = !w->wide;
            HSP__TRY(hsp__gap_offset(w->ctx, w->p, s->scores, err, &s->b));
            return smo_prove(w, w->ctx, 0, err);
        }
        HSP__TRY(smo_prove(w, w->ctx, w->drift + w->refined, err));
        if (s->gap <= target || s->stop != HSP_STOP_CONVERGED) break;
        if (w->exact.fresh && !w->wide) smo_refine(w);
    }
    if (s->gap > target && s->stop == HSP_STOP_CONVERGED) {
        s->wants_double = !w->wide;
        s->stop = HSP_STOP_PASSES;
    } else if (s->gap <= target && s->stop == HSP_STOP_PASSES) {
        s->stop = HSP_STOP_CONVERGED;
    }
    return HSP_OK;
}

/* The run was stopped, maybe while f was brought up to date: back to where its gap was computed
 * last, or to a = 0, where f is known. The figures are proven if there is time for that; else they
 * are NaN.
 */
static hsp_status smo_stopped(smo *w, hsp_error *err)
{
    hsp__smo_solution *s = w->s;
    hsp_context *ctx = w->ctx;
    hsp__stop brief;
    hsp_context last = hsp__stop_grace(&brief, ctx);
    hsp_status status = HSP_OK;
    if (s->stop == HSP_STOP_INSEPARABLE && w->last.valid) return HSP_OK;
    if (w->last.valid) {
        memcpy(s->a, w->last.a, w->n * sizeof *s->a);
    } else {
        memset(s->a, 0, w->n * sizeof *s->a);
        for (uint64_t i = 0; i < w->n; i++)
            w->f[i] = -w->y[i];
        status = smo_compute_gap(w, err);
    }
    w->cache->ctx = &last;
    if (!status && !w->indefinite) status = smo_prove(w, &last, w->drift + w->refined, err);
    w->cache->ctx = ctx;
    hsp__watch_stopped(ctx, &s->stop);
    s->wants_double = 0;
    if (status != HSP_CANCELLED) return status;
    s->primal = s->gap = (double)NAN;
    s->dual = 0;
    return HSP_OK;
}

/* ---- Memory ---------------------------------------------------------------------------------- */

static hsp_status smo_new(smo *w, hsp_error *err)
{
    const hsp__loss *loss = hsp__problem_loss(w->p);
    const uint64_t n = w->n;
    uint64_t size = (n + HSP__VEC_EXTREMES - 1) / HSP__VEC_EXTREMES * HSP__VEC_EXTREMES;
    const int dear = w->cache->slots && !w->cache->cheap; /* and not at hand */
    if (size > (dear ? SMO_WHOLE_DEAR : SMO_WHOLE) || (size > SMO_WHOLE && !smo_fits(w, size)))
        size = w->cache->slots ? SMO_FIRST : SMO_AT_HAND;
    while (size > HSP__VEC_EXTREMES && !smo_fits(w, size))
        size -= HSP__VEC_EXTREMES;
    w->f = hsp__scratch_new(&w->scratch, n, sizeof *w->f);
    w->y = hsp__scratch_new(&w->scratch, n, sizeof *w->y);
    w->c = hsp__scratch_new(&w->scratch, n, sizeof *w->c);
    w->moved.rows = hsp__scratch_raw(&w->scratch, n, sizeof *w->moved.rows);
    w->moved.by = hsp__scratch_raw(&w->scratch, n, sizeof *w->moved.by);
    w->moved.lines = hsp__scratch_raw(&w->scratch, n, sizeof *w->moved.lines);
    w->choice.in = hsp__scratch_new(&w->scratch, n, sizeof *w->choice.in);
    w->exact.rows = hsp__scratch_new(&w->scratch, n, sizeof *w->exact.rows);
    w->exact.scores = hsp__scratch_raw(&w->scratch, n, sizeof *w->exact.scores);
    w->exact.a = hsp__scratch_raw(&w->scratch, n, sizeof *w->exact.a);
    w->exact.off = -1;
    w->choice.picked = hsp__scratch_raw(&w->scratch, n, sizeof *w->choice.picked);
    w->choice.keys = hsp__scratch_raw(&w->scratch, n, sizeof *w->choice.keys);
    w->choice.turned = hsp__scratch_raw(&w->scratch, n, sizeof *w->choice.turned);
    w->last.a = hsp__scratch_raw(&w->scratch, n, sizeof *w->last.a);
    if (loss->form == HSP__SQUARED_HINGE)
        w->extra = hsp__scratch_new(&w->scratch, n, sizeof *w->extra);
    if (w->scratch.failed) return hsp__fail_memory(err);
    for (uint64_t i = 0; i < n; i++) {
        const double cost = w->p->hard ? 1 : hsp__problem_cost(w->p, i);
        w->y[i] = hsp__problem_y(w->p, i);
        w->c[i] = hsp__loss_cap(loss, cost);
        w->f[i] = -w->y[i];
        if (w->extra) w->extra[i] = cost > 0 ? 1 / (2 * cost) : 0;
    }
    return smo_set_new(w, size, err);
}

int hsp__smo_wide(const hsp__problem *p, const hsp__goal *goal)
{
    return p->hard || goal->gap < 1e-7;
}

hsp_status hsp__smo(hsp_context *ctx, const hsp__problem *p, hsp__smo_cache *cache,
                    const hsp__goal *goal, hsp_error *err, hsp__smo_solution *s)
{
    smo w = {.ctx = ctx, .p = p, .goal = goal, .s = s, .cache = cache, .n = p->view->rows};
    assert(p->hard || hsp__smo_suits(p->loss));
    assert(p->penalty == HSP__PENALTY_L2 && cache->source.n == p->view->rows);
    w.scratch.memory = w.set.scratch.memory = w.part.scratch.memory = &ctx->allocator;
    w.equation = p->offset == HSP__OFFSET_FREE;
    w.kernel_offset = p->offset == HSP__OFFSET_REGULARIZED ? 1 : 0;
    w.wide = cache->wide;
    w.indefinite = cache->source.rows->kernel->indefinite;
    s->rounds = s->updates = 0;
    s->rounding = 0, s->wants_double = 0;
    hsp_status status = smo_new(&w, err);
    if (!status) status = smo_start(&w, err);
    if (!status && s->updates == 0 && hsp__problem_loss(p)->form == HSP__HINGE &&
        w.n > 2 * w.set.size)
        status = smo_guess(&w, err);
    if (!status) status = smo_run_proven(&w, err);
    if (hsp__stopped(ctx) && (!status || status == HSP_CANCELLED)) status = smo_stopped(&w, err);
    s->drift = w.drift + w.refined;
    hsp__scratch_free(&w.part.scratch);
    hsp__scratch_free(&w.set.scratch);
    hsp__scratch_free(&w.scratch);
    return status;
}
