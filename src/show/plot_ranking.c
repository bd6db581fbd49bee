/* The kinds roc, pr, lift and calibration: curves of models on labelled rows, one per model, or of
 * more than two classes one per class against the rest. The numbers are those of eval. */
#include <stdio.h>

#include "measure/evaluate.h"
#include "show/figure.h"
#include "show/file_name.h"

enum {
    RANKING_CURVES = 8,   /* at most, of classes */
    RANKING_POINTS = 2000 /* of a curve; more differ by less than a pixel */
};

static const hsp_option ranking_options[] = {
    HSP__TEXT("class", NULL, "CLASS",
              "the class that is told from the rest (default: of two, the second; of more, each)")};
static const hsp_option calibration_options[] = {
    HSP__TEXT("class", NULL, "CLASS",
              "the class whose probability it is (default: of two, the second; of more, each)"),
    HSP__INTEGER("bins", "10", 2, 1000, "N", "bins of equal width")};

/* One model, or one class of a model, on the rows. */
typedef struct ranking {
    hsp_context *ctx;
    const hsp_options *options;
    hsp_figure *figure;
    hsp__panel *panel, *second; /* second: of lift and calibration */
    hsp__scratch scratch;
    const hsp_evaluated *rows;
    hsp_evaluation all;
    double *cells;    /* confusion matrix, of weights */
    const char *name; /* of the model; NULL: there is one only */
    int by_class;     /* there are curves of several classes */
    uint32_t class;
    int drawn; /* curves so far */
} ranking;

typedef struct ranking_points {
    double *x, *y;
    uint64_t count;
} ranking_points;

/* Without points that lie within a pixel of others, if there are many. */
static void ranking_thin(ranking_points *points)
{
    uint64_t kept = 0;
    if (points->count <= RANKING_POINTS) return;
    for (uint64_t i = 0; i < points->count; i++) {
        const double far = kept ? fabs(points->x[i] - points->x[kept - 1]) +
                                      fabs(points->y[i] - points->y[kept - 1])
                                : HUGE_VAL;
        if (far < 2.0 / RANKING_POINTS && i + 1 < points->count) continue;
        points->x[kept] = points->x[i];
        points->y[kept++] = points->y[i];
    }
    points->count = kept;
}

static ranking_points ranking_room(ranking *of, uint64_t count)
{
    return (ranking_points){hsp__scratch_raw(&of->scratch, count, sizeof(double)),
                            hsp__scratch_raw(&of->scratch, count, sizeof(double)), 0};
}

static void ranking_add(ranking_points *points, double x, double y)
{
    points->x[points->count] = x;
    points->y[points->count++] = y;
}

/* "AUC 0.98, model.hsp, setosa", of which only what tells curves apart: the number first, so that long
 * names do not push it out. */
static void ranking_curve(ranking *of, hsp__panel *panel, const ranking_points *points,
                          const char *measure, double value)
{
    const char *class = of->by_class ? hsp_model_class_name(of->rows->model, of->class) : NULL;
    char name[256], number[HSP__LABEL];
    const char *comma = measure && *measure ? ", " : "";
    snprintf(name, sizeof name, "%s%s%s%s%.80s%s%.80s", measure ? measure : "", *comma ? " " : "",
             !*comma        ? ""
             : isnan(value) ? "not defined"
                            : hsp__label_number(round(value * 1e4) / 1e4, number),
             of->name ? comma : "", of->name ? of->name : "",
             !class     ? ""
             : of->name ? ", class "
             : *comma   ? ", class "
                        : "class ",
             class ? class : "");
    hsp__panel_line(panel, points->count, points->x, points->y,
                    (hsp__style){.color = HSP__CLASS(of->drawn),
                                 .width = 2,
                                 .dash = of->drawn / 8,
                                 .name = measure ? name : NULL});
}

/* A line to compare with: that of chance. */
static void ranking_chance(ranking *of, hsp__panel *panel, double slope, double at,
                           const char *name)
{
    if (of->drawn) return;
    hsp__panel_segment(
        panel, 0, at, 1, at + slope,
        (hsp__style){.color = HSP__MUTED, .width = 1, .dash = HSP__DASHED, .name = name});
}

/* The rows of the class, and the others, by weight. */
static double ranking_positives(const ranking *of, double *others)
{
    double own = of->rows->sums[of->class], all = 0;
    for (uint32_t c = 0; c < of->rows->kept.classes; c++)
        all += of->rows->sums[c];
    *others = all - own;
    return own;
}

/* Weight of the rows that the model predicts to be of the class: own[1] of them are, own[0] are not. */
static void ranking_predicted(const ranking *of, double own[2])
{
    const uint32_t k = of->rows->kept.classes;
    own[0] = own[1] = 0;
    for (uint32_t t = 0; t < k; t++)
        own[t == of->class] += of->cells[(uint64_t)t * k + of->class];
}

/* ---- Curves over all thresholds ---- */

static void roc_draw(ranking *of, const hsp__cut *cuts, uint64_t count)
{
    const double pos = cuts[count - 1].positives, neg = cuts[count - 1].negatives;
    ranking_points points = ranking_room(of, count);
    double own[2], area = 0;
    if (of->scratch.failed) return;
    for (uint64_t i = 0; i < count; i++) {
        ranking_add(&points, cuts[i].negatives / neg, cuts[i].positives / pos);
        if (i) area += (points.x[i] - points.x[i - 1]) * (points.y[i] + points.y[i - 1]) / 2;
    }
    ranking_chance(of, of->panel, 1, 0, "chance");
    ranking_thin(&points);
    ranking_curve(of, of->panel, &points, "AUC",
                  of->rows->kept.classes == 2 && of->class == 1 ? of->all.auc : area);
    ranking_predicted(of, own);
    hsp__panel_points(of->panel, 1, &(double){own[0] / neg}, &(double){own[1] / pos},
                      (hsp__style){.color = HSP__CLASS(of->drawn), .size = 4.5, .hollow = 1});
}

static void pr_draw(ranking *of, const hsp__cut *cuts, uint64_t count)
{
    const double pos = cuts[count - 1].positives, neg = cuts[count - 1].negatives;
    ranking_points points = ranking_room(of, 2 * count);
    double own[2], average = 0, recall = 0;
    if (of->scratch.failed) return;
    for (uint64_t i = 1; i < count; i++) { /* steps: the precision at a recall holds up to there */
        const double tp = cuts[i].positives, fp = cuts[i].negatives;
        if (!(tp + fp > 0)) continue;
        if (tp / pos > recall || !points.count) {
            ranking_add(&points, recall, tp / (tp + fp));
            average += (tp / pos - recall) * (tp / (tp + fp));
        }
        ranking_add(&points, tp / pos, tp / (tp + fp));
        recall = tp / pos;
    }
    if (!of->by_class) ranking_chance(of, of->panel, 0, pos / (pos + neg), "chance");
    ranking_thin(&points);
    ranking_curve(of, of->panel, &points, "AP",
                  of->rows->kept.classes == 2 && of->class == 1 ? of->all.average_precision
                                                                : average);
    ranking_predicted(of, own);
    if (own[0] + own[1] > 0)
        hsp__panel_points(of->panel, 1, &(double){own[1] / pos},
                          &(double){own[1] / (own[0] + own[1])},
                          (hsp__style){.color = HSP__CLASS(of->drawn), .size = 4.5, .hollow = 1});
}

static void lift_draw(ranking *of, const hsp__cut *cuts, uint64_t count)
{
    const double pos = cuts[count - 1].positives, all = pos + cuts[count - 1].negatives;
    ranking_points gain = ranking_room(of, count), lift = ranking_room(of, count);
    double tenth = (double)NAN;
    if (of->scratch.failed) return;
    for (uint64_t i = 0; i < count; i++) {
        const double share = (cuts[i].positives + cuts[i].negatives) / all;
        ranking_add(&gain, share, cuts[i].positives / pos);
        if (share > 0) ranking_add(&lift, share, cuts[i].positives / pos / share);
        if (isnan(tenth) && share >= 0.1) tenth = cuts[i].positives / pos / share;
    }
    ranking_chance(of, of->panel, 1, 0, "chance");
    ranking_chance(of, of->second, 0, 1, NULL);
    ranking_thin(&gain);
    ranking_thin(&lift);
    ranking_curve(of, of->panel, &gain, "lift at 10%:", tenth);
    ranking_curve(of, of->second, &lift, NULL, 0);
}

/* ---- Calibration ---- */

static void calibration_draw(ranking *of, uint32_t bins)
{
    hsp__calibration_bin *binned = hsp__scratch_new(&of->scratch, bins, sizeof *binned);
    ranking_points points = ranking_room(of, bins), bars = ranking_room(of, bins);
    double all = 0;
    if (of->scratch.failed) return;
    hsp__calibration_bins(&of->rows->kept, of->class, bins, binned);
    for (uint32_t b = 0; b < bins; b++)
        all += binned[b].weight;
    if (of->second && !of->drawn) hsp__axis_range(&of->second->y, 0, 1e-9);
    for (uint32_t b = 0; b < bins; b++) {
        if (binned[b].weight > 0) ranking_add(&points, binned[b].predicted, binned[b].observed);
        ranking_add(&bars, (b + 0.5) / bins, binned[b].weight / all);
        if (of->second)
            of->second->y.high = fmax(of->second->y.high, 1.05 * binned[b].weight / all);
    }
    ranking_chance(of, of->panel, 1, 0, "calibrated");
    /* the error is one of the model, not of a class */
    ranking_curve(of, of->panel, &points, of->by_class ? "" : "calibration error",
                  of->all.calibration_error);
    hsp__panel_points(of->panel, points.count, points.x, points.y,
                      (hsp__style){.color = HSP__CLASS(of->drawn), .shape = HSP__SHAPE(of->drawn)});
    if (!of->drawn && !of->by_class && !of->name)
        hsp__panel_bars(of->second, bins, bars.x, bars.y, 0.9 / bins, 0,
                        (hsp__style){.color = HSP__CLASS(0)});
    else
        hsp__panel_line(of->second, bins, bars.x, bars.y,
                        (hsp__style){.color = HSP__CLASS(of->drawn), .width = 2});
}

/* ---- Models and classes ---- */

typedef void (*ranking_draw)(ranking *of, const hsp__cut *cuts, uint64_t count);

/* The curve of one class, if there are rows of it and others. */
static hsp_status ranking_class(ranking *of, ranking_draw draw, hsp_error *err)
{
    hsp__cut *cuts = NULL;
    uint64_t count = 0;
    if (!draw) {
        calibration_draw(of, (uint32_t)hsp_options_integer(of->options, "bins"));
    } else {
        hsp__scored rows = of->rows->kept;
        /* Ranked as eval ranks them: of two classes by scores, of more by probabilities. */
        const int chances = rows.classes > 2 && rows.probability;
        if (!chances) rows.probability = NULL;
        if (of->class == 0 && rows.classes == 2) { /* the other class of two: scores turned */
            double *turned = hsp__scratch_raw(&of->scratch, rows.rows, sizeof *turned);
            uint32_t *truth = hsp__scratch_raw(&of->scratch, rows.rows, sizeof *truth);
            if (of->scratch.failed) return hsp__fail_memory(err);
            for (uint64_t i = 0; i < rows.rows; i++) {
                turned[i] = -rows.ranking[i];
                truth[i] = !rows.truth[i];
            }
            rows.ranking = turned;
            rows.truth = truth;
        }
        HSP__TRY(hsp__cuts_new(of->ctx, &rows, chances, rows.classes > 2 ? of->class : 1, err,
                               &cuts, &count));
        draw(of, cuts, count);
        hsp__free(&of->ctx->allocator, cuts);
    }
    of->drawn++;
    return of->scratch.failed ? hsp__fail_memory(err) : HSP_OK;
}

/* The classes with the most rows, if there are too many: `chosen` has RANKING_CURVES. */
static uint32_t ranking_choose(const ranking *of, uint32_t *chosen)
{
    const uint32_t classes = of->rows->kept.classes;
    const double *sums = of->rows->sums;
    uint32_t count = 0;
    for (uint32_t c = classes == 2; c < classes; c++) {
        uint32_t at = count < RANKING_CURVES ? count++ : RANKING_CURVES;
        for (; at && sums[chosen[at - 1]] < sums[c]; at--)
            if (at < RANKING_CURVES) chosen[at] = chosen[at - 1];
        if (at < RANKING_CURVES) chosen[at] = c;
    }
    for (uint32_t i = 1; i < count; i++) /* in their own order */
        for (uint32_t j = i; j && chosen[j - 1] > chosen[j]; j--) {
            const uint32_t other = chosen[j];
            chosen[j] = chosen[j - 1], chosen[j - 1] = other;
        }
    return count;
}

static hsp_status ranking_model(ranking *of, ranking_draw draw, const char *data, hsp_error *err)
{
    const hsp_evaluated *rows = of->rows;
    const uint32_t classes = rows->kept.classes;
    const char *asked = hsp_options_text(of->options, "class");
    uint32_t chosen[RANKING_CURVES + 1], count, drawn = 0, last = HSP_NO_CLASS;
    double others;
    if (!draw && !rows->kept.probability)
        return hsp__fail_at(err, HSP_USAGE, of->name, 0, 0,
                            "a calibration curve needs probabilities: train the model with "
                            "--calibrate platt or isotonic, or train logistic");
    if (!rows->kept.ranking)
        return hsp__fail_at(err, HSP_USAGE, data, 0, 0, "there are too many rows and classes");
    chosen[0] = asked ? hsp_model_class_of(rows->model, asked) : 0;
    if (chosen[0] == HSP_NO_CLASS)
        return hsp__fail_option(err, "--class", "the model has no class '%.60s'", asked);
    count = asked ? 1 : ranking_choose(of, chosen);
    of->by_class = count > 1 || (asked && classes > 2);
    for (uint32_t i = 0; i < count; i++) {
        of->class = chosen[i];
        if (ranking_positives(of, &others) > 0 && others > 0) {
            HSP__TRY(ranking_class(of, draw, err));
            drawn++;
        } else if (!(others > 0)) {
            last = chosen[i];
        }
    }
    for (uint32_t c = 0; c < classes && last == HSP_NO_CLASS; c++)
        if (rows->sums[c] > 0) last = c;
    if (!drawn && !rows->kept.rows)
        return hsp__fail_at(err, HSP_BAD_DATA, data, 0, 0,
                            "no row has a label that the model knows");
    if (!drawn)
        return hsp__fail_at(
            err, HSP_BAD_DATA, data, 0, 0,
            "a curve needs rows of the class and others, and %s '%.60s'",
            asked && last != chosen[0] ? "no row is of the class" : "all rows are of the class",
            asked && last != chosen[0] ? asked : hsp_model_class_name(rows->model, last));
    if (drawn < classes && classes > 2 && !asked)
        hsp__figure_note(of->figure, "%u of %u classes shown, each against the rest",
                         (unsigned)drawn, (unsigned)classes);
    return HSP_OK;
}

static hsp_status ranking_build(hsp_context *ctx, const hsp_plot_input *input,
                                const hsp_options *options, hsp_figure *figure, ranking_draw draw,
                                hsp__panel *panel, hsp__panel *second, hsp_error *err)
{
    const char *data = input->data_names ? input->data_names[0] : NULL;
    ranking of = {
        .ctx = ctx, .options = options, .figure = figure, .panel = panel, .second = second};
    hsp_status status = HSP_OK;
    for (size_t m = 0; !status && m < input->model_count; m++) {
        hsp_evaluated *rows = NULL;
        of.scratch = (hsp__scratch){.memory = &ctx->allocator};
        of.name = input->model_count > 1 && input->model_names
                      ? hsp__file_name(input->model_names[m])
                      : NULL;
        of.all.size = sizeof of.all;
        status =
            hsp_evaluated_new(ctx, input->models[m], hsp__plot_data(input, m), NULL, err, &rows);
        const uint64_t k = hsp_model_classes(input->models[m]);
        of.cells = hsp__scratch_raw(&of.scratch, k * k, sizeof *of.cells);
        if (!status && of.scratch.failed) status = hsp__fail_memory(err);
        if (!status) status = hsp_evaluated_report(rows, err, &of.all, NULL, of.cells);
        of.rows = rows;
        if (!status) status = ranking_model(&of, draw, data, err);
        hsp_evaluated_free(rows);
        hsp__scratch_free(&of.scratch);
    }
    return status;
}

/* A panel from 0 to 1 on both axes. */
static hsp__panel *ranking_panel(hsp_figure *figure, const char *title, const char *x,
                                 const char *y)
{
    hsp__panel *panel = hsp__panel_add(figure, title);
    if (!panel) return NULL;
    hsp__axis_label(panel, &panel->x, "%s", x);
    hsp__axis_label(panel, &panel->y, "%s", y);
    hsp__axis_range(&panel->x, -0.02, 1.02);
    hsp__axis_range(&panel->y, -0.02, 1.02);
    return panel;
}

static hsp_status roc_build(hsp_context *ctx, const hsp_plot_input *input,
                            const hsp_options *options, hsp_figure *figure, hsp_error *err)
{
    hsp__panel *panel =
        ranking_panel(figure, NULL, "false positive rate", "true positive rate (recall)");
    if (panel) panel->square = 1, figure->width = 480, figure->height = 500;
    hsp__figure_title(figure, "ROC curve");
    hsp__figure_note(figure, "the circle is the model's own decision");
    return ranking_build(ctx, input, options, figure, roc_draw, panel, NULL, err);
}

static hsp_status pr_build(hsp_context *ctx, const hsp_plot_input *input,
                           const hsp_options *options, hsp_figure *figure, hsp_error *err)
{
    hsp__panel *panel = ranking_panel(figure, NULL, "recall", "precision");
    if (panel) panel->square = 1, figure->width = 480, figure->height = 500;
    hsp__figure_title(figure, "Precision and recall");
    hsp__figure_note(figure, "the circle is the model's own decision");
    return ranking_build(ctx, input, options, figure, pr_draw, panel, NULL, err);
}

static hsp_status lift_build(hsp_context *ctx, const hsp_plot_input *input,
                             const hsp_options *options, hsp_figure *figure, hsp_error *err)
{
    static const char rows[] = "share of the rows, the highest scores first";
    hsp__panel *panel = ranking_panel(figure, "Gain", rows, "share of the class found");
    hsp__panel *second = ranking_panel(figure, "Lift", rows, "times as many as by chance");
    if (second) second->y.low = second->y.high = 0;
    if (second) second->outside = 1;
    return ranking_build(ctx, input, options, figure, lift_draw, panel, second, err);
}

static hsp_status calibration_build(hsp_context *ctx, const hsp_plot_input *input,
                                    const hsp_options *options, hsp_figure *figure, hsp_error *err)
{
    hsp__panel *panel =
        ranking_panel(figure, "Calibration", "predicted probability", "observed share");
    hsp__panel *second =
        ranking_panel(figure, "Predictions", "predicted probability", "share of the rows");
    if (second) second->outside = 1;
    return ranking_build(ctx, input, options, figure, NULL, panel, second, err);
}

#define RANKING_KIND(kind, sentence, list)                                                \
    const hsp__plot_kind hsp__plot_##kind = {                                             \
        .table = {#kind, sentence, list, sizeof list / sizeof *list},                     \
        .needs = {"MODEL... DATA", .models_least = 1, .models_most = 16, .data_least = 1, \
                  .data_most = 1, .data_each = 1},                                        \
        .build = kind##_build,                                                            \
    }

RANKING_KIND(roc, "ROC curves of models", ranking_options);
RANKING_KIND(pr, "precision-recall curves of models", ranking_options);
RANKING_KIND(lift, "gain and lift curves of models", ranking_options);
RANKING_KIND(calibration, "probabilities of models compared with shares of rows",
             calibration_options);
