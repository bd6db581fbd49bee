/* The kinds weights and importance: how much each column counts in a model, the largest first. */
#include <stdio.h>
#include <stdlib.h>

#include "measure/evaluate.h"
#include "show/figure.h"

static const hsp_option weights_options[] = {
    HSP__CHOICE("units", "model", "model|file|standardised",
                "units of the weights: model: of the rows as scaled for training; file: of the "
                "numbers of the file; standardised: times the standard deviation of the column in "
                "DATA"),
    HSP__INTEGER("most", "20", 1, 1000, "N", "show at most N weights, the largest")};
static const hsp_option importance_options[] = {
    HSP__CHOICE("score", "error", HSP__SCORE_NAMES, "the score that shuffling makes worse"),
    HSP__INTEGER("repeats", "5", 1, 10000, "N", "shuffles of each column"),
    HSP__INTEGER("seed", "1", 0, 9007199254740992.0, "N", "seed of the shuffles"),
    HSP__INTEGER("most", "20", 1, 1000, "N", "show at most N columns, the most important")};

/* A column of the figure, to be sorted: groups of features that were made from one column of the file
 * stay together. */
typedef struct bars_item {
    uint64_t at;    /* the feature */
    double size;    /* of its largest weight */
    double group;   /* of the largest weight of its column */
    uint64_t first; /* feature of the column */
} bars_item;

static int bars_compare(const void *left, const void *right)
{
    const bars_item *a = left, *b = right;
    if (a->group != b->group) return a->group > b->group ? -1 : 1;
    if (a->first != b->first) return a->first < b->first ? -1 : 1;
    if (a->size != b->size) return a->size > b->size ? -1 : 1;
    return a->at < b->at ? -1 : a->at > b->at;
}

static int bars_by_size(const void *left, const void *right)
{
    const bars_item *a = left, *b = right;
    if (a->size != b->size) return a->size > b->size ? -1 : 1;
    return a->at < b->at ? -1 : a->at > b->at;
}

/* A panel with a line per name, the first on top, as high as they need. */
static hsp__panel *bars_panel(hsp_figure *figure, const char *const *names, uint32_t count,
                              const char *label)
{
    hsp__panel *panel = hsp__panel_add(figure, NULL);
    if (!panel) return NULL;
    hsp__axis_categories(panel, &panel->y, names, count);
    panel->y.reversed = 1;
    hsp__axis_label(panel, &panel->x, "%s", label);
    figure->height = fmax(300, 150 + 19.0 * count);
    return panel;
}

/* ---- Weights ---- */

typedef struct weights_plot {
    hsp_figure *figure;
    const hsp_model *model;
    hsp__scratch scratch;
    uint64_t features;
    uint32_t scorers;
    double *weights;    /* scorers * features */
    bars_item *items;   /* those other than 0 */
    uint64_t count;     /* of them */
    uint32_t shown;     /* of these */
    const char **names; /* shown */
} weights_plot;

/* The weights in the units that are asked for. */
static hsp_status weights_read(weights_plot *to, hsp_context *ctx, const hsp_plot_input *input,
                               const char *units, hsp_error *err)
{
    const char *name = input->model_names ? input->model_names[0] : NULL;
    const int standardised = strcmp(units, "standardised") == 0;
    hsp_summary *summary = NULL;
    if (!hsp_model_weights(to->model, 0))
        return hsp__fail_at(err, HSP_USAGE, name, 0, 0,
                            "the model has no weights, because it is not linear; plot importance "
                            "shows which columns matter");
    if (standardised && !input->data_count)
        return hsp__fail_option(err, "--units",
                                "standardised weights need the data file: its columns have the "
                                "deviations");
    if (standardised) HSP__TRY(hsp_summary_new(ctx, input->data[0], err, &summary));
    hsp_status status = HSP_OK;
    for (uint32_t s = 0; !status && s < to->scorers; s++) {
        double *own = to->weights + s * to->features;
        memcpy(own, hsp_model_weights(to->model, s), to->features * sizeof *own);
        if (strcmp(units, "model") == 0) continue;
        if (!hsp_model_file_weights(to->model, s, own, NULL))
            status = hsp__fail_option(err, "--units",
                                      "the model divides rows by their norm, so it has no weights "
                                      "in the units of the file; use --units model");
        for (uint64_t j = 0; !status && summary && j < to->features; j++) {
            const hsp_column_summary *column = hsp_summary_column(summary, j);
            own[j] *= column ? column->stdev : 0;
        }
    }
    hsp_summary_free(summary);
    return status;
}

/* Features with weights, those of a column together, the column with the largest weight first. */
static hsp_status weights_sort(weights_plot *to, uint32_t most, hsp_error *err)
{
    hsp__names sources;
    bars_item *largest = hsp__scratch_new(&to->scratch, to->features, sizeof *largest);
    hsp__names_init(&sources, to->scratch.memory);
    hsp_status status = to->scratch.failed ? hsp__fail_memory(err) : HSP_OK;
    for (uint64_t j = 0; !status && j < to->features; j++) {
        bars_item *item = &to->items[to->count];
        const char *source = hsp_model_feature_source(to->model, j);
        uint32_t number = HSP__NAME_NONE;
        *item = (bars_item){.at = j, .first = j};
        for (uint32_t s = 0; s < to->scorers; s++)
            item->size = fmax(item->size, fabs(to->weights[s * to->features + j]));
        item->group = item->size;
        if (!(item->size > 0)) continue;
        if (source && !hsp__names_add(&sources, source, strlen(source), &number))
            status = hsp__fail_memory(err);
        if (number != HSP__NAME_NONE) {
            if (!(largest[number].size > 0)) largest[number].at = j;
            largest[number].size = fmax(largest[number].size, item->size);
            item->first = number; /* for now */
        }
        to->count++;
    }
    for (uint64_t i = 0; !status && i < to->count; i++) {
        bars_item *item = &to->items[i];
        if (!hsp_model_feature_source(to->model, item->at)) continue;
        item->group = largest[item->first].size;
        item->first = largest[item->first].at;
    }
    hsp__names_free(&sources);
    if (status) return status;
    /* the largest weights are shown; these in their groups */
    qsort(to->items, to->count, sizeof *to->items, bars_by_size);
    to->shown = to->count < most ? (uint32_t)to->count : most;
    qsort(to->items, to->shown, sizeof *to->items, bars_compare);
    return HSP_OK;
}

static hsp_status weights_names(weights_plot *to, hsp_error *err)
{
    to->names = hsp__scratch_new(&to->scratch, to->shown, sizeof *to->names);
    char(*numbers)[HSP__LABEL] = hsp__scratch_new(&to->scratch, to->shown, HSP__LABEL);
    if (to->scratch.failed) return hsp__fail_memory(err);
    for (uint32_t i = 0; i < to->shown; i++) {
        to->names[i] = hsp_model_feature_name(to->model, to->items[i].at);
        if (to->names[i] && *to->names[i]) continue;
        snprintf(numbers[i], HSP__LABEL, "column %llu", (unsigned long long)to->items[i].at + 1);
        to->names[i] = numbers[i];
    }
    return HSP_OK;
}

/* One scorer: bars to the side of the class that a larger value speaks for. */
static void weights_bars(weights_plot *to, const char *label)
{
    hsp__panel *panel = bars_panel(to->figure, to->names, to->shown, label);
    double *x = hsp__scratch_raw(&to->scratch, to->shown, sizeof *x);
    double *y = hsp__scratch_raw(&to->scratch, to->shown, sizeof *y);
    if (to->scratch.failed) return;
    for (int side = 0; side < 2; side++) {
        uint64_t count = 0;
        char name[128];
        for (uint32_t i = 0; i < to->shown; i++) {
            const double w = to->weights[to->items[i].at];
            if ((w > 0) != side) continue;
            x[count] = w;
            y[count++] = i;
        }
        snprintf(name, sizeof name, "for %.100s",
                 hsp_model_class_name(to->model, side ? hsp_model_scorer_for(to->model, 0)
                                                      : hsp_model_scorer_against(to->model, 0)));
        if (count)
            hsp__panel_bars(panel, count, x, y, 0.7, 1,
                            (hsp__style){.color = HSP__CLASS(side), .name = name});
    }
    hsp__panel_rule(panel, 1, 0, 0, (hsp__style){.color = HSP__INK, .width = 1});
}

/* Several scorers: a map of classes and features. */
static void weights_map(weights_plot *to, const char *label)
{
    const uint32_t columns = to->scorers;
    const char **classes = hsp__scratch_new(&to->scratch, columns, sizeof *classes);
    char(*pairs)[96] = hsp__scratch_new(&to->scratch, columns, sizeof *pairs);
    double *cells = hsp__scratch_raw(&to->scratch, (uint64_t)columns * to->shown, sizeof *cells);
    double most = 0;
    if (to->scratch.failed) return;
    for (uint32_t s = 0; s < columns; s++) {
        const uint32_t other = hsp_model_scorer_against(to->model, s);
        classes[s] = hsp_model_class_name(to->model, hsp_model_scorer_for(to->model, s));
        if (other != HSP_NO_CLASS) {
            snprintf(pairs[s], sizeof pairs[s], "%.40s, not %.40s", classes[s],
                     hsp_model_class_name(to->model, other));
            classes[s] = pairs[s];
        }
        for (uint32_t i = 0; i < to->shown; i++) {
            const double w = to->weights[s * to->features + to->items[i].at];
            cells[(uint64_t)i * columns + s] = w;
            most = fmax(most, fabs(w));
        }
    }
    hsp__panel *panel = bars_panel(to->figure, to->names, to->shown, "class");
    if (!panel) return;
    hsp__axis_categories(panel, &panel->x, classes, columns);
    panel->grid_off = 1;
    hsp__panel_cells(panel, columns, to->shown, -0.5, columns - 0.5, -0.5, to->shown - 0.5, cells,
                     HSP__SCALE_DIVERGING, -most, most);
    hsp__panel_bar(panel, label);
}

static hsp_status weights_draw(weights_plot *to, hsp_context *ctx, const hsp_plot_input *input,
                               const hsp_options *options, hsp_error *err)
{
    static const char *const labels[] = {"weight", "weight per unit of the file",
                                         "weight times standard deviation"};
    const char *units = hsp_options_text(options, "units");
    const int file = strcmp(units, "file") == 0, model = strcmp(units, "model") == 0;
    char label[64], some[HSP__LABEL], all[HSP__LABEL];
    const char *scaling = hsp_model_scaling_kind(to->model);
    to->weights = hsp__scratch_raw(&to->scratch, to->scorers * to->features, sizeof *to->weights);
    to->items = hsp__scratch_new(&to->scratch, to->features, sizeof *to->items);
    if (to->scratch.failed) return hsp__fail_memory(err);
    HSP__TRY(weights_read(to, ctx, input, units, err));
    HSP__TRY(weights_sort(to, (uint32_t)hsp_options_integer(options, "most"), err));
    if (!to->shown)
        return hsp__fail_at(err, HSP_BAD_DATA, input->model_names ? input->model_names[0] : NULL, 0,
                            0, "all weights of the model are 0: there is nothing to draw");
    HSP__TRY(weights_names(to, err));
    snprintf(label, sizeof label, "%s%s%s%s",
             labels[model  ? 0
                    : file ? 1
                           : 2],
             model && scaling ? " (scaling: " : "", model && scaling ? scaling : "",
             model && scaling ? ")" : "");
    if (to->scorers == 1)
        weights_bars(to, label);
    else
        weights_map(to, label);
    hsp__figure_title(to->figure, "Weights");
    if (to->shown < to->count)
        hsp__figure_note(to->figure, "the %s largest of %s weights",
                         hsp__label_count(to->shown, some), hsp__label_count(to->count, all));
    if (to->count < to->features)
        hsp__figure_note(to->figure, "%s feature%s with weight 0",
                         hsp__label_count(to->features - to->count, some),
                         to->features - to->count == 1 ? "" : "s");
    return to->scratch.failed ? hsp__fail_memory(err) : HSP_OK;
}

static hsp_status weights_build(hsp_context *ctx, const hsp_plot_input *input,
                                const hsp_options *options, hsp_figure *figure, hsp_error *err)
{
    const hsp_model *model = input->models[0];
    weights_plot to = {.figure = figure,
                       .model = model,
                       .scratch = {.memory = &ctx->allocator},
                       .features = hsp_model_features(model),
                       .scorers = hsp_model_scorers(model)};
    const hsp_status status = weights_draw(&to, ctx, input, options, err);
    hsp__scratch_free(&to.scratch);
    return status;
}

/* ---- Permutation importance ---- */

static hsp_status importance_draw(const hsp_importances *all, const hsp_options *options,
                                  hsp__scratch *scratch, hsp_figure *figure, hsp_error *err)
{
    const uint64_t most = (uint64_t)hsp_options_integer(options, "most");
    uint64_t count = 0, known = 0;
    while (hsp_importances_at(all, count))
        count++;
    bars_item *items = hsp__scratch_new(scratch, count, sizeof *items);
    const char **names = hsp__scratch_new(scratch, count, sizeof *names);
    double *x = hsp__scratch_raw(scratch, count, sizeof *x),
           *y = hsp__scratch_raw(scratch, count, sizeof *y);
    double *ends = hsp__scratch_raw(scratch, 3 * count, sizeof *ends);
    double *places = hsp__scratch_raw(scratch, 3 * count, sizeof *places);
    char label[96], some[HSP__LABEL], whole[HSP__LABEL];
    if (scratch->failed) return hsp__fail_memory(err);
    for (uint64_t i = 0; i < count; i++) {
        const double mean = hsp_importances_at(all, i)->mean;
        if (!isnan(mean)) items[known++] = (bars_item){.at = i, .size = mean};
    }
    if (!known)
        return hsp__fail_option(err, "--score", "%s is not defined on these rows",
                                hsp_options_text(options, "score"));
    qsort(items, known, sizeof *items, bars_by_size);
    const uint32_t shown = known < most ? (uint32_t)known : (uint32_t)most;
    for (uint32_t i = 0; i < shown; i++) {
        const hsp_importance *one = hsp_importances_at(all, items[i].at);
        names[i] = one->name;
        x[i] = one->mean;
        y[i] = places[3 * i] = places[3 * i + 1] = i;
        ends[3 * i] = one->mean - one->deviation;
        ends[3 * i + 1] = one->mean + one->deviation;
        ends[3 * i + 2] = places[3 * i + 2] = (double)NAN;
    }
    snprintf(label, sizeof label, "how much worse the %s becomes",
             hsp_options_text(options, "score"));
    hsp__panel *panel = bars_panel(figure, names, shown, label);
    hsp__panel_bars(panel, shown, x, y, 0.7, 1, (hsp__style){.color = HSP__CLASS(0)});
    hsp__panel_line(panel, 3 * (uint64_t)shown, ends, places,
                    (hsp__style){.color = HSP__INK, .width = 1.2});
    hsp__panel_rule(panel, 1, 0, 0, (hsp__style){.color = HSP__INK, .width = 1});
    hsp__figure_title(figure, "Permutation importance");
    if (shown < count)
        hsp__figure_note(figure, "the %s most important of %s columns",
                         hsp__label_count(shown, some), hsp__label_count(count, whole));
    hsp__figure_note(figure, "lines: one standard deviation of the shuffles");
    return HSP_OK;
}

static hsp_status importance_build(hsp_context *ctx, const hsp_plot_input *input,
                                   const hsp_options *options, hsp_figure *figure, hsp_error *err)
{
    static const char *const same[] = {"score", "repeats", "seed"};
    hsp__scratch scratch = {.memory = &ctx->allocator};
    hsp_evaluated *rows = NULL;
    hsp_importances *all = NULL;
    hsp_options *how = NULL;
    hsp_status status = hsp_options_new(ctx, hsp_evaluate_options(), err, &how);
    for (size_t i = 0; !status && i < sizeof same / sizeof *same; i++) {
        char number[32];
        snprintf(number, sizeof number, "%lld",
                 i ? (long long)hsp_options_integer(options, same[i]) : 0);
        status =
            hsp_options_set(how, same[i], i ? number : hsp_options_text(options, same[i]), err);
    }
    if (!status) status = hsp_evaluated_new(ctx, input->models[0], input->data[0], how, err, &rows);
    if (!status) status = hsp_importances_new(ctx, rows, input->data[0], how, err, &all);
    if (!status) status = importance_draw(all, options, &scratch, figure, err);
    hsp_importances_free(all);
    hsp_evaluated_free(rows);
    hsp_options_free(how);
    hsp__scratch_free(&scratch);
    return status;
}

const hsp__plot_kind hsp__plot_weights = {
    .table = {"weights", "weights of a linear model, the largest first", weights_options,
              sizeof weights_options / sizeof *weights_options},
    .needs = {"MODEL [DATA]", .models_least = 1, .models_most = 1, .data_most = 1},
    .build = weights_build,
};
const hsp__plot_kind hsp__plot_importance = {
    .table = {"importance", "permutation importance of the columns", importance_options,
              sizeof importance_options / sizeof *importance_options},
    .needs = {"MODEL DATA", .models_least = 1, .models_most = 1, .data_least = 1, .data_most = 1},
    .build = importance_build,
};
