/* A model that predicts one class only: often the sign of classes of very different sizes. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "cli.h"

#define ONE_CLASS_ROWS 20 /* fewer say little */

void cli_warn_one_class(const char *name, const char *rows, const hsp_options *learner, int tuned)
{
    const hsp_option_table *table = learner ? hsp_options_table(learner) : NULL;
    const char *ways[3];
    size_t count = 0, weight = 0, calibrate = 0;
    for (size_t i = 0; table && i < table->count; i++) {
        weight |= strcmp(table->options[i].name, "weight") == 0;
        calibrate |= strcmp(table->options[i].name, "calibrate") == 0;
    }
    if (weight) ways[count++] = "train with --weight balanced";
    if (!table || strcmp(table->name, "logistic") == 0)
        ways[count++] = "choose a threshold by eval --threshold best-f1";
    else if (calibrate)
        ways[count++] = "use predict --threshold with probabilities (--calibrate platt)";
    if (!tuned) ways[count++] = "choose options by tune --score auc or balanced-accuracy";
    char *all = cli_format("%s", "");
    for (size_t i = 0; i < count; i++) {
        char *longer = cli_format("%s%s%s", all, i ? i + 1 < count ? ", " : " or " : " ", ways[i]);
        free(all);
        all = longer;
    }
    cli_warn("'%s' is predicted for EVERY %s.%s%s%s", show_name(name), rows,
             count ? " If the classes differ in size:" : "", all, count ? "." : "");
    free(all);
}

/* Numbers of all processes, added up. */
static void one_class_add(const hsp_ranks *ranks, uint64_t *numbers, size_t count)
{
    uint64_t sizes[256], *all = cli_memory(NULL, (size_t)ranks->count * count * sizeof *all);
    for (int r = 0; r < ranks->count; r++)
        sizes[r] = count * sizeof *all;
    ranks->gather(ranks->user, numbers, sizes, all);
    for (size_t k = 0; k < count; k++)
        numbers[k] = 0;
    for (size_t k = 0; k < (size_t)ranks->count * count; k++)
        numbers[k % count] += all[k];
    free(all);
}

/* Does always predicting the class of some rows make that part of mistakes? If not, several classes are
 * predicted, and nothing needs to be counted. The same answer on all processes. */
static int one_class_possible(const hsp_view *view, const hsp_data *data, const hsp_model *model,
                              double error)
{
    const uint32_t classes = hsp_model_classes(model);
    const hsp_ranks *ranks = hsp_data_ranks(data);
    uint64_t *of = cli_memory(NULL, (classes + 1) * sizeof *of), all = 0;
    int possible = 0;
    for (uint32_t c = 0; c <= classes; c++)
        of[c] = 0;
    for (uint64_t i = 0; i < view->rows; i++) {
        const uint32_t c = hsp_model_class_of(model, hsp_data_class_name(data, view->labels[i]));
        of[c < classes ? c : classes]++;
    }
    if (ranks) one_class_add(ranks, of, classes + 1);
    for (uint32_t c = 0; c <= classes; c++)
        all += of[c];
    const uint64_t rows = all - of[classes];
    const uint64_t mistakes = (uint64_t)llround(error * (double)all);
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
        !view->labels || !one_class_possible(view, data, model, error))
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
        if (seen == 1)
            cli_warn_one_class(hsp_model_class_name(model, only), "row", learner,
                               strcmp(run->command->name, "train") != 0);
    }
    free(confusion);
}
