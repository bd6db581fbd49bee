/* The kind mistakes: how a run's mistakes grow, and what the theorems allow. From a trace of the
 * perceptron or Winnow (one line per update) or of experts (one line per example); with the model and
 * its data, the mistake bounds of audit. */
#include <stdio.h>

#include "show/figure.h"
#include "show/table_file.h"

enum { MISTAKES_BOUNDS = 3 };
static const char mistakes_writer[] = "train perceptron, winnow or experts with --trace FILE";

typedef struct mistakes {
    hsp_context *ctx;
    hsp_figure *figure;
    hsp__panel *panel;
    hsp__scratch scratch;
    const hsp__log_table *table;
    double last;  /* mistakes in all */
    double bound; /* the largest that is drawn; 0: none */
} mistakes;

static hsp_status mistakes_column(mistakes *of, const char *name, hsp_error *err, double **out)
{
    uint32_t column;
    HSP__TRY(hsp__log_table_need(of->table, name, mistakes_writer, err, &column));
    *out = hsp__scratch_raw(&of->scratch, of->table->rows, sizeof **out);
    return *out ? hsp__log_table_numbers(of->table, column, err, *out) : hsp__fail_memory(err);
}

static void mistakes_rule(mistakes *of, const char *name, double bound, int color, int dash)
{
    char text[128], number[HSP__LABEL];
    snprintf(text, sizeof text, "%.60s: at most %s", name, hsp__label_number(floor(bound), number));
    hsp__panel_rule(of->panel, 0, 1, bound,
                    (hsp__style){.color = color, .width = 1.8, .dash = dash, .name = text});
    of->bound = fmax(of->bound, bound);
}

/* ---- Experts: each line has the mistakes and their bound so far ---- */

static hsp_status mistakes_experts(mistakes *of, hsp_error *err)
{
    static const struct {
        const char *column, *name;
        int color, dash;
    } curves[] = {{"bound", "bound", HSP__MARGIN, HSP__DASHED},
                  {"best_mistakes", "best expert so far", HSP__MUTED, HSP__SOLID},
                  {"mistakes", "mistakes", HSP__CLASS_FIRST, HSP__SOLID}};
    double *x, *y;
    HSP__TRY(mistakes_column(of, "example", err, &x));
    for (size_t i = 0; i < sizeof curves / sizeof *curves; i++) {
        HSP__TRY(mistakes_column(of, curves[i].column, err, &y));
        hsp__panel_line(of->panel, of->table->rows, x, y,
                        (hsp__style){.color = curves[i].color,
                                     .width = 2,
                                     .dash = curves[i].dash,
                                     .name = curves[i].name});
    }
    hsp__axis_label(of->panel, &of->panel->x, "examples predicted");
    return HSP_OK;
}

/* ---- The perceptron and Winnow: each line is an update ---- */

/* How many examples had been seen at each update, if rows came in the order of the file; else passes
 * that had begun. `rows`: of the data, 0: not known. */
static int mistakes_seen(uint64_t count, const double *pass, const double *example, double rows,
                         double *x)
{
    int ordered = 1;
    for (uint64_t i = 1; i < count; i++)
        ordered &= pass[i] > pass[i - 1] || (pass[i] == pass[i - 1] && example[i] > example[i - 1]);
    for (uint64_t i = 0; i < count; i++)
        rows = fmax(rows, example[i]);
    for (uint64_t i = 0; i < count; i++)
        x[i] = ordered ? (pass[i] - 1) * rows + example[i] : pass[i];
    return ordered;
}

/* Bounds on the number of updates, from what a comparison with a separator left in the trace: k <=
 * k / (lower bound of the cosine)^2, which is the same number on every line. And both sides of the
 * proof. */
static hsp_status mistakes_proof(mistakes *of, const double *update, hsp_error *err)
{
    const uint64_t count = of->table->rows;
    double *cosine, *least;
    if (hsp__log_table_column(of->table, "cosine_bound") == UINT32_MAX) return HSP_OK;
    HSP__TRY(mistakes_column(of, "cosine", err, &cosine));
    HSP__TRY(mistakes_column(of, "cosine_bound", err, &least));
    if (least[count - 1] > 0)
        mistakes_rule(of, "proof", update[count - 1] / (least[count - 1] * least[count - 1]),
                      HSP__MARGIN, HSP__DASHED);
    hsp__panel *panel = hsp__panel_add(of->figure, "The proof");
    if (!panel) return hsp__fail_memory(err);
    hsp__axis_label(panel, &panel->x, "updates");
    hsp__axis_label(panel, &panel->y, "cosine of the angle to the reference");
    hsp__panel_line(panel, count, update, cosine,
                    (hsp__style){.color = HSP__WEIGHTS, .width = 2, .name = "cosine"});
    hsp__panel_line(
        panel, count, update, least,
        (hsp__style){
            .color = HSP__WEIGHTS, .width = 2, .dash = HSP__DASHED, .name = "its lower bound"});
    hsp__axis_range(&panel->y, fmin(0, fmin(cosine[0], least[0])) - 0.02, 1.05);
    hsp__panel_rule(panel, 0, 1, 1, (hsp__style){.color = HSP__MUTED, .width = 1});
    return HSP_OK;
}

static hsp_status mistakes_updates(mistakes *of, double rows, hsp_error *err)
{
    const uint64_t count = of->table->rows;
    double *update, *pass, *example;
    double *x = hsp__scratch_raw(&of->scratch, 2 * count + 1, sizeof *x);
    double *y = hsp__scratch_raw(&of->scratch, 2 * count + 1, sizeof *y);
    double *seen = hsp__scratch_raw(&of->scratch, count, sizeof *seen);
    HSP__TRY(mistakes_column(of, "update", err, &update));
    HSP__TRY(mistakes_column(of, "pass", err, &pass));
    HSP__TRY(mistakes_column(of, "example", err, &example));
    if (of->scratch.failed) return hsp__fail_memory(err);
    const int ordered = mistakes_seen(count, pass, example, rows, seen);
    uint64_t points = 0;
    double before = 0;
    x[points] = 0, y[points++] = 0;
    for (uint64_t i = 0; i < count; i++) { /* steps; of unknown places in a pass, its end only */
        if (ordered && seen[i] > x[points - 1]) x[points] = seen[i], y[points++] = before;
        if (ordered || i + 1 == count || seen[i + 1] > seen[i])
            x[points] = seen[i], y[points++] = update[i];
        before = update[i];
    }
    of->last = before;
    hsp__panel_line(of->panel, points, x, y,
                    (hsp__style){.color = HSP__CLASS(0), .width = 2, .name = "mistakes"});
    if (!ordered)
        hsp__panel_points(of->panel, points - 1, x + 1, y + 1,
                          (hsp__style){.color = HSP__CLASS(0)});
    hsp__axis_label(of->panel, &of->panel->x, ordered ? "examples seen" : "passes");
    if (!ordered)
        hsp__figure_note(
            of->figure,
            "the mistakes of each pass at its end: rows came in another order than in the file");
    else if (!(rows > 0) && pass[count - 1] > 1)
        hsp__figure_note(of->figure, "examples per pass: up to the last row with a mistake");
    return mistakes_proof(of, update, err);
}

/* ---- The bounds of audit ---- */

static hsp_status mistakes_audit(mistakes *of, const hsp_plot_input *input, hsp_error *err)
{
    const hsp_model *model = input->models[0];
    const char *learner = hsp_model_metadata(model, "learner");
    hsp_reference widest = {.separator = NULL};
    hsp_mistake_bound *bounds = NULL;
    size_t count = 0, drawn = 0;
    if (input->model_count == 1 && learner && strcmp(learner, "winnow") == 0)
        return hsp__fail(err, HSP_USAGE,
                         "the bounds of Winnow compare with a separator: give it as a second "
                         "model, after that of the run");
    if (input->model_count == 1)
        HSP__TRY(hsp_reference_find(of->ctx, model, input->data[0], err, &widest));
    const hsp_status status = hsp_audit(
        of->ctx, model, input->data[0],
        input->model_count > 1 ? input->models[1] : widest.separator, err, &bounds, &count);
    hsp_model_free(widest.separator);
    if (status) return status;
    const double proof = of->bound;
    for (double above = 0; drawn < MISTAKES_BOUNDS; drawn++) { /* the smallest first */
        const hsp_mistake_bound *next = NULL;
        for (size_t i = 0; i < count; i++)
            if (bounds[i].applies && !bounds[i].lower && isfinite(bounds[i].bound) &&
                bounds[i].bound > above && strncmp(bounds[i].formula, "k <=", 4) == 0 &&
                (!next || bounds[i].bound < next->bound))
                next = &bounds[i];
        if (!next) break;
        if (fabs(next->bound - proof) > 1e-6 * proof) /* else it is drawn already */
            mistakes_rule(of, next->name, next->bound, HSP__CLASS(2 + drawn), HSP__DASHED);
        above = next->bound;
    }
    hsp_mistake_bounds_free(bounds);
    if (!drawn)
        hsp__figure_note(of->figure,
                         "no mistake bound of audit applies to this run and data; see audit");
    return HSP_OK;
}

static hsp_status mistakes_draw(mistakes *of, const hsp_plot_input *input, hsp_error *err)
{
    const int experts = hsp__log_table_column(of->table, "best_mistakes") != UINT32_MAX;
    if (input->model_count && !input->data_count)
        return hsp__fail(
            err, HSP_USAGE,
            "plot mistakes needs the data of the model, too: [MODEL [REFERENCE] DATA] TRACE");
    of->panel = hsp__panel_add(of->figure, experts ? NULL : "Mistakes");
    if (!of->panel) return hsp__fail_memory(err);
    hsp__axis_label(of->panel, &of->panel->y, "mistakes so far");
    if (experts) {
        HSP__TRY(mistakes_experts(of, err));
    } else {
        HSP__TRY(mistakes_updates(of, input->data_count ? (double)hsp_data_rows(input->data[0]) : 0,
                                  err));
        if (input->model_count) HSP__TRY(mistakes_audit(of, input, err));
        of->panel->y.log = of->bound > 8 * of->last && of->last > 0;
        if (of->bound > 0 && !of->panel->y.log)
            hsp__axis_range(&of->panel->y, 0, 1.08 * fmax(of->bound, of->last));
        if (of->panel->y.log) hsp__axis_range(&of->panel->y, 0.8, 2 * of->bound);
    }
    hsp__figure_title(of->figure, "Mistakes and their bound");
    return HSP_OK;
}

static hsp_status mistakes_build(hsp_context *ctx, const hsp_plot_input *input,
                                 const hsp_options *options, hsp_figure *figure, hsp_error *err)
{
    mistakes of = {.ctx = ctx, .figure = figure, .scratch = {.memory = &ctx->allocator}};
    hsp__log_table table;
    (void)options;
    HSP__TRY(hsp__log_table_read(ctx, input->files[0], err, &table));
    of.table = &table;
    const hsp_status status = mistakes_draw(&of, input, err);
    hsp__scratch_free(&of.scratch);
    hsp__log_table_free(&table);
    return status;
}

const hsp__plot_kind hsp__plot_mistakes = {
    .table = {"mistakes", "mistakes of an online run and their bound", NULL, 0},
    .needs = {"[MODEL [REFERENCE] DATA] TRACE", .models_most = 2, .data_most = 1, .files_least = 1,
              .files_most = 1},
    .build = mistakes_build,
};
