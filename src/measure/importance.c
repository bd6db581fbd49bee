/* Permutation importance: how much worse a score becomes when the values of one column of the file
 * are shuffled among the rows. All features that a column became (a category has one per value) are
 * shuffled together. Shuffles are by the seed, the column and the repeat, and scores have the same
 * bits on any number of threads. Memory: one copy of the rows. */
#include <stdio.h>

#include "base/base.h"
#include "data/shard.h"
#include "base/random.h"
#include "data/encode.h"
#include "measure/evaluate.h"
#include "model/scored_rows.h"

struct hsp_importances {
    hsp_allocator memory;
    uint64_t count;
    hsp_importance *list;
    hsp__names names; /* of the columns */
};

typedef struct importance_state {
    hsp_context *ctx;
    const hsp_evaluated *evaluated;
    const hsp_view *view;
    hsp__score score;
    uint64_t *from;    /* rows: which row's values of the column row i gets */
    void *values;      /* a copy of the view's arrays, to be changed */
    uint64_t *starts;  /* sparse */
    uint32_t *indices; /* sparse */
    double *scores;    /* rows * scorers */
    uint32_t *predicted;
    hsp__scored scored; /* rows that are kept */
} importance_state;

/* The score of the model on rows. */
static hsp_status importance_score(importance_state *state, const hsp_view *view, hsp_error *err,
                                   double *out)
{
    const hsp_evaluated *evaluated = state->evaluated;
    const hsp_model *model = evaluated->model;
    hsp__scored *to = &state->scored;
    HSP__TRY(hsp_model_score(state->ctx, model, view, err, state->scores, state->predicted));
    for (uint64_t i = 0; i < to->rows; i++) {
        const uint64_t row = evaluated->origin[i];
        const double *scores = state->scores + row * model->scorers;
        to->predicted[i] = state->predicted[row];
        double *probability = to->probability ? to->probability + i * to->classes : NULL;
        if (probability) hsp_model_probabilities(model, scores, probability);
        if (to->ranking)
            hsp__class_ranking(model, scores, probability, to->ranking + i * to->columns);
        if (isnan(evaluated->threshold)) continue;
        const double beyond =
            (to->probability ? to->probability[2 * i + 1] : scores[0]) - evaluated->threshold;
        to->predicted[i] = hsp__decide(&beyond, 1, model->tie);
    }
    return hsp__score_rows(state->ctx, to, state->score, err, out);
}

static uint64_t importance_below(const hsp__row *row, uint64_t column)
{
    uint64_t low = 0, high = row->count;
    while (low < high) {
        const uint64_t middle = low + (high - low) / 2;
        if (hsp__row_column(row, middle) < column)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

/* The rows with the columns first .. end - 1 of other rows. */
static hsp_view importance_shuffled(importance_state *state, uint64_t first, uint64_t end)
{
    const hsp_view *view = state->view;
    const size_t bytes = hsp__value_bytes(view->precision);
    char *values = state->values;
    hsp_view out = *view;
    out.values = values;
    if (view->storage == HSP_DENSE) {
        for (uint64_t i = 0; i < view->rows; i++)
            memcpy(values + (i * view->stride + first) * bytes,
                   (const char *)view->values + (state->from[i] * view->stride + first) * bytes,
                   (end - first) * bytes);
        return out;
    }
    uint64_t at = 0;
    for (uint64_t i = 0; i < view->rows; i++) {
        const hsp__row own = hsp__view_row(view, i), other = hsp__view_row(view, state->from[i]);
        const uint64_t cut[2] = {importance_below(&own, first), importance_below(&own, end)};
        const uint64_t pick[2] = {importance_below(&other, first), importance_below(&other, end)};
        const hsp__row *const rows[3] = {&own, &other, &own};
        const uint64_t begin[3] = {0, pick[0], cut[1]}, stop[3] = {cut[0], pick[1], own.count};
        state->starts[i] = at;
        for (int part = 0; part < 3; part++) {
            const uint64_t count = stop[part] - begin[part];
            if (!count) continue;
            memcpy(state->indices + at, rows[part]->indices + begin[part],
                   count * sizeof *state->indices);
            if (values)
                memcpy(values + at * bytes, (const char *)rows[part]->values + begin[part] * bytes,
                       count * bytes);
            at += count;
        }
    }
    state->starts[view->rows] = at;
    out.starts = state->starts;
    out.starts_bytes = 8;
    out.indices = state->indices;
    return out;
}

/* Dense rows get their own values back. */
static void importance_restore(importance_state *state, uint64_t first, uint64_t end)
{
    for (uint64_t i = 0; i < state->view->rows; i++)
        state->from[i] = i;
    if (state->view->storage == HSP_DENSE) (void)importance_shuffled(state, first, end);
}

static hsp_status importance_column(importance_state *state, uint64_t column, uint64_t first,
                                    uint64_t end, const hsp_options *options, double base,
                                    hsp_error *err, hsp_importance *out)
{
    const uint64_t repeats = (uint64_t)hsp_options_integer(options, "repeats");
    const uint64_t seed = (uint64_t)hsp_options_integer(options, "seed");
    const double sign = hsp__score_is_loss(state->score) ? -1 : 1;
    double sum = 0, squares = 0;
    for (uint64_t r = 0; r < repeats; r++) {
        hsp__random random;
        double value;
        for (uint64_t i = 0; i < state->view->rows; i++)
            state->from[i] = i;
        hsp__random_seed(&random, seed, column * repeats + r);
        hsp__random_shuffle(&random, state->from, state->view->rows);
        const hsp_view shuffled = importance_shuffled(state, first, end);
        HSP__TRY(importance_score(state, &shuffled, err, &value));
        const double drop = sign * (base - value);
        const double before = drop - (r ? sum / (double)r : 0); /* Welford */
        sum += drop;
        squares += before * (drop - sum / (double)(r + 1));
    }
    importance_restore(state, first, end);
    out->mean = sum / (double)repeats;
    out->deviation = sqrt(squares / (double)repeats);
    return HSP_OK;
}

/* Room for what is changed. */
static hsp_status importance_begin(importance_state *state, hsp__scratch *scratch, hsp_error *err)
{
    const hsp_view *view = state->view;
    const hsp__scored *kept = &state->evaluated->kept;
    const size_t bytes = hsp__value_bytes(view->precision);
    const int dense = view->storage == HSP_DENSE;
    const uint64_t stored = dense ? view->rows * view->stride : hsp_view_stored(view);
    hsp__scored *to = &state->scored;
    *to = *kept;
    state->from = hsp__scratch_raw(scratch, view->rows, sizeof *state->from);
    if (view->values) state->values = hsp__scratch_raw(scratch, stored, bytes);
    if (!dense) state->starts = hsp__scratch_raw(scratch, view->rows + 1, sizeof *state->starts);
    if (!dense) state->indices = hsp__scratch_raw(scratch, stored, sizeof *state->indices);
    state->scores = hsp__scratch_raw(scratch, view->rows * state->evaluated->model->scorers,
                                     sizeof *state->scores);
    state->predicted = hsp__scratch_raw(scratch, view->rows, sizeof *state->predicted);
    to->predicted = hsp__scratch_raw(scratch, kept->rows, sizeof *to->predicted);
    if (kept->ranking)
        to->ranking = hsp__scratch_raw(scratch, kept->rows * kept->columns, sizeof *to->ranking);
    if (kept->probability)
        to->probability =
            hsp__scratch_raw(scratch, kept->rows * kept->classes, sizeof *to->probability);
    if (scratch->failed) return hsp__fail_memory(err);
    if (dense && stored) memcpy(state->values, view->values, stored * bytes);
    return HSP_OK;
}

/* The name of a column: of the file, of the feature, or its number. */
static int importance_name(const hsp_data *data, const hsp_encoding *encoding, uint64_t column,
                           hsp__names *names)
{
    char number[32];
    uint32_t added;
    const char *name = encoding ? hsp__names_get(&encoding->names, (uint32_t)column)
                                : hsp_data_feature_name(data, column);
    const int from_zero = data->index_base && strcmp(data->index_base, "0") == 0;
    snprintf(number, sizeof number, "%llu", (unsigned long long)column + !from_zero);
    if (!name) name = number;
    return hsp__names_add(names, name, strlen(name), &added);
}

static hsp_status importance_run(importance_state *state, const hsp_data *data,
                                 const hsp_options *options, hsp_error *err, hsp_importances *out)
{
    const hsp_encoding *encoding = data->encoding;
    const uint64_t columns = encoding ? encoding->names.count : state->view->cols;
    uint64_t first = 0;
    double base;
    out->list = hsp__new(&out->memory, columns, sizeof *out->list);
    if (!out->list) return hsp__fail_memory(err);
    HSP__TRY(importance_score(state, state->view, err, &base));
    for (uint64_t c = 0; c < columns; c++) {
        const uint64_t width = encoding ? hsp__encoding_width(&encoding->columns[c]) : 1;
        hsp_importance *one = &out->list[out->count];
        if (!width) continue; /* the label, and what is ignored */
        if (!importance_name(data, encoding, c, &out->names)) return hsp__fail_memory(err);
        HSP__TRY(importance_column(state, c, first, first + width, options, base, err, one));
        one->name = NULL; /* names may move while they are added */
        out->count++;
        first += width;
        HSP__TRY(hsp__progress(state->ctx, "shuffling", "columns", c + 1, columns, err));
    }
    for (uint64_t i = 0; i < out->count; i++)
        out->list[i].name = hsp__names_get(&out->names, (uint32_t)i);
    return HSP_OK;
}

/* Of all rows. */
static hsp_status importance_whole(hsp_context *ctx, const hsp_evaluated *evaluated, hsp_data *data,
                                   const hsp_options *options, hsp_error *err,
                                   hsp_importances **out)
{
    hsp__stop stop;
    hsp_context own = hsp__stop_open(&stop, ctx);
    hsp__scratch scratch = {.memory = &ctx->allocator};
    importance_state state = {.ctx = &own, .evaluated = evaluated};
    own.log = NULL; /* evaluating has said it */
    HSP__TRY(hsp_data_view(&own, data, err, &state.view));
    state.score = hsp__score_of(hsp_options_text(options, "score"));
    if (state.view->rows != evaluated->rows)
        return hsp__fail(err, HSP_USAGE, "these are not the rows that were evaluated");
    if (hsp__score_needs_probability(state.score) && !evaluated->kept.probability)
        return hsp__fail_option(err, "--score", "the model has no probabilities, which %s needs",
                                hsp__score_name(state.score));
    hsp_importances *made = hsp__new(&ctx->allocator, 1, sizeof *made);
    if (!made) return hsp__fail_memory(err);
    made->memory = ctx->allocator;
    hsp__names_init(&made->names, &ctx->allocator);
    hsp_status status = importance_begin(&state, &scratch, err);
    if (!status) status = importance_run(&state, data, options, err, made);
    hsp__scratch_free(&scratch);
    if (status)
        hsp_importances_free(made);
    else
        *out = made;
    return status;
}

hsp_status hsp_importances_new(hsp_context *ctx, const hsp_evaluated *evaluated, hsp_data *data,
                               const hsp_options *options, hsp_error *err, hsp_importances **out)
{
    HSP__NEED(err, ctx, evaluated, data, options, out);
    hsp_data *whole = NULL;
    if (data->shard.ranks) HSP__TRY(hsp_data_gather(ctx, data, err, &whole));
    const hsp_status status =
        importance_whole(ctx, evaluated, whole ? whole : data, options, err, out);
    hsp_data_free(whole);
    return status;
}

void hsp_importances_free(hsp_importances *importances)
{
    if (!importances) return;
    const hsp_allocator memory = importances->memory;
    hsp__names_free(&importances->names);
    hsp__free(&memory, importances->list);
    hsp__free(&memory, importances);
}

const hsp_importance *hsp_importances_at(const hsp_importances *importances, uint64_t i)
{
    return importances && i < importances->count ? &importances->list[i] : NULL;
}
