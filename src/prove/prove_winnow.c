/* The mistakes of winnow, within the bounds of its theorems (docs/winnow.md).
 *
 * A separator of known weight bounds them. Candidates are a disjunction, the lightest separator by
 * linear programming (min_l1_separator.c), and the model's own weights. Each is rounded to
 * decimals, and then the bound is computed from what those do on the rows. The lowest bound of all
 * is claimed.
 *
 * A disjunction: rows of zeros and ones whose label says whether one of r columns is on. Which
 * columns those are is looked for: none of them may be on in a negative row, and of those that are
 * not, the one that is on in most of the positive rows that are left is taken, again and again. Few
 * columns make a low bound; any will do for a true one.
 *
 * That there was such a run is shown by making it again (prove_winnow_replay.c). */
#include <assert.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "prove/retrain.h"
#include "prove/prove_winnow.h"
#include "prove/separability.h"

#define PROVE_WINNOW_PLACES 12 /* decimals of a separator whose largest weight is 1 */
#define PROVE_WINNOW_CLIP \
    1e-12                      /* scaled values leave [0,1] by less; the file's long decimals too */
#define PROVE_WINNOW_SURE 1e-9 /* relative: what a bound computed here may be off */

typedef struct prove_winnow_state {
    hsp__prove *prove;
    hsp__winnow_run run;
    uint64_t *count; /* rows: updates */
    uint64_t total;
    uint64_t passes;        /* of a cyclic run that was made again; 0: ... */
    uint64_t *sequence;     /* ... total: its updates in order; owned */
    double clip;            /* 0: no value is beyond 0 and 1 */
    unsigned char *in;      /* cols: the disjunction; NULL: not looked for */
    const char *no_columns; /* why there is none; NULL: there is */
    /* the best separator so far: */
    int64_t *best,
        *trial;   /* cols + 1: weights over 10^PROVE_WINNOW_PLACES; the last is the offset */
    double bound; /* infinite: none */
    double *v;    /* cols + 1 */
    hsp__min_l1 lightest; /* was it found, ... */
    double lightness;     /* ... and sum |v| / min y (<v,x> + b) of it, of balanced runs */
} prove_winnow_state;

/* ---- A disjunction --------------------------------------------------------------------------- */

typedef struct prove_winnow_cover {
    const hsp__prove_file *file;
    unsigned char *off; /* cols: on in a negative row, or taken */
    unsigned char *in;  /* cols: taken */
    unsigned char *met; /* rows: one of those taken is on */
    uint64_t *count;    /* cols: positive rows left that it is on in */
} prove_winnow_cover;

/* What no disjunction has; NULL: nothing. */
static const char *prove_winnow_look(prove_winnow_cover *m)
{
    const hsp_view *view = m->file->rows;
    for (uint64_t i = 0; i < view->rows; i++) {
        const hsp__row row = hsp__view_row(view, i);
        for (uint64_t k = 0; k < row.count; k++) {
            const double x = hsp__row_value(view, &row, k);
            if (x != 0 && x != 1)
                return "the bound of a disjunction is about rows of zeros and ones";
            if (x == 1 && m->file->y[i] < 0) m->off[hsp__row_column(&row, k)] = 1;
        }
    }
    return NULL;
}

/* One more column; 0: none is left that helps. */
static int prove_winnow_take(prove_winnow_cover *m)
{
    const hsp_view *view = m->file->rows;
    uint64_t best = view->cols;
    memset(m->count, 0, view->cols * sizeof *m->count);
    for (uint64_t i = 0; i < view->rows; i++) {
        const hsp__row row = hsp__view_row(view, i);
        for (uint64_t k = 0; m->file->y[i] > 0 && !m->met[i] && k < row.count; k++)
            m->count[hsp__row_column(&row, k)] += hsp__row_value(view, &row, k) == 1;
    }
    for (uint64_t j = 0; j < view->cols; j++)
        if (!m->off[j] && m->count[j] && (best == view->cols || m->count[j] > m->count[best]))
            best = j;
    if (best == view->cols) return 0;
    assert(m->count[best] > 0);
    m->in[best] = m->off[best] = 1;
    for (uint64_t i = 0; i < view->rows; i++) {
        const hsp__row row = hsp__view_row(view, i);
        for (uint64_t k = 0; k < row.count; k++)
            if (hsp__row_column(&row, k) == best && hsp__row_value(view, &row, k) == 1)
                m->met[i] = 1;
    }
    return 1;
}

static const char *prove_winnow_find(prove_winnow_cover *m)
{
    const char *why = prove_winnow_look(m);
    if (why) return why;
    while (prove_winnow_take(m))
        continue;
    for (uint64_t i = 0; i < m->file->rows->rows; i++)
        if (m->file->y[i] > 0 && !m->met[i]) return "the labels are not a disjunction of columns";
    return NULL;
}

static hsp_status prove_winnow_disjunction(hsp__prove *prove, hsp_error *err, unsigned char **in,
                                           const char **why)
{
    const hsp_allocator *memory = &prove->ctx->allocator;
    const uint64_t d = prove->data.rows->cols, n = prove->data.rows->rows;
    prove_winnow_cover m = {.file = &prove->data,
                            .off = hsp__new(memory, d, 1),
                            .in = hsp__new(memory, d, 1),
                            .met = hsp__new(memory, n, 1),
                            .count = hsp__new(memory, d, sizeof *m.count)};
    hsp_status status = m.off && m.in && m.met && m.count ? HSP_OK : hsp__fail_memory(err);
    if (!status) *why = prove_winnow_find(&m);
    hsp__free(memory, m.off);
    hsp__free(memory, m.met);
    hsp__free(memory, m.count);
    *in = m.in; /* the caller frees it, also after a failure */
    return status;
}

/* ---- The run --------------------------------------------------------------------------------- */

/* Updates per row; why they are not known, or NULL. */
static const char *prove_winnow_count(prove_winnow_state *m)
{
    const hsp__prove *prove = m->prove;
    const hsp_row_coefficients updates = hsp_model_row_coefficients(prove->model);
    const char *made = hsp_model_metadata(prove->model, "updates");
    char text[32];
    for (uint64_t k = 0; k < updates.count; k++) {
        const uint64_t i = updates.row[k];
        if (i >= prove->data.rows->rows || updates.amount[k] * prove->data.y[i] < 0)
            return "the run was on other rows than those of this file";
        m->count[i] += (uint64_t)llround(fabs(updates.amount[k]));
        m->total += (uint64_t)llround(fabs(updates.amount[k]));
    }
    snprintf(text, sizeof text, "%llu", (unsigned long long)m->total);
    return made && strcmp(made, text) == 0 ? NULL : "the model does not keep all its updates";
}

/* How far values are beyond 0 and 1, which scaling alone may make them by rounding. */
static const char *prove_winnow_values(prove_winnow_state *m)
{
    const hsp__prove_file *file = &m->prove->data;
    double beyond = 0, slack = 0;
    for (uint64_t i = 0; i < file->rows->rows; i++) {
        const hsp__row row = hsp__view_row(file->rows, i);
        for (uint64_t k = 0; k < row.count; k++) {
            const double x = hsp__row_value(file->rows, &row, k);
            beyond = fmax(beyond, fmax(-x, x - 1));
        }
    }
    for (uint64_t j = 0; file->slack && j < file->rows->cols; j++)
        slack = fmax(slack, file->slack[j]);
    if (beyond > (file->moved ? 1e-6 : 0)) return "some values are outside 0 to 1";
    if (file->moved || file->exact.long_count)
        m->clip = fmax(PROVE_WINNOW_CLIP, 2 * beyond + 1e-15 * slack);
    return m->clip > 1e-3 ? "scaling took away from each other numbers that are too large" : NULL;
}

static const char *prove_winnow_refuse(prove_winnow_state *m, const hsp_options *told)
{
    static const char *const names[] = {"winnow1", "winnow2", "balanced"};
    const hsp__prove *prove = m->prove;
    if (prove->why) return prove->why;
    for (int i = 0; i < 3; i++)
        if (strcmp(hsp_options_text(told, "variant"), names[i]) == 0)
            m->run.variant = (hsp__winnow_variant)i;
    const int balanced = m->run.variant == HSP__WINNOW_BALANCED;
    m->run.constant = balanced && strcmp(hsp_options_text(told, "offset"), "none") != 0;
    m->run.cyclic = strcmp(hsp_options_text(told, "order"), "cyclic") == 0;
    m->run.alpha = 1 + hsp_options_real(told, "delta");
    m->run.theta = hsp_options_is_set(told, "threshold") ? hsp_options_real(told, "threshold")
                   : balanced                            ? 0
                                                         : (double)prove->model->features;
    m->run.cols = prove->data.rows->cols;
    m->run.tie = prove->model->tie;
    if (balanced && m->run.theta != 0)
        return "the run was balanced with a threshold, and the theorem is for threshold 0";
    if (!balanced && !(m->run.theta > 0)) return "the theorems need a threshold above 0";
    if (!balanced && !prove->data.sides[1]) return "there are no positive rows";
    if (hsp_model_metadata(prove->model, "divided_by"))
        return "the model was converted to unit form";
    const char *why = prove_winnow_count(m);
    return why ? why : prove_winnow_values(m);
}

/* ---- The run, made again --------------------------------------------------------------------- */

/* Why it cannot be shown; NULL: it can. */
static hsp_status prove_winnow_replay(prove_winnow_state *m, hsp_error *err, const char **why)
{
    hsp__prove *prove = m->prove;
    const char *stop = hsp_model_metadata(prove->model, "stop");
    const char *passes = hsp_model_metadata(prove->model, "passes");
    const int whole = m->run.cyclic && stop && passes &&
                      (strcmp(stop, "passes") == 0 || strcmp(stop, "converged") == 0);
    hsp__exact_replay outcome = HSP__REPLAY_LONG;
    hsp_status status = HSP_OK;
    *why = NULL;
    if (whole) m->passes = strtoull(passes, NULL, 10);
    if (m->passes)
        status = hsp__winnow_replay(prove, &m->run, m->clip, m->passes, NULL, m->total, m->count,
                                    err, &outcome);
    if (!status && outcome == HSP__REPLAY_LONG) {
        m->passes = 0;
        status = hsp__retrain_sequence(prove, m->count, m->total, err, &m->sequence, why);
        if (!status && !*why)
            status = hsp__winnow_replay(prove, &m->run, m->clip, 0, m->sequence, m->total, m->count,
                                        err, &outcome);
    }
    if (!status && !*why && outcome == HSP__REPLAY_DIFFERS)
        *why = "replayed, the run makes other updates, or a score is so close to the threshold "
               "that rounding decided what was a mistake";
    if (!status && !*why && outcome == HSP__REPLAY_LONG)
        *why = "replaying the updates would take too long";
    return status;
}

/* ---- Separators ------------------------------------------------------------------------------ */

/* What a separator does on the rows: its weight and entropy; s of the two sides, worse than they
 * are by what sums may be off. */
typedef struct prove_winnow_sides {
    hsp__long weight, entropy, least, most;
} prove_winnow_sides;

static hsp__long prove_winnow_weight(const prove_winnow_state *m, uint64_t j)
{
    return (hsp__long)m->trial[j] / 1e12L;
}

static prove_winnow_sides prove_winnow_look_at(const prove_winnow_state *m)
{
    const hsp__prove_file *file = &m->prove->data;
    const uint64_t d = m->run.cols;
    const int balanced = m->run.variant == HSP__WINNOW_BALANCED;
    prove_winnow_sides s = {0, 0, HUGE_VALL, balanced ? -HUGE_VALL : 0};
    for (uint64_t i = 0; i < file->rows->rows; i++) {
        const hsp__row row = hsp__view_row(file->rows, i);
        hsp__long sum = prove_winnow_weight(m, d), size = fabsl(sum);
        for (uint64_t k = 0; k < row.count; k++) {
            const uint64_t j = hsp__row_column(&row, k);
            const hsp__long x = (hsp__long)hsp__row_value(file->rows, &row, k);
            const hsp__long term = prove_winnow_weight(m, j) * fminl(fmaxl(x, 0), 1);
            sum += term;
            size += fabsl(term);
            if (file->slack) size += fabsl(prove_winnow_weight(m, j)) * (hsp__long)file->slack[j];
        }
        if (file->y[i] > 0)
            s.least = fminl(s.least, sum - size * 0x1p-50L);
        else
            s.most = fmaxl(s.most, sum + size * 0x1p-50L);
    }
    for (uint64_t j = 0; j <= d; j++) {
        const hsp__long v = fabsl(prove_winnow_weight(m, j));
        s.weight += v;
        if (v > 0) s.entropy -= v * logl(v);
    }
    s.entropy = s.entropy / s.weight + logl(s.weight);
    assert(!(s.weight <= 0) && !(s.entropy < -1e-9L));
    return s;
}

/* (B) of docs/winnow.md; infinite where it does not apply. */
static double prove_winnow_balanced(const prove_winnow_state *m, const prove_winnow_sides *s)
{
    const hsp__long eta = logl((hsp__long)m->run.alpha), delta = (hsp__long)m->run.alpha - 1;
    const hsp__long g = fminl(s->least, -s->most),
                    spread = log1pl(delta * delta / (2 * (1 + delta)));
    const hsp__long gain = eta * g / s->weight - spread;
    const hsp__long N = (hsp__long)m->run.cols + (hsp__long)m->run.constant;
    if (!(g > 0) || !(gain > (hsp__long)PROVE_WINNOW_SURE * spread)) return HUGE_VAL;
    return (double)((logl(2 * N) - s->entropy) / gain);
}

/* (S), likewise. */
static double prove_winnow_plain(const prove_winnow_state *m, const prove_winnow_sides *s)
{
    const int first = m->run.variant == HSP__WINNOW_1;
    const hsp__long alpha = (hsp__long)m->run.alpha, delta = alpha - 1, eta = logl(alpha);
    const hsp__long n = (hsp__long)m->run.cols, theta = (hsp__long)m->run.theta;
    const hsp__long room = alpha * (s->least - s->most) / s->least - delta;
    for (uint64_t j = 0; j < m->run.cols; j++)
        if (m->trial[j] < 0) return HUGE_VAL;
    if (!(s->least > 0) || !isfinite(s->least) ||
        !(first ? s->most <= 0 : room > (hsp__long)PROVE_WINNOW_SURE))
        return HUGE_VAL;
    const hsp__long K = first ? alpha : (1 + alpha) / room, S = s->weight / s->least;
    const hsp__long Z = S * delta * theta * K / ((K - 1) * eta);
    return (double)(K * S / eta * (logl(Z) - 1 - s->entropy) + (K - 1) * n / (delta * theta));
}

/* The weights in m->v, cut to decimals; kept if their bound is the lowest. */
static prove_winnow_sides prove_winnow_try(prove_winnow_state *m)
{
    const int balanced = m->run.variant == HSP__WINNOW_BALANCED;
    double most = 0;
    if (!m->run.constant) m->v[m->run.cols] = 0;
    for (uint64_t j = 0; j <= m->run.cols; j++)
        most = fmax(most, fabs(m->v[j]));
    if (!(most > 0) || !isfinite(most)) return (prove_winnow_sides){0};
    for (uint64_t j = 0; j <= m->run.cols; j++)
        m->trial[j] = hsp__prove_grid((hsp__long)m->v[j] / (hsp__long)most, PROVE_WINNOW_PLACES);
    const prove_winnow_sides sides = prove_winnow_look_at(m);
    const double bound =
        balanced ? prove_winnow_balanced(m, &sides) : prove_winnow_plain(m, &sides);
    if (bound < m->bound) {
        int64_t *swap = m->best;
        m->best = m->trial;
        m->trial = swap;
        m->bound = bound;
    }
    return sides;
}

/* The widest separator, where the lightest is not known. */
static hsp_status prove_winnow_try_widest(prove_winnow_state *m, hsp_error *err)
{
    hsp_status status = hsp__prove_separability(m->prove, err);
    const hsp__separation *apart = &m->prove->separability;
    if (status || apart->kind != HSP__SEPARABILITY_SEPARABLE || !apart->weights) return status;
    memcpy(m->v, apart->weights, m->run.cols * sizeof *m->v);
    m->v[m->run.cols] = apart->bias;
    prove_winnow_try(m);
    return HSP_OK;
}

/* All candidates. */
static hsp_status prove_winnow_search(prove_winnow_state *m, hsp_error *err)
{
    assert(m->run.alpha > 1 && m->best != m->trial && !isfinite(m->bound));
    const hsp_model *model = m->prove->model;
    const uint64_t d = m->run.cols;
    const int balanced = m->run.variant == HSP__WINNOW_BALANCED;
    hsp_status status = HSP_OK;
    if (!balanced) {
        status = prove_winnow_disjunction(m->prove, err, &m->in, &m->no_columns);
        if (status) return status;
        for (uint64_t j = 0; j < d; j++)
            m->v[j] = m->in[j];
        if (!m->no_columns) prove_winnow_try(m);
    }
    status = hsp__prove_min_l1(m->prove, &m->run, err, m->v, &m->lightest);
    if (!status && m->lightest == HSP__LIGHTEST_FOUND) {
        const prove_winnow_sides s = prove_winnow_try(m);
        m->lightness = (double)(s.weight / fminl(s.least, -s.most));
    } else if (!status && balanced && m->lightest != HSP__LIGHTEST_NONE) {
        status = prove_winnow_try_widest(m, err);
    }
    for (uint64_t j = 0; j < d; j++)
        m->v[j] = j < model->features ? model->weights[j] : 0;
    m->v[d] = model->offsets[0];
    if (!status) prove_winnow_try(m);
    return status;
}

/* ---- Why there is none ----------------------------------------------------------------------- */

static const char *prove_winnow_unknown(hsp__min_l1 outcome)
{
    if (outcome == HSP__LIGHTEST_LATE)
        return " that suffices, and the linear program that finds the best one took too long";
    if (outcome == HSP__LIGHTEST_UNKNOWN)
        return " that suffices, and this build has no linear programming to find the best one";
    return ", and the bound needs one";
}

static hsp_status prove_winnow_skip_balanced(prove_winnow_state *m, hsp_error *err)
{
    const double W = m->lightness;
    if (!(W > 0))
        return hsp__prove_skip(
            m->prove, err, "mistakes", "no separator of these rows%s was found%s",
            m->run.constant ? "" : " through the origin", prove_winnow_unknown(m->lightest));
    return hsp__prove_skip(
        m->prove, err, "mistakes",
        "delta = %.6g is too large for these rows: the bound needs ln(1+delta)/W above ln cosh "
        "ln(1+delta), and W = sum |v| / min y<v,x> is %.6g at best; train with --delta %.3g",
        m->run.alpha - 1, W, expm1(1 / W));
}

static hsp_status prove_winnow_skip(prove_winnow_state *m, hsp_error *err)
{
    const char *columns = m->no_columns ? m->no_columns : "the disjunction is of no use here";
    hsp__winnow_run apart = m->run;
    hsp__min_l1 again = m->lightest;
    hsp_status status = HSP_OK;
    if (m->run.variant == HSP__WINNOW_BALANCED) return prove_winnow_skip_balanced(m, err);
    if (m->run.variant == HSP__WINNOW_1)
        return hsp__prove_skip(m->prove, err, "mistakes",
                               "%s, and no weights v >= 0 were found that are 0 on all negative "
                               "rows and above 0 on positive ones, which winnow1 needs",
                               columns);
    apart.alpha = 1; /* is it the rate, or are there none at all? */
    if (again == HSP__LIGHTEST_NONE)
        status = hsp__prove_min_l1(m->prove, &apart, err, m->v, &again);
    if (status) return status;
    if (again != HSP__LIGHTEST_FOUND)
        return hsp__prove_skip(m->prove, err, "mistakes",
                               "%s, and no weights v >= 0 were found with <v,x> above 1 + delta "
                               "times as large on positive rows as on negative ones%s",
                               columns,
                               again == HSP__LIGHTEST_LATE
                                   ? ": the linear program that finds them took too long"
                                   : "");
    const prove_winnow_sides s = prove_winnow_try(m);
    return hsp__prove_skip(m->prove, err, "mistakes",
                           "%s, and delta = %.6g is too large for the bound of a separator, which "
                           "needs <v,x> on positive rows above 1 + delta times that on negative "
                           "ones: for the v >= 0 of smallest sum it is at least %.6g on positive "
                           "rows and at most %.6g on negative ones; train with --delta %.3g",
                           columns, m->run.alpha - 1, (double)s.least, (double)s.most,
                           (double)((s.least - s.most) / (2 * s.least)));
}

/* ---- The claim ------------------------------------------------------------------------------- */

static hsp_status prove_winnow_claim(prove_winnow_state *m, hsp_error *err)
{
    static const char *const names[] = {"winnow1", "winnow2", "balanced"};
    hsp__prove *prove = m->prove;
    hsp__text *text = &prove->claims;
    const uint64_t d = m->run.cols;
    hsp__prove_begin(prove, "mistakes");
    hsp__claim_word(text, "learner", "winnow");
    hsp__claim_word(text, "variant", names[m->run.variant]);
    hsp__claim_exact(text, "alpha", m->run.alpha);
    if (m->run.variant == HSP__WINNOW_BALANCED) {
        hsp__claim_word(text, "offset", m->run.constant ? "unit" : "none");
    } else {
        hsp__claim_short(text, "threshold", m->run.theta);
    }
    hsp__claim_tie(text, "tie", m->run.tie);
    hsp__claim_open(text, "\nseparator", '{');
    hsp__claim_list_grid(text, "w", NULL, m->best, d, PROVE_WINNOW_PLACES, 1);
    if (m->best[d]) hsp__claim_grid(text, "b", m->best[d], PROVE_WINNOW_PLACES);
    hsp__claim_close(text, '}');
    if (m->clip > 0) hsp__claim_bound(text, "clip", (hsp__long)m->clip, 2, 1);
    hsp__claim_order(text, m->passes, m->sequence, m->total);
    return hsp__prove_end(prove, err, "mistakes");
}

static hsp_status prove_winnow_prove(prove_winnow_state *m, hsp_error *err)
{
    const char *why;
    hsp_status status = prove_winnow_search(m, err);
    if (status) return status;
    const double bound = m->bound;
    if (!isfinite(bound)) return prove_winnow_skip(m, err);
    if ((double)m->total > bound * (1 - PROVE_WINNOW_SURE))
        return hsp__prove_skip(
            m->prove, err, "mistakes",
            "%llu mistakes are more than the bound, %.6g: this is not a run on these rows",
            (unsigned long long)m->total, bound);
    status = prove_winnow_replay(m, err, &why);
    if (!status && why) return hsp__prove_skip(m->prove, err, "mistakes", "%s", why);
    return status ? status : prove_winnow_claim(m, err);
}

hsp_status hsp__prove_winnow(hsp__prove *prove, const hsp_options *told, hsp_error *err)
{
    const hsp_allocator *memory = &prove->ctx->allocator;
    const uint64_t d = prove->data.rows->cols;
    prove_winnow_state m = {.prove = prove,
                            .count = hsp__new(memory, prove->data.rows->rows, sizeof *m.count),
                            .best = hsp__new(memory, d + 1, sizeof *m.best),
                            .trial = hsp__new(memory, d + 1, sizeof *m.trial),
                            .v = hsp__new(memory, d + 1, sizeof *m.v),
                            .bound = HUGE_VAL};
    hsp_status status = m.count && m.best && m.trial && m.v ? HSP_OK : hsp__fail_memory(err);
    const char *why = status ? NULL : prove_winnow_refuse(&m, told);
    if (!status && why)
        status = hsp__prove_skip(prove, err, "mistakes", "%s", why);
    else if (!status)
        status = prove_winnow_prove(&m, err);
    hsp__free(memory, m.in);
    hsp__free(memory, m.sequence);
    hsp__free(memory, m.count);
    hsp__free(memory, m.best);
    hsp__free(memory, m.trial);
    hsp__free(memory, m.v);
    return status;
}
