/* The mistakes of a perceptron run, within the bounds of its theorems.
 *
 * The counts of updates per row that a model keeps rebuild its weights. That there was such a run
 * is shown by making it again, with the decimals of the file in exact arithmetic: a cyclic one by
 * itself, any other from the sequence of its updates, which the learner tells when it runs again
 * (retrain.c). Where rounding decided, the exact run differs, and there is no claim.
 *
 * The run took place in the space of x~ = (x, c) (measure/audit.h), and there the bounds ask for a
 * separator through the origin: the widest one, which is found on rows that have the column c
 * appended. Any other would do, with a weaker bound. Where there is none, the weights of a soft
 * margin and g = 1 give the inseparable form, or that of a soft run. */
#include <assert.h>
#include <float.h>
#include <math.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "measure/audit.h"
#include "measure/reference.h"
#include "prove/model_separator.h"
#include "prove/prove_experts.h"
#include "prove/retrain.h"
#include "prove/separability.h"

typedef struct prove_mistakes_state {
    hsp__prove *prove;
    hsp__audit_plan plan;
    uint64_t *count;    /* rows: updates */
    int cyclic;         /* all rows in turn, in whole passes; else ... */
    uint64_t *sequence; /* ... plan.updates: the rows, in order; owned */
    double radius, constant, tau;
    double *w; /* cols: w*, */
    double b;  /* b* */
    int separates;
    hsp__long margin; /* then: min y s*, less what it may be off */
} prove_mistakes_state;

/* A positive row with a score of 0 is right. */
static int prove_mistakes_tie_positive(const prove_mistakes_state *m)
{
    return m->tau == 0 && m->prove->model->tie == HSP_TIE_POS;
}

static const char *prove_mistakes_counts(prove_mistakes_state *m)
{
    const hsp_row_coefficients updates = hsp_model_row_coefficients(m->prove->model);
    const hsp__prove_file *file = &m->prove->data;
    uint64_t total = 0;
    for (uint64_t k = 0; k < updates.count; k++) {
        const uint64_t i = updates.row[k];
        if (i >= file->rows->rows || updates.amount[k] * file->y[i] < 0)
            return "the run was on other rows than those of this file";
        const double times = fabs(updates.amount[k]) / m->plan.rate;
        if (!(fabs(times - nearbyint(times)) < 1e-6 * times) || times > 0x1p53)
            return "the updates in the model are not whole numbers";
        m->count[i] += (uint64_t)llround(times);
        total += (uint64_t)llround(times);
    }
    return total == m->plan.updates ? NULL : "the model does not keep all its updates";
}

static void prove_mistakes_radius(prove_mistakes_state *m)
{
    const hsp_view *view = m->prove->data.rows;
    for (uint64_t i = 0; i < view->rows; i++) {
        const hsp__row row = hsp__view_row(view, i);
        double square = 0;
        for (uint64_t k = 0; k < row.count; k++)
            square += hsp__row_value(view, &row, k) * hsp__row_value(view, &row, k);
        m->radius = fmax(m->radius, sqrt(square));
    }
    static const int fixed[] = {[HSP__AUDIT_NONE] = 0, [HSP__AUDIT_UNIT] = 1};
    m->constant = m->plan.offset == HSP__AUDIT_APPEND ? m->plan.constant
                  : m->plan.offset == HSP__AUDIT_R2   ? m->radius
                                                      : fixed[m->plan.offset];
    m->tau = m->plan.tau * (m->plan.tau_relative ? m->radius : 1);
    assert(!(m->radius < 0) && !(m->constant < 0) && !(m->tau < 0) && m->plan.rate > 0);
}

/* ---- A separator in the space of the run ----------------------------------------------------- */

/* The same rows with a column of c behind them. */
static hsp_status prove_mistakes_append(const prove_mistakes_state *m, hsp_error *err,
                                        hsp_data **out)
{
    const hsp_view *view = m->prove->data.rows;
    const uint64_t n = view->rows, d = view->cols;
    const int dense = view->storage == HSP_DENSE;
    uint64_t stored = 0;
    for (uint64_t i = 0; i < n; i++)
        stored += hsp__view_row(view, i).count + 1;
    hsp_status status = hsp__data_shape(m->prove->ctx, dense ? HSP_DENSE : HSP_SPARSE, HSP_FLOAT64,
                                        n, d + 1, stored, 1, err, out);
    if (status) return status;
    hsp_data *made = *out;
    double *values = made->values;
    for (uint64_t i = 0, at = 0; i < n; i++) {
        const hsp__row row = hsp__view_row(view, i);
        made->labels[i] = m->prove->data.y[i] > 0;
        for (uint64_t k = 0; k < row.count; k++, at++) {
            values[at] = hsp__row_value(view, &row, k);
            if (!dense) made->indices[at] = (uint32_t)hsp__row_column(&row, k);
        }
        values[at] = m->constant;
        if (!dense) made->indices[at] = (uint32_t)d;
        at++;
        if (!dense) made->starts[i + 1] = at;
    }
    made->nonzeros = stored;
    made->view.classes = 2;
    status = hsp__data_copy_names(made, m->prove->data.data, err);
    hsp__names_free(&made->feature_names);
    hsp__names_init(&made->feature_names, &made->memory);
    if (!status) hsp__data_seal(made);
    return status;
}

/* w* and b* of weights in that space, at most 1 large. */
static void prove_mistakes_take(prove_mistakes_state *m, const double *weights)
{
    const uint64_t d = m->prove->data.rows->cols;
    double most = 0;
    for (uint64_t j = 0; j < d + (m->constant > 0); j++)
        most = fmax(most, fabs(weights[j]));
    for (uint64_t j = 0; most > 0 && j < d; j++)
        m->w[j] = weights[j] / most;
    m->b = m->constant > 0 && most > 0 ? weights[d] / most * m->constant : 0;
    for (uint64_t j = 0; j < d; j++)
        assert(!(fabs(m->w[j]) > 1));
}

/* min y s*(x), less what it may be off. */
static hsp__long prove_mistakes_margin(const prove_mistakes_state *m)
{
    const hsp__prove_file *file = &m->prove->data;
    hsp__long least = HUGE_VALL;
    for (uint64_t i = 0; i < file->rows->rows; i++) {
        const hsp__row row = hsp__view_row(file->rows, i);
        hsp__long sum = (hsp__long)m->b, size = fabsl(sum);
        for (uint64_t k = 0; k < row.count; k++) {
            const uint64_t j = hsp__row_column(&row, k);
            const hsp__long w = (hsp__long)m->w[j];
            const hsp__long term = w * (hsp__long)hsp__row_value(file->rows, &row, k);
            sum += term;
            size += fabsl(term) + (file->slack ? fabsl(w) * (hsp__long)file->slack[j] : 0);
        }
        least = fminl(least, (hsp__long)file->y[i] * sum - size * 0x1p-50L);
    }
    return least;
}

static hsp_status prove_mistakes_widest(prove_mistakes_state *m, hsp_error *err)
{
    hsp__prove *prove = m->prove;
    hsp__prove_file space = prove->data; /* borrowed, but for rows with the column c */
    hsp_data *rows = NULL;
    hsp__separation found;
    hsp_status status = HSP_OK;
    hsp__separation_init(&found, &prove->ctx->allocator);
    if (m->constant > 0) {
        status = prove_mistakes_append(m, err, &rows);
        if (!status) status = hsp_data_view(prove->ctx, rows, err, &space.rows);
        space.moved = rows;
        space.slack = NULL;
        space.exact.view = space.rows;
        space.exact.long_count = 0;
    }
    if (!status) status = hsp__separability_find(prove->ctx, &space, 0, prove->width, err, &found);
    if (!status && found.kind == HSP__SEPARABILITY_SEPARABLE && found.weights) {
        prove_mistakes_take(m, found.weights);
        m->margin = prove_mistakes_margin(m);
        m->separates = m->margin > 0;
    }
    hsp__separation_free(&found);
    hsp_data_free(rows);
    return status;
}

/* The weights of a soft margin with C = 1, and g = 1. */
static hsp_status prove_mistakes_soft(prove_mistakes_state *m, hsp_error *err)
{
    const hsp_view *view = m->prove->data.rows;
    hsp__fitted fitted;
    hsp_status status = hsp__reference_soft(m->prove->ctx, view, m->constant > 0, err, &fitted);
    if (!status) memcpy(m->w, fitted.w, view->cols * sizeof *m->w);
    if (!status) m->b = m->constant > 0 ? fitted.b : 0;
    hsp__fitted_free(&fitted);
    return status;
}

/* ---- The run, made again --------------------------------------------------------------------- */

static hsp__exact_run prove_mistakes_run(const prove_mistakes_state *m)
{
    static const char offsets[] = {[HSP__AUDIT_NONE] = 'n',
                                   [HSP__AUDIT_UNIT] = 'u',
                                   [HSP__AUDIT_R2] = 'r',
                                   [HSP__AUDIT_APPEND] = 'a'};
    return (hsp__exact_run){.scaling = m->prove->scaling,
                            .offset = offsets[m->plan.offset],
                            .constant = m->plan.constant,
                            .rate = m->plan.rate,
                            .tau = m->tau,
                            .soft = m->plan.soft,
                            .tie_positive = prove_mistakes_tie_positive(m)};
}

/* All rows in turn. */
static hsp_status prove_mistakes_passes(prove_mistakes_state *m, uint64_t *again, hsp_error *err,
                                        hsp__exact_replay *outcome)
{
    const hsp__exact_run run = prove_mistakes_run(m);
    hsp_status status = hsp__exact_replay_run(m->prove->ctx, &m->prove->data.exact, &run,
                                              m->plan.passes, NULL, 0, again, err, outcome, NULL);
    for (uint64_t i = 0; !status && *outcome == HSP__REPLAY_SAME && i < m->prove->data.rows->rows;
         i++)
        if (again[i] != m->count[i]) *outcome = HSP__REPLAY_DIFFERS;
    m->cyclic = !status && *outcome == HSP__REPLAY_SAME;
    return status;
}

/* The updates in their order. */
static hsp_status prove_mistakes_sequence(prove_mistakes_state *m, uint64_t *again, hsp_error *err,
                                          hsp__exact_replay *outcome, const char **why)
{
    const hsp__exact_run run = prove_mistakes_run(m);
    uint64_t at;
    hsp_status status =
        hsp__retrain_sequence(m->prove, m->count, m->plan.updates, err, &m->sequence, why);
    if (status || *why) return status;
    memset(again, 0, m->prove->data.rows->rows * sizeof *again);
    return hsp__exact_replay_run(m->prove->ctx, &m->prove->data.exact, &run, 0, m->sequence,
                                 m->plan.updates, again, err, outcome, &at);
}

/* Why the run cannot be shown; NULL: it can. */
static hsp_status prove_mistakes_replay(prove_mistakes_state *m, hsp_error *err, const char **why)
{
    const hsp_allocator *memory = &m->prove->ctx->allocator;
    const char *stop = hsp_model_metadata(m->prove->model, "stop");
    const int whole =
        m->plan.cyclic && stop && (strcmp(stop, "passes") == 0 || strcmp(stop, "converged") == 0);
    hsp__exact_replay outcome = HSP__REPLAY_LONG;
    uint64_t *again = hsp__new(memory, m->prove->data.rows->rows, sizeof *again);
    hsp_status status = again ? HSP_OK : hsp__fail_memory(err);
    *why = NULL;
    if (!status && whole) status = prove_mistakes_passes(m, again, err, &outcome);
    if (!status && outcome == HSP__REPLAY_LONG)
        status = prove_mistakes_sequence(m, again, err, &outcome, why);
    if (!status && !*why && outcome == HSP__REPLAY_DIFFERS)
        *why = "replayed on the decimals of the file in exact arithmetic, the run makes other "
               "updates: rounding decided what was a mistake";
    if (!status && !*why && outcome == HSP__REPLAY_LONG)
        *why = "replaying the updates in exact arithmetic would take too long";
    hsp__free(memory, again);
    return status;
}

/* ---- What the run ended with ----------------------------------------------------------------- */

/* The sum of count y x, times the rate; *off is more than any entry is off by: values in
 * memory are not the decimals of the file, and sums are rounded. */
static hsp_status prove_mistakes_rebuild(const prove_mistakes_state *m, hsp_error *err,
                                         hsp__long **out, hsp__long *bias, hsp__long *off)
{
    const hsp__prove_file *file = &m->prove->data;
    hsp__long *sum = hsp__new(&m->prove->ctx->allocator, file->rows->cols, sizeof *sum);
    hsp__long turn = 0, total = 0, largest = (hsp__long)m->constant * (hsp__long)m->constant;
    hsp__long slack = 0;
    if (!sum) return hsp__fail_memory(err);
    for (uint64_t j = 0; file->slack && j < file->rows->cols; j++)
        slack = fmaxl(slack, (hsp__long)file->slack[j]);
    for (uint64_t i = 0; i < file->rows->rows; i++) {
        if (!m->count[i]) continue;
        const hsp__row row = hsp__view_row(file->rows, i);
        const hsp__long by =
            (hsp__long)m->count[i] * (hsp__long)file->y[i] * (hsp__long)m->plan.rate;
        for (uint64_t k = 0; k < row.count; k++) {
            const hsp__long value = (hsp__long)hsp__row_value(file->rows, &row, k);
            sum[hsp__row_column(&row, k)] += by * value;
            largest = fmaxl(largest, fabsl(value));
        }
        turn += by;
        total += fabsl(by);
    }
    *off = total * (largest + slack) * 1e-14L;
    *bias = turn * (hsp__long)m->constant * (hsp__long)m->constant;
    *out = sum;
    return HSP_OK;
}

/* The model's weights compared with the rebuilt ones. */
static void prove_mistakes_write_model(const prove_mistakes_state *m, const hsp__long *w,
                                       hsp__long b, hsp__long off)
{
    const hsp_model *model = m->prove->model;
    hsp__text *text = &m->prove->claims;
    hsp__long most = fabsl(b - (hsp__long)model->offsets[0]);
    for (uint64_t j = 0; j < m->prove->data.rows->cols; j++) {
        const double own = j < model->features ? model->weights[j] : 0;
        most = fmaxl(most, fabsl(w[j] - (hsp__long)own));
    }
    hsp__claim_open(text, "\nmodel", '{');
    hsp__claim_list(text, "w", NULL, model->weights,
                    model->features < m->prove->data.rows->cols ? model->features
                                                                : m->prove->data.rows->cols,
                    hsp__claim_exact);
    hsp__claim_exact(text, "b", model->offsets[0]);
    hsp__claim_bound(text, "within", most * 1.0001L + off, 2, 1);
    hsp__claim_close(text, '}');
}

/* Does the rebuilt separator put every row where it should be, beyond what rounding can do? */
static int prove_mistakes_converged(const prove_mistakes_state *m, const hsp__long *w, hsp__long b)
{
    const hsp__prove_file *file = &m->prove->data;
    for (uint64_t i = 0; i < file->rows->rows; i++) {
        const hsp__row row = hsp__view_row(file->rows, i);
        hsp__long sum = b, size = fabsl(b);
        for (uint64_t k = 0; k < row.count; k++) {
            const uint64_t j = hsp__row_column(&row, k);
            const hsp__long term = w[j] * (hsp__long)hsp__row_value(file->rows, &row, k);
            sum += term;
            size += fabsl(term) + (file->slack ? fabsl(w[j]) * (hsp__long)file->slack[j] : 0);
        }
        /* what a soft run has in the row's own coordinate */
        const hsp__long own = (hsp__long)m->plan.soft * (hsp__long)m->plan.soft *
                              (hsp__long)m->plan.rate * (hsp__long)m->count[i];
        if (!((hsp__long)file->y[i] * sum + own * (1 - 0x1p-50L) >
              (hsp__long)m->tau + size * 1e-13L))
            return 0;
    }
    return 1;
}

/* ---- The claim ------------------------------------------------------------------------------- */

static void prove_mistakes_write_run(const prove_mistakes_state *m)
{
    static const char *const offsets[] = {"none", "unit", "r2", "append"};
    hsp__text *text = &m->prove->claims;
    hsp__claim_word(text, "learner", "perceptron");
    hsp__claim_word(text, "offset", offsets[m->plan.offset]);
    if (m->plan.offset == HSP__AUDIT_APPEND) hsp__claim_short(text, "constant", m->plan.constant);
    hsp__claim_short(text, "rate", m->plan.rate);
    hsp__claim_short(text, "margin_target", m->tau);
    if (prove_mistakes_tie_positive(m)) hsp__claim_tie(text, "tie", HSP_TIE_POS);
    hsp__claim_order(text, m->cyclic ? m->plan.passes : 0, m->sequence, m->plan.updates);
    if (!m->cyclic && !m->separates && !(m->plan.soft > 0))
        hsp__claim_count(text, "passes", m->plan.passes);
}

static void prove_mistakes_write_reference(const prove_mistakes_state *m)
{
    hsp__text *text = &m->prove->claims;
    hsp__claim_open(text, "\nseparator", '{');
    hsp__claim_list(text, "w", NULL, m->w, m->prove->data.rows->cols, hsp__claim_short);
    if (m->b != 0) hsp__claim_short(text, "b", m->b);
    hsp__claim_close(text, '}');
    if (!m->separates || m->plan.soft > 0) {
        if (m->separates)
            hsp__claim_bound(text, "functional_margin", m->margin, 6, 0);
        else
            hsp__claim_word(text, "functional_margin", "1");
    }
    if (m->plan.soft > 0) hsp__claim_short(text, "soft", m->plan.soft);
}

static hsp_status prove_mistakes_claim(prove_mistakes_state *m, hsp_error *err)
{
    hsp__prove *prove = m->prove;
    hsp__long *last = NULL, bias = 0, off = 0;
    const char *why;
    hsp_status status = prove_mistakes_replay(m, err, &why);
    if (!status && why) return hsp__prove_skip(prove, err, "mistakes", "%s", why);
    if (!status) status = prove_mistakes_widest(m, err);
    if (!status && !m->separates) {
        if (!m->plan.passes && !(m->plan.soft > 0))
            return hsp__prove_skip(prove, err, "mistakes",
                                   "the rows were picked by their mistakes, and no separator was "
                                   "found that bounds such a run");
        status = prove_mistakes_soft(m, err);
    }
    if (!status) status = prove_mistakes_rebuild(m, err, &last, &bias, &off);
    if (status) return status;
    hsp__prove_begin(prove, "mistakes");
    prove_mistakes_write_run(m);
    if (!m->plan.averaged && prove->model->hypothesis == HSP__LINEAR)
        prove_mistakes_write_model(m, last, bias, off);
    if (prove_mistakes_converged(m, last, bias)) hsp__claim_flag(&prove->claims, "converged", 1);
    prove_mistakes_write_reference(m);
    hsp__free(&prove->ctx->allocator, last);
    return hsp__prove_end(prove, err, "mistakes");
}

/* Why the run is none that the claim is about; NULL: it is one. */
static const char *prove_mistakes_refuse(prove_mistakes_state *m)
{
    const hsp_model *model = m->prove->model;
    if (m->prove->why) return m->prove->why;
    if (hsp__model_kernel(model)) return "runs with a kernel are not certified";
    if (hsp_model_metadata(model, "divided_by")) return "the model was converted to unit form";
    if (!m->prove->data.rows->rows) return "there are no rows";
    return prove_mistakes_counts(m);
}

hsp_status hsp__prove_mistakes(hsp__prove *prove, hsp_error *err)
{
    const hsp_allocator *memory = &prove->ctx->allocator;
    const char *learner = prove->model ? hsp_model_metadata(prove->model, "learner") : NULL;
    if (!hsp__prove_named(prove, "mistakes")) return HSP_OK;
    if (learner && (strcmp(learner, "winnow") == 0 || strcmp(learner, "experts") == 0))
        return hsp__prove_experts(prove, learner, err);
    if (!learner || strcmp(learner, "perceptron") != 0) {
        if (!hsp_options_list_count(prove->options, "claim")) return HSP_OK;
        return hsp__prove_skip(prove, err, "mistakes",
                               "it needs --model with a model of perceptron, winnow or experts");
    }
    prove_mistakes_state m = {.prove = prove};
    hsp_status status = hsp__audit_read_plan(prove->model, err, &m.plan);
    if (status == HSP_USAGE)
        return hsp__prove_skip(prove, err, "mistakes", "%s", err ? err->message : "no such run");
    m.count = hsp__new(memory, prove->data.rows->rows, sizeof *m.count);
    m.w = hsp__new(memory, prove->data.rows->cols, sizeof *m.w);
    if (!status && (!m.count || !m.w)) status = hsp__fail_memory(err);
    const char *why = status ? NULL : prove_mistakes_refuse(&m);
    if (why) status = hsp__prove_skip(prove, err, "mistakes", "%s", why);
    if (!status && !why) prove_mistakes_radius(&m);
    if (!status && !why) status = prove_mistakes_claim(&m, err);
    hsp__free(memory, m.count);
    hsp__free(memory, m.sequence);
    hsp__free(memory, m.w);
    return status;
}
