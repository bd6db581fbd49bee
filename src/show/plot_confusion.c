/* The kind confusion: true and predicted classes, one panel per model. The counts are those of eval. */
#include "measure/evaluate.h"
#include "show/figure.h"
#include "show/file_name.h"

enum { CONFUSION_NUMBERS = 16 }; /* classes whose counts are written down */

static hsp_status confusion_draw(const hsp_evaluated *rows, const char *title, hsp_figure *figure,
                                 hsp__scratch *scratch, hsp_error *err)
{
    const uint32_t k = rows->kept.classes;
    const uint64_t *counts = rows->counts;
    const char **names = hsp__scratch_new(scratch, k, sizeof *names);
    double *shares = hsp__scratch_raw(scratch, (uint64_t)k * k, sizeof *shares);
    char number[HSP__LABEL];
    if (scratch->failed) return hsp__fail_memory(err);
    if (!rows->kept.rows)
        return hsp__fail(err, HSP_BAD_DATA, "no row has a label that the model knows");
    hsp__panel *panel = hsp__panel_add(figure, title);
    if (!panel) return hsp__fail_memory(err);
    for (uint32_t t = 0; t < k; t++) {
        uint64_t all = 0;
        names[t] = hsp_model_class_name(rows->model, t);
        for (uint32_t c = 0; c < k; c++)
            all += counts[(uint64_t)t * k + c];
        for (uint32_t c = 0; c < k; c++)
            shares[(uint64_t)t * k + c] =
                all ? (double)counts[(uint64_t)t * k + c] / (double)all : (double)NAN;
    }
    hsp__axis_categories(panel, &panel->x, names, k);
    hsp__axis_categories(panel, &panel->y, names, k);
    hsp__axis_label(panel, &panel->x, "predicted class");
    hsp__axis_label(panel, &panel->y, "true class");
    panel->y.reversed = panel->grid_off = panel->square = 1;
    hsp__panel_cells(panel, k, k, -0.5, k - 0.5, -0.5, k - 0.5, shares, HSP__SCALE_SEQUENTIAL, 0,
                     1);
    for (uint32_t t = 0; k <= CONFUSION_NUMBERS && t < k; t++)
        for (uint32_t c = 0; c < k; c++) {
            const uint64_t count = counts[(uint64_t)t * k + c];
            if (count || k <= 3)
                hsp__panel_text(panel, c, t,
                                (hsp__style){.color = HSP__OVER, .size = k > 8 ? 10 : 12}, "%s",
                                hsp__label_count(count, number));
        }
    hsp__panel_bar(panel, "share of the true class");
    if (rows->unknown)
        hsp__figure_note(figure, "%s row%s with labels that the model does not have",
                         hsp__label_count(rows->unknown, number), rows->unknown == 1 ? "" : "s");
    if (rows->tied)
        hsp__figure_note(figure, "%s row%s on the boundary, of no predicted class",
                         hsp__label_count(rows->tied, number), rows->tied == 1 ? "" : "s");
    return HSP_OK;
}

static hsp_status confusion_build(hsp_context *ctx, const hsp_plot_input *input,
                                  const hsp_options *options, hsp_figure *figure, hsp_error *err)
{
    hsp_status status = HSP_OK;
    (void)options;
    hsp__figure_title(figure, "Confusion matrix");
    if (input->model_count == 1) figure->width = 560, figure->height = 500;
    for (size_t m = 0; !status && m < input->model_count; m++) {
        hsp__scratch scratch = {.memory = &ctx->allocator};
        hsp_evaluated *rows = NULL;
        const char *title = input->model_count > 1 && input->model_names
                                ? hsp__file_name(input->model_names[m])
                                : NULL;
        status =
            hsp_evaluated_new(ctx, input->models[m], hsp__plot_data(input, m), NULL, err, &rows);
        if (!status) status = confusion_draw(rows, title, figure, &scratch, err);
        hsp_evaluated_free(rows);
        hsp__scratch_free(&scratch);
    }
    return status;
}

const hsp__plot_kind hsp__plot_confusion = {
    .table = {"confusion", "confusion matrices of models", NULL, 0},
    .needs = {"MODEL... DATA", .models_least = 1, .models_most = 9, .data_least = 1, .data_most = 1,
              .data_each = 1},
    .build = confusion_build,
};
