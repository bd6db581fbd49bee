/* halfspace tune LEARNER --tune NAME=VALUES DATA: choose options by cross-validation, then train on
 * everything with them. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "cli.h"

enum { TUNE_LEARNER, TUNE_OWN, TUNE_OUTPUT, TUNE_READ };

CLI_OPTIONS(tune_output_options, "output",
            {"output", HSP_OPTION_TEXT, NULL, 0, 0, NULL, "MODEL",
             "file to save the model to; without it, only the report is printed"})

static const cli_group tune_groups[] = {{"Learner's options", NULL},
                                        {"Tuning options", hsp_tune_options},
                                        {"Options", tune_output_options},
                                        {"Reading options", hsp_read_options},
                                        {NULL, NULL}};

typedef struct tune {
    const char *learner, *path, *out; /* out: NULL for none */
    const char *choose, *kept;        /* kept: the file that the model is in, or NULL */
    uint64_t features, fold_seed, best, chosen;
    hsp_data *data;
    hsp_tuning *seen;
    hsp_training run;
    hsp_model *model; /* NULL: a separator was demanded, and there is none */
    double load_seconds, tune_seconds;
} tune;

/* ---- The result ---- */

/* One point of the grid. */
typedef struct tune_point {
    const tune *of;
    uint64_t point;
    hsp_held_out all;
} tune_point;

typedef struct tune_value {
    const char *option, *value;
} tune_value;

GETTER_AT(tune_point_at, tune, done, tune_point, i < hsp_tuning_points(done->seen), done, i,
          *hsp_tuning_held_out(done->seen, i))
GETTER(tune_chosen, tune, done, tune_point_at(done, done->chosen, room))
GETTER_AT(tune_value_at, tune_point, one, tune_value, hsp_tuning_option(one->of->seen, i),
          hsp_tuning_option(one->of->seen, i), hsp_tuning_value(one->of->seen, one->point, i))

/* "C 0.1, loss hinge". */
static const void *tune_point_text(const void *record, size_t i, void *room)
{
    char *text = room;
    size_t size = 0;
    tune_value value;
    text[0] = 0;
    for (i = 0; tune_value_at(record, i, &value) && size < HSP_FIELD_ROOM; i++)
        size += (size_t)snprintf(text + size, HSP_FIELD_ROOM - size, "%s%s %s", i ? ", " : "",
                                 value.option, show_name(value.value));
    return text;
}

GETTER(tune_mark, tune_point, one,
       one->point != one->of->chosen ? (one->point == one->of->best ? "<- best" : NULL)
       : one->point == one->of->best ? "<- best, chosen"
                                     : "<- chosen: the simplest near the best")

GETTER(tune_fold_error, tune_point, one,
       i < one->all.folds ? &hsp_tuning_fold(one->of->seen, one->point, (uint32_t)i)->error : NULL)

/* "0.9312 +- 0.0041". */
static const void *tune_score_text(const void *record, size_t i, void *room)
{
    const tune_point *one = record;
    const double score = one->all.score, spread = one->all.score_standard_error;
    (void)i;
    if (isnan(score)) return "undefined";
    snprintf(room, HSP_FIELD_ROOM, isnan(spread) ? "%.4f" : "%.4f +- %.4f", score, spread);
    return room;
}

GETTER(tune_fold_score, tune_point, one,
       i < one->all.folds ? &hsp_tuning_fold(one->of->seen, one->point, (uint32_t)i)->score : NULL)

GETTER(tune_unconverged, tune_point, one, one->all.unconverged ? &one->all.unconverged : NULL)
GETTER(tune_inseparable, tune_point, one, one->all.inseparable ? &one->all.inseparable : NULL)
GETTER(tune_unfinished, tune_point, one, one->all.unfinished ? &one->all.unfinished : NULL)

FIELDS(tune_value_fields, tune_value, FIELD(TEXT, "option", NULL, option, "the option"),
       FIELD(TEXT, "value", NULL, value, "its value"))

FIELDS(tune_point_fields, tune_point,
       FIELD_GET(COUNT32, ".unconverged", NULL, tune_unconverged, NULL),
       FIELD_GET(COUNT32, ".inseparable", NULL, tune_inseparable, NULL),
       FIELD_GET(COUNT32, ".unfinished", NULL, tune_unfinished, NULL),
       FIELD_GET(TEXT, NULL, "options", tune_point_text, NULL),
       FIELD_GET(MAP, "values", NULL, tune_value_at, "values of the options",
                 .of = tune_value_fields),
       FIELD_GET(TEXT, NULL, "{.score}", tune_score_text, NULL),
       FIELD(REAL, "score", NULL, all.score, "mean of the score over the folds",
             .when = "null if it is not defined in any fold"),
       FIELD(REAL, "score_standard_error", NULL, all.score_standard_error,
             "standard error of that mean", .when = "null with fewer than two folds"),
       FIELD(SHARE, "error", "error", all.error, "mean of the errors of the folds"),
       FIELD(SHARE, "standard_error", "+-", all.standard_error, "standard error of that mean"),
       FIELD_GET(TEXT, NULL, "", tune_mark, NULL),
       FIELD(COUNT, "mistakes", NULL, all.mistakes, "rows predicted wrongly", .unit = "rows"),
       FIELD(COUNT32, "unconverged", NULL, all.unconverged,
             "folds whose training ended before it converged", .unit = "folds"),
       {.type = HSP_FIELD_TEXT,
        .label = "",
        .text = "[{.unfinished:fold} not finished, unconverged in {.unconverged:fold}"
                "~{.unfinished:fold} not finished, no separator in {.inseparable:fold}"
                "~{.unfinished:fold} not finished"
                "~unconverged in {.unconverged:fold}, no separator in {.inseparable:fold}"
                "~unconverged in {.unconverged:fold}~no separator in {.inseparable:fold}]"},
       FIELD(COUNT32, "inseparable", NULL, all.inseparable,
             "folds without a model, since no separator was found", .unit = "folds"),
       FIELD(COUNT32, "unfinished", NULL, all.unfinished,
             "folds that were not finished when the search was ended", .unit = "folds"),
       FIELD_GET(LIST, "fold_errors", NULL, tune_fold_error, "the error of each fold",
                 .of = hsp_field_reals),
       FIELD_GET(LIST, "fold_scores", NULL, tune_fold_score, "the score of each fold",
                 .of = hsp_field_reals))

GETTER(tune_score_name, tune_point, one,
       strcmp(one->all.score_name, "error") != 0       ? one->all.score_name
       : fabs(one->all.score - one->all.error) < 1e-12 ? NULL
                                                       : "weighted error")
GETTER(tune_majority_share, tune_point, one,
       strcmp(one->all.score_name, "error") == 0 ? &one->all.majority : NULL)

FIELDS(tune_chosen_fields, tune_point, FIELD_GET(TEXT, NULL, "chosen", tune_point_text, NULL),
       FIELD_GET(MAP, "options", NULL, tune_value_at, "the values chosen", .of = tune_value_fields),
       FIELD_GET(TEXT, ".score", NULL, tune_score_name, NULL),
       FIELD_GET(TEXT, ".text", NULL, tune_score_text, NULL),
       FIELD_GET(SHARE, ".majority", NULL, tune_majority_share, NULL),
       FIELD(COUNT, "rows", NULL, all.rows, "rows predicted, over all folds", .unit = "rows"),
       FIELD(COUNT32, "folds", NULL, all.folds, "number of folds"),
       FIELD(TEXT, "score_name", NULL, all.score_name, "what is chosen by: the option --score"),
       FIELD(REAL, "score", "validation score", all.score,
             "of the chosen point: mean of the score over the folds", .text = "{.score} {.text}",
             .when = "null if it is not defined in any fold"),
       FIELD(REAL, "score_standard_error", NULL, all.score_standard_error,
             "standard error of that mean", .when = "null with fewer than two folds"),
       FIELD(REAL, "majority", "majority class", all.majority,
             "the score of predicting the most frequent class always, the mean over the folds",
             .text = "{score_name} [{.majority}~{}]", .when = "null if it is not defined"),
       FIELD(SHARE, "error", "validation error", all.error,
             "of the chosen point: mean of the errors of the folds",
             .text = "{} +- {standard_error}"),
       FIELD(SHARE, "standard_error", NULL, all.standard_error, "standard error of that mean"))

GETTER(tune_nested, tune, done, hsp_tuning_nested(done->seen))
GETTER(tune_search, tune, done,
       hsp_tuning_stop(done->seen) == HSP_STOP_CONVERGED ? "complete"
       : hsp_tuning_stop(done->seen) == HSP_STOP_REQUEST ? "stopped"
                                                         : "seconds")

GETTER_NEW(tune_converged, tune, done, int, done->run.stop == HSP_STOP_CONVERGED)
GETTER(tune_stop, tune, done, hsp_stop_name(done->run.stop))
GETTER(tune_ended, tune, done,
       done->run.stop == HSP_STOP_CONVERGED     ? "converged"
       : done->run.stop == HSP_STOP_INSEPARABLE ? "no separator was found: there is no model"
                                                : "did not converge")
GETTER_NEW(tune_points, tune, done, uint64_t, hsp_tuning_points(done->seen))
GETTER(tune_training_error, tune, done, done->model ? &done->run.training_error : NULL)

static int tune_is_error(const hsp_held_out *all)
{
    return strcmp(all->score_name, "error") == 0;
}
GETTER(tune_nested_share, hsp_held_out, all, tune_is_error(all) ? &all->score : NULL)
GETTER(tune_nested_spread, hsp_held_out, all,
       tune_is_error(all) ? &all->score_standard_error : NULL)

FIELDS(tune_nested_fields, hsp_held_out, FIELD_GET(SHARE, ".share", NULL, tune_nested_share, NULL),
       FIELD_GET(SHARE, ".spread", NULL, tune_nested_spread, NULL),
       FIELD(COUNT32, "folds", NULL, folds, "number of outer folds"),
       FIELD(COUNT, "rows", NULL, rows, "rows predicted, over all outer folds", .unit = "rows"),
       FIELD(TEXT, "score_name", NULL, score_name, "what is measured: the option --score"),
       FIELD(REAL, "score", "nested score", score, "mean of the score over the outer folds",
             .text = "{score_name} [{.share} +- {.spread}~{} +- {score_standard_error}~{}] "
                     "(tuning included, {folds:outer fold})",
             .when = "null if it is not defined in any fold"),
       FIELD(REAL, "score_standard_error", NULL, score_standard_error,
             "standard error of that mean", .when = "null with fewer than two folds"),
       FIELD(SHARE, "error", NULL, error, "mean of the errors of the outer folds"),
       FIELD(SHARE, "standard_error", NULL, standard_error, "standard error of that mean"))

FIELDS(
    tune_fields, tune,
    CLI_LINE("{learner} on {file}: {rows:row}, {features:feature}, {folds:fold}, {.points:point}"),
    FIELD_GET(COUNT, ".points", NULL, tune_points, NULL),
    FIELD(TEXT, "learner", NULL, learner, "name of the learner"),
    FIELD(TEXT, "file", NULL, path, "the data file"),
    FIELD(COUNT, "features", NULL, features, "columns", .unit = "columns"),
    FIELD(COUNT, "fold_seed", NULL, fold_seed, "random seed of the folds"),
    FIELD(TEXT, "choose", NULL, choose, "how the point is chosen: best or one-standard-error"),
    FIELD_GET(LIST, "points", "Points", tune_point_at, "the combinations tried",
              .of = tune_point_fields),
    FIELD(COUNT, "best", NULL, best, "the best point: its place in points, from 0"),
    FIELD(COUNT, "chosen", NULL, chosen, "the chosen point: its place in points, from 0"),
    FIELD_GET(PART, NULL, NULL, tune_chosen, NULL, .of = tune_chosen_fields),
    FIELD_GET(TEXT, "search", NULL, tune_search,
              "how the search ended: complete, stopped (on request), or seconds (--max-seconds)"),
    FIELD_GET(OBJECT, "nested", NULL, tune_nested,
              "the whole procedure, tuning included, on outer folds that it had not seen",
              .of = tune_nested_fields, .when = "null without --nested"),
    FIELD_GET(FLAG, "converged", NULL, tune_converged, "training on all rows converged"),
    FIELD_GET(TEXT, "stop", NULL, tune_stop, "why training on all rows ended"),
    FIELD_GET(TEXT, NULL, "trained on all", tune_ended, NULL),
    FIELD_GET(SHARE, "training_error", "training error", tune_training_error,
              "share of all rows that the model gets wrong",
              .when = "null without a model, and if not computed"),
    FIELD(TEXT, "model", NULL, kept, "the file of the model", .when = "null without -o"),
    FIELD(SECONDS, "load_seconds", NULL, load_seconds, "time to read"),
    FIELD(SECONDS, "tune_seconds", NULL, tune_seconds, "time to try, choose and train"),
    FIELD(SECONDS, "train_seconds", NULL, run.train_seconds,
          "the part of it for training on all rows"))

static const cli_result tune_results[] = {{"tune", tune_fields, 0, 0}, {NULL, NULL, 0, 0}};

/* What must not be overlooked, whatever form the report has. */
static void tune_warn(const tune *done)
{
    uint64_t points = 0, none = 0;
    for (uint64_t p = 0; p < hsp_tuning_points(done->seen); p++) {
        points += hsp_tuning_held_out(done->seen, p)->unconverged > 0;
        none += hsp_tuning_held_out(done->seen, p)->inseparable > 0;
    }
    if (none)
        cli_warn("at %s of %s points in some folds NO SEPARATOR was found: there is no model of "
                 "them, and all their rows count as mistakes.",
                 show_count(none), show_count(hsp_tuning_points(done->seen)));
    if (points)
        cli_warn("at %s of %s points some folds DID NOT CONVERGE: their errors are those of "
                 "unfinished models.",
                 show_count(points), show_count(hsp_tuning_points(done->seen)));
    if (hsp_tuning_stop(done->seen) == HSP_STOP_SECONDS)
        cli_warn("--max-seconds ended the search: the best point is the best so far.");
    if (hsp_tuning_stop(done->seen) == HSP_STOP_REQUEST)
        cli_complain("stopped on request; the model of the best point so far is %s%s",
                     done->out ? "in " : "not kept", done->out ? show_output(done->out) : "");
    else if (done->run.stop == HSP_STOP_REQUEST)
        cli_complain("stopped on request; the model so far is %s%s", done->out ? "in " : "not kept",
                     done->out ? show_output(done->out) : "");
    else if (done->run.stop == HSP_STOP_INSEPARABLE)
        cli_complain("no separator was found, so there is no model");
    else if (done->run.stop != HSP_STOP_CONVERGED)
        cli_warn("training on all rows DID NOT CONVERGE (%s). 'train' with the chosen options says "
                 "what to try.",
                 hsp_stop_name(done->run.stop));
}

/* The best may lie beyond what was tried. */
static void tune_hint(const cli *run, const tune *done)
{
    const char *option;
    for (size_t i = 0; (option = hsp_tuning_option(done->seen, i)); i++) {
        const int edge = hsp_tuning_edge(done->seen, i);
        if (edge)
            cli_say(run, "the best %s, %s, is the %s value tried; %s ones may be better",
                    show_name(option), show_name(hsp_tuning_value(done->seen, done->best, i)),
                    edge > 0 ? "largest" : "smallest", edge > 0 ? "larger" : "smaller");
    }
}

/* ---- The command ---- */

static hsp_status tune_run(cli *run, hsp_error *err)
{
    const hsp_options *own = run->options[TUNE_OWN];
    tune todo = {.path = run->arguments[0],
                 .learner = run->variant->name,
                 .choose = hsp_options_text(own, "choose"),
                 .fold_seed = (uint64_t)hsp_options_integer(own, "fold-seed"),
                 .run.size = sizeof todo.run,
                 .out = hsp_options_text(run->options[TUNE_OUTPUT], "output")};
    const int taken = todo.out && strcmp(todo.out, "-") == 0;
    hsp_status status = cli_check_output(run, todo.out, err);
    if (status == HSP_OK) status = cli_check_distinct("-o", todo.out, todo.path, err);
    if (status == HSP_OK)
        status = cli_read_for_folds(run, todo.path, run->options[TUNE_READ], run->options[TUNE_OWN],
                                    err, &todo.data, &todo.load_seconds);
    cli_begin_output(NULL); /* from here on, Ctrl-C keeps the model of all rows */
    const double start = cli_seconds();
    if (status == HSP_OK)
        status = hsp_tune(run->ctx, todo.data, run->options[TUNE_LEARNER], own, err, &todo.seen,
                          &todo.run, &todo.model);
    if (status == HSP_BAD_DATA && todo.data)
        cli_locate(run, todo.path, run->options[TUNE_READ], todo.data, err);
    todo.tune_seconds = cli_seconds() - start;
    if (status == HSP_CANCELLED && todo.model) status = HSP_OK; /* the model so far is there */
    cli_finish_output();
    if (status == HSP_OK && todo.out && todo.model)
        status = hsp_model_write(run->ctx, todo.model, todo.out, err);
    if (status == HSP_OK) {
        todo.features = hsp_data_cols(todo.data);
        todo.best = hsp_tuning_best(todo.seen);
        todo.chosen = hsp_tuning_chosen(todo.seen);
        todo.kept = todo.model ? todo.out : NULL;
        status = cli_report(run, tune_results, &todo, taken ? stderr : stdout, err);
    }
    if (status == HSP_OK) {
        fflush(stdout);
        if (todo.kept) cli_say(run, "wrote %s", show_output(todo.out));
        tune_hint(run, &todo);
        tune_warn(&todo);
        if (todo.model && hsp_tuning_stop(todo.seen) != HSP_STOP_REQUEST)
            cli_check_one_class(run, todo.data, todo.model, todo.run.training_error,
                                run->options[TUNE_LEARNER]);
        if (todo.run.stop == HSP_STOP_REQUEST || hsp_tuning_stop(todo.seen) == HSP_STOP_REQUEST)
            run->exit_status = cli_stop_status();
        if (todo.run.stop == HSP_STOP_INSEPARABLE) run->exit_status = 1;
    }
    hsp_evidence_free(todo.run.evidence);
    hsp_model_free(todo.model);
    hsp_tuning_free(todo.seen);
    hsp_data_free(todo.data);
    return status;
}

static const cli_term tune_arguments[] = {
    {"LEARNER", "the learner; without one, the learners are listed"},
    {"DATA",
     "the data file: libsvm text, CSV, TSV or binary, also compressed; - is standard input. "
     "Several text files are read one after the other"},
    {NULL, NULL}};

static const cli_term tune_examples[] = {
    {"halfspace tune svm --tune C=1e-4:1e4:log:20 train.svm -o model.hsp",
     "twenty values of C, evenly spaced in their logarithms"},
    {"halfspace tune svm --tune C=0.01:100:log:9 --tune loss=hinge,squared --choose "
     "one-standard-error "
     "train.svm -o model.hsp",
     "all combinations; the simplest within one standard error of the best"},
    {"halfspace tune svm --kernel rbf --scale standard train.csv -o model.hsp",
     "the default grid: C, and gamma around the median heuristic"},
    {"halfspace tune svm --kernel 'rbf(gamma)' --tune gamma=1e-3:10:log:9 --tune C=1,10,100 "
     "train.csv",
     "a grid of one's own"},
    {"halfspace tune svm --tune C=0.01:100:log:9 --score auc --weight balanced churn.csv",
     "classes of different sizes"},
    {"halfspace tune perceptron --tune passes=1,2,5,10 --tune average=none,average iris.csv",
     "the number of passes, and averaging"},
    {NULL, NULL}};

const cli_command cli_tune = {
    .name = "tune",
    .summary = "choose a learner's options by cross-validation, then train with them",
    .synopsis = "LEARNER [--tune NAME=VALUES ...] [options] DATA... [-o MODEL]",
    .description =
        "Cross-validate a learner (see cv) for every combination of the values given by --tune, "
        "all on the same folds; list the scores; choose one; and train on all rows with the "
        "chosen options. The model is the one that train makes with them, and stores the "
        "table.\n\nVALUES are LOW:HIGH:log:COUNT or LOW:HIGH:lin:COUNT, COUNT numbers from LOW "
        "to HIGH with equal ratios or steps (intermediate values have six digits; integers for "
        "an integer option), or a list A,B,C. NAME is an option of the learner, or a name in "
        "--kernel "
        "that stands for a number, as in --kernel 'poly(d, c)' --tune d=2,3 --tune c=0,1. Without "
        "--tune, values that suit the learner and the data are tried (docs/tuning.md lists them). "
        "Options that define the task or additional output "
        "cannot be tuned.\n\n--choose best takes the best mean score. --choose one-standard-error "
        "takes the simplest of the points whose score is at most one standard error worse: the "
        "smallest C, the largest lambda, for any other option the value "
        "given first; the first --tune in which two points differ decides.\n\nThe "
        "option --max-seconds limits the search, and then the training on all rows; --run-seconds "
        "limits each run, one point on one fold. The first Ctrl-C, and the end of --max-seconds, "
        "end the search: the table has what was done, the best point so far (among those with the "
        "most folds finished, or one fewer) is trained on all rows and saved; after Ctrl-C the "
        "status is 130. A second Ctrl-C kills the program. --nested K repeats the whole procedure "
        "K times, each time without one of K outer folds, for an unbiased score.",
    .arguments = tune_arguments,
    .groups = tune_groups,
    .results = tune_results,
    .examples = tune_examples,
    .least = 1,
    .most = 1,
    .several = 1,
    .ranks = 1,
    .run = tune_run,
    .variant = hsp_learner,
    .variant_word = "learner",
    .variant_synopsis = "[--tune NAME=VALUES ...] [options] DATA... [-o MODEL]",
};
