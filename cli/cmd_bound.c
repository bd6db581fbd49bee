/* halfspace bound MODEL | sample-size | simulate: what may be expected of rows that nobody has
 * seen. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "cli.h"

enum { BOUND_ACTION, BOUND_READ };

static const hsp_option bound_files[] = {
    {"train", HSP_OPTION_TEXT, NULL, 0, 0, NULL, "DATA", "the training data of the model"},
    {"test", HSP_OPTION_TEXT, NULL, 0, 0, NULL, "DATA",
     "test data that was not used to train or choose the model"},
};

enum { BOUND_FILES = sizeof bound_files / sizeof *bound_files, BOUND_ROOM = 16 };

/* The files, and what the library takes. */
static const hsp_option_table *bound_model_table(void)
{
    static hsp_option options[BOUND_ROOM];
    static hsp_option_table table = {"model", "every bound on the error of a model", options, 0};
    const hsp_option_table *more = hsp_error_report_options();
    if (table.count) return &table;
    memcpy(options, bound_files, sizeof bound_files);
    for (size_t i = 0; i < more->count && BOUND_FILES + i < BOUND_ROOM; i++)
        options[BOUND_FILES + i] = more->options[i];
    table.count = BOUND_FILES + more->count;
    return &table;
}

static const hsp_option_table *bound_action(size_t i)
{
    if (i == 0) return bound_model_table();
    if (i == 1) return hsp_sample_size_options();
    return i == 2 ? hsp_simulation_options() : NULL;
}

static const cli_group bound_groups[] = {
    {"Options", NULL}, {"Reading options", hsp_read_options}, {NULL, NULL}};

/* 1 - delta, rounded down to six places, and never to 1. */
static void bound_confidence(double delta, char text[32])
{
    if (delta < 1e-5)
        snprintf(text, 32, "1 - %.3g", delta * 1.005);
    else
        snprintf(text, 32, "%.6g", floor((1 - delta) * 1e6 + 1e-6) / 1e6);
}

/* ---- sample-size ---- */

typedef struct bound_size {
    hsp_sample_size all;
    char confidence[32];
} bound_size;

GETTER(bound_size_confidence, bound_size, size, size->confidence)

FIELDS(bound_size_fields, bound_size, CLI_LINE("{hypotheses}"),
       FIELD_GET(TEXT, ".confidence", NULL, bound_size_confidence, NULL),
       FIELD(PART, NULL, NULL, all, NULL, .of = hsp_sample_size_fields),
       CLI_LINE("\n[{.useful}With probability 1 - delta = {.confidence} or more over the draw of "
                "the rows,\n{says}.~Vacuous: with these figures the theorem says nothing.]\n"
                "Assumed: rows are drawn independently from one distribution, whatever it is, and "
                "new rows come from\nit, too; the class was fixed before the rows were seen."))

/* ---- MODEL ---- */

typedef struct bound_file {
    hsp_data *data;
    uint64_t rows, mistakes;
    double error;
} bound_file;

typedef struct bound_job {
    const char *file, *train_file, *test_file;
    char *summary; /* malloc'ed */
    char confidence[32];
    hsp_model *model;
    bound_file train, test;
    hsp_error_report *report;
    double load, seconds;
} bound_job;

#define BOUND_IF                                                                             \
    "If the test rows were drawn independently and had no part in training or choosing the " \
    "model, "

/* Training error against true error, in one sentence; malloc'ed. */
static char *bound_summary(const bound_job *job)
{
    const hsp_error_report *o = job->report;
    const double trained = o->train_rows ? job->train.error : 0;
    char train[32];
    const char *sure = job->confidence;
    const char *low = show_share_bound(o->test_lower, 0),
               *high = show_share_bound(o->test_upper, 1);
    snprintf(train, sizeof train, "%.2f%%", trained * 100);
    if (o->test_rows && !o->train_rows)
        return cli_format(BOUND_IF "the true error is at least %s and at most %s, each with "
                                   "confidence %s.",
                          low, high, sure);
    if (o->overfits)
        return cli_format(BOUND_IF "the model overfits: the error on the training rows is %s, and "
                                   "the true error is at least %s with confidence %s.",
                          train, low, sure);
    if (o->test_rows && trained > o->test_upper)
        return cli_format("The error on the training rows, %s, is above what the test rows allow "
                          "(%s, with confidence %s): the two files do not seem to come from one "
                          "distribution.",
                          train, high, sure);
    if (o->test_rows)
        return cli_format(BOUND_IF "no sign of overfitting: the error on the training rows, %s, is "
                                   "within what the test rows allow (%s to %s, each with "
                                   "confidence %s).",
                          train, low, high, sure);
    if (o->training_bound)
        return cli_format(
            "The error on the training rows is %s. If they were drawn "
            "independently, the true error is at most %s with confidence %s: by the "
            "bound %s, the least of %u bounds, each at delta = %.3g. Only test rows can "
            "show how far apart the two errors really are.",
            train, show_share_bound(o->training_upper, 1), sure, o->training_bound,
            o->training_tried, o->delta / o->training_tried);
    return cli_format("The error on the training rows is %s; no bound from them says anything "
                      "about the true error of this model. Test rows would.",
                      train);
}

/* Of how many bounds one could pick the least; and what to ask for then. */
static size_t bound_tried(const hsp_error_report *o)
{
    size_t count = 0;
    for (size_t i = 0; i < o->count; i++)
        count += strcmp(o->bounds[i].kind, "estimate") != 0;
    return count;
}

GETTER_NEW(bound_several, bound_job, job, uint64_t,
           bound_tried(job->report) > 1 ? bound_tried(job->report) : UINT64_MAX)
GETTER(bound_each, bound_job, job,
       (snprintf(room, HSP_FIELD_ROOM, "%.3g",
                 job->report->delta / (double)bound_tried(job->report) * 0.9995),
        room))
GETTER(bound_of, bound_job, job, job->report)
GETTER(bound_job_confidence, bound_job, job, job->confidence)
GETTER(bound_wrong, bound_file, file, file->rows ? &file->mistakes : NULL)

FIELDS(bound_file_fields, bound_file, FIELD_GET(COUNT, ".wrong", NULL, bound_wrong, NULL),
       FIELD(COUNT, "rows", NULL, rows, "rows", .unit = "rows"),
       FIELD(PART, NULL, NULL, data, NULL, .of = cli_numbers_fields),
       FIELD(COUNT, "mistakes", NULL, mistakes, "rows predicted wrongly", .unit = "rows"),
       FIELD(SHARE, "error", NULL, error, "mistakes / rows", .when = "null without rows"))

FIELDS(bound_fields, bound_job, CLI_LINE("{model}"),
       FIELD_GET(TEXT, ".confidence", NULL, bound_job_confidence, NULL),
       FIELD_GET(COUNT, ".several", NULL, bound_several, NULL),
       FIELD_GET(TEXT, ".each", NULL, bound_each, NULL),
       FIELD(TEXT, "model", NULL, file, "the model file"),
       FIELD(TEXT, "train", NULL, train_file, "the file of training rows",
             .when = "null without --train"),
       FIELD(TEXT, "test", NULL, test_file, "the file of test rows", .when = "null without --test"),
       FIELD(OBJECT, "training", NULL, train, "the model on the training rows",
             .of = bound_file_fields,
             .text = "training: {.wrong} of {rows:row} wrong, {error}{.note}"),
       FIELD(OBJECT, "held_out", NULL, test, "the model on the test rows", .of = bound_file_fields,
             .text = "test: {.wrong} of {rows:row} wrong, {error}{.note}"),
       FIELD(TEXT, "summary", NULL, summary, "training error and true error compared, a sentence"),
       FIELD_GET(PART, NULL, NULL, bound_of, NULL, .of = hsp_error_report_fields),
       CLI_LINE("\n{summary}[\nTo pick the least of these bounds after seeing them, ask "
                "for --delta {.each}: then all {.several} that might have applied hold at "
                "once\nwith confidence {.confidence}.]"),
       FIELD(SECONDS, "load_seconds", NULL, load, "time to read"),
       FIELD(SECONDS, "seconds", NULL, seconds, "time for the rest"))

/* ---- simulate ---- */

typedef struct bound_trials {
    hsp_simulation *made;
    double seconds;
} bound_trials;

GETTER(bound_made, bound_trials, all, all->made)

FIELDS(bound_trials_fields, bound_trials,
       CLI_LINE("{trials:trial} of {rows:row} to learn from and {test_rows} held out; delta = "
                "{delta}\nmean error: {mean_training_error} on the training rows, "
                "{mean_true_error} in truth; the best halfspace has {best_error}\n"),
       FIELD_GET(PART, NULL, NULL, bound_made, NULL, .of = hsp_simulation_fields),
       CLI_LINE("\n[{.luck}No bound may fail in more than {delta} of the trials, luck aside; the "
                "worst failed in {.worst}.~A bound failed more often than luck explains: that is a "
                "bug.]"),
       FIELD(SECONDS, "seconds", NULL, seconds, "time for all trials"))

static const cli_result bound_results[] = {{"bound", bound_fields, 0, 0},
                                           {"bound sample-size", bound_size_fields, 0, 0},
                                           {"bound simulate", bound_trials_fields, 0, 0},
                                           {NULL, NULL, 0, 0}};

/* ---- The command ---- */

/* Rows are read as training read them, so that its data can be recognised. A model that began at
 * another may have seen rows in double precision: these are recognised in double only. */
static hsp_status bound_set_read(hsp_options *read, const hsp_model *model, hsp_error *err)
{
    const char *fact = hsp_model_metadata(model, "precision");
    const char *set =
        hsp_options_is_set(read, "precision") ? hsp_options_text(read, "precision") : NULL;
    if (fact && hsp_model_metadata(model, "earlier_data_hashes")) fact = "double";
    if (fact && set && strcmp(fact, set) != 0 && strcmp(set, "auto") != 0)
        return cli_fail(err, HSP_USAGE, "--precision",
                        "for this model rows are read in %s precision: leave the option out", fact);
    hsp_status status = fact ? hsp_options_set(read, "precision", fact, err) : HSP_OK;
    return status == HSP_OK ? hsp_model_set_read(model, read, err) : status;
}

static hsp_status bound_read(cli *run, const char *path, bound_job *job, bound_file *file,
                             hsp_error *err)
{
    double seconds = 0;
    hsp_status status = path ? cli_read(run, path, run->options[BOUND_READ],
                                        hsp_model_encoding(job->model), err, &file->data, &seconds)
                             : HSP_OK;
    job->load += seconds;
    return status;
}

static hsp_status bound_model(cli *run, hsp_error *err)
{
    const hsp_options *own = run->options[BOUND_ACTION];
    bound_job job = {.train_file = hsp_options_text(own, "train"),
                     .test_file = hsp_options_text(own, "test")};
    if (run->count < 1)
        return cli_fail(err, HSP_USAGE, NULL,
                        "MODEL is missing; usage: halfspace bound MODEL "
                        "--train DATA [--test DATA]");
    if (!job.train_file && !job.test_file)
        return cli_fail(err, HSP_USAGE, "--train",
                        "is missing: bounds need the training rows, "
                        "or other rows (--test)");
    job.file = run->arguments[0];
    hsp_status status = hsp_model_read(run->ctx, job.file, err, &job.model);
    if (status == HSP_OK) status = bound_set_read(run->options[BOUND_READ], job.model, err);
    if (status == HSP_OK) status = bound_read(run, job.train_file, &job, &job.train, err);
    if (status == HSP_OK) status = bound_read(run, job.test_file, &job, &job.test, err);
    const double start = cli_seconds();
    if (status == HSP_OK)
        status = hsp_error_report_new(run->ctx, job.model, job.train.data, job.test.data, own, err,
                                      &job.report);
    job.seconds = cli_seconds() - start;
    if (status == HSP_OK) {
        const hsp_error_report *o = job.report;
        job.train = (bound_file){job.train.data, o->train_rows, o->train_mistakes,
                                 (double)o->train_mistakes / (double)o->train_rows};
        job.test = (bound_file){job.test.data, o->test_rows, o->test_mistakes,
                                (double)o->test_mistakes / (double)o->test_rows};
        bound_confidence(o->delta, job.confidence);
        job.summary = bound_summary(&job);
        status = cli_report(run, bound_results, &job, stdout, err);
        free(job.summary);
    }
    hsp_error_report_free(job.report);
    hsp_data_free(job.train.data);
    hsp_data_free(job.test.data);
    hsp_model_free(job.model);
    return status;
}

static hsp_status bound_run(cli *run, hsp_error *err)
{
    const char *action = run->variant->name;
    const double start = cli_seconds();
    if (strcmp(action, "model") == 0) return bound_model(run, err);
    if (run->count)
        return cli_fail(err, HSP_USAGE, NULL,
                        "'%s' is one argument too many; usage: halfspace bound "
                        "%s [options]",
                        run->arguments[0], action);
    if (strcmp(action, "sample-size") == 0) {
        bound_size size = {.all.size = sizeof size.all};
        hsp_status status = hsp_sample_size_solve(run->options[BOUND_ACTION], err, &size.all);
        if (status != HSP_OK) return status;
        bound_confidence(size.all.delta, size.confidence);
        return cli_report(run, &bound_results[1], &size, stdout, err);
    }
    bound_trials all = {NULL, 0};
    hsp_status status = hsp_simulation_new(run->ctx, run->options[BOUND_ACTION], err, &all.made);
    if (status != HSP_OK) return status;
    all.seconds = cli_seconds() - start;
    status = cli_report(run, &bound_results[2], &all, stdout, err);
    run->exit_status = all.made->held ? 0 : 1;
    hsp_simulation_free(all.made);
    return status;
}

static const cli_term bound_arguments[] = {
    {"ACTION", "sample-size or simulate; without one, what is asked about is a model"},
    {"MODEL", "the model file"},
    {NULL, NULL}};

static const cli_term bound_examples[] = {
    {"halfspace bound iris.hsp --train iris.csv", "what the training rows promise"},
    {"halfspace bound a.hsp --train train.svm --test test.svm --delta 0.01",
     "and rows held out, with confidence 99%"},
    {"halfspace bound sample-size --epsilon 0.05 --delta 0.01 --class halfspaces:10",
     "how many rows to collect"},
    {"halfspace bound sample-size --rows 1000 --delta 0.05 --bits 64 --agnostic",
     "how far training and true error may be apart"},
    {"halfspace bound simulate --trials 1000 --set passes=1",
     "the bounds on generated data, whose truth is known"},
    {NULL, NULL}};

const cli_command cli_bound = {
    .name = "bound",
    .summary = "bound the true error of a model, or the sample size it takes",
    .synopsis = "MODEL --train DATA [--test DATA] | ACTION [options]",
    .description =
        "With a model: bound its true error in every way that its rows allow. From test rows: "
        "the exact binomial bound, Chernoff's and Hoeffding's. From training rows: VC dimension, "
        "description length, margin and radius, PAC-Bayes, sample compression, the mistakes of "
        "the first pass, leave-one-out. Each bound is printed with its subject and its "
        "assumptions, and is called vacuous if it is useless. Test rows that are among the "
        "training rows are an error, and so is test data that the model was trained on. A model "
        "that does not state its training data (imported from another program, or trained on a "
        "stream) gets no bound from test rows.\n\nsample-size computes the one of rows, epsilon "
        "and delta that is not given, by the theorems of PAC learning.\n\nsimulate draws rows "
        "from a known distribution, trains, and counts how often each bound is wrong: the exit "
        "status is 1 if this is more often than chance explains.\n\ndocs/generalisation.md has "
        "every theorem with its constants.",
    .arguments = bound_arguments,
    .groups = bound_groups,
    .results = bound_results,
    .examples = bound_examples,
    .least = 0,
    .most = 1,
    .run = bound_run,
    .variant = bound_action,
    .variant_word = "action",
    .variant_synopsis = "[MODEL] [options]",
    .default_variant = "model",
};
