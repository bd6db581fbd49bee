/* The kind losses: hinge, squared hinge and logistic loss by the margin, and the rows of a data set on
 * the loss that a model was trained with, where the model puts them. */
#include <stdio.h>
#include <stdlib.h>

#include "learn/erm/loss.h"
#include "measure/evaluate.h"
#include "show/figure.h"

enum { LOSSES_NODES = 241 };

static const hsp_option losses_options[] = {
    HSP__CHOICE("loss", "model", "model|hinge|squared|logistic",
                "loss that the rows are put on; model: the one that the model was trained with, "
                "else hinge"),
    HSP__INTEGER("rows", "5000", 1, 1e6, "N", "draw at most N rows, evenly spread over the file")};

static const struct {
    const char *name, *title;
} losses_all[] = {{"hinge", "hinge"}, {"squared", "squared hinge"}, {"logistic", "logistic"}};

typedef struct losses {
    hsp_context *ctx;
    hsp_figure *figure;
    hsp__panel *panel;
    hsp__scratch scratch;
    const hsp__loss *loss;
    double *margins; /* count, and their classes */
    uint32_t *classes;
    uint64_t count;
} losses;

/* The loss that a model minimised. */
static hsp_status losses_of_model(hsp_context *ctx, const hsp_model *model, hsp_error *err,
                                  const hsp__loss **out)
{
    const char *learner = model ? hsp_model_metadata(model, "learner") : NULL;
    hsp_options *options = NULL;
    *out = hsp__loss_find(learner && strcmp(learner, "logistic") == 0 ? "logistic" : "hinge");
    if (!learner || strcmp(learner, "svm") != 0) return HSP_OK;
    hsp_status status = hsp_options_new(ctx, hsp_learner_find("svm"), err, &options);
    if (!status) status = hsp_model_set_options(model, options, err);
    if (!status) *out = hsp__loss_find(hsp_options_text(options, "loss"));
    hsp_options_free(options);
    return status;
}

/* The margins of all rows whose class the model knows. */
static hsp_status losses_margins(losses *of, const hsp_model *model, hsp_data *data, hsp_error *err)
{
    const hsp_view *view = NULL;
    const uint32_t scorers = hsp_model_scorers(model);
    HSP__TRY(hsp_data_view(of->ctx, data, err, &view));
    if (!view->labels)
        return hsp__fail(err, HSP_BAD_DATA, "the data has no labels, so its rows have no losses");
    if (!hsp__evaluate_has_margins(model))
        return hsp__fail(err, HSP_USAGE,
                         "the model has no margins: votes, neighbours and one-vs-one models have "
                         "none");
    double *scores = hsp__scratch_raw(&of->scratch, view->rows * scorers, sizeof *scores);
    of->margins = hsp__scratch_raw(&of->scratch, view->rows, sizeof *of->margins);
    of->classes = hsp__scratch_raw(&of->scratch, view->rows, sizeof *of->classes);
    if (of->scratch.failed) return hsp__fail_memory(err);
    HSP__TRY(hsp_model_score(of->ctx, model, view, err, scores, NULL));
    for (uint64_t i = 0; i < view->rows; i++) {
        const uint32_t class =
            hsp_model_class_of(model, hsp_data_class_name(data, view->labels[i]));
        if (class == HSP_NO_CLASS) continue;
        of->margins[of->count] = hsp__evaluate_margin(model, scores + i * scorers, class);
        of->classes[of->count++] = class;
    }
    char left[HSP__LABEL];
    if (!of->count) return hsp__fail(err, HSP_BAD_DATA, "no row has a label that the model knows");
    if (of->count < view->rows)
        hsp__figure_note(of->figure, "%s row%s of other classes left out",
                         hsp__label_count(view->rows - of->count, left),
                         view->rows - of->count == 1 ? "" : "s");
    return HSP_OK;
}

/* The rows, class by class, on the curve; what lies beyond the axes is counted. */
static void losses_rows(losses *of, const hsp_model *model, uint64_t most)
{
    double *x = hsp__scratch_raw(&of->scratch, of->count, sizeof *x);
    double *y = hsp__scratch_raw(&of->scratch, of->count, sizeof *y);
    const uint64_t step = (of->count + most - 1) / most;
    uint64_t beyond = 0, shown = 0;
    double sum = 0;
    char some[HSP__LABEL], all[HSP__LABEL];
    if (of->scratch.failed) return;
    for (uint64_t i = 0; i < of->count; i++)
        sum += of->loss->value(of->margins[i], 1 - of->margins[i]);
    for (uint32_t c = 0; c < hsp_model_classes(model); c++) {
        uint64_t count = 0;
        for (uint64_t i = 0; i < of->count; i += step) {
            const double m = of->margins[i], value = of->loss->value(m, 1 - m);
            if (of->classes[i] != c) continue;
            if (m < of->panel->x.low || m > of->panel->x.high || value > of->panel->y.high) {
                beyond++;
                continue;
            }
            x[count] = m;
            y[count++] = value;
        }
        shown += count;
        if (count)
            hsp__panel_points(of->panel, count, x, y,
                              (hsp__style){.color = HSP__CLASS(c),
                                           .shape = HSP__SHAPE(c),
                                           .size = of->count > 500 ? 2.6 : 3.6,
                                           .opacity = 0.75,
                                           .name = hsp_model_class_name(model, c)});
    }
    hsp__figure_note(of->figure, "mean %s loss %s over %s row%s", of->loss->name,
                     hsp__label_number(sum / (double)of->count, some),
                     hsp__label_count(of->count, all), of->count == 1 ? "" : "s");
    if (step > 1)
        hsp__figure_note(of->figure, "%s of %s rows shown, evenly spread over the file",
                         hsp__label_count(shown + beyond, some), hsp__label_count(of->count, all));
    if (beyond)
        hsp__figure_note(of->figure, "%s row%s beyond the axes", hsp__label_count(beyond, some),
                         beyond == 1 ? "" : "s");
}

static int losses_compare(const void *left, const void *right)
{
    const double a = *(const double *)left, b = *(const double *)right;
    return (a > b) - (a < b);
}

/* Where most of the margins are, at least from -2 to 3. */
static hsp_status losses_axes(losses *of, hsp_error *err)
{
    double low = -2, high = 3;
    if (of->count) {
        double *sorted = hsp__scratch_raw(&of->scratch, of->count, sizeof *sorted);
        if (!sorted) return hsp__fail_memory(err);
        memcpy(sorted, of->margins, of->count * sizeof *sorted);
        qsort(sorted, of->count, sizeof *sorted, losses_compare);
        low = fmin(low, fmax(sorted[of->count / 200], -8));
        high = fmax(high, fmin(sorted[of->count - 1 - of->count / 200], 8));
    }
    hsp__axis_range(&of->panel->x, low - 0.2, high + 0.2);
    hsp__axis_range(&of->panel->y, -0.15, fmin(fmax(3, of->loss->value(low, 1 - low)), 10) + 0.3);
    hsp__axis_label(of->panel, &of->panel->x, "margin y s(x)");
    hsp__axis_label(of->panel, &of->panel->y, "loss");
    return HSP_OK;
}

static void losses_curves(losses *of)
{
    double x[LOSSES_NODES], y[LOSSES_NODES];
    for (size_t k = 0; k < sizeof losses_all / sizeof *losses_all; k++) {
        const hsp__loss *loss = hsp__loss_find(losses_all[k].name);
        const int own = of->count && loss == of->loss;
        for (int i = 0; i < LOSSES_NODES; i++) {
            x[i] =
                of->panel->x.low + (of->panel->x.high - of->panel->x.low) * i / (LOSSES_NODES - 1);
            y[i] = loss->value(x[i], 1 - x[i]);
        }
        hsp__panel_line(
            of->panel, LOSSES_NODES, x, y,
            (hsp__style){.color = of->count ? (own ? HSP__INK : HSP__MUTED) : HSP__CLASS(k),
                         .width = own || !of->count ? 2 : 1.3,
                         .dash = own || !k ? HSP__SOLID
                                 : k == 1  ? HSP__DASHED
                                           : HSP__DOTTED,
                         .name = losses_all[k].title});
    }
    hsp__panel_rule(of->panel, 1, 0, 0, (hsp__style){.color = HSP__MUTED, .width = 1});
    hsp__panel_rule(of->panel, 1, 0, 1,
                    (hsp__style){.color = HSP__MUTED, .width = 1, .dash = HSP__DASHED});
}

static hsp_status losses_draw(losses *of, const hsp_plot_input *input, const hsp_options *options,
                              hsp_error *err)
{
    const hsp_model *model = input->model_count ? input->models[0] : NULL;
    const char *asked = hsp_options_text(options, "loss");
    if ((model != NULL) != (input->data_count > 0))
        return hsp__fail(err, HSP_USAGE,
                         "plot losses needs a model and its data, or neither: [MODEL DATA]");
    HSP__TRY(losses_of_model(of->ctx, model, err, &of->loss));
    if (strcmp(asked, "model") != 0) of->loss = hsp__loss_find(asked);
    assert(of->loss);
    if (model) HSP__TRY(losses_margins(of, model, input->data[0], err));
    of->panel = hsp__panel_add(of->figure, NULL);
    if (!of->panel) return hsp__fail_memory(err);
    HSP__TRY(losses_axes(of, err));
    losses_curves(of);
    if (model) losses_rows(of, model, (uint64_t)hsp_options_integer(options, "rows"));
    if (model && hsp__plot_threshold(model) > 0)
        hsp__figure_note(of->figure, "the model decides at the probability %.4g, not at margin 0",
                         hsp__plot_threshold(model));
    if (model && hsp_model_classes(model) > 2)
        hsp__figure_note(of->figure, "margin: score of the row's class less the best other");
    if (model && hsp_model_classes(model) > 2 && of->loss->form == HSP__LOGISTIC)
        hsp__figure_note(of->figure,
                         "softmax minimises -log p, which this margin alone does not tell");
    hsp__figure_title(of->figure, model ? "Loss of the rows by their margins" : "Losses by margin");
    return of->scratch.failed ? hsp__fail_memory(err) : HSP_OK;
}

static hsp_status losses_build(hsp_context *ctx, const hsp_plot_input *input,
                               const hsp_options *options, hsp_figure *figure, hsp_error *err)
{
    losses of = {.ctx = ctx, .figure = figure, .scratch = {.memory = &ctx->allocator}};
    const hsp_status status = losses_draw(&of, input, options, err);
    hsp__scratch_free(&of.scratch);
    return status;
}

const hsp__plot_kind hsp__plot_losses = {
    .table = {"losses", "hinge, squared hinge and logistic loss, with the rows on them",
              losses_options, sizeof losses_options / sizeof *losses_options},
    .needs = {"[MODEL DATA]", .models_most = 1, .data_most = 1},
    .build = losses_build,
};
