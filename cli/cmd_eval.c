/* halfspace eval MODEL DATA: a model on labelled rows: errors, class by class, losses, margins. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "cli.h"

enum { EVAL_OWN, EVAL_READ };

#define EVAL_CLASSES 20 /* shown to people; JSON has them all */

static const hsp_option eval_own[] = {
    {"threshold", HSP_OPTION_REAL, NULL, 0, 1, NULL, "P",
     "two classes: predict the second (positive) one when its probability is above P; without it, "
     "calibrated models predict the most probable class, others decide by the score"},
};

static const hsp_option_table *eval_options(void)
{
    static const hsp_option_table table = {"eval", "options of eval", eval_own, 1};
    return &table;
}

static const cli_group eval_groups[] = {
    {"Options", eval_options}, {"Reading options", hsp_read_options}, {NULL, NULL}};

typedef struct eval {
    cli_pair given;
    hsp_evaluation all;
    uint32_t classes;
    uint64_t *confusion; /* classes * classes: [true * classes + predicted] */
    uint64_t *of_class;  /* classes: rows of each, ties included */
    double eval_seconds;
} eval;

/* ---- Class by class ---- */

/* Of the rows said to be of class c, the share that is; NaN when none is said to be. */
static double eval_precision(const eval *seen, uint32_t c)
{
    uint64_t said = 0;
    for (uint32_t t = 0; t < seen->classes; t++)
        said += seen->confusion[(size_t)t * seen->classes + c];
    return said ? (double)seen->confusion[(size_t)c * seen->classes + c] / (double)said
                : (double)NAN;
}

/* Of the rows of class c, the share that is found; NaN when there are none. */
static double eval_recall(const eval *seen, uint32_t c)
{
    return seen->of_class[c]
               ? (double)seen->confusion[(size_t)c * seen->classes + c] / (double)seen->of_class[c]
               : (double)NAN;
}

static hsp_status eval_count_classes(cli *run, eval *seen, hsp_error *err)
{
    const hsp_view *view;
    hsp_status status = hsp_data_view(run->ctx, seen->given.data, err, &view);
    if (status != HSP_OK) return status;
    uint32_t *class_of = cli_memory(NULL, ((size_t)view->classes + 1) * sizeof *class_of);
    for (uint32_t c = 0; c < view->classes; c++)
        class_of[c] =
            hsp_model_class_of(seen->given.model, hsp_data_class_name(seen->given.data, c));
    for (uint64_t i = 0; view->labels && i < view->rows; i++)
        if (class_of[view->labels[i]] != HSP_NO_CLASS) seen->of_class[class_of[view->labels[i]]]++;
    free(class_of);
    return HSP_OK;
}

/* ---- For people ---- */

/* What makes no sense for this model is left out. */
static void eval_line(cli_table *table, const char *what, double value)
{
    if (!isnan(value)) table_line(table, what, "%s", show_number(value));
}

static void eval_print_margins(cli_table *table, const hsp_evaluation *all)
{
    eval_line(table, "hinge loss", all->hinge_loss);
    eval_line(table, "functional margin", all->functional_margin);
    eval_line(table, "geometric margin", all->geometric_margin);
    eval_line(table, "boundary from origin", all->origin_distance);
    if (!isnan(all->margin_distance))
        table_line(table, "margin boundaries", "%s from the boundary",
                   show_number(all->margin_distance));
    if (isnan(all->functional_margin)) return;
    table_line(table, "rows and margins", "%s beyond, %s on, %s within or wrong",
               show_count(all->beyond), show_count(all->on), show_count(all->within));
}

static void eval_print_totals(const cli *run, const eval *seen)
{
    const hsp_evaluation *all = &seen->all;
    cli_table table;
    printf("%s on %s\n", show_input(run->arguments[0]), show_input(run->arguments[1]));
    table_begin(&table, "ll");
    table_line(&table, "rows", "%s", show_count(all->n));
    if (all->left_out)
        table_line(&table, "left out", "%s of other classes", show_count(all->left_out));
    table_line(&table, "mistakes", "%s", show_count(all->mistakes));
    if (!isnan(all->error)) table_line(&table, "error", "%s", show_share(all->error));
    if (!isnan(all->accuracy)) table_line(&table, "accuracy", "%s", show_share(all->accuracy));
    if (!isnan(all->balanced_accuracy))
        table_line(&table, "balanced accuracy", "%s", show_share(all->balanced_accuracy));
    eval_line(&table, "AUC", all->auc);
    eval_line(&table, "log loss", all->log_loss);
    eval_line(&table, "Brier score", all->brier);
    eval_print_margins(&table, all);
    table_line(&table, "ties", "%s", show_count(all->ties));
    table_print(&table, stdout);
}

/* One row a class, one column a prediction, then precision and recall. */
static void eval_print_classes(const eval *seen)
{
    char columns[EVAL_CLASSES + 4] = "l";
    cli_table table;
    if (seen->classes > EVAL_CLASSES) {
        printf("\n%s classes: --json has the table.\n", show_count(seen->classes));
        return;
    }
    memset(columns + 1, 'r', seen->classes + 2);
    columns[seen->classes + 3] = 0;
    table_begin(&table, columns);
    table_cell(&table, "class");
    for (uint32_t c = 0; c < seen->classes; c++)
        table_cell(&table, "as %s", show_name(hsp_model_class_name(seen->given.model, c)));
    table_cell(&table, "precision");
    table_cell(&table, "recall");
    for (uint32_t t = 0; t < seen->classes; t++) {
        double precision = eval_precision(seen, t), recall = eval_recall(seen, t);
        table_cell(&table, "%s", show_name(hsp_model_class_name(seen->given.model, t)));
        for (uint32_t c = 0; c < seen->classes; c++)
            table_cell(&table, "%s", show_count(seen->confusion[(size_t)t * seen->classes + c]));
        table_cell(&table, "%s", isnan(precision) ? "-" : show_share(precision));
        table_cell(&table, "%s", isnan(recall) ? "-" : show_share(recall));
    }
    printf("\nClasses, and what their rows were taken as\n");
    table_print(&table, stdout);
}

/* ---- For machines ---- */

static const cli_term eval_keys[] = {
    {"model, file", "the two files, as they were named"},
    {"n, mistakes", "rows measured, and how many of them the model gets wrong; a tie is wrong"},
    {"left_out", "rows of classes that the model was told to leave out"},
    {"error, accuracy", "share of mistakes (0-1 loss), and 1 less it"},
    {"balanced_accuracy", "mean of the classes' recalls"},
    {"auc", "area under the ROC curve, ties counting half; null with more than two classes"},
    {"log_loss",
     "mean of -log of the probability of a row's class, which counts as 2^-52 at least; "
     "null without probabilities"},
    {"brier", "mean of (p - y)^2, p the probability of the second class; more classes: of the sum "
              "over classes; null without probabilities"},
    {"hinge_loss", "mean of max(0, 1 - y s)"},
    {"functional_margin", "min of y s"},
    {"geometric_margin", "functional margin / ||w||"},
    {"origin_distance", "-b / ||w||, the boundary's distance from the origin"},
    {"margin_distance", "1 / ||w||, the distance of the margin boundaries s = +-1"},
    {"beyond, on, within", "rows with y s > 1, = 1, < 1; null for votes"},
    {"ties", "rows on the boundary, which are of no class (train --tie zero)"},
    {"classes", "array: name, rows, precision, recall"},
    {"confusion", "array of arrays: rows of each class, by what they were taken as; ties are in "
                  "none"},
    {"load_seconds, eval_seconds", "time to read, and to measure"},
    {"peak_rss_bytes, threads", "memory used at most; threads that could be used"},
    {NULL, NULL}};

static void eval_json_classes(cli_json_writer *json, const eval *seen)
{
    json_open(json, "classes", '[');
    for (uint32_t c = 0; c < seen->classes; c++) {
        json_open(json, NULL, '{');
        json_text(json, "name", hsp_model_class_name(seen->given.model, c));
        json_count(json, "rows", seen->of_class[c]);
        json_number(json, "precision", eval_precision(seen, c));
        json_number(json, "recall", eval_recall(seen, c));
        json_close(json, '}');
    }
    json_close(json, ']');
    json_open(json, "confusion", '[');
    for (uint32_t c = 0; c < seen->classes; c++)
        json_counts(json, NULL, seen->confusion + (size_t)c * seen->classes, seen->classes);
    json_close(json, ']');
}

static void eval_json_margins(cli_json_writer *json, const hsp_evaluation *all)
{
    json_number(json, "hinge_loss", all->hinge_loss);
    json_number(json, "functional_margin", all->functional_margin);
    json_number(json, "geometric_margin", all->geometric_margin);
    json_number(json, "origin_distance", all->origin_distance);
    json_number(json, "margin_distance", all->margin_distance);
    const uint64_t counts[] = {all->beyond, all->on, all->within};
    static const char *const names[] = {"beyond", "on", "within"};
    for (int i = 0; i < 3; i++)
        if (isnan(all->functional_margin))
            json_text(json, names[i], NULL);
        else
            json_count(json, names[i], counts[i]);
}

static void eval_json(const cli *run, const eval *seen)
{
    const hsp_evaluation *all = &seen->all;
    cli_json_writer json = {.file = stdout};
    json_open(&json, NULL, '{');
    json_text(&json, "model", run->arguments[0]);
    json_text(&json, "file", run->arguments[1]);
    json_count(&json, "n", all->n);
    json_count(&json, "mistakes", all->mistakes);
    json_count(&json, "left_out", all->left_out);
    json_number(&json, "error", all->error);
    json_number(&json, "accuracy", all->accuracy);
    json_number(&json, "balanced_accuracy", all->balanced_accuracy);
    json_number(&json, "auc", all->auc);
    json_number(&json, "log_loss", all->log_loss);
    json_number(&json, "brier", all->brier);
    eval_json_margins(&json, all);
    json_count(&json, "ties", all->ties);
    eval_json_classes(&json, seen);
    json_seconds(&json, "load_seconds", seen->given.load_seconds);
    json_seconds(&json, "eval_seconds", seen->eval_seconds);
    json_cost(&json, run);
    json_close(&json, '}');
    json_end(&json);
}

/* ---- The command ---- */

static hsp_status eval_measure(cli *run, eval *seen, hsp_error *err)
{
    double start = cli_seconds();
    seen->classes = hsp_model_classes(seen->given.model);
    size_t classes = seen->classes;
    seen->confusion = calloc(classes * classes + 1, sizeof *seen->confusion);
    seen->of_class = calloc(classes + 1, sizeof *seen->of_class);
    if (!seen->confusion || !seen->of_class)
        return cli_fail(err, HSP_NO_MEMORY, NULL, "out of memory");
    hsp_status status = hsp_evaluate(run->ctx, seen->given.model, seen->given.data, err, &seen->all,
                                     seen->confusion);
    if (status == HSP_OK) status = eval_count_classes(run, seen, err);
    seen->eval_seconds = cli_seconds() - start;
    return status;
}

static hsp_status eval_run(cli *run, hsp_error *err)
{
    eval seen = {.classes = 0};
    hsp_status status = cli_read_pair(run, run->arguments[0], run->arguments[1],
                                      run->options[EVAL_READ], err, &seen.given);
    if (status == HSP_OK && hsp_options_is_set(run->options[EVAL_OWN], "threshold"))
        status = hsp_model_set_threshold(
            seen.given.model, hsp_options_real(run->options[EVAL_OWN], "threshold"), err);
    if (status == HSP_OK) status = eval_measure(run, &seen, err);
    if (status == HSP_OK) {
        cli_progress_clear();
        if (cli_json(run)) {
            eval_json(run, &seen);
        } else {
            eval_print_totals(run, &seen);
            eval_print_classes(&seen);
        }
    }
    free(seen.confusion);
    free(seen.of_class);
    cli_free_pair(&seen.given);
    return status;
}

static const cli_term eval_arguments[] = {{"MODEL", "the model, as train wrote it"},
                                          {"DATA", "rows with labels; - is standard input"},
                                          {NULL, NULL}};

static const cli_term eval_examples[] = {
    {"halfspace eval model.hsp test.svm", "how good is it on rows that it has not seen?"},
    {"halfspace eval model.hsp test.csv --json", "the same for a program to read"},
    {"halfspace eval model.hsp test.csv --threshold 0.2",
     "the positive class when its probability is above 0.2"},
    {NULL, NULL}};

const cli_command cli_eval = {
    .name = "eval",
    .summary = "evaluate a model on labelled rows",
    .synopsis = "MODEL DATA [options]",
    .description =
        "Predict labelled rows and say how good the predictions are: mistakes, error, accuracy, "
        "the "
        "table of classes and what their rows were taken as, precision and recall of each class, "
        "balanced accuracy, AUC, log loss and Brier score of models with probabilities, hinge "
        "loss; and where the rows lie: functional and geometric "
        "margin, the boundary's distance from the origin, the margin boundaries s = +-1 and how "
        "many rows lie beyond, on and within them.\n\n"
        "CSV is read as the model was taught. Rows of classes that the model was told to leave out "
        "are left out here too. With more than two classes the margin of a row is the score of its "
        "class less the best other one.",
    .arguments = eval_arguments,
    .groups = eval_groups,
    .keys = eval_keys,
    .examples = eval_examples,
    .least = 2,
    .most = 2,
    .run = eval_run,
};
