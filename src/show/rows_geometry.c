/* What the option show of the kind `rows` adds: margins, support vectors, the vector w, distances and
 * mistakes of the first model; hulls and numbers of the rows.
 *
 * Lengths (geometric, w, distances, origin, slack) are only drawn in a plane in which they are true:
 * that of the only two features, or, of more features, the plane of w and the direction along the
 * boundary in which the rows differ most (plane.h: HSP__PLANE_DIRECTION). */
#include "show/rows_geometry.h"

#include <stdio.h>

#include "learn/prepare.h"
#include "measure/evaluate.h"
#include "model/model.h"
#include "show/scene.h"

/* y s of a row on its margin line, but for the tolerance of solvers */
#define GEOMETRY_ON_MARGIN 1.001
#define GEOMETRY_FRAME     1.5 /* width by height of a frame */
#define GEOMETRY_UNEVEN    6   /* ranges whose ratio is larger do not get the same unit */

enum { GEOMETRY_UNDER = 1, GEOMETRY_MODEL = 2, GEOMETRY_MARGINS = 4, GEOMETRY_LENGTHS = 8 };
#define GEOMETRY_LENGTH (GEOMETRY_MODEL | GEOMETRY_MARGINS | GEOMETRY_LENGTHS)

static const struct {
    const char *name;
    int needs;
} geometry_table[] = {
    [HSP__SHOW_MARGINS] = {"margins", GEOMETRY_MODEL | GEOMETRY_MARGINS | GEOMETRY_UNDER},
    [HSP__SHOW_GEOMETRIC] = {"geometric", GEOMETRY_LENGTH | GEOMETRY_UNDER},
    [HSP__SHOW_SUPPORT] = {"support", GEOMETRY_MODEL},
    [HSP__SHOW_W] = {"w", GEOMETRY_LENGTH},
    [HSP__SHOW_DISTANCES] = {"distances", GEOMETRY_LENGTH | GEOMETRY_UNDER},
    [HSP__SHOW_ORIGIN] = {"origin", GEOMETRY_LENGTH},
    [HSP__SHOW_SLACK] = {"slack", GEOMETRY_LENGTH | GEOMETRY_UNDER},
    [HSP__SHOW_HULLS] = {"hulls", GEOMETRY_UNDER},
    [HSP__SHOW_MISTAKES] = {"mistakes", GEOMETRY_MODEL},
    [HSP__SHOW_NUMBERS] = {"numbers", 0},
};
enum { GEOMETRY_COUNT = sizeof geometry_table / sizeof *geometry_table };

/* What the overlays share, in plot->memory. */
struct hsp__rows_geometry {
    hsp__scene scene;
    hsp__plane_separator separator;
    double *margin;
    unsigned char *wrong, *ring;
};

/* ---- What can be shown ----------------------------------------------------------------------- */

static int geometry_asks(const hsp__rows_plot *plot, int need)
{
    for (int i = 0; i < GEOMETRY_COUNT; i++)
        if (plot->shown >> i & 1 && geometry_table[i].needs & need) return 1;
    return 0;
}

/* Why this cannot be shown of the model; NULL: it can. */
static const char *geometry_lacks(const hsp_model *model, int needs)
{
    if (needs & GEOMETRY_MODEL && !model) return "needs a model: halfspace plot MODEL DATA";
    if (needs & GEOMETRY_MARGINS && model->scorers != 1)
        return "is for models of two classes, or of one class against the others";
    if (needs & GEOMETRY_MARGINS && !hsp__evaluate_has_margins(model))
        return "is for models with scores: this one takes votes";
    if (needs & GEOMETRY_LENGTHS && !model->weights)
        return "is for linear models: with a kernel the boundary is a curve";
    if (needs & GEOMETRY_LENGTHS && !hsp_model_file_weights(model, 0, NULL, NULL))
        return "needs a separator of the file's columns, but the model divides each row by its "
               "norm";
    return NULL;
}

hsp_status hsp__rows_geometry_parse(hsp__rows_plot *plot, const char *text, hsp_error *err)
{
    for (const char *p = text; p && *p;) {
        const size_t size = strcspn(p, ",");
        char quoted[HSP__QUOTED], all[200] = "";
        int found = -1;
        for (int i = 0; i < GEOMETRY_COUNT; i++) {
            const char *name = geometry_table[i].name;
            if (strlen(name) == size && memcmp(name, p, size) == 0) found = i;
            snprintf(all + strlen(all), sizeof all - strlen(all), "%s%s", i ? ", " : "", name);
        }
        if (found < 0)
            return hsp__fail_option(err, "--show", "found '%s', expected some of %s",
                                    hsp__quote(p, size, quoted), all);
        const char *why = geometry_lacks(plot->model, geometry_table[found].needs);
        if (why) return hsp__fail_option(err, "--show", "'%s' %s", geometry_table[found].name, why);
        plot->shown |= 1u << found;
        p += size + (p[size] == ',');
    }
    return HSP_OK;
}

hsp_status hsp__rows_geometry_plane(hsp__rows_plot *plot, hsp_error *err, double **w, double *b)
{
    const uint64_t cols = plot->view->cols;
    const uint64_t features = plot->model ? hsp_model_features(plot->model) : 0;
    *w = NULL;
    if (!geometry_asks(plot, GEOMETRY_LENGTHS) || cols <= 2) return HSP_OK;
    if (hsp_options_text(plot->options, "x") || hsp_options_text(plot->options, "y"))
        return hsp__fail_option(err, "--show",
                                "lengths are not true in the plane of two of %llu features. Leave "
                                "out --x and --y: the axes are then along w and along the boundary",
                                (unsigned long long)cols);
    double square = 0,
           *made = hsp__scratch_new(&plot->memory, cols > features ? cols : features, sizeof *made);
    if (!made) return hsp__fail_memory(err);
    hsp_model_file_weights(plot->model, 0, made, b);
    for (uint64_t j = 0; j < cols; j++)
        square += made[j] * made[j];
    if (square > 0 && isfinite(square)) *w = made;
    return HSP_OK;
}

/* ---- Rows and model -------------------------------------------------------------------------- */

/* Scores of the rows that are shown: margins and mistakes. */
static hsp_status geometry_scores(hsp__rows_plot *plot, struct hsp__rows_geometry *to,
                                  hsp_error *err)
{
    const hsp_model *model = plot->model;
    const uint32_t scorers = hsp_model_scorers(model);
    const int margins = hsp__evaluate_has_margins(model);
    hsp_data *shown = NULL;
    const hsp_view *view;
    double *scores = hsp__scratch_raw(&plot->memory, plot->count * scorers, sizeof *scores);
    uint32_t *said = hsp__scratch_raw(&plot->memory, plot->count, sizeof *said);
    to->margin = hsp__scratch_raw(&plot->memory, plot->count, sizeof *to->margin);
    to->wrong = hsp__scratch_new(&plot->memory, plot->count, sizeof *to->wrong);
    if (plot->memory.failed) return hsp__fail_memory(err);
    hsp_status status =
        hsp_data_select(plot->ctx, plot->data, plot->rows, plot->count, err, &shown);
    if (!status) status = hsp_data_view(plot->ctx, shown, err, &view);
    if (!status) status = hsp_model_score(plot->ctx, model, view, err, scores, said);
    for (uint64_t i = 0; !status && i < plot->count; i++) {
        const uint32_t class = plot->class_of[i];
        const int known = class != HSP_NO_CLASS;
        to->wrong[i] = known && said[i] != class;
        to->margin[i] = known && margins ? hsp__evaluate_margin(model, scores + i * scorers, class)
                                         : (double)NAN;
    }
    hsp_data_free(shown);
    return status;
}

/* The geometric margin is that of all rows of the model's classes, not of a sample of them. */
static hsp_status geometry_least(hsp__rows_plot *plot, hsp__scene *to, hsp_error *err)
{
    const hsp_view *view = plot->view;
    hsp__scratch memory = {.memory = &plot->ctx->allocator};
    double *scores = hsp__scratch_raw(&memory, view->rows, sizeof *scores);
    uint32_t *said = hsp__scratch_raw(&memory, view->rows, sizeof *said);
    uint64_t nearest = 0;
    hsp_status status = memory.failed
                            ? hsp__fail_memory(err)
                            : hsp_model_score(plot->ctx, plot->model, view, err, scores, said);
    to->least = HUGE_VAL;
    for (uint64_t i = 0; !status && view->labels && i < view->rows; i++) {
        const uint32_t class =
            hsp_model_class_of(plot->model, hsp_data_class_name(plot->data, view->labels[i]));
        if (class == HSP_NO_CLASS) continue;
        const double margin = hsp__evaluate_margin(plot->model, scores + i, class);
        to->not_right += !(margin > 0);
        if (!(margin < to->least)) continue;
        to->least = margin;
        nearest = i;
    }
    if (view->rows) hsp__plane_place(&plot->plane, nearest, to->least_at);
    hsp__scratch_free(&memory);
    return status;
}

static hsp_status geometry_line(hsp__rows_plot *plot, struct hsp__rows_geometry *to, hsp_error *err)
{
    const uint64_t features = hsp_model_features(plot->model);
    double b, square = 0, *w = hsp__scratch_new(&plot->memory, features, sizeof *w);
    if (!w) return hsp__fail_memory(err);
    if (!hsp__plane_model(plot->model, w, &b)) return HSP_OK;
    if (hsp__plane_meet(&plot->plane, w, b, features, &to->separator))
        to->scene.separator = &to->separator;
    for (uint64_t j = 0; j < features; j++)
        square += w[j] * w[j];
    if (square == 0)
        hsp__figure_note(plot->figure, "w = 0: there is no boundary");
    else if (geometry_asks(plot, GEOMETRY_LENGTHS) && hsp_model_scaling_kind(plot->model))
        hsp__figure_note(plot->figure,
                         "lengths in units of the file; eval and predict give them in "
                         "those of the scaled columns");
    else if (plot->shown >> HSP__SHOW_MARGINS & 1 && !hsp__plane_is_true(&plot->plane))
        hsp__figure_note(plot->figure,
                         "margin lines where other features have their mean; rows are "
                         "next to that plane, not in it");
    return HSP_OK;
}

/* The support vectors among the rows that are shown: those with a coefficient, if the model keeps
 * them and these are its training rows; else, of a model with margins, the rows on or within them. */
static hsp_status geometry_support(hsp__rows_plot *plot, struct hsp__rows_geometry *to,
                                   hsp_error *err)
{
    const hsp_model *model = plot->model;
    const hsp_row_coefficients kept = hsp_model_row_coefficients(model);
    const uint64_t *source = NULL, support = hsp_model_support(model, &source);
    const uint64_t rows = plot->view->rows;
    const char *learner = hsp_model_metadata(model, "learner");
    const int svm = learner && strcmp(learner, "svm") == 0;
    hsp__trained seen = HSP__TRAINED_NO;
    to->ring = hsp__scratch_new(&plot->memory, plot->count, sizeof *to->ring);
    unsigned char *of = hsp__scratch_new(&plot->memory, rows, sizeof *of);
    if (plot->memory.failed) return hsp__fail_memory(err);
    to->scene.ring = to->ring;
    if (support || kept.count) HSP__TRY(hsp__view_seen(plot->ctx, plot->view, model, err, &seen));
    if (seen == HSP__TRAINED_YES) {
        to->scene.ring_name = support || svm ? "support vectors" : "rows of updates";
        for (uint64_t k = 0; k < support; k++)
            if (source[k] < rows) of[source[k]] = 1;
        for (uint64_t k = 0; !support && k < kept.count; k++)
            if (kept.row[k] < rows && kept.amount[k] != 0) of[kept.row[k]] = 1;
        /* the model counts the rows of its own classes only */
        for (uint64_t i = 0, number = 0, k = 0; i < rows && k < plot->count; i++) {
            const char *label = hsp_data_class_name(plot->data, plot->view->labels[i]);
            const int own = hsp_model_class_of(model, label) != HSP_NO_CLASS;
            if (plot->rows[k] == i) to->ring[k++] = of[number];
            number += (uint64_t)own;
        }
        return HSP_OK;
    }
    if (model->scorers != 1 || !hsp__evaluate_has_margins(model) || support)
        return hsp__fail_option(err, "--show", "'support' marks rows of the training data: %s",
                                support || kept.count ? "the model was trained on other rows"
                                                      : "the model keeps no coefficients of rows");
    to->scene.ring_name = "rows with y s(x) ≤ 1";
    for (uint64_t i = 0; i < plot->count; i++)
        to->ring[i] = to->margin[i] <= GEOMETRY_ON_MARGIN;
    return HSP_OK;
}

/* Ranges of about the shape of a frame, for axes of the same unit. */
static void geometry_frame(hsp__scene *scene)
{
    const double x = scene->high[0] - scene->low[0], y = scene->high[1] - scene->low[1];
    const double more_x = y * GEOMETRY_FRAME - x, more_y = x / GEOMETRY_FRAME - y;
    const int a = more_x > 0 ? 0 : 1;
    const double more = more_x > 0 ? more_x : more_y;
    scene->low[a] -= more / 2;
    scene->high[a] += more / 2;
}

hsp_status hsp__rows_geometry_prepare(hsp__rows_plot *plot, hsp_error *err)
{
    struct hsp__rows_geometry *to = hsp__scratch_new(&plot->memory, 1, sizeof *to);
    hsp__panel *panel = plot->panel;
    if (!to) return hsp__fail_memory(err);
    to->scene = (hsp__scene){.panel = panel,
                             .shown = plot->shown,
                             .zero = "the boundary",
                             .count = plot->count,
                             .x = plot->x,
                             .y = plot->y,
                             .numbers = plot->rows,
                             .class = plot->class_of,
                             .radius = plot->radius,
                             .low = {panel->x.low, panel->y.low},
                             .high = {panel->x.high, panel->y.high}};
    plot->geometry = to;
    if (plot->model) {
        if (hsp__plot_threshold(plot->model) > 0) to->scene.zero = "s(x) = 0";
        HSP__TRY(geometry_scores(plot, to, err));
        HSP__TRY(geometry_line(plot, to, err));
        to->scene.margin = to->margin;
        to->scene.wrong = to->wrong;
    }
    if (plot->shown >> HSP__SHOW_GEOMETRIC & 1) HSP__TRY(geometry_least(plot, &to->scene, err));
    if (plot->shown >> HSP__SHOW_HULLS & 1 &&
        plot->view->rows > (uint64_t)hsp_options_integer(plot->options, "rows"))
        hsp__figure_note(plot->figure, "hulls of the rows shown");
    if (plot->shown >> HSP__SHOW_SUPPORT & 1) HSP__TRY(geometry_support(plot, to, err));
    for (int a = 0; a < 2; a++)
        to->scene.origin[a] = plot->plane.axes[a].shift;
    /* with axes across and along the boundary all lengths are horizontal */
    to->scene.uneven =
        plot->plane.axes[0].kind == HSP__PLANE_DIRECTION &&
        panel->y.high - panel->y.low > GEOMETRY_UNEVEN * (panel->x.high - panel->x.low);
    const int equal = geometry_asks(plot, GEOMETRY_LENGTHS) && !to->scene.uneven;
    hsp__scene_widen(&to->scene);
    if (equal) geometry_frame(&to->scene);
    if (plot->plane.axes[1].kind != HSP__PLANE_CLASS) {
        hsp__axis_range(&panel->x, to->scene.low[0], to->scene.high[0]);
        hsp__axis_range(&panel->y, to->scene.low[1], to->scene.high[1]);
        panel->equal = panel->bounded = equal;
    }
    return HSP_OK;
}

/* ---- Drawing --------------------------------------------------------------------------------- */

static double geometry_score(void *user, const double *scores, uint32_t predicted)
{
    (void)user, (void)predicted;
    return scores[0];
}

/* The margin lines of a model whose boundary is no line. */
static hsp_status geometry_contours(hsp__rows_plot *plot, hsp_error *err)
{
    hsp__grid grid;
    hsp__style style = {.color = HSP__MARGIN, .dash = HSP__DASHED, .name = "s(x) = ±1"};
    HSP__TRY(hsp__rows_grid(plot, plot->model, geometry_score, NULL, err, &grid));
    const uint64_t before = plot->panel->mark_count;
    hsp__panel_contour(plot->panel, &grid, 1, style);
    if (plot->panel->mark_count > before) style.name = NULL; /* once in the legend */
    hsp__panel_contour(plot->panel, &grid, -1, style);
    return HSP_OK;
}

/* Where the score is 0, if the model decides elsewhere. */
static void geometry_zero(hsp__rows_plot *plot)
{
    const hsp__scene *scene = plot->geometry ? &plot->geometry->scene : NULL;
    const double threshold = plot->model ? hsp__plot_threshold(plot->model) : 0;
    if (!scene || !scene->separator || !(threshold > 0) || !geometry_asks(plot, GEOMETRY_MARGINS))
        return;
    hsp__scene_level(scene, 0,
                     (hsp__style){.color = HSP__MARGIN, .width = 1.4, .name = "s(x) = 0"});
    hsp__figure_note(plot->figure,
                     "margins and lengths are of s(x) = 0; the model decides at the probability "
                     "%.4g",
                     threshold);
}

hsp_status hsp__rows_geometry_draw(hsp__rows_plot *plot, int under, hsp_error *err)
{
    if (under) geometry_zero(plot);
    for (int i = 0; plot->geometry && i < GEOMETRY_COUNT; i++) {
        const int needs = geometry_table[i].needs;
        const hsp__scene *scene = &plot->geometry->scene;
        if (!(plot->shown >> i & 1) || (needs & GEOMETRY_UNDER) != under) continue;
        if (needs & GEOMETRY_MARGINS && !scene->separator) {
            if (i == HSP__SHOW_MARGINS && !plot->model->weights)
                HSP__TRY(geometry_contours(plot, err));
            continue;
        }
        hsp__scene_draw(scene, (hsp__show)i);
    }
    return HSP_OK;
}
