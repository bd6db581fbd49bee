/* A model that predicts one class only: often the sign of classes of very different sizes. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "cli.h"

#define ONE_CLASS_ROWS 20 /* fewer say little */

void cli_warn_one_class(const char *name, const char *rows, const hsp_options *learner)
{
    const hsp_option_table *table = hsp_options_table(learner);
    int weight = 0, calibrate = 0;
    for (size_t i = 0; i < table->count; i++) {
        weight |= strcmp(table->options[i].name, "weight") == 0;
        calibrate |= strcmp(table->options[i].name, "calibrate") == 0;
    }
    cli_warn("'%s' is predicted for EVERY %s. If the classes differ in size, use %s%sor choose "
             "options by tune --score auc or balanced-accuracy.",
             show_name(name), rows, weight ? "--weight balanced, " : "",
             calibrate ? "predict --threshold with probabilities (--calibrate platt), " : "");
}

/* Does always predicting the class of some rows make that many mistakes? If not, several classes are
 * predicted, and nothing needs to be counted. */
static int one_class_possible(const hsp_view *view, const hsp_data *data, const hsp_model *model,
                              uint64_t mistakes)
{
    const uint32_t classes = hsp_model_classes(model);
    uint64_t *of = cli_memory(NULL, (classes + 1) * sizeof *of), rows = 0;
    int possible = 0;
    for (uint32_t c = 0; c <= classes; c++)
        of[c] = 0;
    for (uint64_t i = 0; i < view->rows; i++) {
        const uint32_t c = hsp_model_class_of(model, hsp_data_class_name(data, view->labels[i]));
        if (c < classes) of[c]++, rows++;
    }
    for (uint32_t c = 0; c < classes; c++)
        possible |= rows >= ONE_CLASS_ROWS && of[c] < rows && rows - of[c] == mistakes;
    free(of);
    return possible;
}

void cli_check_one_class(cli *run, hsp_data *data, const hsp_model *model, double error,
                         const hsp_options *learner)
{
    const hsp_view *view;
    const uint64_t classes = hsp_model_classes(model);
    hsp_evaluation all = {.size = sizeof all};
    if (!data || !model || isnan(error) || hsp_data_view(run->ctx, data, NULL, &view) != HSP_OK ||
        !view->labels ||
        !one_class_possible(view, data, model, (uint64_t)llround(error * (double)view->rows)))
        return;
    uint64_t *confusion = cli_memory(NULL, classes * classes * sizeof *confusion);
    uint32_t only = 0, seen = 0;
    if (hsp_evaluate(run->ctx, model, data, NULL, &all, confusion) == HSP_OK && !all.ties) {
        for (uint32_t c = 0; c < classes; c++) {
            uint64_t as = 0;
            for (uint64_t t = 0; t < classes; t++)
                as += confusion[t * classes + c];
            if (as) only = c, seen++;
        }
        if (seen == 1) cli_warn_one_class(hsp_model_class_name(model, only), "row", learner);
    }
    free(confusion);
}
