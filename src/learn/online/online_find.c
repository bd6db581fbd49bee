/* The next mistake: the loop that takes all the time of a pass. One inline function, compiled once
 * per kind of rows, so that nothing is decided inside the loop that could be before it. */
#include <assert.h>

#include "base/paging.h"
#include "learn/online/parallel_scan.h"
#include "learn/kernel/kernel_scores.h"
#include "learn/online/online.h"
#include "model/model.h"

#define ONLINE_FIND_ROWS 256 /* rows between two looks at the memory */

void hsp__online_score(hsp__online *run, const hsp_view *view, uint64_t row)
{
    if (run->rule->score) {
        run->scores[0] = run->rule->score(run, view, row);
        return;
    }
    if (run->space.kernel) {
        for (uint32_t c = 0; c < run->sep.scorers; c++)
            run->scores[c] = hsp__kernel_scores_sum(run->space.kernel, row, run->space.at + c) +
                             run->sep.offsets[c];
        return;
    }
    for (uint32_t c = 0; c < run->sep.scorers; c++)
        run->scores[c] =
            hsp__row_score(view, row, run->sep.weights + c * run->sep.stride, run->sep.offsets[c]);
}

uint32_t hsp__online_rival(const hsp__online *run, const double *scores, uint32_t y)
{
    uint32_t best = y == 0;
    assert(run->sep.scorers > 1 && y < run->sep.scorers);
    for (uint32_t c = best + 1; c < run->sep.scorers; c++)
        if (c != y && scores[c] > scores[best]) best = c;
    return best;
}

int hsp__online_wrong(const hsp__online *run, const hsp_view *view, uint64_t row,
                      const double *scores, double *margin)
{
    const uint32_t label = view->labels[row];
    if (run->sep.scorers == 1) {
        const int positive = label == run->sep.target;
        const double s = scores[0] + (run->mistake.extra ? run->mistake.extra[row] : 0);
        *margin = positive ? s : -s;
        if (run->rule->score) return 1;
        if (run->mistake.growth.rate > 0)
            return !(*margin > hsp__online_bar(run, positive, run->done.examples));
        return !(*margin > run->mistake.limit[positive]);
    }
    *margin = scores[label] - scores[hsp__online_rival(run, scores, label)];
    if (run->mistake.margin_only) return !(*margin > run->mistake.limit[1]);
    return !(*margin > 0) && hsp__decide(scores, run->sep.scorers, run->plan.tie) != label;
}

typedef enum online_find_kind {
    ONLINE_FIND_DENSE_32,
    ONLINE_FIND_DENSE_64,
    ONLINE_FIND_SPARSE_32,
    ONLINE_FIND_SPARSE_64,
    ONLINE_FIND_ONES
} online_find_kind;

#define ONLINE_FIND_INLINE static inline __attribute__((always_inline))

/* <w, x>: the same sums as hsp__row_score. `kind` is a constant wherever this is called. */
ONLINE_FIND_INLINE double find_dot(const hsp__vec_table *vec, const hsp_view *view,
                                   online_find_kind kind, uint64_t row, const double *w)
{
    if (kind == ONLINE_FIND_DENSE_32)
        return vec->dot_f32f64((const float *)view->values + row * view->stride, w, view->cols);
    if (kind == ONLINE_FIND_DENSE_64)
        return vec->dot_f64((const double *)view->values + row * view->stride, w, view->cols);
    const uint64_t from = hsp__view_start(view, row), count = hsp__view_start(view, row + 1) - from;
    const uint32_t *indices = view->indices + from;
    if (kind == ONLINE_FIND_ONES) return vec->ones_dot_f64(indices, count, w);
    if (kind == ONLINE_FIND_SPARSE_32)
        return vec->sparse_dot_f32f64(indices, (const float *)view->values + from, count, w);
    return vec->sparse_dot_f64(indices, (const double *)view->values + from, count, w);
}

/* Two classes. `plain`: in the order of the rows, nothing extra. */
ONLINE_FIND_INLINE uint64_t find_two(const hsp__online *run, const hsp_view *view,
                                     const uint64_t *order, uint64_t from, uint64_t to,
                                     double *scores, online_find_kind kind, int plain)
{
    const hsp__vec_table *vec = run->vec;
    const double *w = run->sep.weights, *extra = run->mistake.extra, b = run->sep.offsets[0];
    const double limit[2] = {run->mistake.limit[0], run->mistake.limit[1]};
    const uint32_t *labels = view->labels, target = run->sep.target;
    for (uint64_t p = from; p < to; p++) {
        const uint64_t row = plain || !order ? p : order[p];
        const double plain_score = find_dot(vec, view, kind, row, w) + b;
        const double s = plain || !extra ? plain_score : plain_score + extra[row];
        const int positive = labels[row] == target;
        if (__builtin_expect(!((positive ? s : -s) > limit[positive]), 0)) {
            scores[0] = plain_score;
            return p;
        }
    }
    return to;
}

/* Two classes, in a scale that grows. */
ONLINE_FIND_INLINE uint64_t find_grown(const hsp__online *run, const hsp_view *view,
                                       const uint64_t *order, uint64_t from, uint64_t to,
                                       double *scores, online_find_kind kind)
{
    const double b = run->sep.offsets[0];
    for (uint64_t p = from; p < to; p++) {
        const uint64_t row = order ? order[p] : p;
        const double s = find_dot(run->vec, view, kind, row, run->sep.weights) + b;
        const int positive = view->labels[row] == run->sep.target;
        const double bar =
            hsp__online_bar(run, positive, run->done.examples + (p - run->mistake.growth.at));
        if (!((positive ? s : -s) > bar)) {
            scores[0] = s;
            return p;
        }
    }
    return to;
}

/* More classes; sparse rows by all scorers at once. */
ONLINE_FIND_INLINE uint64_t find_more(const hsp__online *run, const hsp_view *view,
                                      const uint64_t *order, uint64_t from, uint64_t to,
                                      double *scores, online_find_kind kind)
{
    double margin, sums[HSP__BESIDE_MOST];
    for (uint64_t p = from; p < to; p++) {
        const uint64_t row = order ? order[p] : p;
        const double *w = run->sep.weights;
        if (run->sep.interleaved)
            hsp__interleaved_dots(run->sep.interleaved, view, row, 0, run->sep.interleaved->columns,
                                  sums);
        for (uint32_t c = 0; c < run->sep.scorers; c++, w += run->sep.stride)
            scores[c] = (run->sep.interleaved ? sums[c] : find_dot(run->vec, view, kind, row, w)) +
                        run->sep.offsets[c];
        if (hsp__online_wrong(run, view, row, scores, &margin)) return p;
    }
    return to;
}

#define ONLINE_FIND_CASE(kind)                                                                \
    case kind:                                                                                \
        if (run->sep.scorers > 1) return find_more(run, view, order, from, to, scores, kind); \
        if (run->mistake.growth.rate > 0)                                                     \
            return find_grown(run, view, order, from, to, scores, kind);                      \
        return !order && !run->mistake.extra                                                  \
                   ? find_two(run, view, NULL, from, to, scores, kind, 1)                     \
                   : find_two(run, view, order, from, to, scores, kind, 0)

static uint64_t online_find_in(const hsp__online *run, const hsp_view *view, const uint64_t *order,
                               uint64_t from, uint64_t to, double *scores)
{
    const int wide = view->precision == HSP_FLOAT64;
    const online_find_kind kind = view->storage == HSP_ONES ? ONLINE_FIND_ONES
                                  : view->storage == HSP_SPARSE
                                      ? (wide ? ONLINE_FIND_SPARSE_64 : ONLINE_FIND_SPARSE_32)
                                      : (wide ? ONLINE_FIND_DENSE_64 : ONLINE_FIND_DENSE_32);
    switch (kind) {
        ONLINE_FIND_CASE(ONLINE_FIND_DENSE_32);
        ONLINE_FIND_CASE(ONLINE_FIND_DENSE_64);
        ONLINE_FIND_CASE(ONLINE_FIND_SPARSE_32);
        ONLINE_FIND_CASE(ONLINE_FIND_SPARSE_64);
        ONLINE_FIND_CASE(ONLINE_FIND_ONES);
    }
    return to;
}

typedef struct online_find_job {
    const hsp__online *run;
    const hsp_view *view;
    const uint64_t *order;
} online_find_job;

/* On one of several threads, with scratch of its own. */
static uint64_t online_find_some(const void *user, uint64_t from, uint64_t to, double *scores)
{
    const online_find_job *job = user;
    return online_find_in(job->run, job->view, job->order, from, to, scores);
}

uint64_t hsp__online_find(hsp__online *run, const hsp_view *view, const uint64_t *order,
                          uint64_t from, uint64_t to)
{
    assert(from <= to && run->scores);
    if (run->space.kernel || run->rule->score) { /* scores that are there already, or the rule's */
        double margin;
        for (; from < to; from++) {
            const uint64_t row = order ? order[from] : from;
            hsp__online_score(run, view, row);
            if (hsp__online_wrong(run, view, row, run->scores, &margin)) break;
        }
        return from;
    }
    if (!run->scan) {
        for (uint64_t end; from < to; from = end) {
            end = to - from < ONLINE_FIND_ROWS ? to : from + ONLINE_FIND_ROWS;
            hsp__paging_check(&run->ctx->allocator);
            const uint64_t found = online_find_in(run, view, order, from, end, run->scores);
            if (found < end) return found;
        }
        return to;
    }
    const online_find_job job = {run, view, order};
    int shared = 0;
    const uint64_t found =
        hsp__parallel_scan_find(run->scan, online_find_some, &job, from, to, run->scores, &shared);
    if (found < to && shared) hsp__online_score(run, view, order ? order[found] : found);
    return found;
}
