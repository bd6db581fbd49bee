/* The kind tuning: the scores of `tune --json`, or of the table that a tuned model keeps, over the values of one option as a curve with its
 * standard error, of two as a map, of more as a map of the best. */
#include <stdio.h>
#include <stdlib.h>

#include "base/decimal.h"
#include "base/json.h"
#include "data/source.h"
#include "model/scores.h"
#include "show/figure.h"

#define TUNING_MOST ((size_t)1 << 28) /* bytes */

static const hsp_option tuning_options[] = {
    HSP__TEXT("x", NULL, "NAME",
              "tuned option on the horizontal axis (default: the last of --tune)"),
    HSP__TEXT("y", NULL, "NAME", "tuned option on the vertical axis (default: the one before it)")};

/* The values of one option, in their order. */
typedef struct tuning_values {
    char name[64];
    uint32_t count;
    const char **texts;
    double *numbers;
    int numeric; /* all values are numbers, */
    int log;     /* to be drawn by their logarithms */
} tuning_values;

typedef struct tuning {
    const char *file;
    hsp_figure *figure;
    hsp__scratch scratch;
    const hsp__json_value *root, *points;
    size_t count;
    const char *learner; /* or NULL */
    const char *score;   /* its name */
    int is_loss;
    size_t chosen;
    tuning_values x, y;
    int mapped; /* there are two options at least */
    int mixed;  /* the candidates of auto: learners, each with options of its own */
} tuning;

static hsp_status tuning_bad(const tuning *of, hsp_error *err)
{
    return hsp__fail_at(err, HSP_BAD_DATA, of->file, 0, 0,
                        "is not what 'halfspace tune ... --json' prints");
}

/* The name of the i-th tuned option: a key of each point's values, or, in the table of a model, an item
 * of the list of options. NULL: there is none. */
static const char *tuning_name(const tuning *of, size_t i)
{
    const hsp__json_value *values = hsp__json_get(hsp__json_at(of->points, 0), "values");
    if (hsp__json_type_of(values) == HSP__JSON_OBJECT)
        return i < hsp__json_count(values) ? hsp__json_key(values, i, NULL) : NULL;
    return hsp__json_string(hsp__json_at(hsp__json_get(of->root, "options"), i), NULL);
}

static const char *tuning_value(const tuning *of, size_t point, const char *name)
{
    const hsp__json_value *values = hsp__json_get(hsp__json_at(of->points, point), "values");
    if (hsp__json_type_of(values) == HSP__JSON_OBJECT)
        return hsp__json_string(hsp__json_get(values, name), NULL);
    const char *other;
    for (size_t i = 0; (other = tuning_name(of, i)); i++)
        if (strcmp(other, name) == 0) return hsp__json_string(hsp__json_at(values, i), NULL);
    return NULL;
}

static double tuning_number(const tuning *of, size_t point, const char *key)
{
    double number;
    const hsp__json_value *value = hsp__json_get(hsp__json_at(of->points, point), key);
    return hsp__json_number(value, &number) ? number : (double)NAN;
}

/* ---- The options ---- */

static uint32_t tuning_place(const tuning_values *of, const char *text)
{
    uint32_t at = 0;
    while (at < of->count && strcmp(of->texts[at], text) != 0)
        at++;
    return at;
}

/* All values of an option, numbers in ascending order. */
static hsp_status tuning_collect(tuning *of, const char *name, tuning_values *to, hsp_error *err)
{
    snprintf(to->name, sizeof to->name, "%s", name);
    to->texts = hsp__scratch_new(&of->scratch, of->count, sizeof *to->texts);
    to->numbers = hsp__scratch_new(&of->scratch, of->count, sizeof *to->numbers);
    if (of->scratch.failed) return hsp__fail_memory(err);
    to->numeric = 1;
    for (size_t i = 0; i < of->count; i++) {
        const char *text = tuning_value(of, i, name);
        hsp__decimal_result result;
        double number = 0;
        if (!text) return tuning_bad(of, err);
        if (tuning_place(to, text) < to->count) continue;
        const char *end = text + strlen(text);
        if (hsp__decimal_f64(text, end, &number, &result) != end || result != HSP__DECIMAL_OK)
            to->numeric = 0;
        uint32_t at = to->count++;
        for (; to->numeric && at && to->numbers[at - 1] > number; at--) {
            to->numbers[at] = to->numbers[at - 1];
            to->texts[at] = to->texts[at - 1];
        }
        to->numbers[at] = number;
        to->texts[at] = text;
    }
    /* even steps of the logarithm, or a wide range of positive numbers */
    to->log = to->numeric && to->numbers[0] > 0 && to->count > 1 &&
              to->numbers[to->count - 1] >= 20 * to->numbers[0];
    return HSP_OK;
}

static hsp_status tuning_axes(tuning *of, const hsp_options *options, hsp_error *err)
{
    size_t tuned = 0;
    while (tuning_name(of, tuned))
        tuned++;
    const char *names[2] = {hsp_options_text(options, "x"), hsp_options_text(options, "y")};
    if (!tuned) return tuning_bad(of, err);
    for (int axis = 0; axis < 2; axis++)
        if (names[axis] && !tuning_value(of, 0, names[axis]))
            return hsp__fail_option(err, axis ? "--y" : "--x", "'%.40s' was not tuned",
                                    names[axis]);
    if (names[0] && names[1] && strcmp(names[0], names[1]) == 0)
        return hsp__fail_option(err, "--y", "is the same option as --x; name another one");
    for (int axis = 0; axis < 2; axis++)
        for (size_t i = tuned; !names[axis] && i--;) {
            const char *one = tuning_name(of, i);
            if (!names[!axis] || strcmp(names[!axis], one) != 0) names[axis] = one;
        }
    of->mixed = tuned == 2 && strcmp(tuning_name(of, 0), "learner") == 0 &&
                strcmp(tuning_name(of, 1), "options") == 0;
    of->mapped = tuned > 1 && !of->mixed;
    if (of->mixed) names[0] = "learner";
    if (tuned > 2)
        hsp__figure_note(of->figure, "the best over the values of %zu other option%s", tuned - 2,
                         tuned == 3 ? "" : "s");
    HSP__TRY(tuning_collect(of, names[0], &of->x, err));
    return of->mapped ? tuning_collect(of, names[1], &of->y, err) : HSP_OK;
}

static void tuning_axis(hsp__panel *panel, hsp__axis *axis, const tuning_values *of, int cells)
{
    hsp__axis_label(panel, axis, "%s", of->name);
    if (cells || !of->numeric)
        hsp__axis_categories(panel, axis, of->texts, of->count);
    else
        axis->log = of->log;
}

/* Is the score a number, and better than the one before, which may be none? */
static int tuning_better(const tuning *of, double score, double before)
{
    return !isnan(score) && (isnan(before) || (of->is_loss ? score < before : score > before));
}

/* Was the candidate measured on the rows and folds that the choice was made by? Those of auto that
 * left before were measured on fewer, so that their scores do not compare. */
static int tuning_compares(const tuning *of, size_t point)
{
    return !of->mixed || of->chosen >= of->count ||
           (tuning_number(of, point, "rows") == tuning_number(of, of->chosen, "rows") &&
            tuning_number(of, point, "folds") == tuning_number(of, of->chosen, "folds"));
}

/* ---- A curve ---- */

static void tuning_curve(tuning *of)
{
    hsp__panel *panel = hsp__panel_add(of->figure, NULL);
    const uint32_t n = of->x.count;
    double *x = hsp__scratch_raw(&of->scratch, 3 * n, sizeof *x);
    double *y = hsp__scratch_raw(&of->scratch, 3 * n, sizeof *y);
    double *score = hsp__scratch_new(&of->scratch, n, sizeof *score);
    double *error = hsp__scratch_new(&of->scratch, n, sizeof *error);
    if (!panel || of->scratch.failed) return;
    for (uint32_t i = 0; i < n; i++)
        score[i] = (double)NAN;
    for (size_t i = 0; i < of->count; i++) {
        const uint32_t at = tuning_place(&of->x, tuning_value(of, i, of->x.name));
        const double one = tuning_number(of, i, "score");
        if (!tuning_compares(of, i) || !tuning_better(of, one, score[at])) continue;
        score[at] = one;
        error[at] = tuning_number(of, i, "score_standard_error");
    }
    tuning_axis(panel, &panel->x, &of->x, 0);
    hsp__axis_label(panel, &panel->y, "%s", of->score);
    for (uint32_t i = 0; i < n; i++)
        x[i] = of->x.numeric ? of->x.numbers[i] : i;
    if (of->x.numeric) { /* the band: forth above, back below */
        double *band_x = x + n;
        uint64_t count = 0;
        for (uint32_t i = 0; i < 2 * n; i++) {
            const uint32_t at = i < n ? i : 2 * n - 1 - i;
            if (isnan(score[at]) || isnan(error[at])) continue;
            band_x[count] = x[at];
            y[count++] = score[at] + (i < n ? error[at] : -error[at]);
        }
        hsp__panel_polygon(
            panel, count, band_x, y,
            (hsp__style){.color = HSP__TINT(0), .opacity = 0.7, .name = "one standard error"});
        hsp__panel_line(panel, n, x, score, (hsp__style){.color = HSP__CLASS(0), .width = 2});
    } else {
        for (uint32_t i = 0; i < n; i++)
            hsp__panel_segment(panel, x[i], score[i] - error[i], x[i], score[i] + error[i],
                               (hsp__style){.color = HSP__CLASS(0), .width = 1.5});
    }
    hsp__panel_points(panel, n, x, score,
                      (hsp__style){.color = HSP__CLASS(0), .name = "mean of the folds"});
    if (of->chosen < of->count) {
        const uint32_t at = tuning_place(&of->x, tuning_value(of, of->chosen, of->x.name));
        const double own = tuning_number(of, of->chosen, "score");
        hsp__panel_points(
            panel, 1, &x[at], &own,
            (hsp__style){.color = HSP__BAD, .size = 7, .hollow = 1, .width = 2, .name = "chosen"});
    }
}

/* ---- A map ---- */

static void tuning_map(tuning *of)
{
    hsp__panel *panel = hsp__panel_add(of->figure, NULL);
    const uint32_t nx = of->x.count, ny = of->y.count;
    double *cells = hsp__scratch_raw(&of->scratch, (uint64_t)nx * ny, sizeof *cells);
    double low = HUGE_VAL, high = -HUGE_VAL;
    if (!panel || of->scratch.failed) return;
    for (uint64_t i = 0; i < (uint64_t)nx * ny; i++)
        cells[i] = (double)NAN;
    for (size_t i = 0; i < of->count; i++) {
        const double score = tuning_number(of, i, "score");
        double *cell = &cells[(uint64_t)tuning_place(&of->y, tuning_value(of, i, of->y.name)) * nx +
                              tuning_place(&of->x, tuning_value(of, i, of->x.name))];
        if (tuning_better(of, score, *cell)) *cell = score;
    }
    for (uint64_t i = 0; i < (uint64_t)nx * ny; i++)
        if (!isnan(cells[i])) low = fmin(low, cells[i]), high = fmax(high, cells[i]);
    if (!(low <= high)) low = 0, high = 1;
    if (low == high) high = low + (low != 0 ? fabs(low) : 1);
    tuning_axis(panel, &panel->x, &of->x, 1);
    tuning_axis(panel, &panel->y, &of->y, 1);
    panel->grid_off = 1;
    hsp__panel_cells(panel, nx, ny, -0.5, nx - 0.5, -0.5, ny - 0.5, cells, HSP__SCALE_SEQUENTIAL,
                     low, high);
    for (uint32_t j = 0; (uint64_t)nx * ny <= 150 && j < ny; j++)
        for (uint32_t i = 0; i < nx; i++)
            if (!isnan(cells[(uint64_t)j * nx + i]))
                hsp__panel_text(panel, i, j,
                                (hsp__style){.color = HSP__OVER, .size = nx > 8 ? 9 : 11}, "%.3g",
                                cells[(uint64_t)j * nx + i]);
    hsp__panel_bar(panel, of->score);
    if (of->chosen < of->count) {
        const double x = tuning_place(&of->x, tuning_value(of, of->chosen, of->x.name));
        const double y = tuning_place(&of->y, tuning_value(of, of->chosen, of->y.name));
        hsp__panel_polygon(
            panel, 4, (double[]){x - 0.48, x + 0.48, x + 0.48, x - 0.48},
            (double[]){y - 0.48, y - 0.48, y + 0.48, y + 0.48},
            (hsp__style){.color = HSP__BAD, .width = 2.5, .hollow = 1, .name = "chosen"});
    }
}

/* ---- The whole ---- */

static hsp_status tuning_draw(tuning *of, const hsp_options *options, hsp_error *err)
{
    uint64_t chosen;
    of->points = hsp__json_get(of->root, "points");
    of->count = hsp__json_count(of->points);
    of->score = hsp__json_string(hsp__json_get(of->root, "score_name"), NULL);
    if (!of->score) of->score = hsp__json_string(hsp__json_get(of->root, "score"), NULL);
    if (!of->count || !of->score) return tuning_bad(of, err);
    if (!of->learner) of->learner = hsp__json_string(hsp__json_get(of->root, "learner"), NULL);
    const hsp__score score = hsp__score_of(of->score);
    of->is_loss = score < HSP__SCORES && hsp__score_is_loss(score);
    of->chosen =
        hsp__json_u64(hsp__json_get(of->root, "chosen"), &chosen) ? (size_t)chosen : SIZE_MAX;
    HSP__TRY(tuning_axes(of, options, err));
    if (of->mapped)
        tuning_map(of);
    else
        tuning_curve(of);
    if (of->mixed) {
        size_t last = 0;
        for (size_t i = 0; i < of->count; i++)
            last += (size_t)tuning_compares(of, i);
        hsp__figure_title(of->figure, "Learners that were tried: %s by cross-validation",
                          of->score);
        hsp__figure_note(
            of->figure,
            "the best of each learner among the last %zu of %zu candidates; the others "
            "were left out after fewer folds or rows",
            last, of->count);
    } else {
        hsp__figure_title(of->figure, "Tuning%s%s: %s by cross-validation", of->learner ? " " : "",
                          of->learner ? of->learner : "", of->score);
    }
    return of->scratch.failed ? hsp__fail_memory(err) : HSP_OK;
}

static hsp_status tuning_build(hsp_context *ctx, const hsp_plot_input *input,
                               const hsp_options *options, hsp_figure *figure, hsp_error *err)
{
    tuning of = {.figure = figure, .scratch = {.memory = &ctx->allocator}};
    hsp__source *source = NULL;
    hsp__json *json = NULL;
    char *bytes = NULL;
    size_t size = 0;
    hsp_status status = HSP_OK;
    if (input->model_count + input->file_count != 1)
        return hsp__fail(err, HSP_USAGE,
                         "plot tuning needs one file: what tune --json printed, or a tuned model");
    if (input->model_count) {
        const char *kept = hsp_model_metadata(input->models[0], "tuning");
        of.learner = hsp_model_metadata(input->models[0], "learner");
        of.file = input->model_names ? input->model_names[0] : NULL;
        if (!kept)
            return hsp__fail_at(err, HSP_USAGE, of.file, 0, 0,
                                "the model was not tuned: it has no table of scores");
        status = hsp__json_parse(&ctx->allocator, kept, strlen(kept), of.file, err, &json);
    } else {
        of.file = input->files[0];
        status = hsp__source_open(ctx, of.file, err, &source);
        if (!status) status = hsp__source_read_all(ctx, source, TUNING_MOST, err, &bytes, &size);
        if (!status) status = hsp__json_parse(&ctx->allocator, bytes, size, of.file, err, &json);
    }
    if (!status) {
        of.root = hsp__json_root(json);
        status = tuning_draw(&of, options, err);
    }
    hsp__scratch_free(&of.scratch);
    hsp__json_free(json);
    hsp__free(&ctx->allocator, bytes);
    hsp__source_free(source);
    return status;
}

const hsp__plot_kind hsp__plot_tuning = {
    .table = {"tuning", "scores over the values that were tuned", tuning_options,
              sizeof tuning_options / sizeof *tuning_options},
    .needs = {"FILE.json or MODEL", .models_most = 1, .files_most = 1},
    .build = tuning_build,
};
