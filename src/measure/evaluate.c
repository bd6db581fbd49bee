/* A model on labelled data: mistakes, losses, margins.
 *
 * With two classes y is -1 for the first and +1 for the second, and the margin of a row is y s.
 * With more it is the score of the row's class less the best other score. A row whose label the
 * model does not know has no margin: it is a mistake, and no part of the margins, losses and AUC (a
 * model that leaves classes out leaves it out altogether).
 *
 * Scores come slice by slice from hsp_model_score, in parallel; what is counted and summed here
 * goes from the first row to the last on one thread, so that no figure depends on the threads.
 * Memory: one slice of scores, and 16 bytes per row for the AUC of two classes. */
#include "base/base.h"
#include "base/sized_report.h"
#include "data/data.h"
#include "data/sweep.h"
#include "measure/auc.h"
#include "model/model.h"

#define EVALUATE_SLICE   ((uint64_t)1 << 19) /* scores held at a time, about */
#define EVALUATE_SUPPORT 4096                /* support rows whose w is measured */

/* A sum, and what its additions rounded away. */
typedef struct evaluate_sum {
    double sum, carry;
} evaluate_sum;

typedef struct evaluate_state {
    hsp_context *ctx;
    const hsp_model *model;
    const hsp_view *view;
    uint32_t classes, scorers;
    int bare;             /* votes, neighbours or pairs: scores that have no margins */
    uint32_t *class_of;   /* view->classes: the model's class for each label */
    uint64_t *confusion;  /* classes * classes */
    uint64_t *of_class;   /* classes: rows of each */
    hsp__ranked *ranked;  /* rows of known label; NULL with more than two classes */
    double *scores;       /* slice * scorers */
    uint32_t *predicted;  /* slice */
    uint64_t known;       /* rows of known label so far */
    uint64_t unknown;     /* rows of a label that the model does not know */
    const char *stranger; /* the first such label */
    int probabilities;    /* the model has them */
    double *chances;      /* classes: those of the row at hand */
    evaluate_sum hinge, log_loss, brier;
    hsp_evaluation all;
} evaluate_state;

/* Neumaier's sum: sum + carry is the sum as if it were rounded once or twice. */
static void evaluate_add(evaluate_sum *to, double loss)
{
    const double before = to->sum, sum = before + loss;
    to->sum = sum;
    if (!isfinite(sum)) /* scores that overflowed: the carry would be infinity less infinity */
        to->carry = 0;
    else
        to->carry += before >= loss ? (before - sum) + loss : (loss - sum) + before;
}

static double evaluate_mean(const evaluate_sum *of, uint64_t n)
{
    return (of->sum + of->carry) / (double)n;
}

#define EVALUATE_LEAST 0x1p-52 /* a probability of 0 for what then happens costs 36 nats */

static void evaluate_row(evaluate_state *state, const double *scores, uint32_t class,
                         uint32_t predicted)
{
    hsp_evaluation *all = &state->all;
    state->of_class[class]++;
    if (predicted != HSP_NO_CLASS)
        state->confusion[(uint64_t) class * state->classes + predicted]++;
    if (state->ranked) state->ranked[state->known] = (hsp__ranked){scores[0], class};
    state->known++;
    all->mistakes += predicted != class;
    if (state->probabilities) {
        double *p = state->chances, squares = 0;
        hsp_model_probabilities(state->model, scores, p);
        evaluate_add(&state->log_loss, -log(fmax(p[class], EVALUATE_LEAST)));
        for (uint32_t c = 0; c < state->classes; c++)
            squares += c == class ? (1 - p[c]) * (1 - p[c]) : p[c] * p[c];
        if (state->classes == 2) squares = (p[1] - class) * (p[1] - class);
        evaluate_add(&state->brier, squares);
    }
    if (state->bare) return;
    double margin = class ? scores[0] : -scores[0];
    if (state->scorers > 1) {
        double other = -HUGE_VAL;
        for (uint32_t c = 0; c < state->scorers; c++)
            if (c != class && (scores[c] > other || isnan(scores[c]))) other = scores[c];
        margin = scores[class] - other;
    }
    /* A NaN enters, and stays: nothing is less than it. */
    if (state->known == 1 || margin < all->functional_margin || isnan(margin))
        all->functional_margin = margin;
    evaluate_add(&state->hinge, margin >= 1 ? 0 : 1 - margin);
    all->beyond += margin > 1;
    all->on += margin == 1;
    all->within += margin < 1;
}

static hsp_status evaluate_rows(evaluate_state *state, uint64_t slice, hsp_error *err)
{
    const uint64_t rows = state->view->rows;
    hsp_evaluation *all = &state->all;
    for (uint64_t from = 0; from < rows; from += slice) {
        const uint64_t count = rows - from < slice ? rows - from : slice;
        const hsp_view part = hsp__view_slice(state->view, from, from + count);
        HSP__TRY(
            hsp_model_score(state->ctx, state->model, &part, err, state->scores, state->predicted));
        HSP__TRY(hsp__progress(state->ctx, "measuring", "rows", from + count, rows, err));
        for (uint64_t i = 0; i < count; i++) {
            const uint32_t class = state->class_of[state->view->labels[from + i]];
            if (class == HSP_NO_CLASS && state->model->leaves_out) {
                all->left_out++;
                continue;
            }
            all->n++;
            all->ties += state->predicted[i] == HSP_NO_CLASS;
            if (class != HSP_NO_CLASS) {
                evaluate_row(state, &state->scores[i * state->scorers], class, state->predicted[i]);
                continue;
            }
            all->mistakes++;
            state->unknown++;
        }
    }
    return HSP_OK;
}

/* ||w||, without the weight of a constant feature: that is an offset. Of a kernel model with many
 * support rows it would take longer than measuring: NaN. */
static double evaluate_norm(const evaluate_state *state)
{
    const hsp_model *model = state->model;
    const uint64_t cols = hsp__model_inputs(model);
    double length = (double)NAN;
    if (model->hypothesis == HSP__EXPANSION) {
        if (hsp_model_support(model, NULL) > EVALUATE_SUPPORT ||
            hsp__expansion_length(state->ctx, model, 0, NULL, &length))
            return (double)NAN;
        return length;
    }
    const hsp_view view = hsp_view_dense(HSP_FLOAT64, 1, cols, cols, model->weights);
    const hsp__row row = hsp__view_row(&view, 0);
    return hsp__row_norm(&view, &row);
}

static hsp_status evaluate_finish(evaluate_state *state, hsp_error *err)
{
    hsp_evaluation *all = &state->all;
    double recalls = 0, seen = 0;
    assert(all->mistakes <= all->n && state->known + state->unknown == all->n);
    all->error = all->n ? (double)all->mistakes / (double)all->n : (double)NAN;
    all->accuracy = all->n ? (double)(all->n - all->mistakes) / (double)all->n : (double)NAN;
    for (uint32_t c = 0; c < state->classes; c++) {
        if (!state->of_class[c]) continue;
        recalls +=
            (double)state->confusion[(uint64_t)c * state->classes + c] / (double)state->of_class[c];
        seen++;
    }
    all->balanced_accuracy = seen > 0 ? recalls / seen : (double)NAN;
    all->auc = all->geometric_margin = all->origin_distance = all->margin_distance = (double)NAN;
    if (state->ranked) HSP__TRY(hsp__auc(state->ctx, state->ranked, state->known, err, &all->auc));
    const int some = state->known && !state->bare;
    all->hinge_loss = some ? evaluate_mean(&state->hinge, state->known) : (double)NAN;
    const int chances = state->known && state->probabilities;
    all->log_loss = chances ? evaluate_mean(&state->log_loss, state->known) : (double)NAN;
    all->brier = chances ? evaluate_mean(&state->brier, state->known) : (double)NAN;
    if (!some) all->functional_margin = (double)NAN;
    if (state->scorers != 1 || state->bare) return HSP_OK;
    const double norm = evaluate_norm(state);
    if (norm > 0) {
        all->geometric_margin = all->functional_margin / norm;
        all->origin_distance = -hsp__model_bias(state->model, 0) / norm;
        all->margin_distance = 1 / norm;
    }
    return hsp__stop_status(state->ctx, err);
}

static hsp_status evaluate_run(evaluate_state *state, hsp__scratch *scratch, hsp_data *data,
                               hsp_error *err)
{
    const hsp_view *view = state->view;
    uint64_t slice = EVALUATE_SLICE / state->scorers + 1;
    if (slice > view->rows) slice = view->rows;
    state->class_of = hsp__scratch_new(scratch, view->classes, sizeof *state->class_of);
    state->confusion = hsp__scratch_new(scratch, (uint64_t)state->classes * state->classes,
                                        sizeof *state->confusion);
    state->of_class = hsp__scratch_new(scratch, state->classes, sizeof *state->of_class);
    state->scores = hsp__scratch_raw(scratch, slice * state->scorers, sizeof *state->scores);
    state->predicted = hsp__scratch_raw(scratch, slice, sizeof *state->predicted);
    state->chances = hsp__scratch_raw(scratch, state->classes, sizeof *state->chances);
    if (state->scorers == 1)
        state->ranked = hsp__scratch_raw(scratch, view->rows, sizeof *state->ranked);
    if (scratch->failed) return hsp__fail_memory(err);
    for (uint32_t c = 0; c < view->classes; c++) {
        const char *label = hsp_data_class_name(data, c);
        state->class_of[c] = hsp_model_class_of(state->model, label);
        if (state->class_of[c] == HSP_NO_CLASS && !state->stranger) state->stranger = label;
    }
    HSP__TRY(evaluate_rows(state, slice, err));
    return evaluate_finish(state, err);
}

hsp_status hsp_evaluate(hsp_context *ctx, const hsp_model *model, hsp_data *data, hsp_error *err,
                        hsp_evaluation *out, uint64_t *confusion)
{
    HSP__NEED(err, ctx, model, data, out);
    HSP__REPORT(err, out, hsp_evaluation);
    hsp__stop stop;
    hsp_context own = hsp__stop_open(&stop, ctx);
    hsp__scratch scratch = {.memory = &ctx->allocator};
    evaluate_state state = {.ctx = &own,
                            .model = model,
                            .classes = hsp_model_classes(model),
                            .scorers = model->scorers,
                            .probabilities = hsp_model_has_probabilities(model),
                            .bare = model->hypothesis == HSP__VOTES || model->neighbors ||
                                    model->pairs};
    HSP__TRY(hsp_data_view(&own, data, err, &state.view));
    if (!state.view->labels)
        return hsp__fail(err, HSP_BAD_DATA,
                         "the data has no labels, so the error cannot be computed");
    const hsp_status status = evaluate_run(&state, &scratch, data, err);
    if (!status && state.unknown)
        hsp__log(&own, HSP_LOG_WARNING,
                 state.unknown == 1
                     ? "%llu row has a label that the model does not have ('%s'); it counts as a "
                       "mistake"
                     : "%llu rows have labels that the model does not have (the first is '%s'); "
                       "each counts as a mistake",
                 (unsigned long long)state.unknown, state.stranger);
    if (!status) hsp__report_give(out, &state.all, sizeof state.all);
    if (!status && confusion)
        memcpy(confusion, state.confusion,
               (size_t)state.classes * state.classes * sizeof *confusion);
    hsp__scratch_free(&scratch);
    return status;
}
