/* Are two sets of rows separable, and by how much?
 *
 * 1. Two equal rows of both classes are a point in common that anybody can see. Of thousands of
 *    columns, multipliers of any other common point would have as many digits: there a soft machine
 *    of a very large C gives points of the hulls that are as good as the same.
 * 2. The hard machine (learn/erm/hard_margin.c) gives, in double precision, weights with a margin,
 * and multipliers of the two hulls whose points are as far apart; or rows with a point in common.
 * 3. Weights and multipliers are rounded to decimals of few digits, and what they then show is
 *    computed again in long double with a bound on all errors: those of the sums, and that a double
 *    is not quite the decimal of the file. If low and high are near enough, that is the answer.
 * 4. Of rows with a point in common the multipliers are solved for exactly (exact_common.c).
 * 5. Where that does not settle it (margins a billionth of the rows, hulls that touch), Wolfe's
 *    method in exact arithmetic does, if there are few columns (exact_nearest.c).
 * 6. Else: a wider interval; or, of hulls that are all but touching, "no margin above epsilon". */
#include <float.h>
#include <math.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "prove/prove.h"
#include "prove/duplicate_rows.h"

#define SEPARABILITY_WIDE      1500  /* more columns than this, and more rows: not exactly */
#define SEPARABILITY_DUAL_COLS 2000  /* more columns than this */
#define SEPARABILITY_DUAL_ROWS 20000 /* and fewer rows than this: solve in the rows */
#define SEPARABILITY_DIGITS    ((uint64_t)4 << 20) /* of exact multipliers in all, at most */
#define SEPARABILITY_COLUMNS   120                 /* Wolfe's method: columns, */
#define SEPARABILITY_ENTRIES   1000000             /* and rows * columns, at most */
#define SEPARABILITY_SECONDS   "600"               /* for the machine */
#define SEPARABILITY_SHARE     12                  /* digits of multipliers */
#define SEPARABILITY_SOFT      1e8   /* C of the soft machine, times the mean square of rows */
#define SEPARABILITY_GLANCE    "40"  /* passes in which it separates what is easily separated, */
#define SEPARABILITY_PASSES    "600" /* and in which it settles what cannot be */
#define SEPARABILITY_TOUCH     1e-6  /* of their length: as good as touching */

typedef struct separability_state {
    hsp_context *ctx;
    const hsp__prove_file *file;
    const hsp_view *view;
    const signed char *y;
    int offset;
    double width;
    hsp__separation *to;
    hsp_training run;
    hsp_model *model;
    int64_t *w; /* cols */
    int places; /* w and b are multiples of 10^-places */
} separability_state;

/* ---- The machine ----------------------------------------------------------------------------- */

static hsp_status separability_options(const separability_state *m, hsp_options *options,
                                       hsp_error *err)
{
    const hsp_view *view = m->view;
    char gap[HSP_NUMBER_MAX];
    const int wide = view->cols > SEPARABILITY_DUAL_COLS && view->rows < SEPARABILITY_DUAL_ROWS &&
                     view->rows <= view->cols;
    hsp_number_text(fmax(m->width / 16, 1e-10), HSP_FLOAT64, gap);
    hsp_status status = hsp_options_set(options, "hard", "yes", err);
    if (!status) status = hsp_options_set(options, "keep-dual", "yes", err);
    if (!status) status = hsp_options_set(options, "gap", gap, err);
    if (!status) status = hsp_options_set(options, "max-seconds", SEPARABILITY_SECONDS, err);
    if (!status) status = hsp_options_set(options, "offset", m->offset ? "free" : "none", err);
    if (!status && wide) status = hsp_options_set(options, "kernel", "linear", err);
    if (!status && wide) status = hsp_options_set(options, "cache-mb", "2000", err);
    return status;
}

/* Nobody is to hear that it did not converge: there is more to come. */
static hsp_status separability_train(separability_state *m, hsp_error *err)
{
    hsp_context quiet = *m->ctx;
    hsp_options *options = NULL;
    quiet.log = NULL;
    hsp_status status = hsp_options_new(m->ctx, hsp_learner_find("svm"), err, &options);
    if (!status) status = separability_options(m, options, err);
    hsp_data *rows = m->file->moved ? m->file->moved : m->file->data;
    if (!status) status = hsp_train(&quiet, rows, options, err, &m->run, &m->model);
    hsp_options_free(options);
    if (!status && m->model && !m->model->weights) {
        hsp_model *linear = NULL;
        status = hsp__model_collapse(m->ctx, m->model, err, &linear);
        if (!status && linear) {
            linear->updates = m->model->updates;
            m->model->updates = (hsp_row_coefficients){0};
            hsp_model_free(m->model);
            m->model = linear;
        }
    }
    return status;
}

/* ---- A separator ----------------------------------------------------------------------------- */

static hsp__long separability_slack(const separability_state *m, uint64_t j)
{
    return m->file->slack ? (hsp__long)m->file->slack[j] : 0;
}

/* sum |w_j x_j|, and in *score the sum itself. */
static hsp__long separability_score(const separability_state *m, uint64_t i, hsp__long *score)
{
    const hsp__row row = hsp__view_row(m->view, i);
    hsp__long sum = 0, size = 0;
    for (uint64_t k = 0; k < row.count; k++) {
        const uint64_t j = hsp__row_column(&row, k);
        const hsp__long term = (hsp__long)m->w[j] * (hsp__long)hsp__row_value(m->view, &row, k);
        sum += term;
        size += fabsl(term) + separability_slack(m, j) * fabsl((hsp__long)m->w[j]);
    }
    *score = sum;
    /* each x is off by half a unit of a double (scaled, by two units of what came before), each sum
     * and product by half one of ours */
    return size * (0x1p-51L + (hsp__long)(row.count + 4) * LDBL_EPSILON);
}

/* How fine the decimals must be: as fine as to move no score by more than a share of the margin. */
static int separability_places(separability_state *m, const double *weights)
{
    double longest = 0, most = 0;
    for (uint64_t i = 0; i < m->view->rows; i++) {
        const hsp__row row = hsp__view_row(m->view, i);
        double sum = 1;
        for (uint64_t k = 0; k < row.count; k++)
            sum += fabs(hsp__row_value(m->view, &row, k));
        longest = fmax(longest, sum);
    }
    for (uint64_t j = 0; j < m->view->cols; j++)
        most = fmax(most, fabs(weights[j]));
    m->places = (int)ceil(log10(longest / fmin(m->width, 1e-4))) + 2; /* functional margins are 1 */
    return isfinite(longest) && most < 4e18 / pow(10, m->places) && m->places > -300;
}

typedef struct separability_scores {
    hsp__long low[2]; /* the least y <w, x> of a class, less its error */
} separability_scores;

static separability_scores separability_look(const separability_state *m)
{
    separability_scores all = {{HUGE_VALL, HUGE_VALL}};
    for (uint64_t i = 0; i < m->view->rows; i++) {
        hsp__long score, error = separability_score(m, i, &score), *low = &all.low[m->y[i] > 0];
        *low = fminl(*low, (hsp__long)m->y[i] * score - error);
    }
    return all;
}

static hsp_status separability_write_separator(separability_state *m, int64_t b, hsp_error *err)
{
    hsp__separation *to = m->to;
    hsp__free(&to->memory, to->weights);
    to->weights = hsp__new(&to->memory, m->view->cols, sizeof *to->weights);
    if (!to->weights) return hsp__fail_memory(err);
    to->w.size = to->b.size = 0;
    for (uint64_t j = 0; j < m->view->cols; j++)
        to->weights[j] = (double)((hsp__long)m->w[j] / powl(10, (hsp__long)m->places));
    hsp__claim_list_grid(&to->w, NULL, NULL, m->w, m->view->cols, m->places, 1);
    hsp__prove_format_grid(&to->b, b, m->places);
    to->bias = (double)((hsp__long)b / powl(10, (hsp__long)m->places));
    return HSP_OK;
}

/* The margin of the weights after rounding; *shown is 0 when they are not seen to separate. */
static hsp_status separability_low(separability_state *m, hsp_error *err, int *shown)
{
    hsp__long square = 0, b = 0;
    for (uint64_t j = 0; j < m->view->cols; j++)
        square += (hsp__long)m->w[j] * (hsp__long)m->w[j];
    const separability_scores all = separability_look(m);
    if (m->offset) b = roundl((all.low[0] - all.low[1]) / 2);
    const hsp__long margin = fminl(all.low[0] - b, all.low[1] + b);
    *shown = margin > 0 && fabsl(b) < 9e18L && square > 0;
    if (!*shown) return HSP_OK;
    m->to->low.size = 0;
    m->to->low_value = hsp__prove_format_bound(
        &m->to->low, margin / sqrtl(square) * (1 - (hsp__long)m->view->cols * LDBL_EPSILON), 12, 0);
    return separability_write_separator(m, (int64_t)b, err);
}

/* ---- Points of the hulls --------------------------------------------------------------------- */

/* Multipliers of rows, whole numbers. */
typedef struct separability_shares {
    uint64_t count;
    const uint64_t *row;
    int64_t *share; /* count */
} separability_shares;

/* From doubles to whole numbers that add up to the same in both classes. 0: nothing is left. */
static int separability_round(const separability_state *m, const double *amount,
                              const separability_shares *shares)
{
    double most = 0;
    int64_t total[2] = {0, 0};
    uint64_t largest[2] = {shares->count, shares->count};
    for (uint64_t k = 0; k < shares->count; k++)
        most = fmax(most, fabs(amount[k]));
    if (!(most > 0)) return 0;
    for (uint64_t k = 0; k < shares->count; k++) {
        const int side = m->y[shares->row[k]] > 0;
        shares->share[k] = (int64_t)llround(fabs(amount[k]) / most * pow(10, SEPARABILITY_SHARE));
        total[side] += shares->share[k];
        if (largest[side] == shares->count || shares->share[k] > shares->share[largest[side]])
            largest[side] = k;
    }
    if (!m->offset) return 1;
    if (largest[0] == shares->count || largest[1] == shares->count) return 0;
    const int heavy = total[1] > total[0];
    const int64_t over = total[heavy] - total[!heavy];
    if (over < shares->share[largest[heavy]])
        shares->share[largest[heavy]] -= over;
    else
        shares->share[largest[!heavy]] += over;
    return 1;
}

/* ||sum share y x|| / sum share, rounded up, and the shares. */
static hsp_status separability_high(separability_state *m, const separability_shares *shares,
                                    hsp_error *err)
{
    const hsp_allocator *memory = &m->ctx->allocator;
    const uint64_t d = m->view->cols;
    hsp__long *sum = hsp__new(memory, d, sizeof *sum), *size = hsp__new(memory, d, sizeof *size);
    hsp__long total = 0, square = 0, error = 0;
    hsp_status status = sum && size ? HSP_OK : hsp__fail_memory(err);
    hsp__separation *to = m->to;
    to->multipliers.size = to->high.size = 0;
    to->used = 0;
    hsp__claim_open(&to->multipliers, NULL, '[');
    for (uint64_t k = 0; !status && k < shares->count; k++) {
        if (!shares->share[k]) continue;
        const uint64_t i = shares->row[k];
        const hsp__row row = hsp__view_row(m->view, i);
        const hsp__long share = (hsp__long)shares->share[k];
        total += share;
        for (uint64_t e = 0; e < row.count; e++) {
            const uint64_t j = hsp__row_column(&row, e);
            const hsp__long term = share * (hsp__long)hsp__row_value(m->view, &row, e);
            sum[j] += (hsp__long)m->y[i] * term;
            size[j] += fabsl(term) + share * separability_slack(m, j);
        }
        hsp__claim_entry(&to->multipliers, i);
        hsp__text_printf(&to->multipliers, ", \"%lld\"]", (long long)shares->share[k]);
        to->used++;
    }
    hsp__claim_close(&to->multipliers, ']');
    const hsp__long off = 0x1p-51L + (hsp__long)(to->used + 4) * LDBL_EPSILON;
    for (uint64_t j = 0; !status && j < d; j++) {
        square += sum[j] * sum[j];
        error += size[j] * off * size[j] * off;
    }
    const hsp__long length =
        (sqrtl(square) + sqrtl(error)) * (1 + (hsp__long)(d + 8) * LDBL_EPSILON);
    if (!status) to->high_value = hsp__prove_format_bound(&to->high, length / total, 12, 1);
    hsp__free(memory, sum);
    hsp__free(memory, size);
    return status;
}

/* The same from signed amounts of rows; *shown: that worked. */
static hsp_status separability_hulls(separability_state *m, uint64_t count, const uint64_t *row,
                                     const double *amount, hsp_error *err, int *shown)
{
    separability_shares shares = {count, row, hsp__new(&m->ctx->allocator, count, sizeof(int64_t))};
    if (!shares.share) return hsp__fail_memory(err);
    *shown = separability_round(m, amount, &shares);
    hsp_status status = *shown ? separability_high(m, &shares, err) : HSP_OK;
    hsp__free(&m->ctx->allocator, shares.share);
    return status;
}

/* ---- From what the machine says to what is shown --------------------------------------------- */

static hsp_status separability_rounded(separability_state *m, hsp_error *err)
{
    const hsp_row_coefficients updates = hsp_model_row_coefficients(m->model);
    int low = 0, high;
    if (!m->model->weights || !separability_places(m, m->model->weights)) return HSP_OK;
    hsp__free(&m->ctx->allocator, m->w);
    m->w = hsp__new(&m->ctx->allocator, m->view->cols, sizeof *m->w);
    if (!m->w) return hsp__fail_memory(err);
    for (uint64_t j = 0; j < m->view->cols; j++)
        m->w[j] = hsp__prove_grid((hsp__long)m->model->weights[j], m->places);
    hsp_status status = separability_low(m, err, &low);
    if (!status && low && updates.count)
        status = separability_hulls(m, updates.count, updates.row, updates.amount, err, &high);
    if (!status && low) m->to->kind = HSP__SEPARABILITY_SEPARABLE;
    return status;
}

/* Is what is known good enough? */
static int separability_settled(const separability_state *m)
{
    const hsp__separation *to = m->to;
    if (to->kind == HSP__SEPARABILITY_COMMON) return 1;
    return to->kind == HSP__SEPARABILITY_SEPARABLE && to->high.size &&
           to->high_value - to->low_value <= m->width * to->high_value;
}

/* What was tried last is forgotten. */
static void separability_forget(separability_state *m)
{
    hsp_model_free(m->model);
    m->model = NULL;
    hsp_evidence_free(m->run.evidence);
    m->run = (hsp_training){0};
}

/* Scaled columns are no longer the decimals of the file; but what the hulls have in common they
 * have in any scale, as long as there is an offset. */
static int separability_exact_allowed(const separability_state *m)
{
    return hsp__exact_there() && (!m->file->moved || m->offset);
}

static hsp_status separability_touching(separability_state *m, hsp_error *err)
{
    const hsp_evidence *evidence = m->run.evidence;
    int found = 0, shown = 0;
    hsp_status status = HSP_OK;
    if (!evidence) return HSP_OK;
    if (separability_exact_allowed(m))
        status = hsp__exact_common(m->ctx, &m->file->exact, evidence->row, evidence->count,
                                   m->offset, SEPARABILITY_DIGITS, err, m->to, &found);
    if (status || found) return status;
    status =
        separability_hulls(m, evidence->count, evidence->row, evidence->multiplier, err, &shown);
    if (!status && shown) m->to->kind = HSP__SEPARABILITY_NEAR;
    return status;
}

/* Wolfe's method; what was known is replaced by what is better. */
static hsp_status separability_nearest(separability_state *m, hsp_error *err)
{
    const hsp_view *view = m->view;
    if (!separability_exact_allowed(m) || view->cols > SEPARABILITY_COLUMNS || view->rows == 0)
        return HSP_OK;
    if (view->rows * view->cols > SEPARABILITY_ENTRIES) return HSP_OK;
    hsp__separation found;
    hsp__separation_init(&found, &m->to->memory);
    hsp_status status = hsp__exact_nearest(m->ctx, &m->file->exact, m->offset, m->width,
                                           200 + 50 * view->cols, err, &found);
    const int useful = found.kind == HSP__SEPARABILITY_COMMON ||
                       (found.kind == HSP__SEPARABILITY_SEPARABLE && !m->file->moved);
    if (!status && useful) {
        hsp__separation_free(m->to);
        *m->to = found;
    } else {
        hsp__separation_free(&found);
    }
    return status;
}

/* The least y s(x) of the model, in double precision. */
static double separability_least(const separability_state *m)
{
    double least = HUGE_VAL;
    for (uint64_t i = 0; i < m->view->rows; i++)
        least = fmin(least,
                     m->y[i] * hsp__row_score(m->view, i, m->model->weights, m->model->offsets[0]));
    return least;
}

/* Some separator, where the widest is out of reach: by linear programming. Its interval is wide. */
static hsp_status separability_some(separability_state *m, hsp_error *err)
{
    hsp_context quiet = *m->ctx;
    hsp_options *options = NULL;
    hsp_data *rows = m->file->moved ? m->file->moved : m->file->data;
    quiet.log = NULL;
    separability_forget(m);
    hsp_status status = hsp_options_new(m->ctx, hsp_learner_find("lp"), err, &options);
    if (!status) status = hsp_options_set(options, "offset", m->offset ? "free" : "none", err);
    if (!status) status = hsp_options_set(options, "max-seconds", SEPARABILITY_SECONDS, err);
    if (!status) status = hsp_train(&quiet, rows, options, err, &m->run, &m->model);
    hsp_options_free(options);
    /* a build without linear programming, or weights out of range */
    if (status == HSP_UNSUPPORTED || status == HSP_BAD_DATA) return HSP_OK;
    if (status || !m->model) return status ? status : separability_touching(m, err);
    const double least = separability_least(m);
    for (uint64_t j = 0; least > 0 && j < m->view->cols; j++)
        m->model->weights[j] /= least;
    return separability_rounded(m, err);
}

/* ---- Before all that ------------------------------------------------------------------------- */

/* Two equal rows of both classes: of all such pairs the one that is over first. */
static int separability_pair(const separability_state *m, const hsp__duplicate_rows_key *keys,
                             uint64_t pair[2])
{
    const uint64_t n = m->view->rows;
    uint64_t over = n;
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
    return over < n;
}

static hsp_status separability_twins(separability_state *m, hsp_error *err)
{
    uint64_t pair[2];
    int found = 0;
    if (!separability_exact_allowed(m)) return HSP_OK;
    hsp__duplicate_rows_key *keys = hsp__duplicate_rows_keys(m->ctx, m->view);
    if (!keys) return hsp__fail_memory(err);
    const int there = separability_pair(m, keys, pair);
    hsp__free(&m->ctx->allocator, keys);
    /* without an offset, a row of zeros is enough, and two are one too many */
    for (uint64_t count = 2; there && count > 0 && !found; count--) {
        hsp_status status = hsp__exact_common(m->ctx, &m->file->exact, pair, count, m->offset,
                                              SEPARABILITY_DIGITS, err, m->to, &found);
        if (status) return status;
    }
    return HSP_OK;
}

static double separability_mean_square(const separability_state *m)
{
    double sum = 0;
    for (uint64_t i = 0; i < m->view->rows; i++) {
        const hsp__row row = hsp__view_row(m->view, i);
        for (uint64_t k = 0; k < row.count; k++)
            sum += hsp__row_value(m->view, &row, k) * hsp__row_value(m->view, &row, k);
    }
    return sum / (double)m->view->rows;
}

static hsp_status separability_train_soft(separability_state *m, double C, const char *scale,
                                          const char *passes, hsp_error *err)
{
    hsp_context quiet = *m->ctx;
    hsp_options *options = NULL;
    char text[HSP_NUMBER_MAX];
    quiet.log = NULL;
    hsp_number_text(C, HSP_FLOAT64, text);
    hsp_status status = hsp_options_new(m->ctx, hsp_learner_find("svm"), err, &options);
    if (!status) status = hsp_options_set(options, "loss", "squared", err);
    if (!status) status = hsp_options_set(options, "C", text, err);
    if (!status) status = hsp_options_set(options, "keep-dual", "yes", err);
    if (!status) status = hsp_options_set(options, "scale", scale, err);
    if (!status) status = hsp_options_set(options, "max-passes", passes, err);
    if (!status) status = hsp_options_set(options, "offset", m->offset ? "free" : "none", err);
    hsp_data *rows = m->file->moved ? m->file->moved : m->file->data;
    if (!status) status = hsp_train(&quiet, rows, options, err, &m->run, &m->model);
    hsp_options_free(options);
    return status;
}

/* With squared hinge loss w = sum a y x with a_i = 2 C slack_i: as C grows, ||w|| / sum a goes to 0
 * if the rows are not separable. Next to a column of huge numbers, a margin in another column is
 * negligible: so separability is tested on columns scaled to the same size. */
static hsp_status separability_soft(separability_state *m, hsp_error *err)
{
    const hsp_view *view = m->view;
    const double square = separability_mean_square(m);
    hsp__separation *to = m->to;
    int shown = 0;
    if (view->cols <= SEPARABILITY_WIDE || view->rows <= view->cols) return HSP_OK;
    if (!(square > 0) || !isfinite(square)) return HSP_OK;
    const double places = (double)hsp_view_stored(view) / (double)view->rows;
    hsp_status status =
        separability_train_soft(m, SEPARABILITY_SOFT / places, "max-abs", SEPARABILITY_GLANCE, err);
    const int lacking = !status && m->run.training_error > 0;
    separability_forget(m);
    if (lacking)
        status = separability_train_soft(m, SEPARABILITY_SOFT / square, "none", SEPARABILITY_PASSES,
                                         err);
    if (!status && lacking && m->model && m->model->weights && separability_least(m) <= 0) {
        const hsp_row_coefficients updates = hsp_model_row_coefficients(m->model);
        status = separability_hulls(m, updates.count, updates.row, updates.amount, err, &shown);
    }
    if (!status && shown && to->high_value <= SEPARABILITY_TOUCH * sqrt(square)) {
        to->kind = HSP__SEPARABILITY_NEAR;
    } else {
        to->high.size = to->multipliers.size = 0;
        to->used = 0;
    }
    separability_forget(m);
    return status;
}

/* One class alone: an offset will do. */
static void separability_alone(separability_state *m)
{
    hsp__separation *to = m->to;
    to->kind = HSP__SEPARABILITY_SEPARABLE;
    hsp__text_puts(&to->w, "[]");
    hsp__text_puts(&to->b, m->file->sides[1] ? "1" : "-1");
}

/* Rows that the machine refuses, since its weights would leave the range of doubles, are left to
 * exact arithmetic. */
static hsp_status separability_machine(separability_state *m, hsp_error *err)
{
    hsp_status status = separability_train(m, err);
    if (status == HSP_BAD_DATA) separability_forget(m);
    if (status) return status == HSP_BAD_DATA ? HSP_OK : status;
    return m->model ? separability_rounded(m, err) : separability_touching(m, err);
}

hsp_status hsp__separability_find(hsp_context *ctx, const hsp__prove_file *file, int offset,
                                  double width, hsp_error *err, hsp__separation *to)
{
    separability_state m = {.ctx = ctx,
                            .file = file,
                            .view = file->rows,
                            .y = file->y,
                            .offset = offset,
                            .width = width,
                            .to = to};
    const int both = file->sides[0] && file->sides[1];
    hsp_status status = HSP_OK;
    if (!both && offset) {
        separability_alone(&m);
        return HSP_OK;
    }
    if (both) status = separability_twins(&m, err);
    if (!status && both && to->kind == HSP__SEPARABILITY_UNKNOWN)
        status = separability_soft(&m, err);
    if (!status && both && to->kind == HSP__SEPARABILITY_UNKNOWN)
        status = separability_machine(&m, err);
    if (!status && !separability_settled(&m)) status = separability_nearest(&m, err);
    if (!status && both && to->kind == HSP__SEPARABILITY_UNKNOWN)
        status = separability_some(&m, err);
    if (!status && (to->w.failed || to->b.failed || to->low.failed || to->high.failed ||
                    to->multipliers.failed))
        status = hsp__fail_memory(err);
    hsp__free(&ctx->allocator, m.w);
    separability_forget(&m);
    return status;
}

hsp_status hsp__separability_exact(hsp_context *ctx, const hsp__prove_file *file, int offset,
                                   double width, hsp_error *err, hsp__separation *to)
{
    separability_state m = {.ctx = ctx,
                            .file = file,
                            .view = file->rows,
                            .y = file->y,
                            .offset = offset,
                            .width = width,
                            .to = to};
    hsp_status status = HSP_OK;
    if (file->sides[0] && file->sides[1]) status = separability_twins(&m, err);
    if (!status && to->kind == HSP__SEPARABILITY_UNKNOWN) status = separability_nearest(&m, err);
    return status;
}

hsp_status hsp__prove_separability(hsp__prove *prove, hsp_error *err)
{
    if (prove->looked) return HSP_OK;
    hsp_status status = hsp__separability_find(prove->ctx, &prove->data, prove->offset,
                                               prove->width, err, &prove->separability);
    prove->looked = !status;
    return status;
}

/* ---- The claims ------------------------------------------------------------------------------ */

static hsp_status separability_claim_separable(hsp__prove *prove, hsp_error *err)
{
    const hsp__separation *s = &prove->separability;
    hsp__text *text = &prove->claims;
    hsp__prove_begin(prove, "separable");
    hsp__claim_flag(text, "\noffset", prove->offset);
    hsp__claim_open(text, "\nseparator", '{');
    hsp__claim_json(text, "w", &s->w);
    if (prove->offset) hsp__claim_word(text, "b", s->b.data);
    hsp__claim_close(text, '}');
    if (s->low.size) {
        hsp__claim_open(text, "\nmargin", '{');
        hsp__claim_word(text, "low", s->low.data);
        if (s->high.size) hsp__claim_word(text, "high", s->high.data);
        hsp__claim_close(text, '}');
    }
    if (s->multipliers.size) hsp__claim_json(text, "\nmultipliers", &s->multipliers);
    return hsp__prove_end(prove, err, "separable");
}

static hsp_status separability_claim_not(hsp__prove *prove, hsp_error *err)
{
    const hsp__separation *s = &prove->separability;
    hsp__text *text = &prove->claims;
    hsp__prove_begin(prove, "not separable");
    hsp__claim_flag(text, "\noffset", prove->offset);
    hsp__claim_json(text, "\nmultipliers", &s->multipliers);
    if (s->kind == HSP__SEPARABILITY_NEAR) hsp__claim_word(text, "\nepsilon", s->high.data);
    return hsp__prove_end(prove, err, "not separable");
}

hsp_status hsp__prove_separable(hsp__prove *prove, hsp_error *err)
{
    const int yes = hsp__prove_named(prove, "separable");
    const int no = hsp__prove_named(prove, "not separable");
    const char *kernel = hsp_options_text(prove->options, "kernel");
    if (kernel) return hsp__prove_separable_kernel(prove, kernel, err);
    hsp_status status = yes || no ? hsp__prove_separability(prove, err) : HSP_OK;
    if (status || (!yes && !no)) return status;
    const char *through = prove->offset ? "" : " through the origin";
    switch (prove->separability.kind) {
    case HSP__SEPARABILITY_SEPARABLE:
        if (!yes)
            return hsp__prove_skip(prove, err, "not separable", "a hyperplane%s separates the rows",
                                   through);
        return separability_claim_separable(prove, err);
    case HSP__SEPARABILITY_COMMON:
        if (!no)
            return hsp__prove_skip(
                prove, err, "separable",
                "no hyperplane%s separates the rows; the claim \"not separable\" holds instead",
                through);
        return separability_claim_not(prove, err);
    case HSP__SEPARABILITY_NEAR:
        if (!no)
            return hsp__prove_skip(prove, err, "separable",
                                   "no separator%s was found, and none has a margin above %s",
                                   through, prove->separability.high.data);
        return separability_claim_not(prove, err);
    default:
        return hsp__prove_skip(prove, err, yes ? "separable" : "not separable",
                               "the classes are closer than the arithmetic can resolve%s",
                               hsp__exact_there() ? "" : ", and this build is without GMP");
    }
}
