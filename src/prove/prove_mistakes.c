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
#include <float.h>
#include <stdio.h>

#include "base/base.h"
#include "data/scale.h"
#include "prove/prove.h"

typedef struct prove_mistakes_state {
    hsp__prove *prove;
    hsp__audit_plan plan;
    uint64_t *count;    /* rows: updates */
    int cyclic;         /* all rows in turn, in whole passes; else ... */
    uint64_t *sequence; /* ... plan.updates: the rows, in order */
    double constant, tau;
    int tie_positive; /* a positive row with a score of 0 is right */
    double *w;        /* cols: w*, */
    double b;         /* b* */
    int separates;
    hsp__long margin; /* then: min y s*, less what it may be off */
} prove_mistakes_state;

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
    HSP__TRY(hsp__data_shape(m->prove->ctx, dense ? HSP_DENSE : HSP_SPARSE, HSP_FLOAT64, n, d + 1,
                             stored, 1, err, out));
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
    const hsp_status status = hsp__data_copy_names(made, m->prove->data.data, err);
    hsp__names_free(&made->feature_names);
    hsp__names_init(&made->feature_names, &made->memory);
    if (!status) hsp__data_seal(made);
    return status;
}

/* w* and b*, at most 1 large, of weights in that space, and their margin. */
static void prove_mistakes_take(prove_mistakes_state *m, const double *weights)
{
    const hsp__prove_file *file = &m->prove->data;
    const uint64_t d = file->rows->cols;
    double most = 0;
    for (uint64_t j = 0; j < d + (m->constant > 0); j++)
        most = fmax(most, fabs(weights[j]));
    for (uint64_t j = 0; most > 0 && j < d; j++) {
        m->w[j] = weights[j] / most;
        assert(!(fabs(m->w[j]) > 1));
    }
    m->b = m->constant > 0 && most > 0 ? weights[d] / most * m->constant : 0;
    m->margin = HUGE_VALL;
    for (uint64_t i = 0; i < file->rows->rows; i++) {
        hsp__long size = fabsl((hsp__long)m->b);
        const hsp__long sum = hsp__prove_score(file, i, m->w, d, (hsp__long)m->b, &size);
        m->margin = fminl(m->margin, (hsp__long)file->y[i] * sum - size * 0x1p-50L);
    }
    m->separates = m->margin > 0;
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
        space.scaled = rows;
        space.slack = NULL;
        space.exact.view = space.rows;
        space.exact.long_count = 0;
    }
    if (!status)
        status = hsp__separability_find(prove->ctx, &space, 0, prove->width, 0, err, &found);
    if (!status && found.kind == HSP__SEPARABILITY_SEPARABLE && found.weights)
        prove_mistakes_take(m, found.weights);
    hsp__separation_free(&found);
    hsp_data_free(rows);
    if (status || m->separates || (!m->plan.passes && !(m->plan.soft > 0))) return status;
    /* the weights of a soft margin with C = 1, and g = 1 */
    hsp__fitted fitted;
    const hsp_view *view = prove->data.rows;
    status = hsp__reference_soft(prove->ctx, view, m->constant > 0, err, &fitted);
    if (!status) memcpy(m->w, fitted.w, view->cols * sizeof *m->w);
    if (!status) m->b = m->constant > 0 ? fitted.b : 0;
    hsp__fitted_free(&fitted);
    return status;
}

/* ---- The run, made again --------------------------------------------------------------------- */

/* Why the run cannot be shown; NULL: it can. */
static hsp_status prove_mistakes_replay(prove_mistakes_state *m, hsp_error *err, const char **why)
{
    static const char offsets[] = {[HSP__AUDIT_NONE] = 'n',
                                   [HSP__AUDIT_UNIT] = 'u',
                                   [HSP__AUDIT_R2] = 'r',
                                   [HSP__AUDIT_APPEND] = 'a'};
    hsp__prove *prove = m->prove;
    const uint64_t n = prove->data.rows->rows;
    const char *stop = hsp_model_metadata(prove->model, "stop");
    const hsp__exact_run run = {.scaling = prove->scaling,
                                .offset = offsets[m->plan.offset],
                                .constant = m->plan.constant,
                                .rate = m->plan.rate,
                                .tau = m->tau,
                                .soft = m->plan.soft,
                                .tie_positive = m->tie_positive};
    hsp__exact_replay outcome = HSP__REPLAY_LONG;
    uint64_t *again = hsp__scratch_new(&prove->scratch, n, sizeof *again), at;
    if (!again) return hsp__fail_memory(err);
    *why = NULL;
    if (m->plan.cyclic && stop && (strcmp(stop, "passes") == 0 || strcmp(stop, "converged") == 0)) {
        HSP__TRY(hsp__exact_replay_run(prove->ctx, &prove->data.exact, &run, m->plan.passes, NULL,
                                       0, again, err, &outcome, NULL));
        if (outcome == HSP__REPLAY_SAME && memcmp(again, m->count, n * sizeof *again) != 0)
            outcome = HSP__REPLAY_DIFFERS;
        m->cyclic = outcome == HSP__REPLAY_SAME;
    }
    if (outcome == HSP__REPLAY_LONG) { /* the updates in their order */
        HSP__TRY(hsp__retrain_sequence(prove, m->count, m->plan.updates, err, &m->sequence, why));
        if (*why) return HSP_OK;
        memset(again, 0, n * sizeof *again);
        HSP__TRY(hsp__exact_replay_run(prove->ctx, &prove->data.exact, &run, 0, m->sequence,
                                       m->plan.updates, again, err, &outcome, &at));
    }
    if (outcome == HSP__REPLAY_DIFFERS)
        *why = "replayed on the decimals of the file in exact arithmetic, the run makes other "
               "updates: rounding decided what was a mistake";
    if (outcome == HSP__REPLAY_LONG)
        *why = "replaying the updates in exact arithmetic would take too long";
    return HSP_OK;
}

/* ---- What the run ended with ----------------------------------------------------------------- */

/* The sum of count y x, times the rate; *off is more than any entry is off by: values in
 * memory are not the decimals of the file, and sums are rounded. */
static hsp_status prove_mistakes_rebuild(const prove_mistakes_state *m, hsp_error *err,
                                         hsp__long **out, hsp__long *bias, hsp__long *off)
{
    const hsp__prove_file *file = &m->prove->data;
    hsp__long *sum = hsp__scratch_new(&m->prove->scratch, file->rows->cols, sizeof *sum);
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
    const uint64_t d = m->prove->data.rows->cols;
    hsp__long most = fabsl(b - (hsp__long)model->offsets[0]);
    for (uint64_t j = 0; j < d; j++) {
        const double own = j < model->features ? model->weights[j] : 0;
        most = fmaxl(most, fabsl(w[j] - (hsp__long)own));
    }
    hsp__claim_open(text, "\nmodel", '{');
    hsp__claim_list(text, "w", NULL, model->weights, model->features < d ? model->features : d,
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

static hsp_status prove_mistakes_claim(prove_mistakes_state *m, hsp_error *err)
{
    static const char *const offsets[] = {"none", "unit", "r2", "append"};
    hsp__prove *prove = m->prove;
    hsp__text *text = &prove->claims;
    const hsp__audit_plan *plan = &m->plan;
    hsp__long *last = NULL, bias = 0, off = 0;
    const char *why = NULL;
    HSP__TRY(prove_mistakes_replay(m, err, &why));
    if (why) return hsp__prove_skip(prove, err, "mistakes", "%s", why);
    HSP__TRY(prove_mistakes_widest(m, err));
    if (!m->separates && !plan->passes && !(plan->soft > 0))
        return hsp__prove_skip(prove, err, "mistakes",
                               "the rows were picked by their mistakes, and no separator was "
                               "found that bounds such a run");
    HSP__TRY(prove_mistakes_rebuild(m, err, &last, &bias, &off));
    hsp__prove_begin(prove, "mistakes");
    hsp__claim_word(text, "learner", "perceptron");
    hsp__claim_word(text, "offset", offsets[plan->offset]);
    if (plan->offset == HSP__AUDIT_APPEND) hsp__claim_short(text, "constant", plan->constant);
    hsp__claim_short(text, "rate", plan->rate);
    hsp__claim_short(text, "margin_target", m->tau);
    if (m->tie_positive) hsp__claim_tie(text, "tie", HSP_TIE_POS);
    hsp__claim_order(text, m->cyclic ? plan->passes : 0, m->sequence, plan->updates);
    if (!m->cyclic && !m->separates && !(plan->soft > 0))
        hsp__claim_count(text, "passes", plan->passes);
    if (!plan->averaged && prove->model->hypothesis == HSP__LINEAR)
        prove_mistakes_write_model(m, last, bias, off);
    if (prove_mistakes_converged(m, last, bias)) hsp__claim_flag(text, "converged", 1);
    hsp__claim_open(text, "\nseparator", '{');
    hsp__claim_list(text, "w", NULL, m->w, prove->data.rows->cols, hsp__claim_short);
    if (m->b != 0) hsp__claim_short(text, "b", m->b);
    hsp__claim_close(text, '}');
    if (!m->separates)
        hsp__claim_word(text, "functional_margin", "1");
    else if (plan->soft > 0)
        hsp__claim_bound(text, "functional_margin", m->margin, 6, 0);
    if (plan->soft > 0) hsp__claim_short(text, "soft", plan->soft);
    return hsp__prove_end(prove, err, "mistakes");
}

static hsp_status prove_mistakes_perceptron(hsp__prove *prove, hsp_error *err)
{
    const hsp_view *view = prove->data.rows;
    prove_mistakes_state m = {.prove = prove};
    const char *why = prove->why;
    double radius = 0;
    const hsp_status status = hsp__audit_read_plan(prove->model, err, &m.plan);
    if (status == HSP_USAGE)
        return hsp__prove_skip(prove, err, "mistakes", "%s", err ? err->message : "no such run");
    if (status) return status;
    m.count = hsp__scratch_new(&prove->scratch, view->rows, sizeof *m.count);
    m.w = hsp__scratch_new(&prove->scratch, view->cols, sizeof *m.w);
    if (prove->scratch.failed) return hsp__fail_memory(err);
    if (!why && hsp__model_kernel(prove->model)) why = "runs with a kernel are not certified";
    if (!why && hsp_model_metadata(prove->model, "divided_by"))
        why = "the model was converted to unit form";
    if (!why && !view->rows) why = "there are no rows";
    if (!why) why = hsp__retrain_counts(prove, m.plan.rate, m.plan.updates, m.count);
    if (why) return hsp__prove_skip(prove, err, "mistakes", "%s", why);
    for (uint64_t i = 0; i < view->rows; i++) {
        const hsp__row row = hsp__view_row(view, i);
        double square = 0;
        for (uint64_t k = 0; k < row.count; k++)
            square += hsp__row_value(view, &row, k) * hsp__row_value(view, &row, k);
        radius = fmax(radius, sqrt(square));
    }
    hsp__audit_space(&m.plan, radius, &m.constant, &m.tau);
    m.tie_positive = m.tau == 0 && prove->model->tie == HSP_TIE_POS;
    return prove_mistakes_claim(&m, err);
}

/* ---- Experts: the checker makes the run again by itself; what is claimed is how it came out, and
 * who was the best ----------------------------------------------------------------------------- */

static hsp_status prove_mistakes_experts(hsp__prove *prove, hsp_error *err)
{
    const hsp_model *model = prove->model;
    const int votes = hsp__experts_votes(model);
    const char *best = hsp_model_metadata(model, "best_mistakes"), *why = NULL;
    hsp__text *text = &prove->claims;
    hsp__experts_run run;
    const hsp_status status = hsp__experts_read(model, err, &run);
    if (status == HSP_USAGE)
        return hsp__prove_skip(prove, err, "mistakes", "%s", err ? err->message : "no such run");
    if (status) return status;
    if (run.randomized)
        why = "the run was randomized, and the theorem is about the majority vote";
    else if (run.shuffled)
        why = "the rows were shuffled, and the checker replays them in the file's order";
    else if (votes == HSP__MODEL_SCALINGS)
        why = "the model does not say how columns vote";
    else if (votes && model->scalings[0])
        why = "the columns were scaled before they voted";
    else if (run.examples != prove->data.view->rows * run.passes)
        why = "the run did not visit all rows of this file in every pass";
    else if (model->features != prove->data.view->cols)
        why = "the model has other columns than this file";
    if (why) return hsp__prove_skip(prove, err, "mistakes", "%s", why);
    hsp__prove_begin(prove, "mistakes");
    hsp__claim_word(text, "learner", "experts");
    hsp__claim_short(text, "beta", run.beta);
    hsp__claim_flag(text, "negated", run.negated);
    hsp__claim_open(text, "\nabstain", '[');
    for (uint64_t j = 0; j < model->features; j++)
        if (hsp__scaling_abstains(model->scalings[votes], j)) hsp__claim_count(text, NULL, j + 1);
    hsp__claim_close(text, ']');
    hsp__claim_tie(text, "tie", model->tie);
    hsp__claim_count(text, "passes", run.passes);
    hsp__claim_count(text, "total", run.mistakes);
    hsp__claim_open(text, "\nbest", '{');
    hsp__claim_count(text, "column", run.best + 1);
    hsp__claim_flag(text, "negated", run.best_negated);
    hsp__claim_word(text, "mistakes", best);
    hsp__claim_close(text, '}');
    return hsp__prove_end(prove, err, "mistakes");
}

hsp_status hsp__prove_mistakes(hsp__prove *prove, hsp_error *err)
{
    const char *learner = prove->model ? hsp_model_metadata(prove->model, "learner") : NULL;
    if (!hsp__prove_named(prove, "mistakes")) return HSP_OK;
    if (learner && strcmp(learner, "perceptron") == 0) return prove_mistakes_perceptron(prove, err);
    if (learner && strcmp(learner, "winnow") == 0) return hsp__prove_winnow(prove, err);
    if (learner && strcmp(learner, "experts") == 0) return prove_mistakes_experts(prove, err);
    if (!hsp_options_list_count(prove->options, "claim")) return HSP_OK;
    return hsp__prove_skip(prove, err, "mistakes",
                           "it needs --model with a model of perceptron, winnow or experts");
}
