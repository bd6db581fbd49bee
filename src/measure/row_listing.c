/* One line per row: what a model says of it (docs/measuring.md).
 *
 * Dual coefficients belong to the training rows. They are listed if the rows are those that the model
 * was trained on, by the hash that it keeps, with the row's part of the duality gap, which is 0 if and
 * only if the KKT conditions hold at the row: loss(m) - e(a) / c + (a / c) m (learn/erm/loss.h). */
#include <stdio.h>

#include "base/base.h"
#include "learn/erm/erm.h"
#include "learn/learner.h"
#include "learn/row_weights.h"
#include "measure/evaluate.h"
#include "data/listing.h"
#include "data/shard.h"

#define ROWS_SLICE ((uint64_t)1 << 16) /* scores at a time, about */

typedef struct rows_state {
    hsp_context *ctx;
    const hsp_evaluated *evaluated;
    const hsp_model *model;
    const hsp_data *data;
    hsp__listing to;
    double norm;                    /* ||w||; NaN: none */
    const hsp__loss *loss;          /* that the learner minimises; NULL: hinge */
    double cost[2];                 /* of the rows of each class in training; NaN: not known */
    double *dual;                   /* rows: a >= 0, NULL: there are none */
    double *chances, *class_scores; /* classes */
} rows_state;

/* The loss, and what a row cost in training. */
static hsp_status rows_problem(rows_state *state, hsp_error *err)
{
    const char *learner = hsp_model_metadata(state->model, "learner");
    const hsp__scored *kept = &state->evaluated->kept;
    hsp_options *options = NULL;
    hsp__plan plan = {0};
    double weight[2] = {1, 1};
    int balanced = 0;
    state->cost[0] = state->cost[1] = (double)NAN;
    if (!learner || (strcmp(learner, "svm") != 0 && strcmp(learner, "logistic") != 0))
        return HSP_OK;
    hsp_status status = hsp_options_new(state->ctx, hsp_learner_find(learner), err, &options);
    if (!status) status = hsp_model_set_options(state->model, options, err);
    if (!status) status = hsp__erm_plan_read(options, &plan, err);
    if (!status && kept->classes == 2)
        status = hsp__row_weights_classes(state->ctx, options, &state->model->class_names, err,
                                          weight, &balanced);
    if (!status)
        state->loss = hsp__loss_find(strcmp(learner, "svm") == 0 ? hsp_options_text(options, "loss")
                                                                 : "logistic");
    const int weighted = !status && hsp_options_text(options, "row-weight") != NULL;
    hsp_options_free(options);
    if (status) return status;
    if (plan.hard || !state->loss || kept->classes != 2 || plan.penalty != HSP__PENALTY_L2 ||
        (weighted && (!kept->weight || balanced || !(plan.C > 0))))
        return HSP_OK;
    double of[2] = {0, 0};
    for (uint64_t i = 0; i < kept->rows; i++)
        of[kept->truth[i]]++;
    const double C = plan.C > 0 ? plan.C : 1 / (plan.lambda * (double)kept->rows);
    for (int c = 0; c < 2; c++)
        state->cost[c] = C * weight[c] * (balanced ? (double)kept->rows / (2 * of[c]) : 1);
    return HSP_OK;
}

/* The dual coefficients, or why there are none. */
static hsp_status rows_dual(rows_state *state, hsp__scratch *scratch, hsp_error *err,
                            const char **note)
{
    const hsp_model *model = state->model;
    const hsp_evaluated *evaluated = state->evaluated;
    const hsp_row_coefficients kept = hsp_model_row_coefficients(model);
    const hsp__expansion *expansion = model->expansion;
    hsp__trained seen = HSP__TRAINED_NO;
    *note = NULL;
    if (isnan(state->cost[0]))
        *note = "the model is not one of two classes by svm or logistic with the l2 penalty";
    else if (!kept.count && !expansion)
        *note = "the model keeps no dual coefficients; train it with --keep-dual";
    if (*note) return HSP_OK;
    HSP__TRY(hsp__view_seen(state->ctx, &state->data->view, model, err, &seen));
    if (seen != HSP__TRAINED_YES) {
        *note = "the model was trained on other rows";
        return HSP_OK;
    }
    double *dual = hsp__scratch_new(scratch, evaluated->rows, sizeof *dual);
    if (!dual) return hsp__fail_memory(err);
    for (uint64_t k = 0; k < kept.count; k++)
        if (kept.row[k] < evaluated->kept.rows)
            dual[evaluated->origin[kept.row[k]]] = fabs(kept.amount[k]);
    for (uint64_t k = 0; !kept.count && k < hsp_model_support(model, NULL); k++)
        if (expansion->source[k] < evaluated->rows)
            dual[expansion->source[k]] = fabs(expansion->coefficients[k]);
    state->dual = dual;
    return HSP_OK;
}

static void rows_margin(rows_state *state, const double *scores, uint64_t row, uint32_t class,
                        double weight)
{
    hsp__listing *to = &state->to;
    const int known = class != HSP_NO_CLASS, has = hsp__evaluate_has_margins(state->model);
    const double none = (double)NAN,
                 m = known && has ? hsp__evaluate_margin(state->model, scores, class) : none;
    const double slack = m >= 1 ? 0 : 1 - m; /* NaN stays */
    const int several = hsp_model_classes(state->model) > 2;
    const int log_loss = several && state->loss && state->loss->form == HSP__LOGISTIC;
    const double loss = isnan(m)      ? none
                        : log_loss    ? -log(fmax(state->chances[class], 0x1p-52))
                        : state->loss ? state->loss->value(m, 1 - m)
                                      : slack;
    hsp__listing_number(to, m);
    if (!several) hsp__listing_number(to, has ? scores[0] / state->norm : none);
    hsp__listing_number(to, loss);
    hsp__listing_number(to, slack);
    if (several) return;
    const double a = state->dual && known ? state->dual[row] : none;
    const double c = known ? state->cost[class] * weight : none;
    hsp__listing_number(to, a);
    hsp__listing_number(
        to,
        isnan(a) || !(c > 0)
            ? none
            : fmax(0, loss - state->loss->conjugate(fmin(a, hsp__loss_cap(state->loss, c)), c) / c +
                          a / c * m));
}

static void rows_put(rows_state *state, const double *scores, uint64_t row, uint32_t predicted,
                     double weight)
{
    const hsp_model *model = state->model;
    hsp__listing *to = &state->to;
    const uint32_t classes = hsp_model_classes(model);
    const char *label = hsp_data_class_name(state->data, state->data->view.labels[row]);
    const uint32_t class = hsp_model_class_of(model, label);
    const int chances = hsp_model_has_probabilities(model);
    if (chances) hsp_model_probabilities(model, scores, state->chances);
    const double t = state->evaluated->threshold;
    const double beyond = (chances ? state->chances[1] : scores[0]) - t;
    if (!isnan(t)) predicted = hsp__decide(&beyond, 1, model->tie);
    hsp__listing_number(to, (double)row + 1);
    hsp__listing_text(to, label);
    hsp__listing_text(to,
                      predicted == HSP_NO_CLASS ? NULL : hsp_model_class_name(model, predicted));
    if (classes == 2) {
        hsp__listing_number(to, scores[0]);
        hsp__listing_number(to, chances ? state->chances[1] : (double)NAN);
    } else {
        hsp_model_class_scores(model, scores, state->class_scores);
        for (uint32_t c = 0; c < classes; c++)
            hsp__listing_number(to, state->class_scores[c]);
        for (uint32_t c = 0; chances && c < classes; c++)
            hsp__listing_number(to, state->chances[c]);
    }
    rows_margin(state, scores, row, class, weight);
}

/* The names of the columns; those of more than two classes have a column per class. */
static hsp_status rows_names(rows_state *state, hsp__scratch *scratch, hsp_error *err)
{
    static const char *const two[] = {"row",         "label",  "predicted", "score",
                                      "probability", "margin", "distance",  "loss",
                                      "slack",       "dual",   "kkt"};
    static const char *const kinds[] = {"score", "probability"};
    const uint32_t classes = hsp_model_classes(state->model);
    const int lists = hsp_model_has_probabilities(state->model) ? 2 : 1;
    state->to.names = two;
    state->to.columns = sizeof two / sizeof *two;
    if (classes == 2) return HSP_OK;
    const char **names = hsp__scratch_new(scratch, 6 + 2 * (uint64_t)classes, sizeof *names);
    if (!names) return hsp__fail_memory(err);
    size_t count = 0;
    for (; count < 3; count++)
        names[count] = two[count];
    for (int kind = 0; kind < lists; kind++)
        for (uint32_t c = 0; c < classes; c++) {
            const char *class = hsp_model_class_name(state->model, c);
            const size_t size = strlen(class) + strlen(kinds[kind]) + 2;
            char *name = hsp__scratch_raw(scratch, size, 1);
            if (!name) return hsp__fail_memory(err);
            snprintf(name, size, "%s_%s", kinds[kind], class);
            names[count++] = name;
        }
    names[count++] = "margin";
    names[count++] = "loss";
    names[count++] = "slack";
    state->to.names = names;
    state->to.columns = count;
    return HSP_OK;
}

static hsp_status rows_run(rows_state *state, hsp__scratch *scratch, hsp_error *err)
{
    const hsp_evaluated *evaluated = state->evaluated;
    const hsp_view *view = &state->data->view;
    const uint64_t scorers = state->model->scorers, slice = ROWS_SLICE / scorers + 1;
    double *scores = hsp__scratch_raw(scratch, slice * scorers, sizeof *scores);
    uint32_t *predicted = hsp__scratch_raw(scratch, slice, sizeof *predicted);
    uint64_t next = 0; /* of the rows that are kept: they have the weights */
    if (scratch->failed) return hsp__fail_memory(err);
    for (uint64_t from = 0; from < view->rows; from += slice) {
        const uint64_t count = view->rows - from < slice ? view->rows - from : slice;
        const hsp_view part = hsp__view_slice(view, from, from + count);
        HSP__TRY(hsp_model_score(state->ctx, state->model, &part, err, scores, predicted));
        for (uint64_t i = 0; i < count; i++) {
            const int kept = next < evaluated->kept.rows && evaluated->origin[next] == from + i;
            const double weight = kept && evaluated->weight ? evaluated->weight[next] : 1;
            next += (uint64_t)kept;
            rows_put(state, scores + i * scorers, from + i, predicted[i], weight);
        }
        HSP__TRY(hsp__listing_flush(&state->to, err));
    }
    return HSP_OK;
}

/* Of all rows. */
static hsp_status rows_whole(hsp_context *ctx, const hsp_evaluated *evaluated, const hsp_data *data,
                             const hsp_options *options, const char *path, hsp_error *err,
                             const char **note)
{
    hsp__stop stop;
    hsp_context own = hsp__stop_open(&stop, ctx);
    hsp__scratch scratch = {.memory = &ctx->allocator};
    const hsp_model *model = evaluated->model;
    const uint32_t classes = hsp_model_classes(model);
    rows_state state = {.ctx = &own, .evaluated = evaluated, .model = model, .data = data};
    own.log = NULL; /* evaluating has said it */
    if (data->view.rows != evaluated->rows)
        return hsp__fail(err, HSP_USAGE, "these are not the rows that were evaluated");
    state.to.ctx = &own;
    state.to.json = strcmp(hsp_options_text(options, "output-format"), "json") == 0;
    state.norm = model->scorers == 1 && hsp__evaluate_has_margins(model)
                     ? hsp__evaluate_norm(&own, model)
                     : (double)NAN;
    state.chances = hsp__scratch_raw(&scratch, classes, sizeof *state.chances);
    state.class_scores = hsp__scratch_raw(&scratch, classes, sizeof *state.class_scores);
    hsp_status status = scratch.failed ? hsp__fail_memory(err) : rows_problem(&state, err);
    if (!status) status = rows_dual(&state, &scratch, err, note);
    if (!status) status = rows_names(&state, &scratch, err);
    if (!status) {
        status = hsp__listing_begin(&state.to, path, err);
        if (!status) status = rows_run(&state, &scratch, err);
        status = hsp__listing_end(&state.to, status, err);
    }
    hsp__scratch_free(&scratch);
    return status;
}

hsp_status hsp_evaluated_rows(hsp_context *ctx, const hsp_evaluated *evaluated, hsp_data *data,
                              const hsp_options *options, const char *path, hsp_error *err,
                              const char **note)
{
    HSP__NEED(err, ctx, evaluated, data, options, path, note);
    hsp_data *whole = NULL;
    if (data->shard.ranks) HSP__TRY(hsp_data_gather(ctx, data, err, &whole));
    const hsp_status status =
        rows_whole(ctx, evaluated, whole ? whole : data, options, path, err, note);
    hsp_data_free(whole);
    return status;
}
