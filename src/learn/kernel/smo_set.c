/* Which rows a working set is made of. */
#include "learn/kernel/smo_set.h"

#include "base/base.h"

enum {
    SMO_SET_NEAR = 1 << 19, /* bytes of all rows that the second cache holds */
    SMO_SET_TOGETHER = 6    /* rows of a matrix that are computed together if it does not */
};

/* Into the set: those `want` of the `count` rows picked whose keys are smallest. */
static void smo_set_smallest(hsp__smo_work *w, uint64_t count, uint64_t want)
{
    const double *keys = w->choice.keys;
    uint64_t *picked = w->choice.picked;
    /* move the `want` smallest keys to the front */
    for (uint64_t from = 0, to = count; count > want && to - from > 1 && from < want;) {
        const double pivot = keys[picked[from + (to - from) / 2]];
        uint64_t low = from, high = to, i = from;
        while (i < high) {
            const uint64_t row = picked[i];
            if (keys[row] == pivot) {
                i++;
            } else if (keys[row] < pivot) {
                picked[i++] = picked[low];
                picked[low++] = row;
            } else {
                picked[i] = picked[--high];
                picked[high] = row;
            }
        }
        if (want >= low && want <= high) break;
        if (want < low)
            to = low;
        else
            from = high;
    }
    if (count > want) count = want;
    for (uint64_t k = 0; k < count; k++)
        w->choice.in[picked[k]] = 1;
    w->set.count += count;
}

/* Take up to `want` more rows: those that may move up (sign 1) with the smallest f, or down (-1)
 * with the largest. Rows beyond `limit` violate nothing. */
static void smo_set_take(hsp__smo_work *w, int sign, double limit, uint64_t want)
{
    const double *a = w->s->a;
    uint64_t count = 0;
    for (uint64_t i = 0; i < w->n; i++) {
        const double key = sign * w->f[i];
        if (!(key < sign * limit) || w->choice.in[i]) continue;
        if (!(sign > 0 ? hsp__smo_up(w->y[i], a[i], w->c[i])
                       : hsp__smo_down(w->y[i], a[i], w->c[i])))
            continue;
        w->choice.keys[i] = key;
        w->choice.picked[count++] = i;
    }
    smo_set_smallest(w, count, want);
}

/* The smallest f that may move up and the largest that may move down. */
void hsp__smo_ends(const hsp__smo_work *w, double *up, double *down)
{
    const double *a = w->s->a;
    *up = HUGE_VAL, *down = -HUGE_VAL;
    for (uint64_t i = 0; i < w->n; i++) {
        if (hsp__smo_up(w->y[i], a[i], w->c[i]) && w->f[i] < *up) *up = w->f[i];
        if (hsp__smo_down(w->y[i], a[i], w->c[i]) && w->f[i] > *down) *down = w->f[i];
    }
    if (!w->equation) *up = fmin(*up, 0), *down = fmax(*down, 0);
}

/* The new rows (in == 1) into the places of those that left, or behind the others. */
static void smo_set_settle(hsp__smo_work *w, uint64_t before)
{
    uint64_t place = 0, count = 0;
    for (uint64_t i = 0; i < w->n; i++) {
        if (w->choice.in[i] != 1) continue;
        while (place < before && w->set.rows[place] != UINT64_MAX)
            place++;
        w->set.rows[place] = i;
        w->set.is_new[place++] = 1;
    }
    /* Places that stayed empty are closed by the last rows: those then count as new there. */
    uint64_t end = place > before ? place : before;
    for (uint64_t k = 0; k < end; k++) {
        while (end > k && w->set.rows[end - 1] == UINT64_MAX)
            end--;
        if (k >= end) break;
        if (w->set.rows[k] == UINT64_MAX) {
            w->set.rows[k] = w->set.rows[--end];
            w->set.is_new[k] = 1;
        }
        count = k + 1;
    }
    w->set.count = count;
    assert(count <= w->set.size);
    for (uint64_t k = 0; k < count; k++)
        w->choice.in[w->set.rows[k]] = 0;
}

/* All rows, in order: rows of the matrix that are computed on demand count on that. */
void hsp__smo_all(hsp__smo_work *w)
{
    assert(w->set.size >= w->n);
    for (uint64_t i = 0; i < w->n; i++) {
        w->set.rows[i] = i;
        w->set.is_new[i] = 1;
    }
    w->set.count = w->n;
}

/* Half of the set before stays, if it is of use; the others are the worst violators, one half of
 * them to move up and one down. */
void hsp__smo_choose(hsp__smo_work *w, double up, double down)
{
    const uint64_t before = w->set.count, room = w->set.size < w->n ? w->set.size : w->n;
    uint64_t kept = 0;
    for (uint64_t k = 0; k < before; k++) {
        const uint64_t i = w->set.rows[k];
        const double y = w->y[i], c = w->c[i], a = w->s->a[i];
        const int of_use = (a > 0 && a < c) || (hsp__smo_up(y, a, c) && w->f[i] < down) ||
                           (hsp__smo_down(y, a, c) && w->f[i] > up);
        w->set.is_new[k] = 0;
        if (kept < room - room / 4 && of_use)
            w->choice.in[i] = 2, kept++;
        else
            w->set.rows[k] = UINT64_MAX;
    }
    w->set.count = kept;
    const double up_limit = w->equation ? down : 0, down_limit = w->equation ? up : 0;
    smo_set_take(w, 1, up_limit, (room - kept + 1) / 2);
    smo_set_take(w, -1, down_limit, room - w->set.count);
    if (w->set.count < room) smo_set_take(w, 1, up_limit, room - w->set.count);
    smo_set_settle(w, before);
    if (w->set.count == w->n) hsp__smo_all(w);
}

/* The first set: rows of both classes in equal steps through the data, as many of each as there
 * are, but an eighth at least. */
void hsp__smo_sample(hsp__smo_work *w)
{
    const uint64_t room = w->set.size < w->n ? w->set.size : w->n;
    uint64_t have[2] = {0, 0}, want[2], seen[2] = {0, 0};
    if (room == w->n) {
        hsp__smo_all(w);
        return;
    }
    for (uint64_t i = 0; i < w->n; i++)
        have[w->y[i] > 0]++;
    want[1] = (uint64_t)((double)room * ((double)have[1] / (double)w->n));
    if (want[1] < room / 8) want[1] = room / 8;
    if (want[1] > room - room / 8) want[1] = room - room / 8;
    if (want[1] > have[1]) want[1] = have[1];
    want[0] = room - want[1];
    if (want[0] > have[0]) want[0] = have[0];
    for (uint64_t i = 0; i < w->n; i++) {
        const int side = w->y[i] > 0;
        const uint64_t k = seen[side]++;
        if (hsp__part(want[side], have[side], k + 1) > hsp__part(want[side], have[side], k))
            w->choice.in[i] = 1;
    }
    smo_set_settle(w, 0);
}

/* A set of the rows whose margins m = 1 + y (f + b) are nearest to 1. */
void hsp__smo_nearest(hsp__smo_work *w, double b)
{
    w->set.count = 0;
    for (uint64_t i = 0; i < w->n; i++) {
        w->choice.keys[i] = fabs(w->f[i] + b);
        w->choice.picked[i] = i;
    }
    smo_set_smallest(w, w->n, w->set.size);
    smo_set_settle(w, 0);
}

/* ---- Rows of the matrix that are computed on demand ---------------------------------------------- */

/* Row i of a set's matrix in floats, of which the kernel values are there. */
static void smo_set_finish_line(const hsp__smo_work *w, uint64_t i)
{
    const hsp__smo_set *set = &w->set;
    float *line = (float *)set->k + i * set->size;
    for (uint64_t j = 0; j < set->count && w->kernel_offset != 0; j++)
        line[j] += (float)w->kernel_offset;
    for (uint64_t j = set->count; j < hsp__smo_padded(set); j++)
        line[j] = 0;
}

/* The row that violates most among those that may move up (sign 1) or down (-1) and whose row of the
 * matrix is not there; none: the number of rows. */
static uint64_t smo_set_worst_absent(const hsp__smo_set *set, int sign)
{
    const double *bound = sign > 0 ? set->up : set->down;
    uint64_t worst = set->count;
    double least = HUGE_VAL;
    for (uint64_t i = 0; i < set->count; i++)
        if (bound[i] == 0 && !set->there[i] && sign * set->f[i] < least)
            least = sign * set->f[i], worst = i;
    return worst;
}

/* Row i of the set's matrix, and some that are likely to be asked for next: a block of rows takes little
 * longer than one where all rows of the problem do not fit the second cache. */
static hsp_status smo_set_need_block(hsp__smo_work *w, uint64_t i)
{
    hsp__smo_set *set = &w->set;
    uint64_t places[SMO_SET_TOGETHER], rows[SMO_SET_TOGETHER], count = 0;
    void *lines[SMO_SET_TOGETHER];
    for (int sign = 1; count < SMO_SET_TOGETHER && i < set->count; sign = -sign) {
        set->there[i] = 1;
        places[count] = i;
        rows[count] = set->rows[i];
        lines[count++] = (float *)set->k + i * set->size;
        i = smo_set_worst_absent(set, sign);
    }
    hsp_status status = hsp__smo_cache_block(w->cache, rows, count, NULL, set->count, lines, NULL);
    for (uint64_t k = 0; k < count; k++) {
        if (status)
            set->there[places[k]] = 0;
        else
            smo_set_finish_line(w, places[k]);
    }
    return status;
}

/* Row i of the set's matrix is asked for. Without memory for blocks, rows come one by one. */
void hsp__smo_need(hsp__smo_work *w, uint64_t i)
{
    hsp__smo_set *set = &w->set;
    const hsp__kernel_rows *rows = w->cache->rows;
    if (!set->on_demand || set->there[i]) return;
    if (w->n * rows->packed.depth * sizeof(float) > SMO_SET_NEAR &&
        smo_set_need_block(w, i) == HSP_OK)
        return;
    hsp__kernel_line_f32(rows, set->rows[i], (float *)set->k + i * set->size);
    smo_set_finish_line(w, i);
    set->there[i] = 1;
}
