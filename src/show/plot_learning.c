/* The kind learning: a learner's score on rows that it was trained on, and on rows held out by
 * cross-validation, over growing parts of the data. Parts are nested and have the classes in
 * proportion; the last is all rows, where the held-out score is that of cv. */
#include <stdio.h>
#include <stdlib.h>

#include "base/random.h"
#include "measure/evaluate.h"
#include "show/figure.h"

enum { LEARNING_LEAST = 10 }; /* rows of the smallest part */

static const hsp_option learning_options[] = {
    HSP__TEXT("learner", "svm", "NAME", "the learner, as 'halfspace learners' lists them"),
    HSP__LIST("set", "NAME=VALUE", "an option of the learner, as in --set C=10"),
    HSP__CHOICE("score", "error", HSP__SCORE_NAMES, "the score"),
    HSP__INTEGER("folds", "5", 2, 1000, "K", "folds of the cross-validation"),
    HSP__INTEGER("sizes", "8", 2, 100, "N", "number of parts, their sizes in equal ratios"),
    HSP__INTEGER("seed", "1", 0, 9007199254740992.0, "N",
                 "seed of the order in which rows join, and of the folds")};

typedef struct learning {
    hsp_context *ctx;
    const hsp_options *options;
    hsp_figure *figure;
    hsp__scratch scratch;
    hsp_data *data;
    const hsp_view *view;
    hsp_options *learner, *validate, *evaluate;
    hsp__score score;
    uint64_t *order;       /* rows: class by class, each shuffled */
    uint64_t *class_first; /* classes + 1: where each class begins in it */
    uint64_t *rows;        /* of the part at hand */
    uint32_t unconverged;
} learning;

/* ---- Options ---- */

static hsp_status learning_set(hsp_context *ctx, const hsp_option_table *table, hsp_error *err,
                               hsp_options **out, const char *const *names, const hsp_options *from)
{
    HSP__TRY(hsp_options_new(ctx, table, err, out));
    for (; *names; names += 2) { /* ours, theirs */
        char number[32];
        const int text = strcmp(names[0], "score") == 0;
        if (!text)
            snprintf(number, sizeof number, "%lld", (long long)hsp_options_integer(from, names[0]));
        HSP__TRY(
            hsp_options_set(*out, names[1], text ? hsp_options_text(from, names[0]) : number, err));
    }
    return HSP_OK;
}

static hsp_status learning_read(learning *of, hsp_error *err)
{
    static const char *const validate[] = {"score", "score",     "folds", "folds",
                                           "seed",  "fold-seed", NULL};
    static const char *const evaluate[] = {"score", "score", NULL};
    const char *name = hsp_options_text(of->options, "learner");
    const hsp_option_table *table = hsp_learner_find(name);
    if (!table)
        return hsp__fail_option(err, "--learner",
                                "there is no learner '%.40s'; see 'halfspace learners'", name);
    of->score = hsp__score_of(hsp_options_text(of->options, "score"));
    HSP__TRY(hsp_options_new(of->ctx, table, err, &of->learner));
    for (size_t i = 0; i < hsp_options_list_count(of->options, "set"); i++) {
        const char *item = hsp_options_list_item(of->options, "set", i),
                   *equals = strchr(item, '=');
        char option[64];
        if (!equals || equals == item || (size_t)(equals - item) >= sizeof option)
            return hsp__fail_option(err, "--set", "found '%.80s', expected NAME=VALUE, as in C=10",
                                    item);
        snprintf(option, sizeof option, "%.*s", (int)(equals - item), item);
        HSP__TRY(hsp_options_set(of->learner, option, equals + 1, err));
    }
    HSP__TRY(
        learning_set(of->ctx, hsp_validate_options(), err, &of->validate, validate, of->options));
    return learning_set(of->ctx, hsp_evaluate_options(), err, &of->evaluate, evaluate, of->options);
}

/* ---- Parts ---- */

/* The rows of each class in a random order. */
static hsp_status learning_order(learning *of, hsp_error *err)
{
    const hsp_view *view = of->view;
    const uint32_t classes = hsp_data_classes(of->data);
    of->order = hsp__scratch_raw(&of->scratch, view->rows, sizeof *of->order);
    of->rows = hsp__scratch_raw(&of->scratch, view->rows, sizeof *of->rows);
    of->class_first = hsp__scratch_new(&of->scratch, classes + 1, sizeof *of->class_first);
    if (of->scratch.failed) return hsp__fail_memory(err);
    uint64_t at = 0;
    for (uint32_t c = 0; c < classes; c++) {
        hsp__random random;
        of->class_first[c] = at;
        for (uint64_t i = 0; i < view->rows; i++)
            if (view->labels[i] == c) of->order[at++] = i;
        hsp__random_seed(&random, (uint64_t)hsp_options_integer(of->options, "seed"), c);
        hsp__random_shuffle(&random, of->order + of->class_first[c], at - of->class_first[c]);
    }
    of->class_first[classes] = at;
    return HSP_OK;
}

static int learning_compare(const void *left, const void *right)
{
    const uint64_t a = *(const uint64_t *)left, b = *(const uint64_t *)right;
    return a < b ? -1 : a > b;
}

/* About `wanted` rows, of each class in proportion (two at least, if there are), in their order. */
static uint64_t learning_part(learning *of, uint64_t wanted)
{
    uint64_t count = 0;
    for (uint32_t c = 0; c < hsp_data_classes(of->data); c++) {
        const uint64_t first = of->class_first[c], all = of->class_first[c + 1] - first;
        uint64_t own = (uint64_t)round((double)all * (double)wanted / (double)of->view->rows);
        if (own < 2) own = 2;
        if (own > all) own = all;
        memcpy(of->rows + count, of->order + first, own * sizeof *of->rows);
        count += own;
    }
    qsort(of->rows, count, sizeof *of->rows, learning_compare);
    return count;
}

/* The score of a model on the rows it was trained on; NaN: none was made. */
static hsp_status learning_trained(learning *of, hsp_data *part, hsp_error *err, double *out)
{
    hsp_training run = {.size = sizeof run};
    hsp_score_report scores[HSP_SCORES];
    hsp_evaluated *rows = NULL;
    hsp_model *model = NULL;
    *out = (double)NAN;
    hsp_status status = hsp_train(of->ctx, part, of->learner, err, &run, &model);
    if (!status) hsp_evidence_free(run.evidence);
    if (!status) of->unconverged += run.stop != HSP_STOP_CONVERGED;
    if (!status && model)
        status = hsp_evaluated_new(of->ctx, model, part, of->evaluate, err, &rows);
    if (!status && model) status = hsp_evaluated_scores(of->ctx, rows, of->evaluate, err, scores);
    if (!status && model) *out = scores[of->score].value;
    hsp_evaluated_free(rows);
    hsp_model_free(model);
    return status;
}

typedef struct learning_points {
    double *size, *held, *error, *trained;
    uint64_t count;
} learning_points;

static hsp_status learning_measure(learning *of, uint64_t wanted, learning_points *to,
                                   hsp_error *err)
{
    const uint64_t count = learning_part(of, wanted), at = to->count;
    hsp_data *part = NULL;
    hsp_validation *seen = NULL;
    hsp_context quiet = *of->ctx;
    quiet.log = NULL; /* small parts have few rows of a class: no news */
    if (at && to->size[at - 1] >= (double)count) return HSP_OK;
    hsp_status status = count < of->view->rows
                            ? hsp_data_select(of->ctx, of->data, of->rows, count, err, &part)
                            : HSP_OK;
    hsp_data *rows = part ? part : of->data;
    if (!status) status = learning_trained(of, rows, err, &to->trained[at]);
    if (!status) status = hsp_cross_validate(&quiet, rows, of->learner, of->validate, err, &seen);
    if (!status) {
        const hsp_held_out *held = hsp_validation_held_out(seen);
        of->unconverged += held->unconverged;
        to->size[at] = (double)count;
        to->held[at] = held->score;
        to->error[at] = held->score_standard_error;
        to->count++;
    }
    hsp_validation_free(seen);
    hsp_data_free(part);
    return status;
}

/* ---- The figure ---- */

static void learning_panel(learning *of, const learning_points *points, double *band)
{
    hsp__panel *panel = hsp__panel_add(of->figure, NULL);
    const uint64_t n = points->count;
    double *x = band, *y = band + 2 * n;
    uint64_t count = 0;
    if (!panel) return;
    for (uint64_t i = 0; i < 2 * n; i++) {
        const uint64_t at = i < n ? i : 2 * n - 1 - i;
        if (isnan(points->held[at]) || isnan(points->error[at])) continue;
        x[count] = points->size[at];
        y[count++] = points->held[at] + (i < n ? points->error[at] : -points->error[at]);
    }
    panel->x.log = points->size[n - 1] >= 20 * points->size[0];
    hsp__axis_label(panel, &panel->x, "rows");
    hsp__axis_label(panel, &panel->y, "%s", hsp__score_name(of->score));
    hsp__panel_polygon(panel, count, x, y, (hsp__style){.color = HSP__TINT(0), .opacity = 0.7});
    hsp__panel_line(
        panel, n, points->size, points->held,
        (hsp__style){.color = HSP__CLASS(0), .width = 2, .name = "held out, with standard error"});
    hsp__panel_points(panel, n, points->size, points->held,
                      (hsp__style){.color = HSP__CLASS(0), .letter = 'h'});
    hsp__panel_line(
        panel, n, points->size, points->trained,
        (hsp__style){
            .color = HSP__CLASS(1), .width = 2, .dash = HSP__DASHED, .name = "trained on"});
    hsp__panel_points(panel, n, points->size, points->trained,
                      (hsp__style){.color = HSP__CLASS(1), .shape = HSP__SHAPE(1), .letter = 't'});
}

static hsp_status learning_draw(learning *of, const char *file, hsp_error *err)
{
    const uint64_t sizes = (uint64_t)hsp_options_integer(of->options, "sizes");
    const long long folds = (long long)hsp_options_integer(of->options, "folds");
    learning_points points = {.count = 0};
    HSP__TRY(hsp_data_view(of->ctx, of->data, err, &of->view));
    if (!of->view->labels || hsp_data_classes(of->data) < 2)
        return hsp__fail_at(err, HSP_BAD_DATA, file, 0, 0,
                            "a learning curve needs rows of at least two classes");
    HSP__TRY(learning_read(of, err));
    HSP__TRY(learning_order(of, err));
    double **arrays[] = {&points.size, &points.held, &points.error, &points.trained};
    for (size_t i = 0; i < sizeof arrays / sizeof *arrays; i++)
        *arrays[i] = hsp__scratch_raw(&of->scratch, sizes, sizeof **arrays[i]);
    double *band = hsp__scratch_raw(&of->scratch, 4 * sizes, sizeof *band);
    if (of->scratch.failed) return hsp__fail_memory(err);
    const double n = (double)of->view->rows;
    const double least = fmin(n, fmax(LEARNING_LEAST, 2.0 * (double)folds));
    for (uint64_t i = 0; i < sizes; i++) {
        const double share = (double)i / (double)(sizes - 1);
        HSP__TRY(
            learning_measure(of, (uint64_t)round(least * pow(n / least, share)), &points, err));
    }
    learning_panel(of, &points, band);
    hsp__figure_title(of->figure, "Learning curve of %s", hsp_options_text(of->options, "learner"));
    hsp__figure_note(of->figure, "held out: %lld folds, each predicted from the other %lld", folds,
                     folds - 1);
    if (of->unconverged)
        hsp__figure_note(of->figure, "%u runs did not converge", (unsigned)of->unconverged);
    return HSP_OK;
}

static hsp_status learning_build(hsp_context *ctx, const hsp_plot_input *input,
                                 const hsp_options *options, hsp_figure *figure, hsp_error *err)
{
    learning of = {.ctx = ctx,
                   .options = options,
                   .figure = figure,
                   .scratch = {.memory = &ctx->allocator},
                   .data = input->data[0]};
    const hsp_status status =
        learning_draw(&of, input->data_names ? input->data_names[0] : NULL, err);
    hsp_options_free(of.learner);
    hsp_options_free(of.validate);
    hsp_options_free(of.evaluate);
    hsp__scratch_free(&of.scratch);
    return status;
}

const hsp__plot_kind hsp__plot_learning = {
    .table = {"learning", "scores of a learner over growing parts of the data", learning_options,
              sizeof learning_options / sizeof *learning_options},
    .needs = {"[LEARNER] DATA", .data_least = 1, .data_most = 1},
    .build = learning_build,
};
