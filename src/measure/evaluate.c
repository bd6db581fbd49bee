/* A model on labelled data: mistakes, scores, losses, margins.
 *
 * With two classes y is -1 for the first and +1 for the second, and the margin of a row is y s.
 * With more it is the score of the row's class less the best other score. A row whose label the
 * model does not know has no margin: it is a mistake, and no part of the other figures (a model that
 * leaves classes out leaves it out altogether).
 *
 * Scores come slice by slice from hsp_model_score, in parallel; what is counted and summed here
 * goes from the first row to the last on one thread, so that no figure depends on the threads.
 * Of rows that are divided among ranks, each rank scores its own; all of them get the scores, and
 * count and sum the same.
 * Memory: one slice of scores; per row its class and the predicted one, and as far as they take at
 * most EVALUATE_KEPT numbers, what ranks it (for AUC) and its probabilities (if asked for). */
#include "measure/evaluate.h"

#include "base/base.h"
#include "base/options.h"
#include "base/sized_report.h"
#include "data/sweep.h"
#include "learn/row_weights.h"
#include "model/scored_rows.h"

#define EVALUATE_SLICE   ((uint64_t)1 << 19) /* scores held at a time, about */
#define EVALUATE_SUPPORT 4096                /* support rows whose w is measured */
#define EVALUATE_KEPT    ((uint64_t)1 << 28) /* numbers kept of more than two classes */
#define EVALUATE_BINS    10                  /* of the calibration error */
#define EVALUATE_LEAST   0x1p-52 /* a probability of 0 for what then happens costs 36 nats */

static const hsp_option evaluate_options[] = {
    HSP__CHOICE("score", "error", HSP__SCORE_NAMES,
                "the score to put first, with that of always predicting the most frequent class"),
    HSP__TEXT("row-weight", NULL, "COLUMN", "column with the weights of the rows in all scores"),
    HSP__TEXT(
        "threshold", NULL, "T",
        "two classes: predict the second (positive) one when its probability (for a model "
        "without probabilities, its score) is above T; best-f1, best-mcc or cost=FP:FN (the "
        "costs of a false positive and of a false negative) choose the best T for these rows"),
    HSP__CHOICE("curve", NULL, "roc|pr|calibration|lift", "the curve to write"),
    HSP__INTEGER("bins", "10", 2, 10000, "N", "bins of a calibration curve"),
    HSP__CHOICE("output-format", "csv", "csv|json", "format of a curve or of rows"),
    HSP__REAL("interval", NULL, 0, 1, "LEVEL",
              "bootstrap confidence intervals of the scores, such as 0.95"),
    HSP__INTEGER("samples", "1000", 10, 1e6, "N", "bootstrap samples that the intervals are from"),
    HSP__INTEGER("seed", "1", 0, 9007199254740991.0, "N",
                 "seed of the bootstrap samples and of the shuffles"),
    HSP__INTEGER("repeats", "5", 1, 100000, "N", "shuffles of each column for --importance"),
};

static const hsp_option_table evaluate_table = {"evaluate", "what is measured of a model",
                                                evaluate_options,
                                                sizeof evaluate_options / sizeof *evaluate_options};

const hsp_option_table *hsp_evaluate_options(void)
{
    return &evaluate_table;
}

/* A sum, and what its additions rounded away. */
typedef struct evaluate_sum {
    double sum, carry;
} evaluate_sum;

typedef struct evaluate_state {
    hsp_context *ctx;
    const hsp_model *model;
    const hsp_view *view;    /* the rows, ... */
    const hsp__shard *shard; /* ... which are some of all; NULL: all of them */
    const uint32_t *label;   /* to->rows: of all */
    hsp_evaluated *to;
    const double *weight; /* to->rows; NULL: all 1 */
    uint32_t classes, scorers;
    int margins, probabilities; /* the model has them */
    uint32_t *class_of;         /* view->classes: the model's class for each label */
    double *scores;             /* slice * scorers */
    uint32_t *predicted;        /* slice */
    double *own_scores;         /* the same of this rank's rows alone */
    uint32_t *own_predicted;
    const char *stranger; /* the first label that the model does not know */
    double *chances;      /* classes: those of the row at hand */
    evaluate_sum all, hinge, log_loss, brier;
    hsp__calibration_bin bins[EVALUATE_BINS];
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

static double evaluate_mean(const evaluate_sum *of, const evaluate_sum *weights)
{
    return (of->sum + of->carry) / (weights->sum + weights->carry);
}

double hsp__evaluate_margin(const hsp_model *model, const double *scores, uint32_t class)
{
    if (model->scorers == 1) return class ? scores[0] : -scores[0];
    double other = -HUGE_VAL;
    for (uint32_t c = 0; c < model->scorers; c++)
        if (c != class && (scores[c] > other || isnan(scores[c]))) other = scores[c];
    return scores[class] - other;
}

static void evaluate_chances(evaluate_state *state, const double *scores, uint32_t class, double w)
{
    double *p = state->chances, squares = 0;
    uint32_t likely = 0;
    hsp_model_probabilities(state->model, scores, p);
    evaluate_add(&state->log_loss, w * -log(fmax(p[class], EVALUATE_LEAST)));
    for (uint32_t c = 0; c < state->classes; c++) {
        squares += c == class ? (1 - p[c]) * (1 - p[c]) : p[c] * p[c];
        if (p[c] > p[likely]) likely = c;
    }
    if (state->classes == 2) squares = (p[1] - class) * (p[1] - class), likely = 1;
    evaluate_add(&state->brier, w * squares);
    hsp__calibration_add(state->bins, EVALUATE_BINS, p[likely], class == likely, w);
}

static void evaluate_row(evaluate_state *state, const double *scores, uint64_t row, uint32_t class,
                         uint32_t predicted)
{
    hsp_evaluation *all = &state->to->all;
    hsp__scored *kept = &state->to->kept;
    const uint64_t at = kept->rows++;
    const double w = state->weight ? state->weight[row] : 1;
    kept->truth[at] = class;
    kept->predicted[at] = predicted;
    if (state->to->origin) state->to->origin[at] = row;
    if (state->to->weight) state->to->weight[at] = w;
    evaluate_add(&state->all, w);
    if (state->probabilities) evaluate_chances(state, scores, class, w);
    if (kept->ranking)
        hsp__class_ranking(state->model, scores, state->probabilities ? state->chances : NULL,
                           kept->ranking + at * kept->columns);
    if (kept->probability)
        memcpy(kept->probability + at * kept->classes, state->chances,
               kept->classes * sizeof *state->chances);
    if (!state->margins) return;
    const double margin = hsp__evaluate_margin(state->model, scores, class);
    /* A NaN enters, and stays: nothing is less than it. */
    if (at == 0 || margin < all->functional_margin || isnan(margin))
        all->functional_margin = margin;
    evaluate_add(&state->hinge, margin >= 1 ? 0 : w * (1 - margin));
    all->beyond += margin > 1;
    all->on += margin == 1;
    all->within += margin < 1;
}

static uint64_t evaluate_between(uint64_t low, uint64_t at, uint64_t high)
{
    return at < low ? low : at < high ? at : high;
}

/* Which of the rows from..to-1 does a rank have? If none, an empty range inside of its rows. */
static void evaluate_own(const evaluate_state *state, int rank, uint64_t *from, uint64_t *to)
{
    hsp__shard its = *state->shard;
    uint64_t first, count;
    hsp__ranks_blocks(its.ranks, rank, &its.from, &its.to);
    hsp__shard_rows(&its, &first, &count);
    *from = evaluate_between(first, *from, first + count);
    *to = evaluate_between(first, *to, first + count);
}

/* An array of `each` bytes per row, with this rank's rows among from..to-1 or all of its rows, to one of
 * all ranks' rows. */
static void evaluate_gather(const evaluate_state *state, uint64_t from, uint64_t to,
                            const void *mine, size_t each, void *all)
{
    uint64_t sizes[HSP__BLOCKS];
    for (int r = 0; r < state->shard->ranks->count; r++) {
        uint64_t first = from, last = to;
        evaluate_own(state, r, &first, &last);
        sizes[r] = (last - first) * each;
    }
    state->shard->ranks->gather(state->shard->ranks->user, mine, sizes, all);
}

/* The scores of rows from..to-1 of all. */
static hsp_status evaluate_scores(evaluate_state *state, uint64_t from, uint64_t to, hsp_error *err)
{
    const hsp__shard *shard = state->shard;
    uint64_t first = from, last = to, before = 0, none;
    if (shard) {
        evaluate_own(state, shard->ranks->rank, &first, &last);
        hsp__shard_rows(shard, &before, &none);
    }
    const hsp_view part = hsp__view_slice(state->view, first - before, last - before);
    double *scores = shard ? state->own_scores : state->scores;
    uint32_t *predicted = shard ? state->own_predicted : state->predicted;
    hsp_status status = hsp_model_score(state->ctx, state->model, &part, err, scores, predicted);
    if (!status) status = hsp__progress(state->ctx, "measuring", "rows", to, state->to->rows, err);
    if (!shard) return status;
    HSP__TRY(hsp__ranks_agree(shard->ranks, status, err));
    evaluate_gather(state, from, to, scores, state->scorers * sizeof *scores, state->scores);
    evaluate_gather(state, from, to, predicted, sizeof *predicted, state->predicted);
    return HSP_OK;
}

static hsp_status evaluate_rows(evaluate_state *state, uint64_t slice, hsp_error *err)
{
    hsp_evaluated *to = state->to;
    const uint64_t rows = to->rows;
    for (uint64_t from = 0; from < rows; from += slice) {
        const uint64_t count = rows - from < slice ? rows - from : slice;
        HSP__TRY(evaluate_scores(state, from, from + count, err));
        for (uint64_t i = 0; i < count; i++) {
            const uint32_t class = state->class_of[state->label[from + i]];
            if (class != HSP_NO_CLASS) {
                evaluate_row(state, &state->scores[i * state->scorers], from + i, class,
                             state->predicted[i]);
            } else if (state->model->leaves_out) {
                to->all.left_out++;
            } else {
                to->unknown++;
                to->tied += state->predicted[i] == HSP_NO_CLASS;
                to->unknown_weight += state->weight ? state->weight[from + i] : 1;
            }
        }
    }
    return HSP_OK;
}

double hsp__evaluate_norm(hsp_context *ctx, const hsp_model *model)
{
    const uint64_t cols = hsp__model_inputs(model);
    double length = (double)NAN;
    if (model->hypothesis == HSP__EXPANSION) {
        if (hsp_model_support(model, NULL) > EVALUATE_SUPPORT ||
            hsp__expansion_length(ctx, model, 0, NULL, &length))
            return (double)NAN;
        return length;
    }
    const hsp_view view = hsp_view_dense(HSP_FLOAT64, 1, cols, cols, model->weights);
    const hsp__row row = hsp__view_row(&view, 0);
    return hsp__row_norm(&view, &row);
}

/* Precision and recall: of the second class, or means over the classes that occur in the labels or
 * the predictions, where one that is not defined counts as 0. */
static void evaluate_retrieval(hsp_evaluated *to)
{
    const uint64_t k = to->kept.classes;
    const double *of_truth = to->sums, *predicted = to->sums + k;
    double precision = 0, recall = 0, seen = 0;
    for (uint64_t c = k == 2; c < k; c++) {
        const double right = to->cells[c * (k + 1) + c];
        if (k > 2 && !(of_truth[c] + predicted[c] > 0)) continue;
        precision += k > 2 && !(predicted[c] > 0) ? 0 : right / predicted[c];
        recall += k > 2 && !(of_truth[c] > 0) ? 0 : right / of_truth[c];
        seen++;
    }
    to->all.precision = precision / seen;
    to->all.recall = recall / seen;
}

/* Everything that follows from the predicted classes. */
static hsp_status evaluate_count(hsp_context *ctx, hsp_evaluated *to, hsp_error *err)
{
    hsp_evaluation *all = &to->all;
    const hsp__scored *kept = &to->kept;
    const uint64_t k = kept->classes;
    double scores[HSP__SCORES], majority[HSP__SCORES];
    uint32_t labels = 0, guesses = 0;
    HSP__TRY(hsp__score_count(ctx, kept, err, to->cells));
    hsp__score_confusion(to->cells, kept->classes, to->sums, scores);
    HSP__TRY(hsp__score_majorities(ctx, to->sums, kept->classes, err, majority));
    memset(to->counts, 0, k * k * sizeof *to->counts);
    all->n = kept->rows + to->unknown;
    all->ties = to->tied;
    all->mistakes = to->unknown;
    all->majority_class = 0;
    all->only_class = HSP_NO_CLASS;
    for (uint64_t i = 0; i < kept->rows; i++) {
        all->ties += kept->predicted[i] == HSP_NO_CLASS;
        all->mistakes += kept->predicted[i] != kept->truth[i];
        if (kept->predicted[i] != HSP_NO_CLASS)
            to->counts[kept->truth[i] * k + kept->predicted[i]]++;
    }
    for (uint32_t c = 0; c < k; c++) {
        if (to->sums[c] > to->sums[all->majority_class]) all->majority_class = c;
        labels += to->sums[c] > 0;
        guesses += to->sums[k + c] > 0;
        if (to->sums[k + c] > 0) all->only_class = c;
    }
    if (!labels) all->majority_class = HSP_NO_CLASS;
    if (guesses != 1 || labels < 2 || all->ties) all->only_class = HSP_NO_CLASS;
    assert(all->mistakes <= all->n);
    const double known = all->weight - to->unknown_weight; /* the others are all wrong */
    const double share = all->weight > 0 ? known / all->weight : (double)NAN;
    all->error = !all->n      ? (double)NAN
                 : kept->rows ? 1 - share * (1 - scores[HSP__SCORE_ERROR])
                              : 1;
    all->majority_error = !all->n      ? (double)NAN
                          : kept->rows ? 1 - share * (1 - majority[HSP__SCORE_ERROR])
                                       : 1;
    if (!to->weight) { /* rounded once */
        all->error = all->n ? (double)all->mistakes / (double)all->n : (double)NAN;
        all->accuracy = all->n ? (double)(all->n - all->mistakes) / (double)all->n : (double)NAN;
        if (kept->rows)
            all->majority_error = ((double)all->n - to->sums[all->majority_class]) / (double)all->n;
    } else {
        all->accuracy = 1 - all->error;
    }
    all->balanced_accuracy = scores[HSP__SCORE_BALANCED_ACCURACY];
    all->f1 = scores[HSP__SCORE_F1];
    all->mcc = scores[HSP__SCORE_MCC];
    evaluate_retrieval(to);
    return HSP_OK;
}

static hsp_status evaluate_finish(evaluate_state *state, hsp_error *err)
{
    hsp_evaluated *to = state->to;
    hsp_evaluation *all = &to->all;
    double scores[HSP__SCORES] = {
        [HSP__SCORE_AUC] = (double)NAN, [HSP__SCORE_AVERAGE_PRECISION] = (double)NAN};
    const int some = to->kept.rows && state->margins,
              chances = to->kept.rows && state->probabilities;
    to->kept.weight = to->weight;
    all->weight = state->all.sum + state->all.carry + to->unknown_weight;
    HSP__TRY(evaluate_count(state->ctx, to, err));
    all->geometric_margin = all->origin_distance = all->margin_distance = (double)NAN;
    if (to->kept.ranking && to->kept.rows)
        HSP__TRY(hsp__score_ranking(state->ctx, &to->kept, err, scores));
    all->auc = scores[HSP__SCORE_AUC];
    all->average_precision = scores[HSP__SCORE_AVERAGE_PRECISION];
    all->hinge_loss = some ? evaluate_mean(&state->hinge, &state->all) : (double)NAN;
    all->log_loss = chances ? evaluate_mean(&state->log_loss, &state->all) : (double)NAN;
    all->brier = chances ? evaluate_mean(&state->brier, &state->all) : (double)NAN;
    hsp__calibration_finish(state->bins, EVALUATE_BINS);
    all->calibration_error =
        chances ? hsp__calibration_error(state->bins, EVALUATE_BINS) : (double)NAN;
    if (!some) all->functional_margin = (double)NAN;
    if (state->scorers != 1 || !state->margins) return HSP_OK;
    const double norm = hsp__evaluate_norm(state->ctx, state->model);
    if (norm > 0) {
        all->geometric_margin = all->functional_margin / norm;
        all->origin_distance = -hsp__model_bias(state->model, 0) / norm;
        all->margin_distance = 1 / norm;
    }
    return hsp__stop_status(state->ctx, err);
}

/* The arrays of what is kept; `all`: the probabilities, too. */
static hsp_status evaluate_make_room(evaluate_state *state, int all, hsp_error *err)
{
    hsp_evaluated *to = state->to;
    const hsp_allocator *memory = &to->memory;
    const uint64_t rows = to->rows, k = state->classes;
    hsp__scored *kept = &to->kept;
    kept->classes = state->classes;
    kept->columns = k == 2 ? 1 : state->classes;
    const int fits = k == 2 || rows <= EVALUATE_KEPT / k;
    const int chances = all && fits && state->probabilities;
    kept->truth = hsp__new_raw(memory, rows, sizeof *kept->truth);
    kept->predicted = hsp__new_raw(memory, rows, sizeof *kept->predicted);
    if (fits) kept->ranking = hsp__new_raw(memory, rows * kept->columns, sizeof *kept->ranking);
    if (chances) kept->probability = hsp__new_raw(memory, rows * k, sizeof *kept->probability);
    if (all) to->origin = hsp__new_raw(memory, rows, sizeof *to->origin);
    if (state->weight) to->weight = hsp__new_raw(memory, rows, sizeof *to->weight);
    to->counts = hsp__new(memory, k * k, sizeof *to->counts);
    to->cells = hsp__new(memory, k * (k + 1), sizeof *to->cells);
    to->sums = hsp__new(memory, 2 * k, sizeof *to->sums);
    const int whole = kept->truth && kept->predicted && (kept->ranking || !fits) &&
                      (kept->probability || !chances) && (to->origin || !all) &&
                      (to->weight || !state->weight) && to->counts && to->cells && to->sums;
    return whole ? HSP_OK : hsp__fail_memory(err);
}

static hsp_status evaluate_run(evaluate_state *state, hsp__scratch *scratch, hsp_data *data,
                               hsp_error *err)
{
    const hsp_view *view = state->view;
    uint64_t slice = EVALUATE_SLICE / state->scorers + 1;
    if (slice > state->to->rows) slice = state->to->rows;
    state->class_of = hsp__scratch_new(scratch, view->classes, sizeof *state->class_of);
    state->scores = hsp__scratch_raw(scratch, slice * state->scorers, sizeof *state->scores);
    state->predicted = hsp__scratch_raw(scratch, slice, sizeof *state->predicted);
    if (state->shard) {
        state->own_scores = hsp__scratch_raw(scratch, slice * state->scorers, sizeof(double));
        state->own_predicted = hsp__scratch_raw(scratch, slice, sizeof *state->own_predicted);
    }
    state->chances = hsp__scratch_raw(scratch, state->classes, sizeof *state->chances);
    if (scratch->failed) return hsp__fail_memory(err);
    hsp__model_classes_of(state->ctx, state->model, data, state->class_of);
    for (uint32_t c = 0; c < view->classes && !state->stranger; c++)
        if (state->class_of[c] == HSP_NO_CLASS) state->stranger = hsp_data_class_name(data, c);
    HSP__TRY(evaluate_rows(state, slice, err));
    HSP__TRY(evaluate_finish(state, err));
    const uint64_t unknown = state->to->unknown;
    if (unknown)
        hsp__log(state->ctx, HSP_LOG_WARNING,
                 unknown == 1
                     ? "%llu row has a label that the model does not have ('%s'); it counts as a "
                       "mistake"
                     : "%llu rows have labels that the model does not have (the first is '%s'); "
                       "each counts as a mistake",
                 (unsigned long long)unknown, state->stranger);
    return HSP_OK;
}

hsp_status hsp__evaluate_weights(hsp_context *ctx, const hsp_data *data, const char *column,
                                 hsp_error *err, double **owned, const double **out)
{
    uint64_t number;
    *owned = NULL;
    *out = data->row_weights;
    if (!column) return HSP_OK;
    HSP__TRY(hsp__row_weights_column(data, column, err, &number));
    HSP__TRY(hsp__row_weights_rows(ctx, data, number, NULL, err, owned));
    *out = *owned;
    return HSP_OK;
}

/* The labels and weights of all rows, where the view has some of them. */
static hsp_status evaluate_all(evaluate_state *state, hsp__scratch *scratch, hsp_error *err)
{
    const uint64_t rows = state->to->rows;
    state->label = state->view->labels;
    if (!state->shard) return HSP_OK;
    const hsp_ranks *ranks = state->shard->ranks;
    uint32_t *label = hsp__scratch_raw(scratch, rows, sizeof *label);
    double *weight = hsp__scratch_raw(scratch, state->weight ? rows : 0, sizeof *weight);
    HSP__TRY(hsp__ranks_agree(ranks, scratch->failed ? hsp__fail_memory(err) : HSP_OK, err));
    evaluate_gather(state, 0, rows, state->view->labels, sizeof *label, label);
    if (state->weight) evaluate_gather(state, 0, rows, state->weight, sizeof *weight, weight);
    state->label = label;
    state->weight = state->weight ? weight : NULL;
    return HSP_OK;
}

static hsp_status evaluate_new(hsp_context *ctx, const hsp_model *model, hsp_data *data,
                               const hsp_options *options, int all, hsp_error *err,
                               hsp_evaluated **out)
{
    hsp__stop stop;
    hsp_context own = hsp__stop_open(&stop, ctx);
    hsp__scratch scratch = {.memory = &ctx->allocator};
    const hsp_ranks *ranks = data->shard.ranks;
    evaluate_state state = {.ctx = &own,
                            .shard = ranks ? &data->shard : NULL,
                            .model = model,
                            .classes = hsp_model_classes(model),
                            .scorers = model->scorers,
                            .probabilities = hsp_model_has_probabilities(model),
                            .margins = hsp__evaluate_has_margins(model)};
    double *weights = NULL;
    HSP__TRY(hsp_data_view(&own, data, err, &state.view));
    if (!state.view->labels)
        return hsp__fail(err, HSP_BAD_DATA,
                         "the data has no labels, so the error cannot be computed");
    const char *column = options ? hsp_options_text(options, "row-weight") : NULL;
    const char *threshold = options ? hsp_options_text(options, "threshold") : NULL;
    hsp_status status = hsp__evaluate_weights(&own, data, column, err, &weights, &state.weight);
    if (!status) state.to = hsp__new(&ctx->allocator, 1, sizeof *state.to);
    if (!status && !state.to) status = hsp__fail_memory(err);
    if (!status) {
        state.to->memory = ctx->allocator;
        state.to->model = model;
        state.to->rows = ranks ? data->shard.rows : state.view->rows;
        state.to->threshold = (double)NAN;
        status = evaluate_make_room(&state, all, err);
    }
    status = hsp__ranks_agree(ranks, status, err);
    if (!status) status = evaluate_all(&state, &scratch, err);
    if (!status) status = evaluate_run(&state, &scratch, data, err);
    if (!status && threshold) status = hsp__evaluate_threshold(&own, state.to, threshold, err);
    if (!status && threshold) status = evaluate_count(&own, state.to, err);
    hsp__scratch_free(&scratch);
    hsp__free(&ctx->allocator, weights);
    if (status)
        hsp_evaluated_free(state.to);
    else
        *out = state.to;
    return status;
}

hsp_status hsp_evaluated_new(hsp_context *ctx, const hsp_model *model, hsp_data *data,
                             const hsp_options *options, hsp_error *err, hsp_evaluated **out)
{
    HSP__NEED(err, ctx, model, data, out);
    return evaluate_new(ctx, model, data, options, 1, err, out);
}

void hsp_evaluated_free(hsp_evaluated *evaluated)
{
    if (!evaluated) return;
    const hsp_allocator memory = evaluated->memory;
    void *const blocks[] = {evaluated->kept.truth,   evaluated->kept.predicted,
                            evaluated->kept.ranking, evaluated->kept.probability,
                            evaluated->origin,       evaluated->weight,
                            evaluated->counts,       evaluated->cells,
                            evaluated->sums,         evaluated};
    for (size_t i = 0; i < sizeof blocks / sizeof *blocks; i++)
        hsp__free(&memory, blocks[i]);
}

hsp_status hsp_evaluated_report(const hsp_evaluated *evaluated, hsp_error *err, hsp_evaluation *out,
                                uint64_t *confusion, double *weights)
{
    HSP__NEED(err, evaluated, out);
    HSP__REPORT(err, out, hsp_evaluation);
    const uint64_t k = evaluated->kept.classes;
    hsp__report_give(out, &evaluated->all, sizeof evaluated->all);
    if (confusion) memcpy(confusion, evaluated->counts, k * k * sizeof *confusion);
    for (uint64_t t = 0; weights && t < k; t++)
        memcpy(weights + t * k, evaluated->cells + t * (k + 1), k * sizeof *weights);
    return HSP_OK;
}

uint64_t hsp_evaluated_class_rows(const hsp_evaluated *evaluated, uint32_t class_index,
                                  double *weight)
{
    uint64_t rows = 0;
    if (weight)
        *weight =
            evaluated && class_index < evaluated->kept.classes ? evaluated->sums[class_index] : 0;
    for (uint64_t i = 0; evaluated && i < evaluated->kept.rows; i++)
        rows += evaluated->kept.truth[i] == class_index;
    return rows;
}

hsp__bootstrap hsp__evaluate_bootstrap(const hsp_options *options)
{
    const int asked = hsp_options_is_set(options, "interval");
    return (hsp__bootstrap){asked ? hsp_options_real(options, "interval") : (double)NAN,
                            (uint64_t)hsp_options_integer(options, "samples"),
                            (uint64_t)hsp_options_integer(options, "seed")};
}

/* With rows of unknown labels, which are all wrong, an error is one of the others, and that. */
static double evaluate_whole(const hsp_evaluated *evaluated, double error)
{
    const hsp_evaluation *all = &evaluated->all;
    return 1 - (all->weight - evaluated->unknown_weight) / all->weight * (1 - error);
}

hsp_status hsp_evaluated_scores(hsp_context *ctx, const hsp_evaluated *evaluated,
                                const hsp_options *options, hsp_error *err,
                                hsp_score_report out[HSP_SCORES])
{
    _Static_assert(HSP_SCORES == HSP__SCORES, "the scores of the header");
    HSP__NEED(err, ctx, evaluated, options, out);
    hsp__stop stop;
    hsp_context own = hsp__stop_open(&stop, ctx);
    const hsp__bootstrap how = hsp__evaluate_bootstrap(options);
    const hsp_evaluation *all = &evaluated->all;
    const double values[HSP__SCORES] = HSP__EVALUATE_SCORES(all);
    double majority[HSP__SCORES], intervals[HSP__SCORES][2];
    HSP__TRY(hsp__score_majorities(&own, evaluated->sums, evaluated->kept.classes, err, majority));
    majority[HSP__SCORE_ERROR] = all->majority_error;
    for (int score = 0; score < HSP__SCORES; score++)
        intervals[score][0] = intervals[score][1] = (double)NAN;
    if (!isnan(how.level)) {
        if (!(how.level > 0 && how.level < 1))
            return hsp__fail_option(err, "--interval",
                                    "found %g, expected a number between 0 and 1", how.level);
        HSP__TRY(hsp__score_intervals(&own, &evaluated->kept, NULL, &how, err, intervals));
        for (int end = 0; evaluated->unknown && end < 2; end++)
            intervals[HSP__SCORE_ERROR][end] =
                evaluate_whole(evaluated, intervals[HSP__SCORE_ERROR][end]);
    }
    for (int score = 0; score < HSP__SCORES; score++) {
        const int known = !isnan(values[score]);
        out[score] = (hsp_score_report){.name = hsp__score_name(score),
                                        .is_loss = hsp__score_is_loss(score),
                                        .value = values[score],
                                        .majority = known ? majority[score] : (double)NAN,
                                        .low = known ? intervals[score][0] : (double)NAN,
                                        .high = known ? intervals[score][1] : (double)NAN};
    }
    return HSP_OK;
}

hsp_status hsp_evaluate(hsp_context *ctx, const hsp_model *model, hsp_data *data, hsp_error *err,
                        hsp_evaluation *out, uint64_t *confusion)
{
    HSP__NEED(err, ctx, model, data, out);
    HSP__REPORT(err, out, hsp_evaluation);
    hsp_evaluated *made = NULL;
    HSP__TRY(evaluate_new(ctx, model, data, NULL, 0, err, &made));
    const hsp_status status = hsp_evaluated_report(made, err, out, confusion, NULL);
    hsp_evaluated_free(made);
    return status;
}
