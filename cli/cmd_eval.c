/* halfspace eval MODEL DATA: measure a model on labelled rows. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "cli.h"

enum { EVAL_HOW, EVAL_OWN, EVAL_READ };

CLI_OPTIONS(eval_options, "eval",
            {"output", HSP_OPTION_TEXT, "-", 0, 0, NULL, "OUT",
             "file for --curve or --rows; - is standard output, which then has no report"},
            {"rows", HSP_OPTION_FLAG, NULL, 0, 0, NULL, NULL,
             "write one line per row: label, prediction, score, probability, margin, distance, "
             "loss, slack, dual coefficient, KKT residual"},
            {"importance", HSP_OPTION_FLAG, NULL, 0, 0, NULL, NULL,
             "permutation importance of each column of the file, by the --score"},
            {"compare", HSP_OPTION_TEXT, NULL, 0, 0, NULL, "MODEL2",
             "compare with this model on the same rows"},
            {"save-model", HSP_OPTION_TEXT, NULL, 0, 0, NULL, "FILE",
             "write the model with the --threshold to FILE; predict then uses it"})

static const cli_group eval_groups[] = {{"Options", hsp_evaluate_options},
                                        {"Comparison and output", eval_options},
                                        {"Reading options", hsp_read_options},
                                        {NULL, NULL}};

typedef struct eval {
    const char *model, *file;
    cli_pair given;
    hsp_evaluated *rows;
    hsp_evaluation all;
    cli_confusion confusion;
    uint64_t *counts; /* of the confusion matrix */
    double *weights;  /* the same of weights */
    hsp_score_report scores[HSP_SCORES];
    double threshold; /* NaN: none was given */
    int stored;       /* in the model */
    int best, on_score;
    const char *other; /* the model to compare with; NULL: none */
    cli_pair second;
    hsp_evaluated *other_rows;
    hsp_comparison comparison;
    hsp_importances *importances;
    const hsp_importance **ranked; /* the most important first, ended by NULL; NULL: none */
    const char *chosen;            /* the name of the score that was asked for; NULL: none was */
    double level;                  /* of the intervals; NaN: none */
    uint64_t samples;
    double eval_seconds;
} eval;

/* ---- The result ---- */

typedef struct eval_class {
    const char *name;
    uint64_t rows;
    double precision, recall, f1;
} eval_class;

static const void *eval_class_at(const void *record, size_t c, void *room)
{
    const eval *seen = record;
    const uint32_t classes = seen->confusion.classes;
    eval_class *one = room;
    double predicted = 0, truth;
    if (c >= classes) return NULL;
    for (size_t t = 0; t < classes; t++)
        predicted += seen->weights[t * classes + c];
    const double right = seen->weights[c * classes + c];
    const uint64_t rows = hsp_evaluated_class_rows(seen->rows, (uint32_t)c, &truth);
    *one = (eval_class){hsp_model_class_name(seen->given.model, (uint32_t)c), rows,
                        right / predicted, right / truth, 2 * right / (predicted + truth)};
    return one;
}

FIELDS(eval_class_fields, eval_class, FIELD(TEXT, "name", "class", name, "name of the class"),
       FIELD(COUNT, "rows", "rows", rows, "rows of this class", .unit = "rows"),
       FIELD(SHARE, "precision", "precision", precision,
             "share of the rows predicted to be of this class that are",
             .when = "null if there are none"),
       FIELD(SHARE, "recall", "recall", recall,
             "share of the rows of this class that are predicted to be",
             .when = "null if there are none"),
       FIELD(REAL, "f1", "F1", f1, "harmonic mean of precision and recall",
             .when = "null if there are neither"))

GETTER(eval_score_at, eval, seen, i < HSP_SCORES ? &seen->scores[i] : NULL)

FIELDS(eval_score_fields, hsp_score_report,
       FIELD(TEXT, "name", "score", name, "name of the score, as --score takes it"),
       FIELD(REAL, "value", "value", value, "its value on these rows",
             .when = "null if it is not defined on these rows or the model has no probabilities"),
       FIELD(REAL, "majority", "majority class", majority,
             "its value when the most frequent class is predicted for all rows, with the shares of "
             "the classes as probabilities",
             .when = "null like value"),
       FIELD(REAL, "low", "low", low, "lower end of the interval",
             .when = "null without --interval"),
       FIELD(REAL, "high", "high", high, "upper end of the interval",
             .when = "null without --interval"))

/* In a text, the scores that have an interval. */
static const void *eval_interval_at(const void *record, size_t i, void *room)
{
    const eval *seen = record;
    (void)room;
    for (size_t s = 0; s < HSP_SCORES; s++)
        if (!isnan(seen->scores[s].low) && i-- == 0) return &seen->scores[s];
    return NULL;
}

static const hsp_score_report *eval_score(const eval *seen)
{
    size_t s = 0;
    while (seen->chosen && s + 1 < HSP_SCORES && strcmp(seen->scores[s].name, seen->chosen) != 0)
        s++;
    return &seen->scores[s];
}

GETTER(eval_score_name, eval, seen, eval_score(seen)->name)
GETTER(eval_score_value, eval, seen, &eval_score(seen)->value)
GETTER(eval_score_majority, eval, seen, &eval_score(seen)->majority)
GETTER(eval_score_low, eval, seen, &eval_score(seen)->low)
GETTER(eval_score_high, eval, seen, &eval_score(seen)->high)
GETTER(eval_chosen, eval, seen, seen->chosen)
GETTER(eval_samples, eval, seen, isnan(seen->level) ? NULL : &seen->samples)
static const char *eval_class_name(const void *model, uint32_t c)
{
    return c == HSP_NO_CLASS ? NULL : hsp_model_class_name(model, c);
}

GETTER(eval_only, eval, seen, eval_class_name(seen->given.model, seen->all.only_class))
GETTER(eval_positive, eval, seen,
       hsp_model_classes(seen->given.model) == 2 ? hsp_model_class_name(seen->given.model, 1)
                                                 : NULL)
GETTER(eval_majority, eval, seen, eval_class_name(seen->given.model, seen->all.majority_class))

typedef struct eval_weights {
    const double *weights;
    size_t count;
} eval_weights;

GETTER_AT(eval_weights_row, eval, seen, eval_weights, i < seen->confusion.classes,
          seen->weights + i * seen->confusion.classes, seen->confusion.classes)
GETTER(eval_weights_cell, eval_weights, row, i < row->count ? &row->weights[i] : NULL)
FIELDS(eval_weights_fields, eval_weights,
       {.type = HSP_FIELD_LIST, .get = eval_weights_cell, .of = hsp_field_reals})

FIELDS(
    eval_comparison_fields, eval, CLI_LINE("\nCompared with {.other}"),
    FIELD(TEXT, ".other", NULL, other, NULL), FIELD(TEXT, "model", NULL, other, "the other model"),
    FIELD(COUNT, "n", "rows", comparison.n, "rows that both models predict", .unit = "rows"),
    FIELD(SHARE, "first_error", "errors", comparison.first_error, "error of MODEL",
          .when = "null without rows", .text = "{} and {second_error}"),
    FIELD(SHARE, "second_error", NULL, comparison.second_error, "error of MODEL2",
          .when = "null without rows"),
    FIELD(COUNT, "both_right", NULL, comparison.both_right, "rows that both get right",
          .unit = "rows"),
    FIELD(COUNT, "only_first", "right by one only", comparison.only_first,
          "rows that only MODEL gets right", .unit = "rows",
          .text =
              "{:row} only by the first model, {only_second} only by the other; {both_right} by "
              "both, {both_wrong} by neither"),
    FIELD(COUNT, "only_second", NULL, comparison.only_second, "rows that only MODEL2 gets right",
          .unit = "rows"),
    FIELD(COUNT, "both_wrong", NULL, comparison.both_wrong, "rows that both get wrong",
          .unit = "rows"),
    FIELD(REAL, "p_value", "McNemar's test", comparison.p_value,
          "exact p-value of McNemar's test: how likely two equally good models differ at least as "
          "unevenly",
          .text = "p = {}, exact: how likely equally good models differ so unevenly"),
    FIELD(TEXT, "score", NULL, comparison.score, "the score of --score"),
    FIELD(REAL, "first_score", "score", comparison.first_score, "its value for MODEL",
          .when = "null if it is not defined",
          .text =
              "{score} {} and {second_score}, difference {difference}[, {.level} interval {low} "
              "to {high}]"),
    FIELD(REAL, "second_score", NULL, comparison.second_score, "its value for MODEL2",
          .when = "null if it is not defined"),
    FIELD(REAL, "difference", NULL, comparison.difference, "first_score - second_score",
          .when = "null if one of them is"),
    FIELD(SHARE, ".level", NULL, level, NULL),
    FIELD(REAL, "low", NULL, comparison.low, "lower end of the interval of the difference",
          .when = "null without --interval"),
    FIELD(REAL, "high", NULL, comparison.high, "upper end of it",
          .when = "null without --interval"))

GETTER(eval_importance_at, eval, seen, seen->ranked ? seen->ranked[i] : NULL)

FIELDS(eval_importance_fields, hsp_importance,
       FIELD(TEXT, "column", "column", name, "name of the column; without names, its number"),
       FIELD(REAL, "mean", "mean", mean,
             "how much worse the score becomes when the column is shuffled, mean of the repeats",
             .when = "null if the score is not defined"),
       FIELD(REAL, "deviation", "deviation", deviation, "standard deviation of the repeats",
             .when = "null if the score is not defined"))

GETTER(eval_comparison, eval, seen, seen->other ? seen : NULL)
GETTER(eval_threshold_on, eval, seen,
       isnan(seen->threshold) ? NULL
       : seen->on_score       ? "score"
                              : "probability")
GETTER(eval_best, eval, seen, seen->best ? "" : NULL)
GETTER(eval_stored, eval, seen, seen->stored ? "" : NULL)

FIELDS(
    eval_fields, eval, CLI_LINE("{model} on {file}"),
    FIELD(TEXT, "model", NULL, model, "the model file"),
    FIELD(TEXT, "file", NULL, file, "the data file"),
    FIELD_GET(TEXT, ".best", NULL, eval_best, NULL),
    FIELD_GET(TEXT, ".stored", NULL, eval_stored, NULL),
    FIELD(
        REAL, "threshold", "threshold", threshold,
        "threshold of --threshold, or stored in the model: the second class is predicted above it",
        .when = "null without one",
        .text = "{} on the {threshold_on}[ of {positive_class}][{.stored}, stored in the "
                "model][{.best}, the best for these "
                "rows: the figures below are "
                "optimistic for new rows]"),
    FIELD_GET(TEXT, "threshold_on", NULL, eval_threshold_on,
              "what the threshold is on: probability, or score for a model without probabilities",
              .when = "null without a threshold"),
    FIELD(FLAG, "threshold_chosen", NULL, best,
          "whether the threshold was chosen on these rows, so that the figures are optimistic"),
    FIELD_GET(TEXT, ".chosen", "score", eval_chosen, NULL,
              .text = "{} {score_value}[ (always predicting {majority_class}: "
                      "{score_majority})][, {interval_level} interval {score_low} to "
                      "{score_high}]"),
    FIELD_GET(TEXT, "score", NULL, eval_score_name, "name of the score that was chosen by --score"),
    FIELD_GET(REAL, "score_value", NULL, eval_score_value, "its value",
              .when = "null if it is not defined on these rows"),
    FIELD_GET(REAL, "score_majority", NULL, eval_score_majority,
              "its value when the most frequent class is predicted for all rows",
              .when = "null like score_value"),
    FIELD_GET(REAL, "score_low", NULL, eval_score_low, "lower end of its bootstrap interval",
              .when = "null without --interval"),
    FIELD_GET(REAL, "score_high", NULL, eval_score_high, "upper end of it",
              .when = "null without --interval"),
    FIELD(SHARE, "interval_level", NULL, level, "level of the intervals",
          .when = "null without --interval"),
    FIELD(PART, NULL, NULL, all, NULL, .of = hsp_evaluation_fields),
    FIELD_GET(TEXT, "positive_class", NULL, eval_positive,
              "the second of two classes, which precision, recall, F1 and thresholds are about",
              .when = "null with more than two classes"),
    FIELD_GET(TEXT, "majority_class", NULL, eval_majority, "the most frequent class",
              .when = "null without rows"),
    FIELD_GET(TEXT, "only_class", "one class only", eval_only,
              "the class that is predicted for all rows",
              .when = "null if several are, or all rows are of one class",
              .text = "every row is predicted as {}; see --threshold, or train with --weight "
                      "balanced"),
    FIELD_GET(COUNT, "samples", NULL, eval_samples, "bootstrap samples",
              .when = "null without --interval"),
    FIELD_GET(LIST, "scores", NULL, eval_score_at, "the scores", .of = eval_score_fields),
    FIELD_GET(LIST, ".intervals",
              "Scores, with {interval_level} intervals from {samples:bootstrap sample}",
              eval_interval_at, NULL, .of = eval_score_fields),
    FIELD_GET(LIST, "classes", "Classes", eval_class_at, "the classes", .of = eval_class_fields),
    FIELD(PART, NULL, NULL, confusion, NULL, .of = cli_confusion_fields),
    FIELD_GET(LIST, "confusion_weights", NULL, eval_weights_row,
              "confusion matrix of the weights of the rows", .of = eval_weights_fields),
    FIELD_GET(LIST, "importance",
              "Importance: how much worse {score} becomes when a column is shuffled",
              eval_importance_at,
              "permutation importance, the most important column first; empty "
              "without --importance",
              .of = eval_importance_fields, .most = 30),
    FIELD_GET(OBJECT, "comparison", NULL, eval_comparison, "the comparison with another model",
              .optional = 1, .when = "absent without --compare", .of = eval_comparison_fields),
    FIELD(SECONDS, "load_seconds", NULL, given.load_seconds, "time to read the files"),
    FIELD(SECONDS, "eval_seconds", NULL, eval_seconds, "time to predict and measure"))

static const cli_result eval_results[] = {{"eval", eval_fields, 0, 0}, {NULL, NULL, 0, 0}};

/* ---- The command ---- */

static hsp_status eval_measure(cli *run, eval *seen, hsp_error *err)
{
    const double start = cli_seconds();
    const hsp_options *how = run->options[EVAL_HOW];
    const size_t classes = hsp_model_classes(seen->given.model);
    seen->counts = cli_memory(NULL, (classes * classes + 1) * sizeof *seen->counts);
    seen->weights = cli_memory(NULL, (classes * classes + 1) * sizeof *seen->weights);
    seen->confusion =
        (cli_confusion){(uint32_t)classes, seen->counts, eval_class_name, seen->given.model};
    if (hsp_options_is_set(how, "score")) seen->chosen = hsp_options_text(how, "score");
    seen->level =
        hsp_options_is_set(how, "interval") ? hsp_options_real(how, "interval") : (double)NAN;
    seen->samples = (uint64_t)hsp_options_integer(how, "samples");
    hsp_status status =
        hsp_evaluated_new(run->ctx, seen->given.model, seen->given.data, how, err, &seen->rows);
    if (status == HSP_OK)
        status = hsp_evaluated_report(seen->rows, err, &seen->all, seen->counts, seen->weights);
    if (status == HSP_OK)
        seen->threshold = hsp_evaluated_threshold(seen->rows, &seen->best, &seen->on_score);
    seen->stored = isnan(seen->threshold) && hsp_model_threshold(seen->given.model) > 0;
    if (seen->stored) {
        seen->threshold = hsp_model_threshold(seen->given.model);
        seen->on_score = 0;
    }
    if (status == HSP_OK)
        status = hsp_evaluated_scores(run->ctx, seen->rows, how, err, seen->scores);
    seen->eval_seconds = cli_seconds() - start;
    return status;
}

/* The other model reads the rows in its own way. */
static hsp_status eval_compare(cli *run, hsp_options *read, eval *seen, hsp_error *err)
{
    const hsp_options *how = run->options[EVAL_HOW];
    seen->comparison.size = sizeof seen->comparison;
    hsp_status status = cli_read_pair(run, seen->other, seen->file, read, err, &seen->second);
    if (status == HSP_OK)
        status = hsp_evaluated_new(run->ctx, seen->second.model, seen->second.data, how, err,
                                   &seen->other_rows);
    if (status == HSP_OK)
        status = hsp_evaluated_compare(run->ctx, seen->rows, seen->other_rows, how, err,
                                       &seen->comparison);
    return status;
}

static int eval_more_important(const void *left, const void *right)
{
    const double a = (*(const hsp_importance *const *)left)->mean;
    const double b = (*(const hsp_importance *const *)right)->mean;
    return (a < b) - (a > b);
}

static hsp_status eval_importance(cli *run, eval *seen, hsp_error *err)
{
    size_t count = 0;
    hsp_status status = hsp_importances_new(run->ctx, seen->rows, seen->given.data,
                                            run->options[EVAL_HOW], err, &seen->importances);
    if (status != HSP_OK) return status;
    while (hsp_importances_at(seen->importances, count))
        count++;
    seen->ranked = cli_memory(NULL, (count + 1) * sizeof *seen->ranked);
    for (size_t i = 0; i <= count; i++)
        seen->ranked[i] = hsp_importances_at(seen->importances, i);
    qsort(seen->ranked, count, sizeof *seen->ranked, eval_more_important);
    return HSP_OK;
}

/* What must be known before long work. */
static hsp_status eval_check(cli *run, const eval *seen, const char *save, hsp_error *err)
{
    const hsp_options *own = run->options[EVAL_OWN], *how = run->options[EVAL_HOW];
    const char *output = hsp_options_text(own, "output");
    const int curve = hsp_options_is_set(how, "curve"), rows = hsp_options_flag(own, "rows");
    const int table = curve || rows;
    hsp_status status = HSP_OK;
    if (hsp_options_is_set(own, "output") && !table)
        return cli_fail(
            err, HSP_USAGE, "-o",
            "-o is for --curve and --rows; --save-model FILE keeps a threshold in a model");
    if (curve && rows)
        return cli_fail(err, HSP_USAGE, "--rows", "--rows and --curve exclude each other");
    if (save && !hsp_options_is_set(how, "threshold"))
        return cli_fail(err, HSP_USAGE, "--save-model", "--save-model needs --threshold");
    if (seen->other && strcmp(seen->file, "-") == 0)
        return cli_fail(err, HSP_USAGE, "--compare",
                        "each model reads the rows in its own way, and standard input can be read "
                        "only once; name a file");
    if (table) status = cli_check_output(run, output, err);
    if (status == HSP_OK && save) status = cli_check_output(run, save, err);
    if (status == HSP_OK && table) status = cli_check_distinct("-o", output, seen->file, err);
    if (status == HSP_OK && table) status = cli_check_distinct("-o", output, seen->model, err);
    if (status == HSP_OK) status = cli_check_distinct("--save-model", save, seen->file, err);
    return status;
}

static hsp_status eval_save(cli *run, eval *seen, const char *save, hsp_error *err)
{
    if (seen->on_score)
        return cli_fail(err, HSP_USAGE, "--save-model",
                        "a model without probabilities cannot keep a threshold: train it with "
                        "--calibrate platt or isotonic");
    hsp_status status = hsp_model_set_threshold(seen->given.model, seen->threshold, err);
    cli_begin_output(save);
    if (status == HSP_OK) status = hsp_model_write(run->ctx, seen->given.model, save, err);
    if (status == HSP_OK)
        cli_say(run, "wrote %s with the threshold %s", show_output(save),
                show_number(seen->threshold));
    return status;
}

/* What is written besides the report; *quiet: standard output has a curve already. */
static hsp_status eval_write(cli *run, eval *seen, const char *save, int *quiet, hsp_error *err)
{
    const hsp_options *how = run->options[EVAL_HOW];
    const char *output = hsp_options_text(run->options[EVAL_OWN], "output");
    hsp_status status = HSP_OK;
    if (save) status = eval_save(run, seen, save, err);
    const int rows = hsp_options_flag(run->options[EVAL_OWN], "rows");
    const char *note = NULL;
    if (status != HSP_OK || !(rows || hsp_options_is_set(how, "curve"))) return status;
    *quiet = strcmp(output, "-") == 0;
    cli_begin_output(output);
    if (!rows) return hsp_evaluated_curve(run->ctx, seen->rows, how, output, err);
    status = hsp_evaluated_rows(run->ctx, seen->rows, seen->given.data, how, output, err, &note);
    if (status == HSP_OK && note)
        cli_say(run, "dual coefficients and KKT residuals are left out: %s", note);
    return status;
}

static hsp_status eval_run(cli *run, hsp_error *err)
{
    const hsp_options *own = run->options[EVAL_OWN];
    const char *save = hsp_options_text(own, "save-model");
    hsp_options *read = NULL; /* as it was given, for the other model */
    eval seen = {.all.size = sizeof seen.all,
                 .model = run->arguments[0],
                 .file = run->arguments[1],
                 .other = hsp_options_text(own, "compare")};
    int quiet = 0;
    hsp_status status = eval_check(run, &seen, save, err);
    if (status == HSP_OK) status = hsp_options_copy(run->ctx, run->options[EVAL_READ], err, &read);
    if (status == HSP_OK)
        status =
            cli_read_pair(run, seen.model, seen.file, run->options[EVAL_READ], err, &seen.given);
    if (status == HSP_OK) status = eval_measure(run, &seen, err);
    if (status == HSP_OK && seen.other) status = eval_compare(run, read, &seen, err);
    if (status == HSP_OK && hsp_options_flag(own, "importance"))
        status = eval_importance(run, &seen, err);
    if (status == HSP_OK) status = eval_write(run, &seen, save, &quiet, err);
    if (status == HSP_OK && !quiet) status = cli_report(run, eval_results, &seen, stdout, err);
    if (status == HSP_OK && !quiet && !cli_json(run)) cli_confusion_print(&seen.confusion, stdout);
    hsp_options_free(read);
    hsp_evaluated_free(seen.rows);
    hsp_evaluated_free(seen.other_rows);
    hsp_importances_free(seen.importances);
    free(seen.ranked);
    free(seen.counts);
    free(seen.weights);
    cli_free_pair(&seen.second);
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
    {"halfspace eval model.hsp test.csv --score f1 --interval 0.95",
     "F1 first, and how sure it is"},
    {"halfspace eval model.hsp test.csv --threshold 0.2",
     "the positive class when its probability is above 0.2"},
    {"halfspace eval model.hsp valid.csv --threshold best-f1 --save-model tuned.hsp",
     "the threshold with the best F1, kept in a model"},
    {"halfspace eval model.hsp test.csv --curve roc -o roc.csv", "the points of the ROC curve"},
    {"halfspace eval model.hsp test.csv --rows -o rows.csv", "what the model says of each row"},
    {"halfspace eval model.hsp test.csv --importance --score auc",
     "which columns the model depends on"},
    {"halfspace eval model.hsp test.csv --compare other.hsp",
     "is one of two models better, or is it chance?"},
    {NULL, NULL}};

const cli_command cli_eval = {
    .name = "eval",
    .summary = "evaluate a model on labelled rows",
    .synopsis = "MODEL DATA... [options]",
    .description =
        "Predict labelled rows and report how good the predictions are: mistakes, error and "
        "accuracy with those of the most frequent class, balanced accuracy, precision, recall, F1, "
        "MCC, AUC, average precision, the figures of each class, the confusion matrix; log loss, "
        "Brier score and calibration error for models with probabilities; hinge loss, functional "
        "and geometric margin, the distance of the boundary from the origin, and the number of "
        "rows beyond, on and within the margin boundaries s = +-1.\n\nPrecision, recall and F1 of "
        "two classes are those of the second (positive) class; of more they are means over the "
        "classes.\n\nCSV files are encoded as in training. Rows of classes that the model leaves "
        "out are ignored. With more than two classes the margin of a row is the score of its class "
        "minus the best other score.",
    .arguments = eval_arguments,
    .groups = eval_groups,
    .results = eval_results,
    .examples = eval_examples,
    .least = 2,
    .most = 2,
    .several = 2,
    .ranks = 1,
    .run = eval_run,
};
