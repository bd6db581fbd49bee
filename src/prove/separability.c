/* Are two sets of rows separable, and by how much?
 *
 * 1. Two equal rows of both classes are a point in common that anybody can see
 *    (separability_duplicates). Of thousands of columns, multipliers of any other common point would
 *    have as many digits: there a soft margin of a very large C gives points of the hulls that are as
 *    good as the same (separability_soft_margin).
 * 2. The hard margin (learn/erm/erm.h) gives, in double precision, weights with a margin and
 *    multipliers of the two hulls whose points have that distance; or rows with a point in common
 *    (separability_hard_margin).
 * 3. Weights and multipliers are rounded to decimals of few digits, and what they then show is
 *    computed again in long double with a bound on all errors: those of the sums, and that a double
 *    is not quite the decimal of the file (separability_show). If low and high are near enough, that
 *    is the answer.
 * 4. Of rows with a point in common the multipliers are solved for exactly (exact_common.c).
 * 5. Where that does not settle it (margins a billionth of the rows, hulls that touch), Wolfe's
 *    method in exact arithmetic does, if there are few columns (separability_exact_hulls).
 * 6. Else some separator by linear programming, with a wider interval (separability_any_separator);
 *    or, of hulls that are all but touching, "no margin above epsilon". */
#include <float.h>

#include "base/base.h"
#include "data/scale.h"
#include "learn/erm/evidence.h"
#include "learn/erm/matvec.h"
#include "learn/kernel/kernel_erm.h"
#include "learn/lp/lp.h"
#include "prove/prove.h"

#define SEPARABILITY_WIDE      1500  /* more columns than this, and more rows: not exactly */
#define SEPARABILITY_DUAL_COLS 2000  /* more columns than this */
#define SEPARABILITY_DUAL_ROWS 20000 /* and fewer rows than this: solve in the rows */
#define SEPARABILITY_DIGITS    ((uint64_t)4 << 20)    /* of exact multipliers in all, at most */
#define SEPARABILITY_COLUMNS   120                    /* Wolfe's method: columns, */
#define SEPARABILITY_ENTRIES   1000000                /* and rows * columns, at most */
#define SEPARABILITY_SECONDS   600                    /* for each solver */
#define SEPARABILITY_CACHE     ((uint64_t)2000 << 20) /* bytes of inner products */
#define SEPARABILITY_SHARE     12                     /* digits of multipliers */
#define SEPARABILITY_SOFT      1e8  /* C of the soft margin, times the mean square of rows */
#define SEPARABILITY_GLANCE    40   /* passes in which it separates what is easily separated, */
#define SEPARABILITY_PASSES    600  /* and in which it settles what cannot be */
#define SEPARABILITY_TOUCH     1e-6 /* of their length: as good as touching */

/* Rows with signed amounts: dual coefficients a y, or multipliers. */
typedef struct separability_amounts {
    uint64_t count;
    uint64_t *row;  /* count, ascending */
    double *amount; /* count */
} separability_amounts;

typedef struct separability_state {
    hsp_context *ctx;
    hsp__scratch scratch;
    const hsp__prove_file *file;
    const hsp_view *view;
    const signed char *y;
    int offset;
    double width;
    hsp__separation *to;
    hsp__fitted fitted; /* what the last solver found */
    int64_t *w;         /* cols: weights, ... */
    int places;         /* ... which are, as b is, multiples of 10^-places */
} separability_state;

static hsp__problem separability_problem(const separability_state *m, double C, int hard)
{
    return (hsp__problem){.view = m->view,
                          .positive = 1,
                          .cost = {C, C},
                          .loss = hard ? &hsp__hinge : &hsp__squared_hinge,
                          .offset = m->offset ? HSP__OFFSET_FREE : HSP__OFFSET_NONE,
                          .hard = hard};
}

/* The rows that the solver's dual coefficients belong to. `multipliers`: they add up to 1 in each
 * class (without an offset, to 2 in all). */
static hsp_status separability_used(separability_state *m, int multipliers, hsp_error *err,
                                    separability_amounts *to)
{
    const double *a = m->fitted.dual;
    const uint64_t n = m->view->rows;
    double total[2] = {1, 1};
    *to = (separability_amounts){.row = hsp__scratch_new(&m->scratch, n, sizeof *to->row),
                                 .amount = hsp__scratch_new(&m->scratch, n, sizeof *to->amount)};
    if (m->scratch.failed) return hsp__fail_memory(err);
    const hsp__problem p = separability_problem(m, 1, 1);
    if (multipliers) hsp__evidence_scales(&p, a, total);
    for (uint64_t i = 0; i < n; i++) {
        if (!(a[i] > 0)) continue;
        to->row[to->count] = i;
        to->amount[to->count++] = multipliers ? a[i] / total[m->y[i] > 0] : m->y[i] * a[i];
    }
    return HSP_OK;
}

/* ---- A separator ----------------------------------------------------------------------------- */

/* The margin of the weights after rounding; *shown is 0 when they are not seen to separate. */
static hsp_status separability_low(separability_state *m, hsp_error *err, int *shown)
{
    const hsp__long unit = powl(10, (hsp__long)m->places);
    const double *slack = m->file->slack;
    hsp__separation *to = m->to;
    hsp__long square = 0, b = 0,
              low[2] = {HUGE_VALL, HUGE_VALL}; /* the least y <w, x> of a class */
    for (uint64_t j = 0; j < m->view->cols; j++)
        square += (hsp__long)m->w[j] * (hsp__long)m->w[j];
    for (uint64_t i = 0; i < m->view->rows; i++) {
        const hsp__row row = hsp__view_row(m->view, i);
        hsp__long sum = 0, size = 0;
        for (uint64_t k = 0; k < row.count; k++) {
            const uint64_t j = hsp__row_column(&row, k);
            const hsp__long w = (hsp__long)m->w[j];
            const hsp__long term = w * (hsp__long)hsp__row_value(m->view, &row, k);
            sum += term;
            size += fabsl(term) + (slack ? (hsp__long)slack[j] : 0) * fabsl(w);
        }
        /* each x is off by half a unit of a double (scaled, by two units of what came before), each
         * sum and product by half one of ours */
        const hsp__long error = size * (0x1p-51L + (hsp__long)(row.count + 4) * LDBL_EPSILON);
        low[m->y[i] > 0] = fminl(low[m->y[i] > 0], (hsp__long)m->y[i] * sum - error);
    }
    if (m->offset) b = roundl((low[0] - low[1]) / 2);
    const hsp__long margin = fminl(low[0] - b, low[1] + b);
    *shown = margin > 0 && fabsl(b) < 9e18L && square > 0;
    if (!*shown) return HSP_OK;
    to->w.size = to->b.size = to->low.size = 0;
    to->low_value = hsp__prove_format_bound(
        &to->low, margin / sqrtl(square) * (1 - (hsp__long)m->view->cols * LDBL_EPSILON), 12, 0);
    hsp__free(&to->memory, to->weights);
    to->weights = hsp__new(&to->memory, m->view->cols, sizeof *to->weights);
    if (!to->weights) return hsp__fail_memory(err);
    for (uint64_t j = 0; j < m->view->cols; j++)
        to->weights[j] = (double)((hsp__long)m->w[j] / unit);
    hsp__claim_list_grid(&to->w, NULL, NULL, m->w, m->view->cols, m->places, 1);
    hsp__prove_format_grid(&to->b, (int64_t)b, m->places);
    to->bias = (double)(b / unit);
    return HSP_OK;
}

/* ---- Points of the hulls --------------------------------------------------------------------- */

/* From doubles to whole numbers that add up to the same in both classes. 0: nothing is left. */
static int separability_round(const separability_state *m, const separability_amounts *of,
                              int64_t *share)
{
    double most = 0;
    int64_t total[2] = {0, 0};
    uint64_t largest[2] = {of->count, of->count};
    for (uint64_t k = 0; k < of->count; k++)
        most = fmax(most, fabs(of->amount[k]));
    if (!(most > 0)) return 0;
    for (uint64_t k = 0; k < of->count; k++) {
        const int side = m->y[of->row[k]] > 0;
        share[k] = (int64_t)llround(fabs(of->amount[k]) / most * pow(10, SEPARABILITY_SHARE));
        total[side] += share[k];
        if (largest[side] == of->count || share[k] > share[largest[side]]) largest[side] = k;
    }
    if (!m->offset) return 1;
    if (largest[0] == of->count || largest[1] == of->count) return 0;
    const int heavy = total[1] > total[0];
    const int64_t over = total[heavy] - total[!heavy];
    assert(!(over < 0));
    if (over < share[largest[heavy]])
        share[largest[heavy]] -= over;
    else
        share[largest[!heavy]] += over;
    return 1;
}

/* Points of the hulls from amounts of rows: the multipliers, and in `high` ||sum share y x|| / sum
 * share, rounded up. *shown: that worked. */
static hsp_status separability_hulls(separability_state *m, const separability_amounts *of,
                                     hsp_error *err, int *shown)
{
    const uint64_t d = m->view->cols;
    int64_t *share = hsp__scratch_new(&m->scratch, of->count, sizeof *share);
    hsp__long *sum = hsp__scratch_new(&m->scratch, d, sizeof *sum);
    hsp__long *size = hsp__scratch_new(&m->scratch, d, sizeof *size);
    if (m->scratch.failed) return hsp__fail_memory(err);
    *shown = separability_round(m, of, share);
    if (!*shown) return HSP_OK;
    hsp__long total = 0, square = 0, error = 0;
    int64_t balance = 0;
    hsp__separation *to = m->to;
    to->multipliers.size = to->high.size = 0;
    to->used = 0;
    hsp__claim_open(&to->multipliers, NULL, '[');
    for (uint64_t k = 0; k < of->count; k++) {
        if (!share[k]) continue;
        const uint64_t i = of->row[k];
        const hsp__row row = hsp__view_row(m->view, i);
        const hsp__long by = (hsp__long)share[k];
        balance += m->y[i] * share[k];
        total += by;
        for (uint64_t e = 0; e < row.count; e++) {
            const uint64_t j = hsp__row_column(&row, e);
            const hsp__long term = by * (hsp__long)hsp__row_value(m->view, &row, e);
            sum[j] += (hsp__long)m->y[i] * term;
            size[j] += fabsl(term) + by * (m->file->slack ? (hsp__long)m->file->slack[j] : 0);
        }
        hsp__claim_entry(&to->multipliers, i);
        hsp__text_printf(&to->multipliers, ", \"%lld\"]", (long long)share[k]);
        to->used++;
    }
    assert(!m->offset || balance == 0);
    hsp__claim_close(&to->multipliers, ']');
    const hsp__long off = 0x1p-51L + (hsp__long)(to->used + 4) * LDBL_EPSILON;
    for (uint64_t j = 0; j < d; j++) {
        square += sum[j] * sum[j];
        error += size[j] * off * size[j] * off;
    }
    const hsp__long length =
        (sqrtl(square) + sqrtl(error)) * (1 + (hsp__long)(d + 8) * LDBL_EPSILON);
    assert(total > 0);
    to->high_value = hsp__prove_format_bound(&to->high, length / total, 12, 1);
    return HSP_OK;
}

/* ---- From what a solver says to what is shown ------------------------------------------------ */

/* The solver's weights, and its multipliers if it has any. */
static hsp_status separability_show(separability_state *m, hsp_error *err)
{
    separability_amounts used = {0};
    double longest = 0, most = 0;
    int low = 0, high;
    for (uint64_t i = 0; i < m->view->rows; i++) {
        const hsp__row row = hsp__view_row(m->view, i);
        double sum = 1;
        for (uint64_t k = 0; k < row.count; k++)
            sum += fabs(hsp__row_value(m->view, &row, k));
        longest = fmax(longest, sum);
    }
    for (uint64_t j = 0; j < m->view->cols; j++) {
        if (!isfinite(m->fitted.w[j])) return HSP_OK;
        most = fmax(most, fabs(m->fitted.w[j]));
    }
    /* decimals as fine as to move no score by more than a share of the margin, which is 1 */
    m->places = (int)ceil(log10(longest / fmin(m->width, 1e-4))) + 2;
    if (!isfinite(longest) || !(most < 4e18 / pow(10, m->places)) || m->places <= -300)
        return HSP_OK;
    m->w = hsp__scratch_new(&m->scratch, m->view->cols, sizeof *m->w);
    if (!m->w) return hsp__fail_memory(err);
    for (uint64_t j = 0; j < m->view->cols; j++)
        m->w[j] = hsp__prove_grid((hsp__long)m->fitted.w[j], m->places);
    HSP__TRY(separability_low(m, err, &low));
    if (!low) return HSP_OK;
    if (m->fitted.dual) HSP__TRY(separability_used(m, 0, err, &used));
    if (used.count) HSP__TRY(separability_hulls(m, &used, err, &high));
    m->to->kind = HSP__SEPARABILITY_SEPARABLE;
    return HSP_OK;
}

/* Scaled columns are no longer the decimals of the file; but what the hulls have in common they
 * have in any scale, as long as there is an offset. */
static int separability_exact_allowed(const separability_state *m)
{
    return hsp__exact_there() && (!m->file->scaled || m->offset);
}

/* The solver's multipliers show that there is no separator: exactly, or all but. */
static hsp_status separability_touching(separability_state *m, hsp_error *err)
{
    separability_amounts used;
    int found = 0, shown = 0;
    HSP__TRY(separability_used(m, 1, err, &used));
    if (separability_exact_allowed(m))
        HSP__TRY(hsp__exact_common(m->ctx, &m->file->exact, used.row, used.count, m->offset,
                                   SEPARABILITY_DIGITS, err, m->to, &found));
    if (found) return HSP_OK;
    HSP__TRY(separability_hulls(m, &used, err, &shown));
    if (shown) m->to->kind = HSP__SEPARABILITY_NEAR;
    return HSP_OK;
}

/* Wolfe's method; what was known is replaced by what is better. */
static hsp_status separability_exact_hulls(separability_state *m, hsp_error *err)
{
    const hsp_view *view = m->view;
    if (!separability_exact_allowed(m) || view->cols > SEPARABILITY_COLUMNS || view->rows == 0 ||
        view->rows * view->cols > SEPARABILITY_ENTRIES)
        return HSP_OK;
    hsp__separation found;
    hsp__separation_init(&found, &m->to->memory);
    hsp_status status = hsp__exact_nearest(m->ctx, &m->file->exact, m->offset, m->width,
                                           200 + 50 * view->cols, err, &found);
    const int useful = found.kind == HSP__SEPARABILITY_COMMON ||
                       (found.kind == HSP__SEPARABILITY_SEPARABLE && !m->file->scaled);
    if (!status && useful) {
        hsp__separation_free(m->to);
        *m->to = found;
    } else {
        hsp__separation_free(&found);
    }
    return status;
}

/* The least y s(x) of the solver's weights, in double precision. */
static double separability_least(const separability_state *m)
{
    double least = HUGE_VAL;
    for (uint64_t i = 0; i < m->view->rows; i++)
        least = fmin(least, m->y[i] * hsp__row_score(m->view, i, m->fitted.w, m->fitted.b));
    return least;
}

/* Some separator, where the widest is out of reach: by linear programming. Its interval is wide. */
static hsp_status separability_any_separator(separability_state *m, hsp_error *err)
{
    const hsp__problem p = separability_problem(m, 1, 1);
    const hsp_allocator *memory = &m->ctx->allocator;
    hsp__stop stop;
    hsp_context own = hsp__stop_open(&stop, m->ctx);
    hsp__watch watch = {.ctx = &own, .each = m->view->rows};
    if (hsp__clp_ready(NULL)) return HSP_OK; /* a build without linear programming */
    hsp__stop_limit(&own, SEPARABILITY_SECONDS);
    hsp__fitted_free(&m->fitted);
    hsp__lp_answer answer = {.w = hsp__new(memory, m->view->cols, sizeof *answer.w),
                             .a = hsp__new(memory, m->view->rows, sizeof *answer.a)};
    m->fitted = (hsp__fitted){.memory = *memory, .w = answer.w, .dual = answer.a};
    hsp_status status = answer.w && answer.a ? HSP_OK : hsp__fail_memory(err);
    if (!status) status = hsp__lp_separate(&own, &p, &watch, 1, err, &answer);
    if (status) return status == HSP_BAD_DATA ? HSP_OK : status; /* weights out of range */
    m->fitted.b = answer.b;
    if (answer.stop == HSP_STOP_INSEPARABLE) return separability_touching(m, err);
    const double least = separability_least(m);
    for (uint64_t j = 0; least > 0 && j < m->view->cols; j++)
        m->fitted.w[j] /= least;
    memset(m->fitted.dual, 0, m->view->rows * sizeof *m->fitted.dual);
    return separability_show(m, err);
}

/* ---- Before all that ------------------------------------------------------------------------- */

/* Two equal rows of both classes: of all such pairs the one that is over first. */
static hsp_status separability_duplicates(separability_state *m, hsp_error *err)
{
    const uint64_t n = m->view->rows;
    uint64_t pair[2] = {0, 0}, over = n;
    int found = 0;
    if (!separability_exact_allowed(m)) return HSP_OK;
    hsp__duplicate_rows_key *keys = hsp__duplicate_rows_keys(m->ctx, m->view);
    if (!keys) return hsp__fail_memory(err);
    for (uint64_t from = 0, to; from < n; from = to) {
        const uint64_t first = keys[from].row;
        for (to = from + 1; to < n && keys[to].hash == keys[from].hash; to++) {
            const uint64_t other = keys[to].row;
            if (other >= over || m->y[other] == m->y[first]) continue;
            if (!hsp__view_same_rows(m->view, first, m->view, other)) continue;
            pair[0] = first;
            pair[1] = over = other;
        }
    }
    hsp__free(&m->ctx->allocator, keys);
    /* without an offset, a row of zeros is enough, and two are one too many */
    for (uint64_t count = 2; over < n && count > 0 && !found; count--)
        HSP__TRY(hsp__exact_common(m->ctx, &m->file->exact, pair, count, m->offset,
                                   SEPARABILITY_DIGITS, err, m->to, &found));
    return HSP_OK;
}

static hsp_status separability_fit_soft(separability_state *m, const hsp_view *view, double C,
                                        uint64_t passes, hsp_error *err)
{
    const hsp__fit_limits limits = {.gap = 1e-3, .max_passes = passes, .seed = 1};
    hsp__problem p = separability_problem(m, C, 0);
    p.view = view;
    hsp__fitted_free(&m->fitted);
    return hsp__fit_problem(m->ctx, &p, &limits, err, &m->fitted);
}

/* Does a soft margin get a row wrong? Next to a column of huge numbers, a margin in another column
 * is negligible: so this is tested on columns scaled to the same size. */
static hsp_status separability_is_hard(separability_state *m, hsp_error *err, int *hard)
{
    const double places = (double)hsp_view_stored(m->view) / (double)m->view->rows;
    hsp_data *data = m->file->scaled ? m->file->scaled : m->file->data, *scaled = NULL;
    hsp_scaling *scaling = NULL;
    const hsp_view *view = NULL;
    *hard = 0;
    hsp_status status = hsp__scaling_fit_kind(m->ctx, data, "max-abs", err, &scaling);
    if (!status) status = hsp_scaling_apply(m->ctx, scaling, data, err, &scaled);
    if (!status) status = hsp_data_view(m->ctx, scaled, err, &view);
    if (!status)
        status =
            separability_fit_soft(m, view, SEPARABILITY_SOFT / places, SEPARABILITY_GLANCE, err);
    for (uint64_t i = 0; !status && !*hard && i < view->rows; i++)
        *hard = (hsp__row_score(view, i, m->fitted.w, m->fitted.b) > 0) != (m->y[i] > 0);
    hsp_data_free(scaled);
    hsp_scaling_free(scaling);
    return status;
}

/* Where the squares of what rows lack are least, w = sum a y x with a = 2 C times what each lacks:
 * for C without end, ||w|| / sum a goes to 0 unless nothing is lacking. */
static hsp_status separability_soft_margin(separability_state *m, hsp_error *err)
{
    const hsp_view *view = m->view;
    hsp__separation *to = m->to;
    separability_amounts used;
    double square = 0; /* the mean of that of rows */
    int shown = 0, hard = 0;
    if (view->cols <= SEPARABILITY_WIDE || view->rows <= view->cols) return HSP_OK;
    for (uint64_t i = 0; i < view->rows; i++) {
        const hsp__row row = hsp__view_row(view, i);
        for (uint64_t k = 0; k < row.count; k++)
            square += hsp__row_value(view, &row, k) * hsp__row_value(view, &row, k);
    }
    square /= (double)view->rows;
    if (!(square > 0) || !isfinite(square)) return HSP_OK;
    HSP__TRY(separability_is_hard(m, err, &hard));
    if (hard)
        HSP__TRY(
            separability_fit_soft(m, view, SEPARABILITY_SOFT / square, SEPARABILITY_PASSES, err));
    if (hard && separability_least(m) <= 0) {
        HSP__TRY(separability_used(m, 0, err, &used));
        HSP__TRY(separability_hulls(m, &used, err, &shown));
    }
    if (shown && to->high_value <= SEPARABILITY_TOUCH * sqrt(square)) {
        to->kind = HSP__SEPARABILITY_NEAR;
    } else {
        to->high.size = to->multipliers.size = 0;
        to->used = 0;
    }
    return HSP_OK;
}

/* Rows that solvers refuse, since weights would leave the range of doubles, are left to exact
 * arithmetic. */
static hsp_status separability_hard_margin(separability_state *m, hsp_error *err)
{
    const hsp_view *view = m->view;
    const hsp__problem p = separability_problem(m, 1, 1);
    const hsp__fit_limits limits = {.gap = fmax(m->width / 16, 1e-10),
                                    .max_passes = HSP__FIT_PASSES,
                                    .max_seconds = SEPARABILITY_SECONDS,
                                    .seed = 1};
    hsp_status status;
    hsp__fitted_free(&m->fitted);
    if (view->cols > SEPARABILITY_DUAL_COLS && view->rows < SEPARABILITY_DUAL_ROWS &&
        view->rows <= view->cols) {
        /* with more columns than rows, it is solved in inner products of rows */
        hsp_kernel *linear = NULL;
        status = hsp_kernel_parse(m->ctx, "linear", 0, 1, err, &linear);
        if (!status) status = hsp_kernel_fit(m->ctx, linear, view, err);
        if (!status)
            status =
                hsp__fit_kernel(m->ctx, linear, &p, &limits, SEPARABILITY_CACHE, err, &m->fitted);
        hsp_kernel_free(linear);
        if (!status) m->fitted.w = hsp__new(&m->fitted.memory, view->cols, sizeof *m->fitted.w);
        if (!status && !m->fitted.w) status = hsp__fail_memory(err);
        for (uint64_t i = 0; !status && i < view->rows; i++)
            if (m->fitted.dual[i] != 0)
                hsp__matvec_add_row(view, i, m->y[i] * m->fitted.dual[i], m->fitted.w);
    } else {
        status = hsp__fit_problem(m->ctx, &p, &limits, err, &m->fitted);
    }
    if (status) return status == HSP_BAD_DATA ? HSP_OK : status;
    return m->fitted.stop == HSP_STOP_INSEPARABLE ? separability_touching(m, err)
                                                  : separability_show(m, err);
}

static hsp_status separability_written(const hsp__separation *to, hsp_error *err)
{
    return to->w.failed || to->b.failed || to->low.failed || to->high.failed ||
                   to->multipliers.failed
               ? hsp__fail_memory(err)
               : HSP_OK;
}

hsp_status hsp__separability_find(hsp_context *ctx, const hsp__prove_file *file, int offset,
                                  double width, int exact, hsp_error *err, hsp__separation *to)
{
    hsp_context quiet = *ctx; /* solvers that do not converge are not the last word */
    quiet.log = NULL;
    separability_state m = {.ctx = &quiet,
                            .scratch.memory = &ctx->allocator,
                            .file = file,
                            .view = file->rows,
                            .y = file->y,
                            .offset = offset,
                            .width = width,
                            .to = to};
    const int both = file->sides[0] && file->sides[1];
    assert(file->sides[0] + file->sides[1] == file->rows->rows && width > 0);
    if (!both && offset && !exact) { /* one class alone: an offset will do */
        to->kind = HSP__SEPARABILITY_SEPARABLE;
        hsp__text_puts(&to->w, "[]");
        hsp__text_puts(&to->b, file->sides[1] ? "1" : "-1");
        return to->w.failed || to->b.failed ? hsp__fail_memory(err) : HSP_OK;
    }
    hsp_status status = both ? separability_duplicates(&m, err) : HSP_OK;
    if (!status && both && !exact && to->kind == HSP__SEPARABILITY_UNKNOWN)
        status = separability_soft_margin(&m, err);
    if (!status && both && !exact && to->kind == HSP__SEPARABILITY_UNKNOWN)
        status = separability_hard_margin(&m, err);
    if (!status) status = separability_written(to, err);
    /* is what is known good enough? */
    const int narrow = to->kind == HSP__SEPARABILITY_SEPARABLE && to->high.size &&
                       to->high_value - to->low_value <= width * to->high_value;
    if (!status && to->kind != HSP__SEPARABILITY_COMMON && !narrow)
        status = separability_exact_hulls(&m, err);
    if (!status && both && !exact && to->kind == HSP__SEPARABILITY_UNKNOWN)
        status = separability_any_separator(&m, err);
    if (!status) status = separability_written(to, err);
    hsp__fitted_free(&m.fitted);
    hsp__scratch_free(&m.scratch);
    return status;
}

hsp_status hsp__prove_separability(hsp__prove *prove, hsp_error *err)
{
    if (prove->separability_known) return HSP_OK;
    hsp_status status = hsp__separability_find(prove->ctx, &prove->data, prove->offset,
                                               prove->width, 0, err, &prove->separability);
    prove->separability_known = !status;
    return status;
}

/* ---- The claims ------------------------------------------------------------------------------ */

hsp_status hsp__prove_separable(hsp__prove *prove, hsp_error *err)
{
    const int yes = hsp__prove_named(prove, "separable");
    const int no = hsp__prove_named(prove, "not separable");
    const char *kernel = hsp_options_text(prove->options, "kernel");
    const char *through = prove->offset ? "" : " through the origin";
    const hsp__separation *s = &prove->separability;
    hsp__text *text = &prove->claims;
    if (kernel) return hsp__prove_separable_kernel(prove, kernel, err);
    if (!yes && !no) return HSP_OK;
    assert(!prove->separability_known);
    HSP__TRY(hsp__separability_find(prove->ctx, &prove->data, prove->offset, prove->width, 0, err,
                                    &prove->separability));
    prove->separability_known = 1;
    if (s->kind == HSP__SEPARABILITY_UNKNOWN)
        return hsp__prove_skip(prove, err, yes ? "separable" : "not separable",
                               "the classes are closer than the arithmetic can resolve%s",
                               hsp__exact_there() ? "" : ", and this build is without GMP");
    if (s->kind == HSP__SEPARABILITY_SEPARABLE && !yes)
        return hsp__prove_skip(prove, err, "not separable", "a hyperplane%s separates the rows",
                               through);
    if (s->kind == HSP__SEPARABILITY_COMMON && !no)
        return hsp__prove_skip(
            prove, err, "separable",
            "no hyperplane%s separates the rows; the claim \"not separable\" holds instead",
            through);
    if (s->kind == HSP__SEPARABILITY_NEAR && !no)
        return hsp__prove_skip(prove, err, "separable",
                               "no separator%s was found, and none has a margin above %s", through,
                               s->high.data);
    const int separable = s->kind == HSP__SEPARABILITY_SEPARABLE;
    hsp__prove_begin(prove, separable ? "separable" : "not separable");
    hsp__claim_flag(text, "\noffset", prove->offset);
    if (separable) {
        hsp__claim_open(text, "\nseparator", '{');
        hsp__claim_json(text, "w", &s->w);
        if (prove->offset) hsp__claim_word(text, "b", s->b.data);
        hsp__claim_close(text, '}');
    }
    if (separable && s->low.size) {
        hsp__claim_open(text, "\nmargin", '{');
        hsp__claim_word(text, "low", s->low.data);
        if (s->high.size) hsp__claim_word(text, "high", s->high.data);
        hsp__claim_close(text, '}');
    }
    if (!separable || s->multipliers.size) hsp__claim_json(text, "\nmultipliers", &s->multipliers);
    if (s->kind == HSP__SEPARABILITY_NEAR) hsp__claim_word(text, "\nepsilon", s->high.data);
    return hsp__prove_end(prove, err, separable ? "separable" : "not separable");
}
