/* halfspace eval MODEL DATA: measure a model on labelled rows. */
#include <stdlib.h>

#include "cli.h"

enum { EVAL_OWN, EVAL_READ };

CLI_OPTIONS(
    eval_options, "eval",
    {"threshold", HSP_OPTION_REAL, NULL, 0, 1, NULL, "P",
     "two classes: predict the second (positive) one when its probability is above P; without it, "
     "calibrated models predict the most probable class, others decide by the score"})

static const cli_group eval_groups[] = {
    {"Options", eval_options}, {"Reading options", hsp_read_options}, {NULL, NULL}};

typedef struct eval {
    const char *model, *file;
    cli_pair given;
    hsp_evaluation all;
    cli_confusion confusion;
    uint64_t *counts;   /* of the confusion matrix */
    uint64_t *of_class; /* classes: rows of each, ties included */
    double eval_seconds;
} eval;

/* ---- The result ---- */

typedef struct eval_class {
    const char *name;
    uint64_t rows;
    double precision, recall;
} eval_class;

static const void *eval_class_at(const void *record, size_t c, void *room)
{
    const eval *seen = record;
    const uint32_t classes = seen->confusion.classes;
    const uint64_t *counts = seen->confusion.counts;
    eval_class *one = room;
    uint64_t predicted = 0;
    if (c >= classes) return NULL;
    for (size_t t = 0; t < classes; t++)
        predicted += counts[t * classes + c];
    const double right = (double)counts[c * classes + c];
    *one = (eval_class){hsp_model_class_name(seen->given.model, (uint32_t)c), seen->of_class[c],
                        right / (double)predicted, right / (double)seen->of_class[c]};
    return one;
}

FIELDS(eval_class_fields, eval_class, FIELD(TEXT, "name", "class", name, "name of the class"),
       FIELD(COUNT, "rows", "rows", rows, "rows of this class", .unit = "rows"),
       FIELD(SHARE, "precision", "precision", precision,
             "share of the rows predicted to be of this class that are",
             .when = "null if there are none"),
       FIELD(SHARE, "recall", "recall", recall,
             "share of the rows of this class that are predicted to be",
             .when = "null if there are none"))

FIELDS(eval_fields, eval, CLI_LINE("{model} on {file}"),
       FIELD(TEXT, "model", NULL, model, "the model file"),
       FIELD(TEXT, "file", NULL, file, "the data file"),
       FIELD(PART, NULL, NULL, all, NULL, .of = hsp_evaluation_fields),
       FIELD_GET(LIST, "classes", "Classes", eval_class_at, "the classes", .of = eval_class_fields),
       FIELD(PART, NULL, NULL, confusion, NULL, .of = cli_confusion_fields),
       FIELD(SECONDS, "load_seconds", NULL, given.load_seconds, "time to read the files"),
       FIELD(SECONDS, "eval_seconds", NULL, eval_seconds, "time to predict and measure"))

static const cli_result eval_results[] = {{"eval", eval_fields, 0, 0}, {NULL, NULL, 0, 0}};

/* ---- The command ---- */

static const char *eval_class_name(const void *model, uint32_t c)
{
    return hsp_model_class_name(model, c);
}

static hsp_status eval_measure(cli *run, eval *seen, hsp_error *err)
{
    const double start = cli_seconds();
    const size_t classes = hsp_model_classes(seen->given.model);
    const hsp_view *view = NULL;
    uint64_t *counts = seen->counts = calloc(classes * classes + 1, sizeof *counts);
    seen->confusion =
        (cli_confusion){(uint32_t)classes, counts, eval_class_name, seen->given.model};
    seen->of_class = calloc(classes + 1, sizeof *seen->of_class);
    if (!counts || !seen->of_class) return cli_fail(err, HSP_NO_MEMORY, NULL, "out of memory");
    hsp_status status =
        hsp_evaluate(run->ctx, seen->given.model, seen->given.data, err, &seen->all, counts);
    if (status == HSP_OK) status = hsp_data_view(run->ctx, seen->given.data, err, &view);
    if (status != HSP_OK) return status;
    /* the rows of each class, by the model's names */
    uint32_t *class_of = cli_memory(NULL, ((size_t)view->classes + 1) * sizeof *class_of);
    for (uint32_t c = 0; c < view->classes; c++)
        class_of[c] =
            hsp_model_class_of(seen->given.model, hsp_data_class_name(seen->given.data, c));
    for (uint64_t i = 0; view->labels && i < view->rows; i++)
        if (class_of[view->labels[i]] != HSP_NO_CLASS) seen->of_class[class_of[view->labels[i]]]++;
    free(class_of);
    seen->eval_seconds = cli_seconds() - start;
    return HSP_OK;
}

static hsp_status eval_run(cli *run, hsp_error *err)
{
    eval seen = {
        .all.size = sizeof seen.all, .model = run->arguments[0], .file = run->arguments[1]};
    hsp_status status =
        cli_read_pair(run, seen.model, seen.file, run->options[EVAL_READ], err, &seen.given);
    if (status == HSP_OK && hsp_options_is_set(run->options[EVAL_OWN], "threshold"))
        status = hsp_model_set_threshold(
            seen.given.model, hsp_options_real(run->options[EVAL_OWN], "threshold"), err);
    if (status == HSP_OK) status = eval_measure(run, &seen, err);
    if (status == HSP_OK) status = cli_report(run, eval_results, &seen, stdout, err);
    if (status == HSP_OK && !cli_json(run)) cli_confusion_print(&seen.confusion, stdout);
    free(seen.counts);
    free(seen.of_class);
    cli_free_pair(&seen.given);
    return status;
}

static const cli_term eval_arguments[] = {{"MODEL", "the model, as train wrote it"},
                                          {"DATA",
                                           "rows with labels; - is standard input. "
                                           "Several text files are read one after the other"},
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
    .synopsis = "MODEL DATA... [options]",
    .description =
        "Predict labelled rows and report how good the predictions are: mistakes, error, "
        "accuracy, balanced accuracy, AUC, precision and recall of each class, the confusion "
        "matrix; log loss and Brier score for models with probabilities; hinge loss, functional "
        "and geometric margin, the distance of the boundary from the origin, and the number of "
        "rows beyond, on and within the margin boundaries s = +-1.\n\nCSV files are encoded as "
        "in training. Rows of classes that the model leaves out are ignored. With more than two "
        "classes the margin of a row is the score of its class minus the best other score.",
    .arguments = eval_arguments,
    .groups = eval_groups,
    .results = eval_results,
    .examples = eval_examples,
    .least = 2,
    .most = 2,
    .several = 2,
    .run = eval_run,
};
