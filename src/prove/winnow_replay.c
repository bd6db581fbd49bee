/* A run of winnow, made again.
 *
 * e_j is the sum of y x_j over the updates, and all there is to know of a column
 * (learn/online/winnow.c): w_j = alpha^e_j, or alpha^e_j - alpha^-e_j of balanced runs, or 0 once
 * winnow1 has eliminated it. Scores are long doubles with a bound on what they are off: by
 * rounding, by decimals that are not the doubles read, by values that scaling put beyond 0 and 1. A
 * score nearer to 0 than that is computed in whole numbers, if the values of its row are multiples
 * of 1/1024 (0, 1, 0.5, 0.25 ...) and the exponents of its columns are whole numbers; else it is
 * left open. */
#include <float.h>

#include "base/base.h"
#include "prove/prove.h"

#define REPLAY_WORK 2e7 /* products, at most: the checker makes them with many digits */

typedef struct winnow_again {
    const hsp__prove_file *file;
    const hsp__winnow_run *run;
    hsp__long log, clip;
    hsp__long *e, *off;   /* cols + 1: exponents, and what they may be off; the last is of the
                             constant column */
    hsp__long *w, *w_off; /* cols + 1: weights, likewise */
    unsigned char *gone;  /* cols + 1: eliminated */
    unsigned char *known; /* cols + 1: the exponent is exactly this */
    int64_t *powers;      /* cols + 1: scratch */
    uint32_t *times;      /* cols + 1: scratch */
} winnow_again;

/* How far a value may be from the decimal of the file after scaling. */
static hsp__long again_slack(const winnow_again *a, uint64_t j, hsp__long x)
{
    const hsp__long slack = a->file->slack ? (hsp__long)a->file->slack[j] : 0;
    return (fabsl(x) + slack) * 0x1p-51L + a->clip;
}

static void again_weigh(winnow_again *a, uint64_t j)
{
    const hsp__long up = a->gone[j] ? 0 : powl((hsp__long)a->run->alpha, a->e[j]);
    const hsp__long down = a->run->variant == HSP__WINNOW_BALANCED ? 1 / up : 0;
    a->w[j] = up - down;
    a->w_off[j] =
        (up + down) * (4 * LDBL_EPSILON + 2 * a->log * (a->off[j] + fabsl(a->e[j]) * LDBL_EPSILON));
    if (a->e[j] == 0 && a->off[j] == 0) a->w_off[j] = 0; /* 1, or 1 - 1 */
}

/* An update by y x of one column. */
static void again_shift(winnow_again *a, uint64_t j, hsp__long x, int y, int exact)
{
    if (a->run->variant == HSP__WINNOW_1 && y < 0) {
        a->gone[j] = 1;
    } else {
        a->e[j] += y * x;
        if (!exact) a->off[j] += again_slack(a, j, x) + fabsl(a->e[j]) * LDBL_EPSILON;
        a->known[j] &= exact;
    }
    again_weigh(a, j);
}

/* Is this value exactly what the file has? Multiples of 1/1024 have ten decimals at most. */
static int again_exact(const winnow_again *a, double x)
{
    return x >= 0 && x <= 1 && x * HSP__EXACT_PARTS == floor(x * HSP__EXACT_PARTS) &&
           !a->file->scaled && !a->file->exact.long_count;
}

static void again_update(winnow_again *a, uint64_t i)
{
    assert(i < a->file->rows->rows);
    const hsp_view *view = a->file->rows;
    const hsp__row row = hsp__view_row(view, i);
    for (uint64_t k = 0; k < row.count; k++) {
        const double x = hsp__row_value(view, &row, k);
        if (x != 0)
            again_shift(a, hsp__row_column(&row, k), (hsp__long)x, a->file->y[i],
                        again_exact(a, x));
    }
    if (a->run->constant) again_shift(a, a->run->cols, 1, a->file->y[i], 1);
}

/* Is the row a mistake? -1: that is left open. */
static int again_wrong(const winnow_again *a, uint64_t i)
{
    const hsp_view *view = a->file->rows;
    const hsp__row row = hsp__view_row(view, i);
    hsp__long score = -(hsp__long)a->run->theta, off = 0, size = fabsl(score);
    if (a->run->constant) score += a->w[a->run->cols], off += a->w_off[a->run->cols];
    for (uint64_t k = 0; k < row.count; k++) {
        const uint64_t j = hsp__row_column(&row, k);
        const double value = hsp__row_value(view, &row, k);
        const hsp__long x = (hsp__long)value;
        score += a->w[j] * x;
        size += fabsl(a->w[j] * x);
        off += a->w_off[j] * fabsl(x);
        if (!again_exact(a, value)) off += fabsl(a->w[j]) * again_slack(a, j, x);
    }
    off += size * (hsp__long)(row.count + 4) * LDBL_EPSILON;
    int sign = score > off ? 1 : score < -off ? -1 : off == 0 ? 0 : 2;
    /* too close to call: in whole numbers, if they are */
    int whole = sign == 2;
    uint64_t count = 0;
    for (uint64_t k = 0; whole && k < row.count; k++) {
        const uint64_t j = hsp__row_column(&row, k);
        const double x = hsp__row_value(view, &row, k);
        whole = again_exact(a, x);
        if (!whole || x == 0 || a->gone[j]) continue;
        whole = a->known[j] && a->e[j] == floorl(a->e[j]);
        a->times[count] = (uint32_t)(x * HSP__EXACT_PARTS);
        a->powers[count++] = (int64_t)a->e[j];
    }
    if (whole && a->run->constant) {
        a->times[count] = HSP__EXACT_PARTS;
        a->powers[count++] = (int64_t)a->e[a->run->cols];
    }
    if (whole)
        sign = hsp__exact_powers_sign(a->run->alpha, a->run->theta,
                                      a->run->variant == HSP__WINNOW_BALANCED, a->powers, a->times,
                                      count);
    if (sign == 2 || !isfinite(score)) return -1;
    if (a->file->y[i] > 0) return sign < 0 || (sign == 0 && a->run->tie != HSP_TIE_POS);
    return sign > 0 || (sign == 0 && a->run->tie != HSP_TIE_NEG);
}

hsp_status hsp__winnow_replay(hsp__prove *prove, const hsp__winnow_run *run, double clip,
                              uint64_t passes, const uint64_t *sequence, const uint64_t *count,
                              hsp_error *err, hsp__exact_replay *outcome)
{
    hsp__scratch *scratch = &prove->scratch;
    const hsp_view *view = prove->data.rows;
    const double visits = sequence ? (double)run->updates : (double)passes * (double)view->rows;
    const double each = view->rows ? (double)hsp_view_stored(view) / (double)view->rows : 0;
    const uint64_t n = run->cols + 1;
    *outcome = HSP__REPLAY_LONG;
    if (visits * each > REPLAY_WORK) return HSP_OK;
    uint64_t *left = hsp__scratch_raw(scratch, view->rows, sizeof *left), updates = run->updates;
    winnow_again a = {.file = &prove->data,
                      .run = run,
                      .log = logl((hsp__long)run->alpha),
                      .clip = (hsp__long)clip,
                      .e = hsp__scratch_new(scratch, n, sizeof *a.e),
                      .off = hsp__scratch_new(scratch, n, sizeof *a.off),
                      .w = hsp__scratch_new(scratch, n, sizeof *a.w),
                      .w_off = hsp__scratch_new(scratch, n, sizeof *a.w_off),
                      .gone = hsp__scratch_new(scratch, n, 1),
                      .known = hsp__scratch_new(scratch, n, 1),
                      .powers = hsp__scratch_new(scratch, n, sizeof *a.powers),
                      .times = hsp__scratch_new(scratch, n, sizeof *a.times)};
    if (scratch->failed) return hsp__fail_memory(err);
    memset(a.known, 1, n);
    for (uint64_t j = 0; j < n; j++)
        again_weigh(&a, j);
    memcpy(left, count, view->rows * sizeof *left);
    int same = 1;
    for (uint64_t k = 0; same && sequence && k < updates; k++) {
        same = again_wrong(&a, sequence[k]) == 1;
        if (same) again_update(&a, sequence[k]);
    }
    /* the rows in turn; the updates must be those in `left`, and none remain */
    for (uint64_t p = 0; p < passes && !sequence; p++)
        for (uint64_t i = 0; same && i < view->rows; i++) {
            const int wrong = again_wrong(&a, i);
            same = wrong >= 0 && (!wrong || left[i]);
            if (!same || !wrong) continue;
            left[i]--;
            updates--;
            again_update(&a, i);
        }
    if (!sequence && updates) same = 0;
    *outcome = same ? HSP__REPLAY_SAME : HSP__REPLAY_DIFFERS;
    return HSP_OK;
}
